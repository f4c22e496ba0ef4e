"""Excel files: the rows of one sheet, as text."""

import datetime
import re
import zipfile
import zlib
from collections.abc import Container, Iterable, Iterator, Sequence
from itertools import chain
from pathlib import Path
from typing import IO, Any
from xml.etree.ElementTree import ParseError

from labelcore.errors import Fault, PopulationError
from labelcore.population.csv_file import empty, names_of
from labelcore.population.csv_walk import checked
from labelcore.population.dialect import NOTHING, PLAIN, Form, Given, Wanted
from labelcore.population.limits import LARGEST_WORKBOOK, SHEET_CELLS, SHEET_ROWS, refusal
from labelcore.population.text import listing
from labelcore.population.text_table import TextTable, Walk, columns_of

# Excel writes control characters, and an underscore that would look like one, in this way.
ESCAPED = re.compile("_x(00[01][0-9A-Fa-f]|005F)_")
# A cell of a sheet, or one of the texts that its cells share.
CELL = re.compile(rb"<(?:[^\s<>/]+:)?(?:c|si)[\s/>]")
# A cell whose formula has no value beside it; one of a text may be empty.
UNCOMPUTED = re.compile(
    rb'<c r="([A-Z]+)(\d+)"(?![^>]*\bt="str")[^>]*><f\b(?:[^>]*/>|[^>]*>[^<]*</f>)'
    rb"(?:<v\s*/>|<v></v>)?</c>"
)
NO_VALUE = (
    "{cell} holds a formula without its value, which would be read as empty; open the file in a "
    "spreadsheet program and save it there"
)
BLOCK_BYTES = 1 << 23
TAGS_OF_A_CELL = 4  # itself, its value, its formula; its row has one for many
LONGEST_TAG = 100  # a longer one is no cell
UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, ParseError, LookupError),
    *(ValueError, TypeError, AttributeError, EOFError, RuntimeError),
)


class ExcelFile(TextTable):
    """An .xlsx file: the values as they were last computed, numbers and dates as plain text.

    Rows without any value are no rows. A line is the row of the sheet.
    """

    options = ("header", "sheet")

    def __init__(self, path: Path, given: Given = NOTHING, wanted: Wanted = NOTHING) -> None:
        self.dialect, self._path = PLAIN.changed(given), path
        walk, records = Walk(path.name), _records(path, self.dialect.sheet)
        first = next(records, None)
        if first is None:
            raise empty(walk)
        columns = names_of(first[1], self.dialect.header)
        rows = checked(walk, chain([first], records), self.dialect.header)
        self._pack(path.name, columns, columns_of(rows), walk)

    def check_computed(self, names: Container[str]) -> None:
        """PopulationError for columns of these names with a formula that nobody has computed."""
        cells = _uncomputed(self._path, self.dialect.sheet)
        columns = [(name, cells.get(at)) for at, name in enumerate(self.columns, start=1)]
        faults = [
            Fault(self._path.name, name, None, None, NO_VALUE.format(cell=cell))
            for name, cell in columns
            if cell and name in names
        ]
        if faults:
            raise PopulationError(faults)

    @classmethod
    def detect(cls, path: Path, given: Given = NOTHING) -> Form:
        """The first sheet; the others may be chosen."""
        book = _open(path)
        book.close()
        return Form(PLAIN, cls.options, tuple(sheet.title for sheet in book.worksheets))


def _open(path: Path) -> Any:
    """The workbook. PopulationError for what is none, or unpacks to too much."""
    import openpyxl  # type: ignore[import-untyped]
    from openpyxl.utils.exceptions import InvalidFileException  # type: ignore[import-untyped]

    with path.open("rb") as stream:
        try:
            with zipfile.ZipFile(stream) as packed:
                _check_size(path, packed)
            return openpyxl.load_workbook(path, read_only=True, data_only=True)
        except PopulationError:
            raise
        except (*UNREADABLE, InvalidFileException, OSError) as error:  # a place outside the file
            raise refusal(path.name, f"cannot be read as an Excel file (.xlsx): {error}") from error


