"""The kinds of events: each is one class, with when it may happen and what it does to the state.

Whoever writes, reads or audits a log asks the same rules. A new kind is a class here and a row of
``KINDS``.
"""

import zlib
from dataclasses import replace

from labelcore.designs.samples import budget_counts_draws
from labelcore.errors import (
    AnswerError,
    LateAnswerError,
    PlanArgumentError,
    PlanError,
    ReplayError,
    did_you_mean,
)
from labelcore.log.engine import Engine
from labelcore.log.events import ANSWER_KINDS, CAUSES, ERASED, Event, rewritten
from labelcore.log.further_choices import check_sought
from labelcore.log.recuts import check_recut, recut_due
from labelcore.log.rules import (
    Figures,
    Kind,
    check_first_answer,
    check_going_on,
    check_item,
    check_lease,
    check_new_token,
    check_not_late,
    check_shown,
    check_takes_back,
    comes_late,
    difference,
    figures_of,
)
from labelcore.log.state import LogState
from labelcore.log.wording import check_wording
from labelcore.population.classes import RESERVED

# --- drawing -------------------------------------------------------------------------------------


class Drawn(Kind):
    """An item is put before a person: a new one, or one that has no final answer."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_new_token(state, event)
        check_lease(event)
        engine = state.engine
        if event.index is None or not 1 <= event.index <= len(engine.asked) + 1:
            raise AnswerError(f"draw {event.index} is out of order")
        if event.index > len(engine.asked):
            self._check_new(engine, event)
            return
        check_item(state, event)
        if engine.answered(event.index):
            raise AnswerError(f"draw {event.index} is shown again though it has an answer")
        if event.index in state.screens.indices(repeat=False):
            raise AnswerError(f"draw {event.index} is shown again while somebody has it")

    def _check_new(self, engine: Engine, event: Event) -> None:
        ahead = engine.peek()
        if ahead is None:
            raise AnswerError(f"draw {event.index} lies beyond the planned draws")
        _, position, batch, basis = ahead
        recorded = (event.item_id, event.stratum, event.batch, event.basis)
        item_id, stratum = engine.population.id_at(position), int(engine.frame.stratum[position])
        if recorded != (item_id, stratum, batch, basis):
            raise AnswerError(
                f"draw {event.index} should be item {item_id!r} (stratum {stratum}, batch {batch} "
                f"after event {basis}), the log has {recorded[0]!r} (stratum {recorded[1]}, batch "
                f"{recorded[2]} after event {recorded[3]})"
            )

    def fold(self, state: LogState, event: Event) -> None:
        state.book.draw(event)
        state.screens.put(event, repeat=False)
        if "content" in event.detail:
            state.texts[str(event.item_id)] = str(event.detail["content"])
            state.changed_run = state.changed_run + 1 if "changed" in event.detail else 0
        if "changed" in event.detail:
            state.changed.add(str(event.item_id))


class Redrawn(Kind):
    """An answered item is shown once more: one that the seed or a second pass chose; of an overlap
    to a person who has not judged it."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_new_token(state, event)
        check_lease(event)
        check_item(state, event)
        engine = state.engine
        if event.index in engine.repeats.ready(event.annotator):
            return
        ended = engine.stopped or engine.peek() is None
        if ended and event.index in engine.repeats.ready(event.annotator, anything=True):
            return
        if event.annotator in engine.repeats.judges(int(event.index or 0)):
            raise AnswerError(f"draw {event.index} was judged by {event.annotator!r} already")
        raise AnswerError(f"draw {event.index} is not to be shown again at this point")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.repeats.show(int(event.index or 0))
        state.screens.put(event, repeat=True)


class Released(Kind):
    """A draw is taken from the person it was given to, unanswered: others may have it."""

    def check(self, state: LogState, event: Event) -> None:
        check_item(state, event)
        given = state.screens.given_by(int(event.previous or 0))
        if given is None or given.draw.index != event.index:
            raise AnswerError(f"it releases event {event.previous}, which nobody has before them")
        if event.annotator != given.annotator and not given.over(event.at):
            raise AnswerError(
                f"it releases event {event.previous}, still kept for {given.annotator!r}"
            )

    def fold(self, state: LogState, event: Event) -> None:
        state.screens.give_up(int(event.previous or 0))


