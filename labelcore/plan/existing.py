"""Labels that were there before the project: what they are taken for, and how they enter.

"random"     a plain random sample of the file. Within any strata that were cut without looking at
             its labels it is, given its counts, a plain random sample of each stratum, so that new
             labels go on from there: its items come first in each stratum's queue.
"certainty"  known items, however they were chosen: a certainty stratum. They are counted as they
             are and never taken for a sample; strata are cut of the rest, and the rest is sampled.
"ignored"    they are not used.

Existing labels are part of the file, as the fingerprint is, and never events of the log.

Source: Cochran (1977), section 5A.9, stratification after selection, and chapter 5: a stratum that
is taken whole adds no variance.
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import chdtrc

from labelcore.designs.base import Design, FrameT, IntArray, Setup
from labelcore.designs.helpers import like_known_answers
from labelcore.designs.sure_scores import turned_words
from labelcore.errors import NotRandomError, PlanArgumentError, PlanError
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.population.kept import Kept, Recent
from labelcore.stats.orders import hash_keys, ranking

RANDOM, CERTAINTY = "random", "certainty"
GROUPS, LEAST_EXPECTED = 10, 5
REFUSED_BELOW = 1e-4
TENTHS = (
    "top",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "lowest",
)
FRAMES = Kept(Recent[Any])
OTHERWISE = (
    "take them as known items (existing = 'certainty'), which is right however they were chosen"
)


@dataclass(frozen=True, eq=False, slots=True)
class Existing:
    """The labels that a plan uses, and how.

    use         "random", "certainty", or "" where none are used
    positions   (n_existing,), their items, in file order; codes: (n_existing,), their classes
    """

    use: str
    positions: IntArray
    codes: IntArray


def existing_labels(population: Population, plan: Plan, classifier: str | None) -> Existing:
    """The labels of the file that the plan uses; the check of a random sample follows the scores of
    ``classifier``.

    Raises PlanError where the plan does not say how they came about, where it speaks of labels that
    the file lacks, and where labels that are called a random sample do not look like one.
    """
    known = population.known
    column = population.arguments.get("known")
    positions = np.flatnonzero(known >= 0) if known is not None else np.zeros(0, dtype=np.int64)
    if known is None and plan.existing is not None:
        raise PlanArgumentError(
            "existing",
            "speaks of labels, and the file was read without a column of known answers: name one "
            "with known",
            given=plan.existing,
        )
    if len(positions) and plan.existing is None:
        raise PlanArgumentError(
            "existing",
            f"must say how the {len(positions):,} known answers of column {column!r} came "
            "about, 'random' (a plain random sample of the file), 'certainty' (any other "
            "way) or 'ignored'",
        )
    if known is None or plan.existing in (None, "ignored"):
        return Existing("", positions[:0], positions[:0])
    if not len(positions):
        raise PlanArgumentError(
            "existing",
            f"speaks of labels, but column {column!r} holds no answer",
            given=plan.existing,
        )
    if len(positions) == len(population):
        raise PlanError(
            f"column {column!r} holds the answer of every item: nothing is left to label"
        )
    if plan.existing == RANDOM:
        check_random(population, classifier, positions)
    return Existing(str(plan.existing), positions, known[positions].astype(np.int64))


def check_random(population: Population, classifier: str | None, positions: IntArray) -> None:
    """Raise NotRandomError where the items at ``positions`` are spread over the scores as hardly
    any plain random sample is.

    Pearson's chi-square test of their counts in up to ten groups of equal size by score (by
    prediction without scores), each expected to hold five, with the finite-population factor:
    refused at p < 1e-4, so that about one in ten thousand true samples is refused by chance (by
    prediction, with few labels of one side, up to two in a thousand). Passing proves nothing:
    labels may be chosen by other things than the score.

    Source: Pearson (1900); Cochran (1954) for the least expected counts.
    """
    group, names = _groups(population, classifier, len(positions))
    if len(names) < 2:
        return
    if spread_p_value(group, positions) >= REFUSED_BELOW:
        return
    whole, counts = np.bincount(group), np.bincount(group[positions], minlength=len(names))
    items, labels = int(whole.sum()), len(positions)
    expected = whole * labels / items
    excess = counts - expected
    worst = int(np.argmax(np.abs(excess) / np.sqrt(expected)))
    raise NotRandomError(
        f"existing = 'random', but the {labels:,} labels are not spread like a random sample: "
        f"{share_words(counts[worst] / labels)} of them {names[worst]}, where "
        f"{share_words(whole[worst] / items)} of the file lies. If they were chosen by the score, "
        f"by a person or group by group, {OTHERWISE}",
        labels=labels,
        found=counts[worst] / labels,
        place=names[worst],
        expected=whole[worst] / items,
    )


def spread_p_value(group: IntArray, positions: IntArray) -> float:
    """The chance that a plain random sample is spread over the groups as unevenly as the items at
    ``positions``, by Pearson's chi-square with the finite-population factor; ``group`` is
    (n_items,), 0, 1, ..., none of them empty."""
    whole = np.bincount(group)
    counts = np.bincount(group[positions], minlength=len(whole))
    expected = whole * len(positions) / len(group)
    statistic = ((counts - expected) ** 2 / expected).sum() / (1 - len(positions) / len(group))
    return float(chdtrc(len(whole) - 1, statistic))


def _groups(
    population: Population, classifier: str | None, labels: int
) -> tuple[IntArray, list[str]]:
    """The group of each item, (n_items,), and where the items of each group lie, in words."""
    items = len(population)
    score = None if classifier is None else population.ordering_score(classifier)
    side = None if classifier is None else population.predictions.get(classifier)
    if score is not None:
        number = min(GROUPS, labels // LEAST_EXPECTED)
        order = ranking(score, lambda tied: hash_keys(0, "tie", population.ids_at(tied)))
        group = np.zeros(items, dtype=np.int64)
        group[order] = np.arange(items) * number // items
        if number == GROUPS:
            return group, [f"lie in the {name} tenth of the scores" for name in TENTHS]
        places = (f"lie in part {k + 1} of {number} of the scores" for k in range(number))
        return group, [f"{place}, highest first" for place in places]
    if side is not None:
        present, group = np.unique(side, return_inverse=True)
        enough = np.bincount(group).min() * labels >= LEAST_EXPECTED * items
        called = [f"are called {population.classes[code]!r}" for code in present]
        return group.astype(np.int64), called if enough else []
    return np.zeros(items, dtype=np.int64), []


def share_words(share: float) -> str:
    """
    >>> share_words(0.618), share_words(0.004)
    ('62 %', '0.4 %')
    """
    return f"{100 * share:.0f} %" if share >= 0.01 else f"{100 * share:.1f} %"


def prepared(design: Design[FrameT], setup: Setup, existing: Existing) -> FrameT:
    """The design's frame with the existing labels in their place, what was done to scores, and
    which helper says what the known answers say: a plan, its forecasts and its session share it.
    """
    file = setup.population

    def with_notes() -> FrameT:
        frame = _with_existing(design, setup, existing)
        alike = like_known_answers(file, setup.classifier)
        return replace(frame, notes=(*turned_words(file), *frame.notes, *alike))

    prepared_frame: FrameT = setup.shared(FRAMES, _wanted(design, setup, existing), with_notes)
    return prepared_frame


def remember(design: Design[Any], setup: Setup, existing: Existing, frame: Any) -> None:
    """Share a frame that is there already."""
    setup.shared(FRAMES, _wanted(design, setup, existing), lambda: frame)


def _wanted(design: Design[Any], setup: Setup, existing: Existing) -> tuple[Any, ...]:
    follows_from = setup.without_file
    if design.size_from_params:
        del follows_from["planned"]
    return design, follows_from, existing.use


def _with_existing(design: Design[FrameT], setup: Setup, existing: Existing) -> FrameT:
    if existing.use == RANDOM:
        return _sample_first(design.prepare(setup), existing.positions)
    if existing.use == CERTAINTY:
        return design.known_apart(setup, existing.positions)
    return design.prepare(setup)


def _sample_first(frame: FrameT, positions: IntArray) -> FrameT:
    """The same strata, the items of the sample first in each queue and counted as drawn."""
    later = np.ones(len(frame.stratum), dtype=bool)
    later[positions] = False
    queue = frame.queue[np.lexsort((later[frame.queue], frame.stratum[frame.queue]))]
    given = np.bincount(frame.stratum[positions], minlength=frame.n_strata)
    given = np.where(frame.asked, given, 0)
    return replace(frame, queue=queue, given=given)
