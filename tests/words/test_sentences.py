"""The sentence of every state names the file, the promise and the condition."""

import math
from dataclasses import replace

import pytest

from labelcore.estimands import SCALARS
from labelcore.promises import State
from labelcore.report.sections import estimate_frame
from labelcore.results.interval import Interval
from labelcore.results.types import Claim, Estimate, Scope
from labelcore.words import sentences as words
from labelcore.words.claims import claims_short
from labelcore.words.quantities import quantity
from labelcore.words.short_sentences import short_sentence
from tests.findings import BASIS

SCOPE = Scope("items.csv", 12_345, "lr", "file", "spam", 0.05, 40, 300)
RESTS = {**BASIS, "labels_used": 212, "scope": SCOPE}
BASE = Estimate(
    "precision", 0.9137, 0.87649, 0.94211, 0.95, missing="3 of 40 labels before a first figure",
    **RESTS,
)  # fmt: skip
WATCHED, FIXED = "95 % confidence, valid at every look", "95 % confidence, valid at the planned 300"
FOUND = ("91.4 %", "87.6 %", "94.3 %", "212 labels")

TABLE = [
    ("nothing", "watched", (WATCHED, "40 labels", "3 of 40")),
    ("nothing", "fixed", (FIXED, "nothing is known")),
    ("too few", "watched", (WATCHED, "40 labels", "too few", "3 of 40 labels before")),
    ("too few", "fixed", (FIXED, "too few")),
    ("provisional", "fixed", (FIXED, "91.4 %", "212 labels", "no interval yet")),
    ("interval", "watched", (WATCHED, *FOUND)),
    ("interval", "fixed", (FIXED, *FOUND)),
    ("waiting", "watched", (WATCHED, *FOUND, "whatever the open items")),
    ("goal reached", "watched", (WATCHED, *FOUND, "5.0 points is reached")),
    ("not reached", "watched", (WATCHED, *FOUND, "5.0 points was not reached")),
    ("not reached", "fixed", (FIXED, *FOUND, "5.0 points was not reached")),
    ("stopped early", "none", (*FOUND, "no promise", "before the planned 300 labels")),
    ("exact", "watched", ("exactly 91.4 %", "every item that matters has a label")),
]


@pytest.mark.parametrize(("state", "promise", "parts"), TABLE)
@pytest.mark.parametrize("target", ["file", "process"])
def test_sentence(state: str, promise: str, parts: tuple[str, ...], target: str) -> None:
    one = replace(BASE, state=state, promise=promise, scope=replace(SCOPE, target=target))
    text = one.sentence()
    for part in (*parts, "12,345", "items.csv", "precision", "'lr'", "'spam'"):
        assert part.lower() in text.lower(), part
    assert ("items like" in text) == (target == "process")
    assert "{" not in text and text.endswith(".") and ".." not in text


def test_a_first_figure_is_not_promised_from_one_label() -> None:
    """*Label* says "about 37 labels" where a figure is shown from the first one that allows it."""
    none = replace(BASE, labels_used=0, scope=replace(SCOPE, first_figure=1))
    said = replace(none, state=State.NOTHING, promise="watched").sentence()
    assert "An interval is shown once the labels allow one (" in said


def test_every_state_is_in_the_table() -> None:
    assert {row[0] for row in TABLE} == set(words.STATES)


@pytest.mark.parametrize("state", [one for one in State if not one.has_interval])
def test_states_without_an_interval_print_none(state: str) -> None:
    text = replace(BASE, state=state, promise="fixed").sentence()
    assert "87.6" not in text and "94.3" not in text and "between" not in text


@pytest.mark.parametrize("name", sorted(SCALARS))
def test_every_quantity_in_words(name: str) -> None:
    text = quantity(name, "lr", "spam")
    assert "{" not in text and text != name
    assert not SCALARS[name].short or ("judgement" in text and "truly" not in text)
    assert ("lr" in text) == SCALARS[name].needs_prediction


