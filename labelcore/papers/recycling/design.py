"""Recycled samples: the precisions and recalls of several classifiers that call much alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    NO_ANSWER,
    DesignParams,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    Work,
    drawn_anew,
    extended,
    make_frame,
    parameter,
)
from labelcore.designs.curves import APPROXIMATE
from labelcore.designs.one_group import WILSON
from labelcore.designs.profile_figures import g_profile
from labelcore.designs.rates import stratum_rates
from labelcore.designs.samples import Samples, SharesDraws
from labelcore.designs.scalars import FIRST_FIGURE, Answers, EstimatesScalars, Figures
from labelcore.errors import ParameterError, PlanArgumentError, PlanError
from labelcore.estimands import Estimand, ratios, sampled_file
from labelcore.papers.recycling.parts import Parts, precision_parts, recall_parts, samples_of
from labelcore.papers.recycling.samples import (
    OPTIONS,
    Recycled,
    level_share,
    recycle_all,
    suggest_parent,
)
from labelcore.papers.recycling.savings import mean_savings
from labelcore.population import Population
from labelcore.promises import Form, Method, Promise
from labelcore.stats.allocation import largest_remainder
from labelcore.stats.orders import hash_order, random_of
from labelcore.stats.profile import BoolArray, Cells, FloatArray, variance_shares
from labelcore.stats.proportion import wald
from labelcore.stats.strata import geometric_edges

N_BELOW = 12
DRAWS = 1068
"""Draws for each classifier where neither they nor a margin or a budget are given."""
DISJOINT = "{child} and {above} call no item alike: nothing can be recycled between them."
NO_NEGATIVES = "{parent} calls every item {positive!r}: its recall is 1 whatever the labels."
FEW_NEGATIVES = (
    "Recall may lean upwards with labels for {number} of the items that {parent} calls negative: "
    "take {enough} or more."
)
NEEDS_PARENT = "needs a parent classifier and others below it"
REPEATS = (
    "Option sample repeats elements: its intervals are too narrow and carry no promise. Option "
    "shuffle does not have this fault."
)


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class RecyclingFrame(Frame):
    """A frame whose draws are decided before the first label.

    names, under   the classifiers, the parent first, and the place of the one that each stands
                   under, -1 for the parent
    called     (n_classifiers, n_items), whether each calls each item positive
    order      (n_items,), all items in an order given by the seed
    samples    S_P and every S_C, draws with replacement
    negatives  the parent's predicted negatives that are asked for recall, each once
    precision, recall   for each classifier the parts of the file that its figures are made of
    sequence   (most,), the distinct items in the order asked; draws: (most + 1,), how many draws
               the first items of it stand for
    """

    names: tuple[str, ...]
    under: tuple[int, ...]
    called: BoolArray
    order: IntArray
    samples: tuple[Recycled, ...]
    negatives: IntArray
    precision: tuple[Parts, ...]
    recall: tuple[Parts, ...]
    sequence: IntArray
    draws: IntArray


def drawn(setup: Setup, frame: RecyclingFrame) -> RecyclingFrame:
    """The frame with samples of the size that ``setup`` has, whatever it held before."""
    called, under, size = frame.called, frame.under, draws_of(setup.params)
    keys = setup.orders.of_items(setup.seed, "recycle", 1, lambda: [""])
    random = np.random.default_rng(keys[0].tolist())
    samples = recycle_all(called, under, frame.order, size, setup.params.option, random)
    negatives = _negatives(setup, frame)
    sequence, draws = _sequence(setup, samples, negatives)
    return replace(
        frame,
        samples=tuple(samples),
        negatives=negatives,
        precision=precision_parts(called, under, samples),
        recall=recall_parts(called, under, samples, frame.stratum, negatives),
        sequence=sequence,
        draws=draws,
    )


def draws_of(params: Any) -> int:
    return DRAWS if params.sample_size is None else int(params.sample_size)


def classifiers_of(params: Any) -> tuple[str, ...]:
    """The classifiers that the parameters name, the parent first."""
    return (params.parent, *params.children)


def places(params: Any) -> tuple[int, ...]:
    """The place of the classifier that each one stands under, -1 for the parent."""
    above = params.under or (params.parent,) * len(params.children)
    if len(above) != len(params.children):
        raise ParameterError(
            "under",
            f"must name one classifier for each of the {len(params.children)} children, "
            f"got {len(above)}",
        )
    places_above = [-1]
    for place, (child, name) in enumerate(zip(params.children, above, strict=True)):
        known = (params.parent, *params.children[:place])
        if name not in known:
            raise ParameterError(
                "under",
                f"must name, for {child!r}, the parent or a child before it ({', '.join(known)}), "
                f"got {name!r}",
            )
        places_above.append(known.index(name))
    return tuple(places_above)


def _called(setup: Setup, names: Sequence[str]) -> BoolArray:
    """Whether each classifier calls each item positive, (n_classifiers, n_items)."""
    population, parent = setup.population, names[0]
    if len(population.classes) != 2:
        raise PlanError(
            f"design 'recycling' needs two classes; the file has {len(population.classes)}",
            "needs two classes",
        )
    positive = population.classes.index(population.positive)
    called = np.zeros((len(names), len(population)), dtype=bool)
    for place, name in enumerate(names):
        argument = "children" if place else "parent"
        if name not in population.predictions:
            raise ParameterError(
                argument,
                f"names {name!r}, which has no predictions in the file; those that have are "
                f"{', '.join(population.predictions) or 'none'}",
                short="needs predictions of each classifier",
            )
        called[place] = population.predictions[name] == positive
        if not called[place].any():
            raise ParameterError(
                argument,
                f"must name classifiers that call at least one item {population.positive!r}; "
                f"{name!r} calls none",
            )
    if setup.classifier not in (None, parent):
        raise PlanArgumentError(
            "classifier", f"must begin with the parent {parent!r}", got=setup.classifier
        )
    return called


def _strata(setup: Setup, called: BoolArray) -> IntArray:
    """0 for what the parent calls positive; from 1 on its negatives, those that most children call
    positive first, then by score, in pieces that grow geometrically, (n_items,)."""
    population = setup.population
    scores = [population.ordering_score(name) for name in classifiers_of(setup.params)]
    score = next((score for score in scores if score is not None), np.zeros(len(population)))
    order = setup.ranking(score)
    order = order[np.argsort(-called[1:].sum(axis=0)[order], kind="stable")]
    order = order[~called[0][order]]
    edges = geometric_edges(len(order), N_BELOW)
    stratum = np.zeros(len(population), dtype=np.int64)
    stratum[order] = 1 + np.searchsorted(edges, np.arange(len(order)), side="right")
    return stratum


def _negatives(setup: Setup, frame: Frame) -> IntArray:
    """The sample of the parent's predicted negatives, each item once."""
    if "recall" not in setup.estimands or frame.n_strata < 2:
        return np.zeros(0, dtype=np.int64)
    wanted = setup.params.negatives or draws_of(setup.params)
    counts = largest_remainder(np.sqrt(frame.sizes[1:]), wanted, frame.sizes[1:])
    pieces = zip(frame.start[1:], counts, strict=True)
    return np.concatenate([frame.queue[first : first + take] for first, take in pieces])


