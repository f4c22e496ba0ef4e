"""Page 1: what was asked, the answer, its picture, and what it means."""

from __future__ import annotations

import numpy as np
import pandas as pd

from labelcore.charts.history_table import history_table
from labelcore.charts.intervals import interval_rows
from labelcore.charts.living import SHARES, Bar, difference_scale
from labelcore.promises import CandidateState, Promise, State
from labelcore.report.along_ranks import QUOTED
from labelcore.report.dates import day_words
from labelcore.report.facts import Facts
from labelcore.report.markup import Child, Markup, element, picture, table, theirs, tied
from labelcore.report.sections import name_of
from labelcore.results.types import Band, Choice, Claim, Estimate
from labelcore.words.choices import choice_short
from labelcore.words.counts import FEW_LABELS, row_words
from labelcore.words.meaning import meaning
from labelcore.words.quantities import names_another, same_quantity
from labelcore.words.sentences import count
from labelcore.words.short import range_of, short_head, short_sentence, short_value

MOST_ROWS, MOST_CLASSES = 8, 10
ESTIMATED = (
    "How many items of the file are in each cell is estimated from the labels, without intervals; "
    f"a row with fewer than {FEW_LABELS} labels says only these."
)
UNFINISHED = "Labelling is not finished: this is what is known so far."


def front(facts: Facts, curve: Markup | None) -> Markup:
    """Question, answer, picture, curve, confusion table, meaning; ``curve`` is drawn already."""
    mark = element("em", "Interim", class_="interim") if facts.interim else None
    short = short_answer(facts)
    asked = facts.text("question") or facts.title
    about = f"{count(len(facts.population), 'item')}, {day_words(facts.as_of)}"
    return element(
        "header",
        element(
            "p", theirs(asked), " · ", theirs(facts.population.name), f", {about}", class_="about"
        ),
        element("h1", mark, " " if mark else None, tied(short)),
        element("p", UNFINISHED, class_="note") if facts.interim else None,
        intervals(facts),
        element("p", tied(facts.sentence), class_="quote") if facts.sentence != short else None,
        _meaning(facts),
        curve,
        confusion_table(facts),
    )


def short_answer(facts: Facts) -> str:
    """The answer in at most twenty words where there is such a sentence, else the one to quote."""
    first = facts.primary
    if isinstance(first, Choice):
        return f"{choice_short(first).rstrip('.')}."
    if any(isinstance(one, Claim) for one in facts.results.values()):
        return facts.sentence
    if isinstance(first, Estimate) and (first.promise != Promise.NONE or not first.has_interval):
        return short_sentence(first)
    if isinstance(first, Band) and facts.along is not None:
        rank = max(1, round(QUOTED * len(facts.population)))
        found = [one for one in facts.along.landmarks if one.rank == rank]
        head = found[0].readings["precision"] if found else None
        if head is not None and head.has_interval and head.low[0] < head.high[0]:
            return short_head(head)
    return facts.sentence


def intervals(facts: Facts) -> Markup | None:
    """The figures as rows with their intervals; None where there is none yet."""
    rows, scale = _rows(facts), SHARES
    estimates = [one for one in facts.results.values() if isinstance(one, Estimate)]
    if any(one.is_difference for one in estimates):
        tables = [history_table(facts.looks, one.estimand) for one in estimates]
        ends = [table[name].to_numpy(dtype=float) for table in tables for name in ("Low", "High")]
        scale = difference_scale(np.concatenate(ends))
    if not any(row.low is not None for row in rows):
        return None
    words = "; ".join(f"{row.name}: {row.said[0]} ({row.said[1]})" for row in rows)
    drawing = picture(interval_rows(rows[:MOST_ROWS], scale, words=words))
    left = len(rows) - MOST_ROWS
    more = element("p", f"{count(left, 'figure')} more below.", class_="note") if left > 0 else None
    return element("div", drawing, more, class_="plot")


