"""Whether a plan's stop rules end the session now."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from labelcore.figures.choices import choice_made
from labelcore.figures.claims import all_settled, claim_results
from labelcore.figures.scalars import headline_stage, scalar_results, within_margin
from labelcore.log.engine import Engine
from labelcore.plan.stop_rules import met_rules
from labelcore.results.types import Claim, Estimate

Scalars = Callable[[], Mapping[str, Estimate]]
Claims = Callable[[], Mapping[str, Claim]]


@dataclass(frozen=True, slots=True)
class _Standing:
    """``plan.stop_rules.Standing`` of an engine."""

    engine: Engine
    at: datetime | None
    scalars: Scalars
    claims: Claims

    @property
    def labels(self) -> int:
        return self.engine.labels

    def goal_reached(self) -> bool:
        return within_margin(self.engine, self.scalars())

    def claims_settled(self) -> bool:
        return all_settled(self.claims())

    def choice_made(self) -> bool:
        return choice_made(self.engine)


def stop_reason(
    engine: Engine, at: str | None, scalars: Scalars | None = None, claims: Claims | None = None
) -> str:
    """The rules that end the session now, as the plan writes them, joined by "; "; "" where it
    goes on. After an extension none does; after the choice is sought for another requirement,
    that it is made.

    at                the present moment, ISO 8601; None: no deadline has passed
    scalars, claims   asked for these results now, where somebody keeps them
    """
    if engine.extended:
        return ""
    moment = None if at is None else datetime.fromisoformat(at)
    scalars = scalars or (lambda: scalar_results(headline_stage(engine)))
    now = _Standing(engine, moment, scalars, claims or (lambda: claim_results(engine)))
    rules = ("choice",) if engine.sought else tuple(engine.plan.stop or ())
    return "; ".join(met_rules(rules, now))
