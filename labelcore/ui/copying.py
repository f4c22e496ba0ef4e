"""Buttons that put a text into the clipboard: the sentence to quote, and this page's address.

A few constant lines run in the browser; a text is put into the clipboard as it is, never into the
page.
"""

from __future__ import annotations

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.ui import visitor
from labelcore.ui.door import shared_as

HTML = """<div>
<button data-copy="sentence">Copy sentence</button>
<button data-copy="link">Copy link</button>
<span role="status"></span>
</div>"""
CSS = """
div { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; }
button {
  font: inherit; color: inherit; background: none; cursor: pointer; min-height: 2.5rem;
  padding: 0.25rem 0.75rem; border-radius: 0.5rem; border: 1px solid var(--st-border-color);
}
button:hover, button:focus-visible { border-color: var(--st-primary-color); }
span { font-size: 0.875rem; opacity: 0.85; }
"""
SCRIPT = """
const HERE_ONLY = ["localhost", "127.0.0.1", "[::1]"];

async function put(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  // Without TLS browsers have no other way.
  const field = document.createElement("textarea");
  field.value = text;
  field.style.position = "fixed";
  field.style.opacity = "0";
  document.body.append(field);
  field.select();
  const done = document.execCommand("copy");
  field.remove();
  if (!done) throw new Error("refused");
}

export default function ({ data, parentElement }) {
  const said = parentElement.querySelector("[role=status]");
  for (const button of parentElement.querySelectorAll("button")) {
    button.onclick = async () => {
      const link = button.dataset.copy === "link";
      const address = new URL(location.href);
      if (data.key) address.searchParams.set("start", data.key);
      if (data.key && HERE_ONLY.includes(location.hostname)) address.hostname = data.host;
      const text = link ? address.href : data.sentence;
      const where = link && HERE_ONLY.includes(address.hostname);
      try {
        await put(text);
        said.textContent = where ? "Copied. It opens on this computer only." : "Copied.";
      } catch {
        said.textContent = "The browser did not allow it: mark the text and copy it.";
      }
    };
  }
}
"""


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    return st.components.v2.component("labelcore_copy", html=HTML, css=CSS, js=SCRIPT)


def copy_buttons(key: str, sentence: str) -> None:
    """Buttons for this sentence and for the address of the page. In a share the address gets the
    viewers' key: whoever is given it may look and do no more. Whoever came by a link or a login of
    their own hands out no key: it would outlast them."""
    shared = ("", "") if visitor.name_of_login() else shared_as()
    _component()(key=key, data={"sentence": sentence, "key": shared[0], "host": shared[1]})
