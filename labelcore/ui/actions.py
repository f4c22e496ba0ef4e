"""What the buttons of the labelling page do; every position comes from the store."""

import secrets
from collections.abc import Mapping
from typing import Any

import streamlit as st

from labelcore.access import Right
from labelcore.errors import LateAnswerError
from labelcore.log.events import Event, answer_word
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import grid, people, sessions, visitor
from labelcore.ui.hidden import LOOKED
from labelcore.ui.presses import acting
from labelcore.ui.status import shown_word

PANEL, HINT, DONE = "panel", "hint", "press done"
TOO_LATE = "Too late, not stored: look at the item shown now."
KEPT = "{who} had answered this item; yours is kept as a second reading."
KEPT_ALONE = "The first answer was taken back; yours is kept as a second reading."
KEPT_MANY = "Others had answered {number} of these; yours are kept as second readings."
SOMEBODY = "Another person"
LONGEST_CALLED, LONGEST_NOTE = 30, 2000
TOO_QUICK = "Too quick: look, then press again."
TAKEN_BACK, FLAGGED = "Taken back: {answer}", {True: "Flagged.", False: "No longer flagged."}


def hint(project: str, text: str | None) -> None:
    """Say this of the last press in a project; None: what was saved says enough."""
    st.session_state[HINT] = project, text


def hinted(project: str) -> str:
    """What is to be said of the last press, where that was in this project."""
    of, text = st.session_state.get(HINT, ("", None))
    return text or "" if of == project else ""


@acting(Right.JUDGE)
def pressed(project: str, key: str) -> None:
    """What the labelling surface sent, once, however often it arrives."""
    sent = st.session_state[key]["press"]
    if not sent or sent["id"] == done():
        return
    try:
        _do(project, sent)
    except Exception:
        st.session_state[DONE] = str(sent["id"])
        raise
    # A run that was broken off by the next one has done nothing: the page sends the press again.
    st.session_state[DONE] = str(sent["id"])


def _do(project: str, sent: Mapping[str, Any]) -> None:
    token = str(sent.get("token") or "")
    match sent["act"]:
        case "answer":
            press(project, token, str(sent["answer"]))
        case "page":
            press_page(project, token.split(), [str(answer) for answer in sent["answer"]])
        case "undo":
            take_back(project, int(sent["last"]))
        case "turn" | "swap" as name:
            turn_grid(project, name)
        case "flag" | "unflag":
            flag(project, token, sent["act"] == "flag")
        case "note":
            keep_note(project, token, str(sent.get("text") or ""))
        case "help" | "said" as name if panel(project).get("name") == name:
            close_panel()
        case "help" | "said" | "history" | "finish" | "extend" as name:
            open_panel(name, project=project)


def done() -> str | None:
    """The id of the last press that was dealt with."""
    return st.session_state.get(DONE)


def _index(project: str, token: str) -> int:
    """The number of a draw that was shown. Raises KeyError for any other token."""
    return sessions.session(project).state.screens.shown[token].draw.index


@acting(Right.JUDGE)
def press(project: str, token: str, answer: str) -> None:
    """Answer the item shown; a second press of the same item changes nothing."""
    session = sessions.session(project)
    first = _answered(session, token, answer)
    stored = first is not None and answer_word(first) == answer
    hint(project, _kept(session, first) if first and stored else TOO_LATE)


def _answered(session: Session, token: str, answer: str) -> Event | None:
    """The event that answers the item, this press or an earlier one; None where it came too
    late."""
    try:
        return session.answer(token, answer, annotator=people.name(session))
    except LateAnswerError:
        return None


@acting(Right.JUDGE)
def press_page(project: str, tokens: list[str], answers: list[str]) -> None:
    """Answer the items of a page; a second press of the same page changes nothing."""
    session, by_token = sessions.session(project), dict(zip(tokens, answers, strict=True))
    try:
        stored = session.answer_page(by_token)
    except LateAnswerError:
        hint(project, TOO_LATE)
        return
    late = [event for event in stored if event.kind == "late"]
    if any(answer_word(event) != by_token[str(event.answers)] for event in stored):
        hint(project, TOO_LATE)
    else:
        many = KEPT_MANY.format(number=len(late))
        hint(project, many if len(late) > 1 else _kept(session, late[0]) if late else None)


@acting(Right.JUDGE)
def turn_grid(project: str, name: str) -> None:
    """A page of items instead of one, or one again; or the other answer pressed."""
    session = sessions.session(project)
    session.sync()
    hint(project, None)
    if name == "turn":
        grid.turn(session, people.name(session))
    else:
        grid.swap(session)


