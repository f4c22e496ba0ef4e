"""What was erased is in no byte that the product has, and the log and its figures are as before."""

import json
import os
import re
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from datetime import datetime, timedelta
from errno import ENOSPC
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any
from unittest.mock import Mock, patch

import pyarrow as pa
import pytest

import labelcore as lc
from labelcore.cli import main
from labelcore.errors import BrokenLogWarning, StoreBusyError, StoreNotWritableError
from labelcore.log.events import Event, genesis, sound_part
from labelcore.log.kinds import KINDS, Mark
from labelcore.log.rules import Kind
from labelcore.population.read import source_now
from labelcore.replay import replay_bundle, replay_project
from labelcore.report import bundle_zip, events_csv
from labelcore.session import backups as backups_of
from labelcore.session import copying, erasing
from labelcore.session.backups import back_up, restore
from labelcore.session.copying import copy_project
from labelcore.session.dumps import dump, load, read_dump
from labelcore.session.erased_names import is_name, unnamed
from labelcore.session.erasing import (
    erase_again,
    erase_items,
    erase_person,
    erase_project,
    of_same_file,
)
from labelcore.session.integrity import verify
from labelcore.session.item_texts import TEXT_GONE
from labelcore.session.managing import duplicate
from labelcore.session.prepared import place
from labelcore.session.retention import Retained, carry_out_retention, set_retention
from labelcore.store import (
    Gone,
    ProjectRecord,
    add_gone,
    back_up_now,
    backups,
    identity_of,
    kept,
    note_written,
    read_erased,
)
from labelcore.store import erased as erased_list
from labelcore.store.sqlite import SqliteStore
from tests.answering import next_draw
from tests.report.sessions import session_on, write_items
from tests.stores import tamper, url

WHY = {"who": "Data Protection", "why": "asked for on 3 May"}


def holding(folder: Path, text: str) -> list[str]:
    """The files below a folder in which a text stands, as it is, as JSON has it, or packed."""
    wanted = {text.encode(), json.dumps(text)[1:-1].encode()}

    def held(content: bytes) -> bool:
        return any(one in content for one in wanted)

    found = []
    for file in folder.rglob("*"):
        if not file.is_file():
            continue
        content = [file.read_bytes()]
        if zipfile.is_zipfile(file):
            with zipfile.ZipFile(file) as packed:
                content += [packed.read(name) for name in packed.namelist()]
        elif file.suffix == ".contents":
            with pa.ipc.open_file(pa.memory_map(str(file))) as reader:
                content += [str(reader.get_batch(n).to_pydict()).encode()
                            for n in range(reader.num_record_batches)]  # fmt: skip
        if any(map(held, content)):
            found.append(file.name)
    return sorted(found)


def text_of(item: str) -> str:
    """None is part of another one."""
    return f"Case {int(item.removeprefix('m')):04d} of the caf\u00e9 ward"


def label(session: lc.Session, number: int, annotator: str = "me") -> list[str]:
    asked = []
    for _ in range(number):
        draw = next_draw(session, annotator)
        session.answer(draw, "yes" if int(draw.item_id[1:]) % 3 else "no", annotator=annotator)
        asked.append(draw.item_id)
    return asked


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder that is the product's; the file of items and what was taken home lie beside it."""
    (tmp_path / "home").mkdir()
    file = tmp_path / "items.csv"
    write_items(file)
    file.write_text(re.sub(r"message (\d+)", lambda found: text_of(found[1]), file.read_text()))
    return tmp_path / "home"


@pytest.fixture
def session(home: Path) -> Iterator[lc.Session]:
    made = session_on(home.parent / "items.csv", store=url(home / "labels.db"))
    yield made
    made.store.close()


def figures(session: lc.Session) -> list[object]:
    return [one.to_dict() for one in session.results().values()]


