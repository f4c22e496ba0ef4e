"""Sizes of the items that a person can judge, and what estimating them adds to an interval."""

from dataclasses import replace

import numpy as np
import pytest

from labelcore.estimands import DIFFERENCES, SCALARS, size_slopes, table_of
from labelcore.stats.difference_estimator import over_answers
from labelcore.stats.judged import (
    also_unasked,
    doubt_of_sizes,
    in_the_file,
    judgeable,
    judged_cells,
    least_judgeable,
    variance_by_sizes,
)
from labelcore.stats.profile import Cells, FloatArray, smoothed_rates, variance_shares
from labelcore.tallies import filled
from tests.cases import repeated

CELLS = Cells(
    np.array([60.0, 100.0, 900.0]), np.array([20.0, 18.0, 30.0]), np.array([17.0, 9.0, 2.0]),
    np.array([True, True, False]), other=np.array([True, False, False]),
)  # fmt: skip
UNSURE = np.array([0.0, 2.0, 5.0])


def test_sizes_by_hand() -> None:
    """u = 7/75; u_2 = (2 + 2u)/22, of 80 items without an answer 80 (1 - u_2) can be judged."""
    found = judged_cells(CELLS, UNSURE)
    whole = 7 / 75
    share = [2 * whole / 22, (2 + 2 * whole) / 22, (5 + 2 * whole) / 37]
    assert found.judged is not None
    np.testing.assert_allclose(found.judged.share, share, rtol=1e-14)
    left = [20 + 40 * (1 - share[0]), 18 + 80 * (1 - share[1]), 30 + 865 * (1 - share[2])]
    np.testing.assert_allclose(found.size, left, rtol=1e-14)
    assert (in_the_file(found).size == CELLS.size).all()
    assert judgeable(found).size.tolist() == [60, 98, 895]


def test_nothing_changes_without_unsure_answers() -> None:
    assert judged_cells(CELLS, 0 * UNSURE) is CELLS


def test_a_cell_that_is_all_answered_has_the_size_of_its_labels() -> None:
    cells = Cells(*np.array([[10.0, 40.0], [5.0, 9.0], [5.0, 3.0]]), np.array([True, False]))
    found = judged_cells(cells, np.array([5.0, 1.0]))
    assert found.size[0] == 5 and 9 < found.size[1] < 39
    assert (found.size >= found.labelled).all()


def test_known_items_are_no_answers() -> None:
    """Cells that were known from the start say nothing of how often people are unsure."""
    known = np.array([-1, 0, 1])
    cells = replace(CELLS, labelled=np.array([60.0, 18.0, 30.0]), stratum=known)
    found = judged_cells(cells, UNSURE)
    assert found.judged is not None and found.size[0] == 60
    assert found.judged.share[1] == pytest.approx((2 + 2 * 7 / 55) / 22)


@pytest.mark.parametrize("row", [*SCALARS.values(), *DIFFERENCES.values()], ids=lambda r: r.name)
def test_the_gain_of_an_item_is_that_of_one_more(row) -> None:  # type: ignore[no-untyped-def]
    rates, step = smoothed_rates(CELLS), 1e-4

    def value(size: FloatArray) -> float:
        moved = replace(CELLS, size=size)
        return float(table_of([row], moved).value((size * rates)[None, :])[0])

    for cell in range(3):
        more = np.where(np.arange(3) == cell, step, 0.0)
        slope = (value(CELLS.size + more) - value(CELLS.size - more)) / (2 * step)
        assert size_slopes([row], CELLS, rates)[0, cell] == pytest.approx(slope, abs=1e-9)


def test_the_gains_are_those_of_the_published_formulas() -> None:
    """watched_forms, section 4: accuracy (right_k - A)/N, precision (s - P)/n_pred above, recall
    s (1 - R)/pos above and -s R/pos below, F1 (2s - F (s + 1))/(pos + n_pred) and -F s/(...)."""
    s, size = smoothed_rates(CELLS), CELLS.size
    above = CELLS.predicted
    right = np.where(above, s, 1 - s)
    hits, positive, said = (size * s)[above].sum(), (size * s).sum(), size[above].sum()
    recall, f1 = hits / positive, 2 * hits / (positive + said)
    expected = {
        "accuracy": (right - (size * right).sum() / size.sum()) / size.sum(),
        "precision": np.where(above, (s - hits / said) / said, 0.0),
        "recall": np.where(above, s * (1 - recall), -s * recall) / positive,
        "f1": np.where(above, 2 * s - f1 * (s + 1), -f1 * s) / (positive + said),
    }
    for name, gain in expected.items():
        np.testing.assert_allclose(size_slopes([SCALARS[name]], CELLS, s)[0], gain, atol=1e-15)


@pytest.mark.parametrize("row", [SCALARS["recall"], DIFFERENCES["precision_difference"]])
def test_the_doubt_is_the_variance_of_the_sizes(row) -> None:  # type: ignore[no-untyped-def]
    cells = judged_cells(CELLS, UNSURE)
    assert cells.judged is not None
    table, rates = table_of([row], cells), smoothed_rates(cells)
    gain = size_slopes([row], cells, rates)
    answers, share = cells.labelled + UNSURE, cells.judged.share
    of_sizes = gain[0] ** 2 * CELLS.size**2 * share * (1 - share) / answers
    of_sizes *= 1 - answers / CELLS.size
    variance = variance_shares(cells, table)[0].sum()
    if row.name == "recall":
        variance /= (cells.size * rates).sum() ** 2
    found = doubt_of_sizes(cells, table, gain)
    assert found[0] == pytest.approx(1 + of_sizes.sum() / variance, rel=1e-12) and found[0] > 1
    assert doubt_of_sizes(CELLS, table_of([row], CELLS), gain) == 1


