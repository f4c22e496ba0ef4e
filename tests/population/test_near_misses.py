"""What is nearly right: understood, or answered by the name that was meant and the next step."""

import json
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import labelcore as lc
from labelcore.errors import PlanError, PopulationError
from labelcore.plan.checks import SCORERS
from tests.answering import answer_draws

FRAME = pd.DataFrame(
    {"doc": ["a", "b", "c"], "text": ["x y", "z", "w"], "lr_pred": [1, 0, 1], "lr": [10.0, 90, 50]}
)


@pytest.fixture
def nested(tmp_path: Path) -> Path:
    rows = [
        {
            "id": n,
            "t": {"a": {"b": f"deep {n}"}, "tags": ["x"]},
            "s": [{"name": "v", "value": "yes"}],
        }
        for n in range(5)
    ]
    path = tmp_path / "traces.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


@pytest.mark.parametrize("argument", ["scores", "predictions", "helpers"])
def test_the_name_of_one_column_is_enough(argument: str) -> None:
    given: dict[str, Any] = {argument: "lr_pred"}
    found = lc.read_population(FRAME, content="text", **given)
    written = lc.read_population(FRAME, content="text", **{argument: {"lr_pred": "lr_pred"}})
    assert found.fingerprint == written.fingerprint
    assert found.arguments[argument] == {"lr_pred": "lr_pred"}


def test_an_index_that_is_named_as_a_column() -> None:
    with pytest.raises(ValueError, match=r"^id names 'doc', which is the index .*reset_index\(\)"):
        lc.read_population(FRAME.set_index("doc"), id="doc", content="text")
    with pytest.raises(ValueError, match=r"^id names 'doc', which is the index .*reset_index\(\)"):
        lc.read_population(FRAME.set_index("doc")["text"], id="doc", content="text")
    with pytest.raises(ValueError, match="^content names 'text', which is the index"):
        lc.read_population(FRAME.set_index(["doc", "text"]), content="text")
    both = FRAME.set_index("doc", drop=False)
    assert lc.read_population(both, id="doc", content="text").id_at(0) == "a"


def test_a_fault_calls_a_table_as_its_sentences_do() -> None:
    wrong = FRAME.assign(lr=[0.5, float("nan"), 0.5])
    for name, called in ((None, "items"), ("support answers", "support answers")):
        with pytest.raises(PopulationError) as found:
            lc.read_population(wrong, content="text", scores="lr", name=name)
        assert str(found.value).startswith(f"{called}, row 2")


def test_a_column_of_nearly_that_name() -> None:
    with pytest.raises(PopulationError, match="'lr'; did you mean 'text'\\?"):
        lc.read_population(FRAME, content="txt")
    with pytest.raises(PopulationError) as far:
        lc.read_population(FRAME, content="zzzz")
    assert "did you mean" not in str(far.value)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ({"design": "stratifed"}, "stratified"),
        ({"estimands": "acuracy"}, "accuracy"),
        ({"params": {"intervall": "default"}}, "interval"),
    ],
)
def test_a_word_of_a_plan_of_nearly_that_name(given: dict[str, Any], meant: str) -> None:
    whole = {"design": "simple_random", "estimands": "accuracy", "budget": 3, **given}
    with pytest.raises(PlanError, match=f"did you mean '{meant}'\\?"):
        lc.Plan(**whole)


def test_a_result_of_nearly_that_name() -> None:
    population = lc.read_population(FRAME, content="text", predictions="lr_pred")
    results = lc.Session(population, lc.Plan("simple_random", "accuracy", budget=3)).results()
    with pytest.raises(KeyError, match="called 'acc'; known are accuracy"):
        results["acc"]
    with pytest.raises(KeyError, match="did you mean 'accuracy'"):
        results["acuracy"]
    assert results.get("acc") is None and dict(results) == results


