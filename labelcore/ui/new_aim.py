"""New project, step 3: what is to be known, and of which classifiers."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.estimands import CURVES, DIFFERENCES, SCALARS, SUMMARIES
from labelcore.population import Population
from labelcore.safe_text import plain
from labelcore.ui import files, new_cards
from labelcore.ui.asking import WayOut, ask, current, refuse
from labelcore.ui.draft import Aim, ProjectDraft, Question
from labelcore.ui.fields import FIELDS, TRAINED, Field, same
from labelcore.ui.new_classifiers import Cut, scored, show_called
from labelcore.ui.new_columns import Columns
from labelcore.ui.new_items import show_faults
from labelcore.ui.new_screens import Places, go
from labelcore.ui.presses import button
from labelcore.words.quantities import label_of, model_word, term_of

MORE_QUESTIONS, FEW = "new-press-more-aims", 5
TWO_OF = (new_cards.BETTER, new_cards.LISTS)
"""The questions that are about two classifiers."""
WHICH = (new_cards.BOTH, new_cards.SEVERAL, new_cards.BETTER)
"""The questions of which a person says which numbers they mean."""
TWO = "Choose exactly two classifiers to continue; the first is the one that may be better."
NO_KNOWN = "No method for this question can use the known answers."
ONLY_SHARE = (
    "No column is read as a classifier, so only the share of positive items can be measured, and "
    "not how good a classifier is."
)
DRAWN_FOR_FIRST = "Which? The items are drawn for the first."
TO_COLUMNS = "Name the classifier's column"
ORDERS = "Which score says what is likely?"
NO_CLASSIFIER = "Choose at least one classifier to continue."
NO_NUMBER = "Choose at least one number to continue."
NO_CLASS = "Choose at least one class to continue."
CARD_STYLE = """<style>
.st-key-new-aim [role="radiogroup"] { gap: 0.35rem; width: 100%; }
.st-key-new-aim [role="radiogroup"] > div {
  position: relative; width: 100%; box-sizing: border-box; padding: 0.35rem 0.7rem;
  border: 1px solid var(--border); border-radius: 0.5rem;
}
.st-key-new-aim [role="radiogroup"] > div[data-selected] {
  border-color: var(--data); box-shadow: inset 0 0 0 1px var(--data);
}
.st-key-new-aim [role="radiogroup"] label::after { content: ""; position: absolute; inset: 0; }
.st-key-new-aim [role="radiogroup"] label > div { position: relative; z-index: 1; }
</style>"""


@dataclass(frozen=True)
class Asked(new_cards.Questions):
    """What the draft asks of a file, as far as it is read: the card and its classifiers."""

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        match name:
            case "numbers":
                first, possible = self.numbers
                words = {name: label_of(name, self.base.has_judge) for name in possible}
                return {"options": words, "first": list(first)}
            case "matter":
                classes = self.question.classes
                words = {name: plain(name) for name in classes}
                return {"options": words, "first": list(classes)}
        return {}

    @cached_property
    def card(self) -> new_cards.Card:
        """The question that is chosen; by itself the one that the file suggests."""
        titles = [card.title for card in self.possible]
        return new_cards.CARDS[self.now.value("aim", self.first.title, titles)]

    @property
    def of_known(self) -> bool:
        """Whether it is about the answers that are there already, and about no classifier."""
        return self.card is new_cards.FOUND and self.told > 0

    @cached_property
    def eligible(self) -> tuple[str, ...]:
        """The classifiers that the question may be about, the likeliest first."""
        if self.card in (new_cards.RANKED, new_cards.LISTS) or self.of_known:
            return scored(self.base, self.names)
        first = self.flags if self.card is new_cards.FOUND else ()
        return (*first, *(name for name in self.names if name not in first))

    @cached_property
    def choice(self) -> Field | None:
        """The input for the classifiers that the question is about; None where only one may be."""
        if len(self.eligible) < 2:
            return None
        options, every = same(self.eligible), list(self.eligible)
        if self.card in TWO_OF:
            return replace(FIELDS["pair"], options=options, first=every[:2])
        if self.card in (new_cards.SEVERAL, new_cards.SHIP):
            label = FIELDS["classifiers"].label if self.two else DRAWN_FOR_FIRST
            return replace(FIELDS["classifiers"], label=label, options=options, first=every)
        label = ORDERS if self.of_known else f"Which {model_word(self.base.has_judge)}?"
        return replace(FIELDS["classifier"], label=label, options=options, first=every[0])

    @cached_property
    def classifiers(self) -> tuple[str, ...]:
        """The classifiers that the question is about, the one that items are drawn for first."""
        if self.choice is None:
            return self.eligible
        chosen = self.choice.shown(self.now)
        return (chosen,) if isinstance(chosen, str) else tuple(chosen)

    @property
    def thresholds(self) -> str:
        """How many thresholds each score gets that no prediction decides."""
        if self.of_known:
            return "none"
        if self.card.thresholds == "each one":
            return "one" if len(self.classifiers) > 1 else "none"
        return self.card.thresholds

    @property
    def cuts(self) -> list[Cut]:
        """Direction and thresholds of each classifier."""
        given = self.now, self.base, self.question
        return [Cut(*given, name, self.thresholds) for name in self.classifiers]

    @cached_property
    def refusal(self) -> tuple[str, list[WayOut], bool] | None:
        """Why nothing can be asked so, with the ways out, and whether something is only still to be
        chosen; None where it can be asked."""
        existing, names = self.columns.existing, self.names
        if existing and not new_cards.uses(self.card, existing):
            able = [card for card in self.possible if new_cards.uses(card, existing)]
            ways = [WayOut(card.title, ProjectDraft(question=card.title)) for card in able]
            unused = WayOut("do not use the known answers", ProjectDraft(existing="ignored"))
            return NO_KNOWN, [*ways, unused], False
        if self.card in TWO_OF and len(self.classifiers) != 2:
            two = tuple(dict.fromkeys((*self.classifiers, *self.eligible)))[:2]
            pair = WayOut(f"compare {two[0]} with {two[1]}", ProjectDraft(classifiers=two))
            return TWO, [pair], True
        if self.eligible and not self.classifiers:
            every = WayOut("take all of them", ProjectDraft(classifiers=names))
            return NO_CLASSIFIER, [every], True
        return None

    @cached_property
    def read(self) -> Columns:
        """The columns with each classifier's direction and thresholds. Raises ValueError with a
        sentence for a threshold that is wrong."""
        classes, positive = self.question.classes, self.question.positive
        read = replace(self.columns.without_found(), classes=classes, positive=positive)
        for cut in self.cuts:
            read = cut.columns(read)
        if not self.of_known:
            return read
        order = next(iter(self.classifiers), None)
        return read.finding(read.scores.get(order or ""), descending=order in read.descending)

    @property
    def judged(self) -> tuple[str, ...]:
        """The classifiers as the file is read: one for each threshold."""
        if self.of_known:
            return ()
        return tuple(column for name in self.classifiers for column in self.read.made_of(name))

    @property
    def numbers(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The numbers that the question asks for by itself, and those that a person may choose
        instead, if any."""
        several = len(self.question.classes) > 2
        first = self.card.many if several else self.card.estimands
        if self.card is new_cards.RANKED:
            return first, (*CURVES, *SUMMARIES)
        if several or self.card not in WHICH:
            return first, ()
        if self.card is new_cards.BETTER:
            return first, tuple(DIFFERENCES)
        pair = self.card is new_cards.SEVERAL and len(self.judged) == 2
        return first, (*SCALARS, *(DIFFERENCES if pair else ()))

    @property
    def estimands(self) -> tuple[str, ...]:
        """The numbers that are asked for; () while none is chosen."""
        first, possible = self.numbers
        return tuple(self.shown("numbers", self.card.title)) if possible else first

    def title(self, card: new_cards.Card) -> str:
        """As in any question; the one whose title is its numbers names those chosen instead."""
        if card is not self.card or card is not new_cards.BOTH:
            return super().title(card)
        if (chosen := self.estimands) in ((), self.numbers[0]):
            return super().title(card)
        first, *more = (term_of(name, self.base.has_judge) for name in chosen)
        words = " and ".join(filter(None, [", ".join([first, *more[:-1]]), *more[-1:]]))
        return words[:1].upper() + words[1:]

    @property
    def matters(self) -> bool:
        """Whether it is asked which classes have figures of their own."""
        several = len(self.question.classes) > 2
        return several and any(SCALARS[name].per_class for name in self.estimands)

    def aim(self, population: Population) -> Aim:
        """What is to be known."""
        judged, existing, target = self.judged, self.columns.existing, self.shown("target")
        if self.of_known:
            known = population.found
            return Aim(
                new_cards.FOUND.estimands, known, "", target, existing, card=new_cards.FOUND.title
            )
        trained, matter = self.shown("trained") if judged else "", self.shown("matter")
        some = self.matters and {*matter} != {*self.question.classes}
        classifier = judged if len(judged) > 1 else next(iter(judged), None)
        focus, title = tuple(matter) if some else None, self.card.title
        which = bool(self.numbers[1]) and self.card not in (new_cards.BETTER, new_cards.RANKED)
        return Aim(self.estimands, classifier, trained, target, existing, focus, title, which)


