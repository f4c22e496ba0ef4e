"""Who may come in where others do: keys of links, and logins.

Shared with others, every request needs the key of a link: it comes once in the address and is then
in a cookie. Or it needs a login: that of a proxy, whose word counts only from its own address, or
that of an OpenID provider, which the pages ask for. On this machine alone, with nothing of this set
up, the plain address is the owner's.
"""

import hmac
import logging
import os
import secrets
import socket
from collections.abc import Mapping
from contextlib import suppress
from ipaddress import IPv6Address, ip_address, ip_network
from time import monotonic, time
from typing import Any
from urllib.parse import parse_qs, parse_qsl, quote, unquote, urlencode

import streamlit as st
from streamlit import config
from streamlit.runtime import Runtime

from labelcore.access import OWNER, Right, Visitor, may, note
from labelcore.settings import FORWARDED, HOSTS, data_folder, listed
from labelcore.team import login
from labelcore.team.register import ADDRESS, FOLDER, Person, Register, ticket, token
from labelcore.team.roles import RIGHTS, Role, visitor_as
from labelcore.team.settings import (
    HERE,
    KEY,
    PARAMETER,
    PROXIES,
    SESSION_HOURS,
    USER_HEADER,
    role_key,
)
from labelcore.ui import door, visitor
from labelcore.ui.presses import button

COOKIE = "labelcore_start"
HOURS = "12"
"""How long a session by a person's link lasts; those of a share end with the browser."""
FAILED, FAILED_SECONDS = 20, 60.0
"""So many wrong keys from one address within so many seconds, and more are not looked at."""
SOCKETS, OF_A_SHARE, UPLOADING = 40, 200, 3
"""Connections of one person and of all who have a link of a share, and files that one person
sends, at a time."""
SEEN_SECONDS = 60.0
TOO_MANY = "Too many wrong keys came from there. Wait a minute, then open your link."
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


log = logging.getLogger(__name__)


