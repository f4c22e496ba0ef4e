"""What each figure of a plan costs, alone and beside the others."""

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.lists import LIST_DIFFERENCE
from labelcore.planning.outlook import Outlook
from labelcore.planning.prices import COLUMNS, _widths
from tests.columns import items
from tests.grouped import grouped, grouped_frame


@pytest.fixture(scope="module")
def population() -> lc.Population:
    return grouped(grouped_frame(3_000, shares=(0.5, 0.3, 0.2)))


def test_the_dearest_figure_sets_the_size(population: lc.Population) -> None:
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], classifier=("m", "n"), margin=0.06
    )
    ahead = lc.preview(population, plan)
    table = ahead.table
    assert tuple(table.columns) == COLUMNS and [*table["estimand"]] == [
        "precision", "recall", "precision@n", "recall@n"
    ]  # fmt: skip
    assert table["labels_shared"].max() == pytest.approx(ahead.planned, rel=0.02)
    assert (table["labels_alone"] < 1.05 * table["labels_shared"]).all()
    assert table["expected_half_width"].max() <= 0.06 + 1e-9
    one = lc.Plan("recalibrated_neyman", ["precision"], classifier="n", margin=0.06)
    assert table["labels_alone"][2] == lc.preview(population, one).planned


def test_of_groups_alone_is_the_group_as_a_file_of_its_own(population: lc.Population) -> None:
    plan = lc.Plan(
        "recalibrated_neyman", "accuracy", classifier="m", by="language", group_margin=0.2
    )
    table = lc.preview(population, plan).table
    assert [*table["group"]] == ["", "l0", "l1", "l2"]
    assert np.isnan(table["labels_alone"][0]), "no margin is asked of all items"
    mine = population.part(np.flatnonzero(population.groups["language"].codes == 1))
    alone = lc.preview(mine, lc.Plan("recalibrated_neyman", "accuracy", classifier="m", margin=0.2))
    assert table["labels_alone"][2] == alone.planned


def test_without_a_margin_there_is_no_price(population: lc.Population) -> None:
    plan = lc.Plan("recalibrated_neyman", "accuracy", classifier="m", budget=200)
    table = lc.preview(population, plan).table
    assert table[["labels_alone", "labels_shared"]].isna().all(axis=None)
    assert table["expected_half_width"][0] > 0
    claim = {"claims": ["accuracy >= 0.5"], "claim_form": "approximate"}
    plan = lc.Plan("recalibrated_neyman", "accuracy", classifier="m", margin=0.2, **claim)
    assert lc.preview(population, plan).table["labels_alone"][0] > 0


def test_a_figure_that_no_label_gives_has_no_price() -> None:
    said = {"m": [0] * 400, "n": [0, 1] * 200}
    file = items(predictions=said, groups={"of": [*"ab"] * 200})
    asked = ["precision", "accuracy"]
    ahead = lc.preview(file, lc.Plan("simple_random", asked, classifier="m", budget=100))
    assert [*ahead.expected_half_width] == ["accuracy"]
    assert np.isnan(ahead.table["expected_half_width"][0])
    none = "has no value, whatever is labelled: it rests on items of which the file has none."
    assert f"Precision {none}" in ahead.derived["notes"]
    by_group = lc.Plan("recalibrated_neyman", asked, classifier="n", by="of", budget=100)
    ahead = lc.preview(file, by_group)
    assert {*ahead.expected_half_width} == {
        "precision", "accuracy", "accuracy[of=a]", "precision[of=b]", "accuracy[of=b]"
    }  # fmt: skip
    assert f"Precision in a {none}" in ahead.derived["notes"]


def test_a_ranked_list_is_priced_by_its_widest_rank_and_each_number(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("labelcore.planning.prices.PRICED_SIZES", 4)
    rng = np.random.default_rng(0)
    a = rng.beta(0.5, 3, 200).round(3)
    file = items(scores={"a": a, "b": np.clip(a + rng.normal(0, 0.05, 200), 0, 1).round(3)})
    asked = ["average_precision", "area_under_roc"]
    plan = lc.Plan("geometric_strata", asked, classifier="a", margin=0.2)
    ahead = lc.preview(file, plan)
    assert [*ahead.table["estimand"]] == asked and (ahead.table["classifier"] == "a").all()
    assert ahead.table["expected_half_width"].max() == max(ahead.expected_half_width.values())
    assert ahead.table.notna().all(axis=None)
    one = lc.Plan("geometric_strata", asked[:1], classifier="a", margin=0.2)
    assert ahead.table["labels_alone"][0] == lc.preview(file, one).planned
    lists = lc.Plan("paired_lists", LIST_DIFFERENCE, classifier=["a", "b"], margin=0.2)
    table = lc.preview(file, lists).table
    assert [*table["estimand"]] == [LIST_DIFFERENCE] and table.notna().all(axis=None)
    assert np.isfinite(_widths(Outlook(file, lists))).all(axis=None)
    monkeypatch.delattr("labelcore.planning.prices._widths")
    budget = lc.Plan("paired_lists", LIST_DIFFERENCE, classifier=["a", "b"], budget=60)
    assert lc.preview(file, budget).table["expected_half_width"][0] > 0
