"""Figures of several classifiers and groups as one table: a cell each."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from labelcore.results.base import Result, plain
from labelcore.results.types import Estimate

COLUMNS = (
    "classifier", "by", "group", "items", "estimand", "value", "low", "high", "labels_used",
    "promise", "asked",
)  # fmt: skip

Row = tuple[str | None, str | None]
"""Classifier and group of a row; None for a file without classifiers, and for all items."""


@dataclass(frozen=True, slots=True)
class TableCell:
    """One figure of a table.

    Attributes
    ----------
    row
        classifier and group
    figure
        the estimand, with its class where there are several, such as "precision[spam]"
    estimate
        value, interval, labels and promise
    asked
        whether the plan asks for it. Otherwise it is a first guess from labels that were drawn for
        other figures: its interval holds, by itself, and is wide
    """

    row: Row
    figure: str
    estimate: Estimate
    asked: bool


@dataclass(frozen=True, eq=False, slots=True)
class Table(Result):
    """The figures of all classifiers, of all items or by group. ``Session.table`` makes it.

    Attributes
    ----------
    cells
        classifier by classifier, within it all items first and then group by group
    by
        the column of the groups; "" for none
    confidence
        of each cell by itself, or with ``together`` of all of them
    together
        whether the confidence is for all cells at once, or, where the plan is for all figures
        together, for all that it asks for

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("recalibrated_neyman", "accuracy", budget=80))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> table = session.table()
    >>> table.to_frame()[["classifier", "estimand", "asked"]].values.tolist()[:2]
    [['lr', 'accuracy', True], ['lr', 'precision', False]]
    """

    cells: tuple[TableCell, ...]
    by: str
    confidence: float
    together: bool

    @property
    def rows(self) -> list[Row]:
        """Classifier and group of each row."""
        return list(dict.fromkeys(cell.row for cell in self.cells))

    @property
    def figures(self) -> list[str]:
        """The estimand of each column."""
        return list(dict.fromkeys(cell.figure for cell in self.cells))

    def cell(self, classifier: str | None, figure: str, group: str | None = None) -> TableCell:
        """One cell.

        Parameters
        ----------
        classifier
            its name; None for a file without
        figure
            the estimand, such as "precision"
        group
            the name of the group; None for all items

        Returns
        -------
        TableCell
            With its estimate.

        Raises
        ------
        KeyError
            The table has no such cell.
        """
        for entry in self.cells:
            if entry.row == (classifier, group) and entry.figure == figure:
                return entry
        of = f" of group {group!r}" if group else ""
        raise KeyError(f"the table has no {figure!r} of {classifier!r}{of}")

    def of_asked(self) -> Table:
        """The table without first guesses.

        Returns
        -------
        Table
            Of the cells that the plan asks for.
        """
        return replace(self, cells=tuple(cell for cell in self.cells if cell.asked))

    def widest(self) -> TableCell | None:
        """The cell with the widest interval of those that the plan asks for.

        Returns
        -------
        TableCell or None
            None before any has an interval.
        """
        shown = [cell for cell in self.cells if cell.asked and cell.estimate.has_interval]
        return max(shown, key=lambda cell: cell.estimate.half_width, default=None)

    def to_dict(self) -> dict[str, Any]:
        """The table as JSON values.

        Returns
        -------
        dict
            by, confidence, together, sentence, and under "cells" the rows of ``to_frame``.
        """
        return {
            "by": self.by,
            "confidence": self.confidence,
            "together": self.together,
            "cells": plain([*self._records()]),
            "sentence": self.sentence(),
        }

    def to_frame(self) -> pd.DataFrame:
        """The cells as rows.

        Returns
        -------
        DataFrame
            classifier, by, group, items, estimand, value, low, high, labels_used, promise, asked;
            a value that says little yet is missing.
        """
        return pd.DataFrame(self._records(), columns=list(COLUMNS))

    def _records(self) -> Iterable[dict[str, Any]]:
        for cell in self.cells:
            estimate = cell.estimate
            yield {
                "classifier": cell.row[0],
                "by": self.by if cell.row[1] is not None else None,
                "group": cell.row[1],
                "items": estimate.scope.n_items,
                "estimand": cell.figure,
                "value": estimate.told,
                "low": estimate.low,
                "high": estimate.high,
                "labels_used": estimate.labels_used,
                "promise": str(estimate.promise),
                "asked": cell.asked,
            }

    def __repr__(self) -> str:
        size = f"{len(self.cells):,} figures, {len(self.rows):,} rows x {', '.join(self.figures)}"
        shown = ["classifier", "group", "estimand", "value", "low", "high"]
        return f"<Table of {size}>\n{self.to_frame()[shown].head()}"

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence and the table."""
        return f"{super(Table, self)._repr_html_()}{self.to_frame().to_html(index=False)}"
