"""What a plan decides, and what follows from that by itself."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from labelcore.designs import DESIGNS, Design
from labelcore.designs.base import (
    INTERVAL_RULES,
    NEWEST_RULES,
    ONE_LOOK_RULES,
    OVERLAP_RULES,
    PORTABLE_RULES,
    SAMPLED_RULES,
    DesignParams,
    Edges,
    WatchedParams,
)
from labelcore.designs.samples import budget_counts_draws
from labelcore.designs.scalars import EstimatesScalars
from labelcore.estimands import SCALARS
from labelcore.plan.claims import read_claim
from labelcore.plan.stop_rules import looking, rule_names
from labelcore.promises import Form, Promise, Unsure
from labelcore.stats.orders import derived_seed

USUAL_HORIZON, LIKELY_HORIZON = 4, 16
"""How many times its planned size a plan is for that ends at a margin or a strict claim, and one
with approximate claims, whose size the scores alone tell badly."""


@dataclass(frozen=True)
class Terms:
    """The arguments of a ``Plan``, which checks them and says what each means."""

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
        since = OVERLAP_RULES if self.overlap else INTERVAL_RULES
        return self.planned is not None and (at_margin or self.interval_rules < since)

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
        if self.planned is not None:
            return 1
        return NEWEST_RULES

    @property
    def portable(self) -> bool:
        """Whether nothing is decided by the last digits of a processor."""
        return self.interval_rules >= PORTABLE_RULES

    @property
    def counts_masses(self) -> bool:
        """Whether how many items of a kind the file has is chance by its own likelihood."""
        return self.target == "process" and self.interval_rules >= SAMPLED_RULES

    @property
    def horizon(self) -> int | None:
        """How many times its planned size a watched plan is for: 1 if nothing may be added. None
        for other promises, and for methods that are for sessions without end, as all were by the
        first rules."""
        if self.promised != Promise.WATCHED or self.interval_rules == 1:
            return None
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
        able = not self.method.size_from_params and self.method.has_horizon(self.design_params)
        if self.budget is not None or self.superseded or not able:
            return False
        if self.promised == Promise.WATCHED:
            return "margin" in self.stop_rules
        sized = (self.margin or self.group_margin) and not self.claims and self.planned != 0
        since = self.rules is None or self.rules >= ONE_LOOK_RULES
        numbers = {*self.estimands} <= {*SCALARS}
        return self.promised == Promise.FIXED and bool(sized) and since and numbers

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
    def from_the_first_label(self) -> bool:
        """Whether figures are shown from the first label on; some methods wait for a few."""
        return isinstance(self.design_params, WatchedParams)


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