def _rows(facts: Facts) -> list[Bar]:
    first = facts.primary
    if isinstance(first, Choice):
        return [_candidate(row, first) for row in first.bounds.to_dict("records")]
    heads = facts.along.landmarks if facts.along is not None else ()
    rows = [_head(one.rank, one.readings["precision"]) for one in heads]
    estimates = [one for one in facts.results.values() if isinstance(one, Estimate)]

    def place(one: Estimate) -> int:
        """The first classifier's figures, then the primary figure of the others, then the rest."""
        same = same_quantity(one.estimand, estimates[0].estimand)
        return 0 if not names_another(one.estimand) else 1 if same else 2

    return rows + [_row(one) for one in sorted(estimates, key=place)]


def _row(one: Estimate) -> Bar:
    name = name_of(one)
    value = "" if one.tentative else short_value(one)
    if not one.has_interval:
        return Bar(name, one.told, None, None, (value, "" if value else "not yet"))
    if one.state == State.EXACT:
        between = "exact"
    elif one.is_difference:
        ends = (f"{100 * end:+.0f}".replace("-", "−") for end in (one.low, one.high))
        between = " to ".join(ends)
    else:
        between = range_of(one.low, one.high)
    assumed = one.confidence is None
    return Bar(name, one.told, one.low, one.high, (value, between), assumed=assumed)


def _head(rank: int, band: Band) -> Bar:
    name = f"Precision, first {rank:,}"
    value, low, high = (float(ends[0]) for ends in (band.value, band.low, band.high))
    if not band.has_interval or np.isnan(low):
        return Bar(name, None, None, None, ("", "not yet"))
    assumed = band.confidence is None
    known = None if assumed or np.isnan(value) else value
    said = "" if known is None else f"{100 * known:.0f} %", range_of(low, high)
    return Bar(name, known, low, high, said, assumed=assumed)


def _candidate(row: dict[object, object], choice: Choice) -> Bar:
    name, low, high = str(row["classifier"]), float(str(row["low"])), float(str(row["high"]))
    out = CandidateState(str(row["state"])).out
    said = "out" if out else "", range_of(low, high)
    return Bar(name, None, low, high, said, chosen=name == choice.chosen, out=out)


def _meaning(facts: Facts) -> Markup | None:
    """Three plain sentences; None where nothing was asked."""
    settled = [one for one in facts.results.values() if isinstance(one, Claim)]
    first = settled[0] if settled else facts.primary
    if first is None:
        return None
    sure, about, against = meaning(first)
    parts: list[Child] = [
        element("p", element("strong", "What it means. "), f"{sure} {about}"),
        element("p", element("strong", "What it does not mean. "), against),
    ]
    return element("div", *parts, class_="meaning")


def confusion_table(facts: Facts) -> Markup | None:
    """What the classifier says against what people say; None where there is none."""
    if facts.confusion is None or len(facts.population.classes) > MOST_CLASSES:
        return None
    name, found, labels = facts.confusion
    head = [f"{name} says", *(f"truly {one}" for one in found.columns[:-1])]
    shown = found if found.iloc[:, -1].any() else found.iloc[:, :-1]
    if len(shown.columns) == len(found.columns):
        head.append(str(found.columns[-1]))
    return element(
        "div",
        table(
            "Confusion table: items of the file", [*head, "in all"], _cells(shown, found, labels)
        ),
        element("p", ESTIMATED, class_="note"),
    )


def _cells(shown: pd.DataFrame, found: pd.DataFrame, labels: pd.DataFrame) -> list[list[Child]]:
    totals = found.sum(axis=1).to_numpy()
    rows = zip(found.index, shown.to_numpy(), labels.to_numpy(), totals, strict=True)
    return [
        [
            theirs(str(name)),
            *(tied(words) for words in row_words(numbers.tolist(), mine.tolist(), float(total))),
            f"{total:,.0f}",
        ]
        for name, numbers, mine, total in rows
    ]
