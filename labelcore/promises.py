"""What a result claims for itself: its promise, its state, its form and the method that made it.

Each is a closed set of words. A member is equal to its text, and looks like it wherever it is
written: in an error, in JSON, in a table.
"""

from dataclasses import dataclass
from enum import StrEnum


class Word(StrEnum):
    """A text out of a closed set.

    >>> Promise.WATCHED, Promise.WATCHED == "watched", Promise("watched") is Promise.WATCHED
    ('watched', True, True)
    """

    def __repr__(self) -> str:
        return repr(self.value)


class Promise(Word):
    """When a result holds.

    WATCHED   at every look: the chance that it is ever wrong is at most 1 - confidence
    FIXED     at the planned size or stop only
    NONE      no promise goes with it
    """

    WATCHED = "watched"
    FIXED = "fixed"
    NONE = "none"


class State(Word):
    """How far an estimate or a curve has come; ``labelcore.words`` has a sentence for each."""

    NOTHING = "nothing"
    TOO_FEW = "too few"
    PROVISIONAL = "provisional"
    INTERVAL = "interval"
    WAITING = "waiting"
    GOAL_REACHED = "goal reached"
    NOT_REACHED = "not reached"
    STOPPED_EARLY = "stopped early"
    EXACT = "exact"

    @property
    def has_interval(self) -> bool:
        """Whether its ends may be shown as an interval."""
        return self not in (State.NOTHING, State.TOO_FEW, State.PROVISIONAL)


class Status(Word):
    """Where a session stands.

    OPEN           there is something to label for whoever comes
    WAITING        only items on somebody's screen are left
    GOAL_REACHED   a stop rule was met
    BUDGET_USED    the labels asked for are there
    EXHAUSTED      there is nothing more to draw
    FINISHED       somebody finished it
    SUPERSEDED     an earlier rule measured it, and nothing more is labelled
    """

    OPEN = "open"
    WAITING = "waiting"
    GOAL_REACHED = "goal reached"
    BUDGET_USED = "budget used"
    EXHAUSTED = "exhausted"
    FINISHED = "finished"
    SUPERSEDED = "measured by an earlier rule"

    @property
    def over(self) -> bool:
        """Whether no answer may be given or changed."""
        return self in (Status.FINISHED, Status.SUPERSEDED)


class ClaimStatus(Word):
    """What the labels say of a claim: that it holds, that it does not, or neither yet."""

    DECIDED = "decided"
    REFUTED = "refuted"
    UNDECIDED = "undecided"


class ChoiceStatus(Word):
    """How a choice among candidates was made; see ``labelcore.Choice``."""

    GUARANTEED = "guaranteed"
    NONE_ACCEPTABLE = "none acceptable"
    GUESS = "guess"
    UNDECIDED = "undecided"


class CandidateState(Word):
    """What the bounds of a candidate's precision say of it in a choice.

    IN                       neither shown nor ruled out
    GOOD                     as precise as wanted
    ACCEPTABLE               as precise as is tolerated
    ACCEPTABLE_NOT_GOOD      the same, and not as precise as wanted
    REACH_TOO_SMALL          out: another one is shown to find about as much as it could
    PRECISION_TOO_LOW        out: not as precise as wanted
    """

    IN = "in"
    GOOD = "good"
    ACCEPTABLE = "acceptable"
    ACCEPTABLE_NOT_GOOD = "acceptable, not good"
    REACH_TOO_SMALL = "out: reach too small"
    PRECISION_TOO_LOW = "out: precision too low"

    @property
    def out(self) -> bool:
        """Whether it cannot be the choice any more."""
        return self in (CandidateState.REACH_TOO_SMALL, CandidateState.PRECISION_TOO_LOW)


class Unsure(Word):
    """What a figure takes the items for that people call unsure or broken.

    JUDGED       it is about the items that a person can judge; these are none of them
    ODDS         about all items: the unsure ones are judged wrongly up to three times as often as
                 the others of their stratum, or as seldom
    EITHER_WAY   about all items: every one of them may turn out either way
    """

    JUDGED = "judged"
    ODDS = "odds"
    EITHER_WAY = "either way"


UNSURE = tuple(Unsure)
"""The readings that a plan may declare."""


class Form(Word):
    """How far the promise of an interval is shown.

    STRICT       it holds in every population
    APPROXIMATE  it is not proved; how often such intervals hold was measured
    UNSTATED     the method says neither
    """

    STRICT = "strict"
    APPROXIMATE = "approximate"
    UNSTATED = ""


@dataclass(frozen=True, slots=True)
class Method:
    """How an interval or a choice was made.

    >>> str(Method("Wilson score interval", "Wilson (1927)", Form.APPROXIMATE))
    'Wilson score interval (approximate)'
    """

    name: str
    source: str
    form: Form = Form.UNSTATED

    def __str__(self) -> str:
        return f"{self.name} ({self.form})" if self.form else self.name
