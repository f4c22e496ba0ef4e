"""The last waves of a monitor as one HTML file: weeks, alarms, restarts, labels used."""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from labelcore.charts.base import Chart
from labelcore.charts.svg import svg
from labelcore.report.dates import day_words, moment_words
from labelcore.report.figure_table import figure_label
from labelcore.report.markup import Child, Markup, element, facts_list, picture, table, theirs, tied
from labelcore.report.page import document
from labelcore.report.sections import section
from labelcore.results.told_values import known_ends
from labelcore.words.quantities import group_of
from labelcore.words.sentences import count, is_exact, percent_range, value_percent

NO_ALARM = "No alarm in these waves."
HIDDEN, NOT_KNOWN, ALARM, LEAST = "not finished", "not known", "alarm", 0.01
HEAD = ["Wave", "Figure", "Value", "Required", "Below required", "Lower than before"]
EVIDENCE = "The last two columns are the evidence, as a share of what raises an alarm"
INTERVALS = (
    "Each interval is for its wave alone, at its planned size. Evidence joins up to sixteen waves, "
    "and counts a label in the wave that first had it."
)
NO_VALUE = "A bar without a dot: its interval is too wide for a value."
FALSE_ALARMS = "If nothing falls, at most about one in {runs} runs of {waves} waves has an alarm."


@dataclass(frozen=True, slots=True)
class Turn:
    """A wave that was closed early, or a new beginning after one."""

    at: str
    who: str
    wave: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class WaveUsed:
    """What one wave took.

    labels   in force; first: of these those that were first given in it
    seal     the hash of its last event
    """

    wave: str
    began: str
    labels: int
    first: int
    seal: str


@dataclass(frozen=True, eq=False, slots=True)
class Quarter:
    """What the report of a monitor's last waves is made of.

    table     the rows of these waves, as ``Monitor.table`` gives them
    alarms    a sentence each, the oldest first
    terms     what the monitor was begun with
    """

    name: str
    question: str
    sentence: str
    table: pd.DataFrame
    chart: Chart
    alarms: Sequence[str]
    turns: Sequence[Turn]
    used: Sequence[WaveUsed]
    terms: Sequence[tuple[str, str]]
    waves: int
    error: float
    as_of: str
    version: str

    @property
    def span(self) -> str:
        """The waves that it is about."""
        first, last = self.used[0].wave, self.used[-1].wave
        return first if first == last else f"{first} to {last}"


def quarter_html(facts: Quarter) -> str:
    """A self-contained page: no network, nothing of the content runs."""
    about = element("p", theirs(facts.question or facts.name), " · ", theirs(facts.span),
                    f", {day_words(facts.as_of)}", class_="about")  # fmt: skip
    drawn = element(
        "figure",
        element("div", picture(svg(facts.chart.drawing, "waves", facts.name)), class_="plot"),
        element("figcaption", INTERVALS, f" {NO_VALUE}" if withholds(facts.table) else ""),
    )
    alarms = (element("p", alarm) for alarm in facts.alarms or [NO_ALARM])
    made = f"{moment_words(facts.as_of)}, by Labelcore {facts.version}"
    false = FALSE_ALARMS.format(runs=round(1 / facts.error), waves=facts.waves)
    return document(
        f"{facts.name}: {facts.span}",
        element("header", about, element("h1", tied(facts.sentence)), drawn),
        section("waves-table", "Wave by wave", _waves(facts)),
        section("alarms", "Alarms", *alarms, element("p", false)),
        section("turns", "Closed early and begun anew", _turns(facts)),
        section("labels", "Labels used", *_used(facts)),
        section("terms", "How it is watched", facts_list([*facts.terms, ("Made", made)])),
    )


def withholds(table: pd.DataFrame) -> bool:
    """Whether a wave has an interval and no value."""
    return bool((table["value"].isna() & table["low"].notna()).any())


def _waves(facts: Quarter) -> Markup:
    """A row for each wave and figure, the newest wave first."""
    rows: list[list[Child]] = []
    groups = facts.table.groupby(["wave", "estimand"], sort=False)
    for (wave, estimand), lines in sorted(
        groups, key=lambda group: -list(facts.table["wave"]).index(group[0][0])
    ):
        first = lines.iloc[0]
        known = not pd.isna(first["low"])
        required = lines["required"].dropna()
        below, before = (
            ", ".join(_share(row) for row in some.to_dict("records")) if known else ""
            for some in (lines[lines["required"].notna()], lines[lines["required"].isna()])
        )
        rows.append(
            [
                theirs(str(wave)), theirs(figure_name(str(estimand))),
                tied(figure_words(*(first[key] for key in ("value", "low", "high"))))
                if known else HIDDEN,
                ", ".join(f"{100 * limit:.10g} %" for limit in required), below, before,
            ]
        )  # fmt: skip
    return table(EVIDENCE, HEAD, rows)


def figure_name(key: str) -> str:
    """
    >>> figure_name("recall[spam][language=de]")
    "Recall of 'spam', de"
    """
    group = group_of(key)
    return figure_label(key) + (f", {group[1]}" if group else "")


def _share(row: Mapping[Hashable, Any]) -> str:
    """Evidence as a share of what raises an alarm, never rounded up to it."""
    if row["alarm"]:
        return ALARM
    share = float(row["evidence"]) / float(row["threshold"])
    return f"{math.floor(100 * share)} %" if share >= LEAST else "under 1 %"


def figure_words(value: float | None, low: float, high: float) -> str:
    """A wave's value with its interval; the interval alone where the value is not told.

    >>> figure_words(0.5, 0.3, 0.7), figure_words(0.5, 0.5, 0.5)
    ('50 % (30 % to 70 %)', '50.00 % (exact)')
    """
    first, last = percent_range(float(low), float(high))
    if value is not None and not math.isnan(value):
        between = "exact" if is_exact(low, high) else f"{first} to {last}"
        return f"{value_percent(float(value), low, high)} ({between})"
    return f"{first} to {last}" if any(known_ends(low, high)) else NOT_KNOWN


def _turns(facts: Quarter) -> Markup:
    if not facts.turns:
        return element("p", "None.")
    return table(
        "Each with its reason, as it stands in the log",
        ["When", "Wave", "What", "Reason", "By"],
        [
            [moment_words(turn.at), theirs(turn.wave), turn.what,
             theirs(turn.reason) if turn.reason else "none given", theirs(turn.who)]
            for turn in facts.turns
        ],
    )  # fmt: skip


def _used(facts: Quarter) -> list[Markup]:
    labels, first = (sum(getattr(wave, key) for wave in facts.used) for key in ("labels", "first"))
    text = f"People gave {count(first)}; {labels - first:,} were carried over from earlier waves."
    rows: list[list[Child]] = [
        [theirs(wave.wave), day_words(wave.began), f"{wave.labels:,}", f"{wave.first:,}", wave.seal]
        for wave in facts.used
    ]
    head = ["Wave", "Began", "Labels", "First given in it", "Seal of its log"]
    return [element("p", text), table("Labels of each wave", head, rows)]
