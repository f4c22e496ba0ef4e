"""Drawn items as a file for whoever judges them; never a score, a prediction or a stratum."""

import json
from collections.abc import Callable, Sequence

import pandas as pd

from labelcore.exchange.label_studio import task_of
from labelcore.exchange.rows import apart, lines
from labelcore.log.events import Draw
from labelcore.report import table_file
from labelcore.session.session import Session

TABLES = (".csv", ".jsonl", ".parquet", ".xlsx")


def batch_table(session: Session, draws: Sequence[Draw], suffix: str) -> bytes:
    """token, id, what is shown of each item, and empty columns for answer and note."""
    rows = []
    for draw in draws:
        shown = apart(session.item(draw), "token", "id", "answer", "note")
        rows.append({"token": draw.token, "id": draw.item_id, **shown, "answer": "", "note": ""})
    if suffix.lower() == ".jsonl":
        return lines(rows)
    if suffix.lower() not in TABLES:
        raise ValueError(
            f"a batch is written as {', '.join(TABLES)}, got {suffix or 'a name without one'!r}"
        )
    columns = ["token", "id", *session.population.content_columns, "answer", "note"]
    return table_file(pd.DataFrame(rows, columns=None if rows else columns), suffix)


def batch_tasks(session: Session, draws: Sequence[Draw], suffix: str) -> bytes:
    """Tasks of Label Studio, whatever the suffix."""
    tasks = [task_of(draw.item_id, session.item(draw), draw.token) for draw in draws]
    return json.dumps(tasks, ensure_ascii=False, indent=1).encode()


BatchForm = Callable[[Session, Sequence[Draw], str], bytes]
BATCH_FORMS: dict[str, BatchForm] = {"table": batch_table, "label-studio": batch_tasks}
BATCH_SUFFIXES = {"table": TABLES, "label-studio": (".json",)}
"""How the name of a file of each form may end."""
