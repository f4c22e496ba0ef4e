"""Evidence for claims: against brute force, by exact chances, and with twins that must fail."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import betaln, gammaln, xlogy
from scipy.stats import hypergeom

from labelcore.stats import evidence
from labelcore.stats.evidence import Linear, largest_log_likelihood
from labelcore.stats.predictives import Looks, log_shifted
from labelcore.stats.profile import Cells
from labelcore.stats.proportion import wilson
from labelcore.stats.sequences import finite_sequence
from tests.cases import searched

Predictive = Callable[[Looks, np.ndarray], np.ndarray]


def independent(looks: Looks, rates: np.ndarray) -> np.ndarray:
    """Rates of the cells independent and uniform on [0, 1]: another scheme that could be bet."""
    parts = betaln(1 + looks.positive, 1 + looks.negative) - betaln(1, 1)
    return np.asarray(parts.sum(axis=1))


def peeking(looks: Looks, rates: np.ndarray) -> np.ndarray:
    """A broken scheme: the largest likelihood of the labels seen, which no bet could have given."""
    s, f, n = looks.positive, looks.negative, looks.labelled
    share = np.divide(s, n, out=np.full_like(s, 0.5), where=n > 0)
    return np.asarray((xlogy(s, share) + xlogy(f, 1 - share)).sum(axis=1))


PREDICTIVES = [independent, log_shifted]
NAMED = pytest.mark.parametrize("predictive", PREDICTIVES)


def evidence_at(
    size: np.ndarray, labelled: np.ndarray, positive: np.ndarray, claim: Linear,
    rates: np.ndarray | None = None, predictive: Predictive = log_shifted, target: str = "file",
) -> np.ndarray:  # fmt: skip
    """``log_evidence_at`` with another predictive; rates of one half where none are given."""
    suggested = np.full(len(size), 0.5) if rates is None else rates
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(evidence, "log_shifted", predictive)
        return evidence.log_evidence_at(size, labelled, positive, claim, suggested, target=target)


def log_choose(n: np.ndarray, k: np.ndarray) -> np.ndarray:
    return np.asarray(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))


def counts(size: list[int], labelled: list[int], positive: list[int]) -> Cells:
    n, t, s = (np.array(values, dtype=float) for values in (size, labelled, positive))
    return Cells(n, t, s, np.ones(len(n), dtype=bool))


def log_evidence(
    cells: Cells, claim: Linear, rates: np.ndarray | None = None,
    predictive: Predictive = log_shifted, target: str = "file",
) -> float:  # fmt: skip
    """That at one look."""
    looks = cells.size, cells.labelled[None], cells.positive[None]
    return float(evidence_at(*looks, claim, rates, predictive, target=target)[0])


def brute_force(cells: Cells, claim: Linear) -> float:
    """The largest ln P_K over all whole K that contradict the claim."""
    ranges = [
        np.arange(s, n - (t - s) + 1)
        for n, t, s in zip(cells.size, cells.labelled, cells.positive, strict=True)
    ]
    totals = np.array(list(itertools.product(*ranges)))
    against = totals[claim.constant + totals @ claim.weight <= 1e-9]
    if len(against) == 0:
        return -math.inf
    left, right = cells.size - cells.labelled, against - cells.positive
    return float((log_choose(left, right) - log_choose(cells.size, against)).sum(axis=1).max())


def relaxed(cells: Cells, claim: Linear, target: str = "file") -> float:
    looks = Looks(
        cells.size, cells.labelled[None], cells.positive[None], claim.constant, claim.weight
    )
    return float(largest_log_likelihood(looks, target)[0])


@st.composite
def samples(draw: st.DrawFn, largest: int = 14, cells: int = 3) -> tuple[Cells, Linear]:
    number = draw(st.integers(1, cells))
    size = [draw(st.integers(1, largest)) for _ in range(number)]
    labelled = [draw(st.integers(0, n)) for n in size]
    positive = [draw(st.integers(0, t)) for t in labelled]
    weight = np.array([draw(st.sampled_from([-2.0, -1.0, -0.3, 0.2, 1.0])) for _ in size])
    reach = float(np.abs(weight) @ size)
    constant = draw(st.floats(-reach, reach).map(lambda x: round(x, 1)))
    return counts(size, labelled, positive), Linear(constant, weight)


@given(samples())
@searched(150)
def test_the_relaxation_never_undercuts_brute_force(sample: tuple[Cells, Linear]) -> None:
    exact, found = brute_force(*sample), relaxed(*sample)
    assert found >= exact - 1e-8
    if not np.isfinite(found):
        assert exact == -math.inf


@pytest.mark.parametrize("seed", range(12))
def test_the_relaxation_costs_little(seed: int) -> None:
    """Two cells of 60 items, whole weights: fractions gain less than a tenth."""
    random = np.random.default_rng(seed)
    size, labelled = [60, 60], random.integers(5, 40, 2)
    positive = random.binomial(labelled, [0.9, 0.2])
    cells = counts(size, list(labelled), list(positive))
    claim = Linear(float(-random.integers(0, 60)), np.array([1.0, random.choice([-1.0, 1.0])]))
    exact, found = brute_force(cells, claim), relaxed(cells, claim)
    assert exact - 1e-8 <= found <= exact + 0.1


@pytest.mark.parametrize("goal", [30, 42, 54])
def test_one_cell_is_the_prior_posterior_ratio(goal: int) -> None:
    """Decided exactly where the confidence sequence clears the goal, with every n and s of 60."""
    size, claim = 60, Linear(-float(goal), np.array([1.0]))
    t, s = (one.astype(float) for one in np.divmod(np.arange((size + 1) ** 2), size + 1))
    t, s = t[(s <= t) & (t > 0)], s[(s <= t) & (t > 0)]
    found = evidence_at(
        np.array([float(size)]), t[:, None], s[:, None], claim, predictive=independent
    )
    decided = (found >= math.log(20) - 1e-9) & (s / t > goal / size)
    low = np.array([finite_sequence(a, b, size, 0.05)[0] for a, b in zip(s, t, strict=True)])
    assert decided.any()
    assert np.array_equal(decided, low > goal)


@NAMED
def test_the_chances_of_every_next_label_add_up(predictive: Predictive) -> None:
    """What makes a predictive a scheme that could be bet: the chance of the labels so far is that
    of the same followed by a positive plus that followed by a negative one."""
    random = np.random.default_rng(3)
    size, rates = np.array([40.0, 90.0, 300.0]), np.array([0.9, 0.3, 0.02])
    weight, constant = np.array([0.2, 0.2, -0.8]), -1.0
    for _ in range(20):
        n = random.integers(0, 12, 3).astype(float)
        s = random.binomial(n.astype(int), rates).astype(float)
        cell = np.eye(3)[random.integers(3)]
        labelled, positive = np.array([n, n + cell, n + cell]), np.array([s, s + cell, s])
        looks = Looks(size, labelled, positive, constant, weight)
        whole, up, down = np.exp(predictive(looks, rates))
        assert up + down == pytest.approx(whole, rel=1e-9)
    start = Looks(size, np.zeros((1, 3)), np.zeros((1, 3)), constant, weight)
    assert predictive(start, rates)[0] == pytest.approx(0.0, abs=1e-12)


def next_cell(n: np.ndarray, s: np.ndarray, size: np.ndarray) -> int:
    """An allocation that chases the labels: the cell with most positives that has items left."""
    return int(np.argmax(np.where(n < size, s + 0.1 * (s == n) - 0.01 * n, -np.inf)))


def every_path(
    size: np.ndarray, ones: np.ndarray, claim: Linear, rates: np.ndarray, predictive: Predictive
) -> tuple[list[float], float]:
    """The expected e-value after each number of labels, and the chance of ever reaching 4, over
    every order of the labels under ``next_cell``."""
    expected = [0.0] * (int(size.sum()) + 1)
    crossed = 0.0

    def follow(n: np.ndarray, s: np.ndarray, chance: float, alive: bool) -> None:
        nonlocal crossed
        cells = Cells(size, n, s, np.ones(len(size), dtype=bool))
        value = math.exp(log_evidence(cells, claim, rates, predictive))
        expected[int(n.sum())] += chance * value
        if alive and value >= 4:
            crossed, alive = crossed + chance, False
        if n.sum() == size.sum():
            return
        k = next_cell(n, s, size)
        up = (ones[k] - s[k]) / (size[k] - n[k])
        step = np.eye(len(size))[k]
        for share, hit in ((up, step), (1 - up, 0 * step)):
            if share > 0:
                follow(n + step, s + hit, chance * share, alive)

    follow(np.zeros(len(size)), np.zeros(len(size)), 1.0, True)
    return expected, crossed


TINY = (
    # size, ones, claim at its boundary (false or just not true), rates
    ([3, 4], [2, 1], Linear(-1.0, np.array([1.0, -1.0])), [0.7, 0.2]),
    ([4, 4], [2, 2], Linear(-4.0, np.array([1.0, 1.0])), [0.5, 0.5]),
    ([2, 3, 3], [2, 1, 0], Linear(-0.4, np.array([0.2, 0.0, -0.8])), [0.9, 0.5, 0.1]),
)


@NAMED
@pytest.mark.parametrize("case", TINY)
def test_the_expected_evidence_of_a_false_claim_is_at_most_one(
    case: tuple[list[int], list[int], Linear, list[float]], predictive: Predictive
) -> None:
    size, ones, claim, rates = case
    k = np.array(ones, dtype=float)
    assert claim.constant + claim.weight @ k <= 1e-12, "the claim is at its boundary or false"
    expected, crossed = every_path(np.array(size, dtype=float), k, claim, np.array(rates),
                                   predictive)  # fmt: skip
    assert expected[0] == pytest.approx(1.0)
    assert max(expected) <= 1 + 1e-9
    assert crossed <= 1 / 4


@pytest.mark.parametrize("labelled", [10, 60, 150])
def test_the_expected_evidence_by_the_hypergeometric_law(labelled: int) -> None:
    """160 positives of 200, claimed to be more: at most 1 for a scheme, more for one that peeks."""
    s = np.arange(max(0, labelled - 40), min(labelled, 160) + 1)
    chance = hypergeom(200, 160, labelled).pmf(s)
    expected = {}
    for predictive in (*PREDICTIVES, peeking):
        found = evidence_at(
            np.array([200.0]), np.full((len(s), 1), float(labelled)), s[:, None] * 1.0,
            Linear(-160.0, np.array([1.0])), np.array([0.9]), predictive,
        )  # fmt: skip
        expected[predictive] = float(chance @ np.exp(found))
    assert expected.pop(peeking) > 1.2
    assert max(expected.values()) <= 1 + 1e-9


def ever_crossed(size: int, ones: int, crosses: np.ndarray) -> float:
    """The exact chance that ``crosses[labels, positives]`` is ever true, one item at a time."""
    alive, crossed = np.zeros(size + 1), 0.0
    alive[0] = 1.0
    hits = np.arange(size + 1)
    for t in range(1, size + 1):
        up = np.clip((ones - hits) / (size - t + 1), 0.0, 1.0)
        following = alive * (1 - up)
        following[1:] += (alive * up)[:-1]
        crossed += float(following[crosses[t]].sum())
        alive = np.where(crosses[t], 0.0, following)
    return crossed


def evidence_table(size: int, goal: float, predictive: Predictive) -> np.ndarray:
    """Whether the evidence for K >= goal reaches 20, by (labels, positives)."""
    claim = Linear(-goal, np.array([1.0]))
    t, s = np.divmod(np.arange((size + 1) ** 2), size + 1)
    fits = s <= t
    found = evidence_at(
        np.array([float(size)]), t[fits, None] * 1.0, s[fits, None] * 1.0, claim,
        np.array([0.8]), predictive,
    )  # fmt: skip
    table = np.zeros((size + 1) ** 2, dtype=bool)
    table[fits] = found >= math.log(20)
    return table.reshape(size + 1, size + 1)


POPULATIONS = [(40, 0.5), (100, 0.9), (160, 0.75)]


@NAMED
@pytest.mark.parametrize(("size", "share"), POPULATIONS)
def test_watched_after_every_label_a_false_claim_is_rarely_certified(
    size: int, share: float, predictive: Predictive
) -> None:
    ones = round(size * share)
    assert ever_crossed(size, ones, evidence_table(size, float(ones), predictive)) <= 0.05


@pytest.mark.parametrize(("size", "share"), [(1000, 0.5), (1000, 0.8), (1000, 0.9)])
def test_twin_a_wilson_bound_watched_after_every_label_breaks_the_promise(
    size: int, share: float
) -> None:
    """A bound that errs in 5 of 100 at one size errs in at least 20 of 100 when it is watched."""
    t, s = np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij")
    low, _ = wilson(np.minimum(s, t), t, 0.90)
    crosses = (low > share) & (s <= t) & (t >= 30)
    assert ever_crossed(size, round(size * share), crosses) > 0.2


RUNS, LABELS, FIRST, BOUNDARY_SEED = 500, 100, 10, 20
STRATA = np.array([100.0, 150.0, 250.0])
ONES = np.array([75.0, 80.0, 75.0])
BOUNDARY = Linear(-80.0, np.array([1.0, 1.0, -1.0]))
SUGGESTED = np.array([0.8, 0.5, 0.25])
LIMIT = 0.05 + 3 * math.sqrt(0.05 * 0.95 / RUNS)


def adaptive_sessions() -> tuple[np.ndarray, np.ndarray]:
    """Counts (runs, looks, cells) at every look of sessions that label where the labels so far
    speak best for the claim."""
    random = np.random.default_rng(BOUNDARY_SEED)
    n, s = np.zeros((RUNS, 3)), np.zeros((RUNS, 3))
    rows, seen = np.arange(RUNS), []
    for label in range(LABELS):
        promise = BOUNDARY.weight * (s + 1) / (n + 2) - (BOUNDARY.weight < 0)
        wanted = (np.abs(promise) + random.random((RUNS, 3))) * STRATA / (n + 1)
        k = np.argmax(wanted, axis=1) if label > 5 else np.full(RUNS, label % 3)
        hit = random.random(RUNS) < (ONES[k] - s[rows, k]) / (STRATA[k] - n[rows, k])
        n[rows, k] += 1
        s[rows, k] += hit
        seen.append((n.copy(), s.copy()))
    labelled, positive = (np.stack(one, axis=1)[:, FIRST:] for one in zip(*seen, strict=True))
    return labelled, positive


@pytest.mark.parametrize("predictive", [log_shifted, independent])
def test_adaptive_sessions_at_the_boundary_keep_the_promise(predictive: Predictive) -> None:
    labelled, positive = adaptive_sessions()
    found = evidence_at(
        STRATA, labelled.reshape(-1, 3), positive.reshape(-1, 3), BOUNDARY, SUGGESTED, predictive
    ).reshape(RUNS, -1)
    assert BOUNDARY.constant + BOUNDARY.weight @ ONES == 0
    assert np.mean((found >= math.log(20)).any(axis=1)) <= LIMIT


def test_twin_adaptive_sessions_with_a_normal_bound_break_it() -> None:
    n, s = adaptive_sessions()
    share = (s + 0.5) / (n + 1)
    centre = BOUNDARY.constant + (share * STRATA) @ BOUNDARY.weight
    variance = (STRATA**2 * share * (1 - share) / n * (1 - n / STRATA)).sum(axis=-1)
    assert np.mean((centre > 1.645 * np.sqrt(variance)).any(axis=1)) > 2 * LIMIT


def test_census() -> None:
    """Decided where it is true, refuted where it is false, 1 / (N + 1) at the boundary itself."""
    cells = counts([5, 7], [5, 7], [4, 2])
    for constant, sure in ((-1.9, True), (-2.1, False)):
        claim = Linear(constant, np.array([1.0, -1.0]))
        assert log_evidence(cells, claim) == math.inf if sure else log_evidence(cells, claim) < 0
        assert (log_evidence(cells, claim.opposite) == math.inf) != sure
    one = counts([9], [9], [6])
    boundary = log_evidence(one, Linear(-6.0, np.array([1.0])), predictive=independent)
    assert boundary == pytest.approx(-math.log(10))


def test_certain_before_the_census() -> None:
    cells = counts([10], [8], [8])
    assert log_evidence(cells, Linear(-7.5, np.array([1.0]))) == math.inf
    assert log_evidence(cells, Linear(-8.5, np.array([1.0]))) < math.inf


@NAMED
@pytest.mark.parametrize("target", ["file", "process"])
def test_no_label_is_no_evidence(predictive: Predictive, target: str) -> None:
    cells = counts([10, 20, 1], [0, 0, 0], [0, 0, 0])
    for claim in (Linear(-3.0, np.array([1.0, -1.0, 0.5])), Linear(9.0, np.array([-1.0, -1, -1]))):
        found = log_evidence(cells, claim, predictive=predictive, target=target)
        assert found == pytest.approx(0.0, abs=1e-9)


def test_cells_without_weight_are_left_out() -> None:
    rates = np.array([0.9, 0.1])
    claim = Linear(-80.0, np.array([1.0, 0.0]))
    found = [
        log_evidence(counts([100, 900], [50, n], [48, s]), claim, rates)
        for n, s in ((0, 0), (300, 4), (900, 450))
    ]
    assert found[0] == found[1] == found[2] > 0


def test_a_claim_without_weight_is_a_fact() -> None:
    cells = counts([10], [3], [2])
    assert log_evidence(cells, Linear(1.0, np.array([0.0]))) == math.inf
    for constant in (0.0, -1.0):
        assert log_evidence(cells, Linear(constant, np.array([0.0]))) == 0.0


def test_process_is_the_grid_search() -> None:
    """Two rates on a grid: the largest likelihood among those that contradict the claim."""
    cells = counts([100, 300], [30, 40], [27, 6])
    claim = Linear(-20.0, np.array([0.5, -0.6]))
    rate = np.linspace(0, 1, 2001)
    one, two = np.meshgrid(rate, rate, indexing="ij")
    likelihood = xlogy(27, one) + xlogy(3, 1 - one) + xlogy(6, two) + xlogy(34, 1 - two)
    against = claim.constant + 50 * one - 180 * two <= 0
    assert relaxed(cells, claim, "process") == pytest.approx(likelihood[against].max(), abs=1e-4)


def test_a_huge_file_is_like_a_process() -> None:
    rates = np.array([0.8, 0.02])
    claim = Linear(0.0, np.array([0.2, -0.8]))
    cells = Cells(np.array([1e8, 9e8]), np.array([300.0, 500]), np.array([280.0, 3]),
                  np.array([True, False]))  # fmt: skip
    file, process = (log_evidence(cells, claim, rates, target=t) for t in ("file", "process"))
    assert file == pytest.approx(process, abs=1e-3)
    assert file > 1


@given(samples(), st.sampled_from(PREDICTIVES), st.sampled_from(["file", "process"]))
@searched(100)
def test_calling_the_positives_negatives_changes_nothing(
    sample: tuple[Cells, Linear], predictive: Predictive, target: str
) -> None:
    cells, claim = sample
    for rates in (np.linspace(0, 1, len(cells.size)), np.linspace(0.1, 0.7, len(cells.size))):
        assert not np.isnan(log_evidence(cells, claim, rates, predictive, target=target))
    turned = Cells(cells.size, cells.labelled, cells.labelled - cells.positive, cells.predicted)
    other = Linear(claim.constant + float(claim.weight @ cells.size), -claim.weight)
    assert log_evidence(turned, other, 1 - rates, predictive, target=target) == pytest.approx(
        log_evidence(cells, claim, rates, predictive, target=target), rel=1e-6, abs=1e-6
    )


@given(samples(), st.sampled_from(PREDICTIVES), st.floats(1e-6, 1e6))
@searched(100)
def test_the_unit_of_the_claim_does_not_matter(
    sample: tuple[Cells, Linear], predictive: Predictive, unit: float
) -> None:
    cells, claim = sample
    scaled = Linear(unit * claim.constant, unit * claim.weight)
    assert log_evidence(cells, scaled, predictive=predictive) == pytest.approx(
        log_evidence(cells, claim, predictive=predictive), rel=1e-6, abs=1e-6
    )


@given(
    st.tuples(st.integers(6, 19), st.integers(0, 5)), st.floats(-16, -2), st.sampled_from([0, 1])
)
@searched(100)
def test_a_better_label_raises_the_evidence(
    positive: tuple[int, int], constant: float, cell: int
) -> None:
    """Where there is evidence for the claim, with rates that may be anything."""
    claim = Linear(constant, np.array([1.0, -1.0]))
    better = [positive[0] + (1 - cell), max(positive[1] - cell, 0)]
    before, after = (
        log_evidence(counts([40, 40], [20, 20], list(one)), claim, predictive=independent)
        for one in (positive, better)
    )
    if before > 0:
        assert after > before or better == list(positive)
