"""The options that say how a file is read and what is planned."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click

from labelcore.designs import DESIGNS
from labelcore.designs.params import read_parameter
from labelcore.plan.plan import Plan
from labelcore.population import Population, is_address, read_population
from labelcore.population.dialect import checked_dialect
from labelcore.promises import Unsure

LARGE = 10_000_000
"""A file of so many bytes is announced before it is read."""
Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


def together(*options: Decorator) -> Decorator:
    """Several options as one."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        for option in reversed(options):
            function = option(function)
        return function

    return decorate


def several(name: str, metavar: str, help: str, *, dest: str = "") -> Decorator:
    """An option that may be given again; ``dest``: its argument, where that is called otherwise."""
    names = (name, dest) if dest else (name,)
    return click.option(*names, multiple=True, metavar=metavar, help=help)


file_options = together(
    click.argument("file", type=click.Path()),
    several(
        "--id",
        "COLUMN",
        "Column of ids, repeated for ids of several columns; without it, row numbers.",
        dest="id_",
    ),
    several("--content", "COLUMN", "What a person judges."),
    several("--score", "NAME=COLUMN", "A classifier's scores."),
    several("--prediction", "NAME=COLUMN", "A classifier's predictions."),
    several(
        "--threshold",
        "NAME=NUMBER",
        "Predicted positive from this score on; repeat for several thresholds.",
    ),
    several("--descending", "NAME", "A low score means positive."),
    several("--class", "NAME", "A class, in key order.", dest="classes"),
    click.option("--positive", metavar="NAME", help="The class that counts as positive."),
    several("--metadata", "COLUMN", "Kept, not shown."),
    click.option(
        "--known", metavar="COLUMN", help="Answers that are there already; empty: not known."
    ),
    several(
        "--helper", "NAME=COLUMN", "Another column that may help to choose items; never judged."
    ),
    several(
        "--groups",
        "COLUMN[=EDGES]",
        "A column to break figures down by, numbers cut at edges such as 100,500; repeat "
        "for several.",
    ),
    click.option("--prompt", metavar="COLUMN", help="Says which answers have the same prompt."),
    several(
        "--passing",
        "NAME=VALUE",
        "A verdict of a prediction column that counts as the positive class, such as "
        "judge=pass; all others do not. Repeat for several.",
    ),
    several(
        "--dialect",
        "NAME=VALUE",
        "How the file is read where detection is wrong: encoding, delimiter, decimal, quote, "
        "header, sheet.",
    ),
)

plan_options = together(
    click.option("--design", default="recalibrated_neyman", show_default=True),
    click.option(
        "--estimand",
        "estimands",
        multiple=True,
        default=("precision", "recall"),
        show_default=True,
        help="What to estimate; repeat for several, the first is the primary one.",
    ),
    click.option("--classifier", "classifiers", multiple=True, help="Needed if there are several."),
    several("--param", "NAME=VALUE", "Of the design; lists with commas.", dest="params"),
    click.option("--budget", type=int, help="Items to label."),
    click.option("--margin", type=float, help="Largest half-width, 0.03 for three points."),
    several(
        "--claim",
        "TEXT",
        "What is to be shown, 'precision >= 0.9', 'accuracy[A] > accuracy[B]' or "
        "'accuracy[every language] >= 0.8'; repeat for several.",
        dest="claims",
    ),
    click.option(
        "--claim-form",
        default="strict",
        show_default=True,
        help="What settles the claims: strict (proved for every population) or approximate (by the "
        "watched interval, one-sided; fewer labels, and the claim is called likely).",
    ),
    several(
        "--stop",
        "RULE",
        "What ends the session: margin, claims, 'deadline 2027-01-31T18:00'; repeat for any "
        "of several, with all first for all of them; none for no rule.  [default: the goals "
        "given]",
    ),
    several(
        "--by",
        "COLUMN",
        "A column of --groups whose groups get labels and figures of their own; repeat to "
        "cross two.",
    ),
    click.option("--group-margin", type=float, help="Largest half-width in each of these groups."),
    several(
        "--matters",
        "CLASS",
        "Of several classes one that has figures of its own; repeat. Default: all have.",
    ),
    click.option("--together", is_flag=True, help="The confidence is for all numbers at once."),
    click.option(
        "--unsure",
        default=str(Unsure.JUDGED),
        show_default=True,
        metavar="READING",
        help="What figures take items called unsure for: judged (they are about the items that a "
        "person can judge), odds (about all, if unsure ones are wrong a third to three times as "
        "often as others) or 'either way'.",
    ),
    click.option("--confidence", type=float, default=0.95, show_default=True),
    click.option("--promise", help="watched (valid at every look) or fixed."),
    click.option("--target", default="file", show_default=True, help="file, or process."),
    click.option(
        "--existing",
        metavar="HOW",
        help="What the answers of --known are: random (a plain random sample of the file), "
        "certainty (known items, chosen in any other way) or ignored.",
    ),
    click.option(
        "--repeats",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="Share of the labelled items shown a second time, 0.1 for one in ten.",
    ),
    click.option(
        "--overlap",
        type=float,
        default=0.0,
        metavar="SHARE",
        help="Share of the labelled items that other people judge as well, 0.1 for one in ten.",
    ),
    click.option(
        "--readers",
        type=int,
        default=2,
        show_default=True,
        help="How many people judge each item of the overlap.",
    ),
    click.option("--seed", type=int, default=0, show_default=True),
)


