"""Run by test_sqlite_crash.py: append to a store and print each last sequence number stored."""

from __future__ import annotations

import argparse
import itertools
import os
import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2]))

from labelcore.log.events import Content, Event
from labelcore.store import ConflictError, LabelStore, ProjectRecord, open_store

AT = "2026-01-01T00:00:00.000001+00:00"


def report(what: object) -> None:
    """Print a line in one write, so that a kill leaves all of it or nothing."""
    os.write(sys.stdout.fileno(), f"{what}\n".encode())


def append(store: LabelStore, token: str, report_before: bool) -> None:
    """Append a draw and its answer with the item's text, again after each conflict."""
    while True:
        last = store.last_sequence("spam")
        batch = [
            Event(last + 1, "drawn", AT, "a1", token=token, item_id=token, hash="h"),
            Event(last + 2, "labelled", AT, "a1", answers=token, label="yes", hash="h"),
        ]
        if report_before:
            report(last + 2)
            os.kill(os.getpid(), signal.SIGKILL)
        try:
            store.append("spam", batch, {token: Content({"text": f"words of {token}"})})
        except ConflictError:
            continue
        report(last + 2)
        return


def work(options: argparse.Namespace) -> None:
    """Append until the number asked for is reached, or without end."""
    store = open_store(options.url)
    if options.open_only:
        store.create(ProjectRecord(options.name, AT, "f1", "{}", "{}"))
        return
    numbers = itertools.count() if options.appends is None else range(options.appends)
    for number in numbers:
        early = options.report_before_append and number == 3
        append(store, f"{options.name}-{os.getpid()}-{number}", early)


def work_in_children(options: argparse.Namespace) -> None:
    """One child after the other, each until it is killed: cheaper than starting Python anew."""
    for _ in range(options.children):
        child = os.fork()
        if child == 0:
            report(f"child {os.getpid()}")
            work(options)
            os._exit(0)
        os.waitpid(child, 0)
        report("ended")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("name")
    parser.add_argument("--appends", type=int)
    parser.add_argument("--children", type=int)
    parser.add_argument("--report-before-append", action="store_true")
    parser.add_argument("--open-only", action="store_true")
    options = parser.parse_args()
    if options.children is None:
        work(options)
    else:
        work_in_children(options)


if __name__ == "__main__":
    main()
