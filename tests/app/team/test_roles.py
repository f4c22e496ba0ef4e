"""What each role may see and do: every page and every act with every role, by deep links."""

import ast
import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import time
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from labelcore import access
from labelcore.access import OF_PROJECTS, PAGES, Right, may
from labelcore.session.item_texts import TEXT_GONE
from labelcore.team import roles_page
from labelcore.team.entrance import ASK
from labelcore.team.register import Register, ticket, token
from labelcore.team.roles import RIGHTS, Role, visitor_as
from labelcore.team.settings import KEY
from labelcore.ui import actions, naming, people, presses, project_menu, sessions, setup, visitor
from labelcore.ui.reporting import GO_ON, INTERIM
from tests.app.conftest import button, pictures, surface_buttons, texts

DRAWN = "The page is drawn."
CONTENTS = {
    "app": "ui.start.start_page", "new_project": "ui.new_project.new_project_page",
    "label": "ui.labelling.labelling",
    "progress": "ui.progress.progress_page", "explore": "ui.explore.explore_page",
    "review": "ui.review.review_page", "people": "ui.people_page.people_page",
    "report": "ui.reporting.report_page",
    "watch": "ui.watching.watch_page", "method": "ui.whole_pages.way",
    "audit": "team.audit_page.trail_page",
}  # fmt: skip
Come = Callable[[str], None]


