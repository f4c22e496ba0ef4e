"""The page Review: lists, search, filters, judging again, what can be taken away."""

import io
from base64 import b64decode, b64encode
from pathlib import Path

import pandas as pd
import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.log.kinds import KINDS
from labelcore.log.rules import Kind
from labelcore.report import table_file
from labelcore.results.in_common import Shared
from labelcore.safe_text import plain
from labelcore.session.erasing import erase_items
from labelcore.session.item_texts import TEXT_GONE
from labelcore.ui import review
from labelcore.ui.downloads import TABLE_KINDS
from labelcore.ui.reviewed import (
    ALL,
    FLAGGED,
    NOTED,
    UNCLEAR,
    UNSURE,
    WRONG,
    event_words,
    looked_up,
    reviewed,
    said_of,
)
from labelcore.words.counts import EVEN, EVERY, UNEVEN
from tests.answering import answer_draws, next_draw
from tests.app.conftest import HOSTILE, button, card_pictures, cards, store, texts
from tests.report.test_labels import READ


@pytest.fixture
def session(make) -> lc.Session:
    """Thirty labels, one more not sure; the second flagged, the third with a note."""
    made = make(labels=30)
    answer_draws(made, "unsure", 1)
    made.flag(2)
    made.note(3, "=odd one")
    return made


def opened(app, index: int, **query: str) -> AppTest:
    """The page after the row of this draw was pressed; the tester has no way to press a cell."""
    page = app("review", project="demo")
    page.session_state[review.OPENED] = (index, f"{index:024x}")
    return page.run()


def test_nothing_judged(app, make) -> None:
    make()
    page = app("review", project="demo")
    assert review.EMPTY in texts(page)


def test_every_judged_item_stands_in_its_lists(session: lc.Session) -> None:
    found = reviewed(session, "lr")
    population, table = session.population, found.table
    assert found.lists() == {
        ALL: 31,
        WRONG: int(table["wrong"].sum()),
        UNSURE: 1,
        FLAGGED: 1,
        NOTED: 1,
    }
    assert list(table["index"]) == list(range(31, 0, -1))
    called = population.predictions["lr"]
    for row in table.itertuples():
        said = population.classes[called[population.position(row.id)]]
        assert row.called == said
        assert row.wrong == (row.answer in population.classes and row.answer != said)
    assert 0 < table["wrong"].sum() < 30
    assert not found.chosen(WRONG)["answer"].isin(["unsure"]).any()


def picture_of(brightness: int, side: int = 8) -> bytes:
    out = io.BytesIO()
    Image.new("L", (side, side), brightness).save(out, "PNG")
    return out.getvalue()


def test_a_card_shows_the_picture_of_its_item(app, data_folder: Path) -> None:
    """One in the table, one in a file, a large one; what cannot be shown, and text, as they are."""
    data_folder.mkdir()
    (data_folder / "b.png").write_bytes(picture_of(80))
    (data_folder / "large.png").write_bytes(picture_of(120, 2_000))
    address = f"data:image/png;base64,{b64encode(picture_of(0)).decode()}"
    gone, text = "gone.png", "only words"
    frame = pd.DataFrame({"id": [*"abcde"], "seen": [address, "b.png", "large.png", gone, text]})
    frame.assign(called="yes").to_csv(data_folder / "items.csv", index=False)
    population = lc.read_population(
        data_folder / "items.csv", id="id", content=["seen"], predictions={"m": "called"},
        classes=["no", "yes"], positive="yes",
    )  # fmt: skip
    plan = lc.Plan("simple_random", "accuracy", budget=5, seed=1)
    made = lc.Session(population, plan, store(data_folder), "demo")
    answer_draws(made, "yes", 5)
    rows = reviewed(made, "m").table
    ids = dict(zip(rows["index"], rows["id"], strict=True))
    page = app("review", project="demo")
    begins = {ids[draw]: card.split(" | ")[0] for draw, card in cards(page).items()}
    assert begins == {
        "a": "judged ", "b": "b.png", "c": "large.png", "d": "(picture) gone.png", "e": text,
    }  # fmt: skip
    sizes = {}
    for draw, source in card_pictures(page).items():
        head, data = source.split(",")
        assert head.startswith("data:image/")
        sizes[ids[draw]] = max(Image.open(io.BytesIO(b64decode(data))).size)
    assert sizes == {"a": 160, "b": 160, "c": 96}
    known = looked_up("pictures", "demo", population.fingerprint)
    assert set(known) == set("abcd"), "a text is not read a second time"
    erase_items(made.store, "demo", ["a"], who="Ann", why="asked for")
    assert {ids[draw] for draw in card_pictures(app("review", project="demo"))} == {"b", "c"}
    assert set(known) == set("bcd"), "nor is what was erased kept in memory"


def test_search_takes_every_word_in_text_id_and_note(session: lc.Session) -> None:
    found = reviewed(session, "lr")
    table = found.table
    assert list(found.chosen(search="ODD")["index"]) == [3]
    some = table["id"].iloc[4]
    assert some in set(found.chosen(search=some)["id"])
    assert found.chosen(search="second nothing").empty
    both = found.chosen(answer="yes", called="no")
    assert list(both.index) == list(table[(table.answer == "yes") & (table.called == "no")].index)
    assert found.chosen(who="nobody").empty


