"""The inputs of New project, one row each; ``labelcore.ui.asking`` draws them.

What file and choices decide of a row is said by the rules of its screen: what an input shows and
what counts follow from the same row.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import time
from typing import Any

from labelcore.plan.stop_rules import ALL, ANY
from labelcore.promises import Promise
from labelcore.session.managing import LONGEST_NAME
from labelcore.ui.answers import KEY_PRESETS
from labelcore.ui.draft import BUDGET, MOST_CLASSIFIERS, Draft
from labelcore.words.arguments import TARGETS
from labelcore.words.existing import SOURCES
from labelcore.words.promises import PROMISES
from labelcore.words.sentences import confidence_words


@dataclass(frozen=True)
class Field:
    """An input and the field of the draft that it shows.

    name      of the draft's field; "" for an input whose choices are taken otherwise
    widget    one of ``WIDGETS``
    options   what may be chosen, each value with its words
    first     what it shows until something is chosen
    low, high bounds of a number; one that lies beyond them is told, and kept
    more      further arguments of the widget
    key       how it is called beside other inputs of the same field; "": as the field
    part      which one it is of a field that has several
    """

    name: str
    widget: str
    label: str
    options: Mapping[Any, str] | None = None
    first: Any = None
    low: float | None = None
    high: float | None = None
    captions: Sequence[str] | None = None
    more: Mapping[str, Any] = field(default_factory=dict)
    key: str = ""
    part: str = ""

    def fault(self, value: float | None) -> str:
        """What is wrong with a number; nothing for one that is not given."""
        return outside(value, self.low, self.high)

    def shown(self, now: Draft) -> Any:
        """What the input shows of a draft, and so what counts."""
        if not self.name:
            return self.first
        value = now.value(self.name, self.first, self.options, self.part)
        return self.first if self.widget == "slider" and self.fault(value) else value


def same(names: Iterable[str]) -> dict[str, str]:
    """Options whose words are their values."""
    return {name: name for name in names}


ORDERS = ("By name", "The most frequent first")
CONFIDENCES = (0.9, 0.95, 0.99)
SHARES = {0.0: "None", 0.05: "1 in 20", 0.1: "1 in 10", 0.2: "1 in 5"}
OVERLAPS = {0.1: "1 in 10", 0.3: "3 in 10", 0.6: "6 in 10", 1.0: "All"}
READERS = {
    "help": "Some items, drawn at random, go to everybody; nobody is told of another's answer. "
    "Where answers differ somebody settles them on People, and figures as settled have intervals "
    "of their own. Each person opens the project in a browser of their own."
}
LEVEL, BETTER = "A figure reaches a level", "One classifier is better than another"
TRAINED = "Were these items used to train the {model}?"
NARROW, UNTITLED = {"width": 190}, {"label_visibility": "collapsed"}

OF_THE_ITEMS = (
    Field("listed", "list", "or a file that is here already"),
    Field("typed", "text", "or a path", first=""),
    Field("read", "list", ""),
    Field(
        "id", "list", "Which column identifies an item?", more={"placeholder": "Choose a column"}
    ),
    Field("ids", "several", "Which columns identify it together?", first=[]),
    Field(
        "content", "several", "What does the person judge? (one column, two for a pair, or more)"
    ),
    Field("number", "number", "How many classifiers?", low=0, high=MOST_CLASSIFIERS),
    Field("name", "text", "Name"),
    Field("score", "list", "Score column"),
    Field("prediction", "list", "Prediction column"),
    Field("known", "list", "Which column holds known answers?"),
    Field(
        "existing",
        "cards",
        "Where do the known answers come from?",
        SOURCES,
        captions=(
            "Every item had the same chance. New labels extend them, so fewer are needed. Refused "
            "if they are not spread over the scores like a random sample.",
            "They count as known and are not asked again; only the other items are sampled. Right "
            "however the items were chosen, as long as the answers themselves are right.",
            "All items may be asked, including these. Their answers are neither shown nor counted.",
        ),
    ),
    Field(
        "helpers",
        "several",
        "Which other columns may help to choose? (never shown, never judged)",
        first=[],
    ),
    Field("groups", "several", "By which columns may figures be broken down?"),
    Field("passes", "several", ""),
    Field("prompt", "list", "Which column says that answers have the same prompt?"),
)
OF_THE_QUESTION = (
    Field(
        "question",
        "text",
        "What is asked about each item?",
        first="",
        more={"max_chars": 300},
    ),
    Field("", "row", "People answer", {False: "yes or no", True: "with a grade"}, key="graded"),
    Field("positive", "row", "Which class counts as positive?"),
    Field("yes", "text", "The answer you look for", first="yes", more={"max_chars": 40}),
    Field("no", "text", "The other answer", first="no", more={"max_chars": 40}),
    Field("keys", "row", "Keys", same(KEY_PRESETS), next(iter(KEY_PRESETS))),
    Field("order", "row", "Order of the classes, and so of their keys", same(ORDERS), ORDERS[0]),
    Field(
        "other_answers",
        "text",
        "Any other answer possible?",
        first="",
        more={"placeholder": "receipt, contract", "max_chars": 500},
    ),
    Field(
        "instructions",
        "area",
        "What counts, and what does not? (optional)",
        more={"height": 90, "max_chars": 5000},
    ),
)
OF_THE_AIM = (
    Field("aim", "cards", "What do you want to know?", more={"width": "stretch", **UNTITLED}),
    Field("classifier", "list", "Which classifier?"),
    Field("classifiers", "several", "Which?"),
    Field("pair", "several", "Compared"),
    Field("direction", "row", "High scores mean"),
    Field("threshold", "slider", ""),
    Field("thresholds", "text", "", more={"max_chars": 200}),
    Field("numbers", "several", "Which numbers?"),
    Field("matter", "several", "Which classes matter?"),
    Field(
        "trained",
        "row",
        TRAINED.format(model="classifier"),
        {"no": "No", "yes": "Yes, some were", "unknown": "I do not know"},
        "unknown",
    ),
    Field("target", "row", "What is the statement about?", TARGETS, "file"),
    Field("by", "row", "Groups with labels of their own"),
)
OF_THE_PLAN = (
    Field("way", "row", "Start from", first=BUDGET, more=UNTITLED),
    Field("budget", "number", "Exactly this many labels", low=1),
    Field("budget", "stops", "Fewer labels, or a tighter answer", key="slider", more=UNTITLED),
    Field("", "stops", "Fewer labels, or tighter bounds", key="size", more=UNTITLED),
    Field(
        "margin",
        "number",
        "Plus or minus this many percentage points",
        first=5.0,
        low=0.1,
        high=49,
        more={"step": 0.5},
    ),
    Field("most", "number", "At most this many labels (empty: no limit)", more={"step": 1}),
    Field("design", "list", "Method"),
    Field(
        "",
        "cards",
        "Labels by method",
        key="row",
        more={
            "help": "All worked out in one way, on the same terms, the fewest labels first. "
            "No early look: it takes fewer labels because no result is shown while "
            "you label."
        },
    ),
    Field("seed", "number", "Seed of the random draws", low=0),
    Field(
        "confidence",
        "row",
        "Confidence",
        {level: confidence_words(level) for level in CONFIDENCES},
        0.95,
    ),
    Field("promise", "cards", "When will you look?", PROMISES, Promise.WATCHED),
    Field(
        "together",
        "cards",
        "Several numbers at once",
        {False: "Each on its own (the first is the main one)", True: "All together"},
        False,
    ),
    Field("unsure", "cards", "“Not sure” and “broken”"),
    Field("stops", "tick", "", key="stop"),
    Field("stop_value", "text", "", first=""),
    Field(
        "stop_how",
        "row",
        "It ends",
        {ANY: "as soon as one of these is true", ALL: "only when all of these are true"},
    ),
    Field("day", "day", "Date (UTC)", more=NARROW, key="deadline_day"),
    Field("hour", "hour", "Time (UTC)", first=time(18), more=NARROW, key="deadline_hour"),
    Field("readers", "row", "People who judge", {1: "1", 2: "2", 3: "3"}, 1, more=READERS),
    Field("overlap", "stops", "How many items all of them judge", OVERLAPS, 0.3),
    Field("repeats", "row", "Show some items a second time?", SHARES, 0.0),
    Field("project_name", "text", "Name of the project", more={"max_chars": LONGEST_NAME}),
)
OF_A_CLAIM = (
    Field("claims", "row", "What is claimed?", same([LEVEL, BETTER]), LEVEL, key="claim_kind"),
    Field("claims", "list", "", key="claim", more=NARROW),
    Field(
        "claims",
        "number",
        "Percent",
        low=0.1,
        high=99.9,
        key="claim_percent",
        more={"step": 1.0, "format": "%g", "placeholder": "such as 90"},
    ),
    Field("claim_form", "cards", "What settles a claim?"),
)
FIELDS = {
    row.key or row.name: row
    for row in (*OF_THE_ITEMS, *OF_THE_QUESTION, *OF_THE_AIM, *OF_THE_PLAN, *OF_A_CLAIM)
}
"""Every input of New project by its name."""


@dataclass(frozen=True)
class Rules:
    """What the inputs of a screen offer, and what counts of a draft by them."""

    now: Draft

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        """What file and choices decide of a row, or of one ``part`` of it."""
        return {}

    def row(self, name: str, part: str = "") -> Field:
        return replace(FIELDS[name], part=part, **self.offered(name, part))

    def shown(self, name: str, part: str = "") -> Any:
        return self.row(name, part).shown(self.now)


def outside(value: float | None, low: float | None, high: float | None) -> str:
    """What is wrong with a number; nothing for one that is not given.

    >>> outside(0, 1, 2000)
    'A number from 1 to 2,000 is needed here, and this is 0.'
    >>> outside(-1, 0, None)
    'A number of at least 0 is needed here, and this is -1.'
    >>> outside(None, 0, 1), outside(1, 0, 1)
    ('', '')
    """
    if value is None or ((low is None or value >= low) and (high is None or value <= high)):
        return ""
    if high is None:
        bounds = f"of at least {low:,}"
    else:
        bounds = f"of at most {high:,}" if low is None else f"from {low:,} to {high:,}"
    return f"A number {bounds} is needed here, and this is {value:,}."
