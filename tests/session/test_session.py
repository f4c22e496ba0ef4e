"""A session as other programs use it, on the store in memory."""

from functools import partial
from html import escape
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import AnswerError, PlanError, ProjectExistsError
from labelcore.figures.stops import stop_reason
from labelcore.testing.known import SCALARS, Known, calibrated
from tests.answering import answer_draws, next_draw
from tests.cases import once
from tests.designs.synthetic import WATCHED

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")
known = once(calibrated, 200, seed=3)


def start(known: Known, **values: object) -> lc.Session:
    plan = lc.Plan("recalibrated_neyman", SCALARS, **{"budget": 60, **values})  # type: ignore[arg-type]
    return lc.Session(known.population, plan)


def test_next_is_the_same_draw_until_it_is_answered(known: Known) -> None:
    session = start(known)
    draw = session.next()
    assert draw is not None and draw == session.next() and draw.index == 1
    assert session.item(draw) == {"text": "x"}
    first = session.answer(draw, "yes")
    assert session.answer(draw, "yes") is first and session.answer(draw.token, True) is first
    after = session.next()
    assert after is not None and after.index == 2 and session.labels == 1


def test_another_answer_to_the_same_draw_is_refused(known: Known) -> None:
    """The sentence names the way that does what was meant, and that way does it."""
    session = start(known)
    draw = next_draw(session)
    session.answer(draw, 1)
    before = list(session.events)
    ways = {"no": r"revise\(1, 'no', t", "unsure": r"revise\(1, 'unsure', t", "later": r"undo\("}
    for answer, way in ways.items():
        with pytest.raises(lc.errors.LateAnswerError, match=f"'yes' by this draw; .*: {way}"):
            session.answer(draw, answer)
    assert session.events == before and session.results()["accuracy"].labels_used == 1
    with pytest.raises(AnswerError, match="cannot be put off for later; undo it instead"):
        session.revise(1, "later", "t1")
    session.revise(1, "no", "t1")
    assert session.answer(draw, 1).label == "yes", "the same press again is still the same press"
    with pytest.raises(lc.errors.LateAnswerError, match=r"revise\(1, 'unsure', token\)"):
        session.answer(draw, "unsure")
    session.undo()
    session.undo()
    with pytest.raises(lc.errors.LateAnswerError, match=r"answer the draw that next\(\) gives"):
        session.answer(draw, "no")
    back = session.next()
    assert back is not None and session.answer(back, "no").label == "no"
    put_off = next_draw(session)
    session.answer(put_off, "later")
    with pytest.raises(lc.errors.LateAnswerError, match="'later' by this draw"):
        session.answer(put_off, "yes")


def test_what_is_no_draw_is_refused(known: Known) -> None:
    session = start(known)
    for no_draw in (3, "i3", None):
        for ask in (session.item, partial(session.last_said, kind="noted")):
            with pytest.raises(
                TypeError, match=f"^draw must be one that next gives, got {no_draw!r}$"
            ):
                ask(no_draw)  # type: ignore[operator]
        with pytest.raises(AnswerError, match=f"^draw {no_draw!r} was never drawn$"):
            session.flag(no_draw)  # type: ignore[arg-type]


