"""What a result says in one sentence of at most twenty words, for the labelling page."""

from __future__ import annotations

from math import ceil, floor
from typing import Protocol

from labelcore.estimands import SCALARS
from labelcore.promises import State
from labelcore.results.types import DIFFERENCE, Band, Estimate
from labelcore.words import found
from labelcore.words.quantities import key_parts, label_of, term_of
from labelcore.words.sentences import confidence_words, due_words, percent, percent_range

WIDE = 0.1
NOT_YET = "Nothing is known yet: anything from 0 to 100 % is possible."
NO_DIFFERENCE_YET = "Nothing is known yet: each of the two may be the better one."
TOO_EARLY = "Too few labels to say anything; the interval comes with {due}."
PROVISIONAL = "{name} is {value} so far; its interval comes with {due}."
EXACT = "{name} is exactly {value}: every item that matters has a label."
SURE = "{sure} sure: {finding}."
ASSUMED = "{finding}, if precision falls along the list: no confidence."
HEAD = "of the first {items} items by score, {range} % are {positive!r}"
BETWEEN = "{name} is {range} %"
BETTER = "in {measure}, {first} is {range} points better than {second}"
OPEN = "in {measure}, {first} is between {worse} points worse and {better} better than {second}"


class Shown(Protocol):
    """What a bar shows of an estimate, or of one as the log keeps it."""

    @property
    def estimand(self) -> str: ...
    @property
    def value(self) -> float | None: ...
    @property
    def low(self) -> float: ...
    @property
    def high(self) -> float: ...
    @property
    def state(self) -> State: ...
    @property
    def tentative(self) -> bool: ...
    @property
    def confidence(self) -> float | None: ...
    @property
    def has_interval(self) -> bool: ...


def short_range(low: float, high: float) -> tuple[str, str]:
    """Both ends in percent, rounded outwards: to whole numbers where they are far apart.

    >>> short_range(0.5713, 0.9802), short_range(0.8812, 0.9137)
    (('57', '99'), ('88.1', '91.4'))
    """
    if high - low >= WIDE:
        return f"{floor(100 * low + 1e-9)}", f"{ceil(100 * high - 1e-9)}"
    bottom, top = percent_range(low, high)
    return bottom.removesuffix(" %"), top.removesuffix(" %")


def range_of(low: float, high: float) -> str:
    """
    >>> range_of(0.5713, 0.9802)
    '57 to 99'
    """
    return " to ".join(short_range(low, high))


def difference_range(low: float, high: float) -> str:
    """Both ends in points with their signs, rounded outwards: to whole ones where they are far
    apart.

    >>> difference_range(-0.123, 0.2), difference_range(-0.0046, -0.0032)
    ('−13 to +20', '−0.5 to −0.3')
    """
    digits = 0 if high - low >= WIDE else 1
    scale = 10**digits
    ends = floor(100 * scale * low + 1e-9) / scale, ceil(100 * scale * high - 1e-9) / scale
    return " to ".join(f"{end:+.{digits}f}".replace("-", "−") for end in ends)


def short_value(estimate: Shown) -> str:
    """The value with as many digits as its interval deserves; "" without one.

    >>> from types import SimpleNamespace
    >>> short_value(SimpleNamespace(estimand="recall", value=0.8637, low=0.57, high=0.98))
    '86 %'
    >>> short_value(SimpleNamespace(estimand="recall_difference", value=-0.02, low=-0.2, high=0.1))
    '−2'
    """
    if estimate.value is None:
        return ""
    digits = 0 if estimate.high - estimate.low >= WIDE else None
    if key_parts(estimate.estimand)[0].endswith(DIFFERENCE):
        return f"{100 * estimate.value:+.{1 if digits is None else digits}f}".replace("-", "−")
    return percent(estimate.value, digits)


def short_sentence(estimate: Estimate) -> str:
    """One sentence that never claims more than the promise of the interval."""
    scope = estimate.scope
    name = label_of(key_parts(estimate.estimand)[0]) if scope.found is None else found.NAME
    value = "" if estimate.value is None else percent(estimate.value)
    if estimate.state == State.EXACT:
        return EXACT.format(name=name, value=value)
    if not estimate.has_interval:
        if estimate.value is None:
            return NO_DIFFERENCE_YET if estimate.is_difference else NOT_YET
        if estimate.tentative:
            return TOO_EARLY.format(due=due_words(scope))
        return PROVISIONAL.format(name=name, value=value, due=due_words(scope))
    if estimate.says_nothing:
        return NO_DIFFERENCE_YET if estimate.is_difference else NOT_YET
    finding = _finding(estimate)
    if estimate.confidence is None:
        return ASSUMED.format(finding=finding[:1].upper() + finding[1:])
    return SURE.format(sure=confidence_words(estimate.confidence), finding=finding)


def short_head(band: Band) -> str:
    """The same of the first items of a ranked list; ``band`` has one rank and an interval."""
    between = range_of(float(band.low[0]), float(band.high[0]))
    finding = HEAD.format(items=f"{int(band.x[0]):,}", range=between, positive=band.scope.positive)
    if band.confidence is None:
        return ASSUMED.format(finding=finding[:1].upper() + finding[1:])
    return SURE.format(sure=confidence_words(band.confidence), finding=finding)


def _finding(estimate: Estimate) -> str:
    name, inside, other = key_parts(estimate.estimand)
    scope = estimate.scope
    if name.endswith(DIFFERENCE):
        return _difference(estimate, name)
    between = range_of(estimate.low, estimate.high)
    if scope.found is not None:
        missing = found.missing_words(estimate)
        return found.OF_100.format(positive=scope.positive, range=between, missing=missing)
    row = SCALARS.get(name)
    if row is None or not row.of_100:
        return BETWEEN.format(name=label_of(name), range=between)
    return row.of_100.format(
        classifier=other or scope.classifier or "the classifier",
        positive=inside or scope.positive,
        range=between,
    )


def _difference(estimate: Estimate, name: str) -> str:
    first, second = estimate.scope.classifier, estimate.scope.versus
    measure = term_of(name.removesuffix(DIFFERENCE))
    if estimate.low > 0 or estimate.high < 0:
        ends = sorted((abs(estimate.low), abs(estimate.high)))
        better = (first, second) if estimate.low > 0 else (second, first)
        return BETTER.format(
            measure=measure, first=better[0], second=better[1], range=range_of(*ends)
        )
    return OPEN.format(
        measure=measure,
        first=first,
        second=second,
        worse=_up(-estimate.low),
        better=_up(estimate.high),
    )


def _up(share: float) -> str:
    """In points, rounded up."""
    return f"{ceil(100 * share - 1e-9)}" if share >= WIDE else f"{ceil(1000 * share - 1e-9) / 10}"
