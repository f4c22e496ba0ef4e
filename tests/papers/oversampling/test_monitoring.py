"""Waves: expectations, alarms at their rate, drift that is caught, sessions as waves."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.registry import METHODS
from labelcore.papers.oversampling import alarms
from labelcore.papers.oversampling.groups import Counts, recall_of
from labelcore.papers.oversampling.intervals import Groups, bayes_intervals
from labelcore.papers.oversampling.monitoring import Monitoring, Prediction, Wave, monitor, wave_of
from labelcore.papers.oversampling.next_wave import forecast
from labelcore.plugins import loaded
from labelcore.results.types import Estimate
from labelcore.stats.profile import Cells
from labelcore.testing.known import Known, calibrated, fewest, most
from tests.answering import answer_draws
from tests.cases import once, repeated, sampled

MAY = Wave("May", 138, 22, 108, 4732, above=16_000, below=484_000)
JUNE = Wave("June", 140, 20, 101, 4739, above=15_500, below=484_500)
JULY = Wave("July", 96, 64, 110, 4730, above=17_000, below=483_000)
known = once(calibrated, 400, seed=4)


def drawn_waves(
    rng: np.random.Generator, rates: list[tuple[float, float]], n_1: int = 100, n_0: int = 400
) -> list[Wave]:
    """Waves with these rates of the two groups."""
    found = []
    for number, (pi_1, pi_0) in enumerate(rates):
        tp, fn = int(rng.binomial(n_1, pi_1)), int(rng.binomial(n_0, pi_0))
        found.append(Wave(f"wave {number}", tp, n_1 - tp, fn, n_0 - fn, above=4_000, below=96_000))
    return found


def alarm_rate(
    make: Callable[[np.random.Generator], list[Wave]],
    runs: int,
    look: Callable[[list[Wave]], bool] = lambda waves: monitor(waves).alarm,
) -> float:
    rng = np.random.default_rng(17)
    return float(np.mean([look(make(rng)) for _ in range(runs)]))


def steady(rates: tuple[float, float]) -> Callable[[np.random.Generator], list[Wave]]:
    return lambda rng: drawn_waves(rng, [rates] * 5)


def each_at_full_alpha(waves: list[Wave]) -> bool:
    """The broken twin: every wave compared with the first one at 95 %, alpha not shared."""
    return any(monitor([waves[0], one], planned=1, confidence=0.9).alarm for one in waves[1:])


@pytest.mark.full
@pytest.mark.parametrize(("above", "below"), sampled([(0.85, 0.02), (0.95, 0.003)], 1, seed=1))
def test_stable_waves_raise_alarms_at_most_at_their_rate(above: float, below: float) -> None:
    """150 times five waves; at most alpha = .05 of them with any alarm, beyond binomial noise."""
    runs = repeated(150)
    assert alarm_rate(steady((above, below)), runs) <= most(runs, 0.05)


def test_comparisons_that_do_not_share_alpha_raise_too_many() -> None:
    assert alarm_rate(steady((0.85, 0.02)), 150, each_at_full_alpha) > most(150, 0.05)


def test_planned_comparisons_share_alpha_equally() -> None:
    def look(waves: list[Wave]) -> bool:
        return monitor(waves, planned=4).alarm

    assert alarm_rate(steady((0.85, 0.02)), 100, look) <= most(100, 0.05)
    for report in monitor([MAY, JUNE, JUNE], planned=5).reports[1:]:
        assert report.predicted[0].confidence == pytest.approx(1 - 0.05 / 5 / 2)


@pytest.mark.parametrize(
    ("after", "quantity"), [((0.55, 0.02), "precision"), ((0.85, 0.1), "recall")]
)
def test_drift_is_caught(after: tuple[float, float], quantity: str) -> None:
    """A large fall in the fourth wave is named in that wave in 97 % of the runs, but for noise."""
    rng, caught = np.random.default_rng(5), 0
    for _ in range(40):
        found = monitor(drawn_waves(rng, [(0.85, 0.02)] * 3 + [after]))
        caught += quantity in found.reports[3].alarms
    assert caught / 40 >= fewest(40, 0.97)


def test_expectations_are_the_predictive_distribution() -> None:
    report = monitor([MAY, JUNE]).reports[1]
    expected = forecast(Counts.of(138.5, 22.5, 108.5, 4732.5), 15_500 / 484_500, 160, 4840)
    for one, part in zip(report.predicted, expected, strict=True):
        assert isinstance(one, Prediction) and not isinstance(one, Estimate)
        assert (one.low, one.high) == part.limits(1 - 0.05 / 2 / 2)
        assert one.low <= one.value <= one.high and one.waves == 1 and one.wave == "June"


def test_predictive_is_wider_than_the_interval_of_the_truth() -> None:
    found = monitor([MAY, JUNE])
    ahead = found.next_wave(160, 4840, above=16_000, below=484_000)[0]
    precision = found.reports[1].precision
    assert ahead.high - ahead.low > 1.3 * (precision.high - precision.low)
    assert ahead.confidence == 0.95 and ahead.waves == 2
    assert "next wave" in ahead.sentence()


def test_posterior_takes_the_earlier_waves_as_prior() -> None:
    reports = monitor([MAY, JUNE], discount=0.5).reports
    groups = Groups(15_500, 484_500)
    prior = Counts.of(69, 11, 54, 2366)
    limits = bayes_intervals(JUNE.counts, groups, 0.95, prior).recall
    assert (reports[1].recall.low, reports[1].recall.high) == tuple(map(float, limits))
    alone = bayes_intervals(MAY.counts, MAY.groups, 0.95).recall
    assert (reports[0].recall.low, reports[0].recall.high) == tuple(map(float, alone))
    for report in reports:
        for one in (report.precision, report.recall):
            assert one.promise == "none" and one.low <= (one.value or 0) <= one.high
            assert "no promise" in one.sentence()


def test_after_an_alarm_the_waves_before_no_longer_count() -> None:
    found = monitor([MAY, JUNE, JULY])
    assert [report.alarms for report in found.reports] == [(), (), ("precision", "recall")]
    assert found.since == 1 and found.alarm
    alone = monitor([JULY]).reports[0]
    assert found.reports[2].precision == alone.precision
    again = monitor([MAY, JUNE, JULY, JULY])
    assert again.reports[3].alarms == ()
    assert "Alarm in 'July': precision came out at 60 %" in found.reports[2].sentence()
    assert "no earlier wave" in found.reports[0].sentence()
    assert "where the earlier waves expected it" in found.reports[1].sentence()


def test_discount_widens_what_is_expected() -> None:
    def width(found: Monitoring) -> float:
        one = found.reports[2].predicted[0]
        return one.high - one.low

    assert width(monitor([MAY, JUNE, JUNE], discount=0.2)) > width(monitor([MAY, JUNE, JUNE]))


@pytest.mark.parametrize("cells", [(20, 0, 0, 40), (0, 20, 0, 40), (0, 20, 3, 37), (20, 0, 40, 0)])
def test_any_count_may_be_zero(cells: tuple[int, int, int, int]) -> None:
    waves = [Wave(str(n), *cells, above=500, below=2000) for n in range(3)]
    found = monitor(waves)
    assert not found.alarm
    for report in found.reports:
        for one in (report.precision, report.recall):
            assert 0 <= one.low < one.high <= 1 and one.value is not None


def test_tables_and_json() -> None:
    found = monitor([MAY, JUNE, JULY])
    frame = found.to_frame()
    assert list(frame.columns[:4]) == ["wave", "estimand", "labels", "observed"]
    assert frame["alarm"].tolist() == [False] * 4 + [True] * 2
    assert frame["expected_low"].isna().tolist() == [True] * 2 + [False] * 4
    one = found.reports[1].predicted[1]
    assert json.loads(one.to_json())["sentence"] == one.sentence()
    assert one.to_frame().loc[0, "estimand"] == "recall"


def session_of(known: Known, labels: int, **values: Any) -> lc.Session:
    given = {"design": "simple_random", "budget": 120, "promise": "fixed", **values}
    plan = lc.Plan(given.pop("design"), ["precision", "recall"], **given)
    session = lc.Session(known.population, plan, project="waves")
    answer_draws(session, known, labels)
    return session


@pytest.mark.parametrize("design", ["simple_random", "oversampling"])
def test_a_finished_session_is_a_wave(known: Known, design: str) -> None:
    session = session_of(known, 120, design=design)
    wave = wave_of(session)
    said = known.population.predictions["lr"] == 1
    seen = np.array([asked.position for asked in session.engine.asked])
    truth, called = known.truth[seen] == 1, said[seen]
    assert wave.true_positive == np.sum(truth & called)
    assert wave.false_positive == np.sum(~truth & called)
    assert (wave.false_negative, wave.labels) == (np.sum(truth & ~called), 120)
    assert (wave.above, wave.below) == (said.sum(), (~said).sum())
    assert (wave.name, wave.classifier, wave.positive) == ("waves", "lr", "yes")
    recall = monitor([wave]).reports[0].recall
    assert recall.value == pytest.approx(session.results()["recall"].value, abs=1e-9)
    assert wave_of(session, "week 1").name == "week 1"


def test_sessions_that_are_no_waves(known: Known) -> None:
    with pytest.raises(ValueError, match="is 'open'; finish it before it is a wave"):
        wave_of(session_of(known, 50))
    with pytest.raises(ValueError, match="was drawn by 'recalibrated_neyman'; a wave needs one of"):
        wave_of(session_of(known, 120, design="recalibrated_neyman"))


def test_labels_chosen_by_somebody_are_no_wave(tmp_path: Path) -> None:
    rows, path = [f"i{n},x,{n % 2},{'' if n % 3 else 1}" for n in range(60)], tmp_path / "known.csv"
    path.write_text("\n".join(["id,text,said,known", *rows]), "utf-8")
    said = {"m": "said"}
    file = lc.read_population(path, id="id", content="text", predictions=said, known="known")
    session = session_of(Known(file, np.arange(60) % 2), 20, budget=20, existing="certainty")
    with pytest.raises(ValueError, match="counts known answers"):
        wave_of(session)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: Wave("w", -1, 3, 1, 5, above=10, below=10), "true_positive of wave 'w' must be 0"),
        (lambda: Wave("w", 0, 0, 1, 5, above=10, below=10),
         "needs at least 1 label in group 'above'"),
        (lambda: Wave("w", 5, 6, 1, 5, above=10, below=10),
         "above of wave 'w' must be at least its 11"),
        (lambda: Wave("w", 1.5, 3, 1, 5, above=10, below=10),  # type: ignore[arg-type]
         "true_positive of wave 'w' must be a whole number, got 1.5"),
        (lambda: monitor([3]), "waves must hold labelcore.Wave alone, got 3"),  # type: ignore[list-item]
        (lambda: monitor([]), "waves must hold at least 1 wave, got none"),
        (lambda: monitor([MAY], confidence=1.0), "confidence must lie between 0 and 1, got 1.0"),
        (lambda: monitor([MAY], discount=0.0),
         "discount must lie above 0 and at most at 1, got 0.0"),
        (lambda: monitor([MAY, JUNE, JULY], planned=1),
         "planned must be at least the 2 comparisons"),
        (lambda: monitor([MAY]).next_wave(0, 10, above=5, below=5), "above must be above 0, got 0"),
    ],
)  # fmt: skip
def test_refused(call: Callable[[], object], words: str) -> None:
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_the_page_s_example_runs() -> None:
    """The Python of docs/papers/003_oversampling.md."""
    page = Path(__file__).resolve().parents[3] / "docs" / "papers" / "003_oversampling.md"
    blocks = page.read_text("utf-8").split("```python\n")[1:]
    assert blocks
    for block in blocks:
        names: dict[str, Any] = {}
        exec(block.split("```")[0], names)
        assert names["found"].alarm


def test_a_large_wave_without_a_miss_is_no_alarm() -> None:
    first = Wave("a", 57, 3, 0, 200, above=5000, below=200_000)
    second = Wave("b", 475, 25, 0, 20_000, above=5000, below=200_000)
    assert monitor([first, second]).reports[1].alarms == ()


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
    one = (part[0] for part in (series.size, series.labelled, series.positive))
    told = alarms.told(["first", "last"], Cells(*one, series.predicted), 2, ERROR)
    assert told["Estimate"].tolist()[:2] == ["0 %", "no positive found"]


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
