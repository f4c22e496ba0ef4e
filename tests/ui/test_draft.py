"""A project in the making, and the rules of what follows from it: no page is needed for any."""

import json
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import labelcore as lc
from labelcore.designs.simple_random import SEQUENCE_OF
from labelcore.population.guess import ClassifierColumns, Guess, guess
from labelcore.ui.draft import CLAIMS, MARGIN, Aim, Draft, ProjectDraft, Question
from labelcore.ui.fields import FIELDS
from labelcore.ui.new_aim import Asked
from labelcore.ui.new_cards import ACCURACY, BETTER, BOTH, LISTS, RANKED, SEVERAL, SHIP
from labelcore.ui.new_classifiers import high_class, score_range
from labelcore.ui.new_columns import NO_ID, OPEN_MEANINGS, SEVERAL_COLUMNS, Columns, Meanings
from labelcore.ui.new_confidence import latest_labels
from labelcore.ui.new_project import settled_answers
from labelcore.ui.new_question import NO_QUESTION, question_of
from labelcore.ui.new_terms import Goal, Terms
from labelcore.ui.params import as_inputs, param_values
from tests import rooms
from tests.columns import items

NAMES = ("id", "text", "score_lr", "pred_lr", "score_nb", "pred_nb")
SAMPLE = [
    dict(zip(NAMES, (f"i{n}", f"mail {n}", f"0.{n}1", str(n % 2), f"0.{n}2", "1"), strict=True))
    for n in range(8)
]
QUESTION = Question("Spam?", "", ("no", "yes"), "yes")


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    """200 items, two classifiers with a score each and a prediction."""
    path = tmp_path_factory.mktemp("items") / "items.csv"
    rows = (f"i{n},mail {n},{n / 200},{int(n > 150)},{1 - n / 200},{int(n > 140)}"
            for n in range(200))  # fmt: skip
    path.write_text("\n".join([",".join(NAMES), *rows]) + "\n", "utf-8")
    return lc.read_population(path, **columns_of(Draft()).to_json())


def columns_of(draft: Draft) -> Columns:
    return Meanings(draft, NAMES, guess(NAMES, SAMPLE)).columns(SAMPLE, {})


def lacking(draft: Draft) -> str:
    return Meanings(draft, NAMES, guess(NAMES, SAMPLE)).lacking


def asked(draft: Draft, population: lc.Population) -> Asked:
    return Asked(draft, columns_of(draft), QUESTION, population)


def terms(draft: Draft, population: lc.Population, *estimands: str) -> Terms:
    aim = Aim(estimands or ("precision", "recall"), "lr", "no", "file")
    return Terms(draft, aim, population)


def test_two_names_that_cannot_be_told_apart_are_refused() -> None:
    draft = Draft(name={"0": "a", "1": "a"}, number=2)
    with pytest.raises(ValueError, match="Two classifiers have the same name: a, a"):
        Meanings(draft, NAMES, guess(NAMES, SAMPLE)).check_names()


def test_nothing_chosen_is_what_the_file_suggests() -> None:
    columns = columns_of(Draft())
    assert (columns.id, columns.content) == ("id", ("text",))
    assert columns.named == ["lr", "nb"]
    assert columns.to_json()["scores"] == {"lr": "score_lr", "nb": "score_nb"}


def test_what_is_chosen_counts_and_what_the_file_lacks_does_not() -> None:
    draft = Draft(number=1, name={"0": " mine "}, score={"0": "score_nb"}, content=["gone"])
    columns = columns_of(draft)
    assert columns.content == ("text",)
    assert (columns.scores, columns.predictions) == ({"mine": "score_nb"}, {"mine": "pred_lr"})


def test_what_is_lacking_is_said() -> None:
    assert lacking(Draft(id=SEVERAL_COLUMNS)) == NO_ID
    assert columns_of(Draft(id=SEVERAL_COLUMNS, ids=["id", "text"])).id == ("id", "text")
    assert lacking(Draft(content=[])) == OPEN_MEANINGS
    assert lacking(Draft(number=9)) == OPEN_MEANINGS
    assert lacking(Draft()) == ""


