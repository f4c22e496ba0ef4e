"""New project: prices by formulas at once, simulated after; nothing else changes."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

import labelcore as lc
from labelcore.planning.race import may_race
from labelcore.ui import new_price, new_race, waiting
from labelcore.ui.draft import CLAIMS, MARGIN
from labelcore.ui.new_race import NOT_DONE, TURN
from tests.app.conftest import created, texts, to_aim, with_upload

SIMULATED = "Simulated on your scores"
SECONDS = 60.0


@pytest.fixture(autouse=True)
def with_race(no_race: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The race as it is, with time enough for a busy machine, and nothing raced before."""
    monkeypatch.setattr(new_race, "may_race", may_race)
    monkeypatch.setattr(new_race, "SECONDS", SECONDS)
    waiting.works.clear()
    yield
    assert TURN.acquire(blocking=False), "a race still holds its place"
    TURN.release()
    waiting.works.clear()


@pytest.fixture
def tables(monkeypatch: pytest.MonkeyPatch) -> list[list[int]]:
    """The simulated sessions behind each line of the table, each time it is drawn."""
    drawn: list[list[int]] = []
    real = new_price.readable_lines

    def table(found: list[Any], *terms: Any) -> Any:
        drawn.append([one.runs for one in found if not one.refused])
        return real(found, *terms)

    monkeypatch.setattr(new_price, "readable_lines", table)
    return drawn


