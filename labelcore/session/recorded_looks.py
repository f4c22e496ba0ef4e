"""Looks at the results, each recorded in the log once it sees new answers."""

import time

from labelcore.errors import StoreBusyError, StoreNotWritableError
from labelcore.log.events import Event
from labelcore.session.ledger import Ledger

RECORD_AGAIN_SECONDS = 2.0


class RecordedLooks:
    """What records a look; ``unrecorded``: why the newest is not in the log, "" when it is."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger, self.state = ledger, ledger.state
        self.unrecorded = ""
        self._again_at = 0.0

    def record(self) -> None:
        """Record what is known now, if nobody has seen it yet."""
        if self.state.last_answer <= self.state.looked_after:
            self.unrecorded = ""
        elif not self.ledger.broken_at and time.monotonic() >= self._again_at:
            self._write()

    def _write(self) -> None:
        """Reading goes on where nothing can be written; each try may wait for another program."""
        try:
            self.ledger.write(self._look)
            self.unrecorded = ""
        except (StoreBusyError, StoreNotWritableError) as error:
            self.unrecorded = str(error)
            self._again_at = time.monotonic() + RECORD_AGAIN_SECONDS

    def _look(self) -> Event | None:
        if self.state.last_answer <= self.state.looked_after:
            return None
        detail = self.ledger.figures.look(self.state.last_answer)
        return None if detail is None else self.ledger.event("looked", "", detail=dict(detail))
