"""The section of the report about a ranked list: landmarks, deepest cuts, packages."""

from __future__ import annotations

from collections.abc import Sequence

from labelcore.charts.readings import READINGS
from labelcore.report.along_ranks import AlongRanks, Landmark
from labelcore.report.facts import Facts
from labelcore.report.markup import Child, Markup, element, table, tied
from labelcore.report.sections import section, sentence
from labelcore.results.curves import Band
from labelcore.words.sentences import score_words

FOR_SURE = "as far as the bounds promise"
NO_CUT = "no head of the list, " + FOR_SURE


def along_the_ranks(facts: Facts) -> Markup | None:
    """What the first items of the list are worth; None where the plan asks for no curve."""
    along = facts.along
    if along is None or not along.landmarks:
        return None
    return section(
        "ranks",
        "Along the ranks",
        element("p", tied(along.bands[0].sentence())),
        _readings(along.landmarks),
        element("h3", "Where a required precision ends"),
        *_cuts(along),
        _packages(along),
    )


def _readings(landmarks: Sequence[Landmark]) -> Markup:
    names = list(landmarks[0].readings)
    rows: list[list[Child]] = [
        [f"{one.rank:,}", score_words(one.score), *(_bounds(one.readings[n]) for n in names)]
        for one in landmarks
    ]
    head = ["First items", "Score there", *(READINGS[name].label for name in names)]
    return table("What the first items are worth", head, rows)


def _bounds(band: Band) -> str:
    """The bounds of one point; a value only where confidence goes with it and it may be told."""
    reading = READINGS[band.estimand.removesuffix("_curve")]
    value, low, high = (float(numbers[0]) for numbers in (band.told, band.low, band.high))
    if not band.has_interval or low != low:
        return "–"
    span = reading.range(low, high)
    if high - low < 1e-12 or band.confidence is None or value != value:
        return tied(span)
    return tied(f"{reading.number(value)} ({span})")


def _cuts(along: AlongRanks) -> list[Markup]:
    if along.refused:
        return [element("p", sentence(along.refused))]
    told = [
        element(
            "li",
            tied(f"At least {100 * precision:g} %: "),
            tied(one.sentence if one is not None else f"{NO_CUT}."),
        )
        for precision, one in along.deepest
    ]
    return [element("ul", *told)]


def _packages(along: AlongRanks) -> Markup | None:
    if along.packages is None or along.packages.empty:
        return None
    rows = [
        [
            tied(f"{100 * one['precision']:g} %"),
            f"{int(one['first']):,} to {int(one['last']):,}",
            f"{int(one['items']):,}",
            score_words(one["score"]),
            tied(READINGS["precision"].range(one["own_low"], one["own_high"])),
        ]
        for one in along.packages.to_dict("records")
        if one["items"] > 0
    ]
    if not rows:
        return None
    head = ("Keeps at least", "Ranks", "Items", "Down to score", "Positive in the package")
    return table("The list in packages", head, rows)
