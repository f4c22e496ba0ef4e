"""What of a store is whole and what is lost: database, logs, texts, kept items, backups."""

import hashlib
import json
from collections.abc import Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from labelcore.errors import DamagedStoreError, StoreError
from labelcore.log.events import ANSWER_KINDS, SALTED, genesis, sound_part
from labelcore.log.history import told
from labelcore.population.read import source_now
from labelcore.population.snapshots import is_snapshot, open_snapshot
from labelcore.session.backups import newest_backup
from labelcore.session.compared import HeldAgainst, held_against
from labelcore.session.item_texts import erased_items
from labelcore.session.ledger import differs
from labelcore.session.projects import first_words
from labelcore.store import (
    AS_IT_STANDS,
    AnchorCopy,
    BackupCopy,
    Copy,
    LabelStore,
    ProjectRecord,
    SealedProject,
    acts_follow,
    back_up_now,
    contents_path,
    damage_in,
    difference,
    faults_of,
    identity_of,
    lost_projects,
    made_at,
    open_store,
    places_of,
    read_erased,
    remains_of,
    seal_anew,
)


@dataclass(frozen=True, slots=True)
class ProjectState:
    """What of a project is whole.

    events, answers   that the store has; sound: events before the first that does not follow
    wrong             what is wrong with its log, "" where nothing is
    missing           events that the log had by its seal and has not, 0 where nothing is known
    changed_texts     items whose stored text is not the one that was shown, or is gone and was not
                        erased
    items             what is wrong with what is kept of its items, "" where nothing is or none is
    source            what became of the file or table that its items were read from, "" where
                      nothing did, or where they were a table in memory. Of the project only items
                      that are still to be drawn may rest on it
    beside            words beside its log that are not those that it began with, and are not used
    held              what its log was held against
    """

    project: str
    events: int
    answers: int
    sound: int
    wrong: str
    missing: int
    changed_texts: int
    items: str
    source: str
    beside: str
    held: HeldAgainst

    @property
    def whole(self) -> bool:
        return not (self.wrong or self.changed_texts or self.items or self.beside)


@dataclass(frozen=True, slots=True)
class Integrity:
    """What of a store is whole.

    damage      what is wrong with the database itself, "" where nothing is
    projects    every project that could be read
    lost        projects that were sealed and are not in the database any more
    faults      what is wrong with seals, backups and anchor
    backup      the newest automatic backup that can be put back, and when it was made
    """

    damage: str
    projects: tuple[ProjectState, ...]
    lost: tuple[SealedProject, ...]
    faults: tuple[str, ...]
    backup: Path | None
    backup_at: datetime | None

    @property
    def whole(self) -> bool:
        return not (self.damage or self.lost or self.faults) and all(
            project.whole for project in self.projects
        )


def verify(url: str, anchor: str = "") -> Integrity:
    """Read all of a store: every page of the database, every event, text and kept file; its logs
    are held against seals, backups and anchor.

    anchor   another one than that of the environment, which then has to be there

    Raises MissingStoreError where there is none, StoreError where it is not damaged and cannot be
    read all the same, ValueError for a bad address.
    """
    damage, projects = damage_in(url), []
    lost: tuple[SealedProject, ...] = ()
    faults: list[str] = []
    try:
        with closing(open_store(url, create=False)) as store:
            copies, records = store.copies(anchor=anchor), store.projects()
            gone = [project.project for project in read_erased(store.guarded).gone if project.whole]
            lost = lost_projects(records, copies, gone)
            for record in records:
                projects.append(_state(store, record, copies))
            if line := acts_follow(store.acts()):
                faults.append(f"line {line:,} of the audit trail was changed outside Labelcore")
            if store.guarded is not None:
                logs = {identity_of(record): store.events(record.name) for record in records}
                faults += faults_of(copies, logs, store.guarded)
                if anchor:
                    faults += _unread(copies)
                faults += _broken(copy for copy in copies if isinstance(copy, BackupCopy))
    except StoreError as error:
        if not (damage or isinstance(error, DamagedStoreError)):
            raise
        damage = damage or str(error)
    try:
        backup = newest_backup(url)
    except (StoreError, ValueError):
        backup = None
    at = made_at(backup) if backup else None
    return Integrity(damage, tuple(projects), lost, tuple(dict.fromkeys(faults)), backup, at)


