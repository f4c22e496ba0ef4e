"""A labelling session: the engine and a store together. What the pages and other programs use."""

from __future__ import annotations

import json
import secrets
import threading
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from labelcore.errors import AnswerError, PlanError
from labelcore.figures.stops import stop_reason
from labelcore.log.engine import Engine
from labelcore.log.events import Draw, Event, genesis, text_digest
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import planned_size
from labelcore.population import Population, read_population
from labelcore.session.ledger import Ledger, now
from labelcore.session.projects import created_or_same, new_record
from labelcore.session.settings import check_wording
from labelcore.session.view import DEFAULT_ANNOTATOR, SessionView
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
    >>> sorted(session.results())
    ['precision', 'recall']
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
        kept = (
            plan
            if plan.planned is not None
            else frozen(population, plan, planned_size(population, plan))
        )
        engine = Engine(population, kept)
        self.store = open_store(store)
        self.project = project
        record = new_record(population, kept, project, settings or {})
        self.record = created_or_same(self.store, record)
        self.population, self.plan, self.engine = population, kept, engine
        self.ledger = Ledger(
            self.store, project, engine, genesis(population.fingerprint, self.record.plan_json)
        )
        self._lock = threading.RLock()
        self._cached = None
        self.sync()

    @classmethod
    def open(
        cls,
        store: str | LabelStore,
        project: str,
        *,
        read: Callable[..., Population] = read_population,
    ) -> Session:
        """Continue a project of a store; its file is read again from where it was.

        Raises MissingStoreError (opening creates no store), UnknownProjectError,
        FileNotFoundError (the file is gone), ProjectExistsError (the file changed), StoreError.
        """
        opened = open_store(store, create=False)
        record = opened.project(project)
        source = json.loads(record.population_json)
        path = Path(source["path"])
        if not path.exists():
            raise FileNotFoundError(
                f"The items of project {project!r} were read from {path}, which is not there any "
                "more. Put the file back; the labels are safe in the store."
            )
        population = read(path, **source["arguments"])
        return cls(population, Plan.from_json(record.plan_json), opened, project)

    # --- drawing -----------------------------------------------------------------------------

    def next(self, annotator: str = DEFAULT_ANNOTATOR) -> Draw | None:
        """The item to judge now: the same one until it is answered, None when nothing is to be
        drawn (finished, budget used, exhausted, or goal reached until ``extend``) or shown
        again."""
        with self._lock:
            self.sync()
            self.ledger.refuse_broken()
            if self.engine.finished:
                return None
            again = set(self.engine.repeats.owed) - self.ledger.shown(repeat=True)
            owed = bool(self.engine.owed or again)
            stack = self.ledger.on_screen(annotator)
            if stack and not owed:
                return stack[-1]
            stopped = not stack and not owed and self._stop_now(annotator)
            self.ledger.append(lambda: self._next_draw(annotator, stopped))
            stack = self.ledger.on_screen(annotator)
            return stack[-1] if stack else None

    def _stop_now(self, annotator: str) -> bool:
        engine = self.engine
        if engine.stopped and not engine.extended:
            return True
        if not stop_reason(engine, now()):
            return False

        def build() -> tuple[Event, dict[str, dict[str, str]]] | None:
            event = self.ledger.event("stopped", annotator)
            reason = "" if engine.stopped else stop_reason(engine, event.at)
            return (replace(event, text=reason), {}) if reason else None

        self.ledger.append(build)
        return engine.stopped

    def _next_draw(
        self, annotator: str, stopped: bool
    ) -> tuple[Event, dict[str, dict[str, str]]] | None:
        """What to show next: an item taken back, else a repeat that is due, else what the method
        asks, else any repeat; repeats only when the plan's rules have ended the drawing."""
        engine = self.engine
        index = engine.owed[0] if engine.owed else 0
        repeat = 0 if index else self._repeat()
        found = self._again(index or repeat) if index or repeat else None
        if found is None and not stopped:
            found = self._next_index()
        if found is None and (repeat := self._repeat(anything=True)):
            found = self._again(repeat)
        if found is None:
            return None
        index, position, batch, basis = found
        item_id = self.population.id_at(position)
        known = index <= len(engine.asked)
        content = {} if known else self.population.content(item_id)
        event = self.ledger.event(
            "redrawn" if repeat else "drawn",
            annotator,
            token=secrets.token_hex(12),
            index=index,
            item_id=item_id,
            stratum=int(engine.frame.stratum[position]),
            batch=batch,
            basis=basis,
            detail={} if known else {"content": text_digest(item_id, content)},
        )
        return event, {} if known else {item_id: content}

    def _repeat(self, *, anything: bool = False) -> int:
        """The draw to show a second time now, 0 where there is none that nobody has before them."""
        shown = self.ledger.shown(repeat=True)
        ready = self.engine.repeats.ready(anything=anything)
        return next((index for index in ready if index not in shown), 0)

    def _next_index(self) -> tuple[int, int, int, int | None] | None:
        """What the method asks next: a new item, else one put off for later."""
        engine = self.engine
        ahead = engine.peek()
        if ahead is not None:
            return ahead
        shown = self.ledger.shown(repeat=False)
        later = [index for index in engine.waiting_indices() if index not in shown]
        later.sort(key=lambda index: event.sequence if (event := engine.in_force(index)) else 0)
        return self._again(later[0]) if later else None

    def _again(self, index: int) -> tuple[int, int, int, int | None]:
        asked = self.engine.asked[index - 1]
        return index, asked.position, asked.batch, None

    # --- answering ---------------------------------------------------------------------------

    def answer(self, draw: Draw | str, answer: object, *, annotator: str | None = None) -> Event:
        """Store an answer: a class name; True/False, 1/0, "yes"/"no" for two classes; "unsure",
        "later" or "broken". ``draw`` may be the draw's token.

        Durable when it returns. A token that was answered already changes nothing: the first event
        is returned. Raises AnswerError for an unknown answer or token.
        """
        kind, label = self.engine.kind_of(answer)
        token = draw.token if isinstance(draw, Draw) else draw
        with self._lock:
            self.sync()
            if token in self.ledger.answered:
                return self.ledger.answered[token]
            self._refuse_when_finished()
            shown = self.ledger.draws.get(token)
            if shown is None:
                raise AnswerError(f"the answer belongs to no item that was shown: token {token!r}")
            who = annotator or self._annotator_of(token)
            event = self.ledger.append(
                lambda: (
                    None
                    if token in self.ledger.answered
                    else (self._answer_event(shown, kind, label, who), {})
                )
            )
            return event or self.ledger.answered[token]

    def _answer_event(self, shown: Draw, kind: str, label: str | None, who: str) -> Event:
        event = self.ledger.event(
            kind, who, answers=shown.token, index=shown.index, item_id=shown.item_id,
            stratum=shown.stratum, batch=shown.batch, label=label,
            shown_at=self.ledger.shown_at[shown.token],
        )  # fmt: skip
        if not shown.repeat:
            return event
        first = self.engine.repeats.first(shown.index)
        return replace(
            event, kind="reread", text=None if label else kind,
            previous=None if first is None else first.sequence,
        )  # fmt: skip

    def _annotator_of(self, token: str) -> str:
        for annotator, stack in self.ledger.open_draws.items():
            if any(draw.token == token for draw in stack):
                return annotator
        return DEFAULT_ANNOTATOR

    def revise(
        self, index: int, answer: object, token: str, *, annotator: str = DEFAULT_ANNOTATOR
    ) -> Event:
        """Change the answer of an item already answered; ``token`` makes a repeated press one
        change. The earlier answer stays in the log."""
        kind, label = self.engine.kind_of(answer)
        if kind == "later":
            raise AnswerError("an answered item cannot be put off for later; undo it instead")

        def build() -> tuple[Event, dict[str, dict[str, str]]] | None:
            if token in self.ledger.answered:
                return None
            self._refuse_when_finished()
            before = self.engine.in_force(index) if 1 <= index <= len(self.engine.asked) else None
            if before is None:
                raise AnswerError(f"item {index} has no answer yet that could be changed")
            event = self.ledger.event(
                kind, annotator, answers=token, index=index, item_id=before.item_id,
                stratum=before.stratum, batch=before.batch, label=label, previous=before.sequence,
            )  # fmt: skip
            return event, {}

        return self.ledger.append(build) or self.ledger.answered[token]

    def undo(self, annotator: str = DEFAULT_ANNOTATOR) -> Event | None:
        """Take back this person's last answer still in force; repeatable. None when there is none.

        The item comes back next with a new token; a changed answer goes back to the one before.
        """

        def build() -> tuple[Event, dict[str, dict[str, str]]] | None:
            self._refuse_when_finished()
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

    def _refuse_when_finished(self) -> None:
        """A finished project is final: its report would not be the one handed over."""
        if self.engine.finished:
            raise AnswerError(f"project {self.project!r} is finished; extend it to change answers")

    def note(self, index: int, text: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Keep a note about a drawn item; the last one counts, an empty one removes it."""
        self._about("noted", index, annotator, text)

    def flag(self, index: int, flagged: bool = True, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Mark a drawn item to be looked at again."""
        self._about("flagged", index, annotator, "yes" if flagged else "no")

    def _about(self, kind: str, index: int, annotator: str, text: str) -> None:
        if not 1 <= index <= len(self.engine.asked):
            raise AnswerError(f"item {index} was not drawn")
        asked = self.engine.asked[index - 1]
        item_id = self.population.id_at(asked.position)
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
        counted = self.going_on or self.plan.method.counts_draws
        least = self.engine.limit if counted else self.engine.answers_given
        if not least < budget <= self.engine.most:
            raise PlanError(
                f"budget must be more than the {least:,} items so far and at most the "
                f"{self.engine.most:,} that can be asked, got {budget:,}"
            )
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
        if items < 1:
            raise PlanError(f"items must be at least 1, got {items!r}")
        self._refuse_when_finished()
        self.ledger.append(
            lambda: (self.ledger.event("second_pass", annotator, detail={"items": items}), {})
        )

    def reword(self, annotator: str = DEFAULT_ANNOTATOR, **changes: Any) -> None:
        """Mend the words of the project: question, instructions, answer_words, highlight, title.

        The words before stay in the log; figures do not depend on them. Raises PlanError for a
        setting that is no wording, TypeError for a value of the wrong kind.
        """
        check_wording(changes)

        def build() -> tuple[Event, dict[str, dict[str, str]]] | None:
            old = self.settings
            new = {name: value for name, value in changes.items() if old.get(name) != value}
            return (self.ledger.event("reworded", annotator, detail=new), {}) if new else None

        self.ledger.append(build)
