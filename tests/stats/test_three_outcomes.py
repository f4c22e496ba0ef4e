"""Evidence for a lead with three outcomes: brute force, exact chances, and twins that must fail."""

import itertools
import math
from collections import defaultdict
from collections.abc import Callable
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import gammaln, xlogy
from scipy.stats import binom

from labelcore.stats import three_outcomes
from labelcore.stats.evidence import constrained_maximum
from labelcore.stats.predictives import Looks, log_shifted_outcomes
from labelcore.stats.three_outcomes import (
    Duels,
    _Outcomes,
    largest_sign_likelihood,
    log_evidence_of_lead,
)
from tests.cases import repeated, searched

NOISE = 1e-4
Evidence = Callable[[Duels], np.ndarray]


def evidence_of_lead(
    found: Duels, rates: np.ndarray | None = None, target: str = "file"
) -> np.ndarray:
    """``log_evidence_of_lead``; rates of a third where none are given."""
    suggested = np.full((2, len(found.size)), 1 / 3) if rates is None else rates
    return log_evidence_of_lead(found, suggested, target=target)


def duels(size: list[int], better: list[int], worse: list[int], labelled: list[int]) -> Duels:
    """One look."""
    one, *rows = (np.array(part, dtype=float) for part in (size, better, worse, labelled))
    return Duels(one, *(row[None] for row in rows))


def looks_of(found: Duels) -> Looks:
    return Looks(
        np.tile(found.size, 2), np.tile(found.labelled, 2),
        np.concatenate([found.better, found.worse], axis=1), 0.0,
        np.repeat([1.0, -1.0], len(found.size)),
    )  # fmt: skip


def rising(total: float, seen: float) -> float:
    return float(gammaln(total + 1) - gammaln(total - seen + 1))


def brute_force(found: Duels) -> float:
    """The largest ln P_K of all whole K+ and K- that contradict the claim."""
    best = {0: 0.0}
    for k, size in enumerate(found.size.astype(int)):
        plus, minus, n = (int(part[0, k]) for part in (found.better, found.worse, found.labelled))
        zero, cell = n - plus - minus, {}
        for a in range(plus, size + 1):
            for b in range(minus, size - a - zero + 1):
                value = rising(a, plus) + rising(b, minus) + rising(size - a - b, zero)
                cell[a - b] = max(cell.get(a - b, -math.inf), value - rising(size, n))
        sums: dict[int, float] = defaultdict(lambda: -math.inf)
        for (lead, old), (more, new) in itertools.product(best.items(), cell.items()):
            sums[lead + more] = max(sums[lead + more], old + new)
        best = dict(sums)
    return max((value for lead, value in best.items() if lead <= 0), default=-math.inf)


@st.composite
def samples(draw: st.DrawFn, largest: int = 12, cells: int = 3) -> Duels:
    number = draw(st.integers(1, cells))
    size = [draw(st.integers(1, largest)) for _ in range(number)]
    labelled = [draw(st.integers(0, n)) for n in size]
    better = [draw(st.integers(0, n)) for n in labelled]
    worse = [draw(st.integers(0, n - a)) for n, a in zip(labelled, better, strict=True)]
    return duels(size, better, worse, labelled)


@given(samples())
@searched(150)
def test_the_largest_likelihood_never_undercuts_brute_force(found: Duels) -> None:
    looks = looks_of(found)
    exact, relaxed = brute_force(found), float(constrained_maximum(looks, _Outcomes(looks))[0])
    assert relaxed >= exact - 1e-8
    assert math.isfinite(relaxed) == math.isfinite(exact)


@pytest.mark.parametrize("seed", range(8))
def test_fractions_cost_little(seed: int) -> None:
    random = np.random.default_rng(seed)
    labelled = random.integers(10, 25, 2)
    hits = np.array([random.multinomial(n, [0.5, 0.3, 0.2]) for n in labelled])
    found = duels([60, 60], list(hits[:, 0]), list(hits[:, 1]), list(labelled))
    looks = looks_of(found)
    exact, relaxed = brute_force(found), float(constrained_maximum(looks, _Outcomes(looks))[0])
    assert exact - 1e-8 <= relaxed <= exact + 0.1


