"""A labelling session, by topics: the engine and a store together, for pages and other programs."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pandas as pd

from labelcore.designs.choices import LabelsUntil, OtherChoice
from labelcore.designs.curves import Curve
from labelcore.errors import ChangedItemError, StoreBusyError, StoreNotWritableError, whole_number
from labelcore.figures.agreement import people_agree, unsettled
from labelcore.figures.calibration import calibration, corrected_scores
from labelcore.figures.choices import choices_at, labels_until
from labelcore.figures.confusion import confusion
from labelcore.figures.curves import band
from labelcore.figures.differences import ranking
from labelcore.figures.earlier import figures_of
from labelcore.figures.in_common import errors_in_common
from labelcore.figures.label_error import label_error
from labelcore.figures.labels_table import labels_table
from labelcore.figures.lists import differing_items, list_difference
from labelcore.figures.readiness import complete, first_shown
from labelcore.figures.scalars import headline_stage
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.log.events import Content, Draw, Event, genesis
from labelcore.log.history import HistoryRow, history
from labelcore.log.people import DEFAULT_ANNOTATOR, folded, person_key
from labelcore.log.repeats import Judged
from labelcore.log.screens import LEASE, LONGEST_LEASE
from labelcore.log.state import LogState
from labelcore.log.wording import check_wording
from labelcore.plan.existing import remember
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan
from labelcore.planning.spendings import readings_table
from labelcore.population import Population, read_population
from labelcore.promises import Status
from labelcore.results.agreement import PeopleAgree
from labelcore.results.calibration import Calibration
from labelcore.results.cells import Table
from labelcore.results.curves import Band, CheapestCut, Cut
from labelcore.results.in_common import ErrorsInCommon
from labelcore.results.label_error import LabelError
from labelcore.results.lists import ListDifference
from labelcore.results.table import results_table
from labelcore.results.types import Choice, Claim, Estimate, Results
from labelcore.session import projects
from labelcore.session.answering import Answering
from labelcore.session.carried import CARRIED, Home
from labelcore.session.compared import HeldAgainst, held_against
from labelcore.session.drawing import Drawing
from labelcore.session.item_texts import cleared, text_as_drawn
from labelcore.session.ledger import Ledger, check_annotator, check_draw, now
from labelcore.session.notebook import in_notebook
from labelcore.session.prepared import keep_prepared, prepared_frame
from labelcore.session.recorded_looks import RecordedLooks
from labelcore.store import LabelStore, identity_of, open_store

LONGEST_NAME, PAGE = 60, 12
LEASE_MINUTES = LEASE // timedelta(minutes=1)


class Session:
    """One project: it draws items, takes answers and gives results.

    Three methods do most of the work::

        draw = session.next()            # the item to judge, None at the end
        session.answer(draw, "yes")      # a class, True or False, "unsure", "later", "broken"
        session.results()["precision"]   # value, interval and sentence, at any time

    ``labels_table()`` gives the labels back, ``table(by=...)`` the figures of groups, and
    ``lc.write_report(session, "report.html")`` the report. With a store other people label the same
    project in the browser: ``labelcore app --store sqlite:///labels.db``.

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
        The project exists with another file or plan; the message says in what they differ.
    StoreError
        The store cannot be used.

    Notes
    -----
    Every answer is durable in the store when ``answer`` returns. ``next``, ``answer``, ``results``
    and ``sync`` read the log first, so that two sessions on the same project, in one process or
    several, see each other's answers; ``status``, ``labels`` and ``events`` are of the log as it
    was read last. A session may be shared between threads. If the log was changed outside
    Labelcore, it is read up to the first event that does not follow, with a BrokenLogWarning, and
    nothing can be added to it.

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
        record = projects.new_record(population, kept, project, settings or {}, engine.given)
        self.store = open_store(store)
        self.project = project
        self.record = projects.created_or_same(self.store, record, population)
        keep_prepared(self.store.items_folder, population, kept, engine.frame)
        population.let_go()
        remember(engine.design, engine.setup, engine.existing, engine.frame)
        population, engine = self._mapped(population, kept, engine)
        self.population, self.plan, self.engine = population, kept, engine
        self.state = LogState(engine, genesis(population.fingerprint, self.record.plan_json))
        self.figures = figures_of(self.state)
        words = projects.first_words(self.record)
        self.ledger = Ledger(self.store, project, self.state, self.figures, words)
        self.drawing = Drawing(self.ledger, population)
        self.answering = Answering(self.ledger)
        self.recorded_looks = RecordedLooks(self.ledger)
        self._lock = threading.RLock()
        self._people: dict[str, str] = {}
        self.home = Home.of(self.store, self.record)
        self.sync()

    def _mapped(
        self, population: Population, plan: Plan, engine: Engine
    ) -> tuple[Population, Engine]:
        """Both from the files beside the store, where these are there, so that the source is needed
        no more, and nothing of the size of the items held in memory; else as they are."""
        folder = self.store.items_folder
        kept = None if population.snapshot else projects.snapshot_of(self.record, folder)
        if kept is None:
            return population, engine
        if not population.is_table:
            kept = replace(kept, path=population.path)
        frame = prepared_frame(folder, kept, plan) or engine.frame
        return kept, Engine(kept, plan, frame=frame)

    def __repr__(self) -> str:
        return (
            f"<Session {self.project!r} on {self.population.name!r}: "
            f"{self.labels:,} labels, {self.status}>"
        )

    def _repr_html_(self) -> str:
        """What a notebook shows: how far it is, every result, and where a person labels."""
        return in_notebook(repr(self)[1:-1], [*self.results().values()], self.store.url)

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
            where the file is now, if it was moved; ``relink`` of labelcore.session.managing
            remembers it
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
        record = cleared(opened, project)
        if population is not None:
            items = projects.same_items(record, population)
        else:
            items = projects.opened_items(record, read, file, opened.items_folder)
        return cls(items, Plan.from_json(record.plan_json), opened, project)

    # --- where it stands ----------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """One of "open", "waiting" (for answers to items that are shown), "goal reached", "budget
        used", "exhausted" and "finished"; of the log as read so far, which ``sync`` reads anew.
        """
        return self.ledger.status()

    @property
    def going_on(self) -> bool:
        """Whether the plan still asks for labels."""
        return self.status in (Status.OPEN, Status.WAITING)

    @property
    def labels(self) -> int:
        """How many items have a class, in the log as read so far."""
        return self.engine.labels

    @property
    def complete(self) -> bool:
        """Whether the planned size is answered."""
        return complete(self.engine)

    @property
    def first_figure(self) -> int:
        """From how many labels on a figure is shown."""
        return first_shown(self.engine)

    @property
    def settings(self) -> dict[str, Any]:
        """Question, instructions, keys ...: as given at the start, with later corrections of the
        wording.
        """
        return self.state.settings(self.record.settings_json)

    # --- the log ------------------------------------------------------------------------------

    def sync(self) -> None:
        """Take in what other sessions have added."""
        with self._lock:
            self.ledger.sync()

    @contextmanager
    def synced(self) -> Iterator[None]:
        """Read the newest log, and keep others in this process from changing anything in the block.

        Returns
        -------
        context manager
            For ``with``; it gives nothing to the block.
        """
        with self._lock, self.ledger.one_look():
            yield

    @contextmanager
    def one_look(self) -> Iterator[None]:
        """Read the log once for all that is asked within the block, in this thread.

        Returns
        -------
        context manager
            For ``with``; it gives nothing to the block.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population(
        ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"},
        ...     thresholds={"lr": 0.5})
        >>> session = lc.Session(population, lc.Plan("simple_random", "precision", budget=90))
        >>> with session.one_look():
        ...     results, strata = session.results(), session.strata()
        """
        with self.ledger.one_look():
            yield

    @property
    def events(self) -> list[Event]:
        """The log as read so far."""
        return self.ledger.events

    @property
    def broken_at(self) -> int:
        """The first event that was changed outside Labelcore, by its number; 0 if there is none.

        That event and those after it are left out, and nothing can be added.
        """
        return self.ledger.broken_at

    def check_log(self) -> HeldAgainst:
        """Read the whole log again, and hold it against seals, backups and the anchor.

        Returns
        -------
        HeldAgainst
            What was compared, and what that cannot prove.

        Raises
        ------
        BrokenLogError
            The log was changed outside Labelcore.
        """
        return held_against(self.ledger.check(), identity_of(self.record))

    def history(self, annotator: str | None = None, last: int | None = 50) -> Sequence[HistoryRow]:
        """Answered items, the newest answer first.

        Parameters
        ----------
        annotator
            the person whose answers; None: everybody's
        last
            at most this many; None: all

        Returns
        -------
        sequence of HistoryRow
            With the answer, its time, and the item's note and flag.

        Raises
        ------
        TypeError, ValueError
            ``last`` is no whole number of 0 or more.
        """
        if last is not None and whole_number("last", last, "answers") < 0:
            raise ValueError(f"last must be 0 or more, or None for all, got {last}")
        with self._lock:
            name = None if annotator is None else self.ledger.spelled(annotator)
            return history(self.events, self.state, name, last)

    def last_said(self, draw: Draw, kind: str) -> str:
        """The last event of a kind about a drawn item.

        Parameters
        ----------
        draw
            from ``next``; if the item is shown a second time, only what was said since then counts
        kind
            "noted", "flagged" or "explained"

        Returns
        -------
        str
            The text of the event; "" if there is none.
        """
        check_draw(draw)
        with self._lock:
            return self.state.last_said(draw, kind)

    # --- items --------------------------------------------------------------------------------

    def item(self, draw: Draw) -> dict[str, str]:
        """What a person judges.

        Parameters
        ----------
        draw
            from ``next``; ``item_by_id`` takes an id

        Returns
        -------
        dict
            {column: text}, as it was when the item was drawn.

        Raises
        ------
        TypeError
            ``draw`` is no draw.
        ChangedTextError
            The stored text is not the one that the draw recorded.
        """
        check_draw(draw)
        return self.item_by_id(draw.item_id)

    def item_by_id(self, item_id: str) -> dict[str, str]:
        """What a person judges, for any item.

        Parameters
        ----------
        item_id
            the item's id

        Returns
        -------
        dict
            {column: text}, as it was when the item was drawn, if it was.

        Raises
        ------
        ChangedTextError
            The stored text is not the one that the draw recorded.
        """
        return self._as_drawn(item_id, self.store.content(self.project, item_id))

    def drawn_items(self) -> dict[str, dict[str, str]]:
        """What a person judges, for every item drawn so far, in one reading of the store.

        Returns
        -------
        dict
            {item id: {column: text}}, as each was when it was drawn.

        Raises
        ------
        ChangedTextError
            A stored text is not the one that its draw recorded.
        """
        contents = self.store.contents(self.project)
        return {item_id: self._as_drawn(item_id, kept) for item_id, kept in contents.items()}

    def _as_drawn(self, item_id: str, kept: Content | None) -> dict[str, str]:
        return text_as_drawn(self.population, self.state, item_id, kept)

    # --- people -------------------------------------------------------------------------------

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

        def build() -> Event | None:
            others = {folded(self.called(who)) for who in self._annotators() if who != annotator}
            if folded(name) in others:
                raise ValueError(f"name must be your own: another person is called {name!r}")
            names = {**self.settings.get("names", {}), annotator: name}
            return self._reworded(annotator, {"names": names})

        self.ledger.write(build)

    def _annotators(self) -> set[str]:
        """Everybody who has a name in the project, of the log or of a browser."""
        given = {event.annotator for event in self.events if event.annotator}
        return given | set(self.store.people(self.project))

    def called(self, annotator: str) -> str:
        """What a person is called on the pages and in the report.

        Parameters
        ----------
        annotator
            the name that the log has, such as "me 2"

        Returns
        -------
        str
            The name that ``introduce`` gave; else the one that the log has.
        """
        return str(self.settings.get("names", {}).get(annotator, annotator))

    # --- drawing ------------------------------------------------------------------------------

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
        with self.synced():
            self.bring_home()
            while (draw := self.drawing.next(annotator)) and self._without_people([draw]):
                pass
            return draw

    def bring_home(self) -> int:
        """Answer what comes next for as long as an earlier wave of the same monitor has a label of
        the same item, unchanged; ``next``, ``take`` and ``page`` do so by themselves.

        Returns
        -------
        int
            How many labels came home.
        """
        number = 0
        with self.synced():
            while self.home.labels and (coming := self.drawing.coming(CARRIED)) is not None:
                if self.label_at_home(self.population.id_at(coming[1])) is None:
                    break
                draw = self.drawing.next(CARRIED)
                label = None if draw is None else self.label_at_home(draw.item_id)
                if draw is None or label is None:
                    if draw is not None:  # Somebody else was faster.
                        self.release(draw)
                    break
                self.answer(draw, label)
                number += 1
        return number

    def _without_people(self, draws: Sequence[Draw]) -> bool:
        """Answer those that no person need judge; whether there were any."""
        changed = [draw for draw in draws if self.state.lost(draw.item_id)]
        for draw in changed:
            self.answer(draw, "broken")
        home = [draw for draw in draws if not draw.repeat and self.label_at_home(draw.item_id)]
        for draw in home:
            self.release(draw)
        return bool(changed or home) and (self.bring_home() > 0 or bool(changed))

    def label_at_home(self, item_id: str) -> str | None:
        """The label that an earlier wave of the same monitor gave an item, if it is unchanged.

        Parameters
        ----------
        item_id
            the item's id

        Returns
        -------
        str or None
            A class; None where there is none.
        """
        if item_id not in self.home.labels or item_id in self.state.changed:
            return None
        try:
            return self.home.label(item_id, self.population.content(item_id))
        except ChangedItemError:  # It is drawn, and counted as broken.
            return None

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
        n = whole_number("n", n, "items", least=1)
        minutes = whole_number("minutes", minutes, "minutes", least=1, most=LONGEST_LEASE)
        with self.synced():
            self.bring_home()
            while self._without_people(draws := self.drawing.take(n, annotator, minutes)):
                pass
            return draws

    def page(self, n: int = PAGE, annotator: str = DEFAULT_ANNOTATOR) -> list[Draw]:
        """The items to judge now, several at once.

        Parameters
        ----------
        n
            at most so many
        annotator
            the person who asks

        Returns
        -------
        list of Draw
            The same draws until they are answered, in the order in which ``next`` would give them
            one after another, whatever the answers. A page ends where what comes next depends on
            its answers: at the end of a batch, and of a pilot. Empty where ``next`` gives None.

        Raises
        ------
        TypeError, ValueError
            ``n`` is not a whole number, or less than 1.
        BrokenLogError
            The log was changed outside Labelcore.
        SupersededError
            The project was measured by an earlier rule.
        StoreError
            The store cannot be written.

        Notes
        -----
        Nobody else gets these items for 30 minutes; after that they go back, and whoever asks next
        gets them first. A stop rule that is met within a page ends the session after it.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=50))
        >>> while page := session.page():
        ...     events = session.answer_page(
        ...         {draw: "prize" in session.item(draw)["text"] for draw in page})
        >>> session.labels, len(events)
        (50, 2)
        """
        n = whole_number("n", n, "items", least=1)
        with self.synced():
            self.bring_home()
            while self._without_people(draws := self.drawing.page(n, annotator, LEASE_MINUTES)):
                pass
            return draws

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
            places = self.drawing.ahead(draw, answers)
            return {
                answer: (index, self.population.id_at(position))
                for answer, (index, position) in places.items()
                if self.population.id_at(position) not in self.home.labels
            }

    def page_ahead(self, page: Sequence[Draw], n: int = PAGE) -> list[tuple[int, str]]:
        """The items that follow a page, where they are sure before it is answered.

        Parameters
        ----------
        page
            from ``page``, not answered yet
        n
            at most so many

        Returns
        -------
        list of tuple
            (number of the draw, item id) of each; empty where an answer may end the session or
            change what comes.

        Notes
        -----
        Nothing is drawn. What others do meanwhile may still change what ``page`` gives.
        """
        with self._lock:
            places = [] if self.home.labels else self.drawing.page_ahead(page, n)
            return [(index, self.population.id_at(position)) for index, position in places]

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
        shown = self.answering.shown(draw, annotator)
        with self._lock:
            return self.ledger.write(lambda: self.drawing.release(shown, shown.annotator))

    # --- answering ----------------------------------------------------------------------------

    def answer(self, draw: Draw | str, answer: object, *, annotator: str | None = None) -> Event:
        """Store an answer. It is durable when the method returns.

        Parameters
        ----------
        draw
            the draw, or its token
        answer
            a class, by its name or its number; with two classes also True or False, "yes" or "no",
            and 1 or 0 where no class is a number, as text too; or "unsure", "later" or "broken"
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
        with self.synced():
            shown = self.answering.shown(draw, annotator)
            stored = self.answering.answer(shown, kind, label)
            with suppress(StoreBusyError, StoreNotWritableError):  # Else with the next item.
                self.drawing.end_pilot(shown.annotator)
            return self.answering.as_answered(stored, label or kind)

    def answer_page(self, answers: Mapping[Draw, object] | Mapping[str, object]) -> list[Event]:
        """Store the answers to several draws together: all of them or none, at one moment.

        Parameters
        ----------
        answers
            {draw or its token: answer}, as for ``answer``

        Returns
        -------
        list of Event
            What answers each draw, in the order of the draws, whatever that of ``answers`` is. A
            draw that had an answer before keeps it.

        Raises
        ------
        AnswerError
            An answer or a token is unknown, or two draws are of the same item; nothing was stored.
        LateAnswerError
            A person has answered one of the items since, by another draw; nothing was stored.
        StoreError
            The store cannot be written; nothing was stored.
        """
        given = [(draw, self.engine.kind_of(answer)) for draw, answer in answers.items()]
        with self.synced():
            shown = [(self.answering.shown(draw, None), *answer) for draw, answer in given]
            stored = self.answering.answer_page(shown)
            with suppress(StoreBusyError, StoreNotWritableError):  # Else with the next item.
                for person in {view.annotator for view, _, _ in shown}:
                    self.drawing.end_pilot(person)
            return stored

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
            made up by the caller, another one in each project; arriving twice, it is one change
        annotator
            the person who changes it

        Returns
        -------
        Event
            What was stored.

        Raises
        ------
        AnswerError
            The item has no answer yet, the answer is unknown, the project is finished, or another
            project has the token. With an overlap also: the person judged the item after another
            one; the first answer is not theirs to change, and their own stays as they gave it.
        """
        return self.answering.revise(
            whole_number("index", index, "draws"), answer, token, annotator
        )

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
        return self.answering.undo(annotator)

    def undo_page(self, annotator: str = DEFAULT_ANNOTATOR) -> int:
        """Take back all that a person answered together with their last answer in force.

        Parameters
        ----------
        annotator
            the person whose answers they are

        Returns
        -------
        int
            How many answers were taken back: those of a page, else one; 0 if there are none.

        Raises
        ------
        AnswerError
            The project is finished.

        Notes
        -----
        The items come back with the next ``page``, with new tokens.
        """
        return self.answering.undo_page(annotator)

    def last_answer(self, annotator: str | None = DEFAULT_ANNOTATOR) -> Event | None:
        """A person's newest answer that is in force.

        Parameters
        ----------
        annotator
            the person; None: anybody

        Returns
        -------
        Event or None
            None if there is no answer in force.
        """
        return self.answering.last(annotator)

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

    def explain(self, index: int, cause: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Say why a person's answer and a classifier differ. It changes no figure.

        Parameters
        ----------
        index
            the number of the draw: 1, 2, ...
        cause
            "slip" (the answer should be another), "classifier" (its error) or "question" (it does
            not say what counts here); "" takes it back
        annotator
            the person who says so

        Raises
        ------
        AnswerError
            The item was not drawn, has no answer, or the cause is another word.
        """
        self.state.asked(index)  # Raises where it was not drawn.
        force = self.engine.in_force(index)
        previous = None if force is None else force.sequence
        self._about("explained", index, annotator, cause, previous)

    def _about(
        self, kind: str, index: int, annotator: str, text: str, previous: int | None = None
    ) -> None:
        item_id = self.population.id_at(self.state.asked(index).position)
        about = {"index": int(index), "item_id": item_id, "previous": previous}
        self.ledger.record(kind, annotator, text=text, **about)

    # --- several people -----------------------------------------------------------------------

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
        return self.answering.settle(item_id, answer, annotator, reason)

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
            return self.answering.differing(index)

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
        return self.answering.own_reading(index, annotator)

    def agreement(self) -> PeopleAgree:
        """How far people agree who judged the same items, and what each of them did.

        Returns
        -------
        PeopleAgree
            The share of answers that are the same; Fleiss' kappa, Krippendorff's alpha and Gwet's
            AC1; Cohen's kappa of each two people; per person answers, pace and agreement. Each with
            its interval; what is undefined says why. ``to_frame`` is a table of it.

        Notes
        -----
        Shares are those of the labelled items, not weighted to the file. Intervals are for one look
        and take the items as a random sample; items without a class are left out.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> plan = lc.Plan("simple_random", ["prevalence"], budget=50, overlap=1.0)
        >>> session = lc.Session(population, plan)
        >>> for who in ("ann", "bob"):
        ...     while (draw := session.next(who)) is not None:
        ...         event = session.answer(draw, "prize" in session.item(draw)["text"])
        >>> found = session.agreement()
        >>> found.items, found.share.value, [one.name for one in found.people]
        (50, 1.0, ['ann', 'bob'])
        """
        with self.synced():
            return people_agree(self.engine, self.called)

    def readings(self) -> pd.DataFrame:
        """How the plan's readings are best spent: on more items, or on several people for the same.

        Returns
        -------
        DataFrame
            As ``Preview.readings``, by how often people differ so far; by 5 % of the items with
            fewer than 20 that two of them judged.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> plan = lc.Plan("simple_random", ["prevalence"], budget=50, overlap=0.2)
        >>> table = lc.Session(population, plan).readings()
        >>> int(table["readings"].max()), int(table["recommended"].sum())
        (60, 1)
        """
        with self.synced():
            return readings_table(self.engine)

    def label_error(self) -> LabelError:
        """What the items shown a second time say about errors of the labels, and about the true
        figures.

        Returns
        -------
        LabelError
            If no item was shown twice, it says so.
        """
        with self.synced():
            return label_error(self.engine, self.store.people(self.project))

    # --- ending, and what is asked for besides ------------------------------------------------

    def finish(self, reason: str = "", annotator: str = DEFAULT_ANNOTATOR) -> None:
        """End the session; nothing more is drawn until ``extend``.

        Parameters
        ----------
        reason
            printed in the report
        annotator
            the person who ends it
        """

        def build() -> Event | None:
            done = self.engine.finished
            return None if done else self.ledger.event("finished", annotator, text=reason)

        self.results()
        self.ledger.write(build)
        self.results()
        self.store.anchor("finish")

    def extend(
        self,
        *,
        budget: int,
        annotator: str = DEFAULT_ANNOTATOR,
        estimand: str | None = None,
        group: str | None = None,
    ) -> None:
        """Continue until ``budget`` items in all.

        Parameters
        ----------
        budget
            the new number of items, more than so far
        annotator
            the person who extends it
        estimand
            the one that the labels more than before are for, which are asked next; None: all of the
            plan
        group
            the group of ``Plan.by`` whose items they are; None: all. By a method that asks by group

        Raises
        ------
        PlanError
            The budget is not more than the items so far, or more than can be asked; the plan does
            not ask for that estimand or group.
        TypeError
            The budget is not a whole number.

        Notes
        -----
        A watched interval stays valid up to the horizon of the plan. Beyond it, and under a fixed
        promise, the first stage remains the result, and the further labels are a second stage.
        Once every item of the file is labelled, a watched result is exact.
        """
        aims = {"estimand": estimand, "group": group}
        detail: dict[str, Any] = {"budget": whole_number("budget", budget, "items")}
        detail |= {key: name for key, name in aims.items() if name is not None}
        self.ledger.record("extended", annotator, detail=detail)

    def seek_choice(
        self, precision: float, *, budget: int | None = None, annotator: str = DEFAULT_ANNOTATOR
    ) -> None:
        """Go on labelling until the choice at another required precision is made.

        Parameters
        ----------
        precision
            the required one, above 0 and at most 1; its choice is still open (``choices_at``)
        budget
            the most items in all; None: as many as can be asked
        annotator
            the person who asks for it

        Raises
        ------
        PlanError
            The plan asks for no choice, labels are asked for another one still, this one is made,
            or the budget is not more than the items so far or more than can be asked.

        Notes
        -----
        Promise: the choice of the plan stays as sure as it was, and what ``choices_at`` says of all
        requirements holds together, with the same confidence, also where the precision was picked
        after looking. Candidates that were out are drawn for again where they may be this choice:
        those of their items come first that were passed over.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population(
        ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"})
        >>> wanted = {"candidates": [0.3, 0.5], "precision_threshold": 0.9, "precision_slack": 0.1}
        >>> plan = lc.Plan("reach_selection", "selection", params=wanted, budget=300, seed=7)
        >>> session = lc.Session(population, plan)
        >>> while (draw := session.next()) is not None:
        ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
        >>> session.seek_choice(0.6)
        >>> while (draw := session.next()) is not None:
        ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
        >>> [one.status for one in session.choices_at([0.6])]
        ['guaranteed']
        """
        budget = self.engine.most if budget is None else budget
        self.ledger.record("sought", annotator, detail={"precision": precision, "budget": budget})

    def labels_until_choice(self, precision: float) -> LabelsUntil:
        """What it may take until the choice at another required precision is made.

        Parameters
        ----------
        precision
            as in ``seek_choice``

        Returns
        -------
        LabelsUntil
            Labels more in a quarter, half and three quarters of simulated sessions, in worlds drawn
            from what the labels say. It is a forecast and promises nothing.

        Raises
        ------
        PlanError
            As ``seek_choice``.
        """
        with self._lock:
            return labels_until(self.engine, precision)

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
        self.ledger.record(
            "second_pass", annotator, detail={"items": whole_number("items", items, "items")}
        )

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
        projects.check_highlights(changes)
        self.ledger.write(lambda: self._reworded(annotator, changes))

    def _reworded(self, annotator: str, changes: Mapping[str, Any]) -> Event | None:
        """The event that makes these changes, if they are any."""
        old = self.settings
        new = {name: value for name, value in changes.items() if old.get(name) != value}
        return self.ledger.event("reworded", annotator, detail=new) if new else None

    # --- results ------------------------------------------------------------------------------

    def results(self) -> Results:
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
        with self.synced():
            results = self.figures.results()
            self.recorded_looks.record()
            return Results(results)

    def estimate(self, name: str) -> Estimate:
        """One number of ``results``, by its type.

        Parameters
        ----------
        name
            its key, such as "precision", "recall@B" or "precision[spam]"

        Returns
        -------
        Estimate
            With its interval.

        Raises
        ------
        KeyError
            There is no number of this name; the message lists those there are.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population("items.csv", id="id", content=["text"])
        >>> session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=50))
        >>> session.estimate("prevalence").high
        1.0
        >>> session.estimate("accuracy")
        Traceback (most recent call last):
        KeyError: "no result is called 'accuracy'; known are prevalence"
        """
        return self.results().one(Estimate, name)

    def claim(self, text: str) -> Claim:
        """One claim of ``results``, by its type.

        Parameters
        ----------
        text
            as the plan has it, such as "precision >= 0.9"

        Returns
        -------
        Claim
            With what the labels say about it.

        Raises
        ------
        KeyError
            The plan has no such claim; the message lists those it has.
        """
        return self.results().one(Claim, text)

    def choice(self) -> Choice:
        """The choice among candidates that the plan asks for.

        Returns
        -------
        Choice
            What is chosen, and the bounds of each candidate.

        Raises
        ------
        KeyError
            The plan asks for no choice.
        """
        return self.results().one(Choice, "selection")

    def results_table(self) -> pd.DataFrame:
        """``results`` as one table.

        Returns
        -------
        DataFrame
            One row per estimate and claim, per point of a curve and per candidate of a choice, with
            the columns of the CSV report; what a result has not is missing.
        """
        return results_table(self.project, self.results())

    def table(self, by: str | Sequence[str] | None = None, together: bool = False) -> Table:
        """The figures of all classifiers, by group if asked, as one table.

        Parameters
        ----------
        by
            a column that ``read_population`` was given as ``groups``, or two that are crossed; None
            for those of the plan, if it has any
        together
            whether the confidence is for all cells at once: by their correlation up to 60 of them,
            beyond that each has an equal part of the error level

        Returns
        -------
        Table
            What the plan asks for as ``results`` tell it; other cells, which are marked so, are
            first guesses.

        Raises
        ------
        ValueError
            The population has no such column of groups; the message lists those it has.
        """
        with self._lock:
            self.results()
            return self.figures.table(_columns(self.plan.by if by is None else by), together)

    def by_group(self, column: str | Sequence[str]) -> pd.DataFrame:
        """The figures by group.

        Parameters
        ----------
        column
            as ``by`` of ``table``

        Returns
        -------
        DataFrame
            That of ``table``: a row for each classifier, group and estimand, and for all items.
        """
        return self.table(column).to_frame()

    def differences(
        self,
        by: str | Sequence[str] | None = None,
        estimand: str = "accuracy",
        *,
        rest: bool = False,
    ) -> pd.DataFrame:
        """Differences of all pairs of classifiers or of groups.

        Parameters
        ----------
        by
            a column of groups, or two that are crossed; None for the classifiers of the plan
        estimand
            that of the figures, such as "accuracy"
        rest
            whether each group is compared with the items of all others, and not with each of them

        Returns
        -------
        DataFrame
            A row for each pair: a, b, by, estimand, value (of a less b), low, high, labels_used,
            promise, ahead: which one is surely larger, "" while that is open; more: about how many
            labels more of the session would decide it, 0 where it is decided, missing where the
            two are too close to tell. The confidence is for all rows at once.

        Raises
        ------
        ValueError
            There is no such column or estimand, or only one classifier, or the plan's method tells
            no differences.
        """
        with self.synced():
            return self.figures.differences(_columns(by), estimand, rest)

    def judge(
        self, by: str | Sequence[str] | None = None, *, settled: bool = False
    ) -> pd.DataFrame:
        """How the first classifier of the plan, as a judge, stands to people.

        Parameters
        ----------
        by
            a column of groups, such as that of the systems; None for all items alone
        settled
            for the judgement that several people settle, in a plan with an overlap

        Returns
        -------
        DataFrame
            A row for each measure, of all items and of each group: by, group, items, measure,
            value, low, high, labels_used, promise. The measures are the judge's pass rate, which
            the file says of all items; the pass rate, as people judge; bias, the former less the
            latter for the items that the figures are about; agreement, Cohen's kappa, and the true
            and the false pass rate: the shares that the judge passes of what people pass, and of
            what they fail. Where the classes are grades, three or more numbers, they are the
            judge's mean score, the mean score by people and bias, if the method draws from strata,
            and agreement. Each holds by itself.

        Raises
        ------
        ValueError
            The file has several classes that are not all numbers, or none of the judge's verdicts;
            or nothing settled can be told of them.
        """
        with self.synced():
            self.results()
            return self.figures.judge(_columns(by), settled)

    def ranking(
        self, by: str | Sequence[str] | None = None, estimand: str = "accuracy"
    ) -> pd.DataFrame:
        """Classifiers or groups in their order, with the places that each may have.

        Parameters
        ----------
        by, estimand
            as for ``differences``

        Returns
        -------
        DataFrame
            name, place_from, place_to, the largest value first. The confidence is for all places at
            once.

        Raises
        ------
        ValueError
            As ``differences``.
        """
        with self.synced():
            return ranking(self.engine, _columns(by), estimand)

    @property
    def unrecorded(self) -> str:
        """Why the newest look is not in the log; "" when it is."""
        return self.recorded_looks.unrecorded

    def looks(self) -> list[dict[str, Any]]:
        """Every recorded look, in order.

        Returns
        -------
        list of dict
            Labels, draws, results by key, and when ("at"). The list is new, but the looks in it are
            the session's own: read them, but do not change them.
        """
        with self._lock:
            return list(self.state.looks)

    def course(self, key: str) -> list[dict[str, Any]]:
        """How one result came about, from the first label to now.

        Parameters
        ----------
        key
            as in ``results``

        Returns
        -------
        list of dict
            Labels, draws, results by key, and when the last answer was given ("at"). A number is
            worked out from the log at fixed looks, whether anybody looked or not: at every label to
            20, then at every fifth, beyond 500 at every hundredth part of the plan. Of any other
            result these are the recorded ``looks``.

        Raises
        ------
        KeyError
            There is no result of this name; the message lists those there are.
        """
        with self.synced():
            if key in {question.key for question in self.engine.questions}:
                return self.figures.course()
            self.results()[key]  # Raises where there is none.
            return self.looks()

    # --- along the ranks ----------------------------------------------------------------------

    def list_difference(self, a: str | None = None, b: str | None = None) -> ListDifference:
        """The precision of one list's first items less that of another's, at every rank.

        Parameters
        ----------
        a, b
            the two classifiers of the plan; None: in its order

        Returns
        -------
        ListDifference
            Its ends hold for all ranks together, so that ``ranges`` may be looked for.

        Raises
        ------
        ValueError
            The plan compares no lists, or not these.
        """
        with self.synced():
            return list_difference(headline_stage(self.engine)).of(a, b)

    def list_items(self, rank: int) -> pd.DataFrame:
        """Where two lists differ: the items that one has among its first ``rank`` and the other has
        not.

        Parameters
        ----------
        rank
            how many items of each list

        Returns
        -------
        DataFrame
            A row per item, those that come first in either list first: id, list (which has it), its
            rank in both, label (None without one).

        Raises
        ------
        ValueError
            The plan compares no lists, or not down to this rank.
        """
        with self.synced():
            return differing_items(self.engine, rank)

    def curve(self) -> Curve:
        """What is known along the ranks of the classifier's score.

        Returns
        -------
        Curve
            Estimates weighted by the design; ``band`` makes readings of it.

        Raises
        ------
        ValueError
            The classifier has no score.
        """
        with self._lock:
            return self.figures.curve()

    def band(self, name: str, curve: Curve | None = None) -> Band:
        """One reading along the ranks.

        Parameters
        ----------
        name
            such as "precision", "recall" or "yield"
        curve
            what ``curve`` returned, to save time; None: it is made anew

        Returns
        -------
        Band
            The reading with its bounds.

        Raises
        ------
        ValueError
            The classifier has no score, or the curve has no such reading.
        """
        with self._lock:
            return band(self.engine, curve or self.curve(), name)

    def curves(self) -> tuple[Band, ...]:
        """Precision and, if the curve has it, recall along the ranks.

        Returns
        -------
        tuple of Band
            One or two.

        Raises
        ------
        ValueError
            The classifier has no score.
        """
        curve = self.curve()
        return tuple(self.band(n, curve) for n in ("precision", "recall") if n in curve.names)

    def cut(self, rank: int) -> Cut:
        """What keeping the first ``rank`` items would mean.

        Parameters
        ----------
        rank
            how many items are kept

        Returns
        -------
        Cut
            Its readings, with their bounds.

        Raises
        ------
        ValueError
            The rank lies outside the curve, or the classifier has no score.
        """
        return self.cuts([rank])[0]

    def cuts(self, ranks: Sequence[int]) -> list[Cut]:
        """``cut`` at several ranks, worked out together.

        Parameters
        ----------
        ranks
            how many items are kept, each

        Returns
        -------
        list of Cut
            In the order of ``ranks``.

        Raises
        ------
        ValueError
            A rank lies outside the curve, or the classifier has no score.
        """
        with self._lock:
            return self.figures.cuts(ranks)

    def deepest_cut(self, precision: float, at_most: int | None = None) -> Cut | None:
        """The longest head of the list whose precision is surely high enough, as far as the bounds
        promise.

        Parameters
        ----------
        precision
            the least precision, between 0 and 1
        at_most
            so many items at the most; None: as many as there are

        Returns
        -------
        Cut or None
            None if there is no such head.

        Raises
        ------
        ValueError
            The classifier has no score.
        """
        with self._lock:
            return self.figures.deepest_cut(precision, at_most)

    def cheapest_cut(self, miss: float, false_alarm: float) -> CheapestCut | None:
        """Where to cut the list so that mistakes cost least.

        Parameters
        ----------
        miss
            what a positive item costs that is not kept; above 0, in any unit
        false_alarm
            what another item costs that is kept, in the same unit

        Returns
        -------
        CheapestCut or None
            The cheapest cut by the estimate, and the first and last one that may be it by the
            bounds, for all pairs of costs at once; None before there are bounds.

        Raises
        ------
        ValueError
            The classifier has no score, the bounds do not hold for all ranks, or a cost is not
            above 0.
        """
        with self._lock:
            return self.figures.cheapest_cut(miss, false_alarm)

    def packages(self, precisions: Sequence[float]) -> pd.DataFrame:
        """The list cut wherever it surely still keeps each of several precisions.

        Parameters
        ----------
        precisions
            falling, between 0 and 1

        Returns
        -------
        DataFrame
            A row per package.

        Raises
        ------
        ValueError
            The classifier has no score.
        """
        with self._lock:
            return self.figures.packages(precisions)

    def choices_at(self, precisions: Sequence[float]) -> list[OtherChoice]:
        """Which candidate would be chosen at other required precisions, from the same labels.

        Parameters
        ----------
        precisions
            required ones, above 0 and at most 1

        Returns
        -------
        list of OtherChoice
            One for each: precision, status, chosen (its name, and the precision and the number of
            positive items that it has for sure), surest (the same of the candidate that is as
            precise without any tolerance) and left. Tolerances are those of the plan.

        Raises
        ------
        ValueError
            The plan asks for no choice, or a precision lies outside its range.

        Notes
        -----
        Promise: with the confidence of the choice everything that is said of all precisions holds
        together, and at every look. For that the upper bounds are wider than those of the choice
        itself, which is about the one precision that the plan names.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population(
        ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"})
        >>> wanted = {"candidates": [0.3, 0.5], "precision_threshold": 0.6, "precision_slack": 0.3}
        >>> plan = lc.Plan("reach_selection", "selection", params=wanted, budget=300, seed=7)
        >>> session = lc.Session(population, plan)
        >>> while (draw := session.next()) is not None:
        ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
        >>> [one.status for one in session.choices_at([0.5, 1.0])]
        ['undecided', 'none acceptable']
        """
        with self._lock:
            return choices_at(self.engine, precisions)

    # --- what the labels tell besides ---------------------------------------------------------

    def errors_in_common(self, classifier: str | None = None) -> ErrorsInCommon:
        """What the errors of a classifier have in common: scores, words, lengths, groups, and what
        other classifiers say.

        Parameters
        ----------
        classifier
            one with predictions; None: the first of the plan

        Returns
        -------
        ErrorsInCommon
            What chance does not explain, with intervals: about the labelled items alone.

        Raises
        ------
        ValueError
            The classifier has no predictions.

        Notes
        -----
        Promise: where errors have nothing to do with what is looked for, the chance that anything
        is told at any look is at most 1 - confidence, by permutations among items called the same
        (Westfall and Young 1993). It is looked for at half of the planned labels, at all, and
        whenever they have doubled. docs/errors.md has measurements.
        """
        with self.synced():
            kept = self.drawn_items()

            def text_of(ids: Sequence[str]) -> list[str]:
                return [" ".join(map(str, kept.get(item, {}).values())) for item in ids]

            return errors_in_common(self.engine, text_of, classifier)

    def calibration(self, classifier: str | None = None) -> Calibration:
        """Of the items with about the same score, how many are positive, for every score.

        Parameters
        ----------
        classifier
            one with a score; None: the first of the plan

        Returns
        -------
        Calibration
            Ranges of the score with a band for all of them together.

        Raises
        ------
        ValueError
            The classifier has no score, the file several classes, or the method's labels are no
            random sample at each score.

        Notes
        -----
        Promise: that of the plan, for all ranges at once, and approximate: how often the band
        misses was measured (docs/calibration.md), not proved. Ranges follow from the scores and the
        planned size. Items that are open, unsure or broken count either way.
        """
        with self.synced():
            return calibration(self.engine, classifier)

    def corrected_scores(self, classifier: str | None = None) -> pd.DataFrame:
        """Every item's score turned into a probability by the labels: an estimate without a
        promise.

        Parameters
        ----------
        classifier
            as in ``calibration``

        Returns
        -------
        DataFrame
            id, score, corrected: the least squares fit that rises with the score, to the labels,
            each weighted by the items that it stands for (``labels_table``). In file order.

        Raises
        ------
        ValueError
            As ``calibration``, or no item has a label yet.

        Notes
        -----
        Source: Zadrozny and Elkan (2002), isotonic regression.
        """
        with self.synced():
            return corrected_scores(self.engine, classifier)

    def strata(self) -> pd.DataFrame:
        """The strata, with the labels that the results rest on.

        Returns
        -------
        DataFrame
            A row per stratum: its size, labels, rate and share of the uncertainty.
        """
        with self.synced():
            return strata_table(headline_stage(self.engine))

    def confusion(self, classifier: str | None = None) -> pd.DataFrame:
        """How many items of each predicted class truly belong to each class, estimated.

        Parameters
        ----------
        classifier
            one that the plan names; None: the first

        Returns
        -------
        DataFrame
            Estimated items of the file by predicted class (rows) and true class (columns), and a
            last column for items in strata without a label. Each row sums to the known number of
            items that are predicted so. Values without intervals.

        Raises
        ------
        ValueError
            The plan does not name the classifier, or it has neither a prediction nor a threshold.
        """
        with self.synced():
            return confusion(headline_stage(self.engine), classifier)

    # --- tables -------------------------------------------------------------------------------

    def labels_table(self, content: bool = False) -> pd.DataFrame:
        """Every item judged, one to a row: to take home, to train on, or to estimate something else
        from.

        Parameters
        ----------
        content
            whether the columns that were shown are added

        Returns
        -------
        DataFrame
            id, answer (the class; missing without one), status ("labelled", "unsure", "broken" or
            "later"), annotator, time (of the answer, UTC), seconds (from showing the item to its
            answer), stratum (1, 2, ...), weight (items), a column "score_NAME" and a column
            "prediction_NAME" for each classifier that has one, notes (text), flagged, cause (as
            ``explain`` was told). In the order drawn; then the answers from before the project that
            the figures rest on, without annotator and time.

        Raises
        ------
        ChangedTextError
            ``content``, and a stored text is not the one that its draw recorded.

        Notes
        -----
        ``weight`` is the number of items that the label stands for: those of its stratum of which
        the first classifier says the same, over the labels among them. A share weighted by it
        estimates the share in the file. Precision, recall and F1 of the first classifier by these
        weights are those of ``results`` as soon as each part of a stratum has a label, with every
        method that estimates from counts by stratum; accuracy and prevalence too, except with
        ``simple_random``, whose own value is the plain share. Nobody stands for the items of a part
        without a label, yet or because the plan does not ask there: the weights then add up to less
        than the file. Unweighted shares are those of the sample, which is not like the file.

        The weight is missing for items without a class, for labels of a second stage, for labels of
        ``recycling`` that are no random sample for its first classifier, and for every label of
        ``paula`` (chosen windows) and ``reach_selection`` (items outside the candidates are never
        drawn).

        The labels are a sample for measuring: a weighted share has no interval here, ``results``
        has.

        Source: Cochran (1977), section 5A.9, stratification after selection.

        Examples
        --------
        >>> import labelcore as lc
        >>> population = lc.read_population(
        ...     "items.csv", id="id", content=["text"], predictions={"lr": "lr_pred"})
        >>> session = lc.Session(population, lc.Plan("simple_random", ["prevalence"], budget=50))
        >>> while (draw := session.next()) is not None:
        ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
        >>> labels = session.labels_table()
        >>> float(labels["weight"].sum().round(6))
        1000.0
        """
        with self.synced():
            kept = self.drawn_items() if content else {}

            def content_of(item_id: str) -> dict[str, str]:
                return kept[item_id] if item_id in kept else self.item_by_id(item_id)

            return labels_table(self.population, self.state, content_of if content else None)


def _columns(by: str | Sequence[str] | None) -> tuple[str, ...]:
    return (by,) if isinstance(by, str) else tuple(by or ())
