"""How far a figure has come: whether it is shown, what is missing, and what it is about."""

from dataclasses import replace

import numpy as np

from labelcore.designs.curves import OPEN_SHARE, EstimatesCurve
from labelcore.designs.scalars import FIRST_FIGURE, certain_ends
from labelcore.estimands import known_group, slope_of, table_of
from labelcore.figures.unsure import counts_at_odds, judged_share
from labelcore.log.engine import Engine
from labelcore.plan.existing import CERTAINTY
from labelcore.promises import Promise, State
from labelcore.results.interval import Interval
from labelcore.results.told_values import too_wide
from labelcore.results.types import Scope
from labelcore.stats.certain import certain_bounds
from labelcore.stats.judged import apart
from labelcore.stats.profile import BoolArray, Cells
from labelcore.tallies import Question
from labelcore.words.differences import no_difference_words, side_words
from labelcore.words.sentences import count

NEEDED_OF_EACH_SIDE, MOST_SIDES = 5, 4
NO_LABEL = "no item has a label yet"


def complete(engine: Engine) -> bool:
    """Whether the planned size is answered: for one look, that which a pilot told."""
    at_one_look = engine.plan.promised == Promise.FIXED
    planned = engine.watched_for if at_one_look else engine.planned
    return engine.answers_given >= min(planned - engine.given, engine.most)


def first_figure(engine: Engine) -> int:
    """The number of labels from which a figure is shown."""
    if engine.plan.from_the_first_label:
        return 1
    planned = max(engine.setup.planned, 1)
    return engine.design.first_look(engine.frame, planned, engine.plan.promised)


def first_shown(engine: Engine) -> int:
    """The number of labels that a first figure takes at the least: those from which the method
    looks, and the few of each part of the file that the figure rests on."""
    first = first_figure(engine)
    early = engine.plan.from_the_first_label
    if early or first >= NEEDED_OF_EACH_SIDE * MOST_SIDES:
        return first
    parts = min((_of_all_sides(engine, question) for question in engine.questions), default=0)
    return max(first, parts)


def _of_all_sides(engine: Engine, question: Question) -> int:
    """The labels that a quantity needs in all parts of the file together."""
    cells = engine.tallies[question.subject].cells(question.class_index)
    sizes = (cells.size[mask & cells.sampled].sum() for mask, _ in _sides(question, cells))
    return sum(min(NEEDED_OF_EACH_SIDE, int(size)) for size in sizes)


def promised_until(engine: Engine) -> int:
    """The labels up to which a watched promise is, at most those of all items; 0 where it has no
    end."""
    if engine.plan.horizon is not None:
        return min(engine.plan.horizon * engine.watched_for, engine.most + engine.given)
    design = engine.design
    return design.watched_until(engine.setup.planned) if isinstance(design, EstimatesCurve) else 0


def state_of(
    engine: Engine, question: Question, cells: Cells, value: float
) -> tuple[State, str, Promise]:
    """(state, what is missing, promise) of one estimate."""
    promise = engine.plan.promised
    labels, first = engine.labels, first_figure(engine)
    if labels == 0:
        return State.NOTHING, NO_LABEL, promise
    done = complete(engine) or engine.finished
    everything = engine.answers_given >= engine.most
    if labels < first and not (done and promise == Promise.FIXED) and not everything:
        return State.TOO_FEW, _before(labels, first), promise
    lacking, without_any = lacking_side(engine, question, cells)
    if lacking and (without_any or not done):
        shown = first_shown(engine)
        return State.TOO_FEW, lacking if labels >= shown else _before(labels, shown), promise
    if np.isnan(value):
        group = known_group(question.row, cells)
        left = promise if group is None or group.any() else Promise.NONE
        return State.TOO_FEW, _why_no_value(question, engine), left
    empty = [side for mask, side in _sides(question, cells) if not cells.size[mask].any()]
    if empty and engine.plan.target == "process" and is_settled(question, cells):
        # Of items like these some may be, and nothing is certain.
        return State.TOO_FEW, f"no item is {_called(scope_of(engine, question), empty[0])}", promise
    if not cells.labelled.any():  # In its group: a value would rest on the scores alone.
        return State.NOTHING, NO_LABEL, promise
    if promise == Promise.FIXED and not complete(engine):
        if engine.finished:
            return State.STOPPED_EARLY, "", Promise.NONE
        return State.PROVISIONAL, "", promise
    waiting = len(engine.open_positions())
    if waiting > OPEN_SHARE * (engine.answers_given + waiting):
        return State.WAITING, f"waiting for {count(waiting, 'item')}", promise
    return State.INTERVAL, "", promise


def begun(engine: Engine, question: Question, cells: Cells, value: float) -> bool:
    """Whether a quantity that is shown from the first label has a watched interval, as ``state_of``
    says it."""
    some = engine.labels > 0 and bool(cells.labelled.any()) and not np.isnan(value)
    return some and not lacking_side(engine, question, cells)[0]


def lacking_side(engine: Engine, question: Question, cells: Cells) -> tuple[str, bool]:
    """What is missing of a label (of five where figures wait) of each predicted class that it
    rests on, the barest class first, and whether one of them has no label at all: a value would
    then rest on the scores alone."""
    enough = 1 if engine.plan.from_the_first_label else NEEDED_OF_EACH_SIDE
    lacking: list[tuple[int, str]] = []
    for mask, side in _sides(question, cells):
        mask = mask & cells.sampled
        have, size = int(cells.labelled[mask].sum()), int(cells.size[mask].sum())
        needed = min(enough, size)
        if have < needed:
            called = _called(scope_of(engine, question), side)
            lacking.append((have, f"{have} of {needed} labels among the items {called}"))
    have, sentence = min(lacking, default=(1, ""), key=lambda side: side[0])
    return sentence, have == 0


