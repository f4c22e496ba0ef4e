"""The G-profile of a file that is itself a sample: of rates, and of how many items there are.

A process makes so many positives a and negatives b of each cell in the mean of files of this size.
N items came, n of them labelled, s and f = n - s of either class. The likelihood

    l(a, b) = sum_k s ln a + f ln b + (N - n) ln(a + b) - a - b

is concave, and a figure is a ratio of sums of these masses. The region holds all of them whose
2 l lies below the largest by the critical value at most; as no figure depends on their scale, it is
that of N items which fall into cells by chance. It is as lopsided as few items are, of which the
variance within a known file, made larger (``sampled_file``), knows nothing (docs/validity.md).

Towards an end each predicted class has half an item more than were seen, a quarter of it a label:
of a Poisson count both ends together are then wrong in at most .06 at every mean.

Source: Wilks (1938); Owen (1990) for the profile along the estimand. The half item is our own.
"""

import numpy as np

from labelcore.stats.profile import Cells, FloatArray, Lines, Region, directed_quarter, x_log_x

HALF_AN_ITEM = 0.5
LEAST_PULL = 1e-6
"""What the outcome that gains most is taken to gain at least, of the largest slope."""


def with_unseen(cells: Cells) -> Cells:
    """The cells, and one without an item for either class that may be predicted."""

    def longer(counts: np.ndarray, more: tuple[float, float]) -> np.ndarray:
        shape = (*counts.shape[:-1], 2)
        return np.concatenate([counts, np.broadcast_to(more, shape).astype(counts.dtype)], axis=-1)

    size, labelled, positive = (
        longer(counts, (0, 0)) for counts in (cells.size, cells.labelled, cells.positive)
    )
    return Cells(size, labelled, positive, longer(cells.predicted, (False, True)))


class _MassLines(Lines):
    """``slope`` is that of the masses a and b, side by side; ``free`` the unlabelled items."""

    def positives(self, log_multiplier: FloatArray) -> FloatArray:
        pull_a, pull_b = np.split(self.slope, 2, axis=-1)
        most = np.maximum(self.slope.max(axis=-1, keepdims=True), LEAST_PULL)
        rest = np.exp(-np.exp(log_multiplier))[..., None]
        e_a, e_b = (1 - pull / most * (1 - rest) for pull in (pull_a, pull_b))
        e_a, e_b = (np.where(pull >= most, rest, e) for pull, e in ((pull_a, e_a), (pull_b, e_b)))
        items = self.s + self.f + self.free
        sum_ = (self.s + self.free) * e_b + (self.f + self.free) * e_a
        root = np.sqrt(np.maximum(sum_**2 - 4 * items * self.free * e_a * e_b, 0.0))
        w = 2 * self.free * e_a * e_b / (sum_ + root)
        dearer = e_a >= e_b
        count, dear, cheap = (
            np.where(dearer, self.s, self.f),
            np.maximum(e_a, e_b),
            np.minimum(e_a, e_b),
        )
        first = np.where(count > 0, count / (dear - w), 0.0)
        # Without a label nothing but the pull decides; without a pull neither does.
        idle = (self.s + self.f <= 0) & (e_a == e_b)
        first = np.where(idle, items / dear / 2, first)
        second = np.maximum(items - dear * first, 0.0) / cheap
        a, b = np.where(dearer, first, second), np.where(dearer, second, first)
        return np.asarray(np.concatenate([a, b], axis=-1))

    def statistic(self, u: FloatArray) -> FloatArray:
        a, b = np.split(u, 2, axis=-1)

        def log(x: FloatArray) -> FloatArray:
            return np.log(np.maximum(x, 1e-300))

        parts = self.s * log(a) + self.f * log(b) + self.free * log(a + b) - a - b
        return np.asarray(2 * (self.constant - parts).sum(axis=-1))


class Masses(Region):
    """``Region`` of masses: its u are a and b of each cell, (..., n_lines, 2 n_cells), like the
    slope. Cells without an item (``with_unseen``) have what is missing to half of one."""

    @staticmethod
    def begun(cells: Cells, totals: FloatArray) -> FloatArray:
        return np.concatenate([totals, cells.size - totals], axis=-1)

    def __init__(
        self, cells: Cells, slope: FloatArray, target: str, quarter: FloatArray | None = None
    ) -> None:
        self.cells = cells = cells.for_rows
        self.slope, self.target = slope, target
        open_cells = np.ones(cells.labelled.shape, dtype=bool)
        self.quarter = directed_quarter(cells, open_cells) if quarter is None else quarter
        pull_a, pull_b = np.split(slope, 2, axis=-1)
        sides = cells.sides
        placed = (sides[..., :, None] == sides[..., None, :]) * self.quarter[..., None, :]
        unseen = (cells.size == 0) & (np.maximum(pull_a, pull_b) > 0)
        more = self.quarter + np.where(unseen, HALF_AN_ITEM - placed.sum(axis=-1), 0.0)
        up = (pull_a > pull_b).astype(float)
        s = cells.positive + more * up
        f = cells.labelled - cells.positive + more * (1 - up)
        free = np.broadcast_to(cells.unlabelled, s.shape)
        n = s + f
        constant = x_log_x(s) + x_log_x(f) - x_log_x(n) + x_log_x(n + free) - (n + free)
        none = np.zeros(s.shape)  # What lines within a known file need besides.
        self.whole = _MassLines(
            slope, s, f, free, constant, none, none, none, none, none, np.empty(0)
        )
        self.s, self.f, self.free = s, f, free

    def limit(self) -> FloatArray:
        return self.unlabelled_positives(np.full(self.s.shape[:-1], 4.0))

    def totals(self, u: FloatArray) -> FloatArray:
        return u
