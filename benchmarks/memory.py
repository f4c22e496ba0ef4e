"""The most memory that a process held: with pages of files, and for itself alone."""

from pathlib import Path
from threading import Event, Thread

EVERY = 0.02
"""Seconds between two looks."""


def peak() -> float:
    """The most memory that this process ever held, pages of mapped files too, in MB."""
    return _of_status("VmHWM")


class Private:
    """The most memory that this process had for itself alone while it was watched: without pages
    of files, which others share and the system drops when it needs room."""

    def __init__(self) -> None:
        self._most, self._over = 0.0, Event()
        Thread(target=self._watch, daemon=True).start()

    def _watch(self) -> None:
        while not self._over.wait(EVERY):
            self._most = max(self._most, _of_status("RssAnon"))

    def ended(self) -> float:
        """Watch no longer; what was found, in MB."""
        self._over.set()
        return max(self._most, _of_status("RssAnon"))


def _of_status(name: str) -> float:
    status = Path("/proc/self/status").read_text("utf-8")
    return float(status.partition(f"{name}:")[2].split()[0]) / 1024
