"""Tables in memory and folders of Parquet parts: read like the file that they are written as."""

import gc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.errors import (
    MissingItemsError,
    OtherItemsError,
    PopulationError,
    StoreNotWritableError,
)
from labelcore.population.population import FileState
from labelcore.population.tables import VIEWS_FROM
from tests.answering import answer_draws, next_draw

COLUMNS: dict[str, list[Any]] = {
    "id": ["a", "b", "c", "d"],
    "text": ["one", "two", "", "four"],
    "score": [0.9, 0.1, 0.6, 0.2],
    "said": ["spam", "ham", "spam", "ham"],
}
ARGUMENTS: dict[str, Any] = {
    "id": "id",
    "content": ["text"],
    "scores": {"lr": "score"},
    "predictions": {"lr": "said"},
    "positive": "spam",
}
PLAN = lc.Plan("simple_random", ["accuracy"], budget=4)


class Batches:
    """A table of a library that is not installed here: all it has is Arrow's stream."""

    def __init__(self, table: pa.Table) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def views(table: pa.Table) -> Batches:
    """As polars has its texts."""
    columns = {
        name: table[name].cast(pa.string_view()) if name in ("text", "said") else table[name]
        for name in table.column_names
    }
    return Batches(pa.table(columns))


TABLES: dict[str, Callable[[], Any]] = {
    "pandas": lambda: pd.DataFrame(COLUMNS),
    "pandas, any index": lambda: pd.DataFrame(COLUMNS, index=[3, 3, "x", None]),
    "pandas, categories": lambda: pd.DataFrame(COLUMNS).astype({"said": "category"}),
    "arrow": lambda: pa.table(COLUMNS),
    "arrow batches": lambda: pa.table(COLUMNS).to_reader(max_chunksize=2),
    "arrow categories": lambda: pa.table(
        {**COLUMNS, "said": pa.array(COLUMNS["said"]).dictionary_encode()}
    ),
    "arrow stream": lambda: Batches(pa.table(COLUMNS)),
    "views": lambda: views(pa.table(COLUMNS)),
    "dictionaries": lambda: pd.DataFrame(COLUMNS).to_dict("records"),
}


@pytest.mark.parametrize("kind", TABLES)
def test_a_table_reads_as_the_file_of_the_same_items(kind: str, tmp_path: Path) -> None:
    if kind == "views" and int(pa.__version__.partition(".")[0]) < VIEWS_FROM:
        pytest.skip(f"needs pyarrow {VIEWS_FROM}")
    pd.DataFrame(COLUMNS).to_csv(tmp_path / "items.csv", index=False)
    file = lc.read_population(tmp_path / "items.csv", **ARGUMENTS)
    table = lc.read_population(TABLES[kind](), **ARGUMENTS)
    assert table.is_table and not file.is_table
    assert table.ids() == file.ids() and table.classes == file.classes
    np.testing.assert_array_equal(table.scores["lr"], file.scores["lr"])
    np.testing.assert_array_equal(table.predictions["lr"], file.predictions["lr"])
    assert [table.content(one) for one in "abcd"] == [file.content(one) for one in "abcd"]
    assert table.name == "items" and table.path.name == "items.parquet"


def test_the_same_table_has_the_same_fingerprint_and_another_one_not() -> None:
    first, again = (lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS) for _ in range(2))
    other = pd.DataFrame({**COLUMNS, "text": ["one", "two", "", "five"]})
    assert first.fingerprint == again.fingerprint
    assert lc.read_population(other, **ARGUMENTS).fingerprint != first.fingerprint


def test_a_row_may_lack_a_key(tmp_path: Path) -> None:
    rows = [{"text": "a"}, {"text": "b", "told": "yes"}, {"text": "c", "told": "no"}]
    found = lc.read_population(rows, content="text", known="told")
    assert found.known is not None and found.known.tolist() == [-1, 1, 0]


@pytest.mark.parametrize("many", [False, True])
def test_parts_are_one_table_in_the_order_of_their_names(many: bool, tmp_path: Path) -> None:
    table = pa.table(COLUMNS)
    folder = tmp_path / "parts"
    (folder / "inner").mkdir(parents=True)
    pq.write_table(table.slice(2), folder / "part-1.parquet")
    turned = table.slice(0, 2).select(["text", "id", "said", "score"])
    pq.write_table(turned, folder / "part-0.parquet")
    (folder / "_SUCCESS.parquet").write_bytes(b"")
    (folder / ".part-2.parquet").write_bytes(b"")
    source = str(folder / "part-*.parquet") if many else folder
    found = lc.read_population(source, **ARGUMENTS)
    assert found.ids() == COLUMNS["id"] and found.content("d") == {"text": "four"}
    assert found.scores["lr"].tolist() == COLUMNS["score"]


