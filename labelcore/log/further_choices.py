"""When labels may be asked until the choice at another required precision is made."""

from typing import Any

from labelcore.designs.choices import Chooses
from labelcore.errors import PlanArgumentError, PlanError
from labelcore.log.engine import Engine
from labelcore.promises import ChoiceStatus

NO_CHOICE = "the plan asks for no choice between candidates"
EARLIER = "the project was measured by an earlier rule: no choice is added to it"
GOING_ON = "labels are asked for another choice still: let it be made first"
MADE = "must be one whose choice is still open; these labels make it already"


def no_further_choice(engine: Engine) -> str:
    """Why no choice is sought beside that of the plan; "" where one may be."""
    if not isinstance(engine.design, Chooses):
        return NO_CHOICE
    if engine.plan.superseded:
        return EARLIER
    reason = engine.design.no_further_choice(engine.setup.params)
    return f"no other choice is sought in this project: {reason}" if reason else ""


def check_sought(engine: Engine, precision: float) -> None:
    """Raise PlanError unless the choice at this required precision may be sought now."""
    if reason := no_further_choice(engine):
        raise PlanError(reason)
    if isinstance(precision, bool) or not isinstance(precision, float | int):
        raise PlanArgumentError("precision", "must be a number", got=precision)
    if not 0 < precision <= 1:
        raise PlanArgumentError("precision", "must lie above 0 and be at most 1", got=precision)
    if not (engine.stopped or engine.finished) and engine.has_more:
        raise PlanError(GOING_ON)
    design: Chooses[Any] = Chooses.of(engine.design)
    (choice,) = design.choices_at(engine.setup, engine.frame, engine.progress, [precision])
    if choice.status != ChoiceStatus.UNDECIDED:
        raise PlanArgumentError("precision", MADE, got=precision)
