"""What the columns of a file probably mean, from their names and first values."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from labelcore.population.revealing import (
    YES_OR_NO,
    holds_output,
    looks_like_answer,
    snake,
    verdicts,
)
from labelcore.population.roles import ANSWER, GIVEN, Roles, roles_of
from labelcore.population.text import shorten

Value = TypeVar("Value", covariant=True)

# The better names of an id come first; a column called as in the first is one whatever it holds.
IDS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"^(id|uid|uuid|guid|key|record_id|item_id)$",
        r"_id$",
        r"(^|_)(control|bates|document|doc|case|ticket|order|accession|docket|reference|record|serial"
        r"|invoice|claim|message)_(number|nr|no|num|key)$",
        r"^(nr|no|number|nummer|item|row|index|unnamed:_0|)\.?$",
    )
)
SCORE = re.compile(
    r"(^|_)(scores?|prob(abilit(y|ies))?|proba|p|conf(idence)?|logits?|similarity|margin"
    r"|wahrscheinlichkeit|konfidenz|sicherheit)(_|$)",
    re.IGNORECASE,
)
PREDICTION = re.compile(
    r"(^|_)(pred(icted|ictions?|s)?|decision|action|disposition|output|flag(ged)?|verdict|vorhersage"
    r"|vorhergesagt|entscheidung)(_|$)",
    re.IGNORECASE,
)
FOUND_FLAG = re.compile(
    r"^(is_|was_|already_)?((found|reviewed|screened|retrieved|produced)(_so_far|_already)?"
    r"|(relevant|included)_so_far)$",
    re.IGNORECASE,
)
"""Columns that say of every item whether it was found so far."""
CODE = re.compile(r"(?=.*\d)(?=.*[a-z])[\w#/:-]{2,40}", re.IGNORECASE)
RANK = re.compile(r"(^|_)(?<!page_)rank(ing)?(_|$)|^position$", re.IGNORECASE)
"""Columns whose low numbers stand first; of a page rank the high ones do."""
CONTENT = re.compile(
    r"^(text|content|message|body|image|picture|sentence|document|abstract|title|question|prompt"
    r"|response|comment|post|review|phrase|description|subject|tweet|query|headline|snippet|premise"
    r"|hypothesis|nachricht|inhalt|satz|frage|antwort|kommentar|beschreibung|titel|betreff|bild"
    r"|(image|img|file)_?(path|name|url)?)s?[ _-]?(\d+|[ab])?$",
    re.IGNORECASE,
)
NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")
DATE = re.compile(
    r"(\d{1,4}([-./])\d{1,2}\2\d{1,4})?[T ,]*(\d{1,2}:\d{2}[\d:.,+ utczamp-]*)?", re.IGNORECASE
)
"""Dates, times, or both."""
MODEL = re.compile(r"(^|_)(judges?\d*|model|llm|gpt|classifier|auto)(_|$)", re.IGNORECASE)
JUDGE = re.compile(r"(^|_)judges?\d*(_|$)", re.IGNORECASE)
NUMBERED_MODEL = re.compile(r"(model|llm|gpt|classifier|judge)_?(\d+|[a-z])$", re.IGNORECASE)
POSITIVE = re.compile(r"(^|_)(1|yes|true|pos|positive|ja)$", re.IGNORECASE)
NO_NAMES = ("class", "label", "category")
"""What a classifier is not called after: its column says what is predicted."""
CALLED_PREDICTED = re.compile(r"(^|_)(pred|vorher)", re.IGNORECASE)
WRAPPING = re.compile(
    r"(^|_)(role|type|object|id|name|model|version|lang|language|format|created|finish_reason)$",
    re.IGNORECASE,
)
"""Fields that say what an object is, such as the role of a model's output, not what it holds."""
ABOUT = re.compile(
    r"(^|_)(at|date|day|time|timestamp|ms|seconds|latency|version|dir|folder|count|length)$",
    re.IGNORECASE,
)
"""The last word of what is said about a score or a prediction, such as when it was made."""
FEW_VALUES = 12
SHORT_TEXT = 40
LONG_ENOUGH = 0.4
LONG_TEXT = 15
NAMED, LIKELY, UNSURE = 0.95, 0.75, 0.4
ENOUGH = 0.5
ROUNDED = 0.015
MOST_NAMED = 6
FEWEST_CODES = 5
NEARLY_ALL = 0.9


@dataclass(frozen=True)
class ClassifierColumns:
    """One classifier's columns; either may be missing."""

    name: str
    score: str | None
    prediction: str | None


