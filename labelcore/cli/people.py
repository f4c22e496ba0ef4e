"""The commands that say who has which role in a data folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import click

from labelcore.access.register import Register
from labelcore.access.roles import Role
from labelcore.access.settings import PARAMETER, data_folder
from labelcore.cli.output import json_option, say

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]

data_option: Decorator = click.option(
    "--data",
    type=click.Path(file_okay=False),
    help="The folder of projects.  [default: LABELCORE_DATA, else ./data]",
)


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
