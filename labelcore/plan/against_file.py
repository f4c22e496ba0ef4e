"""A plan checked against a file: which classifiers it is about, and what a design is told."""

from dataclasses import replace
from typing import Any

from labelcore.designs.base import INTERVAL_RULES, Design, Frame, Setup
from labelcore.designs.helpers import wants_content
from labelcore.designs.lists import ComparesLists
from labelcore.designs.recut import ONCE
from labelcore.designs.samples import named_classifiers
from labelcore.designs.scalars import ComparesTwo
from labelcore.designs.sure_scores import scores_looking_sure, turned
from labelcore.errors import ArgumentError, ParameterError, PlanArgumentError, Remedy
from labelcore.estimands import CURVES, DIFFERENCES, LISTS, SCALARS, SUMMARIES
from labelcore.plan.claims import subject_of
from labelcore.plan.plan import Plan
from labelcore.plan.recut import check_recut
from labelcore.population import Population
from labelcore.population.groupings import FEWEST, LABELS_EACH, Grouping, grouping_of
from labelcore.population.kept import Kept, Recent
from labelcore.population.second_opinion import features_of, second_opinion
from labelcore.promises import Form, Promise
from labelcore.stats.orders import HASHED, MIXED
from labelcore.tallies import Question, questions

EXACT_SUMS = 7
"""The interval rules before which a plan summed up the scores of a large file with rounding."""
TWO_CLASSES = (
    "names {value!r}, which needs a file with two classes: with several an item on which two "
    "classifiers disagree may count for either or for neither; claim 'accuracy[A] > accuracy[B]' "
    "with {plan.design=recalibrated_neyman} instead"
)


def chosen_classifiers(population: Population, plan: Plan) -> tuple[str | None, ...]:
    """The classifiers of a plan, checked against the file; (None,) for a file without any."""
    named = plan.classifiers or named_classifiers(plan.method, plan.design_params)
    names = named or population.classifiers[:1]
    if not named and len(population.classifiers) > 1:
        raise PlanArgumentError(
            "classifier",
            f"must be given, because the file has several: {', '.join(population.classifiers)}",
        )
    for name in names:
        if name not in population.classifiers:
            known = ", ".join(population.classifiers) or "none"
            where = "classifier" if plan.classifiers else "params"
            lacks = "names {value!r}, which the file lacks; it has {known}"
            raise PlanArgumentError.naming(where, lacks, value=name, known=known)
    chosen: tuple[str | None, ...] = tuple(names) or (None,)
    _check_estimable(population, plan, chosen)
    check_recut(population, plan, len(chosen))
    return chosen


def _check_estimable(
    population: Population, plan: Plan, classifiers: tuple[str | None, ...]
) -> None:
    several = len(population.classes) > 2
    if isinstance(plan.method, ComparesTwo | ComparesLists) and len(classifiers) != 2:
        raise PlanArgumentError.naming(
            "classifier",
            "must name exactly two for {plan.design=}, the one that is called better first; "
            "got {number}",
            design=plan.design,
            number=len(classifiers),
            value=classifiers,
            short="compares exactly two classifiers"
            if len(classifiers) > 2
            else "answers which of two classifiers is better",
        )
    _check_classes(population, plan)
    for question in questions(population, tuple(plan.estimands), classifiers):
        row = question.row
        if several and row.difference:
            raise PlanArgumentError.naming("estimands", TWO_CLASSES, value=row.name)
        if several and not (row.per_class or row.of_all_classes):
            raise _unfit(row.name, "a file with two classes")
        if row.difference and question.versus is None:
            raise _unfit(row.name, "a second classifier to compare with")
        silent = [name for name in _read(question) if name not in population.predictions]
        if row.needs_prediction and silent:
            whose = "a classifier" if silent[0] is None else repr(silent[0])
            raise _unfit(
                row.name,
                f"thresholds or predictions for {whose}; without them only prevalence, "
                "precision_curve, average_precision, area_under_roc and selection can be asked for",
            )
    listed = [name for name in plan.estimands if name in LISTS]
    if listed and (several or any(name not in population.scores for name in classifiers)):
        raise _unfit(listed[0], "two classes and a score of each classifier")
    along_ranks = [name for name in plan.estimands if name in CURVES or name in SUMMARIES]
    if along_ranks:
        first = classifiers[0]
        if several or first is None or first not in population.scores:
            raise _unfit(along_ranks[0], "two classes and a score")
        summed = [name for name in along_ranks if name in SUMMARIES]
        if summed and plan.target == "process":
            only = f"names {summed[0]!r}, which speaks of this file only"
            raise PlanArgumentError("estimands", only, value=summed[0])


