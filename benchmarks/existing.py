"""Labels that are there already, and a plain sample helped by the scores: coverage and labels.

    python -m benchmarks.existing [--quick] [--runs 60] [--write]

Helped: 2,000 plain random samples of each size, accuracy and prevalence, by the difference
estimator and by Wilson's interval. Random: sessions of recalibrated Neyman that go on from 300
labels of a plain random sample, against sessions from the start. Certainty: sessions beside the
answers that screening and uncertainty sampling leave behind, and the same answers taken for a
random sample. Every session is answered by the file's known labels; run r has the seed (0, r).
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, frame_table
from benchmarks.real_files import FILES
from labelcore.designs.rates import item_probability
from labelcore.errors import PlanError
from labelcore.figures.scalars import scalar_results
from labelcore.log.engine import Engine
from labelcore.plan import existing
from labelcore.planning.runs import label_all
from labelcore.planning.simulation import run_seed, true_values
from labelcore.planning.truth import true_codes
from labelcore.stats import difference_estimator
from labelcore.stats.difference_estimator import helped_share
from labelcore.stats.proportion import share_interval

SIZES, SAMPLES, FEW_SAMPLES = (100, 300, 1000), 2000, 100
SURPRISES = (0.8, 1.6, 3.0, 6.0)
HELPED = "helped by scores"
NEYMAN, PLAIN = "recalibrated_neyman", "simple_random"
ESTIMANDS = ("accuracy", "precision", "recall")
TESTED = ((0, "lr"), (1, "model"), (2, "gbm"))
THERE, NEW = 300, 200


def helped(folder: Path, samples: int) -> list[Row]:
    """Coverage and width of the difference estimator beside Wilson's, a row per file, classifier,
    estimand and size."""
    rows = []
    for file in FILES:
        population = file.population(folder)
        codes = true_codes(population, "true_label")
        for name in file.classifiers:
            probability = item_probability(population, name)
            if probability is None:
                continue
            called = population.predictions[name] == 1
            right = (codes == 1) == called
            pairs = {
                "accuracy": (right, np.where(called, probability, 1 - probability)),
                "prevalence": (codes == 1, probability),
            }
            for estimand, (outcome, guess) in pairs.items():
                for size in SIZES:
                    found = sampled(outcome.astype(float), guess, size, samples)
                    rows.append({"file": file.name.partition(".")[0], "classifier": name,
                                 "estimand": estimand, "labels": size, **found})  # fmt: skip
    for surprises in SURPRISES:
        for size in SIZES:
            found = sampled(*sharp(surprises, size), size, samples)
            rows.append({"file": f"made, {surprises:g} surprises a sample", "classifier": "sharp",
                         "estimand": "prevalence", "labels": size, **found})  # fmt: skip
    return rows


def sharp(surprises: float, labels: int, items: int = 20_000) -> tuple[np.ndarray, np.ndarray]:
    """Outcomes, three in ten positive, and guesses .98 and .02 that are wrong about positives only:
    so often that ``labels`` of them hold so many ``surprises`` in the mean."""
    place = np.arange(items)
    outcome = (place < 0.3 * items).astype(float)
    missed = place < round(surprises * items / labels)
    return outcome, np.where((outcome == 1) & ~missed, 0.98, 0.02)


def sampled(outcome: np.ndarray, guess: np.ndarray, labels: int, samples: int) -> dict[str, float]:
    """Samples of one size by both intervals."""
    rng, items, truth = np.random.default_rng([0, labels]), len(outcome), outcome.mean()
    hit, bare_hit, plain_hit, width, plain_width, used, saved = np.zeros((7, samples))
    for run in range(samples):
        at = rng.choice(items, labels, replace=False)
        one = helped_share(outcome[at], guess[at], guess.mean(), items, 0.95)
        bare = without_rule(outcome[at], guess[at], guess.mean(), items)
        low, high = share_interval(outcome[at].sum(), labels, items, 0.95)
        bare_hit[run] = bare.low <= truth <= bare.high
        hit[run], plain_hit[run] = one.low <= truth <= one.high, low <= truth <= high
        width[run], plain_width[run] = one.high - one.low, high - low
        used[run], saved[run] = one.used, one.saved
    return {
        "truth": truth, "scores used": used.mean(), "saved": saved.sum() / max(used.sum(), 1),
        "coverage": hit.mean(), "without the rule": bare_hit.mean(),
        "Wilson's coverage": plain_hit.mean(),
        "width ratio": width.mean() / plain_width.mean(),
    }  # fmt: skip


def without_rule(
    outcome: np.ndarray, guess: np.ndarray, mean_guess: float, items: int
) -> difference_estimator.Helped:
    """The estimate as it would be with one outcome of either kind enough."""
    with patch.object(difference_estimator, "LEAST_OF_EACH", 1):
        return helped_share(outcome, guess, mean_guess, items, 0.95)


def left_behind(how: str, population: lc.Population, name: str, run: int) -> np.ndarray:
    """The items that have an answer before the project."""
    rng, items = np.random.default_rng([1, run]), len(population)
    score = population.scores[name]
    if how == "random":
        return rng.permutation(items)[:THERE]
    order = -score if how == "screening" else np.abs(score - 0.5)
    likely = np.argsort(order + rng.normal(0, 1e-6, items))[: 2 * THERE]
    return rng.permutation(likely)[:THERE]


def session(
    population: lc.Population, plan: lc.Plan, codes: np.ndarray, at: np.ndarray
) -> dict[str, tuple[float, float, float]]:
    """Error, width and whether the truth is inside, of each estimand at the end of a session."""
    known = np.full(len(population), -1, dtype=np.int16)
    known[at] = codes[at]
    given = replace(population, known=known) if plan.existing else population
    engine = Engine(given, plan.with_planned(int(plan.budget or 0)))
    label_all([engine], codes)
    found = scalar_results(engine)
    truth = true_values(engine, codes, found)
    return {
        key: (
            np.nan if one.value is None else one.value - truth[key],
            one.high - one.low,
            float(one.low - 1e-12 <= truth[key] <= one.high + 1e-12),
        )
        for key, one in found.items()
    }


ARMS = (
    # in words, design, how the answers came about, what they are taken for, new labels
    (f"{THERE} random labels, taken as random, then {NEW}", NEYMAN, "random", "random", NEW),
    (f"from the start, {NEW}", NEYMAN, "random", None, NEW),
    (f"from the start, {THERE + NEW}", NEYMAN, "random", None, THERE + NEW),
    (f"{THERE} screened, taken as known, then {NEW}", NEYMAN, "screening", "certainty", NEW),
    (f"{THERE} unsure, taken as known, then {NEW}", NEYMAN, "unsure", "certainty", NEW),
    (f"plain sample: {THERE} screened, taken as known, then {NEW}", PLAIN, "screening",
     "certainty", NEW),
    (f"plain sample: {THERE} screened, wrongly taken as random, then {NEW}", PLAIN, "screening",
     "random", NEW),
    (f"plain sample: {THERE} unsure, wrongly taken as random, then {NEW}", PLAIN, "unsure",
     "random", NEW),
)  # fmt: skip


def sessions(folder: Path, place: int, name: str, runs: int) -> list[Row]:
    """A row per arm and estimand of one file and classifier; the broken arms go on where the check
    of a random sample refuses."""
    rows: list[Row] = []
    population = FILES[place].population(folder)
    codes = true_codes(population, "true_label")
    for words, design, how, use, budget in ARMS:
        done, refused = [], 0
        for run in range(runs):
            at = left_behind(how, population, name, run)
            refused += use == "random" and not passes(population, name, at)
            plan = lc.Plan(
                design, ESTIMANDS, classifier=name, budget=budget, promise="fixed",
                existing=use, seed=run_seed(0, run),
            )  # fmt: skip
            with patch.object(existing, "check_random"):
                done.append(session(population, plan, codes, at))
        for key in ESTIMANDS:
            error, width, inside = np.array([one[key] for one in done]).T
            rows.append({
                "file": FILES[place].name.partition(".")[0], "labels": words, "estimand": key,
                "coverage": inside.mean(), "mean width": width.mean(),
                "bias in points": 100 * np.nanmean(error),
                "refused by the check": f"{refused} of {runs}" if use == "random" else "",
            })  # fmt: skip
    return rows


def passes(population: lc.Population, name: str, at: np.ndarray) -> bool:
    try:
        existing.check_random(population, name, at)
    except PlanError:
        return False
    return True


def jobs(options: Options) -> dict[str, Job]:
    arms = {
        f"sessions, {FILES[place].name}": partial(sessions, options.data, place, name, options.runs)
        for place, name in TESTED
    }
    return {HELPED: partial(helped, options.data, samples_of(options)), **arms}


def samples_of(options: Options) -> int:
    return FEW_SAMPLES if options.quick else SAMPLES


DIGITS = {
    "truth": 4, "coverage": 3, "Wilson's coverage": 3, "without the rule": 3, "scores used": 2,
    "saved": 2, "width ratio": 2, "mean width": 4, "bias in points": 2,
}  # fmt: skip


def shown(frame: pd.DataFrame) -> str:
    return frame_table(frame, {name: DIGITS[name] for name in DIGITS if name in frame})


def tables(rows: Rows, options: Options) -> str:
    of_scores = pd.DataFrame(rows[HELPED])
    of_sessions = pd.DataFrame(
        [row for name, part in rows.items() if name != HELPED for row in part]
    )
    means = of_scores.groupby("labels")["coverage"].agg(["mean", "min"])
    used = of_scores[of_scores["scores used"] > 0.5]
    told = "; ".join(
        f"{size:,} labels: mean {row['mean']:.3f}, least {row['min']:.3f}"
        for size, row in means.iterrows()
    )
    width = {
        arm: of_sessions.loc[of_sessions["labels"] == words, "mean width"].to_numpy()
        for arm, (words, *_) in enumerate(ARMS[:3])
    }
    against = width[0] / width[2]
    return TEXT.format(
        there=THERE, new=NEW, whole=THERE + NEW, least=against.min(), widest=against.max(),
        gain=np.median(width[0] / width[1]),
        noise=np.sqrt(0.95 * 0.05 / options.runs), samples=samples_of(options), told=told,
        runs=options.runs,
        cells=len(of_scores),
        helped=shown(of_scores), sessions=shown(of_sessions), saved=used["saved"].median(),
        most=used["saved"].max(), used=len(used), narrow=used["width ratio"].median(),
        bare=of_scores["without the rule"].min(),
    )  # fmt: skip


HEAD = f"""# Labels that are there already

