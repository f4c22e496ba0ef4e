"""The labels of a session in the forms of other tools: one row each.

What a form cannot carry is listed in docs/open_door.md.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.exchange.label_studio import labelled_tasks, labelling_config
from labelcore.plugins import Table
from labelcore.population import id_parts
from labelcore.report import guarded
from labelcore.session.session import Session

Row = dict[str, Any]
OWN = ("weight", "stratum", "seconds", "annotator", "status", "notes")
"""What stands beside the items in tools that keep columns that they do not know."""


def label_studio_json(session: Session) -> bytes:
    """Tasks with annotations and predictions, to be imported as they are."""
    tasks = labelled_tasks(session)
    return json.dumps(tasks, ensure_ascii=False, indent=1, allow_nan=False).encode()


def doccano_jsonl(session: Session) -> bytes:
    """A line per item: the first column shown as text, the class as the only label, the note as a
    comment; an item without a class has no label, and its status beside it."""

    def line(row: Row, item: Row) -> Row:
        text, *_ = item.values()
        more = dict(list(item.items())[1:])
        label = [] if row["answer"] is None else [row["answer"]]
        notes = [row["notes"]] if row["notes"] else []
        return {**more, **_beside(row), "text": text, "label": label, "Comments": notes}

    return _lines(line(row, item) for row, item in _rows(session))


def prodigy_jsonl(session: Session) -> bytes:
    """A line per item: a choice of one class, accepted; an item without a class is ignored."""
    options = [{"id": name, "text": name} for name in session.population.classes]

    def line(row: Row, item: Row) -> Row:
        text, *_ = item.values()
        answered = row["answer"] is not None
        return {
            **item,
            "text": text,
            "options": options,
            "accept": [row["answer"]] if answered else [],
            "answer": "accept" if answered else "ignore",
            "config": {"choice_style": "single"},
            "meta": _beside(row),
            "_view_id": "choice",
            "_annotator_id": row["annotator"] or "",
            "_timestamp": None if row["time"] is None else int(row["time"].timestamp()),
        }

    return _lines(line(row, item) for row, item in _rows(session))


def asreview_csv(session: Session) -> bytes:
    """A row per item: what was shown, and 1 for the positive class, 0 for the other, nothing for an
    item without a class. No text runs as a formula.

    Raises ValueError for more than two classes.
    """
    population = session.population
    if len(population.classes) != 2:
        raise ValueError(
            "ASReview knows relevant and irrelevant, and this project has "
            f"{len(population.classes)} classes: choose another form"
        )
    rows = []
    for number, (row, item) in enumerate(_rows(session)):
        answered = row["answer"] is not None
        rows.append(
            {
                "": number,
                **item,
                "asreview_label": int(row["answer"] == population.positive) if answered else "",
                "asreview_time": f"{row['time']:%Y-%m-%d %H:%M:%S}" if row["time"] else "",
                "asreview_note": row["notes"],
                "asreview_user_name": row["annotator"] or "",
                **_beside(row),
            }
        )
    stream = io.StringIO()
    writer = csv.writer(stream)
    if rows:
        writer.writerow([guarded(name) for name in rows[0]])
    writer.writerows([guarded(value) for value in row.values()] for row in rows)
    return stream.getvalue().encode()


def hugging_face_parquet(session: Session) -> bytes:
    """A row per item: what was shown, and the class as a class label with the names of the classes;
    predictions too."""
    classes = session.population.classes
    names = {"names": list(classes), "_type": "ClassLabel"}
    rows = [{**item, "label": row["answer"], **_beside(row)} for row, item in _rows(session)]
    frame = pd.DataFrame(rows)
    features: dict[str, Any] = {}
    for name in frame.columns:
        if name == "label" or name.startswith("prediction_"):
            codes = [None if row[name] is None else classes.index(row[name]) for row in rows]
            frame[name], features[name] = pd.Series(codes, dtype="Int64"), names
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    kinds = {"double": "float64", "large_string": "string", "null": "string"}
    for field in table.schema:
        kind = kinds.get(str(field.type), str(field.type))
        features.setdefault(field.name, {"dtype": kind, "_type": "Value"})
    told = json.dumps({"info": {"features": features}})
    stream = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"huggingface": told}), stream)
    return stream.getvalue()


def splink_parquet(session: Session) -> bytes:
    """A row per pair with a class, as Splink takes labelled pairs: the columns of the id by their
    own names, and 1 for the positive class, 0 for another one; items without a class have no row.

    Raises ValueError where an id is not made of several columns.
    """
    columns = session.population.arguments["id"]
    if not isinstance(columns, list):
        raise ValueError(
            "Splink knows pairs by the ids of both records: read the file with the two columns as "
            "id, such as id=['unique_id_l', 'unique_id_r']"
        )
    positive = session.population.positive
    rows = [
        {
            **dict(zip(columns, id_parts(row["id"]), strict=True)),
            "clerical_match_score": float(row["answer"] == positive),
            **_beside(row),
        }
        for row, _ in _rows(session)
        if row["answer"] is not None
    ]
    empty = [*columns, "clerical_match_score"]
    frame = pd.DataFrame(rows, columns=None if rows else empty)
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), stream)
    return stream.getvalue()


def langfuse_jsonl(session: Session) -> bytes:
    """A line per item with a class, a body each for Langfuse's way to create a score: the id as
    that of the trace, the class as a categorical value of the score "human". The same item has the
    same score id, so that sending it again changes nothing."""

    def line(row: Row) -> Row:
        return {
            "id": f"labelcore-{session.record.fingerprint[:12]}-{row['id']}",
            "traceId": row["id"],
            "name": "human",
            "value": row["answer"],
            "dataType": "CATEGORICAL",
            "comment": row["notes"],
            "metadata": _beside(row),
        }

    return _lines(line(row) for row, _ in _rows(session) if row["answer"] is not None)


def _rows(session: Session) -> Iterator[tuple[Row, Row]]:
    """Each row of the table of labels, missing values as None, and what was shown of its item."""
    table = session.labels_table(content=True)
    texts = session.population.content_columns
    shown = {name: name if f"content_{name}" not in table else f"content_{name}" for name in texts}
    for row in table.astype(object).where(table.notna(), None).to_dict("records"):
        known = {str(name): value for name, value in row.items()}
        yield known, {name: known[column] for name, column in shown.items()}


def _beside(row: Row) -> Row:
    """The id, what each classifier says, and OWN, under names that no file of items has."""
    said = {name: one for name, one in row.items() if name.startswith(("score_", "prediction_"))}
    return {"labelcore_id": row["id"], **said, **{f"labelcore_{name}": row[name] for name in OWN}}


def _lines(rows: Iterator[Row]) -> bytes:
    texts = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return "".join(f"{text}\n" for text in texts).encode()


@dataclass(frozen=True)
class LabelledForm:
    """The labels in the form of a tool.

    made       from a session what a file holds
    tool       what the tool is called
    suffixes   how the name of a file ends; the first is the one that we give
    """

    made: Callable[[Session], bytes]
    tool: str
    suffixes: tuple[str, ...]

    def __call__(self, session: Session) -> bytes:
        return self.made(session)


LINES = (".jsonl", ".ndjson")
LABELLED_FORMS: Mapping[str, LabelledForm] = Table(
    "labelcore.exports",
    {
        "label-studio": LabelledForm(label_studio_json, "Label Studio", (".json",)),
        "doccano": LabelledForm(doccano_jsonl, "doccano", LINES),
        "prodigy": LabelledForm(prodigy_jsonl, "Prodigy", LINES),
        "asreview": LabelledForm(asreview_csv, "ASReview", (".csv",)),
        "hugging-face": LabelledForm(hugging_face_parquet, "Hugging Face", (".parquet",)),
        "splink": LabelledForm(splink_parquet, "Splink", (".parquet",)),
        "langfuse": LabelledForm(langfuse_jsonl, "Langfuse", LINES),
    },
)
CONFIGS: dict[str, Callable[[Session], bytes]] = {
    "label-studio": lambda session: labelling_config(session).encode()
}
"""What to set up in a tool before its tasks are answered."""
