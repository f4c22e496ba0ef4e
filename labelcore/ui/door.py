"""The door: who comes in, under which names the app answers, and what other pages may not do.

The core lets in whoever is at this machine, as the owner, under the names of this machine: a page
elsewhere whose name is made to lead here is refused, and so is what another page in the browser
sends. Nobody comes in from other machines: letting others in is the work of an ``Entrance`` that
another room brings. No other page may show the app in a frame.

How somebody came is told to the pages in a header of the request, which nobody can send.
"""

import asyncio
import os
import re
import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from functools import cache
from hashlib import sha256
from ipaddress import ip_address
from pathlib import Path
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from streamlit import config

from labelcore.access import OWNER, Right, Visitor, may, note
from labelcore.plugins import brought
from labelcore.settings import HOSTS, listed

GROUP = "labelcore.entrance"
CAME = b"x-labelcore-came"
"""The header that the door writes: what ``Entrance.came_by`` found."""
PLAIN = "plain"
OWN = b"x-labelcore-own"
"""The header that says, where it is there, that this is the visitor's own machine."""
FORWARDING = (b"forwarded", b"via", b"x-forwarded-for", b"x-real-ip")
HEALTH = "/_stcore/health"
SHARE = "/share"
"""Where the page by link is."""
NO_NAME = "This Labelcore does not answer to this name. Open it as http://127.0.0.1, with its port."
NOT_FROM_ELSEWHERE = "This Labelcore is open to the computer that it runs on, and to no other."
NO_ROLE = "Your role here does not allow that."
OTHER_PAGE = "This was sent by a page of another site."
POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval' blob:{scripts}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "connect-src 'self'{sockets} data: blob:; media-src 'self' blob:; worker-src 'self' blob:; "
    "frame-src 'self' blob:; object-src 'none'; base-uri 'self'; form-action 'self'; "
    "frame-ancestors 'self'"
)
"""What a page may load, run and speak to: its own files and server alone. Of what is written into
a page only the scripts that the server itself put there run, by their hashes; styles are written
by Streamlit's own scripts. Components come as blob:."""
INLINE = re.compile(rb"<script>(.*?)</script>", re.DOTALL)
HOST = re.compile(r"[A-Za-z0-9.-]+(:\d+)?|\[[0-9a-fA-F:.]+\](:\d+)?")
POLICY_NAME = b"content-security-policy"
FRAMES = [
    (b"x-frame-options", b"SAMEORIGIN"),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
]
STILL_SECONDS = 2.0
"""How soon a connection ends whose person has no role any more."""
UPLOAD = "/_stcore/upload_file/"
TOO_MUCH = "You have too many of these at a time. Close some, then try again."
REFUSED_SOCKET = {"type": "websocket.close", "code": 1008}
READS = ("GET", "HEAD", "OPTIONS")
MOST_NOTED, NOTED_SECONDS = 120, 60.0
"""So many refusals within so many seconds go to the audit trail one by one."""
Scope = Mapping[str, Any]
Headers = list[tuple[bytes, bytes]]


class Entrance:
    """Who may come in, and as whom: here whoever is at this machine, as the owner.

    Another room brings one of its own under the entry points ``labelcore.entrance``.
    """

    # --- asked by the door, of each request ---

    def begin(self) -> str:
        """What the server says as it starts; "" for nothing."""
        return ""

    def came_by(self, scope: Scope) -> str | None:
        """How this visitor came in; None for whoever may not."""
        return PLAIN if answers_to(header(scope, b"host")) and not listens_beyond() else None

    def opened(self, scope: Scope, came: str | None) -> Headers | None:
        """Where a request leads that carries a key in its address, and what its browser keeps of
        it; None for a request without one that counts."""
        return None

    def may_ask_for(self, scope: Scope, came: str) -> bool:
        """Whether what does not come through a page goes to this visitor."""
        return True

    def still(self, scope: Scope, came: str) -> bool:
        """Whether somebody with an open connection may go on."""
        return True

    def counted_as(self, scope: Scope, came: str) -> str:
        """Whose connections are counted together."""
        return came

    def most(self, came: str, what: str) -> int | None:
        """How many a visitor may have at a time of "websocket" or "upload"; None: any number."""
        return None

    def why(self, scope: Scope) -> tuple[int, str]:
        """Status and words for somebody who is refused."""
        return (403, NOT_FROM_ELSEWHERE) if listens_beyond() else (421, NO_NAME)

    # --- asked by the pages ---

    def visitor(self, came: str) -> Visitor | None:
        """Whoever came so, as they are now; None for somebody who has no role."""
        return OWNER if came == PLAIN else None

    def refusal(self, came: str) -> str:
        """Why somebody without a role sees no page, in one sentence."""
        return NOT_FROM_ELSEWHERE

    def show_way_in(self, came: str) -> None:
        """Draw what leads in, for somebody without a role."""

    def show_way_out(self, came: str) -> None:
        """Draw what leads out, for somebody with a role of their own."""

    def knows_others(self) -> bool:
        """Whether anybody else has a role here."""
        return False

    def is_shared(self) -> bool:
        """Whether others may come in here, so that roles and their trail have pages."""
        return False

    def show_roles(self, project: str) -> None:
        """Draw who has which role in a project, to be changed by whoever runs it."""

    def show_trail(self) -> None:
        """Draw the audit trail."""

    def stranger(self, came: str) -> str:
        """What a login calls somebody who has no role; "" where there is no such name."""
        return ""

    def is_taken(self, name: str) -> bool:
        """Whether a name is that of somebody with a role, whom no browser may call itself."""
        return False

    def shared_as(self) -> tuple[str, str]:
        """What makes the address of a page a link that lets somebody else look at it: a key, and
        this machine's name; ("", "") where there is none."""
        return "", ""


