"""Buttons that do what a refusal on New project advises."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from labelcore.errors import PlanError
from labelcore.planning.methods import named
from labelcore.safe_text import plain
from labelcore.ui.asking import begin
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_cards import question_for
from labelcore.ui.new_terms import RECOMMENDED, Terms
from labelcore.ui.presses import sentence
from labelcore.words.arguments import refusal_words


@dataclass(frozen=True)
class WayOut:
    """What a button says, and what the inputs of the page show once it is pressed."""

    words: str
    draft: ProjectDraft


def refuse(fault: str, ways: Sequence[WayOut], *, asks: bool = False) -> None:
    """Why the page does not go on, and a button for each way out; ``asks`` where nothing is wrong
    and only something still to be chosen."""
    (st.info if asks else st.error)(plain(fault))
    with st.container(horizontal=True, key="new-ways-out"):
        for place, way in enumerate(ways):
            words = plain(way.words[:1].upper() + way.words[1:])
            key = f"new-way-out-{place}"
            st.button(words, key=key, on_click=begin, args=(way.draft,))


def refuse_method(error: Exception, terms: Terms) -> None:
    """Why the chosen method cannot serve, and what can be done about it."""
    remedies = error.remedies if isinstance(error, PlanError) else ()
    fault = refusal_words(error) if isinstance(error, PlanError) else sentence(error)
    ways = [WayOut(remedy.words, draft_of(remedy.changes, terms)) for remedy in remedies]
    if terms.design.name != terms.best:
        ways.append(WayOut("take the recommended method", ProjectDraft(design=RECOMMENDED)))
    if terms.params != terms.suggested:
        as_suggested = ProjectDraft(params={}, params_of=terms.design.name)
        ways.append(WayOut("take the parameters as they were", as_suggested))
    refuse(fault, ways)


def draft_of(changes: Mapping[str, Any], terms: Terms) -> ProjectDraft:
    """The inputs of the page that stand for arguments of a plan."""
    same: dict[str, Any] = {
        name: changes.get(name) for name in ("budget", "params", "promise", "target")
    }
    draft = ProjectDraft(**same, params_of=terms.design.name)
    if "estimands" in changes:
        estimands = tuple(changes["estimands"])
        draft = replace(
            draft, estimands=estimands, question=question_for(estimands) or terms.aim.card
        )
    if "classifier" in changes:
        draft = replace(draft, classifiers=named(changes["classifier"]))
    return draft
