"""What the arguments of a plan may be, each by itself and beside the others, and what stands for
one that is left open."""

from collections.abc import Mapping, Sequence, Set
from dataclasses import fields
from math import isfinite
from typing import Any

from labelcore.designs import DESIGNS, Design
from labelcore.designs.base import NEWEST_RULES
from labelcore.designs.choices import Chooses
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.samples import named_classifiers
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import PlanArgumentError, PlanError, did_you_mean, told, whole_number
from labelcore.estimands import DIFFERENCES, ESTIMANDS, LISTS, SCALARS
from labelcore.plan.claims import read_claim
from labelcore.plan.stop_rules import ALL, RULES, available, looking, read_stop, rule_names, wanted
from labelcore.plan.terms import Terms
from labelcore.promises import UNSURE, Form, Promise, Unsure

NO_RESULT = "names {others}, and no result of {plan.design=} for {estimands} would be about it: "
ONE_LIST = (
    "a ranked list has the order of one classifier, here {first}; make a separate plan for each "
    "of the others, or compare two lists on the same labels with {plan.design=paired_lists}"
)
CANDIDATES_ONLY = (
    "it chooses among {{params.{candidates}}} only; name {{others}} there too, or {{first}} alone"
)


def check_all_read(
    method: Design[Any],
    estimands: tuple[str, ...],
    params: Any,
    classifiers: tuple[str, ...],
    claimed: Set[str],
) -> None:
    """Raise PlanError for a classifier that no result would be about; ``claimed`` are the names
    that claims mention."""
    if any(name in {**SCALARS, **DIFFERENCES, **LISTS} for name in estimands):
        return
    read = {*classifiers[:1], *named_classifiers(method, params), *claimed}
    left = tuple(name for name in classifiers if name not in read)
    if left:
        why = ONE_LIST
        if isinstance(method, Chooses):
            why = CANDIDATES_ONLY.format(candidates=method.chooses_among)
        raise PlanArgumentError.naming(
            "classifier",
            NO_RESULT + why,
            value=left,
            first=repr(classifiers[0]),
            others=", ".join(map(repr, left)),
            design=method.name,
            estimands=", ".join(estimands),
        )


MOST_LABELS = 1_000_000_000
MOST_READERS = 10
PROMISES = (Promise.WATCHED, Promise.FIXED)
CLAIM_FORMS = (Form.STRICT, Form.APPROXIMATE)
TARGETS = ("file", "process")
EXISTING = ("random", "certainty", "ignored")
NO_HORIZON = (
    " does not have: its watched band is for the planned size; plan for the most labels that you "
    "may want, and finish earlier"
)


SCORERS = {
    "accuracy_score": "accuracy",
    "precision_score": "precision",
    "recall_score": "recall",
    "f1_score": "f1",
    "average_precision_score": "average_precision",
    "precision_recall_curve": "precision_curve",
    "roc_auc": "area_under_roc",
    "roc_auc_score": "area_under_roc",
}
"""What scikit-learn calls an estimand."""


def our_names(names: Any) -> Any:
    """Estimands by the names that they have here."""
    if isinstance(names, str):
        return SCORERS.get(names, names)
    if not isinstance(names, Sequence):
        return names
    return [SCORERS.get(name, name) if isinstance(name, str) else name for name in names]


def check_known(name: Any, table: Mapping[str, Any], argument: str) -> None:
    if not isinstance(name, str):
        raise TypeError(f"{argument} must be text, got {type(name).__name__}")
    if name not in table:
        known = f"known are {', '.join(table)}{did_you_mean(name, table)}"
        raise PlanArgumentError(
            argument, f"names {name!r}, which is not known; {known}", value=name
        )


def name_tuple(names: Any, argument: str) -> tuple[str, ...]:
    names = [names] if isinstance(names, str) else getattr(names, "tolist", lambda: names)()
    if not isinstance(names, Sequence) or not all(isinstance(name, str) for name in names):
        raise TypeError(f"{argument} must be names, got {told(names)}")
    if not names:
        raise PlanArgumentError(argument, "must name at least one, got none", value=())
    if len(set(names)) < len(names):
        raise PlanArgumentError(
            argument, f"names one twice: {', '.join(names)}", value=tuple(names)
        )
    return tuple(names)


