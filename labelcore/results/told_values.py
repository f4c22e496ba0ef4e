"""Which values may be told: the one rule that numbers, curves, words, tables and charts ask.

A value whose interval is wider than 60 % of the range that was certain before the first label says
little. It is ``tentative``: no sentence, bar, table or chart tells it, at any size. The end that is
known is told instead (``known_ends``).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from labelcore.estimands import DIFFERENCE
from labelcore.promises import State

WIDE = 0.6
"""An interval over more than this share of what is possible allows no value."""
LITTLE = 0.9
"""Nor does an interval over more than this share of it say anything that is worth a bar."""
UNKNOWN = 0.01
"""An end so near to that of all that is possible, as a share of it, is not known."""
NO_LINE = "no line yet: the bounds are wide"
SOME_LINE = "no line where the bounds are over 60 points apart"


def too_wide(low: ArrayLike, high: ArrayLike, possible: ArrayLike = 1.0) -> NDArray[np.bool_]:
    """Whether the bounds leave more than 60 % of what is possible, of any shape; not where a bound
    is NaN.

    possible   the width of the range that was certain before the first label

    >>> bool(too_wide(0.2, 0.81)), bool(too_wide(0.2, 0.8)), too_wide([1, 1], [9, 9], [10, 100])
    (True, False, array([ True, False]))
    """
    width = np.asarray(high, dtype=float) - np.asarray(low, dtype=float)
    return np.asarray(width > WIDE * np.asarray(possible, dtype=float) + 1e-12)


def is_early(low: float, high: float, possible: float = 1.0) -> bool:
    """Whether the bounds leave nearly everything possible: that says nothing worth a bar or a
    headline.

    >>> is_early(0.04, 1.0), is_early(0.15, 1.0), is_early(-0.9, 0.5, 2.0)
    (True, False, False)
    """
    return high - low > LITTLE * possible


def known_ends(low: float, high: float, least: float = 0.0, most: float = 1.0) -> tuple[bool, bool]:
    """Which ends say something: those more than 1 % of what is possible inside ``least`` to
    ``most``.

    >>> known_ends(0.018, 1.0), known_ends(0.004, 0.999), known_ends(-0.9, 0.5, -1.0, 1.0)
    ((True, False), (False, False), (True, True))
    """
    room = UNKNOWN * (most - least) + 1e-12
    return low - least > room, most - high > room


class Told:
    """What words and bars tell of a number: an estimate, or one as the log keeps it."""

    __slots__ = ()

    if TYPE_CHECKING:  # Fields of each kind.
        estimand: str
        low: float
        high: float
        state: State
        tentative: bool
        confidence: float | None

        @property
        def told(self) -> float | None: ...

    @property
    def is_difference(self) -> bool:
        """Whether it is the first of two classifiers minus the second."""
        return self.estimand.partition("@")[0].endswith(DIFFERENCE)

    @property
    def has_interval(self) -> bool:
        """Whether low and high may be shown as an interval."""
        return self.state.has_interval

    @property
    def known_ends(self) -> tuple[bool, bool]:
        """Whether ``low`` and ``high`` say more than was certain before the first label."""
        return known_ends(self.low, self.high, -1.0 if self.is_difference else 0.0)

    @property
    def shows_interval(self) -> bool:
        """Whether its ends are told: also early, and what is certain of a difference."""
        limited = self.is_difference and any(known_ends(self.low, self.high, -1.0))
        early = self.tentative and self.state != State.PROVISIONAL
        return self.has_interval or early or limited

    @property
    def says_little(self) -> bool:
        """Whether it has no value to tell, and nearly all values are possible."""
        return self.told is None and is_early(self.low, self.high, 1 + self.is_difference)


def kept_back(look: Mapping[str, Any], possible: float = 1.0) -> bool:
    """Whether the value of a look, as the log has it, may not be told: the log says so, or its
    bounds are too wide. Logs of earlier versions had another rule.

    >>> kept_back({"low": 0.1, "high": 0.9, "state": "interval", "value": 0.5})
    True
    >>> kept_back({"low": 0.4, "high": 0.9, "state": "interval", "value": 0.5})
    False
    """
    if look.get("tentative"):
        return True
    stands = "low" in look and State(look["state"]).has_interval
    return stands and bool(too_wide(look["low"], look["high"], possible))
