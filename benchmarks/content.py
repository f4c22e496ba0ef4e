"""What the items' content saves in the default method: before the first label, at half, and both.

    python -m benchmarks.content [--quick] [--runs 24] [--only WORD] [--rows FILE] [--write]

"content": a model learns a classifier's predictions from the content, cross-fitted, and is a
helper. "cut": at half of the labels a model of these cuts the strata once more. "both": both.
Controls: "noise", the helper shuffled over the items, and "shuffled", the values of the model at
half shuffled within each stratum, with the same guard. Session r of a pair has the same seed in
every arm; the draws do not depend on the promise, so that one session gives the fixed figures at
its end and the watched bands at every look of the grid.

"Labels" is the square of the ratio of the mean widths to those of the default, at as many labels,
in the mean of the four figures; one narrower than 3 points without is left out. The classifier
"words" of the phrases and those of digits are trained here, on items that are then left out.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, frame_table
from benchmarks.sessions import FloatArray, Prepared
from labelcore.designs import recut
from labelcore.designs.base import IntArray
from labelcore.designs.recut import content_of
from labelcore.figures.from_counts import figures_of
from labelcore.figures.scalars import scalar_results_of
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.planning.runs import label_each_until
from labelcore.population.second_opinion import second_opinion
from labelcore.promises import Promise
from labelcore.stats.recut import learned
from labelcore.trials.digits import DARKEST, TRAINED_ON, _scores

MAIN = ("accuracy", "precision", "recall", "f1")
SIZES = (300, 1000)
SEED, FILE_SEED, NARROW, TRAINED, TOGETHER = 14, 54, 0.03, 1500, 20
RARE, JUDGES = 49, (0.95, 0.85)
DESIGN = "recalibrated_neyman"
OFF, ON, CUT, BOTH, NOISE, SHUFFLED = "default", "content", "cut", "both", "noise", "shuffled"
ARMS = {OFF: (False, False), ON: (True, False), CUT: (False, True), BOTH: (True, True),
        NOISE: (True, False), SHUFFLED: (False, True)}  # fmt: skip
"""Whether the content is a helper, and whether strata are cut at half."""
COST, COSTS = "cost ", (10_000, 100_000, 1_000_000)


@dataclass(frozen=True)
class Pair:
    """A classifier of a file, and the promise that is measured.

    beside   another classifier of the file that is a helper, or a verdict right in such a share
    """

    file: str
    classifier: str
    kind: str
    promise: str = "fixed"
    beside: str | float | None = None

    @property
    def name(self) -> str:
        more = "" if self.promise == "fixed" else ", watched"
        if isinstance(self.beside, float):
            more += f", beside a judge right in {self.beside:.0%}"
        elif self.beside:
            more += f", beside {self.beside}"
        return f"{self.file} {self.classifier}{more}"

    @property
    def arms(self) -> tuple[str, ...]:
        if self.promise == "watched":
            return OFF, ON, CUT, BOTH
        if isinstance(self.beside, float):
            return OFF, CUT
        return (OFF, ON, CUT) if self.beside else tuple(ARMS)


TEXTS, SHORT, NUMBERS = "texts about topics", "short texts", "numbers"
ALONE = (
    Pair("newsgroups", "nb", TEXTS),
    Pair("newsgroups", "svm", TEXTS),
    Pair("newsgroups", "lr", TEXTS),
    Pair("news20", "nb", TEXTS),
    Pair("news20", "lr", TEXTS),
    Pair("newsgroups rare", "nb", TEXTS),
    Pair("ppdb", "model", SHORT),
    Pair("ppdb", "cosine", SHORT),
    Pair("ppdb", "words", SHORT),
    Pair("products", "title", SHORT),
    Pair("products", "gbm", SHORT),
    Pair("digit 8", "bayes", NUMBERS),
    Pair("digit 8", "logistic", NUMBERS),
    Pair("digit 3", "neighbours", NUMBERS),
)
WATCHED = tuple(
    replace(one, promise="watched")
    for one in ALONE
    if (one.file, one.classifier)
    in {
        ("newsgroups", "nb"),
        ("newsgroups rare", "nb"),
        ("ppdb", "model"),
        ("ppdb", "cosine"),
        ("digit 8", "bayes"),
    }
)
BESIDE = tuple(
    Pair(*pair, beside=beside)
    for pair, other in (
        (("newsgroups", "nb", TEXTS), "svm"),
        (("newsgroups", "svm", TEXTS), "lr"),
        (("ppdb", "model", SHORT), "cosine"),
    )
    for beside in (other, *JUDGES)
)
ALL = (*ALONE, *WATCHED, *BESIDE)


@lru_cache(maxsize=1)
def table_of(name: str, folder: Path) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """id, content, true_label, score and prediction of each classifier; the content columns."""
    if name.startswith("digit "):
        return _digits(int(name.split()[1]))
    if name == "products":
        found = pd.read_parquet(folder / "product_pairs.parquet")
        return found.astype({"amazon": str, "google": str}), ("amazon", "google")
    if name == "ppdb":
        found = pd.read_csv(folder / "ppdb_pairs.csv.gz", keep_default_na=False)
        return _with_words(found), ("phrase1", "phrase2")
    found = pd.read_csv(folder / "newsgroups_med.csv.gz", keep_default_na=False)
    if name == "news20":
        judged = pd.read_csv(folder / "news20_binary.csv.gz")
        return judged.merge(found[["id", "text"]], on="id"), ("text",)
    if name == "newsgroups rare":
        few = found[found["true_label"] == 1].sample(RARE, random_state=FILE_SEED)
        found = pd.concat([found[found["true_label"] == 0], few]).sort_index()
    return found, ("text",)


def _with_words(found: pd.DataFrame) -> pd.DataFrame:
    """The items that a model of words was not trained on, with what it says of them."""
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    text = found["phrase1"] + " | " + found["phrase2"]
    learned = np.zeros(len(found), dtype=bool)
    learned[np.random.default_rng(FILE_SEED).permutation(len(found))[:TRAINED]] = True
    model = make_pipeline(TfidfVectorizer(analyzer="char_wb", ngram_range=(2, 4)),
                          LogisticRegression())  # fmt: skip
    model.fit(text[learned], found["true_label"][learned])
    rest = found[~learned].reset_index(drop=True)
    score = model.predict_proba(text[~learned])[:, 1].round(4)
    return rest.assign(score_words=score, pred_words=(score >= 0.5).astype(int))


def _digits(digit: int) -> tuple[pd.DataFrame, tuple[str, ...]]:
    from sklearn.datasets import load_digits

    digits = load_digits()
    truth = (digits.target == digit).astype(int)
    scores = _scores(digits.data / DARKEST, truth)
    pixels = {f"pixel{place}": column for place, column in enumerate(digits.data[TRAINED_ON:].T)}
    said = {f"pred_{name}": (score >= 0.5).astype(int) for name, score in scores.items()}
    rated = {f"score_{name}": score.round(4) for name, score in scores.items()}
    unseen = truth[TRAINED_ON:]
    ids = np.arange(len(unseen)).astype(str)
    found = pd.DataFrame({"id": ids, **pixels, **rated, **said, "true_label": unseen})
    return found, tuple(pixels)


@lru_cache(maxsize=1)
def population_of(file: str, folder: Path) -> tuple[lc.Population, np.ndarray]:
    """A file with all its classifiers, and judges as helpers. Plans here name their helpers: what
    they do not name helps nobody."""
    found, content = table_of(file, folder)
    truth = found["true_label"].to_numpy() == 1
    names = list(dict.fromkeys(pair.classifier for pair in ALL if pair.file == file))
    for share in JUDGES:
        right = np.random.default_rng((FILE_SEED, round(100 * share))).random(len(truth)) < share
        found = found.assign(**{judge(share): np.where(right, truth, ~truth).astype(int)})
    judges = {judge(share): judge(share) for share in JUDGES}
    wanted = ["id", *content, *(f"{kind}_{name}" for name in names for kind in ("score", "pred"))]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "items.csv"
        found[[*wanted, *judges]].to_csv(path, index=False)
        population = lc.read_population(
            path, id="id", content=list(content), helpers=judges,
            scores={one: f"score_{one}" for one in names},
            predictions={one: f"pred_{one}" for one in names},
        )  # fmt: skip
        for name in names:
            content_of(population, name)
    return population, truth


def judge(share: float) -> str:
    return f"judge{100 * share:.0f}"


def measure(pair: Pair, place: int, folder: Path, size: int, runs: int) -> list[Row]:
    """A row for each arm and figure."""
    population, truth = population_of(pair.file, folder)
    if size >= 0.5 * len(population):
        return []
    codes = np.where(truth, *(population.classes.index(one) for one in _classes(population)))
    seeds = np.random.default_rng((SEED, place, size)).integers(2**32, size=runs).tolist()
    opinion = population.opinions[pair.classifier]
    mixed = np.random.default_rng(FILE_SEED).permutation(opinion.score)
    noise = replace(opinion, score=mixed, hash=NOISE)
    blind = replace(population, opinions={pair.classifier: noise})
    rows = []
    for arm in pair.arms:
        with _control(arm):
            rows += _arm(blind if arm == NOISE else population, pair, arm, size, seeds, codes)
    return rows


def _classes(population: lc.Population) -> tuple[str, str]:
    """The positive class, and the other one."""
    positive = population.positive
    return positive, next(one for one in population.classes if one != positive)


def _arm(
    population: lc.Population, pair: Pair, arm: str, size: int, seeds: list[int], codes: IntArray
) -> list[Row]:
    content, cut = ARMS[arm]
    other = judge(pair.beside) if isinstance(pair.beside, float) else pair.beside
    helpers = [*([str(other)] if other else []), *(["content"] if content else [])]
    plan = lc.Plan(
        DESIGN, MAIN, classifier=pair.classifier, budget=size, promise=pair.promise, seed=SEED,
        params={"helpers": helpers, **({"recut": "once"} if cut else {})},
    )  # fmt: skip
    prepared = Prepared(population, frozen(population, plan, size), codes)
    truth = np.array([*prepared.truth().values()])
    seen: list[tuple[FloatArray, ...]] = []
    on = 0
    for start in range(0, len(seeds), TOGETHER):
        engines = [prepared.engine.redrawn(seed) for seed in seeds[start : start + TOGETHER]]
        label_each_until(engines, [codes] * len(engines), size)
        on += sum(engine.cut_anew_yet for engine in engines)
        seen += _seen(engines, truth, watched=pair.promise == "watched")
    value, low, high, ever = (np.array(one) for one in zip(*seen, strict=True))
    inside = (low <= truth + 1e-9) & (high >= truth - 1e-9)
    error = (high - low).std(axis=0) / np.sqrt(max(len(seeds) - 1, 1))
    return [
        {"pair": pair.name, "kind": pair.kind, "promise": pair.promise,
         "beside": "" if pair.beside is None else str(pair.beside), "labels": size, "arm": arm,
         "figure": figure, "sessions": len(seeds), "cut": on / len(seeds),
         "covered": inside[:, at].mean(), "width": (high - low)[:, at].mean(), "error": error[at],
         "squared": np.nanmean((value[:, at] - truth[at]) ** 2), "wrong": ever[:, at].mean()}
        for at, figure in enumerate(MAIN)
    ]  # fmt: skip


def _seen(
    engines: list[Engine], truth: FloatArray, *, watched: bool
) -> Iterator[tuple[FloatArray, ...]]:
    """Of each session: value, low and high of the figures at its end, and whether the watched bands
    were ever wrong."""
    if not watched:
        every = next(iter(figures_of(engines, Promise.FIXED)))[1]
        for found in every:
            assert found is not None
            yield found[1].value, found[1].low, found[1].high, np.zeros(len(truth))
        return
    for engine, band in zip(engines, scalar_results_of(engines), strict=True):
        value, low, high = (
            np.array([getattr(one, end) for one in band.values()])
            for end in ("value", "low", "high")
        )
        ends = np.array([*(one for _, one in engine.seen), np.array([low, high])])
        wrong = (ends[:, 0] > truth + 1e-9) | (ends[:, 1] < truth - 1e-9)
        yield value, low, high, wrong.any(axis=0).astype(float)


def _control(arm: str) -> Any:
    return patch.object(recut, "learned", _shuffled) if arm == SHUFFLED else nullcontext()


def _shuffled(columns: Any, stratum: Any, *rest: Any) -> Any:
    """The model's values in a random order within each stratum."""
    found = learned(columns, stratum, *rest)
    order = np.argsort(stratum, kind="stable")
    mixed = np.lexsort((np.random.default_rng(len(rest[2])).random(len(stratum)), stratum))
    beyond = found.beyond.copy()
    beyond[order] = found.beyond[mixed]
    return replace(found, beyond=beyond)


