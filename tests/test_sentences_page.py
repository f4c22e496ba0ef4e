"""What is generated from the tables of the package is fresh."""

import ast
import re
from pathlib import Path

import pytest

from docs.make_sentences import MADE
from docs.spoken import EXAMPLES, spoken
from labelcore import promises
from labelcore.words import differences, sentences


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_generated_file_is_fresh(root: Path, name: str) -> None:
    there = (root / name).read_text("utf-8")
    assert there == MADE[name](), f"{name} is stale: run python -m docs.make_sentences"


def test_every_state_is_on_the_page_with_an_example(root: Path) -> None:
    found = {one.template: one.example() for one in spoken(root / "labelcore", ("words",))}
    for template in (*sentences.STATES.values(), *differences.STATES.values()):
        assert "{" not in found[template] and EXAMPLES["scope"] in found[template]


def test_what_a_source_says_and_nothing_else_is_found(tmp_path: Path) -> None:
    path = tmp_path / "words" / "said.py"
    path.parent.mkdir()
    path.write_text(
        '"""Not this docstring of a module."""\n'
        'SAID: dict[str, str] = {"key": "The share is {value} of all."}\n'
        "def said(n):\n"
        '    """Not this docstring of a function."""\n'
        "    if not n:\n"
        '        raise ValueError("not this error of a function")\n'
        '    return f"There are {n + 1:,} of these items."\n',
        "utf-8",
    )
    assert [(one.file, one.place, one.example()) for one in spoken(tmp_path)] == [
        ("words/said.py", "SAID", "The share is 91.4 % of all."),
        ("words/said.py", "said", "There are [n + 1] of these items."),
    ]


ENUMS = {name for name, one in vars(promises).items() if isinstance(one, type)}
WORDED = re.compile(rf"\b(?:{'|'.join(ENUMS)})\.\w+:\s*\(?\s*\w?[\"']")


def worded_outside(package: Path) -> list[str]:
    """Tables from a state or promise to words that lie elsewhere than in words."""
    found = []
    for path in sorted(package.rglob("*.py")):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if WORDED.search(text) else ():
            match node:
                case ast.Dict(
                    keys=[ast.Attribute(value=ast.Name(id=name)), *_],
                    values=[ast.Constant(value=str()), *_],
                ) if name in ENUMS and path.parent.name != "words":
                    found.append(f"{path.relative_to(package)}:{node.lineno}")
    return found


def test_tables_of_words_lie_in_words(root: Path, tmp_path: Path) -> None:
    assert worded_outside(root / "labelcore") == []
    (tmp_path / "ui").mkdir()
    (tmp_path / "ui" / "bad.py").write_text('STATUS = {Status.OPEN: "still open"}\n', "utf-8")
    assert worded_outside(tmp_path) == ["ui/bad.py:1"]