def test_one_look_reads_the_log_once_and_still_appends_after_others(
    known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = start(known)
    answer_draws(session, known, until=3)
    other = lc.Session(known.population, session.plan, session.store, session.project)
    reads: list[int] = []
    read = session.store.events

    def counted(project: str, after: int = 0) -> list[lc.Event]:
        reads.append(after)
        return read(project, after)

    monkeypatch.setattr(session.store, "events", counted)
    with session.one_look():
        seen = session.results()
        reads.clear()
        assert session.results() == seen and session.strata() is not None and not reads
        answer_draws(other, known, until=5)
        assert session.labels == 3, "what is shown is of one moment"
        session.finish("enough")
        assert session.labels == 5, "what is stored follows what is there"
    reads.clear()
    session.results()
    assert len(reads) == 1


def test_later_comes_back_at_the_end_and_counts_when_answered(known: Known) -> None:
    session = start(known)
    session.answer(draw := next_draw(session), "later")
    session.answer(next_draw(session), "later")
    answer_draws(session, known, until=58)
    assert session.labels == 58 and session.status == "open"
    back = session.next()
    assert back is not None and (back.index, back.item_id) == (1, draw.item_id)
    session.answer(back, "later")
    for index in (2, 1):
        back = next_draw(session)
        assert back.index == index, "what was put off last comes last"
        session.answer(back, "no")
    assert session.next() is None and session.status == "budget used"


def test_the_last_item_on_a_screen_is_waited_for(known: Known) -> None:
    session = start(known)
    answer_draws(session, known, until=58)
    first, last = session.next("a"), session.next("b")
    assert first is not None and last is not None and session.next("c") is None
    assert session.status == "waiting" and session.going_on
    session.answer(first, "later")
    assert session.status == "open", "it may be shown to whoever comes"
    again = session.next("a")
    assert again is not None and session.status == "waiting"
    session.answer(again, "yes")
    session.answer(last, "no")
    assert session.status == "budget used" and not session.going_on


@pytest.mark.parametrize("design", WATCHED)
def test_goal_reached_then_extend(design: str, known: Known) -> None:
    plan = lc.Plan(design, ["accuracy"], margin=0.3)
    session = lc.Session(known.population, plan)
    answer_draws(session, known)
    found = session.results()["accuracy"]
    assert session.status == "goal reached" and session.next() is None
    assert isinstance(found, lc.Estimate)
    assert found.half_width <= 0.3 and found.state == "goal reached"
    labels = session.labels
    session.extend(budget=labels + 10)
    assert session.status == "open"
    answer_draws(session, known)
    assert session.labels == labels + 10


def test_an_answer_taken_back_after_a_stop_asks_the_rules_again(known: Known) -> None:
    session = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], margin=0.1))
    answer_draws(session, known)
    assert session.status == "goal reached"
    session.undo()
    assert session.status == "open"
    answer_draws(session, known)
    assert session.status == "goal reached" and session.next() is None
    assert sum(event.kind == "stopped" for event in session.events) == 2
    said = known.population.predictions["lr"]
    for index, asked in enumerate(session.engine.asked, start=1):
        session.revise(index, bool(said[asked.position]) == (index % 2 == 0), f"change {index}")
    assert session.next() is not None, "half of the items wrong: the interval is too wide now"


def test_no_stop_is_written_while_an_item_taken_back_is_owed(known: Known) -> None:
    """The interval may be narrow enough without the item; whether to stop is asked with it."""
    plan = lc.Plan("simple_random", ["accuracy"], margin=0.4, params={"horizon": 16})
    session = lc.Session(known.population, plan)
    others = [f"other {number}" for number in range(8)]
    opened = [session.next(other) for other in others]
    answer_draws(session, known)
    for draw in opened:
        assert draw is not None
        session.answer(draw, bool(known.truth[known.population.position(draw.item_id)]))
    taken_back = session.undo(others[0])
    assert taken_back is not None and stop_reason(session.engine, None)
    someone = session.next()
    back = session.next(others[0])
    assert someone is not None and someone.index != taken_back.index
    assert back is not None and back.index == taken_back.index
    kinds = [event.kind for event in session.events if event.sequence > taken_back.sequence]
    assert kinds == ["drawn", "drawn"]
    session.answer(someone, bool(known.truth[known.population.position(someone.item_id)]))
    session.answer(back, bool(known.truth[known.population.position(back.item_id)]))
    assert session.next() is None and session.events[-1].kind == "stopped"


def test_finish_and_census(known: Known) -> None:
    session = start(known)
    answer_draws(session, known, until=45)
    session.finish("enough")
    assert session.status == "finished" and session.next() is None
    session = start(known, budget=500)
    answer_draws(session, known)
    assert session.status == "exhausted"
    assert {one.state for one in session.results().values()} == {"exact"}


