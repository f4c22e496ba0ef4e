"""New project, step 4: how sure, what it costs, by which method."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from labelcore.designs import DESIGNS, Design
from labelcore.errors import NotRandomError
from labelcore.estimands import CHOICES, CURVES, SUMMARIES
from labelcore.plan.against_file import frozen
from labelcore.plan.plan import Plan
from labelcore.population import Population
from labelcore.tallies import Question, questions
from labelcore.ui import outlook
from labelcore.ui.draft import Aim
from labelcore.ui.guard import sentence
from labelcore.ui.new_claims import claims_input, show_claim_terms
from labelcore.ui.new_known import known_number, not_random_words
from labelcore.ui.new_number import within
from labelcore.ui.new_price import show_choice, show_derived, show_outlook, show_size
from labelcore.ui.new_stop import stop_input, together_input
from labelcore.ui.params_form import form_words, params_form
from labelcore.ui.plain import plain
from labelcore.words import sentences as words

BUDGET, MARGIN = "I can label so many items", "I need to be this sure"
CLAIMS = "I want to show something"
CONFIDENCES = (0.9, 0.95, 0.99)
PROMISES = {
    "watched": "I look while I label, and may stop when I like",
    "fixed": "I look once, when all planned labels are there",
}
CORRECT = "Correct the number that is out of bounds to go on."
PROMISE_CAPTIONS = (
    "The interval is valid at every look; it is about half again as wide for that.",
    "Narrower, but the interval is given only at the planned number of labels or stop.",
)
BAND_CAPTIONS = (
    "One band for all ranks, after 25, 50, 75 and 100 % of the labels; somewhat wider for that.",
    "One band for all ranks, narrower, but given only at the planned number of labels.",
)
ONLY_PROMISE = {
    "watched": "You may look at any time and stop when you like: it is valid at every look.",
    "fixed": "This method gives its interval once, when all planned labels are there.",
}
TRYING = "Working out what the labels will give ..."
TRYING_CLAIMS = (
    "Trying the claims out on imagined labels, as if the scores were right: a few seconds ..."
)
NO_FORECAST = (
    "How many labels that needs cannot be worked out beforehand by this method: start from the "
    "number of items that you can label."
)
FIRST_BUDGET = 200


@dataclass(frozen=True)
class Method:
    """A design with its parameters and seed, and the place on the page where they stand."""

    design: Design
    params: dict[str, object]
    seed: int
    place: DeltaGenerator

    def promises(self, aim: Aim) -> tuple[str, ...]:
        """The promises that this method has for the question."""
        return self.design.promises_for(aim.estimands, self.design.Params(**self.params))

    def stops_fixed(self, aim: Aim) -> bool:
        """Whether a fixed promise may stop by itself at its margin."""
        params = self.design.Params(**self.params)
        return aim.existing is None and self.design.stops_fixed(aim.estimands, params)


@dataclass(frozen=True)
class Goal:
    """What the labels are for: one of a number of items, a margin, claims; claims with a cap."""

    budget: int | None = None
    margin: float | None = None
    claims: tuple[str, ...] = ()

    @property
    def rules(self) -> tuple[str, ...]:
        """The stop rules that look at the labels for it."""
        return tuple(
            rule for rule, there in (("margin", self.margin), ("claims", self.claims)) if there
        )


def sure_step(aim: Aim, population: Population) -> Plan | None:
    st.subheader("4 · How sure?", anchor=False)
    above = st.container()
    method = advanced(aim, population, above)
    if method is None:
        st.info(CORRECT)
        return None
    with above:
        terms = size_and_promise(aim, population, method)
    if terms is None:
        return None
    try:
        plan = Plan(
            method.design.name,
            aim.estimands,
            classifier=in_order(aim, method),
            params=method.params,
            seed=method.seed,
            target=aim.target,
            existing=aim.existing,
            **terms,
        )
        with st.spinner(TRYING_CLAIMS if plan.claims else TRYING):
            found = outlook.lines(population, population.fingerprint, plan.to_json())
    except (ValueError, TypeError) as error:
        st.error(plain(form_words(sentence(error), method.design)))
        return None
    if found[0].refused:
        st.error(plain(form_words(found[0].refused, method.design)))
        return None
    show_derived(method.place, found[0])
    if method.design.size_from_params:
        show_size(method.design, found)
    elif set(aim.estimands) <= set(CHOICES):
        show_choice(found)
    elif not found[0].half_widths and plan.margin:
        st.error(NO_FORECAST)
        return None
    else:
        show_outlook(plan, population, found)
    # The size that was worked out for the claims is the one that is frozen: it takes seconds.
    tried = plan.claims and plan.budget is None
    return frozen(population, plan, found[0].labels) if tried else plan


def in_order(aim: Aim, method: Method) -> str | tuple[str, ...] | None:
    """The classifiers, in the order in which the method's parameters name them, if they do."""
    names = method.design.classifiers(method.design.Params(**method.params))
    return names if len(names) > 1 and {*names} == {*named(aim)} else aim.classifier


