"""Backups of a store: made while it is in use, and put back with a word on what that would lose."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

from labelcore.errors import MissingStoreError, StoreError
from labelcore.log.events import ANSWER_KINDS, Event, genesis, sound_part
from labelcore.store import (
    LabelStore,
    ProjectRecord,
    Salvaged,
    Seal,
    backups,
    backups_folder,
    copy_items,
    database_of,
    held,
    identity_of,
    open_store,
    places_of,
    put_back,
    put_into,
    salvaged,
    seal_anew,
    shown,
)

TEMPORARY = "labelcore-backup-"


@dataclass(frozen=True, slots=True)
class KeptProject:
    """A project of a store, as far as its log can be trusted.

    events     of its log; answers: how many of them are answers
    seal       the hash of the last event that follows from those before it, "" without any
    broken_at  the first event that was changed outside Labelcore, 0 for a sound log
    """

    project: str
    events: int
    answers: int
    seal: str
    broken_at: int


@dataclass(frozen=True, slots=True)
class Difference:
    """What a backup does to a project of the store whose place it takes.

    kept                        events that both have
    lost, lost_answers, since   events, and answers among them, that only the store has, and when
                                the first of them happened ("" for none)
    back, back_answers          events, and answers among them, that only the backup has
    """

    project: str
    kept: int
    lost: int
    lost_answers: int
    since: str
    back: int
    back_answers: int


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of a store.

    projects     of the backup, and of the store from now on
    differences  project by project; None where the store that was there could not be read
    unreadable   why not, "" otherwise
    aside        where the database that was there lies now; None where there was none
    backup       the file that was put back
    recovered    {project: answers of the store that was there, given after the backup was made}
    """

    projects: tuple[KeptProject, ...]
    differences: tuple[Difference, ...] | None
    unreadable: str
    aside: Path | None
    backup: Path
    recovered: Mapping[str, int] = field(default_factory=dict)


