"""A store in a PostgreSQL database, for several servers at once.

Durable: a commit that returned is in the database's write-ahead log, also where the database was
told not to wait for it. Append-only: triggers refuse to change or delete an event. Who writes to a
project holds a lock on its name until the end of the transaction.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg.conninfo import make_conninfo
from psycopg.pq import PGconn, Ping
from sqlalchemy import URL, Connection, Dialect, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, DBAPIError

from labelcore.errors import MissingStoreError, StoreBusyError, StoreNotWritableError
from labelcore.log.events import Event
from labelcore.settings import data_folder
from labelcore.store.base import BUSY_SECONDS, NO_CONTENTS, Contents, closed_store
from labelcore.store.checks import checked_events
from labelcore.store.database import DatabaseStore
from labelcore.team.postgres_errors import AWAY, REFUSED, UNSURE, lost, translated, worded
from labelcore.team.postgres_schema import (
    MIGRATIONS,
    check_ours,
    is_current,
    migrate,
    schema_version,
)

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
_LOCK = text("SELECT pg_advisory_xact_lock(:key)")
_SCHEMA = "\0schema"
"""No project has this name."""


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
        self._closed = False
        self._engine = _engine(address, self.url, busy_seconds)
        self._readers = self._engine.execution_options(isolation_level="AUTOCOMMIT")
        try:
            self._prepare(create)
        except BaseException:
            self._engine.dispose()
            raise

    @property
    def items_folder(self) -> Path:
        """The folder of the database's name in that of the app: "labels.items" for "labels". All
        servers need to see the same one."""
        return data_folder() / f"{self._database}.items"

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        try:
            super().append(project, events, contents)
        except _UnsureError as error:
            if not self._has(project, checked_events(events), error):
                raise worded(self.url, AWAY, error) from error

    def close(self) -> None:
        if not self._closed:
            self._closed = True
            self._engine.dispose()

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
                return
        try:
            with self._writing(_SCHEMA) as connection:
                # Again, now that no other server can be in the middle of it.
                check_ours(connection, self.url)
                migrate(connection)
        except StoreNotWritableError:
            if version < len(MIGRATIONS):
                raise

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
                connection.execute(_LOCK, {"key": key})
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
        lock, idle = (f"{1000 * one:.0f}" for one in (busy_seconds, IDLE_SECONDS))
        connection.execute(_SETTINGS, (lock, idle))
        connection.autocommit = False
        return connection

    event.listen(engine, "do_connect", connect)
    return engine


def _client_options(named: dict[str, Any]) -> str:
    """Those that the client library knows; others are for the Python package."""
    return make_conninfo(**{key: value for key, value in named.items() if key != "context"})
