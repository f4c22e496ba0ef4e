"""The picture of the first labels in docs/horizon.md: ``python docs/make_first_labels.py``.

The figures and the band of the page Label with the digits of the trial, answered by the known
labels, at a few numbers of labels side by side.
"""

from __future__ import annotations

import io
import sys
import tempfile
from pathlib import Path
from typing import Any
from unittest import mock

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image, ImageDraw, ImageFont  # noqa: E402
from playwright.sync_api import Page  # noqa: E402
from screenshots import projects  # noqa: E402
from screenshots.camera import COLOURS, WIDE, idle  # noqa: E402

from labelcore.trials.digits import CLASSIFIERS, VOTE  # noqa: E402
from tests.browser.chromium import launch  # noqa: E402
from tests.browser.server import Server  # noqa: E402

TARGET = ROOT / "docs" / "band_from_the_first_label.png"
LABELS = (1, 5, 10, 20, 40, 80, 120)
PLAN: dict[str, Any] = {
    "estimands": ("accuracy", "precision", "recall", "f1"),
    "classifier": (*CLASSIFIERS, VOTE),
    "params": {"n_above": 1, "n_below": 4, "helpers": ()},
}
COLUMNS, TILE, TITLE, GAP = 4, 300, 22, 12


def living(page: Page, url: str, name: str) -> Image.Image:
    """The figures and the band of a project's page Label."""
    page.goto(f"{url}/label?project={name.replace(' ', '%20')}")
    page.wait_for_selector(".living .chart")
    idle(page)
    page.mouse.move(0, 0)
    found = page.locator(".living").first.screenshot(animations="disabled")
    image = Image.open(io.BytesIO(found)).convert("RGB")
    return image.resize((TILE, round(image.height * TILE / image.width)), Image.Resampling.LANCZOS)


def side_by_side(tiles: list[Image.Image]) -> Image.Image:
    height = max(tile.height for tile in tiles) + TITLE + GAP
    rows = -(-len(tiles) // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * (TILE + GAP) - GAP, rows * height), "white")
    draw, font = ImageDraw.Draw(sheet), ImageFont.load_default(14)
    for place, (labels, tile) in enumerate(zip(LABELS, tiles, strict=True)):
        left, top = place % COLUMNS * (TILE + GAP), place // COLUMNS * height
        draw.text((left + 4, top + 3), f"{labels} label{'s' * (labels > 1)}", "black", font)
        sheet.paste(tile, (left, top + TITLE))
    return sheet.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)


def main() -> None:
    with tempfile.TemporaryDirectory() as place:
        data = Path(place) / "data"
        data.mkdir()
        with mock.patch.object(projects, "UNSURE_AT", None):  # All are sure.
            names = [projects.trial(data, "digits", one, f"{one} labels", **PLAN) for one in LABELS]
        with Server(data) as server, launch(whole=True) as browser:
            page = browser.new_page(viewport={"width": WIDE[0], "height": WIDE[1]})
            tiles = [living(page, server.url, name) for name in names]
    side_by_side(tiles).save(TARGET, optimize=True)


if __name__ == "__main__":
    main()
