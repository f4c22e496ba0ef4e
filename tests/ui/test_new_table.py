"""The methods to choose from on New project."""

from __future__ import annotations

from labelcore.ui.new_table import SETTLES, Row, words_of


def test_a_comparison_that_is_not_the_cheapest_says_why_it_is_recommended() -> None:
    rows = [
        Row("recalibrated_neyman", "watched", 180, False, "Recalibrated Neyman · 180"),
        Row("paired_comparison", "watched", 200, False, "Paired comparison · 200"),
    ]
    told = list(words_of(rows, "paired_comparison").values())
    assert told == [rows[0].words, rows[1].words + SETTLES]
    assert list(words_of(rows, "recalibrated_neyman").values()) == [row.words for row in rows]
