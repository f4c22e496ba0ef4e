"""Files of other tools, written as those tools write them, and what they are read as."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.errors import PopulationError
from labelcore.population import foreign
from labelcore.population.foreign import recognised
from labelcore.population.tables import recognised_as_table


def lines(path: Path, *records: Any) -> Path:
    path.write_text("".join(json.dumps(one) + "\n" for one in records), "utf-8")
    return path


def said(population: lc.Population) -> list[str]:
    assert population.known is not None
    return ["" if code < 0 else population.classes[code] for code in population.known]


def test_doccano(tmp_path: Path) -> None:
    path = lines(
        tmp_path / "all.jsonl",
        {"id": 12, "text": "Win", "item": "m-1", "label": ["spam"], "Comments": ["bait", "?"]},
        {"id": 13, "text": "Lunch", "item": "m-2", "label": ["ham"], "Comments": []},
        {"id": 14, "text": "Hm", "item": "m-3", "label": [], "Comments": []},
    )
    found = lc.read_population(path, id="id", content=["text", "comments"], known="annotation",
                               classes=["ham", "spam"])  # fmt: skip
    assert found.name == "all.jsonl"
    assert found.ids() == ["12", "13", "14"] and found.is_table
    assert said(found) == ["spam", "ham", ""]
    assert found.content("12") == {"text": "Win", "comments": "bait ?"}
    lines(path, {"id": 1, "text": "a", "label": ["x"]}, {"id": 2, "text": "b", "label": ["x", "y"]})
    classes = lc.read_population(path, content="text", known="annotation", classes=["x", "x, y"])
    assert said(classes) == ["x", "x, y"]
    spans = lines(tmp_path / "spans.jsonl", {"id": 1, "text": "a", "label": [[0, 1, "x"]]})
    assert recognised(spans) is None


PRODIGY = {"_input_hash": 5, "_task_hash": 7, "_view_id": "classification", "_session_id": "s-a1"}


def test_prodigy_binary(tmp_path: Path) -> None:
    meta = {"item": "m-1", "score": 0.93}
    path = lines(
        tmp_path / "db.jsonl",
        {**PRODIGY, "text": "Win", "label": "SPAM", "meta": meta, "answer": "accept"},
        {**PRODIGY, "text": "Hi", "label": "SPAM", "meta": {"score": 1}, "answer": "reject"},
        {**PRODIGY, "text": "Hm", "label": "SPAM", "meta": {"score": 0.5}, "answer": "ignore"},
    )
    found = lc.read_population(path, content="text", scores={"a": "score"}, known="annotation",
                               classes=["not SPAM", "SPAM"])  # fmt: skip
    assert said(found) == ["SPAM", "not SPAM", ""]
    assert found.scores["a"].tolist() == [0.93, 1.0, 0.5]


def test_prodigy_choice_of_none_is_no_answer(tmp_path: Path) -> None:
    options = [{"id": "spam", "text": "Spam"}, {"id": "ham", "text": "Ham"}]
    common = {**PRODIGY, "options": options, "answer": "accept", "_view_id": "choice"}
    path = lines(
        tmp_path / "db.jsonl",
        {**common, "text": "a", "accept": ["ham"]},
        {**common, "text": "b", "accept": []},
        {**common, "text": "c", "accept": ["spam"]},
        {**common, "text": "d", "accept": ["spam"], "answer": "ignore"},
    )
    classes = ["ham", "spam"]
    found = lc.read_population(path, content="text", known="annotation", classes=classes)
    assert said(found) == ["ham", "", "spam", ""]


def hugging_face(path: Path, codes: Sequence[int | None]) -> Path:
    names = {"names": ["ham", "spam"], "_type": "ClassLabel"}
    features = {"text": {"dtype": "string", "_type": "Value"}, "label": names, "model": names}
    key = json.dumps({"info": {"features": features}})
    table = pa.table({"text": [f"t{n}" for n in range(len(codes))], "label": codes, "model": codes})
    pq.write_table(table.replace_schema_metadata({"huggingface": key}), path, row_group_size=2)
    return path


def test_hugging_face_numbers_become_the_names_of_the_file(tmp_path: Path) -> None:
    path = hugging_face(tmp_path / "train.parquet", [1, 0, None, -1, 1])
    found = lc.read_population(path, content="text", known="label", classes=["ham", "spam"])
    assert found.classes == ("ham", "spam") and said(found) == ["spam", "ham", "", "", "spam"]
    whole = hugging_face(tmp_path / "whole.parquet", [1, 0, 1])
    predicted = lc.read_population(whole, content="text", predictions={"m": "model"})
    assert predicted.predictions["m"].tolist() == [1, 0, 1] and predicted.positive == "spam"
    assert not lc.read_population(path, content="text").is_table
    hugging_face(path, [0, 1, 0, 2])
    with pytest.raises(PopulationError, match="row 4, column 'label': a class label must be below"):
        lc.read_population(path, content="text", known="label")


def test_a_project_made_before_names_were_read_opens_as_it_was(tmp_path: Path) -> None:
    path = hugging_face(tmp_path / "train.parquet", [1, 0, 1, 1])
    url = f"sqlite:///{tmp_path}/labels.db"
    from labelcore.population import read_as_it_is

    before = read_as_it_is(path, id=None, content="text", scores={}, predictions={"m": "label"},
                           thresholds={}, descending=(), classes=None, positive=None, metadata=(),
                           dialect=None)  # fmt: skip
    assert before.classes == ("no", "yes")
    session = lc.Session(before, lc.Plan("simple_random", ["accuracy"], budget=4), url, "old")
    session.answer(session.next(), "yes")  # type: ignore[arg-type]
    session.store.close()
    again = lc.Session.open(url, "old")
    assert again.labels == 1 and again.population.classes == ("no", "yes")


RIS = """TY  - JOUR
N1  - ASReview_relevant
N1  - asreview_note: "borderline"
TI  - Flood warning systems
AB  - We evaluate gauges
  and rivers.
