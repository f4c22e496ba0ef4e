"""What a result means and what it does not mean, in three plain sentences."""

from labelcore.promises import ChoiceStatus, Form, Promise, State
from labelcore.results.base import Finding
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Claim, Estimate
from labelcore.words.sentences import count, valid_words

EXACT = "Every item that matters has a label, so nothing here is left to chance."
NOTHING_YET = "Nothing is known yet: there are too few labels."
ONE_LOOK = (
    "It is a guess so far: how far off it may be is told once, when all planned labels are there."
)
NO_PROMISE = "No confidence goes with it: it may be wrong, and nobody can say how often."
ASSUMED = "It holds if precision falls along the list; no confidence goes with it."
SURE = "Of 100 projects like this one, {most} {wrong} would give a false answer; it is {valid}."
OPEN = "It is not settled yet: the labels so far allow either answer."
ABOUT_FILE = (
    "It is about {items} in this file{judged}, and about what the people who labelled would say of "
    "each."
)
ABOUT_LIKE = (
    "It is about items like {items} in this file{judged}, and about what the people who labelled "
    "would say of each."
)
THOSE, JUDGED = "those of ", " that a person can judge"
NOT_FILE = (
    "It does not speak for items that come later, for {group}, or for mistakes in the labels."
)
NOT_LIKE = (
    "It does not speak for items from elsewhere or from another time, for {group}, or for mistakes "
    "in the labels."
)
ANY_GROUP, OTHER_GROUP = "a group among them", "a group that the table lacks"


def meaning(result: Finding, *, grouped: bool = False) -> tuple[str, str, str]:
    """How sure it is, what it is about, and what it does not say; ``grouped``: whether the figures
    of groups stand beside it."""
    scope = result.scope
    items, process, judged = f"the {count(scope.n_items, 'item')}", scope.target == "process", ""
    if scope.judged is not None:
        items, judged = f"{THOSE}{items}", JUDGED
    about = (ABOUT_LIKE if process else ABOUT_FILE).format(items=items, judged=judged)
    against = NOT_LIKE if process else NOT_FILE
    return _how_sure(result), about, against.format(group=OTHER_GROUP if grouped else ANY_GROUP)


def _how_sure(result: Finding) -> str:
    if isinstance(result, Claim):
        return _sure(1 - result.alpha, result)
    if isinstance(result, Choice):
        settled = result.status in (ChoiceStatus.GUARANTEED, ChoiceStatus.NONE_ACCEPTABLE)
        return _sure(result.confidence, result) if settled else OPEN
    assert isinstance(result, Estimate | Band)
    if result.state == State.EXACT:
        return EXACT
    guessed = isinstance(result, Estimate) and result.told is not None
    if guessed and result.state == State.PROVISIONAL:
        return ONE_LOOK
    if not result.has_interval or (isinstance(result, Estimate) and result.says_nothing):
        return NOTHING_YET
    if result.confidence is None:
        return ASSUMED
    return NO_PROMISE if result.promise == Promise.NONE else _sure(result.confidence, result)


def _sure(confidence: float, result: Finding) -> str:
    """
    >>> from types import SimpleNamespace
    >>> from labelcore.results.types import Scope
    >>> _sure(0.95, SimpleNamespace(promise="watched", scope=Scope(), form="strict"))
    'Of 100 projects like this one, at most 5 would give a false answer; it is valid at every look.'
    """
    most = "at most" if result.form == Form.STRICT else "about"
    wrong = f"{100 * (1 - confidence):.3g}"
    return SURE.format(most=most, wrong=wrong, valid=valid_words(result.promise, result.scope))
