"""A project in the making, as plain values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from labelcore.ui.guess import ClassifierColumns


@dataclass(frozen=True)
class Columns:
    """What the columns mean, and how the classes and the chosen classifier are read."""

    id: str | None
    content: tuple[str, ...]
    classifiers: tuple[ClassifierColumns, ...]
    classes: tuple[str, ...] | None = None
    positive: str | None = None
    thresholds: tuple[tuple[str, float], ...] = ()
    descending: tuple[str, ...] = ()

    def arguments(self) -> dict[str, Any]:
        """Arguments of ``read_population``.

        Raises ValueError when two classifiers have one name.
        """
        names = [one.name for one in self.classifiers]
        if len(set(names)) < len(names):
            raise ValueError(f"Two classifiers have the same name: {', '.join(names)}.")
        return {
            "id": self.id,
            "content": list(self.content),
            "scores": {one.name: one.score for one in self.classifiers if one.score},
            "predictions": {one.name: one.prediction for one in self.classifiers if one.prediction},
            "thresholds": dict(self.thresholds),
            "descending": list(self.descending),
            "classes": None if self.classes is None else list(self.classes),
            "positive": self.positive,
        }

    def asked(self, classes: tuple[str, ...], positive: str) -> Columns:
        return replace(self, classes=classes, positive=positive)

    def cut(self, name: str, threshold: float | None, descending: bool) -> Columns:
        """With the chosen classifier's threshold and direction."""
        return replace(
            self,
            thresholds=() if threshold is None else ((name, threshold),),
            descending=(name,) if descending else (),
        )


@dataclass(frozen=True)
class Question:
    """What is asked of a person."""

    text: str
    instructions: str
    classes: tuple[str, str]
    positive: str


@dataclass(frozen=True)
class Aim:
    """What is to be known about which classifier."""

    estimands: tuple[str, ...]
    classifier: str | None
    trained_on: str
    target: str


def settings(question: Question, aim: Aim) -> Mapping[str, Any]:
    """What is kept with the project beside plan and file."""
    return {
        "question": question.text,
        "instructions": question.instructions,
        "used_for_training": aim.trained_on,
    }
