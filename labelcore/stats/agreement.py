"""How far two people agree beyond what chance would give."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

MOST_PAIRS_ALIKE = "no pair differs, so that its uncertainty cannot be estimated"
TOO_FEW_PAIRS = "it needs at least two items"


def gwet_ac1(
    first: NDArray[np.int64], second: NDArray[np.int64], n_classes: int, confidence: float
) -> tuple[float, float, float, str]:
    """Gwet's AC1 of two readings: value, low, high, and the reason where a part is undefined.

    first, second   (n_pairs,), class indices 0 .. n_classes - 1
    Returns         value and interval in [-1, 1]; NaN, -1, 1 with a reason where undefined. Other
                    than kappa it does not fall when one class is rare.
    Promise: fixed, a large-sample interval with Student's t. Assumption: the pairs are a simple
    random sample of items.
    Source: Gwet (2008), equations 9 and 15 (without finite-population factor).
    """
    pairs = len(first)
    if pairs < 2:
        return math.nan, -1.0, 1.0, TOO_FEW_PAIRS
    votes = (np.eye(n_classes)[first] + np.eye(n_classes)[second]) / 2
    use = votes.mean(axis=0)
    chance = float((use * (1 - use)).sum() / (n_classes - 1))
    same = (first == second).astype(float)
    value = (float(same.mean()) - chance) / (1 - chance)
    if same.all():
        return value, -1.0, 1.0, MOST_PAIRS_ALIKE
    own_chance = (votes * (1 - use)).sum(axis=1) / (n_classes - 1)
    part = (same - chance) / (1 - chance)
    part = part - 2 * (1 - value) * (own_chance - chance) / (1 - chance)
    error = math.sqrt(float(((part - value) ** 2).sum()) / (pairs * (pairs - 1)))
    half = float(stdtrit(pairs - 1, (1 + confidence) / 2)) * error
    return value, max(value - half, -1.0), min(value + half, 1.0), ""
