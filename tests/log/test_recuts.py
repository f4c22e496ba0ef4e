"""Strata cut once more at half of a session's labels: written, replayed, taken back, refused."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.special import expit

import labelcore as lc
from labelcore.designs.recut import content_of
from labelcore.errors import AnswerError, ParameterError, ReplayError
from labelcore.log import recuts
from labelcore.log.engine import Engine
from labelcore.log.kinds import check
from labelcore.planning.runs import label_all
from labelcore.population import content_features
from labelcore.replay.walk import Walk, replay_project
from labelcore.report.labelling_account import cut_words
from labelcore.ui.status import counts
from labelcore.words.recuts import REPLAYED, fewer_words
from tests.answering import answer_draws
from tests.cases import once
from tests.columns import items

ITEMS, BUDGET = 1500, 120
WORDS = tuple("abcdefghijkl")
ESTIMANDS = ("accuracy", "precision", "recall", "f1")


@pytest.fixture(scope="module")
def truth() -> np.ndarray:
    return _made()[1]


def _made() -> tuple[np.ndarray, ...]:
    """Whether each item has each word, its truth, which two words decide, and a weak score."""
    random = np.random.default_rng(3)
    words = random.random((ITEMS, len(WORDS))) < 0.4
    at = 5.0 * words[:, 0] + 5.0 * words[:, 1] - 5.5
    truth = (random.random(ITEMS) < expit(at)).astype(int)
    return words, truth, expit(0.3 * at + random.normal(size=ITEMS))


def file(*, says: bool = True) -> lc.Population:
    words, _, score = _made()
    if not says:
        words = words[np.random.default_rng(6).permutation(ITEMS)]
    text = [" ".join(["xx", *(2 * WORDS[k] for k in np.flatnonzero(one))]) for one in words]
    called = (score > 0.5).astype(int)
    return items(text=text, scores={"m": score.round(6)}, predictions={"m": called})


population = once(file)


def plan(**asked: Any) -> lc.Plan:
    given = {"budget": BUDGET, "promise": "watched", "params": {"recut": "once"}, **asked}
    return lc.Plan("recalibrated_neyman", ESTIMANDS, **given)


def until(session: lc.Session, truth: np.ndarray, labels: int = BUDGET) -> None:
    names = session.population.classes
    answer_draws(session, lambda draw: names[truth[int(draw.item_id[1:])]], until=labels)


def cuts(session: lc.Session) -> list[Any]:
    return [event for event in session.events if event.kind == "recut"]


def widths(session: lc.Session) -> np.ndarray:
    return np.array([[one.low, one.high] for one in session.results().values()])


def test_a_session_cuts_once_and_replays(
    population: lc.Population, truth: np.ndarray, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Opened again by another process that knows only the log, and drawn again from it."""
    store = f"sqlite:///{tmp_path / 'labels.db'}"
    session = lc.Session(population, plan(), store, "p")
    before, whole = None, session.engine.frame
    while (draw := session.next()) is not None:
        if cuts(session) and before is not None:
            assert (widths(session)[:, 0] >= before[:, 0] - 1e-12).all()
            assert (widths(session)[:, 1] <= before[:, 1] + 1e-12).all()
            before = None
        name = population.classes[truth[int(draw.item_id[1:])]]
        ahead = session.ahead(draw, [name])
        session.answer(draw, name)
        assert not (ahead and recuts.recut_due(session.engine)), "another item will follow"
        if not cuts(session) and session.labels >= BUDGET / 2:
            before = widths(session)
    (cut,) = cuts(session)
    assert BUDGET / 2 <= cut.detail["labels"] < 0.7 * BUDGET
    assert cut.detail["fewer"] == pytest.approx(21, abs=4)
    frame = session.engine.frame
    assert frame.n_strata > whole.n_strata
    for part in range(frame.n_strata):
        assert len(np.unique(whole.stratum[frame.stratum == part])) == 1, "nested"
    table = session.labels_table()
    own = table.groupby("stratum")["weight"].first()
    assert np.isclose((own * table.groupby("stratum").size()).sum(), ITEMS), "all labels count"
    found = replay_project(store, "p")
    assert found.draws == BUDGET and REPLAYED[True] in found.stages
    other = replace(content_of(population, "m"), hash="of another machine")
    with monkeypatch.context() as patch:
        patch.setattr(recuts, "content_of", lambda *_: other)
        assert REPLAYED[False] in replay_project(store, "p").stages
    monkeypatch.setattr(content_features, "_made", lambda *_: pytest.fail("it is made again"))
    opened = lc.Session.open(store, "p")
    assert np.array_equal(widths(opened), widths(session))
    assert opened.population.features.keys() == session.population.features.keys() != set()
    assert "once more, each in two" in cut_words(cut.detail)
    assert "once more" not in cut_words({"labels": 60})


def test_undo_and_revise_go_on_across_the_cut(population: lc.Population, truth: np.ndarray) -> None:
    session = lc.Session(population, plan())
    until(session, truth, 70)
    assert len(cuts(session)) == 1
    assert counts(session).known == fewer_words(cuts(session)[0].detail["fewer"], BUDGET) != ""
    first = session.events[0].item_id if session.events[0].item_id else session.events[1].item_id
    for _ in range(15):
        session.undo()
    session.revise(1, population.classes[1 - truth[int(first[1:])]], "again")
    widths(session)
    until(session, truth)
    assert len(cuts(session)) == 1
    walk = Walk(session.engine.beginning(), None)
    for event in session.events:
        walk.take(event)
    assert np.allclose(
        [[one.low, one.high] for one in walk.figures.results().values()], widths(session)
    )