@cache
def entrance() -> Entrance:
    """The one in force: that of another room, where there is one."""
    entrances = [make() for _, make in brought(GROUP, needed=True)]
    return entrances[-1] if entrances else Entrance()


class Door:
    """Answers only those who may come in."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app
        self.open: Counter[tuple[str, str]] = Counter()

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        if scope["type"] not in ("http", "websocket") or scope["path"] == _base() + HEALTH:
            await self.app(scope, receive, send)
            return
        asked = entrance()
        came = asked.came_by(scope)
        if not same_origin(scope):
            await _refuse(scope, send, 403, OTHER_PAGE)
        elif (headers := asked.opened(scope, came)) is not None:
            await _answer(send, 303, "", [*headers, policy(scope)])
        elif came is None:
            await _refuse(scope, send, *asked.why(scope))
        elif not asked.may_ask_for(scope, came):
            await _refuse(scope, send, 403, NO_ROLE)
        else:
            await self._within_limits(scope, receive, send, came)

    async def _within_limits(
        self, scope: dict[str, Any], receive: Any, send: Any, came: str
    ) -> None:
        """Hand a request on, unless its sender has too many of its kind."""
        upload = UPLOAD in str(scope["path"])
        what = "upload" if upload else scope["type"]
        most = entrance().most(came, what) if what != "http" else None
        mine = (entrance().counted_as(scope, came), what)
        if most is not None and self.open[mine] >= most:
            await _refuse(scope, send, 429, TOO_MUCH)
            return
        self.open[mine] += 1
        try:
            if scope["type"] == "websocket" and came != PLAIN:
                receive = _watched(scope, receive, send, came)
            await self.app(_told(scope, came), receive, _unframed(scope, send))
        finally:
            self.open[mine] -= 1
            if self.open[mine] <= 0:
                del self.open[mine]


def _watched(scope: Scope, receive: Any, send: Any, came: str) -> Callable[[], Awaitable[Any]]:
    """What a connection brings, as long as its person has a role; of those who may not run
    projects without what empties the server's memory for everybody."""
    waiting: list[asyncio.Future[Any]] = []

    async def received() -> Any:
        while True:
            if not waiting:
                waiting.append(asyncio.ensure_future(receive()))
            await asyncio.wait(waiting, timeout=STILL_SECONDS)
            if not entrance().still(scope, came):
                waiting.pop().cancel()
                await send(REFUSED_SOCKET)
                return {"type": "websocket.disconnect", "code": REFUSED_SOCKET["code"]}
            if not waiting[0].done():
                continue
            message = waiting.pop().result()
            if not _clears(message.get("bytes")) or may(_runs(came), Right.RUN):
                return message

    return received


def _runs(came: str) -> Visitor | None:
    try:
        return entrance().visitor(came)
    except Exception:  # A login that only a page can ask for: whoever it is waits for the page.
        return None


def _clears(sent: bytes | None) -> bool:
    """Whether a message asks the server to forget what it keeps for all."""
    if not sent:
        return False
    from streamlit.proto.BackMsg_pb2 import BackMsg

    try:
        return bool(BackMsg.FromString(sent).WhichOneof("type") == "clear_cache")
    except Exception:
        return False


def _base() -> str:
    """The path under which the app lies; "" for the root."""
    base = config.get_option("server.baseUrlPath").strip("/")
    return f"/{base}" if base else ""


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