def _check_size(path: Path, packed: zipfile.ZipFile) -> None:
    """Counting tags takes a second where reading the cells would take minutes."""
    size = sum(member.file_size for member in packed.infolist())
    if size > LARGEST_WORKBOOK:
        raise refusal(
            path.name,
            f"unpacks to {size / 1e6:,.0f} MB, and at most {LARGEST_WORKBOOK / 1e6:,.0f} MB of an "
            "Excel file are read; save it as CSV",
        )
    for member in packed.infolist():
        with packed.open(member) as stream:
            if _too_many(stream):
                raise refusal(
                    path.name,
                    f"at most {SHEET_CELLS:,} cells of a sheet are read, and {member.filename} has "
                    "more; save it as CSV",
                )


def _too_many(stream: IO[bytes]) -> bool:
    """More cells than are read, or more tags than so many cells have."""
    cells, tags, rest = 0, 0, b""
    while block := stream.read(BLOCK_BYTES):
        whole, sign, rest = (rest + block).rpartition(b"<")
        cells += len(CELL.findall(whole))
        tags += whole.count(b"<") - whole.count(b"</")
        rest = (sign + rest)[:LONGEST_TAG]
        if cells > SHEET_CELLS or tags > TAGS_OF_A_CELL * SHEET_CELLS:
            return True
    return False


def _records(path: Path, name: str | None) -> Iterator[tuple[int, list[str]]]:
    """The rows of a sheet with their numbers in it."""
    book = _open(path)
    try:
        sheet = _sheet(path, book, name)
        sheet.reset_dimensions()
        yield from _filled(_counted(path, sheet.iter_rows(values_only=True)))
    except PopulationError:
        raise
    except UNREADABLE as error:
        raise refusal(path.name, f"cannot be read as an Excel file (.xlsx): {error}") from error
    finally:
        book.close()


def _sheet(path: Path, book: Any, name: str | None) -> Any:
    if not book.worksheets:
        raise refusal(path.name, "the file has no sheet with cells")
    titles = [sheet.title for sheet in book.worksheets]
    if name is not None and name not in titles:
        raise refusal(path.name, f"there is no sheet {name!r}; its sheets are {listing(titles)}")
    return book.worksheets[0 if name is None else titles.index(name)]


def _uncomputed(path: Path, name: str | None) -> dict[int, str]:
    """Column, counted from 1 -> its first cell whose formula has no value."""
    from openpyxl.utils import column_index_from_string  # type: ignore[import-untyped]

    book = _open(path)
    member = _sheet(path, book, name)._worksheet_path
    book.close()
    cells: dict[int, str] = {}
    with zipfile.ZipFile(path) as packed, packed.open(member) as stream:
        rest = b""
        while block := stream.read(BLOCK_BYTES):
            whole, end, rest = (rest + block).rpartition(b"</c>")
            for column, row in UNCOMPUTED.findall(whole + end):
                cells.setdefault(column_index_from_string(column.decode()), (column + row).decode())
    return cells


def _counted(path: Path, rows: Iterable[Sequence[Any]]) -> Iterator[Sequence[Any]]:
    """The rows; a number of a row may claim millions of empty ones before it."""
    for number, row in enumerate(rows, start=1):
        if number > SHEET_ROWS:
            raise refusal(
                path.name, f"a sheet has at most {SHEET_ROWS:,} rows, and this one has more"
            )
        yield row


def _filled(rows: Iterable[Sequence[Any]]) -> Iterator[tuple[int, list[str]]]:
    """Rows with a value, as many cells as the first of them has or more, and their numbers."""
    width = 0
    for number, values in enumerate(rows, start=1):
        cells = [cell_text(value) for value in values]
        while cells and not cells[-1]:
            cells.pop()
        if cells:
            width = width or len(cells)
            yield number, cells + [""] * (width - len(cells))


def cell_text(value: object) -> str:
    """A cell as text: an empty cell is empty, dates as in ISO 8601, whole numbers without ".0".

    >>> cell_text(0.5), cell_text(3.0), cell_text(datetime.datetime(2024, 2, 29)), cell_text(None)
    ('0.5', '3', '2024-02-29', '')
    """
    if value is None:
        return ""
    if isinstance(value, str):
        return ESCAPED.sub(lambda match: chr(int(match[1], 16)), value)
    if isinstance(value, float):
        return repr(value).removesuffix(".0")
    if isinstance(value, datetime.datetime):
        return value.isoformat().removesuffix("T00:00:00")
    return value.isoformat() if isinstance(value, (datetime.date, datetime.time)) else str(value)
