"""What the labels taught of the items' content at half of a plan, in words."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from labelcore.log.engine import Engine
from labelcore.log.recuts import same_content
from labelcore.words.sentences import count

LEAST_TOLD = 0.02
"""A smaller share of the labels is not told."""
TAUGHT = "your labels taught Labelcore something: {fewer} fewer"
CUT = (
    "After {labels} these cut {strata} once more, each in two, by a model of the items' content "
    "that placed no item by its own label."
)

REPLAYED = {
    True: "Cut at half: worked out again from labels and content of the items, the same.",
    False: "Cut at half: taken from the log, as the content makes other numbers here.",
}


LEARNED = {
    True: "What the items say: the numbers that helped to choose are the plan's, by their hash.",
    False: "What the items say: the numbers that helped to choose are not the plan's.",
}


def replayed_words(engine: Engine) -> list[str]:
    """Whether the content of the items says the same as then, before the first label and where it
    was cut by; nothing where a plan does not look at it."""
    params, population = engine.setup.params, engine.population
    sentences = [REPLAYED[same_content(engine, recut)] for recut in engine.recuts]
    if getattr(params, "content", None):
        score = population.opinions[str(engine.setup.classifier)].score
        sentences.insert(0, LEARNED[sha256(score.tobytes()).hexdigest() == params.content])
    return sentences


def taught_words(engine: Engine) -> str:
    """What is told while labelling goes on, "" where nothing is."""
    fewer = sum(int(recut.get("fewer", 0)) for recut in engine.recuts)
    return fewer_words(fewer, engine.planned)


def fewer_words(fewer: int, planned: int) -> str:
    """How many labels a cut is expected to save of a plan.

    >>> fewer_words(41, 300), fewer_words(3, 300)
    ('your labels taught Labelcore something: 40 labels fewer', '')
    """
    labels = count(10 * round(fewer / 10) if fewer > 20 else fewer)
    return TAUGHT.format(fewer=labels) if fewer >= max(LEAST_TOLD * planned, 2) else ""


def cut_words(detail: Mapping[str, Any]) -> str:
    """What a report says of a cut; "" where nothing was cut.

    >>> cut_words({"labels": 150, "edges": [None, 0.5, 1.0]})[:44]
    'After 150 labels these cut 2 strata once mor'
    """
    strata = sum(edge is not None for edge in detail.get("edges", ()))
    labels = count(int(detail["labels"]))
    cut = f"{strata} {'stratum' if strata == 1 else 'strata'}"
    return CUT.format(labels=labels, strata=cut) if strata else ""
