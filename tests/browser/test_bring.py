"""An own file comes in by a drop, a paste or a path, and Enter leads to the first item."""

import json
import zipfile
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests.browser.conftest import wait_until_idle
from tests.browser.driving import write_csv

ROWS = [
    {"id": f"m{n}", "text": f"Message {n}", "score_lr": round(n / 300, 3), "pred_lr": int(n > 200)}
    for n in range(300)
]


def opened(page: Page, url: str) -> None:
    page.goto(f"{url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").wait_for(state="attached")
    wait_until_idle(page)


def paste(page: Page, text: str) -> None:
    """As Ctrl+V does, wherever the focus is."""
    page.evaluate(
        """text => {
          const data = new DataTransfer();
          data.setData("text/plain", text);
          const event = new ClipboardEvent("paste",
            { clipboardData: data, bubbles: true, cancelable: true });
          (document.activeElement || document.body).dispatchEvent(event);
        }""",
        text,
    )


def drop(page: Page, *paths: Path) -> None:
    """Files or folders let go far from the field for files."""
    client = page.context.new_cdp_session(page)
    data = {"items": [], "files": [*map(str, paths)], "dragOperationsMask": 1}
    for kind in ("dragEnter", "dragOver", "drop"):
        client.send("Input.dispatchDragEvent", {"type": kind, "x": 640, "y": 560, "data": data})


def to_first_item(page: Page, said: str, focus: str = "") -> None:
    """By Enter alone, and the words of the question; the last press with the focus on a part."""
    page.get_by_text(said).first.wait_for()
    wait_until_idle(page)
    page.keyboard.press("Enter")
    question = page.locator(".st-key-new-question input")
    question.wait_for()
    wait_until_idle(page)
    expect(question).to_be_focused()
    page.keyboard.type("Is it spam?")
    page.keyboard.press("Enter")
    page.locator(".st-key-new-create button").wait_for()
    page.locator(".st-key-new-slider [data-testid=stSlider]").wait_for()
    wait_until_idle(page)
    if focus:
        page.locator(focus).first.focus()
    page.keyboard.press("Control+Enter")
    page.locator(".lc-box").first.wait_for()


def pictures(folder: Path) -> Path:
    for kind in ("cat", "dog"):
        (folder / kind).mkdir(parents=True)
        for n in range(20):
            Image.new("L", (8, 8), 10 * n).save(folder / kind / f"{n}.png")
    return folder


TAB_SEPARATED = "\n".join(
    "\t".join(map(str, row)) for row in [[*ROWS[0]], *(row.values() for row in ROWS)]
)


@pytest.mark.full
def test_a_path_that_is_pasted(shared_server, new_page, tmp_path: Path) -> None:
    """It stands in its field, and Enter opens it; Enter on the question goes on, on a button it
    presses that."""
    path = write_csv(tmp_path / "outside.csv", ROWS)
    page = new_page()
    page.on("filechooser", lambda _: None)  # The browser hands them over from here on.
    opened(page, shared_server.url)
    page.get_by_role("button", name="Upload", exact=True).focus()
    with page.expect_file_chooser():
        page.keyboard.press("Enter")
    paste(page, str(path))
    expect(page.locator(".st-key-new-typed input")).to_have_value(str(path))
    page.keyboard.press("Enter")
    to_first_item(page, "300 items, 1 score")
    assert (shared_server.data / "files" / "outside.csv").is_file()


def test_a_folder_and_files_that_are_dropped_and_tables_that_are_pasted(
    shared_server, new_page, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    page = new_page()
    opened(page, shared_server.url)
    drop(page, tmp_path / "empty")
    page.get_by_text("The folder holds neither a picture nor a table.").wait_for()
    (tmp_path / "pets.zip").touch()
    drop(page, tmp_path / "pets.zip", write_csv(tmp_path / "table.csv", ROWS))
    page.get_by_text("A zip comes alone.").wait_for()
    drop(page, pictures(tmp_path / "pets"))
    page.get_by_text("40 items, 1 prediction column").wait_for()
    drop(page, write_csv(tmp_path / "next.csv", ROWS))  # in place of the one before
    page.get_by_text("next.csv · 300 rows").wait_for()
    wait_until_idle(page)
    paste(page, json.dumps(ROWS))
    page.get_by_text("pasted.json · 300 rows").first.wait_for()
    wait_until_idle(page)
    paste(page, TAB_SEPARATED)
    page.get_by_text("pasted.tsv · 300 rows").first.wait_for()
    to_first_item(page, "300 items, 1 score", "summary:visible")


@pytest.mark.full
def test_a_zip_of_pictures(shared_server, new_page, tmp_path: Path) -> None:
    folder = pictures(tmp_path / "pets")
    with zipfile.ZipFile(tmp_path / "pets.zip", "w") as stream:
        for path in folder.rglob("*.png"):
            stream.write(path, path.relative_to(tmp_path))
    page = new_page()
    opened(page, shared_server.url)
    drop(page, tmp_path / "pets.zip")
    to_first_item(page, "40 items, 1 prediction column")
    page.locator(".lc-box img").first.wait_for()
