"""Cases that cross everything with everything: a few of them at once, all of them in `.ci/full`."""

import os
import random
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from inspect import signature
from typing import Any

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

SOUND_AND_BROKEN = [False, pytest.param(True, marks=pytest.mark.full, id="broken twin")]
"""Cases of ``parametrize("broken", ...)``: what is promised, and its twin, which takes as long."""

EVERY_EXAMPLE = "LABELCORE_EVERY_EXAMPLE"
"""Set where all of it is to run: by ``.ci/full``, and by ``-m full``, as broken twins need it."""


def sampled(
    cases: Iterable[Any], size: int, *, seed: int, keep: Collection[Any] = ()
) -> list[ParameterSet]:
    """Cases for ``parametrize``: those in ``keep``, which are known edges, and others drawn with
    ``seed``, ``size`` together, run with every change; the rest is marked ``full``, and there only
    where the variable ``LABELCORE_EVERY_EXAMPLE`` is set, as collecting it takes seconds.

    A case with several arguments is a tuple, or one of ``pytest.param``. One in ``keep`` that is
    no case raises ValueError.
    """
    every, edges = [_case(one) for one in cases], [_case(one).values for one in keep]
    if strange := [one for one in edges if one not in [case.values for case in every]]:
        raise ValueError(f"keep: {strange[0]!r} is none of the cases")
    others = [place for place, one in enumerate(every) if one.values not in edges]
    drawn = random.Random(seed).sample(others, min(max(size - len(edges), 0), len(others)))
    rest = {*others} - {*drawn}
    return [
        one._replace(marks=[*one.marks, *[pytest.mark.full] * (place in rest)])
        for place, one in enumerate(every)
        if EVERY_EXAMPLE in os.environ or place not in rest
    ]


def beyond_one_each(cases: Sequence[Mapping[str, int]], *, seed: int) -> list[int]:
    """Places of the cases of a product, {parameter: which value} each, that can be left out while
    every value of every parameter stays in one."""
    places, seen, left_out = [*range(len(cases))], set[tuple[str, int]](), []
    random.Random(seed).shuffle(places)
    for place in places:
        if seen.issuperset(cases[place].items()):
            left_out.append(place)
        seen |= cases[place].items()
    return left_out


def _case(one: Any) -> ParameterSet:
    if isinstance(one, ParameterSet):
        return one
    return pytest.param(*(one if isinstance(one, tuple) else (one,)))


def searched(examples: int) -> settings:
    """So many examples of a property where the variable ``LABELCORE_EVERY_EXAMPLE`` is set, as in
    ``.ci/full``; an eighth of them, always the same, with every change."""
    return settings(
        max_examples=examples if EVERY_EXAMPLE in os.environ else -(-examples // 8), deadline=None
    )


def repeated(times: int) -> int:
    """How many sessions a statistical test of a sound method simulates: a third of them with every
    change, all where the variable is set. Docstrings name all; limits follow from the number."""
    return times if EVERY_EXAMPLE in os.environ else -(-times // 3)


def once(make: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
    """A fixture of a module: what ``make`` gives for these arguments, behind a folder of its own
    where it takes one."""
    takes_folder = next(iter(signature(make).parameters), "") == "folder"

    @pytest.fixture(scope="module")
    def made(tmp_path_factory: pytest.TempPathFactory) -> Any:
        folder = [tmp_path_factory.mktemp("once")] if takes_folder else []
        return make(*folder, *arguments, **more)

    return made
