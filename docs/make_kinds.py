"""Label, Progress and the end for every kind of item and aim: ``python -m docs.make_kinds``.

Writes docs/kinds/PAGE-VIEW.png, a sheet for each page and view with all kinds on it: light and
dark at 1280 x 720, light at 390 x 844. ``--each FOLDER`` keeps the single pictures, too.
"""

import sys
import tempfile
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import quote

import click
from PIL import Image, ImageDraw
from playwright.sync_api import Browser, Page

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "docs")]

from screenshots import projects  # noqa: E402

from labelcore.session.session import Session  # noqa: E402
from tests.browser.chromium import launch  # noqa: E402
from tests.browser.conftest import wait_until_idle  # noqa: E402
from tests.browser.driving import store_url  # noqa: E402
from tests.browser.server import Server  # noqa: E402

SHEETS = ROOT / "docs" / "kinds"
LABELS, COLUMNS, COLOURS, GAP = 50, 3, 64, 24
Size = tuple[int, int]
VIEWS: dict[str, tuple[Size, bool, float]] = {
    "light": ((1280, 720), False, 0.5),
    "dark": ((1280, 720), True, 0.5),
    "390": ((390, 844), False, 0.75),
}
"""Window, whether it is dark, and the scale on the sheet."""


def pictures(browser: Browser, url: str, page: str, made: Mapping[str, str], folder: Path) -> None:
    """What a person has on the screen of each kind, in every view; ``page`` may be "end"."""
    tab = browser.new_page(reduced_motion="reduce")
    for kind, project in made.items():
        tab.set_viewport_size({"width": 1280, "height": 720})
        tab.goto(f"{url}/{'label' if page == 'end' else page}?project={quote(project)}")
        tab.locator(".living .bar").first.wait_for()
        for view, ((width, height), dark, _) in VIEWS.items():
            tab.set_viewport_size({"width": width, "height": height})
            tab.emulate_media(color_scheme="dark" if dark else "light")
            wait_until_idle(tab)
            settled(tab)
            tab.screenshot(path=folder / f"{page}-{view}-{kind}.png")
    tab.close()


def settled(tab: Page) -> None:
    """Two frames after the colours and the width have changed."""
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")


def sheet(page: str, view: str, kinds: list[str], folder: Path) -> Image.Image:
    """All kinds of one page in one view, named."""
    (width, height), _, scale = VIEWS[view]
    wide, high = round(width * scale), round(height * scale)
    columns = COLUMNS if width > height else len(kinds)
    rows = -(-len(kinds) // columns)
    whole = Image.new("RGB", (columns * (wide + GAP), rows * (high + GAP)), "#888888")
    draw = ImageDraw.Draw(whole)
    for place, kind in enumerate(kinds):
        left, top = place % columns * (wide + GAP), place // columns * (high + GAP)
        with Image.open(folder / f"{page}-{view}-{kind}.png") as one:
            whole.paste(one.convert("RGB").resize((wide, high), Image.Resampling.LANCZOS),
                        (left, top + GAP))  # fmt: skip
        draw.text((left + 4, top + 5), kind, fill="white", font_size=14)
    return whole.quantize(COLOURS)


def finish(data: Path, made: Mapping[str, str]) -> None:
    for project in made.values():
        session = Session.open(store_url(data), project)
        with closing(session.store):
            session.finish()


@click.command()
@click.option("--each", type=click.Path(path_type=Path, file_okay=False), default=None)
@click.option("--page", "wanted", type=click.Choice(["label", "progress", "end"]), multiple=True)
def main(each: Path | None, wanted: tuple[str, ...]) -> None:
    """Take the pictures and write the sheets."""
    SHEETS.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place, launch(whole=True) as browser:
        folder = each or Path(place)
        folder.mkdir(parents=True, exist_ok=True)
        data = Path(place) / "data"
        data.mkdir()
        made = projects.kinds(data, LABELS)
        with Server(data) as server:
            for page in wanted or ("label", "progress", "end"):
                if page == "end":
                    finish(data, made)
                pictures(browser, server.url, page, made, folder)
                for view in VIEWS:
                    sheet(page, view, list(made), folder).save(SHEETS / f"{page}-{view}.png")


if __name__ == "__main__":
    main()
