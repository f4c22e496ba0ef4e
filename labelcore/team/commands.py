"""The commands that let others in: the app shared, and who has which role in a data folder."""

import os
import secrets
import socket
from contextlib import closing
from pathlib import Path
from typing import Any

import click

from labelcore.access import LISTENERS, key_of
from labelcore.cli.options import Decorator
from labelcore.cli.output import json_option, say
from labelcore.cli.serving import HERE, start, starting
from labelcore.errors import MissingStoreError
from labelcore.settings import DATABASE, HOSTS, STORE, data_folder, listed
from labelcore.store import act, command_user, open_store
from labelcore.store import note as write_acts
from labelcore.team import settings
from labelcore.team.register import DAYS, LONGEST_DAYS, Register
from labelcore.team.roles import Role

ANYWHERE = "0.0.0.0"
NO_TLS = """--share must not send keys and labels in the clear. Put a proxy with TLS before the
app, such as Caddy with this Caddyfile, and start with --share --host labels.example.org:

labels.example.org {{
\treverse_proxy 127.0.0.1:{port}
}}

--unencrypted shares without it, on a network that you trust."""

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
    "one for who only looks. With --host NAME behind a proxy with TLS.",
)
@click.option(
    "--unencrypted",
    is_flag=True,
    help="Share without TLS: everybody on the network can read along.",
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
    share: bool, unencrypted: bool, user_header: str | None, proxies: tuple[str, ...], **asked: Any
) -> int:
    """Start the app on http://127.0.0.1:8501, reachable from this computer only."""
    settings.check_proxies(proxies)
    variables: dict[str, str | None] = {settings.KEY: None}
    header = {settings.USER_HEADER: user_header, settings.PROXIES: ",".join(proxies)}
    variables |= {name: value for name, value in header.items() if value}
    named = asked["hosts"] or listed(HOSTS)
    if share and not unencrypted and not named:
        raise ValueError(NO_TLS.format(port=asked["port"]))
    if share:
        variables[settings.KEY] = key = secrets.token_urlsafe(24)
        for line in links(key, asked["port"], named[0] if named else ""):
            click.echo(line)
    return start(asked, variables, ANYWHERE if share and unencrypted else HERE)


def links(key: str, port: int, host: str = "") -> list[str]:
    """The links of a share, each with what it is for; by the name of the proxy before it."""
    server = f"https://{host}" if host else f"http://{socket.gethostname()}:{port}"
    there = f"{server}/?{settings.PARAMETER}="
    return [
        f"Share this link with those who judge: {there}{settings.role_key(key, Role.ANNOTATOR)}",
        f"With those who only look: {there}{settings.role_key(key, Role.VIEWER)}",
        f"Yours, on this computer: http://127.0.0.1:{port}/?{settings.PARAMETER}={key}",
    ]


@click.group()
def people() -> None:
    """Who has which role: by a link of one's own, or by a login."""


project_option: Decorator = click.option(
    "--project", "projects", multiple=True, metavar="NAME", help="In this one; repeat for several."
)
there_option: Decorator = click.option(
    "--project", "projects", multiple=True, metavar="NAME", required=True,
    help="Repeat for several.",
)  # fmt: skip
role_option: Decorator = click.option(
    "--role", type=click.Choice([*map(str, Role)]), required=True, help="What they may do."
)


@people.command("add")
@click.argument("name")
@role_option
@project_option
@click.option("--every-project", is_flag=True, help="In all of them, those to come too.")
@click.option("--in", "groups", multiple=True, metavar="GROUP", help="A group that they are in.")
@click.option("--group", is_flag=True, help="It is a group, which gives its role to those in it.")
@click.option("--login", is_flag=True, help="Known by a login of that name; no link is made.")
@click.option(
    "--days",
    type=click.IntRange(1, LONGEST_DAYS),
    default=DAYS,
    show_default=True,
    help="After which the link ends.",
)
@click.option("--url", help="The address of the app.  [default: where it was started last]")
@data_option
@json_option
def add(
    name: str,
    role: str,
    projects: tuple[str, ...],
    every_project: bool,
    groups: tuple[str, ...],
    group: bool,
    login: bool,
    days: int,
    url: str | None,
    data: str | None,
) -> None:
    """Give somebody a role, and print the link: once, because only a hash of it is kept."""
    if bool(projects) == every_project:
        raise ValueError("say where: --project NAME, once or more, or --every-project, not both")
    register, there = _register(data), {_key(project, data): Role(role) for project in projects}
    secret = register.add(
        name, Role(role) if every_project else None,
        login=login, days=days, roles=there, groups=groups, group=group,
    )  # fmt: skip
    link = register.link(secret, url or "") if secret else None
    known = f"{name} is a group now." if group else f"{name} is {role} after logging in so."
    say({"name": name, "role": role, "link": link}, [link or known])


