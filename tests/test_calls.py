"""What public functions answer at their edges stays: ``tests/data/calls.json`` has calls, one a
line, each with its answer; ``LABELCORE_PIN=1`` writes the answers anew.

A call is read with the names of its module and of all others of the package's inner rooms, and
with ``f``, ``i`` and ``b``, which make arrays of numbers, whole numbers and truth values.
"""

import json
import os
import pkgutil
import re
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from dataclasses import fields, is_dataclass, replace
from enum import Enum
from functools import cache, cached_property, partial
from importlib import import_module
from inspect import signature
from itertools import count
from math import inf, isfinite, nan
from pathlib import Path
from traceback import extract_tb
from types import FunctionType, ModuleType, UnionType
from typing import Any, get_args, get_origin, get_type_hints
from zlib import crc32

import numpy as np
import pandas as pd
import pytest
from scipy.special import expit

from labelcore.designs import base
from labelcore.estimands import DIFFERENCES, SCALARS, table_of
from labelcore.figures.agreement import unsettled
from labelcore.figures.current import results
from labelcore.figures.judge import judge_table
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.planning.runs import beginning, cut_anew, label_until
from labelcore.results.types import Estimate, Scope
from labelcore.stats.judged import judged_cells
from labelcore.stats.profile import Cells, side_by_side
from tests.columns import items
from tests.judged import judged, judged_frame
from tests.pinned import ANEW, CLOSE, numbers, summed

FILE = Path(__file__).parent / "data/calls.json"
CALLS: dict[str, dict[str, Any]] = json.loads(FILE.read_text("utf-8"))
FIGURES = (
    "accuracy", "precision", "recall", "f1", "specificity", "prevalence", "false_omission_rate",
    "negative_predictive_value",
)  # fmt: skip
ROOMS = ("waves", "planning", "designs", "figures", "log", "plan", "words", "results", "stats")
MOST_NUMBERS, MOST_LETTERS = 60, 300
WORDS = ("prize", "won", "lunch", "today")

pytestmark = pytest.mark.as_shipped


@cache
def modules(room: str) -> list[ModuleType]:
    """A room and what is in it."""
    whole = import_module(f"labelcore.{room}")
    inside = pkgutil.iter_modules(getattr(whole, "__path__", []))
    return [whole, *(import_module(f"labelcore.{room}.{one.name}") for one in inside)]


@cache
def names() -> dict[str, Any]:
    """What calls may name besides what their own module has."""
    found: dict[str, Any] = {"np": np, "inf": inf, "nan": nan}
    for room in (*ROOMS, "tallies", "estimands", "promises", "errors"):
        for module in modules(room):
            found |= {name: one for name, one in vars(module).items() if name[0] != "_"}
    return found


@cache
def given() -> dict[str, Any]:
    """What many calls take: arrays; counts of strata without, with some and with all labels, of
    items that were known, and of many strata; figures of one and two classifiers over the first."""
    kinds = {"f": float, "i": np.int64, "b": bool}
    sides, other = np.array([1, 0, 1, 0, 1, 0]) == 1, np.array([0, 1, 1, 0, 1, 1]) == 1
    counts = np.array([[1.0, 4, 9, 30, 200, 50], [0, 4, 3, 10, 40, 50], [0, 2, 3, 0, 17, 11]])
    few = Cells(*counts, sides, np.array([0, 0, 1, 1, 2, -1]), other)
    size = np.arange(20.0) + 9
    many = Cells(size, size - 5, np.floor(size / 3), np.arange(20) > 9, np.arange(20))
    runs = side_by_side([few, replace(few, positive=few.labelled - few.positive)])
    unsure = judged_cells(few, np.array([0.0, 0, 1, 3, 20, 0]))
    scalars = [SCALARS[name] for name in FIGURES]
    return {name: partial(np.array, dtype=kind) for name, kind in kinds.items()} | {
        "few": few, "many": many, "runs": runs, "unsure": unsure, "scalars": scalars,
        "rows": table_of(scalars, few), "leads": table_of([*DIFFERENCES.values()], few),
        "every": every, "number": number, "looked": looked, "short": short, "begun": begun,
    }  # fmt: skip