# --- answering -----------------------------------------------------------------------------------


class Answer(Kind):
    """A class, "unsure", "later" or "broken": for a draw, or instead of the answer in force."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_first_answer(state, event)
        changed = event.previous is not None
        shown = None if changed else check_shown(state, event, repeat=False)
        if changed and event.answers in state.screens.shown:
            raise AnswerError("a changed answer must not use the token of a draw")
        index = check_item(state, event)
        force = state.engine.in_force(index)
        if changed and (force is None or force.sequence != event.previous):
            raise AnswerError(f"it changes event {event.previous}, which is not in force")
        if changed and self.name == "later":
            raise AnswerError("an answered item cannot be put off for later; undo it instead")
        if (event.label is not None) != (self.name == "labelled"):
            raise AnswerError(f"a label of {event.label!r} with {self.name!r}")
        if event.label is not None and event.label not in state.engine.classes:
            raise AnswerError(f"{event.label!r} is not one of the classes")
        if shown is not None:
            check_not_late(state, shown, later=self.name == "later")

    def fold(self, state: LogState, event: Event) -> None:
        book, index = state.book, int(event.index or 0)
        book.first_answer(index, event)
        if event.previous is not None:
            book.stopped = False  # The answer that ended it may be gone: the rules decide anew.
        state.screens.clear(index, repeat=False)
        if book.repeats.others:  # Who changed the answer is not to judge the item once more.
            state.screens.clear(index, repeat=True, annotator=event.annotator)
        state.answered[str(event.answers)] = event
        state.last_save = event.at
        state.last_answer = event.sequence


class Undone(Kind):
    """A person takes back an answer; the one before it, if any, is in force again."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_takes_back(event, state.engine.in_force(check_item(state, event)))

    def fold(self, state: LogState, event: Event) -> None:
        book, index = state.book, int(event.index or 0)
        book.undo(index)
        book.repeats.put_first(index, book.asked[index - 1].answers)
        state.screens.take_back(event, repeat=False)
        state.last_save = event.at
        state.last_answer = event.sequence


class Reread(Kind):
    """A further answer, held against the label that is in force."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_first_answer(state, event)
        shown = check_shown(state, event, repeat=True)
        index = check_item(state, event)
        if event.annotator in state.engine.repeats.judges(index):
            who = f"was judged by {event.annotator!r} already"
            raise LateAnswerError(f"item {index} {who}: this answer was not stored")
        first = state.engine.repeats.first(index)
        if event.previous != (None if first is None else first.sequence):
            raise AnswerError(f"it is held against event {event.previous}, not in force")
        known = event.label in state.engine.classes and event.text is None
        if not known and (event.label is not None or event.text not in RESERVED):
            raise AnswerError(f"it answers {event.label or event.text!r}")
        check_not_late(state, shown, later=event.text == "later")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.further_answer(event)
        state.screens.clear(int(event.index or 0), repeat=True)
        state.answered[str(event.answers)] = event
        state.further_saved(event)


class Late(Kind):
    """An answer that came after others had answered the item, or after the label that it was to be
    held against was taken back: kept beside theirs, and counted nowhere.

    Whose answers come late is no random choice of items: what takes long to judge comes late more
    often. So they enter neither the plan's figures nor those for the settled judgement, neither
    agreement nor label error, and an overlap may ask the same person for the item again. They
    cannot be taken back.
    """

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        check_first_answer(state, event)
        shown = state.screens.shown.get(str(event.answers))
        if shown is None or shown.annotator != event.annotator:
            raise AnswerError(
                f"it answers the token {event.answers!r}, never shown to {event.annotator!r}"
            )
        check_shown(state, event, repeat=shown.draw.repeat)
        index = check_item(state, event)
        if not comes_late(state, shown):
            raise AnswerError(f"item {index} was not answered by others: the answer is not late")
        force = state.engine.in_force(index)
        if event.previous != (None if force is None else force.sequence):
            raise AnswerError(f"it is kept beside event {event.previous}, not in force")
        known = event.label in state.engine.classes and event.text is None
        if not known and (event.label is not None or event.text not in ("unsure", "broken")):
            raise AnswerError(f"it answers {event.label or event.text!r}")

    def fold(self, state: LogState, event: Event) -> None:
        state.screens.close(str(event.answers))
        state.answered[str(event.answers)] = event
        state.last_save = event.at


class RereadUndone(Kind):
    """A person takes back a second answer."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        index = check_item(state, event)
        check_takes_back(event, state.engine.repeats.further(index, event.annotator))

    def fold(self, state: LogState, event: Event) -> None:
        state.book.undo_further(int(event.index or 0), event.annotator)
        state.screens.take_back(event, repeat=True)
        state.further_saved(event)


