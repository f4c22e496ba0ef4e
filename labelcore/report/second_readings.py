"""How far the labels can be trusted: the items that were judged twice."""

from __future__ import annotations

from collections.abc import Mapping

from labelcore.log.events import Event, answer_word
from labelcore.report.facts import Facts
from labelcore.report.markup import Child, Markup, element, joined, table, theirs, tied
from labelcore.report.sections import name_of, section
from labelcore.results.agreement import PeopleAgree
from labelcore.results.label_error import LabelError
from labelcore.words.agreement import (
    COEFFICIENT_HEAD,
    PAIR_HEAD,
    PERSON_HEAD,
    coefficient_rows,
    pair_words,
    person_row,
)
from labelcore.words.label_error import figure_words
from labelcore.words.sentences import confidence_words, count

LISTED = 40
RESTS = (
    "Each interval has {confidence} confidence, for one look when labelling was over. They assume "
    "that two answers to an item are independent and that each is right more often than wrong. A "
    "second answer of not sure or broken counts as a different one. Mistakes made both times stay "
    "unseen. Alike everywhere: Rogan and Gladen (1978). Wherever they are: the share of wrong "
    "labels is at most the share of items answered differently, among the items called positive "
    "and among the others on their own; the figure is moved as far as that many wrong labels can "
    "move it."
)


def second_readings(facts: Facts) -> Markup:
    """The rate of other answers, agreement, the figures for the truth, the items concerned."""
    found = facts.label_error
    told = [element("p", tied(found.sentence()))]
    if facts.agreement is None:
        told += [element("p", tied(one.sentence())) for one in found.agreements]
    else:
        told += _agreement(facts.agreement)
    if found.figures:
        head = ("Figure", "If mistakes are alike everywhere", "Wherever the mistakes are")
        words = [figure_words(one) for one in found.figures]
        columns = 3 if any(anywhere for _, anywhere in words) else 2
        rows: list[list[Child]] = [
            [*[name_of(one.observed), *said][:columns]]
            for one, said in zip(found.figures, words, strict=True)
        ]
        told.append(table("Figures for the truth", head[:columns], rows))
        told.append(element("p", RESTS.format(confidence=confidence_words(found.confidence))))
    return section(
        "trust",
        "How far the labels can be trusted",
        *told,
        _listed(found, facts.settings.get("names", {})),
    )


def _agreement(found: PeopleAgree) -> list[Markup]:
    """How far people agree, and what each of them did."""
    told = [element("p", tied(found.sentence()))]
    if found.items:
        told.append(table("Agreement beyond chance", COEFFICIENT_HEAD, coefficient_rows(found)))
    if len(found.pairs) > 1:
        pairs: list[list[Child]] = [
            [theirs(f"{one.first}, {one.second}"), *map(theirs, pair_words(one))]
            for one in found.pairs
        ]
        told.append(table("Two people each", PAIR_HEAD, pairs))
    rows: list[list[Child]] = [[*map(theirs, (one.name, *person_row(one)))] for one in found.people]
    return [*told, table("Each person", PERSON_HEAD, rows)]


def _called(first: Event, second: Event, names: Mapping[str, str]) -> list[str]:
    return [names.get(one.annotator, one.annotator) for one in (first, second)]


def _listed(found: LabelError, names: Mapping[str, str]) -> Markup | None:
    if not found.differing:
        return None
    rows: list[list[Child]] = [
        [
            theirs(str(one.first.item_id)),
            theirs(answer_word(one.first)),
            theirs(answer_word(one.second)),
            theirs(", then ".join(dict.fromkeys(_called(one.first, one.second, names)))),
        ]
        for one in found.differing[:LISTED]
    ]
    left = len(found.differing) - len(rows)
    return joined(
        table("Answered differently the second time", ("Item", "First", "Second", "By"), rows),
        element("p", f"{count(left, 'item')} left out here; report.json has each.") if left else "",
    )
