"""What every method that compares two classifiers owes (``ComparesTwo``).

The contracts of ``labelcore.testing`` and those that only these methods can owe.
"""

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import pytest
from scipy.stats import chi2

import labelcore as lc
from labelcore.designs.paired_comparison import PairedComparison
from labelcore.designs.scalars import ComparesTwo
from labelcore.errors import ReplayError
from labelcore.figures.scalars import scalar_results
from labelcore.testing.contracts import (
    BROKEN,
    EARLY,
    Family,
    InFileOrder,
    Noting,
    Owed,
    Repeating,
    Unseeded,
    assert_no_width_by_itself,
    assert_wider_than_at_the_end,
    beyond_chance,
    drawn,
    promises_of,
)
from labelcore.testing.known import NOISE, Known, label, labelled
from labelcore.testing.scalars import (
    AlwaysExact,
    Clinging,
    Forgetful,
    Hasty,
    NoFinitePopulation,
    Peeking,
)
from tests.cases import once
from tests.contracts.cases import contract_tests, method_cases, register, twin_cases
from tests.designs.paired_files import BOTH, DIFFERENCES, paired, true_difference

N_ITEMS = 240
PAIRS = [name for name, one in lc.DESIGNS.items() if isinstance(one, ComparesTwo)]
known = once(paired, N_ITEMS, seed=3, shift=1.2)


def plan_of(name: str, **values: Any) -> lc.Plan:
    return lc.Plan(
        name,
        values.pop("estimands", DIFFERENCES),
        **{"budget": 70, "seed": 4, "classifier": list(BOTH), **values},
    )


# --- the contracts -----------------------------------------------------------------------------


def census_is_exact_and_only_a_census(name: str, known: Known) -> None:
    """Exact where every item that the difference rests on is labelled; of accuracy these are the
    items on which the two disagree."""
    a, b = (known.population.predictions[one] == 1 for one in BOTH)
    rests_on = {
        "accuracy_difference": a != b,
        "precision_difference": a | b,
        "recall_difference": a | ~a,
        "f1_difference": a | ~a,
    }
    for promise in promises_of(name, DIFFERENCES):
        plan = plan_of(name, budget=N_ITEMS, promise=promise)
        engine = known.engine(plan, 4)
        for labels in label(engine, known.truth):
            if labels % 40 and labels < N_ITEMS - 3:
                continue
            seen = np.isin(np.arange(N_ITEMS), drawn(engine))
            for key, one in scalar_results(engine).items():
                if one.has_interval and one.half_width < 1e-9:
                    assert seen[rests_on[key]].all(), (key, labels)
        assert_no_width_by_itself(engine)
        for key, one in scalar_results(engine).items():
            assert one.state == "exact" and one.low == one.high == one.value
            assert one.value == pytest.approx(true_difference(known, key), abs=1e-12)
    process = labelled(known.engine(replace(plan, target="process"), 4), known.truth)
    assert all(one.half_width > 0.005 for one in scalar_results(process).values())


