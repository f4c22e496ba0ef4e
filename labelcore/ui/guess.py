"""What the columns of a file probably mean, from their names and first values."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

TRUTH = re.compile(
    r"(^|_)(true|truth|gold|golden|ratings?|digit|actual|ground_?truth|annotations?|correct)(_|$)"
    r"|^(y|y_true|labels?|target|class|answer|verdict|judge?ment)$|^label_",
    re.IGNORECASE,
)
ID = re.compile(r"^(id|uid|uuid|key|index|row|.*_id|item|nr|no)$", re.IGNORECASE)
SCORE = re.compile(
    r"(^|_)(scores?|prob(ability)?|proba|p|conf(idence)?|logits?|similarity|margin)(_|$)",
    re.IGNORECASE,
)
PREDICTION = re.compile(
    r"(^|_)(pred(icted|ictions?|s)?|decision|output|flag(ged)?)(_|$)", re.IGNORECASE
)
CONTENT = re.compile(
    r"^(text|content|message|body|image|picture|sentence|document|abstract|title|question|prompt|"
    r"response|comment|post|review|phrase|description|subject)s?[ _-]?(\d+|[ab])?$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\s*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\s*")
FEW_VALUES = 12
LONG_ENOUGH = 0.4


@dataclass(frozen=True)
class ClassifierColumns:
    """One classifier's columns; either may be missing."""

    name: str
    score: str | None
    prediction: str | None


@dataclass(frozen=True)
class Guess:
    """What is preselected; ``answers`` are columns that look like the truth."""

    id: str | None
    content: tuple[str, ...]
    classifiers: tuple[ClassifierColumns, ...]
    answers: tuple[str, ...]


def looks_like_answer(column: str) -> bool:
    """
    >>> looks_like_answer("true_label"), looks_like_answer("ratings"), looks_like_answer("text")
    (True, True, False)
    """
    return TRUTH.search(column) is not None


def guess(columns: Sequence[str], sample: Sequence[Mapping[str, str]]) -> Guess:
    """Preselections for the form; the person sees and changes all of them."""
    values = {name: [row[name] for row in sample if name in row] for name in columns}
    answers = tuple(name for name in columns if looks_like_answer(name))
    free = [name for name in columns if name not in answers]
    id_column = next((name for name in free if ID.match(name)), None)
    free = [name for name in free if name != id_column]
    predictions = [n for n in free if PREDICTION.search(n) and len(set(values[n])) <= FEW_VALUES]
    scores = [n for n in free if n not in predictions and _is_score(n, values[n])]
    rest = [n for n in free if n not in predictions and n not in scores]
    return Guess(id_column, _content(rest, values), _pairs(scores, predictions), answers)


def _numbers(values: Sequence[str]) -> list[float] | None:
    if not values or not all(NUMBER.fullmatch(value) for value in values):
        return None
    return [float(value) for value in values]


def _is_score(name: str, values: Sequence[str]) -> bool:
    """A bad value in a column named like a score is a fault to be told, not another meaning."""
    if SCORE.search(name) and any(NUMBER.fullmatch(value) for value in values):
        return True
    numbers = _numbers(values)
    if numbers is None:
        return False
    whole = all(number.is_integer() for number in numbers)
    inside = all(0 <= number <= 1 for number in numbers)
    return inside and not whole


def _content(rest: Sequence[str], values: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    words = [name for name in rest if _numbers(values[name]) is None]
    named = tuple(name for name in words if CONTENT.match(name))
    if named:
        return named
    lengths = {name: sum(map(len, values[name])) / max(len(values[name]), 1) for name in words}
    longest = max(lengths.values(), default=0)
    found = tuple(name for name in words if lengths[name] >= LONG_ENOUGH * longest)
    return found or tuple(rest[:1])


def _pairs(scores: Sequence[str], predictions: Sequence[str]) -> tuple[ClassifierColumns, ...]:
    """Score and prediction columns with the same rest of their name belong together."""
    left = {_stem(name, PREDICTION): name for name in predictions}
    found = []
    for score in scores:
        stem = _stem(score, SCORE)
        found.append(ClassifierColumns(stem or "classifier", score, left.pop(stem, None)))
    found += [ClassifierColumns(stem or "classifier", None, name) for stem, name in left.items()]
    return _named_once(found)


def _stem(name: str, pattern: re.Pattern[str]) -> str:
    """
    >>> _stem("score_lr", SCORE), _stem("spam_prob", SCORE), _stem("score", SCORE)
    ('lr', 'spam', '')
    """
    return pattern.sub("_", name, count=1).strip("_ ")


def _named_once(found: Sequence[ClassifierColumns]) -> tuple[ClassifierColumns, ...]:
    names: set[str] = set()
    out = []
    for one in found:
        name = one.name if one.name not in names else str(one.score or one.prediction)
        names.add(name)
        out.append(ClassifierColumns(name, one.score, one.prediction))
    return tuple(out)
