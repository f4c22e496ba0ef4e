"""A classifier watched wave after wave: has its precision or recall changed?

Each wave is a sample of two groups, the items predicted positive and the others, as a session of
the designs "oversampling" and "simple_random" leaves it. Earlier waves say where the estimates of
the next one will lie if nothing has changed; a wave outside raises an alarm.

>>> waves = [Wave("May", 138, 22, 108, 4732, above=16_000, below=484_000),
...          Wave("June", 140, 20, 101, 4739, above=15_500, below=484_500),
...          Wave("July", 96, 64, 110, 4730, above=17_000, below=483_000)]
>>> found = monitor(waves)
>>> [report.alarms for report in found.reports]
[(), (), ('precision', 'recall')]
>>> print(found.reports[2].sentence())
Alarm in 'July': precision came out at 60 %, expected between 76 % and 95 %; recall came out
at 48 %, expected between 50 % and 68 %.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from labelcore.errors import PlanError, whole_number
from labelcore.papers.oversampling.groups import NO_COUNTS, Counts, recall_of
from labelcore.papers.oversampling.intervals import Groups, Limits, bayes_intervals, posterior_means
from labelcore.papers.oversampling.next_wave import Forecast, forecast
from labelcore.promises import Form, Promise, Status
from labelcore.results.base import Result
from labelcore.results.types import Estimate, Scope
from labelcore.words import sentences as words

if TYPE_CHECKING:
    from labelcore.session.session import Session

QUANTITIES = ("precision", "recall")
NONE_FOUND = "no positive found"
JEFFREYS = Counts.of(0.5, 0.5, 0.5, 0.5)
SAMPLED_BY_GROUP = ("oversampling", "simple_random")
UNFINISHED = (Status.OPEN, Status.WAITING)
PREDICTIVE = "posterior predictive distribution of both groups, summed up exactly (approximate)"
POSTERIOR = "posterior of both groups, the earlier waves as prior (approximate)"
SOURCE = "Shang, Langlois, Tsioutsiouliklis and Kang (2023), section 3.2, equations 6 to 8"
SAME_RATES = "the rates of both groups are still those of the earlier waves"
EARLIER = "the earlier waves say something about this one, to the weight of the discount"
RANDOM_IN_GROUPS = "within each group the labelled items of a wave are a simple random sample"
ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Wave:
    """The labels of one wave, and the file they were drawn from.

    Parameters
    ----------
    name
        what the wave is called, such as "May"
    true_positive, false_positive
        labels among the items predicted positive
    false_negative, true_negative
        labels among the others
    above, below
        how many items of the wave's file are predicted positive, and how many are not
    classifier, positive
        names, for sentences

    Raises
    ------
    PlanError
        A count is negative, a group has no label, or there are more labels than items.

    Examples
    --------
    >>> import labelcore as lc
    >>> wave = lc.Wave("May", 138, 22, 108, 4732, above=16_000, below=484_000)
    >>> wave.labels
    5000
    """

    name: str
    true_positive: int
    false_positive: int
    false_negative: int
    true_negative: int
    above: int = field(kw_only=True)
    below: int = field(kw_only=True)
    classifier: str | None = field(default=None, kw_only=True)
    positive: str = field(default="yes", kw_only=True)

    def __post_init__(self) -> None:
        for name in ("true_positive", "false_positive", "false_negative", "true_negative"):
            if whole_number(f"{name} of wave {self.name!r}", getattr(self, name)) < 0:
                raise PlanError(
                    f"{name} of wave {self.name!r} must be 0 or more, got {getattr(self, name)!r}"
                )
        for name, labels in (("above", self.labels_above), ("below", self.labels_below)):
            items = getattr(self, name)
            if labels < 1:
                raise PlanError(f"wave {self.name!r} needs at least 1 label in group {name!r}")
            if items < labels:
                raise PlanError(
                    f"{name} of wave {self.name!r} must be at least its {labels:,} labels, got "
                    f"{items!r}"
                )

    @property
    def labels_above(self) -> int:
        """Labels among the items predicted positive."""
        return self.true_positive + self.false_positive

    @property
    def labels_below(self) -> int:
        """Labels among the other items."""
        return self.false_negative + self.true_negative

    @property
    def labels(self) -> int:
        """All labels of the wave."""
        return self.labels_above + self.labels_below

    @property
    def counts(self) -> Counts:
        """The labels as a table of four counts."""
        return Counts.of(
            self.true_positive, self.false_positive, self.false_negative, self.true_negative
        )

    @property
    def groups(self) -> Groups:
        """The sizes of the two groups."""
        return Groups(self.above, self.below)

    def observed(self) -> tuple[float, float]:
        """The plain estimates, without a prior.

        Returns
        -------
        precision : float
            The share of positives among the labels of items predicted positive.
        recall : float
            NaN if no positive was found.
        """
        above, below = self.counts.rates()
        return float(above), float(recall_of(self.groups.k, above, below))


def wave_of(session: Session, name: str | None = None) -> Wave:
    """The labels of a session as a wave, named like its project unless ``name`` is given.

    Items without a verdict are left out. Raises PlanError if the session still goes on, if its
    labels are no random sample of the two groups, or if it has more than two classes.
    """
    engine, called = session.engine, name or session.project
    if session.plan.design not in SAMPLED_BY_GROUP:
        raise PlanError(
            f"session {called!r} was drawn by {session.plan.design!r}; a wave needs one of "
            + ", ".join(repr(design) for design in SAMPLED_BY_GROUP)
        )
    if session.status in UNFINISHED:
        raise PlanError(f"session {called!r} is {session.status!r}; finish it before it is a wave")
    if session.plan.existing == "certainty":
        raise PlanError(f"session {called!r} counts known answers, which are no random sample")
    classes, classifier = session.population.classes, engine.classifiers[0]
    if len(classes) != 2 or classifier is None:
        raise PlanError(f"session {called!r} needs a classifier with two classes, got {classes!r}")
    positive = session.population.positive
    cells = engine.tallies[classifier].cells(classes.index(positive))
    above = cells.predicted
    hits, labels = cells.positive, cells.labelled
    return Wave(
        called,
        round(hits[above].sum()),
        round((labels - hits)[above].sum()),
        round(hits[~above].sum()),
        round((labels - hits)[~above].sum()),
        above=round(cells.size[above].sum()),
        below=round(cells.size[~above].sum()),
        classifier=classifier,
        positive=positive,
    )


@dataclass(frozen=True, slots=True)
class Prediction(Result):
    """Where the estimate of the next wave should lie; it says nothing about the true value.

    value      the expected estimate
    low, high  the interval for the estimate, both ends included
    confidence how much of the predictive distribution lies inside
    labels_above, labels_below   labels of that wave in the two groups
    waves      how many earlier waves it rests on
    """

    estimand: str
    value: float
    low: float
    high: float
    confidence: float
    labels_above: int
    labels_below: int
    waves: int
    wave: str = ""
    method: str = PREDICTIVE
    assumptions: tuple[str, ...] = (SAME_RATES, RANDOM_IN_GROUPS)
    source: str = SOURCE

    def holds(self, estimate: float) -> bool:
        """Whether an estimate lies inside; an unknown one counts as inside."""
        return not (estimate < self.low - ROUNDING or estimate > self.high + ROUNDING)

    def sentence(self) -> str:
        low, high = words.percent_range(self.low, self.high)
        where = f" in {self.wave!r}" if self.wave else " in the next wave"
        return (
            f"For {words.count(self.labels_above)} among the items predicted positive and "
            f"{self.labels_below:,} among the others{where}, the estimate of {self.estimand} is "
            f"expected between {low} and {high} ({words.confidence_words(self.confidence)} "
            f"predictive interval, if the rates are still those of "
            f"{words.count(self.waves, 'earlier wave')})."
        )


@dataclass(frozen=True, eq=False, slots=True)
class WaveReport:
    """What one wave says.

    precision, recall   posterior intervals of the true values in the wave's file; the earlier waves
                        are the prior, unless this wave raised an alarm
    predicted           where precision and recall were expected; empty for the first wave
    alarms              the quantities whose estimate lies outside
    """

    wave: Wave
    precision: Estimate
    recall: Estimate
    predicted: tuple[Prediction, ...]
    alarms: tuple[str, ...]

    def sentence(self) -> str:
        if not self.predicted:
            return f"{self.wave.name!r} has no earlier wave to be compared with."
        if not self.alarms:
            return f"{self.wave.name!r} lies where the earlier waves expected it."
        observed = dict(zip(QUANTITIES, self.wave.observed(), strict=True))
        alarms = [
            f"{row.estimand} came out at "
            f"{words.value_percent(observed[row.estimand], row.low, row.high)}, expected between "
            + " and ".join(words.percent_range(row.low, row.high))
            for row in self.predicted
            if row.estimand in self.alarms
        ]
        return f"Alarm in {self.wave.name!r}: " + "; ".join(alarms) + "."


@dataclass(frozen=True, eq=False, slots=True)
class Monitoring:
    """Reports of all waves, and what the next one is expected to show.

    weight   the labels since the last alarm, with which later waves are compared, discounted up to
             the last wave
    since    how many waves these labels come from
    """

    reports: tuple[WaveReport, ...]
    confidence: float
    discount: float
    weight: Counts
    since: int

    @property
    def alarm(self) -> bool:
        """Whether any wave raised an alarm."""
        return any(report.alarms for report in self.reports)

    def next_wave(
        self, labels_above: int, labels_below: int, *, above: int, below: int
    ) -> tuple[Prediction, Prediction]:
        """Where precision and recall of a wave with so many labels and items are expected, each at
        the given confidence; an alarm is raised only further out, because alpha is shared.

        Raises ValueError for a number that is not above 0.
        """
        ahead = forecast(
            JEFFREYS.plus(self.weight, self.discount), above / below, labels_above, labels_below
        )
        return _predictions(ahead, self.confidence, (labels_above, labels_below), self.since, "")

    def to_frame(self) -> pd.DataFrame:
        """A row per wave and quantity."""
        return pd.DataFrame([row for report in self.reports for row in _rows(report)])


def monitor(
    waves: Iterable[Wave],
    *,
    confidence: float = 0.95,
    discount: float = 1.0,
    planned: int | None = None,
) -> Monitoring:
    """Precision and recall of each wave, with an alarm if a wave is not as expected.

    Parameters
    ----------
    waves
        in the order of time
    confidence
        1 - alpha, for all comparisons together
    discount
        what a wave's labels weigh one wave later, above 0 and at most 1. 1: all waves count alike.
        Less: slow drift is tolerated, and the predictive intervals are wider
    planned
        how many comparisons share alpha equally. None: comparison j gets alpha / (j (j + 1)), which
        adds up to at most alpha for any number of waves

    Returns
    -------
    Monitoring
        A report on each wave, and what the next one is expected to show.

    Raises
    ------
    PlanError
        The confidence, the discount or the number of waves is not possible.

    Notes
    -----
    Promise of the alarm: while nothing changes, the chance that any wave ever raises one is about
    alpha (over five waves .025 to .051 at .05, docs/papers/003_oversampling.md), because each
    comparison is split between precision and recall; with a discount below 1 it is smaller still.
    Promise of the estimates: none, as they assume that the earlier waves were alike.

    After an alarm the waves before it no longer count, neither as prior nor for expectations.

    Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023), sections 3.2 and 5. Departures: the
    predictive distribution is summed exactly; the paper names no alarm rule.

    Examples
    --------
    >>> import labelcore as lc
    >>> waves = [lc.Wave("May", 138, 22, 108, 4732, above=16_000, below=484_000),
    ...          lc.Wave("June", 96, 64, 110, 4730, above=17_000, below=483_000)]
    >>> lc.monitor(waves).alarm
    True
    """
    all_waves = list(waves)
    _check(all_waves, confidence, discount, planned)
    reports: list[WaveReport] = []
    weight, since = NO_COUNTS, 0
    for number, wave in enumerate(all_waves):
        share = 1 / planned if planned else 1 / max(number * (number + 1), 1)
        prior = NO_COUNTS.plus(weight, discount)
        predicted: tuple[Prediction, ...] = ()
        if since:
            sizes = wave.labels_above, wave.labels_below
            ahead = forecast(JEFFREYS.plus(prior), wave.groups.k, *sizes)
            sure = 1 - (1 - confidence) * share / 2
            predicted = _predictions(ahead, sure, sizes, since, wave.name)
        alarms = tuple(
            prediction.estimand
            for prediction, seen in zip(predicted, wave.observed(), strict=False)
            if not prediction.holds(seen)
        )
        if alarms:
            prior, since = NO_COUNTS, 0
        precision, recall = _estimates(wave, prior if since else None, confidence)
        reports.append(WaveReport(wave, precision, recall, predicted, alarms))
        weight, since = prior.plus(wave.counts), since + 1
    return Monitoring(tuple(reports), confidence, discount, weight, since)


def _check(waves: Sequence[Wave], confidence: float, discount: float, planned: int | None) -> None:
    if not waves:
        raise PlanError("waves must hold at least 1 wave, got none")
    given: Sequence[object] = waves
    if other := [wave for wave in given if not isinstance(wave, Wave)]:
        raise TypeError(f"waves must hold labelcore.Wave alone, got {other[0]!r}")
    if not 0 < confidence < 1:
        raise PlanError(f"confidence must lie between 0 and 1, got {confidence!r}")
    if not 0 < discount <= 1:
        raise PlanError(f"discount must lie above 0 and at most at 1, got {discount!r}")
    if planned is not None and len(waves) - 1 > planned:
        number = len(waves) - 1
        raise PlanError(f"planned must be at least the {number} comparisons made, got {planned!r}")


def _predictions(
    forecasts: tuple[Forecast, Forecast],
    confidence: float,
    sizes: tuple[int, int],
    waves: int,
    name: str,
) -> tuple[Prediction, Prediction]:
    precision, recall = (
        Prediction(quantity, part.mean, *part.limits(confidence), confidence, *sizes, waves, name)
        for quantity, part in zip(QUANTITIES, forecasts, strict=True)
    )
    return precision, recall


def _estimates(wave: Wave, prior: Counts | None, confidence: float) -> tuple[Estimate, Estimate]:
    """Posterior intervals of a wave's true precision and recall."""
    pair = bayes_intervals(wave.counts, wave.groups, confidence, prior)
    values = posterior_means(wave.counts, wave.groups, prior)

    def estimate(quantity: str, value: float, limits: Limits) -> Estimate:
        low, high = (float(end) for end in limits)
        return Estimate(
            estimand=quantity,
            value=None if np.isnan(value) else min(max(float(value), low), high),
            low=low,
            high=high,
            confidence=confidence,
            labels_used=wave.labels,
            draws_used=wave.labels,
            method=POSTERIOR,
            promise=Promise.NONE,
            assumptions=(RANDOM_IN_GROUPS,) if prior is None else (RANDOM_IN_GROUPS, EARLIER),
            source=SOURCE,
            form=Form.APPROXIMATE,
            scope=Scope(
                file=wave.name,
                n_items=wave.above + wave.below,
                classifier=wave.classifier,
                positive=wave.positive,
            ),
        )

    return (
        estimate("precision", float(values[0]), pair.precision),
        estimate("recall", float(values[1]), pair.recall),
    )


def _rows(report: WaveReport) -> list[dict[str, Any]]:
    expected = {prediction.estimand: prediction for prediction in report.predicted}
    rows = []
    for quantity, seen in zip(QUANTITIES, report.wave.observed(), strict=True):
        prediction, estimate = expected.get(quantity), getattr(report, quantity)
        rows.append(
            {
                "wave": report.wave.name,
                "estimand": quantity,
                "labels": report.wave.labels,
                "observed": seen,
                "expected_low": None if prediction is None else prediction.low,
                "expected_high": None if prediction is None else prediction.high,
                "alarm": quantity in report.alarms,
                "value": estimate.value,
                "low": estimate.low,
                "high": estimate.high,
            }
        )
    return rows
