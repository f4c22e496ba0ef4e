"""How a judge stands to people, and systems told apart by their pass rates."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import cohen_kappa_score

import labelcore as lc
from labelcore.figures.confusion import cell_bounds
from labelcore.figures.judge import judge_table
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginnings, label_until
from tests.answering import answer_draws
from tests.grouped import label_all
from tests.judged import judged, judged_frame

TWO = {"alpha": 0.9, "beta": 0.4}
RUNS, LABELS, Z = 150, 200, 3.0
LEAST = 0.95 - Z * np.sqrt(0.95 * 0.05 / RUNS)


def plan_of(**values: object) -> lc.Plan:
    given = {"classifier": "judge", "promise": "fixed", "by": "model", "seed": 3, **values}
    return lc.Plan("recalibrated_neyman", ("prevalence", "accuracy"), **given)  # type: ignore[arg-type]


def true_measures(frame: pd.DataFrame) -> dict[str, float]:
    said, truth = frame["score"] >= 0.5, frame["truth"] == 1
    return {
        "judge's pass rate": said.mean(), "pass rate": truth.mean(),
        "bias": said.mean() - truth.mean(), "agreement": (said == truth).mean(),
        "kappa": cohen_kappa_score(said, truth), "true pass rate": said[truth].mean(),
        "false pass rate": said[~truth].mean(),
    }  # fmt: skip


def test_a_census_tells_the_judge_as_scikit_learn_does() -> None:
    frame = judged_frame(50, systems=TWO)
    session = lc.Session(judged(frame), plan_of(budget=100))
    label_all(session, frame)
    found = session.judge("model")
    for group in (None, *TWO):
        mine = frame if group is None else frame[frame["model"] == group]
        rows = found[found["group"].isna() if group is None else found["group"] == group]
        told = rows.set_index("measure")[["value", "low", "high"]]
        for name, value in true_measures(mine).items():
            assert told.loc[name].to_numpy() == pytest.approx(value, abs=1e-9)
    assert (found["items"] == [100] * 7 + [50] * 14).all()


@pytest.mark.parametrize("promise", ["fixed", "watched"])
def test_a_judge_has_the_intervals_of_the_table_beside_it(promise: str) -> None:
    """Labels of one prompt repeat each other, which widens figures by the one of those told
    together that loses most: the judge and the table, which tell different ones, had two."""
    frame = judged_frame(400, systems=TWO)
    session = lc.Session(judged(frame), plan_of(budget=150, promise=promise))
    label_all(session, frame)
    assert session.engine.frame.block is not None, "not a plan by prompts"
    found = session.judge("model").fillna({"group": ""}).set_index(["group", "measure"])
    for cell in session.table("model").cells:
        measure = {"accuracy": "agreement", "recall": "true pass rate"}.get(cell.figure)
        if measure is not None:
            told = found.loc[(cell.row[1] or "", measure), ["low", "high"]]
            assert told.tolist() == [cell.estimate.low, cell.estimate.high], (cell.row, measure)


def test_a_judge_is_held_against_people_on_the_items_that_they_can_judge() -> None:
    """People cannot judge two of three answers that the judge fails: of the others all is known."""
    frame = judged_frame(60, systems=TWO)
    frame["unsure"] = (frame["score"] < 0.5) & (np.arange(len(frame)) % 3 > 0)
    session = lc.Session(judged(frame), plan_of(budget=len(frame)))
    known = dict(zip(frame["id"], (frame["truth"] == 1).tolist(), strict=True))
    unsure = dict(zip(frame["id"], frame["unsure"], strict=True))
    answer_draws(session, lambda draw: "unsure" if unsure[draw.item_id] else known[draw.item_id])
    found = session.judge("model")
    for group in (None, *TWO):
        mine = frame[~frame["unsure"] & ((frame["model"] == group) | (group is None))]
        rows = found[found["group"].isna() if group is None else found["group"] == group]
        told, true = rows.set_index("measure")[["value", "low", "high"]], true_measures(mine)
        for name in ("pass rate", "bias", "agreement", "kappa", "true pass rate"):
            assert told.loc[name].to_numpy() == pytest.approx(true[name], abs=1e-9), name


def test_a_judge_of_answers_like_these_is_told_as_a_sample_is() -> None:
    """Every answer of the file is judged, so that chance is in which answers it holds: the bias has
    the spread of the mean of call less truth. Of the pass rate alone it would be half as wide."""
    frame = judged_frame(200, systems=TWO, noise=30.0)
    session = lc.Session(judged(frame), plan_of(budget=len(frame), by=None, target="process"))
    label_all(session, frame)
    told = session.judge().set_index("measure").loc["bias"]
    apart = (frame["score"] >= 0.5).astype(float) - frame["truth"]
    half = 1.96 * float(apart.std(ddof=0)) / np.sqrt(len(frame))
    assert told["value"] == pytest.approx(apart.mean(), abs=1e-9)
    assert (told["high"] - told["low"]) / 2 == pytest.approx(half, rel=0.05)


def test_what_is_unsure_may_be_either_way_for_a_judge_too() -> None:
    frame = judged_frame(60, systems=TWO)
    plan = plan_of(budget=len(frame), by=None, unsure="either way")
    session = lc.Session(judged(frame), plan)
    known = dict(zip(frame["id"], (frame["truth"] == 1).tolist(), strict=True))
    answer_draws(session, lambda draw: known[draw.item_id] if draw.index % 5 else "unsure")
    told = session.judge().set_index("measure")
    for name, value in true_measures(frame).items():
        low, high = told.loc[name, ["low", "high"]]
        assert low - 1e-9 <= value <= high + 1e-9
        assert high - low > 0.1 or name == "judge's pass rate", (
            f"{name} is open by every fifth item"
        )


def test_a_judge_against_what_two_people_settle() -> None:
    """Ann passes every seventh item that is none; all are judged by two, so that it is exact."""
    frame = judged_frame(50, systems=TWO)
    session = lc.Session(judged(frame), plan_of(budget=100, overlap=1.0))
    with pytest.raises(ValueError, match="needs more items"):
        session.judge(settled=True)
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    for who in ("ann", "bob"):
        while (draw := session.next(who)) is not None:
            wrong = who == "ann" and draw.index % 7 == 0
            session.answer(draw, truth[draw.item_id] or wrong, annotator=who)
    for one in session.unsettled():
        session.settle(str(one.first.item_id), truth[one.first.item_id], "eve")
    first = session.judge().set_index("measure")["value"]
    found = session.judge("model", settled=True)
    told = found[found["group"].isna()].set_index("measure")[["value", "low", "high"]]
    for name, value in true_measures(frame).items():
        assert told.loc[name].to_numpy() == pytest.approx(value, abs=1e-9)
    assert first["pass rate"] > told.loc["pass rate", "value"] and len(found) == 21
    with pytest.raises(ValueError, match="overlap"):
        lc.Session(judged(frame), plan_of(budget=100)).judge(settled=True)


@pytest.mark.full
@pytest.mark.slow
def test_kappa_and_rates_of_the_judge_are_covered_and_not_with_people_like_the_judge() -> None:
    """Seed 2,000 on, 150 runs, least .95 - 3 standard errors in each measure; the twin expects
    people to pass as many as the lenient judge does."""
    frame = judged_frame(800, systems=TWO, lenient=2.0)
    said = (frame["score"] >= 0.5).mean()
    population, codes = judged(frame), frame["truth"].to_numpy().astype(np.int64)
    true = true_measures(frame)
    inside, twins = dict.fromkeys(true, 0), 0
    plan = kept_plan(population, plan_of(budget=LABELS))
    for engine in beginnings(population, plan, [*range(2_000, 2_000 + RUNS)]):
        label_until(engine, codes, LABELS)
        told = judge_table(engine, ()).set_index("measure")
        for name, value in true.items():
            inside[name] += bool(
                told.loc[name, "low"] - 1e-9 <= value <= told.loc[name, "high"] + 1e-9
            )
        low, high = (
            1 - (1 - told.loc["agreement", end]) / (2 * said * (1 - said))
            for end in ("low", "high")
        )
        twins += bool(low <= true["kappa"] <= high)
    assert min(inside.values()) / RUNS >= LEAST, inside
    assert twins / RUNS < LEAST, twins


def test_what_is_open_says_what_would_decide_it() -> None:
    frame = judged_frame(400)
    session = lc.Session(judged(frame), plan_of(budget=250))
    label_all(session, frame)
    found = session.differences("model", "prevalence")
    decided = found["ahead"] != ""
    assert decided.any() and (found["more"][decided] == 0).all()
    assert (found["more"][~decided].dropna() > 0).all()
    close = found[(found["a"] == "beta") & (found["b"] == "gamma")]
    assert (close["ahead"] == "").all(), "the two are equally good"


def graded_frame() -> pd.DataFrame:
    """With the grades of people and of the judge, 1 to 5, for truth and verdict."""
    frame = judged_frame(60, systems=TWO)
    random = np.random.default_rng(4)
    people = random.integers(1, 6, len(frame))
    said = np.clip(people + random.integers(0, 3, len(frame)), 1, 5)
    return frame.assign(truth=people, verdict=said)


def test_grades_are_verdicts_by_a_cut_or_told_by_their_mean(tmp_path: Path) -> None:
    frame = graded_frame()
    rows = [
        {"id": row["id"], "prompt": row["prompt"], "model": row["model"], "answer": "an answer",
         "judge": {"score": row["verdict"]}}
        for row in frame.to_dict("records")
    ]  # fmt: skip
    path = tmp_path / "graded.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    common = {"id": "id", "content": "answer", "groups": ("model",), "prompt": "prompt"}
    cut = {"scores": {"judge": "judge.score"}, "thresholds": {"judge": 4}}
    passed = lc.snapshot(path, tmp_path / "cut.snapshot", **common, **cut)
    session = lc.Session(passed, plan_of(budget=120, params={"prompts": "same"}))
    label_all(session, frame.assign(truth=frame["truth"] >= 4))
    told = session.judge().set_index("measure")["value"]
    assert told["judge's pass rate"] == pytest.approx((frame["verdict"] >= 4).mean())
    assert told["pass rate"] == pytest.approx((frame["truth"] >= 4).mean())

    graded = lc.snapshot(
        path, tmp_path / "grades.snapshot", **common, predictions={"judge": "judge.score"}
    )
    session = lc.Session(graded, lc.Plan("recalibrated_neyman", "accuracy", budget=120))
    truth = dict(zip(frame["id"], frame["truth"], strict=True))
    empty = session.judge().set_index("measure").loc["mean score"]
    assert np.isnan(empty["value"]) and (empty["low"], empty["high"]) == (1, 5)
    while (draw := session.next()) is not None:
        session.answer(draw, str(truth[draw.item_id]))
        if session.labels == 60:
            half = session.judge().set_index("measure").loc["mean score"]
            assert half["low"] < half["value"] < half["high"] < half["low"] + 1.5
    found = session.judge("model")
    for group in (None, *TWO):
        mine = frame if group is None else frame[frame["model"] == group]
        rows_of = found[found["group"].isna() if group is None else found["group"] == group]
        ends = rows_of.set_index("measure")[["value", "low", "high"]]
        said, people = mine["verdict"].mean(), mine["truth"].mean()
        expected = {"judge's mean score": said, "mean score": people,
                    "mean score bias": said - people,
                    "agreement": (mine["verdict"] == mine["truth"]).mean()}  # fmt: skip
        for name, value in expected.items():
            assert ends.loc[name].to_numpy() == pytest.approx(value, abs=1e-6)


def graded(frame: pd.DataFrame, unsure: str) -> lc.Session:
    """All are answered, every fifth of them without a grade."""
    items = lc.read_population(frame, id="id", content="answer", predictions={"judge": "verdict"})
    plan = lc.Plan("recalibrated_neyman", "accuracy", budget=len(frame), unsure=unsure)
    session, truth = lc.Session(items, plan), dict(zip(frame["id"], frame["truth"], strict=True))
    while (draw := session.next()) is not None:
        none = int(frame.index[frame["id"] == draw.item_id][0]) % 5 == 0
        session.answer(draw, "unsure" if none else str(truth[draw.item_id]))
    return session


def test_grades_that_nobody_can_give_count_as_the_plan_declares() -> None:
    """Of a file that is answered in full: either way they are all 1, or all 5; at odds the mean of
    each cell, as a share m of the way from 1 to 5, is 3 m / (1 + 2 m) in them, or a third so."""
    frame = graded_frame().reset_index(drop=True).assign(answer="an answer")
    none = np.arange(len(frame)) % 5 == 0
    given, judge = frame["truth"][~none], frame["verdict"].mean()
    told = graded(frame, "either way").judge().set_index("measure")
    ends = np.array([(given.sum() + none.sum() * one) / len(frame) for one in (1, 5)])
    assert told.loc["mean score", ["low", "high"]].to_numpy() == pytest.approx(ends)
    bias = told.loc["mean score bias", ["low", "high"]].to_numpy()
    assert bias == pytest.approx(judge - ends[::-1])

    told = graded(frame, "odds").judge().set_index("measure").loc["mean score"]
    cells = frame.assign(none=none).groupby("verdict")
    ends = np.zeros(2)
    for _, cell in cells:
        mine = cell["truth"][~cell["none"]]
        m = ((mine - 1).sum() / 4 + 0.5) / (len(mine) + 1)
        ends += cell["none"].sum() * 4 * np.array([m / (3 - 2 * m) - m, 3 * m / (1 + 2 * m) - m])
    assert told["low"] < told["value"] + ends[0] / len(frame) * 0.9
    assert told["high"] > told["value"] + ends[1] / len(frame) * 0.9
    assert told["high"] - told["low"] < 4 * none.mean()


def test_several_classes_have_no_judge() -> None:
    frame = judged_frame(40, systems=TWO).assign(verdict=["a", "b", "c", "a"] * 20)
    population = lc.read_population(
        frame, id="id", content="answer", predictions={"judge": "verdict"}
    )
    session = lc.Session(population, lc.Plan("recalibrated_neyman", "accuracy", budget=20))
    with pytest.raises(ValueError, match="of several that are all numbers.*; classes are a, b, c"):
        session.judge()


@pytest.fixture(scope="module")
def alike() -> lc.Session:
    """Four systems that say the same to each prompt, drawn whole: a prompt tells as much as one
    output. The column ``whole`` has one group, of all items."""
    random = np.random.default_rng(1)
    score = random.random(200)
    prompt = np.repeat(np.arange(200), 4)
    frame = pd.DataFrame(
        {
            "id": [f"{place}" for place in range(800)],
            "prompt": [f"p{place}" for place in prompt],
            "model": [*"abcd"] * 200,
            "answer": "an answer",
            "whole": "all",
            "score": score[prompt].round(3),
        }
    )
    right = dict(zip(frame["id"], (random.random(200) < score)[prompt], strict=True))
    population = judged(frame, groups=("model", "whole"))
    plan = lc.Plan(
        "recalibrated_neyman",
        ["prevalence", "precision", "negative_predictive_value"],
        budget=160,
        promise="fixed",
        by="model",
        params={"prompts": "same"},
        repeats=0.4,
        seed=3,
    )
    return answer_draws(lc.Session(population, plan), lambda draw: bool(right[draw.item_id]))


def test_what_is_told_of_all_items_by_another_column_counts_prompts_likewise(
    alike: lc.Session,
) -> None:
    table, whole = alike.table(by="whole"), alike.judge("whole")
    for figure in ("prevalence", "precision"):
        of_all, of_group = (table.cell("judge", figure, group).estimate for group in (None, "all"))
        assert [of_group.low, of_group.high] == pytest.approx([of_all.low, of_all.high])
    of_all, of_group = (whole[whole["group"].isna() == every] for every in (True, False))
    for end in ("low", "high"):
        assert of_group[end].tolist() == pytest.approx(of_all[end].tolist())


def test_cells_of_the_confusion_table_count_prompts_as_the_figures_do(alike: lc.Session) -> None:
    bounds, table = cell_bounds(alike.engine), alike.confusion()
    items = table.sum(axis=1).to_numpy()
    right = {"negative_predictive_value": 0, "precision": 1}
    for name, row in right.items():
        estimate = alike.estimate(name)
        assert bounds[row, row] / items[row] == pytest.approx([estimate.low, estimate.high])


def test_bands_and_figures_for_the_truth_count_prompts_as_the_figures_do(
    alike: lc.Session,
) -> None:
    for figure in alike.label_error().figures:
        observed = figure.observed
        for limits in (figure.alike, figure.bounds):
            assert limits.high - limits.low > observed.high - observed.low
    band = alike.calibration()
    variance = band.value * (1 - band.value) / band.labels
    assert (band.high - band.low > 2 * 1.96 * np.sqrt(variance)).all()


@pytest.mark.parametrize("prompts", ["same", "each"])
def test_all_items_are_told_alike_in_every_table_of_a_judge(prompts: str) -> None:
    frame = judged_frame(60, systems=TWO)
    plan = plan_of(budget=90, overlap=0.5, params={"prompts": prompts})
    plan = replace(plan, together=True)
    session = lc.Session(judged(frame), plan)
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    people = ("ann", "bob")
    while any(draws := [session.next(person) for person in people]):
        for person, draw in zip(people, draws, strict=True):
            if draw is not None and (draw := session.next(person)) is not None:
                wrong = person == "bob" and int(draw.item_id.split("-")[1]) % 7 == 0
                session.answer(draw, truth[draw.item_id] != wrong)
    for settled in (False, True):
        alone, by_model = (session.judge(by, settled=settled) for by in (None, "model"))
        whole = by_model[by_model["group"].isna()]
        suffix = "@settled" if settled else ""
        for end in ("value", "low", "high"):
            assert alone[end].tolist() == pytest.approx(whole[end].tolist())
            for table, of in ((whole, ""), (by_model[by_model["group"] == "beta"], "[model=beta]")):
                told = table.set_index("measure").loc["agreement", end]
                assert told == getattr(session.estimate(f"accuracy{of}{suffix}"), end)
