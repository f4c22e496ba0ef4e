"""The people who have a role: one small file each in the data folder.

A person comes by a link with a secret, of which the file keeps a hash, or by a login of that name.
Adding makes the file, removing deletes it, so nothing is lost where two do so at once; what is
removed counts no more at the next request, and at the next press of a page that is open.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import logging
import os
import re
import secrets
import unicodedata
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from labelcore.log.people import GIVEN
from labelcore.team.roles import Role

FOLDER = ".people"
"""Its name begins with a dot: it is not among the files that a page lists."""
LONGEST_NAME = 100
log = logging.getLogger(__name__)
STEM = re.compile(r"[0-9a-f]{16}")
"""What a person's file is called, and how the secret of the link begins: it says where to look."""


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


def ticket(secret: str) -> str:
    """Whose link it is and the hash of its secret: what may be handed on of it."""
    return f"{secret[:16]}-{key_hash(secret)}"


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
    """The people of one data folder; every question reads the files as they are.

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
        secret = "" if login else _stem(cleaned) + secrets.token_urlsafe(24)
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
        found = [_read(one) for one in self.folder.glob("*.json")]
        return sorted(filter(None, found), key=lambda one: one.name.casefold())

    def by_secret(self, secret: str) -> Person | None:
        """Whose link has this secret."""
        return self.by_key(ticket(secret))

    def by_key(self, given: str) -> Person | None:
        """Whose link has the secret of this ticket."""
        stem, _, key = given.partition("-")
        person = _read(self.folder / f"{stem}.json") if STEM.fullmatch(stem) else None
        return person if person and person.key and hmac.compare_digest(person.key, key) else None

    def by_login(self, name: str) -> Person | None:
        """Who logs in under this name, in any case of its letters."""
        person = _read(self._file(name))
        return person if person and not person.key else None

    def has(self, name: str) -> bool:
        """Whether somebody with a role is called so."""
        return self._file(name).exists()

    def _file(self, name: str) -> Path:
        return self.folder / f"{_stem(name)}.json"


def _stem(name: str) -> str:
    return hashlib.sha256(_folded(name).encode()).hexdigest()[:16]


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def _read(file: Path) -> Person | None:
    """A person's file; None where there is none, and for one that was changed by hand and is no
    such file: it lets nobody in."""
    if not file.is_file():
        return None
    try:
        found = json.loads(file.read_text("utf-8"))
        return Person(
            str(found["name"]), Role(found["role"]), str(found["key"]), str(found.get("at", ""))
        )
    except (KeyError, TypeError, ValueError, OSError) as error:
        log.warning("%s is no file of a person and lets nobody in: %s", file, error)
        return None
