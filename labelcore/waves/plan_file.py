"""A monitor as a file: what is read, what is asked and required, and when; kept beside a pipeline.

The tables of a ``plan.toml`` are ``source`` (the arguments of ``read_population``), ``plan`` (those
of ``Plan``) and ``monitor`` (those of ``Monitor``, and what else is said below).
"""

from __future__ import annotations

import inspect
import os
import shlex
import tomllib
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, fields
from datetime import date
from itertools import count
from pathlib import Path
from typing import Any

from labelcore.errors import (
    ArgumentError,
    Names,
    PlanArgumentError,
    PlanError,
    did_you_mean,
    whole_number,
)
from labelcore.plan.plan import Plan
from labelcore.population import Population, is_address, read_population
from labelcore.session.carried import waves_of
from labelcore.session.copying import Rehearsal
from labelcore.store import LabelStore
from labelcore.waves.monitor import SCHEDULE, Monitor

SCHEDULES: dict[str, Callable[[date], str]] = {
    "weekly": lambda day: f"{day:%G-W%V}",
    "monthly": lambda day: f"{day:%Y-%m}",
    "daily": lambda day: f"{day:%Y-%m-%d}",
    "each file": lambda day: f"{day:%Y-%m-%d}",
}
"""How a wave is called that is due on a day; with "each file" every new table is a wave."""


def free_name(schedule: str, day: date, begun: Collection[str]) -> str:
    """How a wave is called that begins on a day, where the one of that day may have begun.

    >>> free_name("weekly", date(2026, 11, 29), ["2026-W48", "2026-W48 (2)"])
    '2026-W48 (3)'
    """
    due = SCHEDULES[schedule](day)
    names = (due if number == 1 else f"{due} ({number})" for number in count(1))
    return next(name for name in names if name not in begun)


READING = set(inspect.signature(read_population).parameters) - {"source", "progress"}
PLANNED = {field.name for field in fields(Plan)} - {
    "promise", "planned", "claims_planned", "rules", "edges",
}  # fmt: skip
TERMS = {"requirements", "since_launch", "waves", "error"}
WORDS = {"question", "instructions", "title"}
TEXTS = {"people", "requirements", "on_alarm"}
KINDS: dict[str, tuple[tuple[type, ...], str]] = {
    **dict.fromkeys(WORDS, ((str,), "must be a text")),
    **dict.fromkeys(TEXTS, ((str,), "must be a text or a list of texts")),
    **dict.fromkeys(("renewed", "since_launch"), ((bool,), "must be true or false")),
    "error": ((int, float), "must be a number"),
}
TABLES: dict[str, Collection[str]] = {
    "source": READING | {"file"},
    "plan": PLANNED | {"labels"},
    "monitor": TERMS | WORDS | {"name", "store", "schedule", "on_alarm", "people", "renewed"},
}


