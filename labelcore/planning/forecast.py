"""What a plan will cost and give, before the first label."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import pandas as pd

from labelcore.errors import PlanArgumentError, PlanError, Remedy
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.plan.against_file import check_size, frozen
from labelcore.plan.checks import CLAIM_FORMS
from labelcore.plan.pilot import NOTHING_KNOWN, largest_size, pilot_of
from labelcore.plan.plan import Plan
from labelcore.planning.claims import claims_planned, labels_to_settle
from labelcore.planning.outlook import Outlook, figure_prices, rank_prices
from labelcore.planning.spendings import spending_table, spendings
from labelcore.population import Population
from labelcore.promises import Form

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
        {result: half-width} at ``expected_labels``, as if the scores were right
    derived
        what the design derives: stratum_sizes, edges, planned, assumption; "notes", a sentence
        each on what is unusual, such as a budget larger than the file, or scores that are no
        probabilities. With claims {"strict": labels, "approximate": labels} as "claims": the median
        number of labels that settle them with each ``claim_form`` that the plan can have
    planned
        the planned size that a session will freeze
    table
        a row per figure asked: estimand, classifier, by, group, expected_half_width at the planned
        size, labels_alone: how many it would take to the margin were it the only one asked, and
        labels_shared: at how many in all it reaches it beside the others; both missing without a
        margin. Worked out when it is asked for
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


def _made_of(found: Preview, population: Population, plan: Plan) -> Preview:
    """The preview, which from now on knows what it is of."""
    vars(found)[OF] = population, plan
    return found


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
    found = _made_of(_preview(population, plan), population, plan)
    if not plan.claims:
        return found
    labels = {str(plan.claim_form): found.expected_labels, **_other_form(population, plan)}
    both = {form: labels[form] for form in CLAIM_FORMS if form in labels}
    with_claims = replace(found, derived={**found.derived, "claims": both})
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
    expected, planned = _expected_labels(outlook, most)
    planned = _whole_budget(plan, most) if plan.budget is not None else planned
    planned = planned if plan.planned is None else plan.planned
    if plan.learns:
        return _with_pilot(outlook, expected, planned)
    check_size(outlook.design, outlook.frame, planned, outlook.given)
    labels = most if plan.budget is not None or plan.stop_rules else planned
    furthest = plan.furthest(planned + outlook.given)
    if plan.budget is None and furthest is not None:
        labels = min(labels, furthest - outlook.given)
    return Preview(
        labels=labels,
        expected_labels=expected,
        draws=outlook.draws(labels),
        expected_half_width=outlook.half_widths(expected, planned),
        derived=outlook.derived(planned),
        planned=planned,
    )


def _with_pilot(outlook: Outlook, expected: int, planned: int) -> Preview:
    """The preview of a plan whose size is forecast anew after a pilot."""
    plan, given = outlook.plan, outlook.given
    items = int(outlook.frame.sizes[outlook.frame.asked].sum())
    largest = largest_size(plan, len(outlook.questions), items, planned + given, given)
    furthest = plan.furthest(largest)
    labels = min(outlook.most, furthest - given if furthest else outlook.most)
    pilot = min(max(pilot_of(given) - given, 1), labels)
    expected = max(expected, pilot)
    return Preview(
        labels=labels,
        expected_labels=expected,
        draws=outlook.draws(labels),
        expected_half_width=outlook.half_widths(expected, max(planned, pilot)),
        derived={**outlook.derived(planned), "pilot": pilot, "largest": largest},
        planned=planned,
    )


def _most(outlook: Outlook) -> int:
    """The most labels that a session may ask for: its budget, where there is one."""
    budget = outlook.plan.budget
    return outlook.most if budget is None else min(budget, outlook.most)


def _whole_budget(plan: Plan, most: int) -> int:
    """What a budget plans for: as many labels as there are items, or draws."""
    return int(plan.budget or 0) if plan.counts_draws else most


def _expected_labels(outlook: Outlook, most: int) -> tuple[int, int]:
    """Where the margin and the claims of the plan are likely to be met, whichever needs more, and
    the size to plan for."""
    plan = outlook.plan
    needed = []
    has_goal = plan.margin is not None or plan.group_margin is not None
    if has_goal and not outlook.design.size_from_params:
        _check_reachable(outlook, plan.goal, most)
        needed.append((outlook.labels_for(plan.goal, most),) * 2)
    if plan.claims:
        sizes = labels_to_settle(outlook.population, plan, most)
        needed.append((sizes.expected, sizes.planned))
    if not needed:
        return most, most
    return max(one[0] for one in needed), max(one[1] for one in needed)


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
        "must be at least {least:g}, which all {most:,} items are expected to give, got {value:g}"
        if reachable
        else "is reached by no number of labels: all {most:,} items leave a figure unknown; got "
        "{value:g}",
        least=least,
        most=most,
        value=margin,
        short="no number of labels reaches this margin",
        remedies=[Remedy(f"plan for {least:g}", {"margin": least})] if reachable else [],
    )


def kept_plan(population: Population, plan: Plan) -> Plan:
    """The plan as a session keeps it: with its planned size, and what that follows from."""
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
        return min(plan.budget, Outlook(population, plan).most)
    return _preview(population, plan).planned
