"""What a notebook shows of a session."""

from collections.abc import Sequence
from html import escape

from labelcore.results.base import Result

IN_DATABASE = "A person labels in the browser: labelcore app --store, with the database's address."
"""That address may hold a password."""
IN_BROWSER = {
    "sqlite": "A person labels in the browser: labelcore app --store {url}",
    "memory": 'Kept in memory: with store="sqlite:///labels.db" a person labels it in the browser.',
}


def in_notebook(name: str, results: Sequence[Result], url: str) -> str:
    """How far the session is, every result, and where a person labels, as HTML."""
    kind = url.partition(":")[0]
    where = IN_BROWSER.get(kind, IN_DATABASE).format(url=url)
    lines = name, *(result.sentence() for result in results), where
    return "".join(f"<p>{escape(line)}</p>" for line in lines)
