import numpy as np
import pytest

import labelcore as lc


@pytest.fixture(scope="module")
def population(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> lc.Population:
    """As many items as the module has ITEMS."""
    score = np.random.default_rng(4).beta(0.6, 1.4, request.module.ITEMS)
    path = tmp_path_factory.mktemp("scored") / "items.csv"
    rows = (f"i{place},text {place},{one:.4f}" for place, one in enumerate(score))
    path.write_text("id,text,score\n" + "\n".join(rows), "utf-8")
    return lc.read_population(
        path, id="id", content=["text"], scores={"m": "score"}, thresholds={"m": 0.5},
        classes=["no", "yes"], positive="yes",
    )  # fmt: skip
