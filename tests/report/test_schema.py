"""JSON reports keep to their published schema."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from labelcore.report import report_json
from tests.report.conftest import Made
from tests.report.sessions import as_json, begun, label

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")

SCHEMA = json.loads((Path(__file__).parents[2] / "docs/report.schema.json").read_text("utf-8"))


def faults(values: Any) -> list[str]:
    found = Draft202012Validator(SCHEMA).iter_errors(values)
    return [f"{one.json_path}: {one.message[:200]}" for one in found]


def test_the_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


def test_a_finished_session_keeps_to_it(made: Made) -> None:
    assert faults(as_json(report_json(made.session))) == []


@pytest.mark.parametrize(
    "plan",
    [
        {"claims": ["precision >= 0.1"]},
        {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 120},
        {"design": "reach_selection", "estimands": ["selection"]},
    ],
    ids=lambda plan: next(iter(plan.values())),
)
def test_claims_curves_and_choices_keep_to_it(tmp_path: Path, plan: dict[str, Any]) -> None:
    session, truth = begun(tmp_path, **plan)
    assert faults(as_json(report_json(session))) == []
    label(session, truth, 20, eventful=False)
    assert faults(as_json(report_json(session))) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda values: values.pop("results"),
        lambda values: values.update(more=1),
        lambda values: values["results"]["precision"].pop("low"),
        lambda values: values["log"].update(seal="x"),
    ],
)
def test_another_shape_is_found(made: Made, spoil: Callable[[Any], object]) -> None:
    values = as_json(report_json(made.session))
    spoil(values)
    assert faults(values)
