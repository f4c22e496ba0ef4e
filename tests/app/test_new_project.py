import io
import json
import zipfile
from pathlib import Path

import numpy as np
import openpyxl
import pandas as pd
import pytest

from labelcore.population import Dialect
from labelcore.report import report_html
from labelcore.safe_text import JOINER
from labelcore.ui.asking import DRAFT
from labelcore.ui.draft import MARGIN
from labelcore.ui.new_cards import ACCURACY, BOTH, PREVALENCE, RANKED, SEVERAL, SHIP, Card
from labelcore.ui.new_classifiers import strays
from labelcore.ui.new_question import NO_QUESTION
from labelcore.ui.status import counts
from tests import rooms
from tests.answering import answer_draws
from tests.app.conftest import (
    HOSTILE,
    back,
    button,
    captions,
    created,
    error,
    on,
    store,
    texts,
    to_aim,
    whole_way,
    with_upload,
)

pytestmark = pytest.mark.usefixtures("price_alone")


def test_a_project_from_an_upload(app, items: Path, data_folder: Path) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    assert "200 items, 1 score, 1 prediction column, no fault" in texts(page).replace("\\", "")
    heads = json.loads(page.dataframe[0].proto.columns)
    said = {
        name: head["label"].partition(" · ")[2] for name, head in heads.items() if "label" in head
    }
    assert said == {
        "id": "id", "text": "shown", "score_lr": "score of lr", "pred_lr": "prediction of lr",
        "true_label": "answer, hidden",
    }  # fmt: skip
    assert NO_QUESTION in texts(on(page))
    page.text_input(key="new-question").set_value("Is it spam?").run()
    assert NO_QUESTION not in texts(page)
    on(page)
    session = created(page, data_folder)
    assert session.settings["question"] == "Is it spam?"
    assert session.population.content_columns == ("text",)
    assert session.plan.design == "recalibrated_neyman" and session.plan.budget == 200


def test_a_press_sent_before_the_question_has_come_back_chooses_no_class(app) -> None:
    lines = [f"{n},message {n},{('fine', 'complaint')[n % 2]}" for n in range(8)]
    page = on(with_upload(app, "said.csv", "\n".join(["id,text,pred", *lines]).encode()))
    sent = page._tree.get_widget_states()  # What the browser shows still: fine counts as positive.
    question = page.text_input(key="new-question").set_value("Is it a complaint?")
    question.run()
    next(one for one in sent.widgets if one.id == question.id).string_value = "Is it a complaint?"
    pressed = sent.widgets.add()
    pressed.id, pressed.trigger_value = button(page, "new-next").id, True
    page._run(sent)
    assert page.title[0].value == "Aim and price · 3 of 3"
    assert page.session_state[DRAFT].positive is None
    assert "4 of 8 called 'complaint'." in page.radio(key="new-aim").proto.captions


