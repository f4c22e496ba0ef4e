"""New project: the draft outlives a reload, in a small file of the data folder.

The address of the page names the file by a random token. A file that another version wrote is left
alone.
"""

from __future__ import annotations

import json
import re
import secrets
import time
from pathlib import Path

import streamlit as st

from labelcore import __version__
from labelcore.settings import data_folder
from labelcore.ui import files
from labelcore.ui.asking import DRAFT, current, put
from labelcore.ui.draft import Draft

NAME, TOKEN, WRITTEN = "draft", "draft token", "draft written"
FORM = re.compile(r"[0-9a-f]{24}")
LARGEST, OLDEST_SECONDS = 100_000, 30 * 24 * 3600


def folder() -> Path:
    return data_folder() / "drafts"


def restore() -> None:
    """Go on with the draft that the address names, where this visitor has none yet."""
    token = st.query_params.get(NAME, "")
    if TOKEN in st.session_state or not FORM.fullmatch(token):
        return
    st.session_state[TOKEN] = token
    if (found := read(folder() / f"{token}.json")) is not None:
        put(found)


def keep() -> None:
    """Write the draft where it has changed, and name it in the address."""
    if current().path is None:
        return
    text = written(current())
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
    """The project is made: nothing is left of its draft."""
    token = str(st.session_state.pop(TOKEN, ""))
    for name in (WRITTEN, DRAFT):
        st.session_state.pop(name, None)
    if FORM.fullmatch(token):
        (folder() / f"{token}.json").unlink(missing_ok=True)


def clear_old() -> None:
    """Remove drafts that nobody has touched for a month."""
    for path in folder().glob("*.json"):
        if path.stat().st_mtime < time.time() - OLDEST_SECONDS:
            path.unlink(missing_ok=True)


def written(draft: Draft) -> str:
    """A draft as its file holds it.

    >>> json.loads(written(Draft(path="a.csv", step=2)))["draft"]["path"]
    'a.csv'
    """
    values = {"version": __version__, "draft": draft.to_json()}
    return json.dumps(values, ensure_ascii=False)


def read(path: Path) -> Draft | None:
    """The draft that a file holds; None for one that is missing, foreign, or names a file of items
    outside the data folder."""
    try:
        if path.stat().st_size > LARGEST:
            return None
        found = json.loads(path.read_text("utf-8"))
        if found["version"] != __version__:
            return None
        draft = Draft.from_json(found["draft"])
        files.inside(str(draft.path))
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return None
    return draft