{MADE}

Confidence 95 %, promise "fixed", intervals for the file.

`read_population(..., known="column")` names a column of answers (empty: not known), and
`Plan(existing=...)` says how they came about; without that nothing starts.

- **random**: a plain random sample of the file. Given how many of its items fell into each stratum
  it is a plain random sample of each (Cochran 1977, section 5A.9), so new labels top up the strata
  to their target shares. A chi-square test of its spread over the tenths of the score refuses it at
  p < 0.0001. The test sees only what follows the score; that the sample was random stays an
  assumption, and so does that its items without an answer are not special.
- **certainty**: known items, however they were chosen. They are counted as they are, strata are cut
  of the rest, and the rest is sampled, in an order of its own: the answers may come from a project
  with the same seed. Nothing is said of items beyond the file.
- **ignored**: not used.

Claims are refused with both: a claim must be made before the labels that decide it. Methods that
can do without either say so (`existing` of a design): `recalibrated_neyman`, `simple_random` and
`paired_comparison` take both, `reach_selection` takes known items.

"""
TEXT = """## Going on from them

{runs} sessions each, noise of a coverage {noise:.3f}; `recalibrated_neyman`, where nothing else is
said. "Screened": of the 600 items with the highest scores, "unsure": of the 600 whose score is
nearest to one half, 300 at random. "Wrongly" does what the check refuses, with a plain random
sample: strata along the score hide this mistake where the answers were chosen by the score alone,
which nobody can know.

