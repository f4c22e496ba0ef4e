"""How far people agree, in a session, in words, in a report."""

from dataclasses import replace

import pytest

import labelcore as lc
from labelcore.stats.agreement import NO_ITEM
from tests.answering import answer_draws
from tests.columns import items

PEOPLE = ("ann", "bob", "eve")


def session(readers: int = 2, **plan: object) -> lc.Session:
    population = items(predictions={"m": ["yes" if n % 3 else "no" for n in range(200)]})
    terms = {"budget": 40, "overlap": 1.0, "readers": readers, "seed": 5, **plan}
    return lc.Session(population, lc.Plan("simple_random", ["accuracy"], **terms))  # type: ignore[arg-type]


def labelled(session: lc.Session, *people: str) -> None:
    """Bob says another class of every fifth item, eve is not sure of every seventh."""
    for who in people:
        while (draw := session.next(who)) is not None:
            number = int(draw.item_id[1:])
            yes = (number % 2 == 0) ^ (who == "bob" and number % 5 == 0)
            answer: object = "unsure" if who == "eve" and number % 7 == 0 else yes
            session.answer(draw, answer, annotator=who)


def test_two_people() -> None:
    one = session()
    labelled(one, "ann", "bob")
    found = one.agreement()
    differing = sum(int(str(e.item_id)[1:]) % 5 == 0 for e in one.events if e.kind == "reread")
    assert (found.items, found.differing, found.waiting) == (40, differing, 0)
    assert found.unsettled == len(one.unsettled()) == differing > 2
    assert found.share.value == pytest.approx(1 - differing / 40)
    (pair,) = found.pairs
    assert (pair.first, pair.second, pair.items) == ("ann", "bob", 40)
    assert pair.kappa.low < pair.kappa.value < pair.kappa.high < 1
    assert [(p.name, p.answers, p.further, p.others) for p in found.people] == [
        ("ann", 40, 0, 40), ("bob", 0, 40, 40),
    ]  # fmt: skip
    assert {(first, second) for first, second, _ in pair.where} == {("yes", "no"), ("no", "yes")}
    assert sum(items for *_, items in pair.where) == differing
    assert all(sum(items for _, items in p.said) == 40 for p in found.people)
    assert found.people[0].alike == found.people[1].alike == found.share
    said = found.sentence()
    assert f"2 people gave {40 - differing} of 40 items the same class" in said
    assert f"{differing} items judged differently, to be settled on the page People." in said
    table = found.to_frame()
    assert table["measure"].tolist() == [
        "share", "fleiss_kappa", "krippendorff_alpha", "gwet_ac1", "cohen_kappa",
    ]  # fmt: skip
    assert said.split(" (")[0] in found._repr_html_()


def test_three_people_and_answers_without_a_class() -> None:
    one = session(readers=3)
    labelled(one, *PEOPLE)
    found = one.agreement()
    unsure = sum(event.kind == "reread" and event.label is None for event in one.events)
    assert found.without_class == unsure > 0
    assert found.items == 40
    assert [(pair.first, pair.second) for pair in found.pairs] == [
        ("ann", "bob"), ("ann", "eve"), ("bob", "eve"),
    ]  # fmt: skip
    by_items = {(pair.first, pair.second): pair.items for pair in found.pairs}
    assert by_items["ann", "bob"] == 40 and by_items["ann", "eve"] == 40 - unsure
    assert found.pairs[1].share.value == 1.0  # Eve says what ann says, where she is sure.
    assert "no interval" in found.pairs[1].kappa.reason or found.pairs[1].kappa.reason


def test_one_answer_to_everything_is_told() -> None:
    one = session()
    labelled(one, "ann")
    answer_draws(one, "yes", who="bob")
    assert "bob gave one answer to all 40 items." in one.agreement().sentence()
    assert "ann gave" not in one.agreement().sentence()


def test_settling_in_two_ways_is_told() -> None:
    one = session()
    labelled(one, "ann", "bob")
    item = str(one.unsettled()[0].first.item_id)
    for who, said in (("eve", "yes"), ("eve", "no"), ("eve", "yes")):
        one.settle(item, said, who)
    assert "two ways" not in one.agreement().sentence()
    one.settle(item, "no", "mia")
    said = one.agreement().sentence()
    assert "1 item settled in two ways by two people: the last one counts." in said
    assert "may be one person" not in said


def test_case_and_spaces_make_nobody_a_second_person() -> None:
    one = session()
    draw = one.next("Ann Lee")
    assert one.next("ann  lee") == draw
    one.answer(draw, "yes", annotator="ANN LEE")
    assert [row.annotator for row in one.history("ann lee")] == ["Ann Lee"]
    assert one.undo("ann lee").previous == 2 and one.last_answer("Ann Lee") is None
    labelled(one, "Ann Lee", "ann lee", "anna")
    said = one.agreement()
    assert [person.name for person in said.people] == ["Ann Lee", "anna"] and said.items == 40
    assert "may be one person" not in said.sentence()
    names = zip(said.people, ("Ann Lee", "ann lee"), strict=True)  # As an older log has them.
    both = replace(said, people=tuple(replace(one, name=name) for one, name in names))
    assert "Ann Lee and ann lee may be one person." in both.sentence()


def test_before_a_second_person_it_says_so() -> None:
    one = session(overlap=0.2)
    labelled(one, "ann")
    found = one.agreement()
    assert found.share.reason == NO_ITEM
    assert found.waiting > 0
    assert found.sentence() == (
        f"No item has a class by two people yet. {found.waiting} items waiting for another person."
        " 2 people judge each of them; 1 answered so far."
    )


def test_one_person_twice_is_no_agreement_of_people() -> None:
    one = session(overlap=0.0, repeats=1.0)
    labelled(one, "ann")
    assert one.engine.repeats.answered == 40
    assert one.agreement().items == 0
