"""The same engine with known labels in place of a person: does the plan keep its promise?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray

from labelcore.designs.samples import named_classifiers
from labelcore.errors import whole_number
from labelcore.estimands import SCALARS, table_of
from labelcore.figures.choices import NONE, TrueChoice, true_choice
from labelcore.figures.current import results_of
from labelcore.figures.curves import SUMMARY_FORMULAS
from labelcore.figures.lists import true_difference
from labelcore.log.engine import Engine
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_all
from labelcore.planning.truth import true_codes
from labelcore.population import Population
from labelcore.promises import ChoiceStatus, ClaimStatus, Form, Promise, Status
from labelcore.results.base import Finding
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.stats.curve_readings import Yields

PartT = TypeVar("PartT")
ResultT = TypeVar("ResultT")
Done = Callable[[int], object]


def in_order(
    work: Callable[[PartT], ResultT],
    parts: Sequence[PartT],
    *,
    workers: int = 1,
    done: Done = lambda number: None,
) -> list[ResultT]:
    """``work`` of each part, in the order of the parts.

    workers   processes that share the parts; with 1 all is done here
    done      called here with the number of parts that are done; False ends the work, and the
              results of the parts that are done are returned

    Raises what ``work`` or ``done`` raises.
    """
    pool = Parallel(min(workers, max(len(parts), 1)), return_as="generator", batch_size=1)
    results_so_far: list[ResultT] = []
    with closing(pool(delayed(work)(part) for part in parts)) as results:
        for result in results:
            results_so_far.append(result)
            if done(len(results_so_far)) is False:
                break
    return results_so_far


COLUMNS = (
    "run",
    "estimand",
    "truth",
    "value",
    "low",
    "high",
    "covered",
    "labels_used",
    "draws_used",
    "status",
    "chosen",
)


TOGETHER, MOST_ITEMS = 25, 4_000_000
"""Runs that are simulated side by side, and the items that all of them may have."""

# A number, an array at the ranks of a curve, or which choices are right.
Truth = float | NDArray[np.float64] | TrueChoice
Progress = Callable[[int, int], object] | None


def run_seed(seed: int, run: int) -> int:
    """The plan seed of one run, from (seed, run).

    >>> run_seed(0, 1) == run_seed(0, 1) != run_seed(0, 2)
    True
    """
    return int(np.random.SeedSequence((seed, run)).generate_state(1)[0])


def simulate(
    population: Population,
    plan: Plan,
    *,
    truth: Any,
    runs: int = 200,
    seed: int = 0,
    workers: int = 1,
    progress: Progress = None,
) -> Simulation:
    """Carry out ``plan`` many times with known answers, and compare its results with the truth.

    Parameters
    ----------
    population
        the file
    plan
        its own seed is not used: run r has the seed ``run_seed(seed, r)``
    truth
        a column of the file, a Series indexed by id, or an array in file order; 0/1, bool or class
        names
    runs
        how many sessions
    seed
        of the simulation; the same seed gives the same runs, however many there are
    workers
        processes that share the runs, 1 or more; their number changes no result
    progress
        called with (runs that are done, runs) now and then, where ``simulate`` was called. If it
        returns False the simulation ends with the runs that are done

    Returns
    -------
    Simulation
        The runs; ``table()`` has a row per run and estimand, ``summary()`` one per estimand.

    Raises
    ------
    ValueError
        Labels are missing or unknown, or differ from known answers that the plan uses; the message
        names the rows.
    TypeError
        An argument has a wrong type.
    PlanError
        The plan cannot be carried out on this file.

    Notes
    -----
    A run draws by random numbers of its seed where a session sorts by hashes of the ids: the draws
    are others, and their law is the same. A session that may stop at a margin or when claims are
    settled is looked at wherever that can be; a bound shows where it cannot.

    A coverage from ``runs`` runs has a standard error, which ``summary()`` gives as coverage_se:
    with 200 runs and 95 % it is 1.5 points.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("simple_random", ["accuracy"], budget=100, promise="fixed")
    >>> found = lc.simulate(population, plan, truth="true_label", runs=20).summary()
    >>> bool(found.loc["accuracy", "coverage"] > 0.8), int(found.loc["accuracy", "mean_labels"])
    (True, 100)
    """
    runs, workers = whole_number("runs", runs, least=1), whole_number("workers", workers, least=1)
    seed = whole_number("seed", seed, least=0)
    kept = kept_plan(population, plan)
    codes = true_codes(population, truth)
    _refuse_other_answers(population, plan, codes)
    finished = _all_runs(population, kept, codes, seed, runs, workers, progress)
    return Simulation(population, kept, codes, seed, finished, workers)


def _refuse_other_answers(population: Population, plan: Plan, codes: NDArray[np.int64]) -> None:
    """Raise ValueError where known answers that the plan uses are not the true ones."""
    if population.known is None or plan.existing in (None, "ignored"):
        return
    wrong = np.flatnonzero((population.known >= 0) & (population.known != codes))
    if len(wrong):
        row = int(wrong[0])
        raise ValueError(
            f"truth must agree with the known answers that the plan uses; {len(wrong):,} rows do "
            f"not, the first is row {row + 1}: {population.classes[codes[row]]!r}, and "
            f"{population.classes[population.known[row]]!r} in the column of known answers"
        )


@dataclass(frozen=True, eq=False, slots=True)
class Run:
    """One simulated session at its end."""

    number: int
    results: dict[str, Finding]
    truth: dict[str, Truth]
    status: Status


def _all_runs(
    population: Population,
    plan: Plan,
    codes: NDArray[np.int64],
    seed: int,
    runs: int,
    workers: int = 1,
    progress: Progress = None,
) -> list[Run]:
    """The runs, in parts that do not depend on the number of workers."""
    together = max(1, min(TOGETHER, MOST_ITEMS // len(population)))
    parts = [range(first, min(first + together, runs)) for first in range(0, runs, together)]

    def done(number: int) -> object:
        return None if progress is None else progress(min(number * together, runs), runs)

    parts_done = in_order(
        partial(_runs, population, plan, codes, seed), parts, workers=workers, done=done
    )
    return [run for part in parts_done for run in part]


def _runs(
    population: Population, plan: Plan, codes: NDArray[np.int64], seed: int, numbers: Sequence[int]
) -> list[Run]:
    """The runs with these numbers, side by side; the plan has its planned size."""
    seeds = [run_seed(seed, number) for number in numbers]
    engines = list(beginnings(population, plan, seeds))
    statuses = label_all(engines, codes)
    numbers_true = true_numbers(engines[0], codes)
    return [
        Run(number, results, {**numbers_true, **_other_truths(engine, codes, results)}, status)
        for number, engine, results, status in zip(
            numbers, engines, results_of(engines, ended=True), statuses, strict=True
        )
    ]


def true_values(
    engine: Engine, codes: NDArray[np.int64], results: Mapping[str, Finding]
) -> dict[str, Truth]:
    """The true value of every result: a number, (n_points,) at the ranks of a curve, or the right
    choices."""
    return {**true_numbers(engine, codes), **_other_truths(engine, codes, results)}


def true_numbers(engine: Engine, codes: NDArray[np.int64]) -> dict[str, Truth]:
    """The true values of scalars and claims, which are those of the file, whatever was drawn."""
    truth: dict[str, Truth] = {}
    for question in engine.questions:
        cells = engine.tallies[question.subject].census(codes).cells(question.class_index)
        truth[question.key] = float(table_of([question.row], cells).value(cells.positive)[0])
    for claim in engine.claims:
        cells = claim.tally.census(codes).cells(claim.class_index)
        truth[claim.read.text] = float(claim.holds(cells.positive))
    return truth


def _other_truths(
    engine: Engine, codes: NDArray[np.int64], results: Mapping[str, Finding]
) -> dict[str, Truth]:
    """The truth of choices, and of what is read along the ranks."""
    truth: dict[str, Truth] = {
        key: true_choice(engine, codes) for key, row in results.items() if isinstance(row, Choice)
    }
    along_ranks = {
        key: row for key, row in results.items() if isinstance(row, Band) or key in SUMMARY_FORMULAS
    }
    if along_ranks:
        truth |= _true_along_ranks(engine, codes, along_ranks)
    return truth


def _true_along_ranks(
    engine: Engine, codes: NDArray[np.int64], results: Mapping[str, Finding]
) -> dict[str, Truth]:
    n_items = len(engine.population)
    positive = engine.population.classes.index(engine.population.positive)
    lists = [key for key, result in results.items() if isinstance(result, ListDifference)]
    if lists:
        return dict.fromkeys(lists, true_difference(engine, codes == positive))
    hits = np.cumsum(codes[engine.rank_order] == positive).astype(float)
    whole = Yields(n_items, np.arange(1, n_items + 1), hits, hits, hits)
    truth: dict[str, Truth] = {}
    for key, result in results.items():
        if isinstance(result, Band):
            ranks = result.x.astype(np.int64)
            truth[key] = hits[ranks - 1] / ranks
        else:
            truth[key] = SUMMARY_FORMULAS[key](whole)[0]
    return truth


class Simulation:
    """The runs of one simulation, as tables. ``labelcore.simulate`` makes it.

    Attributes
    ----------
    population, plan, seed
        what was simulated; the plan has its planned size
    runs
        each session at its end: number, results, truth and status

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("simple_random", ["accuracy"], budget=100, promise="fixed")
    >>> simulation = lc.simulate(population, plan, truth="true_label", runs=5)
    >>> len(simulation.table()), list(simulation.summary().index)
    (5, ['accuracy'])
    """

    def __init__(
        self,
        population: Population,
        plan: Plan,
        codes: NDArray[np.int64],
        seed: int,
        runs: Sequence[Run],
        workers: int = 1,
    ) -> None:
        self._workers = workers
        self.population, self.plan, self.seed, self.runs = population, plan, seed, list(runs)
        self._codes = codes

    def __repr__(self) -> str:
        name, runs = self.population.name, len(self.runs)
        return f"<Simulation on {name!r}: {runs:,} runs of {self.plan.design!r}>"

    def table(self) -> pd.DataFrame:
        """What each run found.

        Returns
        -------
        DataFrame
            A row per run and estimand: run, estimand, truth, value, low, high, covered,
            labels_used, draws_used, status, chosen.
        """
        rows = [_row(run, key, result) for run in self.runs for key, result in run.results.items()]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def curves(self) -> pd.DataFrame:
        """The precision curves of all runs.

        Returns
        -------
        DataFrame
            A row per run and rank: run, x, truth, value, low, high; no rows if the plan asks for no
            curve.
        """
        frames = [
            pd.DataFrame(
                {
                    "run": run.number,
                    "x": band.x,
                    "truth": run.truth[key],
                    "value": band.value,
                    "low": band.low,
                    "high": band.high,
                }
            )
            for run in self.runs
            for key, band in run.results.items()
            if isinstance(band, Band)
        ]
        columns = ["run", "x", "truth", "value", "low", "high"]
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=columns)

    def summary(self) -> pd.DataFrame:
        """How well the plan does on this file.

        Returns
        -------
        DataFrame
            A row per estimand: runs, truth, bias, rmse, coverage, coverage_se, mean_width,
            mean_labels, mean_draws, variance_ratio, no_value.

        Notes
        -----
        no_value counts the runs that end without a value; they are left out of bias and rmse.
        variance_ratio is the squared rmse divided by that of ``simple_random`` with as many labels,
        in the same number of runs with the same seed; those runs are made when it is asked for.
        """
        table = self.table()
        baseline = self._baseline_rmse(table)
        rows = {
            key: _summary_row(part, self._errors(str(key)), self._widths(str(key)), baseline)
            for key, part in table.groupby("estimand", sort=False)
        }
        frame = pd.DataFrame.from_dict(rows, orient="index")
        frame.index.name = "estimand"
        return frame

    def _errors(self, key: str) -> NDArray[np.float64]:
        """value - truth: (runs,) for a number, (runs, ranks) for a curve; NaN without a value."""
        errors = []
        for run in self.runs:
            result, truth = run.results[key], run.truth[key]
            value = _ends(result)[0]
            known = value is not None and not isinstance(truth, TrueChoice)
            errors.append(np.asarray(value - truth if known else np.nan))
        return np.stack(errors)

    def _widths(self, key: str) -> float:
        ends = [_ends(run.results[key]) for run in self.runs]
        widths = [np.mean(np.asarray(high) - np.asarray(low)) for _, low, high in ends]
        return float(np.mean(widths))

    def _baseline_rmse(self, table: pd.DataFrame) -> dict[str, float]:
        """rmse of simple random sampling at the mean number of labels, same runs and seed."""
        scalars = tuple(name for name in self.plan.estimands if name in SCALARS)
        if not scalars:
            return {}
        if self.plan.design == "simple_random" and not self.plan.stop_rules:
            other: Simulation = self
        else:
            labels = max(1, round(float(table.groupby("run")["labels_used"].max().mean())))
            named = named_classifiers(self.plan.method, self.plan.design_params)
            plan = replace(
                self.plan,
                design="simple_random",
                params={},
                budget=labels,
                margin=None,
                by=None,
                groups=None,
                group_margin=None,
                stop=None,
                promise=Promise.FIXED,
                planned=labels,
                estimands=scalars,
                claims=(),
                claim_form=Form.STRICT,
                classifier=self.plan.classifiers or named or None,
                existing=None if self.population.known is None else "ignored",
            )
            runs = _all_runs(
                self.population, plan, self._codes, self.seed, len(self.runs), self._workers
            )
            other = Simulation(self.population, plan, self._codes, self.seed, runs)
        return {
            key: float(np.sqrt(_mean_known(other._errors(key) ** 2)))
            for key in other.runs[0].results
            if isinstance(other.runs[0].results[key], Estimate)
        }


def _mean_known(values: ArrayLike, axis: int | None = None) -> NDArray[np.float64]:
    """The mean of what is not NaN; NaN, without a warning, where nothing else is there."""
    numbers = np.asarray(values, dtype=float)
    known = ~np.isnan(numbers)
    count = np.asarray(known.sum(axis=axis))
    total = np.where(known, numbers, 0.0).sum(axis=axis)
    return np.asarray(np.divide(total, count, out=np.full(count.shape, np.nan), where=count > 0))


def _ends(result: Finding) -> tuple[Any, Any, Any]:
    """Value, low and high; a claim is 1 where decided, 0 where refuted and may be both before; a
    choice has none."""
    if isinstance(result, Choice):
        return None, np.nan, np.nan
    if isinstance(result, Claim):
        value = {ClaimStatus.DECIDED: 1.0, ClaimStatus.REFUTED: 0.0}.get(result.status)
        return value, value or 0.0, 1.0 if value is None else value
    assert isinstance(result, Estimate | Band)
    return result.value, result.low, result.high


def _row(run: Run, key: str, result: Finding) -> tuple[Any, ...]:
    truth = run.truth[key]
    value, low, high = _ends(result)
    first: float | str
    last: tuple[Any, Any]
    if isinstance(truth, TrueChoice):
        assert isinstance(result, Choice)
        named = _named(result)
        right = result.status != ChoiceStatus.UNDECIDED and named in truth.right
        first, last = truth.best, (result.status, named)
    else:
        numbers = np.asarray(truth)
        inside = (np.asarray(low) <= numbers + 1e-12) & (numbers <= np.asarray(high) + 1e-12)
        right = bool(np.all(inside | np.isnan(numbers)))
        value = float(_mean_known(value)) if isinstance(result, Band) else value
        decided = result.status if isinstance(result, Claim) else None
        first, last = float(np.mean(truth)), (run.status, decided)
    ends = float(np.mean(low)), float(np.mean(high))
    used = result.labels_used, result.draws_used
    return run.number, key, first, value, *ends, right, *used, *last


def _named(choice: Choice) -> str | None:
    """What is chosen, as ``TrueChoice`` calls it."""
    none = choice.status == ChoiceStatus.GUESS and choice.chosen is None
    return NONE if none or choice.status == NONE else choice.chosen


def _summary_row(
    part: pd.DataFrame, errors: NDArray[np.float64], width: float, baseline: dict[str, float]
) -> dict[str, float | str]:
    runs = len(part)
    choice = isinstance(part["truth"].iloc[0], str)
    empty = np.isnan(errors.reshape(runs, -1)).all(axis=1)
    kept = errors[~empty]
    bias, squared = _mean_known(kept, axis=0), _mean_known(kept**2, axis=0)
    coverage = float(part["covered"].mean())
    rmse = float(_mean_known(np.sqrt(squared)))
    truth = part["truth"].iloc[0]
    reference = baseline.get(str(part["estimand"].iloc[0]), float("nan"))
    return {
        "runs": runs,
        "truth": truth if isinstance(truth, str) else float(truth),
        "bias": float(_mean_known(bias)),
        "rmse": rmse,
        "coverage": coverage,
        "coverage_se": float(np.sqrt(coverage * (1 - coverage) / runs)),
        "mean_width": width,
        "mean_labels": float(part["labels_used"].mean()),
        "mean_draws": float(part["draws_used"].mean()),
        "variance_ratio": (rmse / reference) ** 2 if reference > 0 else float("nan"),
        "no_value": int(
            (part["status"] == ChoiceStatus.UNDECIDED).sum() if choice else empty.sum()
        ),
    }
