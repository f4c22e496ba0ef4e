"""Strata that are cut once more while a session goes on: when, by what, and what changes."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from labelcore.designs.base import Frame
from labelcore.designs.recut import ONCE, Content, content_of, from_json, recut_frame, to_json
from labelcore.tallies import Tallies, tallies_of

if TYPE_CHECKING:
    from labelcore.log.engine import Engine

SHARE, MOST_UNSURE = 0.5, 0.02
"""From this share of the planned labels on strata are cut once more, unless more answers than that
for each label are unsure: for these it was not measured."""


@dataclass(frozen=True, eq=False, slots=True)
class Parts:
    """What an engine counts in: a frame, its cells without or with labels, and what follows from
    the frame."""

    frame: Frame
    tallies: Tallies
    of_frame: dict[Hashable, Any]

    @classmethod
    def of(cls, engine: Engine) -> Parts:
        """Those that an engine has now."""
        return cls(engine.frame, engine.tallies, engine._of_frame)

    def put_in(self, engine: Engine) -> None:
        """Count in these from now on."""
        engine.frame, engine.tallies, engine._of_frame = self.frame, self.tallies, self.of_frame


def recut_wanted(engine: Engine) -> bool:
    """Whether the plan cuts strata once more and has not done so yet."""
    return getattr(engine.setup.params, "recut", None) == ONCE and not engine.recuts


def recut_due(engine: Engine) -> bool:
    """Whether strata are cut once more now: between two batches, from half of the labels on."""
    if not recut_wanted(engine) or engine.labels < SHARE * engine.planned:
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


def parts_of(engine: Engine, told: Mapping[str, Any]) -> Parts | None:
    """What an engine counts in after a cut; None where nothing was cut."""
    cut = from_json(told, len(engine.population))
    if cut is None:
        return None
    frame = recut_frame(engine.frame, cut, np.asarray(engine.drawn_positions))
    tallies = tallies_of(
        engine.population, frame.stratum, engine.classifiers, engine.questions, engine.setup.groups
    )
    return Parts(frame, tallies, {})
