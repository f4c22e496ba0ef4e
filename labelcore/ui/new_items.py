"""New project, step 1: the file, and what its columns mean."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import streamlit as st

from labelcore.errors import Fault, PopulationError
from labelcore.population import Population
from labelcore.ui import files
from labelcore.ui.draft import Columns
from labelcore.ui.guard import sentence
from labelcore.ui.guess import ClassifierColumns, Guess, guess
from labelcore.ui.new_number import within
from labelcore.ui.plain import one_line, plain
from labelcore.ui.sessions import data_folder

PATH, UPLOADED = "new-path", "new-uploaded"
NO_COLUMN, ROW_NUMBERS = "(none)", "(no id column: row numbers)"
MOST_CLASSIFIERS = 8
UPLOAD, FOLDER = "Upload a file", "A file in the data folder"


def items_step() -> tuple[Path, Columns, Population] | None:
    """The file, its columns and the population; None while something is missing or wrong."""
    st.subheader("1 · Items", anchor=False)
    path = choose_file()
    if path is None:
        return None
    try:
        head = files.read_head(path)
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    show_head(path, head)
    found = guess(head.columns, head.sample)
    columns = choose_columns(str(path), head.columns, found)
    if columns is None:
        return None
    try:
        population = files.read(path, columns.arguments())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    if len(population.classes) == 2:
        st.success(plain(f"{what_was_read(population)}, no fault"), icon=":material/check:")
    else:
        st.info(plain(f"{what_was_read(population)}, {len(population.classes)} classes"))
    return path, columns, population


def what_was_read(population: Population) -> str:
    scores, named = len(population.scores), len(population.arguments["predictions"])
    return (
        f"{len(population):,} items, {scores} score{'' if scores == 1 else 's'}, "
        f"{named} prediction column{'' if named == 1 else 's'}"
    )


def choose_file() -> Path | None:
    st.segmented_control(
        "Where are the items?",
        [UPLOAD, FOLDER],
        default=UPLOAD,
        required=True,
        key="new-source",
        persist_state="session",
    )
    if st.session_state["new-source"] == UPLOAD:
        upload()
    else:
        from_folder()
    kept = st.session_state.get(PATH)
    path = Path(kept) if kept else None
    if path is not None and not path.is_file():
        st.error(plain(f"{path} is not there any more. Choose it again."))
        return None
    return path


def upload() -> None:
    given = st.file_uploader("CSV, gzipped CSV or Parquet", key="new-upload")
    if given is None or st.session_state.get(UPLOADED) == given.file_id:
        return
    try:
        st.session_state[PATH] = str(files.keep_upload(given.name, given.getvalue()))
        st.session_state[UPLOADED] = given.file_id
    except (ValueError, OSError) as error:
        st.session_state.pop(PATH, None)
        st.session_state.pop(UPLOADED, None)
        st.error(plain(f"The file could not be kept. {sentence(error)}"))


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
    typed = st.text_input("or its path", key="new-typed", persist_state="session")
    wanted = typed or chosen
    if not wanted:
        return
    try:
        st.session_state[PATH] = str(files.inside(wanted))
    except (ValueError, OSError) as error:
        st.session_state.pop(PATH, None)
        st.error(plain(sentence(error)))


def show_head(path: Path, head: files.Head) -> None:
    st.text(f"{path.name} · {head.rows:,} rows · {len(head.columns)} columns. The first rows:")
    rows = [
        {name: one_line(value, files.LONGEST_CELL) for name, value in row.items()}
        for row in head.sample[: files.PREVIEW_ROWS]
    ]
    st.dataframe(pd.DataFrame(rows), hide_index=True, key="new-preview")


def choose_columns(path: str, columns: tuple[str, ...], found: Guess) -> Columns | None:
    """Selectors, preset with the guess; their keys hold the path, so a new file starts anew."""
    names = list(dict.fromkeys(columns))
    choices = [ROW_NUMBERS, *names]
    chosen = st.selectbox(
        "Which column identifies an item?",
        choices,
        key=f"new-id-{path}",
        persist_state="session",
        index=choices.index(found.id) if found.id else 0,
    )
    if chosen == ROW_NUMBERS:
        st.caption("Row numbers are the ids: rows of this file must never move.")
    content = st.multiselect(
        "What does the person judge? (one column, or two for a pair)",
        names,
        default=list(found.content),
        key=f"new-content-{path}",
        persist_state="session",
    )
    if found.answers:
        st.caption(
            plain("Looks like an answer: not shown while labelling: " + ", ".join(found.answers))
        )
    told = [name for name in content if name in found.answers]
    if told:
        st.warning(
            plain(f"{', '.join(told)} looks like the answer; shown, it would decide for you.")
        )
    classifiers = choose_classifiers(path, names, found)
    if classifiers is None:
        return None
    if not content:
        st.info("Choose at least one column to judge.")
        return None
    return Columns(None if chosen == ROW_NUMBERS else chosen, tuple(content), classifiers)


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


def show_faults(error: Exception) -> None:
    """Every fault of a file as a table."""
    if not isinstance(error, PopulationError):
        st.error(plain(sentence(error)))
        return
    number = len(error.faults)
    st.error(
        f"The file cannot be used as it is: {number:,} fault{'' if number == 1 else 's'}. "
        + plain(f"{'' if number == 1 else 'The first: '}{error.faults[0]}")
    )
    fault_table(error.faults)


def fault_table(faults: Sequence[Fault]) -> None:
    st.dataframe(
        pd.DataFrame(
            [
                {
                    "file": fault.file,
                    "column": fault.column or "",
                    "row": "" if fault.row is None else str(fault.row),
                    "line": "" if fault.line is None else str(fault.line),
                    "value": fault.value or "",
                    "rule": fault.rule,
                }
                for fault in faults[:1000]
            ]
        ),
        hide_index=True,
        key="new-faults",
    )
