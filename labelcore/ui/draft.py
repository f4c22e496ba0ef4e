"""A project in the making: what a person has chosen so far, and what follows from it.

Nothing here knows a page: every rule is a function of the draft and of what the file holds.
"""

from __future__ import annotations

import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, date, datetime, timedelta
from datetime import time as clock_time
from typing import Any

from labelcore.population.arguments import threshold_name
from labelcore.population.guess import ClassifierColumns, Guess
from labelcore.population.revealing import HIDDEN, MAY_SHOW, holds_output

FOUND = "found"
"""What was found so far, as the name of a classifier."""
NO_COLUMN, ROW_NUMBERS = "(none)", "(no id column: row numbers)"
SEVERAL_COLUMNS = "(several columns together)"
MOST_CLASSIFIERS = 8
BUDGET, MARGIN, CLAIMS = "Labels", "± points", "A claim"
"""What may be started from."""
NO_ID = "Choose above what identifies an item."
OPEN_MEANINGS = "Choose above at least one column to judge."
FORGETS: Mapping[str, Sequence[str]] = {
    "known": ("existing", "budget", "most"),
    "existing": ("budget", "most"),
    "aim": ("design",),
}
"""What was chosen because of a choice, and goes with it."""
TIMES: Mapping[str, type[date] | type[clock_time]] = {
    "first_day": date,
    "day": date,
    "hour": clock_time,
}


