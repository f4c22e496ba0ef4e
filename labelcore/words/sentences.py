"""The sentences for every state of a result, as one tested table.

A sentence says what is known, how surely and under which condition; it never claims more than the
promise of the interval it belongs to.
"""

from collections.abc import Mapping
from decimal import Decimal
from math import ceil, floor, log10

from labelcore.estimands import DIFFERENCE
from labelcore.promises import Form, Promise, State
from labelcore.results.told_values import Told
from labelcore.results.types import Estimate, Scope
from labelcore.words import found_so_far
from labelcore.words.existing import count as count
from labelcore.words.existing import from_labels
from labelcore.words.quantities import quantity

# When a result holds, in the one wording that every page and export has for it.
VALID: dict[str, str] = {
    Promise.WATCHED: "valid at every look",
    "until": "valid at every look up to {until}",
    Promise.FIXED: "valid at {due} only",
    Promise.NONE: "no promise goes with it",
}
NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
OPEN_SIZE = "the end of the plan"
ASSUMED = "bounds that assume falling precision; no confidence goes with them"

# How far a promise is proved.
FORMS = {
    "strict": "strict: the promise is proved for every population",
    "approximate": "approximate: how often such intervals hold was measured on many files, not "
    "proved",
}
FORMS_NOTE = (
    "Strict: the promise is proved for every population. Approximate: a large-sample form, whose "
    "coverage was measured. Tail share: how much of the uncertainty comes from parts of the file "
    "in which no positive item was found."
)
# What a statement is about.
TARGETS = {
    "file": "this file, every item of it",
    "process": "items like these; the file is taken as a random sample of them",
}

TERMS = {
    Promise.WATCHED: "An interval is shown {begins} ({promise}).",
    Promise.FIXED: "An interval is shown once ({promise}).",
    Promise.NONE: "No interval with a promise is left to be given.",
}

STATES = {
    State.NOTHING: "{scope}, nothing is known yet about {quantity}: {missing}. {terms}",
    State.TOO_FEW: (
        "{scope}, there are too few labels to say anything about {quantity}: {missing}. {terms}"
    ),
    State.PROVISIONAL: (
        "{scope}, the best guess so far for {quantity} is {value}, from {labels}; it has no "
        "interval yet. {terms}"
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
        "{scope}, {quantity} is exactly {value}, from {labels}: every item that matters has a "
        "label, so nothing is left to chance."
    ),
}
BETWEEN, AT_LEAST, AT_MOST = "between {low} and {high}", "at least {low}", "at most {high}"
ONE_END = {(True, False): AT_LEAST, (False, True): AT_MOST}
"""The words for an interval of which one end is known, by which of the two it is."""
NOTHING_YET = (
    "{scope}, nothing is known yet about {quantity}: anything between {low} and {high} is possible "
    "({promise}), from {labels}."
)
TOO_EARLY = "{labels} so far"

BY_EARLIER_RULE = "Measured by an earlier rule."

TAIL_WARNING = (
    " More than half of the uncertainty comes from parts of the file where no positive item was "
    "found: the figure rests on few labels there."
)
TAIL_WARNING_OF = (
    "No positive item was found in parts of the file, and more than half of the uncertainty comes "
    "from there: {names}."
)


def is_exact(low: float, high: float) -> bool:
    """Whether both ends are one number."""
    return high - low < 1e-9


def decimals(width: float) -> int:
    """Decimals of percents and points that an interval so wide supports: none over 10 points, one
    under that, two under one point, and one more for each further tenth; two for an exact figure,
    none where the width is NaN.

    >>> [decimals(one) for one in (0.62, 0.1, 0.05, 0.01, 0.004, 0.0004, 0.0, float("nan"))]
    [0, 1, 1, 2, 2, 3, 2, 0]
    """
    if width != width:
        return 0
    return 2 if width < 1e-9 else max(floor(1e-9 - log10(width)), 0)


def digits_for(share: float) -> int:
    """Decimals of a percentage that still tell something near 0 and 100 %."""
    edge = min(abs(share), 1 - abs(share))
    if edge >= 0.01 or edge < 1e-9:
        return 1
    return ceil(-log10(edge)) - 1


