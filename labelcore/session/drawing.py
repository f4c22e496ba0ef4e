"""Which item a person gets next, and which ones come back from somebody who has left."""

import secrets
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from labelcore.errors import ChangedItemError
from labelcore.figures.stops import stop_reason
from labelcore.log.events import Content, Draw, Event
from labelcore.log.recuts import recut_due
from labelcore.log.screens import Shown, lease_over, page_order
from labelcore.population import Population
from labelcore.population.snapshots import hide
from labelcore.session.item_texts import TEXT_GONE, erased_items
from labelcore.session.ledger import Entry, Ledger, now, placed

CHANGED = "This item was changed in its source after the project began: it is counted as broken."
CHANGED_RUN = 20
"""So many changed items one after another are counted as broken; with the next the source is taken
for another one."""
Found = tuple[int, int, int, int | None]
"""Index, position, batch and basis of a draw."""


class Drawing:
    """What a person is to judge next, from the present state of a ledger; what follows is stored.

    Whoever calls ``next`` or ``take`` holds the session's lock.
    """

    def __init__(self, ledger: Ledger, population: Population) -> None:
        self.ledger, self.population = ledger, population
        self.state, self.engine = ledger.state, ledger.state.engine
        self.state.erased.update(erased_items(ledger.store, ledger.project))
        hide(population, self.state.erased)

    def next(self, annotator: str) -> Draw | None:
        """The item that this person has open, else a new one; None where nothing is drawn."""
        self.ledger.sync()
        annotator = self.ledger.spelled(annotator)
        self.ledger.refuse_broken()
        if self.engine.finished:
            return None
        self.ledger.refuse_superseded()
        stack = self.state.on_screen(annotator)
        if stack and not self.owes(annotator):
            return stack[-1]
        stopped = not stack and not self.taken_back() and self._stop_now(annotator)
        if not stopped:
            self._put_back_taken(annotator)
        while True:
            self.ledger.append(lambda: self.next_draw(annotator, stopped))
            stack = self.state.on_screen(annotator)
            if stack or not self._give_up_expired(annotator, stopped):
                return stack[-1] if stack else None

    def take(self, n: int, annotator: str, minutes: int) -> list[Draw]:
        """Up to ``n`` open items of this person, kept for so long; the oldest first."""
        self.ledger.sync()
        annotator = self.ledger.spelled(annotator)
        self.ledger.refuse_broken()
        while not self.engine.finished:
            self.ledger.refuse_superseded()
            stack = self.state.on_screen(annotator)
            if len(stack) >= n:
                break
            stopped = not self.taken_back() and self._stop_now(annotator)
            if not stopped:
                self._put_back_taken(annotator)
            drawn = self.ledger.append(partial(self.next_draw, annotator, stopped, n, minutes))
            if drawn is None and not self._give_up_expired(annotator, stopped):
                break
        return self.state.on_screen(annotator)[:n]

    def page(self, n: int, annotator: str, minutes: int) -> list[Draw]:
        """What this person has open, else what they took back, else up to ``n`` items of which none
        depends on the answers to the others, kept for so long; in the order drawn."""
        self.ledger.sync()
        annotator = self.ledger.spelled(annotator)
        self.ledger.refuse_broken()
        if self.engine.finished:
            return []
        self.ledger.refuse_superseded()
        began = bool(self.state.on_screen(annotator))
        stopped = not began and not self.taken_back() and self._stop_now(annotator)
        if not stopped:
            self._put_back_taken(annotator)
        while True:
            stack, owes = self.state.on_screen(annotator), self.owes(annotator)
            if not owes and (began or len(stack) >= n or (stack and not self._sure())):
                break
            began = began or owes
            drawn = self.ledger.append(partial(self.next_draw, annotator, stopped, n, minutes))
            if drawn is None and (stack or not self._give_up_expired(annotator, stopped)):
                break
        return sorted(self.state.on_screen(annotator), key=page_order)[:n]

    def _sure(self) -> bool:
        """Whether what comes next is the same whatever is answered to what people have open: it was
        drawn before, or belongs to the batch that was begun, and no pilot may end before it."""
        engine, open_ = self.engine, len(self.state.screens.indices(repeat=False))
        if 0 < engine.pilot <= engine.labels + open_:
            return False
        drawn_before = self.state.screens.released or len(engine.asked) >= engine.limit
        return bool(drawn_before) or engine.batch_left > 0

    def _give_up_expired(self, annotator: str, stopped: bool) -> Event | None:
        """Take an item from a person who has had it for too long; there is nothing else to do."""
        return self.ledger.write(lambda: self.release_expired(annotator, stopped))

    def _put_back_taken(self, annotator: str) -> None:
        """Put back all that others took for a time that is over."""
        while self.ledger.write(lambda: self.release_taken(annotator)):
            pass

    def end_pilot(self, annotator: str) -> None:
        """Forecast the size of a margin plan anew, where its pilot has come to an end."""

        def build() -> Event | None:
            forecast = dict(self.ledger.figures.reforecast())
            return self.ledger.event("reforecast", annotator, detail=forecast) if forecast else None

        if 0 < self.engine.pilot <= self.engine.labels and not self.engine.finished:
            self.ledger.write(build)

    def cut_anew(self, annotator: str) -> None:
        """Cut the strata once more where that is due."""

        def build() -> Event | None:
            cuts = dict(self.ledger.figures.recut())
            return self.ledger.event("recut", annotator, detail=cuts) if cuts else None

        if recut_due(self.engine) and not self.engine.finished:
            self.ledger.write(build)

    def _stop_now(self, annotator: str) -> bool:
        self.end_pilot(annotator)
        self.cut_anew(annotator)
        engine = self.engine
        if engine.stopped and not engine.extended:
            return True
        if not self.ledger.figures.stop_reason(now()):
            return False

        def build() -> Event | None:
            event = self.ledger.event("stopped", annotator)
            over = engine.stopped or engine.finished
            reason = "" if over else self.ledger.figures.stop_reason(event.at)
            return replace(event, text=reason) if reason else None

        self.ledger.write(build)
        return engine.stopped

    def owed(self, annotator: str) -> int:
        """The oldest draw whose first answer this person took back; 0 if there is none."""
        shown = self.state.screens.indices(repeat=False)
        free = (index for index in self.engine.owed if index not in shown)
        return next((index for index in free if self._mine(index, annotator)), 0)

    def owes(self, annotator: str) -> bool:
        """Whether this person took back an answer, a first or a second one, and has not seen the
        item again since."""
        shown = self.state.screens.indices(repeat=True)
        again = set(self.engine.repeats.owed) - shown
        return bool(self.owed(annotator)) or any(
            self._mine(index, annotator, repeat=True) for index in again
        )

    def taken_back(self) -> bool:
        """Whether a person, not long ago, took back an answer and is about to give it anew."""
        engine, at = self.engine, now()
        owed = [(index, False) for index in engine.owed]
        owed += [(index, True) for index in engine.repeats.owed]
        undone = (self.state.screens.taken_back(index, repeat=again) for index, again in owed)
        return any(event is not None and not lease_over(event.at, at) for event in undone)

    def _mine(self, index: int, annotator: str, *, repeat: bool = False) -> bool:
        undone = self.state.screens.taken_back(index, repeat=repeat)
        return undone is not None and undone.annotator == annotator

    def _free(self, index: int, annotator: str, *, repeat: bool = False) -> bool:
        """Whether nobody else took back an answer to it a short while ago, to give it anew."""
        undone = self.state.screens.taken_back(index, repeat=repeat)
        return undone is None or undone.annotator == annotator or lease_over(undone.at, now())

    def next_draw(
        self, annotator: str, stopped: bool, most: int = 1, minutes: int | None = None
    ) -> Entry | None:
        """What to show next: an item taken back, else a repeat that is due, else what the method
        asks, else any repeat; repeats only when the plan's rules have ended the drawing. Nothing
        for a person who has ``most`` items already. With ``minutes`` it is kept for so long."""
        if len(self.state.on_screen(annotator)) >= most and not self.owes(annotator):
            return None  # Another page of this person was faster.
        engine = self.engine
        if engine.finished:
            return None
        index = self.owed(annotator)
        repeat = 0 if index else self._repeat(annotator)
        due = self._again(index or repeat) if index or repeat else None
        if due is None and not stopped:
            due = self._next_index(annotator)
        if due is None and (repeat := self._repeat(annotator, anything=True)):
            due = self._again(repeat)
        if due is None:
            return None
        index, position, batch, basis = due
        item_id = self.population.id_at(position)
        known = index <= len(engine.asked)
        now_in = engine.frame.stratum[position]
        stratum = engine.asked[index - 1].stratum if known else int(now_in)
        detail: dict[str, Any] = {} if minutes is None else {"minutes": minutes}
        contents: dict[str, Content] = {}
        if not known:
            try:
                if item_id in self.state.erased:
                    raise ChangedItemError(TEXT_GONE)
                shown = self.population.content(item_id)
            except ChangedItemError as error:
                gone = item_id in self.state.erased
                if self.state.changed_run >= CHANGED_RUN and not gone:
                    raise
                first, *others = self.population.content_columns
                shown = {first: TEXT_GONE if gone else CHANGED, **dict.fromkeys(others, "")}
                detail["changed"] = str(error)
            contents[item_id] = Content.drawn(shown)
            detail["content"] = contents[item_id].digest(item_id)
        event = self.ledger.event(
            "redrawn" if repeat else "drawn",
            annotator,
            token=secrets.token_hex(12),
            index=index,
            item_id=item_id,
            stratum=stratum,
            batch=batch,
            basis=basis,
            detail=detail,
        )
        return event, contents

    def _repeat(self, annotator: str, *, anything: bool = False) -> int:
        """The draw to show a second time now; 0 if somebody has each of them already."""
        shown = self.state.screens.indices(repeat=True)
        ready = self.engine.repeats.ready(annotator, anything=anything)
        free = (index for index in ready if self._free(index, annotator, repeat=True))
        return next((index for index in free if index not in shown), 0)

    def coming(self, annotator: str) -> Found | None:
        """What this person would get next; None where nothing is drawn."""
        engine = self.engine
        if engine.ended:
            return None
        return self._next_index(annotator)

    def _next_index(self, annotator: str) -> Found | None:
        """What the method asks next: an item that was given up, else a new one, else one put off
        for later."""
        engine, screens = self.engine, self.state.screens
        if screens.released:
            return self._again(min(screens.released))
        ahead = engine.peek()
        if ahead is not None:
            return ahead
        shown = screens.indices(repeat=False)
        later = [
            index
            for index in engine.waiting_indices()
            if index not in shown and self._free(index, annotator)
        ]
        later.sort(key=lambda index: event.sequence if (event := engine.in_force(index)) else 0)
        return self._again(later[0]) if later else None

    def ahead(self, draw: Draw, answers: Sequence[str]) -> dict[str, tuple[int, int]]:
        """Index and position of the new item that follows each answer to a draw on the screen.

        Only where that is sure as far as the log tells now: an answer that may end the session, is
        followed by an item shown before, or leaves the choice to others, is left out.
        """
        engine, screens = self.engine, self.state.screens
        shown = screens.indices(repeat=False) | screens.indices(repeat=True)
        if draw.repeat or shown != {draw.index} or screens.released or engine.finished:
            return {}
        if engine.owed or engine.repeats.owed or (engine.stopped and not engine.extended):
            return {}
        person = screens.shown[draw.token].annotator
        follows = {answer: self._follows(draw.index, answer, person) for answer in answers}
        return {answer: place for answer, place in follows.items() if place}

    def page_ahead(self, page: Sequence[Draw], n: int) -> list[tuple[int, int]]:
        """Index and position of the new items that follow a page, up to ``n``, whatever is answered
        to it; none where that is not sure as far as the log tells now."""
        engine, screens = self.engine, self.state.screens
        shown = screens.indices(repeat=False) | screens.indices(repeat=True)
        if any(draw.repeat for draw in page) or shown != {draw.index for draw in page}:
            return []
        open_ends = engine.finished or engine.stopped or (engine.plan.stop and not engine.extended)
        comes_again = engine.owed or engine.repeats.owed or engine.plan.further_answers
        if open_ends or comes_again or engine.repeats.due or engine.pilot or screens.released:
            return []
        positions = engine.upcoming(min(n, engine.batch_left)).tolist()
        return list(enumerate(positions, start=len(engine.asked) + 1))

    def _follows(self, index: int, answer: str, person: str) -> tuple[int, int] | None:
        engine = self.engine
        kind, label = engine.kind_of(answer)
        event = Event(engine.sequence + 1, kind, now(), person, index=index, label=label)
        after = engine.supposing(index, event)
        pilot_ends = 0 < after.pilot <= after.labels
        if pilot_ends or recut_due(after) or after.repeats.ready(person):
            return None
        if stop_reason(after, event.at):
            return None
        ahead = after.peek()
        return ahead and ahead[:2]

    def _again(self, index: int) -> Found:
        asked = self.engine.asked[index - 1]
        return index, asked.position, asked.batch, None

    # --- giving up ---------------------------------------------------------------------------

    def release(self, shown: Shown, annotator: str) -> Event | None:
        """The event that takes a draw from the person it was given to; None when it is not on
        their screen any more."""
        if not self.state.screens.is_open(shown.draw.token):
            return None
        about = {**placed(shown.draw), "previous": shown.sequence}
        return self.ledger.event("released", annotator, **about)

    def release_expired(self, annotator: str, stopped: bool) -> Event | None:
        """The event that takes the draw shown longest ago from a person who has had it for too
        long; None if there is none that may go to this one."""
        for shown in self.state.screens.expired(now()):
            if shown.draw.repeat or not stopped:
                return self.release(shown, annotator)
        return None

    def release_taken(self, annotator: str) -> Event | None:
        """The event that puts back what somebody else took for a time that is over; None if there
        is none."""
        for shown in self.state.screens.expired(now()):
            if shown.minutes is not None and shown.annotator != annotator:
                return self.release(shown, annotator)
        return None
