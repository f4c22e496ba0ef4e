"""Tables to read, whose words wrap so that nothing is cut on a narrow screen."""

import numpy as np
import pandas as pd
import streamlit as st

from labelcore.charts.curve_points import PROVISIONAL
from labelcore.charts.lists import DIFFERENCE
from labelcore.charts.readings import READINGS
from labelcore.safe_text import plain, unbroken
from labelcore.ui.times import clock, reader_zone
from labelcore.words import sentences as words
from labelcore.words.tables import STATES

VALUES = ("Estimate", DIFFERENCE, "Half-width", PROVISIONAL)
PARTS = ("Positive share", "Judged rightly share", "Share of uncertainty")
NAMES = [row.label for row in READINGS.values() if row.unit == "share"]
ENDS = {"Low": "High"} | {f"{name} low": f"{name} high" for name in NAMES}
SHARES = (*VALUES, *PARTS, *NAMES, *ENDS, *ENDS.values())
MOST_DIGITS, SAME = 3, 1e-7


def number_table(table: pd.DataFrame, key: str, *, unit: str = "%") -> None:
    """A chart's numbers; shares as percentages with one number of decimals for all of them, the
    ends of intervals rounded outwards.

    unit   what stands behind them: "%", or "points" for differences
    """
    shown, digits = table.copy(), 1
    shares = [name for name in SHARES if name in table and _is_share(table[name])]
    for name in shares:
        shown[name] = 100 * table[name].astype(float)
        known = table[name].dropna().astype(float).abs()
        # Differences are near zero without being small: one decimal tells enough of them.
        if unit == "%":
            digits = max([digits, *(words.digits_for(share) for share in known if share < 0.5)])
    for name in table.columns.intersection(["When", "Looked at"]):
        shown[name] = [at and clock(at, reader_zone()) for at in table[name]]
    if "State" in table:
        shown["State"] = [STATES.get(state, state) for state in table["State"]]
    digits = min(digits, MOST_DIGITS)
    for low, high in ENDS.items():
        if low in shares and high in shares:
            shown[low], shown[high] = _outward(shown[low], shown[high], 10**digits)
    pattern = f"%.{digits}f {unit.replace('%', '%%')}"
    columns = {name: st.column_config.NumberColumn(format=pattern) for name in shares}
    st.dataframe(shown, hide_index=True, key=key, column_config=columns, placeholder="")


def _outward(low: pd.Series, high: pd.Series, scale: int) -> tuple[pd.Series, pd.Series]:
    """Both ends as far out as the decimals go; an exact figure stays as it is."""
    wide = high - low > SAME
    outer = np.floor(low * scale + SAME) / scale, np.ceil(high * scale - SAME) / scale
    return low.mask(wide, outer[0]), high.mask(wide, outer[1])


def _is_share(column: pd.Series) -> bool:
    known = pd.to_numeric(column, errors="coerce").dropna()
    return bool(len(known) and (known.abs() <= 1).all() and len(known) == column.notna().sum())


def reading_table(table: pd.DataFrame, key: str) -> None:
    """A small table as text, cell by cell literally, whatever its words hold."""
    literal = table.astype(str).map(unbroken).rename(columns=lambda name: plain(name))
    with st.container(key=key):
        st.table(literal, hide_index=True, border="horizontal")
