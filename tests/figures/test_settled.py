"""The figures for the settled judgement, in a session: what they say, and what they wait for."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.figures.settled import ENOUGH
from labelcore.replay import replay
from labelcore.words.agreement import NO_DIFFERENCE_SETTLED

ITEMS = 240


def session(folder: Path, design: str = "simple_random", **plan: object) -> lc.Session:
    path = folder / "items.csv"
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "score", "said", "other"])
        for n in range(ITEMS):
            said = "yes" if (n * 7) % ITEMS >= ITEMS // 2 else "no"
            other = said if n % 9 else "yes"
            writer.writerow([f"i{n}", f"text {n}", (n * 7) % ITEMS / ITEMS, said, other])
    population = lc.read_population(
        path, id="id", content="text", scores={"m": "score"},
        predictions={"m": "said", "o": "other"}, classes=["no", "yes"], positive="yes",
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


def replays(session: lc.Session) -> None:
    record = session.record
    found = replay(
        session.population, record.plan_json, session.events, fingerprint=record.fingerprint
    )
    assert "accuracy@settled" in found.results or record is None


def test_it_moves_towards_what_is_settled(tmp_path: Path) -> None:
    one = session(tmp_path)
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()
    first, corrected = found["accuracy"], found["accuracy@settled"]
    everything = [truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in range(ITEMS)]
    wanted = sum(everything) / ITEMS
    assert abs(corrected.value - wanted) < abs(first.value - wanted)
    assert corrected.low <= wanted <= corrected.high
    assert corrected.high - corrected.low > first.high - first.low
    assert (str(corrected.promise), str(corrected.state)) == ("watched", "interval")
    assert "by the settled judgement" in corrected.sentence()
    assert "judged by 2 people each" in corrected.sentence()
    one.finish()
    replays(one)


def test_what_is_not_settled_counts_both_ways(tmp_path: Path) -> None:
    one = session(tmp_path)
    labelled(one, "ann", "bob")
    open_, number = one.results()["accuracy@settled"], len(one.unsettled())
    settle_all(one)
    done = one.results()["accuracy@settled"]
    assert number > 3
    assert open_.low <= done.low and done.high <= open_.high
    assert open_.high - open_.low > done.high - done.low


def test_everything_settled_is_the_figure_of_the_settled_labels(tmp_path: Path) -> None:
    one = session(tmp_path, overlap=1.0, budget=ITEMS)
    labelled(one, "ann", "bob")
    settle_all(one)
    found = one.results()["accuracy@settled"]
    wanted = sum(truth(f"i{n}") == ((n * 7) % ITEMS >= ITEMS // 2) for n in range(ITEMS)) / ITEMS
    assert (found.low, found.value, found.high) == pytest.approx((wanted, wanted, wanted))


def test_a_first_answer_changed_after_the_second_moves_nothing_settled(tmp_path: Path) -> None:
    one = session(tmp_path)
    labelled(one, "ann", "bob")
    settle_all(one)
    before = one.results()
    judged = next(x for x in one.engine.repeats.judged() if x.differs)
    one.revise(judged.index, truth(str(judged.first.item_id)), "changed", annotator="ann")
    after = one.results()
    assert after["accuracy"].value != before["accuracy"].value
    assert after["accuracy@settled"].value == pytest.approx(before["accuracy@settled"].value)


def test_too_few_items_of_several_people_give_no_figure(tmp_path: Path) -> None:
    one = session(tmp_path)
    labelled(one, "ann")
    for _ in range(ENOUGH - 1):
        draw = one.next("bob")
        one.answer(draw, truth(draw.item_id))
    found = one.results()["accuracy@settled"]
    assert (found.value, found.low, found.high, str(found.state)) == (None, 0, 1, "too few")
    assert found.missing == "9 of 10 items judged by several people"


def test_a_fixed_promise_waits_for_everybody(tmp_path: Path) -> None:
    one = session(tmp_path, promise="fixed")
    labelled(one, "ann")
    for _ in range(ENOUGH + 2):
        draw = one.next("bob")
        one.answer(draw, truth(draw.item_id))
    settle_all(one)
    found = one.results()["accuracy@settled"]
    assert str(found.state) == "provisional" and (found.low, found.high) == (0, 1)
    labelled(one, "bob")
    settle_all(one)
    found = one.results()["accuracy@settled"]
    assert str(found.state) == "interval" and 0 < found.low < found.value < found.high < 1
    assert str(found.promise) == "fixed"


def test_watched_it_starts_wider_while_others_are_waited_for(tmp_path: Path) -> None:
    one = session(tmp_path)
    labelled(one, "ann")
    for _ in range(ENOUGH + 5):
        draw = one.next("bob")
        one.answer(draw, truth(draw.item_id))
    settle_all(one)
    early = one.results()["accuracy@settled"]
    labelled(one, "bob")
    settle_all(one)
    late = one.results()["accuracy@settled"]
    assert str(early.state) == str(late.state) == "interval"
    assert early.high - early.low > late.high - late.low


def test_a_difference_says_that_it_has_none(tmp_path: Path) -> None:
    one = session(
        tmp_path, "paired_comparison", estimands=["accuracy_difference"], classifier=["m", "o"],
        promise="fixed",
    )  # fmt: skip
    labelled(one, "ann", "bob")
    found = one.results()["accuracy_difference@settled"]
    assert (found.value, found.low, found.high) == (None, -1, 1)
    assert found.missing == NO_DIFFERENCE_SETTLED
    assert NO_DIFFERENCE_SETTLED in found.sentence()


def test_without_an_overlap_there_is_none(tmp_path: Path) -> None:
    one = session(tmp_path, overlap=0.0)
    labelled(one, "ann")
    assert list(one.results()) == ["accuracy"]


@pytest.mark.parametrize("suffix", [".html", ".json", ".md", ".csv"])
def test_a_report_has_it(tmp_path: Path, suffix: str) -> None:
    one = session(tmp_path)
    labelled(one, "ann", "bob")
    settle_all(one)
    one.finish()
    lc.write_report(one, tmp_path / f"report{suffix}")
    assert "settled" in (tmp_path / f"report{suffix}").read_text("utf-8")
