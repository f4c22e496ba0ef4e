"""The tables of a database store, as the queries see them.

The migrations create them; a test holds the two together.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Dialect,
    ForeignKey,
    Integer,
    MetaData,
    Table,
    TypeDecorator,
    UniqueConstraint,
)
from sqlalchemy import Text as DatabaseText

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
