"""Every page in every state of a plan that asks for a curve."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import AnswerError
from labelcore.figures.current import FiguresNow
from labelcore.log.history import state_at
from labelcore.log.kinds import check
from labelcore.ui import explore
from labelcore.ui.cutting import typed_rank
from labelcore.ui.last_look import MEAN
from labelcore.ui.new_cards import RANKED
from labelcore.words.sentences import range_text
from tests import rooms
from tests.answering import answer_draws
from tests.app.conftest import (
    HOSTILE,
    Once,
    bar_texts,
    button,
    created,
    explored,
    store,
    surface,
    texts,
    to_aim,
    wish,
    with_upload,
)
from tests.cases import sampled
from tests.columns import items
from tests.judged import judged, judged_frame
from tests.rows import write_rows

PAGES = ("label", "progress", "explore", "report")
PLANS: dict[str, dict[str, object]] = {
    "geometric_strata": {"budget": 100, "params": {"first_edge": 20}},
    "paula": {"params": {"epsilon": 0.3, "window": 5}},
    "recalibrated_neyman": {"budget": 60},
    "simple_random": {"budget": 60},
}
MakeCurve = Callable[..., lc.Session]


@pytest.fixture
def pairs(data_folder: Path) -> Path:
    return write_pairs(data_folder)


def write_pairs(folder: Path) -> Path:
    """150 pairs with a score; the higher it is, the more often they are truly alike."""
    random = Random(5)
    rows = []
    for n in range(150):
        score = round(1 - n / 150, 4)
        left = HOSTILE if n % 3 else f"phrase {n}"
        rows.append([f"p{n}", left, f"other {n}", score, int(random.random() < score)])
    head = ["id", "left", "right", "score", "truth"]
    return write_rows(folder / "files" / "pairs.csv", head, rows)


@pytest.fixture
def make_curve(labelled_once: Once) -> MakeCurve:
    """``make_curve("paula", labels=20)``: a project in the app's own store."""

    def build(design: str = "geometric_strata", labels: int = 0, **changes: object) -> lc.Session:
        def write(folder: Path) -> lc.Session:
            population = lc.read_population(
                write_pairs(folder), id="id", content=["left", "right"], scores={"sim": "score"}
            )
            truth = dict(zip(population.ids(), population.column("truth"), strict=True))
            plan = lc.Plan(design, ["precision_curve"], **{**PLANS[design], "seed": 2, **changes})
            session = lc.Session(
                population, plan, f"sqlite:///{folder / 'labelcore.db'}", "demo",
                settings={"question": "Alike?"},
            )  # fmt: skip
            answer_draws(session, lambda draw: truth[draw.item_id] == "1", until=labels)
            session.results()
            return session

        return labelled_once(repr((design, labels, changes)), write)

    return build


STATES = list(product(PLANS, (0, 4, 15, 30, 1000)))


@pytest.mark.parametrize(("design", "labels"), sampled(STATES, 1, seed=1, keep=[STATES[1]]))
def test_every_page_in_every_state(app, make_curve: MakeCurve, design: str, labels: int) -> None:
    session = make_curve(design, labels)
    for page in PAGES:
        shown = app(page, project="demo")
        assert not shown.error, page
    session.finish("enough")
    for page in ("label", "report"):
        shown = app(page, project="demo")
        assert not shown.error, page


@pytest.mark.parametrize("design", ["geometric_strata", "recalibrated_neyman"])
def test_a_fixed_promise_has_its_band_at_the_end(app, make_curve: MakeCurve, design: str) -> None:
    session = make_curve(design, 50, promise="fixed")
    counted = "labels" if design == "recalibrated_neyman" else "items judged"
    page = app("label", project="demo")
    assert not page.error
    assert f"50 of {session.plan.planned} {counted} before" in texts(page)


def test_words_to_highlight_are_marked(app, pairs: Path, data_folder: Path) -> None:
    population = lc.read_population(pairs, id="id", content="right", scores={"sim": "score"})
    plan = lc.Plan("paula", ["precision_curve"], **PLANS["paula"])
    settings = {"question": "Alike?", "highlight": {"words": ["other"], "patterns": []}}
    lc.Session(population, plan, store(data_folder), "marked", settings=settings)
    page = app("label", project="marked")
    marked = ["mark", {"class": "lc-word"}, "other"]
    assert any(marked in text for text in surface(page)["item"]["view"])


