"""The audit trail of a day: each act once, nothing else, and never a content or a key."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from contextlib import closing
from typing import Any

import labelcore as lc
from labelcore import access
from labelcore.cli import main
from labelcore.session.erasing import erase_items
from labelcore.session.integrity import verify
from labelcore.store import acts_follow, command_user, trail_file
from labelcore.team import commands
from labelcore.ui import door, sessions, trail, visitor
from labelcore.ui.door import NO_ROLE, _refuse
from tests.app.conftest import texts


def test_every_act_of_a_day_is_there_once(app, make, monkeypatch, tmp_path, capsys) -> None:
    session: lc.Session = make()
    url, monkey = sessions.address(), monkeypatch.setattr
    items, shown, commanded = [], [], []

    monkey(door, "REFUSALS", door.Refusals())
    monkey(visitor, "came", lambda: "plain")
    test = app("label", project="demo")
    for _ in range(3):  # Drawn again, an item is seen once.
        test.run()
    items.append(session.next().item_id)  # type: ignore[union-attr]
    shown.append(session.item_by_id(items[0])["text"])
    monkey(visitor, "came", lambda: "start viewer")
    assert "You are here as" in texts(app("label", project="demo"))

    async def sent(_: Any) -> None:
        pass

    scope = {"type": "http", "path": "/label", "query_string": b"key=secret-key",
             "client": ("10.0.0.7", 1), "headers": []}  # fmt: skip
    asyncio.run(_refuse(scope, sent, 403, NO_ROLE))
    trail.trail().flush()
    for module in (access, commands):  # The commands run in a process of their own.
        monkey(module, "LISTENERS", commanded)
    assert main(["people", "add", "Ann", "--role", "viewer", "--every-project"]) == 0
    assert main(["people", "remove", "Ann"]) == 0
    taken = ["--store", url, "--project", "demo", "-o", str(tmp_path / "events.csv")]
    assert main(["export", "events", *taken]) == 0
    erase_items(sessions.store(), "demo", items, who="Bob", why="asked for")
    capsys.readouterr()

    assert main(["audit", "--store", url, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    found = [(one["who"], one["what"], one["about"]) for one in told["acts"]]
    user, told_role = command_user(), next(about[5:] for _, what, about in found if what == "role")
    assert told_role.startswith("viewer")
    assert found == [
        ("owner", "came", ""),
        ("owner", "viewed", f"project 'demo', item {items[0]!r}"),
        ("viewer", "came", "by the link of a share"),
        ("somebody", "refused", "a page that asks to judge items"),
        ("address 10.0.0.7", "refused", f"/label: {NO_ROLE}"),
        (user, "role", f"Ann: {told_role}"),
        (user, "withdrawn", "Ann"),
        (user, "exported", f"project 'demo', {tmp_path / 'events.csv'}"),
        ("Bob", "erased", found[-1][2]),
    ]
    lines = trail_file(sessions.store().guarded).read_text().splitlines()
    assert [json.loads(one) for one in lines] == told["acts"]
    assert not any(one in "".join(lines) for one in ("secret-key", *shown))
    assert main(["audit", "--store", url, "--since", "2999-01-01"]) == 0
    assert capsys.readouterr().out == "Nothing yet.\n"

    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
        database.execute("DROP TRIGGER act_is_never_changed")
        database.execute("UPDATE act SET who = 'nobody' WHERE sequence = 3")
    assert acts_follow(sessions.store().acts()) == 3
    assert "line 3 of the audit trail was changed" in " ".join(verify(url).faults)


def test_the_page_says_in_a_sentence_whether_the_lines_are_whole(app, make, monkeypatch) -> None:
    session: lc.Session = make()
    monkeypatch.setattr(visitor, "came", lambda: "start owner")
    app("label", project="demo")
    key = visitor.key(session.record)
    access.note("role", "Ann", f"viewer in {key}")
    page = app("audit")
    assert "4 lines since" in page.title[0].value and "none was changed" in page.title[0].value
    rows = page.table[0].value
    assert rows["What"].tolist() == ["came", "role", "viewed", "came"], "the newest first"
    assert rows["Who"].tolist() == ["owner"] * 4
    assert rows["About"][1].replace("\\", "") == "Ann: viewer in 'demo'"
    page.selectbox(key="trail-what").set_value("viewed").run()
    assert len(page.table[0].value) == 1
    page.text_input(key="trail-about").set_value("nothing of this").run()
    assert not page.table and "No such line." in texts(page)

    url = sessions.address()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
        database.execute("DROP TRIGGER act_is_never_changed")
        database.execute("UPDATE act SET who = 'nobody' WHERE sequence = 3")
    assert app("audit").title[0].value.startswith("Line 3 was changed")


def test_who_gave_a_role_and_who_logged_in_without_one_are_named(app, make, monkeypatch) -> None:
    make()
    monkeypatch.setattr(visitor, "came", lambda: "login eve%40example.org")
    app("label", project="demo")
    trail.trail().flush()
    told = [(one.who, one.what) for one in sessions.store().acts()]
    assert told == [("eve@example.org", "refused")]
