"""A project in the making: what a person has chosen so far, and what follows from it.

Nothing here knows a page: every rule is a function of the draft and of what the file holds.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Any

MOST_CLASSIFIERS = 8
BUDGET, MARGIN, CLAIMS = "Labels", "± points", "A claim"
"""What may be started from."""
FORGETS: Mapping[str, Sequence[str]] = {
    "known": ("existing", "budget", "most"),
    "existing": ("budget", "most"),
    "aim": ("design",),
}
"""What was chosen because of a choice, and goes with it."""
TIMES: Mapping[str, type[date] | type[clock_time]] = {
    "first_day": date,
    "day": date,
    "hour": clock_time,
}


@dataclass(frozen=True)
class Question:
    """What is asked of a person; ``keys`` names a preset for two classes, else it is empty."""

    text: str
    instructions: str
    classes: tuple[str, ...]
    positive: str
    keys: str = ""


@dataclass(frozen=True)
class Aim:
    """What is to be known about which classifiers, the one the sample is drawn for first.

    existing   what the answers that are there already are taken for
    classes    those of several that have figures of their own; None: all
    card       title of the question as it was chosen
    which      whether it leaves open which numbers are asked for
    """

    estimands: tuple[str, ...]
    classifier: str | tuple[str, ...] | None
    trained_on: str
    target: str
    existing: str | None = None
    classes: tuple[str, ...] | None = None
    card: str = ""
    which: bool = False


@dataclass(frozen=True)
class ProjectDraft:
    """Changes of a draft, made by another page or by a button. None leaves a choice as it is.

    existing    what the known answers are taken for
    question    title of the card of screen 3; ``estimands`` are the numbers asked for with it
    thresholds  of classifiers
    design      the method; "" for the recommended one
    params      parameters of the method, or of ``params_of``; one that is not named begins as
                suggested
    way         what is started from: a number of labels, a margin or claims
    budget, margin   that number; whichever is given is started from
    """

    existing: str | None = None
    question: str | None = None
    estimands: tuple[str, ...] | None = None
    classifiers: tuple[str, ...] | None = None
    thresholds: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    target: str | None = None
    design: str | None = None
    params: Mapping[str, Any] | None = None
    params_of: str | None = None
    way: str | None = None
    budget: int | None = None
    margin: float | None = None
    promise: str | None = None


@dataclass
class OfAFile:
    """What a person has chosen for one file alone; another file begins without it."""

    read: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    ids: list[str] | None = None
    content: list[str] | None = None
    number: int | None = None
    name: dict[str, str] = field(default_factory=dict)
    score: dict[str, str] = field(default_factory=dict)
    prediction: dict[str, str] = field(default_factory=dict)
    known: str | None = None
    existing: str | None = None
    helpers: list[str] | None = None
    groups: list[str] | None = None
    by: str | None = None
    paths: list[str] = field(default_factory=list)
    picked: str | None = None
    prompt: str | None = None
    passes: dict[str, list[str]] = field(default_factory=dict)
    positive: str | None = None
    aim: str | None = None
    classifier: str | None = None
    classifiers: list[str] | None = None
    pair: list[str] | None = None
    direction: dict[str, str] = field(default_factory=dict)
    threshold: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, list[str]] = field(default_factory=dict)
    matter: list[str] | None = None
    budget: int | None = None
    most: int | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    design: str | None = None
    params: dict[str, Any] = field(default_factory=dict)
    project_name: str | None = None


@dataclass
class Draft(OfAFile):
    """What a person has chosen of a project so far. None, or nothing under its name, leaves it to
    what the file suggests: a choice that the file does not offer any more counts as none.

    Each field holds what its input shows; ``labelcore.ui.fields`` has the inputs.
    """

    step: int = 1
    listed: str | None = None
    typed: str | None = None
    path: str | None = None
    opened: str | None = None
    uploaded: str | None = None

    question: str | None = None
    instructions: str | None = None
    yes: str | None = None
    no: str | None = None
    keys: str | None = None
    order: str | None = None
    other_answers: str | None = None

    every_aim: bool = False
    trained: str | None = None
    target: str | None = None

    way: str | None = None
    margin: float | None = None
    claim_count: int = 1
    claim_form: dict[str, str] = field(default_factory=dict)
    first_seed: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    seed: int | None = None
    confidence: float | None = None
    promise: str | None = None
    together: bool | None = None
    unsure: str | None = None
    stops: dict[str, bool] = field(default_factory=dict)
    stop_value: dict[str, str] = field(default_factory=dict)
    stop_how: dict[str, str] = field(default_factory=dict)
    first_day: date = field(default_factory=lambda: datetime.now(UTC).date() + timedelta(days=1))
    day: date | None = None
    hour: clock_time | None = None
    repeats: float | None = None
    readers: int | None = None
    overlap: float | None = None

    def chosen(self, name: str, part: str = "") -> Any:
        """What was chosen for a field, or for one ``part`` of it; None for nothing."""
        held = getattr(self, name)
        return held.get(part) if isinstance(held, dict) else held

    def take(self, name: str, value: Any, part: str = "") -> None:
        """A choice; what was chosen on other grounds is forgotten."""
        held = getattr(self, name)
        if isinstance(held, dict):
            held[part] = value
        else:
            setattr(self, name, value)
        self.forget(FORGETS.get(name, ()))

    def forget(self, names: Sequence[str]) -> None:
        """Leave these fields to what the file suggests."""
        anew = Draft()
        for name in names:
            setattr(self, name, getattr(anew, name))

    def value(
        self, name: str, first: Any, options: Collection[Any] | None = None, part: str = ""
    ) -> Any:
        """What counts for a field: what was chosen where it is among the ``options``, else the
        ``first`` value."""
        chosen = self.chosen(name, part)
        if chosen is None or options is None:
            return first if chosen is None else chosen
        if isinstance(chosen, list):
            kept = [option for option in chosen if option in options]
            return kept if kept or not chosen else first
        return chosen if chosen in options else first

    def close(self) -> None:
        """Ask for another file; what was chosen for this one stays until it is there."""
        self.forget(("path", "uploaded", "listed", "typed"))

    def open(self, path: str) -> None:
        """Begin with another file: what was chosen for the one before is forgotten."""
        if path != self.opened:
            self.forget([item.name for item in fields(OfAFile)])
        self.path = self.opened = path

    def begin(self, changes: ProjectDraft) -> None:
        """Take over what another page or a button has chosen."""
        if changes.question is not None:
            self.take("aim", changes.question)
        for name in ("existing", "target", "design", "way", "promise", "budget"):
            if getattr(changes, name) is not None:
                self.take(name, getattr(changes, name))
        if changes.estimands is not None and changes.question is not None:
            self.numbers[changes.question] = list(changes.estimands)
        if changes.classifiers:
            names = list(changes.classifiers)
            self.classifier, self.classifiers = names[0], names
            self.pair = names if len(names) == 2 else self.pair
        for name, values in changes.thresholds.items():
            self.thresholds[name] = " ".join(f"{value:.12g}" for value in values)
        method = changes.design or changes.params_of
        if changes.params is not None and method:
            others = {k: v for k, v in self.params.items() if not k.startswith(f"{method}-")}
            given = {f"{method}-{name}": value for name, value in changes.params.items()}
            self.params = {**others, **{k: v for k, v in given.items() if v is not None}}
        if changes.margin is not None:
            self.way, self.margin = MARGIN, 100 * changes.margin
        elif changes.budget is not None:
            self.way = BUDGET

    def to_json(self) -> dict[str, Any]:
        """What was chosen, as JSON has it."""
        plain = Draft(first_seed=-1, first_day=date.min)
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            name: value.isoformat() if isinstance(value, (date, clock_time)) else value
            for name, value in held.items()
            if value != getattr(plain, name)
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Draft:
        """The opposite of ``to_json``. Raises TypeError for a name that no field has."""
        for name, kind in TIMES.items():
            if name in values:
                values = {**values, name: kind.fromisoformat(values[name])}
        return cls(**values)
