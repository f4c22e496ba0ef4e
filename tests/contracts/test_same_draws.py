"""The items that each method draws, and what it says of them, stay what they are.

The digests below were printed by the product before it kept its arrays in narrow types and on the
disk. A digest that changes is a plan that draws other items than the day before: never renew one to
make a test pass.
"""

from hashlib import sha256
from typing import Any

import numpy as np
import pandas as pd
import pytest

import labelcore as lc

pytestmark = pytest.mark.as_shipped
N_ITEMS, SEED = 1_500, 11
SCALAR = ["accuracy", "precision", "recall", "f1"]
CURVE = ["precision_curve"]


def items(*, several: bool = False) -> tuple[lc.Population, list[str]]:
    """Items with crowded scores, named as the digests name them, and the true class of each."""
    random = np.random.default_rng(5)
    rate = random.beta(0.4, 1.2, N_ITEMS)
    other = np.clip(rate + random.normal(0, 0.15, N_ITEMS), 0, 1)
    names = np.array(["ham", "news", "spam"] if several else ["no", "yes"])
    truth = names[(random.random(N_ITEMS) < rate).astype(int) * (len(names) - 1)]
    table = pd.DataFrame(
        {
            "id": [f"item {number * 7919 % 100_003}" for number in range(N_ITEMS)],
            "text": "a text",
            "a": rate.round(2),
            "b": other.round(3),
            "a_says": names[np.digitize(rate, [0.3, 0.6] if several else [0.5])],
            "b_says": names[np.digitize(other, [0.3, 0.6] if several else [0.4])],
            "judge": random.random(N_ITEMS).round(2) + rate,
        }
    )
    population = lc.read_population(
        table, id="id", content="text", scores={"a": "a", "b": "b"},
        predictions={"a": "a_says", "b": "b_says"}, helpers={"judge": "judge"},
        name="items.parquet",
    )  # fmt: skip
    return population, truth.tolist()


PLANS: dict[str, dict[str, Any]] = {
    "simple_random": {"estimands": SCALAR, "classifier": "a", "budget": 60},
    "stratified": {"estimands": ["accuracy"], "classifier": "a", "budget": 60},
    "recalibrated_neyman": {"estimands": SCALAR, "classifier": "a", "budget": 60},
    "recalibrated_neyman without helpers": {"estimands": SCALAR, "classifier": "a", "budget": 60,
        "params": {"helpers": [], "n_above": 6, "n_below": 12}},
    "recalibrated_neyman several": {"estimands": ["accuracy"], "classifier": "a", "budget": 60},
    "oversampling": {"estimands": ["precision", "recall"], "classifier": "a", "budget": 60},
    "recycling": {"estimands": ["precision"],
        "params": {"parent": "b", "children": ["a"], "sample_size": 50}},
    "reach_selection": {"estimands": ["selection"], "classifier": "a", "budget": 60,
        "params": {"candidates": [100, 300], "precision_threshold": 0.6}},
    "paula": {"estimands": CURVE, "classifier": "a"},
    "logarithmic_stratified": {"estimands": CURVE, "classifier": "a"},
    "random_curve": {"estimands": CURVE, "classifier": "a", "budget": 60},
    "paired_comparison": {"estimands": ["accuracy_difference"], "classifier": ["a", "b"],
        "budget": 60},
    "paired_lists": {"estimands": ["precision_curve_difference"], "classifier": ["a", "b"],
        "budget": 60},
    "geometric_strata": {"estimands": CURVE, "classifier": "a", "budget": 200},
    "agreement_patterns": {"estimands": ["precision"], "classifier": ["a", "b"], "budget": 60},
}  # fmt: skip
DIGESTS = {
    "simple_random": "7fe2daf7a663eaab",
    "stratified": "3bb1e89f39315903",
    "recalibrated_neyman": "46c8fd8ce4e2649e",
    "recalibrated_neyman without helpers": "399c74c7ff1104b2",
    "recalibrated_neyman several": "1b17fa18bd512ac2",
    "oversampling": "aaf17cb6aeb28245",
    "recycling": "a25977e4155ed9e8",
    "reach_selection": "8b4e672871e41d42",
    "paula": "648bc60b561bad85",
    "logarithmic_stratified": "df056bd8694fd31a",
    "random_curve": "e2921b76c7cca33c",
    "paired_comparison": "c7b8f2f62a3d907b",
    "paired_lists": "adf31e1b74f33b2e",
    "geometric_strata": "5d60d63d48fc7ed7",
    "agreement_patterns": "a90a98f7200a5e34",
}


def digest(name: str) -> str:
    """Of the first items drawn, in order, their strata, and the figures at the end."""
    population, truth = items(several=name.endswith("several"))
    session = lc.Session(population, lc.Plan(name.split(" ")[0], seed=SEED, **PLANS[name]))
    parts = []
    while (draw := session.next()) is not None and draw.index <= 60:
        parts.append(f"{draw.item_id} {draw.stratum} {draw.batch}")
        session.answer(draw, truth[population.position(draw.item_id)])
    parts += [f"{key} {one.sentence()}" for key, one in session.results().items()]
    return sha256("\n".join(parts).encode()).hexdigest()[:16]


def test_every_method_has_its_draws_written_down() -> None:
    assert {name.split(" ")[0] for name in DIGESTS} == set(lc.DESIGNS)


@pytest.mark.parametrize("name", PLANS)
def test_the_same_items_are_drawn(name: str) -> None:
    assert digest(name) == DIGESTS[name]
