"""The app with an empty data folder and a Chromium, for scripts that look at its pages."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.browser.chromium import launch
from tests.browser.server import Server

HEIGHTS = {1280: 720, 390: 844}
"""The height of the window for each width that pages are looked at."""
PATIENCE_MS = 60_000


@dataclass(frozen=True)
class OwnApp:
    """folder: an empty one, for files to bring; data: what the app keeps."""

    browser: Browser
    url: str
    folder: Path
    data: Path

    def page(self, width: int) -> Page:
        """A page of another person, so many pixels wide."""
        size = {"width": width, "height": HEIGHTS[width]}
        page = self.browser.new_context(viewport=size).new_page()
        page.set_default_timeout(PATIENCE_MS)
        return page


@contextmanager
def own_app() -> Iterator[OwnApp]:
    with tempfile.TemporaryDirectory() as name:
        folder, data = Path(name) / "mine", Path(name) / "data"
        folder.mkdir()
        with Server(data) as server, launch() as browser:
            yield OwnApp(browser, server.url, folder, data)
