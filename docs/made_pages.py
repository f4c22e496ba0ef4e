"""The pages of the site that are made from the package: methods, estimands, commands."""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

import click

from labelcore.cli import commands
from labelcore.designs import DESIGNS, Design
from labelcore.designs.params import parameter_label
from labelcore.estimands import QUANTITIES, Estimand
from labelcore.words.quantities import quantity

PARTS = ("Promise", "Assumption", "Source", "Departure")
MADE_BY = "<!-- made by python -m docs.make_sentences -->\n\n"


def methods_page() -> str:
    """Every method with its one sentence."""
    rows = [
        f"| [`{name}`]({name}.md) | {design.label} | {design.summary} "
        f"| {', '.join(design.promises)} |"
        for name, design in DESIGNS.items()
    ]
    head = "| method | in the app | what it does | promises |\n|---|---|---|---|\n"
    lead = (
        "A method says which items are drawn and how an interval comes from them. *New project* "
        "recommends one; any other can be chosen under *Advanced*, or by name in `lc.Plan`.\n\n"
    )
    return f"{MADE_BY}# Methods\n\n{lead}{head}" + "\n".join(rows) + "\n"


def method_page(design: Design[Any]) -> str:
    """What a method draws, promises and assumes, from its own docstring and parameters."""
    first, *others = inspect.cleandoc(inspect.getdoc(design) or "").split("\n\n")
    said = [literal(first), *(part(one) for one in others)]
    known = ", ".join(f"`{name}`" for name in design.estimands)
    return "\n\n".join(
        [
            f"{MADE_BY}# {design.label}",
            f"`{design.name}`: {design.summary}",
            *said,
            f"**Estimands.** {known}",
            *parameters(design),
            "",
        ]
    )


def part(paragraph: str) -> str:
    """A paragraph; one that opens with a word such as "Promise:" has it as its head."""
    head, colon, rest = paragraph.partition(":")
    if colon and head in PARTS:
        lines = "".join(
            f"\n\n**{name}.** {literal(said.strip())}" for name, said in _split(f"{head}:{rest}")
        )
        return lines.strip()
    return literal(paragraph)


def _split(paragraph: str) -> Iterator[tuple[str, str]]:
    """Each of the PARTS that a line of the paragraph opens with, and what it says."""
    found = re.split(rf"(?m)^({'|'.join(PARTS)}):", paragraph)[1:]
    yield from zip(found[::2], found[1::2], strict=True)


def estimands_page() -> str:
    """Every estimand with its formula."""
    lead = (
        "Counts of the confusion matrix, N items in all. Those along a ranked list need a score, "
        "not a threshold. A difference lies between -1 and 1 and needs two classes.\n\n"
    )
    return f"{MADE_BY}# Estimands\n\n{lead}" + "".join(f"{row}\n" for row in estimand_rows())


def estimand_rows() -> Iterator[str]:
    """A line of the table for each estimand."""
    yield "| estimand | what it measures, where 'spam' is the positive class | formula |"
    yield "|---|---|---|"
    for name, row in QUANTITIES.items():
        formula = row.formula if isinstance(row, Estimand) else "–"
        yield f"| `{name}` | {quantity(name, None, 'spam')} | {formula} |"


def literal(text: str) -> str:
    """Text of a docstring as Markdown: code stays code, nothing else is markup."""
    pieces = re.split(r"``(.+?)``", " ".join(text.split()))
    plain = [_linked(re.sub(r"([\\*<>\[\]|])", r"\\\1", one)) for one in pieces[::2]]
    code = [f"`{one}`" for one in pieces[1::2]] + [""]
    return "".join(a + b for a, b in zip(plain, code, strict=True))


def _linked(text: str) -> str:
    return re.sub(r"docs/((?:papers/)?(\w+)\.md)", r"[\2](../\1)", text)


def parameters(design: Design[Any]) -> Iterator[str]:
    """The table of a method's parameters; nothing where it has none."""
    items = fields(design.Params)
    if not items:
        return
    yield "## Parameters"
    rows = ["| `params` | in the app | what it is | if not given |", "|---|---|---|---|"]
    for item in items:
        help = literal(str(item.metadata["help"]))
        called = item.metadata["called"]
        choices = "; ".join(f"`{name}`: {literal(words)}" for name, words in called.items())
        given = "chosen by the method" if item.default is None else f"`{item.default}`"
        said = f"{help}. {choices}" if choices else help
        rows.append(f"| `{item.name}` | {parameter_label(item.name)} | {said} | {given} |")
    yield "\n".join(rows)


def commands_page() -> str:
    """Every command with its own help."""
    parts = [
        f"{MADE_BY}# Commands\n\n`labelcore COMMAND`, or `python -m labelcore COMMAND`. "
        "Each but `app` takes `--json`."
    ]
    names = commands.context_settings["help_option_names"]
    with click.Context(
        commands, info_name="labelcore", max_content_width=90, help_option_names=names
    ) as context:
        for name in commands.list_commands(context):
            command = commands.get_command(context, name)
            assert command is not None
            with click.Context(
                command, info_name=name, parent=context, max_content_width=90
            ) as inner:
                shown = command.get_help(inner)
                parts.append(f"## {name}\n\n```text\n{shown}\n```")
                for part, one in getattr(command, "commands", {}).items():
                    with click.Context(one, info_name=part, parent=inner) as innermost:
                        shown = one.get_help(innermost)
                    parts.append(f"### {name} {part}\n\n```text\n{shown}\n```")
    return "\n\n".join(parts) + "\n"


def pages() -> dict[str, str]:
    """{file: what it holds} for every page that is made here."""
    return {
        "docs/methods/index.md": methods_page(),
        **{f"docs/methods/{name}.md": method_page(one) for name, one in DESIGNS.items()},
        "docs/reference/estimands.md": estimands_page(),
        "docs/reference/commands.md": commands_page(),
    }
