"""The page in a real Chromium: it draws, it asks the network for nothing, nothing hostile runs."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page

from labelcore.report import report_html
from tests.report.conftest import Made
from tests.report.sessions import WORDS
from tests.report.test_page import hostile_session

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def profile(browser: Browser) -> Iterator[BrowserContext]:
    """Without network. An empty tab stays open, so that each test need not open a window."""
    context = browser.new_context(offline=True)
    context.new_page()
    yield context
    context.close()


@pytest.fixture
def offline(profile: BrowserContext) -> Iterator[Page]:
    page = profile.new_page()
    yield page
    page.close()


class Visit:
    """A page that was opened, and everything that it asked for or complained about."""

    def __init__(self, page: Page, path: Path, width: int, scheme: str) -> None:
        self.page = page
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme=scheme)
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("dialog", lambda dialog: self.complaints.append(dialog.message))
        self.page.goto(path.as_uri())


@pytest.mark.parametrize(
    ("width", "scheme"),
    [
        (1280, "light"),
        (390, "dark"),
        pytest.param(390, "light", marks=pytest.mark.full),
        pytest.param(1280, "dark", marks=pytest.mark.full),
    ],
)
def test_figures_are_drawn_without_network(
    offline: Page, made: Made, tmp_path: Path, width: int, scheme: str
) -> None:
    path = tmp_path / "report.html"
    path.write_text(report_html(made.session), "utf-8")
    visit = Visit(offline, path, width, scheme)
    assert visit.requests == [path.as_uri()]
    assert visit.complaints == []
    assert visit.page.locator(".plot svg polyline").count() >= 4
    page_width = visit.page.evaluate("document.documentElement.scrollWidth")
    assert page_width == width
    visit.page.evaluate("document.querySelectorAll('details').forEach(one => one.open = true)")
    wider = "all => all.filter(one => one.scrollWidth > one.clientWidth).map(one => one.ariaLabel)"
    assert visit.page.locator(".scroll").evaluate_all(wider) == [] or width > 390
    assert visit.page.evaluate("document.documentElement.scrollWidth") == width
    drawn = visit.page.locator(".plot svg").evaluate_all("all => all.map(one => one.clientWidth)")
    assert max(drawn) <= width, "no chart is moved sideways"
    background = visit.page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (background == "rgb(255, 255, 255)") is (scheme == "light")
    line = visit.page.locator(".plot svg polyline[stroke='var(--data)']").first
    stroke = line.evaluate("line => getComputedStyle(line).stroke")
    assert stroke == ("rgb(0, 114, 178)" if scheme == "light" else "rgb(77, 166, 220)")


@pytest.mark.parametrize("width", [1280, 390])
def test_a_wide_number_at_the_scale_is_not_cut_off(
    offline: Page, made: Made, tmp_path: Path, width: int
) -> None:
    """In the fonts of other systems +15.5 is wider than its place: it lost its sign."""
    path = tmp_path / "report.html"
    path.write_text(report_html(made.session), "utf-8")
    page = Visit(offline, path, width, "light").page
    seen = page.locator(".moving svg text[text-anchor=end]").first.evaluate(
        """text => {
          const edge = text.ownerSVGElement.getBoundingClientRect().left;
          while (text.getBoundingClientRect().left > edge - 6) text.textContent += "5";
          const box = text.getBoundingClientRect();
          scrollTo(0, scrollY + box.top - 100);
          const now = text.getBoundingClientRect();
          return document.elementFromPoint(edge - 3, now.top + now.height / 2) === text;
        }"""
    )
    assert seen and page.evaluate("document.documentElement.scrollWidth") == width


@pytest.mark.parametrize("word", WORDS)
def test_hostile_words_run_nothing(offline: Page, tmp_path: Path, word: str) -> None:
    path = tmp_path / "report.html"
    path.write_text(hostile_session(tmp_path, word)[0], "utf-8")
    visit = Visit(offline, path, 1280, "light")
    assert visit.requests == [path.as_uri()]
    assert visit.complaints == []
    assert visit.page.title() == f"{word}: report"
    assert visit.page.locator("a, img, iframe").count() == 0


def test_a_script_that_slipped_in_would_not_run(offline: Page, made: Made, tmp_path: Path) -> None:
    """The twin: were escaping forgotten, the policy still holds."""
    path = tmp_path / "report.html"
    slipped = "<script>document.title='caught'</script><img src=x onerror=\"document.title='c'\">"
    html = report_html(made.session).replace("<main>", "<main>" + slipped, 1)
    path.write_text(html, "utf-8")
    visit = Visit(offline, path, 1280, "light")
    assert visit.page.title() == "Spam filter: report"
    assert any("Content Security Policy" in line for line in visit.complaints)
