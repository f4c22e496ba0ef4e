"""Claims against the labels so far: decided, refuted or undecided, and how strong the evidence.

A strict claim is settled by its evidence. An approximate one is settled by the watched region of
its quantity, one-sided: the interval whose ends each have the claim's error level alone. For a
share of a plain random sample that is calculated exactly, for strata it is measured
(docs/likely_claims.md).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from labelcore.designs.base import IntArray, Look
from labelcore.designs.scalars import Answers, EstimatesScalars, Figures
from labelcore.estimands import ratios
from labelcore.figures.assumptions import assumptions
from labelcore.figures.from_counts import fitted_cell_rates, look_at
from labelcore.figures.readiness import lacking_side, scope_of
from labelcore.figures.scalars import headline_stage
from labelcore.figures.unsure import doubtful, widened
from labelcore.log.engine import Engine
from labelcore.plan.claim_totals import ClaimTotals, Side, some_cells
from labelcore.plan.terms import LIKELY_HORIZON
from labelcore.promises import ClaimStatus, Form, Method, Promise
from labelcore.results.types import Claim
from labelcore.stats.evidence import Linear
from labelcore.stats.horizon import ONE_SIDED
from labelcore.stats.profile import BoolArray, Cells, FloatArray, plug_in_totals
from labelcore.tallies import Question
from labelcore.words.claims import claim_statement, in_group_words
from labelcore.words.quantities import quantity_name

MOST_WAYS = 5000
ROUNDING = 1e-9
ANSWERS_STAND = "no answer was changed because of the evidence that it led to"
MIXTURE = "Ville (1939); Waudby-Smith and Ramdas (2020); see labelcore.stats."
METHOD = Method("mixture evidence over strata", f"{MIXTURE}evidence", Form.STRICT)
OF_DISAGREEMENTS = f"{MIXTURE}three_outcomes"
SIGNS = Method("mixture evidence from the signs of disagreements", OF_DISAGREEMENTS, Form.STRICT)
OUTCOMES = Method(
    "mixture evidence over strata of disagreements with three outcomes",
    OF_DISAGREEMENTS,
    Form.STRICT,
)


def claim_results(engine: Engine) -> dict[str, Claim]:
    """{claim as the plan has it: Claim} now; every claim's alpha is its share of 1 - confidence."""
    return {claim.read.text: _result(engine, claim) for claim in engine.claims}


def all_settled(claims: Mapping[str, Claim]) -> bool:
    """Whether there are claims, and each is decided or refuted."""
    return bool(claims) and all(claim.status != ClaimStatus.UNDECIDED for claim in claims.values())


def likely_of(engines: Sequence[Engine], planned: int | None = None) -> list[list[ClaimStatus]]:
    """The status of each claim in several sessions of one plan with approximate claims, side by
    side; every item drawn has a label.

    planned   the labels over which the claims spend their error, as if the plan had these
    """
    statuses: list[list[ClaimStatus]] = [[] for _ in engines]
    for place, claim in enumerate(engines[0].claims):
        answers = [_answers(engine, engine.claims[place]) for engine in engines]
        every, size = [part for mine in answers for part in mine], len(claim.linear)
        sides = []
        for number in _shared_by(claim):
            looks = [_one_sided(engine, planned, number) for engine in engines for _ in range(size)]
            sides.append(EstimatesScalars.of(engines[0].design).figures_of(every, looks))
        for at, (engine, mine) in enumerate(zip(engines, statuses, strict=True)):
            of_session = [side[size * at : size * (at + 1)] for side in sides]
            mine.append(_by_region(claim, *_known_ends(engine, engine.claims[place], of_session)))
    return statuses


def _shared_by(claim: ClaimTotals) -> tuple[int, ...]:
    """By how many groups the error level of the ends is shared: by none for the end that is beyond
    what is claimed where each group is, and by all for the end that one of them may settle."""
    return (1,) if len(claim.linear) == 1 else (1, len(claim.linear))


