"""Names from a file as text: nothing in them is read as markup."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 40


def shortened(name: object, most: int = LONGEST_NAME) -> str:
    r"""One line of at most ``most`` characters, without control characters.

    >>> shortened("spam\nor ham"), shortened("a" * 9, 5)
    ('spam or ham', 'aaaa…')
    """
    raw = str(name)
    text = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in raw)
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
