"""What the items say, as numbers: kinds of columns, pieces, and columns that say nothing."""

from hashlib import sha256

import numpy as np
import pytest

import labelcore as lc
from labelcore.population import Population
from labelcore.population.content_features import content_features

N = 400
TOPICS = ("the doctor gave a pill to", "the engine of the car needs", "our team won over")


def items(**columns: list[object]) -> Population:
    rows = [dict(zip(columns, one, strict=True)) for one in zip(*columns.values(), strict=True)]
    said = [number % 2 for number in range(len(rows))]
    rows = [{**row, "said": one} for row, one in zip(rows, said, strict=True)]
    return lc.read_population(rows, content=list(columns), predictions={"lr": "said"})


def texts(number: int = N) -> list[object]:
    rng = np.random.default_rng(5)
    return [
        f"{TOPICS[place % 3]} {' '.join(f'w{one}' for one in rng.integers(40, size=4))}"
        for place in range(number)
    ]


def test_texts_are_directions_about_their_mean_that_tell_topics_apart() -> None:
    found = content_features(items(text=texts()), seed=3)
    assert found.columns == ("text",) and not found.notes
    assert found.values.shape == (N, 100) and found.values.dtype == np.float32
    assert found.hash == sha256(found.values.tobytes()).hexdigest()
    np.testing.assert_allclose(found.values.mean(axis=0), 0, atol=1e-5)
    topic = np.arange(N) % 3
    alike = found.values @ found.values.T
    same = topic[:, None] == topic
    assert alike[same].mean() > 1 > 0 > alike[~same].mean()


def test_the_same_file_and_seed_give_the_same_in_pieces_of_any_size(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    columns = {"text": texts(), "x": list(range(N)), "kind": ["a", "b"] * (N // 2)}
    first = content_features(items(**columns), seed=3, sample=300)
    assert content_features(items(**columns), seed=3, sample=300).hash == first.hash
    assert content_features(items(**columns), seed=4, sample=300).hash != first.hash
    monkeypatch.setattr("labelcore.population.content_features.PIECE", 7)
    again = content_features(items(**columns), seed=3, sample=300)
    np.testing.assert_allclose(first.values, again.values, atol=1e-5)


def test_numbers_and_dates_are_ranks_and_categories_are_columns() -> None:
    numbers: list[object] = [1, 2, 2, 4, None, 1000]
    dates: list[object] = [f"2026-0{month}-01T10:00:00" for month in (3, 1, 2, 5, 4, 6)]
    kinds: list[object] = ["b", "a", "a", "b", "a", "a"]
    found = content_features(items(x=numbers, day=dates, kind=kinds), seed=0).values
    rank = np.array([-0.8, -0.2, -0.2, 0.4, 0, 0.8])
    np.testing.assert_allclose(found[:, 0], rank, atol=1e-6)
    np.testing.assert_allclose(found[:, 1], [*(rank[:4] ** 2 - 1 / 3), 0, 0.64 - 1 / 3], atol=1e-6)
    np.testing.assert_allclose(found[:, 2], [1, 1, 1, 1, -1, 1])
    np.testing.assert_allclose(found[:, 3], np.array([-1, -5, -3, 3, 1, 5]) / 6, atol=1e-6)
    np.testing.assert_array_equal(found[:, 5:], [[0, 1], [1, 0], [1, 0], [0, 1], [1, 0], [1, 0]])


@pytest.mark.parametrize(("length", "width"), [(3, 3), (130, 100)])
def test_an_embedding_stands_in_place_of_texts(length: int, width: int) -> None:
    values = np.random.default_rng(2).normal(size=(N, length)).round(4)
    found = content_features(items(vector=[list(map(float, row)) for row in values]), seed=0)
    assert found.values.shape == (N, width)
    unit = values / np.linalg.norm(values, axis=1, keepdims=True)
    if length == width:
        np.testing.assert_allclose(found.values, 4 * (unit - unit.mean(axis=0)), atol=1e-4)


@pytest.mark.parametrize(
    ("column", "why"),
    [
        (["", " "] * (N // 2), "'c' is empty"),
        (["hello world"] * N, "'c' says the same of every item"),
        ([f"user{place}" for place in range(N)], "'c' names nearly every item differently"),
        ([f"a{place} b{place}" for place in range(N)], "no word of 'c' stands in two items"),
        (
            [[1.0, 2.0], [1.0, 2.0, 3.0]] * (N // 2),
            "'c' has embeddings of 2 to 3 numbers, not of one length",
        ),
    ],
)
def test_a_column_that_says_nothing_is_named_and_the_others_count(
    column: list[object], why: str
) -> None:
    alone = content_features(items(c=column), seed=0)
    assert alone.notes == (why,) and alone.values.shape == (N, 0) and alone.columns == ()
    beside = content_features(items(c=column, x=list(range(N))), seed=0)
    assert beside.notes == (why,) and beside.columns == ("x",) and beside.values.shape == (N, 2)


def test_what_is_asked_for_must_be_there() -> None:
    population = items(text=texts(20))
    with pytest.raises(ValueError, match="has no column 'words'"):
        content_features(population, ["words"], seed=0)
    with pytest.raises(ValueError, match="sample must be 1 or more, got 0"):
        content_features(population, seed=0, sample=0)
    made = content_features(population, seed=0)
    assert content_features(population, ["text"], seed=0) is made
    with pytest.raises(ValueError, match="read-only"):
        made.values[0, 0] = 1
