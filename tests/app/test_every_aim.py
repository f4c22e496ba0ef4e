"""New project: each question of each kind of file leads to a project, or a button leads there."""

import random
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from labelcore.errors import CancelledError
from labelcore.safe_text import JOINER
from labelcore.ui import new_terms, waiting
from labelcore.ui.draft import BUDGET, MARGIN
from labelcore.ui.new_cards import ACCURACY, BETTER, BOTH, RANKED, SEVERAL
from tests import rooms
from tests.answering import answer_draws
from tests.app.conftest import captions, created, every_question, texts, to_aim, with_upload
from tests.cases import sampled

ITEMS = 240
CLASSES = {"three classes": 3, "five classes": 5}
ALONE = pytest.mark.usefixtures("price_alone")
CREATE, WAY_OUT = "new-create", "new-way-out-"


def written(kind: str) -> bytes:
    """A file of the kind: classifiers a and b, only a, only a score, or three classes."""
    rng = random.Random(3)
    rows = []
    for n in range(ITEMS):
        truth = rng.random() < 0.35
        a = truth if rng.random() < 0.85 else not truth
        noise = {"near equal": n % 60 == 0, "same": False}.get(kind, rng.random() < 0.3)
        b = not a if noise else a
        score = round(min(max(0.25 + 0.5 * a + rng.uniform(-0.24, 0.24), 0), 1), 3)
        if kind in CLASSES:
            names = ("ham", "spam", "news", "offer", "talk")[: CLASSES[kind]]
            pick = [rng.choice(names) for _ in range(2)]
            rows.append(f"i{n},item {n},{pick[0]},{pick[1]}")
        elif kind == "one classifier":
            rows.append(f"i{n},item {n},{score},{int(a)}")
        elif kind == "no prediction" or kind == "tied scores":
            score = round(4 * score) / 4 if kind == "tied scores" else score
            rows.append(f"i{n},item {n},{score}")
        else:
            rows.append(f"i{n},item {n},{score},{int(a)},{int(b)}")
    header = {
        **dict.fromkeys(CLASSES, "id,text,pred_a,pred_b"),
        "one classifier": "id,text,score_a,pred_a",
        **dict.fromkeys(("no prediction", "tied scores"), "id,text,score_a"),
    }.get(kind, "id,text,score_a,pred_a,pred_b")
    return "\n".join([header, *rows]).encode()


KINDS = (
    "near equal", "same", "two different", "one classifier", "no prediction", "three classes",
    "five classes", "tied scores",
)  # fmt: skip


@ALONE
def test_few_called_positive_suggest_precision_and_recall(app) -> None:
    rows = "".join(f"i{n},item {n},{int(n % 10 == 0)}\n" for n in range(ITEMS))
    page = with_upload(app, "items.csv", f"id,text,pred_a\n{rows}".encode())
    to_aim(page, "Is it spam?")
    assert page.radio(key="new-aim").value == BOTH.title
    assert "24 of 240 called 'Yes'." in captions(page)[0]


def test_another_method_is_one_press_away(app, data_folder: Path) -> None:
    """The rows stand by the labels they need; the one that is pressed is the plan's."""
    page = on_page(app, "one classifier", BOTH.title, budget=60)
    rows = page.radio(key="new-row")
    numbers = [one.split(" · ")[1] for one in rows.options]
    assert numbers[0] == "60" and all(one.startswith(("about ", "all ")) for one in numbers[1:])
    labels = [int(one.split(" ")[-1]) for one in numbers]
    once = [one.endswith("no early look") for one in rows.options]
    assert once == sorted(once), "those of another promise stand below"
    same = labels[: once.index(True)]
    there = 2 if "labelcore.papers" in rooms.AWAY else 3
    assert same == sorted(same) and len(same) == there and rows.index == 0
    taken, name = "simple_random watched", "Plain random"
    if rows.value == taken:
        taken, name = "recalibrated_neyman watched", "Recalibrated"
    needed = next(n for one, n in zip(rows.options, labels, strict=True) if name in one)
    rows.set_value(taken).run()
    assert page.radio(key="new-row").value == taken
    assert f"With {needed} labels" in texts(page)
    plan = created(page, data_folder).plan
    assert (f"{plan.design} {plan.promise}", plan.budget) == (taken, needed)