class TeamEntrance(door.Entrance):
    """Lets in people with a role, by a key or a login."""

    def __init__(self) -> None:
        self._wrong: dict[str, list[float]] = {}
        self._noted: dict[str, float] = {}

    def begin(self) -> str:
        keep_address()
        return REACHED.format(link=new_key()) if needs_key() else ""

    def came_by(self, scope: door.Scope) -> str | None:
        known_name = door.answers_to(door.header(scope, b"host"))
        if known_name and (named := _named_by_proxy(scope)):
            return f"{BY_LOGIN} {quote(named)}"
        keys = [key for cookie in _cookies(scope) if (key := opened_by_cookie(cookie))]
        if keys:
            return keys[0]
        if not known_name:
            return None
        if login.is_set_up():
            return ASK
        closed = os.environ.get(KEY) or os.environ.get(USER_HEADER) or door.listens_beyond()
        return None if closed else door.PLAIN

    def opened(self, scope: door.Scope, came: str | None) -> door.Headers | None:
        given = dict(parse_qsl(scope.get("query_string", b"").decode("latin-1")))
        key = given.get(PARAMETER, "") if scope["type"] == "http" else ""
        if key and not came and self._has_failed_often(scope):
            return None
        if key and (opened_by(key) or (key == LEAVE and came)):
            way, _, what = opened_by(key).partition(" ")
            share = way == BY_START
            note("link opened", what if share else _name(opened_by(key)), "of a share" * share)
            return _welcome(scope, given, key, came)
        if key and not came:
            self._failed(scope)
        return None

    def still(self, scope: door.Scope, came: str) -> bool:
        if came == ASK:
            came = _logged_in_as(login.named_in(_jar(scope)))
        if came == ASK:
            return True
        person = _person(came)
        now = monotonic()
        if person and now - self._noted.get(person.name, -SEEN_SECONDS) >= SEEN_SECONDS:
            self._noted[person.name] = now
            Register(data_folder()).seen(person)
        return visitor_of(came) is not None

    def most(self, came: str, what: str) -> int | None:
        if came in (door.PLAIN, ASK):
            return None
        many = OF_A_SHARE if came.startswith(BY_START) else SOCKETS
        return many if what == "websocket" else UPLOADING

    def counted_as(self, scope: door.Scope, came: str) -> str:
        if came.startswith(BY_LINK):
            return came.partition("-")[0]
        return f"{came} {_sender(scope)}" if came.startswith(BY_START) else came

    def _failed(self, scope: door.Scope) -> None:
        """Count a wrong key; the door notes that it was refused."""
        sender, now = _sender(scope), monotonic()
        times = self._wrong.get(sender, [])
        self._wrong = {**dict(list(self._wrong.items())[-1000:]), sender: [*times, now][-FAILED:]}

    def _has_failed_often(self, scope: door.Scope) -> bool:
        """Whether no key from this address is looked at for now. Who is in already stays in."""
        times = self._wrong.get(_sender(scope), [])
        return sum(monotonic() - failed < FAILED_SECONDS for failed in times) >= FAILED

    def may_ask_for(self, scope: door.Scope, came: str) -> bool:
        path = str(scope["path"])
        base = "/" + config.get_option("server.baseUrlPath").strip("/")
        of_fonts, shared = path.startswith(base.rstrip("/") + FONTS), path.endswith(door.SHARE)
        if of_fonts or not (shared or UPLOADS in path or MEDIA in path):
            return True
        if came == ASK:
            came = _logged_in_as(login.named_in(_jar(scope)))
        if UPLOADS in path:
            return may(visitor_of(came), Right.RUN)
        person = visitor_of(came)
        if shared:
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"), True)
            named = query.get("project", [""])  # Of several the page might read another one.
            there = person.at(visitor.key_named(named[0])) if person and len(named) == 1 else None
            return may(there, Right.SEE)
        return may(person, Right.RUN) or (may(person, None) and self._made_for(path, came))

    def _made_for(self, path: str, came: str) -> bool:
        """Whether a file was made for a page that this visitor has open: reports, labels and
        pictures go to nobody else, whoever knows their address."""
        if not Runtime.exists():
            return False
        runtime, name = Runtime.instance(), path.rpartition("/")[2].partition(".")[0]
        for session, files in _files_of_pages(runtime).items():
            if name in files.values():
                client = runtime.get_client(session)
                context = client.client_context if client else None
                headers = dict(context.headers) if context else {}
                if _same_person(str(headers.get(door.CAME.decode(), "")), came):
                    return True
        return False

    def why(self, scope: door.Scope) -> tuple[int, str]:
        guessed = f"{PARAMETER}=" in scope.get("query_string", b"").decode("latin-1")
        if guessed and self._has_failed_often(scope):
            return 429, TOO_MANY
        if not os.environ.get(KEY) and os.environ.get(USER_HEADER):
            return 403, NO_LOGIN
        if not (os.environ.get(KEY) or door.listens_beyond()):
            return 421, door.NO_NAME
        return 403, LINK_ENDED if _cookies(scope) else NO_KEY

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
            button(LOG_IN, "log-in", st.login, type="primary")
        else:
            self.show_way_out(came)

    def show_way_out(self, came: str) -> None:
        if came == ASK and st.user.to_dict().get("is_logged_in"):
            button(LOG_OUT, "log-out", st.logout, type="tertiary")
        elif came.startswith(BY_LINK):
            st.link_button(LEAVING, f"/?{PARAMETER}={LEAVE}", type="tertiary")

    def knows_others(self) -> bool:
        return Register(data_folder()).has_anybody()

    def is_shared(self) -> bool:
        return bool(_said_who() or door.listens_beyond() or listed(HOSTS) or self.knows_others())

    def show_roles(self, project: str) -> None:
        from labelcore.team.roles_page import roles

        roles(project)

    def show_trail(self) -> None:
        from labelcore.team.audit_page import trail_page

        trail_page()

    def stranger(self, came: str) -> str:
        name = login.name_of(st.user.to_dict()) if came == ASK else unquote(came.partition(" ")[2])
        return name if came.startswith((ASK, BY_LOGIN)) else ""

    def is_taken(self, name: str) -> bool:
        return Register(data_folder()).has(name)

    def shared_as(self) -> tuple[str, str]:
        key = os.environ.get(KEY, "")
        return (role_key(key, Role.VIEWER), socket.gethostname()) if key else ("", "")


def _files_of_pages(runtime: Runtime) -> dict[str, Mapping[str, str]]:
    """{session of a page: names of the files made for it}. Streamlit says it nowhere: one that
    keeps it otherwise fails the test of this, and until then nobody but owners gets a file."""
    try:
        return dict(runtime.media_file_mgr._files_by_session_and_coord)
    except AttributeError:
        log.error("This Streamlit does not say whose page a file is of: only owners get files.")
        return {}


def opened_by(key: str) -> str:
    """What a key of a link opens; "" for any other text."""
    start = os.environ.get(KEY, "")
    for role in Role:
        if start and same(key, role_key(start, role)):
            return f"{BY_START} {role}"
    register = Register(data_folder())
    person = register.by_secret(key)
    if person is None or person.over:
        return ""
    return f"{BY_LINK} {token(ticket(key), int(time()) + session_seconds())}"


def opened_by_cookie(value: str) -> str:
    """What a browser's cookie opens: the key of a share, or a session by a person's link."""
    key = opened_by(value)
    if key.startswith(BY_START):
        return key
    register = Register(data_folder())
    return f"{BY_LINK} {value}" if register.visitor(register.by_token(value)) else ""


def session_seconds() -> int:
    """How long a session by a person's link lasts."""
    return round(float(os.environ.get(SESSION_HOURS) or HOURS) * 3600)


