"""By key: answers that were there before, two classifiers compared, items judged a second time."""

from __future__ import annotations

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
            wait_until_idle(page)
            main = page.locator("[data-testid='stMain']").inner_text()
            assert found.sentence() in main.replace("\N{NO-BREAK SPACE}", " ")
            assert not page.locator("[data-testid='stException']").count()
    assert replay_project(driving.store_url(data), PROJECT).answers == LABELS
    assert "Traceback" not in shared_server.log