def is_snapshot(file: str) -> bool:
    """Whether a file knows itself what its columns mean."""
    return file.lower().endswith(".snapshot")


def population_of(given: dict[str, Any]) -> Population:
    """Take the file options out of ``given`` and read the population."""
    if not given["content"] and not is_snapshot(given["file"]):
        raise click.UsageError("Missing option '--content': the column that a person judges.")
    source, arguments = source_of(given)
    say_large("Reading", source)
    return read_population(source, **arguments)


def say_large(what: str, source: str | Path) -> None:
    """What is done with a file that takes more than a second, before it is done."""
    size = source.stat().st_size if isinstance(source, Path) and source.is_file() else 0
    if size >= LARGE:
        click.echo(f"{what} {source} ({size / 1e6:,.0f} MB)", err=True)


def source_of(given: dict[str, Any]) -> tuple[str | Path, dict[str, Any]]:
    """Take the file options out of ``given``: what is read, and how."""
    arguments = {
        "id": list(given.pop("id_")) or None,
        "content": list(given.pop("content")) or (None if is_snapshot(given["file"]) else []),
        "scores": pairs(given.pop("score"), "--score"),
        "predictions": pairs(given.pop("prediction"), "--prediction"),
        "thresholds": _thresholds(given.pop("threshold")),
        "descending": list(given.pop("descending")),
        "dialect": dialect(given.pop("dialect")),
        "classes": list(classes) if (classes := given.pop("classes")) else None,
        "positive": given.pop("positive"),
        "metadata": list(given.pop("metadata")),
        "known": given.pop("known"),
        "helpers": pairs(given.pop("helper"), "--helper"),
        "groups": _groups(given.pop("groups")),
        "prompt": given.pop("prompt"),
        "passing": _passing(given.pop("passing")),
    }
    file = given.pop("file")
    return file if is_address(file) else Path(os.path.abspath(file)), arguments


def _groups(given: Sequence[str]) -> list[str] | dict[str, list[float]]:
    parts = [text.rpartition("=") if "=" in text else (text, "", "") for text in given]
    if not any(edges for _, _, edges in parts):
        return list(given)
    names = [name for name, _, _ in parts]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.BadParameter(f"--groups names {twice[0]!r} twice; give its edges at once")
    return {name: [_edge(cut) for cut in edges.split(",") if cut] for name, _, edges in parts}


def _edge(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.BadParameter(f"--groups takes numbers as edges, got {text!r}") from None


def plan_of(given: dict[str, Any]) -> Plan:
    """The plan of the plan options, which are all that is left in ``given``."""
    names = given.pop("classifiers")
    design, stop = given.pop("design"), tuple(given.pop("stop"))
    return Plan(
        design,
        list(given.pop("estimands")),
        classifier=(names[0] if len(names) == 1 else list(names)) if names else None,
        stop=() if stop == ("none",) else stop or None,
        params=_parameters(design, given.pop("params")),
        classes=list(given.pop("matters")) or None,
        by=list(given.pop("by")) or None,
        **given,
    )


def pairs(texts: Sequence[str], option: str) -> dict[str, str]:
    """{name: value} from texts such as "lr=lr_score" or "judge=scores[name=verdict].value".
    ValueError for anything else."""
    values: dict[str, str] = {}
    for text in texts:
        path = text.find("[", text.find("="))  # The signs within a path divide nothing.
        name, sign, value = text[: path if path > 0 else None].rpartition("=")
        value += text[path:] if path > 0 else ""
        if not (name and sign and value):
            raise ValueError(f"{option} must be NAME=VALUE, got {text!r}")
        if name in values:
            raise ValueError(f"{option} names {name!r} twice")
        values[name] = value
    return values


def _parameters(design: str, texts: Sequence[str]) -> dict[str, Any]:
    """Values by the fields of the design; an unknown name is left for the plan to refuse."""
    known = (
        {item.name: item for item in fields(DESIGNS[design].Params)} if design in DESIGNS else {}
    )
    values: dict[str, Any] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign and value):
            raise ValueError(f"--param must be NAME=VALUE, got {text!r}")
        if name in values:
            raise ValueError(f"--param names {name!r} twice")
        values[name] = read_parameter(known[name], value) if name in known else _value(value)
    return values


def _thresholds(texts: Sequence[str]) -> dict[str, float | list[float]]:
    thresholds: dict[str, list[float]] = {}
    for text in texts:
        ((name, value),) = pairs([text], "--threshold").items()
        try:
            thresholds.setdefault(name, []).append(float(value))
        except ValueError:
            raise ValueError(f"--threshold must be NAME=NUMBER, got {text!r}") from None
    return {name: cuts[0] if len(cuts) == 1 else cuts for name, cuts in thresholds.items()}


def _passing(texts: Sequence[str]) -> dict[str, list[str]]:
    values: dict[str, list[str]] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not (name and sign):
            raise ValueError(f"--passing must be NAME=VALUE, got {text!r}")
        values.setdefault(name, []).append(value)
    return values


def dialect(texts: Sequence[str]) -> dict[str, Any] | None:
    """The parts of a dialect that were given; None for none of them. ValueError for others."""
    given: dict[str, Any] = dict(pairs(texts, "--dialect"))
    if "header" in given:
        given["header"] = _value(given["header"])
    return dict(checked_dialect(given)) or None


def _value(text: str) -> Any:
    """A parameter's value: JSON where it is JSON (3, 0.5, null), else the text."""
    try:
        return json.loads(text)
    except ValueError:
        return text
