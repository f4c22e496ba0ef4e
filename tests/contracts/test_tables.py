"""Confusion table, strata and what is exported of them against the headline, for every method.

A table that is made of labels which are no random sample of its cells shows another number than
the headline. Each figure that can be read off a table equals the headline value; where the method
estimates it otherwise, as ``Case.otherwise`` says, it lies within the headline's interval nearly
always and is unbiased over the seeds.
"""

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.charts.strata import strata_chart
from labelcore.figures import confusion as tables
from labelcore.figures.choices import choice_results
from labelcore.figures.confusion import UNLABELLED, confusion
from labelcore.figures.cuts import cut_at
from labelcore.figures.scalars import scalar_results
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.report import report_json, table_file
from labelcore.tallies import Tally
from labelcore.testing.known import Known, labelled
from labelcore.ui.confusion import for_file
from tests import existing_files
from tests.answering import answer_draws
from tests.cases import sampled
from tests.designs.synthetic import standard_errors
from tests.designs.test_several_classes import five_classes
from tests.recycled import PARAMS, engine_of, written

RUNS, MOST_STANDARD_ERRORS, LEAST_INSIDE = 40, 4.4, 0.8
"""About 40 numbers are tested for bias: a correct table fails less than once in 1,000 times. An
interval that holds in 95 % of the runs holds in fewer than 80 % of 40 runs once in 3,000 times."""
FIGURES = ("accuracy", "precision", "recall")
SHARE = "a plain share of the labels, which the table weighs by prediction"
SCORES = "helped by other columns"
SIDES = "from strata that mix predictions, which the table splits"
FITTED = "the linearised variance comes with a rate for cells without a label"
PRIOR = "a posterior mean that holds earlier labels too"
PARENT = "true positives from the parent's sample, which the precision of a child does not use"
REPEATS = "as printed: repeated draws count again"
ALONG = "read off a curve, which uses whole stretches of ranks and not the part called so"
DRAWS = "the share of a candidate's own draws, by no strata"


@dataclass(frozen=True, eq=False, kw_only=True)
class Case:
    """A plan, its file, and which figures the method estimates otherwise, with the reason."""

    name: str
    design: str
    asked: tuple[str, ...] = FIGURES
    file: str = "two"
    otherwise: Mapping[str, str] = field(default_factory=dict)
    values: Mapping[str, Any] = field(default_factory=dict)

    def plan(self, **more: Any) -> lc.Plan:
        given = {"promise": "fixed", "budget": 200, "seed": 4, **self.values, **more}
        return lc.Plan(self.design, self.asked, **given)


def case(name: str, design: str, otherwise: Mapping[str, str] | None = None, **more: Any) -> Case:
    own = {key: more.pop(key) for key in ("asked", "file") if key in more}
    return Case(name=name, design=design, otherwise=otherwise or {}, values=more, **own)


def recycled(name: str, otherwise: Mapping[str, str], **params: Any) -> Case:
    asked = params.pop("asked", ("precision", "recall"))
    params = {**PARAMS, **params}
    return case(name, "recycling", otherwise, asked=asked, params=params, budget=None)


def curve(name: str, design: str, **more: Any) -> Case:
    more = {"classifier": "a", "budget": 150, **more}
    return case(name, design, {"precision": ALONG}, asked=("precision_curve",), **more)


def choosing(name: str, **params: Any) -> Case:
    params = {"candidates": ("vote", "a", "b", "c"), "precision_threshold": 0.6, **params}
    more = {"asked": ("selection",), "promise": "watched", "budget": 150, "params": params}
    return case(name, "reach_selection", {"precision": DRAWS}, **more)


