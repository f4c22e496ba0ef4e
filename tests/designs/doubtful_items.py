"""What an item of a ranked list without a class must do to the band."""

import numpy as np

import labelcore as lc
from labelcore.log.events import Event
from labelcore.testing.known import Known, labelled
from tests.curves import precision_curve


def check_doubtful_item_counts_both_ways(
    known: Known, plan: lc.Plan, kind: str, index: int, seed: int = 3
) -> None:
    """Draw ``index`` answered by ``kind``: the band runs from the low end of the one with that item
    negative to the high end of the one with it positive."""
    engine = labelled(known.engine(plan, seed), known.truth)
    position = engine.asked[index - 1].position
    engine.answer(index, Event(0, kind, "", "test"))
    band, ends = precision_curve(engine), []
    for value in (0, 1):
        truth = known.truth.copy()
        truth[position] = value
        ends.append(precision_curve(labelled(known.engine(plan, seed), truth)))
    np.testing.assert_allclose(band.low, ends[0].low, atol=1e-12)
    np.testing.assert_allclose(band.high, ends[1].high, atol=1e-12)
    assert any("both ways" in one for one in band.assumptions)
