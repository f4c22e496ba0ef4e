"""How far people agree: from the answers to items that several of them judged."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import combinations
from statistics import median

import numpy as np

from labelcore.log.answers import looking_seconds
from labelcore.log.engine import Engine
from labelcore.log.events import Event, answer_word
from labelcore.log.repeats import Judged
from labelcore.results.agreement import Pair, PeopleAgree, Person
from labelcore.stats.agreement import (
    COEFFICIENTS,
    beyond_chance,
    cohen,
    mean_share,
    percent_agreement,
    votes_of,
)
from labelcore.stats.profile import FloatArray

NO_CLASS = -1


def unsettled(engine: Engine) -> list[Judged]:
    """Items that as many people as the plan asks for have judged, not all alike, and of which
    nobody has said which answer counts."""
    judged = engine.repeats.judged() if engine.repeats.others else []
    differing = [item for item in judged if item.complete and item.differs]
    return [item for item in differing if engine.settlement(item) is None]


def people_agree(engine: Engine, called: Callable[[str], str] = str) -> PeopleAgree:
    """Agreement of different people, by all items that at least two of them gave a class.

    Promise: fixed, one look. The items are a random part of the labelled ones, each chosen with a
    chance that is known: shares are those of the labelled items, not weighted to the file.
    Source: ``labelcore.stats.agreement``.

    called   what a person is called, by the name that the log has
    """
    confidence = engine.plan.confidence
    judged = [item for item in engine.repeats.judged() if len(_people(item)) == len(item.answers)]
    names = list(dict.fromkeys(who for item in judged for who in sorted(_people(item))))
    codes = _codes(engine, judged, names)
    votes = votes_of(codes, len(engine.classes))
    weight = 1 / np.array([item.chance for item in judged])
    counted = votes.sum(axis=1) >= 2
    votes, each = votes[counted], weight[counted]
    return PeopleAgree(
        items=len(votes),
        differing=int(((votes > 0).sum(axis=1) > 1).sum()),
        without_class=sum(event.label is None for item in judged for event in item.others),
        waiting=0 if engine.finished else len(engine.repeats.due),
        unsettled=len(unsettled(engine)),
        overruled=len(engine.overruled),
        share=percent_agreement(votes, confidence, each),
        coefficients={
            name: beyond_chance(votes, row.disagreement, confidence, each)
            for name, row in COEFFICIENTS.items()
        },
        pairs=tuple(_pairs(engine, codes, weight, [*map(called, names)])),
        people=tuple(
            replace(who, name=called(who.name)) for who in _each(engine, codes, weight, names)
        ),
        confidence=confidence,
        readers=engine.plan.readers,
    )


def _people(item: Judged) -> set[str]:
    return {event.annotator for event in item.answers}


def _codes(engine: Engine, judged: Sequence[Judged], names: Sequence[str]) -> np.ndarray:
    """The class that each person gave to each item, (n_items, n_people), -1 for none."""
    codes = np.full((len(judged), len(names)), NO_CLASS, dtype=np.int64)
    for row, item in enumerate(judged):
        for event in item.answers:
            if event.label is not None:
                codes[row, names.index(event.annotator)] = engine.classes[event.label]
    return codes


def _pairs(
    engine: Engine, codes: np.ndarray, weight: FloatArray, names: Sequence[str]
) -> Iterable[Pair]:
    confidence = engine.plan.confidence
    for first, second in combinations(range(len(names)), 2):
        both = codes[:, [first, second]]
        mine = (both != NO_CLASS).all(axis=1)
        both, each = both[mine], weight[mine]
        if len(both):
            classes = [*engine.classes]
            other = Counter((classes[a], classes[b]) for a, b in both.tolist() if a != b)
            yield Pair(
                names[first],
                names[second],
                len(both),
                percent_agreement(votes_of(both, len(engine.classes)), confidence, each),
                beyond_chance(both.astype(float), cohen, confidence, each),
                tuple((*both, items) for both, items in other.most_common()),
            )


def _each(
    engine: Engine, codes: np.ndarray, weight: FloatArray, names: Sequence[str]
) -> Iterable[Person]:
    first = [asked.answers[-1] for asked in engine.asked if asked.answers]
    further = [event for item in engine.repeats.judged() for event in item.others]
    for name in dict.fromkeys(event.annotator for event in (*first, *further)):
        mine = [event for event in first if event.annotator == name]
        more = [event for event in further if event.annotator == name]
        shared, each = np.zeros(0), np.zeros(0)
        if name in names:
            shared, each = _with_others(codes, weight, names.index(name))
        alike = mean_share(shared, engine.plan.confidence, each)
        seconds = _seconds([*mine, *more])
        answers = tuple(Counter(answer_word(event) for event in (*mine, *more)).most_common())
        yield Person(name, len(mine), len(more), answers, seconds, len(shared), alike)


def _with_others(
    codes: np.ndarray, weight: FloatArray, person: int
) -> tuple[FloatArray, FloatArray]:
    """Of each item that a person and others gave a class: the share of the others' answers that are
    the same, and its weight, (n_items,)."""
    given = codes[:, person] != NO_CLASS
    others = np.delete(codes, person, axis=1)[given]
    there = others != NO_CLASS
    number = there.sum(axis=1)
    same = ((others == codes[given, person][:, None]) & there).sum(axis=1)
    there = number > 0
    return same[there] / number[there], weight[given][there]


def _seconds(events: Sequence[Event]) -> float | None:
    """The median from showing an item to its answer."""
    spans = [span for span in looking_seconds(events) if span == span]
    return median(spans) if spans else None
