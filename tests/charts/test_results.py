"""Each kind of result as a figure and in a notebook."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import labelcore as lc
from labelcore.results.label_error import LabelError
from labelcore.testing.known import calibrated
from tests.answering import answer_draws


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    known = calibrated(tmp_path_factory.mktemp("figures"), 200, seed=2)

    def ended(plan: lc.Plan) -> lc.Session:
        return answer_draws(lc.Session(known.population, plan), known)

    asked = ["precision", "precision_curve"]
    claim = "precision >= 0.2"
    plain = ended(lc.Plan("recalibrated_neyman", asked, claims=[claim], budget=80)).results()
    wanted = {"candidates": [20, 60], "precision_threshold": 0.5}
    chosen = ended(lc.Plan("reach_selection", ["selection"], params=wanted, budget=60)).results()
    return {
        "estimate": plain["precision"],
        "band": plain["precision_curve"],
        "claim": plain[claim],
        "choice": chosen["selection"],
    }


@pytest.mark.parametrize("kind", ["estimate", "band", "claim", "choice"])
def test_a_result_has_a_figure_and_a_sentence_in_html(kind: str, results: Any) -> None:
    result = results[kind]
    figure = result.figure()
    assert len(figure.data) >= 1
    assert result._repr_html_().startswith("<p>")


def test_the_figure_of_an_estimate_is_its_interval(results: Any) -> None:
    estimate = results["estimate"]
    estimate = replace(estimate, value=0.8, low=0.4, high=0.9)
    (row,) = estimate.figure().data
    assert row.x == (0.4, 0.8, 0.9) and np.flatnonzero(row.marker.size).tolist() == [1]
    (wide,) = replace(estimate, low=0.1).figure().data
    assert wide.x == (0.1, 0.9) and wide.mode == "lines", "no point where no value is told"
    empty = replace(estimate, value=None, low=0.0, high=1.0, state="nothing")
    assert len(empty.figure().data) == 0


def test_the_figure_of_a_claim_is_its_evidence(results: Any) -> None:
    claim = results["claim"]
    figure = claim.figure()
    assert figure.data[0].y[0] == pytest.approx(claim.evidence)
    assert figure.layout.shapes[0].y0 == pytest.approx(1 / claim.alpha)


def test_a_name_from_a_file_is_not_read_as_markup(results: Any, hostile: str) -> None:
    estimate = replace(results["estimate"], estimand=f"precision@{hostile}")
    scoped = replace(estimate, scope=replace(estimate.scope, classifier=hostile, file=hostile))
    assert "<img" not in scoped._repr_html_()
    assert "<img" not in scoped.figure().to_json()


def test_a_result_without_a_figure_says_so(look: Callable[..., object]) -> None:
    with pytest.raises(TypeError, match="no figure of a LabelError"):
        LabelError.figure(object.__new__(LabelError))
