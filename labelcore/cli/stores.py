"""Commands on whole stores: a backup, its way back, and projects copied to another store."""

from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path

import click

from labelcore.cli.output import json_option, say
from labelcore.cli.projects import force_option, output_option, store_option
from labelcore.replay import replay_project
from labelcore.results.base import plain
from labelcore.session.backups import Difference, KeptProject, back_up, rehearse
from labelcore.session.backups import restore as put_back
from labelcore.session.copying import Copied, copy_project
from labelcore.session.dumps import dump as write_dump
from labelcore.session.dumps import load as load_dump
from labelcore.session.dumps import read_dump
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
def backup(store: str, output: str, force: bool) -> int:
    """Copy a store to a file, while it is in use; the file is a store itself.

    The items that the store keeps come along, in a folder beside the file. Exit code 1: a log was
    changed outside Labelcore, and was copied as it is.
    """
    if output == "-":
        raise click.UsageError("--output: a backup is a file, not standard output.")
    with closing(open_store(store, create=False)) as opened:
        projects = back_up(opened, output, force=force)
    head = f"{output}: {count(len(projects), 'project')}."
    say({"path": output, "projects": projects}, [head, *map(_kept_line, projects)])
    return BROKEN if any(project.broken_at for project in projects) else 0


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
def restore(backup: str | None, store: str, recover: bool, rehearsed: bool, force: bool) -> int:
    """Put a backup back in the place of a store; without BACKUP the newest automatic one, with what
    the store still has after it.

    Every log of the backup is read from its first event, and held against that of the store: where
    the store has events that the backup has not, they are counted and nothing is done without
    --force. The store that was there is set aside under another name. Stop the app first.
    """
    if rehearsed:
        return _rehearse(backup, store)
    done = put_back(backup, store, force=force, recover=recover or backup is None)
    lines = [*map(_kept_line, done.projects), *_lines(done.differences or ())]
    for name, answers in done.recovered.items():
        lines.append(f"{name}: {count(answers, 'answer')} given after the backup recovered.")
    if done.unreadable:
        lines.append(f"What was lost is not known: {done.unreadable}")
    if done.aside is not None:
        lines.append(f"The store that was there is {done.aside} now.")
    head = f"{shown(store)} is the backup {done.backup} now."
    say({"store": shown(store), **plain(done)}, [head, *lines])
    return 0


def _rehearse(backup: str | None, store: str) -> int:
    done = rehearse(backup, store, replay_project)
    head = f"{done.backup} {'can be put back' if done.sound else 'does not replay'}."
    lines = [*map(_kept_line, done.projects)]
    for project in done.projects:
        verdict = done.disagreeing.get(project.project, "replays")
        lines.append(f"{project.project}: {verdict}{'' if verdict.endswith('.') else '.'}")
    lines += _lines(done.differences or (), "would have ")
    if done.unreadable:
        lines.append(f"What would be lost is not known: {done.unreadable}")
    values = {"store": shown(store), "sound": done.sound, **plain(done)}
    say(values, [head, *lines, "Nothing was changed."])
    return 0 if done.sound else BROKEN


def _kept_line(state: KeptProject) -> str:
    log = f"its log is whole, seal {state.seal[:16] or 'none yet'}"
    if state.broken_at:
        log = f"its log was changed outside Labelcore at event {state.broken_at}"
    head = f"{state.project}: {count(state.events, 'event')}, {count(state.answers, 'answer')}"
    return f"{head}; {log}."


