"""What the server does for the first visitor: found by ``streamlit run``, complete, in order."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest
from streamlit.web.server.app_discovery import discover_asgi_app

from labelcore.ui import server

LEFT_FOR_THE_VISITOR = """
import sys
from streamlit.testing.v1 import AppTest
from labelcore.ui import server
server._import_all()
before = set(sys.modules)
page = AppTest.from_file({page!r}, default_timeout=100).run()
assert not page.exception
heavy = ("labelcore.", "plotly.", "scipy.", "pandas.", "sqlalchemy.", "PIL.Image")
print(sum(name.startswith(heavy) for name in set(sys.modules) - before))
"""


def test_streamlit_run_finds_the_app_and_with_it_what_it_does_first(root: Path) -> None:
    assert discover_asgi_app(root / "app.py").import_string == "app:app"


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
    imported: Future[None] = Future()
    monkeypatch.setattr(server, "_imported", imported)
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
        imported.set_result(None)
        await page
        assert served == ["http", "websocket"]

    asyncio.run(visit())
