"""The table of figures: what is asked, what is a first guess, and groups of any column."""

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binom

import labelcore as lc
from labelcore.figures.arithmetic import arithmetic
from labelcore.figures.differences import _correlation, labels_to_decide, mover
from labelcore.planning.truth import true_codes
from labelcore.promises import UNSURE
from labelcore.results.cells import COLUMNS, Table
from labelcore.tallies import Tally
from labelcore.testing.known import NOISE
from tests.answering import answer_draws
from tests.columns import items
from tests.grouped import grouped, grouped_frame, label_all

ASKED = ("accuracy", "precision")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return grouped_frame(3_000, shares=(0.5, 0.3, 0.15, 0.05))


@pytest.fixture(scope="module")
def population(frame: pd.DataFrame) -> lc.Population:
    return grouped(frame)


def labelled(population: lc.Population, frame: pd.DataFrame, **values: object) -> lc.Session:
    given = {"classifier": "m", "budget": 300, "promise": "fixed", "seed": 4, **values}
    session = lc.Session(population, lc.Plan("recalibrated_neyman", ASKED, **given))  # type: ignore[arg-type]
    label_all(session, frame)
    return session


@pytest.fixture(scope="module")
def by_language(population: lc.Population, frame: pd.DataFrame) -> lc.Session:
    return labelled(population, frame, by="language")


def test_what_was_certain_of_a_group_rests_on_its_own_known_answers() -> None:
    items = pd.DataFrame({"text": "item", "said": ["yes", "no"] * 60, "group": [*"aab"] * 40})
    items["known"] = ["yes" if place < 60 else None for place in range(120)]
    population = lc.read_population(
        items, content="text", predictions={"m": "said"}, known="known", groups="group",
        name="items.csv",
    )  # fmt: skip
    plan = lc.Plan("simple_random", "accuracy", budget=20, existing="certainty")
    table = lc.Session(population, plan).table(by="group")
    for group in "ab":
        mine = items[items["group"] == group]
        known = mine["known"].notna()
        right = (mine["said"] == mine["known"]).sum()
        certain = table.cell("m", "accuracy", group).estimate.possible
        most = (right + (~known).sum()) / len(mine)
        assert (certain.low, certain.high) == pytest.approx((right / len(mine), most))


def test_a_table_shows_its_size_and_its_first_cells(by_language: lc.Session) -> None:
    table = by_language.table()
    first, *rest = repr(table).splitlines()
    assert (
        first == f"<Table of {len(table.cells)} figures, 10 rows x accuracy, precision, recall, f1>"
    )
    columns, *cells = rest
    assert columns.split() == ["classifier", "group", "estimand", "value", "low", "high"]
    assert len(cells) == 5 and cells[0].split()[1:4:2] == ["m", "accuracy"]
    assert len(repr(table)) < 600


def test_a_table_has_a_picture_of_every_cell(by_language: lc.Session) -> None:
    table = by_language.table()
    lines = [one for one in table.figure().data if len(one.x) > 1]
    ends = {(round(min(one.x), 9), round(max(one.x), 9)) for one in lines}
    held = [one.estimate for one in table.cells if one.estimate.has_interval]
    assert ends == {(round(one.low, 9), round(one.high, 9)) for one in held}


def test_a_group_rests_on_its_own_labels(by_language: lc.Session, frame: pd.DataFrame) -> None:
    table = by_language.table()
    drawn = {event.item_id for event in by_language.events if event.kind == "labelled"}
    seen = frame[frame["id"].isin(drawn)].groupby("language").size()
    for name, group in table.rows:
        found = table.cell(name, "accuracy", group).estimate
        assert found.labels_used == (300 if group is None else seen[group])
        assert found.scope.n_items == (frame["language"] == group).sum() if group else 3_000


def test_a_census_tells_each_group_exactly(population: lc.Population, frame: pd.DataFrame) -> None:
    small = frame.iloc[:80]
    session = labelled(grouped(small), small, budget=80)
    called = small["score"] >= 0.5
    for group, mine in small.groupby("language"):
        found = session.table("language").cell("m", "accuracy", str(group)).estimate
        right = float((called[mine.index] == (mine["truth"] == 1)).mean())
        assert found.low == found.value == found.high == pytest.approx(right, abs=1e-12)


