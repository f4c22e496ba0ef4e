"""Helpers in the default method: which are used, what they change, and that the truth stays put."""

import json
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.helpers import HelpedFrame, Said, _of_score
from labelcore.errors import ParameterError
from labelcore.figures.scalars import scalar_results, scalar_results_of
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.planning.runs import beginning
from labelcore.testing.known import SCALARS as FOUR
from labelcore.testing.known import Known, fewest, labelled
from tests.answering import many_labelled
from tests.cases import repeated
from tests.columns import items

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

NEYMAN = "recalibrated_neyman"
N = 2000


def file_of(n_items: int = N, seed: int = 8, **columns: Any) -> Known:
    """A file with a middling classifier "own"; ``columns`` are made from the truth and a random
    generator, or given; those called helper_... are its helpers."""
    random = np.random.default_rng(seed)
    score = np.round(random.beta(0.6, 1.4, n_items), 6)
    truth = (random.random(n_items) < score).astype(int)
    shown = np.round(np.clip(score + random.normal(0, 0.25, n_items), 0.001, 0.999), 6)
    helpers = {
        name: made(truth, random) if callable(made) else made for name, made in columns.items()
    }
    return Known(items(scores={"own": shown}, thresholds={"own": 0.5}, helpers=helpers), truth)


def right_in(share: float) -> Any:
    def made(truth: np.ndarray, random: np.random.Generator) -> np.ndarray:
        said = np.where(random.random(len(truth)) < share, truth, 1 - truth)
        return np.where(said == 1, "pass", "fail")

    return made


def kept(known: Known, **given: Any) -> lc.Plan:
    """The plan as a session keeps it."""
    plan = lc.Plan(NEYMAN, FOUR, **{"budget": 200, "promise": "fixed", **given})
    return frozen(known.population, plan, 200)


def notes(known: Known, **given: Any) -> str:
    plan = lc.Plan(NEYMAN, FOUR, **{"budget": 200, "promise": "fixed", **given})
    return " ".join(lc.preview(known.population, plan).derived["notes"])


@pytest.fixture(scope="module")
def judged() -> Known:
    return file_of(judge=right_in(0.95), noise=lambda t, r: r.normal(size=len(t)).round(3))


def test_a_new_plan_uses_all_that_say_something_and_keeps_their_names(judged: Known) -> None:
    plan = kept(judged)
    assert plan.params["helpers"] == ("judge", "noise")
    assert (plan.params["n_above"], plan.params["n_below"]) == (3, 6)
    assert lc.Plan.from_json(plan.to_json()) == plan
    assert json.loads(plan.to_json())["params"]["helpers"] == ["judge", "noise"]
    again = frozen(judged.population, plan, 200)
    assert again.params == plan.params
    assert lc.preview(judged.population, lc.Plan(NEYMAN, FOUR, budget=200)).derived["helpers"] == [
        "judge",
        "noise",
    ]
    assert "moves labels, not the result" in notes(judged)


def test_a_frozen_plan_without_them_draws_as_a_file_without_helpers(judged: Known) -> None:
    plain = file_of(judge="x", noise="x")
    params = {"n_above": 6, "n_below": 12}
    old = lc.Plan(NEYMAN, FOUR, budget=200, promise="fixed", params=params).with_planned(200)
    none = kept(judged, params={**params, "helpers": []})
    assert "helpers" not in old.params
    drawn = [
        [a.position for a in labelled(file.engine(plan, 3), judged.truth).asked]
        for file, plan in (
            (judged, old),
            (judged, none),
            (plain, old),
            (plain, kept(plain, params=params)),
        )
    ]
    assert drawn[0] == drawn[1] == drawn[2] == drawn[3]
    used = [a.position for a in labelled(judged.engine(kept(judged), 3), judged.truth).asked]
    assert used != drawn[0]


def test_strata_mix_neither_predictions_nor_verdicts(judged: Known) -> None:
    frame = judged.engine(kept(judged, params={"helpers": ["judge"]}), 1).frame
    said = judged.population.predictions["own"] == 1
    assert np.array_equal(frame.predicted[frame.stratum], said)
    assert 18 <= frame.n_strata <= 27 and frame.sizes.sum() == N
    helper = judged.population.helpers["judge"]
    assert helper.verdict is not None
    kinds = [len(set(helper.verdict[frame.stratum == k])) for k in range(frame.n_strata)]
    assert max(kinds) == 1
    assert frame.evidence is not None and np.ptp(frame.evidence) > 0.5


