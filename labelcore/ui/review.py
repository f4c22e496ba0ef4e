"""The page to look through everything that was judged, and to judge an item again."""

import secrets
from dataclasses import replace
from functools import partial
from hashlib import sha256

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.figures.in_common import having
from labelcore.figures.sampled import drawn_evenly
from labelcore.items import Highlights, usable_highlights
from labelcore.log.events import Event, answer_word
from labelcore.log.history import OPEN, marked_open
from labelcore.log.repeats import Judged
from labelcore.results.in_common import ErrorsInCommon, Shared
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui import people, project_menu, sessions, trail, visitor
from labelcore.ui.answers import choice_buttons, choices_again
from labelcore.ui.cards import cards_node
from labelcore.ui.downloads import table_button
from labelcore.ui.drawing import draw
from labelcore.ui.hidden import hidden_words, is_hidden
from labelcore.ui.item import item_nodes
from labelcore.ui.lines import quiet
from labelcore.ui.presses import acting, button, show_problem
from labelcore.ui.reviewed import ALL, WRONG, Reviewed, event_words, reviewed, said_of
from labelcore.ui.settling import look_at
from labelcore.ui.setup import way_to_label
from labelcore.ui.status import shown_word
from labelcore.ui.surface import show_item
from labelcore.ui.thumbnails import small_pictures
from labelcore.ui.times import clock, reader_zone
from labelcore.words.counts import list_words
from labelcore.words.in_common import ABOUT, having_words, in_common_sentence, times_words
from labelcore.words.sentences import confidence_words, count

CELL = "review-cell"
"""Where the confusion table leaves the cell that was pressed: classifier, call, answer."""
LIST, SEARCH, OPENED, TABLE = "review-list", "review-search", "review-opened", "review-table"
WHICH, ANSWER, CALLED, WHO = "review-which", "review-answer", "review-called", "review-who"
PAGE, NEWER, OLDER = "review-page", "review-newer", "review-older"
ROWS = 30
"""Of a page of cards: more are not sent to the browser."""
EMPTY = "Nothing is judged yet: every answer will stand here."
NO_ROW = "No judged item has these words."
CHOOSE = "Press a card to see the item and to judge it again; arrow keys go on."
LOOK = "Press a card to see the item; arrow keys go on."
MOST_MARKED = 200
STILL_OPEN = "Not answered yet: it is judged on Label."
FINAL = "The project is finished: go on longer to change an answer."
CAUSES = (("slip", "My slip", "I"), ("classifier", "{model}'s error", "E"),
          ("question", "Question unclear", "Q"))  # fmt: skip
COMMON = "common-"
WHY, REWORD = "Why do they differ?", "Reword the question"
HAVING = "{having}, called {called}"
AMONG = "{wrong} of {items} wrong, else {fewer} of {others}; {times}"
SECOND = "You judged it after another person: your answer stands beside the first."


def review_page(project: str) -> None:
    session = sessions.session(project)
    session.sync()
    if session.broken_at:
        return
    if CELL in st.session_state:
        values = st.session_state.pop(CELL)
        st.session_state.update(zip((WHICH, CALLED, ANSWER), values, strict=True))
    last = session.events[-1].hash if session.events else ""
    person, classifier = people.name(session), _classifier(session)
    review = _kept(session, session.project, last, classifier, person)
    table = review.table
    st.title("What was judged", anchor=False)
    if table.empty:
        st.text(EMPTY)
        way_to_label(session)
        return
    shown = chosen(session, review)
    left, right = st.columns([58, 42], gap="medium")
    with left:
        if st.session_state[LIST] in (ALL, WRONG):
            shared(session, review)
        rows(session, review, shown)
    with right:
        opened(project, session, review)


def _classifier(session: Session) -> str | None:
    """Whose calls are compared with the answers; asked where several classifiers predict."""
    names = [*session.plan.classifiers, *session.population.classifiers]
    able = [name for name in dict.fromkeys(names) if name in session.population.predictions]
    kept = st.session_state.get(WHICH)
    return kept if kept in able else next(iter(able), None)


