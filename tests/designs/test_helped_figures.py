"""How much the scores are expected to help, before any label."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from labelcore.designs.simple_random import expected_left
from labelcore.estimands import SCALARS
from labelcore.testing.known import write


@pytest.mark.parametrize(
    ("name", "left"),
    [
        # Scores .1, .3, .5 and .7 alike: mean .4, variance .05, of .4 x .6 in all.
        ("prevalence", 1 - 0.05 / 0.24),
        # Of .5 and .7 called positive: mean .6, variance .01.
        ("precision", 1 - 0.01 / 0.24),
        ("recall", 1.0),
    ],
)
def test_what_the_scores_leave(tmp_path: Path, name: str, left: float) -> None:
    score = np.tile([0.1, 0.3, 0.5, 0.7], 50)
    known = write(tmp_path, np.tile([0, 1], 100), score=score, thresholds={"lr": 0.5})
    assert expected_left(known.population, "lr", SCALARS[name]) == pytest.approx(left, abs=1e-12)


def test_where_nothing_is_called_positive_the_scores_leave_everything(tmp_path: Path) -> None:
    score = np.tile([0.1, 0.3, 0.5, 0.7], 50)
    known = write(tmp_path, np.tile([0, 1], 100), score=score, thresholds={"lr": 0.9})
    with np.errstate(all="raise"):
        assert expected_left(known.population, "lr", SCALARS["precision"]) == 1.0
