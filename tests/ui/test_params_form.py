"""What is wrong with a plan, from the same error in Python and on the form."""

from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import ParameterError, PlanArgumentError
from labelcore.words.arguments import refusal_words


def refused(design: str, estimand: str, **params: Any) -> ParameterError:
    with pytest.raises(ParameterError) as caught:
        lc.Plan(design, estimand, params=params, budget=100)
    return caught.value


@pytest.mark.parametrize(
    ("design", "estimand", "params", "argument", "value", "python", "form"),
    [
        (
            "recalibrated_neyman", "precision", {"n_above": 0}, "n_above", 0,
            "params['n_above'] must lie between 1 and 100, got 0",
            "N above must lie between 1 and 100, got 0",
        ),
        (
            "oversampling", "precision", {"assumed_precision": 0.9}, "assumed_precision", 0.9,
            "params['assumed_precision'] = 0.9 needs params['assumed_recall'] beside it",
            "Assumed precision = 0.9 needs assumed recall beside it",
        ),
        (
            "paula", "precision_curve", {"epsilon": 0.1, "window": 8, "first_rank": 20},
            "first_rank", 20,
            "params: first_rank must be at least (window + 2) / epsilon = 100, got 20",
            "First rank must be at least (window + 2) / epsilon = 100, got 20",
        ),
        (
            "simple_random", "accuracy", {"helpers": ["length"]}, "helpers", None,
            "params['helpers'] need interval 'difference', got interval 'wilson'",
            "Helpers need interval “helped by other columns (planned size only)”, got interval "
            "“labels only”",
        ),
        (
            "reach_selection", "selection",
            {"precision_threshold": 0.5, "precision_slack": 0.6}, "precision_slack", 0.6,
            "params: precision_slack must lie between 0 and precision_threshold = 0.5, got 0.6",
            "Precision slack must lie between 0 and precision threshold = 0.5, got 0.6",
        ),
    ],
)  # fmt: skip
def test_a_form_calls_a_parameter_by_its_label(
    design: str, estimand: str, params: dict[str, Any], argument: str, value: Any, python: str,
    form: str,
) -> None:  # fmt: skip
    error = refused(design, estimand, **params)
    assert (error.argument, error.value) == (argument, value)
    assert (str(error), refusal_words(error)) == (python, form)


def test_a_value_that_is_called_like_a_parameter_stays_as_it_is() -> None:
    """A column of a file may be called sample_size, as a parameter of the method is."""
    error = refused("recycling", "precision", parent="sample_size", children=["sample_size"])
    assert str(error) == "params['children'] must not name the parent, got 'sample_size'"
    assert refusal_words(error) == "Children must not name the parent, got 'sample_size'"


def test_a_page_may_call_a_parameter_otherwise() -> None:
    error = refused("reach_selection", "selection", candidates=[50, 50])
    from labelcore.papers.reach_selection.planner import called

    assert str(error) == "params['candidates'] names one twice: (50, 50)"
    assert refusal_words(error, called) == "The list of candidates names one twice: (50, 50)"


def test_a_sentence_may_name_a_parameter_in_its_middle() -> None:
    with pytest.raises(PlanArgumentError) as caught:
        lc.Plan(
            "reach_selection", "selection", classifier=["lr", "candidates"], budget=100,
            params={"candidates": [50]},
        )  # fmt: skip
    said = "among params['candidates'] only; name 'candidates' there too"
    assert said in str(caught.value)
    assert "among candidates only; name 'candidates' there too" in refusal_words(caught.value)
