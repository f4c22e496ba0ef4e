"""Counts by cell against counting item by item."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from labelcore import tallies
from labelcore.population.groupings import Grouping
from labelcore.stats.profile import Cells
from labelcore.tallies import (
    InGroup,
    Pairs,
    Tallies,
    Tally,
    filled,
    questions,
    subjects_of,
    tally_of,
)

ITEMS, CLASSES = 60, 3
DRAW = np.random.default_rng(3)
STRATUM = DRAW.integers(-1, 3, ITEMS)
FIRST, SECOND, TRUTH = DRAW.integers(0, CLASSES, (3, ITEMS))
GROUPS = DRAW.integers(0, 2, ITEMS)
LABELLED = DRAW.permutation(ITEMS)[:25]
CELLS = "stratum", "group", "second_prediction", "prediction"
NONE = np.full(ITEMS, -1)


def grouping() -> Grouping:
    return Grouping(("by",), ("a", "b"), GROUPS, np.bincount(GROUPS))


@pytest.fixture(params=["alone", "nothing predicted", "of two", "of two by group"])
def made(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A tally, and what each item's cell is told by; the file is read in blocks of 7."""
    monkeypatch.setattr(tallies, "BLOCK", 7)
    kind = request.param
    first = None if kind == "nothing predicted" else FIRST
    second = SECOND if "two" in kind else None
    groups = grouping() if "group" in kind else None
    tally = (Tally if second is None else Pairs)(
        STRATUM, first, CLASSES, second=second, groups=groups
    )
    given = (STRATUM, GROUPS if groups else None, second, first)
    return tally, np.array([NONE if one is None else one for one in given]).T


def test_each_item_is_counted_in_the_cell_of_its_own(made: Any) -> None:
    tally, told = made
    cells = np.array([getattr(tally, name) for name in CELLS]).T
    assert [tuple(one) for one in cells] == sorted({tuple(one) for one in told})
    assert (cells[tally.cell_of] == told).all() and (tally.cells_at(5) == tally.cell_of[5])
    tally.add_all(LABELLED[1:], TRUTH[LABELLED[1:]])
    tally.add(LABELLED[0], TRUTH[LABELLED[0]])
    kept, empty = tally.copied(), tally.emptied()
    for place, one in enumerate(cells):
        mine = (told == one).all(axis=1)
        seen = mine[LABELLED]
        assert tally.size[place] == mine.sum() and (empty.counts[place] == 0).all()
        assert tally.counts[place].tolist() == [
            (TRUTH[LABELLED[seen]] == code).sum() for code in range(CLASSES)
        ]
        assert tally.census(TRUTH).counts[place].tolist() == [
            (TRUTH[mine] == code).sum() for code in range(CLASSES)
        ]
        right = (told[:, 3] == TRUTH)[LABELLED[seen]].sum()
        assert tally.right()[place] == right
        assert tally.unresolved([*LABELLED])[place] == seen.sum()
        for index in (None, 1):
            found = tally.cells(index)
            positive = right if index is None else (TRUTH[LABELLED[seen]] == index).sum()
            assert (found.labelled[place], found.positive[place]) == (seen.sum(), positive)
            assert found.predicted[place] == (index is None or one[3] == index)
            if isinstance(tally, Pairs):
                assert found.other[place] == (one[2] == index)
    tally.add(0, 1)
    assert (kept.counts != tally.counts).sum() == 1, "labels of its own"


@pytest.mark.parametrize("index", [None, 2])
def test_after_each_label_the_cells_are_as_if_it_were_added(made: Any, index: int | None) -> None:
    tally, told = made
    if index is None and (told[:, 3] < 0).all():
        return
    tally.add_all(LABELLED[:9], TRUTH[LABELLED[:9]])
    new = LABELLED[9:14]
    ahead = tally.after_each(new, TRUTH[new], index)
    for step, position in enumerate(new):
        tally.add(position, TRUTH[position])
        now = tally.cells(index)
        assert (ahead.labelled[step] == now.labelled).all()
        assert (ahead.positive[step] == now.positive).all()


