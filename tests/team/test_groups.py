"""Groups of people by command."""

import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pandas as pd
import pytest

import labelcore as lc
from labelcore import access
from labelcore.cli import main
from labelcore.settings import DATA, STORE
from labelcore.store import open_store
from labelcore.team import commands
from labelcore.team.register import Register
from labelcore.team.roles import Role


def test_groups_get_people_another_name_and_an_end(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    commanded: list[access.Listener] = []
    for module in (access, commands):  # The commands run in a process of their own.
        monkeypatch.setattr(module, "LISTENERS", commanded)

    def run(*order: str) -> tuple[int, str]:
        return main(["people", *order, "--data", str(tmp_path)]), capsys.readouterr().err

    register = Register(tmp_path)
    for name, kind in (("Ann", "--login"), ("medics", "--group"), ("readers", "--group")):
        assert run("add", name, "--role", "viewer", "--every-project", kind)[0] == 0
    for order in (("join", "ann", "--in", "medics"), ("rename", "medics", "Nurses"),
                  ("join", "Ann", "--in", "readers"), ("leave", "Ann", "--in", "readers"),
                  ("rename", "Nurses", "nurses")):  # fmt: skip
        assert run(*order)[0] == 0
    assert register.one("Ann").groups == ("nurses",) and not register.has("medics")
    assert register.one("nurses").role == Role.VIEWER and register.one("NURSES").group
    assert register.visitor(register.one("nurses")) is None
    assert register.visitor(register.one("Ann"))
    for order, said in (
        (("join", "nurses", "--in", "readers"), "name must be of a person, got the group 'nurses'"),
        (("join", "Ann", "--in", "Ann"), "group must be one that was added with --group"),
        (("leave", "Ann", "--in", "readers"), "name must be of somebody in the group 'readers'"),
        (("rename", "nurses", "Readers"), "'Readers' has a role already"),
        (("rename", "Ann", "Bob"), "group must be one that was added with --group"),
        (("add", "x", "--role", "viewer", "--every-project", "--group", "--in", "nurses"),
         "groups must be none for a group itself"),
    ):  # fmt: skip
        code, error = run(*order)
        assert code == 2 and said in error, order
    assert run("remove", "nurses")[0] == 0
    assert register.one("Ann").groups == ()
    with closing(open_store(f"sqlite:///{tmp_path / 'labelcore.db'}")) as store:
        told = [(one.what, one.about) for one in store.acts()]
    assert told == [
        ("role", "Ann: viewer in every project"), ("role", "medics: viewer in every project"),
        ("role", "readers: viewer in every project"), ("role", "Ann: in the group medics"),
        ("role", "Nurses: the group that was medics"), ("role", "Ann: in the group readers"),
        ("role taken", "Ann: the group readers"), ("role", "nurses: the group that was Nurses"),
        ("withdrawn", "nurses: a group, with Ann in it"),
    ]  # fmt: skip


def test_roles_in_projects_are_given_taken_and_listed_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (access, commands):  # The commands run in a process of their own.
        monkeypatch.setattr(module, "LISTENERS", [])

    def run(*order: str) -> str:
        code = main(["people", *order, "--data", str(tmp_path)])
        said = capsys.readouterr()
        return said.err if code else said.out

    ann, letters = ("add", "Ann", "--role", "viewer"), ("--project", "Letters")
    assert run("list") == "Nobody has a role yet.\n"
    assert "must be one of those there (none yet), got 'Letters'" in run(*ann, *letters)
    assert not (tmp_path / "labelcore.db").exists(), "who is listed makes no store"
    store = f"sqlite:///{tmp_path / 'labelcore.db'}"
    frame = pd.DataFrame({"id": [*"abcde"], "text": "t", "call": [*"yynny"]})
    items = lc.read_population(frame, id="id", content="text", predictions={"m": "call"})
    for name in ("Letters", "Notes"):
        lc.Session(items, lc.Plan("simple_random", "accuracy", budget=5), store, name)
    assert "say where" in run(*ann) and "say where" in run(*ann, *letters, "--every-project")
    assert run(*ann, *letters, "--url", "https://a.b/").startswith("https://a.b/?start=")
    for order, said in (
        (("add", "a@b.org", "--role", "owner", "--every-project", "--login"),
         "a@b.org is owner after logging in so."),
        (("add", "medics", "--role", "viewer", "--every-project", "--group"),
         "medics is a group now."),
        (("join", "Ann", "--in", "medics"), "Ann is in medics."),
        (("leave", "Ann", "--in", "medics"), "Ann is not in medics."),
        (("rename", "medics", "nurses"), "medics is called nurses now."),
        (("join", "Ann", "--in", "nurses"), "Ann is in nurses."),
        (("give", "Ann", "--role", "annotator", *letters, "--project", "Notes"),
         "Ann is annotator in Letters, Notes."),
        (("take", "Ann", "--project", "Notes"),
         "Ann has no role of their own in Notes any more."),
    ):  # fmt: skip
        assert run(*order) == f"{said}\n"
    register = Register(tmp_path)
    register.seen(register.one("Ann"))
    ends, seen = register.one("Ann").ends, register.last_seen(register.one("Ann"))
    assert run("list").splitlines() == [
        "a@b.org: owner, by login",
        f"Ann: annotator in Letters, nurses, by link, ends {ends[:10]}, last here {seen[:16]}",
        "nurses: viewer, by group",
    ]
    assert "'Letters'" in run("take", "Ann", "--project", "letters"), "those there are"
    register.give("Ann", Role.VIEWER, "another key")
    assert json.loads(run("list", "--json"))["people"][1] == {
        "name": "Ann", "role": "", "groups": ["nurses"], "by": "link", "ends": ends,
        "projects": {"Letters": "annotator", "a project that is gone": "viewer"},
        "last_visit": seen,
    }  # fmt: skip
    assert run("remove", "Ann") == "Ann has no role any more.\n" and not register.has("Ann")
    monkeypatch.setenv(STORE, store)
    monkeypatch.setenv(DATA, str(tmp_path / "other"))
    assert main(["people", "add", "Eve", "--role", "viewer", *letters]) == 0
    assert Register(tmp_path / "other").has("Eve") and not register.has("Eve")


def test_several_may_give_roles_at_once_and_bring_nobody_back(tmp_path: Path) -> None:
    register = Register(tmp_path)
    register.add("Ann", None)
    projects = [f"project {number}" for number in range(60)]
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda key: register.give("Ann", Role.VIEWER, key), projects))
        assert register.one("Ann").roles.keys() == {*projects}
        given = pool.map(lambda key: register.give("Ann", Role.ANNOTATOR, key), projects)
        register.remove("Ann")
        with suppress(ValueError):  # Of whom nobody knows any more.
            list(given)
    assert not register.has("Ann")
