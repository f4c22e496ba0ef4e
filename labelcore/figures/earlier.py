"""The figures of a project that was measured by an earlier rule: those of its last look.

How its intervals were computed is gone (``Plan.superseded``). Nothing is computed again: what the
log holds is told as it stands, a curve as its mean over all ranks.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from labelcore.designs.choices import Chooses
from labelcore.designs.curves import Curve
from labelcore.estimands import CHOICES, DIFFERENCE
from labelcore.figures.claims import alpha_of, statement_of
from labelcore.figures.current import FiguresNow
from labelcore.figures.curves import EARLIER_CURVE
from labelcore.figures.readiness import promised_until, scope_of_file
from labelcore.log.state import LogState
from labelcore.plan.claim_totals import ClaimTotals
from labelcore.promises import CandidateState, ChoiceStatus, ClaimStatus, Form, Promise, State
from labelcore.results.base import Finding
from labelcore.results.curves import Cut
from labelcore.results.types import Choice, Claim, Estimate, Scope
from labelcore.words.quantities import SETTLED, key_parts

METHOD, SOURCE = "an earlier rule", "the last look in the log"
NO_LOOK = "nobody looked while it was measured"
Stored = Mapping[str, Any]


def figures_of(state: LogState) -> FiguresNow:
    """What gives the figures of a log: computed now, or those that it holds."""
    superseded = state.engine.plan.superseded
    return EarlierFigures(state) if superseded else FiguresNow(state.engine)


class EarlierFigures(FiguresNow):
    """The figures of the last look of a log, whatever was answered after it."""

    def __init__(self, state: LogState) -> None:
        super().__init__(state.engine)
        self._looks = state.looks

    def results(self) -> dict[str, Finding]:
        """Every result that the last look has; without one those of the plan, unknown."""
        claims = {claim.read.text: claim for claim in self.engine.claims}
        look: Stored = self._looks[-1] if self._looks else {}
        asked = [question.key for question in self.engine.questions]
        keys = [*(asked or self.engine.plan.estimands), *claims]
        nothing: dict[str, Stored] = {key: {} for key in keys}
        findings: dict[str, Finding] = {}
        shared = {
            "labels_used": int(look.get("labels", 0)),
            "draws_used": int(look.get("draws", 0)),
            "method": METHOD,
            "assumptions": (),
            "source": SOURCE,
        }
        for key, stored in look.get("results", nothing).items():
            if key in claims:
                findings[key] = self._claim(claims[key], stored, shared)
            elif key in CHOICES:
                findings[key] = self._choice(key, stored, shared)
            else:
                findings[key] = self._estimate(key, stored, shared)
        return findings

    def _scope(self, classifier: str | None = None) -> Scope:
        plan = self.engine.plan
        return replace(
            scope_of_file(self.engine),
            classifier=classifier,
            margin=plan.margin,
            until=promised_until(self.engine),
            earlier=True,
        )

    def _estimate(self, key: str, stored: Stored, shared: dict[str, Any]) -> Estimate:
        name, inside, other = key_parts(key.removesuffix(f"@{SETTLED}"))
        first, versus = [*self.engine.classifiers, None][:2]
        difference = name.endswith(DIFFERENCE)
        scope = self._scope(other or first)
        return Estimate(
            estimand=key,
            value=stored.get("value"),
            low=stored.get("low", -1.0 if difference else 0.0),
            high=stored.get("high", 1.0),
            confidence=self.engine.plan.confidence,
            **shared,
            promise=Promise(stored.get("promise", self.engine.plan.promised)),
            state=State(stored.get("state", State.NOTHING)),
            missing="" if stored else NO_LOOK,
            scope=replace(
                scope,
                positive=inside or scope.positive,
                versus=versus if difference else None,
            ),
            tentative=bool(stored.get("tentative")),
        )

    def _claim(self, claim: ClaimTotals, stored: Stored, shared: dict[str, Any]) -> Claim:
        evidence = (float(stored.get(name, 1.0)) for name in ("evidence", "evidence_against"))
        log_evidence, against = (math.log(ratio) if ratio > 0 else -math.inf for ratio in evidence)
        return Claim(
            claim=claim.read.text,
            statement=statement_of(self.engine, claim),
            status=ClaimStatus(stored.get("state", ClaimStatus.UNDECIDED)),
            log_evidence=log_evidence,
            log_evidence_against=against,
            alpha=alpha_of(self.engine),
            value=stored.get("value"),
            **shared,
            promise=Promise.WATCHED,
            scope=self._scope(claim.sides[0].classifier),
            form=Form(self.engine.plan.claim_form),
            low=stored.get("low"),
            high=stored.get("high"),
        )

    def _choice(self, key: str, stored: Stored, shared: dict[str, Any]) -> Choice:
        params = self.engine.setup.params
        looked = stored.get("candidates", {})
        unknown = {"value": None, "low": 0.0, "high": 1.0, "state": CandidateState.IN.value}
        called = Chooses.of(self.engine.design).candidates(self.engine.frame)
        rows = [
            {"classifier": name, "size": len(items), **looked.get(name, unknown)}
            for name, items in called.items()
        ]
        return Choice(
            estimand=key,
            chosen=stored.get("chosen"),
            threshold=None,
            status=ChoiceStatus(stored.get("state", ChoiceStatus.UNDECIDED)),
            bounds=pd.DataFrame(rows).astype({"value": float}),
            precision_threshold=params.precision_threshold,
            precision_slack=params.precision_slack,
            reach_slack=params.reach_slack,
            confidence=self.engine.plan.confidence,
            **shared,
            promise=Promise(stored.get("promise", Promise.WATCHED)),
            missing="" if stored else NO_LOOK,
            scope=self._scope(),
        )

    def curve(self) -> Curve:
        """Raises ValueError: a look keeps no curve."""
        raise ValueError(EARLIER_CURVE)

    def cuts(self, ranks: Sequence[int]) -> list[Cut]:
        """Raises ValueError: a look keeps no curve."""
        raise ValueError(EARLIER_CURVE)

    def look(self, after: int, like: Mapping[str, Any] | None = None) -> None:
        """Nothing: no look is computed any more."""

    def stop_reason(self, at: str) -> None:
        """Nothing: what ended the session then is not computed again."""

    def course(self) -> list[dict[str, Any]]:
        """The looks of the log."""
        return list(self._looks)
