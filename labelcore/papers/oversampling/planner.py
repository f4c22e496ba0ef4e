"""How densely to label what is called positive, for precision and recall at once."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.base import Chart, empty_chart, in_turn, require_columns
from labelcore.charts.drawing import Axis, Drawing, Line, Remark, Rule, Side, Unit
from labelcore.papers.oversampling.groups import (
    Counts,
    Margins,
    Sizes,
    expected_margins,
    group_rates,
    optimal_ratio,
    optimal_ratio_from_counts,
    recall_of,
    sizes_for_margin,
    unrounded_sizes,
    used_ratio,
    with_jeffreys,
)
from labelcore.papers.oversampling.intervals import Groups, bayes_intervals
from labelcore.papers.oversampling.monitoring import JEFFREYS, NONE_FOUND
from labelcore.papers.oversampling.next_wave import forecast
from labelcore.papers.planners import (
    Chosen,
    confidence,
    number_input,
    offer,
    outlook_of,
    percent_input,
    project,
    suited,
    way_input,
)
from labelcore.plan.plan import Plan
from labelcore.promises import Promise
from labelcore.safe_text import plain, shortened
from labelcore.ui.new_cards import BOTH
from labelcore.ui.presses import sentence
from labelcore.ui.progress import draw
from labelcore.ui.status import SECONDS_AN_ITEM
from labelcore.ui.tables import reading_table
from labelcore.ui.times import minutes
from labelcore.words import sentences as words

EXPECTED, EARLIER = "What you expect", "An earlier wave's labels"
CELLS = (
    "Called positive, rightly",
    "Called positive, wrongly",
    "Not called, though positive",
    "Not called, rightly",
)
MOST = 10**9
UNKNOWN = "Type in the four numbers of labels: some of both kinds."
TWO_INTERVALS = (
    "The first interval is about the truth. The second is about the next wave's estimate: outside "
    "it, something may have changed."
)
NOTHING_CHANGED = "if nothing has changed"


def matrix(chosen: Chosen) -> Counts | None:
    """The four numbers; None, with a sentence, while one group has no label."""
    numbers: list[int | None] = []
    for row in (CELLS[:2], CELLS[2:]):
        for place, name in zip(st.columns(2), row, strict=True):
            with place:
                numbers.append(number_input(name, None, chosen.key(f"earlier-{name}"), 0, MOST))
    given = [number for number in numbers if number is not None]
    if len(given) < len(CELLS) or not (given[0] + given[1] and given[2] + given[3]):
        st.text(UNKNOWN)
        return None
    return Counts.of(*given)


def next_wave(earlier: Counts, above: int, below: int, sizes: Sizes, confidence: float) -> None:
    """What the earlier labels say of the truth, and where the next wave's estimates will lie."""
    st.caption(TWO_INTERVALS)
    reading_table(next_wave_table(earlier, above, below, sizes, confidence), "compare-next-wave")


def next_wave_table(
    earlier: Counts, above: int, below: int, sizes: Sizes, confidence: float
) -> pd.DataFrame:
    """Precision and recall down; seen, interval for the truth, predictive interval across."""
    groups = Groups.of_ratio(above / below)  # The labels are of another file than this.
    truth = bayes_intervals(earlier, groups, confidence)
    ahead = forecast(JEFFREYS.plus(earlier), groups.k, sizes.above, sizes.below)
    rates = earlier.rates()
    sure = words.confidence_words(confidence)
    rows = []
    for name, seen, (low, high), part in (
        ("Precision", rates[0], truth.precision, ahead[0]),
        ("Recall", recall_of(groups.k, *rates), truth.recall, ahead[1]),
    ):
        ends, known = (float(low), float(high)), not np.isnan(seen)
        rows.append(
            {
                "": name,
                "Earlier labels": words.value_percent(float(seen), *ends) if known else NONE_FOUND,
                f"The truth ({sure})": words.range_text(*ends),
                f"The next estimate ({sure}, {NOTHING_CHANGED})": words.range_text(
                    *part.limits(confidence)
                ),
            }
        )
    return pd.DataFrame(rows)


READABLE = {"ratio": "Over-sampling", "precision": "Precision ±", "recall": "Recall ±"}
NOTHING = "There is nothing to choose: every item would be labelled."


