"""The server killed with -9 at random moments while labels are given in a real browser."""

import re
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

from playwright.sync_api import Page

from labelcore.replay import replay_project
from labelcore.store import open_store
from tests.browser import driving
from tests.browser.server import Server

LATEST_KILL_SECONDS = 0.060

# What the page claims: the count in its progress line, and the line that says Saved.
CLAIMS = """
(() => {
  const claims = { count: 0, saved: "" };
  const look = () => {
    const line = document.querySelector(".lc-line");
    const found = line && line.textContent.match(/^([\\d,]+) of /);
    if (found) claims.count = Math.max(claims.count, Number(found[1].replaceAll(",", "")));
    const saved = document.querySelector(".lc-saved");
    if (saved) claims.saved = saved.textContent;
  };
  document.addEventListener("DOMContentLoaded", () => new MutationObserver(look).observe(
    document.body, { childList: true, subtree: true, characterData: true }));
  window.labelcoreClaims = claims;
})();
"""


@dataclass(frozen=True)
class Killed:
    """One kill: how it was timed, and what came of the press before it."""

    how: str
    outcome: str
    claimed: int
    stored: int


class Killer(threading.Thread):
    """Kills the server: so long after ``go``, or as soon as the store's file changes."""

    def __init__(self, server: Server, after: float | None) -> None:
        super().__init__(daemon=True)
        self.server, self.after, self.go = server, after, threading.Event()
        self.wal = server.data / "labelcore.db-wal"
        self.before = self._state()

    def _state(self) -> tuple[int, int]:
        status = self.wal.stat()
        return status.st_size, status.st_mtime_ns

    def run(self) -> None:
        self.go.wait()
        if self.after is not None:
            time.sleep(self.after)
        else:
            deadline = time.monotonic() + 2
            while self._state() == self.before and time.monotonic() < deadline:
                pass
        self.server.kill()


def said_saved(line: str) -> str:
    """The answer that "Saved: Yes" speaks of."""
    return line.removeprefix("Saved: ").strip().lower()


def one_kill(
    page: Page, server: Server, project: str, random: Random, how: str,
    sent_on: Sequence[driving.Pressed],
) -> Killed:  # fmt: skip
    """``sent_on`` are the presses of the page as it was opened before: what it had kept of the
    last one it sends on when it is opened anew."""
    driving.label_items(page, random.randrange(2), lambda _: random.choice("yn"))
    token = driving.shown(page)["token"]
    after = None if how == "on write" else random.uniform(0, LATEST_KILL_SECONDS)
    killer = Killer(server, after)
    killer.start()
    if how == "between":
        killer.go.set()
        killer.join()
    else:
        page.evaluate("() => 0")  # Nothing is under way to the page.
        killer.go.set()
        page.keyboard.press(random.choice("yn"))
        killer.join()
    assert not server.running
    page.wait_for_timeout(150)  # What the server had sent may still be drawn.
    claims = page.evaluate("labelcoreClaims")
    seen = driving.probed(page)["shown"]
    drawn = [one["token"] for one in seen if one["token"]]
    stored = driving.answers(server.data, project)
    answered = {event.answers for event in stored}
    # An item that gave way to the next one, or was counted, was called saved.
    left = {one for one, after_it in pairwise(drawn) if one != after_it}
    assert left <= answered, "an item that the page had left behind is not in the store"
    assert claims["count"] <= len(stored) <= claims["count"] + 1
    if claims["saved"].startswith("Saved: ") and claims["count"]:
        # The page draws the count first and the word last: a kill between the two leaves the
        # word of the press before, and nothing else.
        late = how != "between" and claims["count"] > 1
        claimed = stored[claims["count"] - 1 - late : claims["count"]]
        assert said_saved(claims["saved"]) in map(driving.said, claimed)
    mine, presses = [e for e in stored if e.answers in drawn], [*sent_on, *driving.pressed(page)]
    assert driving.disagreements(mine, presses, driving.TEXTS) == []
    outcome = "not stored, not called saved"
    if token in answered:
        told = len(stored) == claims["count"]
        outcome = "stored and called saved" if told else "stored, not yet called saved"
    return Killed(how, outcome, claims["count"], len(stored))


def reopened(page: Page, server: Server, project: str, kills: list[Killed]) -> int:
    """The labels there are once the page, opened anew, has sent on what it had kept of the press
    before the last kill."""
    driving.open_label(page, server.url, project)
    driving.settle(page)
    stored, before = len(driving.answers(server.data, project)), kills[-1].stored if kills else 0
    assert before <= stored <= before + bool(kills)
    return stored


def killed_often(page: Page, server: Server, times: int, seed: int) -> tuple[list[Killed], int]:
    """So many kills, the server started again on the same data after each; also the events of the
    log, which is replayed at the end. Raises AssertionError where a label is missing that the page
    had called saved, or one is there that was not pressed on its item.
    """
    random = Random(seed)
    project = driving.make_project(server.data, "Killed", budget=300)
    page.add_init_script(CLAIMS)
    kills: list[Killed] = []
    pressed: list[driving.Pressed] = []
    for number in range(times):
        how = ("after press", "on write", "after press", "between")[number % 4]
        if how == "between" and number % 8 != 3:
            how = "on write"
        stored = reopened(page, server, project, kills)
        count = re.match(r"(\d+) of", driving.text_of(page, "line"))
        assert count and int(count[1]) == stored
        if stored:
            last = driving.answers(server.data, project)[-1]
            assert said_saved(driving.text_of(page, "saved")) == driving.said(last)
        kills.append(one_kill(page, server, project, random, how, pressed))
        pressed = driving.pressed(page)
        server.start()
    stored = reopened(page, server, project, kills)
    driving.answer(page, "y")
    assert len(driving.answers(server.data, project)) == stored + 1
    store = open_store(driving.store_url(server.data))
    replay_project(store, project)
    events = store.last_sequence(project)
    store.close()
    return kills, events
