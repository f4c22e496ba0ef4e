"""The audit trail as a page, for whoever runs every project."""

import json
import re
from collections.abc import Sequence
from dataclasses import asdict
from datetime import date, datetime

import pandas as pd
import streamlit as st

from labelcore.safe_text import one_line, plain
from labelcore.store import Act, acts_follow, identity_of
from labelcore.ui import sessions, trail, visitor
from labelcore.ui.downloads import taken
from labelcore.ui.presses import button
from labelcore.ui.tables import reading_table
from labelcore.ui.times import dated, is_since, reader_zone

HEAD = ("When", "Who", "What", "About")
NOTHING = "Nothing yet."
WHOLE = "{lines:,} lines since {first}; none was changed."
CHANGED = "Line {line:,} was changed outside Labelcore."
NONE_SO = "No such line."
ROWS = 50
CHECKED: dict[str, list[Act]] = {}
"""{address of a store: the lines that were found whole}: they are compared, not hashed again."""
ANY, ALL = "Everything", "Everybody"
MORE = "trail-rows"


def trail_page() -> None:
    """What is known of the chain, then the newest lines, as filtered."""
    trail.trail().flush()
    acts, wrong = _read(sessions.address())
    if not acts:
        st.title(NOTHING, anchor=False)
        return
    where = reader_zone()
    sentence = CHANGED.format(line=wrong) if wrong else WHOLE.format(
        lines=len(acts), first=dated(acts[0].at, where)
    )  # fmt: skip
    with st.container(key="about"):
        st.title(plain(sentence), anchor=False)
    chosen = _filtered(acts)
    if not chosen:
        st.text(NONE_SO)
        return
    shown = st.session_state.setdefault(MORE, ROWS)
    names = _names()
    rows = [
        (dated(act.at, where), one_line(act.who, 80), act.what, one_line(_named(act.about, names)))
        for act in chosen[:-shown - 1:-1]
    ]  # fmt: skip
    reading_table(pd.DataFrame(rows, columns=HEAD), "trail")
    with st.container(horizontal=True):
        if len(chosen) > shown:
            button(f"Older ones ({len(chosen) - shown:,})", "trail-more", show_more)

        def lines() -> str:
            return "".join(json.dumps(asdict(act), ensure_ascii=False) + "\n" for act in chosen)

        what = f"the audit trail, {len(chosen):,} lines"
        taken("As lines", "labels.audit.jsonl", lines, what, key="trail-lines")


def show_more() -> None:
    st.session_state[MORE] += 4 * ROWS


def _read(address: str) -> tuple[list[Act], int]:
    """All lines, and the first one that was changed; 0 for none."""
    acts, known = sessions.store().acts(), CHECKED.get(address, [])
    same = known if acts[: len(known)] == known else []
    wrong = acts_follow(acts[len(same) :], same[-1] if same else None)
    if not wrong:
        CHECKED.clear()
        CHECKED[address] = acts
    return acts, wrong


def _filtered(acts: Sequence[Act]) -> list[Act]:
    """By what happened, by whom, from a day on, and by words of what it is about."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="trail-filters"):
        kinds = sorted({act.what for act in acts})
        what = st.selectbox("What", [ANY, *kinds], key="trail-what", width=165)
        people = sorted({act.who for act in acts}, key=str.casefold)
        who = st.selectbox("Who", [ALL, *people], key="trail-who", width=171,
                           format_func=lambda name: plain(name, 80))  # fmt: skip
        since = st.date_input("Since", None, key="trail-since", width=165)
        about = st.text_input("About", key="trail-about", width=171, placeholder="project, item")
    where, start = reader_zone(), None
    if isinstance(since, date):
        start = datetime(since.year, since.month, since.day, tzinfo=where)
    return [
        act for act in acts
        if what in (ANY, act.what) and who in (ALL, act.who)
        and about.casefold() in act.about.casefold()
        and (start is None or is_since(act.at, start))
    ]  # fmt: skip


def _names() -> dict[str, str]:
    """{key or identity of a project: its name}"""
    records = sessions.store().projects()
    return {key(record): record.name for record in records for key in (visitor.key, identity_of)}


def _named(about: str, names: dict[str, str]) -> str:
    """With the names of projects for their keys, which the lines have."""
    return re.sub(r"\b([0-9a-f]{16}){1,2}\b", lambda key: repr(names.get(key[0], key[0])), about)
