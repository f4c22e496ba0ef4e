"""What can be estimated: one table of ratios of two totals.

Each total is linear in (1, truth, predicted, truth x predicted) per item, with truth and predicted
1 for the positive class. Given the number of positives in each stratum (or in each part of one
that shares a prediction) both totals are known, so one function turns every row into a ratio over
cells. Several classes: "precision" and "recall" are asked of each class against the rest, and
"accuracy" becomes the share of items whose label equals their prediction.
"""

from dataclasses import dataclass, field, replace

import numpy as np

from labelcore.stats.process_profile import with_unseen
from labelcore.stats.profile import (
    BoolArray,
    Cells,
    Differences,
    FloatArray,
    Ratios,
    Table,
    smoothed_rates,
    variance_shares,
)

Coefficients = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Quantity:
    """One thing that can be asked for.

    term      what it is called within a sentence, such as "recall"
    measures  what it measures, in words; {classifier} and {positive!r} are filled in. "" where no
              sentence says it
    in_truth  the same where the truth itself is known, not only somebody's judgement; "": as it is
    """

    name: str
    term: str
    measures: str = field(default="", kw_only=True)
    in_truth: str = field(default="", kw_only=True)

    @property
    def label(self) -> str:
        """What it is called on a button or at the head of a column."""
        return self.term[:1].upper() + self.term[1:]


@dataclass(frozen=True, slots=True)
class Estimand(Quantity):
    """One row of the table.

    numerator, denominator   coefficients of (1, truth, predicted, truth x predicted)
    formula  the same in the counts of the confusion matrix, for people
    short    what its interval says, for one short sentence; {range}, {items}, {classifier} and
             {positive!r} are filled in. "" where it is no share of items
    group    which items both totals count: "all", "predicted", "unpredicted"; "": labels decide it
    per_class   whether there is a result for each of several classes
    of_all_classes   whether it counts several classes together
    difference  whether it is the first classifier's figure minus the second one's
    """

    numerator: Coefficients
    denominator: Coefficients
    formula: str = field(kw_only=True)
    short: str = field(default="", kw_only=True)
    group: str = field(default="", kw_only=True)
    needs_prediction: bool = field(default=True, kw_only=True)
    per_class: bool = field(default=False, kw_only=True)
    of_all_classes: bool = field(default=False, kw_only=True)
    difference: bool = field(default=False, kw_only=True)

    @property
    def least(self) -> float:
        """The smallest possible value; the largest is 1."""
        return -1.0 if self.difference else 0.0

    @property
    def more_is_better(self) -> bool:
        """Whether a classifier without errors has 1."""
        above, below = self.numerator, self.denominator
        return above[0] == below[0] and sum(above) == sum(below)

    @property
    def of_negatives(self) -> bool:
        """Whether its denominator counts only items that are not of the positive class."""
        constant, truth, predicted, both = self.denominator
        return constant + truth == 0 and predicted + both == 0