def _unfit(name: str, needed: str) -> PlanArgumentError:
    return PlanArgumentError("estimands", f"names {name!r}, which needs {needed}", value=name)


def _check_classes(population: Population, plan: Plan) -> None:
    """Raise PlanError unless the classes that matter are some of several that the file has."""
    lacking = [name for name in plan.classes or () if name not in population.classes]
    if lacking:
        known = ", ".join(population.classes)
        lacks = "names {value!r}, which the file lacks; it has {known}"
        raise PlanArgumentError.naming("classes", lacks, value=lacking[0], known=known)
    if plan.classes is not None and len(population.classes) < 3:
        raise PlanArgumentError(
            "classes",
            "may be chosen where there are more than two",
            got=", ".join(plan.classes),
        )


def _read(question: Question) -> tuple[str | None, ...]:
    """The classifiers that a result is read from."""
    both = (question.classifier, question.versus)
    return both if question.row.difference else both[:1]


def sure_scores(population: Population, plan: Plan) -> tuple[str, ...]:
    """The classifiers of a plan whose scores are turned round: those it names, else those found.

    A ranked list is what its score makes it, so that nothing is turned round there unasked: a wrong
    guess would be about another list.
    """
    if plan.sure_scores is not None:
        return tuple(plan.sure_scores)
    single = all(name in SCALARS or name in DIFFERENCES for name in plan.estimands)
    return tuple(found_sure(population, plan)) if single else ()


def found_sure(population: Population, plan: Plan) -> list[str]:
    """The classifiers of a plan whose score looks like how sure they are of their prediction."""
    names = chosen_classifiers(population, plan)
    return [name for name in scores_looking_sure(population) if name in names]


def as_ordered(population: Population, plan: Plan) -> Population:
    """The file as a plan reads its scores."""
    return turned(population, sure_scores(population, plan))


def frozen(population: Population, plan: Plan, planned: int) -> Plan:
    """The plan as a session keeps it: its size, which scores are turned round, and what its method
    chose for the file."""
    if plan.planned is None:
        ordered = as_ordered(population, plan)
        setup = _given(ordered, plan, chosen_classifiers(population, plan), planned)
        chosen = {**plan.params, **plan.method.chosen(setup)}
        groups = None if setup.groups is None else setup.groups.asked
        plan = replace(plan, params=chosen, groups=groups)
    return plan.with_planned(planned, sure_scores(population, plan))


def check_size(design: Design[Any], frame: Frame, planned: int, given: int = 0) -> None:
    """Raise PlanError for a size that the method cannot be planned with on this file; ``given``
    labels are there already."""
    least = design.least(frame) - given
    if planned < least:
        raise PlanArgumentError.naming(
            "budget",
            "must be at least {least:,} for {plan.design=} and this file, got {value:,}",
            least=least,
            design=design.name,
            value=planned,
            short=f"needs at least {least:,} labels",
            remedies=[Remedy(f"label {least:,} items", {"budget": least})],
        )


