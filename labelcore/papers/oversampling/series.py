"""Projects that are waves of one series: a file each, the same question, one classifier."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from typing import Any

from labelcore.errors import PlanError
from labelcore.papers.oversampling.monitoring import SAMPLED_BY_GROUP, Monitoring
from labelcore.plan.plan import Plan
from labelcore.session.carried import MONITOR
from labelcore.session.session import Session
from labelcore.store import LabelStore, ProjectRecord

SERIES = "series"


def can_be_wave(plan: Plan, n_classes: int) -> bool:
    """Whether a project of this plan can be one of several waves."""
    return plan.design in SAMPLED_BY_GROUP and n_classes == 2


def may_be_wave(session: Session) -> bool:
    """Whether a session can be one."""
    return can_be_wave(session.plan, len(session.population.classes))


def series_key(record: ProjectRecord) -> str:
    """What the waves of a series share: the moment at which the first of them was made."""
    return str(json.loads(record.settings_json).get(SERIES) or record.created_at)


def series_of(store: LabelStore, project: str) -> list[ProjectRecord]:
    """The projects of the same series, the oldest first. Raises UnknownProjectError."""
    key = series_key(store.project(project))
    found = [record for record in store.projects() if series_key(record) == key]
    return sorted(found, key=lambda record: record.created_at)


def next_settings(last: ProjectRecord, now: dict[str, Any]) -> dict[str, Any]:
    """The settings of the next wave: the words as they are ``now``, in the same series."""
    return {**{name: now[name] for name in now if name != MONITOR}, SERIES: series_key(last)}


def next_plan(plan: Plan, found: Monitoring, seed: int) -> Plan:
    """The plan of the next wave: the same with another seed; a method that plans with counts of an
    earlier sample gets those of the waves so far, discounted.

    Raises PlanError for the seed of the wave before: the same draws would be asked again.
    """
    if seed == plan.seed:
        raise PlanError(f"seed must be another one than that of the last wave, got {seed}")
    params = dict(plan.params)
    if "prior_counts" in [item.name for item in fields(plan.method.Params)]:
        kept = found.weight
        counts = (kept.true_positive, kept.false_positive, kept.false_negative, kept.true_negative)
        params["prior_counts"] = tuple(round(found.discount * float(one)) for one in counts)
    return replace(plan, params=params, seed=seed, planned=None)
