"""New project: what its inputs show outlives a reload, in a small file of the data folder.

The address of the page names the file by a random token. Only plain values are kept, only those of
the page's inputs, and a file that another version wrote is left alone.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Mapping
from datetime import date
from datetime import time as clock_time
from pathlib import Path
from typing import Any

import streamlit as st

from labelcore import __version__
from labelcore.access.settings import data_folder
from labelcore.ui import draft, files
from labelcore.ui.new_items import PATH

NAME, TOKEN, WRITTEN = "draft", "draft token", "draft written"
FORM = re.compile(r"[0-9a-f]{24}")
LARGEST, OLDEST_SECONDS = 100_000, 30 * 24 * 3600
PRESSED = re.compile(
    r"(upload|press-more-aims|create|next|back|to-columns|way-out|go|row|race-cancel|claim-more"
    r"|claim-fewer)\b"
)
"""How the keys of buttons and of the uploader go on: nothing may be put into these."""


def folder() -> Path:
    return data_folder() / "drafts"


def restore() -> bool:
    """Let the inputs show what the address names, once; whether there was anything."""
    token = st.query_params.get(NAME, "")
    if TOKEN in st.session_state or not FORM.fullmatch(token):
        return False
    found = read(folder() / f"{token}.json")
    st.session_state[TOKEN] = token
    for key, value in found.items():
        st.session_state[key] = value
    return bool(found)


def keep() -> None:
    """Write what the inputs show, where it has changed, and name it in the address."""
    text = written(st.session_state)
    if text is None:
        return
    token = str(st.session_state.setdefault(TOKEN, secrets.token_hex(12)))
    if st.query_params.get(NAME) != token:
        st.query_params[NAME] = token
    if st.session_state.get(WRITTEN) == text or len(text) > LARGEST:
        return
    try:
        if not folder().is_dir():
            folder().mkdir(parents=True, exist_ok=True)
        if WRITTEN not in st.session_state:
            clear_old()
        place = folder() / f"{token}.json"
        apart = place.with_suffix(".part")
        apart.write_text(text, "utf-8")
        apart.replace(place)
    except OSError:
        return  # A reload then begins anew; nothing else depends on it.
    st.session_state[WRITTEN] = text


def drop() -> None:
    """The project is made: nothing is kept of its draft."""
    token = str(st.session_state.pop(TOKEN, ""))
    st.session_state.pop(WRITTEN, None)
    if FORM.fullmatch(token):
        (folder() / f"{token}.json").unlink(missing_ok=True)


def clear_old() -> None:
    """Remove drafts that nobody has touched for a month."""
    for path in folder().glob("*.json"):
        if path.stat().st_mtime < time.time() - OLDEST_SECONDS:
            path.unlink(missing_ok=True)


def written(state: Mapping[Any, Any]) -> str | None:
    """The values of the page's inputs as JSON; None while there is no file.

    >>> state = {"new-path": "a.csv", "new-create": False, "other": 1}
    >>> json.loads(written(state))["values"], written({"other": 1})
    ({'new-path': 'a.csv'}, None)
    """
    values = {
        str(key): simple(value)
        for key, value in state.items()
        if str(key).startswith(draft.INPUTS)
        and not PRESSED.match(str(key).removeprefix(draft.INPUTS))
        and is_simple(value)
    }
    if PATH not in values:
        return None
    return json.dumps({"version": __version__, "values": values}, ensure_ascii=False)


def is_simple(value: object) -> bool:
    if isinstance(value, (list, tuple)):
        return all(is_simple(one) for one in value)
    return value is None or isinstance(value, (str, int, float, bool, date, clock_time))


def simple(value: Any) -> Any:
    """A value as JSON has it; a day and a time of day keep what they are."""
    if isinstance(value, (list, tuple)):
        return [simple(one) for one in value]
    if isinstance(value, date):
        return {"day": value.isoformat()}
    return {"time": value.isoformat()} if isinstance(value, clock_time) else value


def read(path: Path) -> dict[str, Any]:
    """What a file holds for the inputs; {} for one that is missing, foreign, or names a file of
    items outside the data folder."""
    try:
        if path.stat().st_size > LARGEST:
            return {}
        found = json.loads(path.read_text("utf-8"))
        if found["version"] != __version__:
            return {}
        values = {key: lively(value) for key, value in found["values"].items()}
        files.inside(str(values[PATH]))
        if not all(key.startswith(draft.INPUTS) for key in values):
            return {}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}
    return values


def lively(value: Any) -> Any:
    """The opposite of ``simple``.

    >>> lively(simple(date(2027, 1, 2))), lively(simple(("a", 1)))
    (datetime.date(2027, 1, 2), ['a', 1])
    """
    if isinstance(value, dict):
        if "day" in value:
            return date.fromisoformat(value["day"])
        return clock_time.fromisoformat(value["time"])
    return [lively(one) for one in value] if isinstance(value, list) else value