def number(estimand: str = "recall", low: float = 0.0, high: float = 1.0, **more: Any) -> Any:
    """An estimate halfway between its ends, of e-mails where nothing else is said."""
    scope = {"file": "emails.csv", "n_items": 4000, "classifier": "lr", "positive": "spam"}
    scope |= {name: more.pop(name) for name in [*more] if name in Scope.__dataclass_fields__}
    given = {
        "estimand": estimand, "value": (low + high) / 2, "low": low, "high": high,
        "confidence": 0.95, "labels_used": 60, "draws_used": 70, "method": "m", "source": "s",
        "promise": "watched", "assumptions": ("a", "b"), "scope": Scope(**scope),
    }  # fmt: skip
    return Estimate(**{**given, **more})


def looked(
    design: str, asked: Any, labels: int, kind: str = "", *, people: bool = False, **plan: Any
) -> dict[str, Any]:
    """What is said of a small file of two classifiers and a project of so many labels on it; of
    what kind the file is, where not with probabilities: see ``small_file``; and whether people
    answer, who are not always sure: see ``answered_by_people``."""
    given = {"classifier": "m", "seed": 3, "budget": 60, **plan}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(base, "LARGE", 100 if kind == "large" else base.LARGE)
        engine = begun(kind, design, asked, labels, people=people, **given)
        file, made = small_file(kind, "existing" in plan)[0], Plan(design, asked, **given)
        return everything(file, engine, made, foreseen=len(plan) < 2 and not people)


def begun(
    kind: str, design: str, asked: Any, labels: int = 0, *, people: bool = False, **plan: Any
) -> Engine:
    """A project on such a file with so many labels."""
    file, codes = small_file(kind, "existing" in plan)
    made = Plan(design, asked, **{"classifier": "m", **plan})
    engine = beginning(file, kept_plan(file, made))
    (answered_by_people if people else label_until)(engine, codes, labels)
    return engine


def answered_by_people(engine: Engine, codes: Any, labels: int) -> None:
    """Of Ann's answers some are unsure, broken or put off. Where others read items again, or she
    does, these differ in every third; of what differs every second item is settled. With the last
    item that may be asked it is finished."""
    classes, numbers = engine.population.classes, count(1)

    def event(turn: int, who: str, kind: str, index: int, code: int, **more: Any) -> Event:
        number, item = next(numbers), engine.population.id_at(engine.asked[index - 1].position)
        odd = {3: "unsure", 7: "later", 9: "broken"}.get(turn % 11)
        label = None if odd else classes[code % len(classes)]
        more |= {} if kind == "labelled" else {"text": odd}
        times = [f"2026-05-03T08:{x // 60:02}:{x % 60:02}+00:00" for x in (number + turn, number)]
        return Event(
            number, (kind == "labelled" and odd) or kind, times[0], who, index=index, item_id=item,
            label=label, shown_at=times[1], **more,
        )  # fmt: skip

    while len(engine.asked) < labels and engine.has_more:
        cut_anew([engine])
        index = engine.draw_next()
        right = codes[engine.asked[-1].position]
        engine.first_answer(index, event(index, "ann", "labelled", index, right))
        who = ("ann", "bob", "eve")[index % 3]
        for again in engine.repeats.ready(who, anything=True)[: index % 4]:
            right = codes[engine.asked[again - 1].position] + (again % 3 == 0)
            engine.further_answer(event(again + index, who, "reread", again, right))
    for one in unsettled(engine)[::2]:
        told = event(1, "eve", "settled", one.index, one.index, detail={"answers": one.sequences})
        engine.settle(told)
    engine.finished = len(engine.asked) == engine.limit


