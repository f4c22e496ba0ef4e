"""The labels of a session in the forms of other tools: one row each.

What a form cannot carry is listed in docs/open_door.md.
"""

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
from labelcore.exchange.rows import Row, apart, beside, labelled_rows, lines
from labelcore.plugins import Table
from labelcore.population import Population, id_parts
from labelcore.population.text import listing
from labelcore.population.trace_ids import from_langfuse, has_spans, langfuse_columns, named_columns
from labelcore.report import csv_cell, labelling_account, sections
from labelcore.report.facts import Facts
from labelcore.report.markdown import markdown
from labelcore.report.markup import element, joined
from labelcore.session.session import Session
from labelcore.words.weights import weight_words

NAME = "human"
"""What the score or the annotation is called; ``labelcore.population.roles`` knows it again."""


def langfuse_jsonl(session: Session) -> bytes:
    """A line per item with a class: the body that creates a score in Langfuse, for the item's
    trace and, where the file names one, its observation. An item has the same score id and the
    same timestamp, of its first answer, whenever the file is written: sent again, a score takes
    the place of what was sent before.

    Raises ValueError where the file has no ids of traces.

    Source: langfuse 5.0.4, ``CreateScoreRequest``.
    """
    first = _first_times(session)

    def line(row: Row) -> Row:
        span = {"observationId": row["span_id"]} if row["span_id"] else {}
        return {
            "id": _mark(row),
            "traceId": row["trace_id"],
            **span,
            "name": NAME,
            "value": row["answer"],
            "dataType": "CATEGORICAL",
            "comment": row["notes"] or None,
            "timestamp": first.get(row["id"], session.record.created_at),
            "metadata": beside(row),
        }

    return lines(line(row) for row in _traced(session, *langfuse_columns(session.population)))


def phoenix_parquet(session: Session) -> bytes:
    """A row per item with a class, as ``Client().spans.log_span_annotations_dataframe`` takes it;
    with ids of traces alone as ``Client().traces.log_trace_annotations_dataframe`` does. The label
    is the class, and its score 1 for the positive one and 0 for the other. An item has the same
    identifier whenever the file is written, so that Phoenix changes what was sent before.

    Raises ValueError where the file has no ids of spans or traces.

    Source: arize-phoenix-client 3.5.0.
    """
    population, rows = session.population, []
    trace, span = named_columns(population)
    for row in _traced(session, trace, span, "span" if span else "trace"):
        ids = {name: row[name] for name in ("span_id", "trace_id") if row[name]}
        annotation: Row = {"name": NAME, "annotator_kind": "HUMAN", "label": row["answer"]}
        if len(population.classes) == 2:
            annotation["score"] = float(row["answer"] == population.positive)
        details = {"explanation": row["notes"] or None, "metadata": beside(row)}
        rows.append({**ids, **annotation, **details, "identifier": _mark(row)})
    empty = ["span_id", "name", "annotator_kind", "label", "explanation", "identifier"]
    return pd.DataFrame(rows, columns=None if rows else empty).to_parquet(index=False)


def _traced(
    session: Session, trace: str | None, span: str | None, needed: str = "trace"
) -> Iterator[Row]:
    """Rows with a class, each with ``trace_id`` and ``span_id``, "" where the file has none; of
    the kind that is needed every row must have one."""
    population, column = session.population, trace if needed == "trace" else span
    if column is None:
        raise ValueError(
            f"{population.name} has no column with the ids of traces or spans, such as trace_id or "
            f"span_id, that an answer could be sent back to; its columns are "
            f"{listing(population.columns)}"
        )
    rows = [row for row, _ in labelled_rows(session) if row["answer"] is not None]
    for row in rows:
        row["trace_id"], row["span_id"] = _ids(population, row["id"], trace, span)
    without = [row["id"] for row in rows if not row[f"{needed}_id"]]
    if without:
        raise ValueError(
            f"{population.name}: {len(without):,} of {len(rows):,} answers have no id of a "
            f"{needed} in the column {column!r}, the first is that to {without[0]!r}; "
            f"nothing is written"
        )
    yield from rows


def _ids(population: Population, item_id: str, *columns: str | None) -> list[str]:
    """What some columns say of an item: parts of its id, or looked up where the items are."""
    names = population.arguments["id"]
    parts = id_parts(item_id) if isinstance(names, list) else [item_id]
    known = dict(zip(names if isinstance(names, list) else [names], parts, strict=True))
    wanted = [name for name in columns if name is not None and name not in known]
    known |= population.cells(item_id, wanted)
    return [known[name].strip() if name else "" for name in columns]


def _mark(row: Row) -> str:
    return f"labelcore-{row['project']}-{row['id']}"


