"""Each method of the five papers in the app: every label typed by key, to the end of its plan, and
what the pages then say is what the library says."""

import re
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.designs.choices import Chooses
from labelcore.figures.choices import true_choice
from labelcore.replay import replay_project
from labelcore.report.along_ranks import headline
from labelcore.results.curves import Band
from labelcore.results.types import Choice, Estimate
from labelcore.store import open_store
from labelcore.ui.session_picture import beside, picture
from labelcore.words import sentences as words
from labelcore.words.choices import choice_short
from labelcore.words.short_sentences import short_sentence
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

ITEMS = 80
CUTS = {"strict": 0.6, "lenient": 0.45}
ASKED, CHOSEN = "All the labels asked for are there", "The choice is made"
# (design, estimands, what its plan needs besides, what the labelling page says at the end)
PLANS: tuple[tuple[str, list[str], dict[str, Any], str], ...] = (
    ("stratified", ["accuracy"],
     {"budget": 12, "promise": "fixed", "params": {"n_strata": 5, "n_step": 5}}, ASKED),
    ("oversampling", ["precision", "recall"], {"budget": 12, "promise": "fixed"}, ASKED),
    ("recycling", ["precision", "recall"],
     {"classifier": list(CUTS), "params": {"parent": "strict", "children": ("lenient",),
                                           "sample_size": 8, "negatives": 5}}, ASKED),
    ("reach_selection", ["selection"],
     {"budget": 60, "params": {"candidates": (12, 24), "precision_threshold": 0.7,
                               "precision_slack": 0.2, "reach_slack": 0.3}}, CHOSEN),
    ("logarithmic_stratified", ["precision_curve"],
     {"promise": "watched", "params": {"epsilon": 1.0, "first_rank": 4, "beta": 1.9,
                                       "minimum_precision": 0.9}}, ASKED),
    ("random_curve", ["precision_curve", "average_precision"],
     {"budget": 12, "params": {"head": 4}}, ASKED),
    ("paula", ["precision_curve"], {"params": {"epsilon": 0.4, "window": 4}}, ASKED),
)  # fmt: skip
AUTHORS = {
    "stratified": "Kumar, A.", "oversampling": "Shang, H.", "recycling": "Tripathi, R.",
    "reach_selection": "Bennett, P. N.", "logarithmic_stratified": "Sabharwal, A.",
    "random_curve": "Sabharwal, A.", "paula": "Sabharwal, A.",
}  # fmt: skip
UNSURE_AT, UNDO_AT, MOST_PRESSES = (3, 9), 6, 40


def make_project(
    data: Path, design: str, estimands: list[str], terms: dict[str, Any]
) -> dict[str, bool]:
    """A project of this design on 80 scored items with two classifiers; {text on screen: truth}."""
    random = Random(6)
    scores = sorted((round(random.betavariate(0.7, 1), 5) for _ in range(ITEMS)), reverse=True)
    rows = [
        {"id": f"p{place}", "text": f"Message {place}", "score": score}
        | {name: int(score >= cut) for name, cut in CUTS.items()}
        for place, score in enumerate(scores)
    ]
    path = driving.write_csv(data / "files" / f"{design}.csv", rows)
    population = lc.read_population(
        path, id="id", content=["text"], scores={"strict": "score"},
        predictions={name: name for name in CUTS},
    )  # fmt: skip
    plan = lc.Plan(design, estimands, seed=4, **{"classifier": "strict", **terms})
    with closing(open_store(driving.store_url(data))) as store:
        lc.Session(population, plan, store, design, settings={"question": "Is it a prize?"})
    return {
        str(row["text"]): random.random() < score for row, score in zip(rows, scores, strict=True)
    }


@contextmanager
def opened(data: Path, project: str) -> Iterator[lc.Session]:
    session = lc.Session.open(driving.store_url(data), project)
    with closing(session.store):
        yield session


def type_everything(page: Page, truth: dict[str, bool]) -> list[str]:
    """The truth of every item that comes, two of them unsure, one undone; the keys pressed."""
    pressed: list[str] = []
    while (text := driving.shown(page)["text"]) and len(pressed) < MOST_PRESSES:
        place = len(pressed)
        key = "u" if place == UNDO_AT else "s" if place in UNSURE_AT else "ny"[truth[text]]
        pressed.append(key)
        driving.answer(page, key)
    assert len(pressed) < MOST_PRESSES, "it did not come to an end"
    return pressed


def is_sound(page: Page) -> None:
    wait_until_idle(page)
    assert not page.locator("[data-testid='stException']").count()
    assert not page.locator("[data-testid='stAlertContentError']").count()


def quoted(session: lc.Session) -> str:
    """The sentence of the first result; of a curve that of its first items."""
    first = next(iter(session.results().values()))
    if isinstance(first, Band):
        return headline(session).partition(" From ")[0]
    return first.sentence()


def in_short(session: lc.Session) -> str:
    """The same in at most twenty words, as the labelling page says it."""
    first = next(iter(session.results().values()))
    if isinstance(first, Choice):
        return choice_short(first)
    if isinstance(first, Band):
        return picture(session, beside(session), None).sentence
    return short_sentence(first)


