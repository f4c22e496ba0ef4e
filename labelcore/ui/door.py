"""Who may come in: the names that the app answers to, keys of links, logins.

On this machine alone the plain address is open, under the names of this machine: a page elsewhere
whose name is made to lead here is refused, and so is what another page in the browser sends.
Shared with others, every request needs the key of a link: it comes once in the address and is then
in a cookie. Or it needs a login: that of a proxy, whose word counts only from its own address, or
that of an OpenID provider, which the pages ask for. No other page may show the app in a frame.

How somebody came is told to the pages in a header of the request, which nobody can send.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Awaitable, Callable, Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from streamlit import config

from labelcore.access.register import Person, Register, ticket
from labelcore.access.roles import RIGHTS, Right, Role, may
from labelcore.access.settings import (
    FORWARDED,
    HERE,
    HOSTS,
    KEY,
    PARAMETER,
    PROXIES,
    USER_HEADER,
    data_folder,
    listed,
    role_key,
)
from labelcore.ui import login

COOKIE = "labelcore_start"
PERSON_SECONDS = 30 * 24 * 3600
"""How long a browser keeps the key of a person's link; those of a share end with the browser."""
LEAVE = "leave"
"""As key in the address: forget the key in the cookie."""
CAME = b"x-labelcore-came"
"""The header that the door writes. Its values: PLAIN, ASK, or a word and what it is about."""
PLAIN, ASK, BY_START, BY_LINK, BY_LOGIN = "plain", "ask", "start", "link", "login"
HEALTH = "/_stcore/health"
UPLOADS, MEDIA = "/_stcore/upload_file/", "/media/"
FONTS = "/static/media/"
"""Streamlit's own, which the page that asks for a login has too."""
NO_KEY = "This Labelcore is shared by links. Open the whole link that you were given."
NO_NAME = "This Labelcore does not answer to this name. Open it as http://127.0.0.1, with its port."
NO_LOGIN = "This Labelcore is open to those who have logged in at its proxy. Open it there."
NO_ROLE = "Your role here does not allow that."
OTHER_PAGE = "This was sent by a page of another site."
FRAMES = [
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"content-security-policy", b"frame-ancestors 'self'"),
]
REFUSED_SOCKET = {"type": "websocket.close", "code": 1008}
READS = ("GET", "HEAD", "OPTIONS")
Scope = Mapping[str, Any]


class Door:
    """Answers only those who may come in."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"].endswith(HEALTH):
            await self.app(scope, receive, send)
            return
        came = came_by(scope)
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        key = given.get(PARAMETER, "") if scope["type"] == "http" else ""
        if not same_origin(scope):
            await _refuse(scope, send, 403, OTHER_PAGE)
        elif key and (opened_by(key) or (key == LEAVE and came)):
            await _answer(send, 303, "", _welcome(scope, given, key, came))
        elif came is None:
            await _refuse(scope, send, *_why(scope))
        elif not _may_ask_for(scope, came):
            await _refuse(scope, send, 403, NO_ROLE)
        else:
            await self.app(_told(scope, came), receive, _unframed(send))


# --- how somebody came --------------------------------------------------------------------------


def came_by(scope: Scope) -> str | None:
    """How this visitor came in; None for whoever may not."""
    known_name = answers_to(_header(scope, b"host"))
    if known_name and (named := _named_by_proxy(scope)):
        return f"{BY_LOGIN} {quote(named)}"
    keys = [found for one in _cookies(scope) if (found := opened_by(one))]
    if keys:
        return keys[0]
    if not known_name:
        return None
    if login.is_set_up():
        return ASK
    closed = os.environ.get(KEY) or os.environ.get(USER_HEADER) or listens_beyond()
    return None if closed else PLAIN


def opened_by(key: str) -> str:
    """What a key of a link opens; "" for any other text."""
    start = os.environ.get(KEY, "")
    for role in Role:
        if start and same(key, role_key(start, role)):
            return f"{BY_START} {role}"
    return f"{BY_LINK} {ticket(key)}" if Register(data_folder()).by_secret(key) else ""


def same(given: str, key: str) -> bool:
    """Whether a text is the key; how long it takes tells nothing of it."""
    return hmac.compare_digest(given.encode(), key.encode())


def who_came(came: str | None) -> Person | None:
    """Role and name of whoever came so, as they are now; None where they are gone or not known."""
    way, _, what = (came or "").partition(" ")
    match way:
        case "plain":
            return Person("", Role.OWNER)
        case "start":
            return Person("", Role(what))
        case "link":
            return Register(data_folder()).by_key(what)
        case "login":
            return Register(data_folder()).by_login(unquote(what))
        case _:
            return None


def _named_by_proxy(scope: Scope) -> str:
    """Who has logged in at the proxy, as it says itself: once, and from its own address."""
    wanted = os.environ.get(USER_HEADER, "").lower().encode()
    said = [value for name, value in scope["headers"] if wanted and name == wanted]
    if len(said) != 1 or not _is_proxy(scope):
        return ""
    return bytes(said[0]).decode("utf-8", "replace").strip()


def _is_proxy(scope: Scope) -> bool:
    """Whether the sender's address is the proxy's. The server must not take another one from the
    request, or anybody could be the proxy."""
    if os.environ.get(FORWARDED) != "":
        return False
    try:
        sender = ip_address((scope.get("client") or ("", 0))[0])
    except ValueError:
        return False
    if isinstance(sender, IPv6Address) and sender.ipv4_mapped:
        sender = sender.ipv4_mapped
    return any(sender in ip_network(one) for one in listed(PROXIES, HERE))


def _may_ask_for(scope: Scope, came: str) -> bool:
    """Whether this visitor's role goes with what does not come through a page."""
    path = str(scope["path"])
    base = "/" + config.get_option("server.baseUrlPath").strip("/")
    own = path.startswith(base.rstrip("/") + FONTS)
    if own or (UPLOADS not in path and MEDIA not in path):
        return True
    if came == ASK:
        named = login.named_in(_jar(scope))
        came = f"{BY_LOGIN} {quote(named)}" if named else ASK
    person = who_came(came)
    return may(person.role if person else None, Right.RUN if UPLOADS in path else None)


