"""What each figure that is asked for takes: labels to a margin, and half-widths along a list."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pandas as pd

from labelcore.errors import PlanError
from labelcore.estimands import SUMMARIES
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.promises import Form
from labelcore.tallies import Question

COLUMNS = (
    "estimand", "classifier", "by", "group", "expected_half_width", "labels_alone", "labels_shared"
)  # fmt: skip
SizeOf = Callable[[Population, Plan], int]
CURVE = "precision_curve"
PRICED_SIZES, FEWEST = 24, 20
"""Numbers of labels at which half-widths are foretold, between which they are interpolated."""


def figure_prices(
    population: Population, plan: Plan, planned: int, size_of: SizeOf
) -> pd.DataFrame:
    """A row for each figure asked for; also of a ranked list, the widest rank of its curve.

    Labels are those at which its expected half-width reaches the margin of the plan, that of groups
    where it is one of a group: ``labels_shared`` of all labels beside the other figures,
    ``labels_alone`` were it the only one. Missing without a margin, and where no number is enough.

    size_of   the labels that a plan takes on a population
    """
    outlook = Outlook(population, plan)
    now, groups = outlook.foreseen(planned, planned), outlook.setup.groups
    questions = {question.key: question for question in outlook.questions}
    margins = {
        key: plan.margin_of(grouped=key in questions and questions[key].group is not None)
        for key in {**questions, **now}
    }
    widths = _widths(outlook) if {*margins.values()} - {None} else pd.DataFrame()
    rows = []
    for key, margin in margins.items():
        question = questions.get(key)
        classifier = outlook.classifiers[0] if question is None else question.classifier
        by = group = ""
        if groups is not None and question is not None and question.group is not None:
            by, group = groups.label, groups.names[question.group]
        shared = alone = np.nan
        if margin is not None:
            shared = crossing(widths.index.to_numpy(), widths[key].to_numpy(), margin)
            alone = _alone(population, plan, outlook, question or key, margin, size_of)
        rows.append((key, classifier, by, group, now.get(key, np.nan), alone, shared))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def rank_prices(population: Population, plan: Plan, labels: int) -> pd.DataFrame:
    """What so many labels are expected to give along a ranked list: a row for the precision of as
    many first items as ``ranks_that_matter``, and for each number of the whole list.

    asked_alone: the half-width were the labels shared for that alone, the curve or the number.
    """

    def widths(outlook: Outlook) -> dict[str, float]:
        size = min(labels, outlook.most)
        return outlook.along_ranks(size, size)

    def alone(estimand: str) -> dict[str, float]:
        if plan.estimands == (estimand,) or estimand not in plan.method.estimands:
            return {}
        only = replace(plan, estimands=(estimand,), params={}, planned=None, rules=None,
                       margin=None, budget=labels, stop=None)  # fmt: skip
        try:
            return widths(Outlook(population, only))
        except PlanError:
            return {}

    whole = widths(Outlook(population, plan))
    others = {name: alone(name) for name in (CURVE, *(key for key in whole if key in SUMMARIES))}
    rows = [
        (name, width, others[name if name in SUMMARIES else CURVE].get(name, width))
        for name, width in whole.items()
    ]
    return pd.DataFrame(rows, columns=["of", "expected_half_width", "asked_alone"])


def _widths(outlook: Outlook) -> pd.DataFrame:
    """Expected half-widths by numbers of labels, each planned for."""
    least = max(outlook.design.least(outlook.frame) - outlook.given, 1)
    sizes = np.geomspace(min(max(least, FEWEST), outlook.most), outlook.most, PRICED_SIZES)
    labels = np.unique(np.rint(sizes).astype(np.int64)).tolist()
    return pd.DataFrame([outlook.half_widths(size, size) for size in labels], index=labels)


def crossing(labels: np.ndarray, widths: np.ndarray, margin: float) -> float:
    """The number of labels at which falling widths reach the margin; NaN where none does.

    >>> round(crossing(np.array([100, 400]), np.array([0.1, 0.05]), 0.05))
    400
    >>> round(crossing(np.array([100, 400]), np.array([0.1, 0.05]), 0.07))
    204
    """
    met = np.flatnonzero(widths <= margin)
    if not len(met):
        return float("nan")
    at = int(met[0])
    if at == 0 or widths[at] <= 0:
        return float(labels[at])
    ends = np.log(widths[[at, at - 1]])
    return float(np.exp(np.interp(np.log(margin), ends, np.log(labels[[at, at - 1]]))))


def _alone(
    population: Population,
    plan: Plan,
    outlook: Outlook,
    asked: Question | str,
    margin: float,
    size_of: SizeOf,
) -> float:
    """The labels that a figure takes which is the only one asked, of its group where it has one."""
    groups, classifier = outlook.setup.groups, plan.classifier
    if isinstance(asked, str):
        name = asked
    else:
        if groups is not None and asked.group is not None:
            population = population.part(groups.members(asked.group))
        name = asked.row.name
        classifier = tuple(one for one in (asked.classifier, asked.versus) if one) or None
    try:
        asked_alone = replace(
            plan, estimands=(name,), classifier=classifier, margin=margin,
            budget=None, by=None, groups=None, group_margin=None, claims=(), stop=None, params={},
            claim_form=Form.STRICT, planned=None, rules=None, existing=None, together=False,
            sure_scores=None,
        )  # fmt: skip
        return float(size_of(population, asked_alone))
    except PlanError:
        return float("nan")
