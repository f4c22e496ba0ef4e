"""The figures for the settled judgement, in a session: what they say, and what they wait for."""

from dataclasses import replace

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.base import INTERVAL_RULES
from labelcore.figures.settled import ENOUGH, settled_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.repeats import Repeats
from labelcore.planning.spendings import spendings
from labelcore.words.agreement import KNOWN_SETTLED, NONE_POSITIVE
from tests.answering import answer_draws
from tests.columns import items
from tests.report.sessions import again

ITEMS = 240


def session(design: str = "simple_random", **plan: object) -> lc.Session:
    place = np.arange(ITEMS)
    score = place * 7 % ITEMS / ITEMS
    said = np.where(score >= 0.5, "yes", "no")
    population = items(
        scores={"m": score}, predictions={"m": said, "o": np.where(place % 9, said, "yes")},
        groups={"half": np.where(place % 2, "odd", "even")}, classes=["no", "yes"], positive="yes",
    )  # fmt: skip
    terms = {"estimands": ["accuracy"], "classifier": "m", "budget": 100, "overlap": 0.5}
    return lc.Session(population, lc.Plan(design, **{**terms, "seed": 3, **plan}))  # type: ignore[arg-type]


def truth(item_id: str) -> bool:
    number = int(item_id[1:])
    return ((number * 7) % ITEMS >= ITEMS // 2) ^ (number % 10 == 0)


def labelled(session: lc.Session, *people: str) -> None:
    """Ann is wrong on every sixth item, bob never."""
    for who in people:
        while (draw := session.next(who)) is not None:
            wrong = who == "ann" and int(draw.item_id[1:]) % 6 == 1
            session.answer(draw, truth(draw.item_id) ^ wrong, annotator=who)


def settle_all(session: lc.Session) -> None:
    for one in session.unsettled():
        item = str(one.first.item_id)
        session.settle(item, truth(item), "eve")


def test_it_moves_towards_what_is_settled() -> None:
    one = session()
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()
    first, corrected = found["accuracy"], found["accuracy@settled"]
    everything = [truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in range(ITEMS)]
    wanted = sum(everything) / ITEMS
    assert abs(corrected.value - wanted) < abs(first.value - wanted)
    assert corrected.low <= wanted <= corrected.high
    assert (str(corrected.promise), str(corrected.state)) == ("watched", "interval")
    assert "by the settled judgement" in corrected.sentence()
    assert "judged by 2 people each" in corrected.sentence()
    one.finish()
    assert "accuracy@settled" in again(one, one.events).results


def test_what_is_not_settled_counts_both_ways() -> None:
    one = session()
    labelled(one, "ann", "bob")
    open_, number = one.results()["accuracy@settled"], len(one.unsettled())
    settle_all(one)
    done = one.results()["accuracy@settled"]
    said = f"{number} items not settled: the value leaves them out."
    assert number > 3 and said in open_.notes and open_.tentative and len(done.notes) == 1
    assert open_.low <= done.low and done.high <= open_.high
    assert open_.high - open_.low > done.high - done.low


def test_everything_settled_is_the_figure_of_the_settled_labels() -> None:
    one = session(overlap=1.0, budget=ITEMS)
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()["accuracy@settled"]
    wanted = sum(truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in range(ITEMS)) / ITEMS
    assert (found.low, found.value, found.high) == pytest.approx((wanted, wanted, wanted))


def test_everything_settled_of_items_like_these_is_the_plain_figure() -> None:
    """Plans of the rules before 14 took the sizes of the strata for known."""
    lows = {}
    for rules in (13, 14):
        one = session(
            "recalibrated_neyman", overlap=1.0, budget=ITEMS,
            estimands=["recall"], target="process", promise="fixed", rules=rules,
        )  # fmt: skip
        labelled(one, "bob", "eve")
        found = one.results()
        lows[rules] = found["recall@settled"].low - found["recall"].low
    assert abs(lows[14]) < 1e-3 < 5e-3 < lows[13]


def test_groups_have_settled_figures_of_their_own() -> None:
    """Of everything judged by two they are exact."""
    one = session("recalibrated_neyman", overlap=1.0, budget=ITEMS, by="half")
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()
    for name, half in (("even", range(0, ITEMS, 2)), ("odd", range(1, ITEMS, 2))):
        right = [truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in half]
        told = found[f"accuracy[half={name}]@settled"]
        wanted = sum(right) / len(right)
        assert (told.low, told.value, told.high) == pytest.approx((wanted, wanted, wanted))


def test_an_overlap_of_an_earlier_rule_draws_evenly_and_is_not_worked_out() -> None:
    one = session("recalibrated_neyman", overlap=0.3)
    earlier = replace(one.plan, rules=INTERVAL_RULES)
    assert earlier.superseded and not one.plan.superseded
    assert not replace(earlier, overlap=0.0).superseded
    chances = []
    for plan in (earlier, one.plan):
        engine = Engine(one.population, plan)
        index = engine.draw_next()
        answers = [Event(1, "labelled", "", "ann", label=label) for label in ("no", "yes")]
        chances.append([engine.chance_of(index, answer) for answer in answers])
    assert chances[0] == [0.3, 0.3] and chances[1][0] != chances[1][1]
    called = bool(engine.population.predictions[engine.classifiers[0]][engine.asked[0].position])
    assert (chances[1][0] > chances[1][1]) == called, "what contradicts is read again"


def test_a_first_answer_changed_after_the_second_moves_nothing_settled() -> None:
    one = session()
    labelled(one, "ann", "bob")
    settle_all(one)
    before = one.results()
    judged = next(x for x in one.engine.repeats.judged() if x.differs)
    one.revise(judged.index, truth(str(judged.first.item_id)), "changed", annotator="ann")
    after = one.results()
    assert after["accuracy"].value != before["accuracy"].value
    assert after["accuracy@settled"].value == pytest.approx(before["accuracy@settled"].value)


def test_too_few_items_of_several_people_give_no_figure() -> None:
    one = session()
    labelled(one, "ann")
    answer_draws(one, lambda draw: truth(draw.item_id), ENOUGH - 1, who="bob")
    found = one.results()["accuracy@settled"]
    assert (found.value, found.low, found.high, str(found.state)) == (None, 0, 1, "too few")
    assert found.missing == "9 of 10 items judged by several people before a first figure"


def test_a_fixed_promise_waits_for_everybody() -> None:
    one = session(promise="fixed")
    labelled(one, "ann")
    answer_draws(one, lambda draw: truth(draw.item_id), ENOUGH + 2, who="bob")
    settle_all(one)
    found = one.results()["accuracy@settled"]
    assert str(found.state) == "provisional" and (found.low, found.high) == (0, 1)
    labelled(one, "bob")
    settle_all(one)
    found = one.results()["accuracy@settled"]
    assert str(found.state) == "interval" and 0 < found.low < found.value < found.high < 1
    assert str(found.promise) == "fixed"


def test_watched_it_starts_wider_while_others_are_waited_for() -> None:
    one = session()
    labelled(one, "ann")
    answer_draws(one, lambda draw: truth(draw.item_id), ENOUGH + 5, who="bob")
    settle_all(one)
    early = one.results()["accuracy@settled"]
    labelled(one, "bob")
    settle_all(one)
    late = one.results()["accuracy@settled"]
    assert str(early.state) == str(late.state) == "interval"
    assert early.high - early.low > late.high - late.low


@pytest.mark.parametrize("overlap", [0.5, 1.0])
def test_a_difference_of_two_classifiers_has_one(overlap: float) -> None:
    """Of everything judged by two it is exact, of half it holds the settled one."""
    one = session(
        "paired_comparison", estimands=["precision_difference"], classifier=["m", "o"],
        budget=ITEMS if overlap == 1 else 100, overlap=overlap, promise="fixed",
    )  # fmt: skip
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()["precision_difference@settled"]
    said = [(n * 7) % ITEMS >= ITEMS // 2 for n in range(ITEMS)]
    both = [[truth(f"i{n}") for n in range(ITEMS) if yes[n]]
            for yes in (said, [yes or n % 9 == 0 for n, yes in enumerate(said)])]  # fmt: skip
    wanted = sum(both[0]) / len(both[0]) - sum(both[1]) / len(both[1])
    assert found.low - 1e-9 <= wanted <= found.high + 1e-9
    assert (found.high - found.low < 1e-9) == (overlap == 1)
    assert "in precision by the settled judgement" in found.sentence()


@pytest.mark.parametrize("name", ["accuracy", "precision_difference"])
def test_two_classifiers_are_told_what_readings_buy(name: str) -> None:
    one = session("paired_comparison", estimands=[name], classifier=["m", "o"])
    found = spendings(one.population, one.plan, 150)
    assert len(found) > 5 and all(0 < way.half_width <= 1 for way in found[:4])
    assert found[0].half_width > found[3].half_width


def test_of_items_like_these_readings_buy_less() -> None:
    """Plans of the rules before 14 forecast as if the file's shares were known."""
    one = session("recalibrated_neyman", estimands=["recall"], target="process")
    plan = replace(one.plan, budget=ITEMS, promise="fixed")
    now, before = (
        spendings(one.population, replace(plan, rules=rules), 300, shares=(0.3,))[0].half_width
        for rules in (14, 13)
    )
    assert now > before


def test_without_an_overlap_there_is_none() -> None:
    one = session(overlap=0.0)
    labelled(one, "ann")
    assert list(one.results()) == ["accuracy"]


@pytest.mark.parametrize("target", ["file", "process"])
def test_nothing_settled_as_positive_is_no_figure_and_replays(target: str) -> None:
    """Ann alone says yes, and is never agreed with: there is nothing to recall."""
    one = session(estimands=["recall"], overlap=1.0, target=target)
    for who in ("ann", "bob"):
        while (draw := one.next(who)) is not None:
            one.answer(draw, who == "ann" and int(draw.item_id[1:]) % 8 == 0, annotator=who)
    for each in one.unsettled():
        one.settle(str(each.first.item_id), "no", "eve")
    found = one.results()["recall@settled"]
    assert found.value is None and (found.low, found.high) == (0.0, 1.0)
    assert found.missing == NONE_POSITIVE
    assert one.results()["recall"].value is not None


def test_items_put_off_count_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """Bob puts off just the items in which ann is wrong. The twin, which leaves them out, says that
    ann's answers are never settled otherwise, and misses."""
    one = session(overlap=1.0, budget=220)
    for who in ("ann", "bob"):
        for _ in range(230):
            draw = one.next(who)
            if draw is None:
                break
            right, odd = truth(draw.item_id), int(draw.item_id[1:]) % 3 == 1
            one.answer(
                draw, right ^ odd if who == "ann" else "later" if odd else right, annotator=who
            )
    assert len(one.engine.repeats.put_off()) >= 20
    found = one.results()["accuracy@settled"]
    everything = [truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in range(ITEMS)]
    wanted = sum(everything) / ITEMS
    assert found.told is None and "not settled" in " ".join(found.notes)
    assert found.low <= wanted <= found.high
    monkeypatch.setattr(Repeats, "put_off", lambda self: [])
    twin = settled_results(one.engine)["accuracy@settled"]
    assert twin.high < wanted


def test_with_answers_known_before_there_is_none() -> None:
    population = items(
        scores={"m": np.arange(120) / 120}, thresholds={"m": 0.5},
        known=[""] * 100 + ["yes"] * 20, classes=["no", "yes"], positive="yes",
    )  # fmt: skip
    plan = lc.Plan("recalibrated_neyman", "precision", budget=40, overlap=1.0, existing="certainty")
    one = lc.Session(population, plan)
    labelled(one, "ann", "bob")
    missing = one.results()["precision@settled"].missing
    said = f"As settled by two people: Precision {missing}"
    assert missing == KNOWN_SETTLED and len(said.split()) <= 20
