"""Other people's words: on one line, as short as there is room, and where Streamlit expects
Markdown."""

import re
import unicodedata

LONGEST_NAME = 40
JOINER = "\N{WORD JOINER}"
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
# Not a name's underscore: widgets give their label, as it is, to screen readers, too.
_MARKS = re.compile(r"([\\`*\[\]<>$~|]|&(?=[#\w])|(?<![^\W_])_|_(?![^\W_]))")
_UNSEEN = {"Cc", "Cs", "Co", "Cn"}
_BIDI = dict.fromkeys([0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)])
# Shortcodes, directives, bare addresses and arrows are found after backslashes are gone; headings,
# rules and lists need the beginning of the line.
_FOUND_LATER = re.compile(
    r"(?<=:)(?=\S)|(?<=@)(?=\S)|(?<=www)(?=\.)|(?<=-)(?=[->])|(?<=<)(?=[-=])"
    r"|(?<=[-=])(?=>)|^(?=#|[-+=](?:[\s=-]|$)|\d+[.)](?:\s|$))",
    re.IGNORECASE,
)


def one_line(text: object, limit: int = 120) -> str:
    r"""Any text on one line, without control characters, at most ``limit`` characters.

    >>> one_line("two\n li\x07nes")
    'two lines'
    >>> one_line("four", 4), one_line("fifth", 4)
    ('four', 'fif…')
    """
    joined = " ".join(str(text).translate(_BIDI).split())
    if not joined.isprintable():
        joined = "".join(c for c in joined if unicodedata.category(c) not in _UNSEEN)
    return joined if len(joined) <= limit else joined[: limit - 1] + ELLIPSIS


def shortened(name: object, limit: int = LONGEST_NAME) -> str:
    r"""A name from a file as charts have room for it.

    >>> shortened("spam\nor ham"), shortened("a" * 41)[-3:]
    ('spam or ham', 'aa…')
    """
    return one_line(name, limit)


def plain(text: object, limit: int = 2000) -> str:
    r"""Markdown that shows ``text`` literally, on one line.

    No emphasis, link, image, mathematics, colour, icon, HTML or bare address survives.

    >>> plain("**a** :red[b] $x$").replace(JOINER, "")
    '\\*\\*a\\*\\* :red\\[b\\] \\$x\\$'
    """
    return _MARKS.sub(r"\\\1", _FOUND_LATER.sub(JOINER, one_line(text, limit)))


def unbroken(text: object, limit: int = 2000) -> str:
    """``plain``, with percentages that no line end tears apart."""
    return plain(text, limit).replace(" %", "\N{NO-BREAK SPACE}%")
