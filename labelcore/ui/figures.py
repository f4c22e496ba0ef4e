"""Beside the item: what is known now."""

from collections.abc import Sequence

import streamlit as st

from labelcore.access import Right
from labelcore.charts.live_picture import bars
from labelcore.charts.look_picture import ALONG_SCORES, OVER_LABELS, Picture
from labelcore.charts.sessions import sessions_strip
from labelcore.report.along_ranks import headline
from labelcore.report.markup import tied
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.safe_text import one_line
from labelcore.session.carried import terms_of
from labelcore.session.session import Session
from labelcore.trials.reveal import how_often
from labelcore.ui import actions, visitor
from labelcore.ui.claims_view import form_lines
from labelcore.ui.lines import fold, quiet
from labelcore.ui.picture import show_picture
from labelcore.ui.presses import button
from labelcore.ui.session_picture import beside, dots_shown, picture
from labelcore.ui.status import (
    at_an_end,
    counts,
    decision,
    existing_line,
    figure_name,
    main_and_other,
    promise_line,
)
from labelcore.ui.trying import reveals, simulated
from labelcore.waves.measured import is_over
from labelcore.words.choices import candidate_rows
from labelcore.words.quantities import model_word
from labelcore.words.sentences import count
from labelcore.words.unsure import EITHER_WAY_TITLE, either_way_words

SIMULATED = "{hit} of {runs} simulated sessions of {labels} hit the truth; promised: {promised}."


def show_promise(session: Session) -> None:
    """How often sessions like this finished trial hit the truth; nothing elsewhere."""
    first = next(iter(reveals(session)), None)
    if first is None or first.estimate.confidence is None:
        return
    intervals = simulated(session)
    hit = sum(low <= first.truth <= high for low, high in intervals)
    promised = how_often(first.estimate.confidence)[0]
    caption = SIMULATED.format(
        hit=hit, runs=len(intervals), labels=count(first.estimate.scope.planned), promised=promised
    )
    chart = sessions_strip(intervals, first.truth, figure_name(first.estimate), caption)
    show_picture("twenty", Picture(bars([]), chart, (), "", ""))
    quiet("twenty", caption)


PICTURE, VIEW, FIGURE = "picture", "picture view", "picture figure"
HIDDEN, UNFOLDED = "figures hidden", "figures unfolded"
SWAY = "After each answer its dot says whether the {model} agrees, which may sway your next ones."
LATER = "The figures of this wave come when its labels are there."


def show_figures(project: str, session: Session) -> None:
    """The living picture, its sentence, and everything else folded into one line.

    A narrow screen shows two bars of it until it is unfolded.
    """
    if keeps_back(session):
        return
    if st.session_state.get(HIDDEN):
        with st.container(key="wide"):
            _hide_button(True)
        return
    with session.one_look():
        _show(project, session)


def keeps_back(session: Session) -> bool:
    """Whether figures are hidden because the session is a wave that goes on: whoever ends it with
    what it has must not have seen them. It is said in their place."""
    hidden = hides_figures(session)
    if hidden:
        quiet("later", LATER)
    return hidden


def hides_figures(session: Session) -> bool:
    """Whether figures are hidden because the session is a wave that goes on."""
    if not terms_of(session.record):
        return False
    session.sync()
    return not is_over(session)


def _show(project: str, session: Session) -> None:
    now = chosen_picture(session)
    ended = at_an_end(session) and not actions.panel(project)
    unfolded = ended or bool(st.session_state.get(UNFOLDED))
    show_picture(PICTURE, now, choose, unfolded=unfolded)
    if ended:  # The sentence and the details stand beside it.
        show_promise(session)
        return
    with st.container(key="wide"):
        with st.container(key="short"):
            st.text(tied(now.sentence))
        details(session)
        if now.of_all:
            quiet("all", tied(now.of_all))


def chosen_picture(session: Session) -> Picture:
    """The picture with the view and the figure that were pressed last, on whichever page."""
    view, figure = st.session_state.get(VIEW), st.session_state.get(FIGURE)
    return picture(session, beside(session), view, figure)


def choose(pressed: str) -> None:
    """A press on a view of the picture, or on a figure, whose chart is over the labels."""
    if pressed in (OVER_LABELS, ALONG_SCORES):
        st.session_state[VIEW] = pressed
    else:
        st.session_state[FIGURE], st.session_state[VIEW] = pressed, OVER_LABELS


def details(session: Session, more: Sequence[str] = ()) -> None:
    """One line of terms; opened, everything that the picture leaves out, and what is ``more``."""

    def inside() -> None:
        quiet("wide", "\n\n".join(tied(part) for part in (*_parts(session), *more) if part))
        _hide_button(False)
        _dots_button(session)

    fold(terms(session), "details", inside)


def terms(session: Session) -> str:
    """The promise and the file, on one line."""
    name = one_line(session.population.name, 40)
    return f"{promise_line(session)} · {name}, {len(session.population):,} items"


def _parts(session: Session) -> list[str]:
    """The sentences in full, what they rest on, how intervals are made."""
    results = session.results()
    estimates, others = main_and_other(results)
    if (choice := results.first(Choice)) is not None:
        sentences = [choice.sentence(), _candidates(choice)]
    elif claims := results.of(Claim):
        sentences = [claim.sentence() for claim in claims]
    else:
        along = session.plan.along_ranks or not estimates
        sentences = [headline(session)] if along else [estimates[0].sentence()]
    conditions = counts(session).by_kind, decision(session), existing_line(session)
    return [
        *sentences,
        "\n".join(filter(None, conditions)),
        _either_way([*estimates, *others]),
        form_lines([*estimates, *others]),
    ]


def _either_way(estimates: Sequence[Estimate]) -> str:
    """Each figure if the unsure items were all one or the other; "" where nobody was unsure."""
    worst = [either_way_words(estimate, figure_name(estimate)) for estimate in estimates]
    return "\n".join([f"{EITHER_WAY_TITLE}:", *filter(None, worst)]) if any(worst) else ""


def _candidates(choice: Choice) -> str:
    rows = candidate_rows(choice).to_dict("records")
    return "\n".join(f"{row['candidate']}   {row['precision']} · {row['state']}" for row in rows)


def unfold_switch() -> None:
    """For narrow screens: the style sheet shows the figures when the container is called unfolded.
    It stands outside the part that is drawn anew with each key."""
    if not visitor.allowed(Right.SEE):
        return
    unfolded = bool(st.session_state.get(UNFOLDED))
    with st.container(key="unfolded" if unfolded else "folded"):
        words = "Show less" if unfolded else "Show more"
        button(words, f"unfold-{unfolded}", keep_shown, UNFOLDED, not unfolded, type="tertiary")


def keep_shown(what: str, chosen: bool) -> None:
    st.session_state[what] = chosen


def _dots_button(session: Session) -> None:
    """Dots on or off, for all who label: the log and the report say which."""
    if session.going_on and visitor.allowed(Right.RUN):
        shown, model = dots_shown(session), model_word(session.population.has_judge)
        words = "Hide the dots" if shown else f"Show by dots what the {model} says"
        about = session.project, not shown
        button(words, f"dots-{shown}", actions.show_dots, *about, type="tertiary")
        if shown:
            st.caption(SWAY.format(model=model))


def _hide_button(hidden: bool) -> None:
    """A button: a switch would keep the focus, and the answer keys would be dead."""
    words = f"{'Show' if hidden else 'Hide'} the figures"
    button(words, f"hide-{hidden}", keep_shown, HIDDEN, not hidden, type="tertiary")
