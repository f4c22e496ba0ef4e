"""Where the rooms beside the core are away, what asks for them is skipped: ``.ci/full`` runs the
tests of the core so."""

import re
from importlib.util import find_spec

import pytest

AWAY = [room for room in ("labelcore.papers", "labelcore.team") if find_spec(room) is None]
OF_ROOMS = {
    "labelcore.papers": (
        *("stratified", "oversampling", "recycling", "reach_selection", "paula"),
        *("logarithmic_stratified", "random_curve"),
    ),
    "labelcore.team": ("postgresql",),
}
"""What each room brings, by name."""
NAMES = [name for room in AWAY for name in OF_ROOMS[room]]
FOLDERS = [f"{top}.{room.partition('.')[2]}" for room in AWAY for top in ("labelcore", "tests")]
ASKED = re.compile("|".join([*map(re.escape, FOLDERS), *(f"'{one}\\b" for one in NAMES)]))


def needs(room: str) -> pytest.MarkDecorator:
    """A test that says in no error what it asks for."""
    return pytest.mark.skipif(f"labelcore.{room}" in AWAY, reason="its room is away")


def asks_for_what_is_away(said: str) -> bool:
    """Whether an error is about a room that is away, or about something that it brings."""
    return bool(AWAY) and ASKED.search(said) is not None
