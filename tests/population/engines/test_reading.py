"""A table that stays where it is makes the same population, project and errors as one in memory."""

import gc
import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import PopulationError
from labelcore.population.engines import sources
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import EngineError
from labelcore.population.engines.postgres import PostgresEngine
from labelcore.population.ids import id_parts
from labelcore.population.snapshots import cells_of
from labelcore.session.drawing import CHANGED_RUN
from labelcore.session.integrity import verify
from tests.answering import answer_draws

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

N = 900
ARGUMENTS: dict[str, Any] = {
    "id": ["a", "b"],
    "content": ["text"],
    "scores": {"lr": "s", "other": "t"},
    "predictions": {"lr": "p"},
    "thresholds": {"other": 0.5},
    "metadata": ["m"],
}
PLAN = lc.Plan("recalibrated_neyman", ["precision", "recall"], classifier="lr", budget=24, seed=7)


def rows() -> dict[str, list[Any]]:
    random = np.random.default_rng(3)
    score = np.round(random.beta(0.4, 2, N), 2)
    return {
        "a": [row // 2 for row in range(N)],
        "b": ["left|" if row % 2 else "ö\\" for row in range(N)],
        "s": score.tolist(),
        "t": np.round(random.random(N), 12).tolist(),  # as many digits as Excel keeps
        "p": [int(one) for one in score >= 0.3],
        "text": [f"text {row}" for row in range(N)],
        "m": [None if row % 3 else row / 2 for row in range(N)],
    }


def write(folder: Path, columns: dict[str, list[Any]]) -> Path:
    folder.mkdir(exist_ok=True)
    table = pa.table(columns)
    for number, first in enumerate(range(0, N, 400)):
        pq.write_table(table.slice(first, 400), folder / f"{number}.parquet")
    return folder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write(tmp_path / "parts", rows())


@pytest.fixture
def by_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "LARGE", 100)


