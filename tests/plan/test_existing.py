"""Labels that were there before: read, stated, counted, never asked, replayed."""

import json
import zipfile
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.errors import NotRandomError, PlanError, PopulationError, ReplayError
from labelcore.log.engine import Engine
from labelcore.plan.existing import prepared
from labelcore.planning.outlook import Outlook
from labelcore.replay import replay, replay_bundle
from labelcore.report.bundle import bundle_zip
from labelcore.results.types import Estimate
from labelcore.ui.session_picture import beside
from tests.existing_files import ITEMS, at_random, from_the_top, made, read

SCALARS = ("accuracy", "precision", "recall")
DESIGNS = ("recalibrated_neyman", "simple_random", "paired_comparison", "agreement_patterns")


def plan_of(design: str = "recalibrated_neyman", **given: Any) -> lc.Plan:
    paired = design == "paired_comparison"
    values: dict[str, Any] = {
        "classifier": ["a", "b"] if paired else "a", "budget": 60, "promise": "fixed", **given,
    }  # fmt: skip
    estimands = ["accuracy_difference", "f1_difference"] if paired else list(SCALARS)
    return lc.Plan(design, estimands, **values)


def labelled(session: lc.Session, stop: int | None = None) -> list[str]:
    """Answer by the truth until the plan ends; the ids that were asked."""
    truth, asked = made()[1], []
    while (draw := session.next()) is not None and (stop is None or len(asked) < stop):
        asked.append(draw.item_id)
        session.answer(draw, bool(truth[int(draw.item_id[1:])]))
    return asked


def test_a_column_of_known_answers_is_read_and_blank_means_unknown(tmp_path: Path) -> None:
    at = at_random(50)
    population = read(tmp_path, at)
    assert population.known is not None
    assert np.array_equal(np.flatnonzero(population.known >= 0), np.sort(at))
    assert np.array_equal(population.known[at], made()[1][at])
    assert population.arguments["known"] == "told"


def test_without_such_a_column_the_fingerprint_stays_what_it_was(tmp_path: Path) -> None:
    population = read(tmp_path)
    without = lc.read_population(
        population.path, id="id", content=["text"], scores={"a": "s"}
    )  # fmt: skip
    assert "known" not in without.arguments
    assert without.known is None


def test_a_known_answer_that_is_no_class_is_told_with_its_row(tmp_path: Path) -> None:
    path = tmp_path / "items.csv"
    path.write_text("text,s,told\nx,0.1,no\nx,0.2,\nx,0.3,perhaps\n", "utf-8")
    with pytest.raises(PopulationError) as raised:
        lc.read_population(path, content="text", scores={"a": "s"}, known="told")
    (fault,) = raised.value.faults
    assert (fault.column, fault.row, fault.value) == ("told", 3, "perhaps")
    assert "must be one of the classes 'no', 'yes' or 0/1, or empty" in fault.rule


def test_an_answer_must_not_be_shown(tmp_path: Path) -> None:
    with pytest.raises(PopulationError, match="must not be shown while labelling"):
        read(tmp_path, at_random(5), content=["text", "told"])


def test_labels_without_a_statement_are_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="say how the 50 known answers of column 'told'"):
        lc.preview(read(tmp_path, at_random(50)), plan_of())


def test_a_statement_without_labels_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="holds no answer"):
        lc.preview(read(tmp_path, at_random(0)), plan_of(existing="random"))
    with pytest.raises(PlanError, match="name one with known"):
        lc.preview(read(tmp_path, at_random(5), known=None), plan_of(existing="random"))


