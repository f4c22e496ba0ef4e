"""The labels of a session in the forms of other tools: one row each.

What a form cannot carry is listed in docs/open_door.md.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.exchange.hugging_face import dataset_card, hugging_face_parquet
from labelcore.exchange.label_studio import labelled_tasks, labelling_config
from labelcore.exchange.rows import Row, beside, labelled_rows, lines
from labelcore.exchange.traced import langfuse_jsonl, phoenix_parquet
from labelcore.plugins import Table
from labelcore.population import Population, id_parts
from labelcore.population.trace_ids import from_langfuse, has_spans
from labelcore.report import guarded
from labelcore.session.session import Session


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
        return {**more, **beside(row), "text": text, "label": label, "Comments": notes}

    return lines(line(row, item) for row, item in labelled_rows(session))


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
            "meta": beside(row),
            "_view_id": "choice",
            "_annotator_id": row["annotator"] or "",
            "_timestamp": None if row["time"] is None else int(row["time"].timestamp()),
        }

    return lines(line(row, item) for row, item in labelled_rows(session))


def asreview_csv(session: Session) -> bytes:
    """A row per item: what was shown, and 1 for the positive class, 0 for the other, nothing for an
    item without a class. No text runs as a formula.

    Raises ValueError for more than two classes.
    """
    population = session.population
    if not _two_classes(population):
        raise ValueError(
            "ASReview knows relevant and irrelevant, and this project has "
            f"{len(population.classes)} classes: choose another form"
        )
    rows = []
    for number, (row, item) in enumerate(labelled_rows(session)):
        answered = row["answer"] is not None
        rows.append(
            {
                "": number,
                **item,
                "asreview_label": int(row["answer"] == population.positive) if answered else "",
                "asreview_time": f"{row['time']:%Y-%m-%d %H:%M:%S}" if row["time"] else "",
                "asreview_note": row["notes"],
                "asreview_user_name": row["annotator"] or "",
                **beside(row),
            }
        )
    stream = io.StringIO()
    writer = csv.writer(stream)
    if rows:
        writer.writerow([guarded(name) for name in rows[0]])
    writer.writerows([guarded(value) for value in row.values()] for row in rows)
    return stream.getvalue().encode()


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
            **beside(row),
        }
        for row, _ in labelled_rows(session)
        if row["answer"] is not None
    ]
    empty = [*columns, "clerical_match_score"]
    frame = pd.DataFrame(rows, columns=None if rows else empty)
    stream = io.BytesIO()
    pq.write_table(pa.Table.from_pandas(frame, preserve_index=False), stream)
    return stream.getvalue()


@dataclass(frozen=True)
class LabelledForm:
    """The labels in the form of a tool.

    made       from a session what a file holds
    tool       what the tool is called
    suffixes   how the name of a file ends; the first is the one that we give
    fits       whether the items are such that it is offered on a page
    """

    made: Callable[[Session], bytes]
    tool: str
    suffixes: tuple[str, ...]
    fits: Callable[[Population], bool] = lambda _: True

    def __call__(self, session: Session) -> bytes:
        return self.made(session)


def _two_classes(population: Population) -> bool:
    return len(population.classes) == 2


def _pairs(population: Population) -> bool:
    return isinstance(population.arguments["id"], list)


LINES, PARQUET = (".jsonl", ".ndjson"), (".parquet",)
LABELLED_FORMS: Mapping[str, LabelledForm] = Table(
    "labelcore.exports",
    {
        "label-studio": LabelledForm(label_studio_json, "Label Studio", (".json",)),
        "doccano": LabelledForm(doccano_jsonl, "doccano", LINES),
        "prodigy": LabelledForm(prodigy_jsonl, "Prodigy", LINES),
        "asreview": LabelledForm(asreview_csv, "ASReview", (".csv",), _two_classes),
        "hugging-face": LabelledForm(hugging_face_parquet, "Hugging Face", PARQUET),
        "hugging-face-card": LabelledForm(dataset_card, "Hugging Face card", (".md",)),
        "splink": LabelledForm(splink_parquet, "Splink", PARQUET, _pairs),
        "langfuse": LabelledForm(langfuse_jsonl, "Langfuse", LINES, from_langfuse),
        "phoenix": LabelledForm(phoenix_parquet, "Phoenix", PARQUET, has_spans),
    },
)
CONFIGS: dict[str, Callable[[Session], bytes]] = {
    "label-studio": lambda session: labelling_config(session).encode()
}
"""What to set up in a tool before its tasks are answered."""
