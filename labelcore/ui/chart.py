"""Where every chart of the pages is shown, in the colours of the page's theme."""

from typing import Any

import streamlit as st

from labelcore.charts.base import Chart
from labelcore.charts.design import DARK, LIGHT

NO_MODE_BAR = {"displayModeBar": False}


def show_chart(
    chart: Chart, key: str, *, height: int | None = None, sides: tuple[int, int] | None = None
) -> None:
    """The figure with its words for those who do not see it; no bar of buttons over it.

    sides   pixels left and right of its box, where these are given
    """
    figure = chart.plotted(DARK if st.context.theme.type == "dark" else LIGHT)
    if sides is not None:
        figure.update_layout(margin_l=sides[0], margin_r=sides[1])
        figure.update_yaxes(automargin=False)
    size: dict[str, Any] = {} if height is None else {"height": height}
    st.plotly_chart(figure, key=key, alt=chart.alt, config=NO_MODE_BAR, **size)
