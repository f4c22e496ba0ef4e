"""Items that are too many for arrays: they stay in the engine, and single rows are looked up.

What is asked of all of them at once is asked of ``TableItems``. A row that was looked up or drawn
stays known, so that what a person labels is asked of the engine once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.lib.mixins import NDArrayOperatorsMixin
from numpy.typing import NDArray

from labelcore.errors import Fault, PopulationError, TooManyItemsError
from labelcore.population.arguments import Arguments, Classifier
from labelcore.population.checks import SCORE_RULE, FaultList, check_columns
from labelcore.population.classes import PredictionColumn, class_index
from labelcore.population.engines.conditions import Verdict
from labelcore.population.engines.engine import Engine, EngineError, Tick, go_on
from labelcore.population.engines.rows import Rows
from labelcore.population.engines.sql import Piece, listed, sql
from labelcore.population.engines.table import CHANGED, EngineTable
from labelcore.population.engines.table_items import TableItems
from labelcore.population.helpers import Helper
from labelcore.population.items import HELD
from labelcore.population.text import Columns
from labelcore.population.values import allowed, check_classes
from labelcore.stats.md5 import Texts
from labelcore.stats.orders import narrow

AT_ONCE = 25_000_000
"""Hashes of ids that are compared at once."""
MOST_TEXTS, MOST_FAULTS = 1_001, 1_000
NUMBERS = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "FLOAT", "DOUBLE", "DECIMAL")
READ_WHOLE = "{} are read up to {:,} rows, and there are {:,}"


class KeptColumn(NDArrayOperatorsMixin):
    """Scores or predictions of kept items: those at some positions, never all at once.

    what   whose they are, in words
    """

    def __init__(
        self, items: int, what: str, look_up: Callable[[list[int]], list[Any]], dtype: type
    ) -> None:
        self._items, self._what, self._look_up = items, what, look_up
        self.dtype = np.dtype(dtype)

    def __len__(self) -> int:
        return self._items

    def __getitem__(self, positions: Any) -> Any:
        if isinstance(positions, slice):
            raise self._too_many()
        asked = np.asarray(positions)
        if asked.dtype == bool:
            raise self._too_many()
        found = np.array(self._look_up(asked.reshape(-1).tolist()), dtype=self.dtype)
        return found.reshape(asked.shape)[()]

    def __array__(self, *given: Any, **named: Any) -> NDArray[Any]:
        raise self._too_many()

    def __array_ufunc__(self, *given: Any, **named: Any) -> Any:
        raise self._too_many()

    def astype(self, *given: Any, **named: Any) -> Any:
        """Not of all items."""
        raise self._too_many()

    def _too_many(self) -> TooManyItemsError:
        return TooManyItemsError(self._what, len(self), HELD)


class KeptScores(KeptColumn):
    """Scores whose least and greatest are known."""

    def __init__(self, rows: Rows, column: str, ends: tuple[float, float]) -> None:
        what = f"the scores {column!r}"
        super().__init__(len(rows), what, partial(rows.numbers, column), float)
        self.ends = ends

    def min(self) -> float:
        """The least of all."""
        return self.ends[0]

    def max(self) -> float:
        """The greatest of all."""
        return self.ends[1]


class KeptIds:
    """Ids that the engine keeps: looked up, both ways."""

    def __init__(self, rows: Rows) -> None:
        self._rows = rows

    def __len__(self) -> int:
        return len(self._rows)

    def at(self, position: int) -> str:
        """The id at a position."""
        return self._rows.ids([position])[0]

    def find(self, item_id: str) -> int | None:
        """The position of an id; None when no item has it."""
        return self._rows.position(item_id)

    def some(self, positions: NDArray[np.int64]) -> list[str]:
        """The ids at some positions, in their order."""
        return self._rows.ids(np.asarray(positions).tolist())

    def all(self) -> list[str]:
        """Not of all items."""
        raise TooManyItemsError("the ids", len(self), HELD)

    def texts(self, positions: NDArray[np.int64] | None = None) -> Texts:
        """The ids at some positions as bytes."""
        if positions is None:
            self.all()
        names = [one.encode() for one in self.some(np.asarray(positions))]
        ends = np.cumsum([0, *map(len, names)], dtype=np.int64)
        return Texts(np.frombuffer(b"".join(names), dtype=np.uint8), ends)


class KeptTable(EngineTable):
    """A table of which no column is held: single rows only.

    found   what was found by reading all of them, as JSON values
    """

    def __init__(self, engine: Engine, rows: Rows, found: Mapping[str, Any]) -> None:
        super().__init__(engine)
        self._looked_up, self.found = rows, found

    def load(self, names: Sequence[str]) -> Columns:
        """Not of all items."""
        raise TooManyItemsError(f"the column {names[0]!r}", len(self), HELD)

    def texts(self, name: str, most: int) -> Counter[str] | None:
        """Each value of a column and how many rows have it; None if over ``most``."""
        counts = self.engine.texts(name, most + 1)
        if counts is None:
            return None
        found: Counter[str] = Counter()
        for text, number in counts.items():
            found[text.strip()] += number
        return found

    def filled(self, name: str) -> int:
        """How many rows have a value."""
        blank = sql("TRIM({}) = ''", self.engine.text(name))
        query = sql("SELECT COUNT(*) FROM {} WHERE NOT {}", self.engine.table, blank)
        return int(self.engine.fetch(query)[0][0])

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row as text. Raises EngineError where it is not the row that was read."""
        rows, ids = self._looked_up, self.engine.id_columns
        item = rows.ids([position])[0]
        told = self.engine.cells(position, item, list(dict.fromkeys([*names, *ids, *rows.columns])))
        changed = [name for name in rows.columns if not rows.is_same(name, position, told[name])]
        if len(ids) == 1 and told[ids[0]] != item:
            changed.append(ids[0])
        if changed:
            words = CHANGED.format(id=item, column=changed[0])
            raise EngineError(f"{self.engine.name}: {words}")
        return {name: told[name] for name in names}


