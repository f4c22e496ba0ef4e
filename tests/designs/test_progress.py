"""The codes of the items drawn so far."""

import tracemalloc

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs.base import NO_ANSWER, OPEN, UNDECIDED, AnswerCodes
from labelcore.log.engine import Engine
from labelcore.log.events import Event

FAR, ITEMS = 2_000_000_000, 200_000


def test_codes_are_those_put_in_and_no_answer_elsewhere() -> None:
    codes = AnswerCodes()
    assert codes[FAR] == NO_ANSWER and not len(codes.positions) and not len(codes.labelled)
    codes[FAR] = OPEN
    codes[np.array([3, 1])] = np.array([1, 0])
    codes[np.array([8, 9])] = UNDECIDED
    codes[FAR] = 2
    asked = np.array([[9, 3], [FAR, 4]])
    np.testing.assert_array_equal(codes[asked], [[UNDECIDED, 1], [2, NO_ANSWER]])
    assert codes.positions.tolist() == [FAR, 3, 1, 8, 9]
    assert codes.labelled.tolist() == [FAR, 3, 1]
    assert codes[asked[:0]].shape == (0, 2)


def test_as_many_codes_as_positions() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        AnswerCodes()[np.array([1, 2])] = np.array([0, 1, 0])


def test_a_copy_changes_apart() -> None:
    codes = AnswerCodes()
    codes[5] = 1
    other = codes.copy()
    other[5], other[6] = 0, 1
    assert (codes[5], codes[6], other[5]) == (1, NO_ANSWER, 0)


def test_changes_are_those_of_answers() -> None:
    codes = AnswerCodes()
    codes[4] = OPEN
    codes[np.array([4, 7])] = np.array([1, UNDECIDED])
    codes[np.array([4, 8])] = 1
    assert codes.changes == 0
    codes[np.array([4, 7])] = np.array([0, 1])
    assert codes.changes == 2
    codes[7] = OPEN
    assert codes.changes == codes.copy().changes == 3


def test_of_all_items() -> None:
    codes = AnswerCodes()
    codes[np.array([2, 0])] = np.array([1, OPEN])
    assert codes.of_all(4).tolist() == [OPEN, NO_ANSWER, 1, NO_ANSWER]


class Whole(AnswerCodes):
    """Keeps an array of all items."""

    def __init__(self) -> None:
        super().__init__()
        self.every = np.zeros(ITEMS, dtype=np.int8)


@pytest.mark.parametrize("kind", [AnswerCodes, Whole])
def test_nothing_of_the_size_of_the_file_is_made_for_a_session(
    kind: type[AnswerCodes], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session of a file that is open already, and a look one answer ahead of it, take less than
    a byte for each item."""
    monkeypatch.setattr("labelcore.designs.base.AnswerCodes", kind)
    population = lc.read_population(pd.DataFrame({"text": ["x"] * ITEMS}), content="text")
    opened = Engine(population, lc.Plan("simple_random", "prevalence", budget=9, planned=9))
    opened.peek()
    tracemalloc.start()
    engine = opened.beginning()
    answer = Event(1, "labelled", "", "somebody", index=engine.draw_next(), label="yes")
    ahead = engine.supposing(1, answer)
    taken = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (ahead.labels, engine.labels) == (1, 0)
    assert (taken < ITEMS) == (kind is AnswerCodes)