def oversampling_chart(
    table: pd.DataFrame, *, margin: float | None = None, marks: Mapping[str, float]
) -> Chart:
    """Expected half-widths of precision and recall against the over-sampling ratio, for one number
    of labels.

    table    columns ratio, precision, recall
    margin   the wanted half-width, a dashed line
    marks    {word: ratio}, upright lines
    """
    require_columns(table, list(READABLE))
    if table.empty:
        return empty_chart(NOTHING, list(READABLE.values()))
    ratios = table["ratio"]
    inside = {word: at for word, at in marks.items() if ratios.min() <= at <= ratios.max()}
    asked = [] if margin is None else [margin]
    drawing = Drawing(
        Axis("over-sampling ratio s", log=True),
        Axis("expected half-width", Unit.SHARE, zero=True),
        [_line(name, table, place) for place, name in enumerate(("precision", "recall"))],
        [Rule(at, upright=True, dash="dot") for at in inside.values()] + [Rule(at) for at in asked],
        [
            *(Remark(shortened(word), x=at, side=Side.BELOW) for word, at in inside.items()),
            *(Remark(f"wanted ±{words.goal_points(at)}", y=at) for at in asked),
        ],
        legend=True,
    )
    readable = table.rename(columns=READABLE).reset_index(drop=True)
    return Chart(drawing, _alt(table, inside), readable)


def _line(name: str, table: pd.DataFrame, place: int) -> Line:
    texts = [
        f"s = {ratio:.3g}\n{name} ±{words.points(float(half))}"
        for ratio, half in zip(table["ratio"], table[name], strict=True)
    ]
    return Line(table["ratio"], table[name], name=name, hover=texts, **in_turn(place))


def _alt(table: pd.DataFrame, marks: Mapping[str, float]) -> str:
    sentences = []
    for word, at in {**marks, "the largest ratio drawn": float(table["ratio"].max())}.items():
        row = table.iloc[(table["ratio"] - at).abs().argsort().iloc[0]]
        sentences.append(
            f"at {word} ({at:.3g}): precision plus or minus "
            f"{words.points(float(row['precision']))}, recall plus or minus "
            f"{words.points(float(row['recall']))}"
        )
    return f"Expected half-widths against the over-sampling ratio; {'; '.join(sentences)}."


WHAT = (
    "For precision and recall at once. The items called positive are few, and precision is about "
    "them alone; so they are labelled more densely than the others. How much more densely, and how "
    "many labels does it take?"
)
ONE_GROUP = "The classifier says the same about every item: there is only one group to draw from."
NOT_DENSER = (
    "The best ratio for recall alone is {ratio:.3g}, below 1. As in the paper it is raised to 1: "
    "precision keeps its labels."
)
OFF, OFF_WORDS = 3, "three times"
"""The odds of what the scores say may be so many times off."""
HOW_LIKELY = (
    "The range holds while the true odds are at most {odds} those that are planned with. Type in "
    "what you have measured, or let the first labels tell."
)
AS_IF = "As if the scores were right:"
ENDLESS = (
    "By the paper's formulas, which treat the file as endless. A project about this file alone "
    "takes into account that labelled items are settled, and may need fewer."
)
FORMULAS = r"""
$k$ items are called positive for each one that is not. Of the former a share $\pi_1$ is positive
(the precision), of the latter a share $\pi_0$; recall is $r = 1 / (1 + \pi_0 / (k \pi_1))$. With
over-sampling $s$ the labels of the two groups stand as $n_1 : n_0 = k s : 1$.

- The ratio that makes recall most certain: $s^* = \frac{1}{k} \sqrt{\Omega_0 / \Omega_1}$ with the
  odds $\Omega = \pi / (1 - \pi)$ (theorem 1).
- The same from an earlier wave, with $\zeta_1$ positive and $\zeta_0$ negative labels in a group:
  $\Theta = \zeta_1 (\zeta_1 + \zeta_0 + 1) / (\zeta_0 (\zeta_1 + \zeta_0))$ in place of $\Omega$
  (theorem 2).
- Half-width of precision: $z \sqrt{\pi_1 (1 - \pi_1) / n_1}$.
- Half-width of recall:
  $z\, r (1 - r) \sqrt{\frac{1 - \pi_1}{n_1 \pi_1} + \frac{1 - \pi_0}{n_0 \pi_0}}$ (equation 10).

$n_1$ and $n_0$ are the fewest that meet the margin for both (equation 11), no group with more
labels than items and at least 30 for those called positive. Source: Shang, Langlois,
Tsioutsiouliklis and Kang (2023).
"""
POINTS = 61
TOO_NEAR = (0.5, 2.0)
"""Between these ratios the labels of s* and of a proportional sample would overlap."""


