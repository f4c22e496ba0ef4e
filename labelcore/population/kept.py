"""What follows from a population, made once for all that ask for it.

A kind of value has its own home here: ``Kept`` gives the one of a population, which lives as long
as that does, and ``Recent`` keeps what was asked for last of values that depend on more. Such a
value must not hold the population itself, or neither would ever go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from threading import Lock
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakKeyDictionary

import numpy as np

Value = TypeVar("Value")
MOST_BYTES = 1 << 27


class Kept(Generic[Value]):
    """A value of one kind for each population; ``make`` gives an empty one."""

    kinds: ClassVar[list[Kept[Any]]] = []

    def __init__(self, make: Callable[[], Value]) -> None:
        self._make, self._of = make, WeakKeyDictionary[object, Value]()
        self.kinds.append(self)

    def of(self, population: object) -> Value:
        value = self._of.get(population)
        return self._of.setdefault(population, self._make()) if value is None else value

    @classmethod
    def let_go(cls, population: object) -> None:
        """Forget those of every kind of a population."""
        for kind in cls.kinds:
            kind._of.pop(population, None)


class Recent(Generic[Value]):
    """Values by what they follow from: those asked for last, up to a number of bytes of arrays.

    most   so many bytes; the value asked for last is kept whatever it takes
    """

    def __init__(self, most: int = MOST_BYTES) -> None:
        self._most, self._lock = most, Lock()
        self._kept: list[tuple[object, Value, int]] = []

    def get(self, key: object, make: Callable[[], Value]) -> Value:
        """The value of a key, which is told by ``==``; made where it is not there."""
        value = self.there(key)
        return self.put(key, make()) if value is None else value

    def there(self, key: object) -> Value | None:
        with self._lock:
            for place, entry in enumerate(self._kept):
                if entry[0] == key:
                    self._kept.append(self._kept.pop(place))
                    return entry[1]
        return None

    def put(self, key: object, value: Value) -> Value:
        """Keep a value that is there already; nobody may change an array."""
        if isinstance(value, np.ndarray):
            value.setflags(write=False)
        with self._lock:
            self._kept.append((key, value, array_bytes(value)))
            while len(self._kept) > 1 and sum(entry[2] for entry in self._kept) > self._most:
                del self._kept[0]
        return value


@dataclass(frozen=True, eq=False)
class Same:
    """A key that is equal only to one of the very same thing."""

    one: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.one is self.one

    def __hash__(self) -> int:
        return id(self.one)


def array_bytes(value: object) -> int:
    """What the arrays in a value take.

    >>> array_bytes((np.zeros(3), {"a": np.zeros(2, dtype=np.int8)}, "text"))
    26
    """
    if isinstance(value, np.ndarray):
        return value.nbytes
    if isinstance(value, Mapping):
        return sum(map(array_bytes, value.values()))
    if isinstance(value, (tuple, list)):
        return sum(map(array_bytes, value))
    if is_dataclass(value):
        return sum(array_bytes(getattr(value, field.name)) for field in fields(value))
    return 0
