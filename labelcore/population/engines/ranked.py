"""Ranks of the items of a table in an engine.

The order of a score is that of the designs: ties by md5("{seed}|tie|{id}"). The item at a rank is
found in a few passes: counts over edges at sampled quantiles say in which cell it lies, the scores
of that cell which one it has, and the hashes of the items of that score which of them it is,
counted by their first digits where there are many.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Collection, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from labelcore.population.engines.conditions import Conditions, Verdict
from labelcore.population.engines.engine import RECOUNTED, Engine, EngineError, Tick, go_on
from labelcore.population.engines.sql import (
    EVERY,
    Piece,
    all_of,
    any_of,
    joined,
    listed,
    sql,
    value,
)
from labelcore.population.items import Mark, Score, Stretch

IntArray = NDArray[np.int64]
FloatArray = NDArray[np.float64]

SAMPLED, EDGES = 100_000, 4_095
MOST_VALUES = 50_000
"""Scores of one cell that are fetched at once; a cell with more is cut again."""
FEW_CELLS = 64
"""Cells whose scores are counted by conditions."""
MOST_TIES, PREFIX = 50_000, 4
"""Hashes of one score that are fetched at once; more are counted by so many digits first."""
MOST_PREFIXES = 100_000
"""First digits of hashes, over all scores asked for, that are counted at once."""
_Ranks = tuple[Stretch, tuple[tuple[str, int], ...], tuple[int, ...]]


class RankedItems(Conditions):
    """Items at ranks and ranks of items; what ``at_ranks`` found is kept."""

    def __init__(
        self,
        engine: Engine,
        verdicts: Mapping[str, Verdict] | None = None,
        tick: Tick = go_on,
        scores: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(engine, verdicts, tick, scores)
        self._ranked: dict[_Ranks, list[Mark]] = {}

    def at_ranks(
        self, stretch: Stretch, predicted: Mapping[str, int], ranks: Sequence[int]
    ) -> list[Mark]:
        """The items at ranks 1, 2, ... of the order within a stretch and predictions.

        ranks   increasing, up to the number of these items
        """
        if not len(ranks):
            return []
        wanted = tuple(int(rank) for rank in ranks)
        asked = stretch, tuple(sorted(predicted.items())), wanted
        if asked not in self._ranked:
            where = all_of([self._predicted(predicted), self._on(stretch)])
            places = self._levels(stretch, where, list(wanted))
            ties = self._ties(stretch, where, places)
            self._ranked[asked] = [
                Mark(score, tie) for (score, _, _), tie in zip(places, ties, strict=True)
            ]
        return list(self._ranked[asked])

    def scores_at(self, stretch: Stretch, ranks: Sequence[int]) -> FloatArray:
        """The scores at ranks 1, 2, ... within a stretch, (n_ranks,)."""
        if not len(ranks):
            return np.zeros(0)
        places = self._levels(stretch, self._on(stretch), [int(rank) for rank in ranks])
        return np.array([score for score, _, _ in places])

    def ranks(self, stretch: Stretch, positions: IntArray) -> IntArray:
        """The ranks of some items within a stretch, (n,): items of better scores are counted over
        one grid, those of the same score by the first digits of their hashes."""
        if not len(positions):
            return np.zeros(0, dtype=np.int64)
        marks = self._marks(stretch, np.unique(positions).tolist())
        values = np.unique([mark.score for mark in marks.values()])
        above = np.nextafter(values, np.inf)
        edges = np.unique(np.concatenate([values, above]))
        where = self._on(stretch)
        until = np.cumsum(self.engine.grid(self._float(stretch.score), edges, where, self.tick))
        below, number = until[np.searchsorted(edges, values)], until[np.searchsorted(edges, above)]
        before = dict(
            zip(
                values.tolist(),
                ((until[-1] - number) if stretch.falling else below).tolist(),
                strict=True,
            )
        )
        shared = set(values[number - below > 1].tolist())
        tied = [mark for mark in marks.values() if mark.score in shared]
        among = dict(zip(tied, self._among_equal(stretch, where, tied), strict=True))
        found = {place: before[mark.score] + among.get(mark, 1) for place, mark in marks.items()}
        return np.array([found[one] for one in positions.tolist()], dtype=np.int64)

    def _marks(self, stretch: Stretch, positions: Sequence[int]) -> dict[int, Mark]:
        """The places of some items in an order."""
        if self.engine.place is None:
            raise ValueError(f"{self.engine.name}: its rows have no positions")
        score, tie = self._float(stretch.score), self.engine.hash(stretch.seed, "tie")
        query = sql(
            "SELECT {}, {}, {} FROM {} WHERE {} IN {}",
            *(self.engine.place, score, tie, self.engine.table, self.engine.place),
            listed(positions),
        )
        rows = self.engine.fetch(query, self.tick)
        if len(rows) != len(positions):
            raise EngineError(f"{self.engine.name}: {RECOUNTED}")
        return {int(place): Mark(float(one), str(text)) for place, one, text in rows}

    def _among_equal(self, stretch: Stretch, where: Piece, marks: Sequence[Mark]) -> list[int]:
        """The rank of each mark among the items of its score."""
        if not marks:
            return []
        score, tie = self._float(stretch.score), self.engine.hash(stretch.seed, "tie")
        levels = sorted({mark.score for mark in marks})
        digits = max(int(math.log(MOST_PREFIXES / len(levels), 16)), 1)
        inside = all_of([where, sql("{} IN {}", score, listed(levels))])
        start = sql(f"SUBSTR({{}}, 1, {digits})", tie)
        query = sql(
            "SELECT {}, {}, COUNT(*) FROM {} WHERE {} GROUP BY 1, 2",
            *(score, start, self.engine.table, inside),
        )
        prefixes: dict[float, list[tuple[str, int]]] = {}
        for at, text, number in self.engine.fetch(query, self.tick):
            prefixes.setdefault(float(at), []).append((str(text), int(number)))
        rows = [
            sql("({}, {}, {}, {})", *map(value, (place, mark.score, mark.tie[:digits], mark.tie)))
            for place, mark in enumerate(marks)
        ]
        query = sql(
            "SELECT m.place, COUNT(*) FROM (SELECT {} AS score, {} AS tie FROM {} WHERE {}) t"
            " JOIN (VALUES {}) AS m(place, score, start, tie) ON t.score = m.score"
            f" AND SUBSTR(t.tie, 1, {digits}) = m.start AND t.tie <= m.tie GROUP BY 1",
            *(score, tie, self.engine.table, inside, joined(", ", rows)),
        )
        counted = {int(place): int(number) for place, number in self.engine.fetch(query, self.tick)}
        if len(counted) != len(marks):
            raise EngineError(f"{self.engine.name}: {RECOUNTED}")
        return [
            counted[place]
            + sum(number for text, number in prefixes[mark.score] if text < mark.tie[:digits])
            for place, mark in enumerate(marks)
        ]

    def distinct(self, score: str, most: int) -> int:
        """Different scores, ``most`` + 1 where there are more: then no further rows are read."""
        query = sql("SELECT {} FROM {}", self._float(score), self.engine.table)
        found = np.zeros(0)
        for batch in self.engine.stream(query, self.tick):
            found = np.unique(np.concatenate([found, np.unique(batch.column(0).to_numpy())]))
            if len(found) > most:
                return most + 1
        return len(found)

    def _levels(
        self, stretch: Stretch, where: Piece, ranks: list[int]
    ) -> list[tuple[float, int, int]]:
        """For each rank: the score there, the rank among the items of that score, and how many of
        them there are."""
        edges = self._edges(stretch.score, where)
        counts = self.engine.grid(self._float(stretch.score), edges, where, self.tick)
        if ranks[0] < 1 or ranks[-1] > counts.sum():
            raise ValueError(f"ranks must be 1 to {counts.sum():,}, got {ranks[0]} to {ranks[-1]}")
        bounds = [None, *edges.tolist(), None]
        cells = [*zip(bounds[:-1], bounds[1:], counts.tolist(), strict=True)]
        if stretch.falling:
            cells.reverse()
        ends = np.cumsum([number for _, _, number in cells])
        of = np.searchsorted(ends, ranks).tolist()
        asked = {cell: self._between(stretch.score, *cells[cell][:2]) for cell in sorted(set(of))}
        small = [one for one in asked if cells[one][2] <= MOST_VALUES and not _level(*cells[one])]
        few = [asked[one] for one in small]
        small = [len(edges) - one for one in small] if stretch.falling else small
        values, numbers = self._of_cells(stretch.score, where, few, edges, small)
        found: list[tuple[float, int, int]] = []
        for cell, inside in asked.items():
            low, high, number = cells[cell]
            first = int(ends[cell]) - number
            own = [rank - first for rank, at in zip(ranks, of, strict=True) if at == cell]
            if level := _level(low, high, number):
                found += _places(level, own, stretch.falling)
            elif number > MOST_VALUES:
                here = all_of([where, inside])
                values_here = self._values(stretch.score, here, [EVERY], MOST_VALUES)
                if values_here is None:
                    found += self._levels(stretch, here, own)
                    continue
                found += _places(values_here, own, stretch.falling)
            else:
                start = 0 if low is None else int(np.searchsorted(values, low))
                end = len(values) if high is None else int(np.searchsorted(values, high))
                there = zip(values[start:end].tolist(), numbers[start:end].tolist(), strict=True)
                found += _places(dict(there), own, stretch.falling)
        return found

    def _of_cells(
        self,
        score: Score | None,
        where: Piece,
        inside: Sequence[Piece],
        edges: FloatArray,
        cells: Collection[int],
    ) -> tuple[FloatArray, IntArray]:
        """The different scores of some cells between edges, increasing, and how many items have
        each, (n,): of many cells from all scores, as they go by; of few ones counted there.

        inside   a condition for each of few cells; others may be among those that go by
        """
        if len(inside) <= FEW_CELLS:
            counted = self._values(score, where, inside) or {}
            values = np.array(sorted(counted))
            return values, np.array([counted[one] for one in values.tolist()], dtype=np.int64)
        wanted = np.zeros(len(edges) + 1, dtype=bool)
        wanted[list(cells)] = True
        found = [np.zeros(0)]
        query = sql("SELECT {} FROM {} WHERE {}", self._float(score), self.engine.table, where)
        for batch in self.engine.stream(query, self.tick):
            own = batch.column(0).to_numpy()
            found.append(own[wanted[np.searchsorted(edges, own, side="right")]])
        values, number = np.unique(np.concatenate(found), return_counts=True)
        return values, number.astype(np.int64)

    def _edges(self, score: Score | None, where: Piece) -> FloatArray:
        """Increasing edges at the quantiles of a sample; a score that is often there has a cell of
        its own."""
        share = min(1.0, SAMPLED / max(self._number, 1))
        query = sql(
            f"SELECT {{}} FROM {{}} WHERE {{}} AND {self.engine.random} < {{}}",
            *(self._float(score), self.engine.table, where, value(share)),
        )
        sampled = np.sort([row[0] for row in self.engine.fetch(query, self.tick)])
        if not sampled.size:
            return np.zeros(0)
        at = sampled[np.linspace(0, len(sampled) - 1, EDGES + 1).astype(np.int64)[1:]]
        crowded = np.unique(at[1:][at[1:] == at[:-1]])
        return np.unique(np.concatenate([at, np.nextafter(crowded, np.inf)]))

    def _between(self, score: Score | None, low: float | None, high: float | None) -> Piece:
        own = self._float(score)
        limits = [] if low is None else [sql("{} >= {}", own, value(low))]
        return all_of(limits if high is None else [*limits, sql("{} < {}", own, value(high))])

    def _values(
        self, score: Score | None, where: Piece, any_cell: Sequence[Piece], most: int | None = None
    ) -> dict[float, int] | None:
        """Each score of some cells and how many items have it; None if over ``most``."""
        if not any_cell:
            return {}
        query = sql(
            "SELECT {}, COUNT(*) FROM {} WHERE {} AND {} GROUP BY 1",
            *(self._float(score), self.engine.table, where, any_of(any_cell)),
        )
        if most is not None:
            query = sql("{} LIMIT {}", query, Piece(str(most + 1)))
        found = self.engine.fetch(query, self.tick)
        over = most is not None and len(found) > most
        return None if over else {float(one): int(number) for one, number in found}

    def _ties(
        self, stretch: Stretch, where: Piece, places: Sequence[tuple[float, int, int]]
    ) -> list[str]:
        """The hash at each place."""
        few = sorted({score for score, _, number in places if number <= MOST_TIES})
        hashes = self._hashes(stretch, where, [(score, "") for score in few])
        prefixes = {}
        for score in sorted({score for score, _, number in places if number > MOST_TIES}):
            prefixes[score] = self._prefixes(stretch, where, score)
        asked = []
        for score, rank, _ in places:
            if score in prefixes:
                asked.append((score, *_prefix_at(prefixes[score], rank)))
            else:
                asked.append((score, "", rank))
        many = sorted({(score, prefix) for score, prefix, _ in asked if prefix})
        hashes |= self._hashes(stretch, where, many)
        return [hashes[score, prefix][rank - 1] for score, prefix, rank in asked]

    def _prefixes(self, stretch: Stretch, where: Piece, score: float) -> list[tuple[str, int]]:
        """First digits of the hashes of a score, in order, and how many begin so."""
        tie = self.engine.hash(stretch.seed, "tie")
        query = sql(
            f"SELECT SUBSTR({{}}, 1, {PREFIX}), COUNT(*) FROM {{}} WHERE {{}} AND {{}} = {{}}"
            " GROUP BY 1",
            *(tie, self.engine.table, where, self._float(stretch.score), value(score)),
        )
        return sorted((str(a), int(b)) for a, b in self.engine.fetch(query, self.tick))

    def _hashes(
        self, stretch: Stretch, where: Piece, wanted: Sequence[tuple[float, str]]
    ) -> dict[tuple[float, str], list[str]]:
        """(score, first digits) -> the hashes there, sorted."""
        if not wanted:
            return {}
        score, tie = self._float(stretch.score), self.engine.hash(stretch.seed, "tie")
        starts = sql(f"SUBSTR({{}}, 1, {PREFIX})", tie)
        each = [
            sql("{} = {}", score, value(at))
            if not prefix
            else sql(
                "(CASE WHEN {} = {} THEN {} = {} ELSE FALSE END)",
                *(score, value(at), starts, value(prefix)),
            )
            for at, prefix in wanted
        ]
        query = sql(
            "SELECT {}, {} FROM {} WHERE {} AND {}",
            *(score, tie, self.engine.table, where, any_of(each)),
        )
        found: dict[tuple[float, str], list[str]] = {one: [] for one in wanted}
        digits = {at: len(prefix) for at, prefix in wanted}
        for at, text in self.engine.fetch(query, self.tick):
            found[float(at), text[: digits[float(at)]]].append(text)
        return {one: sorted(texts) for one, texts in found.items()}


def _prefix_at(prefixes: Sequence[tuple[str, int]], rank: int) -> tuple[str, int]:
    """The first digits of the hash at a rank, and its rank among those that begin so."""
    ends = np.cumsum([number for _, number in prefixes]).tolist()
    place = bisect_left(ends, rank)
    return prefixes[place][0], rank - (ends[place] - prefixes[place][1])


def _level(low: float | None, high: float | None, number: int) -> dict[float, int] | None:
    """The items of a cell that holds one score alone; None for any other cell."""
    if low is None or high is None or np.nextafter(low, np.inf) != high:
        return None
    return {low: number}


def _places(
    values: Mapping[float, int], ranks: Sequence[int], falling: bool
) -> list[tuple[float, int, int]]:
    scores = sorted(values, reverse=falling)
    numbers = [values[one] for one in scores]
    ends = np.cumsum(numbers).tolist()
    found = []
    for rank in ranks:
        place = bisect_left(ends, rank)
        found.append((scores[place], rank - (ends[place] - numbers[place]), numbers[place]))
    return found
