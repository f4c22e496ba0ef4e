"""`labelcore check FILE`: what a log of model calls supports, and the command that starts it."""

import json
import shlex
from pathlib import Path
from random import Random
from typing import Any

import pandas as pd
import pytest
from openpyxl import Workbook

from labelcore.cli.options import pairs
from tests.cli.conftest import Run
from tests.population.test_traces import TRACES

MODELS, PROMPTS = ("large", "small", "tiny"), 40


def logged(n: int, random: Random) -> dict[str, Any]:
    good = random.random() < 0.6
    strict = "ERROR" if n == 5 else None if n == 6 else "pass" if good else "fail"
    scores = [{"name": "strict", "value": strict}, {"name": "kind", "value": 4 if good else n % 4}]
    scores += [{"name": "strict", "value": "fail" if good else "pass"}] if n == 7 else []
    return {"id": n, "prompt_id": f"p{n // 3}", "model": MODELS[n % 3], "prompt": f"{n // 3}?",
            "answer": f"It is {n}.", "scores": scores}  # fmt: skip


@pytest.fixture
def log(tmp_path: Path) -> Path:
    random, path = Random(3), tmp_path / "judged.jsonl"
    rows = [logged(n, random) for n in range(3 * PROMPTS) if n != 4]
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


def test_what_a_log_supports_in_ten_lines(log: Path, run: Run) -> None:
    code, out, _ = run("check", log)
    lines = out.splitlines()
    assert code == 0 and len(lines) == 10
    assert lines[0] == "judged.jsonl: 119 answers; judged: prompt and answer."
    assert lines[1] == "3 systems (model): large, small, tiny."
    assert "ERROR 1, empty 1. Passes large" in lines[2]
    assert lines[3].startswith("Judge kind: 0 to 4;")
    assert lines[4] == "scores[name=strict]: twice in 1 answer; the first counts."
    assert "strict and kind over 2 agree on" in lines[5]
    assert lines[6] == "40 prompts (prompt_id): 39 answered by all systems, 0 by one."
    assert lines[7] == "No answers by people yet." and lines[8].startswith("119 labels tell")
    log.write_text(log.read_text("utf-8").replace('"prompt_id"', '"number"'), "utf-8")
    assert "No prompt ids: systems can be compared on diff" in run("check", log)[1]


def test_a_plan_is_priced_in_the_words_of_the_field(log: Path, run: Run) -> None:
    start = run("check", log)[1].splitlines()[-1]
    _, _, *options = shlex.split(start.removeprefix("Start: "))
    plan = ["plan", *options[: options.index("--store")]]
    code, out, _ = run(*plan)
    assert code == 0 and "pass rate: plus or minus" in out and "prevalence" not in out
    assert "prevalence" in run.json(*plan)["expected_half_width"]


def test_agreement_and_rates_are_those_of_the_rows(log: Path, run: Run) -> None:
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    strict = [row["scores"][0]["value"] == "pass" for row in rows]
    kind = [row["scores"][1]["value"] > 2 for row in rows]
    same = sum(a == b for a, b in zip(strict, kind, strict=True)) / len(rows)
    chance = sum(strict) * sum(kind) + (119 - sum(strict)) * (119 - sum(kind))
    chance /= 119**2
    values = run.json("check", log)
    agreed = values["agreement"]["strict and kind over 2"]
    assert agreed["share"] == pytest.approx(same, abs=1e-12)
    assert agreed["kappa"] == pytest.approx((same - chance) / (1 - chance), abs=1e-12)
    tiny = [one for row, one in zip(rows, strict, strict=True) if row["model"] == "tiny"]
    assert values["pass_rates"]["strict"]["tiny"] == pytest.approx(sum(tiny) / len(tiny))


