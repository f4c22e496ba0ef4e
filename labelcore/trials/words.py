"""What a trial is called, asks and rests on: what is said before any of its data is made."""

from typing import NamedTuple


class Words(NamedTuple):
    """label: for the screen; data: what is real of it, and what is invented."""

    label: str
    question: str
    data: str


WORDS = {
    "digits": Words("Handwritten digits", "Is this a 3?", "Real handwriting, real classifiers."),
    "messages": Words(
        "Short messages", "Is this message spam?", "Invented messages, a real classifier."
    ),
    "judged": Words(
        "Judge audit", "Is this answer right?", "Answers of five small programs, a careless judge."
    ),
}
