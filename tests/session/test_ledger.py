"""Several people label one project at once: every item goes to one of them, and nobody is told
that there is nothing left while there is."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.replay import replay_project
from labelcore.store import LabelStore, open_store
from labelcore.testing.known import Known, calibrated
from tests.awaited import at_once
from tests.cases import once
from tests.stores import EACH, empty

WORKER = Path(__file__).with_name("racing_worker.py")
BUDGET = 32
known = once(calibrated, 200, seed=5)


def opened(known: Known, store: str | LabelStore) -> lc.Session:
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=BUDGET, seed=1)
    return lc.Session(known.population, plan, store, "race")


def check_all_served_once(served: list[list[str]], asked: list[int], url: str) -> None:
    """served   the items each person got; asked: the items drawn when each was told to stop"""
    items = [item for one in served for item in one]
    assert len(items) == len(set(items)) == BUDGET
    assert asked == [BUDGET] * len(asked), "somebody was told that nothing is left too early"
    assert all(served)
    assert replay_project(url, "race").answers == BUDGET


@pytest.fixture(params=EACH)
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return empty(request.param, tmp_path, request)


def test_people_in_threads(known: Known, url: str) -> None:
    people = [f"person {number}" for number in range(4)]
    sessions = {who: opened(known, url) for who in people}
    served: dict[str, list[str]] = {who: [] for who in people}
    asked: dict[str, int] = {}
    together = threading.Barrier(len(people))

    def label(who: str) -> None:
        session = sessions[who]
        draw = session.next(who)
        together.wait()
        while draw is not None:
            served[who].append(draw.item_id)
            session.answer(draw, len(served[who]) % 2 == 0)
            draw = session.next(who)
        asked[who] = len(session.engine.asked)

    at_once(label, people)
    check_all_served_once([*served.values()], [asked.get(who, 0) for who in people], url)


@pytest.mark.full
@pytest.mark.parametrize(
    "url", ["sqlite", pytest.param("postgresql", marks=pytest.mark.full)], indirect=True
)
def test_people_in_processes(known: Known, url: str) -> None:
    opened(known, url)
    workers = [
        subprocess.Popen(
            [sys.executable, str(WORKER), url, "race", f"person {number}"], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for number in range(3)
    ]  # fmt: skip
    for worker in workers:
        assert worker.stdout is not None and worker.stdout.readline() == "ready\n"
    for worker in workers:
        assert worker.stdin is not None
        worker.stdin.write("go\n")
        worker.stdin.flush()
    found = []
    for worker in workers:
        output, errors = worker.communicate()
        assert worker.returncode == 0, errors
        found.append(json.loads(output))
    check_all_served_once([one["served"] for one in found], [one["asked"] for one in found], url)


class Overtaken:
    """A store in which somebody else is faster once, right before an event is appended."""

    def __init__(self, store: LabelStore, first: Callable[[], object]) -> None:
        self._store, self._first = store, [first]

    def append(self, *arguments: Any) -> None:
        if self._first:
            self._first.pop()()
        self._store.append(*arguments)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_who_comes_second_gets_the_next_item(known: Known) -> None:
    store = open_store("memory://")
    slow, quick = opened(known, store), opened(known, store)
    slow.ledger.store = Overtaken(store, lambda: quick.next("quick"))  # type: ignore[assignment]
    first, second = slow.next("slow"), quick.next("quick")
    assert first is not None and second is not None
    assert (second.index, first.index) == (1, 2)


def test_an_answer_that_comes_second_is_stored(known: Known) -> None:
    store = open_store("memory://")
    slow, quick = opened(known, store), opened(known, store)
    first, second = slow.next("slow"), quick.next("quick")
    assert first is not None and second is not None
    overtaken = Overtaken(store, lambda: quick.answer(second, True))
    slow.ledger.store = overtaken  # type: ignore[assignment]
    assert slow.answer(first, True).kind == "labelled"
    assert slow.labels == 2