def test_the_command_starts_a_project(
    log: Path, tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    command = run.json("check", log)["command"]
    program, *arguments = shlex.split(command)
    assert program == "labelcore"
    place = arguments.index("--budget") + 1
    arguments[place] = "60"
    code, out, err = run(*arguments)
    assert code == 0 and "119 items of judged.jsonl, planned for 60 labels" in out, err


@pytest.mark.parametrize("name", ["langfuse.json", "phoenix.parquet", "genai.jsonl"])
def test_what_tools_wrote_is_known(name: str, run: Run) -> None:
    values = run.json("check", TRACES / name)
    assert values["rows"] == 12 and values["prompts"]["all_systems"] == 6


def test_an_ordinary_file_is_checked_as_its_columns_suggest(
    tmp_path: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = (
        f"{n},a message number {n},0.{n},{'complaint' if n > 50 else 'none'}" for n in range(10, 99)
    )
    (tmp_path / "posts.csv").write_text("\n".join(["id,text,score,predicted", *rows]))
    monkeypatch.chdir(tmp_path)
    code, out, err = run("check", "posts.csv")
    lines = out.splitlines()
    assert code == 0 and lines[1:4] == [
        "Guessed: people judge text.",
        "Ids: id.",
        "Classifier 'classifier': score score, prediction predicted.",
    ], err
    _, *started = shlex.split(lines[-1].removeprefix("Start: "))
    started[started.index("--budget") + 1] = "20"
    assert (
        "Classes: complaint, none (positive: complaint)." in lines
        and "--positive complaint" in lines[-1]
    )
    assert "'complaint' is the positive class." in run(*started)[1]


def test_scores_without_a_prediction_start_as_a_ranked_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, run: Run
) -> None:
    monkeypatch.chdir(tmp_path)
    rows = "".join(f"m{n},message {n},{n / 300}\n" for n in range(300))
    Path("ranked.csv").write_text(f"id,text,score\n{rows}", "utf-8")
    _, *told, start = run("check", "ranked.csv")[1].splitlines()
    assert "--classifier classifier --estimand precision_curve --budget 200" in start
    Path("parts").mkdir()
    ranked = pd.read_csv("ranked.csv")
    ranked[:99].to_parquet("parts/0.parquet", index=False)
    ranked[99:].to_parquet("parts/1.parquet", index=False)
    for parts in ("parts", "parts/*.parquet"):
        assert run("check", parts)[1].splitlines()[1:-1] == told
    assert run(*shlex.split(start)[2:])[0] == 0


def test_other_files_are_refused_with_what_to_give(tmp_path: Path, run: Run) -> None:
    (tmp_path / "header.csv").write_text("id,text,score,predicted\n")
    code, _, err = run("check", tmp_path / "header.csv")
    assert code == 2 and "header.csv: it has a header but no rows." in err
    book = Workbook()
    for row in ("note", "see the next"), ("a", "b"):
        book.worksheets[0].append(row)
    book.create_sheet("data").append(("id", "text"))
    book["data"].append((1, "Is this a text?"))
    book.save(tmp_path / "two.xlsx")
    code, _, err = run("check", tmp_path / "two.xlsx")
    assert code == 2 and "columns note, see the next" in err
    assert "--content 'see the next'. 2 sheets: Sheet, data; choose by --dialect sheet=NAME" in err
    code, out, _ = run("check", tmp_path / "two.xlsx", "--dialect", "sheet=data")
    assert code == 0 and "people judge text" in out and "--dialect sheet=data" in out
    (tmp_path / "a.csv").write_text("id,text\n1,a\n2,b\n")
    code, _, err = run("check", tmp_path / "none.jsonl")
    assert code == 2 and "there is no such file" in err
    code, _, err = run("check", tmp_path / "a.csv", "--content", "text", "--passing", "x")
    assert code == 2 and "--passing must be NAME=VALUE" in err


def test_names_are_divided_from_paths_outside_brackets() -> None:
    given = ["a=scores[name=b].value", "c=d=e", "f=g"]
    assert pairs(given, "--score") == {"a": "scores[name=b].value", "c=d": "e", "f": "g"}


def test_judges_that_pass_everything_have_no_kappa(log: Path, run: Run) -> None:
    rows = [json.loads(line) for line in log.read_text().splitlines()]
    for row in rows:
        row["scores"] = [{"name": name, "value": "pass"} for name in ("a", "b")]
        row["scores"].append({"name": "c", "value": "pass" if row["id"] % 2 else "fail"})
    log.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    assert run.json("check", log)["agreement"]["a and b"] == {"share": 1.0, "kappa": None}
    assert "a and b agree on 100 %, no kappa." in run("check", log)[1]
