"""Backups of a store: made while it is in use, and put back with a word on what that would lose."""

import os
import shutil
import tempfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field
from pathlib import Path

from labelcore.errors import MissingStoreError, StoreError
from labelcore.log.events import ANSWER_KINDS, Event, common, genesis, sound_part
from labelcore.population.copies import copies_folder
from labelcore.session.erasing import erase_again
from labelcore.store import (
    Act,
    LabelStore,
    ProjectRecord,
    Salvaged,
    act,
    announce,
    backups,
    backups_folder,
    beside,
    command_user,
    copy_items,
    difference,
    guarded,
    held,
    identity_of,
    note_beside,
    note_written,
    open_store,
    places_of,
    put_back,
    put_into,
    read_erased,
    salvaged,
    seal_anew,
    shown,
)


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
    gone                        whether the backup has no such project
    """

    project: str
    kept: int
    lost: int
    lost_answers: int
    since: str
    back: int
    back_answers: int
    gone: bool = False


@dataclass(frozen=True, slots=True)
class Restored:
    """What became of a store.

    projects     of the backup, and of the store from now on
    differences  project by project; None where the store that was there could not be read
    unreadable   why not, "" otherwise
    aside        where what was there lies now; None where there was nothing
    backup       the file that was put back
    recovered    {project: answers of the store that was there, given after the backup was made}
    """

    projects: tuple[KeptProject, ...]
    differences: tuple[Difference, ...] | None
    unreadable: str
    aside: str | None
    backup: Path
    recovered: Mapping[str, int] = field(default_factory=dict)


class LosesLabelsError(StoreError):
    """Putting a backup back would lose what is only in the store; nothing was changed."""

    def __init__(self, differences: Sequence[Difference]) -> None:
        self.differences = tuple(differences)
        losses = "; ".join(
            f"{loss.project!r}: {loss.lost:,} events with {loss.lost_answers:,} answers since "
            f"{loss.since}"
            if loss.lost
            else f"{loss.project!r}, which is not in the backup"
            for loss in differences
        )
        super().__init__(
            f"the store has what this backup has not, and would lose it: {losses}. Nothing was "
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
    return sum(event.kind in ANSWER_KINDS for event in events)


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

    Raises MissingStoreError where there is none, ValueError for a store that is kept nowhere.
    """
    place = guarded(url)
    if place is None:
        raise ValueError(f"{shown(url)} is kept nowhere, so it has no backups")
    for file in backups(place):
        try:
            with (
                tempfile.TemporaryDirectory(dir=copies_folder()) as folder,
                closing(_copied(file, Path(folder) / "looked_at.db")) as copy,
            ):
                if not any(project.broken_at for project in kept_projects(copy)):
                    return file
        except StoreError:
            continue
    raise MissingStoreError(
        f"{backups_folder(place)} has no backup that can be read. Name one: labelcore restore "
        f"BACKUP --store {url}"
    )


def restore(
    backup: str | os.PathLike[str] | None,
    url: str,
    *,
    force: bool = False,
    recover: bool = False,
    who: str = "",
) -> Restored:
    """Let a backup be the store at an address.

    The backup itself is not changed. The store that was there is set aside, and whoever has it open
    is refused from then on.

    backup   None: the newest automatic one
    force    whether it is put back though events of the store would be lost, though it cannot be
             read what would be, and though a log of the backup was changed outside Labelcore
    who      puts it back, for the audit trail, which goes on where the store that was there had it
    recover  whether what the store still has is added, as far as it follows from the backup. Then
             what cannot be added is no reason to refuse, unless the store is sound

    Raises LosesLabelsError, ValueError for a store that is kept nowhere, MissingStoreError where
    there is no backup, StoreError.
    """
    if url.startswith("memory://"):
        raise ValueError("memory:// is kept nowhere, so that no backup can be put back there")
    file = newest_backup(url) if backup is None else Path(os.path.abspath(backup))
    rescue: list[Salvaged] = []
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        # Opening a store may bring it up to date, and a backup stays as it is.
        looked_at = Path(folder) / "looked_at.db"
        with closing(_copied(file, looked_at)) as copy:
            projects, records = kept_projects(copy), copy.projects()
            if recover:
                rescue = salvaged(url, copy)
            differences, unreadable = _differences(copy, url, rescue)
        if not (recover and (unreadable or _unsound(url))):
            _refuse(projects, differences, unreadable, force=force)
        for record in records:
            places_of(record)  # Raises while nothing is changed yet.
        with held(url):
            if recover:
                # Again: others have answered meanwhile, and can do so no more.
                with closing(_opened(looked_at)) as copy:
                    rescue = [project for project in salvaged(url, copy) if put_into(copy, project)]
                    projects = kept_projects(copy)
            else:  # Others have labelled since it was looked at.
                with closing(_opened(looked_at)) as copy:
                    differences, unreadable = _differences(copy, url, ())
                _refuse(projects, differences, unreadable, force=force)
            items, place = beside(file, ".items"), guarded(url)
            if read_erased(place).gone:
                with closing(_opened(looked_at)) as copy:
                    if (known := _items_of(file, url)) is not None:
                        copy_items(records, known, copy.items_folder)
                    erase_again(copy, place)
                    projects, records = kept_projects(copy), copy.projects()
                items = looked_at.with_suffix(".items")
            trail = _trail_of(url)
            with closing(_opened(looked_at)) as copy:
                said = act(who or command_user(), "restored", f"the backup {file.name}")
                noted = copy.note_acts([*trail[len(copy.acts()) :], said])
                if place is not None:
                    _keep_ahead(records, items, place)
                    announce(copy, place)
            try:
                aside = put_back(looked_at, url)
            except StoreError:
                if place is not None:
                    announce(None, place)
                raise
        with closing(open_store(url, create=False)) as store:
            copy_items(records, items, store.items_folder)
            seal_anew(store)
            erase_again(store)
            store.anchor("restore")
            note_beside(store, noted[-1:])
    counts = {project.record.name: _answers(project.events) for project in rescue if project.events}
    return Restored(projects, differences, unreadable, aside, file, counts)


