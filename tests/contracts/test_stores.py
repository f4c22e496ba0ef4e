"""Every store in the table keeps the same promises; a store that breaks one is found out.

A check takes a function that opens a store: called twice, it opens the same place twice where the
store has a place, and a new store where it has none.
"""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from labelcore.errors import ProjectExistsError, StoreError, UnknownProjectError
from labelcore.log.events import FIELDS, Content, Event
from labelcore.log.kinds import KINDS
from labelcore.store import (
    STORES,
    Act,
    ConflictError,
    Erasure,
    LabelStore,
    MemoryStore,
    ProjectRecord,
    RepeatedTokenError,
    acts_follow,
    open_store,
)
from labelcore.store.base import NO_CONTENTS, Contents, Settings, name_for
from labelcore.store.checks import tokens
from tests.awaited import at_once
from tests.cases import searched
from tests.stores import AT, answered, drawn, noted

OpenStore = Callable[[], LabelStore]

RECORD = ProjectRecord(
    "spam", AT, "f" * 64, '{ "seed" : 7.10 }', '{"path": "items.csv"}', '{"question": "?"}'
)
HOSTILE = (
    "",
    " ",
    "null",
    "'; DROP TABLE event; --",
    '"quoted" \\ back\\slash %s :name ? {x}',
    "line\nbreak\r\ttab \x00 nul \x1b[31m \x7f",
    "Grüße, 東京, \u202eright to left\u202c, e\u0301, \U0001f469\u200d\U0001f52c, \ufeff, \ufffe",
    "<script>alert(1)</script>",
    "=HYPERLINK(1)",
    "x" * 200_000,
)

ADDRESSES = {
    "memory": "memory://",
    "sqlite": "sqlite:///{folder}/labels.db",
    "postgresql": "{postgres_url}",
}


def full_event(sequence: int, text: str, token: str, answers: str) -> Event:
    """An event with every field filled, each with a value of its own."""
    return Event(
        sequence,
        "labelled",
        AT,
        f"annotator {text}",
        token=token,
        answers=answers,
        index=2**62,
        item_id=f"item {text}",
        stratum=0,
        batch=-1,
        basis=5,
        label=f"label {text}",
        text=text,
        previous=6,
        shown_at=f"shown {text}",
        detail={text: [1, 0.1, -0.0, 1e-300, None, True, text, {"deep": [text]}]},
        hash=f"hash {text}",
    )


def with_project(open_one: OpenStore) -> LabelStore:
    store = open_one()
    store.create(RECORD)
    return store


# The checks


def check_project_round_trip(open_one: OpenStore) -> None:
    store = with_project(open_one)
    assert store.project("spam") == RECORD
    assert type(store.project("spam").archived) is bool
    for number, text in enumerate(HOSTILE[2:]):
        record = replace(RECORD, name=f"{number}{text}", plan_json=text, settings_json=text)
        store.create(record)
        assert store.project(record.name) == record


def check_projects_newest_first(open_one: OpenStore) -> None:
    store = open_one()
    assert store.projects() == []
    for name, day in (("b", 2), ("c", 3), ("a", 1), ("c2", 3)):
        store.create(replace(RECORD, name=name, created_at=f"2026-01-0{day}T00:00:00+00:00"))
    assert [record.name for record in store.projects()] == ["c2", "c", "b", "a"]


def check_taken_name(open_one: OpenStore) -> None:
    store = with_project(open_one)
    with pytest.raises(ProjectExistsError, match="'spam' exists.*ffff"):
        store.create(replace(RECORD, plan_json="other"))
    assert store.project("spam") == RECORD
    store.create(replace(RECORD, name="Spam"))


def check_a_project_comes_with_its_log_or_not_at_all(open_one: OpenStore) -> None:
    store, texts = open_one(), {"m-1": Content({"text": "one"})}
    store.create(RECORD, [noted(1), noted(2)], texts)
    assert store.last_sequence("spam") == 2 and store.contents("spam") == texts
    with pytest.raises(StoreError, match="ends at event 0, so event 2 cannot follow"):
        store.create(replace(RECORD, name="ham"), [noted(2)])
    assert [record.name for record in store.projects()] == ["spam"]


