"""A plan's strata cut once more at half of its labels, by what these say of the items' content."""

import zlib
from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit

from labelcore.designs.base import Frame, IntArray, Setup
from labelcore.designs.helpers import HelpedFrame
from labelcore.population import Population
from labelcore.population.kept import Kept, Recent
from labelcore.population.second_opinion import features_of, second_opinion
from labelcore.stats.orders import mid_rank_share, random_of
from labelcore.stats.profile import BoolArray, FloatArray
from labelcore.stats.recut import LEAST_GAIN, edges, folds, learned

ONCE, NEVER = "once", "never"
DIGITS = 9
NOTHING_LEARNED = "Nothing is learned at half: {why}."


@dataclass(frozen=True, eq=False, slots=True)
class Recut:
    """How strata were cut once more.

    edge      (n_strata,), what the model says of an item at which it is cut; NaN where it is whole
    upper     (n_items,), whether an item is in the upper part of a stratum that was cut
    evidence  (n_parts,), the mean of what the model says of the items of each part, the parts of a
              stratum side by side, the upper one first
    """

    edge: FloatArray
    upper: BoolArray
    evidence: FloatArray

    @property
    def cut(self) -> BoolArray:
        """Which strata were cut, (n_strata,)."""
        return ~np.isnan(self.edge)

    def parts(self, stratum: IntArray) -> IntArray:
        """The part of each item, (n_items,)."""
        number = 1 + self.cut
        first = np.cumsum(number) - number
        return np.asarray(first[stratum] + (self.cut[stratum] & ~self.upper))


@dataclass(frozen=True, eq=False, slots=True)
class Content:
    """What cuts are learned from.

    columns   (n_items, n_columns) each: the content of the items as numbers, and where the second
              opinion on a classifier ranks them, which says in one column most of what the words do
    hash      by which it is known, "" where there is nothing to learn from
    """

    columns: tuple[NDArray[Any], ...]
    hash: str


LEARNED_FROM = Kept(Recent[Content])


def content_of(population: Population, classifier: str) -> Content:
    """The content of the items, made once for all plans of a file about this classifier."""
    opinion, features = second_opinion(population, classifier), features_of(population, classifier)

    def learned_from() -> Content:
        rank = logit(mid_rank_share(opinion.score.astype(np.float64)))[:, None]
        digest = sha256(f"{features.hash}|{opinion.hash}".encode()).hexdigest()
        return Content((features.values, rank.astype(np.float32)), digest)

    if not opinion.columns:
        return Content((), "")
    return LEARNED_FROM.of(population).get((features.hash, opinion.hash), learned_from)


def cut_notes(setup: Setup) -> tuple[str, ...]:
    """A sentence on what no cut can be learned from, for a plan that cuts strata once more."""
    opinion = setup.population.opinions.get(str(setup.classifier))
    if getattr(setup.params, "recut", None) != ONCE or opinion is None or opinion.columns:
        return ()
    return (NOTHING_LEARNED.format(why="; ".join(opinion.notes)),)


def recut_of(
    frame: Frame,
    rates: FloatArray,
    expected: FloatArray,
    columns: Sequence[NDArray[Any]],
    seed: int,
    labels: tuple[IntArray, BoolArray],
) -> tuple[Recut | None, FloatArray, dict[str, Any]]:
    """How labels cut strata once more, None where they say nothing of the content or no cut is
    worth it; the rate of each part by the model, and the model's penalty and gain.

    rates, expected   (n_strata,), by the labels so far; the labels that each will get in all
    labels            (n_labels,) each, the labelled items and whether they are positive
    """
    stratum = frame.stratum
    fold = folds(random_of(seed, "recut"), len(stratum))
    model = learned(columns, stratum, rates, fold, *labels)
    facts = {"penalty": model.penalty, "gain": round(model.gain, DIGITS)}
    if model.gain <= LEAST_GAIN:
        return None, rates, facts
    edge = edges(model.beyond, stratum, rates, expected)
    if np.isnan(edge).all():
        return None, rates, facts
    upper = model.beyond >= edge[stratum]
    cut = Recut(edge, upper, np.zeros(0))
    part = cut.parts(stratum)
    sizes = np.bincount(part)
    mean = np.bincount(part, model.beyond) / sizes
    of_part = np.bincount(part, expit(logit(rates)[stratum] + model.beyond)) / sizes
    side = np.repeat(frame.predicted, 1 + cut.cut)
    for mask in (side, ~side):
        if mask.any():
            mean[mask] -= np.average(mean[mask], weights=sizes[mask])
    return replace(cut, evidence=mean.round(DIGITS)), of_part, facts


def recut_frame(frame: HelpedFrame, recut: Recut, drawn: int) -> HelpedFrame:
    """The frame with these parts as its strata, each nested in an old one: there all items had the
    same chance, so that its labels are a random sample of each part. The items drawn come first in
    each part, as they did in its stratum, because it is cut between two batches.

    drawn   how many items were drawn so far
    """
    part, times = recut.parts(frame.stratum), 1 + recut.cut
    queue = frame.queue[np.argsort(part[frame.queue], kind="stable")]
    sizes = np.bincount(part)
    before = [] if frame.evidence is None else [np.repeat(frame.evidence, times, axis=0)]
    return replace(
        frame,
        stratum=part,
        sizes=sizes,
        rates=np.repeat(frame.rates, times),
        predicted=np.repeat(frame.predicted, times),
        queue=queue,
        start=np.cumsum(sizes) - sizes,
        wanted=None if frame.wanted is None else np.repeat(frame.wanted, times),
        evidence=np.column_stack([*before, recut.evidence]) if before else recut.evidence,
        cut_at=drawn,
    )


def to_json(recut: Recut) -> dict[str, Any]:
    """A cut as JSON values: replay draws by them and needs no model."""
    packed = zlib.compress(np.packbits(recut.upper).tobytes(), 9)
    return {
        "edges": [None if np.isnan(edge) else float(edge) for edge in recut.edge],
        "evidence": recut.evidence.tolist(),
        "upper": b64encode(packed).decode(),
    }


def from_json(told: Mapping[str, Any], items: int) -> Recut | None:
    """The cut that an event tells of ``items`` items; None where nothing was cut. Raises ValueError
    for what is none."""
    if "upper" not in told:
        return None
    edge = np.array([np.nan if edge is None else edge for edge in told["edges"]], dtype=float)
    wanted = (items + 7) // 8
    packed = zlib.decompressobj().decompress(b64decode(told["upper"]), wanted + 1)
    bits = np.frombuffer(packed, dtype=np.uint8)
    if len(bits) != wanted:
        raise ValueError(f"it does not cut the {items:,} items of the file")
    upper = np.unpackbits(bits, count=items).astype(bool)
    return Recut(edge, upper, np.array(told["evidence"], dtype=float))