def check_estimands(names: Sequence[str], method: Design[Any]) -> None:
    for name in names:
        check_known(name, ESTIMANDS, "estimands")
        if name not in method.estimands:
            raise PlanArgumentError.naming(
                "estimands",
                "names {value.estimands=value}, which {plan.design=} does not estimate; it "
                "estimates {value.estimands=able}",
                design=method.name,
                able=tuple(method.estimands),
                value=name,
            )


def checked_edges(edges: Any) -> Any:
    """Places along scores, as JSON has them; PlanError for what are none."""
    if edges is None:
        return None
    try:
        listed = {
            group: {name: [[*mark] for mark in ends] for name, ends in classes.items()}
            for group, classes in edges.items()
        }
        marks = [mark for classes in listed.values() for ends in classes.values() for mark in ends]
        known = all(isinstance(tie, str) and isfinite(score) for score, tie in marks)
    except (AttributeError, TypeError, ValueError):
        known = False
    if not known:
        raise PlanArgumentError(
            "edges",
            "must be scores and ties by group and class, as a monitor's first wave has them",
        )
    return listed


def check_groups(plan: Terms) -> None:
    """Raise PlanError for groups that the method cannot draw by, or that nothing is asked of."""
    for name in ("groups", "group_margin"):
        if getattr(plan, name) is not None and plan.by is None:
            raise PlanArgumentError(name, "needs by, the column whose groups it is about")
    if plan.by is None:
        return
    if len(plan.by) > 2:
        raise PlanArgumentError(
            "by", f"must name one column, or two that are crossed, got {', '.join(plan.by)}"
        )
    if not plan.method.draws_by_group:
        able = tuple(name for name, design in DESIGNS.items() if design.draws_by_group)
        raise PlanArgumentError.naming(
            "by",
            "needs a method that draws by group, which {plan.design=} does not; "
            "{value.design=able} do",
            design=plan.design,
            able=able,
        )
    if not {*plan.estimands} & {*SCALARS}:
        raise PlanArgumentError.naming(
            "by",
            "needs an estimand with a number, such as 'accuracy', got {asked}",
            asked=", ".join(plan.estimands),
        )


def check_numbers(plan: Terms) -> None:
    for name in ("budget", "planned", "claims_planned"):
        value = getattr(plan, name)
        if value is not None:
            whole_number(name, value, "items")
        least = 0 if plan.existing == "random" else 1
        if value is not None and value < least:
            raise PlanArgumentError(name, f"must be at least {least}", got=value)
        if value is not None and value > MOST_LABELS:
            raise PlanArgumentError(
                name, f"must be at most {MOST_LABELS:,}, got {value:,}", value=value
            )
    if plan.rules is not None and type(plan.rules) is not int:
        raise TypeError(f"rules must be a whole number, got {plan.rules!r}")
    if plan.rules is not None and not 1 <= plan.rules <= NEWEST_RULES:
        newer = f"must be from 1 to {NEWEST_RULES}: a newer version of Labelcore made this plan"
        raise PlanArgumentError("rules", newer, got=plan.rules)
    whole_number("seed", plan.seed)
    for name, limit in (("margin", 0.5), ("group_margin", 0.5), ("confidence", 1)):
        value = getattr(plan, name)
        if value is None and name != "confidence":
            continue
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be a number, got {value!r}")
        if not 0 < value < limit:
            rule = "must lie between 0 and {value." + name + "=limit}"
            raise PlanArgumentError.naming(name, rule, limit=limit, got=value)
    _check_further_readings(plan)
    margins = plan.margin, plan.group_margin
    unsized = plan.budget is None and margins == (None, None) and not plan.claims
    if unsized and not plan.method.size_from_params:
        raise PlanError(
            "a plan needs a budget (number of labels), a margin (half-width) or a claim"
        )
    if not isinstance(plan.together, bool):
        raise TypeError(f"together must be True or False, got {plan.together!r}")
    if plan.target not in TARGETS:
        raise PlanArgumentError("target", f"must be one of {', '.join(TARGETS)}", got=plan.target)
    if plan.target not in plan.method.targets:
        raise PlanArgumentError.naming(
            "target",
            "must be {value.target=able} for {plan.design=}",
            able=tuple(plan.method.targets),
            design=plan.design,
            got=plan.target,
            short="speaks of this file only" if plan.target == "process" else "",
        )


