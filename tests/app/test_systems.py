"""Systems that a model judges: the question on *New project*, and what *Progress* says."""

import json
from io import BytesIO
from pathlib import Path

import pandas as pd
import pytest
from openpyxl import load_workbook
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.population.revealing import HIDDEN
from labelcore.report import report_html, report_json
from labelcore.report.judged import CLOSE, OPEN, ORDER_DIFFERS, SURE, TIE, judged_of, system_column
from labelcore.report.spreadsheet import report_xlsx
from labelcore.safe_text import one_line, plain, unbroken
from labelcore.trials.table import TRIALS
from labelcore.ui import sessions
from labelcore.ui.draft import Draft, Question
from labelcore.ui.last_look import known_bar
from labelcore.ui.new_cards import BOTH, JUDGE, PREVALENCE, SYSTEMS, Questions
from labelcore.ui.new_columns import Columns
from labelcore.ui.reviewed import WRONG, reviewed
from labelcore.ui.summary import summaries
from labelcore.ui.systems import LONGEST
from tests.answering import answer_draws
from tests.app.conftest import HOSTILE, Once, button, cards, texts, to_aim, with_upload
from tests.grouped import label_all
from tests.judged import SYSTEMS as SYSTEM_NAMES
from tests.judged import judged, judged_frame

PAGES = ("label", "progress", "review", "report")


def panel() -> None:
    from labelcore.ui import sessions
    from labelcore.ui.systems import systems_panel

    systems_panel(sessions.session("systems"))


@pytest.fixture
def session(labelled_once: Once, request: pytest.FixtureRequest) -> lc.Session:
    few = request.node.get_closest_marker("full") is None
    frame = judged_frame(60 if few else 400)
    frame["model"] = frame["model"].replace("delta", HOSTILE)
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", by="model",
                   budget=100 if few else 250, seed=3, promise="fixed")  # fmt: skip

    def write(folder: Path) -> lc.Session:
        folder.mkdir()
        made = lc.Session(judged(frame), plan, f"sqlite:///{folder}/labelcore.db", "systems")
        label_all(made, frame)
        return made

    return labelled_once(f"systems {few}", write)


@pytest.mark.full
def test_progress_tells_pass_rates_pairs_and_the_judge(session: lc.Session) -> None:
    page = AppTest.from_function(panel, default_timeout=60).run()
    rates, pairs, judge = (one.value for one in page.table)
    measured, places = session.judge("model"), session.ranking("model", "prevalence")
    assert len(rates) == 5 and len(pairs) == 4
    assert rates["Pass rate"].str.endswith("%").all()
    assert list(rates["Place"]) == [
        f"{a}" if a == b else f"{a} to {b}" for _, a, b in places.to_numpy().tolist()
    ]
    said = pairs.to_numpy().ravel().tolist()
    told = session.differences("model", "prevalence")
    assert said.count(SURE) == (told["ahead"] != "").sum() > 0
    far = told["more"].isna() & (told[["low", "high"]].abs().max(axis=1) > CLOSE)
    assert said.count(OPEN) == far.sum() > 0
    assert said.count(TIE) == told["more"].isna().sum() - far.sum()
    kappa = measured[(measured["measure"] == "kappa") & measured["group"].isna()].iloc[0]
    assert judge["Kappa"].iloc[0].startswith(plain(f"{kappa['value']:.2f} ("))
    assert plain(one_line(HOSTILE, LONGEST)) in {*rates["System"]}
    assert "The judge passes 6" in texts(page)
    assert ORDER_DIFFERS[:14] not in texts(page), "both put alpha first"
    found = judged_of(session)
    assert (
        found is not None
        and found.next_to_decide()[1] == sorted(filter(None, told["more"].dropna()))[2]
    )
    sure = [one for one in found.sentences() if one.startswith("95 % sure: ")]
    assert sure and all("is better than" in one for one in sure)