def test_another_file_begins_anew_and_words_stay() -> None:
    draft = Draft(question="Spam?", confidence=0.9)
    draft.open("a.csv")
    draft.id, draft.budget, draft.aim, draft.prompt = "id", 40, "x", "thread"
    draft.groups, draft.by = ["language"], "language"
    draft.params = {"recalibrated_neyman-helpers": "extra"}
    draft.close()
    assert draft.path is None and draft.id == "id"
    draft.open("a.csv")
    assert draft.id == "id"
    draft.open("b.csv")
    assert (draft.id, draft.budget, draft.aim, draft.prompt) == (None, None, None, None)
    assert (draft.groups, draft.by, draft.params) == (None, None, {})
    assert (draft.path, draft.question, draft.confidence) == ("b.csv", "Spam?", 0.9)


def test_a_choice_forgets_what_was_chosen_on_other_grounds() -> None:
    draft = Draft(existing="random", budget=40, design="paula")
    draft.take("known", "true_label")
    assert (draft.known, draft.existing, draft.budget) == ("true_label", None, None)
    draft.take("aim", BOTH.title)
    assert draft.design is None


def test_what_another_page_hands_over_is_in_the_draft_and_nothing_else_changes() -> None:
    draft = Draft(way=CLAIMS, confidence=0.99, params={"paula-window": 5, "other-x": 1})
    begun = ProjectDraft(
        question=BETTER.title, estimands=("accuracy_difference",), classifiers=("a", "b"),
        thresholds={"a": (0.1, 0.25)}, design="paula", params={"epsilon": 0.1}, margin=0.03,
    )  # fmt: skip
    draft.begin(begun)
    assert (draft.aim, draft.pair, draft.classifier) == (BETTER.title, ["a", "b"], "a")
    assert draft.numbers == {BETTER.title: ["accuracy_difference"]}
    assert draft.thresholds == {"a": "0.1 0.25"}
    assert draft.params == {"paula-epsilon": 0.1, "other-x": 1}
    assert (draft.way, draft.margin, draft.confidence) == (MARGIN, 3.0, 0.99)
    draft.begin(ProjectDraft(params={}, params_of="paula"))
    assert draft.params == {"other-x": 1}


@pytest.mark.parametrize("pair", [["a", "b"], []])
def test_two_lists_are_compared_by_the_press_that_says_so(tmp_path: Path, pair: list[str]) -> None:
    """Only scores make a list, and only two a pair."""
    path = tmp_path / "items.csv"
    path.write_text("said,b,c,t\n" + "".join(f"{n % 2},.{n},.{9 - n},t\n" for n in range(9)))
    read = {"scores": {"b": "b", "c": "c"}, "predictions": {"a": "said"}}
    draft = Draft(every_aim=True, aim=LISTS.title, pair=pair)
    columns = replace(columns_of(draft), content=("t",), **read)
    refused = Asked(draft, columns, QUESTION, lc.read_population(path, content="t", **read)).refusal
    assert refused is not None
    draft.begin(refused[1][0].draft)
    assert draft.pair == ["b", "c"]


def test_parameters_come_back_as_they_were_handed_over() -> None:
    design = lc.DESIGNS["reach_selection"]
    given = {"candidates": (50, 0.5), "precision_threshold": 0.7}
    draft = Draft()
    draft.begin(as_inputs(ProjectDraft(design=design.name, params=given)))
    assert param_values(draft, design, {}) == given


def test_a_draft_outlives_its_file() -> None:
    draft = Draft(step=3, path="a.csv", pair=["lr", "nb"], direction={"lr": "no"}, seed=3,
                  day=date(2027, 1, 2), hour=time(9))  # fmt: skip
    assert Draft.from_json(json.loads(json.dumps(draft.to_json()))) == draft
    with pytest.raises(TypeError, match="person"):
        Draft.from_json({"person": "eve"})


def test_every_input_shows_a_field_of_the_draft() -> None:
    held = vars(Draft())
    assert [row.name for row in FIELDS.values() if row.name and row.name not in held] == []
    assert {row.widget for row in FIELDS.values() if row.options and row.first is not None} <= {
        "row",
        "cards",
        "stops",
    }
    for row in FIELDS.values():
        assert row.options is None or row.first is None or row.first in row.options, row.name


