"""Groups of people by command."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest

from labelcore import access
from labelcore.cli import main
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
