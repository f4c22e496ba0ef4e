"""What an engine is: a table of items, and how its SQL is written and run."""

import importlib
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar, TypeVar

import pyarrow as pa

from labelcore.errors import ChangedItemError
from labelcore.population.engines.sql import Piece, joined, sql, value
from labelcore.population.ids import ESCAPE, SEPARATOR, id_parts
from labelcore.population.text import as_text, listing

EXTRAS = {"psycopg": "postgresql", "pyspark": "spark"}
"""Package -> the extra of labelcore that brings it."""


def imported(package: str, source: str) -> ModuleType:
    """A package of an extra. ValueError that names the extra if it is not installed."""
    try:
        return importlib.import_module(package)
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != package:
            raise
        extra = EXTRAS[package]
        raise ValueError(
            f'{source}: reading it takes the package {package}: pip install "labelcore[{extra}]"'
        ) from error


Tick = Callable[[], None]
"""Is called several times a second while an engine works; what it raises ends the pass."""

ROWS_AT_ONCE = 1 << 18
POLL_SECONDS = 0.1


class EngineError(ValueError):
    """An engine cannot answer: it is gone, a part is missing, or rows are not what they were."""


class ChangedRowError(EngineError, ChangedItemError):
    """The table is there, and what it has of one item is another row, or none."""


def go_on() -> None:
    """A tick that ends nothing."""


class Engine(ABC):
    """A table of items in an engine that speaks SQL.

    name     what messages call the table
    columns  names of its columns, in order
    id_columns  the columns that make up an id; none: ids are row numbers, where rows have an order
    table    what stands behind FROM
    files    the files that it reads, if it reads any on this machine
    address  where the table is, without a password; None for files on this machine
    place    the position of a row, for tables whose rows have one; else None
    """

    text_type: ClassVar[str] = "VARCHAR"

    name: str
    columns: tuple[str, ...]
    id_columns: tuple[str, ...]
    table: Piece
    place: Piece | None = None
    files: tuple[Path, ...] = ()
    address: str | None = None

    # --- how it is run ---------------------------------------------------------------------------

    @abstractmethod
    def fetch(self, query: Piece, tick: Tick = go_on) -> list[tuple[Any, ...]]:
        """All rows of a small result. Raises EngineError if there is no answer."""

    @abstractmethod
    def stream(self, query: Piece, tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """A large result, some rows at a time, in the order that the query says."""

    @abstractmethod
    def items(self, columns: Sequence[str], tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """These columns of every row as they are, in the order of positions."""

    @abstractmethod
    def cells(self, position: int, item_id: str, columns: Sequence[str]) -> dict[str, str]:
        """The texts of one row. Raises EngineError if it is not there any more."""

    def close(self) -> None:  # noqa: B027  nothing is the engine's own, unless it says so
        """Let go of a connection of its own."""

    def selected(self, columns: Sequence[str]) -> list[Piece]:
        return [self.column(name) for name in unique(columns)]

    def is_item(self, item_id: str) -> Piece:
        """Whether a row is the item, so that an index of the id columns helps."""
        parts = id_parts(item_id) if len(self.id_columns) > 1 else [item_id]
        pairs = zip(self.id_columns, parts, strict=True)
        same = (sql("{} = {}", self.column(name), value(text)) for name, text in pairs)
        return joined(" AND ", same)

    # --- how it is written -----------------------------------------------------------------------

    def column(self, name: str) -> Piece:
        if name not in self.columns:
            raise ValueError(
                f"{self.name} has no column {name!r}; its columns are {listing(self.columns)}"
            )
        return self.quoted(name)

    def quoted(self, name: str) -> Piece:
        """A name that is taken as it is."""
        return Piece('"' + name.replace('"', '""') + '"')

    def text(self, name: str) -> Piece:
        """A column as text, a missing value as the empty one."""
        return sql(f"COALESCE(CAST({{}} AS {self.text_type}), '')", self.column(name))

    def item_id(self) -> Piece:
        """The id as text, of one column or of several together as ``ids.joined`` writes it."""
        if not self.id_columns:
            if self.place is None:
                raise ValueError(f"id must name a column: the rows of {self.name} have no order")
            return sql(f"CAST({{}} + 1 AS {self.text_type})", self.place)
        texts = [self.text(name) for name in self.id_columns]
        if len(texts) == 1:
            return texts[0]
        for sign in (ESCAPE, SEPARATOR):
            texts = [
                sql("REPLACE({}, {}, {})", text, value(sign), value(ESCAPE + sign))
                for text in texts
            ]
        return joined(f" || '{SEPARATOR}' || ", texts)

    def count(self) -> int:
        """How many rows."""
        return int(self.fetch(sql("SELECT COUNT(*) FROM {}", self.table))[0][0])


class KeyedEngine(Engine):
    """A table whose rows have no order but that of their ids as text."""

    in_order: ClassVar[str] = "ORDER BY {}"

    @abstractmethod
    def found(self, query: Piece) -> pa.Table:
        """A few rows, in the form in which ``items`` has them."""

    def items(self, columns: Sequence[str], tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        query = sql(
            f"SELECT {{}} FROM {{}} {self.in_order}",
            *(joined(", ", self.selected(columns)), self.table, self.item_id()),
        )
        return self.stream(query, tick)

    def cells(self, position: int, item_id: str, columns: Sequence[str]) -> dict[str, str]:
        query = sql(
            "SELECT {} FROM {} WHERE {}",
            *(joined(", ", self.selected(columns)), self.table, self.is_item(item_id)),
        )
        row = self.found(query)
        if row.num_rows != 1:
            raise ChangedRowError(f"{self.name}: the item {item_id!r} is not there any more")
        return {name: as_text(row.column(name))[0].as_py() for name in unique(columns)}


Answer = TypeVar("Answer")


def patiently(ask: Callable[[], Answer], interrupt: Callable[[], object], tick: Tick) -> Answer:
    """What ``ask`` gives, with a tick several times a second, once at least; ``interrupt`` ends it
    early."""
    if tick is go_on:
        return ask()
    answers: list[Answer] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            answers.append(ask())
        except BaseException as error:  # handed on to the caller's thread
            failed.append(error)

    worker = threading.Thread(target=work, daemon=True)
    worker.start()
    try:
        while True:
            worker.join(POLL_SECONDS)
            tick()
            if answers or failed:
                break
    except BaseException:
        interrupt()
        worker.join()
        raise
    if failed:
        raise failed[0]
    return answers[0]


def first_line(error: Exception) -> str:
    """What an engine says first: the lines after it repeat the statement."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


def unique(names: Sequence[str]) -> list[str]:
    return list(dict.fromkeys(names))