def may_be_settled(engine: Engine, positions: IntArray, codes: IntArray) -> BoolArray:
    """After which of the next labels every claim may be decided or refuted, (n_labels,): False only
    where the evidence for and against one of them does not reach so far.

    positions, codes   (n_labels,), the items and their classes
    """
    possible = np.ones(len(positions), dtype=bool)
    if engine.undecided or engine.waiting_indices() or engine.plan.claim_form != Form.STRICT:
        return possible
    goal = -math.log(alpha_of(engine)) - 1e-9
    for claim in engine.claims:
        cells = claim.tally.after_each(positions, codes, claim.class_index)
        of = partial(
            claim.log_evidence, cells, cells.labelled, cells.positive, target=engine.plan.target
        )
        ends = claim.evidence(of)
        possible &= (np.maximum(*ends) >= goal) | _all_known(engine, claim, cells)
    return possible


def settled_at(engine: Engine, looks: Sequence[Sequence[Cells]]) -> BoolArray:
    """Whether every strict claim is decided or refuted, (n_looks,), by looks that each have the
    cells of every claim; every item drawn has a label."""
    goal = -math.log(alpha_of(engine))
    settled = np.ones(len(looks), dtype=bool)
    for claim, cells in zip(engine.claims if looks else (), zip(*looks, strict=True), strict=True):
        labelled, positive = (np.array([getattr(at_look, name) for at_look in cells])
                              for name in ("labelled", "positive"))  # fmt: skip
        of = partial(claim.log_evidence, cells[0], labelled, positive, target=engine.plan.target)
        ends = np.array(claim.evidence(of)).T
        settled &= [
            _proved(engine, claim, at_look, both, goal) != ClaimStatus.UNDECIDED
            for at_look, both in zip(cells, ends.tolist(), strict=True)
        ]
    return settled


def alpha_of(engine: Engine) -> float:
    """Every claim's share of 1 - confidence. Also of approximate ones: of each only one end can be
    wrong, and where these lie opposite the correlation of two claims leaves no more
    (docs/together.md)."""
    return (1 - engine.plan.confidence) / len(engine.claims)


def _result(engine: Engine, claim: ClaimTotals) -> Claim:
    """What is known of a claim. The ends of an approximate one and its value rest on the labels up
    to its horizon; its evidence has no end."""
    cells = claim.tally.cells(claim.class_index)
    alpha = alpha_of(engine)
    open_items = doubtful(engine, claim.tally, strictly=True)
    each = claim.evidence(lambda linear: _evidence(engine, claim, cells, linear, open_items))
    known = {ClaimStatus.DECIDED: 0, ClaimStatus.REFUTED: 1}.get(_by_all(engine, claim, cells))
    ends = [math.inf if known == place else float(end) for place, end in enumerate(each)]
    status = _proved(engine, claim, cells, ends, -math.log(alpha))
    low = high = None
    method, stage, mine = _method(claim), engine, claim
    if engine.plan.claim_form == Form.APPROXIMATE:
        stage = headline_stage(engine)
        mine = stage.claims[engine.claims.index(claim)]
        low, high, method = _region(stage, mine)
        status = _by_region(claim, low, high)
    scope = replace(scope_of(engine, _question(claim)), margin=None, judged=None, at_odds=False)
    return Claim(
        claim=claim.read.text,
        statement=statement_of(engine, claim),
        status=status,
        log_evidence=ends[0],
        log_evidence_against=ends[1],
        alpha=alpha,
        value=_value(stage, mine, mine.tally.cells(mine.class_index)),
        labels_used=stage.labels,
        draws_used=stage.prefix(),
        method=str(method),
        promise=Promise.WATCHED,
        assumptions=(*assumptions(engine, method.form, both=True), ANSWERS_STAND),
        source=method.source,
        scope=scope,
        form=method.form,
        low=low,
        high=high,
    )


def statement_of(engine: Engine, claim: ClaimTotals) -> str:
    """The claim in words."""
    whose = [side.classifier if side.row.needs_prediction else None for side in claim.sides]
    sides = [
        quantity_name(side.row.name, name, _inside(engine, side))
        for side, name in zip(claim.sides, whose, strict=True)
    ]
    if claim.groups is not None:
        named = [side.group for side in claim.read.sides if side.group is not None]
        joined = claim.groups.joined if claim.read.each else 0
        sides = [
            f"{side} {in_group_words(claim.groups.label, of.name, of.each, joined)}"
            for side, of in zip(sides, named, strict=True)
        ]
    return claim_statement(sides, claim.goal, claim.read.above, claim.read.strictly)


