"""A large upload: what is going on is said, it can be cancelled, and others label meanwhile."""

import os
import signal
import time
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser import driving
from tests.browser.server import Server

ROWS = 20_000


def children(process: int) -> list[int]:
    found = []
    for place in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):
            found += map(int, place.read_text().split())
    return found


def workers(server: int) -> list[int]:
    """The processes in which the server has files read: each is watched by one that was forked."""
    hosts = [
        child
        for child in children(server)
        if b"labelcore.bounded" in Path(f"/proc/{child}/cmdline").read_bytes()
    ]
    return [work for host in hosts for watching in children(host) for work in children(watching)]


@pytest.mark.full
@pytest.mark.skipif(
    not list(Path("/proc/self/task").glob("*/children")), reason="no list of processes here"
)
def test_a_large_upload_can_be_cancelled_and_tried_again(
    page: Page, new_browser, server: Server, tmp_path: Path
) -> None:
    file = tmp_path / "large.csv"
    row = "i{0},Message {0} with some words to judge,0.{0}\n"
    file.write_text("id,text,score\n" + "".join(map(row.format, range(ROWS))))
    project = driving.make_project(server.data, "Messages")
    page.goto(f"{server.url}/new_project")
    driving.wait_until_idle(page)
    page.locator("input[type=file]").first.set_input_files(file)
    # As one that takes long: the first process that comes is stopped.
    until = time.monotonic() + 60
    while not (found := workers(server.process_id)):
        assert time.monotonic() < until, "no process was started"
        page.wait_for_timeout(2)
    os.kill(found[0], signal.SIGSTOP)
    cancel = page.get_by_role("button", name="Cancel")
    expect(cancel).to_be_visible()
    expect(page.get_by_text("Looking at large.csv")).to_be_visible()

    other = new_browser()
    driving.open_label(other, server.url, project)
    driving.label_items(other, 2, lambda _: "y")
    assert len(driving.answers(server.data, project)) == 2

    cancel.click()
    expect(page.get_by_text("was cancelled")).to_be_visible()
    driving.wait_until_idle(page)
    again = page.get_by_role("button", name="Try again")
    if again.count():
        driving.choose(page, again)
    expect(page.get_by_text(f"{ROWS:,} items")).to_be_visible(timeout=60_000)
