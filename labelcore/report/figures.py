"""The figures, each with a text that says the same and a table of its numbers."""

import re
from collections.abc import Iterator
from dataclasses import replace

import pandas as pd

from labelcore.charts.against import precision_recall_chart, roc_chart
from labelcore.charts.base import Chart
from labelcore.charts.calibration import calibration_chart
from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.charts.history import history_chart
from labelcore.charts.lists import list_chart
from labelcore.charts.rank import rank_chart
from labelcore.charts.strata import strata_chart
from labelcore.charts.svg import svg
from labelcore.report.claims import evidence_charts
from labelcore.report.dates import moment_words
from labelcore.report.facts import Facts
from labelcore.report.labelling_account import thinned
from labelcore.report.markup import Child, Markup, element, picture, table, theirs, tied
from labelcore.report.sections import called, name_of, section
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Estimate
from labelcore.safe_text import shortened
from labelcore.words.tables import STATES

ROWS_SHOWN, CURVE_HEIGHT = 60, 250.0
SENTENCE_ENDS = re.compile(r"(?<=[.!?]) (?=[A-Z])")
CURVES = {
    ("precision",): "Precision along the ranks of the score",
    ("precision", "recall"): "Precision against recall",
    ("yield",): "Yield along the ranks of the score",
    ("true_positive_rate", "false_positive_rate"): "ROC curve",
}
FRONT = CURVES["precision",]
AT_EACH_SCORE = "How many are positive at each score"
LISTS, HISTORY = "The difference of the two lists", ": estimate and interval against labels"
# Not drawn for bounds without an estimate: there is no recall to draw precision against.
NEEDS_ESTIMATE = {("precision", "recall")}


def figures(facts: Facts, *, played: bool = False) -> tuple[Markup | None, Markup]:
    """The curve of page 1, None without one; and a section with the other figures: history,
    candidates, evidence, curves, strata. What one says in words no later one says again.

    played   page 1 has the history of a number, or the curve of a list, in another way
    """
    known: set[str] = set()
    curve, others = None, []
    charts = sorted(_charts(facts), key=lambda chart: not chart[0].startswith((FRONT, LISTS)))
    for number, (title, chart) in enumerate(charts, start=1):
        parts = SENTENCE_ENDS.split(chart.alt)
        caption = " ".join(part for part in parts if part not in known)
        known.update(parts)
        if title.startswith((FRONT, LISTS)) and not (played and isinstance(facts.primary, Band)):
            curve = _figure(f"figure-{number}", title, chart)
        elif not (played and title.endswith(HISTORY)):
            others.append(_figure(f"figure-{number}", title, chart, caption))
    nothing = element("p", "There is nothing more to draw yet.")
    return curve, section("figures", "Figures", *(others or [nothing]))


def _charts(facts: Facts) -> Iterator[tuple[str, Chart]]:
    for key, first in facts.results.items():
        if isinstance(first, Estimate) and facts.courses[key]:
            label, both = name_of(first), (str(first.scope.classifier), str(first.scope.versus))
            course, margin = facts.courses[key], facts.plan.margin
            chart = history_chart(course, key, margin=margin, label=label, pair=both)
            yield f"{label}{HISTORY}", chart
            break
    for result in facts.results.values():
        if isinstance(result, ListDifference) and result.has_interval:
            yield LISTS, list_chart(result)
    yield from _candidates(facts)
    yield from evidence_charts(facts)
    yield from _curves(facts, {band.estimand: band for band in facts.curves or ()})
    if facts.calibration is not None:
        yield AT_EACH_SCORE, calibration_chart(facts.calibration)
    if facts.counts["drawn"] and not isinstance(facts.primary, Choice):
        yield "Strata", strata_chart(facts.strata, facts.strata_names)


def _candidates(facts: Facts) -> Iterator[tuple[str, Chart]]:
    """The candidates of a choice: their bounds now, and how they came about."""
    for key, result in facts.results.items():
        if isinstance(result, Choice):
            yield "The candidates", candidates_chart(result)
            if facts.looks:
                yield (
                    "Their bounds against labels",
                    moving_bounds_chart(facts.looks, key, result),
                )


def _curves(facts: Facts, bands: dict[str, Band]) -> Iterator[tuple[str, Chart]]:
    for names, title in CURVES.items():
        curves = [bands[f"{name}_curve"] for name in names if f"{name}_curve" in bands]
        if len(curves) < len(names) or (names in NEEDS_ESTIMATE and curves[0].confidence is None):
            continue
        if len(facts.plan.classifiers) > 1:
            title += f" ({shortened(curves[0].scope.classifier)})"
        if len(names) == 1:
            cut = own_cut(facts, curves[0].scope.classifier)
            chart = rank_chart(curves[0], cut=cut, own=cut)
            lower = replace(chart.drawing, height=CURVE_HEIGHT)
            yield title, replace(chart, drawing=lower)
        else:
            draw = roc_chart if "ROC" in title else precision_recall_chart
            yield title, draw(curves[0], curves[1])


def own_cut(facts: Facts, classifier: str | None) -> int | None:
    """How many items the classifier's threshold calls positive; None without a threshold."""
    if classifier not in facts.population.thresholds:
        return None
    return called(facts, str(classifier)) or None


def _figure(name: str, title: str, chart: Chart, caption: str = "") -> Markup:
    """With its words below; on page 1 they are for those who do not see it."""
    words = title if caption else f"{title}. {chart.alt}"
    return element(
        "figure",
        element("h3", title),
        element("div", picture(svg(chart.drawing, name, words)), class_="plot"),
        element("figcaption", tied(caption)) if caption else None,
        folded_numbers(title, chart.table),
    )


def folded_numbers(title: str, frame: pd.DataFrame) -> Markup:
    """What a figure shows as a table, folded."""
    return element("details", element("summary", "The same as a table"), numbers(title, frame))


def numbers(caption: str, frame: pd.DataFrame) -> Markup:
    """A data frame as a table, thinned to what a page can hold, with times and states in words."""
    frame = frame.copy()
    for name in frame.columns.intersection(["When", "Looked at"]):
        frame[name] = [at and moment_words(at) for at in frame[name]]
    if "State" in frame:
        frame["State"] = [STATES.get(state, state) for state in frame["State"]]
    chosen = thinned(len(frame), ROWS_SHOWN)
    if len(chosen) < len(frame):
        caption += f" ({len(chosen)} of {len(frame):,} rows; report.json has all)"
    rows = [[_cell(value) for value in row] for row in frame.iloc[chosen].itertuples(index=False)]
    return table(caption, [str(name) for name in frame.columns], rows)


def _cell(value: object) -> Child:
    if isinstance(value, float):
        return (
            "–" if value != value else f"{value + 0.0:.4g}" if abs(value) < 1e6 else f"{value:,.0f}"
        )
    if isinstance(value, bool) or not hasattr(value, "__index__"):
        return theirs(str(value)) if isinstance(value, str) else str(value)
    return f"{int(str(value)):,}"