@dataclass(frozen=True, slots=True)
class KeptValues:
    """What is known of kept items, as ``Values`` of those in memory.

    ends      column of scores -> the least and the greatest
    codes     column of predictions -> text -> index into classes
    """

    table: KeptTable
    rows: Rows
    arguments: Arguments
    classes: tuple[str, ...]
    positive: str
    ends: Mapping[str, tuple[float, float]]
    codes: Mapping[str, Mapping[str, int]]
    known: None = None

    @property
    def ids(self) -> KeptIds:
        """Of all items."""
        return KeptIds(self.rows)

    @property
    def scores(self) -> dict[str, Any]:
        """By column."""
        return {name: KeptScores(self.rows, name, ends) for name, ends in self.ends.items()}

    @property
    def helpers(self) -> dict[str, Helper]:
        """None."""
        return {}

    def predicted(self, classifier: Classifier) -> Any:
        """Index into classes, by prediction column or else threshold; or None."""
        verdict = self._verdict(classifier)
        if verdict is None:
            return None
        what = f"the predictions of {classifier.name!r}"
        kind = narrow(np.zeros(0, dtype=np.int64), len(self.classes)).dtype.type
        return KeptColumn(len(self.rows), what, partial(_called, self.rows, verdict), kind)

    def _verdict(self, classifier: Classifier) -> Verdict | None:
        if classifier.prediction is not None:
            return Verdict(classifier.prediction, self.codes[classifier.prediction])
        if classifier.score is None or classifier.threshold is None:
            return None
        index = self.classes.index(self.positive)
        return Verdict(
            classifier.score,
            threshold=classifier.threshold,
            descending=classifier.descending,
            above=index,
            below=1 - index,
        )

    def items(self) -> TableItems:
        """What is asked of all items."""
        classifiers = list(self.arguments.classifiers())
        verdicts = {one.name: self._verdict(one) for one in classifiers}
        return TableItems(
            self.table.engine,
            {name: one for name, one in verdicts.items() if one is not None},
            scores={one.name: one.score for one in classifiers if one.score is not None},
            rows=self.rows,
        )


def _called(rows: Rows, verdict: Verdict, positions: Sequence[int]) -> list[int]:
    """The classes that some items are called."""
    look_up = rows.texts if verdict.threshold is None else rows.numbers
    return [verdict.of(one) for one in look_up(verdict.column, positions)]


def values_of(engine: Engine, arguments: Arguments, meta: Mapping[str, Any]) -> KeptValues:
    """What ``read_kept`` found before; ``meta``: the classes, and as "kept" ``KeptTable.found``."""
    found = meta["kept"]
    ends = {name: (float(low), float(high)) for name, (low, high) in found["ends"].items()}
    classes = tuple(meta["classes"])
    return _values(engine, arguments, classes, meta["positive"], ends, found["codes"])


