"""Where every chart of the pages is shown, in the colours of the page's theme."""

from __future__ import annotations

from typing import Any

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.design import dressed

NO_MODE_BAR = {"displayModeBar": False}


def show_chart(chart: Chart, key: str, *, height: int | None = None) -> None:
    """The figure with its words for those who do not see it; no bar of buttons over it."""
    figure: Any = chart.figure
    if st.context.theme.type == "dark":
        figure = dressed(figure.to_plotly_json())
    size: dict[str, Any] = {} if height is None else {"height": height}
    st.plotly_chart(figure, key=key, alt=chart.alt, config=NO_MODE_BAR, **size)
