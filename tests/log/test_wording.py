"""Which words of a project may be mended, and what is said of the others."""

from typing import Any

import pytest

from labelcore.errors import PlanError
from labelcore.log.wording import WORDING, check_wording

EXAMPLES: dict[str, Any] = {
    "question": "Is it spam?",
    "instructions": "",
    "answer_words": ["no", "yes"],
    "highlight": {"words": ["prize"]},
    "title": "Spam, second try",
    "names": {"me": "Ann"},
    "dots": False,
}


def test_every_wording_has_an_example_that_passes() -> None:
    assert set(EXAMPLES) == set(WORDING)
    check_wording(EXAMPLES)
    check_wording({"answer_words": ("no", "yes")})
    check_wording({})


@pytest.mark.parametrize("name", ["seed", "budget", "Question", "", "keys"])
def test_anything_else_is_refused_and_the_words_are_named(name: str) -> None:
    with pytest.raises(PlanError, match=f"{name} cannot be changed") as caught:
        check_wording({"question": "fine", name: "x"})
    assert all(known in str(caught.value) for known in WORDING)


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("question", 3, "int"),
        ("instructions", None, "NoneType"),
        ("answer_words", "no", "str"),
        ("answer_words", {"no": 1}, "dict"),
        ("highlight", ["prize"], "list"),
        ("title", b"x", "bytes"),
        ("names", ["Ann"], "list"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named(name: str, value: Any, kind: str) -> None:
    with pytest.raises(TypeError, match=f"{name} is of the wrong kind: {kind}"):
        check_wording({name: value})
