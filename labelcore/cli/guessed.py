"""What a file's columns mean where no option says it: guessed, and said to be guessed."""

import shlex
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from labelcore.cli.options import source_of
from labelcore.population import Population
from labelcore.population.foreign import SUFFIXES
from labelcore.population.formats import detect
from labelcore.population.guess import Guess, guess
from labelcore.population.head import Head
from labelcore.words.sentences import count

NO_ROWS = "{file}: it has a header but no rows."
NAME_ONE = "{file}: {rows}, columns {columns}. {why} Say what is judged, such as --content {first}."
SHEETS = "{number}: {names}; choose by --dialect sheet=NAME."
FLAGS = {"id_": "id", "classes": "class"}
"""Options that are called otherwise than their argument."""


def filled(given: dict[str, Any], head: Head) -> tuple[dict[str, Any], list[str]]:
    """The file options with those not given as the columns suggest, and sentences that say so.
    ValueError where nothing suggests what is judged, with the file's own columns."""
    path, guessed = Path(given["file"]), guess(head.columns, head.sample)
    if not head.rows:
        raise ValueError(NO_ROWS.format(file=path.name))
    table = path.is_file() and not path.name.lower().endswith(SUFFIXES)
    sheets = detect(path).sheets if table else ()
    choice = [SHEETS.format(number=count(len(sheets), "sheet"), names=", ".join(sheets))]
    choice *= len(sheets) > 1
    if not guessed.content or guessed.asks("content"):
        of_classifiers = [
            part for one in guessed.classifiers for part in (one.score, one.prediction)
        ]
        other = {guessed.id, *guessed.answers, *of_classifiers}
        first = next((one for one in reversed(head.columns) if one not in other), "COLUMN")
        needed = NAME_ONE.format(
            file=path.name, rows=count(head.rows, "row"), columns=", ".join(head.columns),
            why=guessed.reasons.get("content", ""), first=shlex.quote(first),
        )  # fmt: skip
        raise ValueError(" ".join([needed, *choice]))
    options = {**given, "content": guessed.content}
    options["id_"] = given["id_"] or ((guessed.id,) if guessed.id else ())
    if not given["score"] and not given["prediction"]:
        options["score"] = [f"{c.name}={c.score}" for c in guessed.classifiers if c.score]
        options["prediction"] = [
            f"{c.name}={c.prediction}" for c in guessed.classifiers if c.prediction
        ]
    return options, [*_lines(options, guessed), *choice]


def _lines(options: dict[str, Any], guessed: Guess) -> Iterator[str]:
    yield f"Guessed: people judge {' and '.join(options['content'])}."
    yield f"Ids: {', '.join(options['id_']) or 'row numbers'}."
    yield from (why for part, why in guessed.reasons.items() if part != "content")
    _, arguments = source_of(dict(options))
    for name in dict.fromkeys([*arguments["scores"], *arguments["predictions"]]):
        parts = (("score", "scores"), ("prediction", "predictions"))
        said = [f"{word} {arguments[key][name]}" for word, key in parts if name in arguments[key]]
        yield f"Classifier {name!r}: {', '.join(said)}."


def command_of(options: dict[str, Any], population: Population, labels: int) -> str:
    """The command that starts a project with these file options; figures by what they allow."""
    pairs = [
        (f"--{FLAGS.get(name, name)}", value)
        for name, given in options.items()
        if name != "file"
        for value in ([given] if isinstance(given, str) else given or [])
    ]
    first = next(iter([*population.predictions, *population.scores]), "")
    scored = ["precision_curve"] if first else ["prevalence"]
    figures = ["precision", "recall"] if first in population.predictions else scored
    return start_command(options["file"], [*pairs, ("--classifier", first)], figures, labels)


def start_command(
    file: str, options: Iterable[tuple[str, str | None]], estimands: Sequence[str], labels: int
) -> str:
    """``labelcore import`` with these options; those without a value are left out.

    >>> start_command("-x y.csv", [("--content", "text")], ["accuracy"], 50)[:39]
    "labelcore import './-x y.csv' --content"
    """
    file = f"./{file}" if file.startswith("-") else file
    every = [*options, *(("--estimand", name) for name in estimands), ("--budget", str(labels))]
    words = (f"{name} {shlex.quote(value)}" for name, value in every if value)
    return f"labelcore import {shlex.quote(file)} {' '.join(words)} --store sqlite:///labels.db"
