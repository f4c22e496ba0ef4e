"""Bands of ranked lists that are looked at all the way: how often they are ever wrong, how wide.

    python -m benchmarks.watched_curves [--quick] [--runs 40] [--write]

Sessions of 400 labels in geometric strata, a look after every fifth label; synthetic lists, on
which the rule was fixed, and real files with their own labels as the truth, equal scores in a new
order in each run. A band is wrong where the truth lies outside at the end of a piece: at each look
the number of standard deviations is found that the band would have to reach, and compared with
those that it reaches; between these ends nothing is said that does not follow from them. Beside
it, from the same draws: the rule of plans frozen before (four looks, each at a quarter of the error
level), one look at the planned size, and as the twin that must fail the band of one look at every
fifth label. Seeds: run r uses (29, r).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from scipy.special import ndtri, stdtr

from benchmarks.harness import MADE, Benchmark, Job, Options, Row, Rows, command, table
from benchmarks.ranked_summaries import REAL, SYNTHETIC, List, drawn
from benchmarks.real_files import FILES
from labelcore.designs.curves import LOOK_EVERY
from labelcore.stats.profile import Cells, Region
from labelcore.stats.profile_interval import FEW_LEFT
from labelcore.stats.rank_strata import (
    analysis_edges,
    joined_pieces,
    piece_edges,
    rank_allocation,
    rank_edges,
    smallest_budget,
)
from labelcore.stats.watched_curve import watched_critical
from labelcore.stats.yield_band import RankLabels, critical_value, spread_of, yield_band

SEED, SIZE, LEVEL = 29, 400, 0.95
QUARTERS = (0.25, 0.5, 0.75, 1.0)
NEAR = 1.5
FIRST = (50, 100, 200)
EXTRA: dict[str, tuple[int, Callable[[np.ndarray], np.ndarray]]] = {
    "short": (1_000, lambda d: 0.85 * np.exp(-1.3 * d)),
    "nearly all asked": (420, lambda d: 0.9 - 0.8 * d),
}
HALVES = 40


def sessions_of(make: Callable[[], List], runs: int) -> list[Row]:
    """Shares of sessions that are ever wrong, and mean widths."""
    one = make()
    edges = rank_edges(len(one.truth))
    size = max(SIZE, smallest_budget(edges))
    planned = rank_allocation(edges, size)
    rows = []
    for run in range(runs):
        random = np.random.default_rng((SEED, run))
        along = one.along_ranks(random)
        rows.append(session(along, edges, planned, drawn(edges, planned, random)))
    means = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    return [{"items": len(one.truth), "labels": size, "runs": runs, **means}]


def session(along: np.ndarray, edges: np.ndarray, planned: np.ndarray, rank: np.ndarray) -> Row:
    """Whether each rule was ever wrong, and how wide its band was."""
    size, hits = int(planned.sum()), np.cumsum(along)
    looks = np.array([*range(LOOK_EVERY, size, LOOK_EVERY), size])
    cut = piece_edges(edges, planned)
    sizes = np.diff(edges, prepend=0)
    labels = (planned / sizes)[cut[1]] * np.diff(cut[0], prepend=0)
    steady = np.array([
        watched_critical(cut[0], labels, size // LOOK_EVERY, n / size, 1 - LEVEL, 0) for n in looks
    ])  # fmt: skip
    one, quarter = (constant(cut[0], labels, level) for level in (LEVEL, 1 - (1 - LEVEL) / 4))
    four = [int(np.ceil(size * share)) for share in QUARTERS]
    pieces = {int(n): joined_pieces(edges, *cut, rank[:n]) for n in looks}
    needed = [reach(along, hits, pieces[n], rank[:n], whole_items=True) for n in pieces]
    before = [reach(along, hits, analysis_edges(edges, rank[:n]), rank[:n]) for n in four]

    def width_at(labels: int) -> float:
        critical = float(steady[np.argmin(abs(looks - labels))])
        return width(along, pieces[labels], rank[:labels], critical, whole_items=True)

    return {
        "steady": bool(np.any(np.array(needed) > steady)),
        "four": bool(max(before) > quarter),
        "one": bool(before[-1] > one),
        "twin": bool(max(needed) > one),
        "steady width": width_at(size),
        "one width": width(along, analysis_edges(edges, rank), rank, one),
        "four width": width(along, analysis_edges(edges, rank), rank, quarter),
        **{f"at {n}": width_at(n) for n in FIRST},
    }


def constant(ends: np.ndarray, labels: np.ndarray, level: float) -> float:
    """The standard deviations of a band that is looked at once, with equal rates."""
    sizes = np.diff(ends, prepend=0).astype(float)
    return critical_value(tuple(spread_of(sizes, labels, labels / 2)), level, 0)


def reach(
    along: np.ndarray,
    hits: np.ndarray,
    ends: np.ndarray,
    rank: np.ndarray,
    *,
    whole_items: bool = False,
) -> float:
    """How many standard deviations the band must reach at this look so that the truth lies inside
    at all ends of pieces, by the region of the product; values below ``NEAR`` are rough."""
    place = np.searchsorted(ends, rank)
    n = np.bincount(place, minlength=len(ends)).astype(float)
    known = int(np.argmax(np.append(n, 0) == 0))
    if not known:
        return 0.0
    s = np.bincount(place, along[rank - 1], minlength=len(ends))[:known]
    n, ends = n[:known], ends[:known]
    sizes = np.diff(ends, prepend=0).astype(float)
    squares = spread_of(sizes, n, s) ** 2
    variance, noise = np.cumsum(squares), np.cumsum(squares**2 / np.maximum(n - 1, 1))
    is_open = variance > 0
    value = np.cumsum(sizes * s / n)
    freedom = np.maximum(np.divide(variance**2, noise, out=np.full(known, 4.0), where=noise > 0), 4)
    off = value - hits[ends - 1]
    rounded = (np.cumsum(sizes - n) <= FEW_LEFT) if whole_items else np.zeros(known, dtype=bool)
    off = np.where(rounded, np.sign(off) * np.maximum(np.abs(off) - 1, 0.0), off)
    truth = value - off
    rough = np.zeros(known)
    rough[is_open] = in_normal(np.abs(off[is_open]) / np.sqrt(variance[is_open]), freedom[is_open])
    far = np.flatnonzero(rough > NEAR)
    if not len(far):
        return float(rough.max())
    below = np.arange(known) <= far[:, None]
    region = Region(
        Cells(sizes, n, s, np.ones(known, dtype=bool)),
        np.where(below, -np.sign(off[far])[:, None], 0.0),
        "file",
    )
    low, high = np.full(len(far), -25.0), np.full(len(far), 4.0)
    for _ in range(HALVES):
        middle = (low + high) / 2
        total = ((region.unlabelled_positives(middle) + s) * below).sum(axis=1)
        beyond = np.sign(off[far]) * (truth[far] - total) > 0
        low, high = np.where(beyond, low, middle), np.where(beyond, middle, high)
    statistic = region.statistic(region.unlabelled_positives(high))
    return float(in_normal(np.sqrt(np.maximum(statistic, 0.0)), freedom[far]).max())


def in_normal(deviations: np.ndarray, freedom: np.ndarray) -> np.ndarray:
    """The normal deviation with the tail that these have in Student's t."""
    return np.asarray(-ndtri(np.maximum(stdtr(freedom, -deviations), 1e-300)))


