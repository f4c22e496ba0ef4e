"""New project, step 3: which classifiers, and from which score on each of them says yes."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping

import numpy as np
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.charts.score_histogram import score_histogram_chart
from labelcore.population import Population
from labelcore.ui import draft
from labelcore.ui.chart import show_chart
from labelcore.ui.draft import Columns, Question
from labelcore.ui.facts import shown_word
from labelcore.ui.plain import one_line, plain

EXTREMES, MOST_THRESHOLDS = 3, 8
MOVE = "Move the threshold, or choose another prediction column."


def usable(base: Population) -> tuple[str, ...]:
    """The classifiers that can be judged, without what was found so far: with several classes those
    that predict one."""
    if len(base.classes) == 2:
        return tuple(name for name in base.classifiers if name != base.found)
    return tuple(name for name in base.classifiers if name in base.predictions)


def choose_one(
    names: tuple[str, ...], fingerprint: str, label: str = "Which classifier?"
) -> tuple[str, ...]:
    if len(names) < 2:
        return names
    key = f"new-classifier-{fingerprint}"
    begun = handed_over(names, fingerprint)
    draft.fill(key, fingerprint, "classifiers", begun[0] if begun else None)
    return (st.selectbox(label, names, key=key, persist_state="session"),)


def handed_over(names: tuple[str, ...], fingerprint: str) -> list[str] | None:
    """The classifiers of the draft; None without any, or where one is not among ``names``."""
    begun = draft.waiting(fingerprint).classifiers or ()
    return list(begun) if begun and {*begun} <= {*names} else None


DRAWN_FOR_FIRST = "Which? The items are drawn for the first."
COMPARED = "Compared"


def pair_key(fingerprint: str) -> str:
    return f"new-pair-{fingerprint}"


def compared(names: tuple[str, ...], fingerprint: str) -> tuple[str, ...]:
    """The two that are compared, as far as they are chosen; by itself the first two."""
    begun = handed_over(names, fingerprint)
    return tuple(st.session_state.get(pair_key(fingerprint), begun or names[:2]))


def choose_several(
    names: tuple[str, ...], fingerprint: str, *, pair: bool = False
) -> tuple[str, ...]:
    """The classifiers in the order chosen; the sample is drawn for the first, or for a pair."""
    if len(names) < 2:
        return names
    key = pair_key(fingerprint) if pair else f"new-classifiers-{fingerprint}"
    draft.fill(key, fingerprint, "classifiers", handed_over(names, fingerprint))
    chosen = st.multiselect(
        COMPARED if pair else DRAWN_FOR_FIRST,
        names,
        default=list(names[:2] if pair else names),
        key=key,
        persist_state="session",
    )
    return tuple(chosen)


def decided(base: Population, name: str, number: str) -> bool:
    """Whether the file says what a classifier calls positive, so that no score is cut."""
    return number != "none" and name in base.arguments["predictions"]


def cut(
    columns: Columns, base: Population, question: Question, name: str, number: str
) -> Columns | None:
    """A classifier's direction, and its thresholds ("none", "one" or "several") where no
    prediction decides; None while a threshold is wrong."""
    scores = base.scores.get(name)
    if scores is None or len(question.classes) > 2:
        return columns
    descending = direction(base, question, name)
    if number == "none" or name in base.arguments["predictions"]:
        return columns.cut(name, (), descending)
    if number == "several":
        thresholds = thresholds_input(base, question, name, descending)
        return None if thresholds is None else columns.cut(name, thresholds, descending)
    threshold = slider(base, question, name, descending)
    return columns.cut(name, (threshold,), descending)


def direction(base: Population, question: Question, name: str) -> bool:
    low = next(n for n in question.classes if n != question.positive)
    words = {False: plain(shown_word(question.positive)), True: plain(shown_word(low))}
    descending = bool(
        st.segmented_control(
            plain(f"High scores of {name} mean") if len(base.scores) > 1 else "High scores mean",
            [False, True],
            default=falls(base, name),
            required=True,
            format_func=words.__getitem__,
            key=f"new-direction-{name}-{base.fingerprint}",
            persist_state="session",
        )
    )
    with st.expander("Check both ends"):
        extremes(base, name)
    return descending


def falls(base: Population, name: str) -> bool:
    """Whether the items that a classifier calls positive have the lower scores; False where it
    calls none so, or the file does not say."""
    if name not in base.predictions or name not in base.arguments["predictions"]:
        return False
    if not 0 < base.called(name).get((base.positive,), 0) < len(base):
        return False
    positive = base.classes.index(base.positive)
    return middle(base, name, {name: positive}) < middle(base, name, {name: 1 - positive})


def middle(base: Population, name: str, predicted: Mapping[str, int]) -> float:
    """The median of the scores of a classifier where these classes are predicted."""
    there = np.ones(len(base), dtype=bool)
    for one, code in predicted.items():
        there &= base.predictions[one] == code
    return float(np.median(base.scores[name][there]))


def extremes(base: Population, name: str) -> None:
    scores = base.scores[name]
    number = min(EXTREMES, len(scores))
    order = np.argpartition(scores, [number - 1, len(scores) - number])
    ends = (("Highest scores", order[-number:], -1), ("Lowest scores", order[:number], 1))
    for title, places, sign in ends:
        st.markdown(f"**{title}**")
        for place in sorted(places, key=lambda p: sign * scores[p]):
            content = " | ".join(base.content(base.id_at(int(place))).values())
            st.text(f"{scores[place]:.4g}   {one_line(content, 160)}")


def first_threshold(base: Population, name: str) -> float:
    """One half where the scores may be probabilities, else the middle one."""
    low, high = float(base.scores[name].min()), float(base.scores[name].max())
    return 0.5 if low >= 0 and high <= 1 and low <= 0.5 <= high else middle(base, name, {})


def slider(base: Population, question: Question, name: str, descending: bool) -> float:
    scores = base.scores[name]
    low, high = float(scores.min()), float(scores.max())
    inside = low >= 0 and high <= 1
    word = shown_word(question.positive)
    label = plain(f"From which score {'down' if descending else 'on'} does {name} say {word!r}?")
    key = f"new-threshold-{name}-{base.fingerprint}"
    if inside:
        low, high = 0.0, 1.0
    if low == high:
        st.text(f"Every item has the score {low:g}.")
        return low
    start = first_threshold(base, name)
    step = 0.01 if inside else (high - low) / 200
    return float(st.slider(label, low, high, start, step, key=key, persist_state="session"))


def thresholds_key(name: str, fingerprint: str) -> str:
    return f"new-thresholds-{name}-{fingerprint}"


def show_thresholds(fingerprint: str) -> None:
    """Let the inputs show the thresholds that were handed over, if there are any."""
    for name, values in draft.waiting(fingerprint).thresholds or ():
        typed = " ".join(f"{one:.12g}" for one in values)
        st.session_state[thresholds_key(name, fingerprint)] = typed
    draft.taken(fingerprint, "thresholds")


def thresholds_input(
    base: Population, question: Question, name: str, descending: bool
) -> tuple[float, ...] | None:
    """One or several thresholds of a score; None, with a sentence, while they are wrong."""
    word = shown_word(question.positive)
    typed = st.text_input(
        plain(
            f"From which score {'down' if descending else 'on'} does {name} say {word!r}? One "
            f"threshold, or several separated by spaces"
        ),
        f"{first_threshold(base, name):g}",
        key=thresholds_key(name, base.fingerprint),
        persist_state="session",
        max_chars=200,
    )
    try:
        return read_thresholds(typed)
    except ValueError as error:
        st.error(plain(f"{name}: {error}"))
        return None


def read_thresholds(typed: str) -> tuple[float, ...]:
    """Numbers with a point or a comma, in rising order. Raises ValueError with a sentence.

    >>> read_thresholds("0.5 0,3; 0.5")
    (0.3, 0.5)
    """
    found = set()
    for part in re.split(r"[;\s]+|,\s+", typed.strip(" ;,")):
        try:
            value = float(part.replace(",", "."))
        except ValueError:
            value = math.nan
        if not math.isfinite(value):
            raise ValueError(f"A threshold is a number such as 0.5; this is {part!r}.")
        found.add(value)
    if len(found) > MOST_THRESHOLDS:
        raise ValueError(
            f"At most {MOST_THRESHOLDS} thresholds at once, and these are {len(found)}."
        )
    return tuple(sorted(found))


def show_called(
    population: Population, question: Question, names: tuple[str, ...], more: DeltaGenerator
) -> None:
    """How many items each classifier calls positive, and the picture of the first one's scores;
    both in ``more`` where the file's predictions decide."""
    first, two = names[0], len(question.classes) == 2
    for name in names if two else ():
        with st.container() if name in population.thresholds else more:
            called(population, question, name, alone=len(names) == 1)
        same_about_all(population, name)
    if first in population.scores and two:
        chart = score_histogram_chart(
            population.scores[first],
            population.thresholds.get(first),
            first in population.descending,
        )
        with st.container() if first in population.thresholds else more:
            show_chart(chart, "new-histogram", height=180)
            if len(names) > 1:
                st.caption(plain(f"The picture shows the first of them, {first}."))


def same_about_all(population: Population, name: str) -> None:
    if name in population.predictions and len(population.called(name)) == 1:
        st.warning(plain(f"{name} says the same about every item. {MOVE}"))


def called(population: Population, question: Question, name: str, *, alone: bool) -> None:
    word, size = shown_word(question.positive), len(population)
    if name not in population.predictions:
        return
    who = "" if alone else f"{name}: "
    number = population.called(name).get((population.positive,), 0)
    if name in population.thresholds:
        st.text(one_line(f"{who}{number:,} of {size:,} would be called {word!r}.", 300))
    else:
        column = population.arguments["predictions"][name]
        text = f"The column {column!r} decides: {number:,} of {size:,} are called {word!r}."
        st.text(one_line(who + text, 300))
