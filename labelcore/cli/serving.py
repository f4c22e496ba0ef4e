"""The command that starts the app."""

from __future__ import annotations

import os
import secrets
import socket
import subprocess
import sys
from pathlib import Path

import click

from labelcore.access.roles import Role
from labelcore.access.settings import (
    FORWARDED,
    HOSTS,
    KEY,
    PARAMETER,
    PROXIES,
    USER_HEADER,
    check_proxies,
    role_key,
)

HERE, ANYWHERE = "127.0.0.1", "0.0.0.0"


@click.command()
@click.option("--port", type=click.IntRange(1, 65535), default=8501, show_default=True)
@click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of projects and pictures.  [default: LABELCORE_DATA, else ./data]",
)
@click.option(
    "--store",
    metavar="URL",
    help="Where projects are kept, such as postgresql://user@host/labels.  [default: "
    "LABELCORE_STORE, else a file in the folder]",
)
@click.option("--no-browser", is_flag=True, help="Do not open a browser.")
@click.option(
    "--share",
    is_flag=True,
    help="Let other computers in, by links with keys that are new each time: one for who judges, "
    "one for who only looks. It is not encrypted: for a network that you trust.",
)
@click.option(
    "--host",
    "hosts",
    multiple=True,
    metavar="NAME",
    help="A further name that the app answers to, of a proxy before it; repeat for several. "
    "Without --share, --user-header or a login, whoever the proxy lets in there is the owner.",
)
@click.option(
    "--user-header",
    metavar="NAME",
    help="The header in which a proxy says who has logged in there; nobody else comes in then.",
)
@click.option(
    "--proxy",
    "proxies",
    multiple=True,
    metavar="ADDRESS",
    help="From where that header counts: an address or a network; repeat for several.  "
    "[default: this computer]",
)
def app(
    port: int,
    data: str | None,
    store: str | None,
    no_browser: bool,
    share: bool,
    hosts: tuple[str, ...],
    user_header: str | None,
    proxies: tuple[str, ...],
) -> int:
    """Start the app on http://127.0.0.1:8501, reachable from this computer only."""
    environment = {**os.environ, FORWARDED: ""}
    environment.pop(KEY, None)
    check_proxies(proxies)
    told = {HOSTS: ",".join(hosts), USER_HEADER: user_header, PROXIES: ",".join(proxies)}
    environment.update({name: value for name, value in told.items() if value})
    if share:
        environment[KEY] = key = secrets.token_urlsafe(24)
        for line in links(key, port):
            click.echo(line)
    if data is not None:
        environment["LABELCORE_DATA"] = os.path.abspath(data)
    if store is not None:
        environment["LABELCORE_STORE"] = store
    return become(command(port, no_browser or share, ANYWHERE if share else HERE), environment)


def links(key: str, port: int) -> list[str]:
    """The links of a share, each with what it is for."""
    there = f"http://{socket.gethostname()}:{port}/?{PARAMETER}="
    return [
        f"Share this link with those who judge: {there}{role_key(key, Role.ANNOTATOR)}",
        f"With those who only look: {there}{role_key(key, Role.VIEWER)}",
        f"Yours, on this computer: http://127.0.0.1:{port}/?{PARAMETER}={key}",
    ]


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
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise FileNotFoundError(
            f"{places[0]}: the app is missing from this installation; install labelcore again"
        )
    return found
