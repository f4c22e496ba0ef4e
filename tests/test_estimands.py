"""Every row of the table against the confusion matrix of a small file."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from labelcore.estimands import (
    CHOICES,
    CURVES,
    DIFFERENCES,
    ESTIMANDS,
    LISTS,
    SCALARS,
    SUMMARIES,
    Estimand,
    known_before,
    known_group,
    outcome_counts,
    ratios,
    sampled_file,
    size_slopes,
    slope_of,
    table_of,
    variance_of_shares,
)
from labelcore.stats.profile import Cells, smoothed_rates, variance_shares
from labelcore.testing.known import FORMULAS

COUNT = st.integers(0, 1000)
COUNTS = "size", "labelled", "positive"


def test_every_row_has_a_formula_here() -> None:
    assert set(FORMULAS) == set(SCALARS)
    assert {*SCALARS, *DIFFERENCES, *CURVES, *LISTS, *SUMMARIES, *CHOICES} == {*ESTIMANDS}


@given(st.tuples(COUNT, COUNT, COUNT, COUNT), st.tuples(COUNT, COUNT, COUNT, COUNT))
@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_value_is_that_of_the_confusion_matrix(
    name: str, one: tuple[int, ...], two: tuple[int, ...]
) -> None:
    """Two strata, each split at the prediction: four cells."""
    size, positive = [], []
    for tp, fp, fn, tn in (one, two):
        size += [tp + fp, fn + tn]
        positive += [tp, fn]
    cells = Cells(
        np.array(size, float), np.array(size, float), np.array(positive, float),
        np.array([True, False, True, False]),
    )  # fmt: skip
    above, below = FORMULAS[name](*(a + b for a, b in zip(one, two, strict=True)))
    value = ratios([SCALARS[name]], cells).value(cells.positive)[0]
    if below == 0:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(above / below, abs=1e-12)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_to_be_lower_is_worse_where_a_perfect_classifier_has_one(name: str) -> None:
    above, below = FORMULAS[name](5, 0, 0, 7)
    assert SCALARS[name].more_is_better == (above == below)


@pytest.mark.parametrize("name", sorted(FORMULAS))
def test_a_row_says_whose_items_its_denominator_counts(name: str) -> None:
    row, below = SCALARS[name], FORMULAS[name](5, 4, 3, 7)[1]
    assert row.of_negatives == (below == FORMULAS[name](7, 4, 2, 7)[1])
    groups = {(1, 0, 0, 0): "all", (0, 0, 1, 0): "predicted", (1, 0, -1, 0): "unpredicted"}
    assert row.group == groups.get(row.denominator, "")
    assert row.needs_prediction == any((*row.numerator[2:], *row.denominator[2:]))


@given(st.lists(st.tuples(COUNT, COUNT), min_size=4, max_size=4))
@pytest.mark.parametrize("name", sorted(DIFFERENCES))
def test_a_difference_is_that_of_two_confusion_matrices(
    name: str, cells: list[tuple[int, int]]
) -> None:
    """Positives and others of the items that both, only the first, only the second, neither calls
    so."""
    (both, b), (first, f), (second, s), (neither, n) = cells
    k, rest = np.array([both, first, second, neither]), np.array([b, f, s, n])
    found = Cells(
        (k + rest).astype(float), (k + rest).astype(float), k.astype(float),
        np.array([True, True, False, False]), None, np.array([True, False, True, False]),
    )  # fmt: skip
    formula = FORMULAS[name.removesuffix("_difference")]
    one = formula(both + first, b + f, second + neither, s + n)
    two = formula(both + second, b + s, first + neither, f + n)
    value = table_of([DIFFERENCES[name]], found).value(found.positive)[0]
    if one[1] == 0 or two[1] == 0:
        assert np.isnan(value)
    else:
        assert value == pytest.approx(one[0] / one[1] - two[0] / two[1], abs=1e-12)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_the_known_denominator_is_the_denominator(name: str) -> None:
    """Where a group is named, the denominator is its size, whatever the labels are."""
    cells = Cells(
        np.array([7.0, 20]), np.array([7.0, 20]), np.array([3.0, 4]), np.array([True, False])
    )
    group = known_group(SCALARS[name], cells)
    below = [
        float((table.b0 + (table.b * k).sum(axis=1))[0])
        for k in (np.zeros(2), cells.positive, cells.size)
        for table in [ratios([SCALARS[name]], cells)]
    ]
    if group is None:
        assert len(set(below)) > 1
    else:
        assert below == [cells.size[group].sum()] * 3


SIZE = np.array([40.0, 7, 13, 25])
MANY = Cells(
    SIZE, np.array([10.0, 7, 3, 0]), np.array([6.0, 2, 1, 0]), np.array([True, True, False, False]),
    np.array([0, -1, 1, 1]), np.array([True, False, True, False]),
)  # fmt: skip
RATES = np.array([0.7, 0.4, 0.3, 0.05])
EVERY = {**SCALARS, **DIFFERENCES}


@pytest.mark.parametrize("name", sorted(EVERY))
def test_slopes_are_what_a_figure_gains_by_an_item(name: str) -> None:
    """By positives with the sizes as they are, and by items with the rates as they are."""
    row, step = EVERY[name], 1e-6

    def value(size: np.ndarray, totals: np.ndarray) -> float:
        cells = replace(MANY, size=size)
        return float(table_of([row], cells).value(totals)[0])

    rates, by_size, by_positives = smoothed_rates(MANY), [], []
    at = value(SIZE, SIZE * rates)
    for one in np.eye(4) * step:
        by_positives.append((value(SIZE, SIZE * rates + one) - at) / step)
        grown = value(SIZE + one, (SIZE + one) * RATES)
        by_size.append((grown - value(SIZE, SIZE * RATES)) / step)
    assert size_slopes([row], MANY, RATES)[0] == pytest.approx(by_size, abs=1e-6)
    slope = slope_of(row, MANY, np.array([at]))
    assert (np.sign(slope) == np.sign(np.round(by_positives, 9))).all()


@pytest.mark.parametrize("name", sorted(EVERY))
def test_what_is_due_to_the_file_is_counted_over_its_items(name: str) -> None:
    """The mean of a cell's items in numerator less value times denominator, squared, summed over
    the items."""

    def pulled(called: np.ndarray) -> tuple[np.ndarray, float]:
        truth = RATES
        above, below = (
            c[0] + c[1] * truth + c[2] * called + c[3] * truth * called
            for c in (EVERY[name].numerator, EVERY[name].denominator)
        )
        whole = (SIZE * below).sum()
        return above - (SIZE * above).sum() / whole * below, whole

    pull, whole = pulled(MANY.predicted.astype(float))
    if EVERY[name].difference:
        other, of_other = pulled(MANY.other.astype(float))
        pull = pull / whole - other / of_other
    found = variance_of_shares([EVERY[name]], MANY, SIZE * RATES)
    assert found == pytest.approx((SIZE * pull**2).sum())
    table = table_of([EVERY[name]], MANY)
    within = variance_shares(MANY, table, RATES, target="process").sum(axis=-1)
    between = variance_of_shares([EVERY[name]], MANY, SIZE * smoothed_rates(MANY, RATES))
    factor = sampled_file([EVERY[name]], MANY, table, RATES)
    assert factor == pytest.approx(1 + between / within)


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_labels_count_as_they_do_in_the_confusion_matrix(name: str) -> None:
    tp, fp = 8.0, 9.0
    fn, tn = 1.0, 2.0
    above, below = FORMULAS[name](tp, fp, fn, tn)
    counts = outcome_counts(SCALARS[name], MANY)
    assert sum(each * count for (each, _), count in counts.items()) == above
    assert sum((each + rest) * count for (each, rest), count in counts.items()) == below
    known = known_before(SCALARS[name], replace(MANY, stratum=np.array([-1, -1, 1, 1])))
    assert known == (47 if SCALARS[name].group == "predicted" else None)
    none = replace(MANY, predicted=np.zeros(4, dtype=bool))
    assert known_before(SCALARS["precision"], none) is None


def test_a_difference_needs_two_classifiers_and_reaches_from_minus_one() -> None:
    row = DIFFERENCES["recall_difference"]
    with pytest.raises(ValueError, match="needs cells with the predictions of two classifiers"):
        table_of([row], replace(MANY, other=None))
    assert (row.least, SCALARS["recall"].least) == (-1.0, 0.0)
    assert [name for name, one in SCALARS.items() if one.per_class] == ["precision", "recall"]
    assert [name for name, one in EVERY.items() if one.of_all_classes] == ["accuracy"]


@pytest.mark.parametrize("rows", [[*SCALARS.values()], [*DIFFERENCES.values()]])
def test_several_rows_and_runs_are_each_what_they_are_alone(rows: list[Estimand]) -> None:
    more = (MANY.size + 5, MANY.labelled + 2, MANY.positive + 1)
    runs = [MANY, replace(MANY, size=more[0], labelled=more[1], positive=more[2])]
    counts = (np.stack([getattr(run, name) for run in runs]) for name in COUNTS)
    both, rates = Cells(*counts, *(MANY.predicted, None, MANY.other)), np.stack([RATES, RATES / 2])
    totals, table = both.size * rates, table_of(rows, both)
    found = {
        "value": table.value(totals[:, None]), "slopes": size_slopes(rows, both, rates),
        "variance": variance_of_shares(rows, both, totals),
        "factor": sampled_file(rows, both, table, rates),
    }  # fmt: skip
    for run, cells in enumerate(runs):
        for place, row in enumerate(rows):
            one, k = table_of([row], cells), cells.size * rates[run]
            alone = {
                "value": one.value(k), "slopes": size_slopes([row], cells, rates[run]),
                "variance": variance_of_shares([row], cells, k),
                "factor": sampled_file([row], cells, one, rates[run]),
            }  # fmt: skip
            for name in found:
                assert found[name][run, place] == pytest.approx(alone[name][0], nan_ok=True)
