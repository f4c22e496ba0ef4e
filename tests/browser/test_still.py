"""Nothing moves while one labels: not the item and the answers, not the figures beside them."""

from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from playwright.sync_api import Page

from labelcore.store import open_store
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

# Every shift that the browser counts, also those just after a key.
WATCH = """() => {
  window.labelcoreShifts = [];
  const name = node => node && (node.className?.baseVal ?? node.className ?? node.nodeName);
  new PerformanceObserver(list => {
    for (const one of list.getEntries()) {
      labelcoreShifts.push(...one.sources.map(source => ({
        x: Math.min(source.previousRect.x, source.currentRect.x),
        what: `${name(source.node?.parentElement)} > ${name(source.node)}: ` +
          [source.previousRect, source.currentRect].map(r =>
            `${r.x} ${r.y} ${r.width} ${r.height}`).join(" -> "),
      })));
    }
  }).observe({ type: "layout-shift", buffered: false });
}"""
# Where what stays stands, to half a pixel, in the order of the page.
PLACES = """() => {
  const kept = {};
  const inside = [...document.querySelectorAll("*")].map(one => one.shadowRoot).filter(Boolean);
  for (const name of [".lc-question", ".lc-line", ".lc-meter", ".lc-box", ".lc-answers button",
      ".lc-saved", ".lc-tools button", ".bars .name", ".bars .track", ".guess",
      ".tabs button", "svg.chart", ".st-key-short", ".st-key-details", ".st-key-who"]) {
    const found = [document, ...inside].flatMap(root => [...root.querySelectorAll(name)]);
    kept[name] = found.map(node => {
      const box = node.getBoundingClientRect();
      return [box.x, box.y + scrollY].map(place => Math.round(2 * place) / 2);
    });
  }
  return kept;
}"""
MOST_TOLD = 3


class Still:
    """A labelling page whose places are those that it began with."""

    def __init__(self, page: Page) -> None:
        self.page = page
        page.evaluate(WATCH)
        self.first = page.evaluate(PLACES)
        assert all(self.first[name] for name in (".lc-box", ".bars .track", "svg.chart"))

    def look(self, after: str, *, panel: bool = False) -> None:
        """Nothing of what is still there has moved; a ``panel`` comes in the place of the figures,
        and is no shift of theirs."""
        wait_until_idle(self.page)
        if self.page.locator(".st-key-short").count():  # Figures that a panel gives back are drawn.
            self.page.locator(".bars .track").first.wait_for()
        now = self.page.evaluate(PLACES)
        moved = {
            name: (before, now[name])
            for name, before in self.first.items()
            if now[name] and now[name] != before
        }
        shifts = self.page.evaluate("labelcoreShifts.splice(0)")
        if panel:
            beside = self.first[".bars .name"][0][0] - 2  # A frame, and half a pixel.
            shifts = [one for one in shifts if one["x"] < beside]
        assert not moved and not shifts, (after, moved, shifts[:MOST_TOLD])

    def answer(self, keys: str) -> None:
        for number, key in enumerate(keys, start=1):
            driving.answer(self.page, key)
            self.look(f"answer {number} of {keys}, {key}")

    def press(self, key: str, *, panel: bool = False) -> None:
        self.page.keyboard.press(key)
        driving.settle(self.page)
        self.look(key, panel=panel)


def around(still: Still) -> None:
    """What a labeller may do besides: take back, note, flag, help, history, another theme."""
    for key in ("u", "f", "m", "Escape"):
        still.press(key)
    for _ in range(2):
        still.press("h", panel=True)
    panels = ["[data-act=history]", "[data-act=finish]"]
    # A plan with a margin may ask for every item already.
    panels += [".lc-line button"] if still.page.locator(".lc-line button").count() else []
    for name in panels:
        still.page.locator(name).click()
        still.page.locator(".st-key-beside").wait_for()
        still.look(name, panel=True)
        still.press("Escape", panel=True)
    still.page.emulate_media(color_scheme="dark")
    still.look("dark")
    still.page.emulate_media(color_scheme="light")


@pytest.fixture
def opened(page: Page, shared_server: Server) -> Callable[..., Still]:
    def open_still(name: str, labels: int = 0, *, asked: bool = False, **plan: Any) -> Still:
        project = driving.make_project(shared_server.data, f"Still, {name}", **plan)
        driving.label_without_page(shared_server.data, project, labels)
        if asked:
            with closing(open_store(driving.store_url(shared_server.data))) as store:
                store.person(project, "0" * 64, "2026-01-01T00:00:00+00:00")
        driving.open_label(page, shared_server.url, project)
        page.locator(".living .bar").first.wait_for()
        return Still(page)

    return open_still


def test_nothing_moves_from_the_first_label_on(opened: Callable[..., Still]) -> None:
    still = opened("one figure", asked=True)
    still.answer("yns")
    assert still.first[".st-key-who"], "a name is asked for where there are others"
    around(still)
    still.answer("y")


@pytest.mark.full
def test_nothing_moves_when_a_first_figure_is_told(opened: Callable[..., Still]) -> None:
    still = opened("three figures", 16, estimands=("accuracy", "precision", "recall"), budget=40)
    told = still.page.locator(".living .value:not(:empty)")
    assert not told.count()
    still.answer("yyyyyyyyyyyy")
    assert told.count()


@pytest.mark.full
@pytest.mark.parametrize(
    ("name", "plan"),
    [
        ("a fixed promise", {"promise": "fixed", "budget": 80}),
        ("a ranked list", {"estimands": ("precision_curve",), "design": "simple_random"}),
        ("items like these", {"target": "process", "estimands": ("accuracy", "recall")}),
        ("several figures", {"estimands": ("f1", "specificity", "recall", "accuracy")}),
        ("a margin", {"budget": None, "margin": 0.1, "stop": ("margin",)}),
    ],
)
def test_nothing_moves_over_forty_labels_of_each_kind(
    opened: Callable[..., Still], name: str, plan: dict[str, Any]
) -> None:
    still = opened(name, **plan)
    still.answer("yynsyynbyyynyyyyyyyn")
    around(still)
    still.answer("yyyynyyyyyyynyyyyyyy")