@pytest.fixture
def come(monkeypatch: pytest.MonkeyPatch) -> Come:
    """``come("start viewer")``: how the door says that the visitor came."""
    return lambda way: monkeypatch.setattr(visitor, "came", lambda: way)


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pages draw a mark only: what is asked is whether they are drawn."""
    for place in CONTENTS.values():
        module, _, name = place.rpartition(".")
        at = importlib.import_module(f"labelcore.{module}")
        monkeypatch.setattr(at, name, lambda *given: st.text(DRAWN))


def test_every_page_is_in_the_table(root: Path) -> None:
    files = [root / "app.py", *(root / "pages").glob("*.py")]
    assert {file.stem for file in files} == set(PAGES) == set(CONTENTS)


def test_the_page_on_roles_has_the_same_table(root: Path) -> None:
    """Its rows speak of pages and acts by the right that they ask for."""
    said = (root / "docs" / "roles.md").read_text("utf-8")
    rows = re.findall(r"^\| (\w[^|]+) ((?:\| (?:yes )?){4})\|$", said, re.MULTILINE)
    asked = [None, Right.JUDGE, Right.SEE, Right.SEE, Right.SETTLE, Right.RUN, Right.RUN]
    assert len(rows) == len(asked)
    for (what, cells), right in zip(rows, asked, strict=True):
        given = ["yes" in cell for cell in cells.split("|")[1:]]
        roles = [Role.OWNER, Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER]
        assert given == [may(visitor_as(role), right) for role in roles], what


def ways_in(data: Path, here: str) -> dict[str, tuple[str, Role | None, bool]]:
    """{a kind of key: how its visitor came, the role in the project ``here``, whether it counts in
    every project}"""
    register, there = Register(data), {here: Role.ANNOTATOR}
    link = ticket(register.add("Link", None, roles={here: Role.VIEWER}))
    register.add("readers", None, group=True, roles={here: Role.ADJUDICATOR})
    register.add("a@b.org", None, login=True, roles=there)
    register.add("Member", None, login=True, groups=["readers"])
    return {
        "a link": (f"link {token(link, int(time()) + 60)}", Role.VIEWER, False),
        "a login": ("login a%40b.org", Role.ANNOTATOR, False),
        "a group": ("login Member", Role.ADJUDICATOR, False),
        "a share": (f"start {Role.VIEWER}", Role.VIEWER, True),
        "the owner's": (f"start {Role.OWNER}", Role.OWNER, True),
    }


@pytest.mark.parametrize(
    "kind",
    ["a link", "a login", "a group", "a share", "the owner's"],
)  # fmt: skip
def test_every_page_of_every_project_guards_itself(
    kind: str, app, make, come: Come, drawn: None, data_folder: Path
) -> None:
    here = visitor.key(make().record)
    make("other", seed=2)
    way, role, everywhere = ways_in(data_folder, here)[kind]
    come(way)
    for page, right in PAGES.items():
        if page == "method":  # in ``papers/test_method_pages.py``
            continue
        for project in ("demo", "other"):
            test = app("" if page == "app" else page, project=project)
            counts = everywhere or (project == "demo" and page in OF_PROJECTS)
            rights = RIGHTS[role] if counts else frozenset()
            allowed = right is None or right in rights
            assert (DRAWN in texts(test)) == allowed, (kind, page, project)
            assert ("You are here as" in texts(test)) != allowed
            inside = RIGHTS[role] if everywhere or project == "demo" else frozenset()
            on = next((one for one in visitor.WAYS_ON if PAGES[one] in inside), None)
            leads = {*visitor.WAYS_ON.values()} & {*links(test)}
            assert leads == ({visitor.WAYS_ON[on]} if on and not allowed else set())
            offered = {Path(WAYS[label]).stem for label in links(test) if label not in leads}
            assert offered == {
                one for one, asked in PAGES.items() if one in around(page) and (
                    asked is None
                    or asked in (inside if one in OF_PROJECTS else rights if everywhere else ())
                )
            }  # fmt: skip


def test_the_start_page_lists_the_projects_of_ones_own_roles(
    app, make, come: Come, data_folder: Path
) -> None:
    here = visitor.key(make().record)
    make("other", seed=2)
    for way, _, everywhere in ways_in(data_folder, here).values():
        come(way)
        shown = links(app())
        assert "**demo**" in shown and ("**other**" in shown) == everywhere


def test_no_press_reaches_another_project(
    make, come: Come, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An owner of one project presses what acts on another, also from the first one's page."""
    here = visitor.key(make().record)
    make("other", seed=2)
    Register(data_folder).add("Ann", None, login=True, roles={here: Role.OWNER})
    come("login Ann")
    monkeypatch.setattr(st, "session_state", {"key": "Archive", "surface": {"press": None}})
    monkeypatch.setattr(st, "query_params", {"project": "demo"})
    for module, name, right in acts():
        act = getattr(importlib.import_module(f"labelcore.{module}"), name)
        named = list(inspect.signature(act).parameters)
        if "project" not in named:
            continue
        for project in ("other", "nowhere"):
            st.session_state.pop(presses.PROBLEM, None)
            act(*[project if one == "project" else "key" for one in named])
            said = st.session_state.get(presses.PROBLEM, "")
            assert "You are here as a guest" in said, (module, name, right, project)
    with pytest.raises(ValueError, match="You are here as a guest"):
        sessions.session("other")
    assert sessions.session("demo").project == "demo"


def test_people_says_who_has_a_role_here(app, make, come: Come, data_folder: Path) -> None:
    here = visitor.key(make(labels=2).record)
    ways = ways_in(data_folder, here)
    come(ways["a link"][0])
    page = app("people", project="demo")
    roles = page.table[1].value
    assert roles["Person"].tolist()[1:] == ["Link", "Member", "readers"]
    assert roles["Role here"].tolist() == ["annotator", "viewer", *["adjudicator"] * 2]
    assert not [one for one in page.button if (one.key or "").startswith("role-")]


def given_link(page: AppTest, name: str, role: Role, **more: str) -> str:
    page.text_input(key=keyed(page.text_input, "role-name-")).set_value(name)
    for what, value in {"role": role, **more}.items():
        page.selectbox(key=keyed(page.selectbox, f"role-{what}-")).set_value(value)
    button(page, "role-give-now").click().run()
    once = f"The link of {name}, shown this once:" in [one.value for one in page.text]
    assert once == bool(page.code)
    return page.code[0].value if once else ""


def keyed(found: Any, start: str) -> str:
    return next(one.key for one in found if one.key.startswith(start))


