"""What version 0.1.0 wrote still opens: its draws and answers follow, and its figures are told.

The bundles in ``tests/data/version_0_1_0`` were written by that version, one for each of nine
methods, with unsure, later, undone, changed, flagged and noted items; only their reports were left
out. How their figures were computed is gone: they are those of the last look in the log, which the
files beside them hold too. Never write them again.
"""

import json
import zipfile
from dataclasses import replace
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.errors import PlanError, ReplayError, SupersededError
from labelcore.figures.scalars import second_stage_started
from labelcore.log.events import genesis
from labelcore.promises import Status
from labelcore.replay import read_bundle
from labelcore.replay.walk import first_break, replay
from labelcore.report.bundle import bundle_zip
from labelcore.report.written import REPORT_FORMS
from labelcore.session.erasing import erase_items
from labelcore.store import LabelStore, ProjectRecord, open_store
from labelcore.store.memory import MemoryStore
from tests.answering import answer_draws

WRITTEN = Path(__file__).parent / "data" / "version_0_1_0"
BUNDLES = sorted(file.stem for file in WRITTEN.glob("*.zip"))
EARLIER = "Measured by an earlier rule."


def opened(design: str, store: LabelStore, *, finished: bool = True) -> lc.Session:
    """The project of a bundle in a store; without its last event it is not ``finished``."""
    bundle = read_bundle(WRITTEN / f"{design}.zip")
    source = json.loads(bundle.files["population.json"])
    place = {"path": str(WRITTEN / "items.csv"), "arguments": source["arguments"]}
    store.create(
        ProjectRecord(
            design, "2026-11-01T00:00:00+00:00", source["fingerprint"],
            bundle.files["plan.json"].decode().removesuffix("\n"), json.dumps(place),
        )
    )  # fmt: skip
    events = list(bundle.log)
    store.append(design, events if finished else events[:-1])
    return lc.Session.open(store, design)


def test_there_is_one_of_each() -> None:
    assert len(BUNDLES) == 9


@pytest.mark.parametrize("design", BUNDLES)
def test_draws_and_answers_follow_and_figures_are_told(design: str) -> None:
    """Those of the last look, which is what the file beside the bundle holds."""
    found = lc.replay_bundle(WRITTEN / f"{design}.zip", WRITTEN / "items.csv")
    expected = json.loads((WRITTEN / f"{design}.json").read_text("utf-8"))
    assert found.draws > 30 and found.answers > 30 and found.looks > 0
    assert any("made by an earlier rule, as stored" in stage for stage in found.stages)
    assert found.to_dict()["agrees"] is True and set(found.results) == set(expected)
    for key, figures in expected.items():
        now = found.results[key].to_dict()
        assert {name: now[name] for name in figures} == figures
        assert now["sentence"].endswith(EARLIER) and now["method"] == "an earlier rule"


def test_another_draw_or_figure_does_not_follow() -> None:
    """A draw is compared, and a figure too: by the chain of hashes, as it is never computed."""
    bundle = read_bundle(WRITTEN / "stratified.zip")
    source, plan = json.loads(bundle.files["population.json"]), bundle.files["plan.json"].decode()
    other = plan.removesuffix("\n").replace('"seed": 3', '"seed": 4')
    given = {name: source[name] for name in ("fingerprint", "arguments")}
    with pytest.raises(ReplayError):
        replay(WRITTEN / "items.csv", other, bundle.log, **given)
    population = lc.read_population(WRITTEN / "items.csv", **source["arguments"])
    assert "should be item" in first_break(population, other, bundle.log)
    events = list(bundle.log)
    last = max(place for place, one in enumerate(events) if one.kind == "looked")
    forged = json.loads(json.dumps(dict(events[last].detail)).replace("0.", "1.", 1))
    events[last] = replace(events[last], detail=forged)
    with pytest.raises(ReplayError, match="its hash does not follow"):
        replay(WRITTEN / "items.csv", plan.removesuffix("\n"), events, **given)


@pytest.mark.parametrize("design", BUNDLES)
def test_a_frozen_plan_is_read_and_written_as_it_was(design: str) -> None:
    written = zipfile.ZipFile(WRITTEN / f"{design}.zip").read("plan.json").decode().strip()
    plan = lc.Plan.from_json(written)
    assert json.loads(plan.to_json()) == json.loads(written)
    assert plan.interval_rules == 1 and plan.superseded
    assert not replace(plan, planned=None).superseded


@pytest.mark.parametrize("design", BUNDLES)
def test_it_opens_and_its_report_is_written(design: str) -> None:
    session = opened(design, MemoryStore())
    expected = json.loads((WRITTEN / f"{design}.json").read_text("utf-8"))
    assert session.status == Status.SUPERSEDED and set(session.results()) == set(expected)
    assert len(session.labels_table()) == session.engine.answers_given
    before = len(session.events)
    forms = REPORT_FORMS if design == "recalibrated_neyman" else [".html", ".json", ".csv"]
    pages = {suffix: REPORT_FORMS[suffix](session) for suffix in forms}
    assert all(pages.values()) and EARLIER.encode() in pages[".html"]
    assert bundle_zip(session) and len(session.events) == before, "no look is added"


