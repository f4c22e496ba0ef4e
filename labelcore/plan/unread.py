"""Classifiers of a plan that no result of it would be about."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

from labelcore.designs.base import Design
from labelcore.errors import PlanError


def check_all_read(
    method: Design[Any],
    estimands: tuple[str, ...],
    params: Any,
    classifiers: tuple[str, ...],
    claimed: Set[str],
) -> None:
    """Raise PlanError for a classifier that no result would be about; ``claimed`` are the names
    that claims mention."""
    unread = method.unread(estimands, params, classifiers)
    left = [repr(name) for name in unread if name not in claimed]
    if left:
        others = ", ".join(left)
        advice = method.unread_words.format(first=repr(classifiers[0]), others=others)
        raise PlanError(
            f"classifier names {others}, and no result of design {method.name!r} for "
            f"{', '.join(estimands)} would be about it: {advice}"
        )
