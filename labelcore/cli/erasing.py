"""The commands that take something out of a store: texts, a name, a project; and when texts go."""

from collections.abc import Callable
from contextlib import closing

import click

from labelcore.cli.options import Decorator, together
from labelcore.cli.output import json_option, say
from labelcore.cli.projects import project_option, store_option
from labelcore.session.erasing import Erased, erase_items, erase_person, erase_project
from labelcore.session.retention import carry_out_retention, set_retention
from labelcore.store import LabelStore, open_store
from labelcore.words.sentences import count

what_for: Decorator = together(
    click.option("--why", required=True, help="The reason, which the log keeps."),
    click.option("--who", required=True, help="Who erases, which the log keeps."),
)


@click.group()
def erase() -> None:
    """Erase texts of items, the name of a person, or a project.

    It goes from the store, its backups, what was set aside, and files written from it; salted
    hashes stay, so that the log follows and figures can be computed again.
    """


@erase.command()
@click.argument("items", nargs=-1, metavar="ID...")
@click.option("--every", is_flag=True, help="The text of every item of the project.")
@store_option
@project_option
@what_for
@json_option
def items(
    items: tuple[str, ...], every: bool, store: str, project: str, why: str, who: str
) -> None:
    """Erase the texts of items, in all projects of the same file."""
    if bool(items) == every:
        raise click.UsageError("Name the ids of items, or give --every.")
    wanted = None if every else items
    _done(store, lambda opened: erase_items(opened, project, wanted, who=who, why=why))


@erase.command()
@click.argument("name")
@store_option
@what_for
@json_option
def person(name: str, store: str, why: str, who: str) -> None:
    """Erase a name from every project; the answers stay, as those of one person."""
    _done(store, lambda opened: erase_person(opened, name, who=who, why=why))


@erase.command()
@click.argument("name")
@store_option
@what_for
@json_option
def project(name: str, store: str, why: str, who: str) -> None:
    """Erase a project with its log."""
    _done(store, lambda opened: erase_project(opened, name, who=who, why=why))


@erase.command()
@store_option
@click.option("--project", help="The one that --days is for.")
@click.option("--days", type=int, help="Erase its texts so long after its end; 0: never.")
@json_option
def retention(store: str, project: str | None, days: int | None) -> None:
    """Erase the texts whose time is over, or say when those of a project go.

    The app does the same as it starts and once a day.
    """
    if (project is None) != (days is None):
        raise click.UsageError("--project and --days go together.")
    with closing(open_store(store, create=False)) as opened:
        if project is not None:
            set_retention(opened, project, days or None)
            moment = f"{days} days after its end" if days else "never"
            say({"project": project, "days": days or None}, [f"{project}: texts go {moment}."])
            return
        outcome = carry_out_retention(opened)
        lines = [line for erased in outcome.erased for line in _lines(erased)]
        lines += [f"{name}: not erased yet, because {outcome.why}." for name in outcome.due]
        lines += outcome.broken
        say(outcome, lines or ["No text is due."])


def _done(store: str, erase: Callable[[LabelStore], Erased]) -> None:
    with closing(open_store(store, create=False)) as opened:
        done = erase(opened)
    say(done, _lines(done))


def _lines(done: Erased) -> list[str]:
    names = ", ".join(done.projects)
    if done.whole:
        head = f"{names}: the project is erased, with {count(done.events, 'event')}."
    elif done.name:
        head = f"{names}: the name is erased; {done.name!r} stands instead."
    else:
        head = f"{names}: {count(done.items, 'text')} erased."
    return [
        head,
        *(f"Erased too: {place}." for place in done.gone),
        *(f"Out of reach: {place}." for place in done.left),
    ]
