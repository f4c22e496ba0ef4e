"""The command that shows the audit trail of a store."""

from contextlib import closing
from datetime import UTC, datetime

import click

from labelcore.cli.output import json_option, say
from labelcore.cli.projects import store_option
from labelcore.store import acts_follow, cut_off, open_store

BROKEN = 1


@click.command()
@store_option
@click.option("--since", metavar="DATE", help="From a day on, such as 2026-05-01, or a time; UTC.")
@json_option
def audit(store: str, since: str | None) -> int:
    """Show who came, was refused, saw, took away, erased and put back what.

    Exit code 1: a line was changed outside Labelcore, or lines that stand beside the store are
    no longer in it.
    """
    start = _time(since) if since else datetime.min.replace(tzinfo=UTC)
    with closing(open_store(store, create=False)) as opened:
        acts, gone = opened.acts(), cut_off(opened)
    wrong = acts_follow(acts)
    recent = [act for act in acts if datetime.fromisoformat(act.at) >= start]
    lines = [
        f"{act.at[:19].replace('T', ' ')}  {act.who}  {act.what}  {act.about}".rstrip()
        for act in recent
    ]
    if wrong:
        lines.append(f"Line {wrong:,} was changed outside Labelcore.")
    if gone:
        lines.append(f"{gone:,} lines that stand beside the store are no longer in it.")
    values = {"acts": recent, "changed": wrong, "gone": gone}
    say(values, lines or ["Nothing yet."])
    return BROKEN if wrong or gone else 0


def _time(given: str) -> datetime:
    try:
        moment = datetime.fromisoformat(given)
    except ValueError:
        raise ValueError(f"--since must be a day such as 2026-05-01, got {given!r}") from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
