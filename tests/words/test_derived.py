"""A method brings the words of what it derives, and the works that it alone rests on."""

from __future__ import annotations

import pytest

from labelcore.designs import DESIGNS
from labelcore.report.references import references
from labelcore.words.derived import derived_lines

OWN_WORKS = {name for name, design in DESIGNS.items() if design.works}


def test_each_method_words_its_own_figures() -> None:
    assert derived_lines("paula", {"m": 3, "n_gamma": 4}) == ["stretches averaged: 3"]
    assert derived_lines("reach_selection", {"m": 3, "T": 4000}) == ["draws at the most: 4,000"]


@pytest.mark.parametrize("name", sorted(OWN_WORKS))
def test_a_work_is_found_by_the_source_that_names_it(name: str) -> None:
    for words, entry in DESIGNS[name].works:
        assert references([" ".join(words)]) == [entry]
        assert references([words[0].upper()]) == []


def test_a_new_methods_work_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    new = (("Nobody", "2031"), "Nobody, A. (2031). A method.")
    monkeypatch.setattr(type(DESIGNS["paula"]), "works", (new,))
    assert references(["Nobody (2031), theorem 1; Wilson (1927)"])[0] == new[1]
