"""A process that has imported what the app needs, reads what to serve, and forks for each server.

``streamlit run`` imports for two seconds of the processor, and the tests start dozens of servers.
"""

import gc
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FORKS = sys.platform == "linux"
FEW_SESSIONS = 5
SETTINGS = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1", "STREAMLIT_LOGGER_LEVEL": "error"}


class Forked:
    """A server that is a child of the nursery; as much of ``subprocess.Popen`` as is needed."""

    def __init__(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path) -> None:
        nursery = _nursery()
        assert nursery.stdin is not None and nursery.stdout is not None
        job = {"arguments": [*arguments], "environment": {**environment}, "log": str(log)}
        nursery.stdin.write(json.dumps(job) + "\n")
        nursery.stdin.flush()
        self.pid = int(nursery.stdout.readline())
        self._ends = os.pidfd_open(self.pid)

    def poll(self) -> int | None:
        return 0 if select.select([self._ends], [], [], 0)[0] else None

    def wait(self, timeout: float) -> None:
        if not select.select([self._ends], [], [], timeout)[0]:
            raise subprocess.TimeoutExpired("the server", timeout)


@cache
def _nursery() -> subprocess.Popen[str]:
    """It ends with this process, which alone holds its input."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.browser.nursery"], cwd=ROOT, text=True,
        env={**os.environ, **SETTINGS}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def main() -> None:
    from importlib import import_module
    from pkgutil import iter_modules

    from PIL import Image

    from labelcore import bounded, ui
    from labelcore.planning import forecast as claims
    from labelcore.ui import server

    for name in ("streamlit.web.cli", "streamlit.web.bootstrap", "plotly.graph_objects", "uvicorn"):
        import_module(name)
    for module in iter_modules(ui.__path__, f"{ui.__name__}."):
        import_module(module.name)
    server._open_a_store()
    Image.preinit()
    # The process that reads files is started by the first file, not by each server.
    bounded.start_ahead = lambda: None
    # As in the tests of pages, claims are planned roughly; ``tests/plan`` has it all.
    claims.SESSIONS = FEW_SESSIONS
    gc.collect()
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    for line in sys.stdin:
        child = os.fork()
        if not child:
            try:
                _serve(**json.loads(line))
            finally:
                os._exit(1)
        print(child, flush=True)


def _serve(arguments: list[str], environment: dict[str, str], log: str) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.environ.clear()
    os.environ.update(environment)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    said = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for stream in (1, 2):
        os.dup2(said, stream)
    from streamlit.web import cli

    sys.argv = ["streamlit", *arguments]
    cli.main(prog_name="streamlit")


if __name__ == "__main__":
    main()
