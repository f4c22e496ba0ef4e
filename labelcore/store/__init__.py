"""Stores: where projects and their logs are kept.

To add one: write ``store/<name>.py`` with a LabelStore, and add its line to STORES, or, in a
package of its own, an entry point ``labelcore.stores``; the contract tests then run on it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, MutableMapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

from labelcore.plugins import Table
from labelcore.store.base import (
    BUSY_SECONDS,
    ConflictError,
    Contents,
    LabelStore,
    ProjectRecord,
    RepeatedTokenError,
    Seal,
)
from labelcore.store.items import (
    contents_path,
    copy_items,
    items_path,
    keep,
    keep_written,
    places_of,
)
from labelcore.store.kept_backups import backups, backups_folder, made_at
from labelcore.store.memory import MemoryStore
from labelcore.store.salvage import Salvaged, put_into, salvaged
from labelcore.store.seals import SealedProject, identity_of, lost_projects, seal_anew

__all__ = [
    "BUSY_SECONDS",
    "STORES",
    "ConflictError",
    "Contents",
    "LabelStore",
    "MemoryStore",
    "ProjectRecord",
    "RepeatedTokenError",
    "Salvaged",
    "Seal",
    "SealedProject",
    "backups",
    "backups_folder",
    "contents_path",
    "copy_items",
    "damage_in",
    "database_of",
    "held",
    "identity_of",
    "items_path",
    "keep",
    "keep_written",
    "lost_projects",
    "made_at",
    "open_store",
    "places_of",
    "put_back",
    "put_into",
    "salvaged",
    "seal_anew",
    "shown",
]


def _sqlite(address: str, **options: Any) -> LabelStore:
    """Imported late: SQLAlchemy takes longer to load than a small plan, and only files need it."""
    from labelcore.store.sqlite import SqliteStore

    return SqliteStore(address, **options)


# The part of the address before "://" -> what opens it.
STORES: MutableMapping[str, Callable[..., LabelStore]] = Table(
    "labelcore.stores", {"memory": MemoryStore, "sqlite": _sqlite}
)


def put_back(backup: Path, url: str) -> Path | None:
    """Let a backup be the store at ``url``; what was there gets another name, which is returned.

    Raises ValueError for the address of a store that is in no file, StoreError.
    """
    database = database_of(url)
    if database is None:
        raise ValueError(
            "a backup is put back as a file, such as sqlite:///labels.db, got "
            f"{shown(url)!r}; from there labelcore copy takes its projects to any other store"
        )
    from labelcore.store.sqlite_backup import put_in_place

    return put_in_place(backup, database)


def held(url: str) -> AbstractContextManager[None]:
    """While nobody else writes to the store at ``url``, where it is in a file that can be locked.

    Raises StoreBusyError.
    """
    from labelcore.store import sqlite_backup

    return sqlite_backup.held(database_of(url))


def database_of(url: str) -> Path | None:
    """The file of the store at ``url``; None for one that is in no file."""
    if not url.startswith("sqlite:///"):
        return None
    from labelcore.store.sqlite_file import named_path

    return named_path(url)


def shown(url: str) -> str:
    """The address without what may be a password.

    >>> shown("postgresql://ann:a@word@db/labels?sslpassword=x"), shown("sqlite:///a:b@c?.db")
    ('postgresql://ann:***@db/labels', 'sqlite:///a:b@c?.db')
    """
    if url.startswith("sqlite:///"):
        return url
    return re.sub("(//[^:/@]*):.*@", r"\1:***@", url.partition("?")[0])


def damage_in(url: str) -> str:
    """What SQLite finds wrong in the database of the store at ``url``, reading all of it; "" where
    nothing is, or where the store is in no file."""
    database = database_of(url)
    if database is None or not database.exists():
        return ""
    from labelcore.store.sqlite_errors import damage

    return damage(database, "integrity_check") or ""


def open_store(
    url: str | LabelStore | None, *, create: bool = True, busy_seconds: float = BUSY_SECONDS
) -> LabelStore:
    """Open the store at an address.

    Parameters
    ----------
    url
        ``memory://`` or None: a new store that ends with the process. ``sqlite:///relative.db`` or
        ``sqlite:////absolute.db``: a file; a read-only file can be read.
        ``postgresql://user:password@host/database``: tables in a database that exists, for several
        servers at once; needs ``labelcore[postgresql]``. A store that is already open is returned
        as it is
    create
        whether to create a missing file, or missing tables
    busy_seconds
        how long to wait while another program writes

    Returns
    -------
    LabelStore
        What ``labelcore.Session`` takes as its store.

    Raises
    ------
    ValueError
        The address is unknown; the message lists the known ones.
    TypeError
        The address is not text.
    MissingStoreError
        There is no such file, and ``create`` is False.
    StoreError
        The store is there but cannot be used.

    Examples
    --------
    >>> import labelcore as lc
    >>> lc.open_store("memory://").projects()
    []
    """
    if isinstance(url, LabelStore):
        return url
    if url is None:
        return MemoryStore()
    if not isinstance(url, str):
        raise TypeError(f"store must be an address such as 'sqlite:///labels.db', got {url!r}")
    scheme, separator, _ = url.partition("://")
    if scheme == "postgresql+psycopg":
        scheme = "postgresql"
    if not separator or scheme not in STORES:
        raise ValueError(f"{shown(url)!r} is not the address of a store. {_known()}")
    return STORES[scheme](url, create=create, busy_seconds=busy_seconds)


def _known() -> str:
    schemes = ", ".join(f"{scheme}://" for scheme in STORES)
    return f"Known: {schemes}; for a file write sqlite:///labels.db or sqlite:////srv/labels.db."
