"""The bounds of a curve as marks: a filled band, or two lines where they have no confidence."""

from collections.abc import Sequence

import numpy as np

from labelcore.charts.curve_points import Points
from labelcore.charts.design import HAIR, LINE, REFERENCE, THIN
from labelcore.charts.drawing import AnyMark, Band, Line, Mask, Numbers
from labelcore.charts.drawing import Points as Path
from labelcore.charts.readings import assurance
from labelcore.promises import State

ENVELOPE_NAME = "envelope that the method allows"
NOISE_NAME = "noise of one window, ± 1 standard error"


def bounds(points: Points, low: Path, high: Path) -> list[AnyMark]:
    """Bounds along (x, y) of the low and of the high end, where there is an interval.

    A band that has no confidence is drawn as two lines; an exact curve needs none.
    """
    band, known = points.band, points.known
    if band.state == State.EXACT or not known.any():
        return []
    name = assurance(band)
    if band.confidence is not None:
        return [Band(low, high, known, name=name, role="band", kind="band")]
    return [Line(x, kept(y, known), THIN, name=name, kind="bound") for x, y in (low, high)]


def noise(points: Points) -> list[AnyMark]:
    """The chance error of one window around the midpoint, as a light band of another colour."""
    widths = points.band.extra.get("noise")
    if widths is None or not points.known.any():
        return []
    value, spread = points.value, points.of(widths)
    keep = points.known & points.told & (spread > 0)
    if not keep.any():
        return []
    low, high = np.maximum(value - spread, 0.0), np.minimum(value + spread, 1.0)
    return [Band((points.rank, low), (points.rank, high), keep, name=NOISE_NAME, role="noise")]


def envelope(points: Points) -> list[AnyMark]:
    """The factor that the method guarantees between its bounds, as thin dotted lines."""
    extra = points.band.extra
    if "envelope_low" not in extra or not points.known.any():
        return []
    ends = (kept(points.of(extra[end]), points.known) for end in ("envelope_low", "envelope_high"))
    return [Line(points.rank, end, HAIR, "dot", name=ENVELOPE_NAME, role=REFERENCE) for end in ends]


def value_name(points: Points) -> str:
    """What the line of values is called: a midpoint is never called an estimate."""
    if points.band.state == State.EXACT:
        return f"{points.reading.label.lower()}, exact"
    if not points.known.any():
        return f"{points.reading.label.lower()}, a first guess"
    return "midpoint of the bounds" if points.band.confidence is None else "estimate"


def value_width(points: Points) -> float:
    """Thick where it is an estimate with an interval, thin where it is a guess or a midpoint."""
    band = points.band
    thick = points.known.any() and (band.confidence is not None or band.state == State.EXACT)
    return LINE if thick else HAIR


def pointed(x: Numbers, y: Numbers, keep: Mask, texts: Sequence[str]) -> Line:
    """What the pointer is told of every point, where some have bounds and no value; not drawn."""
    return Line(kept(x, keep), kept(y, keep), 0.0, hover=texts)


def kept(values: Numbers, keep: Mask) -> Numbers:
    """The values with a gap where they are not to be drawn."""
    return np.where(keep, values, np.nan)
