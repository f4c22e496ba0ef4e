"""What must hold of a table before it is the next wave of a monitor."""

import json
from collections.abc import Mapping
from typing import Any

from labelcore.errors import ArgumentError
from labelcore.population import Population
from labelcore.session.carried import Home, terms_of
from labelcore.session.ledger import now
from labelcore.session.projects import differing
from labelcore.store import ProjectRecord

REUSED_FROM = 20
"""So many ids with other contents may be rows that have changed."""


def check_next(
    population: Population, name: str, last: ProjectRecord, agreed: Mapping[str, Any]
) -> None:
    """ArgumentError unless a table may follow the last wave.

    agreed   what the first wave froze: classes, positive, classifiers
    """
    before = str(terms_of(last)["wave"])
    missing = [name for name in agreed["classifiers"] if name not in population.classifiers]
    if missing:
        raise ArgumentError(
            "population",
            f"must have the classifier {missing[0]!r}, as the waves before",
            got=", ".join(population.classifiers) or "none",
        )
    classes = list(population.classes), population.positive
    if classes != (agreed["classes"], agreed["positive"]):
        raise ArgumentError(
            "population",
            f"must have the classes {', '.join(agreed['classes'])}, with {agreed['positive']} as "
            "the positive one, as the waves before",
            got=f"{', '.join(classes[0])} with {classes[1]}",
        )
    if population.fingerprint == last.fingerprint:
        raise ArgumentError(
            "population",
            f"must have changed since wave {before!r}, which has the same rows: nothing is to "
            "be labelled, so leave this wave out",
        )
    if now() < last.created_at:
        raise ArgumentError(
            "name",
            f"{name!r} begins before wave {before!r} did ({last.created_at[:19]} UTC): the "
            "clock of this machine went back; set it right",
        )


def check_ids(population: Population, home: Home) -> None:
    """ArgumentError where most labelled ids stand for something else now."""
    held = [item_id for item_id in home.labels if _holds(population, item_id)]
    there = {item_id: text for item_id in held if (text := home.shown(item_id)) is not None}
    other = sum(text != dict(population.content(item_id)) for item_id, text in there.items())
    if other >= REUSED_FROM and other > len(there) / 2:
        raise ArgumentError(
            "population",
            f"has other contents under {other:,} of {len(there):,} ids that earlier waves "
            "labelled: give every row an id of its own that lasts, or say renewed=True if these "
            "rows have changed (a tick on Watch; in a plan.toml renewed = true under [monitor])",
        )


def other_terms(there: Mapping[str, Any], here: Mapping[str, Any]) -> str:
    """In what the terms of a monitor differ from those that its store has, in words."""
    before, asked = ({**terms, **json.loads(terms["plan"]), "plan": ""} for terms in (there, here))
    return differing(before, asked)


def _holds(population: Population, item_id: str) -> bool:
    try:
        return population.position(item_id) >= 0
    except ValueError:
        return False
