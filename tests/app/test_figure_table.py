"""The table of figures on Progress: classifiers or groups down, and what differs from the rest."""

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.charts.figure_table import ALL_ITEMS, GUESS, OPEN, Drawn, Less, figure_table_node
from labelcore.promises import State
from labelcore.results.cells import Table, TableCell
from labelcore.safe_text import unbroken
from labelcore.ui import compare
from labelcore.ui.compare import MARKED, NONE_AHEAD, OPENED, SHOWN, SORTED, drawn_table, pairs_table
from labelcore.ui.session_picture import beside, picture
from labelcore.words.race import LEVEL_EXACT, NO_DIFFERENCE, pair_words
from labelcore.words.tables import cell_said
from tests.answering import answer_draws
from tests.app.conftest import HOSTILE, Once, button, drawings, folds, sent, table_rows, texts
from tests.designs.paired_files import BOTH, DIFFERENCES, nearly_equal, true_difference
from tests.grouped import grouped, grouped_frame, label_all
from tests.judged import judged, judged_frame
from tests.results.test_types import ONE
from tests.test_pinned import lived


def panel() -> None:
    from labelcore.ui import sessions
    from labelcore.ui.compare import compare_panel

    compare_panel(sessions.session("groups"))


@pytest.fixture
def session(labelled_once: Once) -> lc.Session:
    """Of three groups the second, whose labels are turned round, is worse than the rest."""
    frame = grouped_frame(2_000, shares=(0.6, 0.3, 0.1))
    frame["language"] = frame["language"].replace("l2", HOSTILE)
    frame.loc[frame["language"] == "l1", "truth"] = 1 - frame["truth"]
    plan = lc.Plan(
        "recalibrated_neyman", ["accuracy"], classifier=("m", "n"), budget=160, by="language",
        seed=2, promise="fixed",
    )  # fmt: skip

    def write(folder: Path) -> lc.Session:
        folder.mkdir()
        made = lc.Session(grouped(frame), plan, f"sqlite:///{folder}/labelcore.db", "groups")
        label_all(made, frame)
        return made

    return labelled_once("groups", write)


def test_groups_are_rows_and_what_is_not_asked_is_a_first_guess(session: lc.Session) -> None:
    page = AppTest.from_function(panel, default_timeout=60).run()
    found = table_rows(page)
    assert found[0][0].startswith(f"{ALL_ITEMS} 2,000") and len(found) == 4
    assert {row[0].rsplit(" ", 4)[0] for row in found[1:]} == {"l0", "l1", HOSTILE}
    assert not any(row[1].startswith(GUESS) for row in found)
    assert all(row[2].startswith(GUESS) for row in found), "precision is not asked"
    assert "l1" in texts(page) and "the rest in accuracy" in texts(page)
    page.checkbox[0].check().run()
    assert table_rows(page)[0][1] != found[0][1], "all at once are wider"
    page.segmented_control[0].set_value("classifiers").run()
    assert [row[0].split()[0] for row in table_rows(page)] == ["m", "n"]
    assert "the rest" not in texts(page)


def test_a_difference_that_rounds_to_nothing_has_no_sign(session: lc.Session) -> None:
    drawn = drawn_table(session, session.table("language"), "language", [], "")
    less = {"accuracy": Less(-0.001, -0.3, 0.3, "")}
    node = figure_table_node(replace(drawn, marked=drawn.rows[1:3], less=less))
    told = json.dumps(node, ensure_ascii=False)
    assert '"−30 to +30"' in told and '"0"' in told and '"−0"' not in told


@pytest.mark.parametrize(
    ("changes", "asked", "kind", "said", "marks"),
    [
        ({}, True, "cell", "50 %", ["band", "tick"]),
        ({}, False, "cell guess", GUESS, ["band"]),
        ({"state": "exact", "low": 0.5, "high": 0.5}, True, "cell", "50.00 %", ["band", "tick"]),
        ({"state": "exact", "low": 0.5, "high": 0.5}, False, "cell", "50.00 %", ["band"]),
        ({"low": 0.1, "high": 0.8}, True, "cell", "", ["band"]),
        ({"state": "nothing", "value": None, "low": 0.0}, False, "cell", "not yet", []),
    ],
)
def test_a_cell_shows_what_is_asked_and_what_may_be_told(
    changes: dict[str, Any], asked: bool, kind: str, said: str, marks: list[str]
) -> None:
    """And the price stands in the widest that is asked, which alone is framed."""
    base = replace(ONE, estimand="accuracy", state=State.INTERVAL)
    wide = replace(base, estimand="f1", low=0.2, high=0.7)
    row, framed = ("m", None), changes.get("low") != 0.1  # Which of the two cells is framed.
    first = TableCell(row, "accuracy", replace(base, **changes), asked)
    table = Table((first, TableCell(row, "f1", wide, framed)), "", 0.95, False)
    drawn = Drawn(table, [row], price="9 labels", opened=(row, "accuracy"))
    cells = figure_table_node(drawn)[3][3:]
    kinds, shown = [cell[1]["class"] for cell in cells], [json.dumps(cell) for cell in cells]
    assert kinds[0] == f"{kind}{'' if framed else ' widest'} opened"
    assert kinds[1] == ("cell widest" if framed else "cell guess")
    assert ["9 labels" in one for one in shown] == [not framed, framed]
    assert f'"{said}"' in shown[0]
    assert [mark for mark in ("band", "tick") if f'"{mark}"' in shown[0]] == marks


