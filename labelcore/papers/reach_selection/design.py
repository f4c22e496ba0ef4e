"""The candidate with the highest reach at a required precision, from as few labels as it takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from labelcore.designs.base import (
    NO_ANSWER,
    UNDECIDED,
    DesignParams,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    Work,
    extended,
    make_frame,
    parameter,
)
from labelcore.designs.choices import ChoiceFigures, Chooses, Named, OtherChoice
from labelcore.designs.samples import Samples, SharesDraws
from labelcore.errors import ArgumentError, ParameterError, PlanError
from labelcore.papers.reach_selection.bounds import (
    DOUBTFUL,
    Known,
    draws_for_precision,
    draws_for_reach,
    label_bound,
    smallest_budget,
)
from labelcore.papers.reach_selection.candidates import Candidate, candidates_of
from labelcore.papers.reach_selection.selection import (
    BOUNDS,
    DECIDED,
    SAMPLERS,
    USED_UP,
    ReachRules,
    ReachSelection,
    choices_at,
)
from labelcore.population import Population
from labelcore.population.array_items import SMALL_CODES
from labelcore.promises import ChoiceStatus, Form, Method, Promise
from labelcore.stats.orders import hash_keys, narrow
from labelcore.stats.profile import NOT_SAMPLED, BoolArray, FloatArray

APART = 200
"""Draws between the places from which a corrected run goes on."""


class ReachFollower:
    """The selection that given verdicts lead to, without drawing everything again each time.

    The result depends on the verdicts alone. Memory of earlier calls only saves time: a run goes
    on from the last place kept at which all verdicts were what they are now.

    begin   makes the selection before its first draw
    """

    def __init__(self, begin: Callable[[], ReachSelection]) -> None:
        self._run = begin()
        self._kept = [self._run.copy()]
        self._items, self._taken = np.zeros((2, self._run.budget), dtype=np.int64)
        self._state: object = None

    def follow(
        self, verdicts: Callable[[IntArray], IntArray], state: object = None
    ) -> ReachSelection:
        """As far as the verdicts go in the order of draws; not to be changed by the caller.

        verdicts   (k,) items -> (k,) NO, YES or DOUBTFUL, -1 where there is none
        state      equal to that of the call before where no verdict changed since, though others
                   may have come; None: nobody knows
        """
        if state is None or state != self._state:
            self._back_to(self._agreed(verdicts))
        self._state = state
        while self._run.item is not None:
            place = self._run.made
            self._items[place] = self._run.item
            verdict = int(verdicts(self._items[place : place + 1])[0])
            if verdict < 0:
                break
            self._taken[place] = verdict
            self._run.take(verdict)
            if self._run.made % APART == 0:
                self._kept.append(self._run.copy())
        return self._run

    def _agreed(self, verdicts: Callable[[IntArray], IntArray]) -> int:
        """The number of draws up to which the verdicts are those taken."""
        draws = self._run.made
        changed = np.flatnonzero(verdicts(self._items[:draws]) != self._taken[:draws])
        return int(changed[0]) if len(changed) else draws

    def _back_to(self, draws: int) -> None:
        """At most so many draws are kept."""
        if draws < self._run.made:
            self._kept = self._kept[: draws // APART + 1]
            self._run = self._kept[-1].copy()


AHEAD = 50
"""How many draws further people may label while somebody has the item of the present draw."""
WORLDS, FURTHEST = 16, 2000
"""Worlds in which a further choice is simulated, and the labels that one is followed to."""
ONE_CHOICE = (
    "it needs draws that go on where a candidate was left, which bound = 'prior_posterior_ratio' "
    "with sampler = 'pooled' has"
)
KNOWN_WITH = "known answers need bound = 'prior_posterior_ratio', which repeats no item"
ALL_KNOWN = "every item that a candidate calls positive is known: nothing is left to label"
METHODS = {
    "hoeffding": Method(
        "reach selection by Hoeffding bounds",
        "Bennett et al. (2017), algorithms 1 and 2",
        Form.STRICT,
    ),
    "prior_posterior_ratio": Method(
        "reach selection by prior-posterior-ratio bounds, error split unequally",
        "Bennett et al. (2017), algorithms 1 and 2; Waudby-Smith and Ramdas (2020)",
        Form.STRICT,
    ),
}
DRAWN = {
    "hoeffding": "items are drawn with replacement, their number was fixed before the first label",
    "prior_posterior_ratio": "items come in one seeded random order without replacement; the lower "
    "bounds hold together, an upper bound for the one candidate it is about",
}


@dataclass(frozen=True, eq=False, slots=True, kw_only=True)
class ReachFrame(Frame):
    """A frame with the candidates.

    union     (n_union,), the items that any candidate calls positive, in draw order
    member    (n_union, m), whether the candidate calls the item positive
    rules     what is wanted; budget: T
    known     (yes, no), each (m,): the items of each candidate that are known, none in the union
    """

    candidates: tuple[Candidate, ...]
    union: IntArray
    member: BoolArray
    rules: ReachRules
    budget: int
    positive: int
    known: Known | None = None

    @property
    def replaced(self) -> bool:
        """Whether an item may be drawn again."""
        return self.rules.bound == "hoeffding"


class ReachSelectionDesign(Chooses[ReachFrame], SharesDraws[ReachFrame]):
    """Algorithm 1: draw among what the candidates call positive, drop those that cannot be the
    choice, and end when one is shown to be.

    Promise: "watched": a choice called guaranteed is wrong in at most a share delta of all
    sessions, wherever labelling ends. Wrong is a candidate whose precision lies below the threshold
    less its slack, one that reaches less than 1 - reach_slack of what some candidate at the
    threshold reaches, and "none acceptable" where one is good.
    Assumption: the draws are random and independent of the labels; T and all parameters are fixed
    before the first label.
    Raises: PlanError for a parameter outside its range, a candidate that the file lacks, and fewer
    draws than candidates where they take turns.
    Source: Bennett, Chickering, Meek and Zhu (2017); for the departures see
    ``labelcore.papers.reach_selection.selection``. The default bounds are ours: see
    ``labelcore.papers.reach_selection.bounds.RatioBounds``.
    Items unsure or broken count as negative in lower and as positive in upper bounds.
    """

    name: ClassVar[str] = "reach_selection"
    label: ClassVar[str] = "Choose by reach"
    summary: ClassVar[str] = (
        "Which threshold or classifier finds the most, among those precise enough? Labels only "
        "what candidates call positive, and ends when the choice is shown."
    )
    promises: ClassVar[tuple[Promise, ...]] = (Promise.WATCHED,)
    targets: ClassVar[tuple[str, ...]] = ("file",)
    stop_rules: ClassVar[tuple[str, ...]] = ("choice",)
    counts_draws: ClassVar[bool] = True
    existing: ClassVar[tuple[str, ...]] = ("certainty",)
    has_weights: ClassVar[bool] = False
    strata_order: ClassVar[str] = "called so by the most candidates first"
    estimands: ClassVar[tuple[str, ...]] = ("selection",)
    chooses_among: ClassVar[str] = "candidates"
    works: ClassVar[tuple[Work, ...]] = (
        (
            ("Bennett", "2017"),
            "Bennett, P. N., Chickering, D. M., Meek, C. and Zhu, X. (2017). Algorithms for active "
            "classifier selection: maximizing recall with precision constraints. Web Search and "
            "Data Mining, 711–719.",
        ),
    )
    derived_words: ClassVar[dict[str, str]] = {
        "n_gamma": "draws that settle one candidate's precision, by Hoeffding's bounds (n_gamma)",
        "n_epsilon": "draws that settle one candidate's reach, by Hoeffding's bounds (n_epsilon)",
        "T": "draws at the most",
        "label_bound": "draws that decide the choice by Hoeffding's bounds, candidates in turn "
        "(theorem 2)",
    }

    @dataclass(frozen=True, slots=True)
    class Params(DesignParams):
        """What is wanted, and how it is looked for."""

        candidates: tuple[int | float | str, ...] = parameter(
            (),
            "200 is the first 200 of the list, 0.5 all from that score on, a name that classifier; "
            "empty: the first 50, 100, 200, ... up to half the file",
            main=True,
            asked="Choose among",
        )
        precision_threshold: float = parameter(
            0.9,
            "the precision that is good enough",
            low=0.0,
            high=1.0,
            main=True,
            asked="Precision wanted",
        )
        precision_slack: float = parameter(
            0.1,
            "how far below that the chosen one may lie",
            low=0.0,
            high=1.0,
            main=True,
            asked="It may fall short by",
        )
        reach_slack: float = parameter(
            0.1,
            "the share of the best one's finds that may be lost",
            low=0.0,
            high=1.0,
            main=True,
            asked="Share of finds that may be lost",
        )
        delta: float | None = parameter(
            None, "chance of a wrong choice; empty: 1 minus the confidence", low=0.0, high=1.0
        )
        sampler: str = parameter(
            "pooled",
            "one draw counts for every candidate with the item, or for one in turn",
            choices=SAMPLERS,
        )
        bound: str = parameter(
            "prior_posterior_ratio",
            "bounds on each precision; Hoeffding's need more labels",
            choices=BOUNDS,
        )
        early_stopping: bool = parameter(True, "end as soon as the choice is shown")
        elimination: bool = parameter(True, "draw no more for candidates that are out")
        guess: bool = parameter(False, "name the likeliest when the draws are used up")

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        rules_of(params, 0.05)
        if len(set(params.candidates)) < len(params.candidates):
            raise ParameterError("candidates", f"names one twice: {params.candidates!r}")

    def classifiers(self, params: Any) -> tuple[str, ...]:
        return tuple(candidate for candidate in params.candidates if isinstance(candidate, str))

    def suggested(self, population: Population, classifiers: tuple[str, ...]) -> dict[str, Any]:
        named = [name for name in classifiers if name in population.predictions]
        return {"candidates": tuple(named)} if len(named) > 1 else {}

    def prepare(self, setup: Setup) -> ReachFrame:
        candidates, notes = candidates_of(setup)
        called = np.zeros((len(setup.population), len(candidates)), dtype=bool)
        for number, candidate in enumerate(candidates):
            called[candidate.items, number] = True
        union: BoolArray = np.asarray(called.any(axis=1))
        base = make_frame(
            setup,
            np.where(union, 0, 1),
            np.full(1 + int(not union.all()), 0.5),
            np.array([True, False][: 1 + int(not union.all())]),
            notes,
        )
        items = base.queue[: int(base.sizes[0])]
        return extended(
            base,
            ReachFrame,
            candidates=candidates,
            union=items,
            member=called[items],
            rules=rules_of(setup.params, 1 - setup.confidence),
            budget=setup.planned,
            positive=setup.population.classes.index(setup.population.positive),
        )

    def known_apart(self, setup: Setup, positions: IntArray) -> ReachFrame:
        """Candidates are those of the whole file, draws of what is not known of them. Their order
        is another one than without known answers: these may come from a project of the same seed,
        and what it passed over would lie first in its order."""
        frame, file = self.prepare(setup), setup.population
        if frame.replaced:
            raise PlanError(KNOWN_WITH)
        known = np.zeros(len(file), dtype=bool)
        known[positions] = True
        yes = known & (np.asarray(file.known) == frame.positive)
        hits, there = (
            np.array([of[each.items].sum() for each in frame.candidates]) for of in (yes, known)
        )
        stratum = frame.stratum.copy()
        stratum[positions] = NOT_SAMPLED
        order = setup.file_order(f"draw beside {len(positions)} known answers")
        order = order[~known[order]]
        queue = order[np.argsort(stratum[order], kind="stable")]
        sizes = np.bincount(stratum[queue], minlength=frame.n_strata).astype(np.int64)
        if not sizes[0]:
            raise PlanError(ALL_KNOWN)
        union = queue[: sizes[0]]
        return replace(
            frame,
            stratum=stratum,
            sizes=sizes,
            start=np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64),
            queue=queue,
            union=union,
            member=np.column_stack([np.isin(union, each.items) for each in frame.candidates]),
            known=(hits, there - hits),
        )

    # --- labelling -------------------------------------------------------------------------

    def next_batch(
        self, setup: Setup, frame: ReachFrame, progress: Progress, batch: int
    ) -> IntArray:
        """One item: that of the present draw, or while it is open the first one of the draws ahead
        that nobody has."""
        assert progress.codes is not None
        run = self._run(setup, frame, progress)
        for draws in (1, AHEAD):
            ahead = frame.union[run.ahead(draws)]
            free = ahead[progress.codes[ahead] == NO_ANSWER]
            if len(free):
                break
        return np.asarray(free[:1], dtype=np.int64)

    def _run(self, setup: Setup, frame: ReachFrame, progress: Progress) -> ReachSelection:
        """The selection by the answers there are. T is part of Hoeffding's bounds and stays; by the
        other bounds an extension may add draws."""
        assert progress.codes is not None
        budget, sought = frame.budget, progress.sought
        if not frame.replaced:  # What a candidate comes back to may be drawn already: that is free.
            budget = max(budget, progress.limit) + len(sought) * len(frame.union)
        if (budget, sought) not in progress.memory:
            progress.memory[budget, sought] = ReachFollower(
                lambda: selection(setup, frame, budget, sought)
            )
        known = progress.codes

        def verdicts(items: IntArray) -> IntArray:
            codes = known[frame.union[items]]
            verdict = np.where(codes >= 0, codes == frame.positive, -1)
            return np.where(codes == UNDECIDED, DOUBTFUL, verdict)

        follower: ReachFollower = progress.memory[budget, sought]
        return follower.follow(verdicts, (known, known.changes))

    # --- results ---------------------------------------------------------------------------

    def candidates(self, frame: ReachFrame) -> dict[str, IntArray]:
        return {candidate.name: candidate.items for candidate in frame.candidates}

    def may_add_draws(self, params: Any) -> bool:
        return bool(params.bound != "hoeffding")

    def no_further_choice(self, params: Any) -> str:
        may = params.bound != "hoeffding" and params.sampler == "pooled"
        return "" if may else ONE_CHOICE

    def labels_until(
        self, setup: Setup, frame: ReachFrame, progress: Progress, precision: float
    ) -> FloatArray:
        """In each world the unlabelled items that the same candidates call positive are so with one
        rate: a draw given their labels, and before these the share found among all."""
        assert progress.codes is not None and progress.asked is not None
        sought = (*progress.sought, (len(progress.asked), precision))
        start = self._run(setup, frame, replace(progress, sought=sought))
        codes = progress.codes[frame.union]
        known, positive = codes >= 0, codes == frame.positive
        _, alike = np.unique(frame.member, axis=0, return_inverse=True)
        yes = np.bincount(alike, positive)
        no = np.bincount(alike, known) - yes
        share = (yes.sum() + 0.5) / (known.sum() + 1)
        labels = np.full(WORLDS, np.inf)
        for world in range(WORLDS):
            random = np.random.default_rng([setup.seed, len(progress.asked), world])
            rates = random.beta(yes + share, no + 1 - share)
            truth = np.where(known, positive, random.random(len(codes)) < rates[alike])
            run, asked = start.copy(), set[int]()
            while run.item is not None and len(asked) < FURTHEST:
                if codes[run.item] == NO_ANSWER:
                    asked.add(run.item)
                run.take(int(truth[run.item]))
            if run.ended == DECIDED:
                labels[world] = len(asked)
        return np.sort(labels)

    def samples(self, frame: ReachFrame, classifier: str | None) -> Samples:
        """The parts that the same candidates call positive: once a candidate is out, its items are
        drawn no more but for those that others share."""
        by_number = np.lexsort((*frame.member.T[::-1], -frame.member.sum(axis=1)))
        along = frame.member[by_number]
        differs = np.append(False, (along[1:] != along[:-1]).any(axis=1))
        alike = np.cumsum(differs)
        part = np.full(len(frame.stratum), alike[-1] + 1, dtype=np.int64)
        part[frame.union[by_number]] = alike
        sizes = np.bincount(part)
        return Samples(narrow(part, max(len(sizes), SMALL_CODES)), sizes)

    def status(
        self, setup: Setup, frame: ReachFrame, progress: Progress, look: Look
    ) -> ChoiceStatus:
        run = self._run(setup, frame, progress)
        sought = run.furthest
        return (run.choice(ended=look.finished) if sought is None else sought.choice).status

    def choice(
        self, setup: Setup, frame: ReachFrame, progress: Progress, look: Look
    ) -> ChoiceFigures:
        run = self._run(setup, frame, progress)
        choice = run.choice(ended=look.finished)
        chosen = None if choice.chosen is None else frame.candidates[choice.chosen]
        return ChoiceFigures(
            chosen=None if chosen is None else chosen.name,
            threshold=None if chosen is None else chosen.threshold,
            status=choice.status,
            bounds=_bounds(frame, run),
            confidence=1 - frame.rules.delta,
            labels=run.certain,
            draws=run.made,
            method=METHODS[frame.rules.bound],
            assumptions=(DRAWN[frame.rules.bound],),
            missing=_missing(run, look) if choice.status == ChoiceStatus.UNDECIDED else "",
        )

    def choices_at(
        self, setup: Setup, frame: ReachFrame, progress: Progress, precisions: Sequence[float]
    ) -> list[OtherChoice]:
        bounds = self._run(setup, frame, progress).bounds

        def named(place: int | None) -> Named | None:
            if place is None:
                return None
            low = float(bounds.low[place])
            return Named(frame.candidates[place].name, low, low * int(bounds.sizes[place]))

        return [
            OtherChoice(
                requirement.precision,
                requirement.choice.status,
                named(requirement.choice.chosen),
                named(requirement.surest),
                requirement.left,
            )
            for requirement in choices_at(bounds, frame.rules, precisions)
        ]

    # --- before the first label ------------------------------------------------------------

    def planned_counts(self, setup: Setup, frame: ReachFrame, labels: int) -> IntArray:
        counts = np.zeros(frame.n_strata, dtype=np.int64)
        counts[0] = min(labels, int(frame.sizes[0]))
        return counts

    def first_look(self, frame: ReachFrame, planned: int, promise: Promise) -> int:
        return 1

    def most(self, frame: ReachFrame) -> int:
        return int(frame.sizes[0])

    def least(self, frame: ReachFrame) -> int:
        return len(frame.candidates) if frame.rules.sampler == "round_robin" else 1

    def draws(self, frame: ReachFrame, labels: int) -> int:
        """A draw of an item that has its label costs none: with replacement, and in turns."""
        repeats = frame.replaced or frame.rules.sampler == "round_robin"
        return frame.budget if repeats else min(labels, frame.budget)

    def derived(self, frame: ReachFrame, labels: int) -> dict[str, Any]:
        m, rules = len(frame.candidates), frame.rules
        wanted = rules.precision_threshold, rules.precision_slack, rules.reach_slack
        return {
            "n_gamma": draws_for_precision(m, frame.budget, rules.delta, rules.precision_slack),
            "n_epsilon": draws_for_reach(m, frame.budget, rules.delta, *wanted),
            "T": frame.budget,
            "label_bound": label_bound(m, frame.budget, rules.delta, *wanted),
            "smallest_T": smallest_budget(m, rules.delta, *wanted),
            "candidates": {candidate.name: len(candidate.items) for candidate in frame.candidates},
            "union": len(frame.union),
        }


def rules_of(params: Any, delta: float) -> ReachRules:
    """The rules that parameters state; ``delta`` where they state none. Raises PlanError."""
    try:
        given = {row.name: getattr(params, row.name) for row in fields(ReachRules)}
        return ReachRules(**given if given["delta"] is not None else {**given, "delta": delta})
    except ArgumentError as error:
        raise ParameterError.of(error) from None


def selection(
    setup: Setup, frame: ReachFrame, budget: int, sought: Sequence[tuple[int, float]] = ()
) -> ReachSelection:
    """The selection before its first draw; its draws depend on the seed alone."""
    words = None
    if frame.replaced:
        words = hash_keys(setup.seed, "turn", map(str, range(budget)))[:, 0]
    order = np.arange(len(frame.union))
    return ReachSelection(frame.member, frame.rules, budget, order, words, sought, frame.known)


def _bounds(frame: ReachFrame, run: ReachSelection) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "classifier": [candidate.name for candidate in frame.candidates],
            "size": [len(candidate.items) for candidate in frame.candidates],
            "value": run.share,
            "low": run.bounds.low,
            "high": run.bounds.high,
            "state": run.states(),
        }
    )


def _missing(run: ReachSelection, look: Look) -> str:
    if not run.made:
        return "no item has a label yet"
    if run.ended == USED_UP:
        return f"all {run.made:,} draws are used up"
    if run.ended:
        return "every item that could decide is labelled, some without a verdict"
    if look.finished:
        return "labelling was ended"
    left = sum(not state.out for state in run.states())
    return f"{left:,} of {len(run.active):,} candidates are left"