_ROWS = (
    Estimand(
        "accuracy",
        "accuracy",
        (1, -1, -1, 2),
        (1, 0, 0, 0),
        group="all",
        of_all_classes=True,
        formula="(TP + TN) / N",
        short="{classifier} gets {range} % of {items} right",
        measures="accuracy (the share of items in which {classifier} agrees with human judgement)",
        in_truth="accuracy (the share of items that {classifier} gets right)",
    ),
    Estimand(
        "precision",
        "precision",
        (0, 0, 0, 1),
        (0, 0, 1, 0),
        group="predicted",
        per_class=True,
        formula="TP / (TP + FP)",
        short="of the items that {classifier} calls {positive!r}, {range} % are {positive!r}",
        measures="precision (of the items that {classifier} calls {positive!r}, the share that "
        "human judgement also calls {positive!r})",
        in_truth="precision (of the items that {classifier} calls {positive!r}, the share that "
        "truly are)",
    ),
    Estimand(
        "recall",
        "recall",
        (0, 0, 0, 1),
        (0, 1, 0, 0),
        per_class=True,
        formula="TP / (TP + FN)",
        short="{classifier} finds {range} % of the items that are {positive!r}",
        measures="recall (of the items that human judgement calls {positive!r}, the share that "
        "{classifier} also calls {positive!r})",
        in_truth="recall (of the items that truly are {positive!r}, the share that {classifier} "
        "calls {positive!r})",
    ),
    Estimand(
        "f1",
        "F1",
        (0, 0, 0, 2),
        (0, 1, 1, 0),
        formula="2 TP / (2 TP + FP + FN)",
        measures="F1 (precision and recall of {classifier} for {positive!r} in one number)",
    ),
    Estimand(
        "specificity",
        "specificity",
        (1, -1, -1, 1),
        (1, -1, 0, 0),
        formula="TN / (TN + FP)",
        short="{classifier} clears {range} % of the items that are not {positive!r}",
        measures="specificity (of the items that human judgement does not call {positive!r}, the "
        "share that {classifier} does not either)",
        in_truth="specificity (of the items that truly are not {positive!r}, the share that "
        "{classifier} does not call {positive!r})",
    ),
    Estimand(
        "prevalence",
        "prevalence",
        (0, 1, 0, 0),
        (1, 0, 0, 0),
        group="all",
        needs_prediction=False,
        formula="(TP + FN) / N",
        short="{range} % of {items} are {positive!r}",
        measures="prevalence (the share of items that human judgement calls {positive!r})",
        in_truth="prevalence (the share of items that truly are {positive!r})",
    ),
    Estimand(
        "false_omission_rate",
        "false omission rate",
        (0, 1, 0, -1),
        (1, 0, -1, 0),
        group="unpredicted",
        formula="FN / (FN + TN)",
        short="of the items that {classifier} does not call {positive!r}, {range} % are "
        "{positive!r}",
        measures="the false omission rate (of the items that {classifier} does not call "
        "{positive!r}, the share that human judgement does)",
        in_truth="the false omission rate (of the items that {classifier} does not call "
        "{positive!r}, the share that truly are)",
    ),
    Estimand(
        "negative_predictive_value",
        "negative predictive value",
        (1, -1, -1, 1),
        (1, 0, -1, 0),
        group="unpredicted",
        formula="TN / (TN + FN)",
        short="of the items that {classifier} does not call {positive!r}, {range} % are not "
        "{positive!r}",
        measures="the negative predictive value (of the items that {classifier} does not call "
        "{positive!r}, the share that human judgement does not either)",
        in_truth="the negative predictive value (of the items that {classifier} does not call "
        "{positive!r}, the share that truly are not)",
    ),
)

SCALARS: dict[str, Estimand] = {row.name: row for row in _ROWS}

DIFFERENCE = "_difference"

# The first classifier's figure minus the second one's, over the same items.
DIFFERENCES: dict[str, Estimand] = {
    f"{name}{DIFFERENCE}": replace(
        SCALARS[name],
        name=f"{name}{DIFFERENCE}",
        term=f"{SCALARS[name].term} difference",
        short="",
        measures=f"how much better the first of the two classifiers is than the second in "
        f"{SCALARS[name].term}",
        in_truth="",
        group="",
        per_class=False,
        of_all_classes=False,
        formula=f"{SCALARS[name].formula} of A, minus that of B",
        difference=True,
    )
    for name in ("accuracy", "precision", "recall", "f1")
}


def _by_name(*rows: Quantity) -> dict[str, Quantity]:
    return {row.name: row for row in rows}


CURVES = _by_name(
    Quantity(
        "precision_curve",
        "precision curve",
        measures="the precision curve (for each rank of the list, the share of items down to it "
        "that human judgement calls {positive!r})",
    )
)

# One number of a whole ranked list, read off its curve.
SUMMARIES = _by_name(
    Quantity(
        "average_precision",
        "average precision",
        measures="average precision (the mean, over the items that human judgement calls "
        "{positive!r}, of the precision at their rank)",
    ),
    Quantity(
        "area_under_roc",
        "area under the ROC curve",
        measures="the area under the ROC curve (how often {classifier} ranks an item that "
        "human judgement calls {positive!r} above one that it does not)",
    ),
)

