"""Work shared out over processes.

A process here is ``python -m labelcore.planning.workers`` and knows nothing of the file that called
it, which the processes of ``multiprocessing`` run once more: that would start a page again, and a
script without a guard for ever.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from contextlib import redirect_stdout, suppress
from queue import SimpleQueue
from typing import Any, BinaryIO, TypeVar

PartT = TypeVar("PartT")
ResultT = TypeVar("ResultT")
Done = Callable[[int], object]


def in_order(
    work: Callable[[PartT], ResultT],
    parts: Sequence[PartT],
    *,
    workers: int = 1,
    done: Done = lambda number: None,
) -> list[ResultT]:
    """``work`` of each part, in the order of the parts.

    workers   processes that share the parts; with 1 all is done here
    done      called here with the number of parts that are done; False ends the work, and the
              results of the parts that are done are returned

    Raises what ``work`` or ``done`` raises.
    """
    if workers > 1 and len(parts) > 1:
        return _shared_out(work, parts, min(workers, len(parts)), done)
    found: list[ResultT] = []
    for part in parts:
        found.append(work(part))
        if done(len(found)) is False:
            break
    return found


def _shared_out(
    work: Callable[[PartT], ResultT], parts: Sequence[PartT], workers: int, done: Done
) -> list[ResultT]:
    processes = [_Process(work) for _ in range(workers)]
    free: SimpleQueue[_Process] = SimpleQueue()
    for process in processes:
        free.put(process)

    def ask(part: PartT) -> ResultT:
        process = free.get()
        try:
            return process.ask(part)  # type: ignore[no-any-return]
        finally:
            free.put(process)

    with ThreadPoolExecutor(workers) as pool:
        try:
            futures = [pool.submit(ask, part) for part in parts]
            return _collected(futures, done)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for process in processes:
                process.end()


def _collected(futures: list[Future[ResultT]], done: Done) -> list[ResultT]:
    finished: set[Future[ResultT]] = set()
    for future in as_completed(futures):
        future.result()
        finished.add(future)
        if done(len(finished)) is False:
            break
    return [future.result() for future in futures if future in finished]


class _Process:
    """One process that does ``work``, part by part."""

    def __init__(self, work: Callable[[Any], Any]) -> None:
        path = os.pathsep.join(one for one in sys.path if one)
        environment = {**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**environment, "OPENBLAS_NUM_THREADS": "1"},
        )
        self.work: Callable[[Any], Any] | None = work

    def ask(self, part: Any) -> Any:
        """What ``work`` makes of a part; raises what it raises."""
        assert self.process.stdin is not None and self.process.stdout is not None
        if self.work is not None:
            pickle.dump(self.work, self.process.stdin)
            self.work = None
        pickle.dump(part, self.process.stdin)
        self.process.stdin.flush()
        try:
            succeeded, found = pickle.load(self.process.stdout)
        except EOFError:
            raise RuntimeError("a process that shared the work ended before it was done") from None
        if not succeeded:
            raise found
        return found

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with suppress(BrokenPipeError):
                pipe.close()


def serve(questions: BinaryIO, answers: BinaryIO) -> None:
    """Read the work and then part after part, and write what it makes of each."""
    work = pickle.load(questions)
    while True:
        try:
            part = pickle.load(questions)
        except EOFError:
            return
        try:
            found = True, work(part)
        except Exception as error:
            found = False, error
        pickle.dump(found, answers)
        answers.flush()


if __name__ == "__main__":
    with os.fdopen(os.dup(1), "wb") as answers, redirect_stdout(sys.stderr):
        serve(sys.stdin.buffer, answers)
