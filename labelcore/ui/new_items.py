"""New project, step 1: the file, and what its columns mean."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
from labelcore.ui.draft import Columns
from labelcore.ui.guard import sentence
from labelcore.ui.guess import FEW_VALUES, ClassifierColumns, Guess, guess
from labelcore.ui.new_known import known_answers
from labelcore.ui.new_number import within
from labelcore.ui.plain import one_line, plain
from labelcore.words.sentences import count

FieldValue = str | bool | None
"""What a field of the dialect holds."""
PATH, UPLOADED = "new-path", "new-uploaded"
NO_COLUMN, ROW_NUMBERS = "(none)", "(no id column: row numbers)"
SEVERAL_COLUMNS = "(several columns together)"
MOST_CLASSIFIERS, MOST_LOOKED_AT = 8, 100
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
PLACES = 5
"""How many rows of equal faults are named."""
HELPERS = "Which other columns may help to choose? (never shown, never judged)"
WITHOUT_CLASSIFIER = "No classifier was found: its column can be named under '{where}'."
UPLOAD, FOLDER = "Upload a file", "A file in the data folder"
PATH_OF = "or the path of a file, or of a folder of Parquet files"
MEANINGS = "Change what a column means"
NO_ID = "Choose above what identifies an item."
OTHERS = f"Choose other columns under '{MEANINGS}', or mend the file."
OPEN_MEANINGS = "Choose above at least one column to judge."
NO_ROLE = "not used"
MANY_REPEATED = 0.5
ALIKE = (
    "{count} of {items} items look the same as an earlier one. Is another column to be shown? "
    "Choose it under '{where}'."
)


def begin_with(path: Path) -> None:
    """Let *New project* open with this file of the data folder."""
    st.session_state.pop(UPLOADED, None)
    st.session_state[PATH] = str(path)


def items_step() -> tuple[Path, Columns, Population] | None:
    """The file, its columns and the population; None while something is missing or wrong."""
    top, preview = st.container(), st.container()
    meant, below = st.container(), st.container()
    with below if PATH in st.session_state else top:
        path = choose_file()
    if path is None:
        return None
    try:
        form = files.read_form(path)
        with below:
            given = choose_dialect(path, form)
        head = files.read_head(path, given)
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    found = guess(head.columns, head.sample)
    meanings = meant.expander(MEANINGS, expanded=unsure(found), key="new-meanings")
    with meanings:
        id_column, content, classifiers = choose_columns(
            f"{path}{given or ''}", head.columns, found
        )
    number = None if id_column == ROW_NUMBERS else id_column
    columns = Columns(number, content, classifiers or (), dialect=tuple(given.items()))
    columns = replace(columns, revealing=columns.revealing_of(head.sample))
    with preview:
        show_head(path, head, form, roles(columns, found))
    say_what_matters(columns, found, numbered=id_column == ROW_NUMBERS)
    if id_column is None or not content or classifiers is None:
        st.info(NO_ID if id_column is None else OPEN_MEANINGS)
        return None
    answers = columns.unused(found.answers)
    others = [name for name in columns.unused(head.columns) if name not in found.answers]
    told = tellable(others, head.sample)
    try:
        checked = files.read_and_compare(path, columns.arguments(), answers, told)
    except (ValueError, OSError) as error:
        show_faults(error, OTHERS)
        return None
    read, population = st.container(), checked.population
    try:
        known = known_answers(population, answers, checked.filled)
    except (ValueError, OSError) as error:
        show_faults(error, OTHERS)
        return None
    with read:
        say_what_was_read(population)
        show_duplicates(checked.repeated, len(population))
    if known is None:
        return None
    columns = with_found(path, replace(columns, known=known[0], existing=known[1]))
    with meanings:
        helpers = choose_helpers(path, columns, others)
    return path, replace(columns, helpers=helpers), population


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


def say_what_matters(columns: Columns, found: Guess, *, numbered: bool) -> None:
    """What must be known of the meanings, whether or not they are changed."""
    if numbered:
        st.caption("Row numbers are the ids: rows of this file must never move.")
    for part in found.reasons:
        say_why(found, part)
    told = [name for name in columns.content if name in found.answers]
    if told:
        st.warning(
            plain(f"{', '.join(told)} looks like the answer; showing it would decide for you.")
        )
    show_revealing(columns.revealing)


def choose_helpers(path: Path, columns: Columns, others: Sequence[str]) -> tuple[str, ...]:
    """Which of the columns that mean nothing else may help to choose items; at first none."""
    taken = {columns.known, *(one.name for one in columns.classifiers)}
    offered = [name for name in others if name not in taken][:MOST_LOOKED_AT]
    if not offered or not columns.classifiers:
        return ()
    key = f"new-helpers-{path}"
    return tuple(st.multiselect(HELPERS, offered, key=key, persist_state="session"))


def tellable(names: Sequence[str], sample: Sequence[Mapping[str, str]]) -> list[str]:
    """The columns that may have few different values, as far as the first rows tell."""
    seen = {name: {row.get(name, "").strip() for row in sample} - {""} for name in names}
    return [name for name in names if len(seen[name]) <= FEW_VALUES][:MOST_LOOKED_AT]


def show_revealing(names: Sequence[str]) -> None:
    if names:
        st.warning(plain(REVEALING.format(names=", ".join(names))))


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


def choose_file() -> Path | None:
    """The file that was chosen last; once there is one, another is chosen in a fold."""
    before = st.session_state.get(PATH)
    place = st.container() if before is None else st.expander("Another file", key="new-another")
    with place:
        inputs = st.container()
        folded = st.expander(f"{FOLDER}, instead") if before is None else st.container()
        with folded:
            source = source_input()
        with inputs:
            if source == UPLOAD:
                upload()
            else:
                from_folder()
    kept = st.session_state.get(PATH)
    if kept != before:
        st.rerun()
    path = Path(kept) if kept else None
    if path is not None and not files.is_there(path):
        st.error(plain(f"{path} is not there any more. Choose it again."))
        return None
    return path


def source_input() -> str:
    return str(
        st.segmented_control(
            "Where are the items?",
            [UPLOAD, FOLDER],
            default=UPLOAD,
            required=True,
            key="new-source",
            persist_state="session",
        )
    )


def upload() -> None:
    st.caption(HOLDS)
    given = st.file_uploader(KINDS, key="new-upload")
    if given is None or st.session_state.get(UPLOADED) == given.file_id:
        return
    try:
        st.session_state[PATH] = str(files.keep_upload(given.name, given.getvalue()))
        st.session_state[UPLOADED] = given.file_id
    except (ValueError, OSError) as error:
        st.session_state.pop(PATH, None)
        st.session_state.pop(UPLOADED, None)
        st.error(plain(f"The file could not be saved. {sentence(error)}"))


def from_folder() -> None:
    st.caption(plain(f"Only files inside {data_folder()} are read."))
    listed = files.listed()
    chosen = st.selectbox(
        "File",
        listed,
        index=None,
        key="new-listed",
        persist_state="session",
        placeholder=f"{len(listed)} files there",
    )
    typed = st.text_input(PATH_OF, key="new-typed", persist_state="session")
    wanted = typed or chosen
    if not wanted:
        return
    try:
        st.session_state[PATH] = str(files.inside(wanted))
    except (ValueError, OSError) as error:
        st.session_state.pop(PATH, None)
        st.error(plain(sentence(error)))


def choose_dialect(path: Path, form: Form) -> dict[str, Any]:
    """Selectors for how the file is read; {} while all of them stand as they were detected."""
    if not form.options:
        return {}
    with st.expander("Does it look wrong? Change how the file is read"):
        first = [name for name in form.options if name not in ("decimal", "quote")]
        given = {name: choose_field(path, form, name) for name in first}
        changed = {
            name: given[name] for name in given if given[name] != getattr(form.dialect, name)
        }
        if len(first) < len(form.options):
            again = files.read_form(path, changed) if changed else form
            key = Path(f"{path}{changed or ''}")
            for name in ("decimal", "quote"):
                given[name] = choose_field(key, again, name)
    detected = all(value == getattr(form.dialect, name) for name, value in given.items())
    return {} if detected else given


def choose_field(path: Path, form: Form, name: str) -> FieldValue:
    words = dict(field_words(form, name))
    values = list(words)
    return st.selectbox(
        FIELD_LABELS[name],
        values,
        index=values.index(getattr(form.dialect, name)),
        format_func=words.__getitem__,
        key=f"new-read-{name}-{path}",
        persist_state="session",
    )


def field_words(form: Form, name: str) -> list[tuple[FieldValue, str]]:
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


def show_head(path: Path, head: Head, form: Form, meant: Mapping[str, str]) -> None:
    """The file in a line, how it was read, and its first rows, each column with what it is."""
    said = f"{path.name} · {count(head.rows, 'row')} · {count(len(head.columns), 'column')}."
    st.text(f"{said} {dialect_words(form, head.dialect)}".strip())
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


def choose_columns(
    path: str, columns: tuple[str, ...], found: Guess
) -> tuple[str | tuple[str, ...] | None, tuple[str, ...], tuple[ClassifierColumns, ...] | None]:
    """Selectors, preset with the guess; their keys hold the path, so a new file starts anew.

    Returns id column (None until chosen), content, and classifiers (None out of bounds).
    """
    names = list(dict.fromkeys(columns))
    return (
        choose_id(path, names, found),
        choose_content(path, names, found),
        choose_classifiers(path, names, found),
    )


def say_why(found: Guess, part: str) -> None:
    """Why a part is asked instead of preselected, or what was left out of it."""
    if part in found.reasons:
        st.caption(plain(f"{'Not sure: ' if found.asks(part) else ''}{found.reasons[part]}"))


def choose_id(path: str, names: list[str], found: Guess) -> str | tuple[str, ...] | None:
    """A column, several, or ROW_NUMBERS; None until one is chosen."""
    choices = [ROW_NUMBERS, *names, *([SEVERAL_COLUMNS] if len(names) > 1 else [])]
    preset = choices.index(found.id) if found.id is not None else 0
    chosen = st.selectbox(
        "Which column identifies an item?",
        choices,
        key=f"new-id-{path}",
        persist_state="session",
        index=None if found.asks("id") else preset,
        placeholder="Choose a column",
    )
    if chosen != SEVERAL_COLUMNS:
        return chosen
    together = st.multiselect(
        "Which columns identify it together?",
        names,
        key=f"new-ids-{path}",
        persist_state="session",
    )
    return tuple(together) if together else None


def choose_content(path: str, names: list[str], found: Guess) -> tuple[str, ...]:
    content = st.multiselect(
        "What does the person judge? (one column, or two for a pair)",
        names,
        default=list(found.content),
        key=f"new-content-{path}",
        persist_state="session",
    )
    return tuple(content)


def choose_classifiers(
    path: str, names: list[str], found: Guess
) -> tuple[ClassifierColumns, ...] | None:
    """The classifiers; None while their number is out of bounds."""
    st.markdown("**Classifiers** — a score, a prediction, or both")
    number = st.number_input(
        "How many classifiers?",
        value=min(len(found.classifiers), MOST_CLASSIFIERS),
        key=f"new-number-{path}",
        persist_state="session",
    )
    if not within(number, 0, MOST_CLASSIFIERS):
        return None
    rows = []
    for place in range(number):
        given = found.classifiers[place] if place < len(found.classifiers) else None
        rows.append(classifier_row(path, place, names, given))
    return tuple(row for row in rows if row.score or row.prediction)


def classifier_row(
    path: str, place: int, names: list[str], given: ClassifierColumns | None
) -> ClassifierColumns:
    choices = [NO_COLUMN, *names]
    given = given or ClassifierColumns(f"classifier {place + 1}", None, None)
    columns = st.columns(3)
    name = columns[0].text_input(
        "Name", given.name, key=f"new-name-{place}-{path}", persist_state="session"
    )
    score = columns[1].selectbox(
        "Score column",
        choices,
        index=choices.index(given.score) if given.score else 0,
        key=f"new-score-{place}-{path}",
        persist_state="session",
    )
    prediction = columns[2].selectbox(
        "Prediction column",
        choices,
        index=choices.index(given.prediction) if given.prediction else 0,
        key=f"new-prediction-{place}-{path}",
        persist_state="session",
    )
    return ClassifierColumns(
        name.strip() or given.name,
        None if score == NO_COLUMN else score,
        None if prediction == NO_COLUMN else prediction,
    )


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
