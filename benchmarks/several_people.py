"""Coverage and width of the figures for the settled judgement: what second readings cost and give.

    python -m benchmarks.several_people [--quick] [--runs 100] [--write]

Sessions through the product's own engine, each of 660 readings: 600 items of which a tenth goes to
one person more, and fewer items of which more do. Each reading of an item is wrong with its
reader's chance; where people differ, the truth is settled. So every item of the file has a settled
judgement, and the truth of a run is the figure that those of all items give. The file with real
ratings: the people who rated a pair are its readers, drawn anew in each run, and where they differ
the mean rating of all of them is settled. Run r has the seed (number of the setting, r).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from itertools import product
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks import harness
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command
from benchmarks.label_error import made_up, ratings_file
from benchmarks.settled_by_limits import interval_by_limits
from labelcore.estimands import ratios
from labelcore.figures import settled
from labelcore.figures.from_counts import fitted_cell_rates
from labelcore.figures.scalars import headline_stage, scalar_results
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.further_readings import chances, worth_of_cells
from labelcore.log.repeats import Judged, Repeats
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, label_until
from labelcore.planning.spendings import SHARES, recommended, spendings
from labelcore.stats.agreement import COEFFICIENTS, beyond_chance, votes_of
from labelcore.stats.horizon import stretch
from labelcore.stats.profile import Cells, Ratios, fixed_critical, slopes, smoothed_rates
from labelcore.stats.two_phase import Flips, Overlap, flips_of, settled_interval

READINGS, LABELS = 660, 600
NAMES = ("accuracy", "precision", "recall", "f1")
DEFAULT, REAL, AGREEMENT = "recalibrated_neyman", "raters of a paraphrase", "agreement"
ESTIMATOR, LOOKS, KNOWN = "estimator", "looks", "flips known"
KNOWN_WAYS = ("drawn for four figures", "drawn for one")
WAYS = ("first answers", "settled", "flips taken as exact", "four limits, drawn evenly")
LOOK = 60
Codes = np.ndarray
Chances = Callable[[np.ndarray, np.ndarray, int], list[np.ndarray]]
"""From scores (0 at the cut), truth and number of people to the chance of a mistake of each."""


def _alike(error: float) -> Chances:
    return lambda score, truth, people: [np.full(len(score), error)] * people


KINDS: dict[str, Chances] = {
    "alike, 1 %": _alike(0.01),
    "alike, 5 %": _alike(0.05),
    "alike, 15 %": _alike(0.15),
    "alike, 30 %": _alike(0.30),
    "near the cut up to 40 %": lambda s, t, n: [0.4 * np.exp(-((s / 0.15) ** 2))] * n,
    "positives missed, 15 % against 1 %": lambda s, t, n: [np.where(t, 0.15, 0.01)] * n,
    "one generous, 10 % of negatives": lambda s, t, n: [
        np.where(t, 0.01, 0.10), *[np.full(len(s), 0.02)] * (n - 1)
    ],
    "one careless, 20 % against 2 %": lambda s, t, n: [
        np.full(len(s), 0.2), *[np.full(len(s), 0.02)] * (n - 1)
    ],
}  # fmt: skip
PEOPLE = (2, 3, 4)
FILES, SURE = ("made up", "posts"), "nobody errs"


@dataclass(frozen=True, eq=False)
class Readers:
    """Who reads a file. ``of``: (generator) -> the classes by the first answers, and by what is
    settled, each (n_items,)."""

    population: lc.Population
    truth: Codes
    people: int
    of: Callable[[np.random.Generator], tuple[Codes, Codes]]


@dataclass(slots=True)
class Prepared(Repeats):
    """Further readings that are known from the start."""

    found: list[Judged] = field(default_factory=list)

    def judged(self) -> list[Judged]:
        return self.found


def population_of(score: np.ndarray, predicted: np.ndarray) -> lc.Population:
    names = np.array(["no", "yes"])
    table = pd.DataFrame(
        {
            "id": [f"i{place}" for place in range(len(score))],
            "text": "",
            "score": score,
            "said": names[predicted.astype(int)],
        }
    )
    return lc.read_population(
        table, id="id", content="text", scores={"m": "score"}, predictions={"m": "said"},
        classes=["no", "yes"], positive="yes",
    )  # fmt: skip


@cache
def file_of(name: str, folder: Path) -> tuple[lc.Population, np.ndarray, np.ndarray]:
    """Items, their scores less the cut, and the truth."""
    if name == "made up":
        file = made_up()
        score, truth, predicted = file.score, file.truth, file.predicted
    else:
        posts = pd.read_csv(folder / "newsgroups_med.csv.gz", keep_default_na=False)
        score, truth = posts["score_lr"].to_numpy(float), posts["true_label"].to_numpy() == 1
        predicted = posts["pred_lr"].to_numpy() == 1
    return population_of(score, predicted), score - score[predicted].min(), truth


def file_name(kind: str, people: int) -> str:
    return FILES[(list(KINDS).index(kind) + people) % len(FILES)]


@cache
def readers_of(kind: str, people: int, folder: Path) -> Readers:
    """The people of a kind on one of two files, in turn."""
    population, score, truth = file_of(file_name(kind, people), folder)
    chances = np.array(KINDS[kind](score, truth, people))

    def of(random: np.random.Generator) -> tuple[Codes, Codes]:
        answers = truth ^ (random.random(chances.shape) < chances)
        return _judged(answers, truth, random)

    return Readers(population, truth, people, of)


def _judged(
    answers: np.ndarray, truth: np.ndarray, random: np.random.Generator
) -> tuple[Codes, Codes]:
    """The first answers, by anybody, and what is settled; answers are (n_people, n_items)."""
    items = np.arange(answers.shape[1])
    first = answers[random.integers(len(answers), size=len(items)), items]
    alike = (answers == answers[0]).all(axis=0)
    return first.astype(np.int64), np.where(alike, answers[0], truth).astype(np.int64)


@cache
def real_readers(people: int, folder: Path) -> Readers:
    file, votes = ratings_file(folder)
    kept = np.array([len(one) >= people for one in votes])
    votes = [one for one, keep in zip(votes, kept, strict=True) if keep]
    width = max(map(len, votes))
    table = np.array(
        [np.pad(one.astype(float), (0, width - len(one)), constant_values=2) for one in votes]
    )
    truth = file.truth[kept]

    def of(random: np.random.Generator) -> tuple[Codes, Codes]:
        order = np.argsort(np.where(table == 2, 9.0, random.random(table.shape)), axis=1)[
            :, :people
        ]
        return _judged(np.take_along_axis(table, order, axis=1).T == 1, truth, random)

    return Readers(population_of(file.score[kept], file.predicted[kept]), truth, people, of)


# --- one session ---------------------------------------------------------------------------------


def judged(engine: Engine, random: np.ndarray, settled_codes: Codes, *, evenly: bool) -> None:
    """Let others judge the drawn items whose number is below their chance, and settle where they
    differ: one further answer, as what is settled stands for all of them.

    random   (n_items,), between 0 and 1
    """
    again = Prepared(0, engine.plan.overlap, others=True)
    classes = engine.population.classes
    for index, asked in enumerate(engine.asked, start=1):
        first = Event(index, "labelled", "", "a", index=index, label=asked.answers[-1].label)
        chance = engine.plan.overlap if evenly else engine.chance_of(index, first)
        if random[asked.position] >= chance:
            continue
        name = classes[int(settled_codes[asked.position])]
        other = Event(10**6 + index, "reread", "", "b", index=index, label=name)
        one = Judged(index, first, (other,), True, chance)
        again.found.append(one)
        engine.settled[index] = Event(
            index, "settled", "", "c", index=index, label=name, detail={"answers": one.sequences}
        )
    engine.repeats = again


def figures_of(engine: Engine, codes: Codes) -> dict[str, float]:
    """The figures that these classes of all items give."""
    found = {}
    for question in engine.questions:
        cells = engine.tallies[question.subject].census(codes).cells(question.class_index)
        found[question.key] = float(ratios([question.row], cells).value(cells.positive)[0])
    return found


def by_limits(engine: Engine) -> dict[str, tuple[float, float, float]]:
    """The figures as they were before, from readings that were drawn evenly."""
    found = {}
    for question in engine.questions:
        tally = engine.tallies[question.subject]
        cells = tally.cells(question.class_index)
        each = engine.repeats.judged()
        positions = [engine.asked[one.index - 1].position for one in each]
        yes = engine.population.classes[1]
        first = np.array([one.first.label == yes for one in each])
        last = np.array([one.others[0].label == yes for one in each])
        overlap = Overlap(tally.cells_at(np.array(positions)), first, last, np.ones(len(each)))
        low, high = interval_by_limits(cells, ratios([question.row], cells), overlap)
        found[question.key] = (float("nan"), float(low[0]), float(high[0]))
    return found


def ways(engine: Engine, *, twin: bool) -> dict[str, dict[str, tuple[float, float, float]]]:
    """Value, low and high of every figure by each way, where there is an interval."""

    def told(found: dict[str, lc.Estimate]) -> dict[str, tuple[float, float, float]]:
        return {
            key.removesuffix("@settled"): (one.value or np.nan, one.low, one.high)
            for key, one in found.items()
        }

    first, of_first, flips_of = scalar_results(headline_stage(engine)), settled.scalar_results, None
    try:
        settled.scalar_results = lambda _: first  # Worked out once a look.
        found = {WAYS[0]: told(first), WAYS[1]: told(settled.settled_results(engine))}
        if twin:
            flips_of = settled.flips_of
            settled.flips_of = lambda *given: Flips(  # type: ignore[assignment]
                (one := flips_of(*given)).size, one.size, one.share
            )
            found[WAYS[2]] = told(settled.settled_results(engine))
        return found
    finally:
        settled.scalar_results, settled.flips_of = of_first, flips_of or settled.flips_of


Told = dict[str, dict[str, list[float]]]
"""Way -> figure -> whether it held at every look, width, value less truth."""


def session(readers: Readers, start: Engine, seed: tuple[int, int], looks: list[int]) -> Told:
    random = np.random.default_rng(seed)
    first, last = readers.of(random)
    number = random.random(len(first))
    engine = start.redrawn(seed[1])
    wanted = figures_of(engine, last)
    held: Told = {}

    def put(way: str, found: dict[str, tuple[float, float, float]]) -> None:
        for key, (value, low, high) in found.items():
            one = held.setdefault(way, {}).setdefault(key, [1.0, 0.0, 0.0])
            one[0] *= low - 1e-9 <= wanted[key] <= high + 1e-9
            one[1:] = high - low, value - wanted[key]

    for look in looks:
        label_until(engine, first, look)
        judged(engine, number, last, evenly=False)
        for way, found in ways(engine, twin=readers.people == 2).items():
            put(way, found)
    held["twice"] = {"items": [len(engine.repeats.judged()), 0.0, 0.0]}
    if len(looks) == 1:
        judged(engine, number, last, evenly=True)
        put(WAYS[3], by_limits(engine))
    return held


def sure_job(population: Callable[[], tuple[lc.Population, Codes]], runs: int) -> list[Row]:
    """{figure: mean width of 600 labels} of the plan's own figures if nobody errs."""
    items, truth = population()
    plan = lc.Plan(DEFAULT, NAMES, budget=LABELS, promise="fixed")
    start = beginning(items, kept_plan(items, plan))
    found = []
    for run in range(runs):
        engine = start.redrawn(run)
        label_until(engine, truth.astype(np.int64), LABELS)
        told = scalar_results(headline_stage(engine))
        found.append([told[name].high - told[name].low for name in NAMES])
    return [dict(zip(NAMES, np.mean(found, axis=0).tolist(), strict=True))]


