"""What the tests of the labelling page do and look at: projects, a probe in the page, the store."""

from __future__ import annotations

import html
import math
import re
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import quote

from playwright.sync_api import Locator, Page, TimeoutError, expect

from labelcore.log.events import ANSWER_KINDS, Event
from labelcore.plan.plan import Plan
from labelcore.population import read_population
from labelcore.session.session import Session
from labelcore.store import open_store
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server
from tests.rows import write_rows

TEXTS = {f"i{place}": f"Message {place}" for place in range(400)}
KEYS = {"yes": "y", "no": "n", "unsure": "s", "later": "l", "broken": "b"}
BOX = ".lc-box"
SETTLE_SECONDS = 0.16
POLLING_MS = 20  # As often as frames are drawn, which is usual, costs more.
READ_WHOLE = re.compile(r"no fault|\d classes")
"""What New project says of a file once it has read every row."""
WORK_SECONDS, REST_SECONDS = 0.02, 0.05
HELD_FIRST_MS, HELD_NEXT_MS = 500, 33

# Runs before anything of the page: the listener is the first one on the window.
PROBE = """
(() => {
  const seen = { presses: [], shown: [] };
  const now = () => {
    const boxes = [...document.querySelectorAll(".lc-item:not([hidden]) .lc-box")];
    if (boxes.length !== 1) return { token: "", text: "", showing: "", boxes: boxes.length };
    // The token of the item, once the server has said it, where the item may be answered.
    const open = document.querySelector(".lc-answers button");
    const { token, showing } = boxes[0].dataset;
    const read = p => p.tagName === "IMG" ? p.currentSrc : p.textContent;
    const text = [...boxes[0].querySelectorAll(".lc-text, img")].map(read).join("\\n|\\n");
    return { token: open ? token || "" : "", text, showing, boxes: 1 };
  };
  const look = () => {
    const item = now();
    const last = seen.shown[seen.shown.length - 1];
    if (!(last && ["token", "text", "showing"].every(name => last[name] === item[name]))) {
      seen.shown.push({ at: performance.now(), ...item });
    }
  };
  const listen = how => event => {
    seen.presses.push({ how, key: event.key || event.target.textContent || "",
                        repeat: !!event.repeat, at: performance.now(), ...now() });
  };
  window.addEventListener("keydown", listen("key"), true);
  window.addEventListener("click", listen("click"), true);
  const start = () => {
    new MutationObserver(look).observe(document.body,
      { childList: true, subtree: true, characterData: true, attributes: true,
        attributeFilter: ["class", "src", "hidden", "data-token", "data-showing"] });
    look();
  };
  if (document.body) start(); else document.addEventListener("DOMContentLoaded", start);
  window.labelcoreProbe = { seen, now };
})();
"""

LOOKED_AT = """since =>
  performance.now() - (window.labelcoreProbe?.seen.shown.at(-1)?.at ?? 0) >= since"""


# --- projects -----------------------------------------------------------------------------------


def write_csv(path: Path, rows: Sequence[Mapping[str, object]]) -> Path:
    return write_rows(path, rows[0], ([row[name] for name in rows[0]] for row in rows))


def simple_rows(number: int) -> list[dict[str, object]]:
    random = Random(7)
    return [
        {"id": f"i{place}", "text": f"Message {place}", "score_m": round(random.random(), 2)}
        for place in range(number)
    ]


def make_project(
    data: Path, name: str = "Messages", *, items: int = 400,
    rows: Sequence[Mapping[str, object]] | None = None, classifiers: Sequence[str] = ("m",),
    **plan: Any,
) -> str:  # fmt: skip
    """A project in the data folder, made without the page but as by it; its name."""
    path = write_csv(data / "files" / f"{name}.csv", rows or simple_rows(items))
    scores = {name: f"score_{name}" for name in classifiers}
    cuts = dict.fromkeys(classifiers, 0.5)
    population = read_population(path, id="id", content=["text"], scores=scores, thresholds=cuts)
    terms: dict[str, Any] = {
        "design": "recalibrated_neyman",
        "estimands": ("accuracy",),
        "budget": 200,
        "seed": 3,
    }
    terms |= {"promise": "watched", **plan}
    with closing(open_store(store_url(data))) as store:
        words = {"question": "Is this right?", "instructions": "Right is right."}
        settings = {**words, "dots": True}
        made = Plan(classifier=classifiers[0] if len(classifiers) == 1 else classifiers, **terms)
        Session(population, made, store, name, settings=settings)
    return name


def label_without_page(data: Path, project: str, number: int, person: str = "me") -> None:
    """The first answers, so that figures and charts are there from the first press on."""
    session = Session.open(store_url(data), project)
    random = Random(4)
    for _ in range(number):
        draw = session.next(person)
        assert draw is not None
        session.answer(draw, random.random() < 0.7)
        session.results()
    session.store.close()


def store_url(data: Path) -> str:
    return f"sqlite:///{data / 'labelcore.db'}"


def events(data: Path, project: str) -> list[Event]:
    """The log as it is in the file now."""
    with closing(open_store(store_url(data))) as store:
        return store.events(project)


