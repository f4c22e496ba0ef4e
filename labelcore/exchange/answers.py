"""Answers of a file, checked as a whole and then stored."""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from labelcore.errors import AnswerError, Fault, LateAnswerError, PopulationError
from labelcore.exchange.label_studio import answers_of_tasks
from labelcore.exchange.rows import Answered
from labelcore.log.events import Event, answer_word
from labelcore.log.screens import Shown
from labelcore.population.formats import open_table
from labelcore.population.label_studio import read_tasks
from labelcore.population.text import as_text
from labelcore.promises import Word
from labelcore.report import unguarded
from labelcore.session.session import Session


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
    "different": "not stored, as another one is there (--change changes an item's first answer)",
    "empty": "still to be given",
}


def read_answers(path: Path, classes: Collection[str] = ()) -> list[Answered]:
    """The answers of a table or of an export of Label Studio; a class of the project may be called
    as our words for an answer without one are there.

    Raises FileNotFoundError, ValueError for a file that is neither, PopulationError for one that
    cannot be read.
    """
    if not path.is_file():
        raise FileNotFoundError(f"{path}: there is no such file")
    tasks = read_tasks(path)
    if tasks is not None:
        return answers_of_tasks(path.name, tasks, classes)
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
    columns = {name: as_text(column).to_pylist() for name, column in table.load(names).items()}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return [
        Answered(
            number,
            row.get("token") or None,
            unguarded(row.get("id", "")) or None,
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
    file: str = "answers",
) -> dict[int, Outcome]:
    """Store each answer in the name of whoever drew the item; {row: what became of it}. Nothing is
    stored where one cannot be.

    change      whether answers that are there and differ are changed; a further answer to an item
                stays as it was given
    annotator   whose answers they all are; None: of whoever drew the item. With an overlap several
                people draw an item, and an answer without a token needs it
    file        what faults call the answers
    Raises PopulationError with a fault for each row that names no drawn item, or an unknown answer;
    ValueError where nobody says whose the answers are.
    """
    session.sync()
    annotator = None if annotator is None else session.ledger.spelled(annotator)
    unsigned = sum(bool(answered.answer) and answered.token is None for answered in answers)
    if unsigned and annotator is None and session.plan.overlap:
        raise ValueError(
            f"annotator (--annotator) must name whose answers these are, or each must have its "
            f"token: in this project several people judge the same items, and {unsigned:,} of the "
            "answers have an id alone"
        )
    of_item: dict[str, list[Shown]] = {}
    for shown in session.state.screens.shown.values():
        of_item.setdefault(shown.draw.item_id, []).append(shown)
    place = partial(_shown, session, of_item, annotator)
    full, faults = {}, []
    for answer in answers:
        fault = _fault(session, answer, annotator, place(answer)) if answer.answer else None
        if fault is not None:
            faults.append(replace(fault, file=file))
        elif answer.answer:
            full[answer.row] = answer
    if faults:
        raise PopulationError(faults)
    empty = {answer.row: Outcome.EMPTY for answer in answers}
    return empty | {
        row: _store(session, answer, change, place(answer)) for row, answer in full.items()
    }


def _fault(
    session: Session, answer: Answered, annotator: str | None, shown: Shown | None
) -> Fault | None:
    """What keeps an answer from being stored."""
    if shown is None:
        name, value = ("token", answer.token) if answer.token else ("id", answer.item_id)
        whose = "" if annotator is None else f" for {annotator!r}"
        rule = f"no item that was drawn{whose} in this project has this {name}"
        return Fault("answers", name, answer.row, value, rule)
    draw = shown.draw
    if draw.token in session.state.answered and _before(session, shown) is None:
        rule = "the answer to this item was taken back; draw the item again"
        return Fault("answers", "token", answer.row, draw.token, rule)
    try:
        session.engine.kind_of(answer.answer)
    except AnswerError as error:
        return Fault("answers", "answer", answer.row, None, str(error))
    return None


def _shown(
    session: Session,
    of_item: Mapping[str, Sequence[Shown]],
    annotator: str | None,
    answer: Answered,
) -> Shown | None:
    """The draw that an answer is for, of this person where one is named; by its id the one that is
    open, else the last one."""
    screens = session.state.screens
    if answer.token is not None:
        shown = screens.shown.get(answer.token)
        return shown if shown and annotator in (None, shown.annotator) else None
    there = of_item.get(str(answer.item_id), ())
    mine = [shown for shown in there if annotator in (None, shown.annotator)]
    mine.sort(key=lambda shown: (screens.is_open(shown.draw.token), shown.sequence))
    return mine[-1] if mine else None


def _store(session: Session, answer: Answered, change: bool, shown: Shown | None) -> Outcome:
    assert shown is not None
    draw, person = shown.draw, shown.annotator
    before = _before(session, shown)
    outcome = Outcome.STORED
    if before is None or (before.kind == "later" and session.state.screens.is_open(draw.token)):
        try:
            session.answer(draw, answer.answer)
        except LateAnswerError:  # Others have the item by now, or nothing waits for this answer.
            return Outcome.DIFFERENT
    elif _means(session, before, answer.answer):
        outcome = Outcome.SAME
    elif change and answer.answer != "later" and before.kind != "reread":
        change_of = f"{session.project}\n{before.sequence}\n{answer.answer}"
        mark = hashlib.sha256(change_of.encode()).hexdigest()[:24]
        session.revise(draw.index, answer.answer, mark, annotator=person)
        outcome = Outcome.CHANGED
    else:
        return Outcome.DIFFERENT
    if answer.note and session.last_said(draw, "noted") != answer.note:
        session.note(draw.index, answer.note, annotator=person)
    return outcome


def _before(session: Session, shown: Shown) -> Event | None:
    """The answer in force that one for this draw is compared with: the first to the item, or, where
    this person gave a further one, that."""
    draw, person = shown.draw, shown.annotator
    if not draw.repeat:
        return session.own_reading(draw.index, person) or session.engine.in_force(draw.index)
    used = draw.token in session.state.answered
    return session.engine.repeats.further(draw.index, person) if used else None


def _means(session: Session, before: Event, answer: str) -> bool:
    kind, label = session.engine.kind_of(answer)
    return answer_word(before) == (label or kind)
