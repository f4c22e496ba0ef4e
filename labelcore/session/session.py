"""A labelling session: the engine and a store together. What the pages and other programs use."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

import pandas as pd

from labelcore.errors import AnswerError, LateAnswerError, StoreBusyError, StoreNotWritableError
from labelcore.figures.agreement import unsettled
from labelcore.figures.earlier import figures_of
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine
from labelcore.log.events import Draw, Event, answer_word, genesis
from labelcore.log.people import DEFAULT_ANNOTATOR, person_key
from labelcore.log.repeats import LATER, Judged
from labelcore.log.rules import comes_late
from labelcore.log.screens import LEASE, LONGEST_LEASE, Shown
from labelcore.log.state import LogState
from labelcore.log.wording import check_wording
from labelcore.plan.existing import remember
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.population import Population, read_population
from labelcore.results.table import results_table
from labelcore.results.types import Result, Results
from labelcore.session.ledger import Ledger, check_annotator, now
from labelcore.session.prepared import keep as keep_prepared
from labelcore.session.prepared import prepared_frame
from labelcore.session.projects import (
    check_highlights,
    created_or_same,
    first_words,
    new_record,
    opened_items,
    same_items,
    snapshot_of,
)
from labelcore.session.readings import Readings
from labelcore.session.turns import Turns
from labelcore.store import LabelStore, open_store

RECORD_AGAIN_SECONDS = 2.0
LONGEST_NAME = 60
LEASE_MINUTES = LEASE // timedelta(minutes=1)


class Session(Readings):
    """One project: it draws items, takes answers and gives results.

    Parameters
    ----------
    population, plan
        what is measured and how; the plan's size is frozen here
    store
        an address such as "sqlite:///labels.db", a store, or None for memory
    project
        its name in the store; an existing project is continued if file and plan agree
    settings
        question, instructions, keys ...: JSON values kept with the project

    Raises
    ------
    PlanError
        The plan cannot be carried out on this file.
    ProjectExistsError
        The project exists with another file or plan; the message shows both.
    StoreError
        The store cannot be used.

    Notes
    -----
    Every answer is durable in the store when ``answer`` returns. Position and results always come
    from the log, so two sessions on the same project, in one process or several, see each other's
    answers. A session may be shared between threads. If the log was changed outside Labelcore, it
    is read up to the first event that does not follow, with a BrokenLogWarning, and nothing can be
    added to it.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=80, seed=7)
    >>> session = lc.Session(population, plan)
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> session.status, session.labels
    ('budget used', 80)
    """

    def __init__(
        self,
        population: Population,
        plan: Plan,
        store: str | LabelStore | None = None,
        project: str = "default",
        *,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        known = store.items_folder if isinstance(store, LabelStore) else None

        kept = kept_plan(population, plan)
        engine = Engine(population, kept, frame=prepared_frame(known, population, kept))
        self.store = open_store(store)
        self.project = project
        record = new_record(population, kept, project, settings or {})
        self.record = created_or_same(self.store, record, population)
        keep_prepared(self.store.items_folder, population, kept, engine.frame)
        population.let_go()
        remember(engine.design, engine.setup, engine.existing, engine.frame)
        population, engine = self._mapped(population, kept, engine)
        self.population, self.plan, self.engine = population, kept, engine
        self.state = LogState(engine, genesis(population.fingerprint, self.record.plan_json))
        self.figures = figures_of(self.state)
        words = first_words(self.record)
        self.ledger = Ledger(self.store, project, self.state, self.figures, words)
        self.turns = Turns(self.ledger, population)
        self._lock = threading.RLock()
        self._people: dict[str, str] = {}
        # Why the newest look is not in the log, "" when it is.
        self.unrecorded = ""
        self._record_again_at = 0.0
        self.sync()

    def _mapped(
        self, population: Population, plan: Plan, engine: Engine
    ) -> tuple[Population, Engine]:
        """Both from the files beside the store, where these are there, so that the source is needed
        no more, and nothing of the size of the items held in memory; else as they are."""
        folder = self.store.items_folder
        found = None if population.snapshot else snapshot_of(self.record, folder)
        if found is None:
            return population, engine
        if not population.is_table:
            found = replace(found, path=population.path)
        frame = prepared_frame(folder, found, plan) or engine.frame
        return found, Engine(found, plan, frame=frame)

    def __repr__(self) -> str:
        return (
            f"<Session {self.project!r} on {self.population.name!r}: "
            f"{self.labels:,} labels, {self.status}>"
        )

    @classmethod
    def open(
        cls,
        store: str | LabelStore,
        project: str,
        *,
        read: Callable[..., Population] = read_population,
        file: str | os.PathLike[str] | None = None,
        population: Population | None = None,
    ) -> Session:
        """Continue a project of a store; its file is read again from where it was.

        Parameters
        ----------
        store
            an address, or a store; one that does not exist is not created
        project
            its name
        read
            what reads the file, from its path and the arguments of ``read_population``
        file
            where the file is now, if it was moved; ``relink`` of labelcore.session.life remembers
            it
        population
            the items, as ``read_population`` gives them; None: they are read from their file. Items
            that were a table, in a store that ends with the process, are in no file

        Returns
        -------
        Session
            As it was left; what other sessions have added since is there too.

        Raises
        ------
        MissingStoreError
            There is no such store.
        UnknownProjectError
            The store has no such project; the message lists those it has.
        FileNotFoundError
            The file is gone.
        ProjectExistsError
            The file has changed, or ``population`` holds other items.
        StoreError
            The store cannot be used.
        """
        opened = open_store(store, create=False)
        record = opened.project(project)
        if population is not None:
            items = same_items(record, population)
        else:
            items = opened_items(record, read, file, opened.items_folder)
        return cls(items, Plan.from_json(record.plan_json), opened, project)

    def person(self, secret: str) -> str:
        """The name that a person has in this project.

        Parameters
        ----------
        secret
            known only to that person's browser; the store keeps a hash of it

        Returns
        -------
        str
            "me" for the first person who comes, then "me 2", "me 3", ...
        """
        if secret not in self._people:
            key = person_key(secret, self.record.created_at, self.record.fingerprint)
            self._people[secret] = self.store.person(self.project, key, now())
        return self._people[secret]

    def introduce(self, name: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Say what a person is called. The log keeps the name under which answers were stored.

        Parameters
        ----------
        name
            at most 60 characters; the last one given counts
        annotator
            the person, by the name that the log has

        Raises
        ------
        TypeError, ValueError
            ``name`` is no text, empty, longer, or what another person is called.
        """
        check_annotator(name)
        name = " ".join(name.split())
        if len(name) > LONGEST_NAME:
            raise ValueError(f"name must have at most {LONGEST_NAME} characters, got {len(name)}")
        with self._lock:
            self.sync()
            kept: dict[str, str] = dict(self.settings.get("names", {}))
            others = {self.called(one) for one in self._annotators() if one != annotator}
            if name in others:
                raise ValueError(f"name must be your own: another person is called {name!r}")
            self.reword(annotator, names={**kept, annotator: name})

    def _annotators(self) -> set[str]:
        """Everybody who has a name in the project, of the log or of a browser."""
        given = {event.annotator for event in self.events if event.annotator}
        return given | set(self.store.people(self.project))

    # --- drawing -----------------------------------------------------------------------------

    def next(self, annotator: str = DEFAULT_ANNOTATOR) -> Draw | None:
        """The item to judge now.

        Parameters
        ----------
        annotator
            the person who asks

        Returns
        -------
        Draw or None
            The same draw until it is answered. None if nothing is to be drawn (finished, budget
            used, exhausted, or goal reached until ``extend``) or shown again.

        Raises
        ------
        BrokenLogError
            The log was changed outside Labelcore.
        SupersededError
            The project was measured by an earlier rule.
        StoreError
            The store cannot be written.

        Notes
        -----
        Nobody gets an item that another person has open. What another person took (``take``) for a
        time that is over comes first; when nothing else is left, an item that another person has
        had for 30 minutes is released and given to this one.

        An item that was changed in its source since the project began is answered "broken" as soon
        as it is drawn, and the next one given.
        """
        with self._lock:
            while (found := self._next(annotator)) and found.item_id in self.state.changed:
                self.answer(found, "broken")
            return found

    def _next(self, annotator: str) -> Draw | None:
        with self._lock:
            self.sync()
            self.ledger.refuse_broken()
            if self.engine.finished:
                return None
            self.ledger.refuse_superseded()
            stack = self.state.on_screen(annotator)
            if stack and not self.turns.owes(annotator):
                return stack[-1]
            stopped = not stack and not self.turns.taken_back() and self._stop_now(annotator)
            if not stopped:
                self._put_back_taken(annotator)
            while True:
                self.ledger.append(lambda: self.turns.next_draw(annotator, stopped))
                stack = self.state.on_screen(annotator)
                if stack or not self._release_expired(annotator, stopped):
                    return stack[-1] if stack else None

    def take(
        self, n: int, annotator: str = DEFAULT_ANNOTATOR, minutes: int = LEASE_MINUTES
    ) -> list[Draw]:
        """Several items at once, to be judged outside the app.

        Parameters
        ----------
        n
            how many items the person has then, at most; those that are open already count
        annotator
            the person who takes them
        minutes
            how long they are kept for this person: after that they go back, and whoever asks next
            gets them first. Draws that are open already keep their time

        Returns
        -------
        list of Draw
            The person's open draws, the oldest first; fewer than ``n`` where fewer are to be drawn.
            ``answer`` takes them in any order.

        Raises
        ------
        TypeError, ValueError
            ``n`` or ``minutes`` is not a whole number, or less than 1; ``minutes`` is more than a
            year.
        BrokenLogError
            The log was changed outside Labelcore.
        StoreError
            The store cannot be written.

        Notes
        -----
        An answer that comes later still counts if it is the first. A method that learns from the
        labels does not learn from items that are still out, so a batch costs a few labels more; its
        intervals hold.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=50))
        >>> batch = session.take(3, "ann")
        >>> for draw in reversed(batch):
        ...     event = session.answer(draw, "no")
        >>> [draw.index for draw in batch], session.labels
        ([1, 2, 3], 3)
        """
        _check_whole("n", "items", n)
        _check_whole("minutes", "minutes", minutes, most=LONGEST_LEASE)
        with self._lock:
            while True:
                found = self._take(n, annotator, minutes)
                changed = [one for one in found if one.item_id in self.state.changed]
                if not changed:
                    return found
                for one in changed:
                    self.answer(one, "broken")

    def _take(self, n: int, annotator: str, minutes: int) -> list[Draw]:
        with self._lock:
            self.sync()
            self.ledger.refuse_broken()
            while not self.engine.finished:
                self.ledger.refuse_superseded()
                stack = self.state.on_screen(annotator)
                if len(stack) >= n:
                    break
                stopped = not self.turns.taken_back() and self._stop_now(annotator)
                if not stopped:
                    self._put_back_taken(annotator)
                build = partial(self.turns.next_draw, annotator, stopped, n, minutes)
                drawn = self.ledger.append(build)
                if drawn is None and not self._release_expired(annotator, stopped):
                    break
            return self.state.on_screen(annotator)[:n]

    def ahead(self, draw: Draw, answers: Sequence[str]) -> dict[str, tuple[int, str]]:
        """The item that follows each answer, where that is sure before the answer is given.

        Parameters
        ----------
        draw
            from ``next``, not answered yet
        answers
            as for ``answer``

        Returns
        -------
        dict
            {answer: (number of the draw, item id)}. Left out is an answer that may end the
            session, or that is followed by an item shown before.

        Notes
        -----
        Nothing is drawn. What others do meanwhile may still change what ``next`` gives.
        """
        with self._lock:
            found = self.turns.ahead(draw, answers)
            return {
                answer: (index, self.population.id_at(position))
                for answer, (index, position) in found.items()
            }

    def _release_expired(self, annotator: str, stopped: bool) -> Event | None:
        """Take an item from a person who has had it for too long; there is nothing else to do."""
        return self.ledger.write(lambda: self.turns.release_expired(annotator, stopped))

    def _put_back_taken(self, annotator: str) -> None:
        """Put back all that others took for a time that is over."""
        while self.ledger.write(lambda: self.turns.release_taken(annotator)):
            pass

    def release(self, draw: Draw | str, *, annotator: str | None = None) -> Event | None:
        """Give an item back unanswered, so that others may have it.

        Parameters
        ----------
        draw
            the draw, or its token
        annotator
            the person who has it; None: the person it was given to

        Returns
        -------
        Event or None
            None if it was answered or given back before.

        Raises
        ------
        AnswerError
            The token is unknown, or the draw is another person's.

        Notes
        -----
        A late answer is still accepted as long as nobody else has answered the item.
        """
        shown = self._shown(draw, annotator)
        with self._lock:
            return self.ledger.write(lambda: self.turns.release(shown, shown.annotator))

    def _end_pilot(self, annotator: str) -> None:
        """Forecast the size of a margin plan anew, where its pilot has come to an end."""

        def build() -> Event | None:
            found = self.figures.reforecast()
            return self.ledger.event("reforecast", annotator, detail=found) if found else None

        if 0 < self.engine.pilot <= self.engine.labels and not self.engine.finished:
            self.ledger.write(build)

    def _stop_now(self, annotator: str) -> bool:
        self._end_pilot(annotator)
        engine = self.engine
        if engine.stopped and not engine.extended:
            return True
        if not stop_reason(engine, now()):
            return False

        def build() -> Event | None:
            event = self.ledger.event("stopped", annotator)
            over = engine.stopped or engine.finished
            reason = "" if over else stop_reason(engine, event.at)
            return replace(event, text=reason) if reason else None

        self.ledger.write(build)
        return engine.stopped

    # --- answering ---------------------------------------------------------------------------

    def answer(self, draw: Draw | str, answer: object, *, annotator: str | None = None) -> Event:
        """Store an answer. It is durable when the method returns.

        Parameters
        ----------
        draw
            the draw, or its token
        answer
            a class name; with two classes also True or False, 1 or 0, "yes" or "no"; or "unsure",
            "later" or "broken"
        annotator
            the person who answers; None: the person that the item was given to

        Returns
        -------
        Event
            What was stored. The same answer to a token again changes nothing, and the first event
            is returned. Its kind is "late" where others have answered the item since it was
            released, or the label to be judged once more was taken back: it is kept beside their
            answers, and no figure rests on it, because which answers come late is not random.

        Raises
        ------
        AnswerError
            The answer or the token is unknown, or the draw is another person's.
        LateAnswerError
            The draw has another answer already, which ``revise`` changes; the person has answered
            the item since, by another draw; or "later" for an item that somebody else has now, or
            has answered.
        StoreError
            The store cannot be written; nothing was stored.
        """
        kind, label = self.engine.kind_of(answer)
        with self._lock:
            shown = self._shown(draw, annotator)
            token = shown.draw.token

            def build() -> Event | None:
                if token in self.state.answered:
                    return None
                return self._answer_event(shown, kind, label)

            done = self.state.answered.get(token) or self.ledger.write(build)
            with suppress(StoreBusyError, StoreNotWritableError):  # Else with the next item.
                self._end_pilot(shown.annotator)
            return self._as_answered(done or self.state.answered[token], label or kind)

    def _as_answered(self, event: Event, answer: str) -> Event:
        """The event that answers a draw. LateAnswerError where that was another answer."""
        if answer_word(event) == answer:
            return event
        index, before = event.index or 0, answer_word(event)
        force = self.engine.in_force(index)
        if event.kind in ("reread", "late"):
            way = "a second reading stays as it was given"
        elif answer == LATER:
            way = "undo() takes an answer back"
        elif force is None:
            way = "it is not in force any more: answer the draw that next() gives"
        else:
            way = f"revise({index}, {answer!r}, token) changes it"
        raise LateAnswerError(
            f"item {index} was answered {before!r} by this draw; {answer!r} was not stored: {way}"
        )

    def _shown(self, draw: Draw | str, annotator: str | None) -> Shown:
        """The draw as it was put before this person."""
        token = draw.token if isinstance(draw, Draw) else draw
        self.sync()
        shown = self.state.screens.shown.get(token)
        if shown is None:
            raise AnswerError(f"the answer belongs to no item that was shown: token {token!r}")
        if annotator not in (None, shown.annotator):
            raise AnswerError(
                f"item {shown.draw.index} was given to {shown.annotator!r}, and {annotator!r} "
                "cannot answer for another person"
            )
        return shown

    def _answer_event(self, shown: Shown, kind: str, label: str | None) -> Event:
        draw = shown.draw
        event = self.ledger.event(
            kind,
            shown.annotator,
            answers=draw.token,
            index=draw.index,
            item_id=draw.item_id,
            stratum=draw.stratum,
            batch=draw.batch,
            label=label,
            shown_at=shown.at,
        )
        if comes_late(self.state, shown) and kind != LATER:
            force = self.engine.in_force(draw.index)
            return replace(
                event,
                kind="late",
                text=None if label else kind,
                previous=None if force is None else force.sequence,
            )
        if not draw.repeat:
            return event
        first = self.engine.repeats.first(draw.index)
        return replace(
            event,
            kind="reread",
            text=None if label else kind,
            previous=None if first is None else first.sequence,
        )

    def revise(
        self, index: int, answer: object, token: str, *, annotator: str = DEFAULT_ANNOTATOR
    ) -> Event:
        """Change the answer to an item. The earlier answer stays in the log.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        answer
            as for ``answer``, except "later"
        token
            made up by the caller; if the same token arrives twice, it is one change
        annotator
            the person who changes it

        Returns
        -------
        Event
            What was stored.

        Raises
        ------
        AnswerError
            The item has no answer yet, the answer is unknown, or the project is finished. With an
            overlap also: the person judged the item after another one; the first answer is not
            theirs to change, and their own stays as they gave it.
        """
        kind, label = self.engine.kind_of(answer)

        def build() -> Event | None:
            if token in self.state.answered:
                return None
            before = self.engine.in_force(index) if 1 <= index <= len(self.engine.asked) else None
            if before is None:
                raise AnswerError(f"item {index} has no answer yet that could be changed")
            if self.own_reading(index, annotator) is not None:
                raise AnswerError(
                    f"item {index} was judged by {annotator!r} after another person: the first "
                    "answer is not theirs to change"
                )
            return self.ledger.event(
                kind,
                annotator,
                answers=token,
                index=index,
                item_id=before.item_id,
                stratum=before.stratum,
                batch=before.batch,
                label=label,
                previous=before.sequence,
            )

        return self.ledger.write(build) or self.state.answered[token]

    def undo(self, annotator: str = DEFAULT_ANNOTATOR) -> Event | None:
        """Take back a person's last answer that is still in force; this can be repeated.

        Parameters
        ----------
        annotator
            the person whose answer it is

        Returns
        -------
        Event or None
            None if there is no such answer.

        Raises
        ------
        AnswerError
            The project is finished.

        Notes
        -----
        The item comes back next, with a new token. If the answer had changed an earlier one, the
        earlier one is in force again.
        """

        def build() -> Event | None:
            last = self.last_answer(annotator)
            if last is None:
                return None
            kind = "reread_undone" if last.kind == "reread" else "undone"
            return self.ledger.event(
                kind,
                annotator,
                index=last.index,
                item_id=last.item_id,
                stratum=last.stratum,
                batch=last.batch,
                previous=last.sequence,
            )

        return self.ledger.write(build)

    def note(self, index: int, text: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Keep a note about a drawn item. The last note counts; an empty one removes it.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        text
            the note
        annotator
            the person who writes it

        Raises
        ------
        AnswerError
            The item was not drawn.
        """
        self._about("noted", index, annotator, text)

    def flag(self, index: int, flagged: bool = True, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Mark a drawn item to be looked at again.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        flagged
            False removes the mark
        annotator
            the person who marks it

        Raises
        ------
        AnswerError
            The item was not drawn.
        """
        self._about("flagged", index, annotator, "yes" if flagged else "no")

    def _about(self, kind: str, index: int, annotator: str, text: str) -> None:
        item_id = self.population.id_at(self.state.asked(index).position)
        self.ledger.write(
            lambda: self.ledger.event(kind, annotator, index=index, item_id=item_id, text=text)
        )

    # --- ending ------------------------------------------------------------------------------

    def finish(self, reason: str = "", annotator: str = DEFAULT_ANNOTATOR) -> None:
        """End the session; nothing more is drawn until ``extend``.

        Parameters
        ----------
        reason
            printed in the report
        annotator
            the person who ends it
        """
        self.results()
        self.ledger.write(
            lambda: (
                None
                if self.engine.finished
                else self.ledger.event("finished", annotator, text=reason)
            )
        )
        self.results()

    def extend(self, *, budget: int, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Continue until ``budget`` items in all.

        Parameters
        ----------
        budget
            the new number of items, more than so far
        annotator
            the person who extends it

        Raises
        ------
        PlanError
            The budget is not more than the items so far, or more than can be asked.
        TypeError
            The budget is not a whole number.

        Notes
        -----
        A watched interval stays valid up to the horizon of the plan. Beyond it, and under a fixed
        promise, the first stage remains the result, and the further labels are a second stage.
        Once every item of the file is labelled, a watched result is exact.
        """
        if isinstance(budget, bool) or not isinstance(budget, int):
            raise TypeError(f"budget must be a whole number of items, got {budget!r}")
        self.ledger.write(
            lambda: self.ledger.event("extended", annotator, detail={"budget": budget})
        )

    def second_pass(self, items: int = 30, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Show some of the labelled items a second time. The plan's figures do not change.

        Parameters
        ----------
        items
            how many, drawn at random from those shown only once; if fewer are left, all of them
        annotator
            the person who asks for it

        Raises
        ------
        TypeError
            ``items`` is not a whole number.
        PlanError
            ``items`` is less than 1.
        AnswerError
            The project is finished.
        """
        if isinstance(items, bool) or not isinstance(items, int):
            raise TypeError(f"items must be a whole number of items, got {items!r}")
        self.ledger.write(
            lambda: self.ledger.event("second_pass", annotator, detail={"items": items})
        )

    def settle(
        self,
        item_id: str,
        answer: object,
        annotator: str = DEFAULT_ANNOTATOR,
        reason: str = "",
    ) -> Event:
        """Say which answer counts for an item that people judge differently.

        Parameters
        ----------
        item_id
            the item's id; as many people as the plan's ``readers`` have judged it, not all alike
        answer
            a class name; with two classes also True or False, 1 or 0, "yes" or "no"
        annotator
            the person who settles it
        reason
            why; kept with it

        Returns
        -------
        Event
            What was stored. The last one counts, as long as the answers stand that it was said of:
            that of each person as it was when the others judged the item. Taking one of them back
            ends it; changing the first answer afterwards does not.

        Raises
        ------
        AnswerError
            There is nothing to settle: the item was judged by fewer people, or alike by all; the
            answer is no class; or the project is finished.

        Notes
        -----
        The answers stay as they are, and so do the figures that rest on the first of them; those
        for the settled judgement are the results "accuracy@settled" and so on.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> plan = lc.Plan("simple_random", ["prevalence"], budget=50, overlap=1.0)
        >>> session = lc.Session(population, plan)
        >>> draw = session.next("ann")
        >>> first = session.answer(draw, "yes")
        >>> second = session.answer(session.next("bob"), "no")
        >>> session.settle(draw.item_id, "no", "eve", "it is an offer, not a prize").label
        'no'
        """
        _, label = self.engine.kind_of(answer)

        def build() -> Event:
            one = self._judged(item_id)
            asked = self.state.asked(one.index)
            return self.ledger.event(
                "settled",
                annotator,
                index=one.index,
                item_id=item_id,
                stratum=asked.stratum,
                batch=asked.batch,
                label=label,
                text=reason,
                detail={"answers": one.sequences},
            )

        stored = self.ledger.write(build)
        assert stored is not None
        return stored

    def unsettled(self) -> list[Judged]:
        """Items that as many people as the plan asks for have judged, not all alike, and of which
        nobody has said yet which answer counts.

        Returns
        -------
        list of Judged
            With the answers, in the order of the second ones.
        """
        with self._lock:
            return unsettled(self.engine)

    def differing(self, index: int) -> Judged | None:
        """The answers to an item that people judge differently.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...

        Returns
        -------
        Judged or None
            None where they are alike, or people are still to judge it.
        """
        with self._lock:
            found = self.engine.repeats.judged() if self.engine.repeats.others else []
            one = next((one for one in found if one.index == index), None)
            return one if one and one.complete and one.differs else None

    def own_reading(self, index: int, annotator: str = DEFAULT_ANNOTATOR) -> Event | None:
        """The answer that a person gave to an item after another person had judged it.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        annotator
            the person

        Returns
        -------
        Event or None
            None where the person gave none, or put the item off; always without an overlap.
        """
        repeats = self.engine.repeats
        found = repeats.further(index, annotator) if repeats.others else None
        return None if found is None or answer_word(found) == LATER else found

    def _judged(self, item_id: str) -> Judged:
        found = (one for one in self.engine.repeats.judged() if one.first.item_id == item_id)
        one = next(found, None)
        if one is None:
            raise AnswerError(f"item {item_id!r} was not judged by a second person")
        return one

    def reword(self, annotator: str = DEFAULT_ANNOTATOR, **changes: Any) -> None:
        """Correct the wording of the project.

        Parameters
        ----------
        annotator
            the person who changes it
        **changes
            any of question, instructions, answer_words, highlight, title and names

        Raises
        ------
        PlanError
            A setting is not part of the wording.
        TypeError
            A value is of the wrong kind.
        ValueError
            A word or pattern cannot be marked.

        Notes
        -----
        The earlier wording stays in the log. Figures do not depend on it.
        """
        check_wording(changes)
        check_highlights(changes)

        def build() -> Event | None:
            old = self.settings
            new = {name: value for name, value in changes.items() if old.get(name) != value}
            return self.ledger.event("reworded", annotator, detail=new) if new else None

        self.ledger.write(build)

    # --- looking -----------------------------------------------------------------------------

    def results(self) -> dict[str, Result]:
        """What is known now. A look that sees new answers is recorded in the log.

        Returns
        -------
        dict
            {key: Estimate, Band, Claim or Choice}. The key is the estimand; for further classifiers
            and for several classes it reads like "precision@B" or "precision[spam]"; for a claim it
            is its text; with an ``overlap`` each number is there once more for the settled
            judgement, like "precision@settled".

        Notes
        -----
        Reading goes on if the look cannot be recorded; ``unrecorded`` then says why.
        """
        with self._lock:
            self.sync()
            found = self.figures.results()
            if self.state.last_answer <= self.state.looked_after:
                self.unrecorded = ""
            elif not self.broken_at and time.monotonic() >= self._record_again_at:
                self._record_look()
            return Results(found)

    def _record_look(self) -> None:
        """Reading goes on where nothing can be written; each try may wait for another program."""
        try:
            self.ledger.write(self._look)
            self.unrecorded = ""
        except (StoreBusyError, StoreNotWritableError) as error:
            self.unrecorded = str(error)
            self._record_again_at = time.monotonic() + RECORD_AGAIN_SECONDS

    def _look(self) -> Event | None:
        if self.state.last_answer <= self.state.looked_after:
            return None
        detail = self.figures.look(self.state.last_answer)
        return None if detail is None else self.ledger.event("looked", "", detail=detail)

    def results_table(self) -> pd.DataFrame:
        """``results`` as one table.

        Returns
        -------
        DataFrame
            One row per estimate and claim, per point of a curve and per candidate of a choice, with
            the columns of the CSV report; what a result has not is missing.
        """
        return results_table(self.project, self.results())


def _check_whole(name: str, of: str, value: object, most: int | None = None) -> None:
    """TypeError or ValueError for what is no whole number from 1 to ``most``."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number of {of}, got {value!r}")
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most:,}, got {value:,}")
