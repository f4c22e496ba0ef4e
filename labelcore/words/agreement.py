"""The sentences about how far people agree."""

from __future__ import annotations

from labelcore.results.agreement import Pair, PeopleAgree, Person
from labelcore.stats.agreement import COEFFICIENTS
from labelcore.stats.label_error import Limits
from labelcore.words.label_error import limits_words
from labelcore.words.sentences import confidence_words, count

COHEN = "Cohen's kappa"
COEFFICIENT_HEAD = ("Beyond chance (1 is full agreement)", "Value")
PERSON_HEAD = ("Person", "Answers", "After others", "An item", "The same as others")
PAIR_HEAD = ("Two people", "Items", "The same class", COHEN)
NO_DIFFERENCE_SETTLED = "a difference of two classifiers has no figure for the settled judgement"
OLD_SAMPLE_SETTLED = "several people judge new labels only, which says nothing of the old sample"
KNOWN_SETTLED = (
    "nobody else reads the answers that were known before, so that they have no settled judgement"
)
NONE_POSITIVE = "nothing in the sample is settled as positive"
NO_END = "a session without end has no figure for the settled judgement"
NOBODY = "No item has a class by two people yet.{waiting}"
AGREE = (
    "{people} gave {alike} of {items} the same class: {share} of pairs of answers are the same "
    "({confidence} confidence, for one look; weighted to all labelled items, not to the file)."
    "{left_out}{unsettled}{waiting}"
)
LEFT_OUT = " {answers} without a class left out."
UNSETTLED = " {items} judged differently, to be settled on the page Review."


def few_judged(number: int, enough: int) -> str:
    """How many items are still needed that several people have judged."""
    return f"{number:,} of {count(enough, 'item')} judged by several people"


def judged_note(number: int, readers: int) -> str:
    """What a figure for the settled judgement rests on besides the labels."""
    return f"{count(number, 'item')} of them judged by {readers:,} people each."


def unsettled_note(number: int) -> str:
    """What a value leaves out, and the interval counts both ways."""
    return f"{count(number, 'item')} not settled: the value leaves them out."


def waiting_for_people(number: int) -> str:
    """For what a figure waits that needs every further answer."""
    return f"{count(number, 'item')} waiting for another person"


def agree_sentence(found: PeopleAgree) -> str:
    waiting = f" {waiting_for_people(found.waiting)}." if found.waiting else ""
    if not found.items:
        return NOBODY.format(waiting=waiting)
    number = sum(one.others > 0 for one in found.people)
    return AGREE.format(
        people=f"{number:,} people",
        alike=f"{found.items - found.differing:,}",
        items=count(found.items, "item"),
        share=limits_words(found.share),
        confidence=confidence_words(found.confidence),
        left_out=LEFT_OUT.format(answers=count(found.without_class, "further answer"))
        if found.without_class
        else "",
        unsettled=UNSETTLED.format(items=count(found.unsettled, "item")) if found.unsettled else "",
        waiting=waiting,
    )


def coefficient_rows(found: PeopleAgree) -> list[tuple[str, str]]:
    """Each coefficient and its value in words; Cohen's kappa where there are two people."""
    rows = [(COEFFICIENTS[name].label, beyond_words(one)) for name, one in sorted_ones(found)]
    if len(found.pairs) == 1:
        return [(COHEN, beyond_words(found.pairs[0].kappa)), *rows]
    return rows


def sorted_ones(found: PeopleAgree) -> list[tuple[str, Limits]]:
    """The coefficients in the order of their table."""
    return [(name, found.coefficients[name]) for name in COEFFICIENTS]


def beyond_words(one: Limits) -> str:
    """
    >>> beyond_words(Limits(0.7654, 0.5, 0.91)), beyond_words(Limits(1.0, -1.0, 1.0, "all alike"))
    ('0.77 (0.50 to 0.91)', '1.00 (no interval: all alike)')
    >>> beyond_words(Limits(None, -1.0, 1.0, "one class"))
    'undefined: one class'
    """
    if one.value is None:
        return f"undefined: {one.reason}"
    ends = f"no interval: {one.reason}" if one.reason else f"{one.low:.2f} to {one.high:.2f}"
    return f"{one.value:.2f} ({ends})"


def person_row(one: Person) -> tuple[str, str, str, str]:
    """Answers, further answers, pace and agreement with others, in words."""
    pace = "" if one.seconds is None else f"{one.seconds:.1f} s"
    alike = f"{limits_words(one.alike)} of {count(one.others, 'item')}" if one.others else ""
    return f"{one.answers:,}", f"{one.further:,}", pace, alike


def pair_words(one: Pair) -> tuple[str, str, str]:
    """Items, share of the same answers, kappa, in words."""
    return f"{one.items:,}", limits_words(one.share), beyond_words(one.kappa)
