"""What every typed table answers alike: it has its structure, and no lines."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from labelcore.errors import Fault
from labelcore.population.dialect import PLAIN, Dialect


class TypedTable:
    """The questions of a ``TableFile`` that are about text files."""

    dialect: ClassVar[Dialect] = PLAIN
    detected: ClassVar[Dialect] = PLAIN

    def faults(self) -> list[Fault]:
        """None: a table that opens has its structure."""
        return []

    def broken_rows(self) -> frozenset[int]:
        """None, likewise."""
        return frozenset()

    def lines(self, positions: NDArray[np.int64]) -> list[int | None]:
        """None for each: there are no lines."""
        return [None] * len(positions)
