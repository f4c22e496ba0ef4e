"""While the server is away a page says so in its own words, in the place of the toolkit's box.

A few constant lines; nothing from a file or a person is ever put in them.
"""

from __future__ import annotations

import json

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

AWAY = (
    "The server is away. What was called saved is safe; a press since then is kept here, and this "
    "page goes on by itself."
)
# The box is out of view and out of the way of keys; Streamlit closes it when the server is back.
SCRIPT = (
    f"const AWAY = {json.dumps(AWAY)};\n"
    + """
export default function () {
  const told = Object.assign(document.createElement("div"), { className: "lc-away" });
  told.role = "status";
  told.hidden = true;
  document.body.append(told);
  const look = () => {
    let away = false;
    for (const box of document.querySelectorAll("[data-testid=stDialog]")) {
      const title = box.querySelector("h1, h2, h3, [data-testid=stDialogHeader], header");
      if (!((title || box).textContent || "").startsWith("Connection error")) continue;
      away = true;
      box.dataset.away = "yes";
      box.style.display = "none";
    }
    if (away === !told.hidden) return;
    told.hidden = !away;
    told.textContent = away ? AWAY : "";
  };
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  look();
  return () => { watcher.disconnect(); told.remove(); };
}
"""
)


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_away", js=SCRIPT)


def watch_server() -> None:
    """Once on every page, outside every part of it that is drawn anew by itself."""
    with st.container(key="away"):
        _component()(key="labelcore-away", height=1)
