"""Answers of a file where several people judge the same items."""

import io
from pathlib import Path

import pandas as pd
import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import PopulationError
from labelcore.exchange import Answered, read_answers, store_answers
from labelcore.exchange.batches import batch_table
from tests.report.sessions import begun, session_on, write_items


@pytest.fixture
def session(tmp_path: Path) -> lc.Session:
    """A project in which two people judge each item."""
    write_items(tmp_path / "items.csv")
    url = f"sqlite:///{tmp_path / 'labels.db'}"
    return session_on(tmp_path / "items.csv", store=url, budget=20, overlap=1.0)


def by_id(draws: list[lc.Draw], answer: str) -> list[Answered]:
    """A file that has ids alone."""
    return [Answered(row, None, draw.item_id, answer) for row, draw in enumerate(draws, 1)]


def by_token(draws: list[lc.Draw], answer: str) -> list[Answered]:
    return [Answered(row, draw.token, None, answer) for row, draw in enumerate(draws, 1)]


def test_ids_alone_need_a_person_where_several_judge(session: lc.Session, tmp_path: Path) -> None:
    ann = session.take(3, "ann")
    store_answers(session, by_id(ann, "yes"), annotator="ann")
    bob = session.take(3, "bob")
    assert [draw.item_id for draw in bob] == [draw.item_id for draw in ann]
    with pytest.raises(ValueError, match="annotator .* must name whose .* 3 of the answers have"):
        store_answers(session, by_id(ann, "yes"))
    again = store_answers(session, by_id(ann, "yes"), annotator="ann")
    assert set(again.values()) == {"same"}
    assert session.engine.repeats.judged() == []
    with pytest.raises(PopulationError, match="no item that was drawn for 'eve' in this project"):
        store_answers(session, by_id(ann, "yes"), annotator="eve")
    with pytest.raises(PopulationError, match="no item that was drawn for 'ann' .* has this token"):
        store_answers(session, by_token(bob, "no"), annotator="ann")
    file = tmp_path / "answers.csv"
    file.write_text("id,answer\n" + "".join(f"{draw.item_id},no\n" for draw in bob), "utf-8")
    place = ["--store", f"sqlite:///{tmp_path / 'labels.db'}", "--project", "spam"]
    assert main(["answer", str(file), *place]) == 2
    assert main(["answer", str(file), *place, "--annotator", "bob"]) == 0
    session.sync()
    judged = session.engine.repeats.judged()
    people = [(one.first.annotator, one.first.label, one.others[0].annotator, one.others[0].label)
              for one in judged]  # fmt: skip
    assert people == [("ann", "yes", "bob", "no")] * 3


def test_a_person_and_an_id_are_known_however_a_file_writes_them(tmp_path: Path) -> None:
    session, _ = begun(tmp_path, names="@m{}".format, budget=20)
    ann, file = session.take(3, "Ann Lee"), tmp_path / "answers.csv"
    frame = pd.read_csv(io.BytesIO(batch_table(session, ann, ".csv"))).drop(columns="token")
    assert frame["id"].str.startswith("'@").all()
    frame.assign(answer="yes").to_csv(file, index=False)
    stored = store_answers(session, read_answers(file), annotator="ann  lee")
    assert [*stored.values()] == ["stored"] * 3 and session.labels == 3


@pytest.mark.parametrize("suffix", [".csv", ".jsonl", ".parquet", ".xlsx"])
def test_a_batch_is_read_back_whatever_its_texts_hold(tmp_path: Path, suffix: str) -> None:
    texts = ["a\0b", "\0=1+1", "x" * 40_000, 'say "no"\r\nthen', "\u202e\U0001f642", "", "'=1"] * 9
    frame = pd.DataFrame({"id": [f"0{number}" for number in range(len(texts))], "text": texts})
    population = lc.read_population(frame, id="id", content="text")
    session = lc.Session(population, lc.Plan("simple_random", "prevalence", budget=50))
    drawn, file = session.take(14, "ann"), tmp_path / f"batch{suffix}"
    file.write_bytes(batch_table(session, drawn, suffix))
    read = read_answers(file)
    assert [(one.token, one.item_id) for one in read] == [(one.token, one.item_id) for one in drawn]


def test_a_further_answer_that_differs_is_not_called_the_same(session: lc.Session) -> None:
    ann = session.take(2, "ann")
    store_answers(session, by_token(ann, "yes"))
    bob = session.take(2, "bob")
    assert set(store_answers(session, by_token(bob, "no")).values()) == {"stored"}
    assert set(store_answers(session, by_token(bob, "no")).values()) == {"same"}
    for change in (False, True):
        found = store_answers(session, by_token(bob, "yes"), change=change)
        assert set(found.values()) == {"different"}
    assert [one.others[0].label for one in session.engine.repeats.judged()] == ["no", "no"]
    session.undo("bob")
    with pytest.raises(PopulationError, match="the answer to this item was taken back"):
        store_answers(session, by_token(bob, "no"))


def test_an_item_given_back_and_judged_after_another_person(session: lc.Session) -> None:
    """The token of the first time does not change what the other person answered."""
    (given,) = session.take(1, "ann")
    session.release(given)
    store_answers(session, by_token(session.take(1, "bob"), "yes"))
    (again,) = session.take(1, "ann")
    assert (again.index, again.repeat) == (given.index, True)
    store_answers(session, by_token([again], "no"))
    assert store_answers(session, by_token([given], "no")) == {1: "same"}
    assert store_answers(session, by_token([given], "yes"), change=True) == {1: "different"}
    assert session.engine.in_force(given.index).annotator == "bob"


def test_an_item_that_others_have_by_now_holds_up_no_other_row(tmp_path: Path) -> None:
    session, _ = begun(tmp_path)
    mine = session.take(3, "ann")
    session.release(mine[0])
    assert session.next("bob").index == mine[0].index
    rows = [*by_token(mine[1:2], "yes"), Answered(2, mine[0].token, None, "later", "odd"),
            Answered(3, mine[2].token, None, "no")]  # fmt: skip
    outcomes = store_answers(session, rows)
    assert [*outcomes.values()] == ["stored", "different", "stored"] and session.labels == 2


@pytest.mark.parametrize("overlap", [0.0, 1.0])
def test_a_first_answer_that_differs_is_changed_where_asked(
    session: lc.Session, tmp_path: Path, overlap: float
) -> None:
    chosen = session
    if not overlap:
        chosen = session_on(tmp_path / "items.csv", budget=20, repeats=1.0)
    draws = chosen.take(2, "ann")
    store_answers(chosen, by_token(draws, "yes"))
    assert set(store_answers(chosen, by_token(draws, "no")).values()) == {"different"}
    found = store_answers(chosen, by_token(draws, "no"), change=True)
    assert set(found.values()) == {"changed"}
    assert [chosen.engine.in_force(draw.index).label for draw in draws] == ["no", "no"]
