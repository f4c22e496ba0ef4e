"""New project, step 4: what is to be shown, as claims that the core reads."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.plan.claims import EVERY, SOME
from labelcore.plan.plan import Plan
from labelcore.planning.methods import named
from labelcore.population import Population
from labelcore.promises import Form
from labelcore.ui.asking import ask, current
from labelcore.ui.draft import Aim
from labelcore.ui.fields import BETTER, FIELDS, LEVEL
from labelcore.ui.params import within
from labelcore.ui.plain import one_line, plain
from labelcore.words.claims import CHOICE_CAPTIONS, CHOICES, TERMS
from labelcore.words.promises import watched_words
from labelcore.words.quantities import label_of, model_word, quantity
from labelcore.words.sentences import count

MOST_CLAIMS, MOST_GROUPS = 5, 20
COMPARED = ("accuracy", "precision", "recall")
DIRECTIONS = {">=": "at least", "<=": "at most"}
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


def first_claim_form(labels: Mapping[str, int]) -> Form:
    """The approximate form where it saves a third of the labels that are expected."""
    strict, likely = labels[Form.STRICT], labels[Form.APPROXIMATE]
    return Form.APPROXIMATE if likely <= (1 - SAVED) * strict else Form.STRICT


def claim_form_input(labels: Mapping[str, int]) -> Form:
    """What settles the claims, with the labels that each form is expected to need."""
    if len(labels) < len(CHOICES):
        return Form.STRICT
    first = first_claim_form(labels)
    forms = sorted(CHOICES, key=lambda form: form != first)
    options = {form: CHOICES[form].format(labels=count(labels[form])) for form in forms}
    captions = [CHOICE_CAPTIONS[form] for form in forms]
    return Form(ask("claim_form", first, options=options, first=first, captions=captions))


def claims_input(aim: Aim, population: Population) -> tuple[str, ...] | None:
    """The claims as texts; None while one is not complete."""
    st.caption(
        "Say it now, before the first label. Labelling goes on until every claim is shown, or "
        "shown to be false."
    )
    now = current()
    number = min(now.claim_count, MOST_CLAIMS)
    claims = [Claim(str(place), aim, population).ask() for place in range(number)]
    with st.container(horizontal=True):
        if number < MOST_CLAIMS:
            more = ("claim_count", number + 1)
            st.button("Another claim", key="new-claim-more", on_click=now.take, args=more)
        if number > 1:
            fewer = ("claim_count", number - 1)
            st.button(
                "Remove the last claim",
                key="new-claim-fewer",
                type="tertiary",
                on_click=now.take,
                args=fewer,
            )
    complete = tuple(text for text in claims if text)
    if len(complete) < number:
        st.info(OPEN)
        return None
    return complete


@dataclass(frozen=True)
class Claim:
    """One claim of the draft: its inputs in a box of their own, and its text."""

    place: str
    aim: Aim
    population: Population

    @property
    def judged(self) -> tuple[str, ...]:
        return judges(self.population)

    @property
    def several(self) -> bool:
        return len(self.population.classes) > 2

    def ask(self) -> str | None:
        """The claim as text; None while it is not complete."""
        with st.container(border=True, key=f"new-claim-box-{self.place}"):
            kind = LEVEL
            if comparable(self.population):
                kind = ask("claim_kind", f"{self.place}-kind")
            return self.comparison() if kind == BETTER else self.level()

    def choose(
        self, part: str, label: str, options: Mapping[str, str], first: str | None = None
    ) -> str:
        first = first or next(iter(options))
        part = f"{self.place}-{part}"
        return str(ask("claim", part, label=label, options=options, first=first))

    def who(self, part: str, label: str) -> str | None:
        """The classifier meant; the one that the sample is drawn for stands first."""
        if len(self.judged) < 2:
            return next(iter(self.judged), None)
        drawn_for = named(self.aim.classifier)
        first = next((name for name in drawn_for if name in self.judged), self.judged[0])
        return self.choose(part, label, in_a_line(self.judged), first)

    def level(self) -> str | None:
        """A figure reaches a level."""
        possible = quantities(self.population)
        first = next((name for name in self.aim.estimands if name in possible), possible[0])
        inside = None
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = self.choose("figure", "Figure", self.figures(possible), first)
            row = SCALARS[name]
            if self.several and row.per_class:
                classes = in_a_line(self.population.classes)
                inside = self.choose("class", "Class", classes, self.population.positive)
            who = self.who("who", self.model.capitalize()) if row.needs_prediction else None
            groups = group_texts(self.population)
            of = self.choose("group", "Of", groups) if len(groups) > 1 else ""
            relation = self.choose("way", "It is", DIRECTIONS)
            percent = ask("claim_percent", f"{self.place}-percent")
        about = who or next(iter(self.judged), None)
        meaning = quantity(
            name,
            about,
            inside or self.population.positive,
            audit=self.population.has_judge,
        )
        st.caption(plain(f"{meaning[:1].upper()}{meaning[1:]}."))
        bounds = FIELDS["claim_percent"]
        if percent is None or not within(percent, bounds.low, bounds.high):
            return None
        left = quantity_text(name, inside, who if len(self.judged) > 1 else None)
        return claim_text(left + of, relation, percent / 100)

    @property
    def model(self) -> str:
        return model_word(self.population.has_judge)

    def figures(self, names: Iterable[str]) -> dict[str, str]:
        return {name: label_of(name, self.population.has_judge) for name in names}

    def comparison(self) -> str:
        """One classifier is better than another; with several classes in accuracy only."""
        possible = COMPARED[:1] if self.several else COMPARED
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = self.choose("compared", "Figure", self.figures(possible))
            better = self.who("better", f"Of this {self.model}")
            others = in_a_line(one for one in self.judged if one != better)
            worse = self.choose(f"worse-{better}", "is higher than that of", others)
        st.caption(DISAGREEMENTS + (FEWEST if self.several else ""))
        return claim_text(quantity_text(name, None, better), ">", quantity_text(name, None, worse))


def in_a_line(names: Iterable[str]) -> dict[str, str]:
    return {name: one_line(name, 60) for name in names}


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


def group_texts(population: Population) -> dict[str, str]:
    """Of which items a figure may be claimed: what stands behind it, and how that is called."""
    found = {"": "all items"}
    for column, group in population.groups.items():
        for each in (EVERY, SOME):
            found[f"[{each} {column}]"] = f"{each} {column}"
        for name in group.names[:MOST_GROUPS]:
            found[f"[{column}={name}]"] = f"{column} {name}"
    return {text: one_line(said, 60) for text, said in found.items()}


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
