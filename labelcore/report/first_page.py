"""Page 1: what was asked, the answer, its picture, and what it means."""

import json
from itertools import chain, islice

import pandas as pd

from labelcore.charts.drawing import Ends
from labelcore.charts.figure_bars import (
    candidate_bar,
    estimate_bar,
    head_bar,
    list_bars,
    list_scale,
)
from labelcore.charts.intervals import interval_rows
from labelcore.charts.live_picture import Bar, possible_scale
from labelcore.charts.svg import WIDTH
from labelcore.estimands import DIFFERENCE
from labelcore.figures.confusion import Bounds
from labelcore.promises import Promise
from labelcore.report.dates import day_words
from labelcore.report.facts import Confusion, Facts
from labelcore.report.figure_table import drawn_cells, table_picture
from labelcore.report.markup import Child, Markup, element, picture, table, theirs, tied
from labelcore.report.sections import decides, judged, name_of, quote
from labelcore.results.curves import Band
from labelcore.results.lists import ListDifference
from labelcore.results.types import Choice, Estimate
from labelcore.words.choices import (
    candidate_rows,
    choice_short,
    further_words,
    others_words,
    wanted_words,
)
from labelcore.words.claims import claim_short
from labelcore.words.counts import NO_LABEL, each_cell, row_words
from labelcore.words.curves import band_labels
from labelcore.words.lists import short_lists
from labelcore.words.meaning import meaning
from labelcore.words.quantities import label_of
from labelcore.words.sentences import count, labels_words
from labelcore.words.short_sentences import short_head, with_sure_ones

MOST_ROWS, MOST_CLAIMS, MOST_CLASSES = 8, 3, 10
SLIDE_ROWS, MOST_CALLS = 6, 2
BESIDE = 440.0
"""Of the rows, where the replay stands beside them."""
HEAD = ["Figure", "Value", "Interval"]
"""Of the rows of the picture, where they are a table."""
UNFINISHED = "Labelling is not finished: this is what is known so far."


def front(facts: Facts, curve: Markup | None, played: Markup | None = None) -> Markup:
    """Question, answer, picture, meaning, and what is ``apart`` where no systems stand there.

    played   how the figures came about, beside them, where a script can play it
    """
    wide = WIDTH if played is None else BESIDE
    columns = "both" if played is not None and facts.table is None else "above"
    return element(
        "header",
        _about(facts),
        _calls(facts),
        _answer(facts),
        element("p", UNFINISHED, class_="note") if facts.interim else None,
        element(
            "div",
            element("div", intervals(facts, wide=wide), _given(facts), _meaning(facts)),
            played,
            class_=columns,
        ),
        *(apart(facts, curve) if facts.judged is None else (judged(facts.judged),)),
    )


def apart(facts: Facts, curve: Markup | None) -> tuple[Markup | None, ...]:
    """Curve, candidates and the first confusion table; ``curve`` is drawn already."""
    return curve, candidate_table(facts), *confusion_tables(facts)[:1]


def slide(facts: Facts) -> list[Markup]:
    """What stands on a picture for slides: the same answer, figures and sentence as on page 1."""
    drawn = intervals(facts, SLIDE_ROWS, "in the report")
    parts = _answer(facts), drawn, quote(facts), _about(facts)
    return [part for part in parts if part is not None]


def _about(facts: Facts) -> Markup:
    asked = facts.text("question") or facts.title
    about = f", {count(len(facts.population), 'item')}, {day_words(facts.as_of)}"
    return element("p", theirs(asked), " · ", theirs(facts.population.name), about, class_="about")


