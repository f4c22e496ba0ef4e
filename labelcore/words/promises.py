"""The promises as a person chooses between them, and what they meant afterwards."""

from labelcore.promises import Promise
from labelcore.results.types import Scope
from labelcore.words.sentences import NUMBERS, VALID, count, valid_words

AT_THE_END = VALID[Promise.FIXED]
PROMISES = {
    Promise.WATCHED: "I look while I label, and may stop when I like",
    Promise.FIXED: "I look once, when all planned labels are there",
}
LOOKS = {
    Promise.WATCHED: "{sure} sure at every look.",
    Promise.FIXED: "{sure} sure, one look at the end.",
    Promise.NONE: "",
}
"""A promise in a few words, beside a price."""
NARROWER = "Narrower, but it holds only once all planned labels are there or the stop ends it."
PROMISE_CAPTIONS = ("The interval is {valid}; in return it is about {part} wider.", NARROWER)
EACH_RANK_CAPTIONS = (
    "An interval for each rank on its own, {valid}; in return it is about {part} wider.",
    NARROWER,
)
BAND_CAPTIONS = (
    "One band for all ranks, {valid}; in return somewhat wider.",
    f"One band for all ranks, narrower, but {AT_THE_END.format(due='the planned labels')}.",
)
ONLY_PROMISE = {
    Promise.WATCHED: "You may look at any time and stop when you like: it is {valid}.",
    Promise.FIXED: f"This method's interval is {AT_THE_END.format(due='the planned labels')}.",
}
MEANING: dict[str, str] = {
    "until": ", so that watching and stopping early do no harm",
    Promise.WATCHED: ", so that watching and stopping early do no harm",
    Promise.FIXED: ", and none was shown before",
}


def watched_words(horizon: int | None, budget: int | None = None) -> str:
    """When a watched result of a plan that is not made yet holds.

    horizon   how many times the planned size it is for; None without an end
    budget    the planned size, where it is known already

    >>> watched_words(1, 200), watched_words(4)
    ('valid at every look up to 200 labels', 'valid at every look up to four times the planned \
number of labels, at most all items')
    >>> watched_words(None)
    'valid at every look'
    """
    if horizon is None:
        return valid_words(Promise.WATCHED, Scope())
    until = times_planned(horizon) if budget is None else count(horizon * budget)
    return VALID["until"].format(until=until)


def times_planned(horizon: int) -> str:
    """How many labels there are at the end of a horizon.

    >>> times_planned(1), times_planned(16)
    ('the planned number of labels', '16 times the planned number of labels, at most all items')
    """
    if horizon == 1:
        return "the planned number of labels"
    times = NUMBERS[horizon] if horizon < len(NUMBERS) else f"{horizon:,}"
    return f"{times} times the planned number of labels, at most all items"


def wider_words(horizon: int | None) -> str:
    """How much wider it is than one that is looked at once: the critical value at the planned size
    (docs/horizon.md), 2.30 or with room to go on 2.39, over 1.96.

    >>> wider_words(1), wider_words(4)
    ('a sixth', 'a fifth')
    """
    return "a sixth" if horizon == 1 else "a fifth"
