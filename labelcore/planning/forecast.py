"""What a plan will cost and give, before the first label."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.base import IntArray, Progress
from labelcore.designs.rates import planning_rates, question_rates
from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.figures.claims import likely_of, settled_at
from labelcore.log.engine import Engine
from labelcore.plan.against_file import check_size, frozen
from labelcore.plan.checks import CLAIM_FORMS
from labelcore.plan.pilot import NOTHING_KNOWN, largest_size, pilot_of
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.planning.prices import figure_prices, rank_prices
from labelcore.planning.runs import beginning, label_until
from labelcore.planning.spendings import spending_table, spendings
from labelcore.population import Population
from labelcore.promises import ClaimStatus, Form, Promise
from labelcore.stats.profile import BoolArray, Cells

SESSIONS, MORE = 21, 3
"""Of an approximate claim; of a strict one ``MORE`` times as many, which cost a fourth."""
FIRST_LOOK, LOOK_GROWTH, LOOKS_AHEAD = 10, 1.1, 4
POWER, LEAST_PLANNED, MOST_TRIED = 0.8, 200, 20_000
"""An approximate claim is planned for the size at which this share of the sessions is settled, and
for ``LEAST_PLANNED`` labels at least, because scores promise too much; more than ``MOST_TRIED`` are
not tried out."""


@dataclass(frozen=True, slots=True)
class ClaimSizes:
    """How many labels claims are likely to need.

    expected    the median number of labels at which they are settled
    planned     the size to plan for
    low, high   between which half of the sessions are settled
    """

    expected: int
    planned: int
    low: int
    high: int

    @classmethod
    def of(cls, settled: IntArray, planned: int | None = None) -> ClaimSizes:
        """From where each session is settled; planned for the median if nothing else is."""
        low, median, high = (int(size) for size in np.quantile(settled, [0.25, 0.5, 0.75]))
        return cls(median, planned or median, low, high)


def labels_to_settle(population: Population, plan: Plan, most: int) -> ClaimSizes:
    """The median number of labels at which every claim is decided or refuted, ``most`` for a
    session in which that does not happen, and the size to plan for; as if the scores were right.

    The labels of a session are drawn from the scores (seeded by the plan's seed). Two classes, or
    the share of right judgements with several; where the first claim compares two classifiers,
    the left one is right by its score, of the other items the right one by its own where they
    disagree, and the rest is of another class. Without scores that is 80 % each, so that the
    left classifier is taken to be the better one. Promise: none, this plans only.
    """
    if plan.claim_form == Form.APPROXIMATE:
        return _approximate(population, plan, most)
    begun = Engine(population, frozen(population, plan, most))
    sizes = np.full(MORE * SESSIONS, most)
    going = [
        (number, _looks(begun.beginning(), np.random.default_rng([abs(plan.seed), number]), most))
        for number in range(len(sizes))
    ]
    while going:
        ahead = [(number, looks, [*islice(looks, LOOKS_AHEAD)]) for number, looks in going]
        settled = settled_at(begun, [cells for *_, new in ahead for _, cells in new])
        place, going = 0, []
        for number, looks, new in ahead:
            mine = np.flatnonzero(settled[place : place + len(new)])
            place += len(new)
            if len(mine):
                sizes[number] = new[mine[0]][0]
            elif new:
                going.append((number, looks))
    return ClaimSizes.of(sizes)


def claims_planned(population: Population, plan: Plan, most: int) -> int:
    """The labels over which the approximate claims of a plan spend their error: the least at which
    ``POWER`` of the sessions are settled if it is spent over these; ``most`` where none are."""
    if plan.planned is not None or plan.claims_planned is not None:
        return plan.claims_planned or plan.planned or most
    begun = beginning(population, frozen(population, plan, most))
    for labels, engines in _together(begun, plan.seed, min(most, MOST_TRIED)):
        if np.mean(_settled(engines, labels)) >= POWER:
            return min(max(labels, LEAST_PLANNED), most)
    return most


def _approximate(population: Population, plan: Plan, most: int) -> ClaimSizes:
    """The size to plan for, and where the sessions that it was found by are settled by it."""
    planned = claims_planned(population, plan, most)
    begun = beginning(population, frozen(population, plan, most))
    reach = most if plan.budget is not None else (begun.plan.horizon or 1) * planned
    furthest = min(most, MOST_TRIED, reach)
    settled = np.full(SESSIONS, most)
    for labels, engines in _together(begun, plan.seed, furthest):
        settled = np.where(_settled(engines, planned) & (settled == most), labels, settled)
        if (settled < most).all():
            break
    return ClaimSizes.of(settled, planned)


def _settled(engines: list[Engine], planned: int) -> BoolArray:
    """Whether every claim is, in each session, (n_sessions,)."""
    statuses = likely_of(engines, planned)
    return np.array([ClaimStatus.UNDECIDED not in of_session for of_session in statuses])


def _together(begun: Engine, seed: int, most: int) -> Iterator[tuple[int, list[Engine]]]:
    """The same sessions at one number of labels after the other; their items are the same, and the
    classes of these differ."""
    rng = np.random.default_rng([abs(seed), 0])
    engines = [begun.beginning() for _ in range(SESSIONS)]
    codes = [_imagined(engine, rng) for engine in engines]
    labels = 0
    while labels < most:
        labels = min(max(FIRST_LOOK, int(np.ceil(labels * LOOK_GROWTH))), most)
        for engine, classes in zip(engines, codes, strict=True):
            label_until(engine, classes, labels)
        yield labels, engines


def _looks(
    engine: Engine, rng: np.random.Generator, most: int
) -> Iterator[tuple[int, list[Cells]]]:
    """The looks of one session, batch by batch as the design draws them, also in between: after how
    many labels, and the cells of each claim then."""
    codes, look, done = _imagined(engine, rng), FIRST_LOOK, 0
    for batch in _batches(engine, codes, rng, most):
        while len(batch):
            part, batch = batch[: look - done], batch[look - done :]
            for claim in engine.claims:
                np.add.at(claim.tally.counts, (claim.tally.cells_at(part), codes[part]), 1.0)
            done += len(part)
            if done == look:
                yield done, [claim.tally.cells(claim.class_index) for claim in engine.claims]
                look = int(np.ceil(done * LOOK_GROWTH))


def _batches(
    engine: Engine, codes: IntArray, rng: np.random.Generator, most: int
) -> Iterator[IntArray]:
    """The positions that each batch asks, at most ``most`` in all, (n_batch,), where the items are
    of these classes."""
    design, frame, tally = engine.design, engine.frame, engine.tallies[engine.classifiers[0]]
    several = len(engine.population.classes) > 2
    right = (
        tally.prediction[tally.cell_of] if several else engine.classes[engine.population.positive]
    )
    drawn, hits = np.zeros(frame.n_strata, dtype=np.int64), np.zeros(frame.n_strata)
    while (total := int(drawn.sum())) < most:
        progress = Progress(drawn, drawn.astype(float), hits, most)
        items = rng.permutation(design.batch_items(engine.setup, frame, progress))[: most - total]
        yield items
        stratum = frame.stratum[items]
        drawn = drawn + np.bincount(stratum, minlength=frame.n_strata)
        hits = hits + np.bincount(stratum, (codes == right)[items], minlength=frame.n_strata)


def _imagined(engine: Engine, rng: np.random.Generator) -> IntArray:
    """A class for each item, (n_items,), as the scores suggest."""
    population = engine.population
    side = engine.claims[0].sides[0]
    claimed = population.predictions.get(str(side.classifier))
    positive = population.classes.index(population.positive)
    n_classes = len(population.classes)
    if n_classes == 2:
        called = np.zeros(len(population), bool) if claimed is None else claimed == positive
        rate = question_rates(population, side.classifier, positive, called)
        return np.where(rng.random(len(population)) < rate, positive, 1 - positive)
    assert claimed is not None
    if engine.claims[0].of_disagreements:
        return _by_both(engine, rng)
    rate = planning_rates(population, side.classifier, claimed == positive)[0]
    other = (claimed + rng.integers(1, n_classes, len(population))) % n_classes
    return np.where(rng.random(len(population)) < rate, claimed, other)


def _by_both(engine: Engine, rng: np.random.Generator) -> IntArray:
    """A class for each item from the scores of two classifiers that are compared, (n_items,)."""
    population = engine.population
    names = [str(side.classifier) for side in engine.claims[0].sides]
    left, right = (population.predictions[name] for name in names)
    n, n_classes = len(population), len(population.classes)
    every = np.ones(n, dtype=bool)
    hit, other_hit = (rng.random(n) < planning_rates(population, name, every)[0] for name in names)
    gap = (right.astype(np.int64) - left) % n_classes
    step = rng.integers(1, np.where(gap > 0, n_classes - 1, n_classes))
    neither = (left + step + ((gap > 0) & (step >= gap))) % n_classes
    return np.where(hit, left, np.where(other_hit & (gap > 0), right, neither))


OF = "_of"
"""Under which name a preview keeps its population and plan, which are no part of its values."""


@dataclass(frozen=True)
class Preview:
    """What is known before the first label. ``labelcore.preview`` makes it.

    Attributes
    ----------
    labels
        distinct labels; the most there can be if a stop rule may end the session earlier
    expected_labels
        the number of labels at which the expected half-width first meets the margin, and at which
        half of the sessions simulated on the scores have settled the claims; otherwise the budget.
    draws
        how many items are drawn; equal to ``labels`` for designs that draw without replacement
    expected_half_width
        {result: half-width} at ``expected_labels``, as if the scores were right; without results
        that no label gives, such as the precision of a classifier that calls nothing positive
    derived
        what the design derives: stratum_sizes, edges, planned, assumption; "notes", a sentence
        each on what is unusual, such as a budget larger than the file, or scores that are no
        probabilities. With claims {"strict": labels, "approximate": labels} as "claims": the median
        number of labels that settle them with each ``claim_form`` that the plan can have; as
        "claims_half" between which numbers half of the sessions with the plan's own form end
    planned
        the planned size that a session will freeze
    table
        a row per figure asked, of a curve where it is widest: estimand, classifier, by, group,
        expected_half_width at the planned size, labels_alone: how many it would take to the margin
        were it the only one asked, and labels_shared: at how many in all it reaches it beside the
        others; both missing without a margin. Worked out when it is asked for
    along_ranks
        of a ranked list a row for the precision of the first 10, 100 and 1,000 items, as many as
        the classifier calls positive, and each number of the whole list: of, expected_half_width,
        asked_alone: that of as many labels shared for it alone. Worked out when it is asked for
    readings
        as many readings as the plan has, spent on items and on several people for the same: a row
        for each overlap, with items, judged_by_several, readings, the largest expected_half_width
        of the settled figures where two people differ on 5 % of the items, and whether it is
        recommended. Empty where nothing settled is told. Worked out when it is asked for

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> ahead = lc.preview(population, lc.Plan("simple_random", ["accuracy"], budget=200))
    >>> ahead.labels, ahead.draws
    (200, 200)
    """

    labels: int
    expected_labels: int
    draws: int
    expected_half_width: Mapping[str, float]
    derived: Mapping[str, Any] = field(default_factory=dict)
    planned: int = 0

    @cached_property
    def table(self) -> pd.DataFrame:
        """What each figure costs; empty of a preview that ``preview`` did not make."""
        if OF not in vars(self):
            return pd.DataFrame()
        population, plan = vars(self)[OF]
        return figure_prices(population, plan, self.planned, planned_size)

    @cached_property
    def along_ranks(self) -> pd.DataFrame:
        """What it gives along a ranked list; empty where nothing is asked along the ranks."""
        population, plan = vars(self).get(OF, (None, None))
        if plan is None or not {*plan.estimands} & {*CURVES, *SUMMARIES}:
            return pd.DataFrame()
        return rank_prices(population, plan, self.expected_labels)

    @cached_property
    def readings(self) -> pd.DataFrame:
        """What the plan's readings give, by how many items several people judge."""
        if OF not in vars(self):
            return pd.DataFrame()
        population, plan = vars(self)[OF]
        return spending_table(spendings(population, plan.with_planned(self.planned)))


def _made_of(forecast: Preview, population: Population, plan: Plan) -> Preview:
    """The preview, which from now on knows what it is of."""
    vars(forecast)[OF] = population, plan
    return forecast


def preview(population: Population, plan: Plan) -> Preview:
    """Forecast what ``plan`` will cost and give on ``population``, from its scores alone.

    Parameters
    ----------
    population
        the file; no truth is needed
    plan
        what is to be estimated, and how

    Returns
    -------
    Preview
        Labels, expected half-widths and what the method derives.

    Raises
    ------
    TypeError
        The population or the plan is something else.
    PlanError
        The plan cannot be carried out on this file.

    Notes
    -----
    Promise: none. The forecast rests on the assumption in ``derived["assumption"]``. If that is
    wrong, the interval comes out wider or narrower than forecast; the sample size does not affect
    whether it is valid.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> ahead = lc.preview(population, lc.Plan("recalibrated_neyman", ["accuracy"], margin=0.05))
    >>> ahead.expected_labels <= ahead.labels <= len(population)
    True
    >>> ahead.expected_half_width["accuracy"] <= 0.05
    True
    """
    _check_types(population, plan)
    plain = _made_of(_preview(population, plan), population, plan)
    if not plan.claims:
        return plain
    labels = {str(plan.claim_form): plain.expected_labels, **_other_form(population, plan)}
    both = {form: labels[form] for form in CLAIM_FORMS if form in labels}
    with_claims = replace(plain, derived={**plain.derived, "claims": both})
    return _made_of(with_claims, population, plan)


def _other_form(population: Population, plan: Plan) -> dict[str, int]:
    """The labels that settle the claims with the other form; none where the plan cannot have it."""
    try:
        other = replace(
            plan,
            claim_form=next(form for form in CLAIM_FORMS if form != plan.claim_form),
            planned=None,
        )
        return {str(other.claim_form): _preview(population, other).expected_labels}
    except PlanError:
        return {}


def _preview(population: Population, plan: Plan) -> Preview:
    """``preview`` without the other form of the claims."""
    plan = sized(population, plan)
    outlook = Outlook(population, plan)
    most = _most(outlook)
    expected, planned, *half = _expected_labels(outlook, most)
    if plan.budget is not None:  # As many labels as there are items, or draws.
        planned = plan.budget if plan.counts_draws else most
    planned = planned if plan.planned is None else plan.planned
    learned: dict[str, int] = {}
    if plan.learns and (planned or plan.promised == Promise.WATCHED):
        labels, learned = _learned_size(outlook, planned)
    else:
        _check(outlook, planned)
        labels = most if plan.budget is not None or plan.stop_rules else planned
        furthest = plan.furthest(planned + outlook.given)
        if plan.budget is None and furthest is not None:
            labels = min(labels, furthest - outlook.given)
    pilot = learned.get("pilot", 0)
    expected = max(expected, pilot)
    half_of_claims = {"claims_half": [*half]} if plan.claims else {}
    return Preview(
        labels=labels,
        expected_labels=expected,
        draws=outlook.draws(labels),
        expected_half_width=outlook.foreseen(expected, max(planned, pilot)),
        derived={**outlook.derived(planned), **learned, **half_of_claims},
        planned=planned,
    )


def _learned_size(outlook: Outlook, planned: int) -> tuple[int, dict[str, int]]:
    """The labels of a plan whose size is forecast anew after a pilot, the pilot, and the largest
    size that may come of it."""
    plan, given = outlook.plan, outlook.given
    items = int(outlook.frame.sizes[outlook.frame.asked].sum())
    largest = largest_size(plan, len(outlook.questions), items, planned + given, given)
    furthest = largest if plan.promised == Promise.FIXED else plan.furthest(largest)
    labels = min(outlook.most, furthest - given if furthest else outlook.most)
    pilot = min(max(pilot_of(given) - given, 1), labels)
    return labels, {"pilot": pilot, "largest": largest}


def _most(outlook: Outlook) -> int:
    """The most labels that a session may ask for: its budget, where there is one."""
    budget = outlook.plan.budget
    return outlook.most if budget is None else min(budget, outlook.most)


def _expected_labels(outlook: Outlook, most: int) -> tuple[int, int, int, int]:
    """Where the margin and the claims of the plan are likely to be met, whichever needs more, the
    size to plan for, and between which sizes they are met in half of the sessions."""
    plan = outlook.plan
    needed = []
    has_goal = plan.margin is not None or plan.group_margin is not None
    if has_goal and not outlook.design.size_from_params:
        _check_reachable(outlook, plan.goal, most)
        needed.append((outlook.labels_for(plan.goal, most),) * 4)
    if plan.claims:
        sizes = labels_to_settle(outlook.population, plan, most)
        needed.append((sizes.expected, sizes.planned, sizes.low, sizes.high))
    if not needed:
        return most, most, most, most
    expected, planned, low, high = map(max, zip(*needed, strict=True))
    return expected, planned, low, high


def _check_reachable(outlook: Outlook, margin: float, most: int) -> None:
    """Raise PlanError for a margin that a new plan is not expected to reach with all its items."""
    plan = outlook.plan
    if plan.planned is not None or plan.budget is not None or outlook.meets(most, margin):
        return
    widths = outlook.half_widths(most, most)
    if not widths:  # No forecast is no reason to refuse.
        return
    half = max(widths.values())
    least = math.ceil(1000 * half) / 1000
    reachable = least < NOTHING_KNOWN
    raise PlanArgumentError.naming(
        "margin",
        "must be at least {value.margin=least}, which all {most:,} items are expected to give"
        if reachable
        else "is reached by no number of labels: all {most:,} items leave a figure unknown",
        least=least,
        most=most,
        got=margin,
        short="no number of labels reaches this margin",
        remedies=[Remedy(f"plan for {least:g}", {"margin": least})] if reachable else [],
    )


def _check_types(population: object, plan: object) -> None:
    if not (isinstance(population, Population) and isinstance(plan, Plan)):
        raise TypeError("population and plan must be what read_population and Plan give")


def _check(outlook: Outlook, planned: int) -> None:
    """Raise PlanError for a size that a new plan cannot have on this file."""
    check_size(outlook.design, outlook.frame, planned, outlook.given)
    if outlook.plan.planned is None:
        outlook.design.check_planned(outlook.plan.params, outlook.frame, planned + outlook.given)


def kept_plan(population: Population, plan: Plan) -> Plan:
    """The plan as a session keeps it: with its planned size, and what that follows from."""
    _check_types(population, plan)
    if plan.planned is not None:
        return plan
    plan = sized(population, plan)
    if plan.claim_form == Form.APPROXIMATE:
        most = _most(Outlook(population, plan))
        plan = replace(plan, claims_planned=claims_planned(population, plan, most))
    return frozen(population, plan, planned_size(population, plan))


def sized(population: Population, plan: Plan) -> Plan:
    """The plan with the parameter that its size follows from, where margin or budget choose it."""
    name = plan.method.size_param
    if plan.planned is not None or name is None or plan.params.get(name) is not None:
        return plan
    if plan.margin is None and plan.budget is None:
        return plan
    chosen = Outlook(population, plan).size_for(name, plan.margin, plan.budget)
    return replace(plan, params={**plan.params, name: chosen})


def planned_size(population: Population, plan: Plan) -> int:
    """The size that a plan freezes: its budget, else what the margin is expected to need."""
    if plan.budget is not None and not plan.method.size_from_params:
        if plan.counts_draws:
            return plan.budget
        outlook = Outlook(population, plan)
        planned = min(plan.budget, outlook.most)
        _check(outlook, planned)
        return planned
    return _preview(population, plan).planned
