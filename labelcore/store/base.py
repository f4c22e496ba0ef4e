"""What every store promises: projects, each with an append-only log of events.

The in-memory store is the definition of this interface; every other store gives the same answers
to the same calls (tests/contracts/test_stores.py).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from labelcore.errors import (
    ProjectExistsError,
    StoreError,
    StoreNotWritableError,
    UnknownProjectError,
)
from labelcore.log.events import Content, Event
from labelcore.log.people import DEFAULT_ANNOTATOR, free_name

Contents = Mapping[str, Content]
"""By the item's id."""
BUSY_SECONDS = 10.0
NO_CONTENTS: Contents = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class ProjectRecord:
    """What a project is made of, besides its log.

    name             unique in the store
    created_at       UTC, ISO 8601
    fingerprint      of the population
    plan_json        the plan, its exact text
    population_json  the file's path and the reading arguments, JSON text
    settings_json    question, instructions, keys ...: JSON text; the store does not look inside
    archived         put away, not deleted

    Only the name, ``population_json`` (another place of the same file), ``settings_json`` and
    ``archived`` can change after ``create``.
    """

    name: str
    created_at: str
    fingerprint: str
    plan_json: str
    population_json: str
    settings_json: str = "{}"
    archived: bool = False


@dataclass(frozen=True, slots=True)
class Seal:
    """How far a log had come: its number of events, the hash of the last, when that happened."""

    events: int
    hash: str
    at: str


@dataclass(frozen=True, slots=True)
class SealedProject:
    """A project by what never changes of it, and its seal; ``given_up`` are the seals of logs that
    were longer, or others, until somebody said that what they had is lost."""

    project: str
    seal: Seal
    given_up: tuple[Seal, ...] = ()


def identity(created_at: str, fingerprint: str, plan_json: str) -> str:
    """What stays when a project gets another name."""
    return hashlib.sha256(f"{created_at}\n{fingerprint}\n{plan_json}".encode()).hexdigest()[:32]


def beside(place: Path, end: str) -> Path:
    """What belongs to the store at a place, "labels.seals" beside "labels.db". One with another
    ending has its own, "labels.bak.seals", one without "labels-seals": it may be a copy that goes
    another way. What earlier versions named otherwise stays that of a store that has no such
    neighbour."""
    short = place.with_suffix(end)
    own = place.with_name(place.name + (end if place.suffix else end.replace(".", "-")))
    if place.suffix == ".db":
        return short
    alone = not own.exists() and not place.with_suffix(".db").exists()
    return short if alone and short.exists() else own


@contextmanager
def writable(file: Path) -> Iterator[None]:
    """Raise StoreNotWritableError where what is done meanwhile cannot write the file."""
    try:
        yield
    except OSError as error:
        words = f"{file} cannot be written: {error.strerror or error}"
        raise StoreNotWritableError(words) from error


class Copy(ABC):
    """What is known of logs outside of them: by ``identity`` how far each had come.

    what     it is, in words
    damage   why it cannot be read, or not be trusted; "" where it can
    forged   whether the store's own key did not sign it
    keys     that signed it, the first first
    """

    what: str
    projects: Mapping[str, SealedProject]
    damage = ""
    forged = False
    keys: Sequence[str] = ()

    def hashes(self, key: str) -> Sequence[str]:
        """Those of a log's events, in order, each as much of it as is known; empty where only the
        last is."""
        return ()


@dataclass(frozen=True, slots=True)
class Act:
    """A line of the audit trail: who did what. Never a content and never a key.

    what    a word, such as "came", "refused", "viewed", "exported", "erased"
    about   of which project, item, person or address
    hash    over the line before it and this one
    """

    sequence: int
    at: str
    who: str
    what: str
    about: str = ""
    hash: str = ""

    def chained(self, before: str) -> Act:
        line = [self.sequence, self.at, self.who, self.what, self.about]
        text = f"{before}\n{json.dumps(line, ensure_ascii=False)}"
        return replace(self, hash=hashlib.sha256(text.encode()).hexdigest())

    def row(self) -> dict[str, int | str]:
        """By the names of its fields; six times as fast as ``asdict``."""
        return {name: getattr(self, name) for name in self.__slots__}


def numbered(acts: Sequence[Act], last: Act | None) -> list[Act]:
    """Lines as they follow the last one of a trail."""
    lines: list[Act] = []
    number, before = (last.sequence, last.hash) if last else (0, "")
    for place, act in enumerate(acts, 1):
        lines.append(replace(act, sequence=number + place).chained(before))
        before = lines[-1].hash
    return lines


def acts_follow(acts: Sequence[Act], last: Act | None = None) -> int:
    """The first line of an audit trail, or of what follows its line ``last``, that does not follow
    from the one before it; 0 for none."""
    first, before = (last.sequence + 1, last.hash) if last else (1, "")
    for number, act in enumerate(acts, first):
        if act.sequence != number or act.chained(before) != act:
            return number
        before = act.hash
    return 0


