"""Plotly figures as PNG pictures, drawn by the browser that the tests use."""

import io
import shutil
from collections.abc import Mapping
from pathlib import Path

from PIL import Image
from plotly.graph_objects import Figure

WIDTH, HEIGHT, COLOURS = 700, 430, 64


def save_pictures(folder: Path, name: str, figures: Mapping[str, Figure]) -> None:
    """Write each figure to ``folder``/``name``_<figure>.png, as few bytes as its colours allow."""
    if not figures:
        return
    # Numbers need neither: they are recomputed where only the product is installed.
    from playwright.sync_api import sync_playwright

    from tests.browser.chromium import ARGUMENTS, NAMES

    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise FileNotFoundError(f"figures need a browser; none of {', '.join(NAMES)} is installed")
    folder.mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        page = browser.new_page(viewport={"width": WIDTH, "height": 2000})
        for key, figure in figures.items():
            figure.update_layout(width=WIDTH, template="plotly_white")
            if figure.layout.height is None:
                figure.update_layout(height=HEIGHT)
            page.set_content(figure.to_html(include_plotlyjs=True, full_html=True))
            page.wait_for_selector(".main-svg")
            picture = page.locator(".js-plotly-plot").screenshot()
            small = Image.open(io.BytesIO(picture)).convert("RGB").quantize(COLOURS)
            small.save(folder / f"{name}_{key}.png", optimize=True)
        browser.close()
