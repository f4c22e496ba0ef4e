"""The sentences about label errors. They never call a judgement the truth."""

from math import ceil, floor

from labelcore.plan.plan import Plan
from labelcore.results.label_error import ENOUGH, Agreement, LabelError, TrueFigure
from labelcore.results.told_values import known_ends, too_wide
from labelcore.stats.label_error import Limits
from labelcore.words.differences import MINUS
from labelcore.words.quantities import quantity_name
from labelcore.words.sentences import (
    BETWEEN,
    ONE_END,
    confidence_words,
    count,
    percent_range,
    range_text,
    value_percent,
)

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
    "{differing} of {repeated} repeated items got a different answer {second} "
    "({share}{of_all}; between {low} and {high}, {confidence} confidence). The plan's figures are "
    "agreement with {whose} of {people}; mistakes made both times stay unseen."
)
AGAIN, FROM_ANOTHER = "the second time", "from another person"
JUDGEMENT, FIRST_ANSWERS = "the judgement", "the first answers"
WAITING = " {items} still to be shown again."
TOO_FEW = (
    " Too few second answers yet to say what that means for the figures: {number} of at least "
    "{enough}."
)
DRIFT = (
    " The {half} half of the answers seems to have more mistakes: by about {change} points "
    "({ends}, {confidence} confidence)."
)
DRIFT_REPEATS = (
    " Repeated items that differ: {early} of {first} in the first half, {late} of {second} in the "
    "second."
)
OF_ALL = " of all labelled items"
WHO_WAS_THERE = "the people who gave the answers"
FIGURE = (
    "The true value of {name}: if mistakes are alike everywhere, and not where they follow the "
    "class or the score, {alike}{anywhere} ({confidence} confidence{each}, for one look when "
    "labelling is over)."
)
ANYWHERE = "; wherever they are, {bounds}"
NO_FIGURE = "Nothing can be said about the true value of {name}: {reason}."


def read_again_words(plan: Plan) -> str:
    """What is judged more than once by the plan.

    >>> read_again_words(Plan("simple_random", ["accuracy"], budget=200, overlap=0.1, readers=3))
    '10 % of the labelled items, drawn at random, to be judged by 3 people each'
    """
    if plan.overlap:
        many = f"to be judged by {plan.readers:,} people each"
        return f"{100 * plan.overlap:.3g} % of the labelled items, drawn at random, {many}"
    drawn = "of the labelled items, drawn at random, to be shown a second time"
    return f"{100 * plan.repeats:.3g} % {drawn}" if plan.repeats else ""


def people_words(error: LabelError) -> str:
    """Whose judgement the figures are about; of labels from before the project, and of those given
    without a name, nobody knows how many gave them."""
    if error.existing or not error.people:
        return WHO_WAS_THERE
    return "one person" if error.people == 1 else f"{error.people:,} people"


def second_words(error: LabelError) -> str:
    """Whose the second answers are: of nobody who gave the first, or not."""
    return AGAIN if any(pair.same_person for pair in error.readings) else FROM_ANOTHER


def error_sentence(error: LabelError) -> str:
    people = people_words(error)
    waiting = WAITING.format(items=count(error.waiting, "item")) if error.waiting else ""
    if error.share.value is None:
        return NOT_TWICE.format(people=people) + drift_words(error) + waiting
    low, high = percent_range(error.share.low, error.share.high)
    text = TWICE.format(
        differing=f"{len(error.differing):,}",
        repeated=f"{len(error.readings):,}",
        second=second_words(error),
        share=value_percent(error.share.value, error.share.low, error.share.high),
        of_all=_of_all(error.share, len(error.differing), len(error.readings)),
        low=low,
        high=high,
        people=people,
        whose=JUDGEMENT if all(pair.same_person for pair in error.readings) else FIRST_ANSWERS,
        confidence=confidence_words(error.confidence),
    )
    if len(error.readings) < ENOUGH:
        text += TOO_FEW.format(number=len(error.readings), enough=ENOUGH)
    return text + drift_words(error) + waiting


def _of_all(share: Limits, hits: int, number: int) -> str:
    """What a share is of that is not the one of the items counted beside it."""
    counted = share.value is None or abs(share.value - hits / number) < 1e-9
    return "" if counted else OF_ALL