AU  - Ann
AU  - Ben
PY  - 2021
ER  -

TY  - JOUR
N1  - ASReview_not_seen
T1  - Untouched
ER  -
TY  - JOUR
N1  - ASReview_irrelevant
TI  - =1+1
ER  -
"""


def test_ris(tmp_path: Path) -> None:
    path = tmp_path / "refs.ris"
    path.write_text("\ufeff" + RIS.replace("\n", "\r\n"), "utf-8")
    found = lc.read_population(path, content=["title", "abstract"], known="annotation",
                               classes=["irrelevant", "relevant"])  # fmt: skip
    assert said(found) == ["relevant", "", "irrelevant"]
    assert found.content("1") == {
        "title": "Flood warning systems",
        "abstract": "We evaluate gauges and rivers.",
    }
    assert found.column("authors")[0] == "Ann; Ben" and found.column("title")[2] == "=1+1"
    path.write_text(RIS + "TY  - JOUR\n", "utf-8")
    with pytest.raises(PopulationError, match="row 4: the last record .* must end with a line ER"):
        lc.read_population(path, content="title")
    path.write_bytes(b"TY  - \xff\nER  - \n")
    with pytest.raises(PopulationError, match="must be in UTF-8"):
        lc.read_population(path, content="title")


def test_a_file_that_changes_its_form_is_told_by_row(tmp_path: Path) -> None:
    good = {"id": 1, "text": "a", "label": ["x"]}
    path = lines(tmp_path / "a.jsonl", *[good] * 25, {"id": 2, "text": "b", "label": "x"})
    with pytest.raises(PopulationError, match="row 26: this row has another form"):
        lc.read_population(path, content="text", known="annotation")
    path.write_text(json.dumps(good) + "\n" + json.dumps(good)[:-3] + "\n")
    with pytest.raises(PopulationError):
        lc.read_population(path, content="text", known="annotation")


def test_a_line_without_an_end_is_not_read_as_a_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "LONGEST_ROW", 100)
    path = lines(tmp_path / "a.jsonl", {"id": 1, "text": "a" * 200, "label": ["x"]})
    with pytest.raises(PopulationError, match="row 1: a row may have at most"):
        next(foreign._records(path))
    assert recognised(path) is None


def test_a_file_whose_own_columns_are_enough_is_read_as_it_is(tmp_path: Path) -> None:
    path = lines(tmp_path / "a.jsonl", {"id": "a", "text": "x", "label": ["y"], "a.b": "0.5"})
    assert not lc.read_population(path, id="id", content="text").is_table
    dotted = lc.read_population(path, content="text", scores={"m": "a.b"})
    assert not dotted.is_table and dotted.scores["m"].tolist() == [0.5]


def frame() -> pd.DataFrame:
    texts = pd.Categorical(["a prize", "hello"] * 100)
    ids = [f"T-{number:03d}" for number in range(200)]
    return pd.DataFrame(
        {"id": ids, "text": texts, "score": [number / 200 for number in range(200)]}
    )


def test_tables_of_feather_arrow_and_duckdb(tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame())
    frame().to_feather(tmp_path / "items.feather")
    with pa.ipc.new_stream(str(tmp_path / "items.arrows"), table.schema) as stream:
        stream.write_table(table)
    with duckdb.connect(str(tmp_path / "items.duckdb")) as database:
        database.register("given", frame())
        database.execute('create table "my ""own""" as select * from given')
        database.execute("create view theirs as select * from read_text('/etc/passwd')")
    for name in ("items.feather", "items.arrows", "items.duckdb"):
        path = tmp_path / name
        found = lc.read_population(
            path, id="id", content="text", scores={"m": "score"}, thresholds={"m": 0.5}
        )
        assert len(found) == 200 and found.content("T-007") == {"text": "hello"}
        assert recognised_as_table(name, path.read_bytes())[0] == ".parquet"  # type: ignore[index]


def test_what_is_no_table_of_these_is_refused_in_words(tmp_path: Path) -> None:
    frame().to_feather(tmp_path / "whole.feather")
    (tmp_path / "cut.feather").write_bytes((tmp_path / "whole.feather").read_bytes()[:-200])
    (tmp_path / "other.duckdb").write_bytes(b"nothing of the kind" * 500)
    with duckdb.connect(str(tmp_path / "two.duckdb")) as database:
        database.execute("create table a as select 1 as x; create table b as select 2 as x")
    for name, rule in {
        "cut.feather": "is no Feather file of version 2",
        "other.duckdb": "is no DuckDB file",
        "two.duckdb": 'of several write one, COPY "main"."a" TO',
    }.items():
        with pytest.raises(PopulationError, match=f"{name}: .*{rule}"):
            lc.read_population(tmp_path / name, content="x")
