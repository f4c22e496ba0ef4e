"""Which labels count for which figure, whether they agree, and what swayed answers would move."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.figures.with_classifier import agreements, if_swayed
from labelcore.session.session import Session
from tests.columns import items

CALLED = [1, 1, 0, 0, 0, 0]
OTHER = [1, 0, 0, 0, 0, 1]
TRUTH = [1, 0, 1, 0, 0, 0]


@pytest.fixture
def population() -> lc.Population:
    return items(predictions={"a": CALLED, "b": OTHER})


def labelled(population: lc.Population, estimands: list[str], **plan: object) -> Session:
    """All six, each by its truth; the items in the order of the answers."""
    design = "paired_comparison" if "accuracy_difference" in estimands else "simple_random"
    session = Session(population, lc.Plan(design, estimands, budget=6, **plan))  # type: ignore[arg-type]
    while (draw := session.next()) is not None:
        session.answer(draw, bool(TRUTH[int(draw.item_id[1:])]))
    return session


def order(session: Session) -> list[int]:
    return [int(str(e.item_id)[1:]) for e in session.events if e.kind == "labelled"]


def test_each_figure_counts_the_labels_of_its_denominator(population: lc.Population) -> None:
    session = labelled(
        population, ["accuracy", "precision", "recall", "f1", "prevalence"], classifier="a"
    )
    agree = [CALLED[n] == TRUTH[n] for n in order(session)]
    found = agreements(session.engine)
    assert found["accuracy"].tolist() == agree
    both = list(zip(order(session), agree, strict=True))
    assert found["precision"].tolist() == [one for n, one in both if CALLED[n]]
    assert found["recall"].tolist() == [one for n, one in both if TRUTH[n]]
    assert found["f1"].tolist() == [one for n, one in both if TRUTH[n] or CALLED[n]]
    assert not len(found["prevalence"])


def test_a_changed_and_an_undone_answer_count_as_they_are_now(population: lc.Population) -> None:
    session = labelled(population, ["accuracy"], classifier="a")
    session.undo()
    last = order(session)[-1]
    before = [CALLED[n] == TRUTH[n] for n in order(session)[:-1]]
    assert agreements(session.engine)["accuracy"].tolist() == before
    draw = session.next()
    assert draw is not None and draw.item_id == f"i{last}"
    session.answer(draw, not TRUTH[last])
    agree = [*before, CALLED[last] != TRUTH[last]]
    assert agreements(session.engine)["accuracy"].tolist() == agree


def test_of_two_classifiers_count_the_labels_that_one_agrees_with(
    population: lc.Population,
) -> None:
    session = labelled(population, ["accuracy_difference"], classifier=["a", "b"])
    differ = [n for n in order(session) if CALLED[n] != OTHER[n]]
    found = agreements(session.engine)["accuracy_difference"]
    assert found.tolist() == [CALLED[n] == TRUTH[n] for n in differ]


def test_of_a_difference_count_the_labels_of_its_denominators(population: lc.Population) -> None:
    """A negative item says nothing about recall, whoever is right about it."""
    asked = ["accuracy_difference", "precision_difference", "recall_difference"]
    session = labelled(population, asked, classifier=["a", "b"])
    differ = [n for n in order(session) if CALLED[n] != OTHER[n]]
    found = agreements(session.engine)
    right = [CALLED[n] == TRUTH[n] for n in differ]
    assert found["precision_difference"].tolist() == right
    assert found["recall_difference"].tolist() == []
    assert not any(TRUTH[n] for n in differ) and len(differ) == 2


def test_swayed_answers_move_a_figure_by_their_share(population: lc.Population) -> None:
    session = labelled(population, ["accuracy", "precision", "recall"], classifier="a")
    moved = {key: np.array(one) for key, one in if_swayed(session.engine).items()}
    share = np.array([0.01, 0.05, 0.1])
    # 4 of 6 agree: one true positive, three true negatives.
    assert moved["accuracy"] == pytest.approx(-share * 4 / 6)
    assert moved["precision"] == pytest.approx(-share / 2)
    recall = (1 - share) / ((1 - share) + 1 + 3 * share)
    assert moved["recall"] == pytest.approx(recall - 1 / 2)