@pytest.mark.parametrize(
    ("key", "classifier", "inside"),
    [
        ("precision[a@b]@lr", "lr", "'a@b'"),
        ("precision[x[1]]", "lr", "'x[1]'"),
        ("recall@a[b", "a[b", "'spam'"),
    ],
)
def test_odd_class_and_classifier_names(key: str, classifier: str, inside: str) -> None:
    assert inside in quantity(key, classifier, "spam")


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (1.0, "100 %"), (0.5, "50.0 %"), (0.0042, "0.42 %"), (0.00042, "0.042 %"),
     (4.2e-6, "0.00042 %"), (0.99996, "99.9960 %"), (1 - 4.2e-6, "99.99958 %")],
)  # fmt: skip
def test_percent_never_rounds_a_share_to_nothing_or_all(share: float, text: str) -> None:
    assert words.percent(share) == text


def test_ranges_round_outwards() -> None:
    for low, high in ((0.12349, 0.56781), (0.0, 1.0), (1e-6, 0.3), (0.99, 0.99999)):
        shown = [float(text.split()[0]) / 100 for text in words.percent_range(low, high)]
        assert shown[0] <= low + 1e-12 and high - 1e-12 <= shown[1]
        assert shown[0] >= 0 and shown[1] <= 1


def test_tail_warning_only_with_an_interval() -> None:
    assert words.TAIL_WARNING in replace(BASE, tail_share=0.7).sentence()
    assert words.TAIL_WARNING not in replace(BASE, tail_share=0.4).sentence()
    assert words.TAIL_WARNING not in replace(BASE, estimand="accuracy", tail_share=0.7).sentence()
    assert words.TAIL_WARNING not in replace(BASE, tail_share=0.7, state="too few").sentence()


TENTATIVE = replace(BASE, low=0.21, high=0.93, tentative=True)


@pytest.mark.parametrize("state", ["interval", "waiting", "not reached", "provisional"])
def test_a_value_that_says_little_is_not_told(state: str) -> None:
    said = replace(BASE, tentative=True, state=state, promise="fixed").sentence()
    assert "91.4" not in said and "is is" not in said and "None" not in said
    assert "91.4" in replace(BASE, state=state, promise="fixed").sentence()
    assert ("between 87.6 % and 94.3 %" in said) == (state != "provisional")


def test_an_interval_that_leaves_next_to_everything_possible_says_nothing() -> None:
    nothing = replace(TENTATIVE, low=0.004, high=0.9999, tail_share=0.9, notes=("A note.",))
    assert nothing.says_nothing and not TENTATIVE.says_nothing
    assert "nothing is known yet about precision" in nothing.sentence()
    assert words.TAIL_WARNING not in nothing.sentence() and "note" not in nothing.sentence()
    planned = replace(nothing, tentative=False)
    assert planned.says_nothing and planned.told is None, "also at the planned size"


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (0.118, 1.0, "at least 11 %"),
        (0.0, 0.72, "at most 72 %"),
        (0.3, 0.95, "between 30 % and 95 %"),
    ],
)
@pytest.mark.parametrize("promise", ["watched", "fixed"])
def test_of_a_wide_interval_the_known_end_is_told(
    low: float, high: float, said: str, promise: str
) -> None:
    """Twin: the rule before, which told the value at the planned size."""
    one = replace(BASE, value=0.7, low=low, high=high, promise=promise)
    assert one.told is None and one.value == 0.7 and one.to_dict()["value"] == 0.7
    assert f"is {said} (" in one.sentence() and "70 %" not in one.sentence()
    assert said.replace("between ", "").replace(" % and", " to") in short_sentence(one)


def test_the_range_before_the_first_label_says_what_is_wide() -> None:
    """They disagree on 56 of 7,000 items: the difference is within 0.8 points before any label."""
    one = replace(BASE, estimand="accuracy_difference", value=0.001, low=-0.004, high=0.0061)
    assert one.told == 0.001
    narrow = replace(one, certain=Interval(-0.008, 0.008))
    assert narrow.told is None and narrow.known_ends == (True, True)
    assert "between 0.4 points worse and 0.7 points better" in narrow.sentence()
    worse = replace(narrow, low=-0.004, high=0.008)
    assert "is at most 0.4 points worse than 'B'" in worse.sentence()
    assert replace(narrow, low=-0.008).says_nothing is False
    assert replace(narrow, low=-0.008, high=0.00799).says_nothing


