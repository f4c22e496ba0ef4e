"""How many items are positive at each score: a band for all ranges of scores together, and scores
corrected by the labels.

The ranges follow from the scores and the planned size alone, so that they are fixed before the
first label. Within the part of a stratum that lies in a range the labelled items are, given their
number, a random sample: the share of each range has the interval of a stratified quantity, with
its part of the error level.
"""

from dataclasses import replace

import numpy as np
import pandas as pd

from labelcore.designs.base import IntArray
from labelcore.designs.rates import item_probability
from labelcore.errors import did_you_mean
from labelcore.estimands import SCALARS, sampled_file, table_of
from labelcore.figures.assumptions import assumptions
from labelcore.figures.from_counts import look_at
from labelcore.figures.labels_table import label_weights
from labelcore.figures.prompts import less_sure
from labelcore.figures.readiness import complete, scope_of
from labelcore.figures.sampled import sampled_labels, samples_of
from labelcore.figures.scalars import headline_stage
from labelcore.figures.unsure import doubtful_positions
from labelcore.log.engine import Engine
from labelcore.population import Population
from labelcore.population.groupings import Grouping
from labelcore.promises import Form, Method, Promise
from labelcore.results.calibration import Calibration
from labelcore.stats.horizon import stretch
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import Cells, FloatArray
from labelcore.stats.profile_interval import profile_interval
from labelcore.tallies import Question, Tally, filled, tally_of

LABELS_EACH, FEWEST_RANGES, MOST_RANGES = 25, 3, 8
LONGEST = 16
"""Times the planned size up to which the band of a plan without a horizon is for."""
SOURCE = "Wilks (1938), likelihood-ratio region over strata; Bonferroni (1936) over the ranges"
METHOD = Method(
    "G-profile interval in each range of scores, the error level shared", SOURCE, Form.APPROXIMATE
)
NO_RANDOM_SAMPLE = "the labels of this method are no random sample at each score"
TWO_CLASSES = "a share of positives at each score needs two classes"


def calibration(engine: Engine, classifier: str | None = None) -> Calibration:
    """The band at this moment; 0 to 1 before there is one. Raises ValueError where there is none
    to come."""
    name = _scored(engine, classifier)
    engine = headline_stage(engine)
    ranges, tally, doubtful = counted(engine, name)
    look = look_at(engine)
    watched = look.promise == Promise.WATCHED
    number, rates = len(ranges.sizes), cell_rates(engine, name, tally)
    of_each = replace(look, confidence=1 - (1 - engine.plan.confidence) / number)
    shares = np.full(number, np.nan)
    ends = np.array([np.zeros(number), np.ones(number)])
    labels = np.zeros(number, dtype=np.int64)
    positive = engine.population.classes.index(engine.population.positive)
    asked = Question("calibration", SCALARS["prevalence"], name, positive)
    for place in range(number):
        mine = tally.of_group(place)
        cells = mine.cells(positive)
        labels[place] = cells.labelled.sum()
        if not labels[place]:
            continue
        shares[place] = share_of(cells)
        if watched or complete(engine):
            guess, open_ = rates[tally.group == place], mine.unresolved(doubtful)
            done = (look.progress, look.horizon or LONGEST) if watched else None
            sure = less_sure(engine, [asked.row], of_each, mine).confidence
            at_each = [
                bounds(filled(cells, open_, every), guess, sure, done, look.target)
                for every in (np.zeros(len(guess), dtype=bool), np.ones(len(guess), dtype=bool))
            ]
            ends[:, place] = at_each[0][0], at_each[1][1]
    population = engine.population
    score = np.asarray(population.scores[name], dtype=float)
    in_range, chance = pd.Series(score).groupby(ranges.codes), item_probability(population, name)
    return Calibration(
        classifier=name,
        score_from=in_range.min().to_numpy(),
        score_to=in_range.max().to_numpy(),
        mean_score=np.bincount(ranges.codes, score, number) / ranges.sizes,
        items=ranges.sizes,
        labels=labels,
        value=np.clip(shares, *ends),
        low=ends[0],
        high=ends[1],
        confidence=engine.plan.confidence,
        probabilities=chance is not None and name not in population.descending,
        labels_used=int(labels.sum()),
        method=str(METHOD),
        promise=Promise.WATCHED if watched else Promise.FIXED,
        assumptions=assumptions(engine, METHOD.form, both=True),
        source=METHOD.source,
        form=METHOD.form,
        scope=replace(scope_of(engine, asked), judged=None, at_odds=False, margin=None),
    )


def bounds(
    cells: Cells,
    rates: FloatArray,
    confidence: float,
    watched: tuple[float | FloatArray, float] | None,
    target: str = "file",
) -> tuple[FloatArray, FloatArray]:
    """Low and high end of the share of positives among the items of some cells, at one look or
    (...) of several.

    confidence   of this range
    watched      labels over the planned size, (...), and how many times that the labelling may go
                 on to; None: looked at once
    """
    rows = [SCALARS["prevalence"]]
    table = table_of(rows, cells)
    process = target == "process"  # How many items of each cell there are is chance, too.
    wider = sampled_file(rows, cells, table, rates) if process else np.ones(1)
    if watched is not None:
        sure = np.full(np.shape(watched[0]), confidence)
        wider = wider * stretch(cells, table, sure, watched[0], watched[1], rates, target=target)
    low, high = profile_interval(
        cells, table, confidence, rates=rates, target=target, inflation=wider
    )
    return low[..., 0], high[..., 0]


