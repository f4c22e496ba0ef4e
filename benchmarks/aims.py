"""What New project says each aim will cost on each real file, beside what sessions then take.

    python -m benchmarks.aims [--quick] [--rows FILE] [--write]

For each file and aim the recommended method is planned for a margin, as the page does it: by
formulas, then simulated on the scores where the page does that, too. Beside it stand the labels
that sessions take whose answers are drawn by the scores (the forecast's own assumption), and those
of sessions that are answered by the file's known labels. A number of labels for a margin is found
by simulating at the planned size and then at those that the squared half-width asks for. Promise
"watched" where the method has it. The ranked list, whose width at 400 labels is compared, is given
as labels by the squared half-width. A choice of a cut ends by itself: its number is the one that
half of the sessions take at the most.

Beside the chosen method each other one stands that has the same promise and by formulas needs at
most half as many labels again: what it is forecast to need, simulated as well, and what it takes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.helpers import table_of
from benchmarks.real_files import FILES, RealFile
from labelcore.designs import DESIGNS
from labelcore.designs.choices import Chooses
from labelcore.designs.rates import item_probability
from labelcore.errors import PlanError
from labelcore.figures.curves import precision_curve
from labelcore.figures.scalars import scalar_results
from labelcore.plan.against_file import frozen
from labelcore.planning.methods import EXACT, Line, cheapest, line, plan_for, possible
from labelcore.planning.outlook import Outlook
from labelcore.planning.race import likely_classes, may_race, race
from labelcore.planning.runs import beginnings, label_all
from labelcore.planning.simulation import run_seed, true_numbers
from labelcore.planning.truth import true_codes
from labelcore.promises import Promise
from labelcore.trials.digits import CLASSIFIERS
from labelcore.words.sentences import count


@dataclass(frozen=True)
class MadeFile(RealFile):
    """A file made of a public set of scikit-learn, as ``benchmarks.helpers`` makes it."""

    def population(self, folder: Path) -> lc.Population:
        return lc.read_population(
            table_of(self.name, folder),
            id="id",
            content=["id"],
            scores={name: f"score_{name}" for name in self.classifiers},
            predictions={name: f"pred_{name}" for name in self.classifiers},
        )


NEWS = RealFile("news20_binary.csv.gz", ("id",), ("lr", "svm", "nb"))
MADE_FILES = tuple(MadeFile(name, ("id",), CLASSIFIERS) for name in ("digit 8", "breast cancer"))
EVERY = (*FILES, NEWS, *MADE_FILES)
NEAR, WORLDS, WANTED = 1.15, 10, 0.9
FEWER = {("product_pairs.parquet", "Precision and recall"): 4}
"""Rows that take minutes: by how much their number of runs is divided."""
FEW_LABELS = 5
"""A difference of so many labels needs no other reason."""
MOST_SIZES, CLOSE = 7, 0.05
"""Sizes that are tried for a margin, and how near to the one that meets it a size gives it."""
FURTHEST = 1.5
"""Methods are compared up to so many times the fewest labels."""
READ = 0.05
"""The share of a file that was read from the top, for the aim that asks what was found."""


@dataclass(frozen=True)
class Aim:
    """A question of New project, about so many of the first classifiers; None: about all."""

    title: str
    estimands: tuple[str, ...]
    goal: Mapping[str, float]
    first: int | None = 1
    known: bool = False


AIMS = (
    Aim("Precision and recall", ("precision", "recall"), {"margin": 0.1}),
    Aim("How accurate is it?", ("accuracy",), {"margin": 0.05}),
    Aim("Is A better than B?", ("accuracy_difference",), {"margin": 0.003}, 2),
    Aim("Several classifiers at once", ("accuracy",), {"margin": 0.05}, None),
    Aim("Where does the list turn bad?", ("precision_curve",), {"budget": 400}),
    Aim("How common is it?", ("prevalence",), {"margin": 0.02}),
    Aim("Which cut should I ship?", ("selection",), {"budget": 1000}),
    Aim("Have I found enough?", ("recall",), {"margin": 0.1}, known=True),
)


def measure(folder: Path, file: RealFile, aim: Aim, runs: int) -> list[Row]:
    """One row."""
    population, codes = read(folder, file, aim)
    names = ("found",) if aim.known else file.classifiers[: aim.first]
    existing = "certainty" if aim.known else None
    classifier = names if len(names) > 1 else names[0]
    asked = Asked(aim.estimands, classifier, "file", existing)
    entrants = entered(population, asked, aim)
    formulas = [formula for _, formula in entrants]
    best = cheapest(formulas, aim.goal) or entrants[0][0].design
    raced = {}
    if "selection" not in aim.estimands and all(may_race(population, one) for one, _ in entrants):
        raced = race(population, entrants, seconds=1e6)
        best = cheapest([*raced.values()], aim.goal) or best
    plan, formula = next(one for one in entrants if one[0].design == best)
    row = {"file": file.name, "aim": aim.title, "design": best, "goal": goal_words(aim)}
    if "selection" in aim.estimands:
        return [row | choice_of(population, plan, formula, codes)]
    if formula.refused or not formula.half_widths:
        return [{**row, "refused": formula.refused or "no forecast"}]
    said = raced.get(best, formula)
    worlds = likely_classes(population, plan)
    drawn = [worlds(number) for number in range(WORLDS)] if worlds else []
    both = {"if the scores are right": drawn, "with the known labels": [codes]}
    margin = max(said.half_widths.values())
    row |= {"formula": formula.labels, "page": said.labels, "margin": margin}
    for name, answers in both.items():
        if answers:
            row[name] = taken(population, plan, said.labels, answers, margin, runs, aim)
    row["others"] = [
        {
            "design": one.design,
            "formula": other.labels,
            "page": raced.get(one.design, other).labels,
            "taken": taken(population, one, other.labels, [codes], margin, runs, aim),
        }
        for one, other in entrants
        if one.design != best
    ]
    return [row | figures(population, plan, codes, said.labels)]


def entered(population: lc.Population, asked: Asked, aim: Aim) -> list[tuple[lc.Plan, Line]]:
    """The methods that have the promise of being watched, if any has, and foresee labels for the
    goal, up to half as many again as the fewest."""
    found = []
    for name in possible(asked):
        try:
            plan = plan_for(asked, population, name, aim.goal)
            found.append((plan, line(population, plan)))
        except PlanError:
            continue
    watched = [one for one in found if one[0].promise == Promise.WATCHED] or found
    able = [one for one in watched if cheapest([one[1]], aim.goal)] or watched[:1]
    least = min(formula.labels for _, formula in able)
    return [one for one in able if one[1].labels <= FURTHEST * least]


def choice_of(population: lc.Population, plan: lc.Plan, formula: Line, codes: np.ndarray) -> Row:
    """The labels until the choice is shown: half of the sessions take so many at the most."""
    worlds = {
        "page": likely_classes(population, plan),
        "if the scores are right": likely_classes(population, plan, seed=1),
        "with the known labels": lambda number: codes,
    }
    middle = {}
    for seed, (name, world) in enumerate(worlds.items()):
        raced = race(population, [(plan, formula)], seconds=1e6, seed=seed, world=world)
        middle[name] = raced[plan.design].derived["expected"].middle
    if None in middle.values():
        return {"refused": "half of the sessions make no choice"}
    positive = codes == population.classes.index(population.positive)
    engine = outlook_engine(population, plan)
    called = Chooses.of(engine.design).candidates(engine.frame)
    likely = likely_positive(population, plan)
    good = [items for items in called.values() if positive[items].mean() >= WANTED]
    items = max(good, key=len, default=min(called.values(), key=len))
    found = two_means(f"precision of the first {len(items):,}", positive[items], likely[items])
    return {"formula": formula.labels, **middle, **found}


def figures(population: lc.Population, plan: lc.Plan, codes: np.ndarray, labels: int) -> Row:
    """The widest figure, or what its width hangs on, as the scores expect it and as it is."""
    positive = codes == population.classes.index(population.positive)
    outlook = Outlook(population, plan)
    if not outlook.questions:
        rank, order = widest_rank(population, plan, codes)
        head, name = order[:rank], f"precision of the first {rank:,}"
        return two_means(name, positive[head], likely_positive(population, plan)[head])
    if plan.estimands == ("prevalence",):
        likely = likely_positive(population, plan)
        errors = (positive - likely) ** 2
        return two_means("squared error of the score", errors, likely * (1 - likely))
    widths = outlook.half_widths(labels, labels)
    first = max(outlook.questions, key=lambda one: widths[one.key])
    if first.versus:
        a, b = (population.predictions[one] for one in (first.classifier, first.versus))
        apart = np.flatnonzero(a != b)
        mine = a[apart] == population.classes.index(population.positive)
        likely = likely_positive(population, plan)[apart]
        name = f"share of the {len(apart):,} disagreements on which the first is right"
        return two_means(name, positive[apart] == mine, np.where(mine, likely, 1 - likely))
    truth = true_numbers(outlook_engine(population, plan), codes)[first.key]
    return {"figure": first.key, "expected": outlook.expected_share(first), "truth": truth}


def two_means(name: str, truth: np.ndarray, likely: np.ndarray) -> Row:
    return {"figure": name, "expected": float(likely.mean()), "truth": float(truth.mean())}


def likely_positive(population: lc.Population, plan: lc.Plan) -> np.ndarray:
    """The probability that each item is positive, (n_items,), by the scores asked about."""
    names = plan.classifiers or population.classifiers[:1]
    known = [one for name in names if (one := item_probability(population, name)) is not None]
    return np.asarray(np.mean(known, axis=0))


def widest_rank(
    population: lc.Population, plan: lc.Plan, codes: np.ndarray
) -> tuple[int, np.ndarray]:
    """Where the band of a curve is widest in one session with the known labels; the ranking."""
    sized = frozen(population, plan, plan.budget or 0)
    engine = next(iter(beginnings(population, sized, [run_seed(3, 0)])))
    label_all([engine], codes)
    band = precision_curve(engine)
    return int(band.x[int(np.nanargmax(band.high - band.low))]), engine.rank_order


def outlook_engine(population: lc.Population, plan: lc.Plan) -> Any:
    sized = frozen(population, replace(plan, budget=50, margin=None, stop=()), 50)
    return next(iter(beginnings(population, sized, [0])))


@dataclass(frozen=True)
class Asked:
    """What ``recommended`` asks of an aim."""

    estimands: tuple[str, ...]
    classifier: str | tuple[str, ...] | None
    target: str
    existing: str | None


def read(folder: Path, file: RealFile, aim: Aim) -> tuple[lc.Population, np.ndarray]:
    """The file; where it is asked what was found, with the top of the ranking read."""
    bare = file.population(folder)
    codes = true_codes(bare, "true_label")
    if not aim.known:
        return bare, codes
    score = bare.scores[file.classifiers[-1]]
    top = np.argsort(-score, kind="stable")[: round(READ * len(score))]
    frame = pd.DataFrame({"score": bare.scores[file.classifiers[0]], "text": bare.ids()})
    frame["read"] = None
    frame.loc[top, "read"] = np.where(codes[top] == 1, "yes", "no")
    found = lc.read_population(
        frame, content="text", scores={"found": "score"}, predictions={"found": "read"},
        known="read",
    )  # fmt: skip
    return found, codes


def taken(
    population: lc.Population,
    plan: lc.Plan,
    labels: int,
    worlds: Sequence[np.ndarray],
    margin: float,
    runs: int,
    aim: Aim,
) -> float:
    """The labels for the margin, found in a few sizes; for a ranked list by the squared half-width
    at its budget. Not fewer than a session needs to be watched, where the page has so many."""
    watch = DESIGNS[plan.design].smallest_watched_budget if plan.promise == Promise.WATCHED else 1
    least = watch if labels >= watch else 1
    wide, met, size = least - 1, len(population), max(labels, least)
    if margin <= EXACT:
        return size  # Whatever the answers are.
    for _ in range(MOST_SIZES):
        width = half_width(population, plan, size, worlds, runs)
        wanted = max(rescaled(population, size, width / margin), least)
        if "budget" in aim.goal or wanted == size:
            return wanted
        wide, met = (size, met) if width > margin else (wide, size)
        if abs(wanted / size - 1) < CLOSE or met - wide <= 1:
            return min(wanted, met)
        size = wanted if wide < wanted < met else max(round((wide * met) ** 0.5), 1)
    return size


def rescaled(population: lc.Population, labels: int, times: float) -> int:
    """The labels for a half-width ``times`` as narrow, in a file of this size."""
    whole = len(population)
    if labels >= whole:
        return whole
    free = labels / (1 - labels / whole) * times**2
    return max(1, min(round(free / (1 + free / whole)), whole))


def half_width(
    population: lc.Population, plan: lc.Plan, labels: int, worlds: Sequence[np.ndarray], runs: int
) -> float:
    """The mean of the widest half-width with so many labels, in as many sessions of each world."""
    least = DESIGNS[plan.design].smallest_watched_budget
    promise = Promise.FIXED if labels < least and plan.promise == Promise.WATCHED else plan.promise
    sized = replace(plan, budget=labels, margin=None, stop=(), promise=promise)
    sized = frozen(population, sized, labels)
    found = []
    for place, codes in enumerate(worlds):
        seeds = [run_seed(3 + place, run) for run in range(max(runs // len(worlds), 1))]
        engines = list(beginnings(population, sized, seeds))
        label_all(engines, codes)
        found += [widest(engine, plan) for engine in engines]
    return float(np.mean(found, axis=0).max())


def widest(engine: Any, plan: lc.Plan) -> list[float]:
    """The half-width of each figure; of a curve where its band is widest."""
    if "precision_curve" in plan.estimands:
        band = precision_curve(engine)
        return [float(np.nanmax(band.high - band.low)) / 2]
    found = scalar_results(engine).values()
    return [one.half_width if one.has_interval else 0.5 for one in found]


# --- the page --------------------------------------------------------------------------------


def goal_words(aim: Aim) -> str:
    if "selection" in aim.estimands:
        return f"precision of {WANTED:.0%}"
    if "budget" in aim.goal:
        return f"{aim.goal['budget']} labels"
    return f"± {100 * aim.goal['margin']:g} points"


def jobs(options: Options) -> dict[str, Job]:
    return {
        f"{file.name} {aim.title}": partial(
            measure, options.data, file, aim, options.runs // FEWER.get((file.name, aim.title), 1)
        )
        for file in (EVERY[:1] if options.quick else EVERY)
        for aim in AIMS
    }


def tables(rows: Rows, options: Options) -> str:
    found = flat(rows)
    compared = [one for one in found if one.get("others")]
    both = table(COLUMNS, [cells(one) for one in found])
    return f"{both}\n{AMONG}\n\n{table(AMONG_COLUMNS, [among(one) for one in compared])}"


def among(one: Row) -> tuple[str, ...]:
    """The chosen method beside those that it was chosen among."""
    others = sorted(one["others"], key=lambda other: other["page"])
    mine = one["with the known labels"]
    least = min(mine, *(other["taken"] for other in others))
    beside = "; ".join(
        f"{other['design']} {other['page']:,} ({other['taken']:,})" for other in others
    )
    return (
        *(str(one[name]) for name in ("file", "aim", "design")),
        f"{one['page']:,}", f"{mine:,}", beside, f"{mine / least:.2f}",
    )  # fmt: skip


def cells(one: Row) -> tuple[str, ...]:
    head = tuple(str(one[name]) for name in ("file", "aim", "goal", "design"))
    if "refused" in one:
        return (*head, "", "", "", "", "", str(one["refused"]))
    right, known = one.get("if the scores are right"), one["with the known labels"]
    return (
        *head,
        f"{one['formula']:,}",
        f"{one['page']:,}",
        "" if right is None else f"{right:,}",
        f"{known:,}",
        f"{one['page'] / known:.2f}",
        why(one),
    )


def why(one: Row) -> str:
    """Whether the page's number lies within 15 % of what is taken, and else where it leaves it."""
    if near(one["page"], one["with the known labels"]):
        return "within 15 %"
    right, apart = (
        one.get("if the scores are right"),
        abs(one["page"] - one["with the known labels"]),
    )
    if apart <= FEW_LABELS:
        return f"{count(apart)} apart"
    figure = ""
    if "figure" in one:
        figure = (
            f"they expect {words_of(one['figure'])} {one['expected']:.3f}, it is {one['truth']:.3f}"
        )
    if right is None or near(one["page"], right):
        return f"the scores: {figure}"
    model = f"the forecast: {one['page'] / right:.2f} of what right scores take"
    return model if near(right, one["with the known labels"]) else f"{model}; the scores: {figure}"


def near(one: float, other: float) -> bool:
    return 1 / NEAR <= one / other <= NEAR


def words_of(figure: str) -> str:
    return figure.replace("_", " ")


COLUMNS = (
    *("file", "aim", "goal", "method", "by formulas", "on the page", "if the scores are right"),
    *("with the known labels", "page over known", "why"),
)
AMONG = """## The cheapest is the one chosen

The chosen method has the fewest labels that are foreseen under the same promise. Beside it those
that it was chosen among: the labels foreseen, and in brackets those that sessions with the known
labels take for the same half-width. *Over the least*: what the chosen one takes, over what the best
of all would have taken, which nobody knows before."""
AMONG_COLUMNS = ("file", "aim", "chosen", "foreseen", "taken", "beside it", "over the least")
HEAD = f"{MADE}\n\n"
BENCHMARK = Benchmark(
    name="aims", about=__doc__ or "", jobs=jobs, tables=tables, runs=40, quick_runs=4,
    page="aims.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