@people.command("give")
@click.argument("name")
@role_option
@there_option
@data_option
@json_option
def give(name: str, role: str, projects: tuple[str, ...], data: str | None) -> None:
    """Give somebody, or a group, a role in a project, in place of the one there."""
    for project in projects:
        _register(data).give(name, Role(role), _key(project, data))
    line = f"{name} is {role} in {', '.join(projects)}."
    say({"name": name, "role": role, "projects": [*projects]}, [line])


@people.command("take")
@click.argument("name")
@there_option
@data_option
@json_option
def take(name: str, projects: tuple[str, ...], data: str | None) -> None:
    """Take somebody's role in a project away, at once."""
    for project in projects:
        _register(data).take(name, _key(project, data))
    line = f"{name} has no role of their own in {', '.join(projects)} any more."
    say({"name": name, "projects": [*projects]}, [line])


group_option: Decorator = click.option(
    "--in", "groups", multiple=True, metavar="GROUP", required=True, help="Repeat for several."
)


@people.command("join")
@click.argument("name")
@group_option
@data_option
@json_option
def join(name: str, groups: tuple[str, ...], data: str | None) -> None:
    """Put somebody in a group, whose roles they have too from then on."""
    for group in groups:
        _register(data).join(name, group)
    say({"name": name, "groups": [*groups]}, [f"{name} is in {', '.join(groups)}."])


@people.command("leave")
@click.argument("name")
@group_option
@data_option
@json_option
def leave(name: str, groups: tuple[str, ...], data: str | None) -> None:
    """Take somebody out of a group, at once."""
    for group in groups:
        _register(data).leave(name, group)
    say({"name": name, "left": [*groups]}, [f"{name} is not in {', '.join(groups)}."])


@people.command("rename")
@click.argument("group")
@click.argument("new")
@data_option
@json_option
def rename(group: str, new: str, data: str | None) -> None:
    """Give a group another name; who is in it stays."""
    _register(data).rename(group, new)
    say({"group": new, "before": group}, [f"{group} is called {new} now."])


@people.command("list")
@data_option
@json_option
def list_(data: str | None) -> None:
    """Say who has a role."""
    register, names = _register(data), {key: name for name, key in _projects(data).items()}
    rows = [
        {
            "name": person.name,
            "role": str(person.role or ""),
            "projects": {names.get(key, "a project that is gone"): str(role)
                         for key, role in person.roles.items()},
            "groups": [*person.groups],
            "by": "group" if person.group else "link" if person.key else "login",
            "ends": person.ends,
            "last_visit": register.last_seen(person),
        }
        for person in register.people()
    ]  # fmt: skip
    say({"people": rows}, [*map(_line, rows)] or ["Nobody has a role yet."])


def _line(person: dict[str, Any]) -> str:
    there = [f"{role} in {name}" for name, role in person["projects"].items()]
    roles = ", ".join([*([person["role"]] if person["role"] else []), *there, *person["groups"]])
    ends = f", ends {person['ends'][:10]}" if person["ends"] else ""
    seen = f", last here {person['last_visit'][:16]}" if person["last_visit"] else ""
    return f"{person['name']}: {roles or 'no role'}, by {person['by']}{ends}{seen}"


@people.command("remove")
@click.argument("name")
@data_option
@json_option
def remove(name: str, data: str | None) -> None:
    """Take somebody's role and link, or a group, away at once; the answers stay."""
    _register(data).remove(name)
    say({"removed": name}, [f"{name} has no role any more."])


def _projects(data: str | None) -> dict[str, str]:
    """{name: key} of the projects in the store of this folder."""
    folder = data_folder() if data is None else Path(os.path.realpath(data))
    address = (os.environ.get(STORE) if data is None else "") or f"sqlite:///{folder / DATABASE}"
    try:
        with closing(open_store(address, create=False)) as store:
            return {
                record.name: key_of(record.created_at, record.fingerprint)
                for record in store.projects()
            }
    except MissingStoreError:
        return {}


def _key(project: str, data: str | None) -> str:
    keys = _projects(data)
    if project not in keys:
        known = ", ".join(map(repr, keys)) or "none yet"
        raise ValueError(f"project must be one of those there ({known}), got {project!r}")
    return keys[project]


def _register(data: str | None) -> Register:
    """Its changes go to the audit trail of the store that the app has there."""
    folder = data_folder() if data is None else Path(os.path.realpath(data))
    url = (os.environ.get(STORE) if data is None else "") or f"sqlite:///{folder / DATABASE}"

    def heard(happened: str, who: str, about: str) -> None:
        with closing(open_store(url)) as store:
            write_acts(store, act(command_user(), happened, f"{who}: {about}" if about else who))

    others = [listener for listener in LISTENERS if listener.__module__ != __name__]
    LISTENERS[:] = [*others, heard]
    return Register(folder)
