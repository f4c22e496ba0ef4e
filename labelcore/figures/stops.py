"""Whether a plan's stop rules end the session now."""

from __future__ import annotations

from datetime import datetime

from labelcore.figures.choices import choice_made
from labelcore.figures.claims import all_settled
from labelcore.figures.scalars import goal_reached
from labelcore.log.engine import Engine
from labelcore.plan.stop_rules import ALL, deadline_of


def stop_reason(engine: Engine, at: str | None) -> str:
    """The rules that end the session now, as the plan writes them, joined by "; "; "" where it
    goes on. After an extension none does.

    at   the present moment, ISO 8601; None: no deadline has passed
    """
    stop = tuple(engine.plan.stop or ())
    if not stop or engine.extended:
        return ""
    rules = [rule for rule in stop if rule != ALL]
    met = [rule for rule in rules if _met(engine, rule, at)]
    enough = len(met) == len(rules) if stop[0] == ALL else bool(met)
    return "; ".join(met) if enough else ""


def _met(engine: Engine, rule: str, at: str | None) -> bool:
    if rule == "margin":
        return goal_reached(engine)
    if rule == "claims":
        return all_settled(engine)
    if rule == "choice":
        return choice_made(engine)
    deadline = deadline_of((rule,))
    return at is not None and deadline is not None and datetime.fromisoformat(at) >= deadline
