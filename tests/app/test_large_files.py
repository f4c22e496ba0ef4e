"""A large file is read in another process, and the page says the same as of a small one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from labelcore import bounded
from labelcore.ui import files, sessions
from tests.app.conftest import surface, texts
from tests.app.test_new_project import error, with_upload


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
    make(labels=3)
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
