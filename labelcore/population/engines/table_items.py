"""Counts, ranks and samples of a table in an engine: ``labelcore.population.items.Items``.

The order of a score is that of the designs: ties by md5("{seed}|tie|{id}"). The item at a rank is
found in a few passes: counts over edges at sampled quantiles say in which cell it lies, the scores
of that cell which one it has, and the hashes of the items of that score which of them it is,
counted by their first digits where there are many. A sample takes one pass for all strata: only
hashes below a threshold leave the engine, which is set so that enough of them are expected.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.errors import TooManyItemsError
from labelcore.population.engines.engine import Engine, EngineError, Tick, go_on
from labelcore.population.engines.rows import Rows
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
from labelcore.population.items import (
    BEHIND,
    HELD,
    UNIT,
    Mark,
    MeanScore,
    Part,
    Score,
    Stretch,
    Sureness,
    apart,
)
from labelcore.stats.histogram import Bins

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
SPARE = 6.0
"""Standard deviations by which more hashes are fetched than items are wanted."""
LEAST_TAKEN = 2_000
LAST, DIGITS = "g", 12
"""Greater than every hash; hexadecimal digits of a threshold."""
HASHED = 0.1
"""What a hash costs against a row that is fetched."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a classifier's predictions are told.

    column      of the predictions, or else of the score that a threshold decides
    codes       text of a prediction -> index into classes
    threshold   predicted ``above`` if score >= threshold (<= where ``descending``), else ``below``
    """

    column: str
    codes: Mapping[str, int] = field(default_factory=dict)
    threshold: float | None = None
    descending: bool = False
    above: int = 1
    below: int = 0

    def of(self, said: str | float) -> int:
        """The class that one item is called: by the text of its prediction, or by its score."""
        if self.threshold is None:
            return self.codes[str(said)]
        score = float(said)
        over = score <= self.threshold if self.descending else score >= self.threshold
        return self.above if over else self.below


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
    """

    parts: tuple[Part, ...]
    seed: int
    sizes: IntArray
    taken: IntArray
    complete: NDArray[np.bool_]
    positions: IntArray
    rows: tuple[tuple[Any, ...], ...]


