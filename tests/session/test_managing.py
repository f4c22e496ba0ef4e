"""Names, renaming, putting away and duplicates, on every store; no label is ever touched."""

import json
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.errors import PlanArgumentError, RenamedProjectError, UnknownProjectError
from labelcore.log.events import Event
from labelcore.session import managing
from labelcore.store import LabelStore, open_store
from tests import columns
from tests.answering import answer_draws


@pytest.fixture(params=["memory", "sqlite"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> LabelStore:
    url = "memory://" if request.param == "memory" else f"sqlite:///{tmp_path / 'labels.db'}"
    return open_store(url)


@pytest.fixture
def session(store: LabelStore) -> lc.Session:
    """A project called "spam" with 5 labels."""
    population = columns.items(scores={"m": [n / 100 for n in range(100)]}, thresholds={"m": 0.5})
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=50, seed=7)
    settings = {"question": "Spam?", "instructions": "Junk counts."}
    made = lc.Session(population, plan, store, "spam", settings=settings)
    return answer_draws(made, lambda draw: draw.index % 2 == 1, 5)


@pytest.mark.parametrize(
    ("wanted", "told"),
    [
        ("", "needs a name"),
        ("  \t ", "needs a name"),
        ("x" * 81, "at most 80 characters; this one has 81"),
        ("spam", "called 'spam' already"),
        (" spam ", "called 'spam' already"),
        ("two\nlines", r"does not show \(U\+000A\)"),
        ("nul\0l", r"U\+0000"),
        ("turned \u202e round", r"U\+202E"),
        ("no width\u200b", r"U\+200B"),
        ("lone \ud800", r"U\+D800"),
    ],
)
def test_names_that_are_refused(
    session: lc.Session, store: LabelStore, wanted: str, told: str
) -> None:
    managing.duplicate(store, "spam", "other")
    before = [record.name for record in store.projects()]
    for act in (managing.rename, managing.duplicate):
        with pytest.raises(ValueError, match=told):
            act(store, "other", wanted)
    assert [record.name for record in store.projects()] == before


@pytest.mark.parametrize(
    "wanted", ["<b>x</b> **y** $z$", "a/b\\c", "日本語", "x" * 80, "👩‍👩‍👧", "' OR 1=1 --", "spam "]
)
def test_names_that_are_taken_literally(
    session: lc.Session, store: LabelStore, wanted: str
) -> None:
    assert managing.rename(store, "spam", wanted) == wanted.strip()
    assert len(lc.Session.open(store, wanted.strip()).events) == len(session.events)


def test_rename_keeps_every_event(session: lc.Session, store: LabelStore) -> None:
    before = store.events("spam")
    managing.rename(store, "spam", "junk")
    assert store.events("junk") == before
    again = lc.Session.open(store, "junk")
    assert (again.labels, again.settings["question"]) == (5, "Spam?")
    assert again.next().index == 6


def test_a_session_with_the_old_name_cannot_write(session: lc.Session, store: LabelStore) -> None:
    draw = session.next()
    managing.rename(store, "spam", "junk")
    with pytest.raises(UnknownProjectError):
        session.answer(draw, True)
    copy = managing.duplicate(store, "junk", "spam")
    other = lc.Session.open(store, copy.name)
    while other.ledger.state.sequence < session.ledger.state.sequence:
        other.next() if other.labels == 5 else other.answer(other.next(), True)
    with pytest.raises(RenamedProjectError, match="is called 'junk' now"):
        session.answer(draw, True)
    assert lc.Session.open(store, "spam").broken_at == 0
    assert lc.Session.open(store, "junk").labels == 5


def test_former_names_lead_to_the_present_one(session: lc.Session, store: LabelStore) -> None:
    managing.rename(store, "spam", "junk")
    managing.rename(store, "junk", "mail")
    assert managing.renamed_to(store, "spam") == managing.renamed_to(store, "junk") == "mail"
    assert (
        managing.renamed_to(store, "mail") is None and managing.renamed_to(store, "never") is None
    )
    managing.rename(store, "mail", "spam")
    assert managing.renamed_to(store, "spam") is None
    assert managing.renamed_to(store, "mail") == "spam"


def test_same_name_changes_nothing(session: lc.Session, store: LabelStore) -> None:
    before = store.project("spam")
    assert managing.rename(store, "spam", " spam ") == "spam"
    assert store.project("spam") == before


@pytest.mark.parametrize("act", [managing.rename, managing.duplicate])
def test_unknown_project(store: LabelStore, act: object) -> None:
    with pytest.raises(UnknownProjectError):
        act(store, "none", "new")  # type: ignore[operator]
    with pytest.raises(UnknownProjectError):
        managing.set_archived(store, "none", True)


def test_archive_and_bring_back(session: lc.Session, store: LabelStore) -> None:
    managing.set_archived(store, "spam", True)
    assert store.project("spam").archived
    assert lc.Session.open(store, "spam").labels == 5
    managing.set_archived(store, "spam", False)
    assert not store.project("spam").archived


def items(session: lc.Session, number: int) -> list[str]:
    found = []
    for n in range(number):
        draw = session.next()
        found.append(draw.item_id)
        session.answer(draw, n % 2 == 0)
    return found


def test_duplicate_has_no_labels_and_the_same_draws(session: lc.Session, store: LabelStore) -> None:
    made = managing.duplicate(store, "spam", "again")
    again = lc.Session.open(store, "again")
    assert (again.labels, store.last_sequence("again")) == (0, 0)
    assert again.plan == session.plan and made.fingerprint == session.record.fingerprint
    assert items(again, 5) == [row.item_id for row in reversed(session.history())]
    assert session.labels == 5


def test_duplicate_with_a_fresh_seed_draws_others(session: lc.Session, store: LabelStore) -> None:
    managing.duplicate(store, "spam", "fresh", seed=8)
    fresh = lc.Session.open(store, "fresh")
    assert fresh.plan == session.plan.with_seed(8)
    assert items(fresh, 5) != [row.item_id for row in reversed(session.history())]


def test_duplicate_has_the_wording_of_now_and_no_former_names(
    session: lc.Session, store: LabelStore
) -> None:
    session.reword(question="Is it junk?")
    managing.rename(store, "spam", "junk")
    managing.set_archived(store, "junk", True)
    made = managing.duplicate(store, "junk", "again")
    assert json.loads(made.settings_json) == {
        "question": "Is it junk?",
        "instructions": "Junk counts.",
    }
    assert not made.archived and managing.renamed_to(store, "spam") == "junk"


def test_a_copy_calls_no_browser_as_another_one_is_called(
    session: lc.Session, store: LabelStore
) -> None:
    ann, bob = session.person("secret of ann"), session.person("secret of bob")
    for who, name in ((ann, "Ann"), (bob, "Bob"), ("a17", "Eve")):
        session.introduce(name, who)
    managing.duplicate(store, "spam", "copy")
    copy = lc.Session.open(store, "copy")
    first = copy.person("secret of bob")
    assert (first, copy.called(first), copy.called("a17")) == (ann, ann, "Eve")


def test_no_project_begins_after_its_deadline_and_an_old_one_still_opens(
    session: lc.Session, store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    terms = {"budget": 30, "stop": "deadline 2020-01-31T18:00"}
    plan = lc.Plan("simple_random", "precision", **terms)  # type: ignore[arg-type]
    refused = "stop must name a deadline that is still to come, got 'deadline 2020-01-31T18:00"
    with pytest.raises(PlanArgumentError, match=refused):
        lc.Session(session.population, plan, store, "late")
    assert [record.name for record in store.projects()] == ["spam"]
    with monkeypatch.context() as patch:
        patch.setattr("labelcore.session.projects.now", lambda: "2020-01-01T00:00:00+00:00")
        lc.Session(session.population, plan, store, "late")
    for old in (
        lc.Session.open(store, "late"),
        lc.Session(session.population, plan, store, "late"),
    ):
        assert old.next() is None and not old.labels
    with pytest.raises(PlanArgumentError, match=refused):
        managing.duplicate(store, "late", "later")


def test_names_given_on_two_servers_at_once_are_both_kept(
    session: lc.Session, store: LabelStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other server is faster by a moment: it writes what it has been told in between."""
    other = lc.Session.open(store, "spam")

    def first(name: str, who: str) -> None:
        plain = session.ledger.event

        def late(kind: str, annotator: str, **values: Any) -> Event:
            monkeypatch.undo()
            other.introduce(name, who)
            return plain(kind, annotator, **values)

        monkeypatch.setattr(session.ledger, "event", late)

    first("Bob", "b")
    session.introduce("Ann", "a")
    assert (session.called("a"), session.called("b")) == ("Ann", "Bob")
    first("Eve", "c")
    with pytest.raises(ValueError, match="another person is called 'Eve'"):
        session.introduce("Eve", "d")


def test_free_name(session: lc.Session, store: LabelStore) -> None:
    assert managing.free_name(store, "new") == "new"
    assert managing.free_name(store, "spam") == "spam 2"
    managing.duplicate(store, "spam", "spam 2")
    assert managing.free_name(store, "spam") == "spam 3"