def _calls(facts: Facts) -> Markup | None:
    """When the one or two classifiers asked about call an item positive; None of more, of one that
    only ranks, and of several classes, none of which is positive."""
    asked = facts.plan.classifiers or facts.population.classifiers
    able = [name for name in asked if name in facts.population.predictions]
    silent = isinstance(facts.primary, ListDifference) or len(facts.population.classes) > 2
    if silent or not able or len(able) > MOST_CALLS:
        return None
    parts: list[Child] = []
    for name in able:
        rule = f" calls it {facts.population.positive!r} when {decides(facts, name)}"
        parts += ["; " if parts else None, theirs(name), rule]
    return element("p", *parts, ".", class_="about")


def _answer(facts: Facts) -> Markup:
    mark = element("em", "Interim", class_="interim") if facts.interim else None
    return element("h1", mark, " " if mark else None, tied(short_answer(facts)))


def _given(facts: Facts) -> Markup | None:
    """How many labels it rests on, by whom and when."""
    first = facts.primary
    if facts.span is None:
        return None
    notes: tuple[str, ...] = ()
    if isinstance(first, Band):
        labels, notes = band_labels(first, facts.given), first.notes
    else:
        labels = labels_words(first.labels_used, first.scope, facts.given)
    return element("p", " ".join([f"From {labels}.", *notes]), class_="note")


def short_answer(facts: Facts) -> str:
    """The answer in at most twenty words where there is such a sentence, else the one to quote."""
    first = facts.primary
    if isinstance(first, Choice):
        return f"{choice_short(first).rstrip('.')}."
    if claims := facts.claims:
        return " ".join(map(claim_short, claims)) if len(claims) <= MOST_CLAIMS else facts.sentence
    if isinstance(first, Estimate) and (first.promise != Promise.NONE or not first.has_interval):
        return with_sure_ones(first, facts.numbers)
    if isinstance(first, ListDifference):
        return short_lists(first)
    if isinstance(first, Band) and facts.along is not None:
        quoted = [mark for mark in facts.along.landmarks if mark.rank == facts.along.quoted]
        head = quoted[0].readings["precision"] if quoted else None
        if head is not None and head.has_interval and head.low[0] < head.high[0]:
            return short_head(head)
    return facts.sentence


def intervals(
    facts: Facts,
    most: int = MOST_ROWS,
    where: str = "below, in the tables",
    wide: float = WIDTH,
) -> Markup | None:
    """The figures as rows with their intervals; None where there is none yet.

    most, where   of more than so many the note says where the others are
    wide          of the picture, where it is no table
    """
    if facts.table is not None:
        return table_picture(facts.table, most, where)
    rows = list(drawn_rows(facts, most).values())
    if not any(row.low is not None for row in rows):
        return None
    wanted = facts.primary.precision_threshold if isinstance(facts.primary, Choice) else None
    words = "; ".join(f"{row.name}: {row.said[0]} ({row.said[1]})" for row in rows)
    drawn = interval_rows(rows, scale_of(facts), words=words, wanted=wanted, wide=wide)
    texts = json.dumps([HEAD, *([row.name, *row.said] for row in rows)])
    left = len(drawn_rows(facts)) - len(rows)
    noun = "further figure" if wanted is None else "further candidate"
    more = element("p", f"{count(left, noun)} {where}.", class_="note") if left > 0 else None
    return element("div", picture(drawn), more, class_="plot rows", data_rows=texts)


def scale_of(facts: Facts) -> Ends:
    """The scale of these rows: of differences as wide as was possible before the first label."""
    if isinstance(facts.primary, ListDifference):
        return list_scale(facts.primary)
    return possible_scale(facts.numbers)


