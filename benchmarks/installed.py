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

TRACES = Path(__file__).parents[1] / "tests" / "data" / "traces"
# A file as a tool's own package wrote it, how it is read, and the tools that its labels go back to.
SENT_BACK: dict[str, tuple[dict[str, str], tuple[str, ...]]] = {
    "langfuse.json": ({"id": "id", "content": "output.content"}, ("langfuse",)),
    "phoenix.parquet": (
        {"id": "context.span_id", "content": "attributes.output.value"},
        ("phoenix",),
    ),
    "genai.jsonl": (
        {"id": "span_id", "content": "attributes.gen_ai.output.messages"},
        ("langfuse", "phoenix"),
    ),
    "datasets.parquet": ({"id": "id", "content": "messages"}, ("datasets",)),
}
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


def traces() -> None:
    """Logs of model calls, labelled and sent back by the packages of the tools that wrote them;
    what these packages send is caught before it leaves."""
    back = {"langfuse": _langfuse, "phoenix": _phoenix, "datasets": _data_set}
    packages = {"langfuse": "langfuse", "phoenix": "arize-phoenix-client", "datasets": "datasets"}
    for file, (given, tools) in SENT_BACK.items():
        made = _judged(file, given)
        answers = made.labels_table().dropna(subset=["answer"]).set_index("id")["answer"].to_dict()
        for tool in tools:
            try:
                name = f"{packages[tool]} {metadata.version(packages[tool])}"
            except metadata.PackageNotFoundError:
                say(f"{file} back to {tool}", f"skipped: {packages[tool]} is not installed")
                continue
            found = back[tool](made)
            same = sum(found.get(one) == said for one, said in answers.items())
            told = f"{same} of {len(answers)} answers as they were, {len(found) - same} others"
            say(f"{file} back by {name}", told)


def _judged(file: str, given: dict[str, str]) -> lc.Session:
    """Every item with an answer, the third not sure."""
    population = lc.read_population(TRACES / file, classes=["fail", "pass"], **given)
    made = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=12), project=file)
    for number in range(len(population)):
        draw = made.next("ann")
        assert draw is not None
        made.answer(draw, "unsure" if number == 2 else ("fail", "pass")[number % 2])
    return made


def _caught() -> tuple[Any, list[Any]]:
    """A client that sends nothing, and what it was to send."""
    import httpx

    sent: list[Any] = []

    def keep(request: httpx.Request) -> httpx.Response:
        sent.append(json.loads(request.content))
        return httpx.Response(200, json={"accepted": 0, "rejected": 0, "errors": [], "data": []})

    return httpx.Client(transport=httpx.MockTransport(keep), base_url="http://127.0.0.1"), sent


def _langfuse(made: lc.Session) -> dict[str, str]:
    from langfuse.api.client import LangfuseAPI
    from langfuse.api.scores import CreateScoreRequest

    client, sent = _caught()
    given = [json.loads(one) for one in LABELLED_FORMS["langfuse"](made).splitlines()]
    scores = LangfuseAPI(base_url="http://127.0.0.1", httpx_client=client).scores
    for _ in range(2):
        scores.create(request=[CreateScoreRequest(**one) for one in given])
    assert sent[0] == sent[1] and len({one["id"] for one in sent[0]}) == len(given)
    return {one.get("observationId", one["traceId"]): one["value"] for one in sent[0]}


def _phoenix(made: lc.Session) -> dict[str, str]:
    import pandas as pd
    from phoenix.client import Client

    client, sent = _caught()
    Path("annotations.parquet").write_bytes(LABELLED_FORMS["phoenix"](made))
    Client(base_url="http://127.0.0.1", http_client=client).spans.log_span_annotations_dataframe(
        dataframe=pd.read_parquet("annotations.parquet")
    )
    (body,) = sent
    assert {one["annotator_kind"] for one in body["data"]} == {"HUMAN"}
    return {one["span_id"]: one["result"]["label"] for one in body["data"]}


def _data_set(made: lc.Session) -> dict[str, str]:
    import datasets
    from huggingface_hub import DatasetCard

    folder = Path("data_set")
    folder.mkdir()
    (folder / "labels.parquet").write_bytes(LABELLED_FORMS["hugging-face"](made))
    (folder / "README.md").write_bytes(LABELLED_FORMS["hugging-face-card"](made))
    card = DatasetCard((folder / "README.md").read_text("utf-8"))
    say("its card", card.data.to_dict())
    loaded = datasets.load_dataset(str(folder), cache_dir="cache")["train"]
    names = loaded.features["label"]
    told = zip(loaded["labelcore_id"], loaded["label"], strict=True)
    return {one: names.int2str(code) for one, code in told if code is not None}


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
    traces()
    pages()


if __name__ == "__main__":
    run()
