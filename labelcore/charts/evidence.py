"""The evidence for and against a claim over the labels, and the line at which it decides."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from labelcore.charts.base import Chart, empty_chart
from labelcore.charts.design import FIRST, SECOND
from labelcore.charts.drawing import Axis, Drawing, Ends, Line, Remark, Rule, Symbol
from labelcore.charts.history_table import last_looks, thinned
from labelcore.promises import ClaimStatus, Form
from labelcore.safe_text import shortened
from labelcore.words import sentences as words
from labelcore.words.claims import LEAST_TIMES, MOST_TIMES, enough_words, shown_words, times_words

COLUMNS = ("Labels", "Evidence for", "Evidence against", "State", "Looked at")
NOTHING = "No evidence yet: the curve starts with the first look."
# What is drawn of evidence that is certainty, or none at all; the table has the numbers.
LOWEST, HIGHEST, ROOM = LEAST_TIMES, MOST_TIMES, 3.0
FEW_MARKS = 60
LONGEST_STATEMENT = 300


def evidence_chart(
    looks: Sequence[Mapping[str, Any]],
    claim: str,
    *,
    alpha: float,
    statement: str = "",
    form: Form = Form.STRICT,
) -> Chart:
    """The evidence for ``claim`` and for its opposite against labels, on a logarithmic scale.

    looks      as ``Session.looks()`` gives them; for each number of labels the last one counts
    alpha      the claim's share of the error level: evidence of 1 / alpha decides
    statement  the claim in words; empty takes the claim as the plan has it
    form       what settles it: the evidence if strict; else the evidence stands beside that

    The figure holds at most 300 looks, always the last; the table holds them all. Raises
    ValueError unless 0 < alpha < 1.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie between 0 and 1, got {alpha!r}")
    table = evidence_table(looks, claim)
    if table.empty:
        return empty_chart(NOTHING, COLUMNS)
    shown = table.iloc[thinned(len(table))]
    needed = 1 / alpha
    drawing = Drawing(
        Axis("labels", zero=True),
        Axis("evidence (times)", ends=_ends(shown, needed), log=True),
        [
            _line(shown, "Evidence for", FIRST, "", Symbol.DOT),
            _line(shown, "Evidence against", SECOND, "dash", Symbol.HOLLOW_DIAMOND),
        ],
        [Rule(needed)],
        [Remark(enough_words(alpha, form), y=needed)],
        legend=True,
    )
    return Chart(drawing, _alt(table, statement or claim, alpha, form), table)


def evidence_table(looks: Sequence[Mapping[str, Any]], claim: str) -> pd.DataFrame:
    """A row for each number of labels at which somebody looked last."""
    rows = []
    for labels, look in last_looks(looks).items():
        result = look["results"].get(claim) or {}
        if "evidence" in result:
            evidence = float(result["evidence"]), float(result["evidence_against"])
            rows.append((labels, *evidence, result["state"], look.get("at", "")))
    return pd.DataFrame(rows, columns=list(COLUMNS))


def first_settled(table: pd.DataFrame) -> Mapping[Any, Any] | None:
    """The row from which on a claim was decided or refuted at every look; None where it is not."""
    first = None
    for row in table.to_dict("records"):
        settled = row["State"] != ClaimStatus.UNDECIDED
        first = (first or row) if settled else None
    return first


def _line(shown: pd.DataFrame, name: str, role: str, dash: str, symbol: Symbol) -> Line:
    values = shown[name].to_numpy(dtype=float)
    texts = [
        f"{words.count(int(labels))}: {name.lower()} {times_words(value)}"
        for labels, value in zip(shown["Labels"], values, strict=True)
    ]
    return Line(
        shown["Labels"],
        values.clip(LOWEST, HIGHEST),
        dash=dash,
        dots=5 if len(values) <= FEW_MARKS else 3,
        symbol=symbol,
        name=name.lower(),
        role=role,
        hover=texts,
    )


def _ends(shown: pd.DataFrame, needed: float) -> Ends:
    """Ends of the axis: the line at ``needed`` is always on it."""
    values = [*shown["Evidence for"], *shown["Evidence against"]]
    low = max(min(*values, 1.0) / ROOM, LOWEST)
    high = min(max(*values, needed) * ROOM, HIGHEST)
    return low, max(high, needed * ROOM)


def _alt(table: pd.DataFrame, statement: str, alpha: float, form: Form) -> str:
    now = table.to_dict("records")[-1]
    state = shown_words(now["State"], form)
    evidence, against = (times_words(now[f"Evidence {side}"]) for side in ("for", "against"))
    text = (
        f"Claim: {shortened(statement, LONGEST_STATEMENT)}. {state}. From "
        f"{words.count(int(now['Labels']))}, the evidence for it is {evidence} and against it "
        f"{against}; {enough_words(alpha, form)}."
    )
    first = first_settled(table)
    since = "" if first is None else f" So at every look from {words.count(first['Labels'])} on."
    return text + since
