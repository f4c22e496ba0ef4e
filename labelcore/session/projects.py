"""Projects: what a session stores of its file and plan before the first label."""

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from labelcore import errors
from labelcore.log.wording import check_settings, mapping_of
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import RULES, rule_parts, rules_in
from labelcore.population import Population, read_as_it_is, snapshots
from labelcore.population.contents import SUFFIX as CONTENTS
from labelcore.results.base import plain
from labelcore.session.ledger import check_characters, now
from labelcore.store import (
    LabelStore,
    ProjectRecord,
    alone_in,
    check_path,
    contents_path,
    items_path,
    keep,
    keep_written,
)

LONGEST_NAME = 200
FORMER_NAMES, KEPT, TOLD, RETENTION = "former_names", "measured", "told", "retention"
BESIDE = (FORMER_NAMES, KEPT, TOLD, RETENTION)
"""What is noted beside a log later: what its project was called before, since the log goes on under
any name; what a wave left, and which of its alarms were given; after how many days texts go."""


def new_record(
    population: Population, plan: Plan, project: str, settings: object, given: int = 0
) -> ProjectRecord:
    """The record of a project that starts now; ``plan`` has its planned size. Raises TypeError or
    ValueError for a name that no store can look for, a path that none can keep, and settings that
    are none."""
    _check_text(project)
    check_path(population.path)
    settings = mapping_of(settings)
    source: dict[str, Any] = {"path": str(population.path)}
    if population.address is not None:
        source["address"] = population.address
    source["arguments"] = dict(population.arguments)
    if population.name != population.file_name:
        source["name"] = population.name
    if population.is_table:
        source["table"] = True
    if given:
        source["given"] = given
    return ProjectRecord(
        name=project,
        created_at=now(),
        fingerprint=population.fingerprint,
        plan_json=plan.to_json(),
        population_json=json.dumps(source, ensure_ascii=False),
        settings_json=_as_json(settings),
    )


def _as_json(settings: Mapping[str, Any]) -> str:
    try:
        return json.dumps(plain(settings), ensure_ascii=False)
    except TypeError as error:
        raise TypeError(f"settings must hold values of JSON: {error}") from error


def first_words(record: ProjectRecord) -> dict[str, Any]:
    """The words that the log of a project begins with."""
    words = json.loads(record.settings_json)
    return {name: value for name, value in words.items() if name not in BESIDE}


def _check_text(name: object) -> None:
    """TypeError or ValueError for what no store can look for."""
    if not isinstance(name, str):
        raise TypeError(f"project must be text, got {type(name).__name__}")
    check_characters("project", name)


def _check_new_name(name: str) -> None:
    """ValueError for what cannot name a new project."""
    if not name.strip():
        raise ValueError("project must be a name that is not empty")
    if len(name) > LONGEST_NAME:
        raise ValueError(
            f"project must be a name of at most {LONGEST_NAME} characters, got {len(name):,}"
        )


def refuse_passed(plan: Plan) -> None:
    """Raises PlanArgumentError for a deadline that has passed: a new project would end at once."""
    for rule in rules_in(plan.stop or ()):
        name, value = rule_parts(rule)
        if RULES[name].timed and datetime.fromisoformat(value) <= datetime.fromisoformat(now()):
            raise errors.PlanArgumentError(
                "stop", f"must name a {name} that is still to come", got=rule
            )


def _refuse_superseded(plan: Plan) -> None:
    if plan.superseded:
        raise errors.PlanArgumentError(
            "planned",
            "belongs to a plan that an earlier version froze, by which no project begins: leave "
            "out planned and rules, and the project plans its size",
            got=plan.planned,
        )


def check_highlights(settings: Mapping[str, Any]) -> None:
    """Raises ValueError or TypeError for words that cannot be marked in items. What shows items is
    loaded where it is needed: a plan can do without."""
    if "highlight" in settings:
        from labelcore.items import highlights_of

        highlights_of(settings)


def created_or_same(
    store: LabelStore, record: ProjectRecord, population: Population
) -> ProjectRecord:
    """The stored record: a new one, or the existing one of the same file and plan. Raises
    ValueError or TypeError for a new one with words that cannot be marked, PlanError for one with a
    misspelt setting, by a superseded plan, or by one whose deadline has passed."""
    try:
        existing = store.project(record.name)
    except errors.UnknownProjectError:
        _check_new_name(record.name)
        _refuse_superseded(plan := Plan.from_json(record.plan_json))
        refuse_passed(plan)
        check_settings(settings := json.loads(record.settings_json))
        check_highlights(settings)
        with alone_in(store.items_folder):
            store.create(_with_items_kept(store, record, population))  # Nobody erases these now.
        return store.project(record.name)
    if existing.plan_json != record.plan_json:
        raise errors.ProjectExistsError(
            f"project {record.name!r} exists with another plan: "
            f"{_other_plan(existing.plan_json, record.plan_json)}. "
            "Choose another project name or the same plan."
        )
    if existing.fingerprint != record.fingerprint:
        there, here = (json.loads(one.population_json) for one in (existing, record))
        unlike = differing(there["arguments"], here["arguments"])
        raise errors.ProjectExistsError(
            f"project {record.name!r} exists with another file, or the same read otherwise: "
            f"{unlike or 'a value, a column or the order of its rows differs'}. "
            "Choose another project name, or the same file."
        )
    return existing


def _other_plan(there: str, here: str) -> str:
    """In what two plans differ: what was asked for, and only where that is the same what follows
    from it."""
    before, asked = json.loads(there), json.loads(here)
    derived: dict[str, Any] = {"params": {}, "planned": None, "rules": None}
    return differing({**before, **derived}, {**asked, **derived}) or differing(before, asked)


