"""Claims, stop rules and shared confidence in the report: every end in order, each in words."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.replay import replay_bundle
from labelcore.report import bundle_zip, estimates_csv, report_html, report_json
from labelcore.words.claims import times_words
from tests.report.sessions import as_json, begun, label, session_on, write_items
from tests.report.test_page import Outline, text_of

pytestmark = pytest.mark.usefixtures("few_sessions_for_claims")
CLAIM = "precision >= 0.5"


@pytest.fixture(scope="module")
def claimed(tmp_path_factory: pytest.TempPathFactory) -> lc.Session:
    """A session that a claim ended, gone on with and finished; treat as read-only."""
    items = tmp_path_factory.mktemp("claimed") / "items.csv"
    truth = write_items(items, 400)
    session = session_on(items, claims=[CLAIM], budget=300, stop="claims", together=True, seed=4)
    label(session, truth, 400, eventful=False)
    assert session.status == "goal reached"
    session.extend(budget=session.labels + 5)
    label(session, truth, 5, eventful=False)
    session.finish("enough is shown")
    return session


def labelled(folder: Path, **plan: Any) -> tuple[lc.Session, dict[str, bool]]:
    """A session with the claim to its end, and the truth."""
    session, truth = begun(folder, 400, claims=[CLAIM], **{"budget": 300, **plan})
    label(session, truth, 400, eventful=False, looks=20)
    return session, truth


def test_every_end_is_told_in_order(claimed: lc.Session) -> None:
    text = text_of(claimed).partition("Why labelling stopped")[2]
    ends = ("Every claim was decided or refuted", "Extended to", "for this reason: enough is shown")
    places = [text.find(words) for words in ends]
    assert -1 not in places and places == sorted(places)
    assert "evidence and intervals stay valid" in text
    assert "goal" not in text.partition("What could be wrong")[0]


def test_a_claim_that_weakened_after_it_was_settled_says_both(tmp_path: Path) -> None:
    session, truth = labelled(tmp_path, stop="claims")
    settled = session.labels
    assert "with the labels since" not in text_of(session)
    session.extend(budget=settled + 30)
    label(session, dict.fromkeys(truth, False), 30, eventful=False)
    claim = session.results()[CLAIM]
    assert claim.status == "undecided" and claim.evidence < 20
    text = text_of(session)
    assert f"'{CLAIM}' was shown at {settled} labels, with evidence of" in text
    assert f"with the labels since, the evidence is {times_words(claim.evidence)}." in text
    assert "covers the first time" in text and "; open again" in text


def test_an_approximate_claim_is_likely_and_never_shown(tmp_path: Path) -> None:
    session, _ = labelled(tmp_path, claim_form="approximate", budget=60)
    claim = session.results()[CLAIM]
    assert (claim.status, claim.form) == ("decided", "approximate") and claim.low >= 0.5
    text = text_of(session)
    assert claim.sentence() in text and "it is likely that the precision" in text
    section = text.partition("Laid down before the first label")[2].partition("Figures")[0]
    assert "are approximate: each is called likely" in section
    assert "shown" not in section.replace("First seen", "") and "guarantee" not in text
    assert "20 times would prove it" in text and "20 times decides" not in text
    (row,) = (
        one for one in csv.DictReader(io.StringIO(estimates_csv(session))) if one["statement"]
    )
    assert (float(row["low"]), row["form"]) == (claim.low, "approximate")
    bundle = tmp_path / "bundle.zip"
    bundle.write_bytes(bundle_zip(session))
    found = replay_bundle(str(bundle), tmp_path / "items.csv")
    assert any("it is likely that" in sentence for sentence in found.sentences())


def test_an_approximate_claim_that_is_open_again_says_so(tmp_path: Path) -> None:
    session, truth = labelled(tmp_path, claim_form="approximate")
    settled = session.labels
    assert session.results()[CLAIM].status == "decided"
    session.extend(budget=settled + 6)
    label(session, dict.fromkeys(truth, False), 6, eventful=False)
    assert session.results()[CLAIM].status == "undecided"
    text = text_of(session)
    assert f"'{CLAIM}' was likely at {settled} labels and is open now" in text


@pytest.mark.parametrize("promise", ["fixed", "watched"])
def test_a_claim_settled_before_a_first_figure_is_the_sentence_to_quote(
    tmp_path: Path, promise: str
) -> None:
    """A fixed promise has no interval before its planned size; a watched one has, and the claim
    stands before it all the same."""
    session, truth = begun(tmp_path, 400, claims=["precision >= 0.1"], budget=300, promise=promise)
    label(session, truth, 39, eventful=False)
    assert session.results()["precision >= 0.1"].status == "decided"
    assert session.results()["precision"].has_interval == (promise == "watched")
    text = text_of(session).partition(": report")[2]
    text = text[text.index("Interim ") :]
    shown = "he labels show that the precision of 'lr' for 'yes' is at least 10.0 %."
    assert text.startswith(f"Interim T{shown}")
    quote = text[text.index("For the 400 items in items.csv") :]
    assert quote.startswith(f"For the 400 items in items.csv, t{shown}")
    assert f"({session.labels} labels of " in quote[:400]


def test_json_and_csv_hold_claims(claimed: lc.Session) -> None:
    claim = claimed.results()[CLAIM]
    values = as_json(report_json(claimed))
    assert values["results"][CLAIM]["status"] == "decided"
    assert values["results"][CLAIM]["evidence"] == pytest.approx(claim.evidence)
    assert [end["text"] for end in values["ends"]] == ["claims", None, "enough is shown"]
    rows = list(csv.DictReader(io.StringIO(estimates_csv(claimed))))
    row = next(one for one in rows if one["estimand"] == CLAIM)
    assert (row["state"], row["low"], row["high"]) == ("decided", "", "")
    assert float(row["evidence"]) == pytest.approx(claim.evidence)
    assert float(row["alpha"]) == pytest.approx(0.05)
    forms = {one["estimand"]: one["form"] for one in rows}
    # Evidence holds in every file; the bounds for a planned size are checked, not proved.
    assert forms.pop(CLAIM) == "strict" and set(forms.values()) == {"approximate"}


def test_a_deadline_and_a_margin_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("labelcore.session.projects.now", lambda: "2020-01-01T00:00:00+00:00")
    session, _ = begun(tmp_path, margin=0.2, stop=("margin", "deadline 2020-01-31T18:00"))
    assert session.next() is None
    text = text_of(session)
    assert "within plus or minus 20.0 points or it is 31 January 2020, 18:00 UTC" in text
    assert "The deadline 31 January 2020, 18:00 UTC had passed (" in text
    assert "Not finished: deadline passed." in text
    assert text.count(f"{session.plan.planned} labels, a first forecast") == 2
    assert "No item got a class; 0 were called not sure" in text and "no people" not in text


def test_hostile_names_in_claims_are_text(tmp_path: Path) -> None:
    word = "<img src=x onerror=alert(1)>"
    session, truth = begun(
        tmp_path, 120, budget=50, claims=[f"precision[{word}] >= 0.5"],
        arguments={"scores": {word: "score"}, "thresholds": {word: 0.5}},
    )  # fmt: skip
    label(session, truth, 50, eventful=False, looks=50)
    outline = Outline(report_html(session))
    assert "img" not in outline.tags
    assert f"precision[{word}] >= 0.5" in outline.text