def test_the_question_and_its_classes(population: lc.Population) -> None:
    assert question_of(Draft(), population) == NO_QUESTION
    said = question_of(Draft(question=" Spam? ", yes="spam", no="ham"), population)
    assert said == Question("Spam?", "", ("ham", "spam"), "spam", "Y / N")
    assert question_of(Draft(question="?", no="yes"), population) == "The two answers must differ."


@pytest.mark.parametrize(
    ("question", "positive"),
    [("Is it a complaint?", "complaint"), ("Fine or complaint?", "fine"), ("Spam?", "fine")],
)
def test_what_the_question_names_is_positive(question: str, positive: str) -> None:
    population = items(predictions={"m": ["fine", "complaint"] * 4})
    assert population.positive == "fine"
    found = question_of(Draft(question=question), population)
    assert isinstance(found, Question) and found.positive == positive
    chosen = question_of(Draft(question=question, positive="fine"), population)
    assert isinstance(chosen, Question) and chosen.positive == "fine"


def rated(said: tuple[str, str]) -> lc.Population:
    """100 items, the last 20 with high scores; predicted is the first word of ``said``, then the
    second."""
    called = [said[n >= 80] for n in range(100)]
    return items(scores={"m": [n / 100 for n in range(100)]}, predictions={"m": called})


@pytest.mark.parametrize("said", [("other", "medicine"), ("alpha", "zulu")])
def test_high_scores_mean_the_class_predicted_at_them(said: tuple[str, str]) -> None:
    base = rated(said)
    guessed = Guess(
        None, ("text",), (ClassifierColumns("m", "score", "said"),), (), {"id": 1.0}, {}
    )
    columns = Meanings(Draft(), ("text", "score", "said"), guessed).columns([], {})
    for positive in said:
        draft = Draft(question="?", positive=positive, aim=RANKED.title)
        question = question_of(draft, base)
        assert isinstance(question, Question)
        falling = () if positive == said[1] else ("m",)
        assert Asked(draft, columns, question, base).read.descending == falling
        draft.direction["m"] = said[0]
        falling = ("m",) if positive == said[1] else ()
        assert Asked(draft, columns, question, base).read.descending == falling


def test_high_scores_mean_the_positive_class_where_nobody_predicts() -> None:
    ranks = ("rank", "rank_old", "new_ranking")
    scores = {"m": [n / 9 for n in range(9)], "page_rank": [n / 9 for n in range(9)]}
    base = items(scores=scores | dict.fromkeys(ranks, range(9)), classes=["a", "b"])
    assert [score_range(base, one) for one in ("m", "rank")] == [(0, 1), (0, 8)]
    for positive in ("a", "b"):
        question = Question("?", "", ("a", "b"), positive)
        assert all(high_class(base, question, name) == positive for name in scores)
        assert all(high_class(base, question, name) != positive for name in ranks)


def test_the_name_of_a_long_class_is_shortened_on_its_card() -> None:
    base = items(predictions={"m": ["x" * 70, "other"] * 4})
    question = Question("?", "", base.classes, "x" * 70)
    said = Asked(Draft(), columns_of(Draft()), question, base).words(BOTH)
    assert said == f"4 of 8 called '{'x' * 39}…'."


def test_one_classifier_is_not_called_several() -> None:
    base = items(scores={"m": [n / 9 for n in range(9)]}, classes=["a", "b"])
    one = Asked(Draft(), columns_of(Draft()), Question("?", "", ("a", "b"), "a"), base)
    assert SEVERAL in one.possible and one.title(SEVERAL) == "Several thresholds at once"
    assert one.title(BOTH) == BOTH.title


@pytest.mark.parametrize(
    ("one", "left"),
    [
        ("medicine", "other"),
        ("medicine", "no medicine"),
        ("medicine", "not_Medicine"),
        ("Beschwerde", "keine Beschwerde"),
    ],
)
def test_a_class_called_like_what_is_left_is_not_the_one_looked_for(one: str, left: str) -> None:
    question = question_of(Draft(question="Which?"), rated((one, left)))
    assert isinstance(question, Question) and question.positive == one


def test_the_question_is_told_once_its_screen_is_left() -> None:
    assert settled_answers(Draft(step=2, question="Spam?"), None) == {}
    assert settled_answers(Draft(step=3, question="Spam?"), None) == {2: "Spam?"}
    items = SimpleNamespace(path=Path("one.csv"), population=[{"text": "mail", "said": "1"}])
    assert settled_answers(Draft(step=2), items) == {1: "one.csv, 1 item"}


