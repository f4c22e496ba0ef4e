"""A store written out as text, a line of JSON for each thing, and read in again: exactly, whatever
either is kept in."""

import hashlib
import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import asdict
from typing import Any

from labelcore.errors import ProjectExistsError, StoreError
from labelcore.log.events import Content, Event
from labelcore.session.copying import Copied, copy_project
from labelcore.store import LabelStore, MemoryStore, ProjectRecord

FORM, VERSION = "labelcore dump", 1


def dump(store: LabelStore, write: Callable[[str], object], projects: Iterable[str] = ()) -> int:
    """Write projects, all where none is named, while others label; returns how many.

    Of each its record, its log with the hashes, the texts of its drawn items, and its people; not
    the items that lie beside the store. The last line has the SHA-256 of all before it.

    Raises UnknownProjectError, StoreError.
    """
    digest = hashlib.sha256()

    def line(**values: Any) -> None:
        text = json.dumps(values, ensure_ascii=True) + "\n"
        digest.update(text.encode())
        write(text)

    line(form=FORM, version=VERSION)
    named = [store.project(name) for name in dict.fromkeys(projects)]
    records = named or list(reversed(store.projects()))
    for record in records:
        line(project=asdict(record))
        events = store.events(record.name)  # Before the texts, of which others may add some.
        drawn = {event.item_id for event in events}
        for event in events:
            line(event=event.to_json())
        for item, content in store.contents(record.name).items():
            if item in drawn:
                line(item=item, columns=dict(content.columns), salt=content.salt)
        for key, (name, at) in store.keys(record.name).items():
            line(key=key, name=name, at=at)
    write(json.dumps({"projects": len(records), "sha256": digest.hexdigest()}) + "\n")
    return len(records)


def load(read: MemoryStore, store: LabelStore) -> list[Copied]:
    """Add the projects of a dump that was read to a store, as ``copy_project`` does.

    Raises BrokenLogError, ProjectExistsError.
    """
    return [copy_project(read, store, record.name) for record in reversed(read.projects())]


def read_dump(lines: Iterable[str]) -> MemoryStore:
    """A dump as a store in memory. Raises StoreError."""
    store, digest, number, last = MemoryStore(), hashlib.sha256(), 0, ""
    events: list[Event] = []
    contents: dict[str, Content] = {}
    people: dict[str, tuple[str, str]] = {}

    def finish() -> None:
        if last:
            store.append(last, events, contents)
            store.admit(last, people)
        for part in (events, contents, people):
            part.clear()

    for number, text in enumerate(lines, 1):
        with suppress(KeyError, TypeError, ValueError, ProjectExistsError):
            values = json.loads(text)
            if number == 1:
                if (values["form"], values["version"]) != (FORM, VERSION):
                    break
            elif "sha256" in values:
                finish()
                if values == {"projects": len(store.projects()), "sha256": digest.hexdigest()}:
                    return store
                break
            elif "project" in values:
                finish()
                record = ProjectRecord(**values["project"])
                store.create(record)
                last = record.name
            elif "event" in values:
                events.append(Event.from_json(values["event"]))
            elif "item" in values:
                contents[values["item"]] = Content(values["columns"], values["salt"])
            else:
                people[values["key"]] = values["name"], values["at"]
            digest.update(text.encode())
            continue
        break
    name = getattr(lines, "name", "this")
    raise StoreError(
        f"{name} is no whole dump of a store: line {number:,} is not as it was written, or the end "
        "is missing. Nothing was loaded"
    )
