"""What is to be known how well, and where one run of a method ended."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from benchmarks.labels.files import SMALL, File

CONFIDENCE = 0.95
FIRST, FINE, COARSE, AHEAD = 50, 0.02, 0.2, 0.5


@dataclass(frozen=True)
class Target:
    """Results that are all to have at most this half-width; the smaller one for large files."""

    name: str
    estimands: tuple[str, ...]
    large: float
    small: float

    def margin(self, file: File) -> float:
        return self.large if file.size >= SMALL else self.small


TARGETS = {
    one.name: one
    for one in (
        Target("accuracy", ("accuracy",), 0.01, 0.02),
        Target("prevalence", ("prevalence",), 0.01, 0.02),
        Target("precision", ("precision",), 0.05, 0.05),
        Target("recall", ("recall",), 0.05, 0.05),
        Target("F1", ("f1",), 0.05, 0.05),
        Target("precision and recall", ("precision", "recall"), 0.05, 0.05),
    )
}


@dataclass(frozen=True)
class Stop:
    """Where one run ended.

    labels    distinct items labelled
    covered   whether the interval of each estimand held the truth there
    reached   whether the half-width was met
    """

    labels: int
    covered: tuple[bool, ...]
    reached: bool = True


class Follower:
    """The sizes at which one run is looked at, until the half-width is met.

    Looks lie ``FINE`` of the labels apart where the goal is near. Far from it more are passed over:
    after a half-width w at n labels the next look lies ``AHEAD`` of the way to n (w / goal)^2, at
    most ``COARSE`` of n further; if the goal is met after such a step, the looks passed over are
    made up for, so that the stop is the first of the fine looks.
    """

    def __init__(self, goal: float, limit: int, first: int = FIRST) -> None:
        self.goal, self.limit = goal, limit
        self.size, self.last, self.end = min(first, limit), 0, 0

    def ends(self, width: float) -> bool:
        """Whether the run ends at ``size``, given the half-width there; else goes to the next."""
        fine = max(self.last + 1, int(self.last * (1 + FINE)))
        met = width <= self.goal
        if (met and (self.last == 0 or self.size <= fine)) or (not met and self.size >= self.limit):
            return True
        if met:
            self.end, self.size = self.size, fine
            return False
        self.last = self.size
        needed = self.size * (width / self.goal) ** 2 - self.size
        step = np.clip(AHEAD * needed, FINE * self.size, COARSE * self.size)
        if self.size < self.end:
            step = FINE * self.size
        self.size = min(max(self.size + 1, int(self.size + step)), self.limit)
        return False


def follow(
    path: Callable[[int], tuple[float, float]], goal: float, limit: int, truth: float
) -> Stop:
    """One run of a method that gives one interval at any number of labels."""
    follower = Follower(goal, limit)
    while True:
        low, high = path(follower.size)
        if follower.ends((high - low) / 2):
            return Stop(follower.size, (bool(low - 1e-12 <= truth <= high + 1e-12),))