def test_two_rows_are_compared_and_a_head_sorts(session: lc.Session) -> None:
    page = AppTest.from_function(panel, default_timeout=60).run()
    page.session_state[MARKED] = "language", [("m", "l0"), ("m", "l1")]
    page.session_state[SORTED] = "accuracy"
    page.run()
    found = table_rows(page)
    assert found[-1][0].startswith("l0 minus l1") and found[-1][1].endswith("l0 ahead")
    assert found[1][0].startswith("l0 ") or found[1][0].startswith(HOSTILE[:4])
    assert found[3][0].startswith("l1 "), "the smallest value comes last"
    page.segmented_control[0].set_value("classifiers").run()
    assert len(table_rows(page)) == 2, "rows of another table are not marked here"
    page.session_state[MARKED] = "", [("m", None), ("n", None)]
    page.run()
    assert table_rows(page)[-1][0].startswith("m minus n")
    assert table_rows(page)[-1][1].endswith((OPEN, "ahead"))


def test_the_older_of_two_marks_gives_way(
    session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = session.table("language")
    order = drawn_table(session, table, "language", [], "").rows
    state: dict[str, Any] = {}
    monkeypatch.setattr(st, "session_state", state)
    for pressed, marked in (("row 1", [1]), ("row 2", [1, 2]), ("row 3", [2, 3]), ("row 2", [3])):
        compare._press(pressed, table, order, "language")
        assert state[MARKED] == ("language", [order[place] for place in marked])
    compare._press("head 0", table, order, "language")
    assert state[SORTED] == "accuracy"
    compare._press("head 0", table, order, "language")
    assert state[SORTED] == ""
    for opened in (("language", order[1], table.figures[2]), ("", None, "")):
        compare._press("cell 1 2", table, order, "language")
        assert state[OPENED] == opened


def test_the_picture_is_of_the_row_that_is_marked(
    session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In this project only, and only what the plan asks of it."""
    state: dict[str, Any] = {SHOWN: "groups"}
    monkeypatch.setattr(st, "session_state", state)
    whole = picture(session, beside(session), None).sentence
    for row, by, said in (
        (("m", "l1"), "language", "language 'l1'"),
        (("n", None), "", "'n'"),
        (("n", "l0"), "language", "'n'"),
    ):
        state[MARKED] = by, [row]
        now = picture(session, beside(session), None)
        assert now.chart is not None and now.sentence != whole and said in now.sentence
        assert len(now.bars) == len(picture(session, beside(session), None).bars)
        state[SHOWN] = "another"
        assert picture(session, beside(session), None).sentence == whole
        state[SHOWN] = "groups"
    state[MARKED] = "language", [("m", "gone")]
    assert picture(session, beside(session), None).sentence == whole


def test_the_report_page_has_every_row(session: lc.Session) -> None:
    def page() -> None:
        from labelcore.ui.reporting import report_page

        report_page("groups")

    shown = AppTest.from_function(page, default_timeout=90).run()
    first = shown.table[0].value.astype(str)
    table = session.table()
    assert len(first) == len(table.rows) == 8
    cells = {text for row in first.to_numpy().tolist() for text in row}
    assert {unbroken(cell_said(one)) for one in table.cells} <= cells


def test_of_two_groups_one_is_better_than_the_other() -> None:
    """Each is the rest of the other; it was said that both differ from the rest."""
    frame = judged_frame(200, systems={"alpha": 1.5, "beta": -1.5})
    plan = lc.Plan("recalibrated_neyman", ["prevalence"], budget=150, by="model", seed=2)
    session = lc.Session(judged(frame), plan)
    label_all(session, frame)
    said = compare.differing(session, "model")
    assert re.fullmatch(
        r"95 % sure: alpha is \d+ to \d+ points better than beta in pass rate\.", said
    )


def test_before_a_figure_nothing_differs(data_folder: Path) -> None:
    frame = grouped_frame(1_000, shares=(0.6, 0.4))
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], classifier="m", budget=100)
    store = f"sqlite:///{data_folder / 'labelcore.db'}"
    lc.Session(grouped(frame), plan, store, "groups")
    page = AppTest.from_function(panel, default_timeout=60).run()
    page.segmented_control[0].set_value("language").run()
    assert NONE_AHEAD.format(measure="accuracy") in texts(page)
    assert {row[1] for row in table_rows(page)} <= {"not yet", "too early"}


def test_a_cell_opens_its_arithmetic(session: lc.Session) -> None:
    """Strata, sum and price of the cell that is pressed, and nothing once it is pressed again."""
    page = AppTest.from_function(panel, default_timeout=60).run()
    page.session_state[OPENED] = "language", ("m", "l1"), "accuracy"
    page.run()
    value = f"{100 * session.table().cell('m', 'accuracy', 'l1').estimate.value:.0f}"
    assert any(value in one.value and "l1" in one.value for one in page.markdown)
    assert "estimated from" in texts(page) and len(page.dataframe) == 1
    strata = page.dataframe[0].value
    labels = session.table().cell("m", "accuracy", "l1").estimate.labels_used
    assert strata["Labels"].sum() == labels
    page.session_state[OPENED] = "", None, ""
    page.run()
    assert not page.dataframe


def test_the_labels_of_a_cell_are_asked_by_a_press(app: Callable, data_folder: Path) -> None:
    data_folder.mkdir()
    session = lived("errors alike", [datetime.now(UTC)], f"sqlite:///{data_folder}/labelcore.db")
    page = app("progress", project=session.project)
    key = next(one.id for one in page.get("bidi_component") if "table" in one.proto.json)
    sent(page, key, "pressed", "cell 0 0")
    add, before = button(page, "table-cell-add"), session.engine.allowed
    more = re.match(r"Add (\d+) more labels", add.label)
    add.click().run()
    session.sync()
    assert more is not None and session.engine.allowed == before + int(more[1]) < 300


def test_every_pair_says_who_is_ahead_or_what_decides() -> None:
    known = nearly_equal(300, 8, seed=2)
    plan = lc.Plan("paired_comparison", DIFFERENCES[:3], classifier=list(BOTH), budget=60, seed=1)
    session = lc.Session(known.population, plan)
    assert pairs_table(session).iloc[0]["Accuracy"] == "−2.7 to +2.7: about 8 more labels"
    answer_draws(session, known, 20)
    (row,) = pairs_table(session).to_dict("records")
    gap = 100 * true_difference(known, "accuracy_difference")
    assert row["points"] == "a or b" and row["Accuracy"].endswith(", exact")
    assert (row["Accuracy"][:1] == "a") == (gap > 0) and f"{abs(gap):.1f}" in row["Accuracy"]
    assert {*row} == {"points", "Accuracy", "Precision", "Recall", "F1"}
    nothing, level = {"value": math.nan, "low": -1, "high": 1}, {"value": 0, "low": 0, "high": 0}
    assert (pair_words(nothing), pair_words(level)) == (NO_DIFFERENCE, LEVEL_EXACT)


def test_the_report_folds_the_groups_that_the_plan_does_not_ask_about(
    app: Callable, data_folder: Path, session: lc.Session
) -> None:
    assert not [one for one in folds(app("report", project="groups")) if one.startswith("By ")]
    frame = grouped_frame(400, shares=(0.6, 0.3, 0.1))
    plan = lc.Plan("simple_random", "accuracy", classifier="m", budget=40, promise="fixed", seed=1)
    label_all(lc.Session(grouped(frame), plan, session.store, "free"), frame)
    assert "By language" in folds(app("report", project="free"))


def test_the_report_on_groups_does_not_say_that_it_is_silent_on_them(
    app: Callable, session: lc.Session
) -> None:
    shown = json.dumps(drawings(app("report", project="groups"), "picture"))
    assert "for a group that the table lacks, or for" in shown


def test_of_one_row_only_what_can_be_pressed_is_said(app: Callable, session: lc.Session) -> None:
    frame = grouped_frame(400, shares=(0.6, 0.3, 0.1))
    plan = lc.Plan("simple_random", "accuracy", classifier="m", budget=40, promise="fixed", seed=1)
    alone = grouped(frame, scores={"m": "score"}, thresholds={"m": 0.5})
    label_all(lc.Session(alone, plan, session.store, "free"), frame)
    page = app("progress", project="free")
    said = [one.value for one in page.caption]
    assert compare.HINT_OF_ONE in said and compare.HINT not in said
    rows = page.segmented_control(key="table-rows")
    assert rows.options == ["classifier", "language"]
    rows.set_value("language").run()
    assert compare.HINT in [one.value for one in page.caption]
