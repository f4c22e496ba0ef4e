"""What a classifier's errors have in common."""

from dataclasses import asdict, dataclass, field

import pandas as pd

from labelcore.results.base import Result
from labelcore.results.scope import Scope


@dataclass(frozen=True, slots=True)
class Shared:
    """Something that errors have more often than chance explains, among items called the same.

    Attributes
    ----------
    called
        what the classifier calls these items
    kind
        "word", "score", "length", "group" or "classifier"
    name, value
        of what, such as a column and its value, and the largest or least score or number of words;
        ``above``: whether the items lie above it
    wrong, items, wrong_else, items_else
        labelled items with it, and without it, and how many of them are wrong
    times, low, high
        how many times as often items with it are wrong, and its interval; infinite where no other
        item is wrong
    chance
        of anything so clear among everything that was looked for, if errors had nothing to do with
        it
    """

    called: str
    kind: str
    name: str
    value: str | float
    above: bool
    wrong: int
    items: int
    wrong_else: int
    items_else: int
    times: float
    low: float
    high: float
    chance: float


@dataclass(frozen=True, slots=True)
class ErrorsInCommon(Result):
    """What the errors of a classifier have in common, among the labelled items alone.

    Attributes
    ----------
    classifier
        whose errors
    labels, next_look
        the first labels that were looked at, and at how many it is looked again
    looked_for
        how many words, scores and groups were held against chance
    confidence
        that nothing is told by chance, at all looks and for everything that was looked for
    found
        what is told, the clearest first
    scope
        as for an ``Estimate``
    """

    classifier: str
    labels: int
    next_look: int
    looked_for: int
    confidence: float
    found: tuple[Shared, ...]
    scope: Scope = field(default_factory=Scope)

    def to_frame(self) -> pd.DataFrame:
        """What is told as a table.

        Returns
        -------
        DataFrame
            A row for each of ``found``, with its attributes as columns.
        """
        return pd.DataFrame([asdict(shared) for shared in self.found], columns=list(_COLUMNS))


_COLUMNS = Shared.__dataclass_fields__
