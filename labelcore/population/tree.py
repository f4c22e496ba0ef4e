"""A record as a tree of paths, and in how many records each of them leads to a value."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from labelcore.population.json_text import cell_text
from labelcore.population.paths import decoded, joined, naming, value_at

MOST_LEAVES, MOST_IN_LIST, DEEPEST = 80, 6, 6
LONGEST_VALUE = 60
MOST_COUNTED = 50_000
"""Records that are looked at."""
MOST_VALUES = 40


@dataclass(frozen=True)
class Branch:
    """A line of the tree.

    path, step   the way from the record, and its last step
    depth        how many steps before it
    value        what lies there, shortened; "" where more lies within
    lines        in how many records something lies there
    twice        in how many of them several named alike say different things
    """

    path: str
    step: str
    depth: int
    value: str
    lines: int = 0
    twice: int = 0


@dataclass(frozen=True)
class Tree:
    """The first record, of ``records`` that were looked at; ``more``: there are others.

    values   column -> its different values and how often each is there, the frequent ones first
    """

    branches: tuple[Branch, ...]
    records: int
    more: bool
    values: Mapping[str, Mapping[str, int]]


def tree_of(records: Iterable[Mapping[str, Any]], columns: Sequence[str] = ()) -> Tree:
    """The tree of the first record, with what all of them have there.

    >>> said = [{"s": [{"name": "a", "v": n}], "t": "x"} for n in (1, 2)] + [{"t": "y"}]
    >>> found = tree_of(said, ["t"])
    >>> [(one.path, one.lines) for one in found.branches]
    [('s', 2), ('s[name=a]', 2), ('s[name=a].name', 2), ('s[name=a].v', 2), ('t', 3)]
    >>> found.values
    {'t': {'x': 2, 'y': 1}}
    """
    every = iter(records)
    first = next(every, {})
    branches = list(islice(_below(first, "", 0), MOST_LEAVES))
    lines, twice = Counter[str](), Counter[str]()
    values: dict[str, Counter[str]] = {name: Counter() for name in columns}
    number = 0
    for record in _with(first, islice(every, MOST_COUNTED - 1)):
        number += 1
        for branch in branches:
            lines[branch.path] += value_at(record, branch.path) not in (None, "")
            twice[branch.path] += "=" in branch.step and _differ(record, branch.path)
        for name, counts in values.items():
            counts[cell_text(value_at(record, name))] += 1
    with_counts = (
        replace(branch, lines=lines[branch.path], twice=twice[branch.path]) for branch in branches
    )
    kept = {name: dict(counts.most_common(MOST_VALUES)) for name, counts in values.items()}
    return Tree(tuple(with_counts), number, next(every, None) is not None, kept)


def _with(first: Mapping[str, Any], others: Iterator[Any]) -> Iterator[Mapping[str, Any]]:
    if first:
        yield first
        yield from others


def _below(node: Any, path: str, depth: int) -> Iterator[Branch]:
    if isinstance(node, str):
        node = decoded(node)
    for step, inner in _steps(node) if depth < DEEPEST else ():
        here = joined(path, step) if path else step
        within = decoded(inner) if isinstance(inner, str) else inner
        leaf = not isinstance(within, (Mapping, list)) or not within
        yield Branch(here, step, depth, cell_text(inner)[:LONGEST_VALUE] if leaf else "")
        yield from _below(within, here, depth + 1)


def _steps(node: Any) -> Iterator[tuple[str, Any]]:
    """By name where the objects of a list have one; the last of the others is [-1]."""
    if isinstance(node, Mapping):
        yield from ((name, inner) for name, inner in node.items() if name)
    elif isinstance(node, list) and (key := naming(node)) is not None:
        yield from {f"[{key}={record[key]}]": record for record in reversed(node)}.items()
    elif isinstance(node, list):
        last = len(node) - 1
        for place in [*range(min(last, MOST_IN_LIST)), last] if node else ():
            yield f"[{-1 if place == last else place}]", node[place]


def _differ(record: Mapping[str, Any], path: str) -> bool:
    """Whether a list has several objects of the name at the end of a path, which are not equal."""
    above, _, step = path.rpartition("[")
    key, _, name = step[:-1].partition("=")
    value = value_at(record, above)
    some = value if isinstance(value, list) else []
    alike = [row for row in some if isinstance(row, Mapping) and str(row.get(key)) == name]
    facts = [{k: v for k, v in row.items() if not k.lower().endswith("id")} for row in alike]
    return any(fact != facts[0] for fact in facts)