def small_file(kind: str, existing: bool) -> tuple[Any, Any]:
    """A file and the class of each item: with predictions alone ("calls"), of three classes or
    grades, of classes that are more or less "sure", with few scores that are no probabilities
    ("odd"), one that counts as large, and answers of three systems to the same prompts with a
    "judge"."""
    if kind == "judge":
        frame = judged_frame(60, systems={"alpha": 0.9, "beta": 0.2, "gamma": -0.4})
        return judged(frame), frame["truth"].to_numpy()
    random = np.random.default_rng(1)
    worth = random.normal(0, 1.5, 240)
    scores = {name: expit(worth + random.normal(0, 1, 240)).round(2) for name in "mn"}
    known = np.where(np.arange(240) % 8 == 0, np.where(worth > 0, "yes", "no"), None)
    given = {"groups": {"tongue": np.where(random.random(240) < 0.6, "de", "en")}}
    codes = (worth + random.normal(0, 1, 240) > 0).astype(np.int64)
    if kind == "calls":
        given["predictions"] = {x: np.where(one > 0.5, "yes", "no") for x, one in scores.items()}
    elif kind in ("classes", "grades", "sure"):
        names = np.array([*("124" if kind == "grades" else "abc")])
        called = {x: names[np.digitize(one, [0.2, 0.7])] for x, one in scores.items()}
        given |= {"scores": scores} if kind == "sure" else {}
        return items(text="x", predictions=called, **given), codes + (worth > 1.5)
    else:
        odd = {name: (9 * one).round() - 3 for name, one in scores.items()}
        given["scores"] = odd if kind == "odd" else scores
        given["thresholds"] = dict.fromkeys(scores, 2.0 if kind == "odd" else 0.5)
    return items(text="x", **given, **({"known": known} if existing else {})), codes


def everything(file: Any, engine: Any, plan: Plan, foreseen: bool) -> dict[str, Any]:
    known = results(engine)
    groups = tuple(file.groups)
    beside = (
        (), (None,), (0.5,), (20,), ("m",), ([0.4, 0.6],), (1.0, 2.0), (known,), (known, ""),
        (groups,), (groups, "accuracy"), ((), "recall"), ([30],),
    )  # fmt: skip
    found = {str(more)[:16]: every("figures", engine, *more) for more in beside}
    texts = every("figures", engine, lambda ids: [" ".join(WORDS[int(x[-1]) % 4 :]) for x in ids])
    settled = {"judge": said(lambda: judge_table(engine, (), known, settled=True))}
    found |= {"texts": texts, "settled": settled}
    for question in engine.questions[:1]:
        found["question"] = every("figures", engine, question)
    found["frame"] = {name: getattr(engine.frame, name) for name in shown_of(type(engine.frame))}
    found |= {"setup": every("designs", engine.setup), "log": every("log", engine)}
    found["plan"] = every("plan", file, engine.plan)
    if foreseen and engine.questions and plan.budget:  # Others take long.
        found["planning"] = every("planning", file, plan)
    return {f"{at}/{name}": short(one) for at, some in found.items() for name, one in some.items()}


def short(value: Any) -> Any:
    """A long answer as its numbers summed by their names, and a checksum of its words."""
    text = json.dumps(answer := told(value))
    if len(text) < MOST_LETTERS:
        return answer
    return summed(numbers(answer)) | {"words": crc32(re.sub(r"-?\d+[.\de-]*", "", text).encode())}


def every(room: str, *values: Any) -> dict[str, Any]:
    """What each public function of a room says of values of just the types that it takes."""
    found = {}
    for name, one, wanted in functions(room):
        if len(wanted) == len(values) and all(map(fits, values, wanted.values())):
            with suppress(Exception):  # It is not of this method, say.
                found[name] = said(partial(one, **dict(zip(wanted, values, strict=True))))
    return found


@cache
def functions(room: str) -> list[tuple[str, Callable[..., Any], dict[str, Any]]]:
    """The public functions of a room, with the types of what each has to be given."""
    found = []
    for module in modules(room):
        for name, one in vars(module).items():
            own = isinstance(one, FunctionType) and one.__module__ == module.__name__
            if own and name[0] != "_":
                with suppress(NameError, TypeError):  # Of a type that type checkers alone know.
                    hints, given = get_type_hints(one), signature(one).parameters.values()
                    wanted = {x.name: hints[x.name] for x in given if x.default is x.empty}
                    found.append((name, one, wanted))
    return found


