"""The few exceptions a user meets.

Every one of them is a ValueError, TypeError or FileNotFoundError, so that callers need not know
these names. A message is one or more sentences that say what was found, where, and which rule it
breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from numbers import Integral
from string import Formatter
from typing import Any, Self


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file.

    ``row`` 1 is the first data row; ``line`` is the line of the file as an editor counts it.
    ``column`` and ``row`` are None for a fault of the whole file; ``instead``: a likelier column.
    """

    file: str
    column: str | None
    row: int | None
    value: str | None
    rule: str
    line: int | None = None
    instead: str | None = None

    def __str__(self) -> str:
        where = self.file
        if self.row is not None:
            where += f", row {self.row}"
        if self.line is not None:
            where += f" (line {self.line} of the file)"
        if self.column is not None:
            where += f", column {self.column!r}"
        value = "" if self.value is None else f", got {self.value!r}"
        near = "" if self.instead is None else f"; did you mean {self.instead!r}?"
        return f"{where}: {self.rule}{value}{near}"


def did_you_mean(name: object, known: Iterable[str], before: str = "") -> str:
    """The known name that is nearly this one, as the end of a sentence; "" if there is none.

    before   what stands before each of them

    >>> did_you_mean("stratifed", ["simple_random", "stratified"]), did_you_mean("x", ["y"])
    ("; did you mean 'stratified'?", '')
    """
    near = get_close_matches(str(name), list(known), n=1)
    return f"; did you mean {before + near[0]!r}?" if near else ""


def told(value: object) -> str:
    """A value as a message tells it: on one short line, else as its type.

    >>> told("maybe"), told([1.5]), told("x" * 99)
    ("'maybe'", '[1.5]', 'str')
    """
    text = repr(value)
    return type(value).__name__ if "\n" in text or len(text) > 80 else text


def whole_number(
    name: str, number: object, of: str = "", *, least: int | None = None, most: int | None = None
) -> int:
    """The number, one of NumPy as that of Python; TypeError for what is no whole number, ValueError
    for one that is not from ``least`` to ``most``.

    of   what it counts

    >>> whole_number("runs", 20, least=1)
    20
    """
    if isinstance(number, bool) or not isinstance(number, Integral):
        raise TypeError(f"{name} must be a whole number{of and f' of {of}'}, got {number!r}")
    value = int(number)
    if least is not None and value < least:
        raise ValueError(f"{name} must be at least {least}, got {value}")
    if most is not None and value > most:
        raise ValueError(f"{name} must be at most {most:,}, got {value:,}")
    return value


def alike(faults: Sequence[Fault]) -> list[list[Fault]]:
    """Faults that differ in their row only, together; in the order of the first of each."""
    groups: dict[tuple[str, str | None, str | None, str], list[Fault]] = {}
    for fault in faults:
        groups.setdefault((fault.file, fault.column, fault.value, fault.rule), []).append(fault)
    return list(groups.values())


def _group_words(faults: Sequence[Fault]) -> str:
    """The first of them, and in how many rows it is the same."""
    more = len(faults) - 1
    same = f" (the same in {more:,} more row{'' if more == 1 else 's'})" if more else ""
    return f"{faults[0]}{same}"


class PopulationError(ValueError):
    """A file cannot be used as a population; ``faults`` lists all that was found."""

    shown = 20

    def __init__(self, faults: Sequence[Fault]) -> None:
        self.faults: tuple[Fault, ...] = tuple(faults)
        groups = alike(self.faults)
        lines = [_group_words(group) for group in groups[: self.shown]]
        if more := sum(map(len, groups[self.shown :])):
            lines.append(f"and {more:,} more faults like these")
        super().__init__("\n".join(lines))

    def __reduce__(self) -> tuple[type[PopulationError], tuple[tuple[Fault, ...]]]:
        """As it is made: what is kept are its words."""
        return type(self), (self.faults,)


@dataclass(frozen=True, slots=True)
class Remedy:
    """A change that makes a refused plan possible.

    words     what it does, to stand after "you can" and on a button
    changes   the arguments of ``labelcore.Plan`` that change, and what they become

    >>> print(Remedy("label 40 items", {"budget": 40}))
    label 40 items (budget=40)
    """

    words: str
    changes: Mapping[str, Any]

    def __str__(self) -> str:
        given = ", ".join(f"{name}={value!r}" for name, value in self.changes.items())
        return f"{self.words} ({given})"


class PlanError(ValueError):
    """A plan asks for something unknown, impossible, or not available for this file.

    ``short``: why the method cannot serve, in a few words for people; "" where none are known.
    ``fault``: what is wrong, without the ways out; ``remedies``: these ways, the best one first.
    """

    def __init__(self, message: str, short: str = "", remedies: Sequence[Remedy] = ()) -> None:
        self.fault, self.short, self.remedies = message, short, tuple(remedies)
        ways = "; or ".join(map(str, remedies))
        super().__init__(f"{message}. You can {ways}" if ways else message)

    def worded(self, names: Names) -> str:
        """``fault``, with parameters and arguments by the names that ``names`` gives them."""
        return self.fault


