"""The beginning of an item, for a line in a list."""

import os
import re
from collections.abc import Iterator, Mapping, Sequence

from labelcore.items import json_text, picture_address, picture_file, talk
from labelcore.items.text import one_line

LENGTH = 60
# JSON longer than this is shown by its beginning as it is.
LONGEST_COMPACTED = 20_000
BETWEEN = " · "


def glimpse(content: Mapping[str, str], most: int = LENGTH) -> str:
    r"""What an item holds, on one line of at most so many characters; reads no file.

    >>> glimpse({"photo": "cats/1.png", "text": "A grey\n cat"})
    '(picture) 1.png · A grey cat'
    """
    return one_line(BETWEEN.join(_start(v, most) for v in content.values() if v.strip()), most)


def pieces(text: str, words: Sequence[str]) -> Iterator[tuple[str, bool]]:
    """The text in pieces, each with whether it is one of these words, upper and lower case alike.

    >>> list(pieces("An Offer, offers", ["offer"]))
    [('An ', False), ('Offer', True), (', offers', False)]
    """
    either = "|".join(map(re.escape, words))
    parts = re.split(rf"\b({either})\b", text, flags=re.IGNORECASE) if words else [text]
    yield from ((piece, place % 2 == 1) for place, piece in enumerate(parts) if piece)


def _start(value: str, most: int) -> str:
    if value.startswith(picture_address.PREFIX):
        return "(picture)"
    if picture_file.is_path(value) and " " not in value:
        return f"(picture) {os.path.basename(value)}"
    if words := talk.last_words(value):
        return one_line(words, most)
    if len(value) <= LONGEST_COMPACTED and json_text.looks_like_json(value):
        data = json_text.parse(value)
        if data is not None:
            return json_text.compact(data)
    return one_line(value, most)
