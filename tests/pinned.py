"""What stays the same until somebody changes it on purpose: ``LABELCORE_PIN=1`` writes it anew."""

import json
import math
import os
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

DATA = Path(__file__).parent / "data"
ANEW = "if this is as it should be, LABELCORE_PIN=1 and this test alone write it anew"
CLOSE = 1e-7
"""Numbers that are as near agree: solvers end at 1e-9, and another processor's last digits may let
them end a step sooner or later."""


def stays(file: str, name: str, found: dict[str, Any]) -> None:
    """Fails unless ``found`` is what ``tests/data/FILE.json`` has of this name."""
    path = DATA / f"{file}.json"
    known = json.loads(path.read_text("utf-8"))
    if "LABELCORE_PIN" in os.environ:
        known[name] = found
        path.write_text(json.dumps(known, indent=0, sort_keys=True) + "\n", "utf-8")
    kept = known.get(name, {})
    assert found.keys() == kept.keys(), ANEW
    for one, lines in kept.items():
        words = isinstance(lines[0], str)
        same = found[one] == (lines if words else pytest.approx(lines, rel=CLOSE))
        parts = (x.split("|") if isinstance(x, str) else x for x in (lines, found[one]))
        other = [pair for pair in zip_longest(*parts) if pair[0] != pair[1]]
        assert same, (ANEW, one, *other[:5])


@lru_cache
def kept_in(file: str) -> dict[str, dict[str, Any]]:
    """What ``tests/data/FILE.json`` holds, a line for each case: what is given, what is found."""
    return dict(json.loads((DATA / f"{file}.json").read_text("utf-8")))


def cases(file: str) -> dict[str, Any]:
    """What is given in each case; a new one is a line without anything found."""
    return {name: case["given"] for name, case in kept_in(file).items()}


def holds(file: str, name: str, found: Any) -> None:
    """Fails unless the case of this name has ``found``, any JSON."""
    known = kept_in(file)
    case = known.get(name, {"given": None})
    if "LABELCORE_PIN" in os.environ:
        case = known[name] = case | {"found": found}
        lines = (f"{json.dumps(key)}: {json.dumps(known[key])}" for key in sorted(known))
        (DATA / f"{file}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
    pairs = list(zip_longest(_leaves(case.get("found")), _leaves(found)))
    other = [pair for pair in pairs if pair[0] != pair[1] and not _close(*pair)]
    assert not other, (ANEW, name, *other[:5])


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """All that lies in a tree of JSON, by the way to it, and how much lies in each part."""
    if isinstance(value, dict | list):
        yield path, len(value)
        pairs = value.items() if isinstance(value, dict) else enumerate(value)
        for name, one in pairs:
            yield from _leaves(one, f"{path}/{name}")
    else:
        yield path, value


def _close(one: Any, other: Any) -> bool:
    """Whether two leaves are numbers that agree."""
    same = None not in (one, other) and one[0] == other[0]
    return same and all(isinstance(leaf[1], float) for leaf in (one, other)) and math.isclose(
        one[1], other[1], rel_tol=CLOSE, abs_tol=1e-12
    )  # fmt: skip


def or_refused(found: Callable[[], Any]) -> Any:
    """What is found, or all that is said against it."""
    try:
        return found()
    except (ValueError, TypeError, OSError) as error:
        return [str(one) for one in getattr(error, "faults", [error])]


def numbers(value: Any, path: str = "") -> Iterator[tuple[str, float]]:
    """Those in a tree of JSON, by the names on the way to them."""
    if isinstance(value, dict | list):
        pairs = value.items() if isinstance(value, dict) else (("", one) for one in value)
        for name, one in pairs:
            yield from numbers(one, f"{path}/{name}" if name else path)
    elif isinstance(value, int | float):
        yield path, value


def summed(pairs: Iterable[tuple[str, float]]) -> dict[str, list[float]]:
    """Of each kind how many numbers there are, and a sum that feels each of them and its place."""
    kinds = defaultdict(list)
    for kind, number in pairs:
        kinds[kind].append(number)
    return {
        kind: [len(found), sum(one * (2 + math.cos(at)) for at, one in enumerate(found))]
        for kind, found in kinds.items()
    }
