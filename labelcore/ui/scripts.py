"""Scripts that a page is given once, however often what they draw changes.

Streamlit sends a component's script with every drawing of it. What is drawn at each answer sends a
line in its place, which waits for the script that the page was given when it was opened.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

HERE = Path(__file__).parent


@cache
def text_of(name: str) -> str:
    """A script or style sheet that lies beside this module."""
    return (HERE / name).read_text("utf-8")


def constants(**values: str | int | Mapping[str, str]) -> str:
    """Names that a script uses, to stand before it: times and words of our own. What comes from a
    file or a person is data of a component, and never in here."""
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in values.items())


# A place for each script, whether it is asked for or given first.
PLACE = """
const placeOf = (name) => (globalThis.labelcoreScripts ||= {})[name] ||= (() => {
  const place = {};
  place.script = new Promise((given) => { place.give = given; });
  return place;
})();
"""


@dataclass(frozen=True)
class Script:
    """A component's script: a module that exports what draws the component."""

    module: str

    @property
    def name(self) -> str:
        """After its content, so that a page kept open over an update asks for the new one."""
        return hashlib.sha256(self.module.encode()).hexdigest()[:16]

    @property
    def asked(self) -> str:
        """What a component has for a script."""
        return f'{PLACE}export default await placeOf("{self.name}").script;\n'

    @property
    def given(self) -> str:
        """What hands the script over."""
        body = self.module.replace("\nexport default ", "\nreturn ")
        return f'placeOf("{self.name}").give((() => {{\n{body}}})());\n'


@st.cache_resource(show_spinner=False)
def component(name: str, **parts: Any) -> ComponentRenderer:
    """What draws a component of ours; ``parts`` are its script, style sheet and markup."""
    return st.components.v2.component(f"labelcore_{name}", **parts)
