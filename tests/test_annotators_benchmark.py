"""The benchmark of people on killed servers: a short run, and each fault that it would find."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace

import pytest

import labelcore as lc
from benchmarks.annotators import STORES, Told, Trouble, faults, run
from labelcore.log.events import Event
from labelcore.testing.known import calibrated
from tests.cases import sampled


@pytest.mark.parametrize("kind", sampled(STORES, 1, seed=1, keep=["sqlite"]))
def test_nothing_is_lost_in_a_short_run(kind: str, request: pytest.FixtureRequest) -> None:
    there = {}
    if kind == "postgresql":
        there["database"] = request.getfixturevalue("postgres_server")
        there["url"] = request.getfixturevalue("postgres_url")
    (row,) = run(kind, 3, budget=12, people=4, plan=Trouble(0, 0.1, most=4), **there)
    assert row["faults"] == []
    assert row["acknowledged"] >= row["labels"] == 12 and row["servers killed"]
    assert bool(row["database killed"]) == (kind == "postgresql")


@pytest.fixture(scope="module")
def agreed(tmp_path_factory: pytest.TempPathFactory) -> tuple[Told, list[Event]]:
    """Six answers by two people, and what both were told."""
    known = calibrated(tmp_path_factory.mktemp("told"), 60, seed=2)
    session = lc.Session(known.population, lc.Plan("simple_random", ["accuracy"], budget=6, seed=1))
    told = Told()
    for number in range(6):
        who = f"person {number % 2}"
        draw = session.next(who)
        assert draw is not None
        told.shown[who, draw.token] = draw.item_id
        told.sent[who, draw.token] = told.stored[who, draw.token] = "yes"
        session.answer(draw, "yes")
    return told, session.events


Twin = Callable[[Told, list[Event]], list[Event]]


def loses_the_last(told: Told, events: list[Event]) -> list[Event]:
    return events[:-1]


def stores_another_label(told: Told, events: list[Event]) -> list[Event]:
    return [*events[:-1], replace(events[-1], label="no")]


def answers_another_item(told: Told, events: list[Event]) -> list[Event]:
    return [*events[:-1], replace(events[-1], item_id="elsewhere")]


def answers_for_nobody(told: Told, events: list[Event]) -> list[Event]:
    key = next(iter(told.sent))
    del told.sent[key], told.stored[key]
    return events


def counts_twice(told: Told, events: list[Event]) -> list[Event]:
    key = ("person 1", "another token")
    told.shown[key], told.sent[key], told.stored[key] = str(events[-1].item_id), "yes", "yes"
    return [*events, replace(events[-1], answers="another token", annotator="person 1")]


def says_nothing(told: Told, events: list[Event]) -> list[Event]:
    told.sent["person 1", "no word"] = "yes"
    return events


def refuses_what_it_stored(told: Told, events: list[Event]) -> list[Event]:
    key = next(iter(told.sent))
    told.refused[key] = "too late"
    return events


TWINS: dict[str, Twin] = {
    "missing": loses_the_last,
    "changed": stores_another_label,
    "unseen": answers_another_item,
    "never sent": answers_for_nobody,
    "twice": counts_twice,
    "no word": says_nothing,
    "refused and stored": refuses_what_it_stored,
}


@pytest.mark.parametrize("fault", TWINS)
def test_each_fault_is_found(agreed: tuple[Told, list[Event]], fault: str) -> None:
    told, events = deepcopy(agreed)
    assert faults(told, events) == []
    found = faults(told, TWINS[fault](told, events))
    assert any(one.startswith(fault) for one in found), found
