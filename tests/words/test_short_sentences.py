"""The one short sentence: at most twenty words, and never more than the result promises."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from labelcore.charts.figure_bars import estimate_bar, head_bar
from labelcore.estimands import DIFFERENCES, SCALARS, SUMMARIES
from labelcore.promises import Promise, State
from labelcore.results.cells import TableCell
from labelcore.results.curves import Band, Cut
from labelcore.results.interval import Interval
from labelcore.results.look import HeadBands
from labelcore.results.race import Race
from labelcore.results.told_values import known_ends
from labelcore.results.types import Estimate, Scope
from labelcore.words.curves import found_by
from labelcore.words.differences import one_end_words
from labelcore.words.meaning import NOTHING_YET, meaning
from labelcore.words.race import ONLY_THESE, THESE_FIRST
from labelcore.words.short_sentences import (
    NO_BOUNDS,
    early_sentence,
    look_sentence,
    range_of,
    short_head,
    short_sentence,
    short_value,
    with_sure_ones,
)
from labelcore.words.tables import cell_said
from tests.findings import BASIS

SCOPE = Scope(
    *("emails.csv", 4000, "lr"), positive="spam", planned=150, versus="svm", first_figure=1
)


def estimate(name: str, **other: object) -> Estimate:
    found = {"value": 0.86, "low": 0.5712, "high": 0.9803, "confidence": 0.95, "scope": SCOPE}
    return Estimate(estimand=name, **{**BASIS, "labels_used": 62, **found, **other})


@pytest.mark.parametrize("name", [*SCALARS, *SUMMARIES])
def test_every_share_has_a_sentence_of_at_most_twenty_words(name: str) -> None:
    said = short_sentence(estimate(name))
    assert len(said.split()) <= 20
    assert said.startswith("95 % sure: ") and "57 to 99 %" in said
    assert short_sentence(estimate(name, low=0.88123, high=0.91)).count("88.1") == 1


@pytest.mark.parametrize("name", DIFFERENCES)
@pytest.mark.parametrize(
    ("low", "high", "words"),
    [
        (0.02, 0.09, "lr is 2.0 to 9.0 points better than svm"),
        (-0.5, -0.2, "svm is 20 to 50 points better than lr"),
        (-0.0123, 0.2, "lr is between 2 points worse and 20 better than svm"),
    ],
)
def test_a_difference_says_who_may_be_better(
    name: str, low: float, high: float, words: str
) -> None:
    said = short_sentence(estimate(name, value=0.0, low=low, high=high))
    assert words in said and len(said.split()) <= 20


@pytest.mark.parametrize("state", [State.NOTHING, State.INTERVAL])
def test_two_that_seldom_differ_may_be_the_better_one_by_little(state: State) -> None:
    """56 of 6,997 items, on which alone they differ."""
    value, most = (None if state == State.NOTHING else 0.0), 56 / 6997
    certain = Interval(-most, most)
    little = estimate("accuracy_difference", value=value, low=-most, high=most, certain=certain,
                      state=state)  # fmt: skip
    assert short_sentence(little) == "Each of the two may be the better one, by at most 0.9 points."
    of_judged = replace(little, low=-0.26, high=0.28, tentative=True)
    assert short_sentence(of_judged).endswith(" each of the two may be the better one.")
    wide = estimate("recall_difference", value=value, low=-1.0, high=1.0, state=state)
    assert "by at most" not in short_sentence(wide) and "better one." in short_sentence(wide)


def test_a_difference_names_the_others_that_are_sure() -> None:
    told = estimate("accuracy_difference", value=0.01, low=-0.013, high=0.042)
    better = estimate("precision_difference", low=0.02, high=0.09)
    worse = estimate("recall_difference", low=-0.2, high=-0.1)
    others = [told, better, worse, replace(worse, estimand="f1_difference", low=-0.2, high=0.1)]
    alone = short_sentence(told)
    too = "Also sure, each by itself: lr is better in precision, svm is better in recall."
    assert with_sure_ones(told, others) == f"{alone} {too}" and len(too.split()) <= 20
    again = [worse, replace(worse, estimand="recall_difference@settled"), estimate("recall")]
    assert with_sure_ones(worse, again) == short_sentence(worse)
    assert with_sure_ones(estimate("recall"), others) == short_sentence(estimate("recall"))


@pytest.mark.parametrize("state", [State.NOTHING, State.INTERVAL])
def test_what_is_sure_does_not_stand_beside_nothing_is_known(state: State) -> None:
    value = None if state == State.NOTHING else 0.0
    told = estimate("accuracy_difference", value=value, low=-1.0, high=1.0, state=state)
    said = with_sure_ones(told, [told, estimate("recall_difference", low=0.02, high=0.09)])
    assert said == (
        "In accuracy each may be the better one; sure, each by itself: lr is better in recall."
    )


def test_an_exact_difference_names_the_better_one() -> None:
    one = estimate("accuracy_difference", value=-0.0037, low=-0.0037, high=-0.0037,
                   state=State.EXACT)  # fmt: skip
    said = short_sentence(one)
    assert said.startswith("Exactly: 'svm' is 0.37 points better in accuracy than 'lr'")
    assert len(said.split()) <= 20
    level = short_sentence(replace(one, value=0.0, low=0.0, high=0.0))
    assert "'lr' and 'svm' are equally good in accuracy" in level
    assert len(level.split()) <= 20


def test_of_judged_items_it_does_not_speak_of_all() -> None:
    scope = replace(SCOPE, judged=0.912)
    said = short_sentence(estimate("accuracy", scope=scope))
    assert said == (
        "95 % sure, of all but about 9 % that nobody can judge: 'lr' gets 57 to 99 % of them right."
    )
    exact = estimate("accuracy", scope=scope, state=State.EXACT, low=0.86, high=0.86)
    assert short_sentence(exact) == (
        "Accuracy is exactly 86.00 %, of the items that a person can judge."
    )


@pytest.mark.parametrize("judged", [0.85, 0.0])
@pytest.mark.parametrize("name", DIFFERENCES)
def test_a_difference_of_judged_items_is_told_in_twenty_words(name: str, judged: float) -> None:
    open_ = estimate(name, value=0.03, low=-0.02, high=0.09, scope=replace(SCOPE, judged=judged))
    said = short_sentence(open_)
    assert said.startswith("95 % sure, where people can judge: in ") and len(said.split()) <= 20


def test_no_confidence_is_claimed_where_there_is_none() -> None:
    assumed = short_sentence(estimate("precision", confidence=None, promise=Promise.NONE))
    assert "sure" not in assumed and assumed.endswith("no confidence.")
    waiting = short_sentence(estimate("recall", state=State.PROVISIONAL, promise=Promise.FIXED))
    assert waiting == "Recall is 86 % so far; its interval comes with the planned 150 labels."
    exact = short_sentence(estimate("recall", state=State.EXACT, low=0.86, high=0.86))
    assert exact == "Recall is exactly 86.00 %: every item that matters has a label."
    nothing = short_sentence(estimate("recall", state=State.NOTHING, value=None))
    assert nothing == "Nothing is known yet: anything from 0 to 100 % is possible."


def test_a_value_that_says_little_is_not_told() -> None:
    wide = estimate("recall", low=0.2, high=0.97, tentative=True)
    said = short_sentence(wide)
    assert said == "Too few labels: recall may be anything from 20 to 97 %."
    open_ = replace(wide, low=0.0021, high=1.0)
    assert short_sentence(open_) == "So far recall may be anything from 0 to 100 %."
    assert meaning(open_)[0] == NOTHING_YET and meaning(wide)[0].startswith("Of 100 projects")
    difference = estimate("f1_difference", low=-0.99, high=0.99, tentative=True)
    assert short_sentence(difference).startswith("So far each of the two may")
    waiting = replace(wide, state=State.PROVISIONAL, promise=Promise.FIXED)
    assert short_sentence(waiting).startswith("Too few labels") and "86" not in waiting.sentence()


def test_an_interval_over_nearly_everything_is_early_in_every_place() -> None:
    """4 to 100 % was a headline, "95 % sure"; in a report it was a first guess where Progress said
    that it is too early."""
    wide = estimate("recall", low=0.0412, high=0.9996, tentative=True)
    assert short_sentence(wide) == "Too few labels: recall may be anything from 4 to 100 %."
    for asked in (True, False):
        cell = TableCell(("lr", None), "recall", wide, asked)
        assert cell_said(cell) == estimate_bar(wide, "").said[1]
    known = replace(wide, low=0.15)
    assert (
        cell_said(TableCell(("lr", None), "recall", known, False)) == "at least 15 %, first guess"
    )
    ones = np.ones(1)
    head = Band(
        "precision_curve", 745 * ones, 0.5 * ones, 0.0412 * ones, 0.9996 * ones, 0.5 * ones, 0.95,
        True, **BASIS, scope=SCOPE,
    )  # fmt: skip
    said = "Too few labels: precision of the first 745 may be anything from 4 to 100 %."
    assert short_head(head) == said
    assert head_bar(head, "").said == ("", "too early") and head_bar(head, "").low is None
    hidden = replace(head, state=State.PROVISIONAL)
    none = f"{NO_BOUNDS}."
    cases = (
        (head, "", said),
        (head, "one waits", "One waits."),
        (None, "", none),
        (hidden, "", none),
    )
    for band, waiting, told in cases:
        heads = HeadBands({"h": 745}, {"h": band}, "h", waiting, True)
        look = SimpleNamespace(claims=(), heads=heads)
        assert look_sentence(look, None).text == told  # type: ignore[arg-type]
    below = SimpleNamespace(claims=(), heads=replace(heads, first=False), charted=None, race=None)
    assert look_sentence(below, None).text == ""  # type: ignore[arg-type]
    one = replace(head, x=ones, low=0.15 * ones)
    assert short_head(one) == "95 % sure: of the first item by score, 15 to 100 % is 'spam'."
    said = Cut(1, 9, 0.9, (1, 1), {"precision": one, "recall": one}).sentence()
    assert "of the first item (score 0.9 and better) between 15 % and 100 % is 'spam', and" in said


def test_ends_are_never_rounded_inwards() -> None:
    for low, high in np.random.default_rng(3).uniform(0, 1, (500, 2)):
        low, high = sorted((low, high))
        bottom, top = range_of(low, high).split(" to ")
        assert float(bottom) <= 100 * low + 1e-6 and float(top) >= 100 * high - 1e-6


def test_the_bars_have_the_digits_of_the_report() -> None:
    found = estimate("recall", value=0.8637, low=0.471, high=0.98377)
    low, high = range_of(found.low, found.high).split(" to ")
    assert f"{short_value(found)}, between {low} % and {high} %" in found.sentence()
    assert short_value(estimate("recall", value=None)) == ""


@pytest.mark.parametrize("target", ["file", "process"])
def test_the_sentence_says_which_items_it_is_about(target: str) -> None:
    said = short_sentence(estimate("accuracy", scope=replace(SCOPE, target=target)))
    about = "the 4,000 items" if target == "file" else "items like these"
    assert said == f"95 % sure: 'lr' gets 57 to 99 % of {about} right."


def test_the_one_end_that_is_known() -> None:
    def said(told: float | None, low: float, high: float) -> str:
        ends = known_ends(low, high, -1.0)
        one = SimpleNamespace(told=told, known_ends=ends, low=low, high=high)
        return one_end_words(one, "recall", "a", "b")  # type: ignore[arg-type]

    assert said(None, -0.301, 1.0) == "in recall a is at most 31 points worse than b"
    assert said(None, -1.0, 0.301) == "in recall a is at most 31 points better than b"
    assert {said(None, -0.9, 0.301), said(None, -1.0, 1.0), said(0.1, -1.0, 0.301)} == {""}


def test_a_cut_keeps_what_its_bounds_say() -> None:
    known = {(0, 732): None, (0, 300.5): (0, 300), (0, 726): None, (7, 7): (7, 7), (9, 8): None}
    for (low, high), found in known.items():
        hits = SimpleNamespace(has_interval=True, low=[low], high=[high])
        assert found_by(SimpleNamespace(readings={"yield": hits}, rank=732)) == found
        hits.has_interval = False
        assert found_by(SimpleNamespace(readings={"yield": hits}, rank=732)) is None
    assert found_by(SimpleNamespace(readings={})) is None


def test_a_look_says_which_items_are_asked_until_the_first_of_them_has_an_answer() -> None:
    """Else it tells the figure: early while that says little and labels are to come."""
    differs, share = estimate("accuracy_difference", low=-0.02, high=0.3), estimate("accuracy")
    wide = estimate("precision", value=None, low=0.03, high=0.99)
    open_ = estimate("recall_difference", value=None, low=-1.0, high=1.0)
    sure = estimate("f1_difference", low=0.1, high=0.2)
    dots = dict.fromkeys(("precision", "recall_difference"), np.array([True, False, False, True]))

    def said(one: Estimate, race: Race | None = None, going_on: bool = True) -> str:
        look = SimpleNamespace(claims=(), heads=None, charted=one, race=race, dots=dots,
                               estimates=[sure],
                               going_on=going_on)  # fmt: skip
        return look_sentence(look, 30).text  # type: ignore[arg-type]

    plain = short_sentence(differs)
    for won, alone, only, told in ((0, True, True, ONLY_THESE), (1, True, True, plain),
                                   (0, True, False, THESE_FIRST),
                                   (0, False, False, plain)):  # fmt: skip
        race = Race("lr", "svm", 90, 9, np.ones(won), np.ones(won, bool), alone, only)
        assert said(differs, race) == told
    assert said(differs) == plain
    assert said(share) == short_sentence(share)
    assert said(wide) == early_sentence("precision", 2, 4, 30)
    assert said(open_) == early_sentence("recall_difference", None, 4, 30)
    assert said(wide, going_on=False) == short_sentence(wide)
    assert said(replace(wide, estimand="recall")) == early_sentence("recall", None, 0, 30)
    assert said(open_, going_on=False) == with_sure_ones(open_, [sure])