@pytest.mark.parametrize(
    ("draft", "card", "classifiers"),
    [
        (Draft(), BETTER, ("lr", "nb")),
        (Draft(aim=BOTH.title, classifier="nb"), BOTH, ("nb",)),
        (Draft(aim=BOTH.title, classifier="gone"), BOTH, ("lr",)),
        (Draft(aim=SEVERAL.title), SEVERAL, ("lr", "nb")),
        pytest.param(
            *(Draft(aim=SHIP.title, classifiers=["nb"]), SHIP, ("nb",)),
            marks=rooms.needs("papers"),
        ),
        (Draft(aim="gone"), BETTER, ("lr", "nb")),
    ],
)
def test_the_question_asked_and_of_which_classifiers(
    draft: Draft, card: object, classifiers: tuple[str, ...], population: lc.Population
) -> None:
    found = asked(draft, population)
    assert found.refusal is None
    assert (found.card, found.classifiers) == (card, classifiers)
    aim = found.aim(population)
    named = (aim.classifier,) if isinstance(aim.classifier, str) else aim.classifier
    assert named == classifiers and aim.card == found.card.title


def test_a_pair_of_one_is_refused_with_a_way_out(population: lc.Population) -> None:
    draft = Draft(pair=["nb"])
    fault, (way,), still_open = asked(draft, population).refusal or ("", [], False)
    assert "exactly two" in fault and still_open
    draft.begin(way.draft)
    assert asked(draft, population).refusal is None and draft.pair == ["nb", "lr"]
    assert asked(draft, population).title(BETTER) == "Is nb better than lr?"
    assert asked(Draft(pair=["nb"]), population).title(BETTER) == "Is A better than B?"
    assert asked(draft, population).title(BOTH) == "Precision and recall"
    assert asked(draft, population).words(BOTH).endswith(" by lr."), "of two it says which one"


@pytest.mark.parametrize(
    ("numbers", "title"),
    [
        (["precision"], "Precision"),
        (["f1", "recall"], "F1 and recall"),
        (["recall", "f1", "precision"], "Recall, F1 and precision"),
        ([], "Precision and recall"),
    ],
)
def test_a_question_called_after_its_numbers_names_those_chosen(
    numbers: list[str], title: str, population: lc.Population
) -> None:
    draft = Draft(aim=BOTH.title, numbers={BOTH.title: numbers})
    assert asked(draft, population).title(BOTH) == title
    draft.aim = ACCURACY.title
    assert asked(draft, population).title(BOTH) == "Precision and recall"


@rooms.needs("papers")
def test_known_answers_that_no_method_can_use_are_refused(population: lc.Population) -> None:
    draft = Draft(aim=SHIP.title)
    columns = replace(columns_of(draft), known="true_label", existing="random")
    fault, ways, still_open = Asked(draft, columns, QUESTION, population).refusal or ("", [], True)
    assert "can use the known answers" in fault and not still_open
    assert ways[-1].draft == ProjectDraft(existing="ignored")
    draft.begin(ways[0].draft)
    assert Asked(draft, columns, QUESTION, population).refusal is None


def test_one_classifier_without_scores_has_no_cut_to_choose(population: lc.Population) -> None:
    alone = replace(columns_of(Draft()), scores={}, predictions={"lr": "pred_lr"})
    bare = lc.read_population(population.path, **alone.to_json())
    assert SHIP not in Asked(Draft(), alone, QUESTION, bare).possible


