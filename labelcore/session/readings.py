"""What is read off a project's log: its items, figures, curves and tables. Nothing is written."""

from __future__ import annotations

import threading
from abc import ABC
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import pandas as pd

from labelcore.designs.choices import OtherChoice
from labelcore.designs.curves import Curve
from labelcore.errors import ChangedTextError
from labelcore.figures.agreement import people_agree
from labelcore.figures.choices import choices_at
from labelcore.figures.confusion import confusion
from labelcore.figures.curves import band
from labelcore.figures.label_error import label_error
from labelcore.figures.labels_table import labels_table
from labelcore.figures.looks import FiguresNow
from labelcore.figures.scalars import headline_stage
from labelcore.figures.standing import complete, first_shown
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.log.events import SALTED, Content, Draw, Event
from labelcore.log.history import HistoryRow, history
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.log.state import LogState
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.promises import Status
from labelcore.results.agreement import PeopleAgree
from labelcore.results.curves import Band, CheapestCut, Cut
from labelcore.results.label_error import LabelError
from labelcore.session.ledger import Ledger
from labelcore.store import LabelStore
from labelcore.store.base import ProjectRecord


class Readings(ABC):
    """What one may ask of a session; its attributes are the session's."""

    store: LabelStore
    project: str
    record: ProjectRecord
    population: Population
    plan: Plan
    engine: Engine
    state: LogState
    figures: FiguresNow
    ledger: Ledger
    _lock: threading.RLock

    # --- the log -----------------------------------------------------------------------------

    def sync(self) -> None:
        """Take in what other sessions have added."""
        with self._lock:
            self.ledger.sync()

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

    def item(self, draw: Draw) -> dict[str, str]:
        """What a person judges.

        Parameters
        ----------
        draw
            from ``next``

        Returns
        -------
        dict
            {column: text}, as it was when the item was drawn.

        Raises
        ------
        ChangedTextError
            The stored text is not the one that the draw recorded.
        """
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
        return self._unchanged(item_id, self.store.content(self.project, item_id))

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
        found = self.store.contents(self.project)
        return {item_id: self._unchanged(item_id, kept) for item_id, kept in found.items()}

    def _unchanged(self, item_id: str, kept: Content | None) -> dict[str, str]:
        """What the store keeps of an item, else what the file says, checked."""
        recorded = self.state.texts.get(item_id)
        if kept is None and recorded is not None and recorded.startswith(SALTED):
            raise ChangedTextError(
                f"The text of item {item_id!r} as it was drawn is no longer in the store, so it is "
                "not shown. Put back a backup of the store."
            )
        found = Content(self.population.content(item_id)) if kept is None else kept
        if recorded not in (None, found.digest(item_id)):
            raise ChangedTextError(
                f"The text of item {item_id!r} is not the one that was drawn: it was changed "
                "outside Labelcore, so it is not shown. Put back a backup of the store."
            )
        return dict(found.columns)

    @property
    def broken_at(self) -> int:
        """The first event that was changed outside Labelcore, by its number; 0 if there is none.

        That event and those after it are left out, and nothing can be added.
        """
        return self.ledger.broken_at

    def check_log(self) -> None:
        """Read the whole log again.

        Raises
        ------
        BrokenLogError
            The log was changed outside Labelcore.
        """
        self.ledger.check()

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
        for event in reversed(self.events):
            if annotator in (None, event.annotator) and self.state.in_force(event):
                return event
        return None

    @property
    def status(self) -> Status:
        """One of "open", "waiting" (for answers to items that are shown), "goal reached", "budget
        used", "exhausted" and "finished".
        """
        return self.ledger.status()

    @property
    def going_on(self) -> bool:
        """Whether the plan still asks for labels."""
        return self.status in (Status.OPEN, Status.WAITING)

    # --- people ------------------------------------------------------------------------------

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

    # --- looking -----------------------------------------------------------------------------

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
            found = self.curve() if curve is None else curve
            return band(self.engine, found, name)

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
        with self._lock:
            return self.figures.cuts([rank])[0]

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

    def label_error(self) -> LabelError:
        """What the items shown a second time say about errors of the labels, and about the true
        figures.

        Returns
        -------
        LabelError
            If no item was shown twice, it says so.
        """
        with self._lock:
            self.sync()
            return label_error(self.engine, self.store.people(self.project))

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
        with self._lock:
            self.sync()
            return people_agree(self.engine, self.called)

    def strata(self) -> pd.DataFrame:
        """The strata, with the labels that the results rest on.

        Returns
        -------
        DataFrame
            A row per stratum: its size, labels, rate and share of the uncertainty.
        """
        with self._lock:
            return strata_table(headline_stage(self.engine))

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
            "prediction_NAME" for each classifier that has one, notes (text), flagged. In the order
            drawn; then the answers from before the project that the figures rest on, without
            annotator and time.

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
        with self._lock:
            self.sync()
            kept = self.drawn_items() if content else {}

            def content_of(item_id: str) -> dict[str, str]:
                return kept[item_id] if item_id in kept else self.item_by_id(item_id)

            return labels_table(self.population, self.state, content_of if content else None)

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
        with self._lock:
            self.sync()
            return confusion(headline_stage(self.engine), classifier)

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
        """
        with self._lock:
            self.sync()
            if key in {question.key for question in self.engine.questions}:
                return self.figures.course()
            return self.looks()

    def last_said(self, draw: Draw, kind: str) -> str:
        """The last note about a drawn item, or whether it is flagged.

        Parameters
        ----------
        draw
            from ``next``; if the item is shown a second time, only what was said since then counts
        kind
            "noted" or "flagged"

        Returns
        -------
        str
            The text of the event; "" if there is none.
        """
        with self._lock:
            return self.state.last_said(draw, kind)

    @property
    def labels(self) -> int:
        """How many items have a class."""
        return self.engine.labels

    @property
    def first_figure(self) -> int:
        """From how many labels on a figure is shown."""
        return first_shown(self.engine)

    @property
    def complete(self) -> bool:
        """Whether the planned size is answered."""
        return complete(self.engine)

    @property
    def settings(self) -> dict[str, Any]:
        """Question, instructions, keys ...: as given at the start, with later corrections of the
        wording.
        """
        return self.state.settings(self.record.settings_json)

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
        """
        with self._lock:
            return history(self.events, self.state, annotator, last)
