"""New project, step 3: the questions that people ask, and which of them fit a file."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from labelcore.designs import DESIGNS
from labelcore.population import Population
from labelcore.population.classes import grades_of
from labelcore.population.guess import FOUND_FLAG
from labelcore.population.revealing import snake
from labelcore.safe_text import one_line, plain, shortened
from labelcore.ui.draft import Question
from labelcore.ui.fields import Rules
from labelcore.ui.new_classifiers import positive_of, usable
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
FOUND = Card("Have I found enough?", "Found is what the classifier calls positive.", ("recall",))
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
SEVERAL_CUTS = "Several thresholds at once"
"""The title of that card where there is one classifier."""
RARER = (SEVERAL, FOUND, LISTS)
"""Questions that stand behind a press, where there are many and the file does not suggest them."""
_EVERY = (BOTH, ACCURACY, BETTER, SEVERAL, SHIP, RANKED, LISTS, PREVALENCE, FOUND, SYSTEMS, JUDGE)
CARDS = {card.title: card for card in _EVERY}
MOST_EXACT = 300
LONGEST_NAME = 24
RARE = 0.2
"""The share called positive up to which accuracy says little: the other items decide it."""


def question_for(estimands: Sequence[str]) -> str | None:
    """The question that asks for just these numbers by itself, if there is one."""
    return next((aim.title for aim in CARDS.values() if aim.estimands == tuple(estimands)), None)


def uses(card: Card, existing: str) -> bool:
    """Whether any method for the question can use known answers that came about so."""
    return any(
        existing in design.existing and {*card.estimands} <= {*design.estimands}
        for design in DESIGNS.values()
    )


@dataclass(frozen=True)
class Questions(Rules):
    """The questions that a file can answer, and what it says of each.

    told   the known answers that are positive and count as they are
    """

    columns: Columns
    question: Question
    base: Population

    @cached_property
    def names(self) -> tuple[str, ...]:
        return usable(self.base)

    @cached_property
    def judges(self) -> list[str]:
        """Those of the classifiers that say yes or no to each item."""
        return [name for name in self.names if name in self.base.predictions]

    @property
    def two(self) -> bool:
        return len(self.base.classes) == 2

    @cached_property
    def told(self) -> int:
        if self.columns.existing != "certainty" or self.base.known is None or not self.two:
            return 0
        positive = self.base.classes.index(positive_of(self.base, self.question))
        return int(np.count_nonzero(self.base.known == positive))

    @property
    def flags(self) -> tuple[str, ...]:
        """The classifiers whose column says of every item whether it was found so far."""
        columns = self.base.arguments["predictions"]
        return tuple(n for n in self.names if FOUND_FLAG.search(snake(columns.get(n, ""))))

    @cached_property
    def possible(self) -> list[Card]:
        """The questions that the file can answer, by a method that there is."""
        base, names, two = self.base, self.names, self.two
        if not names:
            return [FOUND, PREVALENCE] if self.told else [PREVALENCE]
        answered = {name for design in DESIGNS.values() for name in design.estimands}
        orders = [name for name in names if name in base.scores and np.ptp(base.scores[name]) > 0]
        cut_by_score = two and any(name not in base.predictions for name in base.scores)
        possible = {
            SYSTEMS: base.has_judge,
            JUDGE: base.has_judge,
            BOTH: True,
            ACCURACY: True,
            BETTER: two and len(names) > 1,
            SEVERAL: len(names) > 1 or cut_by_score,
            SHIP: two and (bool(base.scores) or len(names) > 1),
            RANKED: two and bool(orders),
            LISTS: two and len(orders) > 1,
            PREVALENCE: two and not base.has_judge,
            FOUND: two,
        }
        return [card for card, fits in possible.items() if fits and answered & {*card.estimands}]

    @property
    def first(self) -> Card:
        """The question that the file itself suggests.

        Answers that were found without a classifier, and a column that says what was found, ask
        whether that is enough; scores without a prediction are a ranked list, or nothing where all
        are equal; two classifiers are compared; verdicts on answers ask for the systems; where few
        items are called positive accuracy says little; else the accuracy is asked.
        """
        if FOUND in self.possible and (self.flags or (self.told and not self.judges)):
            return FOUND
        if self.possible == [PREVALENCE]:
            return PREVALENCE
        if SYSTEMS in self.possible:
            return SYSTEMS
        if not self.judges and self.two:
            return RANKED if RANKED in self.possible else PREVALENCE
        if len(self.judges) == 2 and BETTER in self.possible:
            return BETTER
        rare = self.two and self.judges and self.called(self.judges[0]) / len(self.base) <= RARE
        return BOTH if rare else ACCURACY

    def called(self, name: str) -> int:
        """How many items a classifier calls positive."""
        return self.base.called(name).get((positive_of(self.base, self.question),), 0)

    @property
    def pair(self) -> tuple[str, ...]:
        """The two that are compared, as far as they are chosen; by itself the first two."""
        return tuple(self.now.value("pair", list(self.names[:2]), self.names))

    def title(self, card: Card) -> str:
        """The question as it stands on its card, with the names of the two that it is about; their
        letters are nothing but letters."""
        if card is SEVERAL and len(self.names) == 1:
            return SEVERAL_CUTS
        if card is not BETTER or len(self.pair) != 2:
            return card.title
        first, second = (plain(one_line(name, LONGEST_NAME)) for name in self.pair)
        return f"Is {first} better than {second}?"

    def words(self, card: Card) -> str:
        """What the file says about a question, on its card."""
        base, pair = self.base, self.pair
        if card is ACCURACY and grades_of(base.classes) is not None:
            return "The share of equal grades; the mean score stands beside it."
        if card is BOTH and self.judges and self.two:
            word, first = shortened(shown_word(self.question.positive)), self.judges[0]
            by = f" by {one_line(first, LONGEST_NAME)}" if len(self.names) > 1 else ""
            return f"{self.called(first):,} of {len(base):,} called {word!r}{by}."
        if card is BETTER and len(pair) == 2 and {*pair} <= {*self.judges}:
            differ = int(np.count_nonzero(base.predictions[pair[0]] != base.predictions[pair[1]]))
            exact = ": labelling these settles accuracy" if 0 < differ <= MOST_EXACT else ""
            return f"They disagree on {count(differ, 'item')}{exact}."
        if card is FOUND and self.told:
            read = int(np.count_nonzero(base.known >= 0)) if base.known is not None else 0
            return f"{self.told:,} found in {read:,} read."
        if card is FOUND and self.flags:
            return f"{self.called(self.flags[0]):,} of {len(base):,} found."
        return ""
