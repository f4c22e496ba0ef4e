"""The sentences that stand in the source of the package, found in its syntax trees.

A sentence is a text of four words or more: in a table or a constant of a module or class, or made
within a function, where what is worked out stands as [expression]. Docstrings, errors and what is
no language (styles, scripts, statements of the store, names of types) are left out.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from string import Formatter
from typing import Any

FEWEST_WORDS = 4
ROOMS = (
    *("words", "estimands.py", "promises.py", "plan", "results", "figures", "designs", "planning"),
    *("session", "replay", "trials", "charts", "report", "cli", "ui"),
    "papers",
)
SCRIPTS = {"SCRIPT", "STYLE"}
NO_LANGUAGE = {"scripts.py", "message_texts.py", "picture.py"}


SURE = "95 % confidence, approximate, valid at every look"
EXAMPLES = {
    "scope": "For the 12,345 items in items.csv",
    "quantity": "precision (of the items that the classifier 'lr' calls 'spam', the share that "
    "human judgement calls so)",
    "classifier": "the classifier 'lr'",
    "positive": "spam",
    "value": "91.4 %",
    "low": "87.6 %",
    "high": "94.3 %",
    "labels": "212 labels",
    "promise": SURE,
    "confidence": "95 %",
    "valid": "valid at every look",
    "when": "valid at the planned 400 labels only",
    "due": "the planned 400 labels",
    "terms": f"An interval is shown from 40 labels on ({SURE}).",
    "begins": "from 40 labels on",
    "missing": "3 of 40 labels before a first figure",
    "margin": "5.0 points",
    "goal": "5.0 points",
    "of_goal": " of plus or minus 5.0 points",
    "guess": "'lr' is 3.1 points better in recall than 'svm'",
    "finding": "recall is 91.4 %, between 87.6 % and 94.3 %",
    "statement": "the precision of 'lr' for 'spam' is 75.0 % or more",
    "alpha": "0.05",
    "times": "34",
    "then": "34",
    "now": "12",
    "needed": "20",
    "chosen": "'top 400' (score 0.8125 and better)",
    "floor": "75.0 %",
    "wanted": "80.0 %",
    "share": "90.0 %",
    "form": ", strict",
    "left": ": 3 candidates are left",
    "head": "the first 400 items",
    "are": "are",
    "until": "400 labels",
    "together": "all ranks together",
    "planned": "400 labels",
    "first": "lr",
    "second": "svm",
    "name": "the precision of 'lr' for 'spam'",
    "alike": "91.4 % (87.0 % to 94.0 %)",
    "bounds": "between 80.0 % and 97.0 %",
    "reason": "too few second answers",
    "differing": "3",
    "repeated": "40",
    "people": "2 people",
    "items": "400",
    "number": "12",
    "enough": "20",
    "factor": "1.21",
    "upright": "as close at every rank",
    "range": "57 to 98",
    "measure": "recall",
    "worse": "1.3",
    "better": "4.5",
}


@dataclass(frozen=True, slots=True)
class Spoken:
    """One text: its file, the table or function that it stands in, and its template."""

    file: str
    place: str
    template: str
    filled: bool

    @property
    def fields(self) -> set[str]:
        """The names to be filled in."""
        return fields_of(self.template) if self.filled else set()

    def example(self) -> str:
        """The template with ``EXAMPLES`` in it, a field without one as [its name]."""
        if not self.fields:
            return self.template
        values = {name: _Shown(EXAMPLES.get(name, f"[{name}]")) for name in self.fields}
        return _ByName().vformat(self.template, (), values)


class _ByName(Formatter):
    """A field is its whole name: "plan.design=plain" is no attribute of anything."""

    def get_field(self, field_name: str, args: Any, kwargs: Any) -> Any:
        return kwargs[field_name], field_name


class _Shown(str):
    """A text that stands as it is whatever format is asked of it."""

    __slots__ = ()

    def __format__(self, spec: str) -> str:
        return str(self)


def fields_of(template: str) -> set[str]:
    """The names to be filled in; none of a formula, whose braces mean something else."""
    if "$" in template:
        return set()
    try:
        return {name for _, name, _, _ in Formatter().parse(template) if name}
    except ValueError:
        return set()


def spoken(package: Path, rooms: tuple[str, ...] = ROOMS) -> Iterator[Spoken]:
    """Every sentence of these rooms of the package, file by file."""
    for room in rooms:
        start = package / room
        for path in [start] if start.suffix else sorted(start.rglob("*.py")):
            if path.is_file() and path.name not in NO_LANGUAGE:
                tree = ast.parse(path.read_text("utf-8"))
                yield from _of_block(tree.body, str(path.relative_to(package)), "", True)


def _of_block(body: list[ast.stmt], file: str, place: str, outside: bool) -> Iterator[Spoken]:
    for statement in body:
        match statement:
            case (
                ast.FunctionDef(name=name, body=inner) | ast.AsyncFunctionDef(name=name, body=inner)
            ):
                yield from _of_block(inner, file, name, False)
            case ast.ClassDef(name=name, body=inner):
                yield from _of_block(inner, file, name, True)
            case ast.Expr(value=ast.Constant()) | ast.Raise():
                continue
            case (
                ast.Assign(targets=[ast.Name(id=name), *_])
                | ast.AnnAssign(target=ast.Name(id=name))
            ) if outside and name not in SCRIPTS:
                where = f"{place}.{name}" if place else name
                yield from _of_node(statement, file, where, True)
            case ast.Assign(targets=[ast.Name(id=name)]) if name in SCRIPTS:
                continue
            case _:
                yield from _of_node(statement, file, place, outside)


def _of_node(node: ast.AST, file: str, place: str, filled: bool) -> Iterator[Spoken]:
    match node:
        case ast.Raise():
            return
        case ast.Call(func=ast.Name(id=name)) if name.endswith("Error"):
            return
        case ast.Constant(value=str(text)):
            yield from _sentence(text, file, place, filled)
        case ast.JoinedStr():
            yield from _sentence(_joined(node), file, place, False)
        case ast.FunctionDef(name=name, body=inner):
            yield from _of_block(inner, file, name, False)
        case ast.If(body=body, orelse=orelse) | ast.For(body=body, orelse=orelse):
            yield from _of_block([*body, *orelse], file, place, filled)
        case ast.With(body=body):
            yield from _of_block(body, file, place, filled)
        case _:
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, ast.expr_context) and not _is_note(node, child):
                    yield from _of_node(child, file, place, filled)


def _is_note(node: ast.AST, child: ast.AST) -> bool:
    """Whether a child is a type hint."""
    return isinstance(node, ast.AnnAssign | ast.arg) and child is node.annotation


def _joined(node: ast.JoinedStr) -> str:
    parts = [
        str(part.value) if isinstance(part, ast.Constant) else f"[{ast.unparse(part.value)}]"  # type: ignore[attr-defined]
        for part in node.values
    ]
    return "".join(parts)


def _sentence(text: str, file: str, place: str, filled: bool) -> Iterator[Spoken]:
    plain = " ".join(re.sub(r"\[[^\]]*\]|\{[^}]*\}", "x", text).split())
    markup = re.search(r"[<>]\w|;\s*\w+:\s", plain)
    is_language = re.search(r"[a-z]{2,} [a-zA-Z]", plain) and not markup
    if len(plain.split()) >= FEWEST_WORDS and is_language:
        yield Spoken(file, place, " ".join(text.split()), filled)
