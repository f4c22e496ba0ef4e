"""What the server does for the first visitor: found by ``streamlit run``, complete, in order."""

import asyncio
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.web.server.app_discovery import discover_asgi_app

from labelcore.ui import server
from tests.awaited import awaited

LEFT_FOR_THE_VISITOR = """
import sys
from streamlit.testing.v1 import AppTest
from labelcore.ui import server, trying
trying.make_ready = lambda: None  # Trials are made beside the page, which does not wait for them.
server.entrance()
server._import_all()
before = set(sys.modules)
page = AppTest.from_file({page!r}, default_timeout=100).run()
assert not page.exception
heavy = ("labelcore.", "plotly.", "scipy.", "pandas.", "sqlalchemy.", "PIL.Image")
print(sum(name.startswith(heavy) for name in set(sys.modules) - before))
"""


FIRST = """
import sys
from concurrent.futures import Future
from labelcore.store import open_store
from labelcore.store.base import ProjectRecord
from labelcore.ui import server, start_head, sessions
server._importing.set()
seen = []

class Imported(Future):
    def result(self):
        heavy = ("labelcore.designs", "labelcore.population", "scipy", "pandas", "pyarrow")
        seen.append([name for name in heavy if name in set(sys.modules) - before])
        self.set_result(None)

server._imported = Imported()
for number in range({projects}):
    settings = ("2026-01-01T00:00:00+00:00", "f" * 64, "{{}}", "{{}}", "{{}}")
    sessions.store().create(ProjectRecord(str(number), *settings))
import streamlit
from streamlit.testing.v1 import AppTest
streamlit.rerun = streamlit.stop
before = set(sys.modules)
found = AppTest.from_file({page!r}, default_timeout=100).run()
assert not found.exception, found.exception
assert found.title[0].value == "Labelcore"
keys = [one.key for one in found.button]
assert ("trial-digits" in keys) == (not {projects}), keys
assert any("being opened" in one.value for one in found.caption) == bool({projects})
assert any(".stApp" in one.proto.body for one in found.get("html")), "it has its colours"
assert seen == [[]], seen
assert not any(name.startswith(("labelcore.d", "scipy")) for name in before)
"""


def test_streamlit_run_finds_the_app_and_with_it_what_it_does_first(root: Path) -> None:
    assert discover_asgi_app(root / "app.py").import_string == "app:app"


@pytest.mark.full
def test_nothing_is_left_to_import_for_the_first_visitor(root: Path, tmp_path: Path) -> None:
    code = LEFT_FOR_THE_VISITOR.format(page=str(root / "app.py"))
    found = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env={"LABELCORE_DATA": str(tmp_path)},
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert found.stdout.strip() == "0"


def test_files_are_served_at_once_and_pages_after_the_imports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    begun: Future[None] = Future()
    monkeypatch.setattr(server, "_begun", begun)
    served: list[str] = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        served.append(scope["type"])

    async def visit() -> None:
        after = server.AfterImports(app)
        gone = asyncio.create_task(after({"type": "websocket"}, None, None))
        page = asyncio.create_task(after({"type": "websocket"}, None, None))
        await after({"type": "http"}, None, None)
        gone.cancel()  # A visitor who leaves takes nothing from the others.
        await asyncio.sleep(0)
        assert served == ["http"]
        begun.set_result(None)
        await page
        assert served == ["http", "websocket"]

    awaited(visit())


def sent(**asked: Any) -> dict[str, Any]:
    """What a page sends."""
    message = BackMsg()
    message.rerun_script.CopyFrom(ClientState(**asked))
    return {"type": "websocket.receive", "bytes": message.SerializeToString()}


def test_the_start_page_begins_before_everything_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whoever asks for another page, or presses, waits for all."""
    imported: Future[None] = Future()
    begun: Future[None] = Future()
    begun.set_result(None)
    monkeypatch.setattr(server, "_begun", begun)
    monkeypatch.setattr(server, "_imported", imported)
    pressed = WidgetStates(widgets=[WidgetState(id="trial", trigger_value=True)])

    async def visit(*messages: dict[str, Any]) -> list[dict[str, Any]]:
        waiting, came = list(messages), list[dict[str, Any]]()

        async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
            for _ in messages:
                came.append(await receive())

        async def receive() -> dict[str, Any]:
            return waiting.pop(0)

        page = asyncio.create_task(
            server.AfterImports(app)({"type": "websocket"}, receive, None)  # type: ignore[arg-type]
        )
        for _ in range(5):
            await asyncio.sleep(0)
        early = list(came)
        if not imported.done():
            imported.set_result(None)
        await page
        assert came == list(messages)
        return early

    first = [{"type": "websocket.connect"}, sent(query_string="embed=true")]
    assert awaited(visit(*first)) == first
    for late in (sent(page_name="label"), sent(page_script_hash="a"), sent(widget_states=pressed)):
        imported = Future()
        monkeypatch.setattr(server, "_imported", imported)
        assert awaited(visit(*first, late)) == first


@pytest.mark.parametrize("projects", [pytest.param(0, marks=pytest.mark.full), 2])
def test_what_is_shown_first_needs_little(root: Path, tmp_path: Path, projects: int) -> None:
    found = subprocess.run(
        [sys.executable, "-c", FIRST.format(page=str(root / "app.py"), projects=projects)],
        cwd=root, env={"LABELCORE_DATA": str(tmp_path)}, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert found.returncode == 0, found.stderr
