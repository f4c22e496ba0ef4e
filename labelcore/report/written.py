"""A report as a file: the suffix says which form it has."""

import os
from collections.abc import Callable
from pathlib import Path

from labelcore.report.data import report_json
from labelcore.report.markdown import report_markdown
from labelcore.report.page import report_html
from labelcore.report.pdf import report_pdf, report_png
from labelcore.report.spreadsheet import report_xlsx
from labelcore.report.tables import estimates_csv
from labelcore.session.session import Session
from labelcore.whole_file import whole_file

# The suffix of a report -> what makes its bytes.
REPORT_FORMS: dict[str, Callable[[Session], bytes]] = {
    ".html": lambda session: report_html(session).encode(),
    ".pdf": report_pdf,
    ".png": report_png,
    ".xlsx": report_xlsx,
    ".md": lambda session: report_markdown(session).encode(),
    ".json": lambda session: report_json(session).encode(),
    ".csv": lambda session: estimates_csv(session).encode(),
}


def write_report(session: Session, path: str | Path) -> Path:
    """Write the report on a session: ".html" is one page that needs no network, ".pdf" the same on
    A4 without what is folded, ".png" its answer and figures as a picture for slides, ".md" its
    words and tables, ".json" holds everything machine readable, ".xlsx" sentences, estimates and
    labels, ".csv" the estimates, one to a row.

    Parameters
    ----------
    session
        An open or a finished session; the page of an open one says that it is interim.
    path
        The file to write; one that is there is replaced, once the new one is whole.

    Returns
    -------
    Path
        The file written.

    Raises
    ------
    ValueError
        The suffix is another one; the message lists those that can be written.
    FileNotFoundError
        The folder of the file does not exist.

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"},
    ...     predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("simple_random", ["accuracy"], budget=50))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "yes")
    >>> lc.write_report(session, "report.html").name
    'report.html'
    """
    if not isinstance(session, Session):
        raise TypeError(f"session must be a labelcore.Session, got {session!r}")
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be text or a Path, got {path!r}")
    file, suffix = Path(path), Path(path).suffix.lower()
    if suffix not in REPORT_FORMS:
        raise ValueError(
            f"path: a report is written as {', '.join(REPORT_FORMS)}, got {file.name!r}; "
            "choose one of these suffixes"
        )
    if not file.parent.is_dir():
        raise FileNotFoundError(f"path: the folder {str(file.parent)!r} does not exist")
    content = REPORT_FORMS[suffix](session)
    with whole_file(Path(os.path.realpath(file)), shared=True) as stream:
        stream.write(content)
    return file
