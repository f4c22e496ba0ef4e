"""Tables to read, whose words wrap so that nothing is cut on a narrow screen."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from labelcore.ui.plain import plain


def reading_table(table: pd.DataFrame, key: str) -> None:
    """A small table as text, cell by cell literally, whatever its words hold."""
    literal = table.astype(str).map(plain).rename(columns=lambda name: plain(name))
    with st.container(key=key):
        st.table(literal, hide_index=True, border="horizontal")
