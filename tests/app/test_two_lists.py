"""Two ranked lists from *New project* to the report, on every page."""

import io
import json
from pathlib import Path

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import labelcore as lc
from labelcore.report import REPORT_FORMS
from labelcore.ui.new_cards import LISTS
from labelcore.words.lists import short_lists
from tests.answering import answer_draws
from tests.app.conftest import bar_texts, created, drawings, picture, texts, to_aim, with_upload
from tests.designs.paired_files import paired

PAGES = ("label", "progress", "explore", "review", "report")
SCHEMA = Path(__file__).parents[2] / "docs/report.schema.json"


def test_every_page_and_report_before_the_band_with_it_and_at_the_end(
    app, data_folder: Path
) -> None:
    known = paired(data_folder / "files", 600, seed=8, shift=1.5)
    plan = lc.Plan(
        "paired_lists", "precision_curve_difference", classifier=["a", "b"], budget=160, seed=2
    )
    url = f"sqlite:///{data_folder / 'labelcore.db'}"
    lists = lc.Session(known.population, plan, url, "demo", settings={"question": "Alike?"})
    for labels in (0, 120):
        answer_draws(lists, known, until=labels)
        found = lists.list_difference()
        assert found.has_interval == (labels >= 120)
        assert labels or short_lists(found).endswith(" answers."), "unsure ones count, too"
        for page in PAGES if labels else PAGES[:2]:
            shown = app(page, project="demo")
            assert not shown.error, (labels, page)
    lists.finish("enough")
    label, progress = app("label", project="demo"), app("progress", project="demo")
    for page in (label, progress):
        assert [row[0] for row in bar_texts(page)] == ["First 100", "First 300"]
    assert short_lists(lists.list_difference()) in texts(label)
    chart = json.dumps(picture(progress))
    assert "precision of a less b, points" in json.dumps(drawings(progress, "picture"))
    assert chart.count('"class": "list"') == 2
    assert "Where do they differ?" in texts(progress)
    made = {name: REPORT_FORMS[name](lists) for name in (".html", ".json", ".xlsx", ".csv", ".md")}
    said = lists.list_difference()
    read = json.loads(made[".json"])
    assert not list(Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).iter_errors(read))
    one = read["results"]["precision_curve_difference"]
    assert one["low"] == said.low.tolist() and len(one["own"]) == 2
    html = made[".html"] if isinstance(made[".html"], str) else made[".html"].decode()
    assert "The difference of the two lists" in html and "First 300: a less b" in html
    sheet = pd.read_excel(io.BytesIO(made[".xlsx"]), sheet_name="Estimates")
    assert len(sheet) == len(said.shown) and sheet["rank"].iloc[-1] == 300
    assert sheet["low"].iloc[-1] == pytest.approx(said.low[-1])


@pytest.mark.usefixtures("price_alone")
def test_the_question_is_asked_where_there_are_two_scores(app, data_folder: Path) -> None:
    rows = "".join(f"i{n},item {n},{n % 97},{(7 * n) % 89}\n" for n in range(300))
    page = with_upload(app, "items.csv", f"id,text,score_a,score_b\n{rows}".encode())
    to_aim(page, "Is it spam?", LISTS.title)
    assert "(at the widest rank)" in texts(page)
    plan = created(page, data_folder).plan
    assert plan.design == "paired_lists" and plan.classifiers == ("a", "b")
