"""Commands on whole stores: a backup, its way back, and projects copied to another store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import asdict
from functools import partial
from pathlib import Path

import click

from labelcore.cli.output import json_option, say
from labelcore.cli.projects import force_option, output_option, store_option
from labelcore.replay import replay_project
from labelcore.session.backups import Difference, KeptProject, back_up, rehearse
from labelcore.session.backups import restore as put_back
from labelcore.session.copying import Copied, copy_project
from labelcore.session.dumps import dump as write_dump
from labelcore.session.dumps import load as load_dump
from labelcore.session.integrity import Integrity, ProjectState, accept
from labelcore.session.integrity import verify as look_through
from labelcore.store import open_store, shown
from labelcore.whole_file import whole_file
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
@click.argument("backup", type=click.Path(), required=False)
@store_option
@click.option(
    "--recover",
    is_flag=True,
    help="Add what the store still has after the backup, as far as it follows from it.",
)
@click.option(
    "--rehearse",
    "rehearsed",
    is_flag=True,
    help="Change nothing: open the backup beside the store, replay it and say how they differ.",
)
@force_option
@json_option
def restore(
    backup: str | None, store: str, recover: bool, rehearsed: bool, force: bool, as_json: bool
) -> int:
    """Put a backup back in the place of a store; without BACKUP the newest automatic one, with what
    the store still has after it.

    Every log of the backup is read from its first event, and held against that of the store: where
    the store has events that the backup has not, they are counted and nothing is done without
    --force. The store that was there is set aside under another name. Stop the app first.
    """
    if rehearsed:
        return _rehearse(backup, store, as_json)
    done = put_back(backup, store, force=force, recover=recover or backup is None)
    told = [*map(_kept_line, done.projects), *_lines(done.differences or ())]
    for name, answers in done.recovered.items():
        told.append(f"{name}: {count(answers, 'answer')} given after the backup recovered.")
    if done.unreadable:
        told.append(f"What was lost is not known: {done.unreadable}")
    if done.aside is not None:
        told.append(f"The store that was there is {done.aside} now.")
    values = {
        "store": shown(store),
        "projects": [asdict(one) for one in done.projects],
        "differences": None if done.differences is None else [asdict(d) for d in done.differences],
        "unreadable": done.unreadable,
        "backup": str(done.backup),
        "recovered": dict(done.recovered),
        "aside": done.aside,
    }
    say(values, [f"{shown(store)} is the backup {done.backup} now.", *told], as_json)
    return 0


def _rehearse(backup: str | None, store: str, as_json: bool) -> int:
    done = rehearse(backup, store, replay_project)
    values = {
        "store": shown(store),
        "backup": str(done.backup),
        "sound": done.sound,
        "projects": [asdict(one) for one in done.projects],
        "disagreeing": dict(done.disagreeing),
        "differences": None if done.differences is None else [asdict(d) for d in done.differences],
        "unreadable": done.unreadable,
    }
    head = f"{done.backup} {'can be put back' if done.sound else 'does not replay'}."
    told = [*map(_kept_line, done.projects)]
    for one in done.projects:
        said = done.disagreeing.get(one.project, "replays")
        told.append(f"{one.project}: {said}{'' if said.endswith('.') else '.'}")
    told += _lines(done.differences or (), "would have ")
    if done.unreadable:
        told.append(f"What would be lost is not known: {done.unreadable}")
    say(values, [head, *told, "Nothing was changed."], as_json)
    return 0 if done.sound else BROKEN


def _kept_line(one: KeptProject) -> str:
    log = (
        f"its log was changed outside Labelcore at event {one.broken_at}"
        if one.broken_at
        else f"its log is whole, seal {one.seal[:16] or 'none yet'}"
    )
    return f"{one.project}: {count(one.events, 'event')}, {count(one.answers, 'answer')}; {log}."


def _lines(differences: Sequence[Difference], would: str = "") -> list[str]:
    lines = []
    for one in differences:
        if one.lost:
            lines.append(
                f"{one.project}: {would}lost {count(one.lost, 'event')} with "
                f"{count(one.lost_answers, 'answer')} since {one.since}; kept "
                f"{count(one.kept, 'event')}."
            )
        else:
            lines.append(f"{one.project}: nothing lost, {count(one.kept, 'event')} as they were.")
        if one.back:
            lines.append(
                f"{one.project}: {count(one.back, 'event')} with "
                f"{count(one.back_answers, 'answer')} {'would be' if would else 'are'} back."
            )
    return lines


@click.command()
@store_option
@click.option(
    "--accept",
    "accepted",
    is_flag=True,
    help="Go on with the logs as they are: what they lost is given up.",
)
@click.option(
    "--anchor",
    default="",
    metavar="PLACE",
    help="Where seals were written to: a folder, a file, or the address of a store.  [default: "
    "LABELCORE_ANCHOR]",
)
@json_option
def verify(store: str, accepted: bool, anchor: str, as_json: bool) -> int:
    """Say what of a store is whole and what is lost: the database, every event, text and kept file.

    Its logs are held against their seals, the backups and the anchor: the first event that differs
    is named, and what could not be proved is said. Exit code 1: something is lost or was changed.
    """
    found = accept(store, anchor) if accepted else look_through(store, anchor)
    values = {
        "store": shown(store),
        "whole": found.whole,
        "damage": found.damage,
        "projects": [{**asdict(one), "whole": one.whole} for one in found.projects],
        "lost": [{"project": one.project, "events": one.seal.events} for one in found.lost],
        "faults": list(found.faults),
        "backup": None if found.backup is None else str(found.backup),
        "backup_at": None if found.backup_at is None else found.backup_at.isoformat(),
    }
    head = f"{shown(store)} is {'whole' if found.whole else 'not whole'}."
    lines = [f"The database is damaged: {found.damage}"] if found.damage else []
    lines += [line for one in found.projects for line in _state_lines(one)]
    lines += [
        f"{one.project}: is lost; it had {count(one.seal.events, 'event')} on {one.seal.at[:10]}."
        for one in found.lost
    ]
    lines += [f"{one[0].upper()}{one[1:]}." for one in found.faults]
    say(values, [head, *lines, *_way_out(found, store)], as_json)
    return 0 if found.whole else BROKEN


def _state_lines(one: ProjectState) -> list[str]:
    told = f"{one.project}: {count(one.events, 'event')}, {count(one.answers, 'answer')}"
    lines = [f"{told}; {'all whole' if one.whole else one.wrong or 'its log is whole'}."]
    if not one.wrong:
        lines += [f"{one.project}: {said}" for said in one.held.sentences()]
    if one.sound < one.events:
        lines.append(f"{one.project}: {count(one.sound, 'event')} before it are whole.")
    if one.changed_texts:
        what = count(one.changed_texts, "stored text")
        lines.append(f"{one.project}: {what} changed outside Labelcore; these are not shown.")
    if one.beside:
        lines.append(f"{one.project}: changed beside its log, and not used: {one.beside}.")
    if one.items:
        lines.append(f"{one.project}: {one.items}. Its labels are whole.")
    if one.source:
        lines.append(f"{one.project}: {one.source}. Labels and figures need it no more.")
    return lines


def _way_out(found: Integrity, store: str) -> list[str]:
    if found.backup is None or found.backup_at is None:
        return ["There is no automatic backup yet."]
    line = f"The newest backup is of {found.backup_at:%Y-%m-%d %H:%M} UTC."
    logs = found.damage or found.lost or any(one.wrong for one in found.projects)
    return [f"{line} labelcore restore puts it back." if logs else line]


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
            address = there.url
            done = [copy_project(source, there, one.name) for one in named]
    _copied(done, address, as_json)


def _copied(done: Sequence[Copied], address: str, as_json: bool) -> None:
    lines = [
        f"{one.project}: {count(one.events, 'event')} copied to {address}, {one.there:,} there "
        "before."
        for one in done
    ]
    say({"to": address, "projects": [asdict(one) for one in done]}, lines, as_json)


@click.command()
@store_option
@output_option
@click.option("--project", multiple=True, help="Which; repeat for several.  [default: all]")
@force_option
@json_option
def dump(store: str, output: str, project: tuple[str, ...], force: bool, as_json: bool) -> None:
    """Write a store as text, while it is in use: a line of JSON for each record, event and text.

    It reads without Labelcore, and `load` adds it to any other store, exactly. Items that lie
    beside the store are not in it.
    """
    with closing(open_store(store, create=False)) as opened:
        if output == "-":
            write_dump(opened, partial(click.echo, nl=False), project)
            return
        file = Path(output)
        if file.exists() and not force:
            raise ValueError(f"{file} exists already; give --force to write over it")
        with whole_file(file) as stream:
            number = write_dump(opened, lambda text: stream.write(text.encode()), project)
    say({"path": output, "projects": number}, [f"{output}: {count(number, 'project')}."], as_json)


@click.command()
@click.argument("dump", type=click.File("r", encoding="utf-8"))
@store_option
@json_option
def load(dump: Iterable[str], store: str, as_json: bool) -> None:
    """Add the projects of a dump to a store; - reads it from standard input.

    Loading again adds what is new. Nothing is added from a dump that is not whole.
    """
    with closing(open_store(store)) as there:
        _copied(load_dump(dump, there), there.url, as_json)
