"""The file formats: one reader and one row (suffix -> reader) each."""

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol, runtime_checkable

from labelcore.plugins import Table
from labelcore.population import arrow_files
from labelcore.population.csv_file import CsvFile
from labelcore.population.dialect import NOTHING, PLAIN, Form, Given, Wanted
from labelcore.population.excel_file import ExcelFile
from labelcore.population.json_file import JsonFile
from labelcore.population.parquet_file import ParquetFile, open_parquet
from labelcore.population.table_file import TableFile
from labelcore.population.text import listing


@runtime_checkable
class Reader(Protocol):
    """A row of FORMATS: the class of a table, which derives from ``TableFile``."""

    @property
    def options(self) -> tuple[str, ...]:
        """The fields of a dialect that this format has."""

    def __call__(self, path: Path, given: Given, wanted: Wanted) -> TableFile:
        """Open a file; fields of the dialect that are not given are detected."""

    def detect(self, path: Path, given: Given = NOTHING) -> Form:
        """The dialect of a file as far as it is not given, without reading its rows."""


TEXTS: Mapping[str, Reader] = {
    ".csv": CsvFile,
    ".tsv": CsvFile,
    ".txt": CsvFile,
    ".json": JsonFile,
    ".jsonl": JsonFile,
    ".ndjson": JsonFile,
}
FORMATS: Mapping[str, Reader] = Table(
    "labelcore.readers",
    {
        **TEXTS,
        **{f"{suffix}.gz": reader for suffix, reader in TEXTS.items()},
        ".xlsx": ExcelFile,
        ".parquet": ParquetFile,
    },
    Reader,
)


def open_table(path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> TableFile:
    """Open a file with the reader of its suffix, in the dialect as far as it is given.

    ValueError for a suffix not in the table, and for a field that the format does not have.
    """
    suffix = known_suffix(path.name)
    reader = FORMATS[suffix]
    for name, value in given.items():
        if name not in reader.options and value != getattr(PLAIN, name):
            raise ValueError(
                f"{path.name}: dialect[{name!r}] means nothing for {suffix}; "
                f"it has {listing(reader.options)}"
            )
    return (
        open_parquet(path, given, wanted) if reader is ParquetFile else reader(path, given, wanted)
    )


def detect(path: Path, given: Given = NOTHING) -> Form:
    """What a file's dialect seems to be, as far as it is not given.

    ValueError for a suffix not in the table, PopulationError when nothing can be read.
    """
    return FORMATS[known_suffix(path.name)].detect(path, given)


INSTEAD = {
    ".pkl": "; load it in pandas, if you trust it, and to_parquet('items.parquet')",
    **dict.fromkeys((".xls", ".ods"), "; save it as .xlsx"),
    ".zip": "; unpack it and name its table, or drop it on New project",
    **dict.fromkeys((".db", ".sqlite", ".sqlite3"), "; export its table as .csv"),
}
"""Files of tables that nothing here reads, and how one is written that can be read."""


def known_suffix(name: str) -> str:
    """The suffix of a file name, in lower case. ValueError for a suffix not in the table."""
    for suffix in sorted(FORMATS, key=len, reverse=True):
        if name.lower().endswith(suffix):
            return suffix
    rule = f"{name}: the suffix must be one of {', '.join([*FORMATS, *arrow_files.SUFFIXES])}"
    raise ValueError(rule + INSTEAD.get(Path(name).suffix.lower(), ""))
