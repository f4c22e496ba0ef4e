"""More labels than planned: how many, how much narrower the interval gets, what it costs."""

import streamlit as st

from labelcore.estimands import CHOICES
from labelcore.figures.choices import choice_made
from labelcore.plan.plan import Plan
from labelcore.planning.outlook import Outlook
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.session.session import Session
from labelcore.ui import actions
from labelcore.ui.forecasts import remembered
from labelcore.ui.lines import quiet
from labelcore.ui.presses import button
from labelcore.ui.status import SECONDS_AN_ITEM, main_and_other, pace
from labelcore.ui.times import about_minutes
from labelcore.words import sentences as words
from labelcore.words.quantities import key_parts, term_of

MORE, MOST_MORE = 50, 500
GAIN = "{more} more: about ± {now} → ± {then} points for {name}, {time}."
ONLY_TIME = "{more} more: {time}."


def choosing(session: Session) -> bool:
    """Whether the plan asks for a choice between candidates."""
    return session.plan.estimands[0] in CHOICES


def chosen(session: Session) -> bool:
    """Whether labelling ended with the choice made: nothing is drawn after that."""
    return session.engine.stopped and choice_made(session.engine)


def after_budget(session: Session) -> str:
    """What further labels do to the promise."""
    if not session.plan.method.later_labels_count:
        return "Further labels are kept, but the band stays that of the planned size."
    if session.plan.promise == Promise.FIXED or session.plan.horizon == 1:
        return "Further labels would be a second stage, reported apart from this result."
    kept = "bounds stay" if choosing(session) else "interval stays"
    return f"You may go on: the {kept} {valid_when(session)}."


def valid_when(session: Session) -> str:
    """When the first result holds."""
    first = next(iter(session.results().values()))
    return words.valid_words(first.promise, first.scope)


def can_go_on(session: Session) -> int:
    """How many items more may be asked than the plan and its extensions allow now."""
    return 0 if chosen(session) else session.engine.most - actions.allowed(session)


def ask_how_many(project: str, session: Session, first: int = MORE) -> None:
    """A slider, what so many labels more would do, and the button that asks them."""
    left, more = min(can_go_on(session), MOST_MORE), 1
    if left > 1:
        more = st.slider("How many more?", 1, left, min(first, left), key="more")
    quiet("gain", gain_words(session, more))
    button("Go on", "go-on", actions.go_on, project, more)


def gain_words(session: Session, more: int) -> str:
    """What so many labels beyond the plan bring the first figure, and the time they take; the time
    alone where they are no part of its interval, or nothing is foreseen."""
    first = float(session.settings.get("seconds", SECONDS_AN_ITEM))
    time = f"{about_minutes(more * pace(session.events, first), '~')} of labelling"
    plan, population = session.plan, session.population
    estimate = next(iter(main_and_other(session.results())[0]), None)
    apart = plan.promise == Promise.FIXED or plan.horizon == 1
    if estimate is None or not estimate.has_interval or apart:
        return ONLY_TIME.format(more=more, time=time)
    end = actions.allowed(session)
    numbers = session.engine.answers_given, end, end + more
    widths = [half_width(population, plan, estimate.estimand, max(n, 1)) for n in numbers]
    if not all(widths):
        return ONLY_TIME.format(more=more, time=time)
    # Forecasts are taken for how much narrower it gets; how wide it is now is known.
    now, then = (words.points(estimate.half_width * width / widths[0]) for width in widths[1:])
    return GAIN.format(
        more=more,
        now=now.removesuffix(" points"),
        then=then.removesuffix(" points"),
        name=term_of(key_parts(estimate.estimand)[0], estimate.scope.audit),
        time=time,
    )


@remembered(200)
def half_width(population: Population, plan: Plan, key: str, labels: int) -> float:
    """What the half-width of a result is expected to be at a number of labels, planned or beyond;
    0 where nothing is foreseen."""
    try:
        outlook = Outlook(population, plan)
        widths = outlook.half_widths(labels, plan.planned or labels)
    except ValueError:
        return 0.0
    return float(widths.get(key, 0.0))
