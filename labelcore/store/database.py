"""What a store in a database does with SQL; each says how it begins to read and to write."""

import json
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Connection,
    Dialect,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    Row,
    Table,
    TypeDecorator,
    UniqueConstraint,
    bindparam,
    delete,
    func,
    insert,
    literal,
    select,
    update,
)
from sqlalchemy import Text as DatabaseText
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert

from labelcore.errors import StoreError
from labelcore.log.events import FIELDS, Content, Event
from labelcore.store.anchor import anchor_address
from labelcore.store.base import (
    NO_CONTENTS,
    Act,
    Contents,
    Copy,
    Erasure,
    LabelStore,
    ProjectRecord,
    RepeatedTokenError,
    Settings,
    follows,
    gone_key,
    name_for,
    numbered,
    project_exists,
    unknown_project,
)
from labelcore.store.checks import (
    check_changes,
    check_name,
    check_person,
    check_record,
    checked_contents,
    checked_events,
    detail_json,
    tokens,
)
from labelcore.store.guard import Guard
from labelcore.store.kept import copies_at

ESCAPE = "\ufdd0"
"""Of those characters that Unicode keeps for use inside a program."""
_NUL, _ITSELF = f"{ESCAPE}0", f"{ESCAPE}1"


def _written(text: Any) -> Any:
    if text is None or ("\0" not in text and ESCAPE not in text):
        return text
    return text.replace(ESCAPE, _ITSELF).replace("\0", _NUL)


def _read(text: Any) -> Any:
    if text is None or ESCAPE not in text:
        return text
    return text.replace(_NUL, "\0").replace(_ITSELF, ESCAPE)


class Text(TypeDecorator[str]):
    """Text that comes back as it went in, also from PostgreSQL, which has no character NUL."""

    impl = DatabaseText
    cache_ok = True

    def bind_processor(self, dialect: Dialect) -> Callable[[Any], Any] | None:
        return _written if dialect.name == "postgresql" else None

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any] | None:
        return _read if dialect.name == "postgresql" else None


Number = BigInteger().with_variant(Integer, "sqlite")
"""64 bits in each database; SQLite calls every width the same."""

metadata = MetaData()

