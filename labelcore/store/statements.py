"""The statements of a store in a database."""

from __future__ import annotations

from sqlalchemy import Table, bindparam, delete, func, insert, literal, select
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import Insert

from labelcore.log.events import FIELDS
from labelcore.store.base import ProjectRecord
from labelcore.store.schema import act_table, event_table, item_table, person_table, project_table

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
PEOPLE = (
    select(person_table.c.name, person_table.c.at)
    .where(person_table.c.project_id == bindparam("project_id"))
    .order_by(person_table.c.id)
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
