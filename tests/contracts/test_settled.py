"""Figures for the settled judgement, for every method: one that follows what is settled, or the
reason why there is none."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest

from labelcore.figures.scalars import scalar_results
from labelcore.figures.settled import settled_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.repeats import Judged, Repeats
from labelcore.promises import State
from labelcore.testing.known import Known, labelled
from labelcore.words.agreement import KNOWN_SETTLED, NO_END, OLD_SAMPLE_SETTLED
from tests.cases import once
from tests.contracts.test_tables import CASES, NAMED, written_files
from tests.recycled import engine_of

REASONS = (KNOWN_SETTLED, NO_END, OLD_SAMPLE_SETTLED)
SCALAR = [one.name for one in CASES if one.design not in ("reach_selection", "paula")]
files = once(written_files)


@dataclass(slots=True)
class Prepared(Repeats):
    found: list[Judged] = field(default_factory=list)

    def judged(self) -> list[Judged]:
        return self.found


def settle(engine: Engine, said: Callable[[int, str], str], every: int = 2) -> None:
    """Every second draw, or each, is judged by another person, and settled as ``said`` says of the
    item and of its label."""
    engine.repeats = Prepared(0, 1 / every, others=True)
    for index, asked in enumerate(engine.asked, start=1):
        if asked.answers[-1].kind != "labelled":
            continue
        label = str(asked.answers[-1].label)
        settled = said(asked.position, label)
        first = Event(index, "labelled", "", "a", index=index, label=label)
        other = Event(9_000 + index, "reread", "", "b", index=index, label=settled)
        one = Judged(index, first, (other,), True, 1 / every)
        if index % every == every - 1:
            engine.repeats.found.append(one)
            detail = {"answers": one.sequences}
            event = Event(index, "settled", "", "c", index=index, label=settled, detail=detail)
            engine.settled[index] = event


@pytest.mark.parametrize("name", SCALAR)
def test_a_figure_or_a_reason(name: str, files: dict[str, Callable[[int], Known]]) -> None:
    one = NAMED[name]
    known = files[one.file](1)
    engine = labelled(engine_of(known, one.plan(overlap=0.5), 1), known.truth)
    classes, positive = engine.population.classes, engine.population.positive
    other = next(name for name in classes if name != positive)
    first = scalar_results(engine)
    settle(engine, lambda position, label: label)
    alike = settled_results(engine)
    assert set(alike) == {f"{key}@settled" for key in first}
    settle(engine, lambda position, label: other if position % 3 == 0 else label)
    fewer = settled_results(engine)
    for key, told in first.items():
        same, lower = alike[f"{key}@settled"], fewer[f"{key}@settled"]
        if same.value is None:
            assert same.missing in REASONS or told.value is None
            continue
        for found in (same, lower):
            assert found.low <= found.value <= found.high
        if told.state.has_interval and told.state != State.EXACT:
            assert same.low <= told.value <= same.high
        if key == "precision":
            assert lower.value < same.value
            assert lower.high - lower.low > 0


def test_labels_after_the_overlap_do_not_move_the_share_of_flips(
    files: dict[str, Callable[[int], Known]],
) -> None:
    """Of a plain sample, half of it judged twice, a third of the positives among these settled
    otherwise: the figure falls by that share, whatever the other half is."""
    one = next(one for one in CASES if one.name == "plain")
    known = files["two"](1)
    engine = labelled(engine_of(known, one.plan(overlap=0.5), 1), known.truth)
    settle(engine, lambda position, label: label)
    before = settled_results(engine)["precision@settled"].value
    judged = [engine.asked[j.index - 1].position for j in engine.repeats.judged()]
    index = engine.population.classes.index(engine.population.positive)
    called = engine.population.predictions[engine.classifiers[0]] == index
    hits = [position for position in judged if called[position] and known.truth[position] == index]
    flipped = set(hits[::3])
    other = next(n for n in engine.population.classes if n != engine.population.positive)
    settle(engine, lambda position, label: other if position in flipped else label)
    after = settled_results(engine)["precision@settled"].value
    assert after == pytest.approx(before * (1 - len(flipped) / len(hits)))
    assert np.isfinite(after)
