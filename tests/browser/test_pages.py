"""Deep links, unknown projects, narrow screens and dark colours."""

from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

import labelcore as lc
from labelcore.charts.design import SCROLLS
from labelcore.report import style
from labelcore.ui import setup
from tests.browser import driving
from tests.browser.conftest import wait_until_idle
from tests.browser.server import Server

PROJECT_PAGES = ("progress", "report", "label")
PAGES = ("", "new_project", *PROJECT_PAGES)
LABELS = 60
# Of each cell its left and right end on the screen, and how much of what is in it stands out.
CELLS = """table => [...table.querySelectorAll("th, td")].map(one => {
  const box = one.getBoundingClientRect();
  return [box.left, box.right, one.scrollWidth - one.clientWidth];
})"""


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.locator('[data-testid="stMain"]').get_by_text("a", exact=False).first.wait_for()
    wait_until_idle(page)


def looks_sound(page: Page) -> None:
    assert page.locator('[data-testid="stException"]').count() == 0
    words = page.locator("body").inner_text()
    assert "Traceback" not in words and "Something went wrong" not in words


@pytest.fixture(scope="module")
def labelled(shared_server: Server) -> str:
    """A project with labels, figures, charts, a long question and a long name."""
    name = "A project with a long name_and_an_unbroken_part_" + "x" * 40
    driving.make_project(shared_server.data, name, estimands=("precision", "recall"))
    driving.label_without_page(shared_server.data, name, LABELS)
    return name


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """One that imports the app itself."""
    with Server(tmp_path / "data") as running:
        yield running


@pytest.mark.full
@pytest.mark.parametrize("path", PAGES)
def test_each_page_opens_alone_on_a_fresh_server(path: str, server: Server, page: Page) -> None:
    driving.make_project(server.data, "Alone")
    open_page(page, f"{server.url}/{path}?project=Alone")
    looks_sound(page)
    assert "Labelcore" in page.title()
    if path in PROJECT_PAGES:
        assert "Alone" in page.title()
    assert "Traceback" not in server.log


@pytest.mark.parametrize(
    ("width", "colours"),
    [(390, "light"), *(pytest.param(one, "dark", marks=pytest.mark.full) for one in (390, 1280))],
)
def test_nothing_is_wider_than_the_screen(
    new_page: Callable[..., Page], shared_server: Server, labelled: str, width: int, colours: str
) -> None:
    page = new_page(width, 844, color_scheme=colours)
    for path in PROJECT_PAGES if colours == "light" else PAGES:
        open_page(page, f"{shared_server.url}/{path}?project={driving.quote(labelled)}")
        looks_sound(page)
        widest = page.evaluate(
            "() => Math.max(document.documentElement.scrollWidth, document.body.scrollWidth, "
            "document.querySelector('[data-testid=stMain]').scrollWidth)"
        )
        assert widest <= width, f"/{path} is {widest} wide"
        background = page.evaluate(
            "() => getComputedStyle(document.querySelector('.stApp')).backgroundColor"
        )
        dark = sum(int(part) for part in background[4:-1].split(",")[:3]) < 200
        assert dark == (colours == "dark")
    driving.wait_for_item(page)  # On the last of the pages.
    for button in page.locator(".lc-answers button").all():
        box = button.bounding_box()
        assert box is not None and box["height"] >= 44 - 1
        assert box["x"] >= 0 and box["x"] + box["width"] <= width
        assert box["y"] + box["height"] <= 844, "an answer button is below the screen"
    page.set_viewport_size({"width": 1024, "height": 844})
    tops = page.locator(".lc-answers button").evaluate_all("all => all.map(one => one.offsetTop)")
    assert len({*tops}) == 1, "an answer button stands in a second row"


def test_the_head_and_the_mark_of_the_focus_cover_nothing(
    new_page: Callable[..., Page], shared_server: Server, labelled: str
) -> None:
    page = new_page(641, 800)
    open_page(page, f"{shared_server.url}/progress?project={driving.quote(labelled)}")
    head = page.locator(".st-key-ways").bounding_box()
    first = page.get_by_role("heading").first.bounding_box()
    assert head and first and head["y"] + head["height"] <= first["y"]
    page.locator(".stMain").focus()
    page.keyboard.press("Shift")
    mark = "getComputedStyle(document.activeElement, '::before').top"
    assert page.evaluate(f"document.activeElement.matches('.stMain') && {mark}") == "0px"


