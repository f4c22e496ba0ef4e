"""Help, history, Finish and more labels beside the item, which stays where it is.

While one of them but the help is open no answer button exists, so no shortcut can label an item
behind it.
"""

from functools import partial
from typing import Any

import streamlit as st

from labelcore import items
from labelcore.log.events import answer_word
from labelcore.log.history import HistoryRow
from labelcore.promises import Promise
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import actions, grid, trail
from labelcore.ui.answers import choice_buttons, choices_again, classes_in_order, flag_key, turn_key
from labelcore.ui.hidden import KEY, hidden_words, is_hidden
from labelcore.ui.more_labels import after_budget, ask_how_many
from labelcore.ui.naming import is_asked, name_form, several_people
from labelcore.ui.presses import button
from labelcore.ui.status import LIST_KEY, counts, goal_line, shown_word
from labelcore.ui.times import clock, reader_zone
from labelcore.words.sentences import count
from labelcore.words.stops import planned_words

LAST, ONLY = 50, "only-second"
NOTHING = "There is nothing here yet."
ELSEWHERE = "Nothing was judged in this browser yet; the project has {answers}: see Review."
KEYS = (
    "S  Not sure: you looked and cannot say. Many of them widen the interval.\n"
    "L  Later: the item comes back at the end; once a goal is reached, only in Review.\n"
    "B  Broken: the item cannot be judged at all.\n"
    "U  Undo, as often as you like.\n"
    "{flag}  Flag, M  Note: kept with the item, no effect on the figures.\n"
    "H  This help.  Esc  closes it."
)
GRID_KEY = "{turn}  Grid: several items on one page.\n"
VERDICT_KEY = "{key}  Verdict: what was hidden of your last item.\n"

PAGE_KEYS = (
    "The key on an item  presses it, once more lets go.\n"
    "Shift and that key  Not sure: you looked and cannot say.\n"
    "Enter  saves the page: what is not pressed has the other answer.\n"
    "U  Undo: takes back a page.\n"
    "P  Press the others instead.\n"
    "{turn}  One by one: for Later, Broken, Note and Flag.\n"
    "H  This help.  Esc  closes it."
)


def beside(panel: dict[str, Any]) -> bool:
    """Whether a panel stands beside the item, in the place of the figures."""
    return panel.get("name") in ("help", "said", "history", "finish", "extend")


def lets_judge(panel: dict[str, Any]) -> bool:
    """Whether the item can be judged while the panel is open."""
    return panel.get("name") in (None, "help", "said")


def show_panel(project: str, session: Session, panel: dict[str, Any], person: str) -> None:
    with st.container(border=True, key="beside" if beside(panel) else "panel"):
        if panel["name"] == "help":
            help_panel(session, person)
        elif panel["name"] == "said":
            said_panel(session, person)
        elif panel["name"] == "history":
            history_panel(project, session, person)
        elif panel["name"] == "open":
            opened_panel(project, session, panel, person)
        elif panel["name"] == "finish":
            finish_panel(project, session)
        elif panel["name"] == "extend":
            extend_panel(project, session)


def close_button(label: str = "Close") -> None:
    button(label, "close", actions.close_panel, shortcut="Escape")


def help_panel(session: Session, person: str) -> None:
    close_button()
    instructions = str(session.settings.get("instructions") or "").strip()
    st.markdown("**What counts?**")
    st.text(instructions or "No instructions were written for this project.")
    st.markdown("**Keys**")
    meant = dict(enumerate(session.settings.get("answer_words") or []))
    caps = [
        f"{key or LIST_KEY}  {one_line(shown_word(name), 80)}"
        + (f": {meant[n]}" if meant.get(n) else "")
        for n, (name, key, _) in enumerate(classes_in_order(session))
    ]
    paged, turn = grid.is_on(session, person), turn_key(session)
    keys = PAGE_KEYS.format(turn=turn) if paged else KEYS.format(flag=flag_key(session))
    more = VERDICT_KEY.format(key=KEY) if is_hidden(session) else ""
    more += GRID_KEY.format(turn=turn) if grid.was_offered(session) and not paged else ""
    st.text("\n".join([*([] if paged else caps), more + keys]))
    st.text(f"Your answers are stored under the name “{one_line(person, 60)}”.")
    if several_people(session) and not is_asked(session, person):  # The form stands there once.
        name_form(session.project, session, person, "What you are called")


def said_panel(session: Session, person: str) -> None:
    """What was hidden of the item that was judged last."""
    close_button()
    last = session.last_answer(person)
    if last is None or last.item_id is None:
        st.text(NOTHING)
        return
    st.markdown("**Your last item**")
    st.text(f"you: {shown_word(answer_word(last))}")
    st.text("\n".join(hidden_words(session, last.item_id)))


