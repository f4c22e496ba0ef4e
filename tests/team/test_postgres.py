"""What the PostgreSQL store promises beyond the contract: who may in, its schema, its faults."""

import shutil
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg
import pytest
from sqlalchemy.exc import DBAPIError

import labelcore as lc
import labelcore.team as team
from labelcore.errors import MissingStoreError, StoreBusyError, StoreError, StoreNotWritableError
from labelcore.log.events import Content
from labelcore.session.copying import copy_project
from labelcore.session.erasing import erase_project
from labelcore.session.integrity import verify
from labelcore.store import (
    Erasure,
    LabelStore,
    ProjectRecord,
    RepeatedTokenError,
    backups,
    held,
    open_store,
)
from labelcore.team import postgres as postgres_schema
from labelcore.ui.sessions import Registry, address
from tests.answering import answer_draws
from tests.awaited import at_once
from tests.postgres import PASSWORD, Server, running
from tests.report.sessions import session_on, write_items
from tests.stores import AT, RECORD, answered, check_tables, drawn


@pytest.fixture
def store(postgres_url: str) -> Iterator[LabelStore]:
    store = open_store(postgres_url, busy_seconds=0.3)
    store.create(RECORD)
    store.append("spam", [drawn(1, "t1"), answered(2, "t1")], {"m-1": Content({"text": "hello"})})
    yield store
    store.close()


def told(url: str, *statements: str) -> None:
    with psycopg.connect(url, autocommit=True) as connection:
        for statement in statements:
            connection.execute(statement)


# The address


def test_without_the_extra_the_address_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(team, "find_spec", lambda name: None)
    with pytest.raises(StoreError, match=r"pip install 'labelcore\[postgresql\]'"):
        open_store("postgresql://host/labels")


@pytest.mark.parametrize("url", ["postgresql://host", "postgresql://host:port/x", "postgresql://"])
def test_an_address_needs_a_database(url: str) -> None:
    with pytest.raises(ValueError, match="needs the name of a database, as in postgresql://user"):
        open_store(url)


@pytest.mark.parametrize("url", ["network_url", "nobody"])
def test_who_is_not_let_in_hears_why_and_no_password(postgres_server: Server, url: str) -> None:
    user, word = ("nobody", PASSWORD) if url == "nobody" else ("labelcore", "not the secret")
    with pytest.raises(StoreError, match="does not let Labelcore in. Check the name") as caught:
        open_store(postgres_server.network_url(user, word))
    assert not isinstance(caught.value, StoreBusyError)
    assert word not in str(caught.value) and ":***@127.0.0.1" in str(caught.value)
    store = open_store(f"{postgres_server.url()}&password={quote(PASSWORD)}")
    assert store.url == "postgresql://labelcore@/postgres"
    store.close()


def test_a_database_that_is_not_there(postgres_server: Server) -> None:
    with pytest.raises(StoreError, match='does not let .* "nowhere" does not exist'):
        open_store(postgres_server.url(database="nowhere"))


def test_only_what_the_server_said_first_is_told() -> None:
    error = DBAPIError("SELECT 1", {}, psycopg.errors.UndefinedTable("no table\nLINE 1"))
    assert str(postgres_schema.store_error("postgresql://x", error)).endswith(" (no table)")


def test_a_server_that_is_not_there() -> None:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port = one.getsockname()[1]
    with pytest.raises(StoreBusyError, match="does not answer: its server is stopped"):
        open_store(f"postgresql://labelcore@127.0.0.1:{port}/labels")


def test_sqlalchemys_name_of_the_client_is_understood(postgres_url: str) -> None:
    store = open_store(postgres_url.replace("postgresql:", "postgresql+psycopg:"))
    assert store.projects() == []
    store.close()


