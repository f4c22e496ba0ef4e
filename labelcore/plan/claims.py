"""What a plan claims before the first label: "precision >= 0.9", "accuracy[A] > accuracy[B]".

A figure of a group names its column and the group, "accuracy[language=de] >= 0.8"; "[every
language]" claims it of all groups, "[some language]" of at least one.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from itertools import product

from labelcore.errors import PlanArgumentError
from labelcore.estimands import DIFFERENCE, SCALARS

RELATION = re.compile(r">=|<=|>|<|≥|≤")
NUMBER = re.compile(r"([0-9.]+(?:[eE][-+]?[0-9]+)?)\s*(%?)")
RELATIONS = {"≥": ">=", "≤": "<="}
EACH = re.compile(r"(every|some)\s+(.+)", re.DOTALL)
EVERY, SOME = "every", "some"
EXAMPLES = "'precision >= 0.9' or 'accuracy[A] > accuracy[B]'"


@dataclass(frozen=True, slots=True)
class GroupText:
    """The items that a figure is of: the group ``name`` of a column, or with ``each`` every or some
    group of it."""

    column: str
    name: str = ""
    each: str = ""


@dataclass(frozen=True, slots=True)
class Quantity:
    """An estimand by name, of the classifier or class in brackets, of the classifier after "@", of
    the group in the last brackets."""

    estimand: str
    inside: str | None = None
    at: str | None = None
    group: GroupText | None = None


@dataclass(frozen=True, slots=True)
class ClaimText:
    """A claim as it was read: ``left`` is above (or, if not ``above``, below) ``right``; with
    ``strictly`` it is false where they are equal."""

    text: str
    left: Quantity
    right: Quantity | float
    above: bool
    strictly: bool = False

    @property
    def compares(self) -> bool:
        """Whether two quantities are compared, not one with a number."""
        return isinstance(self.right, Quantity)

    @property
    def sides(self) -> list[Quantity]:
        """The quantity, and the one that it is compared with."""
        return [side for side in (self.left, self.right) if isinstance(side, Quantity)]

    @property
    def of_groups(self) -> bool:
        """Whether two groups are compared, not two classifiers."""
        return isinstance(self.right, Quantity) and self.left.group != self.right.group

    @property
    def each(self) -> str:
        """Whether it is about "every" or "some" group of a column; "" for neither."""
        return self.left.group.each if self.left.group else ""

    @property
    def subject(self) -> str:
        """The estimand that it is about; a comparison of classifiers counts as a difference."""
        differs = self.compares and not self.of_groups
        return self.left.estimand + (DIFFERENCE if differs else "")

    @property
    def names(self) -> set[str]:
        """Every name that it mentions, of a classifier or a class."""
        both = (name for side in self.sides for name in (side.inside, side.at))
        return {name for name in both if name is not None}


def subject_of(
    text: str, first: str | None, classifiers: Collection[str]
) -> tuple[str, tuple[str, ...]]:
    """The estimand that a claim about a file of two classes is about, a comparison as a difference,
    and the classifiers; ``first`` is the one that a claim without a name means. No classifiers
    where the file has none of that name.

    >>> subject_of("accuracy[A] > accuracy[B]", "A", ("A", "B"))
    ('accuracy_difference', ('A', 'B'))
    >>> subject_of("accuracy[l=de] > accuracy[l=en]", "A", ("A", "B"))
    ('accuracy', ('A',))
    """
    for read in readings(text):
        sides = read.sides[: 1 if read.of_groups else 2]
        names = [side.at or side.inside or first for side in sides]
        named = tuple(name for name in names if name is not None and name in classifiers)
        if len(named) == len(names):
            break
    return read.subject, named if len(named) == len(names) else ()


def read_claim(text: object) -> ClaimText:
    """The first of ``readings``.

    >>> read_claim("recall >= 80 %").right, read_claim("accuracy[A] > accuracy[B]").left.inside
    (0.8, 'A')
    """
    return readings(text)[0]


def readings(text: object) -> list[ClaimText]:
    """Every way to read a claim, at least one. Names may contain brackets, "@" and signs of
    comparison, as in "accuracy[lr>=0.3] > 0.8"; the names in the file decide which way is meant.

    Raises TypeError if the claim is not text, PlanError naming the rule that it breaks.

    >>> [one.left for one in readings("recall[a]b] > 0.5")]
    [Quantity(estimand='recall', inside='a]b', at=None, group=None)]
    """
    if not isinstance(text, str):
        raise TypeError(f"claims must be a list of texts, got {text!r}")
    signs = list(RELATION.finditer(text))
    if not any(all(part.strip() for part in _around(text, sign)) for sign in signs):
        raise refused_claim(text, f", which is not a claim such as {EXAMPLES}")
    possible = [sign for sign in signs if _quantities(_around(text, sign)[0])]
    if not possible:
        if turned := re.search("=[<>]", text):
            raise refused_claim(text, f", where {turned[0]!r} is to be {turned[0][::-1]!r}")
        raise refused_claim(text, f", which must begin with one of {', '.join(SCALARS)}")
    claims = [reading for sign in possible for reading in _at(text, sign)]
    if not claims:
        raise refused_claim(text, _why_not(text, possible[0]))
    return claims


def refused_claim(text: str, why: str) -> PlanArgumentError:
    """The error for a claim; ``why`` follows the claim's text."""
    return PlanArgumentError("claims", f"holds {text!r}{why}", value=text)