def text_of(page: Page) -> str:
    """Everything on the page, with single spaces."""
    return re.sub(r"\s+", " ", page.locator("[data-testid='stMain']").inner_text())


def figure_words(estimate: Estimate) -> list[str]:
    if estimate.told is None:
        low, high = words.percent_range(estimate.low, estimate.high)
        return [f"at least {low}"] if estimate.high == 1 else [low, high]
    return [words.value_percent(estimate.told, estimate.low, estimate.high), between(estimate)]


def between(estimate: Estimate) -> str:
    low, high = words.percent_range(estimate.low, estimate.high)
    return f"{low.removesuffix(' %')} to {high}"


@pytest.mark.full
@pytest.mark.parametrize(
    ("design", "estimands", "terms", "end"), [pytest.param(*plan, id=plan[0]) for plan in PLANS]
)
def test_typed_to_the_end(
    page: Page, shared_server: Server, design: str, estimands: list[str],
    terms: dict[str, Any], end: str,
) -> None:  # fmt: skip
    data, url = shared_server.data, shared_server.url
    truth = make_project(data, design, estimands, terms)
    driving.open_label(page, url, design)
    expect(page.locator(".lc-line").first).to_contain_text(at_the_start(data, design))
    keys = type_everything(page, truth)
    state = page.locator(".st-key-state")
    expect(state.locator("h2")).to_have_text(end)
    assert state.locator(".st-key-go-on").count() == ("budget" in terms and end == ASKED)
    is_sound(page)
    stored_as_typed(page, data, design, keys, truth)
    with opened(data, design) as session:
        assert session.status != "open" and not session.going_on
        sentence = quoted(session)
        expect(state).to_contain_text(in_short(session))
        ended_rightly(session, truth)
        progress_says_it(page, f"{url}/progress?project={design}", sentence)
        report_says_it(page, f"{url}/report?project={design}", session, sentence)
    replayed = replay_project(driving.store_url(data), design)
    assert replayed.answers == len(driving.answers(data, design))
    assert "Traceback" not in shared_server.log


def at_the_start(data: Path, project: str) -> str:
    """How many labels there will be; where a choice ends it, at most those of its largest cut."""
    with opened(data, project) as session:
        engine, design = session.engine, session.engine.design
        called = design.candidates(engine.frame) if isinstance(design, Chooses) else {}
        most = max((len(items) for items in called.values()), default=0)
        return f"0 of at most {most}" if most else f"0 of {session.plan.planned} "


def stored_as_typed(
    page: Page, data: Path, project: str, keys: list[str], truth: dict[str, bool]
) -> None:
    """An answer for each key but Undo, on the item that was on screen; one of them taken back."""
    stored = driving.answers(data, project)
    assert [driving.KEYS[driving.said(event)] for event in stored] == [k for k in keys if k != "u"]
    presses = driving.pressed(page)
    assert [one.key for one in presses] == keys
    texts = {f"p{place}": text for place, text in enumerate(truth)}
    assert driving.disagreements(stored, presses, texts) == []
    assert len(driving.undone(driving.events(data, project))) == keys.count("u") == 1


def ended_rightly(session: lc.Session, truth: dict[str, bool]) -> None:
    """As many answers as planned; a choice ends earlier by itself, and is a right one."""
    first = next(iter(session.results().values()))
    if not isinstance(first, Choice):
        assert session.engine.answers_given == session.plan.planned
        assert isinstance(first, Band) or first.has_interval
        return
    assert session.engine.answers_given < session.engine.most
    assert first.status == "guaranteed"
    codes = np.array(list(truth.values()), dtype=np.int64)
    assert first.chosen in true_choice(session.engine, codes).right


def progress_says_it(page: Page, address: str, sentence: str) -> None:
    page.goto(address)
    driving.unfold(page, "fold-terms")
    expect(page.locator(".st-key-sentence").first).to_contain_text(sentence)
    page.locator(".living .chart").wait_for()
    is_sound(page)


def report_says_it(page: Page, address: str, session: lc.Session, sentence: str) -> None:
    """The sentence of every result, the figures of every classifier; the report as a file too."""
    page.goto(address)
    expect(page.locator(".st-key-sentence").first).to_contain_text(sentence)
    button = page.locator("[class*='st-key-download-report-html'] button:visible")
    button.wait_for()
    is_sound(page)
    said = text_of(page)
    results = session.results().values()
    first, *others = [one for one in results if "@" not in one.estimand]
    others = [replace(one, tail_share=None) if isinstance(one, Estimate) else one for one in others]
    assert all(one.sentence() in said for one in (first, *others))
    for one in results:
        if isinstance(one, Estimate):
            assert all(figure in said for figure in figure_words(one)), one.estimand
        elif isinstance(one, Choice):
            assert all(str(name) in said for name in one.bounds["classifier"])
    with page.expect_download() as download:
        button.click()
    html = Path(download.value.path()).read_text("utf-8")
    assert AUTHORS[session.plan.design] in html
    assert sentence in re.sub(r"&#x27;|&#39;", "'", html).replace("\N{NO-BREAK SPACE}", " ")
