"""The browser's part of the living picture: nodes become elements, names become texts."""

from collections.abc import Callable, Mapping, Sequence

from labelcore.charts.design import SERIES, both
from labelcore.charts.look_picture import Picture
from labelcore.ui.scripts import Script, component, constants, text_of

DRAWN = ("quiet", "rule", "expected", "empty", "ink", "ground", "band")
STYLE = f".living {{ {both(*SERIES, *DRAWN)} }}\n" + text_of("picture.css")
SCRIPT = Script(text_of("nodes.js") + constants(STYLE=STYLE) + text_of("picture.js"))


def show_picture(
    key: str,
    shown: Picture,
    chosen: Mapping[str, Callable[[], None]] | None = None,
    *,
    unfolded: bool = True,
    large: bool = False,
    said: Sequence[str] = (),
    leads: bool = True,
) -> None:
    """Bars, below them what is ``said``, then, or beside them where it is ``large``, the chart that
    is chosen. What is said first ``leads``, unless it stands above already.

    ``chosen["view"]`` and ``chosen["figure"]`` are called when another one is pressed; its name is
    then in ``st.session_state[key]`` under the same word. A narrow screen has two bars only, unless
    ``unfolded``.
    """
    data = {
        "bars": shown.bars,
        "chart": shown.chart,
        "views": list(shown.views),
        "view": shown.view,
        "unfolded": unfolded,
        "large": large,
        "said": list(said),
        "leads": leads,
        "legend": shown.legend,
    }
    component("picture", js=SCRIPT.asked)(
        key=key,
        data=data,
        on_view_change=chosen["view"] if chosen else _nothing,
        on_figure_change=chosen["figure"] if chosen else _nothing,
        height="content",
    )


def _nothing() -> None:
    """Nothing can be pressed."""
