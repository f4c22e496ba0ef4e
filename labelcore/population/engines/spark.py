"""Tables and Parquet folders of Spark."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq

from labelcore.population.copies import copies_folder
from labelcore.population.engines.engine import (
    ROWS_AT_ONCE,
    EngineError,
    KeyedEngine,
    Tick,
    first_line,
    go_on,
    imported,
    patiently,
)
from labelcore.population.engines.sql import HOLE, Piece, sql, value

SCHEME = "spark:"
SETTINGS = {
    "spark.sql.shuffle.partitions": "8",
    "spark.sql.session.timeZone": "UTC",
    "spark.sql.parquet.outputTimestampType": "TIMESTAMP_MICROS",
}
"""Without the last two, the texts of moments, ids among them, would be those of a zone, and of
another type than in the file."""
MOMENT = "yyyy-MM-dd HH:mm:ss.SSSSSS"
MOMENTS = {"timestamp": f"{MOMENT}'Z'", "timestamp_ntz": MOMENT}
Answer = TypeVar("Answer")


class SparkEngine(KeyedEngine):
    """Parquet as "spark:folder", a table that the session of Spark knows as "spark:#schema.table".

    Runs beside the session that is there, which keeps its settings, else in a new one on this
    machine. Positions count the rows by their id as text. A large result is written to a temporary
    folder first.
    """

    text_type: ClassVar[str] = "STRING"

    def __init__(self, url: str, id_columns: Sequence[str]) -> None:
        path, _, table = url.removeprefix(SCHEME).partition("#")
        self.name = table or Path(path).name
        imported("pyspark", self.name)
        sessions = imported("pyspark.sql", self.name)
        if not id_columns:
            raise ValueError(f"id must name a column: the rows of {self.name} have no order")
        self.id_columns, self.address = tuple(id_columns), url
        builder = sessions.SparkSession.builder.appName("labelcore")
        known = builder.config("spark.ui.enabled", "false").getOrCreate()
        self._spark = known.newSession()
        for name, setting in SETTINGS.items():
            self._spark.conf.set(name, setting)
        self._view = f"labelcore_{id(self)}"
        try:
            frame = known.table(table) if table else self._spark.read.parquet(path)
            frame.createOrReplaceGlobalTempView(self._view)
            self._types = dict(frame.dtypes)
        except Exception as error:
            raise self._failed(error) from error
        self.columns = tuple(self._types)
        self.table = Piece(f"global_temp.{self._view}")

    def __reduce__(self) -> tuple[type[SparkEngine], tuple[object, ...]]:
        return SparkEngine, (self.address, self.id_columns)

    def quoted(self, name: str) -> Piece:
        return Piece("`" + name.replace("`", "``") + "`")

    def text(self, name: str) -> Piece:
        """A moment as a file has it."""
        form = MOMENTS.get(self._types.get(name, ""))
        if form is None:
            return super().text(name)
        return sql("COALESCE(date_format({}, {}), '')", self.column(name), value(form))

    def fetch(self, query: Piece, tick: Tick = go_on) -> list[tuple[Any, ...]]:
        return self._run(lambda: [tuple(row) for row in self._asked(query).collect()], tick)

    def stream(self, query: Piece, tick: Tick = go_on) -> Iterator[pa.RecordBatch]:
        """A large result, by way of a temporary folder."""
        with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
            target = Path(folder) / "result"
            self._run(lambda: self._asked(query).write.parquet(str(target)), tick)
            for part in sorted(target.glob("part-*")):
                with pq.ParquetFile(part) as file:
                    for batch in file.iter_batches(ROWS_AT_ONCE):
                        tick()
                        yield batch

    def found(self, query: Piece) -> pa.Table:
        table: pa.Table = self._run(lambda: self._asked(query).toArrow(), go_on)
        return table

    def close(self) -> None:
        """The session may be others' as well: only the view goes."""
        self._spark.catalog.dropGlobalTempView(self._view)

    def _run(self, work: Callable[[], Answer], tick: Tick) -> Answer:
        def ask() -> Answer:
            try:
                return work()
            except Exception as error:
                raise self._failed(error) from error

        return patiently(ask, self._spark.sparkContext.cancelAllJobs, tick)

    def _asked(self, query: Piece) -> Any:
        return self._spark.sql(query.text.replace(HOLE, "?"), args=list(query.values))

    def _failed(self, error: Exception) -> EngineError:
        return EngineError(
            f"{self.name}: Spark does not answer: {first_line(error)}. What was made so far is as "
            "it was"
        )
