"""Files whose items belong to groups, with their truth."""

import shutil
import tempfile
import weakref
from pathlib import Path

import numpy as np
import pandas as pd

import labelcore as lc

SHARES = (0.40, 0.25, 0.12, 0.08, 0.06, 0.05, 0.03, 0.01)


def grouped_frame(
    items: int = 4_000, seed: int = 5, shares: tuple[float, ...] = SHARES
) -> pd.DataFrame:
    """Columns id, text, score, other, language and truth; the classifier is of another worth in
    each language, and so is the rate of positives."""
    random = np.random.default_rng(seed)
    sizes = (np.array(shares) * items).astype(int)
    sizes[0] += items - sizes.sum()
    group = np.repeat(np.arange(len(sizes)), sizes)
    logit = np.linspace(-1.5, 0.0, len(sizes))[group] + random.normal(0, 1.6, items)
    truth = random.random(items) < 1 / (1 + np.exp(-logit))
    shift = np.linspace(-0.6, 0.6, len(sizes))[group]
    scores = [
        1 / (1 + np.exp(-(0.9 * logit + shift + random.normal(0, noise, items))))
        for noise in (0.3, 0.8)
    ]
    order = random.permutation(items)
    found = {
        "id": [f"i{place}" for place in range(items)],
        "text": "item",
        "score": scores[0][order],
        "other": scores[1][order],
        "language": [f"l{one}" for one in group[order]],
        "truth": truth[order].astype(int),
    }
    return pd.DataFrame(found)


def grouped(frame: pd.DataFrame, **arguments: object) -> lc.Population:
    """The population of such a frame, with the classifiers m and n."""
    given = {
        "id": "id", "content": "text", "scores": {"m": "score", "n": "other"},
        "thresholds": {"m": 0.5, "n": 0.5}, "groups": ("language",), **arguments,
    }  # fmt: skip
    return from_file(frame, **given)


def from_file(frame: pd.DataFrame, **arguments: object) -> lc.Population:
    """The population of a frame by its CSV, in which an item is looked up sooner."""
    folder = Path(tempfile.mkdtemp())
    frame.to_csv(folder / "items.csv", index=False)
    found = lc.read_population(folder / "items.csv", **arguments)  # type: ignore[arg-type]
    weakref.finalize(found, shutil.rmtree, folder, ignore_errors=True)
    return found


def label_all(session: lc.Session, frame: pd.DataFrame) -> None:
    """Answer all that a session asks by the truth."""
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    while (draw := session.next()) is not None:
        session.answer(draw, bool(truth[draw.item_id]))