def test_what_sizes_add_to_a_difference_by_hand() -> None:
    """u = (7 + 2)/(75 + 4); shares (m + .5 + 2u)/(a + 3), of 60 items 20 answered, of 100 20. With
    nothing answered of the 900 and 2 unsure of 40 elsewhere these have u = 4/44."""
    cells, gain = judged_cells(CELLS, UNSURE), np.array([[2.0, -1.0, 3.0]])
    whole = 9 / 79
    share = [(0.5 + 2 * whole) / 23, (2.5 + 2 * whole) / 23, (5.5 + 2 * whole) / 38]
    parts = [
        g**2 * n**2 * u * (1 - u) / a * (1 - a / n)
        for g, n, u, a in zip(gain[0], CELLS.size, share, (20, 20, 35), strict=True)
    ]
    assert variance_by_sizes(cells, gain, "file") == pytest.approx([sum(parts)])
    silent = replace(CELLS, labelled=np.array([20.0, 18.0, 0.0]), positive=np.array([17.0, 9, 0]))
    cells, whole = judged_cells(silent, np.array([0.0, 2.0, 0.0])), 4 / 44
    of_none = 9 * whole * (1 - whole) * (900**2 / 44 + 900)
    share = [(0.5 + 2 * whole) / 23, (2.5 + 2 * whole) / 23]
    parts = [4 * 60**2 * share[0] * (1 - share[0]) / 20 * (1 - 20 / 60),
             100**2 * share[1] * (1 - share[1]) / 20 * 0.8]  # fmt: skip
    assert variance_by_sizes(cells, gain, "file") == pytest.approx([of_none + sum(parts)])


def test_a_part_that_is_never_asked_may_also_be_judged_as_a_whole() -> None:
    """The 900 items without an answer count once by the share of all answers, once as known."""
    silent = replace(CELLS, labelled=np.array([20.0, 18.0, 0.0]), positive=np.array([17.0, 9, 0]))
    one, last, all_of_it = also_unasked(judged_cells(silent, np.array([0.0, 2.0, 0.0])))
    whole = [one.size[0], np.ceil(one.size[1]), one.size[2]]
    assert one.size[2] < 900 and last.size.tolist() == whole
    assert all_of_it.size.tolist() == [*last.size[:2], 900] and last.size[1] > one.size[1] + 0.1
    assert judgeable(all_of_it).size.tolist() == judgeable(one).size.tolist() == [60, 98, 900]
    gain = np.array([[0.0, 0.0, 1.0]])
    assert variance_by_sizes(one, gain, "file") > 1000 * variance_by_sizes(all_of_it, gain, "file")
    for none in (silent, replace(one, other=None)):
        assert also_unasked(none) == [none], "nobody unsure, no difference"
    assert len(also_unasked(judged_cells(CELLS, UNSURE))) == 2, "all asked"


def test_the_least_that_can_be_judged_are_the_labelled_ones_where_two_agree() -> None:
    assert least_judgeable(judged_cells(CELLS, UNSURE)).size.tolist() == [20, 98, 30]


def test_the_variance_of_an_estimate_is_that_of_sizes_and_labels() -> None:
    """Accuracy over 4,000 samples whose unsure items differ between the strata: the variance is
    V_p + V_u, and V_p alone misses a part of it."""
    random = np.random.default_rng(3)
    size, asked = np.array([2000.0, 2000.0]), np.array([100, 100])
    right, unsure = np.array([0.1, 0.9]), np.array([0.5, 0.1])
    row, found, claimed = [SCALARS["accuracy"]], [], []
    for _ in range(repeated(4000)):
        none = random.binomial(asked, unsure).astype(float)
        labelled = asked - none
        hits = random.binomial(labelled.astype(int), right).astype(float)
        cells = judged_cells(Cells(size, labelled, hits, np.ones(2, dtype=bool)), none)
        table, rates = table_of(row, cells), smoothed_rates(cells)
        found.append(float(table.value(cells.size * hits / labelled)[0]))
        variance = variance_shares(cells, table)[0].sum() / cells.size.sum() ** 2
        doubt = doubt_of_sizes(cells, table, size_slopes(row, cells, rates))[0]
        claimed.append((variance, variance * doubt))
    alone, whole = np.mean(claimed, axis=0)
    assert 0.9 < whole / np.var(found) < 1.1 and alone / np.var(found) < 0.9


def test_outcomes_over_all_answers_have_the_mean_and_spread_of_the_judged_share() -> None:
    """Of 8 answers 6 are judged: the mean is the share among these, and a mean of 8 varies as their
    share of 6 does, but for the divisors."""
    outcome = np.array([1.0, 0, 1, 1, 0, 1, 0, 0])
    judged = np.array([1, 1, 1, 1, 1, 1, 0, 0], dtype=bool)
    found = over_answers(outcome, judged)
    assert found.mean() == pytest.approx(4 / 6)
    assert found.var() / 8 == pytest.approx(outcome[judged].var() / 6)
    assert over_answers(outcome, None) is outcome


def test_open_items_leave_the_judged_sizes_in_place() -> None:
    """Filled with the answers that open items may get, the sizes are those of the counts then."""
    cells, open_items = judged_cells(CELLS, UNSURE), np.array([1.0, 0.0, 3.0])
    rising = np.array([True, True, False])
    more = replace(
        CELLS,
        labelled=CELLS.labelled + open_items,
        positive=CELLS.positive + np.array([1.0, 0.0, 0.0]),
    )
    expected, found = judged_cells(more, UNSURE), filled(cells, open_items, rising)
    assert (found.size == expected.size).all() and (found.positive == expected.positive).all()
