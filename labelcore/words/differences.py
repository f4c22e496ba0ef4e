"""The sentences for a difference of two classifiers, in percentage points.

A sentence never claims more than the promise of its interval; if zero is inside, it says that the
two may be equally good.
"""

from __future__ import annotations

from math import ceil, floor

from labelcore.promises import State
from labelcore.results.types import DIFFERENCE, Estimate, Scope
from labelcore.words import sentences as words
from labelcore.words.quantities import key_parts, term_of

MINUS = "\N{MINUS SIGN}"
STATES = {
    State.NOTHING: "{scope}, nothing is known yet about {quantity}: {missing}. {terms}",
    State.TOO_FEW: (
        "{scope}, there are too few labels to say anything about {quantity}: {missing}. {terms}"
    ),
    State.PROVISIONAL: (
        "{scope}, the best guess so far is that {guess}, from {labels}; it has no interval yet. "
        "{terms}"
    ),
    State.INTERVAL: "{scope}, {finding} ({promise}), from {labels}.",
    State.WAITING: (
        "{scope}, {finding}, whatever the open items turn out to be ({promise}), from {labels}; "
        "{missing}."
    ),
    State.GOAL_REACHED: (
        "{scope}, {finding} ({promise}), from {labels}. Its goal of plus or minus {margin} is "
        "reached."
    ),
    State.NOT_REACHED: (
        "{scope}, {finding} ({promise}), from {labels}. Its goal of plus or minus {margin} was not "
        "reached."
    ),
    State.STOPPED_EARLY: (
        "{scope}, {finding}, from {labels}; but labelling stopped before {due}, so {promise}."
    ),
    State.EXACT: (
        "{scope}, {guess}, exactly, from {labels}: every item that matters has a label, so nothing "
        "is left to chance."
    ),
}
NOTHING_YET = "{scope}, nothing is known yet about {quantity} ({promise}), from {labels}."


def is_difference(key: str) -> bool:
    """
    >>> is_difference("recall_difference@B - C"), is_difference("recall@B")
    (True, False)
    """
    return key.partition("@")[0].endswith(DIFFERENCE)


def measure(key: str) -> str:
    """What two classifiers are compared in.

    >>> measure("f1_difference"), measure("recall_difference")
    ('F1', 'recall')
    """
    return term_of(key_parts(key)[0].removesuffix(DIFFERENCE))


def signed_points(value: float) -> str:
    """A difference in percentage points.

    >>> signed_points(0.0312), signed_points(-0.004), signed_points(0.0), signed_points(0.0004)
    ('+3.1 points', '−0.40 points', '0.0 points', '+0.040 points')
    """
    return "0.0 points" if value == 0 else f"{_signed(100 * value, _digits(value))} points"


def _signed(value: float, digits: int) -> str:
    return f"{value:+.{digits}f}".replace("-", MINUS)


def points_range(low: float, high: float) -> tuple[str, str]:
    """Both ends in points, rounded outwards.

    >>> points_range(-0.01234, 0.0441), points_range(0.00031, 0.0006)
    (('−1.3', '+4.5 points'), ('+0.031', '+0.060 points'))
    """
    digits = min(_digits(low), _digits(high))
    bottom, top = outward(low, high, digits)
    return _signed(bottom, digits), f"{_signed(top, digits)} points"


def outward(low: float, high: float, digits: int) -> tuple[float, float]:
    """Both ends in points, with so many decimals, rounded outwards."""
    scale = 10**digits
    return floor(100 * scale * low + 1e-7) / scale, ceil(100 * scale * high - 1e-7) / scale


def _digits(value: float) -> int:
    return words.digits_for(abs(value)) if abs(value) < 0.5 else 1


def number_words(key: str, value: float) -> str:
    """The value of a result as people read it.

    >>> number_words("recall_difference", 0.031), number_words("recall", 0.931)
    ('+3.1 points', '93.1 %')
    """
    return signed_points(value) if is_difference(key) else words.percent(value)