# How much better one ranked list is than another, at every rank.
LISTS = _by_name(
    Quantity(
        "precision_curve_difference",
        "difference of two lists",
        measures="the difference of two lists (for each rank, how many more of the first items of "
        "one list human judgement calls {positive!r} than of the other's, as a share of them)",
    )
)

# Which of several candidates to take.
CHOICES = _by_name(
    Quantity(
        "selection",
        "choice",
        measures="the choice (which of several thresholds or classifiers to use)",
    )
)

QUANTITIES: dict[str, Quantity] = {
    **SCALARS, **DIFFERENCES, **CURVES, **LISTS, **SUMMARIES, **CHOICES
}  # fmt: skip
ESTIMANDS: dict[str, str] = {name: row.label for name, row in QUANTITIES.items()}


def table_of(rows: list[Estimand], cells: Cells) -> Table:
    """The rows over ``cells``: differences of the two classifiers, or ratios of the first one."""
    if not any(row.difference for row in rows):
        return ratios(rows, cells)
    return Differences(ratios(rows, cells), ratios(rows, cells, _other(cells)))


def table_of_masses(rows: list[Estimand], cells: Cells) -> Ratios:
    """The rows, no differences, as ratios over the positives and the negatives of each cell, one
    after the other, and of those of ``with_unseen``."""
    call = with_unseen(cells).predicted.astype(float)[..., None, :]
    totals = []
    for part in ([row.numerator for row in rows], [row.denominator for row in rows]):
        c = np.array(part, dtype=float)[..., None]
        negative = c[:, 0] + c[:, 2] * call
        totals.append(np.concatenate([negative + c[:, 1] + c[:, 3] * call, negative], axis=-1))
    return Ratios(np.zeros(len(rows)), totals[0], np.zeros(len(rows)), totals[1])


def slope_of(row: Estimand, cells: Cells, value: FloatArray) -> FloatArray:
    """Which way one more positive of each cell moves the figure, (n_cells,)."""
    table = table_of([row], cells)
    if isinstance(table, Differences):
        return np.asarray(table.sensitivity(cells.size * smoothed_rates(cells))[0])
    return np.asarray(table.gradient(np.clip(np.nan_to_num(value, nan=0.5), 0.01, 0.99))[0])


def size_slopes(rows: list[Estimand], cells: Cells, rates: FloatArray) -> FloatArray:
    """How much each row gains by one item more of each cell, like those that it has,
    (..., n_rows, n_cells).

    rates   (..., n_cells), the share of positives in each cell
    """
    slopes = _size_slopes(rows, cells, cells.predicted, rates)
    if not any(row.difference for row in rows):
        return slopes
    return slopes - _size_slopes(rows, cells, _other(cells), rates)


def _size_slopes(
    rows: list[Estimand], cells: Cells, called: BoolArray, rates: FloatArray
) -> FloatArray:
    truth, predicted = rates[..., None, :], called.astype(float)[..., None, :]
    size = cells.size[..., None, :]

    def of_an_item(coefficients: list[Coefficients]) -> FloatArray:
        constant, by_truth, by_predicted, by_both = np.array(coefficients, dtype=float).T[..., None]
        return np.asarray(
            constant + by_truth * truth + by_predicted * predicted + by_both * truth * predicted
        )

    above = of_an_item([row.numerator for row in rows])
    below = of_an_item([row.denominator for row in rows])
    total = np.maximum((below * size).sum(axis=-1, keepdims=True), 1e-12)
    return np.asarray((above - (above * size).sum(axis=-1, keepdims=True) / total * below) / total)


def _other(cells: Cells) -> BoolArray:
    if cells.other is None:
        raise ValueError("a difference needs cells with the predictions of two classifiers")
    return cells.other


def ratios(rows: list[Estimand], cells: Cells, called: BoolArray | None = None) -> Ratios:
    """The rows as ratios over ``cells``: each total is c0 N + c1 K + c2 N_pred + c3 K_pred, of the
    first classifier unless others are ``called`` positive."""
    predicted = (cells.predicted if called is None else called).astype(float)
    items = cells.size.sum(axis=-1, keepdims=True)
    items_predicted = (cells.size * predicted).sum(axis=-1, keepdims=True)

    def totals(coefficients: list[Coefficients]) -> tuple[FloatArray, FloatArray]:
        c = np.array(coefficients, dtype=float).reshape(-1, 4)
        constant = c[:, 0] * items + c[:, 2] * items_predicted
        return constant, c[:, 1:2] + c[:, 3:4] * predicted[..., None, :]

    a0, a = totals([row.numerator for row in rows])
    b0, b = totals([row.denominator for row in rows])
    return Ratios(a0, a, b0, b)


