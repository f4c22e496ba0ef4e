"""A population as it was read, on the disk: opened anew in a moment, whatever its size.

What is held of each item lies in one file of arrays (``labelcore.population.arrays``) that is
mapped, not read. The file of the items stays what counts: it must be what was read, byte by byte,
and whatever is wrong with the prepared one means that it is not used and is made anew.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.arrays import Array, read_arrays, write_arrays
from labelcore.population.dialect import PLAIN, Dialect
from labelcore.population.formats import RowBytes, TableFile, reader_of
from labelcore.population.helpers import Helper
from labelcore.population.ids import Ids, RowNumbers, TextIds
from labelcore.population.population import FileState, Population
from labelcore.population.read import Place, fingerprint_of, place_of
from labelcore.population.text import Columns

FILE, CHECKED = "population.arrow", "checked.json"
SETTLED_NS = 2_000_000_000
"""A file that was changed less than two seconds ago may be changed again within the same tick of
the clock, so that its time tells nothing."""
PLAIN_FIELDS = (
    "name",
    "fingerprint",
    "classes",
    "positive",
    "content_columns",
    "metadata_columns",
    "classifiers",
)


def keep_prepared(folder: Path, population: Population) -> None:
    """Write what is held of a file, unless it is there and sound. Raises OSError.

    folder   of this population alone
    """
    if isinstance(population._table, LazyTable) or _kept(folder, population.fingerprint):
        return
    arrays: dict[str, Array] = {}
    for name, score in population.scores.items():
        arrays[f"score:{name}"] = score
    for name, codes in population.predictions.items():
        arrays[f"prediction:{name}"] = codes
    for name, helper in population.helpers.items():
        said = helper.verdict if helper.score is None else helper.score
        assert said is not None
        arrays[f"helper:{name}"] = said
    if population.known is not None:
        arrays["known"] = population.known
    ids, table = population._ids, population._table
    if isinstance(ids, TextIds):
        texts, arrays["id_hash"], arrays["id_order"] = ids.kept
        whole = texts.cast(pa.large_string()).combine_chunks()
        arrays["id"] = whole.combine_chunks() if isinstance(whole, pa.ChunkedArray) else whole
    else:
        arrays["id_hash"] = ids.hashes()
    rows = table.row_bytes(population.path)
    if rows is not None:
        arrays["start"], arrays["end"] = rows
    meta = _plain(population) | {
        "columns": table.columns,
        "dialect": table.dialect.to_json(),
        "helpers": {name: helper.names for name, helper in population.helpers.items()},
        "arrays": sorted(arrays),
    }
    write_arrays(folder / FILE, arrays, meta)


def _plain(population: Population) -> dict[str, Any]:
    """What is known of a file beside its columns, as JSON values."""
    return {name: getattr(population, name) for name in PLAIN_FIELDS} | {
        "rows": len(population),
        "arguments": population.arguments,
        "thresholds": dict(population.thresholds),
        "descending": sorted(population.descending),
    }


def open_prepared(folder: Path, path: Path, fingerprint: str) -> Population | None:
    """The population of a file as ``keep_prepared`` kept it; None where nothing usable is kept, and
    where what lies at ``path`` is not what was read."""
    found = _kept(folder, fingerprint)
    if found is None:
        return None
    arrays, meta = found
    try:
        place = place_of(path, meta["arguments"])
        state = FileState.of(*place.files)
        if not _is_what_was_read(folder, place.files, meta["arguments"], fingerprint):
            return None
        return _population(arrays, meta, path, place, state)
    except (KeyError, TypeError, ValueError, OSError):
        return None


def _kept(folder: Path, fingerprint: str) -> tuple[dict[str, Array], dict[str, Any]] | None:
    """What is kept of the population with this fingerprint, None where that is nothing whole."""
    found = read_arrays(folder / FILE)
    if found is None or found[1].get("fingerprint") != fingerprint:
        return None
    return found if found[1].get("arrays") == sorted(found[0]) else None


def _is_what_was_read(
    folder: Path, files: Sequence[Path], arguments: Mapping[str, Any], fingerprint: str
) -> bool:
    """Whether the files are what was read: by their sizes, times and places on the disk, where
    these were kept once their content had been compared, else by their content."""
    now, checked = _states(files), folder / CHECKED
    try:
        if json.loads(checked.read_text("utf-8")) == now:
            return True
    except (OSError, ValueError):
        pass
    if fingerprint_of(files, arguments) != fingerprint or _states(files) != now:
        return False
    if time.time_ns() - max(max(one["changed"]) for one in now) > SETTLED_NS:
        with contextlib.suppress(OSError):
            checked.write_text(json.dumps(now), "utf-8")
    return True


def _states(files: Sequence[Path]) -> list[dict[str, Any]]:
    found = []
    for path in files:
        one = os.stat(path)
        changed = [one.st_mtime_ns, one.st_ctime_ns]
        state = {"size": one.st_size, "changed": changed, "place": one.st_ino}
        found.append({"path": str(path), **state})
    return found


def _population(
    arrays: Mapping[str, Any], meta: Mapping[str, Any], path: Path, place: Place, state: FileState
) -> Population:
    def of_kind(kind: str) -> dict[str, Any]:
        named = (name.partition(":") for name in arrays)
        return {name: arrays[f"{kind}:{name}"] for first, _, name in named if first == kind}

    ids: Ids = RowNumbers(meta["rows"], arrays["id_hash"])
    if "id" in arrays:
        ids = TextIds(pa.chunked_array([arrays["id"]]), (arrays["id_hash"], arrays["id_order"]))
    rows = (arrays["start"], arrays["end"]) if "start" in arrays else None
    table = LazyTable(path, place, meta["dialect"], meta["columns"], meta["rows"], rows)
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
        _table=table,
        _state=state,
        _files=place.files if place.stays else None,
        known=arrays.get("known"),
        helpers={
            name: _helper(said, tuple(meta["helpers"][name]))
            for name, said in of_kind("helper").items()
        },
    )


def _helper(said: NDArray[Any], names: tuple[str, ...]) -> Helper:
    return Helper(score=said) if said.dtype == np.float64 else Helper(verdict=said, names=names)


class LazyTable:
    """A table that is opened when more of it is asked for than the cells of single rows.

    columns   its columns, in order; rows: first byte of each row and the byte after its last,
              (n_rows,) each, where single rows can be read by them
    """

    def __init__(
        self,
        path: Path,
        place: Place,
        dialect: Mapping[str, Any],
        columns: Sequence[str],
        n_rows: int,
        rows: RowBytes | None,
    ) -> None:
        self.path, self.columns = path, tuple(columns)
        self.dialect: Dialect = PLAIN.changed(dialect)
        self._place, self._n_rows, self._rows = place, n_rows, rows

    @cached_property
    def _opened(self) -> TableFile:
        return self._place.opened()

    def __len__(self) -> int:
        return self._n_rows

    @property
    def detected(self) -> Dialect:
        """How it would be read if nothing were given."""
        return self._opened.detected

    def load(self, names: Sequence[str]) -> Columns:
        """These columns."""
        return self._opened.load(names)

    def batches(self, names: Sequence[str]) -> Iterator[Columns]:
        """The same a few rows at a time."""
        return self._opened.batches(names)

    def faults(self) -> Sequence[Fault]:
        """None: it was read before."""
        return []

    def broken_rows(self) -> frozenset[int]:
        """None, likewise."""
        return frozenset()

    def cells(self, position: int, names: Sequence[str]) -> dict[str, str]:
        """One row's values as text."""
        if self._rows is None:
            return self._opened.cells(position, names)
        start, end = (int(one[position]) for one in self._rows)
        with self.path.open("rb") as stream:
            stream.seek(start)
            raw = stream.read(end - start)
        return reader_of(self.path).parsed(raw, self.columns, names, self.dialect)

    def lines(self, positions: NDArray[np.int64]) -> Sequence[int | None]:
        """The line of the file on which each row starts."""
        return self._opened.lines(positions)

    def row_bytes(self, path: Path) -> RowBytes | None:
        """First byte of each row, and the byte after its last."""
        return self._rows if path == self.path else None
