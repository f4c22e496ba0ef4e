"""CSV files that hold everything and that a spreadsheet cannot run."""

import csv
import io
import json
from pathlib import Path

import openpyxl  # type: ignore[import-untyped]
import pytest

import labelcore as lc
from labelcore.exchange import BATCH_FORMS, LABELLED_FORMS
from labelcore.log.events import Event
from labelcore.report import (
    estimates_csv,
    events_csv,
    labels_file,
    report_html,
    report_json,
    report_xlsx,
    table_file,
)
from labelcore.report.tables import EVENT_COLUMNS, FORMULA_STARTS, guarded, unguarded
from labelcore.ui.confusion import for_file
from labelcore.words.sentences import percent
from tests.answering import next_draw
from tests.report.conftest import Made
from tests.report.sessions import begun, label
from tests.rows import write_rows


def rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_events_hold_the_whole_log(made: Made) -> None:
    found = rows(events_csv(made.session))
    assert tuple(found[0]) == EVENT_COLUMNS
    assert len(found) == len(made.session.events)

    def number(text: str) -> int | None:
        return int(text) if text else None

    before = found[0]["hash_prev"]
    for row in found:
        event = Event(
            sequence=int(row["event_id"]), kind=row["event"], at=row["answered_at"],
            annotator=row["annotator"], token=row["token"] or None,
            answers=row["answers"] or None, index=number(row["draw_index"]),
            item_id=row["item_id"] or None, stratum=number(row["stratum"]),
            batch=number(row["batch"]), basis=number(row["basis"]), label=row["label"] or None,
            text=row["note"] or None, previous=number(row["previous_event"]),
            shown_at=row["shown_at"] or None, detail=json.loads(row["detail"] or "{}"),
        )  # fmt: skip
        assert row["hash_prev"] == before
        assert event.digest(before) == row["hash"]
        before = row["hash"]


def test_estimates_have_numbers_promise_and_sentence(made: Made) -> None:
    found = {row["estimand"]: row for row in rows(estimates_csv(made.session))}
    for key, result in made.session.results().items():
        assert float(found[key]["low"]) == result.low
        assert found[key]["promise"] == "watched"
        assert found[key]["sentence"] == result.sentence()


def test_a_value_that_says_little_is_in_no_cell_and_no_line_of_the_report(tmp_path: Path) -> None:
    session, truth = begun(tmp_path, estimands=["precision"])
    label(session, truth, 6, eventful=False)
    found = session.results()["precision"]
    assert found.told is None and found.value is not None
    (row,) = rows(estimates_csv(session))
    assert (row["value"], row["tentative"]) == ("", "True") and float(row["low"]) == found.low
    told = json.loads(report_json(session))["results"]["precision"]
    assert (told["value"], told["told"]) == (found.value, None)
    page = report_html(session)
    assert percent(found.value).removesuffix(" %") not in found.sentence()
    assert f">{percent(found.value)}" not in page and "6 labels" in page


@pytest.mark.parametrize("start", [*FORMULA_STARTS, " =", "  @"])
def test_every_start_of_a_formula_is_guarded(start: str) -> None:
    assert guarded(start + "1") == "'" + start + "1"


# What a spreadsheet, or whoever cleans a file for it, may take away before it looks at a cell.
UNSEEN = (
    *("\u200b", "\u200d", "\ufeff", "\u2060", "\u00ad", "\u202e", "\u180e", "\u034f", "\u3164"),
    *("\u00a0", "\u2007", "\u3000", "\u0085", "\u2028", "\x00", "\x0b", "\x0c", "\x1f", "\x7f"),
    *("\ufeff\u00a0 ", " \u200b\t"),
)


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "＝"])
@pytest.mark.parametrize("unseen", UNSEEN)
def test_what_is_not_seen_before_a_formula_does_not_hide_it(unseen: str, start: str) -> None:
    text = f"{unseen}{start}cmd|' /C calc'!A0"
    assert guarded(text) == f"'{text}" and unguarded(guarded(text)) == text


NUMBERS, UNSEEN_BEFORE = (-5, -0.25, 3, None), ("\u00a0plain", "\u200b5", "e\u0301=1", "\u200b")


@pytest.mark.parametrize("value", [*NUMBERS, *UNSEEN_BEFORE, "plain", "a-b", "5", "'tis", ""])
def test_numbers_and_plain_texts_stay(value: object) -> None:
    assert guarded(value) == value == (unguarded(value) if isinstance(value, str) else value)


def test_every_export_guards_what_begins_unseen(tmp_path: Path) -> None:
    """Ids, contents, notes, columns: in CSV and Excel, and in the table of a tool."""
    bad = "\u200b=1+1"
    rows = [[f"\u00a0={n}", f"\ufeff@{n}", n % 2] for n in range(40)]
    write_rows(tmp_path / "items.csv", ["id", "\x1f+text", "pred"], rows)
    population = lc.read_population(
        tmp_path / "items.csv", id="id", content="\x1f+text", predictions={bad: "pred"}
    )
    session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=5))
    draw = next_draw(session, bad)
    session.answer(draw, 1, annotator=bad)
    session.note(draw.index, bad)
    confusion = table_file(for_file(session.confusion()), ".csv").decode("utf-8-sig")
    texts = [events_csv(session), estimates_csv(session), confusion]
    texts += [labels_file(session, ".csv", content=True).decode("utf-8-sig")]
    texts += [LABELLED_FORMS["asreview"](session).decode()]
    texts += [BATCH_FORMS["table"](session, [draw], ".csv").decode("utf-8-sig")]
    cells = [cell for text in texts for row in csv.reader(io.StringIO(text)) for cell in row]
    for content in (report_xlsx(session), labels_file(session, ".xlsx", content=True)):
        book = openpyxl.load_workbook(io.BytesIO(content))
        cells += [
            one
            for sheet in book
            for row in sheet.iter_rows(values_only=True)
            for one in row
            if isinstance(one, str)
        ]
    hidden = [cell for cell in cells if any(mark in cell for mark in "\u200b\u00a0\ufeff\x1f")]
    assert len(hidden) >= 20
    shown = [cell.lstrip("\u200b\u00a0\ufeff\x1f") for cell in cells]
    assert not [cell for cell in shown if cell.startswith(FORMULA_STARTS)]


def test_byte_order_mark_is_a_choice(made: Made) -> None:
    for text in (events_csv, estimates_csv):
        assert text(made.session, byte_order_mark=True) == "\ufeff" + text(made.session)
