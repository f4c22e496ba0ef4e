"""What outputs on the same prompts have in common, where prompts are drawn whole.

The labels of two cells then belong to the same prompts: whoever drew hard ones sees both systems
low together. The covariance of what two cells of a stratum of prompts tell is

    r sqrt(p_a (1 - p_a) p_b (1 - p_b)) N_a N_b (1 - f) m / (n_a n_b),   m prompts of both,

with r the correlation of two systems' residuals y - p over all their prompts, each of them weighted
as it counts for the figures, and ``PRIOR`` prompts without one for a difference. The difference of
two systems is surer by it (Zou and Donner 2008, for dependent figures), a figure of all systems
together less sure: the outputs on a prompt tell less than as many on several.
"""

from dataclasses import replace

import numpy as np
from scipy.special import ndtr, ndtri

from labelcore.designs.base import Look
from labelcore.estimands import Estimand, table_of
from labelcore.log.engine import Engine
from labelcore.stats.max_t import Pull, pull_of
from labelcore.stats.profile import FloatArray
from labelcore.tallies import Tally

PRIOR = 10.0
LEAST_LEVEL = 1e-9


def covariance_of_cells(
    engine: Engine, tally: Tally, pull: Pull, index: int | None, prior: float = PRIOR
) -> FloatArray:
    """That of what each two cells tell of the number of positives, (n_cells, n_cells).

    pull   of these cells; index: the class that counts as positive, None: being judged rightly
    """
    spread = np.sqrt(pull.rate * (1 - pull.rate))
    diagonal = np.diag((pull.reach * spread) ** 2)
    prompt, labelled = engine.population.prompt, engine.codes.labelled
    if engine.frame.block is None or prompt is None or not len(labelled):
        return diagonal
    cell, codes = tally.cells_at(labelled), engine.codes[labelled]
    right = codes == (tally.prediction[cell] if index is None else index)
    _, place = np.unique(prompt.codes[labelled], return_inverse=True)
    known = (cell >= 0) & (prompt.codes[labelled] >= 0)
    cell, place, right = cell[known], place.reshape(-1)[known], right[known]
    shape = int(place.max(initial=0)) + 1, len(tally.size)
    there, apart = np.zeros(shape), np.zeros(shape)
    there[place, cell] = 1.0
    weight = pull.reach / np.sqrt(np.maximum(pull.labelled, 1.0))
    apart[place, cell] = (right - pull.rate[cell]) * weight[cell]
    together = there.T @ there
    group = np.asarray(engine.frame.group)[tally.stratum]
    of_group = np.equal(group[:, None], np.unique(group)).astype(float)
    residual, answered = apart @ of_group, there @ of_group
    both = answered.T @ answered
    squares = (residual**2).T @ answered
    scale = np.sqrt(squares * squares.T)
    correlation = np.divide(residual.T @ residual, scale, out=np.zeros(both.shape), where=scale > 0)
    correlation *= both / np.maximum(both + prior, 1.0)
    reach = weight * spread
    between = of_group @ (correlation - np.diag(np.diag(correlation))) @ of_group.T
    return np.asarray(diagonal + between * together * np.outer(reach, reach))


def less_sure(engine: Engine, rows: list[Estimand], look: Look, tally: Tally | None = None) -> Look:
    """The look at figures of several systems together: with the level of error that is left where
    the labels of a prompt repeat each other, for the figure that loses most.

    tally   the cells that they are read from; None: those of the first classifier
    """
    if engine.frame.block is None:
        return look
    tally = engine.tallies[engine.classifiers[0]] if tally is None else tally
    index = engine.population.classes.index(engine.population.positive)
    cells = tally.cells(index)
    counted = np.full(len(cells.size), index)
    pull = pull_of(cells, table_of(rows, cells), counted, None, target=engine.plan.target)
    covariance = covariance_of_cells(engine, tally, pull, index, prior=0.0)
    slope = np.nan_to_num(pull.slope)
    alone = (slope**2 * np.diag(covariance)).sum(axis=-1)
    whole = np.einsum("ij,jk,ik->i", slope, covariance, slope)
    ratio = np.divide(whole, alone, out=np.ones(len(alone)), where=alone > 0)
    wider = np.sqrt(max(float(ratio.max(initial=1.0)), 1.0))
    level = 2 * ndtr(wider * ndtri((1 - look.confidence) / 2))
    return replace(look, confidence=1 - max(float(level), LEAST_LEVEL))
