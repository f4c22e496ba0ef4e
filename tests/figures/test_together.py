"""A confidence of all figures at once: which level each gets, and how often all of them hold."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import labelcore as lc
from benchmarks.sessions import Prepared, see
from labelcore.figures.from_counts import answers_of, same_cells
from labelcore.figures.scalars import scalar_results, scalar_results_of
from labelcore.figures.together import _shared_labels, confidences
from labelcore.log.engine import Engine
from labelcore.planning.forecast import preview
from labelcore.planning.outlook import Outlook
from labelcore.stats.max_t import all_right
from labelcore.testing.known import SCALARS, Known, calibrated, label
from tests.cases import once
from tests.designs.paired_files import paired as pair_of

TWO = ("a", "b")
BOTH = {"classifier": TWO, "estimands": ("accuracy", "precision", "recall")}
DESIGNS = ("recalibrated_neyman", "agreement_patterns")
known = once(calibrated, 1500, seed=6)
pair = once(pair_of, 1500, seed=5)


def plan_of(design: str = "recalibrated_neyman", labels: int = 120, **values: object) -> lc.Plan:
    given = {"estimands": SCALARS, "promise": "fixed", "budget": labels, **values}
    return lc.Plan(design, **given).with_planned(labels)  # type: ignore[arg-type]


def labelled(known: Known, plan: lc.Plan) -> Engine:
    engine = known.engine(plan, 3)
    for _ in label(engine, known.truth):
        pass
    return engine


def ends(engine: Engine) -> list[tuple[float, float]]:
    """Those of this look alone: others before it have levels of their own."""
    (found,) = scalar_results_of([engine], alone=True)
    return [(one.low, one.high) for one in found.values()]


def level(engine: Engine) -> float:
    groups = same_cells(engine.questions)
    return confidences([engine], groups, [answers_of([engine], one) for one in groups])[0]


@pytest.mark.parametrize("promise", ["fixed", "watched"])
@pytest.mark.parametrize("design", DESIGNS)
def test_each_has_the_interval_of_the_level_that_all_need(
    design: str, promise: str, pair: Known
) -> None:
    """Another plan with that confidence for each figure shows the same ends."""
    given = {"design": design, "promise": promise, **BOTH}
    engine = labelled(pair, plan_of(**given, together=True))
    sure = level(engine)
    assert 0.95 < sure < 1 - 0.05 / 6
    alone = labelled(pair, plan_of(**given, confidence=sure))
    np.testing.assert_allclose(ends(engine), ends(alone), atol=1e-9)
    assert {one.confidence for one in scalar_results(engine).values()} == {0.95}


def test_plain_samples_share_the_error_level(known: Known) -> None:
    engine = labelled(known, plan_of("simple_random", together=True))
    assert level(engine) == pytest.approx(0.9875, abs=1e-12)
    assert level(labelled(known, plan_of(together=True))) < 0.986
    assert level(labelled(known, plan_of())) == 0.95
    assert level(labelled(known, plan_of(estimands=["recall"], together=True))) == 0.95


def test_figures_that_are_exact_leave_the_others_their_level(known: Known) -> None:
    """Every item that is called positive has a label: precision has no variance."""
    plan = plan_of(estimands=["precision", "prevalence"], together=True, labels=1500)
    engine = known.engine(plan, 3)
    for given in label(engine, known.truth):
        if given == 1499:
            break
    assert level(engine) == pytest.approx(0.95, abs=1e-12)


def test_several_classes_and_crossing_strata_have_a_level(pair: Known, tmp_path: Path) -> None:
    """Beside the level of figures taken for unrelated, their correlation saves something."""
    engine = labelled(pair, plan_of(**BOTH, together=True))
    assert 0.9525 < level(engine) < 0.9916


class Codes(np.ndarray):
    """Classes of all items, and in ``labelled`` which of them have a label."""


def test_labels_that_two_divisions_share_are_counted_one_by_one() -> None:
    """Items that one of them leaves out count in neither."""
    random = np.random.default_rng(7)
    cells, counted = random.integers(-1, 4, (2, 80)), random.integers(0, 3, (2, 4))
    codes = random.integers(0, 3, 80).view(Codes)
    codes.labelled = random.permutation(80)[:50]
    sides = [(SimpleNamespace(cells_at=of.__getitem__), mine)
             for of, mine in zip(cells, counted, strict=True)]  # fmt: skip
    found = _shared_labels(SimpleNamespace(codes=codes), *sides)  # type: ignore[arg-type]
    expected: dict[tuple[int, int], list[int]] = {}
    for item in codes.labelled:
        if min(pair := tuple(cells[:, item].tolist())) >= 0:
            right = [codes[item] == counted[n, pair[n]] for n in (0, 1)]
            before = expected.get(pair, [0, 0, 0])
            expected[pair] = [a + int(b) for a, b in zip(before, (1, *right), strict=True)]
    told = np.vstack([found.first, found.second, found.labelled, found.positive]).T.astype(int)
    assert {(a, b): sums for a, b, *sums in told.tolist()} == expected


def test_a_copy_of_a_classifier_costs_next_to_nothing(pair: Known) -> None:
    """Its figures go along with those of the first, though its cells are told apart."""
    twice = lc.read_population(
        pair.population.path, id="id", content="text", scores=dict.fromkeys(TWO, "score_a"),
        predictions=dict.fromkeys(TWO, "said_a"),
    )  # fmt: skip
    engine = labelled(Known(twice, pair.truth), plan_of(**BOTH, together=True))
    groups = same_cells(engine.questions)
    answers = [answers_of([engine], one) for one in groups]
    first = [place for place, one in enumerate(groups) if one[0].classifier == "a"]
    (one,) = confidences([engine], [groups[n] for n in first], [answers[n] for n in first])
    assert 0.975 < one < level(engine) < one + 0.001


def any_wrong(known: Known, plan: lc.Plan, looks: list[int], runs: int) -> float:
    """Of so many sessions with the draws of seed 5, how many are wrong at any of these looks."""
    prepared = Prepared(known.population, plan, known.truth)
    random = np.random.default_rng([5, 0])
    shown = see([prepared.session(random) for _ in range(runs)], looks)
    truth = np.array([*prepared.truth().values()])
    return float(
        (shown.interval & ((shown.low > truth + 1e-9) | (shown.high < truth - 1e-9)))
        .any(axis=(1, 2))
        .mean()
    )


def limit(runs: int) -> float:
    return float(0.05 + 3 * np.sqrt(0.05 * 0.95 / runs))


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize(
    ("promise", "looks", "runs"),
    [("fixed", [120], 400), ("watched", [40, 80, 120], 100), ("watched", [*range(6, 121, 6)], 400)],
    ids=["fixed", "watched at three looks", "watched"],
)
def test_all_figures_of_two_classifiers_hold_at_once_and_each_on_its_own_not(
    promise: str, looks: list[int], runs: int, pair: Known
) -> None:
    """Six figures, wrong at any look in at most the error level. Limit: three standard errors of
    so many sessions."""
    given = {"design": "agreement_patterns", "promise": promise, **BOTH}
    assert any_wrong(pair, plan_of(**given, together=True), looks, runs) <= limit(runs)
    assert any_wrong(pair, plan_of(**given), looks, runs) > limit(runs)


@pytest.mark.parametrize("promise", ["fixed", "watched"])
@pytest.mark.parametrize("design", DESIGNS)
def test_the_forecast_is_as_wide_as_the_level_makes_it(
    design: str, promise: str, pair: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wider than each on its own, narrower than if they shared the error level."""
    plan = plan_of(design, promise=promise, **BOTH)
    each = preview(pair.population, plan).expected_half_width
    every = preview(pair.population, replace(plan, together=True)).expected_half_width
    with monkeypatch.context() as patch:
        patch.setattr(lc.Plan, "correlated", False)
        shared = preview(pair.population, replace(plan, together=True)).expected_half_width
    for key in each:
        assert each[key] < every[key] < shared[key]
    said = Outlook(pair.population, plan).at_once(120)
    assert said is not None and said.numbers == 6
    wider = np.mean([every[key] / each[key] for key in each])
    assert said.wider == pytest.approx(float(wider), rel=0.1)


def test_what_each_gives_is_read_off_the_correlation(known: Known, pair: Known) -> None:
    """Six figures are right at once less often than four, and the same one twice as often as once;
    one alone is no question."""
    four = Outlook(known.population, plan_of()).at_once(300)
    six = Outlook(pair.population, plan_of(**BOTH)).at_once(300)
    one = Outlook(known.population, plan_of(estimands=["recall"])).at_once(300)
    assert four is not None and six is not None and one is None
    assert float(all_right(np.eye(4), 0.95)) < four.right < 0.93
    assert float(all_right(np.eye(6), 0.95)) < six.right < four.right
    plain = Outlook(known.population, plan_of("simple_random")).at_once(300)
    assert plain is not None and plain.wider == pytest.approx(1.2743, abs=1e-4)
    same = plan_of("simple_random", classifier=TWO, estimands=["prevalence"])
    one_twice = Outlook(pair.population, same).at_once(300)
    assert one_twice is not None and one_twice.right == pytest.approx(0.95, abs=0.004)
