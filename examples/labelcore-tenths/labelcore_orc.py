"""A reader of ORC files (of Hive and Spark): written once as Parquet, which is then read."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
from pyarrow import orc

from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.table import EngineTable
from labelcore.population.limits import refusal
from labelcore.population.tables import WrittenTable


class OrcFile(EngineTable):
    """A .orc file, with all that a reader owes: columns, batches, single rows, faults."""

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        path: Path,
        given: Mapping[str, Any] = NOTHING,
        wanted: Mapping[str, bool] = NOTHING,
    ) -> None:
        try:
            table = orc.read_table(path)
        except (pa.ArrowException, OSError) as error:
            raise refusal(path.name, f"cannot be read as ORC: {error}") from error
        self.written = WrittenTable(path.name, [table], table.schema)
        super().__init__(DuckEngine(path.name, [str(self.written.path)]))

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """Nothing to choose."""
        return Form(PLAIN, cls.options)