def share_of(cells: Cells) -> float:
    """Positives among the items of some cells, each by its own labels, one without any by those of
    the others."""
    there = cells.labelled > 0
    rate = cells.positive[there] / cells.labelled[there]
    return float(np.average(rate, weights=cells.size[there]))


def _scored(engine: Engine, classifier: str | None) -> str:
    """The classifier whose score is meant. Raises ValueError where there is none."""
    population = engine.population
    if len(population.classes) != 2:
        raise ValueError(f"{TWO_CLASSES}, and there are {len(population.classes)}")
    if not engine.design.has_weights:
        raise ValueError(NO_RANDOM_SAMPLE)
    names = [name for name in (*engine.classifiers, *population.classifiers) if name is not None]
    scored = [name for name in dict.fromkeys(names) if name in population.scores]
    if not scored:
        raise ValueError("there is no score, so nothing is known of items by their score")
    if classifier is None:
        return scored[0]
    if classifier not in scored:
        known, near = ", ".join(scored), did_you_mean(classifier, scored)
        raise ValueError(f"classifier must be one with a score: {known}, got {classifier!r}{near}")
    return classifier


def counted(engine: Engine, name: str) -> tuple[Grouping, Tally, list[int]]:
    """The ranges of the score, the labels by stratum and range, and the items that may count either
    way."""
    ranges: Grouping = engine.of_frame(
        ("ranges of scores", name), lambda: score_ranges(engine, name)
    )
    samples = samples_of(engine, engine.classifiers[0])
    part = engine.frame.stratum if samples is None else samples.part
    tally: Tally = engine.of_frame(
        ("cells of ranges", name), lambda: tally_of(engine.population, part, None, ranges)
    ).emptied()
    positions = sampled_labels(engine, engine.classifiers[0])
    tally.add_all(positions, engine.codes[positions])
    return ranges, tally, doubtful_positions(engine, strictly=True)


def score_ranges(engine: Engine, name: str) -> Grouping:
    """The items by ranges of a score that are planned to get as many labels each; items with the
    same score stay together. From what the plan knew before the first label."""
    first, planned = engine.beginning(), engine.plan.planned or engine.setup.planned
    counts = first.design.planned_counts(first.setup, first.frame, planned)
    of_item = np.append(np.asarray(counts, dtype=float) / np.maximum(first.frame.sizes, 1), 0.0)
    score = np.asarray(engine.population.scores[name], dtype=float)
    _, place = np.unique(score, return_inverse=True)
    labels = np.bincount(place, of_item[np.asarray(first.frame.stratum)]).astype(float)
    number = int(np.clip(planned // LABELS_EACH, FEWEST_RANGES, MOST_RANGES))
    middle = (np.cumsum(labels) - labels / 2) / max(labels.sum(), 1e-9)
    part = np.minimum(number * middle, number - 1).astype(np.int64)
    codes = _joined(part, labels, labels.sum() / number / 2)
    names = tuple(str(number) for number in range(codes[-1] + 1))
    mine = codes[place]
    return Grouping((name,), names, mine, np.bincount(mine).astype(np.int64))


def _joined(part: IntArray, labels: FloatArray, fewest: float) -> IntArray:
    """The parts numbered from 0; one that few labels are planned for goes with the next, the last
    one with the one before.

    >>> _joined(np.array([0, 1, 1, 2, 3]), np.array([1.0, 4.0, 4.0, 9.0, 2.0]), 5.0).tolist()
    [0, 0, 0, 1, 1]
    """
    joined, held, number = np.zeros_like(part), 0.0, 0
    for place in range(len(part)):
        if place and part[place] != part[place - 1] and held >= fewest:
            number, held = number + 1, 0.0
        joined[place] = number
        held += labels[place]
    return np.minimum(joined, number - 1) if held < fewest and number else joined


def _share_below(population: Population, name: str) -> FloatArray:
    """The share of items that the classifier puts below each, (n_items,)."""
    score = population.ordering_score(name)
    assert score is not None
    return mid_rank_share(score)


def cell_rates(engine: Engine, name: str, tally: Tally) -> FloatArray:
    """What the scores suggest of each cell, (n_cells,), before any label."""

    def compute() -> FloatArray:
        cell = tally.cell_of
        chance = item_probability(engine.population, name)
        shares = _share_below(engine.population, name) if chance is None else chance
        return np.asarray(np.bincount(cell, shares, len(tally.size)) / tally.size)

    rates: FloatArray = engine.of_frame(("rates of ranges", name), compute)
    return rates


def corrected_scores(engine: Engine, classifier: str | None = None) -> pd.DataFrame:
    """The table that ``Session.corrected_scores`` describes."""
    from sklearn.isotonic import IsotonicRegression

    name = _scored(engine, classifier)
    population = engine.population
    labelled = engine.codes.labelled
    weight = label_weights(engine, labelled)
    there = np.isfinite(weight)
    if not there.any():
        raise ValueError("there is no label yet to correct the scores by")
    positive = population.classes.index(population.positive)
    score = np.asarray(population.scores[name], dtype=float)
    known = labelled[there]
    fit = IsotonicRegression(
        y_min=0, y_max=1, out_of_bounds="clip", increasing=name not in population.descending
    )
    fit.fit(score[known], engine.codes[known] == positive, sample_weight=weight[there])
    ids = [population.id_at(position) for position in range(len(population))]
    return pd.DataFrame({"id": ids, "score": score, "corrected": fit.predict(score)})