def keep_address() -> None:
    """Where this app is reached, for the command that prints links."""
    named = listed(HOSTS)
    port = config.get_option("server.port")
    host = socket.gethostname() if door.listens_beyond() else "127.0.0.1"
    folder = data_folder() / FOLDER
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        address = f"https://{named[0]}" if named else f"http://{host}:{port}"
        (folder / ADDRESS).write_text(address, "utf-8")


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
        case _:
            return Register(data_folder()).visitor(_person(came or ""))


def _person(came: str) -> Person | None:
    """The person who came by a link or a login."""
    way, _, what = came.partition(" ")
    register = Register(data_folder())
    if way == BY_LINK:
        return register.by_token(what)
    return register.by_login(unquote(what)) if way == BY_LOGIN else None


def _name(came: str) -> str:
    person = _person(came)
    return person.name if person else ""


def _same_person(came: str, other: str) -> bool:
    """Whether two connections are one person's: by the same key of a share, or of one name."""
    return came == other or bool(_name(came) and _name(came) == _name(other))


def _sender(scope: door.Scope) -> str:
    return str((scope.get("client") or ("",))[0])


def needs_key() -> bool:
    """Whether other machines can reach the app and nothing says who may come in."""
    return door.listens_beyond() and not _said_who()


def _said_who() -> bool:
    return bool(os.environ.get(KEY) or os.environ.get(USER_HEADER) or login.is_set_up())


def new_key() -> str:
    """A key that is used from now on; returns the owner's link on this computer."""
    key = os.environ[KEY] = secrets.token_urlsafe(24)
    return f"http://127.0.0.1:{config.get_option('server.port')}/?{PARAMETER}={key}"


def _logged_in_as(name: str) -> str:
    """How somebody came whom the login of the pages calls so; ASK where it calls them nothing."""
    return f"{BY_LOGIN} {quote(name)}" if name else ASK


def _may_log_in(came: str) -> bool:
    return came == ASK and not st.user.to_dict().get("is_logged_in")


def _named_by_proxy(scope: door.Scope) -> str:
    """Who has logged in at the proxy, as it says itself: once, and from its own address."""
    wanted = os.environ.get(USER_HEADER, "").lower().encode()
    names = [value for name, value in scope["headers"] if wanted and name == wanted]
    if len(names) != 1 or not _is_proxy(scope):
        return ""
    return bytes(names[0]).decode("utf-8", "replace").strip()


def _is_proxy(scope: door.Scope) -> bool:
    """Whether the sender's address is the proxy's. The server must not take another one from the
    request, or anybody could be the proxy."""
    if os.environ.get(FORWARDED) != "":
        return False
    try:
        sender = ip_address(_sender(scope))
    except ValueError:
        return False
    if isinstance(sender, IPv6Address) and sender.ipv4_mapped:
        sender = sender.ipv4_mapped
    return any(sender in ip_network(network) for network in listed(PROXIES, HERE))


# --- cookies ------------------------------------------------------------------------------------


def _jar(scope: door.Scope) -> dict[str, str]:
    """All cookies. Those of other apps on this host come too, in any form."""
    return dict(_given(scope))


def _cookies(scope: door.Scope) -> list[str]:
    """What this app's cookie holds, as often as it is there."""
    name = _cookie_name(scope)
    return [value for given, value in _given(scope) if given == name]


def _given(scope: door.Scope) -> list[tuple[str, str]]:
    parts = (part.partition("=") for part in door.header(scope, b"cookie").split(";"))
    return [(name.strip(), value.strip()) for name, _, value in parts]


def _cookie_name(scope: door.Scope) -> str:
    """With the port, because a browser gives the cookies of a host to all its ports."""
    port = door.header(scope, b"host").rpartition(":")[2]
    return f"{COOKIE}_{port}" if port.isdecimal() else COOKIE


def _welcome(
    scope: door.Scope, given: Mapping[str, Any], key: str, came: str | None
) -> door.Headers:
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
    way, _, what = opened_by(key).partition(" ")
    if way == BY_LINK:
        kept, lasts = what, f"; Max-Age={session_seconds()}"
    if door.header(scope, b"x-forwarded-proto") == "https" or scope.get("scheme") in (
        "https",
        "wss",
    ):
        lasts += "; Secure"
    cookie = f"{_cookie_name(scope)}={kept}; Path=/; HttpOnly; SameSite=Lax{lasts}"
    return [to, (b"set-cookie", cookie.encode())]


def _has_more(came: str | None, key: str) -> bool:
    """Whether the link of a role that was opened gives no more than this browser has: it stays."""
    way, _, role = opened_by(key).partition(" ")
    if way != BY_START:
        return False
    now = visitor_of(came)
    return now is not None and now.rights >= RIGHTS[Role(role)]
