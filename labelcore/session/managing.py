"""A project's life after its creation: another name, put away, a second one with the same plan.

Nothing here touches a log: no label is changed, copied or lost.
"""

import json
import os
import unicodedata
from dataclasses import replace
from typing import Any

from labelcore.log.history import told
from labelcore.log.people import GIVEN, person_key
from labelcore.plan.plan import Plan
from labelcore.session.carried import MONITOR
from labelcore.session.erasing import erase_as_in
from labelcore.session.ledger import now
from labelcore.session.projects import BESIDE, FORMER_NAMES, refuse_passed
from labelcore.session.session import Session
from labelcore.store import LabelStore, ProjectRecord, Settings, alone_in

LONGEST_NAME = 80
# Controls, line breaks, and marks that turn the direction of writing.
_REFUSED = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")
_JOINERS = "\u200c\u200d"


def checked_name(store: LabelStore, wanted: str, *, but: str | None = None) -> str:
    """``wanted`` without blanks at its ends, when it can name a project and nobody has it.

    but   a project whose own name is not in the way
    Raises ValueError with a sentence for a name that is empty, too long, taken, or that holds
    characters that do not show.
    """
    name = wanted.strip()
    if not name:
        raise ValueError("The project needs a name.")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"The name of a project has at most {LONGEST_NAME} characters; this one has "
            f"{len(name):,}."
        )
    hidden = [c for c in name if unicodedata.category(c) in _REFUSED and c not in _JOINERS]
    if hidden:
        raise ValueError(
            f"The name contains a character that does not show (U+{ord(hidden[0]):04X}). Type it "
            f"again without it."
        )
    if name != but and name in {record.name for record in store.projects()}:
        raise ValueError(f"There is a project called {name!r} already. Choose another name.")
    return name


def free_name(store: LabelStore, wanted: str) -> str:
    """``wanted``, or with the first number that is not taken."""
    taken = {record.name for record in store.projects()}
    names = [wanted, *(f"{wanted} {number}" for number in range(2, len(taken) + 3))]
    return next(name for name in names if name not in taken)


def rename(store: LabelStore, old: str, new: str) -> str:
    """Give a project another name, and remember the old one for links to it; the new name.

    Raises ValueError as ``checked_name`` does, UnknownProjectError.
    """
    name = checked_name(store, new, but=old)
    if name == old:
        return old

    def remembered(settings: Settings) -> Settings:
        former = [past for past in settings.get(FORMER_NAMES, []) if past not in (old, name)]
        return {**settings, FORMER_NAMES: [*former, old]}

    # First what is harmless alone: a crash in between leaves a project that remembers its own name.
    store.change_settings(old, remembered)
    store.rename(old, name)
    return name


def renamed_to(store: LabelStore, name: str) -> str | None:
    """What the project that was called ``name`` is called now; None when no project was."""
    for record in store.projects():
        former = json.loads(record.settings_json).get(FORMER_NAMES, [])
        if name in former and name != record.name:
            return record.name
    return None


def relink(store: LabelStore, project: str, file: str | os.PathLike[str]) -> None:
    """Remember where a project's file is now; it must be the same file, by its fingerprint.

    Raises MissingItemsError, OtherItemsError, PopulationError, UnknownProjectError, StoreError.
    """
    Session.open(store, project, file=file)
    source = json.loads(store.project(project).population_json)
    moved = {**source, "path": os.path.abspath(file)}
    store.update(project, population_json=json.dumps(moved, ensure_ascii=False))


def set_archived(store: LabelStore, name: str, archived: bool) -> None:
    """Put a project away, or bring it back. Raises UnknownProjectError."""
    store.update(name, archived=archived)


def duplicate(store: LabelStore, name: str, new: str, *, seed: int | None = None) -> ProjectRecord:
    """A new project of the same file and plan, with the wording as it is now and no labels.

    seed   of its draws; None: the same seed, so the same items are drawn while the answers agree
    Raises ValueError as ``checked_name`` does and for a bad seed, PlanArgumentError for a
    deadline that has passed, UnknownProjectError.
    """
    with alone_in(store.items_folder):  # Nobody erases its items now.
        record, log = store.project(name), store.events(name)
        plan = Plan.from_json(record.plan_json)
        refuse_passed(plan)
        project = replace(
            record,
            name=checked_name(store, new),
            created_at=now(),
            plan_json=(plan if seed is None else plan.with_seed(seed)).to_json(),
            settings_json=json.dumps(wording_now(store, record), ensure_ascii=False),
            archived=False,
        )
        store.create(project)
    erase_as_in(store, log, project.name)
    return project


def called_elsewhere(store: LabelStore, secret: str, project: str) -> str:
    """What the browser with this secret is called in the newest other project in which it has a
    name; "" where there is none. Nobody without the secret can find those projects."""
    for record in store.projects():
        key = person_key(secret, record.created_at, record.fingerprint)
        given, _ = store.keys(record.name).get(key, ("", ""))
        if given and record.name != project:
            log = store.events(record.name)
            names = told(log, record.fingerprint, record.plan_json).words.get("names", {})
            if given in names:
                return str(names[given])
    return ""


def wording_now(store: LabelStore, record: ProjectRecord) -> dict[str, Any]:
    """The settings as the log has mended them, without what is the project's alone: its former
    names, which wave of a monitor it is, and whom it calls "me 2": elsewhere another browser is."""
    log, alone = store.events(record.name), (MONITOR, *BESIDE)
    state = told(log, record.fingerprint, record.plan_json)
    settings = state.settings(record.settings_json)
    people = settings.pop("names", {}).items()
    if kept := {who: name for who, name in people if not GIVEN.fullmatch(who)}:
        settings["names"] = kept
    return {name: value for name, value in settings.items() if name not in alone}