def test_the_words_are_those_of_the_field(session: lc.Session, app) -> None:
    """The estimand is called prevalence in Python and JSON, and a pass rate by everybody else."""
    shown = {page: app(page, project="systems") for page in PAGES}
    for page, one in shown.items():
        assert "revalence" not in texts(one) and "lassifier" not in texts(one), page
    assert button(shown["label"], "to-systems").label == "Systems and their judge"
    review = shown["review"]
    assert any(one.startswith("Judge was wrong") for one in review.pills[0].options)
    told = cards(review).values()
    assert told and all("judge " in card and "lassifier" not in card for card in told)
    rate = session.estimate("prevalence")
    assert "pass rate" in rate.sentence()
    assert rate.to_dict()["estimand"] == "prevalence"
    html = report_html(session).lower()
    assert "pass rate" in html and "prevalence" not in html.replace('"prevalence', "")
    workbook = load_workbook(BytesIO(report_xlsx(session)), read_only=True)
    names = [row[0].value for row in workbook["Sentences"]]
    assert "pass rate" in names and "prevalence" not in names
    row = next(one for one in summaries() if one.name == "systems")
    assert known_bar(row.known).name == "Pass rate"


def opened() -> None:
    from labelcore.ui import sessions
    from labelcore.ui.compare import cell_panel

    session = sessions.session("systems")
    cell_panel(session, session.table("model").cell("judge", "prevalence"), ("model",))


@pytest.mark.usefixtures("session")
def test_an_open_cell_has_its_figure_in_the_words_of_the_field() -> None:
    page = AppTest.from_function(opened, default_timeout=60).run()
    (chart,) = page.get("plotly_chart")
    assert chart.proto.alt.startswith("Pass rate is ")


def test_columns_that_mean_something_stand_first_in_the_preview(app) -> None:
    frame = judged_frame(12).assign(verdict=lambda rows: rows["truth"].map({1: "pass", 0: "fail"}))
    others = pd.DataFrame({f"more {at}": [f"note {at} {row}" for row in range(len(frame))]
                           for at in range(9)})  # fmt: skip
    frame = frame.rename(columns={"prompt": "prompt_id"}).assign(question="How many?")
    wide = pd.concat([others, frame[["id", "prompt_id", "question", "answer", "model", "verdict"]]],
                     axis=1)  # fmt: skip
    page = with_upload(app, "wide.csv", wide.to_csv(index=False).encode())
    (shown,) = (one.value for one in page.dataframe if "more 0" in one.value)
    assert {"question", "answer", "verdict"} <= {*shown.columns[:6]}
    assert [*shown.columns[6:]] == [*others]


def test_systems_are_the_rows_where_no_labels_are_theirs(app, data_folder: Path) -> None:
    frame = judged_frame(30)
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", budget=60, seed=2)
    label_all(lc.Session(judged(frame), plan, sessions.store(), "systems"), frame)
    page = app("progress", project="systems")
    assert page.segmented_control(key="table-rows").value == "model"


def test_pairs_nearest_to_a_decision_have_a_button(data_folder: Path) -> None:
    frame = judged_frame(200)
    plan = lc.Plan(
        "recalibrated_neyman", "prevalence", classifier="judge", budget=200, seed=2, by="model"
    )
    session = lc.Session(judged(frame), plan, sessions.store(), "systems")
    label_all(session, frame)
    open_ = sorted(
        one for one in session.differences("model", "prevalence")["more"].dropna() if one
    )
    found = judged_of(session)
    assert len(open_) >= 3 and found is not None
    assert found.next_to_decide() == (min(len(open_), 3), open_[:3][-1])
    page = AppTest.from_function(panel, default_timeout=60).run()
    assert [one for one in page.button if one.key == "systems-decide"]


def test_a_button_asks_for_labels_that_are_not_planned_yet(data_folder: Path) -> None:
    def few() -> None:
        from labelcore.ui import sessions
        from labelcore.ui.systems import _decide

        _decide(sessions.session("systems"), 2, 100)

    plan = lc.Plan(
        "recalibrated_neyman", "prevalence", classifier="judge", budget=60, params={"horizon": 4}
    )
    session = lc.Session(judged(judged_frame(60)), plan, sessions.store(), "systems")
    session.answer(session.next(), True)
    (one,) = AppTest.from_function(few, default_timeout=60).run().button
    assert one.label == "Decide 2 more pairs: 41 labels", "59 of the 100 are planned"


