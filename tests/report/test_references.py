"""Every work that a method names stands among the references."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import walk_packages
from unicodedata import normalize

import labelcore
from labelcore.promises import Method
from labelcore.report.references import references

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
