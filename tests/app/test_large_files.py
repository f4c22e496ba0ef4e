"""Every file is read in another process, large or small."""

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import labelcore as lc
from labelcore import bounded
from labelcore.bounded import Work
from labelcore.population import limits
from labelcore.population.engines import sources
from labelcore.ui import reading
from labelcore.ui.new_cards import ACCURACY
from tests.app.conftest import aimed, created, error, surface, texts, to_aim, with_upload
from tests.cases import sampled


@pytest.fixture(autouse=True)
def read_apart(read_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reading, "Work", Work)


class Noted(Work):
    """Work that is counted."""

    asked: ClassVar[list[str]] = []

    def __init__(self, what: str, function: Callable[..., Any], *arguments: Any, **given: Any):
        self.asked.append(function.__name__)
        super().__init__(what, function, *arguments, **given)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What other processes were asked."""
    monkeypatch.setattr(reading, "Work", Noted)
    Noted.asked.clear()
    return Noted.asked


def test_every_file_is_read_in_another_process(app, items: Path, asked: list[str]) -> None:
    page = with_upload(app, "items.csv", items.read_bytes())
    assert not page.error
    assert "200 items, 1 score, 1 prediction column, no fault" in texts(page).replace("\\", "")
    assert asked == ["look", "look_inside", "read_and_compare"]
    page.run()
    assert len(asked) == 3, "what is known of it is kept"


def test_what_another_tool_may_have_written_too(app, items: Path, asked: list[str]) -> None:
    rows = json.dumps([{"text": f"text {number}", "score": number / 9} for number in range(9)])
    page = with_upload(app, "items.json", rows.encode())
    assert not page.error
    assert asked == ["recognise", "look", "look_inside", "read_and_compare"]


def test_a_project_of_a_file_opens(app, make, asked: list[str]) -> None:
    shutil.rmtree(make(labels=3).store.items_folder)  # as before there were snapshots
    shown = app("label", project="demo")
    assert not shown.error and asked == ["read"]
    assert surface(shown)["answers"]


def test_a_project_with_its_snapshot_reads_no_file(app, make, items: Path, asked) -> None:
    make(labels=3)
    shown = app("label", project="demo")
    assert not shown.error and not asked
    assert surface(shown)["answers"]


def test_faults_are_said_as_ever(app, items: Path, asked: list[str]) -> None:
    ragged = items.read_bytes() + b"one cell\n"
    page = with_upload(app, "items.csv", ragged)
    assert "must have 5 cells, got 1" in texts(page).replace("\\", "")
    assert asked == ["look", "look_inside"]


def test_a_limit_is_said_and_can_be_tried_again(
    app, items: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "SECONDS", 0.0)
    page = with_upload(app, "items.csv", items.read_bytes())
    assert "items.csv took longer than 0 seconds. It was ended, and nothing was" in error(page)
    assert error(page.run()) == error(page)
    monkeypatch.setattr(bounded, "SECONDS", 300.0)
    (again,) = [one for one in page.button if str(one.key).startswith("again-")]
    again = again.click().run()
    assert not again.error and "no fault" in texts(again)


def named(app, wanted: str):
    """*New project* with a path inside the data folder."""
    page = app("new_project")
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
def few_rows(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """As if 200 rows were more than may be held in memory."""
    monkeypatch.setattr(sources, "LARGE", 100)
    monkeypatch.setattr(limits, "MOST_ROWS", 150)
    monkeypatch.setattr(bounded, "_host", host := bounded._Host())
    monkeypatch.setattr(bounded, "PRELOADED", ("tests.app.few_rows",))
    yield
    host.end()


def made(app, wanted: str, folder: Path) -> lc.Population:
    """The population of a project of these items, opened again."""
    page = named(app, wanted)
    assert not page.error
    assert "200 items, 1 score, 1 prediction column, no fault" in texts(page).replace("\\", "")
    assert page.dataframe[0].value["id"].tolist() == [f"i{row}" for row in range(5)]
    aimed(to_aim(page, "Is it spam?"), ACCURACY.title)
    session = created(page, folder)
    shown = app("label", project=session.project)
    assert not shown.error and surface(shown)["answers"]
    return session.population


@pytest.mark.full
@pytest.mark.parametrize("wanted", sampled(["files/one.parquet", "files/parts"], 1, seed=1))
def test_more_rows_than_fit_are_read_where_they_lie(
    app, parquet: Path, few_rows, wanted: str, data_folder: Path
) -> None:
    population = made(app, wanted, data_folder)
    assert population.stays and len(population) == 200
    assert population.content("i4")["text"].startswith("item 4\n")


@pytest.mark.full
def test_a_folder_of_a_few_rows_becomes_a_project(app, parquet: Path, data_folder: Path) -> None:
    population = made(app, "files/parts", data_folder)
    assert population.path == parquet / "parts"
    assert population.content("i4")["text"].startswith("item 4\n")


def test_more_rows_than_fit_of_anything_else_are_refused(
    app, parquet: Path, few_rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert MOST in error(named(app, "files/items.csv"))


MOST = "a file may have at most 150 rows, and this one has"
MANY_LINES = pyarrow.csv.ParseOptions(newlines_in_values=True)
