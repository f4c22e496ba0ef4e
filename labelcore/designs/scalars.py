"""What a method that estimates numbers can do, and what it works them out from."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic

import numpy as np

from labelcore.designs.base import AnswerCodes, Design, FrameT, IntArray, Look, Setup
from labelcore.estimands import DIFFERENCES, Estimand, table_of
from labelcore.promises import Method, Promise
from labelcore.stats.certain import certain_bounds
from labelcore.stats.judged import apart, judgeable, least_judgeable
from labelcore.stats.profile import BoolArray, Cells, FloatArray

FIRST_FIGURE = 30
"""Labels before the first figure of a fixed promise."""


@dataclass(frozen=True, eq=False, slots=True)
class Answers(Generic[FrameT]):
    """What the scalar results of one classifier are worked out from.

    rows     the estimands asked for
    cells    counts of the parts of the strata that share a prediction
    rates    (n_cells,), the method's own idea of each cell's rate; None where it has none
    class_index   the class that counts as positive; None: being judged rightly (several classes)
    codes    of the items drawn so far
    """

    frame: FrameT
    rows: list[Estimand]
    cells: Cells
    rates: FloatArray | None
    classifier: str | None
    class_index: int | None
    codes: AnswerCodes


@dataclass(frozen=True, eq=False, slots=True)
class Figures:
    """Values and bounds of several estimands of one classifier, arrays (n_rows,); value is NaN
    where there is none. ``method`` per row; ``promise`` where it is not the plan's;
    ``draws`` (n_rows,) where a method counts draws apart from labels; ``notes`` per row: what a
    reader should know of it, "" for nothing; none at all where it is empty."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    method: tuple[Method, ...]
    tail_share: FloatArray
    promise: Promise | None = None
    draws: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()


def certain_ends(rows: list[Estimand], cells: Cells) -> tuple[FloatArray, FloatArray]:
    """``certain_bounds``; of the items that a person can judge the wider of what their estimated
    number leaves possible and what that of all that may be judged does; of a difference also what
    the least number does."""
    cases = [cells, judgeable(cells)]
    if apart(cells):
        cases.append(least_judgeable(cells))
    low, high = zip(*(certain_bounds(one, table_of(rows, one)) for one in cases), strict=True)
    return np.min(low, axis=0), np.max(high, axis=0)


ROUNDING = 1e-6
"""How far the ends of an interval may be from where they belong, at the very most."""


@dataclass(frozen=True, eq=False, slots=True)
class Goal:
    """What ends a session by its margin.

    margin   the largest half-width
    kept     low and high of the band at the planned size, which is kept until the new one lies
             inside it or the value outside; None: before that size, or no band is kept
    both     whether what that band and the new one have in common counts instead
    memory   what a method keeps from one call to the next to save time; no stop depends on it
    """

    margin: float
    kept: tuple[float, float] | None = None
    memory: dict[str, Any] = field(default_factory=dict)
    both: bool = False

    def missed(self, value: FloatArray, low: FloatArray, high: FloatArray) -> BoolArray:
        """Where an interval around ``value`` that reaches at least from ``low`` to ``high`` is
        wider than the margin allows, or a wider one is kept; arrays of one shape."""
        wide = np.asarray(high - low > 2 * self.margin + ROUNDING)
        if self.kept is None:
            return wide
        least, most = self.kept
        if self.both:
            shared = np.minimum(high, most) - np.maximum(low, least)
            return np.asarray(shared > 2 * self.margin + ROUNDING)
        if most - least <= 2 * self.margin + ROUNDING:
            return wide & ((value < least - ROUNDING) | (value > most + ROUNDING))
        kept = (least + ROUNDING < value) & (value < most - ROUNDING)
        return np.asarray(wide | kept & ((low < least - ROUNDING) | (high > most + ROUNDING)))


