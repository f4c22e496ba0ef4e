"""What a person or a program may answer, and what it means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

import numpy as np

from labelcore.errors import AnswerError
from labelcore.log.events import RESERVED_ANSWERS, Event


def answer_kind(answer: object, classes: Sequence[str], positive: str) -> tuple[str, str | None]:
    """The event kind and the class name of an answer.

    >>> answer_kind(True, ("no", "yes"), "yes"), answer_kind("later", ("no", "yes"), "yes")
    (('labelled', 'yes'), ('later', None))

    Raises AnswerError for anything else than a class, a reserved answer or, for two classes,
    true and false.
    """
    if isinstance(answer, np.generic):
        answer = answer.item()
    if isinstance(answer, str) and answer in RESERVED_ANSWERS:
        return answer, None
    if isinstance(answer, str) and answer in classes:
        return "labelled", answer
    name = _two_class_name(answer, classes, positive)
    if name is None:
        known = ", ".join((*classes, *RESERVED_ANSWERS))
        raise AnswerError(f"answer must be one of {known}, got {answer!r}")
    return "labelled", name


def _two_class_name(answer: object, classes: Sequence[str], positive: str) -> str | None:
    if len(classes) != 2:
        return None
    yes = answer is True or (isinstance(answer, (int, float, str)) and answer in (1, "yes", "1"))
    no = answer is False or (isinstance(answer, (int, float, str)) and answer in (0, "no", "0"))
    if not yes and not no:
        return None
    return positive if yes else next(name for name in classes if name != positive)


def looking_seconds(answers: Sequence[Event]) -> list[float]:
    """How long each was looked at, from when the item was first shown to the answer; answers of one
    page, which have the same time, share it. nan where it is not known."""
    together = Counter((answer.annotator, answer.at) for answer in answers)

    def seconds(answer: Event) -> float:
        if not (answer.shown_at and answer.at):
            return float("nan")
        span = datetime.fromisoformat(answer.at) - datetime.fromisoformat(answer.shown_at)
        return span.total_seconds() / together[answer.annotator, answer.at]

    return [seconds(answer) for answer in answers]
