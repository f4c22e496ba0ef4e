"""What stays the same until somebody changes it on purpose: ``LABELCORE_PIN=1`` writes it anew."""

import json
import math
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest

CLOSE = 1e-7
"""Numbers that are as near agree: solvers end at 1e-9, and another processor's last digits may let
them end a step sooner or later."""


def stays(file: str, name: str, found: dict[str, Any]) -> None:
    """Fails unless ``found`` is what ``tests/data/FILE.json`` has of this name."""
    path = Path(__file__).parent / "data" / f"{file}.json"
    known = json.loads(path.read_text("utf-8"))
    if "LABELCORE_PIN" in os.environ:
        known[name] = found
        path.write_text(json.dumps(known, indent=0, sort_keys=True) + "\n", "utf-8")
    kept = known[name]
    assert found.keys() == kept.keys()
    for one, lines in kept.items():
        words = isinstance(lines[0], str)
        same = found[one] == (lines if words else pytest.approx(lines, rel=CLOSE))
        parts = (x.split("|") if isinstance(x, str) else x for x in (lines, found[one]))
        other = [pair for pair in zip_longest(*parts) if pair[0] != pair[1]]
        assert same, (one, *other[:5])


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