# --- names and origins --------------------------------------------------------------------------


def answers_to(host: str) -> bool:
    """Whether the app answers to this name: any where it was told to listen to more than this
    machine, because there nobody comes in by the name alone."""
    if listens_beyond():
        return True
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    return _is_here(name) or _is_further(name)


def listens_beyond() -> bool:
    """Whether other machines can reach the app."""
    address = config.get_option("server.address")
    return bool(address) and not _is_here(address)


def shared_as() -> tuple[str, str]:
    """What makes the address of a page a link that lets somebody else look at it: the viewers' key
    and this machine's name; ("", "") where no link with a key is shared."""
    key = os.environ.get(KEY, "")
    return (role_key(key, Role.VIEWER), socket.gethostname()) if key else ("", "")


def needs_key() -> bool:
    """Whether other machines can reach the app and nothing says who may come in."""
    told = os.environ.get(KEY) or os.environ.get(USER_HEADER) or login.is_set_up()
    return listens_beyond() and not told


def new_key() -> str:
    """A key that is used from now on; returns the owner's link on this computer."""
    key = os.environ[KEY] = secrets.token_urlsafe(24)
    return f"http://127.0.0.1:{config.get_option('server.port')}/?{PARAMETER}={key}"


def same_origin(scope: Scope) -> bool:
    """Whether no page of another site sent what could change something: connections, uploads.
    Programs that are no browser say no origin."""
    origin = _header(scope, b"origin")
    if not origin or (scope["type"] == "http" and scope.get("method", "GET") in READS):
        return True
    try:
        page = urlsplit(origin)
    except ValueError:  # such as "http://[": no browser sends it
        return False
    if page.netloc.lower() == _header(scope, b"host").lower():
        return bool(page.netloc)
    allowed = config.get_option("server.corsAllowedOrigins") or []
    return origin in allowed or _is_further(page.hostname or "")


def _is_further(name: str) -> bool:
    return name.lower() in {one.lower() for one in listed(HOSTS)}


def _is_here(name: str) -> bool:
    """Whether this name of a computer can only be this machine's."""
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


# --- requests -----------------------------------------------------------------------------------


def _header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def _jar(scope: Scope) -> dict[str, str]:
    """All cookies. Those of other apps on this host come too, in any form."""
    given = (one.partition("=") for one in _header(scope, b"cookie").split(";"))
    return {name.strip(): value.strip() for name, _, value in given}


def _cookies(scope: Scope) -> list[str]:
    """What this app's cookie holds, as often as it is there."""
    name = _cookie_name(scope)
    given = (one.partition("=") for one in _header(scope, b"cookie").split(";"))
    return [value.strip() for found, _, value in given if found.strip() == name]


def _cookie_name(scope: Scope) -> str:
    """With the port, because a browser gives the cookies of a host to all its ports."""
    port = _header(scope, b"host").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def _welcome(
    scope: Scope, given: dict[str, str], key: str, came: str | None
) -> list[tuple[bytes, bytes]]:
    """To the same page without the key in its address, with the key in a cookie."""
    rest = urlencode({name: value for name, value in given.items() if name != PARAMETER})
    # A path that begins with two slashes would lead to another server, also with a tab in between.
    path = "/" + quote(str(scope["path"]).lstrip("/\\"))
    place = path + (f"?{rest}" if rest else "")
    to = (b"location", place.encode())
    if _has_more(came, key):
        return [to]
    kept = "" if key == LEAVE else key
    lasts = "; Max-Age=0" if key == LEAVE else ""
    if opened_by(key).startswith(BY_LINK):
        lasts = f"; Max-Age={PERSON_SECONDS}"
    cookie = f"{_cookie_name(scope)}={kept}; Path=/; HttpOnly; SameSite=Lax{lasts}"
    return [to, (b"set-cookie", cookie.encode())]


def _has_more(came: str | None, key: str) -> bool:
    """Whether the link of a role that was opened gives no more than this browser has: it stays."""
    way, _, role = opened_by(key).partition(" ")
    if way != BY_START:
        return False
    now = who_came(came)
    return now is not None and RIGHTS[now.role] >= RIGHTS[Role(role)]


def _told(scope: dict[str, Any], came: str) -> dict[str, Any]:
    """The request with how the visitor came, and without what others say of that."""
    others = [(name, value) for name, value in scope["headers"] if name != CAME]
    return {**scope, "headers": [*others, (CAME, came.encode())]}


def _why(scope: Scope) -> tuple[int, str]:
    """Why somebody is refused who has shown nothing."""
    if not os.environ.get(KEY) and os.environ.get(USER_HEADER):
        return 403, NO_LOGIN
    if os.environ.get(KEY) or listens_beyond():
        return 403, NO_KEY
    return 421, NO_NAME


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
