"""From a curve to results: bands, readings, summaries, and what is said of the answers."""

from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs import simple_random
from labelcore.designs.scalars import Figures
from labelcore.errors import PlanError
from labelcore.estimands import SCALARS
from labelcore.figures import summaries
from labelcore.figures.current import FiguresNow, results
from labelcore.figures.curves import (
    asks_for_curve,
    band,
    curve_results,
    ranked,
    ranked_curve,
    summary,
    whole_curve,
)
from labelcore.figures.from_counts import look_at
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.planning.forecast import kept_plan
from labelcore.planning.simulation import run_seed
from labelcore.results.types import Estimate
from labelcore.stats.curve_readings import READINGS, Yields, area_under_roc, average_precision
from labelcore.stats.profile import Cells
from labelcore.stats.rank_strata import rank_edges
from labelcore.stats.ranked_summaries import (
    AREA_UNDER_ROC,
    AVERAGE_PRECISION,
    RankedSample,
    pieces,
    summary_interval,
)
from labelcore.testing.known import Known, calibrated, label, labelled, write
from tests.answering import answer_draws, labelled_to
from tests.cases import once, sampled
from tests.curves import precision_curve

ASKED = ("area_under_roc", "precision_curve", "average_precision")
N_ITEMS = 900
known = once(calibrated, N_ITEMS, seed=31)


def plan_of(design: str = "geometric_strata", asked: tuple[str, ...] = ASKED) -> lc.Plan:
    if design == "paula":
        return lc.Plan(design, asked, params={"epsilon": 0.2, "window": 10})
    return lc.Plan(design, asked, budget=200, promise="fixed")


@pytest.fixture(scope="module")
def done(known: Known) -> Engine:
    return labelled(known.engine(plan_of(), 5), known.truth)


def truth_along(known: Known, engine: Engine) -> Yields:
    hits = np.cumsum(known.truth[engine.rank_order]).astype(float)
    return Yields(len(hits), np.arange(1, len(hits) + 1), hits, hits, hits)


def test_results_come_in_the_order_asked(known: Known, done: Engine) -> None:
    assert list(curve_results(done)) == list(ASKED)
    assert list(results(done)) == list(ASKED)
    plain = lc.Plan("simple_random", ["accuracy"], budget=50)
    engine = known.engine(plain, 1)
    assert not asks_for_curve(engine) and curve_results(engine) == {}


def test_ranked_rows_stand_at_the_rank_of_their_item(known: Known, done: Engine) -> None:
    rows = ranked(done)
    items = done.rank_order[rows.rank - 1]
    assert items.tolist() == [done.asked[draw - 1].position for draw in rows.index]
    assert len(rows.rank) == len(done.asked) and (np.diff(rows.rank) > 0).all()
    np.testing.assert_array_equal(rows.verdict, known.truth[items])
    np.testing.assert_array_equal(rows.stratum, done.frame.stratum[items])


def test_unanswered_items_are_left_out_and_open_ones_are_not(known: Known) -> None:
    engine = known.engine(plan_of(), 5)
    for _ in range(4):
        engine.draw_next()
    name = engine.population.classes[1]
    engine.answer(1, Event(0, "labelled", "", "test", label=name))
    engine.answer(3, Event(0, "unsure", "", "test"))
    rows = ranked(engine)
    assert sorted(rows.index.tolist()) == [1, 2, 3] and rows.index[rows.opened].tolist() == [2]
    assert rows.index[rows.undecided].tolist() == [3]
    assert rows.index[~rows.doubtful].tolist() == [1]
    assert rows.until(1).doubtful.tolist() == [False]
    assert rows.settled().index.tolist() == [1]
    engine.answer(4, Event(0, "later", "", "test"))
    later = ranked(engine)
    assert sorted(later.index[later.opened].tolist()) == [2, 4] and len(later.index) == 4


