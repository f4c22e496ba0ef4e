"""New project, screen 1: what the columns mean, as chosen or as guessed. Nothing is drawn here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from labelcore.population.arguments import Arguments, threshold_name
from labelcore.population.guess import ClassifierColumns, Guess
from labelcore.population.revealing import HIDDEN, MAY_SHOW, holds_output
from labelcore.ui.draft import MOST_CLASSIFIERS, Aim, ProjectDraft, Question
from labelcore.ui.fields import Rules, same

FOUND = "found"
"""What was found so far, as the name of a classifier."""
NO_COLUMN, ROW_NUMBERS = "(none)", "(no id column: row numbers)"
SEVERAL_COLUMNS = "(several columns together)"
NO_ID = "Choose above what identifies an item."
OPEN_MEANINGS = "Choose above at least one column to judge."


@dataclass(frozen=True)
class Columns(Arguments):
    """How a file is read, and what a project keeps of it besides.

    existing    how the known answers came about
    revealing   content columns that may show a model's output
    hidden      column -> what it is, of those shown once an item is judged
    """

    existing: str | None = None
    revealing: tuple[str, ...] = ()
    hidden: Mapping[str, str] = field(default_factory=dict)

    @property
    def named(self) -> list[str]:
        """The classifiers."""
        return list({**self.scores, **self.predictions})

    @property
    def read(self) -> list[str]:
        """The columns of the classifiers."""
        return [*self.scores.values(), *self.predictions.values()]

    def unused(self, names: Sequence[str]) -> list[str]:
        """Those of the columns ``names`` that mean nothing else."""
        used = (*self.id_columns, *self.content, *self.read)
        return [name for name in names if name not in used]

    def revealing_of(self, sample: Sequence[Mapping[str, str]]) -> tuple[str, ...]:
        """The content columns that are a classifier's own, or hold what a model said."""
        return tuple(
            name
            for name in self.content
            if name in self.read or holds_output(name, [row.get(name, "") for row in sample])
        )

    def finding(self, score: str | None = None, *, descending: bool = False) -> Columns:
        """With what was found so far as a classifier: the known answers are its predictions, and a
        score says which of the other items are likely."""
        bare = self.without_found()
        name = FOUND if FOUND not in bare.named else f"{FOUND} so far"
        return replace(
            bare,
            scores={**bare.scores, **({name: score} if score else {})},
            predictions={**bare.predictions, **({name: self.known} if self.known else {})},
            descending=bare.descending + ((name,) if descending else ()),
        )

    def without_found(self) -> Columns:
        """Without what was found so far as a classifier."""
        found = [name for name, column in self.predictions.items() if column == self.known]
        scores, predictions = (
            {name: column for name, column in columns.items() if name not in found}
            for columns in (self.scores, self.predictions)
        )
        return replace(self, scores=scores, predictions=predictions)

    def made_of(self, name: str) -> tuple[str, ...]:
        """The classifiers that are read from one: itself, or one for each of its thresholds."""
        values = self.thresholds.get(name, ())
        if len(values) < 2:
            return (name,)
        return tuple(threshold_name(name, value, name in self.descending) for value in values)

    def asking(self, kept: Sequence[str]) -> ProjectDraft:
        """The choices that leave these of the classifiers that are read."""
        made = {one: name for name in self.named for one in self.made_of(name)}
        cuts = {
            name: tuple(v for v, one in zip(values, self.made_of(name), strict=True) if one in kept)
            for name, values in self.thresholds.items()
        }
        names = tuple(dict.fromkeys(made[one] for one in kept))
        return ProjectDraft(classifiers=names, thresholds={n: v for n, v in cuts.items() if v})


