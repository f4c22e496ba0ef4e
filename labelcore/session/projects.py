"""Projects: what a session stores of its file and plan before the first label."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from labelcore.errors import ProjectExistsError, UnknownProjectError
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.session.ledger import now
from labelcore.store import LabelStore, ProjectRecord


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


def created_or_same(store: LabelStore, record: ProjectRecord) -> ProjectRecord:
    """The stored record: a new one, or the existing one of the same file and plan."""
    try:
        existing = store.project(record.name)
    except UnknownProjectError:
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
