"""A backup, its way back, and a copy by the command line; gate and replay agree with them."""

import json
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

import labelcore as lc
from labelcore.cli import stores
from labelcore.session.backups import Difference, KeptProject
from labelcore.session.integrity import ProjectState
from tests import rooms
from tests.answering import answer_draws
from tests.cli.conftest import Run
from tests.postgres import PASSWORD, Server
from tests.report.sessions import session_on, write_items


@pytest.fixture
def made(tmp_path: Path) -> tuple[str, lc.Session]:
    write_items(tmp_path / "items.csv")
    url = f"sqlite:///{tmp_path}/labels.db"
    session = session_on(tmp_path / "items.csv", store=url)
    answer_draws(session, "yes", 5)
    return url, session


def test_erasing_says_what_went_and_what_is_out_of_reach(
    made: Any, tmp_path: Path, run: Run
) -> None:
    url, session = made
    asked = [one.item_id for one in session.events if one.answers]
    answer_draws(session, "yes", 1, who="Bob")
    session.finish()
    store = ("--store", url, "--project", "spam")
    why = ("--who", "Ann", "--why", "asked for")
    bundle = tmp_path / "spam.zip"
    assert run("export", "bundle", *store, "-o", bundle)[0] == 0
    code, out, _ = run("erase", "items", asked[0], asked[1], *store, *why)
    assert code == 0 and out.startswith("spam: 2 texts erased.\n") and not bundle.exists()
    assert f"Erased too: {bundle}, written from it." in out
    assert f"Out of reach: {tmp_path / 'items.csv'}, where the items were read." in out
    code, out, _ = run("replay", *store)
    assert code == 0 and "Erased: 2 texts" in out
    code, out, _ = run("erase", "person", "Bob", "--store", url, *why)
    assert code == 0 and "spam: the name is erased; 'erased 1' stands instead." in out
    code, out, _ = run("erase", "retention", *store, "--days", "30")
    assert (code, out) == (0, "spam: texts go 30 days after its end.\n")
    assert run("erase", "retention", "--store", url)[1] == "No text is due.\n"
    code, out, _ = run("erase", "retention", *store, "--days", "0", "--json")
    assert code == 0 and json.loads(out) == {"project": "spam", "days": None}
    code, _, err = run("erase", "items", *store, *why)
    assert code == 2 and "Name the ids of items, or give --every." in err
    code, out, _ = run("erase", "project", "spam", "--store", url, *why)
    assert code == 0 and out.startswith("spam: the project is erased, with ")
    code, _, err = run("status", *store)
    assert code == 2 and "no project 'spam'" in err


def test_what_is_no_place_and_no_dump_is_said_in_words(made: Any, tmp_path: Path, run: Run) -> None:
    url, _ = made
    code, _, err = run("dump", "--store", url, "-o", tmp_path / "none" / "d.jsonl")
    assert code == 2 and err.endswith("d.jsonl cannot be written: No such file or directory\n")
    (tmp_path / "d.jsonl").write_bytes(bytes(range(256)))
    code, _, err = run("dump", "--store", url, "-o", tmp_path / "d.jsonl")
    assert code == 2 and "d.jsonl exists already; give --force to write over it" in err
    assert run("dump", "--store", url, "-o", "-")[1].count('"kind"') == 10
    new = f"sqlite:///{tmp_path / 'new.db'}"
    code, _, err = run("load", tmp_path / "d.jsonl", "--store", new)
    assert code == 2 and "d.jsonl is no whole dump of a store: line 1 " in err
    assert not (tmp_path / "new.db").exists()
    assert run("dump", "--store", url, "-o", tmp_path / "d.jsonl", "--force")[0] == 0
    assert run("load", tmp_path / "d.jsonl", "--store", new)[0] == 0
    code, _, err = run("monitor", tmp_path / "plan.toml")
    assert code == 2 and "plan.toml' does not exist" in err


