"""What the commands have in common: how they say things, and where they put files."""

import codecs
import json
import os
import sys
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from labelcore.results.base import plain
from labelcore.whole_file import whole_file

PLAINLY = "labelcore.plainly"
"""How standard output takes what it has no letter for."""
TYPED = {"−": "-", "\N{WORD JOINER}": ""}
AS_JSON = "labelcore.json"


json_option: Callable[[Callable[..., Any]], Callable[..., Any]] = click.option(
    "--json", is_flag=True, expose_value=False, help="Print JSON instead of sentences.",
    callback=lambda context, _, given: context.meta.update({AS_JSON: given}),
)  # fmt: skip
"""Of each command that says something: ``say`` looks whether it was given."""


def plainly(error: UnicodeError) -> tuple[str, int]:
    r"""What a stream has no letter for: our own signs as they are typed, else escapes of JSON,
    which hold a byte of a file's name that is no UTF-8, too.

    Examples
    --------
    >>> "−3 größe 👍".encode("cp1252", PLAINLY).decode("cp1252")
    '-3 größe \\ud83d\\udc4d'
    """
    if not isinstance(error, UnicodeEncodeError):
        raise error
    letters = error.object[error.start : error.end]
    return "".join(TYPED.get(one, json.dumps(one)[1:-1]) for one in letters), error.end


codecs.register_error(PLAINLY, plainly)


def say(values: object, sentences: Iterable[str]) -> None:
    """Print the sentences, or, where a person asked for that, the values as JSON."""
    if click.get_current_context().meta[AS_JSON]:
        form = json.JSONEncoder(ensure_ascii=False, indent=2, allow_nan=False, default=_text)
        sentences = [form.encode(plain(values))]
    for sentence in sentences:
        click.echo(sentence)


def _text(value: object) -> str:
    """What JSON has no type for."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def check_suffix(output: str, allowed: Sequence[str], what: str) -> None:
    """ValueError unless a file's name ends as ``what`` is written; one without a suffix may."""
    suffix = "" if output == "-" else Path(output).suffix
    if suffix and suffix.lower() not in allowed:
        stem = Path(output).with_suffix("")
        right = stem if stem.suffix.lower() in allowed else Path(output).with_suffix(allowed[0])
        raise ValueError(
            f"{output}: {what} can be written as {', '.join(allowed)}, got {suffix!r}; "
            f"call the file {right}"
        )


def suffix_of(output: str, kind: str | None, known: Sequence[str], what: str) -> str:
    """How ``what`` is written: in the format asked for, else as a file's name says, else as the
    first of ``known``. ValueError where the name says another format, or none does."""
    check_suffix(output, (f".{kind}",) if kind else known, what)
    suffix = "" if output == "-" else Path(output).suffix.lower()
    if not (suffix or kind or output == "-"):
        raise ValueError(f"{output}: {what} needs a name that ends in one of {', '.join(known)}")
    return suffix or (f".{kind}" if kind else known[0])


def write(output: str, content: bytes, *, force: bool = False) -> str:
    """Write to a file, "-" for standard output; returns where it went, in words.

    A file that is written over stays as it was until all of the new one is on the disk, and what
    breaks off leaves no new one.

    ValueError when the file exists and ``force`` is not set, and when it cannot be written.
    """
    if output == "-":
        sys.stdout.buffer.write(content)
        sys.stdout.buffer.flush()
        return "standard output"
    path = Path(output)
    try:
        if not force:
            path.touch(exist_ok=False)  # From here on the name is taken.
        device = path.exists() and not path.is_file()
        try:
            real = Path(os.path.realpath(path))
            with path.open("wb") if device else whole_file(real, shared=True) as stream:
                stream.write(content)
        except BaseException:
            if not force:
                path.unlink()
            raise
    except FileExistsError:
        raise ValueError(f"{path} exists already; give --force to write over it") from None
    except OSError as error:
        raise ValueError(f"{path} cannot be written: {error.strerror or error}") from None
    return str(path)
