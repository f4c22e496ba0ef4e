"""Nodes drawn on a page, in the style of their sheet, and what is pressed of them."""

from collections.abc import Callable

import streamlit as st

from labelcore.charts.design import SERIES, both
from labelcore.charts.nodes import Node
from labelcore.ui.scripts import Script, component, constants, text_of

ROLES = ("ink", "quiet", "warn", "rule", "expected", "empty", "band", "ground", "border")
BASE = f".drawn {{ {both(*SERIES, *ROLES)} }}\n" + text_of("drawing.css")
SHEETS = {name: text_of(f"{name}.css") for name in ("picture", "table", "cards", "tree")}
"""What each kind of drawing has beside that."""
SCRIPT = Script(text_of("nodes.js") + constants(BASE=BASE, SHEETS=SHEETS) + text_of("drawing.js"))


def draw(
    key: str,
    sheet: str,
    drawn: Node,
    pressed: Callable[[str], None] | None = None,
    *,
    steps: bool = False,
) -> None:
    """Draw it; ``pressed`` is called with the attribute data-figure of a button that is pressed.

    steps   whether arrow keys press the button before and after the one that is pressed
    """

    def heard() -> None:
        if pressed is not None:
            pressed(str(st.session_state[key]["pressed"]))

    data = {"sheet": sheet, "drawn": drawn, "steps": steps}
    component("drawing", js=SCRIPT.asked)(
        key=key, data=data, on_pressed_change=heard, height="content"
    )