def _before(labels: int, first: int) -> str:
    return f"{labels:,} of {first:,} labels before a first figure"


def _why_no_value(question: Question, engine: Engine) -> str:
    scope = scope_of(engine, question)
    name = scope.positive
    if question.row.difference:
        calls, index = engine.population.predictions, engine.population.classes.index(name)
        silent = [name for name in engine.classifiers if name and not (calls[name] == index).any()]
        return no_difference_words(question.key, scope, next(iter(silent), None))
    if question.row.group == "predicted":
        return f"no item is called {name!r}, whatever is labelled"
    if question.row.group == "unpredicted":
        return f"every item is called {name!r}, whatever is labelled"
    if question.row.of_negatives:
        return f"no item that is not {name!r} was found"
    return f"no {name!r} item was found"


def too_early(engine: Engine, state: State) -> bool:
    """Whether there are too few labels for a value that has no interval, or none can be made of
    them yet."""
    if not engine.plan.from_the_first_label:
        return False
    few = state == State.PROVISIONAL and engine.labels < FIRST_FIGURE
    return few or state == State.TOO_FEW


def is_tentative(engine: Engine, state: State, low: float, high: float, possible: Interval) -> bool:
    """Whether a value without an interval says little yet, or there is none: there are few labels,
    or the interval that is not due yet would be too wide for it."""
    wide = too_wide(low, high, possible.high - possible.low)
    return too_early(engine, state) or (state == State.PROVISIONAL and bool(wide))


def possible_before(engine: Engine, question: Question) -> Interval:
    """The range of a figure that was certain before the first label: its extremes over the labels
    that there were none of yet. Of items like these nothing is certain."""
    return engine.of_frame(("possible", question), lambda: _before_labels(engine, question))


def _before_labels(engine: Engine, question: Question) -> Interval:
    if engine.plan.target == "process":
        return Interval(question.row.least, 1.0)
    tally = engine.tallies[question.subject].emptied()
    tally.add_all(engine.existing.positions, engine.existing.codes)
    cells = tally.cells(question.class_index)
    low, high = certain_bounds(cells, table_of([question.row], cells))
    return Interval(float(low[0]), float(high[0]))


def scope_of(engine: Engine, question: Question) -> Scope:
    population, plan = engine.population, engine.plan
    positive = (
        population.positive
        if question.class_index is None
        else population.classes[question.class_index]
    )
    place = question.group
    fixed_later = plan.promised == Promise.FIXED and engine.pilot > 0
    groups = None if place is None else engine.setup.groups
    return Scope(
        file=population.name,
        n_items=len(population) if groups is None else int(groups.sizes[place]),
        by="" if groups is None else groups.label,
        group="" if groups is None else groups.names[place or 0],
        classifier=question.classifier,
        target=plan.target,
        positive=positive,
        margin=plan.margin_of(grouped=place is not None),
        first_figure=first_shown(engine),
        planned=0 if fixed_later else engine.size_known,
        until=promised_until(engine),
        together=len(engine.questions) if plan.together else 1,
        versus=question.versus,
        judged=judged_share(engine, question),
        at_odds=counts_at_odds(engine),
        existing=engine.existing_used,
        existing_use=engine.existing.use,
        found=found_before(engine, question),
        audit=population.has_judge,
    )


def scope_of_file(engine: Engine) -> Scope:
    """Of a result about all items that is of no one classifier."""
    return Scope(
        file=engine.population.name,
        n_items=len(engine.population),
        classifier=None,
        target=engine.plan.target,
        positive=engine.population.positive,
        first_figure=first_figure(engine),
        planned=int(engine.plan.planned or 0),
        existing=engine.existing_used,
        existing_use=engine.existing.use,
        audit=engine.population.has_judge,
    )


def scope_of_list(engine: Engine) -> Scope:
    """Of a result along the ranks of the first classifier's list."""
    return replace(
        scope_of_file(engine),
        classifier=engine.classifiers[0],
        margin=engine.plan.margin,
        planned=engine.setup.planned,
    )


def found_before(engine: Engine, question: Question) -> int | None:
    """Known positive items, where the recall asked for is that of what was found so far; they are
    counted as they are."""
    population, use = engine.population, engine.existing.use
    asked = question.row.name == "recall" and question.classifier == population.found
    if not asked or use != CERTAINTY or question.classifier is None:
        return None
    return int((engine.existing.codes == population.classes.index(population.positive)).sum())


def _sides(question: Question, cells: Cells) -> list[tuple[BoolArray, bool | int]]:
    """The parts of the file that the quantity rests on, (n_cells,) each, and which they are: what
    the classifier says there, or the number of what the two say."""
    if question.row.difference:
        matters = slope_of(question.row, cells, np.array([0.5])) != 0
        pairs = [(cells.sides == side, side) for side in range(MOST_SIDES)]
        return [(mask, side) for mask, side in pairs if matters[mask].any()]
    wanted = {"": (True, False), "predicted": (True,), "unpredicted": (False,), "all": ()}
    return [(cells.predicted == side, side) for side in wanted[question.row.group]]


def _called(scope: Scope, side: bool | int) -> str:
    """The items of a part, after "the items"."""
    if isinstance(side, bool):
        return f"{'' if side else 'not '}called {scope.positive!r}"
    return side_words(scope, side)


def is_settled(question: Question, cells: Cells) -> bool:
    """Whether no label still missing could change the quantity: its two extremes agree.

    A width of zero is not enough: at a low confidence an interval may be as narrow by chance.
    """
    rows = [question.row]
    ends = (
        certain_ends(rows, cells) if apart(cells) else certain_bounds(cells, table_of(rows, cells))
    )
    return bool(ends[1][0] - ends[0][0] < 1e-12)
