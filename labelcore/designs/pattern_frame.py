"""What is decided before the first label of a plan by agreement patterns: strata, and what each of
the figures asked for rests on."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from scipy.special import logit

from labelcore.designs.base import IntArray, Look, Setup, extended, frame_of, make_frame
from labelcore.designs.helped_patterns import cut_patterns, evidence_beside, notes_beside
from labelcore.designs.helpers import Evidence, HelpedFrame
from labelcore.designs.neyman_batches import Shares
from labelcore.designs.rates import Rates, looks_like_probability, part_rates, stratum_rates
from labelcore.designs.scalars import Answers
from labelcore.designs.score_frame import scores_alike
from labelcore.designs.two_ended import FORMER_MISSED, MISSED, widest_shares
from labelcore.errors import PlanError, Remedy
from labelcore.estimands import DIFFERENCE, SCALARS, Estimand, ratios
from labelcore.population.array_items import Items, MeanScore, Part, Stretch, Sureness, cut
from labelcore.stats.agreement_patterns import Patterns, agreement_patterns
from labelcore.stats.allocation import pieces_by_size
from labelcore.stats.crossed_strata import surprise, surprise_of_strata
from labelcore.stats.profile import BoolArray, FloatArray, Ratios, slopes
from labelcore.stats.strata import equal_size_edges, geometric_edges

STRATA, CLAIM_STRATA, FEWEST_STRATA = 24, 8, 2
FLOOR, OWN_SHARE = 0.1, 0.1
ACCURACY = "accuracy_difference"
DISAGREE = "The two disagree on {items:,} of the {of:,} items."
REACHED = (
    "The planned labels are expected to reach all items on which the two disagree: the difference "
    "in accuracy is exact once they have."
)
PROCESS_DISAGREEMENTS = 15
"""With fewer, how many there are varies too much from file to file for the interval to hold."""
LABELS_EACH, OF_STRATUM = 4, 5
VOTE_WEIGHT = 4.0
"""What all votes are worth on the scale of a logit, where the labels have not said anything yet."""
RARE = (
    "The classifiers agree in {patterns:,} ways, more than {labels:,} labels can tell apart: the "
    "{rare:,} rarest ({items:,} items) are asked together with the ways most like them."
)
PART_ASKED = "Items that no figure asked for rests on are not asked: {items:,} of {of:,}."


@dataclass(frozen=True, eq=False, slots=True)
class PatternFrame(HelpedFrame):
    """A frame whose strata are made of agreement patterns. Its evidence is how many classifiers
    call a stratum positive, and what helpers say, beyond what the scores suggest; its level is 1
    where any of them does.

    said      (n_classifiers, n_strata), whether each classifier of the plan calls the stratum
              positive; where rare patterns were taken in, what holds for the others
    tied      whether the tie hash may decide where a stratum ends
    """

    strata_last: ClassVar[tuple[str, ...]] = ("said",)

    said: BoolArray = field(kw_only=True)
    tied: bool = field(default=False, kw_only=True)


def settled_strata(setup: Setup) -> int:
    """How many strata the plan has: what it says, else what suits it and, where the size is no
    forecast, its labels; one for each pattern where nothing tells its items apart."""
    if setup.params.n_strata or setup.claims:
        return int(setup.params.n_strata or CLAIM_STRATA)
    alike = all(scores_alike(setup.population, str(name)) for name in setup.classifiers)
    if alike and not setup.params.helpers:
        return FEWEST_STRATA
    return STRATA if setup.foreseen else min(max(setup.planned // OF_STRATUM, 2), STRATA)


def pattern_frame(setup: Setup) -> PatternFrame:
    """Strata and draw order. Raises PlanError for what the file cannot serve.

    Helpers, and patterns that join others because labels are few, take an array of all items.
    """
    items = setup.items()
    said, sizes = ways(setup, items)
    check_disagreements(setup, said, sizes)
    patterns = agreement_patterns(said, sizes, max(setup.planned // LABELS_EACH, 1))
    others = evidence_beside(setup)
    if others is None and not patterns.rare:
        return _of_parts(setup, items, patterns)
    return _of_arrays(setup, said, patterns, others)


def _of_parts(setup: Setup, items: Items, patterns: Patterns) -> PatternFrame:
    """The frame whose strata are pieces of whole patterns."""
    whole, edges = _order(setup), _edges(patterns, settled_strata(setup))
    frame = cut_frame(setup, items, whole, patterns.said, edges)
    notes = (*frame.notes, *notes_beside(setup))
    frame = replace(frame, notes=notes, tied=_tied(items, whole, frame.stratum))
    frame = _part_asked(setup, frame, np.zeros(frame.n_strata, dtype=bool))
    said = frame.said
    if len(said) < 2:
        return frame
    if not setup.sums_exactly:
        return _with_votes(frame, _called(setup), _mean_order(setup))
    votes, level = VOTE_WEIGHT * said.mean(axis=0), np.asarray(said.any(axis=0))
    beyond = surprise_of_strata(logit(frame.rates), votes, level, frame.sizes.astype(float))
    return replace(frame, evidence=beyond[:, None], level=level.astype(float))


def cut_frame(
    setup: Setup, items: Items, whole: Stretch, said: BoolArray, edges: Sequence[IntArray]
) -> PatternFrame:
    """The frame whose strata are pieces of the items that all classifiers judge alike.

    said    (n_classifiers, n_patterns), whether each calls the pattern positive; edges: of each
            pattern, where its pieces end along ``whole``
    """
    names, positive = setup.classifiers, setup.population.classes.index(setup.population.positive)
    parts: list[Part] = []
    for codes, ends in zip(np.where(said, positive, 1 - positive).T.tolist(), edges, strict=True):
        parts += cut(items, whole, dict(zip(names, codes, strict=True)), ends)
    said = np.repeat(said, [len(ends) for ends in edges], axis=1)
    scored = scored_names(setup) or names
    rates, notes = _mean_rates([part_rates(setup, items, name, parts) for name in scored])
    base = frame_of(setup, items, parts, rates, said[0], notes)
    return extended(base, PatternFrame, said=said)


def _of_arrays(
    setup: Setup, ways_said: BoolArray, patterns: Patterns, others: Evidence | None
) -> PatternFrame:
    called = _called(setup)
    order_score = _mean_order(setup)
    order = setup.ranking(order_score)
    n_strata = settled_strata(setup)
    of_item = _pattern_of_each(called, ways_said, patterns)
    stratum, of_stratum = _strata(
        order, of_item, patterns, n_strata if others is None else n_strata // 2
    )
    if others is not None:
        anyone = np.asarray(patterns.said[:, of_stratum].any(axis=0))
        stratum, piece = cut_patterns(setup.planned, order, stratum, anyone, others)
        of_stratum = of_stratum[piece]
    said = patterns.said[:, of_stratum]
    names, n = scored_names(setup) or setup.classifiers, len(of_stratum)
    rates, notes = _mean_rates(
        [stratum_rates(setup.population, name, stratum, n) for name in names]
    )
    notes = (*notes, *_rare_words(patterns, setup.planned), *notes_beside(setup))
    base = make_frame(setup, stratum, rates, said[0], notes)
    tied = others is not None or _values_tied(order_score, stratum, order)
    helpers = () if others is None else tuple(setup.params.helpers)
    frame = extended(base, PatternFrame, said=said, tied=tied, helpers=helpers)
    frame = _part_asked(setup, frame, patterns.mixed[of_stratum])
    frame = _with_votes(frame, called, order_score) if len(called) > 1 else frame
    return frame if others is None else _with_evidence(frame, called, order_score, others.order)


def _part_asked(setup: Setup, frame: PatternFrame, mixed: BoolArray) -> PatternFrame:
    """The frame that asks only what something asked for rests on, and ``mixed`` strata."""
    asked = _asked(setup, frame) | mixed
    if asked.all():
        return frame
    left = PART_ASKED.format(items=int(frame.sizes[~asked].sum()), of=len(frame.stratum))
    return replace(frame, wanted=asked, notes=(*frame.notes, left))


def ways(setup: Setup, items: Items) -> tuple[BoolArray, IntArray]:
    """The ways in which the classifiers judge items: whether each calls it positive,
    (n_classifiers, n_ways), and how many items are judged so, (n_ways,). Raises PlanError unless
    each of them predicts one of two classes."""
    population = setup.population
    if len(population.classes) > 2:
        raise PlanError(
            "drawing by agreement pattern needs a file with two classes, this one has "
            f"{len(population.classes)}",
            "needs two classes",
        )
    silent = [name for name in setup.classifiers if name not in population.predictions]
    if silent or not setup.classifiers:
        lacks = f"{silent[0]!r} has none" if silent else "the file has no classifier"
        raise PlanError(
            "drawing by agreement pattern needs thresholds or predictions of every classifier "
            f"asked about: {lacks}",
            "needs predictions of each classifier",
        )
    joined = items.joined(setup.classifiers, [Part()])
    positive = population.classes.index(population.positive)
    sizes = np.array([int(count[0]) for count in joined.values()])
    return np.equal(np.array(list(joined)).T, positive), sizes


def _called(setup: Setup) -> BoolArray:
    """Whether each classifier calls each item positive, (n_classifiers, n_items)."""
    population = setup.population
    positive = population.classes.index(population.positive)
    return np.array([population.predictions[name] == positive for name in setup.classifiers])


def check_disagreements(setup: Setup, said: BoolArray, sizes: IntArray) -> None:
    """Raise PlanError where a difference is asked for about items like these, and the file has
    hardly an item on which the two disagree: how many there are is itself a sample."""
    names = (*setup.estimands, *setup.claims)
    if setup.target != "process" or not any(name.endswith(DIFFERENCE) for name in names):
        return
    for first, second in combinations(range(len(setup.classifiers)), 2):
        items = int(sizes[said[first] != said[second]].sum())
        if items < PROCESS_DISAGREEMENTS:
            both = f"{setup.classifiers[first]!r} and {setup.classifiers[second]!r}"
            raise PlanError(
                "a statement about items like these needs at least "
                f"{PROCESS_DISAGREEMENTS} items on which two classifiers disagree, and of {both} "
                f"this file has {items:,}",
                "two of them disagree on too few items",
                [Remedy("ask about this file", {"target": "file"})],
            )


def _order(setup: Setup) -> Stretch:
    """All items by the mean over the scores of the logit of the share of items below; in a large
    file by the mean of the scores, where these are probabilities: no share of all items has to be
    known for it. By the ties alone where there is no score."""
    scored = scored_names(setup)
    if len(scored) < 2:
        return setup.along(next(iter(scored), None))  # Its shares have the order of the score.
    likely = all(looks_like_probability(setup.population.scores[name]) for name in scored)
    by_score = likely and setup.sums_exactly
    mean = mean_score(setup) if by_score else mean_score(setup, scored, logit=True)
    return Stretch(mean, True, setup.seed)


def scored_names(setup: Setup) -> tuple[str, ...]:
    return tuple(name for name in setup.classifiers if name in setup.population.scores)


def mean_score(setup: Setup, ranked: tuple[str, ...] = (), *, logit: bool = False) -> MeanScore:
    scored, descending = scored_names(setup), setup.population.descending
    turned = tuple(name for name in scored if name in descending)
    return MeanScore(scored, turned, ranked, logit)


def _mean_order(setup: Setup) -> FloatArray:
    """The mean over the scores of the logit of the share of items below, (n_items,); zero where
    there is no score."""
    scored = scored_names(setup)
    if not scored:
        return np.zeros(len(setup.population))
    return setup.items().values(mean_score(setup, scored, logit=True))


def _edges(patterns: Patterns, n_strata: int) -> list[IntArray]:
    """Where the pieces of each pattern end along the order of its items."""
    some = np.asarray(patterns.said.any(axis=0))
    half = max(n_strata // 2, 1)
    pieces = np.full(len(some), half)
    pieces[some] = pieces_by_size(patterns.sizes[some], n_strata - half)
    return pattern_edges(patterns.said, patterns.sizes, pieces)


def pattern_edges(said: BoolArray, sizes: IntArray, pieces: IntArray) -> list[IntArray]:
    """Where so many pieces of each pattern end along the order of its items: of equal size, but
    growing where nobody calls it positive."""
    some = np.asarray(said.any(axis=0))
    cuts = [equal_size_edges if any_calls else geometric_edges for any_calls in some]
    return [
        ends(size, number)
        for ends, size, number in zip(cuts, sizes.tolist(), pieces.tolist(), strict=True)
    ]


def _pattern_of_each(called: BoolArray, said: BoolArray, patterns: Patterns) -> IntArray:
    """The pattern of each item, (n_items,); ``said`` of each way, ``called`` of each item."""
    pattern_of = np.zeros(called.shape[1], dtype=np.int64)
    for way, pattern in zip(said.T, patterns.of_way.tolist(), strict=True):
        pattern_of[(called == way[:, None]).all(axis=0)] = pattern
    return pattern_of


def _strata(
    order: IntArray, of_item: IntArray, patterns: Patterns, n_strata: int
) -> tuple[IntArray, IntArray]:
    """The stratum of each item, (n_items,), and the pattern of each stratum, (n_strata,)."""
    stratum = np.empty(len(order), dtype=np.int64)
    of_stratum: list[int] = []
    for pattern, edges in enumerate(_edges(patterns, n_strata)):
        members = order[of_item[order] == pattern]
        piece = np.searchsorted(edges, np.arange(len(members)), side="right")
        stratum[members] = piece + len(of_stratum)
        of_stratum += [pattern] * len(edges)
    return stratum, np.array(of_stratum, dtype=np.int64)


def _tied(items: Items, whole: Stretch, stratum: IntArray) -> bool:
    """Whether items of equal score lie in several strata, of which the hash of ties decides; True
    of a score that says how sure a classifier is."""
    if isinstance(whole.score, Sureness):
        return True
    return _values_tied(items.values(whole.score), stratum, items.order(whole))


def _values_tied(value: FloatArray, stratum: IntArray, order: IntArray) -> bool:
    """Whether equal values lie in several strata; ``order`` sorts the values, so that they stand
    beside each other."""
    value, stratum = value[order], stratum[order]
    return bool(((value[1:] == value[:-1]) & (stratum[1:] != stratum[:-1])).any())


def _mean_rates(several: Sequence[Rates]) -> Rates:
    notes = dict.fromkeys(note for _, notes_of_one in several for note in notes_of_one)
    return np.asarray(np.mean([rates for rates, _ in several], axis=0)), tuple(notes)


def _rare_words(patterns: Patterns, planned: int) -> tuple[str, ...]:
    if not patterns.rare:
        return ()
    ways = patterns.said.shape[1] + patterns.rare
    return (RARE.format(patterns=ways, labels=planned, rare=patterns.rare, items=patterns.items),)


def _with_votes(frame: PatternFrame, called: BoolArray, score: FloatArray) -> PatternFrame:
    """The frame with what the number of votes says beyond the scores."""
    level = frame.said.any(axis=0).astype(float)
    with_votes = _with_evidence(frame, called, score, VOTE_WEIGHT * called.mean(axis=0))
    return replace(with_votes, level=level)


def _with_evidence(
    frame: PatternFrame, called: BoolArray, score: FloatArray, says: FloatArray
) -> PatternFrame:
    """The frame with one more column of evidence: the means of what ``says`` says beyond the
    scores, (n_items,)."""
    beyond = surprise(score, says, np.asarray(called.any(axis=0)))
    mean = np.bincount(frame.stratum, beyond, minlength=frame.n_strata) / frame.sizes
    before = [] if frame.evidence is None else [frame.evidence]
    return replace(frame, evidence=np.column_stack([*before, mean]))


@dataclass(frozen=True, slots=True)
class Kind:
    """One estimand of several classifiers: ``groups`` holds the place of each of them, or both
    places of each two that are compared."""

    row: Estimand
    groups: tuple[tuple[int, ...], ...]


def asked_kinds(setup: Setup) -> list[Kind]:
    """The estimands of the plan, each of every classifier, or of every two."""
    return [_every(name, len(setup.classifiers)) for name in setup.estimands]


def claimed_kinds(setup: Setup) -> list[Kind]:
    """What the claims are about; an estimand of all where a claim names a classifier that the plan
    does not."""
    groups_of: dict[str, dict[tuple[int, ...], None]] = {}
    for name, classifiers in setup.claimed:
        known = bool(classifiers) and all(judge in setup.classifiers for judge in classifiers)
        groups = (
            (tuple(setup.classifiers.index(judge) for judge in classifiers),)
            if known
            else _every(name, len(setup.classifiers)).groups
        )
        groups_of.setdefault(name, {}).update(dict.fromkeys(groups))
    return [Kind(_row(name), tuple(groups)) for name, groups in groups_of.items()]


def _every(name: str, classifiers: int) -> Kind:
    number = 2 if name.endswith(DIFFERENCE) else 1
    return Kind(_row(name), tuple(combinations(range(classifiers), number)))


def _row(name: str) -> Estimand:
    return SCALARS[name.removesuffix(DIFFERENCE)]


def figure_slopes(
    frame: PatternFrame, rates: FloatArray, kinds: Sequence[Kind]
) -> list[FloatArray]:
    """The derivatives of the figures of each kind, (..., n_figures, n_strata) each; of a difference
    the first one's less the second one's. ``rates`` is (..., n_strata)."""
    totals = (frame.sizes * rates)[..., None, :]
    slopes_of_kinds = []
    for kind in kinds:
        each = [slopes(table, totals) for table in _tables(frame, kind.row)]
        figures = [each[a] - each[rest[0]] if rest else each[a] for a, *rest in kind.groups]
        slopes_of_kinds.append(np.concatenate(figures, axis=-2))
    return slopes_of_kinds


def slopes_of_kind(kind: Kind) -> Callable[[PatternFrame, FloatArray], FloatArray]:
    """The derivatives of the figures of one kind, (n_figures, n_strata), as ``labels_without``
    takes them."""
    return lambda frame, rates: figure_slopes(frame, rates, [kind])[0]


def _tables(frame: PatternFrame, row: Estimand) -> list[Ratios]:
    """The figure of each classifier as a ratio over the strata."""
    cells = frame.cells()
    return [ratios([row], replace(cells, predicted=said)) for said in frame.said]


def _asked(setup: Setup, frame: PatternFrame) -> BoolArray:
    """The strata on which something that is asked for or claimed rests, (n_strata,); all where that
    is nothing."""
    asked = np.zeros(frame.n_strata, dtype=bool)
    for kind in (*asked_kinds(setup), *claimed_kinds(setup)):
        tables = _tables(frame, kind.row)
        for first, *rest in kind.groups:
            if rest:
                asked |= _difference_rests_on(tables[first], tables[rest[0]])
            else:
                asked |= ((tables[first].a != 0) | (tables[first].b != 0))[0]
    return asked if asked.any() else ~asked


def _difference_rests_on(left: Ratios, right: Ratios) -> BoolArray:
    """The strata on which the difference of two ratios rests, (n_strata,)."""
    every = (left.a != 0) | (right.a != 0) | (left.b != 0) | (right.b != 0)
    if (left.b != 0).any() or (right.b != 0).any() or left.b0[0] != right.b0[0]:
        return np.asarray(every[0])
    return np.asarray((left.a != right.a)[0])


def pattern_shares(setup: Setup, frame: PatternFrame, rates: FloatArray) -> Shares:
    """Shares for the widest of all figures, and a tenth for each kind by itself; those of a plan
    that names no rule are as they were before there was one."""
    missed = MISSED if setup.params.allocation else FORMER_MISSED
    asked = figure_slopes(frame, rates, asked_kinds(setup))
    claimed = figure_slopes(frame, rates, claimed_kinds(setup))
    served, floor = np.concatenate(claimed or asked, axis=-2), float(setup.params.floor or FLOOR)
    apart = asked if claimed or len(asked) > 1 else []

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        total = labels + batch
        every = widest_shares(sizes, rates, served, total, floor, missed)
        each = [widest_shares(sizes, rates, figures, total, floor, missed) for figures in apart]
        return np.asarray((1 - OWN_SHARE * len(each)) * every + OWN_SHARE * sum(each))

    return shares


def disagreement_notes(answers: Answers[Any], look: Look) -> list[str]:
    """On how many items two classifiers disagree, and whether the expected labels reach them."""
    cells = answers.cells
    if cells.other is None:
        return []
    differ = cells.predicted != cells.other
    items, labels = cells.size[differ].sum(), cells.labelled[differ].sum()
    notes = [DISAGREE.format(items=int(items), of=int(cells.size.sum()))]
    accuracy = look.target == "file" and answers.rows[0].name == ACCURACY
    if accuracy and labels > items - 0.5:
        notes.append(REACHED)
    return notes
