"""Values and intervals over strata: what holds whatever the labels are."""

import numpy as np
import pytest

from labelcore.designs import DESIGNS
from labelcore.designs.base import Look
from labelcore.designs.profile_figures import graded_mean
from labelcore.estimands import SCALARS, ratios
from labelcore.stats.judged import judged_cells
from labelcore.stats.profile import Cells
from labelcore.stats.profile_interval import in_whole_items

# Items, labels and positives of each stratum, and how many strata are called positive. What is
# known of them puts a bound where the value is, and one of the two is rounded past the other.
AT_THE_LOWER_END = [
    ("specificity", [45, 16], [45, 11], [45, 3], 1),
    ("specificity", [69, 52], [69, 52], [68, 27], 1),
    ("prevalence", [17, 51, 6], [1, 51, 6], [0, 51, 0], 2),
    ("prevalence", [12, 79], [2, 79], [0, 63], 1),
    ("accuracy", [19, 35, 45], [6, 35, 45], [0, 26, 3], 1),
]
AT_THE_UPPER_END = [
    ("precision", [49, 29], [10, 4], [10, 4], 1),
    ("precision", [49, 8, 44], [8, 8, 8], [8, 0, 0], 1),
    ("prevalence", [32, 70, 66, 8, 38], [3, 3, 0, 5, 6], [3, 3, 0, 5, 6], 3),
    ("precision", [20, 20], [5, 5], [1, 1], 0),  # Of nothing: no value, and all is possible.
]


@pytest.mark.parametrize(
    ("name", "size", "labelled", "positive", "called"), [*AT_THE_LOWER_END, *AT_THE_UPPER_END]
)
def test_a_value_lies_inside_its_interval(
    name: str, size: list[int], labelled: list[int], positive: list[int], called: int
) -> None:
    """To the last bit: a value printed beyond its own bound would be a contradiction."""
    counts = [np.array(one, dtype=float) for one in (size, labelled, positive)]
    cells = Cells(*counts, np.arange(len(size)) < called, np.arange(len(size)))
    labels = sum(labelled)
    look = Look(0.95, "fixed", labels, labels, "file", len(size))
    found = DESIGNS["recalibrated_neyman"].estimate([SCALARS[name]], cells, look, None)
    assert found.low[0] <= np.nan_to_num(found.value[0], nan=1.0) <= found.high[0] <= 1.0


def test_grades_of_items_like_these_are_covered_and_a_bias_not_by_the_spread_of_the_mean() -> None:
    """Seed 1, 1,500 files of 200 items, all labelled, so that chance is in which items they hold;
    least .95 - 3 standard errors. The judge gives 1 where people give 5: the twin takes its mean
    over the file for known."""
    runs, grades = 1_500, np.arange(1.0, 6)
    least = 0.95 - 3 * np.sqrt(0.95 * 0.05 / runs)
    chance = np.exp(-((np.add.outer(np.arange(5), np.arange(5)) - 4.0) ** 2))
    chance /= 5 * chance.sum(axis=1, keepdims=True)
    drawn = np.random.default_rng(1).multinomial(200, chance.ravel(), size=runs)
    counts = drawn.reshape(runs, 5, 5).astype(float)
    size, right = counts.sum(axis=2), counts[:, np.arange(5), np.arange(5)]
    cells = Cells(size, size, right, np.ones(size.shape, dtype=bool), np.arange(5))
    look = Look(0.95, "fixed", 200, 200, "process", 5)
    mean, people = graded_mean(cells, counts, grades, look), float(chance.sum(axis=0) @ grades)
    assert ((mean[1] <= people) & (people <= mean[2])).mean() >= least
    judge, bias = size @ grades / 200, 3.0 - people
    for said, covered in ((grades, True), (None, False)):
        _, low, high = graded_mean(cells, counts, grades, look, said)
        inside = ((judge - high <= bias) & (bias <= judge - low)).mean()
        assert (inside >= least) == covered, inside


def test_the_interval_of_a_mean_grade_is_little_wider_for_few_items_without_a_grade() -> None:
    """Of 200 answers three have no grade."""
    counts = np.array([[40.0, 10, 0], [5, 40, 5], [0, 10, 87]])
    size, labelled = np.array([200.0, 200, 400]), counts.sum(axis=1)
    cells = Cells(size, labelled, counts[:, 2], np.ones(3, dtype=bool), np.arange(3))
    look, grades = Look(0.95, "fixed", 197, 197, "file", 3), np.array([1.0, 2, 3])
    widths = []
    for unsure in (0.0, 1.0):
        judged = judged_cells(cells, np.full(3, unsure))
        _, low, high = graded_mean(judged, counts, grades, look)
        widths.append(high - low)
    assert widths[0] < widths[1] < 1.2 * widths[0]


def test_bounds_are_whole_items_of_what_the_figure_rests_on() -> None:
    """Two of 17 called items are left in each stratum, and 3,000 others."""
    size, labelled = np.array([17.0, 17.0, 3_000.0]), np.array([15.0, 15.0, 0.0])
    cells = Cells(size, labelled, np.array([13.0, 12.0, 0.0]), size < 18)
    look = Look(0.95, "fixed", 30, 30, "file", 10)
    found = DESIGNS["recalibrated_neyman"].estimate([SCALARS["precision"]], cells, look, None)
    ends = 34 * np.array([found.low[0], found.high[0]])
    assert ends == pytest.approx(np.rint(ends)) and 25 <= ends[0] < ends[1] <= 29


def test_bounds_in_whole_items() -> None:
    """Three of ten left: bounds of a share of ten move to the next tenth, none past what is
    certain."""
    cells = Cells(np.array([10.0]), np.array([7.0]), np.array([4.0]), np.array([True]))
    table = ratios([SCALARS["precision"]], cells)
    for low, high, expected in ((0.45, 0.62, (0.4, 0.7)), (0.4, 0.69, (0.4, 0.7)),
                                (0.5, 0.6, (0.5, 0.6))):  # fmt: skip
        found = in_whole_items(cells, table, np.array([low]), np.array([high]))
        assert (found[0][0], found[1][0]) == pytest.approx(expected)
