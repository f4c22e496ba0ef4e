"""Classifiers of a plan that no result of it would be about."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from labelcore.designs.base import Design
from labelcore.designs.choices import Chooses
from labelcore.designs.samples import named_classifiers
from labelcore.errors import Given, InPlan, Named, Part, PlanArgumentError
from labelcore.estimands import DIFFERENCES, SCALARS

ONE_LIST = (
    "a ranked list has the order of one classifier, here {first}; make a separate plan for each "
    "of the others"
)
CANDIDATES_ONLY = " only; name {others} there too, or {first} alone"


def check_all_read(
    method: Design[Any],
    estimands: tuple[str, ...],
    params: Any,
    classifiers: tuple[str, ...],
    claimed: Set[str],
) -> None:
    """Raise PlanError for a classifier that no result would be about; ``claimed`` are the names
    that claims mention."""
    if any(name in SCALARS or name in DIFFERENCES for name in estimands):
        return
    read = {*classifiers[:1], *named_classifiers(method, params), *claimed}
    left = tuple(name for name in classifiers if name not in read)
    if left:
        others = ", ".join(map(repr, left))
        named = {"first": repr(classifiers[0]), "others": others}
        why: tuple[Part, ...] = (ONE_LIST.format(**named),)
        if isinstance(method, Chooses):
            only = CANDIDATES_ONLY.format(**named)
            why = ("it chooses among ", Named(method.chooses_among), only)
        raise PlanArgumentError(
            "classifier",
            "names ",
            Given(others),
            ", and no result of ",
            InPlan("design", method.name),
            f" for {', '.join(estimands)} would be about it: ",
            *why,
            value=left,
        )
