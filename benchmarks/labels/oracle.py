"""The limit: the product's strata and interval, the labels shared by somebody who knows the truth.

Neyman's shares with the true theta_k, c_k W_k sqrt(theta_k (1 - theta_k) + d). With d = 0 they are
no limit: a stratum all of one kind would get two labels, and the interval, which does not know
that, would be as wide as the stratum. So d is the one with which expected counts need the fewest
labels, out of ``DOUBTS``.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import labelcore as lc
from benchmarks.labels.files import File
from benchmarks.labels.sessions import SEED, SIDE_BY_SIDE, runs
from benchmarks.labels.targets import FIRST, Stop, Target
from benchmarks.sessions import Prepared
from labelcore.designs.base import Frame, IntArray, Progress, Setup, drawn_anew
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.designs.score_frame import stratum_costs
from labelcore.figures import from_counts as estimation
from labelcore.planning.simulation import run_seed
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.profile import FloatArray

DOUBTS = (0.0, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1)
LOOK, BATCH = 0.02, 0.05


class KnownNeyman(RecalibratedNeyman):
    """Neyman's allocation on known rates.

    theta   (n_strata,), the true rates; doubt: what is added to their variances
    """

    def __init__(self, theta: FloatArray, doubt: float) -> None:
        self.theta, self.doubt = theta, doubt

    def shared(self, setup: Setup, frame: Frame, labels: int) -> IntArray:
        """How many of ``labels`` each stratum that matters gets: two, and its share of the rest."""
        costs = stratum_costs(setup, frame, self.theta)
        share = costs * frame.sizes * np.sqrt(self.theta * (1 - self.theta) + self.doubt)
        first = np.where(costs > 0, np.minimum(frame.sizes, 2), 0)
        if labels <= first.sum():
            return largest_remainder(first.astype(float), labels, first)
        whole = largest_remainder(share, labels, frame.sizes)
        rest = np.maximum(whole - first, 0).astype(float)
        return np.asarray(
            first + largest_remainder(rest, labels - int(first.sum()), frame.sizes - first)
        )

    def redrawn(self, setup: Setup, frame: Frame) -> Frame:
        """Ties stay as they are broken, because the rates are those of these strata."""
        return drawn_anew(setup, frame)

    def allocate(self, setup: Setup, frame: Frame, progress: Progress) -> IntArray:
        drawn = int(progress.drawn.sum())
        goal = min(max(FIRST, drawn + 5, int(drawn * (1 + BATCH))), progress.limit)
        wanted = self.shared(setup, frame, goal) - progress.drawn
        room = frame.sizes - progress.drawn
        return largest_remainder(np.clip(wanted, 0, room).astype(float), goal - drawn, room)


@dataclass(frozen=True)
class Oracle:
    """The best that the strata and the interval of ``recalibrated_neyman`` allow."""

    name: str
    targets: tuple[str, ...]

    def stops(
        self, file: File, target: Target, randoms: Sequence[np.random.Generator]
    ) -> list[Stop]:
        prepared = knowing(file, target)
        goal = target.margin(file)
        found: list[Stop] = []
        for start in range(0, len(randoms), SIDE_BY_SIDE):
            found += runs(prepared, goal, randoms[start : start + SIDE_BY_SIDE])
        return found


def knowing(file: File, target: Target) -> Prepared:
    """The file made ready for the allocation that needs the fewest labels for ``target``."""
    focus = target.estimands[0] if len(target.estimands) == 1 else "precision_recall"
    plan = lc.Plan(
        "recalibrated_neyman", target.estimands, classifier=file.classifier, promise="fixed",
        budget=file.size, seed=run_seed(SEED, 0),
    ).with_planned(FIRST)  # fmt: skip
    prepared = Prepared(file.population, plan, file.codes)
    engine = prepared.engine
    engine.setup = replace(engine.setup, params=replace(engine.setup.params, focus=focus))
    theta = true_rates(prepared, file)
    least = min(
        (expected_labels(prepared, KnownNeyman(theta, doubt), target.margin(file)), doubt)
        for doubt in DOUBTS
    )
    engine.design = KnownNeyman(theta, least[1])
    return prepared


def true_rates(prepared: Prepared, file: File) -> FloatArray:
    """The share of positives in each stratum, (n_strata,)."""
    frame = prepared.engine.frame
    hits = np.bincount(frame.stratum, file.truth.astype(float), minlength=frame.n_strata)
    return np.asarray(hits / frame.sizes)


def expected_labels(prepared: Prepared, design: KnownNeyman, goal: float) -> int:
    """The labels at which expected counts meet the half-width, found by halving."""
    low, high = FIRST, prepared.engine.limit
    while high - low > max(1, LOOK * low):
        middle = max(int(np.sqrt(low * high)), low + 1)
        met = half_width(prepared, design, middle) <= goal
        low, high = (low, middle) if met else (middle, high)
    return high


def half_width(prepared: Prepared, design: KnownNeyman, labels: int) -> float:
    """The widest half-width of the product's interval at expected counts."""
    engine = prepared.engine
    group = engine.questions
    drawn = design.shared(engine.setup, engine.frame, labels)
    empty = estimation.answers_of([engine], group)[0].cells
    assert empty.stratum is not None
    labelled = (drawn / engine.frame.sizes)[empty.stratum] * empty.size
    cells = replace(empty, labelled=labelled, positive=labelled * design.theta[empty.stratum])
    look = replace(estimation.look_at(engine), labels=labels)
    figures = design.estimate([one.row for one in group], cells, look, design.theta)
    return float(np.max(figures.high - figures.low)) / 2
