"""New project: the plan that a draft makes, as rules of what is chosen and of what the file holds.

Nothing is drawn here: ``labelcore.ui.new_confidence`` does that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from labelcore.designs import DESIGNS, Design
from labelcore.designs.curves import EstimatesCurve
from labelcore.designs.samples import suggested_params
from labelcore.designs.scalars import EstimatesScalars
from labelcore.estimands import CHOICES, CURVES, LISTS, SCALARS, SUMMARIES
from labelcore.plan.plan import Plan
from labelcore.plan.recut import without_unfit_recut
from labelcore.plan.stop_rules import ALL, ANY, RULES, available, looking, wanted
from labelcore.plan.terms import watched_horizon
from labelcore.planning.methods import (
    Line,
    follows,
    in_order,
    may_claim,
    named,
    possible,
    recommended,
)
from labelcore.planning.outlook import AtOnce
from labelcore.population import Population
from labelcore.population.groupings import may_be_asked
from labelcore.promises import UNSURE, Promise, Unsure
from labelcore.report.judged import system_column
from labelcore.safe_text import one_line, plain
from labelcore.tallies import questions
from labelcore.ui import forecasts, waiting
from labelcore.ui.draft import BUDGET, CLAIMS, MARGIN, Aim
from labelcore.ui.fields import FIELDS, Rules, same
from labelcore.ui.new_cards import SYSTEMS
from labelcore.ui.new_claims import MOST_CLAIMS, Claim
from labelcore.ui.new_known_answers import known_number
from labelcore.ui.new_race import raced
from labelcore.ui.params import param_values
from labelcore.words.promises import PROMISES
from labelcore.words.unsure import READINGS

FIRST_BUDGET = 200
HALF_BAND = "Plus or minus this many points, at the rank where the band is widest"
RECOMMENDED = ""
"""The choice that follows the method proposed."""


@dataclass(frozen=True)
class Goal:
    """What the labels are for: one of a number of items, a margin, claims; claims with a cap."""

    budget: int | None = None
    margin: float | None = None
    claims: tuple[str, ...] = ()


@dataclass(frozen=True)
class Terms(Rules):
    """What a draft makes of an aim: the method, its parameters, and on which terms.

    Each property is a rule; what lies out of bounds counts as it is typed, and ``faults`` name it.
    """

    aim: Aim
    population: Population

    def offered(self, name: str, part: str) -> Mapping[str, Any]:
        match name:
            case "design":
                # Browsers show an input's text until its key changes: the key names the method.
                best = {RECOMMENDED: f"Recommended: {DESIGNS[self.best].label}"}
                options = best | {name: DESIGNS[name].label for name in self.names}
                return {"options": options, "first": RECOMMENDED, "key": f"design-{self.best}"}
            case "seed":
                return {"first": self.now.first_seed}
            case "way":
                return {"options": same(self.ways)}
            case "budget":
                first = min(max(FIRST_BUDGET, self.least), self.size)
                return {"first": first, "low": self.least, "high": self.size}
            case "margin" if self.along_ranks:
                return {"label": HALF_BAND}
            case "most":
                items = len(self.population)
                return {"low": min(self.design.smallest_watched_budget, items), "high": items}
            case "by":
                columns = {column: plain(one_line(column, 40)) for column in self.groupings}
                return {"options": {"": "none", **columns}, "first": self.first_by}
            case "unsure":
                readings = self.unsure_readings
                words = {reading: f"Figures {READINGS[reading]}" for reading in readings}
                return {"options": words, "first": readings[0]}
            case "deadline_day":
                return {"first": self.now.first_day}
            case "stop":
                return {"label": RULES[part].choice, "first": part in self.goals}
            case "stop_value":
                return {"label": f"The value, as in {RULES[part].written}"}
            case "stop_how":
                return {"first": part}
        return {}

    @cached_property
    def size(self) -> int:
        """The items that can be asked."""
        return len(self.population) - known_number(self.population)

    @cached_property
    def along_ranks(self) -> bool:
        """Whether the aim is a curve, of one list or of two, or a number of a whole list."""
        along = {**CURVES, **LISTS, **SUMMARIES}
        return any(name in along for name in self.aim.estimands)

    @property
    def is_choice(self) -> bool:
        return {*self.aim.estimands} <= {*CHOICES}

    @cached_property
    def names(self) -> list[str]:
        """The methods that can serve the aim."""
        return possible(self.aim)

    @cached_property
    def claiming(self) -> list[str]:
        """Those of them that claims may be laid down with."""
        if self.aim.existing is not None:
            return []
        return [name for name in self.names if may_claim(self.aim, self.population, name)]

    @property
    def to_be_shown(self) -> bool:
        """Whether it is started from claims, as far as any method has them."""
        return bool(self.claiming) and self.now.way == CLAIMS and not self.is_choice

    @cached_property
    def goal_so_far(self) -> dict[str, Any]:
        """A margin, or a number of labels, that methods are proposed for."""
        if self.now.way == MARGIN and not self.is_choice:
            row, points = FIELDS["margin"], self.shown("margin")
            usable = points and not row.fault(points)
            return {"margin": (points if usable else row.first) / 100}
        budget = self.now.budget or FIRST_BUDGET
        return {"budget": int(min(max(budget, 1), max(self.size, 1)))}

    @cached_property
    def terms_so_far(self) -> dict[str, Any]:
        """How sure, with which promise and for which classes: methods are compared on these."""
        return {
            "promise": Promise.WATCHED if self.to_be_shown else Promise(self.shown("promise")),
            "confidence": self.confidence,
            "together": bool(self.shown("together")),
            "classes": self.aim.classes,
        }

    @property
    def confidence(self) -> float:
        return float(self.shown("confidence"))

    @property
    def seed(self) -> int:
        """The seed of the random draws; the first one while what is typed is out of bounds."""
        chosen = self.now.seed
        if chosen is None or FIELDS["seed"].fault(chosen):
            return self.now.first_seed
        return int(chosen)

    @cached_property
    def question(self) -> waiting.Key:
        """What is asked with which goal and terms: methods are compared where that is the same."""
        goal, terms = self.goal_so_far.items(), self.terms_so_far.items()
        by = self.now.value("by", "", ["", *self.population.groups])
        return self.population.fingerprint, self.aim, by, *goal, *terms

    @cached_property
    def best(self) -> str:
        """The method that is recommended."""
        simulated = raced(self.question) or {}

        def forecast(population: Population, plan: Plan) -> Line:
            waiting.went()
            return simulated.get(plan.design) or forecasts.forecast(population, plan)

        names = self.claiming if self.to_be_shown else self.names
        if self.asks_systems:
            names = [name for name in names if DESIGNS[name].draws_by_group] or names
        terms = {**self.terms_so_far, "seed": self.seed}
        return recommended(self.aim, self.population, names, self.goal_so_far, forecast, terms)

    @cached_property
    def design(self) -> Design[Any]:
        return DESIGNS[self.shown("design") or self.best]

    @cached_property
    def suggested(self) -> dict[str, Any]:
        """The parameters that the method's form starts from."""
        return suggested_params(self.design, self.population, named(self.aim.classifier))

    @cached_property
    def params(self) -> dict[str, Any]:
        """The parameters that differ from the defaults."""
        return param_values(self.now, self.design, self.suggested)

    @cached_property
    def design_params(self) -> Any:
        return self.design.Params(**self.params)

    @property
    def sized(self) -> bool:
        """Whether the number of labels follows from the parameters."""
        return follows(self.design, self.params)

    @property
    def may_claim(self) -> bool:
        """Whether claims may be started from, by the method or by one proposed for them."""
        recommended = self.shown("design") == RECOMMENDED
        return self.design.name in self.claiming or (recommended and bool(self.claiming))

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """The promises that the method has for the aim."""
        return self.design.promises_for(self.aim.estimands, self.design_params)

    @property
    def ways(self) -> list[str]:
        """What may be started from. A choice has no margin."""
        if self.is_choice:
            return [BUDGET]
        return [BUDGET, MARGIN, *([CLAIMS] if self.may_claim else [])]

    @property
    def way(self) -> str:
        return str(self.shown("way"))

    @cached_property
    def least(self) -> int:
        """The fewest labels that the method can be planned with. Raises ValueError, TypeError where
        it cannot serve."""
        chosen = self.now.promise
        plan = self.plan(
            budget=len(self.population),
            promise=chosen if chosen in self.promises else None,
            classes=self.aim.classes,
        )
        return forecasts.least(self.population, plan)

    @cached_property
    def claims(self) -> list[Claim]:
        """The claims that are started from, complete or not."""
        number = min(self.now.claim_count, MOST_CLAIMS) if self.way == CLAIMS else 0
        return [Claim(self.now, self.aim, self.population, place) for place in range(number)]

    @cached_property
    def goal(self) -> Goal | None:
        """What the labels are for; None while a number is out of bounds or a claim incomplete."""
        row = self.row({BUDGET: "budget", MARGIN: "margin"}.get(self.way, "most"))
        number = row.shown(self.now)
        claims = tuple(text for claim in self.claims if (text := claim.text))
        if row.fault(number) or len(claims) < len(self.claims):
            return None
        if self.way == MARGIN:
            return Goal(margin=float(number) / 100)
        return Goal(budget=None if number is None else int(number), claims=claims)

    @property
    def promise(self) -> Promise:
        if self.way == CLAIMS:
            return Promise.WATCHED
        if len(self.promises) == 1:
            return self.promises[0]
        return Promise(self.shown("promise"))

    @cached_property
    def horizon(self) -> int | None:
        """How many times the planned size a watched session may go on to."""
        budget = self.least if self.way == BUDGET else self.new_labels
        grouped = self.by is not None
        return watched_horizon(self.design, self.design_params, budget=budget, grouped=grouped)

    @property
    def new_labels(self) -> int | None:
        """The planned size as far as it is known; labels that extend a sample are not all of it."""
        return self.goal.budget if self.goal and self.aim.existing != "random" else None

    @property
    def groupings(self) -> list[str]:
        """The columns whose groups may get labels of their own."""
        figures = {*self.aim.estimands} & {*SCALARS}
        able = self.design.draws_by_group and self.way != CLAIMS and figures
        groups = self.population.groups.items() if able else ()
        return [name for name, group in groups if may_be_asked(group)]

    @property
    def by(self) -> str | None:
        """The column whose groups get labels of their own; None for none."""
        return str(self.shown("by")) or None

    @property
    def first_by(self) -> str:
        """The column of the systems where it is asked how good they are; "" for none."""
        column = system_column(self.population) if self.asks_systems else ""
        return column if column in self.groupings else ""

    @property
    def asks_systems(self) -> bool:
        """Whether it is asked how good systems are, each of which gets labels of its own."""
        return self.aim.card == SYSTEMS.title and bool(self.population.groups)

    @cached_property
    def numbers(self) -> int:
        """How many numbers are asked for, those of a curve left out."""
        who = named(self.aim.classifier) or (None,)
        figures = len(questions(self.population, self.aim.estimands, who, self.aim.classes))
        groups = 0 if self.by is None else len(self.population.groups[self.by].names)
        return figures * (1 + groups)

    @property
    def together(self) -> bool:
        """Whether all numbers are to hold at once."""
        return self.numbers > 1 and bool(self.shown("together"))

    def at_once(self) -> AtOnce | None:
        """What it changes that all numbers hold at once; None where nothing is foreseen."""
        budget = (self.goal and self.goal.budget) or forecasts.USUAL
        try:
            plan = self.plan(
                budget=min(budget, len(self.population)),
                confidence=self.confidence,
                promise=self.promise,
            )
        except (ValueError, TypeError):
            return None
        return forecasts.at_once(self.population, plan)

    @property
    def unsure_readings(self) -> Sequence[Unsure]:
        """What figures may take items for that somebody calls unsure."""
        design: Any = self.design
        judges = isinstance(design, EstimatesScalars) and design.judges(self.design_params)
        return UNSURE if judges else ()

    @property
    def unsure(self) -> str:
        return str(self.shown("unsure")) if len(self.unsure_readings) > 1 else Unsure.JUDGED

    @property
    def fewest(self) -> int:
        """The fewest labels that may be looked at as it is promised; together with those that a
        sample already has they may be enough."""
        watched = self.promise == Promise.WATCHED and self.aim.existing != "random"
        return self.design.smallest_watched_budget if watched else 0

    @property
    def too_few_to_watch(self) -> str:
        """Why so few labels cannot be watched, in the words of the page; nothing where they can."""
        budget = self.goal.budget if self.goal else None
        if budget is None or budget >= self.fewest:
            return ""
        return (
            f"Watching while you label needs at least {self.fewest} labels; label more, or choose "
            f"{PROMISES[Promise.FIXED]!r}."
        )

    @cached_property
    def goals(self) -> tuple[str, ...]:
        """The stop rules that look at the labels: these need a promise that holds at every look."""
        looks = self.goal is not None and self.promise == Promise.WATCHED
        return wanted(self.design.stop_rules, self.goal) if looks else ()

    @property
    def stop_rules(self) -> tuple[str, ...]:
        """The stop rules to choose from."""
        return (*self.goals, *available(()))

    @cached_property
    def stops(self) -> list[str]:
        """Those that are chosen: the goals unless they are taken away."""
        return [rule for rule in self.stop_rules if self.shown("stop", rule)]

    @property
    def first_how(self) -> str:
        """Goals are wanted together; what does not look at results ends the session alone."""
        return ALL if looking(self.stops) == tuple(self.stops) else ANY

    def deadline(self) -> datetime:
        return datetime.combine(self.shown("deadline_day"), self.shown("deadline_hour"), UTC)

    @cached_property
    def stop(self) -> tuple[str, ...] | None:
        """What ends the session, as a plan takes it; None while the deadline lies in the past."""
        if any(RULES[rule].timed for rule in self.stops) and self.deadline() <= datetime.now(UTC):
            return None
        rules = tuple(f"{rule} {self._value_of(rule)}".rstrip() for rule in self.stops)
        how = self.shown("stop_how", self.first_how)
        return (ALL, *rules) if len(rules) > 1 and how == ALL else rules

    def _value_of(self, rule: str) -> str:
        if RULES[rule].timed:
            return self.deadline().isoformat(timespec="minutes")
        return str(self.shown("stop_value", rule))

    def plan(self, **terms: Any) -> Plan:
        """The plan of the method on these terms. Raises ValueError, TypeError where it cannot
        serve."""
        plan = Plan(
            self.design.name,
            self.aim.estimands,
            classifier=in_order(self.design, self.params, self.aim.classifier),
            params=self.params,
            seed=self.seed,
            target=self.aim.target,
            existing=self.aim.existing,
            by=self.by,
            **terms,
        )
        return without_unfit_recut(self.population, plan)

    @property
    def given(self) -> dict[str, Any] | None:
        """Goal, confidence, promise and stop rules, as a plan takes them; None while one of them is
        missing or wrong. The size of some methods follows from their parameters."""
        sure = {"confidence": self.confidence}
        if self.sized:
            bare = isinstance(self.design, EstimatesCurve) and not self.design.has_confidence
            return {"promise": self.design.promises[0], **({} if bare else sure)}
        if self.goal is None or self.too_few_to_watch or self.stop is None:
            return None
        return {
            **vars(self.goal),
            **sure,
            "stop": self.stop,
            "promise": self.promise,
            "together": self.together,
            "unsure": self.unsure,
        }
