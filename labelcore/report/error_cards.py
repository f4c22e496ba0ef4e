"""What the classifier got wrong, as cards of a page that is handed over: they hold what the items
say, so only where somebody agrees each time."""

from collections.abc import Iterator, Sequence

import numpy as np

from labelcore.designs.base import IntArray
from labelcore.figures.with_classifier import labels_in_force
from labelcore.items.glimpses import glimpse, pieces
from labelcore.report.markup import Child, Markup, element, theirs
from labelcore.results.in_common import ErrorsInCommon
from labelcore.session.session import Session
from labelcore.words.in_common import ABOUT, shared_words
from labelcore.words.sentences import confidence_words, count, score_words

MOST_CARDS, LONGEST = 60, 240
ALARM, MISS, WRONG = "false alarm", "miss", "wrong"
SHOWN = "{shown} among these labels"


def errors_of(session: Session) -> tuple[str, IntArray, IntArray]:
    """The first classifier that predicts, "" where none does; position and class of each item with
    a label that it got wrong, in the order of the answers."""
    engine, known = session.engine, session.population.predictions
    name = next((name for name in engine.classifiers if name is not None and name in known), "")
    position, code = labels_in_force(engine)
    wrong = known[name][position] != code if name else np.zeros(len(code), dtype=bool)
    return name, position[wrong], code[wrong]


def error_cards(session: Session) -> Markup | None:
    """A card for each error, first those of which the classifier was most sure; None without any.
    With two classes one kind of error can be looked at alone."""
    population = session.population
    name, position, code = errors_of(session)
    if not len(position):
        return None
    calls, scores = population.predictions[name][position], population.scores.get(name)
    values = None if scores is None else scores[position]
    positive = population.classes.index(population.positive)
    kinds = [WRONG] * len(calls)
    if len(population.classes) == 2:
        kinds = [ALARM if code == positive else MISS for code in calls.tolist()]
    common = session.errors_in_common(name)
    words = [trait.name for trait in common.found if trait.kind == "word"]
    cards: dict[int, Markup] = {}
    far = np.zeros(len(calls)) if values is None else values - population.thresholds.get(name, 0.0)
    for at in np.argsort(-np.abs(far), kind="stable")[:MOST_CARDS].tolist():
        item = population.id_at(int(position[at]))
        called, truth = (theirs(population.classes[codes[at]]) for codes in (calls, code))
        score = "" if values is None else f" · score {score_words(float(values[at]))}"
        cards[at] = element(
            "li",
            element("p", element("strong", kinds[at]), score, class_="note"),
            element(
                "p", *_marked(glimpse(session.item_by_id(item), LONGEST) or item, words), dir="auto"
            ),
            element("p", theirs(name), " said ", called, ", people said ", truth, class_="note"),
            class_=kinds[at].replace(" ", "-"),
        )
    part = f"{len(cards):,} of the" if len(cards) < len(kinds) else "The"
    errors = count(len(kinds), "error")
    return element(
        "section",
        element("h2", SHOWN.format(shown=f"{part} {errors}"), id="errors"),
        *_in_common(common),
        _choice([kinds[at] for at in cards]),
        element("ul", *cards.values()),
        class_="errors",
        aria_labelledby="errors",
    )


def _in_common(common: ErrorsInCommon) -> list[Markup]:
    """What they have in common, a line each; nothing where chance may explain it."""
    if not common.found:
        return []
    about = ABOUT.format(labels=count(common.labels), sure=confidence_words(common.confidence))
    lines = (element("p", theirs(shared_words(trait))) for trait in common.found)
    return [*lines, element("p", about, class_="note")]


def _marked(text: str, words: Sequence[str]) -> Iterator[Child]:
    return (element("mark", part) if marked else part for part, marked in pieces(text, words))


def _choice(kinds: list[str]) -> Markup | None:
    """All errors or those of a kind, as buttons that the style sheet alone obeys."""
    if len({*kinds}) < 2:
        return None
    buttons: list[Child] = []
    for value, words in (("", "all"), (ALARM, ALARM + "s"), (MISS, MISS + "es")):
        number = kinds.count(value) if value else len(kinds)
        given = {"type": "radio", "name": "kind", "value": value.replace(" ", "-")}
        button = element("input", **given, **({} if value else {"checked": ""}))
        buttons.append(element("label", button, f" {words} {number:,}"))
    return element("fieldset", element("legend", "Which"), *buttons)
