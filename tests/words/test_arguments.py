"""A refused plan: one error with argument, value and rule, in Python's words and in the pages'."""

from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import PlanArgumentError
from labelcore.words.arguments import ARGUMENTS, refusal_words

SOUND: dict[str, Any] = {"design": "simple_random", "estimands": ["accuracy"], "budget": 100}


@pytest.mark.parametrize(
    ("values", "argument", "value", "python", "page"),
    [
        (
            {"budget": 0}, "budget", 0,
            "budget must be at least 1, got 0",
            "Number of items must be at least 1, got 0",
        ),
        (
            {"margin": 0.7}, "margin", 0.7,
            "margin must lie between 0 and 0.5, got 0.7",
            "Goal must lie between 0 and ± 50 points, got ± 70 points",
        ),
        (
            {"design": "paula", "estimands": ["precision_curve"], "target": "process"},
            "target", "process",
            "target must be file for design 'paula', got 'process'",
            "Scope must be “This file” for “PAULA”, got “Items like these”",
        ),
        (
            {"design": "stratified", "by": "language"}, "by", None,
            "by needs a method that draws by group, which design 'stratified' does not; "
            "recalibrated_neyman, agreement_patterns do",
            "Choice of groups needs a method that draws by group, which “Strata by sureness” does "
            "not; “Recalibrated Neyman”, “Agreement patterns” do",
        ),
        (
            {"estimands": ["average_precision"], "promise": "watched"}, "promise", "watched",
            "promise 'watched' cannot go with 'average_precision' by this method, measured at the "
            "planned size only; use promise 'fixed', or watch it with design 'geometric_strata'",
            "“I look while I label, and may stop when I like” cannot go with “Average precision” "
            "by this method, measured at the planned size only; use “I look once, when all planned "
            "labels are there”, or watch it with “Geometric strata”",
        ),
        (
            {"design": "recalibrated_neyman", "budget": 9, "promise": "watched"}, "budget", 9,
            "budget must be at least 40 for promise 'watched' with design 'recalibrated_neyman', "
            "got 9; use a larger one or promise 'fixed'",
            "Number of items must be at least 40 for “I look while I label, and may stop when I "
            "like” with “Recalibrated Neyman”, got 9; use a larger one or “I look once, when all "
            "planned labels are there”",
        ),
        (
            {"design": "paula", "estimands": ["precision_curve"], "promise": "watched"},
            "promise", "watched",
            "promise 'watched' cannot go with design 'paula', which has fixed",
            "“I look while I label, and may stop when I like” cannot go with “PAULA”, which has "
            "“I look once, when all planned labels are there”",
        ),
        (
            {"design": "stratified", "existing": "random"}, "existing", "random",
            "existing 'random' cannot go with design 'stratified', which does not use existing "
            "labels; it works with simple_random, recalibrated_neyman, paired_comparison, "
            "agreement_patterns, and any method with existing 'ignored'",
            "“A random sample of this file” cannot go with “Strata by sureness”, which does not "
            "use existing labels; it works with “Plain random sample”, “Recalibrated Neyman”, "
            "“Paired comparison”, “Agreement patterns”, and any method with “I do not want to use "
            "them”",
        ),
        (
            {"stop": "choice"}, "stop", "choice",
            "stop names 'choice', which is not available for design 'simple_random'; known are "
            "margin, claims, deadline",
            "Stop rule names 'choice', which is not available for “Plain random sample”; known "
            "are margin, claims, deadline",
        ),
        (
            {"claims": ["budget >= 0.5"]}, "claims", "budget >= 0.5",
            "claims holds 'budget >= 0.5', which must begin with one of ",
            "List of claims holds 'budget >= 0.5', which must begin with one of ",
        ),
    ],
)  # fmt: skip
def test_a_refusal_is_worded_for_python_and_for_the_page(
    values: dict[str, Any], argument: str, value: Any, python: str, page: str
) -> None:
    with pytest.raises(PlanArgumentError) as caught:
        lc.Plan(**{**SOUND, **values})
    error = caught.value
    assert (error.argument, error.value) == (argument, value)
    assert error.rule
    assert str(error).startswith(python)
    assert refusal_words(error).startswith(page) and "_" not in page


def test_a_value_with_braces_is_told_as_it_is() -> None:
    hostile = "{plan.budget} {params.x} {value} {0}"
    with pytest.raises(PlanArgumentError, match="does not have; known are") as caught:
        lc.Plan(**{**SOUND, "params": {hostile: 1}})
    assert f"names {hostile!r}, which" in str(caught.value)
    assert f"names {hostile!r}, which" in refusal_words(caught.value)
    with pytest.raises(PlanArgumentError) as caught:
        lc.Plan(**{**SOUND, "design": hostile})
    assert str(caught.value).startswith(f"design names {hostile!r}, which is not known")


def test_every_name_of_the_pages_is_an_argument_of_a_plan() -> None:
    assert set(ARGUMENTS) <= set(lc.Plan.__dataclass_fields__)
