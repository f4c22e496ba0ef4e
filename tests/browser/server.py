"""The app in a process of its own, to be opened, killed and started again by a test."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.browser.nursery import FORKS, ROOT, Forked


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


_ended: list[int] = []
"""Ports of servers that have ended: at an address that it knows Chromium compiles nothing anew."""


class Server:
    """``streamlit run`` on a free port of this machine.

    Port and data folder stay the same when it is killed and started again. Everything it prints,
    of all its lives, is in ``log``. With ``forked`` it starts sooner: another process has imported
    the app.
    """

    def __init__(
        self, data: Path, *, app: Path = ROOT / "app.py",
        environment: Mapping[str, str] | None = None, forked: bool = False,
    ) -> None:  # fmt: skip
        self.data = data
        self.forked = forked and FORKS
        self.app = app
        self.environment = dict(environment or {})
        self.port = _ended.pop() if _ended else free_port()
        self.log_file = data.parent / f"server-{self.port}.log"
        self._process: subprocess.Popen[bytes] | Forked | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def log(self) -> str:
        return self.log_file.read_text("utf-8", "replace") if self.log_file.exists() else ""

    @property
    def running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def process_id(self) -> int:
        if self._process is None:
            raise RuntimeError("the server has not been started")
        return self._process.pid

    def start(self, seconds: float = 60) -> Self:
        """Start it and come back when it answers."""
        if self.running:
            raise RuntimeError("the server is running already")
        self.data.mkdir(parents=True, exist_ok=True)
        arguments = ["run", str(self.app)]
        arguments += ["--server.port", str(self.port), "--server.address", "127.0.0.1"]
        arguments += ["--server.headless", "true", "--server.fileWatcherType", "none"]
        ways = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        own = {"PYTHONPATH": ways, "LABELCORE_DATA": str(self.data), **self.environment}
        environment = {**os.environ, **own}
        if self.forked:
            self._process = Forked(arguments, environment, self.log_file)
        else:
            with self.log_file.open("ab") as log:
                self._process = subprocess.Popen(
                    [sys.executable, "-m", "streamlit", *arguments], cwd=self.app.parent,
                    env=environment, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                    start_new_session=True,
                )  # fmt: skip
        try:
            self._wait_until_healthy(seconds)
        except BaseException:
            self.kill()
            raise
        return self

    def kill(self) -> None:
        """SIGKILL: no time to write anything."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        """End it as Ctrl+C does."""
        self._end(signal.SIGINT)

    def restart(self) -> Self:
        """Kill it and start it again with the same port and data folder."""
        self.kill()
        return self.start()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:  # fmt: skip
        self.stop()
        _ended.append(self.port)

    def _end(self, how: signal.Signals) -> None:
        if self._process is None:
            return
        # The group has its children too; it is gone when the process has been waited for.
        if self.running:
            os.killpg(self._process.pid, how)
        try:
            self._process.wait(timeout=10)
        except subprocess.TimeoutExpired:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait(timeout=10)

    def _wait_until_healthy(self, seconds: float) -> None:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if not self.running:
                raise RuntimeError(f"the server ended at once:\n{self.log}")
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2) as answer:
                    if answer.status == 200:
                        return
            except (urllib.error.URLError, OSError):
                pass
            time.sleep(0.05)
        raise TimeoutError(f"the server did not answer within {seconds:g} s:\n{self.log}")
