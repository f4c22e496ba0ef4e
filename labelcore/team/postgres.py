"""A store in a PostgreSQL database, for several servers at once.

Durable: a commit that returned is in the database's write-ahead log, also where the database was
told not to wait for it. Append-only: triggers refuse to change or delete an event. Who writes to a
project holds a lock on its name until the end of the transaction.
"""

import hashlib
import json
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping
from sqlalchemy import (
    URL,
    Connection,
    Dialect,
    Engine,
    bindparam,
    create_engine,
    event,
    make_url,
    text,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from labelcore.errors import (
    MissingStoreError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    StoreNotWritableError,
)
from labelcore.log.events import Event
from labelcore.settings import data_folder
from labelcore.store import Guard, back_up_now, beside, new_file, open_store, take_over
from labelcore.store.base import BUSY_SECONDS, NO_CONTENTS, Contents, closed_store
from labelcore.store.checks import checked_events
from labelcore.store.database import DatabaseStore, copy_rows, unsafe_migration

_CREATE_EVERYTHING = (
    "CREATE TABLE labelcore (version INTEGER NOT NULL)",
    "INSERT INTO labelcore VALUES (0)",
    """
    CREATE TABLE project (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name TEXT COLLATE "C" NOT NULL UNIQUE,
        created_at TEXT COLLATE "C" NOT NULL,
        fingerprint TEXT COLLATE "C" NOT NULL,
        plan_json TEXT COLLATE "C" NOT NULL,
        population_json TEXT COLLATE "C" NOT NULL,
        settings_json TEXT COLLATE "C" NOT NULL,
        archived BOOLEAN NOT NULL
    )
    """,
    """
    CREATE TABLE event (
        project_id BIGINT NOT NULL REFERENCES project (id),
        sequence BIGINT NOT NULL,
        kind TEXT COLLATE "C" NOT NULL,
        at TEXT COLLATE "C" NOT NULL,
        annotator TEXT COLLATE "C" NOT NULL,
        token TEXT COLLATE "C",
        answers TEXT COLLATE "C",
        index BIGINT,
        item_id TEXT COLLATE "C",
        stratum BIGINT,
        batch BIGINT,
        basis BIGINT,
        label TEXT COLLATE "C",
        text TEXT COLLATE "C",
        previous BIGINT,
        shown_at TEXT COLLATE "C",
        detail TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (project_id, sequence)
    )
    """,
    "CREATE UNIQUE INDEX event_token ON event (token) WHERE token IS NOT NULL",
    "CREATE UNIQUE INDEX event_answers ON event (answers) WHERE answers IS NOT NULL",
    """
    CREATE TABLE item (
        project_id BIGINT NOT NULL REFERENCES project (id),
        item_id TEXT COLLATE "C" NOT NULL,
        content TEXT COLLATE "C" NOT NULL,
        PRIMARY KEY (project_id, item_id)
    )
    """,
    """
    CREATE TABLE person (
        id BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        project_id BIGINT NOT NULL REFERENCES project (id),
        key TEXT COLLATE "C" NOT NULL,
        name TEXT COLLATE "C" NOT NULL,
        at TEXT COLLATE "C" NOT NULL,
        UNIQUE (project_id, key),
        UNIQUE (project_id, name)
    )
    """,
    """
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        RAISE EXCEPTION 'the log and the plan of a project cannot be changed';
    END $$
    """,
    """
    CREATE FUNCTION refuse_gap() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF NEW.sequence IS DISTINCT FROM 1 + (
            SELECT coalesce(max(one.sequence), 0) FROM event AS one
            WHERE one.project_id = NEW.project_id
        ) THEN
            RAISE EXCEPTION 'the log is append-only: an event must follow the last';
        END IF;
        RETURN NEW;
    END $$
    """,
)

_SALT = ("ALTER TABLE item ADD COLUMN salt TEXT COLLATE \"C\" NOT NULL DEFAULT ''",)

_ACTS = (
    """
    CREATE TABLE act (
        sequence BIGINT PRIMARY KEY,
        at TEXT COLLATE "C" NOT NULL,
        who TEXT COLLATE "C" NOT NULL,
        what TEXT COLLATE "C" NOT NULL,
        about TEXT COLLATE "C" NOT NULL,
        hash TEXT COLLATE "C" NOT NULL
    )
    """,
)

MIGRATIONS: list[tuple[str, ...]] = [_CREATE_EVERYTHING, _SALT, _ACTS]
SINCE = {"salts": 2, "acts": 3}
"""The version that a part came with, where it is not the first."""

# Put back on opening where they are missing or switched off.
TRIGGERS = {
    "event_is_never_changed": "BEFORE UPDATE OR DELETE ON event FOR EACH ROW"
    " EXECUTE FUNCTION refuse_change()",
    "event_is_never_emptied": "BEFORE TRUNCATE ON event EXECUTE FUNCTION refuse_change()",
    "act_is_never_changed": "BEFORE UPDATE OR DELETE ON act FOR EACH ROW"
    " EXECUTE FUNCTION refuse_change()",
    "act_is_never_emptied": "BEFORE TRUNCATE ON act EXECUTE FUNCTION refuse_change()",
    "event_follows_the_last": "BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION refuse_gap()",
    "plan_is_frozen": "BEFORE UPDATE OF id, created_at, fingerprint, plan_json ON project"
    " FOR EACH ROW EXECUTE FUNCTION refuse_change()",
}
_ON = {name: words.split(" ON ")[1].split()[0] for name, words in TRIGGERS.items()}

_OURS = text("SELECT to_regclass('labelcore') IS NOT NULL")
_SAME_NAMES = text(
    "SELECT c.relname FROM pg_class AS c"
    " WHERE c.relname IN ('project', 'event', 'item', 'person', 'act')"
    " AND c.relkind IN ('r', 'p', 'v') AND pg_table_is_visible(c.oid) ORDER BY c.relname"
)
_IN_FORCE = text(
    "SELECT tgname FROM pg_trigger WHERE tgname IN :names AND tgenabled = 'O'"
    " AND tgrelid IN (to_regclass('event'), to_regclass('project'), to_regclass('act'))"
).bindparams(bindparam("names", value=list(TRIGGERS), expanding=True))


def schema_version(connection: Connection) -> int:
    """The version the database is at; 0 for one without our tables."""
    if not connection.execute(_OURS).scalar_one():
        return 0
    return int(connection.exec_driver_sql("SELECT version FROM labelcore").scalar_one())


def check_ours(connection: Connection, url: str) -> None:
    """Raise StoreError for a database whose texts are not Unicode, whose tables are another
    program's, or that a newer Labelcore wrote."""
    encoding = connection.exec_driver_sql("SHOW server_encoding").scalar_one()
    if encoding != "UTF8":
        raise StoreError(
            f"{url} keeps its texts in {encoding}, and Labelcore needs UTF8. Make the database "
            "with CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0."
        )
    # In this order: another server may be making the tables between the two looks.
    named = list(connection.execute(_SAME_NAMES).scalars())
    version = schema_version(connection)
    if named and not version:
        raise StoreError(
            f"{url} has a table {named[0]!r} of another program, and Labelcore will not write "
            "into it. Give an empty database."
        )
    if version > len(MIGRATIONS):
        raise StoreError(
            f"{url} has schema version {version}, and this Labelcore knows versions up to "
            f"{len(MIGRATIONS)}. Install the newer Labelcore that wrote it; it is unchanged."
        )


def is_current(connection: Connection) -> bool:
    """Whether ``migrate`` has nothing to do."""
    return schema_version(connection) == len(MIGRATIONS) and not _triggers_to_mend(connection)


def migrate(connection: Connection) -> None:
    """Bring the database to the newest version, and put back what guards its log; to be called
    inside one transaction that nobody else migrates in."""
    for version in range(schema_version(connection), len(MIGRATIONS)):
        for statement in MIGRATIONS[version]:
            connection.exec_driver_sql(statement)
        connection.exec_driver_sql(f"UPDATE labelcore SET version = {version + 1}")
    for name in _triggers_to_mend(connection):
        connection.exec_driver_sql(f"DROP TRIGGER IF EXISTS {name} ON {_ON[name]}")
        connection.exec_driver_sql(f"CREATE TRIGGER {name} {TRIGGERS[name]}")


def _triggers_to_mend(connection: Connection) -> list[str]:
    there = set(connection.execute(_IN_FORCE).scalars())
    return [name for name in TRIGGERS if name not in there]


Meaning = tuple[type[StoreError], str]

AWAY: Meaning = (
    StoreBusyError,
    "does not answer: its server is stopped, starting, or cannot be reached. Nothing of this step "
    "was stored; try again.",
)
REFUSED: Meaning = (
    StoreError,
    "does not let Labelcore in. Check the name of the database, the user and the password.",
)
UNSURE: Meaning = (
    StoreBusyError,
    "stopped answering while this step was being stored: all of it is stored, or nothing. Try "
    "again; nothing is stored twice.",
)
BUSY: Meaning = (
    StoreBusyError,
    "was busy with other work. Nothing of this step was stored; try again.",
)
_READ_ONLY: Meaning = (
    StoreNotWritableError,
    "cannot be written: it is read-only, or this user may not write to its tables.",
)
_CHANGED: Meaning = (
    StoreError,
    "was changed by another program: its tables are not those that Labelcore made. Put back a "
    "backup, or give another database.",
)

# The code, or its class (two characters) -> what it is and what to say after the address.
# https://www.postgresql.org/docs/current/errcodes-appendix.html
_CODES: dict[str, Meaning] = {
    "08": AWAY,
    "57P": AWAY,
    "25P03": AWAY,
    "23505": BUSY,
    "40": BUSY,
    "53": BUSY,
    "55P03": BUSY,
    "57014": BUSY,
    "53100": (
        StoreFullError,
        "could not grow: the server's disk is full. Nothing of this step was stored; free some "
        "space and try again.",
    ),
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "3F": (
        StoreError,
        "has no schema for the tables of Labelcore: none of its search_path is there. Make one, or "
        "give another search_path.",
    ),
    "42": _CHANGED,
    "54": (StoreError, "refused a text longer than PostgreSQL can hold. Shorten the item's id."),
}
_UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn whatever the database raises inside the block into a StoreError."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, *_UNREADABLE) as error:
        raise store_error(url, error) from error


def store_error(url: str, error: Exception) -> StoreError:
    """The StoreError that tells what ``error`` means for the store at ``url``."""
    meaning = _meaning(error)
    if meaning is not None:
        return worded(url, meaning, error)
    return StoreError(
        f"{url} gave an error that Labelcore did not expect. Nothing of this step was stored; "
        f"open the store again, and report this text if it returns. ({_cause(error)})"
    )


def worded(url: str, meaning: Meaning, error: Exception) -> StoreError:
    """The StoreError of this meaning, with the first line of what the server or client said."""
    kind, words = meaning
    return kind(f"{url} {words} ({_cause(error)})")


def lost(error: Exception) -> bool:
    """Whether the connection ended, so that nobody knows what became of the last statement."""
    return _meaning(error) is AWAY


def _meaning(error: Exception) -> Meaning | None:
    if isinstance(error, PoolTimeoutError):
        return BUSY
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None)
    if code is None:
        # What the client itself finds has no code, such as a connection that ended.
        return AWAY if isinstance(cause, psycopg.OperationalError) else None
    return next((_CODES[part] for part in (code, code[:3], code[:2]) if part in _CODES), None)