def no_label_is_not_yet(name: str, known: Known) -> None:
    """Accuracy differs by at most the disagreements, which are few; what else there is to divide by
    leaves everything possible."""
    a, b = (known.population.predictions[one] == 1 for one in BOTH)
    for promise in promises_of(name, DIFFERENCES):
        engine = known.engine(plan_of(name, promise=promise), 4)
        for key, one in scalar_results(engine).items():
            least = -np.mean(a != b) if key == "accuracy_difference" else -1.0
            if key == "precision_difference":
                shared = (a & b).sum() * (1 / a.sum() - 1 / b.sum())
                least = min(shared, 0.0) - (b & ~a).sum() / b.sum()
            assert (one.value, one.state) == (None, "nothing")
            assert one.low == pytest.approx(least, abs=1e-12), key
            assert "no item has a label yet" in one.sentence()
        for labels in label(engine, known.truth):
            if labels > 42:
                break
            found = scalar_results(engine)
            lost = sum(known.truth[one] != a[one] for one in drawn(engine) if a[one] != b[one])
            left = np.count_nonzero(a != b) - sum(a[one] != b[one] for one in drawn(engine))
            won = sum(known.truth[one] == a[one] for one in drawn(engine) if a[one] != b[one])
            limits = ((won - lost - left) / N_ITEMS, (won - lost + left) / N_ITEMS)
            for key, one in found.items():
                assert one.value is not None or one.state == "too few"
                if key == "accuracy_difference":
                    assert limits[0] - 1e-12 <= one.low <= one.high <= limits[1] + 1e-12
                    apart = float(np.mean(a != b))
                    before = pytest.approx((-apart, apart), abs=1e-12)
                    assert (one.possible.low, one.possible.high) == before
                    if one.has_interval and one.value is not None:
                        assert (one.told is None) == (one.high - one.low > 1.2 * apart + 1e-12)
                    if not one.has_interval:
                        assert (one.low, one.high) == pytest.approx(limits, abs=1e-12)
                if promise == "watched" and labels == EARLY:
                    assert_wider_than_at_the_end(engine)
                if promise == "fixed":
                    assert not one.has_interval


def sample_is_random(name: str, known: Known) -> None:
    """120 seeds; how often each item is among the first draws, within its stratum; limit 1e-4."""
    seeds, count, share = 120, np.zeros(N_ITEMS), np.zeros(N_ITEMS)
    for seed in range(seeds):
        engine = known.engine(plan_of(name, budget=40, promise="fixed"), seed)
        ahead = engine.peek()
        while ahead is not None and ahead[2] == 1:
            engine.draw_next()
            ahead = engine.peek()
        count[drawn(engine)] += 1
        share += (engine.drawn / engine.frame.sizes)[engine.frame.stratum]
    statistic, freedom = beyond_chance(count, share, seeds, engine.frame.stratum)
    assert statistic < chi2.isf(NOISE, freedom)


# --- broken methods ----------------------------------------------------------------------------


class Broken(PairedComparison):
    name: ClassVar[str] = BROKEN
    order: ClassVar[str] = "queue"


PAIRED = Family(
    n_items=N_ITEMS, plan_of=plan_of, results=scalar_results, undone_at=(41, 55), agreed=45,
    written={"margin": 0.1, "stop": "margin"}, read_at=(0, 20, 50, 65), sound=Broken,
    refusals=(AssertionError, ReplayError),
)  # fmt: skip
CONTRACTS = [
    Owed(PAIRED.same_seed_same_draws, [PAIRED.twin(Unseeded)]),
    Owed(PAIRED.replay_equals_incremental, [PAIRED.twin(Forgetful)]),
    Owed(PAIRED.undo_is_as_if_never_answered, [PAIRED.twin(Clinging)]),
    Owed(PAIRED.later_labels_do_not_matter, [PAIRED.twin(Peeking)]),
    Owed(PAIRED.no_item_twice, [PAIRED.twin(Repeating)]),
    Owed(
        census_is_exact_and_only_a_census,
        [PAIRED.twin(NoFinitePopulation), PAIRED.twin(AlwaysExact)],
    ),
    Owed(no_label_is_not_yet, [PAIRED.twin(Hasty)]),
    Owed(PAIRED.frame_stays_as_prepared, [PAIRED.twin(Noting)]),
    Owed(PAIRED.json_round_trip, []),
    Owed(sample_is_random, [PAIRED.twin(InFileOrder)]),
]


test_contract, test_broken_twin_fails = contract_tests(
    PAIRED, method_cases(CONTRACTS, PAIRS), twin_cases(CONTRACTS)
)


def test_unbroken_twin_draws_the_same(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twins fail because of their mistake, not because they are registered in a test."""
    PAIRED.no_item_twice(register(Broken, monkeypatch), known)
