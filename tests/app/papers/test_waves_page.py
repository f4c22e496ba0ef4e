"""Waves: one series of projects, what was expected of each, and the next one."""

from __future__ import annotations

import csv
from collections.abc import Callable
from itertools import count
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.papers.oversampling import waves_page
from labelcore.papers.oversampling.monitoring import monitor, wave_of
from labelcore.papers.oversampling.series import series_of
from labelcore.ui import sessions
from tests.app.conftest import button, texts


def write(path: Path, every_wrong: int) -> Path:
    """400 items, a quarter called yes; of these every so many-th is a no."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "text", "called"])
        for n in range(400):
            writer.writerow([f"i{n}", f"{path.stem} {n} {every_wrong}", int(n % 4 == 0)])
    return path


def judge(session: lc.Session, every_wrong: int) -> None:
    while (draw := session.next()) is not None:
        n = int(draw.item_id[1:])
        session.answer(draw, n % 4 == 0 and n // 4 % every_wrong != 0)
    session.finish()


@pytest.fixture(autouse=True)
def seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each wave's plan has a random seed; here they are 11, 12, ..."""
    numbers = count(11)
    monkeypatch.setattr(waves_page.secrets, "randbelow", lambda most: next(numbers))


@pytest.fixture
def first(data_folder: Path) -> lc.Session:
    path = write(data_folder / "files" / "may.csv", 10)
    population = lc.read_population(path, id="id", content="text", predictions={"c": "called"})
    plan = lc.Plan("simple_random", ["precision", "recall"], budget=160, promise="fixed", seed=1)
    session = sessions.registry().create("May", population, plan, {"question": "Spam?"})
    judge(session, 10)
    return session


def follow(data_folder: Path, name: str, every_wrong: int) -> lc.Session:
    """The next wave of the series, as the page makes it."""
    record = series_of(sessions.store(), "May")[-1]
    last = sessions.session(record.name)
    path = write(data_folder / "files" / f"{name}.csv", every_wrong)
    made = waves_page.start_wave(last, record, monitor([wave_of(last)]), path, name)
    return sessions.session(made)


def test_a_series_with_an_alarm(app: Callable, first: lc.Session, data_folder: Path) -> None:
    june = follow(data_folder, "June", 10)
    assert june.plan.seed != first.plan.seed and june.plan.budget == 160
    assert june.settings["question"] == "Spam?"
    judge(june, 10)
    judge(follow(data_folder, "July", 2), 2)
    page = app("method", page="waves", project="June")
    assert not page.exception
    text = texts(page)
    assert list(page.table[0].value["wave"]) == ["May", "June", "July"]
    assert "'May' has no earlier wave to be compared with." in text
    assert "'June' lies where the earlier waves expected it." in text
    assert "Alarm in 'July': precision came out at" in text.replace("\\", "")
    assert "predictive interval, if the rates are still those of 1 earlier wave" in text
    assert button(page, "waves-start").disabled


def test_a_wave_that_goes_on_is_left_out(
    app: Callable, first: lc.Session, data_folder: Path
) -> None:
    follow(data_folder, "June", 10)
    page = app("method", page="waves", project="May")
    assert "June is not finished yet and is left out." in texts(page)
    assert not [one for one in page.button if one.key == "waves-start"]


def test_the_same_file_is_no_new_wave(first: lc.Session) -> None:
    record = series_of(sessions.store(), "May")[-1]
    with pytest.raises(ValueError, match="each wave needs a new one"):
        waves_page.start_wave(first, record, monitor([wave_of(first)]),
                         Path(first.population.path), "June")  # fmt: skip
    assert len(sessions.store().projects()) == 1


def test_a_file_with_other_columns_makes_nothing(first: lc.Session, data_folder: Path) -> None:
    path = data_folder / "files" / "other.csv"
    path.write_text("id,text\n1,a\n", encoding="utf-8")
    record = series_of(sessions.store(), "May")[-1]
    with pytest.raises(ValueError, match="called"):
        waves_page.start_wave(first, record, monitor([wave_of(first)]), path, "June")
    assert len(sessions.store().projects()) == 1


def test_other_plans_are_told_why_not(app: Callable, make: Callable) -> None:
    make("demo", labels=1)
    assert "Waves need a sample" in texts(app("method", page="waves", project="demo"))
