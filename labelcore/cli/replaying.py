"""The command that recomputes a session and says whether everything agrees."""

import click

from labelcore.cli.output import json_option, say
from labelcore.replay import ReplayResult, replay_bundle, replay_project


@click.command()
@click.argument("bundle", required=False, type=click.Path())
@click.option("--file", type=click.Path(), help="The file that was labelled.")
@click.option("--store", metavar="URL", help="Replay a project of a store instead of a bundle.")
@click.option("--project", help="The project's name in the store.  [default: default]")
@click.option("--seal", help="The hash of the last event, as printed in a report.")
@json_option
def replay(
    bundle: str | None, file: str | None, store: str | None, project: str | None, seal: str | None
) -> None:
    """Draw again, check every event, compute every look again, and say whether all agree.

    BUNDLE is a zip file made by export; it needs --file. Exit code 1 names the first event that
    does not follow.
    """
    result = _result(bundle, file, store, project, seal)
    sentences = [*result.stages, "", "Everything agrees. The results, computed again:"]
    sentences += [f"- {sentence}" for sentence in result.sentences()]
    say(result.to_dict(), sentences)


def _result(
    bundle: str | None, file: str | None, store: str | None, project: str | None, seal: str | None
) -> ReplayResult:
    if (bundle is None) == (store is None):
        raise click.UsageError("Give either a BUNDLE with --file, or a --store with --project.")
    if store is not None:
        return replay_project(store, project or "default", file=file, seal=seal)
    if project is not None:
        raise click.UsageError("--project belongs to --store; a bundle holds one project.")
    if file is None:
        raise click.UsageError("--file is missing: the file that was labelled is not in a bundle.")
    return replay_bundle(str(bundle), file, seal=seal)
