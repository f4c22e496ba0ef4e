"""Chromium reads every script and style sheet of the product, and drops nothing of them."""

from pathlib import Path

import pytest
from playwright.sync_api import Error, Page

import labelcore
from tests.browser.server import Server

HOME = Path(labelcore.__file__).parent
SCRIPTS = sorted(HOME.rglob("*.js"))
SHEETS = sorted(HOME.rglob("*.css"))
READ_SCRIPT = """text => {
  new Function('"use strict";' + text.replace("export default", "return"));
}"""
# The lines with a declaration that Chromium does not know, and how many rules it has read.
READ_SHEET = """text => {
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(text);
  const count = rules => [...rules].reduce((sum, one) => sum + 1 + count(one.cssRules || []), 0);
  const lines = text.replace(/\\/\\*[^]*?\\*\\//g, "").match(/^ *[-a-z]+:[^{]*?;$/gm);
  const unknown = lines.filter(one => !CSS.supports(`(${one.trim().slice(0, -1)})`));
  return [unknown, count(sheet.cssRules)];
}"""


def test_every_script_can_be_read(page: Page) -> None:
    assert SCRIPTS
    for file in SCRIPTS:
        text = file.read_text("utf-8")
        page.evaluate(READ_SCRIPT, text)
        with pytest.raises(Error, match="SyntaxError"):
            page.evaluate(READ_SCRIPT, text.replace("(", "((", 1))


def test_every_declaration_and_rule_of_a_style_sheet_is_known(page: Page) -> None:
    assert SHEETS
    for file in SHEETS:
        text, name = file.read_text("utf-8"), str(file)
        assert page.evaluate(READ_SHEET, text) == [[], text.count("{")], name
        unknown = text.replace("{", "{\n  colour: red;", 1)
        assert page.evaluate(READ_SHEET, unknown) == [["  colour: red;"], text.count("{")], name
        assert page.evaluate(READ_SHEET, text.replace(" {", " > {", 1))[1] < text.count("{"), name


FORGED = """() => {
  window.ran = [];
  const script = document.createElement("script");
  script.textContent = "window.ran.push('script')";
  const picture = document.createElement("img");
  picture.setAttribute("onerror", "window.ran.push('handler')");
  picture.src = "data:,";
  document.body.append(script, picture);
  setTimeout(() => (0, eval)("window.ran.push('eval')"));  // later: what drives the page may
  return new Promise(done => setTimeout(() => done(window.ran.sort()), 300));
}"""
ELSEWHERE = """() => new Promise(done => {
  document.addEventListener("securitypolicyviolation", one => done(one.effectiveDirective));
  try { new WebSocket("ws://127.0.0.1:9/"); } catch { /* refused */ }
  setTimeout(() => done("nothing"), 2000);
})"""


def test_what_is_written_into_a_page_neither_runs_nor_speaks_to_others(
    shared_server: Server, page: Page
) -> None:
    page.goto("about:blank")
    assert page.evaluate(FORGED) == ["eval", "handler", "script"], "where there is no policy"
    page.route("**/*.js", lambda route: route.abort())  # What the page itself does is no matter.
    page.goto(shared_server.url)
    assert page.evaluate(FORGED) == []
    assert page.evaluate(ELSEWHERE) == "connect-src"
