import numpy as np
import pytest

import labelcore as lc
from tests.columns import items


@pytest.fixture(scope="module")
def population(request: pytest.FixtureRequest) -> lc.Population:
    """As many items as the module has ITEMS."""
    score = np.random.default_rng(4).beta(0.6, 1.4, request.module.ITEMS)
    text = [f"text {place}" for place in range(len(score))]
    return items(text=text, scores={"m": score.round(4)}, thresholds={"m": 0.5})
