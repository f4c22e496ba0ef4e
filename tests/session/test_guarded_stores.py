"""The guard is the same whatever a store is kept in: seals, backups, the way back, dumps."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import StoreError
from labelcore.replay import replay_project
from labelcore.session.backups import rehearse, restore
from labelcore.session.dumps import dump, load, read_dump
from labelcore.session.integrity import verify
from labelcore.store import backups, guard
from tests.report.sessions import session_on, write_items


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "postgresql":
        return str(request.getfixturevalue("postgres_url"))
    return f"sqlite:///{tmp_path / 'labels.db'}"


@pytest.fixture
def session(url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[lc.Session]:
    monkeypatch.setattr(guard, "SEAL_SECONDS", 0.0)
    write_items(tmp_path / "items.csv")
    session = session_on(tmp_path / "items.csv", store=url)
    yield session
    session.store.close()


def label(session: lc.Session, number: int) -> None:
    for _ in range(number):
        draw = session.next()
        assert draw is not None
        session.answer(draw, "yes" if draw.index % 3 else "no")


def newest(session: lc.Session) -> Path:
    """The first automatic backup, as soon as it is there."""
    until, place = time.monotonic() + 30, session.store.guarded
    assert place is not None
    while not (made := backups(place)):
        assert time.monotonic() < until, session.store.problem
        time.sleep(0.02)
    return made[0]


def test_a_backup_is_rehearsed_and_put_back_while_somebody_labels(
    session: lc.Session, url: str, capsys: pytest.CaptureFixture[str]
) -> None:
    label(session, 1)
    backup = newest(session)
    label(session, 4)
    done = rehearse(None, url, replay_project)
    (one,) = done.differences or ()
    assert done.sound and done.backup == backup and (one.lost_answers, one.back) == (4, 0)
    assert main(["restore", "--rehearse", "--store", url]) == 0
    assert "would have lost" in capsys.readouterr().out
    assert len(session.store.events("spam")) == len(session.events), "nothing was changed"
    with pytest.raises(StoreError, match="would lose it: 'spam'"):
        restore(None, url)
    put_back = restore(None, url, force=True)
    assert put_back.aside is not None and put_back.projects[0].answers == 1
    with pytest.raises(StoreError, match="replaced"):
        label(session, 2)
    again = lc.Session.open(url, "spam")
    label(again, 1)
    assert again.labels == 2 and not again.broken_at
    again.store.close()
    assert verify(url).whole


def test_backups_made_while_four_label_are_beginnings_of_the_log(
    session: lc.Session, url: str, tmp_path: Path
) -> None:
    ended, files = threading.Event(), []

    def labels(name: str) -> None:
        one = lc.Session.open(url, "spam")
        for _ in range(6):
            if draw := one.next(annotator=name):
                with suppress(ValueError):
                    one.answer(draw, "yes", annotator=name)
        one.store.close()

    people = [threading.Thread(target=labels, args=(name,)) for name in "abcd"]
    for one in people:
        one.start()
    while any(one.is_alive() for one in people):
        files.append(tmp_path / f"copy-{len(files)}.db")
        session.store.backup(files[-1])
    ended.set()
    log = session.store.events("spam")
    for file in files:
        done = rehearse(file, url, replay_project)
        with closing(lc.open_store(f"sqlite:///{file}", create=False)) as copy:
            kept = copy.events("spam")
        assert done.sound and kept == log[: len(kept)], done.disagreeing


def test_a_dump_is_exact_or_refused(session: lc.Session, url: str, tmp_path: Path) -> None:
    label(session, 5)
    session.store.person("spam", "a key", "2026-01-01T00:00:00+00:00")
    lines: list[str] = []
    assert dump(session.store, lines.append) == 1
    with closing(lc.open_store(f"sqlite:///{tmp_path / 'loaded.db'}")) as there:
        assert load(lines, there)[0].events == len(session.store.events("spam"))
        for ask in ("events", "contents", "keys"):
            assert getattr(there, ask)("spam") == getattr(session.store, ask)("spam")
        assert load(lines, there)[0].events == 0, "again adds what is new"
    turned = [one.replace('"label": "yes"', '"label": "no"') for one in lines]
    for bad in (lines[:-1], lines[:3], lines[1:], [*lines[:2], *lines[3:]], turned, ["x"], []):
        with pytest.raises(StoreError, match="no whole dump"):
            read_dump(bad)