def whole_file(name: str, folder: Path) -> tuple[lc.Population, Codes]:
    population, _, truth = file_of(name, folder)
    return population, truth


def whole_ratings(folder: Path) -> tuple[lc.Population, Codes]:
    readers = real_readers(2, folder)
    return readers.population, readers.truth


def spent(population: lc.Population, plan: lc.Plan, items: int | None) -> lc.Plan:
    """The plan for as many items, or for as many as it recommends before anything is known, and
    for the readings that are left."""
    if items is None:
        best = recommended(spendings(population, plan, READINGS))
        return replace(plan, budget=best.items, overlap=best.overlap)
    share = min((READINGS - items) / items / (plan.readers - 1), 1.0)
    return replace(plan, budget=items, overlap=share)


def job(
    readers: Callable[[], Readers],
    number: int,
    design: str,
    promise: str,
    items: int | None,
    runs: int,
) -> list[Row]:
    """Means over the runs: {way: {figure: (held, width, sd of the value)}}, the items, and the
    half-widths that were foretold."""
    who = readers()
    plan = lc.Plan(design, NAMES, budget=LABELS, promise=promise, overlap=0.1, readers=who.people)
    plan = spent(who.population, plan, items)
    items = int(plan.budget or 0)
    (ahead,) = spendings(who.population, plan, shares=[plan.overlap])
    start = beginning(who.population, kept_plan(who.population, plan))
    looks = [items] if promise == "fixed" else list(range(LOOK, items + 1, LOOK))
    found = [session(who, start, (number, run), looks) for run in range(runs)]
    row: Row = {"items": items, "foretold": dict(ahead.half_widths)}
    for way, keys in found[0].items():
        row[way] = {}
        for key in keys:
            every = np.array([one[way][key] for one in found])
            row[way][key] = [*every[:, :2].mean(axis=0).tolist(), float(every[:, 2].std())]
    return [row]