def test_the_app_takes_the_address_from_its_setting(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_STORE", postgres_url)
    registry = Registry(address())
    registry.store.create(RECORD)
    registry.store.close()
    store = open_store(postgres_url)
    assert store.projects() == [RECORD]
    store.close()


def test_a_server_that_was_starting_a_moment_ago_lets_people_in(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect, tried = psycopg.connect, []

    def starting(*given: Any, **named: Any) -> Any:
        tried.append(1)
        if len(tried) == 1:
            raise psycopg.OperationalError("FATAL:  the database system is starting up")
        return connect(*given, **named)

    monkeypatch.setattr(psycopg, "connect", starting)
    open_store(postgres_url).close()
    assert len(tried) > 1


def test_items_lie_in_the_folder_of_the_app(store: LabelStore, data_folder: Path) -> None:
    assert store.guarded is not None and store.guarded.parent == data_folder
    assert store.items_folder == store.guarded.with_suffix(".items")
    assert store.guarded.name.startswith("postgres.") and store.guarded.suffix == ".db"


def test_they_stay_there_when_a_program_goes_to_another_folder(
    postgres_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LABELCORE_DATA", "data")
    monkeypatch.chdir(tmp_path)
    with closing(open_store(postgres_url)) as store:
        monkeypatch.chdir("/")
        assert store.guarded is not None and store.guarded.parent == tmp_path / "data"


@pytest.mark.parametrize("moved", [True, False])
def test_a_file_of_the_same_name_is_another_store(
    postgres_url: str, data_folder: Path, tmp_path: Path, moved: bool
) -> None:
    """Its projects went with those of the database that were erased, and so did its backups. What
    an earlier version kept under its names is found again."""
    write_items(tmp_path / "items.csv")
    with closing(open_store(postgres_url)) as there:
        assert there.guarded is not None
        file = data_folder / there.guarded.name.replace(".postgresql", "")
        made = session_on(tmp_path / "items.csv", store=f"sqlite:///{file}")
        answer_draws(made, "yes", 5)
        copy_project(made.store, there, "spam")
        made.store.close()
    (tmp_path / "items.csv").unlink()
    if moved:
        for path in data_folder.glob("*.postgresql.*"):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        shutil.copytree(file.with_suffix(".items"), data_folder / "postgres.items")
        with closing(open_store(postgres_url)) as there:
            answer_draws(lc.Session.open(there, "spam"), "yes", 1)
        assert verify(postgres_url).whole
    with closing(open_store(postgres_url)) as there:
        erase_project(there, "spam", who="Ann", why="it was a trial")
    kept = lc.Session.open(f"sqlite:///{file}", "spam")
    answer_draws(kept, "yes", 1)
    kept.store.close()
    found = verify(f"sqlite:///{file}")
    assert (kept.labels, found.whole) == (6, True) and backups(file), found


# The schema


def test_backups_of_an_earlier_version_are_found_again(
    store: LabelStore, postgres_url: str, data_folder: Path
) -> None:
    assert store.guarded is not None
    stamp, former = "-20260101T000000000000Z.db", store.guarded.name.replace(".postgresql.db", "")
    backup = data_folder / f"{former}.backups" / f"{former}{stamp}"
    backup.parent.mkdir(parents=True)
    backup.touch()
    store.close()
    for path in data_folder.glob("*.postgresql.*"):
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    with closing(open_store(postgres_url)) as again:
        assert [one.name for one in backups(again.guarded)] == [f"{former}.postgresql{stamp}"]


def test_tables_are_those_the_migrations_make(store: LabelStore, postgres_url: str) -> None:
    check_tables(postgres_url.replace("postgresql:", "postgresql+psycopg:"))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE event SET label = 'no' WHERE sequence = 2",
        "DELETE FROM event WHERE sequence = 2",
        "TRUNCATE event",
        "TRUNCATE act",
        "INSERT INTO event (project_id, sequence, kind, at, annotator, detail, hash)"
        " VALUES (1, 4, 'noted', '', '', '{}', '')",
        "UPDATE project SET plan_json = '[]'",
        "UPDATE project SET fingerprint = 'f2'",
    ],
)
def test_the_database_itself_refuses(store: LabelStore, postgres_url: str, statement: str) -> None:
    before = store.events("spam")
    with pytest.raises(psycopg.errors.RaiseException, match="append-only|cannot be changed"):
        told(postgres_url, statement)
    assert store.events("spam") == before and store.project("spam") == RECORD


def test_triggers_are_put_back(store: LabelStore, postgres_url: str) -> None:
    store.erase("spam", Erasure(rewritten=store.events("spam")[:1]))
    with pytest.raises(psycopg.errors.RaiseException, match="cannot be changed"):
        told(postgres_url, "UPDATE event SET text = 'another'")
    told(
        postgres_url,
        "DROP TRIGGER event_is_never_changed ON event",
        "ALTER TABLE project DISABLE TRIGGER plan_is_frozen",
    )
    open_store(postgres_url).close()
    for statement in ("DELETE FROM event", "UPDATE project SET plan_json = ''"):
        with pytest.raises(psycopg.errors.RaiseException):
            told(postgres_url, statement)


def test_after_an_erasure_the_tables_are_written_anew(store: LabelStore, postgres_url: str) -> None:
    def files() -> set[tuple[Any, ...]]:
        tables = "'event'), ('item'), ('person'), ('project'"
        asked = f"SELECT pg_relation_filenode(name) FROM (VALUES ({tables})) AS tables (name)"
        with psycopg.connect(postgres_url) as connection:
            return {*connection.execute(asked)}

    before = files()
    store.cleanse()
    assert len(before) == 4 and not before & files()


def test_a_migration_runs_once_though_servers_start_together(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    newer = [*postgres_schema.MIGRATIONS, ("ALTER TABLE project ADD COLUMN colour TEXT",)]
    for known in (postgres_schema.MIGRATIONS, newer):
        monkeypatch.setattr(postgres_schema, "MIGRATIONS", known)
        at_once(lambda address: open_store(address).close(), [postgres_url] * 3)


def test_a_store_of_the_first_version_is_backed_up_before_it_is_migrated(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = tuple(chain(*postgres_schema.MIGRATIONS))
    newer = "ALTER TABLE project ADD COLUMN colour TEXT"
    for known in ([first], [first, (newer,)]):
        monkeypatch.setattr(postgres_schema, "MIGRATIONS", known)
        open_store(postgres_url).close()
    with closing(open_store(postgres_url)) as store:
        (made,) = backups(store.guarded)
        assert made.stem.endswith("-version-1")


def test_a_migration_that_fails_leaves_nothing(
    postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_store(postgres_url).close()
    broken = ("ALTER TABLE project ADD COLUMN colour TEXT", "SELECT 1 / 0")
    with monkeypatch.context() as patch:
        patch.setattr(postgres_schema, "MIGRATIONS", [*postgres_schema.MIGRATIONS, broken])
        with pytest.raises(StoreError, match="division by zero"):
            open_store(postgres_url)
    store = open_store(postgres_url)
    store.create(RECORD)
    assert store.projects() == [RECORD]
    store.close()


def test_a_newer_schema_is_refused(store: LabelStore, postgres_url: str) -> None:
    told(postgres_url, "UPDATE labelcore SET version = 7")
    with pytest.raises(StoreError, match=r"version 7, and this .* up to \d\. Install the newer"):
        open_store(postgres_url)


def test_another_programs_table_is_left_alone(postgres_url: str) -> None:
    told(postgres_url, "CREATE TABLE project (x INTEGER)")
    with pytest.raises(StoreError, match="has a table 'project' of another program"):
        open_store(postgres_url)


def test_a_missing_store_is_not_made(postgres_url: str) -> None:
    with pytest.raises(MissingStoreError, match="no tables of Labelcore. Nothing was made"):
        open_store(postgres_url, create=False)
    open_store(postgres_url).close()
    open_store(postgres_url, create=False).close()


def test_a_database_of_other_texts_is_refused(postgres_server: Server) -> None:
    told(
        postgres_server.url(), "CREATE DATABASE old ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0"
    )
    with pytest.raises(StoreError, match="keeps its texts in LATIN1, and Labelcore needs UTF8"):
        open_store(postgres_server.url(database="old"))


def test_who_may_only_read_reads(
    store: LabelStore, postgres_url: str, postgres_server: Server
) -> None:
    schema = postgres_url.rsplit("%3D", 1)[1]
    told(
        postgres_url,
        f"CREATE ROLE reader_{schema} LOGIN",
        f"GRANT USAGE ON SCHEMA {schema} TO reader_{schema}",
        f"GRANT SELECT ON ALL TABLES IN SCHEMA {schema} TO reader_{schema}",
    )
    reader = open_store(postgres_url.replace("//labelcore@", f"//reader_{schema}@"))
    assert reader.events("spam") == store.events("spam")
    with pytest.raises(StoreNotWritableError, match="may not write to its tables"):
        reader.append("spam", [answered(3, "t3")])
    reader.close()


def test_a_commit_waits_for_the_log_though_the_database_would_not(postgres_server: Server) -> None:
    told(
        postgres_server.url(),
        "CREATE DATABASE lazy",
        "ALTER DATABASE lazy SET synchronous_commit = off",
    )
    store = open_store(postgres_server.url(database="lazy"))
    with store._writing() as connection:  # type: ignore[attr-defined]
        assert connection.exec_driver_sql("SHOW synchronous_commit").scalar_one() == "on"
    store.close()


# Faults


def test_an_id_too_long_for_an_index_is_refused_whole(store: LabelStore) -> None:
    long = "".join(chr(0x4E00 + number * 7919 % 20_000) for number in range(4_000))
    with pytest.raises(StoreError, match="Shorten the item's id"):
        store.append("spam", [drawn(3, "t3", long)], {long: Content({"text": "x"})})
    assert store.last_sequence("spam") == 2


def test_who_waits_too_long_hears_so_and_other_projects_go_on(store: LabelStore) -> None:
    store.create(ProjectRecord("ham", AT, "f1", "{}", "{}"))
    with store._writing("spam"):  # type: ignore[attr-defined]
        with pytest.raises(StoreBusyError, match="was busy with other work"):
            store.append("spam", [answered(3, "t3")])
        store.append("ham", [drawn(1, "t9")])
    store.append("spam", [drawn(3, "t3")])


def test_a_store_is_held_for_as_long_as_it_takes(
    store: LabelStore, postgres_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres_schema, "IDLE_SECONDS", 0.1)
    with held(postgres_url):
        time.sleep(0.5)
        with pytest.raises(StoreBusyError):
            store.append("spam", [drawn(3, "t3")])


def test_a_closed_store_is_not_held(store: LabelStore) -> None:
    store.close()
    with pytest.raises(StoreError, match="was closed"), store.held():
        pass


def test_tables_that_are_gone(store: LabelStore, postgres_url: str) -> None:
    told(postgres_url, "DROP TABLE person")
    with pytest.raises(StoreError, match="was changed by another program"):
        store.people("spam")


def test_a_server_that_stops_and_comes_back() -> None:
    with running() as server:
        store = open_store(server.url(), busy_seconds=0.3)
        store.create(RECORD)
        store.append("spam", [drawn(1, "t1")])
        server.stop()
        for _ in range(2):
            with pytest.raises(StoreBusyError, match="does not answer.* try again"):
                store.append("spam", [answered(2, "t1")])
        with pytest.raises(StoreBusyError):
            store.events("spam")
        server.start()
        store.append("spam", [answered(2, "t1")])
        assert store.last_sequence("spam") == 2
        with pytest.raises(StoreBusyError, match="does not answer"):
            half_written(store, server)
        assert store.project("spam") == RECORD
        store.close()


def half_written(store: LabelStore, server: Server) -> None:
    """The server crashes in the middle of a transaction, and is there again before its end."""
    with store._writing("spam") as connection:  # type: ignore[attr-defined]
        connection.exec_driver_sql("UPDATE project SET settings_json = 'half'")
        server.stop()
        server.start()
        connection.exec_driver_sql("UPDATE project SET archived = true")


class Line:
    """A line to the server that breaks at the next commit.

    breaks   "before" the commit gets to the server, "after" it did and before the answer comes;
             "" for a line that holds
    """

    def __init__(self, port: int) -> None:
        self.breaks = ""
        self._server = port
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = self._socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                here, _ = self._socket.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._server))
            broken = threading.Event()
            for one, other, asks in ((here, there, True), (there, here, False)):
                threading.Thread(
                    target=self._carry, args=(one, other, asks, broken), daemon=True
                ).start()

    def _carry(
        self, one: socket.socket, other: socket.socket, asks: bool, broken: threading.Event
    ) -> None:
        try:
            while data := one.recv(65_536):
                if asks and self.breaks and b"COMMIT\0" in data:
                    how, self.breaks = self.breaks, ""
                    broken.set()
                    if how == "before":
                        break
                elif not asks and broken.is_set():
                    break
                other.sendall(data)
        except OSError:
            pass
        for end in (one, other):
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue

    def close(self) -> None:
        self._socket.close()


@pytest.mark.parametrize("breaks", ["before", "after"])
def test_a_line_that_breaks_at_the_commit(
    store: LabelStore, postgres_url: str, postgres_server: Server, breaks: str
) -> None:
    schema = postgres_url.rsplit("%3D", 1)[1]
    line = Line(postgres_server.port)
    url = postgres_server.network_url(query=f"&options=-csearch_path%3D{schema}")
    far = open_store(url.replace(f":{postgres_server.port}/", f":{line.port}/"), busy_seconds=1)
    far.append("spam", [drawn(3, "t3")])
    line.breaks = breaks
    if breaks == "after":
        far.append("spam", [answered(4, "t3")], {"m-3": Content({"text": "new"})})
    else:
        with pytest.raises(StoreBusyError, match="Nothing of this step was stored"):
            far.append("spam", [answered(4, "t3")], {"m-3": Content({"text": "new"})})
        assert store.last_sequence("spam") == 3 and store.content("spam", "m-3") is None
        far.append("spam", [answered(4, "t3")], {"m-3": Content({"text": "new"})})
    assert line.breaks == ""
    assert store.events("spam", 3) == [answered(4, "t3")]
    assert store.content("spam", "m-3") == Content({"text": "new"})
    with pytest.raises(RepeatedTokenError):
        far.append("spam", [answered(5, "t3")])
    line.breaks = breaks
    with pytest.raises(StoreBusyError, match="all of it is stored, or nothing"):
        far.update("spam", archived=True)
    assert store.project("spam").archived == (breaks == "after")
    far.close()
    line.close()


def test_a_search_path_that_leads_nowhere_is_named(postgres_server: Server) -> None:
    with pytest.raises(StoreError, match="none of its search_path is there"):
        open_store(postgres_server.url("nowhere"))
