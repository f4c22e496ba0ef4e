"""What errors have in common: a planted word is told, shuffled errors are not."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.stats import nchypergeom_fisher

import labelcore as lc
from labelcore.errors import AnswerError
from labelcore.figures.in_common import apart, features_of, having
from labelcore.results.in_common import Shared
from labelcore.stats import in_common as stats
from labelcore.stats.in_common import InCommon, in_common
from labelcore.words.in_common import having_words
from tests.answering import answer_draws
from tests.cases import repeated

TWINS, ITEMS, FEATURES = repeated(200), 120, 60
ALLOWED = 0.05 + 3 * np.sqrt(0.05 * 0.95 / TWINS)


def told_by_chance(together: bool) -> float:
    """The share of seeded twins, errors shuffled, in which anything is told; not ``together``: each
    feature by itself."""
    random = np.random.default_rng(12)
    has = random.random((FEATURES, ITEMS)) < random.uniform(0.1, 0.6, FEATURES)[:, None]
    part = (random.random(ITEMS) < 0.4).astype(np.int64)
    told = 0
    for run in range(TWINS):
        wrong = random.random(ITEMS) < 0.3
        features = [has] if together else [has[[place]] for place in range(FEATURES // 4)]
        draws = (np.random.default_rng((run, at)) for at in range(len(features)))
        told += any(
            in_common(one, wrong, part, 0.05, own) for one, own in zip(features, draws, strict=True)
        )
    return told / TWINS


@pytest.mark.full
def test_shuffled_errors_have_nothing_in_common(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seed 12, 200 twins, at most 5 % and three standard errors; features one by one fail it."""
    monkeypatch.setattr(stats, "DRAWS", 400)
    assert told_by_chance(together=True) <= ALLOWED
    assert told_by_chance(together=False) > ALLOWED


def test_what_one_feature_would_tell_is_not_told_among_many(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stats, "DRAWS", 400)
    many, at = np.random.default_rng(1).random((40, 80)) < 0.3, np.arange(80)
    many[0] = (at >= 14) & (at < 34)
    for features, told in ((many[:1], 1), (many, 0)):
        assert len(in_common(features, at < 25, 0 * at, 0.05, np.random.default_rng(1))) == told


@pytest.mark.parametrize(("right", "told"), [(4, 0), (5, 1)])
def test_a_part_with_hardly_any_right_item_is_not_looked_at(right: int, told: int) -> None:
    at = np.arange(40)
    features = (at < 30)[None]
    found = in_common(features, at < 40 - right, 0 * at, 0.05, np.random.default_rng(1))
    assert len(found) == told


def test_what_is_told_is_not_less_often_than_elsewhere() -> None:
    """Where the interval of the ratio by itself would begin at 0.93."""
    at = np.arange(75)
    wrong = (at < 14) | ((at >= 30) & (at < 41))
    (one,) = in_common((at < 30)[None], wrong, 0 * at, 0.05, np.random.default_rng(1))
    assert (one.low, one.times) == (1.0, pytest.approx(14 / 30 * 45 / 11))


def missed(alpha: float) -> float:
    """The largest chance that what is told of a feature misses the truth, over ratios of the odds:
    exact, over all tables of 30 items with it and 45 without, 25 of all these wrong."""
    at, told = np.arange(75), {}
    for count in range(26):
        wrong = (at < count) | ((at >= 30) & (at < 55 - count))
        for one in in_common((at < 30)[None], wrong, 0 * at, alpha, np.random.default_rng(1)):
            told[count] = one.low, one.high
    chances = []
    for odds in (1, 2, 4, 8, 12):
        tables = nchypergeom_fisher(75, 30, 25, odds)
        expected = tables.mean()
        times = expected / 30 / ((25 - expected) / 45)
        missing = [one for one, (low, high) in told.items() if not low <= times <= high]
        chances.append(float(tables.pmf(missing).sum()))
    return max(chances)