def answers(data: Path, project: str) -> list[Event]:
    """Every answer in the log, also those taken back."""
    return [event for event in events(data, project) if event.kind in ANSWER_KINDS]


def said(event: Event) -> str:
    return event.label or event.kind


def all_said(data: Path, project: str) -> list[str]:
    """What each of them says."""
    return [said(event) for event in answers(data, project)]


def undone(log: Iterable[Event]) -> set[int]:
    return {event.previous for event in log if event.kind == "undone" and event.previous}


# --- the page -----------------------------------------------------------------------------------


def to_aim(page: Page, url: str, path: Path, question: str) -> None:
    """Through New project's first two screens to its last one."""
    page.goto(f"{url}/new_project")
    page.locator(".st-key-new-upload input[type=file]").set_input_files(path)
    page.get_by_text(READ_WHOLE).wait_for()
    choose(page, page.locator(".st-key-new-next button"))
    field = page.locator(".st-key-new-question input")
    fill(page, field, question)  # Enter goes on
    create = page.locator(".st-key-new-create button")
    # Streamlit can lose a press while the run before it ends ("changed size during iteration" in
    # the server's log): whoever sees nothing happen presses again.
    try:
        create.wait_for(timeout=20_000)
    except TimeoutError:
        if field.is_visible():
            field.press("Enter")
        create.wait_for()
    wait_until_idle(page)


def choose_aim(page: Page, title: str | re.Pattern[str]) -> None:
    """Another card on New project's last screen, by its title or a pattern of it."""
    card = page.locator(".st-key-new-aim").get_by_text(title, exact=True)
    wait_until_idle(page)
    if not card.count():
        choose(page, page.get_by_text("More questions", exact=True))
    choose(page, card)


def open_label(page: Page, url: str, project: str) -> None:
    """The labelling page with the probe in it, ready for keys."""
    if not getattr(page, "labelcore_probed", False):
        page.add_init_script(PROBE)
        page.labelcore_probed = True  # type: ignore[attr-defined]
    page.goto(f"{url}/label?project={quote(project)}")
    wait_for_item(page)


def begin(page: Page, server: Server, name: str, **plan: Any) -> str:
    """A project made for the test, open to be labelled; its name."""
    make_project(server.data, name, **plan)
    open_label(page, server.url, name)
    return name


def wait_for_item(page: Page) -> None:
    """An item with its buttons."""
    page.wait_for_selector(".lc-answers button")
    settle(page)


def settle(page: Page) -> None:
    """Wait until the last press has had all its effects and the item may be answered."""
    wait_until_idle(page)
    page.wait_for_function(LOOKED_AT, arg=1000 * SETTLE_SECONDS, polling=POLLING_MS)


def shown(page: Page) -> dict[str, Any]:
    """The item on screen: {token, text, boxes}; no token before the server has confirmed it."""
    found = page.evaluate("labelcoreProbe.now()")
    return {name: found[name] for name in ("token", "text", "boxes")}


def probed(page: Page) -> dict[str, list[dict[str, Any]]]:
    """Since the page was loaded: {presses, shown}. A showing is one item put on the screen, from
    then until another one is."""
    return page.evaluate("labelcoreProbe.seen")


def wait_for_next(page: Page, token: str) -> None:
    """Wait until another item than ``token``'s, or the end, is on screen."""
    page.wait_for_function(
        "before => { const now = labelcoreProbe.now();"
        " return now.token ? now.token !== before : !!document.querySelector('.st-key-state'); }",
        arg=token,
        polling=POLLING_MS,
    )


def answer(page: Page, key: str) -> None:
    """One press, then the next item."""
    token = shown(page)["token"]
    page.keyboard.press(key)
    wait_for_next(page, token)
    settle(page)


def label_items(page: Page, number: int, choose: Callable[[int], str]) -> None:
    for place in range(number):
        answer(page, choose(place))


def hold(page: Page, key: str, repeats: int) -> None:
    """A key held as a keyboard does it: so many repeats, the first after half a second."""
    page.keyboard.down(key)
    page.wait_for_timeout(HELD_FIRST_MS)
    for _ in range(repeats):
        page.keyboard.down(key)
        page.wait_for_timeout(HELD_NEXT_MS)
    page.keyboard.up(key)


class Pace:
    """``with Pace() as pace``: what is done there takes ``pace.seconds`` on a machine with time;
    on this one ``pace.times`` as long.

    What the app promises in seconds it promises on a machine that has time for it. So pieces of
    work are timed as long as it lasts, and the one that took the longest says how many times
    longer than alone things took; on a quiet machine that is hardly more than once.
    """

    def __enter__(self) -> Pace:
        self.times, self._done = 1.0, threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._start = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        taken = time.monotonic() - self._start
        self._done.set()
        self._thread.join()
        self.seconds = taken / self.times

    def _work(self) -> None:
        while True:
            start, before = time.monotonic(), time.thread_time()
            while (worked := time.thread_time() - before) < WORK_SECONDS:
                pass
            self.times = max(self.times, (time.monotonic() - start) / worked)
            if self._done.wait(REST_SECONDS):
                return


