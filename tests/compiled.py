"""What all processes of a run import, compiled once by all of them together."""

from __future__ import annotations

import sys
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path
from py_compile import compile as compile_file

import pytest
from _pytest.assertion import rewrite

OURS = ("labelcore/**/*.py", "tests/**/test_*.py")


def share(config: pytest.Config, worker: int, workers: int) -> None:
    """Each begins elsewhere and leaves out what another one has compiled, so that the assertions of
    four hundred files are rewritten once, not by each worker."""
    if sys.dont_write_bytecode:
        return
    for pattern in OURS:
        files = sorted(config.rootpath.glob(pattern))
        begin = worker * len(files) // workers
        for file in files[begin:] + files[:begin]:
            with suppress(OSError):  # Where nothing can be written, each does it for itself.
                if pattern.startswith("tests"):
                    rewrite_test(file, config)
                elif not Path(cache_from_source(str(file))).exists():
                    compile_file(str(file))


def rewrite_test(file: Path, config: pytest.Config) -> None:
    """As pytest does when it imports the file, and where it looks for it."""
    compiled = rewrite.get_cache_dir(file) / f"{file.stem}{rewrite.PYC_TAIL}"
    if not compiled.exists():
        compiled.parent.mkdir(exist_ok=True)
        source_hash, code = rewrite._rewrite_test(file, config)
        state = config.stash[rewrite.assertstate_key]
        rewrite._write_pyc(state, code, source_hash, compiled)