def test_both_ends_of_what_is_told_share_the_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 10 %; the twin gives each end all of it."""
    assert missed(0.1) <= 0.1
    whole = stats._level
    monkeypatch.setattr(stats, "_level", lambda least, alpha, tried: whole(least, 2 * alpha, tried))
    assert missed(0.1) > 0.1


def population(folder: Path) -> lc.Population:
    """Items of which those with the word "refund" that are called no are mostly yes."""
    random = np.random.default_rng(4)
    score = random.random(400)
    refund = random.random(400) < 0.25
    truth = np.where(refund & (score < 0.5), random.random(400) < 0.8, score > 0.5)
    table = pd.DataFrame(
        {
            "id": [f"i{n}" for n in range(400)],
            "text": [f"please {'refund' if one else 'answer'} {n % 7}" for n, one in
                     enumerate(refund)],
            "score": score,
            "truth": truth.astype(int),
            "lang": ["de" if n % 3 else "en" for n in range(400)],
        }
    )  # fmt: skip
    table.to_csv(folder / "items.csv", index=False)
    return lc.read_population(
        folder / "items.csv", id="id", content="text", scores={"lr": "score"},
        thresholds={"lr": 0.5}, groups=("lang",),
    )  # fmt: skip


def labelled(folder: Path, labels: int) -> lc.Session:
    items = population(folder)
    truth = pd.read_csv(folder / "items.csv")["truth"]
    session = lc.Session(items, lc.Plan("simple_random", ["accuracy"], budget=120, seed=3))
    answer_draws(session, lambda draw: bool(truth[items.position(draw.item_id)]), labels)
    return session


def test_a_planted_word_is_told_of_its_kind_of_error(tmp_path: Path) -> None:
    session = labelled(tmp_path, 59)
    assert not session.errors_in_common().labels
    assert "looked for at 60 labels" in session.errors_in_common().sentence()
    answer_draws(session, "no", 1)
    assert session.errors_in_common().labels == 60
    session = labelled(tmp_path, 120)
    found = session.errors_in_common()
    first = found.found[0]
    assert (first.called, first.kind, first.name) == ("no", "word", "refund")
    table = session.labels_table(content=True)
    mine = table[table["prediction_lr"] == "no"]
    having = mine["text"].str.contains("refund")
    counts = [((mine["answer"] == "yes") & having).sum(), having.sum()]
    assert [first.wrong, first.items] == counts and first.low <= first.times <= first.high
    assert "'refund'" in found.sentence() and found.next_look == 240
    assert found.to_frame()["name"].iloc[0] == "refund"
    position = session.engine.draws.position.astype(np.int64)
    features = features_of(session.engine, position, "lr", ["a b"] * 120)
    assert {one.kind for one in features} == {"score", "group"}
    low = [at for at, one in enumerate(features) if one.kind == "score" and not one.above]
    told = [InCommon(at, 0, 9, 9, 0, 9, 9.0, 2.0, 40.0, 0.01) for at in low]
    assert len(low) == 3 and apart(told, features) == told[:1]  # one cut of a score is enough
    with pytest.raises(ValueError, match="classifier must be one with predictions: lr"):
        session.errors_in_common("svm")


def test_a_cause_is_said_of_one_answer_and_replayed(tmp_path: Path) -> None:
    session = labelled(tmp_path, 3)
    session.explain(2, "question", "ann")
    table = session.labels_table()
    assert table["cause"].fillna("").tolist() == ["", "question", ""]
    again = lc.Session(session.population, session.plan, session.store, session.project)
    assert again.state.cause(2) == "question"
    with pytest.raises(AnswerError, match="one of slip, classifier, question, got 'mine'"):
        session.explain(2, "mine")
    with pytest.raises(AnswerError, match="draw 9 was never drawn"):
        session.explain(9, "slip")
    session.revise(2, "yes", "t" * 24)
    assert session.state.cause(2) == ""
    session.explain(2, "slip")
    session.explain(2, "")
    assert session.state.cause(2) == ""


def test_items_that_have_what_is_told_are_found_again(tmp_path: Path) -> None:
    """As many as were counted, and as many of them wrong."""
    session = labelled(tmp_path, 60)
    told, items = session.errors_in_common().found, session.population
    assert {one.kind for one in told} >= {"word"}
    draws = session.engine.draws
    position, given = draws.position[:60].astype(np.int64), draws.code[:60]
    texts = list(pd.read_csv(tmp_path / "items.csv")["text"][position])
    wrong = items.predictions["lr"][position] != given
    cuts = [("score", "lr", 0.3, True), ("score", "lr", 0.3, False), ("length", "", 2.0, True),
            ("length", "", 2.0, False), ("group", "lang", "de", False)]  # fmt: skip
    other = [Shared("no", *one, *[0] * 4, *[0.0] * 4) for one in cuts]
    assert [having_words(one) for one in other] == [
        "scored above 0.3", "scored up to 0.3", "of more than 2 words", "of at most 2 words",
        "with lang 'de'",
    ]  # fmt: skip
    for one in told:
        has = having(items, "lr", one, position, texts)
        assert (has.sum(), (has & wrong).sum()) == (one.items, one.wrong)
    called = items.classes[items.predictions["lr"][position[0]]]
    short = Shared(called, "length", "", 3.0, False, *[0] * 4, *[0.0] * 4)
    counted = having(items, "lr", short, position[[0, 0]], ["up at 9", "up at 9 am"])
    assert counted.tolist() == [True, False], "short words and numbers are words too"
    called = items.predictions["lr"][position] == items.classes.index(other[0].called)
    above, below, longer, shorter, german = (
        having(items, "lr", one, position, texts) for one in other
    )
    assert not (above & below).any() and ((above | below) == called).all()
    assert longer.sum() + shorter.sum() == called.sum() and 0 < german.sum() < called.sum()
