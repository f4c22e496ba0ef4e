"""Names from a file as text: nothing in them is read as markup."""

from __future__ import annotations

import unicodedata

LONGEST_NAME = 40
MARKUP = frozenset("&<>$%{}*_`[]()\\~#:!|\"'")


def escape(name: object) -> str:
    """A name from a file as text that Plotly and markdown show letter by letter.

    Both know numeric entities, and neither reads a decoded one as markup. Control and direction
    characters become spaces, long names are shortened.

    >>> escape("<b>50%</b>")
    '&#60;b&#62;50&#37;&#60;/b&#62;'
    """
    text = shortened(name)
    return "".join(f"&#{ord(sign)};" if sign in MARKUP else sign for sign in text)


def shortened(name: object, most: int = LONGEST_NAME) -> str:
    r"""One line of at most ``most`` characters, without control characters.

    >>> shortened("spam\nor ham"), shortened("a" * 9, 5)
    ('spam or ham', 'aaaa…')
    """
    raw = str(name)
    text = "".join(" " if unicodedata.category(sign)[0] in "CZ" else sign for sign in raw)
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
