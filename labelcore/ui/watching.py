"""Watch: all monitors and how they stand; of the chosen one the picture of its waves."""

import math
from collections.abc import Hashable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.access import Right
from labelcore.designs.registry import METHODS, AlarmRule
from labelcore.estimands import DIFFERENCE
from labelcore.plugins import loaded
from labelcore.report.quarter import FALSE_ALARMS, NO_VALUE, NOT_KNOWN, figure_words, withholds
from labelcore.results.told_values import known_ends
from labelcore.safe_text import one_line, plain
from labelcore.ui import monitors, visitor
from labelcore.ui.chart import show_chart
from labelcore.ui.downloads import file_name, taken
from labelcore.ui.lines import fold, quiet
from labelcore.ui.monitors import Opened, Standing, Stands
from labelcore.ui.presses import button, sentence, show_problem
from labelcore.ui.setup import link_to
from labelcore.ui.status import estimand_name
from labelcore.ui.tables import reading_table
from labelcore.ui.watch_tables import FROM, WHAT_IT_DOES, begin_page, next_table, way_to_begin
from labelcore.waves.chart import monitor_chart
from labelcore.waves.quarter import LAST
from labelcore.words import sentences as words
from labelcore.words.differences import interval_text, number_words

NONE_YET = "No classifier is watched yet."
ICONS = {
    Stands.ALARM: ":material/warning:",
    Stands.LABELS: ":material/radio_button_unchecked:",
    Stands.TABLE: ":material/pending:",
    Stands.QUIET: ":material/check_circle:",
}
BELOW = "Lower than required, by {wave} alone: {figures}."
FELL = "Fallen, by these two waves alone: {figures}."
MORE = "An alarm takes more evidence, as {waves} share one error."
EACH = (
    "Each interval holds alone. Labels that count for both waves make that of the difference "
    "wider than it need be."
)
FIRST_ONLY = (
    "It counts a label only in the wave that first had it; its estimates differ from those above."
)
CLOSE = "The wave ends with the labels that it has, and then shows its figures."
ANEW = "Evidence and the level to compare with start again with the next wave, as after an alarm."
OPEN = "Open {wave}"
QUARTER = {"weekly": 13, "monthly": 3, "daily": 92}
THEN, NOW, CHOSEN = "watch-then", "watch-now", "monitor"


def watch_page() -> None:
    names = monitors.names()
    runs = visitor.allowed(Right.RUN)
    if runs and (FROM in st.query_params or not names):
        begin_page(st.query_params.get(FROM, ""))
        return
    if not names:
        st.title("Watch", anchor=False)
        st.text(f"{NONE_YET} {WHAT_IT_DOES}")
        return
    opened = {name: monitors.opened(name) for name in names}
    standings = {name: monitor.standing() for name, monitor in opened.items()}
    chosen = st.query_params.get(CHOSEN, "")
    if chosen not in opened:
        chosen = min(names, key=lambda name: list(Stands).index(standings[name].state))
    left, right = st.columns([22, 78], gap="large")
    with left:
        order = list(Stands)
        list_monitors(
            sorted(standings.values(), key=lambda standing: order.index(standing.state)), chosen
        )
        if runs:
            way_to_begin("-", "Watch another")
    with right:
        st.caption(WHAT_IT_DOES)
        show_monitor(opened[chosen], standings[chosen])
        show_problem()


def list_monitors(standings: Sequence[Standing], chosen: str) -> None:
    """Each monitor with its state: a shape, a colour and a word."""
    for number, standing in enumerate(standings):
        kind = "chosen" if standing.name == chosen else "other"
        with st.container(key=f"watch-{kind}-{standing.state}-{number}", gap=None):
            label, icon = f"**{plain(standing.name, 60)}**", ICONS[standing.state]
            link_to("watch", label, icon, monitor=standing.name)
            quiet(f"watch-{number}", standing.words())