def test_the_names_of_scikit_learn() -> None:
    import sklearn.metrics

    for name, ours in SCORERS.items():
        assert hasattr(sklearn.metrics, name) or name in sklearn.metrics.get_scorer_names()
        assert ours in lc.ESTIMANDS
    plan = lc.Plan("simple_random", ["f1_score", "accuracy_score"], budget=3)
    assert plan.estimands == ("f1", "accuracy")
    assert plan == lc.Plan("simple_random", ["f1", "accuracy"], budget=3)
    with pytest.raises(PlanError, match="names one twice"):
        lc.Plan("simple_random", ["f1_score", "f1"], budget=3)


def test_more_labels_than_items_and_scores_in_percent_are_said() -> None:
    population = lc.read_population(FRAME, content="text", scores="lr", thresholds={"lr": 50})
    said = lc.preview(population, lc.Plan("simple_random", "accuracy", budget=5000)).derived[
        "notes"
    ]
    assert "The budget of 5,000 is more than the file has: at most 3 items are labelled." in said
    assert any("'lr' lie between 10 and 90, so they are no probabilities" in one for one in said)
    few = FRAME.assign(lr=[0.1, 0.9, 0.5])
    population = lc.read_population(few, content="text", scores="lr", thresholds={"lr": 0.5})
    said = lc.preview(population, lc.Plan("simple_random", "accuracy", budget=3)).derived["notes"]
    assert not [one for one in said if "probabilities" in one or "budget" in one]


def test_a_whole_list_is_no_prediction(nested: Path) -> None:
    rule = r"lists or objects: name the part .* s\[0\]\.value or s\[name=verdict\]\.value"
    with pytest.raises(PopulationError, match=rule):
        lc.read_population(nested, content="t.a.b", predictions="s")
    rows = [{"text": "a", "s": [{"v": 1}]}, {"text": "b", "s": [{"v": 0}]}]
    with pytest.raises(PopulationError, match="lists or objects"):
        lc.read_population(pd.DataFrame(rows), content="text", predictions="s")
    named = lc.read_population(
        nested, content="t.a.b", predictions={"v": "s[name=v].value"}, classes=["no", "yes"]
    )
    assert named.called("v") == {("yes",): 5}


def test_a_bracket_in_a_name_is_no_list() -> None:
    frame = FRAME.assign(lr_pred=["[spam]", "no", "[spam]"])
    found = lc.read_population(frame.assign(lr_pred=["a", "no", "[spam]"]), content="text",
                               predictions="lr_pred")  # fmt: skip
    assert found.classes == ("[spam]", "a", "no")


def test_fields_within_fields_are_read_from_the_file_itself(nested: Path) -> None:
    found = lc.read_population(nested, id="id", content=["t.a.b", "t.tags"])
    assert found.name == "traces.jsonl"
    assert found.content("3") == {"t.a.b": "deep 3", "t.tags": '["x"]'}
    assert found.column("t.a") == [f'{{"b": "deep {n}"}}' for n in range(5)]


def test_a_source_is_called_what_it_is_called_by_its_owner(tmp_path: Path) -> None:
    """In titles, sentences, reports, and when it is opened again; the command names the file."""
    url = f"sqlite:///{tmp_path}/labels.db"
    called = lc.read_population(
        FRAME, content="text", predictions="lr_pred", name="support answers"
    )
    plain = lc.read_population(FRAME, content="text", predictions="lr_pred")
    assert called.name == "support answers" and called.fingerprint == plain.fingerprint
    session = lc.Session(called, lc.Plan("simple_random", "accuracy", budget=3), url, "p")
    answer_draws(session, "yes")
    for again in (session, lc.Session.open(url, "p")):
        assert again.population.name == "support answers"
        assert "items in support answers" in again.results()["accuracy"].sentence()
        page = lc.write_report(again, tmp_path / "report.html").read_text("utf-8")
        assert "support answers" in page and "--file &#x27;support" not in page