def _check_further_readings(plan: Terms) -> None:
    for name in ("repeats", "overlap"):
        value = getattr(plan, name)
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"{name} must be a number, got {value!r}")
        if not 0 <= value <= 1:
            raise PlanArgumentError(name, "must be a share from 0 to 1", got=value)
    if whole_number("readers", plan.readers, "people") < 2:
        raise PlanArgumentError("readers", "must be at least 2", got=plan.readers)
    if plan.readers > MOST_READERS and plan.rules is None:
        raise PlanArgumentError(
            "readers",
            f"must be at most {MOST_READERS}: nothing is settled of an item before so many people "
            "have judged it",
            got=plan.readers,
        )
    if plan.readers > 2 and not plan.overlap:
        raise PlanArgumentError.naming("readers", "needs {plan.overlap} above 0", got=plan.readers)
    if plan.repeats and plan.overlap:
        raise PlanArgumentError.naming(
            "repeats",
            "cannot go with {plan.overlap}: items that other people judge as well are not "
            "shown to the same person twice",
            got=plan.repeats,
        )


def check_claims(plan: Terms) -> None:
    if isinstance(plan.claims, str) or not isinstance(plan.claims, Sequence):
        raise TypeError(f"claims must be a list of texts, got {plan.claims!r}")
    claims = [read_claim(text) for text in plan.claims]
    if len({claim.text for claim in claims}) < len(claims):
        raise PlanArgumentError(
            "claims", f"holds one twice: {', '.join(plan.claims)}", value=plan.claims
        )
    if claims and "claims" not in plan.method.stop_rules:
        raise PlanArgumentError.naming(
            "claims",
            "cannot be decided by {plan.design=}; use one that draws strata",
            design=plan.design,
        )


def check_claim_form(plan: Terms) -> None:
    """Approximate claims are read from the region of a planned size."""
    if plan.claim_form not in CLAIM_FORMS:
        raise PlanArgumentError(
            "claim_form", f"must be one of {', '.join(CLAIM_FORMS)}", got=plan.claim_form
        )
    object.__setattr__(plan, "claim_form", Form(plan.claim_form))
    if plan.claim_form == Form.STRICT:
        return
    if not plan.claims:
        raise PlanArgumentError("claim_form", "needs a claim", got=str(plan.claim_form))
    compared = next((text for text in plan.claims if read_claim(text).compares), None)
    if compared is not None:
        raise PlanArgumentError.naming(
            "claim_form",
            "is for claims about a number; two classifiers or groups are compared with "
            "{plan.claim_form=strict}",
            got=str(plan.claim_form),
        )
    able = set(plan.claimed) <= set(plan.method.estimands) and Promise.WATCHED in (
        plan.method.promises_for(plan.claimed, plan.design_params)
    )
    if plan.horizon is None or not able:
        raise PlanArgumentError.naming(
            "claim_form",
            "needs {plan.promise=watched} for a planned size, which {plan.design=} does not "
            "have here; use {plan.claim_form=strict}",
            design=plan.design,
            got=str(plan.claim_form),
        )


def check_sure_scores(plan: Terms) -> None:
    """A frozen plan without them is older than the argument, and turns no scores round."""
    given = () if plan.sure_scores is None and plan.planned is not None else plan.sure_scores
    if given is not None:
        given = name_tuple(given, "sure_scores") if given else ()
    object.__setattr__(plan, "sure_scores", given)


def check_unsure(plan: Terms) -> None:
    """Raises PlanError for a reading of unsure items that there is not, or not for this method."""
    reading = plan.unsure
    if not isinstance(reading, str):
        raise TypeError(f"unsure must be one of {', '.join(map(repr, UNSURE))}, got {reading!r}")
    if reading not in UNSURE:
        one_of = ", ".join(map(repr, UNSURE))
        raise PlanArgumentError("unsure", f"must be one of {one_of}", got=reading)
    if reading != Unsure.JUDGED and reading not in read_by(plan):
        able = " or ".join(map(repr, (str(Unsure.JUDGED), *map(str, read_by(plan)))))
        raise PlanArgumentError.naming(
            "unsure",
            "must be {able} for {plan.design=}",
            able=able,
            design=plan.design,
            got=reading,
        )


def read_by(plan: Terms) -> tuple[Unsure, ...]:
    """The readings of unsure items that the figures of a plan can have."""
    method = plan.method
    if not isinstance(method, EstimatesScalars):
        return ()
    if not method.judges(plan.design_params):
        return (Unsure.EITHER_WAY,)
    return UNSURE


