"""Texts of items, names of people and projects taken out of a store and of what was made of it.

The log keeps salted hashes of texts alone, so that it still follows and every figure can be
computed again; an event says what was erased, by whom and why. An event that held what is erased,
a note or a name, is written anew without it: it keeps its hash, on which the next one rests, and
the event of the erasure records the digest that it has now.
"""

import json
import shutil
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from labelcore.errors import BrokenLogError, StoreBusyError, StoreError
from labelcore.log.events import ERASED, Event, genesis, sound_part
from labelcore.log.history import told
from labelcore.log.kinds import emptied, holds_words
from labelcore.log.people import GIVEN
from labelcore.population import Population, read_population
from labelcore.population.contents import SUFFIX as CONTENTS
from labelcore.population.copies import clear_leftovers
from labelcore.population.snapshots import SUFFIX, has_contents, write_snapshot, write_without
from labelcore.session.erased_names import Same, is_name, unnamed, without_name, without_words
from labelcore.session.ledger import check_annotator, now
from labelcore.session.prepared import place as prepared_place
from labelcore.session.projects import first_words, opened_items
from labelcore.store import (
    ConflictError,
    ErasedList,
    Erasure,
    Gone,
    LabelStore,
    ProjectRecord,
    act,
    add_gone,
    alone_in,
    back_up_now,
    backups_folder,
    beside,
    change_erased,
    difference,
    forget_seal,
    identity_of,
    keep_written,
    mark_of,
    note,
    note_written,
    open_store,
    places_of,
    read_erased,
    remove_backups,
    remove_halves,
    remove_written,
    seal,
    set_aside,
)

TRIES = 20
UPLOADS = "files"
"""The folder beside the store in which the app keeps what was uploaded."""


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure came to.

    projects   in which something was erased
    items      texts; name: of a person; whole: whether the project itself went
    events     of the log that were written anew without it
    gone       files and backups that went with it, in words
    left       what may still hold it and cannot be reached from here, in words
    """

    projects: tuple[str, ...]
    items: int = 0
    name: str = ""
    whole: bool = False
    events: int = 0
    gone: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


# --- texts ---------------------------------------------------------------------------------------


def erase_items(
    store: LabelStore, project: str, items: Iterable[str] | None, *, who: str, why: str
) -> Erased:
    """Erase the texts of items, and notes about them, in every project of the same file.

    items   ids; those that are erased already are left out. None: every item of this project, of
            which other projects of the file keep what they have
    who     erases; why: in words, which the log keeps

    Raises ValueError for an id that no project has, or without a reason, BrokenLogError,
    UnknownProjectError, StoreError.
    """
    _check_reason(who, why)
    record = store.project(project)
    if items is None:
        return _erase_every(store, record, who, why)
    wanted = list(dict.fromkeys(map(str, items)))
    if not wanted:
        raise ValueError("items must name at least one item")
    known = _known(store, record, wanted)
    for item in wanted:
        if item not in known:
            raise ValueError(f"items must be ids of project {project!r}, got {item!r}")
    projects = [other for other in store.projects() if _alike(other, record)]
    alike = [(other, _known(store, other, wanted)) for other in projects]
    for other in projects:
        _refuse_broken(store, other)
    at = now()
    listed = [Gone(identity_of(other), at, who, why, mine) for other, mine in alike if mine]
    add_gone(store.guarded, *listed)
    events = sum(_erase_items(store, other.name, mine, who, why) for other, mine in alike if mine)
    outside = [*_sources(store, projects), *_elsewhere(store, alike, wanted)]
    done = Erased(tuple(other.name for other, mine in alike if mine), len(wanted), events=events)
    done = _clean(store, done, outside, listed)
    if {other.name for other in store.projects() if _alike(other, record)} - {
        other.name for other in projects
    }:  # One has begun meanwhile.
        again = erase_items(store, project, wanted, who=who, why=why)
        return replace(again, events=events + again.events, gone=(*done.gone, *again.gone))
    return done


def _erase_every(store: LabelStore, record: ProjectRecord, who: str, why: str) -> Erased:
    _refuse_broken(store, record)
    drawn = tuple({event.item_id: None for event in store.events(record.name) if event.item_id})
    gone = Gone(identity_of(record), now(), who, why, drawn, every=True)
    add_gone(store.guarded, gone)
    events = _erase_items(store, record.name, drawn, who, why, every=True)
    alone = sum(_alike(other, record) for other in store.projects()) == 1
    outside = _sources(store, [record]) if alone else []
    return _clean(store, Erased((record.name,), len(drawn), events=events), outside, [gone])


def erase_as_in(store: LabelStore, log: Iterable[Event], project: str) -> None:
    """Say in a new project, too, which texts were erased in the one whose items it has, by its
    log."""
    for event in log:
        items, every = event.detail.get("items", ()), bool(event.detail.get("every"))
        if event.kind == ERASED and (items or every):
            who, why = event.annotator, str(event.text)
            _erase_items(store, project, items, who, why, every=every)


def take_over_erasures(store: LabelStore, project: str, log: Sequence[Event]) -> None:
    """Erase in a copy, whose events are those of ``log`` by their hashes, what has gone from the
    original since it was made: its events say so."""
    record, mine = store.project(project), store.events(project)
    pairs = [(own, its) for own, its in zip(mine, log, strict=True) if own != its]
    erased = told(log, record.fingerprint, record.plan_json).erased
    texts = [item for item in store.contents(project) if item in erased]
    if not (pairs or texts):
        return
    names = {own.annotator: its.annotator for own, its in pairs if own.annotator != its.annotator}
    last = [event for event in log if event.kind == ERASED][-1]
    key, place, said = identity_of(record), store.guarded, (last.at, last.annotator, str(last.text))
    gone = [Gone(key, *said, tuple(erased), every=erased.everything)]
    if place is not None:
        gone += [
            Gone(key, *said, mark=mark_of(place, name), words=len(name.split()), called=called)
            for name, called in names.items()
        ]
    add_gone(place, *gone)
    store.erase(project, Erasure(items=texts, rewritten=[its for _, its in pairs], people=names))
    _without_kept(store, project, None if erased.everything else erased)
    _clean(store, Erased((project,)), (), gone)


def of_same_file(store: LabelStore, project: str) -> list[ProjectRecord]:
    """The other projects of a project's file: what is erased of one item goes from them too."""
    record = store.project(project)
    return [other for other in store.projects() if other.name != project and _alike(other, record)]


