"""New project, step 1: a value taken from inside a record, and which of a judge's verdicts pass."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from labelcore.charts.nodes import Node, node
from labelcore.population.tree import Branch, Tree
from labelcore.safe_text import one_line, plain
from labelcore.ui.asking import current
from labelcore.ui.draft import Draft
from labelcore.ui.drawing import draw
from labelcore.ui.new_columns import NO_COLUMN
from labelcore.ui.presses import button

TAKE = "Take a value from inside a record"
PRESS = "The first record. Press what you need."
SHOWN, VERDICT, SCORE = "shown", "a judge's verdict", "a judge's score"
SYSTEM, PROMPT, KEY = "the system", "the same prompt", "the id"
USES = (SHOWN, VERDICT, SCORE, SYSTEM, PROMPT, KEY)
EMPTY = "empty"
MOST_TOLD = 4


def pick(tree: Tree, use: Callable[[str, str], None]) -> None:
    """The record as a tree; ``use`` is called with the path pressed and what it is taken for."""
    now = current()
    st.caption(PRESS)
    lines = [_line(branch, tree, now.picked) for branch in tree.branches]
    drawn = node("div", *lines, klass="lc-tree")
    draw("new-tree", "tree", drawn, partial(_pressed, [branch.path for branch in tree.branches]))
    if now.picked is not None:
        st.markdown(plain(f"{one_line(now.picked, 80)} is"))
        with st.container(horizontal=True, key="new-use"):
            for place, what in enumerate(USES):
                button(what, f"new-use-{place}", _used, now, use, what)


def _used(now: Draft, use: Callable[[str, str], None], what: str) -> None:
    if now.picked is not None:
        use(now.picked, what)
        now.picked = None


def _pressed(paths: Sequence[str], path: str) -> None:
    if path in paths:
        current().take("picked", path)


def _line(branch: Branch, tree: Tree, picked: str | None) -> Node:
    step = node("span", one_line(branch.step, 60), klass="lc-step",
                style=f"padding-inline-start: {branch.depth}rem")  # fmt: skip
    value = node("span", one_line(branch.value, 60), klass="lc-value")
    covered = node("span", coverage(branch, tree), klass="lc-covered")
    pressed = "true" if branch.path == picked else "false"
    return node("button", step, value, covered, data_figure=branch.path, aria_pressed=pressed)


def coverage(branch: Branch, tree: Tree) -> str:
    """In how many lines something lies at a path, and in how many two things do.

    >>> coverage(Branch("a", "a", 0, "x", 2790), Tree((), 2797, False, {}))
    'in 2,790 of 2,797 lines'
    >>> coverage(Branch("a", "a", 0, "x", 9, 3), Tree((), 9, True, {}))
    'in all of the first 9 lines, twice in 3'
    """
    of = f"{'the first ' if tree.more else ''}{tree.records:,} lines"
    whole = branch.lines == tree.records
    share = f"in all {'of ' if tree.more else ''}{of}" if whole else f"in {branch.lines:,} of {of}"
    return f"{share}, twice in {branch.twice:,}" if branch.twice else share


def take_for(now: Draft, names: Sequence[str], content: Sequence[str], groups: Sequence[str],
             rows: int, path: str, what: str) -> None:  # fmt: skip
    """Let the draft use a path as it was said."""
    if path not in names:
        now.paths = [*now.paths, path]
    if what == SHOWN:
        now.take("content", [*content, path])
    elif what in (VERDICT, SCORE):
        now.take("number", rows + 1)
        for kind, holds in (("prediction", VERDICT), ("score", SCORE)):
            now.take(kind, path if what == holds else NO_COLUMN, str(rows))
        now.take("name", path.rpartition(".")[0] or path, str(rows))
    elif what == SYSTEM:
        now.take("groups", list(dict.fromkeys([*groups, path])))
    elif what == PROMPT:
        now.take("prompt", path)
    else:
        now.take("id", path)


def verdict_words(counts: Mapping[str, int]) -> dict[str, str]:
    """The verdicts of a judge, each with how often it is given."""
    return {value: f"{value.strip() or EMPTY} ({count:,})" for value, count in counts.items()}


def passing_words(name: str, counts: Mapping[str, int], passing: Sequence[str]) -> str:
    """What counts as passed, and what does not.

    >>> passing_words("judge", {"pass": 1800, "fail": 950, "ERROR": 40, "": 7}, ["pass"])
    'judge: pass counts as passed, all else does not: fail (950), ERROR (40), empty (7).'
    """
    passes = ", ".join(one_line(value, 30) or EMPTY for value in passing) or "nothing"
    others = [f"{one_line(value, 30) or EMPTY} ({number:,})"
              for value, number in counts.items() if value not in passing]  # fmt: skip
    rest = ", ".join(others[:MOST_TOLD]) or "nothing"
    return f"{one_line(name, 40)}: {passes} counts as passed, all else does not: {rest}."
