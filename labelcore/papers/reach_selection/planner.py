"""What it may cost to choose the cut or the classifier that finds the most."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd
import streamlit as st

from labelcore.designs.params import parameter_label, read_list
from labelcore.errors import ParameterError
from labelcore.papers.planners import (
    Chosen,
    number_input,
    offer,
    outlook_of,
    percent_input,
    project,
    suited,
    way_input,
)
from labelcore.papers.reach_selection.bounds import (
    draws_for_precision,
    draws_for_reach,
    label_bound,
    smallest_budget,
)
from labelcore.papers.reach_selection.candidates import first_sizes
from labelcore.plan.plan import Plan
from labelcore.safe_text import plain
from labelcore.ui.draft import ProjectDraft
from labelcore.ui.new_cards import SHIP
from labelcore.ui.params import listed
from labelcore.ui.presses import sentence
from labelcore.ui.status import SECONDS_AN_ITEM
from labelcore.ui.tables import reading_table
from labelcore.ui.times import minutes
from labelcore.words import sentences as words
from labelcore.words.arguments import refusal_words

WHAT = (
    "Which cut of a ranked list, or which classifier, should be shipped? The one that finds the "
    "most among those precise enough. Only what a candidate calls positive is labelled, and "
    "labelling ends as soon as the choice is shown."
)
CUTS, CLASSIFIERS = "Cuts of one ranked list", "Classifiers"
NOTHING = "This needs a score, or two or more classifiers that call something positive."
MOST_DRAWS = 1_000_000_000
HOEFFDING = (
    "These are the guarantees of the paper, with draws that may repeat an item and bounds by "
    "Hoeffding. By default Labelcore's bounds repeat no item and need fewer draws; how many "
    "depends on how far the candidates lie from the wanted precision and from each other."
)
FORMULAS = r"""
$m$ candidates, wanted precision $PT$, slack of precision $\gamma$, slack of reach $\varepsilon$,
chance of a wrong choice $\delta$, at most $T$ draws. After $t$ draws of a candidate its precision
lies within $U(t) = \sqrt{\ln(2 m T / \delta) / (2 t)}$ of the share found (equations 4 and 9).

- $n_\gamma$: the draws after which its bounds lie less than $\gamma$ apart.
- $n_\varepsilon$: the draws after which they lie at most $\varepsilon (PT - \gamma)$ apart.
- In turn: a choice is made within $m \max(n_\varepsilon, n_\gamma)$ draws (theorem 2).
- Together: on average within $m \max(r\, n_\varepsilon, n_\gamma)$, where $r$ is the size of the
  largest acceptable candidate over that of the smallest (theorem 3). Which ones are acceptable
  shows later; here $r$ is taken over all of them.

The smallest $T$ is the first that is at least its own bound, candidates taking turns. Source:
Bennett, Chickering, Meek and Zhu (2017).
"""


@dataclass(frozen=True)
class Wanted:
    """What is wanted of the one chosen; budget T, None: the smallest that is enough."""

    precision: float
    precision_slack: float
    reach_slack: float
    delta: float
    budget: int | None


def choice_planner(chosen: Chosen) -> None:
    st.text(WHAT)
    if not suited(chosen):
        return
    candidates = candidates_input(chosen)
    wanted = inputs()
    if candidates is None or wanted is None:
        return
    try:
        plan = Plan(
            "reach_selection",
            ["selection"],
            classifier=chosen.classifier,
            params={"candidates": candidates},
            budget=1,
        )
        derived = outlook_of(chosen.population, plan).derived
        bounds = bounds_of(derived["candidates"], wanted)
    except ParameterError as error:
        st.error(plain(refusal_words(error, called)))
        return
    except ValueError as error:
        st.error(plain(sentence(error)))
        return
    show(chosen, derived, bounds, wanted)
    most = most_labels(derived, wanted)
    offer(project_of(chosen, candidates, wanted, most), "choice")


def called(name: str) -> str:
    """A parameter as this page calls it."""
    return "the list of candidates" if name == "candidates" else parameter_label(name)


def candidates_input(chosen: Chosen) -> tuple[Any, ...] | None:
    """The candidates as the method's parameter; None, with a sentence, where there are none."""
    names = tuple(chosen.called())
    possible = [CUTS] if chosen.classifier in chosen.population.scores else []
    possible += [CLASSIFIERS] if len(names) > 1 else []
    if not possible:
        st.info(NOTHING)
        return None
    way = way_input("What is there to choose from?", possible, key=chosen.key("candidates"))
    if way == CLASSIFIERS:
        kept = st.multiselect(
            "Candidates", names, names, key=chosen.key("named"), persist_state="session"
        )
        if len(kept) < 2:
            st.info("Choose at least two candidates to continue.")
        return tuple(kept) if len(kept) > 1 else None
    typed = st.text_input(
        plain(f"The first so many items by {chosen.classifier}, with commas between the sizes"),
        listed(first_sizes(len(chosen.population))),
        key=chosen.key("sizes"),
        persist_state="session",
        max_chars=300,
    )
    sizes = read_list(typed, "int")
    if not sizes or not all(isinstance(size, int) for size in sizes):
        st.error("Enter whole numbers separated by commas, such as 50, 100, 200.")
        return None
    return sizes


