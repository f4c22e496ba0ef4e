"""Each browser is a person of its own: own items, own undo, and a press that came too late."""

import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from labelcore.report import events_csv, report_html
from labelcore.session.session import Session
from labelcore.ui.actions import TOO_LATE
from labelcore.ui.people import COOKIE
from tests.browser.conftest import PATIENCE_MS, wait_until_idle
from tests.browser.driving import (
    PROBE,
    all_said,
    answer,
    answers,
    begin,
    events,
    label_without_page,
    make_project,
    open_label,
    settle,
    shown,
    store_url,
    wait_for_item,
    wait_for_next,
)
from tests.browser.server import ROOT, Server


def second_tab(page: Page, url: str, project: str) -> Page:
    """Another tab of the same browser, with the probe in it."""
    tab = page.context.new_page()
    tab.add_init_script(PROBE)
    tab.goto(f"{url}/label?project={quote(project)}")
    wait_for_item(tab)
    return tab


def cookie(page: Page) -> str:
    return next(str(one["value"]) for one in page.context.cookies() if one["name"] == COOKIE)


def test_two_browsers_a_second_tab_and_a_reload(
    shared_server: Server, page: Page, new_browser: Callable[..., Page]
) -> None:
    data, url = shared_server.data, shared_server.url
    project = make_project(data, "Two people")
    first, other = page, new_browser()
    open_label(first, url, project)
    open_label(other, url, project)
    item, others_item = shown(first), shown(other)
    assert item["token"] != others_item["token"] and item["text"] != others_item["text"]

    tab = second_tab(first, url, project)
    assert shown(tab)["token"] == item["token"]
    first.reload()
    wait_for_item(first)
    assert shown(first)["token"] == item["token"]

    answer(first, "y")
    tab.keyboard.press("n")
    expect(tab.locator(".lc-saved")).to_contain_text(TOO_LATE)
    wait_for_next(tab, item["token"])
    assert shown(tab)["token"] == shown(first)["token"]
    settle(tab)
    assert all_said(data, project) == ["yes"]
    tab.keyboard.press("u")
    expect(tab.locator(".lc-saved")).to_contain_text("Taken back")
    assert shown(tab)["text"] == item["text"]

    answer(other, "n")
    answer(other, "y")
    settle(tab)
    answer(tab, "n")
    other.keyboard.press("u")
    expect(other.locator(".lc-saved")).to_contain_text("Taken back: Yes")
    log = events(data, project)
    by = {(event.kind, event.annotator) for event in log if event.kind in ("labelled", "undone")}
    assert by == {("labelled", "me"), ("labelled", "me 2"), ("undone", "me"), ("undone", "me 2")}
    undone = {event.previous for event in log if event.kind == "undone"}
    taken_back = [event for event in answers(data, project) if event.sequence in undone]
    assert [event.annotator for event in taken_back] == ["me", "me 2"]

    session = Session.open(store_url(data), project)
    report, table = report_html(session), events_csv(session)
    assert "labels came from 2 browsers" in report
    stored = (data / "labelcore.db").read_bytes() + (data / "labelcore.db-wal").read_bytes()
    for one in (first, other):
        assert cookie(one) not in report + table and cookie(one).encode() not in stored
    session.store.close()


@pytest.fixture
def impatient(tmp_path: Path) -> Iterator[Server]:
    """The app, where an item comes back as soon as its page is gone."""
    at_once = "import labelcore.ui.people\nlabelcore.ui.people.GONE_SECONDS = 0.0\n"
    shutil.copytree(ROOT / ".streamlit", tmp_path / "app" / ".streamlit")
    for path in [ROOT / "app.py", *(ROOT / "pages").glob("*.py")]:
        copied = tmp_path / "app" / path.relative_to(ROOT)
        copied.parent.mkdir(exist_ok=True)
        copied.write_text(at_once + path.read_text("utf-8"), "utf-8")
    environment = {"PYTHONPATH": str(ROOT)}
    with Server(
        tmp_path / "data", app=tmp_path / "app" / "app.py", environment=environment
    ) as running:
        yield running


@pytest.mark.full
def test_an_item_comes_back_when_its_tab_is_closed(
    impatient: Server, new_browser: Callable[..., Page]
) -> None:
    data, url = impatient.data, impatient.url
    project = make_project(data, "Closed tab", budget=40)
    leaving, staying = new_browser(), new_browser()
    open_label(leaving, url, project)
    left = shown(leaving)
    label_without_page(data, project, 39, "other")
    tab = second_tab(leaving, url, project)
    leaving.close()
    staying.goto(f"{url}/label?project={quote(project)}")
    expect(staying.locator(".st-key-state")).to_contain_text("on other screens")
    tab.close()
    # The server hears of it a little later.
    end = time.monotonic() + PATIENCE_MS / 1000
    while staying.locator(".st-key-state").count() and time.monotonic() < end:
        staying.reload()
        staying.locator(".st-key-state, .lc-answers button").first.wait_for()
        wait_until_idle(staying)
    open_label(staying, url, project)
    assert shown(staying)["text"] == left["text"] and shown(staying)["token"] != left["token"]
    assert [event.kind for event in events(data, project)].count("released") == 1


def test_a_reload_and_a_new_server_return_to_the_same_item_also_without_the_cookie(
    shared_server: Server, page: Page
) -> None:
    project = begin(page, shared_server, "Storage alone")
    answer(page, "y")
    before, item = cookie(page), shown(page)["text"]
    page.context.clear_cookies()
    shared_server.restart()
    page.reload()
    wait_for_item(page)
    assert (cookie(page), shown(page)["text"]) == (before, item)
    answer(page, "n")
    assert all_said(shared_server.data, project) == ["yes", "no"]
