"""New project, step 4: by which method, and how a plan that it refuses can be mended."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.designs import DESIGNS, Design
from labelcore.designs.base import DesignParams
from labelcore.errors import PlanError
from labelcore.estimands import CURVES, SUMMARIES
from labelcore.population import Population
from labelcore.promises import Promise
from labelcore.ui import outlook
from labelcore.ui.draft import Aim
from labelcore.ui.guard import sentence
from labelcore.ui.new_aim import aim_inputs
from labelcore.ui.new_known import known_number
from labelcore.ui.new_number import within
from labelcore.ui.params_form import form_words, input_value, parameter_key, params_form
from labelcore.ui.plain import plain
from labelcore.ui.recommend import recommended
from labelcore.ui.remedies import WayOut, refuse

BUDGET, MARGIN = "I can label this many items", "I need to be this sure"
CLAIMS = "I want to show something"
TRYING = "Working out what the labels will give ..."
FIRST_BUDGET = 200
RECOMMENDED = ""
"""The choice that follows the method proposed."""


@dataclass(frozen=True)
class Method:
    """A design with its parameters and seed, and the place on the page where they stand.

    suggested   the parameters that the form starts from
    key, chosen   the input that chooses the method, and whether it is another than recommended
    claims      whether claims may be started from, by this method or by one proposed for them
    """

    design: Design[Any]
    params: dict[str, Any]
    seed: int
    place: DeltaGenerator
    suggested: dict[str, Any]
    key: str
    chosen: bool
    claims: bool

    @property
    def sized(self) -> bool:
        """Whether the number of labels follows from the parameters."""
        return outlook.follows(self.design, self.params)

    @property
    def form(self) -> type[DesignParams]:
        return self.design.Params

    def promises(self, aim: Aim) -> tuple[Promise, ...]:
        """The promises that this method has for the question."""
        return self.design.promises_for(aim.estimands, self.design.Params(**self.params))

    def stops_fixed(self, aim: Aim) -> bool:
        """Whether a fixed promise may stop by itself at its margin."""
        params = self.design.Params(**self.params)
        return aim.existing is None and self.design.stops_fixed(aim.estimands, params)


def goal_so_far(aim: Aim, population: Population, *, claims: bool) -> dict[str, Any]:
    """The goal by what its inputs show, before they stand on the page: a method is proposed for
    it."""
    way = st.session_state.get("new-way" if claims else "new-way-ranked", BUDGET)
    if way == MARGIN:
        points = st.session_state.get("new-margin")
        return {"margin": points / 100 if points and 0.1 <= points <= 49 else 0.05}
    size = max(len(population) - known_number(population), 1)
    budget = st.session_state.get(budget_key(population, aim)) or FIRST_BUDGET
    return {"budget": int(min(max(budget, 1), size))}


def advanced(aim: Aim, population: Population, above: DeltaGenerator) -> Method | None:
    """Method, its parameters and the seed; None while a number is out of bounds. What a method asks
    for first of all stands ``above``."""
    names = possible(aim)
    able = aim.existing is None
    claiming = [name for name in names if able and "claims" in DESIGNS[name].stop_rules]
    goal = goal_so_far(aim, population, claims=bool(claiming))
    to_show = bool(claiming) and st.session_state.get("new-way") == CLAIMS
    with st.spinner(TRYING):
        best = recommended(aim, population, claiming if to_show else names, goal)
    box = st.expander("Advanced: method, parameters, seed")
    with box:
        key = design_key(names)
        chosen = st.selectbox(
            "Method",
            [RECOMMENDED, *names],
            key=key,
            format_func=lambda n: DESIGNS[n].label if n else f"Recommended: {DESIGNS[best].label}",
            persist_state="session",
        )
        name = chosen or best
        design = DESIGNS[name]
        st.caption(plain(design.summary))
        st.page_link(
            "pages/compare.py", label="Compare methods on this file", icon=":material/balance:"
        )
        suggested = design.suggested(population, outlook.named(aim.classifier))
        finer = params_form(design, suggested, main=False)
        st.session_state.setdefault("new-first-seed", secrets.randbelow(1_000_000))
        seed = st.number_input(
            "Seed of the random draws",
            value=st.session_state["new-first-seed"],
            key="new-seed",
            persist_state="session",
        )
        sound = within(seed, 0, None)
    with above:
        first_of_all = params_form(design, suggested, main=True)
    if not sound or finer is None or first_of_all is None:
        return None
    return Method(
        design, {**first_of_all, **finer}, int(seed), box, suggested, key, name != best,
        name in claiming or (not chosen and bool(claiming)),
    )  # fmt: skip


def possible(aim: Aim) -> list[str]:
    """The methods that can answer the question, about the items it is about."""
    able = [
        name
        for name, one in DESIGNS.items()
        if {*aim.estimands} <= {*one.estimands}
        and (not one.pairs or len(outlook.named(aim.classifier)) == 2)
    ]
    if aim.existing is not None:
        able = [name for name in able if aim.existing in DESIGNS[name].existing] or able
    return [name for name in able if aim.target in DESIGNS[name].targets] or able


def design_key(names: Sequence[str]) -> str:
    """The key of the choice between these methods."""
    return f"new-design-{'-'.join(names)}"


def along_ranks(aim: Aim) -> bool:
    """Whether the aim is a curve or a number of a whole ranked list."""
    return any(name in CURVES or name in SUMMARIES for name in aim.estimands)


def way_key(method: Method) -> str:
    return "new-way" if method.claims else "new-way-ranked"


def budget_key(population: Population, aim: Aim, first: int = FIRST_BUDGET) -> str:
    """The key of the number of labels; that of a ranked list starts from what the file needs."""
    size = len(population) - known_number(population)
    return f"new-budget-{size}" + (f"-{first}" if along_ranks(aim) else "")


def refuse_method(error: Exception, aim: Aim, population: Population, method: Method) -> None:
    """Why the chosen method cannot serve, and what can be done about it."""
    remedies = error.remedies if isinstance(error, PlanError) else ()
    fault = error.fault if isinstance(error, PlanError) else sentence(error)
    ways = [WayOut(one.words, inputs_of(one.changes, aim, population, method)) for one in remedies]
    if method.chosen:
        ways.append(WayOut("take the recommended method", {method.key: RECOMMENDED}))
    if method.params != method.suggested:
        ways.append(WayOut("take the parameters as they were", as_suggested(method)))
    refuse(form_words(fault, method.design), ways)


def as_suggested(method: Method) -> dict[str, Any]:
    """The inputs of the parameters, as the form starts."""
    starts = ((item, method.suggested.get(item.name, item.default)) for item in fields(method.form))
    return {parameter_key(method.design.name, item, start): None for item, start in starts}


def inputs_of(
    changes: Mapping[str, Any], aim: Aim, population: Population, method: Method
) -> dict[str, Any]:
    """The inputs of the page that stand for arguments of a plan."""
    found: dict[str, Any] = {}
    for name, value in changes.items():
        if name in ("promise", "target"):
            found[f"new-{name}"] = value
        elif name == "budget":
            found |= {way_key(method): BUDGET, budget_key(population, aim): value}
        elif name == "params":
            found |= as_suggested(method)
            for item in fields(method.form):
                start = method.suggested.get(item.name, item.default)
                if value.get(item.name) is not None:
                    key = parameter_key(method.design.name, item, start)
                    found[key] = input_value(item, value[item.name])
        elif name == "estimands":
            found |= aim_inputs(value, aim)
        elif name == "classifier":
            found[f"new-classifier-{aim.file}"] = value
    return found