def aim_step(
    path: Path, columns: Columns, question: Question, base: Population, places: Places
) -> tuple[Aim, Population] | None:
    """What is to be known; None while something is open, which is then said with a way out."""
    asked = Asked(current(), columns, question, base)
    with places.aim:
        choose_card(asked)
        open_still = asked.refusal is None or asked.refusal[2]
        if asked.choice is not None and open_still:
            ask(asked.choice)
        if asked.refusal is not None:
            fault, ways, asks = asked.refusal
            refuse(fault, ways, asks=asks)
            return None
        for cut in asked.cuts:
            with places.more if cut.predicted and cut.number != "none" else places.aim:
                if cut.ask(columns) is None:
                    return None
        try:
            population = files.read(path, asked.read.to_json())
        except (ValueError, OSError) as error:
            show_faults(error)
            return None
        return show_figures(asked, population, places)


def show_figures(
    asked: Asked, population: Population, places: Places
) -> tuple[Aim, Population] | None:
    """Which numbers are asked for, about which items; None while none is chosen."""
    if asked.judged:
        show_called(population, asked.question, asked.judged, places.more)
    (first, possible), title = asked.numbers, asked.card.title
    with places.more:
        if asked.judged:
            ask("trained", label=TRAINED.format(model=model_word(population.has_judge)))
        ask("target")
        if possible:
            ask(asked.row("numbers", title))
    if not asked.estimands:
        every = ProjectDraft(question=title, estimands=first)
        refuse(NO_NUMBER, [WayOut("take those of the question", every)], asks=True)
        return None
    if asked.matters and not ask(asked.row("matter")):
        refuse(NO_CLASS, [], asks=True)
        return None
    return asked.aim(population), population


def choose_card(asked: Asked) -> None:
    """The questions as cards."""
    chosen = asked.card
    table = st.container()
    shown = shown_cards(asked)
    st.html(CARD_STYLE)
    if asked.possible == [new_cards.PREVALENCE]:
        st.info(ONLY_SHARE)
        button(TO_COLUMNS, "new-to-columns", go, 1)

    def caption(card: new_cards.Card) -> str:
        return plain(asked.words(card) or (card.words if card is chosen else ""))

    with table:
        ask(
            "aim",
            options={card.title: asked.title(card) for card in shown},
            first=chosen.title,
            captions=[caption(card) for card in shown],
        )


def shown_cards(asked: Asked) -> list[new_cards.Card]:
    """The questions that stand there; the rarer ones once one of them is chosen, or asked for."""
    possible = asked.possible
    if len(possible) <= FEW or asked.card in new_cards.RARER or asked.now.every_aim:
        return possible
    button("More questions", MORE_QUESTIONS, asked.now.take, "every_aim", True, type="tertiary")
    lists = not asked.judges
    return [
        card
        for card in possible
        if card not in new_cards.RARER or (card is new_cards.LISTS and lists)
    ]
