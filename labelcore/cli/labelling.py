"""Labelling outside the app: items out in a file, answers back from one, and how far it is."""

import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from labelcore.cli.output import check_suffix, json_option, say, suffix_of, write
from labelcore.cli.projects import Opens, in_project, moved_option, store_option, written
from labelcore.exchange import BATCH_FORMS, BATCH_SUFFIXES, Outcome, read_answers, store_answers
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.log.screens import LONGEST_LEASE
from labelcore.population.copies import copies_folder
from labelcore.report import LABEL_FORMS, labels_file
from labelcore.report.along_ranks import headline
from labelcore.report.judged import judged_of
from labelcore.session.session import Session
from labelcore.store import open_store
from labelcore.words.counts import answers_words
from labelcore.words.pilots import pilot_words, size_words
from labelcore.words.sentences import count

A_DAY = 24 * 60
"""Minutes for which a batch is kept: it is judged in another program, in its own time."""

person_option = click.option(
    "--annotator", default=DEFAULT_ANNOTATOR, show_default=True, help="The person who labels."
)
content_option = click.option("--content", is_flag=True, help="With what was shown of each item.")


@click.command()
@written
@content_option
@click.option(
    "--format",
    "kind",
    type=click.Choice([suffix.removeprefix(".") for suffix in LABEL_FORMS]),
    help="Taken from PATH when left out.",
)
@json_option
def labels(opens: Opens, output: str, force: bool, content: bool, kind: str | None) -> None:
    """Write the labels as one table: CSV, Parquet or Excel, by the suffix of PATH.

    Shares weighted by its column `weight` are shares of the file. In CSV and Excel no text runs as
    a formula.
    """
    suffix = suffix_of(output, kind, list(LABEL_FORMS), "the table of labels")
    session = opens()
    table = labels_file(session, suffix, content=content)
    where = write(output, table, force=force)
    if output != "-":
        rows = sum(session.engine.kinds.values()) + len(session.engine.existing.positions)
        values = {"path": where, "labels": rows}
        weight = str(session.labels_table().attrs["weight"])
        say({**values, "weight": weight}, [f"{where}: {count(rows, 'row')}.", weight])


@click.command()
@written
@person_option
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, metavar="N")
@click.option(
    "--minutes",
    type=click.IntRange(1, LONGEST_LEASE),
    default=A_DAY,
    show_default=True,
    help="How long they are kept for this person; after that others may get them.",
)
@click.option(
    "--as",
    "form",
    type=click.Choice(list(BATCH_FORMS)),
    default="table",
    show_default=True,
    help="table: by the suffix of PATH, .csv, .jsonl, .parquet or .xlsx; or a tool's tasks.",
)
@json_option
def draw(
    opens: Opens, output: str, force: bool, annotator: str, batch: int, minutes: int, form: str
) -> None:
    """Draw a batch of items, to be judged outside the app; `answer` takes the answers back.

    Drawing again gives the same open items until they are answered. No score and no prediction is
    in the file.
    """
    check_suffix(
        output, BATCH_SUFFIXES[form], "a batch" if form == "table" else f"a batch for {form}"
    )
    session = opens()
    draws = session.take(batch, annotator, minutes)
    suffix = Path(output).suffix if output != "-" else ".csv"
    where = None
    if draws or output == "-":
        where = write(output, BATCH_FORMS[form](session, draws, suffix), force=force)
    if output == "-":
        return
    none = f"Nothing is to be drawn for {annotator!r} ({session.status}): {output} is not written."
    values = {
        "path": where,
        "items": [{"token": item.token, "id": item.item_id, "index": item.index} for item in draws],
        "status": session.status,
    }
    written = f"{where}: {count(len(draws), 'item')} for {annotator!r}."
    say(values, [written if draws else none])


@click.command()
@click.argument("file", type=click.Path())
@in_project
@click.option("--change", is_flag=True, help="Change first answers that differ.")
@click.option(
    "--annotator",
    help="Whose answers these are. Default: of whoever drew the item; with an overlap, answers "
    "without a token need it.",
)
@json_option
def answer(opens: Opens, file: str, change: bool, annotator: str | None) -> None:
    """Store the answers of a file: a table with the columns token or id, and answer (note may be
    there too), or an export of Label Studio; - reads CSV or JSON from standard input.

    All or none: a file with an unknown item or an unknown answer stores nothing. Rows without an
    answer are left open. The same file twice changes nothing.
    """
    session = opens()
    with tempfile.TemporaryDirectory(dir=copies_folder()) as folder:
        path = Path(file)
        if file == "-":
            content = sys.stdin.buffer.read()
            path = Path(folder, "answers.json" if content.lstrip()[:1] in b"[{" else "answers.csv")
            path.write_bytes(content)
        answers = read_answers(path, session.population.classes)
    outcomes = store_answers(session, answers, change=change, annotator=annotator, file=path.name)
    numbers = Counter(outcomes.values())
    values = {**{outcome.value: numbers[outcome] for outcome in Outcome}, **_standing(session)}
    told = [one for one in Outcome if numbers[one] or one == Outcome.STORED]
    words = "; ".join(f"{count(numbers[outcome], 'answer')} {outcome.words}" for outcome in told)
    say(values, [f"{file}: {words}.", _line(values)])


@click.command()
@store_option
@click.option("--project", help="Its name; without it, every project of the store.")
@moved_option
@json_option
def status(store: str, project: str | None, moved: str | None) -> None:
    """How far a project is, and what is known; without --project, what a store holds."""
    if project is None:
        records = open_store(store, create=False).projects()
        rows = [{"project": record.name, "created_at": record.created_at} for record in records]
        lines = [f"{record.name} (of {record.created_at[:10]})" for record in records]
        say({"projects": rows}, lines)
        return
    session = Session.open(store, project, file=moved)
    results = session.results()
    judged = judged_of(session)
    figures = {key: result.to_dict() for key, result in results.items()}
    values = {**_standing(session), "results": figures}
    said = [headline(session), *(result.sentence() for result in results.values())]
    lines = [_line(values), *dict.fromkeys(said)]
    if judged is not None:
        values["judged"] = judged.to_dict()
        tables = (table.to_string(index=False) for table in judged.tables().values())
        lines += [*judged.sentences(), *tables]
    say(values, lines)


def _standing(session: Session) -> dict[str, Any]:
    return {
        "project": session.project,
        "status": session.status,
        "labels": session.labels,
        "planned": session.engine.size_known - session.engine.given,
        "size": pilot_words(session.engine, size_words),
        "answers": answers_words(session.engine.kinds),
        "changed_in_source": len(session.state.changed),
    }


def _line(values: Mapping[str, Any]) -> str:
    changed = int(values["changed_in_source"])
    return (
        f"{values['project']}: {values['status']}; {values['answers']}"
        + (
            f". {values['size']}"
            if values["size"]
            else f", planned for {count(int(values['planned']))}."
        )
        + (f" {count(changed, 'item')} changed in the source: broken." if changed else "")
    )
