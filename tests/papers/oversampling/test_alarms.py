"""The paper's rule of alarm, simulated: as the exact predictive distribution has it."""

from __future__ import annotations

import numpy as np
import pytest

from labelcore.designs.registry import METHODS
from labelcore.papers.oversampling import alarms
from labelcore.papers.oversampling.groups import recall_of
from labelcore.papers.oversampling.monitoring import Wave, monitor
from labelcore.plugins import loaded
from labelcore.stats.profile import Cells

ABOVE, BELOW, ERROR = 400, 9_600, 0.05


def waves(series: int, rates: list[tuple[float, float]], seed: int = 3, labels: int = 60) -> Cells:
    """Series of waves with so many labels in each group, by the rates of each wave."""
    random = np.random.default_rng(seed)
    positive = np.stack([random.binomial(labels, one, (series, 2)) for one in rates], axis=1)
    shape = positive.shape
    size = np.broadcast_to([ABOVE, BELOW], shape).astype(float)
    return Cells(
        size, np.full(shape, float(labels)), positive.astype(float), np.array([True, False])
    )


@pytest.mark.full
@pytest.mark.parametrize("figure", ["precision", "recall"])
@pytest.mark.parametrize("rates", [(0.8, 0.1), (0.9, 0.01), (0.5, 0.5)])
def test_each_wave_lies_outside_where_the_summed_up_distribution_says_so(
    figure: str, rates: tuple[float, float]
) -> None:
    planned = 6
    rows = [rates] * 4 + [(rates[0] - 0.3, rates[1] + 0.1)]
    series = waves(12, rows)
    _, shared = alarms.noticed(series, figure, planned, ERROR).values()
    for one in range(12):
        found = monitor(
            [
                Wave(str(n), hit, 60 - hit, miss, 60 - miss, above=ABOVE, below=BELOW)
                for n, (hit, miss) in enumerate(series.positive[one].astype(int).tolist())
            ],
            planned=planned,
        )
        told = [figure in report.alarms for report in found.reports]
        first = next((n for n, said in enumerate(told) if said), len(told))
        mine = next((n for n, said in enumerate(shared[one]) if said), len(told))
        before = [bool(report.alarms) for report in found.reports[:first]]
        if not any(before):  # The other figure's alarm begins anew.
            assert mine == first, (one, told)


def test_a_rule_at_each_wave_rings_often_and_one_that_shares_its_error_seldom() -> None:
    rings = {
        figure: [found[:, -1].mean() for found in alarms.noticed(
            waves(400, [(0.8, 0.05)] * 26), figure, 26, ERROR).values()]
        for figure in ("precision", "recall")
    }  # fmt: skip
    noise = 3 * np.sqrt(ERROR / 2 * (1 - ERROR / 2) / 400)
    for each, shared in rings.values():
        assert each > 0.2 and shared < ERROR / 2 + noise


def test_a_wave_without_any_positive_is_no_alarm_of_recall() -> None:
    series = waves(3, [(0.5, 0.1)] * 2)
    series.positive[:, 1] = 0
    assert np.isnan(recall_of(0.1, 0.0, 0.0))
    for found in alarms.noticed(series, "recall", 2, ERROR).values():
        assert not found.any()


def test_the_rule_comes_with_its_method_and_reads_the_waves_of_a_monitor() -> None:
    rule = METHODS["oversampling"].alarm
    assert rule is not None and METHODS["recalibrated_neyman"].alarm is None
    series = waves(1, [(0.9, 0.05)] * 3 + [(0.3, 0.05)])
    found = loaded(rule.told)(
        list("abcd"), Cells(*(one[0] for one in (series.size, series.labelled, series.positive)),
                            series.predicted), 12, ERROR,
    )  # fmt: skip
    assert list(found["Wave"]) == list("ddccbbaa")
    assert found.iloc[0]["Figure"] == "Precision" and found.iloc[0]["Alarm"] == "alarm"
    assert set(found[found["Wave"] == "a"]["Expected"]) == {alarms.UNKNOWN}
