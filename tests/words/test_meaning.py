"""What a result means: never surer than its promise, and never about more than its items."""

from dataclasses import replace

from labelcore.results.types import Estimate, Scope
from labelcore.words import meaning as words
from labelcore.words.meaning import meaning
from tests.findings import BASIS

SCOPE = Scope(file="a.csv", classifier="a", n_items=3000)
SURE = Estimate(
    estimand="precision", value=0.8, low=0.7, high=0.9, confidence=0.95, scope=SCOPE, **BASIS
)


def test_at_most_is_kept_for_what_is_proved() -> None:
    assert "about 5 would give a false answer" in meaning(replace(SURE, form="approximate"))[0]
    assert "at most 5 would give a false answer" in meaning(replace(SURE, form="strict"))[0]


def test_nothing_is_sure_without_a_promise_or_an_interval() -> None:
    assert meaning(replace(SURE, promise="none"))[0] == words.NO_PROMISE
    assert meaning(replace(SURE, confidence=None))[0] == words.ASSUMED
    guess = replace(SURE, state="provisional")
    assert meaning(guess)[0] == words.ONE_LOOK
    assert meaning(replace(guess, value=None))[0] == words.NOTHING_YET
    assert meaning(replace(SURE, state="exact"))[0] == words.EXACT


def test_the_file_and_items_like_it_are_told_apart() -> None:
    _, about, against = meaning(SURE)
    assert "the 3,000 items in this file" in about and "items that come later" in against
    judged = meaning(replace(SURE, scope=replace(SCOPE, judged=0.9)))[1]
    assert "those of the 3,000 items in this file that a person can judge, and" in judged
    like = replace(SURE, scope=replace(SCOPE, target="process"))
    assert "items like the 3,000 items" in meaning(like)[1]
    assert "from elsewhere" in meaning(like)[2]


def test_of_groups_only_those_without_figures_are_left_out() -> None:
    assert "a group among them" in meaning(SURE)[2]
    assert "a group that the table lacks" in meaning(SURE, grouped=True)[2]
