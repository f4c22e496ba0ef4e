"""A report on a ranked list: its first sentence, its landmarks, its bands, its words."""

import csv
import io
import json
import re
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import labelcore as lc
from labelcore.report import bundle_zip, estimates_csv, report_html, report_json
from labelcore.report.along_ranks import along_ranks, headline, rank_names
from tests.answering import answer_draws
from tests.cases import sampled
from tests.report.sessions import HOSTILE, begun, label, session_on, write_items
from tests.report.test_page import Outline, text_of

PLANS: dict[str, dict[str, Any]] = {
    "geometric_strata": {"budget": 200, "estimands": ["precision_curve", "average_precision"]},
    "paula": {"params": {"epsilon": 0.3, "window": 5}, "estimands": ["precision_curve"]},
    "recalibrated_neyman": {"budget": 100, "estimands": ["precision_curve"]},
    "simple_random": {"budget": 100, "estimands": ["precision_curve"]},
}


def made(folder: Path, design: str, labels: int, **changes: Any) -> lc.Session:
    truth = write_items(folder / "items.csv")
    plan = {**PLANS[design], "budget": PLANS[design].get("budget"), **changes}
    session = session_on(folder / "items.csv", design=design, arguments={"thresholds": {}}, **plan)
    label(session, truth, labels, eventful=False, looks=100)
    return session


@pytest.fixture(scope="module")
def listed(tmp_path_factory: pytest.TempPathFactory) -> lc.Session:
    """With 200 labels; treat as read-only."""
    return made(tmp_path_factory.mktemp("listed"), "geometric_strata", 200)


@pytest.mark.full
@pytest.mark.parametrize(
    ("design", "labels"),
    sampled(
        product(["geometric_strata", "paula"], [0, 3, 40, 70, 400]), 2, seed=1,
        keep=[("geometric_strata", 40), ("paula", 0)],
    ),
)  # fmt: skip
def test_a_report_is_made_in_every_state(tmp_path: Path, design: str, labels: int) -> None:
    session = made(tmp_path, design, labels)
    for _ in range(2):
        assert "undefined" not in text_of(session) and "nan" not in text_of(session).lower().split()
        json.loads(report_json(session))
        assert bundle_zip(session) and estimates_csv(session)
        session.finish("enough")


def test_labels_of_a_look_say_of_how_many_items_they_are(tmp_path: Path) -> None:
    """Another person still has one of the first 40 items: 40 answers are there, 39 count so far."""
    session = made(tmp_path, "geometric_strata", 0)
    session.next("bob")
    answer_draws(session, True, 40, who="ann")
    band = session.results()["precision_curve"]
    assert (session.engine.answers_given, band.labels_used, band.draws_used) == (40, 39, 40)
    assert "from 39 labels, of the first 40 items drawn." in band.sentence()
    text = text_of(session)
    (why,) = band.notes
    assert headline(session).endswith(f"drawn. {why}") and why.endswith("on the first 40.")
    assert re.search(rf"From 39 labels [^.]+, of the first 40 items drawn\. {why}", text)
    assert not re.search(r"From 39 labels [^,.]+\.", text)


def test_it_leads_with_the_first_hundred_and_has_the_session_s_figures(listed: lc.Session) -> None:
    text = text_of(listed)
    start = re.escape(listed.cut(100).sentence())
    lead = text.partition(": report")[2]
    assert re.match(
        r".{40,80}Interim For the 300 items in items\.csv, of the first 100 items ", lead
    )
    assert re.search(rf"{start} From 200 labels of \d+ \w+ \d{{4}}\.", lead[:1200])
    found = along_ranks(listed)
    assert found is not None and [one.rank for one in found.landmarks] == [10, 100, 300]
    for precision, one in found.deepest:
        cut = listed.deepest_cut(precision)
        assert (cut and cut.rank) == (one and one.rank)
        assert (cut.sentence() if cut else f"At least {100 * precision:g} %: no head") in text
    packages = listed.packages([0.9, 0.8, 0.7, 0.5])["last"]
    assert found.packages is not None and found.packages["last"].tolist() == packages.tolist()


