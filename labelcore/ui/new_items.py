"""New project, step 1: the file, and what its columns mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.access.settings import data_folder
from labelcore.errors import Fault, PopulationError, alike
from labelcore.population import Dialect, Duplicates, Form, Population
from labelcore.population.dialect import DECIMALS, DELIMITERS, ENCODINGS, KNOWN, QUOTES
from labelcore.population.head import Head
from labelcore.ui import files
from labelcore.ui.asking import ask, ask_number, current
from labelcore.ui.draft import (
    NO_COLUMN,
    ROW_NUMBERS,
    SEVERAL_COLUMNS,
    Columns,
    Draft,
    first_id,
    first_row,
    first_rows,
)
from labelcore.ui.fields import FOLDER, UPLOAD, same
from labelcore.ui.files import Checked
from labelcore.ui.guard import sentence
from labelcore.ui.guess import FEW_VALUES, Guess, guess
from labelcore.ui.new_known import Known, known_answers, show_known
from labelcore.ui.plain import one_line, plain
from labelcore.words.sentences import count

MOST_LOOKED_AT = 100
KINDS = "CSV, TSV, text, JSON, JSON Lines, Excel or Parquet; the texts gzipped or not"
HOLDS = "One row for each item: what a person judges, and your classifier's score or verdict."
FIELD_LABELS = {
    "encoding": "Encoding",
    "delimiter": "Columns are separated by",
    "decimal": "Decimal mark",
    "quote": "Quotes",
    "header": "The first row",
    "sheet": "Sheet",
}
REVEALING = (
    "{names} may show a model's output: whoever sees it does not judge blind. The report says so."
)
MARKS = ("decimal", "quote")
PLACES = 5
"""How many rows of equal faults are named."""
WITHOUT_CLASSIFIER = "No classifier was found: its column can be named under '{where}'."
MEANINGS = "Change what a column means"
OTHERS = f"Choose other columns under '{MEANINGS}', or mend the file."
NO_ROLE = "not used"
MANY_REPEATED = 0.5
ALIKE = (
    "{count} of {items} items look the same as an earlier one. Is another column to be shown? "
    "Choose it under '{where}'."
)


def begin_with(path: Path) -> None:
    """Let *New project* open with this file of the data folder."""
    now = current()
    now.open(str(path))
    now.step, now.uploaded = 1, None


@dataclass(frozen=True)
class Looked:
    """The first rows of the file of a draft, and how they are read.

    dialect   what the person chose of it; {}: as detected
    found     what the columns probably mean; columns: what they mean, or what is lacking
    """

    path: Path
    form: Form
    dialect: Mapping[str, Any]
    head: Head
    found: Guess
    columns: Columns | str

    @property
    def others(self) -> list[str]:
        """The columns that mean nothing and do not look like answers."""
        assert isinstance(self.columns, Columns)
        names = self.columns.unused(self.head.columns)
        return [name for name in names if name not in self.found.answers]


def looked(now: Draft) -> Looked:
    """Raises ValueError, OSError where the file cannot be read."""
    path = Path(now.path or "")
    form = files.read_form(path)
    dialect = chosen_dialect(now, path, form)
    head = files.read_head(path, dialect)
    found = guess(head.columns, head.sample)
    names = list(dict.fromkeys(head.columns))
    columns = now.columns(names, found, head.sample, dialect)
    return Looked(path, form, dialect, head, found, columns)


def checked(seen: Looked) -> tuple[Checked, list[str]]:
    """The whole file, and the columns that may hold known answers. Raises as ``looked`` does."""
    assert isinstance(seen.columns, Columns)
    answers = seen.columns.unused(seen.found.answers)
    told = tellable(seen.others, seen.head.sample)
    return files.read_and_compare(seen.path, seen.columns.arguments(), answers, told), answers


def settled(now: Draft, seen: Looked, known: Known) -> Columns:
    """The columns with the known answers that are used, and with helpers."""
    assert isinstance(seen.columns, Columns)
    columns = with_found(
        seen.path, replace(seen.columns, known=known.column, existing=known.existing)
    )
    offered = helpers_for(columns, seen.others)
    return replace(columns, helpers=tuple(now.value("helpers", [], offered)))


def items_of(now: Draft) -> tuple[Path, Columns, Population] | None:
    """What screen 1 has settled; None while something is missing or wrong."""
    if now.path is None or not files.is_there(Path(now.path)):
        return None
    try:
        seen = looked(now)
        if isinstance(seen.columns, str):
            return None
        whole, answers = checked(seen)
        known = known_answers(now, whole.population, answers, whole.filled)
        if known.lacking:
            return None
        columns = settled(now, seen, known)
        return seen.path, columns, files.read(seen.path, columns.arguments())
    except (ValueError, OSError):
        return None


def items_step() -> tuple[Path, Columns, Population] | None:
    """The file, its columns and the population; None while something is missing or wrong."""
    now = current()
    top, preview = st.container(), st.container()
    meant, below = st.container(), st.container()
    with below if now.path is not None else top:
        there = choose_file(now)
    if not there:
        return None
    try:
        with below:
            choose_dialect(now, Path(str(now.path)))
        seen = looked(now)
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    meanings = meant.expander(MEANINGS, expanded=unsure(seen.found), key="new-meanings")
    with meanings:
        choose_columns(now, list(dict.fromkeys(seen.head.columns)), seen.found)
    with preview:
        show_head(seen)
    say_what_matters(seen, numbered=now.value("id", first_id(seen.found)) == ROW_NUMBERS)
    if isinstance(seen.columns, str):
        st.info(seen.columns)
        return None
    try:
        whole, answers = checked(seen)
    except (ValueError, OSError) as error:
        show_faults(error, OTHERS)
        return None
    population, read = whole.population, st.container()
    try:
        known = known_answers(now, population, answers, whole.filled)
    except (ValueError, OSError) as error:
        show_faults(error, OTHERS)
        return None
    show_known(known, population)
    with read:
        say_what_was_read(population)
        show_duplicates(whole.repeated, len(population))
    if known.lacking:
        return None
    columns = settled(now, seen, known)
    if offered := helpers_for(columns, seen.others):
        with meanings:
            ask("helpers", options=same(offered))
    return seen.path, columns, population


def say_what_was_read(population: Population) -> None:
    """How many items and columns, once nothing of the file is left that cannot be read."""
    if not population.classifiers:
        named = WITHOUT_CLASSIFIER.format(where=MEANINGS)
        st.info(plain(f"{what_was_read(population)}, no fault. {named}"))
    elif len(population.classes) == 2:
        st.success(plain(f"{what_was_read(population)}, no fault"), icon=":material/check:")
    else:
        st.info(plain(f"{what_was_read(population)}, {len(population.classes)} classes"))


def with_found(path: Path, columns: Columns) -> Columns:
    """The known answers name the classes where no classifier does."""
    if columns.existing != "certainty" or any(one.prediction for one in columns.classifiers):
        return columns
    found = columns.finding()
    try:
        two = len(files.read(path, found.arguments()).classes) == 2
    except (ValueError, OSError):
        return columns
    return found if two else columns


def unsure(found: Guess) -> bool:
    """Whether a person must say what a column means."""
    return any(found.asks(part) for part in found.confidence)


def roles(columns: Columns, found: Guess) -> dict[str, str]:
    """What each column that means something is, in a word or two."""
    said = dict.fromkeys(found.answers, "answer, hidden")
    said |= dict.fromkeys(columns.content, "shown")
    for one in columns.classifiers:
        said |= {one.score: f"score of {one.name}"} if one.score else {}
        said |= {one.prediction: f"prediction of {one.name}"} if one.prediction else {}
    return said | dict.fromkeys(columns.ids, "id")


def say_what_matters(seen: Looked, *, numbered: bool) -> None:
    """What must be known of the meanings, whether or not they are changed."""
    if numbered:
        st.caption("Row numbers are the ids: rows of this file must never move.")
    for part in seen.found.reasons:
        say_why(seen.found, part)
    if isinstance(seen.columns, str):
        return
    told = [name for name in seen.columns.content if name in seen.found.answers]
    if told:
        st.warning(
            plain(f"{', '.join(told)} looks like the answer; showing it would decide for you.")
        )
    if revealing := seen.columns.revealing:
        st.warning(plain(REVEALING.format(names=", ".join(revealing))))


def helpers_for(columns: Columns, others: Sequence[str]) -> list[str]:
    """Which of the columns that mean nothing else may help to choose items."""
    taken = {columns.known, *(one.name for one in columns.classifiers)}
    offered = [name for name in others if name not in taken][:MOST_LOOKED_AT]
    return offered if columns.classifiers else []


def tellable(names: Sequence[str], sample: Sequence[Mapping[str, str]]) -> list[str]:
    """The columns that may have few different values, as far as the first rows tell."""
    seen = {name: {row.get(name, "").strip() for row in sample} - {""} for name in names}
    return [name for name in names if len(seen[name]) <= FEW_VALUES][:MOST_LOOKED_AT]


def show_duplicates(repeated: Duplicates, items: int) -> None:
    """How many of the ``items`` look like an earlier one: a few, or so many that what is shown
    cannot be what is judged."""
    if not repeated.count:
        return
    if repeated.count > MANY_REPEATED * items:
        st.warning(ALIKE.format(count=f"{repeated.count:,}", items=f"{items:,}", where=MEANINGS))
        return
    row, first = repeated.examples[0]
    one = repeated.count == 1
    st.caption(
        f"{repeated.count:,} item{' has' if one else 's have'} the same content as an earlier "
        f"one; the first: row {row:,} repeats row {first:,}. That does no harm."
    )


def what_was_read(population: Population) -> str:
    named = len(population.arguments["predictions"])
    counted = ((len(population), "item"), (len(population.scores), "score"))
    return ", ".join(count(*one) for one in (*counted, (named, "prediction column")))


def choose_file(now: Draft) -> bool:
    """Whether there is a file; once there is one, another is chosen in a fold."""
    before = now.path
    place = st.container() if before is None else st.expander("Another file", key="new-another")
    with place:
        inputs = st.container()
        folded = st.expander(f"{FOLDER}, instead") if before is None else st.container()
        with folded:
            source = ask("source")
        with inputs:
            if source == UPLOAD:
                upload(now)
            else:
                from_folder(now)
    if now.path != before:
        st.rerun()
    if now.path is None:
        return False
    if not files.is_there(Path(now.path)):
        st.error(plain(f"{now.path} is not there any more. Choose it again."))
        return False
    return True


def upload(now: Draft) -> None:
    st.caption(HOLDS)
    given = st.file_uploader(KINDS, key="new-upload")
    if given is None or now.uploaded == given.file_id:
        return
    try:
        now.open(str(files.keep_upload(given.name, given.getvalue())))
        now.uploaded = given.file_id
    except (ValueError, OSError) as error:
        now.path = now.uploaded = None
        st.error(plain(f"The file could not be saved. {sentence(error)}"))


def from_folder(now: Draft) -> None:
    st.caption(plain(f"Only files inside {data_folder()} are read."))
    listed = files.listed()
    chosen = ask("listed", options=same(listed), more={"placeholder": f"{len(listed)} files there"})
    wanted = ask("typed") or chosen
    if not wanted:
        return
    try:
        now.open(str(files.inside(wanted)))
    except (ValueError, OSError) as error:
        now.path = None
        st.error(plain(sentence(error)))


def chosen_dialect(now: Draft, path: Path, form: Form) -> dict[str, Any]:
    """How the file is read where the person chose otherwise than detected, else {}."""
    given = {name: value for name, (value, _) in dialect_of(now, path, form).items()}
    detected = all(value == getattr(form.dialect, name) for name, value in given.items())
    return {} if detected else given


def dialect_of(now: Draft, path: Path, form: Form) -> dict[str, tuple[Any, Form]]:
    """Each field of the dialect as it is chosen, and the form that it begins from: what the marks
    in numbers and around texts are is detected anew once the rest is chosen."""

    def value(name: str, form: Form) -> Any:
        options = dict(field_words(form, name))
        return now.value("read", getattr(form.dialect, name), options, name)

    first = [name for name in form.options if name not in MARKS]
    given = {name: (value(name, form), form) for name in first}
    changed = {
        name: chosen for name, (chosen, _) in given.items() if chosen != getattr(form.dialect, name)
    }
    again = files.read_form(path, changed) if changed else form
    return given | {name: (value(name, again), again) for name in MARKS if name in form.options}


def choose_dialect(now: Draft, path: Path) -> None:
    """Selectors for how the file is read."""
    form = files.read_form(path)
    if not form.options:
        return
    with st.expander("Does it look wrong? Change how the file is read"):
        for name, (_, begun) in dialect_of(now, path, form).items():
            ask(
                "read",
                name,
                label=FIELD_LABELS[name],
                options=dict(field_words(begun, name)),
                first=getattr(begun.dialect, name),
            )


def field_words(form: Form, name: str) -> list[tuple[str | bool | None, str]]:
    """What a field of the dialect may be, each value with its words."""
    if name == "header":
        return [(True, "names the columns"), (False, "is data")]
    if name == "sheet":
        first = form.sheets[0] if form.sheets else ""
        return [(None, first), *((sheet, sheet) for sheet in form.sheets[1:])]
    return list(KNOWN[name].items())


def dialect_words(form: Form, dialect: Dialect) -> str:
    """How a file was read, in words; empty for a format that leaves no choice."""
    has = form.options
    words = [ENCODINGS[dialect.encoding]] if "encoding" in has else []
    if "delimiter" in has:
        words += [f"separated by {DELIMITERS[dialect.delimiter]}", DECIMALS[dialect.decimal]]
        words += [] if dialect.quote else [QUOTES[""]]
    if "sheet" in has:
        words.append(f"sheet {dialect.sheet or form.sheets[0]!r}, one of {len(form.sheets)}")
    if "header" in has and not dialect.header:
        words.append("the first row is data")
    return f"Read as {', '.join(words)}." if words else ""


def show_head(seen: Looked) -> None:
    """The file in a line, how it was read, and its first rows, each column with what it is."""
    head = seen.head
    meant = roles(seen.columns, seen.found) if isinstance(seen.columns, Columns) else {}
    said = f"{seen.path.name} · {count(head.rows, 'row')} · {count(len(head.columns), 'column')}."
    st.text(f"{said} {dialect_words(seen.form, head.dialect)}".strip())
    if head.headless:
        names = " | ".join(one_line(name, 40) for name in head.columns)
        st.warning(
            plain(
                f"The first row looks like data, not like names of columns: {names}. If so, "
                "choose above: the first row is data."
            )
        )
    first = set([*meant, *head.columns][: files.PREVIEW_COLUMNS])
    shown = [name for name in head.columns if name in first]
    rows = [
        {name: one_line(row[name], files.LONGEST_CELL) for name in shown}
        for row in head.sample[: files.PREVIEW_ROWS]
    ]
    heads = {
        name: f"{one_line(name, 60)} · {one_line(meant.get(name, NO_ROLE), 60)}" for name in shown
    }
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="new-preview", column_config=heads)


def choose_columns(now: Draft, names: list[str], found: Guess) -> None:
    """Selectors for what the columns mean, preset with the guess."""
    several = [SEVERAL_COLUMNS] if len(names) > 1 else []
    if ask("id", options=same([ROW_NUMBERS, *names, *several]), first=first_id(found)) in several:
        ask("ids", options=same(names))
    ask("content", options=same(names), first=list(found.content))
    st.markdown("**Classifiers** — a score, a prediction, or both")
    number, sound = ask_number("number", first=len(first_rows(found)))
    for place in range(number if sound else 0):
        given, part = first_row(found, place), str(place)
        columns, choices = st.columns(3), same([NO_COLUMN, *names])
        with columns[0]:
            ask("name", part, first=given.name)
        with columns[1]:
            ask("score", part, options=choices, first=given.score or NO_COLUMN)
        with columns[2]:
            ask("prediction", part, options=choices, first=given.prediction or NO_COLUMN)


def say_why(found: Guess, part: str) -> None:
    """Why a part is asked instead of preselected, or what was left out of it."""
    if part in found.reasons:
        st.caption(plain(f"{'Not sure: ' if found.asks(part) else ''}{found.reasons[part]}"))


def show_faults(error: Exception, then: str = "") -> None:
    """Every fault of a file as a table, and what to do then."""
    if not isinstance(error, PopulationError):
        st.error(plain(sentence(error)))
        return
    number = len(error.faults)
    st.error(
        f"The file cannot be used as it is: {number:,} fault{'' if number == 1 else 's'}. "
        + plain(f"{'' if number == 1 else 'The first: '}{error.faults[0]}")
        + plain(f". {then}" if then else "")
    )
    fault_table(error.faults)


def places(numbers: Iterable[int | None]) -> str:
    """
    >>> places([3, 7]), places([None]), places(range(1, 13))
    ('3, 7', '', '1, 2, 3, 4, 5 and 7 more')
    """
    known = [f"{number}" for number in numbers if number is not None]
    more = len(known) - PLACES
    return ", ".join(known[:PLACES]) + (f" and {more:,} more" if more > 0 else "")


def fault_table(faults: Sequence[Fault]) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "file": fault.file,
                    "column": fault.column or "",
                    "row": places(fault.row for fault in same),
                    "line": places(fault.line for fault in same),
                    "value": "(empty)" if fault.value == "" else fault.value or "",
                    "rule": fault.rule,
                }
                for same in alike(faults)[:1000]
                for fault in same[:1]
            ]
        ),
        hide_index=True,
        key="new-faults",
    )
