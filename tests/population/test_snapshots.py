"""A snapshot holds what a project rests on: it opens whatever became of the source."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.population.arrays import write_arrays
from labelcore.population.snapshots import cells_of
from tests.population.test_formats import write

N = 400
READ: dict[str, Any] = {
    "id": "id",
    "content": "text",
    "scores": {"lr": "score"},
    "predictions": {"lr": "call"},
    "helpers": {"judge": "judge"},
    "known": "known",
}
PLAN = lc.Plan(
    "recalibrated_neyman", ["precision", "recall"], budget=40, seed=5, existing="certainty"
)


def rows() -> pd.DataFrame:
    random = np.random.default_rng(8)
    score = np.round(random.random(N), 3)
    return pd.DataFrame(
        {
            "id": [f"é{number}" for number in range(N)],
            "score": score,
            "call": np.where(score > 0.6, "spam", "ham"),
            "judge": random.choice(["bad", "good"], N),
            "known": np.where(random.random(N) < 0.05, "spam", None),
            "text": [f"text {number}" for number in range(N)],
        }
    )


def written(frame: pd.DataFrame, folder: Path, kind: str) -> Any:
    """The rows as a source of this kind."""
    if kind == "frame":
        return frame
    write(frame, folder / f"items.{kind}")
    return folder / f"items.{kind}"


def labelled(session: lc.Session, number: int) -> list[tuple[Any, ...]]:
    """What is drawn, and the figures after each label, to the digits that the order of a sum in
    floating point leaves."""
    found: list[tuple[Any, ...]] = []
    for step in range(number):
        draw = session.next()
        assert draw is not None
        found.append((draw.item_id, draw.stratum, session.item(draw)["text"]))
        session.answer(draw, step % 3 == 0)
        found += [
            (key, *(f"{number:.12f}" for number in (one.value or 0, one.low, one.high)))
            for key, one in session.results().items()
        ]
    return found


@pytest.mark.parametrize("kind", ["csv", "jsonl", "xlsx", "frame"])
def test_cells_are_those_of_the_same_items_in_any_form_and_order(kind: str, tmp_path: Path) -> None:
    wanted = cells_of(lc.read_population(written(rows(), tmp_path, "parquet"), **READ))
    source = written(rows().sample(frac=1, random_state=1), tmp_path, kind)
    found = lc.read_population(source, **READ)
    assert cells_of(found) == wanted
    drawn = labelled(lc.Session(lc.read_population(tmp_path / "items.parquet", **READ), PLAN), 3)
    assert labelled(lc.Session(found, PLAN), 3) == drawn


@pytest.mark.parametrize(
    ("column", "value"),
    [("id", "other"), ("score", 0.1234), ("call", "ham"), ("judge", "ugly"), ("known", "ham")],
)
def test_every_cell_counts(column: str, value: Any) -> None:
    frame, changed = rows(), rows()
    row = int(np.argmax(frame["call"] == "spam"))
    changed.loc[row, column] = value
    one, other = (cells_of(lc.read_population(each, **READ)) for each in (frame, changed))
    assert one != other


def test_cells_that_change_places_count() -> None:
    """Sums of columns alone would not notice."""
    frame, changed = rows(), rows()
    changed.loc[[0, 1], "score"] = frame.loc[[1, 0], "score"].to_numpy()
    one, other = (cells_of(lc.read_population(each, **READ)) for each in (frame, changed))
    assert one != other


def test_a_snapshot_opens_as_what_was_read(tmp_path: Path) -> None:
    source = written(rows(), tmp_path, "parquet")
    read, file = lc.read_population(source, **READ), tmp_path / "items.snapshot"
    found = lc.snapshot(source, file, **READ)
    assert found.snapshot == file and lc.read_population(file, **READ).snapshot == file
    assert found.fingerprint == read.fingerprint and found.ids() == read.ids()
    assert cells_of(found) == cells_of(read) and found.arguments == read.arguments
    assert found.content("é7") == {"text": "text 7"} and found.position("é7") == 7
    assert labelled(lc.Session(found, PLAN), 3) == labelled(lc.Session(read, PLAN), 3)


@pytest.mark.parametrize(
    ("said", "given"),
    [
        pytest.param(["pass", "fail"], {"passing": {"judge": ["pass"]}}, id="verdicts that pass"),
        pytest.param([" spam", "ham "], {}, id="classes with spaces"),
        pytest.param(["spam", "ham"], {"scores": {"judge": "score"}}, id="scores of 32 bits"),
    ],
)
def test_a_snapshot_shows_items_of_a_source_as_it_was(
    said: list[str], given: dict[str, Any], tmp_path: Path
) -> None:
    score = np.array([0.7, 0.1], dtype=np.float32)
    items = pd.DataFrame({"id": ["a", "b"], "text": ["one", "two"], "said": said, "score": score})
    items.to_parquet(tmp_path / "items.parquet")
    given = {"id": "id", "content": "text", "predictions": {"judge": "said"}, **given}
    found = lc.snapshot(tmp_path / "items.parquet", tmp_path / "items.snapshot", **given)
    assert [found.content(item) for item in "ab"] == [{"text": "one"}, {"text": "two"}]
    items.assign(said=said[0]).to_parquet(tmp_path / "items.parquet")
    with pytest.raises(ValueError, match="its said was changed"):
        lc.read_population(tmp_path / "items.snapshot").content("b")


def test_what_is_no_snapshot_is_refused(tmp_path: Path) -> None:
    source, file = written(rows(), tmp_path, "parquet"), tmp_path / "items.snapshot"
    with pytest.raises(ValueError, match=r"file must have a name that ends in \.snapshot"):
        lc.snapshot(source, tmp_path / "items.parquet", **READ)
    with pytest.raises(ValueError, match="a table in memory becomes a project as it is"):
        lc.snapshot(rows(), file, **READ)
    with pytest.raises(FileNotFoundError):
        lc.read_population(file)
    lc.snapshot(source, file, **READ)
    with pytest.raises(ValueError, match="a snapshot knows what its columns mean"):
        lc.read_population(file, **{**READ, "content": "judge"})
    sound = file.read_bytes()
    for harm in (b"nothing", sound[: len(sound) // 2], sound[:900] + b"x" + sound[901:]):
        file.write_bytes(harm)
        with pytest.raises(ValueError, match="it is no snapshot of this version"):
            lc.read_population(file)
    write_arrays(file, {"score": np.zeros(3)}, {})
    with pytest.raises(ValueError, match="it is no snapshot of this version"):
        lc.read_population(file)
    with pytest.raises(TypeError, match="content must name the column"):
        lc.read_population(source)


@pytest.mark.parametrize("harm", [pytest.param("gone", marks=pytest.mark.full), "changed"])
def test_a_project_needs_its_snapshot_alone(harm: str, tmp_path: Path) -> None:
    source, store = written(rows(), tmp_path, "parquet"), f"sqlite:///{tmp_path}/labels.db"
    whole = labelled(lc.Session(lc.read_population(source, **READ), PLAN), 9)
    first = labelled(lc.Session(lc.read_population(source, **READ), PLAN, store, "p"), 6)
    if harm == "gone":
        source.unlink()
    else:
        frame = rows()
        frame.loc[N // 2 :, "score"] += 0.001
        more = frame.tail(50).assign(id=[f"new {number}" for number in range(50)])
        pd.concat([frame, more]).to_parquet(source)
    again = lc.Session.open(store, "p")
    assert again.labels == 6 and len(again.population) == N
    assert {key: one.to_json() for key, one in again.results().items()} == {
        key: one.to_json() for key, one in lc.Session.open(store, "p").results().items()
    }
    assert len(again.labels_table()) == 6 + (rows()["known"] == "spam").sum()
    lc.write_report(again, tmp_path / "report.html")
    assert first + labelled(again, 3) == whole
    assert again.population.content("é399") == {"text": "text 399"}
