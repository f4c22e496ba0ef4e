"""Compare methods: what the library works out stands on the page, and goes on to New project."""

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.errors import CancelledError
from labelcore.papers import METHODS
from labelcore.papers.curves.annotations_needed import epsilon_for, labels_needed
from labelcore.papers.oversampling import planner as earlier_page
from labelcore.papers.oversampling.groups import (
    Counts,
    group_rates,
    optimal_ratio_from_counts,
    sizes_for_margin,
)
from labelcore.papers.reach_selection.bounds import label_bound, smallest_budget
from labelcore.papers.recycling.savings import savings
from labelcore.papers.stratified.comparison import compare_stratifications
from labelcore.ui import waiting
from labelcore.ui.new_cards import ACCURACY
from tests.app.conftest import HOSTILE, button, created, plainly, texts, to_aim
from tests.cases import sampled
from tests.rows import write_rows

pytestmark = pytest.mark.usefixtures("price_alone")

STRATA, OVERSAMPLING, RECYCLING, CHOICE, CURVE = dict.fromkeys(
    one.planner.title for one in METHODS if one.planner is not None
)
ITEMS = 1200


def write(path: Path, *, second: str = "b", prediction: bool = True) -> Path:
    """1,200 items; score and prediction of a classifier, and the predictions of another."""
    random = np.random.default_rng(4)
    score = random.beta(0.4, 1.6, ITEMS).round(4)
    other = np.where(random.random(ITEMS) < 0.9, score >= 0.5, score >= 0.2).astype(int)
    rows = [[f"i{n}", f"item {n}", score[n], int(score[n] >= 0.5), other[n]] for n in range(ITEMS)]
    head = ["id", "text", "score_a", "pred_a", f"pred_{second}"]
    if not prediction:
        head, rows = head[:3], [row[:3] for row in rows]
    return write_rows(path, head, rows)


@pytest.fixture
def file(data_folder: Path) -> Path:
    return write(data_folder / "two.csv")


@pytest.fixture
def opened(app: Callable, file: Path) -> Callable[..., AppTest]:
    """``opened(planner)``: the page with a file of the data folder and one planner."""

    def build(planner: str = STRATA, page: str = "compare", name: str = file.name) -> AppTest:
        test = app("method", page=page)
        test.session_state["compare-planner"] = planner
        if any(one.key == "new-another" for one in test.button):
            test.button(key="new-another").click().run()
        test.text_input(key="new-typed").set_value(name).run()
        return test

    return build


def population(file: Path) -> lc.Population:
    return lc.read_population(
        file, id="id", content="text", scores={"a": "score_a"},
        predictions={"a": "pred_a", "b": "pred_b"},
    )  # fmt: skip


def numbers(test: AppTest, column: str) -> list[int]:
    """The whole numbers in a column of the last table, whatever else stands beside them."""
    return [int(re.sub(r"\D", "", cell)) for cell in test.table[-1].value[column]]


def number(test: AppTest, start: str) -> Any:
    return next(one for one in test.number_input if (one.key or "").startswith(start))


def goes_on(test: AppTest, data_folder: Path) -> lc.Plan:
    """Press the button, ask a question and create the project; its plan."""
    button(test, "compare-use-").click().run()
    assert test.title[0].value == "Items · 1 of 3"
    test.switch_page("pages/new_project.py")
    to_aim(test, "Is it so?")
    assert not test.error
    return created(test, data_folder).plan


def test_empty_with_the_ways_that_every_page_has(app: Callable) -> None:
    page = app("method", page="compare")
    assert [one.value for one in page.header] == ["1 · Items"]
    ways = [one.proto.label for one in page.main.get("page_link")]
    assert ways == ["Projects", "Watch", "New project"]


