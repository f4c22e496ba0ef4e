"""Everything that was judged as one table to look through: texts, filters, what is in each list."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

from labelcore import items
from labelcore.items.picture_address import PREFIX
from labelcore.log.events import PUT, Event, answer_word
from labelcore.log.history import OPEN, marked_open
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import trail
from labelcore.ui.hidden import reason_column
from labelcore.ui.status import shown_word
from labelcore.words.quantities import model_word

LONGEST_REASON, LONGEST_SHOWN = 200, 280
FEW = 20
"""So many items that are new here are looked up one by one, more in one reading."""
ALL, WRONG, UNSURE = "All", "{model} was wrong", "Not sure or broken"
TO_COME = (OPEN, "later")
"""Items whose answer is still to come: nobody is told what the classifier says of them."""
FLAGGED, NOTED, TWICE = "Flagged", "Notes", "Answered differently"
SETTLE = "To settle"
SLIPS, UNCLEAR = "My slips", "Question unclear"
CAUSE_WORDS = {"slip": "my slip", "classifier": "its error", "question": "question unclear"}
Rows = Callable[[pd.DataFrame], "pd.Series[bool]"]
LISTS: dict[str, Rows] = {
    ALL: lambda table: table["answer"] != OPEN,
    WRONG: lambda table: table["wrong"],
    UNSURE: lambda table: table["answer"].isin(["unsure", "broken"]),
    FLAGGED: lambda table: table["flagged"],
    NOTED: lambda table: table["note"] != "",
    TWICE: lambda table: table["second"] != "",
    SETTLE: lambda table: table["unsettled"],
    SLIPS: lambda table: table["cause"] == "slip",
    UNCLEAR: lambda table: table["cause"] == "question",
}
"""What can be looked through; ``Reviewed.lists`` leaves out those that hold nothing."""


@dataclass(frozen=True, eq=False, slots=True)
class Reviewed:
    """The judged items, and those that are flagged or noted and still open, the last drawn first.

    table       one row an item: index (of the draw), id, item (its beginning), text (what a search
                looks at), pictured (whether it may hold a picture), answer, called and score (by
                the classifier), wrong, who, at, flagged, note, second, unsettled (whether people
                differ and nobody said what counts), reason (of a judge that was wrong), cause (why
                they differ, as somebody said)
    classifier  whose calls and scores they are; None where nobody predicts
    model       what that is: a classifier, or a judge
    several     whether others predict, too: it is called by its name
    """

    table: pd.DataFrame
    classifier: str | None
    model: str = model_word(audit=False)
    several: bool = False

    def named(self, which: str) -> str:
        """A list as people read it."""
        model = self.classifier if self.several else self.model.capitalize()
        return which.format(model=model)

    def lists(self) -> dict[str, int]:
        """{list: how many items it holds}, the first one always, the others where they hold any."""
        sizes = {name: int(rows(self.table).sum()) for name, rows in LISTS.items()}
        return {name: size for name, size in sizes.items() if size or name == ALL}

    def chosen(self, which: str = ALL, *, search: str = "", **wanted: str | None) -> pd.DataFrame:
        """The rows of a list in whose text, note or id every searched word stands, with what is
        ``wanted`` of their columns."""
        kept = LISTS[which](self.table)
        for column, value in wanted.items():
            if value is not None:
                kept &= self.table[column] == value
        for word in search.casefold().split():
            kept &= self.table["text"].str.contains(word, regex=False)
        return self.table[kept]


def reviewed(session: Session, classifier: str | None, person: str = "") -> Reviewed:
    """What was judged so far; ``classifier`` is one of those that predict. Items that this person
    is still to judge, after others, are left out: their answers would show."""
    repeats, answers = session.engine.repeats, list(session.history(None, None))
    if repeats.others:
        answers = [row for row in answers if not repeats.wanted_of(row.index, person)]
    answers += marked_open(session.state)
    rows = sorted(answers, key=lambda row: -row.index)
    open_ = {unsettled.index for unsettled in session.unsettled()}
    trail.say_once(trail.VIEWED, f"project {session.project!r}, the list of answers")
    population = session.population
    position = [population.position(row.item_id) for row in rows]
    # The beginning of each, and all of it for the search.
    texts = looked_up("texts", session.project, population.fingerprint)
    gone = session.state.erased
    new = {row.item_id for row in rows if row.item_id in gone or row.item_id not in texts}
    kept = session.drawn_items() if len(new) > FEW else {}
    for row in rows:
        if row.item_id in new:
            content = kept.get(row.item_id) or session.item_by_id(row.item_id)
            name = one_line(row.item_id, 40)
            begins = items.glimpse(content, LONGEST_SHOWN) or name
            words = [value for value in content.values() if not value.startswith(PREFIX)]
            searched = " ".join([row.item_id, *words]).casefold()
            texts[row.item_id] = begins, searched, items.names_picture(content)
    table = pd.DataFrame(
        {
            "index": [row.index for row in rows],
            "id": [row.item_id for row in rows],
            "item": [texts[row.item_id][0] for row in rows],
            "text": [f"{texts[row.item_id][1]} {row.note.casefold()}" for row in rows],
            "pictured": [texts[row.item_id][2] for row in rows],
            "answer": [row.answer for row in rows],
            "who": [session.called(row.annotator) for row in rows],
            "at": [row.at for row in rows],
            "flagged": [row.flagged for row in rows],
            "note": [row.note for row in rows],
            "second": [row.second for row in rows],
            "unsettled": [row.index in open_ for row in rows],
            "cause": [session.state.cause(row.index) for row in rows],
        }
    )
    kinds = {"flagged": bool, "unsettled": bool, "pictured": bool}
    table = table.astype(kinds | dict.fromkeys(("note", "second", "text", "cause"), object))
    table["called"], table["score"] = None, float("nan")
    if classifier is not None and classifier in population.predictions:
        codes = population.predictions[classifier][position]
        table["called"] = [population.classes[code] for code in codes]
    if classifier is not None and classifier in population.scores:
        table["score"] = population.scores[classifier][position]
    table.loc[table["answer"].isin(TO_COME), ["called", "score"]] = None
    judged = table["answer"].isin(population.classes)
    table["wrong"] = judged & table["called"].notna() & (table["called"] != table["answer"])
    table["reason"] = ""
    if column := reason_column(session, classifier):
        wrong = table.loc[table["wrong"], "id"]
        known = looked_up("reasons", column, population.fingerprint)
        for item_id in {one for one in wrong if one in gone or one not in known}:
            known[item_id] = one_line(population.metadata(item_id)[column], LONGEST_REASON)
        table.loc[table["wrong"], "reason"] = wrong.map(known)
        table["text"] += " " + table["reason"].str.casefold()
    model, several = model_word(population.has_judge), len(population.predictions) > 1
    return Reviewed(table, classifier, model, several)


@st.cache_resource(show_spinner=False, max_entries=24)
def looked_up(what: str, of: str, fingerprint: str) -> dict[str, Any]:
    """{id: what was looked up so far}, of the items of a file."""
    return {}


def said_of(session: Session, index: int) -> list[Event]:
    """What people did with a drawn item, in order."""
    return [event for event in session.events if event.index == index and event.kind not in PUT]


def event_words(event: Event) -> str:
    """What a person did with an item."""
    match event.kind:
        case "noted":
            return f"note: {one_line(event.text or '', 200) or '(taken away)'}"
        case "flagged":
            return "flagged" if event.text == "yes" else "flag taken away"
        case "explained":
            return CAUSE_WORDS.get(event.text or "", "cause taken back")
        case "undone" | "reread_undone":
            return "taken back"
        case "settled":
            reason = f": {one_line(event.text, 200)}" if event.text else ""
            return f"settled as {shown_word(answer_word(event))}{reason}"
        case "reread":
            return f"{shown_word(answer_word(event))}, the second time"
        case "late":
            return f"{shown_word(answer_word(event))}, too late to count"
        case _:
            words = f": {one_line(event.text, 200)}" if event.text else ""
            return f"{shown_word(answer_word(event))}{words}"
