"""New project, screen 3: how sure, what it costs, by which method."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import streamlit as st

from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.scalars import EstimatesScalars
from labelcore.errors import CancelledError, NotRandomError, PlanError
from labelcore.estimands import SCALARS
from labelcore.plan.against_file import frozen
from labelcore.plan.claims import EVERY, SOME
from labelcore.plan.plan import Plan
from labelcore.plan.stop_rules import RULES, available, looking, moment_words
from labelcore.planning.methods import Line, named
from labelcore.population import Population
from labelcore.promises import Form, Promise
from labelcore.safe_text import one_line, plain
from labelcore.ui import forecasts, waiting
from labelcore.ui.asking import ask, ask_number, begin, current
from labelcore.ui.draft import BUDGET, CLAIMS, MARGIN, Aim, ProjectDraft
from labelcore.ui.expanders import fold
from labelcore.ui.fields import BETTER, FIELDS, LEVEL
from labelcore.ui.method_pages import links_before
from labelcore.ui.new_content import made_content, offer_content
from labelcore.ui.new_costs import dear_words, show_switches
from labelcore.ui.new_known_answers import not_random_words
from labelcore.ui.new_price import Ahead, show_choice, show_derived, show_outlook, show_size
from labelcore.ui.new_price_words import half_width_words, together_captions
from labelcore.ui.new_race import Race
from labelcore.ui.new_screens import Places
from labelcore.ui.new_table import choose_row, method_rows, sized_rows
from labelcore.ui.new_terms import Goal, Terms, first_how
from labelcore.ui.params import param_fault, row_of, within
from labelcore.ui.remedies import WayOut, refuse, refuse_method
from labelcore.ui.times import reader_zone
from labelcore.words import sentences as words
from labelcore.words.claims import CHOICE_CAPTIONS, CHOICES, TERMS
from labelcore.words.promises import (
    BAND_CAPTIONS,
    EACH_RANK_CAPTIONS,
    ONLY_PROMISE,
    PROMISE_CAPTIONS,
    times_planned,
    watched_words,
    wider_words,
)
from labelcore.words.quantities import label_of, model_word, quantity
from labelcore.words.sentences import count

MOST_CLAIMS, MOST_GROUPS = 5, 20
COMPARED = ("accuracy", "precision", "recall")
DIRECTIONS = {">=": "at least", "<=": "at most"}
DISAGREEMENTS = (
    "Decided by the items on which the two disagree; where they agree nothing can be learned about "
    "it."
)
FEWEST = (
    " With several classes a plain random sample needs the fewest labels for it; strata take two "
    "to three times as many."
)
SHARED = " The error of {error:.3g} % is shared."
SAVED = 1 / 3
OPEN = "Enter the percentage to continue."


def show_claim_terms(plan: Plan, budget: int | None) -> None:
    """What the confidence means for each of several claims, and how far the intervals hold;
    ``budget`` is the planned size where it is known."""
    number, error = len(plan.claims), 1 - plan.confidence
    shared = "" if number == 1 else SHARED.format(error=100 * error)
    terms = TERMS[Form(plan.claim_form)]
    valid = watched_words(plan.horizon, budget)
    alpha, times = 100 * error / number, number / error
    st.caption(terms.format(valid=valid, false=alpha, shared=shared, times=times))


def claim_form_input(labels: Mapping[str, int]) -> Form:
    """What settles the claims, with the labels that each form is expected to need; the approximate
    one stands first where it saves a third of them."""
    if len(labels) < len(CHOICES):
        return Form.STRICT
    likely = labels[Form.APPROXIMATE] <= (1 - SAVED) * labels[Form.STRICT]
    first = Form.APPROXIMATE if likely else Form.STRICT
    forms = sorted(CHOICES, key=lambda form: form != first)
    options = {form: CHOICES[form].format(labels=count(labels[form])) for form in forms}
    captions = [CHOICE_CAPTIONS[form] for form in forms]
    return Form(ask("claim_form", part=first, options=options, first=first, captions=captions))


def claims_input(aim: Aim, population: Population) -> tuple[str, ...] | None:
    """The claims as texts; None while one is not complete."""
    st.caption(
        "Say it now, before the first label. Labelling goes on until every claim is shown, or "
        "shown to be false."
    )
    now = current()
    number = min(now.claim_count, MOST_CLAIMS)
    claims = [Claim(str(place), aim, population).ask() for place in range(number)]
    with st.container(horizontal=True):
        more, fewer = ("claim_count", number + 1), ("claim_count", number - 1)
        if number < MOST_CLAIMS:
            st.button("Another claim", key="new-claim-more", on_click=now.take, args=more)
        if number > 1:
            label, key = "Remove the last claim", "new-claim-fewer"
            st.button(label, key=key, type="tertiary", on_click=now.take, args=fewer)
    complete = tuple(text for text in claims if text)
    if len(complete) < number:
        st.info(OPEN)
        return None
    return complete


@dataclass(frozen=True)
class Claim:
    """One claim of the draft: its inputs in a box of their own, and its text."""

    place: str
    aim: Aim
    population: Population

    @property
    def judged(self) -> tuple[str, ...]:
        return judges(self.population)

    @property
    def several(self) -> bool:
        return len(self.population.classes) > 2

    def ask(self) -> str | None:
        """The claim as text; None while it is not complete."""
        with st.container(border=True, key=f"new-claim-box-{self.place}"):
            several = len(self.judged) > 1
            kind = ask("claim_kind", part=f"{self.place}-kind") if several else LEVEL
            return self.comparison() if kind == BETTER else self.level()

    def choose(
        self, part: str, label: str, options: Mapping[str, str], first: str | None = None
    ) -> str:
        first = first or next(iter(options))
        part = f"{self.place}-{part}"
        return str(ask("claim", part=part, label=label, options=options, first=first))

    def who(self, part: str, label: str) -> str | None:
        """The classifier meant; the one that the sample is drawn for stands first."""
        if len(self.judged) < 2:
            return next(iter(self.judged), None)
        drawn_for = named(self.aim.classifier)
        first = next((name for name in drawn_for if name in self.judged), self.judged[0])
        return self.choose(part, label, in_a_line(self.judged), first)

    def level(self) -> str | None:
        """A figure reaches a level."""
        possible = quantities(self.population)
        first = next((name for name in self.aim.estimands if name in possible), possible[0])
        inside = None
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = self.choose("figure", "Figure", self.figures(possible), first)
            row = SCALARS[name]
            if self.several and row.per_class:
                classes = in_a_line(self.population.classes)
                inside = self.choose("class", "Class", classes, self.population.positive)
            who = self.who("who", self.model.capitalize()) if row.needs_prediction else None
            groups = group_texts(self.population)
            of = self.choose("group", "Of", groups) if len(groups) > 1 else ""
            relation = self.choose("way", "It is", DIRECTIONS)
            percent = ask("claim_percent", part=f"{self.place}-percent")
        about = who or next(iter(self.judged), None)
        meaning = quantity(
            name, about, inside or self.population.positive, audit=self.population.has_judge
        )
        st.caption(plain(f"{meaning[:1].upper()}{meaning[1:]}."))
        bounds = FIELDS["claim_percent"]
        if percent is None or not within(percent, bounds.low, bounds.high):
            return None
        left = quantity_text(name, inside, who if len(self.judged) > 1 else None)
        return claim_text(left + of, relation, percent / 100)

    @property
    def model(self) -> str:
        return model_word(self.population.has_judge)

    def figures(self, names: Iterable[str]) -> dict[str, str]:
        return {name: label_of(name, self.population.has_judge) for name in names}

    def comparison(self) -> str:
        """One classifier is better than another; with several classes in accuracy only."""
        possible = COMPARED[:1] if self.several else COMPARED
        with st.container(horizontal=True, vertical_alignment="bottom"):
            name = self.choose("compared", "Figure", self.figures(possible))
            better = self.who("better", f"Of this {self.model}")
            others = in_a_line(name for name in self.judged if name != better)
            worse = self.choose(f"worse-{better}", "is higher than that of", others)
        st.caption(DISAGREEMENTS + (FEWEST if self.several else ""))
        return claim_text(quantity_text(name, None, better), ">", quantity_text(name, None, worse))


def in_a_line(names: Iterable[str]) -> dict[str, str]:
    return {name: one_line(name, 60) for name in names}


def judges(population: Population) -> tuple[str, ...]:
    """The classifiers that say yes or no to an item."""
    return tuple(name for name in population.classifiers if name in population.predictions)


def quantities(population: Population) -> list[str]:
    """The quantities that a claim may be about on this file."""
    if not judges(population):
        return ["prevalence"]
    several = len(population.classes) > 2
    return [
        name for name, row in SCALARS.items() if not several or row.per_class or name == "accuracy"
    ]


def group_texts(population: Population) -> dict[str, str]:
    """Of which items a figure may be claimed: what stands behind it, and how that is called."""
    texts = {"": "all items"}
    for column, group in population.groups.items():
        for each in (EVERY, SOME):
            texts[f"[{each} {column}]"] = f"{each} {column}"
        for name in group.names[:MOST_GROUPS]:
            texts[f"[{column}={name}]"] = f"{column} {name}"
    return {text: one_line(name, 60) for text, name in texts.items()}


def quantity_text(name: str, inside: str | None, classifier: str | None) -> str:
    """A quantity as a claim names it.

    >>> quantity_text("precision", "spam", "lr"), quantity_text("recall", None, "lr")
    ('precision[spam]@lr', 'recall[lr]')
    >>> quantity_text("recall", None, "a]b"), quantity_text("recall", None, None)
    ('recall@a]b', 'recall')
    """
    if inside is not None:
        return f"{name}[{inside}]" + (f"@{classifier}" if classifier else "")
    if classifier is None:
        return name
    return f"{name}@{classifier}" if "]" in classifier else f"{name}[{classifier}]"


def claim_text(left: str, relation: str, right: float | str) -> str:
    """
    >>> claim_text("precision", ">=", 0.925), claim_text("recall[A]", ">", "recall[B]")
    ('precision >= 0.925', 'recall[A] > recall[B]')
    """
    return f"{left} {relation} {right if isinstance(right, str) else format(right, '.6g')}"


CORRECT = "Correct the number that is out of bounds to continue."
TRYING = "Working out what the labels will give"
PRICE_LATER = "The price stands here once the claim is complete."
NO_FORECAST = (
    "This method cannot work out beforehand how many labels that needs: start from the number of "
    "items that you can label."
)
OTHERS, COSTS = "Other methods", "What each number costs"
PAST = "This moment has passed: choose a later one to continue."


def sure_step(aim: Aim, population: Population, places: Places) -> tuple[Plan, Race] | None:
    """The plan, and the race of the methods that is to be run when the page is drawn."""
    terms = Terms(current(), aim, population)
    with places.price:
        made_content(terms, population)
    try:
        fits = show_method(terms, places)
    except CancelledError:
        return None
    if not fits:
        places.price.info(CORRECT)
        return None
    with places.slide:
        given = size_and_promise(terms, places)
    if given is None:
        if terms.to_be_shown:
            places.price.caption(PRICE_LATER)
        return None
    try:
        plan = terms.plan(classes=aim.classes, **given)
        lines = lines_of(plan, population, places)
        if plan.claims:
            plan, lines = settle_claims(plan, lines, terms, places)
    except CancelledError:
        return None
    except (ValueError, TypeError) as error:
        with places.price:
            refuse_method(error, terms)
        return None
    # What was simulated for the question says nothing of claims or of parameters of one's own.
    changed = terms.params != terms.suggested or bool(plan.claims)
    race = Race(population, plan, lines, None if changed else terms.question)
    if not show_what_it_costs(plan, terms, race, places):
        return None
    # The size on the page is the one that is frozen; to try it out again would take seconds.
    chosen = race.lines[0]
    if plan.budget is not None or not (plan.claims or chosen.runs):
        return plan, race
    return frozen(population, plan, chosen.planned if plan.claims else chosen.labels), race


def lines_of(plan: Plan, population: Population, places: Places) -> list[Line]:
    """What each method costs and gives, the plan's first. Raises PlanError where that refuses."""
    with places.price:
        if plan.claims:
            lines = [forecasts.claimed(population, plan)]
        else:
            key = population.fingerprint, plan.to_json()
            lines = waiting.worked_out(
                "lines", key, TRYING, lambda: forecasts.lines(population, plan), keep=False
            )
    if lines[0].refused:
        raise PlanError(lines[0].refused, "", lines[0].remedies)
    return lines