@pytest.mark.parametrize(
    ("column", "why"),
    [
        ("same", "says the same of every item"),
        ("", "says the same of every item"),
        (lambda t, r: [f"v{i % 1000}" for i in range(N)], "holds 1,000 different texts"),
    ],
)
def test_a_helper_that_cannot_help_is_told_and_not_used(column: Any, why: str) -> None:
    known = file_of(odd=column)
    assert "helpers" not in kept(known).params
    assert why in notes(known) and why in notes(known, params={"helpers": ["odd"]})
    named = kept(known, params={"helpers": ["odd"]})
    first, second = (labelled(known.engine(p, 1), known.truth) for p in (named, kept(known)))
    assert [a.position for a in first.asked] == [a.position for a in second.asked]


def test_a_helper_equal_to_the_prediction_is_not_used(judged: Known) -> None:
    said = judged.population.predictions["own"]
    known = file_of(copy=[str(one) for one in said])
    assert "helpers" not in kept(known).params
    assert "it says what 'own' says" in notes(known)


def test_a_helper_in_the_same_order_is_not_chosen_but_may_be_named(judged: Known) -> None:
    score = judged.population.scores["own"]
    known = file_of(twin=(100 * score + 3).tolist())
    assert "helpers" not in kept(known).params
    assert "nearly the same order as by 'own'" in notes(known)
    assert kept(known, params={"helpers": ["twin"]}).params["helpers"] == ("twin",)


def test_a_helper_called_like_the_answer_is_told() -> None:
    known = file_of(true_label=lambda t, r: t)
    assert "'true_label' is named like the answer" in notes(known)
    assert kept(known).params["helpers"] == ("true_label",)


@pytest.mark.parametrize(
    ("answers", "wrong", "told"), [(60, 0, True), (60, 1, False), (6, 0, False)]
)
def test_a_helper_that_says_what_known_answers_say_is_told(
    answers: int, wrong: int, told: bool
) -> None:
    known = file_of(coding=lambda t, r: np.where(t == 1, "pass", "fail"))
    given = np.full(N, -1, dtype=np.int16)
    given[:answers] = known.truth[:answers]
    given[:wrong] = 1 - given[:wrong]
    known = Known(replace(known.population, known=given), known.truth)
    said = notes(known, existing="certainty")
    assert ("'coding' says what all 60 known answers say" in said) == told


def test_columns_that_cannot_help_change_nothing_beside_one_that_can() -> None:
    """Constant, empty, of 1,000 texts, equal to the prediction: the draws are those without."""
    alone = file_of(judge=right_in(0.95))
    copied = [str(one) for one in alone.population.predictions["own"]]
    odd = {"same": "x", "empty": "", "texts": [f"v{i % 1000}" for i in range(N)], "copy": copied}
    beside = file_of(judge=right_in(0.95), **odd)
    for design, params in ((NEYMAN, {}), ("simple_random", {"interval": "difference"})):
        plan = lc.Plan(design, ["accuracy"], budget=200, promise="fixed", params=params)
        found = []
        for one in (alone, beside):
            settled = frozen(one.population, plan, 200)
            assert settled.params["helpers"] == ("judge",)
            engine = labelled(one.engine(settled, 1), one.truth)
            found.append((scalar_results(engine)["accuracy"].value,
                          [answer.position for answer in engine.asked]))  # fmt: skip
        assert found[0] == found[1]


def test_an_unknown_helper_is_refused_by_name(judged: Known) -> None:
    with pytest.raises(ParameterError, match="names 'lr', which is no helper .* judge, noise"):
        notes(judged, params={"helpers": ["lr"]})


def test_claims_and_curves_have_none(judged: Known) -> None:
    claim = lc.Plan(NEYMAN, FOUR, claims=["precision >= 0.5"], budget=200)
    assert "helpers" not in frozen(judged.population, claim, 200).params
    curve = lc.Plan(NEYMAN, ["precision", "precision_curve"], budget=200)
    assert "helpers" not in frozen(judged.population, curve, 200).params


def of_several(**columns: list[str]) -> Known:
    """A file of the classes 1 to 4 with one classifier that is right in about .8 of 1,200 items,
    and these columns as helpers."""
    random = np.random.default_rng(5)
    truth, sure = random.integers(1, 5, 1200), random.beta(4, 1.2, 1200).round(3)
    said = np.where(random.random(1200) < sure, truth, truth % 4 + 1)
    right = np.where(random.random(1200) < 0.95, truth, (truth + 1) % 4 + 1)
    own = {"predictions": {"m": said}, "scores": {"m": sure}}
    return Known(items(**own, helpers={"judge": right, **columns}), truth - 1)


