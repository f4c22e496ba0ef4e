"""What functions of the outer rooms answer at their edges stays: ``tests/data/outer_calls.json``
has calls as ``tests/test_calls.py`` reads them, which has those of the inner rooms."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.test_calls import compare

FILE = Path(__file__).parent / "data/outer_calls.json"
CALLS: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))


@pytest.mark.parametrize("module", CALLS)
def test_what_is_called_answers_as_before(module: str) -> None:
    compare(module, CALLS, FILE)
