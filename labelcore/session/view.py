"""What can be read of a session: results, curves, looks, history, settings."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Sequence
from typing import Any

import pandas as pd

from labelcore.designs.curves import Curve
from labelcore.errors import ChangedTextError, StoreBusyError, StoreNotWritableError
from labelcore.figures.curves import band, ranked_curve
from labelcore.figures.cuts import cut_at, deepest_cut, packages
from labelcore.figures.label_error import label_error
from labelcore.figures.looks import FiguresNow
from labelcore.figures.scalars import complete, first_figure, headline_stage
from labelcore.figures.strata import strata_table
from labelcore.log.engine import Engine
from labelcore.log.events import Draw, Event, text_digest
from labelcore.log.history import HistoryRow, history
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.log.state import State
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.promises import Status
from labelcore.results.label_error import LabelError
from labelcore.results.types import Band, Cut, Result
from labelcore.session.ledger import Entry, Ledger
from labelcore.store import LabelStore, ProjectRecord

RECORD_AGAIN_SECONDS = 2.0


class SessionView:
    """The reading half of ``labelcore.Session``; only ``results`` writes, a look to the log."""

    store: LabelStore
    project: str
    record: ProjectRecord
    population: Population
    plan: Plan
    engine: Engine
    state: State
    figures: FiguresNow
    ledger: Ledger
    # Why the newest look is not in the log, "" when it is.
    unrecorded: str = ""
    _record_again_at: float = 0.0
    _lock: threading.RLock

    def sync(self) -> None:
        """Take in what other sessions appended."""
        with self._lock:
            self.ledger.sync()

    @property
    def events(self) -> list[Event]:
        """The log as read so far."""
        return self.ledger.events

    def item(self, draw: Draw) -> dict[str, str]:
        """What a person judges: {column: text}, as it was when drawn."""
        return self.item_by_id(draw.item_id)

    def item_by_id(self, item_id: str) -> dict[str, str]:
        """As ``item``, for any item. Raises ChangedTextError for a text that is not the one that
        the draw recorded."""
        kept = self.store.content(self.project, item_id)
        found = self.population.content(item_id) if kept is None else kept
        if self.state.texts.get(item_id, digest := text_digest(item_id, found)) != digest:
            raise ChangedTextError(
                f"The text of item {item_id!r} is not the one that was drawn: it was changed "
                "outside Labelcore, so it is not shown. Put back a backup of the store."
            )
        return found

    @property
    def broken_at(self) -> int:
        """The first event of the log that was changed outside Labelcore; 0 when none was. It and
        those after it are left out, and nothing can be added."""
        return self.ledger.broken_at

    def check_log(self) -> None:
        """Read the whole log again. Raises BrokenLogError when it was changed outside Labelcore."""
        self.ledger.check()

    def last_answer(self, annotator: str | None = DEFAULT_ANNOTATOR) -> Event | None:
        """This person's newest answer that is in force; with None that of anybody."""
        for event in reversed(self.events):
            if annotator in (None, event.annotator) and self.state.in_force(event):
                return event
        return None

    @property
    def status(self) -> Status:
        """One of "open", "waiting" (for the answers to items that are shown), "goal reached",
        "budget used", "exhausted", "finished"."""
        return self.ledger.status()

    @property
    def going_on(self) -> bool:
        """Whether labels are still to come by the plan."""
        return self.status in (Status.OPEN, Status.WAITING)

    # --- looking -----------------------------------------------------------------------------

    def results(self) -> dict[str, Result]:
        """{estimand: Estimate | Band} now.

        Each look that sees new answers is written to the log; ``unrecorded`` says why it was not.
        """
        with self._lock:
            self.sync()
            found = self.figures.results()
            if self.state.last_answer <= self.state.looked_after:
                self.unrecorded = ""
            elif not self.broken_at and time.monotonic() >= self._record_again_at:
                self._record_look()
            return found

    def _record_look(self) -> None:
        """Reading goes on where nothing can be written; each try may wait for another program."""
        try:
            self.ledger.append(self._look)
            self.unrecorded = ""
        except (StoreBusyError, StoreNotWritableError) as error:
            self.unrecorded = str(error)
            self._record_again_at = time.monotonic() + RECORD_AGAIN_SECONDS

    def _look(self) -> Entry | None:
        if self.state.last_answer <= self.state.looked_after:
            return None
        detail = self.figures.look(self.state.last_answer)
        return self.ledger.event("looked", "", detail=detail), {}

    def curve(self) -> Curve:
        """What is known along the ranks of the classifier's score, design-weighted.

        Raises ValueError without a score.
        """
        with self._lock:
            return ranked_curve(headline_stage(self.engine))

    def band(self, name: str, curve: Curve | None = None) -> Band:
        """One reading along the ranks, such as "precision", "recall", "yield".

        Raises ValueError without a score or for a reading that the curve does not have.
        """
        with self._lock:
            found = self.curve() if curve is None else curve
            return band(self.engine, found, name)

    def curves(self) -> tuple[Band, ...]:
        """Precision and, where the curve has it, recall along the ranks."""
        curve = self.curve()
        return tuple(self.band(n, curve) for n in ("precision", "recall") if n in curve.names)

    def cut(self, rank: int) -> Cut:
        """What keeping the first ``rank`` items would mean. Raises ValueError for a rank outside
        the curve, or without a score."""
        with self._lock:
            return cut_at(headline_stage(self.engine), rank)

    def deepest_cut(self, precision: float) -> Cut | None:
        """The longest head of the list whose precision is at least ``precision`` for sure, as far
        as the bounds promise; None where there is none."""
        with self._lock:
            return deepest_cut(headline_stage(self.engine), precision)

    def packages(self, precisions: Sequence[float]) -> pd.DataFrame:
        """The list cut where each of the falling ``precisions`` is still kept for sure."""
        with self._lock:
            return packages(headline_stage(self.engine), precisions)

    def label_error(self) -> LabelError:
        """What the items shown a second time say of the labels, and of the figures for the truth;
        without any, that no item was judged twice."""
        with self._lock:
            self.sync()
            return label_error(self.engine, self.store.people(self.project))

    def strata(self) -> pd.DataFrame:
        """The strata with their labels, rates and shares of the uncertainty, of the labels that
        the results rest on."""
        with self._lock:
            return strata_table(headline_stage(self.engine))

    def looks(self) -> list[dict[str, Any]]:
        """Every recorded look in order: labels, draws, results by key, and when ("at"). The list
        is new, the looks in it are the session's own: to be read, not changed."""
        with self._lock:
            return list(self.state.looks)

    def last_said(self, draw: Draw, kind: str) -> str:
        """The text of the last event "noted" or "flagged" about a drawn item, "" without one; of an
        item that is shown a second time only since then."""
        with self._lock:
            return self.state.last_said(draw, kind)

    @property
    def labels(self) -> int:
        """Items with a class."""
        return self.engine.labels

    @property
    def first_figure(self) -> int:
        """The number of labels from which a figure is shown."""
        return first_figure(self.engine)

    @property
    def complete(self) -> bool:
        """Whether the planned size is answered, or a calibrated stop reached."""
        return complete(self.engine)

    @property
    def settings(self) -> dict[str, Any]:
        """Question, instructions, keys ...: as given when the project was made, with the words as
        they were mended since."""
        return {**json.loads(self.record.settings_json), **self.state.reworded}

    def history(self, annotator: str | None = None, last: int | None = 50) -> Sequence[HistoryRow]:
        """Answered items, the newest answer first."""
        with self._lock:
            return history(self.events, self.state, annotator, last)
