"""Helpers of a plan by agreement patterns: columns beside all classifiers that it asks about."""

from dataclasses import replace

import numpy as np

from labelcore.designs.base import IntArray, Setup
from labelcore.designs.helpers import Evidence, check_helpers, evidence_of, helper_notes, why_none
from labelcore.stats.crossed_strata import CUT_ABOVE, CUT_BELOW, crossed
from labelcore.stats.profile import BoolArray

LABELS_EACH, MORE_PARTS = 5, 2


def helpers_beside(setup: Setup) -> tuple[str, ...]:
    """The columns that a new plan uses: those that it names, if one of them says something."""
    silent = [name for name in setup.classifiers if name not in setup.population.predictions]
    if silent or why_none(setup):
        return ()
    check_helpers(setup, *setup.classifiers)
    return tuple(setup.params.helpers or ()) if evidence_of(setup) else ()


def evidence_beside(setup: Setup) -> Evidence | None:
    """What the helpers of a plan say together; None where it has none."""
    check_helpers(setup, *setup.classifiers)
    return evidence_of(setup)


def notes_beside(setup: Setup) -> tuple[str, ...]:
    """Sentences on the helpers that a plan names; it may ask for differences, not only for numbers
    of the file."""
    if not setup.params.helpers:
        return ()
    return helper_notes(replace(setup, estimands=()))


def cut_patterns(
    planned: int, order: IntArray, stratum: IntArray, anyone: BoolArray, others: Evidence
) -> tuple[IntArray, IntArray]:
    """The pieces of the patterns cut at what helpers say, the largest first, as long as there are
    ``LABELS_EACH`` labels for each stratum: the stratum of each item, (n_items,), and the piece of
    each stratum.

    anyone   (n_pieces,), whether any classifier calls the piece positive
    """
    spare = max(planned // LABELS_EACH - len(anyone), 0) // MORE_PARTS
    largest = np.argsort(-np.bincount(stratum, minlength=len(anyone)), kind="stable")[:spare]
    cut = np.isin(np.arange(len(anyone)), largest)
    says = others.says_so(anyone[stratum]) & cut[stratum]
    shares = np.where(cut, np.where(anyone, CUT_ABOVE, CUT_BELOW), 0.0)
    return crossed(order, stratum, says, others.order, shares)
