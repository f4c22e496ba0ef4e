"""By key: known answers, two classifiers compared, a second pass, and two people who differ."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.replay import replay_project
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

ITEMS, KNOWN, LABELS = 160, 40, 10
PROJECT = "compared"
FLIPPED = (3, 7)
"""Places in the second pass at which the answer is another one than before."""


def rows() -> tuple[list[dict[str, object]], dict[str, bool]]:
    """A file in which a quarter of the answers is known, drawn at random; and what is true."""
    random = Random(12)
    known = set(random.sample(range(ITEMS), KNOWN))
    found, truth = [], {}
    for place in range(ITEMS):
        score = random.betavariate(0.7, 1)
        text, true = f"Message {place}", random.random() < score
        truth[text] = true
        found.append({
            "id": f"m{place}", "text": text,
            "score_a": round(score, 4), "pred_a": int(score > 0.5),
            "score_b": round(score**2, 4), "pred_b": int(score**2 > 0.5),
            "label": int(true) if place in known else "",
        })  # fmt: skip
    return found, truth


def make_project(data: Path, content: list[dict[str, object]]) -> None:
    """Two classifiers compared, the known answers taken as a random sample of the file."""
    path = driving.write_csv(data / "files" / f"{PROJECT}.csv", content)
    population = lc.read_population(
        path, id="id", content="text", known="label",
        scores={"a": "score_a", "b": "score_b"}, predictions={"a": "pred_a", "b": "pred_b"},
    )  # fmt: skip
    plan = lc.Plan(
        "paired_comparison", ["accuracy_difference"], classifier=["a", "b"], budget=LABELS,
        promise="fixed", existing="random", seed=5,
    )  # fmt: skip
    with closing(lc.open_store(driving.store_url(data))) as store:
        lc.Session(population, plan, store, PROJECT, settings={"question": "Is it right?"})


@pytest.mark.full
def test_known_answers_a_comparison_and_a_second_pass(page: Page, shared_server: Server) -> None:
    data, url = shared_server.data, shared_server.url
    content, truth = rows()
    make_project(data, content)
    driving.open_label(page, url, PROJECT)
    for _ in range(LABELS):
        driving.answer(page, "ny"[truth[driving.shown(page)["text"]]])
    state = page.locator(".st-key-state").first
    expect(state).to_contain_text("All the labels asked for are there")
    driving.unfold(page, "details")
    expect(state).to_contain_text("no item was judged twice")
    driving.choose(page, state.get_by_role("button", name="a second time"))
    driving.wait_for_item(page)
    for place in range(LABELS):
        right = truth[driving.shown(page)["text"]]
        driving.answer(page, "ny"[right != (place in FLIPPED)])
    expect(state).to_contain_text("All the labels asked for are there")

    session = lc.Session.open(driving.store_url(data), PROJECT)
    with closing(session.store):
        known = {row["text"] for row in content if row["label"] != ""}
        given = session.state.screens.shown.values()
        shown = {session.item(one.draw)["text"] for one in given}
        assert len(shown) == LABELS and not shown & known, "a known item was asked"
        found = session.label_error()
        assert (len(found.readings), len(found.differing)) == (LABELS, len(FLIPPED))
        first = session.results()["accuracy_difference"].sentence()
        assert "of them from before" in first
        for name in ("progress", "report"):
            page.goto(f"{url}/{name}?project={PROJECT}")
            if name == "progress":
                driving.unfold(page, "fold-terms")
            expect(page.locator(".st-key-sentence").first).to_contain_text(first)
            if name == "progress":
                page.goto(f"{url}/people?project={PROJECT}")
                driving.unfold(page, "fold-errors")
            wait_until_idle(page)
            main = page.locator("[data-testid='stMain']").inner_text()
            assert found.sentence() in main.replace("\N{NO-BREAK SPACE}", " ")
            assert not page.locator("[data-testid='stException']").count()
    assert replay_project(driving.store_url(data), PROJECT).answers == LABELS
    assert "Traceback" not in shared_server.log


@pytest.mark.full
def test_two_people_differ_and_it_is_settled(
    shared_server: Server, new_browser: Callable[..., Page]
) -> None:
    data, url = shared_server.data, shared_server.url
    project = driving.make_project(data, "Differing", overlap=1.0)
    first, other = new_browser(), new_browser()
    driving.open_label(first, url, project)
    texts = []
    for _ in range(2):
        texts.append(driving.shown(first)["text"])
        driving.answer(first, "y")
    driving.open_label(other, url, project)
    for text in texts:  # The same items, and nothing tells what was said of them.
        assert driving.shown(other)["text"] == text
        expect(other.locator(".st-key-who")).to_be_visible()
        driving.answer(other, "n")
    asked = other.locator(".st-key-who").bounding_box()
    assert asked is not None and asked["y"] + asked["height"] <= 800, "above the end of the screen"
    driving.fill(other, other.locator(".st-key-who-name input"), "Bob", "Enter")
    expect(other.locator(".st-key-who")).to_have_count(0)

    other.goto(f"{url}/people?project={project}")
    for number, key in enumerate("yn"):
        expect(other.get_by_text(f"{number} of 2 settled")).to_be_visible()
        wait_until_idle(other)
        reason = other.locator("[class*='st-key-settle-reason'] input")
        driving.fill(other, reason, "an offer, really")
        settled = [one for one in driving.events(data, project) if one.kind == "settled"]
        assert len(settled) == number, "a key that was typed settles nothing"
        other.locator(".st-key-quiet-left").click()
        other.keyboard.press(key)
    expect(other.get_by_text("Which answer counts?")).to_have_count(0)
    wait_until_idle(other)
    settled = [one for one in driving.events(data, project) if one.kind == "settled"]
    assert [(one.label, one.text, one.annotator) for one in settled] == [
        ("yes", "an offer, really", "me 2"), ("no", "an offer, really", "me 2"),
    ]  # fmt: skip
