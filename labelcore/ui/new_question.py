"""New project, step 2: the question, its classes and their keys."""

import re
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population import Population
from labelcore.population.classes import RESERVED, grades_of, sought
from labelcore.safe_text import one_line, plain
from labelcore.ui.answers import DIGITS, KEY_PRESETS, keys_of
from labelcore.ui.asking import ask, current
from labelcore.ui.draft import Draft, Question
from labelcore.ui.fields import FIELDS, ORDERS, Rules
from labelcore.ui.item import item_nodes
from labelcore.ui.lines import fold
from labelcore.ui.new_columns import NO_COLUMN
from labelcore.ui.new_items import Items, fault_table
from labelcore.ui.status import shown_word
from labelcore.ui.surface import show_item

MOST_CLASSES, FEW = 50, 5
CODES = {"0", "1"}
UNNAMED = ("no", "yes")
SAY_NOTHING = ("no", "yes", "true", "false")
OTHER_KEYS = "Other keys"
OTHER_GRADES: dict[str, Any] = {
    "label": "Any other grade possible?",
    "more": {"placeholder": "0, 6", "max_chars": 500},
}
NO_QUESTION = "Write the question to continue."
MENDED_BEFORE = "Correct what is marked above to continue."


def question_step(items: Items) -> Question | str:
    """The question, its answers and their keys beside the first item; a sentence, for whoever
    presses on, while something is missing or wrong."""
    population = items.population
    if not measurable(population):
        return MENDED_BEFORE
    left, right = st.columns([45, 55], gap="large")
    with right:
        st.caption("The first item, as it will look")
        first = population.id_at(0)
        show_item("first", item_nodes(population.content(first), items_file=population.path))
    with left:
        two, graded = len(population.classes) == 2, items.graded
        example = "Is this message spam?" if two else "What is this about?"
        example = "How good is this answer?" if graded else example
        ask("question", more={**FIELDS["question"].more, "placeholder": example})
        if items.grades:
            ask("graded", take=partial(grade, items), first=graded)
        if two:
            choose_keys(*named_classes(population))
        else:
            choose_order(population)
            ask("other_answers", **(OTHER_GRADES if graded else {}))
        ask("instructions")
        question = question_of(current(), population)
        if isinstance(question, str) and question != NO_QUESTION:
            st.error(plain(question))
    return question


def grade(items: Items, graded: bool) -> None:
    """Read what grades as what is said of each item, so that people grade, too; or as scores."""
    for part, column in items.grades.items():
        for kind in ("score", "prediction"):
            there = graded == (kind == "prediction")
            items.now.take(kind, column if there else NO_COLUMN, part)


def question_of(now: Draft, population: Population) -> Question | str:
    """What is asked of a person; a sentence while something is missing or wrong."""
    if unmeasurable(population):
        return MENDED_BEFORE
    if len(population.classes) == 2:
        (classes, positive), keys = classes_of(now, population), Rules(now).shown("keys")
    else:
        ordered = (population.classes[place] for place in order_of(now, population))
        typed = now.value("other_answers", "").split(",")
        others = (name for part in typed if (name := one_line(part, 60).strip()))
        classes, positive, keys = (*ordered, *others), population.positive, ""
    if fault := classes_fault(classes):
        return fault
    text, instructions = now.value("question", ""), now.value("instructions", "")
    if not text.strip():
        return NO_QUESTION
    return Question(one_line(text, 300), instructions.strip(), classes, positive, keys)


def classes_of(now: Draft, population: Population) -> tuple[tuple[str, ...], str]:
    """Two classes and which of them is positive: names from the file stay; where it says 0 and 1,
    the person names them."""
    if population.classes != UNNAMED:
        first = asked_about(now.value("question", ""), population)
        return population.classes, now.value("positive", first, population.classes)
    yes, no = (now.value(name, name).strip() for name in ("yes", "no"))
    return (no, yes), yes


def asked_about(question: str, population: Population) -> str:
    """The class that counts as positive unless the person says otherwise: the one of two that the
    question names, else that of the file, or the other where it is called like what is left."""
    named = [
        name
        for name in population.classes
        if name.casefold() not in SAY_NOTHING
        and re.search(rf"\b{re.escape(name.casefold())}", question.casefold())
    ]
    if len(named) == 1:
        return named[0]
    return sought(population.classes, population.positive)


def order_of(now: Draft, population: Population) -> list[int]:
    """The classes in the order of their keys, by their places in the file."""
    counts, grades = predicted_rows(population), grades_of(population.classes)
    if Rules(now).shown("order") == ORDERS[0]:
        return list(range(len(counts)) if grades is None else map(int, np.argsort(grades)))
    return [int(place) for place in np.argsort(-counts, kind="stable")]


