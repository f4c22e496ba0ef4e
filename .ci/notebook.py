"""A cell of JupyterLab with `lc.label(session)`, labelled by three keys in Chromium.

    .ci/notebook.py PYTHON

PYTHON is that of an environment with Labelcore, its extra `notebook`, `jupyterlab` and `ipykernel`.
Run by the checkout's own, which has Playwright. Prints what the store holds; exit code 1 where that
is not three answers.
"""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import labelcore as lc
from tests.browser.chromium import launch

CELL = """import labelcore as lc
rows = [{"id": n, "text": f"message {n}", "s": n / 50} for n in range(50)]
population = lc.read_population(
    rows, id="id", content="text", scores={"lr": "s"}, thresholds={"lr": 0.5})
plan = lc.Plan("simple_random", ["accuracy"], budget=9, seed=1)
session = lc.Session(population, plan, "sqlite:///labels.db", project="spam")
lc.label(session)"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "code", "id": "one", "metadata": {}, "outputs": [], "source": CELL,
         "execution_count": None}
    ],
    "metadata": {"kernelspec": {"name": "python3", "display_name": "Python 3"}},
    "nbformat": 4,
    "nbformat_minor": 5,
}  # fmt: skip
KEYS, PATIENCE_MS = "yny", 180_000


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def label(address: str) -> None:
    """Run the cell and answer three items under it."""
    with launch() as browser:
        page = browser.new_page(viewport={"width": 1280, "height": 1400})
        page.set_default_timeout(PATIENCE_MS)
        page.goto(f"{address}/lab/tree/spam.ipynb?reset")
        page.get_by_text("| Idle").wait_for()  # A cell that is run before that is not.
        page.locator(".jp-Notebook .jp-CodeCell .cm-content").first.click()
        page.keyboard.press("Control+Enter")
        box = page.locator(".lc-box")
        box.wait_for()
        for number, key in enumerate(KEYS, start=1):
            page.wait_for_timeout(400)  # Presses sooner than that are too quick.
            box.focus()
            page.keyboard.press(key)
            said = {"y": "Yes", "n": "No"}[key]
            expect(page.locator(".lc-surface")).to_contain_text(
                f"{number} of 9", timeout=PATIENCE_MS
            )
            expect(page.locator(".lc-saved")).to_have_text(f"Saved: {said}", timeout=PATIENCE_MS)


def main(python: str) -> int:
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "spam.ipynb").write_text(json.dumps(NOTEBOOK), "utf-8")
        port = free_port()
        command = [
            *(python, "-m", "jupyterlab", "--no-browser", "--allow-root", f"--port={port}"),
            *("--ServerApp.token=", "--ServerApp.password=", "--ServerApp.port_retries=0"),
        ]
        own = {**os.environ, "JUPYTER_CONFIG_DIR": folder, "JUPYTER_DATA_DIR": f"{folder}/.data"}
        with subprocess.Popen(command, cwd=folder, env=own, stderr=subprocess.DEVNULL) as server:
            try:
                wait_for(f"http://127.0.0.1:{port}/api", server)
                label(f"http://127.0.0.1:{port}")
            finally:
                server.terminate()
        session = lc.Session.open(f"sqlite:///{folder}/labels.db", "spam")
        said = [one.label for one in session.events if one.kind == "labelled"]
        print(f"JupyterLab: {len(KEYS)} keys, stored: {', '.join(map(str, said))}")
        return int(said != [{"y": "yes", "n": "no"}[key] for key in KEYS])


def wait_for(address: str, server: subprocess.Popen[bytes]) -> None:
    """Until the server answers; RuntimeError where it has ended."""
    while server.poll() is None:
        try:
            with urlopen(address, timeout=5):
                return
        except (URLError, OSError):
            continue
    raise RuntimeError(f"JupyterLab ended with {server.returncode}")


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))
