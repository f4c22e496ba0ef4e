"""A log that follows is confirmed; one that does not is refused at the event that does not."""

import os
import platform
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import ReplayError
from labelcore.log.events import Event
from labelcore.replay import replay, replay_project
from tests.report.conftest import Made
from tests.report.sessions import (
    again,
    begun,
    chained,
    first,
    label,
    session_on,
    swapped,
    write_items,
)


def refused(session: lc.Session, events: list[Event], **options: Any) -> ReplayError:
    with pytest.raises(ReplayError) as caught:
        again(session, events, **options)
    return caught.value


def test_an_honest_log_agrees(made: Made) -> None:
    result = again(made.session, made.session.events)
    assert result.events == len(made.session.events)
    assert result.looks == len(made.session.looks())
    assert result.seal == made.session.events[-1].hash
    assert result.sentences() == [one.sentence() for one in made.session.results().values()]
    kinds = {event.kind for event in made.session.events}
    assert kinds >= {"drawn", "labelled", "later", "broken", "undone", "noted", "flagged", "looked"}


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param({"design": "simple_random", "budget": 50}, marks=pytest.mark.full),
        {"design": "simple_random", "budget": 40, "promise": "fixed"},
        {"design": "simple_random", "estimands": ["accuracy"], "margin": 0.2},
        pytest.param({"margin": 0.25}, marks=pytest.mark.full),
        pytest.param(
            {"budget": 50, "estimands": ["precision", "precision_curve"]}, marks=pytest.mark.full
        ),
        {"budget": 8, "estimands": ["precision", "precision_curve"]},
        pytest.param({"budget": 50, "target": "process"}, marks=pytest.mark.full),
    ],
    ids=str,
)
def test_every_kind_of_plan_replays(tmp_path: Path, plan: dict[str, Any]) -> None:
    session, truth = begun(tmp_path, **plan)
    label(session, truth, 300, eventful="margin" not in plan, looks=4)
    if session.status in ("goal reached", "budget used"):
        session.extend(budget=len(session.engine.asked) + 20)
        label(session, truth, 20, eventful=False)
    session.finish()
    assert again(session, session.events).events == len(session.events)


def test_a_project_whose_file_moved_replays_from_where_it_is(tmp_path: Path) -> None:
    truth = write_items(tmp_path / "items.csv")
    store = f"sqlite:///{tmp_path}/labels.db"
    label(session_on(tmp_path / "items.csv", store=store), truth, 5)
    (tmp_path / "items.csv").rename(tmp_path / "moved.csv")
    assert replay_project(store, "spam").draws == 5
    shutil.rmtree(tmp_path / "labels.items")
    with pytest.raises(FileNotFoundError, match=r"items\.csv"):
        replay_project(store, "spam")
    assert replay_project(store, "spam", file=tmp_path / "moved.csv").draws == 5


def test_a_changed_label_is_caught_at_once_or_with_its_own_hash_at_the_next(made: Made) -> None:
    events = made.session.events
    place = first(events, "labelled", 40)
    forged = swapped(events, place, label="no" if events[place].label == "yes" else "yes", text="x")
    assert refused(made.session, forged).sequence == place + 1
    forged[place] = forged[place].chained(events[place - 1].hash)
    error = refused(made.session, forged)
    assert error.sequence == place + 2
    assert "hash does not follow" in str(error)


def test_a_changed_label_with_all_hashes_anew_is_caught_by_the_next_look(made: Made) -> None:
    events = made.session.events
    look = first(events, "looked", 105)
    place = max(at for at in range(look) if events[at].kind == "labelled")
    other = "no" if events[place].label == "yes" else "yes"
    error = refused(made.session, chained(made.session, swapped(events, place, label=other)))
    assert error.sequence == look + 1
    assert "in the log and" in str(error)


