"""What New project asks of a person: words, inputs, acts and pixels, counted in Chromium.

    python docs/measure_new_project.py

prints a table for docs/new_project.md. Six files are invented, one for each kind that people bring;
each goes from the empty page to Create with what is preset. Words are those that are seen, without
the file's own contents (the preview and the first item) and the numbers on axes; an input is
anything that can be filled in or chosen, a group of choices is one, buttons and closed folds are
none.
"""

from __future__ import annotations

import csv
import random
import shutil
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.browser.conftest import wait_until_idle
from tests.browser.own_app import HEIGHTS, OwnApp, own_app

ITEMS, SEED = 4000, 7
COUNT = """() => {
  const seen = element => element.checkVisibility({visibilityProperty: true, opacityProperty: true})
    && element.getBoundingClientRect().height > 1;
  const main = document.querySelector("[data-testid=stMain]");
  const apart = "[data-testid=stDataFrame], .st-key-item, [data-testid=stIconMaterial], style, "
    + ".xtick, .ytick, .st-key-ways";
  const walker = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  let words = 0;
  while (walker.nextNode()) {
    const parent = walker.currentNode.parentElement;
    if (parent.closest(apart) || !seen(parent)) continue;
    const parts = walker.currentNode.textContent.split(/\\s+/);
    words += parts.filter(word => /[\\p{L}\\d]/u.test(word)).length;
  }
  const kinds = ["TextInput", "TextArea", "NumberInput", "Selectbox", "MultiSelect", "Radio",
    "Slider", "ButtonGroup", "Checkbox", "FileUploader", "DateInput", "TimeInput"];
  const every = kinds.map(kind => `[data-testid=st${kind}]`).join();
  const inputs = [...main.querySelectorAll(every)].filter(seen);
  const price = [...main.querySelectorAll("p")].find(
    p => /^(With|About|At most) [\\d,]+ labels/.test(p.textContent.trim()) && seen(p));
  const box = document.querySelector("[data-testid=stMainBlockContainer]");
  return {words, inputs: inputs.length, height: box.getBoundingClientRect().height,
    price: price ? price.getBoundingClientRect().top + main.scrollTop : null};
}"""


@dataclass
class Walk:
    """What was met on the way to Create."""

    words: list[int] = field(default_factory=list)
    inputs: int = 0
    acts: int = 0
    price: float = 0
    height: float = 0

    def look(self, page: Page) -> None:
        found = page.evaluate(COUNT)
        self.words.append(found["words"])
        self.height = max(self.height, found["height"])
        self.price = found["price"] or self.price

    def inputs_on(self, page: Page) -> int:
        return int(page.evaluate(COUNT)["inputs"])


def write(path: Path, rows: Sequence[Sequence[object]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream).writerows(rows)
    return path


def scored(rng: random.Random, share: float) -> tuple[int, float, int]:
    """A truth, and a classifier's score and prediction of it, right nine times in ten."""
    truth = rng.random() < share
    said = truth if rng.random() < 0.9 else not truth
    return int(truth), round(0.25 + 0.5 * said + rng.uniform(-0.24, 0.24), 3), int(said)


def files(folder: Path) -> Iterator[tuple[str, Path]]:
    """A file of each kind."""
    rng = random.Random(SEED)
    mails, ranked, pairs, topics, pictures, judged = ([] for _ in range(6))
    (folder / "pictures").mkdir()
    for n in range(ITEMS):
        _, score, said = scored(rng, 0.12)
        other = said if rng.random() < 0.92 else 1 - said
        text = f"Dear reader {n}, this is the body of a mail about offer {n % 97}."
        second = round(0.25 + 0.5 * other + rng.uniform(-0.24, 0.24), 3)
        mails.append((n, f"Offer {n % 97}", text, score, said, second, other))
        ranked.append(
            (
                n,
                f"Story {n} of the newswire, about matter {n % 53}.",
                round(rng.betavariate(0.4, 4), 4),
            )
        )
        pairs.append(
            (n, f"camera {n % 211} black 12 MP", f"black camera no. {n % 199}", score, said)
        )
        topics.append((n, text, rng.choice(("sport", "politics", "culture", "science", "travel"))))
        judged.append(
            (
                n,
                f"What is {n} plus {n % 7}?",
                f"It is {n + n % 7}.",
                "pass" if said else "fail",
                score,
            )
        )
    for n in range(300):
        Image.new("L", (32, 32), n % 256).save(folder / "pictures" / f"{n}.png")
        _, score, said = scored(rng, 0.3)
        pictures.append((n, f"pictures/{n}.png", score, said))
    heads = {
        "spam mails": (mails, "id,subject,body,score_lr,pred_lr,score_nb,pred_nb"),
        "ranked list": (ranked, "id,text,score"),
        "pairs": (pairs, "id,name_a,name_b,score_match,pred_match"),
        "five classes": (topics, "id,text,prediction"),
        "images": (pictures, "id,image,score,pred"),
        "LLM judge": (judged, "id,prompt,response,judge_verdict,judge_score"),
    }
    for name, (rows, head) in heads.items():
        yield name, write(folder / f"{name}.csv", [head.split(","), *rows])


def walked(page: Page, url: str, path: Path) -> Walk:
    """From the empty page to Create, with what is preset; one page or several screens."""
    found, screens = Walk(), page.locator(".st-key-new-next button")
    page.goto(f"{url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").wait_for(state="attached")
    wait_until_idle(page)
    several = screens.count() > 0
    found.inputs = found.inputs_on(page) if several else 0
    page.locator(".st-key-new-upload input[type=file]").set_input_files(path)
    page.get_by_text(f"{path.name} · ").wait_for()
    found.acts += 1
    wait_until_idle(page)
    if several:
        found.look(page)
        screens.click()
        found.acts += 1
    question = page.locator(".st-key-new-question input")
    question.fill("Is it so?")
    question.press("Tab")
    found.acts += 1
    wait_until_idle(page)
    if several:
        found.look(page)
        found.inputs += found.inputs_on(page)
        screens.click()
        found.acts += 1
    page.locator(".st-key-new-create button").wait_for()
    wait_until_idle(page)
    found.look(page)
    found.inputs += found.inputs_on(page)
    found.acts += 1
    return found


def main() -> None:
    with own_app() as app:
        print("| file | width | words | inputs | acts | pixels to the price | height |")
        print("|---|---|---|---|---|---|---|")
        for kind, path in files(app.folder):
            if kind == "images":
                shutil.copytree(app.folder / "pictures", app.data / "files" / "pictures")
            for width in HEIGHTS:
                print(row(app, kind, path, width), flush=True)


def row(app: OwnApp, kind: str, path: Path, width: int) -> str:
    page = app.page(width)
    found = walked(page, app.url, path)
    page.context.close()
    words = " + ".join(map(str, found.words))
    return (
        f"| {kind} | {width} | {words} | {found.inputs} | {found.acts} | {found.price:.0f} "
        f"| {found.height:.0f} |"
    )


if __name__ == "__main__":
    main()
