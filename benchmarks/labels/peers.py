"""Methods of other packages, where these are installed: ``oasis`` and ``ppi-python``.

    pip install --target peers --no-deps oasis ppi-python tables numexpr blosc2 ndindex \\
        msgpack py-cpuinfo numba llvmlite statsmodels patsy
    PYTHONPATH=peers python -m benchmarks.labels

Without ``--no-deps`` oasis asks for ``sklearn``, which no longer installs.

None is needed by the product; without them their rows say so.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from scipy.special import ndtri

from benchmarks.labels.files import File, FloatArray
from benchmarks.labels.targets import CONFIDENCE, FINE, FIRST, Stop, Target, follow

WEIGHT = {"precision": 1.0, "recall": 0.0, "F1": 0.5}
"""The package's alpha: the F-measure is TP / (alpha (TP + FP) + (1 - alpha) (TP + FN))."""
OASIS_STRATA, OASIS_BINS, MOST_DRAWS, AT_ONCE, MOST_RUNS = 30, 1_000, 20_000, 1_000, 20


def missing(module: str) -> str | None:
    """Why a module cannot be used, None where it can."""
    try:
        import_module(module)
    except ImportError as error:
        return f"not installed ({error})"
    return None


@dataclass(frozen=True)
class Oasis:
    """Adaptive importance sampling of the F-measure (Marchant and Rubinstein, 2017).

    The sampler is the package's with its defaults, 30 strata of the cumulative root of the score's
    density as in the paper. The package gives no interval: here stands the normal one of the
    weighted ratio, with the variance from the weights that the sampler itself used. Draws are with
    replacement; a label is a distinct item. Runs end unreached after ``MOST_DRAWS`` draws.
    """

    name: str = "OASIS (package), normal interval of its weights"
    targets: tuple[str, ...] = tuple(WEIGHT)
    module: str = "oasis"

    def stops(
        self, file: File, target: Target, randoms: Sequence[np.random.Generator]
    ) -> list[Stop]:
        strata = import_module("oasis.stratification").stratify_by_scores(
            file.score, goal_n_strata=OASIS_STRATA, n_bins=OASIS_BINS
        )
        return [self._run(file, target, strata, random) for random in randoms[:MOST_RUNS]]

    def _run(self, file: File, target: Target, strata: Any, random: np.random.Generator) -> Stop:
        truth, said = file.truth.astype(int), file.said.astype(int)
        score = file.score
        probable = bool(score.min() >= 0 and score.max() <= 1)
        weights: list[float] = []
        labels: list[tuple[int, int]] = []

        class Noting(import_module("oasis").OASISSampler):  # type: ignore[misc]
            def _update_estimate_and_sampler(
                self, ell: float, ell_hat: Any, weight: float, extra: Any, **rest: Any
            ) -> None:
                weights.append(float(weight))
                labels.append((int(ell), int(ell_hat[0])))
                super()._update_estimate_and_sampler(ell, ell_hat, weight, extra, **rest)

        np.random.seed(int(random.integers(2**31)))
        alpha = WEIGHT[target.name]
        sampler = Noting(
            alpha, said, score, lambda place: truth[place], proba=probable, strata=strata,
            max_iter=MOST_DRAWS,
        )  # fmt: skip
        value = file.values[target.estimands[0]]
        while sampler.t_ < MOST_DRAWS:
            sampler.sample(AT_ONCE)
            distinct = np.cumsum(sampler.queried_oracle_)
            low, high = weighted_ends(np.array(weights), np.array(labels), alpha)
            stop = first_met(distinct, low, high, target.margin(file), value)
            if stop is not None:
                return stop
        held = bool(low[-1] <= value <= high[-1])
        return Stop(int(distinct[-1]), (held,), reached=False)


def weighted_ends(
    weight: FloatArray, labels: np.ndarray, alpha: float
) -> tuple[FloatArray, FloatArray]:
    """The ends of F = sum w x / sum w y after every draw, (n_draws,) each, x being true positives
    and y alpha (called positive) + (1 - alpha) (positive): F plus and minus z times
    sqrt(sum w^2 (x - F y)^2) / sum w y; 0 and 1 before a first pair of different draws."""
    positive, called = labels.T
    x = weight * positive * called
    y = weight * (alpha * called + (1 - alpha) * positive)
    top, below = np.cumsum(x), np.cumsum(y)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = top / below
        squares = np.cumsum(x * x) - 2 * ratio * np.cumsum(x * y) + ratio**2 * np.cumsum(y * y)
        spread = np.sqrt(np.maximum(squares, 0.0)) / below
    half = float(ndtri((1 + CONFIDENCE) / 2)) * spread
    nothing = ~np.isfinite(half) | (spread <= 1e-9)
    return np.where(nothing, 0.0, ratio - half), np.where(nothing, 1.0, ratio + half)


def first_met(
    distinct: np.ndarray, low: FloatArray, high: FloatArray, goal: float, truth: float
) -> Stop | None:
    """The first of the fine looks at which the half-width is met; None where none is."""
    last = int(distinct[-1])
    if last < FIRST:
        return None
    steps = int(np.log(last / FIRST) / np.log(1 + FINE))
    looks = np.unique((FIRST * (1 + FINE) ** np.arange(steps + 1)).astype(int))
    at = np.searchsorted(distinct, looks)
    met = np.flatnonzero((high[at] - low[at]) / 2 <= goal)
    if not len(met):
        return None
    place = at[met[0]]
    return Stop(int(looks[met[0]]), (bool(low[place] <= truth <= high[place]),))


@dataclass(frozen=True)
class PredictionPowered:
    """Prediction-powered inference with a tuned weight, PPI++ (Angelopoulos, Duchi, Zrnic, 2023).

    The package's interval of a mean on a plain random sample. The prediction is the score, of
    accuracy the score of the class that was called. Scores outside [0, 1] are passed through the
    logistic curve.
    """

    name: str = "PPI++ (package) on a plain random sample"
    targets: tuple[str, ...] = ("accuracy", "prevalence")
    module: str = "ppi_py"

    def stops(
        self, file: File, target: Target, randoms: Sequence[np.random.Generator]
    ) -> list[Stop]:
        interval = import_module("ppi_py").ppi_mean_ci
        truth, guess = self._columns(file, target)
        found = []
        for random in randoms:
            order = random.permutation(file.size)
            y, f = truth[order], guess[order]

            def path(n: int, y: FloatArray = y, f: FloatArray = f) -> tuple[float, float]:
                if n >= len(y):
                    return float(y.mean()), float(y.mean())
                low, high = interval(y[:n], f[:n], f[n:], alpha=1 - CONFIDENCE)
                return float(np.squeeze(low)), float(np.squeeze(high))

            value = file.values[target.estimands[0]]
            found.append(follow(path, target.margin(file), file.size, value))
        return found

    def _columns(self, file: File, target: Target) -> tuple[FloatArray, FloatArray]:
        """(n_items,) each: what is averaged, and what the scores say of it."""
        score = file.score
        chance = score if score.min() >= 0 and score.max() <= 1 else 1 / (1 + np.exp(-score))
        if target.name == "prevalence":
            return file.truth.astype(float), chance
        right = (file.truth == file.said).astype(float)
        return right, np.where(file.said, chance, 1 - chance)
