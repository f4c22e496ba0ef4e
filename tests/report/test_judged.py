"""Systems and their judge in every form of the report, and on the command line, say the same."""

import csv
from dataclasses import replace
from html import unescape
from io import BytesIO, StringIO

import pandas as pd
import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

import labelcore as lc
from labelcore.cli import main
from labelcore.report import estimates_csv, report_html, report_json, report_pdf, report_xlsx
from labelcore.report.judged import AGREES, MEANS, MEASURES, PAIRS, RATES, SHARES, Judged, judged_of
from labelcore.report.markdown import report_markdown
from tests.answering import answer_draws
from tests.grouped import label_all
from tests.judged import judged, judged_frame
from tests.report.sessions import HOSTILE, as_json
from tests.report.test_schema import faults

NAMES = {"alpha": 0.9, "beta": 0.2, HOSTILE[1]: -0.4}


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('judged') / 'labelcore.db'}"


@pytest.fixture(scope="module")
def session(store: str) -> lc.Session:
    frame = judged_frame(120, systems=NAMES)
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", budget=120, seed=2,
                   by="model", promise="fixed")  # fmt: skip
    made = lc.Session(judged(frame), plan, store, "systems")
    assert judged_of(made) is None, "nothing is said before the first label"
    label_all(made, frame)
    return made


def test_every_form_has_pass_rates_pairs_and_the_judge(session: lc.Session) -> None:
    found = judged_of(session)
    assert found is not None
    rates, pairs = found.tables()[RATES], found.tables()[PAIRS]
    html, text = unescape(report_html(session)), report_markdown(session)
    first = " ".join(PdfReader(BytesIO(report_pdf(session))).pages[0].extract_text().split())
    kappa = found.tables()[MEASURES]["Kappa"].iloc[0]
    for told in (*found.sentences(), *rates["Interval"], *pairs.iloc[0, 1:], kappa):
        as_told = told.replace(" %", "\N{NO-BREAK SPACE}%")
        assert as_told in html and as_told.split()[0] in text and told.split()[0] in first
    assert set(NAMES) == {*rates["System"]} and found.legend() in html
    values = as_json(report_json(session))
    assert faults(values) == []
    assert len(values["judged"]["pairs"]) == 3 and len(values["judged"]["measures"]) == 4 * 7
    book = load_workbook(BytesIO(report_xlsx(session)))
    assert book["Judge"].max_row == 1 + 4 * 7 and book["Pairs"].max_row == 1 + 3
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert not [one for one in cells if one.data_type == "f"]
    rows = list(csv.DictReader(StringIO(estimates_csv(session))))
    told = [one for one in rows if one["estimand"] == "prevalence_difference"]
    assert [float(one["low"]) for one in told] == session.differences("model", "prevalence")[
        "low"
    ].tolist()


