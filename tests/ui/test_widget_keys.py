"""The key of a widget is known to the module that draws it, and to no other."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

# How the keys of a page's widgets begin, and the module that may say so of all of them.
PAGES = {"new-": "asking.py", "compare-": "planners.py"}
STEM = re.compile(r"[a-z]+(-[a-z]+)+")


def heads(tree: ast.AST) -> Iterator[str]:
    """Each text of a module up to its first placeholder; an f-string is one text."""
    inside = {part for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)
              for part in node.values}  # fmt: skip
    for node in ast.walk(tree):
        match node:
            case ast.JoinedStr(values=[ast.Constant(value=str(text)), *_]):
                yield text
            case ast.Constant(value=str(text)) if node not in inside:
                yield text


def keys(tree: ast.AST) -> Iterator[str]:
    """The keys that a module gives to widgets as they are written."""
    for node in ast.walk(tree):
        match node:
            case (
                ast.keyword(arg="key", value=value)
                | ast.Call(func=ast.Name(id="button"), args=[_, value, *_])
                | ast.Call(func=ast.Name(id="draw"), args=[value, *_])
            ):
                yield from heads(value)


def stem(text: str) -> str | None:
    """What is written of a key before its first placeholder; None for anything else.

    >>> stem("new-budget-"), stem("new-aim"), stem("new-"), stem("No key - at all")
    ('new-budget', 'new-aim', None, None)
    """
    found = text.removesuffix("-")
    return found if STEM.fullmatch(found) else None


def faults(folder: Path) -> list[str]:
    """Stems in more than one module, and the beginning of a page's keys in a module not its own."""
    trees = {
        path.relative_to(folder).as_posix(): ast.parse(path.read_text("utf-8"))
        for path in sorted(folder.rglob("*.py"))
    }
    given = {stem(text) for tree in trees.values() for text in keys(tree)}
    writers: dict[str, set[str]] = defaultdict(set)
    found = []
    for name, tree in trees.items():
        for text in heads(tree):
            if text in PAGES and name != PAGES[text]:
                found.append(f"{name} writes the keys of a page: {text}")
            word = stem(text)
            if word is not None and (word in given or text.startswith(tuple(PAGES))):
                writers[word].add(name)
    several = {word: sorted(names) for word, names in writers.items() if len(names) > 1}
    return found + [f"{word}: {', '.join(names)}" for word, names in sorted(several.items())]


def test_a_key_is_written_in_one_module_only(root: Path) -> None:
    assert faults(root / "labelcore" / "ui") == []


def test_a_choice_that_begins_with_something_cannot_be_emptied(root: Path) -> None:
    """Pressed once more, what is chosen would be nothing, which no page expects."""
    calls = [
        {one.arg: ast.unparse(one.value) for one in node.keywords}
        for path in (root / "labelcore").rglob("*.py")
        if "segmented_control" in (text := path.read_text("utf-8"))
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "st.segmented_control"
    ]
    beginning = [call for call in calls if "default" in call]
    assert len(beginning) > 2 and {call.get("required") for call in beginning} == {"True"}


@pytest.mark.parametrize(
    ("name", "text", "fault"),
    [
        ("other.py", "st.session_state['new-budget'] = 1", "new-budget: goal.py, other.py"),
        ("other.py", "kept = f'new-budget-{size}-{first}'", "new-budget: goal.py, other.py"),
        ("other.py", "WAY = 'new-way'", "new-way: goal.py, other.py"),
        ("other.py", "kept = {'cut-rank': 3}", "cut-rank: goal.py, other.py"),
        ("deep/other.py", "kept = f'new-{name}'", "deep/other.py writes the keys of a page: new-"),
    ],
)
def test_a_key_of_another_module_is_reported(
    tmp_path: Path, name: str, text: str, fault: str
) -> None:
    drawn = "WAY = 'new-way'\nst.button('x', key='cut-rank')\nst.button(f'new-budget-{size}')\n"
    (tmp_path / "goal.py").write_text(drawn, "utf-8")
    assert faults(tmp_path) == []
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(text, "utf-8")
    assert faults(tmp_path) == [fault]