def same_origin(scope: Scope) -> bool:
    """Whether no page of another site sent what could change something: connections, uploads.
    Programs that are no browser say no origin."""
    origin = header(scope, b"origin")
    if not origin or (scope["type"] == "http" and scope.get("method", "GET") in READS):
        return True
    try:
        page = urlsplit(origin)
    except ValueError:  # such as "http://[": no browser sends it
        return False
    if page.netloc.lower() == header(scope, b"host").lower():
        return bool(page.netloc)
    allowed = config.get_option("server.corsAllowedOrigins") or []
    return origin in allowed or _is_further(page.hostname or "")


def _is_further(name: str) -> bool:
    return name.lower() in {host.lower() for host in listed(HOSTS)}


def _is_here(name: str) -> bool:
    """Whether this name of a computer can only be this machine's."""
    try:
        return ip_address(name.strip("[]")).is_loopback
    except ValueError:
        return name.lower() == "localhost"


def sits_here(scope: Scope) -> bool:
    """Whether a request comes from a browser on this machine that no proxy speaks for, and, where
    the machine says whose a connection is, from the user who runs the server."""
    host = header(scope, b"host")
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    client, server = scope.get("client"), scope.get("server")
    if not _is_here(name) or any(header(scope, field) for field in FORWARDING):
        return False
    if listed(HOSTS) or not client or not server or not _is_here(client[0]):
        return False
    return sys.platform != "linux" or _user_of(client[1], server[1]) == os.getuid()


def _user_of(port: int, to: int) -> int | None:
    """The user at the other end of a connection within this machine."""
    ends = f":{port:04X}", f":{to:04X}"
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        with suppress(OSError):
            for line in Path(table).read_text().splitlines()[1:]:
                cells = line.split()
                if cells[1].endswith(ends[0]) and cells[2].endswith(ends[1]):
                    return int(cells[7])
    return None


# --- requests -----------------------------------------------------------------------------------


def header(scope: Scope, wanted: bytes) -> str:
    return next((value.decode("latin-1") for name, value in scope["headers"] if name == wanted), "")


def _told(scope: dict[str, Any], came: str) -> dict[str, Any]:
    """The request with how the visitor came, and without what others say of that."""
    others = [(name, value) for name, value in scope["headers"] if name not in (CAME, OWN)]
    local = [(OWN, b"yes")] if came == PLAIN and sits_here(scope) else []
    return {**scope, "headers": [*others, (CAME, came.encode()), *local]}


def policy(scope: Scope, page: bytes = b"") -> tuple[bytes, bytes]:
    """The header that says what a page may load and run, with the scripts that are in it."""
    hashes = (b64encode(sha256(script).digest()).decode() for script in INLINE.findall(page))
    host = header(scope, b"host")
    # Some browsers do not take a connection to the own server for 'self'.
    sockets = f" ws://{host} wss://{host}" if HOST.fullmatch(host) else ""
    scripts = "".join(f" 'sha256-{digest}'" for digest in hashes)
    return POLICY_NAME, POLICY.format(scripts=scripts, sockets=sockets).encode()


async def _refuse(scope: Scope, send: Any, status: int, words: str) -> None:
    REFUSALS.add(scope, words)
    if scope["type"] == "websocket":
        await send(REFUSED_SOCKET)
    else:
        await _answer(send, status, words, [policy(scope)])


class Refusals:
    """What the audit trail is told of refusals: so many a minute and how many more there were, so
    that nobody without a key can fill the disk."""

    def __init__(self) -> None:
        self.since, self.number = -NOTED_SECONDS, 0

    def add(self, scope: Scope, words: str) -> None:
        """One more, without what stood in the address: it may be a key."""
        now = monotonic()
        if now - self.since >= NOTED_SECONDS:
            if self.number > MOST_NOTED:
                note("refused", "several addresses", f"{self.number - MOST_NOTED:,} more requests")
            self.since, self.number = now, 0
        self.number += 1
        if self.number <= MOST_NOTED:
            client = (scope.get("client") or ("unknown", 0))[0]
            note("refused", f"address {client}", f"{str(scope['path'])[:100]}: {words}")


REFUSALS = Refusals()


async def _answer(send: Any, status: int, words: str, more: Headers) -> None:
    head = [(b"content-type", b"text/plain; charset=utf-8"), (b"cache-control", b"no-store")]
    start = {"type": "http.response.start", "status": status, "headers": [*head, *FRAMES, *more]}
    await send(start)
    await send({"type": "http.response.body", "body": words.encode()})


def _unframed(scope: Scope, send: Any) -> Callable[[dict[str, Any]], Awaitable[None]]:
    async def sent(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers: Headers = [*message.get("headers", [])]
            policies = [] if any(name == POLICY_NAME for name, _ in headers) else [policy(scope)]
            message = {**message, "headers": [*headers, *FRAMES, *policies]}
        await send(message)

    return sent