@pytest.mark.parametrize("rest", [False, True])
def test_a_group_has_its_own_items_alone(rest: bool) -> None:
    whole = Tally(STRATUM, FIRST, CLASSES, groups=grouping())
    whole.add_all(LABELLED, TRUTH[LABELLED])
    part, mine = whole.of_group(1, rest=rest), (GROUPS == 1) != rest
    assert (part.size.sum(), part.counts.sum()) == (mine.sum(), mine[LABELLED].sum())
    assert ((part.cell_of >= 0) == mine).all()
    assert part.census(TRUTH).counts.sum() == mine.sum()
    assert part.unresolved([*range(ITEMS)]).tolist() == part.size.tolist()
    part.add_all(np.arange(ITEMS), TRUTH)
    assert part.counts.sum() == mine.sum() + mine[LABELLED].sum()
    asked = Tallies({"m": whole})
    assert asked[InGroup("m", 1)].size.sum() == (GROUPS == 1).sum()
    with pytest.raises(KeyError):
        asked["n"]


def test_open_items_are_positive_where_that_is_asked() -> None:
    cells = Cells(*np.array([[9.0, 9.0], [4.0, 5.0], [1.0, 2.0]]), np.array([True, False]))
    found = filled(cells, np.array([3.0, 2.0]), np.array([True, False]))
    assert (found.labelled.tolist(), found.positive.tolist()) == ([7.0, 7.0], [4.0, 2.0])


def keys(words: str, estimands: str, classifiers: str, **more: Any) -> list[str]:
    items: Any = SimpleNamespace(classes=tuple(words), positive=words[-1])
    asked = questions(items, tuple(estimands.split()), (*classifiers,), **more)
    names = {question.key: question for question in asked}
    for question in asked:
        several = len(words) > 2 and not question.row.difference
        named = question.key.partition("[")[2][:1] if several else words[-1]
        assert question.class_index == (words.index(named) if named in [*words] else None)
    return [*names]


def test_every_figure_has_a_key_of_its_own() -> None:
    assert keys("ny", "accuracy precision", "AB") == [
        "accuracy", "precision", "accuracy@B", "precision@B"
    ]  # fmt: skip
    assert keys("xyz", "accuracy precision", "A", classes=["z", "x"]) == [
        "accuracy", "precision[x]", "precision[z]"
    ]  # fmt: skip
    assert keys("xyz", "precision", "A") == [f"precision[{name}]" for name in "xyz"]
    three = ["recall_difference", "recall_difference@A - C", "recall_difference@B - C"]
    assert keys("ny", "recall_difference", "ABC") == three
    assert keys("ny", "recall_difference", "A") == three[:1]
    assert keys("ny", "recall recall_difference", "AB", groups=grouping()) == [
        "recall", "recall_difference", "recall@B", "recall[by=a]", "recall@B[by=a]",
        "recall[by=b]", "recall@B[by=b]",
    ]  # fmt: skip


def test_whose_cells_are_counted() -> None:
    items: Any = SimpleNamespace(classes=("n", "y"), positive="y")
    asked = questions(items, ("recall", "recall_difference"), ("A", "B"), groups=grouping())
    assert [one.subject for one in asked[:4]] == ["A", ("A", "B"), "B", InGroup("A", 0)]
    assert subjects_of(("A", "B"), asked) == ["A", "B", ("A", "B")]
    items.classes, items.predictions = (*"xyz",), {"A": FIRST, "B": SECOND}
    for whose, first, second in (
        ("A", 1, 0),
        (None, 0, 0),
        ("scores alone", 0, 0),
        (("B", "A"), 1, 1),
    ):
        tally = tally_of(items, STRATUM, whose)
        assert (tally.prediction >= 0).all() == first and isinstance(tally, Pairs) == second
        assert second == 0 or (tally.prediction[tally.cell_of] == SECOND).all()
