"""The surface in a notebook's output: a press is sent to the kernel, keys elsewhere are none."""

import json
from pathlib import Path

from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.ui.notebook_surface import SCRIPT, STYLE, Bench

# What anywidget hands to a widget's script.
MODEL = """
window.sent = [];
const listeners = {};
const model = {
  get: (name) => window.held[name],
  send: (press) => window.sent.push(press),
  on: (name, call) => { listeners[name] = call; },
  off: (name) => { delete listeners[name]; },
};
window.tell = (data) => { window.held = { data }; listeners["change:data"](); };
const module = await import(URL.createObjectURL(
  new Blob([window.script], { type: "text/javascript" })));
window.end = module.default.render({ model, el: document.querySelector("#cell") });
"""


def test_labelling_under_a_cell(page: Page, tmp_path: Path) -> None:
    rows = [{"id": n, "text": f"message {n}", "s": n / 50} for n in range(50)]
    population = lc.read_population(
        rows, id="id", content="text", scores={"lr": "s"}, thresholds={"lr": 0.5}
    )
    plan = lc.Plan("simple_random", ["accuracy"], budget=9, seed=1)
    session = lc.Session(population, plan, f"sqlite:///{tmp_path}/l.db", project="spam")
    bench = Bench(session)
    cells = f"<style>{STYLE}</style><p id=other tabindex=0>cell</p><div id=cell></div>"
    page.route("**", lambda route: route.fulfill(body=cells, content_type="text/html"))
    page.goto("http://localhost/notebook")
    given = json.dumps({"script": SCRIPT, "held": {"data": bench.shown()}})
    page.evaluate(f"Object.assign(window, {given})")
    page.evaluate(f"(async () => {{ {MODEL} }})()")
    first = bench.shown()["item"]["view"][0][-1]
    expect(page.locator(".lc-box")).to_have_text(first)
    page.wait_for_timeout(200)  # Presses sooner than that are too quick.
    page.locator("#other").focus()
    page.keyboard.press("y")
    assert page.evaluate("window.sent") == [], "a key in another cell"
    page.locator(".lc-box").focus()
    page.keyboard.press("y")
    (sent,) = page.evaluate("window.sent")
    bench.take(sent)
    page.evaluate(f"window.tell({json.dumps(bench.shown())})")
    expect(page.locator(".lc-saved")).to_have_text("Saved: Yes")
    expect(page.locator(".lc-sentence")).not_to_be_empty()
    assert session.labels == 1
    page.evaluate("window.end()")
    expect(page.locator(".lc-surface")).to_have_count(0)
