"""What a person judges, as it was when the item was drawn, and nothing of what was erased since."""

from labelcore.errors import ChangedTextError
from labelcore.log.events import SALTED, Content
from labelcore.log.history import told
from labelcore.log.state import LogState
from labelcore.population import Population
from labelcore.session.erasing import erase_again
from labelcore.store import LabelStore, ProjectRecord, identity_of, read_erased

TEXT_GONE = "The text of this item was erased."
_looked: set[tuple[str, str, str]] = set()
"""Stores, projects and names of which this process knows that nothing of them is left there."""


def erased_items(store: LabelStore, project: str) -> set[str]:
    """Items of a project that are shown no more, whatever its log says of them."""
    if not (gone := read_erased(store.guarded).gone):
        return set()
    key = identity_of(store.project(project))
    return {item for erasure in gone if erasure.project == key for item in erasure.items}


def cleared(store: LabelStore, project: str) -> ProjectRecord:
    """The record of a project that is opened. A copy from before an erasure may have been put back:
    nothing of it is shown before it is erased again."""
    record = store.project(project)
    if read_erased(store.guarded).gone:
        log = store.events(project)
        if _still_there(store, record, told(log, record.fingerprint, record.plan_json)):
            erase_again(store)
            return store.project(project)
    return record


def _still_there(store: LabelStore, record: ProjectRecord, state: LogState) -> bool:
    """Whether a project may hold something that was erased, which is looked for once."""
    key, known = identity_of(record), read_erased(store.guarded)
    mine = [erasure for erasure in known.gone if erasure.project == key]
    open_still = (set(erasure.items) - state.erased or erasure.whole for erasure in mine)
    if known.unclean or any(open_still):
        return True
    names = {(store.url, key, erasure.called) for erasure in known.gone if erasure.mark} - _looked
    _looked.update(names)
    return bool(names)


def text_as_drawn(
    population: Population, state: LogState, item_id: str, kept: Content | None
) -> dict[str, str]:
    """What the store keeps of an item, else what the file says, a sentence where it was erased;
    ChangedTextError where it is not what the draw recorded."""
    if item_id in state.erased:
        first, *others = population.content_columns
        return {first: TEXT_GONE, **dict.fromkeys(others, "")}
    recorded = state.texts.get(item_id)
    if kept is None and recorded is not None and recorded.startswith(SALTED):
        raise ChangedTextError(
            f"The text of item {item_id!r} as it was drawn is no longer in the store, so it is "
            "not shown. Put back a backup of the store."
        )
    content = Content(population.content(item_id)) if kept is None else kept
    if recorded not in (None, content.digest(item_id)):
        raise ChangedTextError(
            f"The text of item {item_id!r} is not the one that was drawn: it was changed "
            "outside Labelcore, so it is not shown. Put back a backup of the store."
        )
    return dict(content.columns)
