"""Labels that come home: what the earlier waves of a monitor know of items that have not changed.

The waves of a monitor draw by the same seed, so that an item has the same place in the order of
draws for as long as it lives: permanent random numbers. What comes first in it in this wave came
first in the last one, and a label of the same id with the same contents need not be asked again.

Source: Brewer, Early and Joyce (1972); Ohlsson (1995).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from labelcore.errors import UnknownProjectError
from labelcore.log.history import told
from labelcore.store import LabelStore, ProjectRecord

MONITOR = "monitor"
CARRIED = "earlier wave"
"""Who gives a label that came home."""


def terms_of(record: ProjectRecord) -> Mapping[str, Any]:
    """What makes a project a wave: name of the monitor, name of the wave, terms; else nothing."""
    terms = json.loads(record.settings_json).get(MONITOR)
    return terms if isinstance(terms, Mapping) else {}


def waves_of(store: LabelStore, monitor: str) -> list[ProjectRecord]:
    """The projects that are waves of a monitor, the oldest first."""
    records = [record for record in store.projects() if terms_of(record).get("name") == monitor]
    return sorted(records, key=lambda record: int(terms_of(record)["number"]))


@dataclass(frozen=True, slots=True)
class Label:
    """A label of an earlier wave: the class, and the project whose store has the item."""

    answer: str
    project: str


class Home:
    """The labels of a monitor's waves before one, or of all, by item; the newest of each."""

    def __init__(self, store: LabelStore, monitor: str, before: int | None = None) -> None:
        self._store, self._monitor, self._before = store, monitor, before

    @classmethod
    def of(cls, store: LabelStore, record: ProjectRecord) -> Home:
        """That of a project; without labels where it is no wave."""
        terms = terms_of(record)
        return cls(store, str(terms.get("name", "")), int(terms.get("number", 0)))

    @cached_property
    def labels(self) -> dict[str, Label]:
        labels: dict[str, Label] = {}
        for record in waves_of(self._store, self._monitor) if self._before != 0 else []:
            if self._before is not None and int(terms_of(record)["number"]) >= self._before:
                break
            log = self._store.events(record.name)
            book = told(log, record.fingerprint, record.plan_json).book
            for index in range(1, len(book.asked) + 1):
                event = book.in_force(index)
                if event is not None and event.label is not None and event.item_id is not None:
                    labels[event.item_id] = Label(event.label, record.name)
        return labels

    def shown(self, item_id: str) -> Mapping[str, str] | None:
        """What was shown of an item that has a label; None where nobody knows any more."""
        if item_id not in self.labels:
            return None
        try:
            content = self._store.content(self.labels[item_id].project, item_id)
        except UnknownProjectError:  # The wave has another name since, or was erased.
            del self.labels
            return self.shown(item_id)
        return None if content is None else dict(content.columns)

    def label(self, item_id: str, content: Mapping[str, str]) -> str | None:
        """The label of an unchanged item; None where there is none."""
        unchanged = self.shown(item_id) == dict(content)
        return self.labels[item_id].answer if unchanged else None