BOTH = {"classifier": ["a", "b"]}
COMPARED = ("accuracy_difference", *FIGURES)
KNOWN = {"existing": "certainty", "file": "certainty"}
SAMPLE = {"existing": "random", "file": "random"}
CASES = (
    case("plain", "simple_random", {"accuracy": SHARE}, classifier=["vote", "a"]),
    case("plain, known", "simple_random", {"accuracy": SHARE}, **BOTH, **KNOWN),
    case("plain, sample", "simple_random", {"accuracy": SHARE}, **BOTH, **SAMPLE),
    case("plain, classes", "simple_random", {"accuracy": SHARE}, file="five"),
    case("helped", "simple_random", dict.fromkeys(("accuracy", "precision"), SCORES),
         classifier="a", params={"interval": "difference"}),
    case("neyman", "recalibrated_neyman", classifier=["a", "vote"]),
    case("neyman, watched", "recalibrated_neyman", promise="watched", classifier=["a", "vote"]),
    case("neyman, precision", "recalibrated_neyman", asked=("precision",), classifier="a",
         budget=60),
    case("neyman, known", "recalibrated_neyman", **BOTH, **KNOWN),
    case("neyman, sample", "recalibrated_neyman", **BOTH, **SAMPLE),
    case("neyman, classes", "recalibrated_neyman", file="five"),
    case("sure", "stratified", {"accuracy": SIDES, "precision": FITTED, "recall": FITTED},
         classifier=["a", "vote"]),
    case("sure, classes", "stratified", {"accuracy": SIDES, "precision": FITTED, "recall": FITTED},
         file="five"),
    case("oversampled", "oversampling", classifier=["vote", "a"]),
    case("prior", "oversampling", {"precision": PRIOR, "recall": PRIOR}, classifier="vote",
         params={"interval": "bayes", "prior_counts": (20, 9, 20, 200)}),
    case("pair", "paired_comparison", asked=COMPARED, classifier=["a", "c"]),
    case("pair, known", "paired_comparison", asked=COMPARED, **BOTH, **KNOWN),
    case("pair, sample", "paired_comparison", asked=COMPARED, **BOTH, **SAMPLE),
    case("patterns", "agreement_patterns", classifier=["vote", "a", "b"]),
    case("patterns, known", "agreement_patterns", **BOTH, **KNOWN),
    case("patterns, sample", "agreement_patterns", **BOTH, **SAMPLE),
    recycled("recycled", {"recall": PARENT}),
    recycled("recycled, precision", {}, asked=("precision",)),
    recycled("recycled, chain", {"recall": PARENT}, under=("vote", "a", "b")),
    recycled("recycled, printed", {"precision": REPEATS, "recall": PARENT}, option="sample"),
    curve("geometric", "geometric_strata"),
    curve("paula", "paula", budget=None, params={"epsilon": 0.2, "window": 10}),
    curve("logarithmic", "logarithmic_stratified", budget=None,
          params={"first_rank": 40, "epsilon": 0.3, "beta": 1.9}),
    curve("logarithmic, printed", "logarithmic_stratified", budget=None,
          params={"first_rank": 40, "epsilon": 0.3, "beta": 1.9, "sampling": "printed"}),
    curve("random", "random_curve", params={"head": 30}),
    choosing("choice"),
    choosing("choice, to the end", early_stopping=False),
    choosing("choice, in turn", sampler="round_robin"),
    choosing("choice, Hoeffding", bound="hoeffding"),
)  # fmt: skip

WITHOUT = {"paired_lists"}
"""It says nothing of all that one classifier calls positive, and pages show no table of that."""
NAMED = {one.name: one for one in CASES}
POOLED = ("recycled", "recycled, precision", "choice")
"""Whose tables are wrong where all labels are pooled."""


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Callable[[int], Known]]:
    """By name a file for each seed; where a sample is there already it is another one each time."""
    return written_files(tmp_path_factory.mktemp("files"))


def written_files(folder: Path) -> dict[str, Callable[[int], Known]]:
    two, five = written(), five_classes(folder / "five", 1_000, seed=2, scored=True)
    truth = existing_files.made()[1]
    top = Known(existing_files.read(folder / "top", existing_files.from_the_top(60)), truth)
    some = existing_files.read(folder / "some", existing_files.at_random(60))

    def drawn(seed: int) -> Known:
        positions = np.sort(existing_files.at_random(60, 100 + seed))
        return Known(existing_files.with_known(some, positions), truth)

    return {"two": lambda _: two, "five": lambda _: five, "certainty": lambda _: top,
            "random": drawn}  # fmt: skip


