"""The people who have a role: one small file each in the data folder.

A person comes by a link with a secret, of which the file keeps a hash, or by a login of that name.
Adding makes the file, removing deletes it, and whoever changes it is alone in doing so: nothing is
lost where two do so at once. What is removed counts no more at the next request, and at the next
press of a page that is open.
"""

import hashlib
import hmac
import json
import logging
import re
import secrets
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from time import time

from labelcore.access import Visitor, note
from labelcore.log.people import GIVEN, folded
from labelcore.store import alone_in
from labelcore.team.roles import Role, visitor_of_roles
from labelcore.team.settings import PARAMETER
from labelcore.whole_file import new_file, whole_file

FOLDER = ".people"
"""Its name begins with a dot: it is not among the files that a page lists."""
ADDRESS = ".address"
"""Where the app said last that it is reached."""
LONGEST_NAME = 100
DAYS, LONGEST_DAYS = 90, 3650
"""After which a link ends, where nothing else is said, and at the latest."""
log = logging.getLogger(__name__)
STEM = re.compile(r"[0-9a-f]{16}")
"""What a person's file is called, and how the secret of the link begins: it says where to look."""
SECONDS = re.compile(r"[0-9]{1,12}")


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with a role, or a group of people that gives its roles to those in it.

    name   under which answers are stored
    role   in every project; None: in those of ``roles`` alone
    key    hash of the secret of the link; "" where the person logs in
    at     since when, UTC, ISO 8601
    ends   when the link ends; "": not by itself
    roles  {key of a project: the role there}
    groups the groups that the person is in
    group  whether it is a group: nobody comes in as one
    """

    name: str
    role: Role | None
    key: str = ""
    at: str = ""
    ends: str = ""
    roles: Mapping[str, Role] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    group: bool = False

    @property
    def over(self) -> bool:
        """Whether the link has ended."""
        return bool(self.ends) and self.ends <= datetime.now(UTC).isoformat(timespec="seconds")


def key_hash(secret: str) -> str:
    """What is kept of a secret. A secret has 192 random bits: no search finds it from its hash."""
    return hashlib.sha256(f"labelcore link\n{secret}".encode()).hexdigest()


def ticket(secret: str) -> str:
    """Whose link it is and the hash of its secret: what may be handed on of it."""
    return f"{secret[:16]}-{key_hash(secret)}"


def token(key: str, ends: int) -> str:
    """What a browser keeps of a link that was opened: whose it is, when the session ends (seconds
    since 1970), and what only somebody with the link can make. ``key`` is a ticket."""
    stem, _, hashed = key.partition("-")
    mac = hmac.digest(hashed.encode(), f"labelcore session\n{ends}".encode(), hashlib.sha256)
    return f"{stem}-{ends}-{mac.hex()}"


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

    def add(
        self,
        name: str,
        role: Role | None,
        *,
        login: bool = False,
        days: int | None = None,
        roles: Mapping[str, Role] | None = None,
        groups: Iterable[str] = (),
        group: bool = False,
    ) -> str:
        """Let somebody in; the secret of the link, "" for a person who logs in and for a group.

        role    in every project; None: in those of ``roles`` alone, {key of a project: role}
        days    after which the link ends; None: not by itself
        groups  names of groups whose roles the person has too
        group   it is a group
        Raises ValueError when the name is taken or cannot be one, and for an unknown group.
        """
        cleaned, at = check_name(name), datetime.now(UTC)
        if group and groups:
            raise ValueError(f"groups must be none for a group itself, got {[*groups]}")
        inside = tuple(self._group(name).name for name in groups)
        secret = "" if login or group else _secret(cleaned)
        ends = _end(at, days) if secret and days else ""
        key = key_hash(secret) if secret else ""
        since = at.isoformat(timespec="seconds")
        person = Person(cleaned, role, key, since, ends, dict(roles or {}), inside, group)
        self._make(person)
        note("role", cleaned, _told(person))
        return secret

    def renew(self, name: str, days: int) -> str:
        """Another link for somebody: its secret. The one before ends, and what it opened."""
        secret, ends = _secret(self.one(name).name), _end(datetime.now(UTC), days)

        def renewed(person: Person) -> Person:
            if not person.key:
                raise ValueError(f"name must be of somebody who comes by a link, got {name!r}")
            return replace(person, key=key_hash(secret), ends=ends)

        note("role", self._change(name, renewed).name, "another link")
        return secret

    def link(self, secret: str, url: str = "") -> str:
        """The link with a secret, at an address or where the app said last that it is reached."""
        file = self.folder / ADDRESS
        kept = file.read_text("utf-8") if file.is_file() else "http://127.0.0.1:8501"
        return f"{(url or kept).rstrip('/')}/?{PARAMETER}={secret}"

    def give(self, name: str, role: Role, project: str) -> None:
        """A role in one project, by its key, in place of the one that the person has there."""

        def given(person: Person) -> Person:
            return replace(person, roles={**person.roles, project: role})

        note("role", self._change(name, given).name, f"{role} in {project}")

    def take(self, name: str, project: str) -> None:
        """Take somebody's role in one project away."""

        def taken(person: Person) -> Person:
            return replace(person, roles={k: v for k, v in person.roles.items() if k != project})

        note("role taken", self._change(name, taken).name, project)

    def join(self, name: str, group: str) -> None:
        """Somebody is in a group from now on."""
        person, inside = self.one(name), self._group(group).name
        if person.group:
            raise ValueError(f"name must be of a person, got the group {person.name!r}")
        if inside not in person.groups:
            self._change(name, lambda now: replace(now, groups=(*now.groups, inside)))
            note("role", person.name, f"in the group {inside}")

    def leave(self, name: str, group: str) -> None:
        """Somebody is in a group no more."""
        person, gone = self.one(name), self._group(group).name
        if gone not in person.groups:
            raise ValueError(f"name must be of somebody in the group {gone!r}, got {name!r}")
        self._change(name, lambda now: _without(now, gone))
        note("role taken", person.name, f"the group {gone}")

    def members(self, group: str) -> list[Person]:
        """Who is in a group."""
        return [person for person in self.people() if group in person.groups]

    def rename(self, group: str, name: str) -> None:
        """Another name for a group; who is in it stays."""
        with alone_in(self.folder):
            old = self._group(group)
            new = replace(old, name=check_name(name))
            (self._put if self._file(old.name) == self._file(new.name) else self._make)(new)
            for person in self.members(old.name):
                groups = tuple(new.name if other == old.name else other for other in person.groups)
                self._put(replace(person, groups=groups))
            if self._file(old.name) != self._file(new.name):
                self._file(old.name).unlink(missing_ok=True)
        note("role", new.name, f"the group that was {old.name}")

    def seen(self, person: Person) -> None:
        """Note that somebody has just come in."""
        with suppress(OSError):
            (self.folder / f"{_stem(person.name)}.seen").touch(mode=0o600)

    def last_seen(self, person: Person) -> str:
        """When somebody came in last, UTC; "" for never."""
        try:
            at = (self.folder / f"{_stem(person.name)}.seen").stat().st_mtime
        except OSError:
            return ""
        return datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")

    def visitor(self, person: Person | None) -> Visitor | None:
        """Somebody with all their roles, those of their groups among them; None for nobody, and
        where the link has ended."""
        if person is None or person.over or person.group:
            return None
        holders = [person, *(g for name in person.groups if (g := self._read(name)) and g.group)]
        everywhere = [holder.role for holder in holders if holder.role]
        there: dict[str, list[Role]] = {}
        for holder in holders:
            for key, role in holder.roles.items():
                there.setdefault(key, []).append(role)
        return visitor_of_roles(person.name, everywhere, there)

    def _make(self, person: Person) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        content = json.dumps(asdict(person), ensure_ascii=False).encode()
        try:
            new_file(self._file(person.name), content)
        except FileExistsError:
            raise ValueError(
                f"name must be new: {person.name!r} has a role already; remove that person first"
            ) from None

    def _change(self, name: str, change: Callable[[Person], Person]) -> Person:
        """Let ``change`` make another person of somebody, with nobody in between who changes or
        removes them, too. ValueError for nobody's name."""
        with alone_in(self.folder):
            person = change(self.one(name))
            self._put(person)
            return person

    def _put(self, person: Person) -> None:
        with whole_file(self._file(person.name)) as stream:
            stream.write(json.dumps(asdict(person), ensure_ascii=False).encode())

    def _read(self, name: str) -> Person | None:
        return _read(self._file(name))

    def one(self, name: str) -> Person:
        """Somebody with a role. ValueError for nobody's name."""
        person = self._read(check_name(name))
        if person is None:
            raise ValueError(
                f"name must be one of those with a role ({self._known()}), got {name!r}"
            )
        return person

    def _group(self, name: str) -> Person:
        person = self._read(check_name(name))
        if person is None or not person.group:
            raise ValueError(f"group must be one that was added with --group, got {name!r}")
        return person

    def _known(self) -> str:
        return ", ".join(repr(person.name) for person in self.people()) or "nobody yet"

    def remove(self, name: str) -> None:
        """Take somebody's role and link away; stored answers stay. ValueError for nobody's name."""
        with alone_in(self.folder):
            person = self.one(name)
            self._file(person.name).unlink(missing_ok=True)
            left = self.members(person.name) if person.group else []
            for member in left:  # A later group of that name is another one.
                self._put(_without(member, person.name))
        names = ", ".join(member.name for member in left) or "nobody"
        note("withdrawn", person.name, f"a group, with {names} in it" if person.group else "")

    def people(self) -> list[Person]:
        """Everybody with a role, by name."""
        everybody = map(_read, self.folder.glob("*.json"))
        return sorted(filter(None, everybody), key=lambda person: person.name.casefold())

    def has_anybody(self) -> bool:
        return any(self.folder.glob("*.json"))

    def by_secret(self, secret: str) -> Person | None:
        """Whose link has this secret."""
        return self.by_key(ticket(secret))

    def by_key(self, given: str) -> Person | None:
        """Whose link has the secret of this ticket."""
        stem, _, key = given.partition("-")
        person = _read(self.folder / f"{stem}.json") if STEM.fullmatch(stem) else None
        return person if person and person.key and hmac.compare_digest(person.key, key) else None

    def by_token(self, given: str) -> Person | None:
        """Whose session this is; None for one that has ended."""
        stem, ends, _ = (*given.split("-"), "", "", "")[:3]
        person = _read(self.folder / f"{stem}.json") if STEM.fullmatch(stem) else None
        if person is None or not person.key or not SECONDS.fullmatch(ends) or int(ends) <= time():
            return None
        expected = token(f"{stem}-{person.key}", int(ends))
        return person if hmac.compare_digest(expected.encode(), given.encode()) else None

    def by_login(self, name: str) -> Person | None:
        """Who logs in under this name, in any case of its letters: "straße" is not "strasse"."""
        person = _read(self._file(name))
        given = unicodedata.normalize("NFC", " ".join(name.split())).lower()
        same = person is not None and person.name.lower() == given
        return person if person and same and not person.key and not person.group else None

    def has(self, name: str) -> bool:
        """Whether somebody with a role is called so."""
        return self._file(name).exists()

    def _file(self, name: str) -> Path:
        return self.folder / f"{_stem(name)}.json"