@dataclass(frozen=True, slots=True)
class Erasure:
    """What leaves a project, in one step.

    events           that follow its log and say so
    items            whose stored texts go
    rewritten        events of the log without what is erased, each with its number and its hash
    people           {name that goes: the one that takes its place}; no browser has the key of such
                     a name any more
    settings         makes of those there the ones that stay; None: as they are
    population_json  instead of the one there; None: as it is
    """

    events: Sequence[Event] = ()
    items: Collection[str] = ()
    rewritten: Sequence[Event] = ()
    people: Mapping[str, str] = field(default_factory=dict)
    settings: Callable[[Settings], Settings] | None = None
    population_json: str | None = None


class ConflictError(Exception):
    """Another writer appended first: read the events after ``last`` again, then retry.

    Internal to labelcore; the session retries and no user meets it.
    """

    def __init__(self, sequence: int, last: int) -> None:
        self.sequence = sequence
        self.last = last
        super().__init__(f"event {sequence} is taken: the log already ends at event {last}")


class RepeatedTokenError(Exception):
    """``event``, of the project named ``project``, already holds a token of the batch.

    An event that answers the same token, or that minted the same token, is in the store. Of several
    it is the one that the earliest event of the batch repeats. Internal to labelcore.
    """

    def __init__(self, event: Event, project: str) -> None:
        self.event = event
        self.project = project
        super().__init__(
            f"event {event.sequence} of project {project!r} already has token "
            f"{event.token if event.answers is None else event.answers!r}"
        )


Settings = dict[str, Any]
"""What a project's ``settings_json`` says."""


class LabelStore(ABC):
    """Projects and their logs; usable from several threads.

    Every method may raise StoreError, which says what happened and what to do. Every method that
    takes the name of a project raises UnknownProjectError, which lists the names there are.
    """

    url: str

    @property
    def items_folder(self) -> Path | None:
        """Where items are kept that were no file; None where nothing outlives the process."""
        return None

    @property
    def problem(self) -> str:
        """Why labels are less safe than they should be, such as that no backup could be made; ""
        where all is well. They are stored all the same."""
        return ""

    @property
    def guarded(self) -> Path | None:
        """The file beside which seals and backups of the store lie, and after which they are named;
        there need not be one. None where nothing is kept."""
        return None

    def in_place(self) -> bool:
        """Whether what was opened is still what lies at the address."""
        return True

    def anchor(self, why: str) -> None:  # noqa: B027
        """Have the seals of now written to the anchor outside, soon, where there is one."""

    def copies(self, newest: int | None = None, anchor: str = "") -> Sequence[Copy]:
        """What is kept outside the database of how far logs had come: seals, so many backups and
        an anchor in a folder; all backups and any anchor where nothing is said. Ask before the logs
        are read: others may be adding to them.

        anchor   the place of one; "": that of the environment
        """
        return ()

    @abstractmethod
    def create(
        self, record: ProjectRecord, events: Sequence[Event] = (), contents: Contents = NO_CONTENTS
    ) -> None:
        """Add a project with its log, empty for one that begins: all of it or nothing.

        Raises ProjectExistsError when the name is taken, ValueError or TypeError for a bad record,
        and as ``append`` does.
        """

    @abstractmethod
    def project(self, name: str) -> ProjectRecord:
        """The project's record as it is now."""

    @abstractmethod
    def projects(self) -> list[ProjectRecord]:
        """Every project, archived ones too, the newest first."""

    @abstractmethod
    def update(
        self,
        name: str,
        *,
        settings_json: str | None = None,
        archived: bool | None = None,
        population_json: str | None = None,
    ) -> None:
        """Change settings, put the project away, or say where its file is now; None leaves a value
        as it is."""

    @abstractmethod
    def change_settings(self, name: str, change: Callable[[Settings], Settings]) -> Settings:
        """Let ``change`` make other settings of those of a project, with nobody in between who
        changes them, too; what they were before."""

    @abstractmethod
    def rename(self, old: str, new: str) -> None:
        """Give a project another name; its log is unchanged.

        Raises ProjectExistsError when ``new`` is the name of another project.
        """

    @abstractmethod
    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        """Add events to the log, and the items' texts with them: all of it or nothing.

        Durable when it returns. The first copy of an item's text stays. The first event's sequence
        number must follow the log's last one.

        Raises RepeatedTokenError when a token is in the store already (this is looked at first),
        ConflictError when the sequence number is taken, StoreError when it leaves a gap,
        ValueError or TypeError for an event that cannot be stored as it is.
        """

    @abstractmethod
    def events(self, project: str, after: int = 0) -> list[Event]:
        """The events with a sequence number above ``after``, in order."""

    @abstractmethod
    def last_sequence(self, project: str) -> int:
        """The sequence number of the last event, 0 for an empty log. Cheap enough to poll."""

    @abstractmethod
    def content(self, project: str, item_id: str) -> Content | None:
        """The item's text as it was when drawn, or None when it is not stored."""

    @abstractmethod
    def contents(self, project: str) -> dict[str, Content]:
        """{item_id: its text when drawn} of every item stored, in one reading."""

    @abstractmethod
    def person(self, project: str, key: str, at: str) -> str:
        """The name of the person with this key in the project.

        A new key gets the first free of "me", "me 2", "me 3", ... at the time ``at``: never the
        name of another key, nor one in the log, except for "me", which the first key gets.
        """

    @abstractmethod
    def people(self, project: str) -> dict[str, str]:
        """{name: when it was given} of every person who has a key, in that order."""

    @abstractmethod
    def keys(self, project: str) -> dict[str, tuple[str, str]]:
        """{key: (name, when it was given)} of every person who has a key, in that order."""

    @abstractmethod
    def admit(self, project: str, keys: Mapping[str, tuple[str, str]]) -> None:
        """Take over the keys of the project's copy in another store, with their names and times; a
        key that is there already stays as it is."""

    @abstractmethod
    def erase(self, project: str, erasure: Erasure) -> None:
        """Take something out of a project, all of it or nothing; ``cleanse`` makes sure of it.

        Raises ConflictError, as ``append`` does.
        """

    @abstractmethod
    def remove(self, project: str) -> None:
        """Take a whole project out, with its log."""

    @abstractmethod
    def acts(self, since: str = "") -> list[Act]:
        """The audit trail in order, from a time on; empty for a store that keeps none."""

    @abstractmethod
    def note_acts(self, acts: Sequence[Act]) -> list[Act]:
        """Add lines to the audit trail, which gives them their numbers and hashes; as they are
        kept."""

    def cleanse(self) -> None:  # noqa: B027
        """See to it that no byte of what was taken out is left where the store is kept.

        Raises StoreBusyError where others use it; until it is done again some may be.
        """

    def backup(self, path: Path) -> None:
        """Write a copy of the store, as it is at one moment, to a file that is a store itself.

        Raises StoreError for a store that ends with the process.
        """
        raise StoreError(f"{self.url} is kept nowhere; labelcore copy takes its projects to a file")

    def held(self) -> AbstractContextManager[None]:
        """Nobody else writes to the store meanwhile. Raises StoreBusyError."""
        return nullcontext()

    def put_back(self, backup: Path) -> str:
        """Let a backup be the store; what was there is set aside, which is said where."""
        raise StoreError(f"{self.url} is kept nowhere, so that no backup can be put back there")

    @abstractmethod
    def close(self) -> None:
        """Release files; any later call raises StoreError. Closing twice does nothing."""