def read_kept(engine: Engine, arguments: Arguments, tick: Tick = go_on) -> KeptValues:
    """Check all rows where they are. PopulationError, raised only after every check, holds every
    fault, of each kind the first ``MOST_FAULTS``."""
    general, faults = FaultList(engine.name), FaultList(engine.name)
    for rule in arguments.broken_rules():
        general.add_rule(rule)
    check_columns(engine.columns, arguments.named_columns(), general)
    rows = engine.count()
    for name, given in (("known answers", arguments.known), ("helpers", arguments.helpers)):
        if given:
            general.add_rule(READ_WHOLE.format(name, HELD, rows))
    if general.faults:
        raise PopulationError(general.faults)
    ends = _check_numbers(engine, arguments, faults, general, tick)
    texts = {
        column: engine.texts(column, MOST_TEXTS) or {}
        for column in dict.fromkeys(arguments.predictions.values())
    }
    none = np.zeros(0, dtype=np.int32)
    columns = [PredictionColumn(tuple(found), none) for found in texts.values()]
    classes, positive = check_classes(arguments, columns, general)
    codes: dict[str, dict[str, int]] = {}
    for column, found in texts.items() if positive in classes else ():
        codes[column] = {text: class_index(text, classes, positive) for text in found}
        wrong = [text for text, code in codes[column].items() if code < 0]
        if wrong:
            where = sql("{} IN {}", engine.text(column), listed(wrong))
            rule = f"a prediction must be one of {allowed(classes)}"
            _add_rows(engine, column, where, rule, faults, tick)
    if engine.id_columns:
        _check_ids(engine, faults, tick)
    if general.faults or faults.faults:
        raise PopulationError([*general.faults, *sorted(faults.faults, key=_row)])
    return _values(engine, arguments, classes, positive, ends, codes)


def _values(
    engine: Engine,
    arguments: Arguments,
    classes: tuple[str, ...],
    positive: str,
    ends: Mapping[str, tuple[float, float]],
    codes: Mapping[str, Mapping[str, int]],
) -> KeptValues:
    rows = Rows(engine, tuple(ends), tuple(codes))
    found = {
        "ends": {name: list(one) for name, one in ends.items()},
        "codes": {name: dict(one) for name, one in codes.items()},
    }
    table = KeptTable(engine, rows, found)
    return KeptValues(table, rows, arguments, classes, positive, ends, codes)


def _check_numbers(
    engine: Engine, arguments: Arguments, faults: FaultList, general: FaultList, tick: Tick
) -> dict[str, tuple[float, float]]:
    """The least and the greatest of each score, all of them finite."""
    found = {}
    for column in dict.fromkeys(arguments.scores.values()):
        kind = sql("SELECT typeof({}) FROM {} LIMIT 1", engine.column(column), engine.table)
        name = str(engine.fetch(kind)[0][0])
        if not name.startswith(NUMBERS):
            general.add_rule(f"{SCORE_RULE}, got a column of type {name}", column)
            continue
        score = engine.score(column)
        finite = sql("COALESCE(isfinite({}), FALSE)", score)
        query = sql(
            "SELECT MIN({}), MAX({}), SUM(CASE WHEN {} THEN 0 ELSE 1 END) FROM {}",
            *(score, score, finite, engine.table),
        )
        low, high, wrong = engine.fetch(query, tick)[0]
        if wrong:
            _add_rows(engine, column, sql("NOT {}", finite), SCORE_RULE, faults, tick)
        else:
            found[column] = float(low), float(high)
    return found


def _check_ids(engine: Engine, faults: FaultList, tick: Tick) -> None:
    """Every id is there, and none twice: 64-bit hashes are compared first, then the ids of those
    that are equal."""
    for column in engine.id_columns:
        empty = sql("{} = ''", engine.text(column))
        _add_rows(engine, column, empty, "an id must not be empty", faults, tick)
    hashed = sql("hash({})", engine.item_id())
    suspects: list[int] = []
    pieces = -(-engine.count() // AT_ONCE)
    for piece in range(pieces):
        own = Piece("TRUE") if pieces == 1 else sql(f"{{}} % {pieces} = {piece}", hashed)
        query = sql("SELECT {} FROM {} WHERE {}", hashed, engine.table, own)
        parts = [batch.column(0).to_numpy() for batch in engine.stream(query, tick)]
        hashes = np.concatenate([np.zeros(0, dtype=np.uint64), *parts])
        del parts
        hashes.sort()
        suspects += np.unique(hashes[1:][hashes[1:] == hashes[:-1]]).tolist()[:MOST_FAULTS]
    if not suspects or engine.place is None:
        return
    query = sql(
        "SELECT {}, {} FROM {} WHERE {} IN {} ORDER BY 1",
        *(engine.place, engine.item_id(), engine.table, hashed, listed(suspects)),
    )
    first: dict[str, int] = {}
    for place, name in engine.fetch(query, tick):
        before = first.setdefault(str(name), int(place))
        if name and before != place:
            rule = f"an id must be unique, and row {before + 1} has the same"
            faults.add_row(int(place), ", ".join(engine.id_columns), str(name), rule)


def _add_rows(
    engine: Engine, column: str, where: Piece, rule: str, faults: FaultList, tick: Tick
) -> None:
    """A fault for each of the first rows of which ``where`` holds."""
    assert engine.place is not None
    query = sql(
        f"SELECT {{}}, {{}} FROM {{}} WHERE {{}} ORDER BY 1 LIMIT {MOST_FAULTS}",
        *(engine.place, engine.text(column), engine.table, where),
    )
    for place, text in engine.fetch(query, tick):
        faults.add_row(int(place), column, str(text), rule)


def _row(fault: Fault) -> int:
    return fault.row or 0
