"""What a method must keep to be registered: all that shows without a session.

``labelcore.testing`` has the contracts that need one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, is_dataclass
from functools import cache
from itertools import chain
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from labelcore.designs.base import Design, DesignParams, Setup
from labelcore.designs.choices import Chooses
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.lists import ComparesLists
from labelcore.designs.progress import AnswerCodes, IntArray, Progress
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import ContractError, PlanError
from labelcore.estimands import CHOICES, CURVES, DIFFERENCES, ESTIMANDS, LISTS, SCALARS, SUMMARIES
from labelcore.population import Population, read_population
from labelcore.promises import Promise

NEEDED: Mapping[str, type] = {
    **dict.fromkeys((*SCALARS, *DIFFERENCES), EstimatesScalars),
    **dict.fromkeys((*CURVES, *SUMMARIES), EstimatesCurve),
    **dict.fromkeys(LISTS, ComparesLists),
    **dict.fromkeys(CHOICES, Chooses),
}
"""Of each estimand what a method must be able to do."""
ITEMS, ASKED = 60, 40


def check_design(design: Any, known: Mapping[str, Design[Any]]) -> None:
    """Raises ContractError for a method that does not keep what every method keeps or fails on a
    small file, and for one whose name another one of ``known`` has."""
    checks = (
        _says_what_it_is(design),
        _is_new(design, known),
        _can_do_what_it_says(design),
        _draws_each_item_once(design),
    )
    try:
        fault = next(chain(*checks), None)
    except Exception as error:
        fault = "it works on a small file", f"{type(error).__name__}: {error}"
    if fault is not None:
        raise ContractError(str(getattr(design, "name", type(design).__name__)), *fault)


Faults = Iterator[tuple[str, str]]


def _says_what_it_is(design: Any) -> Faults:
    contract = "it says what it is"
    if not isinstance(design, Design):
        yield contract, "it must be an object of a class that derives from Design"
    for name in ("name", "label", "summary"):
        if not isinstance(getattr(design, name, None), str) or not getattr(design, name):
            yield contract, f"{name} must be a text"
    if not design.name.isidentifier():
        yield contract, f"name must be a name of Python, got {design.name!r}"
    if "Source:" not in (type(design).__doc__ or ""):
        yield contract, "its docstring must have a line 'Source:'"
    params = getattr(design, "Params", None)
    if not (isinstance(params, type) and issubclass(params, DesignParams) and is_dataclass(params)):
        yield contract, "Params must be a dataclass of DesignParams"
        return
    bare = [item.name for item in fields(params) if "help" not in item.metadata]
    if bare:
        yield contract, f"Params.{bare[0]} must be made by parameter(), or no form can ask for it"
    wrong = [promise for promise in design.promises if promise not in tuple(Promise)]
    if wrong or not design.promises:
        yield contract, f"promises must name some of {', '.join(Promise)}, got {design.promises!r}"


def _is_new(design: Design[Any], known: Mapping[str, Design[Any]]) -> Faults:
    there = known.get(design.name)
    if there is not None and type(there) is not type(design):
        yield "its name is its own", f"{type(there).__name__} has it already"


def _can_do_what_it_says(design: Design[Any]) -> Faults:
    contract = "it can do what its estimands need"
    named = getattr(design, "estimands", ())
    if not named:
        yield contract, "estimands must name at least one"
    for name in named:
        if name not in ESTIMANDS:
            yield contract, f"estimands must be some of {', '.join(ESTIMANDS)}, got {name!r}"
        elif not isinstance(design, NEEDED[name]):
            yield contract, f"{name!r} needs {NEEDED[name].__name__}, from which it must derive"


def _draws_each_item_once(design: Design[Any]) -> Faults:
    """On a small file; a method that cannot do with its own parameters there is not tried."""
    try:
        first, again = (drawn_items(design, seed=5) for _ in range(2))
    except PlanError:
        return
    if not np.array_equal(first, again):
        yield "same seed, same draws", f"seed 5 drew {first[:5]} ... and then {again[:5]} ..."
    items, often = np.unique(first, return_counts=True)
    if (often > 1).any():
        twice = items[often > 1][0]
        yield "no item is drawn twice", f"item {twice} of {ITEMS} came {often.max()} times"
    if len(items) and not (items[0] >= 0 and items[-1] < ITEMS):
        yield "it draws items of the file", f"it drew item {items[-1]} of {ITEMS}"


def drawn_items(design: Design[Any], seed: int) -> IntArray:
    """The items that a method asks first, (n,), where every third one is positive."""
    population = _small_file()
    names = population.classifiers
    setup = Setup(
        population,
        names[0],
        design.estimands[:1],
        design.Params(),
        seed,
        ASKED,
        versus=names[1],
        classifiers=names,
        promise=design.promises[0],
    )
    frame = design.prepare(setup)
    stratum, asked, codes = np.asarray(frame.stratum), np.zeros(0, dtype=np.int64), AnswerCodes()
    batch = 0
    while len(asked) < ASKED:
        batch += 1
        counts = np.bincount(stratum[asked], minlength=frame.n_strata)
        hits = np.bincount(stratum[asked], asked % 3 == 0, frame.n_strata)
        right = hits.astype(float)
        progress = Progress(counts, counts.astype(float), right, ASKED, right, codes, asked.copy())
        more = np.asarray(design.next_batch(setup, frame, progress, batch))
        if not len(more) or more.min() < 0 or more.max() >= ITEMS:
            return np.append(asked, more)
        codes[more] = (more % 3 == 0).astype(np.int64)
        asked = np.append(asked, more)
    return asked


@cache
def _small_file() -> Population:
    """60 items with two scores, whose predictions are those from .5 on."""
    rows = (f"i{n},text {n},{n * 37 % 60 / 60:.3f},{n * 17 % 60 / 60:.3f}" for n in range(ITEMS))
    with TemporaryDirectory() as folder:
        path = Path(folder) / "items.csv"
        path.write_text("\n".join(("id,text,a,b", *rows)), "utf-8")
        return read_population(
            path, id="id", content="text", scores={"a": "a", "b": "b"},
            thresholds={"a": 0.5, "b": 0.5},
        )  # fmt: skip
