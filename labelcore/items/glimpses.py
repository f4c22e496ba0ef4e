"""The beginning of an item, for a line in a list."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from labelcore.items import json_text, picture_address, picture_file, talk
from labelcore.items.forms import Folders, Picture
from labelcore.items.text import one_line

LENGTH = 60
# JSON longer than this is shown by its beginning as it is.
LONGEST_COMPACTED = 20_000
BETWEEN = " · "


def glimpse(content: Mapping[str, str], most: int = LENGTH, picture: str = "(picture)") -> str:
    r"""What an item holds, on one line of at most so many characters; reads no file. ``picture``
    stands for one.

    >>> glimpse({"photo": "cats/1.png", "text": "A grey\n cat"})
    '(picture) 1.png · A grey cat'
    """
    starts = (_start(value, most, picture) for value in content.values() if value.strip())
    return one_line(BETWEEN.join(filter(None, starts)), most)


def names_picture(content: Mapping[str, str]) -> bool:
    """Whether a value reads like a picture or the path of one; reads no file.

    >>> names_picture({"photo": "cats/1.png"}), names_picture({"text": "A grey cat"})
    (True, False)
    """
    return any(
        value.startswith(picture_address.PREFIX) or picture_file.is_path(value)
        for value in content.values()
    )


def first_picture(content: Mapping[str, str], folders: Folders) -> Picture | None:
    """The first picture of an item that can be shown."""
    for value in content.values():
        for read in (picture_address.read, picture_file.read):
            if isinstance(form := read(value, folders), Picture):
                return form
    return None


def pieces(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of these words, upper and lower case alike.

    >>> list(pieces("An Offer, offers", ["offer"]))
    [('An ', False), ('Offer', True), (', offers', False)]
    """
    either = "|".join(map(re.escape, words))
    parts = re.split(rf"\b({either})\b", text, flags=re.IGNORECASE) if words else [text]
    yield from ((piece, place % 2 == 1) for place, piece in enumerate(parts) if piece)


def _start(value: str, most: int, picture: str) -> str:
    if value.startswith(picture_address.PREFIX):
        return picture
    if picture_file.is_path(value) and " " not in value:
        return f"{picture} {os.path.basename(value)}".strip()
    if words := talk.last_words(value):
        return one_line(words, most)
    if len(value) <= LONGEST_COMPACTED and json_text.looks_like_json(value):
        data = json_text.parse(value)
        if data is not None:
            return json_text.compact(data)
    return one_line(value, most)
