"""CSV files of the events and of the estimates, safe to open in a spreadsheet."""

import csv
import io
import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from labelcore.log.events import ANSWER_KINDS, Event, genesis
from labelcore.report.facts import Facts
from labelcore.results.table import RESULT_COLUMNS, result_rows
from labelcore.session.session import Session

BYTE_ORDER_MARK = "\ufeff"
SECOND_PASS = ("redrawn", "reread", "late")
# Characters that a program may drop before it looks for a formula: spaces, marks, controls.
SKIPPED = frozenset(("Cc", "Cf", "Cn", "Cs", "Zl", "Zp", "Zs", "Me", "Mn"))
UNSEEN = "\u115f\u1160\u2800\u3164\uffa0"
"""Letters without a picture."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")

EVENT_COLUMNS = (
    "event_id", "project", "item_id", "annotator", "pass", "label", "event", "note", "shown_at",
    "answered_at", "draw_index", "stratum", "batch", "basis", "token", "answers",
    "previous_event", "detail", "hash_prev", "hash",
)  # fmt: skip


def events_csv(session: Session, *, byte_order_mark: bool = False) -> str:
    """The whole log, one row per event.

    answered_at   when the event was stored, whatever its kind
    note          the words of a note, a flag, a reason, a new wording; of a second or late answer
                  without a class what it was
    pass          2 where an item is shown or answered a second time, also by an answer that came
                  late, 1 for what else is about an item
    detail        JSON: the figures of a look, the budget of an extension
    Texts that a spreadsheet would take for a formula have an apostrophe before them.
    """
    facts = Facts(session)
    before = [genesis(facts.record.fingerprint, facts.record.plan_json)]
    before += [event.hash for event in facts.events]
    rows = [
        _event_row(facts.project, event, previous)
        for event, previous in zip(facts.events, before, strict=False)
    ]
    return csv_text(EVENT_COLUMNS, rows, BYTE_ORDER_MARK if byte_order_mark else "")


def estimates_csv(session: Session, *, byte_order_mark: bool = False) -> str:
    """The results now, one row per estimate, per point of a curve and per claim, and the first
    guesses of the table of figures, which were not asked; a value that says little yet is left out,
    a claim has its status as state, evidence instead of an interval, and its own error level alpha;
    a choice has a row per candidate."""
    facts = Facts(session)
    rows = [row for result in facts.results.values() for row in result_rows(facts.project, result)]
    guesses = {
        cell.estimate.estimand: cell.estimate
        for table in facts.tables
        for cell in table.cells
        if not cell.asked
    }
    rows += [
        {**row, "asked": False}
        for guess in guesses.values()
        for row in result_rows(facts.project, guess)
    ]
    rows += [] if facts.judged is None else facts.judged.rows(facts.project)
    return csv_text(RESULT_COLUMNS, rows, BYTE_ORDER_MARK if byte_order_mark else "")


def guarded(value: Any) -> Any:
    """A cell that no spreadsheet runs as a formula; numbers stay numbers.

    >>> guarded("=1+1"), guarded("-5"), guarded(-5), guarded("a=1")
    ("'=1+1", "'-5", -5, 'a=1')
    """
    return "'" + value if isinstance(value, str) and _may_run(value) else value


def csv_cell(value: Any) -> Any:
    r"""``guarded``, without the character NUL, with which no CSV file is read.

    >>> csv_cell("a\0b"), csv_cell("\0=1"), csv_cell(0.5)
    ('ab', "'=1", 0.5)
    """
    kept = guarded(value)
    return kept.replace("\0", "") if isinstance(kept, str) else kept


def unguarded(text: str) -> str:
    """A text as it was before ``guarded``.

    >>> unguarded(guarded("-5")), unguarded("'tis")
    ('-5', "'tis")
    """
    return text[1:] if text[:1] == "'" and _may_run(text[1:]) else text


def _may_run(text: str) -> bool:
    """Whether the first character that is seen, or a first tab or line, begins a formula."""
    seen = next((character for character in text if not _is_unseen(character)), "")
    return text.lstrip(" ").startswith(FORMULA_STARTS) or seen in FORMULA_STARTS


def _is_unseen(character: str) -> bool:
    return unicodedata.category(character) in SKIPPED or character in UNSEEN


def _event_row(project: str, event: Event, before: str) -> dict[str, Any]:
    return {
        "event_id": event.sequence,
        "project": project,
        "item_id": event.item_id,
        "annotator": event.annotator,
        "pass": None if event.index is None else 2 if event.kind in SECOND_PASS else 1,
        "label": event.label,
        "event": event.kind,
        "note": event.text,
        "shown_at": event.shown_at if event.kind in (*ANSWER_KINDS, "reread", "late") else None,
        "answered_at": event.at,
        "draw_index": event.index,
        "stratum": event.stratum,
        "batch": event.batch,
        "basis": event.basis,
        "token": event.token,
        "answers": event.answers,
        "previous_event": event.previous,
        "detail": json.dumps(dict(event.detail), ensure_ascii=False) if event.detail else None,
        "hash_prev": before,
        "hash": event.hash,
    }


def csv_text(
    columns: Sequence[str], rows: Iterable[Mapping[str, Any]], byte_order_mark: str = ""
) -> str:
    """A CSV file in which no spreadsheet runs a text as a formula."""
    stream = io.StringIO()
    writer = csv.writer(stream)
    writer.writerow([csv_cell(name) for name in columns])
    for row in rows:
        writer.writerow([csv_cell(row.get(name)) for name in columns])
    return byte_order_mark + stream.getvalue()
