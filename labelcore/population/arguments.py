"""The arguments of read_population: their types, their plain form, and rules that need no file."""

import math
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import pairwise
from numbers import Real
from typing import Any, Self

from labelcore.population.dialect import checked_dialect
from labelcore.population.text import listing


@dataclass(frozen=True, slots=True)
class Classifier:
    """A classifier's columns. ``threshold`` only where no prediction column decides."""

    name: str
    score: str | None
    prediction: str | None
    threshold: float | None
    descending: bool


@dataclass(frozen=True, slots=True)
class Arguments:
    """What read_population was given, apart from the path, with every type checked."""

    id: str | tuple[str, ...] | None
    content: tuple[str, ...]
    scores: Mapping[str, str]
    predictions: Mapping[str, str]
    thresholds: Mapping[str, tuple[float, ...]]
    descending: tuple[str, ...]
    classes: tuple[str, ...] | None
    positive: str | None
    metadata: tuple[str, ...]
    dialect: Mapping[str, Any]
    known: str | None = None
    helpers: Mapping[str, str] = field(default_factory=dict)
    groups: tuple[str, ...] = ()
    edges: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    prompt: str | None = None
    passing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def checked(cls, **given: Any) -> Self:
        """From what a caller wrote. TypeError naming the argument of a wrong type."""
        return cls(
            id=_id(given["id"]),
            content=_names("content", given["content"]),
            scores=_columns("scores", given["scores"]),
            predictions=_columns("predictions", given["predictions"]),
            thresholds=_thresholds(given["thresholds"]),
            descending=tuple(sorted(set(_names("descending", given["descending"], ordered=False)))),
            classes=_classes(given["classes"]),
            positive=_optional_text("positive", given["positive"]),
            metadata=_names("metadata", given["metadata"]),
            dialect=checked_dialect(given["dialect"]),
            known=_optional_text("known", given.get("known")),
            helpers=_columns("helpers", given.get("helpers", {})),
            groups=_names("groups", _listed(given.get("groups", ()))),
            edges=_edges(given.get("groups", ())),
            prompt=_optional_text("prompt", given.get("prompt")),
            passing={
                name: _names(f"passing[{name!r}]", values)
                for name, values in _mapping("passing", given.get("passing", {})).items()
            },
        )

    def to_json(self) -> dict[str, Any]:
        """JSON values; ``read_population(path, **values)`` reads the same population.

        A dialect, known answers, helpers, groups, prompts and what passes are left out if there are
        none, so that arguments stored before these existed keep their text.
        """
        return {
            "id": list(self.id) if isinstance(self.id, tuple) else self.id,
            "content": list(self.content),
            "scores": dict(self.scores),
            "predictions": dict(self.predictions),
            "thresholds": {
                name: values[0] if len(values) == 1 else list(values)
                for name, values in self.thresholds.items()
            },
            "descending": list(self.descending),
            "classes": None if self.classes is None else list(self.classes),
            "positive": self.positive,
            "metadata": list(self.metadata),
            **({"dialect": dict(self.dialect)} if self.dialect else {}),
            **({"known": self.known} if self.known is not None else {}),
            **({"helpers": dict(self.helpers)} if self.helpers else {}),
            **({"groups": self._groups()} if self.groups else {}),
            **({"prompt": self.prompt} if self.prompt is not None else {}),
            **({"passing": {k: list(v) for k, v in self.passing.items()}} if self.passing else {}),
        }

    def _groups(self) -> list[str] | dict[str, list[float]]:
        if not self.edges:
            return list(self.groups)
        return {name: list(self.edges.get(name, ())) for name in self.groups}

    def classifiers(self) -> Iterator[Classifier]:
        """In the order given: those with a score first, then those with a prediction only."""
        for name, score in self.scores.items():
            thresholds = self.thresholds.get(name, ())
            descending = name in self.descending
            prediction = self.predictions.get(name)
            if prediction is not None or len(thresholds) < 2:
                threshold = thresholds[0] if len(thresholds) == 1 and prediction is None else None
                yield Classifier(name, score, prediction, threshold, descending)
            if len(thresholds) > 1:
                for value in thresholds:
                    label = threshold_name(name, value, descending)
                    yield Classifier(label, score, None, value, descending)
        for name, prediction in self.predictions.items():
            if name not in self.scores:
                yield Classifier(name, None, prediction, None, False)

    @property
    def id_columns(self) -> tuple[str, ...]:
        """The columns that make up an id; none where row numbers do."""
        if self.id is None:
            return ()
        return (self.id,) if isinstance(self.id, str) else self.id

    @property
    def passing_columns(self) -> dict[str, tuple[str, ...]]:
        """Column of predictions -> which of its values pass, of those that are verdicts."""
        return {self.predictions.get(name, ""): words for name, words in self.passing.items()}

    def named_columns(self) -> Iterator[tuple[str, str]]:
        """Every (argument, column of the file) pair, such as ("scores['lr']", "lr_score")."""
        for column in self.id_columns:
            yield "id", column
        if self.known is not None:
            yield "known", self.known
        if self.prompt is not None:
            yield "prompt", self.prompt
        for argument in ("content", "metadata", "groups"):
            for column in getattr(self, argument):
                yield argument, column
        for argument in ("scores", "predictions", "helpers"):
            for name, column in getattr(self, argument).items():
                yield f"{argument}[{name!r}]", column

    def broken_rules(self) -> Iterator[str]:
        """Sentences for what is wrong whatever the file holds."""
        if not self.content:
            yield "content must name at least one column"
        for argument in ("id_columns", "content", "metadata", "groups"):
            names = getattr(self, argument)
            if repeated := sorted({name for name in names if names.count(name) > 1}):
                short = argument.removesuffix("_columns")
                yield f"{short} must name a column once, got {listing(repeated)} again"
        yield from self._broken_thresholds()
        for name, words in self.passing.items():
            if name not in self.predictions:
                yield f"passing names {name!r}, which has no prediction column"
            if not words:
                yield f"passing[{name!r}] must name at least one value"
        if self.known is not None and self.known in self.content:
            yield (
                f"known names {self.known!r}, which content names too: an answer must not be shown "
                "while labelling"
            )
        yield from self._broken_helpers()
        if unknown := [name for name in self.descending if name not in self.scores]:
            yield (
                f"descending names {listing(unknown)}, which has no score; "
                f"scores are given for {listing(self.scores)}"
            )
        names = [classifier.name for classifier in self.classifiers()]
        for name in sorted({name for name in names if names.count(name) > 1}):
            yield f"two classifiers would be called {name!r}; rename one or drop the repetition"
        if "" in names:
            yield "scores and predictions must name classifiers with text that is not empty"

    def _broken_helpers(self) -> Iterator[str]:
        classifiers = [classifier.name for classifier in self.classifiers()]
        for name, column in self.helpers.items():
            if not name:
                yield "helpers must have names that are not empty"
            if name in classifiers:
                yield f"helpers names {name!r}, which is a classifier: every classifier is a helper"
            if column in self.content:
                yield (
                    f"helpers names {column!r}, which content names too: a helper must not be "
                    "shown while labelling"
                )
            if column == self.known:
                yield f"helpers names {column!r}, the column of known answers: it is no helper"

    def _broken_thresholds(self) -> Iterator[str]:
        for name, values in self.thresholds.items():
            if name not in self.scores:
                yield (
                    f"thresholds names {name!r}, which has no score; "
                    f"scores are given for {listing(self.scores)}"
                )
            if not values:
                yield f"thresholds[{name!r}] must hold at least one number"
            for value in values:
                if not math.isfinite(value):
                    yield f"thresholds[{name!r}] must be finite, got {value}"