def _alike(record: ProjectRecord, other: ProjectRecord) -> bool:
    """Whether two projects are of the same file, however it was read."""
    same = json.loads(record.population_json)["path"] == json.loads(other.population_json)["path"]
    return record.fingerprint == other.fingerprint or same


def _known(store: LabelStore, record: ProjectRecord, items: Sequence[str]) -> tuple[str, ...]:
    """Those of these ids that a project has."""
    drawn = {event.item_id for event in store.events(record.name)}
    population = _population(store, record)
    ids = None if population is None else population._ids
    there = {item for item in items if ids is not None and ids.find(item) is not None}
    return tuple(item for item in items if item in drawn or item in there)


def _population(store: LabelStore, record: ProjectRecord) -> Population | None:
    """The items as they are kept beside the store; None where they are not."""
    folder, places = store.items_folder, places_of(record)
    if folder is None or not places or not (folder / places[0]).exists():
        return None
    with suppress(ValueError, OSError):
        return opened_items(record, read_population, None, folder)
    return None


def _elsewhere(
    store: LabelStore,
    alike: Sequence[tuple[ProjectRecord, object]],
    items: Sequence[str],
) -> list[str]:
    names = {record.name for record, _ in alike}
    return [
        f"project {record.name!r} of another file, which has an item {item!r} too"
        for record in store.projects()
        if record.name not in names
        for item in items
        if store.content(record.name, item) is not None
    ]


