"""The kinds of value there are. A new kind is one file and one row here."""

from collections.abc import Callable, Mapping

from labelcore.items import json_text, picture_address, picture_file, table, talk
from labelcore.items.forms import Folders, Form, Reader
from labelcore.items.text import as_text
from labelcore.plugins import Table

# Asked in this order; each says quickly when a value is none of its own. What is left is text.
KINDS: Mapping[str, Reader] = Table(
    "labelcore.item_kinds",
    {
        "picture in the text": picture_address.read,
        "picture in a file": picture_file.read,
        "conversation": talk.read,
        "table": table.read,
        "JSON": json_text.read,
    },
    Callable,
)


def form_of(value: str, folders: Folders) -> Form:
    """What one value of an item is drawn as."""
    for read in KINDS.values():
        form = read(value, folders)
        if form is not None:
            return form
    return as_text(value)
