"""Counts with axes of runs: the same intervals as one by one, and bounds of their widths."""

from itertools import product

import numpy as np
import pytest

from labelcore.designs.profile_figures import WIDEST_MARGIN
from labelcore.designs.scalars import ROUNDING
from labelcore.designs.two_ended import joint_shares
from labelcore.estimands import DIFFERENCES, SCALARS, Estimand, ratios, table_of, variance_of_shares
from labelcore.stats import profile, profile_reach
from labelcore.stats.allocation import top_up
from labelcore.stats.profile import (
    Cells,
    fixed_critical,
    plug_in_totals,
    profile_bounds,
    side_by_side,
    variance_shares,
)
from labelcore.stats.profile_interval import profile_interval
from labelcore.stats.profile_reach import holding, reached
from labelcore.stats.recalibration import recalibrate
from tests.cases import repeated, sampled

RUNS, N_CELLS = repeated(60), 7
ROWS = list(SCALARS.values())


def random_cells(seed: int, *, same_file: bool = True) -> list[Cells]:
    """Counts of runs on one file, or each on its own: empty cells, whole ones, and all alike."""
    random, of_file = np.random.default_rng(seed), np.random.default_rng(seed)
    found: list[Cells] = []
    for _ in range(RUNS):
        if not found or not same_file:
            size = np.rint(10 ** of_file.uniform(0.3, 3.5, N_CELLS))
        share = np.where(random.random(N_CELLS) < 0.15, 1.0, random.random(N_CELLS) ** 2)
        labelled = np.rint(size * share * (random.random(N_CELLS) < 0.9))
        rate = np.where(random.random(N_CELLS) < 0.3, 0.0, random.random(N_CELLS))
        positive = random.binomial(labelled.astype(int), rate).astype(float)
        predicted, other = np.arange(N_CELLS) < 3, np.arange(N_CELLS) % 2 == 0
        found.append(Cells(size, labelled, positive, predicted, np.arange(N_CELLS), other))
    return found


KINDS = list(product(("file", "process"), (True, False), (1.0, 2.3)))