def history_panel(project: str, session: Session, person: str) -> None:
    rows = session.history(person, LAST)
    last = count(min(LAST, len(rows)), "answer")
    st.markdown(f"**The last {last}**" if rows else "**History**")
    close_button("Back to the queue")
    changed = st.session_state.get(ONLY) or any(row.second for row in rows)
    if changed and st.checkbox("Only those answered differently the second time", key=ONLY):
        rows = [row for row in session.history(person, None) if row.second]
    with st.container(height=280, border=False, key="history"):
        for row in rows:
            marks = row_marks(row)
            answer, opens = st.columns([4, 1], vertical_alignment="center")
            answer.text(
                f"{row.index}. {shown_word(row.answer)} · {clock(row.at, reader_zone())} · "
                f"{glimpse(session, row.item_id)}{marks}"
            )
            about = {"project": project, "index": row.index}
            with opens:
                button("Open", f"open-{row.index}", partial(actions.open_panel, "open", **about))
    if not rows:
        others = session.engine.answers_given
        st.text(ELSEWHERE.format(answers=count(others, "answer")) if others else NOTHING)


def row_marks(row: HistoryRow) -> str:
    """What a row of the history says beside the answer."""
    second = f" · the second time: {shown_word(row.second)}" if row.second else ""
    note = f" · {one_line(row.note, 60)}" if row.note else ""
    return second + (" · flagged" if row.flagged else "") + note


def glimpse(session: Session, item_id: str) -> str:
    """The beginning of an item's text; its id beside a picture or where there is no text."""
    trail.saw(session.project, item_id)
    text = items.glimpse(session.item_by_id(item_id))
    name = one_line(item_id, 40)
    return f"{text} {name}" if text == "(picture)" else text or name


def opened_panel(project: str, session: Session, panel: dict[str, Any], person: str) -> None:
    index, token = int(panel["index"]), str(panel["token"])
    row = next((row for row in session.history(person, None) if row.index == index), None)
    if row is None:
        st.text("This item no longer has an answer: it was taken back.")
        close_button("Back to the queue")
        return
    finished = session.status.over
    what_now = "The project is finished." if finished else "Press another answer to change it."
    st.text(f"Item {index} was answered: {shown_word(row.answer)}. {what_now}")
    if is_hidden(session):
        st.text("\n".join(hidden_words(session, row.item_id)))
    act = partial(actions.change, project=project, index=index, token=token)
    choice_buttons("changes", "change-", token, choices_again(session), act, disabled=finished)
    with st.container(horizontal=True):
        close_button("Back to the queue")
        button("History", "back-history", partial(actions.open_panel, "history", project=project))


def extend_panel(project: str, session: Session) -> None:
    """More labels, while one labels."""
    st.markdown("**More labels?**")
    st.text(after_budget(session))
    ask_how_many(project, session)
    close_button("Stay with the plan")


def finish_panel(project: str, session: Session) -> None:
    st.markdown("**Finish this project?**")
    st.text(" ".join(part for part in (not_reached(session), finish_warning(session)) if part))
    st.text_input(
        "Why now? (printed in the report)",
        key="finish-reason",
        max_chars=300,
        placeholder="For example: the interval is narrow enough",
    )
    with st.container(horizontal=True):
        words, reason = "Finish and report", "finish-reason"
        button(words, "finish-now", actions.finish, project, reason, type="primary")
        close_button("Go on labelling")


def not_reached(session: Session) -> str:
    """What the plan still lacks; "" where nothing."""
    now = counts(session)
    if now.ended or now.answered >= now.total:
        return ""
    there = (
        f"The plan is not reached yet: {now.answered:,} of {now.how}{count(now.total, 'answer')}."
    )
    return f"{there} {goal_line(session)}".strip()


def finish_warning(session: Session) -> str:
    """What finishing now means for the promise."""
    if session.plan.promise == Promise.FIXED and not session.complete:
        engine = session.engine
        planned = planned_words(session.plan, engine.planned - engine.given)
        due = "its end" if engine.pilot else planned
        return (
            f"Your plan promises an interval at {due}. Finishing earlier "
            "shows an interval without that promise, and the report says so."
        )
    later = session.engine.kinds["later"]
    open_items = f" {later} put off for later will count both ways." if later else ""
    return (
        "The report is then final, and every answer stays. Adding more labels later is possible; "
        f"the log records it.{open_items}"
    )
