"""A large file is read in another process, and the page says the same as of a small one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore import bounded
from labelcore.population import limits
from labelcore.population.engines import sources
from labelcore.ui import files, sessions
from labelcore.ui.new_cards import ACCURACY
from tests.app.conftest import aimed, button, surface, texts, to_aim
from tests.app.test_new_project import error, store, with_upload


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Every file is large; the processes that were started."""
    started: list[object] = []
    start: Callable[[], object] = bounded._process

    def process() -> object:
        started.append(start())
        return started[-1]

    monkeypatch.setattr(bounded, "_process", process)
    monkeypatch.setattr(files, "LARGE", 1)
    return started


def test_it_is_read_in_another_process(app, items: Path, processes: list[object]) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    assert not page.exception and not page.error
    assert "200 items, 1 score, 1 prediction column, no fault" in texts(page).replace("\\", "")
    assert len(processes) == 4, "what wrote it, a look at it, its rows, known answers"
    page.run()
    assert len(processes) == 4, "what is known of it is kept"


def test_a_small_one_is_read_here(app, items: Path, processes, monkeypatch) -> None:
    monkeypatch.setattr(files, "LARGE", 10**6)
    assert not with_upload(app, "items.csv", items.read_bytes()).error
    assert not processes


def test_a_project_of_a_large_file_opens(app, make, processes, monkeypatch) -> None:
    shutil.rmtree(make(labels=3).store.items_folder)  # as before there were snapshots
    monkeypatch.setattr(sessions, "LARGE_TO_OPEN", 1)
    shown = app("label", project="demo")
    assert not shown.exception and not shown.error and len(processes) == 1
    assert surface(shown)["answers"]


def test_faults_are_said_as_ever(app, items: Path, processes: list[object]) -> None:
    ragged = items.read_bytes() + b"one cell\n"
    page = with_upload(app, "items.csv", ragged)
    assert "must have 5 cells, got 1" in texts(page).replace("\\", "")
    assert len(processes) == 2


def test_a_limit_is_said_and_can_be_tried_again(
    app, items: Path, processes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LARGE", 1)
    monkeypatch.setattr(files, "_recognised", lambda name, content: None)
    monkeypatch.setattr(bounded, "SECONDS", 0.01)
    page = with_upload(app, "items.csv", items.read_bytes())
    assert error(page).startswith("Looking at items.csv took longer than 0 seconds. It was ended")
    assert error(page.run()).startswith("Looking at") and len(processes) == 1
    monkeypatch.setattr(bounded, "SECONDS", 300.0)
    again = page.button(key="again-look").click().run()
    assert not again.error and "no fault" in texts(again)


# --- Parquet that stays where it is --------------------------------------------------------------


def named(app, wanted: str):
    """*New project* with a path inside the data folder."""
    page = app("new_project")
    page.segmented_control(key="new-source").set_value(FOLDER).run()
    return page.text_input(key="new-typed").set_value(wanted).run()


@pytest.fixture
def parquet(items: Path) -> Path:
    """The items as one file, and as a folder of parts beside it."""
    table = pyarrow.csv.read_csv(items, parse_options=MANY_LINES)
    pq.write_table(table, items.parent / "one.parquet")
    (items.parent / "parts").mkdir()
    for number in range(2):
        pq.write_table(table.slice(100 * number, 100), items.parent / f"parts/{number}.parquet")
    return items.parent


@pytest.fixture
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if 200 rows were more than may be held in memory."""
    monkeypatch.setattr(sources, "LARGE", 100)
    monkeypatch.setattr(limits, "MOST_ROWS", 150)


def made(app, wanted: str, folder: Path) -> lc.Population:
    """The population of a project of these items, opened again."""
    page = named(app, wanted)
    assert not page.exception and not page.error
    assert "200 items, 1 score, 1 prediction column, no fault" in texts(page).replace("\\", "")
    assert page.dataframe[0].value["id"].tolist() == [f"i{row}" for row in range(5)]
    aimed(to_aim(page, "Is it spam?"), ACCURACY.title)
    button(page, "new-create").click().run()
    (record,) = store(folder).projects()
    shown = app("label", project=record.name)
    assert not shown.exception and not shown.error and surface(shown)["answers"]
    return lc.Session.open(store(folder), record.name).population


@pytest.mark.parametrize("wanted", ["files/one.parquet", "files/parts"])
def test_more_rows_than_fit_are_read_where_they_lie(
    app, parquet: Path, few_rows, wanted: str, data_folder: Path
) -> None:
    population = made(app, wanted, data_folder)
    assert population.stays and len(population) == 200
    assert population.content("i4")["text"].startswith("item 4\n")


def test_a_folder_of_a_few_rows_becomes_a_project(app, parquet: Path, data_folder: Path) -> None:
    population = made(app, "files/parts", data_folder)
    assert population.path.name == "items.parquet" and population.path != parquet
    assert population.content("i4")["text"].startswith("item 4\n")


def test_more_rows_than_fit_of_anything_else_are_refused(
    app, parquet: Path, few_rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST in error(named(app, "files/items.csv"))
    monkeypatch.setattr(sources, "stay", lambda parts: False)  # as without DuckDB
    assert MOST in error(named(app, "files/one.parquet"))


MOST = "a file may have at most 150 rows, and this one has"
MANY_LINES = pyarrow.csv.ParseOptions(newlines_in_values=True)
FOLDER = "A file in the data folder"
