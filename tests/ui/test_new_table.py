"""The methods to choose from on New project."""

from __future__ import annotations

import pytest

import labelcore as lc
from labelcore.designs.paired_comparison import PairedComparison
from labelcore.ui.new_table import Row, words_of


def test_a_method_that_is_not_the_cheapest_says_why_it_is_recommended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    another = type("Duel", (PairedComparison,), {"settles": "recall_difference"})
    monkeypatch.setitem(lc.DESIGNS, "duel", another())
    names = ("recalibrated_neyman", "paired_comparison", "duel")
    rows = [Row(name, "watched", 180, False, name) for name in names]
    for best, why in (("paired_comparison", "accuracy"), ("duel", "recall")):
        told = words_of(rows, best).values()
        assert [*told] == [name + f" · its first labels settle {why}" * (name == best)
                           for name in names]  # fmt: skip
    assert [*words_of(rows, "recalibrated_neyman").values()] == [*names]
