"""A file comes to *New project* as people have it: dropped anywhere, a folder of pictures too, or
pasted as a table. The browser hands all of it to the one field for files."""

from __future__ import annotations

import streamlit as st
from streamlit import config
from streamlit.components.v2.types import ComponentRenderer

from labelcore.population import FORMATS
from labelcore.population.pictures import SUFFIXES
from labelcore.ui.scripts import constants, text_of

MOST_FILES = 60_000
"""Files of a folder that are dropped at once; a zip of 32 bits has no more."""
REFUSED = {
    "nothing": "The folder holds neither a picture nor a table.",
    "much": "The folder is too large to be dropped: at most {files:,} files and {size:,} MB.",
}


@st.cache_resource(show_spinner=False)
def _component(most: int) -> ComponentRenderer:
    taken = "|".join(one.replace(".", r"\.") for one in (*SUFFIXES, *FORMATS))
    names = constants(TAKEN=f"({taken})$", MOST_FILES=MOST_FILES, MOST_BYTES=most * 1_000_000)
    return st.components.v2.component("labelcore_bring", js=names + text_of("bring.js"))


def watch_for_files() -> None:
    """Listen on every screen; what a folder cannot be taken for is said."""
    most = int(config.get_option("server.maxUploadSize"))
    with st.container(key="keys"):
        found = _component(most)(key="labelcore-bring", height=1, on_said_change=lambda: None)
    if said := found.get("said"):
        words = REFUSED.get(str(said.get("refused")), "")
        st.error(words.format(files=MOST_FILES, size=most))
