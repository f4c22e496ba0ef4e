"""Results as Plotly figures, each with its words and its numbers as a table."""

from labelcore.charts.base import CONFIG, Chart
from labelcore.charts.history import history_chart
from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.charts.names import escape, shortened
from labelcore.charts.precision_rank import precision_rank_chart
from labelcore.charts.precision_recall import precision_recall_chart
from labelcore.charts.score_histogram import score_histogram_chart
from labelcore.charts.strata import strata_chart

__all__ = [
    "CONFIG",
    "Chart",
    "escape",
    "history_chart",
    "labels_margin_chart",
    "precision_rank_chart",
    "precision_recall_chart",
    "score_histogram_chart",
    "shortened",
    "strata_chart",
]
