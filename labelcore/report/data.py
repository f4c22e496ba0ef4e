"""The report as JSON: everything the page shows, and every look; docs/report.schema.json."""

import json
from dataclasses import asdict
from typing import Any

from labelcore.report.along_ranks import AlongRanks
from labelcore.report.facts import Confusion, Facts
from labelcore.results.base import plain
from labelcore.results.curves import Cut
from labelcore.session.session import Session

SCHEMA, SCHEMA_VERSION = "labelcore-report", 1


def report_json(session: Session) -> str:
    """Everything machine readable, with the version of the schema."""
    return report_text(Facts(session))


def report_text(facts: Facts) -> str:
    """The text of ``report_json``; NaN becomes null, so that every reader takes it."""
    values = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "labelcore_version": facts.version,
        "as_of": facts.as_of,
        "interim": facts.interim,
        "status": facts.status,
        "sentence": facts.sentence,
        "project": facts.project,
        "title": facts.title,
        "settings": dict(facts.settings),
        "population": _population(facts),
        "plan": facts.plan.to_dict(),
        "results": {key: result.to_dict() for key, result in facts.results.items()},
        "tables": [table.to_dict() for table in facts.tables],
        **({} if facts.judged is None else {"judged": facts.judged.to_dict()}),
        "label_error": facts.label_error.to_dict(),
        **({} if facts.agreement is None else {"agreement": facts.agreement.to_dict()}),
        "second_stage": {key: result.to_dict() for key, result in facts.second_stage.items()},
        "curves": [curve.to_dict() for curve in facts.curves or ()],
        **({} if facts.calibration is None else {"calibration": facts.calibration.to_dict()}),
        "along_ranks": _along_ranks(facts.along),
        "strata": [
            {**row, **({"name": name} if name else {})}
            for row, name in zip(
                facts.strata.to_dict("records"),
                facts.strata_names or [""] * len(facts.strata),
                strict=True,
            )
        ],
        "confusion": next(map(_confusion, facts.confusions), None),
        **({"confusions": [*map(_confusion, facts.confusions)]} if facts.confusions[1:] else {}),
        "counts": dict(facts.counts),
        "people": list(facts.people),
        "ends": [_end(facts, index) for index in range(len(facts.ends()))],
        "looks": [dict(look) for look in facts.looks],
        "notes": list(facts.notes),
        "rewordings": [
            {"at": at, "name": name, "before": before, "after": after}
            for at, name, before, after in facts.rewordings
        ],
        "other_projects": [asdict(other) for other in facts.others],
        "log": {"events": len(facts.events), "seal": facts.seal},
        "held_against": {**asdict(facts.held), "sentences": facts.held.sentences()},
    }
    return json.dumps(plain(values), ensure_ascii=False, indent=2, allow_nan=False)


def _along_ranks(along: AlongRanks | None) -> dict[str, Any] | None:
    if along is None:
        return None
    return {
        "landmarks": [_landmark(mark) for mark in along.landmarks],
        "deepest": [
            {"precision": precision, "cut": None if cut is None else _landmark(cut)}
            for precision, cut in along.deepest
        ],
        "packages": [] if along.packages is None else along.packages.to_dict("records"),
        "refused": along.refused,
    }


def _confusion(confusion: Confusion) -> dict[str, Any]:
    classifier, cells, _, _ = confusion
    return {"classifier": classifier, "columns": list(cells), "rows": cells.to_numpy().tolist()}


def _landmark(mark: Cut) -> dict[str, Any]:
    ends = {
        name: {"value": band.value[0], "low": band.low[0], "high": band.high[0]}
        for name, band in mark.readings.items()
    }
    return {"rank": mark.rank, "score": mark.score, "readings": ends, "sentence": mark.sentence()}


def _population(facts: Facts) -> dict[str, Any]:
    population = facts.population
    return {
        "file": population.name,
        "items": len(population),
        "fingerprint": population.fingerprint,
        "arguments": dict(population.arguments),
        "classes": list(population.classes),
        "positive": population.positive,
        "classifiers": list(population.classifiers),
        "thresholds": dict(population.thresholds),
        "descending": sorted(population.descending),
        **({"existing": facts.existing_words} if facts.existing_words else {}),
    }


def _end(facts: Facts, index: int) -> dict[str, Any]:
    event = facts.ends()[index]
    return {
        "event": event.sequence,
        "kind": event.kind,
        "at": event.at,
        "by": event.annotator,
        "text": event.text,
        "detail": dict(event.detail),
    }