Going on from {there} random labels with {new} new ones gave {least:.2f} to {widest:.2f} times the
width of {whole} labels from the start, {gain:.2f} times that of {new} in the median.

{sessions}

## A plain sample helped by the scores

`simple_random` with `interval = "difference"`: A = lambda mean_N(f) + mean_n(y - lambda f) with the
best lambda of the sample (Angelopoulos, Duchi and Zrnic 2023, PPI++), Wilson's interval at the
effective number of labels with Student's t and two squared surprises added: a sample may hold none
of the few surprises that make up the variance where scores are nearly always right ("made": guesses
that are wrong about positives only, so often that a sample holds so many of them in the mean; with
half a surprise added .79 of such intervals held). With fewer than 20 labels of the rarer outcome
the ordinary interval is given; without that rule ("without the rule": one is enough) the least
coverage was {bare:.3f}.
For a share of a group of known size only (accuracy, prevalence, precision, negative predictive
value, false omission rate); recall, F1 and specificity stay with their own interval. Never with
strata, which have this gain already.

{samples:,} samples each, noise .005. Coverage over the {cells} rows: {told}. In the {used} rows in
which the scores were used in more than half of the samples they saved {saved:.0%} of the labels in
the median, {most:.0%} at the most, and the interval was {narrow:.2f} times as wide (medians).
"saved" is the mean over the samples in which the scores were used.

{helped}"""


BENCHMARK = Benchmark(
    name="existing", about=__doc__, jobs=jobs, tables=tables, runs=60, quick_runs=4,
    page="existing_labels.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