def _erase_items(
    store: LabelStore,
    project: str,
    items: Collection[str],
    who: str,
    why: str,
    *,
    every: bool = False,
) -> int:
    """In one project, once; how many events were written anew. With ``every`` of what was drawn
    meanwhile, too."""
    all_said = {"every": True} if every else {}

    def build(record: ProjectRecord, log: list[Event]) -> Erasure | None:
        state = told(log, record.fingerprint, record.plan_json)
        drawn = [event.item_id for event in log if every and event.item_id]
        wanted = dict.fromkeys([*items, *drawn])
        new = [item for item in wanted if item not in state.erased]
        more = every and not state.erased.everything
        notes = [
            emptied(event)
            for event in log
            if event.item_id in wanted
            and holds_words(event.kind)
            and event.text not in (None, "", "erased")
        ]
        kept = store.contents(project)
        if not (new or more or notes or wanted.keys() & kept.keys()):
            return None
        events: Sequence[Event] = ()
        if new or more or notes:
            events = _said(log, record, who, why, notes, {"items": new, **all_said})
        return Erasure(events, [item for item in wanted if item in kept], notes)

    done = _done(store, project, build)
    _without_kept(store, project, None if every else set(items))
    return done


def _without_kept(store: LabelStore, project: str, items: Collection[str] | None) -> None:
    """What is kept of a project's items beside the store, written anew without these; None: without
    all. One erasure after another does so, each from what the one before left."""
    if (folder := store.items_folder) is not None:
        with alone_in(folder):
            _write_without(store, project, folder, items)


def _write_without(
    store: LabelStore, project: str, folder: Path, items: Collection[str] | None
) -> None:
    record = store.project(project)
    population = _population(store, record)
    if population is None:
        return
    source, before = json.loads(record.population_json), places_of(record)
    held = [item for item in population._ids.all() if items is None or item in items]
    if not held or not (has_contents(population) or source.get("table")):
        return
    texts = (population.cells(item, population.content_columns) for item in held)
    if not any(any(cells.values()) for cells in texts):
        return  # Written anew before.
    known, name = population, Path(before[0]).stem
    ends: Any = None

    def contents(file: Path) -> None:
        nonlocal ends
        ends = write_without(file, known, held)

    source["contents"] = keep_written(folder, f"{name}{CONTENTS}", contents)
    source["kept"] = keep_written(
        folder, f"{name}{SUFFIX}", lambda file: write_snapshot(file, known, ends)
    )
    if source.get("table"):
        source["path"] = str(folder / source["contents"])
    _note_places(store, record, before)
    store.update(project, population_json=json.dumps(source, ensure_ascii=False))
    remove_places(store, before)


def _note_places(store: LabelStore, record: ProjectRecord, places: Iterable[str]) -> None:
    """Kept files that only this project needs, before it needs them no more: where this is broken
    off, they go when it is erased again."""
    others = [other for other in store.projects() if other.name != record.name]
    folder, needed = store.items_folder, {place for other in others for place in places_of(other)}
    for place in places:
        if folder is not None and place not in needed:
            note_written(store.guarded, folder / place)


def remove_places(store: LabelStore, places: Iterable[str]) -> None:
    """Remove kept files that no project needs any more."""
    folder = store.items_folder
    needed = {place for record in store.projects() for place in places_of(record)}
    for place in places:
        if folder is not None and place not in needed:
            (folder / place).unlink(missing_ok=True)
            with suppress(OSError):
                (folder / place).parent.rmdir()


def _sources(store: LabelStore, records: Sequence[ProjectRecord]) -> list[str]:
    """Where else the texts lie: what the items were read from. What was uploaded is removed, where
    no project needs it any more."""
    places, place = [], store.guarded
    records = [store.project(record.name) for record in records]  # Their kept files are others now.
    sources = [json.loads(record.population_json) for record in records]
    for path, address in {(source["path"], source.get("address")) for source in sources}:
        file = Path(path)
        if address:
            places.append(f"{address}, where the items were read")
        elif (
            place is not None
            and file.parent == place.parent / UPLOADS
            and all(_population(store, record) is not None for record in records)
        ):
            file.unlink(missing_ok=True)
        elif file.exists() and not (place and file.is_relative_to(beside(place, ".items"))):
            places.append(f"{file}, where the items were read")
    return places


# --- people --------------------------------------------------------------------------------------