def test_a_changed_draw_with_all_hashes_anew_is_caught(made: Made) -> None:
    events = made.session.events
    place = first(events, "drawn", 30)
    drawn = {event.item_id for event in events}
    other = next(name for name in made.session.population.ids() if name not in drawn)
    error = refused(made.session, chained(made.session, swapped(events, place, item_id=other)))
    assert error.sequence == place + 1
    assert f"should be item {events[place].item_id!r}" in str(error)


def looked(made: Made, off: float, **told: bool) -> tuple[int, list[Event]]:
    """The place of a look whose precision is off by so much, and the log with all hashes anew."""
    events = made.session.events
    place = first(events, "looked", 70)
    results = events[place].detail["results"]
    figures = {**results["precision"], "low": results["precision"]["low"] + off, **told}
    detail = {**events[place].detail, "results": {**results, "precision": figures}}
    return place, chained(made.session, swapped(events, place, detail=detail))


def test_a_changed_look_with_all_hashes_anew_is_caught(made: Made) -> None:
    place, forged = looked(made, 1e-6)
    error = refused(made.session, forged)
    assert error.sequence == place + 1
    assert "results, precision, low is" in str(error)


def test_rounding_and_which_values_a_look_told_are_no_difference(made: Made) -> None:
    """Earlier versions told other values; their logs follow all the same."""
    place = first(made.session.events, "looked", 70)
    told = made.session.events[place].detail["results"]["precision"].get("tentative", False)
    again(made.session, looked(made, 1e-12, tentative=not told)[1])


ANOTHER = {
    "NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL AVX512_SPR ASIMDHP ASIMDDP ASIMDFHM SVE",
    "OPENBLAS_CORETYPE": {"aarch64": "ARMV8"}.get(platform.machine(), "Nehalem"),
    "OPENBLAS_NUM_THREADS": "1",
}
"""A processor that knows fewer instructions: last digits are others."""


BOTH = {"classifier": ["m", "n"], "budget": 110}