@dataclass(frozen=True)
class Columns:
    """What the columns mean, and how file, classes and the chosen classifiers are read.

    dialect   what the person chose, as (name, value) pairs; empty: as detected
    known, existing   the column of known answers that is used, and how they came about
    revealing         content columns that may show a model's output
    helpers           columns that may help to choose items and are never judged
    groups            columns that figures may be told by
    prompt            the column that joins outputs of several systems on the same prompt
    passing           (classifier, values of its verdict that pass) each
    hidden            (column, what it is) each, of those shown once an item is judged
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
    groups: tuple[str, ...] = ()
    prompt: str | None = None
    passing: tuple[tuple[str, tuple[str, ...]], ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Arguments of ``read_population``.

        Raises ValueError when two classifiers have one name.
        """
        names = [row.name for row in self.classifiers]
        predicting = {row.name for row in self.classifiers if row.prediction}
        passing = [choice for choice in self.passing if choice[0] in predicting]
        if len(set(names)) < len(names):
            raise ValueError(f"Two classifiers have the same name: {', '.join(names)}.")
        where_said = {
            "dialect": dict(self.dialect),
            "known": self.known,
            "helpers": {name: name for name in self.helpers},
            "groups": list(self.groups),
            "prompt": self.prompt,
            "metadata": [name for name, _ in self.hidden],
            "passing": {name: list(values) for name, values in passing},
        }
        return {
            "id": list(self.id) if isinstance(self.id, tuple) else self.id,
            "content": list(self.content),
            "scores": {row.name: row.score for row in self.classifiers if row.score},
            "predictions": {row.name: row.prediction for row in self.classifiers if row.prediction},
            "thresholds": {
                name: values[0] if len(values) == 1 else list(values)
                for name, values in self.thresholds
            },
            "descending": list(self.descending),
            "classes": None if self.classes is None else list(self.classes),
            "positive": self.positive,
            **{name: value for name, value in where_said.items() if value},
        }

    @property
    def ids(self) -> tuple[str, ...]:
        """The columns that make up an id; none where row numbers do."""
        if self.id is None:
            return ()
        return (self.id,) if isinstance(self.id, str) else self.id

    def unused(self, names: Sequence[str]) -> list[str]:
        """Those of the columns ``names`` that mean nothing else."""
        read = [column for row in self.classifiers for column in (row.score, row.prediction)]
        return [name for name in names if name not in (*self.ids, *self.content, *read)]

    def revealing_of(self, sample: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
        """The content columns that are a classifier's own, or hold what a model said."""
        read = [column for row in self.classifiers for column in (row.score, row.prediction)]
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
        name = FOUND if all(row.name != FOUND for row in bare.classifiers) else f"{FOUND} so far"
        columns = ClassifierColumns(name, score, self.known)
        return replace(
            bare,
            classifiers=(*bare.classifiers, columns),
            descending=bare.descending + ((name,) if descending else ()),
        )

    def without_found(self) -> Columns:
        """Without what was found so far as a classifier."""
        others = tuple(row for row in self.classifiers if row.prediction != self.known)
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
    classes    those of several that have figures of their own; None: all
    card       title of the question as it was chosen
    which      whether it leaves open which numbers are asked for
    """

    estimands: tuple[str, ...]
    classifier: str | tuple[str, ...] | None
    trained_on: str
    target: str
    existing: str | None = None
    classes: tuple[str, ...] | None = None
    card: str = ""
    which: bool = False


def settings(question: Question, aim: Aim, columns: Columns) -> Mapping[str, Any]:
    """What is kept with the project beside plan and file."""
    where_said = {
        "used_for_training": aim.trained_on,
        "keys": question.keys,
        MAY_SHOW: list(columns.revealing),
        HIDDEN: dict(columns.hidden),
    }
    return {
        "question": question.text,
        "instructions": question.instructions,
        **{name: value for name, value in where_said.items() if value},
    }


@dataclass(frozen=True)
class ProjectDraft:
    """Changes of a draft, made by another page or by a button. None leaves a choice as it is.

    existing    what the known answers are taken for
    question    title of the card of screen 3; ``estimands`` are the numbers asked for with it
    thresholds  (classifier, thresholds) each
    design      the method; "" for the recommended one
    params      parameters of the method, or of ``params_of``; one that is not named begins as
                suggested
    way         what is started from: a number of labels, a margin or claims
    budget, margin   that number; whichever is given is started from
    """

    existing: str | None = None
    question: str | None = None
    estimands: tuple[str, ...] | None = None
    classifiers: tuple[str, ...] | None = None
    thresholds: tuple[tuple[str, tuple[float, ...]], ...] | None = None
    target: str | None = None
    design: str | None = None
    params: Mapping[str, Any] | None = None
    params_of: str | None = None
    way: str | None = None
    budget: int | None = None
    margin: float | None = None
    promise: str | None = None


@dataclass
class OfAFile:
    """What a person has chosen for one file alone; another file begins without it."""

    read: dict[str, Any] = field(default_factory=dict)
    id: str | None = None
    ids: list[str] | None = None
    content: list[str] | None = None
    number: int | None = None
    name: dict[str, str] = field(default_factory=dict)
    score: dict[str, str] = field(default_factory=dict)
    prediction: dict[str, str] = field(default_factory=dict)
    known: str | None = None
    existing: str | None = None
    helpers: list[str] | None = None
    groups: list[str] | None = None
    by: str | None = None
    paths: list[str] = field(default_factory=list)
    picked: str | None = None
    prompt: str | None = None
    passes: dict[str, list[str]] = field(default_factory=dict)
    positive: str | None = None
    aim: str | None = None
    classifier: str | None = None
    classifiers: list[str] | None = None
    pair: list[str] | None = None
    direction: dict[str, str] = field(default_factory=dict)
    threshold: dict[str, float] = field(default_factory=dict)
    thresholds: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, list[str]] = field(default_factory=dict)
    matter: list[str] | None = None
    budget: int | None = None
    most: int | None = None
    claims: dict[str, Any] = field(default_factory=dict)
    design: str | None = None
    project_name: str | None = None


@dataclass
class Draft(OfAFile):
    """What a person has chosen of a project so far. None, or nothing under its name, leaves it to
    what the file suggests: a choice that the file does not offer any more counts as none.

    Each field holds what its input shows; ``labelcore.ui.fields`` has the inputs.
    """

    step: int = 1
    listed: str | None = None
    typed: str | None = None
    path: str | None = None
    opened: str | None = None
    uploaded: str | None = None

    question: str | None = None
    instructions: str | None = None
    yes: str | None = None
    no: str | None = None
    keys: str | None = None
    order: str | None = None
    other_answers: str | None = None

    every_aim: bool = False
    trained: str | None = None
    target: str | None = None

    way: str | None = None
    margin: float | None = None
    claim_count: int = 1
    claim_form: dict[str, str] = field(default_factory=dict)
    params: dict[str, Any] = field(default_factory=dict)
    first_seed: int = field(default_factory=lambda: secrets.randbelow(1_000_000))
    seed: int | None = None
    confidence: float | None = None
    promise: str | None = None
    together: bool | None = None
    unsure: str | None = None
    stops: dict[str, bool] = field(default_factory=dict)
    stop_how: dict[str, str] = field(default_factory=dict)
    first_day: date = field(default_factory=lambda: datetime.now(UTC).date() + timedelta(days=1))
    day: date | None = None
    hour: clock_time | None = None
    repeats: float | None = None
    readers: int | None = None
    overlap: float | None = None

    def chosen(self, name: str, part: str = "") -> Any:
        """What was chosen for a field, or for one ``part`` of it; None for nothing."""
        held = getattr(self, name)
        return held.get(part) if isinstance(held, dict) else held

    def take(self, name: str, value: Any, part: str = "") -> None:
        """A choice; what was chosen on other grounds is forgotten."""
        held = getattr(self, name)
        if isinstance(held, dict):
            held[part] = value
        else:
            setattr(self, name, value)
        self.forget(FORGETS.get(name, ()))

    def forget(self, names: Sequence[str]) -> None:
        """Leave these fields to what the file suggests."""
        anew = Draft()
        for name in names:
            setattr(self, name, getattr(anew, name))

    def value(
        self, name: str, first: Any, options: Collection[Any] | None = None, part: str = ""
    ) -> Any:
        """What counts for a field: what was chosen where it is among the ``options``, else the
        ``first`` value."""
        chosen = self.chosen(name, part)
        if chosen is None or options is None:
            return first if chosen is None else chosen
        if isinstance(chosen, list):
            kept = [option for option in chosen if option in options]
            return kept if kept or not chosen else first
        return chosen if chosen in options else first

    def close(self) -> None:
        """Ask for another file; what was chosen for this one stays until it is there."""
        self.forget(("path", "uploaded", "listed", "typed"))

    def open(self, path: str) -> None:
        """Begin with another file: what was chosen for the one before is forgotten."""
        if path != self.opened:
            self.forget([item.name for item in fields(OfAFile)])
        self.path = self.opened = path

    def begin(self, changes: ProjectDraft) -> None:
        """Take over what another page or a button has chosen."""
        if changes.question is not None:
            self.take("aim", changes.question)
        for name in ("existing", "target", "design", "way", "promise", "budget"):
            if getattr(changes, name) is not None:
                self.take(name, getattr(changes, name))
        if changes.estimands is not None and changes.question is not None:
            self.numbers[changes.question] = list(changes.estimands)
        if changes.classifiers:
            names = list(changes.classifiers)
            self.classifier, self.classifiers = names[0], names
            self.pair = names if len(names) == 2 else self.pair
        for name, values in changes.thresholds or ():
            self.thresholds[name] = " ".join(f"{value:.12g}" for value in values)
        method = changes.design or changes.params_of
        if changes.params is not None and method:
            others = {k: v for k, v in self.params.items() if not k.startswith(f"{method}-")}
            given = {f"{method}-{name}": value for name, value in changes.params.items()}
            self.params = {**others, **{k: v for k, v in given.items() if v is not None}}
        if changes.margin is not None:
            self.way, self.margin = MARGIN, 100 * changes.margin
        elif changes.budget is not None:
            self.way = BUDGET

    def id_column(self, names: Sequence[str], guess: Guess) -> str | tuple[str, ...] | None:
        """A column, several, or ROW_NUMBERS; None until one is chosen."""
        options = [ROW_NUMBERS, *names, SEVERAL_COLUMNS]
        chosen: str | None = self.value("id", first_id(guess), options)
        if chosen != SEVERAL_COLUMNS:
            return chosen
        return tuple(self.value("ids", [], names)) or None

    def classifier_columns(
        self, names: Sequence[str], guess: Guess
    ) -> tuple[ClassifierColumns, ...] | None:
        """The classifiers; None while their number is out of bounds."""
        number = self.value("number", len(first_rows(guess)))
        if not 0 <= number <= MOST_CLASSIFIERS:
            return None
        rows = []
        for place in range(number):
            given, part = first_row(guess, place), str(place)
            name = self.value("name", given.name, part=part).strip() or given.name
            score = self.value("score", given.score or NO_COLUMN, [NO_COLUMN, *names], part)
            prediction = self.value(
                "prediction", given.prediction or NO_COLUMN, [NO_COLUMN, *names], part
            )
            if score != NO_COLUMN or prediction != NO_COLUMN:
                read = (column if column != NO_COLUMN else None for column in (score, prediction))
                rows.append(ClassifierColumns(name, *read))
        return tuple(rows)

    def lacking(self, names: Sequence[str], guess: Guess) -> str:
        """What must still be said of the columns; "" for nothing."""
        if self.id_column(names, guess) is None:
            return NO_ID
        rows = self.classifier_columns(names, guess)
        content = self.value("content", list(guess.content), names)
        return OPEN_MEANINGS if rows is None or not content else ""

    def columns(
        self,
        names: Sequence[str],
        guess: Guess,
        sample: Sequence[Mapping[str, str]],
        dialect: Mapping[str, Any],
    ) -> Columns:
        """What the columns mean, as far as that is said."""
        key = self.id_column(names, guess)
        columns = Columns(
            None if key == ROW_NUMBERS else key,
            tuple(self.value("content", list(guess.content), names)),
            self.classifier_columns(names, guess) or (),
            dialect=tuple(dialect.items()),
        )
        return replace(columns, revealing=columns.revealing_of(sample))

    def to_json(self) -> dict[str, Any]:
        """What was chosen, as JSON has it."""
        plain = Draft(first_seed=-1, first_day=date.min)
        held = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            name: value.isoformat() if isinstance(value, (date, clock_time)) else value
            for name, value in held.items()
            if value != getattr(plain, name)
        }

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Draft:
        """The opposite of ``to_json``. Raises TypeError for a name that no field has."""
        for name, kind in TIMES.items():
            if name in values:
                values = {**values, name: kind.fromisoformat(values[name])}
        return cls(**values)


def first_id(guess: Guess) -> str | None:
    return None if guess.asks("id") else guess.id or ROW_NUMBERS


def first_rows(guess: Guess) -> tuple[ClassifierColumns, ...]:
    return guess.classifiers[:MOST_CLASSIFIERS]


def first_row(guess: Guess, place: int) -> ClassifierColumns:
    """The classifier in one place; one without columns where no more were found."""
    rows = first_rows(guess)
    return (
        rows[place]
        if place < len(rows)
        else ClassifierColumns(f"classifier {place + 1}", None, None)
    )
