"""The watch of ``benchmarks.attacks`` sees what it counts, and nothing of it on a page."""

from html import escape

import pytest
from playwright.sync_api import Browser, Page

from benchmarks.attacks import (
    CHUNK,
    ELSEWHERE,
    FAULTS,
    RUN,
    Watch,
    contents_of,
    hostile,
    project_of,
    seen,
    through_pages,
)  # fmt: skip
from tests.browser.server import Server

FRAME = "<html><body><div data-testid=stApp><div data-testid=stMain>{}</div></div></body></html>"


def test_what_a_page_must_not_do_is_seen(browser: Browser) -> None:
    profile = browser.new_context()
    try:
        page, watch = profile.new_page(), Watch(profile, "http://127.0.0.1:1")
        page.set_content(FRAME.format("words"))
        usual = seen(page, watch, None)
        assert not any(usual[what] for what in FAULTS)
        page.set_content(
            FRAME.format(
                f"<script>{RUN}</script><img src='{ELSEWHERE}/x.png'><p onclick='{RUN}'>Traceback"
                "<style>body { display: flex }</style><div style='width: 9999px'>wide</div>"
            )
        )
        found = seen(page, watch, usual["frame"])
        assert {what: found[what] for what in FAULTS} == {
            "scripts": 1, "requests": 1, "foreign": 2, "layout": 2, "traces": 1,
        }  # fmt: skip
        assert found["changed"][0] == "body" and len(found["changed"]) == 3
        with page.expect_event("dialog"):
            page.evaluate("setTimeout(() => alert(1))")
        assert seen(page, watch, usual["frame"])["scripts"] == 2
    finally:
        profile.close()


def test_markup_is_found_where_it_is_drawn_and_not_where_it_is_escaped(browser: Browser) -> None:
    profile = browser.new_context()
    try:
        page, watch = profile.new_page(), Watch(profile, "http://127.0.0.1:1")
        page.set_content(FRAME.format("words"))
        usual = seen(page, watch, None)["frame"]

        def faults(text: str) -> bool:
            page.set_content(FRAME.format(text))
            found = seen(page, watch, usual)
            return any(found[what] for what in FAULTS)

        markup = hostile()[:30]
        assert not [one for one in markup if faults(escape(one))]
        assert not [one for one in markup if not faults(one)]
    finally:
        profile.close()


def test_hostile_words_do_nothing_on_a_page_that_escapes_them(
    page: Page, shared_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody has a role: *Label* would ask for one's name."""
    monkeypatch.setattr("benchmarks.attacks.with_roles", lambda *_: None)
    watch = Watch(page, shared_server.url)
    project = project_of(shared_server.data, hostile()[50 : 50 + CHUNK], 5)
    (row,) = through_pages(page, watch, shared_server.url, project, {}, ("label",))
    assert row["changed"] == [] and not any(row[what] for what in FAULTS)
    # The same page, if it drew an item's words unescaped.
    page.locator(".lc-box").first.evaluate("(box, words) => box.innerHTML = words", hostile()[0])
    assert seen(page, watch, row["frame"])["foreign"] == 1


@pytest.mark.full
def test_every_content_on_every_page_and_in_every_export(browser: Browser) -> None:
    rows = contents_of(browser, range(-(-len(hostile()) // CHUNK)))
    assert sum(row["contents"] for row in rows if row["place"] == "label") == len(hostile())
    assert not [row for row in rows for what in FAULTS if row[what]]
