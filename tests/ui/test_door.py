"""The door of the core: names of the app, other pages of the browser, no frames elsewhere; with the
entrance in force, and with the core's own."""

import base64
import hashlib
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from labelcore import access
from labelcore.settings import HOSTS
from labelcore.ui import door, server
from labelcore.ui.door import Door
from tests.awaited import awaited

ROOT = Path(__file__).parents[2]
PLACES = ["/", *(f"/{page.stem}" for page in sorted((ROOT / "pages").glob("*.py")))]
PLACES += ["/_stcore/host-config", "/_stcore/upload_file/a/b", "/media/abc.png", "/static/x.js"]


async def inside(scope: dict[str, Any], receive: Any, send: Any) -> None:
    if scope["type"] == "websocket":
        await send({"type": "websocket.accept"})
        return
    came = [one for one in scope["headers"] if one[0] in (door.CAME, door.OWN)]
    await send({"type": "http.response.start", "status": 200, "headers": [(b"x", b"1"), *came]})
    await send({"type": "http.response.body", "body": b"in"})


def sending() -> tuple[list[dict[str, Any]], Any]:
    """What is sent, and what sends it."""
    sent: list[dict[str, Any]] = []

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    return sent, send


def asked(path: str = "/", query: str = "", cookie: str = "", host: str = "127.0.0.1:8501",
          kind: str = "http", method: str = "GET", sender: str = "127.0.0.1",
          more: Mapping[str, str] | None = None) -> list[dict[str, Any]]:  # fmt: skip
    sent, send = sending()
    headers = [(b"host", host.encode()), (b"cookie", cookie.encode("latin-1"))]
    headers += [(name.encode(), value.encode()) for name, value in (more or {}).items()]
    scope = {"type": kind, "path": path, "query_string": query.encode(), "headers": headers,
             "method": method, "client": (sender, 5000)}  # fmt: skip
    awaited(Door(inside)(scope, None, send))
    return sent


def status(sent: list[dict[str, Any]]) -> int:
    return int(sent[0]["status"])


def came(sent: list[dict[str, Any]]) -> str:
    """What the app was told of the visitor; "" where it was not asked."""
    (said,) = [value for name, value in sent[0]["headers"] if name == door.CAME] or [b""]
    return bytes(said).decode()


def set_address(monkeypatch: pytest.MonkeyPatch, address: str | None) -> None:
    known = door.config.get_option

    def get_option(name: str) -> Any:
        return address if name == "server.address" else known(name)

    monkeypatch.setattr(door.config, "get_option", get_option)


