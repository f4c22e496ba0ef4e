import json
from dataclasses import asdict

import pandas as pd
import pytest

from labelcore.population.guess import ClassifierColumns, guess
from labelcore.population.revealing import looks_like_answer
from tests.pinned import cases, holds


def sample(**columns: list[object]) -> tuple[list[str], list[dict[str, str]]]:
    frame = pd.DataFrame(columns).astype(str)
    return list(frame.columns), frame.to_dict("records")


def test_newsgroups() -> None:
    found = guess(
        *sample(
            id=["a", "b"], text=["some words", "more words"], true_label=[0, 1],
            score_lr=[0.1, 0.9], pred_lr=[0, 1], score_nb=[0.2, 0.3], pred_nb=[0, 0],
        )
    )  # fmt: skip
    assert found.id == "id" and found.content == ("text",) and found.answers == ("true_label",)
    assert found.classifiers == (
        ClassifierColumns("lr", "score_lr", "pred_lr"),
        ClassifierColumns("nb", "score_nb", "pred_nb"),
    )


def test_pairs_without_the_short_column() -> None:
    found = guess(
        *sample(
            id=[1, 2], pos=["NN", "VP"], phrase1=["a long phrase", "another"], phrase2=["b", "cc"],
            score_model=[0.25, 0.5], ratings=["1 2", "3 4"], mean_rating=[1.5, 3.5],
        )
    )  # fmt: skip
    assert found.content == ("phrase1", "phrase2")
    assert found.answers == ("ratings", "mean_rating")


def test_unnamed_texts_by_length() -> None:
    found = guess(
        *sample(
            id=[1, 2], amazon=["x" * 50, "y" * 40], google=["z" * 40, "w" * 45], shop=["a", "b"],
            title_sim=[0.1, 0.2],
        )
    )  # fmt: skip
    assert found.content == ("amazon", "google")


@pytest.mark.parametrize(
    "name",
    [
        "true_label", "label", "gold", "truth", "ratings", "digit", "mean_rating",
        "label_confidence", "ground_truth", "y",
    ],
)  # fmt: skip
def test_answers(name: str) -> None:
    assert looks_like_answer(name)


@pytest.mark.parametrize("name", ["text", "score_lr", "labelled_text", "digits_seen", "id", "city"])
def test_no_answers(name: str) -> None:
    assert not looks_like_answer(name)


def test_faults_do_not_change_the_meaning() -> None:
    found = guess(*sample(id=[1, 1], text=["a", "b"], score=["0.5", "x"]))
    assert found.id == "id" and found.classifiers[0].score == "score"


TEXT = "a text of some length"


@pytest.mark.parametrize("header", cases("guessed"))
def test_real_headers(header: str) -> None:
    """Of a header and one row: what is guessed, how sure that is, and what is asked."""
    columns, row = header.split(";"), cases("guessed")[header].split(";")
    found = guess(columns, [dict(zip(columns, row, strict=True))])
    assert not set(found.answers) & set(found.content)
    holds("guessed", header, json.loads(json.dumps({**asdict(found), "roles": None})))


def test_a_label_studio_file_preselects_no_prediction() -> None:
    found = guess(
        *sample(
            id=list(range(30)),
            data=[f'{{"text": "a long enough message {n}"}}' for n in range(30)],
            predictions=[
                f'[{{"model_version": "v1", "score": 0.{n}, "result": []}}]' for n in range(30)
            ],
        )
    )
    assert found.content == ("data",)


def test_what_a_model_said_is_never_preselected() -> None:
    long = "because the answer names the right city and year"
    found = guess(
        *sample(
            id=[1, 2],
            trace=["user: where was it? assistant: Paris", "user: when? assistant: 1987 in spring"],
            judge_reason=[long, long],
            explanation=[long, long],
            pred_text=[long, long],
            annot=['{"result": [1], "score": 0.5}', '{"result": [2], "score": 0.7}'],
            outcome=["passed", "failed"],
        )
    )
    assert found.content == ("trace",)


def test_the_names_that_trades_use() -> None:
    """E-discovery and moderation: what is coded, done, numbered."""
    found = guess(
        *sample(
            control_number=["REV-001", "REV-002", "REV-003"],
            body=["some words of a letter", "more of them", "the rest of it"],
            coding=["Responsive", "", ""],
        )
    )
    assert found.id == "control_number" and not found.asks("id")
    assert found.content == ("body",) and found.answers == ("coding",)
    found = guess(
        *sample(
            case_no=["1", "2", "3"],
            comment=["you are great", "you are not", "who is"],
            action=["keep", "remove", "keep"],
        )
    )
    assert found.id == "case_no" and found.content == ("comment",)
    assert found.classifiers == (ClassifierColumns("classifier", None, "action"),)
    what_to_do = [f"call customer {n} and say that the parcel will be late" for n in range(20)]
    found = guess(*sample(id=range(20), action=what_to_do))
    assert found.classifiers == () and found.content == ("action",)
    found = guess(*sample(control_number=["1", "1", "2"], text=["some words", "more", "rest"]))
    assert found.id is None, "a number that repeats identifies nothing"


