"""The plan: what is to be estimated, how, and how surely; frozen before the first label."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass, fields, replace
from types import MappingProxyType
from typing import Any

import numpy as np

from labelcore.designs import DESIGNS
from labelcore.errors import PlanError
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.plan import checks
from labelcore.plan.claims import readings
from labelcore.plan.terms import Terms
from labelcore.promises import Form, Unsure

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


ADDED = (
    "rules", "claims_planned", "classes", "by", "groups", "group_margin", "existing", "edges",
    "own_order",
)  # fmt: skip
"""Arguments that the text of older plans has not, and which are None there."""


@dataclass(frozen=True)
class Plan(Terms):
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

    def __post_init__(self) -> None:
        checks.check_known(self.design, DESIGNS, "design")
        put = object.__setattr__
        put(self, "estimands", checks.name_tuple(checks.our_names(self.estimands), "estimands"))
        checks.check_estimands(self.estimands, self.method)
        if self.classifier is not None and not isinstance(self.classifier, str):
            put(self, "classifier", checks.name_tuple(self.classifier, "classifier"))
        for name in ("classes", "by", "groups"):
            if getattr(self, name) is not None:
                put(self, name, checks.name_tuple(getattr(self, name), name))
        for item in fields(self):  # Numbers of NumPy and pandas are those of Python here.
            value = getattr(self, item.name)
            put(self, item.name, value.item() if isinstance(value, np.generic) else value)
        checks.check_numbers(self)
        checks.check_groups(self)
        checks.check_claims(self)
        checks.check_existing(self)
        put(self, "params", MappingProxyType(dict(checks.checked_params(self))))
        put(self, "promise", checks.resolved_promise(self))
        put(self, "stop", checks.resolved_stop(self))
        put(self, "claims", tuple(self.claims))
        checks.check_claim_form(self)
        names, params = tuple(self.estimands), self.design_params
        self.method.check(names, params, self.promised)
        if self.planned is None:  # Frozen plans from before this check stay valid.
            claimed = {name for text in self.claims for way in readings(text) for name in way.names}
            checks.check_all_read(self.method, names, params, self.classifiers, claimed)
        checks.check_sure_scores(self)
        checks.check_unsure(self)
        put(self, "edges", checks.checked_edges(self.edges))

    @property
    def unsure_reading(self) -> Unsure:
        """What figures take unsure items for: as the plan says, where its method can, else either
        way."""
        reading = Unsure(self.unsure)
        return reading if reading in checks.read_by(self) else Unsure.EITHER_WAY

    @property
    def leaves_unsure_out(self) -> bool:
        """Whether no figure counts an unsure item, however many there are."""
        return self.unsure_reading in (Unsure.JUDGED, Unsure.ODDS)

    @property
    def along_ranks(self) -> bool:
        """Whether the primary result is read off the curve of a ranked list."""
        return self.estimands[0] in (*CURVES, *SUMMARIES) and not self.superseded

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