class TableItems:
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
        self.engine, self.verdicts, self.tick = engine, dict(verdicts or {}), tick
        self.scores = dict(scores or {})
        self._find, self._rows = find, rows
        self._number = engine.count()
        self._sampled: dict[tuple[_Key, int], _Sampled] = {}
        self._drawn: dict[int, _Key] = {}
        self._together: dict[_Key, tuple[Part, ...]] = {}
        self._sizes: dict[_Key, int] = {}
        self._ranked: dict[_Ranks, list[Mark]] = {}
        self._called: dict[_Parts, dict[tuple[int, ...], IntArray]] = {}
        self._histograms: dict[tuple[Score, bytes, tuple[tuple[str, int], ...]], IntArray] = {}

    def __len__(self) -> int:
        return self._number

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
        units = self.engine.nearest(sql(f"{{}} * {UNIT:.1f}", self._float(score)))
        numbers, totals = self._of_parts([units], [], parts)[()]
        self._counted(parts, numbers)
        return totals

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

    # --- conditions ------------------------------------------------------------------------------

    def _inside(self, part: Part) -> Piece:
        outside = [sql("NOT {}", self._on(stretch)) for stretch in part.without]
        return all_of([self._predicted(part.predicted), *map(self._on, part.stretches), *outside])

    def _predicted(self, predicted: Mapping[str, int]) -> Piece:
        return all_of(self._says(self._verdict(name), code) for name, code in predicted.items())

    def _verdict(self, classifier: str) -> Verdict:
        if classifier not in self.verdicts:
            raise ValueError(f"there is no classifier {classifier!r} with predictions")
        return self.verdicts[classifier]

    def _says(self, verdict: Verdict, code: int) -> Piece:
        if verdict.threshold is None:
            texts = [text for text, own in verdict.codes.items() if own == code]
            return sql("{} IN {}", self.engine.text(verdict.column), listed(texts or [None]))
        return sql("{} = {}", self._said(verdict), value(str(code)))

    def _said(self, verdict: Verdict) -> Piece:
        """What a classifier says, as text: the column's own, or the code of a threshold's side."""
        if verdict.threshold is None:
            return self.engine.text(verdict.column)
        sign = "<=" if verdict.descending else ">="
        return sql(
            f"CASE WHEN {{}} {sign} {{}} THEN '{verdict.above}' ELSE '{verdict.below}' END",
            self.engine.score(verdict.column),
            value(verdict.threshold),
        )

    def _code(self, verdict: Verdict, text: str) -> int:
        if verdict.threshold is not None:
            return int(text)
        if text not in verdict.codes:
            raise EngineError(
                f"{self.engine.name}: column {verdict.column!r} holds {text!r} now, which it did "
                "not when it was read; read it again"
            )
        return verdict.codes[text]

    def _on(self, stretch: Stretch) -> Piece:
        after = [] if stretch.after is None else [self._behind(stretch, stretch.after)]
        until = [] if stretch.until is None else [self._behind(stretch, stretch.until)]
        return all_of([*after, *(sql("NOT {}", one) for one in until)])

    def _behind(self, stretch: Stretch, mark: Mark) -> Piece:
        """Whether an item comes after a mark; the hash is worked out for equal scores alone."""
        sign = "<" if stretch.falling else ">"
        score, at = self._float(stretch.score), value(float(mark.score))
        if mark.tie == BEHIND:
            return sql(f"({{}} {sign} {{}})", score, at)
        tie = self.engine.hash(stretch.seed, "tie")
        return sql(
            f"(CASE WHEN {{}} {sign} {{}} THEN TRUE"
            " WHEN {} = {} THEN {} > {} ELSE FALSE END)",
            *(score, at, score, at, tie, value(mark.tie)),
        )

    def _float(self, score: Score | None) -> Piece:
        """A score, how sure a classifier is, or what several say together; of no classifier the
        same number everywhere."""
        if score is None:
            return sql(f"CAST(0 AS {self.engine.float_type})")
        if isinstance(score, Sureness):
            return self._sure(score)
        if isinstance(score, MeanScore):
            return self._mean(score)
        return self.engine.score(self.scores.get(score, score))

    def _sure(self, sure: Sureness) -> Piece:
        """By the operations of ``Sureness.of``."""
        own = self._float(sure.classifier)
        if sure.cut is None:
            own = self._minus(value(1.0), own) if sure.descending else own
            other = self._minus(value(1.0), own)
        else:
            own = sql("(-{})", own) if sure.descending else own
            own, other = self._minus(own, value(sure.cut)), self._minus(value(sure.cut), own)
        if sure.positive is None:
            return own
        says = self._says(self._verdict(sure.classifier), sure.positive)
        return sql("(CASE WHEN {} THEN {} ELSE {} END)", says, own, other)

    def _mean(self, mean: MeanScore) -> Piece:
        """By the operations of ``MeanScore.of``."""
        if mean.ranked:
            raise TooManyItemsError(
                f"the share below the scores {mean.ranked[0]!r}", len(self), HELD
            )
        one, kind = value(1.0), self.engine.float_type
        scores = {name: self._float(name) for name in mean.classifiers}
        own = [
            self._minus(one, score) if name in mean.descending else score
            for name, score in scores.items()
        ]
        number = Piece(str(len(own)))
        return sql(f"(({{}}) / CAST({{}} AS {kind}))", joined(" + ", own), number)

    def _minus(self, one: Piece, other: Piece) -> Piece:
        kind = self.engine.float_type
        return sql(f"(CAST({{}} AS {kind}) - CAST({{}} AS {kind}))", one, other)

    # --- ranks -----------------------------------------------------------------------------------

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


RECOUNTED = "another number of rows was found than before: the table was changed; read it again"


_Key = tuple[tuple[tuple[str, int], ...], tuple[Stretch, ...], tuple[Stretch, ...]]
_Parts = tuple[tuple[str, ...], tuple[_Key, ...]]
_Ranks = tuple[Stretch, tuple[tuple[str, int], ...], tuple[int, ...]]


def _key(part: Part) -> _Key:
    return tuple(sorted(part.predicted.items())), part.stretches, part.without


def _threshold(size: int, number: int) -> str:
    """A hash below which ``number`` of ``size`` rows lie, surely enough."""
    share = (number + SPARE * math.sqrt(number) + SPARE**2) / max(size, 1)
    return LAST if share >= 1 else f"{int(share * 16**DIGITS):0{DIGITS}x}"


def _share(limit: str) -> float:
    """The share of all hashes below a threshold."""
    return 1.0 if limit == LAST else int(limit.ljust(DIGITS, "0")[:DIGITS], 16) / 16.0**DIGITS


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
