"""What the share file is and does: ``python -m docs.measure_share`` writes docs/share.md.

Each file is opened from disk by a Chromium without network, moved by its slider, and printed.
"""

from __future__ import annotations

import tempfile
from io import BytesIO
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page
from pypdf import PdfReader

import labelcore as lc
from labelcore.report import report_html
from labelcore.report.facts import gather
from labelcore.report.first_page import MOST_ROWS, drawn_rows
from tests.browser.chromium import launch
from tests.report.sessions import session_on, write_items

PAGE = Path(__file__).parent / "share.md"
AT, LABELS, ITEMS = (1, 40, 120), 240, 4_000
TWO = {"scores": {"lr": "score", "nb": "score"}, "thresholds": {"lr": 0.5, "nb": 0.6}}
PROJECTS: dict[str, dict[str, Any]] = {
    "accuracy": {"design": "simple_random", "estimands": ["accuracy"]},
    "precision and recall": {"estimands": ["precision", "recall", "f1", "accuracy"]},
    "curve of a ranked list": {"design": "geometric_strata", "estimands": ["precision_curve"]},
    "A or B": {
        "design": "paired_comparison",
        "estimands": ["accuracy_difference"],
        "classifier": ["lr", "nb"],
        "arguments": TWO,
    },
}
FOLDER, SHOWN = PAGE.with_suffix(""), "precision and recall"
VIEWS = [
    ("light", LABELS, 1280, 720, False),
    ("halfway", 60, 1280, 720, False),
    ("dark", LABELS, 1280, 720, True),
    ("390", LABELS, 390, 844, False),
]
CAUGHT = "window.caught=1"
FROM = "http://127.0.0.1:9/x"
HOSTILE = (
    f"<script>{CAUGHT}</script>",
    f"</script><script>{CAUGHT}</script>",
    f"</style><script>{CAUGHT}</script>",
    f"</title><script>{CAUGHT}</script>",
    f"--><script>{CAUGHT}</script>",
    f"]]><script>{CAUGHT}</script>",
    f"<img src=x onerror={CAUGHT}>",
    f"<svg onload={CAUGHT}>",
    f"<svg><script>{CAUGHT}</script></svg>",
    f"<body onload={CAUGHT}>",
    f"<details open ontoggle={CAUGHT}>",
    f"<input autofocus onfocus={CAUGHT}>",
    f"<video><source onerror={CAUGHT}></video>",
    f'" onmouseover="{CAUGHT}" x="',
    f"' autofocus onfocus='{CAUGHT}",
    f"`${{{CAUGHT}}}`",
    f"javascript:{CAUGHT}",
    f'<a href="javascript:{CAUGHT}">x</a>',
    f"<iframe srcdoc='<script>parent.{CAUGHT}</script>'></iframe>",
    f"<object data='data:text/html,<script>{CAUGHT}</script>'></object>",
    f"<math><mtext></form><form><mglyph><style></math><img src onerror={CAUGHT}>",
    f"&lt;script&gt;{CAUGHT}&lt;/script&gt;",
    f"\\u003cscript\\u003e{CAUGHT}\\u003c/script\\u003e",
    f'"}}]}}</script><script>{CAUGHT}//',
    f"<img src={FROM}>",
    f"<link rel=stylesheet href={FROM}>",
    f"<link rel=prefetch href={FROM}>",
    f"<style>@import '{FROM}';</style>",
    f"<style>body{{background:url({FROM})}}</style>",
    f"<p style=\"background:url('{FROM}')\">x</p>",
    f"<form action={FROM}><button autofocus>x</button></form>",
    f"<meta http-equiv=refresh content='0;url={FROM}'>",
    f"<base href={FROM}>",
    f"{FROM} https://example.org www.example.org",
    '=HYPERLINK("http://127.0.0.1:9/x","x")',
    "=cmd|' /C calc'!A0",
    "a\x00b\x01c\x7f",
    "\u202e% 99 ot 98 :erus % 59\u202c",
    "\u2066isolated\u2069 \u200fright\u200e",
    "\ud7ff\ufffe\u2028line\u2029paragraph",
)


def said(session: lc.Session) -> list[list[str]]:
    """Both texts of each row of the picture now."""
    return [list(one.said) for one in drawn_rows(gather(session), MOST_ROWS).values()]


def shown(page: Page, labels: int) -> list[list[str]]:
    """What stands in the rows of the page when its slider is moved to so many labels."""
    page.locator(".slider").evaluate(
        "(slider, labels) => { slider.value = labels; slider.dispatchEvent(new Event('input')); }",
        labels,
    )
    texts = (page.locator(f".rows .{kind}").all_text_contents() for kind in ("said", "between"))
    return [list(one) for one in zip(*texts, strict=True)]


