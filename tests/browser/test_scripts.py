"""Chromium reads every script and style sheet of the product, and drops nothing of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Error, Page

import labelcore

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


def name_of(file: Path) -> str:
    return str(file.relative_to(HOME))


@pytest.mark.parametrize("file", SCRIPTS, ids=name_of)
def test_a_script_can_be_read(file: Path, page: Page) -> None:
    text = file.read_text("utf-8")
    page.evaluate(READ_SCRIPT, text)
    with pytest.raises(Error, match="SyntaxError"):
        page.evaluate(READ_SCRIPT, text.replace("(", "((", 1))


@pytest.mark.parametrize("file", SHEETS, ids=name_of)
def test_every_declaration_and_rule_of_a_style_sheet_is_known(file: Path, page: Page) -> None:
    text = file.read_text("utf-8")
    assert page.evaluate(READ_SHEET, text) == [[], text.count("{")]
    unknown = text.replace("{", "{\n  colour: red;", 1)
    assert page.evaluate(READ_SHEET, unknown) == [["  colour: red;"], text.count("{")]
    assert page.evaluate(READ_SHEET, text.replace(" {", " > {", 1))[1] < text.count("{")
