"""Parameters of methods: what fits, and the sentence for what does not."""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from typing import Any

import pytest

import labelcore as lc
from labelcore.designs.params import DesignParams, parameter
from labelcore.errors import PlanError
from tests.pinned import holds


@dataclass(frozen=True, slots=True)
class Params(DesignParams):
    share: float = parameter(0.5, "a share", low=0.0, high=1.0)
    ratio: float | str = parameter("optimal", "a ratio", low=0.1, choices=("optimal",))
    kind: str = parameter("one", "a kind", choices=("one", "two"))
    sure: bool = parameter(True, "a switch")
    sizes: tuple[int | float | str, ...] = parameter((), "sizes", low=1)
    counts: tuple[int, ...] | None = parameter(None, "counts", low=0)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"share": 1}, 1),
        ({"ratio": 2.5}, 2.5),
        ({"ratio": "optimal"}, "optimal"),
        ({"kind": "two"}, "two"),
        ({"sure": False}, False),
        ({"sizes": [50, 1.5, "lr"]}, (50, 1.5, "lr")),
        ({"counts": [0, 3]}, (0, 3)),
        ({"counts": None}, None),
    ],
)
def test_what_fits_is_kept(given: dict[str, Any], kept: object) -> None:
    assert getattr(Params(**given), next(iter(given))) == kept


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"share": 1.5}, "'share'. must lie between 0.0 and 1.0, got 1.5"),
        ({"share": True}, "'share'. must be a number, got True"),
        ({"share": float("nan")}, "'share'. must lie between"),
        ({"ratio": "best"}, "'ratio'. must be one of optimal, got 'best'"),
        ({"ratio": 0.05}, "'ratio'. must lie between 0.1 and None"),
        ({"ratio": None}, "'ratio'. must be a number or text, got None"),
        ({"kind": "three"}, "'kind'. must be one of one, two, got 'three'"),
        ({"kind": 1}, "'kind'. must be text, got 1"),
        ({"sure": "yes"}, "'sure'. must be true or false, got 'yes'"),
        ({"sure": 1}, "'sure'. must be true or false, got 1"),
        ({"sizes": 50}, "'sizes'. must be a list, got 50"),
        ({"sizes": [0]}, "'sizes'. must lie between 1 and None, got 0"),
        ({"sizes": [None]}, "'sizes'. must be a number or text, got None"),
        ({"counts": [1.5]}, "'counts'. must be a whole number, got 1.5"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(given: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        Params(**given)


@pytest.mark.parametrize("name", lc.DESIGNS)
def test_what_a_method_may_be_given_stays(name: str) -> None:
    """Defaults are part of what a plan says that names none of them."""
    found = {
        item.name: [
            list(item.default) if isinstance(item.default, tuple) else item.default,
            *(item.metadata[limit] for limit in ("low", "high", "main")),
            [*item.metadata["called"].items()],
        ]
        for item in fields(lc.DESIGNS[name].Params)
    }
    holds("parameters", name, json.loads(json.dumps(found)))
