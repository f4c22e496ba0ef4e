"""The default by its former name for several classifiers."""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.estimands import DIFFERENCES, SCALARS


class AgreementPatterns(RecalibratedNeyman):
    """``recalibrated_neyman`` with strata of items that all classifiers judge alike, also of one
    classifier.

    What it holds: with one classifier, one figure and as many strata it draws the items that
    ``recalibrated_neyman`` draws without helpers; with two, its patterns are the pairs of
    ``paired_comparison``; the parts that ``recycling`` makes precision of are whole patterns.
    Source: as there; measured in docs/agreement_patterns.md.
    """

    name: ClassVar[str] = "agreement_patterns"
    same_as: ClassVar[str] = "recalibrated_neyman"
    label: ClassVar[str] = "Agreement patterns"
    summary: ClassVar[str] = (
        "Recalibrated Neyman by its former name for several classifiers: asks by how they agree, "
        "where the widest of all figures and differences gains most."
    )
    estimands: ClassVar[tuple[str, ...]] = (*SCALARS, *DIFFERENCES)
    for_all_ranks: ClassVar[bool] = False
    least_classifiers: ClassVar[int] = 2

    def settled(self, params: Mapping[str, Any], claims: Sequence[str]) -> dict[str, Any]:
        return dict(params)

    def draws_by_pattern(self, params: Any) -> bool:
        return True
