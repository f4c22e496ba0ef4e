"""What is generated from the tables of the package: ``python -m docs.make_sentences``.

Writes docs/sentences.md, every sentence that the product can say, and the pages of
``docs.made_pages``; ``tests/test_sentences_page.py`` fails while they are stale.
"""

import re
from collections.abc import Callable, Iterable
from functools import partial
from itertools import groupby
from operator import attrgetter
from pathlib import Path

from docs.made_pages import pages
from docs.spoken import Spoken, spoken

ROOT = Path(__file__).resolve().parents[1]
PAGE = """# Every sentence the product can say

Made by `python -m docs.make_sentences` from the source. The tables of `words` come first, then the
other folders. A template of a table is followed by an example; of a sentence that a function makes
what it works out stands in brackets. Texts of fewer than four words and the errors of the Python
interface are not listed.
"""


def page() -> str:
    """Every sentence by file and table."""
    by_file = groupby(spoken(ROOT / "labelcore"), key=attrgetter("file"))
    return PAGE + "".join(f"\n## `{name}`\n\n{_listed(those)}" for name, those in by_file)


def _listed(those: Iterable[Spoken]) -> str:
    return "".join(
        f"- `{one.place}`: {_plain(one.template)}\n"
        + (f"  - {_plain(one.example())}\n" if one.fields else "")
        for one in those
    )


def _plain(text: str) -> str:
    """``text`` as it stands, with nothing that Markdown would read as markup."""
    return re.sub(r"([\\`*_<>\[\]$|])", r"\\\1", text)


MADE: dict[str, Callable[[], str]] = {
    "docs/sentences.md": page,
    **{name: partial(str, text) for name, text in pages().items()},
}
"""Each generated file and what it must hold."""


def main() -> None:
    for name, made in MADE.items():
        (ROOT / name).write_text(made(), "utf-8")


if __name__ == "__main__":
    main()