def estimator_job(
    readers: Callable[[], Readers], number: int, items: int | None, runs: int
) -> list[Row]:
    """As ``job`` with the default, without what is around the estimator: the product draws, the
    chances are those of the last batch, and all figures are worked out at once. Beside them those
    of the form before, from as many readings that are drawn evenly."""
    who = readers()
    plan = lc.Plan(DEFAULT, NAMES, budget=LABELS, promise="fixed", overlap=0.1, readers=who.people)
    plan = spent(who.population, plan, items)
    (ahead,) = spendings(who.population, plan, shares=[plan.overlap])
    plain = replace(plan, overlap=0.0, readers=2)
    start, share = beginning(who.population, kept_plan(who.population, plain)), plan.overlap
    found = []
    for run in range(runs):
        random = np.random.default_rng((number, run))
        first, last = who.of(random)
        engine = start.redrawn(run)
        label_until(engine, first, int(plan.budget or 0))
        found.append(_by_both_forms(engine, first, last, random.random(len(first)), share))
    every = np.array(found)
    row: Row = {"items": plan.budget, "foretold": dict(ahead.half_widths)}
    for place, way in enumerate((WAYS[1], WAYS[3])):
        held, width, sd = every[:, place, 0], every[:, place, 1], every[:, place, 2].std(axis=0)
        means = held.mean(axis=0), width.mean(axis=0), sd
        row[way] = {name: [float(one[at]) for one in means] for at, name in enumerate(NAMES)}
    row["twice"] = {"items": [float(every[:, 0, 3, 0].mean()), 0.0, 0.0]}
    return [row]


