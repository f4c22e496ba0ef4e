"""Parquet behind an address, by DuckDB's extension httpfs."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore.population.engines.engine import EngineError, first_line

N = 400_000
ARGUMENTS: dict[str, Any] = {
    "id": "id", "content": "text", "scores": {"lr": "s"}, "predictions": {"lr": "p"},
}  # fmt: skip
PLAN = lc.Plan("recalibrated_neyman", ["precision"], classifier="lr", budget=40, seed=7)


class Web:
    """A server of files in a process of its own, which can go and come again."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.port = folder, 0

    def start(self, most: int = 100_000) -> None:
        """``most``: how often it gives bytes, before it is gone."""
        command = [sys.executable, "-m", "tests.population.engines.ranged"]
        self._process = subprocess.Popen(
            [*command, str(self.folder), str(self.port), str(most)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def stop(self) -> None:
        self._process.kill()
        self._process.communicate()

    def url(self, name: str) -> str:
        return f"http://127.0.0.1:{self.port}/{name}"


@pytest.fixture
def web(tmp_path: Path) -> Iterator[Web]:
    """A server with ``part.parquet``; skipped where the extension cannot be had."""
    try:
        with duckdb.connect() as connection:
            connection.execute("INSTALL httpfs; LOAD httpfs")
    except duckdb.Error as error:
        pytest.skip(f"needs DuckDB's extension httpfs: {first_line(error)}")
    score = np.random.default_rng(3).random(N)
    rows = {
        "id": [f"i{row}" for row in range(N)], "s": score, "p": (score >= 0.5).astype(int),
        "text": [f"text {row}" for row in range(N)],
    }  # fmt: skip
    pq.write_table(pa.table(rows), tmp_path / "part.parquet", row_group_size=20_000)
    found = Web(tmp_path)
    found.start()
    yield found
    found.stop()


@pytest.mark.full
def test_an_address_gives_the_project_that_the_file_gives(web: Web, tmp_path: Path) -> None:
    url, file = web.url("part.parquet"), tmp_path / "part.parquet"
    store = f"sqlite:///{tmp_path}/labels.db"
    seen = []
    for source, project in ((file, "file"), (url, "address")):
        population = lc.read_population(source, **ARGUMENTS)
        session = lc.Session(population, PLAN, store, project)
        drawn = []
        for _ in range(10):
            draw = session.next()
            drawn.append((draw.item_id, draw.stratum, session.item(draw)))
            session.answer(draw, population.position(draw.item_id) % 3 == 0)
        seen.append(drawn)
    assert population.stays and population.address == url and len(population) == N
    assert all(shown == {"text": f"text {item[1:]}"} for item, _, shown in seen[0])
    assert seen[0] == seen[1]
    again = lc.Session.open(store, "address")
    draw = again.next()
    assert draw.index == 11 and again.item(draw) == {"text": f"text {draw.item_id[1:]}"}


@pytest.mark.full
def test_a_server_that_goes_away_is_said_to_and_comes_again(web: Web) -> None:
    url = web.url("part.parquet")
    web.stop()
    web.start(most=9)  # footers, and some of the row groups
    with pytest.raises(EngineError, match=GONE):
        lc.read_population(url, **ARGUMENTS)
    web.start()
    population = lc.read_population(url, **ARGUMENTS)
    assert population.content("i123456") == {"text": "text 123456"}
    web.stop()
    with pytest.raises(EngineError, match=GONE):
        population.content("i234567")
    web.start()
    assert population.content("i234567") == {"text": "text 234567"}


@pytest.mark.full
def test_an_address_without_a_file_is_refused(web: Web) -> None:
    with pytest.raises(EngineError, match=r"^none\.parquet: it cannot be read from its address: "):
        lc.read_population(web.url("none.parquet"), **ARGUMENTS)


GONE = r"^part\.parquet: it cannot be read from its address: .*(HTTP|connect to server).*as it was$"


def test_an_extension_that_cannot_be_had_is_named_with_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect: Callable[..., Any] = duckdb.connect

    def far_from_the_internet(config: dict[str, Any]) -> Any:
        nowhere = {"custom_extension_repository": "http://127.0.0.1:1"}
        return connect(config={**config, **nowhere, "extension_directory": str(tmp_path)})

    monkeypatch.setattr(duckdb, "connect", far_from_the_internet)
    for source, extension in (("https://h/t.parquet", "httpfs"), ("az://b/t.parquet", "azure")):
        with pytest.raises(EngineError) as raised:
            lc.read_population(source, **ARGUMENTS)
        assert str(raised.value) == (
            f"t.parquet: DuckDB reads this address by its extension {extension}, which is not on "
            "this machine and could not be downloaded. Where there is a way to the internet, "
            f"python -c \"import duckdb; duckdb.sql('INSTALL {extension}')\" puts it into "
            "~/.duckdb/extensions; copy that folder here, for DuckDB "
            f"{duckdb.__version__}, or copy the Parquet files"
        )