def _cause(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split("\n")[0].split())


CONNECTIONS, MORE_CONNECTIONS = 5, 20
AGAIN_SECONDS = 0.1
# A server that vanished in the middle of a transaction holds its locks for no longer than this.
IDLE_SECONDS = 60
_NETWORK = {
    "keepalives_idle": 10,
    "keepalives_interval": 5,
    "keepalives_count": 3,
    "tcp_user_timeout": 20_000,
    "application_name": "labelcore",
}
_SETTINGS = (
    "SELECT set_config('lock_timeout', %s, false),"
    " set_config('idle_in_transaction_session_timeout', %s, false),"
    " CASE current_setting('synchronous_commit') WHEN 'off'"
    " THEN set_config('synchronous_commit', 'on', false) END"
)
_LOCK = text("SELECT pg_advisory_xact_lock_shared(:store), pg_advisory_xact_lock(:key)")
_HELD = text("SELECT pg_advisory_xact_lock(:store)")
_TABLES = text("SELECT tableoid::bigint FROM labelcore")
"""A number that no other table has had: after a backup was put back it is another one."""
_SCHEMA, _STORE = "\0schema", "\0store"
"""No project has these names."""
_PARTS = (
    *(f"TABLE {name}" for name in ("labelcore", "event", "item", "person", "project", "act")),
    *(f"FUNCTION {name}()" for name in ("refuse_change", "refuse_gap")),
)


