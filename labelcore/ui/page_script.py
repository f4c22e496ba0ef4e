"""What the browser itself does on every page: it says that the server is away, drops held keys, and
lets go of what the mouse pressed; and the scripts of parts, which a page is given once.

While the server is away a page says so in its own words, in the place of the toolkit's box. A
server that was started again knows none of the parts of a page that are drawn by themselves: what
is pressed there comes to nothing until the whole page was drawn once. So it is asked for when the
server is back, and whenever a part says that its word does not come.
"""

from collections.abc import Sequence

import streamlit as st

from labelcore.ui.scripts import PLACE, Script, component, constants, text_of

AWAY = (
    "The server is away. What was called saved is safe; a press since then is kept here, and this "
    "page goes on by itself."
)
"""On a page with answers; on another one, whose fields are closed meanwhile, ``CLOSED``."""
CLOSED = "The server is away. What was saved is safe, and this page goes on by itself."
# The box is out of view and out of the way of keys; Streamlit closes it when the server is back.
ASK = "labelcore-ask"
"""The event of the window by which a part asks for the whole page."""
SCRIPT = constants(AWAY=AWAY, CLOSED=CLOSED, ASK=ASK) + text_of("page.js")


def watch_page(scripts: Sequence[Script] = ()) -> None:
    """Once on every page, outside every part of it that is drawn anew by itself."""
    name = "page" if scripts else "front"
    given = PLACE + "".join(script.given for script in scripts)
    with st.container(key="page"):
        component(name, js=given + SCRIPT)(
            key=f"labelcore-{name}", height=1, on_asked_change=lambda: None
        )
