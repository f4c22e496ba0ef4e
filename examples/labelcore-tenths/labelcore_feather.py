"""A reader of Feather files (Arrow's own format): written once as Parquet, which is then read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pyarrow.feather as feather

from labelcore.population.dialect import NOTHING, PLAIN, Form
from labelcore.population.engines.duck import DuckEngine
from labelcore.population.engines.table import EngineTable
from labelcore.population.limits import refusal
from labelcore.population.tables import WrittenTable


class FeatherFile(EngineTable):
    """A .feather file, with all that a reader owes: columns, batches, single rows, faults."""

    options: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        path: Path,
        given: Mapping[str, Any] = NOTHING,
        wanted: Mapping[str, bool] = NOTHING,
    ) -> None:
        try:
            table = feather.read_table(path)
        except (pa.ArrowException, OSError) as error:
            raise refusal(path.name, f"cannot be read as Feather: {error}") from error
        self.written = WrittenTable(path.name, [table], table.schema)
        super().__init__(DuckEngine(path.name, [str(self.written.path)]))

    @classmethod
    def detect(cls, path: Path, given: Mapping[str, Any] = NOTHING) -> Form:
        """Nothing to choose."""
        return Form(PLAIN, cls.options)
