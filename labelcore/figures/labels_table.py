"""The labels as one table: what was judged, by whom, and how many items each label stands for."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from labelcore.designs.base import IntArray
from labelcore.figures.sampled import sampled_labels, sampled_tally
from labelcore.figures.scalars import headline_stage
from labelcore.figures.unsure import cells_of
from labelcore.log.answers import looking_seconds
from labelcore.log.engine import Engine
from labelcore.log.events import Event, moment_of
from labelcore.log.state import LogState
from labelcore.population import Population, id_parts
from labelcore.stats.profile import NOT_SAMPLED, FloatArray
from labelcore.words.weights import weight_words

Content = Callable[[str], Mapping[str, str]]
BEFORE = "labelled"
"""The status of an answer that was there before the project."""


def label_weights(engine: Engine, positions: IntArray) -> FloatArray:
    """How many items of the file the label of each of some items stands for, (n,): N / n of its
    cell, the part of a stratum in which the first classifier says the same; N is the number that a
    person can judge, estimated, where the figures are about these. NaN for items without a label
    that the figures rest on, and everywhere for a method whose labels are no random sample of its
    strata.

    Source: Cochran (1977), section 5A.9, stratification after selection.
    """
    engine = headline_stage(engine)
    weight = np.full(len(positions), np.nan)
    if not engine.design.has_weights:
        return weight
    first = engine.classifiers[0]
    tally = sampled_tally(engine, first)
    cells = cells_of(engine, tally, None)
    nothing = np.full(len(cells.size), np.nan)
    of_cell = np.divide(cells.size, cells.labelled, out=nothing, where=cells.labelled > 0)
    counted = np.isin(positions, sampled_labels(engine, first))
    weight[counted] = of_cell[tally.cells_at(positions[counted])]
    return weight


def weights_told(engine: Engine) -> str:
    """What the weights of the labels are, and for how many items no label stands, in words."""
    engine = headline_stage(engine)
    if not engine.design.has_weights:
        return weight_words(False)
    cells = cells_of(engine, sampled_tally(engine, engine.classifiers[0]), None)
    return weight_words(True, round(float(cells.size[cells.labelled == 0].sum())))


def labels_table(
    population: Population, state: LogState, content: Content | None = None
) -> pd.DataFrame:
    """The table that ``Session.labels_table`` describes; ``content`` looks up what an item is."""
    engine = state.engine
    answers = [(number, engine.in_force(number)) for number in range(1, len(engine.asked) + 1)]
    given = [(number, event) for number, event in answers if event is not None]
    seconds = looking_seconds([event for _, event in given])
    rows = [_row(engine, state, *answer, span) for answer, span in zip(given, seconds, strict=True)]
    rows += _rows_before(engine)
    position = np.array([row.pop("position") for row in rows], dtype=np.int64)
    table = pd.DataFrame(rows, columns=list(_TYPES)).astype(_TYPES)
    table["weight"] = label_weights(engine, position)
    more = {**_id_columns(population, table), **_said(population, position), **_remarks(rows)}
    for name, values in more.items():
        table[name] = pd.Series(values, index=table.index)
    if content is not None:
        table = table.join(_contents(table, population, content))
    table.attrs["weight"] = weights_told(engine)
    return table


_TEXT = pd.StringDtype(na_value=np.nan)
_TYPES: dict[str, Any] = {
    "id": _TEXT,
    "answer": _TEXT,
    "status": _TEXT,
    "annotator": _TEXT,
    "time": "datetime64[us, UTC]",
    "seconds": "float64",
    "stratum": "Int64",
    "weight": "float64",
}


def _row(
    engine: Engine, state: LogState, number: int, event: Event, seconds: float
) -> dict[str, object]:
    asked = engine.asked[number - 1]
    return {
        "position": asked.position,
        "id": engine.population.id_at(asked.position),
        "answer": event.label,
        "status": event.kind,
        "annotator": event.annotator,
        "time": moment_of(event.at),
        "seconds": seconds,
        "stratum": int(engine.draws.stratum[number - 1]) + 1,
        "notes": state.said("noted", number),
        "flagged": state.flagged(number),
        "cause": state.cause(number) or None,
    }


def _rows_before(engine: Engine) -> list[dict[str, object]]:
    """The answers that were there before the project, as far as the figures rest on them."""
    existing, classes = engine.existing, engine.population.classes
    stratum = engine.frame.stratum[existing.positions].tolist()
    items = zip(existing.positions.tolist(), existing.codes.tolist(), stratum, strict=True)
    return [
        {
            "position": position,
            "id": engine.population.id_at(position),
            "answer": classes[code],
            "status": BEFORE,
            "annotator": None,
            "stratum": None if number == NOT_SAMPLED else number + 1,
            "notes": "",
            "flagged": False,
            "cause": None,
        }
        for position, code, number in items
    ]


def _id_columns(population: Population, table: pd.DataFrame) -> dict[str, Any]:
    """The columns that make up an id, where it is several; one whose name is taken is called "id_"
    and that."""
    columns = population.arguments["id"]
    if not isinstance(columns, list):
        return {}
    parts = [id_parts(item_id) for item_id in table["id"]]
    return {
        (f"id_{name}" if name in table.columns else name): np.array(
            [part[place] for part in parts], dtype=object
        )
        for place, name in enumerate(columns)
    }


def _said(population: Population, position: IntArray) -> dict[str, Any]:
    """What each classifier says of these items: its score, and its prediction by name."""
    classes = np.array(population.classes, dtype=object)
    columns: dict[str, Any] = {}
    for name in population.classifiers:
        if name in population.scores:
            columns[f"score_{name}"] = population.scores[name][position]
        if name in population.predictions:
            columns[f"prediction_{name}"] = classes[population.predictions[name][position]]
    return columns


def _remarks(rows: list[dict[str, object]]) -> dict[str, Any]:
    kinds = {"notes": object, "flagged": bool, "cause": object}
    return {name: np.array([row[name] for row in rows], dtype=kind) for name, kind in kinds.items()}


def _contents(table: pd.DataFrame, population: Population, content: Content) -> pd.DataFrame:
    """What was shown of each item; a column whose name is taken is called "content_" and that."""
    texts = [content(item_id) for item_id in table["id"]]
    columns = {
        (f"content_{name}" if name in table.columns else name): [text[name] for text in texts]
        for name in population.content_columns
    }
    return pd.DataFrame(columns, index=table.index, dtype=object)