def _by_both_forms(
    engine: Engine, first: Codes, last: Codes, number: np.ndarray, share: float
) -> list[np.ndarray]:
    """For either form, each (4, n_figures): held, width, value less truth, items read again."""
    tally, drawn = engine.tallies[engine.classifiers[0]], engine.drawn_positions
    wanted = np.array([*figures_of(engine, last).values()])
    cells, rates, known = _chances(engine, share)
    table = ratios([one.row for one in engine.questions], cells)
    cell, yes = tally.cells_at(drawn), first[drawn]
    found = []
    for chance in (known[cell, yes], np.full(len(drawn), share)):
        kept = number[drawn] < chance
        overlap = Overlap(cell[kept], yes[kept] == 1, last[drawn][kept] == 1, chance[kept])
        if not found:
            flips = flips_of(cells, overlap, rates)
            value, low, high = settled_interval(
                cells, table, flips, lambda both, linear: fixed_critical(both, linear, 0.95)
            )
        else:
            value, (low, high) = wanted, interval_by_limits(cells, table, overlap)
        held = (low - 1e-9 <= wanted) & (wanted <= high + 1e-9)
        found.append(np.array([held, high - low, value - wanted, 0 * wanted + kept.sum()]))
    return found


def looks_job(readers: Callable[[], Readers], number: int, runs: int) -> list[Row]:
    """As ``estimator_job`` for the recommended readings, watched: the interval of the boundary
    after each ``LOOK`` labels, held if at all of them; each label has the chance that its batch of
    ``LOOK`` had. Beside it the interval of a fixed size at the same looks."""
    who = readers()
    plan = lc.Plan(
        DEFAULT, NAMES, budget=LABELS, promise="watched", overlap=0.1, readers=who.people
    )
    plan = spent(who.population, plan, None)
    share, planned = plan.overlap, int(plan.budget or 0)
    plain = replace(plan, overlap=0.0, readers=2)
    start, found = beginning(who.population, kept_plan(who.population, plain)), []
    for run in range(runs):
        random = np.random.default_rng((number, run))
        first, last = who.of(random)
        engine, draw = start.redrawn(1000 * number + run), random.random(len(first))
        wanted, chance = np.array([*figures_of(engine, last).values()]), np.ones(0)
        row = np.ones((2, len(NAMES)))
        for look in [*range(LOOK, planned, LOOK), planned]:
            label_until(engine, first, look)
            cells, rates, known = _chances(engine, share)
            tally, drawn = engine.tallies[engine.classifiers[0]], engine.drawn_positions
            cell, yes = tally.cells_at(drawn), first[drawn]
            chance = np.append(chance, known[cell, yes][len(chance) :])
            kept = draw[drawn] < chance
            overlap = Overlap(cell[kept], yes[kept] == 1, last[drawn][kept] == 1, chance[kept])
            flips = flips_of(cells, overlap, rates)
            table = ratios([one.row for one in engine.questions], cells)
            for way, wider in enumerate((True, False)):
                _, low, high = settled_interval(
                    cells, table, flips, partial(_critical, wider, look / planned)
                )
                row[way] *= (low - 1e-9 <= wanted) & (wanted <= high + 1e-9)
        found.append(row)
    every = np.array(found)
    return [
        {"runs": runs}
        | {way: dict(zip(NAMES, every[:, at].mean(axis=0).tolist(), strict=True))
           for at, way in enumerate(("watched", "fixed"))}
    ]  # fmt: skip