def inputs() -> Wanted | None:
    """What is wanted; None, with a sentence each, while a number is wrong."""
    left, right = st.columns(2)
    with left:
        precision = percent_input("Precision wanted", 90.0, "compare-wanted")
        reach = percent_input("Finds that may be lost", 10.0, "compare-reach")
    with right:
        slack = percent_input("How far below it may lie", 10.0, "compare-slack", 0.0, unit="points")
        delta = percent_input("Chance of a wrong choice", 5.0, "compare-delta", 0.0001, 50)
    label = "Draws at the most; empty: the smallest number that is enough"
    budget = number_input(label, None, "compare-budget", 1, MOST_DRAWS)
    typed = st.session_state["compare-budget"]
    if precision is None or slack is None or reach is None or delta is None:
        return None
    if slack > precision:
        st.error("The slack must not be larger than the precision wanted.")
        return None
    return None if budget != typed else Wanted(precision, slack, reach, delta, budget)


def bounds_of(candidates: Mapping[str, int], wanted: Wanted) -> dict[str, int | None]:
    """What the theorems say of so many candidates of these sizes; None where there is no bound."""
    m, spread = len(candidates), max(candidates.values()) / min(candidates.values())
    slacks = wanted.precision, wanted.precision_slack, wanted.reach_slack
    smallest = smallest_budget(m, wanted.delta, *slacks)
    budget = wanted.budget or smallest or 1
    return {
        "T": budget if wanted.budget or smallest else None,
        "n_gamma": draws_for_precision(m, budget, wanted.delta, wanted.precision_slack),
        "n_epsilon": draws_for_reach(m, budget, wanted.delta, *slacks),
        "in_turn": label_bound(m, budget, wanted.delta, *slacks),
        "together": label_bound(m, budget, wanted.delta, *slacks, size_ratio=spread),
        "smallest": smallest,
    }


def most_labels(found: Mapping[str, Any], wanted: Wanted) -> int:
    """No more than the limit on the draws, nor than the items that any candidate calls positive."""
    union = int(found["union"])
    return min(union, wanted.budget or union)


def show(
    chosen: Chosen, derived: Mapping[str, Any], bounds: Mapping[str, int | None], wanted: Wanted
) -> None:
    union, most = int(derived["union"]), most_labels(derived, wanted)
    st.markdown(
        f"**At most {most:,} labels, {minutes(most * SECONDS_AN_ITEM)}, and usually far fewer: the "
        f"candidates call {union:,} different items positive, and no item is asked twice.**"
    )
    if wanted.budget and bounds["smallest"] and wanted.budget < bounds["smallest"]:
        st.warning(
            f"With {wanted.budget:,} draws the paper's bounds may leave the choice open; the "
            f"smallest number that is enough by itself is {bounds['smallest']:,}."
        )
    reading_table(bounds_table(bounds), "compare-bounds")
    st.caption(HOEFFDING)
    table = candidates_table(derived["candidates"], len(chosen.population))
    with st.container(key="compare-candidates-box"):
        st.dataframe(table, hide_index=True, key="compare-candidates-table")
    for note in derived["notes"]:
        st.caption(plain(note))
    with st.expander("The formulas"):
        st.markdown(FORMULAS)


def bounds_table(bounds: Mapping[str, int | None]) -> pd.DataFrame:
    """The figures of the theorems in words."""
    rows = {
        "until one candidate's precision is settled within its slack": "n_gamma",
        "until one candidate's finds are settled within their slack": "n_epsilon",
        "until the choice is made, candidates taking turns (theorem 2)": "in_turn",
        "the same, one draw counting for all candidates with the item, on average "
        "(theorem 3)": "together",
        "smallest limit on the draws that is enough (theorem 2)": "smallest",
    }
    return pd.DataFrame(
        [(name, number_words(bounds[key])) for name, key in rows.items()],
        columns=["in the worst case", "draws"],
    )


def number_words(value: int | None) -> str:
    """
    >>> number_words(2881), number_words(None)
    ('2,881', 'no bound')
    """
    return "no bound" if value is None else f"{value:,}"


def candidates_table(candidates: Mapping[str, int], items: int) -> pd.DataFrame:
    return pd.DataFrame(
        [(name, f"{size:,}", words.percent(size / items)) for name, size in candidates.items()],
        columns=["candidate", "items called positive", "of the file"],
    )


def project_of(
    chosen: Chosen, candidates: tuple[Any, ...], wanted: Wanted, most: int
) -> ProjectDraft:
    params = {
        "candidates": candidates,
        "precision_threshold": wanted.precision,
        "precision_slack": wanted.precision_slack,
        "reach_slack": wanted.reach_slack,
        "delta": wanted.delta,
    }
    named = candidates if isinstance(candidates[0], str) else (chosen.classifier,)
    asked = project(chosen, SHIP, named)
    return replace(asked, design="reach_selection", params=params, budget=most)
