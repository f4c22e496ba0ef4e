"""``labelcore monitor plan.toml``: what is due begins, and exit codes say how a figure stands."""

import json
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.store import open_store
from labelcore.waves.plan_file import PlanFile
from tests.answering import answer_draws

PLAN = """
[source]
file = "items.csv"
id = "id"
content = ["text"]
predictions = {{ lr = "pred" }}

[plan]
design = "recalibrated_neyman"
estimands = ["precision"]
labels = 60
seed = 7

[monitor]
name = "spam"
requirements = ["precision >= 0.7"]
since_launch = false
waves = 12
schedule = "each file"
people = "ann"
on_alarm = {command}
"""


def write_table(path: Path, week: int, precision: float) -> None:
    """400 new items; the text says the truth."""
    random = np.random.default_rng(week)
    said = random.random(400) < 0.5
    truth = random.random(400) < np.where(said, precision, 0.05)
    frame = pd.DataFrame({"id": [f"{week}-{row}" for row in range(400)], "pred": said.astype(int)})
    frame["text"] = np.where(truth, "prize ", "lunch ") + frame["id"]
    frame.to_csv(path, index=False)


def label_all(store: str, project: str) -> None:
    session = lc.Session.open(store, project)
    answer_draws(session, lambda draw: "1" if "prize" in session.item(draw)["text"] else "0")


