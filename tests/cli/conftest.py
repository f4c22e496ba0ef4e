"""The command line as a person has it."""

import json
from typing import Any

import pytest

from labelcore.cli import main


class Run:
    """``run("check", file)``: the exit code of a command, what it printed, and what went wrong."""

    def __init__(self, capsys: pytest.CaptureFixture[str]) -> None:
        self.capsys = capsys

    def __call__(self, *arguments: object) -> tuple[int, str, str]:
        code = main([str(one) for one in arguments])
        captured = self.capsys.readouterr()
        return code, captured.out, captured.err

    def json(self, *arguments: object) -> Any:
        """What a command prints with ``--json``."""
        code, out, err = self(*arguments, "--json")
        assert (code, err) == (0, "")
        return json.loads(out)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    return Run(capsys)
