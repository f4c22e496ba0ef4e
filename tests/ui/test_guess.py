from __future__ import annotations

import pandas as pd
import pytest

from labelcore.ui.guess import ClassifierColumns, guess, looks_like_answer


def sample(**columns: list[object]) -> tuple[list[str], list[dict[str, str]]]:
    frame = pd.DataFrame(columns).astype(str)
    return list(frame.columns), frame.to_dict("records")


def test_newsgroups() -> None:
    found = guess(
        *sample(
            id=["a", "b"],
            text=["some words", "more words"],
            true_label=[0, 1],
            score_lr=[0.1, 0.9],
            pred_lr=[0, 1],
            score_nb=[0.2, 0.3],
            pred_nb=[0, 0],
        )
    )
    assert found.id == "id" and found.content == ("text",) and found.answers == ("true_label",)
    assert found.classifiers == (
        ClassifierColumns("lr", "score_lr", "pred_lr"),
        ClassifierColumns("nb", "score_nb", "pred_nb"),
    )


def test_pairs_without_the_short_column() -> None:
    found = guess(
        *sample(
            id=[1, 2],
            pos=["NN", "VP"],
            phrase1=["a long phrase", "another"],
            phrase2=["b", "cc"],
            score_model=[0.25, 0.5],
            ratings=["1 2", "3 4"],
            mean_rating=[1.5, 3.5],
        )
    )
    assert found.content == ("phrase1", "phrase2")
    assert found.answers == ("ratings", "mean_rating")


def test_unnamed_texts_by_length() -> None:
    found = guess(
        *sample(
            id=[1, 2],
            amazon=["x" * 50, "y" * 40],
            google=["z" * 40, "w" * 45],
            shop=["a", "b"],
            title_sim=[0.1, 0.2],
        )
    )
    assert found.content == ("amazon", "google")


@pytest.mark.parametrize(
    "name",
    [
        "true_label",
        "label",
        "gold",
        "truth",
        "ratings",
        "digit",
        "mean_rating",
        "label_confidence",
        "ground_truth",
        "y",
    ],
)
def test_answers(name: str) -> None:
    assert looks_like_answer(name)


@pytest.mark.parametrize("name", ["text", "score_lr", "labelled_text", "digits_seen", "id", "city"])
def test_no_answers(name: str) -> None:
    assert not looks_like_answer(name)


def test_faults_do_not_change_the_meaning() -> None:
    found = guess(*sample(id=[1, 1], text=["a", "b"], score=["0.5", "x"]))
    assert found.id == "id" and found.classifiers[0].score == "score"


def test_empty_file() -> None:
    found = guess(["id", "text"], [])
    assert found.classifiers == ()