def test_a_huge_file_is_solved_like_independent_draws() -> None:
    """Two cells: the grid search over shares of + and - of each."""
    found = duels([10**8, 3 * 10**8], [40, 20], [10, 25], [55, 60])
    looks = looks_of(found)
    share = np.linspace(0.002, 0.998, 250)
    best = []
    for k, size in enumerate((1, 3)):
        plus, minus, n = (float(part[0, k]) for part in (found.better, found.worse, found.labelled))
        a, b = np.meshgrid(share, share, indexing="ij")
        inside = a + b < 0.999
        a, b = a[inside], b[inside]
        value = xlogy(plus, a) + xlogy(minus, b) + xlogy(n - plus - minus, 1 - a - b)
        lead = np.round(size * (a - b) / (share[1] - share[0])).astype(int)
        top = np.full(2001, -np.inf)
        np.maximum.at(top, lead + 1000, value)
        best.append(np.maximum.accumulate(top))
    grid = (best[0] + best[1][::-1]).max()
    relaxed = float(constrained_maximum(looks, _Outcomes(looks))[0])
    assert relaxed == pytest.approx(grid, abs=0.05)


def exact_signs(better: int, worse: int, most: int) -> float:
    signs, found = better + worse, -math.inf
    for whole in range(signs, most + 1):
        for plus in range(better, min(whole - worse, whole // 2) + 1):
            left = math.comb(whole - signs, plus - better) / math.comb(whole, plus)
            found = max(found, math.log(left))
    return found


def test_the_largest_sign_likelihood_is_that_of_every_count() -> None:
    """All s+, s- and D up to 30 against all whole numbers: never below, and little above."""
    cases = np.array(
        [(a, b, m) for m in range(31) for a in range(m + 1) for b in range(m - a + 1)], dtype=float
    )
    found = largest_sign_likelihood(*cases.T)
    exact = np.array([exact_signs(*map(int, case)) for case in cases])
    assert np.array_equal(np.isneginf(exact), np.isneginf(found))
    over = found[np.isfinite(exact)] - exact[np.isfinite(exact)]
    assert over.min() >= -1e-9
    assert over.max() < 1.0 and np.mean(over) < 0.1


# --- a scheme that could be bet ------------------------------------------------------------------


def test_the_chances_of_every_next_label_add_up() -> None:
    random = np.random.default_rng(3)
    size, rates = np.array([40.0, 90.0]), np.array([[0.6, 0.2], [0.1, 0.7]])
    for _ in range(20):
        n = random.integers(0, 12, 2)
        hits = np.array([random.multinomial(one, [0.5, 0.3, 0.2]) for one in n])[:, :2].astype(
            float
        )
        cell = np.eye(2)[random.integers(2)]
        plus, minus = cell * [1, 1], 0 * cell
        better = hits[:, 0] + np.array([minus, plus, minus, minus])
        worse = hits[:, 1] + np.array([minus, minus, plus, minus])
        labelled = n + np.array([minus, cell, cell, cell])
        looks = looks_of(Duels(size, better, worse, labelled))
        whole, *parts = np.exp(log_shifted_outcomes(size, looks, rates))
        assert sum(parts) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize("share", [0.0, 1e-9, 0.3, 0.7])
def test_no_label_is_no_evidence(share: float) -> None:
    """Even where the scores are sure of the opposite."""
    rates = np.array([[1e-9, 1e-9], [share, share]])
    several = duels([10, 20], [0, 0], [0, 0], [0, 0])
    assert evidence_of_lead(several, rates)[0] == pytest.approx(0.0, abs=1e-9)
    one = duels([10], [0], [0], [0])
    for target in ("file", "process"):
        found = evidence_of_lead(one, rates[:, :1], target=target)[0]
        assert found == pytest.approx(0.0, abs=1e-9)
    small, large = (
        evidence_of_lead(duels([size], [9], [2], [12]), target="process")[0] for size in (15, 10**6)
    )
    assert small == large, "items like these are as many as one likes"


# --- the promise, exactly ------------------------------------------------------------------------


def best_of_all(size: np.ndarray, looks: Looks, rates: np.ndarray) -> np.ndarray:
    """A broken scheme: the largest likelihood of the labels seen, which no bet could have given."""
    cells = len(size)
    better, worse = looks.positive[:, :cells], looks.positive[:, cells:]
    n = looks.labelled[:, :cells]
    share = [part / np.maximum(n, 1) for part in (better, worse, n - better - worse)]
    counts = (better, worse, n - better - worse)
    return np.asarray(sum(xlogy(s, p) for s, p in zip(counts, share, strict=True)).sum(axis=1))


def peeking(found: Duels) -> np.ndarray:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(three_outcomes, "log_shifted_outcomes", best_of_all)
        return evidence_of_lead(found)


def signs_by_cell(found: Duels) -> np.ndarray:
    """A broken opposite: that + and - are equally many in every cell, not in their sum."""
    parts = [
        evidence_of_lead(
            Duels(found.size[k : k + 1], *(
                one[:, k : k + 1] for one in (found.better, found.worse, found.labelled)
            ))
        )
        for k in range(len(found.size))
    ]  # fmt: skip
    return np.asarray(sum(parts))


def without_zeros(found: Duels) -> np.ndarray:
    """A broken opposite: one population only, in which every item has a sign."""
    looks = looks_of(found)
    bet = log_shifted_outcomes(found.size, looks, np.full((2, len(found.size)), 1 / 3))
    single = _Outcomes(looks).log_likelihood(0.5 * looks.size[None])
    return bet - single


Counts = tuple[tuple[int, ...], ...]


def next_cell(state: Counts, size: tuple[int, ...]) -> int:
    """An allocation that chases the labels: the cell in which + leads most and that has items."""
    n, plus, minus = state
    open_cells = [k for k in range(len(size)) if n[k] < size[k]]
    return max(open_cells, key=lambda k: (plus[k] - minus[k] - 0.3 * n[k], -k))


def every_path(
    size: tuple[int, ...], totals: Counts, evidence: Evidence, level: float
) -> tuple[list[float], float]:
    """The expected e-value after each number of labels, and the chance of ever reaching ``level``,
    over every order of the items under ``next_cell``; totals are K+ and K-."""
    none = tuple(0 for _ in size)
    alive: dict[Counts, float] = {(none, none, none): 1.0}
    crossed_states: dict[Counts, float] = {}
    expected, crossed = [], 0.0
    for _ in range(sum(size)):
        following: list[dict[Counts, float]] = [defaultdict(float), defaultdict(float)]
        for place, states in enumerate((alive, crossed_states)):
            for state, chance in states.items():
                for new, share in steps(state, size, totals):
                    following[place][new] += chance * share
        states = list({*following[0], *following[1]})
        n, plus, minus = (np.array(part, dtype=float) for part in zip(*states, strict=True))
        value = np.exp(evidence(Duels(np.array(size, dtype=float), plus, minus, n)))
        worth = dict(zip(states, value, strict=True))
        expected.append(sum(c * worth[s] for part in following for s, c in part.items()))
        alive, crossed_states = {}, following[1]
        for state, chance in following[0].items():
            if worth[state] >= level:
                crossed += chance
                crossed_states[state] = crossed_states.get(state, 0.0) + chance
            else:
                alive[state] = chance
    return expected, crossed


def steps(
    state: Counts, size: tuple[int, ...], totals: Counts, cell: int | None = None
) -> list[tuple[Counts, float]]:
    """The states after one more label, of ``next_cell`` or of this cell, with their chances."""
    n, plus, minus = state
    k = next_cell(state, size) if cell is None else cell
    left = size[k] - n[k]
    up, down = (totals[0][k] - plus[k]) / left, (totals[1][k] - minus[k]) / left

    def more(values: tuple[int, ...], by: int) -> tuple[int, ...]:
        return (*values[:k], values[k] + by, *values[k + 1 :])

    found = [
        ((more(n, 1), more(plus, a), more(minus, b)), share)
        for a, b, share in ((1, 0, up), (0, 1, down), (0, 0, 1 - up - down))
    ]
    return [(new, share) for new, share in found if share > 1e-12]


def every_state(size: tuple[int, ...]) -> list[Counts]:
    cells = [
        [(n, a, b) for n in range(one + 1) for a in range(n + 1) for b in range(n - a + 1)]
        for one in size
    ]
    return [tuple(zip(*parts, strict=True)) for parts in itertools.product(*cells)]


def values_of(size: tuple[int, ...], evidence: Evidence) -> dict[Counts, float]:
    """The e-value of every state that labels can lead to."""
    states = every_state(size)
    n, plus, minus = (np.array(part, dtype=float) for part in zip(*states, strict=True))
    value = np.exp(evidence(Duels(np.array(size, dtype=float), plus, minus, n)))
    return dict(zip(states, map(float, value), strict=True))


def worst(size: tuple[int, ...], totals: Counts, worth: dict[Counts, float]) -> float:
    """The largest expected ``worth`` at the moment of stopping, over all allocations and all
    stopping rules that look at past labels, by backward induction."""

    @cache
    def best(state: Counts) -> float:
        choices = [worth[state]]
        for k in range(len(size)):
            if state[0][k] < size[k]:
                choices.append(sum(c * best(new) for new, c in steps(state, size, totals, k)))
        return max(choices)

    none = tuple(0 for _ in size)
    return best((none, none, none))


def boundary_populations(size: tuple[int, ...]) -> list[Counts]:
    """All (K+, K-) in which + and - are equally many."""
    cells = [[(a, b) for a in range(n + 1) for b in range(n - a + 1)] for n in size]
    found = []
    for parts in itertools.product(*cells):
        plus, minus = zip(*parts, strict=True)
        if sum(plus) == sum(minus):
            found.append((plus, minus))
    return found


@pytest.mark.parametrize("size", [(9,), (3, 4), (2, 2, 2)])
def test_no_allocation_and_no_stopping_rule_gains_at_any_boundary_population(
    size: tuple[int, ...],
) -> None:
    """The expected e-value is at most 1 in each population, whoever allocates and stops as badly
    as can be; and 4 is reached with a chance of at most 1/4."""
    rates = np.array([np.linspace(0.6, 0.3, len(size)), np.linspace(0.1, 0.5, len(size))])
    values = values_of(size, lambda found: evidence_of_lead(found, rates))
    reached = {state: float(value >= 4) for state, value in values.items()}
    for totals in boundary_populations(size):
        assert worst(size, totals, values) <= 1 + 1e-9, totals
        assert worst(size, totals, reached) <= 1 / 4, totals


@pytest.mark.parametrize(
    ("broken", "size", "totals"),
    [
        (peeking, (9, 9), ((3, 3), (3, 3))),
        (signs_by_cell, (4, 4), ((4, 0), (0, 4))),
        (without_zeros, (4, 4), ((1, 1), (1, 1))),
    ],
)
@pytest.mark.full
def test_twins_with_a_wrong_scheme_or_too_small_an_opposite_break_it(
    broken: Evidence, size: tuple[int, ...], totals: Counts
) -> None:
    expected, _ = every_path(size, totals, broken, 4)
    assert max(expected) > 1.05
    right, _ = every_path(size, totals, evidence_of_lead, 4)
    assert max(right) <= 1 + 1e-9


def signs_bound(found: Duels) -> np.ndarray:
    """A broken rule: the sign test at 5 % read after every label from ten signs on."""
    signs, lead = found.better + found.worse, found.better - found.worse
    clears = (signs >= 10) & (lead > 1.645 * np.sqrt(np.maximum(signs, 1)))
    return np.where(clears[:, 0], math.log(20), 0.0)


@pytest.mark.parametrize(("size", "each"), [(40, 15), (60, 30), (60, 12)])
def test_watched_after_every_label_a_tie_is_rarely_called_a_lead(size: int, each: int) -> None:
    """One cell, every order."""
    assert every_path((size,), ((each,), (each,)), evidence_of_lead, 20)[1] <= 0.05


def test_twin_a_sign_test_watched_after_every_label_breaks_the_promise() -> None:
    assert every_path((120,), ((60,), (60,)), signs_bound, 19)[1] > 0.1


# --- the promise, in sessions of several cells ---------------------------------------------------

RUNS, LABELS, FIRST, SEED = repeated(600), 90, 8, 11
SIZE = np.array([80.0, 120.0, 200.0])
PLUS, MINUS = np.array([50.0, 45.0, 60.0]), np.array([20.0, 40.0, 95.0])


def adaptive_sessions() -> Duels:
    """Every look of sessions that label where the labels so far speak best for +."""
    random = np.random.default_rng(SEED)
    n, plus, minus = (np.zeros((RUNS, 3)) for _ in range(3))
    rows, seen = np.arange(RUNS), []
    for label in range(LABELS):
        lead = np.abs((plus - minus + 1) / (n + 2)) + random.random((RUNS, 3))
        k = np.argmax(lead * SIZE / (n + 1), axis=1) if label > 5 else np.full(RUNS, label % 3)
        left, draw = SIZE[k] - n[rows, k], random.random(RUNS)
        up = (PLUS[k] - plus[rows, k]) / left
        down = (MINUS[k] - minus[rows, k]) / left
        n[rows, k] += 1
        plus[rows, k] += draw < up
        minus[rows, k] += (draw >= up) & (draw < up + down)
        seen.append((plus.copy(), minus.copy(), n.copy()))
    parts = (np.stack(one, axis=1)[:, FIRST:].reshape(-1, 3) for one in zip(*seen, strict=True))
    return Duels(SIZE, *parts)


def ever(found: np.ndarray) -> float:
    return float(np.mean((found.reshape(RUNS, -1) >= math.log(20) - 1e-9).any(axis=1)))


def test_adaptive_sessions_at_the_boundary_keep_the_promise() -> None:
    """A normal bound watched in the same sessions does not: the broken twin."""
    assert (PLUS - MINUS).sum() == 0
    sessions = adaptive_sessions()
    limit = binom.isf(NOISE, RUNS, 0.05) / RUNS
    rates = np.array([PLUS, MINUS]) / SIZE
    assert ever(evidence_of_lead(sessions, rates)) <= limit
    n = np.maximum(sessions.labelled, 1)
    share, square = (np.asarray(sessions.better + sign * sessions.worse) / n for sign in (-1, 1))
    centre = (share * SIZE).sum(axis=1)
    error = np.sqrt(((SIZE**2 * (square - share**2) / n) * (1 - n / SIZE)).sum(axis=1))
    assert ever(np.where(centre > 1.645 * error, math.log(20), 0.0)) > limit


# --- edges ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("cells", [1, 2])
def test_census_and_certainty(cells: int) -> None:
    """Decided where + leads, refuted where - does, below 1 at a tie, and certain before the end."""
    whole = [6] * cells
    for better, worse in ((3, 2), (2, 3)):
        ahead = duels(whole, [better] * cells, [worse] * cells, whole)
        assert (evidence_of_lead(ahead)[0] == math.inf) == (better > worse)
    assert evidence_of_lead(duels(whole, [2] * cells, [2] * cells, whole))[0] < 0
    nearly = duels(whole, [4] * cells, [0] * cells, [4] * cells)
    assert evidence_of_lead(nearly)[0] == math.inf
    tie = duels(whole, [3] * cells, [0] * cells, [3] * cells)
    assert math.isfinite(evidence_of_lead(tie)[0])


def test_no_disagreement_is_no_evidence() -> None:
    empty = np.zeros((3, 0))
    assert evidence_of_lead(Duels(np.zeros(0), empty, empty, empty)).tolist() == [0.0] * 3


def test_process_is_one_cell_and_the_limit_of_large_files() -> None:
    few = duels([10**9], [30], [12], [50])
    file, process = (evidence_of_lead(few, target=one)[0] for one in ("file", "process"))
    assert file == pytest.approx(process, abs=1e-5) and process > 1
    with pytest.raises(ValueError, match="needs a single cell"):
        evidence_of_lead(duels([9, 9], [1, 1], [1, 1], [3, 3]), target="process")


def test_neither_costs_nothing_in_one_cell() -> None:
    """While the file is large, labels on which neither is right leave the evidence as it is."""
    found = [evidence_of_lead(duels([10**9], [30], [12], [42 + n]))[0] for n in (0, 10, 1000)]
    assert max(found) - min(found) < 1e-4


@given(samples(largest=200), st.floats(1e-9, 1 - 1e-9))
@searched(100)
def test_never_not_a_number(found: Duels, rate: float) -> None:
    rates = np.array([np.full(len(found.size), rate), np.full(len(found.size), 1 - rate)])
    assert not np.isnan(evidence_of_lead(found, rates)).any()


@given(samples(largest=60))
@searched(60)
def test_never_for_both_sides(found: Duels) -> None:
    """Evidence of more than 1 for a lead and for the opposite of it cannot be had at once."""
    turned = Duels(found.size, found.worse, found.better, found.labelled)
    both = [evidence_of_lead(one)[0] for one in (found, turned)]
    assert min(both) <= 1e-9