def test_roles_are_given_changed_renewed_and_withdrawn_on_a_page(
    app, make, come: Come, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY, "of a share")
    here = visitor.key(make(labels=2).record)
    register, noted = Register(data_folder), []
    come("start owner")
    page = app("people", project="demo")
    assert not page.code
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access, "LISTENERS", [lambda *one: noted.append(one)])
        link = given_link(page, "Ann", Role.ANNOTATOR)
        secret = link.partition("start=")[2]
        ann = register.by_secret(secret)
        assert ann and ann.roles == {here: Role.ANNOTATOR} and not ann.role and ann.ends
        page.selectbox(key=keyed(page.selectbox, "role-of-Ann")).set_value(Role.VIEWER).run()
        assert register.one("Ann").roles == {here: Role.VIEWER} and not page.code
        button(page, "role-link-Ann").click().run()
        assert register.by_secret(secret) is None
        session = token(ticket(page.code[0].value.partition("start=")[2]), int(time()) + 60)
        assert register.by_token(session)
        given_link(page, "readers", Role.ADJUDICATOR, by="a group of people")
        given_link(page, "c@d.org", Role.OWNER, by="a login", where="in every project")
        assert register.one("readers").group and register.by_login("c@d.org").role == Role.OWNER
        rows = [one.value.replace("\u2060", "") for one in page.text]
        assert {"Ann", "owner", "a group", "by login · never here"} <= {*rows}
        told = [
            one for one in rows if re.fullmatch(r"by link · until \d+ \w+ \d{4} · never here", one)
        ]
        register.seen(register.one("Ann"))
        assert (
            len(told) == 1 and "by link · until" in texts(page) and "last here" in texts(page.run())
        )
        button(page, "role-end-Ann").click().run()
        assert not register.has("Ann") and register.by_token(session) is None
    told = [(what, who) for what, who, _ in noted]
    assert told == [("role", "Ann")] * 3 + [
        ("role", "readers"), ("role", "c@d.org"), ("withdrawn", "Ann")
    ]  # fmt: skip
    assert secret not in str(noted)


