"""Who may come in where others do: keys of links, and logins.

Shared with others, every request needs the key of a link: it comes once in the address and is then
in a cookie. Or it needs a login: that of a proxy, whose word counts only from its own address, or
that of an OpenID provider, which the pages ask for. On this machine alone, with nothing of this set
up, the plain address is the owner's.
"""

from __future__ import annotations

import hmac
import os
import secrets
import socket
from collections.abc import Mapping
from ipaddress import IPv6Address, ip_address, ip_network
from typing import Any
from urllib.parse import parse_qsl, quote, unquote, urlencode

import streamlit as st
from streamlit import config

from labelcore.access import OWNER, Right, Visitor, may
from labelcore.settings import FORWARDED, data_folder, listed
from labelcore.team import login
from labelcore.team.register import Person, Register, ticket
from labelcore.team.roles import RIGHTS, Role, visitor_as
from labelcore.team.settings import HERE, KEY, PARAMETER, PROXIES, USER_HEADER, role_key
from labelcore.ui.door import (
    NO_NAME,
    PLAIN,
    SHARE,
    Entrance,
    Headers,
    Scope,
    answers_to,
    header,
    listens_beyond,
)

COOKIE = "labelcore_start"
PERSON_SECONDS = 30 * 24 * 3600
"""How long a browser keeps the key of a person's link; those of a share end with the browser."""
LEAVE = "leave"
"""As key in the address: forget the key in the cookie."""
ASK, BY_START, BY_LINK, BY_LOGIN = "ask", "start", "link", "login"
"""How somebody came: PLAIN, ASK, or one of the other words and what it is about."""
UPLOADS, MEDIA = "/_stcore/upload_file/", "/media/"
FONTS = "/static/media/"
"""Streamlit's own, which the page that asks for a login has too."""
NO_KEY = "This Labelcore is shared by links. Open the whole link that you were given."
NO_LOGIN = "This Labelcore is open to those who have logged in at its proxy. Open it there."
NOT_LOGGED_IN = "Log in to go on."
NO_CLAIM = "You are logged in, but not under a name that counts here. Log out and take another one."
UNKNOWN = (
    "You are logged in as {name}, who has no role here. Ask the owner for one "
    "(labelcore people add)."
)
LINK_ENDED = "This link is no longer valid. Ask for a new one."
REACHED = "Other computers can reach this app. Your link on this one: {link}"
LOG_IN, LOG_OUT, LEAVING = "Log in", "Log out", "Leave"


class TeamEntrance(Entrance):
    """Lets in people with a role, by a key or a login."""

    def begin(self) -> str:
        return REACHED.format(link=new_key()) if needs_key() else ""

    def came_by(self, scope: Scope) -> str | None:
        known_name = answers_to(header(scope, b"host"))
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

    def opened(self, scope: Scope, came: str | None) -> Headers | None:
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        key = given.get(PARAMETER, "") if scope["type"] == "http" else ""
        if key and (opened_by(key) or (key == LEAVE and came)):
            return _welcome(scope, given, key, came)
        return None

    def may_ask_for(self, scope: Scope, came: str) -> bool:
        path = str(scope["path"])
        base = "/" + config.get_option("server.baseUrlPath").strip("/")
        own, shared = path.startswith(base.rstrip("/") + FONTS), path.endswith(SHARE)
        if own or not (shared or UPLOADS in path or MEDIA in path):
            return True
        if came == ASK:
            came = _logged_in_as(login.named_in(_jar(scope)))
        wanted = Right.RUN if UPLOADS in path else Right.SEE if shared else None
        return may(visitor_of(came), wanted)

    def why(self, scope: Scope) -> tuple[int, str]:
        if not os.environ.get(KEY) and os.environ.get(USER_HEADER):
            return 403, NO_LOGIN
        return (403, NO_KEY) if os.environ.get(KEY) or listens_beyond() else (421, NO_NAME)

    def visitor(self, came: str) -> Visitor | None:
        if came == ASK:
            came = _logged_in_as(login.name_of(st.user.to_dict()))
        return visitor_of(came)

    def refusal(self, came: str) -> str:
        if came == ASK:
            name = login.name_of(st.user.to_dict())
            if _may_log_in(came):
                return NOT_LOGGED_IN
            return UNKNOWN.format(name=name) if name else NO_CLAIM
        if came.startswith(BY_LOGIN):
            return UNKNOWN.format(name=unquote(came.partition(" ")[2]))
        return LINK_ENDED

    def show_way_in(self, came: str) -> None:
        if _may_log_in(came):
            st.button(LOG_IN, key="log-in", type="primary", on_click=st.login)
        else:
            self.show_way_out(came)

    def show_way_out(self, came: str) -> None:
        if came == ASK and st.user.to_dict().get("is_logged_in"):
            st.button(LOG_OUT, key="log-out", type="tertiary", on_click=st.logout)
        elif came.startswith(BY_LINK):
            st.link_button(LEAVING, f"/?{PARAMETER}={LEAVE}", type="tertiary")

    def knows_others(self) -> bool:
        return bool(Register(data_folder()).people())

    def is_taken(self, name: str) -> bool:
        return Register(data_folder()).has(name)

    def shared_as(self) -> tuple[str, str]:
        key = os.environ.get(KEY, "")
        return (role_key(key, Role.VIEWER), socket.gethostname()) if key else ("", "")


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


def visitor_of(came: str | None) -> Visitor | None:
    """Whoever came so, as they are now; None where they are gone or not known."""
    way, _, what = (came or "").partition(" ")
    match way:
        case "plain":
            return OWNER
        case "start":
            return visitor_as(Role(what))
        case "link":
            return _with_role(Register(data_folder()).by_key(what))
        case "login":
            return _with_role(Register(data_folder()).by_login(unquote(what)))
        case _:
            return None


def needs_key() -> bool:
    """Whether other machines can reach the app and nothing says who may come in."""
    told = os.environ.get(KEY) or os.environ.get(USER_HEADER) or login.is_set_up()
    return listens_beyond() and not told


def new_key() -> str:
    """A key that is used from now on; returns the owner's link on this computer."""
    key = os.environ[KEY] = secrets.token_urlsafe(24)
    return f"http://127.0.0.1:{config.get_option('server.port')}/?{PARAMETER}={key}"


def _with_role(person: Person | None) -> Visitor | None:
    return None if person is None else visitor_as(person.role, person.name)


def _logged_in_as(name: str) -> str:
    """How somebody came whom the login of the pages calls so; ASK where it calls them nothing."""
    return f"{BY_LOGIN} {quote(name)}" if name else ASK


def _may_log_in(came: str) -> bool:
    return came == ASK and not st.user.to_dict().get("is_logged_in")


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


# --- cookies ------------------------------------------------------------------------------------


def _jar(scope: Scope) -> dict[str, str]:
    """All cookies. Those of other apps on this host come too, in any form."""
    return dict(_given(scope))


def _cookies(scope: Scope) -> list[str]:
    """What this app's cookie holds, as often as it is there."""
    name = _cookie_name(scope)
    return [value for found, value in _given(scope) if found == name]


def _given(scope: Scope) -> list[tuple[str, str]]:
    parts = (one.partition("=") for one in header(scope, b"cookie").split(";"))
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _cookie_name(scope: Scope) -> str:
    """With the port, because a browser gives the cookies of a host to all its ports."""
    port = header(scope, b"host").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def _welcome(scope: Scope, given: Mapping[str, Any], key: str, came: str | None) -> Headers:
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
    now = visitor_of(came)
    return now is not None and now.rights >= RIGHTS[Role(role)]
