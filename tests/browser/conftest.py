"""A real Chromium and a running app, both shared by the tests of a process.

Each test has tabs of its own and is a person who was never here; it makes its own project on the
shared server. A test that kills its server or looks at the whole data folder has a server of its
own, a test with several people or without network a browser profile of its own.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from labelcore.ui.people import WAITING
from tests.browser.server import Server

HERE = Path(__file__).parent
SITE = "http://127.0.0.1/"
PATIENCE_MS = 90_000
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
# It is known who the person is, every press is confirmed, nothing runs or changes its colour,
# every part and chart is there.
IDLE = """
waiting => {
  const all = what => [...document.querySelectorAll(`[data-testid='${what}']`)];
  const seen = one => one.getClientRects().length > 0;
  return all("stApp").some(app => app.getAttribute("data-test-script-state") === "notRunning")
    && !all("stSkeleton").length && !document.querySelector(".lc-surface[data-pending]")
    && !all("stText").some(text => text.textContent.includes(waiting))
    && all("stPlotlyChart").filter(seen).every(chart => chart.querySelector(".main-svg"))
    && !document.getAnimations().some(one => one instanceof CSSTransition);
}
"""

NewPage = Callable[..., Page]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.browser)


def press(page: Page, key: str) -> None:
    """One key, down and up, wherever the focus is."""
    page.keyboard.press(key)


def wait_until_idle(page: Page) -> None:
    """Wait until what was just done has had all its effects on the page.

    A press is sent within its event, so two frames later it shows in the state of the script.
    Streamlit fetches the code of some parts when they are first drawn; until then a grey bar
    stands for them, also after the script has ended.
    """
    page.evaluate(TWO_FRAMES)
    page.wait_for_function(IDLE, arg=WAITING, polling=50)


def open_profile(browser: Browser, **options: object) -> BrowserContext:
    context = browser.new_context(**options)
    context.set_default_timeout(PATIENCE_MS)
    return context


@pytest.fixture(scope="session")
def shared_profile(browser: Browser) -> Iterator[BrowserContext]:
    """What Chromium has of the app already it does not ask for, and does not compile, again.

    An empty tab of the app's site stays open: it keeps window, process and compiled code alive.
    The person has asked for little motion, which draws a page with a third less work; profiles of
    their own move.
    """
    expect.set_options(timeout=PATIENCE_MS)
    context = open_lasting_profile(browser, reduced_motion="reduce")
    yield context
    context.close()


def open_lasting_profile(browser: Browser, **options: object) -> BrowserContext:
    context = open_profile(browser, **options)
    page = context.new_page()
    page.route("**", lambda route: route.fulfill(body=""))
    page.goto(SITE)
    return context


@pytest.fixture(scope="session")
def further_profiles(shared_profile: BrowserContext) -> Iterator[list[BrowserContext]]:
    """Those of the other people, who move; as many as a test has asked for at once."""
    contexts: list[BrowserContext] = []
    yield contexts
    for context in contexts:
        context.close()


def open_tab(
    profile: BrowserContext, width: int = 1280, height: int = 800, color_scheme: str = "light"
) -> Page:
    page = profile.new_page()
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=color_scheme)
    return page


@pytest.fixture(scope="module")
def lasting_page(shared_profile: BrowserContext) -> Iterator[Page]:
    """A tab for tests that each go on where another one stopped, which spares them a load.

    No other test of the module asks for ``page`` or ``new_page``: after it the person is forgotten.
    """
    page = open_tab(shared_profile)
    yield page
    forget_person(page)
    page.close()


@pytest.fixture
def new_page(shared_profile: BrowserContext) -> Iterator[NewPage]:
    """``new_page(width=390, color_scheme="dark")``: a tab of the shared profile.

    After the test its tabs are closed, and the browser has forgotten who the person was.
    """
    lasting = shared_profile.pages
    yield partial(open_tab, shared_profile)
    for page in (one for one in shared_profile.pages if one not in lasting):
        forget_person(page)
        page.close()


def forget_person(page: Page) -> None:
    if page.url.startswith("http"):
        protocol = page.context.new_cdp_session(page)
        origin = "/".join(page.url.split("/")[:3])
        kinds = {"origin": origin, "storageTypes": "cookies,local_storage"}
        protocol.send("Storage.clearDataForOrigin", kinds)


@pytest.fixture
def new_browser(browser: Browser, further_profiles: list[BrowserContext]) -> Iterator[NewPage]:
    """``new_browser()``: a page in a profile of its own, with its own cookies and network.

    After the test a profile without options stays for the next one, as ``shared_profile`` does.
    """
    own, asked = [], 0

    def open_page(width: int = 1280, height: int = 800, **options: object) -> Page:
        nonlocal asked
        if options:
            own.append(open_profile(browser, **options))
            page = own[-1].new_page()
        else:
            if asked == len(further_profiles):
                further_profiles.append(open_lasting_profile(browser))
            page = further_profiles[asked].new_page()
            asked += 1
        page.set_viewport_size({"width": width, "height": height})
        return page

    yield open_page
    for context in own:
        context.close()
    for context in further_profiles[:asked]:
        for page in context.pages[1:]:
            forget_person(page)
            page.close()
        context.clear_cookies()
        context.set_offline(False)


@pytest.fixture
def page(new_page: NewPage) -> Page:
    return new_page()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """The app on an empty data folder, for a test that kills it or counts its projects."""
    with Server(tmp_path / "data", forked=True) as running:
        yield running


@pytest.fixture(scope="session")
def shared_server(
    tmp_path_factory: pytest.TempPathFactory, shared_profile: BrowserContext
) -> Iterator[Server]:
    """One server for all tests that do not kill it; each makes a project of its own name.

    It has shown a page before the first test: on the first one it imports the app, and Chromium
    compiles the scripts, which on a busy machine takes longer than a test should wait.
    """
    with Server(tmp_path_factory.mktemp("shared") / "data", forked=True) as running:
        page = shared_profile.new_page()
        page.goto(f"{running.url}/new_project")
        wait_until_idle(page)
        forget_person(page)
        page.close()
        yield running


@pytest.fixture(scope="session")
def data(shared_server: Server) -> Path:
    return shared_server.data