def test_a_word_too_long_to_mark_is_refused_where_it_is_stored_and_shown_where_it_was(
    app, make_curve: MakeCurve
) -> None:
    session = make_curve("paula", 0)
    long = {"words": ["other", "x" * 101], "patterns": []}
    refused = "a word to mark may have at most 100 characters, got 101"
    with pytest.raises(ValueError, match=refused):
        session.reword(highlight=long)
    with pytest.raises(ValueError, match=refused):
        lc.Session(session.population, session.plan, settings={"highlight": long})
    old = json.loads(session.record.settings_json)
    session.store.update(session.project, settings_json=json.dumps({**old, "highlight": long}))
    lc.Session(session.population, session.plan, session.store, session.project, settings=old)
    page = app("label", project="demo")
    assert not page.error
    view = surface(page)["item"]["view"]
    assert refused in json.dumps(view)


def test_label_page_before_the_first_band(app, make_curve: MakeCurve) -> None:
    make_curve(labels=4)
    page = texts(app("label", project="demo"))
    assert "4 of 5 items judged before a first band" in page
    assert "sim: ranked by score, highest first" in page


def test_paula_is_shown_without_a_confidence(app, make_curve: MakeCurve) -> None:
    make_curve("paula", 1000)
    for name in PAGES:
        shown = app(name, project="demo")
        page = texts(shown).replace("\\", "")
        assert "no confidence" in page, name
        # The plain sample that the explore page offers has a confidence of its own.
        assert "95 %" not in page or name == "explore", name
        if name == "explore":
            assert explored(shown)["terms"][0].startswith("if precision falls along the list")


def test_paula_in_the_middle_names_how_far_it_is(app, make_curve: MakeCurve) -> None:
    session = make_curve("paula", 38)
    assert "Bounds up to rank" in texts(app("explore", project="demo"))
    reached = session.curve().rank[-1]
    first, last = bar_texts(app("label", project="demo"))
    assert [first[0], last[0]] == ["First 10", f"First {reached}"] and last[2] != "not yet"
    assert reached < 150


def test_a_cut_is_typed_as_rank_and_as_score(app, make_curve: MakeCurve) -> None:
    session = make_curve(labels=100)
    page = app("explore", project="demo")
    wish(page, cut="60")
    assert explored(page)["cut"] == 60
    assert explored(page)["keep"][1].startswith("every cut at once · score ")
    assert session.cut(60).sentence() in texts(page)
    wish(page, cut=">= .8")
    assert explored(page)["cut"] == 31 and not explored(page)["fault"]
    assert {typed_rank(session, typed) for typed in ("0.8", ">0.8", ">= .8")} == {31}
    assert session.cut(31).sentence() in texts(page)


@pytest.mark.parametrize(
    ("asked", "terms"), [(("precision", "recall"), ""), ("accuracy", ", first guess")]
)
def test_explore_tells_the_own_cut_by_the_figure_of_progress(app, make, asked, terms) -> None:
    session = make(labels=48, estimands=asked)
    told = next(cell.estimate for cell in session.table().cells if cell.figure == "precision")
    page = app("explore", project="demo")
    shown = explored(page)
    assert shown["keep"][0] == f"{range_text(told.low, told.high)} right"
    assert shown["keep"][1].startswith(f"this cut alone{terms} · score ")
    least, most = (round(shown["cut"] * end) for end in (told.low, told.high))
    assert f"{least} to {most} of them right" in shown["keep"][1]
    along = session.cut(shown["cut"])
    assert along.readings["precision"].low[0] < told.low
    assert along.sentence() in texts(page)
    assert "renewed after every 5 items: it rests on the first 45." in texts(page)
    assert explored(wish(page, cut="60"))["keep"][1].startswith("every cut at once · score ")


def test_what_cannot_be_kept_or_needed_is_told(app, make_curve: MakeCurve) -> None:
    session = make_curve(labels=100)
    page = app("explore", project="demo")
    wish(page, cut="31", need="80")
    for changed, said in (
        ({"cut": "151"}, "The list has 150 items: keep 1 to 150 of them, not 151."),
        ({"need": "101"}, "What is needed is a number from 0.1 to 100 per cent, got '101'."),
    ):
        wish(page, **changed)
        now = explored(page)
        assert (now["fault"], now["cut"], now["need"]) == (said, 31, "80")
        assert not page.error
    assert not explored(wish(page, cut="31"))["fault"]
    for typed, said in (
        ("0", "keep 1 to 150 of them, not 0"),
        ("7.0", "No item has a score of 7 or better."),
        ("a few", "Type a number of items, or a score such as 0.83; got 'a few'."),
        ("1.2.3", "got '1.2.3'"),
    ):
        with pytest.raises(ValueError, match=re.escape(said)):
            typed_rank(session, typed)