@dataclass(frozen=True)
class Wanted:
    """The two groups, what is assumed of them and what is wanted.

    above, below   items called positive, and the others
    guessed        whether precision and recall are only what the scores say
    earlier        labels that both follow from, if there are any
    """

    above: int
    below: int
    precision: float
    recall: float
    margin: float
    confidence: float
    guessed: bool = False
    earlier: Counts | None = None

    @property
    def ideal(self) -> float:
        """s*: by theorem 2 from earlier labels, else by theorem 1."""
        if self.earlier is not None:
            return optimal_ratio_from_counts(self.k, self.earlier)
        return optimal_ratio(self.k, *self.rates)

    @property
    def k(self) -> float:
        return self.above / self.below

    @property
    def rates(self) -> tuple[float, float]:
        """(pi_1, pi_0). Raises ValueError where more would be missed than there are items."""
        if self.earlier is not None:
            above, below = with_jeffreys(self.earlier).rates()
            return float(above), float(below)
        return group_rates(self.k, self.precision, self.recall)

    def sizes(self, ratio: float | None = None, rates: tuple[float, float] | None = None) -> Sizes:
        return sizes_for_margin(
            self.k,
            *(rates or self.rates),
            self.margin,
            confidence=self.confidence,
            ratio=ratio,
            above=self.above,
            below=self.below,
        )

    def likely(self) -> tuple[int, int]:
        """The fewest and the most labels if the odds of both rates may be ``OFF`` times as high or
        as low."""
        high, low = self.rates
        every = [
            self.sizes(rates=(with_odds(high, times), with_odds(low, times_low))).total
            for times in (1 / OFF, 1, OFF)
            for times_low in (1 / OFF, 1, OFF)
        ]
        return min(every), max(every)

    def margins(self, above: float, below: float) -> Margins:
        return expected_margins(self.k, *self.rates, above, below, self.confidence)


def with_odds(rate: float, times: float) -> float:
    """The rate whose odds are so many times those of ``rate``.

    >>> with_odds(0.5, 3), with_odds(1.0, 3)
    (0.75, 1.0)
    """
    return times * rate / (1 - rate + times * rate)


def oversampling_planner(chosen: Chosen) -> None:
    st.text(WHAT)
    if not suited(chosen):
        return
    mine = chosen.called().get(chosen.classifier)
    if mine is None or mine.all():
        st.info(ONE_GROUP)
        return
    wanted = inputs(chosen, int(mine.sum()), int((~mine).sum()))
    if wanted is None:
        return
    try:
        sizes, plain_sizes = wanted.sizes(used_ratio(wanted.ideal)), wanted.sizes(ratio=1.0)
    except ValueError as error:
        st.error(plain(sentence(error)))
        return
    show(wanted, sizes, plain_sizes)
    if wanted.earlier is not None:
        next_wave(wanted.earlier, wanted.above, wanted.below, sizes, wanted.confidence)
    asked = replace(project(chosen, BOTH), design="oversampling", margin=wanted.margin)
    params: dict[str, object] = {
        "assumed_precision": wanted.precision, "assumed_recall": wanted.recall
    }  # fmt: skip
    if wanted.earlier is not None:
        params = {"prior_counts": tuple(float(count) for count in wanted.earlier)}
    by_pilot = replace(asked, params={}, promise=Promise.WATCHED)
    planned = replace(asked, params=params, promise=Promise.FIXED)
    offer(by_pilot if wanted.guessed else planned, "oversampling")


