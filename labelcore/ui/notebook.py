"""Labelling under the cell of a notebook: the surface of the page Label as a widget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from labelcore.charts.design import both
from labelcore.errors import AnswerError
from labelcore.log.events import answer_word
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.results.base import Result
from labelcore.results.types import Estimate
from labelcore.session.session import Session
from labelcore.ui import surface
from labelcore.ui.actions import TOO_LATE
from labelcore.ui.answers import answers_shown
from labelcore.ui.facts import counts, progress_parts, shown_word
from labelcore.ui.labelling import ahead_of, view_of
from labelcore.ui.plain import one_line
from labelcore.ui.scripts import text_of
from labelcore.words.short import short_sentence

ANYWIDGET = "labelling in a notebook needs the package anywidget: pip install 'labelcore[notebook]'"
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
            "item": surface.shown_item(
                f"{draw.index}{' again' * draw.repeat}",
                view_of(session, session.item(draw)),
                draw.token,
            )
            if draw
            else None,
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
                said = self.session.answer(
                    str(press["token"]), str(press["answer"]), annotator=self.annotator
                )
                self.refused = TOO_LATE if said.kind == "late" else ""
            elif press["act"] == "undo":
                self.session.undo(self.annotator)
        except AnswerError:
            self.refused = TOO_LATE


def _said(first: Result) -> str:
    return short_sentence(first) if isinstance(first, Estimate) else first.sentence()


def label(session: Session, annotator: str = DEFAULT_ANNOTATOR) -> Any:
    """Label under the cell of a notebook, with the keys and buttons of the app's page *Label*.

    Parameters
    ----------
    session
        what is labelled; its answers are in its store at once, and in ``session.results()``
    annotator
        who labels

    Returns
    -------
    anywidget.AnyWidget
        A notebook shows it as the last line of a cell; keys count while it has the focus.

    Raises
    ------
    ModuleNotFoundError
        The package anywidget is not installed: ``pip install 'labelcore[notebook]'``.
    """
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(ANYWIDGET, name=error.name) from None
    bench = Bench(session, annotator)

    class Labelling(anywidget.AnyWidget):  # type: ignore[misc]
        _esm, _css = SCRIPT, STYLE
        data = traitlets.Dict().tag(sync=True)

    widget = Labelling(data=bench.shown())

    def pressed(_: object, press: Mapping[str, Any], buffers: object) -> None:
        bench.take(press)
        widget.data = bench.shown()

    widget.on_msg(pressed)
    return widget