@rooms.needs("papers")
def test_a_row_of_a_ranked_list_brings_its_labels(app) -> None:
    """Each method of a ranked list starts from labels of its own, and they must not win."""
    rng = random.Random(3)
    rows = "".join(f"i{n},item {n},{rng.betavariate(0.4, 2):.4f}\n" for n in range(4000))
    page = with_upload(app, "items.csv", f"id,text,score_a\n{rows}".encode())
    to_aim(page, "Is it spam?")
    labels = {row["method"]: row["labels"] for row in method_table(page)}
    (own,) = (one for one in page.radio(key="new-row").options if one.startswith("Logarithmic"))
    stands = own.replace("\\", "").split(" · ")[1]
    assert stands == labels["Logarithmic strata"], "its size is its own"
    page.radio(key="new-row").set_value("random_curve fixed").run()
    assert "With 4,000 labels" in texts(page)
    page.radio(key="new-row").set_value("geometric_strata fixed").run()
    assert "With 4,000 labels" in texts(page)


def method_table(page: AppTest) -> list[dict[str, str]]:
    """The methods below *More*, a row each."""
    tables = [one.value for one in page.dataframe if "method" in one.value.columns]
    return [row for table in tables for row in table.to_dict("records")]


@ALONE
def test_the_slider_is_the_number_of_labels(app) -> None:
    page = on_page(app, "one classifier", ACCURACY.title)
    slider = page.select_slider(key="new-slider")
    stops = [int(told.partition(":")[0].replace(",", "")) for told in slider.options]
    fewer = max(stop for stop in stops if stop < slider.value)
    slider.set_value(fewer).run()
    assert page.number_input(key="new-budget").value == fewer
    assert f"With {fewer} labels" in texts(page)


def on_page(app: Any, kind: str, aim: str | None = None, **chosen: Any) -> AppTest:
    return to_aim(with_upload(app, "items.csv", written(kind)), "Is it spam?", aim, **chosen)


def ways_out(page: AppTest) -> list[str]:
    return [str(one.key) for one in page.button if str(one.key).startswith(WAY_OUT)]


def can_create(page: AppTest) -> bool:
    return any(one.key == CREATE for one in page.button)


def pressed(page: AppTest, words: str) -> None:
    """The page after the way out of these words."""
    found = {one.label.replace("\\", "").replace(JOINER, ""): one for one in page.button}
    found[words].click().run()


@ALONE
@pytest.mark.parametrize("kind", KINDS)
def test_every_question_leads_to_a_project(app, kind: str) -> None:
    """With the choices as they stand, or after one press of any button that is offered."""
    page = on_page(app, kind)
    titles = every_question(page).radio(key="new-aim").options
    for title in titles:
        every_question(page).radio(key="new-aim").set_value(title).run()
        if can_create(page):
            assert not page.error, (kind, title)
            continue
        offered = ways_out(page)
        assert offered, (kind, title, texts(page))
        for key in offered:
            again = on_page(app, kind, title)
            again.button(key=key).click().run()
            assert can_create(again), (kind, title, key, texts(again))


@ALONE
def test_a_question_of_this_file_alone_is_asked_of_it_by_a_press(app) -> None:
    summed = {"estimands": ("average_precision",), "target": "process"}
    page = on_page(app, "no prediction", RANKED.title, **summed)
    assert not can_create(page)
    pressed(page, "Ask about this file")
    assert can_create(page)


@ALONE
def test_a_margin_that_no_file_gives_has_the_nearest_one_a_press_away(app) -> None:
    page = on_page(app, "one classifier", ACCURACY.title, target="process", margin=0.01)
    assert not can_create(page)
    (label,) = (one.label for one in page.button if one.label.startswith("Plan for"))
    assert label.startswith("Plan for ± ") and label.endswith(" points")
    pressed(page, label.replace("\\", ""))
    assert can_create(page) and page.number_input(key="new-margin").value > 1


