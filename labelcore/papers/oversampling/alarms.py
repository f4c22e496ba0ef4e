"""The predictive interval of each wave as a rule of alarm, on the waves of a monitor.

``labelcore.papers.oversampling.monitoring`` is the rule for people; here it is simulated, all
series at once: an estimate lies outside its interval where one tail of its predictive distribution
is too small.
"""

from collections.abc import Sequence

import numpy as np
import pandas as pd

from labelcore.papers.oversampling.groups import recall_of
from labelcore.papers.oversampling.monitoring import NONE_FOUND, Wave, monitor
from labelcore.papers.oversampling.next_wave import beta_binomial
from labelcore.stats.arrays import BoolArray, FloatArray
from labelcore.stats.profile import Cells
from labelcore.words import sentences as words

EACH = "Predictive interval of each wave, {sure} (Shang et al. 2023)"
SHARED = "The same, its error shared over {waves} waves"
JEFFREYS, ROUNDING = 0.5, 1e-9
EXPECTED, UNKNOWN = "Expected", "the first wave"


def noticed(series: Cells, figure: str, planned: int, error: float) -> dict[str, BoolArray]:
    """Whether an estimate has lain outside its interval by each wave, (n_series, n_waves), by rule.

    series   (n_series, n_waves, n_cells), waves of one size
    figure   "precision" or "recall"
    planned  waves over which the second rule shares its error, and over both figures
    """
    called = series.predicted
    hits, labels = (
        np.stack([counts[..., called].sum(axis=-1), counts[..., ~called].sum(axis=-1)], axis=-1)
        for counts in (series.positive, series.labelled)
    )
    size = series.size[0, 0]
    k = float(size[called].sum() / size[~called].sum())
    tail = np.ones(hits.shape[:2])
    for wave in range(1, hits.shape[1]):
        known = hits[:, :wave].sum(axis=1), labels[:, :wave].sum(axis=1)
        tail[:, wave] = _tail(figure, k, known, hits[:, wave], labels[0, wave])
    rules = {
        EACH.format(sure=words.exact_percent(1 - error)): error,
        SHARED.format(waves=planned): error / (2 * planned),
    }
    return {
        name: np.logical_or.accumulate(tail <= alpha / 2 + ROUNDING * alpha, axis=1)
        for name, alpha in rules.items()
    }


def _tail(
    figure: str, k: float, known: tuple[FloatArray, FloatArray], hits: FloatArray,
    labels: FloatArray,
) -> FloatArray:  # fmt: skip
    """The smaller tail of the predictive distribution at an estimate, (n_series,).

    known    hits and labels so far of both groups, (n_series, 2); hits: of this wave; labels: (2,)
    """
    (above, up_to_above), (_, up_to_below) = (
        _chances(known[0][:, group], known[1][:, group], int(labels[group])) for group in (0, 1)
    )
    rows, seen = np.arange(len(hits)), hits.astype(int)
    if figure == "precision":
        at_most = up_to_above[rows, seen[:, 0] + 1]
        at_least = 1 - up_to_above[rows, seen[:, 0]]
        return np.asarray(np.minimum(at_most, at_least))
    recall = recall_of(k, hits[:, 0] / labels[0], hits[:, 1] / labels[1])
    known_here = ~np.isnan(recall)
    recall = np.where(known_here, recall, 0.5)[:, None]
    true_positives = np.arange(labels[0] + 1)[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        most = labels[1] * k * true_positives / labels[0] * (1 - recall) / recall
    most = np.where(true_positives == 0, np.where(recall > 0, -1.0, labels[1]), most)
    # So many missed and fewer give at least this recall, more and so many at most this.
    higher = np.clip(np.floor(most + ROUNDING), -1, labels[1]).astype(int)
    lower = np.clip(np.ceil(most - ROUNDING), 0, labels[1] + 1).astype(int)
    lower[:, 0] = 1  # Neither found nor missed: there is no recall.
    neither = above[:, 0] * up_to_below[:, 1]
    chance = above / (1 - neither)[:, None]
    at_least = (chance * up_to_below[rows[:, None], higher + 1]).sum(axis=1)
    at_least -= np.where(higher[:, 0] >= 0, neither / (1 - neither), 0.0)
    at_most = (chance * (1 - up_to_below[rows[:, None], lower])).sum(axis=1)
    return np.where(known_here, np.minimum(at_most, at_least), 1.0)


def _chances(hits: FloatArray, labels: FloatArray, size: int) -> tuple[FloatArray, FloatArray]:
    """The chance of each number of hits among so many further labels, (n_series, size + 1), and of
    fewer, (n_series, size + 2)."""
    chance = beta_binomial(hits + JEFFREYS, labels - hits + JEFFREYS, size)
    return chance, np.pad(np.cumsum(chance, axis=1), ((0, 0), (1, 0)))


def told(names: Sequence[str], waves: Cells, planned: int, error: float) -> pd.DataFrame:
    """What ``labelcore.monitor`` says of each wave, to be read.

    waves   (n_waves, n_cells)

    Raises ValueError with a sentence where a wave has no label in a group.
    """
    called = waves.predicted
    right, wrong = waves.positive, waves.labelled - waves.positive
    shown_waves = [
        Wave(
            name,
            *(round(counts[number, group].sum()) for group in (called, ~called)
              for counts in (right, wrong)),
            above=round(waves.size[number, called].sum()),
            below=round(waves.size[number, ~called].sum()),
        )
        for number, name in enumerate(names)
    ]  # fmt: skip
    report = monitor(shown_waves, confidence=1 - error, planned=max(planned, len(shown_waves) - 1))
    rows = []
    for row in report.to_frame().to_dict("records"):
        low, high, seen = (row[name] for name in ("expected_low", "expected_high", "observed"))
        known = not pd.isna(low)
        rows.append(
            {
                "Wave": row["wave"],
                "Figure": str(row["estimand"]).capitalize(),
                "Estimate": NONE_FOUND if pd.isna(seen) else words.percent(seen, 0),
                EXPECTED: words.range_text(low, high) if known else UNKNOWN,
                "Alarm": "alarm" if row["alarm"] else "",
            }
        )
    return pd.DataFrame([row for at in range(len(rows) - 2, -1, -2) for row in rows[at : at + 2]])
