"""What is known of a project by its last look: as a bar, and in a line."""

import numpy as np

from labelcore.charts.axes import SHARES
from labelcore.charts.figure_bars import estimate_bar, share_bar
from labelcore.charts.live_picture import Bar, bars, difference_scale
from labelcore.charts.look_picture import LONGEST_NAME, Picture
from labelcore.estimands import CURVES, LISTS
from labelcore.safe_text import one_line
from labelcore.ui.status import estimand_name
from labelcore.ui.summary import Known, Summary
from labelcore.ui.times import dated, reader_zone
from labelcore.words.differences import is_difference

FIRST, MEAN = "First {rank:,}", "Precision, mean over all ranks"
LISTS_MEAN = "Precision difference, mean over ranks"
MEANS = {**dict.fromkeys(CURVES, MEAN), **dict.fromkeys(LISTS, LISTS_MEAN)}


def known_picture(known: Known) -> Picture:
    """The primary figure as one bar."""
    bar = known_bar(known)
    scale = difference_scale(np.array([known.low, known.high]))
    return Picture(
        bars([bar], scale if is_difference(known.estimand) else SHARES), None, (), "", ""
    )


def known_bar(known: Known) -> Bar:
    """The primary figure, of a ranked list the precision of its first items, as on *Label*."""
    if known.rank:
        name, assumed = FIRST.format(rank=known.rank), known.confidence is None
        return share_bar(name, known.told, known.low, known.high, assumed)
    name = MEANS.get(known.estimand) or estimand_name(known.estimand, audit=known.audit)
    return estimate_bar(known, one_line(name, LONGEST_NAME))


def card_line(summary: Summary) -> str:
    """Progress, what is known, status, last change, file."""
    bar = known_bar(summary.known)
    value, between = bar.said
    known = " ".join(filter(None, (bar.name, value, between and f"({between})")))
    judged = summary.answers if "=" in summary.answers else f"{summary.answered:,}"
    parts = [f"{judged} {summary.of_planned}", known, summary.status]
    if summary.last_save:
        parts.append(f"saved {dated(summary.last_save, reader_zone())}")
    return " · ".join([*parts, summary.file])
