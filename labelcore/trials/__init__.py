"""Data to try Labelcore on within a minute: one file per trial, and the table ``TRIALS``."""

from labelcore.trials.base import Trial
from labelcore.trials.digits import DIGITS
from labelcore.trials.messages import MESSAGES, example_csv
from labelcore.trials.reveal import Reveal, how_often, reveal

TRIALS: dict[str, Trial] = {trial.name: trial for trial in (DIGITS, MESSAGES)}

__all__ = ["TRIALS", "Reveal", "Trial", "example_csv", "how_often", "reveal"]
