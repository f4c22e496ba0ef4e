"""What is asked of a file in a process of its own, and what that answers, as plain data.

The functions of the first part run there: they take and give JSON values, and write what is larger
to the folder of their own. Those of the second part take it over.
"""

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import numpy as np

from labelcore.population.arrays import read_arrays, write_arrays
from labelcore.population.contents import SUFFIX as CONTENTS
from labelcore.population.copies import TakenFile
from labelcore.population.dialect import Dialect, Form, Given
from labelcore.population.duplicates import Duplicates
from labelcore.population.formats import detect
from labelcore.population.head import Head, head_of, tree_in
from labelcore.population.joined_scores import join_scores
from labelcore.population.opinions import Features, Opinion
from labelcore.population.pictures import take_apart
from labelcore.population.population import Population
from labelcore.population.read import read_as_it_is, read_population
from labelcore.population.second_opinion import features_of, second_opinion
from labelcore.population.snapshots import SUFFIX, keep_contents, keep_snapshot, open_snapshot
from labelcore.population.tables import recognised_as_table
from labelcore.population.tree import Branch, Tree
from labelcore.stats.arrays import IntArray

LONGEST_CELL = 20_000
MOST_CELLS, LEAST_ROWS = 200_000, 5
MOST_TEXT = 4_000_000
"""Characters of cells, cells, and characters altogether of the first rows that are handed on."""
ITEMS, TABLE, TOLD, TAKEN = "items", "table", "told.arrays", "taken"


def _here(name: str) -> Path:
    return Path(tempfile.gettempdir()) / name


# --- there ---------------------------------------------------------------------------------------


def recognise(path: str, name: str) -> str:
    """The suffix of the table that is written of a file of another tool; "" for any other."""
    suffix, table = recognised_as_table(name, Path(path).read_bytes()) or ("", b"")
    if suffix:
        _here(TABLE).write_bytes(table)
    return suffix


def join(parts: Sequence[str]) -> str:
    """The suffix of the table that is written of traces and their scores."""
    rows = join_scores(*map(Path, parts)).rows
    _here(TABLE).write_text("".join(f"{json.dumps(row)}\n" for row in rows), "utf-8")
    return ".jsonl"


def take(path: str) -> str:
    """The pictures and the table of a zip or a folder, copied; where the table lies among them."""
    _here(TAKEN).mkdir()
    return str(take_apart(Path(path), _here(TAKEN)).relative_to(_here(TAKEN)))


def look(parts: Sequence[str], given: Given) -> dict[str, Any]:
    """The dialect as far as it is not given."""
    form = detect(Path(parts[0]), given)
    return {"dialect": form.dialect.to_json(), "options": form.options, "sheets": form.sheets}


