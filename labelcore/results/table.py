"""Results of every kind as the rows of one table."""

from collections.abc import Mapping
from typing import Any

import pandas as pd

from labelcore.results.base import Finding, plain
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Estimate

RESULT_COLUMNS = (
    "project", "estimand", "classifier", "positive", "rank", "threshold", "value", "low", "high",
    "confidence", "promise", "state", "labels_used", "draws_used", "method", "source",
    "assumptions", "sentence", "file", "items", "target", "margin", "planned", "form", "tail_share",
    "statement", "evidence", "evidence_against", "alpha", "chosen", "status", "size", "tentative",
    "by", "group", "asked",
)  # fmt: skip


def results_table(project: str, results: Mapping[str, Finding]) -> pd.DataFrame:
    """One row per estimate and claim, per point of a curve and per candidate of a choice; a value
    that says little yet is left out, a claim has its status as state."""
    rows = [row for result in results.values() for row in result_rows(project, result)]
    return pd.DataFrame(rows, columns=list(RESULT_COLUMNS))


def result_rows(project: str, result: Finding) -> list[dict[str, Any]]:
    """The rows of one result, without the columns that it has nothing for."""
    scope = result.scope
    shared = {
        **{name: getattr(result, name) for name in RESULT_COLUMNS if hasattr(result, name)},
        "project": project,
        "classifier": scope.classifier,
        "positive": scope.positive,
        "assumptions": "; ".join(result.assumptions),
        "sentence": result.sentence(),
        "file": scope.file,
        "items": scope.n_items,
        "target": scope.target,
        "margin": scope.margin,
        "planned": scope.planned,
        "by": scope.by or None,
        "group": scope.group if scope.by else None,
        "asked": True,
    }
    if isinstance(result, Estimate):
        shared["value"] = result.told
        shared["tentative"] = result.value is not None and result.told is None
    if isinstance(result, Choice):
        rows = result.to_frame().to_dict("records")
        score = {result.chosen: result.threshold}
        return [
            {
                **shared,
                "threshold": score.get(row["classifier"]),
                **{str(name): plain(value) for name, value in row.items()},
            }
            for row in rows
        ]
    if not isinstance(result, Band):
        return [shared]
    numbers = result.to_frame().assign(value=result.told).rename(columns={"x": "rank"})
    if isinstance(result, ListDifference):
        numbers = numbers.iloc[result.shown].reset_index(drop=True)
    columns = {str(name): numbers[name].tolist() for name in numbers}
    return [
        {**shared, **{name: plain(values[place]) for name, values in columns.items()}}
        for place in range(len(numbers))
    ]