@dataclass(frozen=True)
class Meanings(Rules):
    """What is chosen of the columns called ``names``, else what is guessed of them."""

    names: Sequence[str]
    guess: Guess

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        columns = same(self.names)
        match name:
            case "id":
                several = [SEVERAL_COLUMNS] if len(columns) > 1 else []
                first = None if self.guess.asks("id") else self.guess.id or ROW_NUMBERS
                return {"options": same([ROW_NUMBERS, *columns, *several]), "first": first}
            case "ids":
                return {"options": columns}
            case "content":
                return {"options": columns, "first": list(self.guess.content)}
            case "number":
                return {"first": min(len(self.guess.classifiers), MOST_CLASSIFIERS)}
            case "name":
                return {"first": self.named(part)}
            case "score" | "prediction":
                first = getattr(self.guessed(part), name) or NO_COLUMN
                return {"options": same([NO_COLUMN, *columns]), "first": first}
        return {}

    @property
    def likely(self) -> list[ClassifierColumns]:
        """The classifiers that were found, and those whose column may be a score."""
        perhaps = (ClassifierColumns(name, name, None) for name in self.guess.perhaps)
        return [*self.guess.classifiers, *perhaps][:MOST_CLASSIFIERS]

    def guessed(self, part: str) -> ClassifierColumns:
        """The classifier in one place; one without columns where no more are likely."""
        none = ClassifierColumns(f"classifier {int(part) + 1}", None, None)
        return dict(enumerate(self.likely)).get(int(part), none)

    def named(self, part: str) -> str:
        """As it was guessed, or as its column where that is another one."""
        guessed, shown = self.guessed(part), self.chosen(part)
        if {*shown} & {guessed.score, guessed.prediction} - {None}:
            return guessed.name
        return next(filter(None, shown), guessed.name)

    def chosen(self, part: str) -> list[str | None]:
        """The columns of score and prediction in one place."""
        shown = (self.shown(kind, part) for kind in ("score", "prediction"))
        return [None if one == NO_COLUMN else one for one in shown]

    @property
    def id(self) -> str | tuple[str, ...] | None:
        """A column, several, or ROW_NUMBERS; None until one is chosen."""
        chosen: str | None = self.shown("id")
        return tuple(self.shown("ids")) or None if chosen == SEVERAL_COLUMNS else chosen

    @property
    def placed(self) -> dict[str, ClassifierColumns] | None:
        """The classifiers that have a column, by their places; None while their number is out of
        bounds."""
        number = self.row("number")
        if number.fault(number.shown(self.now)):
            return None
        rows = {str(place): self.classifier(str(place)) for place in range(number.shown(self.now))}
        return {part: row for part, row in rows.items() if row.score or row.prediction}

    @property
    def classifiers(self) -> tuple[ClassifierColumns, ...] | None:
        return None if self.placed is None else tuple(self.placed.values())

    def classifier(self, part: str) -> ClassifierColumns:
        name = self.shown("name", part).strip() or self.named(part)
        return ClassifierColumns(name, *self.chosen(part))

    @property
    def lacking(self) -> str:
        """What must still be said of the columns; "" for nothing."""
        if self.id is None:
            return NO_ID
        complete = self.classifiers is not None and self.shown("content")
        return "" if complete else OPEN_MEANINGS

    def columns(self, sample: Sequence[Mapping[str, str]], dialect: Mapping[str, Any]) -> Columns:
        """What the columns mean, as far as that is said."""
        rows = self.classifiers or ()
        columns = Columns(
            id=None if self.id == ROW_NUMBERS else self.id,
            content=tuple(self.shown("content")),
            scores={row.name: row.score for row in rows if row.score},
            predictions={row.name: row.prediction for row in rows if row.prediction},
            thresholds={},
            descending=(),
            classes=None,
            positive=None,
            metadata=(),
            dialect=dialect,
        )
        return replace(columns, revealing=columns.revealing_of(sample))

    def check_names(self) -> None:
        """Raises ValueError when two classifiers have one name."""
        names = [row.name for row in self.classifiers or ()]
        if len(set(names)) < len(names):
            raise ValueError(f"Two classifiers have the same name: {', '.join(names)}.")


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