def both(folder: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[lc.Population, lc.Population]:
    memory = lc.read_population(folder, **ARGUMENTS)
    monkeypatch.setattr(sources, "LARGE", 100)
    engine = lc.read_population(folder, **ARGUMENTS)
    assert engine.stays and not memory.stays
    return memory, engine


def test_the_same_population(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory, engine = both(folder, monkeypatch)
    assert engine.ids() == memory.ids()
    assert (engine.classes, engine.classifiers) == (memory.classes, memory.classifiers)
    for name in memory.scores:
        assert engine.scores[name].tobytes() == memory.scores[name].tobytes()
    for name in memory.predictions:
        assert engine.predictions[name].tolist() == memory.predictions[name].tolist()
    for item in (engine.id_at(0), engine.id_at(401), engine.id_at(N - 1)):
        assert engine.content(item) == memory.content(item)
        assert engine.metadata(item) == memory.metadata(item)
    assert engine.id_hashes().tolist() == memory.id_hashes().tolist()


def test_the_same_draws_and_figures(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    for population in both(folder, monkeypatch):
        session = lc.Session(population, PLAN)
        drawn = []
        while (draw := session.next()) is not None:
            drawn.append((draw.item_id, draw.stratum, session.item(draw)))
            session.answer(draw, population.position(draw.item_id) % 3 == 0)
        seen.append((drawn, {k: (v.value, v.low, v.high) for k, v in session.results().items()}))
    assert len(seen[0][0]) == 24
    assert seen[0] == seen[1]


def test_one_file_has_the_fingerprint_that_it_has_in_memory(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, engine = both(folder / "0.parquet", monkeypatch)
    assert engine.fingerprint == memory.fingerprint


@pytest.mark.usefixtures("by_engine")
def test_another_process_needs_not_read_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ids are compared, and so are the scores that were read."""
    population = lc.read_population(folder, **ARGUMENTS)
    told = pickle.dumps(population)
    monkeypatch.setattr(DuckEngine, "items", None)
    again = pickle.loads(told)
    item = again.id_at(401)
    assert again.content(item) == population.content(item)
    monkeypatch.setattr(DuckEngine, "cells", lambda *of: {**dict.fromkeys(of[3], ""), "s": "9"})
    with pytest.raises(EngineError, match="was changed; put it back"):
        again.content(item)


FAULTS = {
    "missing score": ("s", 450, None),
    "score that is no number": ("t", 450, float("nan")),
    "endless score": ("t", 3, float("inf")),
    "repeated id": ("a", 451, 0),
    "prediction of no class": ("p", 899, 7),
    "missing prediction": ("p", 899, None),
}


@pytest.mark.parametrize(("column", "row", "found"), FAULTS.values(), ids=FAULTS)
def test_faults_are_said_as_in_memory(
    column: str, row: int, found: object, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = rows()
    columns[column][row] = found
    if column == "a":
        columns["b"][row] = columns["b"][0]
    arguments = ARGUMENTS | {"classes": ["no", "yes"]}
    folder, said = write(tmp_path / "parts", columns), []
    for large in (sources.LARGE, 100):
        monkeypatch.setattr(sources, "LARGE", large)
        with pytest.raises(PopulationError) as raised:
            lc.read_population(folder, **arguments)
        said.append([str(one).partition(": ")[2] for one in raised.value.faults])
        assert [one.row for one in raised.value.faults] == [row + 1]
    assert said[0] == said[1]


@pytest.mark.usefixtures("by_engine")
def test_a_project_opens_where_the_parts_are_and_keeps_drawn_contents_only(
    folder: Path, tmp_path: Path
) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(lc.read_population(folder, **ARGUMENTS), PLAN, store, "big")
    answer_draws(session, "yes", 10)
    assert not list(tmp_path.glob("**/items/**/*.parquet"))
    reopened = lc.Session.open(store, "big")
    assert reopened.population.stays
    assert reopened.next().index == 11


@pytest.mark.usefixtures("by_engine")
def test_a_part_that_is_gone_leaves_the_project_as_it_was(folder: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(lc.read_population(folder, **ARGUMENTS), PLAN, store, "big")
    first = session.next()
    session.answer(first, "yes")
    part, kept = folder / "1.parquet", tmp_path / "aside"
    part.rename(kept)
    with pytest.raises(ValueError, match="the item .* is not what was read"):
        session.population.content(session.population.id_at(500))
    assert lc.Session.open(store, "big").results()
    kept.rename(part)
    assert lc.Session.open(store, "big").next().index == 2


@pytest.mark.usefixtures("by_engine")
def test_verify_says_what_became_of_the_parts(folder: Path, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    lc.Session(lc.read_population(folder / "*.parquet", **ARGUMENTS), PLAN, store, "each part")
    lc.Session(lc.read_population(folder, **ARGUMENTS), PLAN, store, "big")

    def said() -> str:
        return verify(store).projects[0].source

    assert said() == verify(store).projects[1].source == ""
    part, more = folder / "1.parquet", folder / "3.parquet"
    whole = part.read_bytes()
    shutil.copy(part, more)
    assert said() == "the source of its items has 1,300 rows now; 900 were read"
    more.unlink()
    table = pq.read_table(part)
    pq.write_table(table.set_column(2, "s", pa.array([0.5] * len(table))), part)
    assert said() == f"{folder} was changed since its items were read"
    part.write_bytes(whole)
    assert said() == "", "other times, the same bytes"
    folder.rename(tmp_path / "aside")
    assert said() == f"{folder}, where its items were read, is not there any more"


@pytest.mark.usefixtures("by_engine")
def test_parts_that_changed_are_noticed(folder: Path) -> None:
    population = lc.read_population(folder, **ARGUMENTS)
    columns = rows()
    columns["text"][0] = "another text"
    write(folder, columns)
    with pytest.raises(ValueError, match="^parts was changed after it was read"):
        population.content(population.id_at(0))


@pytest.mark.usefixtures("by_engine")
def test_reading_can_be_ended(folder: Path) -> None:
    class Enough(Exception):
        pass

    def enough() -> None:
        raise Enough

    with pytest.raises(Enough):
        lc.read_population(folder, **ARGUMENTS, progress=enough)


# --- PostgreSQL ----------------------------------------------------------------------------------


@pytest.fixture
def url(request: pytest.FixtureRequest) -> str:
    """The address of the items in PostgreSQL, in a table of their own order."""
    psycopg = pytest.importorskip("psycopg")
    address = str(request.getfixturevalue("postgres_server").url())
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS parts")
        connection.execute(
            "CREATE TABLE parts (a INT, b TEXT, s FLOAT8, t FLOAT8, p INT, text TEXT, m FLOAT8,"
            " PRIMARY KEY (a, b))"
        )
        with connection.cursor().copy("COPY parts FROM STDIN") as copy:
            for row in reversed(list(zip(*rows().values(), strict=True))):
                copy.write_row(row)
    return f"{address}#parts"


def change(url: str, statement: str) -> None:
    import psycopg

    with psycopg.connect(url.partition("#")[0], autocommit=True) as connection:
        connection.execute(statement)


def made_of(source: Any) -> tuple[str, list[Any], dict[str, list[str]]]:
    """The sum of the cells, every draw, and figures to the digits that the order of a sum in
    floating point leaves."""
    population = lc.read_population(source, **ARGUMENTS)
    session, drawn = lc.Session(population, PLAN), []
    while (draw := session.next()) is not None:
        drawn.append((draw.item_id, draw.stratum, session.item(draw)))
        session.answer(draw, len(draw.item_id) % 2 == 0)
    figures = {
        key: [f"{number:.12f}" for number in (one.value, one.low, one.high)]
        for key, one in session.results().items()
    }
    return cells_of(population), drawn, figures


def test_spark_makes_the_same_population(folder: Path) -> None:
    pytest.importorskip("pyspark")
    assert made_of(f"spark:{folder}") == made_of(folder)


def test_the_same_items_from_any_source_are_one_population(
    url: str, folder: Path, tmp_path: Path
) -> None:
    frame = pd.DataFrame(rows())
    frame.to_csv(tmp_path / "items.csv", index=False)
    lines = [json.dumps(row) + "\n" for row in frame.astype(object).to_dict("records")]
    (tmp_path / "items.jsonl").write_text("".join(lines).replace("NaN", "null"), "utf-8")
    frame.to_excel(tmp_path / "items.xlsx", index=False)
    frame.to_parquet(tmp_path / "items.parquet")
    files = [tmp_path / f"items.{kind}" for kind in ("csv", "jsonl", "xlsx", "parquet")]
    wanted = made_of(folder)
    for source in (url, frame, frame.sample(frac=1, random_state=2), *files):
        assert made_of(source) == wanted, source
    frame.loc[5, "t"] += 1e-9
    assert cells_of(lc.read_population(frame, **ARGUMENTS)) != wanted[0], "the twin: one cell"


@pytest.mark.usefixtures("by_engine")
def test_columns_that_an_engine_read_are_mapped(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its file goes with the population, and is copied to the store as it is."""

    def owned(population: lc.Population) -> list[str]:
        hashes, order = population._ids.kept[1:]
        columns = {**population.scores, **population.predictions, "id": hashes, "order": order}
        return [name for name, array in columns.items() if array.flags.owndata]

    population = lc.read_population(folder, **ARGUMENTS)
    assert population._mapped is not None and owned(population) == []
    there, store = population._mapped.path, f"sqlite:///{tmp_path}/labels.db"
    session = lc.Session(population, PLAN, store, "x")
    (kept,) = (tmp_path / "labels.items").rglob("*.snapshot")
    assert kept.read_bytes() == there.read_bytes()
    del population, session
    gc.collect()
    assert not there.exists() and lc.Session.open(store, "x").next() is not None

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("labelcore.population.snapshots.write_arrays", full)
    assert len(owned(lc.read_population(folder, **ARGUMENTS))) > 3, "no room: held, as before"


def test_texts_of_a_table_are_the_same_for_everybody(
    url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They are contents that were shown, or ids, on whose hashes the draws rest."""
    change(url, "DROP TABLE IF EXISTS moments")
    change(url, "CREATE TABLE moments (id TIMESTAMPTZ, text DATE, s FLOAT8)")
    change(url, "INSERT INTO moments VALUES ('2026-01-02 03:04Z', '2026-01-02', 0.1)")
    change(url, "INSERT INTO moments VALUES ('2026-01-03 03:04Z', '2026-01-02', 1)")
    found = []
    for zone, style, digits in (("Asia/Tokyo", "German", 1), ("America/New_York", "SQL, MDY", -5)):
        monkeypatch.setenv("PGTZ", zone)
        monkeypatch.setenv("PGDATESTYLE", style)
        change(url, f"ALTER ROLE CURRENT_USER SET extra_float_digits = {digits}")
        items = lc.read_population(url.replace("#parts", "#moments"), **MOMENTS)
        found.append((items.id_at(0), items.content(items.id_at(0)), items.scores["m"][0]))
    change(url, "ALTER ROLE CURRENT_USER RESET extra_float_digits")
    assert found == [("2026-01-02 03:04:00+00", {"text": "2026-01-02"}, 0.1)] * 2


def test_a_column_alone_has_its_missing_values(url: str) -> None:
    change(url, "DROP TABLE IF EXISTS moments")
    change(url, "CREATE TABLE moments (id TEXT, text TEXT, s FLOAT8)")
    values = "('a', NULL, 0), ('b', '', 1), ('c', 'x', 1), ('d', NULL, 1)"
    change(url, f"INSERT INTO moments VALUES {values}")
    items = lc.read_population(url.replace("#parts", "#moments"), **MOMENTS)
    assert items.column("text") == ["", "", "x", ""]


@pytest.mark.parametrize(
    "kind", ["NUMERIC(24, 0)", "UUID", "DATE", "TIMESTAMP", "TIMESTAMPTZ", "BIGINT", "REAL"]
)
def test_a_row_of_any_types_is_the_row_that_was_read(url: str, kind: str) -> None:
    """A number that floats cannot hold, or a moment, is an id as it stands."""
    value = {
        "NUMERIC(24, 0)": "10::NUMERIC ^ 22 + n", "UUID": "lpad(n::TEXT, 32, '0')::UUID",
        "DATE": "'2026-01-01'::DATE + n", "BIGINT": "n", "REAL": "n / 8.0",
    }.get(kind, "'2026-01-01 10:00'::TIMESTAMP + n * INTERVAL '1 hour'")  # fmt: skip
    change(url, "DROP TABLE IF EXISTS moments")
    change(url, f"CREATE TABLE moments (id {kind}, text NUMERIC(8, 3), s NUMERIC(6, 3))")
    change(
        url,
        f"INSERT INTO moments SELECT {value}, n / 2.0, n / 10.0 FROM generate_series(1, 9) AS n",
    )
    items = lc.read_population(url.replace("#parts", "#moments"), **MOMENTS)
    texts = {items.content(items.id_at(place))["text"] for place in range(9)}
    assert len(items) == 9 and sorted(texts) == [f"{n / 2:.3f}" for n in range(1, 10)]
    assert sorted(items.scores["m"].tolist()) == [n / 10 for n in range(1, 10)]


MOMENTS: dict[str, object] = {
    "id": "id", "content": "text", "scores": {"m": "s"}, "thresholds": {"m": 0.5},
}  # fmt: skip


def test_a_project_on_a_table_opens_and_its_password_is_not_kept(url: str, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    secret = url.replace("labelcore@", "labelcore:secret@")
    session = lc.Session(lc.read_population(secret, **ARGUMENTS), PLAN, store, "big")
    session.answer(session.next(), "yes")
    assert b"secret" not in (tmp_path / "labels.db").read_bytes()
    assert lc.Session.open(store, "big").next().index == 2


def test_rows_of_a_table_that_changed_are_drawn_as_broken(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    store, plan = f"sqlite:///{tmp_path}/labels.db", replace(PLAN, budget=60)
    population = lc.read_population(url, **ARGUMENTS)
    item, other = population.id_at(5), population.id_at(6)
    sound, order = lc.Session(population, plan), []
    while len(order) < 4:
        order.append(sound.next().item_id)
        sound.answer(sound.next(), "yes" if len(order) == 1 else "broken")
    session = lc.Session(population, plan, store, "big")
    session.answer(session.next(), "yes")
    for place, what in ((1, "UPDATE parts SET s = s + 1"), (2, "DELETE FROM parts")):
        one, two = id_parts(order[place])
        change(url, f"{what} WHERE a = {one} AND b = '{two}'")
    for now in (session, lc.Session.open(store, "big")):
        assert now.next().item_id == order[3]
    assert [one.kind for one in session.events][-5:] == ["drawn", "broken"] * 2 + ["drawn"]
    assert session.labels == 1 and session.engine.kinds["broken"] == 2
    assert "was changed in its source" in session.item_by_id(order[1])["text"]
    assert main(["status", "--store", store, "--project", "big"]) == 0
    assert "2 items changed in the source: broken." in capsys.readouterr().out
    assert main(["replay", "--store", store, "--project", "big"]) == 0
    change(url, "UPDATE parts SET s = s + 1")
    with pytest.raises(EngineError, match="its s was changed; put it back"):
        population.content(item)
    change(url, "DELETE FROM parts")
    with pytest.raises(EngineError, match="is not there any more"):
        population.content(other)
    again = lc.Session.open(store, "big")
    again.answer(again.next(), "yes")
    with pytest.raises(ValueError, match="the item .* is not what was read"):
        again.next()
    assert again.engine.kinds["broken"] == 2 + CHANGED_RUN, "no plan is used up by another table"


def test_a_project_on_a_table_outlives_it(
    url: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The table grows by 500 rows after 20 labels, then is dropped: draws and figures are those
    of a project whose table stayed as it was."""
    store, file = f"sqlite:///{tmp_path}/labels.db", tmp_path / "found"
    columns = ["--store", store, "--project", "big"]
    plan = replace(PLAN, budget=40, claims=("precision >= 0.01",))

    def drawn(session: lc.Session, number: int) -> list[str]:
        found = []
        for _ in range(number):
            draw = session.next()
            found.append(f"{draw.item_id} {draw.stratum} {session.item(draw)['text']}")
            session.answer(draw, len(draw.item_id) % 2 == 0)
        return found

    whole = lc.Session(lc.read_population(url, **ARGUMENTS), plan)
    wanted = drawn(whole, 30)
    found = drawn(lc.Session(lc.read_population(url, **ARGUMENTS), plan, store, "big"), 20)
    assert verify(store).projects[0].source == ""
    change(url, "UPDATE parts SET t = t + 1 WHERE a = 3")
    assert verify(store).projects[0].source.endswith("has other ids, scores or predictions now")
    change(url, "UPDATE parts SET t = t - 1 WHERE a = 3")
    change(url, "INSERT INTO parts SELECT a + 9000, b, s, t, p, text, m FROM parts LIMIT 500")
    assert lc.read_population(url, **ARGUMENTS).fingerprint != whole.population.fingerprint
    grown = lc.Session.open(store, "big")
    assert found + drawn(grown, 10) == wanted and len(grown.population) == N
    assert grown.population.address is not None
    assert verify(store).projects[0].source.endswith("has 1,400 rows now; 900 were read")
    change(url, "DROP TABLE parts")
    gone = lc.Session.open(store, "big")
    figures = {key: one.to_json() for key, one in whole.results().items()}
    assert {key: one.to_json() for key, one in gone.results().items()} == figures
    assert len(gone.labels_table(content=True)) == 30
    with pytest.raises(ValueError, match="is not what was read"):
        gone.next()
    for command in (
        ["status", *columns],
        ["labels", *columns, "-o", f"{file}.csv"],
        ["export", "bundle", *columns, "-o", f"{file}.zip"],
        ["replay", *columns],
        ["verify", "--store", store],
    ):
        assert main(command) == 0, command
    assert "the source of its items cannot be read" in capsys.readouterr().out


def test_reading_a_table_can_be_ended_long_before_its_end(url: str) -> None:
    class Enough(Exception):
        pass

    ticks: list[int] = []

    def tick() -> None:
        ticks.append(1)
        if len(ticks) == 5:
            raise Enough

    change(url, "INSERT INTO parts SELECT a + 900, b, s, t, p, repeat('x', 9000), m FROM parts")
    engine = PostgresEngine(url, ["a", "b"])
    with pytest.raises(Enough):
        list(engine.items(["text"], tick))
    assert engine.count() == 2 * N, "the connection goes on"


def test_a_database_that_dies_is_said_to(url: str) -> None:
    population = lc.read_population(url, **ARGUMENTS)
    import psycopg

    with psycopg.connect(url.partition("#")[0], autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE pid <> pg_backend_pid() AND usename IS NOT NULL"
        )
    with pytest.raises(EngineError, match="^parts: the database does not answer: "):
        population.content(population.id_at(5))


def test_a_database_that_dies_while_it_is_read_leaves_no_project(url: str, tmp_path: Path) -> None:
    killed = []

    def kill() -> None:
        if not killed:
            killed.append(1)
            change(
                url,
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND usename IS NOT NULL",
            )

    store = f"sqlite:///{tmp_path}/labels.db"
    first = lc.Session(lc.read_population(url, **ARGUMENTS), PLAN, store, "first")
    first.answer(first.next(), "yes")
    change(url, "INSERT INTO parts SELECT a + 900, b, s, t, p, repeat('x', 9000), m FROM parts")
    with pytest.raises(EngineError, match="the database does not answer"):
        lc.read_population(url, **ARGUMENTS, progress=kill)
    assert lc.Session.open(store, "first").next().index == 2


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("postgresql://127.0.0.1:1/x#items", "^items: the database does not answer: "),
        ("postgresql://127.0.0.1:1/x", "source must name a table behind the address"),
    ],
)
def test_addresses_that_lead_nowhere(source: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        lc.read_population(source, **ARGUMENTS)


def test_a_table_needs_an_id() -> None:
    with pytest.raises(ValueError, match="id must name a column: the rows of items have no order"):
        lc.read_population("postgresql://127.0.0.1:1/x#items", content="text")
