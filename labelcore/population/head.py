"""The first look at a file, before anybody has said what its columns mean."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from labelcore.errors import PopulationError
from labelcore.population.dialect import Dialect, Given
from labelcore.population.engines import sources
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.table import EngineTable
from labelcore.population.formats import FORMATS, known_suffix, open_table
from labelcore.population.limits import refusal
from labelcore.population.sniff import first_row_is_data
from labelcore.population.table_file import TableFile
from labelcore.population.tree import Tree, tree_of

SAMPLE_ROWS = 60


@dataclass(frozen=True)
class Head:
    """The first look at a file: its columns, how many rows, and the first of them as text.

    ``headless`` when the first row was taken for names and looks like data.
    """

    columns: tuple[str, ...]
    rows: int
    sample: tuple[dict[str, str], ...]
    dialect: Dialect
    headless: bool


def head_of(parts: Sequence[Path], given: Given, paths: Sequence[str] = ()) -> Head:
    """The first look; ``paths`` into its records are columns, too. Raises ValueError when the file
    cannot be opened, PopulationError for a broken structure."""
    table, rest = _opened(parts, given)
    if faults := table.faults():
        raise PopulationError(faults)
    table.reach([path for path in paths if path not in table.columns])
    names = list(dict.fromkeys(table.columns))
    if not names:
        raise refusal(
            parts[0].name,
            "no row has a field: write each item as an object with the fields to be shown",
        )
    rows = tuple(table.first(SAMPLE_ROWS))
    if table.nested:
        names = list(dict.fromkeys([*leaves(names, rows), *(n for n in paths if n in names)]))
        rows = tuple({name: row[name] for name in names} for row in rows)
    named = table.dialect.header and "header" in FORMATS[known_suffix(parts[0].name)].options
    headless = named and first_row_is_data(names, [list(row.values()) for row in rows])
    every = len(table) + sum(len(open_table(part)) for part in rest)
    columns = names if table.nested else table.columns
    return Head(tuple(columns), every, rows, table.dialect, headless)


def tree_in(part: Path, given: Given, columns: Sequence[str]) -> Tree:
    """What lies in the records of a file, and the values of some columns; of a file without any a
    tree without branches."""
    table = open_table(part, given)
    tree = tree_of(table.records(columns), columns)
    return tree if table.nested else replace(tree, branches=())


def leaves(columns: Sequence[str], rows: Sequence[Mapping[str, str]]) -> list[str]:
    """The columns without objects, and lists of named ones, whose fields are columns of their own:
    the whole says the same again. Where a row has another value there, the whole is kept instead.

    >>> leaves(["id", "t", "t.a", "t.b"], [{"id": "1", "t": '{"a": 1}', "t.a": "1", "t.b": ""}])
    ['id', 't.a', 't.b']
    >>> leaves(["t", "t.a"], [{"t": '{"a": 1}', "t.a": "1"}, {"t": "none", "t.a": ""}])
    ['t']
    """
    known, wholes = set(columns), dict[str, str]()
    for name in columns:
        above = {name[:place]: sign for place, sign in enumerate(name) if sign in ".["}
        wholes |= {top: "{" if sign == "." else "[" for top, sign in above.items() if top in known}
    kept = {
        name
        for name, sign in wholes.items()
        if any(row[name].strip()[:1] not in ("", sign) for row in rows)
    }
    return [
        name
        for name in columns
        if (name in kept or name not in wholes)
        and not any(name.startswith((f"{whole}.", f"{whole}[")) for whole in kept)
    ]


def _opened(parts: Sequence[Path], given: Given) -> tuple[TableFile, Sequence[Path]]:
    """What the first rows are read from, and the parts whose rows it does not count."""
    if sources.stay(parts):
        return EngineTable(DuckEngine(parts[0].name, list(map(str, parts)))), ()
    return open_table(parts[0], given), parts[1:]
