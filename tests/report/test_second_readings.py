"""Items judged twice in the report, its JSON, the events, the bundle and its replay."""

import csv
import io
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.report import events_csv
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


def test_the_events_have_the_second_readings(twice: lc.Session) -> None:
    rows = csv.DictReader(io.StringIO(events_csv(twice)))
    given = [(row["event"], row["pass"]) for row in rows if row["label"] and row["shown_at"]]
    assert {*given} == {("labelled", "1"), ("reread", "2")}
    assert given.count(("reread", "2")) == len(twice.label_error().readings)


def test_the_command_takes_the_share(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_items(tmp_path / "items.csv")
    columns = ["--id", "id", "--content", "text", "--score", "lr=score", "--threshold", "lr=0.5"]
    plan = ["plan", str(tmp_path / "items.csv"), *columns, "--budget", "60"]
    assert main([*plan, "--repeats", "0.1", "--json"]) == 0
    assert as_json(capsys.readouterr().out)["plan"]["repeats"] == 0.1
    assert main([*plan, "--repeats", "2"]) == 2
    assert "repeats must be a share from 0 to 1, got 2.0" in capsys.readouterr().err
