"""A real Chromium and a server for each test.

Without Chromium these tests are skipped; where the variable CI is set they fail.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright

from tests.browser.server import Server

HERE = Path(__file__).parent
NAMES = ("chromium", "chromium-browser", "google-chrome")
PATIENCE_MS = 20_000
ARGUMENTS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


def press(page: Page, key: str) -> None:
    """One key, down and up, wherever the focus is."""
    page.keyboard.press(key)


def wait_until_idle(page: Page) -> None:
    """Wait until the script has ended and every part of the page has arrived.

    Streamlit fetches the code of some parts when they are first drawn; until then a grey bar
    stands for them, also after the script has ended.
    """
    page.wait_for_selector('[data-testid="stApp"][data-test-script-state="notRunning"]')
    expect(page.get_by_test_id("stSkeleton")).to_have_count(0)


def find_chromium() -> str:
    found = next(filter(None, map(shutil.which, NAMES)), None)
    if found is not None:
        return found
    message = f"no Chromium: none of {', '.join(NAMES)} is on the PATH"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(message)
    pytest.skip(message)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = find_chromium()
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """``new_page(width=390, color_scheme="dark")``: a browser of its own, with its own cookies."""
    contexts = []

    def open_page(width: int = 1280, height: int = 800, **options: object) -> Page:
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        return context.new_page()

    expect.set_options(timeout=PATIENCE_MS)
    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(new_page: Callable[..., Page]) -> Page:
    return new_page()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The app on an empty data folder."""
    with Server(tmp_path / "data") as running:
        yield running


@pytest.fixture(scope="module")
def shared_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """One server for the tests of a file that do not kill it; each makes a project of its own."""
    with Server(tmp_path_factory.mktemp("shared") / "data") as running:
        yield running
