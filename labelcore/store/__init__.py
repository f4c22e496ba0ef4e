"""Stores: where projects and their logs are kept.

To add one: write ``store/<name>.py`` with a LabelStore, and add its line to STORES, or, in a
package of its own, an entry point ``labelcore.stores``; the contract tests then run on it.
"""

import re
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from labelcore.errors import StoreError
from labelcore.plugins import Table
from labelcore.settings import check_environment
from labelcore.store import anchor
from labelcore.store.anchor import AnchorCopy as AnchorCopy
from labelcore.store.base import BUSY_SECONDS as BUSY_SECONDS
from labelcore.store.base import Act as Act
from labelcore.store.base import ConflictError as ConflictError
from labelcore.store.base import Contents as Contents
from labelcore.store.base import Copy as Copy
from labelcore.store.base import Erasure as Erasure
from labelcore.store.base import LabelStore as LabelStore
from labelcore.store.base import ProjectRecord as ProjectRecord
from labelcore.store.base import RepeatedTokenError as RepeatedTokenError
from labelcore.store.base import Seal as Seal
from labelcore.store.base import SealedProject as SealedProject
from labelcore.store.base import Settings as Settings
from labelcore.store.base import acts_follow as acts_follow
from labelcore.store.base import beside as beside
from labelcore.store.checks import check_path as check_path
from labelcore.store.erased import ErasedList as ErasedList
from labelcore.store.erased import Gone as Gone
from labelcore.store.erased import add_gone as add_gone
from labelcore.store.erased import change_erased as change_erased
from labelcore.store.erased import forget_seal as forget_seal
from labelcore.store.erased import mark_of as mark_of
from labelcore.store.erased import note_written as note_written
from labelcore.store.erased import read_erased as read_erased
from labelcore.store.erased import remove_backups as remove_backups
from labelcore.store.erased import remove_halves as remove_halves
from labelcore.store.erased import remove_written as remove_written
from labelcore.store.erased import set_aside as set_aside
from labelcore.store.guard import Guard as Guard
from labelcore.store.guard import announce as announce
from labelcore.store.guard import back_up_now as back_up_now
from labelcore.store.guard import seal as seal
from labelcore.store.guard import seal_anew as seal_anew
from labelcore.store.guard import seal_what_came
from labelcore.store.items import contents_path as contents_path
from labelcore.store.items import copy_items as copy_items
from labelcore.store.items import items_path as items_path
from labelcore.store.items import keep as keep
from labelcore.store.items import keep_written as keep_written
from labelcore.store.items import places_of as places_of
from labelcore.store.kept import AS_IT_STANDS as AS_IT_STANDS
from labelcore.store.kept import BackupCopy as BackupCopy
from labelcore.store.kept import Difference as Difference
from labelcore.store.kept import SealsCopy as SealsCopy
from labelcore.store.kept import backups as backups
from labelcore.store.kept import backups_folder as backups_folder
from labelcore.store.kept import difference as difference
from labelcore.store.kept import faults_of as faults_of
from labelcore.store.kept import identity_of as identity_of
from labelcore.store.kept import lost_projects as lost_projects
from labelcore.store.kept import made_at as made_at
from labelcore.store.kept import read_seals as read_seals
from labelcore.store.kept import refuse_another as refuse_another
from labelcore.store.kept import take_over as take_over
from labelcore.store.memory import MemoryStore as MemoryStore
from labelcore.store.salvage import Salvaged as Salvaged
from labelcore.store.salvage import StoreRemains
from labelcore.store.salvage import put_into as put_into
from labelcore.store.salvage import remains_of as remains_of
from labelcore.store.salvage import salvaged as _salvaged
from labelcore.store.trail import Trail as Trail
from labelcore.store.trail import act as act
from labelcore.store.trail import command_user as command_user
from labelcore.store.trail import cut_off as cut_off
from labelcore.store.trail import note as note
from labelcore.store.trail import note_beside as note_beside
from labelcore.store.trail import trail_file as trail_file
from labelcore.whole_file import alone_in as alone_in


def _sqlite(address: str, **options: Any) -> LabelStore:
    """Imported late: SQLAlchemy takes longer to load than a small plan, and only files need it."""
    from labelcore.store.sqlite import SqliteStore

    return SqliteStore(address, **options)


# The part of the address before "://" -> what opens it.
STORES: MutableMapping[str, Callable[..., LabelStore]] = Table(
    "labelcore.stores", {"memory": MemoryStore, "sqlite": _sqlite}, Callable
)


@contextmanager
def new_file(path: Path) -> Iterator[Any]:
    """A connection to an empty store to fill in one transaction, that is at ``path`` once all of it
    is on the disk. Raises StoreError."""
    from labelcore.store.sqlite import new_file as opened

    with opened(path) as connection:
        yield connection


def put_back(backup: Path, url: str) -> str | None:
    """Let a backup be the store at ``url``; what was there is set aside, which is said where.

    Raises StoreError.
    """
    database = database_of(url)
    if database is None:
        with closing(open_store(url, create=False)) as store:
            return store.put_back(backup)
    from labelcore.store.sqlite_backup import put_in_place

    aside = put_in_place(backup, database)
    return None if aside is None else str(aside)


@contextmanager
def held(url: str) -> Iterator[None]:
    """While nobody else writes to the store at ``url``, where it is and can be locked.

    Raises StoreBusyError.
    """
    database = database_of(url)
    if database is None:
        with closing(open_store(url, create=False)) as store, store.held():
            yield
        return
    from labelcore.store import sqlite_backup

    with sqlite_backup.held(database):
        yield


def guarded(url: str) -> Path | None:
    """The file beside which seals and backups of the store at ``url`` lie."""
    database = database_of(url)
    if database is not None:
        return database
    with closing(open_store(url, create=False)) as store:
        return store.guarded


def salvaged(url: str, backup: LabelStore) -> list[Salvaged]:
    """What the store at ``url`` still has of its logs after the backup: only what follows.

    Raises StoreError for a store in no file that cannot be read.
    """
    database = database_of(url)
    if database is not None:
        with remains_of(database) as remains:
            return _salvaged(remains, backup, read_seals(database))
    with closing(open_store(url, create=False)) as store:
        seals = read_seals(store.guarded) if store.guarded else {}
        return _salvaged(StoreRemains(store), backup, seals)


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
        The address is unknown; the message lists the known ones. Or the name of a variable of the
        environment is nearly one of ours.
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
    check_environment()
    if url is None:
        return MemoryStore()
    if not isinstance(url, str):
        raise TypeError(f"store must be an address such as 'sqlite:///labels.db', got {url!r}")
    scheme, separator, _ = url.partition("://")
    if scheme == "postgresql+psycopg":
        scheme = "postgresql"
    if not separator or scheme not in STORES:
        raise ValueError(f"{shown(url)!r} is not the address of a store. {_known()}")
    store = STORES[scheme](url, create=create, busy_seconds=busy_seconds)
    with suppress(OSError, StoreError):  # Else its seals tell what is missing, as of any store.
        seal_what_came(store)
    return store


anchor.opens["store"] = open_store


def _known() -> str:
    schemes = ", ".join(f"{scheme}://" for scheme in STORES)
    return f"Known: {schemes}; for a file write sqlite:///labels.db or sqlite:////srv/labels.db."
