"""The living picture on a page: bars, what is said, and the chart that is chosen."""

from collections.abc import Callable, Sequence

from labelcore.charts.look_picture import Picture
from labelcore.charts.nodes import node
from labelcore.ui.drawing import draw


def show_picture(
    key: str,
    shown: Picture,
    pressed: Callable[[str], None] | None = None,
    *,
    unfolded: bool = True,
    large: bool = False,
    said: Sequence[str] = (),
    leads: bool = True,
) -> None:
    """Bars, below them what is ``said``, then, or beside them where it is ``large``, the chart that
    is chosen. What is said first ``leads``, unless it stands above already.

    ``pressed`` is called with the view or the figure that is pressed. A narrow screen has two bars
    only, unless ``unfolded``.
    """
    tabs = [
        node("button", view, data_figure=view, aria_pressed=str(view == shown.view).lower())
        for view in shown.views
    ]
    lines = [
        node("p", line, klass="lead" if leads and not place else "")
        for place, line in enumerate(said)
    ]
    first = node(
        "div",
        node("div", shown.bars, *([shown.legend] if shown.legend else [])),
        node("div", *lines, aria_live="polite"),
    )
    below = node(
        "div",
        *([node("div", *tabs, klass="tabs")] if len(tabs) > 1 else []),
        *([shown.chart] if shown.chart else []),
    )
    kind = "living" + ("" if unfolded else " folded") + (" large" if large else "")
    draw(key, "picture", node("div", first, below, klass=kind), pressed)