def test_folders_of_parts_say_what_all_of_their_rows_share(tmp_path: Path) -> None:
    for place, name in enumerate(["said=no%2Fyes", "said=__HIVE_DEFAULT_PARTITION__", "said=de"]):
        (tmp_path / name).mkdir()
        pq.write_table(pa.table({"text": [str(place)]}), tmp_path / name / "0.parquet")
    for source in (tmp_path, tmp_path / "*" / "*.parquet"):
        found = lc.read_population(source, content="text", groups="said")
        assert dict(zip(found.column("text"), found.column("said"), strict=True)) == {
            "0": "no/yes", "1": "", "2": "de"
        }  # fmt: skip
    assert lc.read_population(tmp_path, content="text").columns == ("text",), "else as it was"


def test_parts_whose_types_differ_keep_their_values(tmp_path: Path) -> None:
    pq.write_table(pa.table({"text": ["a"], "score": [1]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"text": ["b"], "score": [0.25]}), tmp_path / "1.parquet")
    found = lc.read_population(tmp_path, content="text", scores={"lr": "score"})
    assert found.scores["lr"].tolist() == [1.0, 0.25]
    parts = sorted(tmp_path.iterdir())
    before = FileState.of(*parts)
    parts[1].write_bytes(b"another part")
    assert FileState.of(*parts) != before


def refused(source: Any, **arguments: Any) -> str:
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        lc.read_population(source, **{"content": "text", **arguments})
    return str(caught.value)


def test_parts_that_do_not_fit_are_refused_by_name(tmp_path: Path) -> None:
    assert "the folder holds no file whose name ends in .parquet" in refused(tmp_path)
    with pytest.raises(FileNotFoundError, match="no file has such a name"):
        lc.read_population(tmp_path / "*.parquet", content="text")
    pq.write_table(pa.table({"text": ["a"], "score": [0.5]}), tmp_path / "0.parquet")
    pq.write_table(pa.table({"text": ["b"], "says": [0.5]}), tmp_path / "1.parquet")
    said = refused(tmp_path)
    assert "1.parquet: every part must have the columns of 0.parquet; 'says', 'score'" in said
    pq.write_table(pa.table({"text": ["b"], "score": [[1]]}), tmp_path / "1.parquet")
    assert "types that do not go together" in refused(tmp_path)
    (tmp_path / "1.parquet").write_bytes(b"PAR1 and no more")
    assert "1.parquet: cannot be read as Parquet" in refused(tmp_path)
    (tmp_path / "2.csv").write_text("text\na\n")
    assert "must be Parquet files; '2.csv' is not" in refused(tmp_path / "[12].*")


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ({"text": ["a"]}, "source must be a path, a table .*, got dict"),
        (b"items.csv", "source must be a path, a table .*, got bytes"),
        (pd.Series(["a"]), r"source must be a path, a table .*, got Series: give its to_frame\(\)"),
        ([{"text": "a"}, ["b"]], r"source\[1\] must be a dictionary, got list"),
        ([{1: "a"}], r"source\[0\] must have texts as keys, got 1"),
    ],
)
def test_what_is_no_table_is_refused(source: Any, message: str) -> None:
    with pytest.raises(TypeError, match=message):
        lc.read_population(source, content="text")


def test_a_query_that_has_not_run_is_told_to_run() -> None:
    class Lazy:
        def collect(self) -> None: ...

    with pytest.raises(TypeError, match=r"source is a Lazy, which holds no rows yet.*collect"):
        lc.read_population(Lazy(), content="text")