def _all_known(engine: Engine, claim: ClaimTotals, cells: Cells) -> BoolArray:
    """Whether every item of this file that the claim is about has a label, (n_looks,) for cells at
    several looks."""
    counts = np.any([linear.weight != 0 for linear in claim.linear], axis=0)
    left = (cells.size - cells.labelled)[..., counts]
    return np.asarray((left <= 0).all(axis=-1) & (engine.plan.target == "file"))


def _by_all(engine: Engine, claim: ClaimTotals, cells: Cells) -> ClaimStatus:
    """What the labels of all items say, also at the boundary of a claim, where no evidence says it;
    undecided while one is missing, and where the quantity is a share of nothing."""
    if not _all_known(engine, claim, cells):
        return ClaimStatus.UNDECIDED
    row = claim.sides[0].row
    each = [
        ratios([row], some_cells(cells, mine)).value(cells.positive[mine])[0]
        for mine in ([] if claim.of_disagreements else claim.masks)  # Accuracy is of all items.
    ]
    if np.isnan(each).any():
        return ClaimStatus.UNDECIDED
    return ClaimStatus.DECIDED if claim.holds(cells.positive) else ClaimStatus.REFUTED


def _proved(
    engine: Engine, claim: ClaimTotals, cells: Cells, evidence: Sequence[float], goal: float
) -> ClaimStatus:
    """What the labels of all items say, else the evidence for and against: it must reach ``goal``
    on the estimate's side."""
    for_it, against = evidence
    known = _by_all(engine, claim, cells)
    if known != ClaimStatus.UNDECIDED or max(evidence) < goal:
        return known
    lean = claim.lean(plug_in_totals(cells, claim.rates))
    if lean > 0 and for_it >= goal:
        return ClaimStatus.DECIDED
    return ClaimStatus.REFUTED if lean < 0 and against >= goal else ClaimStatus.UNDECIDED


def _by_region(claim: ClaimTotals, low: float, high: float) -> ClaimStatus:
    """What the ends of a one-sided region say: that the quantity is on one side of the number."""
    assert claim.goal is not None
    goal, above = claim.goal, claim.read.above
    near, far = (low - goal, high - goal) if above else (goal - high, goal - low)
    reached = near > ROUNDING if claim.read.strictly else near >= -ROUNDING
    missed = far <= ROUNDING if claim.read.strictly else far < -ROUNDING
    if reached:
        return ClaimStatus.DECIDED
    return ClaimStatus.REFUTED if missed else ClaimStatus.UNDECIDED