class PostgresStore(DatabaseStore):
    """The store at ``postgresql://user:password@host:port/database``.

    The database must exist; opening makes the tables where they are missing (unless ``create`` is
    False), brings an older schema up to date and puts missing triggers back, one server at a time.
    A database that this user may only read is opened for reading. What the address leaves out is
    taken from the environment (``PGPASSWORD`` and the like) and from ``~/.pgpass``; what follows a
    ``?`` in it is an option of the client library. ``busy_seconds`` is how long to wait for a lock,
    and for a server that stopped while something was being stored.
    """

    def __init__(
        self, url: str, *, create: bool = True, busy_seconds: float = BUSY_SECONDS
    ) -> None:
        address = _address(url)
        # What follows the "?" may hold a password, too.
        self.url = address.set(query={}).render_as_string(hide_password=True)
        self._database = str(address.database)
        self._busy_seconds = busy_seconds
        self._path = _search_path(address)
        self._data = data_folder()  # As it is now: the program may go to another folder.
        self._engine = _engine(address, self.url, busy_seconds)
        self._readers = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        try:
            self._prepare(create)
            former = self._data / f"{self._named}.db"
            take_over(self, former, former.with_name(f"{self._database}.items"))
        except BaseException:
            self._engine.dispose()
            raise
        self._guard = Guard(self)

    @property
    def guarded(self) -> Path:
        """Named after the database in the folder of the app, as its items are, and otherwise than
        an SQLite store there, from which its projects may have come."""
        return self._data / f"{self._named}.postgresql.db"

    @property
    def _named(self) -> str:
        return ".".join(filter(None, [self._database, self._path]))

    @property
    def items_folder(self) -> Path:
        """The folder of that name: "labels.postgresql.items" for a database "labels". All servers
        need to see the same one."""
        return beside(self.guarded, ".items")

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        try:
            super().append(project, events, contents)
        except _UnsureError as error:
            if not self._has(project, checked_events(events), error):
                raise worded(self.url, AWAY, error) from error

    def backup(self, path: Path) -> None:
        """As the database is at one moment; others write meanwhile."""
        self._check_usable()
        once = self._engine.execution_options(isolation_level="REPEATABLE READ")
        with translated(self.url), once.connect() as source, new_file(path) as target:
            copy_rows(
                source,
                target,
                salts=self._holds("salts", source),
                acts=self._holds("acts", source),
            )

    @contextmanager
    def held(self) -> Iterator[None]:
        self._check_usable()
        with translated(self.url), self._engine.connect() as connection:
            connection.exec_driver_sql("SET LOCAL idle_in_transaction_session_timeout = 0")
            connection.execute(_HELD, {"store": _lock_key(_STORE)})
            yield

    def put_back(self, backup: Path) -> str:
        """The tables that were there are in a schema of their own from then on; who has them open
        is refused. All of it or nothing."""
        aside = f"labelcore_before_{datetime.now(UTC):%Y%m%dt%H%M%S%f}"
        with (
            closing(open_store(f"sqlite:///{backup}", create=False)) as copy,
            translated(self.url),
            self._engine.begin() as target,
        ):
            assert isinstance(copy, DatabaseStore)
            target.exec_driver_sql(f"CREATE SCHEMA {aside}")
            for part in _PARTS:
                target.exec_driver_sql(f"ALTER {part} SET SCHEMA {aside}")
            migrate(target)
            with copy._reading() as source:
                copy_rows(source, target)
        return f"schema {aside}"

    def cleanse(self) -> None:
        """The tables written anew; the server's own log, its copies and dumps are out of reach."""
        self._check_usable()
        with translated(self.url), self._readers.connect() as connection:
            for table in ("event", "item", "person", "project"):
                connection.exec_driver_sql(f"VACUUM FULL {table}")

    @contextmanager
    def _unguarded(self, connection: Connection) -> Iterator[None]:
        connection.exec_driver_sql("ALTER TABLE event DISABLE TRIGGER event_is_never_changed")
        yield
        connection.exec_driver_sql("ALTER TABLE event ENABLE TRIGGER event_is_never_changed")

    def _has(self, project: str, events: Sequence[Event], error: StoreBusyError) -> bool:
        """Whether the log has these events, once the server answers again; ``error`` is raised
        where that takes too long."""
        deadline = time.monotonic() + self._busy_seconds
        while True:
            try:
                there = self.events(project, events[0].sequence - 1) if events else []
                return there[: len(events)] == list(events)
            except StoreBusyError:
                if time.monotonic() > deadline:
                    raise error from None
                time.sleep(AGAIN_SECONDS)

    def _prepare(self, create: bool) -> None:
        with self._reading() as connection:
            check_ours(connection, self.url)
            version = schema_version(connection)
            if version == 0 and not create:
                raise MissingStoreError(
                    f"There is no store at {self.url}: the database has no tables of Labelcore. "
                    "Nothing was made; check the address."
                )
            if is_current(connection):
                self._tables = connection.execute(_TABLES).scalar_one()
                return
        try:
            with self._writing(_SCHEMA) as connection:
                # Again, now that no other server can be in the middle of it.
                check_ours(connection, self.url)
                if 0 < schema_version(connection) < len(MIGRATIONS):
                    self._back_up_first(schema_version(connection))
                migrate(connection)
        except StoreNotWritableError:
            if version < len(MIGRATIONS):
                raise
        with self._reading() as connection:
            self._tables = connection.execute(_TABLES).scalar_one()

    def _back_up_first(self, version: int) -> None:
        try:
            back_up_now(self.guarded, self.backup, f"-version-{version}")
        except StoreError as error:
            self._unsafe_migration = unsafe_migration(error)

    def _holds(self, part: str, connection: Connection) -> bool:
        return part not in SINCE or schema_version(connection) >= SINCE[part]

    @contextmanager
    def _reading(self) -> Iterator[Connection]:
        """Each statement sees what was committed before it; nothing committed ever changes, except
        for a project's record, which is one row."""
        self._check_usable()
        with translated(self.url), self._readers.connect() as connection:
            yield connection

    @contextmanager
    def _writing(self, *projects: str) -> Iterator[Connection]:
        self._check_usable()
        with translated(self.url), self._engine.connect() as connection:
            for key in sorted(map(_lock_key, set(projects))):
                connection.execute(_LOCK, {"store": _lock_key(_STORE), "key": key})
            if _SCHEMA not in projects and connection.execute(_TABLES).scalar() != self._tables:
                raise StoreError(
                    f"{self.url} was replaced by a backup while it was open. Nothing of this step "
                    "was stored; restart Labelcore."
                )
            yield connection
            try:
                connection.commit()
            except DBAPIError as error:
                if lost(error):
                    raise _UnsureError(str(worded(self.url, UNSURE, error))) from error
                raise

    def _check_usable(self) -> None:
        if self._closed:
            raise closed_store(self.url)


