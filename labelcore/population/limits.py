"""How much one file may hold. Honest files stay far below; more would hold up everybody else."""

from labelcore.errors import Fault, PopulationError

MOST_COLUMNS = 20_000
MOST_ROWS = 20_000_000
LONGEST_ROW = 16_000_000  # bytes
MOST_NESTED = 200  # levels of one JSON value
LARGEST_LIST = 512_000_000  # bytes of a JSON list, which is read as a whole
UNPACKED_ALWAYS = 256_000_000  # bytes that any packed file may unpack to
MOST_TIMES_PACKED = 100  # beyond that, how many times its own size
MEMORY_ALWAYS = 1 << 30
LARGEST_WORKBOOK = 512_000_000  # bytes of an unpacked Excel file
SHEET_ROWS = 1_048_576  # what a sheet of Excel has
SHEET_CELLS = 5_000_000


def refusal(file: str, rule: str, row: int | None = None) -> PopulationError:
    """The error for a file that is not taken; ``row`` 1 is the first data row."""
    return PopulationError([Fault(file, None, row, None, rule)])


def check_columns(file: str, number: int) -> None:
    """PopulationError for more than MOST_COLUMNS."""
    if number > MOST_COLUMNS:
        raise refusal(
            file, f"a file may have at most {MOST_COLUMNS:,} columns, and this one has {number:,}"
        )


def check_rows(file: str, number: int) -> None:
    """PopulationError for more than MOST_ROWS."""
    if number > MOST_ROWS:
        raise refusal(
            file,
            f"a file may have at most {MOST_ROWS:,} rows, and this one has {number:,} or more",
        )


def check_unpacked(file: str, unpacked: int, packed: int) -> None:
    """PopulationError for a file that unpacks to far more than its size: texts hardly ever do."""
    if unpacked > max(UNPACKED_ALWAYS, MOST_TIMES_PACKED * packed):
        raise refusal(
            file,
            f"its {packed / 1e6:,.1f} MB unpack to {unpacked / 1e6:,.0f} MB or more; over "
            f"{UNPACKED_ALWAYS / 1e6:,.0f} MB, at most {MOST_TIMES_PACKED} times its size is "
            "unpacked. Give it unpacked",
        )


def most_written(size: int, free: int) -> int:
    """Bytes that may be written while a file of ``size`` bytes is read: unpacked, and once more as
    a snapshot; never more than half of what is ``free``."""
    return min(2 * max(UNPACKED_ALWAYS, MOST_TIMES_PACKED * size), free // 2)


def memory_for(size: int) -> int:
    """Bytes of memory that reading a file of ``size`` bytes may take."""
    return MEMORY_ALWAYS + MOST_TIMES_PACKED * size


def long_row(file: str, row: int | None, hint: str = "") -> PopulationError:
    """The error for a row of more than LONGEST_ROW bytes."""
    rule = f"a row may have at most {LONGEST_ROW / 1e6:,.0f} MB, and this one has more"
    return refusal(file, rule + hint, row)