def check_existing(plan: Terms) -> None:
    if plan.existing is None:
        return
    if plan.existing not in EXISTING:
        raise PlanArgumentError(
            "existing", f"must be one of {', '.join(EXISTING)}", got=plan.existing
        )
    if plan.existing == "ignored":
        return
    if plan.existing not in plan.method.existing:
        able = tuple(name for name, row in DESIGNS.items() if plan.existing in row.existing)
        raise PlanArgumentError.naming(
            "existing",
            "cannot go with {plan.design=}, which does not use existing labels; it works with "
            "{value.design=able}, and any method with {plan.existing=ignored}",
            design=plan.design,
            able=able,
            given=plan.existing,
            short="cannot use known answers",
        )
    if plan.claims:
        raise PlanArgumentError.naming(
            "claims",
            "must be made before the labels that decide them: with existing labels, which "
            "somebody may have seen, ask for a {plan.margin} or a {plan.budget} instead",
        )
    if plan.existing == "certainty" and plan.target == "process":
        raise PlanArgumentError.naming(
            "existing",
            "speaks of this file only: known items were not drawn at random, so that nothing "
            "follows from them for items like these; use {plan.target=file}",
            given=plan.existing,
        )


def checked_params(plan: Terms) -> dict[str, Any]:
    if not isinstance(plan.params, Mapping):
        raise TypeError(f"params must be a mapping of names to values, got {plan.params!r}")
    names = [item.name for item in fields(plan.method.Params)]
    for name in plan.params:
        if name not in names:
            known = ", ".join(names) if names else "none: this design has no parameters"
            band = isinstance(plan.method, EstimatesCurve) and plan.method.watched_until(1) > 0
            why = NO_HORIZON
            if name != "horizon" or not band:
                why = f" does not have; known are {known}" + did_you_mean(name, names)
            raise PlanArgumentError.naming(
                "params",
                "names {value!r}, which {plan.design=}{why}",
                design=plan.design,
                why=why,
                value=name,
            )
    checked = plan.method.Params(**plan.params)
    return {name: getattr(checked, name) for name in plan.params}


def resolved_promise(plan: Terms) -> Promise:
    method = plan.method
    new_only = plan.existing != "random"  # A sample that is there may already be large enough.
    too_small = (
        plan.budget is not None and plan.budget < method.smallest_watched_budget and new_only
    )
    if plan.promise is None:
        available = method.promises_for(tuple(plan.estimands), plan.design_params)
        return Promise.WATCHED if Promise.WATCHED in available and not too_small else Promise.FIXED
    if plan.promise not in PROMISES:
        raise PlanArgumentError(
            "promise", f"must be one of {', '.join(PROMISES)}", got=plan.promise
        )
    if plan.promise not in method.promises:
        raise PlanArgumentError.naming(
            "promise",
            "cannot go with {plan.design=}, which has {value.promise=able}",
            design=plan.design,
            able=tuple(map(str, method.promises)),
            given=plan.promise,
        )
    if plan.promise == Promise.WATCHED and too_small:
        raise PlanArgumentError.naming(
            "budget",
            "must be at least {least} for {plan.promise=watched} with {plan.design=}, got "
            "{value}; use a larger one or {plan.promise=fixed}",
            least=method.smallest_watched_budget,
            design=plan.design,
            value=plan.budget,
        )
    return Promise(plan.promise)


def resolved_stop(plan: Terms) -> tuple[str, ...]:
    if plan.stop is None:
        return _default_stop(plan)
    rules = read_stop(plan.stop)
    known = available(plan.method.stop_rules)
    for rule in rule_names(rules):
        if rule not in known:
            raise PlanArgumentError.naming(
                "stop",
                "names {value!r}, which is not available for {plan.design=}; known are {known}",
                design=plan.design,
                known=", ".join(known),
                value=rule,
            )
        if looking((rule,)) != wanted((rule,), plan):
            lacks = "names {value!r}, but the plan has no {plan." + RULES[rule].needs[0] + "}"
            raise PlanArgumentError.naming("stop", lacks, value=rule)
        once_frozen = rule == "margin" and plan.planned is not None  # ``Plan.superseded``
        if RULES[rule].looks and plan.promise != Promise.WATCHED and not once_frozen:
            raise PlanArgumentError.naming(
                "stop",
                "means looking after every label: that needs {plan.promise=watched}",
                given=rule,
            )
    return rules


def _default_stop(plan: Terms) -> tuple[str, ...]:
    """Stop at what the plan asks for, where a person may look and the method can stop."""
    rules = wanted(plan.method.stop_rules, plan) if plan.promise == Promise.WATCHED else ()
    return (ALL, *rules) if len(rules) > 1 else rules
