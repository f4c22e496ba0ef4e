"""Default classes, the positive class, and predictions as indices."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import Fault, PopulationError
from labelcore.population import Population

Read = Callable[..., Population]


def column(values: Sequence[str], second: Sequence[str] | None = None) -> str:
    rows = zip(values, second or values, strict=True)
    return "text,p,q,s\n" + "".join(f"x,{first},{other},0.5\n" for first, other in rows)


@pytest.mark.parametrize(
    ("values", "arguments", "classes", "positive", "indices"),
    [
        (["0", "1"], {}, ("no", "yes"), "yes", [0, 1]),
        (["0", "0"], {}, ("no", "yes"), "yes", [0, 0]),
        (["True", "False"], {}, ("no", "yes"), "yes", [1, 0]),
        (["1.0", "0.0"], {}, ("no", "yes"), "yes", [1, 0]),
        (["yes", "no"], {}, ("no", "yes"), "yes", [1, 0]),
        (["yes", "yes"], {}, ("no", "yes"), "yes", [1, 1]),
        (["yes", "nan"], {}, ("nan", "yes"), "yes", [1, 0]),
        (["spam", "ham"], {}, ("ham", "spam"), "spam", [1, 0]),
        (["spam", "ham"], {"positive": "ham"}, ("ham", "spam"), "ham", [1, 0]),
        (["spam", "ham"], {"classes": ["spam", "ham"]}, ("spam", "ham"), "ham", [0, 1]),
        (["1", "0"], {"classes": ["yes", "no"]}, ("yes", "no"), "yes", [0, 1]),
        (["1", "0"], {"classes": ["a", "b"]}, ("a", "b"), "b", [1, 0]),
        (["1", "0"], {"classes": ["a", "b"], "positive": "a"}, ("a", "b"), "a", [0, 1]),
        (["1", "0"], {"classes": ["1", "0"]}, ("1", "0"), "1", [0, 1]),
        (["true", "0"], {"classes": ["0", "1"]}, ("0", "1"), "1", [1, 0]),
        (["1", "0"], {"positive": "no"}, ("no", "yes"), "no", [0, 1]),
        (["0", "1", "2"], {}, ("0", "1", "2"), "1", [0, 1, 2]),
        (["b", "c", "a"], {}, ("a", "b", "c"), "c", [1, 2, 0]),
        (["spam"], {"classes": ["ham", "spam"]}, ("ham", "spam"), "spam", [1]),
        (["1", "2.0", "3", "3.0"], {}, ("1", "2.0", "3"), "1", [0, 1, 2, 2]),
        (["1.0", "0"], {"classes": ["0", "1"], "positive": "0"}, ("0", "1"), "0", [1, 0]),
        (["4", "v5"], {"classes": ["4.0", "v5"]}, ("4.0", "v5"), "v5", [0, 1]),
        (["1", "0"], {"passing": {"lr": ["1.0"]}}, ("no", "yes"), "yes", [1, 0]),
        (["Yes", "yes"], {"classes": ["Yes", "yes"]}, ("Yes", "yes"), "yes", [0, 1]),
    ],
)
def test_classes(
    read: Read, values: list[str], arguments: dict[str, Any], classes: tuple[str, ...],
    positive: str, indices: list[int],
) -> None:  # fmt: skip
    population = read(column(values), predictions={"lr": "p"}, **arguments)
    assert population.classes == classes
    assert population.positive == positive
    assert population.predictions["lr"].tolist() == indices


@pytest.mark.parametrize(
    ("first", "second", "classes", "indices"),
    [
        (["ham", "spam"], ["1", "0"], ("ham", "spam"), [1, 0]),
        (["0", "2", "1"], ["1", "1", "0"], ("0", "1", "2"), [1, 1, 0]),
        (["0", "2", "0"], ["1", "1", "0"], ("0", "1", "2"), [1, 1, 0]),
        (["a", "b", "a"], ["c", "a", "b"], ("a", "b", "c"), [2, 0, 1]),
    ],
)
def test_two_prediction_columns(
    read: Read, first: list[str], second: list[str], classes: tuple[str, ...], indices: list[int]
) -> None:
    population = read(column(first, second), predictions={"A": "p", "B": "q"})
    assert population.classes == classes
    assert population.predictions["B"].tolist() == indices


def test_without_predictions_the_classes_are_no_and_yes(read: Read) -> None:
    population = read(column(["0"]), scores={"lr": "s"})
    assert (population.classes, population.positive) == (("no", "yes"), "yes")
    assert population.predictions == {}
    assert read(column(["0"])).classifiers == ()


def test_a_threshold_takes_the_names_of_another_classifier(read: Read) -> None:
    population = read(
        column(["ham", "spam"]), scores={"A": "s"}, thresholds={"A": 0.5}, predictions={"B": "p"}
    )
    assert population.predictions["A"].tolist() == [1, 1]


@pytest.mark.parametrize(
    ("values", "arguments", "rule"),
    [
        (["spam", "spam"], {}, "only the class 'spam'; name all in classes"),
        (["x", "unsure"], {}, "a class must not be called 'unsure'"),
        (["x", "y"], {"classes": ["later", "x", "y"]}, "a class must not be called 'later'"),
        (["x", "y"], {"classes": ["x", "y", "broken"]}, "a class must not be called 'broken'"),
        (["1"], {"classes": ["x"]}, "classes must name two or more"),
        (["1"], {"classes": []}, "classes must name two or more"),
        (["x"], {"classes": ["x", "x"]},
         "classes must name each class once, got 'x' twice or more"),
        (["c1"], {"classes": [f"c{n}" for n in range(40_000)]}, "be at most 32,767 names"),
        (["x"], {"classes": ["x", ""]}, "classes must be names that are not empty"),
        (["0", "1"], {"positive": "spam"}, "one of the classes 'no', 'yes', got 'spam'"),
        (["x", "y"], {"classes": ["x", "y"], "positive": "z"}, "classes 'x', 'y', got 'z'"),
        (["x", "y", "z"], {"scores": {"lr": "s"}, "thresholds": {"lr": 0.5}}, "thresholds needs"),
        (["x", "y", "z"], {"scores": {"lr": "s"}, "descending": ["lr"]}, "descending needs two"),
        ([f"c{n}" for n in range(1100)], {}, "1,100 different values such as 'c0', 'c1', 'c10'"),
        (["0.25", "1", "0.5"], {}, "is this a column of scores"),
        (["Yes", "no", "yes", "yes "], {},
         "the predictions hold 'Yes', 'yes', 'yes ', which differ by capitals or spaces only"),
        (["pass", "fail"], {"passing": {"lr": ["Pass"]}}, "passing leaves out 'pass', differing"),
        (["pass", "Pass"], {"passing": {"lr": ["pass"]}}, "passing leaves out 'Pass', differing"),
        (["pass", "fail"], {"passing": {"lr": ["passed", "good"]}},
         "passing names 'passed', which no row holds; did you mean 'pass'?"),
        (["pass", "fail"], {"passing": {"lr": []}}, "passing['lr'] must name at least one value"),
        (["yes", " ", "no"], {}, "must be one of the classes 'no', 'yes' or 0/1"),
        (["v4"], {"classes": ["v4.0", "x"]}, "must be one of the classes 'v4.0', 'x'"),
    ],
)  # fmt: skip
def test_refused(
    faults_of: Callable[..., Sequence[Fault]], values: list[str], arguments: dict[str, Any],
    rule: str,
) -> None:  # fmt: skip
    (fault,) = faults_of(column(values), predictions={"lr": "p"}, **arguments)
    assert rule in fault.rule


def test_a_missing_column_leaves_classes_unjudged(
    faults_of: Callable[..., Sequence[Fault]],
) -> None:
    """The positive class may be one that only the missing column has."""
    names = {"lr": "p", "other": "r"}
    (fault,) = faults_of(column(["ham", "egg"]), predictions=names, positive="spam")
    assert "predictions['other'] names no column" in fault.rule


def test_known_grades_are_those_of_the_predictions_though_some_are_missing(read: Read) -> None:
    """A column of whole numbers with gaps is written by pandas with a point, as 3.0."""
    rows = column(["1", "5", "3"], ["", "1.0", "3.0"])
    found = read(rows, predictions={"judge": "p"}, known="q")
    assert found.classes == ("1", "3", "5")
    assert found.known is not None and found.known.tolist() == [-1, 0, 1]


def test_classes_that_only_known_answers_have_are_found(tmp_path: Path) -> None:
    """With more than two classes: a labeller may then give them, too."""
    path = tmp_path / "items.csv"
    rows = [f"{n},a,{'xyz'[n % 3]},{'memo' if n == 4 else ''}" for n in range(9)]
    path.write_text("\n".join(["id,text,p,checked", *rows]))
    arguments = {"id": "id", "content": "text", "predictions": {"c": "p"}, "known": "checked"}
    found = lc.read_population(path, **arguments)
    assert found.classes == ("memo", "x", "y", "z")
    assert found.known.tolist().count(0) == 1
    with pytest.raises(PopulationError, match="must be one of the classes 'x', 'y', 'z'"):
        lc.read_population(path, **arguments, classes=["x", "y", "z"])
    path.write_text(path.read_text().replace(",z,", ",y,"))
    with pytest.raises(PopulationError, match="must be one of the classes 'x', 'y'"):
        lc.read_population(path, **arguments)
