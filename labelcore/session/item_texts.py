"""What a person judges, as it was when the item was drawn."""

from __future__ import annotations

from labelcore.errors import ChangedTextError
from labelcore.log.events import SALTED, Content
from labelcore.log.state import LogState
from labelcore.population import Population


def text_as_drawn(
    population: Population, state: LogState, item_id: str, kept: Content | None
) -> dict[str, str]:
    """What the store keeps of an item, else what the file says; ChangedTextError where it is not
    what the draw recorded."""
    recorded = state.texts.get(item_id)
    if kept is None and recorded is not None and recorded.startswith(SALTED):
        raise ChangedTextError(
            f"The text of item {item_id!r} as it was drawn is no longer in the store, so it is "
            "not shown. Put back a backup of the store."
        )
    found = Content(population.content(item_id)) if kept is None else kept
    if recorded not in (None, found.digest(item_id)):
        raise ChangedTextError(
            f"The text of item {item_id!r} is not the one that was drawn: it was changed "
            "outside Labelcore, so it is not shown. Put back a backup of the store."
        )
    return dict(found.columns)