def test_bands_in_json_and_csv_are_those_of_the_session(tmp_path: Path) -> None:
    session = made(tmp_path, "geometric_strata", 123)
    report = json.loads(report_json(session))
    curves = {one["estimand"]: one for one in report["curves"]}
    band = session.band("precision")
    assert curves["precision_curve"]["low"] == band.low.tolist()
    assert curves["precision_curve"]["provisional"] == list(band.provisional)
    assert {"recall_curve", "yield_curve", "false_positive_rate_curve"} <= set(curves)
    assert report["along_ranks"]["landmarks"][1]["sentence"] == session.cut(100).sentence()
    assert report["strata"][0]["name"] == "ranks 1 to 50"
    rows = list(csv.DictReader(io.StringIO(estimates_csv(session), newline="")))
    ranks = [float(row["rank"]) for row in rows if row["estimand"] == "precision_curve"]
    assert ranks == band.x.tolist()
    paula = json.loads(report_json(made(tmp_path, "paula", 70)))
    assert set(paula["curves"][0]["extra"]) == {"envelope_low", "envelope_high", "noise"}


def test_paula_is_reported_without_a_confidence(tmp_path: Path) -> None:
    session = made(tmp_path, "paula", 400)
    text = text_of(session)
    assert "95 %" not in text
    assert "no confidence goes with them" in text and "No confidence goes with the bounds" in text
    doubts = text.partition("What could be wrong")[2].partition("Methods")[0]
    notes = session.band("precision").notes
    assert notes and all(note in doubts for note in notes)
    assert "The list in packages" in text and "Sabharwal, A. and Sedghi, H. (2017)." in text
    assert "ROC curve" in text and "Precision against recall" not in text


def test_the_default_cuts_its_list_into_packages(tmp_path: Path) -> None:
    session = made(tmp_path, "recalibrated_neyman", 100, promise="fixed")
    found = along_ranks(session)
    assert found is not None and found.deepest and not found.refused
    assert "for all ranks together (95 % confidence, approximate" in text_of(session)


def test_before_a_band_ranks_have_names_and_the_headline_says_so(tmp_path: Path) -> None:
    session = made(tmp_path, "geometric_strata", 4)
    assert "4 of 5 items judged before a first band" in headline(session)
    names = rank_names(session) or []
    ends = [tuple(int(n) for n in re.findall(r"\d+", name)) for name in names]
    assert [first for first, _ in ends] == [1, *(last + 1 for _, last in ends[:-1])]
    assert ends[-1][1] == 300
    assert (rank_names(made(tmp_path, "paula", 0)) or [""])[-1] == "all ranks between"
    assert rank_names(made(tmp_path, "recalibrated_neyman", 0)) is None


def test_a_stratum_with_a_threshold_in_it_is_named_for_both_sides(tmp_path: Path) -> None:
    session, truth = begun(tmp_path, design="geometric_strata", **PLANS["geometric_strata"])
    label(session, truth, 60, eventful=False)
    rows, names = session.strata(), rank_names(session) or []
    split = rows["stratum"].duplicated(keep=False)
    assert split.sum() == 2 and len(names) == len(rows)
    first, second = (name for name, both in zip(names, split, strict=True) if both)
    assert first == second and len(set(names)) == len(names) - 1
    assert first in text_of(session)


def test_changed_words_are_listed_old_and_new(tmp_path: Path) -> None:
    session, _ = begun(
        tmp_path,
        settings={"question": HOSTILE[0], "highlight": {"words": ["free"], "patterns": []}},
    )
    session.reword(question=HOSTILE[2])
    session.reword(highlight={"words": ["free", "offer"], "patterns": ["win+"]})
    html = report_html(session)
    text = Outline(html).text
    assert HOSTILE[0] in text and HOSTILE[2] in text and HOSTILE[0] not in html
    assert re.search(r"Highlighting was on\s*words: free, offer; patterns: win\+", text)
    assert re.search(r"Highlighting\s*words: free\s*words: free, offer; patterns", text)
    assert "The wording was changed after the start" in text
    told = json.loads(report_json(session))["rewordings"]
    assert [(one["name"], one["before"]) for one in told] == [
        ("question", HOSTILE[0]), ("highlight", "words: free"),
    ]  # fmt: skip
