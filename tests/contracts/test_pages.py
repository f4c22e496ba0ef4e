"""A page has the draws that come one by one, and its answers lead to the same figures."""

import hashlib
import json
from collections.abc import Iterable

import pytest

import labelcore as lc
from labelcore.log.events import ANSWER_KINDS, Draw
from labelcore.session.session import PAGE
from tests.contracts.test_ahead import ONE_OF_EACH
from tests.contracts.test_tables import NAMED, Case, files  # noqa: F401

ITEMS = 70
ONE_AT_A_TIME = ("reach_selection",)
"""Methods that choose each item by the answer before it."""
UNSURE_OF = 9
"""Of so many items one is called "unsure"."""


def answer_to(session: lc.Session, draw: Draw) -> str:
    """The same for the same item, whoever shows it and when."""
    number = int(hashlib.md5(draw.item_id.encode()).hexdigest(), 16)
    classes = session.population.classes
    return "unsure" if number % UNSURE_OF == 0 else classes[number // UNSURE_OF % len(classes)]


def one_by_one(session: lc.Session) -> None:
    while session.engine.answers_given < ITEMS and (draw := session.next()) is not None:
        session.answer(draw, answer_to(session, draw))


def by_pages(session: lc.Session) -> list[int]:
    """How many items each page had."""
    found = []
    ahead: list[tuple[int, str]] = []
    while page := session.page(min(PAGE, ITEMS - session.engine.answers_given)):
        assert not ahead or [(one.index, one.item_id) for one in page] == ahead[: len(page)]
        ahead = session.page_ahead(page)
        session.answer_page({draw: answer_to(session, draw) for draw in reversed(page)})
        found.append(len(page))
        if session.engine.answers_given >= ITEMS:
            break
    return found


def digest(session: lc.Session) -> str:
    """Draws and answers in the order of the log, and every figure, as one number."""
    log = session.events
    draws = [(e.index, e.item_id, e.stratum, e.batch, e.basis) for e in log if e.kind == "drawn"]
    answers = [(e.index, e.item_id, e.kind, e.label) for e in log if e.kind in ANSWER_KINDS]
    figures = {key: repr(found) for key, found in session.results().items()}
    said = json.dumps([draws, answers, figures], sort_keys=True)
    return hashlib.sha256(said.encode()).hexdigest()


def both_ways(cases: Iterable[Case], files: object) -> dict[str, list[int]]:  # noqa: F811
    """Each method's pages, whose log and figures are those of one item after another."""
    found = {}
    for case in cases:
        known, plan = files[case.file](0), case.plan()  # type: ignore[index]
        single, paged = lc.Session(known.population, plan), lc.Session(known.population, plan)
        one_by_one(single)
        found[case.name] = by_pages(paged)
        assert digest(paged) == digest(single), case.name
    return found


CASES = [*ONE_OF_EACH[:1], NAMED["patterns, sample"], *ONE_OF_EACH[1:]]


@pytest.mark.parametrize("case", CASES, ids=lambda one: one.name)
def test_pages_are_the_draws_one_by_one(case: Case, files) -> None:  # noqa: F811
    (pages,) = both_ways([case], files).values()
    assert (max(pages) > 1) == (case.design not in ONE_AT_A_TIME)


@pytest.mark.parametrize(
    ("place", "mistake"),
    [
        ("labelcore.session.drawing.Drawing._sure", lambda self: True),
        ("labelcore.session.answering.page_order", lambda draw: -draw.index),
    ],
)
def test_a_page_beyond_the_batch_or_stored_in_another_order_would_be_seen(
    place: str,
    mistake: object,
    files,  # noqa: F811
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(place, mistake)
    with pytest.raises(AssertionError):
        both_ways([NAMED["patterns, sample"]], files)
