"""What an item is made of and how it is laid out, decided without a page."""

from labelcore.items.forms import Block, Folders, Form, Grid, Mark, Picture, Refusal, Rich, Text
from labelcore.items.glimpses import first_picture, glimpse, names_picture
from labelcore.items.highlight import Highlights, highlights_of, usable_highlights
from labelcore.items.kinds import KINDS, form_of
from labelcore.items.layout import Layout, Part, lay_out

__all__ = [
    "KINDS",
    "Block",
    "Folders",
    "Form",
    "Grid",
    "Highlights",
    "Layout",
    "Mark",
    "Part",
    "Picture",
    "Refusal",
    "Rich",
    "Text",
    "first_picture",
    "form_of",
    "glimpse",
    "highlights_of",
    "lay_out",
    "names_picture",
    "usable_highlights",
]