def pictures(page: Page) -> None:
    """The precision and recall file at its end and halfway, by day, by night and on a telephone."""
    FOLDER.mkdir(exist_ok=True)
    for name, at, width, height, scheme in VIEWS:
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme="dark" if scheme else "light")
        shown(page, at)
        image = Image.open(BytesIO(page.screenshot())).convert("RGB")
        image.quantize(40, dither=Image.Dither.NONE).save(FOLDER / f"{name}.png", optimize=True)


class Opened:
    """A file opened from disk without network, and everything it asked for or complained about."""

    def __init__(self, browser: Browser, file: Path) -> None:
        self.context = browser.new_context(offline=True)
        self.page = self.context.new_page()
        self.asked: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda one: self.asked.append(one.url))
        self.page.on("console", lambda one: self.complaints.append(one.text))
        self.page.on("pageerror", lambda one: self.complaints.append(str(one)))
        self.page.on("dialog", lambda one: self.complaints.append(one.message))
        self.page.goto(file.as_uri())
        self.asked.remove(file.as_uri())


def row_of(browser: Browser, folder: Path, kind: str) -> str:
    """A line of the table of projects."""
    truth = write_items(folder / "items.csv", ITEMS)
    session = session_on(folder / "items.csv", budget=LABELS, **PROJECTS[kind])
    then = {}
    while (draw := session.next()) is not None:
        session.answer(draw, truth[draw.item_id])
        if session.labels in AT:
            then[session.labels] = said(session)
    session.finish()
    file = folder / "share.html"
    file.write_text(report_html(session, errors=True), "utf-8")
    one = Opened(browser, file)
    # A list that has no bounds yet has no rows; its page has those of the end, and says "not yet".
    same = [
        then[at] == got or (not then[at] and {one[1] for one in got} == {"not yet"})
        for at in AT
        for got in [shown(one.page, at)]
    ]
    pages = len(PdfReader(BytesIO(one.page.pdf(format="A4"))).pages)
    size = file.stat().st_size / 1000
    if kind == SHOWN:
        pictures(one.page)
    one.context.close()
    return (
        f"| {kind} | {session.labels:,} | {size:,.0f} KB | {len(one.asked)} | "
        f"{len(one.complaints)} | {sum(same)} of {len(AT)} | {pages} |"
    )


def hostile(browser: Browser, folder: Path) -> str:
    """A sentence on a page whose every item, and every text about them, is hostile."""
    population = lc.read_population(
        [{"id": f"{n} {text}", "text": text, "score": 0.9} for n, text in enumerate(HOSTILE)],
        id="id", content=["text"], scores={HOSTILE[0]: "score"}, thresholds={HOSTILE[0]: 0.5},
    )  # fmt: skip
    plan = lc.Plan("simple_random", ["accuracy", "precision"], budget=len(HOSTILE))
    words = "\n".join(HOSTILE[:36])
    settings = dict.fromkeys(("title", "question", "instructions", "positive_words"), words)
    session = lc.Session(population, plan, project="hostile", settings=settings)
    while (draw := session.next()) is not None:
        session.answer(draw, "no")
    session.finish(words)
    file = folder / "hostile.html"
    file.write_text(report_html(session, errors=True), "utf-8")
    one = Opened(browser, file)
    one.page.locator("details.account > summary").click()
    for at in (0, 20, len(HOSTILE)):
        shown(one.page, at)
    one.page.wait_for_timeout(500)
    ran = one.page.evaluate("window.caught === undefined") is not True
    cards = one.page.locator(".errors li").count()
    made = one.page.locator(
        "img, iframe, a, form, object, link, base, video, style ~ style"
    ).count()
    one.context.close()
    return (
        f"{len(HOSTILE)} hostile contents, each as an item's text and id, most as title, question, "
        f"instructions, reason and classifier's name: {cards} cards shown; scripts run: "
        f"{int(ran)}, requests: {len(one.asked)}, complaints: {len(one.complaints)}, elements made "
        f"of them: {made}."
    )


def main() -> None:
    """Write the page."""
    with launch(whole=True) as browser, tempfile.TemporaryDirectory() as folder:
        rows = [row_of(browser, Path(folder), kind) for kind in PROJECTS]
        about = hostile(browser, Path(folder))
    text = PAGE.read_text("utf-8") if PAGE.exists() else "# The share file\n\n"
    head = text.partition("## What it printed")[0].rstrip()
    table = [
        "| project | labels | size | requests | complaints | replay = session | pages printed |",
        "|---|---|---|---|---|---|---|",
        *rows,
    ]
    made = (
        "By `python -m docs.measure_share`, in Chromium without network, opened from disk, errors "
        f"included. *Replay = session*: at label {', '.join(map(str, AT))} the rows that the page "
        "shows are those that the session showed when it had so many labels."
    )
    PAGE.write_text(
        "\n".join([head, "", "## What it printed", "", made, "", *table, "", about, ""])
    )


if __name__ == "__main__":
    main()