class EstimatesScalars(Design[FrameT]):
    """A method that estimates numbers about a classifier, such as accuracy or recall.

    correlates   whether its intervals follow from the variance of the counts of cells, so that the
                 correlation of several figures says which error level each needs for all to hold
    """

    ability: ClassVar[str] = "estimate numbers"
    correlates: ClassVar[bool] = False

    @abstractmethod
    def figures(self, answers: Answers[FrameT], look: Look) -> Figures:
        """Values and intervals of one classifier."""

    def figures_of(
        self, answers: Sequence[Answers[FrameT]], looks: Sequence[Look]
    ) -> list[Figures]:
        """``figures`` of several sessions of one plan, each at its own look; a method that can work
        them out side by side is faster."""
        return [self.figures(answer, look) for answer, look in zip(answers, looks, strict=True)]

    def may_meet(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        """Whether a watched interval may keep ``goal`` at each of several looks, (n_looks,): False
        only where it surely does not, True where the interval itself has to tell.

        answers  of one row, with an axis of looks in the counts of its cells and in its rates; the
                 codes are those before the first of these looks
        labels   (n_looks,), all labels at each look
        """
        return np.ones(len(labels), dtype=bool)

    def holds(
        self, answers: Answers[FrameT], look: Look, labels: IntArray, band: FloatArray
    ) -> BoolArray:
        """Whether the watched intervals of all rows hold ``band``, (2, n_rows), at each of several
        looks, (n_looks,): True only where they surely do. ``answers`` and ``labels`` as for
        ``may_meet``, of any rows."""
        return np.zeros(len(labels), dtype=bool)

    @abstractmethod
    def half_widths(
        self, setup: Setup, answers: Answers[FrameT], look: Look, drawn: FloatArray
    ) -> FloatArray:
        """Expected half-widths, (n_rows,), from expected counts; ``drawn`` is (n_strata,)."""

    def forecast_notes(self, answers: Answers[FrameT], look: Look) -> list[str]:
        """Sentences on what the expected counts of ``answers`` mean for the expected half-widths,
        for a person who plans; none for most methods."""
        return []

    def mean_grade(
        self,
        cells: Cells,
        counts: FloatArray,
        grades: FloatArray,
        look: Look,
        said: FloatArray | None = None,
    ) -> FloatArray | None:
        """Value, low and high of the mean of grades, (3,); None for a method that cannot tell it.

        counts   (n_cells, n_grades), the labelled items of each grade
        grades   (n_grades,), their numbers
        said     (n_cells,), the grade that a judge gives all items of a cell: the ends are as far
                 apart as those of the judge's mean less the people's; None: as those of the mean
        """
        return None

    def compares(self, params: Any) -> bool:
        """Whether its figures can be the differences of two classifiers, also where it plans for
        none of them."""
        return bool({*DIFFERENCES} & {*self.estimands})

    def judges(self, params: Any) -> bool:
        """Whether its figures can be about the items that a person can judge: they rest on nothing
        but the counts and sizes of cells, and on what is said of labelled items."""
        return False

    def judges_all(self, frame: FrameT) -> bool:
        """Whether answers tell of every stratum how many of its items a person can judge."""
        return True


class EstimatesFromCells(EstimatesScalars[FrameT]):
    """A method for which the counts of a classifier's cells are enough."""

    ability: ClassVar[str] = "estimate numbers from the counts of cells"

    @abstractmethod
    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        """Values and intervals from the counts of one classifier's cells."""

    def bounds_any_share(self, params: Any, promise: Promise) -> bool:
        """Whether ``figures`` keep the promise for the share of any class in any predicted class:
        they rest on the counts of cells alone, and a plan for precision could have the promise."""
        return promise in self.promises_for(("precision",), params)

    def figures(self, answers: Answers[FrameT], look: Look) -> Figures:
        return self.estimate(answers.rows, answers.cells, look, answers.rates)

    def half_widths(
        self, setup: Setup, answers: Answers[FrameT], look: Look, drawn: FloatArray
    ) -> FloatArray:
        return half_width(self.estimate(answers.rows, answers.cells, look, answers.rates))


class ComparesTwo(EstimatesScalars[FrameT]):
    """A method that compares exactly two classifiers."""

    ability: ClassVar[str] = "compare exactly two classifiers"


def half_width(figures: Figures) -> FloatArray:
    """Half the width of each interval, (n_rows,)."""
    return np.asarray((figures.high - figures.low) / 2)