def test_nothing_left_to_label_is_said(tmp_path: Path) -> None:
    with pytest.raises(PlanError, match="the answer of every item"):
        lc.preview(read(tmp_path, np.arange(ITEMS)), plan_of(existing="certainty"))


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"existing": "sample"}, "existing must be one of random, certainty, ignored"),
        ({"existing": "certainty", "target": "process"}, "speaks of this file only"),
        ({"existing": "random", "claims": ["accuracy >= 0.5"]}, "made before the labels"),
        ({"existing": "certainty", "budget": 0}, "budget must be at least 1"),
    ],
)
def test_what_cannot_be_planned_is_said(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        plan_of(**given)


def test_a_design_says_by_its_attribute_that_it_cannot(tmp_path: Path) -> None:
    able = {name for name, one in lc.DESIGNS.items() if one.existing}
    assert able == {*DESIGNS, "reach_selection"}
    with pytest.raises(
        PlanError, match="existing 'random' cannot go with design 'stratified', .* works with"
    ) as told:
        lc.Plan("stratified", ["accuracy"], budget=50, existing="random")
    assert told.value.short == "cannot use known answers"
    lc.Plan("stratified", ["accuracy"], budget=50, existing="ignored")


def test_labels_from_the_top_are_not_taken_for_a_random_sample(tmp_path: Path) -> None:
    words = r"100 % of them lie in the top tenth .* where 10 % of"
    with pytest.raises(NotRandomError, match=words) as told:
        lc.preview(read(tmp_path, from_the_top(80)), plan_of(existing="random"))
    parts = told.value
    assert (parts.labels, parts.found, parts.expected) == (80, 1.0, 0.1)
    assert parts.place == "lie in the top tenth of the scores"
    called = read(tmp_path, from_the_top(80), scores={}, thresholds={}, predictions={"a": "truth"})
    with pytest.raises(NotRandomError, match="76 % of them are called 'yes', where 25 % of"):
        lc.preview(called, plan_of(existing="random"))


USES = list(product(DESIGNS, ("random", "certainty"), ("fixed", "watched")))


@pytest.mark.parametrize(("design", "use", "promise"), USES)
def test_known_items_are_never_asked(tmp_path: Path, design: str, use: str, promise: str) -> None:
    at = at_random(90) if use == "random" else from_the_top(90)
    population = read(tmp_path, at)
    session = lc.Session(population, plan_of(design, existing=use, promise=promise))
    asked = labelled(session)
    assert len(asked) == len(set(asked)) == 60
    assert not {f"m{i}" for i in at} & set(asked)
    for one in session.results().values():
        assert one.has_interval
        assert "from before)" in one.sentence() if use == "random" else "known items" in (
            one.sentence()
        )  # fmt: skip


@pytest.mark.parametrize("design", DESIGNS)
def test_ignored_labels_change_nothing_but_the_fingerprint(tmp_path: Path, design: str) -> None:
    population = read(tmp_path, at_random(90))
    plain = read(tmp_path / "plain", at_random(90), known=None)
    ignored = lc.Session(population, plan_of(design, existing="ignored"))
    without = lc.Session(plain, plan_of(design))
    assert labelled(ignored) == labelled(without)
    pairs = zip(ignored.results().values(), without.results().values(), strict=True)
    assert all((a.low, a.high) == (b.low, b.high) for a, b in pairs)


def test_a_certainty_stratum_is_no_stratum_of_the_sample(tmp_path: Path) -> None:
    at = from_the_top(200)
    population = read(tmp_path, at)
    engine = Engine(population, plan_of(existing="certainty").with_planned(60))
    assert engine.frame.sizes.sum() == ITEMS - 200 == engine.most
    assert (engine.frame.stratum[at] == -1).all()
    assert engine.labels == 0
    assert engine.tallies["a"].cells(1).labelled.sum() == 200


def share_drawn_from_the_first_half(folder: Path, seed: int, own_order: bool) -> float:
    """Of 60 draws beside answers that another plan of this seed has asked: six in ten items of the
    first half of the file, one in ten of the second. Without an order of its own: as plans were
    frozen before they had one."""
    plan = plan_of("simple_random", seed=seed)
    order = Engine(read(folder), plan.with_planned(60)).frame.queue
    first = order < ITEMS // 2
    half = ITEMS // 2
    known = [order[first][: half * 6 // 10], order[~first][: half // 10]]
    values = plan_of("simple_random", seed=seed, existing="certainty").with_planned(60).to_dict()
    if not own_order:
        del values["own_order"]
    engine = Engine(read(folder, np.concatenate(known)), lc.Plan.from_json(json.dumps(values)))
    return float((engine.frame.queue[:60] < half).mean())


def test_draws_beside_the_answers_of_a_plan_with_the_same_seed_are_random(tmp_path: Path) -> None:
    """30 seeds of 60 draws without replacement: within three standard errors of 4 to 9; draws in
    the order of the seed itself are not."""
    left = ITEMS // 2 - ITEMS // 2 * 6 // 10, ITEMS // 2 - ITEMS // 2 // 10
    share = left[0] / sum(left)
    error = 3 * np.sqrt(share * (1 - share) / (30 * 60))
    for own_order, held in ((True, True), (False, False)):
        found = [share_drawn_from_the_first_half(tmp_path, seed, own_order) for seed in range(30)]
        assert bool(abs(np.mean(found) - share) < error) is held


def test_a_random_sample_is_topped_up_to_the_target_shares(tmp_path: Path) -> None:
    population = read(tmp_path, at_random(90))
    engine = Engine(population, plan_of(existing="random").with_planned(60))
    before = engine.frame.given
    assert before is not None and before.sum() == 90 == engine.labels
    first = engine.design.batch_items(engine.setup, engine.frame, engine.progress)
    counts = np.bincount(engine.frame.stratum[first], minlength=len(before))
    assert ((before + counts)[engine.frame.sizes >= 2] >= 2).all()
    assert (counts[before >= 2] == 0).all()
    session = lc.Session(population, plan_of(existing="random"))
    labelled(session, 50)
    session.extend(budget=80, estimand="precision")
    _, *asked = labelled(session)
    called = population.predictions["a"]
    assert [called[int(item[1:])] for item in asked][:20] == [1] * 20


def test_the_picture_goes_to_the_last_label_with_those_from_before(tmp_path: Path) -> None:
    """It ended at the new ones alone, with the width that is expected of all."""
    session = lc.Session(read(tmp_path, at_random(90)), plan_of(existing="random"))
    labelled(session, 5)
    shown = beside(session)
    assert shown.planned == 150 and session.results()["accuracy"].labels_used == 95
    ahead = shown.ahead("accuracy")
    assert ahead is not None and ahead[0].max() == 150 and ahead[0].min() > 90


def test_a_small_watched_plan_shows_figures_of_four_strata_from_the_first_label_on(
    tmp_path: Path,
) -> None:
    population = read(tmp_path, from_the_top(ITEMS - 60))
    plan = plan_of(existing="certainty", promise="watched", budget=45,
                   params={"n_below": 4, "n_above": 4, "helpers": []})  # fmt: skip
    session = lc.Session(population, plan)
    assert session.engine.frame.n_strata == 4 and session.first_figure == 1
    labelled(session)
    truth, called = made()[1] == 1, made()[0] >= 0.5
    recall = session.results()["recall"]
    assert isinstance(recall, Estimate) and recall.state == "interval"
    assert recall.low <= (truth & called).sum() / truth.sum() <= recall.high


def test_a_sample_that_is_large_enough_needs_no_new_label(tmp_path: Path) -> None:
    population = read(tmp_path, at_random(300))
    session = lc.Session(population, plan_of("simple_random", existing="random", budget=0))
    assert session.next() is None
    found = session.results()["accuracy"]
    hits = (made()[0] >= 0.5) == made()[1]
    assert found.value == pytest.approx(hits[at_random(300)].mean(), abs=1e-12)
    assert found.state == "interval" and found.promise == "fixed"
    assert "(all of them from before)" in found.sentence()


@pytest.mark.parametrize(
    "design", [pytest.param("recalibrated_neyman", marks=pytest.mark.full), "simple_random"]
)
def test_fewer_new_labels_are_planned(tmp_path: Path, design: str) -> None:
    given: dict[str, Any] = {"budget": None, "margin": 0.06}
    without = lc.preview(read(tmp_path, known=None), plan_of(design, **given)).planned
    random = read(tmp_path, at_random(60))
    top = read(tmp_path, from_the_top(60))
    with_sample = lc.preview(random, plan_of(design, existing="random", **given)).planned
    with_known = lc.preview(top, plan_of(design, existing="certainty", **given)).planned
    # By less than 60: the outcomes of the sample count too, and here they are less sure.
    assert with_sample < without
    assert with_known < without
    there = plan_of(design, existing="random", budget=None, margin=0.4)
    assert lc.preview(random, there).labels == 0


def test_simulation_refuses_a_truth_that_denies_the_known_answers(tmp_path: Path) -> None:
    population = read(tmp_path, at_random(90))
    truth = made()[1].copy()
    row = int(np.sort(at_random(90))[0])
    truth[row] = 1 - truth[row]
    with pytest.raises(ValueError, match=rf"1 rows do not, the first is row {row + 1}: "):
        lc.simulate(population, plan_of(existing="certainty"), truth=truth, runs=1)


@pytest.mark.parametrize("use", ["random", pytest.param("certainty", marks=pytest.mark.full)])
def test_a_session_is_replayed_with_its_existing_labels(tmp_path: Path, use: str) -> None:
    at = at_random(90) if use == "random" else from_the_top(90)
    population = read(tmp_path, at)
    session = lc.Session(population, plan_of(existing=use))
    labelled(session)
    session.finish("done")
    assert sum(event.kind == "labelled" for event in session.events) == 60
    record = session.record
    found = replay(population, record.plan_json, session.events, fingerprint=record.fingerprint)
    said = f"90 existing labels, {'taken' if use == 'random' else 'counted'} as"
    assert any(said in stage for stage in found.stages)
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(bundle_zip(session))
    assert replay_bundle(bundle, population.path).results["recall"] == session.results()["recall"]
    with zipfile.ZipFile(bundle) as archive:
        kept = json.loads(archive.read("existing.json"))
        page = archive.read("report.html").decode()
    assert (kept["column"], kept["taken_as"], len(kept["labels"])) == ("told", use, 90)
    assert said in page


def test_another_existing_label_is_another_file(tmp_path: Path) -> None:
    population = read(tmp_path, from_the_top(90))
    session = lc.Session(population, plan_of(existing="certainty"))
    labelled(session, 20)
    record, other = session.record, read(tmp_path, from_the_top(91))
    with pytest.raises(ReplayError, match="is not the file that was labelled"):
        replay(other, record.plan_json, session.events, fingerprint=record.fingerprint)


@pytest.mark.parametrize("use", ["random", "certainty"])
def test_curves_count_the_existing_labels(tmp_path: Path, use: str) -> None:
    at = at_random(90) if use == "random" else from_the_top(90)
    population = read(tmp_path, at)
    plan = lc.Plan("simple_random", ["precision_curve"], classifier="a", budget=60,
                   promise="fixed", existing=use)  # fmt: skip
    session = lc.Session(population, plan)
    labelled(session)
    band = session.band("precision")
    point = int(np.flatnonzero(band.x <= 90)[-1])
    share = made()[1][from_the_top(int(band.x[point]))].mean()
    assert band.low[point] <= share <= band.high[point]
    if use == "certainty":
        assert band.value[point] == pytest.approx(share)
        assert band.high[point] - band.low[point] < 1e-9


def test_extension_counts_new_labels_only(tmp_path: Path) -> None:
    population = read(tmp_path, from_the_top(ITEMS - 70))
    session = lc.Session(population, plan_of(existing="certainty", promise="watched"))
    labelled(session)
    planned = session.results()["recall"]
    with pytest.raises(PlanError, match="at most the 70 that can be asked"):
        session.extend(budget=71)
    session.extend(budget=70)
    labelled(session, 9)
    assert session.results()["recall"] == planned and planned.state == "interval"
    labelled(session)
    assert session.status == "exhausted"
    recall, truth = session.results()["recall"], made()[1] == 1
    assert isinstance(recall, Estimate) and recall.state == "exact"
    right = (truth & (made()[0] >= 0.5)).sum() / truth.sum()
    assert recall.low == recall.high == recall.value == pytest.approx(right)


def test_prepared_without_labels_is_the_frame_of_the_design(tmp_path: Path) -> None:
    engine = Engine(read(tmp_path, known=None), plan_of().with_planned(60))
    plain = engine.design.prepare(engine.setup)
    again = prepared(engine.design, engine.setup, engine.existing)
    assert np.array_equal(plain.queue, again.queue) and again.given is None


@pytest.mark.parametrize("design", ["recalibrated_neyman", "simple_random"])
def test_the_forecast_for_no_new_label_is_the_interval_that_is_there(
    tmp_path: Path, design: str
) -> None:
    population = read(tmp_path, at_random(150))
    plan = plan_of(design, existing="random", budget=0)
    found = Outlook(population, plan).half_widths(0, 0)
    shown = lc.Session(population, plan).results()
    for name in ("accuracy", "recall"):
        assert found[name] == pytest.approx(shown[name].half_width, rel=0.05)


def test_scores_that_are_far_off_do_not_spoil_the_forecast(tmp_path: Path) -> None:
    """Scores a sixth of what is true: the labels correct them, before the first new one."""
    low = [round(float(one) / 6, 5) for one in made()[0]]
    path = tmp_path / "low"
    path.mkdir()
    right = read(tmp_path / "right", at_random(150))
    lines = right.path.read_text("utf-8").splitlines()
    cells = [line.split(",") for line in lines[1:]]
    rows = [",".join([*row[:2], f"{s}", *row[3:]]) for row, s in zip(cells, low, strict=True)]
    (path / "items.csv").write_text("\n".join([lines[0], *rows]) + "\n", "utf-8")
    wrong = lc.read_population(
        path / "items.csv", id="id", content=["text"], scores={"a": "s"},
        thresholds={"a": 0.5 / 6}, known="told",
    )  # fmt: skip
    plans = [plan_of(existing="random"), plan_of(existing="ignored")]
    believed, ignored = (lc.preview(wrong, plan).expected_half_width["recall"] for plan in plans)
    truth = lc.preview(right, plans[0]).expected_half_width["recall"]
    assert believed == pytest.approx(truth, rel=0.15)
    assert ignored != pytest.approx(truth, rel=0.15)