def range_words(key: str, low: float, high: float) -> tuple[str, str]:
    """Both ends of a result's interval, rounded outwards.

    >>> range_words("recall_difference", -0.031, 0.02), range_words("recall", 0.9, 0.95)
    (('−3.1', '+2.0 points'), ('90.0 %', '95.0 %'))
    """
    return points_range(low, high) if is_difference(key) else words.percent_range(low, high)


def interval_text(key: str, low: float, high: float) -> str:
    """The interval of a result on one line, its unit named once.

    >>> interval_text("recall_difference", -0.031, 0.02), interval_text("recall", 0.9, 0.95)
    ('−3.1 to +2.0 points', '90.0 to 95.0 %')
    """
    if is_difference(key):
        return " to ".join(points_range(low, high))
    return words.range_text(low, high)


def pair_words(scope: Scope) -> tuple[str, str]:
    return repr(scope.classifier or "A"), repr(scope.versus or "B")


def difference_sentence(estimate: Estimate, given: str = "") -> str:
    """The sentence of a difference's state, filled in."""
    scope, promise = estimate.scope, words.promise_words(estimate)
    first, second = pair_words(scope)
    what = measure(estimate.estimand)
    value = 0.0 if estimate.value is None else estimate.value
    return words.sentence_of(estimate, STATES, NOTHING_YET).format(
        scope=words.scope_words(scope.file, scope.n_items, scope.target),
        quantity=f"how much better {first} is than {second} in {what}",
        guess=guess_words(value, what, first, second),
        finding=finding_words(estimate.low, estimate.high, what, first, second),
        promise=promise,
        terms=words.TERMS[estimate.promise].format(
            first=words.count(scope.first_figure), promise=promise
        ),
        labels=words.labels_words(estimate.labels_used, scope, given),
        due=words.due_words(scope),
        missing=words.missing_words(estimate),
        margin="" if scope.margin is None else words.goal_points(scope.margin),
    )


def guess_words(value: float, what: str, first: str, second: str) -> str:
    """
    >>> guess_words(-0.021, "recall", "'lr'", "'svm'")
    "'svm' is 2.1 points better in recall than 'lr'"
    """
    if value == 0:
        return f"{first} and {second} are equally good in {what}"
    better, worse = (first, second) if value > 0 else (second, first)
    return f"{better} is {signed_points(abs(value))[1:]} better in {what} than {worse}"


def finding_words(low: float, high: float, what: str, first: str, second: str) -> str:
    """
    >>> finding_words(0.0123, 0.0449, "accuracy", "'A'", "'B'")
    "'A' is between 1.2 and 4.5 points better in accuracy than 'B'"
    >>> finding_words(-0.002, 0.013, "recall", "'A'", "'B'")
    "in recall 'A' is between 0.2 points worse and 1.3 points better than 'B': the two may be
    equally good"
    """
    if low <= 0 <= high:
        bottom, top = outward(low, high, 1)
        return (
            f"in {what} {first} is between {abs(bottom):.1f} points worse and {top:.1f} points "
            f"better than {second}: the two may be equally good"
        )
    better, worse, near, far = (
        (first, second, low, high) if low > 0 else (second, first, -high, -low)
    )
    digits = min(_digits(near), _digits(far))
    bottom, top = outward(near, far, digits)
    return (
        f"{better} is between {bottom:.{digits}f} and {top:.{digits}f} points better in {what} "
        f"than {worse}"
    )


SIDES = (
    "that neither calls {positive!r}",
    "that {first} calls {positive!r} and {second} does not",
    "that {second} calls {positive!r} and {first} does not",
    "that both call {positive!r}",
)


def side_words(scope: Scope, side: int) -> str:
    """The items of one of ``Cells.sides``, after "the items"."""
    first, second = pair_words(scope)
    return SIDES[side].format(first=first, second=second, positive=scope.positive)


def no_difference_words(key: str, scope: Scope, silent: str | None) -> str:
    """Why a difference has no value.

    silent   a classifier that calls no item of the file positive, None where both do
    """
    if measure(key) == "precision" and silent is not None:
        return f"{silent!r} calls no item {scope.positive!r} and so has no precision"
    if measure(key) == "precision":
        return f"what one of the two calls {scope.positive!r} has no label yet"
    return f"no {scope.positive!r} item was found"
