"""Watched bands that only narrow: each cut by all earlier ones of a fixed grid of looks."""

from collections.abc import Callable, Iterator
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.figures import narrowing, scalars
from labelcore.figures.current import FiguresNow
from labelcore.figures.narrowing import grid, narrowed, narrows, whole
from labelcore.figures.scalars import scalar_results, scalar_results_of, stage_until
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.runs import beginning, label_all
from labelcore.results.types import Estimate
from labelcore.testing.known import SCALARS, Known, calibrated, label, labelled
from tests.answering import labelled_to
from tests.cases import once
from tests.designs.synthetic import WATCHED

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

PLANNED = 80
FEW = SCALARS[::2]
"""Of the plain sample, whose ends take longest to find."""

known = once(calibrated, 700, seed=8)


def plan_of(design: str = "recalibrated_neyman", **values: Any) -> lc.Plan:
    asked = FEW if design == "simple_random" else WATCHED.get(design, SCALARS)
    return lc.Plan(design, asked, **{"budget": PLANNED, "promise": "watched", **values})


def ends(found: dict[str, Estimate]) -> dict[str, tuple[float, float]]:
    return {key: (one.low, one.high) for key, one in found.items()}


def without(engine: Engine) -> dict[str, Estimate]:
    """The results as if nobody could have looked before."""
    return scalar_results_of([engine], alone=True)[0]


def bands(
    engine: Engine, known: Known, *, every: bool = False
) -> Iterator[tuple[int, dict[str, Estimate]]]:
    """At each look of the grid, or after every label."""
    looks = grid(PLANNED, PLANNED)
    for labels in label(engine, known.truth):
        if every or labels in looks:
            yield labels, scalar_results(engine)


def same(one: dict[str, tuple[float, float]], other: dict[str, tuple[float, float]]) -> bool:
    return all(one[key] == pytest.approx(other[key], abs=1e-7) for key in other)


def by_hand(engine: Engine, truth: np.ndarray) -> dict[int, dict[str, tuple[float, float]]]:
    """The bands at the looks, from those that stand alone."""
    cut: dict[str, tuple[float, float]] = {}
    found = {}
    for labels in label(engine, truth):
        if labels not in grid(PLANNED, PLANNED):
            continue
        own, now = without(engine), {}
        for key, one in own.items():
            low, high = one.low, one.high
            if one.has_interval and key in cut:
                both = max(low, cut[key][0]), min(high, cut[key][1])
                low, high = both if both[0] <= both[1] else (low, high)
            now[key] = low, high
            if one.has_interval:
                cut[key] = low, high
        found[labels] = now
    return found


@pytest.mark.parametrize("design", WATCHED)
def test_each_band_is_cut_by_all_before_it(design: str, known: Known) -> None:
    plan = plan_of(design)
    wanted = by_hand(known.engine(plan, 3), known.truth)
    for labels, found in bands(known.engine(plan, 3), known):
        assert same(ends(found), wanted[labels]), labels
        assert all(one.value is None or one.low <= one.value <= one.high for one in found.values())


def bands_only_narrow(known: Known) -> None:
    narrower = 0
    engine = known.engine(plan_of(), 0)
    seen = [one for _, one in bands(engine, known)]
    for before, now in pairwise(seen):
        for key, one in now.items():
            if before[key].has_interval:
                assert before[key].low <= one.low <= one.high <= before[key].high
    alone = without(engine)
    for key, one in seen[-1].items():
        assert alone[key].low - 1e-9 <= one.low <= one.high <= alone[key].high + 1e-9
        narrower += one.half_width < alone[key].half_width - 1e-4
    assert narrower, "no band was ever wider than one before it"


def test_it_does_not_matter_who_looked_when(known: Known) -> None:
    """At every label, at the end alone, many sessions side by side, in a run of a simulation."""
    plan = plan_of()
    watched = known.engine(plan, 5)
    *_, (_, at_each) = bands(watched, known, every=True)
    once = labelled(known.engine(plan, 5), known.truth)
    several = [labelled(known.engine(plan, seed), known.truth) for seed in (4, 5)]
    assert ends(scalar_results(once)) == ends(at_each), "to the last digit: a replay compares"
    assert same(ends(scalar_results_of(several)[1]), ends(at_each))
    first = beginning(known.population, plan.with_planned(PLANNED))
    runs = [first.redrawn(seed) for seed in (1, 2)]
    label_all(runs, known.truth)
    assert same(ends(scalar_results_of(runs)[1]), by_hand(first.redrawn(2), known.truth)[PLANNED])