def size_and_promise(aim: Aim, population: Population, method: Method) -> dict[str, Any] | None:
    """Goal, confidence, promise and stop rules; None while a number is out of bounds."""
    design = method.design
    if design.size_from_params:
        sure = {"confidence": confidence_input()} if design.has_confidence else {}
        return {"promise": design.promises[0], **sure}
    try:
        least = fewest(aim, population, method)
    except NotRandomError as error:
        st.error(plain(not_random_words(error, "in section 1")))
        return None
    except (ValueError, TypeError) as error:
        st.error(plain(form_words(sentence(error), design)))
        return None
    way = choose_way(design, aim)
    goal = (
        claimed(aim, population, design) if way == CLAIMS else how_much(way, population, least, aim)
    )
    confidence = confidence_input()
    if way == CLAIMS:
        promise = "watched"
        show_claim_terms(1 if goal is None else len(goal.claims), confidence)
    else:
        promise = promise_input(design, method.promises(aim))
    numbers = len(asked(aim, population))
    together = numbers > 0 and together_input(numbers, confidence)
    if goal is None:
        if way != CLAIMS:
            st.info(CORRECT)
        return None
    enough = aim.existing == "random"  # Together with those there are.
    fault = "" if enough else too_few_to_watch(design, promise, goal.budget)
    if fault:
        st.error(plain(fault))
        return None
    alone = numbers == 1 and method.stops_fixed(aim)
    stop = end_of_session(goal, design, promise, len(population), alone)
    return None if stop is None else {
        "budget": goal.budget, "margin": goal.margin, "claims": goal.claims, "stop": stop,
        "confidence": confidence, "promise": promise, "together": together,
    }  # fmt: skip


def end_of_session(
    goal: Goal, design: Design, promise: str, size: int, alone: bool
) -> tuple[str, ...] | None:
    """The stop rules; those that look need a promise that holds at every look, or one number
    ``alone`` for whose margin the method can calibrate a fixed promise."""
    rules = (*goal.rules, "choice")
    looking = [r for r in rules if r in design.stop_rules and promise == "watched"]
    margin = goal.margin if alone and promise == "fixed" else None
    return stop_input(looking, goal.budget or (size if looking else None), margin)


def asked(aim: Aim, population: Population) -> list[Question]:
    """The numbers that are asked for, those of a curve left out."""
    return questions(population, aim.estimands, named(aim) or (None,))


def claimed(aim: Aim, population: Population, design: Design) -> Goal | None:
    """The claims, and the most labels that may be spent on them."""
    found = claims_input(aim, population)
    most = st.number_input(
        "At most so many labels (empty: no limit)",
        value=None,
        step=1,
        key=f"new-most-{len(population)}",
        persist_state="session",
    )
    least = min(design.smallest_watched_budget, len(population))
    if not within(most, least, len(population)) or found is None:
        return None
    return Goal(budget=None if most is None else int(most), claims=found)


def along_ranks(aim: Aim) -> bool:
    """Whether the aim is a curve or a number of a whole ranked list."""
    return any(name in CURVES or name in SUMMARIES for name in aim.estimands)


def fewest(aim: Aim, population: Population, method: Method) -> int:
    """The fewest labels that the method can be planned with on this file."""
    plan = Plan(
        method.design.name,
        aim.estimands,
        classifier=in_order(aim, method),
        params=method.params,
        budget=len(population),
        target=aim.target,
        existing=aim.existing,
    )
    return outlook.least(population, population.fingerprint, plan.to_json())


def too_few_to_watch(design: Design, promise: str, budget: int | None) -> str:
    """Why so few labels cannot be watched, in the words of the page; nothing where they can.

    >>> too_few_to_watch(DESIGNS["recalibrated_neyman"], "watched", 5)
    "Watching while you label needs at least 40 labels; label more, or choose 'I look once, when
    all planned labels are there'."
    """
    least = design.smallest_watched_budget
    if promise != "watched" or budget is None or budget >= least:
        return ""
    return (
        f"Watching while you label needs at least {least} labels; label more, or choose "
        f"{PROMISES['fixed']!r}."
    )


