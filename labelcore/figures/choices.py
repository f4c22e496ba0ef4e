"""The choice between candidates, from the state of an engine."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from labelcore.designs.choices import Chooses, LabelsUntil, OtherChoice
from labelcore.estimands import CHOICES
from labelcore.figures.assumptions import assumptions
from labelcore.figures.from_counts import look_at
from labelcore.figures.readiness import scope_of_file
from labelcore.log.engine import Engine
from labelcore.log.further_choices import check_sought
from labelcore.promises import ChoiceStatus, Promise
from labelcore.results.types import Choice

NONE = ChoiceStatus.NONE_ACCEPTABLE
ROUNDING = 1e-12
QUARTILES = (0.25, 0.5, 0.75)
EARLIER_CHOICES = "there are no other choices: this project was measured by an earlier rule"
NO_CHOICE = (
    "a candidate is chosen from bounds that hold for all candidates together; the method {name!r} "
    "gives each classifier its own interval. Choose 'Choose by reach' (reach_selection)"
)


def choice_results(engine: Engine) -> dict[str, Choice]:
    """{"selection": Choice} where the plan asks for it."""
    return {name: _choice(engine, name) for name in engine.plan.estimands if name in CHOICES}


def reached(taken: NDArray[np.float64], share: float) -> int | None:
    """The labels that this share of simulated sessions took at the most; ``taken`` rises.

    >>> reached(np.array([40.0, 60.0, 90.0, np.inf]), 0.5)
    60
    """
    labels = float(taken[math.ceil(share * len(taken)) - 1])
    return int(labels) if math.isfinite(labels) else None


def choice_made(engine: Engine) -> bool:
    """Whether a candidate is chosen for sure, or none is acceptable for sure, for the requirement
    that labels are asked for."""
    if not any(name in CHOICES for name in engine.plan.estimands):
        return False
    design: Chooses[Any] = Chooses.of(engine.design)
    status = design.status(engine.setup, engine.frame, engine.progress, look_at(engine))
    return status in (ChoiceStatus.GUARANTEED, NONE)


def _choice(engine: Engine, name: str) -> Choice:
    look, params = look_at(engine), engine.setup.params
    design: Chooses[Any] = Chooses.of(engine.design)
    choice = design.choice(engine.setup, engine.frame, engine.progress, look)
    # Unsure and broken items count both ways here, however few they are.
    assumed = assumptions(engine, choice.method.form, both=True)
    return Choice(
        estimand=name,
        chosen=choice.chosen,
        threshold=choice.threshold,
        status=choice.status,
        bounds=choice.bounds,
        precision_threshold=params.precision_threshold,
        precision_slack=params.precision_slack,
        reach_slack=params.reach_slack,
        confidence=choice.confidence,
        labels_used=choice.labels,
        draws_used=choice.draws,
        method=str(choice.method),
        promise=Promise.NONE if choice.status == ChoiceStatus.GUESS else Promise.WATCHED,
        assumptions=(*choice.assumptions, *assumed),
        source=choice.method.source,
        missing=choice.missing,
        scope=scope_of_file(engine),
        form=choice.method.form,
    )


def choices_at(engine: Engine, precisions: Sequence[float]) -> list[OtherChoice]:
    """Which candidate would be chosen for each of several required precisions.

    Raises ValueError for a plan that asks for no choice, and for a precision outside (0, 1].
    """
    if not any(name in CHOICES for name in engine.plan.estimands):
        raise ValueError(NO_CHOICE.format(name=engine.design.label))
    if engine.plan.superseded:
        raise ValueError(EARLIER_CHOICES)
    for precision in precisions:
        if not 0 < precision <= 1:
            raise ValueError(f"precisions must lie above 0 and be at most 1, got {precision!r}")
    design: Chooses[Any] = Chooses.of(engine.design)
    return design.choices_at(engine.setup, engine.frame, engine.progress, list(precisions))


def labels_until(engine: Engine, precision: float) -> LabelsUntil:
    """What it may take to make the choice at another required precision, in simulated worlds.

    Raises ValueError where the choice is made already or cannot be sought.
    """
    check_sought(engine, precision)
    design: Chooses[Any] = Chooses.of(engine.design)
    taken = design.labels_until(engine.setup, engine.frame, engine.progress, precision)
    return LabelsUntil(precision, *(reached(taken, share) for share in QUARTILES))


@dataclass(frozen=True, slots=True)
class TrueChoice:
    """best: the candidate with the highest reach at the wanted precision, or "none acceptable";
    right: every answer that keeps the two conditions of a guarantee."""

    best: str
    right: frozenset[str]


def true_choice(engine: Engine, codes: NDArray[np.int64]) -> TrueChoice:
    """What the right choices would be, ``codes`` (n_items,) being the true classes."""
    params = engine.setup.params
    truth = codes == engine.classes[engine.population.positive]
    called = Chooses.of(engine.design).candidates(engine.frame)
    reach = {name: int(truth[items].sum()) for name, items in called.items()}
    precision = {name: reach[name] / len(items) for name, items in called.items()}
    good = [name for name in called if precision[name] >= params.precision_threshold - ROUNDING]
    tolerated = params.precision_threshold - params.precision_slack - ROUNDING
    right = [name for name in called if precision[name] >= tolerated]
    if not good:
        return TrueChoice(NONE, frozenset([NONE, *right]))
    best = max(good, key=lambda name: reach[name])
    least = (1 - params.reach_slack) * reach[best] - ROUNDING
    return TrueChoice(best, frozenset(name for name in right if reach[name] >= least))