@pytest.mark.parametrize(
    ("design", "together"),
    [*product(WATCHED, [False, True])],
)
def test_looks_that_cut_nothing_are_left_out(
    design: str, together: bool, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of sessions that are looked at once the bands are the same; most looks are left out by the
    methods that can tell which. A twin that leaves out all of them is seen."""
    plan = plan_of(design, together=together)
    runs = [labelled(known.engine(plan, seed), known.truth) for seed in (4, 5, 6)]
    looked: list[int] = []
    cutting = narrowing._cutting_looks
    monkeypatch.setattr(narrowing, "_cutting_looks", lambda engine, band: (
        looked.append(len(found := [*cutting(engine, band)])), found)[1])  # fmt: skip
    ended = [ends(one) for one in scalar_results_of(runs, ended=True)]
    assert not any(run.seen for run in runs)
    every = [ends(one) for one in scalar_results_of(runs)]
    assert all(same(*one) for one in zip(ended, every, strict=True))
    assert all(len(run.seen) == len(grid(PLANNED, PLANNED)) - 1 for run in runs)
    if design in ("recalibrated_neyman", "agreement_patterns"):
        assert sum(looked) < 0.3 * sum(len(run.seen) for run in runs)
        monkeypatch.setattr(narrowing, "_cutting_looks", lambda engine, band: [])
        blind = [ends(one) for one in scalar_results_of(runs, ended=True)]
        assert not all(same(*one) for one in zip(blind, every, strict=True))


def test_bands_apart_are_looked_at_one_by_one(known: Known) -> None:
    """The classifier is right 40 times, and wrong from then on: bands lie apart, and of these the
    new one is kept, whether looks are left out or not."""
    engine = known.engine(plan_of("simple_random"), 3)
    (said,) = known.population.predictions.values()
    for _ in zip(range(40), label(engine, said), strict=False):
        pass
    labelled(engine, 1 - said)
    (ended,) = scalar_results_of([engine], ended=True)
    assert engine.seen, "no two bands lay apart"
    assert same(ends(ended), ends(scalar_results(engine)))


def later_labels_do_not_matter(known: Known) -> None:
    """Two worlds that agree on the first 40 draws alone have the same bands up to there."""
    plan = plan_of("simple_random")
    engine = known.engine(plan, 2)
    seen = {labels: ends(found) for labels, found in bands(engine, known)}
    first = [asked.position for asked in engine.asked[:40]]
    other = 1 - known.truth
    other[first] = known.truth[first]
    again = known.engine(plan, 2)
    for labels in label(again, other):
        if labels <= 40 and labels in seen:
            assert ends(scalar_results(again)) == seen[labels]
    assert ends(scalar_results(again)) != seen[PLANNED]
    assert same(ends(scalar_results(stage_until(engine, 40))), seen[40])


def answer(engine: Engine, index: int, code: int) -> None:
    name = engine.population.classes[code]
    engine.answer(index, Event(0, "labelled", "", "test", label=name))


def a_revised_answer_and_an_undo_begin_anew(known: Known) -> None:
    """As if the answer had been the other one from the start, or had never been given."""
    plan = plan_of("simple_random")
    engine = labelled(known.engine(plan, 7), known.truth)
    scalar_results(engine)
    position = engine.asked[11].position
    answer(engine, 12, 1 - int(known.truth[position]))
    assert engine.seen[-1][0] == 11
    told = known.truth.copy()
    told[position] = 1 - told[position]
    fresh = labelled(known.engine(plan, 7), told)
    assert ends(scalar_results(engine)) == ends(scalar_results(fresh))
    engine.retract(12)
    before = ends(scalar_results(engine))
    for index in range(PLANNED, 50, -1):
        engine.retract(index)
    fresh = known.engine(plan, 7)
    labelled_to(fresh, known, 50)
    assert ends(scalar_results(engine)) == ends(scalar_results(fresh)) != before


def never_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scalars, "narrowed", lambda before, ends: ends)


def cut_by_later_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        scalars, "bands_before", lambda one: one.seen[-1][1] if one.seen else whole(len(FEW))
    )


def never_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    put_in = Engine._put_in

    def keeping(self: Engine, index: int) -> None:
        seen = list(self.seen)
        put_in(self, index)
        self.seen[:] = seen

    monkeypatch.setattr(Engine, "_put_in", keeping)


CONTRACTS = {
    bands_only_narrow: never_cut,
    later_labels_do_not_matter: cut_by_later_looks,
    a_revised_answer_and_an_undo_begin_anew: never_looked_at_again,
}


@pytest.mark.parametrize("contract", CONTRACTS)
def test_contract(contract: Callable[[Known], None], known: Known) -> None:
    contract(known)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_broken_twin_fails(
    contract: Callable[[Known], None], known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    CONTRACTS[contract](monkeypatch)
    monkeypatch.delenv("CI", raising=False)  # pytest would write out how the bands differ.
    with pytest.raises(AssertionError):
        contract(known)


def test_an_answer_out_of_order_is_looked_back_at(known: Known) -> None:
    """The tenth item is put off and answered at the end: until then it counts both ways at every
    look after it; then the bands are those of answers in order."""
    plan = plan_of("simple_random")
    engine = known.engine(plan, 9)
    late = 0
    while engine.peek() is not None:
        index = engine.draw_next()
        if index == 10:
            engine.answer(index, Event(0, "later", "", "test"))
            continue
        answer(engine, index, int(known.truth[engine.asked[index - 1].position]))
        late = index
        if index == 60:
            waiting = ends(scalar_results(engine))
    in_order = labelled(known.engine(plan, 9), known.truth)
    at_60 = known.engine(plan, 9)
    labelled_to(at_60, known, 60)
    for key, (low, high) in ends(scalar_results(at_60)).items():
        assert waiting[key][0] <= low + 1e-9 and high <= waiting[key][1] + 1e-9, key
    answer(engine, 10, int(known.truth[engine.asked[9].position]))
    assert late == PLANNED
    assert ends(scalar_results(engine)) == ends(scalar_results(in_order))


def test_one_look_more_after_one_label_more(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    add = narrowing.add_look
    monkeypatch.setattr(narrowing, "add_look", lambda engine, draws, *rest: (
        looked.append(draws), add(engine, draws, *rest)))  # fmt: skip
    engine = known.engine(plan_of(), 1)
    for labels in label(engine, known.truth):
        before = len(looked)
        for _ in range(2):
            scalar_results(engine)
        assert len(looked) - before <= 1, labels
        if labels == 30:
            break
    assert looked == grid(PLANNED, 29)


def test_where_bands_do_not_narrow(known: Known) -> None:
    yes = plan_of()
    assert narrows(known.engine(yes, 1).plan)
    assert narrows(known.engine(plan_of(target="process"), 1).plan)
    claims = lc.Plan("recalibrated_neyman", SCALARS, budget=PLANNED, promise="watched",
                     claims=["accuracy >= 0.5"], stop=["claims"])  # fmt: skip
    for plan in (plan_of(promise="fixed"), plan_of(margin=0.1, stop="margin"), claims):
        engine = labelled(known.engine(plan, 1), known.truth)
        assert not narrows(engine.plan)
        assert scalar_results(engine) and not engine.seen


def test_two_bands_apart_leave_the_new_one() -> None:
    before = np.array([[0.1, 0.5, -np.inf], [0.3, 0.9, np.inf]])
    now = np.array([[0.2, 0.1, 0.0], [0.6, 0.4, 0.2]])
    assert narrowed(before, now).tolist() == [[0.2, 0.1, 0.0], [0.3, 0.4, 0.2]]


def test_the_grid() -> None:
    assert grid(100, 12) == [*range(1, 13)]
    assert grid(100, 31, 0) == [*range(21), 25, 30]
    assert grid(3_000, 600)[-4:] == [500, 530, 560, 590]
    assert grid(100, 520)[-4:] == [505, 510, 515, 520]


def test_the_course_comes_from_the_log(known: Known) -> None:
    """Nobody looked on the way: the picture has each look of the grid all the same, with what was
    to be seen then, and again after an answer became another one."""
    plan = plan_of("simple_random").with_planned(PLANNED)
    engine = known.engine(plan, 4)
    looks = {labels: ends(found) for labels, found in bands(engine, known)}
    once = labelled(known.engine(plan, 4), known.truth)
    figures = FiguresNow(once)
    told = figures.course()
    assert [look["labels"] for look in told] == grid(PLANNED, PLANNED)
    for look in told:
        found = {key: (one["low"], one["high"]) for key, one in look["results"].items()}
        assert same(found, looks[look["labels"]]), look["labels"]
    answer(once, 60, 1 - int(known.truth[once.asked[59].position]))
    again = figures.course()
    kept = sum(one <= 55 for one in grid(PLANNED, PLANNED))
    assert again[:kept] == told[:kept] and again[kept:] != told[kept:]
    assert FiguresNow(known.engine(plan, 4)).course() == []
