"""What is estimated, in words: its name and what it measures.

A result's key is the name of an estimand, the class it is about where there are several, and the
classifier where it is not the first one, and the group of items that it is about, where that is not
all: "precision[spam]@B[language=de]".
"""

from __future__ import annotations

import re

from labelcore.estimands import QUANTITIES

_KEY = re.compile(r"(\w+)(?:\[(.*)\])?(?:@(.*))?", re.DOTALL)
_GROUPED = re.compile(r"(\w+(?:\[[^=]*?\])?(?:@[^=]*?)?)\[([^=]+)=(.*)\]", re.DOTALL)


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
    found = _KEY.fullmatch(of_all_items(key))
    if found is None:
        raise ValueError(f"key must be an estimand such as 'precision[spam]@lr', got {key!r}")
    name, inside, classifier = found.groups(default="")
    return name, inside, classifier


def of_all_items(key: str) -> str:
    """The key of the same figure of all items.

    >>> of_all_items("precision[spam]@lr[language=de]"), of_all_items("precision[spam]@lr")
    ('precision[spam]@lr', 'precision[spam]@lr')
    """
    found = _GROUPED.fullmatch(key)
    return found[1] if found else key


def group_of(key: str) -> tuple[str, str] | None:
    """Column and name of the group that a key names; None for a figure of all items.

    >>> group_of("precision@lr[language=de]"), group_of("accuracy")
    (('language', 'de'), None)
    """
    found = _GROUPED.fullmatch(key)
    return (found[2], found[3]) if found else None


def names_another(key: str) -> bool:
    """Whether a key is that of another classifier than the plan's first.

    >>> names_another("precision[a@b]"), names_another("precision@B")
    (False, True)
    """
    return bool(key_parts(key)[2])


def label_of(name: str) -> str:
    """
    >>> label_of("f1"), label_of("false_omission_rate")
    ('F1', 'False omission rate')
    """
    return QUANTITIES[name].label if name in QUANTITIES else name.replace("_", " ").capitalize()


def term_of(name: str) -> str:
    """
    >>> term_of("f1"), term_of("false_omission_rate")
    ('F1', 'false omission rate')
    """
    return QUANTITIES[name].term if name in QUANTITIES else name.replace("_", " ")


def quantity(
    estimand: str, classifier: str | None, positive: str, *, in_truth: bool = False
) -> str:
    """What an estimand measures, in words; ``estimand`` may be a key such as "precision[spam]"."""
    name, inside, _ = key_parts(estimand)
    row = QUANTITIES[name]
    pattern = row.in_truth if in_truth and row.in_truth else row.measures or row.term
    called = f"the classifier {classifier!r}" if classifier else "the classifier"
    by = BY_SETTLED if is_settled(estimand) else ""
    return pattern.format(classifier=called, positive=inside or positive) + by


def quantity_name(estimand: str, classifier: str | None, positive: str) -> str:
    """A quantity in a few words.

    >>> quantity_name("recall", "lr", "spam"), quantity_name("accuracy", None, "yes")
    ("the recall of 'lr' for 'spam'", 'the accuracy')
    """
    name, inside, _ = key_parts(estimand)
    of = "" if classifier is None else f" of {classifier!r}"
    by = BY_SETTLED if is_settled(estimand) else ""
    return f"the {term_of(name)}{of}" + (
        by if name == "accuracy" else f" for {(inside or positive)!r}{by}"
    )
