"""Axe on every page and state, charts as colour-blind readers see them, and the whole way by keys.

    python -m benchmarks.accessibility [--only WORD] [--rows FILE] [--write]

Every scene of docs/screens.md is opened once, in light and dark colours and enlarged to 200 %, with
little motion, and looked at once nothing is worked out, fades or moves. Of each chart the words for
those who do not see it are taken, and each pair of its colours as Chromium shows them with three
kinds of colour blindness. The way leads from a file on the disk to its report by keys alone.
"""

import atexit
import io
import itertools
import math
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from PIL import Image, ImageChops
from playwright.sync_api import Browser, Page, TimeoutError

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "docs"))

import make_screenshots  # noqa: E402
from screenshots import material, projects  # noqa: E402
from screenshots.camera import WIDE, Scene, idle  # noqa: E402

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, flat  # noqa: E402
from benchmarks.harness import table as markdown  # noqa: E402
from labelcore.ui.people import COOKIE  # noqa: E402
from tests.browser import axe  # noqa: E402
from tests.browser.chromium import launch  # noqa: E402
from tests.browser.conftest import wait_until_idle  # noqa: E402
from tests.browser.contrast import too_faint  # noqa: E402
from tests.browser.server import Server  # noqa: E402

VIEWS = {"light": WIDE, "dark": WIDE, "200 %": (640, 360)}
KINDS = ("deuteranopia", "protanopia", "tritanopia")
APART = 10.0
"""In CIELAB: about four times the least distance that is seen (2.3)."""
FEWEST_LETTERS = 30
MOST_TABS = 120
FILE_ITEMS = 30
"""Of the file whose report is asked for; all are labelled."""
STEPS = ("Start", "Items", "Question", "Aim and price", "labels", "the end")

# Through every root of the page; what moves though little motion was asked for.
DEEP = """
const roots = (from = document) => [from, ...[...from.querySelectorAll("*")]
  .flatMap(one => one.shadowRoot ? roots(one.shadowRoot) : [])];
const every = what => roots().flatMap(root => [...root.querySelectorAll(what)]);
const active = () => { let one = document.activeElement;
  while (one?.shadowRoot?.activeElement) one = one.shadowRoot.activeElement; return one; };
"""
MOVING = f"""() => {{ {DEEP}
  return [...new Set(roots().flatMap(root => root.getAnimations()).filter(one =>
    one.playState === "running" && one.effect.getComputedTiming().duration > 1)
    .map(one => one.animationName || one.transitionProperty))];
}}"""
# Nothing moves, is of an earlier run, or is still worked out, for a while.
AT_REST = f"""quiet => {{ {DEEP}
  const off = ({MOVING})().length || every("[data-stale='true'], [class*='st-key-work-']").length;
  if (off || !window.quietSince) window.quietSince = performance.now();
  return !off && performance.now() - window.quietSince >= quiet;
}}"""
QUIET_MS, PATIENCE_MS = 400, 20_000
TOO_WIDE = "() => document.documentElement.scrollWidth - innerWidth"
# The data of each chart as {colour, form}: the grid, the axes and texts are left out.
CHARTS = f"""() => {{ {DEEP}
  const drawn = "path, line, polyline, polygon, circle, rect";
  const marks = (chart, within) => [...chart.querySelectorAll(within)].flatMap(one => {{
    const look = getComputedStyle(one), box = one.getBoundingClientRect();
    if (one.closest("pattern, clipPath, defs") || box.width + box.height < 1) return [];
    if (one.classList.contains("grid")) return [];
    let seen = 1;
    for (let up = one; up && up !== chart; up = up.parentElement)
      seen *= Number(getComputedStyle(up).opacity);
    const made = (paint, form, cover) => paint === "none" || paint.startsWith("url") ||
      cover * seen < 0.05 ? [] : [{{ colour: paint, cover: cover * seen, form }}];
    const dash = look.strokeDasharray === "none" ? "line" : `line ${{look.strokeDasharray}}`;
    const round = one.tagName === "circle" || one.classList.contains("point");
    return [
      ...made(look.stroke, round ? "ring" : dash, Number(look.strokeOpacity)),
      ...made(look.fill, round ? "dot" : "area", Number(look.fillOpacity))];
  }});
  const own = every("svg.chart").map(chart => [chart, chart.getAttribute("aria-label"),
    marks(chart, drawn)]);
  const plotly = every(".js-plotly-plot").map(chart => {{
    const outer = chart.closest("[role=img], [aria-label]") || chart.parentElement;
    return [chart, outer.getAttribute("aria-label") || outer.innerText.slice(0, 300),
      marks(chart, ".trace path, .trace rect, .shapelayer path, .fills path")];
  }});
  return [...own, ...plotly].filter(([chart]) => chart.checkVisibility()).map(
    ([chart, words, marks]) => ({{ words: words || "", marks }}));
}}"""
GROUND = "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"


