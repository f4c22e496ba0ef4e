"""Classifiers of a plan that no result of it would be about."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from labelcore.designs.base import Design
from labelcore.designs.choices import Chooses
from labelcore.designs.samples import named_classifiers
from labelcore.errors import PlanArgumentError
from labelcore.estimands import DIFFERENCES, LISTS, SCALARS

NO_RESULT = "names {others}, and no result of {plan.design=} for {estimands} would be about it: "
ONE_LIST = (
    "a ranked list has the order of one classifier, here {first}; make a separate plan for each "
    "of the others, or compare two lists on the same labels with {plan.design=paired_lists}"
)
CANDIDATES_ONLY = (
    "it chooses among {{params.{candidates}}} only; name {{others}} there too, or {{first}} alone"
)


def check_all_read(
    method: Design[Any],
    estimands: tuple[str, ...],
    params: Any,
    classifiers: tuple[str, ...],
    claimed: Set[str],
) -> None:
    """Raise PlanError for a classifier that no result would be about; ``claimed`` are the names
    that claims mention."""
    if any(name in {**SCALARS, **DIFFERENCES, **LISTS} for name in estimands):
        return
    read = {*classifiers[:1], *named_classifiers(method, params), *claimed}
    left = tuple(name for name in classifiers if name not in read)
    if left:
        why = ONE_LIST
        if isinstance(method, Chooses):
            why = CANDIDATES_ONLY.format(candidates=method.chooses_among)
        raise PlanArgumentError.naming(
            "classifier",
            NO_RESULT + why,
            value=left,
            first=repr(classifiers[0]),
            others=", ".join(map(repr, left)),
            design=method.name,
            estimands=", ".join(estimands),
        )
