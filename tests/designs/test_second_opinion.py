"""The helper ``content``: what a model says that learned the predictions from the items."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.designs.helpers import columns
from labelcore.errors import PlanError
from labelcore.log.engine import Engine
from labelcore.plan.against_file import frozen
from labelcore.population import Population
from labelcore.population import second_opinion as module
from labelcore.population.second_opinion import second_opinion
from labelcore.report import bundle_zip
from labelcore.words.recuts import LEARNED
from tests.answering import answer_draws
from tests.columns import items

N = 600
TOPICS = ("the engine of a car needs oil", "the doctor gave her a pill")
NAMED = {"helpers": ["content"]}


def truth_of(seed: int = 3) -> np.ndarray:
    return (np.random.default_rng(seed).random(N) < 0.3).astype(int)


def file_of(text: Any = None) -> Population:
    """Texts about two topics; the classifier is wrong on a sixth of them, whatever they say."""
    random, truth = np.random.default_rng(4), truth_of()
    said = np.where(random.random(N) < 1 / 6, 1 - truth, truth)
    text = [f"{TOPICS[t]} w{random.integers(50)}" for t in truth] if text is None else text
    return items(text=text, predictions={"lr": said})


def plan_of(**changes: Any) -> lc.Plan:
    given = {"budget": 120, "params": NAMED, **changes}
    return lc.Plan("recalibrated_neyman", ["accuracy", "precision"], **given)


def test_it_contradicts_the_classifier_where_that_is_wrong() -> None:
    population, truth = file_of(), truth_of()
    opinion = second_opinion(population, "lr")
    wrong = population.predictions["lr"] != truth
    assert ((opinion.score > 0) == truth)[wrong].mean() > 0.9
    assert second_opinion(file_of(), "lr").hash == opinion.hash
    assert second_opinion(population, "lr") is opinion


def test_a_plan_names_it_like_any_other_helper_and_saves_labels() -> None:
    population = file_of()
    bare = lc.preview(population, plan_of(params={}))
    assert bare.derived["helpers"] == [] and not population.opinions
    ahead = lc.preview(population, plan_of())
    assert ahead.derived["helpers"] == ["content"]
    assert "Items are chosen with the help of 'content'" in " ".join(ahead.derived["notes"])
    kept = frozen(population, plan_of(), 120)
    assert kept.params["content"] == second_opinion(population, "lr").hash
    # A plan that names nothing does not hang on what somebody else had made.
    assert "helpers" not in frozen(population, plan_of(params={}), 120).params


def test_it_lies_in_the_snapshot_and_a_bundle_replays_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    population, truth = file_of(), truth_of()
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    session = lc.Session(population, plan_of(budget=40), store, "p")
    answer_draws(session, lambda draw: bool(truth[population.position(draw.item_id)]))
    (tmp_path / "bundle.zip").write_bytes(bundle_zip(session))
    found = lc.replay_bundle(tmp_path / "bundle.zip", session.population.path)
    assert found.answers == 40 and LEARNED[True] in found.stages
    monkeypatch.setattr(module, "_made", lambda *_: pytest.fail("it is made again"))
    again = lc.Session.open(store, "p")
    assert again.results() == session.results()
    assert again.population.opinions["lr"].hash == session.plan.params["content"]


def test_another_outcome_than_that_of_the_plan_is_refused() -> None:
    population = file_of()
    kept = frozen(population, plan_of(), 120)
    other = replace(kept, params={**kept.params, "content": "0" * 64})
    with pytest.raises(PlanError, match="is 000000000000, and here it came out as"):
        Engine(population, other)


def test_several_classes_a_part_and_a_column_of_that_name() -> None:
    population = file_of()
    score = second_opinion(population, "lr").score
    part = population.part(np.array([5, 2]))
    np.testing.assert_array_equal(part.opinions["lr"].score, score[[5, 2]])
    several = items(predictions={"lr": ["a", "b", "c"] * (N // 3)})
    plan = lc.Plan("recalibrated_neyman", "accuracy", budget=60, params=NAMED)
    ahead = lc.preview(several, plan)
    assert "content is learned with two classes only" in " ".join(ahead.derived["notes"])
    own = items(predictions={"lr": np.arange(N) % 2}, helpers={"content": np.arange(N) % 3})
    assert lc.preview(own, plan_of()).derived["helpers"] == ["content"] and not own.opinions


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ([" "] * N, "'text' is empty"),
        (["hello you"] * N, "'text' says the same of every item"),
        ([f"user{i}" for i in range(N)], "'text' names nearly every item differently"),
        (["[1, 2]", "[1]"] * (N // 2), "'text' has embeddings of 1 to 2 numbers, not of one"),
    ],
)
def test_content_that_says_nothing_is_named_and_the_plan_goes_on(text: list[str], why: str) -> None:
    ahead = lc.preview(file_of(text), plan_of())
    assert ahead.derived["helpers"] == [] and ahead.labels == 120
    assert f"'content' does not help to choose: {why}" in " ".join(ahead.derived["notes"])
    at_half = lc.preview(file_of(text), plan_of(params={"recut": "once"}))
    assert f"Nothing is learned at half: {why}" in " ".join(at_half.derived["notes"])


def test_beside_a_verdict_it_is_left_out_and_told() -> None:
    """There it took up to 3.5 times the labels (docs/content.md)."""
    truth = truth_of()
    text = [f"{TOPICS[t]} w{i % 40}" for i, t in enumerate(truth)]
    said = (truth != (np.arange(N) % 6 == 0)).astype(int)
    population = items(text=text, predictions={"lr": said}, helpers={"judge": truth})
    ahead = lc.preview(population, plan_of(params={"helpers": ["judge", "content"]}))
    assert ahead.derived["helpers"] == ["judge"]
    assert "it costs labels" in " ".join(ahead.derived["notes"])


@pytest.mark.parametrize("kind", ["words", "numbers"])
def test_a_column_that_holds_the_answers_is_left_out_and_told(kind: str) -> None:
    truth, random = truth_of(), np.random.default_rng(4)
    said = np.where(random.random(N) < 1 / 6, 1 - truth, truth)
    coded = [
        ["off", "on"][t] if kind == "words" else f"{t + random.random() / 2:.3f}" for t in truth
    ]
    rows = [
        {"text": f"{TOPICS[t]} w{i % 40}", "mark": coded[i], "said": int(said[i]),
         "before": int(t) if i < 80 else None}
        for i, t in enumerate(truth)
    ]  # fmt: skip
    population = lc.read_population(
        rows, content=["text", "mark"], predictions={"lr": "said"}, known="before",
    )  # fmt: skip
    opinion = second_opinion(population, "lr")
    assert opinion.columns == ("text",)
    assert "'mark' says what all 80 known answers say and is left out" in opinion.notes[0]


def test_each_column_has_one_row_that_says_whether_it_is_used() -> None:
    population = file_of()
    setup = Engine(population, frozen(population, plan_of(), 120)).setup
    (row,) = columns(setup)
    assert row.name == "content" and row.said is not None and not row.why
