"""Values and intervals over strata: what holds whatever the labels are."""

from __future__ import annotations

import numpy as np
import pytest

from labelcore.designs.base import Look
from labelcore.designs.profile_figures import profile_figures
from labelcore.estimands import SCALARS
from labelcore.stats.profile import Cells

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
    found = profile_figures([SCALARS[name]], cells, look, None)
    assert found.low[0] <= found.value[0] <= found.high[0]
