"""Where what a log has recorded differs from what is computed again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

TOLERANCE = 1e-9


def difference(recorded: Any, expected: Any, name: str = "") -> str:
    """Where two JSON values differ, in words; "" when they agree within ``TOLERANCE``.

    >>> difference({"low": 0.25}, {"low": 0.5})
    'low is 0.25 in the log and 0.5 when computed again'
    >>> difference({"low": 0.5}, {"low": 0.5 + 1e-12})
    ''
    """
    if isinstance(expected, Mapping) and isinstance(recorded, Mapping):
        for key in [*expected, *(key for key in recorded if key not in expected)]:
            here = f"{name}, {key}" if name else str(key)
            if (key in recorded) != (key in expected):
                return f"{here} is {'missing in' if key in expected else 'only in'} the log"
            found = difference(recorded[key], expected[key], here)
            if found:
                return found
        return ""
    if _same(recorded, expected):
        return ""
    return f"{name or 'it'} is {recorded!r} in the log and {expected!r} when computed again"


def _same(recorded: Any, expected: Any) -> bool:
    numbers = (int, float)
    if isinstance(recorded, bool) or isinstance(expected, bool):
        return recorded is expected
    if isinstance(recorded, numbers) and isinstance(expected, numbers):
        return abs(recorded - expected) <= TOLERANCE
    return type(recorded) is type(expected) and bool(recorded == expected)