def _first_times(session: Session) -> dict[str, str]:
    """When each item was first answered, whatever became of that answer."""
    times: dict[str, str] = {}
    for event in session.events:
        if event.answers is not None and event.item_id is not None:
            times.setdefault(event.item_id, event.at)
    return times


def hugging_face_parquet(session: Session) -> bytes:
    """A row per item: what was shown, and the class as a class label with the names of the classes;
    predictions too."""
    classes = session.population.classes
    names = {"names": list(classes), "_type": "ClassLabel"}
    rows = [
        {**apart(item, "label"), "label": row["answer"], **beside(row)}
        for row, item in labelled_rows(session)
    ]
    frame = pd.DataFrame(rows)
    features: dict[str, Any] = {}
    called = {"label", *(f"prediction_{name}" for name in session.population.classifiers)}
    for name in frame.columns:
        if name in called:
            codes = [None if row[name] is None else classes.index(row[name]) for row in rows]
            frame[name], features[name] = pd.Series(codes, dtype="Int64"), names
    table = pa.Table.from_pandas(frame, preserve_index=False).replace_schema_metadata(None)
    kinds = {"double": "float64", "large_string": "string", "null": "string"}
    for field in table.schema:
        kind = kinds.get(str(field.type), str(field.type))
        features.setdefault(field.name, {"dtype": kind, "_type": "Value"})
    info = json.dumps({"info": {"features": features}})
    stream = io.BytesIO()
    pq.write_table(table.replace_schema_metadata({"huggingface": info}), stream)
    return stream.getvalue()


def dataset_card(session: Session) -> bytes:
    """README.md of a data set that holds the Parquet file: where the labels come from, and the
    table of figures. Its licence is left to whoever gives the data away.

    Source: https://huggingface.co/docs/hub/datasets-cards
    """
    facts = Facts(session)
    number = sum(session.engine.kinds.values()) + len(session.engine.existing.positions)
    head = {
        "pretty_name": session.project,
        "tags": ["labelcore", "human-labels"],
        "size_categories": [next(name for most, name in SIZES.items() if number < most)],
        "configs": [{"config_name": "default", "data_files": "*.parquet"}],
    }
    front = [f"{name}: {json.dumps(value)}" for name, value in head.items()]
    text = joined(
        element("h1", session.project),
        element("p", f"{number:,} items of {session.population.name}, judged by people."),
        sections.estimates(facts),
        labelling_account.caveats(facts),
        sections.question(facts),
        sections.population(facts),
        element("h2", "Columns"),
        element(
            "p",
            element("code", "label"),
            " is what people said, ",
            element("code", "labelcore_weight"),
            f" the weight. {weight_words(session.plan.method.has_weights)}",
        ),
    )
    return "\n".join(["---", *front, LICENCE, "---", "", markdown(text)]).encode()


LICENCE = "# license: say here under which terms the data may be used"
SIZES = {1_000: "n<1K", 10_000: "1K<n<10K", 100_000: "10K<n<100K", float("inf"): "100K<n<1M"}


def label_studio_json(session: Session) -> bytes:
    """Tasks with annotations and predictions, to be imported as they are."""
    tasks = labelled_tasks(session)
    return json.dumps(tasks, ensure_ascii=False, indent=1, allow_nan=False).encode()


def doccano_jsonl(session: Session) -> bytes:
    """A line per item: the first column shown as text, the class as the only label, the note as a
    comment; an item without a class has no label, and its status beside it."""

    def line(row: Row, item: Row) -> Row:
        (_, text), *others = item.items()
        more = apart(dict(others), "text", "label", "Comments")
        label = [] if row["answer"] is None else [row["answer"]]
        notes = [row["notes"]] if row["notes"] else []
        return {**more, **beside(row), "text": text, "label": label, "Comments": notes}

    return lines(line(row, item) for row, item in labelled_rows(session))


def prodigy_jsonl(session: Session) -> bytes:
    """A line per item: a choice of one class, accepted; an item without a class is ignored."""
    options = [{"id": name, "text": name} for name in session.population.classes]

    def line(row: Row, item: Row) -> Row:
        (first, text), *others = item.items()
        answered = row["answer"] is not None
        return {
            first: text,
            **apart(dict(others), "text", "options", "accept", "answer", "config", "meta"),
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
        writer.writerow([csv_cell(name) for name in rows[0]])
    writer.writerows([csv_cell(value) for value in row.values()] for row in rows)
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
    return pd.DataFrame(rows, columns=None if rows else empty).to_parquet(index=False)


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
    LabelledForm,
)
CONFIGS: dict[str, Callable[[Session], bytes]] = {
    "label-studio": lambda session: labelling_config(session).encode()
}
"""What to set up in a tool before its tasks are answered."""
