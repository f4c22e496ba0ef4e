"""The tables of a database store, as the queries see them.

The migrations create them; a test holds the two together.
"""

from __future__ import annotations

from sqlalchemy import Boolean, Column, ForeignKey, Integer, MetaData, Table, Text, UniqueConstraint

metadata = MetaData()

project_table = Table(
    "project",
    metadata,
    Column("id", Integer, primary_key=True),
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
    Column("project_id", Integer, ForeignKey("project.id"), primary_key=True),
    Column("sequence", Integer, primary_key=True),
    Column("kind", Text, nullable=False),
    Column("at", Text, nullable=False),
    Column("annotator", Text, nullable=False),
    Column("token", Text),
    Column("answers", Text),
    Column("index", Integer),
    Column("item_id", Text),
    Column("stratum", Integer),
    Column("batch", Integer),
    Column("basis", Integer),
    Column("label", Text),
    Column("text", Text),
    Column("previous", Integer),
    Column("shown_at", Text),
    Column("detail", Text, nullable=False),
    Column("hash", Text, nullable=False),
)

item_table = Table(
    "item",
    metadata,
    Column("project_id", Integer, ForeignKey("project.id"), primary_key=True),
    Column("item_id", Text, primary_key=True),
    Column("content", Text, nullable=False),
)

person_table = Table(
    "person",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("project_id", Integer, ForeignKey("project.id"), nullable=False),
    Column("key", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("at", Text, nullable=False),
    UniqueConstraint("project_id", "key"),
    UniqueConstraint("project_id", "name"),
)
