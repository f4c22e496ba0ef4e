"""What a trial is: a file that can be made anywhere, with a question and the known answers."""

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pandas as pd

from labelcore.plan.plan import Plan
from labelcore.whole_file import whole_file

LABELS = 40
FEW_STRATA = MappingProxyType({"n_above": 1, "n_below": 2, "helpers": ()})
"""Two labels each are there after six, so that a first figure is told by about label 15
(docs/trial.md)."""


def short_plan(classifier: str) -> Plan:
    """Two figures from few labels: the first one is told within a minute."""
    asked = ["accuracy", "precision"]
    return Plan(
        "recalibrated_neyman", asked, classifier=classifier, budget=LABELS, params=FEW_STRATA
    )


@dataclass(frozen=True)
class Trial:
    """Data, question and plan to try the product on.

    name             for code; label: for the screen
    data             what is real of the data, and what is invented
    question, positive_words, negative_words, instructions   what the person is told
    truth_column     the known answers, 0 or 1: never content, never metadata
    read_arguments   for ``labelcore.read_population(path, **read_arguments)``
    plan             what is estimated, with which budget
    seconds          what an answer takes, until the person's own pace is known
    build            makes the table, or nested records; same bytes every time with the same package
                     versions
    hidden           column -> what it is, of those hidden until an item was judged
    """

    name: str
    label: str
    data: str
    question: str
    positive_words: str
    negative_words: str
    instructions: str
    truth_column: str
    read_arguments: Mapping[str, Any]
    plan: Plan
    build: Callable[[], pd.DataFrame | list[dict[str, Any]]] = field(repr=False)
    seconds: float = 8.0
    hidden: Mapping[str, str] = field(default_factory=dict)

    def to_bytes(self) -> bytes:
        """The data file, UTF-8: CSV, or JSON Lines of nested records."""
        records = self.build()
        if isinstance(records, pd.DataFrame):
            text = records.to_csv(index=False, float_format="%.4f", lineterminator="\n")
        else:
            text = "".join(json.dumps(record) + "\n" for record in records)
        return text.encode("utf-8")

    def write(self, folder: Path, data: bytes | None = None) -> Path:
        """Write the data file into ``folder`` and return its path; all of it or nothing. ``data``:
        its bytes, where they were made before.

        A file with these bytes stays untouched, so that projects which use it go on. One with
        other bytes (of other package versions, or changed by hand) stays too: the new file then
        has a part of its hash in its name.
        """
        data = data or self.to_bytes()
        suffix = "jsonl" if data.startswith(b"{") else "csv"
        plain = folder / f"{self.name}.{suffix}"
        marked = folder / f"{self.name}-{hashlib.sha256(data).hexdigest()[:8]}.{suffix}"
        for path in (plain, marked):
            if not path.exists():
                break
            if path.read_bytes() == data:
                return path
        folder.mkdir(parents=True, exist_ok=True)
        with whole_file(path, shared=True) as stream:
            stream.write(data)
        return path
