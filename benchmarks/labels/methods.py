"""The methods that are compared, by name; ratios are against ``PLAIN`` and ``LIMIT``."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from scipy.special import ndtri

from benchmarks.labels.files import File
from benchmarks.labels.oracle import Oracle
from benchmarks.labels.peers import Oasis, PredictionPowered, missing
from benchmarks.labels.sessions import Session
from benchmarks.labels.targets import CONFIDENCE, TARGETS, Stop, Target
from labelcore.designs.scalars import Figures
from labelcore.papers.stratified.accuracy_variance import stratified_accuracy
from labelcore.papers.stratified.design import rightly_judged
from labelcore.stats.profile import Cells


class Method(Protocol):
    """A way to label until the half-width is met.

    targets   the names of the targets that it serves
    stops     where each run ends, one generator a run
    """

    @property
    def name(self) -> str: ...

    @property
    def targets(self) -> tuple[str, ...]: ...

    def stops(
        self, file: File, target: Target, randoms: Sequence[np.random.Generator]
    ) -> list[Stop]: ...


PLAIN, OURS, LIMIT = "plain random sample", "recalibrated Neyman", "oracle allocation"
PLAIN_WATCHED, OURS_WATCHED = f"{PLAIN}, watched", f"{OURS}, watched"
WATCHED = ("accuracy", "precision", "recall", "F1")
ALL, TWO_GROUPS = tuple(TARGETS), ("precision", "recall", "precision and recall")


def both_in_focus(file: File, target: Target) -> Mapping[str, Any]:
    """The labels as where precision and recall are wanted together."""
    return {"focus": "precision_recall"}


def best_ratio(file: File, target: Target) -> Mapping[str, Any]:
    """s* from the true precision and recall: nobody could plan better."""
    values = file.values
    return {"assumed_precision": values["precision"], "assumed_recall": values["recall"]}


def called_alone(file: File, target: Target) -> Mapping[str, Any]:
    """Next to no label of the items that are not called positive: all that precision needs."""
    return {"ratio": 1_000_000.0}


def equation_six(figures: Figures, cells: Cells) -> Figures:
    """The paper's own interval of accuracy: normal, with the variance of equation 6."""
    strata = rightly_judged(cells)
    size, n, s = strata.size, strata.labelled, strata.positive
    value = stratified_accuracy(size, n, s)
    share = s / np.maximum(n, 1)
    parts = (size / size.sum()) ** 2 * share * (1 - share) / np.maximum(n - 1, 1) * (1 - n / size)
    half = float(ndtri((1 + CONFIDENCE) / 2)) * float(np.sqrt(parts.sum()))
    low, high = (np.array([end]) for end in (value - half, value + half))
    return replace(figures, value=np.array([value]), low=low, high=high)


METHODS: tuple[Method, ...] = (
    Session(PLAIN, "simple_random", ALL),
    Session("strata by sureness, proportional", "stratified", ("accuracy",)),
    Session("strata by sureness, proportional, equation 6", "stratified", ("accuracy",),
            interval=equation_six),
    Session("strata by sureness, OPT-A2 as printed, equation 6", "stratified", ("accuracy",),
            plans=True, params=lambda file, target: {"allocation": "opt_a2"},
            interval=equation_six),
    PredictionPowered(),
    Session("over-sampling at the best s*", "oversampling", TWO_GROUPS, params=best_ratio),
    Session("over-sampling, items called positive alone", "oversampling", ("precision",),
            params=called_alone),
    Oasis(),
    Session(OURS, "recalibrated_neyman", ALL, plans=True),
    Session(f"{OURS}, focus on precision and recall", "recalibrated_neyman",
            ("precision", "recall", "F1"), plans=True, params=both_in_focus),
    Oracle(LIMIT, ALL),
    Session(PLAIN_WATCHED, "simple_random", WATCHED, promise="watched"),
    Session(OURS_WATCHED, "recalibrated_neyman", WATCHED, promise="watched", plans=True),
)  # fmt: skip
BY_NAME = {method.name: method for method in METHODS}


def unavailable() -> dict[str, str]:
    """Why methods of other packages cannot be run, by name."""
    reasons = {one.name: missing(str(getattr(one, "module", "numpy"))) for one in METHODS}
    return {name: reason for name, reason in reasons.items() if reason is not None}