def cost(items: int, folder: Path) -> list[Row]:
    """Seconds and memory of the opinion on so many items: posts of newsgroups over and over, each
    with two words of its own."""
    found, _ = table_of("newsgroups", folder)
    random = np.random.default_rng(FILE_SEED)
    rows = random.integers(len(found), size=items)
    text = found["text"].to_numpy()[rows]
    own = random.integers(100_000, size=(items, 2))
    data = pd.DataFrame(
        {"text": [f"{one} w{a} w{b}" for one, (a, b) in zip(text, own, strict=True)],
         "said": found["pred_nb"].to_numpy()[rows]}
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "items.parquet"
        data.to_parquet(path)
        del data, text
        population = lc.read_population(path, content="text", predictions={"nb": "said"})
        start, cpu = time.monotonic(), time.process_time()
        second_opinion(population, "nb")
        helper = time.process_time() - cpu
        content = content_of(population, "nb")
        both, seconds = time.process_time() - cpu, time.monotonic() - start
        cut = _seconds_of_a_cut(items, content.columns)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [
        {
            "items": items,
            "helper, seconds of one core": helper,
            "numbers for the cut besides": both - helper,
            "both, seconds that passed": seconds,
            "a cut at 150 labels": cut[0],
            "at 500": cut[1],
            "MB of the process": most,
        }
    ]


def _seconds_of_a_cut(items: int, columns: Any) -> list[float]:
    """Of one core, in 18 strata of equal size."""
    random, stratum = np.random.default_rng(SEED), np.arange(items) % 18
    fold, found = recut.folds(random, items), []
    for labels in (150, 500):
        chosen = random.permutation(items)[:labels]
        cpu = time.process_time()
        model = learned(
            columns, stratum, np.full(18, 0.2), fold, chosen, random.random(labels) < 0.2
        )
        recut.edges(model.beyond, stratum, np.full(18, 0.2), np.full(18, 10.0))
        found.append(time.process_time() - cpu)
    return found


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Callable[[], list[Row]]] = {}
    files = [pair.file for pair in ALL]
    for place, pair in sorted(enumerate(ALL), key=lambda one: files.index(one[1].file)):
        for size in SIZES if pair.promise == "fixed" else SIZES[:1]:
            run = partial(measure, pair, place, options.data, size, options.runs)
            if not options.quick or (place == 0 and size == SIZES[0]):
                found[f"{pair.name} {size}"] = run
    costs = {f"{COST}{items:,}": partial(cost, items, options.data) for items in COSTS}
    return found if options.quick else {**found, **costs}


