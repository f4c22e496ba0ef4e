"""The automatic backups of a database: where they lie, and which of them are kept."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from datetime import UTC, datetime
from glob import escape
from pathlib import Path

from labelcore.store.seals import hash_at, last_event, projects_in, reader

NEWEST, DAYS, MIGRATED = 3, 7, 2
"""Backups that are kept: the newest, the last one of each day, those from before a migration."""
BESIDE = ("", "-wal", "-shm")
"""The files of a database, by what follows its name."""
STAMP = "%Y%m%dT%H%M%S%fZ"


def backups_folder(database: Path) -> Path:
    """The folder beside the database: "labels.backups" beside "labels.db"."""
    return database.with_suffix(".backups")


def backups(database: Path) -> list[Path]:
    """The automatic backups, the newest first; one that a wrong clock dated after now is last."""
    found = backups_folder(database).glob(f"{escape(database.stem)}-*{escape(database.suffix)}")
    dated = [(at, one) for one in found if (at := made_at(one)) is not None]
    now = datetime.now(UTC)
    return [one for _, one in sorted(dated, key=lambda it: (it[0] <= now, *it), reverse=True)]


def made_at(backup: Path) -> datetime | None:
    """When a backup was made, by its name."""
    try:
        stamp = backup.stem.split("-version-")[0].rsplit("-", 1)[-1]
        return datetime.strptime(stamp, STAMP).replace(tzinfo=UTC)
    except ValueError:
        return None


def rotate(database: Path) -> None:
    """Remove backups that nobody needs: not among the newest, not the last one of its day, and
    with nothing in it that the newest has not."""
    every = backups(database)
    migrated = [one for one in every if "-version-" in one.name]
    plain = [one for one in every if one not in migrated]
    last_of_day: dict[str, Path] = {}
    for one in plain:
        last_of_day.setdefault(f"{made_at(one):%Y%m%d}", one)
    kept = {*plain[:NEWEST], *list(last_of_day.values())[:DAYS], *migrated[:MIGRATED]}
    for one in every:
        if one not in kept and holds_all(every[0], one):
            for end in BESIDE:
                Path(f"{one}{end}").unlink(missing_ok=True)


def holds_all(newer: Path, older: Path) -> bool:
    """Whether every log of the older file is the beginning of the same log in the newer one."""
    try:
        # Nobody writes to a backup; opened otherwise, SQLite would leave files beside it.
        with (
            closing(reader(newer, "immutable=1")) as there,
            closing(reader(older, "immutable=1")) as here,
        ):
            known = {key: number for number, _, key in projects_in(there)}
            return all(
                hash_at(there, known.get(key, -1), last) == digest
                for number, _, key in projects_in(here)
                for last, digest in [last_event(here, number)]
                if last
            )
    except sqlite3.Error:
        return False
