"""Numbers that are checked here: a browser would hold back one out of bounds without a word."""

from __future__ import annotations

import streamlit as st

from labelcore.ui.plain import plain


def within(value: float | None, low: float | None, high: float | None) -> bool:
    """Whether a number lies within its bounds; where it does not, a sentence says so."""
    fault = outside(value, low, high)
    if fault:
        st.error(plain(fault))
    return not fault


def outside(value: float | None, low: float | None, high: float | None) -> str:
    """What is wrong with a number; nothing for one that is not given.

    >>> outside(0, 1, 2000)
    'A number from 1 to 2,000 is needed here, and this is 0.'
    >>> outside(-1, 0, None)
    'A number of at least 0 is needed here, and this is -1.'
    >>> outside(None, 0, 1), outside(1, 0, 1)
    ('', '')
    """
    if value is None or ((low is None or value >= low) and (high is None or value <= high)):
        return ""
    if high is None:
        bounds = f"of at least {low:,}"
    else:
        bounds = f"of at most {high:,}" if low is None else f"from {low:,} to {high:,}"
    return f"A number {bounds} is needed here, and this is {value:,}."