def test_all_items_have_the_same_interval_in_every_table(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    plain = labelled(population, frame)
    alone, cut = plain.table(), plain.table("language")
    told = [one for one in cut.cells if one.row[1] is None]
    assert any(not one.asked for one in told) and len(told) == len(alone.cells)
    for one in told:
        same = alone.cell(one.row[0], one.figure).estimate
        assert (one.estimate.low, one.estimate.high) == (same.low, same.high), one.figure


def test_a_column_that_was_not_asked_is_a_first_guess(
    population: lc.Population, frame: pd.DataFrame, by_language: lc.Session
) -> None:
    plain = labelled(population, frame)
    guess = plain.table("language")
    assert not any(one.asked for one in guess.cells if one.row[1] is not None)
    assert all(one.asked for one in guess.cells if one.row == ("m", None) and one.figure in ASKED)
    asked = by_language.table()
    smallest = [one.cell("m", "accuracy", "l3").estimate for one in (guess, asked)]
    assert smallest[0].half_width > 1.3 * smallest[1].half_width


def test_groups_in_which_a_classifier_says_one_thing_are_told_by_their_own_labels() -> None:
    called = np.repeat([True, False, True], 40)
    group = np.repeat(["a", "b", "c"], 40)
    said = {"m": np.where(called, "yes", "no")}
    population = items(predictions=said, groups={"group": group})
    session = lc.Session(population, lc.Plan("simple_random", "prevalence", budget=60, seed=3))
    right = []
    while (draw := session.next()) is not None:
        place = int(draw.item_id[1:])
        right.append((group[place], place % 4 > 0))
        session.answer(draw, bool(called[place]) == right[-1][1])
    shares = pd.DataFrame(right, columns=["group", "right"]).groupby("group")["right"].mean()
    table = session.table(by="group")
    for group, share in shares.items():
        assert table.cell("m", "accuracy", str(group)).estimate.value == pytest.approx(share)
    nothing = table.cell("m", "precision", "b").estimate
    assert (nothing.value, nothing.low, nothing.high) == (None, 0, 1)
    assert "whatever is labelled" in nothing.sentence()


def test_all_cells_at_once_are_wider(by_language: lc.Session) -> None:
    each, together = by_language.table(), by_language.table(together=True)
    assert together.together and not each.together
    for one, other in zip(each.cells, together.cells, strict=True):
        assert other.estimate.half_width >= one.estimate.half_width - 1e-12
    ratio = [
        other.estimate.half_width / one.estimate.half_width
        for one, other in zip(each.cells, together.cells, strict=True)
    ]
    assert 1.2 < np.median(ratio) < 2


def test_a_first_guess_says_how_surely_it_holds(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    of_each = labelled(population, frame).table()
    session = labelled(population, frame, together=True)
    table = session.table()
    recall = table.cell("m", "recall").estimate
    ends = of_each.cell("m", "recall").estimate.interval
    assert (recall.low, recall.high) == pytest.approx((ends.low, ends.high), abs=0.02)
    assert "95 % confidence, " in recall.sentence()
    asked = table.cell("m", "accuracy").estimate
    assert "95 % confidence for all 2 numbers together" in asked.sentence()
    assert "95 % sure all that are asked together;" in table.sentence()
    whole = session.table(together=True)
    every = f"95 % confidence for all {len(whole.cells)} numbers together"
    assert all(every in cell.estimate.sentence() for cell in whole.cells)
    assert "95 % sure all together;" in whole.sentence()


def test_a_table_says_how_surely_and_what_is_widest(by_language: lc.Session) -> None:
    table = by_language.table()
    assert isinstance(table, Table)
    widest = table.widest()
    assert widest is not None
    said = table.sentence()
    assert said.startswith(
        "10 figures asked, 30 first guesses, 95 % sure each; the widest that is "
    )
    assert f"language '{widest.row[1]}'" in said
    found = table.to_frame()
    assert tuple(found.columns) == COLUMNS and len(found) == len(table.cells) == 40
    assert (found["by"] == "language").equals(found["group"].notna())
    assert "<table" in table._repr_html_() and table.to_dict()["cells"][0]["classifier"] == "m"


def test_a_group_is_named_in_its_sentence(by_language: lc.Session) -> None:
    said = by_language.estimate("accuracy[language=l1]").sentence()
    assert said.startswith("For the 900 items in items.csv with language 'l1', accuracy (")


@pytest.mark.parametrize(("by", "message"), [("score", "by names 'score'"), ("l", "by names 'l'")])
def test_a_column_that_is_none_of_groups_is_refused(
    by_language: lc.Session, by: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        by_language.table(by)


RUNS = 150


def _covered(population: lc.Population, frame: pd.DataFrame) -> pd.Series:
    plan = lc.Plan(
        "recalibrated_neyman", ASKED, classifier="m", budget=300, promise="fixed", by="language"
    )
    found = lc.simulate(population, plan, truth=frame.set_index("id")["truth"], runs=RUNS, seed=7)
    return found.table().groupby("estimand")["covered"].sum()


def _pooled(found: Tally) -> Tally:
    """As if the labels of a group were a plain sample of it: strata without their sizes."""
    labelled = found.counts.sum(axis=1)
    if labelled.sum():
        found.size = np.maximum(labelled / labelled.sum() * found.size.sum(), labelled)
    return found


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("broken", [False, True])
def test_intervals_of_groups_hold(
    broken: bool, population: lc.Population, frame: pd.DataFrame, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin takes labels of a group without the sizes of its strata."""
    assert (true_codes(population, frame.set_index("id")["truth"]) == frame["truth"]).all()
    if broken:
        whole = Tally.of_group
        monkeypatch.setattr(Tally, "of_group", lambda self, group: _pooled(whole(self, group)))
    covered = _covered(population, frame)
    of_groups = covered[covered.index.str.contains("language=")]
    least = binom.ppf(NOISE / len(of_groups), RUNS, 0.95)
    assert len(of_groups) == 8 and (of_groups.min() < least) == broken


def test_differences_of_groups_are_made_of_both_ends(by_language: lc.Session) -> None:
    pairs = by_language.differences("language")
    assert len(pairs) == 6 and {*pairs["promise"]} == {"fixed"}
    table = by_language.table()
    for row in pairs.to_dict("records"):
        a, b = (table.cell("m", "accuracy", row[side]).estimate for side in ("a", "b"))
        assert row["value"] == pytest.approx(a.value - b.value, abs=1e-12)  # type: ignore[operator]
        _, low, high = mover((a.value, a.low, a.high), (b.value, b.low, b.high))  # type: ignore[arg-type]
        assert row["low"] <= low and row["high"] >= high, "all of them at once are wider"
    rest = by_language.differences("language", rest=True)
    assert [*rest["b"]] == ["the rest"] * 4


def test_items_that_count_both_ways_widen_the_ends_they_may_move() -> None:
    a, b = (0.9, 0.8, 0.95), (0.7, 0.6, 0.8)
    value, low, high = mover(a, b)
    wider = mover((*a, 0.01, 0.02), (*b, 0.03, 0.04))
    assert wider == pytest.approx((value, low - 0.05, high + 0.05))


def test_a_figure_without_variance_goes_along_with_none_and_a_pair_may_be_turned_round() -> None:
    """Else two ends that are sure would be taken for ones that move together."""
    covariance, one, none = np.eye(2), np.array([1.0, 0.0]), np.zeros(2)
    assert [_correlation(covariance, one, other) for other in (one, -one, none)] == [1, -1, 0]
    row = {"ahead": "", "value": 0.1, "low": -0.1, "high": 0.25}
    turned = {"ahead": "", "value": -0.1, "low": -0.25, "high": 0.1}
    assert [labels_to_decide(each, 100, 1e9) for each in (row, turned)] == [300, 300]


def hardly_judged(session: lc.Session, frame: pd.DataFrame, seed: int) -> None:
    """Answer by the truth; of the items of l1 that are called positive four in five are unsure."""
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    hard = dict(
        zip(frame["id"], (frame["language"] == "l1") & (frame["score"] >= 0.5), strict=True)
    )
    random = np.random.default_rng(seed)
    while (draw := session.next()) is not None:
        unsure = hard[draw.item_id] and random.random() < 0.8
        session.answer(draw, "unsure" if unsure else bool(truth[draw.item_id]))


@pytest.mark.parametrize("unsure", UNSURE)
def test_differences_take_unsure_items_for_what_the_figures_beside_them_do(
    population: lc.Population, frame: pd.DataFrame, unsure: str
) -> None:
    """Seed 4, 300 labels, the unsure ones by seed 1."""
    asked = ("accuracy", "accuracy_difference")
    given = {"classifier": ("m", "n"), "budget": 300, "promise": "fixed", "seed": 4}
    plan = lc.Plan("recalibrated_neyman", asked, unsure=unsure, **given)  # type: ignore[arg-type]
    session = lc.Session(population, plan)
    hardly_judged(session, frame, seed=1)
    (row,) = session.differences().to_dict("records")
    own = session.results()["accuracy_difference"]
    assert isinstance(own, lc.Estimate)
    assert [row["value"], row["low"], row["high"]] == pytest.approx([own.value, own.low, own.high])
    table = session.table("language")
    for pair in session.differences("language").to_dict("records"):
        a, b = (table.cell("m", "accuracy", pair[side]).estimate for side in ("a", "b"))
        assert pair["value"] == pytest.approx(a.value - b.value, abs=1e-9)  # type: ignore[operator]
        if unsure == "either way" and "l1" in (pair["a"], pair["b"]):
            doubt = max(a.high - a.low, b.high - b.low)
            assert pair["high"] - pair["low"] >= doubt, "what is open is open in the difference"


def test_differences_of_classifiers_come_from_the_same_labels(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    session = labelled(population, frame, classifier=("m", "n"))
    (row,) = session.differences().to_dict("records")
    a, b = (session.table().cell(name, "accuracy").estimate for name in ("m", "n"))
    apart = mover((a.value, a.low, a.high), (b.value, b.low, b.high))  # type: ignore[arg-type]
    assert row["high"] - row["low"] < apart[2] - apart[1], "what both say alike cancels"


@pytest.mark.parametrize("promise", ["watched", "fixed"])
def test_differences_of_classifiers_are_those_of_a_plain_random_sample(
    population: lc.Population, frame: pd.DataFrame, promise: str
) -> None:
    plan = lc.Plan(
        "simple_random", "accuracy", classifier=("m", "n"), budget=200, promise=promise, seed=3
    )
    session = lc.Session(population, plan)
    label_all(session, frame)
    table = session.table()
    for estimand in ("accuracy", "precision", "recall", "f1"):
        (row,) = session.differences(estimand=estimand).to_dict("records")
        a, b = (table.cell(name, estimand).estimate.value for name in ("m", "n"))
        assert a is not None and b is not None
        assert row["value"] == pytest.approx(a - b, abs=0.04)
        assert row["low"] <= row["value"] <= row["high"]


@pytest.mark.parametrize(
    ("design", "params"),
    [("simple_random", {"interval": "sequence"}), ("stratified", {})],
)  # fmt: skip
def test_a_method_for_one_classifier_at_a_time_tells_no_differences(
    population: lc.Population, design: str, params: dict[str, str]
) -> None:
    plan = lc.Plan(design, "accuracy", classifier=("m", "n"), budget=60, params=params)
    session = lc.Session(population, plan)
    with pytest.raises(ValueError, match="tells no differences of classifiers"):
        session.differences()


@pytest.mark.parametrize(("design", "seed"), [("simple_random", 0), ("recalibrated_neyman", 0)])
def test_groups_of_which_nothing_is_known_are_told_so_and_stand_last(
    design: str, seed: int
) -> None:
    groups = [*"ab" * 40, *"cc"]
    population = items(predictions={"m": ["yes"] * 82}, groups={"group": groups})
    session = lc.Session(population, lc.Plan(design, "accuracy", budget=30, seed=seed))
    labels = {"c": 0}
    while (draw := session.next()) is not None:
        group = groups[int(draw.item_id[1:])]
        labels[group] = labels.get(group, 0) + 1
        session.answer(draw, group == "b")
    assert not labels["c"], "no label of this group"
    unknown = session.table(by="group").cell("m", "accuracy", "c").estimate
    assert (unknown.value, unknown.low, unknown.high) == (None, 0, 1)
    assert not unknown.has_interval
    pairs = session.differences("group").set_index(["a", "b"])
    assert np.isfinite(pairs[["low", "high"]].to_numpy()).all()
    for pair, row in pairs.iterrows():
        assert ("c" in pair) == np.isnan(row["value"])
        assert ("c" not in pair) or row["high"] - row["low"] >= 1
    assert session.ranking("group")["name"].tolist() == ["b", "a", "c"]


def test_places_follow_from_sure_differences(by_language: lc.Session) -> None:
    places, pairs = by_language.ranking("language"), by_language.differences("language")
    sure = int((pairs["ahead"] != "").sum())
    assert (places["place_from"] - 1).sum() == sure == (4 - places["place_to"]).sum()


def test_before_the_planned_size_of_a_fixed_promise_nothing_is_ahead(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    plan = lc.Plan("recalibrated_neyman", ASKED, classifier="m", budget=300, promise="fixed")
    session = lc.Session(population, plan)
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    answer_draws(session, lambda draw: truth[draw.item_id], 100)
    found = session.differences("language", "precision")
    assert {*found["promise"]} == {"none"} and {*found["ahead"]} == {""}


@pytest.mark.parametrize(
    ("by", "estimand", "message"),
    [
        (None, "accuracy", "differences need two classifiers that the plan asks about"),
        ("language", "acuracy", "estimand must be one of .*did you mean 'accuracy'"),
        (None, "prevalence", "estimand must be one of accuracy, precision, recall, f1"),
    ],
)  # fmt: skip
def test_what_has_no_difference_is_refused(
    by_language: lc.Session, by: str | None, estimand: str, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        by_language.differences(by, estimand)


def test_groups_of_a_file_with_several_classes_differ_in_accuracy_alone() -> None:
    population = items(predictions={"m": [*"abc"] * 20}, groups={"group": [*"xy"] * 30})
    session = lc.Session(population, lc.Plan("recalibrated_neyman", "accuracy", budget=30))
    assert len(session.differences("group")) == 1
    with pytest.raises(ValueError, match="must be one of accuracy to compare groups of a file"):
        session.differences("group", "recall")


def test_the_arithmetic_of_a_cell_is_its_value() -> None:
    """What the strata add to numerator and denominator is the figure; the twin sums labels as they
    are, without the sizes of the strata."""
    frame = grouped_frame(1_000, shares=(0.6, 0.3, 0.1))
    plan = lc.Plan("recalibrated_neyman", "accuracy", classifier="m", budget=80, by="language")
    session = lc.Session(grouped(frame), plan)
    label_all(session, frame)
    twins = []
    for cell in session.table().cells:
        if cell.row[0] != "m":
            continue
        found, value = arithmetic(session.engine, ("language",), cell), cell.estimate.value
        assert found.above / found.below == pytest.approx(value, abs=1e-12)
        assert found.parts["items"].sum() == cell.estimate.scope.n_items
        assert found.parts["labels"].sum() == cell.estimate.labels_used
        parts = found.parts[found.parts["labels"] > 0]
        plain = (parts["above"] / parts["items"] * parts["labels"]).sum() / parts["labels"].sum()
        twins.append(plain == pytest.approx(value, abs=1e-12))
        assert (found.more is not None) == cell.asked
    assert not all(twins)


def test_more_labels_go_to_the_group_that_is_named_and_hold_what_their_price_said() -> None:
    frame = grouped_frame(4_000, shares=(0.5, 0.3, 0.2))
    plan = lc.Plan("recalibrated_neyman", "accuracy", classifier="m", budget=120, by="language")
    session = lc.Session(grouped(frame), plan)
    label_all(session, frame)
    cell = session.table().cell("m", "accuracy", "l1")
    price = arithmetic(session.engine, ("language",), cell)
    assert price.kept and price.more and price.half_width
    before = len(session.engine.asked)
    session.extend(budget=before + price.more, estimand="accuracy", group="l1")
    assert session.engine.directed("l1") == price.more and session.engine.directed("l0") == 0
    label_all(session, frame)
    new = session.engine.drawn_positions[before:]
    groups = session.engine.setup.groups
    assert groups is not None and len(new) == price.more
    assert {groups.names[code] for code in groups.codes[new].tolist()} == {"l1"}
    now = session.results()["accuracy[language=l1]"]
    assert now.half_width == pytest.approx(price.half_width, rel=0.15)
    assert now.half_width < cell.estimate.half_width
    with pytest.raises(ValueError, match="group must be one that the plan asks for: l0, l1, l2"):
        session.extend(budget=before + price.more + 5, group="l9")


def test_after_an_early_end_all_labels_more_go_to_the_group_that_is_named() -> None:
    frame = grouped_frame(1_000, shares=(0.6, 0.4))
    plan = lc.Plan("recalibrated_neyman", "accuracy", classifier="m", budget=120, by="language")
    session = lc.Session(grouped(frame), plan)
    session.finish("too early")
    session.extend(budget=40, group="l1")
    assert session.engine.directed("l1") == 40
    asked = {draw.item_id for draw in session.take(40)}
    language = frame.set_index("id")["language"]
    assert len(asked) == 40 and {*language[[*asked]]} == {"l1"}
    session.extend(budget=80)
    later = {draw.item_id for draw in session.take(80)} - asked
    assert len(later) == 40 and {*language[[*later]]} == {"l0", "l1"}, "those are for all again"