NOTHING_YET = "project=Not%20started"
FURTHER = (
    Scene("review-start", "", f"review?{NOTHING_YET}"),
    Scene("report-start", "", f"report?{NOTHING_YET}", wait=".st-key-ways a"),
    Scene("people-start", "", f"people?{NOTHING_YET}"),
)
"""States without a picture in docs/screens.md: nothing is there yet."""


# --- every scene -----------------------------------------------------------------------------


@cache
def _folder() -> Path:
    return Path(_kept().enter_context(tempfile.TemporaryDirectory()))


@cache
def _kept() -> ExitStack:
    """What lives until the program ends."""
    stack = ExitStack()
    atexit.register(stack.close)
    return stack


@cache
def _browser() -> Browser:
    return _kept().enter_context(launch())


@cache
def _groups() -> dict[str, tuple[Callable[[Path], object], Sequence[Scene]]]:
    made = make_screenshots.groups(_folder() / "uploads")
    found = {title: (prepare, list(scenes)) for title, prepare, scenes in made}
    found["Start page, empty"][1].append(Scene("watch-start", "", "watch", wait="h1"))
    found["Label, Progress, Explore, Report"][1].extend(FURTHER)
    return found


@cache
def _server(title: str) -> Server:
    """The app on the projects of a group of scenes, made when the first of them is asked for."""
    data = _folder() / title / "data"
    data.mkdir(parents=True)
    if title:
        _groups()[title][0](data)
    return _kept().enter_context(Server(data))


@contextmanager
def _page(url: str, size: tuple[int, int] = WIDE) -> Iterator[Page]:
    context = _browser().new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme="light",
        reduced_motion="reduce",
        timezone_id="Europe/Vienna",
        locale="en-GB",
    )
    context.set_default_timeout(120_000)
    context.add_cookies([{"name": COOKIE, "value": "0" * 32, "url": url}])
    try:
        yield context.new_page()
    finally:
        context.close()


def seen(title: str, number: int) -> list[Row]:
    """A row for each view of a scene."""
    scene, url, rows = _groups()[title][1][number], _server(title).url, []
    with _page(url) as page:
        page.goto(f"{url}/{scene.path}")
        page.wait_for_selector(scene.wait)
        idle(page)
        if scene.act is not None:
            scene.act(page)
            idle(page)
        for view in VIEWS:
            turn(page, view)
            wait_until_idle(page)
            rest(page)
            rows.append({"scene": scene.name, "view": view, **told(page, view != "200 %")})
    return rows


def turn(page: Page, view: str) -> None:
    """To another size and other colours."""
    width, height = VIEWS[view]
    page.emulate_media(color_scheme="dark" if view == "dark" else "light")
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_timeout(400)


def rest(page: Page) -> None:
    """Until nothing changes; what never ends is told in the row."""
    page.evaluate("() => { window.quietSince = 0; }")
    with suppress(TimeoutError):
        page.wait_for_function(AT_REST, arg=QUIET_MS, polling=50, timeout=PATIENCE_MS)


def away() -> list[Row]:
    """A row for each view of an item whose server has ended."""
    data, rows = _folder() / "away" / "data", []
    data.mkdir(parents=True)
    projects.trial(data, "messages", 0, "Away")
    server = Server(data).start()
    with _page(server.url) as page:
        page.goto(f"{server.url}/label?project=Away")
        page.locator(".lc-answers button").first.wait_for()
        idle(page)
        server.kill()
        page.locator(".lc-away:not([hidden])").wait_for()
        for view in VIEWS:
            turn(page, view)
            rest(page)
            rows.append({"scene": "server-away", "view": view, **told(page, view != "200 %")})
    return rows


def told(page: Page, with_charts: bool) -> Row:
    """What axe finds, what moves, what is wider than the window, and the charts."""
    found, left = axe.look(page)
    return {
        "findings": [vars(one) | {"reason": one.reason} for one in found],
        "left": left,
        "faint": too_faint(page),
        "moving": page.evaluate(MOVING),
        "too wide": page.evaluate(TOO_WIDE),
        "charts": charts(page) if with_charts else [],
    }


# --- charts ----------------------------------------------------------------------------------