def show_monitor(monitor: Opened, standing: Standing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="watch-head"):
        st.title(plain(headline(standing)), anchor=False)
        label_button(standing)
    if standing.alarms:
        st.text(now_words(standing))
    if standing.finished:
        since = standing.alarms[0].since if standing.alarms else ""
        show_chart(monitor_chart(standing.table, since), "watch-chart")
        runs, waves = round(1 / standing.error), standing.planned
        if withholds(standing.table):
            st.caption(NO_VALUE)
        st.caption(FALSE_ALARMS.format(runs=runs, waves=waves))
        figures(monitor, standing)
    with st.container(horizontal=True, key="watch-links", vertical_alignment="center"):
        if standing.alarms:
            texts = "\n\n".join(alarm.sentence() for alarm in standing.alarms)
            fold("The alarms in full", "fold-alarms", lambda: st.text(texts))
        fold("All waves", "fold-waves", lambda: all_waves(standing))
        rule = METHODS[monitor.plan.design].alarm
        if rule is not None and standing.finished:
            fold(rule.title, "fold-rule", lambda: by_rule(rule, monitor))
        if visitor.allowed(Right.RUN):
            awaits = standing.state == Stands.TABLE
            fold("Next table", "fold-next", lambda: next_table(monitor, standing), opened=awaits)
            for wave in standing.due:
                fold(f"Close {wave}", f"fold-close-{wave}", partial(close, standing, wave))
            if standing.since:
                fold("Begin anew", "fold-anew", lambda: begin_anew(standing))
        if standing.finished:
            report_button(monitor, standing)


def report_button(monitor: Opened, standing: Standing) -> None:
    """The last waves as a file, made when it is pressed."""
    last = min(QUARTER.get(standing.schedule, LAST), len(standing.projects))
    file = file_name(monitor.name, "quarter.html")
    label = f"Report of the last {words.count(last, 'wave')}"
    what = f"monitor {monitor.name!r}, report"
    taken(label, file, lambda: monitor.report(last), what, key="watch-report", type="tertiary")


def by_rule(rule: AlarmRule, monitor: Opened) -> None:
    """What a rule of alarm that came with the method says of the finished waves."""
    names, figures = monitor.counted()
    try:
        table = loaded(rule.told)(names, figures, monitor.waves, monitor.error)
    except ValueError as error:
        st.text(sentence(error))
        return
    st.caption(FIRST_ONLY)
    reading_table(table, "watch-rule")


def close(standing: Standing, wave: str) -> None:
    key = f"watch-why-{standing.name}-{wave}"
    st.text(CLOSE)
    st.text_input("Why (may stay empty)", key=key, max_chars=300)
    button("Close this wave", f"watch-close-{wave}", monitors.close, standing.name, wave, key)


def begin_anew(standing: Standing) -> None:
    key = f"watch-why-{standing.name}"
    st.text(ANEW)
    st.text_input("Why", key=key, max_chars=300)
    button("Begin anew", "watch-restart", monitors.restart, standing.name, key)


def headline(standing: Standing) -> str:
    """What is known, in one sentence."""
    if standing.alarms:
        first = standing.alarms[0]
        name = estimand_name(first.estimand)
        text = f"{name[:1].lower()}{name[1:]} has been {first.lower} since about {first.about}."
    elif not standing.since and standing.finished and not standing.due:
        text = "begins anew with the next wave."
    elif standing.finished and not standing.since:
        text = "begins anew; no wave since then is finished."
    elif standing.due and not standing.since:
        text = "the first figures come with the first finished wave."
    else:
        text = f"no alarm; {standing.since} of {standing.planned} waves so far."
    return f"{standing.name}: {text}"


def now_words(standing: Standing) -> str:
    """The figure of the first alarm in the last finished wave, and what is required of it."""
    first = standing.alarms[0]
    mine = standing.table[standing.table["estimand"] == first.estimand]
    row = mine[mine["wave"] == standing.finished[-1]].iloc[0].to_dict()
    text = f"{standing.finished[-1]}: {_share(row, '')}."
    required = mine["required"].dropna()
    return f"{text} You require {100 * required.iloc[0]:.10g} %." if len(required) else text


