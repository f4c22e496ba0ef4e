"""Which classes a file has, which of them is positive, and predictions as indices of classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from labelcore.population.arrays import let_pages_go, room
from labelcore.population.text import as_text, listing
from labelcore.stats.orders import narrow

RESERVED = ("unsure", "later", "broken")
USUAL = ("yes", "1")
"""What is called positive by itself."""
TWO_CLASSES = ("no", "yes")
Codes = NDArray[np.signedinteger[Any]]
"""(n_items,), the class of each item as its index, in the smallest type that holds all."""
LEFT_OVER = ("other", "others", "none", "nothing", "normal", "negative", "neg", "no", "false", "0")
DENIALS = ("no ", "not ", "not_", "non-", "non_", "non ", "kein ", "keine ", "nicht ")
"""Before the name of a class: that it is not of it."""
MOST_FOUND = 1000
WITH_POINT = re.compile(r"-?\d+\.0")
MOST_GIVEN = np.iinfo(np.int16).max
ZERO_ONE: Mapping[str, int] = {
    **dict.fromkeys(("0", "0.0", "False", "false", "FALSE"), 0),
    **dict.fromkeys(("1", "1.0", "True", "true", "TRUE"), 1),
}


@dataclass(frozen=True, slots=True)
class PredictionColumn:
    """A column of class names or 0/1: the distinct texts, and the place of each row's text.

    values: (n_values,) text; places: (n_items,) indices into values.
    """

    values: tuple[str, ...]
    places: NDArray[np.int32]

    @classmethod
    def from_column(cls, column: pa.ChunkedArray) -> PredictionColumn:
        """From a column of any type, some rows at a time."""
        place_of: dict[str, int] = {}
        places, first = room(len(column), np.int32), 0
        for chunk in column.chunks:
            encoded = pc.dictionary_encode(_encodable(chunk), null_encoding="encode")
            texts = as_text(pa.chunked_array([encoded.dictionary])).to_pylist()
            table = [place_of.setdefault(text, len(place_of)) for text in texts]
            codes = encoded.indices.to_numpy(zero_copy_only=False)
            places[first : first + len(chunk)] = np.array(table, dtype=np.int32)[codes]
            first += len(chunk)
        let_pages_go()
        return cls(tuple(place_of), places)

    @property
    def names(self) -> set[str]:
        """The distinct values that are not blank."""
        return {value for value in self.values if value.strip()}

    def indices(self, classes: Sequence[str], positive: str) -> Codes:
        """(n_items,) index into classes; -1 for a value that is none of them."""
        table = [class_index(value, classes, positive) for value in self.values]
        return narrow(np.array([*table, -1]), len(classes))[self.places]

    def passing(self, values: Sequence[str], *, blank: bool = True) -> PredictionColumn:
        """As a column of 0/1: 1 for these values. ``blank``: 0 for an empty one, too."""
        passes = {*map(whole, values)}
        answers = ["1" if whole(text) in passes else "" if not (blank or text.strip()) else "0"
                   for text in self.values]  # fmt: skip
        return replace(self, values=tuple(answers))

    def nearly(self, values: Sequence[str]) -> list[str]:
        """The names that differ from one of these values by capitals or spaces only."""
        known, alike = {*map(whole, values)}, {*map(same, values)}
        return sorted(n for n in self.names if same(n) in alike and whole(n) not in known)


def _encodable(chunk: pa.Array) -> pa.Array:
    """Values whose texts are those of their different ones; others as texts."""
    kind = chunk.type
    plain = pa.types.is_integer(kind) or pa.types.is_string(kind) or pa.types.is_boolean(kind)
    return chunk if plain else as_text(pa.chunked_array([chunk])).combine_chunks()


def class_index(value: str, classes: Sequence[str], positive: str) -> int:
    """A class name, or for two classes 0/1/False/True; -1 for anything else."""
    for name in (value, whole(value), f"{value}.0"):
        if name in classes and whole(name) == whole(value):
            return classes.index(name)
    if len(classes) == 2 and value in ZERO_ONE:
        positive_index = classes.index(positive)
        return positive_index if ZERO_ONE[value] else 1 - positive_index
    return -1


def whole(name: str) -> str:
    """A whole number as it is written in a column without gaps; another name as it is.

    >>> whole("4.0"), whole("4"), whole("v4.0")
    ('4', '4', 'v4.0')
    """
    return name.removesuffix(".0") if WITH_POINT.fullmatch(name) else name


def same(name: str) -> str:
    """What names share that differ by capitals, or by spaces around them, only."""
    return name.strip().casefold()


def find_classes(
    columns: Sequence[PredictionColumn], known: PredictionColumn | None = None
) -> tuple[str, ...]:
    """The default classes: ("no", "yes") for 0/1 or no predictions, else the names, sorted. Where
    there are more than two, those that only ``known`` answers have are among them.

    A column of 0/1 beside one that holds two names is taken as a code for those names, and "4.0"
    beside "4" as the same number.
    """
    binary = [column.names for column in columns if column.names <= ZERO_ONE.keys()]
    named = [column.names for column in columns if not column.names <= ZERO_ONE.keys()]
    names = set().union(*named)
    if not names or names <= set(TWO_CLASSES):
        return TWO_CLASSES
    if len(names) != 2 or names & ZERO_ONE.keys():
        names = names.union(*binary)
    if known is not None and len(names) > 2:
        names = names | known.names
    return tuple(sorted(name for name in names if name == whole(name) or whole(name) not in names))


def choose_positive(classes: Sequence[str], positive: str | None) -> str:
    """The one given, else "yes", else "1", else the last class."""
    if positive is not None:
        return positive
    return next((name for name in USUAL if name in classes), classes[-1])


def passed_over(classes: Sequence[str], positive: str) -> str | None:
    """The class that is "yes" or "1" but for capitals or spaces, where another was chosen. It is
    named and not taken: what stored projects draw rests on the choice.

    >>> passed_over([" yes", "no"], "no"), passed_over(["No", "Yes"], "Yes")
    (' yes', None)
    """
    near = [name for name in classes if same(name) in USUAL]
    return None if positive in near or not near else near[0]


def sought(classes: Sequence[str], positive: str) -> str:
    """The one class that is not called like what is left; ``positive`` if they are not one.

    >>> sought(["Beschwerde", "keine Beschwerde"], "keine Beschwerde")
    'Beschwerde'
    >>> sought(["fine", "other"], "other"), sought(["ham", "spam"], "spam")
    ('fine', 'spam')
    """
    denied = [f"{no}{name.casefold()}" for name in classes for no in DENIALS if name.strip()]
    names = [name for name in classes if name.casefold() not in (*LEFT_OVER, *denied)]
    return names[0] if len(names) == 1 else positive


def broken_class_rules(classes: Sequence[str], positive: str | None, found: bool) -> list[str]:
    """Sentences for what is wrong with the classes; ``found`` when the file named them."""
    origin = "the predictions hold" if found else "classes must"
    rules = []
    if len(classes) < 2:
        only = f"only the class {listing(classes)}; name all in classes"
        rules.append(f"{origin} {only if found else 'name two or more'}")
    if found and (len(classes) > MOST_FOUND or _look_like_scores(classes)):
        rules.append(
            f"{origin} {len(classes):,} different values such as {listing(classes[:3])}: is this "
            "a column of scores? A prediction is a class name or 0/1"
        )
    alike = Counter(map(same, classes)) if found else {}
    if several := [name for name in classes if alike.get(same(name), 0) > 1][:MOST_FOUND]:
        rules.append(
            f"{origin} {listing(several)}, which differ by capitals or spaces only: write each "
            "class in one way, or name all in classes"
        )
    if not found and len(classes) > MOST_GIVEN:
        rules.append(f"{origin} be at most {MOST_GIVEN:,} names, got {len(classes):,}")
    if not found and (twice := [name for name, times in Counter(classes).items() if times > 1]):
        rules.append(f"{origin} name each class once, got {listing(twice)} twice or more")
    if not found and "" in classes:
        rules.append(f"{origin} be names that are not empty, got {listing(classes)}")
    if reserved := [name for name in classes if name in RESERVED]:
        rules.append(
            f"a class must not be called {listing(reserved)}: {listing(RESERVED)} are answers "
            "with a meaning of their own"
        )
    if positive is not None and positive not in classes:
        rules.append(f"positive must be one of the classes {listing(classes)}, got {positive!r}")
    return rules


def grades_of(classes: Sequence[str]) -> NDArray[np.float64] | None:
    """The numbers of more than two classes that are all numbers, (n_classes,): grades, such as 1 to
    5; None for others.

    >>> grades_of(("1", "2.5", "5")).tolist(), grades_of(("no", "yes")), grades_of(("1", "2", "x"))
    ([1.0, 2.5, 5.0], None, None)
    """
    try:
        numbers = np.array([float(name) for name in classes])
    except ValueError:
        return None
    known = len(numbers) > 2 and np.isfinite(numbers).all() and len({*numbers}) == len(numbers)
    return numbers if known else None


def _look_like_scores(classes: Sequence[str]) -> bool:
    """All numbers, and not all whole: scores named as predictions by mistake."""
    try:
        numbers = [float(name) for name in classes]
    except ValueError:
        return False
    return not all(number.is_integer() for number in numbers)
