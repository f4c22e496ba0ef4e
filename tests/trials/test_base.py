"""Writing a trial's file: the same bytes, and never over another file."""

import os
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from labelcore.trials.base import Trial
from labelcore.trials.messages import MESSAGES

TABLE = pd.DataFrame({"id": ["a", "b"], "text": ['say "hi"\nthere', "nan"], "score": [0.12345, 1]})


@pytest.fixture
def trial() -> Trial:
    return replace(MESSAGES, name="small", build=lambda: TABLE)


def test_the_file_is_csv_with_four_decimals(trial: Trial, tmp_path: Path) -> None:
    path = trial.write(tmp_path / "new" / "folder")
    assert path == tmp_path / "new" / "folder" / "small.csv"
    text = 'id,text,score\na,"say ""hi""\nthere",0.1235\nb,nan,1.0000\n'
    (plain := path.with_name("plain.csv")).touch()
    assert path.read_bytes() == text.encode() and path.stat().st_mode == plain.stat().st_mode
    plain.unlink()
    assert [p.name for p in path.parent.iterdir()] == ["small.csv"]


def test_a_file_with_the_same_bytes_stays_untouched(trial: Trial, tmp_path: Path) -> None:
    path = trial.write(tmp_path)
    os.utime(path, ns=(1, 1))
    assert trial.write(tmp_path) == path
    assert path.stat().st_mtime_ns == 1, "open projects would take the file for a changed one"


def test_a_file_with_other_bytes_stays_and_the_new_one_gets_a_name_of_its_own(
    trial: Trial, tmp_path: Path
) -> None:
    old = tmp_path / "small.csv"
    old.write_text("of another version\n")
    path = trial.write(tmp_path)
    assert path != old and path.name.startswith("small-") and path.read_bytes() == trial.to_bytes()
    assert old.read_text() == "of another version\n"
    assert trial.write(tmp_path) == path
    path.write_text("cut off")
    assert trial.write(tmp_path) == path and path.read_bytes() == trial.to_bytes()