def test_refusals(known: Known) -> None:
    session = start(known)
    draw = next_draw(session)
    with pytest.raises(AnswerError, match="maybe"):
        session.answer(draw, "maybe")
    with pytest.raises(AnswerError, match="no item that was shown"):
        session.answer("nonsense", "yes")
    with pytest.raises(TypeError, match="budget"):
        session.extend(budget=70.5)  # type: ignore[arg-type]
    for budget in (0, 1, 201):
        with pytest.raises(PlanError, match="more than the 60 that the project may ask now"):
            session.extend(budget=budget)
    with pytest.raises(
        ProjectExistsError, match="plan: design is .*there and 'simple_random' here"
    ):
        lc.Session(known.population, lc.Plan("simple_random", SCALARS, budget=60), session.store)
    more = lc.Plan("recalibrated_neyman", SCALARS, budget=90)
    with pytest.raises(ProjectExistsError, match="another plan: budget is 60 there and 90 here. C"):
        lc.Session(known.population, more, session.store)
    with pytest.raises(TypeError, match="settings must be a mapping of names to values, got str"):
        lc.Session(known.population, more, settings="Is it?")  # type: ignore[arg-type]
    wrong = {"question": (3, "question is of the wrong kind: int"),
             "keys": ({"y"}, "settings must hold values of JSON: ")}  # fmt: skip
    for name, (value, message) in wrong.items():
        with pytest.raises(TypeError, match=f"^{message}"):
            lc.Session(known.population, more, settings={name: value})
    told = {"dots": np.True_, "seconds": np.int64(9)}
    assert lc.Session(known.population, more, settings=told).settings["seconds"] == 9
    with pytest.raises(AnswerError, match="broken, got Series$"):
        session.answer(draw, pd.Series([1, 0]))
    assert session.labels == 0


def test_a_project_on_another_file_says_in_what_it_differs() -> None:
    frame = pd.DataFrame({"id": range(90), "text": "x", "note": "y", "s": np.linspace(0, 1, 90)})
    plan = lc.Plan("simple_random", ["prevalence"], budget=40)

    def begin(items: pd.DataFrame, store: object = None, content: str = "text") -> lc.Session:
        population = lc.read_population(items, id="id", content=content)
        return lc.Session(population, plan, store)  # type: ignore[arg-type]

    store = begin(frame).store
    assert begin(frame, store).labels == 0
    read = r"read otherwise: content is \['text'\] there and \['note'\] here. Choose another"
    with pytest.raises(ProjectExistsError, match=read):
        begin(frame, store, "note")
    with pytest.raises(ProjectExistsError, match="a value, a column or the order of its rows"):
        begin(frame[::-1], store)


def test_whole_numbers_of_numpy_are_whole_numbers(known: Known) -> None:
    session = start(known)
    assert session.take(1, np.str_("ann"))[0].index == 1
    for draw in session.take(np.int64(3)):
        session.answer(draw, "yes")
    session.note(np.int64(3), "seen")
    session.flag(np.int32(3))
    session.explain(np.int64(3), "slip")
    assert session.revise(np.int64(3), "no", "again").index == 3
    session.extend(budget=np.int64(80))
    session.second_pass(np.int64(2))
    assert session.engine.limit == 80 and len(session.page(np.int64(2))) == 2
    session.check_log()
    for index in (3.0, "3", True):
        with pytest.raises(TypeError, match="^index must be a whole number of draws, got "):
            session.revise(index, "yes", "once more")  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="^last must be a whole number of answers, got "):
            session.history(last=index)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="^last must be 0 or more, or None for all, got -1"):
        session.history(last=-1)
    assert [*session.history(last=0)] == []


def test_opening_creates_no_store(tmp_path: Path) -> None:
    gone = tmp_path / "gone" / "labels.db"
    with pytest.raises(FileNotFoundError, match="moved, replaced or deleted.* No new one was made"):
        lc.Session.open(f"sqlite:///{gone}", "spam")
    assert not gone.parent.exists()


ANNOTATORS = [
    ("", ValueError, "annotator must be a name that is not empty"),
    (" ", ValueError, "annotator must be a name that is not empty"),
    ("a\ud800", ValueError, r"annotator must not hold half of a character, got 'a\\ud800'"),
    ("a\0", ValueError, "annotator must not hold a NUL character"),
    ("a" * 201, ValueError, "annotator must be a name of at most 200 characters, got 201"),
    (3, TypeError, "annotator must be text, got int"),
]