def test_with_several_classes_a_helper_says_which_calls_are_right() -> None:
    """The classes are called by numbers; a score and texts that name no class are told."""
    gaps = ["" if i % 3 else "2" for i in range(1200)]
    known = of_several(
        score=[f"{i % 7 / 7:.2f}" for i in range(1200)], odd=["good", "bad"] * 600,
        same=["1"] * 1200, gaps=gaps,
    )  # fmt: skip
    plan = frozen(known.population, lc.Plan(NEYMAN, ["accuracy"], budget=120, promise="fixed"), 120)
    assert plan.params["helpers"] == ("judge", "gaps")
    large, other = (1_700_000 + 10 * known.truth[::step] for step in (1, -1))
    named = items(predictions={"m": large}, helpers={"judge": other})
    previewed = lc.preview(named, lc.Plan(NEYMAN, ["accuracy"], budget=120))
    assert previewed.derived["helpers"] == ["judge"]
    said = " ".join(lc.preview(known.population, plan).derived["notes"])
    both = known.population.predictions["m"] == known.population.helpers["judge"].score - 1  # type: ignore[operator]
    assert f"'judge' says what 'm' says of {100 * both.mean():.0f} %" in said
    wide = lc.Plan(NEYMAN, ["accuracy"], budget=120)
    told = " ".join(lc.preview(known.population, wide).derived["notes"])
    for name, why in (("score", "names none of the 4 classes"), ("odd", "none of the 4"),
                      ("same", "says the same of every item")):  # fmt: skip
        assert (
            f"'{name}' does not help to choose: it {why}".replace("it none", "it names none")
            in told
        )
    frame = known.engine(replace(plan, params={**plan.params, "helpers": ("judge",)}), 1).frame
    codes = known.population.predictions["m"]
    assert all(len(np.unique(codes[frame.stratum == k])) == 1 for k in range(frame.n_strata))
    pure = [len(np.unique(both[frame.stratum == k])) == 1 for k in range(frame.n_strata)]
    assert np.mean(pure) > 0.8 and frame.evidence is not None
    right = np.bincount(frame.stratum, codes == known.truth) / frame.sizes
    assert np.corrcoef(frame.evidence, right)[0, 1] > 0.5


def test_a_helper_of_several_classes_saves_and_tells_it() -> None:
    """Labels to the same width of accuracy in 8 sessions; the twin is a column of chance."""
    random = np.random.default_rng(9)
    known = of_several(chance=[str(one) for one in random.integers(1, 5, 1200)])
    wide, told = {}, {}
    for names in ((), ("judge",), ("chance",)):
        plan = lc.Plan(NEYMAN, ["accuracy"], budget=120, promise="fixed", params={"helpers": names})
        settled = frozen(known.population, plan, 120)
        engines = many_labelled(known, settled, 8)
        engine = engines[-1]
        results = [one["accuracy"] for one in scalar_results_of(engines)]
        found = [one.high - one.low for one in results]
        saved = engine.design.saved(engine.setup, engine.frame, engine.progress)
        wide[names], told[names] = np.mean(found), saved.without["accuracy"] if saved else 0
    assert (wide["judge",] / wide[()]) ** 2 < 0.6 < 0.85 < (wide["chance",] / wide[()]) ** 2 < 1.2
    assert told[()] == 0 and told["judge",] > 160 > 140 > told["chance",]
    aim = lc.Plan(NEYMAN, ["accuracy"], budget=120, params={"helpers": ["judge"]})
    ahead = lc.preview(known.population, aim).derived["expected_saving"]
    assert ahead.helper == "judge" and 0.3 < ahead.saved < 0.8


def test_a_plain_sample_of_several_classes_uses_none() -> None:
    known = of_several()
    plan = lc.Plan("simple_random", ["accuracy"], budget=40, params={"interval": "difference"})
    assert "helpers" not in frozen(known.population, plan, 40).params


@pytest.mark.parametrize(("target", "budget", "used"), [
    ("process", 101, False), ("process", 100, True), ("file", 101, True),
])  # fmt: skip
def test_items_like_these_take_a_file_of_many_items(
    judged: Known, target: str, budget: int, used: bool
) -> None:
    plan = lc.Plan(NEYMAN, FOUR, budget=budget, promise="fixed", target=target)
    assert ("helpers" in frozen(judged.population, plan, budget).params) == used
    told = "it takes a file of 20 items for each label" in notes(
        judged, budget=budget, target=target
    )
    assert told != used
    named = lc.Plan(NEYMAN, FOUR, budget=budget, target=target, params={"helpers": ["judge"]})
    assert frozen(judged.population, named, budget).params["helpers"] == ("judge",)


