"""One wording for each promise: no page and no export has a sentence of another promise."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import labelcore as lc
from labelcore.report import estimates_csv, report_html, report_json
from labelcore.results.types import Claim
from labelcore.words.sentences import ASSUMED, promise_kind
from tests.answering import answer_draws
from tests.app.conftest import folds, store, texts
from tests.cases import EVERY_EXAMPLE, sampled
from tests.columns import items
from tests.recycled import PARAMS, written

PAGES = ("label", "progress", "report")
UP_TO = r"at every look up to ([\d,]+) labels"
SAID = {
    "watched": r"(?<!tested )at every look(?! is recorded| up to [\d,]+ labels)",
    "until": UP_TO,
    "fixed": r"valid at the (?:planned [\d,]+ labels|stop set at)",
    "none": r"no promise goes with",
}
OF_SCORES = r"\([^()]* ranges of scores together[^()]*\)"
"""What is told at each score has a promise of its own."""
NOWHERE = (
    r"valid once|at the planned (?:size|stop)\b|after 25, 50|hold at (?:every|the planned)"
    r"|without a promise \("
)
FIGURES = ("accuracy", "precision")


@dataclass(frozen=True, eq=False)
class Case:
    """A plan by name; ``promise`` is what its results have at the planned size, one for all or one
    for each figure that is asked for."""

    name: str
    design: str
    promise: str | tuple[str, ...]
    asked: tuple[str, ...] = FIGURES
    values: dict[str, Any] = field(default_factory=dict)

    def plan(self) -> lc.Plan:
        given = {"budget": 60, "seed": 4, "classifier": "a", **self.values}
        return lc.Plan(self.design, self.asked, **given)

    def kinds(self) -> set[tuple[str, str]]:
        """Each figure with its promise."""
        alike = isinstance(self.promise, str)
        each = (self.promise,) * len(self.asked) if alike else self.promise
        return set(zip(self.asked, each, strict=True))


def case(
    name: str, promise: str | tuple[str, ...], design: str = "simple_random", **values: Any
) -> Case:
    asked = values.pop("asked", FIGURES)
    first = promise if isinstance(promise, str) else promise[0]
    chosen = {"looks": "watched", "until": "watched", "none": "fixed"}.get(first, first)
    return Case(name, design, promise, asked, {"promise": chosen, **values})


CURVE = {"asked": ("precision_curve", "average_precision"), "budget": 120}
EDGE = {**CURVE, "params": {"first_edge": 20}}
PAIR = {"asked": ("accuracy_difference",), "classifier": ["a", "c"]}
LISTS = {"asked": ("precision_curve_difference",), "classifier": ["a", "b"],
         "params": {"first_rank": 10, "last_rank": 60}}  # fmt: skip
CHAIN = {"asked": ("precision", "recall"), "classifier": None, "budget": None}
BY_SIZE = {**CURVE, "budget": None}
LOGARITHMIC = {"first_rank": 40, "epsilon": 0.3, "beta": 1.9}
CASES = (
    case("plain", "fixed"),
    case("plain, watched", "until"),
    case("plain, together", "until", together=True),
    case("helped", "fixed", params={"interval": "difference"}),
    case("neyman", "fixed", "recalibrated_neyman"),
    case("neyman, watched", "until", "recalibrated_neyman"),
    case("claim", "until", claims=["precision >= 0.5"]),
    case("neyman, curve", "until", "recalibrated_neyman", asked=("precision_curve",)),
    case("pair", "fixed", "paired_comparison", **PAIR),
    case("pair, watched", "until", "paired_comparison", **PAIR),
    case("geometric", "fixed", "geometric_strata", **EDGE),
    case("geometric, watched", "until", "geometric_strata", **EDGE),
    case("paula", "none", "paula", params={"epsilon": 0.3, "window": 5}, **BY_SIZE),
    case("logarithmic", "fixed", "logarithmic_stratified", params=LOGARITHMIC, **BY_SIZE),
    case("logarithmic, watched", "watched", "logarithmic_stratified", params=LOGARITHMIC,
         **BY_SIZE),
    case("random list", "fixed", "random_curve", **CURVE),
    case("sure", "fixed", "stratified", asked=("accuracy",)),
    case("sure, watched", "until", "stratified", asked=("accuracy",)),
    case("sure, printed", "none", "stratified", asked=("accuracy",),
         params={"allocation": "opt_a1"}),
    case("oversampled", "fixed", "oversampling"),
    case("oversampled, watched", "until", "oversampling"),
    case("prior", "none", "oversampling", asked=("precision",),
         params={"interval": "bayes", "prior_counts": (20, 9, 20, 200)}),
    case("recycled", "fixed", "recycling", params=PARAMS, **CHAIN),
    case("recycled, printed", "none", "recycling", params={**PARAMS, "option": "sample"}, **CHAIN),
    case("patterns", "fixed", "agreement_patterns", classifier=["a", "b"]),
    case("patterns, watched", "until", "agreement_patterns", classifier=["a", "b"]),
    case("lists", "fixed", "paired_lists", **LISTS),
    case("lists, watched", "until", "paired_lists", **LISTS),
    case("choice", "watched", "reach_selection", asked=("selection",), classifier=None,
         params={"candidates": ("vote", "a", "b", "c"), "precision_threshold": 0.6}),
)  # fmt: skip


def test_every_promise_of_every_method_stands_in_the_table() -> None:
    found = {(one.design, one.plan().promise) for one in CASES}
    owed = {
        (name, promise)
        for name, design in lc.DESIGNS.items()
        for promise in design.promises_for(design.estimands[:1], design.Params())
    }
    assert owed <= found


def plain(html: str) -> str:
    """What the page says, but for the folded description of the method as such."""
    for part in ("script", "style", "details"):
        html = re.sub(rf"<{part}\b.*?</{part}>", " ", html, flags=re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def kinds_said(text: str) -> set[str]:
    text = re.sub(OF_SCORES, "", text.replace("\N{NO-BREAK SPACE}", " "))
    assert not re.search(NOWHERE, text), re.findall(f".{{60}}(?:{NOWHERE}).{{30}}", text)
    return {kind for kind, pattern in SAID.items() if re.search(pattern, text)}


def said_on(page: AppTest) -> str:
    """Everything that stands on a page, the lines that open too."""
    return "\n".join([texts(page), *folds(page)])


def check(app: Any, session: lc.Session, one: Case, pages: Sequence[str] = PAGES) -> None:
    """Each text has sentences of the promises that the results have, and of no other."""
    results = session.results().values()
    numbers = [result for result in results if not isinstance(result, Claim)]
    allowed = {promise_kind(result.promise, result.scope) for result in numbers}
    ends = {f"{result.scope.until:,}" for result in numbers}
    spoken = {
        "sentences": "\n".join(result.sentence() for result in results),
        "html": plain(report_html(session)),
        "json": report_json(session),
        "csv": estimates_csv(session),
        **{page: said_on(app(page, project="demo")) for page in pages},
    }
    for place, text in spoken.items():
        said = kinds_said(text)
        assert said <= allowed, (one.name, session.status, place, said, allowed)
        assert {*re.findall(UP_TO, text)} <= ends, (one.name, place, ends)
        if place in ("html", "progress"):
            assert said or ASSUMED in text.replace("\N{NO-BREAK SPACE}", " "), (one.name, place)


def with_another_list(one: lc.Population) -> lc.Population:
    """The same items, where the classifier b has a score, too."""
    score = one.scores["a"]
    return items(scores={"a": score, "b": (score + np.arange(len(one)) % 7 / 20).round(6)})


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled([one.name for one in CASES], 1, seed=1, keep=["paula"]))
def test_no_sentence_of_another_promise(name: str, app: Any, data_folder: Path) -> None:
    one = next(case for case in CASES if case.name == name)
    known = written(240)
    two = one.design == "paired_lists"
    population = with_another_list(known.population) if two else known.population
    session = lc.Session(population, one.plan(), store(data_folder), "demo")
    check(app, session, one, PAGES if EVERY_EXAMPLE in os.environ else ())
    answer_draws(session, known, until=45)
    check(app, session, one)
    answer_draws(session, known)
    kinds = {(name.partition("@")[0], promise_kind(r.promise, r.scope))
             for name, r in session.results().items() if not isinstance(r, Claim)}  # fmt: skip
    assert kinds == one.kinds()
    check(app, session, one)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["plain", "geometric", "geometric, watched"])
def test_after_an_early_end(name: str, app: Any, data_folder: Path) -> None:
    one = next(case for case in CASES if case.name == name)
    known = written(240)
    session = lc.Session(known.population, one.plan(), store(data_folder), "demo")
    answer_draws(session, known, until=45)
    session.finish("enough")
    check(app, session, one)