def settle_claims(
    plan: Plan, lines: list[Line], terms: Terms, places: Places
) -> tuple[Plan, list[Line]]:
    """What settles the claims, which decides how many labels they take."""
    with places.slide:
        meaning = st.container()
        form = claim_form_input(lines[0].derived.get("claims", {}))
        if form != plan.claim_form:
            plan = replace(plan, claim_form=form)
            lines = lines_of(plan, terms.population, places)
    with meaning:
        show_claim_terms(plan, None if terms.aim.existing == "random" else plan.budget)
    return plan, lines


def show_method(terms: Terms, places: Places) -> bool:
    """Method, its parameters and the seed; whether all numbers lie within their bounds. What a
    method asks for first of all stands below the price."""
    with places.price:
        key = terms.question, terms.seed
        waiting.worked_out("best", key, TRYING, lambda: terms.best, keep=False)
    with places.more:
        ask(terms.row("design"))
        st.caption(plain(terms.design.summary))
        links_before()
        finer = params_form(terms, main=False)
        _, sound = ask_number(terms.row("seed"))
    with places.slide:
        main = params_form(terms, main=True)
    return sound and finer and main


def params_form(terms: Terms, *, main: bool) -> bool:
    """What the method asks for first, or its finer points; whether all of it fits."""
    sound = True
    for item in fields(terms.design.Params):
        if item.metadata["main"] == main:
            ask(row_of(terms.design, item, terms.suggested))
            if fault := param_fault(terms.now, terms.design, terms.suggested, item):
                st.error(plain(fault))
                sound = False
    return sound


