"""``Monitor``: one evaluation over many snapshots of a source, wave after wave."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, replace
from functools import cached_property, partial
from numbers import Real
from typing import Any, Self

import pandas as pd

from labelcore.designs.scalars import EstimatesFromCells
from labelcore.errors import (
    ArgumentError,
    ProjectExistsError,
    UnknownProjectError,
    did_you_mean,
    whole_number,
)
from labelcore.log.engine import Engine
from labelcore.log.events import Event
from labelcore.log.people import DEFAULT_ANNOTATOR
from labelcore.log.wording import check_settings, mapping_of
from labelcore.plan.plan import Plan
from labelcore.planning.forecast import kept_plan, planned_size
from labelcore.population import Population
from labelcore.population.groupings import grouping_of
from labelcore.promises import Promise
from labelcore.report.quarter import quarter_html
from labelcore.session.carried import MONITOR, Home, terms_of, waves_of
from labelcore.session.ledger import now
from labelcore.session.managing import wording_now
from labelcore.session.projects import TOLD
from labelcore.session.session import Session
from labelcore.store import LabelStore, ProjectRecord, Settings, open_store
from labelcore.waves.chart import monitor_chart
from labelcore.waves.checks import check_ids, check_next, other_terms
from labelcore.waves.evidence import threshold
from labelcore.waves.measured import JUDGED, Measured, compared, measured
from labelcore.waves.preview import SERIES, SESSIONS, Falls, MonitorPreview, known_rates, previewed
from labelcore.waves.quarter import LAST, quarter_of
from labelcore.waves.watches import COLUMNS, EXAMPLE, Alarm, Watch, meanings, requirement, rows_of
from labelcore.words import sentences as words

SCHEDULE = "schedule"
MOST_WAVES = 4_000
"""Days of eleven years: thresholds of so many take minutes and more than a gigabyte to simulate."""


class Monitor:
    """One named evaluation over many snapshots of a source: a wave each, an ordinary session.

    Parameters
    ----------
    store
        an address such as "sqlite:///labels.db", a store, or None for memory
    name
        of the monitor, unique in the store
    plan
        of each wave, by any method whose figures come from counts by stratum; its promise is
        "fixed", and its seed stays the same
    requirements
        one text such as "precision >= 0.8" or several, each about a figure of the plan
    since_launch
        whether each figure of the plan is also compared with what it was before
    waves
        how many the error rate is for
    error
        the chance of a false alarm in so many waves, of all lines of evidence together
    settings
        question, instructions, keys ... of the waves

    Raises
    ------
    ArgumentError
        An argument has a value that a rule forbids.
    ProjectExistsError
        The store has a monitor of this name with other terms; the message shows both.
    StoreError
        The store cannot be used.

    Notes
    -----
    An item keeps its place in the order of draws for as long as it keeps its id (permanent random
    numbers), and strata end at the scores at which those of the first wave did, so that each wave
    by itself is a random sample of its strata, and a label of the same id with the same contents
    comes home unasked. Evidence reads only labels first given in a wave:
    carried ones would count the same noise every night. A wave's figures are hidden until its
    planned size is reached or it is closed.

    Promise: approximate. While nothing is lower than required, and nothing changes, the chance of
    any alarm in the planned number of waves is about ``error``: measured, see docs/monitoring.md.
    Assumption: labels are right; each wave's file is like those before it but for what is watched.
    Source: Brewer, Early and Joyce (1972) and Ohlsson (1995) for permanent random numbers; the
    evidence of joined totals is our own (``labelcore.waves.evidence``).

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("recalibrated_neyman", ["precision", "recall"], budget=80, seed=7)
    >>> monitor = lc.Monitor(None, "spam", plan, requirements=["precision >= 0.5"])
    >>> session = monitor.wave(population, "2026-W48")
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> monitor.sentence()
    'spam: no alarm; 1 of 52 waves so far.'
    """

    def __init__(
        self,
        store: str | LabelStore | None,
        name: str,
        plan: Plan,
        requirements: Sequence[str] = (),
        since_launch: bool = True,
        *,
        waves: int = 52,
        error: float = 0.05,
        settings: Mapping[str, Any] | None = None,
    ) -> None:
        every: object = requirements
        several = isinstance(every, Iterable) and not isinstance(every, str)
        texts = tuple(requirements) if several else (str(requirements),)
        self.name, self.requirements = _checked(name), texts
        if not isinstance(plan, Plan):
            raise TypeError(f"plan must be a labelcore.Plan, got {plan!r}")
        if not isinstance(plan.method, EstimatesFromCells):
            raise ArgumentError(
                "plan",
                "must be of a method whose figures come from counts by stratum, such as "
                "'recalibrated_neyman' or 'simple_random'",
                got=plan.design,
            )
        if plan.claims:
            raise ArgumentError(
                "plan", "must have no claims: what is required of every wave goes to requirements"
            )
        if not 2 <= whole_number("waves", waves) <= MOST_WAVES:
            rule = f"must be a whole number from 2 to {MOST_WAVES:,}"
            raise ArgumentError("waves", rule, got=waves)
        given: object = error
        if not isinstance(given, Real):
            raise TypeError(f"error must be a number, got {error!r}")
        if not 0 < error <= 0.5:
            raise ArgumentError("error", "must lie above 0 and be at most 0.5", got=error)
        for text in self.requirements:
            meanings(text, plan)
        if since_launch not in (True, False):
            raise ArgumentError("since_launch", "must be True or False", got=since_launch)
        stop = () if plan.stop == ("margin",) else plan.stop  # Of a watched plan with a margin.
        self.plan = replace(plan, promise=Promise.FIXED, stop=stop, planned=None, rules=None)
        self.since_launch, self.waves, self.error = bool(since_launch), int(waves), float(error)
        self.settings = mapping_of(settings or {})
        self.store = open_store(store)
        self._sessions: dict[str, Session] = {}
        there = self.records
        if there and (asked := terms_of(there[0])["asked"]) != self._asked:
            raise ProjectExistsError(
                f"monitor {name!r} exists with other terms: {other_terms(asked, self._asked)}. "
                "Choose another name or the same terms."
            )
        if not there:
            check_settings(self.settings)

    def __repr__(self) -> str:
        return f"<Monitor {self.name!r}: {len(self.names):,} of {self.waves:,} waves>"

    @classmethod
    def open(cls, store: str | LabelStore, name: str) -> Self:
        """Go on with a monitor of a store.

        Parameters
        ----------
        store
            an address, or a store
        name
            of the monitor

        Returns
        -------
        Monitor
            As it was left.

        Raises
        ------
        UnknownProjectError
            The store has no such monitor; the message lists those it has.
        StoreError
            The store cannot be used.
        """
        opened = open_store(store, create=False)
        there = waves_of(opened, name)
        if not there:
            projects = map(terms_of, opened.projects())
            known = sorted({str(terms["name"]) for terms in projects if terms})
            near = did_you_mean(name, known)
            raise UnknownProjectError(
                f"no monitor is called {name!r}{near}; known are {', '.join(known) or 'none'}"
            )
        asked = terms_of(there[0])["asked"]
        return cls(
            opened, name, Plan.from_json(asked["plan"]), asked["requirements"],
            asked["since_launch"], waves=asked["waves"], error=asked["error"],
        )  # fmt: skip

    # --- waves --------------------------------------------------------------------------------

    def wave(
        self,
        population: Population,
        name: str | None = None,
        labels: int | None = None,
        *,
        renewed: bool = False,
    ) -> Session:
        """Begin a wave, or go on with it.

        Parameters
        ----------
        population
            the snapshot of this wave, read as those before it were
        name
            such as "2026-W48"; None: the present day
        labels
            how many the wave is planned for, carried ones among them; None: those of the plan
        renewed
            whether ids that stand for other contents than before are rows that have changed

        Returns
        -------
        Session
            To be labelled as any other; labels of unchanged items have come home.

        Raises
        ------
        ArgumentError
            The table is the last wave's, its classes or ids are not those of the waves before, the
            clock went back, or the planned number of waves is over. The message says what to do.
        PlanError
            The plan cannot be carried out on this table.
        """
        wanted, there = _checked(name or now()[:10]), self.records
        for record in there:
            if terms_of(record)["wave"] == wanted:
                if record.fingerprint != population.fingerprint:
                    raise ArgumentError(
                        "population",
                        f"must be the table that wave {wanted!r} began with; give a new table "
                        "another name",
                    )
                return self._session(record.name, population)
        self.check(population, wanted, renewed=renewed)
        plan = self._planned(population, labels)
        terms = {
            "name": self.name, "wave": wanted, "asked": self._asked,
            "number": 1 + max((int(terms_of(record)["number"]) for record in there), default=0),
            **(self._agreed(there) or self._frozen(population, plan)),
        }  # fmt: skip
        before = dict(self.settings)
        if there:
            before = wording_now(self.store, there[-1])
            before |= {name: self.settings[name] for name in (SCHEDULE,) if name in self.settings}
        project = f"{self.name}: {wanted}"
        session = Session(
            population, plan, self.store, project, settings={**before, MONITOR: terms}
        )
        if terms_of(session.record).get("name") != self.name:
            raise ProjectExistsError(f"{project!r} is no wave of {self.name!r}: choose another one")
        self._sessions[project] = session
        session.bring_home()
        return session

    def check(
        self, population: Population, name: str | None = None, *, renewed: bool = False
    ) -> None:
        """Whether a table may be the next wave; nothing is written.

        Parameters
        ----------
        population, name, renewed
            as in ``wave``

        Raises
        ------
        ArgumentError
            It may not; the message says what to do.
        PlanError
            The plan cannot be carried out on this table.
        """
        there = self.records
        wanted = _checked(name or now()[:10])
        if not there:
            self._frozen(population, self.plan)
            return
        check_next(population, wanted, there[-1], self._agreed(there))
        if len(self._stretches()[-1]) >= self.waves:
            raise ArgumentError(
                "name",
                f"{wanted!r} is one more than the {self.waves} waves that the error rate is for: "
                "begin anew (on Watch, or by restart(reason))",
            )
        if not renewed:
            check_ids(population, Home(self.store, self.name))
        Engine(population, self._planned(population))

    def close(self, name: str, reason: str = "", annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Close a wave with the labels that it has.

        Parameters
        ----------
        name
            of the wave
        reason
            kept in its log
        annotator
            who closes it

        Raises
        ------
        ArgumentError
            There is no such wave.

        Notes
        -----
        Its figures hold as long as nobody has looked at them before: who closes a wave after having
        seen figures stops at will, and they have no promise then.
        """
        session = self._session(self._record(name).name)
        session.sync()

        def finished() -> Event | None:
            over = session.engine.finished
            return None if over else session.ledger.event("finished", annotator, text=reason)

        session.ledger.write(finished)  # Not finish(), which looks first.
        self.store.anchor("finish")

    def restart(self, reason: str, annotator: str = DEFAULT_ANNOTATOR) -> None:
        """Begin anew with the next wave: after an alarm, or after the planned number of waves.

        Parameters
        ----------
        reason
            kept in the log of the last wave
        annotator
            who says so

        Raises
        ------
        ArgumentError
            There is no reason, or no wave yet.

        Notes
        -----
        Evidence and launch level begin with the next wave, and so does the error rate.
        """
        given: object = reason
        if not (isinstance(given, str) and given.strip()):
            raise ArgumentError("reason", "must say why the monitor begins anew", got=reason)
        there = self.records
        if not there:
            raise ArgumentError("reason", "is not needed before the first wave")
        ledger = self._session(there[-1].name).ledger
        ledger.write(lambda: ledger.event("restarted", annotator, text=reason))

    # --- what is known ------------------------------------------------------------------------

    def preview(
        self,
        population: Population,
        labels: int | None = None,
        *,
        fall: float = 0.10,
        seed: int = 0,
        sessions: int = SESSIONS,
        session: Session | None = None,
        progress: Callable[[float], object] | None = None,
    ) -> MonitorPreview:
        """What falls the monitor will notice, how soon, and how often it raises a false alarm.

        Parameters
        ----------
        population
            the table of the launch
        labels
            a wave; None: those of the plan
        fall
            how far each figure falls
        seed
            of the simulation
        sessions
            how many are simulated, without and with each fall
        session
            with labels of the same table, which say how often each score is right; None: as if the
            scores were calibrated
        progress
            is called with the share that is done

        Returns
        -------
        MonitorPreview
            Its ``table`` has a row for each line of evidence.

        Raises
        ------
        PlanError
            The plan cannot be carried out on this table.

        Notes
        -----
        As if every wave's rows were new: where most labels come home, less is noticed, and later.
        Without a session as if the scores were calibrated, which they seldom are.
        """
        whole_number("seed", seed, least=0)
        whole_number("sessions", sessions, least=1)
        given: object = fall
        if not isinstance(given, Real) or not 0 < fall <= 1:
            raise ArgumentError("fall", "must be a share above 0 and at most 1", got=fall)
        (asked,) = self._falls(population, [labels], fall, seed, sessions)
        rates = None if session is None else known_rates(session)
        return previewed(population, asked, rates, progress)

    def _falls(
        self, population: Population, sizes: Sequence[int | None], fall: float, seed: int,
        sessions: int, series: int = SERIES,
    ) -> list[Falls]:  # fmt: skip
        """What ``preview`` simulates for each number of labels. Raises PlanError, ArgumentError."""
        plans = [self._planned(population, labels) for labels in sizes]
        frozen = self._agreed(self.records) or self._frozen(population, plans[0])
        watches = frozen_watches(frozen)
        return [
            Falls(
                plan.to_json(),
                tuple((str(watch), *astuple(watch)) for watch in watches),
                tuple(float(frozen["thresholds"][watch.required is None]) for watch in watches),
                self.waves, self.error, fall, seed, sessions, series,
            )
            for plan in plans
        ]  # fmt: skip

    def table(self) -> pd.DataFrame:
        """Every wave, and every line of evidence.

        Returns
        -------
        DataFrame
            A row for each wave and line: wave, estimand, value, low, high, evidence, alarm, watch,
            required, threshold, labels, first_labels, promise. What is
            hidden or not known yet is missing.
        """
        rows = [row for stretch in self.watched() for row, _ in stretch]
        return pd.DataFrame(rows, columns=list(COLUMNS))

    def compare(self, wave: str, earlier: str | None = None) -> pd.DataFrame:
        """Every figure of a finished wave, groups among them, beside those of an earlier one.

        Parameters
        ----------
        wave, earlier
            their names; earlier None: nothing beside it

        Returns
        -------
        DataFrame
            A row for each figure: estimand, value (NaN where its interval is over 60 % of what is
            possible), low, high; with ``earlier`` the same of it as
            earlier_value ..., and of the difference of both as difference_value ...

        Raises
        ------
        ArgumentError
            A wave is not finished, or there is none of this name.

        Notes
        -----
        Each interval is by itself. That of a difference assumes that no label counts for both
        waves; where labels came home it is wider than it need be.
        Source: Zou and Donner (2008).
        """
        there = {measure.wave: measure for measure in self._measured()}
        waves = []
        for name in filter(None, (wave, earlier)):
            waves.append(there[str(terms_of(self._record(name))["wave"])])
            if not waves[-1].over:
                raise ArgumentError(
                    "wave", "must be finished: figures are hidden until then", got=name
                )
        return compared(*waves)

    @property
    def alarms(self) -> list[Alarm]:
        """The first alarm of each line of evidence since the last restart."""
        first_alarms: dict[str, Alarm] = {}
        for row, alarm in self._rows(self._stretches()[-1]):
            if alarm is not None:
                first_alarms.setdefault(row["watch"], alarm)
        return list(first_alarms.values())

    def news(self, give: Callable[[Alarm], bool] = bool) -> list[Alarm]:
        """The alarms that this has not given before, each once.

        Parameters
        ----------
        give
            is called with each; one that it returns False for is given again by a later call

        Returns
        -------
        list of Alarm
            None that an earlier call gave, whichever process made it.
        """
        new = []
        for alarm in self.alarms:
            record = self._record(alarm.wave)
            line = f"{alarm.estimand} {alarm.required}"
            if line in json.loads(record.settings_json).get(TOLD, []):
                continue
            before = self.store.change_settings(record.name, partial(_with_told, line, True))
            if line not in before.get(TOLD, []):
                new.append(alarm)
                if not give(alarm):
                    self.store.change_settings(record.name, partial(_with_told, line, False))
        return new

    @property
    def names(self) -> list[str]:
        """The waves that have begun, the oldest first."""
        return [str(terms_of(record)["wave"]) for record in self.records]

    def knows(self, population: Population) -> bool:
        """Whether the last wave began with the same rows.

        Parameters
        ----------
        population
            a snapshot

        Returns
        -------
        bool
            False before the first wave.
        """
        there = self.records
        return bool(there) and there[-1].fingerprint == population.fingerprint

    @property
    def due(self) -> dict[str, int]:
        """The labels that people will be asked for, by wave; what comes home is none of them."""
        return {wave.wave: wave.left for wave in self._measured() if not wave.over}

    def sentence(self) -> str:
        """Say how the classifier stands.

        Returns
        -------
        str
            One sentence, and one for each alarm.
        """
        stretch, due, alarms = self._stretches()[-1], self.due, self.alarms
        over = sum(wave.over for wave in stretch)
        quiet = "" if alarms else f"no alarm; {over} of {self.waves} waves so far."
        parts = [quiet, *(alarm.sentence() for alarm in alarms)]
        parts += [f"{name} waits for {words.count(left)}." for name, left in due.items()]
        return f"{self.name}: " + " ".join(part for part in parts if part)

    def report(self, last: int = LAST) -> str:
        """The last waves as one HTML file that needs no network.

        Parameters
        ----------
        last
            how many waves; 13 weeks are a quarter

        Returns
        -------
        str
            Every wave with its intervals, what is required and the evidence; alarms, early ends and
            restarts with their reasons; labels used, and the seal of each log.

        Raises
        ------
        ArgumentError
            There is no wave yet.
        """
        if whole_number("last", last) < 1:
            raise ArgumentError("last", "must be a whole number of at least 1", got=last)
        records = self.records[-int(last) :]
        if not records:
            raise ArgumentError("last", "needs a wave: this monitor has none yet", got=last)
        facts = quarter_of(
            self.store, records, self.watched(), name=self.name, sentence=self.sentence(),
            terms=self._terms(), waves=self.waves, error=self.error,
        )  # fmt: skip
        return quarter_html(facts)

    def figure(self) -> Any:
        """The figures of each wave with what is required, and the evidence below.

        Returns
        -------
        plotly.graph_objects.Figure
            It shows itself in a notebook.
        """
        return monitor_chart(self.table()).figure

    # --- inside -------------------------------------------------------------------------------

    def _terms(self) -> list[tuple[str, str]]:
        """What it was begun with, by name."""
        last = self.records[-1]
        size = self.plan.budget or Plan.from_json(last.plan_json).planned
        return [
            ("Required", "; ".join(self.requirements) or "nothing"),
            ("Change since launch", "watched, each figure" if self.since_launch else "not watched"),
            ("Schedule", str(json.loads(last.settings_json).get(SCHEDULE) or "none")),
            ("Planned", f"{words.count(self.waves, 'wave')} for an error of {self.error:.0%}"),
            ("Each wave", f"{words.count(int(size or 0))}, {self.plan.method.label}"),
        ]

    @cached_property
    def _asked(self) -> dict[str, Any]:
        """What was asked for, as JSON keeps it."""
        return {
            "plan": self.plan.to_json(), "requirements": list(self.requirements),
            "since_launch": self.since_launch, "waves": self.waves, "error": self.error,
        }  # fmt: skip

    @property
    def records(self) -> list[ProjectRecord]:
        """The projects of the waves, the oldest first."""
        return waves_of(self.store, self.name)

    def watched(self) -> Iterator[Iterator[tuple[dict[str, Any], Alarm | None]]]:
        """The rows of ``table`` and their alarms, apart for each launch.

        Returns
        -------
        iterator
            For the launch and each restart: a row as a dict, and its alarm or None.
        """
        return map(self._rows, self._stretches())

    def _record(self, wave: str) -> ProjectRecord:
        for record in self.records:
            if terms_of(record)["wave"] == wave:
                return record
        known = self.names
        raise ArgumentError(
            "name", f"must be one of the waves {', '.join(known) or '(none yet)'}"
            + did_you_mean(wave, known), got=wave,
        )  # fmt: skip

    def _session(self, project: str, population: Population | None = None) -> Session:
        if project not in self._sessions:
            self._sessions[project] = Session.open(self.store, project, population=population)
        return self._sessions[project]

    def _planned(self, population: Population, labels: int | None = None) -> Plan:
        """The frozen plan of the next wave: what the first one chose for its table stays, and so do
        the scores at which its strata end. Its size is set before its labels: so the evidence was
        measured."""
        plan = self.plan if labels is None else replace(self.plan, budget=labels, margin=None)
        plan = replace(plan, budget=planned_size(population, plan)) if plan.learns else plan
        there = self.records
        if not there:
            kept = kept_plan(population, plan)
            return replace(kept, edges=kept.method.edges(Engine(population, kept).setup))
        first = Plan.from_json(there[0].plan_json)
        kept = replace(
            first, budget=plan.budget, margin=plan.margin, rules=plan.interval_rules,
            groups=_groups_there(population, first),
        )  # fmt: skip
        if plan.budget is None or plan.method.size_from_params:
            return replace(kept, planned=planned_size(population, plan))
        kept = replace(kept, planned=plan.budget)
        return replace(kept, planned=min(plan.budget, Engine(population, kept).most))

    def _agreed(self, there: Sequence[ProjectRecord]) -> dict[str, Any]:
        """What the first wave froze; nothing before it."""
        names = "watches", "thresholds", "classes", "positive", "classifiers", JUDGED
        return {name: terms_of(there[0]).get(name) for name in names} if there else {}

    def _frozen(self, population: Population, plan: Plan) -> dict[str, Any]:
        """Lines of evidence and thresholds, the error rate shared equally by the lines."""
        engine = Engine(population, kept_plan(population, plan))
        watches = [requirement(text, engine) for text in self.requirements]
        if self.since_launch:
            watches += [
                Watch(question.key, None, facing=False)
                for question in engine.questions
                if question.group is None
                and question.versus is None
                and question.row.more_is_better
            ]
        if not watches:
            raise ArgumentError(
                "requirements", f"must name at least one, such as {EXAMPLE}, without since_launch"
            )
        each = self.error / len(watches)
        limits = [threshold(self.waves, each, since_launch=launch) for launch in (False, True)]
        return {
            "watches": [astuple(watch)[: 2 + (not watch.facing)] for watch in watches],
            "thresholds": limits,
            "classes": list(population.classes), "positive": population.positive,
            "classifiers": [name for name in engine.classifiers if name is not None],
            JUDGED: True,
        }  # fmt: skip

    def _measured(self) -> list[Measured]:
        return measured(self.store, self.records, self._session)

    def _stretches(self) -> list[list[Measured]]:
        """The waves from the launch or a restart up to the next one, at least one."""
        stretches: list[list[Measured]] = [[]]
        for wave in self._measured():
            stretches[-1].append(wave)
            if wave.restarted:
                stretches.append([])
        return stretches

    def _rows(self, stretch: Sequence[Measured]) -> Iterator[tuple[dict[str, Any], Alarm | None]]:
        agreed = self._agreed(self.records)
        return rows_of(frozen_watches(agreed), agreed.get("thresholds", ()), stretch)


def _groups_there(population: Population, first: Plan) -> Sequence[str] | None:
    """The groups of the first wave that a table has; all of them where it has none."""
    if first.by is None or first.groups is None or not {*first.by} <= {*population.groups}:
        return first.groups
    present = {*grouping_of(population, first.by).names}
    return tuple(name for name in first.groups if name in present) or first.groups


def frozen_watches(frozen: Mapping[str, Any]) -> list[Watch]:
    return [Watch(*watch) for watch in frozen.get("watches", ())]


def _with_told(line: str, heard: bool, settings: Settings) -> Settings:
    told = [other for other in settings.get(TOLD, []) if other != line]
    return {**settings, TOLD: [*told, line] if heard else told}


def _checked(name: object) -> str:
    if not isinstance(name, str) or not name.strip():
        raise ArgumentError("name", "must be a text that is not empty", got=name)
    return name