def _critical(wider: bool, progress: float, both: Cells, linear: Ratios) -> np.ndarray:
    fixed = fixed_critical(both, linear, 0.95)
    return fixed * stretch(both, linear, 0.95, progress, 1) if wider else fixed


def _chances(engine: Engine, share: float) -> tuple[Cells, np.ndarray | None, np.ndarray]:
    """Counts and fitted rates by cell, and the chances of being read again, (n_cells, 2)."""
    cells = engine.tallies[engine.classifiers[0]].cells(1)
    rates = fitted_cell_rates(engine, engine.tallies[engine.classifiers[0]], 1)
    worth = worth_of_cells(engine.questions, engine.tallies, cells.labelled)
    smooth = smoothed_rates(cells, rates)
    return cells, rates, chances(cells, smooth, cells.labelled, worth, share)


def known_job(readers: Callable[[], Readers], number: int, runs: int) -> list[Row]:
    """How many times as large as with 600 labels of people who never err, drawn by the product, the
    standard deviation of a figure is where it is known beforehand how often each first answer of
    each stratum is settled otherwise. {way: {figure: times}}, for the best of the shares.

    Two ways: items drawn as the product draws them, readings spent for that figure alone; and both
    drawn for that figure alone. Source: Neyman (1938), double sampling; linearised.
    """
    who, random = readers(), np.random.default_rng((number, 1938))
    plan = lc.Plan(DEFAULT, NAMES, budget=LABELS, promise="fixed")
    pairs = [who.of(random) for _ in range(runs)]
    sure = _Spread(who, plan, [(who.truth.astype(np.int64),) * 2])
    found: Row = {way: {} for way in KNOWN_WAYS}
    spreads = [
        _Spread(who, replace(plan, budget=int(READINGS / (1 + share * (who.people - 1)))), pairs)
        for share in SHARES
    ]
    for place, name in enumerate(NAMES):
        usual = sure.variance(place, alone=False)
        for way in KNOWN_WAYS:
            best = min(one.variance(place, alone=way == KNOWN_WAYS[1]) for one in spreads)
            found[way][name] = float((best / usual) ** 0.5)
    return [found]