def against_off(found: pd.DataFrame) -> pd.DataFrame:
    """By pair, size and arm: labels with their standard error, coverage and ever wrong in the mean
    of the figures and of the worst one, squared errors, and in how many sessions it was cut."""
    keys = ["pair", "labels", "figure"]
    off = found[found["arm"] == OFF].set_index(keys)
    rows = []
    for (pair, labels, arm), part in found.groupby(["pair", "labels", "arm"], sort=False):
        one = part.set_index(keys)
        base = off.loc[one.index]
        wide = base["width"] >= NARROW
        ratio = ((one["width"] / base["width"]) ** 2)[wide]
        noise = np.hypot(one["error"] / one["width"], base["error"] / base["width"])[wide]
        errors = np.log(np.maximum(one["squared"], 1e-9) / np.maximum(base["squared"], 1e-9))
        rows.append(
            {"pair": pair, "labels": labels, "arm": arm, "ratio": ratio.mean(),
             "noise": (2 * ratio * noise).mean(), "covered": one["covered"].mean(),
             "least": one["covered"].min(), "wrong": one["wrong"].mean(),
             "worst": one["wrong"].max(), "errors": float(np.exp(errors.mean())),
             **{name: part[name].iloc[0] for name in ("kind", "promise", "beside", "cut",
                                                       "sessions")}}
        )  # fmt: skip
    return pd.DataFrame(rows)


