"""One estimate and its band against the number of labels, look by look."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from labelcore.charts.base import Chart, empty_chart, interval_words
from labelcore.charts.history_table import COLUMNS, Seen, history_rows, history_table
from labelcore.charts.live_picture import Track, difference_scale, labels_drawing, possible_scale
from labelcore.results.race import Race
from labelcore.results.types import Estimate
from labelcore.safe_text import shortened
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference, number_words
from labelcore.words.quantities import key_parts, label_of

BETTER, LONGEST_SIDE = "{} is better", 30
NOTHING = "No figure yet: the curve starts with the first estimate."


def history_chart(
    looks: Sequence[Mapping[str, Any]],
    key: str,
    *,
    margin: float | None = None,
    label: str = "",
    pair: Sequence[str] = ("the first one", "the second one"),
) -> Chart:
    """The estimate ``key`` and its band against labels, and where the band would end at the goal.

    looks    as ``Session.looks()`` gives them. For each number of labels the last look counts, and
             looks at labels that were taken back since are left out
    margin   the goal: dashes at the last value plus and minus it
    label    the name of the quantity on screen; empty takes it from the key
    pair     the two classifiers of a difference, the first one better above zero

    A difference of two classifiers has a line at zero, and says on which side which one is better.

    A look without a figure is left out; where the interval is too wide for a value there is only
    the band, and a value without an interval is a grey line. The figure holds at most 160 looks,
    always the last; the table holds them all.
    """
    rows = history_rows(looks, key)
    name = shortened(label or label_of(key_parts(key)[0]))
    if not rows:
        return empty_chart(NOTHING, COLUMNS)
    track = _track(rows, name, margin)
    if is_difference(key):
        ends = difference_scale(np.concatenate([track.low, track.high]))
        track = replace(track, scale=ends, sides=_sides(*pair))
    texts = [f"{words.count(row.labels)}: {_interval_words(row, key)}" for row in rows]
    drawing = labels_drawing(replace(track, hover=texts))
    return Chart(drawing, looks_words(rows, key, name, margin), history_table(rows))


def track_of(rows: Sequence[Seen], name: str, margin: float | None, now: Estimate) -> Track:
    """Looks as they are drawn, to the last label that there is, on a scale that stays."""
    track, scope = _track(rows, name, margin), now.scope
    sides = _sides(scope.classifier, scope.versus) if now.is_difference else None
    return replace(track, scale=possible_scale([now]), sides=sides)


def _sides(above: str | None, below: str | None) -> tuple[str, str]:
    """Of a difference: who is better above zero, and who below it."""
    first, second = (BETTER.format(shortened(name, LONGEST_SIDE)) for name in (above, below))
    return first, second


def _track(rows: Sequence[Seen], name: str, margin: float | None) -> Track:
    seen = np.array([row[:4] for row in rows], dtype=float).reshape(-1, 4)
    labels, value, low, high = seen.T
    return Track(labels, value, low, high, 0, margin=margin, name=name)


def with_race(track: Track, race: Race, now: Estimate) -> Track:
    """The same with what is certain; where the disagreements come first it ends with them."""
    certain = race.course()
    if not race.alone:
        return replace(track, certain=certain)
    inside = track.labels < race.differ if not race.open else track.labels <= race.differ
    kept = {name: getattr(track, name)[inside] for name in ("labels", "value", "low", "high")}
    if not race.open:
        last = {"labels": race.differ, "value": now.value or 0.0, "low": now.low, "high": now.high}
        kept = {name: np.append(values, last[name]) for name, values in kept.items()}
    return replace(track, **kept, planned=race.differ, certain=certain)


def _interval_words(row: Seen, key: str) -> str:
    known = not np.isnan(row.low)
    return interval_words(row.estimate, row.low, row.high, known=known, key=key)


def looks_words(rows: Sequence[Seen], key: str, name: str, margin: float | None) -> str:
    """What ``history_chart`` shows of these, in words, with as much of the name as charts show."""
    if not rows:
        return NOTHING
    now = rows[-1]
    known = not np.isnan(now.low)
    parts = [f"{shortened(name)} is {_interval_words(now, key)}, from {words.count(now.labels)}."]
    first = next((row for row in rows[:-1] if not np.isnan(row.low + row.estimate)), None)
    if known and first is not None:
        parts.append(
            f"At {words.count(first.labels)} it was "
            f"{number_words(key, first.estimate, (first.low, first.high))}; the half-width went "
            f"from {words.points(first.half_width)} to {words.points(now.half_width)}."
        )
    if margin is not None and known:
        reached = "is reached" if now.half_width <= margin else "is not reached yet"
        parts.append(f"The goal of plus or minus {words.goal_points(margin)} {reached}.")
    return " ".join(parts)
