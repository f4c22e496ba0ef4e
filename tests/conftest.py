"""What all tests share: no test writes into the user's data folder, and all are repeatable."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import settings

# Contracts are written once and run on several families of methods.
pytest.register_assert_rewrite("tests.contracts.design_contracts")

# The same examples in every run: a failure seen once can be seen again.
settings.register_profile("repeatable", derandomize=True, deadline=None)
settings.load_profile("repeatable")


def pytest_ignore_collect(collection_path: Path) -> bool | None:
    """Doctests are those of labelcore: do not import the helpers beside the tests."""
    helper = collection_path.suffix == ".py" and not collection_path.name.startswith("test_")
    return helper or None


@pytest.fixture(autouse=True)
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty ``LABELCORE_DATA`` for each test."""
    folder = tmp_path / "data"
    monkeypatch.setenv("LABELCORE_DATA", str(folder))
    return folder


@pytest.fixture(scope="session")
def root() -> Path:
    """The top of the repository."""
    return Path(__file__).resolve().parents[1]