def differing(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In what two sets of terms differ, in words.

    >>> differing({"budget": 60, "seed": 1}, {"budget": 70, "seed": 1})
    'budget is 60 there and 70 here'
    """
    return "; ".join(
        f"{name} is {there.get(name)!r} there and {here.get(name)!r} here"
        for name in {**there, **here}
        if there.get(name) != here.get(name)
    )


def _with_items_kept(
    store: LabelStore, record: ProjectRecord, population: Population
) -> ProjectRecord:
    """The record with the places where the items are from now on: a snapshot beside the store, and
    what is judged of a file, so that nobody needs the source. Raises StoreNotWritableError."""
    folder = store.items_folder
    if folder is None:
        return record
    source = json.loads(record.population_json)
    name, ends = population.path.stem or "items", None

    def write(file: Path) -> None:
        nonlocal ends
        ends = snapshots.keep_contents(file, population)

    if population.is_table:
        source["contents"] = keep(population.path, folder)
        source["path"] = str(folder / source["contents"])
    elif snapshots.has_contents(population):
        source["contents"] = keep_written(folder, f"{name}{CONTENTS}", write)
    snapshot = f"{name}{snapshots.SUFFIX}"
    source["kept"] = keep_written(
        folder, snapshot, lambda file: snapshots.keep_snapshot(file, population, ends)
    )
    return replace(record, population_json=json.dumps(source, ensure_ascii=False))


def same_items(record: ProjectRecord, population: Population) -> Population:
    """``population``, if it is what the project labels. Raises OtherItemsError."""
    if population.fingerprint != record.fingerprint:
        actual, wanted = population.fingerprint[:12], record.fingerprint[:12]
        raise errors.OtherItemsError(
            record.name,
            f"population holds other items than those labelled in project {record.name!r}, or was "
            f"read in another way: its fingerprint is {actual}, not {wanted}",
        )
    return population


def opened_items(
    record: ProjectRecord,
    read: Callable[..., Population],
    file: str | os.PathLike[str] | None,
    kept: Path | None,
) -> Population:
    """The items of the project's snapshot, or ``read_items`` where there is none."""
    items = None if file is not None else snapshot_of(record, kept)
    return items or _named(record, read_items(record, read, file, kept))


def snapshot_of(record: ProjectRecord, kept: Path | None) -> Population | None:
    """The items of a project from its snapshot; None where there is none, or it is damaged.

    Raises OtherItemsError for a snapshot of other items.
    """
    path = items_path(record, kept)
    if not _is_snapshot(path):
        return None
    source, contents = json.loads(record.population_json), contents_path(record, kept)
    there = contents if source.get("table") else Path(source["path"])
    try:
        items = snapshots.open_snapshot(path, contents, there)
    except ValueError:
        return None
    return _same(record, path, _named(record, items))


def _is_snapshot(path: Path) -> bool:
    return path.name.endswith(snapshots.SUFFIX) and path.exists()


def _named(record: ProjectRecord, items: Population) -> Population:
    """As the source is called in this project."""
    name = json.loads(record.population_json).get("name")
    return items if name is None else replace(items, name=name)


def read_items(
    record: ProjectRecord,
    read: Callable[..., Population],
    file: str | os.PathLike[str] | None = None,
    kept: Path | None = None,
) -> Population:
    """The items of a project, read as they were when it was made.

    file   where they are now; None: where they were
    kept   the folder of the store with copies of items, which may have moved with it
    Raises MissingItemsError, and OtherItemsError when the file is another one.
    """
    source = json.loads(record.population_json)
    path = _path_to_read(record, kept) if file is None else Path(file)
    address = source.get("address")
    if address is not None and (file == address or (file is None and not path.exists())):
        return _same(record, address, read(address, **source["arguments"]))
    if not path.exists():
        raise errors.MissingItemsError(
            record.name,
            f"{path}: there is no such file" if file is not None else _gone(record, path, source),
        )
    try:
        population = read(path, **source["arguments"])
    except errors.PopulationError as error:
        fault = f"it cannot be read as that was ({error.faults[0]})"
        raise _other(record, path, fault) from error
    if population.fingerprint != record.fingerprint and population.is_table:
        population = read_as_it_is(path, **source["arguments"])
    return _same(record, path, population)


def _path_to_read(record: ProjectRecord, kept: Path | None) -> Path:
    """The file of the items: with a snapshot that cannot be used, where it was."""
    path, copied = items_path(record, kept), contents_path(record, kept)
    if not path.name.endswith(snapshots.SUFFIX):
        return path
    if copied is not None and copied.suffix != CONTENTS and copied.exists():
        return copied
    return Path(json.loads(record.population_json)["path"])


def _same(record: ProjectRecord, path: Path | str, population: Population) -> Population:
    if population.fingerprint != record.fingerprint:
        actual, wanted = population.fingerprint[:12], record.fingerprint[:12]
        raise _other(record, path, f"its fingerprint is {actual}, not {wanted}")
    return population


def _gone(record: ProjectRecord, path: Path, source: Mapping[str, Any]) -> str:
    if source.get("table"):
        return (
            f"The items of project {record.name!r} were given as a table, which is not kept at "
            f"{path} any more. Read the table again and give it to Session.open as population; "
            "the labels are safe in the store."
        )
    return (
        f"The items of project {record.name!r} were read from {path}, which is no longer there. "
        "Put the file back, or say where it is now; the labels are safe in the store."
    )


def _other(record: ProjectRecord, path: Path | str, fault: str) -> errors.OtherItemsError:
    return errors.OtherItemsError(
        record.name,
        f"{path} is not the file whose items are labelled in project {record.name!r}, or it was "
        f"changed: {fault}. Put that file back, or say where it is now.",
    )
