"""Draws, and the events of the append-only log.

Everything except the log can be recomputed from the file and the plan. Undo, Later and changed
answers are events of their own: nothing is ever deleted or overwritten.
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from json.encoder import encode_basestring
from operator import attrgetter
from typing import Any

ANSWER_KINDS = ("labelled", "unsure", "later", "broken")
PUT = ("drawn", "redrawn", "released")
"""Kinds that put a draw before a person, or take it away."""
ERASED = "erased"
CAUSES = ("slip", "classifier", "question")
"""Why an answer and a classifier differ: the person's slip, the classifier's error, or a question
that is not clear."""


def moment_of(at: str) -> datetime | None:
    """A stored time, in UTC; None for what was changed into none.

    >>> moment_of("2026-01-01T11:00:00+01:00"), moment_of("changed")
    (datetime.datetime(2026, 1, 1, 10, 0, tzinfo=datetime.timezone.utc), None)
    """
    try:
        return datetime.fromisoformat(at).astimezone(UTC)
    except (ValueError, OverflowError):
        return None


@dataclass(frozen=True, slots=True)
class Draw:
    """One item put before one person once. ``Session.next`` gives it.

    Attributes
    ----------
    token
        unique in the store. An answer carries it, so that the same answer arriving twice is one
        label
    item_id
        the item's id
    index
        counts drawn items: 1, 2, ... An item that comes back after Undo or Later keeps its index
        and gets a new token
    stratum
        the stratum that it was drawn from: 0, 1, ..., where tables of strata and of labels have
        1, 2, ...
    batch
        the number of the batch that it was drawn in
    repeat
        whether the item was labelled before and is shown a second time; whoever judges it is not
        told

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=50))
    >>> draw = session.next()
    >>> draw.index, session.next() == draw
    (1, True)
    """

    token: str
    item_id: str
    index: int
    stratum: int | None
    batch: int
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Event:
    """One row of the log.

    Attributes
    ----------
    sequence
        1, 2, ... within the project, without gaps
    kind
        one of those in ``labelcore.log.kinds``
    at
        when it was stored: UTC, ISO 8601 with microseconds
    annotator
        who did it; released: the person the draw was given to, or who came for it
    token
        drawn, redrawn (shown a second time): the token minted; None for an answer
    answers
        an answer, reread (a second answer), late (one that came after others): the token that it
        answers, unique in the log; else None
    index, item_id, stratum, batch
        the draw that it is about, its stratum counted from 0; None for events about the project
    basis
        drawn: the sequence number of the last event known when the draw's batch was drawn
    label
        labelled, reread, late, settled: the class name
    text
        noted, finished, restarted, stopped, reworded, settled: the words; erased: why; explained:
        one of ``CAUSES``, or ""; reread and late without a class: "unsure", "broken" or, of reread
        alone, "later"
    previous
        undone, reread_undone, a changed answer: the sequence number of the answer that it takes
        back; explained: of the answer that it is said of; reread: that of the label which was in
        force; late: that of the answer which was;
        released: that of the drawn or redrawn event whose draw others may have now
    shown_at
        an answer: when the item was first shown, UTC, ISO 8601
    detail
        JSON values. drawn for the first time: "content", the hash of the text shown (logs of 0.1.0
        have none; see ``Content``); looked: the results shown; extended: the new budget,
        and the estimand and the group that the labels are for, if any;
        reforecast: the labels of the pilot, the half-width of its widest interval, the size planned
        from there on, and the labels to which the pilot goes on, if it does; second_pass: how many
        items to show again; settled: the numbers of the answers that it was said of; erased: the
        "items" whose text is gone, whether that of "every" item is, the name that a "person" has
        instead of theirs, and by number the digests of events that were "rewritten" without it
    hash
        SHA-256 over the hash before it and all other fields: a chain, so that a changed byte
        anywhere in the log is found

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=50))
    >>> event = session.answer(session.next(), "yes")
    >>> event.sequence, event.kind, event.label
    (2, 'labelled', 'yes')
    """

    sequence: int
    kind: str
    at: str
    annotator: str
    token: str | None = None
    answers: str | None = None
    index: int | None = None
    item_id: str | None = None
    stratum: int | None = None
    batch: int | None = None
    basis: int | None = None
    label: str | None = None
    text: str | None = None
    previous: int | None = None
    shown_at: str | None = None
    detail: Mapping[str, Any] = field(default_factory=dict)
    hash: str = ""

    def content(self) -> dict[str, Any]:
        """Every field but the hash.

        Returns
        -------
        dict
            JSON values by field.
        """
        return {
            name: (dict(self.detail) if name == "detail" else getattr(self, name))
            for name in FIELDS
            if name != "hash"
        }

    def to_json(self) -> dict[str, Any]:
        """Every field.

        Returns
        -------
        dict
            JSON values by field.
        """
        return {**self.content(), "hash": self.hash}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Event:
        """The event of a dictionary that ``to_json`` made.

        Parameters
        ----------
        values
            JSON values by field; other keys are ignored

        Returns
        -------
        Event
            Equal to the one that the dictionary was made of.
        """
        return cls(**{name: values[name] for name in FIELDS if name in values})

    def chained(self, before: str) -> Event:
        """This event with the hash that lets it follow another one.

        Parameters
        ----------
        before
            the hash of the event before it

        Returns
        -------
        Event
            A new event; this one does not change.
        """
        return replace(self, hash=self.digest(before))

    def follows(self, before: str, sequence: int, rewritten: str = "") -> bool:
        """Whether this event is the next one of a log.

        Parameters
        ----------
        before
            the hash of the event before it
        sequence
            the number that it should have
        rewritten
            its digest since something in it was erased, as a later event of the log records it;
            its hash stays that of what it said before

        Returns
        -------
        bool
            False too if damage has left a value that JSON cannot hold.
        """
        try:
            return self.sequence == sequence and self.digest(before) in (self.hash, rewritten)
        except (TypeError, ValueError):  # damage has left a value that no JSON text holds
            return False

    def digest(self, before: str) -> str:
        """The hash of this event after another one.

        Parameters
        ----------
        before
            the hash of the event before it

        Returns
        -------
        str
            SHA-256, hexadecimal.
        """
        fields = zip(_HASHED, _hashed_of(self), strict=True)
        text = ",".join([f'"{name}":{_json(value)}' for name, value in fields])
        return hashlib.sha256(f"{before}\n{{{text}}}".encode()).hexdigest()


FIELDS: tuple[str, ...] = tuple(Event.__dataclass_fields__)
INTEGERS = ("sequence", "index", "stratum", "batch", "basis", "previous")
REQUIRED = ("sequence", "kind", "at", "annotator", "hash")
_HASHED = tuple(sorted(name for name in FIELDS if name != "hash"))
_hashed_of = attrgetter(*_HASHED)
_encoder = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def _json(value: object) -> str:
    """A field as JSON text, keys in order and without blanks: that of ``json.dumps``, in half the
    time, because every event of a log is written so whenever it is opened."""
    if value is None:
        return "null"
    if type(value) is str:
        return encode_basestring(value)
    if type(value) is int:
        return str(value)
    return _encoder.encode(dict(value) if isinstance(value, Mapping) else value)


def sound_part(events: Sequence[Event], before: str, after: int = 0) -> Sequence[Event]:
    """The events up to the first that does not follow: all of them in an unchanged log.

    before, after   hash and number of the event before the first of them
    """
    hash_before, since = before, rewritten(events)
    for place, event in enumerate(events):
        if not event.follows(hash_before, after + place + 1, since.get(event.sequence, "")):
            return events[:place]
        hash_before = event.hash
    return events


def rewritten(events: Iterable[Event]) -> dict[int, str]:
    """{number: digest} of events that were rewritten without what was erased, as later ones say."""
    return {
        int(number): str(digest)
        for event in events
        if event.kind == ERASED and isinstance(event.detail.get("rewritten"), Mapping)
        for number, digest in event.detail["rewritten"].items()
        if str(number).isdecimal() and int(number) < event.sequence
    }


def common(log: Sequence[str], other: Sequence[str]) -> int:
    """How many events two logs have in common from the first on, by their hashes; of the other's a
    beginning of each will do."""
    for place, (mine, its) in enumerate(zip(log, other, strict=False)):
        if not mine.startswith(its) or not its:
            return place
    return min(len(log), len(other))


SALTED = "salted:"
"""How a hash begins that needs the salt kept beside the text."""
SALT_BYTES = 16


@dataclass(frozen=True, slots=True)
class Content:
    """What is shown of an item, and the salt that its hash in the log is made with.

    The store keeps both together, the log neither: once they are deleted the chain still holds, and
    nobody finds the text by hashing guesses.

    columns   {column: text}
    salt      "" where the log has a hash without one, as logs of earlier versions have
    """

    columns: Mapping[str, str]
    salt: str = ""

    @classmethod
    def drawn(cls, columns: Mapping[str, str]) -> Content:
        """The content of an item drawn now, with a salt of its own."""
        return cls(columns, secrets.token_hex(SALT_BYTES))

    def digest(self, item_id: str) -> str:
        """SHA-256 over the salt, the item's id and its text."""
        values = [*filter(None, [self.salt]), item_id, dict(self.columns)]
        text = json.dumps(values, sort_keys=True, ensure_ascii=False)
        return SALTED * bool(self.salt) + hashlib.sha256(text.encode()).hexdigest()


def answer_word(event: Event) -> str:
    """The class of an answer, or "unsure", "later" or "broken"; of a second or late one too."""
    return event.label or (str(event.text) if event.kind in ("reread", "late") else event.kind)


def genesis(fingerprint: str, plan_json: str) -> str:
    """The hash before the first event: it ties the log to one file and one plan."""
    return hashlib.sha256(f"{fingerprint}\n{plan_json}".encode()).hexdigest()