@st.cache_resource(show_spinner=False, max_entries=4)
def _kept(
    _session: Session, project: str, last: str, classifier: str | None, person: str
) -> Reviewed:
    return reviewed(_session, classifier, person)


# --- filters ------------------------------------------------------------------------------------


def chosen(session: Session, review: Reviewed) -> pd.DataFrame:
    """The rows that list, search and filters leave."""
    sizes = review.lists()
    if st.session_state.get(LIST) not in sizes:
        st.session_state[LIST] = ALL
    with st.container(horizontal=True, key="review-find", vertical_alignment="bottom"):
        which = st.pills(
            "List",
            list(sizes),
            key=LIST,
            required=True,
            format_func=lambda name: f"{plain(review.named(name), 60)} {sizes[name]:,}",
            label_visibility="collapsed",
        )
        search = st.text_input(
            "Search", key=SEARCH, placeholder="Search", label_visibility="collapsed"
        )
    every = session.labels == len(session.population)
    quiet("drawn", list_words(drawn_evenly(session.engine), every=every))
    asked = any(st.session_state.get(key) for key in (ANSWER, CALLED, WHO))
    with (
        st.expander("More filters", key="review-filters", expanded=asked),
        st.container(horizontal=True),
    ):
        wanted = filters(session, review)
    rows = review.chosen(which or ALL, search=search, **wanted)
    for trait in pressed(session, review):
        position = np.array([session.population.position(name) for name in rows["id"]], dtype=int)
        texts = [
            text[len(str(name)) :] for text, name in zip(rows["text"], rows["id"], strict=True)
        ]
        rows = rows[having(session.population, str(review.classifier), trait, position, texts)]
    return rows


def filters(session: Session, review: Reviewed) -> dict[str, str | None]:
    """What else can be asked of a row; each is offered where it can tell rows apart."""
    population = session.population
    able = [name for name in population.classifiers if name in population.predictions]
    if len(able) > 1:
        st.selectbox(
            review.model.capitalize(), able, key=WHICH, format_func=lambda name: one_line(name, 80)
        )
    wanted: dict[str, str | None] = {}
    called = f"Called by {plain(review.classifier, 40)}" if review.classifier else ""
    offered = (("answer", ANSWER, "Answer"), ("called", CALLED, called), ("who", WHO, "Person"))
    for column, key, label in offered:
        options = sorted(value for value in review.table[column].dropna().unique() if value != OPEN)
        if len(options) > 1:
            wanted[column] = st.selectbox(
                label,
                options,
                index=None,
                key=key,
                format_func=lambda value: one_line(shown_word(value), 80),
                placeholder="any",
            )
    return wanted


# --- what errors have in common -------------------------------------------------------------------


def in_common(session: Session, review: Reviewed) -> ErrorsInCommon:
    """What the errors of the classifier have in common now."""
    last = session.events[-1].hash if session.events else ""
    return _in_common(session, session.project, last, review.classifier)


@st.cache_resource(show_spinner=False, max_entries=4)
def _in_common(
    _session: Session, project: str, last: str, classifier: str | None
) -> ErrorsInCommon:
    if classifier is None:
        return ErrorsInCommon("", 0, 0, 0, _session.plan.confidence, ())
    return _session.errors_in_common(classifier)


def common_words(trait: Shared) -> str:
    having = having_words(trait)
    return HAVING.format(
        having=plain(having[:1].upper() + having[1:], 80), called=plain(repr(trait.called), 40)
    )


def common_key(trait: Shared) -> str:
    told = repr((having_words(trait), trait.called))  # In full: two may look alike where shortened.
    return f"{COMMON}{sha256(told.encode()).hexdigest()[:8]}"


def pressed(session: Session, review: Reviewed) -> list[Shared]:
    """What is pressed of what errors have in common: only items that have it are looked at."""
    if st.session_state[LIST] not in (ALL, WRONG):
        return []
    common = in_common(session, review).found
    return [trait for trait in common if st.session_state.get(common_key(trait))]


