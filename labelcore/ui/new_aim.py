"""New project, step 3: what is to be known, and from which score on the classifier says yes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import streamlit as st

from labelcore.charts import score_histogram_chart
from labelcore.population import Population
from labelcore.ui import files
from labelcore.ui.draft import Aim, Columns, Question
from labelcore.ui.facts import shown_word
from labelcore.ui.new_items import show_faults
from labelcore.ui.plain import one_line, plain

AIMS = {
    "How accurate is it?": ("accuracy",),
    "Precision and recall": ("precision", "recall"),
    "How common is it? (prevalence)": ("prevalence",),
}
AIM_WORDS = (
    "The share of all items that the classifier judges rightly.",
    "Of what it calls positive, how much is; of what is positive, how much it finds.",
    "The share of positive items in the file, whatever the classifier says.",
)
TRAINED = {"no": "No", "yes": "Yes, some were", "unknown": "I do not know"}
TARGETS = {"file": "This file", "process": "Items like these"}
EXTREMES = 3


def aim_step(
    path: Path, columns: Columns, question: Question, base: Population
) -> tuple[Aim, Population] | None:
    st.subheader("3 · What do you want to know?", anchor=False)
    names = list(AIMS)
    if not base.classifiers:
        names = names[2:]
        st.info("Without a score or a prediction only the share of positive items can be measured.")
    chosen = st.radio(
        "What do you want to know?",
        names,
        key="new-aim",
        persist_state="session",
        captions=list(AIM_WORDS)[-len(names) :],
        label_visibility="collapsed",
    )
    name = choose_classifier(base)
    columns = columns.asked(question.classes, question.positive)
    if name is not None:
        columns = cut(columns, base, question, name)
    try:
        population = files.read(path, columns.arguments())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    if name is not None:
        called(population, question, name)
    trained = st.segmented_control(
        "Were these items used for training the classifier?",
        list(TRAINED),
        default="unknown",
        required=True,
        format_func=TRAINED.get,
        key="new-trained",
        persist_state="session",
    )
    target = st.segmented_control(
        "What is the statement about?",
        list(TARGETS),
        default="file",
        required=True,
        format_func=TARGETS.get,
        key="new-target",
        persist_state="session",
    )
    return Aim(AIMS[chosen], name, str(trained), str(target)), population


def choose_classifier(base: Population) -> str | None:
    if len(base.classifiers) < 2:
        return base.classifiers[0] if base.classifiers else None
    return st.selectbox(
        "Which classifier?",
        base.classifiers,
        key=f"new-classifier-{base.fingerprint}",
        persist_state="session",
    )


def cut(columns: Columns, base: Population, question: Question, name: str) -> Columns:
    """The direction of the score, and the threshold where no prediction decides."""
    scores = base.scores.get(name)
    if scores is None:
        return columns
    descending = direction(base, question, name)
    decides = name in base.arguments["predictions"]
    threshold = None if decides else slider(scores, question, name, base.fingerprint, descending)
    return columns.cut(name, threshold, descending)


def direction(base: Population, question: Question, name: str) -> bool:
    low = next(n for n in question.classes if n != question.positive)
    words = {False: plain(shown_word(question.positive)), True: plain(shown_word(low))}
    descending = bool(
        st.segmented_control(
            "A high score means",
            [False, True],
            default=False,
            required=True,
            format_func=words.get,
            key=f"new-direction-{name}-{base.fingerprint}",
            persist_state="session",
        )
    )
    with st.expander("Three items at each end of the score, as proof"):
        extremes(base, name)
    return descending


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


def slider(
    scores: np.ndarray, question: Question, name: str, fingerprint: str, descending: bool
) -> float:
    low, high = float(scores.min()), float(scores.max())
    inside = low >= 0 and high <= 1
    start = 0.5 if inside and low <= 0.5 <= high else float(np.median(scores))
    word = shown_word(question.positive)
    label = plain(f"From which score {'down' if descending else 'on'} does {name} say {word!r}?")
    key = f"new-threshold-{name}-{fingerprint}"
    if inside:
        low, high = 0.0, 1.0
    if low == high:
        st.text(f"Every item has the score {low:g}.")
        return low
    step = 0.01 if inside else (high - low) / 200
    return float(st.slider(label, low, high, start, step, key=key, persist_state="session"))


def called(population: Population, question: Question, name: str) -> None:
    """How many items the classifier calls positive, and the picture of its scores."""
    word, size = shown_word(question.positive), len(population)
    codes = population.predictions.get(name)
    if codes is not None:
        number = int((codes == population.classes.index(population.positive)).sum())
        if name in population.thresholds:
            st.text(f"{number:,} of {size:,} would be called {word!r}.")
        else:
            column = population.arguments["predictions"][name]
            st.text(f"The column {column!r} decides: {number:,} of {size:,} are called {word!r}.")
        if number in (0, size):
            st.warning("The classifier says the same of every item: move the threshold.")
    if name in population.scores:
        chart = score_histogram_chart(
            population.scores[name], population.thresholds.get(name), name in population.descending
        )
        st.plotly_chart(
            chart.figure,
            key="new-histogram",
            alt=chart.alt,
            height=180,
            config={"displayModeBar": False},
        )
