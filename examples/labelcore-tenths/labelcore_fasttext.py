"""Labels as fastText reads them to train: "__label__yes win a prize", a line for each item."""

from labelcore.exchange.labelled import LabelledForm
from labelcore.exchange.rows import labelled_rows
from labelcore.session.session import Session


def lines(session: Session) -> bytes:
    """The labelled items; those without a class have no line."""
    found = []
    for row, content in labelled_rows(session):
        if row["answer"] is not None:
            text = " ".join(" ".join(content.values()).split())
            found.append(f"__label__{row['answer'].replace(' ', '_')} {text}\n")
    return "".join(found).encode()


FORM = LabelledForm(lines, "fastText", (".txt",))
