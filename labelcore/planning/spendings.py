"""How readings are spent: on more items, or on more people for the same items."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from labelcore.designs.profile_figures import of_process
from labelcore.errors import PlanArgumentError
from labelcore.estimands import table_of
from labelcore.figures.agreement import people_agree
from labelcore.log.engine import Engine
from labelcore.log.further_readings import cell_names, chances, worth_of_cells
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.stats.horizon import stretch
from labelcore.stats.label_error import error_rate
from labelcore.stats.profile import Cells, FloatArray, Ratios
from labelcore.stats.profile_interval import critical_values
from labelcore.stats.two_phase import Critical, expected_flips, settled_interval, settled_totals

DISAGREEMENT = 0.05
"""The share of items of which two people are taken to differ before anything is known of them."""
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.65, 0.8, 1.0)
FEWEST, ENOUGH, LEAST = 20, 20, 0.005
"""Items that are labelled at least; those of several people from which on they say how often they
differ; and how often they are then taken to differ at least."""
COLUMNS = (
    "overlap", "items", "judged_by_several", "readings", "expected_half_width", "recommended"
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Spending:
    """One way to spend readings, and what it is expected to give.

    Attributes
    ----------
    overlap
        the share of the items that several people judge
    items
        how many items are labelled; twice: those of them that several people judge
    readings
        how many answers are given in all
    half_widths
        {result: half-width} of the figures for the settled judgement
    """

    overlap: float
    items: int
    twice: int
    readings: int
    half_widths: Mapping[str, float]

    @property
    def half_width(self) -> float:
        """The largest one."""
        return max(self.half_widths.values())


def spendings(
    population: Population,
    plan: Plan,
    readings: int | None = None,
    *,
    disagreement: float = DISAGREEMENT,
    shares: Sequence[float] = SHARES,
) -> list[Spending]:
    """What the same number of readings gives, by how many of the items several people judge.

    Parameters
    ----------
    population
        the file; no truth is needed
    plan
        what is asked; its ``readers`` judge each item of the overlap. Its own overlap and budget
        count only where ``readings`` is missing
    readings
        answers in all; None: those of the plan
    disagreement
        on which share of the items two people differ
    shares
        the overlaps to compare

    Returns
    -------
    list of Spending
        In the order of ``shares``; none where the plan asks for no single figure that labels can
        give, or where nothing settled is known of its labels.

    Notes
    -----
    Promise: none, a forecast, as if the scores were right and mistakes alike everywhere. Measured
    in docs/several_people.md.

    Examples
    --------
    >>> import labelcore as lc
    >>> from labelcore.planning.spendings import recommended, spendings
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=200, overlap=0.1)
    >>> best = recommended(spendings(population, plan))
    >>> best.readings <= 220, best.overlap > 0.1
    (True, True)
    """
    if not 0 < disagreement <= 0.5:
        raise PlanArgumentError(
            "disagreement", "must be a share above 0, up to .5", got=disagreement
        )
    each = plan.readers - 1
    if readings is None:
        size = plan.budget or plan.planned or 0
        readings = round(size * (1 + plan.overlap * each))
    outlook = Outlook(population, plan)
    if plan.existing == "random" or len(outlook.never()) == len(outlook.questions):
        return []
    ways = []
    for share in shares:
        items = min(int(readings / (1 + share * each) + 1e-9), outlook.most)
        if items < FEWEST:
            continue
        widths = _half_widths(outlook, items, share, float(error_rate(disagreement)))
        twice = round(items * share)
        ways.append(Spending(share, items, twice, items + twice * each, widths))
    return ways


def recommended(found: Sequence[Spending]) -> Spending:
    """The one whose figures are narrowest, in the mean of the logarithms of their widths."""
    return min(
        found, key=lambda way: sum(np.log(max(half, 1e-9)) for half in way.half_widths.values())
    )


def spending_table(found: Sequence[Spending]) -> pd.DataFrame:
    """A row for each way, and whether it is the one that is recommended."""
    best = recommended(found) if found else None
    rows = [
        (way.overlap, way.items, way.twice, way.readings, way.half_width, way is best)
        for way in found
    ]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def readings_table(engine: Engine) -> pd.DataFrame:
    """``spending_table`` of a session's plan, by how often people differ in it."""
    agree = people_agree(engine)
    seen = agree.share.value if agree.items >= ENOUGH else None
    differ = DISAGREEMENT if seen is None else min(max(1 - seen, LEAST), 0.5)
    return spending_table(spendings(engine.population, engine.plan, disagreement=differ))


def _half_widths(outlook: Outlook, items: int, share: float, error: float) -> dict[str, float]:
    """{result: half-width} of the settled figures at expected counts."""
    drawn = outlook.allocation(items)
    never = outlook.never()
    asked = [question for question in outlook.questions if question.key not in never]
    expected = {question: outlook.expected_cells(question, drawn) for question in asked}
    first = outlook.classifiers[0]
    tally = outlook.tallies[first]
    chance = np.full((len(tally.size), 2), min(share, 1.0))
    several = len(outlook.population.classes) > 2
    whole = [
        question for question in asked if question.subject == first and question.versus is None
    ]
    whole = [question for question in whole if question.class_index is None or not several]
    if whole:
        cells, rates = expected[whole[0]]
        count = np.maximum(cells.labelled, 1e-9)
        worth = worth_of_cells(asked, outlook.tallies, count, lambda key: expected[key][1])
        chance = chances(cells, np.clip(rates, 1e-6, 1 - 1e-6), count, worth, share)
    by_name = dict(zip(cell_names(tally), chance, strict=True))
    by_stratum = {stratum: chances_of_cell for (stratum, _), chances_of_cell in by_name.items()}
    widths, look = {}, outlook.look_at(items, items)
    target = "file" if look.masses else look.target
    for question in asked:
        cells, _ = expected[question]
        names = cell_names(outlook.tallies[question.subject])
        read = np.array([by_name.get(name, by_stratum[name[0]]) for name in names])
        if several and question.class_index is not None:  # There "yes" is what was predicted.
            read = np.where(cells.predicted[:, None], read, read[:, ::-1])
        table = table_of([question.row], cells)
        flips = expected_flips(cells, read, error)
        critical = _critical(outlook.plan, len(outlook.questions), target)
        ends = np.array(settled_interval(cells, table, flips, critical, target=target))
        if look.masses:
            ends = of_process([question.row], cells, settled_totals(cells, flips), look, ends)
        _, low, high = ends
        widths[question.key] = float(high[0] - low[0]) / 2
    return widths


def _critical(plan: Plan, results: int, target: str) -> Critical:
    confidence = plan.confidence_of_each(results)

    def critical(both: Cells, linear: Ratios) -> FloatArray:
        inflation: FloatArray | float = 1.0
        if plan.promised == Promise.WATCHED:
            horizon = plan.horizon or 1
            inflation = stretch(both, linear, confidence, 1.0, horizon, target=target)
        return critical_values(both, linear, confidence, target=target, inflation=inflation)

    return critical
