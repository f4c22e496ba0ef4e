"""What a project shows of a fixed file stays: what is asked, all figures, all pictures, by the
numbers in its report. Words are compared elsewhere."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

import labelcore as lc
from labelcore.report.data import report_text
from labelcore.report.facts import gather
from labelcore.report.page import sections_of
from tests.answering import next_draw
from tests.cases import sampled
from tests.grouped import grouped, grouped_frame
from tests.pinned import numbers, stays, summed

OURS, BOTH, DIFFERENCE = "recalibrated_neyman", ["m", "n"], ["precision_curve_difference"]
PLANS: dict[str, dict[str, Any]] = {
    "read twice": {"design": "simple_random", "estimands": ["accuracy", "recall"], "repeats": 0.2},
    "watched": {"design": OURS, "estimands": ["precision", "f1"], "budget": None, "margin": 0.2},
    "together": {"design": OURS, "estimands": ["recall", "prevalence"], "together": True},
    "claims": {"design": OURS, "estimands": ["precision"], "claims": ["recall >= 0.6"]},
    "groups": {"design": OURS, "estimands": ["recall"], "by": "language"},
    "stream": {"design": OURS, "estimands": ["precision"], "target": "process"},
    "two": {"design": "agreement_patterns", "estimands": ["recall"], "classifier": BOTH},
    "duel": {"design": "paired_comparison", "estimands": ["accuracy"], "classifier": BOTH},
    "curve": {"design": "geometric_strata", "estimands": ["precision_curve"], "budget": 130},
    "lists": {"design": "paired_lists", "estimands": DIFFERENCE, "classifier": BOTH},
    "strata": {"design": "stratified", "estimands": ["accuracy"]},
    "waves": {"design": "oversampling", "estimands": ["precision", "recall"]},
    "paula": {"design": "paula", "estimands": ["precision_curve"]},
    "rings": {"design": "logarithmic_stratified", "estimands": ["precision_curve"]},
}

QUICK = ("stream", "curve", "lists", "strata", "paula", "rings")


def session_of(plan: dict[str, Any]) -> tuple[lc.Session, list[int]]:
    """After forty answers, some unsure, put off or taken back; the places of what was asked."""
    frame, asked = grouped_frame(400, shares=(0.6, 0.4)), []
    population = grouped(frame)
    given = {"budget": 90, "classifier": "m", "seed": 3, **plan}
    session = lc.Session(population, lc.Plan(given.pop("design"), given.pop("estimands"), **given))
    for number in range(40):
        draw = next_draw(session)
        asked.append(population.position(draw.item_id))
        odd = {4: "unsure", 7: "later"}.get(number % 11)
        session.answer(draw, odd or bool(frame["truth"][asked[-1]]))
        if number == 20:
            session.undo()
    return session, asked


def drawn(page: str) -> Iterator[tuple[str, float]]:
    """The numbers of the pictures of a report, by element and attribute."""
    for picture in re.findall(r"<svg.*?</svg>", page, flags=re.DOTALL):
        for element, attributes in re.findall(r"<(\w+) ([^>]*)>", picture):
            for name, text in re.findall(r'([\w-]+)="([^"]*)"', attributes):
                for number in re.findall(r"-?\d+\.?\d*", text):
                    yield f"picture/{element}.{name}", float(number)


@pytest.mark.slow
@pytest.mark.as_shipped
@pytest.mark.parametrize("name", sampled(PLANS, len(QUICK), seed=1, keep=QUICK))
def test_what_a_project_shows_stays(name: str) -> None:
    session, asked = session_of(PLANS[name])
    facts = gather(session)
    found = (
        *(("asked", place) for place in asked),
        *numbers(json.loads(report_text(facts))),
        *drawn("".join(one.html for one in sections_of(facts))),
    )
    stays("shown", name, summed(found))