def erase_person(store: LabelStore, name: str, *, who: str, why: str) -> Erased:
    """Erase the name of a person from every project: another name stands in its place, the same
    in all of them, so that answers stay those of one person.

    Raises ValueError for a name that nobody has or that browsers are given, or without a reason,
    BrokenLogError, StoreError.
    """
    _check_reason(who, why)
    check_annotator(name)
    if GIVEN.fullmatch(name):
        raise ValueError(f"name must be a person's, not one that browsers are given, got {name!r}")
    same, words = is_name(name), len(name.split())
    if name == who:
        raise ValueError("who must be another name than the one that is erased")
    if without_words(why, same, words, "") != why:
        raise ValueError("why must not say the name that is erased, because it is kept")
    records = [record for record in store.projects() if _names(store, record, name)]
    if not records:
        raise ValueError(f"name must be one that stands in a project, got {name!r}")
    for record in records:
        _refuse_broken(store, record)
    taken = {entry.called for entry in read_erased(store.guarded).gone}
    for record in store.projects():
        taken |= {event.annotator for event in store.events(record.name)}
    free = (f"erased {number}" for number in range(1, len(taken) + 2))
    called = next(instead for instead in free if instead not in taken)
    if store.guarded is not None:
        seal(store, store.guarded, {})  # A mark takes a key, and no key is there without seals.
    mark = "" if store.guarded is None else mark_of(store.guarded, name)
    gone = Gone("", now(), who, why, mark=mark, words=words, called=called)
    add_gone(store.guarded, gone)
    if store.guarded is not None:
        change_erased(store.guarded, lambda known: _unnamed_list(known, same, words, called))
    events = sum(
        _erase_name(store, record.name, same, called, who, why, words) for record in records
    )
    left = [
        f"the {what} of project {record.name!r}"
        for record in store.projects()
        for what, text in (("plan", record.plan_json), ("name", record.name))
        if name in text
    ]
    done = Erased(tuple(record.name for record in records), name=called, events=events)
    return _clean(store, done, left, [gone])


def _unnamed_list(known: ErasedList, same: Same, words: int, called: str) -> ErasedList:
    """The list of what was erased without a name among who erased it and why."""
    listed = (
        replace(
            entry,
            who=called if same(entry.who) else entry.who,
            why=without_words(entry.why, same, words, called),
        )
        for entry in known.gone
    )
    return replace(known, gone=tuple(listed))


def _names(store: LabelStore, record: ProjectRecord, name: str) -> bool:
    same = is_name(name)
    words, settings = len(name.split()), json.loads(record.settings_json)
    return (
        name in store.people(record.name)
        or without_name(settings, same, "", words) != settings
        or any(unnamed(event, same, words, "") != event for event in store.events(record.name))
    )


def _erase_name(
    store: LabelStore, project: str, same: Same, called: str, who: str, why: str, words: int = 0
) -> int:
    renamed_in = partial(without_name, same=same, called=called, words=words)

    def build(record: ProjectRecord, log: list[Event]) -> Erasure | None:
        renamed = [unnamed(event, same, words, called) for event in log]
        changed = [new for old, new in zip(log, renamed, strict=True) if new != old]
        settings = json.loads(record.settings_json)
        people = {person: called for person in store.people(project) if same(person)}
        if not (changed or people or renamed_in(settings) != settings):
            return None
        left = replace(record, settings_json=json.dumps(renamed_in(settings)))
        return Erasure(
            _said(log, left, who, why, changed, {"person": called}),
            rewritten=changed,
            people=people,
            settings=renamed_in,
        )

    return _done(store, project, build)


# --- projects ------------------------------------------------------------------------------------


def erase_project(store: LabelStore, project: str, *, who: str, why: str) -> Erased:
    """Erase a project with its log. What is left of it is that there was one, its number of events
    and the hash of its last in the list of what was erased.

    Raises ValueError without a reason, UnknownProjectError, StoreError.
    """
    _check_reason(who, why)
    record = store.project(project)
    key, log = identity_of(record), store.events(project)
    last = f"{len(log)} events, the last {log[-1].hash if log else 'none'}"
    gone = Gone(key, now(), who, f"{why} ({last})", whole=True)
    add_gone(store.guarded, gone)
    alone = not any(_alike(other, record) for other in store.projects() if other.name != project)
    outside = _sources(store, [record] if alone else [])
    _remove_project(store, record)
    return _clean(store, Erased((project,), whole=True, events=len(log)), outside, [gone])