def percent(share: float, digits: int | None = None) -> str:
    """A proportion as people read it.

    >>> percent(0.9137), percent(1.0), percent(0.00042)
    ('91.4 %', '100 %', '0.042 %')
    """
    if share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    return f"{100 * share:.{digits_for(share) if digits is None else digits}f} %"


def value_percent(value: float, low: float, high: float) -> str:
    """A value with the decimals that its interval supports.

    >>> value_percent(0.9137, 0.88, 0.95), value_percent(0.9137, 0.6, 1.0)
    ('91.4 %', '91 %')
    """
    return percent(value, value_digits(value, low, high))


def value_digits(value: float, low: float, high: float) -> int:
    """The decimals of a value with its interval; an exact one is never told as all or nothing.

    >>> value_digits(0.99996, 0.99996, 0.99996), value_digits(0.91, 0.91, 0.91)
    (4, 2)
    """
    digits = decimals(high - low)
    return max(digits, digits_for(abs(value))) if is_exact(low, high) else digits


def exact_percent(share: float) -> str:
    """A share that somebody wrote down, with all its digits.

    >>> exact_percent(0.75), exact_percent(0.6667)
    ('75.0 %', '66.67 %')
    """
    return f"{_written(share)} %"


def _written(share: float) -> str:
    digits = f"{100 * share:.10g}"
    return digits if "." in digits else f"{digits}.0"


def percent_range(low: float, high: float) -> tuple[str, str]:
    """Both ends of an interval, rounded outwards so that the words never claim too much.

    >>> percent_range(0.87649, 0.94211), percent_range(0.00031, 0.00192), percent_range(0.2, 0.515)
    (('87.6 %', '94.3 %'), ('0.03 %', '0.20 %'), ('20 %', '52 %'))
    >>> percent_range(2 / 3, 2 / 3)
    ('66.67 %', '66.67 %')
    """
    bottom, top = _outward(low, high, value_digits(low, low, high))
    return f"{bottom} %", f"{top} %"


def range_text(low: float, high: float, unit: str = " %", wanted: float | None = None) -> str:
    """Both ends of an interval with their unit once, rounded outwards; an end below what is
    ``wanted`` in so many digits that it reads less.

    >>> range_text(0.87649, 0.94211), range_text(0.87649, 0.94211, unit="")
    ('87.6 to 94.3 %', '87.6 to 94.3')
    >>> range_text(0.4, 0.8963), range_text(0.4, 0.8963, wanted=0.9)
    ('40 to 90 %', '40.0 to 89.7 %')
    """
    digits = value_digits(low, low, high)
    bottom, top = _outward(low, high, digits)
    while wanted is not None and high < wanted - 1e-9 and float(top) >= 100 * wanted:
        digits += 1
        bottom, top = _outward(low, high, digits)
    return f"{bottom} to {top}{unit}"


def _outward(low: float, high: float, digits: int) -> tuple[str, str]:
    """Both ends in percent, rounded outwards; an exact figure to the nearest."""
    if is_exact(low, high):
        return (f"{100 * low:.{digits}f}",) * 2
    scale = 10 ** (digits + 2)
    outer = floor(scale * low + 1e-9) / scale, ceil(scale * high - 1e-9) / scale
    return f"{100 * outer[0]:.{digits}f}", f"{100 * outer[1]:.{digits}f}"


THAT_CAN_BE_JUDGED = " that a person can judge"


def goal_points(margin: float) -> str:
    """A margin that somebody wrote down, in percentage points.

    >>> goal_points(0.05), goal_points(0.0125)
    ('5.0 points', '1.25 points')
    """
    return f"{_written(margin)} points"


def points(half_width: float) -> str:
    """A half-width in percentage points, rounded up, with the decimals of its interval.

    >>> points(0.0312), points(0.1201)
    ('3.2 points', '13 points')
    """
    digits = decimals(2 * half_width)
    scale = 10**digits
    return f"{ceil(100 * scale * half_width - 1e-9) / scale:.{digits}f} points"


def first_items(number: int) -> str:
    """
    >>> first_items(1), first_items(1204)
    ('the first item', 'the first 1,204 items')
    """
    return "the first item" if number == 1 else f"the first {count(number, 'item')}"


def confidence_words(confidence: float) -> str:
    """
    >>> confidence_words(0.95)
    '95 %'
    """
    return f"{100 * confidence:.6g} %"