def show_what_it_costs(plan: Plan, terms: Terms, race: Race, places: Places) -> bool:
    """The price, the slider and the methods; whether the plan can be made."""
    lines, population = race.lines, terms.population
    with places.price:
        show_derived(places.more, lines[0])
        if terms.sized:
            show_size(terms.design, lines, places.more, terms.population.has_judge)
            with places.axis:
                choose_size(terms)
            with places.methods:
                rows = sized_rows(plan, lines, len(population))
                fold(OTHERS, "new-methods", lambda: choose_row(rows, plan, terms.best))
            return True
        if terms.is_choice:
            show_choice(plan, population, lines[0])
            race.show(places.more)
            return True
        if not lines[0].half_widths and plan.margin:
            by_number = WayOut("start from a number of items", ProjectDraft(way=BUDGET))
            refuse(NO_FORECAST, [by_number])
            return False
    least = max(terms.least, terms.fewest, 1)
    ahead = show_outlook(plan, population, race, places, int(terms.shown("readers")), least)
    if ahead is None:
        return True
    with places.axis:
        if plan.budget is not None and not plan.claims:
            slide(plan, ahead)
        if terms.aim.which and not plan.claims and (dear := dear_words(plan, population, lines[0])):
            st.caption(dear)
    with places.methods:
        offer_content(terms, population, plan)
        if terms.aim.which and not plan.claims:
            fold(COSTS, "new-costs", lambda: show_switches(plan, population, terms.aim.card))
        others = [promise for promise in terms.promises if promise != plan.promise]
        other = None if plan.claims else next(iter(others), None)
        fold(
            OTHERS,
            "new-methods",
            lambda: choose_row(method_rows(plan, ahead, lines, other), plan, terms.best),
        )
        race.show(places.more)
    return True