def make_setup(
    population: Population, plan: Plan, classifiers: tuple[str | None, ...], planned: int
) -> Setup:
    """What a design may know before the first label; with a new plan the method has chosen what the
    plan leaves to it."""
    setup = _given(population, plan, classifiers, planned)
    if plan.planned is not None:
        return setup
    return replace(setup, params=replace(setup.params, **plan.method.chosen(setup)))


def _given(
    population: Population, plan: Plan, classifiers: tuple[str | None, ...], planned: int
) -> Setup:
    _make_content(population, plan.design_params, classifiers[0])
    strict = plan.claim_form == Form.STRICT
    asked = tuple(plan.estimands) if strict else (*plan.estimands, *plan.claimed)
    return Setup(
        population=population,
        classifier=classifiers[0],
        estimands=tuple(dict.fromkeys(asked)),
        params=plan.design_params,
        seed=plan.drawing_seed,
        planned=planned,
        target=plan.target,
        claims=plan.claimed if strict else (),
        confidence=plan.confidence,
        versus=next(iter(classifiers[1:]), None),
        classifiers=tuple(name for name in classifiers if name is not None),
        classes=None if plan.classes is None else tuple(plan.classes),
        claimed=_claimed(population, plan, classifiers[0]),
        promise=plan.promised,
        orders=MIXED if plan.interval_rules >= INTERVAL_RULES else HASHED,
        rounded=plan.interval_rules < EXACT_SUMS,
        portable=plan.portable,
        groups=_groups(population, plan, planned),
        group_margin=plan.group_margin,
        edges=plan.edges,
        foreseen=plan.learns and plan.promised == Promise.WATCHED,
    )


OTHER_CONTENT = (
    "says that the helper made from the content of the items is {said}, and here it came out as "
    "{found}: another version of Labelcore or scikit-learn, or another machine, makes it "
    "otherwise; open the project from its store"
)


def _make_content(population: Population, params: Any, classifier: str | None) -> None:
    """What the content of the items says, for a plan that uses it. Raises ParameterError
    where it comes out otherwise than the plan says."""
    if classifier is None or not hasattr(params, "content"):
        return
    wanted = wants_content(population, params.helpers)
    if wanted or params.recut == ONCE:
        content_hash = second_opinion(population, classifier).hash
        if wanted and params.content not in (None, content_hash):
            message = OTHER_CONTENT.format(said=params.content[:12], found=content_hash[:12])
            raise ParameterError("content", message)
    if params.recut == ONCE:
        features_of(population, classifier)


GROUPINGS = Kept(Recent[Grouping])


def _groups(population: Population, plan: Plan, planned: int) -> Grouping | None:
    """The groups that the plan asks for. Raises PlanError for a column that has none to tell."""
    if plan.by is None:
        return None
    by = tuple(plan.by)
    asked = None if plan.groups is None else tuple(plan.groups)
    wanted = by, None if asked else planned, asked

    def cut_by_columns() -> Grouping:
        return grouping_of(population, by, planned=planned, asked=asked)

    try:
        grouping = GROUPINGS.of(population).get(wanted, cut_by_columns)
    except ArgumentError as error:
        raise PlanArgumentError(error.argument, error.rule) from None
    if plan.groups is None and len(grouping.asked) < 2:
        rest = " and all others as one" if grouping.joined else ""
        large = sum(grouping_of(population, by).sizes >= FEWEST)
        enough = 2 * LABELS_EACH
        more = [Remedy(f"label {enough} items", {"budget": enough})]
        raise PlanArgumentError(
            "by",
            f"names {grouping.label!r}, of which only {grouping.names[0]!r}{rest} can be asked: "
            f"each group needs {FEWEST} items and {LABELS_EACH} planned labels",
            value=by,
            remedies=more if large > 1 and plan.budget is not None else [],
        )
    return grouping


def _claimed(
    population: Population, plan: Plan, first: str | None
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    if len(population.classes) > 2:
        return ()
    return tuple(subject_of(text, first, population.classifiers) for text in plan.claims)