def test_what_was_erased_is_in_no_list_and_found_by_no_search(session: lc.Session) -> None:
    erased, text = reviewed(session, "lr").table[["id", "item"]].iloc[4]
    assert text in session.item_by_id(erased)["text"]
    erase_items(session.store, session.project, [erased], who="Ann", why="asked for")
    session.sync()
    found = reviewed(session, "lr")
    assert found.table.set_index("id")["item"][erased] == TEXT_GONE
    assert erased not in set(found.chosen(search=text)["id"])


def test_the_page_shows_a_list_and_its_search(app, session: lc.Session) -> None:
    page = app("review", project="demo")
    assert len(cards(page)) == 30
    forms = [one.proto.label for one in page.get("download_button")]
    assert forms == ["As CSV", "As JSON Lines", "As Parquet", "As Excel"]
    page.text_input[0].set_value("odd").run()
    assert list(cards(page)) == [3] and "=odd one" in cards(page)[3]
    page.text_input[0].set_value("nowhere to be found").run()
    assert review.NO_ROW in texts(page)
    page.text_input[0].set_value("").run()
    page.session_state[review.LIST] = WRONG
    assert len(cards(page.run())) == reviewed(session, "lr").lists()[WRONG]


def test_a_long_list_is_sent_page_by_page_and_searched_and_taken_whole(
    app, session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(review, "ROWS", 12)
    page = app("review", project="demo")
    every = reviewed(session, "lr").table
    assert list(cards(page)) == list(every["index"])[:12]
    assert "1 to 12 of 31" in texts(page) and button(page, review.NEWER).disabled
    button(page, review.OLDER).click().run()
    assert list(cards(page)) == list(every["index"])[12:24]
    assert "13 to 24 of 31" in texts(page)
    button(page, review.OLDER).click().run()
    assert list(cards(page)) == list(every["index"])[24:]
    assert button(page, review.OLDER).disabled
    assert len(review.listed(session, every)) == 31

    page.text_input[0].set_value("odd").run()  # It is on the last page of the whole list.
    assert len(cards(page)) == 1 and not [one for one in page.button if one.key == review.OLDER]
    page.text_input[0].set_value("").run()
    assert "25 to 31 of 31" in texts(page)
    page.session_state[review.LIST] = WRONG
    assert len(cards(page.run())) == min(reviewed(session, "lr").lists()[WRONG], 12)


def test_an_item_is_judged_again_and_both_answers_stand(
    app, session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "seen", Kind("seen"))
    session.ledger.record("seen", "me", index=2, text="by chance")
    page = opened(app, 2)
    before = session.engine.in_force(2)
    assert before is not None
    other = "negative" if before.label == "yes" else "positive"
    button(page, f"change-{other}-").click().run()
    assert not page.error
    session.sync()
    after = session.engine.in_force(2)
    assert after is not None and after.label != before.label
    said = [event_words(one) for one in said_of(session, 2)]
    assert said[-1] != said[0] and {"flagged", "seen: by chance"} < {*said}
    assert said[-1] in texts(page)
    assert len(session.history(None, None)) == 31


def test_an_error_is_explained_by_key_and_an_unclear_question_reworded(
    app, session: lc.Session
) -> None:
    index = int(reviewed(session, "lr").chosen(WRONG)["index"].iloc[0])
    page = opened(app, index)
    button(page, "why-question-").click().run()
    session.sync()
    assert session.state.cause(index) == "question"
    assert "question unclear" in cards(page)[index] and reviewed(session, "lr").lists()[UNCLEAR]
    button(page, "reword").click().run()
    field = next(one for one in page.text_input if one.label == "Question")
    field.set_value("Is it spam, adverts included?")
    button(page, "life-do").click().run()
    session.sync()
    assert session.settings["question"] == "Is it spam, adverts included?"
    button(page, "why-slip-").click().run()
    button(page, "why-slip-").click().run()
    session.sync()
    assert session.state.cause(index) == ""
    right = int(reviewed(session, "lr").table.query("not wrong")["index"].iloc[0])
    assert not [one for one in opened(app, right).button if (one.key or "").startswith("why-")]


def test_nothing_changes_once_it_is_finished(app, session: lc.Session) -> None:
    session.finish("enough")
    page = opened(app, 2)
    assert review.FINAL in texts(page)
    assert button(page, "change-positive-").disabled


def test_a_row_that_was_taken_back_leaves_the_page(app, make) -> None:
    session = make(labels=2)
    page = opened(app, 2)
    session.undo()
    page.run()
    assert review.CHOOSE in texts(page) and len(cards(page)) == 1


def test_a_list_to_take_away_has_content_and_weights_and_no_formula(session: lc.Session) -> None:
    """Parquet and JSON keep the text as it is: nothing opens it as a spreadsheet."""
    found = reviewed(session, "lr")
    table = review.listed(session, found.chosen(NOTED))
    for suffix in TABLE_KINDS:
        (row,) = READ[suffix](io.BytesIO(table_file(table, suffix))).to_dict("records")
        as_it_is = suffix in (".parquet", ".jsonl")
        assert row["notes"] == ("=odd one" if as_it_is else "'=odd one")
        assert row["weight"] > 0 and (HOSTILE in row["text"] or "item" in row["text"])
        assert row["prediction_lr"] in ("yes", "no")


def test_a_cell_of_the_confusion_table_opens_its_items(app, session: lc.Session) -> None:
    page = app("review", project="demo")
    page.session_state[review.CELL] = ("lr", "no", "yes")
    page.run()
    assert len(cards(page)) == len(reviewed(session, "lr").chosen(called="no", answer="yes")) > 0
    assert all("Yes" in one and "| wrong" in one for one in cards(page).values())
    page.session_state[review.CELL] = ("lr", "no", None)
    assert len(cards(page.run())) == len(reviewed(session, "lr").chosen(called="no"))


def test_hostile_words_stay_words(app, make) -> None:
    session = make(labels=2, question=HOSTILE)
    session.note(1, HOSTILE)
    page = opened(app, 1)
    assert any(HOSTILE[:60] in one for one in cards(page).values())


def test_a_classifiers_name_stays_literal_above_its_filter(
    app, data_folder: Path, tmp_path: Path
) -> None:
    name, path = "www.labelcore.invalid", tmp_path / "items.csv"
    made = {"id": range(20), "text": "words", "says": ["yes", "no"] * 10, "other": "yes"}
    pd.DataFrame(made).to_csv(path, index=False)
    session = lc.Session(
        lc.read_population(path, id="id", content="text", predictions={name: "says", "b": "other"}),
        lc.Plan("simple_random", ["accuracy"], classifier=[name, "b"], budget=10, seed=1),
        store(data_folder),
        "demo",
    )
    answer_draws(session, "yes", 8)
    page = app("review", project="demo")
    (label,) = [one.label for one in page.selectbox if "Called" in one.label]
    assert label == f"Called by {plain(name)}" and name not in label
    assert any(f"{plain(name)} was wrong" in one for one in page.button_group[0].options)
    assert all(name in one for one in cards(page).values())
    page.session_state[review.WHICH] = "b"
    assert "b  | Yes" in cards(page.run())[1]


@pytest.mark.parametrize(("design", "said"), [("simple_random", EVEN), ("stratified", UNEVEN)])
def test_what_shares_of_the_list_are_is_said_for_each_method(
    app, make, design: str, said: str
) -> None:
    make(labels=1, design=design)
    assert said in texts(app("review", project="demo"))


def test_where_every_item_is_judged_the_list_is_the_file(app, data_folder: Path) -> None:
    rows = [{"id": f"i{n}", "text": f"item {n}", "called": n % 2} for n in range(3)]
    population = lc.read_population(rows, id="id", content="text", predictions={"lr": "called"})
    plan = lc.Plan("simple_random", ["accuracy"], budget=3, seed=1)
    session = lc.Session(population, plan, store(data_folder), "demo")
    for more, said in ((2, EVEN), (1, EVERY)):
        answer_draws(session, "yes", more)
        assert said in texts(app("review", project="demo"))


def test_a_mark_on_an_item_that_is_still_open_is_there(app, make) -> None:
    session = make(labels=3)
    draw = next_draw(session)
    session.flag(draw.index)
    session.note(draw.index, "ask Ann")
    found = reviewed(session, "lr")
    assert found.lists() | {WRONG: 0} == {ALL: 3, WRONG: 0, FLAGGED: 1, NOTED: 1}
    assert found.chosen(NOTED)["index"].tolist() == [draw.index]
    page = opened(app, draw.index)
    assert review.STILL_OPEN in texts(page)
    marked = found.chosen(FLAGGED)
    assert marked["called"].isna().all() and marked["score"].isna().all(), "nobody judges it blind"
    page.session_state[review.LIST] = FLAGGED
    told = cards(page.run())[draw.index]
    assert "not yet" in told and "classifier" not in told and "score" not in told
    session.answer(draw, "later")
    assert reviewed(session, "lr").chosen(FLAGGED)["called"].isna().all()
    session.revise(draw.index, "yes", "f" * 24)
    marked = reviewed(session, "lr").chosen(FLAGGED)
    assert marked["called"].notna().all() and marked["score"].notna().all()
    assert reviewed(session, "lr").lists()[ALL] == 4


def test_two_things_in_common_that_look_alike_are_pressed_by_themselves() -> None:
    """Their names are shortened; with one key for both the page would end in an error."""
    begins = "https://example.org/" + 80 * "x"
    ends = 0, 0, 0, 0, 0.0, 0.0, 0.0, 0.0
    one, other = (
        Shared("yes", "group", "page", begins + end, False, *ends) for end in ("1", "2")
    )  # fmt: skip
    assert review.common_words(one) == review.common_words(other)
    assert review.common_key(one) != review.common_key(other)