def charts(page: Page) -> list[Row]:
    """Of each chart its words and the two of its marks that are hardest to tell apart."""
    found, ground = page.evaluate(CHARTS), page.evaluate(GROUND)
    looks = sorted({(one["colour"], one["cover"]) for chart in found for one in chart["marks"]})
    colours = simulated(looks, ground)
    return [{"words": one["words"], **hardest(one["marks"], colours)} for one in found]


Look = tuple[str, float]
Lab = tuple[float, float, float]


def simulated(looks: Sequence[Look], ground: str) -> dict[Look, list[Lab]]:
    """Each colour over the ground as Chromium shows it, by kind of colour blindness."""
    boxes = "".join(
        f"<div style='width:8px;height:8px;opacity:{cover};background:{colour}'></div>"
        for colour, cover in looks
    )
    context = _browser().new_context(viewport={"width": 8, "height": max(8 * len(looks), 8)})
    page = context.new_page()
    page.set_content(f"<body style='margin:0;background:{ground}'>{boxes}")
    protocol, shown = context.new_cdp_session(page), []
    for kind in KINDS:
        protocol.send("Emulation.setEmulatedVisionDeficiency", {"type": kind})
        image = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        shown.append([lab(image.getpixel((4, 8 * place + 4))) for place in range(len(looks))])
    context.close()
    return {look: [one[place] for one in shown] for place, look in enumerate(looks)}


def hardest(marks: Sequence[Mapping[str, Any]], colours: Mapping[Look, list[Lab]]) -> Row:
    """The pair of colours of the same form that are nearest to each other, by kind.

    A pair of different forms (a dash, a ring, an area beside a line) is told apart without colour;
    the form of an area is that of the lines of its colour, which bound it.
    """
    forms: dict[str, set[Look]] = {}
    for one in marks:
        own = (line["form"] for line in marks if line["colour"] == one["colour"])
        bounds = sorted({form for form in own if form.startswith("line")})
        form = " ".join([one["form"], *bounds]) if one["form"] == "area" else one["form"]
        forms.setdefault(form, set()).add((one["colour"], one["cover"]))
    pairs = [(form, *pair) for form, looks in forms.items()
             for pair in itertools.combinations(sorted(looks), 2)]  # fmt: skip
    found: Row = {"forms": len(forms), "pairs": len(pairs), "nearest": math.inf, "which": ""}
    for form, one, other in pairs:
        for place, kind in enumerate(KINDS):
            apart = math.dist(colours[one][place], colours[other][place])
            if apart < found["nearest"]:
                found |= {"nearest": apart, "which": f"{form}: {one} and {other}, {kind}"}
    return found


