"""A store that lives as long as the process: the definition of the interface."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from copy import deepcopy
from dataclasses import dataclass, field, replace
from threading import RLock

from labelcore.log.events import Content, Event
from labelcore.store.base import (
    BUSY_SECONDS,
    NO_CONTENTS,
    Act,
    Contents,
    Erasure,
    LabelStore,
    ProjectRecord,
    RepeatedTokenError,
    Settings,
    closed_store,
    follows,
    gone_key,
    name_for,
    numbered,
    project_exists,
    unknown_project,
)
from labelcore.store.checks import (
    check_changes,
    check_name,
    check_person,
    check_record,
    checked_contents,
    checked_events,
    tokens,
)


@dataclass(slots=True)
class _Project:
    record: ProjectRecord
    number: int
    events: list[Event] = field(default_factory=list)
    contents: dict[str, Content] = field(default_factory=dict)
    people: dict[str, tuple[str, str]] = field(default_factory=dict)


class MemoryStore(LabelStore):
    """Keeps everything in memory; nothing outlives the process.

    >>> store = MemoryStore()
    >>> store.create(ProjectRecord("spam", "2026-01-01T00:00:00+00:00", "f1", "{}", "{}"))
    >>> event = Event(1, "noted", "2026-01-01T00:00:01.000000+00:00", "me", text="hello")
    >>> store.append("spam", [event])
    >>> store.last_sequence("spam"), store.events("spam")[0].text
    (1, 'hello')
    """

    def __init__(
        self,
        url: str = "memory://",
        *,
        create: bool = True,
        busy_seconds: float = BUSY_SECONDS,
    ) -> None:
        self.url = url
        self._projects: dict[str, _Project] = {}
        self._tokens: dict[tuple[str, str], tuple[_Project, Event]] = {}
        self._acts: list[Act] = []
        self._created = 0
        self._closed = False
        self._lock = RLock()

    def create(
        self, record: ProjectRecord, events: Sequence[Event] = (), contents: Contents = NO_CONTENTS
    ) -> None:
        check_record(record)
        with self._open():
            self._refuse_taken(record.name)
            self._created += 1
            self._projects[record.name] = _Project(record, self._created)
            with ExitStack() as undone:
                undone.callback(self._projects.pop, record.name)
                self.append(record.name, events, contents)
                undone.pop_all()

    def project(self, name: str) -> ProjectRecord:
        with self._open():
            return self._find(name).record

    def projects(self) -> list[ProjectRecord]:
        with self._open():
            newest_first = sorted(
                self._projects.values(),
                key=lambda project: (project.record.created_at, project.number),
                reverse=True,
            )
            return [project.record for project in newest_first]

    def update(
        self,
        name: str,
        *,
        settings_json: str | None = None,
        archived: bool | None = None,
        population_json: str | None = None,
    ) -> None:
        check_changes(settings_json, archived, population_json)
        with self._open():
            project = self._find(name)
            record = project.record
            project.record = replace(
                record,
                settings_json=record.settings_json if settings_json is None else settings_json,
                archived=record.archived if archived is None else archived,
                population_json=(
                    record.population_json if population_json is None else population_json
                ),
            )

    def change_settings(self, name: str, change: Callable[[Settings], Settings]) -> Settings:
        with self._open():
            before: Settings = json.loads(self._find(name).record.settings_json)
            self.update(name, settings_json=json.dumps(change({**before}), ensure_ascii=False))
            return before

    def rename(self, old: str, new: str) -> None:
        check_name(new)
        with self._open():
            project = self._find(old)
            if new != old:
                self._refuse_taken(new)
            del self._projects[old]
            project.record = replace(project.record, name=new)
            self._projects[new] = project

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        kept = checked_events(events)
        texts = checked_contents(contents)
        with self._open():
            kept_project = self._find(project)
            self._refuse_repeated(kept)
            follows(project, kept, len(kept_project.events))
            kept_project.events.extend(kept)
            for event in kept:
                self._tokens.update(dict.fromkeys(tokens(event), (kept_project, event)))
            for item_id, content in texts.items():
                kept_project.contents.setdefault(item_id, content)

    def events(self, project: str, after: int = 0) -> list[Event]:
        with self._open():
            kept = self._find(project).events[max(after, 0) :]
        return [replace(event, detail=deepcopy(event.detail)) for event in kept]

    def last_sequence(self, project: str) -> int:
        with self._open():
            return len(self._find(project).events)

    def content(self, project: str, item_id: str) -> Content | None:
        with self._open():
            return deepcopy(self._find(project).contents.get(item_id))

    def contents(self, project: str) -> dict[str, Content]:
        with self._open():
            return deepcopy(self._find(project).contents)

    def person(self, project: str, key: str, at: str) -> str:
        check_person(key, at)
        with self._open():
            kept_project = self._find(project)
            if key not in kept_project.people:
                given = {name for name, _ in kept_project.people.values()}
                in_log = {event.annotator for event in kept_project.events}
                kept_project.people[key] = name_for(given, in_log), at
            return kept_project.people[key][0]

    def people(self, project: str) -> dict[str, str]:
        with self._open():
            return dict(self._find(project).people.values())

    def keys(self, project: str) -> dict[str, tuple[str, str]]:
        with self._open():
            return dict(self._find(project).people)

    def admit(self, project: str, keys: Mapping[str, tuple[str, str]]) -> None:
        for key, (_, at) in keys.items():
            check_person(key, at)
        with self._open():
            kept_project = self._find(project)
            kept_project.people = {**keys, **kept_project.people}

    def erase(self, project: str, erasure: Erasure) -> None:
        kept = checked_events(erasure.events)
        with self._open():
            kept_project = self._find(project)
            follows(project, kept, len(kept_project.events))
            for event in erasure.rewritten:
                kept_project.events[event.sequence - 1] = event
            kept_project.events.extend(kept)
            for item in erasure.items:
                kept_project.contents.pop(item, None)
            kept_project.people = {
                gone_key(key, erasure.people.get(name)): (erasure.people.get(name, name), at)
                for key, (name, at) in kept_project.people.items()
            }
            self.update(project, population_json=erasure.population_json)
            if erasure.settings is not None:
                self.change_settings(project, erasure.settings)

    def acts(self, since: str = "") -> list[Act]:
        with self._open():
            return [act for act in self._acts if act.at >= since]

    def note_acts(self, acts: Sequence[Act]) -> list[Act]:
        with self._open():
            lines = numbered(acts, self._acts[-1] if self._acts else None)
            self._acts.extend(lines)
            return lines

    def remove(self, project: str) -> None:
        with self._open():
            gone = self._find(project)
            del self._projects[project]
            self._tokens = {key: pair for key, pair in self._tokens.items() if pair[0] is not gone}

    def close(self) -> None:
        with self._lock:
            self._closed = True

    @contextmanager
    def _open(self) -> Iterator[None]:
        with self._lock:
            if self._closed:
                raise closed_store(self.url)
            yield

    def _find(self, name: str) -> _Project:
        if name not in self._projects:
            raise unknown_project(name, sorted(self._projects), self.url)
        return self._projects[name]

    def _refuse_taken(self, name: str) -> None:
        if name in self._projects:
            record = self._projects[name].record
            raise project_exists(name, record.created_at, record.fingerprint, self.url)

    def _refuse_repeated(self, events: Sequence[Event]) -> None:
        for event in events:
            for key in tokens(event):
                if key in self._tokens:
                    project, first = self._tokens[key]
                    raise RepeatedTokenError(first, project.record.name)
