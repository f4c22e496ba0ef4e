"""What all results share: a sentence, a dictionary of plain values, JSON, a table."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, is_dataclass
from functools import singledispatch
from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import pandas as pd

from labelcore.promises import Form, Promise, Word
from labelcore.results.scope import Scope

Closed = Mapping[str, type[Word]]
FIGURES = "labelcore.charts.results"
"""What draws results. Charts know results and not the other way round, and Plotly takes long to
load: so it is named here and loaded when somebody asks for a figure."""


@singledispatch
def sentence(result: Any, given: str = "") -> str:
    """The sentence of a result, found by its type; ``labelcore.words`` has one for each.

    given   by whom and when the labels were given, to stand behind their number
    """
    raise TypeError(f"there is no sentence for a {type(result).__name__}; import labelcore.words")


def plain(value: Any) -> Any:
    """A value in the types of JSON: arrays and tables become lists, NaN and infinities become None,
    NumPy's numbers Python's, words out of a closed set texts.

    >>> plain((0.5, float("inf"), np.array([1.0, np.nan])))
    [0.5, None, [1.0, None]]
    """
    if isinstance(value, pd.DataFrame):
        return [plain(row) for row in value.to_dict("records")]
    if isinstance(value, (np.ndarray, np.generic)):
        return plain(value.tolist())
    if isinstance(value, Mapping):
        return {str(name): plain(element) for name, element in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if is_dataclass(value) and not isinstance(value, type):
        own_first = sorted(fields(value), key=lambda item: bool(item.kw_only))
        return {item.name: plain(getattr(value, item.name)) for item in own_first}
    if isinstance(value, Word):
        return value.value
    return None if isinstance(value, float) and not math.isfinite(value) else value


class Result:
    """What all results are: a frozen dataclass that can be put into words, JSON, a table and, where
    there is one, a picture.

    Attributes
    ----------
    closed
        the fields that hold a word out of a closed set; a text given for one becomes the word,
        ValueError where there is none

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content="text", predictions="lr_pred")
    >>> session = lc.Session(population, lc.Plan("simple_random", "accuracy", budget=40))
    >>> all(isinstance(one, lc.Result) for one in session.results().values())
    True
    """

    __slots__ = ()
    closed: ClassVar[Closed] = {}

    def __post_init__(self) -> None:
        for name, kind in self.closed.items():
            object.__setattr__(self, name, kind(getattr(self, name)))

    def sentence(self) -> str:
        """Say in plain words what is known, how surely, and under which condition.

        Returns
        -------
        str
            One or more sentences that can be quoted; they never claim more than the promise.
        """
        return sentence(self)

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, and the sentence.

        Returns
        -------
        dict
            Arrays and tables are lists; NaN and infinities are None.
        """
        return {**plain(self), "sentence": self.sentence()}

    def to_json(self) -> str:
        """The dictionary of ``to_dict`` as JSON text.

        Returns
        -------
        str
            One JSON object.
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    def figure(self) -> Any:
        """The result as a picture.

        Returns
        -------
        plotly.graph_objects.Figure
            It shows itself in a notebook. Texts in it that come from a file are escaped.

        Raises
        ------
        TypeError
            There is no picture of such a result.
        """
        return import_module(FIGURES).figure_of(self)

    def _repr_html_(self) -> str:
        """What a notebook shows: the sentence."""
        return f"<p>{escape(self.sentence())}</p>"

    def to_frame(self) -> pd.DataFrame:
        """The result as a table.

        Returns
        -------
        DataFrame
            One row, without the scope; several assumptions or notes share a cell.
        """
        row = {name: value for name, value in self.to_dict().items() if name != "scope"}
        for name, between in (("assumptions", "; "), ("notes", " ")):
            if name in row:
                row[name] = between.join(row[name])
        return pd.DataFrame([row])


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class Finding(Result):
    """A result of the plan, as ``Session.results`` has it: of what, with which promise, how it was
    made, what it is about and which labels it rests on; its own fields stand before these."""

    closed: ClassVar[Closed] = {"promise": Promise, "form": Form}
    labels_used: int
    draws_used: int
    method: str
    promise: Promise
    assumptions: tuple[str, ...]
    source: str
    scope: Scope = field(default_factory=Scope)
    form: Form = Form.UNSTATED

    if TYPE_CHECKING:  # A field of some kinds, worked out by others.

        @property
        def estimand(self) -> str: ...
