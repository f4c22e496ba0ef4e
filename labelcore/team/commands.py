"""The commands that let others in: the app shared, and who has which role in a data folder."""

from __future__ import annotations

import secrets
import socket
from pathlib import Path
from typing import Any

import click

from labelcore.cli.options import Decorator
from labelcore.cli.output import json_option, say
from labelcore.cli.serving import HERE, start, starting
from labelcore.settings import data_folder
from labelcore.team.register import Register
from labelcore.team.roles import Role
from labelcore.team.settings import (
    KEY,
    PARAMETER,
    PROXIES,
    USER_HEADER,
    check_proxies,
    role_key,
)

ANYWHERE = "0.0.0.0"

data_option: Decorator = click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of projects.  [default: LABELCORE_DATA, else ./data]",
)


@click.command()
@starting
@click.option(
    "--share",
    is_flag=True,
    help="Let other computers in, by links with keys that are new each time: one for who judges, "
    "one for who only looks. It is not encrypted: for a network that you trust.",
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
def app(share: bool, user_header: str | None, proxies: tuple[str, ...], **asked: Any) -> int:
    """Start the app on http://127.0.0.1:8501, reachable from this computer only."""
    check_proxies(proxies)
    told: dict[str, str | None] = {KEY: None}
    said = {USER_HEADER: user_header, PROXIES: ",".join(proxies)}
    told |= {name: value for name, value in said.items() if value}
    if share:
        told[KEY] = key = secrets.token_urlsafe(24)
        for line in links(key, asked["port"]):
            click.echo(line)
    return start(asked, told, ANYWHERE if share else HERE)


def links(key: str, port: int) -> list[str]:
    """The links of a share, each with what it is for."""
    there = f"http://{socket.gethostname()}:{port}/?{PARAMETER}="
    return [
        f"Share this link with those who judge: {there}{role_key(key, Role.ANNOTATOR)}",
        f"With those who only look: {there}{role_key(key, Role.VIEWER)}",
        f"Yours, on this computer: http://127.0.0.1:{port}/?{PARAMETER}={key}",
    ]


@click.group()
def people() -> None:
    """Who has which role: by a link of one's own, or by a login."""


@people.command("add")
@click.argument("name")
@click.option(
    "--role", type=click.Choice([str(one) for one in Role]), required=True, help="What they may do."
)
@click.option("--login", is_flag=True, help="Known by a login of that name; no link is made.")
@click.option(
    "--url",
    default="http://127.0.0.1:8501",
    show_default=True,
    help="The address of the app, for the link.",
)
@data_option
@json_option
def add(name: str, role: str, login: bool, url: str, data: str | None, as_json: bool) -> None:
    """Give somebody a role, and print the link: once, because only a hash of it is kept."""
    secret = _register(data).add(name, Role(role), login=login)
    link = f"{url.rstrip('/')}/?{PARAMETER}={secret}" if secret else None
    told = link or f"{name} is {role} after logging in under that name."
    say({"name": name, "role": role, "link": link}, [told], as_json)


@people.command("list")
@data_option
@json_option
def list_(data: str | None, as_json: bool) -> None:
    """Say who has a role."""
    found = [
        {"name": one.name, "role": str(one.role), "by": "link" if one.key else "login"}
        for one in _register(data).people()
    ]
    lines = [f"{one['name']}: {one['role']}, by {one['by']}" for one in found]
    say({"people": found}, lines or ["Nobody has a role yet."], as_json)


@people.command("remove")
@click.argument("name")
@data_option
@json_option
def remove(name: str, data: str | None, as_json: bool) -> None:
    """Take somebody's role and link away, at once; the answers stay."""
    _register(data).remove(name)
    say({"removed": name}, [f"{name} has no role any more."], as_json)


def _register(data: str | None) -> Register:
    return Register(data_folder() if data is None else Path(data).resolve())