def shared(session: Session, review: Reviewed) -> None:
    """What they have in common, a line each; that there is nothing where errors are looked at."""
    common = in_common(session, review)
    if not common.found:
        if st.session_state[LIST] == WRONG and common.classifier:
            quiet("common", in_common_sentence(common))
        return
    with st.container(key="review-common", gap=None):
        for trait in common.found:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                words = common_words(trait)
                st.pills(words, [words], key=common_key(trait), label_visibility="collapsed")
                st.text(
                    AMONG.format(
                        wrong=trait.wrong,
                        items=trait.items,
                        fewer=trait.wrong_else,
                        others=trait.items_else,
                        times=times_words(trait),
                    )
                )
        sure = confidence_words(common.confidence)
        st.caption(ABOUT.format(labels=count(common.labels), sure=sure))


# --- rows ---------------------------------------------------------------------------------------


def rows(session: Session, review: Reviewed, shown: pd.DataFrame) -> None:
    if shown.empty:
        st.info(NO_ROW)
        return
    asked, pages = asked_for(), -(-len(shown) // ROWS)
    number = page_number(asked, pages)
    part = shown.iloc[number * ROWS : (number + 1) * ROWS]
    index, _ = st.session_state.get(OPENED, (0, ""))
    words = [trait.name for trait in in_common(session, review).found if trait.kind == "word"]
    pictures = small_pictures(session, part.loc[part["pictured"], "id"])
    cards = cards_node(review, part, reader_zone(), index, words, pictures)
    with st.container(key=TABLE):
        draw("reviewed-cards", "cards", cards, lambda one: open_item(int(one)), steps=True)
    if pages > 1:
        turning(asked, number, pages, len(shown))
    label = f"Take this list ({len(shown):,})"
    table_button(session, label, "reviewed", lambda: listed(session, shown))


def page_number(asked: str, pages: int) -> int:
    """The page that is looked at, counted from 0; the first one of a list asked for anew."""
    of, number = st.session_state.get(PAGE, ("", 0))
    return min(number, pages - 1) if of == asked else 0


def turning(asked: str, number: int, pages: int, rows: int) -> None:
    """Which rows are shown, and buttons to the others."""
    with st.container(horizontal=True, key="review-turn", vertical_alignment="center"):
        for label, key, to in (("Newer", NEWER, number - 1), ("Older", OLDER, number + 1)):
            there = 0 <= to < pages
            button(label, key, turn, asked, to, disabled=not there)
        st.text(f"{number * ROWS + 1:,} to {min((number + 1) * ROWS, rows):,} of {rows:,}")


def turn(asked: str, number: int) -> None:
    """Look at another page of this list."""
    st.session_state[PAGE] = (asked, number)


def asked_for() -> str:
    """List, search and filters: each of them begins with its first page."""
    common = (key for key in map(str, st.session_state) if key.startswith(COMMON))
    traits = sorted(key for key in common if st.session_state[key])
    asked = LIST, SEARCH, ANSWER, CALLED, WHO
    return repr([*map(st.session_state.get, asked), traits])


def open_item(index: int) -> None:
    st.session_state[OPENED] = (index, secrets.token_hex(12))


def listed(session: Session, shown: pd.DataFrame) -> pd.DataFrame:
    """The rows of the table of labels for these items, with content."""
    table = session.labels_table(content=True)
    return table[table["id"].isin(set(shown["id"]))]


# --- one item -----------------------------------------------------------------------------------


def opened(project: str, session: Session, review: Reviewed) -> None:
    """The item of the row that was pressed, what was said of it, and the keys to judge it again."""
    show_problem()
    index, token = st.session_state.get(OPENED, (0, ""))
    event = session.engine.in_force(index) if 0 < index <= len(session.engine.asked) else None
    if event is None and index not in {answer.index for answer in marked_open(session.state)}:
        st.text(CHOOSE if visitor.allowed(Right.SETTLE) else LOOK)
        return
    item_id = session.population.id_at(session.engine.asked[index - 1].position)
    trail.saw(project, item_id, str(token))
    content, marks = session.item_by_id(item_id), marks_of(session, review)
    show_item(token, item_nodes(content, marks, session.population.path))
    finished = session.status.over
    judged = None if finished else session.differing(index)
    if event is not None and judged is None and is_hidden(session):
        st.text("\n".join(hidden_words(session, item_id)))
    if event is None:
        st.text(STILL_OPEN)
    elif not visitor.allowed(Right.SETTLE):
        st.text(f"Answered {shown_word(answer_word(event))}.")
    elif judged is not None:
        differing(project, session, judged)
    elif (second := session.own_reading(index, people.name(session))) is not None:
        st.text(f"You answered {shown_word(answer_word(second))}. {SECOND}")
    else:
        judging_again(project, session, event, token, finished)
        if review.table.loc[review.table["index"] == index, "wrong"].any():
            explaining(project, session, review, index, token)
    where = reader_zone()
    quiet(
        "said",
        "\n".join(
            f"{clock(event.at, where)} · {one_line(session.called(event.annotator), 60)} · "
            f"{event_words(event)}"
            for event in said_of(session, index)
        ),
    )


def marks_of(session: Session, review: Reviewed) -> Highlights | None:
    """The words of the project that are marked, and those that errors have in common."""
    marks = usable_highlights(session.settings) or Highlights()
    words = [trait.name for trait in in_common(session, review).found if trait.kind == "word"]
    return replace(marks, words=tuple(dict.fromkeys([*words, *marks.words]))[:MOST_MARKED])


def explaining(project: str, session: Session, review: Reviewed, index: int, token: str) -> None:
    """The keys to say why answer and classifier differ; an unclear question may be reworded."""
    now = session.state.cause(index)
    st.text(WHY)
    with st.container(horizontal=True, key="why"):
        for cause, words, key in CAUSES:
            about = project, index, "" if cause == now else cause
            more = {"shortcut": key, "type": "primary" if cause == now else "secondary"}
            label = plain(review.named(words), 60)
            button(label, f"why-{cause}-{token}", explain, *about, **more)
    if now == "question" and visitor.allowed(Right.RUN) and not session.status.over:
        if project_menu.open_form(project) is None:
            button(REWORD, "reword", project_menu.correct_wording, project)
        project_menu.show_form(project)


def differing(project: str, session: Session, judged: Judged) -> None:
    """What people say of the item, and the way to say which answer counts."""
    answers = ", ".join(
        f"{one_line(session.called(answer.annotator), 60)} {shown_word(answer_word(answer))}"
        for answer in judged.answers
    )
    st.text(f"Judged differently: {answers}.")
    if st.button("Settle it", key="settle-this"):
        look_at(project, judged.index)
        st.switch_page("pages/people.py", query_params={"project": project})


def judging_again(project: str, session: Session, event: Event, token: str, finished: bool) -> None:
    """The keys to judge the item again."""
    index = int(event.index or 0)
    st.text(FINAL if finished else f"Answered {shown_word(answer_word(event))}. Judge it again:")
    act = partial(judge, project=project, index=index, token=token)
    choice_buttons("again", "change-", token, choices_again(session), act, disabled=finished)


def go_to_cell(project: str) -> None:
    """Open this page where a cell of the confusion table was pressed."""
    if CELL in st.session_state:
        st.switch_page("pages/review.py", query_params={"project": project})


@acting(Right.SETTLE)
def judge(project: str, index: int, answer: str, token: str) -> None:
    """Give the item this answer; the earlier one stays in the log."""
    session = sessions.session(project)
    session.revise(index, answer, token, annotator=people.name(session))
    open_item(index)


@acting(Right.SETTLE)
def explain(project: str, index: int, cause: str) -> None:
    """Say why the answer and the classifier differ."""
    session = sessions.session(project)
    session.explain(index, cause, people.name(session))
