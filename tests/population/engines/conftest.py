"""One table of items in each engine, and the same in memory."""

import importlib.util
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.engine import Engine

N = 3_000
SMOOTH = 'smo"oth?%s'
ID = "i d"


@dataclass(frozen=True)
class Given:
    """The items in an engine, None for those in memory alone, and in memory in the order of its
    positions."""

    held: Engine | None
    ids: list[str]
    scores: dict[str, np.ndarray]
    codes: dict[str, np.ndarray]
    rows: pa.Table

    @property
    def engine(self) -> Engine:
        """The engine, which must be there."""
        assert self.held is not None
        return self.held


def made_rows() -> pa.Table:
    """Crowded scores of two decimals, a smooth one, calls that do not quite follow them, and signs
    of every kind in ids, names and texts."""
    random = np.random.default_rng(5)
    crowded = np.round(random.beta(0.3, 2, N), 2)
    crowded[: N // 3], crowded[-5:] = 0.0, -0.0
    smooth = random.normal(0, 3, N)
    halves = np.round(smooth[:100] * 2.0**40) / 2.0**40
    smooth[:100] = halves + 2.0**-41  # half way between two units
    called = np.where((crowded >= 0.4) ^ (random.random(N) < 0.1), "yes", "no")
    order = random.permutation(N).tolist()
    ids = [f"é{row}|\\" if row % 3 else f"Z {row}'\"?%s" for row in order]
    texts = [None if row == 7 else f'text, "{row}"\nof a row' for row in range(N)]
    moments = pa.array([10**15 + 987_654_321 * row for row in order], pa.timestamp("us", "UTC"))
    return pa.table(
        {ID: ids, "crowded": crowded, SMOOTH: smooth, "called": called, "text": texts,
         "moment": moments, "day": moments.cast(pa.date32(), safe=False),
         "local": moments.cast(pa.timestamp("us"))}
    )  # fmt: skip


def in_memory(rows: pa.Table) -> lc.Population:
    return lc.read_population(
        rows,
        id=ID,
        content="text",
        scores={
            "crowded": "crowded", SMOOTH: SMOOTH, "filter": "crowded", "cut": SMOOTH,
            "low": "crowded",
        },
        predictions={"filter": "called"},
        thresholds={"cut": 0.5, "low": 0.25},
        descending=["low"],
    )  # fmt: skip


def given_rows(engine: Engine | None, rows: pa.Table) -> Given:
    scores = {name: rows.column(name).to_numpy() for name in ("crowded", SMOOTH)}
    called = np.array(rows.column("called").to_pylist()) == "yes"
    codes = {
        "filter": called.astype(int),
        "cut": (scores[SMOOTH] >= 0.5).astype(int),
        "low": (scores["crowded"] <= 0.25).astype(int),
    }
    return Given(engine, rows.column(ID).to_pylist(), scores, codes, rows)


def _duckdb(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Given:
    paths = []
    for number, (first, end) in enumerate([(0, 700), (700, 701), (701, N)]):
        paths.append(str(folder / f"part {number}.parquet"))
        pq.write_table(rows.slice(first, end - first), paths[-1], row_group_size=500)
    return given_rows(DuckEngine("parts", paths, [ID]), rows)


def _postgresql(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Given:
    import psycopg

    from labelcore.population.engines.postgres import PostgresEngine

    url = request.getfixturevalue("postgres_server").url()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute('CREATE SCHEMA IF NOT EXISTS "of items"')
        connection.execute('DROP TABLE IF EXISTS "of items".items')
        connection.execute(
            'CREATE TABLE "of items".items ("i d" TEXT, crowded FLOAT8, "smo""oth?%s" FLOAT8,'
            " called TEXT, text TEXT, moment TIMESTAMPTZ, day DATE, local TIMESTAMP)"
        )
        with connection.cursor().copy('COPY "of items".items FROM STDIN') as copy:
            for row in zip(*rows.to_pydict().values(), strict=True):
                copy.write_row(row)
    return given_rows(PostgresEngine(f"{url}#of items.items", [ID]), _by_id(rows))


def _spark(rows: pa.Table, folder: Path, request: pytest.FixtureRequest) -> Given:
    """Beside a session that somebody else has begun, in a zone of their own."""
    from pyspark.sql import SparkSession

    from labelcore.population.engines.spark import SparkEngine

    zone = "spark.sql.session.timeZone"
    known = SparkSession.builder.config(zone, "Asia/Tokyo").getOrCreate()
    for number, first in enumerate(range(0, N, 1_000)):
        pq.write_table(rows.slice(first, 1_000), folder / f"part-{number}.parquet")
    found = given_rows(SparkEngine(f"spark:{folder}", [ID]), _by_id(rows))
    assert known.conf.get(zone) == "Asia/Tokyo"
    return found


def _by_id(rows: pa.Table) -> pa.Table:
    """In the order of the ids as UTF-8."""
    ids = [one.encode() for one in rows.column(ID).to_pylist()]
    return rows.take(pa.array(sorted(range(len(ids)), key=ids.__getitem__)))


ENGINES: dict[str, Callable[[pa.Table, Path, pytest.FixtureRequest], Given]] = {
    "duckdb": _duckdb,
    "postgresql": _postgresql,
    "spark": _spark,
}


OUTSIDE = ["duckdb", "postgresql", pytest.param("spark", marks=pytest.mark.full)]


@pytest.fixture(scope="module", params=OUTSIDE)
def given(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Given]:
    """The items in one engine after another."""
    yield from _held(request, tmp_path_factory)


def _held(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Given]:
    if request.param == "spark" and importlib.util.find_spec("pyspark") is None:
        pytest.skip("needs pyspark and a Java runtime")
    folder = tmp_path_factory.mktemp("engine")
    found = ENGINES[request.param](made_rows(), folder, request)
    yield found
    if found.held is not None:
        found.held.close()