def look_inside(parts: Sequence[str], given: Given, paths: Sequence[str] = ()) -> dict[str, Any]:
    """The first rows, in that dialect, with what lies at some paths."""
    head = head_of([Path(part) for part in parts], given, paths)
    rows = head.sample[: max(LEAST_ROWS, MOST_CELLS // max(1, len(head.columns)))]
    most = min(LONGEST_CELL, MOST_TEXT // max(1, len(rows) * len(head.columns)))
    return {
        "columns": head.columns,
        "rows": head.rows,
        "sample": [[row[name][: max(most, 20)] for name in head.columns] for row in rows],
        "dialect": head.dialect.to_json(),
        "headless": head.headless,
    }


def climb(parts: Sequence[str], given: Given, columns: Sequence[str]) -> dict[str, Any]:
    """What lies in the records, and the different values of some columns."""
    return asdict(tree_in(Path(parts[0]), given, columns))


def read(path: str, arguments: Mapping[str, Any], as_it_is: bool = False) -> None:
    """The items, written as a snapshot and what is judged of them."""
    _write(read_as_it_is(path, **arguments) if as_it_is else read_population(path, **arguments))


def read_and_compare(
    path: str,
    arguments: Mapping[str, Any],
    columns: Sequence[str],
    others: Sequence[str],
    most: int,
) -> dict[str, Any]:
    """The same; the items whose content an earlier one has; and the rows with a value of each of
    ``columns``, and of each of ``others`` that has some, and at most so many different ones.
    Repeats are not looked for where contents stay in an engine: that would read all of them."""
    population = read_population(path, **arguments)
    _write(population)
    repeated = Duplicates(0, ()) if population.stays else population.duplicate_contents()
    filled = {name: population.filled(name) for name in columns}
    filled |= population.partly_filled(list(others), most)
    return {"repeated": asdict(repeated), "filled": filled}


def _write(population: Population) -> None:
    ends = None
    if not population.stays:
        ends = keep_contents(_here(f"{ITEMS}{CONTENTS}"), population)
    keep_snapshot(_here(f"{ITEMS}{SUFFIX}"), population, ends)


def told(path: str, arguments: Mapping[str, Any], column: str) -> None:
    """The rows with a value in a column."""
    texts = read_population(path, **arguments).column(column)
    rows = np.flatnonzero([bool(text.strip()) for text in texts])
    write_arrays(_here(TOLD), {"rows": rows}, {})


def learn(
    path: str, arguments: Mapping[str, Any], classifier: str, numbers: bool
) -> dict[str, Any]:
    """What the content of the items says: the second opinion on a classifier, and, where
    ``numbers`` are wanted, those that labels are to teach something about."""
    population = read_population(path, **arguments)
    opinion, arrays = second_opinion(population, classifier), {}
    facts = {"hash": opinion.hash, "columns": opinion.columns, "notes": opinion.notes}
    if numbers:
        content = features_of(population, classifier)
        arrays, facts["features"] = {"values": content.values}, content.hash
    write_arrays(_here(TOLD), {"score": opinion.score, **arrays}, {})
    return facts


# --- here ----------------------------------------------------------------------------------------


def table_of(suffix: str, folder: Path) -> tuple[str, bytes] | None:
    """The table of a file that another tool wrote, and its suffix."""
    table = (suffix, (folder / TABLE).read_bytes()) if suffix else None
    shutil.rmtree(folder, ignore_errors=True)
    return table


def taken_to(place: Path) -> Callable[[str, Path], Path]:
    """What moves what ``take`` wrote to ``place``, and gives the path of its table there."""

    def moved(table: str, folder: Path) -> Path:
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            half = tempfile.mkdtemp(dir=place.parent, prefix=".half-")
            Path(shutil.move(folder / TAKEN, half)).rename(place)
            Path(half).rmdir()
        shutil.rmtree(folder, ignore_errors=True)
        path = (place / table).resolve()
        if not path.is_relative_to(place.resolve()):
            raise ValueError(f"the table of {place.name} lies outside it")
        return path

    return moved


def form_of(form: Mapping[str, Any]) -> Form:
    """What ``look`` said."""
    return Form(Dialect(**form["dialect"]), tuple(form["options"]), tuple(form["sheets"]))


def head_from(head: Mapping[str, Any]) -> Head:
    """What ``look_inside`` said."""
    columns = tuple(map(str, head["columns"]))
    sample = tuple(dict(zip(columns, row, strict=True)) for row in head["sample"])
    return Head(columns, int(head["rows"]), sample, Dialect(**head["dialect"]), head["headless"])


def tree_from(tree: Mapping[str, Any]) -> Tree:
    """What ``climb`` said."""
    return Tree(tuple(Branch(**branch) for branch in tree["branches"]),
                tree["records"], tree["more"], tree["values"])  # fmt: skip


def population_from(folder: Path, path: Path) -> Population:
    """The items that ``read`` wrote to a folder, which goes with them; ``path``: the file."""
    kept = TakenFile(folder / f"{ITEMS}{SUFFIX}")
    population = open_snapshot(kept.path, folder / f"{ITEMS}{CONTENTS}", path)
    return replace(population, snapshot=None, _mapped=kept)


def duplicates_from(repeats: Mapping[str, Any]) -> Duplicates:
    """What ``read_and_compare`` said of repeats."""
    pairs = tuple((int(row), int(first)) for row, first in repeats["examples"])
    return Duplicates(int(repeats["count"]), pairs)


def learned_from(facts: Mapping[str, Any], folder: Path) -> tuple[Opinion, Features | None]:
    """What ``learn`` wrote; the numbers stay mapped."""
    stored = read_arrays(folder / TOLD)
    assert stored is not None
    shutil.rmtree(folder, ignore_errors=True)
    arrays, columns = stored[0], tuple(map(str, facts["columns"]))
    opinion = Opinion(np.array(arrays["score"]), str(facts["hash"]), columns, tuple(facts["notes"]))
    if "values" not in arrays:
        return opinion, None
    return opinion, Features(np.asarray(arrays["values"]), columns, str(facts["features"]))


def rows_of(folder: Path) -> IntArray:
    """The rows that ``told`` wrote."""
    stored = read_arrays(folder / TOLD)
    assert stored is not None
    rows = np.array(stored[0]["rows"])
    shutil.rmtree(folder, ignore_errors=True)
    return rows
