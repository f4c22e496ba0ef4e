"""Which plans may cut their strata once more at half of the labels."""

from dataclasses import replace

from labelcore.designs.recut import ONCE
from labelcore.errors import ParameterError
from labelcore.estimands import SCALARS
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import looking
from labelcore.population import Population
from labelcore.population.second_opinion import content_columns

MOST_ITEMS = 1_000_000
"""The content of more is not held beside a session."""
REFUSED = "= 'once' cuts strata once more at half of the labels, which {why}"


def check_recut(population: Population, plan: Plan, classifiers: int) -> None:
    """Raise ParameterError where a plan that wants it cannot have it."""
    if plan.params.get("recut") == ONCE and (why := why_no_recut(population, plan, classifiers)):
        raise ParameterError("recut", REFUSED.format(why=why))


def without_unfit_recut(population: Population, plan: Plan) -> Plan:
    """The plan, which cuts nothing where it may not."""
    classifiers = max(len(plan.classifiers), 1)
    if plan.params.get("recut") != ONCE or not why_no_recut(population, plan, classifiers):
        return plan
    return replace(plan, params={name: x for name, x in plan.params.items() if name != "recut"})


def why_no_recut(population: Population, plan: Plan, classifiers: int) -> str:
    """Why a plan cuts no strata once more: nothing can be learned, or it was not measured; "" where
    it may."""
    named = [name for name in plan.estimands if name not in SCALARS]
    reasons = {
        "needs content columns to learn from": not content_columns(population),
        "needs predictions to correct": not population.predictions,
        "was measured for two classes only": len(population.classes) > 2,
        "was measured for one classifier only": classifiers > 1,
        "was measured for single figures only, not for " + "".join(named[:1]): bool(named),
        "was not measured for plans with claims": bool(plan.claims),
        "was not measured for plans that end at a margin": bool(looking(plan.stop_rules)),
        "was not measured for plans with groups": plan.by is not None,
        "was not measured for the waves of a monitor": plan.edges is not None,
        "was not measured for all figures at once": plan.together,
        "was not measured with labels from before": plan.existing in ("random", "certainty"),
        "was not measured where several people judge an item": bool(plan.further_answers),
        "was not measured for a result about items like these": plan.target != "file",
        f"is done for at most {MOST_ITEMS:,} items": len(population) > MOST_ITEMS,
    }
    return next((words for words, so in reasons.items() if so), "")