def _sequence(
    setup: Setup, samples: Sequence[Recycled], negatives: IntArray
) -> tuple[IntArray, IntArray]:
    """The distinct items in the order asked, and how many draws the first ones stand for."""
    drawn = np.concatenate([*(sample.items for sample in samples), negatives])
    items, number = np.unique(drawn, return_counts=True)
    order = hash_order(setup.item_keys("batch 1", items))
    return items[order], np.concatenate([[0], np.cumsum(number[order])]).astype(np.int64)


def _notes(
    setup: Setup, names: Sequence[str], under: Sequence[int], called: BoolArray, below: IntArray
) -> tuple[str, ...]:
    """``below``: the items of each stratum of the parent's negatives, (n_strata - 1,)."""
    notes = [
        DISJOINT.format(child=child, above=names[above])
        for child, above, mine in zip(names, under, called, strict=True)
        if above >= 0 and not (mine & called[above]).any()
    ]
    if "recall" in setup.estimands and called[0].all():
        notes.append(NO_NEGATIVES.format(parent=names[0], positive=setup.population.positive))
    labels, enough = setup.params.negatives or draws_of(setup.params), np.minimum(below, 2).sum()
    if "recall" in setup.estimands and labels < enough:
        notes.append(FEW_NEGATIVES.format(number=labels, parent=names[0], enough=enough))
    if setup.params.option == "sample":
        notes.append(REPEATS)
    return tuple(notes)


SOURCE = "Tripathi et al. (2020), algorithms 1 and 2"
LEVELS = Method("G-profile interval over the recycled and the new items", SOURCE, Form.APPROXIMATE)
PRINTED = Method("share of the draws with Wald's interval, as printed", f"{SOURCE}, lemma 1")
RECALL = Method(
    "G-profile interval over the sets of parent and child",
    "Tripathi et al. (2020), section 6",
    Form.APPROXIMATE,
)


