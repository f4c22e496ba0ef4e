"""What PostgreSQL's error codes mean to the person at the screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.exc import TimeoutError as PoolTimeoutError

from labelcore.errors import StoreBusyError, StoreError, StoreFullError, StoreNotWritableError

Meaning = tuple[type[StoreError], str]

AWAY: Meaning = (
    StoreBusyError,
    "does not answer: its server is stopped, starting, or cannot be reached. Nothing of this step "
    "was stored; try again.",
)
REFUSED: Meaning = (
    StoreError,
    "does not let Labelcore in. Check the name of the database, the user and the password.",
)
UNSURE: Meaning = (
    StoreBusyError,
    "stopped answering while this step was being stored: all of it is stored, or nothing. Try "
    "again; nothing is stored twice.",
)
BUSY: Meaning = (
    StoreBusyError,
    "was busy with other work. Nothing of this step was stored; try again.",
)
_READ_ONLY: Meaning = (
    StoreNotWritableError,
    "cannot be written: it is read-only, or this user may not write to its tables.",
)
_CHANGED: Meaning = (
    StoreError,
    "was changed by another program: its tables are not those that Labelcore made. Put back a "
    "backup, or give another database.",
)

# The code, or its class (two characters) -> what it is and what to say after the address.
# https://www.postgresql.org/docs/current/errcodes-appendix.html
_CODES: dict[str, Meaning] = {
    "08": AWAY,
    "57P": AWAY,
    "25P03": AWAY,
    "23505": BUSY,
    "40": BUSY,
    "53": BUSY,
    "55P03": BUSY,
    "57014": BUSY,
    "53100": (
        StoreFullError,
        "could not grow: the server's disk is full. Nothing of this step was stored; free some "
        "space and try again.",
    ),
    "25006": _READ_ONLY,
    "42501": _READ_ONLY,
    "3F": (
        StoreError,
        "has no schema for the tables of Labelcore: none of its search_path is there. Make one, or "
        "give another search_path.",
    ),
    "42": _CHANGED,
    "54": (StoreError, "refused a text longer than PostgreSQL can hold. Shorten the item's id."),
}
_UNREADABLE = (json.JSONDecodeError, UnicodeDecodeError)


@contextmanager
def translated(url: str) -> Iterator[None]:
    """Turn whatever the database raises inside the block into a StoreError."""
    try:
        yield
    except (SQLAlchemyError, psycopg.Error, *_UNREADABLE) as error:
        raise store_error(url, error) from error


def store_error(url: str, error: Exception) -> StoreError:
    """The StoreError that tells what ``error`` means for the store at ``url``."""
    meaning = _meaning(error)
    if meaning is not None:
        return worded(url, meaning, error)
    return StoreError(
        f"{url} gave an error that Labelcore did not expect. Nothing of this step was stored; "
        f"open the store again, and report this text if it returns. ({_cause(error)})"
    )


def worded(url: str, meaning: Meaning, error: Exception) -> StoreError:
    """The StoreError of this meaning, with the first line of what the server or client said."""
    kind, words = meaning
    return kind(f"{url} {words} ({_cause(error)})")


def lost(error: Exception) -> bool:
    """Whether the connection ended, so that nobody knows what became of the last statement."""
    return _meaning(error) is AWAY


def _meaning(error: Exception) -> Meaning | None:
    if isinstance(error, PoolTimeoutError):
        return BUSY
    cause = getattr(error, "orig", None) or error
    code = getattr(cause, "sqlstate", None)
    if code is None:
        # What the client itself finds has no code, such as a connection that ended.
        return AWAY if isinstance(cause, psycopg.OperationalError) else None
    return next((_CODES[part] for part in (code, code[:3], code[:2]) if part in _CODES), None)


def _cause(error: Exception) -> str:
    cause = getattr(error, "orig", None) or error
    return " ".join(str(cause).split("\n")[0].split())
