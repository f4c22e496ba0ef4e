"""The race of two classifiers as it is drawn: a dot for each item on which they disagree."""

from typing import NamedTuple

from labelcore.charts.live_picture import in_series
from labelcore.charts.nodes import Node, node
from labelcore.results.race import Race

MOST_DOTS, LARGE_DOTS = 60, 34
"""So many stand in one row; more are drawn as three bars."""


class Contest(NamedTuple):
    """A race and what is said of it: ``verdict`` is who is ahead, and whether that names one of the
    two, ``value`` by how much; ``heads`` stand left, in the middle and right."""

    race: Race
    limits: str
    heads: tuple[str, str, str]
    settles: str
    verdict: tuple[str, bool]
    value: str
    more: str


def race_node(contest: Contest, asked: Node | None) -> Node:
    """Who was right where, what settles it, and a chip that says who is ahead.

    asked   the difference again, as what its chart is asked for by; None where there is one chart
    """
    race, (ahead, named) = contest.race, contest.verdict
    heads = [
        node("span", text, klass=kind)
        for kind, text in zip(("first", "middle", "last"), contest.heads, strict=True)
    ]
    lane = node(
        "div",
        *(_dots(race) if race.differ <= MOST_DOTS else _bars(race)),
        node("span", klass="half"),
        klass="lane" if race.differ <= LARGE_DOTS else "lane small",
        role="img",
        aria_label=", ".join(contest.heads),
    )
    chip = node("span", ahead, klass="chip named" if named else "chip")
    if named and race.lead < 0:
        chip[1]["style"] = in_series(1)
    end = [chip, node("span", contest.value, klass="value"), node("span", contest.more)]
    return node(
        "div",
        node("p", contest.limits),
        node("div", *heads, klass="sides", aria_hidden="true"),
        lane,
        node("div", contest.settles, klass="settles"),
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


def _bars(race: Race) -> list[Node]:
    first, second = race.wins
    numbers = {"agreed": first, "open": race.open, "square": second}
    return [
        node("span", klass=f"stretch {kind}", style=f"flex: {number} 1 0")
        for kind, number in numbers.items()
        if number
    ]
