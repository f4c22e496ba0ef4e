"""A project in the making, as plain values, and how one page hands it to another."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore.plan.plan import Plan
from labelcore.population.arguments import threshold_name
from labelcore.population.revealing import MAY_SHOW, holds_output
from labelcore.ui.guess import ClassifierColumns

FOUND = "found"
"""What was found so far, as the name of a classifier."""


@dataclass(frozen=True)
class Columns:
    """What the columns mean, and how file, classes and the chosen classifiers are read.

    dialect   what the person chose, as (name, value) pairs; empty: as detected
    known, existing   the column of known answers that is used, and how they came about
    revealing         content columns that may show a model's output
    helpers           columns that may help to choose items and are never judged
    """

    id: str | tuple[str, ...] | None
    content: tuple[str, ...]
    classifiers: tuple[ClassifierColumns, ...]
    classes: tuple[str, ...] | None = None
    positive: str | None = None
    thresholds: tuple[tuple[str, tuple[float, ...]], ...] = ()
    descending: tuple[str, ...] = ()
    dialect: tuple[tuple[str, Any], ...] = ()
    known: str | None = None
    existing: str | None = None
    revealing: tuple[str, ...] = ()
    helpers: tuple[str, ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Arguments of ``read_population``.

        Raises ValueError when two classifiers have one name.
        """
        names = [one.name for one in self.classifiers]
        if len(set(names)) < len(names):
            raise ValueError(f"Two classifiers have the same name: {', '.join(names)}.")
        return {
            "id": list(self.id) if isinstance(self.id, tuple) else self.id,
            "content": list(self.content),
            "scores": {one.name: one.score for one in self.classifiers if one.score},
            "predictions": {one.name: one.prediction for one in self.classifiers if one.prediction},
            "thresholds": {
                name: values[0] if len(values) == 1 else list(values)
                for name, values in self.thresholds
            },
            "descending": list(self.descending),
            "classes": None if self.classes is None else list(self.classes),
            "positive": self.positive,
            **({"dialect": dict(self.dialect)} if self.dialect else {}),
            **({"known": self.known} if self.known else {}),
            **({"helpers": {name: name for name in self.helpers}} if self.helpers else {}),
        }

    @property
    def ids(self) -> tuple[str, ...]:
        """The columns that make up an id; none where row numbers do."""
        if self.id is None:
            return ()
        return (self.id,) if isinstance(self.id, str) else self.id

    def unused(self, names: Sequence[str]) -> list[str]:
        """Those of the columns ``names`` that mean nothing else."""
        read = [column for one in self.classifiers for column in (one.score, one.prediction)]
        return [name for name in names if name not in (*self.ids, *self.content, *read)]

    def revealing_of(self, sample: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
        """The content columns that are a classifier's own, or hold what a model said."""
        read = [column for one in self.classifiers for column in (one.score, one.prediction)]
        return tuple(
            name
            for name in self.content
            if name in read or holds_output(name, [row.get(name, "") for row in sample])
        )

    def asked(self, classes: tuple[str, ...], positive: str) -> Columns:
        return replace(self, classes=classes, positive=positive)

    def cut(self, name: str, thresholds: tuple[float, ...], descending: bool) -> Columns:
        """With a classifier's thresholds, none or more, and its direction."""
        return replace(
            self,
            thresholds=self.thresholds + (((name, thresholds),) if thresholds else ()),
            descending=self.descending + ((name,) if descending else ()),
        )

    def finding(self, score: str | None = None, *, descending: bool = False) -> Columns:
        """With what was found so far as a classifier: the known answers are its predictions, and a
        score says which of the other items are likely."""
        bare = self.without_found()
        name = FOUND if all(one.name != FOUND for one in bare.classifiers) else f"{FOUND} so far"
        found = ClassifierColumns(name, score, self.known)
        return replace(
            bare,
            classifiers=(*bare.classifiers, found),
            descending=bare.descending + ((name,) if descending else ()),
        )

    def without_found(self) -> Columns:
        """Without what was found so far as a classifier."""
        others = tuple(one for one in self.classifiers if one.prediction != self.known)
        return replace(self, classifiers=others if self.known else self.classifiers)

    def made_of(self, name: str) -> tuple[str, ...]:
        """The classifiers that are read from one: itself, or one for each of its thresholds."""
        values = dict(self.thresholds).get(name, ())
        if len(values) < 2:
            return (name,)
        return tuple(threshold_name(name, value, name in self.descending) for value in values)


@dataclass(frozen=True)
class Question:
    """What is asked of a person; ``keys`` names a preset for two classes, else it is empty."""

    text: str
    instructions: str
    classes: tuple[str, ...]
    positive: str
    keys: str = ""


@dataclass(frozen=True)
class Aim:
    """What is to be known about which classifiers, the one the sample is drawn for first.

    existing   what the answers that are there already are taken for
    file       fingerprint of the file as step 1 read it, by which its inputs are named
    classes    those of several that have figures of their own; None: all
    """

    estimands: tuple[str, ...]
    classifier: str | tuple[str, ...] | None
    trained_on: str
    target: str
    existing: str | None = None
    file: str = ""
    classes: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Making:
    """What is settled of a project in the making; each screen takes one and gives the next.

    What a screen has not settled is None, and so is everything after it.
    """

    path: Path | None = None
    columns: Columns | None = None
    question: Question | None = None
    aim: Aim | None = None
    plan: Plan | None = None

    @property
    def settled(self) -> int:
        """How many of the three screens are settled.

        >>> Making().settled
        0
        """
        if self.path is None or self.columns is None:
            return 0
        if self.question is None:
            return 1
        return 2 if self.aim is None or self.plan is None else 3


def settings(question: Question, aim: Aim, revealing: Sequence[str] = ()) -> Mapping[str, Any]:
    """What is kept with the project beside plan and file."""
    return {
        "question": question.text,
        "instructions": question.instructions,
        **({"used_for_training": aim.trained_on} if aim.trained_on else {}),
        **({"keys": question.keys} if question.keys else {}),
        **({MAY_SHOW: list(revealing)} if revealing else {}),
    }


@dataclass(frozen=True)
class ProjectDraft:
    """What New project's inputs begin with, handed over by another page or by a button.

    A field that is None leaves the input as it stands.

    file        fingerprint of the file as step 1 reads it: the draft waits for no other; "" stands
                for the one that it reads next
    existing    what the known answers are taken for
    question    title of the card of step 3
    thresholds  (classifier, thresholds) each
    design      the method; "" for the recommended one
    params      its parameters; one that is not named begins as suggested
    way         what is started from: a number of labels, a margin or claims
    budget, margin   that number; whichever is given is started from
    """

    file: str
    existing: str | None = None
    question: str | None = None
    estimands: tuple[str, ...] | None = None
    classifiers: tuple[str, ...] | None = None
    thresholds: tuple[tuple[str, tuple[float, ...]], ...] | None = None
    target: str | None = None
    design: str | None = None
    params: Mapping[str, Any] | None = None
    way: str | None = None
    budget: int | None = None
    margin: float | None = None
    promise: str | None = None

    def given(self) -> dict[str, Any]:
        """The fields that say something, but for the file."""
        found = {item.name: getattr(self, item.name) for item in fields(self)[1:]}
        return {name: value for name, value in found.items() if value is not None}


WAITING, INPUTS = "project draft", "new-"
"""Where the draft waits, and how the key of each input of New project begins."""
MADE = "project in the making"
"""Where what is settled so far is kept."""


def begin(draft: ProjectDraft) -> None:
    """Let the inputs of New project show the draft when they are drawn next."""
    st.session_state[WAITING] = replace(waiting(draft.file), **draft.given())


def waiting(file: str) -> ProjectDraft:
    """What was handed over for this file and no input shows yet."""
    found: ProjectDraft = st.session_state.get(WAITING, ProjectDraft(file))
    return replace(found, file=file) if found.file in ("", file) else ProjectDraft(file)


def taken(file: str, *names: str) -> None:
    """These fields wait no more: their inputs show them, or there is no such input."""
    if waiting(file).given():
        left = {name: value for name, value in waiting(file).given().items() if name not in names}
        st.session_state[WAITING] = ProjectDraft(file, **left)


def fill(key: str, file: str, name: str, value: object) -> None:
    """Let an input that is drawn next show the ``value`` of a field, once; None: as it stands."""
    if value is not None:
        st.session_state[key] = value
    taken(file, name)


def forget() -> None:
    """Forget what the inputs of New project showed: the project is made."""
    st.session_state.pop(WAITING, None)
    st.session_state.pop(MADE, None)
    for key in [key for key in st.session_state if str(key).startswith(INPUTS)]:
        del st.session_state[key]
