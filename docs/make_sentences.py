"""What is generated from the tables of the package: ``python -m docs.make_sentences``.

Writes the table of estimands in README.md; ``tests/test_sentences_page.py`` fails while it is
stale.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from labelcore.estimands import QUANTITIES, Estimand
from labelcore.words.quantities import quantity

ROOT = Path(__file__).resolve().parents[1]
START, END = "<!-- {name}: made by python -m docs.make_sentences -->\n", "<!-- end of {name} -->\n"


def estimand_rows() -> Iterator[str]:
    """A line of the README's table for each estimand."""
    yield "| estimand | what it measures, where 'spam' is the positive class | formula |"
    yield "|---|---|---|"
    for name, row in QUANTITIES.items():
        formula = row.formula if isinstance(row, Estimand) else "–"
        yield f"| `{name}` | {quantity(name, None, 'spam')} | {formula} |"


def filled(text: str, name: str, rows: Iterator[str]) -> str:
    """``text`` with the lines between the marks of ``name`` replaced."""
    start, end = START.format(name=name), END.format(name=name)
    before, there, rest = text.partition(start)
    after = rest.partition(end)[2]
    if not there or end not in rest:
        raise ValueError(f"the text has no place for {name!r}: {start.strip()} ... {end.strip()}")
    return before + start + "".join(f"{row}\n" for row in rows) + end + after


def readme() -> str:
    """The README with its table of estimands."""
    text = (ROOT / "README.md").read_text("utf-8")
    return filled(text, "estimands", estimand_rows())


MADE: dict[str, Callable[[], str]] = {"README.md": readme}
"""Each generated file and what it must hold."""


def main() -> None:
    for name, made in MADE.items():
        (ROOT / name).write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