def test_an_item_taken_back_at_the_cut_is_of_its_stratum_still(
    population: lc.Population, truth: np.ndarray
) -> None:
    session = lc.Session(population, plan(seed=1))
    while not recuts.recut_due(session.engine):
        draw = session.next()
        assert draw is not None
        session.answer(draw, population.classes[truth[int(draw.item_id[1:])]])
    session.drawing.cut_anew("another process")
    session.undo()
    again = session.next()
    assert again is not None and len(cuts(session)) == 1
    assert (again.index, again.stratum) == (draw.index, draw.stratum)
    assert session.engine.frame.stratum[int(again.item_id[1:])] != draw.stratum, (
        "it has another now"
    )


def test_a_cut_that_does_not_follow_is_refused(
    population: lc.Population, truth: np.ndarray
) -> None:
    session = lc.Session(population, plan())
    until(session, truth)
    (cut,) = cuts(session)
    walk = Walk(session.engine.beginning(), None)
    for event in session.events[: cut.sequence - 1]:
        walk.take(event)
    other = replace(cut, detail={**cut.detail, "penalty": 5.0})
    with pytest.raises(ReplayError, match="the cut does not follow: penalty is 5.0 in the log"):
        walk.take(other)
    for detail, why in (
        ({**cut.detail, "edges": [0.5]}, "it cuts other strata"),
        ({**cut.detail, "upper": "eJwDAAAAAAE="}, "it does not cut the 1,500 items of the file"),
    ):
        with pytest.raises(AnswerError, match=f"it cuts no strata: {why}"):
            check(walk.state, replace(cut, detail=detail))
    walk.take(cut)
    with pytest.raises(AnswerError, match="once, between batches from half way on"):
        check(walk.state, replace(cut, sequence=cut.sequence + 1))


def test_content_made_otherwise_leaves_the_cut_of_the_log(
    population: lc.Population, truth: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another machine may round the content otherwise: what was drawn then follows from the log."""
    session = lc.Session(population, plan())
    until(session, truth)
    content = recuts.content_of(population, "m")
    monkeypatch.setattr(recuts, "content_of", lambda *_: replace(content, hash="other"))
    walk = Walk(session.engine.beginning(), None)
    for event in session.events:
        walk.take(event)
    assert walk.state.engine.frame.n_strata == session.engine.frame.n_strata


def test_where_content_says_nothing_all_stays_as_it_was(truth: np.ndarray) -> None:
    """The event says so, and each item is the one that the default draws."""
    silent = file(says=False)
    session = lc.Session(silent, plan())
    until(session, truth)
    (cut,) = cuts(session)
    assert "upper" not in cut.detail
    assert cut.detail["gain"] <= 1
    assert counts(session).known == ""
    plain = lc.Session(silent, plan(params={}))
    until(plain, truth)
    assert not cuts(plain)
    drawn = [[event.item_id for event in one.events if event.kind == "drawn"]
             for one in (session, plain)]  # fmt: skip
    assert drawn[0] == drawn[1]


def test_it_is_left_out_where_many_are_not_sure(
    population: lc.Population, truth: np.ndarray
) -> None:
    session = lc.Session(population, plan())
    answer_draws(session, "unsure", 6)
    until(session, truth, 80)
    (cut,) = cuts(session)
    assert cut.detail["unsure"] == 6
    assert "upper" not in cut.detail


def test_a_second_opinion_goes_with_it(population: lc.Population, truth: np.ndarray) -> None:
    """Each part has both pieces of evidence, and a replay draws the same."""
    both = {"recut": "once", "helpers": ["content"]}
    session = lc.Session(population, plan(params=both, budget=200))
    until(session, truth, 120)
    frame = session.engine.frame
    assert frame.cut_at == cuts(session)[0].detail["labels"]
    assert frame.evidence.shape == (frame.n_strata, 2)
    walk = Walk(session.engine.beginning(), None)
    for event in session.events:
        walk.take(event)


def test_simulations_cut_too(population: lc.Population, truth: np.ndarray) -> None:
    """With content that decides: narrower in the mean of eight sessions each."""
    found = {}
    for cut in (True, False):
        asked = plan(promise="fixed", params={"recut": "once" if cut else "never"})
        table = lc.simulate(population, asked, truth=truth, runs=8, seed=2).table()
        found[cut] = (table["high"] - table["low"]).mean()
    assert found[True] < found[False]


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ({"margin": 0.05, "budget": None}, "plans that end at a margin"),
        ({"claims": ["precision >= 0.5"]}, "plans with claims"),
        ({"overlap": 0.1}, "where several people judge an item"),
        ({"target": "process"}, "a result about items like these"),
        ({"together": True}, "all figures at once"),
    ],
)
def test_what_was_not_measured_is_refused(
    population: lc.Population, asked: dict[str, Any], why: str
) -> None:
    with pytest.raises(ParameterError, match=f"was not measured (for|with)? ?{why}"):
        lc.preview(population, plan(**asked))


def test_curves_and_files_without_content_are_refused(population: lc.Population) -> None:
    with pytest.raises(ParameterError, match="single figures only, not for precision_curve"):
        lc.preview(population, replace(plan(promise=None), estimands=("precision_curve",)))


def test_engines_side_by_side_cut_each_for_itself(
    population: lc.Population, truth: np.ndarray
) -> None:
    """As sessions do one by one: the same strata from the same answers."""
    session = lc.Session(population, plan(promise="fixed"))
    until(session, truth)
    engine = Engine(population, session.plan)
    label_all([engine], truth)
    assert np.array_equal(engine.frame.stratum, session.engine.frame.stratum)