project_table = Table(
    "project",
    metadata,
    Column("id", Number, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created_at", Text, nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("plan_json", Text, nullable=False),
    Column("population_json", Text, nullable=False),
    Column("settings_json", Text, nullable=False),
    Column("archived", Boolean, nullable=False),
)

event_table = Table(
    "event",
    metadata,
    Column("project_id", Number, ForeignKey("project.id"), primary_key=True),
    Column("sequence", Number, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("token", Text),
    Column("answers", Text),
    Column("index", Number),
    Column("item_id", Text),
    Column("stratum", Number),
    Column("batch", Number),
    Column("basis", Number),
    Column("label", Text),
    Column("text", Text),
    Column("previous", Number),
    Column("shown_at", Text),
    Column("detail", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

item_table = Table(
    "item",
    metadata,
    Column("project_id", Number, ForeignKey("project.id"), primary_key=True),
    Column("item_id", Text, primary_key=True),
    Column("content", Text, nullable=False),
    Column("salt", Text, nullable=False),
)

act_table = Table(
    "act",
    metadata,
    Column("sequence", Number, primary_key=True, autoincrement=False),
    *(Column(name, Text, nullable=False) for name in ("at", "who", "what", "about", "hash")),
)

person_table = Table(
    "person",
    metadata,
    Column("id", Number, primary_key=True),
    Column("project_id", Number, ForeignKey("project.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Text, nullable=False),
    UniqueConstraint("project_id", "key"),
    UniqueConstraint("project_id", "name"),
)


RECORD_COLUMNS = [project_table.c[name] for name in ProjectRecord.__dataclass_fields__]
EVENT_COLUMNS = [event_table.c[name] for name in FIELDS]
EVENT_FIELDS = [name for name in FIELDS if name != "detail"]
LAST = (
    select(func.coalesce(func.max(event_table.c.sequence), 0))
    .where(event_table.c.project_id == project_table.c.id)
    .correlate(project_table)
    .scalar_subquery()
)
PROJECT_AND_LAST = select(project_table.c.id, LAST).where(project_table.c.name == bindparam("name"))
EVENTS_AFTER = (
    select(*EVENT_COLUMNS)
    .where(
        event_table.c.project_id == bindparam("project_id"),
        event_table.c.sequence > bindparam("after"),
    )
    .order_by(event_table.c.sequence)
)
CONTENTS = {
    salted: select(
        item_table.c.item_id,
        item_table.c.content,
        item_table.c.salt if salted else literal(""),
    ).where(item_table.c.project_id == bindparam("project_id"))
    for salted in (True, False)
}
"""With salts, or of a database that has none yet."""
CONTENT = {
    salted: statement.where(item_table.c.item_id == bindparam("item_id"))
    for salted, statement in CONTENTS.items()
}
PERSON = (
    select(person_table.c.name)
    .join(project_table, project_table.c.id == person_table.c.project_id)
    .where(project_table.c.name == bindparam("project"), person_table.c.key == bindparam("key"))
)
KEYS = (
    select(person_table.c.key, person_table.c.name, person_table.c.at)
    .where(person_table.c.project_id == bindparam("project_id"))
    .order_by(person_table.c.id)
)
ANNOTATORS = (
    select(event_table.c.annotator)
    .where(event_table.c.project_id == bindparam("project_id"))
    .distinct()
)
ACTS_SINCE = (
    select(act_table).where(act_table.c.at >= bindparam("since")).order_by(act_table.c.sequence)
)
LAST_ACT = select(act_table).order_by(act_table.c.sequence.desc()).limit(1)
INSERT_EVENT = insert(event_table)
DELETE_ITEM = delete(item_table).where(
    item_table.c.project_id == bindparam("project_id"),
    item_table.c.item_id == bindparam("item_id"),
)


def _where_new(table: Table) -> dict[str, Insert]:
    """{dialect: statement} that leaves rows that are there as they are."""
    return {
        "sqlite": sqlite.insert(table).on_conflict_do_nothing(),
        "postgresql": postgresql.insert(table).on_conflict_do_nothing(),
    }


INSERT_KEY = _where_new(person_table)
INSERT_ITEM = _where_new(item_table)
WITH_TOKEN = {
    field: select(event_table.c[field], project_table.c.name, *EVENT_COLUMNS)
    .join(project_table, project_table.c.id == event_table.c.project_id)
    .where(event_table.c[field].in_(bindparam("wanted", expanding=True)))
    for field in ("token", "answers")
}


_TOKENS_AT_ONCE, _ROWS_AT_ONCE = 500, 2000
TRAIL = "\0trail"
"""No project has this name: who writes to the audit trail holds it."""
_DETAIL = FIELDS.index("detail")


class DatabaseStore(LabelStore):
    """A store whose projects are rows of the tables of ``schema``."""

    @abstractmethod
    def _reading(self) -> AbstractContextManager[Connection]:
        """A connection that sees whole transactions of others only."""

    @abstractmethod
    def _writing(self, *projects: str) -> AbstractContextManager[Connection]:
        """One transaction, durable at its end; from its first moment on nobody else writes to the
        projects with these names."""

    _guard: Guard
    _engine: Engine
    """Begun by each when it is opened."""
    _closed = False
    _unsafe_migration = ""

    def close(self) -> None:
        if not self._closed:
            self._guard.close()
            self._closed = True
            self._engine.dispose()

    @property
    def problem(self) -> str:
        return self._guard.problem or self._unsafe_migration

    def anchor(self, why: str) -> None:
        self._guard.anchor(why)

    def copies(self, newest: int | None = None, anchor: str = "") -> Sequence[Copy]:
        address = anchor or anchor_address()
        return copies_at(self.guarded, newest, "" if address == self.url else address)

    @abstractmethod
    def _holds(self, part: str, connection: Connection) -> bool:
        """Whether the database has "people", "salts" or "acts": an old one that is only read may
        not."""

    def create(
        self, record: ProjectRecord, events: Sequence[Event] = (), contents: Contents = NO_CONTENTS
    ) -> None:
        check_record(record)
        self._append(record.name, events, contents, record)

    def project(self, name: str) -> ProjectRecord:
        with self._reading() as connection:
            row = connection.execute(
                select(*RECORD_COLUMNS).where(project_table.c.name == name)
            ).one_or_none()
            if row is None:
                raise self._unknown(connection, name)
            return ProjectRecord(*row)

    def projects(self) -> list[ProjectRecord]:
        newest_first = select(*RECORD_COLUMNS).order_by(
            project_table.c.created_at.desc(), project_table.c.id.desc()
        )
        with self._reading() as connection:
            return [ProjectRecord(*row) for row in connection.execute(newest_first)]

    def update(
        self,
        name: str,
        *,
        settings_json: str | None = None,
        archived: bool | None = None,
        population_json: str | None = None,
    ) -> None:
        check_changes(settings_json, archived, population_json)
        changes = {
            "settings_json": settings_json,
            "archived": archived,
            "population_json": population_json,
        }
        given = {column: value for column, value in changes.items() if value is not None}
        with self._writing(name) as connection:
            project_id, _ = self._find(connection, name)
            if given:
                connection.execute(
                    update(project_table).where(project_table.c.id == project_id).values(given)
                )

    def change_settings(self, name: str, change: Callable[[Settings], Settings]) -> Settings:
        with self._writing(name) as connection:
            project_id, _ = self._find(connection, name)
            return _with_settings(connection, project_id, change)

    def rename(self, old: str, new: str) -> None:
        check_name(new)
        with self._writing(old, new) as connection:
            project_id, _ = self._find(connection, old)
            if new != old:
                self._refuse_taken(connection, new)
            connection.execute(
                update(project_table).where(project_table.c.id == project_id).values(name=new)
            )

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        self._append(project, events, contents)

    def _append(
        self, project: str, events: Sequence[Event], contents: Contents,
        new: ProjectRecord | None = None,
    ) -> None:  # fmt: skip
        kept, texts = checked_events(events), checked_contents(contents)
        with self._writing(project) as connection:
            if new is not None:
                self._refuse_taken(connection, project)
                values = {column.name: getattr(new, column.name) for column in RECORD_COLUMNS}
                connection.execute(insert(project_table), values)
            project_id, last = self._find(connection, project)
            _refuse_repeated(connection, kept)
            follows(project, kept, last)
            if kept:
                connection.execute(INSERT_EVENT, [_event_row(project_id, event) for event in kept])
            if texts:
                connection.execute(
                    INSERT_ITEM[connection.dialect.name], _item_rows(project_id, texts)
                )
        if kept:
            self._guard.noticed(project, kept)

    def erase(self, project: str, erasure: Erasure) -> None:
        kept, people = checked_events(erasure.events), erasure.people
        with self._writing(project) as connection:
            project_id, last = self._find(connection, project)
            follows(project, kept, last)
            here = event_table.c.project_id == project_id
            if erasure.rewritten:
                with self._unguarded(connection):
                    for event in erasure.rewritten:
                        new = {"annotator": event.annotator, "text": event.text}
                        new["detail"] = detail_json(event)
                        same = event_table.c.sequence == event.sequence
                        connection.execute(update(event_table).where(here, same).values(new))
            if kept:
                connection.execute(INSERT_EVENT, [_event_row(project_id, event) for event in kept])
            items = [{"project_id": project_id, "item_id": item} for item in erasure.items]
            if items:
                connection.execute(DELETE_ITEM, items)
            for key, (name, _) in self._keys(connection, project_id).items() if people else ():
                if name in people:
                    row = {"key": gone_key(key, name), "name": people[name]}
                    same = person_table.c.key == key
                    mine = person_table.c.project_id == project_id
                    connection.execute(update(person_table).where(mine, same).values(row))
            if erasure.settings is not None:
                _with_settings(connection, project_id, erasure.settings)
            if (text := erasure.population_json) is not None:
                mine = project_table.c.id == project_id
                connection.execute(update(project_table).where(mine).values(population_json=text))
        if kept:
            self._guard.noticed(project, kept)

    def acts(self, since: str = "") -> list[Act]:
        with self._reading() as connection:
            if not self._holds("acts", connection):
                return []
            rows = connection.execute(ACTS_SINCE, {"since": since})
            return [Act(*row) for row in rows]

    def note_acts(self, acts: Sequence[Act]) -> list[Act]:
        with self._writing(TRAIL) as connection:
            row = connection.execute(LAST_ACT).one_or_none()
            lines = numbered(acts, Act(*row) if row else None)
            if lines:
                connection.execute(insert(act_table), [line.row() for line in lines])
            return lines

    def remove(self, project: str) -> None:
        with self._writing(project) as connection:
            project_id, _ = self._find(connection, project)
            with self._unguarded(connection):
                for table in (event_table, item_table, person_table):
                    connection.execute(delete(table).where(table.c.project_id == project_id))
                connection.execute(delete(project_table).where(project_table.c.id == project_id))

    @abstractmethod
    def _unguarded(self, connection: Connection) -> AbstractContextManager[None]:
        """Within it events can be changed and deleted, by this transaction alone."""

    def events(self, project: str, after: int = 0) -> list[Event]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            values = {"project_id": project_id, "after": after}
            return [_event(row) for row in connection.execute(EVENTS_AFTER, values)]

    def last_sequence(self, project: str) -> int:
        with self._reading() as connection:
            return self._find(connection, project)[1]

    def content(self, project: str, item_id: str) -> Content | None:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            asked = CONTENT[self._holds("salts", connection)]
            values = {"project_id": project_id, "item_id": item_id}
            row = connection.execute(asked, values).one_or_none()
            return None if row is None else Content(json.loads(row[1]), row[2])

    def contents(self, project: str) -> dict[str, Content]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            asked = CONTENTS[self._holds("salts", connection)]
            rows = connection.execute(asked, {"project_id": project_id})
            return {str(item_id): Content(json.loads(text), salt) for item_id, text, salt in rows}

    def person(self, project: str, key: str, at: str) -> str:
        check_person(key, at)
        values = {"project": project, "key": key}
        with self._reading() as connection:
            known = connection.execute(PERSON, values).scalar_one_or_none()
        if known is not None:
            return str(known)
        with self._writing(project) as connection:
            project_id, _ = self._find(connection, project)
            # Again, now that no other process can be giving names.
            known = connection.execute(PERSON, values).scalar_one_or_none()
            if known is not None:
                return str(known)
            given = self._keys(connection, project_id).values()
            in_log = connection.execute(ANNOTATORS, {"project_id": project_id})
            name = name_for([row[0] for row in given], list(in_log.scalars()))
            row = {"project_id": project_id, "key": key, "name": name, "at": at}
            connection.execute(insert(person_table), row)
            return name

    def people(self, project: str) -> dict[str, str]:
        return dict(self.keys(project).values())

    def keys(self, project: str) -> dict[str, tuple[str, str]]:
        with self._reading() as connection:
            project_id, _ = self._find(connection, project)
            return self._keys(connection, project_id) if self._holds("people", connection) else {}

    def _keys(self, connection: Connection, project_id: int) -> dict[str, tuple[str, str]]:
        rows = connection.execute(KEYS, {"project_id": project_id})
        return {row[0]: (row[1], row[2]) for row in rows}

    def admit(self, project: str, keys: Mapping[str, tuple[str, str]]) -> None:
        for key, (_, at) in keys.items():
            check_person(key, at)
        with self._writing(project) as connection:
            project_id, _ = self._find(connection, project)
            rows = [
                {"project_id": project_id, "key": key, "name": name, "at": at}
                for key, (name, at) in keys.items()
            ]
            if rows:
                connection.execute(INSERT_KEY[connection.dialect.name], rows)

    def _find(self, connection: Connection, name: str) -> tuple[int, int]:
        """The project's number in the database and its log's last sequence number."""
        row = connection.execute(PROJECT_AND_LAST, {"name": name}).one_or_none()
        if row is None:
            raise self._unknown(connection, name)
        return row[0], row[1]

    def _unknown(self, connection: Connection, name: str) -> Exception:
        names = connection.execute(select(project_table.c.name).order_by(project_table.c.name))
        return unknown_project(name, list(names.scalars()), self.url)

    def _refuse_taken(self, connection: Connection, name: str) -> None:
        taken = select(project_table.c.created_at, project_table.c.fingerprint).where(
            project_table.c.name == name
        )
        row = connection.execute(taken).one_or_none()
        if row is not None:
            raise project_exists(name, row[0], row[1], self.url)


def unsafe_migration(error: StoreError) -> str:
    """A migration happens as a whole or not at all, so that it goes on without a backup."""
    return f"No backup was made before the update of the store: {error}."


def copy_rows(
    source: Connection, target: Connection, *, salts: bool = True, acts: bool = True
) -> None:
    """Every row of one database into the empty tables of another one, exactly.

    salts   whether the source has a column of them; acts: whether it has their table
    """
    lines = select(act_table).order_by(act_table.c.sequence)
    for row in source.execute(lines).mappings() if acts else ():
        target.execute(insert(act_table), dict(row))
    numbers: dict[int, int] = {}
    for row in source.execute(select(project_table).order_by(project_table.c.id)).mappings():
        values = {name: value for name, value in row.items() if name != "id"}
        statement = insert(project_table).values(values).returning(project_table.c.id)
        numbers[row["id"]] = target.execute(statement).scalar_one()
    for table in (event_table, item_table, person_table):
        columns = [column for column in table.c if salts or column.name != "salt"]
        ordered = select(*columns).order_by(*columns[: 2 if table is not person_table else 1])
        rows = source.execution_options(yield_per=_ROWS_AT_ONCE).execute(ordered)
        for some in rows.mappings().partitions():
            given = [
                {
                    **{name: value for name, value in row.items() if name != "id"},
                    "project_id": numbers[row["project_id"]],
                }
                for row in some
            ]
            target.execute(insert(table), given)


def _with_settings(
    connection: Connection, project_id: int, change: Callable[[Settings], Settings]
) -> Settings:
    """Change the settings of a project; those that were there."""
    mine = project_table.c.id == project_id
    kept = connection.execute(select(project_table.c.settings_json).where(mine)).scalar_one()
    text = json.dumps(change(json.loads(kept)), ensure_ascii=False)
    connection.execute(update(project_table).where(mine).values(settings_json=text))
    before: Settings = json.loads(kept)
    return before


def _refuse_repeated(connection: Connection, events: Sequence[Event]) -> None:
    """Raise RepeatedTokenError for the first event whose token the store already has."""
    keys = [key for event in events for key in tokens(event)]
    holders: dict[tuple[str, str], tuple[Event, str]] = {}
    for field, statement in WITH_TOKEN.items():
        wanted = [token for name, token in keys if name == field]
        for start in range(0, len(wanted), _TOKENS_AT_ONCE):
            some = wanted[start : start + _TOKENS_AT_ONCE]
            for row in connection.execute(statement, {"wanted": some}):
                holders[field, row[0]] = (_event(row[2:]), row[1])
    for key in keys:
        if key in holders:
            raise RepeatedTokenError(*holders[key])


def _event_row(project_id: int, event: Event) -> dict[str, Any]:
    row: dict[str, Any] = {name: getattr(event, name) for name in EVENT_FIELDS}
    row["project_id"] = project_id
    row["detail"] = detail_json(event)
    return row


def _item_rows(project_id: int, contents: Contents) -> list[dict[str, Any]]:
    return [
        {
            "project_id": project_id,
            "item_id": item_id,
            "content": json.dumps(dict(content.columns)),
            "salt": content.salt,
        }
        for item_id, content in contents.items()
    ]


def _event(row: Row[Any] | Sequence[Any]) -> Event:
    values = list(row)
    values[_DETAIL] = {} if row[_DETAIL] == "{}" else json.loads(row[_DETAIL])
    return Event(*values)
