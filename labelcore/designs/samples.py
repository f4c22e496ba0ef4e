"""Methods whose draws serve several classifiers, and which labels are a random sample of what."""

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from labelcore.designs.base import Design, FrameT
from labelcore.population import Population
from labelcore.stats.arrays import IntArray
from labelcore.stats.profile import BoolArray


@dataclass(frozen=True, eq=False, slots=True)
class Samples:
    """Parts of a file, and the items whose labels are, given their number, a random sample of each.

    part     (n_items,), the part that each item belongs to, 0, 1, ...
    sizes    (n_parts,), items of each part
    members  (n_members,), the items whose label is one of their part's sample; labels of others
             were asked for something else, and say nothing of the part as long as it has items
             without a label. None: every label is one
    """

    part: IntArray
    sizes: IntArray
    members: IntArray | None = None

    def counting(self, known: IntArray) -> BoolArray:
        """Which labels count: those of the samples, and all of a part in which every item has one;
        ``known`` are the items that have a label, (n_labels,)."""
        if self.members is None:
            return np.ones(len(known), dtype=bool)
        part = self.part[known]
        whole = np.bincount(part, minlength=len(self.sizes)) == self.sizes
        return np.asarray(np.isin(known, self.members) | whole[part])


USUAL_LABELS = 200
"""About so many labels a form starts from where a method offers sizes."""


class SharesDraws(Design[FrameT]):
    """A method whose draws serve several classifiers, which its parameters name: what is drawn
    follows more than the stratum of an item, and an item may be drawn more than once.

    counts_draws   whether a budget counts draws instead of items
    """

    ability: ClassVar[str] = "share draws between classifiers"
    counts_draws: ClassVar[bool] = False

    @abstractmethod
    def classifiers(self, params: Any) -> tuple[str, ...]:
        """The classifiers that the parameters name, the first one first."""

    @abstractmethod
    def suggested(self, population: Population, classifiers: tuple[str, ...]) -> dict[str, Any]:
        """Parameters that suit a file and the classifiers asked about, for a form to start from;
        none where nothing is said."""

    @abstractmethod
    def draws(self, frame: FrameT, labels: int) -> int:
        """How many draws ``labels`` distinct labels stand for."""

    @abstractmethod
    def samples(self, frame: FrameT, classifier: str | None) -> Samples:
        """Which labels are a random sample of what, for what is told of ``classifier``: tables and
        pictures are made of this."""


def named_classifiers(design: Design[Any], params: Any) -> tuple[str, ...]:
    """The classifiers that the parameters of a method name; none for most methods."""
    return design.classifiers(params) if isinstance(design, SharesDraws) else ()


def suggested_params(
    design: Design[Any], population: Population, classifiers: tuple[str, ...]
) -> dict[str, Any]:
    """Parameters for a form to start from beside the defaults: of a method that offers sizes those
    of the one nearest to ``USUAL_LABELS``; none for most methods."""
    if isinstance(design, SharesDraws):
        return design.suggested(population, classifiers)
    sizes = design.sizes(len(population))
    nearest = min(sizes, key=lambda size: abs(size.labels - USUAL_LABELS), default=None)
    return dict(nearest.params) if nearest else {}


def budget_counts_draws(design: Design[Any]) -> bool:
    """Whether a budget counts draws, of which some may be of the same item."""
    return isinstance(design, SharesDraws) and design.counts_draws