def drawn_rows(facts: Facts, most: int | None = None) -> dict[str, Bar]:
    """What is drawn, by what it is of: of many figures the first ones; of many candidates the
    chosen one and those that are not out."""
    first = facts.primary
    if facts.table is not None:
        drawn = drawn_cells(facts.table, most or len(facts.table.rows))
        cells = [estimate for line in drawn for estimate in line if estimate is not None]
        return {estimate.estimand: estimate_bar(estimate, "") for estimate in cells}
    if isinstance(first, Choice):
        bounds = first.bounds.to_dict("records")
        candidates = [candidate_bar(row, str(row["classifier"]), first) for row in bounds]
        best = sorted(candidates, key=lambda bar: (not bar.chosen, bar.out))[:most]
        return {bar.name: bar for bar in candidates if bar in best}
    if isinstance(first, ListDifference):
        return {bar.name: bar for bar in list_bars(first)}
    rows = {
        f"first {cut.rank}": head_bar(cut.readings["precision"], f"Precision, first {cut.rank:,}")
        for cut in (() if facts.along is None else facts.along.landmarks)
    }
    rows |= {number.estimand: estimate_bar(number, _bar_name(number)) for number in facts.numbers}
    return dict(islice(rows.items(), most))


def _bar_name(estimate: Estimate) -> str:
    if not estimate.is_difference:
        return name_of(estimate)
    measure = label_of(estimate.estimand.removesuffix(DIFFERENCE), estimate.scope.audit)
    return f"{measure}: {estimate.scope.classifier} minus {estimate.scope.versus}"


def candidate_table(facts: Facts) -> Markup | None:
    """Of a choice: each candidate with what it takes and finds; None for other plans."""
    if not isinstance(facts.primary, Choice):
        return None
    choice = facts.primary
    drawn = drawn_rows(facts, MOST_ROWS)
    head = ("Candidate", "Items taken", "Precision", f"Of these {choice.scope.positive!r}", "State")
    rows: list[list[Child]] = [
        [theirs(name), *map(tied, more)]
        for name, *more in candidate_rows(choice).to_numpy().tolist()
        if name in drawn
    ]
    return element(
        "div",
        table("The candidates", head, rows),
        element("p", tied(wanted_words(choice)), class_="note"),
        *(element("p", theirs(tied(further_words(candidate)))) for candidate in facts.further),
        element("p", tied(others_words(choice)), class_="note") if facts.further else None,
    )


def _meaning(facts: Facts) -> Markup:
    """Three plain sentences."""
    first = facts.claims[0] if facts.claims else facts.primary
    sure, about, against = meaning(first, grouped=bool(facts.plan.by))
    parts: list[Child] = [
        element("p", element("strong", "What it means. "), f"{sure} {about}"),
        element("p", element("strong", "What it does not mean. "), against),
    ]
    return element("div", *parts, class_="meaning")


def confusion_tables(facts: Facts) -> list[Markup]:
    """What each classifier says against what people say; none for a comparison, whose labels are
    nearly all of items on which the two disagree."""
    compares = isinstance(facts.primary, Estimate) and facts.primary.is_difference
    if compares or len(facts.population.classes) > MOST_CLASSES:
        return []
    return [_confusion_table(confusion, facts.drawn_evenly) for confusion in facts.confusions]


def _confusion_table(confusion: Confusion, drawn_evenly: bool) -> Markup:
    name, counts, bounds, labels = confusion
    head = [f"{name} says", *(f"judged {column}" for column in counts.columns[:-1])]
    shown = counts if counts.iloc[:, -1].any() else counts.iloc[:, :-1]
    if len(shown.columns) == len(counts.columns):
        head.append(NO_LABEL)
    rows = _cells(shown, counts, bounds, labels)
    return element(
        "div",
        table("Confusion table: items of the file", [*head, "in all"], rows),
        element("p", each_cell(chain(*rows), drawn_evenly), class_="note"),
    )


def _cells(
    shown: pd.DataFrame, counts: pd.DataFrame, bounds: Bounds, labels: pd.DataFrame
) -> list[list[Child]]:
    totals = counts.sum(axis=1).to_numpy()
    rows = zip(counts.index, shown.to_numpy(), bounds, labels.to_numpy(), totals, strict=True)
    return [
        [
            theirs(str(name)),
            *row_words(numbers.tolist(), ends.tolist(), mine.tolist()),
            f"{total:,.0f}",
        ]
        for name, numbers, ends, mine, total in rows
    ]
