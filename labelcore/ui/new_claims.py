"""New project, screen 3: what is claimed before the first label."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from labelcore.estimands import SCALARS
from labelcore.plan.claims import EVERY, SOME
from labelcore.plan.plan import Plan
from labelcore.planning.methods import named
from labelcore.population import Population
from labelcore.promises import Form
from labelcore.safe_text import one_line, plain
from labelcore.ui.asking import ask
from labelcore.ui.draft import Aim, Draft
from labelcore.ui.fields import BETTER, FIELDS, Field
from labelcore.ui.params import within
from labelcore.ui.presses import button
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
    "to three times as many."
)
SHARED = " The error of {error:.3g} % is shared."
SAVED = 1 / 3
OPEN = "Enter the percentage to continue."


@dataclass(frozen=True)
class Claim:
    """One claim of a draft: that a figure reaches a level, or that one classifier is better."""

    now: Draft
    aim: Aim
    population: Population
    place: int

    @cached_property
    def judged(self) -> dict[str, str]:
        """The classifiers that say yes or no to an item, each with its words."""
        return in_a_line(n for n in self.population.classifiers if n in self.population.predictions)

    @property
    def kind(self) -> Field:
        return replace(FIELDS["claim_kind"], part=f"{self.place}-kind")

    @property
    def compares(self) -> bool:
        """Whether two classifiers are compared; with several classes in accuracy only."""
        return len(self.judged) > 1 and self.kind.shown(self.now) == BETTER

    @property
    def percent(self) -> Field:
        return replace(FIELDS["claim_percent"], part=f"{self.place}-percent")

    @cached_property
    def lists(self) -> dict[str, Field]:
        """The lists that it is chosen from; the classifier that is drawn for stands first."""
        population, several = self.population, len(self.population.classes) > 2
        model, rows = model_word(population.has_judge), {}
        first = next((name for name in named(self.aim.classifier) if name in self.judged), "")

        def add(kind: str, label: str, options: Mapping[str, str], first: str = "") -> str:
            part, first = f"{self.place}-{kind}", first or next(iter(options))
            row = replace(FIELDS["claim"], label=label, options=options, first=first, part=part)
            rows[kind] = row
            return str(row.shown(self.now))

        if self.compares:
            add("compared", "Figure", self.called(COMPARED[:1] if several else COMPARED))
            better = add("better", f"Of this {model}", self.judged, first)
            others = {name: words for name, words in self.judged.items() if name != better}
            add(f"worse-{better}", "is higher than that of", others)
            return rows
        able = quantities(population) if self.judged else ["prevalence"]
        asked = next((name for name in self.aim.estimands if name in able), "")
        figure = SCALARS[add("figure", "Figure", self.called(able), asked)]
        if several and figure.per_class:
            add("class", "Class", in_a_line(population.classes), population.positive)
        if figure.needs_prediction and len(self.judged) > 1:
            add("who", model.capitalize(), self.judged, first)
        if population.groups:
            add("group", "Of", group_texts(population))
        add("way", "It is", DIRECTIONS)
        return rows

    def called(self, names: Iterable[str]) -> dict[str, str]:
        return {name: label_of(name, self.population.has_judge) for name in names}

    @property
    def said(self) -> dict[str, str]:
        """What the lists show."""
        return {kind: row.shown(self.now) for kind, row in self.lists.items()}

    @property
    def text(self) -> str | None:
        """The claim as a plan has it; None while its percentage is missing or out of bounds."""
        said, percent = self.said, self.percent.shown(self.now)
        if self.compares:
            name, *both = said.values()
            better, worse = (quantity_text(name, None, classifier) for classifier in both)
            return claim_text(better, ">", worse)
        if percent is None or self.percent.fault(percent):
            return None
        left = quantity_text(said["figure"], said.get("class"), said.get("who"))
        return claim_text(left + said.get("group", ""), said["way"], percent / 100)

    @property
    def meaning(self) -> str:
        """What it is about, in a sentence."""
        if self.compares:
            return DISAGREEMENTS + (FEWEST if len(self.population.classes) > 2 else "")
        said, audit = self.said, self.population.has_judge
        about = said.get("who") or next(iter(self.judged), None)
        inside = said.get("class") or self.population.positive
        means = quantity(said["figure"], about, inside, audit=audit)
        return plain(f"{means[:1].upper()}{means[1:]}.")

    def show(self) -> None:
        """Its inputs, in a box of their own."""
        with st.container(border=True, key=f"new-claim-box-{self.place}"):
            if len(self.judged) > 1:
                ask(self.kind)
            with st.container(horizontal=True, vertical_alignment="bottom"):
                for row in self.lists.values():
                    ask(row)
                percent = None if self.compares else ask(self.percent)
            st.caption(self.meaning)
            within(percent, self.percent.low, self.percent.high)


def quantities(population: Population) -> list[str]:
    """What a claim about a classifier may be about on this file."""
    two = len(population.classes) <= 2
    return [name for name, row in SCALARS.items() if two or row.per_class or row.of_all_classes]


def ask_claims(claims: Sequence[Claim]) -> None:
    """Each claim, and a press for another one; a sentence while one is not complete."""
    st.caption(
        "Say it now, before the first label. Labelling goes on until every claim is shown, or "
        "shown to be false."
    )
    for claim in claims:
        claim.show()
    number, now = len(claims), claims[0].now
    with st.container(horizontal=True):
        if number < MOST_CLAIMS:
            button("Another claim", "new-claim-more", now.take, "claim_count", number + 1)
        if number > 1:
            fewer = "claim_count", number - 1
            button("Remove the last claim", "new-claim-fewer", now.take, *fewer, type="tertiary")
    if not all(claim.text for claim in claims):
        st.info(OPEN)


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
    likely = labels[Form.APPROXIMATE] <= (1 - SAVED) * labels[Form.STRICT]
    first = Form.APPROXIMATE if likely else Form.STRICT
    forms = sorted(CHOICES, key=lambda form: form != first)
    options = {form: CHOICES[form].format(labels=count(labels[form])) for form in forms}
    captions = [CHOICE_CAPTIONS[form] for form in forms]
    return Form(ask("claim_form", part=first, options=options, first=first, captions=captions))


def in_a_line(names: Iterable[str]) -> dict[str, str]:
    return {name: one_line(name, 60) for name in names}


def group_texts(population: Population) -> dict[str, str]:
    """Of which items a figure may be claimed: what stands behind it, and how that is called."""
    texts = {"": "all items"}
    for column, group in population.groups.items():
        for each in (EVERY, SOME):
            texts[f"[{each} {column}]"] = f"{each} {column}"
        for name in group.names[:MOST_GROUPS]:
            texts[f"[{column}={name}]"] = f"{column} {name}"
    return {text: one_line(name, 60) for text, name in texts.items()}


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