def _unread(copies: Iterable[Copy]) -> list[str]:
    """An anchor that somebody named, and that cannot be read."""
    anchors = (copy for copy in copies if isinstance(copy, AnchorCopy) and copy.damage)
    return [f"{copy.what} cannot be read ({copy.damage})" for copy in anchors]


def _broken(copies: Iterable[BackupCopy]) -> list[str]:
    """Backups with a log that does not follow."""
    faults = []
    for copy in copies:
        with remains_of(copy.file, AS_IT_STANDS) as remains:
            for project, record in remains.records():
                log = list(remains.events(project, 0))
                sound = sound_part(log, genesis(record.fingerprint, record.plan_json))
                if len(sound) < copy.projects[identity_of(record)].seal.events:
                    faults.append(f"{copy.what} was changed outside Labelcore")
    return faults


def accept(url: str, anchor: str = "") -> Integrity:
    """Seal every log as it is now: what a longer or another one had is given up, which the seals
    keep in mind. A log that does not follow stays closed. Returns ``verify`` of it.

    Raises ValueError for a store that is kept nowhere, MissingStoreError, StoreError.
    """
    with closing(open_store(url, create=False)) as store:
        if store.guarded is None:
            raise ValueError(f"{url} is kept nowhere, so its logs are not sealed")
        seal_anew(store)
        back_up_now(store.guarded, store.backup)
        store.anchor("accept")
    return verify(url, anchor)


def _state(store: LabelStore, record: ProjectRecord, copies: Sequence[Copy]) -> ProjectState:
    log = store.events(record.name)
    sound = sound_part(log, genesis(record.fingerprint, record.plan_json))
    wrong, missing = "", 0
    if len(sound) < len(log):
        wrong = f"event {len(sound) + 1:,} was changed outside Labelcore"
    else:
        key = identity_of(record)
        if gap := difference(log, copies, key):
            wrong = differs(gap, key, len(log))
            if gap.first > len(log):
                missing = gap.copy.projects[key].seal.events - len(log)
    texts = {
        str(event.item_id): str(event.detail["content"])
        for event in sound
        if "content" in event.detail
    }
    kept = store.contents(record.name)
    gone = told(sound, record.fingerprint, record.plan_json).erased
    gone.update(erased_items(store, record.name))
    changed = sum(
        kept[item].digest(item) != digest
        if item in kept
        else digest.startswith(SALTED) and item not in gone
        for item, digest in texts.items()
    )
    words = first_words(record)
    began = next((event.detail for event in sound if event.kind == "worded"), words)
    beside = ", ".join(name for name in {**words, **began} if words.get(name) != began.get(name))
    answers = sum(event.kind in ANSWER_KINDS for event in log)
    items = _items(store, record)
    source = "" if items else _source(store, record)
    return ProjectState(
        record.name,
        len(log),
        answers,
        len(sound),
        wrong,
        missing,
        changed,
        items,
        source,
        beside,
        held_against(copies, identity_of(record)),
    )


def _source(store: LabelStore, record: ProjectRecord) -> str:
    folder, places = store.items_folder, places_of(record)
    source = json.loads(record.population_json)
    if folder is None or not places or not is_snapshot(places[0]) or source.get("table"):
        return ""
    contents = contents_path(record, folder)
    return source_now(open_snapshot(folder / places[0], contents, Path(source["path"])))


def _items(store: LabelStore, record: ProjectRecord) -> str:
    """What is wrong with what is kept of a project's items: its folder is named by what is in
    it."""
    if store.items_folder is None:
        return ""
    for place in places_of(record):
        file = store.items_folder / place
        if not file.exists():
            return f"the kept copy of its items is missing: {file}"
        with file.open("rb") as stream:
            digest = hashlib.file_digest(stream, "sha256").hexdigest()
        if not digest.startswith(file.parent.name):
            return f"the kept copy of its items was changed: {file}"
        if is_snapshot(place):
            with suppress(ValueError, OSError):
                kept = open_snapshot(file)
                if kept.fingerprint == record.fingerprint:
                    arguments = json.loads(record.population_json)["arguments"]
                    if json.loads(json.dumps(dict(kept.arguments))) != arguments:
                        return "how its items were read was changed beside its log, and is not used"
                    continue
            return f"the kept copy of its items is another one: {file}"
    return ""