@dataclass(frozen=True, slots=True)
class PlanFile:
    """What a ``plan.toml`` says.

    path      of the file: what it names relatively lies beside it
    source    the file, folder or address that each wave is read from
    reading   arguments of ``read_population``
    terms     arguments of ``Monitor``
    settings  words for the people who label
    store     an address
    schedule  a key of SCHEDULES
    on_alarm  a command with its arguments, run once for each alarm; () for none
    people    whose labels are waited for
    renewed   whether rows may have other contents under the same ids
    """

    path: Path
    name: str
    source: str | Path
    reading: Mapping[str, Any]
    plan: Plan
    terms: Mapping[str, Any]
    settings: Mapping[str, str]
    store: str
    schedule: str
    on_alarm: tuple[str, ...]
    people: tuple[str, ...]
    renewed: bool = False

    @classmethod
    def read(cls, path: Path) -> PlanFile:
        """Read a file. Raises ArgumentError, PlanError, and OSError where it cannot be read."""
        try:
            given = tomllib.loads(path.read_text("utf-8-sig"))
        except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
            raise ArgumentError(path.name, f"must be TOML: {error}") from error
        _check(path, "", given, TABLES)
        for table, known in TABLES.items():
            if not isinstance(given.setdefault(table, {}), dict):
                raise ArgumentError(f"{path.name}: {table}", f"must be a table, [{table}]")
            _check(path, f"{table}.", given[table], known)
        source, plan, monitor = (dict(given[table]) for table in TABLES)
        schedule = _needed(path, monitor, "monitor", "schedule", "weekly")
        if schedule not in SCHEDULES:
            rule = f"must be one of {', '.join(SCHEDULES)}"
            raise ArgumentError(f"{path.name}: monitor.schedule", rule, got=schedule)
        for name in KINDS.keys() & monitor.keys():
            value, (kinds, rule) = monitor[name], KINDS[name]
            parts = value if name in TEXTS and isinstance(value, list) else [value]
            if not all(isinstance(part, kinds) for part in parts):
                raise ArgumentError(f"{path.name}: monitor.{name}", rule, got=value)
        budget = "labels" if "labels" in plan else "budget"
        name = f"{path.name}: plan.{budget}"
        if {"labels", "budget"} <= plan.keys():
            raise ArgumentError(name, "means the same as plan.budget: give only one of them")
        if budget in plan:
            plan["budget"] = whole_number(name, plan.pop(budget), "items")
        plan.setdefault("design", "recalibrated_neyman")
        plan.setdefault("estimands", ["precision", "recall"])
        called = {"budget": budget}
        names = Names(argument=lambda name: f"{path.name}: plan.{called.get(name, name)}")
        command, people = monitor.get("on_alarm", ()), monitor.get("people", ())
        try:
            asked = Plan(plan.pop("design"), plan.pop("estimands"), **plan)
        except PlanArgumentError as error:
            raise PlanError(error.worded(names)) from error
        try:
            command = shlex.split(command) if isinstance(command, str) else command
        except ValueError as error:
            raise ArgumentError("monitor.on_alarm", f"must be a command: {error}") from error
        return cls(
            path, _needed(path, monitor, "monitor", "name"),
            _beside(path, _needed(path, source, "source", "file")),
            {key: value for key, value in source.items() if key != "file"},
            asked,
            {key: value for key, value in monitor.items() if key in TERMS},
            {key: value for key, value in monitor.items() if key in WORDS},
            _store_beside(path, _needed(path, monitor, "monitor", "store", "sqlite:///labels.db")),
            schedule,
            tuple(command),
            tuple([people] * bool(people) if isinstance(people, str) else people),
            monitor.get("renewed", False),
        )  # fmt: skip

    def monitor(self, store: LabelStore, *, rehearsed: bool = False) -> Monitor:
        """The monitor of a store, new or as it was left; ``rehearsed``: a copy in memory."""
        if rehearsed:
            store = Rehearsal(store, waves_of(store, self.name))
        settings = {**self.settings, SCHEDULE: self.schedule}
        return Monitor(store, self.name, self.plan, settings=settings, **self.terms)

    def population(self, source: str | None = None) -> Population:
        """The table of now; of another place than the file says, if one is given."""
        return read_population(
            self.source if source is None else _beside(Path("plan.toml"), source), **self.reading
        )


def begin_what_is_due(
    file: PlanFile, monitor: Monitor, today: date, source: str | None = None,
    labels: int | None = None, *, rehearsed: bool,
) -> str:  # fmt: skip
    """Begin the wave of a day, unless it has begun or the table is the last one's; what was done,
    in words.

    rehearsed   whether nothing is written: all is read and checked

    Raises ArgumentError, PlanError and PopulationError.
    """
    begun, name = monitor.names, SCHEDULES[file.schedule](today)
    each = file.schedule == "each file"
    if name in begun and not each:
        return f"Wave {name} had begun."
    population = file.population(source)
    if begun and monitor.knows(population):
        return f"The table has not changed since wave {begun[-1]}."
    name = free_name(file.schedule, today, begun)
    rows = f"{len(population):,} rows of {population.name}"
    if rehearsed:
        monitor.check(population, name, renewed=file.renewed)
        return f"Wave {name} would begin on {rows}."
    monitor.wave(population, name, labels, renewed=file.renewed)
    return f"Wave {name} began on {rows}."


def _check(path: Path, inside: str, given: Mapping[str, Any], known: Collection[str]) -> None:
    for name in given:
        if name not in known:
            near = did_you_mean(name, known) or f"; known are {', '.join(sorted(known))}"
            raise ArgumentError(path.name, f"knows no {inside}{name}{near}")


def _needed(
    path: Path, table: Mapping[str, Any], name: str, key: str, instead: str | None = None
) -> str:
    text = table.get(key, instead)
    if not isinstance(text, str) or not text.strip():
        raise ArgumentError(f"{path.name}: {name}.{key}", "must be a text", got=text)
    return text


def _beside(path: Path, source: str) -> str | Path:
    """A file that is named relatively lies beside the plan."""
    return source if is_address(source) else path.parent / source


def _store_beside(path: Path, address: str) -> str:
    start = "sqlite:///"
    relative = address.startswith(start) and not Path(address.removeprefix(start)).is_absolute()
    if not relative:
        return address
    return start + Path(os.path.realpath(path.parent / address.removeprefix(start))).as_posix()
