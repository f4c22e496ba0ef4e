"""What the server of the app does once, for the first visitor not to wait for it.

``streamlit run app.py`` imports app.py and finds the ``App`` in it: with it the server runs
``prepared`` as it starts. The files of a page are served meanwhile; its session begins when all
that pages need is imported.
"""

import asyncio
import gc
import logging
import pkgutil
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import Future
from contextlib import asynccontextmanager, closing, suppress
from importlib import import_module
from tempfile import TemporaryDirectory
from threading import Event, Thread
from time import sleep
from typing import Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from streamlit import cli_util, config
from streamlit.web.server import server_util

from labelcore import ui
from labelcore.settings import check_environment
from labelcore.ui.door import SHARE, Door, Scope, entrance, policy

ADDRESS = (
    b"<script>window.__streamlit = { ...window.__streamlit, "
    b'BACKEND_BASE_URL: window.location.origin + "/" };</script>'
)
FILES = ("/static/", "/_stcore/", "/media/", SHARE)
DAY_SECONDS = 24 * 3600.0
log = logging.getLogger(__name__)
_begun: Future[None] = Future()
_imported: Future[None] = Future()
"""When what the start page begins with is there, and when everything is."""
_importing = Event()


@asynccontextmanager
async def prepared(app: st.App) -> AsyncIterator[None]:
    """Begin to import, and open a browser where ``streamlit run`` should open one. The
    entrance says what the person who started the app must know."""
    check_environment()
    if words := entrance().begin():
        print(words, flush=True)
    _importing.set()
    Thread(target=_import_all, daemon=True).start()
    Thread(target=_daily, daemon=True).start()
    if not config.get_option("server.headless"):
        url = server_util.get_url(config.get_option("server.address"))
        Thread(target=cli_util.open_browser, args=(url,), daemon=True).start()
    yield


def _import_all() -> None:
    """What the pages need, which is kept out of later garbage collections. Nothing of it is
    imported above: the server would answer later."""
    try:
        import_module("labelcore.ui.start_head")
        _open_a_store()
    finally:  # A page that fails to import says so itself.
        _begun.set_result(None)
    try:
        from PIL import Image

        from labelcore.bounded import start_ahead
        from labelcore.population.copies import clear_leftovers

        for module in pkgutil.iter_modules(ui.__path__, f"{ui.__name__}."):
            import_module(module.name)
        import_module("plotly.graph_objects")
        Image.preinit()
        clear_leftovers()
        gc.collect()
        gc.freeze()
        start_ahead()
    finally:
        _imported.set_result(None)


def _daily() -> None:
    """Once the server has started, and every day while it runs: texts go whose time is over, and
    what was erased and came back with a copy goes again."""
    _imported.result()
    from labelcore.errors import MissingStoreError, StoreError
    from labelcore.session.erasing import erase_again
    from labelcore.session.retention import carry_out_retention
    from labelcore.store import open_store
    from labelcore.ui import sessions

    while True:
        try:
            with (
                suppress(MissingStoreError),
                closing(open_store(sessions.address(), create=False)) as store,
            ):
                erase_again(store)
                for project in carry_out_retention(store).broken:
                    log.warning("%s", project)
        except (StoreError, ValueError, OSError) as error:
            log.warning("Nothing was erased whose time is over: %s", error)
        sleep(DAY_SECONDS)


def still_imported() -> Future[None] | None:
    """What a page can wait for, where a server is still importing."""
    return _imported if _importing.is_set() and not _imported.done() else None


def _open_a_store() -> None:
    """SQLAlchemy imports when a store is opened."""
    from labelcore.store import open_store

    with TemporaryDirectory() as folder:
        open_store(f"sqlite:///{folder}/empty.db").close()


class AfterImports:
    """Lets the connection of a page wait for the imports: a page that began to import beside them
    would meet modules that are only half there. The start page needs few; whoever asks for another
    page, or presses, waits for all."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        async def received() -> Any:
            message = await receive()
            if not _imported.done() and _needs_all(message.get("bytes")):
                await _until(_imported)
            return message

        if scope["type"] != "websocket":
            await self.app(scope, receive, send)
            return
        await _until(_begun)
        await self.app(scope, received, send)


async def _until(done: Future[None]) -> None:
    await asyncio.shield(asyncio.wrap_future(done))


def _needs_all(sent: bytes | None) -> bool:
    """Whether a message of a page is more than the start page's first."""
    if not sent:
        return False
    from streamlit.proto.BackMsg_pb2 import BackMsg

    asked = BackMsg.FromString(sent).rerun_script
    return bool(asked.page_name or asked.page_script_hash or len(asked.widget_states.widgets))


AS_KEPT = (b"accept-encoding", b"if-none-match", b"if-modified-since")
"""What of a request is left out: of a packed page the head could not be read, and a browser that is
told that nothing changed takes over a policy without the scripts of its copy, which then stop."""


class OneAddress:
    """Tells a page where its server is. A page that is opened by its own address would ask there
    first, and be told twice that nothing is."""

    def __init__(self, app: Callable[..., Awaitable[None]]) -> None:
        self.app = app

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        page = scope["type"] == "http" and not scope["path"].startswith(FILES)
        if page:
            headers = [header for header in scope["headers"] if header[0] not in AS_KEPT]
            scope, send = {**scope, "headers": headers}, _telling(scope, send)
        await self.app(scope, receive, send)


def _telling(scope: Scope, send: Any) -> Any:
    """``send`` with ``ADDRESS`` in the head of a page, and a policy that lets no other script in
    it run."""
    start: dict[str, Any] = {}
    whole = bytearray()

    async def policed(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            headers = dict(message["headers"])
            if message["status"] == 200 and headers.get(b"content-type", b"").startswith(
                b"text/html"
            ):
                start.update(message)
                return
        if not start:
            await send(message)
            return
        whole.extend(message.get("body", b""))
        if not message.get("more_body", False):
            body = bytes(whole).replace(b"<head>", b"<head>" + ADDRESS, 1)
            kept = [header for header in start["headers"] if header[0] != b"content-length"]
            length = (b"content-length", str(len(body)).encode())
            await send({**start, "headers": [*kept, length, policy(scope, body)]})
            await send({**message, "body": body})

    return policed


async def share(request: Request) -> Response:
    """The page by link; the door has let the visitor in."""
    if _importing.is_set():
        await _until(_imported)
    from labelcore.ui.share_page import share_page

    return await run_in_threadpool(share_page, request.query_params.get("project", ""))


ROUTES = [Route(SHARE, share)]
HELD_BACK = [Middleware(Door), Middleware(OneAddress), Middleware(AfterImports)]