@ALONE
def test_whoever_cancels_the_search_for_a_method_starts_from_a_number(
    app, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it goes on in the page's own script, and what takes long can be left."""
    page = on_page(app, "one classifier", ACCURACY.title)
    tried: list[str] = []

    def cancelled(kind: str, *given: Any, **more: Any) -> Any:
        raise CancelledError

    with monkeypatch.context() as patch:
        patch.setattr(waiting, "worked_out", cancelled)
        patch.setattr(new_terms, "recommended", lambda *given: tried.append("best"))
        page.segmented_control(key="new-way").set_value(MARGIN).run()
    assert not tried and not can_create(page)
    pressed(page, "Start from a number of items")
    assert can_create(page) and page.segmented_control(key="new-way").value == BUDGET


@ALONE
def test_whoever_does_not_wait_for_each_rank_has_the_price_without_them(
    app, monkeypatch: pytest.MonkeyPatch
) -> None:
    worked_out = waiting.worked_out

    def cancelled(kind: str, *given: Any, **more: Any) -> Any:
        if kind == "ranks":
            raise CancelledError
        return worked_out(kind, *given, **more)

    monkeypatch.setattr(waiting, "worked_out", cancelled)
    page = on_page(app, "no prediction", RANKED.title)
    assert "Expected: first" not in texts(page) and can_create(page)
    monkeypatch.undo()
    assert "Expected: first" in texts(page.run())


@ALONE
def test_of_three_classifiers_the_first_two_are_compared(app) -> None:
    lines = written("near equal").decode().splitlines()
    three = [f"{line},{n % 2 if n else 'pred_c'}" for n, line in enumerate(lines)]
    page = to_aim(with_upload(app, "items.csv", "\n".join(three).encode()), "Is it?", BETTER.title)
    assert page.multiselect(key="new-pair").value == ["a", "b"]


@ALONE
def test_two_that_hardly_differ_are_compared_exactly(app, data_folder: Path) -> None:
    page = on_page(app, "near equal", BETTER.title)
    assert "The two disagree on 4 of the 240 items." in texts(page).replace("\\", "")
    assert "the difference in accuracy is exact" in texts(page)
    page.multiselect(key=f"new-numbers-{BETTER.title}").set_value(["accuracy_difference"]).run()
    assert "With 4 labels" in texts(page)
    session = created(page, data_folder)
    answer_draws(session, True)
    assert session.labels == 4
    assert session.results()["accuracy_difference"].state == "exact"


@ALONE
@pytest.mark.parametrize("press", [
    "Label all 4 items on which they disagree", "Look once, when all planned labels are there",
    "Take the parameters as they were"])  # fmt: skip
def test_a_refusal_has_buttons_that_mend_it(app, press: str) -> None:
    page = on_page(app, "near equal", BETTER.title)
    field = next(one for one in page.selectbox if "-disagreements" in str(one.key))
    field.set_value("sampled").run()
    assert page.error and not can_create(page)
    pressed(page, press)
    assert can_create(page), [one.value for one in page.error]


@pytest.mark.parametrize("press", sampled(["Label 40 items", "Look once, at the end"], 1, seed=1))
def test_too_few_labels_to_watch_have_buttons(app, press: str) -> None:
    page = on_page(app, "one classifier", ACCURACY.title, design="recalibrated_neyman", budget=20)
    assert page.error and not can_create(page)
    pressed(page, press)
    assert can_create(page), [one.value for one in page.error]


@pytest.mark.full
def test_the_recommended_entry_follows_the_recommendation(
    app, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A browser keeps the text of a chosen entry as long as the input is the same."""

    def method(page: AppTest) -> Any:
        return next(one for one in page.selectbox if one.label == "Method")

    by_goal = {"margin": "recalibrated_neyman", "budget": "simple_random"}
    monkeypatch.setattr(
        new_terms, "recommended", lambda *given: by_goal[next(iter(given[3]))]
    )  # fmt: skip
    page = on_page(app, "two different")
    every_question(page).radio(key="new-aim").set_value(SEVERAL.title).run()
    page.multiselect(key=f"new-numbers-{SEVERAL.title}").set_value(["recall"]).run()
    inputs: dict[str, set[str]] = {}
    for way in (MARGIN, BUDGET, MARGIN):
        page.segmented_control(key="new-way").set_value(way).run()
        inputs.setdefault(method(page).options[0], set()).add(method(page).proto.id)
        assert method(page).value == ""
    assert len(inputs) == 2, "the recommendation changes with the way"
    assert not set.intersection(*inputs.values())
    method(page).set_value("recalibrated_neyman").run()
    for way in (BUDGET, MARGIN):
        page.segmented_control(key="new-way").set_value(way).run()
        assert method(page).value == "recalibrated_neyman", way


@pytest.mark.parametrize("columns", sampled([5, 2], 1, seed=1, keep=[5]))
def test_without_a_score_nothing_is_said_of_scores(app, columns: int) -> None:
    rows = [row.decode().split(",") for row in written("two different").splitlines()]
    kept = [row[:2] + row[3:columns] for row in rows]
    page = with_upload(app, "items.csv", "\n".join(",".join(row) for row in kept).encode())
    to_aim(page, "Is it spam?")
    shown = texts(page).replace("\\", "")
    assert can_create(page)
    assert "Expected on an assumption about the answers" in shown
    assert "mid-rank share" not in shown and "from the scores" not in shown
    assert ("There is no score: the first guess" in shown) == (columns == 5)


@rooms.needs("papers")
@pytest.mark.parametrize(
    "press", sampled(["Take the recommended method", "Take the parameters as they were"], 1, seed=1)
)
def test_a_method_that_cannot_serve_gives_way_to_the_recommended(app, press: str) -> None:
    page = on_page(app, "one classifier", ACCURACY.title, design="oversampling")
    assumed = next(one for one in page.number_input if "-assumed_recall" in str(one.key))
    assumed.set_value(0.5).run()
    assert page.error and not can_create(page)
    pressed(page, press)
    assert can_create(page), [one.value for one in page.error]
