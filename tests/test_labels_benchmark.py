"""The comparison of labels needed: every method ends, at the first look that meets the width."""

import numpy as np
import pytest

from benchmarks.labels.files import SEPARATION, File, synthetic
from benchmarks.labels.measured import Cell, limit
from benchmarks.labels.methods import BY_NAME, OURS, PLAIN
from benchmarks.labels.peers import first_met, weighted_ends
from benchmarks.labels.targets import FINE, TARGETS, Follower
from benchmarks.labels.together import generators, looks, plain_labels, prepared
from benchmarks.populations import written

ITEMS, RUNS = 1_000, 2


@pytest.fixture(scope="module")
def small() -> File:
    known = written(synthetic(np.random.default_rng(1), ITEMS, 0.1, "middling"))
    return File("small", known.population, known.codes, known.classifier)


def test_a_run_that_looks_back_starts_again(small: File) -> None:
    """After a long step that met the half-width the looks passed over are made up for: what is seen
    there are the labels of that size, not more."""
    session = BY_NAME[OURS].prepared(small, TARGETS["recall"]).session(np.random.default_rng(1))
    session.go_to(80)
    with pytest.raises(ValueError, match="80 items"):
        session.go_to(70)


def test_a_cell_that_covers_too_seldom_is_marked() -> None:
    few = np.arange(20) >= 5
    cell = Cell("one", PLAIN, "recall", np.full(20, 100), few[:, None], 1.0)
    assert cell.coverage == 0.75 < limit(20) and cell.short
    enough = Cell("one", PLAIN, "recall", np.full(20, 100), np.ones((20, 1), dtype=bool), 1.0)
    assert not enough.short


class Forgetful(Follower):
    """The nearest mistake: looks that were passed over are not made up for."""

    def ends(self, width: float) -> bool:
        self.last = self.size if width <= self.goal else self.last
        return super().ends(width)


@pytest.mark.parametrize(("kind", "late"), [(Follower, False), (Forgetful, True)])
def test_a_run_stops_at_the_first_fine_look_that_meets_the_width(
    kind: type[Follower], late: bool
) -> None:
    def width(n: int) -> float:
        return 0.4 if n < 1_000 else 0.01

    follower = kind(0.05, 10_000)
    while not follower.ends(width(follower.size)):
        pass
    assert (follower.size > 1_000 * (1 + 2 * FINE)) is late


def test_weighted_ends_with_equal_weights_are_those_of_a_plain_share() -> None:
    random = np.random.default_rng(2)
    positive = (random.random(400) < 0.7).astype(int)
    labels = np.column_stack([positive, np.ones(400, dtype=int)])
    low, high = weighted_ends(np.full(400, 3.0), labels, 1.0)
    share = positive.mean()
    half = 1.959964 * np.sqrt(share * (1 - share) / 400)
    assert low[-1] == pytest.approx(share - half, abs=1e-6)
    assert high[-1] == pytest.approx(share + half, abs=1e-6)


def test_labels_of_draws_with_replacement_are_distinct_items() -> None:
    distinct = np.repeat(np.arange(1, 101), 3)
    half = np.where(distinct < 80, 0.2, 0.01)
    stop = first_met(distinct, 0.5 - half, 0.5 + half, 0.05, 0.5)
    assert stop is not None and 80 <= stop.labels <= 82


@pytest.mark.parametrize("kind", SEPARATION)
def test_synthetic_files_have_the_share_they_say_and_equal_precision_and_recall(kind: str) -> None:
    items = synthetic(np.random.default_rng(3), 5_000, 0.03, kind)
    assert items.truth.sum() == 150
    assert items.prediction is not None and items.prediction.sum() == 150


def test_a_plain_sample_needs_its_own_labels_for_its_own_width(small: File) -> None:
    """The labels read off a width are those that gave it, to the noise of six runs."""
    ready = prepared(small, "simple_random", ITEMS)
    half = looks(ready, 300, generators("other", "plain", 6)).half.mean(axis=0)[None]
    assert plain_labels(small, half, 6)[0] == pytest.approx([300] * 4, rel=0.25)
    wider = plain_labels(small, 1.5 * half, 6)[0]
    assert np.all(wider < 200)