@pytest.mark.full
def test_strata(opened: Callable, file: Path, data_folder: Path) -> None:
    page = opened(STRATA)
    frame = compare_stratifications(population(file), "a")
    least = frame[frame["allocation"] == "proportional"]["ratio"].min()
    assert f"as good as about {round(200 / least):,} of a plain random sample" in plainly(page)
    assert "planned as if the scores were probabilities" in plainly(page)
    assert len(page.dataframe[-1].value) == 7 * 9 * 3
    page.segmented_control(key="compare-allocation").set_value("optimal").run()
    assert "freeze strata" in page.warning[-1].value
    assert not [one for one in page.button if one.key == "compare-use-strata"]
    page.segmented_control(key="compare-allocation").set_value("equal").run()
    plan = goes_on(page, data_folder)
    assert (plan.design, plan.params["allocation"]) == ("stratified", "equal")


def test_oversampling(opened: Callable, file: Path, data_folder: Path) -> None:
    page = opened(OVERSAMPLING)
    score = population(file).scores["a"]
    above = score >= 0.5
    assert number(page, "compare-precision").value == round(100 * score[above].mean(), 1)
    number(page, "compare-precision").set_value(70.0)
    number(page, "compare-recall").set_value(60.0)
    number(page, "compare-margin").set_value(0.1).run()
    assert not page.error
    number(page, "compare-margin").set_value(6.0).run()
    groups = int(above.sum()), int((~above).sum())
    k = groups[0] / groups[1]
    sizes = sizes_for_margin(
        k, *group_rates(k, 0.7, 0.6), 0.06, above=groups[0], below=groups[1]
    )  # fmt: skip
    assert f"{sizes.above:,} of the {groups[0]:,} items called positive and {sizes.below:,}" in (
        plainly(page)
    )
    plan = goes_on(page, data_folder)
    assert (plan.design, plan.margin, plan.promise) == ("oversampling", 0.06, "fixed")
    assert dict(plan.params) == {"assumed_precision": 0.7, "assumed_recall": 0.6}


@pytest.mark.full
def test_oversampling_tells_a_range_where_nobody_has_measured(
    opened: Callable, file: Path, data_folder: Path
) -> None:
    """Scores need not be probabilities: what they say is no number of labels, and no plan."""
    page = opened(OVERSAMPLING)
    score = population(file).scores["a"]
    above = score >= 0.5
    groups = int(above.sum()), int((~above).sum())
    odds = [rate / (1 - rate) for rate in (score[above].mean(), score[~above].mean())]
    sizes = [
        sizes_for_margin(
            groups[0] / groups[1],
            *(one * times / (1 + one * times) for one, times in zip(odds, both, strict=True)),
            0.05, above=groups[0], below=groups[1],
        ).total
        for both in product((1 / 3, 1, 3), repeat=2)
    ]  # fmt: skip
    found = re.search(r"\*\*([\d,]+) to ([\d,]+) labels: nobody has measured", plainly(page))
    assert found is not None
    low, high = (int(one.replace(",", "")) for one in found.groups())
    assert low == pytest.approx(min(sizes), rel=0.02) and high == pytest.approx(
        max(sizes), rel=0.02
    )
    assert high > 1.5 * low and "items called positive and" not in plainly(page)
    plan = goes_on(page, data_folder)
    assert (plan.design, plan.promise) == ("oversampling", "watched")
    assert plan.params.get("assumed_precision") is None


@pytest.mark.full
def test_an_earlier_matrix_plans_by_theorem_2(
    opened: Callable, file: Path, data_folder: Path
) -> None:
    """The interval of the truth is told apart from the one of the next estimate, which is wider."""
    page = opened(OVERSAMPLING)
    chosen = next(one for one in page.segmented_control if "planned-by" in (one.key or ""))
    chosen.set_value(earlier_page.EARLIER).run()
    assert earlier_page.UNKNOWN in plainly(page)
    for name, value in zip(earlier_page.CELLS, (138, 22, 12, 228), strict=True):
        number(page, f"compare-earlier-{name}").set_value(value)
    page.run()
    above = population(file).scores["a"] >= 0.5
    k = above.sum() / (~above).sum()
    counts = Counts.of(138, 22, 12, 228)
    assert f"{optimal_ratio_from_counts(k, counts):.3g}" in plainly(page)
    table = page.table[-1].value
    truth, ahead = (
        [float(end) for end in re.findall(r"[\d.]+", table.iloc[0, place].replace("\\", ""))]
        for place in (2, 3)
    )
    assert ahead[0] < truth[0] < 86 < truth[1] < ahead[1]
    plan = goes_on(page, data_folder)
    assert (plan.design, plan.promise) == ("oversampling", "fixed")
    assert dict(plan.params) == {"prior_counts": (138, 22, 12, 228)}