@pytest.fixture
def monitors(shared_server: Server) -> None:
    """Two that wait for labels."""
    path = driving.write_csv(shared_server.data / "files" / "weeks.csv", driving.simple_rows(100))
    items = lc.read_population(
        path, id="id", content=["text"], scores={"m": "score_m"}, thresholds={"m": 0.5}
    )
    plan = lc.Plan("recalibrated_neyman", ["accuracy"], budget=20, seed=1)
    for name in ("first", "second"):
        lc.Monitor(driving.store_url(shared_server.data), name, plan).wave(items, "w1")


@pytest.mark.usefixtures("monitors", "labelled")
def test_what_was_chosen_by_a_link_of_the_same_page_stays_chosen(
    page: Page, shared_server: Server
) -> None:
    page.goto(f"{shared_server.url}/watch")
    main, waits = page.locator('[data-testid="stMain"]'), "the first figures come"
    for name in ("first", "second"):
        main.get_by_role("link", name=name, exact=False).click()
        expect(page.get_by_role("heading", name=f"{name}: {waits}")).to_be_visible()
        wait_until_idle(page)  # A fold of the monitor before goes while this one is drawn.
        driving.unfold(page, "fold-waves")
        wait_until_idle(page)
        expect(page.get_by_role("heading", name=f"{name}: {waits}")).to_be_visible()
    page.get_by_text("Watch another").click()
    driving.fill(page, page.get_by_label("Labels a week"), "15", "Tab")
    wait_until_idle(page)
    expect(page.get_by_role("heading", name="Watch this every week")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("heading", name=f"second: {waits}")).to_be_visible()


def test_what_scrolls_sideways_is_shaded_where_there_is_more(new_page: Callable[..., Page]) -> None:
    assert SCROLLS in setup.STYLE and SCROLLS in style.STYLE
    page, wide = new_page(390, 300), "<div style='width: 800px; height: 90px'>"
    page.set_content(f"<div style='position: fixed; inset: 0; overflow: auto; {SCROLLS}'>{wide}")
    page.add_style_tag(content=":root { --ground: #fff }")
    for scrolled, there in ((0, 389), (999, 0)):
        page.locator("div").first.evaluate(f"one => one.scrollLeft = {scrolled}")
        shot = Image.open(BytesIO(page.screenshot())).convert("L")
        assert shot.getpixel((there, 9)) < 225 and shot.getpixel((389 - there, 9)) == 255


@pytest.mark.full
@pytest.mark.parametrize("width", [390, 1280])
def test_no_table_of_the_report_is_cut(
    new_page: Callable[..., Page], shared_server: Server, width: int
) -> None:
    terms = {"design": "geometric_strata", "estimands": ("precision_curve", "average_precision")}
    project = driving.make_project(shared_server.data, f"Ranked {width}", **terms)
    driving.label_without_page(shared_server.data, project, 60)
    page = new_page(width, 844)
    open_page(page, f"{shared_server.url}/report?project={driving.quote(project)}")
    tables = page.locator("[data-testid='stTable']")
    expect(tables).to_have_count(3)
    for table in tables.all():
        inside, wanted = table.evaluate("one => [one.clientWidth, one.scrollWidth]")
        assert wanted <= inside
        cells = table.evaluate(CELLS)
        assert cells
        for left, right, beyond in cells:
            assert left >= 0 and right <= width and beyond <= 1


CANCELS = """
import threading

import streamlit as st

from labelcore.errors import CancelledError
from labelcore.ui import waiting

try:
    waiting.worked_out("sums", (1,), "Adding up", threading.Event().wait)
except CancelledError:
    st.text("The rest of the page")
"""


@pytest.mark.full
def test_cancel_is_answered_in_the_middle_of_a_long_step(tmp_path: Path, page: Page) -> None:
    app = tmp_path / "app.py"
    app.write_text(CANCELS, "utf-8")
    with Server(tmp_path / "data", app=app) as running:
        page.goto(running.url)
        page.get_by_role("button", name="Cancel").click()
        expect(page.get_by_text("Adding up: cancelled.")).to_be_visible()
        expect(page.get_by_text("The rest of the page")).to_be_visible()
        page.get_by_role("button", name="Try again").click()
        expect(page.get_by_text("Adding up · ")).to_be_visible()
