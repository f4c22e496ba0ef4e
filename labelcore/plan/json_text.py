"""The JSON text of a plan as the arguments of one."""

from __future__ import annotations

import json
from collections.abc import Collection
from typing import Any

from labelcore.errors import PlanError

NEEDED = ("design", "estimands")


def plan_arguments(text: str, known: Collection[str]) -> dict[str, Any]:
    """Name -> value; PlanError for text that is no JSON object of the ``known`` names."""
    try:
        values = json.loads(text)
    except RecursionError:
        raise PlanError("the plan is not valid JSON: it is nested too deeply") from None
    except ValueError as error:
        raise PlanError(f"the plan is not valid JSON: {error}") from None
    if not isinstance(values, dict):
        raise PlanError(f"the plan must be a JSON object, got {type(values).__name__}")
    if unknown := sorted(set(values) - set(known)):
        raise PlanError(f"the plan has the unknown field {unknown[0]!r}")
    if missing := [name for name in NEEDED if name not in values]:
        raise PlanError(f"the plan lacks the field {missing[0]!r}")
    return values
