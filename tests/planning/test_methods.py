"""Which method is proposed: by what each is expected to take or to give, never by an order."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.designs import DESIGNS
from labelcore.designs.samples import suggested_params
from labelcore.errors import PlanError
from labelcore.planning.methods import CLOSE, may_claim, outlook_of, possible, recommended
from labelcore.ui.draft import Aim
from tests.designs.recycled import written

ALL = ("vote", "a", "b", "c")
GOALS = ({"margin": 0.05}, {"budget": 300})


@pytest.fixture(scope="module")
def population(tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    return written(tmp_path_factory.mktemp("proposed"), 3_000, seed=2).population


def aim_of(estimands: tuple[str, ...], classifier: str | tuple[str, ...] | None) -> Aim:
    return Aim(estimands, classifier, "unknown", "file")


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    ("estimands", "classifier"),
    [
        (("precision",), ALL),
        (("precision",), ("a", "b")),
        (("precision", "precision_difference"), ("a", "b")),
    ],
)
def test_several_classifiers_are_one_design(
    population: lc.Population,
    estimands: tuple[str, ...],
    classifier: tuple[str, ...],
    goal: dict[str, float],
) -> None:
    """Where the forecast says so: precisions by far fewer labels than the default's, and fewer than
    by recycling."""
    aim = aim_of(estimands, classifier)
    assert recommended(aim, population, possible(aim), goal) == "agreement_patterns"
    if estimands != ("precision",):
        return
    plain, recycled, found = (
        outlook_of(aim, population, name, goal)
        for name in ("recalibrated_neyman", "recycling", "agreement_patterns")
    )
    if "margin" in goal:
        assert found.labels * 1.5 < plain.labels and found.labels < recycled.labels
    assert max(found.half_widths.values()) <= max(0.05, max(plain.half_widths.values()))


def test_one_classifier_is_no_agreement(population: lc.Population) -> None:
    for classifier in (None, "a", ("a",)):
        assert "agreement_patterns" not in possible(aim_of(("accuracy",), classifier))
    assert "agreement_patterns" in possible(aim_of(("accuracy",), ("a", "b")))


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize(
    ("estimands", "classifier"),
    [
        (("accuracy",), "a"),
        (("precision", "recall"), "a"),
        pytest.param(("accuracy", "precision", "recall"), ALL, marks=pytest.mark.full),
        (("precision",), ("a", "b")),
        (("prevalence",), "a"),
    ],
)
def test_nothing_takes_clearly_fewer_labels(
    population: lc.Population,
    estimands: tuple[str, ...],
    classifier: str | tuple[str, ...] | None,
    goal: dict[str, float],
) -> None:
    aim = aim_of(estimands, classifier)
    names = possible(aim)
    best = recommended(aim, population, names, goal)
    assert recommended(aim, population, names[::-1], goal) == best
    ahead = {name: outlook_of(aim, population, name, goal) for name in names}
    able = [one for one in ahead.values() if not one.refused]
    widest = {one.design: max(one.half_widths.values()) for one in able}
    if "margin" in goal:
        reached = [one for one in able if widest[one.design] <= goal["margin"] + 1e-9]
        assert ahead[best].labels <= CLOSE * min(one.labels for one in reached)
    else:
        assert widest[best] ** 2 <= CLOSE * 1.05 * min(widest.values()) ** 2


def test_a_ranked_list_and_a_file_without_a_classifier(
    population: lc.Population, tmp_path: Path
) -> None:
    aim = aim_of(("precision_curve",), "a")
    assert recommended(aim, population, possible(aim), {"budget": 400}) == "geometric_strata"
    bare = tmp_path / "bare.csv"
    bare.write_text("id,text\n" + "".join(f"{n},item {n}\n" for n in range(300)))
    nobody = lc.read_population(bare, id="id", content="text", classes=["no", "yes"])
    share = aim_of(("prevalence",), None)
    assert recommended(share, nobody, possible(share), {"budget": 100}) == "simple_random"


@pytest.mark.parametrize("estimands", [("accuracy",), ("precision", "recall"), ("prevalence",)])
def test_claims_are_proposed_only_for_methods_that_take_them(
    population: lc.Population, estimands: tuple[str, ...]
) -> None:
    """A file whose strata mix predictions can be watched for its accuracy and nothing else."""
    aim = aim_of(estimands, "a")
    taken = set()
    for name in possible(aim):
        params = suggested_params(DESIGNS[name], population, ("a",))
        terms = {"params": params, "promise": "watched", "claims": [f"{estimands[0]} >= 0.5"]}
        with suppress(PlanError):
            lc.Plan(name, estimands, classifier="a", stop="claims", **terms)
            taken.add(name)
    assert {name for name in possible(aim) if may_claim(aim, population, name)} == taken
    assert ("stratified" in taken) == (estimands == ("accuracy",))
