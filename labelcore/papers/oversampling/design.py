"""Two groups, the predicted positives labelled more densely than the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    WatchedParams,
    extended,
    frame_of,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.one_group import share_of_group
from labelcore.designs.profile_figures import WIDENED, g_profile, profile_may_meet
from labelcore.designs.rates import PROBABILITY_RANGE, planned_part_rates
from labelcore.designs.scalars import Answers, Figures, Goal, half_width
from labelcore.designs.stratified import StratifiedDesign
from labelcore.errors import ParameterError, PlanError
from labelcore.estimands import Estimand, known_group, ratios
from labelcore.papers.oversampling.groups import (
    Counts,
    group_rates,
    live_sizes,
    optimal_ratio,
    optimal_ratio_from_counts,
    used_ratio,
    with_jeffreys,
)
from labelcore.papers.oversampling.intervals import INTERVALS, Groups, posterior_means
from labelcore.population.array_items import Items, Part
from labelcore.promises import Form, Method, Promise
from labelcore.stats.profile import BoolArray, Cells, FloatArray

SMALLEST_BATCH = 5
OPTIMAL, NORMAL = "optimal", "normal"
WITH_PRIOR = ("bayes", "monte_carlo")
PAPER = "Shang, Langlois, Tsioutsiouliklis and Kang (2023), {}"
METHODS = {
    ("normal", "precision"): ("normal interval", "equation 3"),
    ("normal", "recall"): ("normal interval of the log ratio", "equation 4"),
    ("bootstrap", "precision"): ("bootstrap percentiles", "algorithm 1"),
    ("bootstrap", "recall"): ("bootstrap percentiles", "algorithm 1"),
    ("bayes", "precision"): ("posterior, normal curve", "equation 6"),
    ("bayes", "recall"): ("posterior, normal curve of the log ratio", "equations 7 and 8"),
    ("monte_carlo", "precision"): ("posterior by drawing", "algorithm 2"),
    ("monte_carlo", "recall"): ("posterior by drawing", "algorithm 2"),
}
RULES = ", exact ends where counts are few"
Interval = tuple[float, float, float, Method]
"""Value (NaN: the plain one), low, high, and method with source."""

PRIOR_WORDS = ", with {labels:,.0f} earlier labels as prior"
PROFILE = Method(
    "G-profile interval over two groups",
    "Wilks (1938); likelihood-ratio region over the predicted positives and negatives",
    Form.APPROXIMATE,
)
ONE_SIDED = (
    "design 'oversampling' draws from two groups, and classifier {name!r} calls {called} of the "
    "{items:,} items {positive!r}: move the threshold, or use design 'simple_random'"
)
PLANNED_BY = {
    "assumed": "planned as if precision were {:.1%} and recall {:.1%}",
    "prior": "planned by {:,.0f} earlier labels",
}


@dataclass(frozen=True, eq=False, slots=True)
class OversamplingFrame(Frame):
    """The two groups, predicted positives first, and how they are drawn from.

    optimal   s* before it is rounded or raised to 1; ratio: the one used
    assumption   what the rates rest on
    """

    optimal: float = 1.0
    ratio: float = 1.0
    assumption: str = ""


class Oversampling(StratifiedDesign[OversamplingFrame]):
    """A random sample of the predicted positives and one of the others, the former denser.

    With k predicted positives for each other item, the labels are shared k s to 1. The ratio s is
    ``ratio``, or s*, at which recall is estimated best: by theorem 1 from ``assumed_precision`` and
    ``assumed_recall`` or, where nothing is given, from the scores, by theorem 2 from
    ``prior_counts``. s* below 1 becomes 1. The predicted positives get at least 30 labels (or half
    of all, or all of them).

    Promise: "fixed": at the planned size, ``interval`` for precision and recall, the G-profile over
    both groups for accuracy, F1, specificity and prevalence, Wilson's interval for the rates of the
    predicted negatives. ``interval`` "profile" takes the G-profile for precision and recall too: on
    public files it covered better than the paper's four, with up to 17 % narrower intervals of
    recall (docs/papers/003_oversampling.md). With ``prior_counts`` "bayes" and "monte_carlo" use
    them as a prior; then there is no promise, because the interval is as good as the prior.
    "watched": at every look up to the planned size, or the horizon of the plan, by the boundary of
    ``labelcore.stats.horizon``: a quantity of one group has the likelihood-ratio interval of a
    plain random sample of it, the others the G-profile over both groups (approximate, measured in
    docs/watched.md).
    Assumption: none about the scores; bad guesses widen intervals.
    Source: Shang, Langlois, Tsioutsiouliklis and Kang (2023).
    Departures: see ``labelcore.papers.oversampling.intervals``; target "process" adds the chance in
    the file's own share of predicted positives.
    """

    name: ClassVar[str] = "oversampling"
    label: ClassVar[str] = "Over-sampled predicted positives"
    summary: ClassVar[str] = (
        "Two groups, the predicted positives labelled more densely: simple to explain, and its "
        "sizes follow from precision and recall alone. For the same wave after wave."
    )
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within the predicted positives and within the others, at sizes "
        "fixed before the first label",
        APPROXIMATE,
    )
    derived_words: ClassVar[dict[str, str]] = {
        "k": "items called positive for each one not called so",
        "s_star": "over-sampling that makes recall most certain (s*)",
        "ratio": "over-sampling used",
        "pi_1": "precision planned with (pi_1)",
        "pi_0": "false omission rate planned with (pi_0)",
        "n_1": "labels among the items called positive (n_1)",
        "n_0": "labels among the others (n_0)",
    }

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """The ratio and what it is planned from."""

        ratio: float | str = parameter(
            OPTIMAL,
            "how many times denser the predicted positives are labelled; optimal: where recall is "
            "estimated best",
            low=0.01,
            high=1_000_000,
            choices=(OPTIMAL,),
        )
        assumed_precision: float | None = parameter(
            None, "precision to plan with; empty: by the scores", low=0.001, high=1.0
        )
        assumed_recall: float | None = parameter(
            None, "recall to plan with; empty: by the scores", low=0.001, high=1.0
        )
        prior_counts: tuple[float, ...] | None = parameter(
            None,
            "earlier labels to plan with: true positives, false positives, false negatives, true "
            "negatives",
            low=0,
            high=1e12,
        )
        interval: str = parameter(
            NORMAL,
            "how intervals of precision and recall are made at the planned size",
            choices=(*INTERVALS, "profile"),
        )

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        """Who names an interval wants it at the planned size: watching has one of its own."""
        return self.promises if params.interval == NORMAL else (Promise.FIXED,)

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        if promise == Promise.WATCHED and params.interval != NORMAL:
            raise ParameterError.naming(
                "interval",
                "= {value.interval=value} is given at the planned size only; use "
                "{plan.promise=fixed}, or leave the interval out to watch",
                value=params.interval,
            )
        assumed = (params.assumed_precision, params.assumed_recall)
        if (assumed[0] is None) != (assumed[1] is None):
            given, lacking = (
                ("precision", "recall") if assumed[1] is None else ("recall", "precision")
            )
            raise ParameterError.naming(
                f"assumed_{given}",
                "= {value!r} needs {params.assumed_" + lacking + "} beside it",
                value=assumed[assumed[0] is None],
            )
        if params.prior_counts is None:
            return
        if len(params.prior_counts) != 4:
            raise ParameterError(
                "prior_counts",
                "must be the 4 numbers true positives, false positives, false negatives, true "
                f"negatives, got {params.prior_counts!r}",
            )
        if assumed[0] is not None:
            raise ParameterError.naming(
                "prior_counts",
                "cannot go with {params.assumed_precision} = {share!r}; give one of them",
                share=assumed[0],
            )

    def prepare(self, setup: Setup) -> OversamplingFrame:
        population, classifier = setup.population, setup.classifier
        predicted = classifier is not None and classifier in population.predictions
        if classifier is None or not predicted or len(population.classes) != 2:
            raise PlanError(
                "design 'oversampling' needs a classifier with predictions or a threshold and two "
                f"classes, got classifier {classifier!r} and classes {population.classes!r}"
            )
        items, positive = setup.items(), population.classes.index(population.positive)
        parts = [Part({classifier: positive}), Part({classifier: 1 - positive})]
        sizes = items.counts(parts)
        if sizes.min() == 0:
            called = "none" if sizes[0] == 0 else "every one"
            raise PlanError(
                ONE_SIDED.format(
                    name=classifier, called=called, items=len(items), positive=population.positive
                )
            )
        rates, optimal, assumption = _planned_rates(setup, items, parts, sizes)
        ratio = setup.params.ratio
        used = used_ratio(optimal) if ratio == OPTIMAL else float(ratio)
        base = frame_of(setup, items, parts, rates, np.array([True, False]))
        return extended(base, OversamplingFrame, optimal=optimal, ratio=used, assumption=assumption)

    def allocate(self, setup: Setup, frame: OversamplingFrame, progress: Progress) -> IntArray:
        """The planned sizes at once; beyond them a tenth of the labels so far at a time."""
        drawn = int(progress.drawn.sum())
        goal = setup.planned
        if drawn >= goal:
            goal = drawn + max(SMALLEST_BATCH, drawn // 10)
        wanted = _sizes(frame, min(goal, progress.limit))
        room = frame.sizes - progress.drawn
        return np.asarray(np.clip(wanted - progress.drawn, 0, room))

    def least(self, frame: OversamplingFrame) -> int:
        """A label of each group."""
        return 2

    def half_widths(
        self, setup: Setup, answers: Answers[OversamplingFrame], look: Look, drawn: FloatArray
    ) -> FloatArray:
        """As the design's own rates have it, which need not be those of the scores."""
        cells, frame = answers.cells, answers.frame
        of_strata = answers.classifier == setup.classifier and len(cells.size) == frame.n_strata
        if of_strata and cells.stratum is not None:
            expected = cells.labelled * frame.rates[cells.stratum]
            cells = Cells(cells.size, cells.labelled, expected, cells.predicted, cells.stratum)
        return half_width(self.estimate(answers.rows, cells, look, answers.rates))

    def compares(self, params: Any) -> bool:
        return True

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        watched = look.promise == Promise.WATCHED
        methods = [WIDENED if watched else PROFILE] * len(rows)
        intervals = [_own_interval(row, cells, look) for row in rows]
        value, low, high = g_profile(rows, cells, look)
        for place, interval in enumerate(intervals):
            if interval is not None:
                given, low[place], high[place], methods[place] = interval
                value[place] = value[place] if np.isnan(given) else given
        return Figures(
            value,
            low,
            high,
            tuple(methods),
            np.full(len(rows), np.nan),
            promise=Promise.NONE if not watched and _prior(look) is not None else None,
        )

    def may_meet(
        self, answers: Answers[OversamplingFrame], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        return profile_may_meet(replace(answers, rates=None), look, labels, goal)

    def derived(self, frame: OversamplingFrame, labels: int) -> dict[str, Any]:
        sizes = _sizes(frame, labels)
        return {
            "k": float(frame.sizes[0] / frame.sizes[1]),
            "s_star": frame.optimal,
            "ratio": frame.ratio,
            "pi_1": float(frame.rates[0]),
            "pi_0": float(frame.rates[1]),
            "n_1": int(sizes[0]),
            "n_0": int(sizes[1]),
            "assumption": frame.assumption,
        }


def _planned_rates(
    setup: Setup, items: Items, parts: Sequence[Part], sizes: IntArray
) -> tuple[FloatArray, float, str]:
    """The two rates to plan with, s*, and the assumption in words."""
    params = setup.params
    k = float(sizes[0] / sizes[1])
    if params.prior_counts is not None:
        prior = Counts.of(*params.prior_counts)
        words = PLANNED_BY["prior"].format(float(prior.above + prior.below))
        rates = np.array([float(rate) for rate in with_jeffreys(prior).rates()])
        return rates, optimal_ratio_from_counts(k, prior), words
    if params.assumed_precision is not None:
        given = params.assumed_precision, params.assumed_recall
        words = PLANNED_BY["assumed"].format(*given)
        try:
            rates = np.array(group_rates(k, *given))
        except ValueError as error:
            raise ParameterError("assumed_recall", f"does not fit the file: {error}") from error
        return rates, optimal_ratio(k, *rates), words
    scores, words = planned_part_rates(setup, items, parts, np.array([True, False]))
    rates = np.clip(scores, *PROBABILITY_RANGE)
    return rates, optimal_ratio(k, *rates), words


def _sizes(frame: OversamplingFrame, total: int) -> IntArray:
    """How many of ``total`` labels each group gets, (n_strata,)."""
    sizes = live_sizes(total, int(frame.sizes[0]), int(frame.sizes[1]), frame.ratio)
    return np.array([sizes.above, sizes.below], dtype=np.int64)


def _prior(look: Look) -> Counts | None:
    """The earlier labels that an interval uses."""
    params = None if look.setup is None else look.setup.params
    if params is None or params.prior_counts is None or params.interval not in WITH_PRIOR:
        return None
    return Counts.of(*params.prior_counts)


def _own_interval(row: Estimand, cells: Cells, look: Look) -> Interval | None:
    """What takes the place of the G-profile for one estimand, if anything does."""
    table, group = ratios([row], cells), known_group(row, cells)
    alone = group is not None and np.count_nonzero(group) == 1
    watched = look.promise == Promise.WATCHED
    interval = "normal" if look.setup is None else look.setup.params.interval
    two_groups = len(cells.size) == 2 and cells.predicted.sum() == 1
    if not watched and two_groups and (interval, row.name) in METHODS:
        return _two_groups(row.name, interval, cells, look)
    if group is not None and alone and (watched or interval != "profile"):
        return share_of_group(cells, look, table, group)
    return None


def _two_groups(name: str, interval: str, cells: Cells, look: Look) -> Interval:
    """Precision or recall by one of the paper's intervals."""
    up, down = (int(place) for place in np.argsort(~cells.predicted, kind="stable"))
    hits, labels = cells.positive, cells.labelled
    counts = Counts.of(hits[up], labels[up] - hits[up], hits[down], labels[down] - hits[down])
    groups = Groups(float(cells.size[up]), float(cells.size[down]), look.target)
    prior, seed = _prior(look), 0 if look.setup is None else abs(look.setup.seed)
    pair = INTERVALS[interval](
        counts, groups, look.confidence, prior, np.random.default_rng([seed, 3])
    )
    low, high = (float(end) for end in (pair.precision if name == "precision" else pair.recall))
    words, where = METHODS[interval, name]
    if prior is None:
        method = Method(words + RULES, PAPER.format(where), Form.APPROXIMATE)
        return np.nan, low, high, method
    means = posterior_means(counts, groups, prior)
    value = float(means[0] if name == "precision" else means[1])
    words += PRIOR_WORDS.format(labels=float(prior.above + prior.below))
    return value, low, high, Method(words, PAPER.format(where), Form.APPROXIMATE)
