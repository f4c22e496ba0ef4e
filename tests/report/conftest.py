"""One finished session, its file and its bundle, made once."""

from dataclasses import dataclass
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.report import bundle_zip
from tests.report.sessions import label, session_on, write_items


@dataclass(frozen=True)
class Made:
    items: Path
    session: lc.Session
    bundle: Path


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Treat as read-only."""
    folder = tmp_path_factory.mktemp("made")
    items = folder / "items.csv"
    truth = write_items(items)
    session = session_on(items, settings={"question": "Is this spam?", "title": "Spam filter"})
    label(session, truth, 75, looks=15)
    session.finish("enough is known")
    bundle = folder / "bundle.zip"
    bundle.write_bytes(bundle_zip(session))
    return Made(items, session, bundle)