def fits(value: Any, kind: Any) -> bool:
    """Whether a value is of a type, or of one of several; what a list holds is not looked at."""
    kinds = get_args(kind) if isinstance(kind, UnionType) else (kind,)
    if isinstance(value, float | int | str | None):
        return type(value) in kinds
    origins = [one for one in map(get_origin, kinds) if isinstance(one, type)]
    return any(one in type(value).__mro__[:-1] for one in kinds) or isinstance(value, (*origins,))


def answered(module: str, call: str) -> Any:
    """What a call gives, as JSON, or why it refuses."""
    own = vars(import_module(f"labelcore.{module}"))
    return said(lambda: eval(call, names() | own | given()))


def said(work: Callable[[], Any]) -> Any:
    try:
        return told(work())
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        if not (extract_tb(error.__traceback__)[-1].line or "").startswith("raise"):
            raise  # Not refused by the product.
        return f"{type(error).__name__}: {error}"


def told(value: Any) -> Any:
    match value:
        case None | bool() | str() | int() if not isinstance(value, Enum):
            return value
        case float():
            return float(f"{value:.9g}") if isfinite(value) else str(value)
        case np.generic():
            return told(value.item())
        case np.ndarray() if value.size > MOST_NUMBERS and value.dtype.kind in "biuf":
            weights = 2 + np.cos(np.arange(value.size))
            return [*value.shape, told(np.nan_to_num(value.ravel()) @ weights)]
        case np.ndarray():
            return told(value.tolist())
        case pd.DataFrame():
            return {name: told(value[name].to_numpy()) for name in value}
        case Mapping():
            return {str(name): told(one) for name, one in value.items()}
        case Set():
            return sorted((told(one) for one in value), key=str)
        case Sequence() if len(value) > MOST_NUMBERS:
            return [len(value), crc32(str([told(one) for one in value]).encode())]
        case Sequence() | Iterator():
            return [told(one) for one in value]
        case _ if is_dataclass(value) and not isinstance(value, type):
            shown = {name: getattr(value, name) for name in shown_of(type(value))}
            left_out = type(value), type(None)
            return {x: told(one) for x, one in shown.items() if type(one) not in left_out}
    return f"{value}" if isinstance(value, Enum) else type(value).__name__


def shown_of(kind: type) -> list[str]:
    """The public fields and properties of a class."""
    properties = [
        name
        for one in kind.__mro__
        for name, value in vars(one).items()
        if isinstance(value, property | cached_property)
    ]
    return [name for name in [*(one.name for one in fields(kind)), *properties] if name[0] != "_"]


def same(kept: Any, found: Any) -> bool:
    if isinstance(kept, dict) and isinstance(found, dict):
        return kept.keys() == found.keys() and all(same(kept[one], found[one]) for one in kept)
    if isinstance(kept, list) and isinstance(found, list):
        return len(kept) == len(found) and all(map(same, kept, found))
    if {type(kept), type(found)} <= {int, float}:
        return bool(found == pytest.approx(kept, rel=CLOSE, abs=1e-9))
    return type(kept) is type(found) and bool(kept == found)


@pytest.mark.parametrize("module", CALLS)
def test_what_is_called_answers_as_before(module: str) -> None:
    compare(module, CALLS, FILE)


def compare(module: str, calls: dict[str, dict[str, Any]], file: Path) -> None:
    found = {call: answered(module, call) for call in calls[module]}
    if "LABELCORE_PIN" in os.environ:
        calls[module] = found
        write(calls, file)
    other = {call: (kept, found[call]) for call, kept in calls[module].items()
             if not same(kept, found[call])}  # fmt: skip
    assert not other, (ANEW, *[*other.items()][:5])


def write(calls: dict[str, dict[str, Any]], file: Path) -> None:
    """One line for each call."""
    line = partial(json.dumps, ensure_ascii=False)
    parts = [
        f"{line(module)}: {{\n"
        + ",\n".join(f"{line(call)}: {line(answer)}" for call, answer in some.items())
        + "\n}"
        for module, some in calls.items()
    ]
    file.write_text("{\n" + ",\n".join(parts) + "\n}\n", "utf-8")
