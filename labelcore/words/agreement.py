"""The sentences about how far people agree."""

from collections.abc import Sequence

from labelcore.log.people import folded
from labelcore.results.agreement import Pair, PeopleAgree, Person
from labelcore.stats.agreement import COEFFICIENTS
from labelcore.stats.label_error import Limits
from labelcore.words.label_error import hundredths, limits_words, two_decimals
from labelcore.words.sentences import NUMBERS, confidence_words, count

COHEN = "Cohen's kappa"
COEFFICIENT_HEAD = ("Beyond chance (1 is full agreement)", "Value")
PERSON_HEAD = (
    "Person", "First answers", "After others", "Which", "An item", "The same as others",
)  # fmt: skip
PAIR_HEAD = ("Two people", "Items", "The same class", COHEN, "Where they differ")
MOST_NAMED, ENOUGH_ALIKE = 5, 20
OLD_SAMPLE_SETTLED = "several people judge new labels only: the old sample is not settled"
KNOWN_SETTLED = "nobody else reads answers that were known before: they are not settled"
NONE_POSITIVE = "nothing in the sample is settled as positive"
NO_END = "a session without end has no figure for the settled judgement"
NOBODY = "No item has a class by two people yet.{waiting}"
AGREE = (
    "{people} gave {alike} of {items} the same class: {share} of pairs of answers are the same "
    "({confidence} confidence, for one look; weighted to all labelled items, not to the file)."
    "{left_out}{unsettled}{overruled}{waiting}"
)
ALL_ALIKE = " {name} gave one answer to all {items}."
ONE_PERSON = " {names} may be one person."
TOO_FEW_PEOPLE = " {readers} people judge each of them; {people} answered so far."
OVERRULED = " {items} settled in two ways by two people: the last one counts."
LEFT_OUT = " {answers} without a class left out."
UNSETTLED = " {items} judged differently, to be settled on the page People."


def settled_by(readers: int) -> str:
    """Whose judgement a figure is about.

    >>> settled_by(2), settled_by(12)
    ('As settled by two people', 'As settled by 12 people')
    """
    return f"As settled by {NUMBERS[readers] if readers < len(NUMBERS) else readers} people"


def few_judged(number: int, enough: int) -> str:
    """How many items are still needed that several people have judged."""
    items = count(enough, "item")
    return f"{number:,} of {items} judged by several people before a first figure"


def judged_note(number: int, readers: int) -> str:
    """What a figure for the settled judgement rests on besides the labels."""
    return f"{count(number, 'item')} of them judged by {readers:,} people each."


def unsettled_note(number: int) -> str:
    """What a value leaves out, and the interval counts both ways."""
    return f"{count(number, 'item')} not settled: the value leaves them out."


def waiting_for_people(number: int) -> str:
    """For what a figure waits that needs every further answer."""
    return f"{count(number, 'item')} waiting for another person"


def agree_sentence(agree: PeopleAgree) -> str:
    waiting = f" {waiting_for_people(agree.waiting)}." if agree.waiting else ""
    if agree.waiting and len(agree.people) < agree.readers:
        waiting += TOO_FEW_PEOPLE.format(readers=agree.readers, people=len(agree.people))
    if not agree.items:
        return NOBODY.format(waiting=waiting) + all_alike(agree.people)
    number = sum(who.others > 0 for who in agree.people)
    return AGREE.format(
        people=f"{number:,} people",
        alike=f"{agree.items - agree.differing:,}",
        items=count(agree.items, "item"),
        share=limits_words(agree.share),
        confidence=confidence_words(agree.confidence),
        left_out=LEFT_OUT.format(answers=count(agree.without_class, "further answer"))
        if agree.without_class
        else "",
        unsettled=UNSETTLED.format(items=count(agree.unsettled, "item")) if agree.unsettled else "",
        overruled=OVERRULED.format(items=count(agree.overruled, "item")) if agree.overruled else "",
        waiting=waiting,
    ) + all_alike(agree.people)


def all_alike(people: Sequence[Person]) -> str:
    """Names of perhaps one person, and who gave the same answer to many items: perhaps without
    looking."""
    names: dict[str, list[str]] = {}
    for who in people:
        names.setdefault(folded(who.name), []).append(who.name)
    twice = (ONE_PERSON.format(names=" and ".join(who)) for who in names.values() if len(who) > 1)
    alike = ((who, sum(items for _, items in who.said)) for who in people if len(who.said) == 1)
    return "".join(twice) + "".join(
        ALL_ALIKE.format(name=who.name, items=count(items, "item"))
        for who, items in alike
        if items >= ENOUGH_ALIKE
    )


def coefficient_rows(agree: PeopleAgree) -> list[tuple[str, str]]:
    """Each coefficient and its value in words; Cohen's kappa where there are two people."""
    rows = [
        (COEFFICIENTS[name].label, beyond_words(agree.coefficients[name])) for name in COEFFICIENTS
    ]
    if len(agree.pairs) == 1:
        return [(COHEN, beyond_words(agree.pairs[0].kappa)), *rows]
    return rows


def beyond_words(limits: Limits) -> str:
    """
    >>> beyond_words(Limits(0.7654, 0.506, 0.9043))
    '0.77 (0.50 to 0.91)'
    >>> beyond_words(Limits(1.0, -1.0, 1.0, "same")), beyond_words(Limits(None, -1.0, 1.0, "same"))
    ('1.00 (no interval: same)', 'undefined: same')
    >>> beyond_words(Limits(-0.1, -0.312, 0.2))
    '−0.10 (−0.32 to 0.20)'
    """
    low, high, reason = limits.low, limits.high, limits.reason
    if limits.value is None:
        return f"undefined: {reason}"
    ends = f"no interval: {reason}" if reason else two_decimals(low, high)
    return f"{hundredths(limits.value)} ({ends})"


def person_row(who: Person) -> tuple[str, str, str, str, str]:
    """Answers, further answers, which ones, pace and agreement with others, in words."""
    pace = "" if who.seconds is None else f"{who.seconds:.1f} s"
    alike = f"{limits_words(who.alike)} of {count(who.others, 'item')}" if who.others else ""
    answers = named([(name, items) for name, items in who.said])
    return f"{who.answers:,}", f"{who.further:,}", answers, pace, alike


def pair_words(pair: Pair) -> tuple[str, str, str, str]:
    """Items, share of the same answers, kappa, and where they differ, in words."""
    where = named([(f"{first} against {second}", items) for first, second, items in pair.where])
    return f"{pair.items:,}", limits_words(pair.share), beyond_words(pair.kappa), where or "nowhere"


def named(counted: Sequence[tuple[str, int]]) -> str:
    """The first of them with how often, and how many are left out.

    >>> named([("yes", 12), ("no", 3)]), named([(letter, 2) for letter in "abcdefg"])
    ('yes 12, no 3', 'a 2, b 2, c 2, d 2, e 2, others 4')
    """
    rest = sum(items for _, items in counted[MOST_NAMED:])
    shown = [*counted[:MOST_NAMED], *([("others", rest)] if rest else [])]
    return ", ".join(f"{name} {items:,}" for name, items in shown)
