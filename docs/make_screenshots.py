"""Screenshots of the app, from a temporary data folder: ``python docs/make_screenshots.py``.

Writes docs/images/*.png. The same labels on the same items each time; only times of the day and
the browser's fonts differ from one machine to another.
"""

from __future__ import annotations

import csv
import io
import shutil
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from PIL import Image  # noqa: E402
from playwright.sync_api import Browser, Page, sync_playwright  # noqa: E402

from labelcore.population import read_population  # noqa: E402
from labelcore.session import Session  # noqa: E402
from labelcore.trials import TRIALS, Trial  # noqa: E402
from tests.browser.conftest import ARGUMENTS, NAMES  # noqa: E402
from tests.browser.driving import store_url  # noqa: E402
from tests.browser.server import Server  # noqa: E402

IMAGES = ROOT / "docs" / "images"
LARGEST_BYTES, LARGEST_SUM = 150_000, 1_500_000
LABELS = 70
READY = '[data-testid="stApp"][data-test-script-state="notRunning"]'


def make_project(data: Path, trial: Trial, labels: int, *, finish: bool = False) -> str:
    """A trial's project, its first items answered with the known truth; its name."""
    path = trial.write(data / "files" / "trials")
    with path.open(encoding="utf-8", newline="") as stream:
        truth = {row["id"]: row["true_label"] == "1" for row in csv.DictReader(stream)}
    population = read_population(path, **trial.read_arguments)
    name = trial.label + (" (finished)" if finish else "")
    settings = {
        "question": trial.question,
        "instructions": trial.instructions,
        "answer_words": [trial.positive_words, trial.negative_words],
        "trained_on": "no",
        "trial": trial.name,
    }
    session = Session(population, trial.plan, store_url(data), name, settings=settings)
    for place in range(labels):
        draw = session.next()
        if draw is None:
            break
        session.answer(draw, "unsure" if place == 23 else truth[draw.item_id])
        session.results()
    if finish:
        session.finish("enough for a picture")
    session.store.close()
    return name


def save(page: Page, name: str) -> Path:
    """The page as a small PNG: as many colours as fit, at most 256."""
    page.wait_for_selector(READY)
    page.wait_for_timeout(1200)
    page.mouse.move(0, 0)
    image = Image.open(io.BytesIO(page.screenshot(animations="disabled")))
    target = IMAGES / f"{name}.png"
    for colours in (256, 128, 64):
        image.convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size <= LARGEST_BYTES:
            return target
    raise SystemExit(f"{target} has {target.stat().st_size:,} bytes even with 64 colours")


def fit(page: Page) -> None:
    """As tall as the content: Streamlit scrolls inside, a full-page picture would be cut."""
    page.wait_for_selector(READY)
    for _ in range(6):
        page.wait_for_timeout(700)
        height = page.evaluate(
            "Math.ceil(document.querySelector('[data-testid=stMainBlockContainer]')"
            ".getBoundingClientRect().height)"
        )
        size = page.viewport_size
        if size is None or size["height"] == max(height, 500):
            return
        page.set_viewport_size({"width": size["width"], "height": min(max(height, 500), 4000)})


def start(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".st-key-trial-digits button").wait_for()
    fit(page)
    save(page, "start")


def projects(page: Page, url: str) -> None:
    page.goto(url)
    page.locator(".st-key-project-0").wait_for()
    fit(page)
    save(page, "projects")


def new_project(page: Page, url: str, file: Path) -> None:
    page.goto(f"{url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").set_input_files(file)
    page.get_by_text("no fault").wait_for()
    fit(page)
    save(page, "new-project-items")
    field = page.locator(".st-key-new-question input")
    field.fill("Is this message spam?")
    field.press("Enter")
    page.locator(".st-key-new-create button").wait_for()
    page.wait_for_selector(READY)
    first = page.get_by_role("heading", name="2 · Question").bounding_box()
    fit(page)
    save(page, "new-project")
    if first is None:
        raise SystemExit("the second step is not on the page")
    whole = Image.open(IMAGES / "new-project.png")
    top = int(first["y"]) - 10
    middle = page.get_by_role("heading", name="4 · How sure?").bounding_box()
    cut = int(middle["y"]) - 10 if middle else whole.height
    whole.crop((0, top, whole.width, cut)).save(IMAGES / "new-project-question.png", optimize=True)
    whole.crop((0, cut, whole.width, whole.height)).save(
        IMAGES / "new-project-sure.png", optimize=True
    )
    (IMAGES / "new-project.png").unlink()


def project_page(page: Page, url: str, path: str, project: str, name: str) -> None:
    page.goto(f"{url}/{path}?project={quote(project)}")
    page.wait_for_selector(".st-key-answers button, .st-key-sentence")
    if path != "label":
        fit(page)
    save(page, name)


def pictures(browser: Browser, data: Path, server: Server) -> None:
    def opened(width: int, height: int, colours: str = "light") -> Page:
        context = browser.new_context(
            viewport={"width": width, "height": height},
            color_scheme=colours,
            timezone_id="Europe/Vienna",
            locale="en-GB",
            reduced_motion="reduce",
        )
        context.set_default_timeout(60_000)
        return context.new_page()

    def take(
        do: Callable[..., None], *given: object, size: tuple[object, ...] = (1280, 800)
    ) -> None:
        page = opened(*size)  # type: ignore[arg-type]
        do(page, server.url, *given)
        page.context.close()

    take(start)
    file = TRIALS["messages"].write(data.parent / "upload")
    take(new_project, file, size=(1100, 900))
    digits = make_project(data, TRIALS["digits"], LABELS)
    messages = make_project(data, TRIALS["messages"], LABELS)
    finished = make_project(data, TRIALS["digits"], 120, finish=True)
    for path, project, name, size in (
        ("label", messages, "label-text", (1280, 860)),
        ("label", messages, "label-text-dark", (1280, 860, "dark")),
        ("label", messages, "label-text-390", (390, 844)),
        ("label", digits, "label-digits", (1280, 860)),
        ("label", digits, "label-digits-dark", (1280, 860, "dark")),
        ("label", digits, "label-digits-390", (390, 844)),
        ("progress", digits, "progress", (1280, 900)),
        ("report", finished, "report", (1280, 900)),
    ):
        take(project_page, path, project, name, size=size)
    take(projects)


def main() -> None:
    executable = next(filter(None, map(shutil.which, NAMES)), None)
    if executable is None:
        raise SystemExit(f"no Chromium: none of {', '.join(NAMES)} is on the PATH")
    IMAGES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        with Server(data) as server, sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=executable, args=ARGUMENTS)
            pictures(browser, data, server)
            browser.close()
    made = sorted(IMAGES.glob("*.png"))
    total = sum(path.stat().st_size for path in made)
    for path in made:
        print(f"{path.relative_to(ROOT)}  {path.stat().st_size:,} bytes")
    if total > LARGEST_SUM:
        raise SystemExit(f"all pictures together have {total:,} bytes")


if __name__ == "__main__":
    main()
