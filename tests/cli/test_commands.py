"""The commands do what the library does, and say what is wrong in a sentence."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pandas as pd
import pytest

import labelcore as lc
from labelcore.cli import COMMANDS, main, options
from labelcore.errors import StoreNotWritableError
from labelcore.report import estimates_csv, report_html
from labelcore.settings import check_environment
from labelcore.store.sqlite import SqliteStore
from labelcore.ui.server import prepared
from tests import rooms
from tests.answering import answer_draws, next_draw
from tests.cli.conftest import Run
from tests.report.sessions import begun, member, repacked, session_on, write_items

COLUMNS = ["--id", "id", "--content", "text", "--score", "lr=score", "--threshold", "lr=0.5"]


@pytest.fixture
def items(tmp_path: Path) -> Path:
    write_items(tmp_path / "items.csv")
    return tmp_path / "items.csv"


def labelled(folder: Path) -> str:
    """A store with one project, 50 of its 60 items labelled."""
    url = f"sqlite:///{folder}/labels.db"
    session, _ = begun(folder, store=url)
    answer_draws(session, lambda draw: draw.index % 2, 50)
    session.finish()
    session.store.close()
    return url


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> str:
    """One for all tests that read it."""
    return labelled(tmp_path_factory.mktemp("store"))


@pytest.fixture(scope="module")
def html(store: str) -> str:
    return report_html(lc.Session.open(store, "spam"))


@pytest.fixture(scope="module")
def bundle(store: str) -> Path:
    path = Path(store.removeprefix("sqlite:///")).with_name("b.zip")
    assert main(["export", "bundle", "--store", store, "--project", "spam", "-o", str(path)]) == 0
    return path


PEOPLE = pytest.param("people", marks=rooms.needs("team"))
NAMES = {
    "": "app check join monitor snapshot plan import draw answer labels status simulate export "
    "report replay gate backup restore verify copy dump load erase audit",
    "erase": "items person project retention",
    "people": "add give join leave list remove rename take",
}


@pytest.mark.parametrize("group", ["", "erase", PEOPLE])
def test_the_commands_of_the_interface_are_there(group: str) -> None:
    found = COMMANDS[group].commands if group else COMMANDS
    assert {*found} - {"people"} == {*NAMES[group].split()}
    for name, command in found.items():
        if name not in ("app", "people", "erase"):  # They print nothing of their own.
            assert "--json" in {name for option in command.params for name in option.opts}


def test_check_says_what_it_read(items: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert {"items": 300, "faults": []}.items() <= run.json("check", items, *COLUMNS).items()
    monkeypatch.setattr(options, "LARGE", items.stat().st_size)
    code, out, err = run("check", items, *COLUMNS)
    assert (code, err) == (0, f"Reading {items} (0 MB)\n") and "300 items, no fault." in out
    assert run("check", items)[2].startswith(f"Looking at {items} (0 MB)\n")


def test_known_answers_are_planned_with(items: Path, run: Run) -> None:
    rows = items.read_text("utf-8").splitlines()
    told = [f"{row},{'yes' if number % 7 == 0 else ''}" for number, row in enumerate(rows[1:])]
    items.write_text("\n".join([f"{rows[0]},told", *told]) + "\n", "utf-8")
    given = [items, *COLUMNS, "--known", "told", "--budget", 60, "--promise", "fixed"]
    code, _, err = run("plan", *given)
    assert code == 2 and "existing must say how the 43 known answers" in err
    found = run.json("plan", *given, "--existing", "certainty")
    assert sum(found["derived"]["stratum_sizes"]) == 300 - 43


def test_a_snapshot_is_read_instead_of_the_file(items: Path, tmp_path: Path, run: Run) -> None:
    file = tmp_path / "items.snapshot"
    made = run.json("snapshot", items, *COLUMNS, "-o", file)
    assert (made["file"], made["items"]) == (str(file), 300)
    there = file.read_bytes()
    code, out, err = run("snapshot", items, "--content", "text", "-o", file)
    assert (code, out) == (2, "") and "exists; write over it with --force" in err
    assert run.json("snapshot", items, *COLUMNS, "-o", file, "--force") == made
    assert file.read_bytes() == there
    items.unlink()
    assert run.json("check", file)["fingerprint"] == made["fingerprint"]
    rows = tmp_path / "rows.csv"
    code, _, err = run("snapshot", file, "-o", rows)
    assert code == 2 and "must have a name that ends in .snapshot" in err and not rows.exists()


def test_check_lists_every_fault(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "bad.csv"
    path.write_text("id,text,score\na,x,0.1\na,y,inf\n,z,high\n", "utf-8")
    code, out, err = run("check", path, *COLUMNS)
    assert (code, out) == (2, "")
    assert "row 2 (line 3 of the file), column 'score'" in err
    code, out, _ = run("check", path, *COLUMNS, "--json")
    assert code == 2
    assert {(one["row"], one["column"]) for one in json.loads(out)["faults"]} == {
        *((2, "id"), (2, "score"), (3, "id"), (3, "score"))
    }


def test_plan_is_the_preview(items: Path, run: Run) -> None:
    values = run.json("plan", items, *COLUMNS, "--margin", "0.1", "--param", "n_above=4")
    population = lc.read_population(
        items, id="id", content=["text"], scores={"lr": "score"}, thresholds={"lr": 0.5}
    )
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], margin=0.1, params={"n_above": 4}
    )
    ahead = lc.preview(population, plan)
    assert values["expected_labels"] == ahead.expected_labels
    assert values["expected_half_width"] == ahead.expected_half_width
    # A plan by a margin may go on to 4 times its size.
    assert values["plan"]["params"] == {"n_above": 4, "allocation": "two_ended", "horizon": 4}
    code, out, _ = run("plan", items, *COLUMNS, "--budget", "100")
    assert code == 0 and "precision: plus or minus" in out


@pytest.mark.usefixtures("few_sessions_for_claims")
def test_claims_stop_rules_and_shared_confidence_reach_the_plan(items: Path, run: Run) -> None:
    claims = ["--claim", "precision >= 0.5", "--claim", "recall >= 20 %"]
    options = [*claims, "--budget", "60", "--together"]
    rules = ["--stop", "all", "--stop", "claims", "--stop", "deadline 2027-01-31T18:00"]
    values = run.json("plan", items, *COLUMNS, *options, *rules)["plan"]
    assert values["claims"] == ["precision >= 0.5", "recall >= 20 %"] and values["together"] is True
    assert values["stop"] == ["all", "claims", "deadline 2027-01-31T18:00:00+00:00"]
    code, out, _ = run("plan", items, *COLUMNS, *options)
    assert code == 0 and "Claim: precision >= 0.5." in out
    assert "It ends as soon as every claim is decided or refuted." in out


def test_a_bad_claim_or_rule_is_told(items: Path, run: Run) -> None:
    for option, told in (
        (["--claim", "beauty >= 0.5"], "beauty"),
        (["--budget", "60", "--stop", "tea"], "is not a stop rule"),
    ):
        code, _, err = run("plan", items, *COLUMNS, *option)
        assert code == 2 and told in err


def test_simulate_tells_claims(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "known.csv"
    lines = [f"m{k},t,{(k % 100) / 100},{int(k % 100 > 45)}" for k in range(300)]
    path.write_text("id,text,score,answer\n" + "\n".join(lines) + "\n", "utf-8")
    claim = "precision >= 0.5"
    options = ["--budget", 100, "--claim", claim, "--truth", "answer", "--runs", 2]
    row = run.json("simulate", path, *COLUMNS, *options)["summary"][claim]
    assert row["truth"] == 1.0 and row["mean_labels"] < 100


def test_simulate_is_the_simulation(tmp_path: Path, run: Run) -> None:
    path = tmp_path / "known.csv"
    lines = [f"m{k},t,{(k % 100) / 100},{int(k % 100 > 60)}" for k in range(300)]
    path.write_text("id,text,score,answer\n" + "\n".join(lines) + "\n", "utf-8")
    options = ["--budget", 60, "--truth", "answer", "--runs", 3, "--simulation-seed", 5]
    values = run.json("simulate", path, *COLUMNS, *options)
    population = lc.read_population(
        path, id="id", content=["text"], scores={"lr": "score"}, thresholds={"lr": 0.5}
    )
    plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=60)
    summary = lc.simulate(population, plan, truth="answer", runs=3, seed=5).summary()
    assert values["summary"]["recall"]["rmse"] == pytest.approx(summary.loc["recall", "rmse"])
    code, out, _ = run("simulate", path, *COLUMNS, *options)
    assert code == 0 and "coverage" in out


def test_import_makes_a_project(
    items: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    url = "sqlite:///new.db"
    command = ["import", "items.csv", *COLUMNS, "--budget", 40, "--store", url, "--project", "p"]
    code, out, _ = run(*command, "--question", "Spam?")
    assert code == 0 and "The plan is frozen now." in out
    monkeypatch.chdir("/")
    session = lc.Session.open(f"sqlite:///{tmp_path}/new.db", "p")
    assert session.settings == {"question": "Spam?"}
    assert session.plan.planned == 40
    monkeypatch.chdir(tmp_path)
    answer_draws(session, "yes", 3)
    code, out, _ = run(*command)
    assert code == 0 and "It was there already, with 3" in out
    code, _, err = run(*command, "--question", "Ham?")
    assert code == 2 and "other words: question is 'Spam?' there and 'Ham?' here" in err
    code, _, err = run(*command[:-6], "--budget", 50, *command[-4:])
    assert code == 2 and "with another plan: budget is 40 there and 50 here" in err
    goal = ["import", "items.csv", *COLUMNS, "--margin", 0.04, "--store", url, "--project", "goal"]
    code, out, _ = run(*goal)
    assert code == 0 and "we know more after 60 labels. The plan is frozen now." in out, out


def test_a_misspelt_setting_is_refused(
    items: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    population = lc.read_population(items, id="id", content="text", scores={"lr": "score"})
    plan = lc.Plan("simple_random", "prevalence", budget=5)
    with pytest.raises(ValueError, match="no setting 'qestion' of a project; did you mean 'quest"):
        lc.Session(population, plan, settings={"qestion": "Spam?"})
    monkeypatch.setenv("LABELCORE_ANCHR", "seals")
    code, _, err = run("status", "--store", f"sqlite:///{tmp_path}/none.db")
    assert code == 2 and "no setting LABELCORE_ANCHR; did you mean 'LABELCORE_ANCHOR'?" in err
    with pytest.raises(ValueError, match="LABELCORE_ANCHR"):
        prepared(Mock()).__aenter__().send(None)  # A browser test may have a loop in this thread.
    with pytest.raises(ValueError, match="LABELCORE_ANCHR; did you mean 'LABELCORE_ANCHOR'"):
        lc.Session(population, plan)
    monkeypatch.delenv("LABELCORE_ANCHR")
    texts = [file.read_text("utf-8") for file in Path(lc.__path__[0]).rglob("*.py")]
    for name in re.findall(r"\bLABELCORE_[A-Z_]+\b", " ".join(texts)):
        monkeypatch.setenv(name, "")
    check_environment()


def test_what_is_judged_is_never_proposed_to_be_the_truth(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "items.csv"
    rows = "".join(f"m{n},{'lunch' * (n % 3)} {n}?,{n / 40},{n % 2}\n" for n in range(40))
    file.write_text(f"id,said,lr_score,true_label\n{rows}", "utf-8")
    code, _, err = run("check", file)
    assert code == 2 and "it could be said. Say what is judged, such as --content said." in err


def test_import_of_a_bad_plan_leaves_nothing(items: Path, tmp_path: Path, run: Run) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    code, _, err = run("import", items, *COLUMNS, "--store", url, "--design", "guess")
    assert code == 2 and "design names 'guess'" in err
    assert not (tmp_path / "new.db").exists()


def test_export_report_and_replay(
    items: Path, store: str, html: str, bundle: Path, tmp_path: Path, run: Run
) -> None:
    where = ["--store", store, "--project", "spam", "-o"]
    for what in ("events", "estimates"):
        code, _, err = run("export", what, *where, tmp_path / f"{what}.csv", "--bom")
        assert (code, err) == (0, "")
        assert (tmp_path / f"{what}.csv").read_text("utf-8").startswith("\ufeff")
    code, out, _ = run("report", *where, tmp_path / "r.html")
    assert code == 0 and "Answers: 50 labelled." in out
    assert run("report", *where, tmp_path / "r.json")[0] == 0
    assert (tmp_path / "r.html").read_text("utf-8") == html
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["schema_version"] == 1
    code, out, _ = run("replay", bundle, "--file", items)
    assert code == 0 and "Everything agrees." in out
    values = run.json("replay", "--store", store, "--project", "spam")
    assert values["agrees"] is True and values["draws"] == 50


def test_errors_go_into_the_file_and_scores_are_corrected_where_that_is_asked(
    store: str, html: str, tmp_path: Path, run: Run
) -> None:
    where, session = ["--store", store, "--project", "spam", "-o"], lc.Session.open(store, "spam")
    assert run("report", *where, tmp_path / "r.html", "--errors")[0] == 0
    assert (tmp_path / "r.html").read_text("utf-8") == report_html(session, errors=True) != html
    code, _, err = run("report", *where, tmp_path / "r.pdf", "--errors")
    assert code == 2 and "--errors: they go into the HTML file only, got '.pdf'" in err
    assert run("export", "corrected", *where, tmp_path / "c.csv")[0] == 0
    table = pd.read_csv(tmp_path / "c.csv", dtype={"id": str})
    pd.testing.assert_frame_equal(table, session.corrected_scores())
    given = ["export", "corrected", *where, tmp_path / "d.csv", "--classifier", "nobody"]
    code, _, err = run(*given)
    assert code == 2 and "nobody" in err and not (tmp_path / "d.csv").exists()


def test_a_report_comes_of_a_store_that_can_only_be_read(
    store: str, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise StoreNotWritableError("the disk is read-only")

    monkeypatch.setattr(SqliteStore, "note_acts", refused)
    where = ["report", "--store", store, "--project", "spam", "-o", tmp_path / "r.json"]
    code, out, err = run(*where)
    assert (code, err) == (0, "") and "r.json" in out and (tmp_path / "r.json").exists()


def test_the_name_of_a_report_says_what_is_in_it(store: str, tmp_path: Path, run: Run) -> None:
    where = ["report", "--store", store, "--project", "spam"]
    session = lc.Session.open(store, "spam")
    assert run(*where, "-o", tmp_path / "r.CSV")[0] == 0
    assert (tmp_path / "r.CSV").read_bytes() == estimates_csv(session).encode()
    assert run(*where, "-o", tmp_path / "report", "--format", "json")[0] == 0
    assert json.loads((tmp_path / "report").read_text("utf-8"))["schema_version"] == 1
    code, _, err = run(*where, "-o", tmp_path / "r.json", "--format", "html")
    assert code == 2 and "the report can be written as .html, got '.json'" in err


def test_nothing_is_written_over_without_being_told(store: str, tmp_path: Path, run: Run) -> None:
    path = tmp_path / "mine.csv"
    path.write_text("mine", "utf-8")
    where = ["export", "events", "--store", store, "--project", "spam", "-o", path]
    code, _, err = run(*where)
    assert code == 2 and "give --force" in err and path.read_text("utf-8") == "mine"
    assert run(*where, "--force")[0] == 0
    assert path.read_text("utf-8") != "mine"


def test_a_failed_replay_is_exit_code_1_and_names_the_event(
    items: Path, bundle: Path, tmp_path: Path, run: Run
) -> None:
    log = member(bundle, "log.jsonl").replace(b'"label":"yes"', b'"label":"no"', 1)
    changed = repacked(bundle, tmp_path / "c.zip", {"log.jsonl": log})
    code, out, err = run("replay", changed, "--file", items)
    assert (code, out) == (1, "")
    assert err.startswith("event 2: its hash does not follow")
    code, out, _ = run("replay", changed, "--file", items, "--json")
    assert code == 1
    assert json.loads(out)["event"] == 2 and json.loads(out)["agrees"] is False


@pytest.mark.parametrize("group", ["", "erase", PEOPLE])
def test_a_group_without_a_command_prints_its_help_as_it_is(run: Run, group: str) -> None:
    _, told, _ = run(*group.split(), "--help")
    assert told.count("\n") > 10 and run(*group.split()) == (2, "", told)


def test_a_fresh_process_prints_to_standard_output(store: str, root: Path) -> None:
    command = [sys.executable, "-m", "labelcore", "export", "events", "--store", store]
    done = subprocess.run(
        [*command, "--project", "spam", "-o", "-"], cwd=root, capture_output=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"event_id,project,")


def test_help_is_exit_code_0(run: Run) -> None:
    for name in ("", *COMMANDS):
        code, out, err = run(*filter(None, [name]), "--help")
        assert (code, err) == (0, "") and out.startswith("Usage: labelcore")
    assert run()[0] in (0, 2)


def test_dialect_where_detection_would_err(tmp_path: Path, run: Run) -> None:
    file = tmp_path / "de.csv"
    file.write_text("1;x;0,5\n2;y;0,75\n", "utf-8")
    arguments = ["check", str(file), "--content", "column 2", "--score", "m=column 3"]
    given = ["--dialect", "header=false", "--dialect", "delimiter=;"]
    code, out, _ = run(*arguments, *given)
    assert code == 0 and "2 items, no fault" in out
    code, _, told = run(*arguments, *given, "--dialect", "decimal=.")
    assert code == 2 and "'0,5'" in told


def test_a_file_that_moved_is_named(tmp_path: Path, run: Run) -> None:
    place = ["--store", labelled(tmp_path), "--project", "spam", "-o"]
    moved = (tmp_path / "items.csv").rename(tmp_path / "moved.csv")
    assert run("report", *place, tmp_path / "copy.csv")[0] == 0
    (copies,) = tmp_path.glob("*.items")
    shutil.rmtree(copies)
    code, _, err = run("report", *place, tmp_path / "r.csv")
    assert code == 2 and "Put the file back, or say where it is now" in err
    assert run("report", *place, tmp_path / "r.csv", "--file", moved)[0] == 0
    assert run("export", "bundle", *place, tmp_path / "b.zip", "--file", moved)[0] == 0
    assert run("replay", tmp_path / "b.zip", "--file", moved)[0] == 0
    moved.write_text(moved.read_text("utf-8") + "m999,new,0.5\n", "utf-8")
    code, _, err = run("report", *place, tmp_path / "s.csv", "--file", moved)
    assert code == 2 and "is not the file whose items are labelled in project 'spam'" in err
    assert err.count("\n") == 1
    moved.write_text("id,text\n1,x\n", "utf-8")
    code, _, err = run("report", *place, tmp_path / "s.csv", "--file", moved)
    assert code == 2 and "is not the file whose items" in err and "names no column" in err


def test_an_open_session_reports_without_its_file(items: Path, tmp_path: Path) -> None:
    session = session_on(items)
    answer_draws(session, lambda draw: draw.index % 2, 20)
    draw = next_draw(session)
    before = session.item(draw)
    items.unlink()
    assert session.item(draw) == before
    session.answer(draw, "yes")
    session.finish()
    assert "21 labels" in report_html(session)


def test_a_helper_is_named_on_the_command_line(tmp_path: Path, run: Run) -> None:
    rows = [f"i{n},t {n},{n / 200},{'pass' if n % 7 > 3 else 'fail'}" for n in range(200)]
    path = tmp_path / "judged.csv"
    path.write_text("\n".join(["id,text,score,judge", *rows]) + "\n", "utf-8")
    given = ("plan", path, *COLUMNS, "--helper", "judge=judge", "--budget", "60")
    assert run.json(*given)["plan"]["params"]["helpers"] == ["judge"]
    without = run.json(*given, "--param", "helpers=[]")
    assert without["plan"]["params"]["helpers"] == []


@rooms.needs("team")
def test_people_get_roles_and_lose_them(
    tmp_path: Path, run: Run, caplog: pytest.LogCaptureFixture
) -> None:
    at = ("--every-project", "--data", tmp_path)
    code, out, _ = run("people", "add", "Ann", "--role", "annotator", *at)
    assert code == 0 and re.fullmatch(r"http://127\.0\.0\.1:8501/\?start=[\w-]{48}\n", out)
    (tmp_path / ".people" / ".address").write_text("https://labels.example", "utf-8")
    code, out, _ = run("people", "add", "Bob", "--role", "viewer", "--json", *at)
    assert json.loads(out)["link"].startswith("https://labels.example/?start=")
    code, out, _ = run("people", "add", "c@d.org", "--role", "owner", "--login", *at)
    assert code == 0 and "start=" not in out
    for name, rule in (
        ("ANN", "has a role already"), ("me 2", "no name that browsers are given"),
        (" ", "must not be empty"), ("a\u202eb", "does not show"), ("x" * 101, "at most 100"),
    ):  # fmt: skip
        code, _, error = run("people", "add", name, "--role", "owner", *at)
        assert code == 2 and "name must" in error and rule in error
    at = ("--data", tmp_path)
    code, _, error = run("people", "add", "Eve", "--role", "owner", *at)
    assert code == 2 and "say where: --project NAME" in error
    code, _, error = run("people", "give", "Ann", "--role", "owner", "--project", "x", *at)
    assert code == 2 and "project must be one of those there (none yet), got 'x'" in error
    for given in (("give", "Ann", "--role", "owner"), ("take", "Ann")):
        code, _, error = run("people", *given, *at)
        assert code == 2 and "Missing option '--project'" in error
    code, _, error = run(
        "people", "add", "Eve", "--role", "owner", "--every-project", "--days", "9" * 9, *at
    )
    assert code == 2 and "1<=x<=3650" in error
    assert run("people", "remove", "ann", *at)[0] == 0
    code, _, error = run("people", "remove", "Ann", *at)
    assert code == 2 and "('Bob', 'c@d.org')" in error
    _, out, _ = run("people", "list", *at)
    assert re.fullmatch(r"Bob: viewer, by link, ends [\d-]+\nc@d.org: owner, by login\n", out)
    # A file that somebody broke lets nobody in, and hides nobody else.
    (file,) = [one for one in (tmp_path / ".people").glob("*.json") if "Bob" in one.read_text()]
    file.write_text("{", "utf-8")
    assert run("people", "list", *at)[1] == "c@d.org: owner, by login\n"
    assert f"{file} is no file of a person and lets nobody in" in caplog.text


def test_edges_of_one_column_are_given_at_once(tmp_path: Path, run: Run) -> None:
    """The last ones counted, and the others were gone without a word."""
    file = tmp_path / "items.csv"
    file.write_text("text,score\nfirst,0.1\nsecond,0.9\n", "utf-8")
    given = ["check", file, "--content", "text", "--groups", "score=0.2"]
    assert run(*given)[0] == 0
    code, out, err = run(*given, "--groups", "score=0.8")
    assert (code, out) == (2, "") and "--groups names 'score' twice" in err
