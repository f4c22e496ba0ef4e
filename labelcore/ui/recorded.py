"""A recorded session on an empty start page: its band closes label by label, once.

``recorded.json`` is what *Label* drew of the digits trial before its first answer and at its end,
answered by the truth; ``python -m docs.make_recording`` makes it.
"""

from __future__ import annotations

import csv
import json
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import streamlit as st
from streamlit.components.v2.types import ComponentRenderer

from labelcore.charts.nodes import Node, node
from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.trials.table import TRIALS
from labelcore.trials.words import WORDS
from labelcore.ui.living import picture
from labelcore.ui.picture import STYLE
from labelcore.ui.scripts import constants, text_of

TRIAL = "digits"
RECORDED = Path(__file__).parent / "recorded.json"
HAPPENS = "With every answer the band closes around how often the classifier is right."
WHAT = "Recorded: {labels} answers to “{question}” The last dot is the truth."


def record() -> dict[str, Any]:
    """The chart before the first answer and after the last, and the number of answers."""
    trial = TRIALS[TRIAL]
    with TemporaryDirectory() as folder:
        path = trial.write(Path(folder), trial.to_bytes())
        population = read_population(path, **trial.read_arguments)
        with path.open(encoding="utf-8", newline="") as rows:
            truth = {row["id"]: row[trial.truth_column] for row in csv.DictReader(rows)}
        session = Session(population, trial.plan, settings={"trial": TRIAL})
        first = picture(session, None).chart
        while (draw := session.next()) is not None:
            session.answer(draw, truth[draw.item_id])
        session.finish("")
        return {"labels": session.labels, "charts": [first, picture(session, None).chart]}


@cache
def recording() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return found


@st.cache_resource(show_spinner=False)
def _component() -> ComponentRenderer:
    script = text_of("nodes.js") + constants(STYLE=STYLE) + text_of("recorded.js")
    return st.components.v2.component("labelcore_recorded", js=script)


def show_recording() -> None:
    """What will happen, as a picture that plays once; at its end where little motion is wanted."""
    found = recording()
    charts: Node = node("div", *found["charts"], klass="recorded")
    asked = WORDS[TRIAL].question
    with st.container(horizontal=True, key="recorded", vertical_alignment="center"):
        with st.container(width=420):
            _component()(key="recorded-picture", data={"charts": charts}, height="content")
        with st.container(width="stretch", gap="small"):
            st.text(HAPPENS)
            st.caption(WHAT.format(labels=found["labels"], question=asked))
