"""Labels of traces and spans, sent back to the tool that recorded them."""

from __future__ import annotations

import io
from collections.abc import Iterator

import pandas as pd

from labelcore.exchange.rows import Row, beside, labelled_rows, lines
from labelcore.population import Population, id_parts
from labelcore.population.text import listing
from labelcore.population.trace_ids import langfuse_columns, named_columns
from labelcore.session.session import Session

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
        said: Row = {"name": NAME, "annotator_kind": "HUMAN", "label": row["answer"]}
        if len(population.classes) == 2:
            said["score"] = float(row["answer"] == population.positive)
        told = {"explanation": row["notes"] or None, "metadata": beside(row)}
        rows.append({**ids, **said, **told, "identifier": _mark(row)})
    empty = ["span_id", "name", "annotator_kind", "label", "explanation", "identifier"]
    frame = pd.DataFrame(rows, columns=None if rows else empty)
    stream = io.BytesIO()
    frame.to_parquet(stream, index=False)
    return stream.getvalue()


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
    own = population.arguments["id"]
    parts = id_parts(item_id) if isinstance(own, list) else [item_id]
    known = dict(zip(own if isinstance(own, list) else [own], parts, strict=True))
    wanted = [name for name in columns if name is not None and name not in known]
    known |= population.cells(item_id, wanted)
    return [known[name].strip() if name else "" for name in columns]


def _mark(row: Row) -> str:
    return f"labelcore-{row['project']}-{row['id']}"


def _first_times(session: Session) -> dict[str, str]:
    """When each item was first answered, whatever became of that answer."""
    found: dict[str, str] = {}
    for event in session.events:
        if event.answers is not None and event.item_id is not None:
            found.setdefault(event.item_id, event.at)
    return found
