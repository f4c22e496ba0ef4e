"""The sentences about what errors have in common."""

import math

from labelcore.results.in_common import ErrorsInCommon, Shared
from labelcore.words.sentences import confidence_words, count, score_words

WITH = {
    ("word", False): "with the word {name!r}",
    ("score", False): "scored up to {value}",
    ("score", True): "scored above {value}",
    ("length", False): "of at most {value} words",
    ("length", True): "of more than {value} words",
    ("group", False): "with {name} {value!r}",
    ("classifier", False): "where {name!r} says otherwise",
}
TOLD = (
    "Of {items} called {called!r} {having}, {wrong} are wrong, of the other {others} {fewer}: "
    "{times}."
)
TIMES, ONLY = "{times} times as often ({low} to {high})", "at least {low} times as often"
OFTENER = "more often"
NOTHING = "Among the first {labels} the errors have nothing in common that chance does not explain."
NOT_YET = "What errors have in common is looked for at {labels}."
ABOUT = "Of the first {labels}, {sure} sure that chance explains none of it."


def in_common_sentence(errors: ErrorsInCommon, given: str = "") -> str:
    """What is told, or that nothing is."""
    if not errors.labels:
        return NOT_YET.format(labels=count(errors.next_look))
    if not errors.found:
        return NOTHING.format(labels=count(errors.labels))
    about = ABOUT.format(labels=count(errors.labels), sure=confidence_words(errors.confidence))
    return " ".join([*map(shared_words, errors.found), about])


def shared_words(shared: Shared) -> str:
    """
    >>> shared_words(Shared("yes", "word", "offer", "", False, 8, 11, 4, 29, 5.3, 1.9, 15.4, .01))
    "Of 11 called 'yes' with the word 'offer', 8 are wrong, of the other 29 4: 5.3 times as often \
(1.9 to 16)."
    """
    return TOLD.format(
        items=shared.items,
        called=shared.called,
        having=having_words(shared),
        wrong=shared.wrong,
        others=shared.items_else,
        fewer=shared.wrong_else,
        times=times_words(shared),
    )


def having_words(shared: Shared) -> str:
    """What these items have."""
    value = shared.value if isinstance(shared.value, str) else score_words(shared.value)
    return WITH[shared.kind, shared.above].format(name=shared.name, value=value)


def times_words(shared: Shared) -> str:
    """How much more often they are wrong; where that has no bounds, that they are.

    >>> unbounded = {"times": math.inf, "low": 1.0, "high": math.inf, "chance": 0.01}
    >>> times_words(Shared("yes", "score", "", 0.75, False, 6, 14, 0, 15, **unbounded))
    'more often'
    """
    known = math.isfinite(shared.times)
    if not known and _times(shared.low, down=True) == "1":
        return OFTENER
    return (TIMES if known else ONLY).format(
        times=_times(shared.times) if known else "",
        low=_times(shared.low, down=True),
        high=_times(shared.high, up=True) if math.isfinite(shared.high) else "any number",
    )


def _times(ratio: float, *, down: bool = False, up: bool = False) -> str:
    """A ratio with two digits or more, the ends of an interval rounded outwards.

    >>> _times(1.049, down=True), _times(5.32), _times(15.4, up=True)
    ('1.04', '5.3', '16')
    """
    scale = 100 if ratio < 2 else 10 if ratio < 10 else 1
    turn = math.floor if down else math.ceil if up else round
    return f"{turn(ratio * scale) / scale:g}"