def choose_way(design: Design, aim: Aim) -> str:
    """What the person starts from: a number of labels, a margin, or something to be shown. A choice
    has no margin."""
    able = "claims" in design.stop_rules and aim.existing is None
    if set(aim.estimands) <= set(CHOICES):
        return BUDGET
    return str(
        st.segmented_control(
            "Start from",
            [BUDGET, MARGIN, *([CLAIMS] if able else [])],
            default=BUDGET,
            required=True,
            key="new-way" if able else "new-way-ranked",
            persist_state="session",
        )
    )


def how_much(way: str, population: Population, least: int, aim: Aim) -> Goal | None:
    """A budget or a margin; None while the number is out of bounds."""
    size, curve = len(population) - known_number(population), along_ranks(aim)
    if way == BUDGET:
        first = min(max(FIRST_BUDGET, least), size)
        budget = st.number_input(
            "I can label so many items today: what will I know?",
            value=first,
            key=f"new-budget-{size}" + (f"-{first}" if curve else ""),
            persist_state="session",
        )
        if least > 1:
            st.caption(f"This method needs at least {least:,} labels on this file.")
        return Goal(budget=int(budget)) if within(budget, least, size) else None
    if curve:
        st.caption("Half the width of the band, at the rank where it is widest.")
    points = st.number_input(
        "Plus or minus so many percentage points",
        value=5.0,
        step=0.5,
        key="new-margin",
        persist_state="session",
    )
    return Goal(margin=float(points) / 100) if within(points, 0.1, 49) else None


def confidence_input() -> float:
    return float(
        st.segmented_control(
            "Confidence",
            CONFIDENCES,
            default=0.95,
            required=True,
            key="new-confidence",
            format_func=words.confidence_words,
            persist_state="session",
        )
    )


def promise_input(design: Design, promises: tuple[str, ...]) -> str:
    """When the person will look; a curve has its band at a few looks."""
    if len(promises) == 1:
        st.caption(ONLY_PROMISE[promises[0]])
        return promises[0]
    curve = "margin" not in design.stop_rules
    return str(
        st.radio(
            "When will you look?",
            list(PROMISES),
            format_func=PROMISES.get,
            captions=BAND_CAPTIONS if curve else PROMISE_CAPTIONS,
            key="new-promise",
            persist_state="session",
        )
    )


def named(aim: Aim) -> tuple[str, ...]:
    """The classifiers that are asked about, the first one first."""
    return (aim.classifier,) if isinstance(aim.classifier, str) else tuple(aim.classifier or ())


def advanced(aim: Aim, population: Population, above: DeltaGenerator) -> Method | None:
    """Method, its parameters and the seed; None while a number is out of bounds. What a method asks
    for first of all stands ``above``."""
    names = possible(aim)
    first = recommended(aim, names)
    box = st.expander("Advanced: method, parameters, seed")
    with box:
        name = st.selectbox(
            "Method",
            names,
            index=names.index(first),
            key=f"new-design-{first}",
            format_func=lambda n: DESIGNS[n].label,
            persist_state="session",
        )
        design = DESIGNS[name]
        st.caption(plain(design.summary))
        st.page_link(
            "pages/compare.py", label="Compare methods on this file", icon=":material/balance:"
        )
        suggested = design.suggested(population, named(aim))
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
    return Method(design, {**first_of_all, **finer}, int(seed), box)


def possible(aim: Aim) -> list[str]:
    """The methods that can answer the question, about the items it is about."""
    able = [
        name
        for name, one in DESIGNS.items()
        if {*aim.estimands} <= {*one.estimands} and (not one.pairs or len(named(aim)) == 2)
    ]
    if aim.existing is not None:
        able = [name for name in able if aim.existing in DESIGNS[name].existing] or able
    return [name for name in able if aim.target in DESIGNS[name].targets] or able


def recommended(aim: Aim, names: list[str]) -> str:
    """Of the recommended methods the most special one; the first of all without a classifier."""
    good = [name for name in names if DESIGNS[name].recommended and aim.classifier is not None]
    return min(good, key=lambda name: len(DESIGNS[name].estimands), default=names[0])
