"""A person's day: from Label Studio's file to its labels back there, with what came of it gated."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import labelcore as lc
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import ROOT, Server

TASKS, CALLED, FIRST = 150, 60, 3
CLAIM, PERCENT = "precision >= 0.6", "60"


def is_prize(number: int) -> bool:
    return number % 20 != 7 if number < CALLED else number % 60 == 0


def tasks() -> list[dict[str, Any]]:
    """As Label Studio exports them: a model's choice and score, no annotation yet."""
    found = []
    for number in range(TASKS):
        called = number < CALLED
        choice = {"type": "choices", "from_name": "verdict", "to_name": "text"}
        choice["value"] = {"choices": ["spam" if called else "ham"]}  # type: ignore[assignment]
        score = (0.75 if called else 0.1) + number % 17 / 100
        model = {"model_version": "clf", "score": score, "result": [choice]}
        text = f"Message {number}: {'prize' if is_prize(number) else 'lunch'}"
        data = {"text": text, "source": f"m-{number}"}
        found.append({"id": number + 1, "data": data, "annotations": [], "predictions": [model]})
    return found


def key(page: Page, *, wrong: bool = False) -> str:
    """The key of the item on the screen: its class, or the other one."""
    return "y" if ("prize" in driving.shown(page)["text"]) != wrong else "n"


def judge_the_rest(data: Path) -> None:
    """As by key, until the claim is settled."""
    session = lc.Session.open(driving.store_url(data), "Day")
    while (draw := session.next("me")) is not None:
        session.answer(draw, is_prize(int(draw.item_id) - 1))
    session.store.close()


@pytest.mark.full
def test_a_day_from_label_studio_and_back(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "Day.json"
    path.write_text(json.dumps(tasks()), "utf-8")
    driving.to_aim(page, shared_server.url, path, "Is it a prize?")
    driving.choose_aim(page, "Precision and recall")
    driving.choose(page, page.get_by_text("A claim", exact=True))
    percent = page.locator(".st-key-new-claim-percent-0-percent input")
    driving.fill(page, percent, PERCENT)
    page.get_by_text("until every claim is settled").wait_for()
    driving.create_project(page)

    driving.open_label(page, shared_server.url, "Day")
    assert "clf" not in driving.shown(page)["text"] and "0." not in driving.shown(page)["text"]
    for _ in range(FIRST - 1):
        driving.answer(page, key(page))
    mistaken = driving.shown(page)["text"]
    driving.answer(page, key(page, wrong=True))
    change_the_newest(page, shared_server)
    judge_the_rest(shared_server.data)
    page.goto(f"{shared_server.url}/label?project=Day")
    expect(page.locator(".st-key-state")).to_contain_text("The claims are settled")
    driving.choose(page, page.locator(".st-key-state-finish button"))

    page.goto(f"{shared_server.url}/report?project=Day")
    page.locator(".st-key-downloads").wait_for()
    wait_until_idle(page)
    report = driving.download(page, "report.html", tmp_path).read_text("utf-8")
    assert "Is it a prize?" in report and "at least 60.0" in report
    driving.choose(page, page.locator(".st-key-take-labels button").first)
    home = driving.download(page, "label-studio-json", tmp_path)
    labels_are_home(home, mistaken)

    command = [sys.executable, "-m", "labelcore", "gate", "--project", "Day", "--json"]
    command += ["--store", driving.store_url(shared_server.data)]
    gate = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert gate.returncode == 0, gate.stderr
    assert json.loads(gate.stdout)["claims"][CLAIM]["status"] == "decided"


def change_the_newest(page: Page, server: Server) -> None:
    """In Review, by the key of the class that it should have had."""
    page.goto(f"{server.url}/review?project=Day")
    card = page.locator(".st-key-review-table .cards button").first
    card.wait_for()
    wait_until_idle(page)
    card.click()
    expect(page.locator(".st-key-quiet-said")).to_have_count(1)
    wait_until_idle(page)
    opened = page.locator(driving.BOX).inner_text()
    changed = next(
        one
        for one in driving.answers(server.data, "Day")
        if f"Message {int(one.item_id or 0) - 1}:" in opened
    )
    page.keyboard.press("y" if "prize" in opened else "n")
    expect(page.locator(".st-key-quiet-said")).to_contain_text(
        "spam" if "prize" in opened else "ham"
    )
    wait_until_idle(page)
    assert driving.answers(server.data, "Day")[-1].previous == changed.sequence


def labels_are_home(home: Path, mistaken: str) -> None:
    """Every answer is the right one, the changed one too, and reads back as an annotation."""
    model = {"predictions": {"clf": "clf_prediction"}, "known": "annotation"}
    population = lc.read_population(home, id="task_id", content=["text"], **model)  # type: ignore[arg-type]
    exported = json.loads(home.read_text("utf-8"))
    assert len(exported) == len(population) > FIRST
    assert any(task["data"]["text"] == mistaken for task in exported)
    for task in exported:
        choice = task["annotations"][0]["result"][0]["value"]["choices"]
        assert choice == ["spam" if "prize" in task["data"]["text"] else "ham"]
        model = task["predictions"][0]
        assert model["model_version"] == "clf" and 0 < model["score"] < 1