MOST_DRAWS = 1_000_000


class Recycling(EstimatesScalars[RecyclingFrame], SharesDraws[RecyclingFrame]):
    """Algorithm 1: the parent's sample used again for its children.

    ``sample_size`` draws with replacement from the items that the parent calls positive (not given:
    the fewest whose expected intervals keep the margin, or the most that the budget allows); for
    every child, in the same number, the elements of that sample that the child calls positive too,
    new ones from outside the parent's set in proportion, and a remainder from the child's whole
    set.
    Every item is asked once, in one random order, however often it is drawn. For recall a
    stratified sample of the parent's predicted negatives is added: strata by how many children call
    an item positive and by score, from the top in geometrically growing sizes, with labels in
    proportion to the square root of their size, the best shares where positives thin out with the
    rank. Recall is TP_C / (TP_P + FN_P): TP_C from the parent's sample within its set and from the
    child's own outside it, the rest of the positives from the parent's sample and that of the
    negatives.

    Promise: "fixed" with option shuffle, at the planned size: Wilson's interval for the parent, the
    G-profile over recycled and new items for a child, over these, the parent's other items and the
    strata of the negatives for recall. Approximate. None with option sample: its plain interval is
    shown as printed and is too narrow. With under two labels a stratum of the negatives the value
    of recall leans upwards, with four labels by ten points and more; its interval is wide and held.
    Assumption: none about the scores; an overlap that is small widens intervals.
    Errors:  PlanError for parameters without a parent or children, or that name a classifier twice
             or before what it stands under; for one that the file lacks or that calls nothing
             positive; for a file with several classes.
    Source: Tripathi et al. (2020), algorithms 1 and 2, lemma 3, section 6.
    Departure: the print averages the first n_C elements, repeats included, as one plain sample;
    here the levels of agreement are strata, and an item counts once. Positives that only the child
    calls so are counted from its own sample in both totals of recall, so that it cannot exceed 1;
    the printed ratio r_2/r_1 = p_2|A_2|/(p_1|A_1|) then holds up to sampling error.
    """

    name: ClassVar[str] = "recycling"
    label: ClassVar[str] = "Recycled samples"
    summary: ClassVar[str] = (
        "Precision (and recall) of several classifiers at once: labels for one are reused for the "
        "others where they call the same items."
    )
    estimands: ClassVar[tuple[str, ...]] = ("precision", "recall")
    promises: ClassVar[tuple[Promise, ...]] = (Promise.FIXED,)
    stop_rules: ClassVar[tuple[str, ...]] = ()
    size_from_params: ClassVar[bool] = True
    size_param: ClassVar[str | None] = "sample_size"
    recommended: ClassVar[bool] = True
    later_labels_count: ClassVar[bool] = False
    strata_order: ClassVar[str] = "what the parent calls so first"
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn at random within each set of items that the classifiers call alike, in "
        "numbers fixed before the first label",
        APPROXIMATE,
    )
    works: ClassVar[tuple[Work, ...]] = (
        (
            ("Tripathi", "2020"),
            "Tripathi, R., Jagannathan, S. and Dhamodharaswamy, B. (2020). Estimating precisions "
            "for multiple binary classifiers under limited samples. Machine Learning and Knowledge "
            "Discovery in Databases (ECML PKDD).",
        ),
    )
    derived_words: ClassVar[dict[str, str]] = {
        "expected_savings": "share of the child's draws that recycling saves",
        "parent_intersection": "share of the parent's items that the child calls positive too",
        "child_intersection": "share of the child's items that the parent calls positive too",
    }

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """Who recycles from whom, and how much."""

        parent: str = parameter("", "the classifier whose sample the others use again", main=True)
        children: tuple[str, ...] = parameter((), "the other classifiers, by name", main=True)
        under: tuple[str, ...] = parameter(
            (),
            "for each child the classifier whose sample it uses again, the parent or a child named "
            "before it; empty: the parent for all",
        )
        option: str = parameter(
            "shuffle",
            "how recycled and new items are mixed; sample has no promise",
            choices=OPTIONS,
        )
        sample_size: int | None = parameter(
            None,
            "draws for each classifier; empty: what the margin or the labels need, else 1,068",
            low=1,
            high=MOST_DRAWS,
        )
        negatives: int | None = parameter(
            None,
            "labels among the items that the parent calls negative, for recall; empty: as many as "
            "sample size",
            low=1,
            high=10_000_000,
        )

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        if not params.parent:
            raise ParameterError("parent", "must name a classifier, got none", short=NEEDS_PARENT)
        if not params.children:
            raise ParameterError(
                "children", "must name at least one classifier, got none", short=NEEDS_PARENT
            )
        for place, name in enumerate(params.children):
            if name == params.parent:
                raise ParameterError("children", "must not name the parent", got=name)
            if name in params.children[:place]:
                raise ParameterError("children", f"must name each once, got {name!r} twice")
        places(params)

    def classifiers(self, params: Any) -> tuple[str, ...]:
        return classifiers_of(params)

    def suggested(self, population: Population, classifiers: tuple[str, ...]) -> dict[str, Any]:
        """The majority vote among ``classifiers``, else the one that shares most with the others,
        as the parent."""
        names = [name for name in classifiers if name in population.predictions]
        if len(names) < 2 or len(population.classes) > 2:
            return {}
        positive = population.classes.index(population.positive)
        called = {name: population.predictions[name] == positive for name in names}
        parent = suggest_parent(called).parent
        return {"parent": parent, "children": tuple(n for n in names if n != parent)}

    def prepare(self, setup: Setup) -> RecyclingFrame:
        params, population = setup.params, setup.population
        names, under = classifiers_of(params), places(params)
        called = _called(setup, names)
        stratum = _strata(setup, called) if "recall" in setup.estimands else 1 - called[0]
        n_strata = int(stratum.max()) + 1
        rates, notes = stratum_rates(population, names[0], stratum, n_strata)
        base = make_frame(setup, stratum, rates, np.arange(n_strata) == 0, notes)
        none = np.zeros(0, dtype=np.int64)
        undrawn = extended(
            base,
            RecyclingFrame,
            notes=(*base.notes, *_notes(setup, names, under, called, base.sizes[1:])),
            names=names,
            under=under,
            called=called,
            order=setup.file_order("draw"),
            samples=(),
            negatives=none,
            precision=(),
            recall=(),
            sequence=none,
            draws=none,
        )
        return drawn(setup, undrawn)

    def redrawn(self, setup: Setup, frame: RecyclingFrame) -> RecyclingFrame | None:
        """The frame with the draws of another seed; None where strata of scores may cut ties."""
        if "recall" in setup.estimands:
            return None
        order = random_of(setup.seed, "order").permutation(len(frame.order))
        return drawn(setup, drawn_anew(setup, replace(frame, order=order)))

    def resized(self, setup: Setup, frame: RecyclingFrame) -> RecyclingFrame:
        return drawn(setup, frame)

    def next_batch(
        self, setup: Setup, frame: RecyclingFrame, progress: Progress, batch: int
    ) -> IntArray:
        return frame.sequence[int(progress.drawn.sum()) : progress.limit]

    def most(self, frame: RecyclingFrame) -> int:
        return len(frame.sequence)

    def planned_counts(self, setup: Setup, frame: RecyclingFrame, labels: int) -> IntArray:
        return frame.counts(frame.sequence[:labels])

    def first_look(self, frame: RecyclingFrame, planned: int, promise: Promise) -> int:
        return min(FIRST_FIGURE, planned, self.most(frame))

    def samples(self, frame: RecyclingFrame, classifier: str | None) -> Samples:
        """The parts that precision is made of where ``classifier`` calls an item positive, those
        that recall is made of elsewhere: a child's draws are no random sample of what another one
        calls positive."""
        place = _place(frame, classifier)
        return samples_of(frame.precision[place], frame.recall[place], frame.called[place])

    def draws(self, frame: RecyclingFrame, labels: int) -> int:
        return int(frame.draws[min(labels, len(frame.sequence))])

    def figures(self, answers: Answers[RecyclingFrame], look: Look) -> Figures:
        frame, codes = answers.frame, answers.codes
        assert look.setup is not None
        place = _place(frame, answers.classifier)
        assert answers.class_index is not None
        limits, draws = [], []
        for row in answers.rows:
            parts = (frame.precision if row.name == "precision" else frame.recall)[place]
            cells = parts.counted(codes, answers.class_index)
            verdicts = codes[frame.samples[place].items]
            known = verdicts[verdicts > NO_ANSWER]
            if _as_printed(row, look) and cells.unlabelled.sum() > 0:
                limits.append(
                    _printed(float((known == answers.class_index).sum()), len(known), look)
                )
            else:
                limits.append(_bounds(row, cells, look))
            others = [frame.negatives] + ([frame.samples[0].items] if place else [])
            more = sum(int((codes[items] > NO_ANSWER).sum()) for items in others)
            draws.append(len(known) + (more if row.name == "recall" else 0))
        return _figures(limits, look, tuple(draws))

    def half_widths(
        self, setup: Setup, answers: Answers[RecyclingFrame], look: Look, drawn: FloatArray
    ) -> FloatArray:
        assert answers.rates is not None
        frame = answers.frame
        place = _place(frame, answers.classifier)
        cell = np.zeros((frame.n_strata, 2))
        assert answers.cells.stratum is not None
        cell[answers.cells.stratum, answers.cells.predicted.astype(np.int64)] = answers.rates
        rates = cell[frame.stratum, frame.called[place].astype(np.int64)]
        asked = np.zeros(len(rates), dtype=bool)
        asked[frame.sequence[: look.labels]] = True
        limits = []
        for row in answers.rows:
            parts = (frame.precision if row.name == "precision" else frame.recall)[place]
            if _as_printed(row, look):
                drawn_items = frame.samples[place].items
                drawn_items = drawn_items[asked[drawn_items]]
                limits.append(_printed(float(rates[drawn_items].sum()), len(drawn_items), look))
            else:
                limits.append(_bounds(row, parts.expected(asked, rates), look))
        return np.array([(limit[2] - limit[1]) / 2 for limit in limits])

    def derived(self, frame: RecyclingFrame, labels: int) -> dict[str, Any]:
        """Beside lemma 3's means (shares of a child's draws) what this seed really saves, and how
        many items each classifier adds to those before it."""
        figures: dict[str, dict[str, float]] = {
            "expected_savings": {},
            "parent_intersection": {},
            "child_intersection": {},
            "savings": {},
            "new_items": {},
        }
        seen: BoolArray = np.zeros(len(frame.stratum), dtype=bool)
        for place, (name, above) in enumerate(zip(frame.names, frame.under, strict=True)):
            items = np.unique(frame.samples[place].items)
            figures["new_items"][name] = int((~seen[items]).sum())
            seen[items] = True
            if above < 0:
                continue
            size = len(frame.samples[place].items)
            common = int((frame.called[place] & frame.called[above]).sum())
            pir, cir = (common / int(frame.called[which].sum()) for which in (above, place))
            figures["parent_intersection"][name], figures["child_intersection"][name] = pir, cir
            figures["expected_savings"][name] = mean_savings(size, size, pir, cir)
            figures["savings"][name] = frame.samples[place].saved / size
        return {**figures, "negatives": len(frame.negatives)}


