"""The sampling methods, one file each; ``DESIGNS`` is the table of all of them."""

from typing import Any

from labelcore.designs.agreement_patterns import AgreementPatterns
from labelcore.designs.base import Design
from labelcore.designs.geometric_strata import GeometricStrata
from labelcore.designs.logarithmic_stratified import LogarithmicStratified
from labelcore.designs.oversampling import Oversampling
from labelcore.designs.paired_comparison import PairedComparison
from labelcore.designs.paula import Paula
from labelcore.designs.random_curve import RandomCurve
from labelcore.designs.reach_selection import ReachSelectionDesign
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.designs.recycling import Recycling
from labelcore.designs.simple_random import SimpleRandom
from labelcore.designs.stratified_accuracy import StratifiedAccuracy

DESIGNS: dict[str, Design[Any]] = {
    design.name: design
    for design in (
        SimpleRandom(),
        RecalibratedNeyman(),
        PairedComparison(),
        AgreementPatterns(),
        GeometricStrata(),
        Paula(),
        StratifiedAccuracy(),
        Oversampling(),
        Recycling(),
        ReachSelectionDesign(),
        LogarithmicStratified(),
        RandomCurve(),
    )
}

__all__ = ["DESIGNS", "Design"]