@pytest.mark.parametrize("design", ["geometric_strata", "paula", "recalibrated_neyman"])
def test_every_reading_of_every_method_is_a_band(known: Known, design: str) -> None:
    engine = labelled(known.engine(plan_of(design, ("precision_curve",)), 5), known.truth)
    curve = ranked_curve(engine)
    for name in curve.names:
        one = band(engine, curve, name)
        assert one.estimand == f"{name}_curve" and len(one.x) == len(one.value)
        scores = engine.population.scores["lr"][engine.rank_order]
        np.testing.assert_array_equal(one.threshold, scores[one.x.astype(int) - 1])
        assert (one.extra == {}) == (name != "precision" or design != "paula")
    with pytest.raises(ValueError, match="no reading 'lift'; it has precision"):
        band(engine, curve, "lift")


def test_precision_and_recall_are_short_for_their_readings(done: Engine) -> None:
    curve = ranked_curve(done)
    assert precision_curve(done).to_json() == band(done, curve, "precision").to_json()


def test_ranks_given_are_the_ranks_told(done: Engine) -> None:
    at = np.array([1, 77, 78, N_ITEMS])
    curve, whole = ranked_curve(done, at), ranked_curve(done, np.arange(1, N_ITEMS + 1))
    assert curve.rank.tolist() == at.tolist()
    for got, all_ in zip(curve.read("precision"), whole.read("precision"), strict=True):
        np.testing.assert_allclose(got, all_[at - 1], atol=1e-12)


@pytest.mark.parametrize("formula", [average_precision, area_under_roc])
def test_summaries_are_those_of_all_ranks_and_not_of_a_grid(known: Known, formula: object) -> None:
    """The labelled ranks carry what a band of exact bounds says of all others; a coarse grid alone
    is wider."""
    assert callable(formula)
    done = labelled(known.engine(plan_of("random_curve"), 5), known.truth)
    every = ranked_curve(done, np.arange(1, N_ITEMS + 1)).yields
    coarse = ranked_curve(done, np.array([*range(10, N_ITEMS, 10), N_ITEMS])).yields
    found = summary(done, whole_curve(done, ranked_curve(done)), formula.__name__)
    value, low, high = formula(every)
    assert (found.value, found.low, found.high) == pytest.approx((value, low, high), abs=1e-9)
    assert formula(coarse)[1] < low - 1e-6 and high + 1e-6 < formula(coarse)[2]


def test_a_list_without_hits_has_no_average_precision(tmp_path: Path) -> None:
    none = write(tmp_path, np.zeros(300, dtype=int), score=np.linspace(1, 0, 300))
    engine = labelled(none.engine(plan_of(), 1), none.truth)
    found = results(engine)
    for name in ("average_precision", "area_under_roc"):
        assert found[name].value is None and (found[name].low, found[name].high) == (0, 1)
        assert "no 'yes' item was found" in found[name].sentence()
    assert np.all(found["precision_curve"].value == 0)


def test_a_summary_before_the_list_is_done_says_so(known: Known) -> None:
    engine = known.engine(plan_of("paula"), 5)
    labelled_to(engine, known, 80)
    assert results(engine)["average_precision"].missing == (
        "the bounds of the whole list are not there yet"
    )


def test_simulation_compares_with_the_lists_own_truth(known: Known) -> None:
    """The truth of each run is that of its own order, the same as a session's; covered is computed
    here once more. Its draws are its own: simulations draw their orders."""
    simulation = lc.simulate(known.population, plan_of(), truth=known.truth, runs=4, seed=8)
    table = simulation.table().set_index(["run", "estimand"])
    for run in range(4):
        plan = kept_plan(known.population, plan_of()).with_seed(run_seed(8, run))
        engine = labelled(known.engine(plan, plan.seed), known.truth)
        real = truth_along(known, engine)
        for name, formula in (("average_precision", average_precision),
                              ("area_under_roc", area_under_roc)):  # fmt: skip
            row = table.loc[(run, name)]
            assert row["truth"] == pytest.approx(formula(real)[0], abs=1e-12)
            assert row["covered"] == (row["low"] <= row["truth"] <= row["high"])
        curve = precision_curve(engine)
        ranks = curve.x.astype(int)
        precision = READINGS["precision"](real)[0][ranks - 1]
        part = simulation.curves().query("run == @run")
        np.testing.assert_allclose(part["truth"], precision, atol=1e-12)
        right = (part["low"] <= part["truth"] + 1e-12) & (part["truth"] <= part["high"] + 1e-12)
        assert table.loc[(run, "precision_curve")]["covered"] == right.all()


