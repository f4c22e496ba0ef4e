"""Two texts side by side: which words differ."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from functools import lru_cache

from labelcore.items.forms import Mark

MOST_WORDS = 1_000
LARGEST_SHARE = 0.6
# Writing without spaces is compared sign by sign.
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_STOPS = r"!-/:-@\[-`{-~\u00a1-\u00bf\u2010-\u2027\u2030-\u205e\u3000-\u303f\uff01-\uff0f"
_WORD = re.compile(rf"\d+(?:[.,]\d+)*|[{_SIGNS}]|[^\s{_STOPS}{_SIGNS}]+|[{_STOPS}]")

Marks = tuple[Mark, ...]


@lru_cache(maxsize=64)
def differences(left: str, right: str) -> tuple[Marks, Marks] | None:
    """The words of each text that the other does not have in their place.

    White space is not compared. None where marks would not help: a text without words or with more
    than MOST_WORDS, or more than LARGEST_SHARE of all the words would be marked.
    """
    words, others = list(_WORD.finditer(left)), list(_WORD.finditer(right))
    if not words or not others or max(len(words), len(others)) > MOST_WORDS:
        return None
    texts, other_texts = [word[0] for word in words], [word[0] for word in others]
    most_shared = sum((Counter(texts) & Counter(other_texts)).values())
    if _share(most_shared, len(words) + len(others)) > LARGEST_SHARE:
        return None
    steps = SequenceMatcher(None, texts, other_texts, autojunk=False).get_opcodes()
    shared = sum(stop - start for kind, start, stop, _, _ in steps if kind == "equal")
    if _share(shared, len(words) + len(others)) > LARGEST_SHARE:
        return None
    changes = [step for step in steps if step[0] != "equal"]
    return (
        _marks(words, [(start, stop) for _, start, stop, _, _ in changes]),
        _marks(others, [(start, stop) for _, _, _, start, stop in changes]),
    )


def _share(shared: int, all_words: int) -> float:
    return 1 - 2 * shared / all_words


def _marks(words: Sequence[re.Match[str]], runs: Sequence[tuple[int, int]]) -> Marks:
    return tuple(
        Mark(words[start].start(), words[stop - 1].end(), "differs")
        for start, stop in runs
        if stop > start
    )
