"""What the browser must do itself: drop held keys, enter a reason, let go of a fold.

A few constant lines; nothing from a file or a person is ever put in here.
"""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

SCRIPT = """
export default function () {
  const editing = (node) => node && (node.isContentEditable ||
    ["INPUT", "TEXTAREA", "SELECT"].includes(node.tagName));
  const dropRepeats = (event) => {
    const acts = event.key.length === 1 || ["Enter", "Escape", "Backspace"].includes(event.key);
    if (event.repeat && acts && !event.ctrlKey && !event.metaKey && !editing(event.target)) {
      event.stopImmediatePropagation();
      event.preventDefault();
    }
  };
  const mend = () => {
    const field = document.querySelector(".st-key-finish-reason input");
    if (field && !field.dataset.entered) {
      field.dataset.entered = "yes";
      field.focus();
    }
  };
  // A fold opened by the mouse keeps no focus, which a later key would frame.
  const letGo = (event) => {
    if (event.detail && event.target.closest("summary")) document.activeElement.blur();
  };
  const watcher = new MutationObserver(mend);
  watcher.observe(document.body, { childList: true, subtree: true });
  window.addEventListener("keydown", dropRepeats, true);
  window.addEventListener("click", letGo);
  mend();
  return () => {
    watcher.disconnect();
    window.removeEventListener("keydown", dropRepeats, true);
    window.removeEventListener("click", letGo);
  };
}
"""


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_keys", js=SCRIPT)


def watch_keys() -> None:
    """Once on the labelling page, outside the part that is drawn anew with each label."""
    with st.container(key="keys"):
        _component()(key="labelcore-keys", height=1)
