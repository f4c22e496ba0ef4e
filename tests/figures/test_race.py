"""Two classifiers as a race: what is certain, what settles it, and when there is one."""

from itertools import product

import numpy as np
import pytest

import labelcore as lc
from labelcore.figures.scalars import scalar_results
from labelcore.figures.with_classifier import race_of
from labelcore.results.race import Race
from labelcore.testing.contracts import drawn
from labelcore.testing.known import Known, label
from labelcore.words.race import limits_words, more_words, settles_words, verdict_words
from tests.cases import once
from tests.designs.paired_files import BOTH, DIFFERENCES, nearly_equal, true_difference

ITEMS, DIFFER = 500, 42
ACCURACY = "accuracy_difference"
known = once(nearly_equal, ITEMS, DIFFER, seed=4)


def plan_of(estimands: tuple[str, ...] = DIFFERENCES[:3], **values: object) -> lc.Plan:
    given = {"classifier": list(BOTH), "budget": 70, "promise": "watched", "seed": 5, **values}
    return lc.Plan("paired_comparison", estimands, **given)  # type: ignore[arg-type]


def race(won: str, differ: int) -> Race:
    """``won``: a letter for each answer, of the one that was right."""
    answers = np.array([one == "a" for one in won], dtype=bool)
    return Race("a", "b", 6997, differ, np.arange(1.0, len(won) + 1), answers)


@pytest.mark.parametrize(
    ("won", "differ"), [("aab", 9), ("aaaaa", 9), ("ab", 8), ("", 5), ("bbb", 4)]
)
def test_it_is_settled_by_the_fewest_right_answers_that_cannot_be_turned(
    won: str, differ: int
) -> None:
    """By every way in which the open ones may turn out."""
    found = race(won, differ)
    leads = found.leader == "b"

    def sure(more: int) -> bool:
        lead = abs(found.lead) + more
        rest = found.open - more
        return all(lead + sum(way) > 0 for way in product((-1, 1), repeat=rest))

    assert found.settles() == next(more for more in range(found.open + 1) if sure(more))
    assert leads == (won.count("b") > won.count("a"))


def test_its_course_is_what_is_certain_of_the_difference(known: Known) -> None:
    """At every label: the same limits as the figure has, by other code; the truth inside."""
    engine = known.engine(plan_of((ACCURACY,)), 1)
    true = true_difference(known, ACCURACY)
    for labels in label(engine, known.truth):
        found, figure = race_of(engine), scalar_results(engine)[ACCURACY]
        assert found is not None and found.differ == DIFFER and found.alone
        at, low, high = found.course()
        assert at[-1] == labels and low[-1] - 1e-12 <= true <= high[-1] + 1e-12
        assert figure.low >= low[-1] - 1e-12 and figure.high <= high[-1] + 1e-12
        assert figure.possible.high == pytest.approx(DIFFER / ITEMS)
    assert found.open == 0 and figure.state == "exact" and found.only
    assert limits_words(found).endswith("all judged: the difference in accuracy is exact.")
    others = race_of(known.engine(plan_of(), 1))
    assert others is not None and others.alone and not others.only, "other figures ask for others"
    assert found.lead / ITEMS == pytest.approx(true, abs=1e-12)
    assert more_words(found, figure) == "exact"
    assert verdict_words(figure) == ("b ahead" if true < 0 else "a ahead", True)


def test_disagreements_come_first_where_the_labels_reach_them(known: Known) -> None:
    """Plans of before, by the rule that they keep, go on to sample them."""
    differ = np.not_equal(*(known.population.predictions[one] for one in BOTH))

    def first(plan: lc.Plan) -> int:
        engine = known.engine(plan, 3)
        for _ in label(engine, known.truth):
            pass
        return int(differ[drawn(engine)[:DIFFER]].sum())

    assert first(plan_of()) == DIFFER
    assert first(plan_of(DIFFERENCES[1:3])) < DIFFER, "accuracy is not asked for"
    assert first(plan_of(params={"disagreements": "half"})) < DIFFER
    assert plan_of().with_planned(70).params["disagreements"] == "first"


def test_there_is_no_race_of_other_questions(known: Known) -> None:
    for plan in (plan_of(DIFFERENCES[1:2]), plan_of(budget=41, promise="fixed"),
                 lc.Plan("simple_random", "accuracy", classifier="a", budget=60)):  # fmt: skip
        assert race_of(known.engine(plan, 1)) is None


def test_what_decides_is_a_forecast_that_ends_with_the_open_ones() -> None:
    found = race("a" * 26 + "b" * 12, 56)
    assert settles_words(found) == "half: 3 more for a settle it"
    assert found.expected(14 / 38 * 56 / 6997, -0.001, 0.005) <= found.open
    assert found.expected(0.002, 0.0001, 0.005) == 0
    level = race("ab" * 10, 24)
    assert settles_words(level) == "half: level so far"
    assert level.expected(0.0, -0.001, 0.001) == level.open
    assert settles_words(race("a" * 30, 56)) == "settled: no open one can turn it"