def threshold_name(name: str, threshold: float, descending: bool) -> str:
    """The classifier made by one of several thresholds: "lr>=0.3", descending "lr<=0.3"."""
    return f"{name}{'<=' if descending else '>='}{repr(threshold).removesuffix('.0')}"


def _wrong(argument: str, rule: str, value: object) -> TypeError:
    return TypeError(f"{argument} must be {rule}, got {type(value).__name__}")


def _optional_text(argument: str, value: object) -> str | None:
    if value is not None and not isinstance(value, str):
        raise _wrong(argument, "text or None", value)
    return value


def _as_list(value: object) -> object:
    """An array or an index as a list, a number of NumPy as that of Python."""
    tolist = getattr(value, "tolist", None)
    return value if tolist is None else tolist()


def _id(value: object) -> str | tuple[str, ...] | None:
    """One column, or several; a list of one is this one."""
    value = _as_list(value)
    if value is None or isinstance(value, str):
        return value
    if not isinstance(value, Sequence):
        raise _wrong("id", "a name, a list of names or None", value)
    names = _names("id", value)
    if not names:
        raise ValueError("id must name at least one column, or be None for row numbers")
    return names[0] if len(names) == 1 else names


def _names(argument: str, value: object, ordered: bool = True) -> tuple[str, ...]:
    value = _as_list(value)
    if isinstance(value, str):
        return (value,)
    allowed = (Sequence,) if ordered else (Sequence, Set)
    if not isinstance(value, allowed) or isinstance(value, bytes):
        raise _wrong(argument, "a name or a list of names", value)
    for name in value:
        if not isinstance(name, str):
            raise _wrong(f"each name in {argument}", "text", name)
    return tuple(value)


