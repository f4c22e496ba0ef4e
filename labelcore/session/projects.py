"""Projects: what a session stores of its file and plan before the first label."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from labelcore.errors import (
    MissingItemsError,
    OtherItemsError,
    PopulationError,
    ProjectExistsError,
    UnknownProjectError,
)
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.session.ledger import check_characters, now
from labelcore.store import LabelStore, ProjectRecord

LONGEST_NAME = 200


def new_record(
    population: Population, plan: Plan, project: str, settings: Mapping[str, Any]
) -> ProjectRecord:
    """The record of a project that starts now; ``plan`` has its planned size."""
    source = {"path": str(population.path), "arguments": dict(population.arguments)}
    return ProjectRecord(
        name=project,
        created_at=now(),
        fingerprint=population.fingerprint,
        plan_json=plan.to_json(),
        population_json=json.dumps(source, ensure_ascii=False),
        settings_json=json.dumps(dict(settings), ensure_ascii=False),
    )


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


def created_or_same(store: LabelStore, record: ProjectRecord) -> ProjectRecord:
    """The stored record: a new one, or the existing one of the same file and plan."""
    _check_text(record.name)
    try:
        existing = store.project(record.name)
    except UnknownProjectError:
        _check_new_name(record.name)
        store.create(record)
        return store.project(record.name)
    if existing.plan_json != record.plan_json:
        raise ProjectExistsError(
            f"project {record.name!r} exists with another plan. There: {existing.plan_json}. "
            f"Here: {record.plan_json}. Choose another project name or the same plan."
        )
    if existing.fingerprint != record.fingerprint:
        raise ProjectExistsError(
            f"project {record.name!r} exists with another file or another way of reading it. "
            f"There: {existing.population_json} (fingerprint {existing.fingerprint[:12]}). "
            f"Here: {record.population_json} (fingerprint {record.fingerprint[:12]})."
        )
    return existing


def read_items(
    record: ProjectRecord,
    read: Callable[..., Population],
    file: str | os.PathLike[str] | None = None,
) -> Population:
    """The items of a project, read as they were when it was made.

    file   where they are now; None: where they were
    Raises MissingItemsError, and OtherItemsError when the file is another one.
    """
    source = json.loads(record.population_json)
    path = Path(source["path"] if file is None else file)
    if not path.exists():
        raise MissingItemsError(
            record.name,
            f"The items of project {record.name!r} were read from {path}, which is no longer "
            f"there. Put the file back, or say where it is now; the labels are safe in the store."
            if file is None
            else f"{path}: there is no such file",
        )
    try:
        population = read(path, **source["arguments"])
    except PopulationError as error:
        found = f"it cannot be read as that was ({error.faults[0]})"
        raise _other(record, path, found) from error
    if population.fingerprint != record.fingerprint:
        found, wanted = population.fingerprint[:12], record.fingerprint[:12]
        raise _other(record, path, f"its fingerprint is {found}, not {wanted}")
    return population


def _other(record: ProjectRecord, path: Path, found: str) -> OtherItemsError:
    return OtherItemsError(
        record.name,
        f"{path} is not the file whose items are labelled in project {record.name!r}, or it was "
        f"changed: {found}. Put that file back, or say where it is now.",
    )
