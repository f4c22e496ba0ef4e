"""Walk a log event by event: draw again, count again, compute every look again."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from types import MappingProxyType
from typing import Any

from labelcore.errors import PlanError, PopulationError, ReplayError
from labelcore.figures.earlier import figures_of
from labelcore.log.engine import Engine
from labelcore.log.events import ANSWER_KINDS, ERASED, SALTED, Content, Event, genesis, rewritten
from labelcore.log.kinds import take
from labelcore.log.state import LogState
from labelcore.plan.plan import Plan
from labelcore.population import Population, read_population
from labelcore.population.snapshots import is_snapshot, with_shown
from labelcore.replay.forms import check_fields
from labelcore.replay.result import ReplayResult
from labelcore.store import LabelStore, items_path, open_store
from labelcore.words.existing import taken_words
from labelcore.words.recuts import replayed_words
from labelcore.words.sentences import count
from labelcore.words.stops import planned_words

COMPUTED = "computed again, every figure the same"
EARLIER = "made by an earlier rule, as stored and not computed again"

Source = Population | str | os.PathLike[str]
NO_SALTS: Mapping[str, str] = MappingProxyType({})


def replay(
    population: Source,
    plan_json: str,
    events: Iterable[Event],
    *,
    fingerprint: str,
    arguments: Mapping[str, Any] | None = None,
    seal: str | None = None,
    salts: Mapping[str, str] = NO_SALTS,
) -> ReplayResult:
    """Recompute a session and compare every event with what follows from those before it.

    population   the file's path, read with the recorded ``arguments``, or a population
    plan_json    the plan's exact text, planned size included
    events       the log; iterated twice when something is wrong with file or plan
    fingerprint  the one recorded with the project
    seal         the hash of the last event as printed in a report, where one is at hand: only this
                 can tell a log that was cut short or written anew from end to end
    salts        of the texts that were shown, by item; without its salt a text is not compared

    Raises ReplayError with the first event that does not agree, 0 for the file or the plan.
    """
    items = _read(population, arguments)
    if items.fingerprint != fingerprint:
        raise ReplayError(
            0,
            f"{items.name} is not the file that was labelled, or it was read in a different way: "
            f"its fingerprint is {items.fingerprint[:16]}, recorded is {fingerprint[:16]}."
            + first_break(items, plan_json, events, salts),
        )
    walk = Walk(_engine(items, plan_json), genesis(fingerprint, plan_json), salts)
    walk.rewritten = _rewritten(events)
    try:
        for event in events:
            walk.take(event)
    finally:
        walk.refuse_other_texts()
    if seal is not None and walk.state.hash != seal:
        raise ReplayError(
            walk.state.sequence,
            f"the log ends here with the seal {walk.state.hash[:16]}, expected was {seal[:16]}: "
            "events are missing at its end, or it was written anew",
        )
    return _result(items, walk)


class Walk:
    """A replay on its way: each event is held against the state before it.

    start        the hash before the first event; None leaves the chain unchecked
    not_compared items whose text was shown and whose salt is not known
    rewritten    digests of events since something in them was erased, by number
    """

    def __init__(
        self, engine: Engine, start: str | None, salts: Mapping[str, str] = NO_SALTS
    ) -> None:
        self.state = LogState(engine, start or "")
        self.figures = figures_of(self.state)
        self.not_compared: set[str] = set()
        self.rewritten: Mapping[int, str] = {}
        self._others: dict[str, int] = {}
        self._chained, self._salts = start is not None, salts

    def take(self, event: Event) -> None:
        """Check one event and fold it into the state.

        Raises ReplayError when it does not follow.
        """
        check_fields(event, self.state.sequence + 1)
        if self._chained:
            self._check_chain(event)
        take(self.state, event, self.figures)
        if "content" in event.detail and "changed" not in event.detail:
            self._check_text(event)

    def _check_text(self, event: Event) -> None:
        """The text that was shown is that of the file, where the log holds its hash."""
        item, recorded = str(event.item_id), str(event.detail["content"])
        salted = recorded.startswith(SALTED)
        if salted and not self._salts.get(item):
            self.not_compared.add(item)
            return
        shown = self.state.engine.population.content(item)
        if Content(shown, self._salts[item] if salted else "").digest(item) != recorded:
            self._others[item] = event.sequence

    def refuse_other_texts(self) -> None:
        """Raise ReplayError for a text that is another one than was shown, unless it was erased."""
        for item, sequence in self._others.items():
            if item not in self.state.erased:
                raise ReplayError(
                    sequence, f"the text of item {item!r} is another one than was shown"
                )

    def _check_chain(self, event: Event) -> None:
        since = self.rewritten.get(event.sequence, "")
        if event.digest(self.state.hash) in (event.hash, since):
            return
        if event.sequence == 1:
            raise ReplayError(
                1,
                "its hash does not follow from the file, the plan and this event: one was changed",
            )
        raise ReplayError(
            event.sequence,
            f"its hash does not follow from event {event.sequence - 1} and its own words: one of "
            "the two was changed",
        )


def replay_project(
    store: str | LabelStore, project: str, *, file: Source | None = None, seal: str | None = None
) -> ReplayResult:
    """Replay a project of a store; ``file`` where the items are not where they were read.

    Raises ReplayError, UnknownProjectError, StoreError (also where there is no store),
    FileNotFoundError.
    """
    opened = open_store(store, create=False)
    record = opened.project(project)
    source = json.loads(record.population_json)
    items = items_path(record, opened.items_folder) if file is None else file
    contents = opened.contents(project)
    if file is None and is_snapshot(items):
        shown = {item: content.columns for item, content in contents.items()}
        items = with_shown(_read(items, source["arguments"]), shown)
    return replay(
        items,
        record.plan_json,
        opened.events(project),
        fingerprint=record.fingerprint,
        arguments=source["arguments"],
        seal=seal,
        salts={item: content.salt for item, content in contents.items()},
    )


def first_break(
    population: Population,
    plan_json: str,
    events: Iterable[Event],
    salts: Mapping[str, str] = NO_SALTS,
) -> str:
    """Where the log stops following once file or plan are other ones, as a sentence to append."""
    try:
        walk = Walk(_engine(population, plan_json), None, salts)
        for event in events:
            walk.take(event)
        walk.refuse_other_texts()
    except ReplayError as error:
        if error.sequence == 0:
            return f" Nothing can be drawn again: {error.reason}"
        return f" Event {error.sequence} is the first that no longer follows: {error.reason}"
    return " Every draw and every look still follows, so the change lies outside of them."


def _read(source: Source, arguments: Mapping[str, Any] | None) -> Population:
    if isinstance(source, Population):
        return source
    if arguments is None:
        raise TypeError("arguments must be given to read a population from a path")
    try:
        return read_population(source, **arguments)
    except FileNotFoundError:
        raise
    except (ValueError, TypeError, OSError) as error:
        first = error.faults[0] if isinstance(error, PopulationError) else error
        raise ReplayError(
            0, f"{os.fspath(source)} cannot be read as it was when it was labelled: {first}"
        ) from None


def _engine(population: Population, plan_json: str) -> Engine:
    try:
        return Engine(population, Plan.from_json(plan_json))
    except (PlanError, TypeError, ValueError) as error:
        raise ReplayError(0, f"the plan does not fit: {error}") from None


def _further_words(walk: Walk) -> Iterator[str]:
    """What not every log has: erased texts, second answers, late ones."""
    erased, kinds = walk.state.erased, walk.state.events
    if erased or walk.rewritten:
        yield (
            f"Erased: {count(len(erased), 'text')} and words of "
            f"{count(len(walk.rewritten), 'event')}; no figure rests on them."
        )
    if unknown := {item for item in walk.not_compared if item not in erased}:
        yield f"Texts: {count(len(unknown), 'text')} not compared: no salt of theirs is known."
    if kinds["redrawn"]:
        yield (
            f"Repeats: {count(kinds['redrawn'], 'time')} an item was shown again, each time one "
            f"that was due; {count(kinds['reread'], 'second answer')}."
        )
    if kinds["late"]:
        yield f"Late: {count(kinds['late'], 'answer')} after those of others, kept and not counted."


def _rewritten(events: Iterable[Event]) -> dict[int, str]:
    """Those that the log records, as far as it can be read: what is wrong after that is said when
    the walk comes there."""
    read: list[Event] = []
    with suppress(ReplayError):
        for event in events:
            if event.kind == ERASED:
                read.append(event)
    return rewritten(read)


def _result(population: Population, walk: Walk) -> ReplayResult:
    engine, kinds = walk.state.engine, walk.state.events
    draws, looks = kinds["drawn"], kinds["looked"]
    answers = sum(kinds[kind] for kind in ANSWER_KINDS)
    there = engine.existing
    taken = taken_words(len(there.positions), there.use) if there.use else ""
    before = [f"Labels from before: {taken}; they are those of the file."] if taken else []
    stages = (
        f"File: {population.name} is the one that was labelled ({count(len(population), 'item')}, "
        f"fingerprint {population.fingerprint[:16]}).",
        f"Plan: {engine.plan.design}, seed {engine.plan.seed}, planned for "
        f"{planned_words(engine.plan)}; the log was started with it.",
        *before,
        f"Log: {count(engine.sequence, 'event')} without a gap, each hash follows from the one "
        "before it.",
        f"Draws: {count(draws, 'draw')} drawn again, every item the same.",
        f"Answers: {count(answers, 'answer')}, each to an item that was shown; "
        f"{count(kinds['undone'], 'undo')} among the events.",
        *_further_words(walk),
        *replayed_words(engine),
        f"Looks: {count(looks, 'look')} {EARLIER if engine.plan.superseded else COMPUTED}.",
    )
    return ReplayResult(
        file=population.name,
        items=len(population),
        fingerprint=population.fingerprint,
        events=engine.sequence,
        draws=draws,
        answers=answers,
        looks=looks,
        erased=len(walk.state.erased),
        seal=walk.state.hash,
        stages=stages,
        results=walk.figures.results(),
    )
