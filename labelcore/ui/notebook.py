"""Labelling under the cell of a notebook, as a widget."""

import logging
from collections.abc import Mapping
from typing import Any

from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.session.session import Session

ANYWIDGET = "labelling in a notebook needs the package anywidget: pip install 'labelcore[notebook]'"
CACHES = "streamlit.runtime.caching.cache_data_api"


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

    Examples
    --------
    >>> import labelcore as lc
    >>> def cell(session: lc.Session) -> object:
    ...     return lc.label(session, annotator="ann")
    """
    try:
        import anywidget
        import traitlets
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(ANYWIDGET, name=error.name) from None
    # Without its server Streamlit says of every cache, in red, that it keeps it in memory.
    logging.getLogger(CACHES).addFilter(lambda entry: "No runtime found" not in entry.getMessage())
    from labelcore.ui.notebook_surface import SCRIPT, STYLE, Bench

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