def test_backup_restore_and_copy(made: Any, tmp_path: Path, run: Run) -> None:
    url, session = made
    file = tmp_path / "backup.db"
    code, out, _ = run("backup", "--store", url, "-o", file)
    assert code == 0 and "1 project." in out and "5 answers; its log is whole, seal " in out
    answer_draws(session, "yes", 2)
    code, _, err = run("restore", file, "--store", url)
    assert code == 2 and "with 2 answers since" in err and "Nothing was changed." in err
    code, out, _ = run("restore", file, "--store", url, "--recover")
    assert code == 0 and "spam: 2 answers given after the backup recovered." in out
    code, out, _ = run("restore", file, "--store", url, "--force")
    assert code == 0 and "with 2 answers since" in out and "The store that was there is" in out
    assert f"{url} is the backup {file} now." in out
    assert lc.Session.open(url, "spam").labels == 5

    (tmp_path / "labels.db").write_bytes(b"no database" * 900)
    for more, said in (("--rehearse", "would be lost"), ("--force", "was lost")):
        code, out, _ = run("restore", file, "--store", url, more)
        assert code == 0 and f"What {said} is not known: " in out

    other = f"sqlite:///{tmp_path}/other.db"
    code, out, _ = run("copy", "--store", url, "--to", other)
    assert code == 0 and "spam: " in out and " events copied to" in out and "0 there before" in out
    code, out, _ = run("copy", "--store", url, "--to", other, "--project", "spam", "--json")
    assert code == 0 and json.loads(out)["projects"][0]["events"] == 0
    code, out, _ = run("replay", "--store", other, "--project", "spam")
    assert code == 0 and "Everything agrees." in out


def test_every_state_of_a_project_has_its_sentence() -> None:
    held: Any = SimpleNamespace(sentences=lambda: ["Held."])
    state = ProjectState("spam", 3, 1, 3, "", 0, 2, "items gone", "file gone", "title", held)
    assert stores._state_lines(state)[2:5] == [
        "spam: 2 stored texts changed or lost outside Labelcore; not shown.",
        "spam: changed beside its log, and not used: title.",
        "spam: items gone. Its labels are whole.",
    ]
    kept = KeptProject("spam", 3, 1, "", 2)
    assert stores._kept_line(kept).endswith("its log was changed outside Labelcore at event 2.")
    lines = stores._lines([Difference("spam", 3, 0, 0, "", 2, 1)], "would have ")
    assert lines[1:] == ["spam: 2 events with 1 answer would be back."]
    gone = stores._lines([Difference("ham", 0, 0, 0, "", 0, 0, True)], "would have ")
    assert gone == ["ham: not in the backup, and would be gone."]


def test_bad_input_is_refused(made: Any, tmp_path: Path, run: Run) -> None:
    url, _ = made
    code, _, err = run("backup", "--store", f"sqlite:///{tmp_path}/no.db", "-o", "x.db")
    assert code == 2 and "There is no store at" in err
    code, _, err = run("backup", "--store", url, "-o", "-")
    assert code == 2 and "a backup is a file" in err
    code, _, err = run("restore", tmp_path / "no.db", "--store", url)
    assert code == 2 and "There is no store at" in err
    code, _, err = run("copy", "--store", url, "--to", "ftp://x", "--project", "spam")
    assert code == 2 and "is not the address of a store" in err
    other = f"sqlite:///{tmp_path}/other.db"
    code, _, err = run("copy", "--store", url, "--to", other, "--project", "none")
    assert code == 2 and "There is no project 'none'" in err
    assert not (tmp_path / "other.db").exists()


@rooms.needs("team")
def test_a_store_in_postgresql(
    made: Any, postgres_server: Server, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url, session = made
    there = f"{postgres_server.network_url()}&options=-csearch_path%3Dcli"
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute("CREATE SCHEMA cli")
    code, out, _ = run("copy", "--store", url, "--to", there)
    assert code == 0
    assert f"{len(session.events)} events copied to postgresql://labelcore:***@" in out
    told = [out]
    for command, *given in (
        ["status", "--project", "spam"], ["replay", "--project", "spam"], ["verify"],
        ["backup", "-o", "b.db"], ["restore", "b.db"], ["dump", "-o", "b.jsonl"],
    ):  # fmt: skip
        code, out, err = run(command, "--store", there, *given)
        told += [out, err]
        assert code == 0, err
    assert "Everything agrees." in told[3] and "is whole." in told[5]
    assert "The store that was there is schema labelcore_before_" in told[9]
    run("load", "b.jsonl", "--store", "sqlite:///loaded.db")
    with (
        closing(lc.open_store("sqlite:///loaded.db")) as loaded,
        closing(lc.open_store(there)) as now,
        closing(lc.open_store(url)) as before,
    ):
        assert loaded.events("spam") == now.events("spam")
        assert loaded.contents("spam") == now.contents("spam") == before.contents("spam")
    assert not any(quote(PASSWORD) in one or PASSWORD in one for one in told)
