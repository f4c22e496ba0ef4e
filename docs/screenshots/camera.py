"""A page of the running app, driven as a person does it, and pictures of it."""

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image
from playwright.sync_api import Browser, Locator, Page

from labelcore.ui.people import COOKIE

READY = '[data-testid="stApp"][data-test-script-state="notRunning"]'
WAITING = "[data-testid=stSkeleton]"
"""Stands for a part whose code the browser has yet to fetch."""
LARGEST_BYTES = 150_000
# Enough that no colour is seen to differ, few enough for all pictures together.
COLOURS = 40
LEAST_HEIGHT, MOST_HEIGHT = 500, 8000
SETTLE_MS, FIT_MS = 700, 350
WIDE, NARROW = (1280, 860), (390, 844)
# A step of New project: from its heading to the next one.
Part = tuple[str, str | None]


@dataclass(frozen=True)
class Scene:
    """One state of the app, in up to three views.

    name   of the picture; "-dark" and "-390" are added for the other views
    words  what state it is and what to see, for docs/screens.md
    path   the address behind the server's
    act    drives the page from there to the state
    wait   a selector that is there when the page is drawn
    whole  as tall as its content; False: one screen, as a person has it
    part   (heading, next heading) of the only part kept
    """

    name: str
    words: str
    path: str
    act: Callable[[Page], None] | None = None
    wait: str = "h1"
    whole: bool = True
    part: Part | None = None
    views: Sequence[str] = ("light",)

    @property
    def names(self) -> list[str]:
        ends = {"light": "", "dark": "-dark", "narrow": "-390"}
        return [self.name + ends[view] for view in self.views]


def take(browser: Browser, url: str, scene: Scene, folder: Path) -> None:
    """All views of a scene from one visit: the colours and the width change under it."""
    context = browser.new_context(
        viewport={"width": WIDE[0], "height": WIDE[1]},
        color_scheme="light",
        timezone_id="Europe/Vienna",
        locale="en-GB",
        reduced_motion="reduce",
    )
    context.set_default_timeout(120_000)
    # The same person each time, whose answers are those of the project.
    context.add_cookies([{"name": COOKIE, "value": "0" * 32, "url": url}])
    page = context.new_page()
    try:
        page.goto(f"{url}/{scene.path}")
        page.wait_for_selector(scene.wait)
        idle(page)
        if scene.act is not None:
            scene.act(page)
            idle(page)
        for view, name in zip(scene.views, scene.names, strict=True):
            width, height = NARROW if view == "narrow" else WIDE
            page.emulate_media(color_scheme="dark" if view == "dark" else "light")
            page.set_viewport_size({"width": width, "height": height})
            if view != scene.views[0]:
                page.evaluate("document.activeElement.blur()")  # A field would take the key.
                page.keyboard.press("r")  # Charts have the colours of the last run.
                page.wait_for_timeout(SETTLE_MS)
                idle(page)
            if scene.whole:
                fit(page)
            save(page, folder / f"{name}.png", scene.part)
    finally:
        context.close()


def idle(page: Page) -> None:
    page.wait_for_selector(READY)
    page.wait_for_timeout(250)
    page.wait_for_selector(READY)
    page.locator(WAITING).first.wait_for(state="detached")


def fit(page: Page) -> None:
    """As tall as the content: Streamlit scrolls inside, a full-page picture would be cut."""
    for _ in range(6):
        page.wait_for_timeout(FIT_MS)
        height = page.evaluate(
            "Math.ceil(document.querySelector('[data-testid=stMainBlockContainer]')"
            ".getBoundingClientRect().height)"
        )
        wanted = min(max(height, LEAST_HEIGHT), MOST_HEIGHT)
        size = page.viewport_size
        if size is None or size["height"] == wanted:
            return
        page.set_viewport_size({"width": size["width"], "height": wanted})


def save(page: Page, target: Path, part: Part | None) -> None:
    """The page, or a part of it, as a small PNG."""
    page.mouse.move(0, 0)
    page.wait_for_timeout(SETTLE_MS)
    page.wait_for_selector(READY)
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    if part is not None:
        image = image.crop(cut(page, part, image))
    best = Image.Quantize.MAXCOVERAGE
    small = image.convert("RGB").quantize(COLOURS, best, kmeans=1, dither=Image.Dither.NONE)
    small.save(target, optimize=True)
    if target.stat().st_size > LARGEST_BYTES:
        raise SystemExit(f"{target} has {target.stat().st_size:,} bytes")


def cut(page: Page, part: Part, image: Image.Image) -> tuple[int, int, int, int]:
    top = _top(heading(page, part[0]))
    bottom = image.height if part[1] is None else _top(heading(page, part[1]))
    box = page.locator("[data-testid=stMainBlockContainer]").bounding_box()
    if box is None:
        raise SystemExit("the page has no content")
    left, right = int(box["x"]), int(box["x"] + box["width"])
    return max(left, 0), max(top, 0), min(right, image.width), min(bottom, image.height)


def heading(page: Page, name: str) -> Locator:
    return page.get_by_role("heading", name=name).first


def _top(found: Locator) -> int:
    box = found.bounding_box()
    if box is None:
        raise SystemExit("a heading is not on the page")
    return int(box["y"]) - 4
