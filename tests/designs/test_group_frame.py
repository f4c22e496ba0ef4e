"""Groups with labels of their own: strata within them, equal labels, and the figures of all."""

import numpy as np
import pandas as pd
import pytest

import labelcore as lc
from labelcore.designs.group_frame import WIDER, capped
from labelcore.errors import PlanError, Remedy
from labelcore.log.engine import Engine
from labelcore.planning.forecast import kept_plan
from labelcore.words.arguments import refusal_words
from tests.answering import answer_draws
from tests.columns import items
from tests.grouped import grouped, grouped_frame, label_all

ASKED = ("accuracy", "precision", "recall")


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return grouped_frame()


@pytest.fixture(scope="module")
def population(frame: pd.DataFrame) -> lc.Population:
    return grouped(frame)


def plan_of(**values: object) -> lc.Plan:
    given = {"estimands": ASKED, "classifier": "m", "budget": 400, "promise": "fixed",
             "by": "language", "seed": 3, **values}  # fmt: skip
    return lc.Plan("recalibrated_neyman", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("classifier", ["m", ("m", "n")])
@pytest.mark.parametrize("helpers", [None, ("n",)])
def test_no_stratum_mixes_groups(
    population: lc.Population, classifier: object, helpers: object
) -> None:
    if classifier != "m" and helpers:
        pytest.skip("n is asked about")
    params = {} if helpers is None else {"helpers": helpers}
    plan = plan_of(classifier=classifier, params=params)
    engine = Engine(population, kept_plan(population, plan))
    groups = engine.setup.groups
    assert groups is not None and engine.frame.group is not None
    assert (engine.frame.group[engine.frame.stratum] == groups.codes).all()
    predicted = population.predictions["m"] == 1
    assert (engine.frame.predicted[engine.frame.stratum] == predicted).all()
    assert len(np.unique(engine.frame.stratum)) == engine.frame.n_strata
    edges = engine.design.edges(engine.setup)
    assert list(edges or ()) == ([*groups.names] if classifier == "m" else [])


def test_each_group_gets_as_many_labels_as_the_others_beside_the_share_of_all(
    population: lc.Population, frame: pd.DataFrame
) -> None:
    labels = {}
    for share in (0.0, 0.5, 1.0):
        session = lc.Session(population, plan_of(params={"group_share": share}))
        label_all(session, frame)
        labels[share] = np.array([
            session.estimate(f"accuracy[language=l{group}]").labels_used for group in range(8)
        ])  # fmt: skip
        assert labels[share].sum() == session.labels
    served = labels[0.0][:-1]  # The last has 40 items, and 50 labels would be its part.
    assert labels[0.0][-1] <= 40 and served.min() >= 0.8 * served.max()
    assert labels[1.0].max() > 4 * labels[1.0].min()
    assert labels[0.0].std() < labels[0.5].std() < labels[1.0].std()


def test_the_share_keeps_the_figures_of_all_as_narrow_as_promised(
    population: lc.Population,
) -> None:
    """Where the share and the numbers of strata are those that were chosen when it was measured."""
    for values, *wanted in (
        ({}, 0.55, 1, 3), ({"budget": 600}, 0.5, 2, 4), ({"estimands": ("accuracy",)}, 0.45, 1, 3)
    ):  # fmt: skip
        plan = kept_plan(population, plan_of(**values))
        assert [plan.params[name] for name in ("group_share", "n_above", "n_below")] == wanted
        assert len(plan.groups or ()) >= 6
    alone = lc.preview(population, plan_of(by=None)).expected_half_width
    with_groups = lc.preview(population, plan_of()).expected_half_width
    nothing = lc.preview(population, plan_of(params={"group_share": 0.0})).expected_half_width
    for name in ASKED:
        assert with_groups[name] <= 1.05 * WIDER * alone[name]
    assert max(nothing[name] / alone[name] for name in ASKED) > WIDER, "else nothing was chosen"


def test_a_margin_of_groups_is_met_by_the_size(population: lc.Population) -> None:
    margins = (0.15, 0.12)
    sizes = []
    for margin in margins:
        plan = plan_of(estimands=("accuracy",), budget=None, group_margin=margin, promise="watched")
        found = lc.preview(population, plan)
        of_groups = [
            width for key, width in found.expected_half_width.items() if "[language=" in key
        ]
        assert max(of_groups) <= margin + 1e-9
        sizes.append(found.planned)
    assert sizes[0] < sizes[1] < len(population)


def test_the_same_plan_draws_the_same_and_another_seed_other_items(
    population: lc.Population,
) -> None:
    def first(seed: int) -> list[str]:
        session = lc.Session(population, plan_of(seed=seed))
        found = []
        while len(found) < 40 and (draw := session.next()) is not None:
            session.answer(draw, len(found) % 3 == 0)
            found.append(draw.item_id)
        return found

    assert first(3) == first(3) != first(4)


def test_known_answers_are_cut_by_group_too(frame: pd.DataFrame) -> None:
    told = frame.assign(known=frame["truth"].map({0: "no", 1: "yes"}).where(frame.index < 60, ""))
    population = grouped(told, known="known", classes=["no", "yes"])
    session = lc.Session(population, plan_of(existing="certainty", budget=300))
    truth = dict(zip(frame["id"], frame["truth"] == 1, strict=True))
    answer_draws(session, lambda draw: bool(truth[draw.item_id]))
    of_groups = [one for key, one in session.results().items() if "[language=" in key]
    assert len(of_groups) >= 3 * 6 and all(one.low <= one.high for one in of_groups)  # type: ignore[union-attr]


def test_room_is_kept_within() -> None:
    assert capped(10, np.ones(2), np.array([2, 3])).tolist() == [2.0, 3.0]
    assert capped(9, np.array([2.0, 1.0]), np.array([50, 50])).tolist() == [6.0, 3.0]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"by": "score"}, "by names 'score', which is no column of groups; the columns that "
         "figures may be told by are language"),
        ({"by": ("a", "b", "c")}, "by must name one column, or two that are crossed, got a, b, c"),
        ({"groups": ["xx"]}, "groups names 'xx', which 'language' lacks"),
        ({"by": None, "groups": ["l1"]}, "groups needs by, the column whose groups it is about"),
        ({"by": None, "group_margin": 0.1}, "group_margin needs by, the column whose groups it is "
         "about"),
        ({"budget": 30}, "by names 'language', of which only 'l0' and all others as one can be "
         "asked: each group needs 50 items and 40 planned labels"),
    ],
)  # fmt: skip
def test_what_cannot_be_asked_is_refused_before_the_first_label(
    population: lc.Population, values: dict[str, object], message: str
) -> None:
    with pytest.raises(PlanError) as error:
        lc.Session(population, plan_of(**values))
    assert str(error.value).startswith(message)


def test_too_few_labels_for_two_groups_say_how_many_are_enough(population: lc.Population) -> None:
    with pytest.raises(PlanError) as error:
        lc.Session(population, plan_of(budget=30))
    assert refusal_words(error.value).startswith("Choice of groups names 'language', of which")
    (remedy,) = error.value.remedies
    assert remedy == Remedy("label 80 items", {"budget": 80})
    lc.Session(population, plan_of(**remedy.changes))


def test_groups_that_no_number_of_labels_tells_apart_offer_none() -> None:
    spoken = {"language": ["en"] * 80 + ["de"] * 40 + ["fr"] * 40}
    few = items(scores={"m": [0.5] * 160}, thresholds={"m": 0.4}, groups=spoken)
    with pytest.raises(PlanError, match="of which only 'en' and all others as one") as error:
        lc.Session(few, plan_of(budget=80))
    assert not error.value.remedies


def test_a_method_that_does_not_draw_by_group_says_so() -> None:
    with pytest.raises(
        PlanError, match="which design 'simple_random' does not; recalibrated_neyman"
    ):
        lc.Plan("simple_random", "accuracy", budget=100, by="language")
