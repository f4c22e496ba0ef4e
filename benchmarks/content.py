"""What a second opinion from the items' content saves in the default method, before any label.

    python -m benchmarks.content [--quick] [--runs 100] [--only WORD] [--rows FILE] [--write]

A model learns a classifier's predictions from the content of the items, cross-fitted, and is the
helper ``content``. Beside it a control: the same numbers shuffled over the items, so that they say
nothing. Sessions are drawn stratum by stratum: with a stratum's items in random order the hits of a
batch are hypergeometric. Strata, shares and intervals are the product's own. Seeds: run r of the
pair at place p uses (14, p, r) in every variant.

"Labels" is the square of the ratio of the mean widths with and without, at as many labels, in the
mean of the four figures; one narrower than 3 points without is left out. "held" is at the end of a
fixed session, at every batch of a watched one. The classifiers "words" and "bayes" of texts and
those of digits are trained here, on items that are then left out.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import labelcore as lc
from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat, table
from benchmarks.helper_cases import Case, session_of
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.population.second_opinion import second_opinion
from labelcore.trials.digits import DARKEST, TRAINED_ON, _scores

MAIN = ("accuracy", "precision", "recall", "f1")
SIZES = (300, 1000)
SEED, FILE_SEED, NARROW, TRAINED = 14, 54, 0.03, 1500
RARE = 49
DESIGN = "recalibrated_neyman"
OFF, ON, NOISE = "off", "content", "noise"
COST, COSTS = "cost ", (10_000, 100_000, 1_000_000)
COST_NAMES = ("items", "seconds of one core", "seconds that passed", "MB of the process")


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
    in {("newsgroups", "nb"), ("newsgroups rare", "nb"), ("ppdb", "model"), ("digit 8", "bayes")}
)
BESIDE = tuple(
    Pair(*pair, beside=beside)
    for pair, other in (
        (("newsgroups", "nb", TEXTS), "svm"),
        (("newsgroups", "svm", TEXTS), "lr"),
        (("ppdb", "model", SHORT), "cosine"),
    )
    for beside in (other, 0.95, 0.85)
)


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
def population_of(pair: Pair, folder: Path) -> tuple[lc.Population, np.ndarray]:
    found, content = table_of(pair.file, folder)
    truth = found["true_label"].to_numpy() == 1
    names, helpers = [pair.classifier], {}
    if isinstance(pair.beside, float):
        random = np.random.default_rng((FILE_SEED, round(100 * pair.beside)))
        right = random.random(len(truth)) < pair.beside
        found = found.assign(judge=np.where(right, truth, ~truth).astype(int))
        helpers = {"judge": "judge"}
    elif pair.beside:
        names.append(pair.beside)
    wanted = ["id", *content, *(f"{kind}_{name}" for name in names for kind in ("score", "pred"))]
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "items.csv"
        found[[*wanted, *helpers]].to_csv(path, index=False)
        population = lc.read_population(
            path, id="id", content=list(content), helpers=helpers,
            scores={one: f"score_{one}" for one in names},
            predictions={one: f"pred_{one}" for one in names},
        )  # fmt: skip
        second_opinion(population, pair.classifier)
    return population, truth


def variants(pair: Pair) -> dict[str, list[str]]:
    """The helpers of each variant; the control is the content of another file to all."""
    other = "judge" if isinstance(pair.beside, float) else pair.beside
    if other is None:
        return {OFF: [], ON: ["content"], NOISE: ["content"]}
    return {OFF: [str(other)], ON: [str(other), "content"]}


def measure(pair: Pair, place: int, folder: Path, runs: int) -> list[Row]:
    """A row for each size, variant and figure."""
    population, truth = population_of(pair, folder)
    opinion = population.opinions[pair.classifier]
    rows = []
    for variant, helpers in variants(pair).items():
        shuffled = np.random.default_rng(FILE_SEED).permutation(opinion.score)
        population.let_go()
        population.opinions[pair.classifier] = (
            replace(opinion, score=shuffled) if variant == NOISE else opinion
        )
        for size in (one for one in SIZES if one < 0.5 * len(population)):
            plan = lc.Plan(
                DESIGN, MAIN, classifier=pair.classifier, budget=size, promise=pair.promise,
                params={"helpers": helpers}, seed=SEED,
            )  # fmt: skip
            engine = Engine(population, frozen(population, plan, size))
            case = Case(pair.name, len(population), size, promise=pair.promise)
            found = np.array(
                [
                    session_of(case, engine, truth, np.random.default_rng((SEED, place, run)))
                    for run in range(runs)
                ]
            )
            error = found[:, 1].std(axis=0) / np.sqrt(max(runs - 1, 1))
            rows += [
                {"pair": pair.name, "kind": pair.kind, "promise": pair.promise,
                 "beside": "" if pair.beside is None else str(pair.beside), "labels": size,
                 "variant": variant, "figure": figure, "held": found[:, 0, at].mean(),
                 "width": found[:, 1, at].mean(), "error": error[at], "items": len(population),
                 "positives": int(truth.sum())}
                for at, figure in enumerate(MAIN)
            ]  # fmt: skip
    population.opinions[pair.classifier] = opinion
    return rows


def against_off(found: pd.DataFrame) -> pd.DataFrame:
    """By pair, size and variant: labels, their standard error, how often the figures held in the
    mean and at the least, and the same without."""
    keys = ["pair", "labels", "figure"]
    off = found[found["variant"] == OFF].set_index(keys)
    rows = []
    for (pair, labels, variant), part in found.groupby(["pair", "labels", "variant"], sort=False):
        if variant == OFF:
            continue
        on = part.set_index(keys)
        base = off.loc[on.index]
        wide = base["width"] >= NARROW
        ratio = ((on["width"] / base["width"]) ** 2)[wide]
        noise = np.hypot(on["error"] / on["width"], base["error"] / base["width"])[wide]
        rows.append(
            {"pair": pair, "labels": labels, "variant": variant, "ratio": ratio.mean(),
             "noise": (2 * ratio * noise).mean(), "held": on["held"].mean(),
             "least": on["held"].min(), "held_off": base["held"].mean(),
             "least_off": base["held"].min(),
             **{one: part[one].iloc[0] for one in ("kind", "promise", "beside")}}
        )  # fmt: skip
    return pd.DataFrame(rows)


def by_pair(found: pd.DataFrame) -> str:
    names = ("pair", "labels", "labels with content / without", "shuffled", "held", "least",
             "without", "least")  # fmt: skip
    rows = []
    for (pair, labels), part in found.groupby(["pair", "labels"], sort=False):
        of = part.set_index("variant")
        on = of.loc[ON]
        noise = "" if NOISE not in of.index else _digits_of(of.loc[NOISE, "ratio"])
        held = (f"{on[one]:.3f}" for one in ("held", "least", "held_off", "least_off"))
        ratio = _digits_of(on["ratio"], on["noise"])
        rows.append((pair, f"{labels:,}", ratio, noise, *held))
    return table(names, rows)


def _digits_of(ratio: float, noise: float | None = None) -> str:
    """Two digits; "narrow" where no figure is wide enough to tell."""
    if np.isnan(ratio):
        return "narrow"
    return f"{ratio:.2f}" if noise is None else f"{ratio:.2f} ± {noise:.2f}"


def summary(found: pd.DataFrame) -> str:
    """Means over the pairs."""
    rows = []
    for labels, of_size in found.groupby("labels"):
        for kind in (*dict.fromkeys(of_size["kind"]), "all"):
            part = of_size[of_size["kind"] == kind] if kind != "all" else of_size
            on, noise = (part[part["variant"] == one] for one in (ON, NOISE))
            worst = on.loc[on["ratio"].idxmax()]
            rows.append((kind, f"{labels:,}", len(on), f"{on['ratio'].mean():.3f}",
                         f"{worst['ratio']:.2f} ± {worst['noise']:.2f} ({worst['pair']})",
                         f"{noise['ratio'].mean():.3f}", f"{on['held'].mean():.3f}",
                         f"{on['least'].min():.3f}", f"{on['held_off'].mean():.3f}",
                         f"{on['least_off'].min():.3f}",
                         f"{noise['held'].mean():.3f}"))  # fmt: skip
    names = ("content", "labels", "pairs", "labels with / without", "worst pair", "shuffled",
             "held", "least", "without", "least", "shuffled held")  # fmt: skip
    return table(names, rows)


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
        seconds, cpu = time.monotonic() - start, time.process_time() - cpu
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [{"items": items, "seconds": seconds, "cpu": cpu, "megabytes": most}]


def _all_pairs() -> Iterator[tuple[int, Pair]]:
    yield from enumerate((*ALONE, *WATCHED, *BESIDE))


def jobs(options: Options) -> dict[str, Job]:
    found: dict[str, Callable[[], list[Row]]] = {
        pair.name: partial(measure, pair, place, options.data, options.runs)
        for place, pair in _all_pairs()
        if not options.quick or place == 0
    }
    costs = {f"{COST}{items:,}": partial(cost, items, options.data) for items in COSTS}
    return found if options.quick else {**found, **costs}


def tables(rows: Rows, options: Options) -> str:
    """By kind of content, by pair, watched, beside other helpers, and what it costs."""
    found = pd.DataFrame(flat({name: one for name, one in rows.items() if COST not in name}))
    both = against_off(found)
    alone = both[(both["promise"] == "fixed") & (both["beside"] == "")]
    watched, beside = both[both["promise"] == "watched"], both[both["beside"] != ""]
    parts = [f"{options.runs} runs each.", "## Alone", summary(alone), by_pair(alone)]
    if len(watched):
        parts += ["## Watched", by_pair(watched)]
    if len(beside):
        parts += ["## Beside other helpers", by_pair(beside)]
    costs: list[dict[str, Any]] = flat({name: one for name, one in rows.items() if COST in name})
    if costs:
        taken = [(f"{one['items']:,}", f"{one['cpu']:.0f}", f"{one['seconds']:.0f}",
                  f"{one['megabytes']:,.0f}")
                 for one in costs]  # fmt: skip
        parts += ["## What it costs", table(COST_NAMES, taken)]
    return "\n\n".join(parts)


HEAD = f"""# Content: what the items say saves labels

{MADE}

"""
BENCHMARK = Benchmark(
    name="content", about=str(__doc__), jobs=jobs, tables=tables, runs=100, quick_runs=3,
    page="content.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