def width(
    along: np.ndarray,
    ends: np.ndarray,
    rank: np.ndarray,
    critical: float,
    *,
    whole_items: bool = False,
) -> float:
    """Mean width of the precision over the ranks from 50 on."""
    labels, ranks = RankLabels(rank, along[rank - 1]), np.arange(1, len(along) + 1)
    band = yield_band(ends, labels, LEVEL, 0, critical, whole_items=whole_items)
    _, low, high = band.at(ranks)
    return float(np.mean(((high - low) / ranks)[49:]))


def jobs(options: Options) -> dict[str, Job]:
    names = ["flat"] if options.quick else [*SYNTHETIC, *EXTRA]
    lists: dict[str, Callable[[], List]] = {name: partial(synthetic, name) for name in names}
    for number, classifier in REAL[:0] if options.quick else REAL:
        name = f"{FILES[number].name}, {classifier}"
        lists[name] = partial(List.real, options.data, number, classifier)
    return {name: partial(sessions_of, make, options.runs) for name, make in lists.items()}


def synthetic(name: str) -> List:
    """A list of the benchmark of summaries, or one of our own."""
    if name in SYNTHETIC:
        return List.synthetic(name)
    items, rate = EXTRA[name]
    random = np.random.default_rng((SEED, list(EXTRA).index(name)))
    hit = random.random(items) < rate((np.arange(items) + 0.5) / items)
    return List(hit.astype(float), -np.arange(items, dtype=float))