class _UnsureError(StoreBusyError):
    """The connection ended during the commit."""


def _lock_key(project: str) -> int:
    digest = hashlib.sha256(f"labelcore {project}".encode()).digest()
    return int.from_bytes(digest[:8], signed=True)


def _address(url: str) -> URL:
    """Raises ValueError for an address without a database."""
    try:
        address = make_url(url)
    except (ArgumentError, ValueError) as error:
        raise ValueError(f"{_EXAMPLE}; this one cannot be read") from error
    if not address.database:
        raise ValueError(f"{_EXAMPLE}; got {address.render_as_string(hide_password=True)!r}")
    return address


def _search_path(address: URL) -> str:
    """The one that the address names, "" where it names none."""
    named = re.search(r"search_path=(\w+)", str(address.query.get("options", "")))
    return named[1] if named else ""


_EXAMPLE = (
    "A store in PostgreSQL needs the name of a database, as in "
    "postgresql://user:password@host/labels"
)


def _engine(address: URL, shown: str, busy_seconds: float) -> Engine:
    """An engine whose broken connections are replaced unnoticed, outside of transactions."""
    engine = create_engine(
        address.set(drivername="postgresql+psycopg"),
        connect_args={"connect_timeout": max(round(busy_seconds), 2)},
        pool_pre_ping=True,
        pool_size=CONNECTIONS,
        max_overflow=MORE_CONNECTIONS,
        pool_timeout=busy_seconds,
    )

    def connect(dialect: Dialect, _record: object, given: Any, named: dict[str, Any]) -> Any:
        options = {**_NETWORK, **named}
        # Twice: a server that was starting a moment ago may answer now, and lets people in.
        for _ in range(2):
            try:
                return opened(given, options)
            except psycopg.OperationalError as error:
                failed = error
                if PGconn.ping(_client_options(options).encode()) != Ping.OK:
                    raise worded(shown, AWAY, error) from error
        raise worded(shown, REFUSED, failed) from failed

    def opened(given: Any, options: dict[str, Any]) -> psycopg.Connection:
        connection = psycopg.connect(*given, **options)
        connection.autocommit = True
        lock, idle = (f"{1000 * seconds:.0f}" for seconds in (busy_seconds, IDLE_SECONDS))
        connection.execute(_SETTINGS, (lock, idle))
        connection.autocommit = False
        return connection

    event.listen(engine, "do_connect", connect)
    return engine


def _client_options(named: dict[str, Any]) -> str:
    """Those that the client library knows; others are for the Python package."""
    return make_conninfo(**{key: value for key, value in named.items() if key != "context"})
