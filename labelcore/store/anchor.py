"""Seals that have left the machine: signed, at a place of the owner's choice.

A statement says of each log how many events it had, the hash of the last, and a piece of each hash
since the statement before, so that the first event that is another one can be named. It is written
with each report and finish, and each hour with changes. The place is a folder (a mounted disk, a
checkout), the address of another store, or ``command:`` and a program that gets the statement on
its standard input, to mail or to commit it. What was said first counts: a later statement that does
not go on from it is one about another log, unless somebody gave the former one up.
"""

import json
import os
import shlex
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from labelcore.errors import StoreError, UnknownProjectError
from labelcore.log.events import Event
from labelcore.store.base import ConflictError, Copy, LabelStore, ProjectRecord, Seal, SealedProject
from labelcore.store.signing import STARTED_IN, is_signed, named_path, secret_of, signed

ANCHOR = "LABELCORE_ANCHOR"
FORM = "labelcore seals 1"
PIECE = 8
"""Digits of each hash: who turns an answer cannot meet them and the last hash, which is whole."""
COMMAND, COMMAND_SECONDS, FILE = "command:", 60, "sqlite:///"
PROJECT = "seals"
"""The project of another store that statements are notes of."""
opens: dict[str, Callable[..., LabelStore]] = {}
"""How another store is opened, which this module cannot know."""


def anchor_address() -> str:
    """Where the owner wants seals to be written, "" where nothing is said."""
    named = os.environ.get(ANCHOR, "").strip()
    if named.startswith(FILE):
        return f"{FILE}{named_path(named.removeprefix(FILE))}"
    if not named or "://" in named or named.startswith(COMMAND):
        return named
    return str(named_path(named))


@dataclass(frozen=True)
class Told:
    """What is said of a log: its seal, and the events since the one that was told last, which
    ``after`` numbers and ``before`` hashes (0 and "": since the first)."""

    sealed: SealedProject
    after: int
    before: str
    events: Sequence[Event]


def told(store: LabelStore, sealed: SealedProject, anchored: Sequence[Any]) -> Told:
    after, before = anchored
    log = store.events(sealed.project, max(after - 1, 0))
    if after and not (log and log[0].hash == before):  # Another log: told from its first event on.
        after, before, log = 0, "", store.events(sealed.project)
    new = [event for event in log if after < event.sequence <= sealed.seal.events]
    return Told(sealed, after, before, new)


def statement(place: Path, why: str, logs: Mapping[str, Told]) -> str:
    """What is said now, signed. Raises OSError."""
    projects = {
        key: {
            "project": log.sealed.project,
            **asdict(log.sealed.seal),
            "after": [log.after, log.before],
            "pieces": "".join(event.hash[:PIECE] for event in log.events),
            "given_up": [asdict(seal) for seal in log.sealed.given_up],
        }
        for key, log in logs.items()
    }
    at = datetime.now(UTC).isoformat(timespec="microseconds")
    values = {"form": FORM, "store": place.stem, "at": at, "why": why, "projects": projects}
    return json.dumps(signed(secret_of(place), values), sort_keys=True)


def send(address: str, name: str, text: str) -> None:
    """Bring a statement to its place. Raises StoreError."""
    try:
        if address.startswith(COMMAND):
            program = shlex.split(address.removeprefix(COMMAND))
            subprocess.run(
                program, input=text, text=True, check=True, timeout=COMMAND_SECONDS,
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=STARTED_IN or None,
            )  # fmt: skip
        elif "://" in address:
            with closing(opens["store"](address)) as store:
                _noted(store, text)
        else:
            file = Path(os.path.expanduser(address)) / f"{name}.json"
            if not file.parent.is_dir():
                raise NotADirectoryError(f"{file.parent} is no folder that is there")
            with ExitStack() as undone, file.open("x", encoding="utf-8") as stream:
                undone.callback(file.unlink)  # A half statement would be a strange one.
                stream.write(text)
                stream.flush()
                os.fsync(stream.fileno())
                undone.pop_all()
    except (OSError, ValueError, subprocess.SubprocessError) as error:
        raise StoreError(f"the anchor cannot be reached: {error}") from error


