"""Answers of a file, checked as a whole and then stored."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from labelcore.errors import AnswerError, Fault, PopulationError
from labelcore.exchange.label_studio import answers_of_tasks
from labelcore.log.events import Event, answer_word
from labelcore.log.screens import Shown
from labelcore.population.formats import open_table
from labelcore.population.label_studio import read_tasks
from labelcore.population.text import as_text
from labelcore.promises import Word
from labelcore.report import unguarded
from labelcore.session.session import Session


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer as a file has it.

    row     where it stands, 1 is the first
    token   of the draw, or None; item_id: of the item, or None where there is a token
    answer  "" where none was given
    """

    row: int
    token: str | None
    item_id: str | None
    answer: str
    note: str = ""


class Outcome(Word):
    """What became of an answer."""

    STORED = "stored"
    SAME = "same"
    CHANGED = "changed"
    DIFFERENT = "different"
    EMPTY = "empty"

    @property
    def words(self) -> str:
        return _WORDS[self.value]


_WORDS = {
    "stored": "stored",
    "same": "there already",
    "changed": "changed",
    "different": "left as they are, though they differ (--change changes an item's first answer)",
    "empty": "still to be given",
}


def read_answers(path: Path) -> list[Answered]:
    """The answers of a table or of an export of Label Studio.

    Raises FileNotFoundError, ValueError for a file that is neither, PopulationError for one that
    cannot be read.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    tasks = read_tasks(path)
    if tasks is not None:
        return [
            Answered(row, one.token, one.item_id, one.answer, one.note)
            for row, one in enumerate(answers_of_tasks(path.name, tasks), 1)
        ]
    table = open_table(path)
    faults = table.faults()
    if faults:
        raise PopulationError(faults)
    names = [name for name in ("token", "id", "answer", "note") if name in table.columns]
    if "answer" not in names or not {"token", "id"} & set(names):
        raise ValueError(
            f"{path.name}: answers are read from the columns answer and token or id, or from an "
            f"export of Label Studio; its columns are {', '.join(table.columns)}"
        )
    columns = {name: as_text(one).to_pylist() for name, one in table.load(names).items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [
        Answered(
            number,
            row.get("token") or None,
            row.get("id") or None,
            unguarded(row["answer"]).strip(),
            unguarded(row.get("note", "")).strip(),
        )
        for number, row in enumerate(rows, 1)
    ]


def store_answers(
    session: Session,
    answers: Sequence[Answered],
    *,
    change: bool = False,
    annotator: str | None = None,
) -> dict[int, Outcome]:
    """Store each answer in the name of whoever drew the item; {row: what became of it}. Nothing is
    stored where one cannot be.

    change      whether answers that are there and differ are changed; a further answer to an item
                stays as it was given
    annotator   whose answers they all are; None: of whoever drew the item. With an overlap several
                people draw an item, and an answer without a token needs it
    Raises PopulationError with a fault for each row that names no drawn item, or an unknown answer;
    ValueError where nobody says whose the answers are.
    """
    session.sync()
    unsigned = sum(bool(one.answer) and one.token is None for one in answers)
    if unsigned and annotator is None and session.plan.overlap:
        raise ValueError(
            f"annotator (--annotator) must name whose answers these are, or each must have its "
            f"token: in this project several people judge the same items, and {unsigned:,} of the "
            "answers have an id alone"
        )
    found, faults = {}, []
    for one in answers:
        fault = _fault(session, one, annotator) if one.answer else None
        if fault is not None:
            faults.append(fault)
        elif one.answer:
            found[one.row] = one
    if faults:
        raise PopulationError(faults)
    empty = {one.row: Outcome.EMPTY for one in answers}
    return empty | {row: _store(session, one, change, annotator) for row, one in found.items()}


def _fault(session: Session, one: Answered, annotator: str | None) -> Fault | None:
    """What keeps an answer from being stored."""
    shown = _shown(session, one, annotator)
    if shown is None:
        name, value = ("token", one.token) if one.token else ("id", one.item_id)
        whose = "" if annotator is None else f" for {annotator!r}"
        rule = f"no item that was drawn{whose} in this project has this {name}"
        return Fault("answers", name, one.row, value, rule)
    draw = shown.draw
    if draw.token in session.state.answered and _before(session, shown) is None:
        rule = "the answer to this item was taken back; draw the item again"
        return Fault("answers", "token", one.row, draw.token, rule)
    try:
        session.engine.kind_of(one.answer)
    except AnswerError as error:
        return Fault("answers", "answer", one.row, None, str(error))
    return None


def _shown(session: Session, one: Answered, annotator: str | None) -> Shown | None:
    """The draw that an answer is for, of this person where one is named; by its id the one that is
    open, else the last one."""
    screens = session.state.screens
    if one.token is not None:
        found = screens.shown.get(one.token)
        return found if found and annotator in (None, found.annotator) else None
    mine = [
        found
        for found in screens.shown.values()
        if found.draw.item_id == one.item_id and annotator in (None, found.annotator)
    ]
    mine.sort(key=lambda found: (screens.is_open(found.draw.token), found.sequence))
    return mine[-1] if mine else None


def _store(session: Session, one: Answered, change: bool, annotator: str | None) -> Outcome:
    shown = _shown(session, one, annotator)
    assert shown is not None
    draw, person = shown.draw, shown.annotator
    before = _before(session, shown)
    outcome = Outcome.STORED
    if before is None or (before.kind == "later" and _is_open(session, shown)):
        session.answer(draw, one.answer)
    elif _means(session, before, one.answer):
        outcome = Outcome.SAME
    elif change and one.answer != "later" and before.kind != "reread":
        mark = hashlib.sha256(f"{before.sequence}\n{one.answer}".encode()).hexdigest()[:24]
        session.revise(draw.index, one.answer, mark, annotator=person)
        outcome = Outcome.CHANGED
    else:
        return Outcome.DIFFERENT
    if one.note and session.last_said(draw, "noted") != one.note:
        session.note(draw.index, one.note, annotator=person)
    return outcome


def _before(session: Session, shown: Shown) -> Event | None:
    """The answer in force that one for this draw is compared with: the first to the item, or, where
    this person gave a further one, that."""
    draw, person = shown.draw, shown.annotator
    if not draw.repeat:
        return session.own_reading(draw.index, person) or session.engine.in_force(draw.index)
    used = draw.token in session.state.answered
    return session.engine.repeats.further(draw.index, person) if used else None


def _is_open(session: Session, shown: Shown) -> bool:
    """Whether the draw is still before the person."""
    return session.state.screens.is_open(shown.draw.token)


def _means(session: Session, before: Event, answer: str) -> bool:
    kind, label = session.engine.kind_of(answer)
    return answer_word(before) == (label or kind)