@pytest.mark.parametrize(("target", "same_file", "inflation"), sampled(KINDS, 1, seed=1))
def test_runs_side_by_side_have_the_intervals_of_each(
    target: str, same_file: bool, inflation: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """60 runs of 7 cells, 10 figures and 4 differences; many lines are solved together, where one
    run goes on until all of its own are done."""
    monkeypatch.setattr(profile, "LINES_AT_ONCE", 90)
    several = random_cells(3, same_file=same_file)
    together = side_by_side(several)
    for rows in (ROWS, list(DIFFERENCES.values())):
        table = table_of(rows, together)
        bounds = profile_interval(together, table, 0.95, inflation=inflation, target=target)
        for run, cells in enumerate(several):
            own = table_of(rows, cells)
            alone = profile_interval(cells, own, 0.95, inflation=inflation, target=target)
            for mine, end in zip(alone, bounds, strict=True):
                np.testing.assert_allclose(end[run], mine, atol=1e-7)


@pytest.mark.parametrize("same_file", [True, False])
def test_what_an_interval_is_made_of_has_an_axis_of_runs(same_file: bool) -> None:
    several = random_cells(5, same_file=same_file)
    together = side_by_side(several)
    table = ratios(ROWS, together)
    totals = plug_in_totals(together)
    found = {
        "totals": totals,
        "critical": fixed_critical(together, table, 0.9),
        "shares": variance_shares(together, table),
        "of shares": variance_of_shares(ROWS, together, totals),
    }
    for run, cells in enumerate(several):
        own, mine = ratios(ROWS, cells), plug_in_totals(cells)
        alone = {
            "totals": mine,
            "critical": fixed_critical(cells, own, 0.9),
            "shares": variance_shares(cells, own),
            "of shares": variance_of_shares(ROWS, cells, mine),
        }
        for name, value in alone.items():
            np.testing.assert_allclose(found[name][run], value, rtol=1e-12, err_msg=name)


def beyond(critical: float, target: str, rows: list[Estimand] = ROWS) -> np.ndarray:
    """By how much the values that an interval surely reaches lie beyond its ends, (n_rows, 2,
    RUNS); minus infinity where none was found. About items like these only for intervals narrower
    than the widest that a margin may ask for there."""
    together = side_by_side(random_cells(11))
    wanted = np.full(RUNS, critical)
    found = []
    for row in rows:
        table = table_of([row], together)
        larger = critical / fixed_critical(together, table, 0.95, target=target)
        low, high = (
            end[:, 0]
            for end in profile_interval(together, table, 0.95, inflation=larger, target=target)
        )
        inner = reached(
            together, table, wanted, lambda low, high: np.zeros(len(low), bool), target=target
        )
        close = (high - low < 2 * WIDEST_MARGIN) | (target == "file")
        found.append([np.where(close, one, np.nan) for one in (low - inner[0], inner[1] - high)])
    return np.array(found)


LINEAR = [DIFFERENCES["accuracy_difference"], DIFFERENCES["precision_difference"]]


@pytest.mark.parametrize("target", sampled(["file", "process"], 3, seed=1))
@pytest.mark.parametrize("critical", [1.0, 3.84, 16.0])
def test_no_interval_ends_before_what_it_surely_reaches(critical: float, target: str) -> None:
    assert np.nanmax(beyond(critical, target)) < ROUNDING / 2
    assert np.nanmax(beyond(critical, target, LINEAR)) < ROUNDING / 2


@pytest.mark.parametrize("target", ["file", "process"])
def test_what_it_surely_reaches_is_close_to_its_ends(target: str) -> None:
    """Within three thousandths in nine of ten; a bound of nothing would be safe and useless."""
    for rows in (ROWS, LINEAR):
        found = beyond(10.0, target, rows)
        assert np.quantile(found[~np.isnan(found)], 0.1) > -0.003


def test_points_beyond_the_edge_are_found_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Points just outside the region, taken for inside, lie beyond the ends."""
    monkeypatch.setattr(profile_reach, "INWARDS", -0.02)
    monkeypatch.setattr(profile_reach, "INSIDE", -0.04)
    assert np.nanmax(beyond(10.0, "file")) > 1e-4


def held_wrongly() -> tuple[int, int]:
    """How often a band is said to be held that is not, of bands a point inside and 0.1 points
    outside of the ends of one look in turn; and how many of those inside are said to be."""
    together, wanted = side_by_side(random_cells(11)), np.full((RUNS, len(ROWS)), 8.0)
    table = table_of(ROWS, together)
    low, high = profile_bounds(together, table, wanted)
    there = ~np.isnan(low).any(axis=0)
    few, part = [row for row, is_there in zip(ROWS, there, strict=True) if is_there], there
    table, low, high = table_of(few, together), low[:, part], high[:, part]
    wrong, found = 0, 0
    for inwards in (1e-2, -1e-3):
        for one in range(RUNS):
            band = np.array([low[one] + inwards, high[one] - inwards])
            said = holding(together, table, wanted[:, part], band)
            holds = (low <= band[0] + ROUNDING) & (high >= band[1] - ROUNDING)
            wrong += int((said & ~holds.all(axis=1)).sum())
            found += int(said[one]) if inwards > 0 else 0
    return wrong, found


def test_no_band_is_said_to_be_held_that_is_not() -> None:
    """Of those a point inside most are found."""
    wrong, found = held_wrongly()
    assert wrong == 0 and found > RUNS / 2


@pytest.mark.full
def test_bands_held_by_points_beyond_the_edge_are_found_out(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(profile_reach, "INSIDE", -0.04)
    monkeypatch.setattr(profile_reach, "HOLD_INWARDS", -0.02)
    assert held_wrongly()[0] > 0


def test_points_of_an_earlier_look_serve_the_next_ones() -> None:
    """The same values are settled from known points, which need not be looked for."""
    cells = side_by_side(random_cells(11))
    table, wanted = ratios(ROWS[:1], cells), np.full(RUNS, 8.0)
    low, high, known = reached(cells, table, wanted, lambda low, high: np.zeros(RUNS, bool))
    again = reached(cells, table, wanted, lambda low, high: np.zeros(RUNS, bool), known=known)
    np.testing.assert_allclose(again[0], low, atol=2e-3)
    np.testing.assert_allclose(again[1], high, atol=2e-3)


def test_the_side_of_the_edge_is_settled_by_the_estimand_alone() -> None:
    """The region of ``profile_bounds`` has its quarter of a label on the side that the slope says:
    which cells rise is the same at every value of a figure, so that all rounds have one region."""
    cells = random_cells(2)[0]
    table = ratios(ROWS, cells)
    for value in (1e-9, 0.3, 0.99, 1 - 1e-9):
        at = np.full(len(ROWS), value)
        middle = np.full(len(ROWS), 0.5)
        np.testing.assert_array_equal(table.gradient(at) > 0, table.gradient(middle) > 0)
        np.testing.assert_array_equal(table.gradient(at) < 0, table.gradient(middle) < 0)


def test_batches_of_several_sessions_are_those_of_each() -> None:
    """Rates, shares and whole numbers of 50 sessions that have drawn equally many."""
    random = np.random.default_rng(8)
    sizes, rates = random.integers(1, 200, 9), random.uniform(0.01, 0.99, 9)
    predicted = np.arange(9) < 4
    drawn = np.array([random.multivariate_hypergeometric(sizes, 60) for _ in range(50)])
    positive = random.binomial(drawn, rates)
    fitted = recalibrate(rates, positive, drawn)
    gradients = random.normal(size=(50, 2, 9))
    gradients[:5, 1] = 0.0  # A figure without a variance.
    shares = joint_shares(sizes, fitted, predicted, gradients, 80, 0.1)
    counts = top_up(shares, drawn, 20, sizes)
    for run in range(50):
        alone = recalibrate(rates, positive[run], drawn[run])
        np.testing.assert_allclose(fitted[run], alone, rtol=1e-9)
        share = joint_shares(sizes, fitted[run], predicted, gradients[run], 80, 0.1)
        np.testing.assert_allclose(shares[run], share, rtol=1e-12)
        np.testing.assert_array_equal(counts[run], top_up(shares[run], drawn[run], 20, sizes))