@pytest.mark.parametrize(("name", "error", "words"), ANNOTATORS, ids=range(len(ANNOTATORS)))
def test_what_cannot_be_the_name_of_a_person(
    known: Known, name: str, error: type[Exception], words: str
) -> None:
    session = start(known)
    next_draw(session, "Ada")
    before = len(session.events)
    for act in (lambda: session.next(name), lambda: session.note(1, "a note", name)):
        with pytest.raises(error, match=words):
            act()
    assert len(session.events) == before
    session.note(1, "a note", "a" * 200)
    assert session.events[-1].annotator == "a" * 200


NAMES = [
    ("", ValueError, "project must be a name that is not empty"),
    ("a" * 1_000_000, ValueError, "at most 200 characters, got 1,000,000"),
    ("a\ud800", ValueError, "project must not hold half of a character"),
    ("a\0", ValueError, "project must not hold a NUL character"),
    (3, TypeError, "project must be text, got int"),
]


@pytest.mark.parametrize(("name", "error", "words"), NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("kind", ["memory", "file"])
def test_what_cannot_be_the_name_of_a_new_project(
    known: Known, tmp_path: Path, kind: str, name: str, error: type[Exception], words: str
) -> None:
    store = lc.open_store(None if kind == "memory" else f"sqlite:///{tmp_path}/a.db")
    plan = lc.Plan("simple_random", ["accuracy"], budget=10)
    with pytest.raises(error, match=words):
        lc.Session(known.population, plan, store, name)
    assert store.projects() == []


@pytest.mark.parametrize("given", [{"project": 3}, {"project": "a\0"}, {"settings": "Is it?"}])
def test_arguments_that_cannot_be_leave_no_store(
    known: Known, tmp_path: Path, given: dict[str, object]
) -> None:
    plan, store = lc.Plan("simple_random", ["accuracy"], budget=10), f"sqlite:///{tmp_path}/new.db"
    with pytest.raises((TypeError, ValueError), match=f"^{next(iter(given))} must"):
        lc.Session(known.population, plan, store, **given)  # type: ignore[arg-type]
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("new")]


def test_results_as_one_table_and_the_session_by_name(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["precision", "precision_curve"], budget=30)
    session = lc.Session(known.population, plan, project="spam")
    answer_draws(session, known)
    table, results = session.results_table(), session.results()
    band = results["precision_curve"]
    assert len(table) == 1 + len(band.x) and set(table["project"]) == {"spam"}  # type: ignore[union-attr]
    assert table["value"][0] == results["precision"].value  # type: ignore[union-attr]
    assert table["rank"].dropna().tolist() == band.x.tolist()  # type: ignore[union-attr]
    assert repr(session) == "<Session 'spam' on 'items.csv': 30 labels, budget used>"
    texts = session.labels_table()["answer"], table["sentence"]
    assert all(map(pd.api.types.is_string_dtype, texts))


def test_a_notebook_shows_how_far_it_is_and_where_a_person_labels(
    known: Known, tmp_path: Path
) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=10)
    session = lc.Session(known.population, plan, f"sqlite:///{tmp_path}/a.db", "a <b>")
    answer_draws(session, known)
    shown = session._repr_html_()
    assert (
        ">Session &#x27;a &lt;b&gt;&#x27; on &#x27;items.csv&#x27;: 10 labels, budget used<"
        in shown
    )
    assert escape(session.results()["accuracy"].sentence()) in shown
    assert f"labelcore app --store sqlite:///{tmp_path}/a.db" in shown
    assert "Kept in memory" in lc.Session(known.population, plan)._repr_html_()
    assert "<th>classifiers</th><td>&#x27;lr&#x27;</td>" in known.population._repr_html_()


def test_a_result_is_had_by_its_kind_and_name(known: Known) -> None:
    session = start(known, claims=["precision >= 0.1"])
    results = session.results()
    assert session.estimate("recall") == results["recall"]
    assert session.claim("precision >= 0.1") == results["precision >= 0.1"]
    with pytest.raises(KeyError, match=r"known are .*recall.*; did you mean 'precision'\?"):
        session.estimate("precison")
    with pytest.raises(KeyError, match=r"'precison'; known are .*; did you mean 'precision'\?"):
        session.course("precison")
    with pytest.raises(KeyError, match="no result is called 'recall'; known are precision >= 0.1"):
        session.claim("recall")
    with pytest.raises(KeyError, match="no result is called 'selection'; known are accuracy"):
        session.choice()
