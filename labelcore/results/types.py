"""What a session knows: frozen results with their promise, assumptions and source; what is known
along the ranks of a list is in ``curves``."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

import pandas as pd

from labelcore.errors import did_you_mean
from labelcore.promises import CandidateState, ChoiceStatus, ClaimStatus, Form, State
from labelcore.results.base import Closed, Finding
from labelcore.results.interval import Interval
from labelcore.results.scope import Scope as Scope
from labelcore.results.told_values import Told, known_ends, too_wide


@dataclass(frozen=True, slots=True)
class Estimate(Told, Finding):
    """One number with its interval.

    Attributes
    ----------
    estimand
        what it estimates, such as "precision"; with several classifiers or classes a key such as
        "precision@B" or "precision[spam]"
    value
        the estimate, or None while there is none
    low, high
        the interval; 0 and 1 (-1 and 1 for a difference) while nothing can be said
    confidence
        of the interval; None if its ends are not confidence bounds
    labels_used, draws_used
        what it rests on
    method, source
        how the interval was made, and where the method is published
    promise
        "watched": the interval may be looked at after every label, and the chance that it is ever
        wrong is at most 1 - confidence. "fixed": it holds at the planned size or stop only. "none":
        no promise
    assumptions
        what it rests on besides the labels, in words
    state
        the row of ``labelcore.words.sentences.STATES`` that says it in words
    missing
        what is still needed for a first value, in words
    tail_share
        the share of the uncertainty (0 to 1) that comes from strata in which no positive was found;
        None if it has no meaning
    scope
        the file, the classifier, and the other things that the number is about
    notes
        what a reader should know, such as how far the scores helped
    form
        how far the promise is proved: strict, approximate, or not stated
    tentative
        whether the value, not the interval, says little for another reason than a wide interval:
        there are few labels, or items that it leaves out
    odds, either_way
        of a figure that leaves items called unsure out: the range of the figure of all items, if
        the odds that an unsure one is judged wrongly are a third to three times those of the others
        of its stratum, and whatever they are; None where there are none, or it is that already
    certain
        the range that was certain before the first label; None for all that there is, 0 to 1 (-1 to
        1 for a difference)

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> session = lc.Session(population, lc.Plan("recalibrated_neyman", "precision", budget=80))
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> precision = session.results()["precision"]
    >>> precision.low <= precision.value <= precision.high
    True
    """

    closed: ClassVar[Closed] = {**Finding.closed, "state": State}

    estimand: str
    value: float | None
    low: float
    high: float
    confidence: float | None
    state: State = State.INTERVAL
    missing: str = ""
    tail_share: float | None = None
    notes: tuple[str, ...] = ()
    tentative: bool = False
    certain: Interval | None = None
    odds: Interval | None = None
    either_way: Interval | None = None

    @property
    def told(self) -> float | None:
        """``value`` as words, bars, tables and CSV files have it: None while it is ``tentative``,
        and where the interval is wider than 60 % of what is ``possible``."""
        possible = self.possible.high - self.possible.low
        wide = self.has_interval and bool(too_wide(self.low, self.high, possible))
        return None if self.tentative or wide else self.value

    @property
    def possible(self) -> Interval:
        """The range that was certain before the first label."""
        return self.certain or Interval(-1.0 if self.is_difference else 0.0, 1.0)

    @property
    def known_ends(self) -> tuple[bool, bool]:
        """Whether ``low`` and ``high`` say more than was certain before the first label."""
        return known_ends(self.low, self.high, self.possible.low, self.possible.high)

    @property
    def says_nothing(self) -> bool:
        """Whether neither the value is told nor an end is known."""
        return self.told is None and not any(self.known_ends)

    @property
    def interval(self) -> Interval:
        """``low`` and ``high`` as one interval."""
        return Interval(self.low, self.high)

    @property
    def half_width(self) -> float:
        """Half of the distance between ``low`` and ``high``."""
        return (self.high - self.low) / 2

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with the value where it may be told and the sentence.

        Returns
        -------
        dict
            NaN and infinities are None.
        """
        return {**super(Estimate, self).to_dict(), "told": self.told}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Estimate:
        """The estimate of a dictionary that ``to_dict`` made.

        Parameters
        ----------
        values
            JSON values by field; other keys are ignored

        Returns
        -------
        Estimate
            Equal to the one that the dictionary was made of.
        """
        known = {item.name: values[item.name] for item in fields(cls) if item.name in values}
        known["assumptions"] = tuple(known["assumptions"])
        known["notes"] = tuple(known.get("notes", ()))
        scope = {item.name for item in fields(Scope)} & set(known["scope"])
        known["scope"] = Scope(**{name: known["scope"][name] for name in scope})
        for name in ("certain", "odds", "either_way"):
            if known.get(name) is not None:
                known[name] = Interval(**known[name])
        return cls(**known)