def test_from_a_plan_to_an_alarm(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    plan, called = tmp_path / "plan.toml", tmp_path / "called"
    script = (
        "import os, sys; print('Calling.'); "
        "open(sys.argv[1], 'a').write(os.environ['LABELCORE_ESTIMAND'] + '\\n'); "
        "sys.exit(len(open(sys.argv[1]).readlines()) == 1)"
    )
    command = json.dumps([sys.executable, "-c", script, str(called)])
    plan.write_text(PLAN.format(command=command), "utf-8")
    store = f"sqlite:///{tmp_path / 'labels.db'}"

    def run(*more: str) -> tuple[int, dict[str, Any]]:
        code = main(["monitor", str(plan), "--json", *more])
        return code, json.loads(capfd.readouterr().out)

    write_table(tmp_path / "items.csv", 1, 0.9)
    code, told = run("--dry-run")
    assert (code, told["waves"]) == (0, []) and not (tmp_path / "labels.db").exists()
    assert "would begin on 400 rows" in told["done"]
    codes = []
    for week, precision in enumerate((0.9, 0.9, 0.2, 0.2), start=1):
        write_table(tmp_path / "items.csv", week, precision)
        code, told = run()
        (wave,) = told["due"]
        assert told["due"][wave] == 60 and wave == told["waves"][-1]
        codes.append(code)
        label_all(store, f"spam: {wave}")
        code, told = run("--junit", str(tmp_path / "junit.xml"))
        assert "has not changed" in told["done"] and not told["due"]
        codes.append(code)
        if code == 1:
            break
    assert codes == [3, 0, 3, 0, 3, 1]
    (alarm,) = told["alarms"]
    assert (alarm["estimand"], alarm["required"], alarm["wave"]) == ("precision", 0.7, wave)
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert (suite.get("tests"), suite.get("failures"), suite.get("errors")) == ("1", "1", "0")
    assert [run()[0], run()[0]] == [1, 1]
    assert called.read_text() == 2 * "precision\n", "once for each alarm, and again as it failed"
    quarter = tmp_path / "quarter.html"
    code, told = run("--restart", "retrained", "--report", str(quarter))
    assert code == 0 and told["alarms"] == []
    html = quarter.read_text("utf-8")
    assert f"Alarm in {wave}: precision has been lower than 70 %" in html.replace("\xa0", " ")
    assert "retrained" in html and "begun anew after it" in html
    assert "People gave 180 labels; 0 were carried over from earlier waves." in html


def test_a_rehearsal_of_a_later_wave_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Labels that nobody has looked at are looked at, and a report of them is written."""
    plan, report = tmp_path / "plan.toml", tmp_path / "report.html"
    plan.write_text(PLAN.format(command='""'), "utf-8")
    write_table(tmp_path / "items.csv", 1, 0.9)
    assert main(["monitor", str(plan)]) == 3
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    (wave,) = lc.Monitor.open(store, "spam").names
    label_all(store, f"spam: {wave}")
    write_table(tmp_path / "items.csv", 2, 0.2)

    def kept() -> tuple[object, ...]:
        opened = open_store(store)
        # The store's guard writes in its own time: what begins with "labels", by way of a half.
        names = (path.name for path in tmp_path.rglob("*") if path != report)
        files = sorted(name for name in names if not name.startswith(("labels", ".half-")))
        return opened.projects(), opened.events(f"spam: {wave}"), files

    before = kept()
    capsys.readouterr()
    assert main(["monitor", str(plan), "--dry-run", "--report", str(report)]) == 0
    said = capsys.readouterr().out
    assert "would begin on 400 rows" in said and "no alarm; 1 of 12 waves so far" in said
    assert "People gave 60 labels" in report.read_text("utf-8").replace("\xa0", " ")
    assert kept() == before
    # What else would be done is checked and counted, too.
    assert main(["monitor", str(plan), "--dry-run", "--close", "never"]) == 2
    assert "must be one of the waves" in capsys.readouterr().err
    assert main(["monitor", str(plan), "--dry-run", "--close", wave, "--restart", "retrained"]) == 0
    assert "no alarm; 0 of 12 waves so far" in capsys.readouterr().out
    assert kept() == before


def test_a_wave_is_closed_as_it_is(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(command='"true"'), "utf-8-sig")
    write_table(tmp_path / "items.csv", 1, 0.9)
    assert main(["monitor", str(plan)]) == 3
    said = capsys.readouterr().out
    assert "waits for 60 labels" in said and "To label: ann." in said
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    (wave,) = lc.Monitor.open(store, "spam").names
    session = lc.Session.open(store, f"spam: {wave}")
    answer_draws(session, lambda draw: "1" if "prize" in session.item(draw)["text"] else "0", 20)
    assert main(["monitor", str(plan), "--close", wave]) == 0
    said = capsys.readouterr().out
    assert f"no alarm; 1 of 12 waves so far. {wave} is closed." in said and "anew" not in said
    assert main(["monitor", str(plan), "--restart", "retrained"]) == 0
    assert "so far. Evidence begins anew with the next wave. The" in capsys.readouterr().out


def test_other_contents_under_the_same_ids_are_refused_unless_the_plan_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    plan, table = tmp_path / "plan.toml", tmp_path / "items.csv"
    said = PLAN.format(command='""')
    plan.write_text(said, "utf-8")
    write_table(table, 1, 0.9)
    assert main(["monitor", str(plan)]) == 3
    (wave,) = lc.Monitor.open(store := f"sqlite:///{tmp_path / 'labels.db'}", "spam").names
    label_all(store, f"spam: {wave}")
    table.write_text(table.read_text("utf-8").replace("prize", "a prize"), "utf-8")
    assert main(["monitor", str(plan)]) == 2
    assert "has other contents under" in capsys.readouterr().err
    plan.write_text(said + "renewed = true\n", "utf-8")
    assert main(["monitor", str(plan)]) == 3
    assert len(lc.Monitor.open(store, "spam").names) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[source]", "[source", "plan.toml must be TOML"),
        ("[source]", "[sauce]", "plan.toml knows no sauce; did you mean 'source'?"),
        ("content =", "contents =", "knows no source.contents; did you mean 'content'?"),
        ('name = "spam"', "", "plan.toml: monitor.name must be a text"),
        ('"each file"', '"hourly"', "monitor.schedule must be one of weekly, monthly, daily, each"),
        (">= 0.7", ">= 7", "requirements must be texts such as"),
        ('"pred"', '"prediction"', "'prediction'"),
        ("labels = 60", "labels = 0", "plan.toml: plan.labels must be at least 1, got 0"),
        ("labels = 60", "labels = 60\nbudget = 50", "plan.labels means the same as plan.budget"),
        ("labels = 60", "budget = 0.5", "plan.toml: plan.budget must be a whole number of items"),
        ("labels = 60", "confidence = 2", "plan.toml: plan.confidence must lie between 0 and 1"),
        ('name = "spam"', 'name = "spam"\nrenewed = 1', "monitor.renewed must be true or false"),
        ("= false", '= "no"', "monitor.since_launch must be true or false, got 'no'"),
        ("waves = 12", "title = 5", "plan.toml: monitor.title must be a text, got 5"),
        ("waves = 12", 'title = ["a"]', "plan.toml: monitor.title must be a text, got ['a']"),
        ("waves = 12", "waves = 5000", "waves must be a whole number from 2 to 4,000, got 5000"),
        ("waves = 12", 'error = "low"', "plan.toml: monitor.error must be a number, got 'low'"),
        ('"ann"', "7", "monitor.people must be a text or a list of texts, got 7"),
        ('["precision >= 0.7"]', "5", "monitor.requirements must be a text or a list of texts"),
        (
            'on_alarm = ""',
            'on_alarm = "say it\'s"',
            "monitor.on_alarm must be a command: No closing",
        ),
    ],
)
def test_what_is_wrong_in_a_plan_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], old: str, new: str, said: str
) -> None:
    plan = tmp_path / "plan.toml"
    plan.write_text(PLAN.format(command='""').replace(old, new), "utf-8")
    write_table(tmp_path / "items.csv", 1, 0.9)
    assert main(["monitor", str(plan), "--dry-run"]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "labels.db").exists()


def test_what_a_plan_does_not_say(tmp_path: Path) -> None:
    (tmp_path / "plan.toml").write_text(
        '[source]\nfile = "items.csv"\n[plan]\nbudget = 60\n[monitor]\nname = "spam"\n', "utf-8"
    )
    found = PlanFile.read(tmp_path / "plan.toml")
    assert found.plan == lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=60)
    assert (found.schedule, found.on_alarm, found.people) == ("weekly", (), ())
    assert (found.source, found.renewed) == (tmp_path / "items.csv", False)
    assert found.store == f"sqlite:///{tmp_path.resolve().as_posix()}/labels.db"
    assert not (found.reading or found.terms or found.settings)


def test_a_missing_plan_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["monitor", str(tmp_path / "plan.toml")]) == 2
    assert f"File '{tmp_path / 'plan.toml'}' does not exist." in capsys.readouterr().err
