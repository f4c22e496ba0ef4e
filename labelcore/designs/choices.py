"""What a method that chooses between candidates says of them."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from labelcore.promises import ChoiceStatus, Method


@dataclass(frozen=True, eq=False, slots=True)
class ChoiceFigures:
    """What a method says of its candidates.

    chosen      name of the candidate, such as "top 400"; None where there is none
    threshold   the score from which on the chosen one calls an item positive; None without a score
    status      "guaranteed", "guess", "none acceptable" or "undecided"
    bounds      a row per candidate: classifier, size, value, low, high (of its precision), state
    confidence  of the guarantee
    labels, draws   that it rests on
    missing     what is still to come, in words
    """

    chosen: str | None
    threshold: float | None
    status: ChoiceStatus
    bounds: pd.DataFrame
    confidence: float
    labels: int
    draws: int
    method: Method
    assumptions: tuple[str, ...]
    missing: str = ""
