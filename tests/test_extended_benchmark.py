"""The benchmark of extended sessions does what it says to each of them."""

from __future__ import annotations

import numpy as np
import pytest

import labelcore as lc
from benchmarks.extended import ENDS, LOOKS, NOT_SURE, PLANNED, Person, sessions_seen
from benchmarks.sessions import Prepared
from labelcore.figures.scalars import scalar_results
from labelcore.testing.known import Known, calibrated


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Prepared:
    known: Known = calibrated(tmp_path_factory.mktemp("extended"), 400, seed=4)
    plan = lc.Plan("simple_random", ["accuracy"], budget=PLANNED).with_planned(PLANNED)
    return Prepared(known.population, plan, known.truth)


def test_later_labels_change_nothing_and_every_look_is_there(prepared: Prepared) -> None:
    plain = sessions_seen(prepared, "job", 2, messy=False)
    assert plain.low.shape == (len(LOOKS), 2, 1)
    later = np.array(LOOKS) >= ENDS[0]
    assert later.sum() > 5 and (np.ptp(plain.low[later], axis=0) == 0).all()
    assert (np.ptp(plain.low[~later], axis=0) > 0).all()
    messy = sessions_seen(prepared, "job", 2, messy=True)
    assert messy.low.shape == (2 * len(LOOKS), 2, 1)


def test_an_answer_taken_back_is_given_again(prepared: Prepared) -> None:
    random = np.random.default_rng(1)
    person = Person(prepared.session(random), random, unsure=True)
    for _ in range(40):
        person.answer()
    before = scalar_results(person.engine)
    person.take_back()
    assert person.engine.answers_given == 39
    person.give_again()
    assert scalar_results(person.engine) == before
    assert 0 < person.engine.undecided < 40 * 3 * NOT_SURE
