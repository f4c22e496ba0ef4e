"""Strata that are cut once more while a session goes on: when, and by what."""

from collections.abc import Mapping
from typing import Any

from labelcore.designs.recut import ONCE, Content, content_of, from_json, to_json
from labelcore.log.engine import Engine

SHARE, MOST_UNSURE = 0.5, 0.02
"""From this share of the planned labels on strata are cut once more, unless more answers than that
for each label are unsure: for these it was not measured."""


def recut_wanted(engine: Engine) -> bool:
    """Whether the plan cuts strata once more and has not done so yet."""
    return getattr(engine.setup.params, "recut", None) == ONCE and not engine.recuts


def recut_due(engine: Engine) -> bool:
    """Whether strata are cut once more now: between two batches, from half of the labels on."""
    if not recut_wanted(engine) or engine.labels < SHARE * engine.watched_for:
        return False
    going_on = len(engine.asked) < engine.limit and not engine.extended
    return going_on and not engine.batch_left


def found_recut(engine: Engine, *, forecast: bool = True) -> dict[str, Any]:
    """What is recorded when strata are cut once more, with what it is expected to save where a
    ``forecast`` is wanted; nothing where it is not due."""
    if not recut_due(engine):
        return {}
    content = _content(engine)
    facts: dict[str, Any] = {"labels": engine.labels, "features": content.hash}
    if engine.undecided > MOST_UNSURE * engine.labels:
        return {**facts, "unsure": engine.undecided}
    setup = engine._due().setup
    cut, model = engine.design.recut(
        setup, engine.frame, engine.progress, content.columns, forecast=forecast
    )
    return {**facts, **model, **({} if cut is None else to_json(cut))}


def same_content(engine: Engine, told: Mapping[str, Any]) -> bool:
    """Whether the content of the items makes the numbers here that this cut was learned from."""
    return bool(_content(engine).hash == told.get("features"))


def _content(engine: Engine) -> Content:
    return content_of(engine.population, str(engine.setup.classifier))


def check_recut(engine: Engine, told: Mapping[str, Any]) -> None:
    """Raise an error for what cuts no strata of this engine."""
    cut = from_json(told, len(engine.population))
    if cut is not None and len(cut.edge) != engine.frame.n_strata:
        raise ValueError("it cuts other strata")