@dataclass(frozen=True)
class Guess:
    """What is preselected; ``answers`` are columns that look like the truth.

    roles        what the columns are of a log of model calls, None of any other file
    perhaps      columns filled like a score that are not called like one
    confidence   "id", "content", "classifiers" -> from 0 to 1; what is under ENOUGH is asked
    reasons      the same keys, for what is asked or was left out -> why
    """

    id: str | None
    content: tuple[str, ...]
    classifiers: tuple[ClassifierColumns, ...]
    answers: tuple[str, ...]
    confidence: Mapping[str, float]
    reasons: Mapping[str, str]
    roles: Roles | None = None
    perhaps: tuple[str, ...] = ()

    def asks(self, part: str) -> bool:
        return self.confidence[part] < ENOUGH


@dataclass(frozen=True)
class Found(Generic[Value]):
    """One part of a guess; ``reason`` where it is asked or something was left out."""

    value: Value
    confidence: float
    reason: str = ""


def guess(columns: Sequence[str], sample: Sequence[Mapping[str, str]]) -> Guess:
    """Preselections for the form; the person sees and changes all of them."""
    columns = list(dict.fromkeys(columns))
    values = {name: [row[name] for row in sample if name in row] for name in columns}
    if (roles := roles_of(values)) is not None:
        return _of_calls(columns, values, roles)
    answers = tuple(name for name in columns if _is_truth(name, values[name]))
    free = _without(columns, answers)
    key = _id(free, values)
    free = [name for name in free if name != key.value]
    predictions = [name for name in free if _is_prediction(name, values[name])]
    free = _without(free, predictions)
    scores = [name for name in free if _is_score(name, values[name])]
    rest = _without(free, scores)
    content = _content(rest, values)
    others = _without(rest, content.value)
    perhaps = tuple(name for name in others if _between(values[name]))
    codes = [name for name in others if set(values[name]) == {"0", "1"}]
    left_out = _left_out(perhaps, codes)
    classifiers = _classifiers(scores, predictions, left_out, values)
    parts: dict[str, Found[object]] = {"id": key, "content": content, "classifiers": classifiers}
    return Guess(
        key.value,
        content.value,
        classifiers.value,
        answers,
        {name: part.confidence for name, part in parts.items()},
        {name: part.reason for name, part in parts.items() if part.reason},
        perhaps=perhaps if classifiers.reason == left_out else (),
    )


def _of_calls(columns: Sequence[str], values: Mapping[str, Sequence[str]], roles: Roles) -> Guess:
    """Of a log of model calls: judges are what is audited, and people's scores the answers."""
    meant = [*roles.content, *roles.taken, roles.system, roles.prompt]
    free = [name for name in columns if name not in meant]
    key = roles.key
    identity = Found(key, NAMED) if key else _id(free, values)
    judges = [ClassifierColumns(judge.name, judge.score, judge.verdict) for judge in roles.judges]
    judges.sort(key=lambda judge: judge.prediction is None)
    human = [roles.human] if roles.human else []
    answers = (*human, *(name for name in free if looks_like_answer(name) and name != key))
    return Guess(
        identity.value,
        roles.content,
        _named_once(judges),
        answers,
        {"id": identity.confidence, "content": NAMED, "classifiers": NAMED},
        {"id": identity.reason} if identity.reason else {},
        roles,
    )


