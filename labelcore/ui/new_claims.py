"""New project, step 4: what is to be shown, as claims that the core reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.promises import Form
from labelcore.ui.draft import Aim
from labelcore.ui.new_number import within
from labelcore.ui.plain import one_line, plain
from labelcore.words.claims import CHOICE_CAPTIONS, CHOICES, TERMS
from labelcore.words.promises import watched_words
from labelcore.words.quantities import quantity
from labelcore.words.sentences import count

MOST_CLAIMS = 5
COUNT = "new-claim-count"
COMPARED = ("accuracy", "precision", "recall")
LEVEL, BETTER = "A figure reaches a level", "One classifier is better than another"
DIRECTIONS = {">=": "at least", "<=": "at most"}
LOWEST, HIGHEST = 0.1, 99.9
DISAGREEMENTS = (
    "Decided by the items on which the two disagree; where they agree nothing can be learned about "
    "it."
)
FEWEST = (
    " With several classes a plain random sample needs the fewest labels for it; strata take two "
    "to "
    "three times as many."
)
SHARED = " The error of {error:.3g} % is shared."
SAVED = 1 / 3
OPEN = "Enter the percentage to continue."


def show_claim_terms(plan: Plan, budget: int | None) -> None:
    """What the confidence means for each of several claims, and how far the intervals hold;
    ``budget`` is the planned size where it is known."""
    number, error = len(plan.claims), 1 - plan.confidence
    shared = "" if number == 1 else SHARED.format(error=100 * error)
    terms = TERMS[Form(plan.claim_form)]
    valid = watched_words(plan.horizon, budget)
    alpha, times = 100 * error / number, number / error
    st.caption(terms.format(valid=valid, false=alpha, shared=shared, times=times))


def claim_form_input(labels: Mapping[str, int]) -> Form:
    """What settles the claims, with the labels that each form is expected to need; the approximate
    one stands first where it saves a third of them."""
    if len(labels) < len(CHOICES):
        return Form.STRICT
    strict, likely = labels[Form.STRICT], labels[Form.APPROXIMATE]
    first = Form.APPROXIMATE if likely <= (1 - SAVED) * strict else Form.STRICT
    options = sorted(CHOICES, key=lambda form: form != first)
    return Form(
        st.radio(
            "What settles a claim?",
            options,
            format_func=lambda form: CHOICES[form].format(labels=count(labels[form])),
            captions=[CHOICE_CAPTIONS[form] for form in options],
            key=f"new-claim-form-{first}",
            persist_state="session",
        )
    )


def claims_input(aim: Aim, population: Population) -> tuple[str, ...] | None:
    """The claims as texts; None while one is not complete."""
    st.caption(
        "Say it now, before the first label. Labelling goes on until every claim is shown, or "
        "shown to be false."
    )
    number = min(int(st.session_state.get(COUNT, 1)), MOST_CLAIMS)
    found = [_one(place, aim, population) for place in range(number)]
    with st.container(horizontal=True):
        if number < MOST_CLAIMS:
            st.button(
                "Another claim", key="new-claim-more", on_click=_set_count, args=(number + 1,)
            )
        if number > 1:
            st.button(
                "Remove the last claim",
                key="new-claim-fewer",
                type="tertiary",
                on_click=_set_count,
                args=(number - 1,),
            )
    complete = tuple(text for text in found if text)
    if len(complete) < number:
        st.info(OPEN)
        return None
    return complete


def _set_count(number: int) -> None:
    st.session_state[COUNT] = number


def _one(place: int, aim: Aim, population: Population) -> str | None:
    """One claim in its own box, as text."""
    key = f"new-claim-{place}-{population.fingerprint}"
    judged = judges(population)
    with st.container(border=True, key=f"new-claim-box-{place}"):
        kind = LEVEL
        if comparable(population):
            kind = st.segmented_control(
                "What is claimed?",
                [LEVEL, BETTER],
                default=LEVEL,
                required=True,
                key=f"{key}-kind",
                persist_state="session",
            )
        if kind == BETTER:
            return _comparison(key, judged, aim, len(population.classes) > 2)
        return _level(key, judged, aim, population)


def judges(population: Population) -> tuple[str, ...]:
    """The classifiers that say yes or no to an item."""
    return tuple(name for name in population.classifiers if name in population.predictions)


def comparable(population: Population) -> bool:
    """Whether two classifiers can be compared by counting."""
    return len(judges(population)) > 1


def quantities(population: Population) -> list[str]:
    """The quantities that a claim may be about on this file."""
    if not judges(population):
        return ["prevalence"]
    several = len(population.classes) > 2
    return [
        name for name, row in SCALARS.items() if not several or row.per_class or name == "accuracy"
    ]


def _level(key: str, judged: tuple[str, ...], aim: Aim, population: Population) -> str | None:
    possible = quantities(population)
    first = next((name for name in aim.estimands if name in possible), possible[0])
    inside = None
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = _choice("Figure", possible, first, f"{key}-figure", _label)
        row = SCALARS[name]
        if len(population.classes) > 2 and row.per_class:
            inside = _choice("Class", population.classes, population.positive, f"{key}-class")
        who = _who("Classifier", judged, aim, f"{key}-who") if row.needs_prediction else None
        relation = _choice("It is", list(DIRECTIONS), ">=", f"{key}-way", DIRECTIONS.__getitem__)
        percent = st.number_input(
            "Percent",
            value=None,
            step=1.0,
            format="%g",
            placeholder="such as 90",
            key=f"{key}-percent",
            persist_state="session",
        )
    meaning = quantity(name, who or next(iter(judged), None), inside or population.positive)
    st.caption(plain(f"{meaning[:1].upper()}{meaning[1:]}."))
    if percent is None or not within(percent, LOWEST, HIGHEST):
        return None
    return claim_text(
        quantity_text(name, inside, who if len(judged) > 1 else None), relation, percent / 100
    )


def _comparison(key: str, judged: tuple[str, ...], aim: Aim, several: bool) -> str | None:
    """With several classes in accuracy only."""
    possible = COMPARED[:1] if several else COMPARED
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = _choice("Figure", possible, possible[0], f"{key}-compared", _label)
        better = _who("Of this classifier", judged, aim, f"{key}-better")
        others = [one for one in judged if one != better]
        worse = _choice("is higher than that of", others, others[0], f"{key}-worse-{better}")
    st.caption(DISAGREEMENTS + (FEWEST if several else ""))
    return claim_text(quantity_text(name, None, better), ">", quantity_text(name, None, worse))


def _label(name: str) -> str:
    return SCALARS[name].label


def _who(label: str, judged: tuple[str, ...], aim: Aim, key: str) -> str | None:
    """The classifier meant; the one that the sample is drawn for stands first."""
    if len(judged) < 2:
        return next(iter(judged), None)
    named = (aim.classifier,) if isinstance(aim.classifier, str) else (aim.classifier or ())
    first = next((name for name in named if name in judged), judged[0])
    return _choice(label, judged, first, key)


def _choice(
    label: str,
    options: Sequence[str],
    first: str,
    key: str,
    say: Callable[[str], str] | None = None,
) -> str:
    """A list to choose from that keeps its choice on the way back."""
    return str(
        st.selectbox(
            label,
            list(options),
            index=list(options).index(first),
            format_func=say or (lambda name: one_line(name, 60)),
            key=key,
            persist_state="session",
            width=190,
        )
    )


def quantity_text(name: str, inside: str | None, classifier: str | None) -> str:
    """A quantity as a claim names it.

    >>> quantity_text("precision", "spam", "lr"), quantity_text("recall", None, "lr")
    ('precision[spam]@lr', 'recall[lr]')
    >>> quantity_text("recall", None, "a]b"), quantity_text("recall", None, None)
    ('recall@a]b', 'recall')
    """
    if inside is not None:
        return f"{name}[{inside}]" + (f"@{classifier}" if classifier else "")
    if classifier is None:
        return name
    return f"{name}@{classifier}" if "]" in classifier else f"{name}[{classifier}]"


def claim_text(left: str, relation: str, right: float | str) -> str:
    """
    >>> claim_text("precision", ">=", 0.925), claim_text("recall[A]", ">", "recall[B]")
    ('precision >= 0.925', 'recall[A] > recall[B]')
    """
    return f"{left} {relation} {right if isinstance(right, str) else format(right, '.6g')}"
