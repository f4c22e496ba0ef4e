"""New project, step 3: the questions that people ask, and which of them fit a file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from labelcore.designs import DESIGNS
from labelcore.population import Population
from labelcore.population.guess import FOUND_FLAG
from labelcore.population.revealing import snake
from labelcore.safe_text import one_line, plain
from labelcore.ui.draft import Question
from labelcore.ui.new_columns import Columns
from labelcore.ui.status import shown_word
from labelcore.words.sentences import count


@dataclass(frozen=True)
class Card:
    """A question as people ask it.

    words       what it means, on the card that is chosen, where the file itself says nothing
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
    "How right, how complete?",
    ("precision", "recall"),
    ("accuracy", "precision", "recall"),
)
ACCURACY = Card(
    "How accurate is it?", "The share that it gets right.", ("accuracy",), ("accuracy",)
)
BETTER = Card(
    "Is A better than B?",
    "The first, the second, or neither.",
    ("accuracy_difference", "precision_difference", "recall_difference"),
)
SEVERAL = Card(
    "Several classifiers at once",
    "Side by side, same labels.",
    ("accuracy", "precision", "recall"),
    ("accuracy",),
    thresholds="several",
)
SHIP = Card(
    "Which cut should I ship?",
    "The deepest at a precision you name.",
    ("selection",),
    thresholds="each one",
)
RANKED = Card(
    "Where does the list turn bad?",
    "Precision down the list.",
    ("precision_curve",),
    thresholds="none",
)
LISTS = Card(
    "Which list is better?",
    "At every rank, from the labels that tell them apart.",
    ("precision_curve_difference",),
    thresholds="none",
)
PREVALENCE = Card(
    "How common is it?", "Whatever the classifier says.", ("prevalence",), thresholds="none"
)
FOUND = Card("Have I found enough?", "The share of all there are.", ("recall",))
SYSTEMS = Card(
    "How good is my system, judged by a model?",
    "Its pass rate, as people judge; the judge helps.",
    ("prevalence",),
)
JUDGE = Card(
    "How good is my judge?",
    "Held against people: what it passes and they do not.",
    ("accuracy", "recall", "specificity"),
)
RARER = (SEVERAL, FOUND, LISTS)
"""Questions that stand behind a press, where there are many and the file does not suggest them."""
_EVERY = (BOTH, ACCURACY, BETTER, SEVERAL, SHIP, RANKED, LISTS, PREVALENCE, FOUND, SYSTEMS, JUDGE)
CARDS = {card.title: card for card in _EVERY}
MOST_EXACT = 300
LONGEST_NAME = 24
RARE = 0.2
"""The share called positive up to which accuracy says little: the other items decide it."""


def positive_of(base: Population, question: Question) -> str:
    """The class of the file that counts as positive, whatever the person calls it."""
    if len(base.classes) > 2:
        return base.positive
    return base.classes[question.classes.index(question.positive)]


def found_so_far(columns: Columns, base: Population, question: Question) -> int:
    """The positive items among the known answers that count as they are."""
    if columns.existing != "certainty" or base.known is None or len(base.classes) != 2:
        return 0
    positive = base.classes.index(positive_of(base, question))
    return int(np.count_nonzero(base.known == positive))


def question_for(estimands: Sequence[str]) -> str | None:
    """The question that asks for just these numbers by itself, if there is one."""
    return next((aim.title for aim in CARDS.values() if aim.estimands == tuple(estimands)), None)


def possible_cards(base: Population, names: tuple[str, ...], known: int = 0) -> list[Card]:
    """The questions that this file can answer; ``told`` known items are positive."""
    if not names:
        return [FOUND, PREVALENCE] if known else [PREVALENCE]
    two = len(base.classes) == 2
    ranked = (
        two
        and bool(base.scores)
        and any("precision_curve" in d.estimands for d in DESIGNS.values())
    )
    cut_by_score = two and any(name not in base.predictions for name in base.scores)
    possible = {
        SYSTEMS: base.has_judge,
        JUDGE: base.has_judge,
        BOTH: True,
        ACCURACY: True,
        BETTER: two and len(names) > 1,
        SEVERAL: len(names) > 1 or cut_by_score,
        SHIP: two and (bool(base.scores) or len(names) > 1),
        RANKED: ranked,
        LISTS: two and sum(name in base.scores for name in names) > 1,
        PREVALENCE: two and not base.has_judge,
        FOUND: two,
    }
    return [card for card, fits in possible.items() if fits]


def uses(card: Card, existing: str) -> bool:
    """Whether any method for the question can use known answers that came about so."""
    return any(
        existing in design.existing and {*card.estimands} <= {*design.estimands}
        for design in DESIGNS.values()
    )


def first_card(
    base: Population,
    question: Question,
    names: tuple[str, ...],
    possible: list[Card],
    known: int,
) -> Card:
    """The question that the file itself suggests.

    Answers that were found without a classifier, and a column that says what was found, ask whether
    that is enough; scores without a prediction are a ranked list; two classifiers are compared;
    verdicts on answers ask for the systems; where few items are called positive
    accuracy says little; anything else begins with the accuracy.
    """
    judges = [name for name in names if name in base.predictions]
    if FOUND in possible and (flags(base, names) or (known and not judges)):
        return FOUND
    if possible == [PREVALENCE]:
        return PREVALENCE
    if SYSTEMS in possible:
        return SYSTEMS
    if not judges and RANKED in possible:
        return RANKED
    if len(judges) == 2 and BETTER in possible:
        return BETTER
    if len(base.classes) == 2 and judges:
        called = base.called(judges[0]).get((positive_of(base, question),), 0)
        return BOTH if called / len(base) <= RARE else ACCURACY
    return ACCURACY


def flags(base: Population, names: tuple[str, ...]) -> tuple[str, ...]:
    """The classifiers whose column says of every item whether it was found so far."""
    columns = base.arguments["predictions"]
    return tuple(name for name in names if FOUND_FLAG.search(snake(columns.get(name, ""))))


def titled(card: Card, pair: tuple[str, ...]) -> str:
    """The question as it stands on its card, with the names of the two that it is about; their
    letters are nothing but letters.

    >>> titled(BETTER, ("lr", "nb")), titled(BETTER, ()), titled(PREVALENCE, ("lr", "nb"))
    ('Is lr better than nb?', 'Is A better than B?', 'How common is it?')
    """
    if card is not BETTER or len(pair) != 2:
        return card.title
    first, second = (plain(one_line(name, LONGEST_NAME)) for name in pair)
    return f"Is {first} better than {second}?"


def short_words(
    card: Card, base: Population, question: Question, known: int, pair: tuple[str, ...]
) -> str:
    """What the file says about a question, on its card; ``pair``: the two that one is about."""
    judges = [name for name in base.classifiers if name in base.predictions and name != base.found]
    two = len(base.classes) == 2
    if card is BOTH and judges and two:
        called = base.called(judges[0]).get((positive_of(base, question),), 0)
        return f"{called:,} of {len(base):,} called {shown_word(question.positive)!r}."
    if card is BETTER and len(pair) == 2 and {*pair} <= {*judges}:
        first, second = (base.predictions[name] for name in pair)
        differ = int(np.count_nonzero(first != second))
        exact = ": labelling these settles accuracy" if 0 < differ <= MOST_EXACT else ""
        return f"They disagree on {count(differ, 'item')}{exact}."
    if card is FOUND and known:
        read = int(np.count_nonzero(base.known >= 0)) if base.known is not None else 0
        return f"{known:,} found in {read:,} read."
    return ""
