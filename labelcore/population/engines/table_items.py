"""Counts, ranks and samples of a table in an engine: ``labelcore.population.items.Items``.

A sample takes one pass for all strata: only hashes below a threshold leave the engine, which is set
so that enough of them are expected.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.errors import TooManyItemsError
from labelcore.population.engines.conditions import Verdict
from labelcore.population.engines.engine import RECOUNTED, Engine, EngineError, Tick, go_on
from labelcore.population.engines.ranked import RankedItems
from labelcore.population.engines.rows import Rows
from labelcore.population.engines.sql import (
    Piece,
    all_of,
    any_of,
    joined,
    listed,
    sql,
    value,
)
from labelcore.population.items import (
    HELD,
    UNIT,
    Part,
    Score,
    Stretch,
    apart,
)
from labelcore.stats.histogram import Bins

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

SPARE = 6.0
"""Standard deviations by which more hashes are fetched than items are wanted."""
LEAST_TAKEN = 2_000
LAST, DIGITS = "g", 12
"""Greater than every hash; hexadecimal digits of a threshold."""
HASHED = 0.1
"""What a hash costs against a row that is fetched."""


@dataclass(slots=True)
class _Sampled:
    """The first items of a part in draw order, and whether they are all of it."""

    positions: IntArray
    complete: bool


@dataclass(frozen=True, eq=False, slots=True)
class Drawn:
    """What is known of parts of the items and of the first of each in draw order.

    sizes      (n_parts,)
    taken      (n_parts,), how many of each part are known; complete: whether that is all of it
    positions  those of the first part first
    rows       id, scores and predictions of each of them
    sums       classifier -> what its scores sum to in each part, for those that were summed up
    """

    parts: tuple[Part, ...]
    seed: int
    sizes: IntArray
    taken: IntArray
    complete: NDArray[np.bool_]
    positions: IntArray
    rows: tuple[tuple[Any, ...], ...]
    sums: Mapping[str, tuple[int, ...]]


class TableItems(RankedItems):
    """The items of an engine's table. What a pass over it found is kept, so that whoever begins
    anew after a pass was broken off goes on from there.

    engine    holds the table
    verdicts  classifier -> how its predictions are told
    scores    classifier -> the column of its scores, for those that have another name
    find      positions of ids, for a table whose rows have no order of their own
    rows      keeps the rows that are drawn
    tick      is called several times a second during each pass; what it raises ends the pass
    """

    def __init__(
        self,
        engine: Engine,
        verdicts: Mapping[str, Verdict] | None = None,
        find: Callable[[Sequence[str]], IntArray] | None = None,
        tick: Tick = go_on,
        scores: Mapping[str, str] | None = None,
        rows: Rows | None = None,
    ) -> None:
        super().__init__(engine, verdicts, tick, scores)
        self._find, self._rows = find, rows
        self._sampled: dict[tuple[_Key, int], _Sampled] = {}
        self._drawn: dict[int, _Key] = {}
        self._together: dict[_Key, tuple[Part, ...]] = {}
        self._sizes: dict[_Key, int] = {}
        self._summed: dict[tuple[Score, tuple[_Key, ...]], list[int]] = {}
        self._called: dict[_Parts, dict[tuple[int, ...], IntArray]] = {}
        self._histograms: dict[tuple[Score, bytes, tuple[tuple[str, int], ...]], IntArray] = {}

    # --- counts and sums -------------------------------------------------------------------------

    def counts(self, parts: Sequence[Part]) -> IntArray:
        """Items of each part, (n_parts,), in one pass, unless they were counted before."""
        if any(_key(part) not in self._sizes for part in parts):
            self._counted(parts, self._of_parts([], [], parts)[()][0])
        return np.array([self._sizes[_key(part)] for part in parts], dtype=np.int64)

    def _counted(self, parts: Sequence[Part], numbers: Sequence[int]) -> None:
        for part, number in zip(parts, numbers, strict=True):
            self._sizes[_key(part)], self._together[_key(part)] = number, tuple(parts)

    def joined(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        """Predictions of several classifiers together -> items of each part, (n_parts,)."""
        if all(name in part.predicted for part in parts for name in classifiers):
            return self._joined_by_part(classifiers, parts)
        asked = tuple(classifiers), tuple(map(_key, parts))
        if asked not in self._called:
            self._called[asked] = self._joined(classifiers, parts)
        return {codes: counts.copy() for codes, counts in self._called[asked].items()}

    def _joined(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        verdicts = [self._verdict(name) for name in classifiers]
        found: dict[tuple[int, ...], IntArray] = {}
        said = [self._said(one) for one in verdicts]
        for texts, (numbers,) in self._of_parts([], said, parts).items():
            codes = tuple(self._code(one, text) for one, text in zip(verdicts, texts, strict=True))
            counts = np.array(numbers, dtype=np.int64)
            if counts.any():
                found[codes] = found.get(codes, 0) + counts
        return found

    def _joined_by_part(
        self, classifiers: Sequence[str], parts: Sequence[Part]
    ) -> dict[tuple[int, ...], IntArray]:
        """``joined`` of parts that say what is predicted in them: their sizes."""
        sizes = self.counts(parts)
        found: dict[tuple[int, ...], IntArray] = {}
        for number, part in enumerate(parts):
            codes = tuple(part.predicted[name] for name in classifiers)
            found.setdefault(codes, np.zeros_like(sizes))[number] = sizes[number]
        return found

    def sums(self, score: Score, parts: Sequence[Part]) -> list[int]:
        """What the scores of each part sum to, each the nearest whole number of 2^-40."""
        asked = score, tuple(map(_key, parts))
        if asked not in self._summed:
            units = self.engine.nearest(sql(f"{{}} * {UNIT:.1f}", self._float(score)))
            numbers, self._summed[asked] = self._of_parts([units], [], parts)[()]
            self._counted(parts, numbers)
        return list(self._summed[asked])

    def histogram(self, score: Score, edges: FloatArray, predicted: Mapping[str, int]) -> IntArray:
        """Items below the first edge, from each edge on up to the next, and from the last on."""
        asked = score, edges.tobytes(), tuple(sorted(predicted.items()))
        if asked not in self._histograms:
            where = self._predicted(predicted)
            self._histograms[asked] = self.engine.grid(self._float(score), edges, where, self.tick)
        return self._histograms[asked].copy()

    def bins(self, score: Score, edges: FloatArray) -> Bins:
        """Counts, sums and extremes of the cells between some edges."""
        return self.engine.bins(self._float(score), edges, self.tick)

    def _of_parts(
        self, terms: Sequence[Piece], by: Sequence[Piece], parts: Sequence[Part]
    ) -> dict[tuple[str, ...], list[list[int]]]:
        """Values of ``by`` -> for each part the number of its items, and the sum of each term over
        them; where ``by`` is empty there is one value. The items of parts that lie apart are told
        from each other once for all of them."""
        if not apart(parts):
            each = [self._of_parts(terms, by, [part]) for part in parts]
            empty = [[0]] * (len(terms) + 1)
            return {
                key: [
                    [number for one in each for number in one.get(key, empty)[term]]
                    for term in range(len(terms) + 1)
                ]
                for key in dict.fromkeys(key for one in each for key in one)
            }
        cases = [
            sql("WHEN {} THEN {}", self._inside(part), Piece(str(number)))
            for number, part in enumerate(parts)
        ]
        groups = [*by, sql("CASE {} ELSE -1 END", joined(" ", cases))]
        sums = [Piece("COUNT(*)"), *(sql("SUM({})", term) for term in terms)]
        places = Piece(", ".join(str(place + 1) for place in range(len(groups))))
        query = sql(
            "SELECT {} FROM {} GROUP BY {}",
            *(joined(", ", [*groups, *sums]), self.engine.table, places),
        )
        found: dict[tuple[str, ...], list[list[int]]] = {}
        if not by:
            found[()] = [[0] * len(parts) for _ in sums]
        for row in self.engine.fetch(query, self.tick):
            key, part = tuple(str(one) for one in row[: len(by)]), int(row[len(by)])
            if part >= 0:
                own = found.setdefault(key, [[0] * len(parts) for _ in sums])
                for term, total in enumerate(row[len(by) + 1 :]):
                    own[term][part] = int(total)
        return found

    # --- strata ----------------------------------------------------------------------------------

    def strata(self, parts: Sequence[Part]) -> KeptStrata:
        """The part of each item, looked up for those that are asked for."""
        return KeptStrata(self, tuple(parts))

    def queue(self, parts: Sequence[Part], seed: int) -> KeptQueue:
        """Part after part in draw order, fetched as far as it is asked for."""
        return KeptQueue(self, tuple(parts), seed)

    def part_of(self, positions: IntArray, parts: Sequence[Part]) -> IntArray:
        """The part of each of some items, (n,); of those that were drawn it is known."""
        numbers = {_key(part): number for number, part in enumerate(parts)}
        keys = [self._drawn.get(one) for one in positions.tolist()]
        if all(key in numbers for key in keys):
            return np.array([numbers[key] for key in keys if key is not None], dtype=np.int64)
        if self.engine.place is None:
            raise ValueError(f"{self.engine.name}: its rows have no positions")
        cases = [
            sql("WHEN {} THEN {}", self._inside(part), Piece(str(number)))
            for number, part in enumerate(parts)
        ]
        query = sql(
            "SELECT {}, CASE {} END FROM {} WHERE {} IN {}",
            *(self.engine.place, joined(" ", cases), self.engine.table, self.engine.place),
            listed(positions.tolist()),
        )
        found = {int(place): part for place, part in self.engine.fetch(query, self.tick)}
        if len(found) < len(set(positions.tolist())) or None in found.values():
            raise EngineError(f"{self.engine.name}: {RECOUNTED}")
        return np.array([found[one] for one in positions.tolist()], dtype=np.int64)

    # --- samples ---------------------------------------------------------------------------------

    def sample(self, part: Part, seed: int, first: int, take: int) -> IntArray:
        """Positions of items ``first`` to ``first + take`` of a part by the draw hash."""
        known = self._sampled.get((_key(part), seed))
        if known is None or (not known.complete and len(known.positions) < first + take):
            parts = self._together.get(_key(part), (part,))
            self.prefetch(parts, seed, max(first + take, LEAST_TAKEN))
            known = self._sampled[_key(part), seed]
        return known.positions[first : first + take]

    def prefetch(self, parts: Sequence[Part], seed: int, take: int) -> None:
        """Fetch the first items of parts without a common item, in one pass for all of them."""
        sizes = self.counts(parts).tolist()
        below = [_threshold(size, take) for size in sizes]
        found = self._below(parts, seed, below)
        short = [len(own) < min(size, take) for own, size in zip(found, sizes, strict=True)]
        if any(short):
            again = [LAST if few else "" for few in short]
            more = self._below(parts, seed, again)
            found = [b if few else a for a, b, few in zip(found, more, short, strict=True)]
        for part, own, size in zip(parts, found, sizes, strict=True):
            kept = [row for _, row in sorted(own)[:take]]
            if len(kept) != min(size, take):
                raise EngineError(f"{self.engine.name}: {RECOUNTED}")
            self._keep(part, seed, self._positions(kept), complete=size <= take)

    def _keep(self, part: Part, seed: int, positions: IntArray, *, complete: bool) -> None:
        key = _key(part)
        self._sampled[key, seed] = _Sampled(positions, complete)
        self._drawn.update(dict.fromkeys(positions.tolist(), key))

    def drawn(self, parts: Sequence[Part], seed: int) -> Drawn:
        """What is known of these parts, to begin from it another time; they are fetched first."""
        if any((_key(part), seed) not in self._sampled for part in parts):
            self.prefetch(parts, seed, LEAST_TAKEN)
        sampled = [self._sampled[_key(part), seed] for part in parts]
        positions = np.concatenate([one.positions for one in sampled])
        rows = [] if self._rows is None else self._rows.kept(positions.tolist())
        return Drawn(
            tuple(parts),
            seed,
            self.counts(parts),
            np.array([len(one.positions) for one in sampled], dtype=np.int64),
            np.array([one.complete for one in sampled]),
            positions,
            tuple(tuple(row[1:]) for row in rows),
            {
                score: tuple(totals)
                for (score, keys), totals in self._summed.items()
                if isinstance(score, str) and keys == tuple(map(_key, parts))
            },
        )

    def begin_from(self, known: Drawn) -> None:
        """Take over what was known another time."""
        ends = np.cumsum(known.taken)
        pieces = np.split(known.positions, ends[:-1])
        for part, size, positions, complete in zip(
            known.parts, known.sizes.tolist(), pieces, known.complete.tolist(), strict=True
        ):
            self._sizes[_key(part)], self._together[_key(part)] = size, known.parts
            self._keep(part, known.seed, positions, complete=complete)
        keys = tuple(map(_key, known.parts))
        self._summed |= {(score, keys): list(sums) for score, sums in known.sums.items()}
        if self._rows is not None:
            for position, row in zip(known.positions.tolist(), known.rows, strict=True):
                self._rows.add((position, *row))

    def _positions(self, found: Sequence[tuple[Any, ...]]) -> IntArray:
        if self._rows is not None:
            return np.array([self._rows.add(row) for row in found], dtype=np.int64)
        if self.engine.place is not None:
            return np.array([row[0] for row in found], dtype=np.int64)
        if self._find is None:
            raise ValueError(f"{self.engine.name}: its rows have no positions")
        return self._find([str(row[0]) for row in found])

    def _below(
        self, parts: Sequence[Part], seed: int, below: Sequence[str]
    ) -> list[list[tuple[str, tuple[Any, ...]]]]:
        """The hash of each part's items whose hash is less than its threshold, and what is kept of
        their rows: positions or ids, and more where rows are kept.

        Where few hashes of a part are wanted, those below the largest threshold are found first,
        and which part they are of is asked of these alone; where most are, the part is small, and
        its items are found first.
        """
        found: list[list[tuple[str, tuple[Any, ...]]]] = [[] for _ in parts]
        wanted = [self.engine.place or self.engine.item_id()]
        wanted = wanted if self._rows is None else self._rows.wanted
        engine, own = self.engine, self.engine.hash(seed, "draw")
        most = self._found_first(parts, below)
        few = [number for number, limit in enumerate(below) if limit and number not in most]
        cases = {
            number: sql("WHEN {} THEN {}", self._inside(parts[number]), Piece(str(number)))
            for number in (*few, *most)
        }
        asked = []
        if few:
            asked.append((few, sql("{} < {}", own, value(max(below[one] for one in few)))))
        if most:
            inside = any_of(self._inside(parts[one]) for one in most)
            limits = [
                sql("WHEN {} THEN {}", self._inside(parts[one]), value(below[one])) for one in most
            ]
            low = sql("{} < CASE {} ELSE '' END", own, joined(" ", limits))
            asked.append((most, all_of([inside, low])))
        for numbers, where in asked:
            part_of = joined(" ", [cases[one] for one in numbers])
            query = sql(
                "SELECT CASE {} ELSE -1 END, {}, {} FROM {} WHERE {}",
                *(part_of, own, joined(", ", wanted), engine.table, where),
            )
            for part, text, *row in engine.fetch(query, self.tick):
                if part >= 0 and str(text) < below[part]:
                    found[int(part)].append((str(text), tuple(row)))
        return found

    def _found_first(self, parts: Sequence[Part], below: Sequence[str]) -> list[int]:
        """The parts whose items are better found before their hashes: the smallest ones, as many as
        cost least. A row below the largest threshold of the others is fetched; one of a small part
        is hashed, which costs a tenth of that."""
        order = sorted((limit, number) for number, limit in enumerate(below) if limit)
        sizes = [self._sizes[_key(parts[number])] for _, number in order]
        shares = [min(_share(limit), 1.0) for limit, _ in order]
        costs = [
            self._number * (shares[cut - 1] if cut else 0.0) + HASHED * sum(sizes[cut:])
            for cut in range(len(order) + 1)
        ]
        return [number for _, number in order[int(np.argmin(costs)) :]]


@dataclass(frozen=True, eq=False, slots=True)
class KeptStrata:
    """Which of the parts each item of a table belongs to."""

    items: TableItems
    parts: tuple[Part, ...]

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, positions: Any) -> Any:
        if isinstance(positions, slice):
            raise TooManyItemsError("the strata", len(self), HELD)
        asked = np.asarray(positions, dtype=np.int64)
        found = self.items.part_of(asked.reshape(-1), self.parts) if asked.size else asked
        return found.reshape(asked.shape)[()]


@dataclass(frozen=True, eq=False, slots=True)
class KeptQueue:
    """The items of a table part after part in draw order; a piece that is asked for lies within
    one part."""

    items: TableItems
    parts: tuple[Part, ...]
    seed: int

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, places: Any) -> Any:
        ends = np.cumsum(self.items.counts(self.parts))
        if not isinstance(places, slice):
            asked = np.asarray(places, dtype=np.int64)
            found = [int(self[one : one + 1][0]) for one in asked.reshape(-1).tolist()]
            return np.array(found, dtype=np.int64).reshape(asked.shape)[()]
        first, end, _ = places.indices(len(self))
        if end <= first:
            return np.zeros(0, dtype=np.int64)
        part = int(np.searchsorted(ends, first, side="right"))
        start = int(ends[part - 1]) if part else 0
        return self.items.sample(self.parts[part], self.seed, first - start, end - first)


_Key = tuple[tuple[tuple[str, int], ...], tuple[Stretch, ...], tuple[Stretch, ...]]
_Parts = tuple[tuple[str, ...], tuple[_Key, ...]]


def _key(part: Part) -> _Key:
    return tuple(sorted(part.predicted.items())), part.stretches, part.without


def _threshold(size: int, number: int) -> str:
    """A hash below which ``number`` of ``size`` rows lie, surely enough."""
    share = (number + SPARE * math.sqrt(number) + SPARE**2) / max(size, 1)
    return LAST if share >= 1 else f"{int(share * 16**DIGITS):0{DIGITS}x}"


def _share(limit: str) -> float:
    """The share of all hashes below a threshold."""
    return 1.0 if limit == LAST else int(limit.ljust(DIGITS, "0")[:DIGITS], 16) / 16.0**DIGITS