# --- forms --------------------------------------------------------------------------------------


def choose(page: Page, target: Locator) -> None:
    """A press on something of a page that stands still, and all that it leads to.

    While a page is drawn anew a press may meet what is about to be replaced, or move away.
    """
    wait_until_idle(page)
    target.click()
    wait_until_idle(page)


def fill(page: Page, field: Locator, text: str, key: str = "Enter") -> None:
    """A text in the place of the one that is there, and all that it leads to."""
    wait_until_idle(page)
    field.fill(text)
    field.press(key)
    wait_until_idle(page)


def unfold(page: Page, key: str) -> None:
    """The fold in the container with this key; one opened before the page stands still would close
    again."""
    fold = page.locator(f".st-key-{key} details").first
    fold.wait_for()
    choose(page, fold.locator("summary").first)
    expect(fold).to_have_attribute("open", "")


def create_project(page: Page) -> None:
    """The last press of New project; then the labelling page."""
    wait_until_idle(page)
    page.locator(".st-key-new-create button").click()
    page.wait_for_url("**/label?project=*")


def finish(page: Page, reason: str = "") -> None:
    """Finish the project that is labelled."""
    choose(page, page.locator("[data-act=finish]"))
    if reason:
        fill(page, page.locator(".st-key-finish-reason input"), reason)
    choose(page, page.locator(".st-key-finish-now button"))
    expect(page.locator(".st-key-state")).to_contain_text("This project is finished")


def download(page: Page, suffix: str, folder: Path) -> Path:
    """Press the download whose key ends so; the file in the folder."""
    wait_until_idle(page)
    with page.expect_download() as waiting:
        name = suffix.replace(".", "-")
        page.locator(f"[class*='st-key-download-{name}'] button:visible").click()
    path = folder / waiting.value.suggested_filename
    waiting.value.save_as(path)
    return path


def text_of(page: Page, key: str) -> str:
    """The text in the container with this key, or in the part of the labelling surface."""
    return page.locator(f".st-key-{key}, .lc-{key}").first.inner_text()


def figures(page: Page) -> str:
    """What the page says it knows: the bars, and the sentences in full."""
    bars = page.locator(".living .bars").first.inner_text()
    return bars + (page.locator(".st-key-details").first.text_content() or "")


def saved(page: Page) -> str:
    return text_of(page, "saved")


# --- what must agree ----------------------------------------------------------------------------


@dataclass(frozen=True)
class Pressed:
    """A key that was pressed, and what was on screen at that moment, for ``looked`` ms by then."""

    key: str
    token: str
    text: str
    repeat: bool = False
    looked: float = math.inf


def pressed(page: Page, how: str = "key") -> list[Pressed]:
    """Every press; an item that the server had not confirmed by then has the token that it got
    later, as long as it stayed on the screen, or none."""
    found = probed(page)
    return [_pressed(one, found["shown"]) for one in found["presses"] if one["how"] == how]


def _pressed(press: Mapping[str, Any], shown: Sequence[Mapping[str, Any]]) -> Pressed:
    same = [one for one in shown if one["showing"] == press["showing"]]
    later = (one["token"] for one in same if one["token"] and one["at"] >= press["at"])
    return Pressed(
        press["key"].lower(), press["token"] or next(later, ""), press["text"], press["repeat"],
        press["at"] - same[0]["at"] if same else math.inf,
    )  # fmt: skip


def disagreements(
    stored: Sequence[Event], presses: Sequence[Pressed], texts: Mapping[str, str],
    keys: Mapping[str, str] = KEYS,
) -> list[str]:  # fmt: skip
    """Every stored answer for which no press of its key was made on its item; [] when all is well.

    ``texts`` is {item id: what must have been on screen}. One press accounts for one answer.
    """
    left = [one for one in presses if not one.repeat]
    wrong = []
    for event in stored:
        fitting = [
            one
            for one in left
            if one.key == keys[said(event)]
            and one.text == texts[str(event.item_id)]
            and one.token == event.answers
        ]
        if fitting:
            left.remove(fitting[0])
        else:
            wrong.append(
                f"event {event.sequence}: {said(event)} on {event.item_id} was not pressed"
            )
    return wrong


def wrongly_drawn(page: Page, data: Path, project: str, texts: Mapping[str, str]) -> list[str]:
    """Every text that ever stood above the answer buttons of another item."""
    items = {e.token: str(e.item_id) for e in events(data, project) if e.kind == "drawn"}
    states = [one for one in probed(page)["shown"] if one["token"] and one["boxes"] == 1]
    return [
        f"{items[one['token']]}: {one['text']!r} in the place of {texts[items[one['token']]]!r}"
        for one in states
        if one["text"] != texts[items[one["token"]]]
    ]


def agree(page: Page, data: Path, project: str, before: int) -> None:
    """What was stored since is what was pressed, each on its item, of ``simple_rows``."""
    stored = answers(data, project)[before:]
    assert disagreements(stored, pressed(page), TEXTS) == []
    assert wrongly_drawn(page, data, project, TEXTS) == []


def page_source_holds(page: Page, text: str) -> bool:
    return text in html.unescape(page.content())
