"""What the columns of a log of model calls are: what was asked and answered, by which system, and
what judges said of it. Recognised by shape and by the names that tracing tools use."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from labelcore.population.revealing import YES_OR_NO, looks_like_answer, snake, verdicts

Values = Mapping[str, Sequence[str]]
TALK = re.compile(
    r'\s*(\[\s*\{.{0,2000}?"(role|from|message\.role)"|\{.{0,2000}?"role")\s*:', re.DOTALL
)
GIVEN = re.compile(
    r"(^|_)(inputs?|prompts?|questions?|query|instructions?|messages|conversations?|user_input)$"
    r"|(^|_)(input|inputs|prompt)_(messages|value|content|text|question|query)$",
    re.IGNORECASE,
)
ANSWER = re.compile(
    r"(^|_)(outputs?|answers?|response|completion|generation|generated|reply|generated_text)$"
    r"|(^|_)(output|outputs|response|completion)_(messages|content|value|text|message|answer)$",
    re.IGNORECASE,
)
TITLE = re.compile(r"(^|\.)(subject|title|headline)$", re.IGNORECASE)
SYSTEM = re.compile(
    r"(^|_)(model|system|llm|variant|candidate|generator|(request_|response_)?model(_name|_id)?)$",
    re.IGNORECASE,
)
PROMPT = re.compile(
    r"(^|_)(prompt|question|input|example|query|task|instruction|dataset_item)_?id$"
    r"|(^|_)prompt_(hash|key|number)$",
    re.IGNORECASE,
)
HUMAN = re.compile(r"(?<![a-z])(human|person|people|expert|manual|gold|golden)(?![a-z])", re.I)
VERDICT = ("verdict", "label", "stringvalue", "string_value", "passed", "result.label", "grade")
SCORE = ("score", "value", "rating", "result.score")
REASON = (
    *("reason", "reasoning", "comment", "explanation", "rationale", "justification"),
    *("result.explanation", "result.reason"),
)
NAMED = re.compile(r"(?P<whole>.+\[[^=\[\]]+=(?P<name>[^\[\]]*)\])\.(?P<leaf>.+)")
FLAT = re.compile(
    r"(?P<whole>(?:.+[._])?(?P<name>judge\w*?|eval\w*?|evaluation|evaluator|result"
    r"|human|[^._]*judge))[._](?P<leaf>verdict|label|passed|grade|score|value|rating|reason|reasoning|comment"
    r"|explanation|rationale|justification)",
    re.IGNORECASE,
)
ALONE = re.compile(r"judge|verdict|judge?ment", re.IGNORECASE)
"""What the only judge's column may be called without a name before it."""
GENERAL = ("result", "eval", "evaluation", "evaluator")
KEYS = (
    re.compile(r"(^|_)(span|observation|call|generation|output|response|completion)_?id$", re.I),
    re.compile(r"^(id|uid|uuid|key)$", re.I),
    re.compile(r"(^|_)id$", re.I),
)
FEW = 12
FEWEST_LEVELS = 3
"""A scale has as many levels; two are a verdict."""
PASS = re.compile(
    r"\s*(pass(ed)?|yes|y|true|1(\.0)?|ok|good|correct|acceptable|safe|relevant|grounded|helpful"
    r"|factual|accept(ed)?|👍)\s*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Judge:
    """The columns of one judge; any may be missing but not both of verdict and score."""

    name: str
    verdict: str | None = None
    score: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Roles:
    """What the columns of a log of model calls are.

    content   what a person reads: the messages, or what was asked, then what was answered
    key       the column that identifies a call
    judges    those that are no people; ``human``: the column of what people said already
    """

    content: tuple[str, ...]
    system: str | None = None
    prompt: str | None = None
    judges: tuple[Judge, ...] = ()
    human: str | None = None
    key: str | None = None
    taken: tuple[str, ...] = field(default=(), repr=False)


def roles_of(values: Values) -> Roles | None:
    """From the columns' first values; None for a file that is no such log.

    >>> said = {"prompt": ["2 + 2?"], "answer": ["4"], "judge.verdict": ["pass"], "model": ["a"]}
    >>> roles_of(said).content, roles_of(said).judges[0].verdict
    (('prompt', 'answer'), 'judge.verdict')
    >>> said = {"question": ["2 + 2?"], "answer": ["4"], "verdict": ["pass"], "reason": ["Right."]}
    >>> roles_of(said).judges
    (Judge(name='judge', verdict='verdict', score=None, reason='reason'),)
    """
    judges, human = _judges(values)
    alone = [] if judges else _judge_alone(values)
    judges = judges or alone
    taken = [column for judge in (*judges, *human) for column in columns_of(judge)]
    free = [name for name in values if name not in taken and any(map(str.strip, values[name]))]
    content = _content(free, values)
    talks = any(holds_messages(values[name]) for name in content)
    if not content or not (judges or talks):
        return None
    if alone and len(content) == 1 and not talks:
        return None  # A text with a verdict beside it is no question with its answer.
    rest = [name for name in free if name not in content]
    systems = (name for name in rest if SYSTEM.search(snake(name)) and _few(values[name]))
    prompts = (name for name in rest if PROMPT.search(snake(name)) and len({*values[name]}) > 1)
    system, prompt = next(systems, None), next(prompts, None)
    answer = human[0].verdict or human[0].score if human else None
    return Roles(
        content,
        system,
        prompt,
        tuple(judges),
        answer,
        _key([name for name in rest if name not in (system, prompt)], values),
        tuple(taken),
    )


def _key(names: Sequence[str], values: Values) -> str | None:
    """An id that differs in each row, of a call rather than of a trace that may hold several."""
    whole = [name for name in names if len({*values[name]} - {""}) == len(values[name])]
    keys = (name for kind in KEYS for name in whole if kind.search(snake(name)))
    return next(keys, None)


def columns_of(judge: Judge) -> list[str]:
    return [column for column in (judge.verdict, judge.score, judge.reason) if column]


def _content(free: Sequence[str], values: Values) -> tuple[str, ...]:
    """What was asked before what was answered; messages rather than their parts."""
    given = [name for name in free if GIVEN.search(snake(name))]
    answers = [name for name in free if ANSWER.search(snake(name)) and not looks_like_answer(name)]
    answers += [name for name in free if snake(name).lower() == "answer" and name not in answers]
    first, last = _best(given, values), _best(answers, values)
    if first is not None and last is None and not holds_messages(values[first]):
        return ()  # A question alone is nothing to judge.
    beside = (first or "").rpartition(".")[0]
    titles = [name for name in free if TITLE.search(name) and name.rpartition(".")[0] == beside]
    return tuple(dict.fromkeys(name for name in (*titles, first, last) if name))


def _best(names: Sequence[str], values: Values) -> str | None:
    """Messages before texts, and of each the first; identifiers are neither."""
    plain = [name for name in names if not name.rpartition(".")[2].endswith(("id", "role", "type"))]
    talks = [name for name in plain if holds_messages(values[name])]
    return next(iter([*talks, *plain]), None)


def holds_messages(values: Sequence[str]) -> bool:
    """Whether every value that is there begins like a list of messages: it may be cut off.

    >>> holds_messages(['[{"role": "user", "content": "hi"}]', ""]), holds_messages(["[1]"])
    (True, False)
    """
    filled = [value for value in values if value.strip()]
    return bool(filled) and all(TALK.match(value) for value in filled)


def _few(values: Sequence[str]) -> bool:
    return 0 < len({*values} - {""}) <= FEW


def _judges(values: Values) -> tuple[list[Judge], list[Judge]]:
    """Those of a model and those of people: fields that lie in one object, or share a name."""
    groups: dict[str, dict[str, str]] = {}
    called: dict[str, str] = {}
    for column in values:
        match = NAMED.fullmatch(column) or FLAT.fullmatch(column)
        if match is not None:
            groups.setdefault(match["whole"], {})[match["leaf"].lower()] = column
            called[match["whole"]] = match["name"]
    judges = [(whole, _judge(called[whole], leaves, values)) for whole, leaves in groups.items()]
    verdicts = [(whole, judge) for whole, judge in judges if judge.verdict or judge.score]
    human = [judge for whole, judge in verdicts if HUMAN.search(whole)]
    return [judge for _, judge in verdicts if judge not in human], human


def _judge_alone(values: Values) -> list[Judge]:
    """The judge of a table whose columns say no name of one: a verdict, and why."""
    for column, said in values.items():
        words = {value.strip().lower() for value in said} - {""}
        if ALONE.fullmatch(column) and (
            verdicts(said) or graded(said) or (words and words <= YES_OR_NO)
        ):
            leaves = {name.lower(): name for name in values if name.lower() in REASON}
            return [_judge("judge", {"verdict": column, **leaves}, values)]
    return []


def _judge(name: str, leaves: Mapping[str, str], values: Values) -> Judge:
    names = [leaves[leaf] for leaf in VERDICT if leaf in leaves]
    grades = [name for name in names if graded(values[name])]
    verdict = next((name for name in names if _few(values[name]) and name not in grades), None)
    score = next((leaves[leaf] for leaf in SCORE if leaf in leaves), next(iter(grades), None))
    reason = next((leaves[leaf] for leaf in REASON if leaf in leaves), None)
    if score is not None and not graded(values[score]):
        verdict = verdict or (score if _few(values[score]) else None)
        score = None
    return Judge("judge" if name.lower() in GENERAL else name, verdict, score, reason)


def graded(values: Sequence[str]) -> bool:
    """Whether values are numbers of a scale, not two that stand for a verdict.

    >>> graded(["1", "4", "5", ""]), graded(["0.0", "1.0"]), graded(["pass", "4", "5"])
    (True, False, False)
    """
    filled = {value.strip() for value in values} - {""}
    try:
        numbers = {float(value) for value in filled}
    except ValueError:
        return False
    return len(numbers) >= FEWEST_LEVELS or bool(numbers - {0.0, 1.0} and len(numbers) == 1)


def passing(values: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    """Judge -> which of its different values say that an answer passes, of those whose words are
    known; none for grades, and where all judges together have two plain values that speak for
    themselves.

    >>> passing({"a": ["pass", "fail", "ERROR", ""], "b": ["correct", "incorrect"], "c": ["x"]})
    {'a': ('pass',), 'b': ('correct',)}
    >>> passing({"a": ["pass", "fail"], "b": ["fail", "pass"]}), passing({"a": ["1", "3", "5"]})
    ({}, {})
    """
    every = {value for some in values.values() for value in some}
    if len(every) <= 2 and all(value.strip() for value in every):
        return {}
    words = {name: some for name, some in values.items() if not graded(some)}
    passes = {name: tuple(filter(PASS.fullmatch, some)) for name, some in words.items()}
    return {name: some for name, some in passes.items() if some}