def inputs(chosen: Chosen, above: int, below: int) -> Wanted | None:
    """What is assumed and wanted; None, with a sentence each, while a number is wrong."""
    way = way_input("Planned by", [EXPECTED, EARLIER], key=chosen.key("planned-by"))
    earlier = matrix(chosen) if (by_earlier := way == EARLIER) else None
    columns, guessed = st.columns(3), False
    p: float | None = 0.0
    r: float | None = 0.0
    if not by_earlier:
        precision, recall, assumption = suggested(chosen, above / below)
        with columns[0]:
            p = percent_input("Precision, as you expect it", precision, chosen.key("precision"))
        with columns[1]:
            r = percent_input("Recall, as you expect it", recall, chosen.key("recall"))
    with columns[2]:
        margin = percent_input(
            "Plus or minus, for both", 5.0, "compare-margin", 0.1, 49, unit="points"
        )
    if not by_earlier:
        st.caption(plain(f"The first two start as the method would plan: {assumption}."))
    sure = confidence()
    if p is None or r is None or margin is None or (by_earlier and earlier is None):
        return None
    if not by_earlier:
        guessed = (round(100 * p, 1), round(100 * r, 1)) == (precision, recall)
    return Wanted(above, below, p, r, margin, sure, guessed, earlier)


def suggested(chosen: Chosen, k: float) -> tuple[float, float, str]:
    """Precision and recall in per cent that the method itself plans with, and why."""
    plan = Plan(
        "oversampling",
        ["precision", "recall"],
        classifier=chosen.classifier,
        budget=1000,
        promise=Promise.FIXED,
    )
    derived = outlook_of(chosen.population, plan).derived
    recall = float(recall_of(k, derived["pi_1"], derived["pi_0"]))
    return round(100 * derived["pi_1"], 1), round(100 * recall, 1), str(derived["assumption"])


def show(wanted: Wanted, sizes: Sizes, plain_sizes: Sizes) -> None:
    if wanted.guessed:
        low, high = wanted.likely()
        st.markdown(
            f"**{low:,} to {high:,} labels: nobody has measured precision and recall yet.**"
        )
        st.text(HOW_LIKELY.format(odds=OFF_WORDS))
        st.caption(AS_IF)
    else:
        st.markdown(
            f"**{sizes.total:,} labels, {minutes(sizes.total * SECONDS_AN_ITEM)}: {sizes.above:,} "
            f"of the {wanted.above:,} items called positive and {sizes.below:,} of the "
            f"{wanted.below:,} others. Without over-sampling it takes {plain_sizes.total:,}.**"
        )
    optimal = wanted.ideal
    if optimal < 1:
        st.text(NOT_DENSER.format(ratio=optimal))
    reading_table(sizes_table(wanted, sizes, plain_sizes), "compare-sizes")
    st.caption(ENDLESS)
    st.caption(f"For {sizes.total:,} labels, whichever way they are shared:")
    marks = {"s*": optimal} | ({} if TOO_NEAR[0] < optimal < TOO_NEAR[1] else {"proportional": 1.0})
    chart = oversampling_chart(half_widths(wanted, sizes.total), margin=wanted.margin, marks=marks)
    draw(chart, "compare-oversampling-picture", "These half-widths as a table")
    with st.expander("The formulas"):
        st.markdown(FORMULAS)


def sizes_table(wanted: Wanted, sizes: Sizes, plain_sizes: Sizes) -> pd.DataFrame:
    """Both ways of sharing side by side, as people read them."""
    both = (sizes, plain_sizes)
    margins = [wanted.margins(sizes_of.above, sizes_of.below) for sizes_of in both]
    rows = {
        "items called positive for each other one": [f"{wanted.k:.3g}"] * 2,
        "over-sampling": [f"{way.ratio:.3g}" for way in both],
        "labels among the items called positive (n1)": [f"{way.above:,}" for way in both],
        "labels among the others (n0)": [f"{way.below:,}" for way in both],
        "labels in all": [f"{way.total:,}" for way in both],
        "precision ±": [words.points(margin.precision) for margin in margins],
        "recall ±": [words.points(margin.recall) for margin in margins],
    }
    return pd.DataFrame(
        [(name, *values) for name, values in rows.items()],
        columns=["for these margins", "over-sampled", "in proportion"],
    )


def half_widths(wanted: Wanted, total: int) -> pd.DataFrame:
    """Expected half-widths against the ratio, as far as the groups have the items."""
    k, rows = wanted.k, []
    best = optimal_ratio(k, *wanted.rates)
    for ratio in np.geomspace(min(best or 1, 1) / 4, 4 * max(best, 2), POINTS):
        above, below = unrounded_sizes(total, k, float(ratio))
        if above <= wanted.above and below <= wanted.below:
            margins = wanted.margins(above, below)
            rows.append((float(ratio), margins.precision, margins.recall))
    return pd.DataFrame(rows, columns=["ratio", "precision", "recall"])
