"""Traces, or observations, with what judges said of them where that lies in a file of its own."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from labelcore.errors import PopulationError
from labelcore.population.foreign import recognised
from labelcore.population.formats import open_table
from labelcore.population.revealing import snake
from labelcore.population.text import listing

Row = dict[str, Any]
SCORES = "scores"
"""The list of a row that what was said of it is put into."""


@dataclass(frozen=True)
class Coverage:
    """In how many rows a judge has a verdict, and in how many of them several that differ."""

    judge: str
    rows: int
    differ: int


@dataclass(frozen=True)
class Joined:
    """Rows with their scores, the newest first, and how far these reach.

    given, placed   how many scores there are, and how many of them are about one row
    """

    rows: Sequence[Row]
    coverage: Sequence[Coverage]
    given: int
    placed: int

    def sentences(self) -> Iterator[str]:
        """What has a verdict, what has none, and what has two."""
        total = len(self.rows)
        for judge in self.coverage:
            yield (
                f"{judge.judge}: a verdict in {judge.rows:,} of {total:,} lines, none in "
                f"{total - judge.rows:,}."
            )
            if judge.differ:
                yield f"{judge.judge}: two verdicts in {judge.differ:,} of them; the newest counts."
        if self.placed < self.given:
            yield (
                f"{self.given - self.placed:,} of {self.given:,} scores are about no line, or not "
                "about one alone."
            )


def join_scores(traces: Path, scores: Path) -> Joined:
    """Two files of Langfuse as one, as its own pages of traces have their scores. A score belongs
    to the observation that it names, if that is a row; else to the row of its trace, of several to
    the one without a parent.

    Raises ValueError where a file lacks the names, or no score is about a row; PopulationError for
    a file that cannot be read.

    Source: https://langfuse.com/docs/api-and-data-platform/features/blob-storage-export-fields
    """
    rows, given = records_of(traces), records_of(scores)
    for path, table, needed in ((traces, rows, ("id",)), (scores, given, ("name", "trace_id"))):
        names = {_plain(name) for name in table[0]} if table else set()
        if not names.issuperset(needed):
            raise ValueError(
                f"{path.name}: its rows must have {' and '.join(needed)}, as an export of Langfuse "
                f"has them; they have {listing(table[0] if table else ())}"
            )
    place = {str(_said(row, "id")): number for number, row in enumerate(rows)}
    traced = defaultdict[str, list[int]](list)
    for number, row in enumerate(rows):
        traced[str(_said(row, "trace_id") or _said(row, "id"))].append(number)
    found_in = defaultdict[int, list[Row]](list)
    for score in sorted(given, key=lambda row: str(_said(row, "timestamp") or ""), reverse=True):
        about = place.get(str(_said(score, "observation_id")))
        if about is None:
            about = _alone(traced.get(str(_said(score, "trace_id")), []), rows)
        if about is not None:
            found_in[about].append(score)
    if not found_in:
        raise ValueError(
            f"none of {len(given):,} scores of {scores.name} is about a row of {traces.name}: a "
            f"score is about {_said(given[0], 'trace_id')!r}, a row has {_said(rows[0], 'id')!r}"
        )
    whole = [row | {SCORES: found_in.get(number, [])} for number, row in enumerate(rows)]
    placed = sum(map(len, found_in.values()))
    return Joined(whole, _coverage(found_in.values()), len(given), placed)


def _alone(numbers: Sequence[int], rows: Sequence[Row]) -> int | None:
    """The one row of a trace, or the one of them without a parent."""
    first = [number for number in numbers if not _said(rows[number], "parent_observation_id")]
    return next((some[0] for some in (numbers, first) if len(some) == 1), None)


def _coverage(every: Any) -> list[Coverage]:
    rows, differ = Counter[str](), Counter[str]()
    for some in every:
        judges = defaultdict[str, set[str]](set)
        for row in some:
            judges[str(row["name"])].add(f"{_said(row, 'string_value')} {_said(row, 'value')}")
        rows.update(judges.keys())
        differ.update(name for name, words in judges.items() if len(words) > 1)
    return [Coverage(name, number, differ[name]) for name, number in rows.items()]


@cache
def _plain(name: str) -> str:
    """
    >>> _plain("traceId"), _plain("trace_id")
    ('trace_id', 'trace_id')
    """
    return snake(name).lower()


def _said(row: Mapping[str, Any], wanted: str) -> Any:
    return next((value for name, value in row.items() if _plain(name) == wanted), None)


def records_of(path: Path) -> list[Row]:
    """The rows of a file as they are written; of a table of cells as text."""
    rows = recognised(path)
    if isinstance(rows, list):
        return rows
    table = open_table(path)
    if faults := table.faults():
        raise PopulationError(faults)
    return [dict(row) for row in table.records(table.columns)]
