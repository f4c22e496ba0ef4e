"""Commands on whole stores: a backup, its way back, and projects copied to another store."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import asdict

import click

from labelcore.cli.output import json_option, say
from labelcore.cli.projects import force_option, output_option, store_option
from labelcore.session.backups import Difference, KeptProject, back_up
from labelcore.session.backups import restore as put_back
from labelcore.session.copying import copy_project
from labelcore.store import open_store
from labelcore.words.sentences import count

BROKEN = 1


@click.command()
@store_option
@output_option
@force_option
@json_option
def backup(store: str, output: str, force: bool, as_json: bool) -> int:
    """Copy a store to a file, while it is in use; the file is a store itself.

    The items that the store keeps come along, in a folder beside the file. Exit code 1: a log was
    changed outside Labelcore, and was copied as it is.
    """
    if output == "-":
        raise click.UsageError("--output: a backup is a file, not standard output.")
    with closing(open_store(store, create=False)) as opened:
        projects = back_up(opened, output, force=force)
    head = f"{output}: {count(len(projects), 'project')}."
    say(
        {"path": output, "projects": [asdict(one) for one in projects]},
        [head, *map(_kept_line, projects)],
        as_json,
    )
    return BROKEN if any(one.broken_at for one in projects) else 0


@click.command()
@click.argument("backup", type=click.Path())
@store_option
@force_option
@json_option
def restore(backup: str, store: str, force: bool, as_json: bool) -> None:
    """Put a backup back in the place of a store.

    Every log of the backup is read from its first event, and held against that of the store: where
    the store has events that the backup has not, they are counted and nothing is done without
    --force. The store that was there is set aside under another name. Stop the app first.
    """
    done = put_back(backup, store, force=force)
    told = [*map(_kept_line, done.projects), *_lines(done.differences or ())]
    if done.unreadable:
        told.append(f"What was lost is not known: {done.unreadable}")
    if done.aside is not None:
        told.append(f"The store that was there is {done.aside} now.")
    values = {
        "store": store,
        "projects": [asdict(one) for one in done.projects],
        "differences": None if done.differences is None else [asdict(d) for d in done.differences],
        "unreadable": done.unreadable,
        "aside": None if done.aside is None else str(done.aside),
    }
    say(values, [f"{store} is the backup {backup} now.", *told], as_json)


def _kept_line(one: KeptProject) -> str:
    log = (
        f"its log was changed outside Labelcore at event {one.broken_at}"
        if one.broken_at
        else f"its log is whole, seal {one.seal[:16] or 'none yet'}"
    )
    return f"{one.project}: {count(one.events, 'event')}, {count(one.answers, 'answer')}; {log}."


def _lines(differences: Sequence[Difference]) -> list[str]:
    lines = []
    for one in differences:
        if one.lost:
            lines.append(
                f"{one.project}: lost {count(one.lost, 'event')} with "
                f"{count(one.lost_answers, 'answer')} since {one.since}; kept "
                f"{count(one.kept, 'event')}."
            )
        else:
            lines.append(f"{one.project}: nothing lost, {count(one.kept, 'event')} as they were.")
        if one.back:
            lines.append(
                f"{one.project}: {count(one.back, 'event')} with "
                f"{count(one.back_answers, 'answer')} are back."
            )
    return lines


@click.command()
@store_option
@click.option("--to", "target", required=True, metavar="URL", help="The other store.")
@click.option("--project", multiple=True, help="Which; repeat for several.  [default: all]")
@json_option
def copy(store: str, target: str, project: tuple[str, ...], as_json: bool) -> None:
    """Copy projects to another store, with their logs, texts and people.

    Copying again adds what is new. A project that went on by itself in the other store is refused.
    """
    with closing(open_store(store, create=False)) as source:
        named = [source.project(name) for name in project] or reversed(source.projects())
        with closing(open_store(target)) as there:
            done = [copy_project(source, there, one.name) for one in named]
    lines = [
        f"{one.project}: {count(one.events, 'event')} copied to {target}, {one.there:,} there "
        "before."
        for one in done
    ]
    say({"to": target, "projects": [asdict(one) for one in done]}, lines, as_json)
