"""Which method answers a question with the fewest labels, and what each would cost and give."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from labelcore.designs import DESIGNS, Design
from labelcore.designs.lists import ComparesLists
from labelcore.designs.samples import named_classifiers, suggested_params
from labelcore.designs.scalars import ComparesTwo
from labelcore.errors import PlanError, Remedy
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import preview
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.population.snapshots import open_snapshot
from labelcore.promises import Promise
from labelcore.words.arguments import refusal_words
from labelcore.words.quantities import key_parts

UNFIT = "does not fit these choices"
EXACT = 1e-12
"""A half-width up to which a figure is exact."""
EACH_TRIED = 5_000_000
"""Of more items a forecast of each method would take seconds."""


class Asked(Protocol):
    """What is to be known, each field as ``Plan`` has it."""

    @property
    def estimands(self) -> Sequence[str]: ...
    @property
    def classifier(self) -> str | Sequence[str] | None: ...
    @property
    def target(self) -> str: ...
    @property
    def existing(self) -> str | None: ...


@dataclass(frozen=True)
class Line:
    """One design's figures; ``refused`` says why it cannot serve this plan, ``short`` in a few
    plain words, ``remedies`` what would change that.

    labels, most  expected, and at the most; planned: the size that a session freezes
    half_widths   the largest for each result; empty where the method gives none beforehand
    derived       what the method derives from its parameters
    runs, error   simulated sessions that labels and half-widths come from, and their standard error
                  as a share: of the labels where these follow from a margin, else of the widest
                  half-width. 0 for formulas
    """

    design: str
    label: str
    labels: int = 0
    most: int = 0
    half_widths: Mapping[str, float] = field(default_factory=dict)
    derived: Mapping[str, Any] = field(default_factory=dict)
    refused: str = ""
    short: str = ""
    remedies: tuple[Remedy, ...] = ()
    runs: int = 0
    error: float = 0.0
    planned: int = 0


def line(population: Population, plan: Plan) -> Line:
    """What the plan's method would cost and give."""
    label = DESIGNS[plan.design].label
    try:
        outlook = preview(population, plan)
    except ValueError as error:
        return refused(plan.design, error)
    return Line(
        plan.design,
        label,
        outlook.expected_labels,
        outlook.labels,
        outlook.expected_half_width,
        outlook.derived,
        planned=outlook.planned,
    )


def line_apart(snapshot: str, plan_json: str) -> dict[str, Any]:
    """``line`` in a process of its own, as values of JSON."""
    return asdict(line(open_snapshot(Path(snapshot)), Plan.from_json(plan_json)))


def line_from(said: Mapping[str, Any]) -> Line:
    """The line that ``line_apart`` tells of."""
    return Line(**{**said, "remedies": tuple(Remedy(**remedy) for remedy in said["remedies"])})


def refused(name: str, error: ValueError) -> Line:
    """The line of a design that cannot serve."""
    label = DESIGNS[name].label
    if not isinstance(error, PlanError):
        return Line(name, label, refused=str(error), short=UNFIT)
    short = error.short or UNFIT
    return Line(name, label, refused=refusal_words(error), short=short, remedies=error.remedies)


def named(classifier: str | Sequence[str] | None) -> tuple[str, ...]:
    """The classifiers that are asked about, the first one first."""
    return (classifier,) if isinstance(classifier, str) else tuple(classifier or ())


def in_order(
    design: Design[Any], params: Mapping[str, Any], classifier: str | Sequence[str] | None
) -> str | Sequence[str] | None:
    """The classifiers in the order in which a method's parameters name them, if they do."""
    names = named_classifiers(design, design.Params(**params))
    return names if len(names) > 1 and {*names} == {*named(classifier)} else classifier


def follows(design: Design[Any], params: Mapping[str, Any]) -> bool:
    """Whether the number of labels follows from the parameters that are given."""
    chosen = design.size_param is None or params.get(design.size_param) is not None
    return design.size_from_params and chosen