def test_a_ranked_list_without_predictions_has_none() -> None:
    place = np.arange(300)
    ranked = items(scores={"a": place, "b": place % 7}, helpers={"h": place % 5})
    plan = lc.Plan(NEYMAN, "precision_curve", classifier="a", budget=100)
    assert "helpers" not in frozen(ranked, plan, 100).params
    assert "there are no predictions that it could contradict" in " ".join(
        lc.preview(ranked, plan).derived["notes"]
    )


def test_a_missing_value_is_a_value_of_its_own() -> None:
    """Left out at random or where the item is positive: the plan holds, and the second helps."""
    random = np.random.default_rng(1)
    known = file_of(
        rule=lambda t, r: np.where((t == 1) & (r.random(N) < 0.8), "hit", ""),
        stars=lambda t, r: np.where(random.random(N) < 0.3, "", (t + r.normal(size=N)).round(2)),
    )
    for names in (["rule"], ["stars"], ["rule", "stars"]):
        engine = known.engine(kept(known, params={"helpers": names}), 1)
        assert engine.frame.evidence is not None and np.isfinite(engine.frame.evidence).all()
    rule = known.engine(kept(known, params={"helpers": ["rule"]}), 1).frame
    truth = np.bincount(rule.stratum, known.truth) / rule.sizes
    assert np.corrcoef(rule.evidence, truth)[0, 1] > 0.5  # type: ignore[arg-type]
    stars = np.array([1.0, 2, 3, 4, np.nan, np.nan])
    said = _of_score(stars, np.array([False, False, True, True, True, True]))
    assert isinstance(said, Said) and np.isnan(said.vote[4:]).all()
    assert said.order[4:] == pytest.approx(said.order[2:4].mean()), "where its prediction is"


RUNS = repeated(200)


def sessions(known: Known, plan: lc.Plan) -> tuple[np.ndarray, np.ndarray]:
    """Whether each interval covers, and its width: (RUNS, 4) each."""
    found = lc.simulate(known.population, plan, truth=known.truth.tolist(), runs=RUNS, seed=1)
    table = found.table()
    inside, low, high = (
        table.pivot(index="run", columns="estimand", values=name)[[*FOUR]].to_numpy(float)
        for name in ("covered", "low", "high")
    )
    return inside, high - low


@pytest.mark.full
@pytest.mark.slow
def test_a_good_helper_saves_labels_and_intervals_still_cover(judged: Known) -> None:
    """The twin: the same verdict shuffled says nothing, and saves nothing."""
    plans = [kept(judged, params={"helpers": names}) for names in ([], ["judge"], ["noise"])]
    off, on, twin = (sessions(judged, plan) for plan in plans)
    for inside, _ in (off, on, twin):
        assert np.all(inside.mean(axis=0) >= fewest(RUNS, 0.93))
    labels = (on[1].mean(axis=0) / off[1].mean(axis=0)) ** 2
    useless = (twin[1].mean(axis=0) / off[1].mean(axis=0)) ** 2
    assert labels.mean() < 0.7 < 0.9 < useless.mean() < 1.1


def beside(engine: Engine, seed: int) -> tuple[HelpedFrame | None, HelpedFrame]:
    """The frame of another seed made from that of the engine, None where it cannot be, and as it
    is prepared."""
    design, setup = engine.design, replace(engine.setup, seed=seed)
    return design.redrawn(setup, engine.frame), design.prepare(setup)


def test_strata_that_ties_do_not_cut_are_made_once_for_all_seeds(judged: Known) -> None:
    engine = beginning(judged.population, kept(judged))
    for seed in (1, 2, 3):
        anew, whole = beside(engine, seed)
        assert anew is not None and anew.rates is engine.frame.rates
        for one in fields(whole):
            assert np.array_equal(getattr(anew, one.name), getattr(whole, one.name)), one.name


def test_strata_that_ties_cut_are_made_anew(judged: Known) -> None:
    """The twin: there the strata of two seeds are not the same."""
    scores = {"own": judged.population.scores["own"].round(1)}
    helpers = {"judge": judged.population.column("judge")}
    crowded = items(scores=scores, thresholds={"own": 0.5}, helpers=helpers)
    engine = beginning(crowded, kept(Known(crowded, judged.truth)))
    (anew, one), (_, other) = beside(engine, 1), beside(engine, 2)
    assert anew is None and one.evidence is not None
    assert not np.array_equal(one.stratum, other.stratum)
