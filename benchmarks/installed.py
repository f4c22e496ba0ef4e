"""The installed package in an environment of its own, beside tools that it exchanges files with.

Run by `.ci/installed`, outside the checkout: what is imported is the wheel.
"""

from __future__ import annotations

import importlib.metadata as metadata
import importlib.util
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import labelcore as lc
from labelcore.cli import main
from labelcore.cli.serving import first_page
from labelcore.exchange import LABELLED_FORMS

STORE = ["--store", "sqlite:///labels.db", "--project", "spam"]


def say(what: str, *facts: object) -> None:
    print(f"{what}: {' '.join(map(str, facts))}", flush=True)


def command(*arguments: str) -> int:
    """A command of the installed script; its exit code."""
    script = Path(sys.executable).with_name("labelcore")
    done = subprocess.run([str(script), *arguments], capture_output=True, text=True, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    say(f"labelcore {arguments[0]}", f"exit code {done.returncode};", lines[-1] if lines else "")
    return done.returncode


def frame(items: int = 600) -> tuple[Any, dict[str, bool]]:
    """A table of polars where there is one, else of pandas."""
    rng = random.Random(1)
    score = [round(rng.betavariate(0.6, 1.2), 4) for _ in range(items)]
    truth = {f"m{n}": rng.random() < one for n, one in enumerate(score)}
    columns = {"id": list(truth), "text": [f"message {n}" for n in range(items)], "p": score}
    name = "polars" if importlib.util.find_spec("polars") else "pandas"
    library = importlib.import_module(name)
    say("items from", name, metadata.version(name))
    return library.DataFrame(columns), truth


def session() -> lc.Session:
    """From a table in memory to labels and a report, partly by the command line."""
    table, truth = frame()
    population = lc.read_population(
        table, id="id", content=["text"], scores={"lr": "p"}, thresholds={"lr": 0.5}
    )
    plan = lc.Plan(
        "recalibrated_neyman", ["precision", "recall"], budget=120, claims=["precision >= 0.3"],
        stop=(), seed=7,
    )  # fmt: skip
    made = lc.Session(population, plan, "sqlite:///labels.db", "spam")
    for _ in range(60):
        draw = made.next("ann")
        assert draw is not None
        made.answer(draw, truth[draw.item_id])
    made.store.close()
    command("draw", *STORE, "--batch", "60", "--annotator", "ben", "--as", "label-studio",
            "-o", "tasks.json")  # fmt: skip
    tasks = json.loads(Path("tasks.json").read_text("utf-8"))
    back = [
        {"id": n, **task, "annotations": [_annotation(n, truth[task["data"]["labelcore_id"]])]}
        for n, task in enumerate(tasks, 1)
    ]
    Path("export.json").write_text(json.dumps(back), "utf-8")
    command("answer", "export.json", *STORE)
    command("labels", *STORE, "-o", "labels.parquet")
    for tool in ("label-studio", "asreview"):
        suffix = "csv" if tool == "asreview" else "json"
        command("export", "labels", *STORE, "--as", tool, "-o", f"{tool}.{suffix}")
    command("report", *STORE, "-o", "report.html")
    command("export", "bundle", *STORE, "-o", "bundle.zip")
    kept = next(Path("labels.items").glob("*/*.parquet"))
    command("replay", "bundle.zip", "--file", str(kept))
    command("gate", *STORE)
    return lc.Session.open("sqlite:///labels.db", "spam")


def _annotation(number: int, positive: bool) -> dict[str, Any]:
    """A skip at every tenth."""
    choice = {"from_name": "verdict", "to_name": "text0", "type": "choices", "origin": "manual"}
    result = [{"id": "a", **choice, "value": {"choices": ["yes" if positive else "no"]}}]
    skipped = number % 10 == 0
    return {"id": number, "was_cancelled": skipped, "result": [] if skipped else result,
            "completed_by": 1, "created_at": "2026-01-01T00:00:00Z"}  # fmt: skip


def label_studio(made: lc.Session) -> None:
    """Its own converter reads what we write."""
    if importlib.util.find_spec("label_studio_sdk") is None:
        return
    from label_studio_sdk.converter import Converter

    main(["export", "config", *STORE, "-o", "view.xml", "--force"])
    converter = Converter(Path("view.xml").read_text("utf-8"), None)
    converter.convert_to_json_min("label-studio.json", "converted", is_dir=False)
    found = {
        row["labelcore_id"]: row.get("verdict")
        for row in json.loads(next(Path("converted").glob("*.json")).read_text("utf-8"))
    }
    table = made.labels_table().dropna(subset=["answer"])
    same = sum(
        found.get(one) == said for one, said in zip(table["id"], table["answer"], strict=True)
    )
    say(
        f"label-studio-sdk {metadata.version('label-studio-sdk')} converts our export",
        f"{same} of {len(table)} classes as they were;",
        f"{len(made.labels_table()) - len(table)} skips of ours are no rows there",
    )


def asreview(made: lc.Session) -> None:
    """Its own readers read what we write, and we read the references that its writer writes."""
    if importlib.util.find_spec("asreview") is None:
        return
    import rispy
    from asreview.data.tabular import CSVReader

    answers = made.labels_table()["answer"]
    wanted = [{"yes": 1, "no": 0}.get(one) for one in answers]
    read = [one.included for one in CSVReader.read_records("asreview.csv", dataset_id="ours")]
    same = sum(a == b for a, b in zip(read, wanted, strict=True))
    say(
        f"asreview {metadata.version('asreview')} reads our export",
        f"{same} of {len(wanted)} labels as they were, {wanted.count(None)} of them unseen",
    )
    words = {1: "ASReview_relevant", 0: "ASReview_irrelevant", None: "ASReview_not_seen"}
    entries = [
        {"type_of_reference": "JOUR", "title": f"paper {n}", "notes": [words[one]]}
        for n, one in enumerate(wanted)
    ]
    Path("refs.ris").write_text(rispy.dumps(entries), "utf-8")
    found = lc.read_population(
        "refs.ris", content="title", known="annotation", classes=["irrelevant", "relevant"]
    )
    assert found.known is not None
    known = [None if code < 0 else code for code in found.known.tolist()]
    same = sum(a == b for a, b in zip(known, wanted, strict=True))
    say(
        f"we read the RIS of rispy {metadata.version('rispy')}",
        f"{same} of {len(wanted)} labels as they were",
    )


def hugging_face(made: lc.Session) -> None:
    """Its own library reads what we write, and we read what it writes."""
    if importlib.util.find_spec("datasets") is None:
        return
    import datasets

    table = made.labels_table()
    Path("labelled.parquet").write_bytes(LABELLED_FORMS["hugging-face"](made))
    datasets.disable_progress_bars()
    loaded = datasets.Dataset.from_parquet("labelled.parquet", cache_dir="cache")
    names = loaded.features["label"]
    wanted = [one if isinstance(one, str) else None for one in table["answer"]]
    read = [None if code is None else names.int2str(code) for code in loaded["label"]]
    same = sum(a == b for a, b in zip(read, wanted, strict=True))
    say(f"datasets {metadata.version('datasets')} reads our export",
        f"{same} of {len(wanted)} labels as they were; {names}")  # fmt: skip
    loaded.to_parquet("theirs.parquet")
    found = lc.read_population("theirs.parquet", id="labelcore_id", content="text", known="label",
                               classes=["no", "yes"])  # fmt: skip
    assert found.known is not None
    known = [None if code < 0 else found.classes[code] for code in found.known]
    same = sum(a == b for a, b in zip(known, wanted, strict=True))
    say("we read the Parquet of datasets", f"{same} of {len(wanted)} labels as they were")


def pages() -> None:
    """The pages that the wheel brought, run without a browser."""
    from streamlit.testing.v1 import AppTest

    first = first_page()
    tried = AppTest.from_file(str(first), default_timeout=120).run()
    say(
        "first page",
        "of the wheel," if "site-packages" in str(first) else "of the checkout,",
        f"{len(tried.exception)} exceptions,",
        f"{len(tried.button)} buttons;",
        f"{len(list((first.parent / 'pages').glob('*.py')))} more pages",
    )


def run() -> None:
    """Everything, line by line."""
    say("labelcore", lc.__version__, "in", "site-packages" in str(lc.__file__))
    say("beside", *(f"{one} {metadata.version(one)}" for one in ("pandas", "numpy", "scipy")))
    made = session()
    table = made.labels_table()
    say("labels_table", f"{len(table)} rows, weights sum to {table['weight'].sum():.0f}")
    say("results", made.results()["precision"].sentence())
    label_studio(made)
    asreview(made)
    hugging_face(made)
    pages()


if __name__ == "__main__":
    run()