class LosesLabelsError(StoreError):
    """Putting a backup back would lose what is only in the store; nothing was changed."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        told = "; ".join(
            f"{one.project!r}: {one.lost:,} events with {one.lost_answers:,} answers since "
            f"{one.since}"
            for one in differences
        )
        super().__init__(
            f"the store has what this backup has not, and would lose it: {told}. Nothing was "
            "changed. With --force it is put back all the same, and the store of now is set aside"
        )


def kept_projects(store: LabelStore) -> tuple[KeptProject, ...]:
    """Every project of a store, its log read from the first event on."""
    return tuple(_kept(record, store.events(record.name)) for record in store.projects())


def _kept(record: ProjectRecord, events: Sequence[Event]) -> KeptProject:
    sound = sound_part(events, genesis(record.fingerprint, record.plan_json))
    return KeptProject(
        record.name,
        len(events),
        _answers(events),
        sound[-1].hash if sound else "",
        0 if len(sound) == len(events) else len(sound) + 1,
    )


def _answers(events: Sequence[Event]) -> int:
    return sum(one.kind in ANSWER_KINDS for one in events)


def back_up(
    store: LabelStore, path: str | os.PathLike[str], *, force: bool = False
) -> tuple[KeptProject, ...]:
    """Copy a store, as it is at one moment, to a file that is a store itself, and read that back.

    The items that lie beside the store come along; a file of items that lies elsewhere does not.

    store   may be in use
    path    of the copy; its items lie beside it, as those of any store do
    force   whether a file that is there is replaced

    Raises ValueError for a file that is there, StoreError.
    """
    file = Path(os.path.abspath(path))
    if file.exists() and not force:
        raise ValueError(f"{file} exists already; give --force to write over it")
    store.backup(file)
    with closing(_opened(file)) as copy:
        copy_items(copy.projects(), store.items_folder, copy.items_folder)
        return kept_projects(copy)


def newest_backup(url: str) -> Path:
    """The newest automatic backup of the store at an address that can be read, with sound logs.

    Raises MissingStoreError where there is none, ValueError for an address that is no file's.
    """
    database = _database(url)
    for file in backups(database):
        try:
            with (
                tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder,
                closing(_copied(file, Path(folder) / "looked_at.db")) as copy,
            ):
                if not any(one.broken_at for one in kept_projects(copy)):
                    return file
        except StoreError:
            continue
    raise MissingStoreError(
        f"{backups_folder(database)} has no backup that can be read. Name one: labelcore restore "
        f"BACKUP --store {url}"
    )


def _database(url: str) -> Path:
    database = database_of(url)
    if database is None:
        raise ValueError(f"{shown(url)} is no store in a file, so it has no backups beside it")
    return database


def restore(
    backup: str | os.PathLike[str] | None, url: str, *, force: bool = False, recover: bool = False
) -> Restored:
    """Let a backup be the store at an address.

    The backup itself is not changed. The store that was there is set aside, and whoever has it open
    is refused from then on.

    backup   None: the newest automatic one
    force    whether it is put back though events of the store would be lost, though it cannot be
             read what would be, and though a log of the backup was changed outside Labelcore
    recover  whether what the store still has is added, as far as it follows from the backup. Then
             what cannot be added is no reason to refuse, unless the store is sound

    Raises LosesLabelsError, ValueError for an address that is no file's, MissingStoreError where
    there is no backup, StoreError.
    """
    file = newest_backup(url) if backup is None else Path(os.path.abspath(backup))
    found: list[Salvaged] = []
    with tempfile.TemporaryDirectory(prefix=TEMPORARY) as folder:
        # Opening a store may bring it up to date, and a backup stays as it is.
        looked_at = Path(folder) / "looked_at.db"
        with closing(_copied(file, looked_at)) as copy:
            projects, records = kept_projects(copy), copy.projects()
            if recover:
                found = salvaged(_database(url), copy)
            differences, unreadable = _differences(copy, url, found)
        if not (recover and (unreadable or _unsound(url))):
            _refuse(projects, differences, unreadable, force=force)
        for record in records:
            places_of(record)  # Raises while nothing is changed yet.
        with held(url):
            if recover:
                # Again: others have answered meanwhile, and can do so no more.
                with closing(_opened(looked_at)) as copy:
                    found = [one for one in salvaged(_database(url), copy) if put_into(copy, one)]
                    projects = kept_projects(copy)
            aside = put_back(looked_at if found else file, url)
    with closing(open_store(url, create=False)) as store:
        copy_items(records, file.with_suffix(".items"), store.items_folder)
    seal_anew(_database(url), aside)
    recovered = {one.record.name: _answers(one.events) for one in found if one.events}
    return Restored(projects, differences, unreadable, aside, file, recovered)


def _unsound(url: str) -> bool:
    """Whether a log of the store does not follow, or is not as it was sealed."""
    try:
        with closing(open_store(url, create=False)) as store:
            return any(
                one.broken_at or differs(store.seal(one.project), store.events(one.project))
                for one in kept_projects(store)
            )
    except StoreError:
        return True


def differs(seal: Seal | None, log: Sequence[Event]) -> bool:
    """Whether a log is shorter than it was, or another one."""
    if seal is None:
        return False
    return len(log) < seal.events or log[seal.events - 1].hash != seal.hash


def _copied(file: Path, to: Path) -> LabelStore:
    put_back(file, f"sqlite:///{to}")
    return _opened(to)


def _opened(file: Path) -> LabelStore:
    return open_store(f"sqlite:///{file}", create=False)


def _refuse(
    projects: Sequence[KeptProject],
    differences: Sequence[Difference] | None,
    unreadable: str,
    *,
    force: bool,
) -> None:
    if force:
        return
    losing = [one for one in differences or () if one.lost]
    if losing:
        raise LosesLabelsError(losing)
    if unreadable:
        raise StoreError(
            "the store that is there cannot be read, so that nobody can tell what would be lost: "
            f"{unreadable} With --force the backup is put back all the same, and that store is set "
            "aside"
        )
    for one in projects:
        if one.broken_at:
            raise StoreError(
                f"the log of project {one.project!r} in the backup was changed outside Labelcore: "
                f"event {one.broken_at} is the first that does not follow. Take another backup, or "
                "give --force"
            )


def _differences(
    backup: LabelStore, url: str, found: Sequence[Salvaged]
) -> tuple[tuple[Difference, ...] | None, str]:
    """What the backup, with what was salvaged, does to each project of the store at ``url``, and
    why that is not known."""
    more = {identity_of(one.record): one.events for one in found}
    try:
        with closing(open_store(url, create=False)) as store:
            ours = {identity_of(one): one for one in backup.projects()}
            theirs = {identity_of(one): one for one in store.projects()}
            both = {**theirs, **ours}
            return tuple(
                _difference(
                    one.name,
                    store.events(theirs[key].name) if key in theirs else [],
                    [
                        *(backup.events(ours[key].name) if key in ours else []),
                        *more.get(key, ()),
                    ],
                )
                for key, one in both.items()
            ), ""
    except MissingStoreError:
        return (), ""
    except StoreError as error:
        return None, str(error)


def _difference(name: str, store: Sequence[Event], backup: Sequence[Event]) -> Difference:
    same = [mine.hash == its.hash for mine, its in zip(store, backup, strict=False)]
    kept = same.index(False) if False in same else len(same)
    lost, back = store[kept:], backup[kept:]
    since = lost[0].at if lost else ""
    return Difference(name, kept, len(lost), _answers(lost), since, len(back), _answers(back))
