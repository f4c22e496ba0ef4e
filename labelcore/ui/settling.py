"""What people judge differently, one item after another: side by side, and settled by key."""

from functools import partial

import streamlit as st

from labelcore.access import Right
from labelcore.items import usable_highlights
from labelcore.log.answers import looking_seconds
from labelcore.log.events import Event, answer_word
from labelcore.log.repeats import Judged
from labelcore.safe_text import one_line, plain
from labelcore.session.session import Session
from labelcore.ui import people, sessions, trail
from labelcore.ui.answers import choice_buttons, classes_in_order
from labelcore.ui.item import item_nodes
from labelcore.ui.lines import quiet
from labelcore.ui.page_errors import guard
from labelcore.ui.presses import acting, button, show_problem
from labelcore.ui.status import shown_word
from labelcore.ui.surface import show_item

SEEN = "settling"
REASON = "settle-reason"
ASKED, SETTLED = "Which answer counts?", "It is settled; a press settles it anew."
BACK, COUNTED = "Back to the last one", "{done:,} of {of:,} settled"


def _seen(project: str) -> dict[str, int]:
    """What this page knows: ``chosen``, the number of the item that was asked for, ``last``, of the
    one settled last, and ``begun``, how many there were at first."""
    seen: dict[str, dict[str, int]] = st.session_state.setdefault(SEEN, {})
    return seen.setdefault(project, {})


def chosen(session: Session) -> Judged | None:
    """The item that was asked for, else the first that nobody has settled."""
    asked = _seen(session.project).get("chosen")
    judged = session.differing(asked) if asked else None
    return judged or next(iter(session.unsettled()), None)


@st.fragment(key="settling")
def settling(project: str) -> None:
    """Drawn anew with each key; the page around it when the last item is settled."""
    with guard("people", project):
        session = sessions.session(project)
        session.sync()
        judged = chosen(session)
        if judged is None:
            st.rerun()
        left = len(session.unsettled())
        begun = _seen(project)["begun"] = max(_seen(project).get("begun", 0), left)
        item, answers = st.columns([57, 43], gap="medium")
        with item:
            _item(session, judged)
        with answers:
            quiet("left", COUNTED.format(done=begun - left, of=begun))
            _side_by_side(session, judged)
            _keys(project, session, judged)
        show_problem()


def _item(session: Session, judged: Judged) -> None:
    trail.saw(session.project, str(judged.first.item_id), str(judged.index))
    content = session.item_by_id(str(judged.first.item_id))
    marks = usable_highlights(session.settings)
    show_item(str(judged.index), item_nodes(content, marks, session.population.path))


def _side_by_side(session: Session, judged: Judged) -> None:
    """Who said what, how long each looked, and what each noted."""
    noted = {event.annotator: event for event in session.events
             if event.kind == "noted" and event.index == judged.index}  # fmt: skip
    now = session.engine.in_force(judged.index)
    beside = st.container(horizontal=True, key="beside")
    for answer in judged.answers:
        with beside, st.container(border=True, width="content", gap=None):
            st.text(one_line(session.called(answer.annotator), 60))
            st.markdown(f"**{plain(shown_word(answer_word(answer)), 60)}**")
            changed = answer is judged.first and now and now.sequence != answer.sequence
            later = f"later changed to {shown_word(answer_word(now))}" if changed and now else ""
            note = noted.get(answer.annotator)
            parts = (_looked(answer), later, one_line(note.text or "", 200) if note else "")
            quiet(f"judged-{answer.sequence}", "\n".join(filter(None, parts)))


def _looked(event: Event) -> str:
    """How long the person looked; "" where that is not known."""
    seconds = next(iter(looking_seconds([event])), float("nan"))
    return f"{seconds:.1f} s" if seconds == seconds else ""


def _keys(project: str, session: Session, judged: Judged) -> None:
    index = judged.index
    ruling = session.engine.settlement(judged)
    st.text(SETTLED if ruling else ASKED)
    choices, act = classes_in_order(session), partial(settle, project=project, index=index)
    choice_buttons("settle", "change-settle-", str(index), choices, act)
    st.text_input("Why (optional)", ruling.text or "" if ruling else "", key=f"{REASON}-{index}")
    _way_back(project, index)


def all_settled(project: str) -> None:
    """How many this page has seen settled where nothing is left, and the way back to the last."""
    if (begun := _seen(project).get("begun", 0)) and _seen(project).get("last"):
        quiet("left", COUNTED.format(done=begun, of=begun))
        _way_back(project)


def _way_back(project: str, index: int = 0) -> None:
    """To the item settled last, unless that is the one shown."""
    last = _seen(project).get("last", 0)
    off = last in (0, index)
    button(BACK, "settle-back", look_at, project, last, shortcut="U", type="tertiary", disabled=off)


def look_at(project: str, index: int) -> None:
    """Look at this item, settled or not."""
    _seen(project)["chosen"] = index


@acting(Right.SETTLE)
def settle(project: str, index: int, answer: str) -> None:
    """Say that this answer counts; what each person answered stays. The same press twice is one."""
    session = sessions.session(project)
    session.sync()
    judged = session.differing(index)
    before = session.engine.settlement(judged) if judged else None
    reason = str(st.session_state.get(f"{REASON}-{index}") or "").strip()
    if before is None or (answer_word(before), before.text or "") != (answer, reason):
        item_id = session.population.id_at(session.engine.asked[index - 1].position)
        session.settle(item_id, answer, people.name(session), reason)
    _seen(project).update(last=index, chosen=0)