def for_design(plan: Plan, name: str, population: Population, labels: int | None = None) -> Plan:
    """The same question by another design with what it suggests. Raises PlanError where it cannot.

    labels   its budget where the plan has neither budget nor margin
    """
    if name == plan.design:
        return plan
    design = DESIGNS[name]
    promise = plan.promise if plan.promise in design.promises else design.promises[0]
    budget = plan.budget if plan.budget or plan.margin else labels
    params = suggested_params(design, population, plan.classifiers)
    order = in_order(design, params, plan.classifier)
    sized = follows(design, params)
    return replace(
        plan,
        design=name,
        params=params,
        promise=promise,
        stop=None,
        classifier=order,
        budget=None if sized else budget,
        margin=None if sized else plan.margin,
    )


Forecast = Callable[[Population, Plan], Line]


def possible(asked: Asked) -> list[str]:
    """The methods that can answer the question, about the items it is about."""
    number = len(named(asked.classifier))
    able = [
        name
        for name, design in DESIGNS.items()
        if {*asked.estimands} <= {*design.estimands}
        and not design.same_as
        and max(number, 1) >= design.least_classifiers
        and (not isinstance(design, ComparesTwo | ComparesLists) or number == 2)
    ]
    if asked.existing is not None:
        able = [name for name in able if asked.existing in DESIGNS[name].existing] or able
    return [name for name in able if asked.target in DESIGNS[name].targets] or able


def may_claim(asked: Asked, population: Population, name: str) -> bool:
    """Whether claims about the question may be laid down with a method: they are looked at after
    every label, so it must be possible to watch it for just these figures."""
    design = DESIGNS[name]
    watched = _promises(asked, population, design)
    return "claims" in design.stop_rules and Promise.WATCHED in watched


def recommended(
    asked: Asked,
    population: Population,
    names: Sequence[str],
    goal: Mapping[str, Any],
    forecast: Forecast = line,
    terms: Mapping[str, Any] = MappingProxyType({}),
) -> str:
    """Of ``names`` the ``cheapest`` for the ``goal``, a margin or a budget, each by ``forecast``
    with what it suggests. Of more than ``EACH_TRIED`` items only what may be proposed is tried.

    terms   further arguments of ``Plan`` that all share. Methods without the promise among them
            ("watched" where none is given) compete only where no method has it
    """
    for name in names:
        if reaches_all(asked, population, goal, DESIGNS[name].settles):
            return name
    wanted = Promise(terms.get("promise") or Promise.WATCHED)
    able = [name for name in names if wanted in _promises(asked, population, DESIGNS[name])]
    names = worth_trying(population, able or names)
    lines = [outlook_of(asked, population, name, goal, forecast, terms) for name in names]
    ties = {name: _standing(asked, population, name) for name in names}
    return cheapest(lines, goal, ties) or min(names, key=lambda name: (ties[name], name))


def reaches_all(
    asked: Asked, population: Population, goal: Mapping[str, Any], difference: str
) -> bool:
    """Whether a budget reaches every item on which two classifiers disagree, after which their
    ``difference``, asked first, is exact."""
    both = named(asked.classifier)
    if asked.estimands[0] != difference or asked.target != "file":
        return False
    if len(both) != 2 or not {*both} <= {*population.predictions}:
        return False
    differ = sum(items for (a, b), items in population.called(*both).items() if a != b)
    return 0 < differ <= (goal.get("budget") or 0)


def cheapest(
    lines: Sequence[Line], goal: Mapping[str, Any], ties: Mapping[str, Any] = MappingProxyType({})
) -> str | None:
    """The method with the fewest expected labels for the margin in ``goal``, or the narrowest
    result for its budget, among equal ones that with the fewest; None where none foresees that.

    ties   what the first of equal ones has least of, by name
    """
    prices = {offer.design: (_price(offer, goal), offer.labels) for offer in lines}
    able = [name for name, (price, _) in prices.items() if np.isfinite(price)]
    return min(able, key=lambda name: (prices[name], ties.get(name, ()), name), default=None)


def worth_trying(population: Population, names: Sequence[str]) -> list[str]:
    """The methods whose forecasts cost little beside what they say: all of them for up to
    ``EACH_TRIED`` items, of more those that may be proposed, if any."""
    able = [name for name in names if len(population) <= EACH_TRIED or DESIGNS[name].recommended]
    return able or list(names)


