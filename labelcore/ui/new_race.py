"""New project, step 4: the prices of the methods, simulated on the file's own scores."""

from collections.abc import Mapping
from threading import Lock

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.errors import CancelledError
from labelcore.estimands import CHOICES
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line, for_design
from labelcore.planning.race import SECONDS, may_race, race
from labelcore.population import Population
from labelcore.ui import waiting

ONE, SEVERAL = "your scores", "your mean score"
DONE = "Simulated on your scores"
NOISE = (
    "On {scores}, taken for right. {runs} sessions of each method; by chance alone the numbers "
    "may be off by up to {error:.0f} %."
)
RUNNING = "Simulating the methods on {scores}"
NOT_DONE = f"By formulas: a simulation on your scores takes longer than {SECONDS:g} seconds here."
TURN = Lock()
"""One race at a time: what it finds in its seconds is then the same however many people plan."""


def raced(question: waiting.Key) -> Mapping[str, Line] | None:
    """What came of a race, by design; None where it was not run to its end."""
    found: Mapping[str, Line] | None = waiting.result_kept("race", question)
    return found


class Race:
    """The race for one question: the formulas' lines first, those simulated when it is done, all
    or none. It is run after everything else is drawn.

    question   which question it is, with the goal and the terms: its race is the same whichever
               method is chosen; None where the method has parameters of its own
    """

    def __init__(
        self,
        population: Population,
        plan: Plan,
        formulas: list[Line],
        question: waiting.Key | None = None,
    ) -> None:
        self.population, self.plan, self.formulas = population, plan, formulas
        self.key = question or (population.fingerprint, plan.with_seed(0).to_json())
        self.found = raced(self.key)
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
        if self.place is None or self.found is not None or not (entrants := self._entrants()):
            return

        def simulated() -> dict[str, Line]:
            with TURN:
                waiting.went()
                given = self.population, entrants
                lines = race(*given, seconds=SECONDS, progress=waiting.went)
            return lines if len(lines) == len(entrants) else {}

        try:
            with self.place.container():
                what = RUNNING.format(scores=self.scores)
                waiting.worked_out("race", self.key, what, simulated)
        except CancelledError:
            return
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
