"""The curve that most tests of bands ask for."""

from labelcore.figures.curves import band, ranked_curve
from labelcore.log.engine import Engine
from labelcore.results.curves import Band


def precision_curve(engine: Engine) -> Band:
    """Precision of "the first r items" against r."""
    return band(engine, ranked_curve(engine), "precision")
