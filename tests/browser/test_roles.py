"""Roles in a real browser: deep links in a share, and a login from its button to a label."""

from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

import pytest
from oidc_provider_mock import User, run_server_in_thread
from playwright.sync_api import Page, expect

from labelcore.team.entrance import LINK_ENDED, NO_KEY
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.team.settings import KEY, role_key
from tests.browser.conftest import wait_until_idle
from tests.browser.driving import PROBE, answer, answers, make_project, wait_for_item
from tests.browser.server import Server

START = "the-key-of-the-owner"
SECRETS = """
[auth]
redirect_uri = "{url}/oauth2callback"
cookie_secret = "a secret of this test"
client_id = "labelcore"
client_secret = "of the provider"
server_metadata_url = "http://localhost:{provider}/.well-known/openid-configuration"
"""


def open_page(page: Page, url: str) -> None:
    page.goto(url)
    page.locator("[data-testid=stText]").first.wait_for()
    wait_until_idle(page)


@pytest.mark.full
def test_a_share_by_deep_links(tmp_path: Path, new_browser: Callable[..., Page]) -> None:
    with Server(tmp_path / "data", environment={KEY: START}, forked=True) as server:
        project = quote(make_project(server.data, "Shared"))
        judging, owning = (
            new_browser(),
            new_browser(permissions=["clipboard-read", "clipboard-write"]),
        )

        judging.goto(f"{server.url}/label?project={project}")
        expect(judging.locator("body")).to_have_text(NO_KEY)
        judging.add_init_script(PROBE)
        key = role_key(START, Role.ANNOTATOR)
        judging.goto(f"{server.url}/label?project={project}&start={key}")
        wait_for_item(judging)
        answer(judging, "y")
        assert [one.annotator for one in answers(server.data, "Shared")] == ["me"]
        for path in ("report", "review", "new_project"):
            open_page(judging, f"{server.url}/{path}?project={project}")
            expect(judging.get_by_text("You are here as an annotator")).to_be_visible()
            links = 2 if path == "new_project" else 3
            expect(judging.locator("[data-testid=stPageLink]")).to_have_count(links)

        open_page(owning, f"{server.url}/report?project={project}&start={START}")
        owning.get_by_role("button", name="Copy link").click()
        expect(owning.get_by_text("Copied.", exact=True)).to_be_visible()
        link = owning.evaluate("navigator.clipboard.readText()")
        assert START not in link and "127.0.0.1" not in link
        # The name of this machine need not lead anywhere here; the rest of the link must.
        looking = new_browser()
        looking.goto(f"{server.url}/{link.split('/', 3)[3]}")
        expect(looking.locator("main > header h1")).to_be_visible()
        assert "start=" not in looking.url and "project=Shared" in looking.url
        open_page(looking, f"{server.url}/label?project={project}")
        expect(looking.get_by_text("You are here as a viewer")).to_be_visible()


@pytest.mark.full
def test_whose_link_is_withdrawn_with_a_page_open_is_told_so(
    tmp_path: Path, new_browser: Callable[..., Page]
) -> None:
    with Server(tmp_path / "data", environment={KEY: START}, forked=True) as server:
        project = quote(make_project(server.data, "Left"))
        register = Register(server.data)
        secret, page = register.add("Vic", Role.VIEWER), new_browser()
        open_page(page, f"{server.url}/progress?project={project}&start={secret}")
        register.remove("Vic")
        expect(page.locator("body")).to_have_text(LINK_ENDED)


@pytest.mark.full
def test_a_login_from_the_button_to_the_label(
    tmp_path: Path, new_browser: Callable[..., Page]
) -> None:
    people = [
        User(sub="1", claims={"email": "Ann@example.org", "email_verified": True}),
        User(sub="2", claims={"email": "ann@example.org", "email_verified": False}),
    ]
    with run_server_in_thread(user_claims=people) as provider:
        server = Server(tmp_path / "data", environment={"HOME": str(tmp_path)})
        secrets = tmp_path / ".streamlit" / "secrets.toml"
        secrets.parent.mkdir()
        secrets.write_text(SECRETS.format(url=server.url, provider=provider.server_port), "utf-8")
        with server:
            project = quote(make_project(server.data, "Logged"))
            Register(server.data).add("ann@example.org", Role.ANNOTATOR, login=True)
            page = new_browser()
            page.add_init_script(PROBE)
            log_in(page, f"{server.url}/label?project={project}", "2")
            expect(page.get_by_text("not under a name that counts here")).to_be_visible()
            expect(page.locator("[data-testid=stPageLink]")).to_have_count(0)
            page.get_by_role("button", name="Log out").click()
            page.wait_for_url(lambda found: "end_session" in found)
            log_in(page, server.url, "1")
            expect(page.get_by_text("ann@example.org · annotator")).to_be_visible()
            page.goto(f"{server.url}/label?project={project}")
            wait_for_item(page)
            answer(page, "y")
            expect(page.get_by_role("button", name="Finish")).to_have_count(0)
            given = [one.annotator for one in answers(server.data, "Logged")]
            assert given == ["ann@example.org"]


def log_in(page: Page, url: str, person: str) -> None:
    """By the button on a page, at the provider, and back."""
    page.goto(url)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=person, exact=True).click()
    page.wait_for_url(lambda found: found.startswith(url.split("/label")[0]))
    page.locator("[data-testid=stText]").first.wait_for()
    wait_until_idle(page)
