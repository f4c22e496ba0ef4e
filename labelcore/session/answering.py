"""Answers to what was drawn: given, changed, taken back, settled. Each is an event of its own."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from labelcore.errors import AnswerError, LateAnswerError
from labelcore.log.events import Draw, Event, answer_word
from labelcore.log.repeats import LATER, Judged
from labelcore.log.rules import comes_late
from labelcore.log.screens import Shown, page_order
from labelcore.session.ledger import Ledger, placed


class Answering:
    """Answers to the draws of a ledger."""

    def __init__(self, ledger: Ledger) -> None:
        self.ledger = ledger
        self.state, self.engine = ledger.state, ledger.state.engine

    def shown(self, draw: Draw | str, annotator: str | None) -> Shown:
        """The draw as it was put before this person; AnswerError where it was not."""
        token = draw.token if isinstance(draw, Draw) else draw
        self.ledger.sync()
        shown = self.state.screens.shown.get(token)
        if shown is None:
            raise AnswerError(f"the answer belongs to no item that was shown: token {token!r}")
        if annotator is not None and self.ledger.spelled(annotator) != shown.annotator:
            raise AnswerError(
                f"item {shown.draw.index} was given to {shown.annotator!r}, and {annotator!r} "
                "cannot answer for another person"
            )
        return shown

    def answer(self, shown: Shown, kind: str, label: str | None) -> Event:
        """Store an answer, unless its draw has one: the event that answers the draw."""
        token = shown.draw.token

        def build() -> Event | None:
            return None if token in self.state.answered else self._event(shown, kind, label)

        done = self.state.answered.get(token) or self.ledger.write(build)
        return done or self.state.answered[token]

    def answer_page(self, given: Sequence[tuple[Shown, str, str | None]]) -> list[Event]:
        """Store answers to several draws, all of them or none, in the order of the draws; one that
        is there already is left out. The events that answer the draws, in that order. AnswerError
        for two answers to one item: what the second is depends on the first."""
        ordered = sorted(given, key=lambda answer: page_order(answer[0].draw))

        def build() -> list[Event]:
            new = [one for one in ordered if one[0].draw.token not in self.state.answered]
            for index, times in Counter(shown.draw.index for shown, _, _ in new).items():
                if times > 1:
                    raise AnswerError(
                        f"item {index} has {times} answers here: answer its draws one after another"
                    )
            return [self._event(*one) for one in new]

        self.ledger.write_together(build)
        return [self.state.answered[shown.draw.token] for shown, _, _ in ordered]

    def _event(self, shown: Shown, kind: str, label: str | None) -> Event:
        draw = shown.draw
        about = {**placed(draw), "answers": draw.token, "shown_at": shown.at}
        event = self.ledger.event(kind, shown.annotator, label=label, **about)
        if comes_late(self.state, shown) and kind != LATER:
            kind, before = "late", self.engine.in_force(draw.index)
        elif draw.repeat:
            kind, before = "reread", self.engine.repeats.first(draw.index)
        else:
            return event
        return replace(
            event,
            kind=kind,
            text=None if label else event.kind,
            previous=None if before is None else before.sequence,
        )

    def as_answered(self, event: Event, answer: str) -> Event:
        """The event that answers a draw; LateAnswerError where that was another answer."""
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

    def revise(self, index: int, answer: object, token: str, annotator: str) -> Event:
        """Store another answer to an item in place of the one in force."""
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
            about = {**placed(before), "previous": before.sequence}
            return self.ledger.event(kind, annotator, answers=token, label=label, **about)

        return self.ledger.write(build) or self.state.answered[token]

    def undo(self, annotator: str) -> Event | None:
        """Take back a person's newest answer in force; None if there is none."""

        def build() -> Event | None:
            last = self.last(annotator)
            return None if last is None else self._undone(last)

        return self.ledger.write(build)

    def undo_page(self, annotator: str) -> int:
        """Take back all that a person answered together with their newest answer in force; how many
        answers that were."""
        taken: list[Event] = []

        def build() -> list[Event]:
            taken[:] = self.last_page(annotator)
            return [self._undone(answer) for answer in taken]

        self.ledger.write_together(build)
        return len(taken)

    def _undone(self, answer: Event) -> Event:
        kind = "reread_undone" if answer.kind == "reread" else "undone"
        about = {**placed(answer), "previous": answer.sequence}
        return self.ledger.event(kind, answer.annotator, **about)

    def last_page(self, annotator: str) -> list[Event]:
        """A person's newest answer in force and those stored with it, the newest first: only
        answers of one page have the same time."""
        last = self.last(annotator)
        if last is None:
            return []
        until, name = reversed(self.ledger.events[: last.sequence]), last.annotator
        together = takewhile(lambda event: event.at == last.at, until)
        return [
            event for event in together if event.annotator == name and self.state.in_force(event)
        ]

    def last(self, annotator: str | None) -> Event | None:
        """A person's newest answer in force, anybody's for None."""
        name = None if annotator is None else self.ledger.spelled(annotator)
        for event in reversed(self.ledger.events):
            if name in (None, event.annotator) and self.state.in_force(event):
                return event
        return None

    # --- several people ----------------------------------------------------------------------

    def settle(self, item_id: str, answer: object, annotator: str, reason: str) -> Event:
        """Store which answer counts for an item that people judge differently."""
        _, label = self.engine.kind_of(answer)

        def build() -> Event:
            judged = self._judged(item_id)
            asked = self.state.asked(judged.index)
            return self.ledger.event(
                "settled",
                annotator,
                index=judged.index,
                item_id=item_id,
                stratum=asked.stratum,
                batch=asked.batch,
                label=label,
                text=reason,
                detail={"answers": judged.sequences},
            )

        stored = self.ledger.write(build)
        assert stored is not None
        return stored

    def _judged(self, item_id: str) -> Judged:
        for judged in self.engine.repeats.judged():
            if judged.first.item_id == item_id:
                return judged
        raise AnswerError(f"item {item_id!r} was not judged by a second person")

    def differing(self, index: int) -> Judged | None:
        """The answers to an item that everybody has judged, not all alike."""
        judged = self.engine.repeats.judged() if self.engine.repeats.others else []
        entry = next((entry for entry in judged if entry.index == index), None)
        return entry if entry and entry.complete and entry.differs else None

    def own_reading(self, index: int, annotator: str) -> Event | None:
        """What a person answered to an item that another one had judged before."""
        repeats = self.engine.repeats
        name = self.ledger.spelled(annotator)
        reading = repeats.further(index, name) if repeats.others else None
        return None if reading is None or answer_word(reading) == LATER else reading