class Settled(Kind):
    """Somebody says which answer counts for an item that people judge differently."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        index = check_item(state, event)
        of_item = [judged for judged in state.engine.repeats.judged() if judged.index == index]
        if not of_item or not state.engine.repeats.others:
            raise AnswerError(f"item {index} was judged by one person: there is nothing to settle")
        if not of_item[0].complete:
            raise AnswerError(f"item {index} waits for another person's answer")
        if not of_item[0].differs:
            raise AnswerError(f"item {index} has the same answer by everybody")
        if event.label not in state.engine.classes:
            raise AnswerError(f"{event.label!r} is not one of the classes")
        if event.detail.get("answers") != of_item[0].sequences:
            raise AnswerError(f"item {index} was answered anew: look at the answers again")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.settle(event)
        state.further_saved(event)


# --- saying something about an item --------------------------------------------------------------


class Mark(Kind):
    """Somebody says something about a drawn item; the last of its kind counts, an empty text takes
    it back."""

    def check(self, state: LogState, event: Event) -> None:
        check_item(state, event, "item_id")

    def fold(self, state: LogState, event: Event) -> None:
        state.marks[self.name][int(event.index or 0)] = event


class Flagged(Mark):
    """A drawn item is marked to be looked at again, or no more."""

    def check(self, state: LogState, event: Event) -> None:
        super().check(state, event)
        if event.text not in ("yes", "no"):
            raise AnswerError(f"a flag must be 'yes' or 'no', got {event.text!r}")


class Explained(Mark):
    """Somebody says why the answer in force and a classifier differ, or takes that back (""). It
    is said of that answer: with another one it counts no more."""

    def check(self, state: LogState, event: Event) -> None:
        super().check(state, event)
        force = state.engine.in_force(int(event.index or 0))
        if event.text not in (*CAUSES, ""):
            raise AnswerError(f"a cause must be one of {', '.join(CAUSES)}, got {event.text!r}")
        if force is None or force.sequence != event.previous:
            raise AnswerError(f"it explains event {event.previous}, which is not in force")


# --- the course of the session -------------------------------------------------------------------


class Looked(Kind):
    """The results were looked at, with answers that no look has seen before."""

    def check(self, state: LogState, event: Event) -> None:
        if state.last_answer <= state.looked_after:
            raise AnswerError("it looks at what a look has seen already")

    def audit(self, state: LogState, event: Event, figures: Figures) -> None:
        now = figures.look(state.last_answer, event.detail)
        if now is None:
            return
        differs = difference(figures_of(event.detail), figures_of(now, event.detail))
        if differs:
            raise AnswerError(f"the look does not follow: {differs}")

    def fold(self, state: LogState, event: Event) -> None:
        state.looked_after = int(event.detail.get("after", 0))
        state.looks.append({**event.detail, "at": event.at})


class Reforecast(Kind):
    """After its pilot a plan that ends at a margin has its size forecast anew, once, or again where
    the pilot goes on: when it has ended the watched band is for that size, whatever becomes of the
    answers."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        engine = state.engine
        if not engine.pilot or engine.labels < engine.pilot:
            raise AnswerError("the size is forecast anew once, at the end of a margin plan's pilot")
        for name in ("planned", "pilot"):
            if type(event.detail.get(name, 0)) is not int:
                raise AnswerError(f"it plans for {event.detail[name]!r} labels")

    def audit(self, state: LogState, event: Event, figures: Figures) -> None:
        differs = difference(dict(event.detail), figures.reforecast())
        if differs:
            raise AnswerError(f"the size does not follow: {differs}")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.replan(int(event.detail["planned"]), int(event.detail.get("pilot", 0)))


