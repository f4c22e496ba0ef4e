"""What all planners share: what was chosen, inputs in per cent, the way to a project."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import streamlit as st

from labelcore.errors import CancelledError
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import Preview, preview
from labelcore.population import Population
from labelcore.safe_text import plain
from labelcore.ui import waiting
from labelcore.ui.asking import ask, begin
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_cards import Card
from labelcore.ui.new_columns import Columns
from labelcore.ui.new_confidence import TRYING
from labelcore.ui.params import within

TWO_CLASSES = "This needs two classes, one of them positive; the file has {number}."


@dataclass(frozen=True)
class Chosen:
    """What the first two steps settled.

    base        the file as New project's first step reads it: its inputs go by this fingerprint
    population  the same with classes and thresholds; classifier: the one that was chosen
    """

    base: Population
    population: Population
    columns: Columns
    classifier: str

    @property
    def two_classes(self) -> bool:
        return len(self.population.classes) == 2

    def called(self) -> dict[str, np.ndarray]:
        """Whether each classifier calls each item positive, for those that call any so."""
        positive = self.population.classes.index(self.population.positive)
        called = {name: codes == positive for name, codes in self.population.predictions.items()}
        return {name: mine for name, mine in called.items() if mine.any()}

    def key(self, name: str) -> str:
        """Of an input that starts from what this file and classifier suggest."""
        return f"compare-{name}-{self.classifier}-{self.population.fingerprint}"


def project(chosen: Chosen, card: Card, names: Sequence[str] = ()) -> ProjectDraft:
    """A project about the file that asks a question; ``names`` are the classifiers that it is asked
    of, where it takes several."""
    begun = ProjectDraft(question=card.title, estimands=card.estimands)
    if not names:
        return begun
    return replace(begun, classifiers=tuple(names), thresholds=chosen.columns.thresholds)


def suited(chosen: Chosen, *, score: bool = False) -> bool:
    """Whether the file has what a method for two classes needs; a sentence where it has not."""
    if not chosen.two_classes:
        st.info(TWO_CLASSES.format(number=f"{len(chosen.population.classes):,}"))
        return False
    if score and chosen.classifier not in chosen.population.scores:
        st.info(plain(f"This needs a score, and {chosen.classifier} has only predictions."))
        return False
    return True


def percent_input(
    label: str,
    start: float,
    key: str,
    low: float = 0.1,
    high: float = 100.0,
    *,
    unit: str = "%",
) -> float | None:
    """A share that is typed in per cent or points; None, with a sentence, while it is out of
    bounds."""
    value = st.number_input(
        f"{label}, in {unit}", value=start, step=1.0, format="%g", key=key, persist_state="session"
    )
    return float(value) / 100 if within(value, low, high) else None


def number_input(
    label: str, start: int | None, key: str, low: int, high: int, **more: Any
) -> int | None:
    """A whole number; None, with a sentence, while it is out of bounds, or where it is empty."""
    value = st.number_input(label, value=start, step=1, key=key, persist_state="session", **more)
    return int(value) if value is not None and within(value, low, high) else None


def way_input(label: str, ways: Sequence[str], *, key: str, **more: Any) -> str:
    """One of several ways, the first until another one is pressed."""
    pressed = st.segmented_control(
        label, ways, default=ways[0], required=True, key=key, persist_state="session", **more
    )
    return str(pressed)


def confidence() -> float:
    """Shared with New project."""
    return float(ask("confidence"))


def outlook_of(population: Population, plan: Plan) -> Preview:
    """``preview``, remembered. Raises what it raises; where it is cancelled the page ends there."""
    key = population.fingerprint, plan.to_json()
    try:
        return waiting.worked_out("preview", key, TRYING, lambda: preview(population, plan))
    except CancelledError:
        st.stop()


def offer(wanted: ProjectDraft, key: str) -> None:
    """The button that opens New project with what is wanted in its inputs."""
    if st.button("Use this in a new project", key=f"compare-use-{key}", icon=":material/add:"):
        begin(wanted)
        st.switch_page("pages/new_project.py")