def scope_words(
    file: str, n_items: int, target: str, judged: float | None = None, group: str = ""
) -> str:
    """Which items a statement is about; ``judged``: the share of them that a person can judge,
    where it is about these, 0 if not known; ``group``: the words for the group whose items they
    are.

    >>> scope_words("items.csv", 6997, "file", 0.912)
    'For the roughly 91 % of the 6,997 items in items.csv that a person can judge'
    >>> scope_words("items.csv", 812, "file", group="language 'de'")
    "For the 812 items in items.csv with language 'de'"
    >>> scope_words("items.csv", 6997, "file", 0.0)
    'For those of the 6,997 items in items.csv that a person can judge'
    """
    these = "" if judged is None else f"the roughly {judged_percent(judged)} of "
    if judged == 0:
        these = "those of "
    those = "" if judged is None else THAT_CAN_BE_JUDGED
    named = f" with {group}" if group else ""
    if target == "process":
        return f"For items like {these}the {n_items:,} in {file}{named}{those}"
    return f"For {these}the {count(n_items, 'item')} in {file}{named}{those}"


def group_words(scope: Scope) -> str:
    """The group that a statement is about; "" where it is about all items.

    >>> from labelcore.results.types import Scope
    >>> group_words(Scope(by="language", group="de")), group_words(Scope())
    ("language 'de'", '')
    """
    return f"{scope.by} {scope.group!r}" if scope.by else ""


def judged_percent(share: float) -> str:
    """The share of the items that a person can judge, which is an estimate: never all of them.

    >>> judged_percent(0.912), judged_percent(0.9968), judged_percent(0.9999)
    ('91 %', '99.7 %', '99.9 %')
    """
    return f"{100 * share:.0f} %" if share < 0.995 else f"{min(100 * share, 99.9):.1f} %"


def left_percent(share: float) -> str:
    """The share of the items that nobody can judge, where a person can judge ``share``.

    >>> left_percent(0.912), left_percent(0.9968), left_percent(0.9999)
    ('9 %', '0.3 %', '0.1 %')
    """
    left = 1 - share
    return f"{100 * left:.0f} %" if left > 0.005 else f"{max(100 * left, 0.1):.1f} %"


def labels_words(labels: int, scope: Scope, given: str = "") -> str:
    """The labels that a figure rests on, those from before the project told apart.

    given   by whom and when the new ones were given, such as "by one person, 3 May 2026"
    """
    return from_labels(labels, scope.existing, scope.existing_use, given)


def due_words(scope: Scope) -> str:
    """What a fixed promise is for: a number of labels, or the end while a pilot is to tell it."""
    if not scope.planned:
        return OPEN_SIZE
    if scope.until > scope.planned:
        return f"the first {count(scope.until)}"
    return f"the planned {count(scope.planned)}"


def promise_kind(promise: Promise, scope: Scope) -> str:
    """The row of ``VALID``: "until" for a watched promise that has an end."""
    return "until" if promise == Promise.WATCHED and scope.until else promise


def valid_words(promise: Promise, scope: Scope) -> str:
    """When a result with this promise holds.

    >>> from labelcore.results.types import Scope
    >>> valid_words("watched", Scope()), valid_words("watched", Scope(until=400))
    ('valid at every look', 'valid at every look up to 400 labels')
    >>> valid_words("fixed", Scope(planned=400))
    'valid at the planned 400 labels only'
    >>> valid_words("watched", Scope(until=1)), valid_words("fixed", Scope(planned=1))
    ('valid at every look up to 1 label', 'valid at the planned 1 label only')
    """
    kind = promise_kind(promise, scope)
    return VALID[kind].format(due=due_words(scope), until=count(scope.until))


def form_words(form: Form) -> str:
    """How far a promise is proved, after the confidence; nothing where the method says neither.

    >>> form_words(Form.APPROXIMATE), form_words(Form.UNSTATED)
    (', approximate', '')
    """
    return f", {form}" if form else ""


def promise_words(estimate: Estimate) -> str:
    """The promise of an estimate in words."""
    if estimate.promise == Promise.NONE:
        return VALID[Promise.NONE]
    sure, together = estimate.confidence, estimate.scope.together
    form = form_words(estimate.form)
    all_of = f" for all {together} numbers together" if together > 1 else ""
    confidence = "" if sure is None else confidence_words(sure)
    return f"{confidence} confidence{all_of}{form}, {valid_words(estimate.promise, estimate.scope)}"


