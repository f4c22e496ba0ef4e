"""While the server is away a page says so in its own words, in the place of the toolkit's box.

A server that was started again knows none of the parts of a page that are drawn by themselves: what
is pressed there comes to nothing until the whole page was drawn once. So it is asked for when the
server is back, and whenever a part says that its word does not come.

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
"""On a page with answers; on another one, whose fields are closed meanwhile, ``CLOSED``."""
CLOSED = "The server is away. What was saved is safe, and this page goes on by itself."
# The box is out of view and out of the way of keys; Streamlit closes it when the server is back.
ASK = "labelcore-ask"
"""The event of the window by which a part asks for the whole page."""
SCRIPT = (
    f"const AWAY = {json.dumps(AWAY)}, CLOSED = {json.dumps(CLOSED)}, ASK = {json.dumps(ASK)};\n"
    + """
const CONNECTED_MS = 500;  // From the end of the box until a message goes through.

function begin(where) {
  const told = Object.assign(document.createElement("div"), { className: "lc-away" });
  told.role = "status";
  told.hidden = true;
  (document.querySelector(".stApp") || document.body).append(told);
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
    const answers = document.querySelector(".lc-answers:not([hidden]) button");
    told.textContent = away ? (answers ? AWAY : CLOSED) : "";
    if (!away) setTimeout(ask, CONNECTED_MS);
  };
  const ask = () => where.labelcoreAway && where.labelcoreAway.send();
  const watcher = new MutationObserver(look);
  watcher.observe(document.body, { childList: true, subtree: true });
  window.addEventListener(ASK, ask);
  look();
  const end = () => {
    watcher.disconnect();
    window.removeEventListener(ASK, ask);
    told.remove();
    delete where.labelcoreAway;
  };
  return { end };
}

export default ({ parentElement, setTriggerValue }) => {
  const away = (parentElement.labelcoreAway ||= begin(parentElement));
  away.send = () => setTriggerValue("asked", Date.now());
  return away.end;
};
"""
)


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_away", js=SCRIPT)


def watch_server() -> None:
    """Once on every page, outside every part of it that is drawn anew by itself."""
    with st.container(key="away"):
        _component()(key="labelcore-away", height=1, on_asked_change=lambda: None)
