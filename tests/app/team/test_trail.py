"""The audit trail of a day: each act once, nothing else, and never a content or a key."""

import json
import sqlite3
from contextlib import closing
from datetime import date
from typing import Any

import streamlit as st

import labelcore as lc
from labelcore import access
from labelcore.cli import main
from labelcore.session.erasing import erase_items
from labelcore.session.integrity import verify
from labelcore.store import act, acts_follow, command_user, identity_of, trail_file
from labelcore.store import note as write_acts
from labelcore.team import audit_page, commands, roles_page
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.ui import door, presses, project_menu, sessions, trail, visitor
from labelcore.ui.door import NO_ROLE, _refuse
from tests.app.conftest import button, texts
from tests.awaited import awaited


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
    awaited(_refuse(scope, sent, 403, NO_ROLE))
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
    write_acts(sessions.store(), act("Eve", "viewed", identity_of(session.record)))
    latest = page.date_input(key="trail-since").max
    for kind, key, wanted, left in (
        ("selectbox", "what", "viewed", ["Eve", "owner"]),
        ("selectbox", "who", "Eve", ["Eve"]),
        ("text_input", "about", "AnN:", ["owner"]), ("date_input", "since", latest, []),
    ):  # fmt: skip
        filtered = app("audit")
        getattr(filtered, kind)(key=f"trail-{key}").set_value(wanted).run()
        assert [who for one in filtered.table for who in one.value["Who"]] == left
        assert ("No such line." in texts(filtered)) == (not left)
    access.note("role", "Bob", "viewer")
    monkeypatch.setattr(audit_page, "ROWS", 1)
    page, lines = app("audit"), len(sessions.store().acts())
    assert f"{lines} lines since" in page.title[0].value, "known ones are followed by new ones"
    for shown in (1, 5, 9):
        assert len(page.table[0].value) == shown
        assert button(page, "trail-more").label == f"Older ones ({lines - shown})"
        button(page, "trail-more").click().run()
    assert len(page.table[0].value) == lines and "Older" not in texts(page)
    assert page.table[0].value.set_index("Who")["About"]["Eve"] == "'demo'"

    url = sessions.address()
    with closing(sqlite3.connect(url.removeprefix("sqlite:///"))) as database, database:
        database.execute("DROP TRIGGER act_is_never_changed")
        database.execute("UPDATE act SET at = 'never' WHERE sequence = 3")
    monkeypatch.setattr(audit_page, "ROWS", lines)
    page = app("audit")
    assert page.title[0].value.startswith("Line 3 was changed")
    assert "no time" in page.table[0].value["When"].tolist()
    page.date_input(key="trail-since").set_value(date(2020, 1, 1)).run()
    assert "no time" not in page.table[0].value["When"].tolist()


def test_who_gave_a_role_and_who_logged_in_without_one_are_named(app, make, monkeypatch) -> None:
    make()
    monkeypatch.setattr(visitor, "came", lambda: "login eve%40example.org")
    app("label", project="demo")
    trail.trail().flush()
    told = [(one.who, one.what) for one in sessions.store().acts()]
    assert told == [("eve@example.org", "refused")]


def test_every_act_of_a_day_on_pages_is_there_once(app, make, monkeypatch, data_folder) -> None:
    """Roles given, changed and ended, links, groups, an erasure: each press is one line."""
    session: lc.Session = make(labels=2)
    key, item = (
        visitor.key(session.record),
        next(one.item_id for one in session.events if one.item_id),
    )
    register = Register(data_folder)
    monkeypatch.setattr(visitor, "came", lambda: "start owner")

    def press(act: Any, *given: str, **state: object) -> None:
        with monkeypatch.context() as page:
            page.setattr(st, "session_state", dict(state))
            page.setattr(st, "query_params", {"project": "demo"})
            act("demo", *given)
            trail.trail().flush()
            assert presses.PROBLEM not in st.session_state, st.session_state[presses.PROBLEM]

    new = {"role-name-x": "Ann", "role-role-x": "viewer", "role-by-x": roles_page.LINK}
    group = {"role-name-x": "medics", "role-role-x": "viewer", "role-by-x": roles_page.GROUP}
    press(roles_page.give, "x", **new)
    press(roles_page.give, "x", **group)
    press(roles_page.change, "Ann", "place", place="annotator")
    press(roles_page.reform, "medics", "x",
          **{"role-inside-x": ["Ann"], "role-called-x": "nurses"})  # fmt: skip
    press(roles_page.renew, "Ann")
    press(roles_page.reform, "nurses", "x", **{"role-inside-x": [], "role-called-x": "nurses"})
    press(roles_page.withdraw, "Ann")
    press(roles_page.withdraw, "nurses")
    erased = {"life-what-x": project_menu.ITEM, "life-id-x": item, "life-why-x": "asked for"}
    press(project_menu.erase, "x", **erased)
    press(project_menu.erase, "x", **{"life-what-x": project_menu.LATER, "life-days-x": 90})
    assert not register.people()
    told = sessions.store().acts()
    assert {one.who for one in told} == {"owner"}
    assert [(one.what, one.about) for one in told] == [
        ("role", f"Ann: viewer in {key}"),
        ("role", f"medics: viewer in {key}"),
        ("role", f"Ann: annotator in {key}"),
        ("role", "Ann: in the group medics"),
        ("role", "nurses: the group that was medics"),
        ("role", "Ann: another link"),
        ("role taken", "Ann: the group nurses"),
        ("withdrawn", "Ann"),
        ("withdrawn", "nurses: a group, with nobody in it"),
        ("erased", f"1 text of the project {identity_of(session.record)}"),
        ("retention", "project 'demo', texts go 90 days after its end"),
    ]  # fmt: skip
    assert "1 text of the project 'demo'" in app("audit").table[0].value["About"].str.cat().replace(
        "\\", ""
    )


def test_a_login_at_a_proxy_is_one_line_of_a_visit(app, make, monkeypatch, data_folder) -> None:
    make()
    Register(data_folder).add("Ann", Role.VIEWER, login=True)
    monkeypatch.setattr(visitor, "came", lambda: "login Ann")
    page = app("progress", project="demo")
    for _ in range(3):
        page.run()
    trail.trail().flush()
    told = [one for one in sessions.store().acts() if one.what == "came"]
    assert [(one.who, one.about) for one in told] == [("Ann (viewer)", "by a login at the proxy")]