def _without(person: Person, group: str) -> Person:
    return replace(person, groups=tuple(other for other in person.groups if other != group))


def _told(person: Person) -> str:
    there = [f"{role} in {key}" for key, role in person.roles.items()]
    there += [f"in the group {group}" for group in person.groups]
    return ", ".join([*([f"{person.role} in every project"] if person.role else []), *there])


def _secret(name: str) -> str:
    return _stem(name) + secrets.token_urlsafe(24)


def _end(at: datetime, days: int) -> str:
    return (at + timedelta(days=days)).isoformat(timespec="seconds")


def _stem(name: str) -> str:
    return hashlib.sha256(folded(name).encode()).hexdigest()[:16]


def _read(file: Path) -> Person | None:
    """A person's file; None where there is none, and for one that was changed by hand and is no
    such file: it lets nobody in."""
    if not file.is_file():
        return None
    try:
        fields = json.loads(file.read_text("utf-8"))
        return Person(
            str(fields["name"]),
            None if fields["role"] is None else Role(fields["role"]),
            str(fields["key"]),
            str(fields.get("at", "")),
            str(fields.get("ends", "")),
            {str(key): Role(role) for key, role in fields.get("roles", {}).items()},
            tuple(map(str, fields.get("groups", ()))),
            bool(fields.get("group", False)),
        )
    except (AttributeError, KeyError, TypeError, ValueError, OSError) as error:
        log.warning("%s is no file of a person and lets nobody in: %s", file, error)
        return None