@pytest.fixture(params=["the core alone", "in force"])
def here(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """On this machine alone."""
    monkeypatch.delenv("LABELCORE_START_KEY", raising=False)
    set_address(monkeypatch, "127.0.0.1")
    if request.param == "the core alone":
        monkeypatch.setattr(door, "entrance", door.Entrance)


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


def test_no_other_page_shows_it_in_a_frame(here: None) -> None:
    head = asked()[0]["headers"]
    assert (b"x-frame-options", b"SAMEORIGIN") in head and (b"x", b"1") in head
    assert (b"x-content-type-options", b"nosniff") in head


def rules(sent: list[dict[str, Any]]) -> dict[str, list[str]]:
    (policy,) = [value for name, value in sent[0]["headers"] if name == door.POLICY_NAME]
    found = (one.split() for one in policy.decode().split(";"))
    return {name: values for name, *values in found}


def test_a_page_runs_its_servers_scripts_and_speaks_to_it_alone(here: None) -> None:
    found = rules(asked(host="localhost:8501"))
    assert found["default-src"] == ["'self'"]
    assert found["script-src"] == ["'self'", "'wasm-unsafe-eval'", "blob:"]
    assert {one for one in found["connect-src"] if "//" in one} == {
        "ws://localhost:8501", "wss://localhost:8501"
    }  # fmt: skip
    scope = {"headers": [(b"host", b"a.example; script-src *")]}
    assert b"a.example" not in door.policy(scope)[1], "what is no host is not repeated"


def test_scripts_that_the_server_wrote_into_a_page_run() -> None:
    async def page(scope: Any, receive: Any, send: Any) -> None:
        head = [(b"content-type", b"text/html"), (b"content-length", b"9")]
        await send({"type": "http.response.start", "status": 200, "headers": head})
        await send({"type": "http.response.body", "body": b"<head><script>x()</script>"})

    sent, send = sending()
    scope = {"type": "http", "path": "/", "headers": []}
    awaited(server.OneAddress(page)(scope, None, door._unframed(scope, send)))
    allowed = [one for one in rules(sent)["script-src"] if one.startswith("'sha256-")]
    body = server.ADDRESS.removeprefix(b"<script>").removesuffix(b"</script>")
    made = [base64.b64encode(hashlib.sha256(one).digest()).decode() for one in (body, b"x()")]
    assert allowed == [f"'sha256-{one}'" for one in made]


def test_a_page_comes_whole_with_the_policy_of_its_scripts_when_it_is_reloaded() -> None:
    asked_for: list[bytes] = []

    async def page(scope: Any, receive: Any, send: Any) -> None:
        asked_for.extend(name for name, _ in scope["headers"])
        await send({"type": "http.response.start", "status": 304, "headers": []})

    _, send = sending()
    kept = [(b"host", b"here"), (b"if-none-match", b'"1"'), (b"if-modified-since", b"then")]
    scope = {"type": "http", "path": "/label", "headers": kept}
    awaited(server.OneAddress(page)(scope, None, send))
    assert asked_for == [b"host"], "a confirmed copy takes over a policy without its scripts"


def test_what_is_no_message_clears_nothing_and_a_login_waits_for_its_page(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert not door._clears(b"\xff\xff") and not door._clears(b"")
    monkeypatch.setattr(door, "entrance", lambda: None)
    assert door._runs("start owner") is None
    assert status(asked(door.HEALTH)) == 200, "nobody is asked who looks whether it lives"


def test_nobody_says_himself_how_he_came(here: None) -> None:
    assert came(asked(more={door.CAME.decode(): "start owner"})) == door.PLAIN


@pytest.mark.parametrize("path", PLACES)
def test_the_core_lets_nobody_in_from_elsewhere(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(door, "entrance", door.Entrance)
    for address in ("0.0.0.0", "::", "192.168.1.7", "labels.example"):
        set_address(monkeypatch, address)
        for host in ("127.0.0.1:8501", "labels.example:8501", f"{address}:8501"):
            assert status(asked(path, host=host)) == 403
            assert asked(path, host=host, kind="websocket") == [door.REFUSED_SOCKET]


def test_in_the_core_alone_whoever_is_here_is_the_owner() -> None:
    alone = door.Entrance()
    assert alone.visitor(door.PLAIN) == door.OWNER and alone.visitor("start owner") is None
    assert not alone.knows_others() and not alone.is_taken("Ann") and not alone.begin()


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        ("http://[", False),
        ("http://127.0.0.1:8501", True), ("http://127.0.0.1:9999", False), ("null", False),
        ("http://localhost:8501", False), ("https://elsewhere.example", False),
        ("http://127.0.0.1", False), ("https://labels.example", True), ("x", False),
    ],
)  # fmt: skip
def test_what_another_page_sends_is_refused(
    origin: str, allowed: bool, here: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(HOSTS, "labels.example")
    more = {"origin": origin}
    assert (asked(kind="websocket", more=more) != [door.REFUSED_SOCKET]) == allowed
    for method in ("PUT", "POST", "DELETE"):
        sent = asked("/_stcore/upload_file/a/b", method=method, more=more)
        assert status(sent) == (200 if allowed else 403)
    assert status(asked(more=more)) == 200, "a page is only read; the browser keeps it from others"


def test_a_flood_of_refusals_does_not_fill_the_trail(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[str, ...]] = []
    passed = [1000.0]
    monkeypatch.setattr(access, "LISTENERS", [lambda *one: told.append(one)])
    monkeypatch.setattr(door, "monotonic", lambda: passed[0])
    refusals, scope = door.Refusals(), {"path": "/label", "client": ("10.0.0.7", 1)}
    for _ in range(door.MOST_NOTED + 5):
        refusals.add(scope, door.NO_ROLE)
    assert len(told) == door.MOST_NOTED
    passed[0] += door.NOTED_SECONDS
    refusals.add(scope, door.NO_ROLE)
    assert told[door.MOST_NOTED :] == [
        ("refused", "several addresses", "5 more requests"),
        ("refused", "address 10.0.0.7", f"/label: {door.NO_ROLE}"),
    ]


def test_programs_that_are_no_browser_say_no_origin(here: None) -> None:
    assert asked(kind="websocket")[0]["type"] == "websocket.accept"


def test_only_who_sits_here_names_a_path_of_this_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    """By a connection that is there: its other end is this user's."""
    monkeypatch.delenv(HOSTS, raising=False)
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as client,
    ):
        ends = {"client": client.getsockname(), "server": server.getsockname()}

        def sits(host: str = "127.0.0.1:8501", **more: Any) -> bool:
            headers = [(b"host", host.encode()), *more.pop("headers", [])]
            return door.sits_here({"headers": headers, **ends, **more})

        assert sits() and sits("localhost:8501") and sits("[::1]:8501")
        assert not sits("labels.example") and not sits(server=None)
        assert not sits(client=("192.0.2.7", ends["client"][1]))
        for name in door.FORWARDING:
            assert not sits(headers=[(name, b"192.0.2.7")])
        if sys.platform == "linux":
            assert not sits(client=("127.0.0.1", 1))
            with monkeypatch.context() as other:
                other.setattr(door.os, "getuid", lambda: -1)
                assert not sits()
        monkeypatch.setenv(HOSTS, "labels.example")
        assert not sits()


def test_nobody_says_himself_that_he_sits_here(here: None) -> None:
    (head,) = [one["headers"] for one in asked(more={door.OWN.decode(): "yes"})[:1]]
    assert door.OWN not in dict(head)