def _around(text: str, sign: re.Match[str]) -> tuple[str, str]:
    return text[: sign.start()], text[sign.end() :]


def _at(text: str, sign: re.Match[str]) -> list[ClaimText]:
    """The readings of a claim whose two sides are compared by this sign."""
    left, right = _around(text, sign)
    number = _number(right)
    others: list[Quantity | float] = [*_quantities(right)] if number is None else [number]
    relation = RELATIONS.get(sign[0], sign[0])
    above, strictly = relation.startswith(">"), not relation.endswith("=")
    return [
        ClaimText(text, left_side, right_side, above, strictly)
        for left_side, right_side in product(_quantities(left), others)
        if not isinstance(right_side, Quantity) or right_side.estimand == left_side.estimand
    ]


def _why_not(text: str, sign: re.Match[str]) -> str:
    """Why the right side is neither a share nor the same quantity."""
    left, right = _around(text, sign)
    first, others = _quantities(left)[0], _quantities(right)
    if others:
        return (
            f", which compares {first.estimand!r} with {others[0].estimand!r}; "
            "a comparison is between two classifiers or groups in the same quantity"
        )
    return (
        f", where {right.strip()!r} must be a share between 0 and 1, such "
        "as 0.9 or 90 %, or the same quantity of another classifier or group"
    )


def _quantities(side: str) -> list[Quantity]:
    """Every way to read one side, one that names a group first, unless a sign of comparison stands
    where its column would end."""
    groups = _of_groups(side.strip())
    sure = [way for way in groups if way.group and not way.group.column.endswith(("<", ">"))]
    return [*sure, *_of_all_items(side), *(way for way in groups if way not in sure)]


def _of_groups(side: str) -> list[Quantity]:
    """The readings in which the last brackets name a group, whichever of them these are."""
    starts = [place for place, sign in enumerate(side) if sign == "[" and side.endswith("]")]
    ways = []
    for start in starts:
        inside = side[start + 1 : -1].strip()
        column, equals, name = (part.strip() for part in inside.partition("="))
        each = EACH.fullmatch(inside)
        groups = [GroupText(each[2].strip(), "", each[1])] if each else []
        groups += [GroupText(column, name)] if equals and column and name else []
        ways += [replace(way, group=of) for way in _of_all_items(side[:start]) for of in groups]
    return ways


def _of_all_items(side: str) -> list[Quantity]:
    """Those that name none: the bracket may end at any "]" after which nothing or "@" comes, the
    first one first."""
    match = re.fullmatch(r"(\w+)\s*(.*)", side.strip(), re.DOTALL)
    if match is None or match[1].lower() not in SCALARS:
        return []
    name, rest = match[1].lower(), match[2]
    if not rest:
        return [Quantity(name)]
    if rest.startswith("@"):
        return [Quantity(name, None, rest[1:].strip())] if rest[1:].strip() else []
    ends = [place for place, sign in enumerate(rest) if sign == "]"]
    parts = [(rest[1:end].strip(), rest[end + 1 :].strip()) for end in ends if rest[0] == "["]
    return [
        Quantity(name, inside, after[1:].strip() or None)
        for inside, after in parts
        if inside and (not after or (after[0] == "@" and after[1:].strip()))
    ]


def _number(side: str) -> float | None:
    """A share between 0 and 1; None for anything else."""
    match = NUMBER.fullmatch(side.strip())
    try:
        value = float(match[1]) / (100 if match[2] else 1) if match else float("nan")
    except ValueError:
        return None
    return value if 0 < value < 1 else None
