"""A report counts the people whose labels are in force, and claims no number that nobody knows."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import labelcore as lc
from labelcore.replay import replay_bundle
from labelcore.report import bundle_zip, events_csv, report_html
from tests.answering import next_draw
from tests.report.sessions import begun
from tests.report.test_page import Outline

SECRETS = ("a" * 32, "b" * 32)


def labelled(folder: Path, people: Sequence[str], secrets: Sequence[str] = ()) -> lc.Session:
    """40 labels in turn; one that is answered by the last person alone is taken back."""
    session, truth = begun(folder, repeats=0.2, budget=40)
    names = [session.person(secret) for secret in secrets] or list(people)
    taken_back = next_draw(session, "nobody")
    session.answer(taken_back, True)
    session.undo("nobody")
    back = next_draw(session, "nobody")
    session.release(back)
    for number in range(300):
        if (draw := session.next(names[number % len(names)])) is None:
            break
        session.answer(draw, truth[draw.item_id])
    session.finish()
    return session


@pytest.mark.full
@pytest.mark.parametrize(
    ("people", "secrets", "by", "whose", "row"),
    [
        (("ann", "bob"), (), "by two people, ", "first answers of 2 people", "two people"),
        (("ann",), (), "by one person, ", "judgement of one person", "one person"),
        ((), SECRETS, "of ", "first answers of the people who gave the answers",
         "not known: labels"),
        ((), SECRETS[:1], "by one person, ", "judgement of one person", "one person"),
        (("me",), (), "of ", "judgement of the people who gave the answers", "not known"),
        (("me", "ann"), (), "of ", "first answers of the people who gave the answers", "not known"),
    ],
)  # fmt: skip
def test_the_report_counts_people(
    tmp_path: Path, people: Sequence[str], secrets: Sequence[str], by: str, whose: str, row: str
) -> None:
    session = labelled(tmp_path, people, secrets)
    text = Outline(report_html(session)).text
    assert f"from {session.labels} labels {by}" in text
    assert whose in text and "Given back unanswered1" in text
    assert f"People, by their first answers{row}" in text
    assert not row.startswith("not known") or "one person" not in text.lower()


def test_no_secret_and_no_trace_of_one_is_printed(tmp_path: Path) -> None:
    session = labelled(tmp_path, (), SECRETS)
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(bundle_zip(session))
    replay_bundle(bundle, tmp_path / "items.csv")
    keys = list(session.store._find("spam").people)  # type: ignore[attr-defined]
    everything = report_html(session) + events_csv(session)
    assert len(keys) == 2
    assert not any(one in everything for one in (*SECRETS, *keys))