def by_arm(found: pd.DataFrame, keys: list[str], value: str, digits: int) -> pd.DataFrame:
    """One column for each arm."""
    every = found.pivot_table(index=keys, columns="arm", values=value, sort=False)
    every = every[[one for one in ARMS if one in every]]
    return every.map(lambda one: "" if np.isnan(one) else f"{one:.{digits}f}").reset_index()


def summary(found: pd.DataFrame) -> pd.DataFrame:
    """Means over the pairs, by kind and of all."""
    every = pd.concat([found, found.assign(kind="all")])
    rows = []
    for (labels, kind, arm), part in every.groupby(["labels", "kind", "arm"], sort=False):
        told = part[part["ratio"].notna()]
        worst = told.loc[told["ratio"].idxmax()]
        rows.append(
            {"labels": labels, "content": kind, "arm": arm, "pairs": len(told),
             "of the labels": f"{told['ratio'].mean():.3f}",
             "worst pair": f"{worst['ratio']:.2f} ± {worst['noise']:.2f} ({worst['pair']})",
             "squared errors": f"{np.exp(np.log(part['errors']).mean()):.2f}",
             "cut in": f"{part['cut'].mean():.2f}" if ARMS[arm][1] else "",
             "covered": f"{part['covered'].mean():.3f}", "least": f"{part['least'].min():.3f}"}
        )  # fmt: skip
    return pd.DataFrame(rows).sort_values(["labels", "content"], kind="stable")


