"""Text that is shown as it is, except for characters that would hide or reorder it."""

import re

from labelcore.items.forms import Text

LONG = 5_000
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
PICTURE_OF_NULL = 0x2400
# Control characters but tab and line ends; direction overrides, embeddings and isolates; halves
# of surrogate pairs; tags, which spell out letters that nobody sees, but for flags such as that of
# Wales. Direction marks and joiners, which ordinary writing needs, stay.
_UNSEEN = re.compile(
    "\U0001f3f4[\U000e0061-\U000e007a]{3,6}\U000e007f|[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"
    "\u202a-\u202e\u2066-\u2069\ud800-\udfff\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    r"""The text with a sign in the place of each character that would act without being seen.

    >>> visible("a\x00b \u202egpj.exe")
    'a␀b ⟨U+202E⟩gpj.exe'
    """
    return _UNSEEN.sub(_sign, text) if _UNSEEN.search(text) else text


def _sign(match: re.Match[str]) -> str:
    if len(match[0]) > 1:
        return match[0]
    code = ord(match[0])
    return chr(PICTURE_OF_NULL + code) if code < 0x20 else f"⟨U+{code:04X}⟩"


def as_text(value: str) -> Text:
    """Any value as text; a long one says how long it is."""
    note = f"{len(value):,} characters" if len(value) > LONG else ""
    return Text(visible(value), note=note)


def one_line(text: str, limit: int) -> str:
    r"""All white space as single spaces, at most ``limit`` characters.

    >>> one_line("two\n  lines", 7)
    'two li…'
    """
    joined = " ".join(visible(text).split())
    return joined if len(joined) <= limit else joined[: limit - 1] + ELLIPSIS