@pytest.fixture
def raced(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The plans of each race that is begun; a fake that makes every width a fifth narrower."""
    begun: list[Any] = []

    def race(population: lc.Population, entrants: Any, **more: Any) -> dict[str, Any]:
        begun.append([plan for plan, _ in entrants])
        more["progress"](0.5)
        return {
            line.design: replace(
                line,
                labels=line.labels + 7 if entrants[0][0].margin else line.labels,
                half_widths={key: 0.8 * width for key, width in line.half_widths.items()},
                runs=40,
                error=0.01,
            )
            for _, line in entrants
        }

    monkeypatch.setattr(new_race, "race", race)
    return begun


def on_last_screen(app: Callable[..., Any], path: Path) -> Any:
    """With what is preset: precision and recall where few items are called positive."""
    return to_aim(with_upload(app, path.name, path.read_bytes()), "Is it spam?")


def test_formulas_first_then_simulated_once(
    app: Callable[..., Any], items: Path, tables: list[list[int]], raced: list[Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    page = on_last_screen(app, items)
    first, second = tables
    assert set(first) == {0} and set(second) == {40} and len(first) == len(second) > 1
    (said,) = (one for one in page.caption if one.value == SIMULATED)
    assert len(SIMULATED.split()) <= 20
    assert "40 sessions of each method" in said.help and "up to 2 %." in said.help
    assert not [one for one in page.button if one.key == "new-race-cancel"]
    monkeypatch.setattr(new_price, "crossing", lambda own, other: bool(own and other))
    assert new_price.ROUGH not in texts(page) and new_price.ROUGH in texts(page.run())
    assert len(raced) == 1 and tables[-1] == second
    page.segmented_control(key="new-confidence").set_value(0.9).run()
    assert len(raced) == 2


def test_real_numbers_come_and_no_thread_stays(app: Callable[..., Any], items: Path) -> None:
    before = set(threading.enumerate())
    page = on_last_screen(app, items)
    assert SIMULATED in texts(page)
    left = set(threading.enumerate()) - before
    others = ("guard", "trials")  # the store's own, and the one that makes trials
    assert not [one for one in left if not one.name.startswith(others)]


def test_the_size_on_the_page_is_the_one_that_is_frozen(
    app: Callable[..., Any], items: Path, data_folder: Path, raced: list[Any]
) -> None:
    page = on_last_screen(app, items)
    page.segmented_control(key="new-way").set_value(MARGIN).run()
    shown = next(one.value for one in page.markdown if one.value.startswith("About"))
    session = created(page, data_folder)
    plan = session.plan
    asked = replace(plan, planned=None, rules=None, sure_scores=None)
    formula = lc.preview(session.population, asked).planned
    assert plan.planned == formula + 7
    assert f"About {plan.planned} labels" in shown


def test_cancel_keeps_the_formulas(
    app: Callable[..., Any], items: Path, tables: list[list[int]], monkeypatch: pytest.MonkeyPatch,
    raced: list[Any],
) -> None:  # fmt: skip
    """Until somebody tries again, or asks for something else."""
    pressed = threading.Event()

    def cancel(work: waiting.Here, name: str, *about: Any) -> None:
        if work.what == "Simulating the methods on your scores":
            st.session_state[waiting.STOPPED] = name
            work.cancel()
            pressed.set()
        work.ended.wait()

    with monkeypatch.context() as patch:
        patch.setattr(waiting, "_shown", cancel)
        patch.setattr(new_race, "race", lambda *given, progress, **more: pressed.wait())
        page = on_last_screen(app, items)
    assert "Simulating the methods on your scores: cancelled." in texts(page.run())
    assert raced == [] and {runs for drawn in tables for runs in drawn} == {0}
    page.segmented_control(key="new-confidence").set_value(0.9).run()
    assert len(raced) == 1


def test_what_took_too_long_stays_with_the_formulas(
    app: Callable[..., Any], items: Path, monkeypatch: pytest.MonkeyPatch, tables: list[list[int]]
) -> None:
    monkeypatch.setattr(new_race, "SECONDS", 0.0)
    monkeypatch.setattr(new_price, "crossing", lambda own, other: bool(own and other))
    page = on_last_screen(app, items)
    assert new_price.ROUGH not in texts(page), "it is of simulated curves"
    assert NOT_DONE in texts(page) and {runs for drawn in tables for runs in drawn} == {0}


def test_all_are_simulated_or_none(
    app: Callable[..., Any], items: Path, monkeypatch: pytest.MonkeyPatch, raced: list[Any],
    tables: list[list[int]],
) -> None:  # fmt: skip
    """A simulated number never stands beside one of formulas."""
    everyone = new_race.race
    monkeypatch.setattr(
        new_race, "race", lambda population, entrants, **more: dict(
            list(everyone(population, entrants, **more).items())[1:]
        )
    )  # fmt: skip
    page = on_last_screen(app, items)
    assert len(raced) == 1 and {runs for drawn in tables for runs in drawn} == {0}
    assert SIMULATED not in texts(page) and NOT_DONE in texts(page)


def test_the_fewest_simulated_labels_are_recommended(
    app: Callable[..., Any], items: Path, monkeypatch: pytest.MonkeyPatch, raced: list[Any]
) -> None:
    """Where simulations put another method first than the formulas did, that one is taken, stands
    first, and no second race is run for it."""
    everyone = new_race.race

    def race(population: lc.Population, entrants: Any, **more: Any) -> dict[str, Any]:
        found = everyone(population, entrants, **more)
        return {
            name: replace(one, labels=31 if name == "oversampling" else 60)
            for name, one in found.items()
        }

    page = on_last_screen(app, items)
    first = chosen_method(page)
    assert first != "oversampling"
    monkeypatch.setattr(new_race, "race", race)
    raced.clear()
    page.segmented_control(key="new-way").set_value(MARGIN).run()
    assert chosen_method(page) == "oversampling" and len(raced) == 1
    rows = page.radio(key="new-row")
    assert rows.value == rows.options[0] or rows.index == 0
    assert "About 31 labels" in texts(page)


def chosen_method(page: Any) -> str:
    """The design that stands as the recommended one."""
    return str(page.radio(key="new-row").value).split()[0]


def test_one_race_at_a_time(
    app: Callable[..., Any], items: Path, monkeypatch: pytest.MonkeyPatch, raced: list[Any]
) -> None:
    """Another one is let in by the end of the first, and shows formulas until then."""
    waits = threading.Event()
    monkeypatch.setattr(waiting, "_shown", lambda work, *given: (waits.set(), work.ended.wait()))

    def elsewhere() -> None:
        with TURN:
            begun.set()
            assert waits.wait(SECONDS)
            order.append(len(raced))

    begun, order = threading.Event(), []
    thread = threading.Thread(target=elsewhere)
    thread.start()
    assert begun.wait(SECONDS)
    assert SIMULATED in texts(on_last_screen(app, items))
    thread.join(SECONDS)
    assert order == [0] and len(raced) == 1


def test_only_the_last_results_are_kept() -> None:
    works = waiting.Works()
    for kind, most in (("race", waiting.OF_KINDS["race"]), ("sums", waiting.KEPT)):
        for number in range(most + 1):
            works.put(kind, (number,), ({},))
        assert works.get(kind, (0,)) is None and works.get(kind, (1,)) == ({},)


def test_the_price_of_claims_is_not_the_one_simulated_for_a_number(
    app: Callable[..., Any], items: Path, data_folder: Path, raced: list[Any]
) -> None:
    page = on_last_screen(app, items)
    assert len(raced) == 1
    page.segmented_control(key="new-way").set_value(CLAIMS).run()
    percent = next(one for one in page.number_input if (one.key or "").endswith("-percent"))
    percent.set_value(55.0).run()
    shown = next(one.value for one in page.markdown if "until every claim is" in one.value)
    session = created(page, data_folder)
    found = lc.preview(session.population, replace(session.plan, planned=None))
    assert shown.startswith(f"About {found.expected_labels:,} labels, ")
