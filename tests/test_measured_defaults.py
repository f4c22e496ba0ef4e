"""Defaults that a page of docs/ measured or promises: who changes one goes over that page again.

Each row names the page, words of it that rest on the default, where the default stands, and it.
"""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

import labelcore as lc
from labelcore.stats.sequences import first_watched_look
from labelcore.testing.known import Known, calibrated
from tests.cases import once

ALLOCATION, CLAIMS, VALIDITY = "default_allocation.md", "claims.md", "validity.md"
NEYMAN = "designs.score_frame"
PATTERNS, PATTERN = "agreement_patterns.md", "designs.pattern_frame"
BATCHES, PROPORTION = "designs.neyman_batches", "stats.proportion"
PAIRS = "methods/paired_comparison.md"
EXISTING, DIFFERENCE = "existing_labels.md", "stats.difference_estimator"
REACH, STRATIFIED = "papers/001_reach_selection.md", "papers/002_stratified.md"
OVERSAMPLING, CURVES = "papers/003_oversampling.md", "papers/004_curves.md"

CONSTANTS: list[tuple[str, str, str, object]] = [
    (CLAIMS, "A plan with claims takes 1 / 4, floor .5", f"{NEYMAN}.CLAIM_STRATA", (1, 4)),
    (CLAIMS, "A plan with claims takes 1 / 4, floor .5", f"{NEYMAN}.CLAIM_FLOOR", 0.5),
    (CLAIMS, '"shifted" is `log_shifted`, the predictive in use',
     "stats.predictives.SCALES", (0.3, 1.0, 3.0)),
    (ALLOCATION, "none better everywhere. The edges stay.", f"{NEYMAN}.STRATA", (6, 12)),
    (ALLOCATION, "for every five labels, up to 12", f"{NEYMAN}.LABELS_EACH", 5),
    (ALLOCATION, "for every five labels, up to 12", f"{NEYMAN}.FEW_STRATA", 12),
    (ALLOCATION, "for every twelve labels, up to 18", f"{NEYMAN}.LABELS_OF_MORE", 12),
    (ALLOCATION, ".1 of the labels instead of .35 and .2", f"{NEYMAN}.FLOOR", 0.1),
    (ALLOCATION, ".1 of the labels instead of .35 and .2", f"{NEYMAN}.NEYMAN_FLOOR", 0.2),
    (ALLOCATION, ".1 of the labels instead of .35 and .2", f"{BATCHES}.EARLY_FLOOR", 0.35),
    (ALLOCATION, "A stored plan without it draws as before", f"{BATCHES}.EARLY_UNTIL", 0.3),
    (ALLOCATION, "plan without it draws as before", f"{BATCHES}.FIRST_LABELS_PER_STRATUM", 2),
    (ALLOCATION, "tenth of the labels by the shares of each", "designs.two_ended.OWN_SHARE", 0.1),
    (ALLOCATION, "Two to four labels in each stratum first", "designs.two_ended.FEWEST_FIRST", 2),
    (ALLOCATION, "Two to four labels in each stratum first", "designs.two_ended.MOST_FIRST", 4),
    (VALIDITY, "three hits or misses, and with at most 30 items", f"{PROPORTION}.FEW_HITS", 3),
    (VALIDITY, "three hits or misses, and with at most 30 items", f"{PROPORTION}.FEW_LEFT", 30),
    (VALIDITY, '"At least five strata" for the watched band', "stats.sequences.MINIMUM_STRATA", 5),
    ("horizon.md", "z = c tau^(0.15 - 1/2)", "stats.horizon.DELTA", 0.15),
    (EXISTING, "refuses it at p < 0.0001", "plan.existing.REFUSED_BELOW", 1e-4),
    (EXISTING, "With fewer than 20 labels of the rarer outcome", f"{DIFFERENCE}.LEAST_OF_EACH", 20),
    (EXISTING, "half a surprise added .79 of such intervals held", f"{DIFFERENCE}.DOUBT", 2.0),
    ("label_error.md", "from 20 second answers on", "results.label_error.ENOUGH", 20),
    (PATTERNS, "24 strata, half of them of what nobody calls positive", f"{PATTERN}.STRATA", 24),
    (PATTERNS, "With claims 8 strata instead of 24", f"{PATTERN}.CLAIM_STRATA", 8),
    (PATTERNS, "more than a quarter of them", f"{PATTERN}.LABELS_EACH", 4),
    (PATTERNS, "The votes of the classifiers in the fit", f"{PATTERN}.VOTE_WEIGHT", 4.0),
    (PATTERNS, "the square of .75 of the most", "designs.two_ended.FORMER_MISSED", 0.75),
    (PATTERNS, "with 1.0 for .75 the same precision", "designs.two_ended.MISSED", 1.0),
    (PATTERNS, "A tenth of the labels for each kind of figure", f"{PATTERN}.OWN_SHARE", 0.1),
    ("paired.md", "below 15 such a plan is refused", f"{PATTERN}.PROCESS_DISAGREEMENTS", 15),
    ("paired.md", "labels that go where the two disagree", "designs.paired_comparison.FLOOR", 0.2),
    ("paired.md", "labels that go where the two disagree", "designs.paired_comparison.DIFFER", 6),
    ("paired.md", "labels that go where the two disagree", "designs.paired_comparison.AGREE", 3),
    (PAIRS, "empty: 6, with claims 3", "designs.paired_comparison.CLAIM_DIFFER", 3),
    (PAIRS, "empty: 3, with claims 1", "designs.paired_comparison.CLAIM_AGREE", 1),
    ("papers/000_recycling.md", "| 1068, 385, 278 |", "papers.recycling.design.DRAWS", 1068),
    ("watched_curves.md", "half of a piece", "stats.watched_curve.LAST_SHARE", 0.5),
    ("watched_curves.md", "after every fifth label", "designs.curves.LOOK_EVERY", 5),
    ("watched_curves.md", "Pieces have about sixteen labels", "stats.rank_strata.PIECES", (16, 64)),
    ("watched_curves.md", "two standard deviations of a random", "stats.rank_band.BRIDGE", 2.0),
    (OVERSAMPLING, "get at least 30 labels", "papers.oversampling.groups.LEAST_ABOVE", 30),
    ("threat_model.md", "20 wrong ones in a minute", "team.entrance.FAILED", 20),
    ("threat_model.md", "40 connections and 3 uploads a person", "team.entrance.SOCKETS", 40),
    ("threat_model.md", "40 connections and 3 uploads a person", "team.entrance.UPLOADING", 3),
    ("roles.md", "link ends after 90 days", "team.register.DAYS", 90),
    ("roles.md", "a session that it opened after 12 hours", "team.entrance.HOURS", "12"),
]  # fmt: skip

