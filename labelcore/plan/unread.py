"""Classifiers of a plan that no result of it would be about."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from labelcore.designs.base import Design
from labelcore.designs.choices import Chooses
from labelcore.designs.samples import named_classifiers
from labelcore.errors import ParameterError, PlanError
from labelcore.estimands import DIFFERENCES, SCALARS

ONE_LIST = (
    "a ranked list has the order of one classifier, here {first}; make a separate plan for each "
    "of the others"
)
CANDIDATES_ONLY = "only; name {others} there too, or {first} alone"


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
    left = [repr(name) for name in classifiers if name not in read]
    if left:
        others = ", ".join(left)
        named = {"first": repr(classifiers[0]), "others": others}
        said = (
            f"classifier names {others}, and no result of design {method.name!r} for "
            f"{', '.join(estimands)} would be about it: "
        )
        if isinstance(method, Chooses):
            rule = CANDIDATES_ONLY.format(**named)
            raise ParameterError(method.chooses_among, rule, lead=f"{said}it chooses among ")
        raise PlanError(said + ONE_LIST.format(**named))
