"""Columns that show a model's output or the answer: whoever sees one does not judge blind."""

import re
from collections.abc import Sequence

from labelcore.population.population import Population

MAY_SHOW, HIDDEN = "may_show_output", "hidden"
"""The setting of a project that names content columns which may show a model's output."""
NAMED = re.compile(
    r"(^|_)(pred(icted|ictions?|s)?|scores?|prob(a|abilit(y|ies))?|conf(idence)?|logits?|verdicts?"
    r"|judges?\d*|reason(s|ing)?|rationales?|explanations?|justifications?)(_|$)"
    r"|^model(_(name|id|version))?$",
    re.IGNORECASE,
)
TRUTH = re.compile(
    r"(^|_)(true|truth|gold|golden|ratings?|digit|actual|ground_?truth|annotations?|correct|wahr"
    r"|wahrheit|richtig|human|manual|expert|reviewer)(_|$)"
    r"|^(y|y_true|labels?|target|class|answer|verdict|judge?ment|choices?|included|asreview_label"
    r"|sentiment|(final_)?cod(ing|ed)(_decision)?|responsive(ness)?|privileged?)$"
    r"|^label_(?!pred)|goldlabel",
    re.IGNORECASE,
)
KEYS = re.compile(r"\"(score|result|model_version|confidence|probability|prediction)\"\s*:")
YES_OR_NO = {"0", "1", "yes", "no", "true", "false", "y", "n"}
VERDICT = re.compile(
    r"\s*(pass(ed)?|fail(ed)?|(in)?correct|(un)?safe|(not[ _-])?(relevant|toxic|spam|grounded)"
    r"|(hallucinat(ed|ion)|irrelevant|ungrounded))\s*",
    re.IGNORECASE,
)


def snake(name: str) -> str:
    """
    >>> snake("True Label"), snake("goldLabel")
    ('True_Label', 'gold_Label')
    """
    return re.sub(r"[ .\-]+|(?<=[a-z])(?=[A-Z])", "_", name.strip())


def looks_like_answer(column: str) -> bool:
    """Whether a column is named like the answer.

    >>> looks_like_answer("true_label"), looks_like_answer("ratings"), looks_like_answer("text")
    (True, True, False)
    """
    return TRUTH.search(snake(column)) is not None


def named_output(name: str) -> bool:
    """Whether a column is called like what a model said.

    >>> named_output("judge_reason"), named_output("Predictions"), named_output("message")
    (True, True, False)
    """
    return NAMED.search(snake(name)) is not None


def verdicts(values: Sequence[str]) -> bool:
    """Whether every value is a verdict, such as "pass" or "incorrect", or empty.

    >>> verdicts(["pass", "", "fail"]), verdicts(["passing by", "fail"]), verdicts([""])
    (True, False, False)
    """
    filled = [value for value in values if value.strip()]
    return bool(filled) and all(VERDICT.fullmatch(value) for value in filled)


def holds_output(name: str, values: Sequence[str]) -> bool:
    """Whether a column is called or filled like what a model said: nested values with a score, a
    result or a model's version, or verdicts."""
    nested = any(value.lstrip()[:1] in ("[", "{") and KEYS.search(value) for value in values)
    return named_output(name) or nested or verdicts(values)


def shown_outputs(population: Population) -> tuple[str, ...]:
    """The content columns that are a classifier's own, or called like what a model said."""
    read = [*population.arguments["scores"].values(), *population.arguments["predictions"].values()]
    return tuple(name for name in population.content_columns if name in read or named_output(name))
