"""The plan: what is to be estimated, how, and how surely; frozen before the first label."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

from labelcore.designs import DESIGNS, Design
from labelcore.designs.base import INTERVAL_RULES, OVERLAP_RULES, DesignParams, Edges, WatchedParams
from labelcore.designs.samples import budget_counts_draws
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import PlanError
from labelcore.plan.checks import (
    check_all_read,
    check_claim_form,
    check_claims,
    check_edges,
    check_estimands,
    check_existing,
    check_groups,
    check_known,
    check_numbers,
    check_sure_scores,
    check_unsure,
    checked_params,
    name_tuple,
    our_names,
    read_by,
    resolved_promise,
    resolved_stop,
)
from labelcore.plan.claims import read_claim, readings
from labelcore.plan.stop_rules import looking, rule_names
from labelcore.promises import Form, Promise, Unsure
from labelcore.stats.orders import derived_seed

NEEDED = ("design", "estimands")


def plan_arguments(text: str, known: Collection[str]) -> dict[str, Any]:
    """Name -> value; PlanError for text that is no JSON object of the ``known`` names."""
    try:
        values = json.loads(text)
    except RecursionError:
        raise PlanError("the plan is not valid JSON: it is nested too deeply") from None
    except ValueError as error:
        raise PlanError(f"the plan is not valid JSON: {error}") from None
    if not isinstance(values, dict):
        raise PlanError(f"the plan must be a JSON object, got {type(values).__name__}")
    if unknown := sorted(set(values) - set(known)):
        raise PlanError(f"the plan has the unknown field {unknown[0]!r}")
    if missing := [name for name in NEEDED if name not in values]:
        raise PlanError(f"the plan lacks the field {missing[0]!r}")
    return values


USUAL_HORIZON, LIKELY_HORIZON = 4, 16
"""How many times its planned size a plan is for that ends at a margin or a strict claim, and one
with approximate claims, whose size the scores alone tell badly."""
ADDED = (
    "rules", "claims_planned", "classes", "by", "groups", "group_margin", "existing", "edges",
    "own_order",
)  # fmt: skip
"""Arguments that the text of older plans has not, and which are None there."""


@dataclass(frozen=True)
class Plan:
    """Everything that is decided before the first label.

    Parameters
    ----------
    design
        a name in ``labelcore.DESIGNS``
    estimands
        names in ``labelcore.ESTIMANDS``; the first one is the primary one
    classifier
        a name, a list of names, or None if the file has only one. The sample is drawn for the
        first; the others are estimated from the same labels
    params
        the parameters of the design by name
    budget
        how many distinct items may be given a class, "unsure" or "broken". A plan needs a budget, a
        margin or a claim
    margin
        the largest half-width allowed for any of the scalar estimands
    confidence
        between 0 and 1
    promise
        "watched": valid at every look, up to the planned size or ``params["horizon"]`` times that.
        "fixed": valid at the planned size only. None takes "watched" if the design has it
        for this budget
    claims
        what is to be shown, such as "precision >= 0.9", "accuracy[A] > accuracy[B]",
        "accuracy[language=de] >= 0.8", "accuracy[every language] >= 0.8" or "accuracy[some
        language] < 0.7"; they share the error level 1 - confidence
    claim_form
        what settles the claims. "strict": evidence whose promise is proved for every population.
        "approximate": the watched interval, one-sided; a claim is then called likely. It takes
        fewer labels; how often such a claim is false was measured (docs/likely_claims.md)
    stop
        what ends the session early. "margin": every watched interval has reached the margin.
        "claims": each claim is decided or refuted. "choice": a candidate is chosen. "deadline
        2027-01-31T18:00". Several rules end it when any of them is met, or, with ("all", ...), when
        all are. By default the margin, the claims, or both together if given, and no rule with
        promise "fixed"
    seed
        decides every random draw
    target
        "file": this file. "process": items like these, of which the file is a sample
    together
        whether the confidence is for all scalar results at once. Methods with strata then give each
        of them the error level that their correlation leaves; with others they share it equally.
        Otherwise each holds on its own, the first is the primary one and the others describe
    unsure
        what figures take the items for that people call unsure or broken. "judged": they are about
        the items that a person can judge. "odds": about all items, the unsure ones judged wrongly
        up to three times as often as the others of their stratum, or as seldom, by their odds.
        "either way": about all items, whatever the unsure ones are, as curves, claims, choices
        and the figures of methods that know no judged items (``unsure_reading``) have it always
    classes
        the classes that matter, where there are more than two: only these have a precision and a
        recall of their own, and the labels are shared for them. None: all. The confusion table
        describes the others
    by
        a column of groups, or two that are crossed, whose groups get labels and figures of their
        own, such as "accuracy[language=de]": equally many labels each, as far as the figures of all
        items get no more than a fifth wider by it. Groups of fewer than 50 items, and the smallest
        beyond one for each 40 planned labels, are joined as "other"
    groups
        the groups that are asked, where they are not to be as many as the labels can serve, which
        are found from the file and frozen with the size
    group_margin
        the largest half-width allowed for any scalar result of any of these groups
    existing
        how the file's known answers came about; needed if it has any. "random": a plain random
        sample of the file, which new labels extend. "certainty": chosen in some other way; only the
        rest is sampled, in an order of its own: the answers may come from a project with the same
        ``seed``. "ignored": not used. A budget counts new labels, and may be 0 with "random"
    repeats
        the share of labelled items, drawn at random by the seed, that is shown a second time to
        measure errors of the labels. They are not draws of the design and not part of the budget
    overlap
        the share of labelled items, drawn at random by the seed, that other people judge as well,
        each without being told of the other answers. They are not part of the budget. Where people
        differ, ``Session.settle`` says which answer counts, and ``results`` has every figure for
        the settled judgement too, as "accuracy@settled" and so on. Not together with ``repeats``
    readers
        how many people judge each of these items, the first one included: 2 to 10. Nothing is
        settled of an item before all of them have
    sure_scores
        classifiers whose score says how sure they are of their own prediction; it is turned round
        where they predict the other class. None: found from the file if the plan asks for single
        figures only, and frozen together with the size
    planned
        the planned size; None until ``labelcore.Session`` freezes it
    claims_planned
        the labels that approximate claims are expected to need, over which they spend their error,
        whatever the budget; frozen with the size
    edges
        where strata end along the scores, by group and predicted class, as the first wave of a
        ``Monitor`` tells those after it; None: at ranks of the file itself
    rules
        the version of the rules that intervals are computed by; None until it is frozen with the
        size. A frozen plan of an earlier version, or without one, is ``superseded``
    own_order
        whether known answers that are counted as they are leave the draws an order of their own;
        None until it is frozen with the size, and in frozen plans of before

    Raises
    ------
    PlanError
        A ValueError that names the argument and what is allowed.
    TypeError
        An argument has a wrong type.

    Examples
    --------
    >>> import labelcore as lc
    >>> lc.Plan("simple_random", ["accuracy"], budget=200, seed=7).promise
    'watched'
    >>> plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], margin=0.05)
    >>> plan.stop, plan.confidence
    (('margin',), 0.95)
    """

    design: str
    estimands: Sequence[str]
    classifier: str | Sequence[str] | None = field(default=None, kw_only=True)
    params: Mapping[str, Any] = field(default_factory=dict, kw_only=True)
    budget: int | None = field(default=None, kw_only=True)
    margin: float | None = field(default=None, kw_only=True)
    confidence: float = field(default=0.95, kw_only=True)
    promise: str | None = field(default=None, kw_only=True)
    claims: Sequence[str] = field(default=(), kw_only=True)
    claim_form: str = field(default=Form.STRICT, kw_only=True)
    stop: str | Sequence[str] | None = field(default=None, kw_only=True)
    seed: int = field(default=0, kw_only=True)
    target: str = field(default="file", kw_only=True)
    together: bool = field(default=False, kw_only=True)
    unsure: str = field(default=Unsure.JUDGED, kw_only=True)
    classes: Sequence[str] | None = field(default=None, kw_only=True)
    by: str | Sequence[str] | None = field(default=None, kw_only=True)
    groups: Sequence[str] | None = field(default=None, kw_only=True)
    group_margin: float | None = field(default=None, kw_only=True)
    existing: str | None = field(default=None, kw_only=True)
    repeats: float = field(default=0.0, kw_only=True)
    overlap: float = field(default=0.0, kw_only=True)
    readers: int = field(default=2, kw_only=True)
    sure_scores: Sequence[str] | None = field(default=None, kw_only=True)
    planned: int | None = field(default=None, kw_only=True)
    claims_planned: int | None = field(default=None, kw_only=True)
    rules: int | None = field(default=None, kw_only=True)
    edges: Edges | None = field(default=None, kw_only=True)
    own_order: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        check_known(self.design, DESIGNS, "design")
        put = object.__setattr__
        put(self, "estimands", name_tuple(our_names(self.estimands), "estimands"))
        check_estimands(self.estimands, self.method)
        if self.classes is not None:
            put(self, "classes", name_tuple(self.classes, "classes"))
        if self.classifier is not None and not isinstance(self.classifier, str):
            put(self, "classifier", name_tuple(self.classifier, "classifier"))
        if self.by is not None:
            put(self, "by", name_tuple(self.by, "by"))
        if self.groups is not None:
            put(self, "groups", name_tuple(self.groups, "groups"))
        check_numbers(self)
        check_groups(self)
        check_claims(self)
        check_existing(self)
        put(self, "params", MappingProxyType(dict(checked_params(self))))
        put(self, "promise", resolved_promise(self))
        put(self, "stop", resolved_stop(self))
        put(self, "claims", tuple(self.claims))
        check_claim_form(self)
        names, params = tuple(self.estimands), self.design_params
        self.method.check(names, params, self.promised)
        if self.planned is None:  # Frozen plans from before this check stay valid.
            claimed = {name for text in self.claims for way in readings(text) for name in way.names}
            check_all_read(self.method, names, params, self.classifiers, claimed)
        check_sure_scores(self)
        check_unsure(self)
        check_edges(self.edges)

    @property
    def method(self) -> Design[Any]:
        """The sampling method: the row of ``labelcore.DESIGNS`` that ``design`` names."""
        return DESIGNS[self.design]

    @property
    def counts_draws(self) -> bool:
        """Whether the budget counts draws, of which some may be of the same item."""
        return budget_counts_draws(self.method)

    @cached_property
    def design_params(self) -> DesignParams:
        """The parameters as the design's own frozen type, with its defaults filled in."""
        return self.method.Params(**self._settled())

    def _settled(self) -> dict[str, Any]:
        """The parameters as freezing the size leaves them; a frozen plan keeps its own."""
        frozen = self.planned is not None
        proved = self.claims if self.claim_form == Form.STRICT else ()
        return dict(self.params) if frozen else self.method.settled(self.params, proved)

    @property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers named, first the one that the sample is drawn for; empty if none was."""
        if self.classifier is None:
            return ()
        return (self.classifier,) if isinstance(self.classifier, str) else tuple(self.classifier)

    @property
    def stop_rules(self) -> tuple[str, ...]:
        """The names of the stop rules in force; empty if only the budget ends the session."""
        return rule_names(tuple(self.stop or ()))

    @property
    def further_answers(self) -> float:
        """How many answers more than one a labelled item gets, in the mean."""
        return self.repeats + self.overlap * (self.readers - 1)

    @property
    def claimed(self) -> tuple[str, ...]:
        """The estimands that the claims are about; a comparison of classifiers counts as a
        difference."""
        return tuple(read_claim(text).subject for text in self.claims)

    @property
    def promised(self) -> Promise:
        """The promise in force."""
        return Promise(self.promise or Promise.NONE)

    @property
    def superseded(self) -> bool:
        """Whether an earlier rule made the figures of this frozen plan: one of its version, or that
        of a fixed promise that stops at a margin. Its log opens, draws and answers follow, and its
        figures are those that its last look had; nothing more is labelled."""
        at_margin = self.promise == Promise.FIXED and "margin" in self.stop_rules
        return self.planned is not None and (at_margin or self.interval_rules < self._rules_now)

    def confidence_of_each(self, results: int) -> float:
        """The confidence of each scalar result.

        Parameters
        ----------
        results
            how many there are; with ``together`` they share the error level. That is the least
            where ``correlated``: each look finds a higher one from the labels

        Returns
        -------
        float
            Between 0 and 1.

        Examples
        --------
        >>> import labelcore as lc
        >>> plan = lc.Plan("simple_random", ["precision", "recall"], budget=200, together=True)
        >>> plan.confidence_of_each(2)
        0.975
        """
        return 1 - (1 - self.confidence) / (max(results, 1) if self.together else 1)

    @property
    def correlated(self) -> bool:
        """Whether the confidence is for all figures at once, and their correlation says what each
        of them needs (``labelcore.stats.max_t``)."""
        return (
            self.together and isinstance(self.method, EstimatesScalars) and self.method.correlates
        )

    @property
    def goal(self) -> float:
        """The half-width that the size follows from: that of figures of all items, else that of
        groups."""
        return float(self.margin or self.group_margin or 1)

    def margin_of(self, *, grouped: bool) -> float | None:
        """The largest half-width allowed for a figure of all items, or for one of a group.

        Parameters
        ----------
        grouped
            whether the figure is that of a group

        Returns
        -------
        float or None
            None where any is allowed.
        """
        return self.group_margin if grouped else self.margin

    def with_planned(self, planned: int, sure_scores: Sequence[str] | None = None) -> Plan:
        """This plan with its planned size frozen, and with it the rule by which it draws.

        Parameters
        ----------
        planned
            the size
        sure_scores
            replaces the plan's own unless None; ``labelcore.plan.against_file.frozen`` finds them
            in the file

        Returns
        -------
        Plan
            A new plan; this one does not change.
        """
        sure = self.sure_scores if sure_scores is None else sure_scores
        how_far = {} if self.horizon is None else {"horizon": self.horizon}
        return replace(
            self,
            planned=planned,
            params={**self._settled(), **how_far},
            sure_scores=sure,
            rules=self.interval_rules,
            own_order=self._own_order or None,
        )

    @property
    def _own_order(self) -> bool:
        """Whether draws keep apart from those of a project with the same seed, whose answers are
        known here: what that project passed over would come first. Frozen plans say so."""
        return self.existing == "certainty" and bool(self.own_order or self.planned is None)

    @property
    def drawing_seed(self) -> int:
        """The seed of the order of draws."""
        return self.seed if not self._own_order else derived_seed(self.seed, "known answers")

    @property
    def interval_rules(self) -> int:
        """The version of the interval rules in force; frozen plans without one have the first."""
        if self.rules is not None:
            return self.rules
        return self._rules_now if self.planned is None else 1

    @property
    def _rules_now(self) -> int:
        return OVERLAP_RULES if self.overlap else INTERVAL_RULES

    @property
    def horizon(self) -> int | None:
        """How many times its planned size a watched plan is for: 1 if nothing may be added. None
        for other promises, and for methods that are for sessions without end. A superseded plan
        ends where its parameters say."""
        if self.promised != Promise.WATCHED:
            return None
        if self.superseded:
            return self.params.get("horizon")
        return watched_horizon(
            self.method,
            self.design_params,
            budget=self.budget,
            claim_form=self.claim_form,
            grouped=self.by is not None,
        )

    @property
    def learns(self) -> bool:
        """Whether the size follows from a margin and is forecast anew after a pilot, because the
        forecast before it believes the scores."""
        watched = self.promised == Promise.WATCHED and not self.superseded
        by_margin = "margin" in self.stop_rules and self.budget is None
        sized = not self.method.size_from_params and self.method.has_horizon(self.design_params)
        return watched and by_margin and sized

    def furthest(self, planned: int) -> int | None:
        """The label at which a session ends that its margin alone would end, or approximate claims.

        Parameters
        ----------
        planned
            the planned size

        Returns
        -------
        int or None
            The horizon of its promise; None where nothing but the file ends it.
        """
        ends = {"margin", "claims"} if self.claim_form == Form.APPROXIMATE else {"margin"}
        looked = looking(self.stop_rules)
        if self.horizon is None or not looked or not ends.issuperset(looked):
            return None
        return self.horizon * planned

    @property
    def unsure_reading(self) -> Unsure:
        """What figures take unsure items for: as the plan says, where its method can, else either
        way."""
        reading = Unsure(self.unsure)
        return reading if reading in read_by(self) else Unsure.EITHER_WAY

    @property
    def leaves_unsure_out(self) -> bool:
        """Whether no figure counts an unsure item, however many there are."""
        return self.unsure_reading in (Unsure.JUDGED, Unsure.ODDS)

    @property
    def from_the_first_label(self) -> bool:
        """Whether figures are shown from the first label on; some methods wait for a few."""
        return isinstance(self.design_params, WatchedParams)

    def with_seed(self, seed: int) -> Plan:
        """This plan with another seed.

        Parameters
        ----------
        seed
            a whole number

        Returns
        -------
        Plan
            A new plan; this one does not change.
        """
        return replace(self, seed=seed)

    def to_json(self) -> str:
        """The plan as exact JSON text.

        Returns
        -------
        str
            ``Plan.from_json`` makes an equal plan of it.

        Examples
        --------
        >>> import labelcore as lc
        >>> plan = lc.Plan("simple_random", ["accuracy"], budget=200)
        >>> lc.Plan.from_json(plan.to_json()) == plan
        True
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, sort_keys=True)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled as it is stored."""
        return Plan.from_json, (self.to_json(),)

    def to_dict(self) -> dict[str, Any]:
        """The arguments as JSON values.

        Returns
        -------
        dict
            Arguments added since 0.1.0 are left out where they have their default, so that the
            plans of older projects keep their text.
        """
        values = {item.name: getattr(self, item.name) for item in fields(self)}
        values["params"] = dict(self.params)
        for name in ADDED:
            if values[name] is None:
                del values[name]
        if self.claim_form == Form.STRICT:
            del values["claim_form"]
        if not self.together:
            del values["together"]
        if self.unsure == Unsure.JUDGED:
            del values["unsure"]
        if not self.repeats:
            del values["repeats"]
        if not self.overlap:
            del values["overlap"], values["readers"]
        if self.sure_scores is None or (self.planned is not None and not self.sure_scores):
            del values["sure_scores"]
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in values.items()
        }

    @classmethod
    def from_json(cls, text: str) -> Plan:
        """The plan of a text that ``to_json`` made.

        Parameters
        ----------
        text
            JSON, of this version or an older one

        Returns
        -------
        Plan
            Checked in the same way as a new one.

        Raises
        ------
        PlanError
            The text is no plan, or the plan is not possible.
        TypeError
            A value has a wrong type.
        """
        return cls(**plan_arguments(text, [item.name for item in fields(cls)]))


def watched_horizon(
    method: Design[Any],
    params: Any,
    *,
    budget: int | None,
    claim_form: str = Form.STRICT,
    grouped: bool = False,
) -> int | None:
    """How many times its planned size a watched promise of a method with these parameters is for;
    None without an end. Groups may get more labels than planned once they are seen."""
    if not method.has_horizon(params):
        return None
    given: int | None = getattr(params, "horizon", None)
    usual = USUAL_HORIZON if claim_form == Form.STRICT else LIKELY_HORIZON
    return given or (usual if budget is None or grouped else 1)
