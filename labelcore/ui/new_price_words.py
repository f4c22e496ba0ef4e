"""New project: what a plan costs and gives, in words. Nothing is drawn or worked out here."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from typing import Any

import pandas as pd

from labelcore.estimands import CHOICES, CURVES, DIFFERENCE, LISTS
from labelcore.figures.heads import landmark_name
from labelcore.log.repeats import SPACING
from labelcore.plan.pilot import NOTHING_KNOWN
from labelcore.plan.plan import Plan
from labelcore.planning.choosing import Expected
from labelcore.planning.methods import Dearest, Line
from labelcore.planning.outlook import AtOnce
from labelcore.planning.spendings import Spending
from labelcore.promises import Promise
from labelcore.safe_text import plain
from labelcore.ui.fields import SHARES
from labelcore.ui.forecasts import EXACT
from labelcore.ui.status import SECONDS_AN_ITEM, estimand_name
from labelcore.ui.times import about_minutes, minutes
from labelcore.words import sentences as words
from labelcore.words.differences import is_difference
from labelcore.words.pilots import found_words
from labelcore.words.promises import LOOKS
from labelcore.words.quantities import key_parts, term_of


class Price(Enum):
    """What a plan costs and gives: a row for each state of the price."""

    OF_LABELS = "With {labels}, {time}: {gives}"
    OF_ANSWERS = "With {answers} to {items}, {time}: {gives}"
    OF_MARGIN = "About {labels}, {time}: {gives}"
    OF_CLAIMS = "About {labels}, {time} until every claim is settled, and then {gives}"
    NOT_FORESEEN = "With {labels}, {time}."
    OF_PARAMETERS = "**{method} asks for exactly {labels} with these parameters, {time}.**"
    OF_CHOICE = "At most {labels}, {time}; fewer if the choice is clear"
    CHOICE_LIKELY = "About {labels}, {time}; at most {most}"
    CHOICE_UNLIKELY = "At most {labels}, {time}: most likely too few"

    def in_words(self, labels: int, **parts: str) -> str:
        """
        >>> Price.NOT_FORESEEN.in_words(1200)
        'With 1,200 labels, 2 h 40 min.'
        """
        return self.value.format(labels=words.count(labels), time=labelling_time(labels), **parts)


FIRST_ANSWERS = ", by first answers alone"
MOST_BESIDE = 3
"""For how many figures the widths stand beside each other."""
ALONE = "Each alone, with as many labels: {each}."
IF_OFF = "If your scores mislead: half to twice the labels."
IF_OFF_CHOICE = "If your scores mislead: a quarter to three times the labels."
KEPT = "Promised: precision of at least {least}, and at most {lost} of the finds lost."
SURE_MEANS = (
    "Of 100 projects like this one, about {wrong} would say something false{when}. That holds "
    "whatever the scores are worth. The number of labels is expected as if they were right, and "
    "the time at 8 seconds an item."
)
WIDEST = " Each line is the widest figure of its method."
WHENEVER = ", wherever you look and stop"
DEAREST = "*{name}* takes {share} % of the labels; without it the others need {part} % as many."
WITHOUT, WITH = "without it {gives}", "with it {gives}"
DEAR = "Without *{name}*: {gives}."
ONE_LOOK, NO_CHANCE = "no early look", "no chance of error stated"
SPENT = "{items:,} items, {twice:,} of them judged {many} ({gives} once settled)"
OTHERS = "{low:,} to {high:,} items more for {each}, {time}"
NONE_AGAIN = (
    "Until then the figures are agreement with your judgement. You can still ask at the end."
)
SOME_AGAIN = (
    "Items drawn at random come again, at least {spacing} items later or at the end, and are not "
    "marked: about {share} of the items asked{more}. They do not count towards the labels above."
)
MORE_AGAIN = ", most likely {low:,} to {high:,} here, {time}"
WHOLE_FROM = 0.1


def labelling_time(labels: float) -> str:
    """How long so many labels take."""
    return minutes(labels * SECONDS_AN_ITEM)


# --- half-widths --------------------------------------------------------------------------------


def expected_points(half_width: float) -> str:
    """A half-width that is only expected: rounded up, to whole points from 10 on.

    >>> expected_points(0.1801), expected_points(0.0312), expected_points(1.13)
    ('19 points', '3.2 points', 'over 50 points')
    """
    if half_width > NOTHING_KNOWN:
        return f"over {100 * NOTHING_KNOWN:.0f} points"
    if half_width < WHOLE_FROM:
        return words.points(half_width)
    return f"{math.ceil(100 * half_width - 1e-9)} points"


def half_width_words(half_width: float, sign: str = "± ") -> str:
    """
    >>> half_width_words(0.0312), half_width_words(0.0)
    ('± 3.2 points', 'exact')
    """
    return f"{sign}{expected_points(half_width)}" if half_width > EXACT else "exact"


def joined(parts: Iterable[str], mark: str = ", ") -> str:
    """Half-widths behind their names, with the unit named once."""
    return mark.join(parts).replace(f" points{mark}", mark)


def widest_of(widths: Mapping[str, float], estimand: str) -> str:
    """The largest half-width of an estimand over the classifiers (and classes).

    >>> widest_of({"recall": 0.1, "recall@b": 0.2, "precision": 0.3}, "recall")
    '20 points'
    """
    matching = [width for key, width in widths.items() if estimand in (key, key_parts(key)[0])]
    return half_width_words(max(matching), "") if matching else "not foreseen"


def widest_words(half_widths: Mapping[str, float], audit: bool) -> str:
    """Which figure the largest half-width is that of, after the points.

    >>> widest_words({"precision": 0.04, "recall": 0.076}, False)
    ' (recall)'
    >>> widest_words({"precision": 0.04}, False)
    ' (precision)'
    """
    widest = max(half_widths, key=lambda key: half_widths[key])
    if widest in {*CURVES, *LISTS}:
        return " (at the widest rank)"
    name = estimand_name(widest, audit=audit)
    return f" ({plain(name if name[:2].isupper() else name[:1].lower() + name[1:])})"


def others_words(half_widths: Mapping[str, float], audit: bool) -> str:
    """The narrower figures beside the widest one, where there are few.

    >>> others_words({"precision": 0.04, "recall": 0.076}, False)
    'Precision ± 4.0 points.'
    >>> others_words({"recall": 0.076}, False)
    ''
    >>> differences = {"accuracy_difference": 0.01, "f1_difference": 0.02}
    >>> others_words({**differences, "recall_difference": 0.0}, False)
    'Differences: accuracy ± 1.0, recall exact.'
    """
    if len(half_widths) > MOST_BESIDE or {*half_widths} & {*CURVES, *LISTS}:
        return ""
    widest = max(half_widths, key=lambda key: half_widths[key])
    texts = {name: half_width_words(width) for name, width in half_widths.items() if name != widest}
    apart = [name for name in texts if is_difference(name)]
    if len(apart) > 1:
        named = (f"{term_of(name.removesuffix(DIFFERENCE), audit)} {texts[name]}" for name in apart)
        return f"Differences: {joined(named)}."
    return " ".join(f"{estimand_name(name, audit=audit)} {text}." for name, text in texts.items())


def ranks_words(table: pd.DataFrame, items: int, cut: int | None) -> str:
    """
    >>> rows = [("10", 0.0, 0.0), ("151", 0.12, 0.1), ("area_under_roc", 0.03, 0.02)]
    >>> columns = ["of", "expected_half_width", "asked_alone"]
    >>> ranks_words(pd.DataFrame(rows, columns=columns), 4000, 151)
    'Expected: first 10 exact · own cut, 151 ± 12 · area under the ROC curve ± 3.0 points'
    """
    parts = []
    for name, width in zip(table["of"], table["expected_half_width"], strict=True):
        label = landmark_name(int(name), items, cut) if name.isdigit() else term_of(name)
        parts.append(f"{label[:1].lower()}{label[1:]} {half_width_words(width)}")
    return f"Expected: {joined(parts, ' · ')}"


def shared_words(table: pd.DataFrame, asked: Sequence[str]) -> str:
    """What each would have of the labels alone, where they are shared; "" where one has all.

    >>> rows = [("100", 0.05, 0.04), ("1000", 0.06, 0.05), ("area_under_roc", 0.03, 0.02)]
    >>> table = pd.DataFrame(rows, columns=["of", "expected_half_width", "asked_alone"])
    >>> shared_words(table, ["precision_curve", "area_under_roc"])
    'Each alone, with as many labels: first 1,000 ± 5.0, area under the ROC curve ± 2.0 points.'
    >>> shared_words(table, ["precision_curve"])
    ''
    """
    rows = dict(zip(table["of"], table["asked_alone"], strict=True))
    kept = [name for name in asked if name in rows]
    if len(asked) < 2 or not kept:
        return ""
    heads = [name for name in rows if name.isdigit() and rows[name] > EXACT]
    parts = [f"first {int(name):,} {half_width_words(rows[name])}" for name in heads[-1:]]
    parts += [f"{term_of(name)} {half_width_words(rows[name])}" for name in kept]
    return ALONE.format(each=joined(parts))


# --- the price ----------------------------------------------------------------------------------


def plan_price(
    plan: Plan,
    labels: int,
    half_widths: Mapping[str, float],
    audit: bool,
    people: int = 1,
    spent: Spending | None = None,
) -> str:
    """Labels, minutes and what they give, in a line.

    >>> half = Spending(0.5, 133, 67, 200, {"accuracy": 0.05})
    >>> plan = Plan("simple_random", ["accuracy"], budget=200)
    >>> plan_price(plan, 200, {"accuracy": 0.042}, False, 2, half)
    'With 200 answers to 133 items, 27 min: ± 4.2 points (accuracy), by first answers alone'
    """
    widest = max(half_widths.values())
    gives = half_width_words(widest)
    if widest > EXACT:
        gives += widest_words(half_widths, audit)
    gives += FIRST_ANSWERS if people > 1 else ""
    if spent is not None:
        answers, items = words.count(spent.readings, "answer"), words.count(spent.items, "item")
        return Price.OF_ANSWERS.in_words(spent.readings, answers=answers, items=items, gives=gives)
    price = Price.OF_MARGIN if plan.margin else Price.OF_LABELS
    price = Price.OF_CLAIMS if plan.claims else price
    return price.in_words(labels, gives=gives)


def choice_price(most: int, expected: Expected | None) -> str:
    """
    >>> choice_price(200, Expected(90, 120, 180, 0.8, 1000))
    'About 120 labels, 16 min; at most 200'
    >>> choice_price(200, Expected(210, 300, 480, 0.1, 1000))
    'At most 200 labels, 27 min: most likely too few'
    >>> choice_price(200, None)
    'At most 200 labels, 27 min; fewer if the choice is clear'
    """
    if expected is None:
        return Price.OF_CHOICE.in_words(most)
    if expected.middle is None or expected.middle > most:
        return Price.CHOICE_UNLIKELY.in_words(most)
    return Price.CHOICE_LIKELY.in_words(expected.middle, most=f"{most:,}")


def choice_chances(expected: Expected) -> str:
    """
    >>> choice_chances(Expected(90, 120, 180, 0.8, 1000))
    'Enough in 80 % of the simulated sessions. Half of them took 90 to 180.'
    >>> choice_chances(Expected(210, 300, None, 0.1, 1000))
    'Enough in 10 % of the simulated sessions. A quarter of them took more than 1,000.'
    >>> choice_chances(Expected(None, None, None, 0, 200))
    'Enough in 0 % of the simulated sessions. Most of them took more than 200.'
    """
    enough = f"Enough in {100 * expected.within:.0f} % of the simulated sessions."
    low, high = expected.low, expected.high
    if low is not None and high is not None:
        return f"{enough} Half of them took {low:,} to {high:,}."
    many = "Most" if expected.middle is None else "A quarter"
    return f"{enough} {many} of them took more than {expected.followed:,}."


def choice_kept(params: Any) -> str:
    """What is promised of the cut that is named.

    >>> from labelcore.designs import DESIGNS
    >>> choice_kept(DESIGNS["reach_selection"].Params())
    'Promised: precision of at least 80.0 %, and at most 10.0 % of the finds lost.'
    """
    if not hasattr(params, "precision_slack"):
        return ""
    least = words.exact_percent(max(params.precision_threshold - params.precision_slack, 0.0))
    return KEPT.format(least=least, lost=words.exact_percent(params.reach_slack))


def promise_words(plan: Plan, scored: bool, pilot: int) -> tuple[str, str]:
    """How sure, when, and what it hangs on, in a line; and what that means. After the labels of the
    ``pilot`` more is known of how many it takes."""
    sure = words.confidence_words(plan.confidence)
    promise = Promise(plan.promise or Promise.NONE)
    choice = {*plan.estimands} <= {*CHOICES}
    then = (IF_OFF_CHOICE if choice else IF_OFF) if scored else ""
    if plan.learns:
        then = f"So many {found_words(0, pilot, 0, scored=scored)}."
    means = SURE_MEANS.format(
        wrong=f"{100 * (1 - plan.confidence):.3g}",
        when=WHENEVER if promise == Promise.WATCHED else "",
    )
    line = f"{LOOKS[promise].format(sure=sure)} {then}".strip()
    return line, means + ("" if choice else WIDEST)


def dearest_words(dear: Dearest) -> str:
    """Which of several classes the labels go to, and what would do without it."""
    return DEAREST.format(
        name=plain(dear.name), share=f"{100 * dear.share:.0f}", part=f"{100 * dear.part:.0f}"
    )


def line_gives(line: Line, plan: Plan) -> str:
    """What a plan costs where it has a margin, else what it gives; "" where nothing is foreseen.

    >>> whole = Line("simple_random", "Random", labels=600, half_widths={"recall": 0.0})
    >>> line_gives(whole, Plan("simple_random", ["recall"], budget=600))
    'exact'
    """
    if line.refused or not line.half_widths:
        return ""
    if plan.margin is not None:
        return words.count(line.labels)
    return half_width_words(max(line.half_widths.values()))


def together_captions(numbers: int, confidence: float, at_once: AtOnce | None) -> tuple[str, str]:
    """What it means and costs that each number holds, or that all hold ``at_once``.

    >>> each, every = together_captions(4, 0.95, AtOnce(4, 0.872, 1.16))
    >>> each
    'Each number is right in 95 of 100 sessions; all 4 at once in about 87.'
    >>> every
    'All 4 at once are right in 95 of 100, for about 35 % more labels or 16 % wider intervals.'
    >>> together_captions(2, 0.99, None)[0]
    'Each number is right in 99 of 100 sessions; both at once in fewer.'
    """
    sure, every = f"{100 * confidence:.3g}", "both" if numbers == 2 else f"all {numbers}"
    right, price = "fewer", "wider intervals"
    if at_once is not None:
        right = f"about {100 * at_once.right:.0f}"
        more, wider = 100 * at_once.wider**2 - 100, 100 * at_once.wider - 100
        price = f"about {more:.0f} % more labels or {wider:.0f} % wider intervals"
    return (
        f"Each number is right in {sure} of 100 sessions; {every} at once in {right}.",
        f"{every.capitalize()} at once are right in {sure} of 100, for {price}.",
    )


# --- methods ------------------------------------------------------------------------------------


def method_words(label: str, labels: str, promise: str, *, assumes: bool = False) -> str:
    """A method and its labels; ``assumes``: it states no chance of error.

    >>> method_words("Strata", "about 1,200", "fixed"), method_words("Strata", "all 60", "watched")
    ('Strata · about 1,200 · no early look', 'Strata · all 60')
    >>> method_words("PAULA", "232", "fixed", assumes=True)
    'PAULA · 232 · no chance of error stated'
    """
    terms = [NO_CHANCE] if assumes else [ONE_LOOK] * (promise == Promise.FIXED)
    return " · ".join((label, labels, *terms))


def readable_lines(lines: Sequence[Line], estimands: Sequence[str], audit: bool) -> pd.DataFrame:
    """The lines as people read them, without those that cannot serve."""
    names = {name: estimand_name(name, audit=audit) for name in estimands}
    rows = [
        {
            "method": line.label,
            "labels": f"{line.labels:,}",
            **{f"{called} ±": widest_of(line.half_widths, name) for name, called in names.items()},
            "time at 8 s an item": labelling_time(line.labels),
        }
        for line in lines
        if not line.refused
    ]
    return pd.DataFrame(rows)


def not_offered(lines: Sequence[Line]) -> str:
    """The methods that cannot serve, by why, in one line; "" where all can.

    >>> lines = [Line("a", "A", refused="x", short="needs a score"), Line("b", "B", labels=9)]
    >>> not_offered([*lines, Line("c", "C", refused="y", short="needs a score")])
    'Not offered here: A, C (needs a score).'
    >>> not_offered(lines[1:])
    ''
    """
    why: dict[str, list[str]] = {}
    for line in lines:
        if line.refused:
            why.setdefault(line.short, []).append(line.label)
    reasons = "; ".join(f"{', '.join(names)} ({short})" for short, names in why.items())
    return f"Not offered here: {reasons}." if reasons else ""


# --- second answers -----------------------------------------------------------------------------


def spending_words(chosen: Spending, other: Spending, readers: int) -> str:
    """What the readings are spent on and give, and what they would give otherwise.

    >>> tenth = Spending(0.1, 600, 60, 660, {"f1": 0.09})
    >>> spending_words(Spending(0.65, 400, 260, 660, {"f1": 0.04}), tenth, 2).split(" Or")[0]
    '660 answers: 400 items, 260 of them judged twice (± 4.0 points once settled).'
    """
    sentence = f"{chosen.readings:,} answers: {spent_words(chosen, readers)}."
    return sentence if other is chosen else f"{sentence} Or: {spent_words(other, readers)}."


def spent_words(way: Spending, readers: int) -> str:
    """What readings are spent on and give."""
    return SPENT.format(
        items=way.items,
        twice=way.twice,
        many="twice" if readers == 2 else f"by {readers} people",
        gives=half_width_words(way.half_width),
    )


def overlap_words(plan: Plan, share: float, readers: int) -> str:
    """What it costs that others judge a share, too; "" where the size is not known.

    >>> overlap_words(Plan("simple_random", ["accuracy"], budget=200), 0.1, 3)
    '12 to 28 items more for each other person, about 3 min'
    """
    each = "the other person" if readers == 2 else "each other person"
    return _judged_again(OTHERS, plan, share, each=each)


def repeats_words(plan: Plan, share: float) -> str:
    """What it costs that one person judges a share a second time."""
    if not share:
        return NONE_AGAIN
    more = _judged_again(MORE_AGAIN, plan, share)
    return SOME_AGAIN.format(spacing=SPACING, share=SHARES[share], more=more)


def _judged_again(template: str, plan: Plan, share: float, **parts: str) -> str:
    """How many items are judged again, and how long that takes; "" where the size is not known."""
    items = plan.budget or plan.planned
    if not items:
        return ""
    low, high = likely_number(share, items)
    time = about_minutes(share * items * SECONDS_AN_ITEM)
    return template.format(low=low, high=high, time=time, **parts)


def likely_number(share: float, items: int) -> tuple[int, int]:
    """How many of ``items`` come again 19 times in 20: each does by itself with chance ``share``
    (two standard deviations of the binomial around its mean).

    >>> likely_number(0.2, 60), likely_number(0.05, 40)
    ((6, 18), (0, 5))
    """
    mean, spread = share * items, 2 * math.sqrt(items * share * (1 - share))
    return max(round(mean - spread), 0), min(round(mean + spread), items)
