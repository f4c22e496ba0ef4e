"""What is decided before the first label of a plan by the score of one classifier: strata, and how
much an item of each matters for what is asked."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, IntArray, Setup, drawn_anew, frame_of, make_frame
from labelcore.designs.helpers import (
    Evidence,
    HelpedFrame,
    check_helpers,
    evidence_of,
    helped,
    helper_notes,
    then_by,
)
from labelcore.designs.neyman_batches import Shares, neyman_shares
from labelcore.designs.rates import part_rates, stratum_rates
from labelcore.designs.recut import cut_notes
from labelcore.designs.two_ended import joint_shares
from labelcore.errors import PlanError
from labelcore.estimands import SCALARS, known_group, ratios
from labelcore.population import Population
from labelcore.population.array_items import Items, Mark, Part, cut
from labelcore.population.kept import Kept, Recent
from labelcore.stats.allocation import pieces_by_size
from labelcore.stats.crossed_strata import CUT_ABOVE, CUT_BELOW, PARTS, crossed
from labelcore.stats.orders import BLOCK, random_of
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, FloatArray
from labelcore.stats.strata import equal_size_edges, geometric_edges

STRATA, LABELS_EACH, FLOOR = (6, 12), 5, 0.1
MOST_PIECES = 100
FEW_STRATA, LABELS_OF_MORE = 12, 12
CLAIM_STRATA, CLAIM_FLOOR = (1, 4), 0.5
PART_ASKED = (
    "Only items that the classifier calls {name!r} are asked: the figure does not rest on the "
    "others. Ask for more figures to learn about them."
)
TWO_ENDED, NEYMAN, NEYMAN_FLOOR = "two_ended", "neyman", 0.2
BY_SCORE = Kept(Recent[HelpedFrame])
TIES_CUT, ALIKE = Kept(Recent[bool]), Kept(Recent[bool])


def chosen_pieces(setup: Setup) -> dict[str, int]:
    """Parameters of a new plan that the usual strata do not suit (docs/default_allocation.md): one
    for each prediction whose items the score does not tell apart, and no more than there are labels
    for, where their number is no forecast of two classes. Each costs the variance a label's worth,
    which shows where scores say little."""
    several = len(setup.population.classes) > 2
    number = max(setup.planned // LABELS_EACH, 2)
    if not several:
        number = min(number, max(setup.planned // LABELS_OF_MORE, FEW_STRATA))
    counted = not setup.foreseen and _rests_on_all(setup)
    few = number < sum(STRATA) and (several or counted)
    if (alike := pieces_alike(setup)) or not few or not _free(setup):
        return alike
    above = 1 if several else max(round(number / 3), 1)
    return {"n_above": above, "n_below": number - above}


def pieces_alike(setup: Setup) -> dict[str, int]:
    """The parameters of one stratum for each prediction, where the score tells none of its items
    apart: cut by chance their rates would only be known worse."""
    if not _free(setup) or not scores_alike(setup.population, str(setup.classifier)):
        return {}
    several, calls = len(setup.population.classes) > 2, len(_sizes(setup, setup.items()))
    below = min(max(calls - 1, 1), MOST_PIECES) if several else 1
    return {"n_above": 1, "n_below": below}


def _free(setup: Setup) -> bool:
    """Whether the strata are neither named nor those of claims."""
    return not (setup.params.n_above or setup.params.n_below or setup.claims)


def scores_alike(population: Population, classifier: str) -> bool:
    """Whether all items with the same prediction have the same score, or none has one."""
    return ALIKE.of(population).get(classifier, lambda: _alike(population, classifier))


def _alike(population: Population, classifier: str) -> bool:
    score, side = population.scores.get(classifier), population.predictions.get(classifier)
    if score is None:
        return True
    lowest, highest = np.full((2, len(population.classes)), [[np.inf], [-np.inf]])
    for first in range(0, len(score), BLOCK):
        part = slice(first, first + BLOCK)
        mine = np.zeros(len(score[part]), dtype=np.int64) if side is None else side[part]
        np.minimum.at(lowest, mine, score[part])
        np.maximum.at(highest, mine, score[part])
        if (lowest < highest).any():
            return False
    return True


def _rests_on_all(setup: Setup) -> bool:
    """Whether single figures are asked for, and one of them at least rests on all items."""
    groups = [row.group for name in setup.estimands if (row := SCALARS.get(name))]
    return len(groups) == len(setup.estimands) and any(
        group not in ("predicted", "unpredicted") for group in groups
    )


def score_frame(setup: Setup) -> HelpedFrame:
    """Strata and draw order. Raises PlanError for a file without a classifier."""
    if setup.classifier is None:
        raise PlanError(
            "recalibrated_neyman needs a classifier with scores or predictions; this file has none",
            "needs a score or predictions",
        )
    check_helpers(setup)
    others, params = evidence_of(setup), setup.params
    strata = params.n_above, params.n_below, bool(setup.claims)
    key = setup.classifier, others and params.helpers, strata, setup.edges
    frame = setup.shared(BY_SCORE, key, lambda: _by_score(setup, others))
    return _part_asked(
        setup, replace(frame, notes=(*frame.notes, *helper_notes(setup), *cut_notes(setup)))
    )


def score_frame_redrawn(setup: Setup, frame: HelpedFrame) -> HelpedFrame | None:
    if frame.evidence is None:
        return drawn_anew(setup, _ties_anew(setup, frame))
    if _ties_cut(setup, frame):
        return None
    order = setup.file_order("draw")
    return replace(frame, queue=order[np.argsort(frame.stratum[order], kind="stable")])


def _by_score(setup: Setup, others: Evidence | None) -> HelpedFrame:
    """The frame whatever figures are asked for, without what is said of helpers."""
    classifier = str(setup.classifier)
    if others is None:
        items = setup.items()
        parts, predicted, known = _parts(setup, items, classifier)
        rates, notes = part_rates(setup, items, classifier, parts)
        frame = frame_of(setup, items, parts, rates, predicted, notes)
    else:
        stratum, predicted, known = _strata_with_helpers(setup, classifier, others)
        rates, notes = stratum_rates(setup.population, classifier, stratum, len(predicted))
        frame = make_frame(setup, stratum, rates, predicted, notes)
    return helped(setup, replace(frame, known_as=known), others)


def _parts(
    setup: Setup, items: Items, classifier: str
) -> tuple[list[Part], BoolArray, IntArray | None]:
    """The strata by the score alone, whether each of them is predicted positive and what it is
    known as, (n_strata,); ties go by the tie hash."""
    if setup.edges is not None:
        return _kept_parts(setup, items, classifier)
    whole, names = setup.along(classifier), _calling(setup)
    parts: list[Part] = []
    predicted: list[bool] = []
    for codes, edges, above in _edges(setup, _sizes(setup, items)):
        parts += cut(items, whole, dict(zip(names, codes, strict=True)), edges)
        predicted += [above] * len(edges)
    return parts, np.array(predicted), None


def _kept_parts(
    setup: Setup, items: Items, classifier: str
) -> tuple[list[Part], BoolArray, IntArray]:
    """``_parts`` that end where those of another file did, as far as they hold items."""
    population, whole, names = setup.population, setup.along(classifier), _calling(setup)
    kept = (setup.edges or {}).get("", {})
    classes = sorted(kept, key=lambda name: (name != population.positive, name))
    if {*kept} != ({*population.classes} if names else {""}):
        raise PlanError("edges must be of the classes, and of the groups, that the file has")
    several = len(population.classes) > 2
    parts: list[Part] = []
    predicted: list[bool] = []
    for name in classes:
        codes = {classifier: population.classes.index(name)} if names else {}
        pieces = whole.pieces([Mark(float(score), str(tie)) for score, tie in kept[name]])
        parts += [Part(codes, (piece,)) for piece in pieces] if len(pieces) > 1 else [Part(codes)]
        above = bool(names) and (several or name == population.positive)
        predicted += [above] * len(pieces)
    there = np.flatnonzero(items.counts(parts))
    return [parts[place] for place in there], np.array(predicted)[there], there


def score_edges(setup: Setup) -> dict[str, list[list[Any]]]:
    """``Setup.edges`` of one group: where the strata of this file end."""
    items, whole, names = setup.items(), setup.along(setup.classifier), _calling(setup)
    classes = setup.population.classes
    ends: dict[str, list[list[Any]]] = {name: [] for name in (classes if names else [""])}
    for codes, edges, _ in _edges(setup, _sizes(setup, items)):
        marks = items.at_ranks(whole, dict(zip(names, codes, strict=True)), edges[:-1].tolist())
        ends[classes[codes[0]] if names else ""] = [[mark.score, mark.tie] for mark in marks]
    return ends


def _calling(setup: Setup) -> list[str]:
    """The classifier, where it has predictions."""
    there = setup.classifier in setup.population.predictions
    return [str(setup.classifier)] if there else []


def _sizes(setup: Setup, items: Items) -> dict[tuple[int, ...], int]:
    """How many items have each prediction that there is."""
    counts = items.joined(_calling(setup), [Part()])
    return {codes: int(count[0]) for codes, count in counts.items()}


def _edges(
    setup: Setup, sizes: Mapping[tuple[int, ...], int]
) -> Iterator[tuple[tuple[int, ...], IntArray, bool]]:
    """For each prediction that there is, the positive one first: its code, () without predictions;
    the ranks within it at which strata end; whether these are predicted positive.

    sizes   code -> items
    """
    population, params = setup.population, setup.params
    usual = CLAIM_STRATA if setup.claims else STRATA
    n_above, n_below = params.n_above or usual[0], params.n_below or usual[1]
    positive = (population.classes.index(population.positive),)
    present = sorted(sizes, key=lambda codes: (codes != positive, codes))
    several = len(population.classes) > 2 and () not in sizes
    pieces = pieces_by_size(np.array([sizes[codes] for codes in present]), n_above + n_below)
    for codes, number in zip(present, pieces, strict=True):
        above = codes == positive or several
        if several:
            edges = equal_size_edges(sizes[codes], number)
        elif above:
            edges = equal_size_edges(sizes[codes], n_above)
        else:
            edges = geometric_edges(sizes[codes], n_below)
        yield codes, edges, above


def _strata_with_helpers(
    setup: Setup, classifier: str, others: Evidence
) -> tuple[IntArray, BoolArray, IntArray | None]:
    """The stratum of each item, whether each stratum is predicted positive and what it is known as;
    ties in the score go by what the others say, then by the tie hash."""
    population, n = setup.population, len(setup.population)
    score = population.ordering_score(classifier)
    order = setup.ranking(np.zeros(n) if score is None else score)
    order = then_by(order, score, others.order)
    side, items = population.predictions.get(classifier), setup.items()
    stratum, known = np.zeros(n, dtype=np.int64), None
    if setup.edges is not None:
        parts, above, known = _kept_parts(setup, items, classifier)
        stratum[:] = items.strata(parts)
    else:
        predicted: list[bool] = []
        for codes, edges, called in _edges(setup, _sizes(setup, items)):
            members = order if side is None else order[side[order] == codes[0]]
            piece = np.searchsorted(edges, np.arange(len(members)), side="right")
            stratum[members] = piece + len(predicted)
            predicted += [called] * len(edges)
        above = np.array(predicted)
    says = others.says_so(above[stratum])
    shares = np.where(above, CUT_ABOVE, CUT_BELOW)
    stratum, piece = crossed(order, stratum, says, others.order, shares)
    if known is not None:  # Each piece is crossed anew: its parts are known by their order.
        known = PARTS * known[piece] + np.arange(len(piece)) - np.searchsorted(piece, piece)
    return stratum, above[piece], known


def _ties_anew(setup: Setup, frame: HelpedFrame) -> HelpedFrame:
    """The frame with the items of equal score shared out anew over the strata that they lie in;
    the sizes and rates of these are what they were."""
    population = setup.population
    score = population.ordering_score(str(setup.classifier))
    side = population.predictions.get(str(setup.classifier))
    score = np.zeros(len(population)) if score is None else score
    cut = _scores_cut(frame, score)
    if not len(cut):
        return frame
    random, stratum = random_of(setup.seed, "tie"), frame.stratum.copy()
    sampled = stratum != NOT_SAMPLED
    for value in cut:
        tied = np.flatnonzero((score == value) & sampled)
        for code in (None,) if side is None else np.unique(side[tied]):
            items = tied if side is None else tied[side[tied] == code]
            stratum[items] = random.permutation(stratum[items])
    queue = frame.queue[np.argsort(stratum[frame.queue].astype(np.int16), kind="stable")]
    return replace(frame, stratum=stratum, queue=queue)


def _ties_cut(setup: Setup, frame: HelpedFrame) -> bool:
    """Whether items lie in different strata though nothing but the tie hash tells them apart:
    neither score nor prediction, nor what the helpers say."""
    population, classifier = setup.population, str(setup.classifier)

    def ties_are_cut() -> bool:
        others = evidence_of(setup)
        assert others is not None
        keys = (population.ordering_score(classifier), population.predictions.get(classifier))
        alike = [others.order, *(key for key in keys if key is not None)]
        order = np.lexsort((frame.stratum, *alike))
        same = np.logical_and.reduce([key[order[1:]] == key[order[:-1]] for key in alike])
        return bool((same & (np.diff(frame.stratum[order]) != 0)).any())

    params = setup.params
    key = classifier, params.helpers, params.n_above, params.n_below, frame.n_strata
    return TIES_CUT.of(population).get(key, ties_are_cut)


def _scores_cut(frame: Frame, score: FloatArray) -> FloatArray:
    """The scores that strata next to each other share, each once."""
    there = frame.sizes > 0
    of_queue, start = score[frame.queue], frame.start[there]
    highest = np.maximum.reduceat(of_queue, start)
    lowest = np.minimum.reduceat(of_queue, start)
    return np.unique(lowest[:-1][lowest[:-1] == highest[1:]])


def _part_asked(setup: Setup, frame: HelpedFrame) -> HelpedFrame:
    """The frame that asks only what the one figure asked for rests on, where that is a part."""
    focus, population = _focus(setup, frame), setup.population
    alone = (focus,) == setup.estimands and setup.versus is None and not setup.claims
    if not alone or setup.params.allocation != TWO_ENDED or len(population.classes) > 2:
        return frame
    group = known_group(SCALARS[focus], frame.cells())
    if group is None or group.all() or not group.any():
        return frame
    other = next(name for name in population.classes if name != population.positive)
    called = population.positive if frame.predicted[group].all() else other
    return replace(frame, wanted=group, notes=(*frame.notes, PART_ASKED.format(name=called)))


def score_shares(setup: Setup, frame: Frame, rates: FloatArray) -> Shares:
    """The rule of the plan; one that was frozen before there was a choice has Neyman's."""
    params = setup.params
    if params.allocation != TWO_ENDED:
        floor = params.floor or (CLAIM_FLOOR if setup.claims else NEYMAN_FLOOR)
        return neyman_shares(rates, stratum_costs(setup, frame, rates), floor, setup.planned)
    gradients = _gradients(setup, frame, rates)

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        total, floor = labels + batch, params.floor or FLOOR
        return joint_shares(sizes, rates, frame.predicted, gradients, total, floor)

    return shares


