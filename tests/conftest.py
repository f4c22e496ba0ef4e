"""What all tests share: no test writes into the user's data folder, and all are repeatable."""

from __future__ import annotations

import atexit
import gc
import os
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.doctest import DoctestModule
from hypothesis import settings
from hypothesis.internal.conjecture import providers

from tests import postgres, rooms
from tests.cases import EVERY_EXAMPLE, beyond_one_each, searched

if TYPE_CHECKING:
    from playwright.sync_api import Browser

BROWSER = Path(__file__).with_name("browser")

# Contracts are written once and run on several families of methods.
pytest.register_assert_rewrite("labelcore.testing.contracts", "labelcore.testing.scalars")

FEW_CASES = 12
"""Products of no more cases run whole, but for those in a browser."""

# The same examples in every run: a failure seen once can be seen again.
settings.register_profile("repeatable", searched(100), derandomize=True)
settings.load_profile("repeatable")


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Examples in docstrings are those of labelcore: none are looked for in the tests."""
    found = yield
    return [one for one in found if not isinstance(one, DoctestModule)]


def pytest_configure(config: pytest.Config) -> None:
    """Broken twins need all sessions to be seen; what is collected is no garbage."""
    gc.disable()
    if "full" in config.getoption("markexpr"):
        os.environ[EVERY_EXAMPLE] = "1"
    if EVERY_EXAMPLE not in os.environ:
        # Or hypothesis reads the source of all that is imported, and draws by what it finds there.
        providers._get_local_constants = lambda: providers._local_constants


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """What takes minutes runs only where ``-m`` asks for it by name, as ``.ci/full`` does, and so
    do further cases of a large product, unless the test is marked ``whole``. Browser tests come
    first: what others take over is the end of a worker's list, and each would start a browser."""
    items.sort(key=lambda item: not item.path.is_relative_to(BROWSER))
    products: dict[str, list[Any]] = {}
    for item in items:
        marks = [one.name for one in item.iter_markers()]
        if marks.count("parametrize") > 1 and not {"full", "whole"} & {*marks}:
            products.setdefault(item.nodeid.partition("[")[0], []).append(item)
    for cases in products.values():
        if len(cases) <= FEW_CASES and not cases[0].path.is_relative_to(BROWSER):
            continue
        values = [{name: id(one) for name, one in case.callspec.params.items()} for case in cases]
        for place in beyond_one_each(values, seed=1):
            cases[place].add_marker(pytest.mark.full)
    if "full" in config.getoption("markexpr"):
        return
    long = {item for item in items if item.get_closest_marker("full")}
    items[:] = [item for item in items if item not in long]
    config.hook.pytest_deselected(items=[*long])


def pytest_collection_finish() -> None:
    """Nine thousand cases stay to the end: no collection of garbage looks through them again."""
    gc.collect()
    gc.freeze()
    gc.enable()
    gc.set_threshold(5_000, 10, 10)
    atexit.register(gc.unfreeze)  # Or DuckDB prints what of it is still there.


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that cannot be imported without a room that is away is skipped."""
    report = yield
    if report.failed and rooms.asks_for_what_is_away(str(report.longrepr)):
        report.outcome = "skipped"
        report.longrepr = (str(collector.path), 0, "Skipped: its room is away")
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A test that asks for what such a room brings, too."""
    report = yield
    said = str(call.excinfo.value) if report.failed and call.excinfo else ""
    if rooms.asks_for_what_is_away(said):
        report.outcome = "skipped"
        report.longrepr = (str(item.path), 0, "Skipped: its room is away")
    return report


_folders = count(1)


@pytest.fixture(autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ``LABELCORE_DATA`` for each test, made by what writes to it."""
    folder = tmp_path_factory.getbasetemp() / f"data {next(_folders)}"
    monkeypatch.delenv("LABELCORE_STORE", raising=False)
    monkeypatch.setenv("LABELCORE_DATA", str(folder))
    return folder


@pytest.fixture(scope="session", autouse=True)
def short_replay() -> Iterator[None]:
    """A report is played in three steps, which takes most of the time that making one does;
    ``tests/report/test_replayed.py`` has them all."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("labelcore.report.replayed.MOST_FRAMES", 3)
        yield


@pytest.fixture(scope="module", autouse=True)
def no_wait_for_the_disk(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a power cut leaves is tested in ``tests/store``; nothing else waits for the disk."""
    from labelcore.store import sqlite_file

    pragmas = [pragma.replace("= FULL", "= OFF") for pragma in sqlite_file.PRAGMAS]
    assert pragmas != list(sqlite_file.PRAGMAS)
    with pytest.MonkeyPatch.context() as patch:
        if "store" not in request.path.parts:
            patch.setattr(sqlite_file, "PRAGMAS", tuple(pragmas))
        yield


@pytest.fixture
def few_sessions_for_claims(monkeypatch: pytest.MonkeyPatch) -> None:
    """How many labels claims are likely to need is simulated roughly, which takes most of the time
    that making a session with claims does; ``tests/plan`` has it all."""
    monkeypatch.setattr("labelcore.planning.forecast.SESSIONS", 2)


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).resolve().parents[1]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The one Chromium of this process, for all folders: Playwright cannot run twice in one."""
    from tests.browser.chromium import launch

    with launch() as running:
        yield running


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[postgres.Server]:
    """The one PostgreSQL server of this process."""
    if reason := postgres.why_not():
        if os.environ.get("CI") == "true":
            pytest.fail(reason)
        pytest.skip(reason)
    with postgres.running() as server:
        yield server


_schemas = count(1)


@pytest.fixture
def postgres_url(postgres_server: postgres.Server) -> str:
    """An empty place in the database for each test."""
    import psycopg

    schema = f"t{next(_schemas)}"
    with psycopg.connect(postgres_server.url(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA {schema}")
    return postgres_server.url(schema)