@pytest.mark.full
def test_recycling(opened: Callable, file: Path, data_folder: Path) -> None:
    page = opened(RECYCLING)
    number(page, "compare-draws").set_value(150).run()
    found = population(file)
    a, b = (found.predictions[name] == found.classes.index("yes") for name in "ab")
    page.selectbox[-1].set_value("b").run()
    share = savings(150, 150, (a & b).sum() / b.sum(), (a & b).sum() / a.sum())
    row = page.dataframe[-1].value.iloc[0]
    assert row["Classifier"] == "a"
    assert row["Draws saved"] == pytest.approx(share.mean_share)
    assert row["From"] == share.quantile(0.025) / 150 and row["To"] == share.quantile(0.975) / 150
    params = {"parent": "b", "children": ["a"], "sample_size": 150}
    ahead = lc.preview(found, lc.Plan("recycling", "precision", classifier="b", params=params))
    assert f"About {ahead.labels:,} labels for all 2 classifiers" in plainly(page)
    plan = goes_on(page, data_folder)
    assert plan.design == "recycling" and plan.classifiers == ("b", "a")
    assert {**plan.params} == {**params, "children": ("a",)} and plan.estimands == ("precision",)


def test_choice(opened: Callable, data_folder: Path) -> None:
    page = opened(CHOICE)
    typed = next(one for one in page.text_input if (one.key or "").startswith("compare-sizes"))
    assert typed.value == "50, 100, 200, 400"
    typed.set_value("100, 300").run()
    assert page.dataframe[-1].value["items called positive"].tolist() == ["100", "300"]
    smallest = smallest_budget(2, 0.05, 0.9, 0.1, 0.1)
    together = label_bound(2, smallest, 0.05, 0.9, 0.1, 0.1, size_ratio=3)
    assert numbers(page, "draws")[2:] == [smallest, together, smallest]
    assert "At most 300 labels" in plainly(page)
    plan = goes_on(page, data_folder)
    assert (plan.design, plan.budget) == ("reach_selection", 300)
    assert plan.params["candidates"] == (100, 300)


def test_a_choice_between_classifiers(opened: Callable) -> None:
    page = opened(CHOICE)
    way = next(c for c in page.segmented_control if c.label == "What is there to choose from?")
    way.set_value("Classifiers").run()
    assert page.dataframe[-1].value["candidate"].tolist() == ["a", "b"]
    page.multiselect[-1].set_value(["a"]).run()
    assert "Choose at least two candidates" in page.info[-1].value


