"""The sentences for a difference of two classifiers, in percentage points.

A sentence never claims more than the promise of its interval; if zero is inside, it says that the
two may be equally good.
"""

from math import ceil, floor

from labelcore.estimands import DIFFERENCE
from labelcore.promises import State
from labelcore.results.told_values import Told
from labelcore.results.types import Estimate, Scope
from labelcore.words import sentences as words
from labelcore.words.quantities import BY_SETTLED, is_settled, key_parts, term_of

MINUS = "\N{MINUS SIGN}"
STATES = {
    **words.STATES,
    State.NOTHING: "{scope}, no label tells yet {quantity}: {missing}. {terms}",
    State.TOO_FEW: "{scope}, there are too few labels to tell {quantity}: {missing}. {terms}",
    State.PROVISIONAL: (
        "{scope}, the best guess so far is that {guess}, from {labels}; it has no interval yet. "
        "{terms}"
    ),
    State.EXACT: (
        "{scope}, {guess}, exactly, from {labels}: every item that matters has a label, so nothing "
        "is left to chance."
    ),
}
CERTAIN = "Whatever the answers, {finding}."
NOTHING_YET = "{scope}, nothing is known yet about {quantity} ({promise}), from {labels}."


def is_difference(key: str) -> bool:
    """
    >>> is_difference("recall_difference@B - C"), is_difference("recall@B")
    (True, False)
    """
    return key.partition("@")[0].endswith(DIFFERENCE)


def measure(key: str, audit: bool = False) -> str:
    """What two classifiers are compared in, or with ``audit`` two judges.

    >>> measure("f1_difference"), measure("accuracy_difference", audit=True)
    ('F1', 'agreement')
    """
    return term_of(key_parts(key)[0].removesuffix(DIFFERENCE), audit)


def signed_points(value: float, digits: int | None = None) -> str:
    """A difference in percentage points.

    >>> signed_points(0.0312), signed_points(-0.004), signed_points(0.0), signed_points(0.0004)
    ('+3.1 points', '−0.40 points', '0.0 points', '+0.040 points')
    >>> signed_points(0.0312, 0), signed_points(-0.0004, 0)
    ('+3 points', '0 points')
    """
    digits = _digits(value) if digits is None else digits
    return f"{_signed(100 * value, digits)} points"


def _signed(value: float, digits: int) -> str:
    value = round(value, digits)
    return f"{value:+.{digits}f}".replace("-", MINUS) if value else f"{0:.{digits}f}"


def points_range(low: float, high: float) -> tuple[str, str]:
    """Both ends in points, rounded outwards.

    >>> points_range(-0.01234, 0.0441), points_range(0.00031, 0.0006), points_range(-0.2, 0.0)
    (('−1.3', '+4.5 points'), ('+0.031', '+0.060 points'), ('−20', '0 points'))
    """
    digits = words.decimals(high - low)
    bottom, top = outward(low, high, digits)
    return _signed(bottom, digits), f"{_signed(top, digits)} points"


def outward(low: float, high: float, digits: int) -> tuple[float, float]:
    """Both ends in points, with so many decimals, rounded outwards; an exact figure to the nearest.

    >>> outward(-0.00367, -0.00361, 2), outward(-1.1 / 300, -1.1 / 300, 2)
    ((-0.37, -0.36), (-0.37, -0.37))
    """
    if words.is_exact(low, high):
        return (round(100 * low, digits),) * 2
    scale = 10**digits
    return floor(100 * scale * low + 1e-7) / scale, ceil(100 * scale * high - 1e-7) / scale


def _digits(value: float) -> int:
    return words.digits_for(abs(value)) if abs(value) < 0.5 else 1


def number_words(key: str, value: float, ends: tuple[float, float] | None = None) -> str:
    """The value of a result as people read it, with the decimals that the ends of its interval
    support; without an interval those of an exact figure.

    >>> number_words("recall_difference", 0.031), number_words("recall", 0.931)
    ('+3.1 points', '93.1 %')
    >>> number_words("recall", 0.931, (0.6, 0.95))
    '93 %'
    """
    digits = None if ends is None else words.value_digits(value, *ends)
    return signed_points(value, digits) if is_difference(key) else words.percent(value, digits)


def told_words(estimate: Told) -> str:
    """The value of an estimate where it may be told, else ""."""
    if estimate.told is None:
        return ""
    return number_words(estimate.estimand, estimate.told, (estimate.low, estimate.high))


