"""The few exceptions a user meets.

Every one of them is a ValueError, TypeError or FileNotFoundError, so that callers need not know
these names. A message is one or more sentences that say what was found, where, and which rule it
breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing wrong in a file.

    ``row`` 1 is the first data row; ``line`` is the line of the file as an editor counts it.
    ``column`` and ``row`` are None for a fault of the whole file.
    """

    file: str
    column: str | None
    row: int | None
    value: str | None
    rule: str
    line: int | None = None

    def __str__(self) -> str:
        where = self.file
        if self.row is not None:
            where += f", row {self.row}"
        if self.line is not None:
            where += f" (line {self.line} of the file)"
        if self.column is not None:
            where += f", column {self.column!r}"
        found = "" if self.value is None else f", got {self.value!r}"
        return f"{where}: {self.rule}{found}"


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that is nearly this one, as the end of a sentence; "" if there is none.

    >>> did_you_mean("stratifed", ["simple_random", "stratified"]), did_you_mean("x", ["y"])
    ("; did you mean 'stratified'?", '')
    """
    found = get_close_matches(name, list(known), n=1)
    return f"; did you mean {found[0]!r}?" if found else ""


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


UNSAID: Final = object()
"""In place of a value that the rule says itself, or that there is none of."""


@dataclass(frozen=True, slots=True)
class Named:
    """An argument by its name, inside a rule."""

    name: str


@dataclass(frozen=True, slots=True)
class InPlan:
    """An argument of ``labelcore.Plan`` by its name, inside a rule, with a value or without."""

    name: str
    value: Any = UNSAID


@dataclass(frozen=True, slots=True)
class Given:
    """The value that was given, inside a rule; ``text`` says it otherwise than Python does."""

    text: str = ""


Part = str | Named | InPlan | Given


def _python_parameter(name: str) -> str:
    return f"params[{name!r}]"


def _python_argument(name: str, value: Any = UNSAID) -> str:
    return name if value is UNSAID else f"{name} {value!r}"


@dataclass(frozen=True, slots=True)
class Names:
    """What those who read a rule call what it is about.

    parameter   a parameter of a method, or an argument of a function, by its name
    argument    an argument of ``labelcore.Plan`` by its name, alone or with a value

    As they are, they are those of Python.
    """

    parameter: Callable[[str], str] = _python_parameter
    argument: Callable[..., str] = _python_argument


def rule_words(subject: Named | InPlan, rule: Sequence[Part], value: Any, names: Names) -> str:
    """What an argument must be, each one by the name that ``names`` gives it.

    >>> names = Names(parameter=str.capitalize)
    >>> rule_words(Named("first"), ["must be below ", Named("last")], 7, names)
    'First must be below Last, got 7'
    >>> rule_words(InPlan("design"), ["names ", Given(), ", which is not known"], "x", names)
    "design names 'x', which is not known"
    """

    def said(part: Part) -> str:
        match part:
            case Named(name):
                return names.parameter(name)
            case InPlan(name, within):
                return names.argument(name, within)
            case Given(text):
                return text or repr(value)
        return part

    shown = value is UNSAID or any(isinstance(part, Given) for part in rule)
    got = "" if shown else f", got {value!r}"
    return f"{said(subject)} {''.join(map(said, rule))}{got}"


class ArgumentError(ValueError):
    """An argument of a function has a value that a rule forbids.

    ``rule``: what it must be, in words and other arguments; ``value``: UNSAID where the rule says
    it itself.
    """

    def __init__(self, argument: str, *rule: Part, value: Any = UNSAID) -> None:
        self.argument, self.rule, self.value = argument, rule, value
        super().__init__(rule_words(Named(argument), rule, value, Names(parameter=str)))


class PlanArgumentError(PlanError):
    """An argument of ``labelcore.Plan`` has a value that a rule forbids.

    ``argument``, ``rule`` and ``value`` as in ArgumentError. The value stands with its argument
    where ``subject`` has one.

    >>> error = PlanArgumentError("budget", "must be at least 1", value=0)
    >>> print(error)
    budget must be at least 1, got 0
    >>> error.worded(Names(argument=lambda name, value: "The number of items"))
    'The number of items must be at least 1, got 0'
    >>> print(PlanArgumentError(InPlan("stop", "margin"), "needs ", InPlan("promise", "watched")))
    stop 'margin' needs promise 'watched'
    """

    def __init__(
        self,
        subject: str | InPlan,
        *rule: Part,
        value: Any = UNSAID,
        short: str = "",
        remedies: Sequence[Remedy] = (),
    ) -> None:
        self.subject = InPlan(subject) if isinstance(subject, str) else subject
        self.argument, self.rule = self.subject.name, rule
        self._said = value
        self.value = self.subject.value if value is UNSAID else value
        super().__init__(rule_words(self.subject, rule, value, Names()), short, remedies)

    def worded(self, names: Names) -> str:
        return rule_words(self.subject, self.rule, self._said, names)


class ParameterError(PlanError):
    """A parameter of a method has a value that a rule forbids.

    ``argument``, ``rule`` and ``value`` as in ArgumentError. A form says it by its own labels.

    >>> error = ParameterError("parent", "must differ from ", Named("children"), value="lr")
    >>> print(error)
    params['parent'] must differ from params['children'], got 'lr'
    >>> labels = {"parent": "The parent", "children": "the children"}
    >>> error.worded(Names(parameter=labels.__getitem__))
    "The parent must differ from the children, got 'lr'"
    """

    def __init__(
        self,
        argument: str,
        *rule: Part,
        value: Any = UNSAID,
        short: str = "",
        message: str = "",
    ) -> None:
        self.argument, self.rule, self.value = argument, rule, value
        super().__init__(message or self.worded(Names()), short)

    @classmethod
    def of(cls, error: ArgumentError) -> ParameterError:
        """Of a function's argument that a parameter of the same name was given for."""
        return cls(error.argument, *error.rule, value=error.value, message=f"params: {error}")

    def worded(self, names: Names) -> str:
        return rule_words(Named(self.argument), self.rule, self.value, names)


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
    """A project of this name exists with another plan or another file; the message shows both."""


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