def test_thresholds_are_those_of_the_question(population: lc.Population) -> None:
    scores = replace(columns_of(Draft()), predictions={})
    bare = lc.read_population(population.path, **scores.to_json())

    def cut(draft: Draft) -> Columns:
        return Asked(draft, scores, QUESTION, bare).read

    one = cut(Draft(aim=ACCURACY.title, threshold={"lr": 0.7}, direction={"lr": "no"}))
    assert (one.thresholds, one.descending) == ({"lr": (0.7,)}, ("lr",))
    assert cut(Draft(aim=ACCURACY.title, threshold={"lr": 7.0})).thresholds == {"lr": (0.5,)}
    assert cut(Draft(aim=RANKED.title, threshold={"lr": 0.7})).thresholds == {}
    if "labelcore.papers" not in rooms.AWAY:
        assert cut(Draft(aim=SHIP.title, classifiers=["lr"])).thresholds == {}
        assert cut(Draft(aim=SHIP.title)).thresholds == {"lr": (0.5,), "nb": (0.5,)}
    two = cut(Draft(aim=SEVERAL.title, classifiers=["lr"], thresholds={"lr": "0.2 0,1"}))
    assert two.thresholds == {"lr": (0.1, 0.2)}
    with pytest.raises(ValueError, match="this is 'x'"):
        cut(Draft(aim=SEVERAL.title, thresholds={"lr": "x"}))


@pytest.mark.usefixtures("few_sessions_for_claims")
def test_a_goal_counts_within_its_bounds_alone(population: lc.Population) -> None:
    def goal(**chosen: Any) -> Goal | None:
        return terms(Draft(**chosen), population).goal

    assert goal() == Goal(budget=200)
    assert goal(budget=60) == Goal(budget=60)
    assert goal(budget=201) is None
    assert goal(way=MARGIN, margin=8.0) == Goal(margin=0.08)
    assert goal(way=MARGIN, margin=50.0) is None
    claims = {"0-percent": 90.0}
    capped = goal(way=CLAIMS, most=100, claims=claims)
    assert capped == Goal(budget=100, claims=("precision[lr] >= 0.9",))
    assert goal(way=CLAIMS, most=100) is None
    assert goal(way=CLAIMS, claims={"0-percent": 100.0}) is None
    assert goal(way=CLAIMS, most=3, claims=claims) is None


def test_the_way_that_is_chosen_is_one_that_there_is(population: lc.Population) -> None:
    claiming = terms(Draft(way=CLAIMS), population)
    assert claiming.to_be_shown and claiming.way == CLAIMS
    extended = Terms(claiming.now, replace(claiming.aim, existing="random"), population)
    assert not extended.to_be_shown and extended.way == "Labels"
    chosen = terms(Draft(way=MARGIN), population, "selection")
    assert chosen.way == "Labels" and chosen.goal_so_far == {"budget": 200}


def test_few_labels_are_looked_at_once(population: lc.Population) -> None:
    few = terms(Draft(budget=39, design="recalibrated_neyman"), population)
    assert "at least 40 labels" in few.too_few_to_watch and few.given is None
    assert terms(replace(few.now, budget=40), population).too_few_to_watch == ""
    assert terms(replace(few.now, promise="fixed"), population).too_few_to_watch == ""
    extended = Terms(few.now, replace(few.aim, existing="random"), population)
    assert extended.fewest == 0


def test_what_is_watched_without_an_end_ends_with_the_file(population: lc.Population) -> None:
    endless = Draft(way=MARGIN, margin=8.0, design="simple_random")
    endless.params = {"simple_random-interval": SEQUENCE_OF}
    found = terms(endless, population, "accuracy")
    assert found.horizon is None and found.stop == ("margin",)
    assert latest_labels(found, found.goal) == "200 labels"


def test_a_deadline_in_the_past_ends_nothing(population: lc.Population) -> None:
    today = datetime.now(UTC).date()
    late = Draft(way=MARGIN, stops={"deadline": True}, day=today + timedelta(days=2), hour=time(9))
    rules = terms(late, population).stop
    assert rules == ("margin", f"deadline {today + timedelta(days=2)}T09:00+00:00")
    late.take("stop_how", "all", "any")
    assert terms(late, population).stop == ("all", *rules)
    late.take("day", today - timedelta(days=1))
    assert terms(late, population).stop is None


def test_the_plan_is_what_the_draft_says(population: lc.Population) -> None:
    draft = Draft(budget=80, confidence=0.9, promise="fixed", design="simple_random", seed=5,
                  together=True, unsure="worst")  # fmt: skip
    found = terms(draft, population)
    plan = found.plan(**found.given or {})
    assert (plan.design, plan.budget, plan.confidence) == ("simple_random", 80, 0.9)
    assert (plan.promise, plan.seed, plan.together) == ("fixed", 5, True)
    assert terms(replace(draft, seed=-1), population).seed == draft.first_seed
