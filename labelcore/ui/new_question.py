"""New project, step 2: the question, its classes and their keys."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.errors import Fault
from labelcore.population import Population
from labelcore.ui.answers import DIGITS, KEY_PRESETS
from labelcore.ui.draft import Question
from labelcore.ui.facts import shown_word
from labelcore.ui.item import item_nodes
from labelcore.ui.new_items import fault_table
from labelcore.ui.plain import one_line, plain
from labelcore.ui.surface import show_item

MOST_CLASSES, FEW = 50, 5
CODES = {"0", "1"}
ORDERS = ("By name", "The most frequent first")


NO_QUESTION = "Write the question to continue."
MENDED_BEFORE = "Correct what is told above to continue."


def question_step(population: Population) -> Question | str:
    """The question, its answers and their keys beside the first item; a sentence, for whoever
    presses on, while something is missing or wrong."""
    if not measurable(population):
        return MENDED_BEFORE
    left, right = st.columns([45, 55], gap="large")
    with right:
        st.caption("The first item, as it will look")
        first = population.id_at(0)
        show_item("first", item_nodes(population.content(first), items_file=population.path))
    with left:
        return asked(population)


def asked(population: Population) -> Question | str:
    text = st.text_input(
        "What is asked about each item?",
        placeholder="Is this message spam?",
        key="new-question",
        persist_state="session",
        max_chars=300,
    )
    if len(population.classes) == 2:
        classes, positive = named_classes(population)
        keys = key_preset(classes, positive)
    else:
        classes, positive, keys = ordered_classes(population), population.positive, ""
        classes = (*classes, *other_answers())
    instructions = st.text_area(
        "What counts, and what does not? (optional)",
        key="new-instructions",
        persist_state="session",
        height=90,
        max_chars=5000,
    )
    fault = classes_fault(classes)
    if fault:
        st.error(plain(fault))
        return fault
    if not text.strip():
        return NO_QUESTION
    return Question(one_line(text, 300), instructions.strip(), classes, positive, keys)


def measurable(population: Population) -> bool:
    """Whether the classes can be asked of a person; a sentence where they cannot."""
    classes = population.classes
    if len(classes) > MOST_CLASSES:
        st.error(
            plain(
                f"The predictions name {len(classes):,} classes, such as "
                f"{', '.join(classes[:3])}. At most {MOST_CLASSES} can be judged one by one: join "
                "some in the file, or choose another prediction column."
            )
        )
        return False
    whole = [re.fullmatch(r"[+-]?\d+", name) for name in classes]
    if len(classes) == 2 or not set(classes) > CODES or all(whole):
        return True
    faults = stray_words(population)
    st.error(
        plain(
            f"The predictions mix 0 and 1 with other words ({', '.join(classes[:10])}): column "
            f"{faults[0].column!r} holds {faults[0].value!r} in row {faults[0].row}. Correct the "
            f"file, write a word for each class, or choose another prediction column."
        )
    )
    fault_table(faults)
    return False


def _first_row(population: Population, name: str, word: str) -> int:
    """The first row that is called so."""
    return int(np.argmax(population.predictions[name] == population.classes.index(word))) + 1


def stray_words(population: Population) -> list[Fault]:
    """The first row of each class beside 0 and 1, by prediction column."""
    faults = []
    for name, column in population.arguments["predictions"].items():
        for (word,), number in population.called(name).items():
            if word in CODES:
                continue
            rule = "0 and 1 stand beside other words; "
            rule += f"{number:,} {'row has' if number == 1 else 'rows have'} this one"
            row = _first_row(population, name, word)
            faults.append(Fault(population.name, column, row, word, rule))
    return sorted(faults, key=lambda fault: fault.row or 0)


def named_classes(population: Population) -> tuple[tuple[str, ...], str]:
    """Names from the file stay; where it says 0 and 1, the person names them."""
    if population.classes != ("no", "yes"):
        positive = st.segmented_control(
            "Which class counts as positive?",
            population.classes,
            default=population.positive,
            required=True,
            format_func=plain,
            key=f"new-positive-{population.fingerprint}",
            persist_state="session",
        )
        return population.classes, str(positive)
    left, right = st.columns(2)
    yes = left.text_input(
        "The answer you look for",
        "yes",
        key="new-yes",
        persist_state="session",
        max_chars=40,
    ).strip()
    no = right.text_input(
        "The other answer", "no", key="new-no", persist_state="session", max_chars=40
    ).strip()
    return (no, yes), yes


def key_preset(classes: tuple[str, ...], positive: str) -> str:
    """Which two keys answer; the first is that of the positive class."""
    shown = st.empty()
    with st.expander("Other keys"):
        preset = st.segmented_control(
            "Keys",
            list(KEY_PRESETS),
            default=next(iter(KEY_PRESETS)),
            required=True,
            key="new-keys",
            persist_state="session",
        )
    other = next((name for name in classes if name != positive), "")
    yes, no = KEY_PRESETS[str(preset)]
    flag = " Flag then has the key G." if no == "F" else ""
    shown.caption(plain(f"{yes}: {shown_word(positive)} · {no}: {shown_word(other)}.{flag}"))
    return str(preset)


def ordered_classes(population: Population) -> tuple[str, ...]:
    """The classes in the order of their keys, shown with them."""
    place = st.container()
    with st.expander("Other keys"):
        order = st.segmented_control(
            "Order of the classes, and so of their keys",
            ORDERS,
            default=ORDERS[0],
            required=True,
            key="new-order",
            persist_state="session",
        )
    every = [population.called(name) for name in population.predictions]
    counts = np.array([sum(one.get((word,), 0) for one in every) for word in population.classes])
    places = np.argsort(-counts, kind="stable") if order == ORDERS[1] else np.arange(len(counts))
    classes = tuple(population.classes[place] for place in places)
    rows = [
        {"key": key, "class": name, "predicted in": f"{counts[place]:,} rows"}
        for key, name, place in zip(
            [*DIGITS, *["list"] * len(classes)][: len(classes)], classes, places, strict=True
        )
    ]
    place.dataframe(pd.DataFrame(rows), hide_index=True, key="new-classes")
    rare = [population.classes[place] for place in places if 0 < counts[place] < FEW]
    if rare:
        st.warning(
            plain(
                f"Predicted in fewer than {FEW} rows: {', '.join(rare[:5])}. If that is a typing "
                f"error, correct the file first."
            )
        )
    if len(classes) > len(DIGITS):
        st.caption("The first ten classes have a key; type to find the others in a list.")
    return classes


def other_answers() -> list[str]:
    """Classes that no classifier predicts and no known answer has: only a person knows of them."""
    typed = st.text_input(
        "Any other answer possible?",
        placeholder="receipt, contract",
        key="new-other-answers",
        persist_state="session",
        max_chars=500,
    )
    return [name for part in typed.split(",") if (name := one_line(part, 60).strip())]


def classes_fault(classes: tuple[str, ...]) -> str | None:
    """
    >>> classes_fault(("no", "no"))
    'The two answers must differ.'
    >>> classes_fault(("letter", "offer", "letter"))
    "The answer 'letter' is there twice: name each once."
    """
    if "" in classes:
        return "Both answers need a name."
    twice = [name for place, name in enumerate(classes) if name in classes[:place]]
    if twice and len(classes) == 2:
        return "The two answers must differ."
    if twice:
        return f"The answer {twice[0]!r} is there twice: name each once."
    if len(classes) > MOST_CLASSES:
        most = f"At most {MOST_CLASSES} answers can be judged one by one"
        return f"{most}, and these are {len(classes)}."
    reserved = [name for name in classes if name in ("unsure", "later", "broken")]
    if reserved:
        return f"{reserved[0]!r} is an answer with a meaning of its own; choose another name."
    return None
