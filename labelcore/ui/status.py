"""What the labelling page says about a session, as plain values and words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from statistics import median

from labelcore.designs.lists import ComparesLists
from labelcore.designs.scalars import ComparesTwo
from labelcore.estimands import LISTS
from labelcore.figures.curves import asks_for_curve
from labelcore.log.answers import looking_seconds
from labelcore.log.events import ANSWER_KINDS, Event
from labelcore.plan.stop_rules import looking
from labelcore.promises import Form, Promise, State, Status
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Estimate, Results
from labelcore.session.carried import CARRIED
from labelcore.session.session import Session
from labelcore.ui.times import MINUTE, about_minutes
from labelcore.words import sentences as words
from labelcore.words.counts import answers_words
from labelcore.words.differences import is_difference
from labelcore.words.existing import taken_words
from labelcore.words.pilots import pilot_words, size_now
from labelcore.words.quantities import group_of, is_settled, key_parts, label_of, names_another
from labelcore.words.recuts import taught_words
from labelcore.words.stops import open_words, stopped_short

SECONDS_AN_ITEM = 8.0
LATEST, LONGEST_PAUSE, LIST_KEY = 20, 60.0, "T"
ANSWER_WORDS = {"unsure": "Not sure", "later": "Later", "broken": "Broken"}


def shown_word(answer: str) -> str:
    """A class or answer as it stands on its button.

    >>> shown_word("yes"), shown_word("unsure"), shown_word("spam")
    ('Yes', 'Not sure', 'spam')
    """
    if answer in ("yes", "no"):
        return answer.capitalize()
    return ANSWER_WORDS.get(answer, answer)


def page_words(answers: Sequence[str]) -> str:
    """How often each answer was given.

    >>> page_words(["no", "yes", "no", "unsure"])
    '2 No, 1 Yes, 1 Not sure'
    """
    given = Counter(answers)
    return ", ".join(f"{number} {shown_word(name)}" for name, number in given.items())


def pace(events: Sequence[Event], first: float = SECONDS_AN_ITEM) -> float:
    """Seconds an item: the median of the latest answers, pauses left out. It counts for as much as
    there are of ``LATEST``, ``first`` for the rest, so that the first quick answers move the time
    that is left by a little each."""
    answers = (e for e in reversed(events) if e.kind in ANSWER_KINDS and e.shown_at)
    spans = looking_seconds(list(islice(answers, 2 * LATEST)))[:LATEST]
    short = [span for span in spans if 0 < span <= LONGEST_PAUSE]
    return first + len(short) / LATEST * (median(short) - first) if short else first


@dataclass(frozen=True)
class Counts:
    """``about``: the total is what is expected, and may turn out to be less or more; ``still_open``
    says what labelling goes on for when it is more. ``most``, ``least``: the total is that.
    ``again``: items judged twice; ``again_left``: those still to come where nothing else is.
    ``known``: what a pilot is to tell of the total, or has told, or what the labels have taught; ""
    where there is none.
    ``repeats``: the share shown again, 0 once all are judged; ``mixed``: first and second answers
    are counted in one number. ``waiting``: items that somebody still had when it ended.
    ``carried``: items whose label has come home from an earlier wave."""

    answered: int
    total: int
    about: bool
    unsure: int
    later: int
    seconds_left: float
    ended: str = ""
    broken: int = 0
    still_open: str = open_words(())
    most: bool = False
    least: bool = False
    again: int = 0
    again_left: int = 0
    repeats: float = 0.0
    mixed: bool = False
    waiting: int = 0
    known: str = ""
    carried: int = 0

    def together(self) -> Counts:
        """First and second answers in one number while both may come: it grows by one with every
        answer, and so does not tell which ones are second answers."""
        if not self.repeats or self.ended:
            return self
        judged = self.answered + self.again
        total = max(round(self.total * (1 + self.repeats)), judged + 1)
        return replace(self, answered=judged, total=total, again=0, again_left=0, mixed=True)

    @property
    def how(self) -> str:
        """What the total is, before its number."""
        if self.most or self.least:
            return "at most " if self.most else "at least "
        return "about " if self.about or self.mixed else ""

    @property
    def by_kind(self) -> str:
        """The items judged once, by kind of answer."""
        labelled = self.answered - self.unsure - self.broken
        return answers_words({"labelled": labelled, "unsure": self.unsure, "broken": self.broken})

    @property
    def share(self) -> float:
        """Of the total; all where a goal decides that, and labelling has ended."""
        if self.about and self.ended:
            return 1.0
        return min(self.answered / self.total, 1.0) if self.total else 1.0


def counts(session: Session) -> Counts:
    engine, plan = session.engine, session.plan
    size, goals = size_now(plan, engine, engine.given), looking(plan.stop_rules)
    total = min(size.labels, engine.most)
    answered, ended = engine.answers_given, ended_words(session)
    asked = engine.asked if session.home.labels else ()
    choosing = "choice" in goals and not ended
    most = choosing and not engine.extended and answered < total
    left = max(total - answered, 0)
    again_left = 0 if left and not engine.stopped else len(engine.repeats.due)
    first = float(session.settings.get("seconds", SECONDS_AN_ITEM))
    seconds = (left * (1 + plan.further_answers) + again_left) * pace(session.events, first)
    return Counts(
        answered=answered,
        total=total,
        about=(size.open_end or "choice" in goals) and not (most or engine.extended or choosing),
        unsure=engine.kinds["unsure"],
        later=engine.kinds["later"],
        seconds_left=seconds,
        ended=ended,
        broken=engine.kinds["broken"],
        still_open=open_words(goals),
        most=most,
        least=size.open_end and size.until > 0,
        again=engine.repeats.answered,
        again_left=again_left,
        repeats=plan.further_answers if left or engine.repeats.due else 0.0,
        waiting=len(engine.waiting_indices()) if ended and session.status == Status.WAITING else 0,
        known="" if ended or engine.extended else pilot_words(engine) or taught_words(engine),
        carried=sum(one.answers[0].annotator == CARRIED for one in asked if one.answers),
    )


def ended_words(session: Session) -> str:
    """What ended the labelling, in two or three words; "" while it goes on. Items that somebody
    still had when a rule was met do not make that undone."""
    status = session.status
    met = session.engine.stopped and not session.engine.extended
    if status == Status.GOAL_REACHED or (met and status == Status.WAITING):
        return stopped_short(session.state.stop_reason)
    return "finished" if status.over else ""


def at_an_end(session: Session) -> bool:
    """Whether no item is left to judge, for now or for good, and nobody still has one."""
    ends = (Status.GOAL_REACHED, Status.BUDGET_USED, Status.EXHAUSTED)
    return session.status in ends or session.status.over


def progress_parts(now: Counts, saved: str | None) -> list[str]:
    """How many items are judged, and what else is to be said of how far labelling is."""
    unit = " answers" if now.mixed else " items" if now.again or now.again_left else ""
    of = "items" if now.about and now.ended else f"of {now.how}{now.total:,}{unit}"
    of += f"{' ' if now.known.startswith('if') else ': '}{now.known}" if now.known else ""
    undecided = (now.unsure or now.broken) and not now.mixed
    parts = [f"{now.by_kind if undecided else f'{now.answered:,}'} {of}"]
    if now.carried:
        parts.append(f"{now.carried:,} of them from earlier waves")
    if now.ended:
        parts.append(now.ended)
        parts += [f"waiting for {words.count(now.waiting, 'open item')}"] if now.waiting else []
    elif now.answered < now.total:
        about = now.how if now.most or now.least else "~"
        if not now.least or now.seconds_left >= MINUTE:
            parts.append(f"{about_minutes(now.seconds_left, about)} left")
    elif now.about:
        parts.append(f"more than expected, {now.still_open}")
    if now.again_left:
        parts.append(f"{now.again:,} of {now.again + now.again_left:,} judged twice")
    elif now.again:
        parts.append(f"{now.again:,} judged twice")
    if now.mixed and now.unsure:
        parts.append(f"{now.unsure} not sure")
    if now.mixed and now.broken:
        parts.append(f"{now.broken} broken")
    if now.later:
        parts.append(f"{now.later} for later")
    if saved:
        parts.append(f"saved {saved}")
    return parts


def figure_name(estimate: Estimate) -> str:
    """What a figure is called, in the words of its field."""
    return estimand_name(estimate.estimand, audit=estimate.scope.audit)


def estimand_name(key: str, *, whose: bool = True, audit: bool = False) -> str:
    """A quantity as people read it; ``whose``: with the classifier, where the key names one;
    ``audit``: where a model judged answers.

    >>> estimand_name("precision"), estimand_name("precision@B")
    ('Precision', 'Precision of B')
    >>> estimand_name("precision[spam]@B", whose=False)
    'Precision of spam'
    >>> estimand_name("precision@B@settled"), estimand_name("precision[language=de]")
    ('Precision of B, settled', 'Precision, de')
    """
    if is_settled(key):
        whole = estimand_name(key.removesuffix("@settled"), whose=whose, audit=audit)
        return f"{whole}, settled"
    name, inside, other = key_parts(key)
    title = " of ".join(part for part in (label_of(name, audit), inside, whose and other) if part)
    group = group_of(key)
    return title if group is None else f"{title}, {group[1]}"


def main_and_other(results: Results) -> tuple[list[Estimate], list[Estimate]]:
    """The estimates of the classifier that the sample was drawn for, and those of the others; those
    of groups have a table of their own."""
    whole = [one for one in results.of(Estimate) if not one.scope.by]
    return (
        [estimate for estimate in whole if not names_another(estimate.estimand)],
        [estimate for estimate in whole if names_another(estimate.estimand)],
    )


def first_figure_line(session: Session) -> str | None:
    """``12 of 40 before a first figure``, None when it is due or there: answers of 'not sure' are
    no labels, so the planned size can be reached with fewer."""
    done, due = session.labels, session.first_figure
    own, _ = main_and_other(session.results())
    if done >= due or any(one.has_interval and one.state != State.EXACT for one in own):
        return None
    along = session.plan.along_ranks or session.plan.estimands[0] in LISTS
    what = "the first band" if along else "a first figure"
    return f"{done:,} of {due:,} before {what}"


def existing_line(session: Session) -> str:
    """The labels from before the project and what they are taken for; "" where none are used."""
    there = session.engine.existing
    return taken_words(len(there.positions), there.use) if there.use else ""


def decision(session: Session) -> str:
    """How the classifier decides: its threshold or its column."""
    population, plan = session.population, session.plan
    name = (plan.classifiers or population.classifiers[:1] or (None,))[0]
    if name is None:
        return "no classifier"
    who = "" if name == "classifier" else f"{name}: "
    if isinstance(plan.method, ComparesLists):
        return f"{' against '.join(plan.classifiers)}, both ranked by score"
    if isinstance(plan.method, ComparesTwo) or any(map(is_difference, plan.estimands)):
        calls = population.called(*plan.classifiers).items()
        differ = words.count(sum(items for (a, b), items in calls if a != b), "item")
        return f"{' against '.join(plan.classifiers)}, which disagree on {differ}"
    result = next(iter(session.results().values()))
    if isinstance(result, Choice):
        wanted = words.exact_percent(result.precision_threshold)
        return f"{len(result.bounds):,} candidates, wanted: a precision of {wanted} or more"
    if asks_for_curve(session.engine) and name not in population.predictions:
        return (
            f"{who}ranked by score, "
            + ("lowest" if name in population.descending else "highest")
            + " first"
        )
    if name in population.thresholds:
        sign = "≤" if name in population.descending else "≥"
        return f"{who}{population.positive!r} when score {sign} {population.thresholds[name]:g}"
    column = population.arguments.get("predictions", {}).get(name)
    return f"{who}predictions from column {column!r}" if column else f"{who}no threshold"


def promise_line(session: Session) -> str:
    """How sure the first result is and when it holds, and the goal where that does not say it."""
    plan = session.plan
    first = next(iter(session.results().values()))
    confidence: float | None = plan.confidence
    if isinstance(first, Estimate | Band | Choice):
        confidence = first.confidence
    if confidence is None:
        return words.ASSUMED
    valid = words.valid_words(first.promise, first.scope)
    if first.promise == Promise.NONE:
        return valid
    numbers = first.scope.together
    together = f" for all {numbers} numbers together" if numbers > 1 else ""
    goal = f" · goal ± {words.goal_points(plan.margin)}" if plan.margin else ""
    form = ", approximate" if first.form == Form.APPROXIMATE else ""
    return f"{words.confidence_words(confidence)} confidence{together}{form}, {valid}{goal}"


def goal_line(session: Session) -> str:
    """What the interval is from the goal, where there is one; "" once it is reached."""
    margin = session.plan.margin
    estimates, _ = main_and_other(session.results())
    if not margin or at_an_end(session) or not estimates or not estimates[0].shows_interval:
        return ""
    half = (estimates[0].high - estimates[0].low) / 2
    return f"Now ± {words.points(half)}, goal ± {words.goal_points(margin)}."
