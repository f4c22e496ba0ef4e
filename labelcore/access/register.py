"""The people who have a role: one small file each in the data folder.

A person comes by a link with a secret, of which the file keeps a hash, or by a login of that name.
Adding makes the file, removing deletes it, so nothing is lost where two do so at once; what is
removed counts no more at the next request, and at the next press of a page that is open.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import secrets
import threading
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from labelcore.access.roles import Role
from labelcore.log.people import GIVEN

FOLDER = ".people"
"""Its name begins with a dot: it is not among the files that a page lists."""
LONGEST_NAME = 100
log = logging.getLogger(__name__)
_kept: dict[Path, tuple[frozenset[tuple[str, int]], list[Person]]] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a role.

    name   under which answers are stored
    key    hash of the secret of the link; "" where the person logs in
    at     since when, UTC, ISO 8601
    """

    name: str
    role: Role
    key: str = ""
    at: str = ""


def key_hash(secret: str) -> str:
    """What is kept of a secret. A secret has 192 random bits: no search finds it from its hash."""
    return hashlib.sha256(f"labelcore link\n{secret}".encode()).hexdigest()


def check_name(name: str) -> str:
    """The name as it is kept. Raises ValueError for what cannot name a person."""
    cleaned = unicodedata.normalize("NFC", " ".join(name.split()))
    if not cleaned:
        raise ValueError("name must not be empty")
    if len(cleaned) > LONGEST_NAME:
        raise ValueError(f"name must have at most {LONGEST_NAME} characters, got {len(cleaned)}")
    hidden = [c for c in cleaned if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Co", "Cn")]
    if hidden:
        raise ValueError(f"name must not have a character that does not show, got {name!r}")
    if GIVEN.fullmatch(cleaned):
        raise ValueError(f"name must be no name that browsers are given, got {cleaned!r}")
    return cleaned


class Register:
    """The people of one data folder.

    Examples
    --------
    >>> from tempfile import mkdtemp
    >>> register = Register(Path(mkdtemp()))
    >>> secret = register.add("Ann", Role.ANNOTATOR)
    >>> register.by_secret(secret).name, register.by_secret("another"), register.by_login("Ann")
    ('Ann', None, None)
    >>> register.remove("ann")
    >>> register.by_secret(secret) is None
    True
    """

    def __init__(self, data: Path) -> None:
        self.folder = data / FOLDER

    def add(self, name: str, role: Role, *, login: bool = False) -> str:
        """Give somebody a role; the secret of the link, "" for a person who logs in.

        Raises ValueError when the name is taken or cannot be one.
        """
        cleaned = check_name(name)
        secret = "" if login else secrets.token_urlsafe(24)
        key = key_hash(secret) if secret else ""
        person = Person(cleaned, role, key, datetime.now(UTC).isoformat(timespec="seconds"))
        self.folder.mkdir(parents=True, exist_ok=True)
        # Whole from the first moment: it gets its name when all of it is written.
        draft = self.folder / f"{secrets.token_hex(8)}.new"
        stream = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with open(stream, "w", encoding="utf-8") as file:
                json.dump(asdict(person), file, ensure_ascii=False)
            os.link(draft, self._file(cleaned))
        except FileExistsError:
            raise ValueError(
                f"name must be new: {cleaned!r} has a role already; remove that person first"
            ) from None
        finally:
            draft.unlink()
        return secret

    def remove(self, name: str) -> None:
        """Take somebody's role and link away; stored answers stay. ValueError for nobody's name."""
        try:
            self._file(check_name(name)).unlink()
        except FileNotFoundError:
            known = ", ".join(repr(one.name) for one in self.people()) or "nobody yet"
            raise ValueError(
                f"name must be one of those with a role ({known}), got {name!r}"
            ) from None

    def people(self) -> list[Person]:
        """Everybody with a role, by name."""
        try:
            with os.scandir(self.folder) as found:
                files = [one for one in found if one.name.endswith(".json")]
                now = frozenset((one.name, one.inode()) for one in files)
        except FileNotFoundError:
            return []
        with _lock:
            if (kept := _kept.get(self.folder)) is None or kept[0] != now:
                found_now = [_read(Path(one.path)) for one in files]
                kept = _kept[self.folder] = (now, [one for one in found_now if one is not None])
        return sorted(kept[1], key=lambda one: one.name.casefold())

    def by_secret(self, secret: str) -> Person | None:
        """Whose link has this secret."""
        return self.by_key(key_hash(secret))

    def by_key(self, key: str) -> Person | None:
        """Whose link has the secret with this hash."""
        return next((one for one in self.people() if one.key and one.key == key), None)

    def by_login(self, name: str) -> Person | None:
        """Who logs in under this name, in any case of its letters."""
        wanted = _folded(name)
        return next(
            (one for one in self.people() if not one.key and _folded(one.name) == wanted), None
        )

    def has(self, name: str) -> bool:
        """Whether somebody with a role is called so."""
        return any(_folded(one.name) == _folded(name) for one in self.people())

    def _file(self, name: str) -> Path:
        return self.folder / f"{hashlib.sha256(_folded(name).encode()).hexdigest()[:32]}.json"


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def _read(file: Path) -> Person | None:
    """A person's file; None for one that was changed by hand and is none: it lets nobody in."""
    try:
        found = json.loads(file.read_text("utf-8"))
        return Person(
            str(found["name"]), Role(found["role"]), str(found["key"]), str(found.get("at", ""))
        )
    except (KeyError, TypeError, ValueError, OSError) as error:
        log.warning("%s is no file of a person and lets nobody in: %s", file, error)
        return None