def _remove_project(store: LabelStore, record: ProjectRecord) -> None:
    places, folder = places_of(record), store.items_folder
    with alone_in(folder):
        _note_places(store, record, places)
        store.remove(record.name)
        remove_places(store, places)
    if folder and record.fingerprint not in {other.fingerprint for other in store.projects()}:
        shutil.rmtree(prepared_place(folder, record.fingerprint), ignore_errors=True)
    if store.guarded is not None:
        forget_seal(store.guarded, identity_of(record))


# --- again ---------------------------------------------------------------------------------------


def erase_again(store: LabelStore, place: Path | None = None) -> list[str]:
    """Erase what the list beside the store names and the store holds: it is one that was put back,
    or an erasure was broken off. The projects that held some of it.

    place   beside which the list lies, where the store is not in its place yet

    Raises StoreError for a list that cannot be read, BrokenLogError.
    """
    known = read_erased(place or store.guarded)
    if not known.gone:
        return []
    done = _again_in(store, known.gone, place or store.guarded)
    if store.guarded is not None and place is None and (done or known.unclean):
        with suppress(StoreBusyError):  # Tried again when it is opened next.
            _clean(store, Erased(tuple(done)), (), known.gone)
    elif done:
        store.cleanse()
    return done


def _again_in(store: LabelStore, listed: Sequence[Gone], place: Path | None) -> list[str]:
    done: list[str] = []
    for record in store.projects():
        mine = [gone for gone in listed if gone.project in ("", identity_of(record))]
        before = store.last_sequence(record.name), len(store.contents(record.name))
        if any(gone.whole for gone in mine):
            _remove_project(store, record)
            done.append(record.name)
            continue
        lost = _lost(store, record)
        for gone in mine:
            if (gone.items or gone.every) and lost:  # Nothing can be added to its log.
                texts = store.contents(record.name) if gone.every else gone.items
                store.erase(record.name, Erasure(items=[*texts]))
                _without_kept(store, record.name, None if gone.every else gone.items)
            elif gone.items or gone.every:
                _erase_items(store, record.name, gone.items, gone.who, gone.why, every=gone.every)
            elif gone.mark and place is not None and not lost:
                same = _marked(place, gone.mark)
                _erase_name(store, record.name, same, gone.called, gone.who, gone.why, gone.words)
        if before != (store.last_sequence(record.name), len(store.contents(record.name))):
            done.append(record.name)
    return done


def _marked(place: Path, mark: str) -> Same:
    known: dict[str, bool] = {}

    def same(text: str) -> bool:
        if text not in known:
            known[text] = mark_of(place, text) == mark
        return known[text]

    return same


# --- what all of them do -------------------------------------------------------------------------


def _check_reason(who: str, why: str) -> None:
    check_annotator(who)
    if not why.strip():
        raise ValueError("why must say for what reason something is erased")


def _broken_at(store: LabelStore, record: ProjectRecord) -> int:
    log = store.events(record.name)
    sound = sound_part(log, genesis(record.fingerprint, record.plan_json))
    return len(sound) + 1 if len(sound) < len(log) else 0


def _lost(store: LabelStore, record: ProjectRecord) -> bool:
    """Whether the log does not follow, or is not the one that was sealed."""
    copies, log = store.copies(0), store.events(record.name)
    return bool(_broken_at(store, record) or difference(log, copies, identity_of(record)))


def _refuse_broken(store: LabelStore, record: ProjectRecord) -> None:
    if sequence := _broken_at(store, record):
        raise BrokenLogError(record.name, sequence)