def tables(found: Rows, options: Options) -> str:
    rows = {name: part[0] for name, part in found.items()}
    made = {name: row for name, row in rows.items() if name in SYNTHETIC or name in EXTRA}
    real = {name: row for name, row in rows.items() if name not in made}
    parts = {"Synthetic lists, on which the rule was fixed": made, "Real files": real}
    return "\n".join(section(title, part) for title, part in parts.items() if part)


KINDS = {"one": "one look", "steady": "every fifth label", "four": "four looks", "twin": "twin"}


def section(title: str, rows: dict[str, Row]) -> str:
    lines = []
    for name, row in rows.items():
        factors = [(row[f"{kind} width"] / row["one width"]) ** 2 for kind in ("steady", "four")]
        row["factors"] = factors
        lines.append((name, f"{row['items']:,}", *(percent(row[k], row["runs"]) for k in KINDS),
                      f"{100 * row['one width']:.1f}", f"{100 * row['steady width']:.1f}",
                      *(f"{one:.2f}" for one in factors),
                      *(f"{100 * row[f'at {n}']:.0f}" for n in FIRST)))  # fmt: skip
    sessions = sum(row["runs"] for row in rows.values())
    shares = [float(np.mean([row[kind] for row in rows.values()])) for kind in KINDS]
    factors = np.mean([row["factors"] for row in rows.values()], axis=0)
    lines.append(("all", "", *(percent(share, sessions) for share in shares), "", "",
                  *(f"{one:.2f}" for one in factors), *("" for _ in FIRST)))  # fmt: skip
    names = ("list", "items", *KINDS.values(), "width of one look", "width, every fifth",
             "labels, every fifth", "labels, four looks",
             *(f"width at {n}" for n in FIRST))  # fmt: skip
    return f"## {title}\n\n{WORDS}\n\n{table(names, lines)}"


def percent(share: float, runs: float) -> str:
    return f"{100 * share:.1f} ± {100 * np.sqrt(share * (1 - share) / runs):.1f}"


WORDS = (
    "Sessions ever wrong at any rank, in %, with the standard error. Widths in points at the "
    "planned size, or after so many labels, means over the ranks from 50 on; labels: squared ratio "
    "of the width at the planned size to that of one look."
)
HEAD = f"""# Ranked lists, watched

{MADE}

Geometric strata, {SIZE} labels (or the fewest that the list takes), confidence 95 %, a look
after every fifth label (`labelcore/stats/watched_curve.py`). For the critical value at most half
of a piece counts as labelled.

- Ever wrong in 3.0 % of the sessions on synthetic lists and in 1.7 % on real files, of 5 % allowed;
  no list above 7 %, with a standard error of up to three points each.
- It takes 1.15 to 1.31 times the labels of one look where four looks, as plans frozen before have
  them, take 1.24 to 1.51 times; and it moves at every fifth label, where they stand still for a
  quarter of the session. Where nearly every item is asked it takes more than four looks, which were
  wrong in 18 % there.
- The twin shows that the looks have to be paid for: the band of one look, looked at all the way,
  is wrong in up to 37 % (83 % where nearly every item is asked).
- PAULA's bounds carry no confidence; on the same files they were wrong somewhere in every run
  ([curves.md](curves.md)). Its labels beside those of a watched band:
  [against_paula.md](against_paula.md).
- Sizes beyond {SIZE} labels are measured at one look only.

"""

BENCHMARK = Benchmark(
    name="watched_curves", about=__doc__ or "", jobs=jobs, tables=tables, runs=40, quick_runs=3,
    page="watched_curves.md", head=HEAD, workers=1,
)  # fmt: skip

if __name__ == "__main__":
    command(BENCHMARK)()
