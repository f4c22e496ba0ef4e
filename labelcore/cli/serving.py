"""The command that starts the app."""

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from labelcore.cli.options import together
from labelcore.settings import DATA, FORWARDED, HOSTS, STORE

HERE = "127.0.0.1"
starting = together(
    click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True),
    click.option(
        "--data",
        type=click.Path(file_okay=False),
        help="The folder of projects and pictures.  [default: LABELCORE_DATA, else ./data]",
    ),
    click.option(
        "--store",
        metavar="URL",
        help="Where projects are kept, such as postgresql://user@host/labels.  [default: "
        "LABELCORE_STORE, else a file in the folder]",
    ),
    click.option("--no-browser", is_flag=True, help="Do not open a browser."),
    click.option(
        "--host",
        "hosts",
        multiple=True,
        metavar="NAME",
        help="A further name that the app answers to, of a proxy before it; repeat for several. "
        "Whoever the proxy lets in there is the owner, unless a share or a login says otherwise.",
    ),
)
"""The options that start the app wherever it is to be reached from, before a command's own."""


@click.command()
@starting
def app(**asked: Any) -> int:
    """Start the app on http://127.0.0.1:8501, reachable from this computer only."""
    return start(asked)


def start(
    asked: Mapping[str, Any], settings: Mapping[str, str | None] | None = None, address: str = HERE
) -> int:
    """Start the app.

    asked      values of the options of ``starting``
    settings   variables of the environment besides; None or "": not set
    """
    given = {
        HOSTS: ",".join(asked["hosts"]) or os.environ.get(HOSTS),
        DATA: os.path.abspath(asked["data"]) if asked["data"] is not None else os.environ.get(DATA),
        STORE: asked["store"] if asked["store"] is not None else os.environ.get(STORE),
        **(settings or {}),
    }
    environment = {name: value for name, value in os.environ.items() if name not in given}
    environment |= {name: value for name, value in given.items() if value}
    environment[FORWARDED] = ""
    quiet = asked["no_browser"] or address != HERE
    return become(command(asked["port"], quiet, address), environment)


def become(given: list[str], environment: dict[str, str]) -> int:
    """Run this in place of the present process, so that who ends it ends the app; where that cannot
    be done, beside it, until the app ends."""
    if os.name == "posix":
        sys.stdout.flush()
        os.execve(given[0], given, environment)
    return subprocess.call(given, env=environment)


def command(port: int, no_browser: bool, address: str = HERE) -> list[str]:
    """What is run. The settings beside the app's first page go before those of the user and of the
    working folder; address and port are said here too."""
    options = ["--server.address", address, "--server.port", str(port)]
    options += ["--server.showEmailPrompt", "false"]
    options += ["--server.headless", "true"] if no_browser else []
    return [sys.executable, "-m", "streamlit", "run", str(first_page()), *options]


def first_page() -> Path:
    """In an installed package the app lies in it, in a checkout beside it."""
    package = Path(sys.modules["labelcore"].__path__[0])
    places = [package / "app" / "app.py", package.parent / "app.py"]
    page = next((place for place in places if place.is_file()), None)
    if page is None:
        raise FileNotFoundError(
            f"{places[0]}: the app is missing from this installation; install labelcore again"
        )
    return page
