"""The labels of a session, row by row, as other tools are told them, and an answer of theirs."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from labelcore.session.session import Session
from labelcore.store import identity_of

Row = dict[str, Any]
OWN = ("project", "time", "weight", "stratum", "seconds", "annotator", "status", "notes")
"""What stands beside the items in tools that keep columns that they do not know."""


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


def labelled_rows(session: Session) -> Iterator[tuple[Row, Row]]:
    """Each row of the table of labels, missing values as None and people as the project calls them,
    and what was shown of its item."""
    table = session.labels_table(content=True)
    texts = session.population.content_columns
    shown = {name: name if f"content_{name}" not in table else f"content_{name}" for name in texts}
    project = identity_of(session.record)[:12]  # Another one for each project on the same file.
    told = [f"{kind}_{name}" for name in session.population.classifiers
            for kind in ("score", "prediction") if f"{kind}_{name}" in table]  # fmt: skip
    called = {name: session.called(name) for name in table["annotator"].dropna().unique()}
    for row in table.astype(object).where(table.notna(), None).to_dict("records"):
        known = {str(name): value for name, value in row.items()}
        item = {name: known[column] for name, column in shown.items()}
        known |= {"outputs": {name: known[name] for name in told}, "project": project}
        yield {**known, "annotator": called.get(row["annotator"])}, item


def apart(item: Mapping[str, Any], *words: str) -> Row:
    """What is shown of an item, under other names than those words of a form."""
    return {f"content_{name}" if name in words else name: text for name, text in item.items()}


def beside(row: Row) -> Row:
    """The id, what each classifier says, and OWN, under names that no file of items has."""
    own = {name: row[name] for name in OWN}
    own["time"] = None if row["time"] is None else row["time"].isoformat()
    own = {f"labelcore_{name}": value for name, value in own.items()}
    return {"labelcore_id": row["id"], **row["outputs"], **own}


def lines(rows: Iterable[Row]) -> bytes:
    """JSON Lines."""
    texts = (json.dumps(row, ensure_ascii=False, allow_nan=False) for row in rows)
    return "".join(f"{text}\n" for text in texts).encode()