def label_button(standing: Standing) -> None:
    """To the labels that are due, of the oldest wave first; else to the wave with the alarm."""
    if standing.alarms and not standing.due:
        wave = standing.alarms[0].wave
        if st.button(OPEN.format(wave=plain(wave, 40)), key="watch-open", type="primary"):
            query = {"project": standing.projects[wave]}
            st.switch_page("pages/progress.py", query_params=query)
    if not standing.due or not visitor.allowed(Right.JUDGE):
        return
    wave, left = next(iter(standing.due.items()))
    pressed = st.button(
        f"Label {plain(wave, 40)}: {words.count(left)}", key="watch-label", type="primary"
    )
    if pressed:
        query = {"project": standing.projects[wave]}
        st.switch_page("pages/label.py", query_params=query)


def figures(monitor: Opened, standing: Standing) -> None:
    """Every figure of a wave, groups among them, beside an earlier wave's."""
    finished = standing.finished[::-1]
    then = None
    if len(finished) > 1:
        with st.container(horizontal=True, key="watch-two"):
            now = st.selectbox("Wave", finished, key=f"{NOW}-{standing.name}")
            before = [wave for wave in finished if wave != now]
            place = min(finished.index(str(now)), len(before) - 1)
            then = st.selectbox(
                "Compared with", before, index=place, key=f"{THEN}-{standing.name}-{now}"
            )
    else:
        (now,) = finished
    table = monitor.compare(str(now), then)
    reading_table(readable_figures(table, standing, str(now), then), "watch-figures")
    if not standing.alarms and (alone := alone_words(table, standing, str(now))):
        more = MORE.format(waves=words.count(standing.planned, "wave"))
        st.text(" ".join([*alone, more]))
    if then is not None:
        st.caption(EACH)


def alone_words(table: pd.DataFrame, standing: Standing, now: str) -> list[str]:
    """What the figures of a wave say by themselves where there is no alarm."""
    required = required_of(standing)
    below = table["high"] < table["estimand"].map(required)
    fell = table.get("difference_high", pd.Series(dtype=float)).lt(0)
    said = []
    for template, rows in ((BELOW, below), (FELL, fell)):
        names = [estimand_name(key) for key in table["estimand"][rows.index[rows]]]
        if names:
            said.append(template.format(figures="; ".join(names), wave=one_line(now, 40)))
    return said


def required_of(standing: Standing) -> dict[str, float]:
    """What each figure must not be lower than."""
    rows = standing.table.dropna(subset=["required"]).to_dict("records")
    return {str(row["estimand"]): float(row["required"]) for row in rows}


def readable_figures(
    table: pd.DataFrame, standing: Standing, now: str, then: str | None
) -> pd.DataFrame:
    """The figures in words."""
    required, rows = required_of(standing), []
    for row in table.to_dict("records"):
        key = str(row["estimand"])
        cells = {"Figure": estimand_name(key)}
        if then is not None:
            cells[then] = _share(row, "earlier_")
        cells[now] = _share(row, "")
        if then is not None:
            cells["Difference"] = _points(row)
        cells["Required"] = f"{100 * required[key]:.10g} %" if key in required else ""
        rows.append(cells)
    return pd.DataFrame(rows)


def _share(row: Mapping[Hashable, Any], which: str) -> str:
    return figure_words(*(float(row[f"{which}{end}"]) for end in ("value", "low", "high")))


def _points(row: Mapping[Hashable, Any]) -> str:
    value, low, high = (float(row[f"difference_{end}"]) for end in ("value", "low", "high"))
    interval = interval_text(DIFFERENCE, low, high)
    if math.isnan(value):
        return interval if any(known_ends(low, high, -1.0)) else NOT_KNOWN
    text = number_words(DIFFERENCE, value, (low, high)).removesuffix(" points")
    return f"{text} ({interval})"


def all_waves(standing: Standing) -> None:
    """Each wave's project, the newest first."""
    for wave, project in reversed(list(standing.projects.items())):
        due = standing.due.get(wave)
        state = f": {words.count(due)} left" if due is not None else ""
        link_to("progress", plain(f"{wave}{state}", 80), project=project)
