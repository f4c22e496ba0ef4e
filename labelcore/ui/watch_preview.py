"""What a monitor will notice, before it begins: labels each time against the weeks until then."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.population import Population
from labelcore.population.copies import TemporaryCopy
from labelcore.population.snapshots import write_snapshot
from labelcore.safe_text import plain
from labelcore.session.session import Session
from labelcore.ui import waiting
from labelcore.ui.monitors import Opened
from labelcore.ui.reading import Ask
from labelcore.ui.status import estimand_name
from labelcore.ui.tables import reading_table
from labelcore.waves import preview
from labelcore.waves.preview import OFTEN, MonitorPreview

SESSIONS, SERIES, FALL = 100, 200, 0.10
SIZES = (0.5, 1, 2, 4)
"""Of the labels that were typed in, those that are tried."""
UNITS = {"weekly": "week", "monthly": "month", "daily": "day", "each file": "table"}
A_YEAR = {"week": 52, "month": 12, "day": 365}
WANTED = "watch-wanted"
FALLS, WHAT = "falls", "Simulating falls"
BELOW = "**{figure}** {fall} points below the required {required}: noticed within {wait}"
LOWER = "**{figure}** {fall} points lower than before: noticed within {wait}"
IN_CASES = " in {cases} of 10 cases."
FALSE = "While nothing falls: one false alarm in about {time}."
ON_LABELS = "Simulated on this table, with what the labels of its project say of the scores."
ON_SCORES = "Simulated on this table as if its scores were right."
BY_RULE = "The same fall and the same labels, by rule of alarm"
OURS, AT_MOST, SHOWN = (
    "Totals of several waves (Labelcore)",
    "at most ",
    (1, 4, preview.LONGEST_WAIT),
)
UNTIL = "{units} until a fall is noticed in {cases} of 10 cases"


def sizes_about(labels: int) -> tuple[int, ...]:
    """How many labels are tried, in tens."""
    tried = (max(10, round(labels * factor / 10) * 10) for factor in SIZES)
    return tuple(dict.fromkeys(sorted({*tried, labels})))


def simulated(
    key: tuple[Any, ...], population: Population, monitor: Opened, sizes: Sequence[int],
    session: Session | None,
) -> list[MonitorPreview]:  # fmt: skip
    """The preview of each size, made once in a process of its own, waited for with a way to cancel
    it. Raises ValueError with a sentence.

    key      of the terms
    session  with labels of the same table
    """
    previews = waiting.result_kept(FALLS, key)
    if previews is None:
        previews = waiting.result_of(FALLS, key, WHAT, _asked(population, monitor, sizes, session))
    return [
        MonitorPreview(**{**row, **{name: pd.DataFrame(row[name]) for name in preview.TABLES}})
        for row in previews
    ]


def _asked(
    population: Population, monitor: Opened, sizes: Sequence[int], session: Session | None
) -> Ask[Any]:
    falls = monitor.falls(population, sizes, fall=FALL, seed=0, sessions=SESSIONS, series=SERIES)
    copies = [] if population.snapshot is not None else [TemporaryCopy()]
    if copies:
        write_snapshot(copies[0].path, population)
    paths = [str(population.snapshot or copies[0].path)]
    rates = None if session is None else preview.known_rates(session)
    if rates is not None:
        copies.append(TemporaryCopy())
        preview.write_rates(copies[-1].path, rates)
        paths.append(str(copies[-1].path))

    def handed(result: Any, folder: Path) -> Any:
        copies.clear()  # Until here they had to stay.
        return result

    asked = [asdict(fall) for fall in falls]
    return Ask(preview.apart, (paths, asked), handed, SESSIONS * 16 * len(population))


def show(
    previews: Sequence[MonitorPreview], unit: str, waves: int, of_labels: bool, labels: str
) -> None:
    """A slider of labels against waits, and what will be noticed with those that are chosen.

    waves       how many are planned
    of_labels   whether labels said what the scores are worth
    labels      the key of the number of labels, which ``wanted`` gives another value
    """
    by_size = {size.labels: size for size in previews}
    slider = f"{labels}-slider"
    st.session_state[slider] = min(by_size, key=lambda n: abs(n - st.session_state[labels]))
    st.select_slider(
        f"Labels a {unit}, and until the slowest fall is noticed", list(by_size), key=slider,
        format_func=lambda size: f"{size:,} · {wait_words(slowest(by_size[size]), unit)}",
        on_change=_take, args=(slider,),
    )  # fmt: skip
    chosen = by_size[st.session_state[slider]]
    for sentence in sentences(chosen, unit):
        st.markdown(sentence)
    st.caption(ON_LABELS if of_labels else ON_SCORES)
    title = UNTIL.format(units=f"{unit}s".capitalize(), cases=f"{10 * OFTEN:.0f}")
    st.markdown(f"**{title}**")
    reading_table(waits_table(previews, unit), "watch-waits")
    if not chosen.rules.empty:
        st.markdown(f"**{BY_RULE}**")
        reading_table(rules_table(chosen, unit, waves), "watch-rules")


def _take(slider: str) -> None:
    """The number is drawn before the slider, and takes its value at the next run."""
    st.session_state[WANTED] = st.session_state[slider]


def wanted(labels: str) -> None:
    """Set the number of labels, before it is drawn, to what the slider says."""
    if WANTED in st.session_state:
        st.session_state[labels] = st.session_state.pop(WANTED)


def slowest(previewed: MonitorPreview) -> int | None:
    """The longest wait; None where one takes longer than was simulated."""
    waits = previewed.waits().values()
    return None if None in waits else max(wait for wait in waits if wait is not None)


def wait_words(wait: int | None, unit: str) -> str:
    if wait is None:
        return f"over {preview.LONGEST_WAIT} {unit}s"
    return f"{wait} {unit}{'' if wait == 1 else 's'}"


def sentences(previewed: MonitorPreview, unit: str) -> list[str]:
    """What is noticed of each line of evidence, and how often nothing was there, as Markdown."""
    waits, lines = previewed.waits(), []
    for row in previewed.table.to_dict("records"):
        wait = waits[row["watch"]]
        share = row[f"within {wait or preview.LONGEST_WAIT}"]
        words = (LOWER if _since_launch(row) else BELOW) + IN_CASES
        lines.append(
            words.format(
                figure=plain(estimand_name(row["estimand"])), fall=f"{100 * previewed.fall:.0f}",
                required="" if _since_launch(row) else f"{100 * row['required']:.10g} %",
                wait=wait_words(wait or preview.LONGEST_WAIT, unit), cases=f"{10 * share:.0f}",
            )
        )  # fmt: skip
    return [*lines, FALSE.format(time=time_words(previewed.waves_per_false_alarm, unit))]


def time_words(waves: float, unit: str) -> str:
    """
    >>> time_words(1040, "week"), time_words(100, "table")
    ('20 years', '100 tables')
    """
    years = waves / A_YEAR.get(unit, waves + 1)
    return f"{years:.0f} years" if years >= 2 else f"{waves:,.0f} {unit}s"


def waits_table(previews: Sequence[MonitorPreview], unit: str) -> pd.DataFrame:
    """Lines of evidence down, labels across."""
    rows: dict[str, dict[str, str]] = {}
    for previewed in previews:
        waits = previewed.waits()
        for row in previewed.table.to_dict("records"):
            figure = estimand_name(row["estimand"])
            lower = "lower than before"
            if not _since_launch(row):
                lower = f"below {100 * row['required']:.10g} %"
            cells = rows.setdefault(row["watch"], {"": f"{figure} {lower}"})
            wait = waits[row["watch"]]
            cells[f"{previewed.labels:,} labels"] = (
                f"over {preview.LONGEST_WAIT}" if wait is None else str(wait)
            )
    return pd.DataFrame(rows.values())


def rules_table(previewed: MonitorPreview, unit: str, waves: int) -> pd.DataFrame:
    """Our rule and those that come with the method, on the same labels."""
    ours = previewed.table[previewed.table["required"].isna()].assign(
        rule=OURS, false=waves / previewed.waves_per_false_alarm
    )
    alike = ours[ours["estimand"].isin(previewed.rules["estimand"])]
    rows = []
    for row in pd.concat([alike, previewed.rules]).to_dict("records"):
        false = f"{100 * row['false']:.0f} %"
        cells = {
            "Rule": row["rule"],
            "Figure": estimand_name(str(row["estimand"])),
            f"False alarm in {waves} {unit}s": AT_MOST + false if row["rule"] == OURS else false,
        }
        for wait in SHOWN:
            share = f"{100 * row[f'within {wait}']:.0f} %"
            cells[f"Noticed within {wait_words(wait, unit)}"] = share
        rows.append(cells)
    return pd.DataFrame(rows)


def _since_launch(row: Mapping[Any, Any]) -> bool:
    return bool(pd.isna(row["required"]))
