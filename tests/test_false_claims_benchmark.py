"""The benchmark of false claims reads the evidence that a session would show."""

import math
from dataclasses import replace

import numpy as np
import pytest

from benchmarks import reasons
from benchmarks.coverage_jobs import Files, Job, plan_of
from benchmarks.false_claims import boundary_claims, certified, counts, measure
from benchmarks.sessions import Prepared
from labelcore.figures.claims import claim_results
from labelcore.stats.evidence import log_evidence_at
from labelcore.stats.proportion import share_interval

LABELS = 60


def job_of(name: str, design: str = "recalibrated_neyman") -> Job:
    return Job(name, design, "", LABELS, 0, 20, None)


def prepared_for(job: Job, text: str) -> Prepared:
    files = Files(job)
    plan = replace(plan_of(job, files.known.classifier, "watched"), claims=(text,))
    return files.with_plan(plan, np.random.default_rng(1))


@pytest.mark.parametrize("design", ["simple_random", "recalibrated_neyman"])
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a tie of two classifiers", "recall >= 0.54"),
        ("a tie of two classifiers", "accuracy[c] > accuracy[d]"),
        ("three classes", "precision[b] >= 0.8"),
        ("three classes", "accuracy >= 0.8"),
    ],
)
def test_counts_at_each_look_give_the_evidence_of_a_session(
    name: str, text: str, design: str
) -> None:
    prepared = prepared_for(job_of(name, design), text)
    session = prepared.session(np.random.default_rng(2))
    session.go_to(LABELS)
    edges = np.array([1, 7, 30, LABELS])
    claim = session.engine.claims[0]
    labelled, positive = counts(session, edges)
    found = log_evidence_at(
        claim.tally.size, labelled, positive, claim.linear[0], claim.rates, target="file"
    )
    step = prepared.again(session)
    for place, labels in enumerate(edges):
        step.go_to(int(labels))
        shown = claim_results(step.engine)[text].log_evidence
        assert found[place] == pytest.approx(shown, abs=1e-6)


def test_a_tie_is_exactly_one() -> None:
    job = job_of("a tie of two classifiers")
    claims = dict(boundary_claims(Files(job)))
    compared = [text for text, truth in claims.items() if math.isnan(truth)]
    assert len(compared) == 3 and len(claims) == 7
    for text in claims:
        prepared = prepared_for(job, text)
        claim = prepared.engine.claims[0]
        totals = np.bincount(
            claim.tally.cell_of, prepared.codes == claim.class_index, len(claim.tally.size)
        )
        gap = claim.linear[0].constant + float(claim.linear[0].weight @ totals)
        scale = float(np.abs(claim.linear[0].weight) @ claim.tally.size)
        assert gap == pytest.approx(0.0, abs=1e-10 * scale)


def test_a_claim_far_from_the_truth_is_certified_and_its_opposite_is_not() -> None:
    """What the benchmark counts does happen where it should."""
    prepared = prepared_for(job_of("a tie of two classifiers", "simple_random"), "accuracy >= 0.4")
    random = np.random.default_rng(3)
    found = certified([prepared.session(random) for _ in range(20)])
    assert found[:, 0].mean() > 0.9 and not found[:, 1].any()


@pytest.mark.full
def test_every_claim_at_its_boundary_has_a_row() -> None:
    rows = measure(job_of("three classes", "simple_random"))
    assert len(rows) == 7 and {row["sessions"] for row in rows} == {20}
    one_part = [row["claim"].split(" ")[0] for row in measure(job_of("redrawn file"))]
    assert one_part == ["precision"], "claims about items like these rest on one part"


def test_a_low_cell_of_a_plain_sample_has_its_calculated_coverage() -> None:
    cell = {"population": "400 items", "design": "simple_random", "promise": "fixed",
            "labels": 240, "estimand": "accuracy", "kept": 0.939, "kept se": 0.004,
            "runs": 3000}  # fmt: skip
    exact = reasons.exact_coverage("400 items", "accuracy", 240, None)
    assert exact is not None and 0.9 < exact < 0.95
    calculated = f"counts are whole numbers: {exact:.4f} by calculation"
    assert reasons.reason(cell, None) == calculated
    assert reasons.reason({**cell, "runs": 30}, None) == "within two standard errors of 0.945"
    assert reasons.reason({**cell, "kept": 0.95}, None) == ""
    strata = {**cell, "design": "recalibrated_neyman", "estimand": "recall", "kept": 0.94}
    assert reasons.reason(strata, None) == "within two standard errors of 0.945"
    assert reasons.reason({**strata, "kept": 0.93}, None) == reasons.FOUND["fixed"]


def test_calculated_coverage_is_what_samples_show() -> None:
    size, hits, trials, runs = 60, 52, 25, 4000
    random = np.random.default_rng(1)
    seen = random.hypergeometric(hits, size - hits, trials, runs)
    ends = [share_interval(int(s), trials, size, 0.95) for s in seen]
    share = np.mean([low - 1e-9 <= hits / size <= high + 1e-9 for low, high in ends])
    exact = reasons.coverage(size, hits, trials)
    assert share == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / runs))
