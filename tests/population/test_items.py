"""When it is plain that parts share no item."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.population import items as subject
from labelcore.population.array_items import ArrayItems
from labelcore.population.items import BEHIND, Mark, Part, Stretch, apart

RISING, FALLING = Stretch("m", False, 1), Stretch("m", True, 1)


def at(score: float) -> Mark:
    return Mark(score, BEHIND)


def test_plain_cases() -> None:
    low, middle, high = (Part(stretches=(one,)) for one in RISING.pieces([at(0.2), at(0.6)]))
    outer = Part(without=middle.stretches)
    falling = [Part(stretches=(one,)) for one in FALLING.pieces([Mark(0.5, "3a")])]
    for parts in ([low, middle, high], [high, low, middle], [outer, middle], falling, [Part()]):
        assert apart(parts)
    assert apart([Part({"m": 0}), Part({"m": 1, "n": 0}), Part({"m": 1, "n": 1})])
    assert apart([Part({"m": 0}, low.stretches), Part({"n": 1}, high.stretches)])
    for parts in ([low, outer], [low, low], [low, falling[0]], [Part({"m": 0}), Part({"n": 1})]):
        assert not apart(parts)
    other = Part(stretches=(Stretch("m", False, 2, after=at(0.2)),))
    assert not apart([low, other]), "another seed is another order of the ties"


def shared(pairs: int = 400) -> list[int]:
    """Of random pairs of parts of 60 items with many ties, those that ``apart`` tells apart: how
    many items they share."""
    random = np.random.default_rng(4)
    scores = np.round(random.random((2, 60)), 1)
    table = pd.DataFrame({"text": "x", "m": scores[0], "n": scores[1]})
    population = lc.read_population(
        table, content="text", scores={"m": "m", "n": "n"}, thresholds={"m": 0.5}
    )
    items = ArrayItems(population)

    def stretch() -> Stretch:
        whole = Stretch(str(random.choice(["m", "n"])), bool(random.random() < 0.5), 1)
        ranks = sorted(random.choice(np.arange(1, 61), 2, replace=False).tolist())
        marks = items.at_ranks(whole, {}, ranks)
        marks = [at(mark.score) if random.random() < 0.5 else mark for mark in marks]
        return whole.pieces(marks)[int(random.integers(3))]

    def part() -> Part:
        called = {"m": int(random.integers(2))} if random.random() < 0.3 else {}
        gaps = tuple(stretch() for _ in range(int(random.integers(2))))
        return Part(called, tuple(stretch() for _ in range(int(random.integers(3)))), gaps)

    found = []
    for one, other in ((part(), part()) for _ in range(pairs)):
        if apart([one, other]):
            inside = [items.strata([Part(), each]) == 1 for each in (one, other)]
            found.append(int((inside[0] & inside[1]).sum()))
    return found


def test_parts_called_apart_share_no_item(monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin takes places in all orders for those of one."""
    found = shared()
    assert 60 < len(found) < 340 and not any(found)
    monkeypatch.setattr(subject, "_whole", lambda piece: None)
    assert any(shared())
