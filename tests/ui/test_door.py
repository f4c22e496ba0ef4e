"""Who may come in: the names of the app, the key of a shared link, no frames elsewhere."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from labelcore.cli import serving
from labelcore.ui import door
from labelcore.ui.door import HOSTS, KEY, Door

ROOT = Path(__file__).parents[2]
COOKIE = f"{door.COOKIE}_8501"
PLACES = ["/", *(f"/{page.stem}" for page in sorted((ROOT / "pages").glob("*.py")))]
PLACES += ["/_stcore/host-config", "/_stcore/upload_file/a/b", "/media/abc.png", "/static/x.js"]


async def inside(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"1")]})
    await send({"type": "http.response.body", "body": b"in"})


def asked(path: str = "/", query: str = "", cookie: str = "", host: str = "127.0.0.1:8501",
          kind: str = "http") -> list[dict[str, Any]]:  # fmt: skip
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    headers = [(b"host", host.encode()), (b"cookie", cookie.encode("latin-1"))]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers}
    asyncio.run(Door(inside)(scope, None, send))
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return int(sent[0]["status"])


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(KEY, "the-key")
    return "the-key"


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)
    monkeypatch.setattr(door.config, "get_option", lambda name: "127.0.0.1")


@pytest.mark.parametrize("path", PLACES)
def test_nothing_is_answered_without_the_key(path: str, shared: str) -> None:
    for cookie in ("", f"{COOKIE}=", f"{COOKIE}=another", "other=the-key", "\x00;=;"):
        assert status(asked(path, cookie=cookie)) == 403
        assert asked(path, cookie=cookie, kind="websocket") == [door.REFUSED_SOCKET]
    for query in ("start=", "start=another", "start=the-key-and-more", "other=the-key"):
        assert status(asked(path, query)) == 403
    assert asked(path, f"start={shared}", kind="websocket") == [door.REFUSED_SOCKET]
    assert status(asked(path, cookie=f"{COOKIE}={shared}")) == 200
    assert asked(path, cookie=f"{COOKIE}={shared}", kind="websocket")[0]["type"].endswith("accept")


def test_the_key_leaves_the_address_and_stays_in_a_cookie(shared: str) -> None:
    sent = asked("/label", f"project=a+b&start={shared}")
    head = dict(sent[0]["headers"])
    assert status(sent) == 303 and head[b"location"] == b"/label?project=a+b"
    assert head[b"set-cookie"] == b"labelcore_start_8501=the-key; Path=/; HttpOnly; SameSite=Lax"


@pytest.mark.parametrize(
    ("path", "location"),
    [
        ("//elsewhere.example", b"/elsewhere.example"),
        ("/\t/elsewhere.example", b"/%09/elsewhere.example"),
        ("/\r\n/elsewhere.example", b"/%0D%0A/elsewhere.example"),
        ("/\\elsewhere.example", b"/elsewhere.example"),
        ("/a?b", b"/a%3Fb"),
    ],
)
def test_the_key_never_leads_to_another_server(path: str, location: bytes, shared: str) -> None:
    assert dict(asked(path, f"start={shared}")[0]["headers"])[b"location"] == location


@pytest.mark.parametrize("other", ['a={"x": 1}', "a=b c", "=", "a", "\x00", 'a="x', "é=é"])
def test_cookies_of_other_apps_are_no_hindrance(other: str, shared: str) -> None:
    assert status(asked(cookie=f"{other}; {COOKIE}={shared}")) == 200
    assert status(asked(cookie=f"{COOKIE}={shared};{other}")) == 200
    assert status(asked(cookie=f"{other}; {COOKIE}=another")) == 403


def test_two_shared_links_of_one_host_keep_a_cookie_each(shared: str) -> None:
    both = f"{door.COOKIE}_8502=of-the-other; {COOKIE}={shared}"
    assert status(asked(cookie=both)) == 200
    assert status(asked(cookie=both, host="127.0.0.1:8502")) == 403
    head = dict(asked(query=f"start={shared}", host="labels.example:8502")[0]["headers"])
    assert head[b"set-cookie"].startswith(b"labelcore_start_8502=the-key;")
    bare = dict(asked(query=f"start={shared}", host="labels.example")[0]["headers"])
    assert bare[b"set-cookie"].startswith(b"labelcore_start=the-key;")


@pytest.mark.parametrize(
    ("host", "answered"),
    [
        ("127.0.0.1:8501", True), ("localhost:8501", True), ("LOCALHOST", True), ("[::1]", True),
        ("[::1]:8501", True), ("elsewhere.example:8501", False), ("elsewhere.example", False),
        ("", False), ("127.0.0.1.elsewhere.example", False), ("labels.example", True),
    ],
)  # fmt: skip
def test_on_this_machine_it_answers_to_its_own_names(
    host: str, answered: bool, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOSTS, "labels.example, other.example")
    assert status(asked(host=host)) == (200 if answered else 421)
    socket = asked(host=host, kind="websocket")
    assert (socket == [door.REFUSED_SOCKET]) == (not answered)


@pytest.mark.parametrize(
    ("address", "checked"),
    [
        ("127.0.0.1", True), ("127.0.0.2", True), ("localhost", True), ("::1", True), ("", True),
        (None, True), ("0.0.0.0", False), ("::", False), ("192.168.1.7", False),
        ("unix:///run/labels.sock", False), ("labels.example", False),
    ],
)  # fmt: skip
def test_only_who_says_so_lets_it_answer_to_every_name(
    address: str | None, checked: bool, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(door.config, "get_option", lambda name: address)
    assert status(asked(host="elsewhere.example:8501")) == (421 if checked else 200)
    assert status(asked(host=f"{address or 'localhost'}:8501")) == 200


def test_no_other_page_shows_it_in_a_frame(here: None) -> None:
    head = asked()[0]["headers"]
    assert (b"x-frame-options", b"SAMEORIGIN") in head and (b"x", b"1") in head


def test_the_command_shares_by_a_new_key(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    called: list[tuple[list[str], dict[str, str]]] = []
    monkeypatch.setattr(serving, "become", lambda *given: called.append(given) or 0)
    monkeypatch.setenv(KEY, "an old one")
    from labelcore.cli import main

    assert main(["app", "--share"]) == main(["app", "--share"]) == main(["app"]) == 0
    keys = [environment.get(KEY, "") for _, environment in called]
    assert len(keys[0]) >= 32 and keys[0] != keys[1] and keys[2] == ""
    addresses = [
        dict(zip(one[5::2], one[6::2], strict=True))["--server.address"] for one, _ in called
    ]
    assert addresses == ["0.0.0.0", "0.0.0.0", "127.0.0.1"]
    assert f"?start={keys[0]}" in capsys.readouterr().out
    assert (serving.KEY, serving.HOSTS) == (KEY, HOSTS)
