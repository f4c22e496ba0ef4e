"""How often a false claim is certified at any look.

    python -m benchmarks.false_claims [--quick] [--runs 200] [--only WORD] [--write]

Every claim is at its boundary: the number claimed is the true one, and two classifiers that are
compared are equally good. To certify "at least" and to certify "at most" are both errors then, each
of which may befall 5 % of the sessions. The files are those of ``benchmarks.coverage``, one plan a
claim as ``labelcore`` makes it; evidence is read at about 100 numbers of labels in constant ratio,
from the first to the last. The estimate need not lie on the claimed side here, which the package
asks for besides. Sessions are seeded as in ``benchmarks.coverage``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

import labelcore as lc
from benchmarks import harness
from benchmarks.coverage_jobs import Files, Job, cases_of, generator, jobs, plan_of
from benchmarks.coverage_tables import grouped, number
from benchmarks.harness import MADE, Benchmark, Options, Rows, command, flat, table
from benchmarks.populations import Known
from benchmarks.sessions import FloatArray, Session
from labelcore.designs.base import IntArray
from labelcore.errors import PlanError
from labelcore.stats.evidence import log_evidence_at

ALPHA, LOOKS, PLACES = 0.05, 100, 12
COMPARED = ("accuracy", "precision", "recall")
HEAD = f"""# Is a false claim certified?

{MADE}

Every claim is exactly at its boundary, so that certifying it and certifying its opposite are both
errors, each of which may befall at most 5 % of the sessions, at whatever look. For one share of a
plain random sample the chance is also calculated exactly, by dynamic programming over all sequences
(`tests/stats/test_evidence.py`).

"""


def boundary_claims(files: Files) -> Iterator[tuple[str, float]]:
    """Each claim that is exactly at its boundary, with the true value; comparisons of two
    classifiers that are equally good have none."""
    for key, truth in files.truth.items():
        if 0 < truth < 1 and "@" not in key:
            yield f"{key} >= {truth:.{PLACES}f}", truth
    rivals = files.known.population.classifiers
    if len(rivals) == 2 and not files.process and tied(files.known):
        for name in COMPARED:
            yield f"{name}[{rivals[0]}] > {name}[{rivals[1]}]", math.nan


def tied(file: Known) -> bool:
    """Whether both classifiers call as many items of each class so."""
    one, other = (file.population.predictions[name] for name in file.population.classifiers)
    classes = range(len(file.population.classes))
    return all(
        np.sum((one == said) & (file.codes == truth))
        == np.sum((other == said) & (file.codes == truth))
        for said in classes
        for truth in classes
    )


def measure(job: Job) -> list[dict[str, Any]]:
    """A row for every claim about the file of a job."""
    files = Files(replace(job, fixed=0))
    return [
        row for text, truth in boundary_claims(files) if (row := one_claim(job, files, text, truth))
    ]


def one_claim(job: Job, files: Files, text: str, truth: float) -> dict[str, Any] | None:
    """The shares of sessions that ever certify the claim and its opposite; None where the design
    does not take the claim."""
    plan = replace(plan_of(job, files.known.classifier), promise="watched", claims=(text,))
    try:
        certified = np.concatenate(list(settled(job, files, plan)))
    except PlanError:
        return None
    return {
        "population": job.case,
        "design": job.title,
        "claim": text.replace(">", "=")
        if math.isnan(truth)
        else f"{text.split(' >=')[0]} = {truth:.4f}",
        "labels": job.labels,
        "sessions": len(certified),
        "for": float(certified[:, 0].mean()),
        "against": float(certified[:, 1].mean()),
    }


def settled(job: Job, files: Files, plan: lc.Plan) -> Iterator[np.ndarray]:
    """Whether each session ever certified the claim, and its opposite, (n_sessions, 2), file by
    file."""
    if files.process:
        for run in range(job.watched):
            random = generator(job, run)
            yield certified([files.with_plan(plan, random).session(random)])
        return
    prepared = files.with_plan(plan, generator(job, 0))
    for start in range(0, job.watched, files.together):
        numbers = range(start, min(start + files.together, job.watched))
        yield certified([prepared.session(generator(job, run)) for run in numbers])


def certified(sessions: Sequence[Session]) -> np.ndarray:
    """(n_sessions, 2) for sessions of one file, labelled to their end here."""
    engine = sessions[0].engine
    claim = engine.claims[0]
    edges = np.unique(np.rint(np.geomspace(1, engine.limit, LOOKS)).astype(int))
    by_session = []
    for session in sessions:
        session.go_to(engine.limit)
        by_session.append(counts(session, edges))
    labelled, positive = map(np.concatenate, zip(*by_session, strict=True))
    found = []
    for linear in (claim.linear[0], claim.linear[0].opposite):
        evidence = log_evidence_at(
            claim.tally.size, labelled, positive, linear, claim.rates, target=engine.plan.target
        )
        found.append((evidence.reshape(len(sessions), -1) >= -math.log(ALPHA)).any(axis=1))
    return np.stack(found, axis=1)


def counts(session: Session, edges: IntArray) -> tuple[FloatArray, FloatArray]:
    """Labels and positives in each cell of the claim at each look, (n_looks, n_cells)."""
    claim, order = session.engine.claims[0], session.engine.drawn_positions
    before = claim.tally.emptied()
    cells = before.after_each(order, session.codes[order], claim.class_index)
    return cells.labelled[edges - 1], cells.positive[edges - 1]


def of_command(options: Options) -> dict[str, harness.Job]:
    cases = cases_of(options)
    return {
        job.name: partial(measure, job)
        for job in jobs(options.data, cases, 0, options.runs)
        if not job.variant and job.labels == max(cases[job.case].watched, default=0)
    }


def tables(found: Rows, options: Options) -> str:
    rows = flat(found)
    worst = sorted(rows, key=lambda row: -max(row["for"], row["against"]))
    noise = math.sqrt(ALPHA * (1 - ALPHA) / max(row["sessions"] for row in rows))
    return "\n".join(
        [
            f"{len(rows)} claims, {max(row['sessions'] for row in rows):,} sessions each. "
            f"The standard error of a share of .05 is "
            f"{100 * noise:.1f} points.\n",
            "## By design\n",
            by_design(rows, ALPHA + 2 * noise),
            "## Every claim, the worst first\n",
            table(
                ("population", "design", "claim, and the truth", "labels", "certified",
                 "opposite certified"),
                [(row["population"], row["design"], row["claim"], row["labels"],
                  number(row["for"]), number(row["against"])) for row in worst],
            ),
        ]
    )  # fmt: skip


def by_design(rows: list[dict[str, Any]], limit: float) -> str:
    found = []
    for (design,), part in sorted(grouped(rows, "design").items()):
        shares = np.array([(row["for"], row["against"]) for row in part])
        found.append(
            (design, len(part), number(float(shares.mean())), number(float(shares.max())),
             int((shares > limit).sum()))
        )  # fmt: skip
    names = ("design", "claims", "mean", "most", f"over {limit:.3f} (two standard errors)")
    return table(names, found)


BENCHMARK = Benchmark(
    name="false_claims", about=__doc__, jobs=of_command, tables=tables, runs=200, quick_runs=20,
    page="false_claims.md", head=HEAD,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