def test_a_group_is_changed_on_a_page_by_whoever_runs_every_project(
    app, make, come: Come, data_folder: Path
) -> None:
    here = visitor.key(make(labels=2).record)
    register, noted = Register(data_folder), []
    register.add("readers", None, group=True, roles={here: Role.VIEWER})
    register.add("Ann", None, login=True, groups=["readers"])
    register.add("Bob", None, login=True, roles={here: Role.OWNER})
    register.add("Run", Role.OWNER, login=True)
    come("login Bob")
    page = app("people", project="demo")
    assert not [one for one in page.button if (one.key or "").startswith("role-save")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", {"role-inside-x": ["Bob"], "role-called-x": "readers"})
        roles_page.reform("demo", "readers", "x")
        assert "whoever runs every project" in st.session_state[presses.PROBLEM]
    come("login Run")
    page = app("people", project="demo")
    assert [one.key for one in page.button if "role-save" in one.key] == ["role-save-readers"]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(access, "LISTENERS", [lambda *one: noted.append(one)])
        page.multiselect(key=keyed(page.multiselect, "role-inside-readers")).set_value(["Bob"])
        page.text_input(key=keyed(page.text_input, "role-called-readers")).set_value("nurses")
        button(page, "role-save-readers").click().run()
        assert "1: Bob" in texts(page)
        page.multiselect(key=keyed(page.multiselect, "role-inside-nurses")).set_value(["Run"])
        button(page, "role-save-nurses").click().run()
        assert roles_page.NOT_MYSELF[:-1] in texts(page)
    assert noted == [
        ("role", "Bob", "in the group readers"), ("role taken", "Ann", "the group readers"),
        ("role", "nurses", "the group that was readers"),
    ]  # fmt: skip
    assert register.visitor(register.one("Ann")).rights == frozenset()
    assert register.one("Bob").groups == ("nurses",) and register.one("Run").groups == ()


def test_who_owns_one_project_is_offered_nothing_that_makes_another(
    app, make, come: Come, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """New project, Watch and duplicates are of no project, so that they would be refused."""
    session = make(labels=5)
    session.finish()
    Register(data_folder).add("Eve", None, login=True, roles={
        visitor.key(session.record): Role.OWNER})  # fmt: skip
    for way, offered in (("login Eve", False), ("start owner", True)):
        come(way)
        pages = [app(page, project="demo") for page in ("label", "explore")]
        found = {one.key for page in pages for one in page.button}
        for key in ("same-file", "to-list"):
            assert (key in found) == offered, key
        menu = app().menu_button[0]
        assert ("Duplicate" in menu.options) == offered and "Erase" in menu.options
        assert ("New project" in [one.label for one in app().button]) == offered
    come("login Eve")
    monkeypatch.setattr(st, "session_state", {"life-name-x": "another", "life-seed-x": "same"})
    monkeypatch.setattr(st, "query_params", {})
    project_menu.duplicate("demo", "life-name-x", "life-seed-x")
    assert "You are here as a guest" in st.session_state[presses.PROBLEM]


def test_one_item_is_erased_by_whoever_runs_every_project_of_its_file(
    app, make, come: Come, data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make(labels=2)
    other = make("other", seed=2)
    Register(data_folder).add("Eve", None, login=True, roles={
        visitor.key(session.record): Role.OWNER})  # fmt: skip
    for way, offered in (("login Eve", False), ("start owner", True)):
        come(way)
        page = app()
        page.menu_button[-1].set_value("Erase").run()  # The oldest project is the last one.
        (asked,) = [one for one in page.radio if one.key.startswith("life-what")]
        assert (project_menu.ERASED_WHAT[project_menu.ITEM] in asked.options) == offered
    asked.set_value(project_menu.ITEM).run()
    assert "file: 1 more" in texts(page)
    item = next(one.item_id for one in session.events if one.item_id)
    come("login Eve")
    given = {"life-what-x": project_menu.ITEM, "life-id-x": item, "life-why-x": "asked for"}
    monkeypatch.setattr(st, "session_state", given)
    monkeypatch.setattr(st, "query_params", {})
    project_menu.erase("demo", "x")
    assert st.session_state[presses.PROBLEM] == project_menu.NOT_ALONE
    assert TEXT_GONE not in (session.item_by_id(item)["text"], other.item_by_id(item)["text"])


def test_an_owner_of_one_project_gives_and_ends_nothing_elsewhere(
    app, make, come: Come, data_folder: Path
) -> None:
    """Nor a role of their own, nor the link of somebody with a role elsewhere."""
    here, there = (visitor.key(one.record) for one in (make(labels=2), make("other", seed=2)))
    register = Register(data_folder)
    register.add("Eve", None, login=True, roles={here: Role.OWNER})
    register.add("Both", None, roles={here: Role.VIEWER, there: Role.OWNER})
    register.add("All", Role.VIEWER)
    register.add("Here", None, roles={here: Role.VIEWER})
    before = register.one("Both")
    come("login Eve")
    page = app("people", project="demo")
    offered = {one.key for one in page.button if (one.key or "").startswith("role-")}
    assert offered == {"role-end-Both", "role-end-Here", "role-link-Here", "role-give-now"}
    assert not [one for one in page.selectbox if one.key.startswith("role-where")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(st, "session_state", {})
        register.add("readers", None, group=True, roles={there: Role.OWNER})
        register.add("In", None, groups=["readers"], roles={here: Role.VIEWER})
        for name, act in (
            ("Both", "renew"),
            ("In", "renew"),
            ("All", "withdraw"),
            ("eve", "withdraw"),
        ):
            st.session_state.pop(presses.PROBLEM, None)
            getattr(roles_page, act)("demo", name)
            assert st.session_state[presses.PROBLEM]
        new = {"role-name-x": "New", "role-role-x": "viewer"}
        for forged in (
            {"role-by-x": roles_page.GROUP}, {"role-where-x": roles_page.EVERYWHERE},
            {"role-groups-x": ["readers"]}, {"role-name-x": "Eve"},
        ):  # fmt: skip
            patch.setattr(st, "session_state", {**new, **forged})
            roles_page.give("demo", "x")
            assert st.session_state[presses.PROBLEM] and not register.has("New"), forged
        come("start owner")
        patch.setattr(
            st, "session_state", {**new, "role-name-x": "Here", "role-where-x": "in every project"}
        )
        roles_page.give("demo", "x")
        assert "has a role already" in st.session_state[presses.PROBLEM]
        roles_page.withdraw("demo", "All")
        come("login Eve")
    assert register.one("Both") == before and not register.has("All")
    assert register.one("Eve").roles == {here: Role.OWNER}
    button(page, "role-end-Both").click().run()
    button(page, "role-end-Here").click().run()
    assert register.one("Both").roles == {there: Role.OWNER} and not register.has("Here")


def test_somebody_alone_gives_no_roles(app, make, come: Come) -> None:
    make(labels=2)
    come("plain")
    assert "Who may do what" not in texts(app("people", project="demo"))


WAYS = {"Projects": "app.py", **setup.PAGES, **setup.OUTSIDE, **setup.SHARED}


def links(test: AppTest) -> dict[str, str]:
    """{words of each link on the page: to which page it leads}"""
    return {one.proto.label: one.proto.page_script_hash for one in test.get("page_link")}


def around(page: str) -> set[str]:
    """The pages that the head of a page leads to, if one may see them."""
    alone = {*PAGES} - {*OF_PROJECTS, "method"}
    return {"app", *(OF_PROJECTS if page in OF_PROJECTS else alone)}


@pytest.mark.parametrize("way", ["", "link 123", "login nobody", "login ", "open", ASK])
def test_who_has_no_role_sees_no_page(way: str, app, make, come: Come, drawn: None) -> None:
    make()
    come(way)
    for page in PAGES:
        test = app("" if page == "app" else page, project="demo")
        assert DRAWN not in texts(test) and "demo" not in texts(test)


# --- acts ---------------------------------------------------------------------------------------

ROOT = Path(__file__).parents[3]


def modules() -> list[Path]:
    return sorted(
        one for room in ("ui", "team") for one in (ROOT / "labelcore" / room).glob("*.py")
    )


@cache
def acts() -> list[tuple[str, str, Right]]:
    """(module, name, right) of everything that a press calls and that asks for a right."""
    found = []
    for file in modules():
        for node in ast.parse(file.read_text("utf-8")).body:
            for one in node.decorator_list if isinstance(node, ast.FunctionDef) else []:
                if isinstance(one, ast.Call) and ast.unparse(one.func).split(".")[-1] == "acting":
                    right = Right[ast.unparse(one.args[0]).removeprefix("Right.")]
                    found.append((f"{file.parent.name}.{file.stem}", node.name, right))
    return found


def pressed(node: ast.AST) -> str:
    """What a press calls by this part of a module; "" where it calls nothing."""
    match node:
        case (
            ast.Call(func=ast.Name(id="button"), args=[_, _, ast.Call(args=[act, *_]) | act, *_])
            | ast.keyword(arg="on_click" | "on_change", value=act)
        ):
            return ast.unparse(act)
    return ""


def test_what_acts_on_a_project_asks_for_a_right() -> None:
    """A press that is no ``acting`` changes what this page shows and nothing else."""
    asking = {f"{module.partition('.')[2]}.{name}" for module, name, _ in acts()}
    assert {right for *_, right in acts()} == {Right.JUDGE, Right.SETTLE, Right.RUN}
    called = set()
    for module in modules():
        for act in map(pressed, ast.walk(ast.parse(module.read_text("utf-8")))):
            if re.fullmatch(r"[\w.]+", act):
                called.add(act if "." in act else f"{module.stem}.{act}")
    own = {
        "start.show_all_rows", "asking.begin", "new_confidence.begin", "new_screens.go",
        "figures.keep_shown", "new_aim.go", "now.take", "now.close",
        "asked.now.take", "items.now.take", "new_price._switched", "new_tree._used",
        "watch_preview._take", "st.login", "st.logout", "audit_page.show_more",
        "review.turn", "settling.look_at",         # the reading of a file that this page waits for:
        "waiting.stop", "waiting.on_click",
        # handed on by functions whose callers name an act:
        "answers.act", "presses.act", "project_menu.act",
    }  # fmt: skip
    assert own <= called, own - called
    assert called - own <= asking, called - own - asking


@pytest.mark.parametrize("role", list(Role))
def test_every_act_is_refused_to_those_who_have_not_the_right(
    role: Role, come: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    reached: list[str] = []

    def session(project: str) -> None:
        reached.append(project)
        raise ValueError("reached")

    monkeypatch.setattr(sessions, "session", session)
    monkeypatch.setattr(sessions, "registry", lambda: session("registry"))
    monkeypatch.setattr(sessions, "store", lambda: session("store"))
    monkeypatch.setattr(st, "session_state", {"key": "Archive", "surface": {"press": None}})
    come(f"start {role}")
    for module, name, right in acts():
        act = getattr(importlib.import_module(f"labelcore.{module}"), name)
        needed = [one for one in inspect.signature(act).parameters.values()
                  if one.default is one.empty and one.kind != one.VAR_KEYWORD]  # fmt: skip
        reached.clear()
        st.session_state.pop(presses.PROBLEM, None)
        act(*["key"] * len(needed))
        refused = "You are here as" in st.session_state.get(presses.PROBLEM, "")
        assert refused == (right not in RIGHTS[role]), (role, module, name)
        assert not (refused and reached)


def test_nobody_makes_a_project_without_the_right(come: Come) -> None:
    from labelcore.ui.new_project import create

    for role in (Role.ADJUDICATOR, Role.ANNOTATOR, Role.VIEWER):
        come(f"start {role}")
        with pytest.raises(ValueError, match="You are here as an? "):
            create(*[None] * 4)  # type: ignore[arg-type]


def test_the_surface_cannot_be_made_to_do_more(app, make, come: Come) -> None:
    """What the browser sends is a word: one that the page does not offer is refused as well."""
    session = make(labels=3)
    come("start annotator")
    page = app("label", project="demo")
    flag = button(page, "flag")
    flag.press["act"] = "finish"
    flag.click().run()
    assert "You are here as an annotator" in texts(page)
    assert "finish-now" not in [one.key for one in page.button]
    session.sync()
    assert session.going_on


# --- what is on the pages -----------------------------------------------------------------------


def test_an_annotator_judges_and_sees_no_figure(app, make, come: Come) -> None:
    session = make(labels=50, budget=52)
    assert pictures(app("label", project="demo"))
    come("start annotator")
    page = app("label", project="demo")
    assert not pictures(page) and "finish" not in [one.place for one in surface_buttons(page)]
    for _ in range(2):
        button(page, "positive").click().run()
    session.sync()
    assert session.labels == 52
    assert "Thank you: nothing more is asked of you here." in texts(page)
    assert not pictures(page)
    offered = {one.key for one in page.button}
    assert not offered & {"state-finish", "second-pass", "go-on", "to-report"}
    start = app()
    assert not pictures(start)
    assert links(start)["**demo**"] == links(page)["Label"]
    assert not [one for one in start.button if one.key == "start-new"]


def test_somebody_alone_sees_nothing_of_roles(app, make, come: Come) -> None:
    make(labels=3)
    pages = {page: texts(app(page, project="demo")) for page in ("", "label", "review")}
    come("plain")
    for page, said in pages.items():
        now = texts(app(page, project="demo"))
        assert now == said and not re.search(r"owner|annotator|viewer|Leave|Log out", now)


def test_a_viewer_changes_nothing(app, make, come: Come) -> None:
    make(labels=10)
    come("start viewer")
    page = app("review", project="demo")
    page.session_state["review-opened"] = (1, "c" * 24)
    page.run()
    assert "Answered " in texts(page) and not [b for b in page.button if "change" in (b.key or "")]
    start = app()
    assert pictures(start)
    assert not start.get("menu_button") and "Label" not in links(page)
    assert links(start)["**demo**"] == links(page)["Progress"]
    said = [one.value for one in app("report", project="demo").caption]
    assert any(INTERIM in one for one in said) and not any(GO_ON in one for one in said)
    come("start adjudicator")
    page = app("review", project="demo")
    page.session_state["review-opened"] = (1, "c" * 24)
    assert [b for b in page.run().button if "change" in (b.key or "")]


def test_only_an_adjudicator_changes_what_another_answered(app, make, come: Come) -> None:
    session = make()
    for who in ("bob", "me"):
        session.answer(session.next(who), "yes", annotator=who)
    come("start annotator")
    page = app("label", project="demo")
    for index, changed in ((1, False), (2, True)):
        page.session_state["panel"] = {
            "name": "open", "project": "demo", "index": index, "token": f"{index}" * 24
        }  # fmt: skip
        page.run()
        keys = [b.key for b in page.button if "change-negative" in (b.key or "")]
        assert bool(keys) == changed


@pytest.mark.parametrize(("role", "changes"), [("annotator", False), ("adjudicator", True)])
def test_a_forged_change_of_what_another_answered_is_refused(
    role: str, changes: bool, make, come: Come, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make()
    for who in ("bob", "me", "me"):
        session.answer(session.next(who), "yes", annotator=who)
    monkeypatch.setattr(st, "session_state", {})
    come(f"start {role}")
    for index in (1, 2):
        actions.change("demo", index, "no", f"{index}" * 24)
    session.sync()
    found = [session.engine.in_force(index).label for index in (1, 2)]
    assert found == ["no" if changes else "yes", "no"]


# --- names --------------------------------------------------------------------------------------


def test_a_name_of_a_login_is_the_author_and_cannot_be_changed(
    app, make, come: Come, data_folder: Path
) -> None:
    session = make()
    Register(data_folder).add("Ann@Example.org", Role.ANNOTATOR, login=True)
    come("login ann@example.org")
    page = app("label", project="demo")
    assert "Ann@Example.org · annotator" in texts(page)
    button(page, "positive").click().run()
    assert "who-name" not in [one.key for one in page.text_input]
    button(page, "help").click().run()
    assert naming.GIVEN.format(name="Ann@Example.org") in texts(page)
    assert "who-name" not in [one.key for one in page.text_input]
    session.sync()
    assert [one.annotator for one in session.events if one.kind == "labelled"] == [
        "Ann@Example.org"
    ]
    with pytest.raises(ValueError, match="another person is called 'ann@example.org'"):
        naming.introduce(session, "ann@example.org", "me")


def test_a_role_that_is_taken_away_ends_at_the_next_press(
    app, make, come: Come, data_folder: Path
) -> None:
    session = make()
    register = Register(data_folder)
    register.add("Ann", Role.ANNOTATOR, login=True)
    come("login Ann")
    page = app("label", project="demo")
    register.remove("Ann")
    button(page, "positive").click().run()
    session.sync()
    assert not [one for one in session.events if one.kind == "labelled"]
    assert "who has no role here" in texts(page) and not surface_buttons(page)


def test_a_browser_has_its_name_in_the_next_project_too(
    app, make, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second, third = (make(name) for name in ("demo", "second", "third"))
    mine, others = "a" * 32, "b" * 32
    monkeypatch.setattr(people, "secret", lambda: mine)
    assert people.name(first) == "me" and second.person(others) == "me"
    first.introduce("Ann", "me")
    assert people.name(second) == "me 2"
    page = app("label", project="second")
    assert "who-name" not in [one.key for one in page.text_input]
    second.sync()
    assert second.called("me 2") == "Ann" and second.called("me") == "me"
    keys = {key for one in (first, second) for key in one.store.keys(one.project)}
    assert len(keys) == 3, "a store does not show that it is the same browser"
    third.person(others)
    third.introduce("Ann", "me")
    page = app("label", project="third")
    assert "who-name" in [one.key for one in page.text_input], "the name is another's there"