def _gradients(setup: Setup, frame: Frame, rates: FloatArray) -> FloatArray:
    """One row for each figure that the labels are shared over, (..., n_figures, n_strata)."""
    focus = _focus(setup, frame)
    several = len(setup.population.classes) > 2
    if several or focus != "precision_recall" or not frame.predicted.any():
        return stratum_costs(setup, frame, rates)[..., None, :]
    return _slopes(frame, rates, ["precision", "recall"])


def _slopes(frame: Frame, rates: FloatArray, names: list[str]) -> FloatArray:
    """Derivatives of each figure up to a factor, (..., n_figures, n_strata); NaN where the file has
    no item that the figure is about."""
    cells = frame.cells()
    table = ratios([SCALARS[name] for name in names], cells)
    return table.gradient(table.value((frame.sizes * rates)[..., None, :]))


def stratum_costs(setup: Setup, frame: Frame, rates: FloatArray) -> FloatArray:
    """c_k: how much an uncertain item of each stratum matters for the focus, (n_strata,); all alike
    where the file has no item that the focus is about."""
    focus = _focus(setup, frame)
    if len(setup.population.classes) > 2:
        return _class_costs(setup, frame, focus)
    if focus == "precision_recall" and not frame.predicted.any():
        focus = "prevalence"
    totals = frame.sizes * rates
    predicted = frame.predicted
    if focus != "precision_recall":
        slope = _slopes(frame, rates, [focus])[..., 0, :]
        return np.where(np.isnan(slope).any(axis=-1, keepdims=True), 1.0, np.abs(slope))
    true_positive, positive = totals[predicted].sum(), totals.sum()
    recall = true_positive / positive
    above = ((1 - recall) / positive) ** 2 + 1 / frame.sizes[predicted].sum() ** 2
    return np.asarray(np.sqrt(np.where(predicted, above, (recall / positive) ** 2)))


