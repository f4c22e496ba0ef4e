"""A project opened from what it prepared is the project; whatever happens to the prepared files."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.planning.outlook import Outlook
from labelcore.population import arrays
from labelcore.population.arrays import read_arrays, write_arrays
from labelcore.population.snapshots import SourceTable
from labelcore.replay import replay_project
from labelcore.session import prepared, projects
from labelcore.session.session import Session
from tests.cases import sampled
from tests.contracts.test_same_draws import PLANS, SEED, items
from tests.population.test_formats import write


@pytest.fixture(autouse=True)
def small_files_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(prepared, "LEAST", 1)


@pytest.fixture
def store(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'labels.db'}"


def is_prepared(session: lc.Session) -> bool:
    return isinstance(session.population._table, SourceTable)


def answered(session: lc.Session, truth: list[str], until: int) -> list[str]:
    """Label so many items; what was drawn, and the figures."""
    while session.labels < until and (draw := session.next()) is not None:
        session.answer(draw, truth[session.population.position(draw.item_id)])
    drawn = [f"{one.item_id} {one.stratum}" for one in session.events if one.kind == "drawn"]
    return [*drawn, *(one.to_json() for one in session.results().values())]


@pytest.mark.full
@pytest.mark.parametrize("name", sampled(PLANS, 1, seed=1))
def test_every_method_goes_on_as_if_it_had_read_the_file(name: str, store: str) -> None:
    population, truth = items(several=name.endswith("several"))
    plan = lc.Plan(name.split(" ")[0], seed=SEED, **PLANS[name])
    whole = lc.Session(population, plan)
    answered(lc.Session(population, plan, store, "x"), truth, 10)
    reopened = Session.open(store, "x")
    assert is_prepared(reopened)
    assert answered(reopened, truth, 20) == answered(whole, truth, 20)


def test_a_forecast_of_a_reopened_project_prepares_nothing(
    store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    population, _ = items()
    plan = lc.Plan("recalibrated_neyman", seed=SEED, **PLANS["recalibrated_neyman"])
    lc.Session(population, plan, store, "x")
    reopened = Session.open(store, "x")
    monkeypatch.setattr(type(lc.DESIGNS["recalibrated_neyman"]), "prepare", None)
    assert Outlook(reopened.population, reopened.plan).frame.n_strata > 1


def test_a_new_session_prepares_once(monkeypatch: pytest.MonkeyPatch) -> None:
    population, _ = items()
    found, method = [], type(lc.DESIGNS["recalibrated_neyman"])
    prepare = method.prepare
    monkeypatch.setattr(
        method, "prepare", lambda *given: found.append(prepare(*given)) or found[-1]
    )
    plan = lc.Plan("recalibrated_neyman", seed=SEED, **PLANS["recalibrated_neyman"])
    session = lc.Session(population, plan)
    assert len(found) == 1
    assert (
        lc.Session(population, session.plan.with_seed(2)).engine.frame is not session.engine.frame
    )
    assert len(found) == 2, "another seed has draws of its own"


@pytest.fixture
def csv(tmp_path: Path) -> Path:
    random, path = np.random.default_rng(3), tmp_path / "items.csv"
    scores, judge = random.random(400), random.choice(["good", "bad", ""], 400)
    rows = [
        f'{k},"text ""{k}"", with\na break é",{score:.3f},{score * 3:.2f},{said}\n'
        for k, (score, said) in enumerate(zip(scores, judge, strict=True))
    ]
    path.write_text("id,text,score,rule,judge\n" + "".join(rows), "utf-8")
    return path


def read(path: Path, **more: object) -> lc.Population:
    helpers = {"rule": "rule", "judge": "judge"}
    given = {"id": "id", "scores": {"m": "score"}, "thresholds": {"m": [0.4, 0.6]}} | more
    return lc.read_population(path, content=["text"], helpers=helpers, **given)


def project(csv: Path, store: str) -> lc.Session:
    plan = lc.Plan("simple_random", ["accuracy"], classifier="m>=0.4", budget=50, seed=3)
    return lc.Session(read(csv), plan, store, "x")


def files_of(store: str, kind: str) -> list[Path]:
    """Those of this kind beside the store."""
    return sorted(Path(store.removeprefix("sqlite:///")).with_suffix(".items").rglob(f"*.{kind}"))


def test_a_population_comes_back_as_it_was_read(csv: Path, store: str) -> None:
    before = project(csv, store).population
    after = Session.open(store, "x").population
    assert isinstance(after._table, SourceTable)
    assert after.ids() == before.ids()
    assert [after.position(name) for name in ("0", "17", "399")] == [0, 17, 399]
    with pytest.raises(ValueError, match="has no item with the id '400'"):
        after.position("400")
    for name in ("0", "399"):
        assert after.content(name) == before.content(name)
        assert "with\na break é" in after.content(name)["text"]
    for kind in ("scores", "predictions"):
        for name, values in getattr(before, kind).items():
            found = getattr(after, kind)[name]
            assert found.dtype == values.dtype and np.array_equal(found, values)
    for name, helper in before.helpers.items():
        for kind in ("score", "verdict"):
            values, found = getattr(helper, kind), getattr(after.helpers[name], kind)
            assert (values is None) == (found is None)
            assert values is None or np.array_equal(values, found, equal_nan=kind == "score")
        assert after.helpers[name].names == helper.names
    same = ("name", "path", "fingerprint", "arguments", "classes", "positive", "content_columns")
    for name in (*same, "metadata_columns", "classifiers", "thresholds", "descending", "dialect"):
        assert getattr(after, name) == getattr(before, name)
    assert after.column("rule") == before.column("rule") and after.column("text")[1][-1] == "é"
    with pytest.raises(ValueError, match="has no column 'nope'"):
        after.column("nope")


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv.gz"])
def test_other_formats_are_read_by_row_too(kind: str, tmp_path: Path, store: str) -> None:
    import pandas as pd

    path, table = tmp_path / f"items.{kind}", pd.DataFrame({"text": ["ä", "b\nc", "d"] * 9})
    table["score"] = np.arange(27) / 30
    write(table, path)
    population = lc.read_population(path, content="text", scores={"m": "score"})
    plan = lc.Plan("simple_random", ["prevalence"], budget=9)
    lc.Session(population, plan, store, "x")
    reopened = Session.open(store, "x")
    assert is_prepared(reopened)
    texts = [reopened.population.content(str(row))["text"] for row in (1, 2, 27)]
    assert texts == ["ä", "b\nc", "d"]


def cut(file: Path) -> None:
    file.write_bytes(file.read_bytes()[:-9])


def bent(file: Path) -> None:
    """One bit of a number in the middle is another one."""
    whole = bytearray(file.read_bytes())
    whole[len(whole) // 2] ^= 1
    file.write_bytes(bytes(whole))


def of_another_version(file: Path) -> None:
    found = read_arrays(file)
    assert found is not None
    arrays.LAYOUT += 1
    try:
        write_arrays(file, *found)
    finally:
        arrays.LAYOUT -= 1


def foreign(file: Path) -> None:
    write_arrays(file, {"start": np.arange(3)}, {"fingerprint": "f" * 64, "plan": "{}"})


def of_other_types(file: Path) -> None:
    found = read_arrays(file)
    assert found is not None
    write_arrays(file, {}, {**found[1], "frame": {"module": "os", "type": "system", "parts": {}}})


HARMS = list(product((Path.unlink, cut, bent, of_another_version, foreign, of_other_types), (0, 1)))


@pytest.mark.parametrize(("harm", "which"), sampled(HARMS, 2, seed=1))
def test_what_is_missing_or_broken_is_read_or_made_anew(
    harm: object, which: int, csv: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = project(csv, store)
    truth = ["yes"] * 400
    answered(first, truth, 10)
    files = files_of(store, "arrow") + files_of(store, "snapshot")
    assert [file.name.split("-")[0] for file in files] == ["frame", "items.snapshot"]
    harm(files[which])  # type: ignore[operator]
    wanted = answered(lc.Session(read(csv), first.plan), truth, 16)
    moved = csv.rename(csv.with_name("moved.csv"))
    if which:
        with pytest.raises(lc.errors.MissingItemsError, match="the labels are safe"):
            Session.open(store, "x")
        moved.rename(csv)
    read_again, read_items = [], projects.read_items

    def noticed(record: object, *given: object) -> lc.Population:
        read_again.append(record)
        return read_items(record, *given)

    monkeypatch.setattr(projects, "read_items", noticed)
    reopened = Session.open(store, "x")
    assert reopened.labels == 10 and not reopened.broken_at
    assert len(read_again) == which, "a broken snapshot is never used"
    assert answered(reopened, truth, 16) == wanted
    assert is_prepared(Session.open(store, "x")) == (which == 0)
    assert all(read_arrays(file) is not None for file in files_of(store, "arrow"))


@pytest.mark.parametrize("harm", ["changed", pytest.param("gone", marks=pytest.mark.full)])
def test_a_file_is_needed_once(harm: str, csv: Path, store: str) -> None:
    """Also by the session that made the project."""
    truth = ["yes"] * 400
    whole = answered(lc.Session(read(csv), project(csv, "memory://").plan), truth, 20)
    session = project(csv, store)
    if harm == "gone":
        csv.unlink()
    else:
        csv.write_text(csv.read_text("utf-8").replace("break", "brake"), "utf-8")
        with pytest.raises(lc.errors.OtherItemsError, match="or it was changed: its fingerprint"):
            Session.open(store, "x", file=csv)
    assert answered(session, truth, 10) and answered(Session.open(store, "x"), truth, 20) == whole
    texts = Session.open(store, "x").drawn_items().values()
    assert all("break é" in one["text"] for one in texts)
    assert replay_project(store, "x").answers == 20


def test_a_copy_that_was_cut_is_not_shown(csv: Path, store: str) -> None:
    session = project(csv, store)
    (copy,) = files_of(store, "contents")
    copy.write_bytes(copy.read_bytes()[:-2])
    assert session.population.content("3")["text"].startswith("text"), "mapped as it was"
    with pytest.raises(ValueError, match="the copy beside the store was changed"):
        Session.open(store, "x").population.content("3")


def test_a_file_that_moved_is_named_by_its_new_place(csv: Path, store: str) -> None:
    project(csv, store)
    moved = csv.rename(csv.with_name("moved.csv"))
    found = Session.open(store, "x", file=moved)
    assert is_prepared(found) and found.population.path == moved
    assert is_prepared(Session.open(store, "x"))


def test_a_disk_without_room_for_the_frame_hurts_nobody(
    csv: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(prepared, "write_arrays", full)
    session = project(csv, store)
    assert session.next() is not None and not files_of(store, "arrow")


def test_small_files_are_not_prepared(
    csv: Path, store: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prepared, "LEAST", 401)
    project(csv, store)
    assert not files_of(store, "arrow")
