"""The answers to an item and their keys, and everything else that may be pressed beside it."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Literal

import streamlit as st

from labelcore.access import Right
from labelcore.log.events import Draw, answer_word
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui import actions, visitor
from labelcore.ui.hidden import KEY, LOOKED, SAID, is_hidden
from labelcore.ui.presses import button
from labelcore.ui.status import LIST_KEY, page_words, shown_word

Kind = Literal["primary", "secondary", "tertiary"]
# All alike: a filled button would look like the answer that is expected.
KINDS: dict[str, Kind] = dict.fromkeys(("positive", "negative", "class"), "secondary")
OTHER_ANSWERS = (("unsure", "S"), ("later", "L"), ("broken", "B"))
# Positive and negative answer of two classes; the other keys of the page are S L B U F M H.
KEY_PRESETS = {
    "Y / N": ("Y", "N"),
    "1 / 0": ("1", "0"),
    "A / X": ("A", "X"),
    "V / X": ("V", "X"),
    "J / F": ("J", "F"),
}
DIGITS = "1234567890"

Choice = tuple[str, str | None, str]
Act = Callable[..., None]


def classes_in_order(session: Session) -> list[Choice]:
    """(class, key, place): of two the positive one first, of several in their order, and no key for
    those after the tenth. ``place`` is part of a widget's key."""
    population = session.population
    if len(population.classes) > 2:
        keys = keys_of(population.classes)
        return [(name, keys[n], f"class-{n}") for n, name in enumerate(population.classes)]
    yes, no = answer_keys(session)
    negative = next(name for name in population.classes if name != population.positive)
    return [(population.positive, yes, "positive"), (negative, no, "negative")]


def keys_of(classes: Sequence[str]) -> list[str | None]:
    """The keys of several classes: of digits their own, of others 1 to 9 and 0.

    >>> keys_of(["0", "1", "2"]), keys_of(["ham", "spam", "news"]), keys_of(["1", "2", "10"])
    (['0', '1', '2'], ['1', '2', '3'], ['1', '2', '3'])
    """
    if {*classes} <= {*DIGITS}:
        return [*classes]
    return [*DIGITS, *[None] * len(classes)][: len(classes)]


def answer_keys(session: Session) -> tuple[str, str]:
    """The keys of two classes that were chosen for the project, positive first."""
    return KEY_PRESETS.get(str(session.settings.get("keys", "")), KEY_PRESETS["Y / N"])


def flag_key(session: Session) -> str:
    """F, and G where F is an answer: a key never means two things."""
    two = len(session.population.classes) == 2
    return "G" if two and "F" in answer_keys(session) else "F"


def turn_key(session: Session) -> str:
    """To a page of items and back: G, and T where G is the flag."""
    return "T" if flag_key(session) == "G" else "G"


def answers_shown(session: Session) -> list[dict[str, str]]:
    """The answers that have a key, as the labelling surface takes them."""
    return [
        {
            "answer": name,
            "words": one_line(shown_word(name), 40),
            "key": key,
            "kind": KINDS.get(place.split("-")[0], "tertiary"),
            "place": place,
        }
        for name, key, place in _choices(session)
        if key is not None
    ]


def further(session: Session) -> bool:
    """Whether there are classes that have no key."""
    return any(key is None for _, key, _ in classes_in_order(session))


def further_classes(project: str, session: Session, draw: Draw) -> None:
    """The classes of the item to judge that have no key."""
    act = partial(actions.press, project=project, token=draw.token)
    _more_classes("more", draw.token, _choices(session), act)


def _choices(session: Session) -> list[Choice]:
    return [*classes_in_order(session), *((name, key, name) for name, key in OTHER_ANSWERS)]


def choices_again(session: Session) -> list[Choice]:
    """The answers that an earlier one may be changed into."""
    return [choice for choice in _choices(session) if choice[0] != "later"]


def choice_buttons(
    where: str, prefix: str, token: str, choices: list[Choice], act: Act, *, disabled: bool = False
) -> None:
    """A button for every choice that has a key, and the list of the others; ``act`` is called with
    the answer."""
    with st.container(horizontal=True, key=where):
        for name, key, place in choices:
            if key is not None:
                button(
                    plain(shown_word(name), 40),
                    f"{prefix}{place}-{token}",
                    partial(act, answer=name),
                    shortcut=key,
                    type=KINDS.get(place.split("-")[0], "tertiary"),
                    disabled=disabled,
                    wrap=True,
                )
    _more_classes(f"{prefix}more", token, choices, act, disabled=disabled)


def _more_classes(
    where: str, token: str, choices: list[Choice], act: Act, *, disabled: bool = False
) -> None:
    """The classes after the tenth: a list to type into; what is chosen there is the answer."""
    names = [name for name, key, _ in choices if key is None]
    if not names:
        return
    key = f"{where}-{token}"
    with st.container(key="more-classes"):
        st.selectbox(
            f"{len(names)} more class{'es' if len(names) > 1 else ''}",
            names,
            index=None,
            format_func=lambda name: one_line(name, 80),
            placeholder="Type to find one" + f" ({LIST_KEY})" * (where == "more"),
            key=key,
            disabled=disabled,
            on_change=lambda: act(answer=st.session_state[key]),
        )


def tools_shown(
    session: Session,
    person: str,
    draw: Draw | None,
    flagged: bool,
    *,
    paged: bool = False,
    turn: tuple[str, str] | None = None,
    finishes: bool = True,
) -> dict[str, Any]:
    """What was saved last, and everything that is not an answer, as the surface takes it.

    draw       the item that a note or a flag would be about
    paged      whether whole pages are saved and taken back
    turn       the words and the key of the way to a page of items, or back to one
    finishes   whether *Finish* is among them: not where it stands above
    """
    last, finished = session.last_answer(person), session.status.over
    latest = session.answering.last_page(person) if paged else [last] if last else []
    order = [name for name, _, _ in _choices(session)]
    given = sorted((answer_word(event) for event in latest), key=order.index)
    words = page_words(given) if len(given) > 1 else "".join(map(shown_word, given))
    notice = f"Saved: {words}" if last else "Nothing saved yet"
    undo = f"Undo {len(given)}" if len(given) > 1 else "Undo"
    looked = st.session_state.get(LOOKED, {}).get(session.project)
    may_finish = finishes and not finished and visitor.allowed(Right.RUN)
    flag = ("unflag", "Unflag") if flagged else ("flag", "Flag")
    buttons = [
        ("undo", undo, "U", last is None or finished or looked == last.sequence),
        *([(*flag, flag_key(session), False), ("note", "Note", "M", False)] if draw else []),
        ("help", "Help", "H", False),
        *([("said", SAID, KEY, last is None)] if is_hidden(session) else []),
        ("history", "History", "", False),
        *([("finish", "Finish", "", False)] if may_finish else []),
        *([("turn", *turn, False)] if turn else []),
    ]
    return {
        "saved": actions.hinted(session.project) or one_line(notice, 60),
        "last": last.sequence if last else 0,
        "note": session.last_said(draw, "noted") if draw else "",
        "buttons": [dict(zip(("act", "words", "key", "off"), row, strict=True)) for row in buttons],
    }
