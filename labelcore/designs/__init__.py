"""The sampling methods, one file each; ``DESIGNS`` is the table of all of them."""

from labelcore.designs.base import Design
from labelcore.designs.geometric_strata import GeometricStrata
from labelcore.designs.paula import Paula
from labelcore.designs.recalibrated_neyman import RecalibratedNeyman
from labelcore.designs.simple_random import SimpleRandom

DESIGNS: dict[str, Design] = {
    design.name: design
    for design in (SimpleRandom(), RecalibratedNeyman(), GeometricStrata(), Paula())
}

__all__ = ["DESIGNS", "Design"]
