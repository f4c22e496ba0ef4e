"""Results as drawings, each with its words and its numbers as a table."""

from labelcore.charts.against import precision_recall_chart, precision_yield_chart, roc_chart
from labelcore.charts.base import Chart
from labelcore.charts.candidates import candidates_chart, moving_bounds_chart
from labelcore.charts.compare import compare_chart
from labelcore.charts.evidence import evidence_chart, evidence_table, first_settled
from labelcore.charts.history import history_chart, history_words
from labelcore.charts.labels_factor import labels_factor_chart
from labelcore.charts.labels_margin import labels_margin_chart
from labelcore.charts.names import shortened
from labelcore.charts.oversampling import oversampling_chart
from labelcore.charts.rank import rank_chart, rank_words
from labelcore.charts.readings import READINGS, Reading
from labelcore.charts.savings import savings_chart
from labelcore.charts.score_histogram import score_histogram_chart
from labelcore.charts.strata import left_out_words, strata_chart
from labelcore.charts.stratifications import stratifications_chart
from labelcore.charts.waves import waves_chart

__all__ = [
    "READINGS",
    "Chart",
    "Reading",
    "candidates_chart",
    "compare_chart",
    "evidence_chart",
    "evidence_table",
    "first_settled",
    "history_chart",
    "history_words",
    "labels_factor_chart",
    "labels_margin_chart",
    "left_out_words",
    "moving_bounds_chart",
    "oversampling_chart",
    "precision_recall_chart",
    "precision_yield_chart",
    "rank_chart",
    "rank_words",
    "roc_chart",
    "savings_chart",
    "score_histogram_chart",
    "shortened",
    "strata_chart",
    "stratifications_chart",
    "waves_chart",
]
