"""Histories of several people against the model; thousands of them in ``benchmarks.histories``."""

from datetime import timedelta
from pathlib import Path

import pytest

from labelcore.errors import LateAnswerError
from labelcore.log import screens
from labelcore.session import answering
from labelcore.store import STORES
from tests.session.histories import address_of, run


@pytest.mark.parametrize("scheme", [*STORES])
def test_no_history_disagrees_with_the_model(
    scheme: str, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    memory = scheme == "memory"
    address = "" if memory else address_of(scheme, tmp_path, request)
    told = run(40 if memory else 4, 1, address)
    assert told["histories"] >= 4 and told["answered"] > 5
    if memory:
        assert told["kept as a second reading"] and told["refused with a sentence"]
        assert told["taken over"] and told["came back after its time"] and told["taken back"]


def test_a_late_answer_that_is_dropped_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The broken twin: what was refused before it was kept."""
    monkeypatch.setattr(answering, "comes_late", lambda state, shown: False)
    with pytest.raises(LateAnswerError):
        run(60, 1, shrunk=False)


def test_an_item_taken_away_too_early_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    minute = timedelta(minutes=1)
    early = lambda self, at: screens.lease_over(self.at, at, minute)  # noqa: E731
    monkeypatch.setattr(screens.Shown, "over", early)
    with pytest.raises(AssertionError):
        run(60, 1, shrunk=False)
