"""Scripts and style sheets are as their formatter leaves them, and one that is not is told."""

from __future__ import annotations

import runpy
import shutil
import subprocess
from pathlib import Path

import pytest


def test_a_file_that_is_not_formatted_is_told_and_can_be_formatted(
    root: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    main = runpy.run_path(str(root / ".ci" / "beautify.py"))["main"]
    (tmp_path / "a.css").write_text("p { color: red; margin: 0; }\n")
    (tmp_path / "b.js").write_text("const a = 1;\n")
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    assert main(tmp_path) == 1 and capsys.readouterr().out == "a.css: not formatted\n"
    assert main(tmp_path, write=True) == 0 and capsys.readouterr().out == "a.css: formatted\n"
    assert (tmp_path / "a.css").read_text() == "p {\n  color: red;\n  margin: 0;\n}\n"
    assert main(tmp_path) == 0 and main(root) == 0 and capsys.readouterr().out == ""