def test_texts_are_in_no_byte_and_figures_are_as_before(session: lc.Session, home: Path) -> None:
    asked = label(session, 36)  # Beyond the half of the labels, where content cuts the strata.
    gone = asked[:3]
    texts = [text_of(one) for one in gone]
    session.note(2, f"odd: {texts[1]}")
    back_up_now(home / "labels.db", session.store.backup)
    bundle = home / "spam.zip"
    bundle.write_bytes(bundle_zip(session))
    (home / "labels.jsonl").write_text("\n".join(texts))
    for one in (bundle, home / "labels.jsonl"):
        note_written(home / "labels.db", one)
    before, seal = figures(session), session.events[-1].hash
    assert all(len(holding(home, one)) >= 4 for one in texts)

    done = erase_items(session.store, "spam", gone, **WHY)
    assert done.items == 3 and done.events == 1 and not bundle.exists()
    assert str(home.parent / "items.csv") in done.left[0]
    assert [holding(home, one) for one in texts] == [[], [], []]

    event = session.store.events("spam")[-1]
    assert (event.kind, event.annotator, event.text) == ("erased", WHY["who"], WHY["why"])
    assert event.detail["items"] == gone and session.store.events("spam")[-2].hash == seal
    session.sync()
    assert session.item_by_id(gone[0]) == {"text": TEXT_GONE} and figures(session) == before
    again = lc.Session.open(session.store, "spam")
    assert figures(again) == before and again.item_by_id(gone[0]) == {"text": TEXT_GONE}
    assert again.population.content(asked[5])["text"] == text_of(asked[5])
    assert source_now(again.population) == "", "the file is as it was read"
    assert verify(url(home / "labels.db")).whole
    replayed = replay_project(session.store, "spam")
    assert replayed.erased == 3 and replayed.draws >= 36
    assert "Erased: 3 texts and words of 1 event" in " ".join(replayed.stages)
    bundle.write_bytes(bundle_zip(again))
    assert replay_bundle(bundle, home.parent / "items.csv").erased == 3
    assert [holding(home, one) for one in texts] == [[], [], []], "nor in its report"
    label(again, 6)  # It goes on, also over the cut of the strata by what the items said.
    assert replay_project(session.store, "spam").erased == 3


def test_erased_while_it_is_judged_and_before_it_is_drawn(session: lc.Session, home: Path) -> None:
    label(session, 5)
    open_draw = next_draw(session, "ann")
    ahead = set(session.population._ids.all()) - {e.item_id for e in session.events}
    erase_items(session.store, "spam", [open_draw.item_id, *ahead], **WHY)
    event = session.answer(open_draw, "yes", annotator="ann")  # Read before it was erased.
    assert event.kind == "labelled"
    assert session.next("ann") is None, "each of the others was counted as broken"
    kinds = {one.item_id: one.kind for one in session.events if one.answers}
    assert {kinds[one] for one in kinds if one in ahead} == {"broken"}
    assert replay_project(session.store, "spam").erased == len(ahead) + 1
    alone = session_on(home.parent / "items.csv")  # In memory, without a copy of the items.
    assert erase_items(alone.store, "spam", label(alone, 1), **WHY).items == 1


