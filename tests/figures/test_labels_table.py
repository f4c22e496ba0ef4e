"""The table of labels: what is in it, and that its weights make the file's figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs.scalars import ComparesTwo, EstimatesFromCells
from labelcore.errors import ChangedTextError
from labelcore.figures.labels_table import label_weights
from labelcore.log.engine import Engine
from labelcore.testing.known import Known, calibrated, write
from labelcore.testing.known import labelled as run_out
from tests.answering import answer_draws, next_draw
from tests.cases import once
from tests.columns import items
from tests.designs.synthetic import standard_errors

COLUMNS = ["id", "answer", "status", "annotator", "time", "seconds", "stratum", "weight"]
SAID = ["score_lr", "prediction_lr", "notes", "flagged", "cause"]
FROM_CELLS = [
    (name, str(promise))
    for name, one in lc.DESIGNS.items()
    if isinstance(one, EstimatesFromCells) and not isinstance(one, ComparesTwo)
    for promise in one.promises_for(("precision", "recall"), one.Params())
]
known = once(calibrated, 300, seed=11)


def labelled(known: Known, plan: lc.Plan, **given: object) -> lc.Session:
    session = lc.Session(known.population, plan, **given)  # type: ignore[arg-type]
    answer_draws(session, known)
    return session


def share(table: pd.DataFrame, of: pd.Series, among: pd.Series) -> float:
    return float((table["weight"] * (of & among)).sum() / (table["weight"] * among).sum())


def test_a_row_for_each_item_judged_says_what_happened(known: Known) -> None:
    session = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], budget=6))
    for said in ("yes", "unsure", "later", "broken", "no", "no"):
        draw = next_draw(session, "ann")
        session.answer(draw, said)
    session.undo("ann")
    session.revise(1, "no", "changed", annotator="ben")
    session.note(5, "odd")
    session.flag(5)
    found = session.labels_table()
    assert list(found.columns) == COLUMNS + SAID
    assert found["status"].tolist() == ["labelled", "unsure", "later", "broken", "labelled"]
    assert found["answer"].fillna("").tolist() == ["no", "", "", "", "no"]
    assert found["annotator"].tolist() == ["ben", "ann", "ann", "ann", "ann"]
    assert found["seconds"].isna().tolist() == [True, False, False, False, False]
    assert (found["seconds"].dropna() >= 0).all() and str(found["time"].dt.tz) == "UTC"
    assert found["weight"].isna().tolist() == [False, True, True, True, False]
    assert found["notes"].tolist() == ["", "", "", "", "odd"]
    assert found["flagged"].tolist() == [False, False, False, False, True]
    for row in found.to_dict("records"):
        position = known.population.position(row["id"])
        assert row["score_lr"] == known.population.scores["lr"][position]
        assert row["prediction_lr"] == ("yes" if row["score_lr"] >= 0.5 else "no")


def test_before_the_first_answer_it_is_empty_and_typed(known: Known) -> None:
    empty = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], budget=6))
    found = empty.labels_table()
    assert list(found.columns) == COLUMNS + SAID and len(found) == 0
    assert found["weight"].dtype == float and found["flagged"].dtype == bool


def test_the_content_comes_where_it_is_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("id,text,answer\na,one,x\nb,two,y\nc,three,z\n", "utf-8")
    population = lc.read_population(path, id="id", content=["text", "answer"])
    session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=2))
    answer_draws(session, "yes")
    found = session.labels_table(content=True).set_index("id")
    texts = {"a": ("one", "x"), "b": ("two", "y"), "c": ("three", "z")}
    for name, row in found.iterrows():
        assert (row["text"], row["content_answer"]) == texts[str(name)]
        assert row["answer"] == "yes"
    assert not {"text", "content_answer"} & set(session.labels_table().columns)
    session.state.texts[str(found.index[0])] = "another"
    with pytest.raises(ChangedTextError, match="is not the one that was drawn"):
        session.labels_table(content=True)


@pytest.mark.parametrize(("name", "promise"), FROM_CELLS)
def test_weighted_shares_are_the_plans_own_figures(name: str, promise: str, known: Known) -> None:
    plan = lc.Plan(name, ["precision", "recall"], budget=90, promise=promise, seed=5)
    session = labelled(known, plan)
    table, results = session.labels_table(), session.results()
    assert table["weight"].sum() == pytest.approx(300)
    truth, said = table["answer"] == "yes", table["prediction_lr"] == "yes"
    assert share(table, truth, said) == pytest.approx(results["precision"].value, abs=1e-12)
    assert share(table, said, truth) == pytest.approx(results["recall"].value, abs=1e-12)
    confusion = session.confusion()
    assert confusion.loc["yes", "yes"] == pytest.approx(table["weight"][truth & said].sum())


def test_weighted_shares_are_the_plans_own_figures_where_people_are_unsure(known: Known) -> None:
    """The twin weighted by items of the file: its shares were those of no figure that is told."""
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=90, seed=5)
    session = lc.Session(known.population, plan)
    classes, position = ("no", "yes"), known.population.position

    def said_of(draw: lc.Draw) -> str:
        return classes[known.truth[position(draw.item_id)]] if draw.index % 6 else "unsure"

    answer_draws(session, said_of)
    table, results = session.labels_table(), session.results()
    truth, said = table["answer"] == "yes", table["prediction_lr"] == "yes"
    assert share(table, truth, said) == pytest.approx(results["precision"].value, abs=1e-12)
    assert share(table, said, truth) == pytest.approx(results["recall"].value, abs=1e-12)
    assert 200 < table["weight"].sum() < 290


def test_unweighted_shares_are_not(known: Known) -> None:
    """The mistake that the weights are there against."""
    session = labelled(known, lc.Plan("recalibrated_neyman", ["recall"], budget=150, seed=5))
    table = session.labels_table()
    truth, said = table["answer"] == "yes", table["prediction_lr"] == "yes"
    wrong = (truth & said).sum() / truth.sum()
    assert abs(wrong - session.results()["recall"].value) > 0.02


def test_a_part_without_a_label_has_nobody_to_stand_for_it(tmp_path: Path) -> None:
    said = np.array([1] * 10 + [0] * 40)
    known = write(tmp_path, said.copy(), prediction=said)
    session = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], budget=40))
    while known.population.predictions["lr"][known.population.position(session.next().item_id)]:  # type: ignore[union-attr]
        session.answer(session.next(), "yes")  # type: ignore[arg-type]
    session.answer(session.next(), "no")  # type: ignore[arg-type]
    table = session.labels_table()
    assert table.attrs["weight"].endswith("those of the sample.")
    sides = table.groupby("prediction_lr")["weight"].sum()
    assert sides["no"] == 40
    assert sides.sum() == 50 - session.confusion().iloc[:, -1].sum()


def test_where_a_plan_does_not_ask_nobody_stands_for_the_items(known: Known) -> None:
    session = labelled(known, lc.Plan("recalibrated_neyman", ["precision"], budget=60, seed=5))
    table = session.labels_table()
    assert set(table["prediction_lr"]) == {"yes"}
    yes = int((known.population.predictions["lr"] == 1).sum())
    assert table["weight"].sum() == pytest.approx(yes)
    left_out = f" No label stands for {300 - yes} items, in parts of strata that have none: w"
    assert left_out in table.attrs["weight"]


def bias(
    known: Known, weights: Callable[[Engine, np.ndarray], np.ndarray], runs: int = 40
) -> float:
    """The mean error of the prevalence over seeds, in standard errors."""
    plan = lc.Plan("geometric_strata", ["precision_curve"], budget=110)
    found = []
    for seed in range(runs):
        engine = run_out(known.engine(plan, seed), known.truth)
        labelled = engine.codes.labelled
        weight, positive = weights(engine, labelled), engine.codes[labelled] == 1
        found.append(np.nansum(weight * positive) / np.nansum(weight))
    return abs(standard_errors(np.array(found) - known.truth.mean()))


def equal_weights(engine: Engine, positions: np.ndarray) -> np.ndarray:
    return np.ones(len(positions))


def test_weights_of_a_ranked_list_are_unbiased_and_equal_ones_are_not(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    """40 seeds; correct weights are beyond 4.4 standard errors less than once in 10,000 times."""
    known = calibrated(tmp_path_factory.mktemp("list"), 200, seed=4)
    assert bias(known, label_weights) < 4.4
    assert bias(known, equal_weights) > 8.8


@pytest.mark.parametrize("name", ["paula", "reach_selection"])
def test_a_method_without_weights_leaves_them_missing(name: str, known: Known) -> None:
    plans = {
        "paula": lc.Plan("paula", ["precision_curve"], params={"window": 5, "epsilon": 0.5}),
        "reach_selection": lc.Plan("reach_selection", ["selection"],
            params={"candidates": [20, 60], "precision_threshold": 0.5}, budget=40),
    }  # fmt: skip
    table = labelled(known, plans[name]).labels_table()
    assert len(table) >= 10 and table["weight"].isna().all()


def test_every_method_says_whether_it_has_weights() -> None:
    without = {name for name, one in lc.DESIGNS.items() if not one.has_weights}
    assert without == {"paula", "reach_selection"}


@pytest.mark.parametrize("existing", ["random", "certainty"])
def test_answers_from_before_are_rows_too(existing: str) -> None:
    rng = np.random.default_rng(8)
    score = np.round(rng.random(120), 4)
    truth = (rng.random(120) < score).astype(int)
    before = np.zeros(120, dtype=bool)
    before[rng.choice(120, 30, replace=False)] = True
    told = np.where(before, np.where(truth == 1, "yes", "no"), "")
    population = items(scores={"lr": score}, thresholds={"lr": 0.5}, known=told)
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=60, existing=existing)
    session = labelled(Known(population, truth), plan)
    table = session.labels_table()
    old = table["time"].isna()
    assert old.sum() == 30 and table["annotator"][old].isna().all()
    assert set(table["id"][old]) == {f"i{i}" for i in np.flatnonzero(before)}
    if existing == "certainty":
        assert (table["weight"][old] == 1).all() and table["stratum"][old].isna().all()
    assert table["weight"].sum() == pytest.approx(120)
    said = table["prediction_lr"] == "yes"
    own = session.results()["precision"].value
    assert share(table, table["answer"] == "yes", said) == pytest.approx(own)


def test_labels_of_a_second_stage_have_no_weight(known: Known) -> None:
    plan = lc.Plan("simple_random", ["accuracy"], budget=30, promise="fixed")
    session = labelled(known, plan)
    session.extend(budget=40)
    answer_draws(session, "yes")
    table = session.labels_table()
    assert len(table) == 40 and table["weight"].isna().sum() == 10
    assert table["weight"].sum() == pytest.approx(300)


def test_the_weight_of_a_plain_sample_varies_only_by_side(known: Known) -> None:
    table = labelled(known, lc.Plan("simple_random", ["accuracy"], budget=90)).labels_table()
    by_side = table.groupby("prediction_lr")["weight"].nunique()
    assert by_side.tolist() == [1, 1]


def test_strata_are_numbered_as_in_the_table_of_strata(known: Known) -> None:
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=90, seed=2)
    session = labelled(known, plan)
    strata = session.strata()
    labels = session.labels_table()["stratum"].value_counts()
    expected = strata.set_index("stratum")["labels"]
    assert labels.to_dict() == expected[expected > 0].to_dict() and len(labels) > 3
