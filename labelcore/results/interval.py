"""The closed interval of a number."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Interval:
    """A closed interval of a proportion, 0 <= low <= high <= 1, or of a difference, from -1 on.

    Attributes
    ----------
    low, high
        its ends, both included

    Examples
    --------
    >>> import labelcore as lc
    >>> round(lc.Interval(0.87, 0.94).half_width, 3)
    0.035
    """

    low: float
    high: float

    @property
    def half_width(self) -> float:
        """Half of the distance between its ends."""
        return (self.high - self.low) / 2
