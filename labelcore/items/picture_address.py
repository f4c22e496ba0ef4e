"""Pictures that travel as text in a column."""

import base64
import re
from functools import lru_cache

from labelcore.items.forms import Folders, Picture, Refusal
from labelcore.items.picture import SVG, decode

PREFIX = "data:image/"
MOST_CHARACTERS = 12_000_000
NAMED = "The picture in this column"
TOO_LONG = f"has more than {MOST_CHARACTERS:,} characters, the most that is read."
_WHOLE = re.compile(r"data:image/(?P<kind>[a-z0-9.+-]{1,30});base64,(?P<data>[A-Za-z0-9+/]+={0,2})")


def read(value: str, folders: Folders) -> Picture | Refusal | None:
    """A whole data address of a picture; an unfinished or other one is text."""
    return _decoded(value, folders.largest) if value.startswith(PREFIX) else None


@lru_cache(maxsize=16)
def _decoded(value: str, largest: int) -> Picture | Refusal | None:
    if len(value) > MOST_CHARACTERS:
        return Refusal(f"{NAMED} {TOO_LONG}")
    match = _WHOLE.fullmatch(value)
    if match is None:
        return None
    if match["kind"].startswith("svg"):
        return Refusal(f"{NAMED} {SVG}")
    try:
        data = base64.b64decode(match["data"], validate=True)
    except ValueError:
        return None
    return decode(data, NAMED, largest)
