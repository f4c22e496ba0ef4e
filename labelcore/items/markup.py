"""Marked text as HTML that holds no tag but our own ``mark``."""

from __future__ import annotations

import html
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from labelcore.items.forms import Mark

# A line end or tab as itself could be changed on the way to the page.
_KEPT = {ord("\n"): "&#10;", ord("\r"): "&#13;", ord("\t"): "&#9;"}


def marked(text: str, marks: Sequence[Mark]) -> str:
    r"""The text with every piece escaped, in our own ``mark`` where it is marked.

    >>> marked("<b>\n", [Mark(0, 3, "word")])
    '<div class="lc-text"><mark class="lc-word">&lt;b&gt;</mark>&#10;</div>'
    """
    opened: Counter[str] = Counter()
    pieces = []
    changes: dict[int, list[tuple[str, int]]] = {0: [], len(text): []}
    for mark in marks:
        changes.setdefault(mark.start, []).append((mark.kind, 1))
        changes.setdefault(mark.end, []).append((mark.kind, -1))
    for start, end in pairwise(sorted(changes)):
        for kind, by in changes[start]:
            opened[kind] += by
        pieces.append(_piece(text[start:end], sorted(+opened)))
    return f'<div class="lc-text">{"".join(pieces)}</div>'


def _piece(text: str, kinds: Sequence[str]) -> str:
    safe = html.escape(text, quote=True).translate(_KEPT)
    classes = " ".join(f"lc-{kind}" for kind in kinds)
    return f'<mark class="{classes}">{safe}</mark>' if classes else safe
