"""PAULA against the paper's definitions computed anew, block by block, on lists of every kind."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs import DESIGNS
from labelcore.errors import PlanError
from labelcore.figures.current import results
from labelcore.figures.curves import ranked_curve
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.papers.curves.paula_bounds import paula_grid
from labelcore.testing.known import Known, label, labelled, write
from tests.answering import labelled_to
from tests.curves import precision_curve
from tests.designs.doubtful_items import check_doubtful_item_counts_both_ways

ASKED = ("precision_curve", "average_precision", "area_under_roc")
SMALL = {"epsilon": 0.2, "window": 10}


def plan_of(params: dict[str, Any] | None = None, **values: Any) -> lc.Plan:
    return lc.Plan("paula", ASKED, params=SMALL if params is None else params, seed=3, **values)


# --- the paper, written down a second time -------------------------------------------------------


@dataclass(frozen=True)
class Paper:
    """Section 4.2 and definitions 1, 4 and 6, by the letter, in exact arithmetic.

    v      labels along the ranks, cut at what is reached; n: items of the whole list
    """

    v: list[int]
    n: int
    epsilon: str
    window: int
    finished: int

    @cached_property
    def base(self) -> Fraction:
        return 1 + Fraction(self.epsilon)

    @cached_property
    def ell(self) -> int:
        least = ceil((self.window + 2) / Fraction(self.epsilon))
        return next(j for j in range(10_000) if self.base**j >= least)

    @cached_property
    def last(self) -> int:
        return next(j for j in range(10_000) if self.base ** (j + 1) > self.n)

    @cached_property
    def powers(self) -> list[int]:
        return [ceil(self.base**j) for j in range(max(self.ell, self.last + 1) + 1)]

    def g(self, j: int) -> int:
        return self.powers[j]

    def p(self, r: int) -> Fraction:
        return Fraction(sum(self.v[:r]), r)

    def local(self, r: int) -> Fraction:
        """p_Delta, equation 6."""
        if r <= self.window:
            return self.p(r)
        return Fraction(sum(self.v[r - self.window : r]), self.window)

    @cached_property
    def yields(self) -> dict[int, tuple[Fraction, Fraction]]:
        """Y- and Y+ of definition 6, by k."""
        low = high = self.g(self.ell) * self.p(self.g(self.ell))
        found = {self.ell: (low, high)}
        for j in range(self.ell, self.last):
            width = self.g(j + 1) - self.g(j)
            low, high = (
                low + width * self.local(self.g(j + 1)),
                high + width * self.local(self.g(j)),
            )
            found[j + 1] = low, high
        return found

    def edges(self) -> list[int]:
        """Ranks at which the blocks end."""
        if self.n <= self.g(self.ell):
            return [self.n]
        return [self.g(j) for j in range(self.ell, self.last + 1)]

    def reached(self) -> int:
        edges = self.edges()
        return self.n if self.finished == len(edges) else edges[self.finished - 1]

    def bounds(self, r: int) -> tuple[float, float]:
        """q-(r) in the yield form and the step function q+(r), clipped at 1."""
        if r <= self.edges()[0]:
            return float(self.p(r)), float(self.p(r))
        k = self.last
        while self.g(k) > r:
            k -= 1
        low, high = self.yields[k]
        ahead = self.local(self.g(k + 1)) if k < self.last and self.g(k + 1) <= len(self.v) else 0
        return float((low + (r - self.g(k)) * ahead) / r), min(float(high / self.g(k)), 1.0)


def paper(known: Known, engine: Engine, finished: int, params: dict[str, Any]) -> Paper:
    truth = known.truth[engine.rank_order].tolist()
    whole = Paper(truth, len(truth), str(params["epsilon"]), params["window"], finished)
    reached = whole.edges()[finished - 1]
    return Paper(truth[:reached], len(truth), whole.epsilon, whole.window, finished)


# --- lists ---------------------------------------------------------------------------------------


def falling(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    score = np.round(rng.beta(1, 1, n), 6)
    return score, (rng.random(n) < score).astype(int)


def tied(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    score, truth = falling(rng, n)
    return np.round(score, 1), truth


def rising_head(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    score, truth = np.linspace(1, 0, n), (rng.random(n) < 0.5).astype(int)
    truth[:50], truth[50:70] = 0, 1
    return score, truth


def constant(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return np.full(n, 0.3), (rng.random(n) < 0.4).astype(int)


def all_positive(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.random(n), np.ones(n, dtype=int)


def none_positive(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    return rng.random(n), np.zeros(n, dtype=int)


# g_ell = 67, then 80, 96, ...: below, at and just above the first edges.
LISTS = [(falling, 260), (tied, 260), (rising_head, 260), (constant, 260), (falling, 3),
         (falling, 66), (falling, 67), (falling, 68), (falling, 79), (falling, 80), (falling, 81),
         (all_positive, 200), (none_positive, 200)]  # fmt: skip


def engines(tmp_path: Path, make: Any, n_items: int) -> tuple[Known, Engine]:
    score, truth = make(np.random.default_rng(n_items), n_items)
    known = write(tmp_path, truth, score=score)
    return known, known.engine(plan_of(), 3)


@pytest.mark.parametrize(("make", "n_items"), LISTS)
def test_bounds_after_every_block_are_the_papers(tmp_path: Path, make: Any, n_items: int) -> None:
    known, engine = engines(tmp_path, make, n_items)
    ends = np.cumsum([len(block) for block in blocks(engine)]).tolist()
    for labels in label(engine, known.truth):
        finished = int(np.searchsorted(ends, labels, side="right"))
        if finished and (labels in ends or labels % 45 == 0):
            band = precision_curve(engine)
            expected = paper(known, engine, finished, SMALL)
            assert band.x[-1] == expected.reached()
            low, high = np.array([expected.bounds(int(r)) for r in band.x]).T
            np.testing.assert_allclose(band.low, low, rtol=0, atol=1e-12)
            np.testing.assert_allclose(band.high, high, rtol=0, atol=1e-12)
            np.testing.assert_allclose(band.value, (low + high) / 2, rtol=0, atol=1e-12)
        elif not finished:
            assert not precision_curve(engine).has_interval
    assert labels == expected.edges()[0] + 10 * (len(expected.edges()) - 1)


def test_the_printed_lower_step_function_is_another_one(tmp_path: Path) -> None:
    """Y-_k / g_k between the edges, as printed, is rejected by the comparison above; on a list that
    falls it even passes the truth."""
    truth = (np.arange(400) < 90).astype(int)
    known = write(tmp_path, truth, score=np.linspace(1, 0, 400))
    engine = labelled(known.engine(plan_of(), 3), truth)
    band, whole = precision_curve(engine), paper(known, engine, len(blocks(engine)), SMALL)
    printed = [
        float(whole.yields[k][0] / whole.g(k)) if (k := place(whole, int(r))) is not None else one
        for r, one in zip(band.x, band.low, strict=True)
    ]
    real = np.cumsum(truth) / band.x
    assert np.all(band.low <= real + 1e-12)
    assert np.any(np.array(printed) > real + 1e-3)


def place(paper: Paper, r: int) -> int | None:
    """The last k with g_k <= r, None within the head."""
    if r <= paper.g(paper.ell):
        return None
    return max(k for k in range(paper.ell, paper.last + 1) if paper.g(k) <= r)


def blocks(engine: Engine) -> list[np.ndarray]:
    """The ranks asked in each block, in the order asked."""
    frame: Any = engine.frame
    asked = engine.design.asked(engine.setup, frame, 0, engine.most)
    parts = np.split(engine.rank_of[asked], frame.batch_ends[:-1])
    return [np.asarray(part) for part in parts]


def test_blocks_are_asked_in_turn_each_in_a_random_order(tmp_path: Path) -> None:
    known, engine = engines(tmp_path, falling, 400)
    edges = paper(known, engine, 1, SMALL).edges()
    head, *windows = blocks(engine)
    assert sorted(head) == list(range(1, 68)) and head.tolist() != sorted(head)
    for edge, window in zip(edges[1:], windows, strict=True):
        assert sorted(window) == list(range(edge - 9, edge + 1))
    other = blocks(known.engine(plan_of(), 4))
    assert other[0].tolist() != head.tolist()
    engine = labelled(engine, known.truth)
    asked = [engine.rank_of[one.position] for one in engine.asked]
    assert asked == np.concatenate([head, *windows]).tolist()


# --- answers without a class ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["unsure", "broken", "later"])
@pytest.mark.parametrize("index", [20, 70, 90])
def test_an_item_without_a_class_counts_both_ways(tmp_path: Path, kind: str, index: int) -> None:
    """However few they are: nothing here is a random sample that could go on without them."""
    known, _ = engines(tmp_path, falling, 400)
    check_doubtful_item_counts_both_ways(known, plan_of(), kind, index)


def test_a_block_waits_for_its_last_answer(tmp_path: Path) -> None:
    known, engine = engines(tmp_path, falling, 400)
    labelled_to(engine, known, 77)
    assert precision_curve(engine).x[-1] == 80
    engine.answer(77, Event(0, "later", "", "test"))
    assert precision_curve(engine).x[-1] == 67
    next(label(engine, known.truth))
    assert precision_curve(engine).x[-1] == 80


# --- what it says of itself ----------------------------------------------------------------------


def sentences(engine: Engine) -> Iterator[str]:
    for one in results(engine).values():
        yield one.sentence()
        yield from one.assumptions


def test_no_confidence_goes_with_it(tmp_path: Path) -> None:
    known, engine = engines(tmp_path, falling, 400)
    for labels in (0, *label(engine, known.truth)):
        if labels % 20 and labels < 150:
            continue
        for one in results(engine).values():
            assert one.promise == "none"
        band = precision_curve(engine)
        assert band.confidence is None and not band.simultaneous
        assert json.loads(band.to_json())["confidence"] is None
        assert not any("95" in text or "confidence," in text for text in sentences(engine))
    assert "no confidence goes with them" in band.sentence()


def test_a_rising_head_and_rising_stretches_are_said(tmp_path: Path) -> None:
    known, engine = engines(tmp_path / "rising", rising_head, 400)
    notes = precision_curve(labelled(engine, known.truth)).notes
    assert any("rises at the head: over the first 67 items" in note for note in notes)
    _, truth = falling(np.random.default_rng(1), 400)
    truth[:] = np.arange(400) % 100 < 50
    known = write(tmp_path / "waves", truth, score=np.linspace(1, 0, 400))
    engine = labelled(known.engine(plan_of(), 3), truth)
    whole = paper(known, engine, len(blocks(engine)), SMALL)
    rises = [k for k in range(whole.ell, whole.last)
             if whole.local(whole.g(k + 1)) > whole.local(whole.g(k))]  # fmt: skip
    (note,) = [one for one in precision_curve(engine).notes if "stretches rises" in one]
    assert f"at {len(rises)} of {whole.last - whole.ell} steps" in note
    assert f"rank {whole.g(rises[0])}" in note


def test_a_falling_list_has_no_such_note(tmp_path: Path) -> None:
    truth = (np.arange(400) < 70).astype(int)
    known = write(tmp_path, truth, score=np.linspace(1, 0, 400))
    engine = labelled(known.engine(plan_of(), 3), truth)
    assert precision_curve(engine).notes == ()
    at_start = known.engine(plan_of(), 3)
    assert precision_curve(at_start).notes == ()


def test_envelope_and_noise(tmp_path: Path) -> None:
    """Theorem 3's factor on either side, and sqrt(p (1 - p) / Delta); nothing of it in the head."""
    known, engine = engines(tmp_path, falling, 400)
    band = precision_curve(labelled(engine, known.truth))
    derived = lc.preview(known.population, plan_of()).derived
    head, factor = band.x <= 67, derived["factor"]
    envelope = band.extra["envelope_low"], band.extra["envelope_high"]
    np.testing.assert_allclose(envelope[0][~head], band.high[~head] / factor)
    np.testing.assert_allclose(envelope[1][~head], np.minimum(band.low[~head] * factor, 1))
    np.testing.assert_array_equal(envelope[0][head], band.low[head])
    middle = band.value[~head]
    np.testing.assert_allclose(band.extra["noise"][~head], np.sqrt(middle * (1 - middle) / 10))
    assert np.all(band.extra["noise"][head] == 0)