def _kept(session: Session, event: Event) -> str | None:
    """What to say of an answer that came too late to count; None for one that counts."""
    if event.kind != "late":
        return None
    if event.previous is None:
        return KEPT_ALONE
    before = session.events[event.previous - 1].annotator
    named = before != event.annotator and before in session.settings.get("names", {})
    who = one_line(session.called(before), LONGEST_CALLED) if named else SOMEBODY
    return KEPT.format(who=who)


@acting(Right.JUDGE)
def take_over(project: str) -> None:
    """Give back what is on another screen, so that the next run shows it on this one; not for
    whoever has a name of a login: on another screen it is another person's."""
    if visitor.name_of_login():
        return
    session = sessions.session(project)
    session.sync()
    for shown in session.state.elsewhere(people.name(session)):
        session.release(shown.draw)


@acting(Right.JUDGE)
def take_back(project: str, sequence: int) -> None:
    """Undo the answer that this screen called the last one."""
    session = sessions.session(project)
    person = people.name(session)
    hint(project, None)
    session.sync()
    last = session.last_answer(person)
    if last is None or last.sequence != sequence:
        return
    if grid.is_on(session, person):
        grid.give_back(session, person)
        session.undo_page(person)
    else:
        session.undo(person)
        answer = one_line(shown_word(answer_word(last)), 60)
        hint(project, TAKEN_BACK.format(answer=answer))


@acting(Right.JUDGE)
def open_panel(name: str, **values: Any) -> None:
    if name in ("finish", "extend"):
        visitor.require(Right.RUN, str(values["project"]))
    if name == "said":
        session = sessions.session(str(values["project"]))
        last = session.last_answer(people.name(session))
        st.session_state.setdefault(LOOKED, {})[session.project] = last.sequence if last else None
    st.session_state[PANEL] = {"name": name, "token": secrets.token_hex(12), **values}


@acting(Right.JUDGE)
def close_panel() -> None:
    st.session_state.pop(PANEL, None)


@acting(Right.JUDGE)
def flag(project: str, token: str, flagged: bool) -> None:
    session = sessions.session(project)
    session.flag(_index(project, token), flagged, people.name(session))
    hint(project, FLAGGED[flagged])


@acting(Right.JUDGE)
def keep_note(project: str, token: str, text: str) -> None:
    session = sessions.session(project)
    session.note(_index(project, token), text[:LONGEST_NOTE], people.name(session))
    hint(project, "Note saved.")


@acting(Right.JUDGE)
def change(project: str, index: int, answer: str, token: str) -> None:
    """Change an earlier answer of one's own; ``token`` was minted when it was opened."""
    session = sessions.session(project)
    if not any(row.index == index for row in session.history(people.name(session), None)):
        visitor.require(Right.SETTLE, project)
    session.revise(index, answer, token, annotator=people.name(session))
    st.session_state[PANEL] = {"name": "history", "project": project}


@acting(Right.RUN)
def finish(project: str, key: str | None = None) -> None:
    reason = st.session_state.get(key) if key else None
    session = sessions.session(project)
    session.finish(str(reason or ""), people.name(session))
    st.session_state.pop(PANEL, None)


def allowed(session: Session) -> int:
    """How many items may be judged as it is planned and extended now."""
    return session.engine.limit if session.going_on else session.engine.answers_given


@acting(Right.RUN)
def go_on(project: str, more: int) -> None:
    session = sessions.session(project)
    budget = min(allowed(session) + more, session.engine.most)
    session.extend(budget=budget, annotator=people.name(session))
    st.session_state.pop(PANEL, None)


@acting(Right.RUN)
def go_further(project: str, precision: float, more: int | None) -> None:
    """Label on until the choice at another required precision is made, within twice the labels that
    it is expected to take."""
    session = sessions.session(project)
    most = session.engine.most
    budget = most if more is None else min(session.engine.answers_given + 2 * max(more, 1), most)
    session.seek_choice(precision, budget=budget, annotator=people.name(session))
    st.session_state.pop(PANEL, None)


@acting(Right.RUN)
def show_dots(project: str, shown: bool) -> None:
    session = sessions.session(project)
    session.reword(people.name(session), dots=shown)


@acting(Right.RUN)
def second_pass(project: str, items: int) -> None:
    session = sessions.session(project)
    session.second_pass(items, people.name(session))


def panel(project: str) -> dict[str, Any]:
    """The panel that is open on this project; empty when none is."""
    state = st.session_state.get(PANEL) or {}
    return state if state.get("project", project) == project else {}
