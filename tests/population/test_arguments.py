"""Types, rules that need no file, and the names of classifiers."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from labelcore.errors import Fault
from labelcore.population import Population, read_population

Read = Callable[..., Population]
DATA = "text,s,t,p\na,0.1,5,no\nb,0.3,4,yes\nc,0.9,3,no\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"id": 3}, "id must be a name, a list of names or None, got int"),
        ({"content": 3}, "content must be a name or a list of names, got int"),
        (
            {"content": None},
            "content must name the column or columns that a person judges, got None",
        ),
        ({"content": {"text"}}, "content must be a name or a list of names, got set"),
        ({"content": ["text", 2]}, "each name in content must be text, got int"),
        ({"content": b"text"}, "content must be .* got bytes"),
        ({"scores": ["s"]}, "scores must be a mapping"),
        ({"scores": {"lr": 1}}, r"scores\['lr'\] must be the name of a column, got int"),
        ({"scores": {1: "s"}}, "each classifier in scores must be text, got int"),
        ({"predictions": ["p"]}, "predictions must be a mapping .*, or the name of a column"),
        ({"predictions": {"lr": ["p"]}}, r"predictions\['lr'\] must be the name of a column"),
        ({"thresholds": 0.5}, "thresholds must be a mapping"),
        ({"passing": "pass"}, "passing must be a mapping whose keys are classifiers, got str"),
        ({"passing": None}, "passing must be a mapping whose keys are classifiers, got NoneType"),
        ({"thresholds": {"lr": "0.5"}}, r"thresholds\['lr'\] must be a number .* got str"),
        ({"thresholds": {"lr": True}}, r"thresholds\['lr'\] must be a number .* got bool"),
        ({"thresholds": {"lr": [0.5, None]}}, r"thresholds\['lr'\] .* got NoneType"),
        ({"descending": 1}, "descending must be a name or a list of names, got int"),
        ({"classes": "yes"}, "classes must be a list of names or None, got str"),
        ({"classes": [0, 1]}, "each name in classes must be text, got int"),
        ({"positive": 1}, "positive must be text or None, got int"),
        ({"metadata": 1}, "metadata must be a name or a list of names, got int"),
        ({"id": ["text", 1]}, "each name in id must be text, got int"),
        ({"groups": (1,)}, "each name in groups must be text, got int"),
        ({"prompt": ["p"]}, "prompt must be text or None, got list"),
        ({"helpers": ["p"]}, "helpers must be a mapping whose keys are helpers"),
        ({"helpers": {"h": 1}}, r"helpers\['h'\] must be the name of a column, got int"),
        ({"predictions": "p", "passing": {"p": [1]}}, r"passing\['p'\]"),
        ({"name": " "}, "^name must be text that is not empty"),
    ],
)
def test_wrong_types(read: Read, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(TypeError, match=message):
        read(DATA, **arguments)


def test_a_cut_in_percent_is_no_cut_of_shares(
    read: Read, faults_of: Callable[..., Sequence[Fault]]
) -> None:
    data = "text,share,margin\n" + "".join(f"x,{n / 20},{n / 20 - 0.1}\n" for n in range(20))
    (fault,) = faults_of(data, scores={"lr": "share"}, thresholds={"lr": [0.5, 50]})
    assert fault.rule == "thresholds['lr'] must lie between 0 and 1, as the scores do, got 50"
    for column, cuts in (("share", [-1, 2]), ("margin", [0, 50])):
        assert len(read(data, scores={"lr": column}, thresholds={"lr": cuts}).classifiers) == 2


def test_wrong_type_of_path() -> None:
    with pytest.raises(TypeError, match="source must be a path, a table .*, got int"):
        read_population(3, content="text")  # type: ignore[arg-type]


S = {"scores": {"lr": "s"}}


@pytest.mark.parametrize(
    ("arguments", "rule"),
    [
        ({"content": []}, "content must name at least one column"),
        ({"content": ["text", "text"]}, "content must name a column once, got 'text' again"),
        ({"metadata": ["s", "s"]}, "metadata must name a column once"),
        ({**S, "thresholds": {"svm": 0.5}}, "thresholds names 'svm', which has no score"),
        ({"predictions": {"lr": "p"}, "thresholds": {"lr": 0.5}}, "thresholds names 'lr'"),
        ({**S, "thresholds": {"lr": []}}, "thresholds['lr'] must hold at least one number"),
        ({**S, "thresholds": {"lr": float("nan")}}, "thresholds['lr'] must be finite, got nan"),
        ({"scores": {"judge": "t"}, "thresholds": {"judge": [4, 7]}},
         "thresholds['judge'] must lie within the scores, which are 3 to 5, got 7"),
        ({**S, "thresholds": {"lr": [1, 1.0]}}, "two classifiers would be called 'lr>=1'"),
        ({"scores": {"lr": "s", "lr>=0.3": "s"}, "thresholds": {"lr": [0.3, 0.5]}},
         "two classifiers would be called 'lr>=0.3'"),
        ({**S, "descending": ["svm"]}, "descending names 'svm', which has no score"),
        ({"scores": {"": "s"}}, "text that is not empty"),
    ],
)  # fmt: skip
def test_rules(
    faults_of: Callable[..., Sequence[Fault]], arguments: dict[str, Any], rule: str
) -> None:
    (fault,) = faults_of(DATA, **arguments)
    assert rule in fault.rule
    assert (fault.row, fault.column) == (None, None)


@pytest.mark.parametrize(
    ("arguments", "predictions"),
    [
        ({"thresholds": {"lr": 0.3}}, {"lr": [0, 1, 1]}),
        ({"thresholds": {"lr": [0.3]}}, {"lr": [0, 1, 1]}),
        ({"thresholds": {"lr": [0.3, 0.5]}}, {"lr>=0.3": [0, 1, 1], "lr>=0.5": [0, 0, 1]}),
        ({"thresholds": {"lr": (1, 0.1)}}, {"lr>=1": [0, 0, 0], "lr>=0.1": [1, 1, 1]}),
        ({"thresholds": {"lr": np.float64(0.3)}}, {"lr": [0, 1, 1]}),
        ({"thresholds": {"lr": 0.3}, "descending": ["lr"]}, {"lr": [1, 1, 0]}),
        ({"thresholds": {"lr": [0.1, 0.3]}, "descending": "lr"},
         {"lr<=0.1": [1, 0, 0], "lr<=0.3": [1, 1, 0]}),
        ({"predictions": {"lr": "p"}}, {"lr": [0, 1, 0]}),
        ({"predictions": {"lr": "p"}, "thresholds": {"lr": 0.3}}, {"lr": [0, 1, 0]}),
        ({"predictions": {"lr": "p"}, "thresholds": {"lr": [0.3, 0.5]}},
         {"lr": [0, 1, 0], "lr>=0.3": [0, 1, 1], "lr>=0.5": [0, 0, 1]}),
        ({"predictions": {"nb": "p"}}, {"nb": [0, 1, 0]}),
        ({}, {}),
    ],
)  # fmt: skip
def test_predicted(
    read: Read, arguments: dict[str, Any], predictions: dict[str, list[int]]
) -> None:
    population = read(DATA, scores={"lr": "s"}, **arguments)
    found = {name: array.tolist() for name, array in population.predictions.items()}
    assert found == predictions
    assert all(array.dtype == np.int8 for array in population.predictions.values())
    assert population.predictions.keys() <= set(population.classifiers)
    decided = {name for name in predictions if name not in arguments.get("predictions", {})}
    assert population.thresholds.keys() == decided


def test_classifiers_keep_their_order(read: Read) -> None:
    population = read(
        DATA, scores={"z": "s", "a": "t"}, predictions={"m": "p", "a": "p"},
        thresholds={"z": [0.5, 0.3]}, descending=["a"],
    )  # fmt: skip
    assert population.classifiers == ("z>=0.5", "z>=0.3", "a", "m")
    assert set(population.scores) == {"z>=0.5", "z>=0.3", "a"}
    assert population.thresholds == {"z>=0.5": 0.5, "z>=0.3": 0.3}
    assert population.descending == {"a"}


def test_a_class_that_is_nearly_yes_is_named_and_not_taken(
    read: Read, recwarn: pytest.WarningsRecorder
) -> None:
    nearly = DATA.replace(",yes", ", yes")
    with pytest.warns(UserWarning, match="'no' counts as positive, as ' yes' is not 'yes'"):
        assert read(nearly, predictions={"m": "p"}).positive == "no"
    for data, given in ((nearly, {"positive": "no"}), (DATA, {}), (DATA.replace("no", "No"), {})):
        read(data, predictions={"m": "p"}, **given)
    assert not recwarn.list


def test_the_ordering_score_is_larger_for_more_positive(read: Read) -> None:
    population = read(
        DATA, scores={"up": "s", "down": "t"}, predictions={"bare": "p"}, descending=["down"]
    )
    up, down = population.ordering_score("up"), population.ordering_score("down")
    assert up is not None
    assert up.tolist() == [0.1, 0.3, 0.9]
    assert down is not None
    assert down.tolist() == [-5, -4, -3]
    assert population.scores["down"].tolist() == [5, 4, 3]
    assert population.ordering_score("bare") is None
    with pytest.raises(ValueError, match="no classifier 'x'; there are 'up', 'down', 'bare'"):
        population.ordering_score("x")


def test_arguments_read_the_same_population_again(csv_file: Callable[..., Path]) -> None:
    path = csv_file(DATA)
    first = read_population(
        str(path), content="text", scores={"lr": "s", "svm": "t"}, predictions={"lr": "p"},
        thresholds={"svm": np.array([3, 4.5])}, descending={"svm", "lr"},
        classes=np.array(["no", "yes"]), metadata=pd.Index(["p", "s"]),
        groups={"t": np.array([3.5])},
    )  # type: ignore[arg-type, dict-item]  # fmt: skip
    again = read_population(path, **json.loads(json.dumps(first.arguments, sort_keys=True)))
    assert again.fingerprint == first.fingerprint
    assert again.arguments == first.arguments
    assert again.thresholds == first.thresholds
    assert again.metadata_columns == ("p", "s")


@pytest.mark.parametrize(
    "change",
    [
        {"id": "s"}, {"content": ["text", "p"]}, {"scores": {"lr": "s", "svm": "t"}},
        {"predictions": {"lr": "p"}}, {"thresholds": {"lr": 0.4}}, {"descending": ["lr"]},
        {"classes": ["a", "b"]}, {"positive": "no"}, {"metadata": ["p"]},
    ],
)  # fmt: skip
def test_every_argument_is_in_the_fingerprint(read: Read, change: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {"scores": {"lr": "s"}, "thresholds": {"lr": 0.5}}
    fingerprint = read(DATA, **arguments).fingerprint
    assert len(fingerprint) == 64
    assert read(DATA, **arguments).fingerprint == fingerprint
    assert read(DATA, **{**arguments, **change}).fingerprint != fingerprint


def test_every_byte_is_in_the_fingerprint_and_the_name_is_not(
    csv_file: Callable[..., Path],
) -> None:
    prints = [
        read_population(csv_file(data, name), content="text").fingerprint
        for data, name in [(DATA, "a.csv"), (DATA, "b.csv"), (DATA + "\n", "c.csv")]
    ]
    assert prints[0] == prints[1] != prints[2]
