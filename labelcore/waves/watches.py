"""What a monitor watches: lines of evidence, what is required, and alarms."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from labelcore.errors import ArgumentError, PlanArgumentError, did_you_mean
from labelcore.estimands import SCALARS
from labelcore.log.engine import Engine
from labelcore.plan.claims import Quantity, readings
from labelcore.plan.plan import Plan
from labelcore.promises import Promise
from labelcore.stats.profile import FloatArray
from labelcore.waves.evidence import LONGEST, change_evidence, requirement_evidence
from labelcore.waves.measured import Measured, side_by_side

COLUMNS = (
    "wave", "estimand", "value", "low", "high", "evidence", "alarm", "watch", "required",
    "threshold", "labels", "first_labels", "promise",
)  # fmt: skip
LIKELY = 0.15
"""Starts whose evidence is this share of the highest one's may be when it began, too."""
EXAMPLE = "'precision >= 0.8' or 'accuracy[language=de] >= 0.75'"


@dataclass(frozen=True, slots=True)
class Watch:
    """One line of evidence.

    key        a figure, as in ``Session.results``
    required   what it must not be lower than; None: what it was in the waves before
    facing     whether a change is told by the rule of monitors of before (``change_evidence``)
    """

    key: str
    required: float | None
    facing: bool = True

    def __str__(self) -> str:
        if self.required is None:
            return f"{self.key} since launch"
        return f"{self.key} >= {self.required:.10g}"


@dataclass(frozen=True, slots=True)
class Alarm:
    """A figure has fallen.

    Attributes
    ----------
    estimand
        the figure, as in ``Session.results``
    required
        what it must not be lower than; None: it is lower than it was before
    wave
        the first wave in which the evidence reached its threshold
    evidence, threshold
        both
    since, since_first, since_last
        from which wave it has probably been lower; the first and the last one that it may be
    """

    estimand: str
    required: float | None
    wave: str
    evidence: float
    threshold: float
    since: str
    since_first: str
    since_last: str

    @property
    def about(self) -> str:
        """From which wave, with the range in which that is."""
        if self.since_first == self.since_last:
            return self.since
        return f"{self.since} ({self.since_first} to {self.since_last})"

    @property
    def lower(self) -> str:
        """Than what it has been lower."""
        if self.required is None:
            return "lower than before"
        return f"lower than {100 * self.required:.10g} %"

    def sentence(self) -> str:
        """Say what has fallen, and since when.

        Returns
        -------
        str
            One sentence.
        """
        return (
            f"Alarm in {self.wave}: {self.estimand} has been {self.lower} since about "
            f"{self.about}; evidence {self.evidence:,.0f}, alarm from {self.threshold:,.0f}."
        )


def rows_of(
    watches: Sequence[Watch], thresholds: Sequence[float], stretch: Sequence[Measured]
) -> Iterator[tuple[dict[str, Any], Alarm | None]]:
    """A row of ``COLUMNS`` for each wave from a launch on and each line of evidence, with its
    alarm if it has one.

    thresholds   of requirements, and of changes since launch
    """
    over = [wave for wave in stretch if wave.over]
    for wave in stretch:
        for watch in watches:
            limit = float(thresholds[watch.required is None])
            row: dict[str, Any] = dict.fromkeys(COLUMNS) | {
                "wave": wave.wave, "estimand": watch.key, "watch": str(watch), "alarm": False,
                "required": watch.required, "threshold": limit, "labels": wave.labels,
                "first_labels": wave.first,
            }  # fmt: skip
            alarm = None
            if wave.over and watch.key in wave.figures:
                figure = wave.figures[watch.key]
                before = over[: over.index(wave) + 1]
                starts = evidence(watch, before)
                total = float(starts.sum())
                row |= {
                    "value": figure.told, "low": figure.low, "high": figure.high,
                    "evidence": total, "alarm": total >= limit,
                    "promise": str(Promise.NONE if wave.seen else Promise.FIXED),
                }  # fmt: skip
                if total >= limit:
                    alarm = _alarm(watch, before, starts, limit)
            yield row, alarm


def evidence(watch: Watch, waves: Sequence[Measured]) -> FloatArray:
    """The evidence of each start in the last of some waves, the latest start first."""
    row = SCALARS[watch.key.partition("[")[0].partition("@")[0]]
    figures = [wave.figures[watch.key] for wave in waves if watch.key in wave.figures]
    if watch.required is not None:
        cells, suggested = side_by_side(figures[-LONGEST:])
        return requirement_evidence(cells, row, watch.required, suggested)
    cells, suggested = side_by_side(figures)
    return change_evidence(cells, row, suggested, facing=watch.facing)


def _alarm(watch: Watch, waves: Sequence[Measured], starts: FloatArray, limit: float) -> Alarm:
    names = [wave.wave for wave in waves if watch.key in wave.figures][::-1]
    likely = np.flatnonzero(starts >= LIKELY * starts.max())
    return Alarm(
        watch.key, watch.required, names[0], float(starts.sum()), limit,
        names[int(starts.argmax())], names[int(likely[-1])], names[int(likely[0])],
    )  # fmt: skip


def meanings(text: object, plan: Plan) -> list[tuple[Quantity, float]]:
    """What a requirement may mean of the figures of a plan. Raises ArgumentError."""
    try:
        claims = readings(text)
    except (PlanArgumentError, TypeError):
        claims = []
    sides = [(claim.left, claim.right) for claim in claims if claim.above]
    meant = [(left, share) for left, share in sides if not isinstance(share, Quantity)]
    if not meant:
        name = re.match(r"\w*", str(text))
        near = "" if name is None or name[0] in SCALARS else did_you_mean(name[0], SCALARS)
        rule = f"must be texts such as {EXAMPLE}, with a share between 0 and 1{near}"
        raise ArgumentError("requirements", rule, got=text)
    if not (asked := [(left, share) for left, share in meant if left.estimand in plan.estimands]):
        raise _not_asked(text, plan.estimands)
    return asked


def _not_asked(text: object, known: Iterable[str]) -> ArgumentError:
    rule = f"must be about figures that the plan asks for: {', '.join(sorted(known))}"
    return ArgumentError("requirements", rule + did_you_mean(str(text), known), got=text)


def requirement(text: str, engine: Engine) -> Watch:
    """The figure of the plan that a requirement is about. Raises ArgumentError."""
    known = {question.key for question in engine.questions if question.versus is None}
    first = engine.classifiers[0]
    for left, required in meanings(text, engine.plan):
        whose = left.at or (left.inside if left.inside in engine.classifiers else None)
        inside = "" if left.inside in (None, whose) else f"[{left.inside}]"
        at = "" if whose in (None, first) else f"@{whose}"
        group = "" if left.group is None else f"[{left.group.column}={left.group.name}]"
        key = f"{left.estimand}{inside}{at}{group}"
        if key in known:
            return Watch(key, required)
    raise _not_asked(text, known)