def _without(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    apart = frozenset(taken)
    return [name for name in names if name not in apart]


def _id(free: Sequence[str], values: Mapping[str, Sequence[str]]) -> Found[str | None]:
    for rank, pattern in enumerate(IDS):
        named = [name for name in free if pattern.search(snake(name))]
        if rank:
            named = [name for name in named if _all_different(values[name])]
        if len(named) > 1:
            reason = f"{_all_of(named)} could each identify an item."
            return Found(None, UNSURE, reason)
        if named:
            return Found(named[0], NAMED if rank == 0 else LIKELY)
    codes = [name for name in free if _all_different(values[name]) and _codes(values[name])]
    if len(codes) == 1:
        return Found(codes[0], LIKELY)
    called = [name for name in free if any(sign.search(snake(name)) for sign in IDS[:-1])]
    nearly = (name for name in called if len({*values[name]}) >= NEARLY_ALL * len(values[name]))
    return Found(None, LIKELY, next((_why_no_id(name, values[name]) for name in nearly), ""))


def _why_no_id(name: str, values: Sequence[str]) -> str:
    """Of a column whose values are not all there and different."""
    row = next(row for row, value in enumerate(values) if not value or value in values[:row])
    if not values[row]:
        return f"{name} is called like an id, but it is empty in row {row + 1}."
    rows = f"row {values.index(values[row]) + 1} and again in row {row + 1}"
    return f"{name} is called like an id, but {values[row]!r} is in {rows}."


def _codes(values: Sequence[str]) -> bool:
    """Signs such as T-0017, which say nothing themselves."""
    return len(values) >= FEWEST_CODES and all(map(CODE.fullmatch, values))


def _all_different(values: Sequence[str]) -> bool:
    return len(set(values)) == len(values) and all(values)


def _all_of(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        names = [*names[: MOST_NAMED - 1], f"{len(names) - MOST_NAMED + 1:,} more"]
    names = [shorten(name, SHORT_TEXT) for name in names]
    return ", ".join(names[:-1]) + " and " + names[-1] if len(names) > 1 else names[0]


def _numbers(values: Sequence[str]) -> list[float] | None:
    if not values or not all(NUMBER.fullmatch(value) for value in values):
        return None
    return [float(value.replace(",", ".")) for value in values]


def _numbers_or_dates(values: Sequence[str]) -> bool:
    """Whether no value is of another kind."""
    given = [value.strip() for value in values if value.strip()]
    return all(NUMBER.fullmatch(value) or DATE.fullmatch(value) for value in given)


def _between(values: Sequence[str]) -> bool:
    """Numbers from 0 to 1, not all of them whole."""
    numbers = _numbers(values) or [0.0]
    whole = all(number.is_integer() for number in numbers)
    return not whole and all(0 <= number <= 1 for number in numbers)


def _is_truth(name: str, values: Sequence[str]) -> bool:
    """Whether a column is called like the truth; "answer" with texts is what somebody answered."""
    return looks_like_answer(name) and not (snake(name).lower() == "answer" and _texts(values))


def _texts(values: Sequence[str]) -> bool:
    """Whether values are texts that somebody wrote, most of them different."""
    filled = [value for value in values if value.strip()]
    different = len({*filled})
    several = different > FEW_VALUES or sum(map(len, filled)) >= LONG_TEXT * len(filled)
    return several and different >= ENOUGH * len(filled) and not _numbers_or_dates(filled)


def _is_prediction(name: str, values: Sequence[str]) -> bool:
    name, leaf = snake(name), snake(name.rpartition(".")[2])
    if ABOUT.search(name):
        return False
    if MODEL.search(name) and verdicts(values):
        return True
    if any(value.lstrip()[:1] in ("[", "{") for value in values):
        return False
    says_yes = FOUND_FLAG.search(name) or JUDGE.search(name)
    if says_yes and {value.strip().lower() for value in values} <= YES_OR_NO:
        return True
    called = PREDICTION.search(name) or NUMBERED_MODEL.match(name)
    if not any(values) or not called or _between(values):
        return False
    if WRAPPING.search(leaf) and not PREDICTION.search(leaf):
        return False
    short = sum(map(len, values)) <= SHORT_TEXT * len(values)
    return len(set(values)) <= FEW_VALUES or bool(
        CALLED_PREDICTED.search(name) and short and _numbers(values) is None
    )


def _is_score(name: str, values: Sequence[str]) -> bool:
    """A bad value in a column named like a score is a fault to be told, not another meaning."""
    if ABOUT.search(snake(name)):
        return False
    if SCORE.search(snake(name)):
        return any(NUMBER.fullmatch(value.removesuffix("%")) for value in values)
    if RANK.search(snake(name)):
        return _numbers(values) is not None and _all_different(values)
    return bool(PREDICTION.search(snake(name))) and _between(values)


def _content(rest: Sequence[str], values: Mapping[str, Sequence[str]]) -> Found[tuple[str, ...]]:
    """What holds a model's output is never preselected: it would decide for the person. What says
    the same of every item is shown beside what does not, and never alone; a question stands with
    what was answered to it."""
    words = [
        name
        for name in rest
        if not _numbers_or_dates(values[name]) and not holds_output(name, values[name])
    ]
    asked = [name for name in words if GIVEN.search(snake(name))]
    answered = [name for name in words if ANSWER.search(snake(name)) and _texts(values[name])]
    pairs = {*asked, *answered} if asked and answered else set[str]()
    named = tuple(
        name for name in words if name in pairs or _called_content(name) or looks_like_answer(name)
    )
    vary = [name for name in words if len(set(values[name])) > 1 or len(values[name]) == 1]
    if {*named} & {*vary}:
        return Found(named, NAMED)
    lengths = {name: sum(map(len, values[name])) / len(values[name]) for name in vary}
    longest = max(lengths.values(), default=0)
    texts = tuple(name for name in vary if lengths[name] >= LONG_ENOUGH * longest)
    if not any(values.values()):
        return Found((), UNSURE, "The file has a header but no rows.")
    if not texts:
        return Found((), UNSURE, "No column looks like text that a person could judge.")
    if longest >= LONG_TEXT and len(texts) <= 2:
        return Found((*named, *texts), LIKELY)
    reason = f"No column is named like a text or a picture; it could be {_all_of(texts)}."
    return Found((), UNSURE, reason)


def _called_content(name: str) -> bool:
    """Whether a column, or the field of an object that it is, is called like what is judged.

    >>> _called_content("body"), _called_content("ticket.body"), _called_content("body.length")
    (True, True, False)
    """
    return any(CONTENT.match(snake(part)) for part in (name, name.rpartition(".")[2]))


def _classifiers(
    scores: Sequence[str],
    predictions: Sequence[str],
    reason: str,
    values: Mapping[str, Sequence[str]],
) -> Found[tuple[ClassifierColumns, ...]]:
    if _sum_to_one([values[name] for name in scores]):
        positive = [name for name in scores if POSITIVE.search(snake(name))]
        if len(scores) > 2 or len(positive) != 1:
            reason = f"{_all_of(scores)} sum to 1, so they belong to the classes of one classifier."
            if not predictions:
                return Found(
                    (), UNSURE, f"{reason} Choose the one for the class you are looking for."
                )
            return Found(_pairs([], predictions), LIKELY, reason)
        return Found(_pairs(positive, predictions), NAMED)
    pairs = _pairs(scores, predictions)
    return Found(pairs, NAMED if pairs else UNSURE if reason else LIKELY, reason)


def _left_out(between: Sequence[str], codes: Sequence[str]) -> str:
    """What is filled like a score or a prediction and not called like one."""
    sentences = []
    if between:
        sentences.append(
            f"{_holding(between)} numbers from 0 to 1 in the first rows, perhaps a score."
        )
    if codes:
        sentences.append(f"{_holding(codes)} 0 and 1, perhaps a prediction, perhaps the truth.")
    return " ".join(sentences)


def _holding(names: Sequence[str]) -> str:
    return f"{_all_of(names)} {'holds' if len(names) == 1 else 'hold'}"


def _sum_to_one(columns: Sequence[Sequence[str]]) -> bool:
    numbers = [_numbers(column) for column in columns]
    if len(columns) < 2 or any(column is None for column in numbers):
        return False
    return all(abs(sum(row) - 1) < ROUNDED for row in zip(*numbers, strict=True))


def _pairs(scores: Sequence[str], predictions: Sequence[str]) -> tuple[ClassifierColumns, ...]:
    """Score and prediction columns with the same rest of their name belong together.

    So do a single score and a single prediction, unless both have a rest and it differs.
    """
    left = {_stem(name, PREDICTION): name for name in predictions}
    pairs = []
    for score in scores:
        stem = _stem(score, SCORE if SCORE.search(snake(score)) else PREDICTION)
        if stem not in left and len(scores) == len(left) == 1 and (not stem or "" in left):
            other = next(iter(left))
            pairs.append(ClassifierColumns(other or "classifier", score, left.pop(other)))
        else:
            pairs.append(ClassifierColumns(stem or "classifier", score, left.pop(stem, None)))
    pairs += [ClassifierColumns(stem or "classifier", None, name) for stem, name in left.items()]
    return _named_once(pairs)


def _stem(name: str, pattern: re.Pattern[str]) -> str:
    """
    >>> _stem("score_lr", SCORE), _stem("spam_prob", SCORE), _stem("score", SCORE)
    ('lr', 'spam', '')
    >>> _stem("prob_1", SCORE), _stem("predicted class", PREDICTION)
    ('', '')
    """
    stem = pattern.sub("_", snake(name), count=1).strip("_ ")
    return "" if POSITIVE.fullmatch(stem) or stem.lower() in NO_NAMES else stem


def _named_once(rows: Sequence[ClassifierColumns]) -> tuple[ClassifierColumns, ...]:
    names: set[str] = set()
    out = []
    for row in rows:
        name = row.name if row.name not in names else str(row.score or row.prediction)
        names.add(name)
        out.append(ClassifierColumns(name, row.score, row.prediction))
    return tuple(out)
