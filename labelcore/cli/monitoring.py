"""The command that a schedule runs: begin the wave that is due, and say how a classifier stands."""

import os
import subprocess
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import click

from labelcore.cli.gating import OPEN, REFUTED, SHOWN, junit_cases
from labelcore.cli.output import json_option, say, write
from labelcore.errors import MissingStoreError
from labelcore.store import open_store
from labelcore.waves.monitor import Monitor
from labelcore.waves.plan_file import PlanFile, begin_what_is_due
from labelcore.waves.watches import Alarm, Watch

SECONDS = 600
"""So long may the command run that an alarm calls."""
STANDARD_ERROR = 2
"""Where its words go: those of ``--json`` stand alone."""


@click.command()
@click.argument("plan", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--file", "source", metavar="TABLE", help="The table of now, if not that of PLAN.")
@click.option("--labels", type=click.IntRange(min=1), metavar="N", help="Of this wave.")
@click.option("--dry-run", is_flag=True, help="Read and check all, and write nothing.")
@click.option("--close", metavar="WAVE", help="Close a wave with the labels that it has.")
@click.option("--restart", metavar="REASON", help="After an alarm: begin anew with the next wave.")
@click.option(
    "--report", type=click.Path(), metavar="PATH", help="Write the last 13 waves as HTML."
)
@click.option("--junit", type=click.Path(), metavar="PATH", help="Write a JUnit XML file too.")
@json_option
def monitor(
    plan: Path,
    source: str | None,
    labels: int | None,
    dry_run: bool,
    close: str | None,
    restart: str | None,
    report: str | None,
    junit: str | None,
) -> int:
    """Go on with the monitor that a plan.toml describes: create it, begin the wave that is due, say
    how the classifier stands.

    Exit code 0: nothing is alarmed. 1: a figure has fallen. 3: labels are waited for. 2: bad input.
    """
    file = PlanFile.read(plan)
    try:
        opened = open_store(file.store, create=not dry_run)
    except MissingStoreError:
        opened = open_store(None)  # A rehearsal of the first wave leaves no file.
    with closing(opened):
        watched = file.monitor(opened, rehearsed=dry_run)
        acts = []
        if close is not None:
            watched.close(close, "closed from the command line")
            acts.append(f"{close} is closed.")
        if restart is not None:
            watched.restart(restart)
            acts.append("Evidence begins anew with the next wave.")
        begun = begin_what_is_due(
            file, watched, datetime.now(UTC).date(), source, labels, rehearsed=dry_run
        )
        done = " ".join([*acts, begun])
        failed: list[str] = []
        if not dry_run:
            watched.news(lambda alarm: _called(file, alarm, failed))
        code, values = standing(watched, done, file.people)
        if junit is not None:
            write(junit, junit_cases(file.name, cases(watched)).encode(), force=True)
        if report is not None:
            write(report, watched.report().encode(), force=True)
        who = [f"To label: {', '.join(file.people)}."] if watched.due and file.people else []
        tried = [f"{what}; it is called again at the next run." for what in failed]
        say(values, [" ".join([watched.sentence(), done, *who, *tried])])
    return code


def standing(watched: Monitor, done: str, people: tuple[str, ...]) -> tuple[int, dict[str, Any]]:
    """The exit code, and what is said as JSON."""
    alarms, due = watched.alarms, watched.due
    code = REFUTED if alarms else OPEN if due else SHOWN
    values = {
        "monitor": watched.name, "exit_code": code, "done": done, "due": due,
        "people": list(people), "alarms": alarms,
        "sentence": watched.sentence(), "waves": watched.names,
    }  # fmt: skip
    return code, values


def cases(watched: Monitor) -> list[tuple[str, str, str]]:
    """A case of JUnit for each line of evidence: a fall fails, one that waits is an error."""
    alarms = {str(Watch(alarm.estimand, alarm.required)): alarm for alarm in watched.alarms}
    last = watched.table().drop_duplicates("watch", keep="last").set_index("watch")
    rows = []
    for watch, wave in last["wave"].items():
        alarm, waits = alarms.get(str(watch)), wave in watched.due
        why = alarm.sentence() if alarm else f"{wave} waits for labels." if waits else ""
        rows.append((str(watch), "failure" if alarm else "error" if waits else "", why))
    return rows


def _called(file: PlanFile, alarm: Alarm, failed: list[str]) -> bool:
    """Run the command of an alarm; whether that went well, else what ``failed`` in words."""
    if not file.on_alarm:
        return True
    variables = {
        "LABELCORE_MONITOR": file.name, "LABELCORE_WAVE": alarm.wave,
        "LABELCORE_ESTIMAND": alarm.estimand, "LABELCORE_SENTENCE": alarm.sentence(),
    }  # fmt: skip
    try:
        done = subprocess.run(
            file.on_alarm, cwd=file.path.resolve().parent, env={**os.environ, **variables},
            stdin=subprocess.DEVNULL, stdout=STANDARD_ERROR, timeout=SECONDS, check=False,
        )  # fmt: skip
    except (OSError, subprocess.TimeoutExpired) as error:
        failed.append(f"on_alarm could not be run: {error}")
        return False
    if done.returncode:
        failed.append(f"on_alarm ended with {done.returncode}")
    return not done.returncode
