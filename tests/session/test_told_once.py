"""A store says once, before it stores anything, that another writer was faster, or after it did,
that it was there already: every method of a session gives the same."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, is_dataclass
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import AnswerError
from labelcore.exchange import Answered, Outcome, store_answers
from labelcore.log.events import Event
from labelcore.store import ConflictError, RepeatedTokenError
from labelcore.store.base import NO_CONTENTS, Contents
from labelcore.store.memory import MemoryStore
from tests.answering import answer_draws
from tests.grouped import grouped, grouped_frame

FRAME = grouped_frame(120, shares=(0.6, 0.4))
OTHER = "another project"


class Telling(MemoryStore):
    """Before each append it says ``tells`` once: a conflict, that its token is there already since
    it was stored a moment ago, or that a token is there in another project."""

    def __init__(self, tells: str = "") -> None:
        super().__init__()
        self.tells, self.told = tells, 0

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        if not events:
            return super().append(project, events, contents)
        again, self.told = self.told == events[0].sequence, events[0].sequence
        tokens = [one for one in events if one.token or one.answers]
        if self.tells == "conflict" and not again:
            raise ConflictError(events[0].sequence, events[0].sequence)
        if self.tells == OTHER and tokens:
            raise RepeatedTokenError(tokens[0], OTHER)
        super().append(project, events, contents)
        if self.tells == "stored" and tokens:
            raise RepeatedTokenError(tokens[0], project)


def people(session: lc.Session) -> Iterator[Any]:
    """All that several people do to a project of two readers."""
    yield session.introduce("Ann", "ann")
    first = session.next("ann")
    yield first
    assert first is not None
    yield session.answer(first, "yes")
    yield session.answer(first.token, "yes")
    yield session.take(3, "bob")
    page = session.page(4, "ann")
    yield page
    yield session.answer_page(dict.fromkeys(page[:3], "no"))
    yield session.release(page[3])
    yield session.release(page[3])
    yield session.undo_page("ann")
    yield session.undo("bob")
    for who, said in (("ann", "yes"), ("bob", "no"), ("eve", "unsure")):
        answer_draws(session, said, 4, who=who)
    yield session.undo("eve")
    yield session.note(1, "odd one", "ann"), session.flag(1, annotator="ann")
    yield session.explain(1, "question", "ann")
    yield session.revise(1, "no", "token of one", annotator="ann")
    yield session.revise(1, "no", "token of one", annotator="ann")
    for judged in session.unsettled()[:2]:
        yield session.settle(judged.first.item_id, "no", "eve", "it is none")
    yield session.reword(question="Is it?"), session.reword(question="Is it?")
    yield session.second_pass(3)
    answer_draws(session, "no", 2, who="ann")
    yield session.extend(budget=60)
    yield session.finish("enough", "ann"), session.finish("enough", "ann")


def told(tells: str) -> list[Any]:
    """What each step gave, then the log: without times, hashes and salts, and with tokens called
    after the event that they are of."""
    plan = lc.Plan("simple_random", ["accuracy"], classifier="m", budget=40, overlap=0.9, seed=3)
    session = lc.Session(grouped(FRAME), plan, Telling(tells))
    found = json.dumps([*map(plain, people(session)), plain(session.events)], default=str)
    for event in session.events:
        found = found.replace(event.token or "-", f"of {event.sequence}")
    return list(json.loads(found))


def plain(found: Any) -> Any:
    if isinstance(found, list | tuple):
        return [plain(one) for one in found]
    fields = asdict(found) if is_dataclass(found) else {"": found}
    if "detail" in fields:
        fields["detail"].pop("content", None)
    return {name: value for name, value in fields.items() if name not in ("at", "hash", "shown_at")}


@pytest.mark.parametrize("tells", ["conflict", "stored"])
def test_a_method_gives_the_same_when_a_store_tells_of_another_writer(tells: str) -> None:
    assert told(tells) == told("")


def test_a_token_of_another_project_is_refused() -> None:
    """It was taken for the answer of this one: what was changed here was lost without a word."""
    store = Telling()
    plan, items = lc.Plan("simple_random", ["accuracy"], classifier="m", budget=9), grouped(FRAME)
    sessions = [lc.Session(items, plan, store, name) for name in ("one", "two")]
    for session in sessions:
        answer_draws(session, "yes", 2)
    assert sessions[0].revise(1, "no", "mine").label == "no"
    before = len(sessions[1].events)
    with pytest.raises(AnswerError, match="of project 'one' already has token 'mine': make up"):
        sessions[1].revise(1, "no", "mine")
    for session in sessions:  # Each has the same numbers of events.
        changed = Answered(1, None, session.events[3].item_id, "no")
        assert store_answers(session, [changed], change=True) == {1: Outcome.CHANGED}
        assert [row.answer for row in session.history()].count("no") == 1 + (session is sessions[0])
    draw, page = sessions[1].next(), sessions[1].page(3)
    assert draw is not None
    given = len(sessions[1].events)
    store.tells = OTHER
    acts: list[Callable[[], object]] = [
        lambda: sessions[1].answer(draw, "yes"),
        lambda: sessions[1].answer_page(dict.fromkeys(page, "yes")),
        lambda: sessions[1].take(5),
        lambda: sessions[1].next("bob"),
    ]
    for act in acts:
        with pytest.raises(AnswerError, match=f"of project '{OTHER}' already has token"):
            act()
    assert len(sessions[1].events) == given > before
