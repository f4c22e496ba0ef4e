"""The share file in four pictures: ``python -m docs.make_share`` writes docs/share/*.png.

A made-up file at its end and halfway, by day, by night and on a telephone, from disk.
"""

import tempfile
from io import BytesIO
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

from labelcore.report import report_html
from tests.browser.chromium import launch
from tests.report.sessions import session_on, write_items

FOLDER = Path(__file__).parent / "share"
LABELS, ITEMS = 240, 4_000
VIEWS = [
    ("light", LABELS, 1280, 720, False),
    ("halfway", 60, 1280, 720, False),
    ("dark", LABELS, 1280, 720, True),
    ("390", LABELS, 390, 844, False),
]
TO_LABEL = "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input')); }"


def write_share(path: Path) -> None:
    truth = write_items(path.with_name("items.csv"), ITEMS)
    asked = ["precision", "recall", "f1", "accuracy"]
    session = session_on(path.with_name("items.csv"), budget=LABELS, estimands=asked)
    while (draw := session.next()) is not None:
        session.answer(draw, truth[draw.item_id])
    session.finish()
    path.write_text(report_html(session, errors=True), "utf-8")


def pictures(page: Page) -> None:
    for name, at, width, height, night in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if night else "light")
        page.locator(".slider").evaluate(TO_LABEL, at)
        image = Image.open(BytesIO(page.screenshot())).convert("RGB")
        image.quantize(40, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    with launch(whole=True) as browser, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "share.html"
        write_share(file)
        page = browser.new_context(offline=True).new_page()
        page.goto(file.as_uri())
        pictures(page)
