"""Every trial of the table, from its file to the reveal."""

import json
from pathlib import Path
from zlib import crc32

import numpy as np
import pytest

import labelcore as lc
from labelcore.trials.base import Trial
from labelcore.trials.judged import JUDGED, PROMPT
from labelcore.trials.reveal import reveal
from labelcore.trials.table import TRIALS
from tests.answering import answer_draws, next_draw
from tests.cases import sampled

FIRST_FIGURE_BY = 45


@pytest.fixture(scope="module", params=list(TRIALS))
def trial(request: pytest.FixtureRequest) -> Trial:
    return TRIALS[request.param]


@pytest.fixture(scope="module")
def population(trial: Trial, tmp_path_factory: pytest.TempPathFactory) -> lc.Population:
    path = trial.write(tmp_path_factory.mktemp(trial.name))
    return lc.read_population(path, **trial.read_arguments)


def labelled(population: lc.Population, trial: Trial, seed: int = 0) -> lc.Session:
    """A session answered with the known truth until nothing more is asked."""
    session = lc.Session(population, trial.plan.with_seed(seed))
    truth = dict(zip(population.ids(), population.column(trial.truth_column), strict=True))
    answer_draws(session, lambda draw: truth[draw.item_id])
    return session


def test_names_and_words(trial: Trial) -> None:
    assert TRIALS[trial.name] is trial
    for text in (trial.label, trial.question, trial.positive_words, trial.negative_words):
        assert text and "\n" not in text
    assert trial.question.endswith("?") and trial.instructions


@pytest.mark.parametrize(
    ("trial", "columns", "held"),
    [
        ("digits", [], 2355700841),
        ("messages", ["text"], 2597169875),
        ("judged", [*JUDGED.read_arguments["content"], *JUDGED.hidden, PROMPT], 3296867960),
    ],
    indirect=["trial"],
    scope="module",
)
def test_file_and_plan_are_those_measured(
    trial: Trial, columns: list[str], held: int, population: lc.Population
) -> None:
    """All but the scores and pictures, which are made with other packages."""
    made = [population.column(name) for name in ("id", trial.truth_column, *columns)]
    words = json.dumps([list(map(str, one)) for one in made])
    plan = trial.plan.budget, trial.plan.estimands, dict(trial.plan.params), trial.seconds
    assert crc32(f"{words} {plan}".encode()) == held


def test_the_truth_is_in_the_file_and_nowhere_on_the_screen(
    trial: Trial, population: lc.Population
) -> None:
    columns = json.dumps(dict(population.arguments))
    assert trial.truth_column not in columns
    assert trial.truth_column not in population.content_columns + population.metadata_columns
    assert set(population.column(trial.truth_column)) == {"0", "1"}
    session = lc.Session(population, trial.plan)
    draw = next_draw(session)
    item = session.item(draw)
    assert set(item) == set(trial.read_arguments["content"])
    assert not {name for name in item if name.startswith(("score", "pred", "true", "digit"))}


def test_the_plan_gives_a_watched_figure_soon(trial: Trial, population: lc.Population) -> None:
    plan = trial.plan
    assert plan.design == "recalibrated_neyman" and plan.promise == "watched"
    assert plan.budget is not None and 30 <= plan.budget <= 50
    session = lc.Session(population, plan)
    truth = dict(zip(population.ids(), population.column(trial.truth_column), strict=True))
    primary = plan.estimands[0]
    while not getattr(session.results()[primary], "has_interval", False):
        draw = session.next()
        assert draw is not None and session.labels < FIRST_FIGURE_BY
        session.answer(draw, truth[draw.item_id])


@pytest.mark.full
def test_a_session_with_the_known_truth_ends_and_reveals(
    trial: Trial, population: lc.Population
) -> None:
    session = labelled(population, trial)
    assert session.status == "budget used" and session.labels == trial.plan.budget
    session.finish()
    rows = reveal(session, trial)
    assert [row.key for row in rows] == list(session.results())
    truth = np.array(population.column(trial.truth_column)) == "1"
    first = population.predictions[population.classifiers[0]] == (
        population.classes.index(population.positive)
    )
    by_key = {row.key: row for row in rows}
    assert by_key["accuracy"].truth == pytest.approx((truth == first).mean(), abs=1e-12)
    second = {"precision": truth[first].mean(), "prevalence": truth.mean()}
    for name in {*trial.plan.estimands} - {"accuracy"}:
        assert by_key[name].truth == pytest.approx(second[name], abs=1e-12)
    assert all(row.differing == 0 for row in rows)
    for row in rows:
        verdict = "19 of 20 sessions" if row.inside else "1 of 20 sessions"
        assert verdict in row.sentence()


@pytest.mark.full
@pytest.mark.slow
@pytest.mark.parametrize("trial", sampled(TRIALS, 1, seed=1), indirect=True, scope="module")
def test_the_promise_on_the_reveal_holds(trial: Trial, population: lc.Population) -> None:
    """Coverage is 19 of 20 or more, within the noise of 60 runs (three standard errors)."""
    simulation = lc.simulate(
        population, trial.plan, truth=trial.truth_column, runs=60, seed=5
    ).summary()
    limit = 0.95 - 3 * np.sqrt(0.95 * 0.05 / 60)
    names = list(trial.plan.estimands)
    assert (simulation.loc[names, "coverage"] >= limit).all()
    assert (simulation.loc[names, "no_value"] == 0).all()


@pytest.mark.parametrize("trial", TRIALS, indirect=True, scope="module")
def test_wrong_answers_are_found_out(trial: Trial, population: lc.Population) -> None:
    session = lc.Session(population, trial.plan)
    truth = dict(zip(population.ids(), population.column(trial.truth_column), strict=True))
    answer_draws(session, lambda draw: truth[draw.item_id] == "0")
    rows = reveal(session, trial)
    assert not any(row.inside for row in rows if row.key == "accuracy")
    assert all(row.differing == trial.plan.budget for row in rows)


@pytest.mark.parametrize("trial", TRIALS, indirect=True, scope="module")
def test_a_project_goes_on_after_the_trial_is_written_again(trial: Trial, tmp_path: Path) -> None:
    store = f"sqlite:///{tmp_path}/labels.db"
    path = trial.write(tmp_path)
    session = lc.Session(lc.read_population(path, **trial.read_arguments), trial.plan, store, "p")
    answer_draws(session, "no", 1)
    trial.write(tmp_path)
    again = lc.Session.open(store, "p")
    assert again.labels == 1
    draw = session.next()
    assert draw is not None and session.item(draw) == again.item(draw)
