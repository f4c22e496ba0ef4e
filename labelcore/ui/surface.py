"""The labelling surface: head, item, answers, tools and keys as one component in the browser.

The page sends the item to judge and what may follow it. A press shows what follows at once and
is sent with the token of its item; all else waits for the server's word. What is shown comes as
data, as text.
"""

import hashlib
import json
from collections.abc import Callable, Mapping
from typing import Any

from labelcore.charts.nodes import Node
from labelcore.ui.actions import TOO_LATE, TOO_QUICK
from labelcore.ui.page_script import ASK
from labelcore.ui.scripts import Script, component, constants, text_of

NOT_SAVED_YET = "Wait: your last press is not saved yet."
ONE_TOO_LATE = "The press before the last one was too late: not stored."
BOTH_TOO_LATE = "Your last two presses were too late: not stored."
SAVING = "Saving …"
MORE_HERE = "More labels?"
NOTE_HERE = "A note about this item: Enter saves it, Esc closes"
TIMES = {"SHORTEST_LOOK_MS": 150, "SHORTEST_PAGE_MS": 1000, "SLOW_MS": 300, "AGAIN_MS": 3000}
SAID = {
    "TOO_LATE": TOO_LATE,
    "ONE_TOO_LATE": ONE_TOO_LATE,
    "BOTH_TOO_LATE": BOTH_TOO_LATE,
    "TOO_QUICK": TOO_QUICK,
    "NOT_SAVED_YET": NOT_SAVED_YET,
    "SAVING": SAVING,
    "NOTE_HERE": NOTE_HERE,
    "MORE_HERE": MORE_HERE,
    "OTHERS": "Press {words} instead",
    "SAVE": "Save answers ({number})",
    "NTH_PICTURE": "Picture {number}",
    "MANY": "{number} items to judge",
    "ASK": ASK,
}
SCRIPT = Script(constants(**TIMES, **SAID) + text_of("nodes.js") + text_of("surface.js"))


def surface(key: str, data: Mapping[str, Any], pressed: Callable[[], None]) -> None:
    """Draw what ``data`` has of head, item, answers and tools.

    head      question, how (what to do on a page), said (a list: how many are judged, and the
              rest), extend (whether the first can be pressed for more), steps, share
    item      key, token, view; the token of a draw, or None where it is only shown; of a page the
              tokens, kind, and instead of view cells: a list of view, was (what was pressed there)
    grid      of a page: pressed, rest and unsure, each an answer and its words
    ahead     items: a list of key, view; after: {answer: which of them follows it for sure}
    answers   a list of answer, words, key, kind, place
    stands    where the session stands, for whoever listens; absent while there is an item
    tools     saved, last (number of the last answer), note (what was noted of the item), buttons: a
              list of act, words, key, off
    done      the id of the last press that the server has dealt with

    ``pressed`` is called with each press; it is then in ``st.session_state[key]["press"]``.
    """
    # Its style is in the page's sheet: this travels with every answer.
    component("surface", js=SCRIPT.asked, isolate_styles=False)(
        key=key, data=dict(data), on_press_change=pressed, height="content"
    )


def shown_item(name: str, view: list[Node], token: str | None = None) -> dict[str, Any]:
    """An item as the surface takes it. Two with the same name and content are the same showing."""
    digest = hashlib.sha256(json.dumps(view).encode()).hexdigest()[:16]
    return {"key": f"{name}-{digest}", "token": token, "view": view}


def show_item(name: str, view: list[Node]) -> None:
    """An item by itself, to be looked at."""
    surface("item", {"item": shown_item(name, view)}, lambda: None)