class Recut(Kind):
    """At half of the planned labels these cut strata once more, where they say something of the
    items' content; whatever becomes of the answers, it is done once."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        if not recut_due(state.engine):
            raise AnswerError("strata are cut once more once, between batches from half way on")
        try:
            check_recut(state.engine, event.detail)
        except (TypeError, ValueError, LookupError, zlib.error) as error:
            raise AnswerError(f"it cuts no strata: {error}") from None

    def audit(self, state: LogState, event: Event, figures: Figures) -> None:
        recut = figures.recut()
        if recut.get("features") != event.detail.get("features"):
            return  # What is known of the content here is something else: the log is taken.
        differs = difference(dict(event.detail), recut)
        if differs:
            raise AnswerError(f"the cut does not follow: {differs}")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.cut_anew(event.detail)


class Stopped(Kind):
    """The plan's rules end the labelling."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)
        if state.engine.stopped:
            raise AnswerError("labelling was stopped already")

    def audit(self, state: LogState, event: Event, figures: Figures) -> None:
        reason = figures.stop_reason(event.at)
        if reason is not None and (not reason or reason != event.text):
            raise AnswerError(
                f"labelling stopped for {event.text!r}, and the rules met then are {reason!r}"
            )

    def fold(self, state: LogState, event: Event) -> None:
        state.book.stopped = True
        state.stop_reason = event.text or ""


class Finished(Kind):
    """Somebody ends the labelling."""

    def check(self, state: LogState, event: Event) -> None:
        check_going_on(state)

    def fold(self, state: LogState, event: Event) -> None:
        state.book.finished = True


class Restarted(Kind):
    """The monitor whose wave the project is begins anew with the next one."""

    def check(self, state: LogState, event: Event) -> None:
        if not (event.text or "").strip():
            raise AnswerError("a monitor begins anew for a reason, and none is given")


def _check_budget(engine: Engine, least: int, budget: object, present: str) -> None:
    if type(budget) is not int or not least < budget <= engine.most:
        raise PlanArgumentError(
            "budget",
            f"must be more than the {least:,} {present} and at most the {engine.most:,} "
            "that can be asked",
            got=budget,
        )


class Extended(Kind):
    """Labelling goes on until a new number of items in all."""

    def check(self, state: LogState, event: Event) -> None:
        engine = state.engine
        counted = state.going_on(event.at) or budget_counts_draws(engine.design)
        least = engine.limit if counted else engine.answers_given
        present = "that the project may ask now" if counted else "items so far"
        _check_budget(engine, least, event.detail.get("budget"), present)
        groups = engine.setup.groups
        known = {
            "estimand": [*dict.fromkeys(question.row.name for question in engine.questions)],
            "group": [] if groups is None else groups.names,
        }
        for name, names in known.items():
            wanted = event.detail.get(name)
            if wanted is not None and wanted not in names:
                there = ", ".join(names) or "none"
                near = did_you_mean(str(wanted), names)
                raise PlanArgumentError(
                    name, f"must be one that the plan asks for: {there}", got=f"{wanted}{near}"
                )

    def fold(self, state: LogState, event: Event) -> None:
        detail = event.detail
        state.book.extend(int(detail["budget"]), detail.get("estimand"), detail.get("group"))


class Sought(Kind):
    """Labelling goes on, within a number of items in all, until the choice at another required
    precision is made; what was said before it stays valid."""

    def check(self, state: LogState, event: Event) -> None:
        check_sought(state.engine, event.detail.get("precision", 0))
        given = state.engine.answers_given
        _check_budget(state.engine, given, event.detail.get("budget"), "items so far")

    def fold(self, state: LogState, event: Event) -> None:
        state.book.seek(float(event.detail["precision"]), int(event.detail["budget"]))


class SecondPass(Kind):
    """So many of the labelled items are shown a second time."""

    def check(self, state: LogState, event: Event) -> None:
        items = event.detail.get("items")
        if type(items) is not int or items < 1:
            raise PlanError(f"items must be at least 1, got {items!r}")
        check_going_on(state)

    def fold(self, state: LogState, event: Event) -> None:
        state.book.repeats.ask(int(event.detail["items"]))


