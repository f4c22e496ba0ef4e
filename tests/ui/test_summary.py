"""What *Start* says of a project, from its log."""

from __future__ import annotations

import labelcore as lc
from labelcore.ui.summary import summarise
from tests.log.conftest import population
from tests.log.test_overlap import ITEMS, labelled, started

__all__ = ["ITEMS", "population"]


def test_who_only_judged_as_a_second_reader_is_counted(population: lc.Population) -> None:
    session = started(population, overlap=0.5)
    while session.labels < 60 and (draw := session.next("me")) is not None:
        session.answer(draw, True, annotator="me")
    labelled(session, "ben")
    kinds = {event.kind for event in session.events if event.annotator == "ben"}
    assert "reread" in kinds and "labelled" not in kinds
    assert set(summarise(session.record, session.events).people) == {"me", "ben"}
