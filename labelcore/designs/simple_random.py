"""Simple random sampling: every item has the same chance; the yardstick for everything else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import (
    UNDECIDED,
    Frame,
    IntArray,
    Look,
    Progress,
    Setup,
    WatchedParams,
    drawn_anew,
    extended,
    frame_of,
    parameter,
)
from labelcore.designs.helpers import check_helpers, chosen_helpers, helper_notes, said_by_helpers
from labelcore.designs.one_group import (
    MIXTURE,
    SEQUENCE,
    Run,
    counts_of_group,
    share_may_meet,
    share_of_group,
    shares_of_groups,
    with_known,
)
from labelcore.designs.profile_figures import WIDENED, equally_many, g_profile, profile_may_meet
from labelcore.designs.rates import item_probability
from labelcore.designs.scalars import Answers, Figures, Goal
from labelcore.designs.stratified import StratifiedDesign, check_summaries
from labelcore.errors import ParameterError
from labelcore.estimands import SUMMARIES, Estimand, known_group, outcome_counts, ratios, table_of
from labelcore.population import Population
from labelcore.population.array_items import Part
from labelcore.promises import Form, Method, Promise
from labelcore.stats.difference_estimator import (
    LEAST_OF_EACH,
    Helped,
    cross_fitted,
    helped_share,
    over_answers,
)
from labelcore.stats.orders import mid_rank_share
from labelcore.stats.profile import (
    NOT_SAMPLED,
    BoolArray,
    Cells,
    FloatArray,
    Ratios,
    plug_in_totals,
    side_by_side,
)
from labelcore.stats.sequences import finite_sequence, rate_sequence

HELPED = Method(
    "difference estimator with Wilson's interval at the effective number of labels",
    "Angelopoulos, Duchi and Zrnic (2023); Cochran (1977), chapter 7; Wilson (1927)",
    Form.APPROXIMATE,
)
SCORES, HELPERS, BOTH = "The scores", "The helpers", "The scores and helpers"
AGREE = "{what} {how} with the labels, which saved about {saved:.0%} of the labels."
NO_HELP = "{what} hardly agree with the labels: no label saved."
LITTLE, WELL = 0.3, 0.7
TOO_FEW = (
    f"{{what}} are not used: that takes {LEAST_OF_EACH} labels of the rarer outcome, to see how "
    "often they are wrong, and there are {rarer:,}."
)
EXPECTED_FEW = (
    f"{{what}} will be used for the {{quantity}} from {LEAST_OF_EACH} labels of the rarer "
    "outcome on; about {rarer:,} are expected, so the forecast is that of the labels alone. How "
    "the interval is made is chosen now and does not change after the first label."
)


@dataclass(frozen=True, eq=False, slots=True)
class HelpedSample(Frame):
    """A plain random sample with what other columns say of each item.

    helpers   the columns that were used, as far as they say something
    evidence  (n_items not known from the start, n_columns), the verdict of each (a half where it
              says nothing) and its order; None: there are none
    what      what stands for the items, in words
    """

    helpers: tuple[str, ...] = field(default=(), kw_only=True)
    evidence: FloatArray | None = field(default=None, kw_only=True)
    what: str = field(default=SCORES, kw_only=True)


def helped_sample(setup: Setup, frame: Frame) -> HelpedSample:
    """The frame with the evidence of the helpers of the plan. Raises ParameterError where neither a
    helper nor a score is a guess of the outcome."""
    said = {}
    if setup.classifier is not None:
        check_helpers(setup)
        said = said_by_helpers(setup, cut=False)
        frame = replace(frame, notes=(*frame.notes, *helper_notes(setup, cut=False)))
    if not said:
        _check_guesses(setup)
        return extended(frame, HelpedSample)
    votes = [np.nan_to_num(column.vote, nan=0.5) for column in said.values()]
    evidence = np.column_stack([*votes, *(column.order for column in said.values())])
    what = BOTH if setup.classifier in setup.population.scores else HELPERS
    return extended(frame, HelpedSample, helpers=tuple(said), evidence=evidence, what=what)


def _check_guesses(setup: Setup) -> None:
    name = setup.classifier
    if name is None or item_probability(setup.population, name) is None:
        raise ParameterError.naming(
            "interval",
            "= {value.interval=value} needs a helper, or a score between 0 and 1 for every item, "
            "which {lacking} lacks; use {value.interval=other}",
            value=DIFFERENCE,
            other=WILSON,
            lacking="the file" if name is None else f"classifier {name!r}",
        )


def helped_figures(answers: Answers[HelpedSample], look: Look, plain: Figures) -> Figures:
    """``plain`` with the shares of a group of known size estimated with the help of the scores, and
    of the helpers of the plan."""
    assert look.setup is not None
    population, frame = look.setup.population, answers.frame
    codes = answers.codes.of_all(len(population))
    parts = _items(answers, population, codes)
    if parts is None:
        return plain
    probability, truth, predicted = parts
    value, low, high = plain.value.copy(), plain.low.copy(), plain.high.copy()
    method = list(plain.method)
    notes = [""] * len(answers.rows)
    cells, table = answers.cells, ratios(answers.rows, answers.cells)
    sampled = frame.stratum != NOT_SAMPLED
    columns = _columns(answers, population, probability, predicted)
    for place, row in enumerate(answers.rows):
        group = known_group(row, cells)
        if group is None:
            continue
        mine = sampled & _members(row, predicted)
        answered = codes >= 0 if cells.judged is None else (codes >= 0) | (codes == UNDECIDED)
        seen = frame.queue[(mine & answered)[frame.queue]]
        outcome, judged = counted(row, truth, predicted)[seen], codes[seen] >= 0
        if columns is not None:
            position = np.cumsum(mine) - 1
            each = over_answers(outcome, judged)
            guess, mean = cross_fitted(each, columns[mine], position[seen])
        else:
            assert probability is not None
            every = counted(row, probability, predicted)
            guess, mean = every[seen], float(every[mine].mean()) if mine.any() else 0.0
        size = int(np.rint(cells.size[group & cells.sampled].sum()))
        share = helped_share(
            outcome, guess, mean, size, look.confidence, target=look.target, judged=judged
        )
        notes[place] = _note(share, outcome[judged], frame.what)
        if share.used:
            shares = np.array([share.value, share.low, share.high])
            bounds = with_known(cells, table.row(place), group, shares)
            value[place], low[place], high[place] = bounds
            method[place] = HELPED
    return replace(
        plain,
        value=value,
        low=low,
        high=high,
        method=tuple(method),
        notes=tuple(notes),
    )


def _columns(
    answers: Answers[HelpedSample],
    population: Population,
    probability: FloatArray | None,
    predicted: BoolArray,
) -> FloatArray | None:
    """What a regression may use, (n_items, n_columns): the score, and what the helpers say, with a
    slope of their own on either side of the prediction. None without helpers."""
    if answers.frame.evidence is None:
        return None
    evidence = np.zeros((len(predicted), answers.frame.evidence.shape[1]))
    evidence[answers.frame.stratum != NOT_SAMPLED] = answers.frame.evidence
    likely = probability
    if likely is None:
        score = population.ordering_score(str(answers.classifier))
        likely = np.zeros(len(predicted)) if score is None else mid_rank_share(score)
    apart = np.column_stack([likely, evidence])
    return np.column_stack([predicted, apart, apart * predicted[:, None]])


def expected_rarer(answers: Answers[HelpedSample], row: Estimand) -> float | None:
    """The labels of the rarer outcome among those that the share rests on; None for a quantity that
    is no share of a group of known size."""
    group = known_group(row, answers.cells)
    if group is None:
        return None
    mine = group & answers.cells.sampled
    hits, trials, _ = counts_of_group(answers.cells, ratios([row], answers.cells), mine)
    return min(hits, trials - hits)


def expected_left(population: Population, classifier: str, row: Estimand) -> float:
    """The share of the variance that the scores leave, if they are right, 0 to 1; 1 for a quantity
    that they do not help."""
    probability = item_probability(population, classifier)
    side = population.predictions.get(classifier)
    if probability is None or not row.group or (side is None and row.needs_prediction):
        return 1.0
    several = len(population.classes) > 2
    positive = population.classes.index(population.positive)
    called = np.full(len(probability), True) if several or side is None else side == positive
    mine = _members(row, called)
    guess = counted(row, probability, called)[mine]
    whole = float(guess.mean() * (1 - guess.mean())) if mine.any() else 0.0
    return float(np.clip(1 - guess.var() / whole, 0.0, 1.0)) if whole > 0 else 1.0


def _items(
    answers: Answers[HelpedSample], population: Population, codes: IntArray
) -> tuple[FloatArray | None, FloatArray, BoolArray] | None:
    """The chance that each item is positive (None: no score tells), whether its label is (0 without
    one), and whether it is predicted so, (n_items,); with several classes positive
    means judged rightly. None where neither scores nor helpers speak of this class."""
    name = answers.classifier
    probability = None if name is None else item_probability(population, name)
    side = None if name is None else population.predictions.get(name)
    several = len(population.classes) > 2
    guessed = probability is not None or answers.frame.evidence is not None
    if not guessed or (several and answers.class_index is not None):
        return None
    every = np.full(len(codes), True)
    if several:
        return probability, (codes == side).astype(float), every
    truth = (codes == answers.class_index).astype(float)
    return probability, truth, every if side is None else side == answers.class_index


def counted(row: Estimand, truth: FloatArray, predicted: BoolArray) -> FloatArray:
    """What an item adds to the numerator, for a truth or the chance of one, (n_items,)."""
    constant, of_truth, of_predicted, of_both = row.numerator
    call = predicted.astype(float)
    return np.asarray(constant + of_truth * truth + of_predicted * call + of_both * truth * call)


def _members(row: Estimand, predicted: BoolArray) -> BoolArray:
    """The items of the denominator, (n_items,)."""
    if row.group == "all":
        return np.full(len(predicted), True)
    return predicted if row.group == "predicted" else ~predicted


def _note(share: Helped, outcome: FloatArray, what: str) -> str:
    """What the guesses did for a share; ``outcome`` is (n_labels,), 0 or 1.

    >>> _note(Helped(0.5, 0.4, 0.6, 1.0, 0.4, 0.006, True), np.ones(90), "The scores")
    'The scores agree a little with the labels, which saved about 1 % of the labels.'
    """
    if not share.used:
        hits = int(outcome.sum())
        rarer = min(hits, len(outcome) - hits)
        return TOO_FEW.format(what=what, rarer=rarer) if rarer < LEAST_OF_EACH else ""
    if share.saved < 0.005:
        return NO_HELP.format(what=what)
    how = agreement_words(share.correlation)
    return AGREE.format(what=what, how=how, saved=share.saved).replace("%", " %")


def agreement_words(correlation: float) -> str:
    """A correlation of 0 to 1 in words that fit its size.

    >>> agreement_words(0.1), agreement_words(0.5), agreement_words(0.9)
    ('hardly agree', 'agree a little', 'agree well')
    """
    if correlation < LITTLE:
        return "hardly agree"
    return "agree a little" if correlation < WELL else "agree well"


Bounds = tuple[float | None, float, float, Method]
"""Value (None: the post-stratified one), low, high, and how they were made."""
WILSON, DIFFERENCE, SEQUENCE_OF = "wilson", "difference", "sequence"
PROFILE = Method(
    "G-profile interval over two post-strata",
    "Wilks (1938); likelihood-ratio region over the predicted positives and negatives",
    Form.APPROXIMATE,
)


class SimpleRandom(StratifiedDesign[HelpedSample]):
    """Items in one seeded random order without replacement.

    Promise: "fixed": Wilson's interval on the items of the quantity's own denominator, with the
    finite-population factor and exact ends where counts are few; recall, F1 and specificity by the
    G-profile over two post-strata.
    "watched": the likelihood-ratio interval with the boundary of the planned size, a look at every
    label (shares of a group of known size: calculated by exact recursion, docs/horizon.md; recall,
    F1 and specificity: the G-profile over two post-strata, measured). ``interval`` = "sequence" is
    for sessions without a planned end: prior-posterior-ratio confidence sequences, which hold at
    every look in every population (strict), one where the denominator is known before labelling,
    two at half the error level (true positives, false negatives) elsewhere.
    Average precision and the area under the ROC curve are for the planned size (empirical
    likelihood within pieces of the ranks, docs/default_curves.md).
    ``interval`` = "difference" estimates the shares of a group of known size (accuracy, prevalence,
    precision ...) by the difference estimator: a multiple of the scores, taken from the sample,
    stands for every item, and the labels correct it. Scores that agree with the labels save some of
    them; others are left out. It is for a plain random sample only: strata have that gain already.
    ``helpers`` are other columns and classifiers of the file: what stands for an item is then a
    linear regression of the labels on the score and on what they say, fitted without the labels of
    the item's own fold (``cross_fitted``; measured in docs/helpers.md). A new plan with
    "difference" uses all that say something; a frozen one that names none uses the score alone.

    Assumption: none beyond the random order; with "difference" that the scores and helpers were not
    fitted to these labels.
    Source: Wilson (1927); Waudby-Smith and Ramdas (2020), prior-posterior ratio; Angelopoulos,
    Duchi and Zrnic (2023); Zrnic and Candes (2024).
    Departure: target "process" uses the beta-binomial mixture, whose draws are independent.
    """

    name: ClassVar[str] = "simple_random"
    label: ClassVar[str] = "Plain random sample"
    summary: ClassVar[str] = (
        "Every item has the same chance. Needs the most labels, assumes the least."
    )

    @dataclass(frozen=True, slots=True)
    class Params(WatchedParams):
        """How the interval is made."""

        interval: str = parameter(
            WILSON,
            "how it is made. With the help of what other columns say of all items accuracy, "
            "prevalence, precision and the like may need fewer labels, for the planned size only; "
            "recall and F1 stay as they are",
            choices=(WILSON, DIFFERENCE, SEQUENCE_OF),
            called=(
                "labels only",
                "helped by other columns (planned size only)",
                "labels only, watched without a planned end",
            ),
        )
        helpers: tuple[str, ...] | None = parameter(
            None,
            "other columns and classifiers that help the scores, where these help; empty: all that "
            "say something",
        )

    estimands: ClassVar[tuple[str, ...]] = (*StratifiedDesign.estimands, *SUMMARIES)
    existing: ClassVar[tuple[str, ...]] = ("random", "certainty")
    assumptions: ClassVar[tuple[str, ...]] = (
        "items were drawn in one seeded random order without replacement",
    )

    def has_horizon(self, params: Any) -> bool:
        return bool(params.interval != SEQUENCE_OF)

    def judges(self, params: Any) -> bool:
        return bool(params.interval != SEQUENCE_OF)

    def compares(self, params: Any) -> bool:
        return bool(params.interval != SEQUENCE_OF)

    def check(self, estimands: tuple[str, ...], params: Any, promise: Promise | None) -> None:
        check_summaries(estimands, promise)
        if params.interval == DIFFERENCE and promise == Promise.WATCHED:
            raise ParameterError.naming(
                "interval",
                "= {value.interval=value} holds at the planned size only; use "
                "{plan.promise=fixed}, or {params.interval=wilson}",
                value=params.interval,
            )
        if params.helpers and params.interval != DIFFERENCE:
            need = "need {params.interval=difference}, got {params.interval=}"
            raise ParameterError.naming("helpers", need, interval=params.interval)
        if params.interval == SEQUENCE_OF and promise == Promise.FIXED:
            raise ParameterError.naming(
                "interval",
                "= {value.interval=value} is for watching; use {plan.promise=watched}, or "
                "{params.interval=wilson}",
                value=params.interval,
            )

    def chosen(self, setup: Setup) -> dict[str, Any]:
        if setup.params.interval != DIFFERENCE:
            return {}
        names = chosen_helpers(setup, cut=False)
        return {"helpers": names} if names else {}

    def derived(self, frame: HelpedSample, labels: int) -> dict[str, Any]:
        return {"helpers": list(frame.helpers)} if frame.helpers else {}

    def promises_for(self, estimands: tuple[str, ...], params: Any) -> tuple[Promise, ...]:
        alone = {DIFFERENCE: (Promise.FIXED,), SEQUENCE_OF: (Promise.WATCHED,)}
        mine = alone.get(params.interval, self.promises)
        summed = {*estimands} & {*SUMMARIES}
        return tuple(promise for promise in mine if promise == Promise.FIXED or not summed)

    def bounds_any_share(self, params: Any, promise: Promise) -> bool:
        """Not with the help of scores, which are read as those of the positive class."""
        return params.interval != DIFFERENCE and super().bounds_any_share(params, promise)

    def prepare(self, setup: Setup) -> HelpedSample:
        frame = frame_of(setup, setup.items(), [Part()], np.array([0.5]), np.array([False]))
        if setup.params.interval == DIFFERENCE:
            return helped_sample(setup, frame)
        return extended(frame, HelpedSample)

    def redrawn(self, setup: Setup, frame: HelpedSample) -> HelpedSample:
        return drawn_anew(setup, frame)

    def allocate(self, setup: Setup, frame: HelpedSample, progress: Progress) -> IntArray:
        return np.minimum(frame.sizes, progress.limit) - progress.drawn

    def figures(self, answers: Answers[HelpedSample], look: Look) -> Figures:
        plain = super().figures(answers, look)
        return helped_figures(answers, look, plain) if _is_helped(look) else plain

    def figures_of(
        self, answers: Sequence[Answers[HelpedSample]], looks: Sequence[Look]
    ) -> list[Figures]:
        figures: dict[int, Figures] = {}
        for places in equally_many([answer.cells for answer in answers]):
            part, of_part = [answers[place] for place in places], [looks[place] for place in places]
            together = _together(part[0].rows, [answer.cells for answer in part], of_part)
            for place, answer, look, mine in zip(places, part, of_part, together, strict=True):
                plain = self._with_bounds(answer.rows, answer.cells, look, mine)
                figures[place] = helped_figures(answer, look, plain) if _is_helped(look) else plain
        return [figures[place] for place in range(len(answers))]

    def may_meet(
        self, answers: Answers[HelpedSample], look: Look, labels: IntArray, goal: Goal
    ) -> BoolArray:
        row, cells = answers.rows[0], answers.cells
        if look.horizon is None:
            return super().may_meet(answers, look, labels, goal)
        if known_group(row, cells) is not None:
            return share_may_meet(row, cells, look, labels, goal)
        return profile_may_meet(replace(answers, rates=None), look, labels, goal)

    def half_widths(
        self, setup: Setup, answers: Answers[HelpedSample], look: Look, drawn: FloatArray
    ) -> FloatArray:
        plain = super().half_widths(setup, answers, look, drawn)
        if not _is_helped(look):
            return plain
        name = str(answers.classifier)
        left = [
            1.0 if _too_few(answers, row) else expected_left(setup.population, name, row)
            for row in answers.rows
        ]
        return np.asarray(plain * np.sqrt(left))

    def forecast_notes(self, answers: Answers[HelpedSample], look: Look) -> list[str]:
        few = [row for row in answers.rows if _is_helped(look) and _too_few(answers, row)]
        rarer = [int(expected_rarer(answers, row) or 0) for row in few]
        return [
            EXPECTED_FEW.format(what=answers.frame.what, quantity=row.term, rarer=number)
            for row, number in zip(few, rarer, strict=True)
        ]

    def estimate(
        self, rows: list[Estimand], cells: Cells, look: Look, rates: FloatArray | None
    ) -> Figures:
        return self._with_bounds(rows, cells, look, _together(rows, [cells], [look])[0])

    def estimate_all(
        self, rows: list[Estimand], parts: Sequence[tuple[Cells, FloatArray]], look: Look
    ) -> list[Figures]:
        if look.promise == Promise.WATCHED and look.horizon is None:
            return super().estimate_all(rows, parts, look)
        several, looks = [cells for cells, _ in parts], [look] * len(parts)
        figures: dict[int, Figures] = {}
        for places in equally_many(several):
            together = _profiled(rows, [several[at] for at in places], looks[: len(places)])
            for at, mine in zip(places, together, strict=True):
                figures[at] = self._with_bounds(rows, several[at], look, mine)
        return [figures[at] for at in range(len(several))]

    def _with_bounds(
        self, rows: list[Estimand], cells: Cells, look: Look, together: dict[str, Bounds]
    ) -> Figures:
        """The figures of one run; ``together`` holds those that several runs have side by side."""
        least = [row.least for row in rows]
        value = np.clip(table_of(rows, cells).value(plug_in_totals(cells)), least, 1.0)
        parts = [
            together[row.name]
            if row.name in together
            else self._one(row, cells, look, ratios([row], cells))
            for row in rows
        ]
        for i, (estimate, _, _, _) in enumerate(parts):
            value[i] = value[i] if estimate is None else estimate
        return Figures(
            value,
            np.array([part[1] for part in parts]),
            np.array([part[2] for part in parts]),
            tuple(part[3] for part in parts),
            np.full(len(rows), np.nan),
        )

    def _one(self, row: Estimand, cells: Cells, look: Look, table: Ratios) -> Bounds:
        group = known_group(row, cells)
        endless = look.promise == Promise.WATCHED and look.horizon is None
        if group is not None:
            return share_of_group(cells, look, table, group)
        if endless and look.target == "process":
            return None, *_rates(row, cells, look), MIXTURE
        return None, *_two_sequences(cells, table, look), SEQUENCE


def _together(
    rows: list[Estimand], cells: Sequence[Cells], looks: Sequence[Look]
) -> list[dict[str, Bounds]]:
    """For each run the bounds that are worked out for all of them: G-profiles, and shares that are
    watched up to a planned end."""
    look = looks[0]
    watched, endless = look.promise == Promise.WATCHED, look.horizon is None
    if watched and endless:
        return [{} for _ in cells]
    bounds = _profiled(rows, cells, looks)
    for row in rows if watched else ():
        runs = {
            at: Run(part, look_of, ratios([row], part), group)
            for at, (part, look_of) in enumerate(zip(cells, looks, strict=True))
            if (group := known_group(row, part)) is not None
        }
        for at, share in zip(runs, shares_of_groups([*runs.values()]), strict=True):
            bounds[at][row.name] = share
    return bounds


def _profiled(
    rows: list[Estimand], cells: Sequence[Cells], looks: Sequence[Look]
) -> list[dict[str, Bounds]]:
    """For each run the G-profiles of figures whose denominator is not known beforehand."""
    look = looks[0]
    mine = [row for row in rows if known_group(row, cells[0]) is None]
    if not mine:
        return [{} for _ in cells]
    if len(cells) == 1:
        _, low, high = (end[None] for end in g_profile(mine, cells[0], look))
    else:
        done = np.array([look_of.progress for look_of in looks])
        _, low, high = g_profile(mine, side_by_side(cells), look, progress=done)
    method = WIDENED if look.promise == Promise.WATCHED else PROFILE
    return [
        {row.name: (None, *ends, method) for row, *ends in zip(mine, *run, strict=True)}
        for run in zip(low.tolist(), high.tolist(), strict=True)
    ]


def _too_few(answers: Answers[HelpedSample], row: Estimand) -> bool:
    rarer = expected_rarer(answers, row)
    return rarer is not None and rarer < LEAST_OF_EACH


def _is_helped(look: Look) -> bool:
    return look.setup is not None and look.setup.params.interval == DIFFERENCE


def _rates(row: Estimand, cells: Cells, look: Look) -> tuple[float, float]:
    """The corners of sequences that share the error level, one for each kind of item that counts:
    most ratios have two, what counts in the numerator and what counts in the denominator alone. All
    are shares of all items like these: the file's own shares of predicted items say nothing for
    certain about those."""
    counts = outcome_counts(row, cells)
    labels, alpha = float(cells.labelled.sum()), (1 - look.confidence) / len(counts)
    few, many = np.array([rate_sequence(hits, labels, alpha) for hits in counts.values()]).T
    above, rest = np.array([*counts]).T
    low, high = float(above @ few), float(above @ many)
    return (
        low / (low + float(rest @ many)) if low > 0 else 0.0,
        high / (high + float(rest @ few)) if high > 0 else 1.0,
    )


def _two_sequences(cells: Cells, table: Ratios, look: Look) -> tuple[float, float]:
    """The corners of two sequences at half the error level each: the positives among the predicted
    positives and among the others; every ratio of the table is monotone in both."""
    alpha = (1 - look.confidence) / 2
    known = np.where(cells.sampled, 0.0, cells.positive)
    limits = np.array([known, known])
    for side in (True, False):
        mask = (cells.predicted == side) & cells.sampled
        if not mask.any():
            continue
        s, n, size = cells.positive[mask].sum(), cells.labelled[mask].sum(), cells.size[mask].sum()
        low, high = finite_sequence(s, n, size, alpha)
        limits[:, mask] = np.array([[low], [high]]) * cells.size[mask] / max(size, 1)
    middle = table.value(limits.mean(axis=0))
    rising = table.gradient(np.clip(np.nan_to_num(middle, nan=0.5), 1e-6, 1 - 1e-6))[0] > 0
    low = table.value(np.where(rising, limits[0], limits[1]))[0]
    high = table.value(np.where(rising, limits[1], limits[0]))[0]
    return (
        0.0 if np.isnan(low) else float(np.clip(low, 0, 1)),
        1.0 if np.isnan(high) else float(np.clip(high, 0, 1)),
    )
