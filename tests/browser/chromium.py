"""The Chromium of this machine, started once for all tests of a process."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
# With one process for a site a tab finds the scripts of the app compiled by the tab before.
ARGUMENTS = [
    "--process-per-site",
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--js-flags=--no-opt",  # Pages live for seconds: it never pays back.
]


def find_chromium(whole: bool = False) -> str:
    """Its path; without one the test is skipped, or fails where the variable CI is set."""
    found = next(filter(None, map(shutil.which, NAMES[1:] if whole else NAMES)), None)
    if found is not None:
        return found
    message = f"no Chromium: none of {', '.join(NAMES)} is on the PATH"
    if os.environ.get("CI", "").lower() in {"1", "true"}:
        pytest.fail(message)
    pytest.skip(message)


@contextmanager
def launch(*, whole: bool = False) -> Iterator[Browser]:
    """``whole``: one that draws letters as people see them, for pictures and measurements."""
    executable = find_chromium(whole)
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
        yield running
        running.close()