def _said(
    log: Sequence[Event],
    record: ProjectRecord,
    who: str,
    why: str,
    changed: Sequence[Event],
    detail: Mapping[str, Any],
) -> list[Event]:
    """The event that follows the log and says what was erased; in a log that is empty after the
    words that each begins with."""
    before = {event.sequence: event.hash for event in log}
    before[0] = genesis(record.fingerprint, record.plan_json)
    digests = {str(event.sequence): event.digest(before[event.sequence - 1]) for event in changed}
    facts = {**detail, **({"rewritten": digests} if digests else {})}
    said, last = [], len(log)
    if not log and (words := first_words(record)):
        said.append(Event(1, "worded", now(), who, detail=words).chained(before[0]))
        last, before[1] = 1, said[0].hash
    event = Event(last + 1, ERASED, now(), who, text=why.strip(), detail=facts)
    return [*said, event.chained(before[last])]


def _done(
    store: LabelStore,
    project: str,
    build: Callable[[ProjectRecord, list[Event]], Erasure | None],
) -> int:
    """Erase what ``build`` makes of the log, again where others labelled meanwhile; how many events
    were written anew."""
    for _ in range(TRIES):
        erasure = build(store.project(project), store.events(project))
        if erasure is None:
            return 0
        with suppress(ConflictError):
            store.erase(project, erasure)
            return len(erasure.rewritten)
    raise StoreBusyError(f"project {project!r} is labelled so fast that nothing could be erased")


def _clean(
    store: LabelStore, done: Erased, outside: Iterable[str], listed: Sequence[Gone]
) -> Erased:
    """Make sure that no byte is left: of the store, its backups, what was set aside, and files that
    were written for the owner. One erasure after another does so: each makes a backup, and removes
    those of others."""
    place = store.guarded
    with alone_in(None if place is None else backups_folder(place)):
        return _cleaned(store, done, outside, listed)


def _cleaned(
    store: LabelStore, done: Erased, outside: Iterable[str], listed: Sequence[Gone]
) -> Erased:
    place, gone = store.guarded, []
    left = [*dict.fromkeys(outside)]
    store.cleanse()
    if place is not None:  # The key may be younger than the first seal, which then is not missing.
        logs = {record.name: store.events(record.name)[-1:] for record in store.projects()}
        seal(store, place, {name: log[0] for name, log in logs.items() if log})
    for entry in listed:
        note(store, act(entry.who, ERASED, _act_words(entry)))
    if place is not None:
        if number := remove_backups(place, back_up_now(place, store.backup)):
            gone.append(f"{number:,} older backup{'s' * (number > 1)}, after a new one was made")
        for file in set_aside(place):
            try:
                _erase_aside(file, listed, place)
                gone.append(f"the same in {file.name}, which was set aside")
            except StoreError as error:
                left.append(f"{file} ({error})")
        clear_leftovers()
        folder = store.items_folder
        left += [
            f"{file}, which is being written, or was left by a process that ended a moment ago"
            for file in remove_halves(place, folder, place.parent / UPLOADS)
        ]
        with alone_in(folder):
            kept = [at for record in store.projects() for at in places_of(record)]
            needed = [folder / at for at in kept] if folder else []
            removed, changed = remove_written(place, needed)
        gone += [f"{file}, written from it" for file in removed]
        left += [f"{file}, written from it and changed since" for file in changed]
        store.anchor("erase")
    return replace(done, gone=tuple(gone), left=(*left, *_always_left(store)))


def _act_words(gone: Gone) -> str:
    if gone.whole:
        return f"the project {gone.project}"
    texts = f"{len(gone.items):,} text{'s' * (len(gone.items) != 1)}"
    return "a name" if gone.mark else f"{texts} of the project {gone.project}"


def _erase_aside(file: Path, listed: Sequence[Gone], place: Path) -> None:
    """In a store that was set aside, which is guarded no more."""
    own = [
        file.with_suffix(".key"),
        *(beside(file, end) for end in (".seals", ".backups", ".items")),
    ]
    new = [path for path in own if not path.exists()]
    with closing(open_store(f"sqlite:///{file}", create=False)) as other:
        _again_in(other, listed, place)
        other.cleanse()
    for path in new:
        shutil.rmtree(path) if path.is_dir() else path.unlink(missing_ok=True)


def _always_left(store: LabelStore) -> Iterator[str]:
    yield "files, reports, bundles and backups that somebody took home"
    if "postgresql" in store.url:
        yield "the database server's own log, its copies and dumps"
    yield "hashes at an anchor outside, which tell no text"