def tables(rows: Rows, options: Options) -> str:
    """Means over pairs, each pair, watched, beside other helpers, and what it costs."""
    found = pd.DataFrame(flat({name: one for name, one in rows.items() if COST not in name}))
    both = against_off(found)
    alone = both[(both["promise"] == "fixed") & (both["beside"] == "")]
    watched, beside = both[both["promise"] == "watched"], both[both["beside"] != ""]
    keys = ["pair", "labels"]
    parts = [
        f"{int(found['sessions'].max())} sessions of each pair, size and arm.",
        "## Means over pairs", frame_table(summary(alone[alone["arm"] != OFF]), {}),
        "## Labels of each pair, of those of the default",
        frame_table(by_arm(alone[alone["arm"] != OFF], keys, "ratio", 2), {}),
        "## Covered, in the mean of the four figures",
        frame_table(by_arm(alone, keys, "covered", 3), {}),
        "## Cut, share of the sessions",
        frame_table(by_arm(alone[alone["arm"].isin([CUT, BOTH, SHUFFLED])], keys, "cut", 2), {}),
    ]  # fmt: skip
    if len(watched):
        parts += ["## Watched: labels", frame_table(by_arm(watched, keys, "ratio", 2), {}),
                  "## Watched: ever wrong, in the mean of the figures",
                  frame_table(by_arm(watched, keys, "wrong", 3), {})]  # fmt: skip
    if len(beside):
        parts += ["## Beside other helpers", frame_table(by_arm(beside, keys, "ratio", 2), {})]
    costs: list[dict[str, Any]] = flat({name: one for name, one in rows.items() if COST in name})
    if costs:
        cuts = [name for name in costs[0] if name.startswith(("a cut", "at "))]
        digits = {one: 2 if one in cuts else 0 for one in costs[0]}
        parts += ["## What it costs", frame_table(pd.DataFrame(costs), digits)]
    return "\n\n".join(parts)


HEAD = f"""# Content: what the items say saves labels

{MADE}

"""
BENCHMARK = Benchmark(
    name="content", about=str(__doc__), jobs=jobs, tables=tables, runs=24, quick_runs=3,
    page="content.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