Limits = tuple[float, float, float, float, Method]
"""Value, low, high, share of the uncertainty owed to parts without a positive, and the method."""


def _as_printed(row: Estimand, look: Look) -> bool:
    return row.name == "precision" and look.setup is not None and _option(look) == "sample"


def _option(look: Look) -> str:
    assert look.setup is not None
    return str(look.setup.params.option)


def _figures(limits: list[Limits], look: Look, draws: tuple[int, ...]) -> Figures:
    value, low, high, tail, methods = zip(*limits, strict=True)
    values, lows, highs, tails = (np.array(row, dtype=float) for row in (value, low, high, tail))
    promise = Promise.NONE if _option(look) == "sample" else None
    return Figures(values, lows, highs, methods, tails, promise, draws)


def _printed(hits: float, draws: int, look: Look) -> Limits:
    """The share of the draws with Wald's interval, broken as printed, for comparison."""
    if not draws:
        return float("nan"), 0.0, 1.0, float("nan"), PRINTED
    low, high = wald(hits, draws, look.confidence)
    return hits / draws, float(low), float(high), float("nan"), PRINTED


def _bounds(row: Estimand, cells: Cells, look: Look) -> Limits:
    table = ratios([row], cells)
    process = look.target == "process" and cells.labelled.sum() > 0
    inflation = float(sampled_file([row], cells, table)[0]) if process else 1.0
    if row.name == "precision":
        value, low, high = level_share(
            cells.size,
            cells.labelled,
            cells.positive,
            look.confidence,
            target=look.target,
            inflation=inflation,
        )
        return value, low, high, float("nan"), LEVELS if len(cells.size) > 1 else WILSON
    figures = g_profile([row], cells, look)
    shares = variance_shares(cells, table, target=look.target)[0]
    tail = float(shares[cells.positive == 0].sum() / shares.sum()) if shares.sum() > 0 else 0.0
    share, least, most = (float(figure[0]) for figure in figures)
    return share, least, most, tail, RECALL


def _place(frame: RecyclingFrame, classifier: str | None) -> int:
    if classifier not in frame.names:
        raise PlanArgumentError.naming(
            "classifier",
            "names {value!r}, which {params.parent} and {params.children} do not; they name "
            "{known}",
            known=", ".join(frame.names),
            value=classifier,
        )
    return frame.names.index(classifier)