@dataclass(frozen=True, slots=True)
class Names:
    """What those who read a refusal call what it is about; as they are, the names of Python.

    parameter   a parameter of a method, by its name
    argument    an argument of ``labelcore.Plan``, by its name
    valued      one of both with its value; value: this alone, "" where it stands as it is
    """

    parameter: Callable[[str], str] = "params[{!r}]".format
    argument: Callable[[str], str] = str
    valued: Callable[[str, Any], str] = "{} {!r}".format
    value: Callable[[str, Any], str] = lambda name, value: ""

    def told(self, name: str, value: Any) -> str:
        if isinstance(value, tuple):
            return ", ".join(self.value(name, one) or str(one) for one in value)
        return self.value(name, value) or repr(value)


class _Wording(Formatter):
    """Fills a rule in for those who read it."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def get_field(self, field_name: str, args: Any, kwargs: Mapping[str, Any]) -> tuple[Any, str]:
        kind, _, called = field_name.partition(".")
        name, valued, value = called.partition("=")
        if kind not in ("params", "plan") and not value:
            return kwargs[field_name], field_name
        if kind == "value":
            return self.names.told(name, kwargs[value]), name
        if valued:
            return self.names.valued(name, value or kwargs[name]), name
        return (self.names.parameter if kind == "params" else self.names.argument)(name), name


class _Template(str):
    """A rule with fields in braces."""

    __slots__ = ()


class _Refusal(ValueError):
    """A value that a rule forbids.

    argument   the name of what has the value
    rule       what it must be
    facts      what more is known; ``got`` stands at the end, ``given`` beside the argument
    value      that of the argument: ``got``, ``given``, or the fact of this name
    """

    @classmethod
    def naming(cls, argument: str, rule: str, **facts: Any) -> Self:
        """With a rule that names other arguments: {params.parent} is a parameter, {plan.budget} an
        argument of a plan, {plan.promise=watched} one with a value, {plan.design=} one whose value
        is a fact, {value.margin=least} a fact as a margin. Other fields are facts, never read."""
        return cls(argument, _Template(rule), **facts)

    def _keep(self, argument: str, rule: str, facts: Mapping[str, Any]) -> None:
        self.argument, self.rule, self.facts = argument, rule, facts
        self.value = next((facts[key] for key in ("got", "given", "value") if key in facts), None)

    def worded(self, names: Names) -> str:
        """The refusal, with parameters and arguments by the names that ``names`` gives them."""
        if "given" in self.facts:
            return self._words(names.valued(self.argument, self.value), names)
        return self._words(names.argument(self.argument), names)

    def _words(self, subject: str, names: Names) -> str:
        text = self.rule
        if isinstance(text, _Template):
            text = _Wording(names).vformat(text, (), self.facts)
        if "got" in self.facts:
            text = f"{text}, got {names.value(self.argument, self.value) or repr(self.value)}"
        return f"{subject} {text}"


class ArgumentError(_Refusal):
    """An argument of a function has a value that a rule forbids."""

    def __init__(self, argument: str, rule: str, **facts: Any) -> None:
        self._keep(argument, rule, facts)
        super().__init__(self.worded(Names(parameter=str)))


class PlanArgumentError(_Refusal, PlanError):
    """An argument of ``labelcore.Plan`` has a value that a rule forbids.

    >>> error = PlanArgumentError("budget", "must be at least 1", got=0)
    >>> print(error)
    budget must be at least 1, got 0
    >>> error.worded(Names(argument=lambda name: "The number of items"))
    'The number of items must be at least 1, got 0'
    >>> print(PlanArgumentError.naming("stop", "needs {plan.promise=watched}", given="margin"))
    stop 'margin' needs promise 'watched'
    """

    def __init__(
        self,
        argument: str,
        rule: str,
        *,
        short: str = "",
        remedies: Sequence[Remedy] = (),
        **facts: Any,
    ) -> None:
        self._keep(argument, rule, facts)
        super().__init__(self.worded(Names()), short, remedies)


class ParameterError(PlanError, _Refusal):
    """A parameter of a method has a value that a rule forbids; a form says it by its own labels.

    >>> print(ParameterError.naming("parent", "must differ from {params.children}", got="lr"))
    params['parent'] must differ from params['children'], got 'lr'
    """

    def __init__(
        self, argument: str, rule: str, *, short: str = "", message: str = "", **facts: Any
    ) -> None:
        self._keep(argument, rule, facts)
        super().__init__(message or self.worded(Names()), short)

    @classmethod
    def of(cls, error: ArgumentError) -> ParameterError:
        """Of a function's argument that a parameter of the same name was given for."""
        return cls(error.argument, error.rule, message=f"params: {error}", **error.facts)

    def worded(self, names: Names) -> str:
        return self._words(names.parameter(self.argument), names)


