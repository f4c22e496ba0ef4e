"""Which methods a test is for, and how far errors are from 0."""

import numpy as np

import labelcore as lc
from labelcore.designs.ranked_list import RankedListDesign
from labelcore.designs.scalars import ComparesTwo
from labelcore.testing.known import SCALARS

SCALAR_DESIGNS = [
    name
    for name, one in lc.DESIGNS.items()
    if set(SCALARS) <= {*one.estimands} and not isinstance(one, ComparesTwo)
]
WATCHED = {
    name: asked
    for name in SCALAR_DESIGNS
    for asked in (SCALARS[:1], SCALARS)
    if "watched" in lc.DESIGNS[name].promises_for(asked, lc.DESIGNS[name].Params())
}
"""The most that each of these methods can be watched for; one that cannot be watched is not in it.
"""
PROMISED = [(name, str(one)) for name in SCALAR_DESIGNS for one in lc.DESIGNS[name].promises]
"""Each of these methods with each of its promises."""
NEEDED = {"stratified": 20, "oversampling": 2}
"""The fewest labels of methods that cannot do with one, on a file with both predictions."""
LIST_DESIGNS = [name for name, one in lc.DESIGNS.items() if isinstance(one, RankedListDesign)]


def standard_errors(errors: np.ndarray) -> float:
    """The mean error in units of its standard error."""
    kept = errors[~np.isnan(errors)]
    return float(kept.mean() / (kept.std(ddof=1) / np.sqrt(len(kept))))
