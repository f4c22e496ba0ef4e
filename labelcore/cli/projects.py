"""Commands on a store: make a project, export it, report on it."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial, wraps
from pathlib import Path
from typing import Any

import click

from labelcore.cli.options import (
    Decorator,
    file_options,
    plan_of,
    plan_options,
    population_of,
    together,
)
from labelcore.cli.output import check_suffix, json_option, say, suffix_of, write
from labelcore.errors import ProjectExistsError, StoreNotWritableError
from labelcore.exchange import CONFIGS, LABELLED_FORMS
from labelcore.report import (
    REPORT_FORMS,
    bundle_zip,
    estimates_csv,
    events_csv,
    report_html,
    table_file,
)
from labelcore.session.projects import differing
from labelcore.session.session import Session
from labelcore.store import act, command_user, note, note_written, open_store
from labelcore.words.counts import answers_words
from labelcore.words.pilots import pilot_words, size_words
from labelcore.words.sentences import count
from labelcore.words.stops import planned_words

store_option: Decorator = click.option(
    "--store", required=True, metavar="URL", help="Such as --store sqlite:///labels.db."
)
project_option: Decorator = click.option("--project", default="default", show_default=True)
output_option: Decorator = click.option(
    "--output", "-o", required=True, metavar="PATH", help="Where to write; - for standard output."
)
force_option: Decorator = click.option("--force", is_flag=True, help="Write over an existing file.")
REPORTS = [suffix.removeprefix(".") for suffix in REPORT_FORMS]
moved_option: Decorator = click.option(
    "--file", "moved", type=click.Path(), help="Where the file of the items is now, if it moved."
)
Opens = Callable[[], Session]


def _of_project(*others: Decorator) -> Decorator:
    """The options that name a project, for a command that takes first what opens its session."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(command)
        def run(store: str, project: str, moved: str | None, **given: Any) -> Any:
            return command(partial(Session.open, store, project, file=moved), **given)

        return together(store_option, project_option, *others, moved_option)(run)

    return decorate


in_project, written = _of_project(), _of_project(output_option, force_option)
SETTINGS = ("title", "question", "instructions", "used_for_training")


@click.command("import")
@file_options
@plan_options
@store_option
@project_option
@click.option("--title", help="A title for the report.")
@click.option("--question", help="What the person is asked.")
@click.option("--instructions", help="What counts, and what does not.")
@click.option("--used-for-training", help="Were these items used for training? yes or no.")
@json_option
def import_(store: str, project: str, **given: Any) -> None:
    """Create a project from a file and a plan; the same once more changes nothing."""
    settings = {name: value for name in SETTINGS if (value := given.pop(name)) is not None}
    population, plan = population_of(given), plan_of(given)
    opened = open_store(store)
    there = project in {record.name for record in opened.projects()}
    session = Session(population, plan, opened, project, settings=settings)
    if unlike := differing({name: session.settings.get(name) for name in settings}, settings):
        raise ProjectExistsError(f"project {project!r} exists with other words: {unlike}")
    values = {
        "there": there,
        "project": project,
        "store": opened.url,
        "items": len(population),
        "fingerprint": population.fingerprint,
        "plan": session.plan.to_dict(),
    }
    answers = answers_words(session.engine.kinds)
    done = f"It was there already, with {answers}" if there else "The plan is frozen now"
    learned = pilot_words(session.engine, size_words).rstrip(".")
    size = f". {learned}" if learned else f", planned for {planned_words(session.plan)}"
    sentence = (
        f"Project {project!r} is in {opened.url}: {count(len(population), 'item')} of "
        f"{population.name}{size}. {done}."
        + f" {population.positive!r} is the positive class."
        * (len(population.classes) == 2)
    )
    say(values, [sentence])


EXPORT_SUFFIXES = {
    "events": (".csv",),
    "estimates": (".csv",),
    "bundle": (".zip",),
    "corrected": (".csv", ".jsonl", ".parquet", ".xlsx"),
    "config": (".xml",),
}


@click.command()
@click.argument("what", type=click.Choice([*EXPORT_SUFFIXES, "labels"]))
@written
@click.option(
    "--as",
    "tool",
    type=click.Choice(list(LABELLED_FORMS)),
    default="label-studio",
    show_default=True,
    help="Of labels and config: for which tool.",
)
@click.option("--classifier", metavar="NAME", help="Of corrected: whose scores; else the first's.")
@click.option("--bom", is_flag=True, help="Start CSV files with a byte order mark, for Excel.")
@json_option
def export(
    opens: Opens, what: str, output: str, force: bool, tool: str, classifier: str | None, bom: bool
) -> None:
    """Write the events or the estimates as CSV, everything needed to recompute as a bundle, or the
    labels in the form of another tool.

    corrected has each item's score turned into a probability by the labels, an estimate without a
    promise; config is what to set up in that tool so that `draw` and `answer` understand it.
    """
    forms = {**LABELLED_FORMS} if what == "labels" else {**CONFIGS}
    if what in ("labels", "config") and tool not in forms:
        raise ValueError(f"--as: there is no {what} for {tool}; known: {', '.join(forms)}")
    endings = LABELLED_FORMS[tool].suffixes if what == "labels" else EXPORT_SUFFIXES[what]
    check_suffix(output, endings, f"{what} for {tool}" if what == "labels" else f"the {what}")
    session = opens()
    if what == "bundle":
        content = bundle_zip(session)
    elif what in ("labels", "config"):
        content = forms[tool](session)
    elif what == "corrected":
        suffix = suffix_of(output, None, endings, "the table")
        content = table_file(session.corrected_scores(classifier), suffix)
    else:
        text = events_csv if what == "events" else estimates_csv
        content = text(session, byte_order_mark=bom).encode()
    _written(session, output, content, force)


@click.command()
@written
@click.option("--format", "kind", type=click.Choice(REPORTS), help="Taken from PATH when left out.")
@click.option("--errors", is_flag=True, help="Put errors into the HTML file, with what they hold.")
@json_option
def report(opens: Opens, output: str, force: bool, kind: str | None, errors: bool) -> None:
    """Write the report: one HTML file that needs no network, PDF, Markdown, JSON or Excel; as PNG
    a picture for slides, as CSV the estimates."""
    suffix = suffix_of(output, kind, list(REPORT_FORMS), "the report")
    if errors and suffix != ".html":
        raise ValueError(f"--errors: they go into the HTML file only, got {suffix!r}")
    session = opens()
    data = report_html(session, errors=True).encode() if errors else REPORT_FORMS[suffix](session)
    _written(session, output, data, force)


def _written(session: Session, output: str, content: bytes, force: bool) -> None:
    """Write and say so, with the answers it rests on; say nothing when the content itself goes to
    standard output."""
    where = write(output, content, force=force)
    if output == "-":
        return
    with suppress(StoreNotWritableError):  # What is only read keeps no line.
        what = f"project {session.project!r}, {output}"
        note(session.store, act(command_user(), "exported", what))
    note_written(session.store.guarded, Path(output))
    answers = answers_words(session.engine.kinds)
    values = {"path": where, "bytes": len(content), "answers": answers}
    say(values, [f"{where}: {count(len(content), 'byte')}.", f"Answers: {answers}."])