def told_interval(estimate: Told, unit: str = " %") -> str:
    """Its interval on one line; where no value is told, the one end that is known.

    unit   behind a share; "" leaves out that of a difference, too
    """
    if is_difference(estimate.estimand):
        both = " to ".join(points_range(estimate.low, estimate.high))
        return both if unit else both.removesuffix(" points")
    both = words.range_text(estimate.low, estimate.high, unit)
    pattern = words.span_pattern(estimate, both="")
    if not pattern:
        return both
    low, high = words.range_text(estimate.low, estimate.high, "").split(" to ")
    return pattern.format(low=low, high=high) + unit


def range_words(key: str, low: float, high: float) -> tuple[str, str]:
    """Both ends of a result's interval, rounded outwards.

    >>> range_words("recall_difference", -0.031, 0.02), range_words("recall", 0.9, 0.95)
    (('−3.1', '+2.0 points'), ('90.0 %', '95.0 %'))
    """
    return points_range(low, high) if is_difference(key) else words.percent_range(low, high)


def range_cells(key: str, low: float, high: float) -> tuple[str, str]:
    """The same where the ends stand apart from each other, each with its unit.

    >>> range_cells("recall_difference", -0.031, 0.02), range_cells("recall", 0.9, 0.95)
    (('−3.1 points', '+2.0 points'), ('90.0 %', '95.0 %'))
    """
    bottom, top = range_words(key, low, high)
    return f"{bottom} points" if is_difference(key) else bottom, top


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
    first, second = pair_words(estimate.scope)
    what = measure(estimate.estimand, estimate.scope.audit)
    what += BY_SETTLED if is_settled(estimate.estimand) else ""
    value = 0.0 if estimate.told is None else estimate.told
    limited = estimate.shows_interval and not (estimate.has_interval or estimate.says_little)
    pattern = words.sentence_of(estimate, STATES, NOTHING_YET)
    return pattern.replace("{terms}", CERTAIN if limited else "{terms}").format(
        quantity=f"how much better {first} is than {second} in {what}",
        guess=guess_words(value, what, first, second, words.decimals(estimate.high - estimate.low)),
        finding=one_end_words(estimate, what, first, second)
        or finding_words(estimate.low, estimate.high, what, first, second),
        **words.fields_of(estimate, given),
    )


def one_end_words(estimate: Estimate, what: str, first: str, second: str) -> str:
    """The one end that is known of a difference without a value to tell, else "".

    >>> from types import SimpleNamespace
    >>> one = SimpleNamespace(told=None, known_ends=(True, False), low=-0.3, high=1.0)
    >>> one_end_words(one, "recall", "'lr'", "'svm'")
    "in recall 'lr' is at most 30 points worse than 'svm'"
    """
    if estimate.told is not None or estimate.known_ends not in ((True, False), (False, True)):
        return ""
    digits = words.decimals(estimate.high - estimate.low)
    bottom, top = outward(estimate.low, estimate.high, digits)
    end, how = (-bottom, "worse") if estimate.known_ends[0] else (top, "better")
    return f"in {what} {first} is at most {end:.{digits}f} points {how} than {second}"


def guess_words(value: float, what: str, first: str, second: str, digits: int = 1) -> str:
    """
    >>> guess_words(-0.021, "recall", "'lr'", "'svm'")
    "'svm' is 2.1 points better in recall than 'lr'"
    >>> guess_words(0.00003, "recall", "'lr'", "'svm'", 2)
    "'lr' is 0.0030 points better in recall than 'svm'"
    >>> guess_words(-1e-17, "recall", "'lr'", "'svm'")
    "'lr' and 'svm' are equally good in recall"
    """
    if words.is_exact(0.0, abs(value)):
        return f"{first} and {second} are equally good in {what}"
    better, worse = (first, second) if value > 0 else (second, first)
    digits = digits if round(100 * value, digits) else max(digits, _digits(value))
    return (
        f"{better} is {signed_points(abs(value), digits).lstrip('+')} better in {what} than {worse}"
    )


def finding_words(low: float, high: float, what: str, first: str, second: str) -> str:
    """
    >>> finding_words(0.0123, 0.0449, "accuracy", "'A'", "'B'")
    "'A' is between 1.2 and 4.5 points better in accuracy than 'B'"
    >>> finding_words(-0.002, 0.013, "recall", "'A'", "'B'")
    "in recall 'A' is between 0.2 points worse and 1.3 points better than 'B': the two may be
    equally good"
    """
    digits = words.decimals(high - low)
    if low <= 0 <= high:
        bottom, top = outward(low, high, digits)
        return (
            f"in {what} {first} is between {abs(bottom):.{digits}f} points worse and "
            f"{top:.{digits}f} points better than {second}: the two may be equally good"
        )
    better, worse, near, far = (
        (first, second, low, high) if low > 0 else (second, first, -high, -low)
    )
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
