"""A snapshot: what a project rests on of its items, in one file that is mapped, not read.

Ids and their hashes, scores, predictions, helpers and known answers lie in it, and what was said of
the columns (``labelcore.population.arrays``). A project opens from it alone, whatever became of the
source. The contents of items lie in a file beside it (``labelcore.population.contents``); those of
a table in an engine stay there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import copy
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.errors import ChangedItemError
from labelcore.population.arguments import Arguments
from labelcore.population.arrays import Array, let_pages_go, read_arrays, write_arrays
from labelcore.population.classes import PredictionColumn
from labelcore.population.contents import Contents, Ends, copy_contents, write_contents
from labelcore.population.copies import TemporaryCopy
from labelcore.population.dialect import PLAIN
from labelcore.population.engines.engine import ChangedRowError, Engine
from labelcore.population.engines.table import EngineTable
from labelcore.population.groups import Group
from labelcore.population.helpers import Helper
from labelcore.population.ids import Ids, RowNumbers, TextIds, id_of
from labelcore.population.opinions import Features, Opinion
from labelcore.population.places import arguments_again, fingerprint_of, source_of
from labelcore.population.population import FileState, Population
from labelcore.population.table_file import TableFile
from labelcore.population.text import Columns, as_text, shorten
from labelcore.population.trace_ids import langfuse_columns
from labelcore.stats.orders import hash_keys_of, split_mix
from labelcore.whole_file import link_or_copy

SUFFIX = ".snapshot"
NO_ITEM = "the item {id!r} is not what was read ({why}); its content is not shown"
BLOCK = 1 << 20
PLAIN_FIELDS = (
    "name",
    "fingerprint",
    "classes",
    "positive",
    "content_columns",
    "metadata_columns",
    "classifiers",
)


def write_snapshot(file: Path, population: Population, ends: Ends | None = None) -> None:
    """Write all of it, or nothing. Raises OSError.

    ends   those of the contents beside it, where they are kept
    """
    arrays: dict[str, Array] = {}
    arrays |= {f"score:{name}": score for name, score in population.scores.items()}
    arrays |= {f"prediction:{name}": codes for name, codes in population.predictions.items()}
    for name, helper in population.helpers.items():
        values = helper.verdict if helper.score is None else helper.score
        assert values is not None
        arrays[f"helper:{name}"] = values
    for name, group in _groups_of(population):
        arrays[f"codes:{name}"], arrays[f"names:{name}"] = group.codes, group.texts
    if population.known is not None:
        arrays["known"] = population.known
    arrays |= {f"opinion:{name}": one.score for name, one in population.opinions.items()}
    ids, table = population._ids, population._table
    if isinstance(ids, TextIds):
        texts, arrays["id_hash"], arrays["id_order"] = ids.kept
        for number, chunk in enumerate(texts.chunks):
            arrays[f"id:{number}"] = chunk
    else:
        arrays["id_hash"] = ids.hashes()
    if ends is not None:
        arrays["ends"] = ends
    for number, features in enumerate(population.features.values()):
        arrays[f"content:{number}"] = features.values
    meta = _plain(population) | {
        "cells": cells_of(population),
        "source": _source(population),
        "columns": table.columns,
        "dialect": table.dialect.to_json(),
        "helpers": {name: helper.names for name, helper in population.helpers.items()},
        "opinions": {
            name: [opinion.hash, opinion.columns, opinion.notes]
            for name, opinion in population.opinions.items()
        },
        "features": [
            [*key, features.columns, features.hash, features.notes]
            for key, features in population.features.items()
        ],
        "arrays": sorted(arrays),
    }
    write_arrays(file, arrays, meta)


def _groups_of(population: Population) -> Iterator[tuple[str, Group]]:
    """Columns of groups and that of prompts, by a name of their own each."""
    for name, group in sorted(population.groups.items()):
        yield f"group {name}", group
    if population.prompt is not None:
        yield "prompt", population.prompt


def mapped(population: Population) -> Population:
    """The same items, their columns mapped from a file that goes with them; as they were where
    there is no room for it."""
    file = TemporaryCopy(SUFFIX)
    try:
        write_snapshot(file.path, population)
    except OSError:
        return population
    stored = read_arrays(file.path)
    if stored is None:
        return population
    opened = _population(*stored, population.path)
    columns = ("scores", "predictions", "known", "helpers", "groups", "prompt", "_ids")
    taken: dict[str, Any] = {name: getattr(opened, name) for name in columns}
    return replace(population, **taken, _mapped=file)


def has_contents(population: Population) -> bool:
    """Whether contents are kept: of files, not of tables in engines, and of what was given as a
    table, which has a file of its own."""
    held = not population.stays and not population.is_table
    return held or _contents_of(population) is not None


def keep_contents(file: Path, population: Population) -> Ends:
    """``write_contents``, by a copy where they are kept already. Raises OSError."""
    kept = _contents_of(population)
    if kept is not None:
        return copy_contents(file, kept)
    ids = {population.arguments["id"]} if isinstance(population.arguments["id"], str) else ()
    traced = [name for name in langfuse_columns(population) if name and name not in ids]
    names = dict.fromkeys([*population.content_columns, *population.metadata_columns, *traced])
    population._refuse_changed_file()
    return write_contents(file, list(names), population._table.batches(list(names)))


def _contents_of(population: Population) -> Contents | None:
    table = population._table
    return table.contents if isinstance(table, SourceTable) else None


def keep_snapshot(file: Path, population: Population, ends: Ends | None) -> None:
    """``write_snapshot``, by a copy of the file that the columns are mapped from where there is
    one that knows of the same contents, and nothing was made of them since."""
    known = _contents_of(population)
    learned = population.opinions or population._mapped is None
    if learned or (known is None) != (ends is None):
        write_snapshot(file, population, ends)
        return
    assert population._mapped is not None
    link_or_copy(population._mapped.path, file)


def write_without(file: Path, population: Population, items: Collection[str]) -> Ends:
    """Write the contents without those of some items; what groups, scores and predictions rest on
    stays. Raises OSError."""
    kept, given = _contents_of(population), arguments_again(population.arguments)
    names = population._table.columns if kept is None else kept.columns
    needed: set[str | None] = {*given.id_columns, *given.scores.values(), *given.helpers.values()}
    needed |= {*given.predictions.values(), *given.groups, given.known, given.prompt}
    needed -= {*population.content_columns}
    gone = {population.position(item) for item in items}

    def batches() -> Iterator[Columns]:
        first = 0
        for batch in population._table.batches(names) if kept is None else kept.batches():
            rows = len(batch[names[0]])
            here = pa.array(np.isin(np.arange(first, first + rows), list(gone)))
            first += rows
            yield {
                name: text if name in needed else pc.if_else(here, "", as_text(text))
                for name, text in batch.items()
            }

    return write_contents(file, names, batches())


def hide(items: Population, erased: Collection[str]) -> None:
    """Show nothing of these items, nor of those that are added to them later."""
    if isinstance(items._table, SourceTable):
        items._table.hidden.append(erased)


def _source(population: Population) -> dict[str, Any]:
    """Where contents are looked up; a table in memory has no place of its own."""
    state, is_table = population._state, population.is_table
    return {
        "path": population.path.name if is_table else str(population.path),
        "address": population.address,
        "state": [state.size, 0 if is_table else state.changed_at],
        "stays": population.stays,
    }


def cells_of(population: Population) -> str:
    """The same items as a file of any kind, a frame or a table have the same, in any order.

    Each item is a number that follows from the hash of its id and from its cells, column by column
    by name: a score by its 64 bits, a class by its name; the sum of all modulo 2^64, hexadecimal.
    """
    total = 0
    columns = [*_words_of(population)]
    for start in range(0, len(population), BLOCK):
        rows = np.arange(start, min(start + BLOCK, len(population)))
        words = split_mix(population.id_hashes(rows))
        for name, column in columns:
            words = split_mix(words ^ split_mix(column(rows) ^ name))
        total += int(words.sum(dtype=np.uint64))
        let_pages_go()
    return f"{total % 2**64:016x}"


WordsOf = Callable[[NDArray[np.int64]], NDArray[np.uint64]]


def _words_of(population: Population) -> Iterator[tuple[np.uint64, WordsOf]]:
    """A word for each column, and what gives those of its cells."""

    def numbers(values: NDArray[np.float64]) -> WordsOf:
        return lambda rows: (values[rows] + 0.0).view(np.uint64)

    def names(codes: NDArray[Any], called: Iterable[str]) -> WordsOf:
        words = np.ascontiguousarray(hash_keys_of([*called, ""])[:, 0])
        return lambda rows: words[codes[rows]]

    for name in sorted(population.scores):
        yield _word(f"score {name}"), numbers(population.scores[name])
    for name in sorted(population.predictions):
        yield _word(f"prediction {name}"), names(population.predictions[name], population.classes)
    for name, helper in sorted(population.helpers.items()):
        if helper.score is not None:
            filled = np.where(np.isnan(helper.score), np.nan, helper.score)
            yield _word(f"helper {name}"), numbers(filled)
        elif helper.verdict is not None:
            yield _word(f"helper {name}"), names(helper.verdict, helper.names)
    for name, group in _groups_of(population):
        yield _word(name), names(group.codes, group.texts.to_pylist())
    if population.known is not None:
        yield _word("known"), names(population.known, population.classes)


def _word(text: str) -> np.uint64:
    return np.uint64(hash_keys_of([text])[0, 0])


def open_snapshot(file: Path, contents: Path | None = None, path: Path | None = None) -> Population:
    """The population of a snapshot, whatever became of its source. Raises FileNotFoundError, and
    ValueError for a file that is none or is damaged.

    contents   the file beside it that contents are looked up in; None: where they were read
    path       where the file is now; None: where it was read
    """
    if not file.exists():
        raise FileNotFoundError(f"{file}: there is no such file")
    stored = read_arrays(file)
    if stored is None or stored[1].get("arrays") != sorted(stored[0]):
        raise ValueError(f"{file}: it is no snapshot of this version of Labelcore, or is damaged")
    arrays, meta = stored
    source = meta["source"]
    opened = _population(arrays, meta, path or Path(source["path"]))
    opened = replace(opened, address=source["address"], snapshot=file.absolute())
    features = {
        (tuple(names), seed, sample): Features(
            np.asarray(arrays[f"content:{number}"]), tuple(columns), digest, tuple(notes)
        )
        for number, (names, seed, sample, columns, digest, notes) in enumerate(
            meta.get("features", ())
        )
    }
    kept = contents if contents is not None and contents.exists() else None
    state, ends = FileState(*source["state"]), arrays.get("ends")
    table = SourceTable(
        opened, meta["columns"], meta["dialect"], state, source["stays"], kept, ends
    )
    return replace(opened, features=features, _table=table)


def is_snapshot(file: object) -> bool:
    return isinstance(file, (str, os.PathLike)) and os.fsdecode(file).lower().endswith(SUFFIX)


def with_shown(items: Population, shown: Mapping[str, Mapping[str, str]]) -> Population:
    """The items of a snapshot with the contents of those that were drawn, as a store has them."""
    if not isinstance(items._table, SourceTable):
        return items
    return replace(items, _table=items._table.with_shown(shown))


class SourceTable(TableFile):
    """The contents of a snapshot's items, looked up where they were read.

    A row of the source counts only if it is the one that was read: by its id, scores and
    predictions, and where rows have no ids by the state of the file. What is kept of it is what was
    read; who keeps it says by its digest whether it still is.

    columns   those of the source, in order; dialect: how it was read
    state     of the files when they were read; stays: whether an engine looks rows up
    kept      the contents, with the ``ends`` of their batches; or the file of a table, without
    """

    def __init__(
        self,
        items: Population,
        columns: Sequence[str],
        dialect: Mapping[str, Any],
        state: FileState,
        stays: bool,
        kept: Path | None,
        ends: Ends | None,
    ) -> None:
        self.columns, self._items, self._then = tuple(columns), items, state
        self._state = None if stays else state
        self.dialect = self.detected = PLAIN.changed(dialect)
        self._kept = kept if ends is None else None
        self.contents: Contents | None = None
        self._damaged = kept is not None and ends is not None
        self._shown: Mapping[str, Mapping[str, str]] = {}
        self.hidden: list[Collection[str]] = []
        if kept is not None and ends is not None:
            with suppress(OSError, ValueError):
                self.contents, self._damaged = Contents(kept, ends), False

    def with_shown(self, shown: Mapping[str, Mapping[str, str]]) -> SourceTable:
        """The same table, where these contents need not be looked up."""
        table = copy(self)
        table._shown = shown
        return table

    def __len__(self) -> int:
        return len(self._items)

    def __getstate__(self) -> dict[str, Any]:
        """Without the source, which another process opens anew."""
        return {name: value for name, value in vars(self).items() if name != "_source"}

    @property
    def path(self) -> Path:
        """The file that rows are read from, where it is one."""
        return self._kept or self._items.path

    @cached_property
    def _source(self) -> Engine | TableFile:
        return source_of(self._items.address or str(self.path), self._items.arguments)

    def now(self) -> str:
        """What became of the source, as words, as far as a count of its rows and the bytes of its
        files tell; "" where nothing did."""
        items, path, rows = self._items, self._items.path, len(self)
        try:
            if items.address is None and "*" not in path.name and not path.exists():
                return f"{path}, where its items were read, is not there any more"
            files: Sequence[Path] = [path]
            if self._state is None:
                source = self._source
                if isinstance(source, Engine):  # Of another file its bytes tell.
                    rows, files = source.count(), source.files
            same = not files or FileState.of(*files) == self._then
            same = same or fingerprint_of(files, items.arguments) == items.fingerprint
        except (OSError, ValueError) as error:
            return f"the source of its items cannot be read: {error}"
        if rows != len(self):
            return f"the source of its items has {rows:,} rows now; {len(self):,} were read"
        return "" if same else f"{path} was changed since its items were read"

    def load(self, names: Sequence[str]) -> Columns:
        """These columns, if the source is still what was read."""
        if self.contents is not None and set(names) <= set(self.contents.columns):
            return self.contents.load(names)
        source = self._source
        table = EngineTable(source) if isinstance(source, Engine) else source
        if len(table) != len(self):
            raise ValueError(f"{self._items.name} has {len(table):,} rows now, not {len(self):,}")
        return table.load(names)

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same some rows at a time."""
        yield self.load(names)

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row as text. Raises ChangedItemError where a row that is found by its id is not the
        one that was read, ValueError where the source cannot be read or is another one."""
        item_id = self._items.id_at(position)
        if any(item_id in some for some in self.hidden):
            return dict.fromkeys(names, "")
        shown = self._shown.get(item_id, {})
        if set(names) <= set(shown):
            return {name: shown[name] for name in names}
        if self.contents is not None and set(names) <= set(self.contents.columns):
            return self.contents.row(position, names)
        wanted = list(dict.fromkeys([*names, *self._told_by()]))
        kind: type[ValueError] = ValueError
        try:
            if self._damaged:
                raise ValueError("the copy beside the store was changed")
            row = self._row(position, item_id, wanted)
            why = self._differs(position, item_id, row)
            if self._state is None and self._by_id():
                kind = ChangedItemError
        except ChangedRowError:
            row, why, kind = {}, "its row is not there any more", ChangedItemError
        except (OSError, ValueError) as error:
            self.__dict__.pop("_source", None)
            row, why = {}, str(error)
        if why:
            name = self._items.name
            raise kind(f"{name}: " + NO_ITEM.format(id=shorten(item_id), why=why))
        return {name: row[name] for name in names}

    @cached_property
    def _given(self) -> Arguments:
        return arguments_again(self._items.arguments)

    def _told_by(self) -> list[str]:
        """The columns that say whether a row is the one that was read."""
        given = self._given
        return [*given.id_columns, *given.scores.values(), *given.predictions.values()]

    def _row(self, position: int, item_id: str, names: Sequence[str]) -> dict[str, str]:
        source = self._source
        if isinstance(source, Engine):
            return source.cells(position, item_id, names)
        return source.cells(position, names)

    def _by_id(self) -> bool:
        """Whether rows are found by their ids, wherever they lie."""
        return isinstance(self._source, Engine) and self._source.place is None

    def _differs(self, position: int, item_id: str, row: Mapping[str, str]) -> str:
        """Why a row is not the one that was read, "" where it is."""
        items, given = self._items, self._given
        if self._kept is not None and self._state is not None:
            same = self._kept.stat().st_size == self._state.size
            return "" if same else "the copy beside the store was changed"
        if not given.id_columns and self._state not in (None, FileState.of(items.path)):
            return "the file was changed, and its rows have no ids"
        if given.id_columns and id_of([row[name] for name in given.id_columns]) != item_id:
            return "another row is there now"
        for who in given.classifiers():
            if who.score is not None and not _is_number(
                row[who.score], float(items.scores[who.name][position]), self.dialect.decimal
            ):
                return f"its {who.score} was changed"
            if who.prediction is not None:
                text, passes = row[who.prediction], given.passing_columns.get(who.prediction)
                said = PredictionColumn((text,), np.zeros(1, dtype=np.int32))
                said = said if passes is None else said.passing(passes)
                code = said.indices(items.classes, items.positive)[0]
                open_still = not text.strip() and who.prediction == given.known
                if code != items.predictions[who.name][position] and not open_still:
                    return f"its {who.prediction} was changed"
        return ""


def _is_number(text: str, number: float, decimal: str) -> bool:
    """Whether a text is this number, or the shortest one of the float of 32 bits that it is."""
    try:
        told = float(text.replace(decimal, "."))
        return told == number or float(np.float32(told)) == number
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text.strip().lower()) == number


def _plain(population: Population) -> dict[str, Any]:
    """What is known of a file beside its columns, as JSON values."""
    return {name: getattr(population, name) for name in PLAIN_FIELDS} | {
        "rows": len(population),
        "arguments": population.arguments,
        "thresholds": dict(population.thresholds),
        "descending": sorted(population.descending),
    }


def _population(arrays: Mapping[str, Any], meta: Mapping[str, Any], path: Path) -> Population:
    def of_kind(kind: str) -> dict[str, Any]:
        named = (name.partition(":") for name in arrays)
        return {name: arrays[f"{kind}:{name}"] for first, _, name in named if first == kind}

    ids: Ids = RowNumbers(meta["rows"], arrays["id_hash"])
    if "id_order" in arrays:
        parts = [arrays["id"]] if "id" in arrays else [*of_kind("id").values()]
        texts = pa.chunked_array(parts, parts[0].type if parts else pa.string())
        ids = TextIds(texts, (arrays["id_hash"], arrays["id_order"]))
    plain: dict[str, Any] = {
        name: tuple(value) if isinstance(value := meta[name], list) else value
        for name in PLAIN_FIELDS
    }
    return Population(
        **plain,
        path=path,
        arguments=meta["arguments"],
        scores=of_kind("score"),
        predictions=of_kind("prediction"),
        thresholds=meta["thresholds"],
        descending=frozenset(meta["descending"]),
        _ids=ids,
        _table=cast(TableFile, None),  # whoever opens contents gives it
        _state=FileState.of(),
        _files=(),
        known=arrays.get("known"),
        groups={
            name.removeprefix("group "): Group(codes, arrays[f"names:{name}"])
            for name, codes in of_kind("codes").items()
            if name != "prompt"
        },
        prompt=Group(arrays["codes:prompt"], arrays["names:prompt"])
        if "codes:prompt" in arrays
        else None,
        helpers={
            name: _helper(values, tuple(meta["helpers"][name]))
            for name, values in of_kind("helper").items()
        },
        opinions={
            name: Opinion(score, digest, tuple(columns), tuple(notes))
            for name, score in of_kind("opinion").items()
            for digest, columns, notes in [meta["opinions"][name]]
        },
    )


def _helper(array: NDArray[Any], names: tuple[str, ...]) -> Helper:
    return Helper(score=array) if array.dtype == np.float64 else Helper(verdict=array, names=names)
