"""Numbers that stand for what the items say: their texts, numbers, categories, dates, embeddings.

A model that is to learn from the content of items learns from these. They are fitted on a seeded
sample and applied to all items in pieces, in one thread, so that the same file and seed give the
same numbers wherever they are made on one machine; ``Features.hash`` tells whether they are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.arrays import let_pages_go, room
from labelcore.population.checks import as_numbers
from labelcore.population.opinions import Features
from labelcore.population.population import Population
from labelcore.population.text import Columns, as_text

SAMPLE = 200_000
DIRECTIONS = 100
"""Columns that stand for the texts, or for an embedding."""
SPREAD = 4.0
HASHES = 1 << 20
MOST_TERMS = 1 << 17
LONGEST = 4_000
"""Characters of a text that are read."""
MOST_CATEGORIES = 50
MOSTLY = 0.95
"""The share of the filled rows that makes a column one of numbers, or of dates."""
DIFFERENT = 0.9
PIECE = 1 << 14
EMPTY = "{column!r} is empty"
CONSTANT = "{column!r} says the same of every item"
ALL_DIFFERENT = "{column!r} names nearly every item differently"
UNEQUAL = "{column!r} has embeddings of {least:,} to {most:,} numbers, not of one length"
NO_TERMS = "no word of {columns} stands in two items"

Floats = NDArray[np.float32]
Fitted = Callable[[Columns], Any]
"""Rows as numbers: an array, or a sparse matrix where each word is a column."""


@dataclass(frozen=True, eq=False, slots=True)
class Terms:
    """What the items say, as ``Features`` but with a column for each word, most of it 0.

    chosen    (n_sampled,), the items that were looked at, in file order
    sampled   (n_sampled, n_columns), sparse: what these say
    pieces    the place of the first item and what some items say, of all in file order
    """

    chosen: NDArray[np.int64]
    sampled: Any
    pieces: Callable[[], Iterator[tuple[int, Any]]]
    columns: tuple[str, ...]
    notes: tuple[str, ...] = ()


def content_features(
    population: Population,
    columns: Sequence[str] | None = None,
    *,
    seed: int,
    sample: int = SAMPLE,
) -> Features:
    """The content of the items as numbers for a model.

    Parameters
    ----------
    population
        the items
    columns
        what is looked at; None: the content columns
    seed
        of the sample and of the directions
    sample
        so many items are looked at to say what directions there are; all get their numbers

    Returns
    -------
    Features
        Kept with the population: asked for again, they are there. Without columns that say
        something it has no features, and ``notes`` tell why.

    Raises
    ------
    ValueError
        The file has no such column, was changed after it was read, or ``sample`` is below 1.
    """
    if sample < 1:
        raise ValueError(f"sample must be 1 or more, got {sample:,}")
    names = tuple(dict.fromkeys(population.content_columns if columns is None else columns))
    population._refuse_unknown(names)
    key = names, seed, sample
    features = population.features.get(key)
    if features is None:
        features = population.features[key] = _made(population, names, seed, sample)
    return features


def _made(population: Population, names: Sequence[str], seed: int, sample: int) -> Features:
    from threadpoolctl import threadpool_limits

    population._refuse_changed_file()
    with threadpool_limits(1):
        chosen = _sampled(population, seed, sample)
        look = _Look(population, names, chosen)
        parts = _fitted(look, seed)
        width = sum(part.sampled.shape[1] for part in parts)
        values = room(len(population) * width, np.float32).reshape(len(population), width)
        if parts and len(chosen) == len(population):
            np.concatenate([part.sampled for part in parts], axis=1, out=values)
        elif parts:
            for start, piece in _pieces(population, names):
                rows = np.hstack([part.apply(piece) for part in parts])
                values[start : start + len(rows)] = rows
                let_pages_go()
    digest = sha256()
    for start in range(0, len(values), PIECE):
        digest.update(values[start : start + PIECE].tobytes())
    values.setflags(write=False)
    return Features(values, _used(names, parts), digest.hexdigest(), tuple(look.notes))


def content_terms(population: Population, names: Sequence[str], *, seed: int) -> Terms:
    """What these columns say, for a model that is fitted once: nothing of it is kept."""
    from scipy.sparse import csr_array, hstack

    population._refuse_changed_file()
    chosen = _sampled(population, seed, SAMPLE)
    look = _Look(population, names, chosen)
    parts = _fitted(look, seed, turned=False)

    def beside(parts: Sequence[Any]) -> Any:
        return hstack([csr_array(part) for part in parts], format="csr")

    def pieces() -> Iterator[tuple[int, Any]]:
        for start, piece in _pieces(population, names):
            yield start, beside([part.apply(piece) for part in parts])
            let_pages_go()

    sampled = beside([part.sampled for part in parts]) if parts else csr_array((len(chosen), 0))
    return Terms(chosen, sampled, pieces, _used(names, parts), tuple(look.notes))


def _sampled(population: Population, seed: int, sample: int) -> NDArray[np.int64]:
    """The items that are looked at, in file order."""
    return np.sort(np.random.default_rng([seed, 1]).permutation(len(population))[:sample])


def _used(names: Sequence[str], parts: Sequence[_Part]) -> tuple[str, ...]:
    return tuple(name for name in names if any(name in part.columns for part in parts))


def _pieces(population: Population, names: Sequence[str]) -> Iterator[tuple[int, Columns]]:
    """Some rows at a time, as text, with the place of the first."""
    first = 0
    for batch in population._table.batches(list(names)) if names else ():
        rows = len(next(iter(batch.values())))
        for start in range(0, rows, PIECE):
            yield (
                first + start,
                {name: as_text(batch[name].slice(start, PIECE)) for name in names},
            )
        first += rows


@dataclass(frozen=True, eq=False)
class _Part:
    """Features of some columns: what gives them for some rows, and those of the sampled ones."""

    columns: tuple[str, ...]
    apply: Fitted
    sampled: Any


@dataclass(eq=False)
class _Look:
    """The sampled rows, and what one pass over all of them told.

    commas   column -> the least and the most commas of a filled row, of a column that began as a
             list of numbers
    """

    population: Population
    names: Sequence[str]
    chosen: NDArray[np.int64]
    notes: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        kept: dict[str, list[pa.Array]] = {name: [] for name in self.names}
        self.commas: dict[str, tuple[int, int]] = {}
        for start, piece in _pieces(self.population, self.names):
            rows = len(next(iter(piece.values())))
            low, high = np.searchsorted(self.chosen, [start, start + rows])
            take = pa.array(self.chosen[low:high] - start)
            for name, column in piece.items():
                kept[name] += column.take(take).chunks
                self._count(name, column)
        self.columns: Columns = {
            name: pa.chunked_array(parts, pa.string()) for name, parts in kept.items()
        }
        self.decimal = self.population.dialect.decimal

    def _count(self, name: str, column: pa.ChunkedArray) -> None:
        filled = column.filter(pc.match_substring_regex(column, r"\S"))
        if len(filled) and pc.all(pc.match_substring_regex(filled, LIST)).as_py():
            least, most = self.commas.get(name, (1 << 40, 0))
            ends = pc.min_max(pc.count_substring(filled, ",")).as_py()
            self.commas[name] = min(least, ends["min"]), max(most, ends["max"])


LIST = r"^\s*\[\s*[-+0-9.eEnaN,\s]*\]\s*$"
ISO_DATE = r"^\s*\d{4}-\d{1,2}-\d{1,2}"


def _fitted(look: _Look, seed: int, *, turned: bool = True) -> list[_Part]:
    """What each column, or the texts together, are as features.

    turned   whether texts become few directions, and not a column for each word
    """
    parts, texts = [], []
    for name in look.names:
        column = look.columns[name]
        filled = column.filter(pc.match_substring_regex(column, r"\S"))
        levels = pc.value_counts(pc.utf8_trim_whitespace(filled)).field(0)
        if not len(filled):
            look.notes.append(EMPTY.format(column=name))
        elif len(levels) == 1 and len(filled) == len(column):
            look.notes.append(CONSTANT.format(column=name))
        elif name in look.commas and pc.all(pc.match_substring_regex(filled, LIST)).as_py():
            least, most = look.commas[name]
            if least == most:
                parts.append(_embedding(name, column, least + 1, seed))
            else:
                look.notes.append(UNEQUAL.format(column=name, least=least + 1, most=most + 1))
        elif (numbers := _numbers(look, name)) is not None:
            parts.append(_ranks(name, column, *numbers))
        elif len(levels) <= MOST_CATEGORIES:
            parts.append(_categories(name, column, sorted(levels.to_pylist())))
        elif _names_items(filled, len(levels)):
            look.notes.append(ALL_DIFFERENT.format(column=name))
        else:
            texts.append(name)
    if texts:
        part = _of_texts(texts, look.columns, seed, turned=turned)
        if part is None:
            look.notes.append(NO_TERMS.format(columns=", ".join(map(repr, texts))))
        else:
            parts.append(part)
    return parts


def _names_items(filled: pa.ChunkedArray, levels: int) -> bool:
    """Whether a column holds one word a row, and nearly everywhere another one."""
    words = pc.match_substring_regex(filled, r"\S\s+\S")
    return levels >= DIFFERENT * len(filled) and pc.mean(words).as_py() < 1 - DIFFERENT


def _numbers(
    look: _Look, name: str
) -> tuple[NDArray[np.float64], Callable[[pa.ChunkedArray], NDArray[np.float64]]] | None:
    """The sampled rows of a column of numbers or dates, NaN where there is none, and what reads
    them of other rows; None for any other column."""

    def read(column: pa.ChunkedArray) -> NDArray[np.float64]:
        trimmed = pc.utf8_trim_whitespace(column)
        numbers = as_numbers(pc.if_else(pc.equal(trimmed, ""), None, trimmed), look.decimal)
        assert numbers is not None
        return np.where(np.isfinite(numbers), numbers, np.nan)

    def dated(column: pa.ChunkedArray) -> NDArray[np.float64]:
        texts = pd.Series(column.to_pylist(), dtype="object")
        times = pd.to_datetime(texts, format="ISO8601", errors="coerce", utc=True)
        since = times - pd.Timestamp(0, tz="UTC")
        return np.asarray(since.dt.total_seconds(), dtype=np.float64)

    column = look.columns[name]
    there = pc.sum(pc.match_substring_regex(column, r"\S")).as_py()
    for way, shape in ((read, r"^\s*[-+.,0-9]"), (dated, ISO_DATE)):
        if pc.sum(pc.match_substring_regex(column, shape)).as_py() < MOSTLY * there:
            continue
        values = way(column)
        finite = np.isfinite(values)
        if finite.sum() >= MOSTLY * there and len(np.unique(values[finite])) > 2:
            return values, way
    return None


def _ranks(
    name: str,
    column: pa.ChunkedArray,
    values: NDArray[np.float64],
    read: Callable[[pa.ChunkedArray], NDArray[np.float64]],
) -> _Part:
    """The mid-rank among the sampled rows, from -1 to 1, its square about its mean, and whether
    there is a number where some rows have none."""
    ordered = np.sort(values[np.isfinite(values)])
    gaps = len(ordered) < len(values)

    def apply(piece: Columns) -> Floats:
        numbers = read(piece[name])
        there = np.isfinite(numbers)
        below = np.searchsorted(ordered, numbers, side="left")
        upto = np.searchsorted(ordered, numbers, side="right")
        rank = np.where(there, (below + upto) / len(ordered) - 1, 0)
        square = np.where(there, rank**2 - 1 / 3, 0)
        return np.stack([rank, square, *([2.0 * there - 1] if gaps else [])], axis=1, dtype="f4")

    return _Part((name,), apply, apply({name: column}))


def _categories(name: str, column: pa.ChunkedArray, levels: Sequence[str]) -> _Part:
    """A column of 0 and 1 for each level."""
    known = pa.array(levels, pa.string())

    def apply(piece: Columns) -> Floats:
        places = pc.fill_null(pc.index_in(pc.utf8_trim_whitespace(piece[name]), known), -1)
        return np.asarray(places.to_numpy()[:, None] == np.arange(len(levels)), dtype=np.float32)

    return _Part((name,), apply, apply({name: column}))


def _embedding(name: str, sampled: pa.ChunkedArray, length: int, seed: int) -> _Part:
    """Its directions, where it is longer than these."""
    from sklearn.decomposition import TruncatedSVD

    def read(column: pa.ChunkedArray) -> Floats:
        inside = pc.utf8_trim(column.combine_chunks(), "[] \t\r\n")
        filled = pc.greater(pc.binary_length(inside), 0)
        parts = pc.split_pattern(inside.filter(filled), ",").flatten()
        numbers = pc.utf8_trim_whitespace(parts)
        values = np.zeros((len(inside), length), dtype=np.float32)
        known = as_numbers(pa.chunked_array([numbers], pa.string()), ".")
        assert known is not None
        values[filled.to_numpy(False)] = np.nan_to_num(known).reshape(-1, length)
        return values

    first = read(sampled)
    if length <= DIRECTIONS:
        return _directions((name,), lambda piece: read(piece[name]), first)
    svd = TruncatedSVD(DIRECTIONS, random_state=seed)
    turned = svd.fit_transform(first)
    return _directions((name,), lambda piece: svd.transform(read(piece[name])), turned)


def _directions(columns: tuple[str, ...], turned: Fitted, sampled: Floats) -> _Part:
    """Unit rows, about their mean over the sample, times 4."""
    first = _unit(sampled)
    mean = first.mean(axis=0, dtype=np.float64).astype(np.float32)
    return _Part(
        columns, lambda piece: SPREAD * (_unit(turned(piece)) - mean), SPREAD * (first - mean)
    )


def _unit(rows: Floats) -> Floats:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(length > 0, length, 1), dtype=np.float32)


def _of_texts(names: Sequence[str], sampled: Columns, seed: int, *, turned: bool) -> _Part | None:
    """TF-IDF of words and pairs of words of all these columns together; None where no word stands
    in two rows."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import HashingVectorizer, TfidfTransformer

    hashed = HashingVectorizer(
        ngram_range=(1, 2), n_features=HASHES, alternate_sign=False, norm=None, dtype=np.float32
    )

    def counted(piece: Columns) -> Any:
        texts = zip(*(piece[name].to_pylist() for name in names), strict=True)
        return hashed.transform(["\n".join(row)[:LONGEST] for row in texts])

    counts = counted(sampled)
    rows = np.bincount(counts.indices, minlength=HASHES)
    terms = np.flatnonzero(rows > 1)
    terms = np.sort(terms[np.argsort(-rows[terms], kind="stable")[:MOST_TERMS]])
    width = min(DIRECTIONS, len(terms) - 1, counts.shape[0] - 1)
    if width < 1:
        return None
    weights = TfidfTransformer(sublinear_tf=True)
    first, columns = weights.fit_transform(counts[:, terms]), tuple(names)
    if not turned:
        return _Part(columns, lambda piece: weights.transform(counted(piece)[:, terms]), first)
    svd = TruncatedSVD(width, random_state=seed)
    return _directions(
        columns,
        lambda piece: svd.transform(weights.transform(counted(piece)[:, terms])),
        svd.fit_transform(first),
    )