def _standing(asked: Asked, population: Population, name: str) -> tuple[int, ...]:
    """What decides between equal ones: measured widely, may be watched, made for just this."""
    design = DESIGNS[name]
    promises = _promises(asked, population, design)
    made_for = -int(isinstance(design, ComparesTwo))
    return -int(design.recommended), -len(promises), len(design.estimands), made_for


def _promises(asked: Asked, population: Population, design: Design[Any]) -> tuple[Promise, ...]:
    """Those that the method has for just these figures."""
    params = suggested_params(design, population, named(asked.classifier))
    return design.promises_for(tuple(asked.estimands), design.Params(**params))


def _price(line: Line, goal: Mapping[str, Any]) -> float:
    """Labels for the margin; with a budget labels times the squared half-width, which stays about
    the same however many there are. Infinite where nothing is foreseen, or where a size of the
    method's own lies beyond the budget."""
    if line.refused or not line.half_widths:
        return np.inf
    widest = max(line.half_widths.values())
    widest = widest if widest > EXACT else 0.0
    if "budget" in goal:
        apart = DESIGNS[line.design].size_from_params and line.labels > goal["budget"]
        return np.inf if apart else line.labels * widest**2
    return float(line.labels) if widest <= goal["margin"] + 1e-9 else np.inf


def outlook_of(
    asked: Asked,
    population: Population,
    name: str,
    goal: Mapping[str, Any],
    forecast: Forecast = line,
    terms: Mapping[str, Any] = MappingProxyType({}),
) -> Line:
    """What a method is expected to need or to give; with its fewest labels where the budget does
    not reach them."""
    try:
        plan = plan_for(asked, population, name, goal, terms)
    except ValueError as error:
        return refused(name, error)
    outlook = forecast(population, plan)
    more = [remedy.changes["budget"] for remedy in outlook.remedies if "budget" in remedy.changes]
    if outlook.refused and more and more[0] > goal.get("budget", more[0]):
        return outlook_of(asked, population, name, {"budget": more[0]}, forecast, terms)
    return outlook


@dataclass(frozen=True)
class Dearest:
    """The class whose figure is the widest.

    share   of the labels that are asked of items called so
    part    of the labels that would do for the other classes alone
    """

    name: str
    share: float
    part: float


def dearest_class(population: Population, plan: Plan, forecast: Forecast = line) -> Dearest | None:
    """The class that a plan about several spends most for, by the same forecast with it and without
    it; None where no class has a figure of its own, or no other is left."""
    names = tuple(plan.classes or population.classes)
    whole = forecast(population, plan)
    of_class = {key: width for key, width in whole.half_widths.items() if key_parts(key)[1]}
    if len(names) < 3 or not of_class or len(population) > EACH_TRIED:
        return None
    name = str(key_parts(max(of_class, key=lambda key: of_class[key]))[1])
    rest = replace(plan, classes=tuple(other for other in names if other != name))
    without = forecast(population, rest)
    if without.refused or not without.half_widths:
        return None
    part = without.labels / max(whole.labels, 1)
    if plan.margin is None:
        widths = [max(offer.half_widths.values()) for offer in (without, whole)]
        part = (widths[0] / max(widths[1], EXACT)) ** 2
    share = Outlook(population, plan).shares_by_class(whole.labels).get(name, 0.0)
    return Dearest(name, share, min(part, 1.0))


def plan_for(
    asked: Asked,
    population: Population,
    name: str,
    goal: Mapping[str, Any],
    terms: Mapping[str, Any] = MappingProxyType({}),
) -> Plan:
    """The question asked by a method with the parameters that suit the file, under the promise of
    ``terms`` where the method has it for these figures, else under its own."""
    design = DESIGNS[name]
    classifiers = named(asked.classifier)
    params = suggested_params(design, population, classifiers)
    able = _promises(asked, population, design)
    wanted = terms.get("promise") or Promise.WATCHED
    return Plan(
        name,
        asked.estimands,
        classifier=in_order(design, params, asked.classifier),
        params=params,
        target=asked.target,
        existing=asked.existing,
        **{**terms, "promise": wanted if wanted in able else able[0]},
        **({} if follows(design, params) else goal),
    )