LOGARITHMIC = {"first_rank": 60, "epsilon": 0.3, "beta": 1.9}


@pytest.mark.parametrize(
    ("design", "promise", "form"),
    [
        ("geometric_strata", "fixed", "approximate"),
        ("random_curve", "fixed", "strict"),
        ("logarithmic_stratified", "watched", "strict"),
        ("paula", "fixed", ""),
        ("simple_random", "watched", "approximate"),
        ("simple_random", "fixed", "approximate"),
        pytest.param("recalibrated_neyman", "watched", "approximate", marks=pytest.mark.full),
    ],
)
def test_a_band_says_how_far_its_promise_is_proved(
    known: Known, design: str, promise: str, form: str
) -> None:
    plan = lc.Plan(design, "precision_curve", budget=200, promise=promise)
    if lc.DESIGNS[design].size_from_params:
        params = plan_of("paula").params if design == "paula" else LOGARITHMIC
        plan = lc.Plan(design, "precision_curve", params=params, promise=promise)
    engine = labelled(known.engine(plan, 5), known.truth)
    found, said = precision_curve(engine), f"95 % confidence, {form}, valid"
    assert found.form == found.to_dict()["form"] == form
    assert (said in found.sentence()) == bool(form)
    assert f"({form})" not in found.method, "the name of the method is as it was"


@pytest.mark.parametrize(
    "design", sampled(["simple_random", "recalibrated_neyman", "oversampling"], 2, seed=1)
)
@pytest.mark.parametrize("promise", ["fixed", "watched"])
def test_the_form_of_many_points_is_the_weakest_of_their_figures(
    known: Known, design: str, promise: str
) -> None:
    figures = ["precision", "recall", "f1", "accuracy", "specificity"]
    plan = lc.Plan(design, [*figures, "precision_curve"], budget=200, promise=promise)
    engine = labelled(known.engine(plan, 5), known.truth)
    found = results(engine)
    forms = {found[name].form for name in figures}
    assert found["precision_curve"].form == ("strict" if forms == {"strict"} else "approximate")


def estimated_at(engine: Engine, name: str, rank: int) -> tuple[float, float, float]:
    """Value, low and high of a reading from the parts of the strata above one rank and below it,
    each counted by itself; items without a verdict once for the worse and once for the better."""
    frame, labels, look = engine.frame, ranked(engine), look_at(engine)
    sure, doubtful = ~np.isnan(labels.verdict), np.isnan(labels.verdict)
    rates = [
        labels.verdict[sure & (labels.stratum == one)].mean()
        if (sure & (labels.stratum == one)).any()
        else labels.rates[one]
        for one in range(frame.n_strata)
    ]

    rank_of = engine.rank_of[np.arange(len(engine.population))]

    def figures(counted: np.ndarray, above: float, below: float) -> Figures:
        rows = []
        for stratum in range(frame.n_strata):
            for upper in (False, True):
                items = (frame.stratum == stratum) & ((rank_of <= rank) == upper)
                own = counted & (labels.stratum == stratum) & ((labels.rank <= rank) == upper)
                hits = labels.filled(above if upper else below)[own].sum()
                if items.any():
                    rows.append((items.sum(), own.sum(), hits, upper, stratum))
        size, labelled, hits, predicted, stratum = np.array(rows, dtype=float).T
        of = stratum.astype(int)
        cells = Cells(size, labelled, hits, predicted == 1, of)
        return engine.design.estimate([SCALARS[name]], cells, look, np.array(rates)[of])

    found = figures(sure, 0.0, 0.0)
    if not doubtful.any():
        return float(found.value[0]), float(found.low[0]), float(found.high[0])
    worst, best = figures(sure | doubtful, 0.0, 1.0), figures(sure | doubtful, 1.0, 0.0)
    low, high = min(found.low[0], worst.low[0]), max(found.high[0], best.high[0])
    return float(found.value[0]), float(low), float(high)


