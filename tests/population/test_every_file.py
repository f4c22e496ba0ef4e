"""Files in every form and spelling: all that is detected, guessed, read and said of each stays."""

import base64
import json
import warnings
from collections.abc import Iterator
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from labelcore.population import Population, read_population, snapshot
from labelcore.population.foreign import recognised
from labelcore.population.formats import detect
from labelcore.population.guess import Guess, guess
from labelcore.population.head import head_of, tree_in
from labelcore.population.tables import recognised_as_table
from tests.cli.conftest import Run
from tests.pinned import cases, holds, or_refused

pytestmark = pytest.mark.slow
FILES = cases("files")
"""Name -> the suffix and the text, or in a list the bytes in base64."""


def looked_at(path: Path) -> Iterator[tuple[str, Any]]:
    """What is found out of a file, until something is refused."""
    form = detect(path)
    yield "form", [*form.dialect.to_json().values(), *form.sheets]
    head = head_of([path], {})
    yield "head", [head.columns, head.rows, head.headless, list(head.sample[:1] + head.sample[-1:])]
    tree = tree_in(path, {}, head.columns[:1])
    yield "tree", [list(asdict(one).values()) for one in tree.branches]
    guessed = guess(head.columns, head.sample)
    yield "guess", list(asdict(guessed).values())
    if guessed.content:
        yield from read_as(path, guessed, head.columns)


def read_as(path: Path, guessed: Guess, columns: tuple[str, ...]) -> Iterator[tuple[str, Any]]:
    """What is read where it is meant as guessed, and every column as groups and as a helper."""
    found = guessed.classifiers
    read = partial(read_population, path, content=guessed.content)
    meant = partial(
        read,
        name="called",
        id=guessed.id,
        scores={one.name: one.score for one in found if one.score},
        predictions={one.name: one.prediction for one in found if one.prediction},
    )
    yield "read", or_refused(lambda: described(meant()))
    if known := guessed.answers[:1]:
        yield "known", or_refused(lambda: described(meant(known=known[0])))
    kept = [*dict.fromkeys(columns)]
    told = or_refused(lambda: groups(read(groups=kept)))
    if refused := [one for one in told if isinstance(one, str)]:
        yield "no groups", refused
        kept = [name for name in kept if not any(f"column {name!r}" in one for one in refused)]
        told = or_refused(lambda: groups(read(groups=kept)))
    yield "groups", told
    others = {name: name for name in columns if name not in guessed.content}
    yield "helpers", or_refused(lambda: helpers(read(helpers=others)))
    judges = {name for one in found for name in (one.score, one.prediction)}
    free = {name: name for name in others if name not in judges}
    given = {**meant.keywords, "groups": kept, "helpers": free}
    whole = or_refused(lambda: snapshot(path, path.with_name("kept.snapshot"), **given))
    same = isinstance(whole, Population) and all_of(whole) == all_of(read(**given))
    yield "as a snapshot", whole if isinstance(whole, list) else same


def described(found: Population) -> list[Any]:
    some, ids = [0, len(found) // 2, len(found) - 1], found.ids()
    return [
        *(
            found.name,
            found.file_name,
            len(found),
            found.classes,
            found.positive,
            found.classifiers,
            found.arguments,
        ),
        [[ids[at], found.content(ids[at])] for at in some],
        {name: [score[at] for at in some] for name, score in found.scores.items()},
        {name: codes.tolist() for name, codes in found.predictions.items()},
        None if found.known is None else found.known.tolist(),
        list(asdict(found.duplicate_contents()).values()),
    ]


def all_of(found: Population) -> str:
    """Of all items and of two, which stand the other way round."""
    parts = found, found.part(np.array([len(found) - 1, 0]))
    return str([[described(one), groups(one), helpers(one)] for one in parts])


def groups(found: Population) -> list[Any]:
    return [[group.names, group.codes.tolist()] for _, group in sorted(found.groups.items())]


def helpers(found: Population) -> dict[str, list[Any]]:
    said = {name: one.score if one.score is not None else one.verdict
            for name, one in found.helpers.items()}  # fmt: skip
    return {name: [found.helpers[name].names, *map(str, said[name])] for name in sorted(said)}


@pytest.mark.parametrize("name", FILES)
def test_what_is_said_of_a_file_stays(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    suffix, raw = FILES[name]
    path = tmp_path / f"items{suffix}"
    path.write_bytes(raw.encode() if isinstance(raw, str) else base64.b64decode(*raw))
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        found: dict[str, Any] = {"check": Run(capsys)("check", path.name)}
        rows = or_refused(lambda: recognised(path))
        if isinstance(rows, list):
            table = or_refused(lambda: recognised_as_table(path.name, path.read_bytes()))
            found["of another tool"] = [*rows[:2], table[0], len(table[-1])]
        steps = looked_at(path)
        while isinstance(step := or_refused(lambda: next(steps, None)), tuple):
            found |= dict([step])
    found |= {"refused": step, "warned": [str(one.message) for one in warned]}
    holds("files", name, json.loads(json.dumps(found, default=str).replace(str(tmp_path), "")))
