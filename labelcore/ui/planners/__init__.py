"""Planners, one file each; ``PLANNERS`` is the table of all of them."""

from collections.abc import Callable

from labelcore.ui.planners.base import Chosen
from labelcore.ui.planners.choice import choice_planner
from labelcore.ui.planners.curve import curve_planner
from labelcore.ui.planners.oversampling import oversampling_planner
from labelcore.ui.planners.recycling import recycling_planner
from labelcore.ui.planners.strata import strata_planner

PLANNERS: dict[str, Callable[[Chosen], None]] = {
    "Strata for accuracy": strata_planner,
    "Over-sampling": oversampling_planner,
    "Recycling": recycling_planner,
    "Choice": choice_planner,
    "Precision curve": curve_planner,
}

__all__ = ["PLANNERS", "Chosen"]