def _lines(differences: Sequence[Difference], would: str = "") -> list[str]:
    lines = []
    for change in differences:
        name, kept = change.project, count(change.kept, "event")
        if change.lost:
            lines.append(
                f"{name}: {would}lost {count(change.lost, 'event')} with "
                f"{count(change.lost_answers, 'answer')} since {change.since}; kept {kept}."
            )
        elif change.gone:
            lines.append(f"{name}: not in the backup, and {'would be ' if would else ''}gone.")
        else:
            lines.append(f"{name}: nothing lost, {kept} as they were.")
        if change.back:
            lines.append(
                f"{name}: {count(change.back, 'event')} with "
                f"{count(change.back_answers, 'answer')} {'would be' if would else 'are'} back."
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
def verify(store: str, accepted: bool, anchor: str) -> int:
    """Say what of a store is whole and what is lost: the database, every event, text and kept file.

    Its logs are held against their seals, the backups and the anchor: the first event that differs
    is named, and what could not be proved is said. Exit code 1: something is lost or was changed.
    """
    state = accept(store, anchor) if accepted else look_through(store, anchor)
    values = {
        "store": shown(store),
        "whole": state.whole,
        **plain(state),
        "projects": [{**plain(project), "whole": project.whole} for project in state.projects],
        "lost": [{"project": loss.project, "events": loss.seal.events} for loss in state.lost],
    }
    head = f"{shown(store)} is {'whole' if state.whole else 'not whole'}."
    lines = [f"The database is damaged: {state.damage}"] if state.damage else []
    lines += [line for project in state.projects for line in _state_lines(project)]
    for loss in state.lost:
        events = count(loss.seal.events, "event")
        lines.append(f"{loss.project}: is lost; it had {events} on {loss.seal.at[:10]}.")
    lines += [f"{fault[0].upper()}{fault[1:]}." for fault in state.faults]
    say(values, [head, *lines, *_way_out(state)])
    return 0 if state.whole else BROKEN


def _state_lines(state: ProjectState) -> list[str]:
    head = f"{state.project}: {count(state.events, 'event')}, {count(state.answers, 'answer')}"
    lines = [f"{head}; {'all whole' if state.whole else state.wrong or 'its log is whole'}."]
    if not state.wrong:
        lines += [f"{state.project}: {sentence}" for sentence in state.held.sentences()]
    if state.sound < state.events:
        lines.append(f"{state.project}: {count(state.sound, 'event')} before it are whole.")
    if state.changed_texts:
        what = count(state.changed_texts, "stored text")
        lines.append(f"{state.project}: {what} changed or lost outside Labelcore; not shown.")
    if state.beside:
        lines.append(f"{state.project}: changed beside its log, and not used: {state.beside}.")
    if state.items:
        lines.append(f"{state.project}: {state.items}. Its labels are whole.")
    if state.source:
        lines.append(f"{state.project}: {state.source}. Labels and figures need it no more.")
    return lines


def _way_out(state: Integrity) -> list[str]:
    if state.backup is None or state.backup_at is None:
        return ["There is no automatic backup yet."]
    line = f"The newest backup is of {state.backup_at:%Y-%m-%d %H:%M} UTC."
    logs = state.damage or state.lost or any(project.wrong for project in state.projects)
    return [f"{line} labelcore restore puts it back." if logs else line]


@click.command()
@store_option
@click.option("--to", "target", required=True, metavar="URL", help="The other store.")
@click.option("--project", multiple=True, help="Which; repeat for several.  [default: all]")
@json_option
def copy(store: str, target: str, project: tuple[str, ...]) -> None:
    """Copy projects to another store, with their logs, texts and people.

    Copying again adds what is new, and erases what was erased since. A project that went on by
    itself in the other store is refused.
    """
    with closing(open_store(store, create=False)) as source:
        named = [source.project(name) for name in project] or reversed(source.projects())
        with closing(open_store(target)) as there:
            address = there.url
            done = [copy_project(source, there, record.name) for record in named]
    _copied(done, address)


def _copied(done: Sequence[Copied], address: str) -> None:
    lines = [
        f"{copied.project}: {count(copied.events, 'event')} copied to {address}, "
        f"{copied.there:,} there before."
        for copied in done
    ]
    say({"to": address, "projects": done}, lines)


@click.command()
@store_option
@output_option
@click.option("--project", multiple=True, help="Which; repeat for several.  [default: all]")
@force_option
@json_option
def dump(store: str, output: str, project: tuple[str, ...], force: bool) -> None:
    """Write a store as text, while it is in use: a line of JSON for each record, event and text.

    It reads without Labelcore, and `load` adds it to any other store, exactly. Items that lie
    beside the store are not in it.
    """
    with closing(open_store(store, create=False)) as opened:
        if output == "-":
            write_dump(opened, lambda text: click.echo(text.encode(), nl=False), project)
            return
        file = Path(output)
        if file.exists() and not force:
            raise ValueError(f"{file} exists already; give --force to write over it")
        try:
            with whole_file(file) as stream:
                number = write_dump(opened, lambda text: stream.write(text.encode()), project)
        except OSError as error:
            raise ValueError(f"{file} cannot be written: {error.strerror or error}") from None
    say({"path": output, "projects": number}, [f"{output}: {count(number, 'project')}."])


@click.command()
@click.argument("dump", type=click.File("r", encoding="utf-8", errors="replace"))
@store_option
@json_option
def load(dump: Iterable[str], store: str) -> None:
    """Add the projects of a dump to a store; - reads it from standard input.

    Loading again adds what is new. Nothing is added from a dump that is not whole.
    """
    read = read_dump(dump)  # Nothing is made where it is none.
    with closing(open_store(store)) as there:
        _copied(load_dump(read, there), there.url)