class NotRandomError(PlanError):
    """Known answers that are called a random sample are spread as hardly any is.

    labels   how many there are; found: the share of them that ``place`` says, such as "lie in the
             top tenth of the scores"; expected: the share of the file there
    """

    def __init__(
        self, message: str, *, labels: int, found: float, place: str, expected: float
    ) -> None:
        self.labels, self.found, self.place, self.expected = labels, found, place, expected
        super().__init__(message)


class ProjectExistsError(ValueError):
    """A project of this name exists with another plan or another file; the message says in what."""


class ItemsFileError(ValueError):
    """The items of ``project`` cannot be read from the file they were read from."""

    def __init__(self, project: str, message: str) -> None:
        self.project = project
        super().__init__(message)


class MissingItemsError(ItemsFileError, FileNotFoundError):
    """The file of a project's items is not where it was."""


class OtherItemsError(ItemsFileError, ProjectExistsError):
    """The file given for a project's items is another one than the one that was labelled."""


class UnknownProjectError(ValueError):
    """There is no project of this name in the store; the message lists those there are."""


class RenamedProjectError(UnknownProjectError):
    """The project has another name now: ``name``."""

    def __init__(self, old: str, name: str) -> None:
        self.name = name
        super().__init__(
            f"The project {old!r} is called {name!r} now. Open it under its new name: every label "
            "is there."
        )


class AnswerError(ValueError):
    """An answer is not one of the classes or reserved words, or belongs to no open draw."""


class SupersededError(AnswerError):
    """A project was measured by an earlier rule: its log is read, and nothing more is labelled."""

    def __init__(self, project: str) -> None:
        self.project = project
        super().__init__(
            f"Project {project!r} was measured by an earlier rule, so nothing more is labelled in "
            "it. A new project can take its labels as existing ones: labels_table() gives them, "
            "and read_population(known=...) reads them."
        )


class LateAnswerError(AnswerError):
    """An answer to an item that the person does not have any more; nothing was stored."""


class StoreError(ValueError):
    """The store cannot be read or written; the message says what happened and what to do."""


class MissingStoreError(StoreError, FileNotFoundError):
    """There is no store where one was expected; opening one does not create it."""


class StoreBusyError(StoreError):
    """Another program holds the store; nothing was stored, and trying again may help."""


class StoreNotWritableError(StoreError):
    """The store can be read and cannot be written: it is read-only, or the disk is full."""


class StoreFullError(StoreNotWritableError):
    """The disk is full; the store goes on when there is space."""


class DamagedStoreError(StoreError):
    """The file of the store is damaged; a backup can take its place."""


class BrokenLogError(StoreError):
    """The log was changed outside Labelcore, or its end is lost: nothing can be added to it.

    ``sequence`` is the number of the first event that does not follow from those before it, or that
    is missing; ``why``, where it is not the first of these, what is wrong.
    """

    def __init__(self, project: str, sequence: int, why: str = "") -> None:
        self.project, self.sequence = project, sequence
        before = "the events before it" if sequence > 1 else "the file and the plan"
        why = why or (
            f"was changed outside Labelcore: event {sequence:,} does not follow from {before}"
        )
        shown = f"What is shown ends before event {sequence:,}" if sequence > 1 else "None is shown"
        super().__init__(
            f"The log of project {project!r} {why}. {shown}; nothing can be added or reported. "
            "Put back the newest backup: labelcore restore."
        )


class BrokenLogWarning(UserWarning):
    """A project was opened whose log was changed outside Labelcore; it can only be read."""


class ChangedTextError(StoreError):
    """The stored text of a drawn item is not the one that its draw recorded."""


class ChangedItemError(ValueError):
    """The row of an item is not the one that was read: it was changed in its source, or removed."""


class LimitError(ValueError):
    """Work met a limit of time or memory and was ended; nothing was changed."""


class CancelledError(ValueError):
    """Work was cancelled; nothing was changed."""


class ReplayError(ValueError):
    """A recorded event does not follow from the file, the plan and the events before it.

    ``sequence`` is the number of the first event that does not agree (0: the plan or the file);
    ``reason``: what does not.
    """

    def __init__(self, sequence: int, message: str) -> None:
        self.sequence, self.reason = sequence, message
        super().__init__(f"event {sequence}: {message}")


class ContractError(ValueError):
    """A sampling method does not keep a contract that every method keeps.

    ``design`` is its name, ``contract`` what is owed, ``reason`` how it was broken.
    """

    def __init__(self, design: str, contract: str, reason: str) -> None:
        self.design, self.contract, self.reason = design, contract, reason
        super().__init__(f"design {design!r} breaks the contract {contract!r}: {reason}")
