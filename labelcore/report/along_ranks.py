"""What the curve of a ranked list says where a reader asks: landmarks, deepest cuts, packages."""

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from labelcore.figures.curves import asks_for_curve
from labelcore.figures.cuts import ranks_that_matter, told_rank
from labelcore.promises import ClaimStatus
from labelcore.results.base import sentence
from labelcore.results.curves import Band, Cut
from labelcore.results.lists import ListDifference
from labelcore.results.types import Claim
from labelcore.session.session import Session
from labelcore.words.curves import band_labels

PRECISIONS = (0.9, 0.8, 0.7, 0.5)
BETWEEN = "all ranks between"


@dataclass(frozen=True, eq=False, slots=True)
class AlongRanks:
    """What a report says about a plan that asks for a curve.

    bands      every reading of the curve
    landmarks  the first items of ``ranks_that_matter``, and all, as far as the bounds go
    quoted     how many first items the list is told by in one sentence
    deepest    for each precision the longest head that surely keeps it, None if there is none
    packages   as ``Session.packages`` gives them
    refused    why no cut may be searched for; "" if one may
    """

    bands: tuple[Band, ...]
    landmarks: Sequence[Cut]
    quoted: int
    deepest: Sequence[tuple[float, Cut | None]] = ()
    packages: pd.DataFrame | None = None
    refused: str = ""


def along_ranks(session: Session) -> AlongRanks | None:
    """None where the plan asks for no curve, or no item has a label."""
    if not asks_for_curve(session.engine) or session.labels == 0:
        return None
    curve = session.curve()
    bands = tuple(session.band(name, curve) for name in curve.names)
    first = bands[0]
    if not first.has_interval:
        return AlongRanks(bands, (), quoted(session, first))
    population = session.population
    ranks = [*ranks_that_matter(population, first.scope.classifier), len(population)]
    ranks = sorted({*ranks, rank_quoted := quoted(session, first)})
    landmarks = [session.cut(rank) for rank in ranks if rank <= first.x[-1]]
    try:
        deepest = [(p, session.deepest_cut(p)) for p in PRECISIONS]
        return AlongRanks(bands, landmarks, rank_quoted, deepest, session.packages(PRECISIONS))
    except ValueError as error:
        return AlongRanks(bands, landmarks, rank_quoted, refused=str(error))


def quoted(session: Session, band: Band) -> int:
    """The rank that the sentence to quote is about, as far as the bounds go."""
    rank = told_rank(session.population, band.scope.classifier)
    return min(rank, int(band.x[-1])) if len(band.x) else rank


def headline(session: Session, given: str = "") -> str:
    """The one sentence to quote: the first claim that is settled, for it is what the plan was made
    to show; else the primary result, or for a curve its first items.

    given   by whom and when the labels were given, to stand behind their number
    """
    results = session.results()
    first = next(iter(results.values()))
    settled = [
        result
        for result in results.values()
        if isinstance(result, Claim) and result.status != ClaimStatus.UNDECIDED
    ]
    if settled:
        return sentence(settled[0], given)
    if isinstance(first, ListDifference) or not isinstance(first, Band) or not first.has_interval:
        return sentence(first, given)
    cut = session.cut(quoted(session, first)).sentence()
    return " ".join([cut, f"From {band_labels(first, given)}.", *first.notes])


def rank_names(session: Session) -> list[str] | None:
    """Names such as "ranks 51 to 63" of the strata; None where they are not stretches of ranks.

    One for each row of ``Session.strata()``: a stratum with a threshold in it has two. A stratum of
    what lies between the stretches is called so.
    """
    frame = session.engine.frame
    if not asks_for_curve(session.engine) or not hasattr(frame, "spans"):
        return None
    names = []
    for (first, last), size in zip(frame.spans.tolist(), frame.sizes.tolist(), strict=True):
        alone = f"rank {first:,}" if first == last else f"ranks {first:,} to {last:,}"
        names.append(BETWEEN if size <= last - first else alone)
    return [names[number - 1] for number in session.strata()["stratum"]]