def test_verdicts_of_judges_are_predictions() -> None:
    found = guess(
        *sample(
            id=[1, 2, 3],
            answer_text=["some words here", "more words", "others"],
            judge_verdict=["pass", "fail", "pass"],
            judge2_verdict=["pass", "pass", "fail"],
            llm_result=["pass", "fail", "fail"],
            model_b=["yes", "no", "no"],
        )
    )
    assert [(one.name, one.prediction) for one in found.classifiers] == [
        ("judge", "judge_verdict"),
        ("judge2", "judge2_verdict"),
        ("llm_result", "llm_result"),
        ("model_b", "model_b"),
    ]


class Name(str):
    """Counts how often names are compared; no name is compared with itself."""

    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


def test_no_column_is_looked_for_in_a_list_of_all() -> None:
    """That compares half of the square of their number."""
    names = [Name(f"score_{n}") for n in range(1_000)]
    row = {"id": "1", "text": "a text to judge", **dict.fromkeys(names, "0.5")}
    Name.compared = 0
    guess(list(row), [row, {**row, "id": "2"}])
    assert Name.compared < 5 * len(names)
    assert all(name in names for name in names) and Name.compared > 400 * len(names)


def test_a_column_that_says_what_was_found_is_a_prediction() -> None:
    found = guess(*sample(id=[1, 2], text=["some words", "more words"], reviewed=["yes", "no"]))
    assert found.classifiers == (ClassifierColumns("reviewed", None, "reviewed"),)
    dates = guess(*sample(id=[1, 2], text=["some words", "more words"], reviewed=["May", ""]))
    assert dates.classifiers == ()


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ({"question": ["Are these the same product?"] * 9}, ("question", "listing_a", "listing_b")),
        ({"rationale": ["Both are cameras of the same maker."] * 9}, ("listing_a", "listing_b")),
        ({"text": [f"offer {n}, with a word more" for n in range(9)]}, ("text",)),
    ],
)
def test_what_is_the_same_in_every_row_is_never_shown_alone(
    given: dict[str, list[str]], shown: tuple[str, ...]
) -> None:
    listings = {
        f"listing_{one}": [f"black camera number {n}, by shop {one}" for n in range(9)]
        for one in "ab"
    }
    assert guess(*sample(id=list(range(9)), **given, **listings)).content == shown


@pytest.mark.parametrize(
    ("column", "values", "predicts"),
    [
        ("output.role", ["assistant", "tool"], False),
        ("output.finish_reason", ["stop", "length"], False),
        ("output.label", ["a", "b"], True),
        ("output.predicted_type", ["a", "b"], True),
        ("judge.verdict", ["yes", ""], True),
        ("judge.verdict", ["", ""], False),
    ],
)
def test_a_field_of_what_a_model_said(column: str, values: list[object], predicts: bool) -> None:
    found = guess(*sample(**{"id": [1, 2], column: values, "text": [TEXT, f"{TEXT} 2"]}))
    assert [one.prediction for one in found.classifiers] == ([column] if predicts else [])


def test_a_code_in_every_row_is_the_id_and_numbers_of_a_rank_are_a_score() -> None:
    texts = [f"some longer text, number {row}" for row in range(6)]
    codes, ranks = [f"T-{row:03d}" for row in range(6)], [1, 2, 3, 4, 5, 6]
    found = guess(*sample(ticket=codes, message=texts, rank=ranks))
    assert found.id == "ticket" and found.content == ("message",)
    assert found.classifiers == (ClassifierColumns("rank", "rank", None),)
    assert guess(*sample(ticket=["T-1"] * 6, message=texts, rank=[1] * 6)).id is None
    two = guess(*sample(id=codes, message=texts, rank_old=ranks, new_rank=ranks[::-1]))
    assert [one.score for one in two.classifiers] == ["rank_old", "new_rank"]
    assert guess(*sample(one=codes, other=codes, message=texts)).id is None, "two could be it"


@pytest.mark.parametrize(
    ("again", "said"),
    [("p4", "'p4' is in row 5 and again in row 11"), ("", "it is empty in row 11"), ("p10", "")],
)
def test_why_a_column_called_like_an_id_is_none_is_said(again: str, said: str) -> None:
    codes = [f"p{row}" for row in range(20)]
    found = guess(*sample(post_id=[*codes[:10], again, *codes[11:]], text=[TEXT] * 20))
    reason = f"post_id is called like an id, but {said}."
    assert found.reasons.get("id", "") == (reason if said else "")
    assert found.id == (None if said else "post_id") and not found.asks("id")