def test_the_end_of_a_trial_has_its_truth_and_the_errors_of_the_judge(data_folder: Path) -> None:
    trial = TRIALS["judged"]
    population = lc.read_population(trial.write(data_folder), **trial.read_arguments)
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    named = {"trial": trial.name, HIDDEN: dict(trial.hidden)}
    session = lc.Session(population, trial.plan, store, "systems", settings=named)
    records = {one["id"]: one for one in trial.build()}
    answer_draws(session, lambda draw: bool(records[draw.item_id][trial.truth_column]))
    found = reviewed(session, "judge")
    wrong = found.chosen(WRONG)
    assert found.named(WRONG) == "Judge was wrong" and len(wrong) > 0
    told = {one: records[one]["scores"][0] for one in wrong["id"]}
    truth = {one: "pass" if records[one]["true_label"] else "fail" for one in wrong["id"]}
    assert all(told[one]["value"] != truth[one] for one in told)
    assert dict(zip(wrong["id"], wrong["reason"], strict=True)) == {
        one: told[one]["comment"] for one in told
    }
    assert (found.table.loc[~found.table["wrong"], "reason"] == "").all()
    assert len(found.chosen(WRONG, search="close enough")) == sum(
        "close enough" in one["comment"] for one in told.values()
    )
    page = AppTest.from_function(panel, default_timeout=60).run()
    assert "Truth" not in page.table[0].value and len(page.table[0].value) == 5
    session.finish()
    (rates, *_) = (
        one.value for one in AppTest.from_function(panel, default_timeout=60).run().table
    )
    for system, said in zip(rates["System"], rates["Truth"], strict=True):
        mine = [one for one in records.values() if one["metadata"]["model"] == system]
        right = sum(one[trial.truth_column] for one in mine) / len(mine)
        assert said == unbroken(f"{100 * right:.0f} %")


def test_grades_are_told_by_their_mean(data_folder: Path) -> None:
    frame = judged_frame(15).assign(verdict=[1, 2, 3, 4, 5] * 15)
    base = lc.read_population(
        frame, id="id", content="answer", predictions={"judge": "verdict"}, groups=("model",),
        prompt="prompt",
    )  # fmt: skip
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    made = lc.Session(base, lc.Plan("recalibrated_neyman", "accuracy", budget=30), store, "systems")
    answer_draws(made, "4")
    page = AppTest.from_function(panel, default_timeout=60).run()
    (told,) = (one.value for one in page.table)
    assert list(told["System"]) == ["All", *sorted(SYSTEM_NAMES)]
    assert "Mean score" in report_html(made) and "mean score" in report_json(made)
    rows = load_workbook(BytesIO(report_xlsx(made)))["Judge"].iter_rows(min_row=2, max_row=5)
    looks = {str(row[3].value): row[4].number_format for row in rows}
    assert looks["mean score bias"] == "General" and looks["agreement"].endswith("%")
    assert set(told["Judge says"]) == {plain("3.00")} and plain("4.00") in set(told["Mean score"])


def test_what_a_judge_left_empty_is_not_taken_for_known_answers(app) -> None:
    frame = judged_frame(30, systems={"a": 0.5, "b": 0.0})
    rows = [
        {"id": one["id"], "prompt": f"what is {one['prompt']}?", "answer": "always the same",
         "metadata": {"model": one["model"], "prompt_id": one["prompt"]},
         "scores": [{"name": "judge", "value": "pass", "comment": "fine"}] if at % 9 else
                   [{"name": "judge", "value": "fail"}]}
        for at, one in enumerate(frame.to_dict("records"))
    ]  # fmt: skip
    page = with_upload(app, "calls.jsonl", "\n".join(map(json.dumps, rows)).encode())
    assert "60 items" in texts(page) and not page.warning
    assert not [one for one in page.selectbox if "known answers" in one.label]
    page.text_input(key="new-name-0").set_value("mine").run()
    passing = page.multiselect(key="new-passes-0")
    assert passing.label == "Which verdicts of mine pass?"
    passing.set_value(["pass"]).run()
    assert "mine: pass counts as passed" in texts(page).replace("\\", "")
    to_aim(page, "Is it right?")
    assert (
        page.segmented_control(key="new-trained").label
        == "Were these items used to train the judge?"
    )


def questions(base: lc.Population) -> Questions:
    columns = Columns.checked(dialect={}, **base.arguments)
    return Questions(Draft(), columns, Question("?", "", ("no", "yes"), "yes"), base)


def test_a_file_of_judged_answers_suggests_the_question_of_its_systems() -> None:
    frame = judged_frame(60).assign(day="one")
    base = judged(frame, groups=("day", "model"))
    asked = questions(base)
    assert asked.possible[:2] == [SYSTEMS, JUDGE] and asked.first is SYSTEMS
    assert system_column(base) == "model"
    assert questions(judged(frame, groups=())).first is SYSTEMS
    assert PREVALENCE not in asked.possible, "its pass rate is that of the systems"
    other = judged(frame, prompt=None)
    assert questions(other).possible[0] is BOTH