def test_every_method_stands_in_the_table() -> None:
    assert {one.design for one in CASES} | WITHOUT == set(lc.DESIGNS)


@dataclass(frozen=True)
class Told:
    """A figure of the headline, whose classifier and class it is, and its interval."""

    figure: str
    classifier: str
    name: str
    value: float
    low: float
    high: float


def headline(engine: Engine) -> list[Told]:
    first, positive = str(engine.classifiers[0]), engine.population.positive
    found = []
    for key, one in scalar_results(engine).items():
        figure, _, at = key.partition("@")
        figure, _, name = figure.partition("[")
        if figure in FIGURES and one.value is not None:
            ends = (one.value, one.low, one.high)
            found.append(Told(figure, at or first, name.rstrip("]") or positive, *ends))
    if "precision_curve" in engine.plan.estimands:
        called = int((engine.population.predictions[first] == 1).sum())
        one = cut_at(engine, called).readings["precision"]
        found.append(Told("precision", first, positive, one.value[0], one.low[0], one.high[0]))
    for choice in choice_results(engine).values():
        for row in choice.bounds.itertuples():
            if row.classifier in engine.tallies:
                ends = (row.value, row.low, row.high)
                found.append(Told("precision", row.classifier, positive, *ends))
    return found


def implied(table: pd.DataFrame, figure: str, name: str) -> tuple[float, bool]:
    """A figure read off a confusion table, and whether it rests on every item that it is about."""
    counts = table.drop(columns=UNLABELLED)
    rows = counts.loc[[name]] if figure == "precision" else counts
    left = float(table.loc[rows.index, UNLABELLED].sum())
    right = np.diag(counts).sum() if figure == "accuracy" else counts.loc[name, name]
    below = counts[name].sum() if figure == "recall" else rows.to_numpy().sum()
    return (float(right / below) if below else float("nan")), left == 0


def true_values(engine: Engine, known: Known, told: Told) -> float:
    """The true value over the parts of which the table says something."""
    population = engine.population
    tally = tables.sampled_tally(engine, told.classifier)
    seen = (tally.counts.sum(axis=1) > 0)[tally.cell_of]
    said, index = population.predictions[told.classifier], population.classes.index(told.name)
    right = seen & (said == known.truth)
    if told.figure == "accuracy":
        return float(right.sum() / seen.sum())
    below = seen & ((said if told.figure == "precision" else known.truth) == index)
    return float((right & below).sum() / below.sum())


def check_confusion(
    one: Case, files: Mapping[str, Callable[[int], Known]], runs: int = RUNS
) -> None:
    """What is to be the same in each run, and with all ``RUNS`` what holds of most."""
    errors: dict[tuple[str, str, str], list[float]] = {}
    inside: dict[tuple[str, str, str], list[bool]] = {}
    compared = 0
    for seed in range(runs):
        known = files[one.file](seed)
        engine = labelled(engine_of(known, one.plan(), seed), known.truth)
        for told in headline(engine):
            read, whole = implied(confusion(engine, told.classifier), told.figure, told.name)
            if told.figure not in one.otherwise and whole:
                assert read == pytest.approx(told.value, abs=1e-9), (one.name, seed, told)
                compared += 1
                continue
            place = (told.figure, told.classifier, told.name)
            errors.setdefault(place, []).append(read - true_values(engine, known, told))
            inside.setdefault(place, []).append(told.low - 1e-9 <= read <= told.high + 1e-9)
    for place, found in errors.items() if runs == RUNS else ():
        assert np.mean(inside[place]) >= LEAST_INSIDE or len(found) < RUNS, (one.name, place)
        if len(found) == RUNS and np.std(found) > 1e-9:
            assert abs(standard_errors(np.array(found))) < MOST_STANDARD_ERRORS, (one.name, place)
    assert compared or (errors and runs == RUNS)


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("name", NAMED)
def test_the_confusion_table_is_the_headline(
    name: str, files: dict[str, Callable[[int], Known]]
) -> None:
    check_confusion(NAMED[name], files)