@pytest.mark.parametrize("planner", [STRATA, CURVE])
def test_what_was_cancelled_is_no_error(
    opened: Callable, planner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cancelled(*_: Any, **__: Any) -> None:
        raise CancelledError("said where it was waited for")

    monkeypatch.setattr(waiting, "worked_out", cancelled)
    page = opened(planner)
    assert page.segmented_control and not page.error


def test_curve(opened: Callable, file: Path, data_folder: Path) -> None:
    page = opened(CURVE)
    number(page, "compare-window").set_value(1).run()
    assert "factor must be above 2.0000 with window = 1, got 1.2" in page.error[0].value
    number(page, "compare-window").set_value(100)
    number(page, "compare-half").set_value(12.0).run()
    needed = labels_needed(ITEMS, epsilon=epsilon_for(1.2, 100))
    plan = lc.Plan("geometric_strata", "precision_curve", classifier="a", margin=0.12,
                   promise="fixed")  # fmt: skip
    wanted = [lc.preview(population(file), plan).labels, needed.paula, needed.fixed, needed.random]
    assert numbers(page, "labels") == wanted
    page.segmented_control(key="compare-from").set_value("Epsilon").run()
    page.segmented_control(key="compare-goes-on").set_value("PAULA").run()
    plan = goes_on(page, data_folder)
    assert plan.design == "paula" and plan.design_params.epsilon == 0.03


@pytest.mark.parametrize(
    ("planner", "wrong"),
    sampled(
        [
            (
                OVERSAMPLING,
                {"compare-precision": 0.0, "compare-margin": 60.0, "compare-recall": 1.0},
            ),
            (RECYCLING, {"compare-draws": 0}),
            (CHOICE, {"compare-wanted": 101.0, "compare-slack": 95.0, "compare-budget": 0}),
            (CURVE, {"compare-factor": 1.0, "compare-window": 0, "compare-least": 0.0}),
        ],
        1,
        seed=1,
    ),
)
def test_what_is_wrong_gets_a_sentence(
    opened: Callable, planner: str, wrong: dict[str, float]
) -> None:
    page = opened(planner)
    for key, value in wrong.items():
        kept = number(page, key).value
        number(page, key).set_value(value).run()
        assert len(page.error) == 1, key
        assert "needed" in page.error[0].value or "must" in page.error[0].value, key
        assert not [one for one in page.button if (one.key or "").startswith("compare-use")]
        number(page, key).set_value(kept).run()
        assert not page.error


def test_sizes_that_are_wrong_get_a_sentence(opened: Callable) -> None:
    page = opened(CHOICE)
    for typed, told in (
        ("50, many", "whole numbers"),
        ("50; 5000", "may name a top n from 1 to the 1,200 items"),
        ("50, 50", "names one twice"),
    ):
        field = next(one for one in page.text_input if (one.key or "").startswith("compare-sizes"))
        field.set_value(typed).run()
        assert told in plainly(page) and "params" not in plainly(page)


def test_file_and_threshold_are_shared_with_new_project(
    opened: Callable, data_folder: Path
) -> None:
    write(data_folder / "one.csv", prediction=False)
    page = opened(RECYCLING, name="one.csv")
    page.slider[0].set_value(0.8).run()
    line = next(text.value for text in page.text if "would be called" in text.value)
    assert "this file has 1" in plainly(page)
    page.switch_page("pages/new_project.py").run()
    to_aim(page, "Is it so?", ACCURACY.title)
    assert line in texts(page)
    links = [one.proto.label for one in page.main.get("page_link")]
    assert "The papers' own pictures" in links
    page.switch_page("pages/method.py")
    page.query_params["page"] = "compare"
    page.run()
    assert line in texts(page) and page.segmented_control(key="compare-planner").value == RECYCLING


def test_several_classes_and_no_classifier(opened: Callable, data_folder: Path) -> None:
    rows = "".join(f"{n},text {n},{n % 50 / 50},{'abc'[n % 3]}\n" for n in range(150))
    (data_folder / "many.csv").write_text(f"id,text,score,prediction\n{rows}", "utf-8")
    page = opened(STRATA, name="many.csv")
    assert "The best here are" in plainly(page)
    for planner in (OVERSAMPLING, RECYCLING, CHOICE, CURVE):
        page.segmented_control(key="compare-planner").set_value(planner).run()
        assert "two classes, one of them positive; the file has 3" in page.info[-1].value
    rows = "".join(f"{n},text {n}\n" for n in range(100))
    (data_folder / "bare.csv").write_text(f"id,text\n{rows}", "utf-8")
    page.button(key="new-another").click().run()
    page.text_input(key="new-typed").set_value("bare.csv").run()
    assert "nothing to compare" in page.info[-1].value


def test_names_from_the_file_do_nothing(opened: Callable, data_folder: Path) -> None:
    write(data_folder / "bad.csv", second=HOSTILE.replace(",", ""))
    page = opened(RECYCLING, name="bad.csv")
    for planner in (RECYCLING, CHOICE):
        page.segmented_control(key="compare-planner").set_value(planner).run()
        shown = [
            one.value
            for kind in ("markdown", "caption", "error", "info")
            for one in getattr(page, kind)
        ]
        assert not any("<img" in value or ":red[x]" in value for value in shown)
