"""Where the commands put files."""

import json
import os
import runpy
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

import click
import pytest

import labelcore as lc
from labelcore.cli import COMMANDS
from labelcore.cli.output import write
from tests.cli.conftest import Run


@contextmanager
def full_disk(size: int) -> Iterator[None]:
    """No file may grow beyond so many bytes."""
    resource = pytest.importorskip("resource")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_a_file_that_is_written_over_is_there_until_the_new_one_is(tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text("of before")
    with full_disk(10), pytest.raises(ValueError, match=r"labels.csv cannot be written: File too"):
        write(str(file), b"more than ten bytes", force=True)
    assert file.read_text() == "of before" and list(tmp_path.iterdir()) == [file]
    with full_disk(10), pytest.raises(ValueError, match="cannot be written"):
        write(str(tmp_path / "new.csv"), b"more than ten bytes")
    assert list(tmp_path.iterdir()) == [file], "half of a new one stays"


def test_a_file_that_is_written_over_keeps_its_mode_and_its_links(tmp_path: Path) -> None:
    file, link = tmp_path / "labels.csv", tmp_path / "link.csv"
    file.write_text("of before")
    file.chmod(0o640)
    link.symlink_to(file)
    assert write(str(link), b"new", force=True) == str(link)
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert write("/dev/null", b"new", force=True) and Path("/dev/null").is_char_device()


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_name_that_is_no_utf8_is_printed_by_escapes(tmp_path: Path, more: list[str]) -> None:
    missing = str(tmp_path / "items\udcff.csv")
    done = subprocess.run(
        [sys.executable, "-m", "labelcore", "check", "--content", "text", missing, *more],
        env={**os.environ, "PYTHONIOENCODING": "utf-8:strict"}, capture_output=True, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert done.stderr.decode().strip() == f"{tmp_path}/items\\udcff.csv: there is no such file"
    assert not more or json.loads(done.stdout)["error"].startswith(missing)


def test_a_stream_that_has_not_all_letters_breaks_off_nothing(tmp_path: Path) -> None:
    """As where Windows redirects what is printed; a dump stays the bytes that its digest is of."""
    (tmp_path / "items.csv").write_text("id,text,call\na,x,yes\nb,x,no\n")
    columns = {"id": "id", "content": "text", "predictions": {"m": "call"}}
    population = lc.read_population(tmp_path / "items.csv", **columns)  # type: ignore[arg-type]
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    lc.Session(
        population, lc.Plan("simple_random", ["accuracy"], budget=2), store=store, project="ö → 👍"
    )

    def printed(*given: str) -> bytes:
        command = [sys.executable, "-m", "labelcore", *given, "--store", store]
        environment = {**os.environ, "PYTHONIOENCODING": "cp1252"}
        return subprocess.run(command, env=environment, capture_output=True, check=True).stdout

    assert (
        json.loads(printed("status", "--json").decode("cp1252"))["projects"][0]["project"]
        == "ö → 👍"
    )
    (tmp_path / "dump").write_bytes(printed("dump", "-o", "-"))
    printed("dump", "-o", str(tmp_path / "again"))
    assert (tmp_path / "dump").read_bytes() == (tmp_path / "again").read_bytes()


@pytest.mark.skipif(os.name != "posix", reason="pipes of a shell")
def test_a_pipe_that_nobody_reads_is_no_verdict(tmp_path: Path) -> None:
    """1 would say that a claim is refuted."""
    end, beginning = os.pipe()
    os.close(end)
    command = [sys.executable, "-m", "labelcore", "--help"]
    done = subprocess.run(command, stdout=beginning, stderr=subprocess.PIPE, check=False)
    os.close(beginning)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.parametrize("raised", [KeyboardInterrupt(), RuntimeError("Query interrupted")])
def test_ctrl_c_while_a_file_is_read_is_an_interruption(
    run: Run, monkeypatch: pytest.MonkeyPatch, raised: BaseException
) -> None:
    """DuckDB 2.0 makes an error of its own of it; code 1 says that a replay disagrees."""

    @click.command()
    def reads_long() -> None:
        raise raised

    monkeypatch.setitem(COMMANDS, "reads-long", reads_long)
    code, out, error = run("reads-long")
    assert (code, out, error.strip()) == (130, "", "")


def test_ctrl_c_while_the_program_is_loaded_leaves_no_trace(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def pressed(name: str) -> object:
        raise KeyboardInterrupt

    loading = ModuleType("labelcore.cli")
    loading.__getattr__ = pressed  # type: ignore[method-assign]
    with monkeypatch.context() as patched:
        patched.setitem(sys.modules, "labelcore.cli", loading)
        with pytest.raises((SystemExit, KeyboardInterrupt)) as ended:
            runpy.run_module("labelcore", run_name="__main__")
    assert ended.value.args == (130,)