def lab(colour: tuple[int, ...]) -> Lab:
    """CIELAB of a colour of the screen (sRGB, D65).

    >>> [round(one) for one in lab((255, 255, 255))], [round(one) for one in lab((255, 0, 0))]
    ([100, 0, 0], [53, 80, 67])
    """
    plain = [one / 255 for one in colour]
    red, green, blue = (
        one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in plain
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.95047
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.08883
    a, b, c = (one ** (1 / 3) if one > 0.008856 else 7.787 * one + 16 / 116 for one in (x, y, z))
    return 116 * b - 16, 500 * (a - b), 200 * (b - c)


# --- by keys alone ---------------------------------------------------------------------------

FOCUS = f"""() => {{ {DEEP}
  const one = active(), box = one.getBoundingClientRect();
  return {{ box: [box.left - 6, box.top - 6, box.right + 6, box.bottom + 6],
           scrolled: roots().flatMap(root => [...root.querySelectorAll("*")])
             .reduce((sum, each) => sum + each.scrollTop, scrollY),
           page: one === document.body }};
}}"""
ON = f"what => {{ {DEEP} return !!active().closest(what); }}"
MAIN = f"() => {{ {DEEP} return active().tagName === 'MAIN'; }}"
ACTIVE = f"(() => {{ {DEEP} return active(); }})()"


class Keys:
    """A person at the keyboard. Every stop of the focus is asked for its name and role, and
    whether it can be seen there: the picture around it changes as it comes, or as it goes."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.protocol = page.context.new_cdp_session(page)
        self.presses: Counter[str] = Counter()
        self.nameless: list[str] = []
        self.unseen: list[str] = []
        self.step = STEPS[0]
        self._before: tuple[Image.Image, dict[str, Any], str] | None = None

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.presses[self.step] += 1

    def tab_to(self, selector: str) -> None:
        """Raises RuntimeError where the focus does not come there."""
        for _ in range(MOST_TABS):
            if self.page.evaluate(ON, selector):
                return
            self.tab()
        raise RuntimeError(f"{MOST_TABS} presses of Tab do not lead to {selector}")

    def tab(self) -> bool:
        """One press; whether the focus is somewhere on the page."""
        earlier = self._before or self._look("")
        self.press("Tab")
        self.page.wait_for_timeout(60)
        now = self._look(self._name())
        if not now[1]["page"]:
            if changed(earlier, now, now[1]["box"]) is False:
                self.unseen.append(now[2])
            if not now[2] and not self.page.evaluate(MAIN):
                self.nameless.append(self.page.evaluate(f"{ACTIVE}.outerHTML.slice(0, 200)"))
        self._before = now
        return not now[1]["page"]

    def _look(self, name: str) -> tuple[Image.Image, dict[str, Any], str]:
        picture = Image.open(io.BytesIO(self.page.screenshot(animations="disabled")))
        return picture.convert("RGB"), self.page.evaluate(FOCUS), name

    def _name(self) -> str:
        """What the browser tells a screen reader of what has the focus."""
        made = self.protocol.send("Runtime.evaluate", {"expression": ACTIVE})["result"]
        asked = {"objectId": made["objectId"], "fetchRelatives": False}
        node = self.protocol.send("Accessibility.getPartialAXTree", asked)["nodes"][0]
        name = node.get("name", {}).get("value", "").strip()
        return f"{node['role']['value']} {name}" if name and "role" in node else ""


def changed(one: tuple[Any, ...], other: tuple[Any, ...], box: Sequence[float]) -> bool | None:
    """Whether two pictures differ in a box; None where the page has scrolled between them."""
    if one[1]["scrolled"] != other[1]["scrolled"]:
        return None
    width, height = other[0].size
    left, top, right, bottom = (round(each) for each in box)
    part = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
    if part[0] >= part[2] or part[1] >= part[3]:
        return False
    return ImageChops.difference(one[0].crop(part), other[0].crop(part)).getbbox() is not None


def by_keys() -> list[Row]:
    """From a file on the disk to its report: presses of each step, without the letters typed."""
    server = _server("")
    rows = [{**row, "id": f"m{place}"} for place, row in enumerate(material.messages(FILE_ITEMS))]
    file = material.write(_folder() / "by keys.csv", rows)
    with _page(server.url, (1280, 720)) as page:
        # Listened for from the beginning: a press may come before Chromium knows that it is asked.
        page.on("filechooser", lambda chooser: chooser.set_files(file))
        page.goto(server.url)
        page.locator(".st-key-start-own button").wait_for()
        idle(page)
        keys = Keys(page)
        keys.tab_to(".st-key-start-new button")
        keys.press("Enter")
        on(keys, "Items", ".st-key-new-upload input[type=file]", attached=True)
        keys.tab_to(".st-key-new-upload section button")
        keys.press("Enter")
        on(keys, "Items", ".st-key-new-another button")
        keys.tab_to(".st-key-new-next button")
        keys.press("Enter")
        on(keys, "Question", ".st-key-new-question input")
        page.keyboard.type("Is this a complaint?")
        keys.press("Enter")
        on(keys, "Aim and price", ".st-key-new-create button")
        keys.tab_to(".st-key-new-create button")
        keys.press("Enter")
        on(keys, "labels", ".lc-answers button")
        while not page.locator(".st-key-state").count():
            page.wait_for_timeout(250)
            keys.press("y" if keys.presses["labels"] % 3 else "n")
            wait_until_idle(page)
        on(keys, "the end", ".st-key-state-finish button")
        keys.tab_to(".st-key-state-finish button")
        keys.press("Enter")
        on(keys, "the end", ".st-key-to-report button")
        keys.tab_to(".st-key-to-report button")
        keys.press("Enter")
        page.wait_for_url("**/report?project=*")
        page.locator(".st-key-sentence").first.wait_for()
    return [{
        "presses": dict(keys.presses), "nameless": keys.nameless, "unseen": keys.unseen,
    }]  # fmt: skip


def on(keys: Keys, step: str, selector: str, *, attached: bool = False) -> None:
    """The next page or screen is there."""
    keys.page.locator(selector).first.wait_for(state="attached" if attached else "visible")
    idle(keys.page)
    rest(keys.page)
    keys.step, keys._before = step, None


# --- the page --------------------------------------------------------------------------------


def jobs(options: Options) -> dict[str, Job]:
    scenes = {
        f"{title}: {scene.name}": partial(seen, title, place)
        for title, (_, several) in _groups().items()
        for place, scene in enumerate(several)
    }
    return {"By keys alone": by_keys, "Server away": away, **scenes}


def tables(rows: Rows, options: Options) -> str:
    found = [row for row in flat(rows) if "view" in row]
    parts = [f"## Axe\n\n{of_axe(found)}\n## Charts\n\n{of_charts(found)}\n"]
    for row in flat(rows):
        if "presses" in row:
            parts.append(f"## By keys alone\n\n{of_keys(row)}")
    return "\n".join(parts)


def of_axe(rows: Sequence[Row]) -> str:
    """How much was looked at, and each kind of finding once."""
    scenes, kinds = {row["scene"] for row in rows}, Counter(row["view"] for row in rows)
    left = sum(row["left"] for row in rows)
    said = (
        f"{len(scenes)} states of pages in {len(kinds)} views ({', '.join(kinds)}), all with "
        f"little motion. Axe leaves {left:,} elements to a person, almost all of them texts whose "
        "ground it does not find; the contrast of every text is measured beside it from the "
        "colours that the browser computed."
    )
    broken: dict[tuple[str, ...], list[Row]] = {}
    for row in rows:
        for one in row["findings"]:
            key = one["rule"], one["impact"], one["reason"] or "**to be mended**"
            broken.setdefault(key, []).append(row)
    lines = [(*key, len(seen), places(seen)) for key, seen in broken.items()]
    moving = ", ".join(sorted({name for row in rows for name in row["moving"]}))
    beside = [
        (name, len(seen), places(seen))
        for name, seen in {
            "a text below a contrast of 4.5": [row for row in rows if row["faint"]],
            "a page wider than its window": [row for row in rows if row["too wide"] > 0],
            f"a transition goes on{f' ({moving})' if moving else ''}": [
                row for row in rows if row["moving"]
            ],
        }.items()
    ]
    return "\n".join([
        said, "",
        markdown(("rule", "impact", "why it stays", "elements", "where"), lines),
        markdown(("beside axe", "views", "where"), beside),
    ])  # fmt: skip


def places(rows: Sequence[Row], most: int = 4) -> str:
    names = list(dict.fromkeys(f"{row['scene']} ({row['view']})" for row in rows))
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if names[most:] else "")


def of_charts(rows: Sequence[Row]) -> str:
    """How many have words, and those whose colours are hard to tell apart."""
    drawn = [(row, one) for row in rows for one in row["charts"]]
    silent = [row for row, one in drawn if len(one["words"]) < FEWEST_LETTERS]
    near = [(row, one) for row, one in drawn if one["nearest"] < APART]
    said = (
        f"{len(drawn)} charts in light and dark, {len(drawn) - len(silent)} of them with words of "
        f"{FEWEST_LETTERS} letters or more for those who do not see them. In "
        f"{len(drawn) - len(near)} each two colours of marks of the same form are at least "
        f"{APART:g} apart in CIELAB for {', '.join(KINDS[:2])} and {KINDS[2]}, as Chromium shows "
        "them; marks of different form (a dash, a ring, an area beside a line) need no colour."
    )
    if silent:
        said += f" Without words: {places(silent)}."
    lines = [(f"{row['scene']} ({row['view']})", one["which"], f"{one['nearest']:.0f}")
             for row, one in near]  # fmt: skip
    return said + "\n\n" + (markdown(("chart", "marks", "apart"), lines) if lines else "")


def of_keys(row: Row) -> str:
    presses = row["presses"]
    lines = [(step, presses.get(step, 0)) for step in STEPS]
    before = sum(presses.get(step, 0) for step in STEPS[:4])
    said = (
        f"A file of {FILE_ITEMS} items, brought by *New project*, labelled whole, and its "
        f"report: {sum(presses.values())} presses, {before} before the first item and one a label; "
        "the letters of the question are not counted. "
        f"Stops of the focus without a name: {len(row['nameless'])}; at which nothing on the "
        f"screen changes: {len(row['unseen'])}."
    )
    more = "".join(f"\n- {one}" for one in [*row["nameless"], *row["unseen"]])
    return f"{said}\n\n{markdown(('step', 'presses'), lines)}{more}\n"


def faults(rows: Rows, options: Options) -> list[str]:
    return [
        f"{row['scene']} ({row['view']}): {one['rule']} at {one['where']}"
        for row in flat(rows)
        for one in row.get("findings", [])
        if one["impact"] in ("serious", "critical") and not one["reason"]
    ]


HEAD = f"""# Accessibility

{MADE}

{" ".join(str(__doc__).split("[--write]")[1].split())}

"""
BENCHMARK = Benchmark(
    name="accessibility", about=str(__doc__), jobs=jobs, tables=tables, page="accessibility.md",
    head=HEAD, faults=faults, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
