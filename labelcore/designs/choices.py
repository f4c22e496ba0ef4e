"""What a method that chooses between candidates can do, and what it says of them."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from labelcore.designs.base import Design, FrameT, IntArray, Look, Progress, Setup
from labelcore.promises import ChoiceStatus, Method
from labelcore.stats.profile import FloatArray


@dataclass(frozen=True, slots=True)
class Named:
    """A candidate by its name, and what it has for sure: its precision, and how many positives."""

    name: str
    precision: float
    finds: float


@dataclass(frozen=True, slots=True)
class OtherChoice:
    """What the labels say of another required precision.

    status    "guaranteed", "none acceptable" or "undecided"
    chosen    the choice for this requirement, with the tolerances of the plan; None without one
    surest    as precise without any tolerance, and finds the most for sure; None if none is
    left      how many candidates may still be the choice
    """

    precision: float
    status: ChoiceStatus
    chosen: Named | None
    surest: Named | None
    left: int


@dataclass(frozen=True, slots=True)
class LabelsUntil:
    """How many labels more simulated sessions took until a further choice was made.

    low, middle, high   a quarter, half and three quarters of them took so many at the most; None
                        where fewer than that share ever came so far
    """

    precision: float
    low: int | None
    middle: int | None
    high: int | None


@dataclass(frozen=True, eq=False, slots=True)
class ChoiceFigures:
    """What a method says of its candidates.

    chosen      name of the candidate, such as "top 400"; None where there is none
    threshold   the score from which on the chosen one calls an item positive; None without a score
    status      "guaranteed", "guess", "none acceptable" or "undecided"
    bounds      a row per candidate: classifier, size, value, low, high (of its precision), state
    confidence  of the guarantee
    labels, draws   that it rests on
    missing     what is still to come, in words
    """

    chosen: str | None
    threshold: float | None
    status: ChoiceStatus
    bounds: pd.DataFrame
    confidence: float
    labels: int
    draws: int
    method: Method
    assumptions: tuple[str, ...]
    missing: str = ""


class Chooses(Design[FrameT]):
    """A method that chooses one of several candidates, and estimates "selection".

    chooses_among   the parameter that names the candidates
    """

    ability: ClassVar[str] = "choose between candidates"
    chooses_among: ClassVar[str]

    @abstractmethod
    def candidates(self, frame: FrameT) -> dict[str, IntArray]:
        """The items that each candidate calls positive."""

    @abstractmethod
    def may_add_draws(self, params: Any) -> bool:
        """Whether the bounds stay what they are where more draws are allowed than were planned."""

    def no_further_choice(self, params: Any) -> str:
        """Why no labels may be asked until the choice at another required precision is made
        (``Progress.sought``); "" where they may, with nothing lost of what was promised."""
        return "this method draws for the one choice of the plan alone"

    def labels_until(
        self, setup: Setup, frame: FrameT, progress: Progress, precision: float
    ) -> FloatArray:
        """How many labels more that took in each of several simulated worlds, in rising order,
        (n_worlds,); infinite where it never was made."""
        raise NotImplementedError

    @abstractmethod
    def status(self, setup: Setup, frame: FrameT, progress: Progress, look: Look) -> ChoiceStatus:
        """How far the choice is now that labels are asked for: the status of ``choice``, or that of
        the last further one."""

    @abstractmethod
    def choice(self, setup: Setup, frame: FrameT, progress: Progress, look: Look) -> ChoiceFigures:
        """Which candidate is chosen now."""

    @abstractmethod
    def choices_at(
        self, setup: Setup, frame: FrameT, progress: Progress, precisions: Sequence[float]
    ) -> list[OtherChoice]:
        """Which candidate it would be for each of several required precisions; what is said of all
        of them holds together, with the confidence of the choice and wherever labelling ends."""
