"""The race of two classifiers as it is drawn: a dot for each item on which they disagree."""

from __future__ import annotations

from labelcore.charts.live_picture import in_series
from labelcore.charts.nodes import Node, node
from labelcore.results.race import Race
from labelcore.words.race import heads_words, limits_words, settles_words

MOST_DOTS, LARGE_DOTS = 60, 34
"""So many stand in one row; more are drawn as three bars."""


def race_node(
    race: Race, verdict: tuple[str, bool], value: str, more: str, asked: Node | None
) -> Node:
    """Who was right where, what settles it, and a chip that says who is ahead.

    verdict  what the chip says, and whether one of the two is named
    value    the difference; more: what decides it, both in a few words
    asked    the difference again, as what its chart is asked for by; None where there is one chart
    """
    wins = race.wins
    counts = wins[0], race.open, wins[1]
    kinds = "first", "middle", "last"
    limits, texts, settles = limits_words(race), heads_words(race), settles_words(race)
    heads = [node("span", text, klass=kind) for text, kind in zip(texts, kinds, strict=True)]
    lane = node(
        "div",
        *(_dots(race) if race.differ <= MOST_DOTS else _bars(counts)),
        node("span", klass="half"),
        klass="lane" if race.differ <= LARGE_DOTS else "lane small",
        role="img",
        aria_label=", ".join(texts),
    )
    chip = node("span", verdict[0], klass="chip named" if verdict[1] else "chip")
    if verdict[1] and race.lead < 0:
        chip[1]["style"] = in_series(1)
    end = [chip, node("span", value, klass="value"), node("span", more)]
    return node(
        "div",
        node("p", limits),
        node("div", *heads, klass="sides", aria_hidden="true"),
        lane,
        node("div", settles, klass="settles"),
        node("div", *end, *([] if asked is None else [asked]), klass="verdict"),
        klass="race",
    )


def _dots(race: Race) -> list[Node]:
    """From the left those where the first one was right, from the right the second one's, open ones
    between; the newest with a halo."""
    first, second = race.wins
    dots = [node("span", klass="agreed") for _ in range(first)]
    last = [node("span", klass="square") for _ in range(second)]
    if len(race.won):
        newest = dots[-1] if race.won[-1] else last[0]
        newest[1]["class"] += " newest"
    return [*dots, *(node("span", klass="open") for _ in range(race.open)), *last]


def _bars(counts: tuple[int, int, int]) -> list[Node]:
    kinds = "agreed", "open", "square"
    return [
        node("span", klass=f"stretch {kind}", style=f"flex: {number} 1 0")
        for number, kind in zip(counts, kinds, strict=True)
        if number
    ]