def test_every_text_is_that_of_an_item_drawn_meanwhile_too(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(session, 3)
    drawn: list[str] = []

    def listed_while_others_draw(*given: Any) -> None:
        add_gone(*given)
        drawn.append(next_draw(session, "bob").item_id)

    monkeypatch.setattr("labelcore.session.erasing.add_gone", listed_while_others_draw)
    erase_items(session.store, "spam", None, **WHY)
    assert drawn and holding(home, text_of(drawn[0])) == []
    assert verify(url(home / "labels.db")).whole and replay_project(session.store, "spam").erased


def test_what_is_erased_before_the_first_draw_is_asked_of_nobody(session: lc.Session) -> None:
    erase_items(session.store, "spam", None, **WHY)
    (event,) = session.store.events("spam")
    assert (event.kind, event.detail["items"], event.detail["every"]) == ("erased", [], True)
    assert erase_items(session.store, "spam", None, **WHY).events == 0
    duplicate(session.store, "spam", "again")
    assert lc.Session.open(session.store, "again").next() is None
    place = session.store.guarded
    assert place is not None and not read_erased(place).unclean, "nothing is left to be done"
    session.sync()
    assert session.next() is None, "each was counted as broken"


def test_where_the_items_were_read_is_told_of_an_address_too(session: lc.Session) -> None:
    source = json.loads(session.store.project("spam").population_json)
    there = json.dumps(source | {"address": "s3://bucket/items.csv"})
    session.store.update("spam", population_json=there)
    left = erase_items(session.store, "spam", label(session, 1), **WHY).left
    assert left[0] == "s3://bucket/items.csv, where the items were read"


@pytest.mark.parametrize("kept", [True, False])
def test_an_upload_goes_unless_a_project_still_reads_it(
    session: lc.Session, home: Path, kept: bool
) -> None:
    (home / "files").mkdir()
    store, upload = session.store, home / "files" / "items.csv"
    write_items(upload, 40)
    for name in ("one", "two"):
        uploaded = session_on(upload, store=store, project=name, budget=20)
    source = json.loads(store.project("two").population_json)
    if not kept:
        store.update("two", population_json=json.dumps({**source, "kept": "a/gone"}))
    left = erase_items(store, "one", [uploaded.population.id_at(0)], **WHY).left
    assert upload.exists() == (f"{upload}, where the items were read" in left) == (not kept)


def test_what_was_written_and_changed_since_stays_and_is_told(
    session: lc.Session, home: Path
) -> None:
    asked, files = label(session, 2), [home.parent / "a.html", home.parent / "b.html"]
    for file in files:
        file.write_text("a report")
        note_written(home / "labels.db", file)
    files[0].write_text("another one")
    for item in asked:
        done = erase_items(session.store, "spam", [item], **WHY)
        assert f"{files[0]}, written from it and changed since" in done.left
    assert [file.exists() for file in files] == [True, False]


def test_a_file_that_has_changed_is_the_same_file(session: lc.Session, home: Path) -> None:
    """What is erased of an item goes from both projects of it."""
    file = home.parent / "items.csv"
    file.write_text(file.read_text().replace(text_of("m1"), text_of("m9999")))
    later = session_on(file, store=session.store, project="later")
    assert later.population.fingerprint != session.population.fingerprint
    assert [one.name for one in of_same_file(session.store, "spam")] == ["later"]
    write_items(home.parent / "others.csv", 40)
    session_on(home.parent / "others.csv", store=session.store, project="another")
    assert [one.name for one in of_same_file(session.store, "later")] == ["spam"]


def test_several_may_erase_and_write_reports_at_once(session: lc.Session, home: Path) -> None:
    """What one lists is not lost to another, and no one removes the backup that another makes."""
    asked, place = label(session, 24), home / "labels.db"

    def erased(items: list[str]) -> None:
        with closing(lc.open_store(url(place))) as store:
            for item in items:
                erase_items(store, "spam", [item], **WHY)

    with ThreadPoolExecutor(4) as pool:
        tasks = [pool.submit(erased, asked[first::4]) for first in range(4)]
        while not all(task.done() for task in tasks):
            note_written(place, home.parent / "items.csv")
        for task in tasks:
            task.result()
    listed = {item for gone in read_erased(place).gone for item in gone.items}
    assert listed == set(asked) and verify(url(place)).whole
    assert [one for one in asked if holding(home, text_of(one))] == []


def test_an_open_session_hands_on_no_erased_note(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(KINDS, "tagged", Mark("tagged"))
    gone = label(session, 3)
    session.note(1, f"odd: {text_of(gone[0])}")
    tag = {"index": 1, "item_id": gone[0], "text": text_of(gone[0])}
    session.ledger.record("tagged", "bob", **tag)
    session.note(2, "even")
    with closing(lc.open_store(url(home / "labels.db"))) as other:
        erase_items(other, "spam", gone[:1], **WHY)
    session.sync()
    assert session.events == session.store.events("spam")
    assert text_of(gone[0]) not in events_csv(session)
    assert [session.state.said("noted", index) for index in (1, 2)] == ["", "even"]
    assert session.state.said("tagged", 1) == ""
    (home / "b.zip").write_bytes(bundle_zip(session))
    assert holding(home, text_of(gone[0])) == []


def test_before_the_first_label_the_words_of_the_project_stay(home: Path) -> None:
    asked, words = {"question": "Spam, Ann Lee?", "title": "Ann Lee"}, {"title": "erased 1"}
    made = session_on(home.parent / "items.csv", store=url(home / "labels.db"), settings=asked)
    erase_person(made.store, "Ann Lee", **WHY)
    erase_items(made.store, "spam", ["m3"], **WHY)
    label(made, 2)
    again = lc.Session.open(made.store, "spam")
    assert again.settings.keys() == asked.keys() and again.settings["title"] == words["title"]
    assert verify(url(home / "labels.db")).whole and replay_project(made.store, "spam").erased == 1
    made.store.close()


def test_a_second_project_does_not_ask_for_an_erased_text(session: lc.Session) -> None:
    gone = label(session, 3)
    erase_items(session.store, "spam", gone[:2], **WHY)
    duplicate(session.store, "spam", "again")
    again = lc.Session.open(session.store, "again")
    assert again.item(next_draw(again)) == {"text": text_of(gone[2])}
    assert [one.item_id for one in again.events if one.kind == "broken"] == gone[:2]
    erase_items(session.store, "spam", None, **WHY)
    duplicate(session.store, "spam", "none left")
    assert lc.Session.open(session.store, "none left").next() is None
    assert replay_project(session.store, "again").erased == 2


@pytest.mark.parametrize("dumped", [False, True])
def test_copying_again_erases_in_the_copy(session: lc.Session, home: Path, dumped: bool) -> None:
    asked, there = label(session, 10, "Ann Lee"), home.parent / "there"
    session.note(2, f"odd: {text_of(asked[1])}", "Ann Lee")
    copy = lc.open_store(url(there / "copy.db"))
    copy_project(session.store, copy, "spam")
    taken_home = home.parent / "taken.db"
    back_up(copy, taken_home)
    erase_items(session.store, "spam", asked[:2], **WHY)
    erase_person(session.store, "Ann Lee", **WHY)
    erase_items(session.store, "spam", asked[2:3], who="owner", why="the last one")
    label(session, 3, "bob")
    for _ in range(2):  # The second time nothing is new.
        if dumped:
            lines: list[str] = []
            dump(session.store, lines.append)
            load(read_dump(lines), copy)
        else:
            copy_project(session.store, copy, "spam")
    assert {one.why for one in read_erased(there / "copy.db").gone} == {"the last one"}
    gone = [*map(text_of, asked[:3]), "Ann Lee"]
    assert [holding(there, one) for one in gone] == [[]] * 4
    assert copy.events("spam") == session.store.events("spam")
    assert lc.Session.open(copy, "spam").item_by_id(asked[5]) == {"text": text_of(asked[5])}
    erase_items(copy, "spam", asked[5:6], **WHY)
    assert holding(there, text_of(asked[5])) == [] and replay_project(copy, "spam").erased == 4
    copy.close()
    assert verify(url(there / "copy.db")).whole
    restore(taken_home, url(there / "copy.db"), force=True)
    assert [holding(there, one) for one in gone] == [[]] * 4


@pytest.mark.parametrize("what", ["a text", "a name"])
def test_copying_again_takes_over_what_alone_was_erased(
    session: lc.Session, home: Path, what: str
) -> None:
    asked, there = label(session, 3, "Ann Lee"), home.parent / "there"
    with closing(lc.open_store(url(there / "copy.db"))) as copy:
        copy_project(session.store, copy, "spam")
        if what == "a text":
            erase_items(session.store, "spam", asked[:1], **WHY)
        else:
            erase_person(session.store, "Ann Lee", **WHY)
        copy_project(session.store, copy, "spam")
        assert copy.events("spam") == session.store.events("spam")
    assert holding(there, text_of(asked[0]) if what == "a text" else "Ann Lee") == []


def test_a_backup_from_before_is_erased_before_it_is_opened(
    session: lc.Session, home: Path
) -> None:
    asked = label(session, 10, "Ann Lee")
    taken_home = home.parent / "taken" / "backup.db"
    taken_home.parent.mkdir()
    back_up(session.store, taken_home)
    erase_items(session.store, "spam", asked[:2], **WHY)
    erase_person(session.store, "Ann Lee", **WHY)
    assert holding(taken_home.parent, text_of(asked[0])) != []
    session.store.close()
    restore(taken_home, url(home / "labels.db"), force=True)
    for text in (text_of(asked[0]), text_of(asked[1]), "Ann Lee"):
        assert holding(home, text) == []
    again = lc.Session.open(url(home / "labels.db"), "spam")
    assert again.labels == 10 and again.item_by_id(asked[0]) == {"text": TEXT_GONE}
    assert {one.annotator for one in again.events if one.kind == "labelled"} == {"erased 1"}
    assert verify(url(home / "labels.db")).whole and replay_project(again.store, "spam").erased == 2
    again.store.close()

    # And one that somebody puts there by hand.
    for end in ("-wal", "-shm"):
        (home / f"labels.db{end}").unlink(missing_ok=True)
    (home / "labels.db").write_bytes(taken_home.read_bytes())
    with closing(lc.open_store(url(home / "labels.db"))) as store:
        by_hand = lc.Session.open(store, "spam")
        assert by_hand.item_by_id(asked[0]) == {"text": TEXT_GONE}


@pytest.mark.parametrize("name", ["labels [old].db", "labels", "link.db"])
def test_what_was_set_aside_goes_whatever_its_name(home: Path, name: str) -> None:
    """A link stays one: what it leads to gives way. Another name of the store itself, as a restore
    that is killed leaves, is opened by nobody."""
    place, copy, there = home / name, home.parent / "copy.db", home / "disk" / "real.sqlite"
    if name == "link.db":
        there.parent.mkdir()
        place.symlink_to(there)
    session = session_on(home.parent / "items.csv", store=url(place))
    gone, *_ = label(session, 3)
    back_up(session.store, copy)
    session.store.close()
    restore(copy, url(place), force=True)
    assert place.is_symlink() == (name == "link.db") and list(place.resolve().parent.glob("*-bef*"))
    os.link(place.resolve(), place.with_name(f"{place.stem}-before-now{place.suffix}"))
    with closing(lc.open_store(url(place))) as store:
        done = erase_items(store, "spam", [gone], **WHY)
        assert not [line for line in done.left if "before" in line]
        assert len([line for line in done.gone if "set aside" in line]) == 1
    place.write_bytes(copy.read_bytes())  # As somebody may by hand.
    with closing(lc.open_store(url(place))) as store, pytest.warns(BrokenLogWarning):
        assert lc.Session.open(store, "spam").item_by_id(gone) == {"text": TEXT_GONE}
    assert holding(home, text_of(gone)) == []


def test_a_name_goes_and_its_answers_stay_those_of_one_person(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(session, 10, "Ann Lee"), label(session, 10, "bob")
    session.reword("bob", names={"Ann Lee": "Ann Lee", "bob": "Bob"})
    session.note(1, "see Ann Lee about it", "bob")
    monkeypatch.setitem(KINDS, "seen", Kind("seen"))
    session.ledger.record("seen", "bob", text="Ann Lee was here")
    session.finish("said Ann Lee.", "bob")
    before, hashes = figures(session), [one.hash for one in session.events]
    done = erase_person(session.store, "Ann Lee", **WHY)
    assert done.name == "erased 1" and done.events >= 12 and holding(home, "Ann Lee") == []
    again = lc.Session.open(session.store, "spam")
    log = again.events
    assert [one.hash for one in log[:-1]] == hashes and figures(again) == before
    assert sum(one.annotator == "erased 1" and one.kind == "labelled" for one in log) == 10
    assert again.settings["names"] == {"erased 1": "erased 1", "bob": "Bob"}
    assert replay_project(session.store, "spam").answers == 20
    assert verify(url(home / "labels.db")).whole
    with pytest.raises(ValueError, match="stands in a project, got 'Ann Lee'"):
        erase_person(session.store, "Ann Lee", **WHY)

    # A label that is changed under the word of an erasure that does not name it is found.
    changed = [replace(one, label="no") if one.label == "yes" else one for one in log]
    first = next(one.sequence for one in log if one.label == "yes")
    start = genesis(again.record.fingerprint, again.record.plan_json)
    assert len(sound_part(log, start)) == len(log)
    assert len(sound_part(changed, start)) == first - 1


def test_a_name_goes_from_the_words_of_the_project_and_the_list(home: Path) -> None:
    asked = {"question": "Is it spam?", "instructions": "Ask Ann Lee, or Ann\nLee's deputy."}
    made = session_on(home.parent / "items.csv", store=url(home / "labels.db"), settings=asked)
    drawn = label(made, 5, "bob")
    made.reword("bob", title="For Ann Lee")
    erase_items(made.store, "spam", drawn[:1], who="Ann Lee", why="Ann Lee was asked to")
    with pytest.raises(ValueError, match="why must not say the name that is erased"):
        erase_person(made.store, "Ann Lee", who="Data Protection", why="Ann Lee left")
    erase_person(made.store, "Ann Lee", **WHY)
    made.store.close()
    again = lc.Session.open(url(home / "labels.db"), "spam")
    assert again.settings["instructions"] == "Ask erased 1, or erased 1's deputy."
    assert again.settings["title"] == "For erased 1" and verify(again.store.url).whole
    log = [event.to_json() for event in again.events]
    assert "Lee" not in json.dumps(log) + again.store.project("spam").settings_json
    assert "Ann Lee" not in (home / "labels.erased").read_text("utf-8")
    again.store.rename("spam", "bob's")
    assert erase_person(again.store, "bob", **WHY).left[0] == 'the name of project "bob\'s"'
    again.store.close()


@pytest.mark.parametrize(
    "name", ["Ann Lee", "ann@example.org", "Ann L.", "Ann (QA)", "O\u2019Brien", "Ann \U0001f642"]
)
def test_a_name_of_any_form_goes_from_what_was_written(name: str) -> None:
    said = "({0}), as {0}'s \u201c{0}\u201d: {0}/{0}, not x{1}x or {1}-{1}"
    event = Event(1, "noted", "", "bob", text=said.format(name, "Ann Lee"))
    left = unnamed(event, is_name(name), len(name.split()), "erased 1").text
    assert left == said.format("erased 1", "Ann Lee")
    unknown = replace(event, kind="of another version")
    assert unnamed(unknown, is_name(name), len(name.split()), "erased 1") == unknown


def test_a_project_goes_with_all_that_is_its_own(session: lc.Session, home: Path) -> None:
    label(session, 10)
    other = session_on(home.parent / "items.csv", store=session.store, project="kept", seed=9)
    label(other, 5)
    back_up_now(home / "labels.db", session.store.backup)
    prepared = place(home / "labels.items", session.population.fingerprint)
    prepared.mkdir(parents=True)
    done = erase_project(session.store, "spam", **WHY)
    assert done.whole and [one.name for one in session.store.projects()] == ["kept"]
    assert holding(home, '"seed": 3') == [] and lc.Session.open(session.store, "kept").labels == 5
    found = verify(url(home / "labels.db"))
    assert found.whole, found
    file = f"{home.parent / 'items.csv'}, where the items were read"
    assert file not in done.left and prepared.exists(), "the other project is of it"
    assert file in erase_project(session.store, "kept", **WHY).left and not prepared.exists()


@pytest.mark.parametrize("every", [False, True])
def test_what_was_listed_and_not_begun_is_done_in_every_project(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch, every: bool
) -> None:
    anchor, store = home.parent / "anchor", session.store
    anchor.mkdir()
    monkeypatch.setenv("LABELCORE_ANCHOR", str(anchor))
    other = session_on(home.parent / "items.csv", store=store, project="kept", seed=9)
    asked = {one.project: label(one, 3) for one in (session, other)}
    whole, left = store.projects()
    said = ("2026-12-01T00:00:00+00:00", *WHY.values())
    items = () if every else tuple(asked[left.name])
    add_gone(
        store.guarded,
        Gone(identity_of(whole), *said, whole=True),
        Gone(identity_of(left), *said, items, every),
    )
    assert erase_again(store) == [whole.name, left.name]
    assert store.projects() == [store.project(left.name)] and not store.contents(left.name)
    assert erase_again(store) == []
    store.close()
    assert [file for file in anchor.glob("*.json") if '"erase"' in file.read_text()]


@pytest.mark.parametrize("what", ["items", "project", "project, and another begins"])
def test_what_is_broken_off_before_kept_files_go_is_done_again(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """Files that a project needs which began in between stay."""
    asked = label(session, 5)
    store, erased = session.store, partial(erase_project, session.store, "spam", **WHY)
    if what == "items":
        erased = partial(erase_items, store, "spam", asked[:1], **WHY)
    with monkeypatch.context() as patch:
        patch.setattr(erasing, "remove_places", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            erased()
    assert "items.contents" in holding(home, text_of(asked[0]))
    if begins := what.endswith("begins"):
        session_on(home.parent / "items.csv", store=store, project="new")
    erase_again(store)
    assert verify(url(home / "labels.db")).whole
    assert holding(home, text_of(asked[0])) == ["items.contents"] * begins


def test_a_disk_that_is_full_is_said_and_the_erasure_done_later(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked, full = label(session, 5), OSError(ENOSPC, "No space left on device")
    for file, room, listed in (("labels.erased", erased_list, 0), ("labels.seals", kept, 1)):
        with monkeypatch.context() as patch:
            patch.setattr(room, "whole_file", Mock(side_effect=full))
            with pytest.raises(StoreNotWritableError, match=f"{file} cannot be written: No space"):
                erase_items(session.store, "spam", asked[:1], **WHY)
        assert len(read_erased(home / "labels.db").gone) == listed
    erase_again(session.store)
    assert holding(home, text_of(asked[0])) == [] and verify(url(home / "labels.db")).whole


def test_what_killed_processes_left_half_written_goes(session: lc.Session, home: Path) -> None:
    asked = label(session, 5)
    held = text_of(asked[0]).encode()
    old = [home / "labels.db.77.new", home / "labels.db.77.new.77.half-wal", home / ".half-0a",
           home / "labels.items" / ".half-0b", home / "files" / ".half-0c"]  # fmt: skip
    now = [home / "labels.items" / ".half-0d", home / "labels.db.77.half"]
    other = home / "labels.db.77.newest"
    (home / "files").mkdir()
    for file in [*old, *now, other]:
        file.write_bytes(held)
    for file in [*old, other]:
        os.utime(file, (1.0, 1.0))
    aside = home / "labels-before-1.db"
    aside.write_bytes(b"no database")
    done = erase_items(session.store, "spam", asked[:1], **WHY)
    assert [line for line in done.left if line.startswith(f"{aside} (")], "it is not opened"
    assert [file for file in [*old, *now, other] if file.exists()] == [*now, other]
    for file in now:
        assert [line for line in done.left if str(file) in line and "moment ago" in line]


@pytest.mark.parametrize("name", ["labels.bak", "labels"])
def test_a_copy_beside_its_store_is_erased_alone(
    session: lc.Session, home: Path, name: str
) -> None:
    """The store was emptied when it was opened next, and had no backup any more."""
    label(session, 10)
    back_up_now(home / "labels.db", session.store.backup)
    back_up(session.store, home / name)
    with closing(lc.open_store(url(home / name))) as copy:
        erase_project(copy, "spam", **WHY)
        assert copy.projects() == []
    (home.parent / "items.csv").unlink()
    label(again := lc.Session.open(url(home / "labels.db"), "spam"), 1)
    again.store.close()
    found = verify(url(home / "labels.db"))
    assert (again.labels, found.whole) == (11, True), found
    assert len(backups(home / "labels.db")) == 1


@pytest.mark.parametrize("how", ["begun", "a duplicate", "a copy"])
def test_one_that_begins_while_another_of_its_file_goes_has_its_items(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """They were removed after it had found them kept, and before it said that it needs them."""
    elsewhere = lc.open_store(url(home / "elsewhere" / "labels.db"))
    if how == "a copy":
        session_on(home.parent / "items.csv", store=elsewhere, project="new", seed=8)
    erasing = Thread(target=erase_project, args=(session.store, "spam"), kwargs=WHY)
    create = SqliteStore.create

    def late(store: SqliteStore, record: ProjectRecord, *given: Any) -> None:
        erasing.start()
        erasing.join(1)
        create(store, record, *given)

    monkeypatch.setattr(SqliteStore, "create", late)
    if how == "begun":
        session_on(home.parent / "items.csv", store=session.store, project="new")
    elif how == "a duplicate":
        duplicate(session.store, "spam", "new")
    else:
        copy_project(elsewhere, session.store, "new")
    erasing.join()
    elsewhere.close()
    (home.parent / "items.csv").unlink()
    assert [record.name for record in session.store.projects()] == ["new"]
    assert label(lc.Session.open(session.store, "new"), 1)


def test_one_that_begins_while_a_text_of_its_file_goes_loses_it_too(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone, *_ = label(session, 3)

    def late(*given: Any) -> None:
        monkeypatch.setattr(erasing, "add_gone", add_gone)
        session_on(home.parent / "items.csv", store=session.store, project="new", seed=8)
        add_gone(*given)

    monkeypatch.setattr(erasing, "add_gone", late)
    assert {*erase_items(session.store, "spam", [gone], **WHY).projects} == {"spam", "new"}
    assert holding(home, text_of(gone)) == [] and verify(session.store.url).whole


def test_items_that_were_kept_for_a_restore_that_never_came_go_with_what_is_erased_next(
    session: lc.Session, home: Path
) -> None:
    gone, *_ = label(session, 3)
    write_items(there := home.parent / "others.csv")
    with closing(lc.open_store(url(home.parent / "there" / "labels.db"))) as other:
        session_on(there, store=other, project="others")
        back_up(other, home.parent / "other.db")
    real = backups_of.put_back

    def put_back(backup: Path, at: str) -> str | None:
        if at == session.store.url:
            raise KeyboardInterrupt
        return real(backup, at)

    with patch.object(backups_of, "put_back", put_back), pytest.raises(KeyboardInterrupt):
        restore(home.parent / "other.db", session.store.url, force=True)
    assert holding(home, "message 5") and verify(session.store.url).whole
    erase_items(session.store, "spam", [gone], **WHY)
    assert holding(home, "message 5") == [] and label(session, 1)


def test_a_name_that_is_erased_first_of_all_leaves_no_key_without_seals(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(session, 1, "Ann Alder")
    session.store.close()
    for end in (".key", ".seals"):
        (home / "labels.db").with_suffix(end).unlink()
    monkeypatch.setattr(erasing, "add_gone", Mock(side_effect=KeyboardInterrupt))
    with closing(lc.open_store(url(home / "labels.db"))) as store, pytest.raises(KeyboardInterrupt):
        erase_person(store, "Ann Alder", **WHY)
    assert verify(url(home / "labels.db")).whole


@pytest.mark.parametrize("items", [["m1"], None])
def test_what_is_erased_while_it_is_copied_is_copied_nowhere(
    session: lc.Session, home: Path, monkeypatch: pytest.MonkeyPatch, items: list[str] | None
) -> None:
    """All of the project, or one text: its kept items are other ones since."""
    copy = copying.copy_items

    def late(*given: Any) -> None:
        copy(*given)
        if items is None:
            erase_project(session.store, "spam", **WHY)
        else:
            erase_items(session.store, "spam", items, **WHY)

    monkeypatch.setattr(copying, "copy_items", late)
    with closing(lc.open_store(url(home.parent / "there" / "copy.db"))) as target:
        with pytest.raises(StoreBusyError, match="project 'spam' was erased meanwhile; copy it ag"):
            copy_project(session.store, target, "spam")
        assert target.projects() == [] and holding(home.parent / "there", text_of("m1")) == []


def test_texts_go_when_their_time_is_over_and_the_clock_can_be_trusted(
    session: lc.Session, home: Path
) -> None:
    asked = label(session, 10)
    session.finish()
    before, store = figures(session), session.store
    set_retention(store, "spam", 90)
    end = datetime.fromisoformat(session.events[-1].at)

    def after(days: float) -> Retained:
        return carry_out_retention(store, end + timedelta(days=days))

    set_retention(store, "spam", 10**9)
    assert after(0.01).due == (), "beyond every date, which holds up no other project"
    set_retention(store, "spam", 90)
    assert after(0.01).due == () and after(1).why == "" and after(89.9).due == ()
    # Off by years, and back again: nothing is erased, whoever starts the app how often.
    for days in (4000, 4000.01, -400):
        assert after(days).erased == () and after(days).why
    assert after(91).due == ("spam",) and "20 hours" in after(91.5).why
    assert holding(home, text_of(asked[0])) != []
    (done,) = after(92).erased
    assert done.items == 10 and after(93).due == () == after(93).erased
    assert after(93 - 0.5 / 24).why == "" and "20 hours" in after(93 - 2 / 24).why
    every = [text_of(one) for one in session.population._ids.all()]
    assert [one for one in every if holding(home, one)] == []
    again = lc.Session.open(store, "spam")
    assert figures(again) == before and replay_project(store, "spam").erased == 10
    assert again.events[-1].annotator == "retention" and verify(url(home / "labels.db")).whole
    with pytest.raises(ValueError, match="days must be 1 or more, got 0"):
        set_retention(store, "spam", 0)


def test_who_labels_while_logs_are_read_sets_no_clock_wrong(
    session: lc.Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    label(session, 2)

    def read_while_others_label(self: SqliteStore, project: str, after: int = 0) -> list[Event]:
        monkeypatch.undo()
        label(session, 1)
        return self.events(project, after)

    monkeypatch.setattr(SqliteStore, "events", read_while_others_label)
    assert carry_out_retention(session.store).why == "the clock has to go on for 20 hours first"


@pytest.mark.parametrize("kind", ["labelled", "finished", "reworded"])
def test_texts_of_a_broken_log_are_told_and_hold_up_no_other_project(
    session: lc.Session,
    home: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    kind: str,
) -> None:
    label(session, 10)
    other = session_on(home.parent / "items.csv", store=session.store, project="sound", seed=9)
    label(other, 5)
    for one in (session, other):
        one.finish()
        set_retention(session.store, one.project, 1)
    session.reword(question="After the end?")
    broken = next(event.sequence for event in session.events if event.kind == kind)
    change = f"UPDATE event SET annotator = 'nobody' WHERE sequence = {broken} AND project_id = 1"
    tamper(home / "labels.db", change)
    last = f"sequence = {session.events[-1].sequence} AND project_id = 1"
    tamper(home / "labels.db", f"UPDATE event SET at = '2999-01-01T00:00:00+00:00' WHERE {last}")
    end = datetime.fromisoformat(other.events[-1].at)
    for days in (2, 3):
        found = carry_out_retention(session.store, end + timedelta(days=days))
        assert [told.partition(":")[0] for told in found.broken] == ["spam"]
    assert [done.projects for done in found.erased] == [("sound",)]
    assert session.store.contents("spam") and not session.store.contents("sound")
    later = partial(carry_out_retention, at=end + timedelta(days=4))
    monkeypatch.setattr("labelcore.cli.erasing.carry_out_retention", later)
    assert main(["erase", "retention", "--store", url(home / "labels.db")]) == 0
    assert "spam: its texts are due and were not erased" in capsys.readouterr().out
    for at in ("", "2026-01-01T00:00:00"):
        tamper(home / "labels.db", f"UPDATE event SET at = '{at}' WHERE kind = 'finished'")
        assert main(["erase", "retention", "--store", url(home / "labels.db")]) == 0
        assert "spam: its texts are due and were not erased" in capsys.readouterr().out


@pytest.mark.parametrize("every", [True, False])
def test_a_backup_whose_log_is_broken_loses_what_was_erased_since(
    session: lc.Session, home: Path, tmp_path: Path, every: bool
) -> None:
    asked = label(session, 4)
    back_up(session.store, backup := tmp_path / "backup.db")
    tamper(backup, "UPDATE event SET annotator = 'nobody' WHERE sequence = 2")
    erase_items(session.store, "spam", None if every else asked[:1], **WHY)
    session.store.close()
    restore(backup, url(home / "labels.db"), force=True)
    with closing(lc.open_store(url(home / "labels.db"))) as store:
        assert {*store.contents("spam")} == (set() if every else {*asked[1:]})


def test_bad_input_is_refused_in_words(session: lc.Session) -> None:
    label(session, 2)
    for items, why, said in (
        (["m1"], " ", "why must say for what reason"),
        (["nobody"], "x", "items must be ids of project 'spam', got 'nobody'"),
        ([], "x", "items must name at least one item"),
    ):
        with pytest.raises(ValueError, match=said):
            erase_items(session.store, "spam", items, who="me", why=why)
    for erase, name in ((erase_person, "Ann"), (erase_project, "spam")):
        with pytest.raises(ValueError, match="why must say for what reason"):
            erase(session.store, name, who="me", why=" ")
    for name, said in (
        ("me", "not one that browsers are given"),
        (" ", "a name that is not empty"),
    ):
        with pytest.raises(ValueError, match=said):
            erase_person(session.store, name, who="x", why="y")
