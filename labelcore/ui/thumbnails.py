"""Small pictures of items, for a list of many."""

from collections.abc import Iterable
from time import monotonic

from labelcore import items
from labelcore.charts.nodes import Node
from labelcore.session.session import Session
from labelcore.settings import data_folder
from labelcore.ui.item import picture_node
from labelcore.ui.reviewed import LONGEST_SHOWN, looked_up

SIDE = 96
SECONDS = 1.0
"""Large pictures that take longer all together are left to the next look."""
Small = tuple[Node, str]
"""A picture, and in words what else the item holds."""


def small_pictures(session: Session, item_ids: Iterable[str]) -> dict[str, Small]:
    """{id: its picture}, of the items that have one; what was erased is forgotten."""
    population = session.population
    made = looked_up("pictures", session.project, population.fingerprint)
    for item_id in [known for known in [*made] if known in session.state.erased]:
        made.pop(item_id, None)
    until = monotonic() + SECONDS
    folders = items.Folders(data_folder(), population.path.parent, SIDE)
    found = {}
    for item_id in item_ids:
        if item_id not in made and monotonic() < until:
            content = session.item_by_id(item_id)
            picture = items.first_picture(content, folders)
            words = items.glimpse(content, LONGEST_SHOWN, picture="")
            made[item_id] = None if picture is None else (picture_node(picture, "picture"), words)
        if (small := made.get(item_id)) is not None:
            found[item_id] = small
    return found
