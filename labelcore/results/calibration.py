"""How many items are positive at each score, with one band for all scores."""

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import pandas as pd

from labelcore.promises import Form, Promise
from labelcore.results.base import Closed, Result
from labelcore.results.curves import BoolArray, FloatArray, IntArray
from labelcore.results.scope import Scope


@dataclass(frozen=True, eq=False, slots=True)
class Calibration(Result):
    """The share of positives in each range of a score, from the labels of a session.

    Attributes
    ----------
    classifier
        whose score it is
    score_from, score_to, mean_score
        (n_ranges,), the least, largest and mean score of the items of each range, lowest first;
        no score lies in two ranges
    items, labels
        (n_ranges,), how many items of the file, and labels among them
    value, low, high
        (n_ranges,), the share of positives among these items; value is NaN without labels
    confidence
        of the band, for all ranges and at all looks together
    probabilities
        whether the scores lie between 0 and 1, so that the mean score may be held against the band
    labels_used, method, promise, assumptions, source, scope, form
        as for an ``Estimate``

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"})
    >>> session = lc.Session(population, lc.Plan("geometric_strata", "precision_curve", budget=200))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> found = session.calibration()
    >>> bool((found.low <= found.high).all()), int(found.items.sum())
    (True, 1000)
    """

    closed: ClassVar[Closed] = {"promise": Promise, "form": Form}

    classifier: str
    score_from: FloatArray
    score_to: FloatArray
    mean_score: FloatArray
    items: IntArray
    labels: IntArray
    value: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    probabilities: bool
    labels_used: int
    method: str
    promise: Promise
    assumptions: tuple[str, ...]
    source: str
    form: Form = Form.UNSTATED
    scope: Scope = field(default_factory=Scope)

    @property
    def has_band(self) -> bool:
        """Whether anything is told yet: with a fixed promise it is at the planned size."""
        return bool((self.high - self.low < 1).any())

    @property
    def off(self) -> BoolArray:
        """(n_ranges,), whether the mean score lies outside the band; nowhere where scores are no
        probabilities."""
        outside = (self.mean_score < self.low) | (self.mean_score > self.high)
        return np.asarray(outside & self.probabilities)

    def to_frame(self) -> pd.DataFrame:
        """The ranges as a table.

        Returns
        -------
        DataFrame
            A row per range: score_from, score_to, mean_score, items, labels, value, low, high.
        """
        names = ("score_from", "score_to", "mean_score", "items", "labels", "value", "low", "high")
        return pd.DataFrame({name: getattr(self, name) for name in names})