@pytest.mark.slow
@pytest.mark.as_shipped
@pytest.mark.parametrize(
    "plan",
    [
        {"design": "recalibrated_neyman", "estimands": ["precision"], "target": "process"},
        pytest.param(
            {"design": "paired_lists", "estimands": ["precision_curve_difference"], **BOTH},
            marks=pytest.mark.full,
        ),
        pytest.param(
            {"design": "agreement_patterns", "estimands": ["recall"], **BOTH},
            marks=pytest.mark.full,
        ),
    ],
    ids=lambda plan: plan["design"],
)
def test_a_log_follows_on_another_processor(tmp_path: Path, plan: dict[str, Any]) -> None:
    """A file full of ties: ten scores, as many items with each."""
    at, random = np.arange(2_040), np.random.default_rng(6)
    scores = {"m": at % 10, "n": at // 10 % 10}
    frame = pd.DataFrame({name: (0.05 + of / 10).round(2) for name, of in scores.items()})
    frame = frame.assign(id=[f"i{one}" for one in at], text="item")
    frame.to_csv(tmp_path / "items.csv", index=False)
    given = {"scores": {"m": "m", "n": "n"}, "thresholds": {"m": 0.5, "n": 0.5}}
    store, truth = f"sqlite:///{tmp_path / 'labels.db'}", random.random(2_040) < frame["m"]
    chosen = {"classifier": "m", "budget": 60, "seed": 6, **plan}
    session = session_on(tmp_path / "items.csv", store=store, arguments=given, **chosen)
    label(session, dict(zip(frame["id"], truth.tolist(), strict=True)), 55, looks=5)
    command = [sys.executable, "-m", "labelcore", "replay", "--store", store, "--project", "spam"]
    done = subprocess.run(command, env={**os.environ, **ANOTHER}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "Everything agrees." in done.stdout


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("drawn", {"stratum": 99}, "stratum 99"),
    ("drawn", {"batch": 99}, "batch 99"),
    ("drawn", {"basis": 12345}, "after event 12345"),
    ("drawn", {"token": ""}, "token '' was used before"),
    ("labelled", {"answers": "never-shown"}, "never shown"),
    ("labelled", {"answers": None}, "answers no item"),
    ("labelled", {"index": 1}, "speaks of draw 1"),
    ("labelled", {"item_id": "m999"}, "item_id"),
    ("labelled", {"label": "maybe"}, "not one of the classes"),
    ("labelled", {"label": None}, "a label of None"),
    ("later", {"label": "yes"}, "a label of 'yes'"),
    ("undone", {"previous": 1}, "not in force"),
    ("undone", {"index": 999}, "never drawn"),
    ("noted", {"item_id": "m999"}, "item_id"),
    ("flagged", {"index": 999}, "never drawn"),
    ("labelled", {"kind": "guessed"}, "kind must be one of"),
    ("labelled", {"at": "yesterday"}, "is not a time"),
    ("labelled", {"at": "2026-01-01T00:00:00"}, "has no zone"),
    ("labelled", {"index": True}, "whole number"),
    ("drawn", {"index": None}, "out of order"),
    ("drawn", {"index": -3}, "out of order"),
    ("drawn", {"index": 0}, "out of order"),
    ("labelled", {"sequence": 7}, "has event 7 in its place"),
    ("looked", {"detail": {}}, "missing in the log"),
    ("looked", {"detail": {"after": 1}}, "after is 1 in the log"),
    ("finished", {"kind": "stopped"}, "rules met then are ''"),
    ("finished", {"kind": "extended", "detail": {"budget": 3}}, "more than the 60 items"),
    ("finished", {"kind": "extended"}, "more than the 60 items"),
]


@pytest.mark.parametrize(("kind", "changes", "reason"), CHANGES)
def test_a_changed_field_is_refused_though_all_hashes_are_anew(
    made: Made, kind: str, changes: dict[str, Any], reason: str
) -> None:
    events = made.session.events
    place = first(events, kind, 21)
    error = refused(made.session, chained(made.session, swapped(events, place, **changes)))
    assert error.sequence == place + 1
    assert reason in str(error)


def test_an_event_left_out_put_twice_or_swapped_is_refused(made: Made) -> None:
    events = made.session.events
    place = first(events, "labelled", 30)
    for forged in (
        events[:place] + events[place + 1 :],
        events[: place + 1] + events[place:],
        [*events[:place], events[place + 1], events[place], *events[place + 2 :]],
    ):
        error = refused(made.session, chained(made.session, forged))
        assert error.sequence in (place + 1, place + 2)


def test_an_answer_given_twice_is_refused(made: Made) -> None:
    events = made.session.events
    place = first(events, "labelled", 30)
    twice = [*events[: place + 1], events[place]]
    twice[-1] = replace(twice[-1], sequence=place + 2)
    error = refused(made.session, chained(made.session, twice))
    assert error.sequence == place + 2
    assert f"event {place + 1} answered this already" in str(error)


def test_a_log_cut_short_is_told_by_its_seal_only(made: Made) -> None:
    events = made.session.events
    assert again(made.session, events[:40]).events == 40
    error = refused(made.session, events[:40], seal=events[-1].hash)
    assert error.sequence == 40
    assert "missing at its end" in str(error)


def test_another_plan_or_file_is_refused_and_the_first_break_named(made: Made) -> None:
    record, events = made.session.record, made.session.events
    other = record.plan_json.replace('"seed": 3', '"seed": 4')
    with pytest.raises(ReplayError, match=r"^event 1: "):
        replay(made.session.population, other, events, fingerprint=record.fingerprint)
    arguments = {**made.session.population.arguments, "thresholds": {"lr": 0.6}}
    with pytest.raises(ReplayError, match=r"^event 0: .*Event 2 is the first that no longer"):
        replay(
            made.items, record.plan_json, events,
            fingerprint=record.fingerprint, arguments=arguments,
        )  # fmt: skip