def choose_size(terms: Terms) -> None:
    """The sizes that a method offers as a slider, each with what it gives."""
    sizes = terms.design.sizes(len(terms.population))
    if len(sizes) < 2:
        return
    now = terms.design.Params(**terms.params)
    now_at = [n for n, size in enumerate(sizes) if replace(now, **size.params) == now]

    def take(number: int) -> None:
        design = terms.design.name
        begin(ProjectDraft(design=design, params={**terms.params, **sizes[number].params}))

    words = {n: f"{size.labels:,}: {size.gives}" for n, size in enumerate(sizes)}
    first = now_at[0] if now_at else len(sizes) - 1
    ask("size", take=take, options=words, first=first)


def slide(plan: Plan, ahead: Ahead) -> None:
    """The slider of labels below the picture, each stop with the half-width expected there."""
    budget = plan.budget or 1

    def say(labels: int) -> str:
        return f"{labels:,}: {half_width_words(ahead.width_at(labels)).removesuffix(' points')}"

    ask("slider", options={labels: say(labels) for labels in ahead.stops}, first=budget)


def size_and_promise(terms: Terms, places: Places) -> dict[str, object] | None:
    """Goal, confidence, promise and stop rules; None while a number is out of bounds."""
    if terms.sized:
        given = terms.sized_terms()
        with places.more:
            if "confidence" in given:
                ask("confidence")
        return given
    try:
        _ = terms.least
    except NotRandomError as error:
        uses = {"certainty": "take them as known items", "ignored": "do not use them"}
        ways = [WayOut(words, ProjectDraft(existing=use)) for use, words in uses.items()]
        refuse(not_random_words(error, "on the first screen"), ways)
        return None
    except (ValueError, TypeError) as error:
        refuse_method(error, terms)
        return None
    goal = show_goal(terms, places)
    with places.more:
        show_promise(terms, goal)
    if goal is None:
        if terms.way != CLAIMS:
            st.info(CORRECT)
        return None
    if fault := terms.too_few_to_watch(goal):
        least = terms.fewest
        more = ProjectDraft(budget=min(least, len(terms.population)))
        once = WayOut("look once, at the end", ProjectDraft(promise=Promise.FIXED))
        refuse(fault, [WayOut(f"label {least:,} items", more), once])
        return None
    with places.more:
        stop = show_stop(terms, goal)
    return None if stop is None else terms.terms(goal, stop)


