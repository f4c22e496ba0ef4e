"""What is said of items that people call unsure or broken."""

from labelcore.promises import Unsure
from labelcore.results.types import Estimate
from labelcore.words.differences import interval_text, range_words

READINGS = {
    Unsure.JUDGED: "of the items that a person can judge",
    Unsure.ODDS: "of all items, if unsure ones have ⅓ to 3 times the odds of others",
    Unsure.EITHER_WAY: "of all items, whatever the unsure are",
}
"""What a figure is about, by the reading of the plan."""

ASSUMED = {
    Unsure.JUDGED: (
        "it is about the items that a person can judge; how many there are of each stratum is "
        "estimated from the answers, and the interval allows for it"
    ),
    Unsure.ODDS: (
        "the odds that an item called unsure or broken is judged wrongly are between a third and "
        "three times those of the others of its stratum"
    ),
}
"""What a figure with this reading rests on."""

ODDS = "Of all items {range}, if unsure ones have ⅓ to 3 times the odds of others."
IF_ODDS = "This holds if unsure ones have ⅓ to 3 times the odds of others."
EITHER_WAY = "{name}: {low} to {high}, of all items"


EITHER_WAY_TITLE = "If each “Not sure” may be either way"


def odds_words(estimate: Estimate) -> str:
    """What a figure of the judged items is of all of them, or on which odds one of these rests;
    "" where nothing is known of it."""
    if estimate.scope.at_odds and not estimate.says_nothing:
        return IF_ODDS
    if estimate.odds is None or estimate.says_nothing:
        return ""
    ends = estimate.odds.low, estimate.odds.high
    return ODDS.format(range=interval_text(estimate.estimand, *ends))


def either_way_words(estimate: Estimate, name: str) -> str:
    """What a figure called ``name`` is at worst and at best; "" where nobody was unsure."""
    if estimate.either_way is None:
        return ""
    low, high = range_words(estimate.estimand, estimate.either_way.low, estimate.either_way.high)
    return EITHER_WAY.format(name=name, low=low, high=high)