def _one_sided(engine: Engine, planned: int | None = None, shared_by: int = 1) -> Look:
    """The look at which each end of an interval alone has the error level of a claim, spent over
    the labels that the claims are expected to need; a budget only ends the labelling."""
    alpha = alpha_of(engine) / shared_by
    look = replace(look_at(engine), confidence=1 - ONE_SIDED * alpha, unsure=0, learned=False)
    planned = planned or engine.plan.claims_planned
    if planned is None or look.horizon is None:
        return look
    planned, further = planned + engine.given, look.horizon
    if engine.plan.budget is not None or engine.plan.learns:
        last = look.horizon * engine.largest
        further = max(LIKELY_HORIZON, -(-last // planned)) if planned < last else 1
    return replace(look, planned=planned, horizon=further)


def _answers(engine: Engine, claim: ClaimTotals) -> list[Answers[Any]]:
    """What the quantity of a claim is worked out from in each of its groups."""
    side, index = claim.sides[0], claim.class_index
    return [
        Answers(engine.frame, [side.row], tally.cells(index),
                fitted_cell_rates(engine, tally, index), side.classifier, index, engine.codes)
        for tally in claim.tallies
    ]  # fmt: skip


def _region(engine: Engine, claim: ClaimTotals) -> tuple[float, float, Method]:
    """The ends of the one-sided region of an approximate claim, and how they were made. Items
    without a verdict count both ways."""
    answers, tallies = _answers(engine, claim), claim.tallies
    design: EstimatesScalars[Any] = EstimatesScalars.of(engine.design)
    sides = []
    for number in _shared_by(claim):
        look = _one_sided(engine, shared_by=number)
        figures = design.figures_of(answers, [look] * len(answers))
        sides.append(
            [
                widened(engine, tally, part, figure, look, strictly=True)
                if doubtful(engine, tally, strictly=True).any()
                else figure
                for tally, part, figure in zip(tallies, answers, figures, strict=True)
            ]
        )
    method = sides[0][0].method[0]
    return *_known_ends(engine, claim, sides), replace(method, name=f"{method.name}, one-sided")


def _known_ends(
    engine: Engine, claim: ClaimTotals, sides: Sequence[Sequence[Figures]]
) -> tuple[float, float]:
    """The ends of a claim's figure, or of the least or largest of its groups, from figures by
    ``_shared_by`` and group; 0 and 1 while a part that one rests on has no label."""
    bare = [
        lacking_side(engine, _question(claim), tally.cells(claim.class_index))[1]
        for tally in claim.tallies
    ]
    ends = [
        [
            (0.0, 1.0) if np.isnan(figure.value[0]) or lacks else (figure.low[0], figure.high[0])
            for figure, lacks in zip(side, bare, strict=True)
        ]
        for side in sides
    ]
    own, shared = ends[0], ends[-1]
    if claim.of_least:
        return float(min(low for low, _ in own)), float(min(high for _, high in shared))
    return float(max(low for low, _ in shared)), float(max(high for _, high in own))


def _question(claim: ClaimTotals) -> Question:
    """The quantity that a claim is about, the first one where it compares two."""
    side = claim.sides[0]
    return Question(claim.read.text, side.row, side.classifier, claim.class_index)


def _inside(engine: Engine, side: Side) -> str:
    population = engine.population
    code = side.class_index
    return population.positive if code is None else population.classes[code]


def _method(claim: ClaimTotals) -> Method:
    if not claim.of_disagreements:
        return METHOD
    return SIGNS if len(claim.rates) == 2 else OUTCOMES


def _evidence(
    engine: Engine, claim: ClaimTotals, cells: Cells, linear: Linear, open_items: FloatArray
) -> float:
    """Evidence for the statement: the least over everything that the items without a verdict (open,
    unsure, broken) may turn out to be, and none if that is too much to try. A better label need not
    raise it, because the bet may have expected a worse one."""
    pairs = claim.of_disagreements
    if not pairs:
        open_items = np.where(linear.weight != 0, open_items, 0.0)
    added = _fillings(open_items, pairs)
    if added is None:
        return -math.inf
    more = np.tile(open_items, 2) if pairs else open_items
    labelled = np.repeat((cells.labelled + more)[None], len(added), axis=0)
    positive = cells.positive + added
    target = engine.plan.target
    return float(claim.log_evidence(cells, labelled, positive, linear, target).min())


def _fillings(open_items: FloatArray, pairs: bool) -> FloatArray | None:
    """Every number of positives among the open items of each cell, (n_ways, n_cells); with pairs
    every number of hits of each classifier, (n_ways, 2 n_cells). None beyond ``MOST_WAYS``."""
    ways = np.prod((open_items + 1) * (open_items + 2) / 2 if pairs else open_items + 1)
    if ways > MOST_WAYS:
        return None
    cells = [
        [(a, b) for a in range(n + 1) for b in range(n + 1 - a)]
        if pairs
        else [(a,) for a in range(n + 1)]
        for n in map(int, open_items)
    ]
    fillings = np.array(list(product(*cells)), dtype=float)
    by_cell = fillings.reshape(len(fillings), len(cells), 2 if pairs else 1)
    return by_cell.transpose(0, 2, 1).reshape(len(fillings), -1)


def _value(engine: Engine, claim: ClaimTotals, cells: Cells) -> float | None:
    """The estimate of the quantity that is claimed, the least or largest of several groups; None in
    a comparison or without a label."""
    if claim.goal is None or not engine.labels:
        return None
    totals, row = plug_in_totals(cells, claim.rates), claim.sides[0].row
    each = [
        float(ratios([row], some_cells(cells, mine)).value(totals[mine])[0]) for mine in claim.masks
    ]
    known = [min(max(share, 0.0), 1.0) for share in each if not np.isnan(share)]
    return (min if claim.of_least else max)(known, default=None)