def _keep_ahead(records: Sequence[ProjectRecord], items: Path, place: Path) -> None:
    """Keep the items of projects beside the store that is to have them. Where it gets none of them
    after all, they go with what is erased next."""
    folder = beside(place, ".items")
    copy_items(records, items, folder)
    for record in records:
        for at in places_of(record):
            note_written(place, folder / at)


def _trail_of(url: str) -> list[Act]:
    """The audit trail of a store, where it can be read."""
    with suppress(StoreError), closing(open_store(url, create=False)) as store:
        return store.acts()
    return []


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What putting a backup back would come to.

    backup       the file
    projects     of the backup, and what ``replay`` said of each that does not replay, by name
    differences  to the store of now, project by project; None where that cannot be read
    unreadable   why not, "" otherwise
    """

    backup: Path
    projects: tuple[KeptProject, ...]
    disagreeing: Mapping[str, str]
    differences: tuple[Difference, ...] | None
    unreadable: str

    @property
    def sound(self) -> bool:
        return not self.disagreeing and not any(project.broken_at for project in self.projects)


def rehearse(
    backup: str | os.PathLike[str] | None,
    url: str,
    replay: Callable[[LabelStore, str], object],
) -> Rehearsed:
    """Open a backup beside the store, which is in use and is not changed, replay and compare it.

    backup   None: the newest automatic one
    replay   raises ValueError where a project does not replay

    Raises as ``restore`` does, but for what would be lost.
    """
    file = newest_backup(url) if backup is None else Path(os.path.abspath(backup))
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        looked_at = Path(folder) / "looked_at.db"
        with closing(_copied(file, looked_at)) as copy:
            projects, disagreeing = kept_projects(copy), {}
            items = _items_of(file, url)
            if items is not None and items.exists():
                linked = looked_at.with_suffix(".items")
                try:
                    linked.symlink_to(items, target_is_directory=True)
                except OSError:  # Windows asks for a right that few have.
                    shutil.copytree(items, linked)
            for project in projects:
                try:
                    replay(copy, project.project)
                except (ValueError, OSError) as error:
                    disagreeing[project.project] = str(error)
            return Rehearsed(file, projects, disagreeing, *_differences(copy, url, ()))


def _items_of(backup: Path, url: str) -> Path | None:
    """Where the items of a backup's projects lie: beside it, else beside the store."""
    if (items := beside(backup, ".items")).exists():
        return items
    try:
        with closing(open_store(url, create=False)) as store:
            return store.items_folder
    except StoreError:
        place = guarded(url)
        return beside(place, ".items") if place else None


def _unsound(url: str) -> bool:
    """Whether a log of the store does not follow, or is not as it was sealed."""
    try:
        with closing(open_store(url, create=False)) as store:
            copies, records = store.copies(), store.projects()
            logs = [(record, store.events(record.name)) for record in records]
            return any(
                _kept(record, log).broken_at or difference(log, copies, identity_of(record))
                for record, log in logs
            )
    except StoreError:
        return True


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
    losing = [loss for loss in differences or () if loss.lost or loss.gone]
    if losing:
        raise LosesLabelsError(losing)
    if unreadable:
        raise StoreError(
            "the store that is there cannot be read, so that nobody can tell what would be lost: "
            f"{unreadable} With --force the backup is put back all the same, and that store is set "
            "aside"
        )
    for project in projects:
        if project.broken_at:
            raise StoreError(
                f"the log of project {project.project!r} in the backup was changed outside "
                f"Labelcore: event {project.broken_at} is the first that does not follow. Take "
                "another backup, or give --force"
            )


def _differences(
    backup: LabelStore, url: str, rescue: Sequence[Salvaged]
) -> tuple[tuple[Difference, ...] | None, str]:
    """What the backup, with what was salvaged, does to each project of the store at ``url``, and
    why that is not known."""
    more = {identity_of(project.record): project.events for project in rescue}
    try:
        with closing(open_store(url, create=False)) as store:
            ours = {identity_of(record): record for record in backup.projects()}
            theirs = {identity_of(record): record for record in store.projects()}
            both = {**theirs, **ours}
            return tuple(
                _difference(
                    record.name,
                    store.events(theirs[key].name) if key in theirs else [],
                    [*(backup.events(ours[key].name) if key in ours else []), *more.get(key, ())],
                    key not in ours and key not in more,
                )
                for key, record in both.items()
            ), ""
    except MissingStoreError:
        return (), ""
    except StoreError as error:
        return None, str(error)


def _difference(name: str, had: Sequence[Event], backup: Sequence[Event], gone: bool) -> Difference:
    kept = common([event.hash for event in had], [event.hash for event in backup])
    lost, back = had[kept:], backup[kept:]
    since = lost[0].at if lost else ""
    return Difference(name, kept, len(lost), _answers(lost), since, len(back), _answers(back), gone)
