"""What is generated from the tables of the package is fresh."""

from __future__ import annotations

from pathlib import Path

import pytest

from docs.make_sentences import MADE, filled


@pytest.mark.parametrize("name", sorted(MADE))
def test_a_generated_file_is_fresh(root: Path, name: str) -> None:
    there = (root / name).read_text("utf-8")
    assert there == MADE[name](), f"{name} is stale: run python -m docs.make_sentences"


def test_a_text_without_its_place_is_refused() -> None:
    with pytest.raises(ValueError, match="no place for 'estimands'"):
        filled("no mark here\n", "estimands", iter(["| a |"]))
