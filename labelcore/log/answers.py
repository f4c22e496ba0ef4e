"""What a person or a program may answer, and what it means."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime, timedelta

import numpy as np

from labelcore.errors import AnswerError, told
from labelcore.log.events import Event
from labelcore.population.classes import RESERVED, ZERO_ONE


def answer_kind(answer: object, classes: Sequence[str], positive: str) -> tuple[str, str | None]:
    """The event kind and the class name of an answer.

    >>> answer_kind(True, ("no", "yes"), "yes"), answer_kind("later", ("no", "yes"), "yes")
    (('labelled', 'yes'), ('later', None))

    Raises AnswerError for anything else than a class, a reserved answer or, for two classes,
    true and false.
    """
    if isinstance(answer, np.generic):
        answer = answer.item()
    if isinstance(answer, str) and answer in RESERVED:
        return answer, None
    name = _called(answer, classes) or _two_class_name(answer, classes, positive)
    if name is None:
        known = ", ".join((*classes, *RESERVED))
        raise AnswerError(f"answer must be one of {known}, got {told(answer)}")
    return "labelled", name


def _called(answer: object, classes: Sequence[str]) -> str | None:
    """The class that is called so; of a number the one that is this number."""
    if isinstance(answer, (str, bool)):
        return str(answer) if str(answer) in classes else None
    if not isinstance(answer, (int, float)):
        return None
    return next((name for name in classes if _number(name) == answer), None)


def _number(name: str) -> float | None:
    try:
        return float(name)
    except ValueError:
        return None


def _two_class_name(answer: object, classes: Sequence[str], positive: str) -> str | None:
    """What true and false stand for. Numbers do where no class is one, since 0 is none of the
    classes 1 and 2, and "no" never stands for a class "yes"."""
    if len(classes) != 2 or not isinstance(answer, (int, float, str)):
        return None
    numbered = any(_number(name) is not None for name in classes)
    if isinstance(answer, str) and not {*classes} & {*ZERO_ONE}:
        answer = ZERO_ONE.get(answer, answer)
    pairs: list[tuple[object, object]] = [(True, False)] * isinstance(answer, bool)
    pairs += [("yes", "no"), *([(1, 0), ("1", "0")] if not numbered else [])]
    pair = next((pair for pair in pairs if answer in pair), None)
    if pair is None:
        return None
    yes = answer == pair[0]
    name = positive if yes else next(name for name in classes if name != positive)
    return None if name in pair else name


def looking_seconds(answers: Sequence[Event]) -> list[float]:
    """How long each was looked at, from when the item was first shown to the answer; answers of one
    page, which have the same time, share it. nan where it is not known, or the clock was set
    back meanwhile."""
    together = Counter((answer.annotator, answer.at) for answer in answers)

    def seconds(answer: Event) -> float:
        if not (answer.shown_at and answer.at):
            return float("nan")
        span = datetime.fromisoformat(answer.at) - datetime.fromisoformat(answer.shown_at)
        if span < timedelta():
            return float("nan")
        return span.total_seconds() / together[answer.annotator, answer.at]

    return [seconds(answer) for answer in answers]
