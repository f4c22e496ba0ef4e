"""Groups of the items that get labels of their own: strata within each of them, and shares.

Each group gets equally many labels, and a share ``w`` of all labels goes by the allocation of the
whole file: the smallest of 0, .05, .., 1 with which every figure of all items that is asked for is
foretold at most ``WIDER`` times as wide as without groups. It is frozen in the plan. Where the
plan wants a half-width in each group, the groups get labels in proportion to what that takes.
Measured in docs/groups.md.
"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any

import numpy as np

from labelcore.designs.base import Frame, FrameT, IntArray, Setup, make_frame
from labelcore.designs.neyman_batches import FIRST_LABELS_PER_STRATUM, Shares
from labelcore.population.array_items import SMALL_CODES
from labelcore.stats.profile import MANY_CELLS, FloatArray, many_fitted

WIDER = 1.2
STEPS = np.linspace(0, 1, 21)
LABELS_A_STRATUM = 6
FEWEST, MOST, FEWEST_BELOW = 3, MANY_CELLS, 2

Slopes = Callable[[Setup, Any, FloatArray], FloatArray]
"""Derivatives of the figures asked for by the totals of strata, (n_figures, n_strata)."""
SharesOf = Callable[[Setup, Any, FloatArray], Shares]


def pieces_in_group(setup: Setup, *, by_pattern: bool, helped: bool) -> dict[str, int]:
    """The parameters that say how many strata each group has: about one for each
    ``LABELS_A_STRATUM`` labels that it gets, and the fewest where claims ask for evidence, which
    each stratum more weakens. Of those that the plan names itself none is chosen.

    helped   whether each is to be cut in two by what helpers say
    """
    assert setup.groups is not None
    params, labels = setup.params, setup.planned / len(setup.groups.names)
    most = FEWEST if setup.claims else MOST
    number = int(np.clip(round(labels / LABELS_A_STRATUM), FEWEST, most))
    if by_pattern:
        return {"n_strata": params.n_strata or max(number, 2)}
    number = number // 2 if helped else number
    above = params.n_above or max(round(number / 3), 1)
    return {"n_above": above, "n_below": params.n_below or max(number - above, FEWEST_BELOW)}


def group_frame(setup: Setup, prepare: Callable[[Setup], FrameT]) -> FrameT:
    """The strata that a method makes of each group as of a file of its own, one group after
    another."""
    assert setup.groups is not None
    groups, items = setup.groups, len(setup.population)
    stratum = np.zeros(items, dtype=np.int64)
    parts: list[FrameT] = []
    of_group: list[int] = []
    known: list[int] = []
    places = {name: place for place, name in enumerate(sorted(setup.edges or ()))}
    for group, name in enumerate(groups.names):
        members = groups.members(group)
        if not len(members):
            continue
        frame = prepare(inside_group(setup, group))
        stratum[members] = np.asarray(frame.stratum) + len(of_group)
        parts.append(frame)
        of_group += [group] * frame.n_strata
        if frame.known_as is not None:
            known += (frame.known_as + places.get(name, -1) * SMALL_CODES).tolist()
    rates = np.concatenate([part.rates for part in parts])
    predicted = np.concatenate([part.predicted for part in parts])
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    whole = make_frame(setup, stratum, rates, predicted, notes)
    kept = {item.name: getattr(whole, item.name) for item in fields(Frame)}
    kept |= _together(parts) | {"group": np.array(of_group)}
    kept["known_as"] = np.array(known) if known else None
    return type(parts[0])(**kept)


def inside_group(setup: Setup, group: int) -> Setup:
    """The items of one group as a file of their own; a group that the edges do not name is cut
    where the first one is that they name."""
    groups = setup.groups
    assert groups is not None
    members = groups.members(group)
    part, orders = setup.population.part(members), setup.orders.of_part(members)
    planned = max(setup.planned // len(groups.names), 1)
    edges = setup.edges
    if edges is not None:
        first = edges.get(min(edges, default=""), {})
        edges = {"": edges.get(groups.names[group], first)}
    return replace(setup, population=part, orders=orders, planned=planned, groups=None, edges=edges)


def _together(parts: list[Any]) -> dict[str, Any]:
    """What frames of a kind have beside the fields of ``Frame``, of several one after another."""
    wanted = [part.asked for part in parts]
    together: dict[str, Any] = {
        "wanted": None if np.concatenate(wanted).all() else np.concatenate(wanted)
    }
    for item in fields(parts[0]):
        if item.name in Frame.__dataclass_fields__:
            continue
        values = [getattr(frame, item.name) for frame in parts]
        first = next((value for value in values if value is not None), None)
        if isinstance(first, np.ndarray):
            axis = first.ndim - 1 if item.name in parts[0].strata_last else 0
            together[item.name] = _joined(values, parts, first, axis)
        elif isinstance(first, bool):
            together[item.name] = any(values)
        else:
            together[item.name] = first
    return together


def _joined(values: list[Any], parts: list[Any], first: Any, axis: int) -> Any:
    """Arrays by strata along an axis one after another; zero where a part has none."""
    filled = [
        np.zeros((part.n_strata, *first.shape[1:]), first.dtype) if value is None else value
        for value, part in zip(values, parts, strict=True)
    ]
    return np.concatenate(filled, axis=axis)


def group_shares(
    setup: Setup, frame: Any, rates: FloatArray, shares_of: SharesOf, slopes: Slopes
) -> Shares:
    """The rule of the plan within each group, and over all items, mixed."""
    groups = setup.groups
    assert groups is not None and frame.group is not None
    share = float(setup.params.group_share or 0.0)
    whole = shares_of(setup, frame, rates)
    inner_shares = []
    for group in range(len(groups.names)):
        mine = np.flatnonzero(frame.group == group)
        if len(mine):
            part = strata_of(frame, mine)
            inside = rates[..., mine]
            inner_shares.append((mine, part, shares_of(setup, part, inside), inside))
    needs = np.ones(len(inner_shares))
    if setup.group_margin is not None:
        needs = np.array([_need(setup, part, part.rates, slopes) for _, part, _, _ in inner_shares])

    def shares(sizes: IntArray, labels: int, batch: int) -> FloatArray:
        total = labels + batch
        room = np.array([sizes[mine].sum() for mine, *_ in inner_shares])
        each = capped(total, needs, room)
        shares_of_strata = share * whole(sizes, labels, batch) if share else np.zeros(rates.shape)
        for (mine, _, inner, _), number in zip(inner_shares, each.tolist(), strict=True):
            if number > 0:
                inside = inner(sizes[mine], 0, max(round(number), 1))
                shares_of_strata[..., mine] += (1 - share) * number / each.sum() * inside
        return shares_of_strata

    return shares


def strata_of(frame: FrameT, mine: IntArray) -> FrameT:
    """Some strata of a frame, without its items."""
    changes: dict[str, Any] = {}
    for item in fields(frame):
        value = getattr(frame, item.name)
        if item.name in ("stratum", "queue", "notes") or not isinstance(value, np.ndarray):
            continue
        axis = value.ndim - 1 if item.name in frame.strata_last else 0
        changes[item.name] = np.take(value, mine, axis=axis)
    return replace(frame, **changes)


def capped(total: float, needs: FloatArray, room: IntArray) -> FloatArray:
    """``total`` shared in proportion to ``needs``, none more than its room, (n_groups,).

    >>> capped(100, np.ones(4), np.array([10, 500, 500, 500])).tolist()
    [10.0, 30.0, 30.0, 30.0]
    """
    shares = np.zeros(len(needs))
    free = np.ones(len(needs), dtype=bool)
    left = min(float(total), float(room.sum()))
    while free.any() and left > 0:
        wanted = np.where(free, needs, 0.0)
        wanted = left * wanted / wanted.sum() if wanted.sum() > 0 else free * left / free.sum()
        full = free & (wanted >= room)
        if not full.any():
            return np.asarray(np.where(free, wanted, shares))
        shares[full] = room[full]
        left = float(total) - float(shares.sum())
        free &= ~full
    return shares


def deviations(setup: Setup, frame: Frame, slopes: FloatArray, counts: FloatArray) -> FloatArray:
    """Of each figure the standard deviation foretold, as its interval takes it, (n_figures,)."""
    sizes, rates = frame.sizes, frame.rates
    labels = np.maximum(counts, FIRST_LABELS_PER_STRATUM)
    spread = sizes**2 * rates * (1 - rates) * np.maximum(1 / labels - 1 / np.maximum(sizes, 1), 0)
    shares = np.nan_to_num(slopes) ** 2 * spread
    wider = 1.0 if setup.groups is None else many_fitted(labels, shares, setup.confidence)
    return np.asarray(np.sqrt(shares.sum(axis=-1) * wider))


def chosen_share(
    setup: Setup,
    plain: tuple[Setup, Any],
    grouped: Any,
    shares_of: SharesOf,
    slopes: Slopes,
) -> float:
    """The share of the labels that serves the figures of all items.

    plain   the setup and the frame without groups
    """

    def foretold(setup: Setup, frame: Any, rule: Shares) -> FloatArray:
        sizes = np.where(frame.asked, frame.sizes, 0)
        counts = np.minimum(rule(sizes, 0, setup.planned) * setup.planned, sizes)
        return deviations(setup, frame, slopes(setup, frame, frame.rates), counts)

    alone, frame = plain
    without = foretold(alone, frame, shares_of(alone, frame, frame.rates))
    for share in STEPS.tolist():
        with_share = replace(setup, params=replace(setup.params, group_share=round(share, 2)))
        rule = group_shares(with_share, grouped, grouped.rates, shares_of, slopes)
        if (foretold(with_share, grouped, rule) <= WIDER * without + 1e-12).all():
            return float(round(share, 2))
    return 1.0


def _need(setup: Setup, part: Any, rates: FloatArray, slopes: Slopes) -> float:
    """How many labels a half-width takes in a group, up to a factor that all have: the largest
    variance of one label of the figures asked for, by the planning rates."""
    gradient = slopes(setup, part, rates)
    spread = np.abs(np.nan_to_num(gradient)) * part.sizes * np.sqrt(rates * (1 - rates))
    variance: float = (spread.sum(axis=-1) ** 2).max(initial=0.0)
    return max(variance, 1e-9)