def test_the_cut_stays_when_labels_arrive(app, make_curve: MakeCurve) -> None:
    session = make_curve(labels=60)
    page = app("explore", project="demo")
    wish(page, cut="90")
    session.answer(session.next(), True)
    page.run()
    assert explored(page)["cut"] == 90
    assert session.cut(90).sentence() in texts(page)


def test_only_what_is_sure_is_offered(app, make_curve: MakeCurve) -> None:
    """Not the rank at which the estimated line is high enough: that is too deep about every second
    time. Further down may be looked at, and is said not to be sure."""
    session = make_curve(labels=80)
    line = session.band("precision")
    for wanted in (90.0, 80.0, 70.0, 60.0, 50.0):
        deepest = session.deepest_cut(wanted / 100)
        read_off = int(line.x[np.flatnonzero(line.value >= wanted / 100)[-1]])
        if deepest is not None and deepest.rank < read_off:
            break
    assert deepest is not None and deepest.rank < read_off
    page = app("explore", project="demo")
    wish(page, need=f"{wanted:g}", cut=str(read_off))
    now = explored(page)
    assert now["pick"] == deepest.rank
    assert f"Not sure to be {wanted:g} % right." in now["keep"][1]
    wish(page, cut=str(deepest.rank))
    assert "Not sure" not in explored(page)["keep"][1]


def test_right_ones_found_at_the_top_count_further_down(app, make_curve: MakeCurve) -> None:
    """53 of the first 58 are 53 of the first 151."""
    make_curve(labels=100)
    page = app("explore", project="demo")
    said = [explored(wish(page, cut=str(rank)))["keep"][1] for rank in range(25, 151, 25)]
    least = [int(found[1]) for one in said if (found := re.search(r"· (\d+)(?: to \d+)? of", one))]
    assert len(least) > 3 and least == sorted(least)


def test_equal_scores_are_told(app, data_folder: Path) -> None:
    population = items(scores={"m": [0.5] * 60})
    plan = lc.Plan("geometric_strata", ["precision_curve"], budget=60)
    lc.Session(population, plan, store(data_folder), "same")
    now = explored(app("explore", project="same"))
    assert now["fault"].startswith("All scores are equal: the order is chance")


def test_explore_names_the_score_where_there_are_several(app, data_folder: Path) -> None:
    rows = [{"id": n, "text": f"item {n}", "a": n / 99, "b": 1 - n / 99} for n in range(99)]
    for names, said in (("a", ""), ("ab", "by the score of a")):
        population = lc.read_population(rows, id="id", content="text", scores={n: n for n in names})
        plan = lc.Plan("geometric_strata", ["precision_curve"], budget=80, classifier="a")
        lc.Session(population, plan, store(data_folder), names)
        assert explored(app("explore", project=names))["of"] == said


def test_a_method_that_gives_no_cut_names_the_ranked_list(app, make_curve: MakeCurve) -> None:
    """Its labels are what simulated sessions of it take, and one press leads there."""
    session = make_curve("recalibrated_neyman", 60)
    page = app("explore", project="demo")
    assert session.deepest_cut(0.9) is None
    assert explored(page)["sure"][0] == "nothing is sure yet" and not explored(page)["pick"]
    assert "To learn at which score to cut, take the ranked list" in texts(page)
    button(page, "to-list").click().run()
    begun = page.session_state["project draft"]
    assert (begun.design, begun.aim) == ("geometric_strata", RANKED.title)
    assert page.title[0].value == "Question · 2 of 3"


def test_no_search_without_bounds_for_all_ranks(app, make_curve: MakeCurve) -> None:
    make_curve("simple_random", 60)
    now = explored(app("explore", project="demo"))
    assert now["sure"] == ["this method cannot say", "its bounds hold for one cut at a time"]
    assert not now["rows"] and not now["pick"]
    assert "a cut chosen before labelling" in now["terms"][0]


