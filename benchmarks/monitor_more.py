"""A fall in one group alone: for ``benchmarks.monitor``."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Row
from benchmarks.monitor_sessions import Case, Prepared, chosen
from labelcore.estimands import SCALARS
from labelcore.stats.profile import Cells, FloatArray
from labelcore.waves.evidence import LONGEST, requirement_evidence, threshold

SEED, WAVES, ERROR, BY = 37, 52, 0.05, 0.10
POOL = 20_000
IN_GROUP = "a fall in one group"
GROUPED_LABELS, FALLING, N_GROUPS = 300, 1, 4
"""Which group falls: the one with three tenths of the items."""
QUIET, WITHIN = (6, 25), (1, 2, 4, 8)


def in_group(case: Case, figure: str, folder: Path, series: int) -> list[Row]:
    """Four requirements, one for each group, share the error rate; one group falls. Beside: what
    the requirement on all items notices, alone with the error rate."""
    random = np.random.default_rng([SEED, 6])
    prepared = Prepared(case, folder, labels=GROUPED_LABELS, grouped=True)
    quiet = prepared.sessions(prepared.positive, POOL, random)
    lower = prepared.sessions(prepared.fallen(figure, BY, FALLING), 2_000, random)
    row: Row = {"file": case.name, "figure": figure, "watch": IN_GROUP, "series": series,
                "true": prepared.value(figure, group=FALLING)}  # fmt: skip
    false = _alarmed(prepared, figure, chosen([quiet], [WAVES], series, random), 0)
    row |= {f"false, {who}": float(found[-1].mean()) for who, found in false.items()}
    for before in QUIET:
        start = max(0, before - LONGEST)
        mixed = chosen([quiet, lower], [before - start, max(WITHIN)], series, random)
        for who, found in _alarmed(prepared, figure, mixed, before - start).items():
            row |= {f"{who}, {before} quiet, {one}": float(found[one - 1].mean()) for one in WITHIN}
    return [row]


def _alarmed(
    prepared: Prepared, figure: str, waves: Cells, first: int
) -> dict[str, NDArray[np.bool_]]:
    """Whether each series has had an alarm of any group, and of all items, from wave ``first`` on,
    (n_waves - first, series)."""
    lines = [*range(N_GROUPS), None]
    found = {}
    for who, own in (("groups", lines[:-1]), ("all items", lines[-1:])):
        limit = threshold(WAVES, ERROR / len(own))
        each = [_evidence(prepared, figure, waves, first, group) >= limit for group in own]
        found[who] = np.logical_or.accumulate(np.any(each, axis=0), axis=0)
    return found


def _evidence(
    prepared: Prepared, figure: str, waves: Cells, first: int, group: int | None
) -> FloatArray:
    mine, required = prepared.of_group(group), prepared.value(figure, group=group)
    counts = (one[..., mine] for one in (waves.size, waves.labelled, waves.positive))
    own, suggested = Cells(*counts, waves.predicted[mine]), prepared.frame.rates[mine]
    found = []
    for last in range(first + 1, own.labelled.shape[1] + 1):
        these = slice(max(0, last - LONGEST), last)
        part = Cells(*(one[:, these] for one in (own.size, own.labelled, own.positive)),
                     own.predicted)  # fmt: skip
        evidence = requirement_evidence(part, SCALARS[figure], required, suggested)
        found.append(evidence.sum(axis=1))
    return np.array(found)