@dataclass(frozen=True, slots=True)
class Claim(Finding):
    """A statement made before the first label, and what the labels say about it.

    Attributes
    ----------
    claim
        as the plan has it, such as "precision >= 0.9"
    statement
        the same in words
    status
        "decided" (it holds), "refuted" (it does not) or "undecided": with form "strict" by the
        evidence, with "approximate" by ``low`` and ``high``
    log_evidence, log_evidence_against
        natural logarithms of the evidence for the claim and for its opposite. If the claim is
        false, its evidence ever reaches 1 / alpha in at most a share ``alpha`` of all sessions,
        however often one looks; likewise for its opposite
    alpha
        the claim's share of the plan's error level
    value
        the estimate of the quantity; None for a comparison, or without a label
    labels_used, draws_used, method, promise, assumptions, source, scope, form
        as for an ``Estimate``
    low, high
        of an approximate claim: the quantity is at least ``low``, and at most ``high``. Each of the
        two is ever wrong in about a share ``alpha`` of all sessions at most; None for a strict one

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"],
    ...     scores={"lr": "lr_score"}, predictions={"lr": "lr_pred"})
    >>> plan = lc.Plan("recalibrated_neyman", "precision", claims=["precision >= 0.5"], budget=300)
    >>> session = lc.Session(population, plan)
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> session.results()["precision >= 0.5"].status
    'decided'
    """

    closed: ClassVar[Closed] = {**Finding.closed, "status": ClaimStatus}

    claim: str
    statement: str
    status: ClaimStatus
    log_evidence: float
    log_evidence_against: float
    alpha: float
    value: float | None
    low: float | None = None
    high: float | None = None
    form: Form = field(default=Form.STRICT, kw_only=True)

    @property
    def estimand(self) -> str:
        """The key of this result."""
        return self.claim

    @property
    def state(self) -> ClaimStatus:
        """The same as ``status``."""
        return self.status

    @property
    def evidence(self) -> float:
        """The evidence for the claim; at 1 / alpha or more it is decided."""
        return math.exp(min(self.log_evidence, 700.0))

    @property
    def evidence_against(self) -> float:
        """The evidence for the opposite of the claim; at 1 / alpha or more it is refuted."""
        return math.exp(min(self.log_evidence_against, 700.0))

    def to_dict(self) -> dict[str, Any]:
        """The fields as JSON values, with the evidence and the sentence.

        Returns
        -------
        dict
            Logarithms beyond a million are cut off there, so that JSON can hold them.
        """
        values = super(Claim, self).to_dict()
        for name in ("log_evidence", "log_evidence_against"):
            values[name] = max(min(getattr(self, name), 1e6), -1e6)
        return {**values, "evidence": self.evidence, "evidence_against": self.evidence_against}


@dataclass(frozen=True, eq=False, slots=True)
class Choice(Finding):
    """Which of several candidates to take.

    Attributes
    ----------
    estimand
        "selection"
    chosen
        the name of the candidate, such as "top 400", "lr>=0.3" or a classifier; None if none is
        chosen
    threshold
        the score from which on it calls an item positive; None without a score
    status
        "guaranteed": with ``confidence`` its precision is at least ``precision_threshold`` less
        ``precision_slack``, and it finds at least 1 - ``reach_slack`` of what the best candidate at
        ``precision_threshold`` finds. "none acceptable": with ``confidence`` no candidate has that
        precision. "guess": the likeliest one, without a promise. "undecided": not chosen yet, or
        the draws were used up
    bounds
        a row per candidate: classifier, size (items it calls positive), value, low, high and state.
        low and high bound its precision: the lower ends hold together with ``confidence``, an upper
        end for a candidate named beforehand
    precision_threshold, precision_slack, reach_slack
        what the plan asks for
    confidence
        of the choice
    labels_used, draws_used, method, promise, assumptions, source, scope, form
        as for an ``Estimate``
    missing
        what is still needed for a choice, in words

    Examples
    --------
    >>> import labelcore as lc
    >>> population = lc.read_population(
    ...     "items.csv", id="id", content=["text"], scores={"lr": "lr_score"})
    >>> wanted = {"candidates": [0.3, 0.5], "precision_threshold": 0.6, "precision_slack": 0.3}
    >>> plan = lc.Plan("reach_selection", "selection", params=wanted, budget=300, seed=7)
    >>> session = lc.Session(population, plan)
    >>> while (draw := session.next()) is not None:
    ...     event = session.answer(draw, "prize" in session.item(draw)["text"])
    >>> session.results()["selection"].status
    'guaranteed'
    """

    closed: ClassVar[Closed] = {**Finding.closed, "status": ChoiceStatus}

    estimand: str
    chosen: str | None
    threshold: float | None
    status: ChoiceStatus
    bounds: pd.DataFrame
    precision_threshold: float
    precision_slack: float
    reach_slack: float
    confidence: float
    missing: str = ""

    @property
    def state(self) -> ChoiceStatus:
        """The same as ``status``."""
        return self.status

    @property
    def left(self) -> int:
        """How many candidates can still be the choice."""
        return sum(not CandidateState(state).out for state in self.bounds["state"])

    def to_frame(self) -> pd.DataFrame:
        """The candidates with their bounds.

        Returns
        -------
        DataFrame
            A copy of ``bounds``.
        """
        return self.bounds.copy()


Kind = TypeVar("Kind", bound=Finding)


class Results(dict[str, Finding]):
    """What is known, by name; a name that is not there is answered by those that are.

    >>> Results()["precison"]
    Traceback (most recent call last):
    KeyError: "no result is called 'precison'; known are none"
    """

    def __missing__(self, name: object) -> Finding:
        raise _unknown(name, self)

    def of(self, kind: type[Kind]) -> list[Kind]:
        """Those of one kind, in their order."""
        return [result for result in self.values() if isinstance(result, kind)]

    def first(self, kind: type[Kind]) -> Kind | None:
        """The first of a kind; None if there is none."""
        return next(iter(self.of(kind)), None)

    def one(self, kind: type[Kind], name: str) -> Kind:
        """The result of this name, which must be of this kind."""
        known = {key: result for key, result in self.items() if isinstance(result, kind)}
        if not known and name in self:
            there = type(self[name]).__name__
            raise KeyError(f"the result {name!r} is of the kind {there}, not {kind.__name__}")
        if name not in known:
            raise _unknown(name, known or self)
        return known[name]


def _unknown(name: object, known: Mapping[str, object]) -> KeyError:
    names, near = ", ".join(known) or "none", did_you_mean(str(name), known)
    return KeyError(f"no result is called {name!r}; known are {names}{near}")