@pytest.mark.parametrize("stamp", ["01.02.2026 10:0", "2026-01-0", "12:3", "3/14/202"])
def test_numbers_and_dates_are_not_taken_for_what_is_judged(stamp: str) -> None:
    stamps = [f"{stamp}{row}" for row in range(9)]
    found = guess(*sample(id=list(range(9)), when=stamps, text=["", *["1.5"] * 8]))
    assert found.content == () and found.asks("content")
    texts = [f"{one} the cat sat" for one in stamps]
    assert guess(*sample(id=list(range(9)), note=texts)).content == ("note",)


def test_a_score_in_percent_is_a_score() -> None:
    """So that its fault is told."""
    found = guess(*sample(id=[1, 2], text=["some words", "more words"], confidence=["76%", "n/a"]))
    assert found.classifiers == (ClassifierColumns("classifier", "confidence", None),)


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("flagged_at", ["2026-01-02", "2026-01-03"]),
        ("decision_date", ["2026-01-02", "2026-01-02"]),
        ("prediction_time_ms", ["12", "15"]),
        ("score_version", ["2", "2"]),
        ("output_dir", ["a", "b"]),
    ],
)
def test_what_is_said_about_a_prediction_is_none(column: str, values: list[str]) -> None:
    rows = sample(id=[1, 2], text=["some words", "more words"], score=[0.2, 0.9])
    alone = guess(*rows).classifiers
    names, sampled = rows
    more = [{**row, column: value} for row, value in zip(sampled, values, strict=True)]
    assert guess([*names, column], more).classifiers == alone


def test_a_header_without_rows_is_called_so() -> None:
    made = guess(["id", "text", "score"], [])
    assert made.asks("content") and made.classifiers == ()
    assert made.reasons["content"] == "The file has a header but no rows."


@pytest.mark.parametrize(
    ("values", "shown"),
    [
        ([f"Because of {n}, as far as is known." for n in range(20)], True),
        ([*(f"Anna {n}" for n in range(14)), *["I do not know."] * 5, ""], True),
        (["The cat sat on the mat.", "", "It was a dog, in fact."], True),
        ([f"{n}.5" for n in range(20)], False),
        (["right", "wrong"] * 10, False),
        (["yes", "no"], False),
        (["not relevant at all", "relevant to some degree"] * 10, False),
        ([""] * 20, False),
    ],
)
def test_answers_in_free_words_are_judged_and_others_are_the_truth(
    values: list[str], shown: bool
) -> None:
    asked = [f"Why is number {n} so?" for n in range(len(values))]
    found = guess(*sample(id=range(len(values)), question=asked, Answer=values))
    assert found.content == (("question", "Answer") if shown else ("question",))
    assert found.answers == (() if shown else ("Answer",))
    gold = guess(*sample(id=range(len(values)), question=asked, gold_answer=values))
    assert gold.content == ("question",) and gold.answers == ("gold_answer",)


@pytest.mark.parametrize("column", ["answers", "completion", "reply", "output", "generated_text"])
def test_what_was_answered_is_shown_beside_the_question(column: str) -> None:
    asked = [f"Why is number {n} so?" for n in range(20)]
    said = [f"Because of {n}, as far as is known." for n in range(20)]
    found = guess(*sample(id=range(20), question=asked, **{column: said}, score=[0.5, 0.25] * 10))
    assert found.content == ("question", column) and found.answers == ()
    classes = [f"class {n % 8}" for n in range(20)]
    found = guess(*sample(id=range(20), question=asked, **{column: classes}))
    assert found.content == ("question",), "what a classifier says is not shown"


@pytest.mark.parametrize("words", [["yes", "no"], ["0", "1"], ["good", "bad"]])
def test_judges_that_say_yes_or_no_are_classifiers(words: list[str]) -> None:
    texts = [f"words {n}" for n in range(10)]
    found = guess(*sample(id=range(10), text=texts, judge_a=words * 5, judge_b=words[::-1] * 5))
    assert [one.prediction for one in found.classifiers] == ["judge_a", "judge_b"]
    found = guess(*sample(id=range(10), text=texts, judge=["yes", "no"] * 5))
    assert [one.prediction for one in found.classifiers] == ["judge"]


def test_the_name_of_a_long_column_is_shortened_in_what_is_said_of_it() -> None:
    found = guess(*sample(text=[TEXT] * 6, **{"x" * 70: [0, 1] * 3}))
    said = f"{'x' * 39}… holds 0 and 1, perhaps a prediction, perhaps the truth."
    assert found.reasons["classifiers"] == said