@pytest.mark.parametrize("design", ["recalibrated_neyman", "simple_random", "oversampling"])
@pytest.mark.parametrize(("promise", "unsure"), [("fixed", 0), ("watched", 9)])
def test_each_point_is_the_estimate_of_the_parts_above_and_below_its_rank(
    known: Known, design: str, promise: str, unsure: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All points are found together; the ends of an interval to within 1e-9 at each of its steps,
    of which there are four. The default has them about items like these."""
    monkeypatch.setattr(type(lc.DESIGNS[design]), "for_all_ranks", False)
    plan = lc.Plan(design, "precision_curve", budget=200, promise=promise)
    engine = known.engine(plan, 5)
    for index in range(1, 1 + (200 if unsure else 0)):
        engine.draw_next()
        if index % unsure == 1:
            engine.answer(index, Event(0, "unsure", "", "test"))
        else:
            said = engine.population.classes[known.truth[engine.asked[-1].position]]
            engine.answer(index, Event(0, "labelled", "", "test", label=said))
    labelled(engine, known.truth)
    ranks = np.array([1, 40, 333, N_ITEMS])
    curve = ranked_curve(engine, ranks)
    for name in ("precision", "recall"):
        one_by_one = np.array([estimated_at(engine, name, rank) for rank in ranks]).T
        np.testing.assert_allclose(np.array(curve.read(name)), one_by_one, rtol=0, atol=4e-9)


def test_a_strict_band_stays_strict_with_an_unsure_item(known: Known) -> None:
    """One of 200 answers counts both ways."""
    endless = {"interval": "sequence"}
    plan = lc.Plan("simple_random", "precision_curve", budget=200, params=endless)
    engine = known.engine(plan, 5)
    engine.draw_next()
    engine.answer(1, Event(0, "unsure", "", "test"))
    found = precision_curve(labelled(engine, known.truth))
    assert "strict, valid" in found.sentence()
    assert any("both ways" in one for one in found.assumptions)


OWN = ("average_precision", "area_under_roc")


@pytest.mark.parametrize("design", ["geometric_strata"])
def test_numbers_of_a_list_have_intervals_of_their_own(known: Known, design: str) -> None:
    """Those of the labels as strata, recomputed here; narrower than the extremes inside the
    band."""
    plan = plan_of(design)
    engine = labelled(known.engine(plan, 5), known.truth)
    whole = whole_curve(engine, ranked_curve(engine))
    rank = np.array([engine.rank_of[asked.position] for asked in engine.asked])
    strata = pieces(engine.frame.stratum[engine.rank_order], rank, rank_edges(N_ITEMS))
    along = known.truth[engine.rank_order].astype(float)
    sample = RankedSample.of(strata, rank, along[rank - 1])
    for name, formula in zip(OWN, (AVERAGE_PRECISION, AREA_UNDER_ROC), strict=True):
        new = results(engine)[name]
        expected = summary_interval(sample, formula, 0.95)
        assert (new.value, new.low, new.high) == pytest.approx(expected, abs=1e-9)
        assert new.form == "approximate" and new.method.startswith("empirical likelihood")
        assert new.state == "interval" and new.promise == "fixed" and new.labels_used == 200
        extremes = summary(engine, whole, name)
        assert new.half_width < extremes.half_width and extremes.method.startswith("extremes")
        assert any("large-sample approximation" in one for one in new.assumptions)


def test_where_not_every_stretch_is_sampled_the_extremes_are_told(known: Known) -> None:
    logarithmic = lc.Plan(
        "logarithmic_stratified", ASKED, promise="fixed", params={"epsilon": 0.3, "first_rank": 40}
    )
    for plan in (plan_of("paula"), logarithmic, plan_of("random_curve")):
        engine = labelled(known.engine(plan, 5), known.truth)
        assert results(engine)["average_precision"].method.startswith("extremes")


def test_before_its_size_a_fixed_number_is_a_guess(known: Known) -> None:
    engine = known.engine(plan_of(), 5)
    labelled_to(engine, known, 120)
    found = results(engine)["average_precision"]
    assert found.state == "provisional" and found.value is not None
    assert (found.low, found.high) == (0.0, 1.0)
    assert "it has no interval yet" in found.sentence()


def test_items_without_a_verdict_count_outwards(known: Known) -> None:
    """Five items called unsure: the interval holds those of a hit and of none for each of them."""
    engine = labelled(known.engine(plan_of(), 5), known.truth)
    plain = results(engine)
    chosen = [3, 50, 90, 150, 190]
    for index in chosen:
        engine.answer(index, Event(0, "undone", "", "test"))
        engine.answer(index, Event(0, "unsure", "", "test"))
    widened = results(engine)
    for verdict in (0, 1):
        other = labelled(known.engine(plan_of(), 5), known.truth)
        name = other.population.classes[verdict]
        for index in chosen:
            other.answer(index, Event(0, "undone", "", "test"))
            other.answer(index, Event(0, "labelled", "", "test", label=name))
        for key in OWN:
            inside = results(other)[key]
            assert widened[key].low <= inside.low + 1e-4
            assert inside.high <= widened[key].high + 1e-4
    assert all(plain[key].half_width < widened[key].half_width for key in OWN)


def watched_misses(known: Known, sessions: int = 80) -> dict[str, int]:
    """Sessions of 240 labels in which a number is wrong at one of the looks after every 15th."""
    plan = lc.Plan("geometric_strata", OWN, budget=240, promise="watched")
    wrong = dict.fromkeys(OWN, 0)
    for run in range(sessions):
        engine = known.engine(plan.with_seed(run_seed(77, run)), run_seed(77, run))
        real = truth_along(known, engine)
        truth = {"average_precision": average_precision(real)[0],
                 "area_under_roc": area_under_roc(real)[0]}  # fmt: skip
        missed: set[str] = set()
        for labels in label(engine, known.truth):
            if labels % 15 == 0 and labels >= 60:
                for name, one in results(engine).items():
                    if not one.low - 1e-9 <= truth[name] <= one.high + 1e-9:
                        missed.add(name)
        for name in missed:
            wrong[name] += 1
    return wrong


@pytest.mark.full
def test_watched_numbers_hold_at_every_look(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """80 sessions, 13 looks each: at most 5 % of the sessions wrong at any of them, and three
    binomial standard errors (9 sessions). The twin keeps the interval of a fixed size."""
    limit = 80 * 0.05 + 3 * np.sqrt(80 * 0.05 * 0.95)
    assert max(watched_misses(known).values()) <= limit
    monkeypatch.setattr(summaries, "_widening", lambda *_: 1.0)
    assert max(watched_misses(known).values()) > limit


def test_a_watched_number_moves_with_every_label(known: Known) -> None:
    """From the first label on, when nothing is known of the deepest stretch; at the
    planned size it is a fifth wider than the fixed one."""
    engine = known.engine(lc.Plan("geometric_strata", ASKED, budget=200, promise="watched"), 5)
    assert results(engine)["average_precision"].state == "nothing"
    widths = []
    for labels in label(engine, known.truth):
        one = results(engine)["average_precision"] if labels % 40 == 0 or labels == 1 else None
        if one is not None and one.value is None:
            assert one.missing == "some parts of the list have no label yet"
            assert (one.low, one.high) == (0, 1) and labels < 60
        elif one is not None:
            assert one.state == "interval" and one.promise == "watched"
            assert "valid at every look" in one.sentence() and one.labels_used == labels
            widths.append(2 * one.half_width)
    assert len(widths) >= 4 and widths[-1] < widths[0] / 2
    fixed = results(labelled(known.engine(plan_of(), 5), known.truth))["average_precision"]
    assert 1.1 < widths[-1] / (2 * fixed.half_width) < 1.4


@pytest.mark.parametrize(("horizon", "rests_on"), [(1, 60), (2, 100)])
def test_a_summary_rests_on_as_many_labels_as_its_plan_may_go_on_to(
    known: Known, monkeypatch: pytest.MonkeyPatch, horizon: int, rests_on: int
) -> None:
    """No method that may go on has a watched summary yet; its labels say one all the same."""
    name = "area_under_roc"
    monkeypatch.setattr(simple_random, "check_summaries", lambda *_: None)
    plan = lc.Plan("simple_random", name, budget=60, promise="watched", params={"horizon": horizon})
    engine = known.engine(plan, 4)
    for labels in label(engine, known.truth):
        if labels == 60:
            engine.extend(100)
    assert results(engine)[name].labels_used == rests_on


@pytest.mark.parametrize("promise", ["watched", "fixed"])
def test_a_curve_rests_on_the_labels_that_were_planned(known: Known, promise: str) -> None:
    """After an extension of the default method: the curve of the first stage, as its figures."""
    asked = ("accuracy", "precision_curve")
    plan = lc.Plan("recalibrated_neyman", asked, budget=60, promise=promise, seed=2)
    session = lc.Session(known.population, plan)
    found = []
    for further in (False, True):
        if further:
            session.extend(budget=75)
        answer_draws(session, known)
        found.append(session.results())
    assert session.labels == 75 and session.curve().labels == 60
    for key in asked:
        assert found[1][key].labels_used == 60
        np.testing.assert_array_equal(found[0][key].low, found[1][key].low)


AT_SIZE = ("recalibrated_neyman", "simple_random")


@pytest.mark.parametrize("design", AT_SIZE)
def test_numbers_of_a_list_by_methods_for_predictions(known: Known, design: str) -> None:
    """At the planned size, around their value; before it without an interval."""
    plan = lc.Plan(design, ["precision", *OWN], budget=200, seed=3)
    assert plan.promised == "fixed"
    engine = known.engine(plan, 3)
    for labels in label(engine, known.truth):
        if labels == 100:
            assert not any(results(engine)[name].has_interval for name in OWN)
    along = known.truth[engine.rank_order].astype(float)
    ranks, hits = np.arange(1, N_ITEMS + 1), np.cumsum(along)
    whole = Yields(N_ITEMS, ranks, hits, hits, hits)
    for name, formula in zip(OWN, (average_precision, area_under_roc), strict=True):
        one = results(engine)[name]
        assert one.value is not None and one.low < one.value < one.high
        assert one.low <= formula(whole)[0] <= one.high and one.form == "approximate"


@pytest.mark.parametrize("design", AT_SIZE)
def test_numbers_of_a_list_are_not_watched_by_them(known: Known, design: str) -> None:
    said = "'average_precision' by this method, measured at the planned size only; use promise"
    with pytest.raises(PlanError, match=said):
        lc.Plan(design, ["precision", OWN[0]], budget=200, promise="watched")
    plan = lc.Plan(design, ["precision", OWN[0]], budget=200, target="process")
    with pytest.raises(PlanError, match="speaks of this file only"):
        lc.Session(known.population, plan)


def test_a_number_of_the_list_is_told_by_the_rule_of_its_curve(known: Known) -> None:
    engine, seen = known.engine(lc.Plan("geometric_strata", ASKED, budget=200), 5), set()
    for labels in label(engine, known.truth):
        if labels % 20 == 10:
            now = FiguresNow(engine)
            found, recorded = now.results()["average_precision"], now.look(labels)["results"]
            assert isinstance(found, Estimate)
            if not found.has_interval:
                continue
            assert (found.told is None) == (found.high - found.low > 0.6)
            withheld = recorded["average_precision"].get("tentative", False)
            assert withheld == (found.told is None)
            seen.add(found.told is None)
    assert seen == {True, False}
