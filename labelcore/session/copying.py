"""Projects copied from one store to another, whatever the two are kept in."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from labelcore.errors import BrokenLogError, ProjectExistsError, StoreBusyError, UnknownProjectError
from labelcore.log.events import Event, common, genesis, sound_part
from labelcore.session.erasing import remove_places, take_over_erasures
from labelcore.store import (
    LabelStore,
    MemoryStore,
    ProjectRecord,
    alone_in,
    copy_items,
    identity_of,
    places_of,
)


@dataclass(frozen=True, slots=True)
class Copied:
    """What was copied of a project: events that were not there yet, and the last one's hash."""

    project: str
    events: int
    there: int
    seal: str


def copy_project(source: LabelStore, target: LabelStore, name: str) -> Copied:
    """Copy a project with its log, the texts of drawn items, who its people are, and the items that
    are kept beside the store. The hashes stay: the copy replays as the original does.

    Where the target has the project already, as far as it was at an earlier moment, what was added
    since is copied, and what was erased since is erased there.

    Raises BrokenLogError where the log was changed outside Labelcore, ProjectExistsError where the
    target has another project of this name or one that went on by itself, UnknownProjectError,
    StoreError.
    """
    record, events = source.project(name), source.events(name)
    sound = sound_part(events, genesis(record.fingerprint, record.plan_json))
    if len(sound) < len(events):
        raise BrokenLogError(name, len(sound) + 1)
    there = _there(target, record, events)
    new = events[there or 0 :]
    drawn = {event.item_id for event in new}
    kept = source.contents(name) if new else {}
    texts = {key: text for key, text in kept.items() if key in drawn}
    with alone_in(target.items_folder):  # Nobody erases these now.
        if there is None or places_of(target.project(name)) == places_of(record):
            copy_items([record], source.items_folder, target.items_folder)
            if not _still_there(source, record):
                remove_places(target, places_of(record))
                raise StoreBusyError(f"project {name!r} was erased meanwhile; copy it again")
        if there is None:
            target.create(_placed(record, target), new, texts)
        else:
            target.update(name, settings_json=record.settings_json, archived=record.archived)
            target.append(name, new, texts)
    if there:
        take_over_erasures(target, name, events)
    target.admit(name, source.keys(name))
    return Copied(name, len(new), there or 0, events[-1].hash if events else "")


def _still_there(store: LabelStore, record: ProjectRecord) -> bool:
    """Whether a project has still the items that it had, so that those just copied were there."""
    records = [other for other in store.projects() if other.name == record.name]
    return [places_of(other) for other in records] == [places_of(record)]


class Rehearsal(MemoryStore):
    """Projects of a store as they are now, with their items where these are: what is done here is
    done there never."""

    def __init__(self, store: LabelStore, records: Iterable[ProjectRecord]) -> None:
        super().__init__()
        self._items: Path | None = None
        for record in records:
            copy_project(store, self, record.name)
        self._items = store.items_folder

    @property
    def items_folder(self) -> Path | None:
        return self._items


def _there(target: LabelStore, record: ProjectRecord, events: list[Event]) -> int | None:
    """How many of the events the target has already; None where it has no such project."""
    try:
        known = target.project(record.name)
    except UnknownProjectError:
        names = {identity_of(other): other.name for other in target.projects()}
        if (called := names.get(identity_of(record))) is None:
            return None
        raise ProjectExistsError(
            f"{target.url} has project {record.name!r} already, as project {called!r}; rename one "
            "of the two, or copy to another store"
        ) from None
    if (known.fingerprint, known.plan_json) != (record.fingerprint, record.plan_json):
        raise ProjectExistsError(
            f"project {record.name!r} in {target.url} has another file or another plan; copy to "
            "another store, or rename one of the two"
        )
    have = target.events(record.name)
    if common([event.hash for event in have], [event.hash for event in events]) < len(have):
        raise ProjectExistsError(
            f"project {record.name!r} in {target.url} went on by itself: its log is not the "
            "beginning of this one, and neither was changed"
        )
    return len(have)


def _placed(record: ProjectRecord, target: LabelStore) -> ProjectRecord:
    """The record with the items of a table where the target keeps them."""
    values = json.loads(record.population_json)
    if not (values.get("table") and "kept" in values and target.items_folder is not None):
        return record
    values["path"] = str(target.items_folder / values.get("contents", values["kept"]))
    return replace(record, population_json=json.dumps(values, ensure_ascii=False))
