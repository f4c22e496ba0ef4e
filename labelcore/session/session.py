"""A labelling session: the engine and a store together. What the pages and other programs use."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from labelcore.errors import AnswerError
from labelcore.figures.looks import FiguresNow
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine
from labelcore.log.events import Draw, Event, genesis
from labelcore.log.people import DEFAULT_ANNOTATOR, person_key
from labelcore.log.screens import Shown
from labelcore.log.state import State
from labelcore.log.wording import check_wording
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.population import Population, read_population
from labelcore.session.ledger import Entry, Ledger, now
from labelcore.session.projects import created_or_same, new_record, read_items
from labelcore.session.turns import Turns
from labelcore.session.view import SessionView
from labelcore.store import LabelStore, open_store


class Session(SessionView):
    """One project: draws items, takes answers, gives results.

    Every answer is durable in the store when ``answer`` returns. Position and results always come
    from the log: two sessions on the same project, in one process or several, see each other's
    answers. Safe to share between threads. A log that was changed outside Labelcore is read up to
    the first event that does not follow, with a BrokenLogWarning, and nothing can be added to it.

    Parameters
    ----------
    population, plan
        what is measured and how; the plan's planned size is frozen here
    store
        an address such as "sqlite:///labels.db", a store, or None for memory
    project
        its name in the store; an existing one is continued when file and plan agree
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
        kept = kept_plan(population, plan)
        engine = Engine(population, kept)
        self.store = open_store(store)
        self.project = project
        record = new_record(population, kept, project, settings or {})
        self.record = created_or_same(self.store, record)
        self.population, self.plan, self.engine = population, kept, engine
        self.state = State(engine, genesis(population.fingerprint, self.record.plan_json))
        self.figures = FiguresNow(engine)
        self.ledger = Ledger(self.store, project, self.state, self.figures)
        self.turns = Turns(self.ledger, population)
        self._lock = threading.RLock()
        self._people: dict[str, str] = {}
        self.sync()

    @classmethod
    def open(
        cls,
        store: str | LabelStore,
        project: str,
        *,
        read: Callable[..., Population] = read_population,
        file: str | os.PathLike[str] | None = None,
    ) -> Session:
        """Continue a project of a store; its file is read again from where it was.

        file   where the file is now, for this once; ``relink`` of labelcore.session.life keeps it

        Raises MissingStoreError (opening creates no store), UnknownProjectError,
        FileNotFoundError (the file is gone), ProjectExistsError (the file changed), StoreError.
        """
        opened = open_store(store, create=False)
        record = opened.project(project)
        population = read_items(record, read, file)
        return cls(population, Plan.from_json(record.plan_json), opened, project)

    # --- people ------------------------------------------------------------------------------

    def person(self, secret: str) -> str:
        """The name in this project of whoever holds the secret: "me" for the first one who comes,
        "me 2", "me 3", ... for those after. The store keeps a hash of the secret."""
        if secret not in self._people:
            key = person_key(secret, f"{self.record.created_at}\n{self.record.fingerprint}")
            self._people[secret] = self.store.person(self.project, key, now())
        return self._people[secret]

    # --- drawing -----------------------------------------------------------------------------

    def next(self, annotator: str = DEFAULT_ANNOTATOR) -> Draw | None:
        """The item to judge now: the same one until it is answered, None when nothing is to be
        drawn (finished, budget used, exhausted, or goal reached until ``extend``) or shown again.

        Nobody gets an item that another person has before them. When nothing else is left, one
        that another person has had for 30 minutes is released and given to this one.
        """
        with self._lock:
            self.sync()
            self.ledger.refuse_broken()
            if self.engine.finished:
                return None
            stack = self.state.on_screen(annotator)
            if stack and not self.turns.owes(annotator):
                return stack[-1]
            stopped = not stack and not self.turns.taken_back() and self._stop_now(annotator)
            while True:
                self.ledger.append(lambda: self.turns.next_draw(annotator, stopped))
                stack = self.state.on_screen(annotator)
                if stack or not self._release_expired(annotator, stopped):
                    return stack[-1] if stack else None

    def _release_expired(self, annotator: str, stopped: bool) -> Event | None:
        """Take an item from a person who has had it for too long; there is nothing else to do."""

        def build() -> Entry | None:
            event = self.turns.release_expired(annotator, stopped)
            return (event, {}) if event else None

        return self.ledger.append(build)

    def release(self, draw: Draw | str, *, annotator: str | None = None) -> Event | None:
        """Give an item back unanswered, so that others may have it; None when it was answered or
        given back before. Its late answer is still taken while nobody else has answered it.

        Raises AnswerError for an unknown token, and for a draw of another person.
        """
        shown = self._shown(draw, annotator)

        def build() -> Entry | None:
            event = self.turns.release(shown, shown.annotator)
            return (event, {}) if event else None

        with self._lock:
            return self.ledger.append(build)

    def _stop_now(self, annotator: str) -> bool:
        engine = self.engine
        if engine.stopped and not engine.extended:
            return True
        if not stop_reason(engine, now()):
            return False

        def build() -> Entry | None:
            event = self.ledger.event("stopped", annotator)
            over = engine.stopped or engine.finished
            reason = "" if over else stop_reason(engine, event.at)
            return (replace(event, text=reason), {}) if reason else None

        self.ledger.append(build)
        return engine.stopped

    # --- answering ---------------------------------------------------------------------------

    def answer(self, draw: Draw | str, answer: object, *, annotator: str | None = None) -> Event:
        """Store an answer: a class name; True/False, 1/0, "yes"/"no" for two classes; "unsure",
        "later" or "broken". ``draw`` may be the draw's token; ``annotator`` left out means the
        person that it was given to.

        Durable when it returns. A token that was answered already changes nothing: the first event
        is returned. Raises AnswerError for an unknown answer or token and for a draw of another
        person, LateAnswerError when somebody else has answered the item since it was released.
        """
        kind, label = self.engine.kind_of(answer)
        with self._lock:
            shown = self._shown(draw, annotator)
            token = shown.draw.token
            if token in self.state.answered:
                return self.state.answered[token]

            def build() -> Entry | None:
                if token in self.state.answered:
                    return None
                return self._answer_event(shown, kind, label), {}

            return self.ledger.append(build) or self.state.answered[token]

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
            kind, shown.annotator, answers=draw.token, index=draw.index, item_id=draw.item_id,
            stratum=draw.stratum, batch=draw.batch, label=label, shown_at=shown.at,
        )  # fmt: skip
        if not draw.repeat:
            return event
        first = self.engine.repeats.first(draw.index)
        return replace(
            event, kind="reread", text=None if label else kind,
            previous=None if first is None else first.sequence,
        )  # fmt: skip

    def revise(
        self, index: int, answer: object, token: str, *, annotator: str = DEFAULT_ANNOTATOR
    ) -> Event:
        """Change the answer of an item already answered; ``token`` makes a repeated press one
        change. The earlier answer stays in the log."""
        kind, label = self.engine.kind_of(answer)

        def build() -> Entry | None:
            if token in self.state.answered:
                return None
            before = self.engine.in_force(index) if 1 <= index <= len(self.engine.asked) else None
            if before is None:
                raise AnswerError(f"item {index} has no answer yet that could be changed")
            event = self.ledger.event(
                kind, annotator, answers=token, index=index, item_id=before.item_id,
                stratum=before.stratum, batch=before.batch, label=label, previous=before.sequence,
            )  # fmt: skip
            return event, {}

        return self.ledger.append(build) or self.state.answered[token]

    def undo(self, annotator: str = DEFAULT_ANNOTATOR) -> Event | None:
        """Take back this person's last answer still in force; repeatable. None when there is none.

        The item comes back next with a new token; a changed answer goes back to the one before.
        """

        def build() -> Entry | None:
            last = self.last_answer(annotator)
            if last is None:
                return None
            kind = "reread_undone" if last.kind == "reread" else "undone"
            event = self.ledger.event(
                kind, annotator, index=last.index, item_id=last.item_id, stratum=last.stratum,
                batch=last.batch, previous=last.sequence,
            )  # fmt: skip
            return event, {}

        return self.ledger.append(build)

    def note(self, index: int, text: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Keep a note about a drawn item; the last one counts, an empty one removes it."""
        self._about("noted", index, annotator, text)

    def flag(self, index: int, flagged: bool = True, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Mark a drawn item to be looked at again."""
        self._about("flagged", index, annotator, "yes" if flagged else "no")

    def _about(self, kind: str, index: int, annotator: str, text: str) -> None:
        item_id = self.population.id_at(self.state.asked(index).position)
        self.ledger.append(
            lambda: (
                self.ledger.event(kind, annotator, index=index, item_id=item_id, text=text),
                {},
            )
        )

    # --- ending ------------------------------------------------------------------------------

    def finish(self, reason: str = "", annotator: str = DEFAULT_ANNOTATOR) -> None:
        """End the session; nothing more is drawn until ``extend``."""
        self.results()
        self.ledger.append(
            lambda: (
                None
                if self.engine.finished
                else (self.ledger.event("finished", annotator, text=reason), {})
            )
        )
        self.results()

    def extend(self, *, budget: int, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Go on until ``budget`` items in all. A watched interval stays valid; under a fixed
        promise the first stage stays the result and the further labels are a second stage."""
        if isinstance(budget, bool) or not isinstance(budget, int):
            raise TypeError(f"budget must be a whole number of items, got {budget!r}")
        self.ledger.append(
            lambda: (self.ledger.event("extended", annotator, detail={"budget": budget}), {})
        )

    def second_pass(self, items: int = 30, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Show so many of the labelled items a second time, drawn at random from those that were
        not; where fewer are left, all of them. Figures of the plan do not change.

        Raises TypeError or PlanError for a number that is none, AnswerError when finished.
        """
        if isinstance(items, bool) or not isinstance(items, int):
            raise TypeError(f"items must be a whole number of items, got {items!r}")
        self.ledger.append(
            lambda: (self.ledger.event("second_pass", annotator, detail={"items": items}), {})
        )

    def reword(self, annotator: str = DEFAULT_ANNOTATOR, **changes: Any) -> None:
        """Mend the words of the project: question, instructions, answer_words, highlight, title.

        The words before stay in the log; figures do not depend on them. Raises PlanError for a
        setting that is no wording, TypeError for a value of the wrong kind.
        """
        check_wording(changes)

        def build() -> Entry | None:
            old = self.settings
            new = {name: value for name, value in changes.items() if old.get(name) != value}
            return (self.ledger.event("reworded", annotator, detail=new), {}) if new else None

        self.ledger.append(build)
