"""Nested JSON in a real browser: from the drop to the first item, or to a sentence."""

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from labelcore.ui.new_columns import OPEN_MEANINGS
from tests.app.test_nested_files import FILES
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server


@pytest.mark.full
@pytest.mark.parametrize("name", FILES)
def test_from_the_drop_to_the_first_item_or_to_a_sentence(
    name: str, shared_server: Server, page: Page, tmp_path: Path
) -> None:
    row_of, shown = FILES[name]
    rows = [{"id": n, **row_of(n)} if row_of(n) else {} for n in range(60)]
    path = tmp_path / f"{name}.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    faults: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    page.on("response", lambda given: faults.append(given.url) if given.status >= 400 else None)
    page.goto(f"{shared_server.url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").set_input_files(path)
    if not shown:
        said = "write each item as an object" if name == "empty objects" else OPEN_MEANINGS
        expect(page.get_by_text(said).first).to_be_visible()
        wait_until_idle(page)
        assert not page.get_by_text("no fault").count() and not faults
        if name == "empty objects":
            return
        content = page.get_by_label("What does the person judge?")
        driving.fill(page, content, "part7.leaf9")
        driving.fill(page, content, "part0.leaf0")
        page.keyboard.press("Escape")
    page.get_by_text(driving.READ_WHOLE).wait_for()
    assert page.get_by_text(f"{name}.jsonl").first.is_visible()
    driving.choose(page, page.locator(".st-key-new-next button"))
    driving.fill(page, page.locator(".st-key-new-question input"), "Is the customer right?")
    driving.create_project(page)
    page.wait_for_selector(".lc-answers button")
    item = page.locator(".lc-box").inner_text()
    assert item.strip() and not item.lstrip().startswith("{") and not faults


def trace(n: int) -> dict[str, object]:
    verdict = ("pass", "fail", "ERROR", "pass", "fail")[n % 5]
    scores = [{"name": "strict", "value": verdict}, {"name": "kind", "value": 1 + n % 5}]
    said = [{"role": "user", "content": f"Question {n}?"}]
    judged = scores if n % 7 else scores[1:]
    judged = [*judged, {"name": "kind", "value": 9}] if n == 3 else judged
    output = {"content": f"Answer {n}", "notes": [{"text": f"note {n}", "sure": n % 2}]}
    return {"id": n, "input": said, "output": output, "model": "ab"[n % 2], "scores": judged}


@pytest.mark.full
def test_a_value_is_pressed_in_a_record_and_used(
    shared_server: Server, page: Page, tmp_path: Path
) -> None:
    path = tmp_path / "judged.jsonl"
    path.write_text("\n".join(json.dumps(trace(n)) for n in range(70)), "utf-8")
    page.goto(f"{shared_server.url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").set_input_files(path)
    page.get_by_text(driving.READ_WHOLE).wait_for()
    passes = "strict: pass counts as passed, all else does not: fail (24), ERROR (12), empty (10)."
    expect(page.get_by_text(passes)).to_be_visible()
    twice = "scores[name=kind] is there twice in 1 line: the first counts."
    expect(page.get_by_text(twice)).to_be_visible()
    page.locator(".st-key-new-take summary").click()
    line = page.locator('.lc-tree button[data-figure="output.notes[-1].text"]')
    expect(line).to_contain_text("in all 70 lines")
    missing = page.locator('.lc-tree button[data-figure="scores[name=kind].value"]')
    expect(missing).to_contain_text("in all 70 lines")
    line.click()
    page.locator(".st-key-new-use button", has_text="shown").click()
    page.locator(".st-key-new-use").wait_for(state="detached")
    wait_until_idle(page)
    driving.choose(page, page.locator(".st-key-new-next button"))
    driving.fill(page, page.locator(".st-key-new-question input"), "Is the answer right?")
    driving.create_project(page)
    page.wait_for_selector(".lc-answers button")
    item = page.locator(".lc-box").inner_text()
    assert "note " in item and "Answer " in item and "pass" not in item