class _Spread:
    """The variance of figures by two phases whose flips are known.

    pairs   the classes by the first answers and those settled, of each item, some times
    """

    def __init__(self, who: Readers, plan: lc.Plan, pairs: list[tuple[Codes, Codes]]) -> None:
        engine = beginning(who.population, kept_plan(who.population, plan))
        tally, self.items = engine.tallies[engine.classifiers[0]], int(plan.budget or 0)
        cells, cell = tally.cells(1), tally.cells_at(np.arange(len(who.truth)))
        self.again = (READINGS - self.items) / (who.people - 1)
        self.size, sums = cells.size, np.zeros((2, 2, len(cells.size)))
        for first, last in pairs:
            for both in product((0, 1), (0, 1)):
                here = cell[(first == both[0]) & (last == both[1])]
                sums[both] += np.bincount(here, minlength=len(self.size)) / len(pairs)
        self.settled, answered = sums[:, 1].sum(axis=0), sums.sum(axis=1)
        flips = np.divide(
            sums[[0, 1], [1, 0]], answered, out=np.zeros_like(answered), where=answered > 0
        )
        self.share, self.unsure = answered / self.size, flips * (1 - flips)
        rate = self.settled / self.size
        self.spread = rate * (1 - rate)
        self.drawn = engine.expected_labels(cells)
        table = [ratios([one.row], cells) for one in engine.questions]
        self.slopes = [np.abs(slopes(one, self.settled[None, :])[0]) for one in table]

    def variance(self, figure: int, *, alone: bool) -> float:
        """Of a figure; with ``alone`` items are drawn for it, too."""
        worth = self.size * self.slopes[figure]
        told = np.maximum(self.spread - (self.share * self.unsure).sum(axis=0), 0.0)
        each = worth * np.sqrt(told)
        drawn = self.drawn
        if alone:
            drawn = np.clip(self.items * each / max(each.sum(), 1e-12), 1e-9, self.size)
        sd = worth * self.share * np.sqrt(self.unsure)  # (first answer, cell)
        most = drawn * self.share
        read = np.minimum(self.again * sd / max(sd.sum(), 1e-12), most)
        for _ in range(30):  # What a full cell cannot take goes to the others.
            free = read < most
            left = self.again - read[~free].sum()
            read = np.where(free, np.minimum(left * sd / max(sd[free].sum(), 1e-12), most), most)
        second = (sd**2 / np.maximum(read, 1e-9))[sd > 0].sum()
        first = (each**2 / np.maximum(drawn, 1e-9)).sum()
        return float(first + second - (worth**2 * self.spread / self.size).sum())


def agreement_job(items: int, runs: int) -> list[Row]:
    """Of each case: how often each coefficient's interval held its true value, among the samples
    that have an interval, and how many have none."""
    rows = []
    for case, (common, error, people) in enumerate(product((0.5, 0.1), (0.02, 0.1, 0.2), (2, 3))):
        random = np.random.default_rng((items, case))
        use = common * (1 - error) + (1 - common) * error
        differing = 2 * error * (1 - error)
        by_chance = {"gwet_ac1": 1 - 2 * use * (1 - use)}
        found: dict[str, list[bool]] = {name: [] for name in COEFFICIENTS}
        for _ in range(runs):
            truth = random.random((items, 1)) < common
            codes = (truth ^ (random.random((items, people)) < error)).astype(np.int64)
            votes = votes_of(codes, 2)
            for name, row in COEFFICIENTS.items():
                one = beyond_chance(votes, row.disagreement, 0.95)
                true = 1 - differing / by_chance.get(name, 2 * use * (1 - use))
                if not one.reason:
                    found[name].append(one.low <= true <= one.high)
        rows.append(
            {
                "case": f"{100 * common:.0f} %, {100 * error:.0f} % wrong, {people} people",
                "held": {name: float(np.mean(one or [np.nan])) for name, one in found.items()},
                "none": 1 - len(found["gwet_ac1"]) / runs,
            }
        )
    return rows


# --- all of them, and the page -------------------------------------------------------------------

RECOMMENDED, MOST_DRAWN = "recommended", 20
SPENDINGS: dict[str, int | None] = {"600 items": LABELS, "400 items": 400, RECOMMENDED: None}
WHOLE = {
    "alike, 5 %": 2,
    "alike, 15 %": 2,
    "near the cut up to 40 %": 3,
    "positives missed, 15 % against 1 %": 2,
    "one generous, 10 % of negatives": 4,
    "one careless, 20 % against 2 %": 3,
    REAL: 2,
}
"""The settings of whole sessions, with as many people."""


