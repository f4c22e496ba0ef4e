"""New project, step 4: the prices of the methods, simulated on the file's own scores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from contextlib import contextmanager
from threading import Lock

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.estimands import CHOICES
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line, for_design
from labelcore.planning.race import SECONDS, may_race, race
from labelcore.population import Population

ONE, SEVERAL = "your scores", "your mean score"
DONE = "Simulated on your scores"
NOISE = (
    "On {scores}, taken for right. {runs} sessions of each method; by chance alone the numbers "
    "may be off by up to {error:.0f} %."
)
RUNNING = "Simulating the methods on {scores}"
WAITING = "Simulated next: somebody else's plan comes first."
NOT_DONE = f"By formulas: a simulation on your scores takes longer than {SECONDS:g} seconds here."
CANCELLED = "new-race-cancelled"
WAIT_SECONDS, KEPT = 0.2, 40


class Races:
    """The races of this process: what came of the last ones, and one place to run in."""

    def __init__(self) -> None:
        self._done: OrderedDict[Hashable, dict[str, Line]] = OrderedDict()
        self._turn = Lock()

    def done(self, key: Hashable) -> dict[str, Line] | None:
        """What came of a race, by design; None where it was not run to its end."""
        return self._done.get(key)

    def keep(self, key: Hashable, lines: dict[str, Line]) -> None:
        self._done[key] = lines
        while len(self._done) > KEPT:
            self._done.popitem(last=False)

    @contextmanager
    def turn(self, place: DeltaGenerator) -> Iterator[None]:
        """The one place, as soon as it is free; it is left however the script ends."""
        while not self._turn.acquire(timeout=WAIT_SECONDS):
            place.caption(WAITING)  # Here Streamlit ends a script that nobody waits for.
        try:
            yield
        finally:
            self._turn.release()


@st.cache_resource(show_spinner=False)
def races() -> Races:
    return Races()


class Race:
    """The race for one question: the formulas' lines first, those simulated when it is done, all
    or none.

    It runs in the script of the page, after everything else is drawn: whatever a person does ends
    it at its next step, and no thread is left.

    question   which question it is, with the goal and the terms: its race is the same whichever
               method is chosen; None where the method has parameters of its own
    """

    def __init__(
        self,
        population: Population,
        plan: Plan,
        formulas: list[Line],
        question: Hashable | None = None,
    ) -> None:
        self.population, self.plan, self.formulas = population, plan, formulas
        key = population.fingerprint, plan.with_seed(0).to_json()
        self.key: Hashable = key if question is None else question
        self.found: Mapping[str, Line] | None = races().done(self.key)
        self.place: DeltaGenerator | None = None

    @property
    def lines(self) -> list[Line]:
        """A line for each method, all simulated or all by formulas."""
        raced = self.found or {}
        return [raced.get(line.design, line) for line in self.formulas]

    @property
    def scores(self) -> str:
        """Which scores the worlds are drawn from, in words."""
        return SEVERAL if len(self.plan.classifiers) > 1 else ONE

    def show(self, more: DeltaGenerator) -> None:
        """An empty place while simulated numbers are still to come. What the numbers come from is
        said in ``more``."""
        self.place = st.empty()
        if self.found:
            raced = self.found.values()
            fewest, most = min(line.runs for line in raced), max(line.runs for line in raced)
            runs = f"{most}" if fewest == most else f"{fewest} to {most}"
            noise = max(0.01, *(2 * line.error for line in raced))
            more.caption(DONE, help=NOISE.format(scores=self.scores, runs=runs, error=100 * noise))
        elif self.found is not None:
            more.caption(NOT_DONE)

    def run(self) -> None:
        """Run it where it is still to be run, and draw the page again with what came of it."""
        cancelled = st.session_state.get(CANCELLED) == self.key
        if self.place is None or self.found is not None or cancelled:
            return
        entrants = self._entrants()
        if not entrants:
            return
        with races().turn(self.place):
            if races().done(self.key) is None:  # Somebody else may have asked the same.
                bar = self._bar(self.place)
                text = RUNNING.format(scores=self.scores)
                lines = race(
                    self.population,
                    entrants,
                    seconds=SECONDS,
                    progress=lambda share: bar.progress(share, text),
                )
                races().keep(self.key, lines if len(lines) == len(entrants) else {})
        st.rerun()

    def _entrants(self) -> list[tuple[Plan, Line]]:
        """All methods that foresee something, or none where one of them cannot be simulated:
        numbers that stand beside each other are worked out in one way."""
        choice = {*self.plan.estimands} <= {*CHOICES}
        lines, labels = self.formulas, self.formulas[0].labels
        able = [line for line in lines if not line.refused and (line.half_widths or choice)]
        plans = [for_design(self.plan, line.design, self.population, labels) for line in able]
        if not all(may_race(self.population, plan) for plan in plans):
            return []
        return list(zip(plans, able, strict=True))

    def _bar(self, place: DeltaGenerator) -> DeltaGenerator:
        with place.container(horizontal=True, vertical_alignment="bottom"):
            bar = st.progress(0.0, RUNNING.format(scores=self.scores))
            st.button("Cancel", key="new-race-cancel", on_click=_cancel, args=(self.key,))
        return bar


def _cancel(key: Hashable) -> None:
    st.session_state[CANCELLED] = key