@pytest.mark.parametrize("finished", [True, False])
def test_nothing_more_is_labelled(finished: bool) -> None:
    session = opened("stratified", MemoryStore(), finished=finished)
    if finished:
        assert session.next() is None
    else:
        for ask in (session.next, lambda: session.take(3), lambda: session.undo()):
            with pytest.raises(SupersededError, match="measured by an earlier rule, so nothing"):
                ask()
    with pytest.raises(SupersededError, match="can take its labels as existing ones"):
        session.extend(budget=150)
    session.note(1, "odd")
    session.reword(title="Old")
    assert session.results()["accuracy"].method == "an earlier rule"


def test_its_texts_are_erased_though_its_items_are_kept_nowhere(tmp_path: Path) -> None:
    store = open_store(f"sqlite:///{tmp_path}/labels.db")
    asked = opened(BUNDLES[0], store).events[0].item_id
    done = erase_items(store, BUNDLES[0], [asked], who="Ann", why="it was asked for")
    assert done.items == 1 and store.events(BUNDLES[0])[-1].kind == "erased"
    store.close()


def test_no_project_begins_by_such_a_plan() -> None:
    """One that is there goes on: the same call opens it."""
    there = opened("simple_random", MemoryStore())
    assert lc.Session(there.population, there.plan, there.store, "simple_random").labels
    with pytest.raises(PlanError, match="^planned belongs to a plan that an earlier .*, got 108$"):
        lc.Session(there.population, there.plan, there.store, "anew")
    bare = lc.Plan("simple_random", ["accuracy"], budget=60, planned=60)
    with pytest.raises(PlanError, match="^planned belongs .*, got 60$"):
        lc.Session(there.population, bare)
    assert [one.name for one in there.store.projects()] == ["simple_random"]
    kept = lc.Session(there.population, lc.Plan("simple_random", ["accuracy"], budget=60)).plan
    assert lc.Session(there.population, kept).next() is not None


def test_one_that_was_extended_has_no_figures_of_its_further_labels() -> None:
    engine = opened("simple_random", MemoryStore()).engine
    engine.extend(engine.planned + 1)
    engine.draw_next()
    assert engine.extended and not second_stage_started(engine)


def test_a_log_that_nobody_looked_at_says_so() -> None:
    bundle = read_bundle(WRITTEN / "simple_random.zip")
    session = opened("simple_random", MemoryStore())
    store = MemoryStore()
    store.create(replace(session.record, name="other"))
    first = next(place for place, one in enumerate(bundle.log) if one.kind == "looked")
    store.append("other", list(bundle.log)[:first])
    found = lc.Session.open(store, "other").results()
    assert list(found) == ["accuracy", "recall", "f1"]
    assert "nobody looked while it was measured" in found["accuracy"].sentence()


def test_curves_cuts_and_bounds_of_cells_are_not_computed() -> None:
    session = opened("geometric_strata", MemoryStore())
    for ask in (session.curve, lambda: session.cut(5), lambda: session.deepest_cut(0.5)):
        with pytest.raises(ValueError, match="measured by an earlier rule"):
            ask()
    said = session.results()["precision_curve"].sentence()
    assert "precision" in said and said.endswith(EARLIER)
    chosen = opened("reach_selection", MemoryStore())
    with pytest.raises(ValueError, match="measured by an earlier rule"):
        chosen.choices_at([0.5])


def test_a_fixed_promise_that_stops_at_a_margin_is_of_an_earlier_rule() -> None:
    """A new plan is refused; the log of a frozen one follows in its draws, with its last look."""
    population = lc.read_population(WRITTEN / "items.csv", id="id", content="text",
                                    scores={"a": "a_score"}, thresholds={"a": 0.5})  # fmt: skip
    with pytest.raises(
        PlanError, match="means looking after every label: that needs promise 'watched'"
    ):
        lc.Plan("simple_random", "accuracy", margin=0.1, promise="fixed", stop="margin")
    plan = lc.Plan("simple_random", "accuracy", budget=40, promise="fixed", seed=3)
    session = lc.Session(population, plan)
    answer_draws(session, "1")
    figures = session.results()["accuracy"]
    values = {**session.plan.to_dict(), "margin": 0.1, "stop": ["margin"], "planned": 60}
    text = lc.Plan.from_json(json.dumps(values)).to_json()
    assert lc.Plan.from_json(text).superseded
    chained, before = [], genesis(population.fingerprint, text)
    for event in session.events:
        chained.append(event.chained(before))
        before = chained[-1].hash
    found = replay(population, text, chained, fingerprint=population.fingerprint)
    told = found.results["accuracy"]
    assert (told.value, told.low, told.high) == (figures.value, figures.low, figures.high)
    assert told.sentence().endswith(EARLIER)
    with pytest.raises(PlanError, match="by which no project begins"):
        lc.Session(population, lc.Plan.from_json(text))
    since_horizons = {**values, "promise": "watched", "stop": [], "margin": None, "rules": 7}
    text = lc.Plan.from_json(json.dumps(since_horizons)).to_json()
    told = replay(population, text, [], fingerprint=population.fingerprint).results["accuracy"]
    assert "valid at every look up to 60 labels" in told.sentence()
