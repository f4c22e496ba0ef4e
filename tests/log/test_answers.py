"""What an answer means: the class that is called so before any other."""

import numpy as np
import pytest

from labelcore.errors import AnswerError
from labelcore.log.answers import answer_kind


@pytest.mark.parametrize(
    ("answer", "classes", "positive", "meant"),
    [
        (True, ("ham", "spam"), "spam", "spam"),
        (0, ("ham", "spam"), "spam", "ham"),
        ("1", ("ham", "spam"), "spam", "spam"),
        ("True", ("ham", "spam"), "spam", "spam"),
        ("0.0", ("ham", "spam"), "spam", "ham"),
        ("no", ("ham", "spam"), "spam", "ham"),
        (1, ("no", "yes"), "yes", "yes"),
        ("yes", ("no", "spam"), "spam", "spam"),
        (1, ("1", "2"), "2", "1"),
        (2, ("1", "2"), "2", "2"),
        (np.int64(1), ("0", "1"), "0", "1"),
        (1.0, ("0", "1"), "0", "1"),
        (1, ("1.0", "2.0"), "2.0", "1.0"),
        (3, ("1", "2", "3"), "1", "3"),
        (True, ("False", "True"), "False", "True"),
        (False, ("0", "1"), "1", "0"),
    ],
)
def test_answer_is_the_class_that_is_called_so(
    answer: object, classes: tuple[str, ...], positive: str, meant: str
) -> None:
    assert answer_kind(answer, classes, positive) == ("labelled", meant)


@pytest.mark.parametrize(
    ("answer", "classes"),
    [
        (0, ("1", "2")),
        ("0", ("1", "2")),
        ("no", ("yes", "unclear")),
        ("yes", ("unclear", "no")),
        (True, ("1", "2", "3")),
        (float("nan"), ("ham", "spam")),
        (None, ("ham", "spam")),
        ("True", ("false", "true")),
        ("1.0", ("1", "2")),
    ],
)
def test_what_no_class_is_called_is_none_of_them(answer: object, classes: tuple[str, ...]) -> None:
    with pytest.raises(AnswerError, match=r"^answer must be one of "):
        answer_kind(answer, classes, classes[-1])
