"""A session outside the app: items out, answers back, labels home, and what a build server asks."""

import csv
import inspect
import io
import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
import zipfile
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import labelcore as lc
from labelcore.cli import main, serving
from labelcore.cli.projects import EXPORT_SUFFIXES
from labelcore.exchange import BATCH_SUFFIXES, CONFIGS, LABELLED_FORMS
from tests.answering import answer_draws
from tests.cli.conftest import Run
from tests.report.sessions import session_on, write_items
from tests.rows import write_rows

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")


@pytest.fixture
def made(tmp_path: Path) -> tuple[str, dict[str, bool]]:
    """A store with a project of 40 labels to come, and the truth."""
    truth = write_items(tmp_path / "items.csv")
    url = f"sqlite:///{tmp_path}/labels.db"
    session_on(tmp_path / "items.csv", store=url, budget=40).store.close()
    return url, truth


def place(url: str) -> tuple[str, ...]:
    return ("--store", url, "--project", "spam")


def filled(path: Path, truth: dict[str, bool], column: str = "token") -> Path:
    """The batch with an answer in each row but the last, which stays open."""
    rows = list(csv.DictReader(io.StringIO(path.read_text("utf-8-sig"))))
    for number, row in enumerate(rows[:-1]):
        row["answer"] = "unsure" if number == 3 else "yes" if truth[row["id"]] else "no"
        row["note"] = "odd" if number == 2 else ""
    kept = [name for name in rows[0] if name not in ({"token", "id"} - {column})]
    done = ([row[name] for name in kept] for row in rows)
    return write_rows(path.with_name(f"done-{path.name}"), kept, done)


def opened(path: Path) -> int:
    """Read a file by the reader that its suffix names; how much it holds."""
    content = path.read_bytes()
    match path.suffix:
        case ".csv":
            found: Any = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
            assert len(found[0]) > 1 and None not in found[0]
        case ".json":
            found = json.loads(content)
        case ".jsonl" | ".ndjson":
            found = [json.loads(line) for line in content.decode().splitlines()]
            assert len(found) > 1 and all(isinstance(one, dict) for one in found)
        case ".parquet":
            found = pd.read_parquet(io.BytesIO(content))
        case ".xlsx":
            found = pd.read_excel(io.BytesIO(content))
        case ".xml":
            found = ET.fromstring(content.decode())
        case ".md":
            return len(content.splitlines())
        case ".zip":
            found = zipfile.ZipFile(io.BytesIO(content)).namelist()
        case _:
            raise AssertionError(path)
    return len(found)


