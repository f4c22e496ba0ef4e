"""The sentences for a choice between candidates, as one tested table."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from labelcore.designs.choices import LabelsUntil, Named, OtherChoice
from labelcore.promises import CandidateState, ChoiceStatus
from labelcore.results.types import Choice
from labelcore.words.claims import times_number
from labelcore.words.sentences import (
    confidence_words,
    count,
    exact_percent,
    form_words,
    labels_words,
    percent_range,
    points,
    range_text,
    scope_words,
    score_words,
    valid_words,
)

STATUSES = {
    ChoiceStatus.GUARANTEED: (
        "{scope}, {chosen} is the choice: its precision is at least {floor}, and it finds at least "
        "{share} of the {positive!r} items that the best candidate with a precision of {wanted} "
        "or more finds ({confidence} confidence{form}, {valid}), from {labels}."
    ),
    ChoiceStatus.NONE_ACCEPTABLE: (
        "{scope}, no candidate has a precision of {wanted} or more ({confidence} "
        "confidence{form}, {valid}), from {labels}: none should be used."
    ),
    ChoiceStatus.GUESS: (
        "{scope}, {chosen} looks best so far, but nothing is shown about it yet: this is a guess, "
        "from {labels}."
    ),
    ChoiceStatus.UNDECIDED: (
        "{scope}, the choice of a candidate with a precision of {wanted} or more is still open"
        "{left}{labels}."
    ),
}
# In at most twenty words.
SHORT = {
    ChoiceStatus.GUARANTEED: "{sure} sure: {chosen} is the choice, its precision {floor} or more.",
    ChoiceStatus.NONE_ACCEPTABLE: "{sure} sure: no candidate has a precision of {wanted} or more.",
    ChoiceStatus.GUESS: "A guess: {chosen} looks best, and nothing is shown about it yet.",
    ChoiceStatus.UNDECIDED: ("Still open: {left} of {of} candidates may be the right choice."),
}

WANTED = (
    "Wanted: the candidate that finds the most {positive!r} items with a precision of {wanted} or "
    "more. Tolerated: a precision of {floor}, and to find {share} of what the best one finds."
)

OTHERS = (
    "All rows hold together at every look ({confidence} confidence{form}): a choice lies at most "
    "{slack} below the required precision and finds at least {share} of what the best one finds. "
    "For the planned precision alone the same labels say more: that is the sentence above."
)
FURTHER = {
    ChoiceStatus.GUARANTEED: "At {wanted}: {chosen} is the choice, its precision {low} or more.",
    ChoiceStatus.NONE_ACCEPTABLE: "At {wanted}: no candidate is that precise.",
    ChoiceStatus.UNDECIDED: "At {wanted}: still open, {left} may be the choice.",
}
UNTIL = {
    True: "About {middle} ({low} to {high} in half of the simulated sessions), {time}.",
    False: "More than a quarter of the simulated sessions never decided it.",
}
OPEN, NONE = "still open, {left} left", "none is that precise"
ROUNDING = 1e-9
SAME = 0.005
"""How near to the tolerated precision a bound is not said beside it."""

SIDE_BY_SIDE = (
    "Each row holds with its own confidence, all {number} together with {sure} or more. A delta of "
    "{share} each gives 95 % together."
)
NOT_TOGETHER = (
    "Each row holds with its own confidence, and nothing is sure of all {number} together. A delta "
    "of {share} each gives 95 %."
)

# A candidate of an open choice, in a table and on one line.
CANDIDATES: dict[str, str] = {
    **{state: state.value for state in CandidateState},
    CandidateState.IN: "still open",
}


def candidate_rows(choice: Choice) -> pd.DataFrame:
    """The candidates as people read them, a row each, as text."""
    rows = [
        {
            "candidate": str(row["classifier"]),
            "items": f"{int(row['size']):,}",
            "precision": range_text(row["low"], row["high"], wanted=choice.precision_threshold),
            "finds": f"{row['low'] * row['size']:,.0f} to {row['high'] * row['size']:,.0f}",
            "state": CANDIDATES[row["state"]],
        }
        for row in choice.bounds.to_dict("records")
    ]
    return pd.DataFrame(rows)


@dataclass(frozen=True, slots=True)
class ChoiceOfProject:
    """A choice among those of several projects: its question, the required precision and the chance
    to be wrong, what the last look chose, with its lowest precision, NaN without, and its labels.
    """

    asked: str
    precision: float
    delta: float
    status: ChoiceStatus
    chosen: str | None
    low: float
    labels: int


def side_by_side_rows(choices: Sequence[ChoiceOfProject]) -> pd.DataFrame:
    """The choices of several topics or classes, a project each, as text."""
    states = {ChoiceStatus.NONE_ACCEPTABLE: NONE, ChoiceStatus.UNDECIDED: "still open"}
    rows = [
        {
            "asked": choice.asked,
            "required precision": exact_percent(choice.precision),
            "the choice": choice.chosen or states.get(choice.status, choice.status.value),
            "its precision": _or_more(choice.low) if choice.chosen else "",
            "labels": f"{choice.labels:,}",
            "confidence": confidence_words(1 - choice.delta),
        }
        for choice in choices
    ]
    return pd.DataFrame(rows)


def side_by_side_words(choices: Sequence[ChoiceOfProject]) -> str:
    """How surely the choices of several projects hold together: by the sum of their errors."""
    sure = 1 - sum(choice.delta for choice in choices)
    text = SIDE_BY_SIDE if sure > ROUNDING else NOT_TOGETHER
    share = times_number(0.05 / len(choices))  # Rounded down: together they must not be above.
    return text.format(number=len(choices), sure=confidence_words(max(sure, 0)), share=share)


def other_rows(choices: Sequence[OtherChoice], positive: str) -> pd.DataFrame:
    """The choices for other required precisions as people read them, a row each, as text."""
    rows = [
        {
            "required precision": exact_percent(choice.precision),
            "the choice": _chosen_words(choice),
            "as precise for sure": "none yet" if choice.surest is None else choice.surest.name,
            "its precision": _precision(choice.chosen or choice.surest),
            f"{positive!r} it finds": _finds(choice.chosen or choice.surest),
        }
        for choice in choices
    ]
    return pd.DataFrame(rows)


def _chosen_words(choice: OtherChoice) -> str:
    if choice.chosen is not None:
        return choice.chosen.name
    none = choice.status == ChoiceStatus.NONE_ACCEPTABLE
    return NONE if none else OPEN.format(left=choice.left)


def _precision(named: Named | None) -> str:
    return "" if named is None else _or_more(named.precision)


def _or_more(low: float) -> str:
    return f"{percent_range(low, 1.0)[0]} or more"


def _finds(named: Named | None) -> str:
    return "" if named is None else f"{math.floor(named.finds + ROUNDING):,} or more"


def further_words(choice: OtherChoice) -> str:
    """What is known of a further choice that labels were asked for, in one sentence."""
    return FURTHER[choice.status].format(
        wanted=exact_percent(choice.precision),
        chosen=choice.chosen.name if choice.chosen else "",
        low=percent_range(choice.chosen.precision, 1.0)[0] if choice.chosen else "",
        left=choice.left,
    )


def until_words(until: LabelsUntil, time: str) -> str:
    """What it may take until a further choice is made; ``time``: that of the middle one."""
    return UNTIL[until.high is not None].format(
        middle=count(until.middle or 0, "more label"), low=until.low, high=until.high, time=time
    )


def others_words(choice: Choice) -> str:
    """What holds for the choices at other required precisions, and how surely."""
    return OTHERS.format(
        confidence=confidence_words(choice.confidence),
        form=form_words(choice.form),
        slack=points(choice.precision_slack),
        share=exact_percent(1 - choice.reach_slack),
    )


def _asked(choice: Choice) -> dict[str, str]:
    """What the plan asks of a candidate, in per cent."""
    return {
        "wanted": exact_percent(choice.precision_threshold),
        "floor": exact_percent(choice.precision_threshold - choice.precision_slack),
        "share": exact_percent(1 - choice.reach_slack),
    }


def choice_short(choice: Choice) -> str:
    """Where a choice stands, on one line."""
    return SHORT[choice.status].format(
        chosen=choice.chosen or "none",
        left=choice.left,
        of=len(choice.bounds),
        sure=confidence_words(choice.confidence),
        **_asked(choice),
    )


def wanted_words(choice: Choice) -> str:
    """What the plan asks of a candidate."""
    return WANTED.format(positive=choice.scope.positive, **_asked(choice))


def choice_sentence(choice: Choice, given: str = "") -> str:
    """What a choice says and how surely."""
    scope = choice.scope
    text = STATUSES[choice.status].format(
        scope=scope_words(scope.file, scope.n_items, scope.target),
        chosen=candidate_words(choice.chosen, choice.threshold),
        positive=scope.positive,
        confidence=confidence_words(choice.confidence),
        form=form_words(choice.form),
        valid=valid_words(choice.promise, scope),
        labels=_from(choice, given),
        left=f": {choice.missing}" if choice.missing else "",
        **_asked(choice),
    )
    return text + bounds_words(choice)


def _from(choice: Choice, given: str) -> str:
    """The labels; of an open choice what follows ", from", and nothing before the first."""
    labels = labels_words(choice.labels_used, choice.scope, given)
    if choice.status != ChoiceStatus.UNDECIDED:
        return labels
    return f", from {labels}" if choice.labels_used else ""


def candidate_words(chosen: str | None, threshold: float | None) -> str:
    """
    >>> candidate_words("top 400", 3.8125e-05), candidate_words("lr", None)
    ("'top 400' (score 0.00003812 and better)", "'lr'")
    """
    if chosen is None:
        return "none of the candidates"
    at = "" if threshold is None else f" (score {score_words(threshold)} and better)"
    return f"{chosen!r}{at}"


def bounds_words(choice: Choice) -> str:
    """What is known for sure of the chosen one's precision, as a sentence to append."""
    mine = choice.bounds[choice.bounds["classifier"] == choice.chosen]
    if choice.status != ChoiceStatus.GUARANTEED or mine.empty:
        return ""
    bottom = float(mine["low"].iloc[0])
    if abs(bottom - choice.precision_threshold + choice.precision_slack) < SAME:
        return ""
    low, _ = percent_range(bottom, float(mine["high"].iloc[0]))
    return f" By the same bounds its precision is at least {low}."