def gone_key(key: str, name: str | None) -> str:
    """The key of a person: where their name is erased, one that no browser has."""
    return key if name is None else secrets.token_hex(32)


def name_for(given: Collection[str], in_log: Collection[str]) -> str:
    """The name of a person who is new: "me" may be in the log, of before there were keys."""
    return free_name({*given, *(set(in_log) - {DEFAULT_ANNOTATOR})})


def unknown_project(name: str, known: Sequence[str], url: str) -> UnknownProjectError:
    """The error for a name that is not in the store, listing those that are."""
    names = ", ".join(repr(project) for project in known) if known else "none yet"
    return UnknownProjectError(f"There is no project {name!r} in {url}. Projects there: {names}.")


def project_exists(name: str, created_at: str, fingerprint: str, url: str) -> ProjectExistsError:
    """The error for a name that is taken, saying by what."""
    return ProjectExistsError(
        f"A project {name!r} exists in {url}, created at {created_at} for the file with "
        f"fingerprint {fingerprint}. Open that project, or choose another name."
    )


def closed_store(url: str) -> StoreError:
    """The error for a call after ``close``."""
    return StoreError(f"The store {url} was closed. Open it again with open_store({url!r}).")


def follows(project: str, events: Sequence[Event], last: int) -> None:
    """Return quietly when ``events`` continue a log that ends at ``last``.

    Raises ConflictError when the sequence number is taken, StoreError when it would leave a gap:
    that happens when the store was put back to an older copy under a running session.
    """
    if not events or events[0].sequence == last + 1:
        return
    first = events[0].sequence
    if first <= last:
        raise ConflictError(first, last)
    raise StoreError(
        f"The log of project {project!r} ends at event {last}, so event {first} cannot follow it. "
        "The store was probably replaced by an older copy: open the project again, and check that "
        "no labels are missing."
    )