def show_goal(terms: Terms, places: Places) -> Goal | None:
    """What is started from, and how much of it; None while it is out of bounds or not complete."""
    if len(terms.ways) > 1:
        ask(terms.row("way"))
    claims = None
    if terms.way == CLAIMS:
        claims = claims_input(terms.aim, terms.population)
        ask_number(terms.row("most"))
    elif terms.way == MARGIN:
        ask_number(terms.row("margin"))
    else:
        with places.more:
            ask(terms.row("budget"))
            if terms.least > 1:
                st.caption(f"This method needs at least {terms.least:,} labels on this file.")
        within(terms.shown("budget"), terms.least, terms.size)
    if terms.groupings:
        ask(terms.row("by"))
    return terms.goal(claims)


def show_promise(terms: Terms, goal: Goal | None) -> None:
    """How sure, and when the person will look."""
    ask("confidence")
    if terms.way != CLAIMS:
        promise_input(terms, goal)
    if terms.numbers > 1:
        captions = together_captions(terms.numbers, terms.confidence, terms.at_once(goal))
        ask("together", captions=captions)
    if len(terms.unsure_readings) > 1:
        ask(terms.row("unsure"))


def promise_input(terms: Terms, goal: Goal | None) -> None:
    """When the person will look, where the method leaves a choice."""
    design, horizon = terms.design, terms.horizon(goal)
    if isinstance(design, EstimatesCurve) and design.watched_until(1):
        horizon = 1
    valid = watched_words(horizon, terms.new_labels(goal))
    if len(terms.promises) == 1:
        st.caption(ONLY_PROMISE[terms.promises[0]].format(valid=valid))
        return
    captions = PROMISE_CAPTIONS
    if terms.along_ranks:
        captions = EACH_RANK_CAPTIONS if isinstance(design, EstimatesScalars) else BAND_CAPTIONS
    part = wider_words(horizon)
    ask("promise", captions=[caption.format(valid=valid, part=part) for caption in captions])


def show_stop(terms: Terms, goal: Goal) -> tuple[str, ...] | None:
    """What ends the session; None while the deadline lies in the past."""
    goals = terms.goals(goal)
    st.markdown("What ends the session by itself?")
    for rule in (*goals, *available(())):
        ask("stop", part=rule, label=RULES[rule].choice, first=rule in goals)
    chosen, stop = terms.stops(goals), terms.stop(goals)
    for rule in chosen:
        if RULES[rule].timed:
            show_deadline(terms, passed=stop is None)
        elif RULES[rule].read is not None:
            ask("stop_value", part=rule, label=f"The value, as in {RULES[rule].written}")
    if stop is None:
        return None
    if len(chosen) > 1:
        ask(terms.row("stop_how", first_how(chosen)))
    latest = latest_labels(terms, goal, goals, chosen)
    st.caption(
        f"At the latest it ends with {latest}. You may always continue afterwards, or finish "
        "earlier by hand."
    )
    return stop


def latest_labels(terms: Terms, goal: Goal, goals: Sequence[str], chosen: Sequence[str]) -> str:
    """The labels that a session ends with at the latest, in words."""
    horizon = terms.horizon(goal) if goal.budget is None else None
    if horizon is not None and looking(chosen) == ("margin",):
        return f"{times_planned(horizon)} labels"
    most = goal.budget or (len(terms.population) if goals else None)
    ends = most is not None and (not goals or {*goals} & {*chosen})
    return words.count(most) if most is not None and ends else f"{times_planned(1)} labels"


def show_deadline(terms: Terms, *, passed: bool) -> None:
    with st.container(horizontal=True):
        ask(terms.row("deadline_day"))
        ask("deadline_hour")
    if passed:
        st.error(PAST)
    else:
        zone = reader_zone()
        st.caption(plain(f"On your clock: {moment_words(terms.deadline().astimezone(zone))}."))
