"""The trials there are."""

from labelcore.trials.base import Trial
from labelcore.trials.digits import DIGITS
from labelcore.trials.judged import JUDGED
from labelcore.trials.messages import MESSAGES

TRIALS: dict[str, Trial] = {trial.name: trial for trial in (DIGITS, MESSAGES, JUDGED)}