class Worded(Kind):
    """The words that the project begins with: everything that is shown of it besides its items."""

    def check(self, state: LogState, event: Event) -> None:
        if state.sequence:
            raise AnswerError("the words that a project begins with are its first event")

    def fold(self, state: LogState, event: Event) -> None:
        state.worded = True
        state.words.update(event.detail)


class Reworded(Kind):
    """The words of the project are mended; no figure depends on them."""

    def check(self, state: LogState, event: Event) -> None:
        check_wording(event.detail)

    def fold(self, state: LogState, event: Event) -> None:
        state.words.update(event.detail)


class Erased(Kind):
    """Texts of items, or the name of a person, are gone from the store; no figure depends on
    them."""

    def check(self, state: LogState, event: Event) -> None:
        if not (event.text or "").strip():
            raise AnswerError("something is erased for a reason, and none is given")
        if not isinstance(event.detail.get("items", []), list):
            raise AnswerError("erased items must be a list of ids")

    def fold(self, state: LogState, event: Event) -> None:
        state.erased.update(map(str, event.detail.get("items", ())))
        state.erased.everything |= bool(event.detail.get("every"))
        gone = rewritten([event])
        for marks in state.marks.values():
            for index, mark in marks.items():
                if mark.sequence in gone:
                    marks[index] = emptied(mark)


# --- all of them ---------------------------------------------------------------------------------

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Drawn("drawn"),
        Answer("labelled"),
        Answer("unsure"),
        Answer("later"),
        Answer("broken"),
        Undone("undone"),
        Mark("noted", still_said=True),
        Flagged("flagged", written=False, still_said=True),
        Explained("explained", written=False),
        Looked("looked"),
        Reforecast("reforecast"),
        Recut("recut"),
        Stopped("stopped", written=False),
        Finished("finished", still_said=True),
        Restarted("restarted"),
        Extended("extended"),
        Sought("sought"),
        Worded("worded"),
        Reworded("reworded", still_said=True),
        Redrawn("redrawn"),
        Reread("reread", written=False),
        Late("late", written=False),
        RereadUndone("reread_undone"),
        SecondPass("second_pass"),
        Settled("settled"),
        Released("released"),
        Erased(ERASED, still_said=True),
    )
}


def kind_named(name: object) -> Kind:
    """The kind with this name. Raises ValueError if there is none."""
    if not isinstance(name, str) or name not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {name!r}")
    return KINDS[name]


def holds_words(name: str) -> bool:
    """Whether the text of such events is words of somebody; not where there is no such kind."""
    return name in KINDS and KINDS[name].written


def emptied(event: Event) -> Event:
    """An event once the words of its text are erased: a mark is taken back."""
    return replace(event, text="" if isinstance(KINDS[event.kind], Mark) else "erased")


def check(state: LogState, event: Event, figures: Figures | None = None) -> None:
    """Raise a ValueError or TypeError with the rule unless the event may happen now.

    figures   those of the state, where what the event records of figures counts too
    """
    kind = kind_named(event.kind)
    if event.sequence != state.sequence + 1:
        raise ValueError(f"expected event {state.sequence + 1} here")
    if event.answers is not None and event.kind not in (*ANSWER_KINDS, "reread", "late"):
        raise AnswerError(f"it is {event.kind!r} and answers the token {event.answers!r}")
    if event.token is not None and event.kind not in ("drawn", "redrawn"):
        raise AnswerError(f"it is {event.kind!r} and has the token {event.token!r} of a draw")
    kind.check(state, event)
    if figures is not None:
        kind.audit(state, event, figures)


def fold(state: LogState, event: Event) -> None:
    """Take an event that may happen into the state."""
    KINDS[event.kind].fold(state, event)
    state.passed(event)


def take(state: LogState, event: Event, figures: Figures | None = None) -> None:
    """Check an event of a log and fold it. Raises ReplayError when it does not follow."""
    try:
        check(state, event, figures)
    except (ValueError, TypeError) as error:
        raise ReplayError(event.sequence, str(error)) from error
    fold(state, event)
