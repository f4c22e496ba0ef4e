"""The bundle: everything needed to recompute a session, except the items."""

import io
import shlex
import zipfile
from collections.abc import Mapping
from typing import Any

from labelcore.replay.bundle import (
    FORMAT,
    FORMAT_VERSION,
    LOG,
    MANIFEST,
    PLAN,
    POPULATION,
    SALTS,
    digest,
)
from labelcore.replay.forms import json_text, log_text
from labelcore.report.data import report_text
from labelcore.report.dates import moment
from labelcore.report.facts import Facts
from labelcore.report.page import page
from labelcore.session.session import Session

README = """A labelling session made with Labelcore {version}
{line}

{sentence}

To recompute it you need this bundle, the file that was labelled ({file}, not in here) and
Labelcore:

    python -m labelcore replay BUNDLE.zip --file {quoted}

It reads the file, draws every item again, checks each draw, answer and look of the log, and says
whether all agree. A changed byte in the log, the plan or the file is refused, with the number of
the event that does not follow.

A log that was cut short or written anew from end to end cannot be told from its content alone.
Compare its seal, the hash of the last event, with the one in the report that you were given:

    {seal}

    python -m labelcore replay BUNDLE.zip --file {quoted} --seal SEAL

manifest.json     SHA-256 of the other files, number of events, seal
plan.json         the plan, frozen before the first label
population.json   the file's name, how its columns were read, its fingerprint
log.jsonl         every draw, answer, undo and look, one event a line
salts.json        what replay needs to compare the texts that were shown with the file
report.html       the report; open it in a browser, no network needed
report.json       the same for programs, with every look
"""
LISTED = """existing.json     the labels from before the project that the plan uses
"""
EXISTING = "existing.json"


def bundle_zip(session: Session) -> bytes:
    """A zip file to hand over; the same session gives the same bytes. The file that was labelled
    is not inside."""
    facts = Facts(session)
    contents = session.store.contents(session.project)
    drawn = [event.item_id for event in facts.events if "content" in event.detail]
    kept = {item: contents[item].salt for item in drawn if item in contents}
    salts = {item: salt for item, salt in kept.items() if salt}
    files = {name: text.encode() for name, text in _texts(session, facts, salts).items()}
    manifest = {
        "format": FORMAT,
        "version": FORMAT_VERSION,
        "files": {name: digest(content) for name, content in files.items()},
        "events": len(facts.events),
        "seal": facts.seal,
    }
    return _zipped({MANIFEST: json_text(manifest).encode(), **files}, facts.as_of)


def _texts(session: Session, facts: Facts, salts: Mapping[str, str]) -> dict[str, str]:
    population = facts.population
    source = {
        "file": population.name,
        "items": len(population),
        "arguments": dict(population.arguments),
        "fingerprint": population.fingerprint,
    }
    return {
        **({EXISTING: json_text(_existing(facts))} if facts.existing.use else {}),
        "README.txt": readme(facts),
        PLAN: facts.record.plan_json + "\n",
        POPULATION: json_text(source),
        LOG: log_text(facts.events),
        SALTS: json_text(salts),
        "report.html": page(session, facts),
        "report.json": report_text(facts),
    }


def _existing(facts: Facts) -> dict[str, Any]:
    """The labels from before the project, by item."""
    population, there = facts.population, facts.existing
    return {
        "column": population.arguments["known"],
        "taken_as": there.use,
        "labels": {
            population.id_at(int(at)): population.classes[code]
            for at, code in zip(there.positions, there.codes, strict=True)
        },
    }


def readme(facts: Facts) -> str:
    """What the bundle is and how to replay it."""
    heading = f"A labelling session made with Labelcore {facts.version}"
    return (README + (LISTED if facts.existing.use else "")).format(
        version=facts.version,
        line="=" * len(heading),
        sentence=facts.sentence,
        file=facts.population.name,
        quoted=shlex.quote(facts.population.file_name),
        seal=facts.seal,
    )


def _zipped(files: Mapping[str, bytes], as_of: str) -> bytes:
    when = moment(as_of)
    date_time = (max(when.year, 1980), when.month, when.day, when.hour, when.minute, when.second)
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, date_time)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, content)
    return stream.getvalue()