FORMS = {what: ([what], suffixes) for what, suffixes in EXPORT_SUFFIXES.items()} | {
    f"labels as {form}": (["labels", "--as", form], one.suffixes)
    for form, one in LABELLED_FORMS.items()
}
SUFFIXES = (".csv", ".json", ".jsonl", ".parquet", ".xlsx")


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A store with a project of pairs and ten labels: every form can be made of it."""
    folder = tmp_path_factory.mktemp("forms")
    truth = write_items(folder / "items.csv")
    items = (folder / "items.csv").read_text("utf-8")
    (folder / "items.csv").write_text(items.replace("id,", "trace_id,", 1), "utf-8")
    url = f"sqlite:///{folder}/labels.db"
    pairs = {"id": ["trace_id", "text"]}
    session = session_on(folder / "items.csv", store=url, budget=40, arguments=pairs)
    answer_draws(session, lambda draw: truth[draw.item_id.partition("|")[0]], 10)
    session.store.close()
    return url


def test_every_form_says_how_its_file_ends() -> None:
    assert all(one.suffixes and one.tool for one in LABELLED_FORMS.values())
    assert list(CONFIGS) == ["label-studio"]


@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_written_in_the_form_that_its_name_says(
    form: str, answered: str, tmp_path: Path, run: Run
) -> None:
    """Five suffixes and those of the form: right, or refused with the right one named."""
    what, right = FORMS[form]
    for suffix in dict.fromkeys((*SUFFIXES, *right, right[0].upper())):
        path = tmp_path / f"out{suffix}"
        code, _, err = run("export", *what, *place(answered), "-o", path)
        if suffix.lower() in right:
            assert code == 0, err
            assert opened(path.rename(path.with_suffix(suffix.lower()))) > 1
        else:
            assert code == 2 and not path.exists()
            assert f"got {suffix!r}; call the file {tmp_path / 'out'}{right[0]}" in err


@pytest.mark.parametrize("form", BATCH_SUFFIXES)
def test_a_batch_is_written_in_the_form_that_its_name_says(
    form: str, made: Any, tmp_path: Path, run: Run
) -> None:
    """Nothing is drawn for a file that is refused."""
    url, _ = made
    for suffix in SUFFIXES:
        path = tmp_path / f"out{suffix}"
        code, _, err = run("draw", "--as", form, *place(url), "--batch", 3, "-o", path)
        assert (code == 0) == (suffix in BATCH_SUFFIXES[form]), err
        assert opened(path) == 3 if code == 0 else not path.exists()


@pytest.mark.parametrize("column", ["token", "id"])
def test_a_batch_goes_out_and_its_answers_come_back(
    made: Any, tmp_path: Path, column: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, truth = made
    batch = tmp_path / "batch.csv"
    given = ["draw", *place(url), "--batch", 10, "--annotator", "ann", "-o"]
    code, out, _ = run(*given, batch)
    assert code == 0 and "10 items for 'ann'" in out
    assert batch.read_text("utf-8-sig").splitlines()[0] == "token,id,text,answer,note"
    run(*given, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_text() == batch.read_text()
    done = filled(batch, truth, column)
    code, out, _ = run("answer", done, *place(url))
    assert code == 0 and "9 answers stored" in out and "1 answer still to be given" in out
    assert "0 answers" not in out
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("id,answer\nnobody,yes\n")
    assert run("answer", wrong, *place(url))[2].startswith("wrong.csv, row 1, column 'id': no item")
    rows = list(csv.DictReader(io.StringIO(done.read_text("utf-8-sig"))))
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    for piped in (done.read_bytes(), json.dumps(rows).encode(), lines.encode()):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(piped)))
        code, out, _ = run("answer", "-", *place(url))
        assert code == 0 and "0 answers stored; 9 answers there already" in out
    session = lc.Session.open(url, "spam")
    assert {one.detail["minutes"] for one in session.events if one.kind == "drawn"} == {1440}
    labels = session.labels_table()
    assert len(labels) == 9 and set(labels["annotator"]) == {"ann"}
    assert sorted(labels["status"]) == ["labelled"] * 8 + ["unsure"]
    assert labels["notes"].tolist().count("odd") == 1
    said = labels.dropna(subset=["answer"])
    assert [truth[one] for one in said["id"]] == (said["answer"] == "yes").tolist()


def test_no_file_is_written_where_nothing_is_drawn(made: Any, tmp_path: Path, run: Run) -> None:
    session = lc.Session.open(made[0], "spam")
    answer_draws(session, "no")
    batch = tmp_path / "batch.csv"
    code, out, _ = run("draw", *place(made[0]), "--annotator", "ann", "-o", batch)
    none = f"Nothing is to be drawn for 'ann' (budget used): {batch} is not written."
    assert code == 0 and out.strip() == none and not batch.exists()
    code, out, _ = run("draw", *place(made[0]), "-o", batch, "--json")
    assert json.loads(out) == {"path": None, "items": [], "status": "budget used"}
    code, out, _ = run("draw", *place(made[0]), "-o", "-")
    assert code == 0 and out.splitlines() == ["\ufefftoken,id,text,answer,note"]


def test_an_answer_that_differs_is_changed_only_where_that_is_asked(
    made: Any, tmp_path: Path, run: Run
) -> None:
    url, _ = made
    batch = tmp_path / "batch.jsonl"
    run("draw", *place(url), "--batch", 3, "-o", batch)
    rows = [json.loads(line) for line in batch.read_text().splitlines()]

    def answered(*answers: str) -> Path:
        told = [{**row, "answer": one} for row, one in zip(rows, answers, strict=True)]
        path = tmp_path / "answers.jsonl"
        path.write_text("".join(json.dumps(row) + "\n" for row in told))
        return path

    run("answer", answered("yes", "no", "broken"), *place(url))
    path = answered("no", "no", "later")
    assert "2 answers not stored, as another one is there" in run("answer", path, *place(url))[1]
    code, out, _ = run("answer", path, *place(url), "--change", "--json")
    found = json.loads(out)
    assert code == 0 and (found["changed"], found["same"], found["different"]) == (1, 1, 1)
    labels = lc.Session.open(url, "spam").labels_table()
    assert labels["answer"].fillna("").tolist() == ["no", "no", ""]


def test_a_file_with_a_fault_stores_nothing(made: Any, tmp_path: Path, run: Run) -> None:
    url, _ = made
    batch = tmp_path / "batch.csv"
    run("draw", *place(url), "--batch", 2, "-o", batch)
    token = batch.read_text("utf-8-sig").splitlines()[1].partition(",")[0]
    bad = tmp_path / "bad.csv"
    bad.write_text(f"token,answer\n{token},yes\nnone,yes\n{token},maybe\n")
    code, _, err = run("answer", bad, *place(url))
    assert code == 2 and "row 2, column 'token': no item that was drawn" in err
    assert "row 3" in err and "answer must be one of no, yes, unsure, later, broken" in err
    assert lc.Session.open(url, "spam").labels == 0
    bad.write_text("item,answer\nx,yes\n")
    code, _, err = run("answer", bad, *place(url))
    assert code == 2 and "its columns are item, answer" in err
    assert run("answer", tmp_path / "none.csv", *place(url))[0] == 2
    code, _, err = run("draw", *place(url), "-o", tmp_path / "b.ods")
    assert code == 2 and "can be written as .csv, .jsonl, .parquet, .xlsx, got '.ods'" in err


@pytest.mark.parametrize("suffix", ["csv", "parquet", "xlsx"])
def test_labels_are_written_by_suffix(made: Any, tmp_path: Path, suffix: str, run: Run) -> None:
    url, truth = made
    batch = tmp_path / "batch.csv"
    run("draw", *place(url), "--batch", 10, "-o", batch)
    run("answer", filled(batch, truth), *place(url))
    path = tmp_path / f"labels.{suffix}"
    code, out, _ = run("labels", *place(url), "-o", path, "--content")
    assert code == 0 and "9 rows" in out
    read: Any = {"csv": pd.read_csv, "parquet": pd.read_parquet, "xlsx": pd.read_excel}[suffix]
    found = read(path)
    assert len(found) == 9 and {"weight", "text", "score_lr"} <= set(found.columns)
    code, _, err = run("labels", *place(url), "-o", path)
    assert code == 2 and "give --force" in err
    code, _, err = run("labels", *place(url), "-o", tmp_path / "labels.txt")
    assert code == 2 and "labels can be written as .csv, .jsonl, .parquet, .xlsx, got '.txt'" in err
    other = tmp_path / f"other.{'csv' if suffix == 'parquet' else 'parquet'}"
    code, _, err = run("labels", *place(url), "-o", other, "--format", suffix)
    assert code == 2 and f"call the file {other.with_suffix(f'.{suffix}')}" in err
    assert not other.exists()


def test_status_says_how_far_it_is(made: Any, run: Run) -> None:
    url, _ = made
    code, out, _ = run("status", "--store", url)
    assert code == 0 and out.startswith("spam (of 2")
    code, out, _ = run("status", *place(url))
    assert code == 0 and out.startswith("spam: open; 0 label") and "planned for 40 labels" in out
    values = json.loads(run("status", *place(url), "--json")[1])
    assert values["labels"] == 0 and values["results"]["precision"]["value"] is None


def test_status_tells_the_first_items_of_a_list(tmp_path: Path, run: Run) -> None:
    truth = write_items(tmp_path / "items.csv")
    population = lc.read_population(
        tmp_path / "items.csv", id="id", content="text", scores={"lr": "score"}
    )
    url = f"sqlite:///{tmp_path}/labels.db"
    plan = lc.Plan("geometric_strata", ["precision_curve"], budget=120, seed=3)
    session = lc.Session(population, plan, url, "spam")
    answer_draws(session, lambda draw: truth[draw.item_id], 120)
    session.store.close()
    code, out, _ = run("status", *place(url))
    assert code == 0 and re.search(r"of the first \d+ items .* are 'yes'", out)
    assert out.count("the band holds for all ranks together") == 1


@pytest.mark.parametrize(
    ("claim", "says", "code", "tag"),
    [
        ("precision >= 0.05", "yes", 0, None),
        ("precision >= 0.95", "no", 1, "failure"),
        ("precision >= 0.5", None, 3, "error"),
    ],
)
def test_gate_is_the_exit_code_of_the_claims(
    claim: str, says: str | None, code: int, tag: str | None, tmp_path: Path, run: Run
) -> None:
    write_items(tmp_path / "items.csv")
    url = f"sqlite:///{tmp_path}/labels.db"
    session = session_on(tmp_path / "items.csv", store=url, budget=60, claims=[claim], stop=())
    while says and (draw := session.next()) is not None:
        session.answer(draw, says)
    session.store.close()
    junit = tmp_path / "junit.xml"
    found, out, err = run("gate", *place(url), "--junit", junit, "--json")
    assert (found, err) == (code, "")
    assert json.loads(out)["exit_code"] == code and list(json.loads(out)["claims"]) == [claim]
    suite = ET.parse(junit).getroot()
    case = suite.find("testcase")
    assert case is not None and case.get("name") == claim
    assert [one.tag for one in case] == ([tag] if tag else [])
    assert suite.get("failures") == str(int(tag == "failure"))


def test_gate_needs_a_claim(made: Any, run: Run) -> None:
    code, _, err = run("gate", *place(made[0]))
    assert code == 2 and "project 'spam' has no claims" in err


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version") == (0, f"labelcore {lc.__version__}\n", "")


def test_app_starts_the_first_page_on_this_machine_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    called: list[tuple[list[str], dict[str, str]]] = []

    def become(command: list[str], environment: dict[str, str]) -> int:
        called.append((command, environment))
        return 0

    monkeypatch.setattr(serving, "become", become)
    hosts = ["--host", "a.example", "--host", "b.example"]
    assert main(["app", "--port", "8599", "--data", str(tmp_path), "--no-browser", *hosts]) == 0
    ((command, environment),) = called
    assert command[1:4] == ["-m", "streamlit", "run"] and Path(command[4]).name == "app.py"
    assert Path(command[4]).is_file()
    options = dict(zip(command[5::2], command[6::2], strict=True))
    assert options["--server.address"] == "127.0.0.1" and options["--server.port"] == "8599"
    assert options["--server.headless"] == "true"
    assert environment["LABELCORE_DATA"] == str(tmp_path)
    assert environment["LABELCORE_HOSTS"] == "a.example,b.example"
    asked = {"hosts": (), "data": None, "store": None, "port": 8599, "no_browser": False}
    for address, quiet in (("127.0.0.1", False), ("0.0.0.0", True)):
        serving.start(asked, address=address)
        assert ("--server.headless" in called[-1][0]) == quiet, "a browser opens here alone"


def test_the_app_takes_the_place_of_the_command() -> None:
    """Whoever ends the command ends the app: nothing goes on in the background."""
    code = f"import os, subprocess, sys\n{inspect.getsource(serving.become)}"
    code += "become([sys.executable, '-c', 'import os; print(os.getpid())'], dict(os.environ))"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as one:
        said, _ = one.communicate(timeout=60)
    assert os.name != "posix" or int(said) == one.pid


def test_an_installation_without_the_app_says_so(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, run: Run
) -> None:
    monkeypatch.setattr(lc, "__path__", [str(tmp_path / "labelcore")])
    code, _, err = run("app")
    assert code == 2 and "the app is missing from this installation" in err
