"""After a trial: the known truth beside the interval that the session gave."""

from dataclasses import dataclass

from labelcore.planning.simulation import true_values
from labelcore.planning.truth import true_codes
from labelcore.promises import Promise
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.trials.base import Trial
from labelcore.words import sentences as words
from labelcore.words.differences import number_words, range_words
from labelcore.words.quantities import quantity

OFTEN = {
    0.9: ("9 of 10", "1 of 10"),
    0.95: ("19 of 20", "1 of 20"),
    0.99: ("99 of 100", "1 of 100"),
}
FLOAT_NOISE = 1e-12


@dataclass(frozen=True, slots=True)
class Reveal:
    """One estimate and the truth it was about.

    inside     whether the interval holds the truth; None while there is no interval
    differing  answers of the session that are not the file's own
    """

    key: str
    truth: float
    estimate: Estimate
    differing: int

    @property
    def inside(self) -> bool | None:
        if not self.estimate.has_interval:
            return None
        low, high = self.estimate.low - FLOAT_NOISE, self.estimate.high + FLOAT_NOISE
        return low <= self.truth <= high

    def sentence(self) -> str:
        """The truth, the interval, and how often such an interval holds it.

        Each sentence is about one interval on its own, not about all of them together.
        """
        estimate = self.estimate
        scope = estimate.scope
        name = quantity(
            self.key, scope.classifier, scope.positive, in_truth=True, audit=scope.audit
        )
        start = f"In truth, {name} is {number_words(self.key, self.truth)}"
        if self.inside is None:
            return f"{start}. The session has no interval to compare it with yet."
        low, high = range_words(self.key, estimate.low, estimate.high)
        return f"{start}; the session said {low} to {high}: {self._verdict()}"

    def _verdict(self) -> str:
        side = "inside the interval" if self.inside else "outside"
        sure = self.estimate.confidence
        if sure is None:
            text = f"{side}. No confidence goes with the bounds of this method."
        elif self.estimate.promise == Promise.NONE:
            text = f"{side}. The session ended early, and no promise goes with this interval."
        elif self.inside:
            text = f"inside the interval, as promised for {how_often(sure)[0]} sessions."
        else:
            text = f"outside, which the promise allows in {how_often(sure)[1]} sessions."
        return text if self.inside else text + self._own_errors()

    def _own_errors(self) -> str:
        if not self.differing:
            return ""
        many = f"{words.count(self.differing, 'answer')} {'was' if self.differing == 1 else 'were'}"
        return f" {many} other than the file's own; the interval does not count such errors."


def reveal(session: Session, trial: Trial) -> list[Reveal]:
    """The truth beside each estimate, in the order of the results.

    For after the end: nothing of it may be shown while answers are still given. Raises ValueError
    when the session's file has no column of known answers.
    """
    codes = true_codes(session.population, trial.truth_column)
    results = session.results()
    truth = true_values(session.engine, codes, results)
    differing = _differing(session, codes.tolist())
    return [
        Reveal(key, value, estimate, differing)
        for key, estimate in results.items()
        if isinstance(estimate, Estimate) and isinstance(value := truth[key], float)
    ]


def true_shares(session: Session, trial: Trial, column: str) -> dict[str, float]:
    """The true share of positive items of each group of a column; for after the end."""
    population, groups = session.population, session.population.groups[column]
    truth = true_codes(population, trial.truth_column) == population.classes.index(
        population.positive
    )
    return {
        name: float(truth[groups.codes == place].mean()) for place, name in enumerate(groups.names)
    }


def _differing(session: Session, codes: list[int]) -> int:
    """How many labels in force are not the known answer."""
    classes = session.population.classes
    different = 0
    for index, asked in enumerate(session.engine.asked, start=1):
        event = session.engine.in_force(index)
        if event is not None and event.kind == "labelled":
            different += event.label != classes[codes[asked.position]]
    return different


def how_often(confidence: float) -> tuple[str, str]:
    """In how many sessions an interval holds its truth, and in how many it does not.

    >>> how_often(0.95), how_often(0.8)
    (('19 of 20', '1 of 20'), ('80 % of all', '20 % of all'))
    """
    kept, missed = (words.confidence_words(share) for share in (confidence, 1 - confidence))
    return OFTEN.get(confidence, (f"{kept} of all", f"{missed} of all"))