def test_other_readings_have_bounds_though_the_bounds_cross(tmp_path: Path) -> None:
    """Where the share of hits rises, q- passes q+; no list of labels fits between the two, and yet
    every reading keeps low <= high and average precision a value."""
    truth = (np.arange(400) % 100 < 50).astype(int)
    known = write(tmp_path, truth, score=np.linspace(1, 0, 400))
    engine = labelled(known.engine(plan_of(), 3), truth)
    band, curve = precision_curve(engine), ranked_curve(engine)
    assert np.any(band.low > band.high)
    for name in curve.names:
        _, low, high = curve.read(name)
        assert name == "precision" or np.all(low <= high + 1e-12), name
    for key in ASKED[1:]:
        one = results(engine)[key]
        assert one.value is not None and 0 <= one.low <= one.value <= one.high <= 1
        assert one.confidence is None and one.promise == "none" and "95 %" not in one.sentence()


def test_nothing_positive_is_said_of_the_summaries(tmp_path: Path) -> None:
    known, engine = engines(tmp_path, none_positive, 200)
    one = results(labelled(engine, known.truth))["average_precision"]
    assert one.value is None and "no 'yes' item was found" in one.sentence()


# --- before the first label ----------------------------------------------------------------------


def test_what_it_derives(tmp_path: Path) -> None:
    """Section 4.2 with epsilon = .2, Delta = 10: r~ = 60, ell = 23 because 1.2^23 = 66.2."""
    known, engine = engines(tmp_path, falling, 400)
    found = lc.preview(known.population, plan_of())
    m = int(0.2 * 1.2**23 - 1)
    gamma = 1.2 + 2.2 / m
    assert {name: found.derived[name] for name in ("ell", "g_ell", "L", "m")} == {
        "ell": 23, "g_ell": 67, "L": 32, "m": m,
    }  # fmt: skip
    assert found.derived["gamma"] == pytest.approx(gamma, abs=1e-12)
    assert found.derived["factor"] == pytest.approx(gamma * 1.2, abs=1e-12)
    assert found.labels == found.draws == 67 + 10 * (32 - 23) == engine.plan.planned