def check_unknown_project(open_one: OpenStore) -> None:
    store = with_project(open_one)
    calls: list[Callable[[], object]] = [
        lambda: store.project("ham"),
        lambda: store.update("ham", archived=True),
        lambda: store.rename("ham", "eggs"),
        lambda: store.append("ham", [noted(1)]),
        lambda: store.append("ham", []),
        lambda: store.events("ham"),
        lambda: store.last_sequence("ham"),
        lambda: store.content("ham", "m-1"),
        lambda: store.contents("ham"),
    ]
    for call in calls:
        with pytest.raises(UnknownProjectError, match="no project 'ham'.*'spam'"):
            call()


def check_update(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other"))
    store.update("spam", settings_json="[1]")
    assert store.project("spam") == replace(RECORD, settings_json="[1]")
    store.update("spam", archived=True)
    store.update("spam")
    assert store.project("spam") == replace(RECORD, settings_json="[1]", archived=True)
    store.update("spam", settings_json="{}", archived=False)
    store.update("spam", population_json='{"path": "moved.csv"}')
    assert store.project("spam").population_json == '{"path": "moved.csv"}'
    store.update("spam", population_json=RECORD.population_json)
    assert store.project("spam") == replace(RECORD, settings_json="{}")
    assert store.project("other") == replace(RECORD, name="other")


def check_settings_at_once(open_one: OpenStore) -> None:
    store, number = with_project(open_one), 8

    def change(place: int) -> None:
        store.change_settings("spam", lambda settings: {**settings, f"{place}": place})

    at_once(change, range(number))
    every = {"question": "?"} | {f"{place}": place for place in range(number)}
    assert json.loads(store.project("spam").settings_json) == every
    assert store.change_settings("spam", lambda settings: {"title": "né"}) == every
    assert store.project("spam") == replace(RECORD, settings_json='{"title": "né"}')
    with pytest.raises(UnknownProjectError):
        store.change_settings("eggs", dict)


def check_rename(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other"))
    store.append("spam", [drawn(1, "t1")], {"m-1": Content({"text": "hello"})})
    with pytest.raises(ProjectExistsError, match="'other' exists"):
        store.rename("spam", "other")
    store.rename("spam", "spam")
    store.rename("spam", "ham")
    assert store.project("ham") == replace(RECORD, name="ham")
    assert store.events("ham") == [drawn(1, "t1")]
    assert store.content("ham", "m-1") == Content({"text": "hello"})
    assert store.contents("ham") == {"m-1": Content({"text": "hello"})}
    with pytest.raises(UnknownProjectError):
        store.events("spam")
    store.create(RECORD)
    assert store.last_sequence("spam") == 0
    with pytest.raises(RepeatedTokenError) as caught:
        store.append("spam", [drawn(1, "t1")])
    assert caught.value.project == "ham"


def check_event_round_trip(open_one: OpenStore) -> None:
    store = with_project(open_one)
    sent = [full_event(n, text, f"t{text}", f"a{text}") for n, text in enumerate(HOSTILE, 1)]
    sent += [Event(len(sent) + n, kind, AT, "a1") for n, kind in enumerate(KINDS, 1)]
    store.append("spam", sent)
    back = store.events("spam")
    assert back == sent
    for one, other in zip(back, sent, strict=True):
        for name in FIELDS:
            assert type(getattr(one, name)) is type(getattr(other, name)), name
        assert one.digest("before") == other.digest("before")


def check_events_after(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other"))
    store.append("other", [noted(1, "elsewhere")])
    assert store.events("spam") == []
    assert store.last_sequence("spam") == 0
    sent = [noted(n) for n in range(1, 13)]
    store.append("spam", sent[:5])
    store.append("spam", sent[5:])
    for after in (-1, 0, 1, 11, 12, 13):
        assert store.events("spam", after) == sent[max(after, 0) :]
    assert store.last_sequence("spam") == 12
    assert store.events("other") == [noted(1, "elsewhere")]


def check_detail_is_a_copy(open_one: OpenStore) -> None:
    store = with_project(open_one)
    detail: dict[str, Any] = {"shown": [1, 2], "pair": (1, 2)}
    store.append("spam", [noted(1, detail=detail)])
    kept = {"shown": [1, 2], "pair": [1, 2]}
    detail["shown"].append(3)
    first = store.events("spam")[0].detail
    assert first == kept
    first["shown"].append(4)
    assert store.events("spam")[0].detail == kept


def check_conflict(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.append("spam", [noted(1), noted(2)])
    for taken in (1, 2):
        with pytest.raises(ConflictError) as caught:
            store.append("spam", [noted(taken, "late"), noted(taken + 1, "late")])
        assert (caught.value.sequence, caught.value.last) == (taken, 2)
    assert store.events("spam") == [noted(1), noted(2)]
    store.append("spam", [noted(3)])


def check_gap(open_one: OpenStore) -> None:
    store = with_project(open_one)
    with pytest.raises(StoreError, match="ends at event 0, so event 2 cannot follow"):
        store.append("spam", [noted(2)])
    with pytest.raises(ValueError, match="event 3 must be event 2"):
        store.append("spam", [noted(1), noted(3)])
    assert store.last_sequence("spam") == 0


def check_atomic(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.append("spam", [drawn(1, "t1")], {"m-1": Content({"text": "first"})})
    content = {"m-2": Content({"text": "second"})}
    bad_batches: list[list[Event]] = [
        [noted(2), drawn(3, "t1")],
        [noted(2), noted(4)],
        [drawn(2, "t2"), drawn(3, "t2")],
        [noted(2), replace(noted(3), index="3")],  # type: ignore[arg-type]
        [noted(2), noted(3, detail={"set": {1}})],
    ]
    for batch in bad_batches:
        with pytest.raises((RepeatedTokenError, ValueError, TypeError)):
            store.append("spam", batch, content)
        assert store.events("spam") == [drawn(1, "t1")]
        assert store.content("spam", "m-2") is None
    store.append("spam", [noted(2), drawn(3, "t2")], content)
    assert store.last_sequence("spam") == 3
    assert store.content("spam", "m-2") == Content({"text": "second"})


def check_repeated_token(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other"))
    first = [drawn(1, "t1"), answered(2, "t1", "yes"), drawn(3, "t2")]
    store.append("spam", first)
    repeats = [
        ("spam", [answered(4, "t1", "no")], first[1]),
        ("spam", [answered(2, "t1", "no")], first[1]),
        ("spam", [drawn(4, "t2")], first[2]),
        ("other", [drawn(1, "t2")], first[2]),
        ("spam", [noted(4), drawn(5, "t2"), answered(6, "t1")], first[2]),
    ]
    for project, batch, stored in repeats:
        with pytest.raises(RepeatedTokenError) as caught:
            store.append(project, batch)
        assert caught.value.event == stored
        assert caught.value.project == "spam"
    assert store.events("spam") == first
    assert store.events("other") == []


def check_many_tokens(open_one: OpenStore) -> None:
    store = with_project(open_one)
    batch = [drawn(n, f"t{n}") for n in range(1, 2502)]
    store.append("spam", batch)
    again = [drawn(2501 + n, f"u{n}") for n in range(1, 2002)] + [drawn(4503, "t777")]
    with pytest.raises(RepeatedTokenError) as caught:
        store.append("spam", again)
    assert caught.value.event == batch[776]
    assert store.last_sequence("spam") == 2501


def check_content(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other"))
    texts = {f"id {text}": Content({text: text, "second": "2"}, text) for text in HOSTILE}
    store.append("spam", [noted(1)], texts)
    for item_id, content in texts.items():
        assert store.content("spam", item_id) == store.contents("spam")[item_id] == content
    store.append("spam", [noted(2)], {"id ": Content({"text": "changed"}, "s"), "new": Content({})})
    assert store.content("spam", "id ") == texts["id "]
    assert store.content("spam", "new") == Content({})
    assert store.content("spam", "missing") is None
    assert store.content("other", "id ") is None


def check_bad_values(open_one: OpenStore) -> None:
    store = with_project(open_one)
    bad: list[tuple[Mapping[str, Any], str]] = [
        ({"kind": "deleted"}, "kind must be one of drawn, .*'deleted'"),
        ({"at": None}, "at of event 1 must not be None"),
        ({"sequence": True}, "sequence of event True must be an int"),
        ({"sequence": 0}, "sequence must be 1 or more, got 0"),
        ({"index": 1.0}, "index of event 1 must be an int, got 1.0"),
        ({"stratum": 2**63}, "stratum of event 1 must fit in 64 bits"),
        ({"label": b"yes"}, "label of event 1 must be text"),
        ({"text": "\ud800"}, "text of event 1 must be text that UTF-8 can hold"),
        ({"detail": {"x": {1}}}, "event 1: detail must hold JSON values only"),
    ]
    for values, message in bad:
        with pytest.raises((TypeError, ValueError), match=message):
            store.append("spam", [replace(noted(1), **values)])
    for content in (
        {"m-1": Content({"text": 1})},  # type: ignore[dict-item]
        {1: Content({"text": "x"})},
        {"m-1": Content({2: "x"})},  # type: ignore[dict-item]
        {"m-1": Content({}, None)},  # type: ignore[arg-type]
    ):
        with pytest.raises(TypeError, match="must be text"):
            store.append("spam", [noted(1)], content)  # type: ignore[arg-type]
    for name in ("", "  ", "\ud800", None):
        with pytest.raises((TypeError, ValueError), match="the project's name must"):
            store.create(replace(RECORD, name=name))  # type: ignore[arg-type]
        with pytest.raises((TypeError, ValueError), match="the project's name must"):
            store.rename("spam", name)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="population_json must be text, got 1"):
        store.update("spam", population_json=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="archived must be True or False, got 1"):
        store.update("spam", archived=1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="plan_json must be text"):
        store.create(replace(RECORD, name="new", plan_json={}))  # type: ignore[arg-type]
    assert store.events("spam") == []
    assert store.projects() == [RECORD]


def check_close(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.close()
    store.close()
    calls: list[Callable[[], object]] = [
        store.projects,
        store.acts,
        lambda: store.last_sequence("spam"),
        lambda: store.append("spam", [noted(1)]),
        lambda: store.create(replace(RECORD, name="new")),
        lambda: store.note_acts([]),
        lambda: store.people("spam"),
        lambda: store.remove("spam"),
    ]
    if store.guarded is not None:
        calls += [store.cleanse, lambda: store.backup(Path("never made"))]
    for call in calls:
        with pytest.raises(StoreError, match="was closed"):
            call()


def check_threads(open_one: OpenStore) -> None:
    """Writers that retry after a conflict lose nothing; readers never see a gap."""
    store = with_project(open_one)
    writers, each = 4, 12
    written = threading.Event()
    failures: list[BaseException] = []

    def guarded(work: Callable[[], None]) -> None:
        try:
            work()
        except BaseException as error:
            failures.append(error)

    def write(writer: int) -> None:
        for number in range(each):
            append_retrying(store, f"{writer}-{number}")

    def read() -> None:
        while not written.wait(0.002):
            sequences = [event.sequence for event in store.events("spam")]
            assert sequences == list(range(1, len(sequences) + 1))

    readers = [threading.Thread(target=guarded, args=(read,)) for _ in range(2)]
    tasks = [partial(write, writer) for writer in range(writers)]
    threads = [threading.Thread(target=guarded, args=(task,)) for task in tasks]
    for thread in readers + threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    written.set()
    for thread in readers:
        thread.join(60)
    assert failures == []
    stored = store.events("spam")
    assert [event.sequence for event in stored] == list(range(1, writers * each + 1))
    expected = {f"{writer}-{number}" for writer in range(writers) for number in range(each)}
    assert {event.token for event in stored} == expected


def check_people(open_one: OpenStore) -> None:
    """A key keeps its name; the first is "me", and no name is given twice."""
    store = with_project(open_one)
    store.append("spam", [replace(noted(1), annotator="me")])
    store.append("spam", [replace(noted(2), annotator="me 3")])
    assert store.people("spam") == {}
    assert [store.person("spam", f"k{n}", AT) for n in (1, 2, 1, 3, 2)] == [
        "me", "me 2", "me", "me 4", "me 2",
    ]  # fmt: skip
    assert store.people("spam") == {"me": AT, "me 2": AT, "me 4": AT}
    store.create(replace(RECORD, name="ham"))
    assert store.person("ham", "k3", AT) == "me"
    store.rename("spam", "eggs")
    assert store.person("eggs", "k3", "later") == "me 4"
    with pytest.raises(UnknownProjectError):
        store.person("spam", "k1", AT)
    with pytest.raises(UnknownProjectError):
        store.people("spam")
    for key in (7, "\ud800"):
        with pytest.raises((TypeError, ValueError), match="person's key"):
            store.person("eggs", key, AT)  # type: ignore[arg-type]


def check_people_at_once(open_one: OpenStore) -> None:
    store = with_project(open_one)
    names = at_once(lambda key: store.person("spam", key, AT), ["k0", "k1", "k2", "k3"] * 2)
    assert sorted(names) == sorted(["me", "me 2", "me 3", "me 4"] * 2)


def check_erase(open_one: OpenStore) -> None:
    store = with_project(open_one)
    store.create(replace(RECORD, name="other", created_at=AT + "x"))
    texts = {one: Content({"text": f"of {one}"}, "salt") for one in ("m-1", "m-2")}
    store.append("spam", [noted(1), noted(2, "by Ann", detail={"of": "Ann"})], texts)
    store.append("other", [noted(1, "by Ann")], texts)
    assert store.person("spam", "a key", AT) == "me"
    said = Event(3, "erased", AT, "a2", text="why", hash="h3")
    erasure = Erasure(
        [said], ["m-1", "m-9"], [replace(noted(2), annotator="x", text="")], {"me": "x 1"},
        lambda settings: {**settings, "a": 1},
    )  # fmt: skip
    store.change_settings("spam", lambda _: {"b": 2})  # Another writer, meanwhile.
    store.erase("spam", erasure)
    store.cleanse()
    assert store.events("spam") == [noted(1), *erasure.rewritten, said]
    assert store.contents("spam") == {"m-2": texts["m-2"]}
    assert store.keys("spam").get("a key") is None and set(store.people("spam")) == {"x 1"}
    changed = replace(RECORD, settings_json='{"b": 2, "a": 1}')
    assert store.project("spam") == changed, "what is not given stays"
    with pytest.raises(ConflictError):
        store.erase("spam", erasure)
    assert (store.events("other"), store.contents("other")) == ([noted(1, "by Ann")], texts)
    store.remove("spam")
    assert [one.name for one in store.projects()] == ["other"]
    store.append("other", [noted(2)])
    with pytest.raises(UnknownProjectError):
        store.remove("spam")


def check_acts(open_one: OpenStore) -> None:
    store = with_project(open_one)
    assert store.acts() == [] == store.note_acts([])
    for hour, name in enumerate(HOSTILE[2:5]):
        at = AT.replace("T00", f"T0{hour}")
        (kept,) = store.note_acts([Act(0, at, name, "came", HOSTILE[5])])
        assert kept.sequence == hour + 1
    found = store.acts()
    assert [one.who for one in found] == list(HOSTILE[2:5]) and acts_follow(found) == 0
    assert store.acts(AT.replace("T00", "T02")) == found[2:]
    assert acts_follow([found[0], replace(found[1], who="x"), found[2]]) == 2


def append_retrying(store: LabelStore, token: str) -> None:
    while True:
        last = store.last_sequence("spam")
        try:
            store.append("spam", [drawn(last + 1, token)])
            return
        except ConflictError:
            continue


CHECKS = [value for name, value in globals().items() if name.startswith("check_")]


# Every store passes every check


@pytest.fixture
def open_one(scheme: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[OpenStore]:
    assert scheme in ADDRESSES, f"give ADDRESSES a test address for the new store {scheme}://"
    address, opened = ADDRESSES[scheme], []
    if "{postgres_url}" in address:
        address = request.getfixturevalue("postgres_url")

    def open_here() -> LabelStore:
        opened.append(open_store(address.format(folder=tmp_path)))
        return opened[-1]

    yield open_here
    for store in opened:
        store.close()


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
@pytest.mark.parametrize("scheme", STORES)
@pytest.mark.whole
def test_store(check: Callable[[OpenStore], None], open_one: OpenStore) -> None:
    check(open_one)


@pytest.mark.parametrize("scheme", [scheme for scheme in STORES if scheme != "memory"])
def test_two_handles_see_each_other(open_one: OpenStore) -> None:
    first = with_project(open_one)
    second = open_one()
    assert second.project("spam") == RECORD
    first.append("spam", [drawn(1, "t1")], {"m-1": Content({"text": "hello"})})
    assert second.events("spam") == [drawn(1, "t1")]
    assert second.content("spam", "m-1") == Content({"text": "hello"})
    second.append("spam", [answered(2, "t1")])
    assert first.last_sequence("spam") == 2
    with pytest.raises(ConflictError):
        first.append("spam", [noted(2)])
    with pytest.raises(RepeatedTokenError):
        first.append("spam", [answered(3, "t1")])
    assert [one.person("spam", key, AT) for one, key in ((first, "a"), (second, "b"))] == [
        "me", "me 2",
    ]  # fmt: skip
    assert second.person("spam", "a", AT) == "me"
    second.rename("spam", "ham")
    assert first.project("ham").name == "ham"
    first.close()
    assert second.last_sequence("ham") == 2


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(
    values=st.fixed_dictionaries(
        {
            **dict.fromkeys(["at", "annotator", "hash"], texts),
            **dict.fromkeys(["item_id", "label", "text", "shown_at"], st.none() | texts),
            **dict.fromkeys(
                ["index", "stratum", "batch", "basis", "previous"],
                st.none() | st.integers(-(2**63), 2**63 - 1),
            ),
            "kind": st.sampled_from(list(KINDS)),
            "detail": st.dictionaries(texts, json_values, max_size=3),
        }
    ),
    content=st.builds(Content, st.dictionaries(texts, texts, max_size=3), texts),
)
@settings(searched(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@pytest.mark.parametrize("scheme", STORES)
def test_what_goes_in_comes_out(
    open_one: OpenStore, values: dict[str, Any], content: Content
) -> None:
    store = open_one()
    if not store.projects():
        store.create(RECORD)
    sequence = store.last_sequence("spam") + 1
    event = Event(sequence, **values)
    store.append("spam", [event], {f"item {sequence}": content})
    assert store.events("spam", sequence - 1) == [event]
    assert store.content("spam", f"item {sequence}") == content
    store.close()


def test_full_event_fills_every_field() -> None:
    event = full_event(1, "x", "t", "a")
    assert [f.name for f in fields(Event) if getattr(event, f.name) in (None, {}, "")] == []


# Broken twins: each must fail the check named beside it


class AcceptsRepeats(MemoryStore):
    def _refuse_repeated(self, events: Sequence[Event]) -> None:
        pass


class ForgetsMintedTokens(MemoryStore):
    def _refuse_repeated(self, events: Sequence[Event]) -> None:
        super()._refuse_repeated([replace(event, token=None) for event in events])


class NamesTheWrongEvent(MemoryStore):
    def _refuse_repeated(self, events: Sequence[Event]) -> None:
        for event in events:
            if any(key in self._tokens for key in tokens(event)):
                raise RepeatedTokenError(event, "spam")


class OneByOne(MemoryStore):
    """Not atomic: what comes before the bad event stays."""

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        if not events:
            super().append(project, events, contents)
        for event in events:
            super().append(project, [event], contents)


class AcceptsGaps(MemoryStore):
    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        last = self.last_sequence(project)
        moved = [replace(event, sequence=last + n) for n, event in enumerate(events, 1)]
        super().append(project, moved, contents)


class LosesField(MemoryStore):
    field = ""

    def events(self, project: str, after: int = 0) -> list[Event]:
        blank: Any = {} if self.field == "detail" else None
        return [replace(event, **{self.field: blank}) for event in super().events(project, after)]


class KeepsTexts(MemoryStore):
    def erase(self, project: str, erasure: Erasure) -> None:
        super().erase(project, replace(erasure, items=()))


class OverwritesContent(MemoryStore):
    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        for item_id in contents:
            self._find(project).contents.pop(item_id, None)
        super().append(project, events, contents)


class CountsFromOne(MemoryStore):
    def events(self, project: str, after: int = 0) -> list[Event]:
        return super().events(project, max(after - 1, 0))


class LosesRaces(MemoryStore):
    """Two writers of the same sequence number both succeed, and one event is gone."""

    def append(
        self, project: str, events: Sequence[Event], contents: Contents = NO_CONTENTS
    ) -> None:
        threading.Event().wait(0.001)
        if events and events[0].sequence <= self.last_sequence(project):
            return
        super().append(project, events, contents)


class OldestFirst(MemoryStore):
    def projects(self) -> list[ProjectRecord]:
        return super().projects()[::-1]


class OneNameForAll(MemoryStore):
    def person(self, project: str, key: str, at: str) -> str:
        return super().person(project, "everybody", at)


class NamesInARace(MemoryStore):
    """Looks first and writes later, without holding the lock in between."""

    def person(self, project: str, key: str, at: str) -> str:
        people = self._find(project).people
        if key not in people:
            name = name_for([name for name, _ in people.values()], [])
            threading.Event().wait(0.01)
            people[key] = name, at
        return people[key][0]


class ChangesInARace(MemoryStore):
    """Reads settings first and writes them later."""

    def change_settings(self, name: str, change: Callable[[Settings], Settings]) -> Settings:
        before: Settings = json.loads(self.project(name).settings_json)
        threading.Event().wait(0.01)
        self.update(name, settings_json=json.dumps(change({**before}), ensure_ascii=False))
        return before


TWINS = [
    (ChangesInARace, check_settings_at_once),
    (OneNameForAll, check_people),
    (NamesInARace, check_people_at_once),
    (AcceptsRepeats, check_repeated_token),
    (AcceptsRepeats, check_many_tokens),
    (ForgetsMintedTokens, check_repeated_token),
    (NamesTheWrongEvent, check_repeated_token),
    (OneByOne, check_atomic),
    (AcceptsGaps, check_gap),
    (AcceptsGaps, check_conflict),
    (OverwritesContent, check_content),
    (KeepsTexts, check_erase),
    (CountsFromOne, check_events_after),
    (LosesRaces, check_threads),
    (OldestFirst, check_projects_newest_first),
]


@pytest.mark.parametrize(
    ("twin", "check"), TWINS, ids=[f"{twin.__name__}-{check.__name__}" for twin, check in TWINS]
)
def test_broken_twin_fails(
    twin: type[LabelStore], check: Callable[[OpenStore], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(STORES, "broken", twin)
    assert contract_fails(check, lambda: open_store("broken://"))


@pytest.mark.parametrize("field", [name for name in FIELDS if name != "sequence"])
def test_twin_that_loses_a_field_fails(field: str) -> None:
    twin = type("Loses", (LosesField,), {"field": field})
    assert contract_fails(check_event_round_trip, twin)


def contract_fails(check: Callable[[OpenStore], None], open_one: OpenStore) -> bool:
    try:
        check(open_one)
    except (AssertionError, pytest.fail.Exception, ConflictError, ValueError):
        return True
    return False