def _listed(groups: Any) -> Any:
    """The columns of groups, of which a mapping says where they are cut."""
    return [*groups] if isinstance(groups, Mapping) else groups


def _edges(groups: Any) -> dict[str, tuple[float, ...]]:
    """Where columns of numbers are cut, of those that are not cut at their quartiles."""
    if not isinstance(groups, Mapping):
        return {}
    cuts = {}
    for name, given in groups.items():
        edges: Any = _as_list(given)
        if edges is not None and (isinstance(edges, str) or not isinstance(edges, Sequence)):
            raise _wrong(f"groups[{name!r}]", "a list of rising numbers, where it is cut", edges)
        ends = tuple(_number(f"each number in groups[{name!r}]", edge) for edge in edges or ())
        if not (all(map(math.isfinite, ends)) and all(low < high for low, high in pairwise(ends))):
            raise _wrong(f"groups[{name!r}]", "a list of rising numbers, where it is cut", edges)
        if ends:
            cuts[name] = ends
    return cuts


def _classes(value: object) -> tuple[str, ...] | None:
    if value is None:
        return None
    if isinstance(value, str):
        raise _wrong("classes", "a list of names or None", value)
    return _names("classes", value)


def _mapping(argument: str, value: object) -> Mapping[str, object]:
    key = "helper" if argument == "helpers" else "classifier"
    if not isinstance(value, Mapping):
        or_column = "" if argument in ("thresholds", "passing") else ", or the name of a column"
        raise _wrong(argument, f"a mapping whose keys are {key}s{or_column}", value)
    for name in value:
        if not isinstance(name, str):
            raise _wrong(f"each {key} in {argument}", "text", name)
    return value


def _columns(argument: str, value: object) -> dict[str, str]:
    """One name means a column that is called like what it belongs to."""
    if isinstance(value, str):
        return {value: value}
    columns: dict[str, str] = {}
    for name, column in _mapping(argument, value).items():
        if not isinstance(column, str):
            raise _wrong(f"{argument}[{name!r}]", "the name of a column", column)
        columns[name] = column
    return columns


def _number(argument: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise _wrong(argument, "a number or a list of numbers", value)
    return float(value)


def _thresholds(value: object) -> dict[str, tuple[float, ...]]:
    thresholds: dict[str, tuple[float, ...]] = {}
    for name, cuts in _mapping("thresholds", value).items():
        given = _as_list(cuts)
        numbers = list(given) if isinstance(given, Sequence) else [given]
        label = f"thresholds[{name!r}]"
        if isinstance(given, str):
            raise _wrong(label, "a number or a list of numbers", given)
        thresholds[name] = tuple(_number(label, number) for number in numbers)
    return thresholds