@pytest.mark.parametrize(
    ("n_items", "epsilon", "labels"),
    [(35_615, 0.03, 11_292), (35_615, 0.05, 7_822), (217_077, 0.03, 17_392)],
)
def test_published_sizes_through_preview(
    tmp_path_factory: pytest.TempPathFactory, n_items: int, epsilon: float, labels: int
) -> None:
    """Sections 5.2 and 5.3."""
    rng = np.random.default_rng(4)
    folder = tmp_path_factory.mktemp("published")
    known = write(folder, np.zeros(n_items, dtype=int), score=np.round(rng.random(n_items), 4))
    found = lc.preview(known.population, plan_of({"epsilon": epsilon, "window": 100}))
    assert found.labels == found.expected_labels == labels


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"promise": "watched"},
            "promise 'watched' cannot go with design 'paula', which has fixed",
        ),
        ({"params": {"first_rank": 100}}, "first_rank must be at least"),
        ({"params": {"epsilon": 0.0}}, "between 0.001 and 1.0"),
        ({"params": {"window": 0}}, "between 1"),
        ({"params": {"delta": 0.1}}, "does not have"),
        ({"target": "process"}, "target must be file for design 'paula', got 'process'"),
        ({"stop": "margin", "margin": 0.1}, "not available"),
    ],
)
def test_what_it_cannot_do_is_refused(values: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        lc.Plan("paula", ASKED, **values)


# --- through a session ---------------------------------------------------------------------------


def test_sizes_go_from_loose_to_tight_and_a_form_starts_near_200() -> None:
    sizes = DESIGNS["paula"].sizes(26_456)
    assert [one.labels for one in sizes] == sorted({one.labels for one in sizes})
    factors = [float(one.gives.rsplit(" ", 1)[1]) for one in sizes]
    assert factors == sorted(factors, reverse=True) and factors[-1] < 1.1
    assert sizes[-1].params == {"epsilon": 0.03, "window": 100} and sizes[-1].labels == 10_292
    for one in sizes:
        grid = paula_grid(26_456, **one.params)
        assert (grid.labels, f"{grid.factor:.3g}") == (one.labels, one.gives.rsplit(" ", 1)[1])
    assert not DESIGNS["paula"].sizes(12) and not DESIGNS["simple_random"].sizes(26_456)
