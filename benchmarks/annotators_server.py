"""An app server of the benchmark ``annotators``: it holds one session and answers many people.

    python -m benchmarks.annotators_server URL PROJECT SPEED PORT PORT...

One process for each port, made anew when it was killed; each prints its port and number as it
starts. A line of JSON asks, a line of JSON answers. Time runs SPEED times as fast as it does, so
that items come back from people who left.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import labelcore as lc
from labelcore.errors import StoreBusyError
from labelcore.session import drawing, ledger, managing, projects, session
from labelcore.store import guard

BUSY_SECONDS = 1.0
"""As the app has it."""
START_AGAIN_SECONDS = 0.2
Said = dict[str, Any]


def hurry(speed: float, start: float) -> None:
    """Let a moment of the sessions of this process be ``speed`` times as far from the start."""

    def now() -> str:
        passed = timedelta(seconds=(time.time() - start) * speed)
        return (datetime.fromtimestamp(start, UTC) + passed).isoformat(timespec="microseconds")

    for module in (ledger, managing, projects, session, drawing):
        module.now = now  # type: ignore[attr-defined]


class AppServer:
    """What every page of one server shares: the open store and the session."""

    def __init__(self, url: str, project: str) -> None:
        self.url, self.project = url, project
        self._session: lc.Session | None = None
        self._lock = threading.Lock()

    def session(self) -> lc.Session:
        with self._lock:
            if self._session is None:
                store = lc.open_store(self.url, create=False, busy_seconds=BUSY_SECONDS)
                self._session = lc.Session.open(store, self.project)
            return self._session

    def reply(self, asked: Said) -> Said:
        """{"draw": ..} or {"stored": ..}; {"again": sentence} where the store is away, and
        {"refused": sentence} for what cannot be stored."""
        try:
            return self._next(asked) if asked["do"] == "next" else self._answer(asked)
        except StoreBusyError as error:
            return {"again": str(error)}
        except ValueError as error:
            return {"refused": f"{type(error).__name__}: {error}"}

    def _next(self, asked: Said) -> Said:
        one = self.session()
        draw = one.next(asked["who"])
        if draw is None:
            return {"draw": None, "status": one.status.value}
        text = one.item(draw)["text"]
        return {"draw": {"token": draw.token, "item": draw.item_id, "text": text}}

    def _answer(self, asked: Said) -> Said:
        event = self.session().answer(asked["token"], asked["label"], annotator=asked["who"])
        return {"stored": {"label": event.label, "item": event.item_id, "kind": event.kind}}


def serve(server: AppServer, port: int) -> None:
    listening = socket.create_server(("127.0.0.1", port), backlog=64)
    # In one piece: another one may be starting, too.
    os.write(sys.stdout.fileno(), f"{json.dumps({'port': port, 'pid': os.getpid()})}\n".encode())
    while True:
        line, _ = listening.accept()
        threading.Thread(target=_talk, args=(server, line), daemon=True).start()


def _talk(server: AppServer, line: socket.socket) -> None:
    with line, line.makefile("rw") as stream:
        try:
            for asked in stream:
                stream.write(json.dumps(server.reply(json.loads(asked))) + "\n")
                stream.flush()
        except OSError:
            return


def main(url: str, project: str, speed: str, *ports: str) -> None:
    hurry(float(speed), float(sys.stdin.readline()))
    guard.SEAL_SECONDS, guard.BACKUP_SECONDS = 0.1, 2.0
    running: dict[int, int] = {}
    while True:
        for port in {*map(int, ports)} - {*running.values()}:
            child = os.fork()
            if child == 0:
                serve(AppServer(url, project), port)
            running[child] = port
        ended, _ = os.wait()
        del running[ended]
        time.sleep(START_AGAIN_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