QUICK = ("neyman", "pair, known", "prior", "recycled", "recycled, precision")


@pytest.mark.parametrize("name", QUICK)
def test_the_confusion_table_is_the_headline_to_the_last_digit(
    name: str, files: dict[str, Callable[[int], Known]]
) -> None:
    """Two runs, of figures that are the same in each."""
    check_confusion(NAMED[name], files, runs=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", POOLED)
def test_pooled_labels_fail(
    name: str, files: dict[str, Callable[[int], Known]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The nearest mistake: every label of a cell, whatever it was asked for."""

    def pooled(engine: Engine, classifier: str | None) -> Tally:
        return engine.tallies[classifier]

    monkeypatch.setattr(tables, "sampled_tally", pooled)
    with pytest.raises(AssertionError):
        check_confusion(NAMED[name], files)


def of_strata(table: pd.DataFrame, engine: Engine) -> float:
    """The precision of the first classifier by the strata that it calls positive, and by the items
    that were known before and are in no stratum."""
    population, there = engine.population, engine.existing
    positive = population.classes.index(population.positive)
    rows = table[(table["called"] == population.positive) & (table["labels"] > 0)]
    items, hits = rows["items"].sum(), (rows["items"] * rows["rate"]).sum()
    if there.use == "certainty":
        codes = there.codes[
            population.predictions[engine.classifiers[0]][there.positions] == positive
        ]
        items, hits = items + len(codes), hits + (codes == positive).sum()
    return float(hits / items)


@pytest.mark.parametrize(
    "name",
    sampled(
        [one.name for one in CASES if one.file != "five"], 3, seed=2, keep=["recycled, precision"]
    ),
)
def test_strata_and_exports_are_the_same_numbers(
    name: str, files: dict[str, Callable[[int], Known]]
) -> None:
    one = NAMED[name]
    known = files[one.file](1)
    session = lc.Session(known.population, one.plan())
    answer_draws(session, known)
    engine, positive = session.engine, known.population.positive
    first = str(engine.classifiers[0])
    table = confusion(engine, first)
    read, whole = implied(table, "precision", positive)

    strata = session.strata()
    assert of_strata(strata, engine) == pytest.approx(read, abs=1e-9)
    pd.testing.assert_frame_equal(strata, strata_table(engine))
    left_out = 60 if engine.existing.use == "certainty" else 0
    assert strata["items"].sum() == len(known.population) - left_out
    kept = int(strata["labels"].sum() + strata.attrs["apart"])
    assert kept == engine.labels, "each label stands in a stratum or is said to be left out"
    chart = strata_chart(strata)
    assert chart.table["Labels"].tolist() == strata["labels"].tolist()
    assert chart.table["Positive share"].tolist() == pytest.approx(strata["rate"].tolist(),
                                                                   nan_ok=True)  # fmt: skip
    said = f"{strata.attrs['apart']:,} labels are left out: they are no random sample of a stratum."
    assert (said in chart.alt) == (strata.attrs["apart"] > 0)
    assert ("Without 60 known items: none was asked." in chart.alt) == (left_out == 60)

    written = table_file(for_file(table), ".csv").decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(written)))
    numbers = np.array([[float(cell) for cell in row[1:]] for row in rows[1:]])
    np.testing.assert_allclose(numbers, table.to_numpy(), atol=1e-4)
    exported = pd.DataFrame(json.loads(report_json(session))["strata"])
    for column in ("items", "labels", "positives"):
        assert exported[column].tolist() == strata[column].tolist()
    told = [t for t in headline(engine) if (t.figure, t.classifier) == ("precision", first)]
    for headlined in told if whole and "precision" not in one.otherwise else []:
        exact = of_strata(exported.astype({"rate": float}), engine)
        assert exact == pytest.approx(headlined.value, abs=1e-9)