def variance_of_shares(rows: list[Estimand], cells: Cells, totals: FloatArray) -> FloatArray:
    """The variance of each row's numerator minus value times denominator that is due to the file
    itself being a sample, in which the sizes of the cells are random, (..., n_rows).

    For independent items it is sum_k N_k z_k^2, where z_k is the mean of that quantity over an item
    of cell k. For a difference of two classifiers it is the variance of the difference itself.

    totals   (..., n_cells), estimated positives of each cell
    """
    pull, whole = _pull(rows, cells, totals, cells.predicted)
    if any(row.difference for row in rows):
        other, of_other = _pull(rows, cells, totals, _other(cells))
        pull = pull / whole[..., None] - other / of_other[..., None]
    return np.asarray((cells.size[..., None, :] * pull**2).sum(axis=-1))


def sampled_file(
    rows: list[Estimand], cells: Cells, table: Table, rates: FloatArray | None = None
) -> FloatArray:
    """What the critical value of a region within the cells is multiplied by, (..., n_rows), so that
    it covers both the rates of the cells and how many items of the file fell into each.

    The variance within the cells has the file's shares for known; with target "process" they are
    those of a sample of N items. The factor is (within + between) / within. Without it coverage
    falls to .82 where most of a file is labelled, see docs/validity.md.
    """
    within = variance_shares(cells, table, rates, target="process").sum(axis=-1)
    totals = cells.size * smoothed_rates(cells, rates)
    between = variance_of_shares(rows, cells, totals)
    return np.asarray(1 + np.divide(between, within, out=np.zeros(within.shape), where=within > 0))


def _pull(
    rows: list[Estimand], cells: Cells, totals: FloatArray, called: BoolArray
) -> tuple[FloatArray, FloatArray]:
    """The mean of an item of each cell in numerator less value times denominator, (..., n_rows,
    n_cells), and the denominator, (..., n_rows)."""
    rate, size = totals / cells.size, cells.size[..., None, :]
    predicted = np.broadcast_to(called.astype(float), rate.shape)
    items = np.stack([np.ones(rate.shape), rate, predicted, rate * predicted], axis=-2)
    above = np.array([row.numerator for row in rows]) @ items
    below = np.array([row.denominator for row in rows]) @ items
    whole = np.maximum((size * below).sum(axis=-1), 1e-12)
    value = (size * above).sum(axis=-1) / whole
    return above - value[..., None] * below, whole


def outcome_counts(row: Estimand, cells: Cells) -> dict[tuple[float, float], float]:
    """Labelled items by what each adds to the numerator and to the rest of the denominator, without
    those that add to neither."""
    counts: dict[tuple[float, float], float] = {}
    for truth, hits in ((1.0, cells.positive), (0.0, cells.labelled - cells.positive)):
        for called in (True, False):
            item = np.array([1.0, truth, called, truth * called])
            above = float(np.array(row.numerator) @ item)
            rest = float(np.array(row.denominator) @ item) - above
            if above or rest:
                found = float(hits[cells.predicted == called].sum())
                counts[above, rest] = counts.get((above, rest), 0.0) + found
    return counts


def known_group(row: Estimand, cells: Cells) -> BoolArray | None:
    """Which cells make up the denominator, where that is known before labelling, (..., n_cells)."""
    every, called = np.ones(cells.predicted.shape, dtype=bool), cells.predicted
    return {"all": every, "predicted": called, "unpredicted": ~called}.get(row.group)


def known_before(row: Estimand, cells: Cells) -> int | None:
    """How many items a figure rests on, where every one of them was known before labelling."""
    group = known_group(row, cells)
    if group is None or not group.any() or (group & cells.sampled).any():
        return None
    return int(cells.size[group].sum())