def test_what_a_column_holds_that_is_no_value_is_a_fault() -> None:
    mixed = pd.DataFrame({"text": ["a", 1, "b"], "other": [object(), object(), object()]})
    with pytest.raises(PopulationError) as caught:
        lc.read_population(mixed, content="text")
    rows = [(one.file, one.column, one.row) for one in caught.value.faults]
    assert rows == [("DataFrame", "text", 2), ("DataFrame", "other", None)]
    assert "one type; its first value is str, got '1'" in str(caught.value)
    twice = pd.DataFrame([["a", "b"]], columns=["text", "text"])
    assert "two columns are called 'text'" in refused(twice)
    named = pd.DataFrame({("a", "b"): ["x"]})
    assert "the name of a column must be text, got tuple ('a', 'b')" in refused(named)
    missing = pd.DataFrame({"text": ["a", "b"], "score": [0.5, None]})
    with pytest.raises(PopulationError) as caught:
        lc.read_population(missing, content="text", scores={"lr": "score"})
    assert [(one.column, one.row) for one in caught.value.faults] == [("score", 2)]


def test_a_session_keeps_a_table_beside_its_store(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS), PLAN, url, "spam")
    first = next_draw(session)
    session.answer(first, "spam")
    said = session.results()["accuracy"].sentence()
    twin = lc.Session(lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS), PLAN, url, "again")
    session.store.close()
    twin.store.close()
    del session, twin
    gc.collect()
    kept = sorted((tmp_path / "labels.items").glob("*/*"), key=lambda one: one.name)
    assert [one.name for one in kept] == ["items.parquet", "items.snapshot"]
    opened = lc.Session.open(url, "spam")
    assert opened.population.name == "items", "the word of before, not the name of the kept file"
    assert opened.labels == 1 and opened.results()["accuracy"].sentence() == said
    answer_draws(opened, "ham")
    assert lc.read_population(kept[0], **ARGUMENTS).fingerprint == opened.population.fingerprint


def test_a_store_may_move_with_its_items(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    url = f"sqlite:///{tmp_path}/old/labels.db"
    session = lc.Session(lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS), PLAN, url, "spam")
    answer_draws(session, "spam", 1)
    session.store.close()
    (tmp_path / "old").rename(tmp_path / "new")
    opened = lc.Session.open(f"sqlite:///{tmp_path}/new/labels.db", "spam")
    assert opened.labels == 1 and opened.population.path.is_relative_to(tmp_path / "new")
    opened.store.close()
    (tmp_path / "new" / "labels.items").rename(tmp_path / "elsewhere")
    with pytest.raises(MissingItemsError, match="were given as a table"):
        lc.Session.open(f"sqlite:///{tmp_path}/new/labels.db", "spam")


def test_in_memory_it_is_kept_nowhere(tmp_path: Path) -> None:
    store = lc.open_store("memory://")
    table = lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS)
    lc.Session(table, PLAN, store, "spam")
    path = table.path
    del table
    gc.collect()
    assert not path.exists()
    with pytest.raises(MissingItemsError, match="were given as a table, .* as population"):
        lc.Session.open(store, "spam")
    again = lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS)
    assert lc.Session.open(store, "spam", population=again).next() is not None
    other = lc.read_population(pd.DataFrame(COLUMNS), **{**ARGUMENTS, "positive": "ham"})
    with pytest.raises(OtherItemsError, match="population holds other items"):
        lc.Session.open(store, "spam", population=other)


def test_where_nothing_can_be_kept_no_project_is_made(tmp_path: Path) -> None:
    (tmp_path / "labels.items").write_text("in the way")
    store = lc.open_store(f"sqlite:///{tmp_path}/labels.db")
    with pytest.raises(StoreNotWritableError, match="cannot be kept beside the store"):
        lc.Session(lc.read_population(pd.DataFrame(COLUMNS), **ARGUMENTS), PLAN, store, "spam")
    assert store.projects() == []


def test_the_known_answers_are_what_was_found_so_far() -> None:
    rows = [{"text": "a", "told": "yes"}, {"text": "b", "told": None}, {"text": "c", "told": "no"}]
    found = lc.read_population(rows, content="text", predictions={"found": "told"}, known="told")
    assert found.found == "found"
    assert found.predictions["found"].tolist() == [1, 0, 0]
    other = lc.read_population(rows, content="text", known="told")
    assert other.found is None


def test_only_known_answers_may_be_empty_and_only_with_two_classes() -> None:
    rows = [{"text": "a", "told": "yes"}, {"text": "b", "told": None}, {"text": "c", "told": "no"}]
    with pytest.raises(PopulationError, match="a prediction must be one of"):
        lc.read_population(rows, content="text", predictions={"found": "told"})
    more = [*rows, {"text": "d", "told": "perhaps"}]
    with pytest.raises(PopulationError, match="a prediction must be one of"):
        lc.read_population(more, content="text", predictions={"found": "told"}, known="told")