PARAMETERS: list[tuple[str, str, str, str, object]] = [
    ("curves.md", "ppdb_pairs, model | 1.25 |", "geometric_strata", "growth", 1.25),
    ("curves.md", "ppdb_pairs, model | 1.25 |", "geometric_strata", "first_edge", 50),
    ("paula.md", "`epsilon` (.03)", "paula", "epsilon", 0.03),
    ("paula.md", "`window` (Delta, 100)", "paula", "window", 100),
    (CURVES, "PAULA needs at epsilon .03", "logarithmic_stratified", "epsilon", 0.03),
    (CURVES, "logarithmic strata, fixed sizes", "logarithmic_stratified", "sampling", "fixed"),
    ("paired.md", "serve all four differences at once here", "paired_comparison", "focus", "all"),
    ("papers/000_recycling.md", "`shuffle` is the default", "recycling", "option", "shuffle"),
    (REACH, "at T 5,000, 9 candidates, .9/.1/.1", "reach_selection", "precision_threshold", 0.9),
    (REACH, "at T 5,000, 9 candidates, .9/.1/.1", "reach_selection", "precision_slack", 0.1),
    (REACH, "at T 5,000, 9 candidates, .9/.1/.1", "reach_selection", "reach_slack", 0.1),
    (REACH, "pooled sampling, right and guaranteed", "reach_selection", "sampler", "pooled"),
    (REACH, "The default bounds", "reach_selection", "bound", "prior_posterior_ratio"),
    (STRATIFIED, "`cbrt` with ten strata is the default", "stratified", "stratification", "cbrt"),
    (STRATIFIED, "`cbrt` with ten strata is the default", "stratified", "n_strata", 10),
    (STRATIFIED, "`proportional` (default)", "stratified", "allocation", "proportional"),
    (OVERSAMPLING, '"optimal" (s\\*, never below 1)', "oversampling", "ratio", "optimal"),
    (OVERSAMPLING, "at the planned size: `normal`", "oversampling", "interval", "normal"),
]  # fmt: skip
known = once(calibrated, 2000, seed=1)


def page_says(root: Path, page: str, words: str) -> bool:
    return words in " ".join((root / "docs" / page).read_text("utf-8").split())


@pytest.mark.parametrize(("page", "words", "where", "value"), CONSTANTS)
def test_constant(root: Path, page: str, words: str, where: str, value: object) -> None:
    module, _, name = where.rpartition(".")
    found = getattr(importlib.import_module(f"labelcore.{module}"), name)
    assert found == value, f"measured in docs/{page}"
    assert page_says(root, page, words), "the page does not say it any more"


@pytest.mark.parametrize(("page", "words", "design", "name", "value"), PARAMETERS)
def test_parameter(
    root: Path, page: str, words: str, design: str, name: str, value: object
) -> None:
    assert getattr(lc.DESIGNS[design].Params(), name) == value, f"measured in docs/{page}"
    assert page_says(root, page, words), "the page does not say it any more"


@pytest.mark.parametrize(
    ("claims", "strata", "allocation"),
    [(("accuracy >= 0.7",), (1, 4), "neyman"), ((), (6, 12), "two_ended")],
)
def test_strata_and_rule_of_a_plan(
    known: Known, claims: Sequence[str], strata: tuple[int, int], allocation: str
) -> None:
    """With claims those of docs/claims.md, else those of docs/default_allocation.md."""
    plan = lc.Plan("recalibrated_neyman", ["recall"], claims=claims, promise="fixed", budget=300)
    session = lc.Session(known.population, plan)
    predicted = session.engine.frame.predicted
    assert (np.count_nonzero(predicted), np.count_nonzero(~predicted)) == strata
    assert session.engine.setup.params.allocation == allocation


def test_first_look_of_the_watched_band() -> None:
    """Of plans of the rules before: at a tenth of the labels, and the least there is."""
    assert [first_watched_look(planned) for planned in (100, 400, 500)] == [40, 40, 50]


def test_plan() -> None:
    """README.md and every page: 95 %, of this file, each number by itself, nothing read twice."""
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=100)
    assert (plan.confidence, plan.target, plan.together) == (0.95, "file", False)
    assert (plan.repeats, plan.existing) == (0.0, None)
