"""New project, step 3: what is to be known, and of which classifiers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import streamlit as st

from labelcore.designs import DESIGNS
from labelcore.estimands import DIFFERENCES, ESTIMANDS, SCALARS
from labelcore.population import Population
from labelcore.ui import draft, files
from labelcore.ui.draft import Aim, Columns, ProjectDraft, Question
from labelcore.ui.facts import shown_word
from labelcore.ui.new_classifiers import (
    choose_one,
    choose_several,
    cut,
    decided,
    show_called,
    show_thresholds,
    usable,
)
from labelcore.ui.new_items import show_faults
from labelcore.ui.new_places import Places
from labelcore.ui.plain import plain
from labelcore.ui.remedies import WayOut, refuse
from labelcore.words.arguments import TARGETS
from labelcore.words.existing import SOURCES


@dataclass(frozen=True)
class Card:
    """A question as people ask it.

    words       what it means, shown on the card that is chosen
    many        the figures where there are several classes
    thresholds  how many of a score that nothing else cuts: "none", "one", "several", or "each one":
                one where several classifiers are chosen, none for one alone
    """

    title: str
    words: str
    estimands: tuple[str, ...]
    many: tuple[str, ...] = ()
    thresholds: str = "one"


BOTH = Card(
    "Precision and recall",
    "Precision: how much of what it finds is right. Recall: how much it finds.",
    ("precision", "recall"),
    ("accuracy", "precision", "recall"),
)
ACCURACY = Card(
    "How accurate is it?",
    "The share that it gets right.",
    ("accuracy",),
    ("accuracy",),
)
BETTER = Card(
    "Is A better than B?",
    "The labels go there.",
    ("accuracy_difference", "precision_difference", "recall_difference"),
)
SEVERAL = Card(
    "Several classifiers at once",
    "Side by side, from the same labels.",
    ("accuracy", "precision", "recall"),
    ("accuracy",),
    thresholds="several",
)
SHIP = Card(
    "Which cut should I ship?",
    "The one that finds the most and is precise enough.",
    ("selection",),
    thresholds="each one",
)
RANKED = Card(
    "Where does the list turn bad?",
    "Precision from the top of the list down.",
    ("precision_curve",),
    thresholds="none",
)
PREVALENCE = Card(
    "How common is it?",
    "Whatever the classifier says.",
    ("prevalence",),
    thresholds="none",
)
CARDS = {card.title: card for card in (BOTH, ACCURACY, BETTER, SEVERAL, SHIP, RANKED, PREVALENCE)}
RARE = 0.2
"""The share called positive up to which accuracy says little: the other items decide it."""
PRESET_FOR = "new-preset-for"
QUESTION, TARGET = "new-aim", "new-target"
WHICH = {BOTH: "new-figures", SEVERAL: "new-numbers", BETTER: "new-differences"}
"""The questions of which a person says which numbers they mean, and where that is kept."""
TWO = "Choose exactly two classifiers to continue; the first is the one that may be better."
NO_KNOWN = (
    "No method for this question can use the known answers. Choose another question above "
    "({able}), or {ignored!r} on the first screen."
)
TRAINED = {"no": "No", "yes": "Yes, some were", "unknown": "I do not know"}
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


def aim_step(
    path: Path, columns: Columns, question: Question, base: Population, places: Places
) -> tuple[Aim, Population] | None:
    """What is to be known; None while something is open, which is then said with a way out."""
    with places.aim:
        return aimed(path, columns, question, base, places)


def aimed(
    path: Path, columns: Columns, question: Question, base: Population, places: Places
) -> tuple[Aim, Population] | None:
    names = usable(base)
    possible = possible_cards(base, names)
    file = base.fingerprint
    card = choose_card(possible, base, question)
    if columns.existing and not uses(card, columns.existing):
        refuse_known(possible, columns.existing, file)
        return None
    chosen = choose_classifiers(card, names, base)
    if chosen is None:
        every = WayOut("take all of them", ProjectDraft(file, classifiers=names))
        refuse("Choose at least one classifier to continue.", [every], asks=True)
        return None
    if card is BETTER and len(chosen) != 2:
        two = tuple(dict.fromkeys((*chosen, *names)))[:2]
        pair = WayOut(f"compare {two[0]} with {two[1]}", ProjectDraft(file, classifiers=two))
        refuse(TWO, [pair], asks=True)
        return None
    read = columns.asked(question.classes, question.positive)
    number = card.thresholds
    if number == "each one":
        number = "one" if len(chosen) > 1 else "none"
    show_thresholds(file)
    for name in chosen:
        with places.more if decided(base, name, number) else places.aim:
            found = cut(read, base, question, name, number)
        if found is None:
            return None
        read = found
    try:
        population = files.read(path, read.arguments())
    except (ValueError, OSError) as error:
        show_faults(error)
        return None
    compared = tuple(made for name in chosen for made in read.made_of(name))
    if compared:
        show_called(population, question, compared, places.more)
    with places.more:
        trained, target = about_the_items(file, classified=bool(chosen))
    estimands = card.many if len(question.classes) > 2 else card.estimands
    if card in WHICH and len(question.classes) == 2:
        figures = (*SCALARS, *(DIFFERENCES if card is SEVERAL and len(compared) == 2 else ()))
        first, figures = estimands, tuple(DIFFERENCES) if card is BETTER else figures
        with places.more:
            estimands = which_numbers(first, figures, file, key=WHICH[card])
        if not estimands:
            every = WayOut("take those of the question", ProjectDraft(file, estimands=first))
            refuse("Choose at least one number to continue.", [every], asks=True)
            return None
    draft.taken(file, "estimands", "classifiers")
    classifier = compared if len(compared) > 1 else next(iter(compared), None)
    aim = Aim(estimands, classifier, trained, target, columns.existing, base.fingerprint)
    return aim, population


def refuse_known(possible: list[Card], existing: str, file: str) -> None:
    """No method for the question can use the known answers: the questions that can."""
    able = [one for one in possible if uses(one, existing)]
    fault = NO_KNOWN.format(able="; ".join(one.title for one in able), ignored=SOURCES["ignored"])
    ways = [WayOut(one.title, ProjectDraft(file, question=one.title)) for one in able]
    unused = WayOut("do not use the known answers", ProjectDraft(file, existing="ignored"))
    refuse(fault, [*ways, unused])


def question_for(estimands: Sequence[str]) -> str | None:
    """The question that asks for just these numbers by itself, if there is one."""
    return next((one.title for one in CARDS.values() if one.estimands == tuple(estimands)), None)


def possible_cards(base: Population, names: tuple[str, ...]) -> list[Card]:
    """The questions that this file can answer."""
    if not names:
        return [PREVALENCE]
    two = len(base.classes) == 2
    ranked = (
        two
        and bool(base.scores)
        and any("precision_curve" in d.estimands for d in DESIGNS.values())
    )
    cut_by_score = two and any(name not in base.predictions for name in base.scores)
    possible = {
        BOTH: True,
        ACCURACY: True,
        BETTER: two and len(names) > 1,
        SEVERAL: len(names) > 1 or cut_by_score,
        SHIP: two and (bool(base.scores) or len(names) > 1),
        RANKED: ranked,
        PREVALENCE: two,
    }
    return [card for card, fits in possible.items() if fits]


def uses(card: Card, existing: str) -> bool:
    """Whether any method for the question can use known answers that came about so."""
    return any(
        existing in one.existing and {*card.estimands} <= {*one.estimands}
        for one in DESIGNS.values()
    )


def first_card(base: Population, names: tuple[str, ...], possible: list[Card]) -> Card:
    """The question that the file itself suggests.

    Scores without a prediction are a ranked list; two classifiers are compared; where few items
    are called positive accuracy says little; anything else begins with the accuracy.
    """
    if possible == [PREVALENCE]:
        return PREVALENCE
    judges = [name for name in names if name in base.predictions]
    if not judges and RANKED in possible:
        return RANKED
    if len(judges) == 2 and BETTER in possible:
        return BETTER
    few = len(base.classes) == 2 and bool(judges) and called_share(base, judges[0]) <= RARE
    return BOTH if few else ACCURACY


def called_share(base: Population, name: str) -> float:
    """The share of the items that a classifier calls positive."""
    return float(np.mean(base.predictions[name] == base.classes.index(base.positive)))


def short_words(card: Card, base: Population, question: Question) -> str:
    """What the file says about a question, on its card."""
    judges = [name for name in base.classifiers if name in base.predictions]
    two = len(base.classes) == 2
    if card is BOTH and judges and two:
        called = round(called_share(base, judges[0]) * len(base))
        return f"{called:,} of {len(base):,} are called {shown_word(question.positive)!r}."
    if card is BETTER and len(judges) > 1:
        a, b = judges[:2]
        apart = int(np.count_nonzero(base.predictions[a] != base.predictions[b]))
        return f"{a} and {b} disagree on {apart:,}."
    return ""


def choose_card(possible: list[Card], base: Population, question: Question) -> Card:
    titles, file = [card.title for card in possible], base.fingerprint
    begun = draft.waiting(file).question
    kept = st.session_state.get(QUESTION)
    if st.session_state.get(PRESET_FOR) != file or kept not in titles:
        st.session_state[QUESTION] = first_card(base, usable(base), possible).title
        st.session_state[PRESET_FOR] = file
    draft.fill(QUESTION, file, "question", begun if begun in titles else None)
    st.html(CARD_STYLE)
    if possible == [PREVALENCE]:
        st.info("Without a score or a prediction only the share of positive items can be measured.")
    captions = [
        plain(
            " ".join(
                (
                    *filter(None, [short_words(card, base, question)]),
                    *([card.words] if card.title == st.session_state[QUESTION] else []),
                )
            )
        )
        for card in possible
    ]
    chosen = st.radio(
        "What do you want to know?",
        titles,
        key=QUESTION,
        persist_state="session",
        captions=captions,
        width="stretch",
    )
    return CARDS[str(chosen)]


def choose_classifiers(
    card: Card, names: tuple[str, ...], base: Population
) -> tuple[str, ...] | None:
    """The classifiers that the question is about: () if the file has none, None until enough are
    chosen."""
    if card is RANKED:
        names = tuple(name for name in names if name in base.scores)
    if card in (SEVERAL, BETTER, SHIP):
        chosen = choose_several(names, base.fingerprint, pair=card is BETTER)
    else:
        chosen = choose_one(names, base.fingerprint)
    return chosen if chosen or not names else None


def which_numbers(
    first: tuple[str, ...], possible: tuple[str, ...], file: str, *, key: str
) -> tuple[str, ...]:
    """Which of the ``possible`` numbers are to be known; some methods give only some of them."""
    begun = draft.waiting(file).estimands
    draft.fill(key, file, "estimands", begun and list(begun))
    kept = st.session_state.get(key, [])
    if not {*kept} <= {*possible}:
        # A third classifier was added: there is no difference any more.
        st.session_state[key] = [one for one in kept if one in possible]
    chosen = st.multiselect(
        "Which numbers?",
        possible,
        default=list(first),
        format_func=ESTIMANDS.__getitem__,
        key=key,
        persist_state="session",
    )
    return tuple(chosen)


def about_the_items(file: str, *, classified: bool) -> tuple[str, str]:
    """Whether they were used for training, "" without a classifier, and what they stand for."""
    draft.fill(TARGET, file, "target", draft.waiting(file).target)
    trained = (
        st.segmented_control(
            "Were these items used to train the classifier?",
            list(TRAINED),
            default="unknown",
            required=True,
            format_func=TRAINED.__getitem__,
            key="new-trained",
            persist_state="session",
        )
        if classified
        else ""
    )
    target = st.segmented_control(
        "What is the statement about?",
        list(TARGETS),
        default="file",
        required=True,
        format_func=TARGETS.__getitem__,
        key=TARGET,
        persist_state="session",
    )
    return str(trained), str(target)
