"""The sentence about how many items are positive at each score."""

import numpy as np

from labelcore.results.calibration import Calibration
from labelcore.words.sentences import (
    confidence_words,
    count,
    due_words,
    form_words,
    labels_words,
    percent,
    percent_range,
    scope_words,
    score_words,
    valid_words,
)

NO_LABEL = "{scope}, nothing is known yet of how many are {positive!r} at a score: no label counts."
NO_BAND = "{scope}, how many are {positive!r} at a score of {who!r} is told at {due}."
OFF = "{scope}, the scores of {who!r} are shown to be off in {many}: {there}{more}"
NOT_OFF = (
    "{scope}, no score of {who!r} is shown to be off: in {many} the mean score lies within the "
    "band. {there}{more}"
)
PLAIN = "{scope}, {there}{more}"
THERE = "of the {items} scored {first} to {last}{mean}, {low} to {high} are {positive!r}"
MORE = " ({confidence} confidence for {ranges}{form}, {valid}), from {labels}."
MEAN = " (mean {mean})"
RANGES = ("range of scores", "ranges of scores")
CORRECTED = "An estimate without a promise: rising with the score, fitted to the labels."


def calibration_sentence(band: Calibration, given: str = "") -> str:
    """Where the scores are shown to be off, or the range in which the band says most."""
    scope, ranges = band.scope, len(band.items)
    where = scope_words(scope.file, scope.n_items, scope.target)
    if not band.labels_used:
        return NO_LABEL.format(scope=where, positive=scope.positive)
    if not band.has_band:
        due = due_words(scope)
        return NO_BAND.format(scope=where, positive=scope.positive, who=band.classifier, due=due)
    off = int(band.off.sum())
    pattern = PLAIN if not band.probabilities else OFF if off else NOT_OFF
    there = _there(band, told_range(band))
    return pattern.format(
        scope=where,
        who=band.classifier,
        many=f"{off} of {_ranges(ranges)}" if off else f"each of {_ranges(ranges)}",
        there=there if pattern is not NOT_OFF else there[0].upper() + there[1:],
        more=MORE.format(
            confidence=confidence_words(band.confidence),
            ranges=f"all {_ranges(ranges)} together" if ranges > 1 else f"the {_ranges(1)}",
            form=form_words(band.form),
            valid=valid_words(band.promise, scope),
            labels=labels_words(band.labels_used, scope, given),
        ),
    )


def told_range(band: Calibration) -> int:
    """The range that a sentence tells: where the mean score lies furthest outside the band, else
    the narrowest bounds."""
    if band.off.any():
        gap = np.maximum(band.low - band.mean_score, band.mean_score - band.high)
        return int(np.argmax(np.where(band.off, gap, -np.inf)))
    return int(np.argmin(band.high - band.low))


def _there(band: Calibration, place: int) -> str:
    low, high = percent_range(float(band.low[place]), float(band.high[place]))
    mean = float(band.mean_score[place])
    return THERE.format(
        items=count(int(band.items[place]), "item"),
        first=score_words(float(band.score_from[place])),
        last=score_words(float(band.score_to[place])),
        mean=MEAN.format(mean=percent(mean)) if band.probabilities else "",
        low=low,
        high=high,
        positive=band.scope.positive,
    )


def _ranges(number: int) -> str:
    return f"{number} {RANGES[number != 1]}"