@pytest.mark.parametrize("state", ["nothing", "too few"])
def test_what_is_certain_of_a_difference_is_said_beside_too_few_labels(state: str) -> None:
    """Bars draw it, too; a sentence that nothing could be said stood below them."""
    scope = replace(SCOPE, versus="svm")
    one = replace(BASE, estimand="precision_difference", state=state, scope=scope, value=None)
    limited = replace(one, low=-0.054, high=0.038, tentative=True)
    assert limited.sentence().endswith(
        "Whatever the answers, in precision 'lr' is between 5.4 points worse and 3.8 points better "
        "than 'svm': the two may be equally good."
    )
    assert estimate_frame([limited])["Low"].tolist() == ["−5.4 points"]
    free = replace(one, low=-1.0, high=0.86, tentative=True)
    assert "Whatever" not in free.sentence() and estimate_frame([free])["Low"].tolist() == ["–"]


def test_nothing_is_known_of_a_difference_until_its_interval_is_below_all_that_is_possible() -> (
    None
):
    one = replace(BASE, estimand="recall_difference", low=-0.99, high=0.985, tentative=True)
    assert one.says_nothing and "nothing is known yet about how much better" in one.sentence()
    assert not replace(one, low=-0.6).says_nothing, "of two hundred points"
    assert "'lr' is at most 60 points worse than 'B'" in replace(one, low=-0.6).sentence()


@pytest.mark.parametrize("estimand", ["recall", "recall_difference"])
def test_a_figure_of_a_group_names_it(estimand: str) -> None:
    scope = replace(SCOPE, n_items=812, by="language", group="de", versus="svm")
    said = replace(BASE, estimand=estimand, value=0.1, low=0.05, high=0.15, scope=scope).sentence()
    assert said.startswith("For the 812 items in items.csv with language 'de', ")


@pytest.mark.parametrize(("share", "told"), [(0.99997, "99.9970 %"), (0.00004, "0.0040 %")])
def test_an_exact_figure_is_not_told_as_all_or_nothing(share: float, told: str) -> None:
    one = replace(BASE, state=State.EXACT, value=share, low=share, high=share)
    assert f"is exactly {told}" in one.sentence() and f"exactly {told}" in short_sentence(one)
    assert words.percent_range(share, share) == (told, told)


def test_an_exact_difference_that_is_small_names_how_small() -> None:
    scope, ends = replace(SCOPE, versus="svm"), {"value": -4e-5, "low": -4e-5, "high": -4e-5}
    one = replace(BASE, estimand="recall_difference", state=State.EXACT, scope=scope, **ends)
    assert "'svm' is 0.0040 points better in recall than 'lr'" in one.sentence()
    assert "0.0040 points better" in short_sentence(one)


def test_judges_are_compared_in_the_words_of_judges() -> None:
    """The sentence in full and the short one have one name for it."""
    scope = replace(SCOPE, versus="gpt", audit=True)
    one = replace(
        BASE, estimand="accuracy_difference", value=0.02, low=0.01, high=0.03, scope=scope
    )
    for text in (one.sentence(), short_sentence(one)):
        assert "agreement" in text and "accuracy" not in text


def test_a_group_of_one_item_is_told_in_the_singular() -> None:
    """A first guess may be of so few."""
    one = replace(BASE, estimand="accuracy", scope=replace(SCOPE, n_items=1, by="site", group="x"))
    assert one.sentence().startswith("For the 1 item in items.csv with site 'x', ")
    assert short_sentence(one).endswith("% of the 1 item right.")


def test_evidence_that_does_not_decide_reads_less_than_what_does() -> None:
    """At 97 % a third of 100 decides; 33.2 was told as 33 of 33."""
    open_yet = Claim(
        "precision >= 0.8", "at least 80 % are right", "undecided", math.log(33.2), -5.0, 0.03,
        0.9, **RESTS,
    )  # fmt: skip
    assert "evidence 33.2 times, and 33.3 times decides" in open_yet.sentence()
    assert claims_short([open_yet]) == "At least 80 % are right: open (evidence 33.2 of 33.3)"