def sessions_of(options: Options) -> dict[str, int]:
    """Whole sessions of each setting, by promise."""
    return {"fixed": max(options.runs // 2, 1), "watched": max(options.runs // 4, 1)}


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Job] = {}
    everybody = {
        f"{kind}, {people} people": partial(readers_of, kind, people, options.data)
        for kind in KINDS
        for people in PEOPLE
    }
    everybody[f"{REAL}, 2 people"] = partial(real_readers, 2, options.data)
    numbers = {name: number for number, name in enumerate(everybody)}
    for name in (f"{kind}, {people} people" for kind, people in WHOLE.items()):
        found[f"{LOOKS}, {name}"] = partial(looks_job, everybody[name], numbers[name], options.runs)
        for promise, runs in sessions_of(options).items():
            found[f"{promise}, {DEFAULT}, {RECOMMENDED}, {name}"] = partial(
                job, everybody[name], numbers[name], DEFAULT, promise, None, runs
            )
    for spent_on, items in SPENDINGS.items():
        for name, readers in everybody.items():
            found[f"{ESTIMATOR}, {DEFAULT}, {spent_on}, {name}"] = partial(
                estimator_job, readers, numbers[name], items, options.runs
            )
    for name, readers in everybody.items():
        found[f"{KNOWN}, {name}"] = partial(
            known_job, readers, numbers[name], min(options.runs, MOST_DRAWN)
        )
    for file in FILES:
        found[f"{SURE}, {file}"] = partial(
            sure_job, partial(whole_file, file, options.data), options.runs
        )
    found[f"{SURE}, {REAL}"] = partial(sure_job, partial(whole_ratings, options.data), options.runs)
    for items in (20, 50, 100):
        found[f"{AGREEMENT}, {items} items"] = partial(agreement_job, items, options.runs)
    return found


def tables(rows: Rows, options: Options) -> str:
    error = 100 * (0.95 * 0.05 / options.runs) ** 0.5
    parts = [
        HEAD.format(
            runs=options.runs, error=error, fixed=options.runs // 2, watched=options.runs // 4
        ),
        coverages(rows),
        WIDTHS,
        widths(rows),
        known(rows),
    ]
    groups: dict[str, list[tuple[str, Row]]] = {}
    for name, found_rows in rows.items():
        if not name.startswith((AGREEMENT, SURE, LOOKS, KNOWN)):
            promise, design, spent, reader = name.split(", ", 3)
            groups.setdefault(f"{promise}, {design}, {spent}", []).append((reader, found_rows[0]))
    for head, found in groups.items():
        lines = [line for reader, row in found for line in lines_of(reader, row)]
        parts.append(f"\n## {head[0].upper()}{head[1:]}\n")
        parts.append(harness.table(("people", "interval", *NAMES), lines))
    parts += [part for name in rows if name.startswith(AGREEMENT) for part in agreed(name, rows)]
    return "\n".join([*parts, ""])


def agreed(name: str, rows: Rows) -> list[str]:
    labels = [row.label for row in COEFFICIENTS.values()]
    lines = [
        [row["case"], *(f"{100 * one:.1f}" for one in row["held"].values()),
         f"{100 * row['none']:.0f}"]
        for row in rows[name]
    ]  # fmt: skip
    head = ("share of a class, readings, people", *labels, "no interval")
    title = (
        f"\n## {name[0].upper()}{name[1:]}\n\nHow often the interval held the true value, in %.\n"
    )
    return [title, harness.table(head, lines)]


def coverages(rows: Rows) -> str:
    """Mean and least coverage of each way, by promise and spending."""
    lines = []
    for promise in (ESTIMATOR, "fixed", "watched"):
        for spent in SPENDINGS:
            for way in WAYS:
                found = [
                    one[0]
                    for name, (row, *_) in rows.items()
                    if name.startswith(promise) and f", {spent}, " in name
                    for one in row.get(way, {}).values()
                ]
                if found:
                    mean, least = 100 * np.mean(found), 100 * min(found)
                    low = sum(one < 0.93 for one in found)
                    lines.append(
                        [promise, spent, way, f"{mean:.1f}", f"{least:.1f}", f"{low}",
                         f"{len(found)}"]
                    )  # fmt: skip
    head = ("sessions", "readings", "interval", "mean", "least", "under 93 %", "cells")
    return harness.table(head, lines)


def widths(rows: Rows) -> str:
    """Median and largest ratio of widths in the settings of the default, by spending and figure."""
    lines = []
    for spent_on in SPENDINGS:
        start = f"{ESTIMATOR}, {DEFAULT}, {spent_on}, "
        mine = [
            (row, rows[f"{SURE}, {file_for(name.removeprefix(start))}"][0])
            for name, (row, *_) in rows.items()
            if name.startswith(start)
        ]
        for key in (*NAMES, "all four"):
            found = np.array(
                [
                    [
                        one[1] / sure[name],
                        one[1] / row[WAYS[3]][name][1],
                        one[1] / max(3.92 * one[2], 1e-9),
                        one[1] / 2 / row["foretold"][name] if "foretold" in row else np.nan,
                    ]
                    for row, sure in mine
                    for name, one in row[WAYS[1]].items()
                    if key in (name, "all four")
                ]
            )
            both = zip(np.nanmedian(found, axis=0), np.nanmax(found, axis=0), strict=True)
            lines.append([spent_on, key, *(f"{a:.2f} ({b:.2f})" for a, b in both)])
    head = ("spent on", "figure", SURE, "four limits", "floor", "foretold")
    return harness.table(head, lines)


def known(rows: Rows) -> str:
    """Median and largest of what people who err cost where their flips are known."""
    each = {name: row for name, (row, *_) in rows.items() if name.startswith(KNOWN)}
    lines = []
    for people in ("", ", 2 people"):
        for key in (*NAMES, "all four"):
            cells = []
            for way in KNOWN_WAYS:
                of_way = [
                    times
                    for name, row in each.items()
                    for figure, times in row[way].items()
                    if name.endswith(people) and key in (figure, "all four")
                ]
                cells.append(f"{np.median(of_way):.2f} ({max(of_way):.2f})")
            lines.append([people.removeprefix(", ") or "2 to 4 people", key, *cells])
    return KNOWN_HEAD + harness.table(("people", "figure", *KNOWN_WAYS), lines)


def looked(rows: Rows) -> str:
    """How often every look held, in %, by the boundary and by a fixed size."""
    found = {name: row for name, (row, *_) in rows.items() if name.startswith(LOOKS)}
    lines = [
        [name.removeprefix(f"{LOOKS}, "), row["runs"],
         *(f"{100 * row['watched'][key]:.0f} ({100 * row['fixed'][key]:.0f})" for key in NAMES)]
        for name, row in found.items()
    ]  # fmt: skip
    return LOOKED + harness.table(("people", "sessions", *NAMES), lines)


def file_for(reader: str) -> str:
    """The file that people of this name read."""
    kind, people = reader.rsplit(", ", 1)
    return REAL if kind == REAL else file_name(kind, int(people.split()[0]))


def lines_of(reader: str, row: Row) -> list[list[str]]:
    twice = f"{reader}; {row['items']}, {row['twice']['items'][0]:.0f} of them twice"
    return [
        [
            twice if way == WAYS[0] else "",
            way,
            *(cell_of(row[way].get(name)) for name in NAMES),
        ]
        for way in WAYS
        if way in row
    ]


def cell_of(found: list[float] | None) -> str:
    return "" if found is None else f"{100 * found[0]:.0f} (± {50 * found[1]:.1f})"


HEAD = """\
{runs} sessions of about 660 readings a row of the estimator alone, on items that the product draws
({error:.1f} points is one standard error of a coverage of 95 %), and as many that are watched;
{fixed} whole sessions through the product a row with a fixed promise, and {watched} with a watched
one (at every look, after each 60 labels). In each cell: how often the 95 % interval held the figure
of the settled judgement, in %, and its mean half-width at the end, in points. The 24 settings are
eight kinds of mistakes by two, three and four
people, in turn on a made-up file of 20,000 items and on `newsgroups_med` (5 % positive); where more
than two people judge an item, fewer items are judged by several for the same readings.
"""
WIDTHS = """
Widths of the settled figures, median and largest over the settings: divided by those of the
default's own figures from 600 labels if nobody errs, by those of the form before (readings drawn
evenly, the limits of four shares), by 3.92 standard deviations of the estimate over the sessions,
under which no interval of 95 % can be, and by what was foretold from 5 % of disagreement.
"""
KNOWN_HEAD = """
## What no spending can be below

If it were known beforehand how often each first answer of each stratum is settled otherwise: the
standard deviation of a figure from as many readings, divided by that from 600 labels of people who
never err as the product draws them, for the best of nine shares and with readings spent for that
figure alone, in theory (Neyman's double sampling on the product's strata). Median and largest over
the settings: with items drawn as the product draws them for all four figures, and with items, too,
drawn for that figure alone.

"""
LOOKED = """
## Watched, estimator, recommended

How often the interval of the boundary held at every look, after each 60 labels and at the end, in
%; in brackets the interval of a fixed size at the same looks, which is the broken twin.

"""
BENCHMARK = Benchmark(
    name="several_people", about=__doc__, jobs=jobs, tables=tables, runs=100, quick_runs=5,
    page="several_people.md", head=f"\n{MADE}\n\n",
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
