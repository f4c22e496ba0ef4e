"""``labelcore audit`` says where lines of the trail are gone."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.store import act, note


def tampered(file: Path, statement: str) -> None:
    with closing(sqlite3.connect(file)) as line:
        of_act = "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'act'"
        for (name,) in line.execute(of_act).fetchall():
            line.execute(f"DROP TRIGGER {name}")
        line.execute(statement)
        line.commit()


@pytest.mark.parametrize("later", [False, True], ids=["cut", "cut and gone on"])
def test_the_end_of_the_trail_cannot_be_cut_off_unnoticed(
    later: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "labels.db"
    url = f"sqlite:///{file}"
    with closing(lc.open_store(url)) as store:
        note(store, *(act("me", "exported", f"file {number}") for number in range(6)))
    assert main(["audit", "--store", url, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["gone"] == 0
    tampered(file, "DELETE FROM act WHERE sequence > 4")
    if later:
        with closing(lc.open_store(url)) as store:
            note(store, act("me", "exported", "another file"))
    assert main(["audit", "--store", url]) == 1
    said = capsys.readouterr().out
    assert "2 lines that stand beside the store are no longer in it." in said
    assert "was changed" not in said, "the chain alone does not tell"
    tampered(file, "UPDATE act SET who = 'you' WHERE sequence = 2")
    assert main(["audit", "--store", url]) == 1
    assert "Line 2 was changed outside Labelcore." in capsys.readouterr().out
