"""What is estimated, in words: its name and what it measures.

A result's key is the name of an estimand, the class it is about where there are several, and the
classifier where it is not the first one, and the group of items that it is about, where that is not
all: "precision[spam]@B[language=de]".
"""

import re
from typing import NamedTuple

from labelcore.estimands import DIFFERENCE, QUANTITIES

_KEY = re.compile(r"(\w+)(?:\[(.*)\])?(?:@(.*))?", re.DOTALL)
# A class may hold the sign, too, as "<=50K" does.
_GROUPED = re.compile(r"(\w+(?:\[.*?\])?(?:@[^=]*?)?)\[([^=]*[^=<>])=(.*)\]", re.DOTALL)


class OfAudit(NamedTuple):
    """The words for an estimand where a model judged answers; ``short`` as in the table."""

    term: str
    short: str


OF_AUDIT = {
    "prevalence": OfAudit("pass rate", "people pass {range} % of {items}"),
    "accuracy": OfAudit("agreement", "{classifier} agrees with people on {range} % of {items}"),
    "recall": OfAudit("true pass rate", "{classifier} passes {range} % of what people pass"),
    "specificity": OfAudit("true fail rate", "{classifier} fails {range} % of what people fail"),
}
SETTLED = "settled"
BY_SETTLED = " by the settled judgement"


def settled_key(key: str) -> str:
    """The key of the same figure for the settled judgement.

    >>> settled_key("precision[spam]@B")
    'precision[spam]@B@settled'
    """
    return f"{key}@{SETTLED}"


def is_settled(key: str) -> bool:
    """Whether a key is that of a figure for the settled judgement."""
    return key.endswith(f"@{SETTLED}")


def key_parts(key: str) -> tuple[str, str, str]:
    """The estimand's name, the class and the classifier of a key, "" where it names none.

    >>> key_parts("precision[a@b]@lr"), key_parts("recall@a[b"), key_parts("f1[language=de]")
    (('precision', 'a@b', 'lr'), ('recall', '', 'a[b'), ('f1', '', ''))

    Raises ValueError for a text that is no key.
    """
    match = _KEY.fullmatch(of_all_items(key))
    if match is None:
        raise ValueError(f"key must be an estimand such as 'precision[spam]@lr', got {key!r}")
    name, inside, classifier = match.groups(default="")
    return name, inside, classifier


def of_all_items(key: str) -> str:
    """The key of the same figure of all items.

    >>> of_all_items("precision[spam]@lr[language=de]"), of_all_items("precision[spam]@lr")
    ('precision[spam]@lr', 'precision[spam]@lr')
    >>> of_all_items("accuracy[language=de]@settled"), of_all_items("recall[<=9][language=de]")
    ('accuracy@settled', 'recall[<=9]')
    """
    settled = f"@{SETTLED}" if is_settled(key) else ""
    match = _GROUPED.fullmatch(key.removesuffix(settled))
    return match[1] + settled if match else key


def group_of(key: str) -> tuple[str, str] | None:
    """Column and name of the group that a key names; None for a figure of all items.

    >>> group_of("precision@lr[language=de]"), group_of("precision[<=50K]")
    (('language', 'de'), None)
    """
    match = _GROUPED.fullmatch(key.removesuffix(f"@{SETTLED}"))
    return (match[2], match[3]) if match else None


def names_another(key: str) -> bool:
    """Whether a key is that of another classifier than the plan's first.

    >>> names_another("precision[a@b]"), names_another("precision@B")
    (False, True)
    """
    return bool(key_parts(key)[2])


def label_of(name: str, audit: bool = False) -> str:
    """
    >>> label_of("f1"), label_of("false_omission_rate"), label_of("prevalence", audit=True)
    ('F1', 'False omission rate', 'Pass rate')
    """
    term = term_of(name, audit)
    return term[:1].upper() + term[1:]


def term_of(name: str, audit: bool = False) -> str:
    """What an estimand is called; ``audit``: where a model judged answers.

    >>> term_of("f1"), term_of("false_omission_rate"), term_of("accuracy_difference", audit=True)
    ('F1', 'false omission rate', 'agreement difference')
    """
    measured = name.removesuffix(DIFFERENCE)
    if audit and measured in OF_AUDIT:
        return OF_AUDIT[measured].term + (" difference" if measured != name else "")
    return QUANTITIES[name].term if name in QUANTITIES else name.replace("_", " ")


def model_word(audit: bool) -> str:
    """What that is called whose answers are held against those of people."""
    return "judge" if audit else "classifier"


def model_named(classifier: str | None, audit: bool = False) -> str:
    """
    >>> model_named("lr"), model_named("gpt", audit=True), model_named("judge", audit=True)
    ("the classifier 'lr'", "the judge 'gpt'", 'the judge')
    """
    word = model_word(audit)
    return f"the {word} {classifier!r}" if classifier and classifier != word else f"the {word}"


def spoken_key(key: str, audit: bool) -> str:
    """A key with the estimand as it is called, for a table that people read; a claim stands as it
    was written.

    >>> spoken_key("prevalence[language=de]", True), spoken_key("prevalence", False)
    ('pass rate[language=de]', 'prevalence')
    >>> spoken_key("prevalence >= 0.5", True)
    'prevalence >= 0.5'
    """
    name = key_parts(key)[0] if audit and _KEY.fullmatch(of_all_items(key)) else ""
    return key.replace(name, OF_AUDIT[name].term, 1) if name in OF_AUDIT else key


def quantity(
    estimand: str,
    classifier: str | None,
    positive: str,
    *,
    in_truth: bool = False,
    audit: bool = False,
) -> str:
    """What an estimand measures, in words; ``estimand`` may be a key such as "precision[spam]"."""
    name, inside, _ = key_parts(estimand)
    row = QUANTITIES[name]
    pattern = row.in_truth if in_truth and row.in_truth else row.measures or row.term
    if audit and name in OF_AUDIT:
        term = OF_AUDIT[name].term
        article = "the " if term.endswith("rate") else ""
        pattern = pattern.replace(row.term, article + term, 1)
    by = BY_SETTLED if is_settled(estimand) else ""
    called = model_named(classifier, audit)
    return pattern.format(classifier=called, positive=inside or positive) + by


def quantity_name(estimand: str, classifier: str | None, positive: str, audit: bool = False) -> str:
    """A quantity in a few words.

    >>> quantity_name("recall", "lr", "spam"), quantity_name("accuracy", None, "yes")
    ("the recall of 'lr' for 'spam'", 'the accuracy')
    """
    name, inside, _ = key_parts(estimand)
    of = "" if classifier is None else f" of {classifier!r}"
    by = BY_SETTLED if is_settled(estimand) else ""
    return f"the {term_of(name, audit)}{of}" + (
        by if name == "accuracy" else f" for {(inside or positive)!r}{by}"
    )
