"""What a result says in one sentence of at most twenty words, for the labelling page."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from labelcore.estimands import DIFFERENCE, SCALARS
from labelcore.promises import State
from labelcore.results.curves import Band
from labelcore.results.look import HeadBands, Look
from labelcore.results.told_values import Told, is_early, known_ends
from labelcore.results.types import Estimate
from labelcore.words import found_so_far
from labelcore.words.claims import claims_short
from labelcore.words.differences import (
    guess_words,
    one_end_words,
    outward,
    pair_words,
    points_range,
    told_interval,
    told_words,
)
from labelcore.words.quantities import (
    OF_AUDIT,
    is_settled,
    key_parts,
    label_of,
    model_named,
    model_word,
    term_of,
)
from labelcore.words.race import ONLY_THESE, THESE_FIRST
from labelcore.words.sentences import (
    by_which_rule,
    confidence_words,
    count,
    decimals,
    due_words,
    first_items,
    group_words,
    left_percent,
    range_text,
)
from labelcore.words.unsure import odds_words

NO_BOUNDS = "No bounds for the first items yet"
NOT_YET = "Nothing is known yet: anything from 0 to 100 % is possible."
EARLY, ABOUT = "Too early for a figure.", "About {more} to a first figure."
AGAINST = "{name}: {against} of {answers} went against the {model}; {next}"
TOO_EARLY_YET, ABOUT_MORE = "too early for a figure.", "about {more} more for a first figure."
NO_DIFFERENCE_YET = "Nothing is known yet: each of the two may be the better one."
SO_FAR = "So far {figure} may be anything from {range} %."
TOO_WIDE = "Too few labels: {figure} may be anything from {range} %."
THE_HEAD = "precision of the first {items}"
NO_DIFFERENCE_SO_FAR = "So far each of the two may be the better one."
AT_MOST = "Each of the two may be the better one, by at most {most}."
TOO_EARLY = "Too few labels to say anything; the interval comes with {due}."
PROVISIONAL = "{name} is {value} so far; its interval comes with {due}."
EXACT = "{name} is exactly {value}: every item that matters has a label."
EXACT_OF_THESE = "{name} is exactly {value}, of the items that a person can judge."
SURE = "{sure} sure{of_these}: {finding}."
FOR_GROUP = ", for {group}"
OF_THESE = ", of all but about {left} that nobody can judge"
OF_SOME = ", of those that a person can judge"
WHERE_JUDGED = ", where people can judge"
"""Of a difference, whose finding is long."""
ASSUMED = "{finding}, if precision falls along the list: no confidence."
HEAD = "of {items} by score, {range} % {are} {positive!r}"
EXACT_DIFFERENCE = "Exactly: {guess}, as every item that matters has a label."
EXACT_DIFFERENCE_OF_THESE = "Exactly: {guess}, of the items that a person can judge."
BETWEEN = "{name} is {range} %"
BETTER = "in {measure}, {first} is {range} points better than {second}"
SURE_TOO = "Also sure, each by itself: {findings}."
SURE_OTHERS = "In {measure} each may be the better one; sure, each by itself: {findings}."
SURELY = "{better} is better in {measures}"
OPEN = "in {measure}, {first} is between {worse} points worse and {better} better than {second}"


def range_of(low: float, high: float, wanted: float | None = None) -> str:
    """Both ends in percent as ``range_text`` has them; once where they are one.

    >>> range_of(0.5713, 0.9802), range_of(0.79, 0.79)
    ('57 to 99', '79.00')
    """
    ends = range_text(low, high, "", wanted)
    bottom, _, top = ends.partition(" to ")
    return bottom if bottom == top else ends


def short_value(estimate: Told) -> str:
    """The value; "" where none is told.

    >>> from types import SimpleNamespace
    >>> short_value(SimpleNamespace(estimand="recall", told=0.8637, low=0.84, high=0.9))
    '86.4 %'
    >>> short_value(SimpleNamespace(estimand="recall_difference", told=-0.02, low=-0.1, high=0.1))
    '−2'
    """
    return told_words(estimate).removesuffix(" points")


@dataclass(frozen=True, slots=True)
class LookSentence:
    """What is said, and of all items where some were unsure; "" where none was."""

    text: str
    of_all: str = ""


def look_sentence(look: Look, more: float | None) -> LookSentence:
    """Of the claims, else of the head of a ranked list, else of the figure that is charted.

    more   labels to a first figure, None where nobody knows
    """
    if claimed := claims_short(look.claims):
        return LookSentence(claimed)
    if look.heads is not None and look.heads.first:
        return LookSentence(_head_words(look.heads))
    charted, race = look.charted, look.race
    if charted is None:
        return LookSentence("")
    of_all = odds_words(charted)
    if race is not None and race.alone and not len(race.won):
        return LookSentence(ONLY_THESE if race.only else THESE_FIRST, of_all=of_all)
    if look.going_on and charted.says_little:
        dots, against = look.dots.get(charted.estimand), None
        if dots is not None and not charted.is_difference:
            against = int(np.count_nonzero(~dots))
        answers = 0 if dots is None else len(dots)
        early = early_sentence(charted.estimand, against, answers, more, charted.scope.audit)
        return LookSentence(early, of_all=of_all)
    text = short_sentence(charted) if look.going_on else with_sure_ones(charted, look.estimates)
    return LookSentence(text, of_all)


def _head_words(heads: HeadBands) -> str:
    first = heads.bands[heads.told]
    if heads.waiting or first is None or not first.has_interval:
        reason = heads.waiting or NO_BOUNDS
        return f"{reason[:1].upper()}{reason[1:]}."
    return short_head(first)


def early_sentence(
    key: str, against: int | None, answers: int, more: float | None, audit: bool = False
) -> str:
    """What is said while a figure says nothing.

    against   how many labels are not what the classifier says, with ``audit`` the judge; None where
              that is not told
    more      labels to a first figure, None where nobody knows

    >>> early_sentence("precision[spam]", 2, 6, 9.7)
    'Precision: 2 of 6 answers went against the classifier; about 10 more for a first figure.'
    >>> early_sentence("f1", None, 0, 26), early_sentence("f1", None, 6, None)
    ('About 26 labels to a first figure.', 'Too early for a figure.')
    """
    number = None if more is None else max(round(more), 1)
    if against is None or not answers:
        return EARLY if number is None else ABOUT.format(more=count(number))
    then = TOO_EARLY_YET if number is None else ABOUT_MORE.format(more=f"{number:,}")
    name, total = label_of(key_parts(key)[0], audit), count(answers, "answer")
    went = {"against": f"{against:,}", "answers": total, "model": model_word(audit)}
    return AGAINST.format(name=name, next=then, **went)


def short_sentence(estimate: Estimate) -> str:
    """One sentence that never claims more than the promise of the interval."""
    return by_which_rule(_short(estimate), estimate.scope)


def _short(estimate: Estimate) -> str:
    scope = estimate.scope
    name = found_so_far.NAME
    if scope.found is None:
        name = label_of(key_parts(estimate.estimand)[0], scope.audit)
    value = told_words(estimate)
    if estimate.state == State.EXACT and estimate.is_difference:
        return _exact_difference(estimate)
    if estimate.state == State.EXACT:
        exact = EXACT if scope.judged is None else EXACT_OF_THESE
        return exact.format(name=name, value=value)
    if not estimate.has_interval:
        if estimate.value is None:
            return (
                _no_difference(estimate, NO_DIFFERENCE_YET) if estimate.is_difference else NOT_YET
            )
        if estimate.told is None:
            return TOO_EARLY.format(due=due_words(scope))
        return PROVISIONAL.format(name=name, value=value, due=due_words(scope))
    if estimate.says_nothing:
        if estimate.is_difference:
            return _no_difference(estimate, NO_DIFFERENCE_SO_FAR)
        return SO_FAR.format(figure=_term(estimate), range=range_of(estimate.low, estimate.high))
    wide = estimate.told is None and (estimate.says_little or all(estimate.known_ends))
    if wide and not estimate.is_difference:
        return TOO_WIDE.format(figure=_term(estimate), range=range_of(estimate.low, estimate.high))
    finding = _finding(estimate)
    if estimate.confidence is None:
        return ASSUMED.format(finding=finding[:1].upper() + finding[1:])
    judged = scope.judged
    these = "" if judged is None else OF_SOME
    if judged:
        these = OF_THESE.format(left=left_percent(judged))
    if these and estimate.is_difference:
        these = WHERE_JUDGED
    if scope.by:
        these = FOR_GROUP.format(group=group_words(scope)) + these
    return SURE.format(sure=confidence_words(estimate.confidence), of_these=these, finding=finding)


def _term(estimate: Estimate) -> str:
    """What an estimate is of, within a sentence."""
    scope = estimate.scope
    if scope.found is not None:
        return found_so_far.TERM
    name, inside, _ = key_parts(estimate.estimand)
    of_class = f" of {inside!r}" if inside else ""
    group = f" for {group_words(scope)}" if scope.by else ""
    return f"{term_of(name, scope.audit)}{of_class}{group}"


def short_head(band: Band) -> str:
    """The same of the first items of a ranked list; ``band`` has one rank and an interval."""
    low, high = float(band.low[0]), float(band.high[0])
    sure = "" if band.confidence is None else confidence_words(band.confidence)
    between = range_of(low, high)
    figure = THE_HEAD.format(items=f"{int(band.x[0]):,}")
    if not any(known_ends(low, high)):
        return SO_FAR.format(figure=figure, range=between)
    if is_early(low, high) or (all(known_ends(low, high)) and band.wide[0]):
        return TOO_WIDE.format(figure=figure, range=between)
    rank, positive = int(band.x[0]), band.scope.positive
    are = "is" if rank == 1 else "are"
    finding = HEAD.format(items=first_items(rank), range=between, are=are, positive=positive)
    if not sure:
        return ASSUMED.format(finding=finding[:1].upper() + finding[1:])
    return SURE.format(sure=sure, of_these="", finding=finding)


def _no_difference(estimate: Estimate, nothing: str) -> str:
    """That nobody knows which is better, and by how much at most; ``nothing``: where not even that
    is known, or more was known of all items before the first label."""
    possible = estimate.possible
    further = estimate.low < possible.low - 1e-9 or estimate.high > possible.high + 1e-9
    if further or not any(known_ends(estimate.low, estimate.high, -1.0)):
        return nothing
    ends = points_range(estimate.low, estimate.high)
    most = ends[abs(estimate.low) < abs(estimate.high)]
    return AT_MOST.format(most=most.removesuffix(" points").lstrip("+−") + " points")


def _finding(estimate: Estimate) -> str:
    name, inside, other = key_parts(estimate.estimand)
    scope = estimate.scope
    if name.endswith(DIFFERENCE):
        return _difference(estimate, name)
    between = told_interval(estimate, unit="")
    if scope.found is not None:
        missing = found_so_far.missing_words(estimate)
        return found_so_far.SHORT.format(positive=scope.positive, range=between, missing=missing)
    row, process = SCALARS.get(name), scope.target == "process"
    if row is None or not row.short:
        return BETWEEN.format(name=label_of(name, scope.audit), range=between)
    named, audit = other or scope.classifier, scope.audit
    thing = "answer" if audit else "item"
    items = f"{thing}s like these" if process else f"the {count(scope.n_items, thing)}"
    short = OF_AUDIT[name].short if audit and name in OF_AUDIT else row.short
    return short.format(
        classifier=repr(named) if named and not audit else model_named(named, audit),
        items=items if scope.judged is None else "them",
        positive=inside or scope.positive,
        range=between,
    )


def _exact_difference(estimate: Estimate) -> str:
    """Which of the two is better by how much, or that they are equally good."""
    first, second = pair_words(estimate.scope)
    name = key_parts(estimate.estimand)[0].removesuffix(DIFFERENCE)
    measure, value = term_of(name, estimate.scope.audit), estimate.told or 0.0
    digits = decimals(estimate.high - estimate.low)
    guess = guess_words(value, measure, first, second, digits)
    exact = EXACT_DIFFERENCE if estimate.scope.judged is None else EXACT_DIFFERENCE_OF_THESE
    return exact.format(guess=guess)


def with_sure_ones(told: Estimate, estimates: Iterable[Estimate]) -> str:
    """The sentence of a figure; of a difference also which others of the same two are sure."""
    better: dict[str, list[str]] = {}
    for one in estimates if told.is_difference else ():
        sure = one.has_interval and one.confidence is not None and not one.low <= 0 <= one.high
        other = one.estimand != told.estimand and one.is_difference
        if sure and other and not is_settled(one.estimand) and one.scope.group == told.scope.group:
            first, second = str(one.scope.classifier), str(one.scope.versus)
            measure = term_of(one.estimand.removesuffix(DIFFERENCE), one.scope.audit)
            better.setdefault(first if one.low > 0 else second, []).append(measure)
    findings = [SURELY.format(better=name, measures=" and ".join(better[name])) for name in better]
    if not findings:
        return short_sentence(told)
    if told.says_nothing or not told.has_interval:
        measure = term_of(told.estimand.removesuffix(DIFFERENCE), told.scope.audit)
        return SURE_OTHERS.format(measure=measure, findings=", ".join(findings))
    return f"{short_sentence(told)} {SURE_TOO.format(findings=', '.join(findings))}"


def _difference(estimate: Estimate, name: str) -> str:
    first, second = estimate.scope.classifier, estimate.scope.versus
    measure = term_of(name.removesuffix(DIFFERENCE), estimate.scope.audit)
    if one_end := one_end_words(estimate, measure, str(first), str(second)):
        return one_end
    if estimate.low > 0 or estimate.high < 0:
        ends = sorted((abs(estimate.low), abs(estimate.high)))
        better = (first, second) if estimate.low > 0 else (second, first)
        return BETTER.format(
            measure=measure, first=better[0], second=better[1], range=range_of(*ends)
        )
    digits = decimals(estimate.high - estimate.low)
    low, high = outward(estimate.low, estimate.high, digits)
    return OPEN.format(
        measure=measure,
        first=first,
        second=second,
        worse=f"{abs(low):.{digits}f}",
        better=f"{high:.{digits}f}",
    )