@pytest.mark.parametrize(
    ("aim", "words", "label"),
    [
        pytest.param(SHIP, ("yes", "no"), "Which?", marks=rooms.needs("papers")),
        (SEVERAL, ("yes", "no"), "Which?"),
        (SEVERAL, ("a", "b", "c"), "Which? The items are drawn for the first."),
    ],
)
def test_items_are_drawn_for_the_first_of_several_where_that_is_so(
    app, aim: Card, words: tuple[str, ...], label: str
) -> None:
    said = [(words[n % len(words)], words[n // 3 % len(words)]) for n in range(60)]
    lines = [f"{n},message {n},{one},{two}" for n, (one, two) in enumerate(said)]
    content = "\n".join(["id,text,pred_one,pred_two", *lines]).encode()
    page = to_aim(with_upload(app, "said.csv", content), "Is it right?", aim.title)
    assert page.multiselect(key="new-classifiers").label == label


def test_name_that_is_taken_is_told(app, items: Path, make, data_folder: Path) -> None:
    make("items")
    page = whole_way(app, items)
    name = next(one for one in page.text_input if one.label == "Name of the project")
    assert name.value == "items 2"
    name.set_value("items").run()
    button(page, "new-create").click().run()
    assert "already" in page.error[0].value
    assert len(store(data_folder).projects()) == 1


def test_a_long_name_of_a_column_is_shortened_in_the_sentence_of_a_fault(app) -> None:
    name = f"{'how sure the model is, ' * 9}score"
    rows = "".join(f"i{n},item {n},0.5\n" for n in range(9))
    page = with_upload(
        app, "items.csv", f'id,text,"{name}"\n{rows}j,last,oops\nk,more,so\n'.encode()
    )
    (said,) = (one.value for one in page.error)
    assert "how sure the model is, how sure the mod…" in said and len(said) < 280
    assert page.dataframe[-1].value["column"].tolist() == [name] * 2, "the table has all of it"


def test_faults_are_a_table(app, data_folder: Path) -> None:
    page = with_upload(app, "bad.csv", b"id,text,score\n1,a,0.5\n1,b,x\n")
    assert "2 faults" in page.error[0].value
    assert store(data_folder).projects() == []


UNREADABLE = [
    ("empty.csv", b""),
    ("binary.csv", b"\x00\xff\xfe"),
    ("not.parquet", b"PAR1"),
    ("a.csv.gz", b"x"),
    ("a.xlsx", b"PK\x03\x04"),
    ("a.jsonl", b"id,text"),
    ("a.json", b'{\n "id": 1\n}'),
    ("a.json", b"[" * 100_000),
    ("a.tsv.gz", b"\x1f\x8b\x08\0\0"),
    ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
]


@pytest.mark.parametrize(("name", "content"), UNREADABLE)
def test_unreadable_upload(app, name: str, content: bytes) -> None:
    page = with_upload(app, name, content)
    assert page.error and not page.success
    assert "codec" not in error(page)


def test_bytes_that_cannot_be_decoded_are_told_with_their_place(app) -> None:
    page = with_upload(app, "latin.csv", b"id,text\n1,a\n2,f\xfcr \x81\n")
    told = "latin.csv, row 2 (line 3 of the file): the text is not Windows-1252 at byte 18 of the "
    assert told + "file; save it as UTF-8, or choose its encoding, got 'byte 0x81'" in error(page)
    assert chooser(page, "encoding").value == "windows-1252"


def chooser(page, name: str):
    """The selector of the id column, or of one field of the dialect."""
    return next(one for one in page.selectbox if one.key in (f"new-{name}", f"new-read-{name}"))


GERMAN = "Nr;Text;Wahrscheinlichkeit\n1;für;0,75\n2;Öl;0,5\n"


def test_another_choice_is_read_and_kept_with_the_project(app, data_folder: Path) -> None:
    rows = "".join(f"{n};für {n};{n},250\n" for n in range(1, 101))
    page = with_upload(app, "m.csv", f"id;text;score\n{rows}".encode())
    assert "decimal point" in texts(page)
    assert "if its comma is a decimal mark, choose the decimal comma" in error(page)
    chooser(page, "decimal").set_value(",").run()
    assert not page.error and "decimal comma" in texts(page)
    to_aim(page, "Spam?")
    population = created(page, data_folder).population
    assert population.dialect == Dialect(delimiter=";", decimal=",")
    assert population.scores["classifier"][:2].tolist() == [1.25, 2.25]


def test_another_form_is_read_and_said_and_a_wrong_choice_can_be_taken_back(app) -> None:
    page = with_upload(app, "m.csv", GERMAN.encode("cp1252"))
    assert "Read as Windows-1252, separated by semicolons, decimal comma." in texts(page)
    assert "2 items, 1 score, no fault" in texts(page).replace("\\", "")
    assert page.dataframe[0].value["Text"].tolist() == ["für", "Öl"]
    chooser(page, "delimiter").set_value("|").run()
    assert "separated by vertical bars" in texts(page)
    chooser(page, "encoding").set_value("utf-16-le").run()
    assert page.error
    chooser(page, "encoding").set_value("windows-1252").run()
    chooser(page, "delimiter").set_value(";").run()
    assert "no fault" in texts(page)


def test_a_first_row_of_data_is_suspected_and_can_be_said(app) -> None:
    page = with_upload(app, "m.csv", b"1,a longer text one,0.75\n2,a longer text two,0.1\n")
    assert "The first row looks like data" in page.warning[0].value
    chooser(page, "header").set_value(False).run()
    assert not page.warning
    assert (
        "Not sure: column 3 holds numbers from 0 to 1 in the first rows, perhaps a score."
        in texts(page).replace("\\", "")
    )
    assert "2 items" in texts(page)


def test_columns_that_may_be_scores_are_taken_by_one_press(app) -> None:
    rows = "".join(f"{n},text {n},{n / 20},{1 - n / 20},{n % 9},{'ab'[n % 2]}\n" for n in range(20))
    page = with_upload(app, "m.csv", f"id,text,bert,logreg,grade,source\n{rows}".encode())
    assert "Not sure: bert and logreg" in texts(page)
    assert "No classifier was found" not in texts(page)
    button(page, "new-take-scores").click().run()
    assert "20 items, 2 scores, no fault" in texts(page) and "Not sure" not in texts(page)
    assert page.text_input(key="new-name-1").value == "logreg"
    heads = json.loads(page.dataframe[0].proto.columns)
    assert heads["source"]["label"] == "source · groups"
    page.selectbox(key="new-score-1").set_value("grade").run()
    assert page.text_input(key="new-name-1").value == "grade"
    page.selectbox(key="new-score-1").set_value("source").run()
    assert "20 of 20 cells hold none: 'a' in row 1" in (said := page.error[0].value)
    assert "did you mean 'logreg'? Choose" in said and len(page.dataframe) == 1
    button(page, "new-instead-1").click().run()
    assert "20 items, 2 scores, no fault" in texts(page)


def test_a_likelier_column_with_a_long_name_has_a_short_button(app) -> None:
    rows = "".join(f"{n},text {n},{n / 20},no\n" for n in range(20))
    page = with_upload(app, "m.csv", f"id,text,score_{'<b>' * 99},word\n{rows}".encode())
    page.selectbox(key="new-score-0").set_value("word").run()
    shown = button(page, "new-instead-0").label
    assert shown.startswith("Take score") and len(shown.replace("\\", "")) < 90


def test_an_unsure_column_is_asked(app) -> None:
    page = with_upload(app, "m.csv", b"user_id,doc_id,text\n1,1,a\n2,2,b\n")
    assert chooser(page, "id").value is None and "no fault" not in texts(page)
    assert "Not sure: user_id and doc_id" in texts(page).replace("\\", "")
    chooser(page, "id").set_value("doc_id").run()
    assert "no fault" in texts(page)


def test_an_id_that_comes_again_is_told_before_it_is_chosen(app) -> None:
    rows = "".join(f"p{n % 19},text {n}\n" for n in range(20))
    page = with_upload(app, "m.csv", f"post_id,text\n{rows}".encode())
    assert [one.value.replace("\\", "").replace(JOINER, "") for one in page.warning] == [
        "post_id is called like an id, but 'p0' is in row 1 and again in row 20."
    ]
    assert "no fault" in texts(page)


def test_repeated_contents_are_told(app) -> None:
    page = with_upload(app, "m.csv", b"id,text\n1,a\n2,b\n3,a\n4,a\n")
    assert "2 items have the same content as an earlier one; the first: row 3 repeats row 1" in (
        texts(page)
    )
    assert "no fault" in texts(page)


def test_items_that_nearly_all_look_the_same_are_not_harmless(app) -> None:
    page = with_upload(app, "m.csv", b"id,text\n1,a\n2,a\n3,a\n4,b\n5,a\n")
    (warned,) = (one.value for one in page.warning)
    assert "3 of 5 items look the same as an earlier one" in warned.replace("\\", "")
    assert "no harm" not in texts(page) and "no fault" in texts(page)


def test_an_excel_file_with_two_sheets(app) -> None:
    book = openpyxl.Workbook()
    book.active.append(["id", "text"])
    book.active.append([1, "first sheet"])
    other = book.create_sheet("More $x$ <b>")
    other.append(["id", "text"])
    other.append([2, "second sheet"])
    data = io.BytesIO()
    book.save(data)
    page = with_upload(app, "m.xlsx", data.getvalue())
    assert "Read as sheet 'Sheet', one of 2." in texts(page) and "no fault" in texts(page)
    chooser(page, "sheet").set_value("More $x$ <b>").run()
    assert page.dataframe[0].value["text"].tolist() == ["second sheet"]


def test_another_kind_of_file_is_told_and_no_older_file_stays(app, items: Path) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    page.button(key="new-another").click().run()
    page.file_uploader(key="new-upload").upload("a.xls", b"PK", "text/csv").run()
    assert "a.xls: the suffix must be one of .csv, .tsv, .txt, .json, .jsonl" in error(page)
    assert "no fault" not in texts(page) and not list(items.parent.glob("*.xls"))


def test_a_third_class_is_told_with_its_row(app) -> None:
    rows = "".join(f"{n},text {n},{'maybe' if n == 31 else n % 2}\n" for n in range(1, 101))
    page = on(with_upload(app, "p.csv", f"id,text,prediction\n{rows}".encode()))
    assert "no fault" not in texts(page)
    assert "column 'prediction' holds 'maybe' in row 31" in error(page)
    (fault,) = page.dataframe[-1].value.to_dict("records")
    assert (fault["column"], fault["row"], fault["value"]) == ("prediction", "31", "maybe")


def test_a_path_outside_the_data_folder_is_refused_and_one_inside_is_read(
    app, items: Path, tmp_path: Path
) -> None:
    secret = tmp_path / "secret.csv"
    secret.write_text("id,text\n1,secret\n")
    link = items.parent / "link.csv"
    link.symlink_to(secret)
    page = app("new_project")
    for wanted in (str(secret), "../secret.csv", "files/link.csv", "/etc/passwd"):
        page.text_input(key="new-typed").set_value(wanted).run()
        assert "outside the data folder" in page.error[0].value.replace("\\", ""), wanted
        assert "secret" not in "".join(str(d.value) for d in page.dataframe)
    page.text_input(key="new-typed").set_value("files/items.csv").run()
    assert not page.error and "no fault" in texts(page)


def test_a_few_stray_scores_are_named_and_do_not_move_the_cut(app) -> None:
    scores = [n / 100 for n in range(80)]
    scores[70:72] = 1.7, -0.2
    rows = "".join(f"i{n},text {n},{score}\n" for n, score in enumerate(scores))
    page = with_upload(app, "m.csv", f"id,text,score_lr\n{rows}".encode())
    (told,) = (one.value.replace("\\", "").replace(JOINER, "") for one in page.warning)
    assert told.startswith(
        "lr: 2 of 80 scores are not from 0 to 1, such as 1.7 in row 71 and -0.2 in row 72."
    )
    assert "no fault" in texts(page)
    to_aim(page, "Is it good?", ACCURACY.title)
    assert page.slider(key="new-threshold-lr").value == 0.5


def test_scores_that_are_all_equal_are_told_and_make_no_list(app) -> None:
    rows = "".join(f"i{n},text {n},0.7\n" for n in range(40))
    page = with_upload(app, "m.csv", f"id,text,score_lr\n{rows}".encode())
    assert "lr: all scores are equal" in page.warning[0].value.replace("\\", "")
    to_aim(page, "Is it good?")
    aim = page.radio(key="new-aim")
    assert aim.value == PREVALENCE.title and RANKED.title not in aim.options


def test_a_score_that_is_missing_in_some_rows_can_be_left_out(app) -> None:
    rows = "".join(f"i{n},text {n},{n / 40 if n % 9 else ''},{n % 2}\n" for n in range(40))
    page = with_upload(app, "m.csv", f"id,text,score_lr,pred_lr\n{rows}".encode())
    assert "5 faults" in page.error[0].value
    button(page, "new-without-0").click().run()
    assert not page.error and "40 items, 1 prediction column, no fault" in texts(page)


@pytest.mark.parametrize("stray", [[-3.2, -1.1, 2.5, 4.0, 8.1], [1.0, 2.0], [0.5]])
def test_scores_of_another_kind_have_no_strays(stray: list[float]) -> None:
    assert not len(strays(np.array([0.0, 1.0] * 40 + stray)))


def test_score_alone_needs_a_threshold(app) -> None:
    rows = "".join(f"{n},text {n},{n / 100}\n" for n in range(100))
    page = with_upload(app, "s.csv", f"id,text,score\n{rows}".encode())
    to_aim(page, "Spam?", ACCURACY.title)
    assert "50 of 100 would be called 'Yes'." in texts(page)
    page.slider[0].set_value(0.8).run()
    assert "20 of 100 would be called 'Yes'." in texts(page)
    control = next(c for c in page.segmented_control if c.label == "High scores mean")
    control.set_value("no").run()
    assert "81 of 100 would be called 'Yes'." in texts(page) and not page.warning
    page.slider[0].set_value(1.0).run()
    assert "says the same about every item" in page.warning[0].value


def test_only_prevalence_without_a_classifier(app, data_folder: Path) -> None:
    rows = "".join(f"{n},text {n}\n" for n in range(100))
    page = with_upload(app, "t.csv", f"id,text\n{rows}".encode())
    to_aim(page, "Spam?")
    assert page.radio(key="new-aim").options == ["How common is it?"]
    assert "train the classifier" not in " ".join(c.label for c in page.segmented_control)
    session = created(page, data_folder)
    assert "used_for_training" not in session.settings
    html = report_html(session)
    assert "Used for training" not in html and "used to train" not in html


def test_watched_promise_that_a_budget_is_too_small_for(app, items: Path) -> None:
    page = whole_way(app, items, design="recalibrated_neyman", budget=20)
    assert error(page) == (
        "Watching while you label needs at least 40 labels; label more, or choose "
        "'I look once, when all planned labels are there'."
    )
    page.radio(key="new-promise").set_value("fixed").run()
    assert not page.error and button(page, "new-create")


BEYOND = [
    ("new-budget", 0, "from 1 to 200 is needed here, and this is 0."),
    ("new-budget", 201, "from 1 to 200 is needed here, and this is 201."),
    ("new-margin", 60.0, "from 0.1 to 49 is needed here, and this is 60.0."),
    ("new-seed", -1, "of at least 0 is needed here, and this is -1."),
    ("new-number", 9, "from 0 to 8 is needed here, and this is 9."),
    ("new-param-recalibrated_neyman-n_above", 0, "from 1 to 100 is needed here"),
    ("new-param-recalibrated_neyman-floor", 2.0, "from 0.05 to 1.0 is needed here"),
]


@pytest.mark.parametrize(("key", "value", "told"), BEYOND)
def test_a_number_out_of_bounds_is_told_and_nothing_is_created(
    app, items: Path, key: str, value: float, told: str
) -> None:
    page = whole_way(app, items, way=MARGIN if key == "new-margin" else None)
    assert button(page, "new-create")
    if key == "new-number":
        back(page, 2)
    field = next(one for one in page.number_input if (one.key or "").startswith(key))
    field.set_value(value).run()
    assert told in error(page)
    assert not [one for one in page.button if one.key == "new-create"]


def test_one_number_alone_is_all_that_is_asked_about(app, items: Path, data_folder: Path) -> None:
    page = whole_way(app, items, BOTH.title, estimands=(), promise="fixed")
    assert "Choose at least one number" in texts(page)
    page.multiselect(key=f"new-numbers-{BOTH.title}").set_value(["precision"]).run()
    assert "Only items that the classifier calls 'yes' are asked" in texts(page).replace("\\", "")
    session = created(page, data_folder)
    called = session.population.predictions["lr"] == 1
    answer_draws(session, True)
    assert all(called[one.position] for one in session.engine.asked)
    assert session.plan.estimands == ("precision",) and session.labels == called.sum()
    app("explore", project=session.project)
    page = app("progress", project=session.project)
    assert "There is no curve: this project labels only part of the list" in texts(page)


def test_hostile_columns_and_names(app) -> None:
    head = f'id,"{HOSTILE}","score_{HOSTILE}"'
    rows = "".join(f'{n},"{HOSTILE} {n}",{n / 100}\n' for n in range(100))
    page = with_upload(app, f"{HOSTILE}.csv", f"{head}\n{rows}".encode())
    to_aim(page, HOSTILE)
    shown = [
        one.value
        for kind in ("markdown", "caption", "error", "success")
        for one in getattr(page, kind)
    ]
    assert not any("<img" in value or ":red[x]" in value for value in shown)


NESTED = (
    '[{"id": 1, "message": {"text": "the first long message"}, "outputs": '
    '[{"model_version": "v1", "score": 0.9, "result": []}]},'
    '{"id": 2, "message": {"text": "the second long message"}, "outputs": '
    '[{"model_version": "v1", "score": 0.2, "result": []}]}]'
)


def test_a_model_s_output_is_not_preselected_and_is_warned_of(app, data_folder: Path) -> None:
    page = with_upload(app, "tasks.json", NESTED.encode())
    content = page.multiselect[0]
    assert content.value == ["message.text"]
    assert not any("judge blind" in one.value for one in page.warning)
    content.set_value(["message.text", "outputs"]).run()
    (told,) = [one.value for one in page.warning if "judge blind" in one.value]
    assert "outputs may show a model's output" in told.replace("\\", "")
    to_aim(page, "Is it good?")
    session = created(page, data_folder)
    assert session.settings["may_show_output"] == ["outputs"]
    assert "Not blind: the person saw" in report_html(session)


def test_one_press_leads_back_to_the_columns_of_a_file_without_a_classifier(app) -> None:
    page = with_upload(app, "tasks.json", NESTED.encode())
    to_aim(page, "Is it good?")
    assert any("No column is read as a classifier" in one.value for one in page.info)
    page.button(key="new-to-columns").click().run()
    assert "No classifier was found" in texts(page)


def test_a_zip_is_called_by_its_own_name(app, data_folder: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as stream:
        for row in range(40):
            stream.writestr(f"{row}.png", b"x")
        rows = "".join(f"{row}.png,{row / 40}\n" for row in range(40))
        stream.writestr("inside.csv", f"image,score\n{rows}")
    page = with_upload(app, "My <b>pets\u202e\u200b.zip", packed.getvalue())
    assert "My _b_pets · 40 rows · 2 columns." in texts(page)
    to_aim(page, "Is it a cat?", ACCURACY.title)
    assert page.button(key="new-go-1").label == "My \\_b_pets, 40 items"
    assert "inside" not in texts(page)
    (name,) = [one for one in page.text_input if one.label == "Name of the project"]
    assert name.value == "My _b_pets"


TIMES = "four times the planned number of labels, at most all items"


@pytest.mark.parametrize("margin", [False, True])
def test_it_says_how_far_a_watched_plan_holds(
    app, items: Path, data_folder: Path, margin: bool
) -> None:
    """As far as the plan that is made of it."""
    page = whole_way(app, items, way=MARGIN if margin else None)
    until = TIMES if margin else "200 labels"
    assert f"valid at every look up to {until};" in captions(page, "new-promise")[0]
    assert f"At the latest it ends with {until}." in texts(page)
    plan = created(page, data_folder).plan
    assert plan.horizon == (4 if margin else 1)
    assert plan.furthest(plan.planned) == (4 * plan.planned if margin else None)


def test_the_price_of_a_margin_is_as_round_as_on_label(app, items: Path, data_folder: Path) -> None:
    one = pd.read_csv(items)
    many = pd.concat([one.assign(id=f"{n} " + one["id"]) for n in range(10)])
    many.to_csv(items, index=False)
    page = whole_way(app, items, way=MARGIN)
    page.number_input(key="new-margin").set_value(4.0).run()
    (price,) = [one.value for one in page.markdown if one.value.startswith("About ")]
    session = created(page, data_folder)
    assert price.startswith(f"About {counts(session).total} labels, ")
    assert counts(session).total % 10 == 0 != int(session.plan.planned or 0) % 10


def test_a_plan_without_looks_or_an_end_by_its_margin_goes_no_further_than_planned(
    app, items: Path, data_folder: Path
) -> None:
    page = whole_way(app, items, way=MARGIN)
    page.checkbox(key="new-stop-margin").set_value(False).run()
    assert "At the latest it ends with the planned number of labels." in texts(page)
    page.checkbox(key="new-stop-margin").set_value(True)
    page.number_input(key="new-margin").set_value(8.0)
    page.radio(key="new-promise").set_value("fixed").run()
    assert "At the latest it ends with the planned number of labels." in texts(page)
    plan = created(page, data_folder).plan
    assert (plan.margin, plan.promise) == (0.08, "fixed")
