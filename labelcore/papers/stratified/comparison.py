"""Which strata would pay for accuracy, from the scores alone and before any label."""

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from labelcore.designs.sure_scores import scores_looking_sure, turned
from labelcore.papers.stratified.accuracy_variance import (
    equal_variance,
    optimal_variance,
    proportional_variance,
    random_variance,
)
from labelcore.papers.stratified.stratifications import STRATIFICATIONS, stratify
from labelcore.papers.stratified.sureness import sureness
from labelcore.population import Population

NUMBERS = tuple(range(2, 11))
MOST_ITEMS = 100_000
FORMULAS: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {
    "proportional": proportional_variance,
    "equal": equal_variance,
    "optimal": optimal_variance,
}


def compare_stratifications(
    population: Population,
    classifier: str,
    *,
    step: Callable[[float], object] = lambda share: None,
) -> pd.DataFrame:
    """Every stratification with every number of strata and allocation, a row each; ``step`` is
    called with the share that is done:

    stratification, n_strata   as in the parameters of design "stratified"
    allocation   "proportional", "equal", or "optimal": Neyman's with the true spreads, which nobody
                 has before labelling and no method reaches
    found        strata without the empty ones; smallest: items of the smallest one
    ratio        variance of estimated accuracy over that of a plain random sample of the same size
    saved        share of the labels that this saves, 1 - ratio; below zero where it costs labels

    ``frame.attrs["assumption"]`` says in words what the scores were taken for: probabilities, as if
    they were right, or a rank where they are none. Of more than 100,000 items as many quantiles of
    sureness are compared.

    Promise: none; a score that is wrong about its own errors promises too much. Raises PlanError
    for a classifier without scores or predictions.
    Source: Kumar and Raj (2018), equations 2, 7, 8 and 10.
    """
    sure = sureness(turned(population, scores_looking_sure(population)), classifier)
    order = np.argsort(sure.z, kind="stable")
    kept = np.linspace(0, len(order) - 1, min(len(order), MOST_ITEMS)).round().astype(np.int64)
    z, chance = sure.z[order[kept]], sure.chance[order[kept]]
    keys = np.zeros((len(z), 2), dtype=np.uint64)
    plain = random_variance(float(chance.mean()), len(population))
    rows = []
    for place, way in enumerate(STRATIFICATIONS):
        for tried, number in enumerate(NUMBERS):
            step((place + tried / len(NUMBERS)) / len(STRATIFICATIONS))
            stratum = stratify(way, z, number, keys.__getitem__)
            sizes = np.bincount(stratum) * (len(population) / len(z))
            shares = np.bincount(stratum, chance) / np.bincount(stratum)
            for allocation, formula in FORMULAS.items():
                ratio = formula(sizes, shares) / plain
                rows.append(
                    (
                        way,
                        number,
                        allocation,
                        len(sizes),
                        round(float(sizes.min())),
                        ratio,
                        1 - ratio,
                    )
                )
    columns = ["stratification", "n_strata", "allocation", "found", "smallest", "ratio", "saved"]
    frame = pd.DataFrame(rows, columns=columns)
    frame.attrs["assumption"] = sure.words
    return frame
