"""The sentences about label errors. They never call a judgement the truth."""

from __future__ import annotations

from typing import TYPE_CHECKING

from labelcore.words import confidence_words, count, percent, percent_range, quantity_name

if TYPE_CHECKING:
    from labelcore.label_error import Agreement, LabelError, TrueFigure
    from labelcore.stats.label_error import Limits

NO_REPEATS = "no item was judged twice"
NO_DIFFERENCES = "this is not worked out for a difference of two classifiers"
SEVERAL_CLASSES = "with more than two classes it depends on which class is mistaken for which"
OLD_SAMPLE = "only new labels are judged twice, which says nothing of the old sample"
ONE_PERSON = "it is for two people"
NOT_TWICE = (
    "The figures are agreement with the judgement of {people}: no item was judged twice, so "
    "mistakes in the labels are not counted."
)
TWICE = (
    "{differing} of {repeated} repeated items got another answer the second time ({share}; between "
    "{low} and {high}, {confidence} confidence). The plan's figures are agreement with the "
    "judgement of {people}; mistakes made both times stay unseen."
)
WAITING = " {items} still to be shown again."
FIGURE = (
    "For {name} as it truly is: if mistakes are alike everywhere, {alike}; wherever they are, "
    "{bounds} ({confidence} confidence each, for one look when labelling is over)."
)


def people_words(people: int) -> str:
    return "one person" if people < 2 else f"{people:,} people"


def error_sentence(found: LabelError) -> str:
    people = people_words(found.people)
    waiting = WAITING.format(items=count(found.waiting, "item")) if found.waiting else ""
    if found.share.value is None:
        return NOT_TWICE.format(people=people) + waiting
    low, high = percent_range(found.share.low, found.share.high)
    text = TWICE.format(
        differing=f"{len(found.differing):,}",
        repeated=f"{len(found.readings):,}",
        share=percent(found.share.value),
        low=low,
        high=high,
        people=people,
        confidence=confidence_words(found.confidence),
    )
    return text + waiting


def figure_sentence(one: TrueFigure) -> str:
    scope = one.observed.scope
    return FIGURE.format(
        name=quantity_name(one.estimand.partition("@")[0], scope.classifier, scope.positive),
        alike=limits_words(one.alike),
        bounds=limits_words(one.bounds),
        confidence=confidence_words(one.confidence),
    )


def limits_words(limits: Limits) -> str:
    """
    >>> from labelcore.stats.label_error import Limits
    >>> limits_words(Limits(0.914, 0.87, 0.94)), limits_words(Limits(None, 0.8, 0.97))
    ('91.4 % (87.0 % to 94.0 %)', 'between 80.0 % and 97.0 %')
    >>> limits_words(Limits(None, 0.0, 1.0, "too few"))
    'undefined (too few)'
    """
    if limits.reason:
        return f"undefined ({limits.reason})"
    low, high = percent_range(limits.low, limits.high)
    if limits.value is None:
        return f"between {low} and {high}"
    return f"{percent(limits.value)} ({low} to {high})"


def agreement_sentence(one: Agreement) -> str:
    who = "One person with themselves" if one.same_person else "Two people with each other"
    text = f"{who}: the same answer to {one.pairs - one.differing:,} of {count(one.pairs, 'item')}"
    text += f", {limits_words(one.share)}"
    if one.same_person:
        return f"{text}."
    ac1 = one.ac1
    value = "undefined" if ac1.value is None else f"{ac1.value:.2f}"
    ends = f"no interval: {ac1.reason}" if ac1.reason else f"{ac1.low:.2f} to {ac1.high:.2f}"
    return f"{text}. Beyond chance (Gwet's AC1, 1 is full agreement): {value} ({ends})."
