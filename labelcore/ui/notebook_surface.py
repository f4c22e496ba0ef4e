"""What a notebook's widget shows of a session, and what is pressed there: the surface of Label."""

from collections.abc import Mapping
from typing import Any

from labelcore.charts.design import both
from labelcore.errors import AnswerError
from labelcore.log.events import answer_word
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.results.base import Result
from labelcore.results.types import Estimate
from labelcore.safe_text import one_line
from labelcore.session.session import Session
from labelcore.ui import surface
from labelcore.ui.actions import TOO_LATE
from labelcore.ui.answers import answers_shown
from labelcore.ui.labelling import ahead_of, drawn_item
from labelcore.ui.scripts import text_of
from labelcore.ui.status import counts, progress_parts, shown_word
from labelcore.words.short_sentences import short_sentence

SCRIPT = surface.SCRIPT.module.replace("\nexport default ", "\nconst drawn = ") + text_of(
    "notebook.js"
)
STYLE = "".join(
    [
        f".lc-notebook {{ {both('ground', 'panel', 'ink', 'border', 'data')} ",
        f"{both('warn', 'data-3', 'data-5', 'data-6')} }}\n",
        *map(text_of, ("surface.css", "rich.css", "notebook.css")),
    ]
)


class Bench:
    """What the surface is told of a session, and what its presses do; of one person, one item at a
    time."""

    def __init__(self, session: Session, annotator: str = DEFAULT_ANNOTATOR) -> None:
        self.session, self.annotator = session, annotator
        self.done, self.refused = "", ""

    def shown(self) -> dict[str, Any]:
        """As ``surface`` takes it, and ``sentence``: what the labels say so far."""
        session = self.session
        draw = None if session.status.over else session.next(self.annotator)
        last = session.last_answer(self.annotator)
        saved = f"Saved: {one_line(shown_word(answer_word(last)), 60)}" if last else ""
        answers = answers_shown(session) if draw else None
        now = counts(session).together()
        undo = {"act": "undo", "words": "Undo", "key": "U", "off": not last or session.status.over}
        first = next(iter(session.results().values()), None)
        return {
            "head": {
                "question": one_line(session.settings.get("question") or session.project, 300),
                "said": progress_parts(now, None),
                "share": now.share,
            },
            "item": drawn_item(session, draw) if draw else None,
            "answers": answers,
            "ahead": ahead_of(session, draw, answers) if draw and answers else None,
            "tools": {
                "saved": self.refused or saved or "Nothing saved yet",
                "last": last.sequence if last else 0,
                "note": "",
                "buttons": [undo],
            },
            "done": self.done,
            "sentence": _said(first) if first else "",
        }

    def take(self, press: Mapping[str, Any]) -> None:
        """A press, once, however often it arrives."""
        if press["id"] == self.done:
            return
        self.done, self.refused = str(press["id"]), ""
        try:
            if press["act"] == "answer":
                event = self.session.answer(
                    str(press["token"]), str(press["answer"]), annotator=self.annotator
                )
                self.refused = TOO_LATE if event.kind == "late" else ""
            elif press["act"] == "undo":
                self.session.undo(self.annotator)
        except AnswerError:
            self.refused = TOO_LATE


def _said(first: Result) -> str:
    return short_sentence(first) if isinstance(first, Estimate) else first.sentence()
