"""Cases that cross everything with everything: a few of them at once, all of them in `.ci/full`."""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

EVERY_EXAMPLE = "LABELCORE_EVERY_EXAMPLE"


def sampled(
    cases: Iterable[Any], size: int, *, seed: int, keep: Collection[Any] = ()
) -> list[ParameterSet]:
    """Cases for ``parametrize``: those in ``keep``, which are known edges, and others drawn with
    ``seed``, ``size`` together, run with every change; the rest is marked ``full``.

    A case with several arguments is a tuple. One in ``keep`` that is no case raises ValueError.
    """
    every = [one if isinstance(one, tuple) else (one,) for one in cases]
    edges = [one if isinstance(one, tuple) else (one,) for one in keep]
    if strange := [one for one in edges if one not in every]:
        raise ValueError(f"keep: {strange[0]!r} is none of the cases")
    others = [place for place, one in enumerate(every) if one not in edges]
    drawn = random.Random(seed).sample(others, min(max(size - len(edges), 0), len(others)))
    rest = {*others} - {*drawn}
    return [
        pytest.param(*one, marks=[pytest.mark.full] if place in rest else [])
        for place, one in enumerate(every)
    ]


def searched(examples: int) -> settings:
    """So many examples of a property where the variable ``LABELCORE_EVERY_EXAMPLE`` is set, as in
    ``.ci/full``; a quarter of them, always the same, with every change."""
    return settings(
        max_examples=examples if EVERY_EXAMPLE in os.environ else -(-examples // 4), deadline=None
    )
