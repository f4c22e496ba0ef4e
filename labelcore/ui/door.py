"""Who may come in: the names that the app answers to, and the key of a shared link.

On this machine alone the plain address is open, under the names of this machine: a page elsewhere
whose name is made to lead here is refused. Shared with others, every request needs the key of the
link: it comes once in the address and is then in a cookie. Nothing is answered without it, no page,
no file, no connection. No other page may show the app in a frame.
"""

from __future__ import annotations

import hmac
import os
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qsl, quote, urlencode

from streamlit import config

KEY, HOSTS = "LABELCORE_START_KEY", "LABELCORE_HOSTS"
"""Variables of the environment: the key of a shared link, and further names of the app, with
commas."""
COOKIE, PARAMETER = "labelcore_start", "start"
HEALTH = "/_stcore/health"
NO_KEY = "This Labelcore is shared by a link. Open the whole link that you were given."
NO_NAME = "This Labelcore does not answer to this name. Open it as http://127.0.0.1, with its port."
FRAMES = [
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", b"frame-ancestors 'self'"),
]
REFUSED_SOCKET = {"type": "websocket.close", "code": 1008}
Scope = Mapping[str, Any]


class Door:
    """Answers only those who may come in."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"].endswith(HEALTH):
            await self.app(scope, receive, send)
            return
        key = os.environ.get(KEY, "")
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        if key and scope["type"] == "http" and same(given.get(PARAMETER, ""), key):
            await _answer(send, 303, "", _welcome(scope, given, key))
        elif key and not any(same(one, key) for one in _cookies(scope)):
            await _refuse(scope, send, 403, NO_KEY)
        elif not key and not answers_to(_header(scope, b"host")):
            await _refuse(scope, send, 421, NO_NAME)
        else:
            await self.app(scope, receive, _unframed(send))


def same(given: str, key: str) -> bool:
    """Whether a text is the key; how long it takes tells nothing of it."""
    return hmac.compare_digest(given.encode(), key.encode())


def answers_to(host: str) -> bool:
    """Whether the app answers to this name: any where it was told to listen to more than this
    machine, because whoever does so has a proxy before it."""
    address = config.get_option("server.address")
    if address and not _is_here(address):
        return True
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    further = {one.strip().lower() for one in os.environ.get(HOSTS, "").split(",") if one.strip()}
    return _is_here(name) or name.lower() in further


def _is_here(name: str) -> bool:
    """Whether this name of a computer can only be this machine's."""
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def _header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def _cookies(scope: Scope) -> list[str]:
    """What this app's cookie holds. Those of other apps on this host come too, in any form."""
    name = _cookie_name(scope)
    given = (one.partition("=") for one in _header(scope, b"cookie").split(";"))
    return [value.strip() for found, _, value in given if found.strip() == name]


def _cookie_name(scope: Scope) -> str:
    """With the port, because a browser gives the cookies of a host to all its ports."""
    port = _header(scope, b"host").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def _welcome(scope: Scope, given: dict[str, str], key: str) -> list[tuple[bytes, bytes]]:
    """To the same page without the key in its address, with the key in a cookie."""
    rest = urlencode({name: value for name, value in given.items() if name != PARAMETER})
    # A path that begins with two slashes would lead to another server, also with a tab in between.
    path = "/" + quote(str(scope["path"]).lstrip("/\\"))
    place = path + (f"?{rest}" if rest else "")
    cookie = f"{_cookie_name(scope)}={key}; Path=/; HttpOnly; SameSite=Lax"
    return [(b"location", place.encode()), (b"set-cookie", cookie.encode())]


async def _refuse(scope: Scope, send: Any, status: int, words: str) -> None:
    if scope["type"] == "websocket":
        await send(REFUSED_SOCKET)
    else:
        await _answer(send, status, words, [])


async def _answer(send: Any, status: int, words: str, more: list[tuple[bytes, bytes]]) -> None:
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    start = {"type": "http.response.start", "status": status, "headers": [*head, *FRAMES, *more]}
    await send(start)
    await send({"type": "http.response.body", "body": words.encode()})


def _unframed(send: Any) -> Callable[[dict[str, Any]], Awaitable[None]]:
    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            message = {**message, "headers": [*message.get("headers", []), *FRAMES]}
        await send(message)

    return sent
