"""Single rows of a table, looked up once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from labelcore.population.engines.engine import Engine, EngineError
from labelcore.population.engines.sql import Piece, joined, sql

GONE = "row {:,} is not there any more"


class Rows:
    """Ids, scores and predictions of the rows that were drawn or looked up.

    scores, said   columns of numbers, and of texts
    """

    def __init__(self, engine: Engine, scores: Sequence[str], said: Sequence[str]) -> None:
        self.engine, self.scores, self.said = engine, tuple(scores), tuple(said)
        self.columns = tuple(dict.fromkeys([*scores, *said]))
        self._number = engine.count()
        self._of: dict[int, tuple[Any, ...]] = {}
        self._position: dict[str, int] = {}

    def __len__(self) -> int:
        return self._number

    @property
    def wanted(self) -> list[Piece]:
        """What is asked of a row: its position, its id, then its columns."""
        assert self.engine.place is not None
        scores = [self.engine.score(name) for name in self.scores]
        texts = [self.engine.text(name) for name in self.said]
        return [self.engine.place, self.engine.item_id(), *scores, *texts]

    def add(self, row: Sequence[Any]) -> int:
        """Keep a row as ``wanted`` has it; returns its position."""
        position, name = int(row[0]), str(row[1])
        self._of[position] = (name, *row[2:])
        self._position[name] = position
        return position

    def ids(self, positions: Sequence[int]) -> list[str]:
        """The ids at some positions."""
        self._look_up(positions)
        return [self._of[one][0] for one in positions]

    def numbers(self, column: str, positions: Sequence[int]) -> list[float]:
        """A column of numbers at some positions."""
        self._look_up(positions)
        place = 1 + self.scores.index(column)
        return [self._of[one][place] for one in positions]

    def texts(self, column: str, positions: Sequence[int]) -> list[str]:
        """A column of texts at some positions."""
        self._look_up(positions)
        place = 1 + len(self.scores) + self.said.index(column)
        return [self._of[one][place] for one in positions]

    def position(self, item_id: str) -> int | None:
        """Where an id is; None where no row has it."""
        if item_id not in self._position:
            self._fetch(self.engine.is_item(item_id))
        return self._position.get(item_id)

    def is_same(self, column: str, position: int, text: str) -> bool:
        """Whether a cell still says what was read."""
        if column in self.said:
            return self.texts(column, [position])[0] == text
        try:
            return float(text) == self.numbers(column, [position])[0]
        except ValueError:
            return False

    def kept(self, positions: Sequence[int]) -> list[list[Any]]:
        """Rows as ``add`` takes them."""
        self._look_up(positions)
        return [[one, *self._of[one]] for one in positions]

    def _look_up(self, positions: Sequence[int]) -> None:
        missing = [one for one in dict.fromkeys(positions) if one not in self._of]
        if not missing:
            return
        self._fetch(self.engine.at(missing))
        for position in missing:
            if position not in self._of:
                raise EngineError(f"{self.engine.name}: {GONE.format(position + 1)}")

    def _fetch(self, where: Piece) -> None:
        query = sql(
            "SELECT {} FROM {} WHERE {}", joined(", ", self.wanted), self.engine.table, where
        )
        for row in self.engine.fetch(query):
            self.add(row)
