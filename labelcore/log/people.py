"""Whose answers they are: the names of people, and how many gave the answers."""

import hashlib
import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from itertools import count
from types import MappingProxyType

from labelcore.log.events import Event

DEFAULT_ANNOTATOR = "me"
GIVEN = re.compile(rf"{DEFAULT_ANNOTATOR}(?: \d+)?")
NOBODY: Mapping[str, str] = MappingProxyType({})


def folded(name: str) -> str:
    """What names of one person share, however they are written.

    >>> folded("Ann  Lee ") == folded("ann lee"), folded("ann") == folded("anna")
    (True, False)
    """
    return unicodedata.normalize("NFC", " ".join(name.split())).casefold()


def free_name(taken: Collection[str]) -> str:
    """
    >>> free_name([]), free_name(["me"]), free_name(["me", "me 3", "ann"])
    ('me', 'me 2', 'me 2')
    """
    if DEFAULT_ANNOTATOR not in taken:
        return DEFAULT_ANNOTATOR
    names = (f"{DEFAULT_ANNOTATOR} {number}" for number in count(2))
    return next(name for name in names if name not in taken)


def person_key(secret: str, created_at: str, fingerprint: str) -> str:
    """What a store keeps of a browser's secret: of no use elsewhere, another in each project."""
    return hashlib.sha256(f"{created_at}\n{fingerprint}\n{secret}".encode()).hexdigest()


def browsers(names: Iterable[str]) -> int:
    """How many of the names were given to browsers; one person may use several of those.

    >>> browsers(["me", "me 2", "ann", "me too"])
    2
    """
    return sum(bool(GIVEN.fullmatch(name)) for name in set(names))


def people_count(
    answers: Iterable[Event], since: Mapping[str, str], *, apart: bool = False
) -> int | None:
    """How many people gave the answers; None where nobody can tell.

    since   {name: when it was given to one person}. The name that everybody has who gives none,
            "me", is one person's from then on only: before, any number of people may have used it
    apart   whether everybody was told to use a browser of their own; else several browsers may be
            one person's
    """
    names = set()
    for event in answers:
        name = event.annotator
        if name == DEFAULT_ANNOTATOR and not (name in since and since[name] <= event.at):
            return None
        names.add(name)
    return len(names) if apart or browsers(names) < 2 else None