def predicted_rows(population: Population) -> NDArray[np.int64]:
    """How many rows each class is predicted in, by all classifiers together."""
    every = [population.called(name) for name in population.predictions]
    return np.array([sum(calls.get((word,), 0) for calls in every) for word in population.classes])


def measurable(population: Population) -> bool:
    """Whether the classes can be asked of a person; a sentence where they cannot."""
    fault = unmeasurable(population)
    if fault:
        st.error(plain(fault))
        if len(population.classes) <= MOST_CLASSES:
            fault_table(stray_words(population))
    return not fault


def unmeasurable(population: Population) -> str:
    """Why a person cannot be asked for the classes; "" where that can be done."""
    classes = population.classes
    if len(classes) > MOST_CLASSES:
        return (
            f"The predictions name {len(classes):,} classes, such as "
            f"{', '.join(classes[:3])}. At most {MOST_CLASSES} can be judged one by one: join "
            "some in the file, or choose another prediction column."
        )
    whole = [re.fullmatch(r"[+-]?\d+", name) for name in classes]
    if len(classes) == 2 or not set(classes) > CODES or all(whole):
        return ""
    first = stray_words(population)[0]
    return (
        f"The predictions mix 0 and 1 with other words ({', '.join(classes[:10])}): column "
        f"{first.column!r} holds {first.value!r} in row {first.row}. Correct the "
        f"file, write a word for each class, or choose another prediction column."
    )


def stray_words(population: Population) -> list[Fault]:
    """The first row of each class beside 0 and 1, by prediction column."""
    faults = []
    for name, column in population.arguments["predictions"].items():
        for (word,), number in population.called(name).items():
            if word in CODES:
                continue
            rule = "0 and 1 stand beside other words; "
            rule += f"{number:,} {'row has' if number == 1 else 'rows have'} this one"
            row = int(np.argmax(population.predictions[name] == population.classes.index(word))) + 1
            faults.append(Fault(population.name, column, row, word, rule))
    return sorted(faults, key=lambda fault: fault.row or 0)


def named_classes(population: Population) -> tuple[tuple[str, ...], str]:
    """The inputs for two classes, and what they say."""
    if population.classes != UNNAMED:
        names = {name: plain(name) for name in population.classes}
        first = asked_about(current().value("question", ""), population)
        # A key for each first class: while a question is on its way the browser still tells the
        # one before, which nobody chose.
        ask("positive", options=names, first=first, key=f"positive-{list(names).index(first)}")
    else:
        left, right = st.columns(2)
        with left:
            ask("yes")
        with right:
            ask("no")
    return classes_of(current(), population)


def choose_keys(classes: tuple[str, ...], positive: str) -> None:
    """Which two keys answer; the first is that of the positive class."""
    shown = st.empty()
    fold(OTHER_KEYS, "new-other-keys", lambda: ask("keys"))
    yes, no = KEY_PRESETS[Rules(current()).shown("keys")]
    other = next((name for name in classes if name != positive), "")
    shown.html(caps([(yes, shown_word(positive)), (no, shown_word(other))]))
    if no == "F":
        st.caption("Flag then has the key G.")


def choose_order(population: Population) -> None:
    """The classes in the order of their keys, shown with them."""
    shown = st.container()
    fold(OTHER_KEYS, "new-other-keys", lambda: ask("order"))
    counts, places = predicted_rows(population), order_of(current(), population)
    names = [population.classes[place] for place in places]
    shown.html(caps([(key, name) for key, name in zip(keys_of(names), names, strict=True) if key]))
    rare = [name for name, place in zip(names, places, strict=True) if 0 < counts[place] < FEW]
    if rare:
        st.warning(
            plain(
                f"Predicted in fewer than {FEW} rows: {', '.join(rare[:5])}. If that is a typing "
                f"error, correct the file first."
            )
        )
    if len(places) > len(DIGITS):
        st.caption("The first ten classes have a key; type to find the others in a list.")


def caps(answers: Sequence[tuple[str, str]]) -> str:
    """Each answer behind the cap of its key, in as few lines as they need; letters are nothing but
    letters.

    >>> caps([("Y", "<b>")])
    '<div class="lc-caps"><span><kbd>Y</kbd> &lt;b&gt;</span></div>'
    """
    parts = (f"<span><kbd>{escape(key)}</kbd> {escape(word)}</span>" for key, word in answers)
    return f'<div class="lc-caps">{"".join(parts)}</div>'


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
    reserved = [name for name in classes if name in RESERVED]
    if reserved:
        return f"{reserved[0]!r} is an answer with a meaning of its own; choose another name."
    return None