@pytest.mark.skipif(int(pa.__version__.partition(".")[0]) < VIEWS_FROM, reason="crashes there")
def test_views_are_read_wherever_they_are() -> None:
    """As polars has the texts of its categories, lists and records."""
    text = pa.string_view()
    sort = pa.array([0, 1, None], pa.uint32())
    table = pa.table({
        "said": pa.DictionaryArray.from_arrays(sort, pa.array(["yes", "no"], text)),
        "talk": pa.array(
            [[{"role": "user", "content": "a"}], [], None],
            pa.large_list(pa.struct({"role": text, "content": text})),
        ),
        "tags": pa.array([["x", "y"], None, ["z"]], pa.list_(text)),
    })  # fmt: skip
    found = lc.read_population(Batches(table), content="talk[0].content", metadata=["said", "tags"])
    assert found.column("said") == ["yes", "no", ""]
    assert found.column("talk[0].content") == ["a", "", ""]
    assert [text.replace(" ", "") for text in found.column("tags")] == ['["x","y"]', "", '["z"]']


def test_views_are_refused_where_pyarrow_would_crash(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pa, "__version__", "24.0.0")
    with pytest.raises(ValueError, match=r"pyarrow 24\.0\.0 cannot read texts in views; install"):
        lc.read_population(views(pa.table(COLUMNS)), **ARGUMENTS)
    assert len(lc.read_population(Batches(pa.table(COLUMNS)), **ARGUMENTS)) == 4


SPANS: dict[str, tuple[Any, list[str]]] = {
    "months": (pd.PeriodIndex(["2024-01", "2024-02"], freq="M"), ["2024-01", "2024-02"]),
    "bins": (pd.cut(pd.Series([1, 9]), [0, 5, 10]), ["(0, 5]", "(5, 10]"]),
    "durations": (pd.to_timedelta([1, 90], unit="min"), ["0 days 00:01:00", "0 days 01:30:00"]),
}


@pytest.mark.parametrize("kind", SPANS)
def test_spans_are_read_as_they_are_written(kind: str, tmp_path: Path) -> None:
    values, texts = SPANS[kind]
    frame = pd.DataFrame({"text": ["a", "b"], "span": values})
    found = lc.read_population(frame, content="text", groups="span")
    assert found.column("span") == texts
    frame.to_csv(tmp_path / "items.csv", index=False)
    again = lc.read_population(tmp_path / "items.csv", content="text", groups="span")
    assert again.groups["span"].names == found.groups["span"].names
    none = lc.read_population(frame.assign(span=frame["span"].shift(1)), content="text")
    assert none.column("span")[0] == ""


def test_sparse_columns_are_read_as_those_with_all_their_values() -> None:
    frame = pd.get_dummies(pd.Series(["a", "b"])).astype(pd.SparseDtype(float, 0.0))
    found = lc.read_population(frame.assign(text="x"), content="text", scores={"m": "b"})
    assert found.scores["m"].tolist() == [0.0, 1.0]


def test_durations_of_arrow_are_no_bare_numbers() -> None:
    table = pa.table({"text": ["a", "b"], "took": pa.array([90, None], pa.duration("s"))})
    assert lc.read_population(table, content="text").column("took")[0].endswith("0:01:30")


@pytest.mark.parametrize("number", [10**20, -(10**19), 2**63])
def test_whole_numbers_of_any_size(number: int) -> None:
    rows = [{"id": number, "text": "a"}, {"id": -1, "text": "b"}]
    found = lc.read_population(rows, id="id", content="text", scores={"lr": "id"})
    assert found.ids() == [str(number), "-1"]
    assert found.scores["lr"].tolist() == [float(number), -1.0]


@pytest.mark.parametrize("framed", [False, True])
def test_objects_without_a_field(framed: bool) -> None:
    rows = [{"text": "a", "of": {"x": {}, "y": 1}}, {"text": "b", "of": {"x": {}, "y": 2}}]
    found = lc.read_population(
        pd.DataFrame(rows) if framed else rows, content="text", metadata="of", scores={"lr": "of.y"}
    )
    assert found.metadata("2") == {"of": '{"x": {}, "y": 2}'}
    assert found.scores["lr"].tolist() == [1, 2]