def _class_costs(setup: Setup, frame: Frame, focus: str) -> FloatArray:
    """c_k with several classes, (n_strata,): sqrt(N / N_g) where the class has figures of its own,
    1 where it only matters to the accuracy and to those of others."""
    side = setup.population.predictions.get(str(setup.classifier))
    if focus == "accuracy" or side is None:
        return np.ones(frame.n_strata)
    class_of = side[frame.queue[frame.start]]
    costs = np.sqrt(len(side) / np.bincount(side)[class_of])
    if setup.classes is None:
        return np.asarray(costs)
    named = [setup.population.classes.index(name) for name in setup.classes]
    return np.where(np.isin(class_of, named), costs, 1.0)


def _focus(setup: Setup, frame: Frame) -> str:
    """What the labels serve: what the plan names; else the one figure of one classifier that is
    asked for, else precision and recall. A plan of before there was a choice of allocation keeps to
    the latter unless accuracy or prevalence is all it asks for."""
    if setup.params.focus:
        return str(setup.params.focus)
    scalars = [name for name in setup.estimands if name in SCALARS]
    if len(setup.population.classes) > 2:
        return "accuracy" if scalars == ["accuracy"] else "precision_recall"
    if not frame.predicted.any():
        return "prevalence"
    alone = len(setup.estimands) == 1 and setup.versus is None
    if alone and scalars and setup.params.allocation == TWO_ENDED:
        return scalars[0]
    return scalars[0] if scalars in (["accuracy"], ["prevalence"]) else "precision_recall"
