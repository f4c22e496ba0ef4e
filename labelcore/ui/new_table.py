"""New project: every method for the aim, by the labels it is expected to need, to choose from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from labelcore.designs import DESIGNS
from labelcore.designs.curves import EstimatesCurve
from labelcore.estimands import DIFFERENCE
from labelcore.plan.plan import Plan
from labelcore.planning.methods import Line
from labelcore.promises import Promise
from labelcore.safe_text import plain
from labelcore.ui import forecasts
from labelcore.ui.asking import ask, begin
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_price import Ahead
from labelcore.ui.new_price_words import method_words
from labelcore.ui.new_terms import RECOMMENDED
from labelcore.words.quantities import term_of

SETTLES = " · its first labels settle {term}"


@dataclass(frozen=True)
class Row:
    """A method with one of its promises, and its labels; ``assumes``: it states no chance of
    error."""

    design: str
    promise: str
    labels: int
    assumes: bool
    words: str

    @property
    def name(self) -> str:
        return f"{self.design} {self.promise}"


def sized_rows(plan: Plan, lines: Sequence[Line], items: int) -> list[Row]:
    """A row for each method with as many labels as the chosen one, whose number follows from its
    parameters, or with those of its own."""
    rows = [row_of(line, promise_of(plan, line.design), labels, items)
            for line in lines if (labels := least_labels(line))]  # fmt: skip
    return sorted(rows, key=lambda row: (row.design != plan.design, row.labels))


def least_labels(line: Line) -> int:
    """The labels of a method; of one that needs more than it was asked with the fewest it takes; 0
    where it cannot serve."""
    if not line.refused:
        return line.labels
    return max((int(remedy.changes.get("budget", 0)) for remedy in line.remedies), default=0)


def row_of(line: Line, promise: str, labels: int, items: int) -> Row:
    design = DESIGNS[line.design]
    assumes = isinstance(design, EstimatesCurve) and not design.has_confidence
    words = method_words(line.label, labels, promise, whole=labels == items, assumes=assumes)
    return Row(line.design, promise, labels, assumes, words)


def method_rows(plan: Plan, ahead: Ahead, lines: Sequence[Line], other: str | None) -> list[Row]:
    """A row for each method that foresees its labels, and one for the ``other`` promise of the
    chosen one. Those with the plan's promise stand first, among them the fewest labels first; last
    those that state no chance of error."""
    rows, items = [], len(ahead.population)
    for line in lines:
        if line.refused:
            continue
        own_size = DESIGNS[line.design].size_from_params
        same = line.design == plan.design or plan.margin is not None or own_size
        labels = line.labels if same else ahead.labels_by(line.design)
        promise = promise_of(plan, line.design)
        if labels is not None and (line.half_widths or own_size):
            rows.append(row_of(line, promise, labels, items))
    if other is not None and (labels := labels_with(plan, ahead, other)) is not None:
        rows.append(row_of(ahead.chosen, other, labels, items))

    def place(row: Row) -> tuple[object, ...]:
        return row.assumes, row.promise != plan.promise, row.labels, row.design != plan.design

    return sorted(rows, key=place)


def promise_of(plan: Plan, design: str) -> str:
    """The promise of the plan where a method has it, else the method's own."""
    promises = DESIGNS[design].promises
    return str(plan.promise if plan.promise in promises else promises[0])


def labels_with(plan: Plan, ahead: Ahead, promise: str) -> int | None:
    """The labels that the chosen method needs for the same half-width with another promise."""
    try:
        changed = replace(plan, promise=promise, stop=None)
        if plan.margin is not None:
            line = forecasts.forecast(ahead.population, changed)
            return None if line.refused else line.labels
    except ValueError:
        return None
    population, most = ahead.population, 4 * ahead.chosen.labels
    points = forecasts.curve(population, changed, most)
    formula = forecasts.curve_of(population, plan, plan.design, most)
    there = forecasts.width_at(formula, ahead.chosen.labels)
    exact = min(ahead.width, there) <= forecasts.EXACT
    width = ahead.width if exact else there  # before it was moved to what was simulated
    return forecasts.labels_for(points, width, len(population))


def choose_row(rows: Sequence[Row], plan: Plan, best: str) -> None:
    """The rows to choose from, the one that is taken marked; choosing takes its method, its promise
    and, where labels are counted, as many."""
    taken = f"{plan.design} {plan.promise}"
    by_name = {row.name: row for row in rows}
    if len(by_name) < 2 or taken not in by_name:
        return

    def take(name: str) -> None:
        row = by_name[name]
        least = DESIGNS[row.design].smallest_watched_budget if row.promise == Promise.WATCHED else 1
        budget = max(row.labels, least) if plan.budget is not None else None
        design = RECOMMENDED if row.design == best else row.design
        begin(ProjectDraft(design=design, promise=row.promise, budget=budget))

    ask("row", take=take, options=words_of(rows, best), first=taken)


def words_of(rows: Sequence[Row], best: str) -> dict[str, str]:
    """The words of each row; why the ``best`` is recommended where it is not the cheapest."""
    settled = DESIGNS[best].settles.removesuffix(DIFFERENCE)
    told = SETTLES.format(term=term_of(settled)) if settled and best != rows[0].design else ""
    return {row.name: plain(row.words + told * (row.design == best)) for row in rows}