def _noted(store: LabelStore, text: str) -> None:
    try:
        store.project(PROJECT)
    except UnknownProjectError:
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        store.create(ProjectRecord(PROJECT, at, "", "{}", "{}", archived=True))
    while True:
        last = store.events(PROJECT, store.last_sequence(PROJECT) - 1)
        number, before = (last[-1].sequence, last[-1].hash) if last else (0, "")
        at = datetime.now(UTC).isoformat(timespec="microseconds")
        note = Event(number + 1, "noted", at, "labelcore", text=text).chained(before)
        with suppress(ConflictError):  # Another server of the same anchor was faster.
            store.append(PROJECT, [note])
            return


def statements(address: str) -> list[str]:
    """What was said at a place, the first first; that of a file is itself. Raises StoreError."""
    if address.startswith(COMMAND):
        raise StoreError("what a command was given cannot be read back; keep it in a folder")
    if "://" in address:
        with closing(opens["store"](address, create=False)) as store:
            return [str(event.text) for event in store.events(PROJECT)]
    place = Path(os.path.expanduser(address))
    try:
        files = sorted(place.glob("*.json")) if place.is_dir() else [place]
        return [file.read_text("utf-8") for file in files]
    except (OSError, ValueError) as error:
        raise StoreError(str(error)) from error


class AnchorCopy(Copy):
    """What was said at a place about the logs of the store of this name.

    keys     that statements were signed with, the first first
    strange statements that are not as they were signed, or speak of another log than those before
    at       when the last was made, "" without any
    """

    def __init__(self, address: str, store: str) -> None:
        self.what, self.damage, self.at, self.strange = "the anchor", "", "", 0
        self.keys: list[str] = []
        self.projects: dict[str, SealedProject] = {}
        self._pieces: dict[str, list[str]] = {}
        try:
            texts = statements(address)
        except (StoreError, UnknownProjectError) as error:
            self.damage, texts = str(error), []
        waiting = []
        for text in texts:
            values: dict[str, Any] = {}
            with suppress(ValueError):
                values = dict(json.loads(text))
            if values.get("store", store) == store:
                if values.get("form") == FORM and is_signed(values):
                    waiting.append(values)
                else:
                    self.strange += 1
        while waiting:
            # A clock that was wrong has put them out of order: each waits for what it goes on from.
            values = next((other for other in waiting if self._can_take(other)), waiting[0])
            waiting.remove(values)
            if values["key"] not in self.keys:
                self.keys.append(values["key"])
            self.at = max(self.at, values["at"])
            self.strange += sum(not self._take(*pair) for pair in values["projects"].items())

    def _can_take(self, values: Mapping[str, Any]) -> bool:
        projects = values["projects"].items()
        return all(log["after"][0] <= len(self._pieces.get(key, ())) for key, log in projects)

    def _take(self, key: str, log: Mapping[str, Any]) -> bool:
        """Go on from what was said before; whether that could be."""
        (after, before), pieces = log["after"], log["pieces"]
        new = [pieces[at : at + PIECE] for at in range(0, len(pieces), PIECE)]
        seal, given_up = Seal(log["events"], log["hash"], log["at"]), log["given_up"]
        known, had = self._pieces.get(key, []), self.projects.get(key)
        whole = [*known[:after], *new]
        follows = len(known) >= after and (not after or before.startswith(known[after - 1]))
        same = whole[: len(known)] == known or known[: len(whole)] == whole
        left = had is not None and any(old["hash"] == had.seal.hash for old in given_up)
        if not (follows and same) and not left:
            return False
        if had is None or left or len(whole) >= len(known):
            self._pieces[key] = new if left and not after else whole
            given = tuple(Seal(**old) for old in given_up)
            self.projects[key] = SealedProject(log["project"], seal, given)
        return True

    def hashes(self, key: str) -> Sequence[str]:
        return self._pieces.get(key, ())
