"""Two servers of the app on one database, which is killed while people label."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.session.copying import copy_project
from labelcore.store import open_store
from tests import postgres
from tests.browser import driving
from tests.browser.server import Server

ALERT = '[data-testid="stAlert"]'


@pytest.mark.full
def test_two_servers_and_a_database_that_is_killed(
    tmp_path: Path, postgres_server: postgres.Server, postgres_url: str,
    new_browser: Callable[[], Page],
) -> None:  # fmt: skip
    """Each person has an item of their own; a press while the database is away is stored by itself
    when it is back, and no answer is lost or doubled."""
    data = tmp_path / "data"
    project = driving.make_project(data, "Together")
    with (
        closing(open_store(driving.store_url(data))) as file,
        closing(open_store(postgres_url)) as store,
    ):
        copy_project(file, store, project)
        there = {"LABELCORE_STORE": postgres_url}
        started = {"environment": there, "forked": True}
        with Server(data, **started) as one, Server(data, **started) as other:
            ann, bob = new_browser(), new_browser()
            driving.open_label(ann, one.url, project)
            driving.open_label(bob, other.url, project)
            driving.label_items(ann, 2, lambda _: "y")
            driving.label_items(bob, 2, lambda _: "n")
            item, others = driving.shown(ann), driving.shown(bob)
            assert item["token"] != others["token"] and item["text"] != others["text"]
            postgres_server.stop()
            ann.keyboard.press("n")
            expect(ann.locator(ALERT).first).to_contain_text("not stored yet")
            expect(ann.locator(ALERT).first).to_contain_text("does not answer")
            postgres_server.start()
            driving.wait_for_next(ann, item["token"])
            expect(ann.locator(ALERT)).to_have_count(0)
            driving.label_items(bob, 1, lambda _: "y")
        answers = [one for one in store.events(project) if one.kind == "labelled"]
    assert sorted(driving.said(one) for one in answers) == ["no"] * 3 + ["yes"] * 3
    assert (
        len({one.item_id for one in answers}) == 6 and len({one.annotator for one in answers}) == 2
    )
