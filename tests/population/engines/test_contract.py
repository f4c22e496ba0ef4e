"""Every engine hands out the same rows."""

import pandas as pd
import pyarrow as pa
import pytest

from labelcore.population.engines.postgres import PostgresEngine
from labelcore.population.engines.sql import sql
from labelcore.population.text import as_text
from tests.population.engines.conftest import ID, SMOOTH, Given, N


def test_every_row_in_the_order_of_positions(given: Given) -> None:
    found = pa.Table.from_batches(list(given.engine.items([ID, SMOOTH, "called", "text"])))
    assert found.column(0).to_pylist() == given.ids
    assert found.column(1).to_numpy().tolist() == given.scores[SMOOTH].tolist()
    assert found.column(2).to_pylist() == given.rows.column("called").to_pylist()
    assert found.column(3).to_pylist() == given.rows.column("text").to_pylist()


def test_the_content_of_one_row(given: Given) -> None:
    texts = given.rows.column("text").to_pylist()
    for position in (0, 700, N - 1, texts.index(None)):
        found = given.engine.cells(position, given.ids[position], ["text", ID])
        assert found == {"text": texts[position] or "", ID: given.ids[position]}


def test_a_tick_that_raises_ends_a_pass_and_leaves_the_engine_whole(given: Given) -> None:
    class Enough(Exception):
        pass

    def enough() -> None:
        raise Enough

    with pytest.raises(Enough):
        list(given.engine.items(["text"], enough))
    assert sum(batch.num_rows for batch in given.engine.items(["text"])) == N


def test_refuses_a_column_that_is_not_there(given: Given) -> None:
    with pytest.raises(ValueError, match="has no column 'mystery'; its columns are 'i d'"):
        given.engine.column("mystery")


def test_moments_are_one_text_wherever_they_are_asked_for(given: Given) -> None:
    """In the columns that are read, in the row of one item, and in SQL, where ids are hashed."""
    engine, names = given.engine, ["moment", "day", "local"]
    read = pa.Table.from_batches(list(engine.items(names)))
    texts = {name: as_text(read.column(name)).to_pylist() for name in names}
    if not isinstance(engine, PostgresEngine):
        assert texts == {name: as_text(given.rows.column(name)).to_pylist() for name in names}
    for name in ("moment", "local"):
        moments = pd.to_datetime(texts[name], utc=True, format="ISO8601")
        assert moments.tolist() == given.rows.column("moment").to_pandas().tolist()
    asked = sql("SELECT {}, {} FROM {}", engine.item_id(), engine.text("moment"), engine.table)
    assert dict(engine.fetch(asked)) == dict(zip(given.ids, texts["moment"], strict=True))
    for place in (0, 701, N - 1):
        cells = engine.cells(place, given.ids[place], names)
        assert cells == {name: texts[name][place] for name in names}


@pytest.mark.parametrize("name", ["moment", "local"])
def test_an_item_is_found_by_a_moment_that_is_its_id(given: Given, name: str) -> None:
    kind, told = given.engine.__reduce__()
    engine = kind(*told[:-1], [name])
    read = pa.Table.from_batches(list(engine.items([name, "text"])))
    for place in (0, 701, N - 1):
        item, text = (as_text(read.column(one))[place].as_py() for one in (name, "text"))
        assert engine.cells(place, item, ["text"]) == {"text": text}
    engine.close()
