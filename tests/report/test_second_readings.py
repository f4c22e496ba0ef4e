"""Items judged twice in the report, its JSON, the events, the bundle and its replay."""

import csv
import io
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.replay import replay_bundle
from labelcore.report import bundle_zip, events_csv, report_json
from tests.report.sessions import as_json, begun, write_items


@pytest.fixture(scope="module")
def twice(tmp_path_factory: pytest.TempPathFactory) -> lc.Session:
    """60 labels of 300 items, half of them judged twice, the first of those otherwise."""
    folder = tmp_path_factory.mktemp("twice")
    session, truth = begun(folder, repeats=0.5)
    wrong = None
    while (draw := session.next()) is not None:
        wrong = draw.item_id if draw.repeat and wrong is None else wrong
        session.answer(draw, truth[draw.item_id] ^ (draw.repeat and draw.item_id == wrong))
    session.finish()
    return session


@pytest.mark.full
def test_json_and_events_have_the_second_readings(twice: lc.Session) -> None:
    found = as_json(report_json(twice))
    assert found["label_error"]["differing"] == 1
    assert [one["estimand"] for one in found["label_error"]["figures"]] == ["precision", "recall"]
    assert found["plan"]["repeats"] == 0.5
    rows = list(csv.DictReader(io.StringIO(events_csv(twice))))
    second = [row for row in rows if row["event"] == "reread"]
    assert len(second) == found["label_error"]["repeated"]
    assert {row["pass"] for row in second} == {"2"}
    assert all(row["shown_at"] for row in second)
    assert {row["pass"] for row in rows if row["event"] == "labelled"} == {"1"}


def test_the_bundle_replays_with_its_repeats(twice: lc.Session, tmp_path: Path) -> None:
    path = tmp_path / "bundle.zip"
    path.write_bytes(bundle_zip(twice))
    result = replay_bundle(path, twice.population.path)
    assert result.seal == twice.events[-1].hash
    assert any(line.startswith("Repeats: ") for line in result.stages)


def test_the_command_takes_the_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_items(tmp_path / "items.csv")
    columns = ["--id", "id", "--content", "text", "--score", "lr=score", "--threshold", "lr=0.5"]
    plan = ["plan", str(tmp_path / "items.csv"), *columns, "--budget", "60"]
    assert main([*plan, "--repeats", "0.1", "--json"]) == 0
    assert as_json(capsys.readouterr().out)["plan"]["repeats"] == 0.1
    assert main([*plan, "--repeats", "2"]) == 2
    assert "repeats must be a share from 0 to 1, got 2.0" in capsys.readouterr().err
