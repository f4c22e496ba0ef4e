"""Every work that a method names stands among the references; each brings its own words."""

import re
from importlib import import_module
from pkgutil import walk_packages
from unicodedata import normalize

import pytest

import labelcore
from labelcore.designs import DESIGNS
from labelcore.promises import Method
from labelcore.report.references import references
from labelcore.words.derived import derived_lines

NAMED = re.compile(r"([A-Z][\w-]+)[^;]*?\(?(\d{4})\)?")


def plain(text: str) -> str:
    """Without accents, as sources write names."""
    return normalize("NFKD", text).encode("ascii", "ignore").decode()


def test_every_work_that_a_method_names_has_its_full_reference() -> None:
    rooms = tuple(f"labelcore.{room}" for room in ("designs", "figures", "papers", "stats"))
    modules = (one.name for one in walk_packages(labelcore.__path__, "labelcore."))
    methods = {
        value.source
        for name in modules
        if name.startswith(rooms) and "planner" not in name and not name.endswith("_page")
        for value in vars(import_module(name)).values()
        if isinstance(value, Method)
    }
    works = {(*found, source) for source in methods for found in NAMED.findall(source)}
    assert len(methods) > 15 and len(works) > 15
    missing = {
        f"{who} {year}"
        for who, year, source in works
        if not any(who in plain(entry) and year in entry for entry in references([source]))
    }
    assert missing == set()


OWN_WORKS = {name for name, design in DESIGNS.items() if design.works}


def test_each_method_words_its_own_figures() -> None:
    assert derived_lines("paula", {"m": 3, "n_gamma": 4}) == [
        "ranks apart from which precision is assumed to fall: 3"
    ]
    assert derived_lines("reach_selection", {"label_bound": 9, "T": 4000}) == [
        "draws at the most: 4,000",
        "draws that decide the choice by Hoeffding's bounds, candidates in turn (theorem 2): 9",
    ]


@pytest.mark.parametrize("name", sorted(OWN_WORKS))
def test_a_work_is_found_by_the_source_that_names_it(name: str) -> None:
    for words, entry in DESIGNS[name].works:
        assert references([" ".join(words)]) == [entry]
        assert references([words[0].upper()]) == []


def test_a_new_methods_work_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    new = (("Nobody", "2031"), "Nobody, A. (2031). A method.")
    monkeypatch.setattr(type(DESIGNS["paula"]), "works", (new,))
    assert references(["Nobody (2031), theorem 1; Wilson (1927)"])[0] == new[1]
    assert len(references(["Neyman (1938)", "Clopper and Pearson (1934); Neyman (1938)"])) == 2
