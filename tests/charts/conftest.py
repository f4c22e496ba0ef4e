"""Looks, bands and tables as the session gives them, with numbers chosen for the test."""

import html
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from labelcore.results.curves import Band
from labelcore.results.types import Scope
from tests.findings import BASIS

TEXT_KEYS = ("name", "text", "hovertext", "categoryarray", "x")


@pytest.fixture
def hostile() -> str:
    """A name with everything that Plotly or markdown would act on."""
    return "<img src=x> %{x} $\\a$ **b** [a](j:1) `c`"


@pytest.fixture
def look() -> Callable[..., dict[str, Any]]:
    def make(
        labels: int, value: float | None, low: float = 0.0, high: float = 1.0,
        state: str = "interval", key: str = "recall",
    ) -> dict[str, Any]:  # fmt: skip
        figures = {"value": value, "low": low, "high": high, "state": state, "promise": "watched"}
        return {
            "after": labels * 2,
            "labels": labels,
            "draws": labels,
            "results": {key: figures},
            "at": f"2026-01-01T00:00:{labels % 60:02d}+00:00",
        }

    return make


@pytest.fixture
def make_band() -> Callable[..., Band]:
    def make(
        name: str, value: list[float], *, half: float = 0.1, state: str = "interval",
        file: str = "items.csv",
    ) -> Band:  # fmt: skip
        values = np.array(value, dtype=float)
        n = len(values)
        return Band(
            estimand=f"{name}_curve",
            x=np.arange(1, n + 1) * 10.0,
            value=values,
            low=np.clip(np.nan_to_num(values) - half, 0, 1),
            high=np.clip(np.nan_to_num(values, nan=1.0) + half, 0, 1),
            threshold=np.linspace(0.9, 0.1, n),
            confidence=0.95,
            simultaneous=False,
            state=state,
            **{**BASIS, "labels_used": 123, "assumptions": ("a",)},
            scope=Scope(file=file, n_items=10 * n, classifier="lr", positive="yes"),
        )

    return make


@pytest.fixture
def inert(hostile: str) -> Callable[[Any], bool]:
    """Whether a figure shows the hostile name somewhere, and nowhere in a form that acts."""

    def check(figure: Any) -> bool:
        texts = list(_texts(figure.to_plotly_json(), ""))
        assert not any(hostile in text for text in texts)
        shown = [text for text in texts if hostile[:6] in html.unescape(text)]
        assert all(not set("*[]`${\\") & set(text) for text in shown)
        assert all("<img" not in text for text in shown)
        return bool(shown)

    return check


def _texts(value: Any, key: str) -> Any:
    """Every text of a figure that is read as pseudo-HTML."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if name != "template":
                yield from _texts(inner, name)
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _texts(inner, key)
    elif isinstance(value, str) and key in TEXT_KEYS:
        yield value
