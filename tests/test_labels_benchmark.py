"""The comparison of labels needed: every method ends, at the first look that meets the width."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.labels import files
from benchmarks.labels.files import SEPARATION, File, file_of, names_of_files, synthetic
from benchmarks.labels.measured import Cell, limit
from benchmarks.labels.methods import BY_NAME, LIMIT, METHODS, OURS, PLAIN, unavailable
from benchmarks.labels.peers import first_met, weighted_ends
from benchmarks.labels.targets import FINE, FIRST, TARGETS, Follower, follow
from benchmarks.labels.together import (
    generators,
    looks,
    plain_labels,
    prepared,
)
from benchmarks.populations import written

ITEMS, RUNS = 1_000, 2


@pytest.fixture(scope="module")
def small() -> File:
    known = written(synthetic(np.random.default_rng(1), ITEMS, 0.1, "middling"))
    return File("small", known.population, known.codes, known.classifier)


@pytest.fixture(scope="module")
def cells(small: File) -> list[Cell]:
    """Each method and target that needs no other package, two runs."""
    found = []
    for method in METHODS:
        for target in method.targets:
            if method.name in unavailable():
                continue
            randoms = [np.random.default_rng((1, run)) for run in range(RUNS)]
            stops = method.stops(small, TARGETS[target], randoms)
            covered = np.array([stop.covered for stop in stops])
            labels = np.array([stop.labels for stop in stops])
            found.append(Cell("small", method.name, target, labels, covered, 1.0))
    return found


@pytest.mark.full
def test_every_method_ends_with_its_labels_and_what_it_covered(cells: list[Cell]) -> None:
    assert {cell.target for cell in cells} == set(TARGETS)
    for cell in cells:
        assert cell.covered.shape == (RUNS, len(TARGETS[cell.target].estimands))
        assert np.all((cell.labels >= FIRST) & (cell.labels <= ITEMS)), (cell.method, cell.target)


@pytest.mark.full
def test_the_oracle_needs_fewer_labels_than_a_plain_random_sample(cells: list[Cell]) -> None:
    found = {(cell.method, cell.target): cell.median for cell in cells}
    for target in ("precision", "recall", "F1"):
        assert found[LIMIT, target] < found[PLAIN, target]


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


def test_a_path_that_never_meets_the_width_ends_with_the_file() -> None:
    stop = follow(lambda n: (0.0, 1.0), 0.05, 3_000, 0.4)
    assert stop.labels == 3_000 and stop.covered == (True,)


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


def test_a_synthetic_file_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "ITEMS", 1_000)
    file_of.cache_clear()
    assert file_of("30 %, good", Path("nowhere")).values["prevalence"] == pytest.approx(0.3)
    file_of.cache_clear()
    assert len(names_of_files()) == len(set(names_of_files())) == 28


def test_a_plain_sample_needs_its_own_labels_for_its_own_width(small: File) -> None:
    """The labels read off a width are those that gave it, to the noise of six runs."""
    ready = prepared(small, "simple_random", ITEMS)
    half = looks(ready, 300, generators("other", "plain", 6)).half.mean(axis=0)[None]
    assert plain_labels(small, half, 6)[0] == pytest.approx([300] * 4, rel=0.25)
    wider = plain_labels(small, 1.5 * half, 6)[0]
    assert np.all(wider < 200)
