"""A value taken from inside a record, without a page."""

from types import SimpleNamespace

import pytest

from labelcore.population.guess import guess
from labelcore.ui import new_items
from labelcore.ui.draft import Draft
from labelcore.ui.new_columns import NO_COLUMN, Meanings
from labelcore.ui.new_tree import KEY, PROMPT, SCORE, SHOWN, SYSTEM, USES, VERDICT, take_for

PATH = "scores[name=helpful].value"


def taken(what: str, names: tuple[str, ...] = ("id", "text")) -> Draft:
    now = Draft(picked=PATH)
    take_for(now, names, ("text",), ("language",), 1, PATH, what)
    return now


@pytest.mark.parametrize(
    ("what", "field", "value"),
    [
        (SHOWN, "content", ["text", PATH]),
        (VERDICT, "prediction", {"1": PATH}),
        (SCORE, "score", {"1": PATH}),
        (SYSTEM, "groups", ["language", PATH]),
        (PROMPT, "prompt", PATH),
        (KEY, "id", PATH),
    ],
)
def test_a_path_is_used_as_it_is_said(what: str, field: str, value: object) -> None:
    now = taken(what)
    assert getattr(now, field) == value and now.paths == [PATH] and what in USES
    if what in (VERDICT, SCORE):
        assert now.number == 2 and now.name == {"1": "scores[name=helpful]"}


def test_a_verdict_from_inside_leaves_the_classifiers_as_they_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Also where the first of them was left out, and a third one with a score was guessed."""
    names = ("id", "text", "score_a", "score_b", "score_c")
    sample = [dict(zip(names, ("1", "mail", "0.1", "0.2", "0.3"), strict=True))]
    now = Draft(number=2, score={"0": NO_COLUMN}, picked=PATH)
    meanings = Meanings(now, (*names, PATH), guess(names, sample))
    assert [(one.name, one.score) for one in meanings.classifiers or ()] == [("b", "score_b")]
    columns = SimpleNamespace(content=("text",), groups=())
    read = {"bare": columns, "columns": columns, "names": names, "tree": None}
    monkeypatch.setattr(new_items, "pick", lambda tree, use: use(PATH, VERDICT))
    new_items.pick_from(SimpleNamespace(now=now, meanings=meanings, **read))
    said = [(one.name, one.score, one.prediction) for one in meanings.classifiers or ()]
    assert said == [("b", "score_b", None), ("scores[name=helpful]", None, PATH)]


def test_a_column_that_is_there_is_no_new_one_and_another_file_forgets() -> None:
    now = taken(SHOWN, ("id", "text", PATH))
    assert now.paths == []
    now = taken(KEY)
    assert Draft.from_json(now.to_json()).paths == [PATH]
    now.open("another.jsonl")
    assert now.paths == [] and now.id is None