def span_words(estimate: Told) -> str:
    """The interval in words; where no value is told, the one end that is known."""
    low, high = percent_range(estimate.low, estimate.high)
    return span_pattern(estimate).format(low=low, high=high)


def span_pattern(estimate: Told, both: str = BETWEEN) -> str:
    """The words for one end where no value is told and one is known, else those for both ends."""
    return both if estimate.told is not None else ONE_END.get(estimate.known_ends, both)


def sentence_of(estimate: Estimate, states: Mapping[State, str], nothing: str) -> str:
    """The row of ``states`` for an estimate; ``nothing`` where its interval says nothing yet, and
    too few labels where its value does and there is no interval."""
    if estimate.has_interval and estimate.says_nothing:
        return nothing
    early = estimate.state == State.PROVISIONAL and estimate.told is None
    return states[State.TOO_FEW if early else estimate.state]


def missing_words(estimate: Estimate) -> str:
    """What is missing for a first figure, or the labels that are too few for it."""
    if estimate.state == State.PROVISIONAL:
        return TOO_EARLY.format(labels=count(estimate.labels_used))
    return estimate.missing or "no label yet"


def fields_of(estimate: Estimate, given: str) -> dict[str, str]:
    """What the sentences of all estimates have in common."""
    scope, promise = estimate.scope, promise_words(estimate)
    due = estimate.labels_used < scope.first_figure > 1  # One label alone seldom brings it.
    begins = f"from {count(scope.first_figure)} on" if due else "once the labels allow one"
    return {
        "scope": scope_words(
            scope.file, scope.n_items, scope.target, scope.judged, group_words(scope)
        ),
        "promise": promise,
        "terms": TERMS[estimate.promise].format(begins=begins, promise=promise),
        "labels": labels_words(estimate.labels_used, scope, given),
        "due": due_words(scope),
        "missing": missing_words(estimate),
        "margin": "" if scope.margin is None else goal_points(scope.margin),
    }


def estimate_sentence(estimate: Estimate, given: str = "") -> str:
    """The sentence of an estimate's state, filled in."""
    scope, told, between = estimate.scope, estimate.told, span_words(estimate)
    low, high = percent_range(estimate.low, estimate.high)
    value = "unknown" if told is None else value_percent(told, estimate.low, estimate.high)
    measured = (
        quantity(estimate.estimand, scope.classifier, scope.positive, audit=scope.audit)
        if scope.found is None
        else found_so_far.MEASURES.format(positive=scope.positive)
    )
    text = sentence_of(estimate, STATES, NOTHING_YET).format(
        quantity=measured,
        value=value,
        low=low,
        high=high,
        finding=f"{measured} is {between if told is None else f'{value}, {between}'}",
        **fields_of(estimate, given),
    )
    warn = warns_of_tail(estimate)
    if not estimate.has_interval or estimate.says_nothing:
        return text
    text += found_so_far.counted_words(estimate) + (TAIL_WARNING if warn else "")
    return " ".join([text, *estimate.notes])


def by_which_rule(sentence: str, scope: Scope) -> str:
    """A sentence, and that an earlier rule made what it says where one did."""
    return f"{sentence} {BY_EARLIER_RULE}" if scope.earlier else sentence


def warns_of_tail(estimate: Estimate) -> bool:
    """Whether its sentence warns that it rests on few labels where nothing was found."""
    return tail_of(estimate) > 0.5


def tail_of(estimate: Estimate) -> float:
    """The share of the uncertainty owed to parts where no positive item was found; 0 without an
    interval, and for accuracy, which items that are not positive bear on as much."""
    measured = estimate.estimand.partition("[")[0].removesuffix(DIFFERENCE)
    return 0 if measured == "accuracy" or not estimate.has_interval else estimate.tail_share or 0


def score_words(score: float) -> str:
    """A score in four digits, a large one whole; with an exponent only where it has ten zeros.

    >>> score_words(0.123456), score_words(3.8e-05), score_words(1234567.8), score_words(-2e-12)
    ('0.1235', '0.000038', '1,234,568', '-2e-12')
    """
    if 10_000 <= abs(score) < 1e15:
        return f"{score:,.0f}"
    short = f"{score:.4g}"
    return f"{Decimal(short):f}" if 1e-10 < abs(score) < 1 else short