def drift_words(error: LabelError) -> str:
    """By how much mistakes became more or fewer, where that is beyond chance; else nothing."""
    drift = error.drift
    if drift is None or drift.change.value is None or not drift.seen:
        return ""
    change, ends = drift.change.value, (drift.change.low, drift.change.high)
    low, high = ends if change > 0 else (-ends[1], -ends[0])
    text = DRIFT.format(
        half="second" if change > 0 else "first",
        change=value_percent(abs(change), low, high).removesuffix(" %"),
        ends=range_text(low, high, unit=" points"),
        confidence=confidence_words(error.confidence),
    )
    if all(drift.repeated):
        (early, late), (first, second) = drift.differing, drift.repeated
        text += DRIFT_REPEATS.format(early=early, first=first, late=late, second=second)
    return text


def figure_sentence(figure: TrueFigure) -> str:
    scope = figure.observed.scope
    name = quantity_name(figure.estimand, scope.classifier, scope.positive, scope.audit)
    if figure.alike.reason and figure.bounds.reason:
        return NO_FIGURE.format(name=name, reason=reasons(figure))
    bounds = bounds_words(figure.bounds)
    return FIGURE.format(
        name=name,
        alike=limits_words(figure.alike),
        anywhere=ANYWHERE.format(bounds=bounds) if bounds else "",
        each=" each" if bounds else "",
        confidence=confidence_words(figure.confidence),
    )


def reasons(figure: TrueFigure) -> str:
    """Why there is neither a value nor a bound, each reason once."""
    return "; ".join(dict.fromkeys([figure.alike.reason, figure.bounds.reason]))


def figure_words(figure: TrueFigure) -> tuple[str, str]:
    """If mistakes are alike everywhere, and wherever they are; where nothing can be said of either,
    the reasons once."""
    if figure.alike.reason and figure.bounds.reason:
        return f"unknown: {reasons(figure)}", ""
    return limits_words(figure.alike), bounds_words(figure.bounds)


def bounds_words(limits: Limits) -> str:
    """Limits without a value; "" where they say nothing.

    >>> from labelcore.stats.label_error import Limits
    >>> bounds_words(Limits(None, 0.8, 0.97)), bounds_words(Limits(None, 0.001, 1.0))
    ('between 80 % and 97 %', '')
    """
    return limits_words(limits) if limits.reason or any(_known(limits)) else ""


def limits_words(limits: Limits) -> str:
    """
    >>> from labelcore.stats.label_error import Limits
    >>> limits_words(Limits(0.914, 0.87, 0.94)), limits_words(Limits(None, 0.8, 0.97))
    ('91.4 % (87.0 % to 94.0 %)', 'between 80 % and 97 %')
    >>> limits_words(Limits(0.9, 0.33, 1.0)), limits_words(Limits(None, 0.0, 1.0, "too few"))
    ('at least 33 %', 'unknown (too few)')
    """
    if limits.reason:
        return f"unknown ({limits.reason})"
    low, high = percent_range(limits.low, limits.high)
    wide = bool(too_wide(limits.low, limits.high))
    if wide or limits.value is None:
        pattern = ONE_END.get(_known(limits), BETWEEN) if wide else BETWEEN
        return pattern.format(low=low, high=high)
    return f"{value_percent(limits.value, limits.low, limits.high)} ({low} to {high})"


def hundredths(value: float) -> str:
    """What is no share, such as a kappa."""
    return f"{value:.2f}".replace("-", MINUS)


def two_decimals(low: float, high: float) -> str:
    """Both ends of what is no share, rounded outwards.

    >>> two_decimals(0.506, 0.9143), two_decimals(-1.0, 1.0)
    ('0.50 to 0.92', '−1.00 to 1.00')
    """
    first, last = floor(100 * low + 1e-7) / 100, ceil(100 * high - 1e-7) / 100
    return f"{hundredths(first)} to {hundredths(last)}"


def _known(limits: Limits) -> tuple[bool, bool]:
    return known_ends(limits.low, limits.high)


def agreement_sentence(agreement: Agreement) -> str:
    who = "One person with themselves" if agreement.known else "Two answers under one name"
    who = who if agreement.same_person else "Two people with each other"
    alike = agreement.pairs - agreement.differing
    text = f"{who}: the same answer to {alike:,} of {count(agreement.pairs, 'item')}"
    text += f", {limits_words(agreement.share)}{_of_all(agreement.share, alike, agreement.pairs)}"
    if agreement.same_person:
        return f"{text}."
    ac1 = agreement.ac1
    value = "undefined" if ac1.value is None else hundredths(ac1.value)
    ends = f"no interval: {ac1.reason}" if ac1.reason else two_decimals(ac1.low, ac1.high)
    return f"{text}. Beyond chance (Gwet's AC1, 1 is full agreement): {value} ({ends})."
