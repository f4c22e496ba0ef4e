"""What a method derives from its parameters, in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

# By the names of its source.
DERIVED = {
    "g_ell": "items at the head that are all labelled (g_ell)",
    "ell": "first step of the grid (ell)",
    "L": "last step of the grid (L)",
    "m": "stretches averaged (m)",
    "gamma": "gamma",
    "beta": "factor kept at the ranks of the grid (beta)",
    "beta_factor": "factor kept at every rank, beta (1 + epsilon)",
    "draws_each": "sample at each rank of the grid (s)",
    "k": "items called positive for each one not called so (k)",
    "s_star": "over-sampling that makes recall most certain (s*)",
    "ratio": "over-sampling used (s)",
    "pi_1": "precision planned with (pi_1)",
    "pi_0": "false omission rate planned with (pi_0)",
    "n_1": "labels among the items called positive (n_1)",
    "n_0": "labels among the others (n_0)",
    "expected_savings": "labels saved by recycling",
    "parent_intersection": "share of the parent's items that the child calls positive too",
    "child_intersection": "share of the child's items that the parent calls positive too",
    "n_gamma": "labels of one candidate until its precision is settled within the slack (n_gamma)",
    "n_epsilon": "labels of one candidate until its reach is settled within the slack (n_epsilon)",
    "T": "draws at the most (T)",
    "label_bound": "draws after which the choice is made for sure (theorems 2 and 3)",
    "factor": "largest factor between the bounds, gamma (1 + epsilon)",
}


def derived_lines(derived: Mapping[str, Any]) -> list[str]:
    """A line for each figure that has words."""
    return [
        f"{words}: {derived_words(derived[name])}"
        for name, words in DERIVED.items()
        if derived.get(name) is not None
    ]


def derived_words(value: Any) -> str:
    """A number, or one for each classifier.

    >>> derived_words(11292), derived_words({"B": 0.5, "C": 0.25})
    ('11,292', 'B 0.5, C 0.25')
    """
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {derived_words(one)}" for name, one in value.items())
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