def test_of_one_system_the_judge_is_told_alone() -> None:
    frame = judged_frame(120, systems={"alpha": 0.9})
    frame["prompt"] = [f"p{row // 2}" for row in range(len(frame))]
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", budget=60, seed=2)
    session = lc.Session(judged(frame), plan)
    label_all(session, frame)
    for rest in (False, True):
        assert session.differences("model", "prevalence", rest=rest).empty
    assert session.ranking("model", "prevalence").empty
    found = judged_of(session)
    assert found is not None and [*found.tables()] == [MEASURES]
    assert found.sentences()[0] in unescape(report_html(session)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize("column", ["judge_score", "digit"])
@pytest.mark.parametrize("prompt", ["prompt", None])
def test_grades_are_told_of_answers_to_prompts_or_by_what_they_are_called(
    prompt: str | None, column: str
) -> None:
    """Digits that are read are no grades."""
    frame = judged_frame(10, systems=NAMES).assign(**{column: [1, 2, 3, 4, 5] * 6})
    graded = lc.read_population(
        frame, id="id", content="answer", predictions={"judge": column}, prompt=prompt,
        name="graded.csv",
    )  # fmt: skip
    session = lc.Session(graded, lc.Plan("recalibrated_neyman", "accuracy", budget=5))
    told = judged_of(answer_draws(session, "4"))
    assert (told is None) == (prompt is None and column == "digit")
    assert told is None or next(iter(told.tables()[MEANS])) == "Answers"


def test_the_command_line_says_it(
    session: lc.Session, store: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["status", "--store", store, "--project", "systems"]) == 0
    said = capsys.readouterr().out
    assert "The judge passes" in said and "Judge too kind by" in said and "Kappa" in said
    assert main(["status", "--store", store, "--project", "systems", "--json"]) == 0
    told = as_json(capsys.readouterr().out)["judged"]
    assert told["places"] == session.ranking("model", "prevalence").to_dict("records")


def test_a_judge_is_no_classifier_and_one_item_was_drawn() -> None:
    frame = judged_frame(60, systems=NAMES)
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", budget=40)
    session = lc.Session(judged(frame), plan, settings={"used_for_training": True})
    session.answer(session.next(), "unsure")  # type: ignore[arg-type]
    html = unescape(report_html(session))
    assert "A judge looks better on items it was trained on than on new ones." in html
    assert "1 was drawn with the design" in html
    assert "No item got a class; 1 was called not sure and 0 broken." in html


def test_a_judge_alone_is_told_where_the_file_has_answers() -> None:
    frame = judged_frame(60, systems={"alpha": 0.9, "beta": 0.2})
    plan = lc.Plan("recalibrated_neyman", sorted(AGREES), classifier="judge", budget=40)
    alone, other = (
        lc.Session(judged(frame, groups=(), prompt=prompt), plan) for prompt in ("prompt", None)
    )
    label_all(alone, frame)
    found = judged_of(alone)
    assert found is not None and [*found.tables()] == [MEASURES] and len(found.sentences()) == 1
    assert load_workbook(BytesIO(report_xlsx(alone))).sheetnames[-2:] == ["Judge", "Labels"]
    many = frame.assign(model=frame["model"] + (frame.index % 12).astype(str))
    wide = lc.Session(judged(many), replace(plan, estimands=("prevalence",)))
    for session in (other, wide):
        session.answer(session.next(), True)  # type: ignore[arg-type]
    told = judged_of(wide)
    assert told is not None and [*told.tables()] == [MEASURES], "276 pairs help nobody"
    assert judged_of(other) is None, "a classifier of anything else is no judge"


def test_of_several_judges_it_is_said_which_one() -> None:
    frame = judged_frame(60, systems={"alpha": 0.9, "beta": 0.2}).assign(other="pass")
    frame.loc[::2, "other"] = "fail"
    more = {"predictions": {"other": "other"}, "passing": {"other": ["pass"]}}
    plan = lc.Plan("recalibrated_neyman", ["prevalence"], classifier="judge", budget=40)
    session = lc.Session(judged(frame, **more), plan)
    label_all(session, frame)
    found = judged_of(session)
    assert found is not None and found.sentences()[0].startswith("judge passes ")
    assert replace(found, judge="").sentences()[0].startswith("The judge passes ")


def test_people_are_held_against_each_other_where_two_judged_the_same() -> None:
    """The judge's agreement says little without theirs."""
    frame = judged_frame(60, systems={"alpha": 0.4, "beta": 0.1})
    plan = lc.Plan("recalibrated_neyman", [*AGREES], classifier="judge", budget=40, seed=2,
                   overlap=0.5, promise="fixed")  # fmt: skip
    session = lc.Session(judged(frame), plan)
    truth = dict(zip(frame["id"], frame["truth"], strict=True))
    number = 0
    for who in ("ann", "bob"):
        while (draw := session.next(who)) is not None:
            number += 1
            session.answer(draw, str(truth[draw.item_id] ^ (who == "bob" and number % 4 == 0)))
    found = judged_of(session)
    assert found is not None
    table, both = found.tables()[MEASURES], session.agreement()
    assert table[MEASURES].tolist() == [
        "against people", "as settled by two people", "two people, on what both judged",
    ]  # fmt: skip
    (head,) = found.sentences()
    settled = session.judge(settled=True).set_index("measure")
    page = unescape(report_html(session))
    assert "; as settled by two people, " in head and head in page
    assert "repeated items got a different answer from another person (" in page
    assert "People, by their first answers</dt><dd>one person" in page
    assert all(f"judged {name}<" in page for name in session.population.classes)
    assert "Where labelling stands" in page and "Why labelling stopped" not in page
    low = 100 * settled.loc["agreement", "low"]
    assert f"({int(low)} to " in table["Agreement"].iloc[1]
    assert "(" in table["True pass rate"].iloc[1] and "True passes" not in table
    assert len(as_json(report_json(session))["judged"]["settled"]) == len(settled)
    assert both.items >= 10 and both.differing and both.share.value is not None
    assert table["Agreement"].iloc[2].startswith(f"{100 * both.share.value:.0f} % (")
    assert table["True pass rate"].iloc[2] == ""
    assert f"{both.coefficients['fleiss_kappa'].value:.2f}" in table["Kappa"].iloc[2]
    assert "two people, on what both judged" in page
    book = load_workbook(BytesIO(report_xlsx(session)))["Judge"]
    assert book.max_row == 1 + 2 * len(settled)


def test_each_system_has_its_settled_pass_rate_in_the_same_table() -> None:
    frame = judged_frame(120, systems={"alpha": 0.4, "beta": 0.1})
    plan = lc.Plan("recalibrated_neyman", "prevalence", classifier="judge", budget=100, seed=2,
                   by="model", overlap=1.0, promise="fixed")  # fmt: skip
    session = lc.Session(judged(frame), plan)
    truth = dict(zip(frame["id"], frame["truth"], strict=True))
    for who in ("ann", "bob"):
        answer_draws(session, lambda draw: str(truth[draw.item_id]), who=who)
    found = judged_of(session)
    assert found is not None
    rates, settled = found.tables()[RATES], session.judge("model", settled=True)
    low = settled[(settled["measure"] == "pass rate") & (settled["group"] == rates["System"][0])]
    assert rates["As settled"].iloc[0].startswith(f"{int(100 * low['low'].iloc[0])} to ")
    names = [f"Pass rate, settled (judge, model {one!r})" for one in ("alpha", "beta")]
    text = report_markdown(session)
    assert all(f"| {name} |" in text for name in ("Pass rate, settled (judge)", *names))
    assert "model=" not in text.partition("## Appendix")[0]


def test_a_narrow_interval_holds_its_value_as_both_are_told() -> None:
    """With a value of whole per cents it lay outside: 91 % (91.3 to 91.7)."""
    ends = {"value": 0.9146, "low": 0.9131, "high": 0.9162}
    measures = pd.DataFrame(
        [{"measure": name, "group": None, **ends} for name in (*SHARES, "kappa")]
    )
    nothing = pd.DataFrame()
    told = Judged("", measures, nothing, nothing, 0.95).tables()[MEASURES]
    assert told["Agreement"].item() == "91.46 % (91.31 to 91.62)"