def test_the_default_is_searched(
    app, make_curve: MakeCurve, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = make_curve("recalibrated_neyman", 60)
    page = app("explore", project="demo")
    assert "all cuts together" in explored(page)["terms"][0]
    sure = session.deepest_cut(0.2).rank
    assert explored(wish(page, need="20"))["pick"] == sure
    monkeypatch.setattr(explore, "barely", lambda _: True)
    little = explored(page.run())
    assert little["sure"] == ["hardly any are sure yet", f"only the first {sure:,} items so far"]
    assert f"only {session.deepest_cut(0.5).rank} yet" in [row[1] for row in little["rows"]]


def test_a_value_that_is_not_told_leaves_its_cell_empty(app, make_curve: MakeCurve) -> None:
    make_curve(labels=30)
    page = app("explore", project="demo")
    table = next(one for one in page.dataframe if "Yield" in one.value)
    assert table.value["Yield"].isna().any() and table.proto.HasField("placeholder")
    assert table.proto.placeholder == ""


def test_packages_are_a_table(app, make_curve: MakeCurve) -> None:
    session = make_curve(labels=100)
    page = app("explore", project="demo")
    page.multiselect[0].set_value([60, 50]).run()
    table = next(one.value for one in page.dataframe if "items" in one.value)
    wanted = session.packages([0.6, 0.5])["items"].tolist()
    assert table["items"].tolist() == [f"{number:,}" for number in wanted]


@pytest.mark.parametrize(
    ("classifier", "design", "estimand", "why"),
    [
        ({"predictions": {"p": "pred_lr"}}, "simple_random", "accuracy",
         "the classifier has no score"),
        ({}, "simple_random", "prevalence", "no column is read as a classifier"),
        ({"predictions": {"p": "pred_lr", "q": "true_label"}}, "recalibrated_neyman", "accuracy",
         "none of the classifiers has a score"),
        ({"scores": {"p": "score_lr"}, "thresholds": {"p": 0.5}}, "recalibrated_neyman",
         "precision", "this project labels only part of the list"),
    ],
)  # fmt: skip
def test_explore_says_why_there_is_no_curve(
    app, items: Path, data_folder: Path, classifier: dict[str, Any], design: str, estimand: str,
    why: str,
) -> None:  # fmt: skip
    population = lc.read_population(items, id="id", content="text", **classifier)
    plan = lc.Plan(design, [estimand], budget=50, classifier=[*population.classifiers] or None)
    session = lc.Session(population, plan, store(data_folder), "plain")
    said = texts(app("explore", project="plain"))
    assert f"nothing to cut here: {why}." in said and "has bounds for all" not in said
    answer_draws(session, "yes", 1)
    ways = {one.proto.label for one in app("explore", project="plain").get("page_link")}
    errors = explore.WAYS_ON["review"] in ways
    assert errors == bool(population.predictions), "without a classifier nothing can be wrong"


def test_who_audits_a_judge_is_told_of_the_judge_and_led_to_its_errors(
    app, data_folder: Path
) -> None:
    frame = judged_frame(40).assign(verdict=lambda one: np.where(one["score"] > 0.5, "pass", "no"))
    given = {"scores": {}, "thresholds": {}, "predictions": {"judge": "verdict"}}
    population = judged(frame, **given, passing={"judge": ["pass"]})
    plan = lc.Plan("recalibrated_neyman", ["prevalence"], budget=50)
    session = lc.Session(population, plan, store(data_folder), "judge")
    page = app("explore", project="judge")
    assert "nothing to cut here: the judge has no score" in texts(page)
    ways = {*explore.WAYS_ON.values()}
    assert ways.isdisjoint(one.proto.label for one in page.get("page_link"))
    answer_draws(session, "yes", 1)
    page = app("explore", project="judge")
    assert ways <= {one.proto.label for one in page.get("page_link")} and len(ways) == 2
    assert not page.table, "the way leads there"
    page = app("progress", project="judge")
    (measures,) = (one.value for one in page.table if "The judge" in one.value)
    assert measures["Agreement"].tolist() == ["too early"], "as every other table says of so little"
    assert "answers; too early to say how many people would." in texts(page)


@pytest.fixture
def aimed(app, pairs: Path):
    """A new project on the pairs that asks where to cut, at the step "How sure?"."""
    page = with_upload(app, "pairs.csv", pairs.read_bytes())
    to_aim(page, "Alike?", RANKED.title)
    assert not page.error
    return page


def chosen_method(page):
    return next(one for one in page.selectbox if one.key.startswith("new-design-"))


@pytest.mark.full
def test_a_curve_is_planned_by_geometric_strata(aimed, data_folder: Path) -> None:
    assert chosen_method(aimed).options[0] == "Recommended: Geometric strata"
    assert field(aimed, "new-budget").value == 150
    assert "exact" in texts(aimed) and "(at the widest rank)" not in texts(aimed)
    field(aimed, "new-budget").set_value(140).run()
    assert "(at the widest rank)" in texts(aimed)
    plan = created(aimed, data_folder).plan
    assert (plan.design, plan.estimands) == ("geometric_strata", ("precision_curve",))
    assert (plan.budget, plan.promise) == (140, "watched")


def test_a_budget_under_the_smallest_is_told(aimed) -> None:
    least = re.search(r"needs at least (\d+) labels", texts(aimed))
    assert least is not None
    field(aimed, "new-budget").set_value(int(least[1]) - 1).run()
    assert f"from {least[1]} to 150 is needed" in aimed.error[0].value.replace("\\", "")
    field(aimed, "new-budget").set_value(int(least[1])).run()
    assert not aimed.error and button(aimed, "new-create")


@rooms.needs("papers")
def test_paula_is_listed_with_a_slider_a_size_of_its_own_and_no_promise(
    aimed, data_folder: Path
) -> None:
    (rows,) = (one for one in aimed.radio if one.key == "new-row")
    listed = next(one for one in rows.options if one.startswith("PAULA"))
    assert listed.endswith("no chance of error stated")
    rows.set_value(rows.options.index(listed) if isinstance(rows.value, int) else "paula fixed")
    aimed.run()
    assert "asks for exactly" in texts(aimed)
    (size,) = (one for one in aimed.select_slider if one.key == "new-size")
    assert "bounds within a factor of" in str(size.options[0])
    size.set_value(0).run()
    assert "exactly 48 labels" in texts(aimed)
    field(aimed, "new-param-paula-epsilon").set_value(0.3)
    field(aimed, "new-param-paula-window").set_value(5).run()
    page = texts(aimed).replace("\\", "")
    assert not aimed.error
    assert not [one for one in aimed.number_input if one.key.startswith("new-budget")]
    assert not [one for one in aimed.radio if one.key == "new-promise"]
    size = re.search(r"PAULA asks for exactly (\d+) labels", page)
    assert size is not None and "largest factor between the bounds at any rank: " in page
    assert "no confidence" in page
    plan = created(aimed, data_folder).plan
    assert (plan.design, plan.promise, plan.planned) == ("paula", "fixed", int(size[1]))


def field(page, start: str):
    return next(one for one in page.number_input if one.key.startswith(start))


@pytest.mark.parametrize(
    ("design", "labels"),
    [("recalibrated_neyman", 60), ("simple_random", 60), ("geometric_strata", 100),
         ("paula", 30), ("simple_random", 5)],
)  # fmt: skip
def test_start_says_the_first_figure_of_label(
    app, make_curve: MakeCurve, design: str, labels: int
) -> None:
    """The first items of the sentence, not the mean over all ranks."""
    make_curve(design, labels)
    (row,) = bar_texts(app())
    told = bar_texts(app("label", project="demo"))[-1]
    assert told[0] == "First 100" or design == "paula"
    assert row == (told if told[2] != "not yet" else [MEAN, "", "not yet"])


def test_a_look_without_the_first_items_is_still_replayed(make_curve: MakeCurve) -> None:
    """Looks of older versions hold the means of a curve only; what they hold is checked."""
    session = make_curve("simple_random", 60)
    look = next(one for one in reversed(session.events) if one.kind == "looked")
    before = state_at(session.population, session.plan, session.events, look.sequence - 1)
    curve = look.detail["results"]["precision_curve"]
    for head in (curve["head"], None, {**curve["head"], "low": 0.123}):
        kept = {key: one for key, one in curve.items() if key != "head"}
        kept |= {"head": head} if head else {}
        event = replace(look, detail={**look.detail, "results": {"precision_curve": kept}})
        if head and head["low"] == 0.123:
            with pytest.raises(AnswerError, match="does not follow"):
                check(before, event, FiguresNow(before.engine))
        else:
            check(before, event, FiguresNow(before.engine))
