"""What one paper's benchmark gives back, and how it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import pandas as pd
import plotly.io
from plotly.graph_objects import Figure

from benchmarks.harness import Row


@dataclass(frozen=True)
class Outcome:
    """Our numbers by the keys of the expected table; what was not run at this size is left out.

    figures   by name, for docs/papers/images; tables: by title; notes: what a reader must know
    """

    values: Mapping[str, float]
    figures: Mapping[str, Figure] = field(default_factory=dict)
    tables: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    notes: Sequence[str] = ()


def kept(outcome: Outcome) -> Row:
    """As JSON has it."""
    return {
        "values": dict(outcome.values),
        "figures": {name: figure.to_json() for name, figure in outcome.figures.items()},
        "tables": {title: table.to_dict("split") for title, table in outcome.tables.items()},
        "notes": list(outcome.notes),
    }


def outcome_of(row: Row) -> Outcome:
    figures = {name: plotly.io.from_json(text) for name, text in row["figures"].items()}
    tables = {title: pd.DataFrame(**table) for title, table in row["tables"].items()}
    return Outcome(row["values"], figures, tables, row["notes"])
