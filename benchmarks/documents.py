"""Tables written below what people wrote about them."""

from __future__ import annotations

from pathlib import Path

MARK = "<!-- Everything below is written by the benchmark. -->\n"


def write_below(path: Path, header: str, text: str) -> None:
    """Put header and tables below the mark of a document, or in a new one; what stands above the
    mark is kept."""
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    above, mark, _ = old.partition(MARK)
    path.write_text((above + MARK if mark else "") + header + text, encoding="utf-8")
